test_that("regressors are left out as step() leaves them out", {
  d <- mixed_lines(holes = FALSE)
  d$n1 <- rnorm(400)
  d$n2 <- rnorm(400)
  d$same <- d$x - d$n1
  d$l <- as.numeric(d$l)
  d$w <- runif(400, 0.5, 2)
  formula <- y ~ x + n1 + same + f + n2 + o + l
  environment(formula) <- environment()
  n_out <- 0
  for (k in c(2, 6)) {
    fit <- gmt(y ~ x + n1 + same + f + n2 + o + l | z + f, d, weights = w, seed = 1, select = k,
               max_leaves = 4)
    full <- gmt(y ~ x + n1 + same + f + n2 + o + l | z + f, d, weights = w, seed = 1,
                max_leaves = 4)
    expect_identical(fit$frame$var, full$frame$var)
    node <- predict(fit, type = "node")
    for (leaf in as.integer(rownames(coef(fit)))) {
      rows <- d[node == leaf, ]
      model <- step(lm(formula, rows, weights = rows$w), direction = "backward", k = k, trace = 0)
      b <- coef(fit, leaf)
      kept <- names(coef(model))[!is.na(coef(model))]
      expect_setequal(names(b)[!is.na(b)], kept)
      n_out <- n_out + sum(is.na(b))
      expect_equal(b[kept], coef(model)[kept], tolerance = 1e-8)
      expect_equal(vcov(fit, leaf)[kept, kept], vcov(model)[kept, kept], tolerance = 1e-8)
      expect_true(all(is.na(vcov(fit, leaf)[is.na(b), ])))
      ours <- summary(fit, node = leaf)
      theirs <- summary(model)
      for (part in c("sigma", "r.squared", "fstatistic", "coefficients", "adj.r.squared")) {
        expect_equal(ours[[part]], theirs[[part]], tolerance = 1e-8)
      }
      expect_identical(ours$df[1:2], theirs$df[1:2])
      expect_equal(unname(residuals(ours)), unname(residuals(theirs)), tolerance = 1e-8)
      expect_identical(names(ours$aliased), names(theirs$aliased)[order(match(
        names(theirs$aliased), names(b)))])
    }
    expect_equal(deviance(fit), sum(d$w * residuals(fit)^2))
    expect_gte(deviance(fit), deviance(full))
    expect_gt(df.residual(fit), df.residual(full))
    gap <- function(tree) BIC(tree) - tree$gmt$bic
    expect_equal(gap(fit), gap(full))
  }
  expect_gt(n_out, 8)
})

test_that("all readers know what is left out", {
  d <- mixed_lines()
  set.seed(5)
  d$n <- replace(rnorm(400), 20:30, NA)
  fit <- gmt(y ~ x + f + n + m + l | z + f, d, seed = 1, select = 4)
  expect_true(anyNA(coef(fit)))
  expect_equal(predict(fit, d, extrapolate = TRUE), fitted(fit))
  expect_equal(rowSums(predict(fit, d, type = "terms", extrapolate = TRUE)), fitted(fit),
               ignore_attr = TRUE)
  inside <- predict(fit, d, interval = "prediction", extrapolate = TRUE)
  expect_equal(inside[, "fit"], fitted(fit))
  expect_true(all(inside[, "lwr"] < inside[, "upr"]))
  # a regressor that no leaf has is not asked for, nor shown
  noisy <- transform(d, useless = rnorm(400))
  without <- gmt(y ~ x + f + o + m + useless | z, noisy, seed = 1, select = 12)
  expect_true(all(is.na(coef(without)[, "useless"])))
  expect_false(any(grepl("useless", capture.output(print(without)))))
  expect_false(grepl("useless", as_sql(without)[[1]]))
  expect_equal(predict(without, d), predict(without, noisy))
  table <- contree_importance(without)
  expect_false("useless" %in% table$variable)
  # smoothing takes the regressors that are left; conformal intervals and all trees likewise
  smooth <- gmt(y ~ x + f + n + m + l | z + f, d, seed = 1, select = 4, smoothing = 5)
  expect_identical(is.na(coef(smooth)), is.na(coef(fit)))
  expect_false(isTRUE(all.equal(coef(smooth), coef(fit))))
  folds <- gmt(y ~ x + f | z, d, seed = 1, select = 4, conformal = 3, effort = 0)
  expect_true(all(is.finite(predict(folds, d[1:9, ], interval = "conformal"))))
  if (requireNamespace("partykit", quietly = TRUE)) {
    party <- partykit::as.party(fit)
    expect_equal(predict(party, d), predict(fit, d))
    expect_equal(unname(coef(party)), unname(coef(fit)))
  }
  expect_exports_agree(fit, d)
})

test_that("data without noise, and leaves with few rows, are no trouble", {
  set.seed(4)
  d <- data.frame(a = runif(60), b = runif(60), z = runif(60))
  d$y <- ifelse(d$z < 0.5, 1 + d$a, 3 - d$a)
  fit <- gmt(y ~ a + b | z, d, seed = 1, select = 2, max_leaves = 2)
  expect_equal(unname(fitted(fit)), d$y)
  expect_equal(unname(coef(fit)[, "b"]), c(NA_real_, NA_real_))
  few <- gmt(mpg ~ ., mtcars[1:12, ], seed = 1, select = 2, minbucket = 3)
  expect_true(all(is.finite(fitted(few))))
  constant <- gmt(y ~ a | b, transform(d, y = 7), seed = 1, select = 2)
  expect_equal(unname(fitted(constant)), rep(7, 60))
})

test_that("models of an intercept alone have nothing to drop", {
  data <- data.frame(z = 1:100, y = rep(c(1, 5), each = 50) + sin(1:100))
  for (select in c(0, 2, 10)) {
    fit <- gmt(y ~ 1 | z, data, select = select, seed = 1)
    expect_equal(unname(predict(fit, data)), ave(data$y, data$z > 50))
  }
})

test_that("covariances of chosen regressors are those of lm(), with a level that the leaf lacks", {
  set.seed(4)
  n <- 200
  d <- data.frame(f = factor(sample(letters[1:4], n, TRUE)), x = rnorm(n), u = rnorm(n),
                  z = runif(n))
  d$f[d$z < 0.5 & d$f == "b"] <- "c" # the second of four columns is aliased in one leaf
  d$y <- ifelse(d$z < 0.5, d$x, 9 - d$x) + as.integer(d$f) + rnorm(n, 0, 0.3)
  fit <- gmt(y ~ f + x + u | z, d, seed = 1, select = 2, max_leaves = 2, complexity = 1)
  leaves <- rownames(coef(fit))
  expect_length(leaves, 2)
  for (leaf in as.integer(leaves)) {
    kept <- !fit$gmt$dropped[leaf_row <- match(leaf, rownames(fit$frame)), ]
    x <- model.matrix(~ f + x + u, d)[predict(fit, type = "node") == leaf, kept, drop = FALSE]
    model <- lm(d$y[predict(fit, type = "node") == leaf] ~ x - 1)
    known <- !is.na(coef(model))
    ours <- vcov(fit, leaf)[kept, kept]
    expect_equal(unname(is.na(diag(ours))), unname(!known))
    expect_equal(unname(ours[known, known]), unname(vcov(model)[known, known]), tolerance = 1e-7)
  }
})
