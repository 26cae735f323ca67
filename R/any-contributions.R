# contributions(): what each feature adds to the predictions of rows, for models of every kind.

#' Contributions of features to predictions (SHAP)
#'
#' Shapley values of the predictions of rows, as TreeSHAP defines them, for trees, forests and
#' imported models: by how much each feature moves the prediction of a row away from that of a row
#' of which nothing is known. See [predict.forged_forest()] for what they are exactly. With a
#' `background` a feature that is not known has the value of a row of the background (interventional
#' values).
#'
#' @param fit A fit of [contree()] or [hist_forest()], or a result of [import_forest()] or
#'   [forge()].
#' @param data Data frame or matrix of the rows, with the predictors.
#' @param scale `"margin"` (the default): contributions add up to the margins, before the link;
#'   these are the predictions themselves unless the model has a link, as models of XGBoost have for
#'   classes. `"prob"`: they add up to the probabilities of the classes, see the section on
#'   probabilities.
#' @param background Rows to compare with, a data frame or matrix of at least one row with the
#'   predictors, for interventional values; `NULL`, the default, for values by the training rows of
#'   the trees' nodes. See the section on backgrounds.
#' @param interactions Also compute how pairs of features act together (SHAP interaction values)?
#'   `FALSE` by default. For the scale of margins.
#' @param threads As in [contree_control()].
#' @param x,object A value of `contributions()`.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @param what `"beeswarm"` (the default): a point for each row and feature, the most important
#'   features first; `"importance"`: bars of the mean absolute contribution; `"waterfall"`: how the
#'   prediction of one `row` comes about; `"dependence"`: the contribution of one `variable` against
#'   its value; `"interactions"`: how much pairs of features add together, the mean size over the
#'   rows, and, on the diagonal, what each adds by itself (with `interactions = TRUE`).
#' @param row For `"waterfall"`: number of the row, 1 by default.
#' @param variable For `"dependence"`: name of a feature; `NULL`, the default, for the most
#'   important one.
#' @param output Name or number of the output to plot, where there are several; by default (`NULL`)
#'   the last.
#' @param n Number of features to show at most, a whole number; 10 by default.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param X_pred,X For `shapviz()`: the rows, and the values to show for them, by default the same.
#' @param ... For `contributions()` not used; for `shapviz()` arguments of that package's method for
#'   matrices.
#' @return An object of class `contree_contributions`, a list of `values`, a matrix with a row for
#'   each row of `data` and a column for each feature (or an array with a third dimension for each
#'   output); `base`, a number for each output, to which the values of a row are added;
#'   `prediction`, a matrix of the sums, a column for each output; `data`, the rows as a data frame;
#'   `scale`; `n_background`, the number of rows of the background, or 0; and, with `interactions`,
#'   an array `interactions` of rows, features and features (and outputs). It is symmetric; sums
#'   over the third dimension are `values`, and the diagonal has what a feature adds by itself.
#'
#'   `tidy()` of the package generics, and `as.data.frame()`: a data frame with a row for each row
#'   and feature (and output): `row`, `output`, `variable`, `value` (as text), `contribution`.
#'   `plot()` returns a data frame of what is drawn, invisibly; `autoplot()` of ggplot2 draws the
#'   same. `shapviz()` of the package shapviz makes objects of its own, of these values or of a fit.
#' @section Backgrounds:
#' By default a tree that does not know a feature goes both ways, in the proportions of the training
#' rows, so that features that a tree does not ask for may have a share by what they say of others.
#' With a `background` the value of a set of known features is the mean prediction of rows that have
#' these of the row, and all others of a row of the background, in turn: what a change of the
#' features would do. The values are exact but for rounding, and are not estimated from samples;
#' `base` is the mean prediction of the background. Numbers of training rows need not be known.
#'
#' The background is walked down each tree once, counting which tests of each path its rows meet;
#' then each row looks its values up (as WOODELF does), so that the time is that of rows plus
#' background, not of their product. Where a path has more than 12 features, or a tree's tables
#' would take more than 32 MB, the time is that of each row with each row of the background: keep
#' the latter to some hundreds for deep forests. With `interactions` the tables have a column for
#' each pair of features of a path, and take three to six times as long.
#' @section Probabilities:
#' With `scale = "prob"` and a logistic or softmax link the difference between the probability and
#' that of a row of which nothing is known is shared by the Aumann-Shapley rule: along the straight
#' line from one margin to the other, each feature has what its part of the margins adds to the
#' probability. For one margin this is proportional to its contributions; for several it is an
#' integral, computed to about 1e-10. Forests and trees of classes have no link.
#' @section Errors:
#' `contree_unsupported_error` for model trees, whose linear models have no such values
#' (`predict(fit, data, type = "terms")` has the terms of the models), for models that do not state
#' the numbers of their training rows, and for `scale = "prob"` of a model without classes.
#' @references S. M. Lundberg et al. (2020). From local explanations to global understanding with
#' explainable AI for trees. *Nature Machine Intelligence* 2, 56-67.
#' \doi{10.1038/s42256-019-0138-9}.
#'
#' A. Nadel, R. Wettenstein (2026). From decision trees to Boolean logic: a fast and unified SHAP
#' algorithm. *AAAI Conference on Artificial Intelligence*, for tables of patterns.
#'
#' R. Aumann, L. Shapley (1974). *Values of Non-Atomic Games*. Princeton University Press.
#' @seealso [contree_importance()] with `measure = "shap"`, [partial_dependence()]
#' @examples
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 50, seed = 1)
#' shap <- contributions(fit, mtcars)
#' shap
#' plot(shap)
#' plot(shap, what = "waterfall", row = 3)
#' plot(shap, what = "dependence", variable = "wt")
#' pairs <- contributions(fit, mtcars, interactions = TRUE)
#' plot(pairs, what = "interactions", n = 4)
#' # what sets cars apart from those with eight cylinders
#' contributions(fit, mtcars, background = mtcars[mtcars$cyl == 8, ])
#'
#' flowers <- contributions(contree(Species ~ ., iris, depth = 2), iris)
#' plot(flowers, what = "importance", output = "virginica")
#' @export
contributions <- function(fit, data, scale = c("margin", "prob"), background = NULL,
                          interactions = FALSE, threads = NULL) {
  scale <- check_choice("scale", scale)
  if (inherits(fit, "contree_cv")) fit <- fit$fit
  if (inherits(fit, "gmt")) {
    stop_unsupported("fit", gettext(paste(
      "contributions of linear models of leaves are not defined by TreeSHAP;",
      "predict(fit, data, type = \"terms\") has the terms of the models")))
  }
  if (!inherits(fit, c("forged_forest", "forest_ir"))) any_model(fit)
  forged <- if (inherits(fit, "forged_forest")) fit else forge(fit)
  forest <- forged$forest
  all <- if (is.null(background)) {
    stats::predict(forged, data, type = "contributions", threads = threads)
  } else {
    contributions_of(forged, forest_columns_of(forest, data),
                     if (is.null(threads)) forged$threads else check_threads("threads", threads),
                     background = background)
  }
  if (scale == "prob" && is.null(forest$classes)) {
    stop_unsupported("scale", gettext(
      "scale = \"prob\" is for models of classes, but the model predicts numbers"))
  }
  found <- new_contributions(on_scale(all, forest, scale), forest, data, scale)
  if (check_flag("interactions", interactions)) {
    if (scale == "prob") {
      stop_unsupported("interactions", gettext(
        "interactions are of margins; leave out scale = \"prob\""))
    }
    found$interactions <- interactions_of(forged, data, found$values, threads, background)
  }
  found$n_background <- if (is.null(background)) 0L else nrow(background)
  found
}

