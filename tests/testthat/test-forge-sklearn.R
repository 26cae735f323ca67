# Models of scikit-learn: recorded ones of a version that knows missing values
# (tests/r/forge_sklearn.py), and those of the version that is here, through reticulate.

# Lists stand for Python's objects.
sklearn_standins <- function() {
  skip_if_not_installed("jsonlite")
  file <- jsonlite::read_json(forge_fixture("sklearn.json"))
  lapply(file$models, function(model) {
    numbers <- function(x) as.numeric(unlist(x))
    estimators <- lapply(model$trees, function(tree) {
      parts <- lapply(tree, numbers)
      parts$value <- aperm(array(parts$value, rev(parts$dim)), 3:1)
      list(tree_ = parts)
    })
    if (length(model$rounds)) {
      estimators <- matrix(estimators, model$rounds, byrow = TRUE)
    }
    start <- numbers(model$start)
    list(
      rows = matrix(numbers(model$rows), ncol = 4, byrow = TRUE),
      margin = matrix(numbers(model$margin), nrow = length(model$rows) / 4, byrow = TRUE),
      object = structure(list(
        n_features_in_ = model$n_features_in_, classes_ = unlist(model$classes_),
        loss = model$loss, learning_rate = model$learning_rate, estimators_ = estimators,
        init_ = "zero", `_raw_predict_init` = function(x) start, `_baseline_prediction` = start,
        `_predictors` = lapply(model$nodes, function(nodes) {
          list(list(nodes = lapply(nodes, numbers)))
        })), class = c(model$class, "sklearn.base.BaseEstimator")))
  })
}

test_that("recorded margins of scikit-learn come out to the last bit", {
  models <- sklearn_standins()
  expect_length(models, 7)
  for (model in models) {
    what <- class(model$object)[1]
    forged <- forge(import_forest(model$object))
    expect_identical(unname(as.matrix(predict(forged, model$rows, type = "margin"))), model$margin,
                     info = what)
    for (sums in sums_by_ways(forged, model$rows)) {
      expect_identical(sums, model$margin, info = what)
    }
  }
  named <- models[[1]]$object
  named$feature_names_in_ <- letters[1:4]
  expect_identical(import_forest(named)$features, letters[1:4])
})

test_that("thresholds become the largest float that is not above them", {
  bits <- function(x) readBin(writeBin(x, raw(), size = 4L), "integer", length(x), size = 4L)
  set.seed(3)
  x <- c(0, 1, -1, 0.1, -0.1, 1 + 2^-24, 1 - 2^-25, 1e-46, -1e-46, 2^-149, -2^-149, 3e38, -3e38,
         rnorm(500) * 10^runif(500, -44, 37))
  float <- float_below(x)
  expect_identical(readBin(writeBin(float, raw(), size = 4L), "double", length(x), size = 4L),
                   float)
  expect_true(all(float <= x))
  inner <- float != 0 & float != -2^-149
  up <- bits(float[inner]) + ifelse(float[inner] < 0, -1L, 1L)
  up <- readBin(writeBin(up, raw(), size = 4L), "double", length(up), size = 4L)
  expect_true(all(up > x[inner]))
  expect_identical(float_below(c(1e-46, -1e-46, 0, Inf)), c(0, -2^-149, 0, Inf))
})

test_that("what is not supported is refused by name", {
  model <- sklearn_standins()[[1]]$object
  refused <- function(change, what) {
    expect_error(import_forest(change(model)), what, class = "contree_unsupported_error")
  }
  refused(function(m) {
    class(m)[1] <- "sklearn.linear_model._ridge.Ridge"
    m
  }, "Ridge")
  boosted <- sklearn_standins()[[4]]$object
  model <- boosted
  refused(function(m) replace(m, "loss", "exponential"), "exponential")
  refused(function(m) replace(m, "init_", list(structure(1, class = "Ridge"))), "initial estimator")
  boosted$n_features_in_ <- NULL
  expect_error(import_forest(boosted), "not fitted", class = "contree_input_error")
  histograms <- sklearn_standins()[[7]]$object
  histograms$`_predictors`[[1]][[1]]$nodes$is_categorical[1] <- 1
  expect_error(import_forest(histograms), "categories", class = "contree_unsupported_error")
  expect_error(sklearn_proportions(matrix(0.5, 1, 2), TRUE), "class weights",
               class = "contree_unsupported_error")
})

# ---- through reticulate --------------------------------------------------------------------------

