# Rules: the leaves as conditions in words that are also R.

#' The leaves of a tree as rules
#'
#' One rule a leaf: the conditions between the root and the leaf, joined by `&`, with conditions on the same variable
#' merged. A rule is valid R, so `subset(data, eval(parse(text = rule)))` gives the rows of the leaf (with
#' `digits = 17`; fewer digits round the thresholds). The rule of a tree without splits is `TRUE`.
#'
#' @param fit A fit of [contree()].
#' @param digits Significant digits of the thresholds.
#' @return A data frame of class `contree_rules`, one row a leaf from left to right: `node` (number of the leaf), `rule`,
#'   `n` (training rows), `class` (factor), `probability` (share of the class among the training rows of the leaf). It has a
#'   `print` method that aligns the columns.
#' @seealso [predict.contree()] with `type = "path"` gives the rule of each row.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' rules <- contree_rules(fit)
#' rules
#' subset(iris, eval(parse(text = rules$rule[2])))[1:3, ]
#' @export
contree_rules <- function(fit, digits = getOption("digits")) {
  check_fit(fit)
  leaf <- node_is_leaf(fit)
  class <- node_class(fit)[leaf]
  shares <- node_shares(fit)[leaf, , drop = FALSE]
  structure(
    data.frame(node = node_ids(fit)[leaf], rule = leaf_rules(fit, digits)[leaf], n = node_n(fit)[leaf], class = class,
               probability = shares[cbind(seq_along(class), as.integer(class))]),
    class = c("contree_rules", "data.frame"))
}

#' @param x Rules as made by `contree_rules()`.
#' @param ... Not used.
#' @rdname contree_rules
#' @export
print.contree_rules <- function(x, ...) {
  columns <- c("node", "rule", "n", "class", "probability")
  # after the columns were changed by hand it is a data frame like any other
  if (!all(columns %in% names(x)) || nrow(x) == 0) return(invisible(print(as.data.frame(unclass(x)), row.names = FALSE)))
  left <- function(title, text) format(c(title, text))
  right <- function(title, text) format(c(title, text), justify = "right")
  cat(paste0(right("node", x$node), "  ", left("class", as.character(x$class)), "  ",
             right("prob", sprintf("%.2f", x$probability)), "  ", right("n", x$n), "  ",
             c("rule", paste("when", x$rule))), sep = "\n")
  invisible(x)
}

check_fit <- function(fit, argument = "fit") {
  if (!is_contree(fit)) {
    stop_input(argument, gettextf("'%s' must be a fit of contree(), not %s", argument, show_value(fit)))
  }
}

# The rule of every node.
leaf_rules <- function(fit, digits) {
  calls <- call_labels(fit)
  vapply(node_bounds(fit), function(known) {
    if (nrow(known) == 0) return("TRUE")
    conditions <- Map(interval_text, known$variable, known$low, known$high, known$variable %in% calls, digits)
    paste(unlist(conditions), collapse = " & ")
  }, "")
}

# Predictors whose name is itself R, such as log(b); all others are names, quoted where R needs it.
call_labels <- function(fit) {
  variables <- as.list(attr(tree_terms(fit), "variables"))[-1]
  vapply(Filter(is.call, variables), variable_label, "")
}

# What is known of a row in a node is, for each variable, the interval its value is in.
# For each node a data frame: variable, low (>=, -Inf if none), high (<, Inf if none), in the order of first use.
node_bounds <- function(fit) {
  bounds <- vector("list", length(node_ids(fit)))
  bounds[[1]] <- data.frame(variable = character(), low = numeric(), high = numeric())
  children <- node_children(fit)
  variable <- node_variable(fit)
  threshold <- node_threshold(fit)
  for (node in which(!node_is_leaf(fit))) {
    bounds[[children$left[node]]] <- tighten(bounds[[node]], variable[node], high = threshold[node])
    bounds[[children$right[node]]] <- tighten(bounds[[node]], variable[node], low = threshold[node])
  }
  bounds
}

tighten <- function(known, variable, low = -Inf, high = Inf) {
  row <- match(variable, known$variable)
  if (is.na(row)) return(rbind(known, data.frame(variable = variable, low = low, high = high)))
  known$low[row] <- max(known$low[row], low)
  known$high[row] <- min(known$high[row], high)
  known
}

interval_text <- function(variable, low, high, is_call, digits) {
  name <- if (is_call) variable else deparse1(as.name(variable), backtick = TRUE)
  c(if (is.finite(low)) paste(name, ">=", format_exact(low, digits)),
    if (is.finite(high)) paste(name, "<", format_exact(high, digits)))
}

format_exact <- function(value, digits) sprintf(paste0("%.", digits, "g"), value)
