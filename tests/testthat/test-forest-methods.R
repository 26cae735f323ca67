test_that("print and summary tell of the forest", {
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  expect_output(print(fit), "20 classification trees on 150 rows and 4 predictors")
  expect_output(print(fit), "Out-of-bag: error")
  expect_output(print(summary(fit)), "Importance")
  expect_output(print(hist_forest(mpg ~ ., mtcars, trees = 5)), "R squared")
  expect_equal(sum(summary(fit)$confusion), sum(fit$oob$trees > 0))
})

test_that("one tree and one predictor are told as one", {
  expect_output(print(hist_forest(dist ~ speed, cars, trees = 1, seed = 1)),
                "Forest of 1 regression tree on 50 rows and 1 predictor\n", fixed = TRUE)
})

test_that("digits are a number of digits", {
  fit <- hist_forest(Species ~ ., iris, trees = 2, seed = 1)
  for (digits in list(NA, 0, -1, 1e10, "a", NULL, 1.5, c(1, 2))) {
    expect_contree_error(print(fit, digits = digits), "input", "'digits'")
    expect_contree_error(capture.output(print(summary(fit), digits = digits)), "input", "'digits'")
  }
})

test_that("forests grown apart are the forest grown at once", {
  parts <- lapply(c(1, 11, 21), function(first) {
    hist_forest(Species ~ ., iris, trees = 10, seed = 6, first = first, importance = "permutation",
                keep_inbag = TRUE)
  })
  whole <- hist_forest(Species ~ ., iris, trees = 30, seed = 6, importance = "permutation",
                       keep_inbag = TRUE)
  all_but <- c("call", "elapsed")
  for (order in list(1:3, c(2, 1, 3), c(3, 1, 2), c(1, 3, 2), 3:1)) {
    joined <- do.call(c, parts[order])
    expect_identical(joined[setdiff(names(joined), all_but)], whole[setdiff(names(whole), all_but)])
  }
  # a gap is filled later
  expect_identical(c(c(parts[[3]], parts[[1]]), parts[[2]])$forest, whole$forest)
  expect_identical(predict(joined, iris, type = "prob"), predict(whole, iris, type = "prob"))
  numbers <- function(...) hist_forest(mpg ~ ., mtcars, seed = 2, importance = "permutation", ...)
  expect_identical(c(numbers(trees = 4), numbers(trees = 3, first = 5))[c("oob", "importance")],
                   numbers(trees = 7)[c("oob", "importance")])
  expect_contree_error(c(parts[[1]], parts[[1]]), "input", "in common")
  within <- hist_forest(Species ~ ., iris, trees = 2, seed = 6, first = 29,
                        importance = "permutation")
  expect_contree_error(c(parts[[1]], parts[[3]], within), "input", "in common")
})

test_that("forests of several seeds are put in one order", {
  grow <- function(seed) hist_forest(mpg ~ ., mtcars, trees = 3, seed = seed, keep_inbag = TRUE)
  one <- c(grow(8), grow(5), grow(7))
  other <- c(grow(7), grow(8), grow(5))
  parts <- c("forest", "oob", "inbag", "seed", "control")
  expect_identical(one[parts], other[parts])
  expect_equal(one$forest$seed, rep(c(5, 7, 8), each = 3))
  expect_identical(one$inbag, cbind(grow(5)$inbag, grow(7)$inbag, grow(8)$inbag))
})

test_that("forests of other data, or settings, are not combined, and the setting is named", {
  grow <- function(data = iris, ..., seed = 1) {
    hist_forest(Species ~ ., data, trees = 3, seed = seed, ...)
  }
  mine <- grow(seed = 2)
  levels_renamed <- transform(warpbreaks, tension = factor(tension, labels = c("a", "b", "c")))
  others <- list(transform(iris, Sepal.Length = rev(Sepal.Length)), iris[-1, ], iris[150:1, ],
                 transform(iris, Petal.Width = 2 * Petal.Width), iris[-1],
                 transform(iris, Sepal.Width = replace(Sepal.Width, 3, NA)))
  for (data in others) {
    expect_contree_error(c(mine, grow(data)), "input", "different data")
  }
  expect_error(c(hist_forest(breaks ~ ., warpbreaks, trees = 2, seed = 1),
                 hist_forest(breaks ~ ., levels_renamed, trees = 2, seed = 2)),
               "different data", class = "contree_input_error")
  settings <- list(mtry = 3, depth = 2, min_n = 4, sample_fraction = 0.5, replace = FALSE,
                   splitrule = "error", pool = "level", factors = "order", bins = 9,
                   importance = "none", oob = FALSE, weights = 1:150)
  for (name in names(settings)) {
    other <- do.call(grow, settings[name])
    expect_error(c(mine, other), name, class = "contree_input_error")
    expect_error(c(other, mine), name, class = "contree_input_error")
  }
})

