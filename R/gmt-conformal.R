# Intervals that do not rest on a distribution: predictions of trees that have not seen a row, and
# how far from it they were.

# What conformal intervals need, for the fit: `fits`, one a fold, without their rows; `fold` and
# `error` (without a sign) of each row.
#   fit_rows  a function of a frame that fits a tree to it
#   values    a function of a tree and a frame: what it predicts of its rows
learn_conformal <- function(frame, folds, seed, settings, fit_rows, values) {
  n <- length(frame$response)
  if (folds > n) {
    stop_input("conformal", gettextf("'conformal' is %d, but there are %d rows", folds, n))
  }
  fold <- with_seed(seed, sample(rep_len(seq_len(folds), n)))
  force(fit_rows)
  force(values)
  work <- function(k, tick) {
    fit <- fit_rows(rows_of_frame(frame, fold != k))
    list(fit = without_rows(fit), value = values(fit, rows_of_frame(frame, fold == k)))
  }
  results <- run_tasks(seq_len(folds), work, function(n) NULL)
  value <- numeric(n)
  for (k in seq_len(folds)) value[fold == k] <- results[[k]]$value
  error <- abs(frame$response - value)
  error[is.na(error)] <- Inf # no row of the other folds lacked what such a row lacks
  list(fits = lapply(results, `[[`, "fit"), fold = fold, error = error)
}

learn_gmt_conformal <- function(frame, roles, settings) {
  folds <- settings$conformal
  settings <- settings_of_worker(settings)
  settings$search$certify <- 0
  learn_conformal(with_weight(frame), folds, settings$seed, settings, function(rows) {
    fit_roles(rows, roles, settings, quote(gmt()))
  }, values_of_rows)
}

# Conformal intervals of contree(), whose trees have constant leaves.
learn_tree_conformal <- function(frame, settings) {
  folds <- settings$conformal
  settings <- settings_of_worker(settings)
  settings[c("conformal", "certificate")] <- 0
  settings["start"] <- list(NULL) # it may know the rows that are held out
  learn_conformal(with_weight(frame), folds, settings$seed, settings, function(rows) {
    fit_quietly(rows, settings[c("depth", "complexity")], settings, quote(contree()))
  }, function(fit, rows) constant_values(fit, rows$columns))
}

constant_values <- function(fit, columns) fit$frame$yval[route(fit, columns)]

# The setting `conformal` is a number of folds.
check_conformal <- function(folds) {
  if (folds == 1) stop_input("conformal", gettext("'conformal' must be 0, or at least 2"))
  folds
}

# Without what is not needed to predict.
without_rows <- function(fit) {
  fit[c("where", "y", "weights", "offset", "fitted.values", "model", "weightless", "history",
        "search")] <- NULL
  if (!is.null(fit$gmt)) fit$gmt[c("unscaled", "history")] <- NULL
  fit
}

# The predictions of rows of a frame, with their offset.
values_of_rows <- function(fit, frame) {
  value <- gmt_values(fit, frame$columns, route(fit, frame$columns), extrapolate = FALSE)
  value + if (is.null(frame$offset)) 0 else frame$offset
}

# `value`: predictions; `predict_rows`: a function of a tree, what it predicts of the same rows.
# Every fold's tree predicts every row; a bound is a quantile, over the training rows, of the
# prediction of the tree that has not seen the row less or plus its error.
conformal_limits <- function(fit, value, predict_rows, level) {
  found <- fit$conformal
  if (is.null(found)) {
    stop_input("interval", gettext(
      "the fit has no folds for conformal intervals; fit it with conformal = 10"))
  }
  each <- vapply(found$fits, function(of_fold) as.double(predict_rows(of_fold)),
                 numeric(length(value)))
  each <- matrix(each, length(value))
  n <- length(found$fold)
  # as many as (n + 1) (1 - level) on either side, but for rounding
  beyond <- floor((1 - level) * (n + 1) + 1e-9)
  limits <- vapply(seq_along(value), function(row) {
    if (beyond < 1) return(c(-Inf, Inf))
    if (is.na(value[row])) return(c(NA, NA))
    centre <- each[row, found$fold]
    error <- replace(found$error, is.na(centre), Inf) # trees that cannot predict the row
    centre[is.na(centre)] <- value[row]
    c(sort(centre - error)[beyond], sort(centre + error)[n + 1 - beyond])
  }, numeric(2))
  cbind(fit = value, lwr = limits[1, ], upr = limits[2, ])
}

# An expression with R's generator at a seed; the generator is left as it was.
with_seed <- function(seed, expression) {
  if (is.null(seed)) return(expression)
  kept <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(kept)) rm(".Random.seed", envir = globalenv())
          else assign(".Random.seed", kept, globalenv()))
  set.seed(as.integer(seed %% .Machine$integer.max), "Mersenne-Twister", "Inversion", "Rejection")
  expression
}

# The settings of one fit among many, whose progress is not reported.
settings_of_worker <- function(settings) {
  settings$verbose <- FALSE
  settings["progress"] <- list(NULL)
  worker_settings(settings)
}
