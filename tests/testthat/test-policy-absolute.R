# Trees of least absolute error and of quantiles.

loss_of <- function(y, value, tau) ifelse(y > value, tau * (y - value), (1 - tau) * (value - y))

least_loss <- function(y, tau, w = rep(1, length(y))) {
  min(vapply(y, function(value) sum(w * loss_of(y, value, tau)), 0))
}

# The least loss of a tree by trying all.
brute_loss <- function(x, y, depth, tau, minbucket, w) {
  best <- least_loss(y, tau, w)
  if (depth == 0) return(best)
  for (column in x) {
    for (t in unique(column)) {
      left <- column < t
      if (sum(left) < minbucket || sum(!left) < minbucket) next
      best <- min(best, brute_loss(x[left, ], y[left], depth - 1, tau, minbucket, w[left]) +
                    brute_loss(x[!left, ], y[!left], depth - 1, tau, minbucket, w[!left]))
    }
  }
  best
}

test_that("with all values in the grid the tree is the best of all", {
  set.seed(1)
  for (i in 1:12) {
    n <- 24
    x <- data.frame(a = sample(5, n, TRUE), b = rnorm(n))
    y <- if (i %% 2) sample(9, n, TRUE) / 4 else rnorm(n)
    w <- if (i %% 3) rep(1, n) else sample(3, n, TRUE)
    tau <- c(0.5, 0.25, 0.75)[1 + i %% 3]
    depth <- 1 + i %% 2
    fit <- contree(x, y, weights = w, objective = "absolute", tau = tau, depth = depth,
                   minbucket = 1 + i %% 3)
    expect_equal(fit$absolute$objective, brute_loss(x, y, depth, tau, 1 + i %% 3, w))
    expect_identical(fit$absolute$gap, 0)
    expect_equal(sum(w * loss_of(y, predict(fit, x), tau)), fit$absolute$objective)
  }
})

test_that("rows without weight decide nothing, whatever their response is", {
  set.seed(4)
  for (n in c(20, 80)) {
    x <- data.frame(a = sample(6, n, TRUE), b = rnorm(n))
    y <- x$a + rnorm(n)
    w <- replace(sample(2, n, TRUE), 3:6, 0)
    fits <- lapply(list(1, 1e8, c(1e300, -1e300), 1.7e308 * c(1, -1)), function(far) {
      contree(x, replace(y, 3:6, far), weights = w, objective = "absolute", depth = 2,
              minbucket = 3, tau = 0.3)
    })
    kept <- setdiff(names(fits[[1]]$absolute), "elapsed")
    for (fit in fits[-1]) {
      expect_identical(fit$absolute[kept], fits[[1]]$absolute[kept])
      expect_identical(fit$frame, fits[[1]]$frame)
    }
  }
})

test_that("the gap bounds what the grid hides", {
  set.seed(2)
  for (i in 1:6) {
    n <- 60
    x <- data.frame(a = sample(6, n, TRUE), b = sample(4, n, TRUE))
    y <- x$a + rexp(n)
    tau <- c(0.5, 0.9, 0.2)[1 + i %% 3]
    fit <- contree(x, y, objective = "absolute", tau = tau, depth = 2, minbucket = 1)
    best <- brute_loss(x, y, 2, tau, 1, rep(1, n))
    expect_lte(fit$absolute$bound, best + 1e-9)
    expect_gte(fit$absolute$objective, best - 1e-9)
    # what rows between two values of the grid may lose less than at either is not known
    expect_gt(fit$absolute$gap, 0)
    expect_lt(fit$absolute$gap, 0.2 * best)
    leaves <- split(seq_len(n), predict(fit, x))
    expect_equal(sum(vapply(leaves, function(rows) least_loss(y[rows], tau), 0)),
                 fit$absolute$objective)
  }
})

test_that("formulas, prices, and what does not go with it", {
  set.seed(3)
  d <- data.frame(y = rnorm(80), a = rnorm(80), f = factor(sample(letters[1:3], 80, TRUE)))
  fit <- contree(y ~ ., d, objective = "absolute", depth = 2)
  expect_s3_class(fit, "contree_absolute")
  expect_output(print(fit), "absolute error")
  expect_identical(unname(predict(fit, d)), unname(predict(fit)))
  priced <- contree(y ~ ., d, objective = "absolute", depth = 2, complexity = 1)
  expect_identical(nrow(priced$frame), 1L)
  expect_equal(priced$frame$yval, sort(d$y)[40])
  fails <- function(expr, class) expect_error(expr, class = paste0("contree_", class, "_error"))
  fails(contree(f ~ a, d, objective = "absolute"), "input")
  fails(contree(y ~ a, d, objective = "absolute", tau = 1), "input")
  fails(contree(y ~ a, d, objective = "absolute", certificate = TRUE), "unsupported")
  fails(contree(d["a"], d$y, objective = "rewards"), "input")
  fails(contree(y ~ a, d, tau = 0.3), "input")
  fails(contree(d["a"], d$y, tau = 0.3), "input")
  expect_warning(contree(matrix(rnorm(3000), 500), rnorm(500), objective = "absolute", depth = 3,
                         time_limit = 0), class = "contree_timeout")
})
