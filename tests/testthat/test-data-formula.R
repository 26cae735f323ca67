labels <- function(formula, columns = NULL) {
  names(contree:::read_formula(formula, columns)$predictors)
}

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
  # which stats needs, because there the dot stands for y as well
  expect_identical(labels(log(y) ~ . - y, columns), c("a", "b", "c d"))
  expect_identical(labels(y ~ . - (y + a), columns), c("b", "c d"))
  expect_identical(labels(y ~ I(a * b) + a), c("I(a * b)", "a"))
})

test_that("a sum of 20,000 terms is read", {
  text <- paste("y ~", paste0("v", 1:20000, collapse = " + "))
  expect_length(labels(as.formula(text)), 20000)
})

test_that("terms that are read otherwise in other models are refused by name, with the way out", {
  data <- transform(iris, big = Sepal.Length > 6)
  fits <- list(function(formula) contree(formula, data, depth = 1),
               function(formula) hist_forest(formula, data, trees = 1))
  refused <- list("Species %in% \"u\"" = "I(Species %in% \"u\")",
                  "Sepal.Width^2" = "I(Sepal.Width^2)",
                  "Sepal.Width * 2" = "I(Sepal.Width * 2)", "Sepal.Width / 2" = "I(Sepal.Width/2)",
                  "1:150" = "I(1:150)", "\"big\"" = "without quotes", "5" = "remove it",
                  "(1 | big)" = "I(a | b)", "(big || big)" = "I(a | b)", "-big" = "I(-big)",
                  "strata(big)" = "remove it", "survival::cluster(big)" = "remove it",
                  "stats::offset(big)" = "remove it")
  for (term in names(refused)) {
    formula <- stats::as.formula(paste("Petal.Width ~ Petal.Length +", term))
    shown <- gsub("^\\(|\\)$", "", sub(" / ", "/", term))
    shown <- if (grepl("(", shown, fixed = TRUE)) paste0(shown, ")") else shown
    for (fit in fits) expect_contree_error(fit(formula), "input", c("'formula'", shown,
                                                                   refused[[term]]))
    if (grepl("^", term, fixed = TRUE)) next # of lm() these are the terms inside
    error <- expect_contree_error(gmt(formula, data, depth = 1),
                                  "input", c("'formula'", if (term != "(1 | big)") shown))
    expect_no_match(conditionMessage(error), "ExtractVars|:::")
  }
  expect_identical(labels(y ~ a + +b), c("a", "b"))
  # a sum that a program made
  expect_identical(labels(stats::as.formula(call("~", quote(y), quote(a + (b + c))))),
                   c("a", "b", "c"))
  leaning <- quote(a + b)
  leaning[[3]] <- quote(b + c)
  expect_identical(labels(stats::as.formula(call("~", quote(y), leaning))), c("a", "b", "c"))
})

