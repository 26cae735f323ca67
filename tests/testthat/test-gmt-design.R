test_that("factors have the contrasts of lm() in the leaves", {
  d <- mixed_lines(holes = FALSE)
  fit <- gmt(y ~ x + f + o + l | z, d, seed = 1)
  expect_equal(nrow(coef(fit)), 2)
  x <- stats::model.matrix(~ x + f + o + l, d)
  colnames(x)[ncol(x)] <- "l"
  expect_leaves_of_matrix(fit, x, d$y)
  for (leaf in as.integer(rownames(coef(fit)))) {
    rows <- d[predict(fit, type = "node") == leaf, ]
    model <- lm(y ~ x + f + o + l, rows)
    expect_equal(unname(coef(fit, leaf)), unname(coef(model)), tolerance = 1e-8)
    expect_equal(unname(vcov(fit, leaf)), unname(vcov(model)), tolerance = 1e-7)
    for (interval in c("confidence", "prediction")) {
      expect_equal(predict(fit, rows, interval = interval, extrapolate = TRUE),
                   suppressWarnings(predict(model, rows, interval = interval)))
    }
  }
  expect_identical(nrow(stats::model.frame(gmt(y ~ x + f | z, d, seed = 1, model = TRUE))), 400L)
  expect_null(tree_model(fit))
  old <- options(contrasts = c("contr.sum", "contr.helmert"))
  on.exit(options(old))
  sums <- gmt(y ~ x + f + o | z, d, seed = 1)
  expect_leaves_of_matrix(sums, stats::model.matrix(~ x + f + o, d), d$y)
  # other contrasts are the same tree
  options(old)
  expect_equal(fitted(sums), fitted(gmt(y ~ x + f + o | z, d, seed = 1)))
})

test_that("levels that a leaf does not know are aliased, and count as the mean of its rows", {
  d <- mixed_lines(holes = FALSE)
  d$z <- ifelse(d$f %in% c("a", "b\"1"), d$z / 2, (1 + d$z) / 2)
  d$y <- ifelse(d$z < 0.5, 3 * d$x, 5 - 2 * d$x) + as.integer(d$f)
  fit <- gmt(y ~ x + f | z, d, seed = 1, max_leaves = 2)
  expect_leaves_of_matrix(fit, stats::model.matrix(~ x + f, d), d$y)
  left <- coef(fit, 2)
  expect_true(all(is.na(left[c("fc'2", "fd")])))
  share <- mean(d$f[d$z < 0.5] == "b\"1")
  expect_equal(unname(predict(fit, data.frame(x = 1, z = 0.1, f = "d"))),
               unname(left[1] + left["x"] + share * left["fb\"1"]))
  expect_warning(value <- predict(fit, data.frame(x = 1, z = 0.1, f = "new")),
                 class = "contree_new_levels")
  expect_equal(unname(value), unname(predict(fit, data.frame(x = 1, z = 0.1, f = "d"))))
  # a level of no row at all, and a factor of one level
  d$f <- factor(d$f, c("none", levels(d$f)))
  expect_equal(unname(coef(gmt(y ~ x + f | z, d, seed = 1, max_leaves = 2))), unname(coef(fit)))
  expect_equal(colnames(coef(gmt(y ~ x + one | z, transform(d, one = "a"), seed = 1))),
               c("(Intercept)", "x"))
})

test_that("missing regressors are the mean, and a coefficient of their own", {
  d <- mixed_lines()
  w <- runif(nrow(d), 0.5, 2)
  fit <- gmt(y ~ x + f + m | z, d, seed = 1, weights = w)
  filled <- d
  filled$m[is.na(d$m)] <- weighted.mean(d$m, w, na.rm = TRUE)
  known <- !is.na(d$f)
  dummies <- vapply(c("b\"1", "c'2", "d"), function(level) {
    ifelse(known, d$f == level, weighted.mean(d$f[known] == level, w[known]))
  }, numeric(nrow(d)))
  x <- cbind(1, d$x, dummies, !known, filled$m, is.na(d$m))
  colnames(x) <- c("(Intercept)", "x", paste0("f", colnames(dummies)), "is.na(f)", "m", "is.na(m)")
  expect_leaves_of_matrix(fit, x, d$y, w)
  expect_leaves_of_matrix(gmt(y ~ x + f + m | z, d, seed = 1, weights = w, missing = "mean"),
                          x[, !grepl("is.na", colnames(x))], d$y, w)
  expect_equal(predict(fit, d, extrapolate = TRUE), fitted(fit))
  terms <- predict(fit, d, type = "terms", extrapolate = TRUE)
  expect_identical(colnames(terms), c("(Intercept)", "x", "f", "m"))
  expect_equal(rowSums(terms), fitted(fit), ignore_attr = TRUE)
})

