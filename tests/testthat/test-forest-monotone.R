# Forests that must not fall, or rise, as a predictor rises.

sweep_of <- function(fit, data, name, values, type) {
  vapply(values, function(value) {
    data[[name]] <- value
    if (type == "prob") predict(fit, data, type = "prob")[, 2] else predict(fit, data)
  }, numeric(nrow(data)))
}

steps_of <- function(fit, data, name, values, type = "response") {
  swept <- sweep_of(fit, data, name, values, type)
  swept[, -1] - swept[, -ncol(swept)]
}

monotone_data <- function(n, seed) {
  set.seed(seed)
  x <- data.frame(a = rnorm(n), b = sample(12, n, TRUE) / 2, c = rnorm(n),
                  f = factor(sample(letters[1:4], n, TRUE)), o = ordered(sample(3, n, TRUE)))
  x$c[sample(n, n / 10)] <- NA
  signal <- x$a - 0.4 * x$b + 2 * (x$f == "b") * sin(3 * x$a) + as.integer(x$o)
  list(x = x, number = signal + rnorm(n), class = factor(signal + rnorm(n) > 0.5))
}

test_that("no prediction falls, or rises, against what was asked", {
  wanted <- c(a = 1, b = -1, o = 1)
  for (seed in 1:12) {
    n <- c(80, 400, 2500)[seed %% 3 + 1]
    data <- monotone_data(n, seed)
    y <- if (seed %% 2) data$number else data$class
    rule <- if (seed %% 5 == 0) "random" else if (seed %% 2 || seed %% 4) "gini" else "entropy"
    fit <- hist_forest(data$x, y, trees = 15, monotone = wanted, seed = seed, splitrule = rule,
                       minbucket = 1 + seed %% 3, mtry = 1 + seed %% 4)
    free <- hist_forest(data$x, y, trees = 15, seed = seed, splitrule = rule)
    type <- if (seed %% 2) "response" else "prob"
    rows <- data$x[sample(n, 40), ]
    a <- seq(-3, 3, length.out = 60)
    expect_gte(min(steps_of(fit, rows, "a", a, type)), 0)
    expect_lt(min(steps_of(free, rows, "a", a, type)), 0) # so that the sweep could have failed
    expect_lte(max(steps_of(fit, rows, "b", 0:13 / 2, type)), 0)
    o <- lapply(1:3, function(i) factor(i, 1:3, ordered = TRUE))
    swept <- vapply(o, function(level) {
      rows$o <- level
      if (type == "prob") predict(fit, rows, type = "prob")[, 2] else predict(fit, rows)
    }, numeric(40))
    expect_true(all(swept[, 2:3] >= swept[, 1:2]))
    expect_gt(max(steps_of(fit, rows, "a", a, type)), 0)
  }
})

test_that("trees one by one are monotone, too, and leaves are means of their rows", {
  data <- monotone_data(500, 3)
  fit <- hist_forest(data$x, data$number, trees = 5, monotone = c(a = 1), seed = 2,
                     keep_inbag = TRUE)
  rows <- data$x[1:50, ]
  last <- NULL
  for (value in seq(-3, 3, 0.05)) {
    rows$a <- value
    now <- predict(fit, rows, type = "trees")
    if (!is.null(last)) expect_true(all(now >= last))
    last <- now
  }
  leaf <- predict(fit, data$x, type = "leaf")[, 1]
  means <- tapply(data$number * fit$inbag[, 1], leaf, sum) / tapply(fit$inbag[, 1], leaf, sum)
  said <- forest_tree(fit, 1)$prediction[as.integer(names(means))]
  expect_equal(said[is.finite(means)], as.vector(means)[is.finite(means)], tolerance = 1e-6)
})

test_that("a monotone predictor may have missing values, and all leaves have rows", {
  for (seed in 1:6) {
    data <- monotone_data(300, seed)
    data$x$a[sample(300, 20)] <- NA
    y <- if (seed %% 2) data$number else data$class
    fit <- hist_forest(data$x, y, trees = 10, monotone = c(a = 1 - 2 * (seed > 3)), seed = seed)
    trees <- do.call(rbind, lapply(1:10, function(i) forest_tree(fit, i)))
    expect_gt(min(trees$n), 0)
    expect_false(anyNA(trees[-seq_len(match("missing_left", names(trees)))]))
    type <- if (seed %% 2) "response" else "prob"
    steps <- steps_of(fit, data$x[1:40, ], "a", seq(-3, 3, length.out = 60), type)
    expect_gte(min(steps * (1 - 2 * (seed > 3))), 0)
    expect_equal(c(predict(forge(fit), data$x, type = type)),
                 c(predict(fit, data$x, type = type)), ignore_attr = TRUE)
  }
})

test_that("what is monotone does not depend on threads, instruction sets or parts", {
  data <- monotone_data(2000, 4)
  grow <- function(...) {
    hist_forest(data$x, data$number, monotone = c(a = 1, b = -1), seed = 1, ...)
  }
  one <- grow(trees = 6, threads = 1)
  expect_identical(grow(trees = 6, threads = 2)$forest, one$forest)
  for (set in contree_info()$simd_available) {
    old <- options(contree.simd = set)
    expect_identical(grow(trees = 6)$forest, one$forest)
    options(old)
  }
  expect_identical(c(grow(trees = 4), grow(trees = 2, first = 5))$forest, one$forest)
  expect_identical(hist_forest(data$x, data$number, monotone_constraints = c(1, -1, 0, 0, 0),
                               seed = 1, trees = 6)$forest, one$forest)
  expect_identical(hist_forest(data$x, data$number, monotone = c(a = 0), seed = 1)$forest,
                   hist_forest(data$x, data$number, seed = 1)$forest)
})

test_that("what cannot be monotone is refused by name", {
  data <- monotone_data(60, 5)
  grow <- function(y = data$number, ...) hist_forest(data$x, y, trees = 2, ...)
  refused <- function(word, ..., monotone = c(a = 1)) {
    expect_contree_error(grow(..., monotone = monotone), "unsupported", c("monotone", word))
  }
  refused("classes", factor(rep(1:3, 20)))
  refused("quantiles", quantiles = TRUE)
  refused("honest", honesty = TRUE)
  refused("rates", abs(data$number), exposure = rep(1, 60))
  refused("corrected", importance = "corrected")
  refused("'f'", monotone = c(f = 1))
  refused("learner", data$class, learner = hist_learner("gini"))
  for (wrong in list(c(z = 1), 2, "a", c(1, 1), c(a = 1, a = 1))) {
    expect_contree_error(grow(monotone = wrong), "input", "monotone")
  }
  expect_contree_error(grow(replace(data$number, 1, 1e12), monotone = c(a = 1)), "input",
                       "monotone")
  skip_if_not_installed("survival")
  refused("survival", survival::Surv(exp(data$number), rep(1, 60)))
})
