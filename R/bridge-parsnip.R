# The engine "contree" of parsnip's decision_tree() and rand_forest(), told to parsnip as soon as
# both packages are loaded.

#' @section tidymodels:
#' `decision_tree()` of `parsnip` has the engine `"contree"` for classification and regression.
#' `extract_fit_engine()` extracts the fit of [contree()] from a fitted model or workflow; it
#' prints, plots and converts like any other.
#'
#' | `decision_tree()` | [contree()] | |
#' |---|---|---|
#' | `tree_depth` | `depth` | 3 by default |
#' | `cost_complexity` | `cp` | a proportion of the root's errors, as in `rpart`; 0 by default |
#' | `min_n` | `min_n` | 2 by default, or 14 in regression |
#'
#' `set_engine("contree", ...)` takes all other settings of [contree_control()] and the arguments
#' `loss` and `class_weights`.
#'
#' Case weights enter the cost that is minimised. With `fit()`, rows with missing predictors are
#' kept and factors are split by sets of levels; no recipe that creates dummy variables or imputes
#' is needed. The types of prediction are `"class"` and `"prob"`, or `"numeric"`, and `"raw"` (for
#' which `opts` may hold any `type` of [predict.contree()]).
#'
#' `rand_forest()` has the engine `"contree"` as well, for classification and regression with the
#' forests of [hist_forest()]. `mtry`, `trees` and `min_n` are the arguments of the same names, with
#' the defaults of `hist_forest()`; `set_engine()` takes all others. Case weights are sampling
#' weights of the rows. The types of prediction are `"class"`, `"prob"`, `"numeric"` and `"raw"`,
#' with any `type` of [predict.hist_forest()] in `opts`. For a response of `survival::Surv()` there
#' is the mode `"censored regression"`, with the types `"survival"` and `"time"` (the median, `NA`
#' where the curve does not fall so far), and from parsnip 1.3.0 on `"quantile regression"`, with
#' the type `"quantile"`.
#'
#' `decision_tree(mode = "regression")` has the engine `"gmt"`, for the model trees of [gmt()].
#' `tree_depth` is `depth`, and `min_n` the same; `set_engine("gmt", ...)` takes all other
#' settings of [gmt_control()]. The types of prediction are `"numeric"` and `"raw"`.
#'
#' Trees and forests have the methods of the packages `vetiver` (`vetiver_model()`), `butcher`
#' (`axe_call()`, `axe_fitted()`, `axe_data()`), `tidypredict` and `orbital`. `tidypredict_fit()`
#' gives an expression for trees of classes or numbers and for regression forests,
#' `tidypredict_class_exprs()` one for the proportion of each class of a tree. `orbital()` of a fit
#' or workflow of parsnip uses them for its types `"numeric"`, and of trees `"class"` and `"prob"`;
#' of a fit that parsnip has not made it is an error. The methods are registered when these packages
#' are loaded.
#' @rdname contree_caret
#' @order 1
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' tree <- parsnip::decision_tree(mode = "classification", tree_depth = 2)
#' tree <- parsnip::set_engine(tree, "contree")
#' fitted <- generics::fit(tree, Species ~ ., data = iris)
#' predict(fitted, iris[c(1, 51, 101), ], type = "prob")
#' plot(parsnip::extract_fit_engine(fitted))
#'
#' forest <- parsnip::rand_forest(mode = "regression", trees = 50)
#' forest <- parsnip::set_engine(forest, "contree")
#' generics::fit(forest, mpg ~ ., data = mtcars)
#' @name contree_parsnip
NULL