# A module of Python; the test is skipped without scikit-learn.
python_module <- function(name, ...) {
  skip_if_not_installed("reticulate")
  if (!reticulate::py_available()) {
    found <- unique(c(Sys.which("python3"), "/usr/bin/python3"))
    knows <- vapply(found, function(python) {
      nzchar(python) && file.exists(python) &&
        system2(python, c("-c", shQuote("import sklearn")), stdout = FALSE, stderr = FALSE) == 0
    }, NA)
    if (!any(knows)) skip("no Python here has scikit-learn")
    reticulate::use_python(found[knows][1], required = TRUE)
  }
  if (!reticulate::py_module_available("sklearn")) skip("no Python here has scikit-learn")
  reticulate::import(name, ...)
}

test_that("objects of scikit-learn predict the same here, to the last bit", {
  ensemble <- python_module("sklearn.ensemble")
  tree <- python_module("sklearn.tree")
  numpy <- python_module("numpy", convert = FALSE)
  set.seed(1)
  x <- matrix(rnorm(1200), 300, dimnames = list(NULL, letters[1:4]))
  x[, 4] <- round(x[, 4])
  y <- x[, 1] * x[, 2] + sin(3 * x[, 3]) + 0.3 * rnorm(300)
  three <- as.character(cut(y, c(-Inf, -0.4, 0.5, Inf), c("a", "b", "c")))
  two <- as.integer(y > 0.3)
  floats <- numpy$ascontiguousarray(unname(x), dtype = "float32")
  margins <- list(predict = function(m) m$predict(x), prob = function(m) m$predict_proba(x),
                  raw = function(m) m$`_raw_predict`(floats),
                  raw_double = function(m) m$`_raw_predict`(x))
  few <- function(...) list(n_estimators = 12L, random_state = 1L, ...)
  cases <- list(
    list(tree$DecisionTreeRegressor, list(max_depth = 4L), y, "predict"),
    list(tree$ExtraTreeRegressor, list(max_depth = 5L, random_state = 1L), y, "predict"),
    list(tree$DecisionTreeClassifier, list(), three, "prob"),
    list(ensemble$RandomForestRegressor, few(), y, "predict"),
    list(ensemble$RandomForestRegressor, few(), cbind(y, y^2), "predict"),
    list(ensemble$RandomForestClassifier, few(), three, "prob"),
    list(ensemble$ExtraTreesRegressor, few(), y, "predict"),
    list(ensemble$ExtraTreesClassifier, few(), two, "prob"),
    list(ensemble$BaggingRegressor, few(), y, "predict"),
    list(ensemble$BaggingRegressor, few(max_features = 0.5), y, "predict"),
    list(ensemble$BaggingClassifier, few(max_samples = 0.5, max_features = 2L), three, "prob"),
    list(ensemble$BaggingClassifier, few(max_samples = 9L), three, "prob"),
    list(ensemble$GradientBoostingRegressor, few(), y, "raw"),
    list(ensemble$GradientBoostingRegressor, few(loss = "huber", subsample = 0.7), y, "raw"),
    list(ensemble$GradientBoostingClassifier, few(), two, "raw"),
    list(ensemble$GradientBoostingClassifier, few(), three, "raw"),
    list(ensemble$HistGradientBoostingRegressor, list(max_iter = 9L), y, "raw_double"),
    list(ensemble$HistGradientBoostingRegressor, list(max_iter = 9L, loss = "poisson"), exp(y),
         "raw_double"),
    list(ensemble$HistGradientBoostingClassifier, list(max_iter = 9L), three, "raw_double"))
  for (case in cases) {
    model <- do.call(case[[1]], case[[2]])$fit(unname(x), case[[3]])
    forged <- forge(import_forest(model))
    info <- class(model)[1]
    theirs <- unname(as.matrix(margins[[case[[4]]]](model)))
    dimnames(theirs) <- NULL
    expect_identical(unname(as.matrix(predict(forged, unname(x), type = "margin"))), theirs,
                     info = info)
    expect_equal(unname(as.vector(as.matrix(predict(forged, unname(x))))),
                 as.vector(if (is.null(forged$forest$classes)) model$predict(x) else {
                   said <- model$predict_proba(unname(x))
                   if (ncol(said) == 2 && ncol(theirs) == 1) said[, 2] else said
                 }), tolerance = 1e-12, info = info)
  }
})

test_that("missing values are refused where scikit-learn refuses them", {
  ensemble <- python_module("sklearn.ensemble")
  set.seed(2)
  x <- matrix(rnorm(120), 60)
  model <- ensemble$RandomForestRegressor(3L, random_state = 1L)$fit(x, x[, 1])
  rows <- rbind(c(NA, 1), c(0, 1))
  theirs <- try(model$predict(rows), silent = TRUE)
  forged <- forge(import_forest(model))
  if (!inherits(theirs, "try-error")) return(expect_identical(predict(forged, rows), theirs))
  expect_error(predict(forged, rows), class = "contree_input_error")
})
