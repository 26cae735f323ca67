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
  lapply(c(TRUE, FALSE), function(classif) {
    add_learner(classif, "contree", if (classif) "LearnerClassifContree" else "LearnerRegrContree",
                if (classif) "Optimal Classification Tree" else "Optimal Regression Tree",
                function() mlr3_tree_parameters(classif),
                # names of arguments, so that the call in the fit has no data in it
                function(x, y, weights, ...) contree.default(x, y, weights = weights, ...),
                tree_importance, used_predictors)
    add_learner(classif, "hist_forest",
                if (classif) "LearnerClassifHistForest" else "LearnerRegrHistForest",
                "Random Forest from Histograms", function() mlr3_forest_parameters(classif),
                function(x, y, weights, ...) hist_forest.default(x, y, weights = weights, ...),
                forest_named_importance, forest_predictors,
                function(fit) fit$oob$error)
  })
  add_learner(FALSE, "gmt", "LearnerRegrGmt", "Model Tree", mlr3_gmt_parameters,
              function(x, y, weights, ...) gmt.default(x, y, weights = weights, ...),
              gmt_named_importance, used_predictors)
}

# Puts a learner into the dictionary. Its class is made when mlr3 is there, since it inherits from
# one of that package. `importance`, `selected` and `oob_error` are functions of a fit.
add_learner <- function(classif, name, class, label, parameters, fit, importance, selected,
                        oob_error = NULL) {
  self <- super <- private <- NULL # in methods these are bound by R6
  id <- paste0(if (classif) "classif." else "regr.", name)
  mlr3::mlr_learners$add(id, R6::R6Class(class,
    inherit = if (classif) mlr3::LearnerClassif else mlr3::LearnerRegr,
    public = c(list(
      initialize = function() {
        super$initialize(id = id, packages = "contree", param_set = parameters(),
                         feature_types = mlr3_feature_types(),
                         predict_types = if (classif) c("response", "prob") else "response",
                         properties = c("importance", "missings", if (classif) "multiclass",
                                        if (!is.null(oob_error)) "oob_error", "selected_features",
                                        if (classif) "twoclass", "weights"),
                         label = label, man = "contree::contree_mlr3")
      },
      importance = function() importance(mlr3_model(self)),
      selected_features = function() selected(mlr3_model(self))),
      if (!is.null(oob_error)) list(oob_error = function() oob_error(mlr3_model(self)))),
    private = list(
      .train = function(task) {
        arguments <- list(x = as.data.frame(task$data(cols = task$feature_names)), y = task$truth(),
                          weights = private$.get_weights(task))
        do.call(fit, c(arguments, self$param_set$get_values(tags = "train")))
      },
      .predict = function(task) {
        rows <- as.data.frame(task$data(cols = task$feature_names))
        type <- if (self$predict_type == "prob") "prob" else if (classif) "class" else "response"
        told <- do.call(stats::predict, c(list(self$model, rows, type = type),
                                          self$param_set$get_values(tags = "predict")))
        if (type == "prob") list(prob = told) else list(response = unname(told))
      })))
}

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

# The most important first.
forest_named_importance <- function(fit) {
  measure <- best_measure(fit$importance)
  sort(stats::setNames(fit$importance[[measure]], fit$importance$variable), decreasing = TRUE)
}

gmt_named_importance <- function(fit) {
  table <- contree_importance(fit)
  stats::setNames(table$splits + table$models, table$variable)
}

# Those that some split is on.
forest_predictors <- function(fit) fit$importance$variable[fit$importance$impurity > 0]

# ---- parameters ----------------------------------------------------------------------------------

# Numbers within `ranges` and, by name, settings that are TRUE or FALSE, one of several strings
# (those that the function `of` has) or of any kind, which the fit checks. `infinite`: whole numbers
# or Inf, which p_int() does not take.
mlr3_parameters <- function(ranges, infinite, flags, of, choices, any, predict = list()) {
  numbers <- Map(function(range, name) {
    make <- if (range$whole && !name %in% infinite) paradox::p_int else paradox::p_dbl
    make(lower = range$low, upper = range$high, tags = "train")
  }, ranges, names(ranges))
  numbers$threads <- paradox::p_int(lower = 0, tags = c("train", "threads"))
  each <- function(names, make) {
    lapply(stats::setNames(nm = names), function(name) make(tags = "train"))
  }
  if (!is.list(choices)) choices <- lapply(formals(of)[choices], eval)
  set <- do.call(paradox::ps, c(numbers, each(flags, paradox::p_lgl),
                                lapply(choices, paradox::p_fct, tags = "train"),
                                each(any, paradox::p_uty), predict))
  set$values <- list(threads = 1L)
  set
}

mlr3_tree_parameters <- function(classif) {
  numbers <- c("depth", "minbucket", "min_n", "subset_levels", "complexity", "cp", "max_gap",
               "max_thresholds", "max_leaves", "time_limit")
  mlr3_parameters(
    setting_table[numbers], c("max_thresholds", "max_leaves"),
    c("deterministic", "smallest", "verbose"), contree_control, c("missing", "on_interrupt"),
    c("memory_limit", "start", "progress", if (classif) c("loss", "class_weights")),
    list(new_levels = paradox::p_fct(eval(formals(contree_control)$new_levels), tags = "predict")))
}

mlr3_forest_parameters <- function(classif) {
  numbers <- c("trees", "mtry", "min_n", "minbucket", "depth", "sample_fraction", "bins", "seed",
               "time_limit")
  choices <- list(splitrule = .Call(ffi_hist_criteria, classif),
                  importance = eval(formals(hist_forest.default)$importance),
                  on_interrupt = c("return", "error"))
  mlr3_parameters(forest_ranges[numbers], "depth", c("replace", "oob", "keep_inbag", "verbose"),
                  NULL, choices, c("memory_limit", "progress", if (classif) "class_weights"))
}

mlr3_gmt_parameters <- function() {
  mlr3_parameters(c(gmt_ranges, forest_ranges["seed"]), c("patience", "open_max"), "verbose",
                  gmt_control, c("factors", "missing", "on_interrupt"), "progress",
                  list(extrapolate = paradox::p_lgl(tags = "predict")))
}
