test_that("fitted, residuals and nobs", {
  expect_identical(fitted(iris2), predict(iris2, iris))
  expect_equal(unname(residuals(iris2)), as.integer(fitted(iris2) != iris$Species))
  expect_identical(names(residuals(iris2)), rownames(iris))
  expect_equal(sum(residuals(iris2)), iris2$objective)
  expect_equal(nobs(iris2), 150)
})

test_that("formula and terms", {
  expect_identical(deparse1(formula(iris2)),
                   "Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width")
  expect_s3_class(terms(iris2), "terms")
  by_xy <- contree(iris[1:4], iris$Species, depth = 1)
  expect_contree_error(formula(by_xy), "input", c("'x' and 'y'", "formula"))
  expect_contree_error(terms(by_xy), "input", "formula")
})

test_that("model.frame evaluates again or says how to keep the data", {
  expect_equal(model.frame(iris2), model.frame(Species ~ ., iris), ignore_attr = TRUE)
  some <- contree(Species ~ log(Petal.Width), iris, subset = Sepal.Length > 5, depth = 1)
  expect_equal(nrow(model.frame(some)), nobs(some))
  inside <- (function(hidden) contree(Species ~ ., hidden, depth = 1))(iris)
  expect_contree_error(model.frame(inside), "input", c("hidden", "model = TRUE"))
  kept <- (function(hidden) contree(Species ~ ., hidden, depth = 1, model = TRUE))(iris)
  expect_equal(dim(model.frame(kept)), c(150, 5))
  expect_contree_error(model.frame(contree(iris[1:4], iris$Species)), "input", "formula")
  changed <- iris
  fit <- contree(Species ~ ., changed, depth = 1)
  changed <- changed[1:10, ]
  expect_contree_error(model.frame(fit), "input", c("10 rows", "150", "model = TRUE"))
})

test_that("model.frame has the rows of a condition that is NA in some", {
  data <- transform(iris, Petal.Width = replace(Petal.Width, 1:9, NA))
  for (fit in list(contree(Species ~ Sepal.Length, data, subset = Petal.Width > 0.2, depth = 1),
                   contree(Species ~ Petal.Width, data, subset = c(NA, 1:20, 60), depth = 1))) {
    expect_identical(row.names(model.frame(fit)), names(fit$where))
  }
})

test_that("update refits", {
  expect_equal(update(iris2, depth = 1)$control$depth, 1)
  smaller <- update(iris2, . ~ . - Petal.Width - Petal.Length)
  expect_identical(smaller$shape$names, c("Sepal.Length", "Sepal.Width"))
  expect_gt(smaller$objective, iris2$objective)
  expect_equal(update(contree(iris[1:4], iris$Species, depth = 1), depth = 2)$frame, iris2$frame)
})

test_that("update() takes arguments that come through dots, and NULL for none", {
  fits <- lapply(1:2, function(depth) contree(Species ~ ., iris, depth = 3))
  for (fit in lapply(fits, update, depth = 1, complexity = 0.01)) {
    expect_identical(fit$call, quote(contree(Species ~ ., iris, depth = 1, complexity = 0.01)) |>
                       match.call(definition = contree.formula))
    expect_equal(update(fit, complexity = NULL)$control[c("depth", "complexity")],
                 list(depth = 1, complexity = 0))
  }
  expect_identical(lapply(fits, update, minbucket = 3, evaluate = FALSE)[[2]]$minbucket, 3)
  through <- function(fit, ...) update(fit, . ~ . - Petal.Width, ...)
  expect_identical(through(fits[[1]], depth = 1)$frame,
                   contree(Species ~ . - Petal.Width, iris, depth = 1)$frame)
  forests <- lapply(list(hist_forest(Species ~ ., iris, trees = 2)), update, trees = 3)
  expect_identical(forests[[1]]$call$trees, 3)
  expect_contree_error(update(fits[[1]], . ~ ., 3), "input", "'weights'")
})

test_that("update() takes a setting under either name", {
  rpart_names <- contree(Species ~ ., iris, maxdepth = 3, cp = 0.1, minsplit = 20)
  fit <- update(rpart_names, depth = 1, complexity = 0.02, min_n = 30)
  expect_identical(fit$control[c("depth", "complexity", "min_n")],
                   list(depth = 1, complexity = 0.02, min_n = 30))
  expect_false(any(c("maxdepth", "cp", "minsplit") %in% names(fit$call)))
  expect_identical(update(fit, maxdepth = 2, minsplit = 20)$control[c("depth", "min_n")],
                   list(depth = 2, min_n = 20))
  expect_contree_error(update(fit, maxdepth = 2, depth = 2), "input", "'maxdepth'")
})

