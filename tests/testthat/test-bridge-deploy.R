test_that("expressions say what trees and forests predict", {
  d <- mtcars
  d$kind <- factor(rep(c("a", "b", "c", "d"), 8))
  d$mpg <- d$mpg + 9 * (d$kind %in% c("a", "d"))
  d$wt[c(3, 9)] <- NA
  rows <- rbind(d, transform(d[1:2, ], kind = "new"))
  rows$hp[4] <- NA
  fits <- list(contree(mpg ~ kind + log(hp) + wt, d, depth = 3),
               contree(factor(cyl) ~ kind + hp + wt, d, depth = 2),
               hist_forest(mpg ~ kind + hp + wt, d, trees = 7, seed = 1))
  for (fit in fits) {
    forest <- inherits(fit, "hist_forest")
    say <- if (forest) contree:::tidypredict_fit.hist_forest else
      contree:::tidypredict_fit.contree_model
    said <- eval(say(fit), rows)
    own <- suppressWarnings(predict(fit, rows))
    if (is.factor(own)) own <- as.character(own)
    expect_equal(said, unname(own))
  }
  expect_contree_error(contree:::tidypredict_fit.contree_model(gmt(dist ~ speed, cars, seed = 1)),
                       "unsupported", "leaves")
  classes <- hist_forest(Species ~ ., iris, trees = 2)
  expect_contree_error(contree:::tidypredict_fit.hist_forest(classes), "unsupported", "as_sql")
})

test_that("what is cut off by butcher is not needed for new rows", {
  for (fit in list(contree(Species ~ ., iris, depth = 2, model = TRUE),
                   gmt(Sepal.Length ~ ., iris, seed = 1),
                   hist_forest(Species ~ ., iris, trees = 30, seed = 1))) {
    forest <- inherits(fit, "hist_forest")
    axe <- if (forest) contree:::axe_fitted.hist_forest else contree:::axe_fitted.contree_model
    slim <- axe(contree:::axe_call.contree_model(fit))
    expect_identical(predict(slim, iris), predict(fit, iris))
    expect_lt(length(serialize(slim, NULL)), length(serialize(fit, NULL)))
  }
})

test_that("vetiver deploys a forest", {
  skip_on_cran()
  library <- stand_in("vetiver", paste(
    "vetiver_create_description <- function(model) UseMethod('vetiver_create_description')",
    "vetiver_create_meta <- function(model, metadata) UseMethod('vetiver_create_meta')",
    "vetiver_prepare_model <- function(model) UseMethod('vetiver_prepare_model')",
    "vetiver_ptype <- function(model, ...) UseMethod('vetiver_ptype')",
    "handler_predict <- function(vetiver_model, ...)",
    "  UseMethod('handler_predict', vetiver_model$model)",
    "vetiver_meta <- function(user = list(), required_pkgs = NULL) list(user, required_pkgs)",
    "vetiver_type_convert <- function(new_data, ptype) new_data[names(ptype)]", sep = "\n"))
  said <- run_beside(library, "vetiver", c(
    "fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)",
    "say(vetiver::vetiver_create_description(fit), vetiver::vetiver_create_meta(fit, list())[[2]])",
    "model <- list(model = vetiver::vetiver_prepare_model(fit),",
    "              ptype = vetiver::vetiver_ptype(fit, prototype_data = iris[1:4]))",
    "answer <- vetiver::handler_predict(model, type = 'class')(list(body = iris))",
    "say(nrow(model$ptype), identical(answer$.pred, unname(predict(fit, iris))))"))
  expected <- c("A classification forest of 5 trees contree", "0 TRUE", "end")
  expect_identical(tail(said$after, 3), expected)
  expect_identical(tail(said$before, 3), expected)
})
