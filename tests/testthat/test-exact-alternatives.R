# What the definition says: for each column at the root the least cost, if that is below a leaf's.
roots_by_force <- function(p, penalty) {
  leaf <- length(p$y) - max(tabulate(p$y))
  cost <- vapply(seq_len(ncol(p$x)), function(j) {
    errors <- least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit, roots = j)[-1]
    min(errors + penalty * seq_along(errors), Inf)
  }, 0)
  stats::setNames(ifelse(cost < leaf - 1e-9, cost, Inf), colnames(p$x))
}

test_that("all predictors that come near are found, with what they cost", {
  found <- 0
  for (seed in seeds(250, 40)) {
    p <- small_problem(5000 + seed)
    complexity <- sample(c(0, 0, 0.05, 1 / length(p$y)), 1)
    within <- sample(c(0, 0.5, 1, 2, 5), 1)
    fit <- contree(p$x, p$y, depth = p$depth, minbucket = p$minbucket, minsplit = p$minsplit,
                   complexity = complexity)
    others <- contree_alternatives(fit, within = within)
    cost <- if (p$depth > 0) roots_by_force(p, complexity * length(p$y)) else c(none = Inf)
    expect_equal(min(cost, length(p$y) - max(tabulate(p$y))), fit$cost, tolerance = 1e-6,
                 info = seed)
    cost <- cost[setdiff(names(cost), contree:::node_variable(fit)[1])]
    if (is.na(contree:::node_variable(fit)[1])) cost <- cost[0]
    expected <- sort(cost[cost <= fit$cost + within + 1e-6])
    table <- as.data.frame(others)
    expect_setequal(table$predictor, names(expected))
    expect_equal(table$cost, unname(expected), tolerance = 1e-6, info = seed)
    expect_true(all(table$status == "optimal"))
    for (name in names(others)) {
      tree <- others[[name]]
      expect_identical(contree:::node_variable(tree)[1], name)
      expect_equal(sum(predict(tree, p$x) != p$y), tree$objective)
      expect_identical(contree:::validate_model(tree), tree)
    }
    found <- found + length(others)
  }
  expect_gt(found, length(seeds(250, 40)) / 10)
})

test_that("what costs more than it may is not listed, however little it is", {
  listed <- left_out <- 0
  for (seed in seeds(60, 20)) {
    p <- small_problem(7000 + seed)
    weights <- sample(1:9, length(p$y), TRUE) / 100 # errors differ by less than one
    fit <- contree(p$x, p$y, weights = weights, depth = p$depth, minbucket = p$minbucket,
                   minsplit = p$minsplit)
    if (contree:::node_is_leaf(fit)[1]) next
    costs <- error_costs(p$y, weights)
    best <- vapply(seq_len(ncol(p$x)), function(j) {
      min(least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit, roots = j, costs = costs)[-1])
    }, 0)
    names(best) <- colnames(p$x)
    best <- best[best < min(colSums(costs)) - 1e-3 &
                   names(best) != contree:::node_variable(fit)[1]]
    more <- unique(best - fit$cost)
    for (within in c(0, more + 0.004, pmax(0, more - 0.004))) {
      expected <- names(best)[best <= fit$cost + within + 1e-6]
      others <- contree_alternatives(fit, within = within)
      expect_setequal(as.character(as.data.frame(others)$predictor), expected)
      listed <- listed + length(expected)
      left_out <- left_out + length(best) - length(expected)
    }
  }
  expect_gt(min(listed, left_out), 0)
})

test_that("predictors are of all kinds, each with all its splits", {
  found <- 0
  for (seed in seeds(60, 6)) {
    set.seed(200 + seed)
    data <- mixed_table(sample(5:12, 1))
    fit <- contree(y ~ ., data, depth = 2)
    table <- as.data.frame(contree_alternatives(fit, within = 3, data = data))
    root <- contree:::node_variable(fit)[1]
    predictors <- if (is.na(root)) character() else setdiff(names(data), c("y", root))
    cost <- vapply(predictors, function(name) min(least_errors(data[names(data) != "y"], data$y, 2,
                                                               roots = name)[-1]), 0)
    leaf <- nrow(data) - max(tabulate(data$y))
    expected <- sort(cost[cost <= fit$cost + 3 & cost < leaf])
    expect_setequal(table$predictor, as.character(names(expected)))
    expect_equal(table$errors, as.numeric(expected), info = seed)
    found <- found + nrow(table)
  }
  expect_gt(found, 3)
})

