# The classes that the learner needs: R6 is real, the base class does no more than keep what it is
# given.
mlr3_code <- "
LearnerClassif <- R6::R6Class('LearnerClassif',
  public = list(
    id = NULL, param_set = NULL, properties = NULL, packages = NULL, feature_types = NULL,
    predict_types = NULL, predict_type = 'response', model = NULL, use_weights = 'use',
    initialize = function(id, param_set, predict_types = character(), feature_types = character(),
                          properties = character(), packages = character(), label = NA_character_,
                          man = NA_character_) {
      for (name in c('id', 'param_set', 'properties', 'packages', 'feature_types',
                     'predict_types')) {
        self[[name]] <- get(name)
      }
      stopifnot(feature_types %in% mlr_reflections$task_feature_types, grepl('::', man))
    },
    train = function(task) { self$model <- private$.train(task); invisible(self) },
    predict = function(task) private$.predict(task)),
  private = list(.get_weights = function(task)
                                  if (self$use_weights == 'use') task$weights_learner$weight))
LearnerRegr <- R6::R6Class('LearnerRegr', inherit = LearnerClassif)
mlr_reflections <- list(task_feature_types = c('logical', 'integer', 'numeric', 'character',
                                               'factor', 'ordered', 'POSIXct'))
dictionary <- new.env()
mlr_learners <- list(add = function(key, value) dictionary[[key]] <- value)
lrn <- function(key) dictionary[[key]]$new()
task <- function(data, target, weights = NULL) {
  list(feature_names = setdiff(names(data), target), data = function(rows, cols) data[cols],
       truth = function() data[[target]],
       weights_learner = if (!is.null(weights)) data.frame(weight = weights))
}"

# Of paradox only the checks of numbers and the tags.
paradox_code <- "
p_dbl <- function(lower = -Inf, upper = Inf, tags) {
  list(ok = function(v) is.numeric(v) && v >= lower && v <= upper, tags = tags)
}
p_int <- function(lower = -Inf, upper = Inf, tags) p_dbl(lower, upper, tags)
p_lgl <- function(tags) list(ok = is.logical, tags = tags)
p_fct <- function(levels, tags) list(ok = function(v) v %in% levels, tags = tags)
p_uty <- function(tags) list(ok = function(v) TRUE, tags = tags)
ps <- function(...) {
  set <- new.env()
  set$params <- list(...)
  set$get_values <- function(tags) {
    Filter(Negate(is.null),
           lapply(stats::setNames(names(set$values), names(set$values)), function(name) {
      stopifnot(set$params[[name]]$ok(set$values[[name]]))
      if (any(tags %in% set$params[[name]]$tags)) set$values[[name]]
    }))
  }
  set
}"

# Installed once.
mlr3_libraries <- local({
  libraries <- NULL
  function() {
    if (is.null(libraries)) {
      libraries <<- c(stand_in("mlr3", mlr3_code, "R6"),
                      if (!requireNamespace("paradox", quietly = TRUE)) stand_in("paradox",
                                                                                 paradox_code))
    }
    libraries
  }
})

beside_mlr3 <- function(code) {
  skip_on_cran()
  skip_if_not_installed("R6")
  skip_if(requireNamespace("mlr3", quietly = TRUE), "mlr3 is here itself")
  run_beside(mlr3_libraries(), "mlr3", code)
}

gaps <- transform(iris, Petal.Width = replace(Petal.Width, 1:60, NA))

test_that("the learner is in the dictionary, whichever is loaded first, and its calls work", {
  said <- beside_mlr3(c(
    "learner <- mlr3::lrn('classif.contree')",
    "say(learner$packages, length(learner$feature_types), sort(learner$properties))",
    "values <- c(learner$param_set$values, depth = 2, minbucket = 3, new_levels = 'majority')",
    "learner$param_set$values <- values",
    "w <- rep(c(1, 3), 75)",
    "gaps <- transform(iris, Petal.Width = replace(Petal.Width, 1:60, NA))",
    "learner$train(mlr3::task(gaps, 'Species', w))",
    "own <- contree(gaps[1:4], gaps$Species, weights = w, depth = 2, minbucket = 3)",
    "say(learner$model$threads, identical(learner$model$frame, own$frame),",
    "    nchar(deparse1(learner$model$call)) < 200)",
    "answer <- function() learner$predict(mlr3::task(iris, 'Species'))",
    "say(identical(answer()$response, unname(predict(own, iris))))",
    "learner$predict_type <- 'prob'",
    "say(identical(answer()$prob, predict(own, iris, type = 'prob')))",
    "say(identical(learner$importance(), own$variable.importance), learner$selected_features())",
    "say(conditionMessage(tryCatch(mlr3::lrn('classif.contree')$importance(), error = identity)))"))
  used <- contree(gaps[1:4], gaps$Species, weights = rep(c(1, 3), 75), depth = 2,
                  minbucket = 3)$variable.importance
  expected <- c("contree 7 importance missings multiclass selected_features twoclass weights",
                "1 TRUE TRUE", "TRUE", "TRUE",
                paste("TRUE", paste(intersect(names(iris), names(used)), collapse = " ")),
                "the learner has no model yet; call its method train() first", "end")
  expect_said(said, expected)
})

