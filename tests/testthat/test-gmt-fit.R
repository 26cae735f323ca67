test_that("the five planes are found, and no threshold is off by a row", {
  d <- armchair(2000)
  fit <- gmt(y ~ ., d, seed = 1)
  expect_s3_class(fit, c("gmt", "contree_model"), exact = TRUE)
  expect_equal(nrow(coef(fit)), 5)
  expect_true(fit$gmt$certified)
  truth <- with(d, (x1 < 1) + 2 * (x1 >= 4) + (x1 >= 1 & x1 < 4) * (3 + (x2 >= 2) + (x2 >= 4)))
  planes <- sum(vapply(split(d, truth), function(rows) deviance(lm(y ~ x1 + x2, rows)), 0))
  expect_lte(deviance(fit), planes * (1 + 1e-9))
})

test_that("leaves are lm() of their rows, with weights, aliases and ill-conditioned columns", {
  d <- armchair(400, 3, seed = 2)
  expect_leaves_of_lm(gmt(y ~ ., d, seed = 1), y ~ x1 + x2 + x3, d)
  d$w <- runif(400, 0.1, 3)
  fit <- gmt(y ~ x1 + x2 | x1 + x2, d, weights = w, seed = 1)
  expect_leaves_of_lm(fit, y ~ x1 + x2, d)
  d$twice <- 2 * d$x1
  d$sum <- d$x1 + d$x2
  aliased <- gmt(y ~ x1 + twice + x2 + sum | x2, d, weights = w, seed = 1, max_leaves = 3)
  expect_true(all(is.na(coef(aliased)[, c("twice", "sum")])))
  expect_leaves_of_lm(aliased, y ~ x1 + twice + x2 + sum, d)
  d$near <- d$x1 + 1e-6 * d$x3
  d$far <- 1e6 + d$x2
  expect_leaves_of_lm(gmt(y ~ x1 + near | x2, d, seed = 1, max_leaves = 2), y ~ x1 + near,
                      transform(d, w = 1))
  expect_leaves_of_lm(gmt(y ~ far | x1, d, seed = 1, max_leaves = 3), y ~ far, transform(d, w = 1),
                      1e-7)
})

test_that("formula, x and y, and x, y and z say the same", {
  d <- armchair(300, 3, seed = 3)
  fit <- gmt(y ~ x1 + x2 | x2 + x3, d, seed = 4)
  expect_equal(fit$gmt$regressors, c("x1", "x2"))
  expect_equal(fit$gmt$splitters, c("x2", "x3"))
  other <- gmt(d[c("x1", "x2")], d$y, d[c("x2", "x3")], seed = 4)
  expect_equal(coef(fit), coef(other))
  expect_equal(unname(predict(fit, d)), unname(predict(other, d)))
  expect_equal(formula(fit), y ~ x1 + x2 | x2 + x3)
  expect_equal(coef(gmt(d, y ~ x1 + x2 | x2 + x3, seed = 4)), coef(fit))
  expect_equal(coef(gmt(as.matrix(d[1:3]), d$y, seed = 5)), coef(gmt(y ~ ., d, seed = 5)))
  constants <- gmt(y ~ 1 | ., d, seed = 6)
  expect_equal(tree_leaf(constants), "number")
  means <- tapply(d$y, predict(constants, type = "node"), mean)
  expect_equal(coef(constants)[, 1], means[rownames(coef(constants))], ignore_attr = TRUE)
  expect_equal(residuals(constants), d$y - fitted(constants), ignore_attr = TRUE)
})

test_that("the tree depends on the seed, not on threads or instruction sets", {
  d <- armchair(1200, 3, noise = 2, seed = 5)
  fit <- gmt(y ~ ., d, seed = 9, threads = 1, sample = 800)
  expect_identical(gmt(y ~ ., d, seed = 9, threads = 2, sample = 800)$frame, fit$frame)
  for (level in contree_info()$simd_available) {
    old <- options(contree.simd = level)
    expect_identical(gmt(y ~ ., d, seed = 9, threads = 1, sample = 800)$frame, fit$frame)
    options(old)
  }
  set.seed(3)
  drawn <- gmt(y ~ ., d)$gmt$seed
  set.seed(3)
  expect_identical(gmt(y ~ ., d)$gmt$seed, drawn)
})