register_parsnip <- function() {
  for (mode in c("classification", "regression")) {
    register_engine("decision_tree", mode, "contree", parsnip_arguments)
    register_engine("rand_forest", mode, "hist_forest", parsnip_forest_arguments)
  }
  register_engine("decision_tree", "regression", "gmt", parsnip_gmt_arguments, "gmt")
  parsnip::set_model_mode("rand_forest", "censored regression")
  register_engine("rand_forest", "censored regression", "hist_forest", parsnip_forest_arguments)
  # of version 1.3.0
  if ("matrix_to_quantile_pred" %in% getNamespaceExports("parsnip")) {
    parsnip::set_model_mode("rand_forest", "quantile regression")
    register_engine("rand_forest", "quantile regression", "hist_forest", parsnip_forest_arguments,
                    defaults = list(threads = 1, quantiles = TRUE))
  }
}

register_engine <- function(model, mode, fun, arguments, eng = "contree",
                            defaults = list(threads = 1)) {
  parsnip::set_model_engine(model, mode = mode, eng = eng)
  parsnip::set_dependency(model, eng = eng, pkg = "contree", mode = mode)
  for (argument in arguments) {
    parsnip::set_model_arg(model, eng = eng, parsnip = argument$parsnip,
                           original = argument$original,
                           func = list(pkg = "dials", fun = argument$parsnip), has_submodel = FALSE)
  }
  # the formula interface passes rows with missing values on; through x and y parsnip would leave
  # them out
  parsnip::set_fit(model, mode = mode, eng = eng, value = list(
    interface = "formula", protect = c("formula", "data", "weights"),
    func = c(pkg = "contree", fun = fun),
    defaults = defaults))
  parsnip::set_encoding(model, mode = mode, eng = eng, options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE))
  plain <- function(x, object) unname(x)
  switch(mode,
    regression = parsnip_prediction(model, mode, "numeric", plain, eng, type = "response"),
    classification = {
      parsnip_prediction(model, mode, "class", plain, type = "class")
      parsnip_prediction(model, mode, "prob", function(x, object) {
        data.frame(x, check.names = FALSE, row.names = NULL)
      }, type = "prob")
    },
    "censored regression" = {
      parsnip_prediction(model, mode, "time", function(x, object) unname(x[, 1]),
                         type = "quantiles", quantiles = 0.5)
      parsnip_prediction(model, mode, "survival", parsnip_survival, type = "survival",
                         times = quote(eval_time))
    },
    "quantile regression" = parsnip_prediction(
      model, mode, "quantile",
      function(x, object) parsnip::matrix_to_quantile_pred(unname(x), object),
      type = "quantiles", quantiles = quote(object$spec$quantile_levels)))
  parsnip_prediction(model, mode, "raw", NULL, eng)
}

# A tibble with a tibble of times and probabilities for each row.
parsnip_survival <- function(x, object) {
  tibble <- function(columns, n) {
    structure(columns, row.names = .set_row_names(n), class = c("tbl_df", "tbl", "data.frame"))
  }
  times <- attr(x, "times")
  curves <- lapply(seq_len(nrow(x)), function(i) {
    tibble(list(.eval_time = times, .pred_survival = unname(x[i, ])), length(times))
  })
  tibble(list(.pred = curves), length(curves))
}

parsnip_arguments <- list(list(parsnip = "tree_depth", original = "depth"),
                          list(parsnip = "min_n", original = "min_n"),
                          list(parsnip = "cost_complexity", original = "cp"))

parsnip_forest_arguments <- list(list(parsnip = "mtry", original = "mtry"),
                                 list(parsnip = "trees", original = "trees"),
                                 list(parsnip = "min_n", original = "min_n"))

parsnip_gmt_arguments <- list(list(parsnip = "tree_depth", original = "depth"),
                              list(parsnip = "min_n", original = "min_n"))

# `...`: arguments of predict().
parsnip_prediction <- function(model, mode, name, post, eng = "contree", ...) {
  arguments <- list(object = quote(object$fit), newdata = quote(new_data), ...)
  parsnip::set_pred(model, mode = mode, eng = eng, type = name,
                    value = list(pre = NULL, post = post, func = c(fun = "predict"),
                                 args = arguments))
}