# `all`: as predict() gives them, made three-dimensional.
on_scale <- function(all, forest, scale) {
  names <- dimnames(all)
  outputs <- if (length(dim(all)) == 3) names[[3]]
  all <- array(all, c(dim(all), 1)[1:3], list(names[[1]], names[[2]], outputs))
  if (scale == "margin" || !forest$link %in% c("logistic", "softmax")) return(all)
  if (dim(all)[3] > 1 && forest$link == "softmax") return(on_softmax(all, forest_slope(forest)))
  if (forest$link == "softmax") {
    stop_unsupported("scale", gettext("the model has a softmax of a single margin"))
  }
  for (k in seq_len(dim(all)[3])) all[, , k] <- on_logistic(all[, , k], forest_slope(forest))
  all
}

# In proportion to the shares of the margin: the last column is that of a row of which nothing is
# known.
on_logistic <- function(all, slope) {
  all <- matrix(all, ncol = NCOL(all), nrow = if (is.matrix(all)) nrow(all) else 1)
  base <- ncol(all)
  margin <- rowSums(all)
  p <- stats::plogis(slope * margin)
  before <- stats::plogis(slope * all[, base])
  way <- margin - all[, base]
  rate <- ifelse(abs(way) > 1e-8, (p - before) / way, slope * p * (1 - p))
  all[, -base] <- all[, -base] * rate
  all[, base] <- before
  all
}

# Gauss and Legendre's points and weights between 0 and 1.
legendre <- function(n) {
  k <- seq_len(n - 1)
  off <- k / sqrt(4 * k^2 - 1)
  tridiagonal <- diag(0, n)
  tridiagonal[cbind(k, k + 1)] <- tridiagonal[cbind(k + 1, k)] <- off
  own <- eigen(tridiagonal, symmetric = TRUE)
  list(at = (own$values + 1) / 2, weight = own$vectors[1, ]^2)
}

