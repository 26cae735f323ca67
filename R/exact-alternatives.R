# contree_alternatives(): trees about as good as the optimum that begin with another predictor.
#
# The search takes a set of predictors that the root may be split on, a cost from which on trees
# need not be found, and tells what it proved of each predictor at the root. The first search is
# among all predictors but that of the fit: if it finds nothing, it has proven that there is
# nothing. Otherwise those that it could not rule out are searched one by one.

#' Trees that begin with another predictor
#'
#' Finds trees that are optimal, or nearly so, but split on another predictor at the root. Of
#' several trees that are about as good on the training rows, a user may prefer the one that makes
#' sense, is cheaper to measure or is easier to explain. For each predictor the best tree that
#' splits on it at the root is found and proven, as [contree()] does, with the settings of the fit.
#'
#' Below the root any predictor may be used. Trees that are no better than a single leaf are not
#' listed.
#'
#' @param fit A fit of [contree()] or [policy_tree()]. Of a policy tree the trees are of class
#'   `contree_policy_alternatives`, and their table has `value`, the mean reward, in place of errors
#'   and cost.
#' @param n Number of predictors to list at most, a whole number of at least 1, by default 10: those
#'   with the best trees.
#' @param within How much more than `fit` a tree may cost, a number of at least 0: misclassified
#'   rows (with `weights` or `loss`, the unit of the cost), for a numeric response squared errors,
#'   or mean reward that a policy tree may have less. The default 0 lists trees of the same cost.
#'   Weights and losses count as the decimals that they stand for: 0.1 and 0.2 cost as much as 0.3,
#'   and what costs differ by in the last digits of such doubles is nothing.
#' @param data The training data: a data frame for a fit from a formula, a list of `x` and `y` for
#'   others. By default they are taken from the fit, if it was made with `model = TRUE`, or else the
#'   arguments of its call are evaluated again, as [update()][contree_methods] does.
#' @param ... Settings of how to search, not of what to search for: `time_limit` (for all searches
#'   together), `memory_limit`, `threads`, `device`, `deterministic`, `max_gap`, `on_interrupt`,
#'   `progress` and `verbose` of [contree_control()]. By default they are those of the fit.
#' @return A list of fits (see [contree.object]) named by predictor, the best first, of class
#'   `contree_alternatives`; its length is 0 if there are none. The setting `root` of such a fit
#'   names the predictor; its `bound`, `gap` and `status` refer to the trees with that predictor at
#'   the root.
#'
#'   `as.data.frame()` gives a data frame with one row for each tree: `predictor`, `errors`, `cost`,
#'   `within` (the cost less that of `fit`), `nsplit`, `gap` and `status`. If the search was
#'   stopped, the attribute `undecided` of the list names predictors for which a tree may have been
#'   missed, and there is a warning of class `contree_stopped`. Where `weights`, `loss` or a numeric
#'   response had to be rounded (see [contree()]) the search cannot tell trees apart that differ by
#'   less: `undecided` then also names predictors whose tree that was found costs more than
#'   `within`, where another may not.
#' @section Errors:
#' `contree_input_error` if the training data cannot be found or are not those of the fit, or if a
#' setting in `...` would change the problem.
#' @seealso [contree_path()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' others <- contree_alternatives(fit, within = 5)
#' others
#' others[["Petal.Width"]]
#' @export
contree_alternatives <- function(fit, n = 10, within = 0, data = NULL, ...) {
  check_fit(fit)
  n <- check_setting("n", n)
  within <- check_setting("within", within)
  if (is_policy(fit)) {
    return(policy_alternatives(fit, n, within, data, list(...), parent.frame()))
  }
  settings <- search_settings(fit, list(...))
  frame <- training_frame(fit, data, settings, parent.frame())
  problem <- new_problem(frame, settings)
  found <- search_roots(fit, problem, limit_costs(settings, fit, problem, within), n)
  alternatives <- structure(found$fits,
                            table = table_of_alternatives(found$fits, found$within),
                            fit = fit,
                            within = within, undecided = found$undecided,
                            class = "contree_alternatives")
  warn_if_undecided(found)
  alternatives
}

# The settings of the fit, but what is given here of how to search, or of `more`.
search_settings <- function(fit, given, more = NULL) {
  how <- c("time_limit", "memory_limit", "threads", "device", "deterministic", "max_gap",
           "on_interrupt", "progress", "verbose", more)
  check_setting_names(given, "...")
  if (length(other <- setdiff(names(given), how))) {
    stop_input(other[1], gettextf(
      "'%s' would change the problem, which is that of the fit; use update() to fit another tree",
      other[1]))
  }
  settings <- unclass(tree_settings(fit))
  collect_settings(given, settings[setdiff(names(settings), "root")], NULL)
}

