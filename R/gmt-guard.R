# A tree of few rows must be better than the linear model of all of them, by cross-validation.

guard_rows_max <- 2000
guard_gain_clear <- 0.5 # of log(SSE) + penalties: no search of noise gains as much
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
  root <- search_gmt(frame, roles, with_leaves(settings, 1))
  if (root$solved$bic - searched$solved$bic > guard_gain_clear * n ||
      is_better(searched$frame, roles, settings)) {
    return(searched)
  }
  root$settings <- searched$settings
  root
}

with_leaves <- function(settings, leaves) {
  settings$search$leaves_max <- leaves
  settings
}

# Do trees have the lower squared error of rows that they were not fitted to? A second time with
# other folds unless the first is clear.
is_better <- function(frame, roles, settings) {
  settings <- settings_of_worker(settings)
  settings$on_interrupt <- "error"
  weights <- if (is.null(frame$weights)) 1 else frame$weights
  gain <- numeric(length(frame$response))
  for (turn in seq_len(guard_repeats)) {
    gain <- gain + weights * gain_of_trees(frame, roles, settings, turn)
    if (abs(mean(gain)) > 2 * stats::sd(gain) / sqrt(length(gain))) break
  }
  mean(gain) > stats::sd(gain) / sqrt(length(gain))
}

# By row the squared error of the linear model less that of the tree.
gain_of_trees <- function(frame, roles, settings, turn) {
  n <- length(frame$response)
  fold <- with_seed(settings$seed + turn, sample(rep_len(seq_len(guard_folds), n)))
  gain <- numeric(n)
  for (k in seq_len(guard_folds)) {
    held <- rows_of_frame(frame, fold == k)
    error <- function(settings) {
      fitted <- new_gmt(refit_gmt(search_gmt(rows_of_frame(frame, fold != k), roles, settings)),
                        rows_of_frame(frame, fold != k), quote(gmt()))
      (values_of_rows(fitted, held) - held$response)^2
    }
    gain[fold == k] <- error(with_leaves(settings, 1)) - error(settings)
  }
  gain
}