test_that("deeper trees, threads and n", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01)
  root <- contree:::node_variable(fit)[1]
  all <- contree_alternatives(fit, within = 150)
  expect_identical(nrow(as.data.frame(all)), 3L)
  expect_false(root %in% names(all))
  expect_false(is.unsorted(as.data.frame(all)$cost))
  # with a root that the tree without it also has
  for (name in names(all)) {
    alone <- contree_alternatives(fit, within = all[[name]]$cost - fit$cost, threads = 1)
    expect_equal(alone[[name]]$frame, all[[name]]$frame)
    expect_equal(alone[[name]]$control$root, name)
  }
  expect_identical(names(contree_alternatives(fit, n = 2, within = 150)), names(all)[1:2])
  expect_identical(names(contree_alternatives(fit, n = 1, within = 150)), names(all)[1])
})

test_that("within = Inf lists the best tree of each other predictor", {
  fits <- list(iris2, contree(mpg ~ wt + hp + qsec, mtcars, depth = 2),
               contree(Species ~ ., iris, weights = rep(1:3, 50) / 7, depth = 2))
  for (fit in fits) {
    expected <- as.data.frame(contree_alternatives(fit, within = 1e9))
    expect_gt(nrow(expected), 1)
    expect_identical(as.data.frame(contree_alternatives(fit, within = Inf)), expected)
  }
})

test_that("the training data is found again, or asked for", {
  expected <- as.data.frame(contree_alternatives(iris2, within = 5))
  local_fit <- local({
    d <- iris
    contree(Species ~ ., d, depth = 2)
  })
  expect_contree_error(contree_alternatives(local_fit), "input",
                       c("'d' not found", "'data'", "model = TRUE"))
  expect_equal(as.data.frame(contree_alternatives(local_fit, within = 5, data = iris)), expected)
  kept <- local({
    d <- iris
    contree(Species ~ ., d, depth = 2, model = TRUE)
  })
  others <- contree_alternatives(kept, within = 5)
  expect_equal(as.data.frame(others), expected)
  expect_equal(model.frame(others[[1]]), model.frame(kept))
  xy <- contree(iris[1:4], iris$Species, depth = 2)
  expect_equal(as.data.frame(contree_alternatives(xy, within = 5)), expected)
  expect_equal(as.data.frame(
    contree_alternatives(xy, within = 5, data = list(x = iris[1:4], y = iris$Species))), expected)
  part <- contree(Species ~ log(Petal.Width) + Petal.Length, iris, subset = Sepal.Length > 5,
                  depth = 2)
  expect_named(contree_alternatives(part, within = 20))
  expect_contree_error(contree_alternatives(iris2, data = iris[-1, ]), "input",
                       "not those of the fit")
  less <- list(x = iris[1:3], y = iris$Species)
  expect_contree_error(contree_alternatives(xy, data = less), "input", "not those of the fit")
})

test_that("a tree without a split has no alternatives", {
  leaf <- contree(Species ~ ., iris, depth = 3, complexity = 1)
  expect_length(contree_alternatives(leaf, within = 100), 0)
  expect_output(print(contree_alternatives(leaf)), "no split")
  expect_length(contree_alternatives(contree(Species ~ Petal.Width, iris, depth = 2), within = 100),
                0)
})

test_that("print, and what the fits say of themselves", {
  others <- contree_alternatives(iris2, within = 10)
  expect_output(print(others), "The fit has root Petal.Length and cost 6 (6 errors)", fixed = TRUE)
  expect_output(print(others), "1  Petal.Width      6    6      0      2 optimal", fixed = TRUE)
  expect_output(print(others[[1]]),
                "Smallest of the optimal trees of depth <= 2 with root Petal.Width, 3 leaves",
                fixed = TRUE)
  alone <- contree(Species ~ Petal.Length + Sepal.Width, iris, depth = 1)
  expect_output(print(contree_alternatives(alone)), "No tree with another predictor")
  # what is fitted anew is free again
  expect_equal(update(others[[2]])$cost, iris2$cost)
})

