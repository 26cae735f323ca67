# Without the package its methods are called by their names; that it finds them is tested last.
info <- function(fit) {
  method <- if (inherits(fit, "hist_forest")) contree:::model_info.hist_forest
            else contree:::model_info.contree_model
  told <- method(fit)
  flags <- Filter(isTRUE, told[startsWith(names(told), "is_")])
  list(sub("^is_", "", names(flags)), told$family, told$n_obs)
}

rows_for <- function(fit, ...) {
  method <- if (inherits(fit, "hist_forest")) contree:::get_data.hist_forest
            else contree:::get_data.contree_model
  method(fit, ...)
}

test_that("what kind of model a fit is", {
  d <- transform(mtcars, am = factor(am))
  two <- list(c("binomial", "bernoulli"), "binomial", 32L)
  expect_identical(info(contree(am ~ wt, d, depth = 1)), two)
  expect_identical(info(hist_forest(am ~ wt, d, trees = 2)), two)
  numbers <- list("linear", "gaussian", 32L)
  expect_identical(info(contree(mpg ~ wt, d, depth = 1)), numbers)
  expect_identical(info(gmt(mpg ~ wt, d, seed = 1)), numbers)
  expect_identical(info(hist_forest(mpg ~ wt, d, trees = 2)), numbers)
  expect_identical(info(contree(Species ~ ., iris, depth = 1)),
                   list("multinomial", "multinomial", 150L))
  rates <- hist_forest(cyl ~ wt, d, trees = 2, family = "poisson", oob = FALSE, min_n = 5)
  expect_identical(info(rates), list(c("count", "poisson"), "poisson", 32L))
  expect_contree_error(contree:::model_info.contree_model(
    policy_tree(iris[1:2], as.matrix(iris[3:4]), depth = 1)), "unsupported", "policy")
  skip_if_not_installed("survival")
  expect_identical(info(hist_forest(survival::Surv(time, status) ~ age, survival::lung,
                                    trees = 2)),
                   list(c("censored", "survival"), "survival", 228L))
})

test_that("the training rows are found from wherever they are asked for", {
  d <- transform(mtcars, wt = replace(wt, 3, NA))
  few <- c("mpg", "wt", "hp")
  for (fit in list(contree(mpg ~ wt + log(hp), d, depth = 1, subset = cyl > 4),
                   gmt(mpg ~ hp | wt, d, subset = cyl > 4, seed = 1, na.action = na.pass),
                   hist_forest(mpg ~ wt + hp, d, subset = cyl > 4, trees = 2))) {
    found <- rows_for(fit)
    expect_identical(found[few], d[d$cyl > 4, few])
    expect_length(found, 3)
  }
  expect_identical(rows_for(contree(mpg ~ wt, d, depth = 1, na.action = na.omit)),
                   d[-3, c("mpg", "wt")])
  x <- as.matrix(d[few[-1]])
  for (fit in list(contree(x, d$cyl > 4, depth = 1), hist_forest(x, d$mpg, trees = 2))) {
    expect_identical(rows_for(fit), as.data.frame(x))
  }
  # other rows are none
  fits <- list(contree(mpg ~ wt, d, depth = 1), hist_forest(mpg ~ wt, d, trees = 2))
  d <- d[32:1, ]
  for (fit in fits) {
    expect_warning(found <- rows_for(fit), "cannot be found")
    expect_null(found)
    expect_silent(rows_for(fit, verbose = FALSE))
  }
})

test_that("insight finds the methods, loaded before or after", {
  skip_on_cran()
  library <- stand_in("insight", paste(
    "model_info <- function(x, ...) UseMethod('model_info')",
    "get_data <- function(x, ...) UseMethod('get_data')",
    "get_response <- function(x, verbose = TRUE) get_data(x, verbose = verbose)[[1]]", sep = "\n"))
  said <- run_beside(library, "insight", c(
    "ask <- function() {",
    "  own <- iris",
    "  fits <- list(contree(Species ~ ., own, depth = 1),",
    "               hist_forest(Species ~ ., own, trees = 2))",
    "  for (fit in fits) say(insight::model_info(fit)$family,",
    "                        identical(insight::get_response(fit), iris$Species))",
    "}", "ask()"))
  for (lines in said) {
    expect_identical(tail(lines, 3), c(rep("multinomial TRUE", 2), "end"))
  }
})
