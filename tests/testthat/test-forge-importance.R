# Which features an imported forest needs.

pima <- function(file) {
  import_forest(system.file("extdata", file, package = "contree"))
}
test <- MASS::Pima.te
truth <- ifelse(test$type == "Yes", "1", "0")

test_that("shuffling a column costs what the predictions lose", {
  forest <- pima("pima-lightgbm.txt.gz")
  set.seed(1)
  importance <- contree_importance(forge(forest), test, repeats = 2, y = truth)
  expect_identical(attr(importance, "accuracy"),
                   mean(predict(forge(forest), test, type = "class") == truth))
  expect_setequal(importance$variable, forest$features[forest$asked])
  # by hand, with the same random numbers
  set.seed(1)
  rows <- lapply(seq_len(2), function(i) sample.int(nrow(test)))
  first <- forest$features[forest$asked[1]]
  drops <- vapply(rows, function(order) {
    shuffled <- replace(test, first, list(test[order, first]))
    attr(importance, "accuracy") - mean(predict(forge(forest), shuffled, type = "class") == truth)
  }, 0)
  own <- importance[importance$variable == first, ]
  expect_equal(own$drop, mean(drops))
  expect_equal(own$se, stats::sd(drops) / sqrt(2))
  expect_gt(importance$drop[importance$variable == "glu"], 0.03)
})

test_that("numbers have R squared, and features without names are columns", {
  fit <- forge(hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1))
  set.seed(1)
  importance <- contree_importance(fit, mtcars, repeats = 1, y = mtcars$mpg)
  left <- sum((mtcars$mpg - predict(fit, mtcars))^2) / sum((mtcars$mpg - mean(mtcars$mpg))^2)
  expect_equal(attr(importance, "accuracy"), 1 - left)
  expect_identical(attr(importance, "measure"), "R squared")
  unnamed <- fit$forest
  unnamed$features <- NULL
  set.seed(1)
  by_place <- contree_importance(unnamed, as.matrix(mtcars[-1]), repeats = 1, y = mtcars$mpg)
  expect_equal(by_place$drop, importance$drop)
})

test_that("plots show it", {
  skip_if_not_installed("jsonlite")
  fit <- forge(pima("pima-xgboost.json.gz"))
  expect_identical(expect_invisible(plot(fit)), contree_importance(fit))
  set.seed(1)
  expect_s3_class(plot(fit, data = test, y = truth, repeats = 1), "contree_importance")
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit, main = "Gains")
  expect_identical(picture$data$shown, contree_importance(fit)$gain)
  expect_s3_class(ggplot2::ggplot_build(picture)$plot, "ggplot")
})

test_that("what cannot be measured is refused", {
  fit <- forge(pima("pima-lightgbm.txt.gz"))
  for (bad in list(truth[-1], replace(truth, 1, NA))) {
    expect_contree_error(contree_importance(fit, test, y = bad), "input", "'y'")
  }
  expect_contree_error(contree_importance(fit, 1:3, y = 1:3), "input", "'data'")
  expect_contree_error(contree_importance(fit, test, 0, truth), "input")
  several <- import_forest(forge_fixture("lgb-multiclass.txt"))
  several$classes <- NULL
  rows <- matrix(0, 3, several$ensemble$n_features)
  expect_contree_error(contree_importance(several, rows, y = 1:3), "unsupported", "several")
})

test_that("labels of another kind name the classes of the model, or are refused", {
  fit <- forge(pima("pima-lightgbm.txt.gz"))
  measured <- function(fit, y, rows = test) {
    set.seed(1)
    contree_importance(fit, rows, repeats = 1, y = y)
  }
  expected <- measured(fit, truth)
  expect_gt(attr(expected, "accuracy"), 0.7)
  for (y in list(as.integer(truth), as.numeric(truth), truth == "1", factor(truth),
                 factor(truth == "1"))) {
    expect_identical(measured(fit, y), expected)
  }
  for (y in list(test$type, as.character(test$type), as.integer(test$type), 1 - 2 * (truth == "1"),
                 factor(test$type, c("Yes", "No")), as.integer(truth) + 0.5)) {
    problem <- tryCatch(measured(fit, y), error = identity)
    expect_s3_class(problem, "contree_input_error")
    for (said in c("'y'", paste0("'", as.character(y)[1], "'"), "'0', '1'", "match(y, labels)")) {
      expect_match(conditionMessage(problem), said, fixed = TRUE)
    }
  }
  # a model whose classes are logicals
  data <- transform(mtcars, am = am == 1)
  logical <- forge(hist_forest(am ~ wt + hp, data, trees = 9, seed = 1))
  for (y in list(mtcars$am, as.character(mtcars$am), as.character(data$am), factor(data$am))) {
    expect_identical(measured(logical, y, data), measured(logical, data$am, data))
  }
  named <- forge(hist_forest(Species ~ ., iris, trees = 9, seed = 1))
  expect_identical(measured(named, as.character(iris$Species), iris),
                   measured(named, iris$Species, iris))
  expect_contree_error(measured(named, as.integer(iris$Species), iris), "input",
                       "'setosa', 'versicolor'")
})
