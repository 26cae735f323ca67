test_that("names of other packages, and misspelt ones, are answered with those meant", {
  image <- matrix(1:16, 4)
  calls <- list(
    trees = quote(hist_forest(mpg ~ ., mtcars, ntree = 5)),
    trees = quote(hist_forest(mpg ~ ., mtcars, num_trees = 5)),
    trees = quote(hist_forest(mpg ~ ., mtcars, tress = 5)),
    depth = quote(hist_forest(mpg ~ ., mtcars, maxdepth = 5)),
    min_n = quote(hist_forest(mpg ~ ., mtcars, nodesize = 5)),
    trees = quote(image_forest(image, image, ntree = 5)),
    depth = quote(image_forest(image, image, maxdepth = 5)),
    depth = quote(gmt(mpg ~ ., mtcars, maxdepth = 3)),
    min_n = quote(gmt(mpg ~ ., mtcars, minsplit = 3)),
    max_leaves = quote(gmt_control(maxleaves = 3)),
    depth = quote(contree(mpg ~ ., mtcars, max_depth = 3)),
    max_leaves = quote(contree(mpg ~ ., mtcars, leaves_max = 3)),
    max_leaves = quote(contree_control(max_leafs = 3)),
    type = quote(predict(contree(mpg ~ ., mtcars, depth = 1), mtcars, tpye = "node")),
    interval = quote(predict(gmt(mpg ~ ., mtcars, seed = 1), mtcars, inteval = "none")),
    device = quote(predict(hist_forest(mpg ~ ., mtcars, trees = 2), mtcars, devise = "cpu")),
    threads = quote(predict(forge(hist_forest(mpg ~ ., mtcars, trees = 2)), mtcars, nthread = 1)))
  for (i in seq_along(calls)) {
    expect_contree_error(eval(calls[[i]]), "input",
                         sprintf("did you mean '%s'?", names(calls)[i]))
  }
  # what no argument does
  expect_contree_error(contree(mpg ~ ., mtcars, mtry = 2), "input", "hist_forest() grows forests")
  expect_contree_error(contree(mpg ~ ., mtcars, method = "anova"), "input", "decides between")
  expect_contree_error(hist_forest(mpg ~ ., mtcars, xval = 5), "input", "contree_cv() cross-")
  refused <- tryCatch(contree(mpg ~ ., mtcars, B = 5), error = conditionMessage)
  expect_match(refused, "unknown argument 'B'; see", fixed = TRUE)
})

test_that("former names of settings are told and mean the same", {
  told <- function(value) {
    said <- capture_messages(kept <- value)
    expect_match(said, "is called '.*' now")
    expect_identical(said, unique(said))
    kept
  }
  few <- gmt_control(max_leaves = 3, depth = 2)
  expect_identical(told(gmt_control(leaves_max = 3, depth_max = 2)), few)
  through <- function(...) gmt_control(2, ...)
  expect_identical(told(through(depth_max = 2)), gmt_control(2, 2))
  model <- function(...) coef(gmt(dist ~ speed, cars, seed = 1, ...))
  expect_identical(told(model(leaves_max = 2)), model(max_leaves = 2))
  cv <- function(...) gmt_cv(dist ~ speed, cars, complexity = 1, seed = 1, ...)$table
  expect_identical(told(cv(depth_max = 1)), cv(depth = 1))
  forest <- function(...) hist_forest(mpg ~ ., mtcars, trees = 3, seed = 1, ...)$forest
  expect_identical(told(forest(min_bucket = 6)), forest(minbucket = 6))
  expect_identical(told(hist_forest_control(min_bucket = 6)), hist_forest_control(minbucket = 6))
  expect_contree_error(gmt_control(max_leaves = 3, leaves_max = 3), "input", "two names")
  expect_contree_error(forest(minbucket = 3, min_bucket = 3), "input", "two names")
  expect_contree_error(forest(min.bucket = 3, min_bucket = 3), "input", "two names")
  expect_contree_error(gmt_control(leaves_max = 3, wrong = 1), "input", "unknown argument")
})

test_that("settings come directly, from a control, or as a list; those given directly win", {
  same <- function(fit, control, make, ...) {
    direct <- fit(...)
    expect_equal(fit(control = control), direct)
    expect_equal(fit(control = make(control)), direct)
    for (wrong in list(list(control = make(control), wrong = 1), list(control = list(wrong = 1)))) {
      expect_contree_error(do.call(fit, wrong), "input", "unknown argument 'wrong'")
    }
    expect_contree_error(fit(control = 3), "input", "'control' must be the value of")
    direct
  }
  forest <- function(...) hist_forest(mpg ~ ., mtcars, trees = 3, seed = 1, ...)[c("forest", "oob")]
  made <- function(control) do.call(hist_forest_control, control)
  few <- same(forest, list(bins = 4, minbucket = 6), made, bins = 4, minbucket = 6)
  expect_equal(forest(bins = 4, control = hist_forest_control(bins = 9, minbucket = 6)), few)
  expect_equal(forest(bins = 4, min.bucket = 6, control = list(minbucket = 9)), few)
  expect_false(identical(forest(), few))
  expect_contree_error(hist_forest_control(divice = "cpu"), "input", "did you mean 'device'?")
  expect_output(print(hist_forest_control()), "minbucket +1")
  model <- function(...) coef(gmt(mpg ~ wt + hp, mtcars, seed = 1, ...))
  settings <- list(max_leaves = 2, bins = 9)
  two <- same(model, settings, function(list) do.call(gmt_control, list), max_leaves = 2, bins = 9)
  expect_equal(model(max_leaves = 2, control = gmt_control(max_leaves = 1, bins = 9)), two)
  tree <- function(...) contree(mpg ~ ., mtcars, depth = 2, ...)$frame
  same(tree, list(complexity = 0.2), function(control) do.call(contree_control, control),
       complexity = 0.2)
})

test_that("minsplit of rpart is min_n, and a seed is that of all draws", {
  expect_identical(contree(mpg ~ ., mtcars, depth = 2, min_n = 30)$frame,
                   contree(mpg ~ ., mtcars, depth = 2, minsplit = 30)$frame)
  expect_identical(contree_control(min_n = 30), contree_control(minsplit = 30))
  expect_contree_error(contree(mpg ~ ., mtcars, depth = 2, min_n = 9, minsplit = 9), "input",
                       "two names")
  set.seed(2)
  before <- .Random.seed
  folds <- function(...) contree_cv(Species ~ ., iris, depth = 1, folds = 3, ...)$folds
  expect_identical(folds(seed = 5), folds(seed = 5))
  intervals <- function() predict(contree(mpg ~ ., mtcars, depth = 1, conformal = 3, seed = 4),
                                  mtcars, interval = "conformal")
  expect_identical(intervals(), intervals())
  expect_identical(.Random.seed, before)
  expect_false(identical(folds(), folds()))
})

test_that("predictions are named by the rows, and types as elsewhere", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
  expect_named(predict(fit), rownames(mtcars))
  expect_identical(names(fitted(fit)), names(predict(fit, mtcars)))
  fit <- hist_forest(Species ~ ., iris[-3, ], trees = 20, seed = 1)
  expect_identical(rownames(predict(fit, type = "prob")), rownames(iris)[-3])
  for (fit in list(fit, contree(Species ~ ., iris, depth = 1))) {
    expect_identical(predict(fit, iris, type = "node"), predict(fit, iris, type = "leaf"))
    expect_identical(predict(fit, iris, type = "response"), predict(fit, iris, type = "class"))
  }
})
