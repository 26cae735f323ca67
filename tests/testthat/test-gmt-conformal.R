test_that("conformal intervals are CV+ of trees that have not seen the rows", {
  d <- armchair(120, noise = 1, seed = 3)
  new <- armchair(20, noise = 1, seed = 4)
  fit <- gmt(y ~ ., d, seed = 7, conformal = 5, max_leaves = 3, effort = 10)
  expect_identical(coef(fit), coef(gmt(y ~ ., d, seed = 7, max_leaves = 3, effort = 10)))
  fold <- fit$conformal$fold
  expect_identical(as.integer(table(fold)), rep(24L, 5))
  fits <- lapply(1:5, function(k) gmt(y ~ ., d[fold != k, ], seed = 7, max_leaves = 3, effort = 10))
  error <- vapply(1:120, function(i) abs(d$y[i] - predict(fits[[fold[i]]], d[i, ])), 0)
  expect_equal(fit$conformal$error, error)
  level <- 0.8
  limits <- predict(fit, new, interval = "conformal", level = level)
  expect_equal(limits[, "fit"], predict(fit, new))
  # levels at which a part of 121 is a whole number, which that part of 120 is below
  for (k in c(1, 13, 24, 60)) {
    at_level <- predict(fit, new, interval = "conformal", level = 1 - k / 121)
    for (row in c(1, 7, 20)) {
      at <- vapply(fits, predict, 0, new[row, ])
      expect_equal(at_level[[row, "lwr"]], sort(at[fold] - error)[k])
      expect_equal(at_level[[row, "upr"]], sort(at[fold] + error)[121 - k])
    }
  }
  # in the long run
  many <- armchair(1000, noise = 1, seed = 5)
  limits <- predict(fit, many, interval = "conformal", level = level)
  expect_gt(mean(many$y >= limits[, "lwr"] & many$y <= limits[, "upr"]), 2 * level - 1)
  expect_equal(predict(fit, new[1, ], interval = "conformal", level = 0.999)[1, 2:3],
               c(lwr = -Inf, upr = Inf))
  expect_contree_error(predict(gmt(dist ~ speed, cars), cars, interval = "conformal"), "input",
                       "conformal = 10")
  expect_contree_error(gmt(dist ~ speed, cars, conformal = 1), "input", "'conformal'")
  expect_contree_error(gmt(dist ~ speed, cars, conformal = 51), "input", "'conformal'")
})

test_that("folds leave R's random numbers alone", {
  set.seed(1)
  expected <- runif(2)
  set.seed(1)
  gmt(dist ~ speed, cars, seed = 1, conformal = 3, effort = 0)
  expect_identical(runif(2), expected)
})

test_that("rows that a fold's tree cannot predict are taken to be infinitely far", {
  set.seed(2)
  d <- data.frame(x = runif(60), u = replace(runif(60), 5, NA))
  d$y <- d$x + rnorm(60)
  fit <- gmt(y ~ ., d, seed = 1, conformal = 6, effort = 0)
  fold <- fit$conformal$fold
  expect_identical(which(is.infinite(fit$conformal$error)), 5L)
  others <- fit$conformal$error[-5]
  expect_output(print(fit), paste("RMSE", signif(sqrt(mean(others^2)), 4)))
  new <- data.frame(x = 0.5, u = c(0.5, NA))
  limits <- predict(fit, new, interval = "conformal", level = 0.8)
  at <- vapply(fit$conformal$fits, function(of_fold) {
    values <- contree:::gmt_values(of_fold, new, c(1L, 1L), FALSE)
    replace(values, is.na(values), Inf)
  }, numeric(2))
  expect_identical(which(is.infinite(at[2, ])), fold[5]) # the tree without row 5
  k <- floor(0.2 * 61)
  for (row in 1:2) {
    below <- c(ifelse(is.finite(at[row, fold[-5]]), at[row, fold[-5]] - others, -Inf), -Inf)
    above <- c(at[row, fold[-5]] + others, Inf)
    expect_equal(limits[[row, "lwr"]], sort(below)[k])
    expect_equal(limits[[row, "upr"]], sort(above)[61 - k])
  }
  lacking <- predict(gmt(y ~ x, d, seed = 1, conformal = 6, effort = 0), data.frame(x = NA_real_),
                     interval = "conformal")
  expect_true(all(is.na(lacking)))
})

test_that("an offset is known of the rows of a fold", {
  set.seed(3)
  d <- data.frame(x = runif(80), o = 100 * rnorm(80))
  d$y <- d$x + rnorm(80)
  plain <- gmt(y ~ x, d, seed = 1, conformal = 4, effort = 0)
  moved <- gmt(I(y + o) ~ x + offset(o), d, seed = 1, conformal = 4, effort = 0)
  expect_equal(moved$conformal$error, plain$conformal$error, tolerance = 1e-6)
  expect_equal(predict(moved, d[1:3, ], interval = "conformal", level = 0.8),
               predict(plain, d[1:3, ], interval = "conformal", level = 0.8) + d$o[1:3],
               tolerance = 1e-6)
})
