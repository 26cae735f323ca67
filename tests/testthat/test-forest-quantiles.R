# Weights of training rows, from the leaves that all rows come to and how often they were drawn.
by_hand <- function(fit, data, new, left_out = FALSE) {
  known <- predict(fit, data, type = "leaf")
  at <- predict(fit, new, type = "leaf")
  weights <- matrix(0, nrow(at), nrow(data))
  for (i in seq_len(nrow(at))) {
    trees <- if (left_out) which(fit$inbag[i, ] == 0) else seq_len(ncol(at))
    for (t in trees) {
      own <- fit$inbag[, t] * (known[, t] == at[i, t])
      weights[i, ] <- weights[i, ] + own / sum(own) / length(trees)
    }
  }
  weights
}

quantiles_of <- function(y, weights, p) {
  o <- order(y)
  t(apply(weights[, o], 1, function(w) {
    vapply(p, function(q) y[o][which(cumsum(w) >= q - 1e-9 & cumsum(w) > 1e-12)[1]], 0)
  }))
}

some_rows <- function(n) {
  d <- data.frame(a = rnorm(n), b = sample(letters[1:4], n, TRUE), c = rnorm(n))
  d$a[sample(n, n / 10)] <- NA
  d$y <- round(ifelse(is.na(d$a), 0, d$a) + 2 * (d$b == "b") + rnorm(n), 1)
  d
}

test_that("quantiles and weights are those of the rows of leaves", {
  set.seed(2)
  d <- some_rows(300)
  new <- some_rows(40)
  p <- c(0.5, 0, 0.1, 0.25, 1 / 3, 0.9, 1, 0.5)
  for (extra in list(list(), list(replace = FALSE), list(sample_fraction = 40, trees = 5),
                     list(min_n = 200), list(depth = 0), list(splitrule = "random", min_n = 1),
                     list(weights = rep(0:2, 100), factors = "order"))) {
    fit <- do.call(hist_forest, utils::modifyList(
      list(x = d[1:3], y = d$y, trees = 40, seed = 1, quantiles = TRUE, keep_inbag = TRUE), extra))
    weights <- by_hand(fit, d, new)
    told <- predict(fit, new, type = "weights")
    expect_equal(unname(told), weights, tolerance = 1e-7)
    expect_equal(drop(told %*% d$y), predict(fit, new), tolerance = 1e-7)
    expect_identical(unname(predict(fit, new, type = "quantiles", quantiles = p)),
                     quantiles_of(d$y, weights, p))
    out <- if (all(fit$oob$trees > 0)) by_hand(fit, d, d, left_out = TRUE)
    if (is.null(out)) next
    expect_equal(unname(predict(fit, type = "weights")), out, tolerance = 1e-7)
    expect_equal(unname(drop(predict(fit, type = "weights") %*% d$y)), fit$oob$predictions,
                 tolerance = 1e-7)
    expect_identical(unname(predict(fit, type = "quantiles", quantiles = p)),
                     quantiles_of(d$y, out, p))
  }
})

test_that("quantiles are named as by ranger, and rows kept change no tree", {
  set.seed(3)
  d <- some_rows(200)
  fit <- hist_forest(y ~ ., d, num.trees = 30, quantreg = TRUE, seed = 1)
  expect_identical(fit$control$min_n, 10)
  expect_output(print(fit), "Keeps the rows of leaves")
  q <- predict(fit, d[1:5, ], type = "quantiles")
  expect_identical(dimnames(q), list(as.character(1:5), paste("quantile=", c(0.1, 0.5, 0.9))))
  plain <- hist_forest(y ~ ., d, trees = 30, seed = 1, min_n = 10)
  same <- setdiff(names(plain$forest), c("rows", "row_ends"))
  expect_identical(fit$forest[same], plain$forest[same])
  expect_null(plain$forest$rows)
  # on a device, which does not know them, only where it is asked for
  expect_contree_error(hist_forest(y ~ ., d, trees = 2, quantiles = TRUE, device = "cuda:7"),
                       "input")
  set.seed(1)
  ranges <- predict(fit, d[1:5, ], type = "quantiles", what = range)
  expect_true(all(ranges[, 1] >= min(d$y) & ranges[, 2] <= max(d$y) & ranges[, 1] < ranges[, 2]))
  expect_identical(dim(ranges), c(5L, 2L))
})

