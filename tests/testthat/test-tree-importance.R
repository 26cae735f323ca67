# `signal` alone tells the classes apart; `useless` is noise that a tree of depth 1 does not touch.
telling <- local({
  set.seed(3)
  data <- data.frame(useless = runif(400), signal = runif(400), weak = runif(400))
  data$class <- factor(ifelse(data$signal > 0.5, "high", "low"))
  data
})

test_that("what is used costs much, what is not nothing", {
  fit <- contree(class ~ ., telling, depth = 1)
  set.seed(1)
  i <- contree_importance(fit, telling, repeats = 30)
  expect_s3_class(i, "contree_importance")
  expect_identical(i$variable, c("signal", "useless", "weak"))
  expect_identical(i$drop[2:3], c(0, 0))
  expect_identical(i$se[2:3], c(0, 0))
  # half of the rows of two classes of one size change theirs
  expect_equal(i$drop[1], 0.5, tolerance = 0.05)
  expect_true(i$se[1] > 0 && i$se[1] < 0.02)
  expect_identical(attr(i, "accuracy"), 1)
})

test_that("what is used for noise is near 0 on other rows", {
  set.seed(2)
  telling$class[sample(400, 80)] <- "low"
  fit <- contree(class ~ ., telling[1:200, ], depth = 3)
  noise <- setdiff(na.omit(as.data.frame(fit)$variable), "signal")
  expect_gt(length(noise), 0)
  i <- contree_importance(fit, telling[201:400, ], repeats = 50)
  drop <- setNames(i$drop, i$variable)
  expect_true(all(abs(drop[noise]) < 0.04))
  expect_gt(drop[["signal"]], 0.2)
  expect_false(is.unsorted(-i$drop))
})

test_that("mean and standard error are those of a loop written by hand", {
  columns <- c("Petal.Length", "Petal.Width") # in the order of the data
  expect_setequal(na.omit(as.data.frame(iris2)$variable), columns)
  set.seed(9)
  loss <- function(column) {
    shuffled <- iris
    shuffled[[column]] <- shuffled[[column]][sample.int(150)]
    mean(predict(iris2, iris) == iris$Species) - mean(predict(iris2, shuffled) == iris$Species)
  }
  drops <- sapply(columns, function(column) replicate(7, loss(column)))
  set.seed(9)
  i <- contree_importance(iris2, iris, repeats = 7)
  expect_equal(i$drop[match(columns, i$variable)], unname(colMeans(drops)))
  expect_equal(i$se[match(columns, i$variable)], unname(apply(drops, 2, sd)) / sqrt(7))
  xy <- contree(as.matrix(iris[1:4]), iris$Species, depth = 2)
  for (data in list(as.matrix(iris[1:4]), unname(as.matrix(iris[1:4])), iris)) {
    set.seed(9)
    expect_equal(contree_importance(xy, data, repeats = 7, y = iris$Species), i)
  }
})

test_that("a column counts in all its functions", {
  data <- telling
  fit <- contree(class ~ poly(signal, 2) + log(weak) + useless, data, depth = 2)
  expect_identical(contree:::used_inputs(contree(class ~ poly(signal, 2) + log(weak), data, depth = 1)), "signal")
  set.seed(1)
  i <- contree_importance(fit, data, repeats = 5)
  expect_setequal(i$variable, c("signal", "weak", "useless"))
  expect_identical(i$variable[1], "signal")
  expect_gt(i$drop[1], 0.4)
})

test_that("a tree without splits needs nothing; one repeat has no standard error", {
  i <- contree_importance(contree(Species ~ ., iris, depth = 0), iris)
  expect_identical(i$drop, numeric(4))
  i <- contree_importance(iris2, iris, repeats = 1)
  expect_true(is.na(i$se[1]))
})

test_that("print and plot", {
  set.seed(1)
  i <- contree_importance(iris2, iris)
  expect_output(print(i), "accuracy 0.96.*variable +drop +se")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(i, main = "Iris"), i)
  expect_silent(plot(contree_importance(iris2, iris, repeats = 1)))
})

test_that("bad input is named", {
  expect_contree_error(contree_importance(iris2, iris[1:4]), "input", "'Species'")
  expect_contree_error(contree_importance(iris2, iris, repeats = 0), "input", "'repeats'")
  expect_contree_error(contree_importance(1, iris), "input", "'fit'")
  expect_contree_error(contree_importance(iris2, iris, y = 1:3), "input", c("150", "3"))
})
