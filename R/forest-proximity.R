# How close rows are for a forest: how often they share a leaf.

#' Proximity of rows
#'
#' The proportion of the trees in which two rows are in the same leaf (Breiman 2001): a measure of
#' similarity that depends on what matters for the response, for clustering, outlier detection and
#' scaling.
#'
#' @param fit A fit of [hist_forest()].
#' @param newdata Data frame or matrix with the predictors, as in [predict.hist_forest()].
#' @param reference Rows to compare with, in the same form as `newdata`; `NULL`, the default,
#'   compares the rows of `newdata` with each other.
#' @param threads As in [contree_control()].
#' @return A matrix of numbers from 0 to 1 with a row for each row of `newdata` and a column for
#'   each row of `reference`. It takes 8 bytes for each pair.
#' @section Errors:
#' As for [predict.hist_forest()].
#' @references L. Breiman (2001). Random forests. *Machine Learning* 45(1), 5-32.
#' \doi{10.1023/A:1010933404324}.
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 100, seed = 1)
#' near <- forest_proximity(fit, iris[c(1, 71, 84, 101), ])
#' near
#'
#' # scaled to two dimensions
#' near <- forest_proximity(fit, iris)
#' place <- cmdscale(1 - near)
#' plot(place, col = iris$Species, xlab = "", ylab = "")
#' @export
forest_proximity <- function(fit, newdata, reference = NULL, threads = NULL) {
  check_forest(fit)
  leaves <- stats::predict(fit, newdata, type = "leaf", threads = threads)
  others <- if (is.null(reference)) leaves else {
    stats::predict(fit, reference, type = "leaf", threads = threads)
  }
  shared <- matrix(0L, nrow(leaves), nrow(others),
                   dimnames = list(rownames(leaves), rownames(others)))
  for (tree in seq_len(ncol(leaves))) {
    shared <- shared + outer(leaves[, tree], others[, tree], "==")
  }
  shared / ncol(leaves)
}
