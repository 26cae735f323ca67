# The host twin of a GPU, for tests alone; and the GPU, where there is one.
with_twin <- function(code) {
  old <- options(contree.twin = TRUE)
  on.exit(options(old))
  code
}

no_gpu <- function() !contree_gpu()$available[1]

test_that("forests predict on the twin of a GPU as on the CPU", {
  data <- transform(iris, Sepal.Width = replace(Sepal.Width, c(3, 80), NA),
                    size = cut(Petal.Length, c(0, 2, 4, 5, 9)))
  fit <- hist_forest(Species ~ ., data, trees = 7, min_n = 4, seed = 3)
  rows <- data[c(1:70, 120:150), ]
  for (type in c("class", "response", "prob", "votes", "leaf", "trees")) {
    expect_silent(told <- with_twin(predict(fit, rows, type = type, device = "twin")))
    expect_identical(told, predict(fit, rows, type = type, device = "cpu"), info = type)
    expect_identical(told, predict(fit, rows, type = type), info = type)
  }
  cars <- hist_forest(mpg ~ ., mtcars, trees = 9, seed = 3)
  for (type in c("response", "leaf", "trees")) {
    expect_identical(with_twin(predict(cars, mtcars, type = type, device = "twin")),
                     predict(cars, mtcars, type = type, device = "cpu"), info = type)
  }
  expect_identical(with_twin(predict(cars, mtcars, se.fit = TRUE, device = "twin")),
                   predict(cars, mtcars, se.fit = TRUE, device = "cpu"))
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