test_that("a search that is stopped says what it has not decided", {
  data <- hard_table()
  fit <- suppressWarnings(by_counts(contree(y ~ ., data, depth = 4, time_limit = 0.1)))
  warned <- NULL
  others <- withCallingHandlers(
    by_counts(contree_alternatives(fit, within = 50, data = data, time_limit = 0.2)),
    contree_timeout = function(w) {
      warned <<- w
      invokeRestart("muffleWarning")
    })
  expect_s3_class(warned, "contree_stopped")
  root <- contree:::node_variable(fit)[1]
  expect_setequal(c(names(others), attr(others, "undecided")), setdiff(names(data)[1:10], root))
  expect_output(print(others), "Not decided")
})

test_that("what cannot be used is an error that says why", {
  expect_contree_error(contree_alternatives(1), "input", c("'fit'", "1"))
  expect_contree_error(contree_alternatives(iris2, n = 0), "input", c("'n'", "0"))
  expect_contree_error(contree_alternatives(iris2, within = -1), "input", c("'within'", "-1"))
  expect_contree_error(contree_alternatives(iris2, depth = 3), "input", c("'depth'", "update()"))
})

test_that("weights need not stand in the data", {
  data <- data.frame(a = c(1, 2, 3, 4, 5, 6, 7, 8), b = c(3, 1, 4, 1, 5, 9, 2, 6),
                     y = factor(c(1, 1, 2, 1, 2, 2, 1, 2)))
  made <- list(
    local({
      w <- c(3, 1, 1, 2, 1, 1, 1, 1)
      keep <- data$a < 8
      contree(y ~ a + b, data, weights = w, subset = keep, depth = 1, certificate = TRUE)
    }),
    do.call(contree, list(y ~ a + b, data, weights = c(3, 1, 1, 2, 1, 1, 1, 1), depth = 1,
                          certificate = TRUE)),
    local({
      w <- c(3, 1, 1, 2, 1, 1, 1, 1)
      contree(data[c("a", "b")], data$y, weights = w, depth = 1, certificate = TRUE)
    }))
  for (fit in made) {
    given <- if (is.null(fit$terms)) list(x = data[c("a", "b")], y = data$y) else data
    expect_true(contree_certify(fit, given)$optimal)
    others <- contree_alternatives(fit, within = 9, data = given)
    expect_named(others, setdiff(c("a", "b"), contree:::node_variable(fit)[1]))
    expect_identical(others[[1]]$frame$wt[1], fit$frame$wt[1])
    # w is not what it was
    w <- rep(2, 8)
    expect_true(contree_certify(fit, given)$valid)
  }
  # changed weights in the data are seen
  data$w <- c(3, 1, 1, 2, 1, 1, 1, 1)
  fit <- contree(y ~ a + b, data, weights = w, depth = 1, certificate = TRUE)
  data$w <- rev(data$w)
  expect_false(contree_certify(fit, data)$valid)
  expect_identical(fit$weights, rev(data$w))
  expect_null(contree(y ~ a + b, data, depth = 1)$weights)
  fit$weights <- fit$weights[-1]
  expect_contree_error(contree_certify(fit, data), "input", "weights")
})

test_that("a predictor's copy is as good, whatever rows weigh and errors cost", {
  set.seed(11)
  for (kind in c("weights", "loss", "wide")) {
    for (i in 1:8) {
      d <- data.frame(a = sample(6, 25, TRUE), b = sample(6, 25, TRUE),
                      y = factor(sample(3, 25, TRUE)))
      d$copy <- d$a
      d$best <- d$b
      w <- switch(kind, weights = runif(25), loss = NULL, wide = c(1e11, runif(24)))
      loss <- if (kind == "loss") matrix(runif(9), 3) * (1 - diag(3))
      fit <- contree(d[c("a", "b", "copy", "best")], d$y, weights = w, loss = loss, depth = 2,
                     model = TRUE)
      if (node_is_leaf(fit)[1]) next
      others <- as.data.frame(
        contree_alternatives(fit, data = list(x = d[c("a", "b", "copy", "best")], y = d$y)))
      twin <- c(a = "copy", b = "best", copy = "a", best = "b")[[node_variable(fit)[1]]]
      expect_true(twin %in% others$predictor, info = paste(kind, i))
    }
  }
})

