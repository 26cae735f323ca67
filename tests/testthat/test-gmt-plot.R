test_that("panels show partial residuals of the leaves", {
  fit <- gmt(mpg ~ wt + hp | cyl, mtcars, seed = 1, minbucket = 8, complexity = 1)
  expect_gt(nrow(coef(fit)), 1)
  points <- plot(fit, what = "partial", main = "Cars")
  node <- predict(fit, type = "node")
  for (leaf in levels(points$leaf)) {
    rows <- mtcars[node == as.integer(leaf), ]
    model <- lm(mpg ~ wt + hp, rows)
    said <- points[points$leaf == leaf & points$regressor == "wt", ]
    expect_equal(said$x, rows$wt)
    expect_equal(said$partial, unname(coef(model)["wt"] * rows$wt))
    expect_equal(said$residual, unname(residuals(model)))
  }
  one <- plot(fit, what = "partial", regressors = "hp", leaves = rownames(coef(fit))[1])
  expect_identical(unique(as.character(one$regressor)), "hp")
  d <- mixed_lines()
  factors <- gmt(y ~ x + f + m | z, d, seed = 1)
  expect_contree_error(plot(gmt(d[1:3], d$y), what = "partial", data = d[1:5, ]), "input", "'data'")
  expect_silent(plot(factors, what = "partial", data = d))
  expect_contree_error(plot(fit, what = "partial", regressors = "none"), "input", "'regressors'")
  expect_contree_error(plot(fit, what = "partial", leaves = 99), "input", "'leaves'")
  expect_contree_error(plot(fit, what = "partial", regressors = mean), "input", "'regressors'")
  expect_contree_error(plot(fit, what = "partial", leaves = mean), "input", "'leaves'")
  expect_contree_error(plot(gmt(dist ~ 1 | speed, cars), what = "partial"), "input", "constants")
})

test_that("the tree and the search are drawn", {
  fit <- gmt(mag ~ ., quakes, seed = 1, effort = 20)
  expect_identical(plot(fit, what = "progress"), fit$gmt$history)
  expect_named(plot(fit, main = "Quakes", type = "split"), c("x", "y"))
  expect_contree_error(plot(fit, what = "other"), "input", "'what'")
  skip_if_not_installed("ggplot2")
  expect_silent(print(ggplot2::autoplot(fit)))
})

test_that("Ctrl-C gives the best tree so far, or an error", {
  skip_on_os("windows")
  skip_on_cran()
  set.seed(1)
  d <- data.frame(x = runif(2000), z = runif(2000))
  d$y <- rnorm(2000) + d$x * (d$z > 0.5)
  # the signal comes while the search asks for nothing else
  press <- function(state) suspendInterrupts(tools::pskill(Sys.getpid(), tools::SIGINT))
  search <- function(...) gmt(y ~ ., d, seed = 1, complexity = 0.2, effort = 1e6, patience = Inf,
                              progress = press, ...)
  expect_warning(fit <- search(), class = "contree_interrupted")
  expect_identical(fit$gmt$status, "interrupted")
  expect_false(fit$gmt$certified)
  expect_equal(unname(fitted(fit) + residuals(fit)), d$y)
  expect_equal(sum(residuals(fit)^2), deviance(fit))
  expect_output(print(fit), "interrupted")
  expect_contree_error(search(on_interrupt = "error"), "interrupted", "interrupted")
})
