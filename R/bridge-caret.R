# contree_caret(): how the package caret is to fit and ask a tree.

#' Trees and forests in tidymodels, mlr3 and caret
#'
#' Once this package and `parsnip` or `mlr3` (1.0.0 or later) are loaded, in either order, trees,
#' forests and model trees are engines of `parsnip` and learners of `mlr3`. For `caret` there are
#' functions that describe them. Each fit uses one thread unless `threads` is given, since
#' resampling may itself run in parallel.
#'
#' @section caret:
#' The functions return model descriptions for the argument `method` of `caret::train()`: of
#' [contree()] for classification and regression, which tunes `depth` and `complexity`; of
#' [hist_forest()] for both, which tunes `mtry` and `min_n`; and of [gmt()] for regression, which
#' tunes `complexity` and `smoothing`. Other settings are passed on by `train()`, as in `train(...,
#' minbucket = 5)`.
#'
#' The formula method of `train()` turns factors into 0/1 columns; give `x` and `y` to
#' have them split by sets of levels. The element `finalModel` is a fit of `contree()`,
#' `hist_forest()` or `gmt()`, and prints, plots and converts like any other.
#'
#' @return The functions: a list in the format that `caret` expects, see
#'   <https://topepo.github.io/caret/using-your-own-model-in-train.html>.
#' @seealso [contree()], [hist_forest()], [gmt()], [tidy.contree()]
#' @order 3
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' control <- caret::trainControl(method = "cv", number = 3)
#' tuned <- caret::train(iris[1:4], iris$Species, method = contree_caret(), tuneLength = 2,
#'                       trControl = control)
#' tuned$bestTune
#' tuned$finalModel
#' caret::train(iris[1:4], iris$Species, method = hist_forest_caret(), tuneLength = 2, trees = 50,
#'              trControl = control)$bestTune
#' caret::train(mtcars[-1], mtcars$mpg, method = gmt_caret(), tuneLength = 2,
#'              trControl = control)$bestTune
#' @export
contree_caret <- function() {
  caret_method("Optimal Tree", c("Classification", "Regression"),
               c(depth = "Depth", complexity = "Cost of a Split"), caret_grid, caret_fit,
               used_predictors, caret_importance,
               # the simplest first
               function(x) x[order(x$depth, -x$complexity), ],
               c("Tree-Based Model", "Implicit Feature Selection"))
}

# What the methods have in common. `tuned`: labels of the arguments that are tuned; `used` and
# `importance`: functions of a fit, the names of predictors that it uses and a number for each
# predictor; `sort`: of a grid.
caret_method <- function(label, type, tuned, grid, fit, used, importance, sort, tags) {
  list(
    label = label, library = "contree", type = type, loop = NULL,
    parameters = data.frame(parameter = names(tuned), class = "numeric", label = unname(tuned)),
    grid = grid, fit = fit,
    predict = function(modelFit, newdata, submodels = NULL) {
      unname(stats::predict(modelFit, newdata))
    },
    prob = if ("Classification" %in% type) function(modelFit, newdata, submodels = NULL) {
      as.data.frame(stats::predict(modelFit, newdata, type = "prob"))
    },
    levels = function(x) any_model(x)$classes, predictors = function(x, ...) used(x),
    varImp = function(object, ...) {
      importance <- importance(object)
      data.frame(Overall = unname(importance), row.names = names(importance))
    },
    sort = sort, tags = c(tags, "Handle Missing Predictor Data"))
}

# Depths from 1 on, at most 4 by themselves: deeper trees may take long.
caret_grid <- function(x, y, len = NULL, search = "grid") {
  if (search == "grid") return(expand.grid(depth = seq_len(min(len, 4)),
                                           complexity = if (len > 1) c(0, 0.01) else 0))
  unique(data.frame(depth = sample.int(4, len, TRUE), complexity = 10^stats::runif(len, -4, -1)))
}

caret_fit <- function(x, y, wts, param, lev, last, classProbs, threads = 1, ...) {
  contree.default(x, y, weights = wts, depth = param$depth, complexity = param$complexity,
                  threads = threads, ...)
}

# For each predictor the decrease of the Gini impurity, or of the squared errors, by its splits.
caret_importance <- function(object) {
  decrease <- tree_importance(object)
  names <- tree_shape(object)$names
  replace(stats::setNames(numeric(length(names)), names), names(decrease), decrease)
}

# ---- forests -------------------------------------------------------------------------------------

#' @rdname contree_caret
#' @export
hist_forest_caret <- function() {
  caret_method("Random Forest from Histograms", c("Classification", "Regression"),
               c(mtry = "Predictors Tried", min_n = "Minimal Node Size"), forest_grid,
               forest_caret_fit, forest_predictors,
               function(fit) forest_named_importance(fit)[fit$importance$variable],
               function(x) x[order(x$mtry, -x$min_n), ],
               c("Tree-Based Model", "Random Forest", "Ensemble Model", "Bagging",
                 "Implicit Feature Selection"))
}

forest_grid <- function(x, y, len = NULL, search = "grid") {
  p <- ncol(x)
  usual <- if (is.factor(y)) 2 else 6
  if (search == "grid") {
    return(expand.grid(mtry = unique(pmax(1, round(seq(max(1, sqrt(p) / 2), p, length.out = len)))),
                       min_n = usual))
  }
  unique(data.frame(mtry = sample.int(p, len, TRUE), min_n = 1 + sample.int(20, len, TRUE)))
}

forest_caret_fit <- function(x, y, wts, param, lev, last, classProbs, threads = 1, ...) {
  hist_forest.default(x, y, weights = wts, mtry = param$mtry, min_n = param$min_n,
                      threads = threads, ...)
}

# ---- model trees ---------------------------------------------------------------------------------

#' @rdname contree_caret
#' @export
gmt_caret <- function() {
  caret_method("Model Tree", "Regression", c(complexity = "Complexity", smoothing = "Smoothing"),
               gmt_caret_grid, gmt_caret_fit, used_predictors, gmt_named_importance,
               function(x) x[order(-x$complexity, -x$smoothing), ],
               c("Tree-Based Model", "Linear Regression"))
}

gmt_caret_grid <- function(x, y, len = NULL, search = "grid") {
  if (search == "grid") {
    return(expand.grid(complexity = 2^seq(0, by = 1, length.out = len),
                       smoothing = if (len > 1) c(0, 5) else 0))
  }
  unique(data.frame(complexity = 2^stats::runif(len, -2, 4),
                    smoothing = stats::runif(len, 0, 20)))
}

gmt_caret_fit <- function(x, y, wts, param, lev, last, classProbs, threads = 1, ...) {
  gmt.default(as.data.frame(x), y, weights = wts, complexity = param$complexity,
              smoothing = param$smoothing, threads = threads, ...)
}
