# Parts of a set of trees, and how large a set will be.

#' @rdname contree_best
#' @description
#' `subset()` returns part of a set. The trees that do without some predictors are a set again,
#' which is found by a search of its own with the same budget. Other conditions are checked tree by
#' tree, of the first `searched` ones in the order of cost.
#' @param x A value of [contree_set()]; for `print()`, of `contree_best()`.
#' @param subset A condition on a tree, as in `leaves <= 3 & "age" %in% predictors`: an expression
#'   that is `TRUE` or `FALSE` of each tree, where `NA` counts as `FALSE`. In it `leaves` is the
#'   number of leaves, `depth` the number of splits on the longest way to a leaf, `predictors` the
#'   names of those that the tree splits on, `cost` and `errors` its elements `cost` and
#'   `objective`, `more` how much more than the best tree of the set it costs, and `number` its
#'   place in the set. Other names are variables of the caller. By default any tree.
#' @param without Names of predictors that trees must not split on.
#' @param uses Names of predictors that trees must split on.
#' @param leaves How many leaves trees may have, a number of at least 1, by default any.
#' @param ... Not used.
#' @return `subset()`: with `without` alone a [contree_set()], which may have no trees. Else a list
#'   of fits in the order of cost, of those of the first trees that are as asked; its attribute
#'   `searched` says how many were gone through, and `complete` whether these are all trees of the
#'   set.
#' @examples
#' length(subset(set, leaves <= 3 & more < 1))
#' subset(set, without = "Petal.Length")
#' length(subset(set, uses = c("Petal.Length", "Petal.Width"), leaves = 3))
#' @export
subset.contree_set <- function(x, subset, without = NULL, uses = NULL, leaves = Inf,
                               monotone = NULL, searched = 1000, ...) {
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
  condition <- if (!missing(subset)) substitute(subset)
  env <- parent.frame()
  set <- if (length(without)) set_without(x, without) else x
  if (is.null(condition) && is.null(uses) && is.null(monotone) && leaves == Inf) return(set)
  n <- min(searched, length(set))
  trees <- lapply(seq_len(n), function(k) set[[k]])
  kept <- vapply(seq_len(n), function(k) {
    facts <- tree_facts(set, trees[[k]], k)
    all(uses %in% facts$predictors) && facts$leaves <= leaves &&
      (is.null(condition) || meets(condition, facts, env)) &&
      (is.null(monotone) || is_monotone(trees[[k]], monotone))
  }, NA)
  structure(trees[kept], searched = n, complete = n == length(set) && set_about(set)$complete)
}

# What conditions on a tree may be about.
tree_facts <- function(set, tree, number) {
  leaf <- node_is_leaf(tree)
  list(leaves = sum(leaf), depth = max(node_depth(tree)),
       predictors = unique(node_variable(tree)[!leaf]), cost = tree_proof(tree)$cost,
       errors = tree_proof(tree)$objective,
       more = tree_proof(tree)$cost - min(set_about(set)$cost), number = number)
}

meets <- function(condition, facts, env) {
  names <- paste(names(facts), collapse = ", ")
  answer <- tryCatch(eval(condition, facts, env), error = function(problem) {
    stop_input("subset", gettextf("'subset' cannot be evaluated for tree %.0f: %s", facts$number,
                                  conditionMessage(problem)),
               gettextf("it may use %s, and variables of the caller", names))
  })
  if (!is.logical(answer) || length(answer) != 1) {
    stop_input("subset", gettextf("'subset' must be TRUE or FALSE of each tree, not %s",
                                  show_value(answer)),
               gettextf("give a condition on %s; names of predictors are 'without' or 'uses'",
                        names))
  }
  isTRUE(answer)
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
#' are taken to grow geometrically with the budget, which is most often too much: a budget of four
#' times the last one found may have a tenth or less of the trees. Row sets take about 200 bytes
#' each, and more with a wide range of costs.
#' @return `contree_set_estimate()`: a data frame with one row for each budget, the last of which is
#'   that asked for: `budget` (how much more than `fit` trees may cost), `trees` and `row_sets` (how
#'   many there are), `seconds`, and `found` (whether the set was found, or else its numbers are
#'   extrapolated, and `NA` from fewer than two sets that differ).
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 3)
#' contree_set_estimate(fit, errors = 4, max_nodes = 2000)
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
