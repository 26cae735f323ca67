# tidy(), glance(), augment(): a tree in data frames, by the conventions of the package generics.

#' Tidy summaries of trees and forests
#'
#' Methods for the generic functions of the package `generics` (re-exported by `broom` and
#' `tidymodels`): `tidy()` describes the nodes of a tree, or the importance of the predictors of a
#' forest, `glance()` the whole fit, and `augment()` adds predictions to data. The results of
#' [contree_importance()], [contree_accuracy()], [partial_dependence()], [contree_cv()],
#' [contree_path()] and [contree_rules()] have `tidy()` as well, and `autoplot()` of ggplot2 where
#' they have a `plot()`.
#'
#' @order 1
#' @param x,object A fit of [contree()], [gmt()] or [hist_forest()]; for `tidy()` and `autoplot()`
#'   also the results named above, and for `tidy()` a [contree_set()] or [contree_best()].
#' @param data Data frame to add the predictions to; by default (`NULL`) the training rows, as
#'   [model.frame()] finds them. Training rows of a forest get out-of-bag predictions: those of the
#'   trees that were not grown from the row.
#' @param newdata Data frame of new rows to use instead of `data`; `NULL` by default. They get the
#'   predictions of all trees.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param what For `autoplot()` of a forest: `"error"` (the default), `"importance"` or
#'   `"survival"`, as in [plot()][plot.hist_forest].
#' @param times,groups For `what = "survival"`, as in [plot()][plot.hist_forest], and so are then
#'   `data` and `newdata`.
#' @param ... Not used.
#' @return `tidy()`: for a tree a data frame with one row for each node, as
#'   [as.data.frame.contree()] gives, and `rule`, the conditions that lead to it; for a forest one
#'   row for each predictor, the most important first: `variable`, `impurity`, and `permutation` if
#'   the forest has it; for a set of trees the predictors as in [summary.contree_set()], of
#'   [contree_best()] one row with its elements except the tree; for other
#'   results their table, of [contree_accuracy()] a row for each figure, `metric` and `estimate`.
#'
#'   `glance()`: a data frame of one row. Of a fit of [contree()]: `nobs`, `depth`, `leaves`,
#'   `accuracy` (on the training rows; for a regression tree `deviance`, `r.squared` and `rmse`),
#'   `objective`, `cost`, `bound`, `gap`, `status` and `elapsed`, see [contree.object]. Of [gmt()]:
#'   `nobs`, `depth`, `leaves`, `deviance`, `r.squared`, `sigma`, `df` (number of coefficients and
#'   splits), `logLik`, `AIC`, `BIC`, `df.residual`, `certified`, `status` and `elapsed`. Of
#'   [hist_forest()]: `type`, `nobs`, `trees`, `mtry`, `min_n`, `leaves` and `depth` (means over the
#'   trees), the out-of-bag errors (`oob_error` and `oob_brier`, or `oob_error` and
#'   `oob_r_squared`), `status` and `elapsed`.
#'
#'   `augment()`: the data with the columns `.pred_class` (factor) and one column `.pred_` for each
#'   class, as in parsnip, or `.pred` (numeric response), and for a tree `.node`, the number of the
#'   leaf.
#' @section Further generics:
#' Fits of [contree()], [gmt()] and [hist_forest()] have methods for `model_info()` and `get_data()`
#' of the package `insight`, whose functions that find responses, predictors and the like then work
#' as for other models. Its `get_predicted()` is made for linear predictors; use `predict()`. There
#' are no methods for `marginaleffects`: its standard errors come from those of coefficients, which
#' trees do not have, and slopes of trees are 0 almost everywhere. [partial_dependence()] shows how
#' predictions change between any two values.
#' @section Errors:
#' `contree_input_error`: `tidy()` of a forest without importance; `augment()` of training rows
#' without out-of-bag predictions, or of data that are not the training rows.
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' generics::tidy(fit)[c("node", "rule", "n", "class")]
#' generics::glance(fit)
#' head(generics::augment(fit, newdata = iris), 3)
#' forest <- hist_forest(Species ~ ., iris, trees = 50, seed = 1)
#' generics::tidy(forest)
#' generics::glance(forest)
#' head(generics::augment(forest), 3)
#' generics::tidy(contree_accuracy(fit, iris))
#' @name tidy.contree
NULL

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_model <- function(x, ...) {
  check_no_dots(...)
  data.frame(as.data.frame(x), rule = leaf_rules(x, getOption("digits")), check.names = FALSE)
}