test_that("a forest that keeps no hash of its data is printed, and predicts, but is not combined", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 1)
  old <- fit[names(fit) != "hash"]
  class(old) <- class(fit)
  expect_output(print(old), "3 classification trees")
  expect_identical(predict(old, iris), predict(fit, iris))
  other <- hist_forest(Species ~ ., iris, trees = 3, seed = 2)
  expect_contree_error(c(other, old), "input", "earlier version")
  expect_contree_error(c(old, other), "input", "earlier version")
})

test_that("forests grow on workers of future, and are the forest grown at once", {
  skip_on_cran()
  skip_if_not_installed("future")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  # the workers may not find the package by themselves
  paths <- .libPaths()
  parts <- lapply(c(1, 11), function(first) {
    future::future({
      .libPaths(paths)
      contree::hist_forest(Species ~ ., datasets::iris, trees = 10, seed = 6, first = first,
                           importance = "permutation")
    }, seed = TRUE)
  })
  joined <- do.call(c, lapply(parts, future::value))
  whole <- hist_forest(Species ~ ., iris, trees = 20, seed = 6, importance = "permutation")
  expect_identical(joined[c("forest", "oob", "importance")],
                   whole[c("forest", "oob", "importance")])
})

test_that("a tree is a table", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 6)
  tree <- forest_tree(fit, 2)
  inner <- !is.na(tree$left)
  expect_equal(tree$n[inner], tree$n[tree$left[inner]] + tree$n[tree$right[inner]])
  expect_true(all(tree$left[inner] > tree$node[inner]))
  expect_equal(tree$n[1], 150)
  expect_contree_error(forest_tree(fit, 4), "input")
  expect_contree_error(forest_tree(1), "input")
})

test_that("update() grows anew", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 6)
  expect_equal(length(update(fit, trees = 5)$forest$number), 5)
  expect_equal(formula(fit), Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width,
               ignore_formula_env = TRUE)
  expect_equal(nobs(fit), 150)
  expect_identical(update(fit, . ~ . - Petal.Width, trees = 1, evaluate = FALSE)$formula[[3]],
                   quote(Sepal.Length + Sepal.Width + Petal.Length))
  expect_contree_error(update(fit, "Species"), "input", "'formula.'")
  expect_contree_error(update(fit, evaluate = 2), "input", "'evaluate'")
})

test_that("model.frame() has the rows that a forest was grown from, or says why not", {
  air <- airquality
  fit <- hist_forest(Ozone ~ ., air, trees = 2, seed = 1) # rows that lack a predictor are kept
  frame <- model.frame(fit)
  expect_identical(rownames(frame), rownames(air)[!is.na(air$Ozone)])
  expect_identical(c(frame), c(air[rownames(frame), names(frame)]))
  cut <- hist_forest(log(Ozone) ~ scale(Wind), air, trees = 2, seed = 1,
                     subset = ifelse(Day == 3, NA, Day > 5), na.action = na.exclude)
  expect_identical(nrow(model.frame(cut)), nobs(cut))
  scaled <- hist_forest(as.vector(scale(Wind)) ~ Temp, air, trees = 2, seed = 1)
  expect_identical(nrow(model.frame(scaled)), 153L)
  counts <- hist_forest(Ozone ~ Wind, air, trees = 2, seed = 1, exposure = Temp, family = "poisson",
                        min_n = 5)
  expect_identical(nrow(model.frame(counts)), 116L)
  air$Ozone[1] <- air$Ozone[1] + 1e-12
  expect_contree_error(model.frame(fit), "input", "the response has other values")
  air <- air[-1, ]
  expect_contree_error(model.frame(fit), "input", c("152 rows", "116", "grow the forest again"))
  expect_contree_error(model.frame(hist_forest(iris[1:4], iris[[5]], trees = 2, seed = 1)), "input",
                       "formula")
  inside <- (function(hidden) hist_forest(Species ~ ., hidden, trees = 2, seed = 1))(iris)
  expect_contree_error(model.frame(inside), "input", "hidden")
})

