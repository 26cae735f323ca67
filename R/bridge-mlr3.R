# The learners "classif.contree", "regr.contree", "classif.hist_forest" and "regr.hist_forest" of
# mlr3, put into its dictionary as soon as both packages are loaded.

#' @section mlr3:
#' `lrn("classif.contree")` and `lrn("regr.contree")` construct learners. Their parameters are the
#' settings of [contree_control()] and `depth`, `cp`, `loss` and `class_weights` of [contree()], for
#' training, and `new_levels` of [predict.contree()], for prediction. `threads` may also be set by
#' `mlr3::set_threads()`.
#'
#' The first predicts classes and probabilities for two or more classes, the second predicts
#' numbers. Like `contree()` they handle missing values, factors, dates and case weights. They have
#' `importance()` (the decrease of the Gini impurity, or of the squared errors, by the splits on a
#' feature; see [contree_importance()]) and `selected_features()`. Their `model` is a fit of
#' `contree()`.
#'
#' `lrn("classif.hist_forest")` and `lrn("regr.hist_forest")` construct learners whose `model` is a
#' fit of [hist_forest()]. Their parameters are the arguments of `hist_forest()`, with the same
#' defaults except for `threads`, which is 1. Task weights are sampling weights of the rows. The
#' learners have `importance()` (by permutation if the parameter `importance` says so, else by
#' impurity), `oob_error()` and `selected_features()`.
#'
#' `lrn("regr.gmt")` constructs a learner whose `model` is a fit of [gmt()]. Its parameters are the
#' settings of [gmt_control()] and `seed`, with the same defaults except for `threads`, which is 1,
#' and, for prediction, `extrapolate`. Task weights are case weights. It has `importance()` (the
#' decrease of the squared residuals by splits and models) and `selected_features()`.
#' @rdname contree_caret
#' @order 2
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' learner <- mlr3::lrn("classif.contree", depth = 2, predict_type = "prob")
#' learner$train(mlr3::tsk("iris"))
#' learner$importance()
#' learner$predict(mlr3::tsk("iris"))$score(mlr3::msr("classif.acc"))
#' learner$model
#'
#' forest <- mlr3::lrn("regr.hist_forest", trees = 50)
#' forest$train(mlr3::tsk("mtcars"))
#' forest$oob_error()
#' @name contree_mlr3
NULL

register_mlr3 <- function() {
  mlr3::mlr_learners$add("classif.contree", mlr3_learner("classif"))
  mlr3::mlr_learners$add("regr.contree", mlr3_learner("regr"))
  mlr3::mlr_learners$add("classif.hist_forest", mlr3_forest("classif"))
  mlr3::mlr_learners$add("regr.hist_forest", mlr3_forest("regr"))
  mlr3::mlr_learners$add("regr.gmt", mlr3_gmt())
}

# Made when mlr3 is there, since it inherits from one of its classes.
mlr3_learner <- function(task_type) {
  self <- super <- private <- NULL # in methods these are bound by R6
  is_classif <- task_type == "classif"
  R6::R6Class(if (is_classif) "LearnerClassifContree" else "LearnerRegrContree",
    inherit = if (is_classif) mlr3::LearnerClassif else mlr3::LearnerRegr,
    public = list(
      initialize = function() {
        super$initialize(id = paste0(task_type, ".contree"), packages = "contree",
                         param_set = mlr3_parameters(is_classif),
                         feature_types = mlr3_feature_types(),
                         predict_types = if (is_classif) c("response", "prob") else "response",
                         properties = c("importance", "missings", if (is_classif) "multiclass",
                                        "selected_features", if (is_classif) "twoclass", "weights"),
                         label = if (is_classif) "Optimal Classification Tree"
                                 else "Optimal Regression Tree",
                         man = "contree::contree_mlr3")
      },
      importance = function() tree_importance(mlr3_model(self)),
      selected_features = function() used_predictors(mlr3_model(self))),
    private = list(
      .train = function(task) {
        arguments <- list(x = as.data.frame(task$data(cols = task$feature_names)), y = task$truth(),
                          weights = private$.get_weights(task))
        do.call(mlr3_fit, c(arguments, self$param_set$get_values(tags = "train")))
      },
      .predict = function(task) {
        rows <- as.data.frame(task$data(cols = task$feature_names))
        tell <- function(type) {
          do.call("predict", c(list(self$model, rows, type),
                               self$param_set$get_values(tags = "predict")))
        }
        if (self$predict_type == "response") {
          list(response = unname(tell(if (is_classif) "class" else "response")))
        } else {
          list(prob = tell("prob"))
        }
      }))
}