test_that("leaves are lm() of their rows up to a condition of a million", {
  for (kappa in c(1e2, 1e4, 1e6)) {
    set.seed(log10(kappa))
    n <- 300
    a <- runif(n)
    d <- data.frame(a, b = a + runif(n, -3, 3) / kappa, z = runif(n))
    d$y <- ifelse(d$z < 0.5, 1 + d$a, 3 - d$a) + rnorm(n, 0, 0.1)
    fit <- gmt(y ~ a + b | z, d, seed = 1)
    node <- predict(fit, type = "node")
    for (leaf in as.integer(rownames(coef(fit)))) {
      x <- cbind(1, d$a, d$b)[node == leaf, ]
      y <- d$y[node == leaf]
      expect_gt(kappa(x, exact = TRUE), kappa / 2)
      # the same model in columns that are far from collinear
      u <- (x[, 3] - x[, 2]) * kappa
      apart <- unname(coef(stats::lm.fit(cbind(1, x[, 2], u), y)))
      expect_equal(unname(coef(fit, leaf)), apart + c(0, -1, 0) * apart[3] * kappa +
                     c(0, 0, 1) * apart[3] * (kappa - 1), tolerance = 1e-8)
      # of lm() itself fewer digits are right at a million
      expect_equal(unname(coef(fit, leaf)), unname(coef(stats::lm.fit(x, y))),
                   tolerance = if (kappa < 1e6) 1e-8 else 1e-7)
    }
  }
})

test_that("rows of weight 0 are as lm() has them", {
  d <- mixed_lines(holes = FALSE)
  d$w <- rep(c(0, 1, 2, 1), 100)
  d$y[5] <- NA
  fit <- gmt(y ~ x + f | z, d, weights = w, seed = 1, max_leaves = 1, na.action = na.exclude)
  model <- lm(y ~ x + f, d, weights = w, na.action = na.exclude)
  expect_equal(coef(fit)[1, ], coef(model))
  expect_equal(residuals(fit), residuals(model))
  expect_equal(fitted(fit), fitted(model))
  expect_equal(nobs(fit), nobs(model))
  expect_equal(logLik(fit), logLik(model), ignore_attr = TRUE)
  expect_equal(df.residual(fit), df.residual(model))
  expect_identical(names(predict(fit, type = "node")), row.names(d))
  tree <- gmt(y ~ x + f | z, d, weights = w, seed = 1)
  without <- gmt(y ~ x + f | z, d[d$w > 0, ], weights = w, seed = 1)
  expect_equal(coef(tree), coef(without))
  expect_equal(predict(tree, type = "node")[names(predict(without, type = "node"))],
               predict(without, type = "node"))
})

test_that("factors of `y ~ .` are in the models where they are asked for", {
  d <- mixed_lines(holes = FALSE)
  d$large <- factor(rep(1:10, 40))
  of <- function(factors) {
    gmt(y ~ ., d, seed = 1, factors = factors, effort = 0, max_leaves = 2)$gmt$regressors
  }
  expect_identical(of("split"), c("x", "z", "m", "l"))
  expect_identical(of(c("few", "both", "split")), setdiff(names(d), c("y", "large")))
  expect_identical(of("both"), setdiff(names(d), "y"))
  expect_identical(gmt_control()$factors, "few")
})

test_that("exports of models with factors and missing values say what the tree says", {
  d <- mixed_lines()
  expect_exports_agree(gmt(y ~ x + f + o + m + l | z + f, d, seed = 1), d)
})