test_that("terms are those of stats", {
  skip_if(getRversion() < "4.0")
  for (formula in list(Species ~ ., Species ~ log(Petal.Length) + Sepal.Width,
                       I(Species == "setosa") ~ Petal.Width)) {
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
  expect_identical(fit$shape$names,
                   c("poly(Petal.Length, 2).1", "poly(Petal.Length, 2).2", "scale(Sepal.Width).1"))
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
  expect_identical(predict(fit, odd[c(1, 90), ], type = "node"),
                   predict(fit, type = "node")[c(1, 90)])
  named <- contree(`the class` ~ `x-1` + log(`4th`), odd, depth = 2)
  expect_identical(deparse1(formula(named)), "`the class` ~ `x-1` + log(`4th`)")
  expect_true(all(with(odd, vapply(contree_rules(named)$rule,
                                   function(r) is.logical(eval(parse(text = r))), NA))))
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

# ---- what a formula needs of the place where it was written --------------------------------------

test_that("a formula's local constants and functions are kept for prediction, nothing else is", {
  fit_here <- function(data) {
    large <- rnorm(1e6)
    cutoff <- 1.7
    halves <- function(x) if (length(x) > 1e9) wholes(x) else x / half_of
    wholes <- function(x) halves(x) * half_of # the two call each other
    half_of <- 2
    steps <- stats::ecdf(data$Sepal.Length) # a function with an environment of its own
    contree(Species ~ I(Petal.Width > cutoff) + wholes(Petal.Length) + steps(Sepal.Length), data,
            depth = 3)
  }
  fit <- fit_here(iris)
  expect_lt(length(serialize(fit, NULL)), 5e4)
  predicted <- predict(fit, iris)
  expect_identical(predicted, fitted(fit))
  # in another session
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_lt(file.size(file), 2e4)
  said <- run_session(c(sprintf("fit <- readRDS(%s)", deparse1(file)),
                        "say(table(predict(fit, iris)))"))
  expect_identical(said[1], paste(table(predicted), collapse = " "))
  kept <- environment(terms(fit))
  expect_identical(sort(ls(kept)), c("cutoff", "half_of", "halves", "steps", "wholes"))
})

test_that("large values and data are not kept", {
  fit_here <- function() {
    x <- rnorm(200)
    y <- factor(x > 0)
    contree(y ~ x + log(x^2), depth = 1)
  }
  fit <- fit_here()
  expect_identical(environment(terms(fit)), contree:::lasting_environment(environment()))
  expect_identical(as.character(predict(fit, data.frame(x = c(-1, 1)))), c("FALSE", "TRUE"))
  with_large <- function(data) {
    large <- as.numeric(seq_len(1e6))
    contree(Species ~ I(Petal.Length * large[2]), data, depth = 1)
  }
  expect_contree_error(predict(with_large(iris), iris), "input", "large")
  expect_lt(length(serialize(with_large(iris), NULL)), 5e4)
})

test_that("the data may come first", {
  same <- function(a, b) {
    expect_identical(a[c("frame", "splits", "where", "call")],
                     b[c("frame", "splits", "where", "call")])
  }
  fit <- contree(formula = Species ~ ., data = iris, depth = 2)
  same(iris |> contree(Species ~ ., depth = 2), fit)
  same(iris |> contree(formula = Species ~ ., depth = 2), fit)
  same(contree(data = iris, formula = Species ~ ., depth = 2), fit)
  same(contree(y = Species ~ ., x = iris, depth = 2), fit)
  part <- iris |> contree(Species ~ ., subset = Sepal.Width > 3, weights = Sepal.Length, depth = 1)
  expect_identical(part$frame, contree(Species ~ ., iris, subset = Sepal.Width > 3,
                                       weights = Sepal.Length, depth = 1)$frame)
  expect_identical(as.data.frame(iris |> contree_path(Species ~ ., depth = 2)),
                   as.data.frame(contree_path(Species ~ ., iris, depth = 2)))
  set.seed(1)
  cv <- iris |> contree_cv(Species ~ ., depth = 1)
  set.seed(1)
  expect_identical(cv$table, contree_cv(Species ~ ., iris, depth = 1)$table)
})

test_that("any name of a column is that of a predictor, but those of weights in model frames", {
  expected <- predict(contree(Species ~ ., iris[3:5], depth = 2))
  for (name in c("...", "..1", "..", ".", "TRUE", "NULL", "NA", "if", "function", "(offsets)", "T",
                 "c", " ", "1")) {
    data <- stats::setNames(iris[3:5], c(name, "Petal.Width", "Species"))
    fit <- contree(Species ~ ., data, depth = 2)
    expect_identical(unname(predict(fit, data)), unname(expected), info = name)
    alone <- eval(bquote(contree(Species ~ .(as.name(name)), data, depth = 1)))
    if (name != ".") expect_identical(alone$shape$names, name)
    expect_identical(predict(contree(data[1:2], data$Species, depth = 2), data), predict(fit, data))
  }
  for (name in c("(weights)", "(exposure)", "(offset)")) {
    data <- stats::setNames(iris[3:5], c(name, "Petal.Width", "Species"))
    expect_contree_error(contree(Species ~ ., data), "input", c(name, "rename"))
    expect_contree_error(hist_forest(Species ~ ., data), "input", c(name, "rename"))
    expect_s3_class(contree(Species ~ Petal.Width, data, depth = 1), "contree")
  }
})

test_that("subset and weights are looked up where the formula was written", {
  written <- function(formula) {
    rows <- 100
    each <- rep(1:2, 75)
    environment(formula) <- environment()
    formula
  }
  used <- function(fit, formula) {
    rows <- each <- "another"
    fit(written(formula))
  }
  fits <- list(
    used(function(f) contree(f, iris, weights = each, subset = seq_len(150) <= rows, depth = 1),
         Species ~ .),
    used(function(f) gmt(f, iris, weights = each, subset = seq_len(150) <= rows), Sepal.Width ~ .))
  for (fit in fits) expect_identical(nobs(fit), 100L)
  expect_identical(fits[[1]]$weights, rep(c(1, 2), 50))
  forest <- used(function(f) hist_forest(f, iris, weights = each, subset = seq_len(150) <= rows,
                                         trees = 2), Species ~ .)
  expect_identical(nobs(forest), 100L)
})
