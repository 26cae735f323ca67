# Models of scikit-learn: recorded ones of several versions (tests/r/forge_sklearn.py), and those of
# the version that is here, through reticulate.

# Lists stand for Python's objects.
sklearn_standins <- function(version) {
  skip_if_not_installed("jsonlite")
  file <- gzfile(forge_fixture(paste0("sklearn-", version, ".json.gz")))
  on.exit(close(file))
  text <- paste(readLines(file, warn = FALSE), collapse = "")
  lapply(jsonlite::parse_json(text)$models, sklearn_standin)
}

sklearn_standin <- function(x) {
  if (is.list(x) && identical(names(x), c("dim", "hex"))) {
    numbers <- as.numeric(scan(text = x$hex, what = "", quiet = TRUE))
    return(aperm(array(numbers, rev(unlist(x$dim)))))
  }
  if (!is.list(x)) return(x)
  object <- lapply(x, sklearn_standin)
  if (!is.null(x$classes_)) {
    several <- is.list(x$classes_[[1]])
    object$classes_ <- if (several) lapply(x$classes_, unlist) else unlist(x$classes_)
  }
  if (!is.null(x$rounds) && length(x$estimators_) > x$rounds) {
    object$estimators_ <- matrix(object$estimators_, x$rounds, byrow = TRUE)
  }
  if (!is.null(x$start)) {
    object$init_ <- "zero"
    object$`_raw_predict_init` <- function(x) object$start
    object$`_loss` <- structure(list(), class = x$own_loss)
  }
  if (!is.null(x$categories)) {
    known <- lapply(object$categories, unlist)
    object$`_preprocessor` <- list(named_transformers_ = list(encoder = list(categories_ = known)))
  }
  if (!is.null(x$takes_missing)) {
    object$`_get_tags` <- function() list(allow_nan = x$takes_missing)
  }
  if (is.null(x$class)) return(object)
  structure(object, class = c(x$class, "sklearn.base.BaseEstimator"))
}

sklearn_model <- function(kind, version = "1.9.1", which = 1) {
  models <- Filter(function(model) endsWith(class(model)[1], kind), sklearn_standins(version))
  models[[which]]
}

for (version in c("1.3.2", "1.9.1")) {
  test_that(paste("recorded numbers of scikit-learn", version, "come out"), {
    models <- sklearn_standins(version)
    expect_length(models, if (version == "1.9.1") 32 else 30)
    for (model in models) {
      what <- paste(version, class(model)[1])
      forged <- forge(import_forest(model))
      expect_identical(unname(as.matrix(predict(forged, model$rows, type = "margin"))),
                       model$margin, info = what)
      response <- unname(as.matrix(predict(forged, model$rows)))
      theirs <- model$response
      if (ncol(theirs) == 2 && ncol(response) == 1) theirs <- theirs[, 2, drop = FALSE]
      expect_equal(response, theirs, tolerance = 1e-14, info = what)
      if (!is.null(model$chosen)) {
        expect_identical(as.character(predict(forged, model$rows, type = "class")),
                         sklearn_labels(unlist(model$chosen)), info = what)
      }
      rows <- model$rows
      rows[1, ] <- NA
      if (!model$takes_missing) {
        expect_contree_error(predict(forged, rows), "input", "missing values")
      }
      if (length(forged$forest$levels)) next
      for (sums in sums_by_ways(forged, model$rows)) {
        expect_identical(sums, model$margin, info = what)
      }
    }
  })
}

test_that("features have the names that the model knows", {
  named <- sklearn_model("RandomForestRegressor")
  named$feature_names_in_ <- letters[1:4]
  expect_identical(import_forest(named)$features, letters[1:4])
})