#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.contree_model <- function(x, ...) {
  check_no_dots(...)
  check_fit(x, "x")
  figures <- training_figures(x)
  size <- data.frame(nobs = node_n(x)[1], depth = max(node_depth(x)), leaves = sum(node_is_leaf(x)),
                     figures[names(figures) %in% c("accuracy", "deviance", "r.squared",
                                                 if (has_proof(x)) "rmse")])
  if (!has_proof(x)) return(size)
  data.frame(size, tree_proof(x)[c("objective", "cost", "bound", "gap", "status", "elapsed")])
}

# What glance() of lm() has, as far as it is one of the tree, and its size.
#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.gmt <- function(x, ...) {
  size <- glance.contree_model(x, ...)
  log_lik <- stats::logLik(x)
  data.frame(size, sigma = sqrt(stats::deviance(x) / stats::df.residual(x)),
             df = attr(log_lik, "df") - 1, logLik = as.numeric(log_lik), AIC = stats::AIC(x),
             BIC = stats::BIC(x), df.residual = stats::df.residual(x),
             x$gmt[c("certified", "status", "elapsed")])
}

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.contree_model <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  check_fit(x, "x")
  if (is.null(newdata)) newdata <- if (is.null(data)) stats::model.frame(x) else data
  added <- if (predicts_classes(x)) augment_classes(x, newdata) else augment_numbers(x, newdata)
  added$.node <- unname(stats::predict(x, newdata, type = "node"))
  newdata[names(added)] <- added
  newdata
}

augment_classes <- function(fit, newdata) {
  proportions <- as.data.frame(stats::predict(fit, newdata, type = "prob"))
  names(proportions) <- paste0(".pred_", tree_classes(fit))
  data.frame(.pred_class = unname(stats::predict(fit, newdata)), proportions, check.names = FALSE)
}

augment_numbers <- function(fit, newdata) {
  numbers <- as.data.frame(stats::predict(fit, newdata), optional = TRUE)
  stats::setNames(numbers,
                  if (tree_leaf(fit) == "numbers") paste0(".pred_", names(numbers)) else ".pred")
}

# ---- forests -------------------------------------------------------------------------------------

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.hist_forest <- function(x, ...) {
  check_no_dots(...)
  if (is.null(x$importance)) {
    stop_input("x", gettext("the forest was grown with importance = \"none\""))
  }
  order <- match(names(forest_named_importance(x)), x$importance$variable)
  data.frame(x$importance[order, ], row.names = NULL)
}

#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.hist_forest <- function(x, ...) {
  check_no_dots(...)
  errors <- x$oob[intersect(c("error", "brier", "r_squared"), names(x$oob))]
  if (length(errors)) names(errors) <- paste0("oob_", names(errors))
  data.frame(c(list(type = x$type, nobs = x$n, trees = length(x$forest$number),
                    mtry = x$control$mtry, min_n = x$control$min_n,
                    leaves = mean((x$forest$n_nodes + 1) / 2), depth = mean(x$forest$depth)),
               errors, x[c("status", "elapsed")]))
}

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.hist_forest <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  if (is.null(newdata)) {
    if (is.null(data)) data <- evaluated_data(x, parent.frame())
    check_table("data", data)
    rows <- x$n + length(x$na.action)
    if (nrow(data) != rows) {
      stop_input("data", gettextf("'data' has %d rows, but the forest was grown from %d",
                                  nrow(data), rows))
    }
    # rows that were left out of the growing have no prediction
    if (!is.null(x$na.action)) class(x$na.action) <- "exclude"
    told <- function(type) stats::predict(x, type = type)
    to <- data
  } else {
    told <- function(type) stats::predict(x, newdata, type = type)
    to <- check_table("newdata", newdata)
  }
  to <- as.data.frame(to)
  added <- if (x$type != "classification") list(.pred = unname(told("response"))) else {
    proportions <- as.data.frame(told("prob"))
    names(proportions) <- paste0(".pred_", x$classes)
    data.frame(.pred_class = unname(told("class")), proportions, check.names = FALSE)
  }
  to[names(added)] <- added
  to
}
