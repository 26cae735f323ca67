# Policies with a rate of claims that x decides, observed for times that say nothing of it.
policies <- function(n) {
  d <- data.frame(x = runif(n), f = factor(sample(letters[1:8], n, TRUE)), time = runif(n, 0.05, 1))
  d$rate <- ifelse(d$x > 0.5, 0.8, 0.1)
  d$claims <- rpois(n, d$rate * d$time)
  d
}

test_that("forests of rates find rates, whatever the exposures", {
  set.seed(1)
  d <- policies(2000)
  fit <- hist_forest(claims ~ x + f, d, exposure = time, family = "poisson", trees = 40, seed = 1)
  expect_equal(fit$control$min_n, 100)
  expect_lt(mean(abs(predict(fit, d) - d$rate)), 0.12)
  expect_true(all(predict(fit, d) > 0))
  told <- fit$oob$predictions * d$time
  expect_equal(fit$oob$deviance, mean(poisson()$dev.resids(d$claims, told, 1)))
  expect_equal(fit$oob$error, weighted.mean((d$claims / d$time - fit$oob$predictions)^2, d$time))
  expect_output(print(fit), "Poisson deviance")
  plain <- hist_forest(claims ~ x + f, d, trees = 40, seed = 1, min_n = 100)
  expect_gt(mean(abs(predict(plain, d) - d$rate)), 0.15)
  # units of time do not matter
  days <- hist_forest(claims ~ x + f, d, exposure = 512 * time, trees = 5, seed = 1)
  years <- hist_forest(claims ~ x + f, d, exposure = time, trees = 5, seed = 1)
  expect_equal(predict(days, d) * 512, predict(years, d))
  xy <- hist_forest(d[c("x", "f")], d$claims, exposure = d$time, trees = 5, seed = 1)
  expect_identical(xy$forest, years$forest)
})

test_that("leaves have sums by sums, with an event more for a Poisson family", {
  set.seed(2)
  d <- policies(300)
  for (family in c("gaussian", "poisson")) {
    fit <- hist_forest(claims ~ x + f, d, exposure = time, family = family, trees = 3, seed = 1,
                       keep_inbag = TRUE)
    leaf <- predict(fit, d, type = "leaf")
    told <- predict(fit, d, type = "trees")
    prior <- if (family == "poisson") 1 else 0
    for (i in 1:3) {
      sums <- rowsum(fit$inbag[, i] * cbind(d$claims, d$time), leaf[, i])
      rate <- (sums[, 1] + prior) / (sums[, 2] + prior * sum(d$time) / sum(d$claims))
      expect_equal(told[, i], rate[as.character(leaf[, i])], ignore_attr = TRUE)
    }
  }
  kept <- d$x > 0.2
  part <- hist_forest(claims ~ x + f, d, exposure = time, subset = x > 0.2, trees = 3, seed = 1)
  same <- hist_forest(claims ~ x + f, d[kept, ], exposure = time, trees = 3, seed = 1)
  expect_identical(part$forest, same$forest)
  parts <- do.call(c, lapply(c(1, 3), function(first) {
    hist_forest(claims ~ x + f, d, exposure = time, trees = 2, first = first, seed = 1)
  }))
  whole <- hist_forest(claims ~ x + f, d, exposure = time, trees = 4, seed = 1)
  expect_identical(parts[c("forest", "oob")], whole[c("forest", "oob")])
  expect_equal(predict(forge(whole), d), unname(predict(whole, d)), ignore_attr = TRUE)
  ones <- hist_forest(claims ~ x, d, family = "poisson", trees = 2)
  expect_true(all(predict(ones, d) > 0))
})

test_that("what rates have not is refused", {
  set.seed(3)
  d <- policies(60)
  grow <- function(...) hist_forest(claims ~ x, d, trees = 2, ...)
  for (bad in list(-1, 0, NA, "a", rep(0, 60), c(NA, rep(1, 59)))) {
    expect_contree_error(grow(exposure = bad), "input", "exposure")
  }
  expect_contree_error(grow(exposure = c(1e-9, rep(1, 59))), "input", "exposure")
  expect_contree_error(hist_forest(x ~ time, transform(d, x = x - 0.5), family = "poisson"),
                       "input", "poisson")
  expect_contree_error(hist_forest(f ~ x, d, exposure = time), "input", "exposure")
  expect_contree_error(grow(exposure = time, importance = "permutation"), "unsupported",
                       "importance")
  expect_contree_error(grow(exposure = time, quantiles = TRUE), "unsupported", "quantiles")
  fit <- grow(exposure = time, min_n = 5)
  for (asked in list(forest_curve, contree_cv, function(x) contree_accuracy(x, d),
                     function(x) predict(x, d, interval = "conformal"))) {
    expect_contree_error(asked(fit), "unsupported", "rates")
  }
})