# Called by this name so that the call in the fit has no data in it.
mlr3_fit <- function(x, y, weights, ...) contree.default(x, y, weights = weights, ...)

mlr3_model <- function(learner) {
  if (is.null(learner$model)) {
    stop_input("model", gettext("the learner has no model yet; call its method train() first"))
  }
  learner$model
}

# Which types there are depends on the version of mlr3.
mlr3_feature_types <- function() {
  intersect(c("logical", "integer", "numeric", "character", "factor", "ordered", "Date", "POSIXct"),
            mlr3::mlr_reflections$task_feature_types)
}

# Numbers within the limits of the settings; whatever is no single number or flag is checked by
# contree() itself.
mlr3_parameters <- function(is_classif) {
  numbers <- function(names, make) {
    lapply(setting_table[names], function(range) make(lower = range$low, upper = range$high,
                                                      tags = "train"))
  }
  # max_thresholds is a whole number or Inf, which p_int() does not take
  parameters <- c(numbers(c("depth", "minbucket", "min_n", "subset_levels"), paradox::p_int),
                  numbers(c("complexity", "cp", "max_gap", "max_thresholds", "time_limit"),
                          paradox::p_dbl))
  parameters$threads <- paradox::p_int(lower = 0, tags = c("train", "threads"))
  for (name in c("deterministic", "smallest", "verbose")) {
    parameters[[name]] <- paradox::p_lgl(tags = "train")
  }
  parameters$missing <- paradox::p_fct(c("learn", "omit", "fail"), tags = "train")
  parameters$on_interrupt <- paradox::p_fct(c("return", "error"), tags = "train")
  for (name in c("memory_limit", "start", "progress",
                 if (is_classif) c("loss", "class_weights"))) {
    parameters[[name]] <- paradox::p_uty(tags = "train")
  }
  parameters$new_levels <- paradox::p_fct(c("majority", "error"), tags = "predict")
  set <- do.call(paradox::ps, parameters)
  set$values <- list(threads = 1L)
  set
}

# ---- forests -------------------------------------------------------------------------------------

mlr3_forest <- function(task_type) {
  self <- super <- private <- NULL # in methods these are bound by R6
  is_classif <- task_type == "classif"
  id <- paste0(task_type, ".hist_forest")
  R6::R6Class(if (is_classif) "LearnerClassifHistForest" else "LearnerRegrHistForest",
    inherit = if (is_classif) mlr3::LearnerClassif else mlr3::LearnerRegr,
    public = list(
      initialize = function() {
        super$initialize(id = id, packages = "contree",
                         param_set = mlr3_forest_parameters(is_classif),
                         feature_types = mlr3_feature_types(),
                         predict_types = if (is_classif) c("response", "prob") else "response",
                         properties = c("importance", "missings", if (is_classif) "multiclass",
                                        "oob_error",
                                        "selected_features", if (is_classif) "twoclass", "weights"),
                         label = "Random Forest from Histograms", man = "contree::contree_mlr3")
      },
      importance = function() forest_named_importance(mlr3_model(self)),
      oob_error = function() mlr3_model(self)$oob$error,
      selected_features = function() {
        model <- mlr3_model(self)
        model$importance$variable[model$importance$impurity > 0]
      }),
    private = list(
      .train = function(task) {
        arguments <- list(x = as.data.frame(task$data(cols = task$feature_names)), y = task$truth(),
                          weights = private$.get_weights(task))
        do.call(mlr3_forest_fit, c(arguments, self$param_set$get_values(tags = "train")))
      },
      .predict = function(task) {
        rows <- as.data.frame(task$data(cols = task$feature_names))
        type <- if (self$predict_type == "prob") "prob" else if (is_classif) "class" else "response"
        told <- stats::predict(self$model, rows, type = type)
        if (type == "prob") list(prob = told) else list(response = unname(told))
      }))
}

# Called by this name so that the call in the fit has no data in it.
mlr3_forest_fit <- function(x, y, weights, ...) hist_forest.default(x, y, weights = weights, ...)

