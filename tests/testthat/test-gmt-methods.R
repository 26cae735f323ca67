test_that("a tree without splits is lm()", {
  fit <- gmt(mpg ~ wt + hp | ., mtcars, seed = 1, max_leaves = 1)
  model <- lm(mpg ~ wt + hp, mtcars)
  expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(model)))
  expect_equal(AIC(fit), AIC(model))
  expect_equal(BIC(fit), BIC(model))
  expect_equal(deviance(fit), deviance(model))
  expect_equal(df.residual(fit), df.residual(model))
  expect_equal(residuals(fit), residuals(model))
  expect_equal(coef(fit, 1), coef(model))
  behind_call <- function(x) sub(".*Residuals:", "",
                                 paste(capture.output(print(x)), collapse = "\n"))
  expect_equal(behind_call(summary(fit, node = 1)), behind_call(summary(model)))
})

test_that("each moment of the history is a row", {
  fit <- gmt(mag ~ ., quakes, seed = 1)
  history <- fit$gmt$history
  last <- nrow(history)
  expect_gt(last, 1)
  expect_identical(history$kick[1], 0)
  expect_false(is.unsorted(history$kick, strictly = TRUE))
  expect_false(is.unsorted(history$touched, strictly = TRUE))
  expect_identical(history$leaves[last], as.numeric(nrow(coef(fit))))
  expect_equal(history$deviance[last], deviance(fit))
})

test_that("sizes, criteria and the history agree with each other", {
  d <- armchair(600, 2, seed = 1)
  fit <- gmt(y ~ ., d, seed = 1, model = TRUE)
  leaves <- nrow(coef(fit))
  size <- leaves * 3 + leaves - 1
  expect_equal(attr(logLik(fit), "df"), size + 1)
  expect_equal(fit$gmt$bic, 600 * log(deviance(fit) / 600) + log(600) * size)
  expect_equal(deviance(fit), sum(residuals(fit)^2))
  history <- fit$gmt$history
  expect_true(all(diff(history$bic) < 0))
  expect_lte(fit$gmt$bic, min(history$bic) + 1e-6)
  inner <- summary(fit, node = 1)
  expect_equal(inner$sigma, summary(lm(y ~ x1 + x2, d))$sigma)
  expect_output(print(fit), "no change of a single node improves it")
  expect_output(print(summary(fit)), "explained")
  expect_contree_error(coef(fit, 99), "input", "no node 99")
  expect_contree_error(vcov(fit), "input", "'node'")
  expect_contree_error(print(fit, digits = -1), "input", c("'digits'", "-1"))
  expect_contree_error(print(fit, time = "a"), "input", c("'time'", "\"a\""))
  expect_no_error(plot(fit))
})

test_that("a tree can be saved, read and looked over", {
  fit <- gmt(mpg ~ ., mtcars, seed = 1)
  file <- tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), mtcars), predict(fit, mtcars))
  expect_identical(coef(update(fit, seed = 1)), coef(fit))
})

test_that("with weights likelihood and summary are those of lm()", {
  set.seed(2)
  d <- data.frame(x = rnorm(60), w = runif(60, 0.1, 3))
  d$y <- 2 * d$x + rnorm(60)
  fit <- gmt(y ~ x, d, weights = w, seed = 1, max_leaves = 1)
  model <- lm(y ~ x, d, weights = w)
  expect_equal(as.double(logLik(fit)), as.double(logLik(model)))
  expect_equal(unname(residuals(summary(fit, node = 1))), unname(residuals(summary(model))))
  expect_equal(unname(residuals(fit)), unname(residuals(model)))
})
