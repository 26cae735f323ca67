test_that("a forest of classes tells what it was grown from", {
  set.seed(3)
  fit <- hist_forest(Species ~ ., iris, trees = 40, importance = "permutation", keep_inbag = TRUE)
  expect_s3_class(fit, "hist_forest")
  expect_equal(fit$type, "classification")
  expect_equal(fit$classes, levels(iris$Species))
  expect_equal(length(fit$forest$number), 40)
  expect_equal(fit$status, "complete")
  expect_lt(fit$oob$error, 0.1)
  expect_equal(unname(rowSums(fit$oob$predictions)), rep(1, 150))
  expect_equal(colSums(fit$inbag), rep(150, 40))
  expect_equal(fit$oob$trees, rowSums(fit$inbag == 0))
  expect_gt(min(fit$importance$permutation[3:4]), 0.1)
  expect_equal(fit$importance$variable, names(iris)[1:4])
})

test_that("rows left out are predicted by the trees that they are no part of", {
  fit <- hist_forest(Species ~ ., iris, trees = 15, min_n = 4, seed = 5, keep_inbag = TRUE)
  leaf <- predict(fit, iris, type = "leaf")
  sums <- matrix(0, 150, 3)
  for (tree in 1:15) {
    table <- forest_tree(fit, tree)
    counts <- as.matrix(table[paste0("n_", levels(iris$Species))])
    out <- fit$inbag[, tree] == 0
    sums[out, ] <- sums[out, ] + (counts / table$n)[leaf[out, tree], ]
  }
  expect_equal(unname(fit$oob$predictions), sums / rowSums(sums), tolerance = 1e-8)
})

test_that("a numeric response grows regression trees", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 60, seed = 1)
  expect_equal(fit$type, "regression")
  expect_gt(fit$oob$r_squared, 0.7)
  expect_equal(fit$oob$error, mean((fit$oob$predictions - mtcars$mpg)^2))
  expect_equal(hist_forest(mtcars[-1], mtcars$mpg, trees = 60, seed = 1)$forest, fit$forest)
})

test_that("a single row at an end of a predictor is parted from thousands of others", {
  set.seed(3)
  x <- sample(3000)
  for (odd in c(1, 3000)) {
    fit <- hist_forest(data.frame(x = x), factor(x == odd), trees = 1, replace = FALSE,
                       sample_fraction = 1, seed = 1)
    expect_equal(fit$forest$n_nodes, 3)
  }
})

test_that("a forest without importance is the same", {
  one <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  none <- hist_forest(Species ~ ., iris, trees = 20, seed = 1, importance = "none")
  expect_null(none$importance)
  expect_identical(none[c("forest", "oob")], one[c("forest", "oob")])
  parts <- c(none, hist_forest(Species ~ ., iris, trees = 5, seed = 1, first = 21,
                               importance = "none"))
  expect_null(parts$importance)
})

test_that("set.seed() decides, or the seed, and nothing else", {
  set.seed(8)
  one <- hist_forest(Species ~ ., iris, trees = 5)
  set.seed(8)
  expect_identical(hist_forest(Species ~ ., iris, trees = 5, threads = 1)$forest, one$forest)
  expect_identical(hist_forest(Species ~ ., iris, trees = 5, seed = one$seed)$forest, one$forest)
  expect_false(identical(hist_forest(Species ~ ., iris, trees = 5)$forest, one$forest))
  for (set in contree_info()$simd_available) {
    withr_option <- options(contree.simd = set)
    expect_identical(hist_forest(Species ~ ., iris, trees = 5, seed = one$seed)$forest, one$forest)
    options(withr_option)
  }
})

test_that("weights say which rows are sampled", {
  weights <- rep(c(1, 0), c(100, 50))
  fit <- hist_forest(Species ~ ., iris, trees = 10, weights = weights, keep_inbag = TRUE, seed = 1)
  expect_equal(sum(fit$inbag[101:150, ]), 0)
  balanced <- hist_forest(g ~ Sepal.Length, transform(iris, g = Species == "setosa"), trees = 100,
                          seed = 1, class_weights = "balanced", keep_inbag = TRUE)
  expect_lt(abs(sum(balanced$inbag[1:50, ]) / sum(balanced$inbag) - 0.5), 0.02)
  expect_contree_error(hist_forest(Species ~ ., iris, weights = weights, replace = FALSE),
                       "unsupported")
})

