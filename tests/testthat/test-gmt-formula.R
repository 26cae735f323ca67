rows_of_products <- function(n = 300, seed = 2) {
  set.seed(seed)
  d <- data.frame(x = rnorm(n) + 1, z = rnorm(n), f = factor(sample(letters[1:3], n, TRUE)),
                  g = factor(sample(c("u", "v"), n, TRUE)), l = runif(n) > 0.5, u = runif(n),
                  w = runif(n) + 0.1, o = rnorm(n))
  d$y <- with(d, ifelse(u > 0.5, x * z + as.integer(f) * x, -x * z + (g == "u"))) +
    rnorm(n, 0, 0.3)
  d
}

expect_one_leaf_is_lm <- function(regressors, d, ...) {
  formula <- stats::as.formula(call("~", quote(y), call("|", regressors, quote(u))))
  plain <- stats::as.formula(call("~", quote(y), regressors))
  environment(plain) <- environment()
  arguments <- list(...)
  fit <- do.call(gmt, c(list(formula, d, seed = 1, max_leaves = 1), arguments))
  model <- do.call(stats::lm, c(list(plain, d), arguments))
  expect_equal(unname(sort(coef(fit)[1, ])), unname(sort(coef(model))), tolerance = 1e-7)
  expect_equal(unname(fitted(fit)), unname(fitted(model)), tolerance = 1e-8)
  new <- d[c(3, 17, 55, 210), ]
  expect_equal(unname(predict(fit, new, extrapolate = TRUE)),
               unname(suppressWarnings(predict(model, new))), tolerance = 1e-8)
  ours <- summary(fit, node = 1)
  theirs <- summary(model)
  for (part in c("sigma", "df", "r.squared", "adj.r.squared", "fstatistic")) {
    expect_equal(ours[[part]], theirs[[part]], tolerance = 1e-8)
  }
}

test_that("regressors are those of lm(): products, without an intercept, with offsets", {
  d <- rows_of_products()
  for (regressors in expression(
    x * z, x:z, x * f, x:f, f * g, f:g, (x + z)^2 * g, x * l, x / f, x %in% f, x - 1,
    0 + x + f + g, x * f - 1, poly(x, 2), poly(x, 2):f + I(z^2) + log(w), x + offset(o),
    x - 1 + offset(o) + offset(2 * z))) {
    expect_one_leaf_is_lm(regressors, d)
    expect_one_leaf_is_lm(regressors, d, weights = d$w)
  }
  # contr.poly() names no levels, and logicals are factors to lm()
  d$low <- factor(1 + floor(3 * d$w) %% 3, ordered = TRUE)
  for (regressors in expression(low * f, f * low - 1, low:f, low * x, l - 1, x + l + f - 1,
                                f + l - 1)) {
    expect_one_leaf_is_lm(regressors, d)
  }
})

test_that("trees with products split on variables, as lmtree()", {
  skip_if_not_installed("partykit")
  d <- rows_of_products()
  fit <- gmt(y ~ x * z * f | u, d, seed = 1)
  tree <- partykit::lmtree(y ~ x * z * f | u, d)
  expect_equal(deviance(fit), deviance(tree))
  both <- gmt(y ~ x * z, d, seed = 1)
  expect_identical(both$gmt$splitters, c("x", "z"))
  expect_identical(both$gmt$regressors, c("x", "z", "x:z"))
  for (formula in list(y ~ x * f | u, y ~ x:z - 1 | u)) {
    fit <- gmt(formula, d, seed = 1, complexity = 1)
    read <- contree_from_json(as_json(fit))
    columns <- stats::model.frame(fit)
    columns[["x:f.b"]] <- d$x * (d$f == "b")
    columns[["x:f.c"]] <- d$x * (d$f == "c")
    columns[["x:z"]] <- d$x * d$z
    expect_equal(unname(predict(read, columns)), unname(predict(fit, d)))
  }
})

