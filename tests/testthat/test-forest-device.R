# The host twin of a GPU, and the GPU, where there is one.

# All that does not depend on who grew it.
same_forest <- function(a, b, info = NULL) {
  parts <- c("forest", "oob", "importance", "inbag", "harm", "left_out", "status", "seed")
  expect_identical(unclass(a)[parts], unclass(b)[parts], info = info)
}

test_that("forests grown on the twin of a GPU are those of the CPU", {
  data <- transform(iris, Sepal.Width = replace(Sepal.Width, c(3, 80), NA),
                    size = cut(Petal.Length, c(0, 2, 4, 5, 9)))
  cars <- transform(mtcars, gear = factor(gear), wt = replace(wt, 4:6, NA))
  settings <- list(
    list(Species ~ ., data, importance = "permutation"), list(Species ~ ., data, min_n = 7),
    list(Species ~ ., data, splitrule = "entropy"), list(Species ~ ., data, splitrule = "error"),
    list(Species ~ ., data, splitrule = "random", factors = "order"),
    list(Species ~ ., data, replace = FALSE, keep_inbag = TRUE),
    list(Species ~ ., data, class_weights = "balanced", depth = 3),
    list(Species ~ ., data, pool = "level", first = 5, oob = FALSE, importance = "none"),
    list(mpg ~ ., cars, importance = "permutation"), list(mpg ~ ., cars, splitrule = "random"))
  for (i in seq_along(settings)) {
    grow <- function(device) {
      do.call(hist_forest, c(settings[[i]], trees = 6, seed = i, device = device))
    }
    expect_silent(on_twin <- with_twin(grow("twin")))
    expect_identical(on_twin$device, "twin")
    on_cpu <- grow("cpu")
    expect_identical(on_cpu$device, "cpu")
    same_forest(on_twin, on_cpu, i)
    same_forest(grow("auto"), on_cpu, i)
  }
})

test_that("forests of more than a block are grown on the twin", {
  set.seed(4)
  x <- matrix(round(rnorm(12000), 2), 3000)
  y <- factor(letters[1 + (x[, 1] > 0) + (x[, 2] * x[, 3] > 0.2)])
  z <- x[, 1] + abs(x[, 4])
  for (response in list(y, z)) {
    on_twin <- with_twin(hist_forest(x, response, trees = 3, seed = 1, min_n = 30,
                                     device = "twin"))
    expect_identical(on_twin$device, "twin")
    same_forest(on_twin, hist_forest(x, response, trees = 3, seed = 1, min_n = 30,
                                     device = "cpu"))
  }
})

test_that("what a GPU does not do is said once, or is an error", {
  rule <- hist_learner("gini")
  expect_message(fit <- with_twin(hist_forest(Species ~ ., iris, trees = 2, learner = rule,
                                              device = "twin")),
                 "without the GPU: .*function chooses", class = "contree_message")
  expect_identical(fit$device, "cpu")
  skip_if_not(no_gpu(), "there is a GPU")
  expect_contree_error(hist_forest(Species ~ ., iris, learner = rule, device = "cuda"), "input",
                       c("'device'", "function chooses", "\"cpu\""))
})

test_that("a device that is not there is a clear error of hist_forest() too", {
  skip_if_not(no_gpu(), "there is a GPU")
  problem <- expect_contree_error(hist_forest(Species ~ ., iris, device = "cuda"), "input",
                                  c("'device'", contree_gpu()$reason[1], "contree_gpu()"))
  expect_identical(problem$argument, "device")
  for (bad in list("gpu", "twin", NA_character_, 1, NULL, c("cpu", "cuda"))) {
    expect_contree_error(hist_forest(Species ~ ., iris, device = bad), "input",
                         c("'device'", "\"cuda:1\""))
  }
  expect_silent(fit <- hist_forest(Species ~ ., iris, trees = 2))
  expect_identical(fit$device, "cpu")
})

test_that("with a GPU the forest is that of the CPU", {
  skip_if(no_gpu(), "no GPU")
  set.seed(1)
  x <- matrix(runif(60000 * 12), ncol = 12)
  y <- factor((x[, 1] > 0.4) + (x[, 2] * x[, 3] > 0.3))
  for (response in list(y, x[, 1] + x[, 2]^2)) {
    gpu <- hist_forest(x, response, trees = 20, seed = 1, device = "cuda")
    expect_identical(gpu$device, "cuda:0")
    same_forest(gpu, hist_forest(x, response, trees = 20, seed = 1, device = "cpu"))
  }
})

test_that("forests from devices can be put together", {
  one <- with_twin(hist_forest(Species ~ ., iris, trees = 3, seed = 2, device = "twin"))
  two <- hist_forest(Species ~ ., iris, trees = 3, seed = 2, first = 4, device = "cpu")
  both <- c(one, two)
  expect_identical(both$device, "twin, cpu")
  whole <- hist_forest(Species ~ ., iris, trees = 6, seed = 2)
  expect_identical(both[c("forest", "oob", "importance")],
                   whole[c("forest", "oob", "importance")])
})

