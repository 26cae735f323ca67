# What is known before the search has done much: of a search that is stopped soon.
at_once <- function(...) {
  suppressWarnings(by_counts(contree(y ~ ., hard_table(), time_limit = 0.002, threads = 1, ...)))
}

test_that("a search that begins with a tree is never worse than it", {
  data <- hard_table()
  good <- suppressWarnings(by_counts(contree(y ~ ., data, depth = 4, time_limit = 0.2)))
  expect_lt(good$cost, at_once(depth = 4)$cost)
  again <- at_once(depth = 4, start = good)
  expect_lte(again$cost, good$cost)
  deeper <- at_once(depth = 5, start = good)
  expect_lte(deeper$cost, good$cost)
})

test_that("the optimum does not depend on it", {
  for (start in list(iris2, contree(Species ~ ., iris, depth = 4),
                     contree(Species ~ ., iris, depth = 0))) {
    for (depth in 1:3) {
      expect_identical(contree(Species ~ ., iris, depth = depth, start = start)$frame,
                       contree(Species ~ ., iris, depth = depth)$frame)
    }
    expect_equal(contree(Species ~ ., iris, depth = 3, minbucket = 20, start = start)$cost,
                 contree(Species ~ ., iris, depth = 3, minbucket = 20)$cost)
  }
})

# The nodes of a start on complete numeric predictors of these names.
nodes_of <- function(start, names) {
  contree:::start_nodes(start, list(shape = list(names = names)), NULL)
}

test_that("predictors are matched by name", {
  turned <- contree(Species ~ Petal.Width + Petal.Length, iris, depth = 2)
  nodes <- nodes_of(turned, names(iris)[1:4])
  expect_identical(nodes$feature, match(contree:::node_variable(turned), names(iris), 0L))
  # what is not there is left out, with all below it
  expect_true(all(nodes_of(turned, c("a", "b"))$feature == 0))
  expect_equal(contree(Species ~ Sepal.Width, iris, depth = 2, start = turned)$cost,
               contree(Species ~ Sepal.Width, iris, depth = 2)$cost)
})

test_that("a tree of rpart can begin, with either side on the left", {
  skip_if_not_installed("rpart")
  data <- hard_table(400, 4)
  for (depth in 0:4) {
    greedy <- rpart::rpart(y ~ ., data, cp = 0, minsplit = 2, minbucket = 1,
                           maxdepth = max(1, depth), xval = 0)
    if (depth == 0) greedy <- rpart::prune(greedy, cp = 1)
    nodes <- nodes_of(greedy, names(data)[1:4])
    leaf <- .Call(contree:::ffi_tree_route, nodes$feature, nodes$threshold, nodes$left, nodes$right,
                  nodes$default_left, NULL, seq_along(nodes$left), as.matrix(data[1:4]), 1L)
    expect_equal(leaf, unname(greedy$where))
    if (depth > 1) expect_true(all(c(-1, 1) %in% greedy$splits[, "ncat"]))
  }
  hard <- hard_table()
  greedy <- rpart::rpart(y ~ ., hard, cp = 0, minsplit = 2, minbucket = 1, maxdepth = 5, xval = 0)
  errors <- sum(predict(greedy, type = "class") != hard$y)
  expect_lte(at_once(depth = 5, start = greedy)$cost, errors)
})

test_that("what cannot begin is an error that says why", {
  expect_contree_error(contree(Species ~ ., iris, start = "best"), "input",
                       c("'start'", "\"best\"", "contree() or rpart()"))
  expect_contree_error(contree(Species ~ ., iris, start = lm(Sepal.Width ~ 1, iris)), "input",
                       c("'start'", "\"lm\""))
})

# The errors on `data` of the tree that a search begins with, seen when it is stopped at once.
begun_with <- function(data, start, depth) {
  suppressMessages(suppressWarnings(contree(y ~ ., data, depth = depth, time_limit = 0,
                                            start = start)))$objective
}

test_that("trees with levels and missing values can begin", {
  set.seed(12)
  for (case in 1:20) {
    data <- mixed_table(80, 3)
    data$many <- factor(sample(letters, 80, TRUE))
    data$many[sample(80, 8)] <- NA
    fit <- suppressMessages(contree(y ~ ., data, depth = 2))
    # the whole tree is taken over, so it cannot be bettered at depth two
    expect_equal(begun_with(data, fit, 2), fit$objective, info = case)
  }
})

test_that("a tree of rpart with levels can begin", {
  skip_if_not_installed("rpart")
  set.seed(13)
  data <- data.frame(f = factor(sample(letters[1:5], 300, TRUE)), a = runif(300),
                     o = ordered(sample(4, 300, TRUE)))
  data$y <- factor(runif(300) < ifelse(data$f %in% c("a", "d"), 0.8, 0.2) * data$a +
                   as.integer(data$o) / 10)
  greedy <- rpart::rpart(y ~ ., data, cp = 0, minsplit = 2, minbucket = 1, maxdepth = 3, xval = 0)
  expect_true(any(greedy$splits[, "ncat"] > 1))
  expect_lte(begun_with(data, greedy, 3), sum(predict(greedy, type = "class") != data$y))
})

test_that("update begins with the tree it has, and leaves no trace of it", {
  data <- hard_table()
  first <- suppressWarnings(by_counts(contree(y ~ ., data, depth = 4, time_limit = 0.2)))
  soon <- function(fit) suppressWarnings(by_counts(update(fit, time_limit = 0.002)))
  second <- soon(first)
  expect_lte(second$cost, first$cost)
  expect_null(second$call$start)
  expect_null(second$control$start)
  expect_lte(soon(second)$cost, second$cost)
  expect_equal(update(iris2, start = NULL)$frame, iris2$frame)
  expect_identical(update(iris2, depth = 1, evaluate = FALSE),
                   quote(contree(formula = Species ~ ., data = iris, depth = 1)))
  several <- lapply(1:2, function(d) update(iris2, depth = d))
  expect_identical(several[[2]]$frame, iris2$frame)
  # a name that was typed stays
  expect_identical(contree(Species ~ ., iris, start = iris2)$call$start, quote(iris2))
})

test_that("a start whose thresholds are capped away does no harm", {
  set.seed(2)
  for (i in 1:60) {
    data <- data.frame(a = sample(3, 12, TRUE), b = sample(3, 12, TRUE),
                       y = factor(sample(2, 12, TRUE)))
    start <- contree(y ~ ., data, depth = 2)
    with <- suppressWarnings(contree(y ~ ., data, depth = 2, start = start, max_thresholds = 1))
    without <- suppressWarnings(contree(y ~ ., data, depth = 2, max_thresholds = 1))
    expect_identical(with$cost, without$cost)
  }
})