test_that("models without an intercept are those of lm() in every leaf and for every method", {
  d <- rows_of_products()
  for (of in list(list(), list(search = "paper", effort = 50), list(certify = 2), list(bins = 9))) {
    fit <- do.call(gmt, c(list(y ~ x + z - 1 | u, d, seed = 1, complexity = 1), of))
    expect_gt(nrow(coef(fit)), 1)
    expect_identical(colnames(coef(fit)), c("x", "z"))
    expect_leaves_of_lm(fit, y ~ x + z - 1, d[c("x", "z", "y")])
    expect_equal(fit$gmt$bic, 300 * log(deviance(fit) / 300) +
                   log(300) * (3 * nrow(coef(fit)) - 1))
  }
  ridge <- gmt(y ~ x + z - 1 | u, d, seed = 1, ridge = 3, max_leaves = 1)
  x <- as.matrix(d[c("x", "z")])
  expect_equal(coef(ridge)[1, ], drop(solve(crossprod(x) + 3 * diag(colMeans(x^2)),
                                            crossprod(x, d$y))[, 1]))
  expect_identical(colnames(predict(fit, d[1:3, ], type = "terms")), c("x", "z"))
  shrunk <- gmt(y ~ x + z - 1 | u, d, seed = 1, shrink = TRUE, select = 2)
  expect_true(all(shrunk$gmt$coefficients[, 1] == 0))
  many <- transform(d, h = factor(sample(1:20, 300, TRUE)))
  many$y <- ifelse(as.integer(many$h) %% 2 == 0, 3, -2) * d$x + rnorm(300, 0, 0.1)
  expect_leaves_of_lm(gmt(y ~ x - 1 | h, many, seed = 1), y ~ x - 1, many[c("x", "y")])
  expect_contree_error(gmt(y ~ 0 | u, d), "input", "neither an intercept nor a regressor")
})

test_that("update() changes both parts of a formula", {
  d <- rows_of_products()
  fit <- gmt(y ~ x + z | u, d, seed = 1)
  same <- function(change, formula) {
    expect_identical(deparse(formula(update(fit, change))), deparse(formula))
    expect_equal(fitted(update(fit, change)), fitted(gmt(formula, d, seed = 1)))
  }
  same(. ~ . - z, y ~ x | u)
  same(. ~ . | . + w, y ~ x + z | u + w)
  same(. ~ . - 1 | z, y ~ x + z - 1 | z)
  same(I(y + 1) ~ ., I(y + 1) ~ x + z | u)
  all <- gmt(y ~ . | ., d[c("y", "x", "z", "u")], seed = 1)
  expect_identical(update(all, . ~ . - z)$gmt$regressors, c("x", "u"))
  expect_identical(update(all, . ~ . | . - z)$gmt$splitters, c("x", "u"))
  # without a bar variables are what is split on, not products
  product <- gmt(y ~ x:z - 1 + offset(u), d, seed = 1)
  expect_identical(deparse(formula(update(product, . ~ . | . + u))),
                   "y ~ x:z - 1 + offset(u) | x + z + u")
  expect_identical(update(product, . ~ . | . - x)$gmt$splitters, "z")
  expect_contree_error(update(gmt(d["x"], d$y, seed = 1), . ~ . - x), "input", "no formula")
})

test_that("formulas that cannot be read as two parts are refused", {
  d <- rows_of_products()
  expect_contree_error(gmt(y ~ x | z | u, d), "input", "more than one bar")
  expect_contree_error(gmt(y ~ x + (z | u), d), "input", "more than one bar")
  expect_contree_error(gmt(y ~ x | u:z, d), "input", "interaction 'u:z'")
  expect_contree_error(gmt(y ~ x | u + offset(o), d), "input", "offset")
  expect_contree_error(gmt(y ~ y, d), "input", "both the response and a predictor")
})

test_that("numbers whose squares overflow are refused by value", {
  d <- rows_of_products()
  expect_contree_error(gmt(d["x"], replace(d$y, 7, 1e200)), "input", "'y' in row 7, 1e+200")
  expect_contree_error(gmt(y ~ x, transform(d, y = replace(y, 7, -1e160))), "input", "-1e+160")
  expect_contree_error(gmt(data.frame(x = replace(d$x, 3, 1e200)), d$y), "input", "'x' in row 3")
  expect_contree_error(gmt(d["x"], d$y * 1e-160), "input", "the squares of 'y', of at most")
  expect_contree_error(gmt(d["x"] * 1e-170, d$y), "input", "the squares of 'x', of at most")
  expect_contree_error(gmt(d["x"], d$y, weights = replace(d$w, 3, 1e300)), "input", "weights")
})

