test_that("verbs work for every kind of model, and say the same of the same model", {
  forest <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  accuracy <- contree_accuracy(forest, iris)
  expect_equal(accuracy$accuracy, mean(predict(forest, iris) == iris$Species))
  expect_identical(contree_accuracy(forge(forest), iris, y = iris$Species)[-1], accuracy[-1])
  expect_identical(contree_accuracy(import_forest(forest), iris, y = iris$Species)$brier,
                   accuracy$brier)
  expect_identical(contree_importance(forest, iris, repeats = 2, seed = 3),
                   contree_importance(forge(forest), iris, repeats = 2, y = iris$Species, seed = 3))
  by_forest <- partial_dependence(forest, iris, "Petal.Width")
  expect_identical(partial_dependence(forge(forest), iris, "Petal.Width"), by_forest)
  numbers <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
  expect_equal(contree_accuracy(numbers, mtcars)$mse, mean((predict(numbers, mtcars) -
                                                              mtcars$mpg)^2))
  expect_equal(as.data.frame(contree_importance(numbers))$impurity,
               sort(numbers$importance$impurity, TRUE))
  expect_identical(as_sql(numbers), as_sql(import_forest(numbers)))
  expect_equal(contree_predictor(numbers)(mtcars[3, ]), predict(numbers, mtcars[3, ])[[1]])
  tree <- contree(mpg ~ ., mtcars, depth = 2)
  at <- partial_dependence(tree, mtcars, "wt", at = list(wt = 3))
  expect_equal(at$prediction, mean(predict(tree, transform(mtcars, wt = 3))))
  model <- gmt(mpg ~ wt + hp, mtcars, seed = 1)
  at <- partial_dependence(model, mtcars, "wt", at = list(wt = 3))
  expect_equal(at$prediction, mean(predict(model, transform(mtcars, wt = 3))))
})

test_that("what is elsewhere, or is not, is said", {
  none <- hist_forest(mpg ~ ., mtcars, trees = 2, importance = "none")
  expect_contree_error(contree_importance(none), "input", c("importance = \"none\"", "'data'"))
  skip_if_not_installed("survival")
  alive <- hist_forest(survival::Surv(time, status) ~ age + sex, survival::lung, trees = 5)
  expect_contree_error(contree_accuracy(alive, survival::lung), "unsupported", "forest_brier()")
  expect_s3_class(partial_dependence(alive, survival::lung, "age"), "partial_dependence")
})

test_that("results are tidied and drawn", {
  fit <- hist_forest(Species ~ ., iris, trees = 10, seed = 1)
  dependence <- partial_dependence(fit, iris, "Petal.Width")
  results <- list(contree_importance(fit), dependence, contree_accuracy(fit, iris),
                  contree_cv(Species ~ ., iris, depth = 1:2, folds = 3, seed = 1))
  for (result in results) {
    expect_identical(class(generics::tidy(result)), "data.frame")
    skip_if_not_installed("ggplot2")
    expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(result))$plot, "ggplot")
  }
  expect_identical(generics::tidy(dependence)$prediction, dependence$prediction)
  for (what in c("error", "importance")) {
    expect_s3_class(ggplot2::autoplot(fit, what = what), "ggplot")
  }
  tree <- contree(Species ~ ., iris, depth = 1)
  for (fit in list(tree, fit, gmt(dist ~ speed + I(speed > 9), cars, seed = 1, complexity = 0))) {
    expect_silent(plot(fit, what = "importance"))
  }
})

test_that("forests are cross-validated by hand", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 10, min_n = 3, seed = 1)
  folds <- rep(1:4, 8)
  cv <- contree_cv(fit, folds = folds, mtry = c(2, 5))
  squares <- numeric(32)
  for (k in 1:4) {
    grown <- hist_forest(mpg ~ ., mtcars[folds != k, ], trees = 10, min_n = 3, mtry = 5, seed = 1)
    squares[folds == k] <- (mtcars$mpg - predict(grown, mtcars))[folds == k]^2
  }
  expect_equal(cv$table$error[2], mean(squares))
  expect_equal(cv$table$se[2], stats::sd(squares) / sqrt(32))
  expect_identical(predict(cv, mtcars),
                   predict(hist_forest(mpg ~ ., mtcars, trees = 10, min_n = 3,
                                       mtry = cv$table$mtry[cv$table$chosen], seed = 1), mtcars))
  expect_output(print(cv), "mean squared error")
  classes <- hist_forest(iris[1:4], iris$Species, trees = 5, seed = 1)
  expect_lt(contree_cv(classes, iris[1:4], folds = 3, seed = 1)$table$error, 0.2)
  expect_contree_error(contree_cv(fit, mtyr = 2), "input", "'mtry'")
  expect_contree_error(contree_cv(fit, mtcars[1:9, ]), "input", "9 rows")
  tree <- contree(Species ~ ., iris, depth = 1)
  expect_identical(contree_cv(tree, depth = 1:2, folds = 3, seed = 1)$table,
                   contree_cv(Species ~ ., iris, depth = 1:2, folds = 3, seed = 1)$table)
})

test_that("accuracy without rows is an error that says so", {
  for (fit in list(hist_forest(Species ~ ., iris, trees = 2, seed = 1),
                   contree(Species ~ ., iris, depth = 1),
                   gmt(mpg ~ wt | hp, mtcars, depth = 1, seed = 1))) {
    expect_contree_error(contree_accuracy(fit), "input", "'newdata' must be given")
  }
})