test_that("factors split by sets of levels, missing values go where they fit, dates stay dates", {
  set.seed(6)
  n <- 400
  d <- data.frame(a = runif(n), f = factor(sample(letters[1:6], n, TRUE)),
                  day = as.Date("2020-01-01") + sample(300, n, TRUE),
                  m = runif(n), o = factor(sample(1:4, n, TRUE), ordered = TRUE))
  d$y <- ifelse(d$f %in% c("b", "e"), 3 * d$a, 5 - d$a) + rnorm(n, 0, 0.05)
  fit <- gmt(y ~ ., d, seed = 1)
  expect_equal(node_levels(fit)[[1]][c("left",
      "right")][[if ("b" %in% node_levels(fit)[[1]]$left) 1 else 2]], c("b", "e"))
  expect_equal(nrow(coef(fit)), 2)
  d$y <- ifelse(d$day < as.Date("2020-06-01"), 3 * d$a, 5 - d$a) + rnorm(n, 0, 0.05)
  expect_output(print(gmt(y ~ a | day + o, d, seed = 1)), "day< 2020-0[56]-[0-9]+")
  d$m[1:80] <- NA
  d$y <- ifelse(is.na(d$m), 2, ifelse(d$m < 0.5, d$a, 2)) + rnorm(n, 0, 0.01)
  fit <- gmt(y ~ a | m + f, d, seed = 1)
  expect_equal(nrow(coef(fit)), 2)
  expect_false(node_default_left(fit)[1])
  expect_equal(node_missing(fit)[1], 80)
  expect_equal(predict(fit, data.frame(a = 0.5, m = NA_real_)), c("1" = 2), tolerance = 0.01)
  # a regressor with holes has its mean there
  fit <- gmt(y ~ m | f, d, seed = 1, max_leaves = 1, missing = "mean")
  filled <- transform(d, m = ifelse(is.na(m), mean(m, na.rm = TRUE), m))
  expect_equal(coef(fit)[1, ], coef(lm(y ~ m, filled)))
  expect_equal(predict(fit, data.frame(m = NA_real_, f = "a")),
               c("1" = unname(predict(lm(y ~ m, filled), data.frame(m = mean(d$m, na.rm = TRUE))))))
})

test_that("offset, subset and na.action are as in lm()", {
  d <- armchair(300, 2, seed = 7)
  d$o <- 3 * d$x2
  fit <- gmt(y ~ x1 | x2, d, offset = o, subset = x1 > 1, seed = 1, max_leaves = 1)
  model <- lm(y ~ x1, d, offset = o, subset = x1 > 1)
  expect_equal(coef(fit)[1, ], coef(model))
  expect_equal(unname(fitted(fit)), unname(fitted(model)))
  expect_equal(residuals(fit), residuals(model))
  expect_equal(predict(fit, d[1:5, ], extrapolate = TRUE), predict(model, d[1:5, ]))
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(model)))
  d$y[3] <- NA
  excluded <- gmt(y ~ x1 | x2, d, na.action = na.exclude, seed = 1)
  expect_equal(length(residuals(excluded)), 300)
  expect_true(is.na(residuals(excluded)[3]))
  expect_equal(nobs(gmt(y ~ x1 | x2, d, seed = 1)), 299)
})

