# Rules on the screen: one a line, or one condition a line.

#' @param x Rules as made by `contree_rules()`.
#' @param style `"wide"` (the default): one rule on each line, with the conditions on a variable
#'   aligned in columns unless the lines become too long; `"tall"`: one condition on each line.
#' @param ... Not used.
#' @rdname contree_rules
#' @export
print.contree_rules <- function(x, style = c("wide", "tall"), ...) {
  style <- check_choice("style", style)
  columns <- c("node", "rule", "n")
  # after the columns were changed by hand it is a data frame like any other
  if (!all(columns %in% names(x)) || nrow(x) == 0) {
    return(invisible(print(as.data.frame(unclass(x)), row.names = FALSE)))
  }
  cat(if (style == "wide") wide_rules(x) else tall_rules(x), sep = "\n")
  invisible(x)
}

wide_rules <- function(rules) {
  left <- function(title, text) format(c(title, text))
  right <- function(title, text) format(c(title, text), justify = "right")
  said <- rules[setdiff(names(rules), c("node", "rule", "n"))]
  said <- Map(function(name, values) {
    if (name == "probability") return(right("prob", sprintf("%.2f", values)))
    if (is.numeric(values)) {
      right(name, format(values, digits = 4))
    } else {
      left(name, as.character(values))
    }
  }, names(said), said)
  facts <- do.call(paste, c(list(right("node", rules$node)), unname(said),
                            list(right("n", rules$n), "", sep = "  ")))
  lines <- paste0(facts, c("rule", paste("when", aligned_rules(rules$rule))))
  if (max(nchar(lines, "width")) <= getOption("width")) {
    lines
  } else {
    paste0(facts, c("rule", paste("when", rules$rule)))
  }
}

tall_rules <- function(rules) {
  said <- rules[setdiff(names(rules), c("node", "rule", "n", "class", "probability"))]
  heads <- if (!is.null(rules$class)) {
    gettextf("%s with probability %.2f (n = %d, node %d) when", rules$class, rules$probability,
             rules$n, rules$node)
  } else {
    words <- Map(function(name, values) paste(
      name, if (is.numeric(values)) format(values, digits = 4) else values), names(said), said)
    gettextf("%s (n = %d, node %d) when", do.call(paste, c(unname(words), list(sep = ", "))),
             rules$n, rules$node)
  }
  conditions <- lapply(rules$rule, function(rule) paste0("    ", unlist(rule_conditions(rule))))
  utils::head(unlist(Map(c, heads, conditions, "")), -1)
}

# The rules with a column for each variable, in the order of first use.
aligned_rules <- function(rules) {
  conditions <- lapply(rules, rule_conditions)
  variables <- unique(unlist(lapply(conditions, names)))
  cells <- vapply(variables, function(variable) {
    format(vapply(conditions,
                  function(known) paste(known[names(known) == variable], collapse = " & "), ""))
  }, character(length(rules)))
  cells <- matrix(cells, length(rules))
  blank <- matrix(!grepl("[^ ]", cells), length(rules))
  for (column in seq_len(ncol(cells))[-1]) {
    joined <- !blank[, column] & rowSums(!blank[, seq_len(column - 1), drop = FALSE]) > 0
    cells[, column] <- paste0(ifelse(joined, "& ", "  "), cells[, column])
  }
  sub(" +$", "", apply(cells, 1, paste, collapse = " "))
}

# The conditions of a rule, which is R, each named by its variable. What was changed by hand and is
# no R stays as it is.
rule_conditions <- function(rule) {
  expression <- tryCatch(str2lang(rule), error = function(problem) NULL)
  if (is.null(expression)) return(stats::setNames(rule, ""))
  parts <- list()
  while (is.call(expression) && identical(expression[[1]], quote(`&`))) {
    parts <- c(expression[[3]], parts)
    expression <- expression[[2]]
  }
  parts <- c(expression, parts)
  stats::setNames(vapply(parts, deparse1, ""), vapply(parts, condition_variable, ""))
}

condition_variable <- function(condition) {
  words <- c("(", "!", "|", "is.na", "<", ">=", "==", "%in%")
  while (is.call(condition) && as.character(condition[[1]])[1] %in% words) {
    condition <- condition[[2]]
  }
  deparse1(condition)
}