test_that("weights of 1 need not be found again", {
  fit_it <- function(d, w = rep(1, nrow(d))) {
    contree(Species ~ ., d, weights = w, depth = 1, certificate = TRUE)
  }
  fit <- fit_it(iris)
  expect_named(contree_alternatives(fit, data = iris), "Petal.Width")
  expect_true(contree_certify(fit, iris)$valid)
  from_xy <- function(x, y, w = rep(1, length(y))) contree(x, y, weights = w, depth = 1)
  fit <- from_xy(iris[1:4], iris$Species)
  data <- list(x = iris[1:4], y = iris$Species)
  expect_named(contree_alternatives(fit, data = data), "Petal.Width")
})

test_that("no difference is too small in any unit, beside any other cost", {
  listed <- left_out <- 0
  for (seed in seeds(60, 20)) {
    p <- small_problem(7000 + seed)
    if (p$depth == 0) next
    whole <- sample(1:9, length(p$y), TRUE)
    # a row that is wrong in every tree: its twin has another class
    x <- rbind(p$x, p$x[c(1, 1), , drop = FALSE])
    y <- factor(c(as.character(p$y), "new", "newer"))
    whole <- c(whole, 1e13, 1e13)
    unit <- 10^sample(c(-12, -3, 0, 1), 1)
    costs <- error_costs(y, whole) # of whole numbers doubles are sums without losses
    best <- vapply(seq_len(ncol(x)), function(j) {
      min(least_errors(x, y, p$depth, p$minbucket, p$minsplit, roots = j, costs = costs)[-1])
    }, 0)
    names(best) <- colnames(x)
    fit <- contree(x, y, weights = whole * unit, depth = p$depth, minbucket = p$minbucket,
                   minsplit = p$minsplit)
    if (contree:::node_is_leaf(fit)[1]) next
    expect_equal(fit$counted$nodes[1] * fit$counted$unit / unit, min(colSums(costs)))
    best <- best[best < min(colSums(costs)) & names(best) != contree:::node_variable(fit)[1]]
    least <- round(sum(fit$counted$nodes[contree:::node_is_leaf(fit)]) * fit$counted$unit / unit)
    for (within in c(0, 1, 3)) {
      others <- contree_alternatives(fit, within = within * unit)
      expected <- best[best - least <= within]
      expect_setequal(as.character(names(others)), names(expected))
      table <- as.data.frame(others)
      expect_equal(table$within / unit, unname(expected[table$predictor]) - least)
      listed <- listed + length(expected)
      left_out <- left_out + length(best) - length(expected)
    }
  }
  expect_gt(min(listed, left_out), 0)
})

test_that("squares are compared in their own unit", {
  metres <- transform(iris[1:4], Sepal.Length = Sepal.Length * 1e-6)
  fit <- contree(Sepal.Length ~ ., metres, depth = 1)
  expect_length(contree_alternatives(fit), 0)
  costs <- as.data.frame(contree_alternatives(fit, within = 1))$cost
  for (i in 1:2) {
    expect_length(contree_alternatives(fit, within = (costs[i] - fit$cost) * (1 + 1e-9)), i)
    expect_length(contree_alternatives(fit, within = (costs[i] - fit$cost) * (1 - 1e-9)), i - 1)
  }
})

test_that("of numbers far from zero only trees of the same cost are alternatives", {
  x <- data.frame(a = c(2, 7, 20, 1), b = c(20, 12, 0, 6), c = c(9, 16, 3, 0))
  w <- c(4, 1, 1, 3)
  for (far in c(0, 2^50, -2^51)) {
    fit <- contree(x, far + c(0, 1.5, 1.5, 2.5), weights = w, depth = 1, minbucket = 1)
    expect_length(contree_alternatives(fit, within = 0), 0)
    others <- contree_alternatives(fit, within = 1.5)
    expect_named(others, "c")
    expect_equal(as.data.frame(others)$within, 1.35)
  }
  # decimals tie though their last bits as doubles do not
  d <- data.frame(a = c(1, 0, 0, 0), b = c(0, 0, 0, 1), y = 1e6 + c(0.1, 0.3, 0.5, 0.7))
  fit <- contree(y ~ ., d, depth = 1, minbucket = 1)
  expect_length(contree_alternatives(fit, within = 0), 1)
})