test_that("what a formula takes away is no splitter either", {
  set.seed(3)
  data <- data.frame(x = rnorm(200), z = rnorm(200), w = rnorm(200))
  data$y <- data$x + 5 * (data$z > 0)
  fit <- gmt(y ~ . - z, data, depth = 2, seed = 1, complexity = 0)
  expect_false("z" %in% c(fit$frame$var, fit$shape$inputs))
  expect_true("z" %in% gmt(y ~ ., data, depth = 1, seed = 1)$frame$var)
  expect_identical(fit$frame, gmt(y ~ x + w, data, depth = 2, seed = 1, complexity = 0)$frame)
  plain <- function(formula) gmt(formula, data, depth = 1, seed = 1)$frame
  expect_identical(plain(exp(y) ~ . - y), plain(exp(y) ~ x + z + w))
  expect_identical(plain(exp(y) ~ . - y + x:w), plain(exp(y) ~ x + z + w + x:w))
  expect_contree_error(gmt(y ~ -z, data), "input", "no predictor")
  expect_contree_error(gmt(y ~ . - nosuch, data), "input", c("removes", "nosuch"))
})

test_that("offsets are taken with the rows, wherever they stand", {
  d <- rows_of_products()
  d$x[3] <- NA
  d$o[7] <- NA
  off <- 2 * d$o
  plain <- gmt(y ~ x | u, d, seed = 1, max_leaves = 1, na.action = na.exclude)
  same <- function(fit, model) {
    expect_equal(unname(fitted(fit)), unname(fitted(model)))
    expect_equal(coef(fit)[1, ], coef(model))
  }
  known <- lm(y ~ x, d, offset = off, na.action = na.exclude)
  same(update(plain, offset = 2 * o), known)
  same(update(plain, offset = off), known)
  same(do.call(gmt, list(y ~ x | u, d, offset = off, seed = 1, max_leaves = 1,
                         na.action = na.exclude)), known)
  same(gmt(y ~ x + offset(off) | u, d, seed = 1, max_leaves = 1, na.action = na.exclude), known)
  fit <- update(plain, offset = 2 * o)
  expect_equal(predict(fit, interval = "confidence", extrapolate = TRUE),
               predict(known, interval = "confidence"))
  expect_identical(nrow(stats::model.frame(fit)), 298L)
  rows <- c(9, 9, 9, 20:120)
  same(update(plain, offset = off, subset = rows),
       lm(y ~ x, d[rows, ], offset = 2 * o, na.action = na.exclude))
  without_data <- with(d, gmt(y ~ x | u, offset = 2 * o, subset = u > 0.5 & !is.na(o), seed = 1,
                              max_leaves = 1, na.action = na.omit))
  same(without_data, lm(y ~ x, d, offset = 2 * o, subset = u > 0.5))
  expect_contree_error(gmt(y ~ x | u, d, offset = o), "input", c("'offset' is NA in row 7"))
  expect_contree_error(predict(update(plain, offset = off), d[11:13, ]), "input",
                       c("vector of length 300", "3 rows"))
})

test_that("training rows are predicted with intervals, whatever a formula computes", {
  d <- rows_of_products()
  weights <- replace(d$w, 4:20, 0)
  local({
    here <- transform(d, far = o)
    for (regressors in expression(poly(x, 2), log(w), x * f, x + offset(far))) {
      formula <- eval(call("~", quote(y), call("|", regressors, quote(u))))
      fit <- gmt(formula, here, weights = weights, seed = 1, max_leaves = 1)
      model <- lm(eval(call("~", quote(y), regressors)), here, weights = weights)
      expect_equal(unname(predict(fit, interval = "confidence")),
                   unname(predict(model, interval = "confidence")))
    }
  })
})

test_that("levels of products that training had not are told", {
  d <- rows_of_products()
  new <- d[1:2, ]
  new$f <- c("b", "zz")
  for (formula in list(y ~ x:f | u, y ~ x * f | u, y ~ x:factor(f) | u)) {
    fit <- gmt(formula, d, seed = 1)
    expect_warning(value <- predict(fit, new), "f.* has 'zz'.* products of .* missing",
                   class = "contree_new_levels")
    expect_identical(unname(is.na(value)), c(FALSE, TRUE))
    expect_contree_error(predict(fit, new, new_levels = "error"), "input", "'zz'")
  }
  expect_silent(predict(fit, d[1:5, ]))
})
