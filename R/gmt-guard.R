# A tree of few rows must be better than the linear model of all of them, by cross-validation.

guard_rows_max <- 2000
guard_clear <- 3 # standard errors beyond which no more folds are needed
guard_least <- 1 # standard errors by which the tree must be better
guard_levels_max <- 250 # of factors that are tried as regressors
guard_folds <- 5
guard_repeats <- 2

# Is the tree compared? Whoever gives a complexity, a time limit or a proof wants that tree.
is_guarded <- function(settings, n_rows) {
  is.null(settings$search$complexity) && !settings$shrink && settings$search$certify == 0 &&
    settings$search$mode == 0 && is.infinite(settings$time_limit) &&
    n_rows <= guard_rows_max
}

# What the search found, or the root alone where that predicts held-out rows no worse.
search_guarded <- function(frame, roles, settings) {
  searched <- search_gmt(frame, roles, settings)
  n <- length(searched$frame$response)
  if (!is_guarded(settings, n) || n < 2 * guard_folds) return(searched)
  linear <- better_linear(searched$frame, roles, settings)
  found <- if (length(searched$solved$feature) > 1) list(roles = roles, settings = settings)
  stays <- if (is.null(found)) identical(linear$roles, roles)
           else is_better(searched$frame, found, linear)
  if (stays) return(searched)
  root <- search_gmt(frame, linear$roles, linear$settings)
  root$settings <- searched$settings
  root
}

# The linear model that a tree is compared with: list(roles, settings). Factors that have too many
# levels for the models of leaves are in it where they help, as a search that may only split on them
# makes little of many small effects.
better_linear <- function(frame, roles, settings) {
  few <- list(roles = roles, settings = with_one_leaf(settings))
  levels <- sum(lengths(frame$xlevels[roles$many_levels]))
  if (levels == 0 || levels > min(guard_levels_max, length(frame$response) / 2)) return(few)
  all <- few
  all$roles$regressors <- intersect(frame$shape$names, c(roles$regressors, roles$many_levels))
  if (is_better(frame, all, few, 0)) all else few
}

with_one_leaf <- function(settings) {
  settings$search$max_leaves <- 1
  settings
}

# Does `one` have the lower squared error of rows that it was not fitted to than `other`, each a
# list(roles, settings), by `least` standard errors? Fold after fold, and a second time with other
# folds, until that is clear.
is_better <- function(frame, one, other, least = guard_least) {
  n <- length(frame$response)
  gain <- numeric()
  for (turn in seq_len(guard_repeats)) {
    fold <- with_seed(one$settings$seed + turn, sample(rep_len(seq_len(guard_folds), n)))
    for (k in seq_len(guard_folds)) {
      gain <- c(gain, gain_of_one(frame, one, other, fold == k))
      # 0 of folds that have no trees, which say nothing of the others
      z <- if (all(gain == 0)) 0 else mean(gain) / stats::sd(gain) * sqrt(min(length(gain), n))
      if (is.na(z) || abs(z) > guard_clear) return(isTRUE(z > 0))
    }
  }
  z > least
}

# By row held out the (weighted) squared error of `other` less that of `one`; but for rows that lack
# what no row of the other folds lacks.
gain_of_one <- function(frame, one, other, out) {
  held <- rows_of_frame(frame, out)
  others <- rows_of_frame(frame, !out)
  error <- function(tried) {
    settings <- settings_of_worker(tried$settings)
    settings$on_interrupt <- "error"
    fit <- new_gmt(refit_gmt(search_gmt(others, tried$roles, settings)), others, quote(gmt()))
    (values_of_rows(fit, held) - held$response)^2
  }
  gain <- error(other) - error(one)
  if (!is.null(held$weights)) gain <- gain * held$weights
  gain[!is.na(gain)]
}