# ---- searching -----------------------------------------------------------------------------------

# What a tree may cost. In integers C counts the costs of the fit again and compares them. Where
# weights or losses had to be rounded, trees are compared by the rows that they say different
# classes of. Of squares, and of tables, which are sums of doubles, off_of() is nothing.
limit_costs <- function(settings, fit, problem, within) {
  cost <- tree_proof(fit)$cost
  settings$blur <- 0
  if (problem$n_classes == 0) {
    settings$blur <- grain_of_costs(problem, settings)$blur
  } else if (is.null(problem$frame$table)) {
    said <- node_label(fit)[route(fit, problem$frame$columns)]
    labels <- match(said, searched_classes(problem$frame))
    settings$beside <- list(labels = labels, splits = tree_splits(fit), said = said)
  }
  settings$within <- within
  # Inf: any tree will do
  settings$off <- if (is.finite(within)) off_of(cost + within, settings$blur) else 0
  settings$max_cost <- cost + within + settings$off
  settings
}

# What two costs of this size may differ by and be the same: the last bits of their sums, and those
# of decimals as doubles, by which the root of either tree's sum of squares changes by `blur`.
off_of <- function(cost, blur) 4 * .Machine$double.eps * cost + 4 * blur * sqrt(cost) + 2 * blur^2

# list(fits, within, undecided, status, elapsed): the trees, the best first, and by how much they
# cost more than the fit.
search_roots <- function(fit, problem, settings, n) {
  others <- setdiff(problem$frame$shape$names, node_variable(fit)[1])
  found <- list(fits = list(), within = numeric(), undecided = character(), status = "optimal",
                elapsed = 0,
                bounds = stats::setNames(numeric(length(others)), others))
  if (node_is_leaf(fit)[1]) return(found)
  settings$end <- seconds_now() + settings$time_limit
  if (length(others) > 1) found <- search_root(found, others, problem, settings, fit)
  for (predictor in setdiff(others[order(found$bounds)], names(found$fits))) {
    # only a tree that is cheaper than the n best so far is of use
    settings$within <- min(settings$within, sort(found$within)[n], na.rm = TRUE)
    settings$max_cost <- tree_proof(fit)$cost + settings$within + settings$off
    if (found$bounds[predictor] > settings$max_cost ||
        found$bounds[predictor] >= node_errors(fit)[1]) {
      next
    }
    found <- search_root(found, predictor, problem, settings, fit)
  }
  best <- utils::head(order(found$within), n)
  found[c("fits", "within")] <- list(found$fits[best], found$within[best])
  found
}

# One search for the best tree that begins with one of the predictors `root`, and, of several, what
# it proves of each.
search_root <- function(found, root, problem, settings, fit) {
  alone <- length(root) == 1
  left <- settings$end - seconds_now()
  if (left <= 0 && alone || found$status == "interrupted") {
    found$status <- if (found$status == "interrupted") "interrupted" else "time limit"
    found$undecided <- c(found$undecided, root)
    return(found)
  }
  settings$root <- root
  solved <- solve_problem(problem, replace(settings, "time_limit", max(0, left)))
  stopped <- solved$status %in% names(stopped_kind)
  if (stopped) found$status <- solved$status
  if (!alone) found$bounds <- root_bounds(solved, problem)[root]
  found$elapsed <- found$elapsed + solved$elapsed
  # rounding may hide a tree that costs less than the one found
  rounded <- if (is.null(settings$beside)) solved$bound < solved$cost else solved$counted$unit == 0
  open <- alone && (stopped || rounded && solved$feature[1] > 0 &&
                      solved$bound <= settings$max_cost)
  if (solved$feature[1] == 0 || !may_cost(solved, settings)) {
    if (open) found$undecided <- c(found$undecided, root)
    return(found)
  }
  # the best known tree of a search among several that was stopped may have less than the best tree
  # of its own root
  if (stopped && !alone) return(found)
  settings$root <- problem$frame$shape$names[solved$feature[1]]
  tree <- new_fit(solved, problem, settings, tree_call(fit))
  more <- cost_beside(tree, fit, problem$frame, settings)
  if (rounded && more > settings$within) {
    if (open) found$undecided <- c(found$undecided, root)
    return(found)
  }
  found$fits[[settings$root]] <- tree
  found$within[settings$root] <- more
  found
}

may_cost <- function(solved, settings) {
  if (!is.null(settings$beside) && solved$counted$unit > 0) return(solved$counted$within)
  solved$cost <= settings$max_cost
}

