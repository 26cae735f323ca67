# Smoothing, ridge penalty, limits and complexity of a model tree by leave-one-out errors, see
# src/evolve/leave_one_out.h: those of the models without the row, for the splits of the tree.

# What is tried. The splits were searched with the row, so that errors without shrinkage are too
# low: it is not taken unless they are less than half.
loo_grid <- list(ridge = c(0, 0.3, 1, 3, 10, 30), smoothing = c(0, 3, 10, 30, 100),
                 limits = c("range", "none"))
loo_zero_costs <- 2
loo_asked <- list(ridge = "loo", smoothing = "loo", limits = "loo", complexity = "loo")
loo_none <- list(ridge = 0, smoothing = 0, limits = "range", complexity = 1)
loo_complexities <- c(1, 0.7)
loo_rows_max <- 10000 # with more rows leaves have nothing to borrow
loo_rows_used <- 2000

is_loo <- function(settings) {
  vapply(settings[names(loo_grid)], identical, NA, "loo")
}

# Is the error wanted in any case, to compare trees?
is_compared <- function(settings) isTRUE(settings$compared)

# The settings with values in place of "loo", and `loo`, a data frame with the error of each
# combination; as they are where nothing was to be chosen.
settle_loo <- function(settings, nodes, x, y, weights, where, dropped) {
  asked <- is_loo(settings)
  if (!any(asked) && !is_compared(settings)) return(settings)
  if (length(y) > loo_rows_max) {
    settings[names(loo_grid)[asked]] <- loo_none[names(loo_grid)[asked]]
    return(settings)
  }
  tried <- settings[names(loo_grid)]
  tried[asked] <- loo_grid[asked]
  # a tree without splits has nothing to smooth
  if (asked[["smoothing"]] && length(nodes$n) == 1) tried$smoothing <- 0
  table <- loo_table(tried, nodes, x, y, weights, where, dropped)
  settings[names(loo_grid)] <- table[best_loo(table), names(loo_grid)]
  settings$loo <- table
  settings
}

best_loo <- function(table) which.min(errors_to_compare(table))

errors_to_compare <- function(table) {
  is_zero <- function(values) values == 0 & length(unique(values)) > 1
  zero <- is_zero(table$ridge) | is_zero(table$smoothing)
  table$error * ifelse(zero, loo_zero_costs, 1)
}

# ---- complexity ----------------------------------------------------------------------------------

# What refit_gmt() has of the complexity with the lowest error. `search`: a function of settings.
search_complexity <- function(search, settings) {
  limits <- list(seconds = settings$time_limit, rows = settings$search$max_rows)
  settings$compared <- TRUE
  best <- NULL
  for (complexity in loo_complexities) {
    settings$search$complexity <- complexity
    now <- search(settings)
    best <- if (is.null(best)) refit_gmt(now) else better_of(best, now)
    if (now$solved$status != "complete" || length(now$solved$where) > loo_rows_max) break
    settings$time_limit <- max(0, settings$time_limit - now$solved$elapsed)
    settings$search$max_rows <- max(0, settings$search$max_rows - now$solved$touched)
  }
  best$settings["compared"] <- NULL
  best$settings$time_limit <- limits$seconds
  best$settings$search$max_rows <- limits$rows
  best
}

# One of two, the second of which is not yet refitted; both took their time.
better_of <- function(first, second) {
  same <- c("feature", "threshold", "where")
  found <- first
  if (!identical(first$solved[same], second$solved[same])) {
    second <- refit_gmt(second)
    if (loo_of_tree(second) < loo_of_tree(first)) found <- second
  }
  found$solved$elapsed <- first$solved$elapsed + second$solved$elapsed
  found$solved$status <- second$solved$status
  found
}

# Splits are the best of some n, and cost 2 log(n) degrees of freedom each.
loo_of_tree <- function(refitted) {
  n <- length(refitted$solved$where)
  splits <- sum(refitted$solved$feature > 0)
  min(errors_to_compare(refitted$settings$loo)) * (1 + 4 * splits * log(n) / n)
}

# `tried`: a list of values of the three. The errors are means over rows, of many rows some.
loo_table <- function(tried, nodes, x, y, weights, where, dropped) {
  rows <- unique(round(seq(1, length(y), length.out = min(length(y), loo_rows_used))))
  sums <- .Call(ffi_gmt_loo, x, y, weights, where, seq_along(y) %in% rows, list(
    parent = nodes$parent, n = as.double(nodes$n), penalty = nodes$penalty, dropped = t(dropped),
    factors = vapply(nodes$own, square_factor, numeric((ncol(x) + 1)^2))),
    as.double(tried$ridge), as.double(tried$smoothing))
  table <- expand.grid(limits = loo_grid$limits, smoothing = tried$smoothing, ridge = tried$ridge,
                       KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)[3:1]
  table$error <- sums / if (is.null(weights)) length(rows) else sum(weights[rows])
  table <- table[table$limits %in% tried$limits, ]
  row.names(table) <- NULL
  table
}

# A factor with as many rows as columns; those that it lacks are 0.
square_factor <- function(factor) {
  rbind(factor, matrix(0, ncol(factor) - nrow(factor), ncol(factor)))
}