test_that("training rows are found again beside rows of weight 0, wherever the data are", {
  set.seed(3)
  inside <- data.frame(x = rnorm(200), z = runif(200), w = sample(0:2, 200, TRUE))
  inside$y <- ifelse(inside$z > 0.5, 3, -2) * inside$x + rnorm(200, 0, 0.3)
  lacking <- inside
  lacking$y[c(1, 200)] <- NA
  for (keep in c(FALSE, TRUE)) {
    fit <- gmt(y ~ x | z, inside, weights = w, seed = 1, model = keep)
    expect_identical(model.frame(fit)$x, inside$x)
    less <- gmt(y ~ x | z, lacking, weights = w, seed = 1, model = keep, subset = z < 0.9)
    expect_identical(model.frame(less)$x, inside$x[!is.na(lacking$y) & inside$z < 0.9])
    for (one in list(list(fit, inside), list(less, lacking[lacking$z < 0.9, ]))) {
      expect_gt(nrow(coef(one[[1]])), 1)
      ours <- summary(one[[1]], node = 1)
      theirs <- summary(lm(y ~ x, one[[2]], weights = w))
      for (part in c("sigma", "df", "r.squared", "fstatistic")) {
        expect_equal(ours[[part]], theirs[[part]], tolerance = 1e-8)
      }
    }
  }
  fit <- gmt(y ~ x | z, inside, weights = w, seed = 1)
  inside <- inside[-1, ]
  expect_contree_error(summary(fit, node = 1), "input", "found again")
})

test_that("a level that a leaf does not know counts as the weighted mean of its rows", {
  set.seed(8)
  n <- 150
  d <- data.frame(f = factor(sample(c("a", "b", "c"), n, TRUE)), x = rnorm(n), z = runif(n),
                  w = 10^runif(n, -2, 2))
  d$f[d$z < 0.5 & d$f == "c"] <- "a"
  d$y <- ifelse(d$z < 0.5, d$x, 9 - d$x) + as.integer(d$f) + rnorm(n, 0, 0.1)
  fit <- gmt(y ~ x + f | z, d, weights = w, seed = 1, max_leaves = 2, complexity = 1)
  low <- d[d$z < 0.5, ]
  model <- lm(y ~ x + f, low, weights = w)
  expect_identical(unique(predict(fit, low, type = "node")), 2L)
  expected <- coef(model)[[1]] + 0.3 * coef(model)[["x"]] +
    coef(model)[["fb"]] * weighted.mean(low$f == "b", low$w)
  new <- data.frame(x = 0.3, f = "c", z = 0.1)
  expect_equal(unname(predict(fit, new, extrapolate = TRUE)), expected, tolerance = 1e-7)
})

test_that("contrasts that a factor has of its own are used, as lm() does", {
  set.seed(4)
  d <- data.frame(x = rnorm(120), f = factor(sample(letters[1:4], 120, TRUE)))
  d$y <- d$x * as.integer(d$f) + rnorm(120)
  d$o <- factor(d$f, ordered = TRUE)
  d$s <- d$f
  contrasts(d$s) <- contr.helmert(4)
  expect_as_lm <- function(formula) {
    fit <- gmt(formula, d, max_leaves = 1, seed = 1)
    model <- lm(formula, d)
    expect_equal(unname(coef(fit, 1)), unname(coef(model)))
    expect_equal(unname(vcov(fit, 1)), unname(vcov(model)))
    expect_equal(fitted(fit), fitted(model))
    expect_equal(predict(fit, d, extrapolate = TRUE),
                 suppressWarnings(predict(model, d))) # it says that it drops what it uses
  }
  for (formula in list(y ~ s, y ~ s * x, y ~ C(f, sum) + x, y ~ C(o, poly, 2), y ~ C(f, sum, 1) * x,
                       y ~ C(f, treatment, base = 3))) {
    expect_as_lm(formula)
  }
  # a matrix is of all levels: where some do not occur, lm() drops it, and warns
  few <- d[d$f != "b", ]
  expect_equal(unname(coef(gmt(y ~ s, few, max_leaves = 1, seed = 1), 1)),
               unname(suppressWarnings(coef(lm(y ~ s, few)))))
})
