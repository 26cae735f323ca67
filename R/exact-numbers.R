# Regression trees: what the exact search of a numeric response has that one of classes has not.

# Settings that classes do not have; fits of earlier versions know nothing of them.
settle_classes <- function(settings) {
  if (is.null(settings$conformal)) settings$conformal <- 0
  if (settings$conformal == 0) return(settings)
  stop_unsupported("conformal", gettext(
    "'conformal' is for numeric responses: of classes predict() gives proportions"))
}

# Settings that numbers do not have. No part of the search could be taken over by a GPU: each
# threshold asks for sums of 64 bits over the rows in order, which the kernels there do not have.
settle_numbers <- function(settings) {
  if (is.null(settings$conformal)) settings$conformal <- 0
  if (startsWith(device_wanted(settings), "cuda")) {
    stop_unsupported("device", gettextf(
      "'device' is \"%s\", but searches for regression trees compute on the CPU alone; use \"cpu\"",
      settings$device))
  }
  replace(settings, "device", "cpu")
}

# By how much sums of squares of two trees may differ that the search takes for the same: responses
# are rounded to a grid of 2^22 steps or more on either side, and the root of a sum of squares
# changes by no more than the norm of all that was rounded off.
grid_slack <- function(frame) {
  y <- frame$response
  if (all(y == round(y)) && diff(range(y)) < 2^22) return(0)
  off <- diff(range(y)) / 2^23 * sqrt(sum(row_weights(frame)))
  4 * off * (sqrt(root_cost(frame)) + off)
}

# Said once a session: 0 and 1 are often classes that were coded as numbers.
tell_zero_one <- function(frame) {
  if (is_classes(frame) || isTRUE(process$told_zero_one)) return(invisible())
  if (!all(frame$response %in% 0:1)) return(invisible())
  process$told_zero_one <- TRUE
  text <- gettext(paste(
    "the response is a number that is 0 or 1, so this is a regression tree;",
    "for a classification tree give it as factor()"))
  message(structure(list(message = paste0(text, "\n"), call = user_call()),
                    class = c("contree_message", "message", "condition")))
}

# R squared and root mean square of the residuals of a sum of squares; `fit` has numbers.
number_figures <- function(fit, objective) {
  total <- node_errors(fit)[1]
  list(r.squared = if (total > 0) 1 - objective / total else 0,
       rmse = sqrt(objective / tree_weight(fit)))
}