test_that("forests are learners for classes and numbers", {
  said <- beside_mlr3(c(
    "learner <- mlr3::lrn('classif.hist_forest')",
    "learner$param_set$values$splitrule <- 'entropy'",
    "learner$param_set$values <- c(learner$param_set$values, trees = 7, seed = 2, mtry = 3)",
    "w <- rep(c(1, 3), 75)",
    "learner$train(mlr3::task(iris, 'Species', w))",
    "own <- hist_forest(iris[1:4], iris$Species, weights = w, trees = 7, seed = 2, mtry = 3,",
    "                   splitrule = 'entropy')",
    "say(identical(learner$model$forest, own$forest), nchar(deparse1(learner$model$call)) < 200)",
    "task <- mlr3::task(iris, 'Species')",
    "say(identical(learner$predict(task)$response, unname(predict(own, iris))))",
    "learner$predict_type <- 'prob'",
    "say(identical(learner$predict(task)$prob, predict(own, iris, type = 'prob')))",
    "say(identical(learner$oob_error(), own$oob$error), names(learner$importance())[1])",
    "learner <- mlr3::lrn('regr.hist_forest')",
    "learner$param_set$values$importance <- 'permutation'",
    "learner$param_set$values <- c(learner$param_set$values, trees = 7, seed = 2)",
    "learner$train(mlr3::task(mtcars, 'mpg'))",
    "own <- hist_forest(mtcars[-1], mtcars$mpg, trees = 7, seed = 2, importance = 'permutation')",
    "task <- mlr3::task(mtcars, 'mpg')",
    "say(identical(learner$predict(task)$response, unname(predict(own, mtcars))))",
    "harm <- sort(own$importance$permutation, decreasing = TRUE)",
    "say(identical(unname(learner$importance()), harm))"))
  own <- hist_forest(iris[1:4], iris$Species, weights = rep(c(1, 3), 75), trees = 7, seed = 2,
                     mtry = 3, splitrule = "entropy")
  first <- own$importance$variable[which.max(own$importance$impurity)]
  expected <- c("TRUE TRUE", "TRUE", "TRUE", paste("TRUE", first), "TRUE", "TRUE", "end")
  expect_said(said, expected)
})

test_that("the learner of model trees is in the dictionary, and its calls work", {
  said <- beside_mlr3(c(
    "learner <- mlr3::lrn('regr.gmt')",
    "learner$param_set$values <- c(learner$param_set$values, seed = 2, max_leaves = 3,",
    "                              factors = 'few', extrapolate = TRUE)",
    "task <- mlr3::task(mtcars, 'mpg', rep(1:2, 16))",
    "learner$train(task)",
    "own <- gmt(mtcars[-1], mtcars$mpg, weights = rep(1:2, 16), seed = 2, max_leaves = 3)",
    "say(identical(coef(learner$model), coef(own)))",
    "said <- predict(own, mtcars, extrapolate = TRUE)",
    "say(identical(learner$predict(task)$response, unname(said)))",
    "say(identical(names(learner$importance()), contree_importance(own)$variable))",
    "say(all(learner$selected_features() %in% names(mtcars)))"))
  expect_said(said, c(rep("TRUE", 4), "end"))
})

test_that("mlr3 fits, predicts and resamples", {
  skip_if_not_installed("mlr3", "1.0.0")
  learner <- mlr3::lrn("classif.contree", depth = 2, predict_type = "prob")
  task <- mlr3::tsk("iris")
  learner$train(task)
  own <- contree(Species ~ ., iris, depth = 2)
  expect_identical(learner$model$frame[c("var", "n")], own$frame[c("var", "n")])
  expect_equal(learner$predict(task)$prob, predict(own, iris, type = "prob"), ignore_attr = TRUE)
  expect_setequal(learner$selected_features(), names(own$variable.importance))
  expect_equal(learner$importance()[names(own$variable.importance)], own$variable.importance)
  result <- mlr3::resample(task, learner, mlr3::rsmp("cv", folds = 3))
  expect_lt(result$aggregate(mlr3::msr("classif.ce")), 0.2)
})
