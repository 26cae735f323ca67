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

# The signatures: tidypredict_fit(model), tidypredict_class_exprs(x, ...).
test_that("tidypredict finds the methods", {
  skip_on_cran()
  library <- stand_in("tidypredict", paste(
    "tidypredict_fit <- function(model) UseMethod('tidypredict_fit')",
    "tidypredict_class_exprs <- function(x, ...) UseMethod('tidypredict_class_exprs')",
    sep = "\n"))
  said <- run_beside(library, "tidypredict", c(
    "tree <- contree(Species ~ ., iris, depth = 2)",
    "label <- eval(tidypredict::tidypredict_fit(tree), iris)",
    "say(identical(label, as.character(predict(tree, iris))))",
    "prob <- lapply(tidypredict::tidypredict_class_exprs(tree), eval, iris)",
    "own <- predict(tree, iris, type = 'prob')",
    "say(names(prob), identical(unname(simplify2array(prob)), unname(own)))",
    "forest <- hist_forest(mpg ~ ., mtcars, trees = 3, seed = 1)",
    "fit <- eval(tidypredict::tidypredict_fit(forest), mtcars)",
    "say(all.equal(fit, unname(predict(forest, mtcars))))"))
  expected <- c("TRUE", "setosa versicolor virginica TRUE", "TRUE", "end")
  expect_said(said, expected)
})

# The signature orbital(x, ...), whose method for fits of parsnip hands their model the mode, the
# types of prediction and the levels of the response.
test_that("orbital finds the methods", {
  skip_on_cran()
  library <- stand_in("orbital", paste(
    "orbital <- function(x, ...) UseMethod('orbital')",
    "of_parsnip <- function(x, type = NULL)",
    "  orbital(x$fit, mode = x$spec$mode, type = type, lvl = x$lvl)", sep = "\n"))
  said <- run_beside(library, "orbital", c(
    "as_parsnip <- function(fit, mode, lvl = NULL)",
    "  list(fit = fit, spec = list(mode = mode), lvl = lvl)",
    "run <- function(text, data) eval(parse(text = text)[[1]], data)",
    "tree <- as_parsnip(contree(Species ~ ., iris, depth = 2), 'classification',",
    "                   levels(iris$Species))",
    "told <- orbital::of_parsnip(tree, c('class', 'prob'))",
    "say(names(told), is.character(told))",
    "say(identical(run(told[[1]], iris), as.character(predict(tree$fit, iris))))",
    "prob <- vapply(told[-1], run, numeric(150), iris)",
    "say(identical(unname(prob), unname(predict(tree$fit, iris, type = 'prob'))))",
    "say(names(orbital::of_parsnip(tree)), names(orbital::of_parsnip(tree, 'prob')))",
    "names(mtcars)[3] <- 'size, cubic'",
    "tree <- as_parsnip(contree(mpg ~ ., mtcars, depth = 3), 'regression')",
    "text <- orbital::of_parsnip(tree, 'numeric')",
    "say(is.null(names(text)), identical(run(text, mtcars), unname(predict(tree$fit, mtcars))))",
    "forest <- as_parsnip(hist_forest(mpg ~ ., mtcars, trees = 3, seed = 1), 'regression')",
    "text <- orbital::of_parsnip(forest, 'numeric')",
    "say(is.null(names(text)), all.equal(run(text, mtcars), unname(predict(forest$fit, mtcars))))"))
  prob <- "orbital_tmp_prob_name1 orbital_tmp_prob_name2 orbital_tmp_prob_name3"
  expected <- c(paste("orbital_tmp_class_name", prob, "TRUE"), "TRUE", "TRUE",
                paste("orbital_tmp_class_name", prob), "TRUE TRUE", "TRUE TRUE", "end")
  expect_said(said, expected)
})

test_that("orbital is not told what a fit alone does not say", {
  tree <- contree(Species ~ ., iris, depth = 2)
  expect_contree_error(contree:::orbital.contree_model(tree), "unsupported", "tidypredict_fit")
  expect_contree_error(contree:::orbital.hist_forest(hist_forest(mpg ~ ., mtcars, trees = 2)),
                       "unsupported", "tidypredict_fit")
  expect_contree_error(contree:::orbital.contree_model(tree, mode = "classification", type = "prob",
                                                       lvl = rev(levels(iris$Species))),
                       "input", "virginica, versicolor, setosa")
  expect_contree_error(contree:::tidypredict_class_exprs.contree_model(
    contree(dist ~ speed, cars, depth = 1)), "unsupported", "tidypredict_fit")
  # a tree of one leaf
  leaf <- contree(Species ~ ., iris, depth = 0)
  expect_identical(contree:::tidypredict_class_exprs.contree_model(leaf),
                   list(setosa = 1 / 3, versicolor = 1 / 3, virginica = 1 / 3))
  expect_identical(contree:::orbital.contree_model(leaf, mode = "classification"),
                   c(orbital_tmp_class_name = "\"setosa\""))
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
  expect_said(said, expected)
})
