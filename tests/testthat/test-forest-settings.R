test_that("ranger's names are accepted, once", {
  ours <- hist_forest(Species ~ ., iris, trees = 4, min_n = 11, depth = 3, sample_fraction = 0.5,
                      seed = 2)
  theirs <- hist_forest(Species ~ ., iris, num.trees = 4, min.node.size = 10, max.depth = 3,
                        sample.fraction = 0.5, seed = 2, num.threads = 1)
  expect_identical(theirs$forest, ours$forest)
  expect_contree_error(hist_forest(Species ~ ., iris, num.trees = 4, trees = 5), "input",
                       "two names")
})

test_that("min_n is the least number of rows of a node that is split", {
  rows <- data.frame(x = 1:8, y = 1:8 %% 2)
  splits <- function(...) {
    fit <- hist_forest(y ~ x, rows, trees = 1, replace = FALSE, sample_fraction = 1, ...)
    nrow(forest_tree(fit, 1)) > 1
  }
  expect_true(splits(min_n = 8))
  expect_false(splits(min_n = 9))
  expect_true(splits(min.node.size = 7))
  expect_false(splits(min.node.size = 8))
  expect_identical(hist_forest(y ~ x, rows, trees = 1)$control$min_n, 6)
})

test_that("unknown arguments and bad values are named", {
  expect_contree_error(hist_forest(Species ~ ., iris, ntree = 4), "input", "ntree")
  bad <- list(trees = 0, trees = 1.5, mtry = 5, depth = -1, min_n = 0, sample_fraction = 0,
              replace = NA, bins = 1, seed = -1, splitrule = "best", importance = "all", oob = 1,
              first = 0, class_weights = 1:2)
  for (i in seq_along(bad)) {
    arguments <- c(list(Species ~ ., iris), bad[i])
    expect_error(do.call(hist_forest, arguments), names(bad)[i], class = "contree_input_error")
  }
  expect_contree_error(hist_forest(mpg ~ ., mtcars, splitrule = "entropy"), "input")
  expect_contree_error(hist_forest(mpg ~ ., mtcars, class_weights = "balanced"), "input")
  expect_contree_error(hist_forest(Species ~ ., iris, replace = FALSE, sample_fraction = 2),
                       "input")
})

test_that("every split rule tells the species apart, and the choices are those of the table", {
  rules <- .Call(contree:::ffi_hist_criteria, TRUE)
  for (method in c("hist_forest.formula", "hist_forest.default")) {
    choices <- formals(getFromNamespace(method, "contree"))$splitrule
    expect_identical(eval(choices), rules)
  }
  expect_identical(.Call(contree:::ffi_hist_criteria, FALSE), c("gini", "random"))
  for (rule in rules) {
    expect_lt(hist_forest(Species ~ ., iris, trees = 50, splitrule = rule, seed = 1)$oob$error, 0.1)
  }
})

test_that("responses whose squares overflow or vanish are refused", {
  y <- rep(c(-1, 1, 2), 50)
  for (unit in c(1e101, 5e307, 1e-101, 2^-1074)) {
    expect_contree_error(hist_forest(iris[1:4], unit * y), "input", "must be within 1e+100")
  }
  for (unit in c(1e99, 1e-99)) {
    fit <- hist_forest(iris[1:4], unit * y, trees = 5, seed = 1)
    plain <- hist_forest(iris[1:4], y, trees = 5, seed = 1)
    expect_equal(predict(fit, iris[1:4]) / unit, predict(plain, iris[1:4]), tolerance = 1e-6)
  }
  expect_equal(predict(hist_forest(iris[1:4], rep(3, 150), trees = 2), iris[1:2, 1:4]),
               c(`1` = 3, `2` = 3))
})

test_that("limits of memory are said in the same way for trees and forests", {
  for (control in list(contree_control, hist_forest_control)) {
    expect_identical(control(memory_limit = "2GB")$memory_limit, 2 * 1024^3)
    expect_identical(control(memory_limit = NULL), control())
    expect_identical(control()$memory_limit, Inf)
    expect_contree_error(control(memory_limit = "much"), "input", "'memory_limit'")
    expect_contree_error(control(memory_limit = -1), "input", "'memory_limit'")
  }
})

test_that("balanced classes are drawn alike, also one of a single row", {
  set.seed(6)
  y <- factor(rep(c("many", "few", "one"), c(90, 9, 1)))
  fit <- hist_forest(data.frame(x = rnorm(100)), y, trees = 200, class_weights = "balanced",
                     seed = 1, keep_inbag = TRUE)
  drawn <- tapply(rowSums(fit$inbag), y, sum) / sum(fit$inbag)
  expect_lt(max(abs(drawn - 1 / 3)), 5 * sqrt(2 / 9 / sum(fit$inbag)))
})
