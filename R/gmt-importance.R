# Which predictors a model tree needs.

#' Variable importance of a model tree
#'
#' Without `data`, the decrease of the sum of squared residuals of the training rows by the splits
#' on each predictor and by its terms in the models; with `data`, permutation importance: the loss
#' of R squared when the values of a column are permuted.
#'
#' @section Without data:
#' `splits` is the deviance of a node's own model less that of its children's models, summed over
#' the splits on the predictor. `models` is the increase of the deviances of the leaves if the
#' predictor (all coefficients of a factor together) is removed from their models and these are
#' refitted: the sum over leaves of the F statistic of `drop1()` times its numerator degrees of
#' freedom and the residual variance. Both are in squared units of the response. If correlated
#' regressors share the explanation of the response, `models` is small for each of them.
#' @param fit A fit of [gmt()].
#' @param data Data frame of rows with the columns that the tree was fitted with and the response;
#'   `NULL`, the default, uses the training rows as described above.
#' @param repeats How often to permute each column, a whole number of at least 1; 10 by default.
#' @param y The response of `data`, a numeric vector, if the fit has no formula; `NULL` by default.
#' @param ... Not used.
#' @return A data frame of class `contree_importance`, the most important first: `variable`,
#'   `splits` and `models`; or, with `data`, `variable`, `drop` (mean loss of R squared) and `se`
#'   (see [contree_importance()]), with R squared without permutation as the attribute `accuracy`.
#' @section Errors:
#' `contree_input_error` for `data` without the response, or with missing responses.
#' @seealso [contree_importance()]
#' @examples
#' fit <- gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1)
#' contree_importance(fit)
#' set.seed(1)
#' contree_importance(fit, CO2)
#' @export
contree_importance.gmt <- function(fit, data = NULL, repeats = 10, y = NULL, ...) {
  importance_of(fit, data, repeats, y, ..., without = saved_importance)
}

saved_importance <- function(fit) {
  models <- saved_by_models(fit)
  splits <- tree_importance(fit)
  names <- union(names(splits), names(models)[models > 0])
  table <- data.frame(variable = names, splits = unname(splits[names]),
                      models = unname(models[names]))
  table[is.na(table)] <- 0
  table <- table[order(-(table$splits + table$models)), ]
  row.names(table) <- NULL
  structure(table, class = c("contree_importance", "data.frame"))
}

# By how much the deviance of the leaves grows without each regressor: b' V^-1 b, where V is the
# part of the covariances (without sigma^2) of its coefficients b.
saved_by_models <- function(fit) {
  part <- c(0, design_parts(fit$gmt$design))
  each <- vapply(which(node_is_leaf(fit)), function(leaf) {
    b <- fit$gmt$coefficients[leaf, ]
    vapply(seq_along(fit$gmt$design), function(k) {
      used <- which(part == k & !fit$gmt$aliased[leaf, ])
      if (length(used) == 0) return(0)
      sum(b[used] * solve(fit$gmt$unscaled[used, used, leaf], b[used], tol = 0))
    }, 0)
  }, numeric(length(fit$gmt$design)))
  sums <- rowSums(matrix(each, length(fit$gmt$design)))
  stats::setNames(sums, fit$gmt$regressors)
}
