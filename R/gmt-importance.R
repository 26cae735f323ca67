# Which predictors a model tree needs.

#' @rdname contree_importance
#' @section Model trees:
#' Without `data` the table has `splits` and `models`, in squared units of the response. `splits` is
#' the deviance of a node's own model less that of its children's models, summed over the splits on
#' the predictor. `models` is the increase of the deviances of the leaves if the predictor (all
#' coefficients of a factor together) is removed from their models and these are refitted: the sum
#' over leaves of the F statistic of `drop1()` times its numerator degrees of freedom and the
#' residual variance. If correlated regressors share the explanation of the response, `models` is
#' small for each of them.
#' @section Errors:
#' As for [contree_accuracy()]; of an imported forest also `contree_input_error` if `y` has a label
#' that is not a class of the model. From `forest_p_values()` `contree_input_error` for a forest
#' without importance, or, for `"janitza"`, with that by impurity alone or without a value below 0;
#' `contree_unsupported_error` for `"altmann"` with sampling weights, which could not be told apart
#' from those of classes, or with `inbag`.
#' @export
contree_importance.gmt <- function(fit, data = NULL, repeats = 10, y = NULL,
                                   measure = c("permutation", "shap"), seed = NULL, ...) {
  importance_of(fit, data, repeats, y, measure, seed, ..., without = saved_importance)
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