test_that("model.frame() sees other events at the same times", {
  skip_if_not_installed("survival")
  lung <- data.frame(time = 1:60, event = rep(0:1, 30), x = sin(1:60))
  late <- hist_forest(survival::Surv(time, event) ~ x, lung, trees = 2, seed = 1)
  expect_identical(nrow(model.frame(late)), 60L)
  lung$event[1] <- 1
  expect_contree_error(model.frame(late), "input", "the response has other values")
})

test_that("update() keeps an exposure that is an offset", {
  set.seed(2)
  d <- data.frame(n = rpois(300, 3), a = rnorm(300), b = rnorm(300), e = runif(300, 1, 5))
  grow <- function(formula) {
    hist_forest(formula, d, trees = 3, family = "poisson", min_n = 20, seed = 1)
  }
  expect_equal(predict(update(grow(n ~ a + offset(log(e))), . ~ . + b)),
               predict(grow(n ~ a + b + offset(log(e)))))
  expect_equal(predict(update(grow(n ~ offset(log(e)) + a + b), . ~ . - b)),
               predict(grow(n ~ a + offset(log(e)))))
})

test_that("a tree as a model says what the tree says, and is exported", {
  set.seed(2)
  data <- data.frame(g = factor(sample(letters[1:9], 300, TRUE)), a = rnorm(300),
                     b = round(rnorm(300), 1))
  data$a[sample(300, 40)] <- NA
  data$y <- factor(data$g %in% c("b", "e", "h") | data$b > 0.5)
  data$z <- data$b^2 + (data$g %in% c("a", "f")) + ifelse(is.na(data$a), 0, data$a)
  classes <- hist_forest(y ~ g + a + b, data, trees = 4, min_n = 5, seed = 1)
  numbers <- hist_forest(z ~ g + a + b, data, trees = 4, min_n = 20, seed = 1)
  for (tree in 1:4) {
    model <- forest_tree(classes, tree, as = "model")
    expect_s3_class(model, "contree_model")
    expect_equal(as.integer(predict(model, data)),
                 unname(predict(classes, data, type = "trees")[, tree]))
    model <- forest_tree(numbers, tree, as = "model")
    expect_equal(unname(predict(model, data)),
                 unname(predict(numbers, data, type = "trees")[, tree]))
  }
  model <- forest_tree(classes, 1, as = "model")
  expect_output(print(model), "g")
  expect_match(paste(as_json(model), collapse = ""), "\"g\"")
  expect_match(paste(as_sql(model), collapse = ""), "CASE")
  skip_if_not_installed("partykit")
  party <- partykit::as.party(model)
  expect_equal(length(partykit::nodeids(party, terminal = TRUE)),
               sum(is.na(forest_tree(classes, 1)$left)))
})

test_that("trees that are too deep for a model say so", {
  x <- matrix(2^(1:60), dimnames = list(NULL, "x"))
  fit <- hist_forest(x, factor(rep(c("a", "b"), 30)), trees = 1, replace = FALSE,
                     sample_fraction = 1, seed = 1)
  if (fit$forest$depth > 30) {
    expect_contree_error(forest_tree(fit, 1, as = "model"), "input", "30")
  } else {
    expect_s3_class(forest_tree(fit, 1, as = "model"), "contree_model")
  }
})

test_that("a forest that was stopped makes what it is combined with incomplete", {
  whole <- hist_forest(Species ~ ., iris, trees = 2, seed = 1)
  stopped <- hist_forest(Species ~ ., iris, trees = 2, seed = 1, first = 3)
  stopped$status <- "time limit"
  expect_identical(c(whole, stopped)$status, "time limit")
  expect_identical(c(stopped, whole)$status, "time limit")
})