test_that("parts, threads and workers give the same quantiles", {
  set.seed(4)
  d <- some_rows(700)
  grow <- function(...) hist_forest(y ~ ., d, seed = 1, quantiles = TRUE, ...)
  fit <- grow(trees = 20, threads = 2)
  expect_identical(c(grow(trees = 5, first = 16), grow(trees = 15))$forest[names(fit$forest)],
                   fit$forest)
  one <- predict(fit, d, type = "quantiles", threads = 1)
  expect_identical(predict(fit, d, type = "quantiles", threads = 2), one)
  expect_identical(predict(fit, d[701 - 1:700, ], type = "quantiles")[701 - 1:700, ], one)
  expect_identical(predict(unserialize(serialize(fit, NULL)), d, type = "quantiles"), one)
  expect_contree_error(c(fit, hist_forest(y ~ ., d, seed = 1, trees = 5, first = 21, min_n = 10)),
                       "input", "'quantiles'")
  wide <- hist_forest(d[1:3], replace(d$y, 7, 1e12), trees = 10, seed = 1, quantiles = TRUE)
  expect_lt(max(predict(wide, d[1:3], type = "quantiles", quantiles = 0.5)[-7]), 10)
})

test_that("intervals are conformal", {
  set.seed(5)
  simulate <- function(n) {
    x <- matrix(rnorm(4 * n), n, dimnames = list(NULL, letters[1:4]))
    data.frame(x, y = x[, 1] + x[, 2]^2 + rnorm(n) * exp(x[, 3] / 2))
  }
  d <- simulate(800)
  new <- simulate(4000)
  within <- function(said) mean(new$y >= said[, "lwr"] & new$y <= said[, "upr"])
  for (kept in c(TRUE, FALSE)) {
    fit <- hist_forest(y ~ ., d, trees = 100, seed = 1, quantiles = kept)
    for (level in c(0.5, 0.8)) {
      said <- predict(fit, new, interval = "conformal", level = level)
      expect_identical(said[, "fit"], predict(fit, new))
      expect_lt(abs(within(said) - level), 0.05)
      expect_true(all(said[, "lwr"] <= said[, "upr"]))
    }
  }
  # from their definition
  error <- sort(abs(d$y - fit$oob$predictions))
  expect_equal(unname(said[1, "upr"] - said[1, "fit"]), error[ceiling(0.8 * 801)])
  expect_identical(unname(predict(fit, new[1, ], interval = "conformal", level = 0.9999)[1, 2:3]),
                   c(-Inf, Inf))
})

test_that("what cannot be asked of rows is an error", {
  set.seed(6)
  d <- some_rows(100)
  fit <- hist_forest(y ~ ., d, trees = 5, quantiles = TRUE)
  plain <- hist_forest(y ~ ., d, trees = 5, oob = FALSE)
  fails <- function(call, why) expect_error(call, why, class = "contree_input_error")
  fails(predict(plain, d, type = "quantiles"), "quantiles = TRUE")
  fails(predict(plain, d, interval = "conformal"), "oob = TRUE")
  fails(predict(fit, d, type = "quantiles", quantiles = 2), "from 0 to 1")
  fails(predict(fit, d, type = "quantiles", what = 3), "'what'")
  fails(predict(fit, d, interval = "conformal", level = 1), "'level'")
  fails(predict(fit, d, level = 1), "'level'")
  fails(predict(fit, d, type = "leaf", interval = "conformal"), "\"response\"")
  fails(predict(fit, interval = "conformal"), "'newdata'")
  fails(hist_forest(y ~ ., d, quantiles = TRUE, quantreg = TRUE), "two names")
  expect_contree_error(hist_forest(Species ~ ., iris, quantiles = TRUE), "unsupported", "classes")
  kept <- d
  d$a <- rev(d$a)
  fails(predict(fit, type = "quantiles"), "not the rows the forest was grown from")
  expect_length(predict(fit, type = "quantiles", data = kept), 300)
  d <- NULL
  fails(predict(fit, type = "quantiles"), "cannot be found again")
  # a damaged forest
  fit$forest$rows[3] <- bitwShiftL(200L, 8L) + 1L
  expect_error(predict(fit, kept, type = "quantiles"), "'rows' are not valid")
})

test_that("rows that were not held out do not say how wide intervals are", {
  set.seed(7)
  n <- 80
  d <- data.frame(x = runif(n))
  d$y <- d$x + rnorm(n)
  held <- rep(c(TRUE, FALSE), c(15, 65))
  d$y[held] <- d$y[held] + rnorm(15, 0, 9)
  fit <- hist_forest(d["x"], d$y, trees = 40, weights = as.numeric(!held), holdout = TRUE,
                     quantiles = TRUE, seed = 1)
  new <- data.frame(x = 0.5)
  ends <- c(0.25, 0.75)
  own <- predict(fit, d[held, "x", drop = FALSE], type = "quantiles", quantiles = ends)
  misses <- sort(pmax(own[, 1] - d$y[held], d$y[held] - own[, 2]))
  expect_equal(unname(predict(fit, new, interval = "conformal", level = 0.5, data = d["x"])[2:3]),
               c(predict(fit, new, type = "quantiles", quantiles = ends)) + c(-1, 1) * misses[8])
})
