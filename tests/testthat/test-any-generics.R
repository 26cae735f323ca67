test_that("residuals of forests are of rows out of bag", {
  numbers <- hist_forest(mpg ~ ., mtcars, trees = 4, seed = 1)
  expect_true(anyNA(fitted(numbers)))
  expect_identical(residuals(numbers), mtcars$mpg - fitted(numbers))
  classes <- hist_forest(Species ~ ., iris, trees = 30, seed = 1)
  wrong <- as.integer(classes$oob$class != iris$Species)
  expect_identical(unname(residuals(classes)), wrong)
  holes <- transform(mtcars, mpg = replace(mpg, 3, NA))
  left_out <- hist_forest(mpg ~ ., holes, trees = 30, seed = 1, na.action = na.exclude)
  expect_identical(is.na(residuals(left_out))[[3]], TRUE)
  expect_length(residuals(left_out), 32)
  expect_contree_error(residuals(hist_forest(mpg ~ ., mtcars, trees = 2, oob = FALSE)), "input",
                       "oob = FALSE")
})

test_that("weights are those given, or ones", {
  w <- rep(1:2, 16)
  expect_identical(weights(contree(mpg ~ wt, mtcars, weights = w, depth = 1)), as.double(w))
  expect_identical(weights(contree(mpg ~ wt, mtcars, depth = 1)), rep(1, 32))
  expect_identical(weights(hist_forest(mpg ~ wt, mtcars, trees = 2)), rep(1, 32))
})

test_that("what a kind of model has no answer to is an error of the package, never NULL", {
  tree <- contree(Species ~ ., iris, depth = 2)
  forest <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  image <- matrix(1:64 %% 7, 8)
  pixels <- image_forest(list(image), list(image > 3), trees = 2, seed = 1)
  forged <- forge(forest)
  imported <- import_forest(forest)
  refused <- function(call) {
    expect_error(call, class = "contree_error")
  }
  for (fit in list(tree, forest, forged, imported, pixels)) {
    for (f in list(coef, vcov, confint, logLik, AIC, BIC, deviance, anova, simulate, family,
                   df.residual, sigma)) refused(f(fit))
  }
  for (fit in list(forged, imported, pixels)) {
    for (f in list(residuals, fitted, formula, model.frame, terms, nobs, update, weights,
                   model.matrix, text, as.data.frame, predict)) refused(f(fit))
    expect_output(print(summary(fit)), "leaves")
  }
  refused(text(forest))
  refused(as.data.frame(forest))
  refused(model.matrix(forest))
  refused(plot(pixels))
  for (f in list(generics::tidy, generics::glance, generics::augment)) {
    expect_error(f(pixels), "print\\(\\), summary\\(\\) and predict", class = "contree_error")
  }
  expect_error(plot(contree_accuracy(contree(mpg ~ wt, mtcars, depth = 1), mtcars)),
               "curves are of classes", class = "contree_error")
  expect_warning(hist_forest(breaks ~ ., warpbreaks, family = "poisson", trees = 2, seed = 1),
                 "there are 54 rows", class = "contree_unsplit")
  numbers <- contree(mpg ~ ., mtcars, depth = 2)
  expect_equal(deviance(numbers), sum(residuals(numbers)^2))
  model <- gmt(mpg ~ wt, mtcars, seed = 1) # has coefficients and a likelihood
  expect_s3_class(logLik(model), "logLik")
  expect_identical(sigma(model), sqrt(deviance(model) / df.residual(model)))
})

test_that("autoplot() says what there is to draw where it draws nothing", {
  skip_if_not_installed("ggplot2")
  image <- matrix(1:64 %% 7, 8)
  pixels <- image_forest(list(image), list(image > 3), trees = 2, seed = 1)
  expect_contree_error(ggplot2::autoplot(pixels), "unsupported", "predict")
  accuracy <- contree_accuracy(contree(mpg ~ wt, mtcars, depth = 1), mtcars)
  expect_contree_error(ggplot2::autoplot(accuracy), "unsupported", "curves are of classes")
})

test_that("forged forests are glanced at and augmented", {
  forest <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  for (fit in list(forge(forest), import_forest(forest))) {
    expect_identical(generics::glance(fit)$trees, 5L)
    added <- generics::augment(fit, newdata = iris)
    expect_identical(added$.pred_class, unname(predict(forest, iris)))
    expect_equal(added$.pred_setosa, unname(predict(forest, iris, type = "prob")[, "setosa"]))
    expect_contree_error(generics::augment(fit), "input")
  }
  numbers <- hist_forest(mpg ~ ., mtcars, trees = 5, seed = 1)
  expect_equal(generics::augment(forge(numbers), newdata = mtcars)$.pred,
               unname(predict(numbers, mtcars)))
})