test_that("what a tree costs more is said whatever it may cost", {
  x <- data.frame(a = c(0, 0, 1, 1, 1, 1), b = c(0, 1, 0, 0, 1, 1))
  y <- factor(c("p", "q", "p", "q", "q", "q"))
  fit <- contree(x, y, weights = c(2^53, 1, 2, 1, 2^53, 2), depth = 1)
  for (within in 2^c(2, 30, 53, 60)) {
    others <- as.data.frame(contree_alternatives(fit, within = within, data = list(x = x, y = y)))
    expect_identical(others$within, others$cost - fit$cost)
    expect_identical(others$within, 2)
  }
})

test_that("trees whose costs were rounded are compared by the rows that they differ in", {
  # two rows that no column tells apart are wrong in each tree
  x <- data.frame(a = c(0, 0, 0, 1, 1, 1), b = c(0, 0, 1, 1, 1, 0))
  y <- factor(c("p", "q", "p", "q", "q", "q"))
  fit <- contree(x, y, weights = c(2^58, 2^57, 0.25, 2^57, 2^57, 1), depth = 1, minbucket = 1)
  data <- list(x = x, y = y)
  expect_identical(fit$frame$var[1], "a")
  expect_gt(fit$gap, 1)
  none <- contree_alternatives(fit, within = 0, data = data)
  expect_length(none, 0)
  expect_identical(attr(none, "undecided"), "b")
  expect_output(print(none), "Not decided: 'b'", fixed = TRUE)
  expect_identical(as.data.frame(contree_alternatives(fit, within = 2, data = data))$within, 1.25)
})

test_that("weights are the decimals that they stand for, beside any others", {
  x <- data.frame(a = c(0, 1, 1, 1, 0), b = c(0, 1, 0, 0, 1))
  y <- factor(c("p", "q", "p", "p", "p"))
  for (large in c(1, 1e14, 1.5e16)) { # the last is rounded
    weights <- c(large, large, 0.1, 0.2, 0.3)
    beside <- function(weights, within) {
      fit <- contree(x, y, weights = weights, depth = 1, minbucket = 1)
      as.data.frame(contree_alternatives(fit, within = within, data = list(x = x, y = y)))$within
    }
    expect_identical(beside(weights, 0), 0)
    for (other in c(0.4, 0.3 + 1e-9)) {
      # where costs are rounded the other tree may be the better one
      expect_false(any(beside(replace(weights, 5, other), 1e-10) > 1e-10))
      expect_equal(abs(beside(replace(weights, 5, other), 1)), other - 0.3, tolerance = 1e-6)
    }
  }
})

test_that("whole weights are compared to the last unit, however large they are", {
  # p says the wrong class of one heavy row, q of another one and of a row of weight 1
  data <- data.frame(p = c(1, 1, 0, 0, 0, 1), q = c(0, 1, 1, 0, 0, 0),
                     y = factor(c("y", "y", "y", "n", "n", "y")))
  for (heavy in c(1e15, 1e16, 1e17, 1e18)) {
    weights <- c(heavy, 5, heavy, heavy, heavy, 1)
    fit <- contree(y ~ ., data, weights = weights, depth = 1, minbucket = 1, model = TRUE)
    expect_identical(fit$frame$var[1], "p")
    expect_length(contree_alternatives(fit), 0)
    expect_identical(names(contree_alternatives(fit, within = 1)), "q")
  }
})

test_that("a tree that rounding of numbers may hide is not said to be none", {
  # split on x2 first, a tree has a sum of squares of 2; the grid does not tell it from the fit
  x <- data.frame(x1 = c(2, 0, 0, 2, 0, 2), x2 = c(0.6, 0.3, -0.3, 1.2, 0.4, NA))
  y <- c(3, 0, 1e6, 5, 0, 2)
  fit <- contree(x, y, weights = c(1e14, 2, 1e14, 3, 1e14, 2), depth = 2, minbucket = 1)
  others <- contree_alternatives(fit, within = 1, data = list(x = x, y = y))
  expect_true("x2" %in% c(names(others), attr(others, "undecided")))
  # where nothing is rounded all is decided
  exact <- contree(mpg ~ ., mtcars, depth = 2)
  expect_length(attr(contree_alternatives(exact, within = 100), "undecided"), 0)
})
