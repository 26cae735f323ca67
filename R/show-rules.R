# Rules: the leaves as conditions in words that are also R.

#' Rules of a tree
#'
#' One rule for each leaf: the conditions between the root and the leaf, joined by `&`, with
#' conditions on the same variable merged. A rule is valid R code, so `subset(data, eval(parse(text
#' = rule)))` gives the rows of the leaf (with `digits = 17`; fewer digits round the thresholds).
#' The rule of a tree without splits is `TRUE`.
#'
#' If training rows with a missing value reached a split, the rules say where they went, as in `(age
#' < 50 | is.na(age))` or, of factors, which may have a level `NA`, `grade %in% c("a", NA)`.
#' Otherwise a rule does not mention missing values, and R does not select rows with them; nor do
#' rules name levels of a factor that none of their training rows had.
#' [predict.contree()] describes where such rows go.
#'
#' @order 1
#' @param fit A fit of [contree()].
#' @param digits Number of significant digits of the thresholds, a whole number; by default the
#'   option `digits`.
#' @param ... Not used; anything given here is an error.
#' @return A data frame of class `contree_rules` with one row for each leaf, from left to right:
#'   `node` (number of the leaf), `rule`, `n` (training rows), `class` (factor), `probability`
#'   (proportion of the class among the training rows of the leaf); for a regression tree `value` in
#'   place of the last two. It has a `print()` method.
#' @seealso [predict.contree()] with `type = "path"` gives the rule of each row.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' rules <- contree_rules(fit)
#' rules
#' subset(iris, eval(parse(text = rules$rule[2])))[1:3, ]
#' @export
contree_rules <- function(fit, ...) UseMethod("contree_rules")

#' @rdname contree_rules
#' @export
contree_rules.contree_model <- function(fit, digits = getOption("digits"), ...) {
  check_no_dots(...)
  check_fit(fit)
  check_digits(digits)
  rules <- data.frame(node = node_ids(fit), rule = leaf_rules(fit, digits), n = node_n(fit))
  columns <- leaf_columns(fit, full = FALSE)
  rules[names(columns)] <- columns
  rules <- rules[node_is_leaf(fit), ]
  structure(rules, row.names = .set_row_names(nrow(rules)),
            class = c("contree_rules", "data.frame"))
}

#' @export
contree_rules.default <- function(fit, ...) check_fit(fit)

# The rule of every node.
leaf_rules <- function(fit, digits) {
  calls <- call_labels(fit)
  vapply(node_knowledge(fit, digits), function(known) {
    if (length(known) == 0) return("TRUE")
    names <- names(known)
    plain <- !names %in% names(calls)
    names[plain] <- vapply(names[plain], code_name, "")
    names[!plain] <- calls[names[!plain]]
    paste(unlist(Map(condition_text, names, known, types_of(fit, names(known)))), collapse = " & ")
  }, "")
}

# Predictors whose name is itself R, such as log(b), as operands, by name; all others are names,
# quoted where R needs it. Operators, as in b > 1, need parentheses.
call_labels <- function(fit) {
  variables <- as.list(attr(tree_terms(fit), "variables"))[-1]
  calls <- Filter(is.call, variables)
  labels <- vapply(calls, variable_label, "")
  is_function <- vapply(calls, function(call) {
    is.name(call[[1]]) && startsWith(variable_label(call), paste0(call_name(call), "("))
  }, NA)
  stats::setNames(ifelse(is_function, labels, paste0("(", labels, ")")), labels)
}

# What is known of the rows of each node: for each variable, in the order of first use, a list of
#   low, high            its value is at least `low` and below `high`; numbers, -Inf and Inf if
#                        nothing is known
#   low_text, high_text  the same as R code
#   levels               names of the levels it has one of; NULL if nothing is known
#   missing              are missing values here? NA if no training row said so
node_knowledge <- function(fit, digits) {
  known <- rep(list(list()), length(node_ids(fit)))
  children <- node_children(fit)
  variable <- node_variable(fit)
  split <- list(threshold = node_threshold(fit), text = threshold_code(fit, readable(digits)),
                levels = node_levels(fit),
                missing = node_missing(fit), left = node_default_left(fit))
  for (node in which(!node_is_leaf(fit))) {
    here <- lapply(split, `[[`, node)
    for (side in c("left", "right")) {
      child <- children[[side]][node]
      known[[child]] <- known[[node]]
      known[[child]][[variable[node]]] <- learn(known[[node]][[variable[node]]], here,
                                                side == "left")
    }
  }
  known
}

learn <- function(known, split, left) {
  if (is.null(known)) known <- list(low = -Inf, high = Inf, levels = NULL, missing = NA)
  if (!is.null(split$levels)) {
    sides <- split$levels[if (left) c("left", "right") else c("right", "left")]
    # where the other side has no level, none was excluded
    if (length(sides[[2]])) known$levels <- sides[[1]]
    if (length(sides[[1]]) == 0) known$levels <- character()
  } else if (left && split$threshold < known$high) {
    known[c("high", "high_text")] <- split[c("threshold", "text")]
  } else if (!left && split$threshold > known$low) {
    known[c("low", "low_text")] <- split[c("threshold", "text")]
  }
  if (split$missing > 0 || isTRUE(known$missing)) known$missing <- split$left == left
  known
}

# A value that is missing may have a level of its own, NA, which is.na() does not see, and which in
# an ordered factor is above or below the others.
condition_text <- function(name, known, type) {
  leveled <- type %in% level_types
  is_missing <- if (leveled) paste(name, "%in% NA") else paste0("is.na(", name, ")")
  not_missing <- if (leveled) paste0("!(", is_missing, ")") else paste0("!", is_missing)
  if (known$low == Inf || known$high == -Inf || identical(known$levels, character())) {
    return(is_missing)
  }
  if (length(known$levels)) return(level_rule(name, known))
  values <- c(if (is.finite(known$low)) paste(name, ">=", known$low_text),
              if (is.finite(known$high)) paste(name, "<", known$high_text))
  if (length(values) == 0) return(not_missing)
  if (!isTRUE(known$missing)) {
    return(c(values, if (type == "ordered" && isFALSE(known$missing)) not_missing))
  }
  paste0("(", paste(values, collapse = " & "), " | ", is_missing, ")")
}

level_rule <- function(name, known) {
  one_of <- c(quoted(known$levels), if (isTRUE(known$missing)) "NA")
  if (length(one_of) == 1) return(paste(name, "==", one_of))
  paste0(name, " %in% c(", paste(one_of, collapse = ", "), ")")
}
