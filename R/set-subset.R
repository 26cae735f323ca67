# Parts of a set of trees, and how large a set will be.

#' @rdname contree_best
#' @description
#' `subset()` returns part of a set. The trees that do without some predictors are a set again,
#' which is found by a search of its own with the same budget. Other conditions are checked tree by
#' tree.
#' @param x A value of [contree_set()]; for `print()`, of `contree_best()`.
#' @param without Names of predictors that trees must not split on.
#' @param uses Names of predictors that trees must split on.
#' @param leaves How many leaves trees may have, a number of at least 1, by default any.
#' @param ... Not used.
#' @return `subset()`: with `without` alone a [contree_set()], which may have no trees. Else a list
#'   of fits in the order of cost, of those of the first trees that are as asked; its attribute
#'   `searched` says how many were gone through, and `complete` whether these are all trees of the
#'   set.
#' @examples
#' subset(set, without = "Petal.Length")
#' length(subset(set, uses = c("Petal.Length", "Petal.Width"), leaves = 3))
#' @export
subset.contree_set <- function(x, without = NULL, uses = NULL, leaves = Inf, monotone = NULL,
                               searched = 1000, ...) {
  check_no_dots(...)
  check_set(x, "x")
  check_used(x, "without", without)
  check_used(x, "uses", uses)
  if (!is.null(monotone)) check_monotone(x, monotone)
  if (!is_scalar(leaves) || leaves < 1) {
    stop_input("leaves", gettextf("'leaves' must be a number of at least 1, not %s",
                                  show_value(leaves)))
  }
  if (!is_count(searched)) {
    stop_input("searched", gettextf("'searched' must be a whole number of at least 1, not %s",
                                    show_value(searched)))
  }
  set <- if (length(without)) set_without(x, without) else x
  if (is.null(uses) && is.null(monotone) && leaves == Inf) return(set)
  n <- min(searched, length(set))
  trees <- lapply(seq_len(n), function(k) set[[k]])
  kept <- vapply(trees, function(tree) {
    all(uses %in% node_variable(tree)[!node_is_leaf(tree)]) &&
      sum(node_is_leaf(tree)) <= leaves && (is.null(monotone) || is_monotone(tree, monotone))
  }, NA)
  structure(trees[kept], searched = n, complete = n == length(set) && set_about(set)$complete)
}

check_used <- function(set, argument, names) {
  unknown <- setdiff(names, set_parts(set)$problem$frame$shape$names)
  if (length(unknown) || !(is.null(names) || is.character(names))) {
    stop_input(argument, gettextf("'%s' must be names of predictors, not %s", argument,
                                  show_value(if (length(unknown)) unknown[1] else names)))
  }
}

set_without <- function(set, without) {
  parts <- set_parts(set)
  parts$without <- union(parts$without, without)
  parts$problem <- drop_predictors(parts$problem, parts$without)
  parts$engine <- new.env(parent = emptyenv())
  set <- structure(list(), parts = parts, class = "contree_set")
  make_set(set)
  warn_if_set_stopped(set)
  set
}

# Columns of one value are never split on.
drop_predictors <- function(problem, names) {
  of <- match(names, problem$frame$shape$names)
  constant <- function(column) replace(column, seq_along(column), column[1])
  if (!is.null(problem$derived)) {
    at <- problem$derived$predictor %in% of
    problem$derived$columns[at] <- lapply(problem$derived$columns[at], constant)
  } else if (is.matrix(problem$frame$columns)) {
    for (j in of) problem$frame$columns[, j] <- problem$frame$columns[1, j]
  } else {
    problem$frame$columns[of] <- lapply(problem$frame$columns[of], constant)
  }
  problem
}

# ---- how large -----------------------------------------------------------------------------------

#' @rdname contree_set
#' @description
#' `contree_set_estimate()` says how large a set will be, by extrapolation. Sets of smaller budgets
#' are found one after the other as long as they have few row sets; beyond that trees and row sets
#' are taken to grow geometrically with the budget. Row sets take about 200 bytes each, and more
#' with a wide range of costs.
#' @return `contree_set_estimate()`: a data frame with one row for each budget, the last of which is
#'   that asked for: `budget` (how much more than `fit` trees may cost), `trees` and `row_sets` (how
#'   many there are), `seconds`, and `found` (whether the set was found, or else its numbers are
#'   extrapolated).
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 3)
#' contree_set_estimate(fit, errors = 4, max_nodes = 500)
#' @export
contree_set_estimate <- function(fit, within = 0.01, errors = NULL, data = NULL, max_nodes = 2e4,
                                 ...) {
  check_fit(fit)
  refuse_set(fit)
  slack <- slack_of(fit, within, if (missing(within)) NULL else within, errors)
  settings <- search_settings(fit, list(...))
  problem <- problem_of_set(fit, data, settings, parent.frame())
  settings$max_nodes <- check_nodes(max_nodes)
  sizes <- NULL
  for (budget in unique(slack * c(0, 1 / 8, 1 / 4, 1 / 2, 1))) {
    # what is larger than a set that was not found is not found either
    size <- if (all(sizes$found)) size_of_set(fit, problem, settings, budget)
            else unknown_size(budget)
    if (!size$found) size <- extrapolated(sizes, size)
    sizes <- rbind(sizes, size)
  }
  sizes
}

unknown_size <- function(budget) {
  data.frame(budget = budget, trees = NA_real_, row_sets = NA_real_, seconds = NA_real_,
             found = FALSE)
}

size_of_set <- function(fit, problem, settings, budget) {
  set <- tryCatch(new_set(fit, problem, settings, budget), contree_input_error = function(e) NULL)
  about <- if (!is.null(set)) set_about(set)
  if (!isTRUE(about$complete)) return(unknown_size(budget))
  data.frame(budget = budget, trees = about$length, row_sets = about$size[["nodes"]],
             seconds = about$elapsed, found = TRUE)
}

# From the two largest sets that were found. Of budgets that hold the same trees, as those between
# two whole numbers of errors, the smallest counts.
extrapolated <- function(sizes, size) {
  known <- sizes[sizes$found & !duplicated(sizes$trees), ]
  known <- utils::tail(known, 2)
  if (is.null(known) || nrow(known) < 2) return(size)
  steps <- (size$budget - known$budget[2]) / (known$budget[2] - known$budget[1])
  for (what in c("trees", "row_sets", "seconds")) {
    n <- pmax(known[[what]], .Machine$double.eps)
    size[[what]] <- n[2] * max(1, n[2] / n[1])^steps
  }
  size
}