test_that("forests predict on the twin of a GPU as on the CPU", {
  data <- transform(iris, Sepal.Width = replace(Sepal.Width, c(3, 80), NA),
                    size = cut(Petal.Length, c(0, 2, 4, 5, 9)))
  fit <- hist_forest(Species ~ ., data, trees = 7, min_n = 4, seed = 3)
  rows <- data[c(1:70, 120:150), ]
  for (type in c("class", "prob", "votes", "leaf", "trees")) {
    expect_silent(told <- with_twin(predict(fit, rows, type = type, device = "twin")))
    expect_identical(told, predict(fit, rows, type = type, device = "cpu"), info = type)
    expect_identical(told, predict(fit, rows, type = type), info = type)
  }
  cars <- hist_forest(mpg ~ ., mtcars, trees = 9, seed = 3)
  for (type in c("response", "leaf", "trees")) {
    expect_identical(with_twin(predict(cars, mtcars, type = type, device = "twin")),
                     predict(cars, mtcars, type = type, device = "cpu"), info = type)
  }
  with_errors <- function(device) {
    suppressWarnings(predict(cars, mtcars, se.fit = TRUE, device = device),
                     classes = "contree_few_trees")
  }
  expect_identical(with_twin(with_errors("twin")), with_errors("cpu"))
})

test_that("the class is the first of the most probable ones", {
  fit <- hist_forest(factor(carb) ~ ., mtcars, trees = 4, depth = 2, seed = 3)
  prob <- predict(fit, mtcars, type = "prob")
  expected <- factor(fit$classes[max.col(prob, ties.method = "first")], fit$classes)
  expect_identical(unname(predict(fit, mtcars)), expected)
  expect_identical(unname(with_twin(predict(fit, mtcars, device = "twin"))), expected)
})

test_that("images are labelled on the twin of a GPU as on the CPU", {
  set.seed(2)
  image <- array(sample(0:50, 40 * 30 * 2, TRUE) + rep(c(0, 20), each = 600), c(40, 30, 2))
  labels <- matrix(rep(c("a", "b", NA), c(500, 600, 100)), 40)
  gradient <- function(image) image[, , 1] - image[, , 2]
  for (features in list(20, gradient)) {
    fit <- image_forest(image, labels, features = features, radius = 3, trees = 3, depth = 5,
                        seed = 1)
    for (type in c("class", "prob", "votes", "leaf")) {
      expect_silent(told <- with_twin(predict(fit, list(image, image), type = type,
                                              device = "twin")))
      expect_identical(told, predict(fit, list(image, image), type = type, device = "cpu"))
      expect_identical(told[[1]], predict(fit, image, type = type))
    }
    one <- with_twin(predict(fit, image, type = "leaf", which = 2, device = "twin"))
    expect_identical(one, predict(fit, image, type = "leaf", device = "cpu")[, , 2, drop = FALSE])
  }
})

test_that("forests over pixels that the twin of a GPU counts are those of the CPU", {
  set.seed(3)
  image <- array(sample(0:50, 40 * 30 * 2, TRUE) + rep(c(0, 20), each = 600), c(40, 30, 2))
  labels <- matrix(rep(c("a", "b", NA), c(500, 600, 100)), 40)
  gradient <- function(image) image[, , 1] - image[, , 2]
  grow <- function(features, policy, device) {
    image_forest(list(image, image), list(labels, labels), features = features, radius = 3,
                 trees = 3, depth = 5, policy = policy, seed = 1, device = device)
  }
  for (features in list(20, gradient)) for (policy in c("best", "random")) {
    expect_silent(told <- with_twin(grow(features, policy, "twin")))
    expect_identical(told$device, "twin")
    expect_identical(told$forest, grow(features, policy, "cpu")$forest)
  }
  skip_if(no_gpu(), "no GPU")
  expect_identical(grow(20, "best", "cuda")$forest, grow(20, "best", "cpu")$forest)
})

test_that("a device that is not there is a clear error, and 'auto' the CPU", {
  skip_if_not(no_gpu(), "there is a GPU")
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 1)
  problem <- expect_contree_error(predict(fit, iris, device = "cuda"), "input",
                                  c("'device'", contree_gpu()$reason[1], "\"cpu\"",
                                    "contree_gpu()"))
  expect_identical(problem$argument, "device")
  expect_contree_error(predict(fit, iris, device = "gpu"), "input", c("'device'", "\"cuda:1\""))
  expect_contree_error(predict(fit, iris, device = "twin"), "input", "'device'")
  expect_silent(predict(fit, iris, device = "auto"))
  image <- matrix(1:100, 10)
  labels <- matrix(rep(1:2, 50), 10)
  pixels <- image_forest(image, labels, features = 5, radius = 2, trees = 1, seed = 1)
  expect_contree_error(predict(pixels, image, device = "cuda:1"), "input", "'device'")
  expect_contree_error(image_forest(image, labels, device = "cuda"), "input", "'device'")
})

test_that("with a GPU forests predict as on the CPU", {
  skip_if(no_gpu(), "no GPU")
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 3)
  for (type in c("class", "prob", "votes", "leaf", "trees")) {
    expect_identical(predict(fit, iris, type = type, device = "cuda"),
                     predict(fit, iris, type = type, device = "cpu"), info = type)
  }
})

test_that("arguments of the entries are checked", {
  fit <- hist_forest(Species ~ ., iris, trees = 2, seed = 1)
  columns <- as.list(iris[1:4])
  for (bad in list(NULL, 1, "gpu", "cuda:", c("cpu", "cpu"), "cuda:123456")) {
    if (identical(bad, "cuda:")) next # the first one
    expect_error(.Call(contree:::ffi_hist_predict, fit$forest, columns, 0L, 1L, bad), "device")
  }
  for (what in list(-1L, NA_integer_, 9L)) { # one of the outputs
    expect_type(.Call(contree:::ffi_hist_predict, fit$forest, columns, what, 1L, "cpu"), "list")
  }
})