test_that("update() has the formula of a function that is over, and what the formula needs", {
  set.seed(1)
  d <- data.frame(y = factor(rep(1:2, 20)), z = rnorm(40), a = rnorm(40), b = rnorm(40))
  # a variable of the same name that means something else
  form <- y ~ b
  in_function <- function(fit, formula, ...) {
    form <- formula
    fit(form, d, ...)
  }
  names_of <- function(fit) fit$shape$names
  tree <- in_function(contree, y ~ a)
  expect_identical(tree$call, quote(contree(formula = y ~ a, data = d)))
  expect_identical(names_of(update(tree, depth = 1)), "a")
  expect_identical(names_of(update(tree, . ~ . + b)), c("a", "b"))
  expect_identical(names_of(update(in_function(contree_path, y ~ a)[[1]], depth = 1)), "a")
  expect_identical(update(in_function(contree_cv, y ~ a, folds = 3), depth = 1)$fit$shape$names,
                   "a")
  expect_identical(names_of(update(in_function(hist_forest, y ~ a, trees = 2), trees = 1)), "a")
  expect_identical(deparse(formula(update(in_function(gmt, z ~ a | b, seed = 1), seed = 2))),
                   "z ~ a | b")

  local_constant <- function(fit, cut, ...) {
    fit(y == 1 ~ I(a > cut) + b, d, ...)
  }
  for (fit in list(local_constant(contree, 0.2), local_constant(hist_forest, 0.2, trees = 2))) {
    twice <- update(update(fit, seed = 1), seed = 2)
    expect_identical(names_of(twice), c("I(a > cut)", "b"))
    expect_identical(environment(terms(twice))$cut, 0.2)
    expect_null(attributes(twice$call$formula))
  }
  model <- (function(cut) gmt(z ~ a | I(b > cut), d, seed = 1))(0.2)
  expect_equal(fitted(update(update(model, seed = 2), seed = 1)), fitted(model))
})

test_that("as.data.frame is the table of nodes", {
  nodes <- as.data.frame(iris2)
  expect_identical(names(nodes)[1:14],
                   c("node", "parent", "depth", "leaf", "variable", "threshold", "levels",
                     "default_left", "left", "right", "n", "errors", "class", "probability"))
  expect_identical(names(nodes)[15:17], paste0("prob.", levels(iris$Species)))
  expect_identical(nodes$node, as.integer(rownames(iris2$frame)))
  expect_true(all(is.na(nodes$threshold) == nodes$leaf))
  inner <- !nodes$leaf
  expect_identical(nodes$left[inner], 2L * nodes$node[inner])
  expect_equal(nodes$n[match(nodes$left[inner], nodes$node)] +
               nodes$n[match(nodes$right[inner], nodes$node)], nodes$n[inner])
  file <- tempfile()
  write.csv(nodes, file)
  expect_equal(dim(read.csv(file)), dim(nodes) + 0:1)
})

test_that("update() changes the formula of very many predictors", {
  set.seed(1)
  data <- as.data.frame(matrix(round(rnorm(60 * 300), 1), 60))
  data$y <- factor(data$V3 > 0)
  fit <- contree(y ~ ., data, depth = 1)
  expect_identical(fit$frame$var[1], "V3")
  without <- update(fit, . ~ . - V3)
  expect_identical(without$shape$names, setdiff(names(data), c("V3", "y")))
  expect_false("V3" %in% update(without, . ~ . + I(V3^2))$frame$var)
  expect_identical(update(without, . ~ . + V3)$shape$names,
                   c(setdiff(names(data), c("V3", "y")), "V3"))
  expect_identical(update(fit, . ~ V1 + V3, depth = 2)$shape$names, c("V1", "V3"))
  expect_identical(update(fit, (V4 > 0) ~ .)$shape$names, setdiff(names(data), c("V4", "y")))
  call <- update(fit, . ~ . - V3, evaluate = FALSE)
  expect_identical(deparse(call$formula), "y ~ . - V3")
})

test_that("update() fits again what do.call() has fitted", {
  flowers <- iris[1:120, ]
  fits <- list(do.call(contree, list(Species ~ ., data = flowers, depth = 2)),
               do.call("contree", list(x = flowers[1:4], y = flowers$Species, depth = 2)))
  arguments <- list(Species ~ ., flowers, weights = rep(1:2, 60), depth = 2)
  fits <- c(fits, list(do.call(contree, arguments)))
  for (fit in fits) {
    expect_lt(length(serialize(fit, NULL)), 3e4)
    expect_identical(update(fit)$frame, fit$frame)
    expect_identical(max(contree:::node_depth(update(fit, depth = 1))), 1L)
  }
  expect_identical(fits[[1]]$call, quote(contree(formula = Species ~ ., data = flowers, depth = 2)))
  wrapped <- (function(...) contree(Species ~ ., ...))(data = flowers, depth = 1)
  expect_identical(wrapped$call, quote(contree(formula = Species ~ ., data = flowers, depth = 1)))
  expect_identical(update(wrapped, depth = 2)$frame, fits[[1]]$frame)
  # what is not known is not made up
  wrapped <- (function(...) do.call(contree, list(...)))(Species ~ ., data = flowers, depth = 1)
  expect_identical(wrapped$call, quote(contree(formula = Species ~ ., data = data, depth = 1)))
})