test_that("categories are matched by value, and unknown ones are missing", {
  model <- sklearn_model("HistGradientBoostingRegressor", which = 4)
  forged <- forge(import_forest(model))
  rows <- as.data.frame(model$rows)
  expect_identical(unname(predict(forged, rows)), predict(forged, model$rows))
  odd <- rows[rep(1, 6), ]
  odd[, 3] <- c(NA, -1, 3.5, 1e9, 256, 11)
  expect_identical(unname(predict(forged, odd)), rep(unname(predict(forged, odd[1, ])), 6))
  odd[, 3] <- factor(c("4", "7", "10", "0", "1", "5"))
  numbers <- odd
  numbers[, 3] <- c(4, 7, 10, 0, 1, 5)
  expect_identical(predict(forged, odd), predict(forged, numbers))
  model$feature_names_in_ <- letters[1:4]
  expect_contree_error(as_sql(import_forest(model)), "unsupported", "categories")
  strings <- model
  strings$`_preprocessor`$named_transformers_$encoder$categories_ <- list(letters[1:11])
  forged <- forge(import_forest(strings))
  odd <- stats::setNames(odd, letters[1:4])
  odd$c <- c("e", "h", "k", "a", "b", "f")
  expect_identical(unname(predict(forged, odd)),
                   unname(predict(forge(import_forest(model)), stats::setNames(numbers,
                                                                               letters[1:4]))))
  odd$c[1] <- "z"
  expect_warning(predict(forged, odd), "'z'", class = "contree_new_levels")
  odd$c <- 1:6
  expect_contree_error(predict(forged, odd), "input", "levels such as")
})

test_that("several responses of classes have their probabilities side by side", {
  model <- sklearn_model("RandomForestClassifier", which = 3)
  forged <- forge(import_forest(model))
  expect_identical(colnames(predict(forged, model$rows))[1:4],
                   c("1.0", "1.1", "2.0", "2.10000"))
  expect_contree_error(predict(forged, model$rows, type = "class"), "unsupported")
})

test_that("sums are in the order of numpy", {
  set.seed(5)
  x <- rnorm(300) * 10^runif(300, -8, 8)
  expect_identical(numpy_sum(x[1:7]), Reduce(`+`, x[1:7]))
  pairs <- function(r) ((r[1] + r[2]) + (r[3] + r[4])) + ((r[5] + r[6]) + (r[7] + r[8]))
  expect_identical(numpy_sum(x[1:19]), ((pairs(x[1:8] + x[9:16]) + x[17]) + x[18]) + x[19])
  expect_identical(numpy_sum(x), numpy_sum(x[1:144]) + numpy_sum(x[145:300]))
  expect_identical(numpy_sum(x[1:144]), numpy_sum(x[1:72]) + numpy_sum(x[73:144]))
  expect_identical(numpy_sum(list(x[1:9], x[11:19])), x[1:9] + x[11:19])
})