on_softmax <- function(all, slope) {
  p <- dim(all)[2]
  base <- matrix(all[, p, ], dim(all)[1])
  way <- apply(all[, -p, , drop = FALSE], c(1, 3), sum)
  way <- matrix(way, dim(all)[1])
  points <- legendre(40)
  out <- array(0, dim(all), dimnames(all))
  for (i in seq_along(points$at)) {
    q <- linked(base + points$at[i] * way, "softmax", slope)
    mean <- 0
    for (l in seq_len(ncol(q))) mean <- mean + q[, l] * all[, -p, l]
    for (k in seq_len(ncol(q))) {
      out[, -p, k] <- out[, -p, k] + points$weight[i] * slope * q[, k] * (all[, -p, k] - mean)
    }
  }
  out[, p, ] <- linked(base, "softmax", slope)
  out
}

new_contributions <- function(all, forest, data, scale) {
  p <- dim(all)[2]
  base <- if (dim(all)[1]) all[1, p, ] else rep(NA_real_, dim(all)[3])
  values <- all[, -p, , drop = FALSE]
  # of probabilities of two classes with one margin the second
  if (is.null(dimnames(all)[[3]]) && length(forest$classes) == 2) {
    dimnames(values)[[3]] <- forest$classes[2]
  }
  prediction <- apply(all, c(1, 3), sum)
  prediction <- matrix(prediction, dim(all)[1], dimnames = list(dimnames(all)[[1]],
                                                                dimnames(values)[[3]]))
  if (dim(values)[3] == 1) values <- matrix(values, dim(all)[1], p - 1,
                                            dimnames = dimnames(values)[1:2])
  structure(list(values = values, base = unname(base), prediction = prediction,
                 data = as.data.frame(data), scale = scale),
            class = "contree_contributions")
}

# A matrix of one output: a row a row, a column a feature.
values_of_output <- function(x, output) {
  n <- ncol(x$prediction)
  names <- colnames(x$prediction)
  at <- if (is.null(output)) n else if (is.character(output)) match(output, names)
        else if (is.numeric(output)) output
  if (length(at) != 1 || !(at %in% seq_len(n))) {
    stop_input("output", gettextf("'output' must be %s, not %s", if (is.null(names)) {
      gettextf("a number from 1 to %d", n)
    } else {
      gettextf("one of %s, or a number", show_names(names))
    }, show_value(output)))
  }
  values <- if (n == 1) x$values else matrix(x$values[, , at], nrow(x$prediction),
                                             dimnames = dimnames(x$values)[1:2])
  list(values = values, base = x$base[at], prediction = x$prediction[, at],
       name = names[at], at = unname(at))
}

# The mean absolute contribution of each feature, summed over the outputs.
shap_importance <- function(x) {
  size <- abs(x$values)
  mean <- if (length(dim(size)) == 3) rowSums(apply(size, 2:3, mean)) else colMeans(size)
  table <- data.frame(variable = dimnames(x$values)[[2]], contribution = unname(mean))
  table <- table[order(-table$contribution), ]
  row.names(table) <- NULL
  structure(table, class = c("contree_importance", "data.frame"))
}

#' @rdname contributions
#' @export
print.contree_contributions <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_no_dots(...)
  check_digits(digits)
  n <- nrow(x$prediction)
  outputs <- ncol(x$prediction)
  cat(gettextf("Contributions to the %s of %d rows%s", if (x$scale == "prob") {
    gettext("probabilities")
  } else {
    gettext("margins")
  }, n, if (outputs > 1) gettextf(", %d outputs", outputs) else ""), "\n", sep = "")
  if (x$n_background > 0) cat(gettextf("Background of %d rows", x$n_background), "\n", sep = "")
  cat(gettextf("Base: %s", paste(c(format(x$base, digits = digits)), collapse = ", ")), "\n\n",
      sep = "")
  if (n) print(utils::head(shap_importance(x), 10), digits = digits)
  invisible(x)
}

#' @rdname contributions
#' @param row.names,optional Not used.
#' @export
as.data.frame.contree_contributions <- function(x, row.names = NULL, optional = FALSE, ...) {
  variables <- dimnames(x$values)[[2]]
  n <- nrow(x$prediction)
  outputs <- ncol(x$prediction)
  text <- vapply(variables, function(name) as.character(values_of_feature(x, name)), character(n))
  of_all <- function(values) rep(values, length.out = n * length(variables) * outputs)
  table <- data.frame(row = of_all(seq_len(n)), variable = of_all(rep(variables, each = n)),
                      value = of_all(c(text)), contribution = c(x$values))
  if (outputs == 1) return(table)
  data.frame(row = table$row, output = rep(colnames(x$prediction), each = n * length(variables)),
             table[-1])
}

# Features without names are found by place; NA for those that the data do not have.
values_of_feature <- function(x, name) {
  place <- match(name, names(x$data), match(name, dimnames(x$values)[[2]]))
  value <- if (place <= ncol(x$data)) x$data[[place]] else rep(NA, nrow(x$prediction))
  if (is.numeric(value) || is.factor(value)) value else factor(value)
}