test_that("the unit of weights is no matter, and equal ones are none", {
  grow <- function(...) {
    hist_forest(Species ~ ., iris, trees = 5, seed = 1, keep_inbag = TRUE, ...)
  }
  parts <- c("forest", "oob", "inbag", "importance")
  for (unit in c(1, 1e308, .Machine$double.xmax, 1e-308, 2^-1074)) {
    expect_identical(grow(weights = rep(unit, 150))[parts], grow()[parts])
    expect_identical(grow(class_weights = rep(unit, 3))[parts], grow()[parts])
  }
  whole <- rep_len(1:7, 150)
  for (unit in 2^c(1020, -1074)) {
    expect_identical(grow(weights = whole * unit)[parts], grow(weights = whole)[parts])
  }
  by_class <- c(1, 4, 2)
  both <- grow(weights = whole, class_weights = by_class)
  expect_identical(grow(weights = whole * by_class[iris$Species])[parts], both[parts])
  # products that overflow, or vanish, but for what the other factor makes of them
  far <- grow(weights = whole * 2^1020, class_weights = by_class * 2^1020)
  expect_identical(far[parts], both[parts])
  unit <- 2^c(-1000, 1000, 0)
  turned <- grow(weights = whole * unit[iris$Species], class_weights = by_class / unit)
  expect_identical(turned[parts], both[parts])
  # of 1e300 times the weight are all rows of a sample
  expect_equal(sum(grow(weights = rep(c(1, 1e300), c(100, 50)))$inbag[1:100, ]), 0)
})

test_that("limits give the trees that are complete", {
  x <- matrix(sin(1:40000), 4000)
  y <- factor(x[, 1] * x[, 2] > 0)
  expect_warning(fit <- by_counts(hist_forest(x, y, trees = 1e5, time_limit = 0.3, threads = 1)),
                 class = "contree_timeout")
  expect_equal(fit$status, "time limit")
  expect_true(length(fit$forest$number) %in% 1:99999)
  expect_output(print(fit), "Stopped early")
  expect_contree_error(hist_forest(x, y, time_limit = 0, threads = 1), "input")
  expect_contree_error(hist_forest(x, y, memory_limit = 1e5), "input")
  expect_warning(hist_forest(x, y, trees = 1e5, memory_limit = 8e6), class = "contree_memory")
})

test_that("progress is told", {
  told <- list()
  x <- matrix(sin(1:40000), 4000)
  suppressWarnings(by_counts(hist_forest(
    x, factor(x[, 1] * x[, 2] > 0), trees = 1e5, time_limit = 0.7, threads = 1,
    progress = function(state) told[[length(told) + 1]] <<- state)))
  expect_length(told, 3)
  expect_true(all(c("elapsed", "trees", "closed") %in% names(told[[1]])))
})

test_that("an error in a progress function passes as it is", {
  x <- matrix(sin(1:40000), 4000)
  expect_error(hist_forest(x, factor(x[, 1] > 0), trees = 1e5,
                           progress = function(state) stop("mine")), "mine")
})

test_that("without sampling, with all predictors and lossless codes, splits gain what rpart's do", {
  skip_if_not_installed("rpart")
  fit <- hist_forest(Species ~ ., iris, trees = 1, mtry = 4, replace = FALSE, sample_fraction = 1,
                     depth = 2, seed = 1)
  tree <- forest_tree(fit, 1)
  peer <- rpart::rpart(Species ~ ., iris, maxdepth = 2, cp = 0, minsplit = 2, minbucket = 1,
                       xval = 0)
  gini <- function(counts) sum(counts) - sum(counts^2) / sum(counts)
  counts <- as.matrix(tree[grep("^n_", names(tree))])
  inner <- which(!is.na(tree$left))
  gains <- vapply(inner, function(i) gini(counts[i, ]) - gini(counts[tree$left[i], ]) -
                  gini(counts[tree$right[i], ]), 0)
  improve <-
    peer$splits[peer$splits[, "count"] > 0 & !duplicated(peer$splits[, "count"]), "improve"]
  expect_equal(sort(gains), sort(unname(improve)))
  expect_equal(sum(gains), sum(fit$importance$impurity), tolerance = 1e-6)
})

test_that("the importances of a numeric response add up to the decrease of its sum of squares", {
  for (unit in c(1, 1e-3, 1e5)) {
    cars <- transform(mtcars, mpg = unit * mpg)
    fit <- hist_forest(mpg ~ ., cars, trees = 1, replace = FALSE, sample_fraction = 1, seed = 1,
                       importance = "permutation", min_n = 4)
    left <- sum((cars$mpg - predict(fit, cars))^2)
    expect_equal(sum(fit$importance$impurity), 31 * var(cars$mpg) - left, tolerance = 1e-5)
  }
})

test_that("with little memory codes are kept by column alone, and the forest is the same", {
  set.seed(1)
  data <- data.frame(y = factor(sample(3, 3000, TRUE)), a = rnorm(3000), b = rpois(3000, 3))
  grow <- function(...) hist_forest(y ~ ., data, trees = 5, seed = 1, threads = 1, ...)$forest
  expect_identical(grow(memory_limit = 2.1e6), grow()) # the codes take 1.2e6, by row 4.8e4 more
})
