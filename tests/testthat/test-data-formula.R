labels <- function(formula, columns = NULL) names(contree:::read_formula(formula, columns)$predictors)

test_that("sums, dots, differences and parentheses", {
  columns <- c("y", "a", "b", "c d")
  expect_identical(labels(y ~ ., columns), c("a", "b", "c d"))
  expect_identical(labels(y ~ b + a, columns), c("b", "a"))
  expect_identical(labels(y ~ . - a, columns), c("b", "c d"))
  expect_identical(labels(y ~ . - (a + b), columns), "c d")
  expect_identical(labels(y ~ `c d` + a + a, columns), c("c d", "a"))
  expect_identical(labels(y ~ -1 + a + 0, columns), "a")
  expect_identical(labels(y ~ (a + b) - b + log(b)), c("a", "log(b)"))
  expect_identical(labels(log(y) ~ ., columns), c("a", "b", "c d"))
  expect_identical(labels(y ~ I(a * b) + a), c("I(a * b)", "a"))
})

test_that("a sum of 20,000 terms is read", {
  text <- paste("y ~", paste0("v", 1:20000, collapse = " + "))
  expect_length(labels(as.formula(text)), 20000)
})

test_that("terms are those of stats", {
  skip_if(getRversion() < "4.0")
  for (formula in list(Species ~ ., Species ~ log(Petal.Length) + Sepal.Width, I(Species == "setosa") ~ Petal.Width)) {
    ours <- terms(contree(formula, iris, depth = 1, control = list(complexity = 0)))
    theirs <- attr(model.frame(terms(formula, data = iris), iris), "terms")
    for (name in setdiff(names(attributes(theirs)), ".Environment")) {
      expect_identical(attr(ours, name), attr(theirs, name), info = paste(deparse1(formula), name))
    }
    expect_identical(deparse1(formula(ours)), deparse1(formula(theirs)))
  }
})

test_that("functions are evaluated in new data with the constants of the old", {
  fit <- contree(Species ~ poly(Petal.Length, 2) + scale(Sepal.Width), iris, depth = 2)
  expect_identical(fit$shape$names, c("poly(Petal.Length, 2).1", "poly(Petal.Length, 2).2", "scale(Sepal.Width).1"))
  # rows of one class alone, so that their own mean and spread are not those of the training data
  for (rows in list(1:10, 51:60, 101:110)) {
    expect_identical(predict(fit, iris[rows, ], type = "node"), predict(fit, type = "node")[rows])
  }
  cut_here <- 2.5
  local <- contree(Species ~ I(Petal.Length > 2.5), iris, depth = 1)
  expect_equal(local$objective, 50)
  expect_identical(predict(local, iris[c(1, 150), ]), predict(local)[c(1, 150)])
})

test_that("names that need quotes work everywhere", {
  odd <- setNames(iris, c("a b", "if", "x-1", "4th", "the class"))
  fit <- contree(`the class` ~ ., odd, depth = 2)
  expect_equal(fit$objective, iris2$objective)
  expect_identical(predict(fit, odd[c(1, 90), ], type = "node"), predict(fit, type = "node")[c(1, 90)])
  named <- contree(`the class` ~ `x-1` + log(`4th`), odd, depth = 2)
  expect_identical(deparse1(formula(named)), "`the class` ~ `x-1` + log(`4th`)")
  expect_true(all(with(odd, vapply(contree_rules(named)$rule, function(r) is.logical(eval(parse(text = r))), NA))))
})

test_that("the environment of the caller is not kept", {
  make <- function() {
    ballast <- rnorm(1e4)
    Species ~ .
  }
  kept <- environment(terms(contree(make(), iris, depth = 1)))
  expect_true(identical(kept, globalenv()) || isNamespace(kept))
  expect_identical(contree:::lasting_environment(new.env(parent = globalenv())), globalenv())
  expect_identical(contree:::lasting_environment(environment(stats::sd)), asNamespace("stats"))
})
