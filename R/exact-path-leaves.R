# contree_path(by = "leaves"): the optimal tree for each number of leaves.
#
# Of the trees with at most k leaves the best, and of equal ones the smallest, has j <= k leaves,
# and is the best with at most k - 1, k - 2, ... down to j leaves as well. So searches go from the
# largest number down, each for a leaf less than the last tree has, and there are as many as trees.
# Each begins with the last tree, less its weakest splits. No tree costs less than what is proven of
# those with more leaves.

find_path_by_leaves <- function(problem, settings, call, begin) {
  most <- min(2^settings$depth, length(problem$codes), settings$max_leaves)
  fits <- list()
  status <- "optimal"
  bound <- 0
  while (most > 0) {
    now <- settings
    now$max_leaves <- if (most < 2^settings$depth) most else Inf
    left <- settings$time_limit - (seconds_now() - begin)
    now$time_limit <- if (status == "interrupted") 0 else max(0, left)
    if (length(fits)) now$start <- fits[[1]]
    solved <- solve_problem(problem, now)
    if (status == "optimal") status <- solved$status
    now$time_limit <- settings$time_limit
    fit <- new_fit(solved, problem, now, call_at_leaves(call, most))
    bound <- max(bound, tree_proof(fit)$bound)
    gap <- tree_proof(fit)$gap
    if (gap > 0) gap <- min(gap, max(0, tree_proof(fit)$cost - bound))
    fits <- c(list(at_complexity(fit, settings$complexity, bound, tree_proof(fit)$status, gap)),
              fits)
    most <- tree_splits(fit)
  }
  list(fits = drop_useless(fits), status = status)
}

# A search that was stopped may know a tree with more leaves that is no better than one with fewer.
drop_useless <- function(fits) {
  cost <- vapply(fits, function(fit) tree_proof(fit)$cost, 0)
  fits[c(TRUE, cost[-1] < cummin(cost)[-length(cost)])]
}

table_of_leaves <- function(fits) {
  proof <- function(name) vapply(fits, function(fit) tree_proof(fit)[[name]], 0)
  errors <- proof("objective")
  splits <- vapply(fits, tree_splits, 0)
  data.frame(leaves = splits + 1, nsplit = splits, errors = errors,
             rel_error = relative_errors(errors), gap = proof("gap"),
             status = vapply(fits, function(fit) tree_proof(fit)$status, ""), row.names = NULL)
}

# Errors as a proportion of those of the tree without splits, 0 where that has none.
relative_errors <- function(errors) if (errors[1] > 0) errors / errors[1] else errors

# The call of contree() that asks for the tree of a given number of leaves.
call_at_leaves <- function(call, leaves) {
  call[[1]] <- if (is.call(call[[1]])) quote(contree::contree) else quote(contree)
  call$by <- NULL
  call$max_leaves <- leaves
  call
}

# ---- methods -------------------------------------------------------------------------------------

is_by_leaves <- function(path) identical(attr(path, "by"), "leaves")

plot_by_leaves <- function(table, main, xlab, ylab, type, pch, ...) {
  graphics::plot(table$leaves, table$errors, main = main, xlab = xlab, ylab = ylab, type = type,
                 pch = pch, xaxt = "n", las = 1, ylim = range(0, table$errors), ...)
  graphics::axis(1, at = table$leaves)
}