test_that("scores of isolation have their formula in SQL, and no other format", {
  model <- sklearn_model("IsolationForest")
  model$feature_names_in_ <- letters[1:4]
  forest <- import_forest(model)
  expect_match(as_sql(forest, type = "response"), "-EXP(-0.69", fixed = TRUE)
  expect_contree_error(write_onnx(forest, tempfile()), "unsupported")
  expect_contree_error(write_xgboost(forest, tempfile()), "unsupported")
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
  refused <- function(model, what) {
    expect_error(import_forest(model), what, class = "contree_unsupported_error")
  }
  forest <- sklearn_model("RandomForestRegressor")
  of_class <- function(name) `class<-`(forest, c(name, class(forest)[-1]))
  refused(of_class("sklearn.linear_model._ridge.Ridge"), "\"Ridge\"")
  refused(of_class("sklearn.pipeline.Pipeline"), "\"Pipeline\".*'steps'")
  refused(of_class("sklearn.model_selection._search.GridSearchCV"), "'best_estimator_'")
  refused(of_class("sklearn.ensemble._weight_boosting.AdaBoostRegressor"), "medians")
  boosted <- sklearn_model("GradientBoostingRegressor")
  refused(replace(boosted, "loss", "cauchy"), "cauchy")
  refused(replace(boosted, "init_", list(structure(1, class = "Ridge"))), "initial estimator")
  bagged <- sklearn_model("BaggingRegressor")
  class(bagged$estimators_[[2]])[1] <- "sklearn.svm._classes.SVR"
  refused(bagged, "BaggingRegressor of the class SVR")
  votes <- sklearn_model("AdaBoostClassifier")
  refused(replace(votes, "algorithm", "SAMME.R"), "SAMME.R")
  refused(replace(votes, "version", "1.3.0"), "before 1.3.1")
  old <- sklearn_model("HistGradientBoostingRegressor", which = 4)
  old$`_preprocessor` <- NULL
  refused(old, "categories.*before 1.4")
  refused(replace(sklearn_model("IsolationForest"), "_max_samples", 1), "one row")
  boosted$n_features_in_ <- NULL
  expect_contree_error(import_forest(boosted), "input", "not fitted")
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
  version <- numeric_version(python_module("sklearn")$`__version__`)
  set.seed(1)
  x <- matrix(rnorm(1200), 300, dimnames = list(NULL, letters[1:4]))
  x[, 4] <- round(x[, 4])
  y <- x[, 1] * x[, 2] + sin(3 * x[, 3]) + 0.3 * rnorm(300)
  three <- as.character(cut(y, c(-Inf, -0.4, 0.5, Inf), c("a", "b", "c")))
  two <- as.integer(y > 0.3)
  floats <- numpy$ascontiguousarray(unname(x), dtype = "float32")
  margins <- list(predict = function(m) m$predict(x), prob = function(m) m$predict_proba(x),
                  raw = function(m) m$`_raw_predict`(floats),
                  raw_double = function(m) m$`_raw_predict`(x),
                  decision = function(m) m$decision_function(x))
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
    list(ensemble$GradientBoostingClassifier, few(loss = "exponential"), two, "raw"),
    list(ensemble$GradientBoostingClassifier, few(), three, "raw"),
    list(ensemble$HistGradientBoostingRegressor, list(max_iter = 9L), y, "raw_double"),
    list(ensemble$HistGradientBoostingRegressor, list(max_iter = 9L, loss = "poisson"), exp(y),
         "raw_double"),
    list(ensemble$HistGradientBoostingClassifier, list(max_iter = 9L), three, "raw_double"))
  if (version >= "1.3.1") {
    votes <- few(estimator = tree$DecisionTreeClassifier(max_depth = 2L))
    if (version < "1.6") votes$algorithm <- "SAMME"
    cases <- c(cases, lapply(list(two, three), function(y) {
      list(ensemble$AdaBoostClassifier, votes, y, "decision")
    }))
  }
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
  if (!inherits(theirs, "try-error")) {
    return(expect_identical(predict(forged, rows), as.vector(theirs)))
  }
  expect_contree_error(predict(forged, rows), "input")
})

test_that("objects of modules that do not convert are the same; histograms take missing values", {
  python_module("sklearn.ensemble")
  ensemble <- python_module("sklearn.ensemble", convert = FALSE)
  set.seed(3)
  x <- matrix(rnorm(240), 120)
  y <- x[, 1] + x[, 2]
  rows <- rbind(x[1:9, ], NA, c(NA, 1), c(-1, NA))
  boosted <- ensemble$GradientBoostingRegressor(n_estimators = 4L)$fit(x, y)
  expect_identical(predict(forge(import_forest(boosted)), x),
                   as.vector(reticulate::py_to_r(boosted$predict(x))))
  for (monotonic in list(NULL, c(1L, -1L))) {
    model <- ensemble$HistGradientBoostingRegressor(max_iter = 4L, monotonic_cst = monotonic)
    model$fit(x, y)
    expect_identical(predict(forge(import_forest(model)), rows),
                     as.vector(reticulate::py_to_r(model$predict(rows))))
  }
})
