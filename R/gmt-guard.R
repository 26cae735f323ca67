# A tree of few rows must be better than the linear model of all of them, by cross-validation.

guard_rows_max <- 2000
guard_clear <- 3 # standard errors beyond which no more folds are needed
guard_least <- 1 # standard errors by which the tree must be better
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
  if (length(searched$solved$feature) == 1 || !is_guarded(settings, n) || n < 2 * guard_folds) {
    return(searched)
  }
  if (is_better(searched$frame, roles, settings)) return(searched)
  root <- search_gmt(frame, roles, with_one_leaf(settings))
  root$settings <- searched$settings
  root
}

with_one_leaf <- function(settings) {
  settings$search$max_leaves <- 1
  settings
}

# Do trees have the lower squared error of rows that they were not fitted to? Fold after fold, and a
# second time with other folds, until that is clear.
is_better <- function(frame, roles, settings) {
  settings <- settings_of_worker(settings)
  settings$on_interrupt <- "error"
  n <- length(frame$response)
  gain <- numeric()
  for (turn in seq_len(guard_repeats)) {
    fold <- with_seed(settings$seed + turn, sample(rep_len(seq_len(guard_folds), n)))
    for (k in seq_len(guard_folds)) {
      gain <- c(gain, gain_of_tree(frame, roles, settings, fold == k))
      # 0 of folds that have no trees, which say nothing of the others
      z <- if (all(gain == 0)) 0 else mean(gain) / stats::sd(gain) * sqrt(min(length(gain), n))
      if (is.na(z) || abs(z) > guard_clear) return(isTRUE(z > 0))
    }
  }
  z > guard_least
}

# By row held out the (weighted) squared error of the linear model less that of the tree; but for
# rows that lack what no row of the other folds lacks.
gain_of_tree <- function(frame, roles, settings, out) {
  held <- rows_of_frame(frame, out)
  others <- rows_of_frame(frame, !out)
  error <- function(settings) {
    fit <- new_gmt(refit_gmt(search_gmt(others, roles, settings)), others, quote(gmt()))
    (values_of_rows(fit, held) - held$response)^2
  }
  gain <- error(with_one_leaf(settings)) - error(settings)
  if (!is.null(held$weights)) gain <- gain * held$weights
  gain[!is.na(gain)]
}
