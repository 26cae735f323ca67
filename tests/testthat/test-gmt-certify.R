# Crosswise constants and a decoy: a local search without kicks stays with the decoy.
crosswise <- function(n = 500) {
  set.seed(5)
  d <- data.frame(a = runif(n, 0, 5), b = runif(n, 0, 5), c = runif(n, 0, 5))
  d$y <- ((d$a < 2.4) == (d$b < 2.7)) + 0.2 * (d$c < 2) + rnorm(n, 0, 0.01)
  d
}

test_that("the optimum over bins is proven, and becomes the fit", {
  d <- crosswise()
  fit <- gmt(y ~ 1 | ., d, certify = 2, bins = 16, effort = 0, seed = 1)
  found <- fit$gmt$optimum
  expect_equal(found[c("status", "depth", "bins", "gap")],
               list(status = "optimal", depth = 2, bins = 16, gap = 0))
  expect_equal(max(node_depth(fit)), 2)
  expect_lt(deviance(fit), 10)
  expect_lte(found$cost, found$bound * (1 + 1e-8))
  size <- sum(fit$gmt$rank[node_is_leaf(fit)]) + 3
  expect_equal(found$cost, deviance(fit) + found$lambda * size)
  expect_output(print(fit), "proven optimal over 16 bins at depth 2")
  # a subset of the trees of depth 3
  deeper <- gmt(y ~ 1 | ., d, certify = 3, bins = 16, effort = 0, seed = 1)
  expect_lt(deviance(deeper), deviance(fit))
  expect_equal(deeper$gmt$optimum$status, "optimal")
  again <- gmt(y ~ 1 | ., d, certify = 3, bins = 16, effort = 0, seed = 1, threads = 2)
  same <- c("cost", "bound", "solved", "touched")
  expect_identical(again$gmt$optimum[same], deeper$gmt$optimum[same])
  expect_null(gmt(y ~ 1 | ., d, effort = 0, seed = 1)$gmt$optimum)
})

test_that("factors and missing values are part of the proof", {
  d <- crosswise()
  d$k <- factor(c("u", "v", "w", "x")[1 + (d$a < 2.4) + 2 * (d$c < 2)])
  d$a <- NULL
  d$b[c(3, 77, 200)] <- NA
  fit <- gmt(y ~ 1 | b + k, d, certify = 2, bins = 16, seed = 1)
  expect_equal(fit$gmt$optimum$status, "optimal")
  expect_lt(deviance(fit), 12)
  d$k <- factor(sample(letters[1:9], nrow(d), TRUE))
  expect_contree_error(gmt(y ~ 1 | ., d, certify = 2), "input", "'k' has 9 levels")
})

test_that("a proof that was stopped says what it knows", {
  d <- armchair(2000, noise = 1)
  fit <- suppressWarnings(gmt(y ~ ., d, certify = 3, time_limit = 0, seed = 1))
  expect_equal(fit$gmt$optimum[c("status", "bound", "gap")],
               list(status = "stopped", bound = 0, gap = 1))
  expect_output(print(fit), "stopped at the time limit before anything was proven")
})

test_that("settings of proofs are checked", {
  expect_equal(gmt_control(certify = 3)$search$depth, 3)
  expect_equal(gmt_control()$search$depth, 6)
  for (bad in list(1, 4, -1, "a", NA)) {
    expect_contree_error(gmt_control(certify = bad), "input", "'certify' must be")
  }
  expect_contree_error(gmt_control(certify = 2, depth = 3), "input", "'depth'")
  expect_contree_error(gmt_control(certify = 3, max_leaves = 7), "input", "'max_leaves'")
  expect_contree_error(gmt_control(certify = 2, search = "paper"), "input", "paper")
})
