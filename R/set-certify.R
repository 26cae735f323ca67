# Sets of trees, counted again by code that is not that of the search.

# Trees of a set that are walked by the training rows, besides the first and the last.
trees_walked <- 8

certify_set <- function(set, data, env) {
  check_set(set)
  fit <- set_parts(set)$fit
  if (length(set) == 0) stop_input("fit", gettext("the set has no trees"))
  start <- seconds_now()
  frame <- certified_frame(fit, data, env)
  fault <- tree_fault(fit, frame)
  counted <- NULL
  if (is.null(fault)) {
    problem <- new_problem(frame, tree_settings(fit))
    fault <- column_fault(problem, tree_settings(fit)$subset_levels)
    if (is.null(fault)) fault <- walked_fault(set, frame)
    if (is.null(fault)) counted <- count_again(set, problem)
  }
  if (!is.null(counted)) fault <- count_fault(set, counted)
  new_set_check(set, counted, fault, seconds_now() - start)
}

# What is wrong with some trees of the set, evenly spread over its numbers.
walked_fault <- function(set, frame) {
  n <- min(length(set), 2^53 - 1)
  for (k in unique(round(seq(1, n, length.out = min(n, trees_walked + 2))))) {
    fault <- tree_fault(set[[k]], frame)
    if (!is.null(fault)) return(gettextf("tree %s: %s", format(k), fault))
  }
}

count_again <- function(set, problem) {
  parts <- set_parts(set)
  labels <- searched_labels(parts$fit, problem)
  if (length(parts$without)) problem <- drop_predictors(problem, parts$without)
  control <- add_costs(search_control(parts$settings, NULL, NULL, NULL), problem$frame)
  groups <- match(column_predictors(problem), problem$frame$shape$names)
  call_core(.Call(ffi_set_certify, set_pointer(set), searched_columns(problem), problem$codes,
                  problem$n_classes, control, groups, labels, tree_splits(parts$fit), parts$slack),
            refuse_search)
}

count_fault <- function(set, counted) {
  if (counted$stopped) {
    gettext("interrupted")
  } else if (!counted$same) {
    gettextf("there are not as many trees of cost %s as the set has", cost_text(counted$differs))
  } else if (set_about(set)$complete && !covers_budget(set, counted)) {
    gettextf("not all trees were counted that cost up to %s more than the fit",
             cost_text(set_parts(set)$slack))
  }
}

# For a numeric response the checker says up to which cost, of the response itself, no tree is
# missing.
covers_budget <- function(set, counted) {
  if (!is_of_numbers(set)) return(counted$covers)
  parts <- set_parts(set)
  counted$bound >= tree_proof(parts$fit)$cost + parts$slack
}

new_set_check <- function(set, counted, fault, elapsed) {
  about <- set_about(set)
  fit <- set_parts(set)$fit
  fit$control$root <- NULL # sets are of trees with any root
  check <- list(valid = is.null(fault), reason = fault, trees = about$total,
                complete = about$complete && is.null(fault), cost = min(about$cost),
                complete_cost = if (is_of_numbers(set) && !is.null(counted)) {
                  min(about$complete_cost, counted$bound)
                } else {
                  about$complete_cost
                },
                thresholds = if (is.null(counted)) 0 else counted$thresholds,
                row_sets = if (is.null(counted)) 0 else counted$row_sets, elapsed = elapsed,
                depth = tree_settings(fit)$depth, among = restrictions(fit))
  structure(check[!vapply(check, is.null, NA)], class = "contree_set_check")
}

#' @rdname contree_certify
#' @export
print.contree_set_check <- function(x, ...) {
  check_no_dots(...)
  if (!x$valid) {
    cat(gettextf("Not certified: %s", x$reason), "\n", sep = "")
    return(invisible(x))
  }
  cat(if (is.finite(x$complete_cost)) {
    gettextf("Certified: no %s that costs %s or less is missing among the %s trees of the set",
             trees_text(x$depth, x$among), surely_text(x$complete_cost), big_text(x$trees))
  } else {
    gettextf("Some of the %s trees were checked; others of any cost may be missing",
             big_text(x$trees))
  }, "\n",
      gettextf("  thresholds looked at: %s, row sets: %s, seconds: %s", format(x$thresholds),
               format(x$row_sets), format(signif(x$elapsed, 2))), "\n", sep = "")
  invisible(x)
}
