test_that("a tree of noise is the linear model, and a tree that predicts better stays", {
  set.seed(1)
  for (turn in 1:5) {
    d <- as.data.frame(matrix(rnorm(250 * 6), 250))
    d$y <- d$V1 + 9 * rnorm(250)
    expect_identical(nrow(coef(gmt(y ~ V1 | ., d, seed = turn))), 1L)
    d$y <- ifelse(d$V2 > 0, 2, -1) * d$V1 + rnorm(250)
    fit <- gmt(y ~ V1 | ., d, seed = turn)
    expect_gt(nrow(coef(fit)), 1)
    expect_identical(coef(gmt(y ~ V1 | ., d, seed = turn)), coef(fit))
  }
})

test_that("who gives a complexity has the tree of the search", {
  set.seed(1)
  d <- as.data.frame(matrix(rnorm(200 * 6), 200))
  d$y <- rnorm(200)
  expect_gt(nrow(coef(gmt(y ~ V1 | ., d, seed = 1, complexity = 0.1))), 1)
})

test_that("a first fold without a tree is no reason for one", {
  settings <- contree:::gmt_settings(gmt_control(), list(), TRUE, 1, FALSE)
  better <- function(gains) {
    turn <- 0
    gain_of_one <- function(frame, one, other, out) {
      turn <<- turn + 1
      if (turn == 1) numeric(sum(out)) else rep_len(gains, sum(out))
    }
    is_better <- contree:::is_better
    environment(is_better) <- list2env(list(gain_of_one = gain_of_one),
                                       parent = asNamespace("contree"))
    is_better(list(response = 1:100), list(settings = settings), NULL)
  }
  expect_false(better(c(-1, 0.5)))
  expect_true(better(c(1, -0.5)))
  expect_false(better(0))
})

test_that("held-out rows are predicted no worse than by lm(), but for noise", {
  sets <- list(cpus = MASS::cpus[-1], lung = survival::lung[c("time", "age", "sex", "wt.loss")],
               faithful = faithful, chick = ChickWeight[c("weight", "Time", "Diet")])
  names <- c(cpus = "perf", lung = "time", faithful = "waiting", chick = "weight")
  worse <- vapply(names(sets), function(name) {
    d <- as.data.frame(unclass(stats::na.omit(sets[[name]])))
    set.seed(1)
    fold <- sample(rep_len(1:5, nrow(d)))
    formula <- stats::reformulate(".", names[[name]])
    gain <- unlist(lapply(1:5, function(k) {
      held <- d[fold == k, ]
      off <- function(fit) (predict(fit, held) - held[[names[[name]]]])^2
      off(gmt(formula, d[fold != k, ], seed = 1)) - off(lm(formula, d[fold != k, ]))
    }))
    mean(gain) > 2 * stats::sd(gain) / sqrt(length(gain))
  }, NA)
  expect_identical(sum(worse), 0L)
})

test_that("rows that lack what no row of the other folds lacks say nothing against a tree", {
  set.seed(2)
  d <- data.frame(x = runif(300), u = runif(300))
  d$y <- ifelse(d$x < 0.5, 3 * d$x, 10 - 2 * d$x) + rnorm(300, 0, 0.1)
  leaves <- function(data, formula = y ~ .) nrow(coef(gmt(formula, data, seed = 1)))
  expect_identical(leaves(d), 2L)
  expect_identical(leaves(replace(d, "u", list(replace(d$u, 7, NA)))), 2L)
  expect_identical(leaves(replace(d, "x", list(replace(d$x, 7, NA)))), 2L)
})

test_that("where the response is nearly linear, new rows are predicted as by lm()", {
  set.seed(6)
  for (noise in c(0, 0.01, 0.1, 0.3, 1)) {
    rows <- function(n) {
      x <- as.data.frame(matrix(rnorm(4 * n), n))
      transform(x, y = V1 + 2 * V2 - V3 + noise * rnorm(n))
    }
    d <- rows(200)
    held <- rows(2000)
    off <- function(fit) sqrt(mean((predict(fit, held) - held$y)^2))
    expect_lt(off(gmt(y ~ ., d, seed = 1)), 1.01 * off(lm(y ~ ., d)) + 1e-9)
  }
})

test_that("rows held out count by their weights", {
  set.seed(5)
  n <- 400
  d <- data.frame(x = runif(n), light = rep(c(FALSE, TRUE), c(150, 250)))
  d$y <- ifelse(d$light, rnorm(n, 0, 30), ifelse(d$x < 0.5, 3 * d$x, 10 - 2 * d$x))
  d$y <- d$y + rnorm(n, 0, 0.1)
  w <- ifelse(d$light, 1e-9, 1)
  roles <- list(regressors = "x", splitters = "x")
  settings <- contree:::gmt_settings(gmt_control(complexity = 1), list(), TRUE, 1, FALSE)
  frame <- contree:::read_gmt_xy(d["x"], d$y, NULL, w, NULL)$frame
  out <- seq_len(n) %% 5 == 0
  others <- contree:::rows_of_frame(frame, !out)
  errors <- function(...) {
    fit <- gmt(d["x"][!out, , drop = FALSE], d$y[!out], weights = w[!out], seed = 1, ...)
    (predict(fit, d["x"][out, , drop = FALSE]) - d$y[out])^2
  }
  expect_equal(contree:::gain_of_one(frame, list(roles = roles, settings = settings),
                                     list(roles = roles,
                                          settings = contree:::with_one_leaf(settings)), out),
               w[out] * unname(errors(max_leaves = 1) - errors(complexity = 1)))
})

test_that("a tree must be better by a standard error", {
  settings <- contree:::gmt_settings(gmt_control(), list(), TRUE, 1, FALSE)
  better <- function(gains) {
    is_better <- contree:::is_better
    environment(is_better) <- list2env(list(gain_of_one = function(frame, one, other, out) {
      gains[out]
    }), parent = asNamespace("contree"))
    is_better(list(response = seq_along(gains)), list(settings = settings), NULL)
  }
  gains <- rep(c(1, -1), 50)
  error <- sd(gains) / 10
  expect_false(better(gains + 0.9 * error))
  expect_true(better(gains + 1.1 * error))
  expect_false(better(gains - 1.1 * error))
})

test_that("factors of many levels are in the linear model where they help", {
  set.seed(3)
  rows <- function(n, effects) {
    d <- data.frame(f = factor(sample(30, n, TRUE), 1:30), x = rnorm(n))
    transform(d, y = x + effects[f] + rnorm(n))
  }
  for (deviation in c(0.7, 2)) {
    effects <- rnorm(30, sd = deviation)
    d <- rows(250, effects)
    held <- rows(2000, effects)
    off <- function(fit) sqrt(mean((predict(fit, held) - held$y)^2))
    fit <- gmt(y ~ ., d, seed = 1)
    expect_equal(off(fit), off(lm(y ~ ., d)), tolerance = 0.001)
    expect_identical(names(fit$gmt$design), c("f", "x"))
    # not where the formula or a setting says what they are for
    expect_identical(names(gmt(y ~ x | f, d, seed = 1)$gmt$design), "x")
    expect_identical(names(gmt(y ~ ., d, seed = 1, factors = "split")$gmt$design), "x")
  }
  d <- rows(250, numeric(30))
  expect_identical(colnames(coef(gmt(y ~ ., d, seed = 1))), c("(Intercept)", "x"))
  expect_identical(nrow(coef(gmt(y ~ ., d, seed = 1))), 1L)
})
