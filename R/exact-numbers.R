# Regression trees: what the exact search of a numeric response has that one of classes has not.

# Settings that classes do not have.
settle_classes <- function(settings) {
  if (settings$conformal == 0) return(settings)
  stop_unsupported("conformal", gettext(
    "'conformal' is for numeric responses; for classes predict() returns probabilities"))
}

# Settings that numbers do not have. No part of the search could be taken over by a GPU: each
# threshold asks for sums of 64 bits over the rows in order, which the kernels there do not have.
settle_numbers <- function(settings) {
  if (startsWith(device_wanted(settings), "cuda")) {
    stop_unsupported("device", gettextf(
      "'device' is \"%s\", but searches for regression trees run on the CPU only; use \"cpu\"",
      settings$device))
  }
  replace(settings, "device", "cpu")
}

# Said once a session: 0 and 1 are often classes that were coded as numbers.
tell_zero_one <- function(frame) {
  if (is_classes(frame) || isTRUE(process$told_zero_one)) return(invisible())
  if (!all(frame$response %in% 0:1)) return(invisible())
  process$told_zero_one <- TRUE
  tell_contree(gettext(paste(
    "the response is a number that is 0 or 1, so this is regression; for classification give it",
    "as factor()")))
}

# R squared and root mean square of the residuals of a sum of squares; `fit` has numbers.
number_figures <- function(fit, objective) {
  total <- node_errors(fit)[1]
  list(r.squared = if (total > 0) 1 - objective / total else 0,
       rmse = sqrt(objective / tree_weight(fit)))
}