# The most important first.
forest_named_importance <- function(fit) {
  measure <- best_measure(fit$importance)
  sort(stats::setNames(fit$importance[[measure]], fit$importance$variable), decreasing = TRUE)
}

mlr3_forest_parameters <- function(is_classif) {
  parameters <- list(
    trees = paradox::p_int(lower = 1, upper = 1e6, tags = "train"),
    mtry = paradox::p_int(lower = 1, tags = "train"),
    min_n = paradox::p_int(lower = 1, tags = "train"),
    depth = paradox::p_dbl(lower = 0, tags = "train"),
    sample_fraction = paradox::p_dbl(lower = 1e-9, upper = 1000, tags = "train"),
    bins = paradox::p_int(lower = 2, upper = 65534, tags = "train"),
    seed = paradox::p_dbl(lower = 0, upper = 2^53, tags = "train"),
    threads = paradox::p_int(lower = 0, tags = c("train", "threads")),
    time_limit = paradox::p_dbl(lower = 0, tags = "train"),
    memory_limit = paradox::p_dbl(lower = 0, tags = "train"),
    splitrule = paradox::p_fct(.Call(ffi_hist_criteria, is_classif), tags = "train"),
    importance = paradox::p_fct(c("impurity", "permutation", "none"), tags = "train"),
    on_interrupt = paradox::p_fct(c("return", "error"), tags = "train"))
  for (name in c("replace", "oob", "keep_inbag", "verbose")) {
    parameters[[name]] <- paradox::p_lgl(tags = "train")
  }
  parameters$progress <- paradox::p_uty(tags = "train")
  if (is_classif) parameters$class_weights <- paradox::p_uty(tags = "train")
  set <- do.call(paradox::ps, parameters)
  set$values <- list(threads = 1L)
  set
}

# ---- model trees ---------------------------------------------------------------------------------

mlr3_gmt <- function() {
  self <- super <- private <- NULL # in methods these are bound by R6
  R6::R6Class("LearnerRegrGmt", inherit = mlr3::LearnerRegr,
    public = list(
      initialize = function() {
        super$initialize(id = "regr.gmt", packages = "contree", param_set = mlr3_gmt_parameters(),
                         feature_types = mlr3_feature_types(), predict_types = "response",
                         properties = c("importance", "missings", "selected_features", "weights"),
                         label = "Model Tree", man = "contree::contree_mlr3")
      },
      importance = function() {
        table <- contree_importance(mlr3_model(self))
        stats::setNames(table$splits + table$models, table$variable)
      },
      selected_features = function() used_predictors(mlr3_model(self))),
    private = list(
      .train = function(task) {
        arguments <- list(x = as.data.frame(task$data(cols = task$feature_names)), y = task$truth(),
                          weights = private$.get_weights(task))
        do.call(mlr3_gmt_fit, c(arguments, self$param_set$get_values(tags = "train")))
      },
      .predict = function(task) {
        rows <- as.data.frame(task$data(cols = task$feature_names))
        arguments <- c(list(self$model, rows), self$param_set$get_values(tags = "predict"))
        list(response = unname(do.call(stats::predict, arguments)))
      }))
}

# Called by this name so that the call in the fit has no data in it.
mlr3_gmt_fit <- function(x, y, weights, ...) gmt.default(x, y, weights = weights, ...)

mlr3_gmt_parameters <- function() {
  parameters <- lapply(gmt_ranges, function(range) {
    # p_int() does not take Inf
    make <- if (range$whole && is.finite(range$high)) paradox::p_int else paradox::p_dbl
    make(lower = range$low, upper = range$high, tags = "train")
  })
  parameters$seed <- paradox::p_dbl(lower = 0, upper = 2^53, tags = "train")
  parameters$threads <- paradox::p_int(lower = 0, tags = c("train", "threads"))
  parameters$factors <- paradox::p_fct(c("split", "both"), tags = "train")
  parameters$missing <- paradox::p_fct(c("indicator", "mean"), tags = "train")
  parameters$on_interrupt <- paradox::p_fct(c("return", "error"), tags = "train")
  parameters$verbose <- paradox::p_lgl(tags = "train")
  parameters$progress <- paradox::p_uty(tags = "train")
  parameters$extrapolate <- paradox::p_lgl(tags = "predict")
  set <- do.call(paradox::ps, parameters)
  set$values <- list(threads = 1L)
  set
}