# How much more a tree costs than the fit, from integers where there are any.
cost_beside <- function(tree, fit, frame, settings) {
  own <- tree_counted(tree)
  counted <- tree_counted(fit)
  more <- if (!is.null(own) && identical(own$unit, counted$unit)) {
    sum(counted_units(own, node_is_leaf(tree)) - counted_units(counted, node_is_leaf(fit))) *
      own$unit
  } else if (!is.null(settings$beside)) {
    errors_beside(frame, node_label(tree)[tree_where(tree)], settings$beside$said)
  } else {
    costs <- c(tree_proof(tree)$cost, tree_proof(fit)$cost)
    more <- costs[1] - costs[2]
    return(if (abs(more) <= off_of(max(costs), settings$blur)) 0 else more)
  }
  penalty <- tree_settings(fit)$complexity * tree_unit(fit)
  more + penalty * (tree_splits(tree) - tree_splits(fit))
}

# What the rows cost more under these classes than under others, from the rows whose classes differ:
# nothing, if it is the last digits of decimals. Whole numbers have none.
errors_beside <- function(frame, said, other) {
  rows <- which(said != other)
  own <- row_costs(frame$response[rows], NULL, frame$loss, said[rows])
  less <- row_costs(frame$response[rows], NULL, frame$loss, other[rows])
  weights <- row_weights(frame)[rows]
  more <- .Call(ffi_sum_products, c(weights, weights), c(own, -less))
  whole <- all(weights == floor(weights), own == floor(own), less == floor(less))
  off <- if (whole) 0 else 4 * .Machine$double.eps * sum(weights * pmax(own, less))
  if (abs(more) <= off) 0 else more
}

# For each predictor, what a search has proven of the trees that begin with it.
root_bounds <- function(solved, problem) {
  vapply(split(solved$root_bounds, factor(column_predictors(problem), problem$frame$shape$names)),
         min, 0)
}

table_of_alternatives <- function(fits, within) {
  proof <- function(what, type) vapply(fits, function(fit) tree_proof(fit)[[what]], type,
                                       USE.NAMES = FALSE)
  data.frame(predictor = as.character(names(fits)), errors = proof("objective", 0),
             cost = proof("cost", 0),
             within = as.numeric(within),
             nsplit = vapply(fits, tree_splits, 0L, USE.NAMES = FALSE),
             gap = proof("gap", 0), status = proof("status", ""))
}

warn_if_undecided <- function(found) {
  if (!found$status %in% names(stopped_kind)) return(invisible())
  open <- if (length(found$undecided)) {
    gettextf("a tree may have been missed for %s", show_names(found$undecided))
  } else {
    gettext("not all trees are proven")
  }
  warn_stopped(gettextf("%s: %s", stopped_after(found$status, found$elapsed), open),
               found[c("status", "elapsed", "undecided")])
}

# ---- methods -------------------------------------------------------------------------------------

#' @param x A value of `contree_alternatives()`.
#' @param row.names,optional As in [as.data.frame()]; `optional` is not used.
#' @rdname contree_alternatives
#' @export
as.data.frame.contree_alternatives <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(attr(x, "table"), row.names)
}

#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   2, at least 1.
#' @rdname contree_alternatives
#' @export
print.contree_alternatives <- function(x, digits = max(1, getOption("digits") - 2), ...) {
  check_digits(digits)
  fit <- attr(x, "fit")
  proof <- tree_proof(fit)
  within <- attr(x, "within")
  root <- if (node_is_leaf(fit)[1]) gettext("no split") else node_variable(fit)[1]
  table <- as.data.frame(x)
  # the costs of all trees that are shown, apart
  shown <- cost_text(c(proof$cost, proof$objective, table$cost), digits)
  cost <- shown[1]
  objective <- if (!predicts_classes(fit)) {
    gettextf("SSE %s", shown[2])
  } else if (costs_differ(fit)) {
    gettextf("loss %s", shown[2])
  } else {
    errors_text(proof$objective, shown[2])
  }
  cat(gettextf("The fit has root %s and cost %s (%s)", root, cost, objective), "\n\n", sep = "")
  if (length(x) == 0) {
    cat(gettextf("No tree with another predictor at the root costs at most %s more",
                 format(within)), "\n", sep = "")
  } else {
    table$cost <- shown[-(1:2)]
    cat(gettextf("Best trees with another predictor at the root that cost at most %s more:",
                 format(within)), "\n", sep = "")
    print(if (all(table$gap == 0)) table[names(table) != "gap"] else table, digits = digits)
  }
  undecided <- attr(x, "undecided")
  if (length(undecided)) cat(gettextf("Not decided: %s", show_names(undecided)), "\n", sep = "")
  invisible(x)
}
