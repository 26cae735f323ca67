# Which predictors a model tree needs.

#' Importance of the predictors of a model tree
#'
#' Without `data`, what the splits on each predictor and its place in the models save of the sum of
#' squared residuals of the training rows; with `data`, how much of the explained variance is lost
#' when the values of one column are shuffled.
#'
#' @section Without data:
#' `splits` is, for each split on the predictor, the deviance of the node's own model less that of
#' its children's, summed. `models` is by how much the deviances of the leaves would grow if the
#' predictor (all coefficients of a factor together) were left out of their models and these fitted
#' anew: that is the sum of the F statistics of `drop1()` times numerator degrees of freedom and
#' residual variance. Both are in squared units of the response. Models that share the explanation
#' of a response among correlated regressors count little for each.
#' @param fit A fit of [gmt()].
#' @param data Rows with the columns the tree was fitted with and the response.
#' @param repeats How often to shuffle each column.
#' @param y The response of `data`, where the fit has no formula.
#' @param ... Not used.
#' @return A data frame of class `contree_importance`, the most important first: `variable`,
#'   `splits` and `models`; or with `data` `variable`, `drop` (mean loss of R squared) and `se` (see
#'   [contree_importance()]), with R squared of the rows as they are as the attribute `accuracy`.
#' @section Errors:
#' `contree_input_error` for `data` without the response, or with missing responses.
#' @seealso [contree_importance()]
#' @examples
#' fit <- gmt(mpg ~ wt + hp | hp + cyl, mtcars, seed = 1)
#' contree_importance(fit)
#' set.seed(1)
#' contree_importance(fit, mtcars)
#' @export
contree_importance.gmt <- function(fit, data = NULL, repeats = 10, y = NULL, ...) {
  check_no_dots(...)
  check_fit(fit)
  if (is.null(data) && is.null(y)) return(saved_importance(fit))
  check_repeats(repeats)
  truth <- true_numbers(fit, data, y)
  r2 <- function(rows) {
    value <- suppressWarnings(stats::predict(fit, rows), classes = "contree_new_levels")
    1 - sum((truth - value)^2) / sum((truth - mean(truth))^2)
  }
  before <- r2(data)
  columns <- tree_shape(fit)$inputs
  drops <- matrix(0, repeats, length(columns), dimnames = list(NULL, columns))
  for (column in used_inputs(fit)) {
    for (i in seq_len(repeats)) drops[i, column] <- before - r2(shuffle(data, column))
  }
  structure(new_importance(drops, before), measure = "R squared")
}

# The response of new rows.
true_numbers <- function(fit, data, y) {
  if (is.null(y) && !is.null(tree_terms(fit))) {
    y <- tryCatch(eval(attr(tree_terms(fit), "variables")[[2]], data,
                       environment(tree_terms(fit))), error = function(problem) NULL)
  }
  if (!is.numeric(y) || length(y) != NROW(data) || !all(is.finite(y))) {
    stop_input("y", gettextf("the response must be one finite number for each of %d rows, not %s",
                             NROW(data), show_value(y)))
  }
  y
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