test_that("an offset in the formula is the logarithm of the exposure", {
  set.seed(7)
  d <- policies(400)
  grow <- function(...) hist_forest(..., data = d, family = "poisson", trees = 5, seed = 1)
  one <- grow(claims ~ x + f, exposure = time)
  two <- grow(claims ~ x + offset(log(time)) + f)
  same <- c("forest", "oob", "y", "terms", "shape", "control")
  expect_identical(two[same], one[same])
  expect_identical(predict(two, d[c("x", "f")]), predict(one, d))
  d$log_time <- log(d$time)
  expect_equal(grow(claims ~ offset(log_time) + x + f)$oob, one$oob)
  direct <- hist_forest(claims ~ x + offset(log(time)), d, family = "poisson", trees = 2, seed = 1)
  expect_identical(partial_dependence(direct, d, "x")$value,
                   partial_dependence(hist_forest(claims ~ x, d, exposure = time, trees = 2,
                                                  seed = 1, family = "poisson"), d, "x")$value)
  expect_contree_error(grow(claims ~ x + offset(log(time)), exposure = time), "input", "exposure")
  expect_contree_error(grow(claims ~ x + offset(log(time)) + offset(x)), "input", "exposure")
  expect_contree_error(grow(claims ~ offset(log(time))), "input", "predictor")
  expect_contree_error(grow(claims ~ x + offset(log(time - 2))), "input", "exposure")
  expect_contree_error(hist_forest(claims ~ x + offset(log(time)), d), "input", "offset")
})

test_that("rates of other rows are those without amounts that are far from all others", {
  set.seed(12)
  n <- 300
  x <- data.frame(a = runif(n), b = runif(n), apart = replace(numeric(n), 7, 1))
  time <- runif(n, 0.5, 2)
  y <- time * (3 * x$a + sin(6 * x$b) + 2 + rnorm(n, 0, 0.3))
  new <- data.frame(a = runif(n), b = runif(n), apart = 0)
  bags <- lapply(1:10, function(i) replace(tabulate(sample(n, n, TRUE), n), 7, i %% 2))
  grow <- function(far, ...) {
    hist_forest(x, replace(y, 7, far), exposure = time, mtry = 3, inbag = bags, trees = 10,
                min_n = 6, seed = 1, ...)
  }
  near <- grow(500) # far enough to be alone at once
  for (far in c(1e5, 1e7, -1e7, 1e10, -1e16, 1e30, -1e60, 1e100)) {
    fit <- grow(far)
    expect_identical(predict(fit, new), predict(near, new))
    expect_equal(fit$oob$predictions[-7], near$oob$predictions[-7], tolerance = 1e-8)
  }
  one <- grow(1e30, threads = 1)
  parts <- c("forest", "oob", "importance", "gains")
  expect_identical(grow(1e30, threads = 2)[parts], one[parts])
  expect_gt(cor(one$oob$predictions[-7], (y / time)[-7], use = "complete.obs"), 0.9)
  for (set in contree_info()$simd_available) {
    before <- options(contree.simd = set)
    expect_identical(grow(1e30)[parts], one[parts])
    options(before)
  }
  part <- function(first, trees) {
    hist_forest(x, replace(abs(y), 7, 1e30), exposure = time, family = "poisson", trees = trees,
                first = first, min_n = 6, seed = 1)
  }
  expect_identical(c(part(4, 5), part(1, 3))[parts], part(1, 8)[parts])
})

test_that("errors of rates are weighted by exposure, beside the rate of all rows", {
  set.seed(8)
  d <- policies(200)
  fit <- hist_forest(claims ~ x + f, d, exposure = time, trees = 10, min_n = 20, seed = 1)
  known <- fit$oob$trees > 0
  off <- function(rate) weighted.mean((d$claims / d$time - rate)[known]^2, d$time[known])
  expect_equal(fit$oob$error, off(fit$oob$predictions))
  expect_equal(fit$oob$r_squared, 1 - fit$oob$error / off(sum(d$claims) / sum(d$time)))
})