test_that("arguments that come through the dots of a function are those that it was given", {
  d <- armchair(60)
  w <- rep(c(1, 5), 30)
  direct <- gmt(y ~ x1 + x2, d, weights = w, subset = 1:50, offset = x2, seed = 1)
  # the formula's own function has dots as well, which are others
  through <- function(...) lapply(list(y ~ x1 + x2), ...)
  fit <- through(gmt, d, weights = w, subset = 1:50, offset = x2, seed = 1)[[1]]
  expect_identical(fitted(fit), fitted(direct))
  expect_identical(fit$call, direct$call)
  expect_identical(fitted(update(fit, . ~ . - x2)), fitted(update(direct, . ~ . - x2)))
  cv <- function(...) gmt_cv(weights = w, folds = 3, complexity = 1, smoothing = 0, seed = 1, ...)
  expect_identical(cv(y ~ x1, d)[["summary"]],
                   lapply(list(y ~ x1), gmt_cv, d, weights = w, folds = 3, complexity = 1,
                          smoothing = 0, seed = 1)[[1]][["summary"]])
})

test_that("what cannot be used is said by name", {
  d <- armchair(50)
  d$f <- factor(rep(c("a", "b"), 25))
  expect_contree_error(gmt(f ~ x1, d), "input", c("'f' must be numbers, not a factor", "contree()"))
  expect_contree_error(gmt(array(y) ~ x1, d), "input", c("class \"array\"", "as.vector(array(y))"))
  d$day <- as.Date("2020-01-01") + 1:50
  expect_contree_error(gmt(y ~ day | x1, d), "input", "'day' is a regressor")
  expect_contree_error(gmt(y ~ x1, d, leafs = 3), "input", "unknown argument 'leafs'")
  expect_contree_error(gmt(y ~ x1, d, weights = rep(0, 50)), "input", "all 'weights' are 0")
  expect_contree_error(gmt(y ~ x1, d, offset = 1:3), "input", "'offset'")
  expect_contree_error(gmt(y ~ x1, d, seed = -1), "input", "'seed'")
  expect_contree_error(gmt(d["x1"], d$y, d[1:3, ]), "input", "'z' has 3")
  d$y[4] <- Inf
  expect_contree_error(gmt(y ~ x1, d), "input", c("'y' has the value Inf", "row 4"))
})

test_that("a search that was stopped gives a tree and a warning", {
  d <- armchair(500)
  expect_warning(fit <- gmt(y ~ ., d, seed = 1, time_limit = 0), class = "contree_timeout")
  expect_equal(fit$gmt$status, "time limit")
  expect_false(fit$gmt$certified)
  expect_equal(unname(fitted(fit) + residuals(fit)), d$y)
  expect_equal(gmt(y ~ ., d, seed = 1, max_rows = 1000)$gmt$status, "row limit")
})

test_that("fitted values are those of the models, by C as by R, on any number of threads", {
  d <- armchair(500, columns = 3)
  d$whole <- sample(9L, 500, TRUE)
  d$yes <- d$x1 > 2
  fit <- gmt(y ~ ., d, seed = 1, max_leaves = 6)
  expect_gt(nrow(coef(fit)), 2)
  by_r <- gmt_values(fit, as.list(d), unname(fit$where), extrapolate = TRUE)
  expect_identical(unname(fitted(fit)), by_r)
  for (threads in 1:3) expect_identical(unname(training_values(fit, as.list(d), threads)), by_r)
  moved <- gmt(y ~ ., d, offset = x1, seed = 1, max_leaves = 6)
  expect_equal(unname(fitted(moved)), unname(predict(moved, d, extrapolate = TRUE)))
  # factors and missing values: R alone
  d$f <- factor(sample(c("a", "b"), 500, TRUE))
  d$x2[7:20] <- NA
  other <- gmt(y ~ ., d, seed = 1, max_leaves = 6, na.action = na.pass)
  expect_identical(unname(fitted(other)), unname(predict(other, d, extrapolate = TRUE)))
})

test_that("weights whose sum is no number to count with are refused", {
  for (unit in c(1e308, 1e99, 1e-102, 1e-300, 2^-1074)) {
    told <- if (unit < 1e-150) "at least 1e-150" else "sum of 'weights'"
    expect_error(gmt(dist ~ speed, cars, weights = rep(unit, 50)), told,
                 class = "contree_input_error")
    expect_error(gmt(cars["speed"], cars$dist, weights = rep(unit, 50)), told,
                 class = "contree_input_error")
  }
})
