test_that("defaults and classes", {
  control <- contree_control()
  expect_s3_class(control, "contree_control")
  # the response decides
  expect_null(control$minbucket)
  expect_null(control$min_n)
  expect_equal(contree(Species ~ ., iris, depth = 1)$control[c("minbucket", "min_n")],
               list(minbucket = 1, min_n = 2))
  expect_equal(contree_control(minbucket = 4)$min_n, 8)
  expect_identical(control$memory_limit, Inf)
  expect_output(print(control), "complexity +0")
  expect_null(control$threads)
  expect_output(print(control), "threads +NULL")
  expect_identical(control$on_interrupt, "return")
})

test_that("each setting is checked by name and value", {
  expect_contree_error(contree_control(complexity = -1), "input",
                       c("'complexity'", "-1", "at least 0"))
  expect_contree_error(contree_control(complexity = NA), "input", c("'complexity'", "NA"))
  expect_contree_error(contree_control(minbucket = 0), "input", c("'minbucket'", "0", "at least 1"))
  expect_contree_error(contree_control(max_gap = "a"), "input", c("'max_gap'", "\"a\""))
  expect_contree_error(contree_control(memory_limit = "2 bananas"), "input",
                       c("'memory_limit'", "2 bananas", "2GB"))
  expect_contree_error(contree_control(model = 1), "input", c("'model'", "1", "TRUE or FALSE"))
  expect_contree_error(contree_control(deterministic = 1), "input",
                       c("'deterministic'", "1", "TRUE or FALSE"))
  expect_contree_error(contree_control(verbose = "yes"), "input",
                       c("'verbose'", "\"yes\"", "TRUE or FALSE"))
  expect_contree_error(contree_control(on_interrupt = "cry"), "input",
                       c("'on_interrupt'", "\"cry\"", "\"return\", \"error\""))
})

test_that("memory is read in bytes or words", {
  expect_identical(contree:::parse_bytes(NULL), Inf)
  expect_identical(contree:::parse_bytes(1000), 1000)
  expect_identical(contree:::parse_bytes("2GB"), 2 * 1024^3)
  expect_identical(contree:::parse_bytes("500 mb"), 500 * 1024^2)
  expect_identical(contree:::parse_bytes("7"), 7)
})

test_that("leaves and nodes that are split keep to their sizes", {
  # two leaves of one row need two rows anyway
  expect_equal(contree(Species ~ ., iris, depth = 1, minsplit = 1)$control$min_n, 2)
  free <- contree(Species ~ ., iris, depth = 3)
  for (minbucket in c(3, 10, 40)) {
    fit <- contree(Species ~ ., iris, depth = 3, minbucket = minbucket)
    nodes <- as.data.frame(fit)
    expect_identical(fit$status, "optimal")
    expect_gte(fit$objective, free$objective)
    expect_gte(min(nodes$n[nodes$leaf]), minbucket)
  }
  nodes <- as.data.frame(contree(Species ~ ., iris, depth = 3, minsplit = 60))
  expect_gte(min(nodes$n[!nodes$leaf]), 60)
  expect_equal(nrow(as.data.frame(contree(Species ~ ., iris, depth = 3, minbucket = 100))), 1)
  expect_equal(nrow(as.data.frame(contree(Species ~ ., iris, depth = 3, minsplit = Inf))), 1)
})

test_that("limits stop the search with a tree, a bound and a word in print", {
  stopped <- suppressWarnings(contree(Species ~ ., iris, depth = 4, time_limit = 0))
  expect_true(stopped$status %in% c("optimal", "time limit"))
  expect_lte(stopped$bound, stopped$cost)
  near <- expect_silent(contree(Species ~ ., iris, depth = 2, max_gap = 3))
  expect_lte(near$cost, iris2$cost + 3)
  few <- contree(Species ~ ., iris, depth = 2, max_thresholds = 2)
  expect_gte(few$cost, iris2$cost)
  expect_output(print(few), "proven optimal among trees on at most 2 thresholds per predictor",
                fixed = TRUE)
})

test_that("a near miss is guessed", {
  known <- c("depth", "complexity", "maxdepth")
  expect_match(contree:::did_you_mean("Depth", known), "'depth'")
  expect_match(contree:::did_you_mean("max_depth", known), "'depth'")
  expect_match(contree:::did_you_mean("complexty", known), "'complexity'")
  expect_identical(contree:::did_you_mean("elephant", known), "")
})

test_that("with losses a split may cost more than a row", {
  loss <- 50 * (1 - diag(3))
  path <- contree_path(Species ~ ., iris, depth = 2, loss = loss)
  expect_gt(max(as.data.frame(path)$complexity), 1)
  expect_equal(update(path[[1]])$cost, path[[1]]$cost)
  expect_length(contree(Species ~ ., iris, loss = loss, cp = 1)$frame$var, 1)
  expect_contree_error(contree(Species ~ ., iris, loss = loss, complexity = 51), "input",
                       c("'complexity'", "50", "51"))
  expect_contree_error(contree(Species ~ ., iris, complexity = 1.5), "input",
                       c("'complexity'", "1", "1.5"))
})

test_that("cp of rpart becomes a share of the rows", {
  expect_equal(contree:::complexity_from_cp(0.01, 100, 150), 0.01 * 100 / 150)
  expect_equal(contree:::complexity_from_cp(5, 100, 150), 100 / 150)
})

test_that("the fit keeps its settings, without data or functions", {
  fit <- contree(Species ~ ., iris, depth = 2, start = iris2, progress = function(state) NULL,
                 deterministic = FALSE)
  expect_false(any(c("start", "progress", "cp") %in% names(fit$control)))
  expect_false(fit$control$deterministic)
  expect_equal(fit$cost, iris2$cost)
  expect_equal(contree(Species ~ ., iris, control = fit$control)$control, fit$control)
})

# Columns of two values, and classes that a tree tells apart but for a few rows.
binary_table <- function(seed, n = 60, columns = 6) {
  set.seed(seed)
  data <- as.data.frame(matrix(rbinom(n * columns, 1, 0.4), n))
  data$y <- factor(replace(data$V6 + data$V4 * data$V5, sample(n, seed %% 3), 2))
  data$z <- data$V1 + data$V4 * data$V5
  data
}

test_that("trees of any size are optimal, the same on any threads, and say so", {
  larger <- 0
  for (seed in 1:20) {
    data <- binary_table(seed)
    given <- list(if (seed %% 2) y ~ . - z else z ~ . - y, data, depth = 3 + seed %% 2,
                  minbucket = 1 + (seed %% 4 == 3), max_leaves = if (seed %% 5) Inf else 6)
    least <- do.call(contree, given)
    one <- do.call(contree, c(given, smallest = FALSE, threads = 1))
    two <- do.call(contree, c(given, smallest = FALSE, threads = 2))
    same <- c("frame", "splits", "where", "cost", "bound", "status")
    expect_identical(unclass(one)[same], unclass(two)[same])
    expect_equal(one$cost, least$cost)
    expect_identical(one$status, "optimal")
    expect_match(capture.output(print(one))[3], "^Tree of .*; a smaller one may cost as much")
    expect_match(capture.output(print(least))[3], "^Smallest of the optimal trees")
    larger <- larger + (nrow(one$frame) > nrow(least$frame))
  }
  expect_gt(larger, 5)
})

test_that("a certificate says that no smaller tree was ruled out", {
  data <- binary_table(5)
  for (formula in list(y ~ . - z, z ~ . - y)) {
    fit <- contree(formula, data, depth = 3, smallest = FALSE, certificate = TRUE)
    check <- contree_certify(fit, data)
    expect_true(check$valid && check$optimal && !check$smallest)
    fit$control$smallest <- TRUE
    expect_false(contree_certify(fit, data)$valid)
  }
})

test_that("sizes count at a price, in paths, and in what a checkpoint is of", {
  data <- binary_table(8)
  plain <- contree(y ~ . - z, data, depth = 3, complexity = 0.01)
  priced <- contree(y ~ . - z, data, depth = 3, complexity = 0.01, smallest = FALSE)
  expect_identical(priced$frame, plain$frame)
  expect_match(capture.output(print(priced))[3], "^Smallest")
  for (by in c("complexity", "leaves")) {
    expect_equal(as.data.frame(contree_path(y ~ . - z, data, depth = 3, by = by,
                                            smallest = FALSE)),
                 as.data.frame(contree_path(y ~ . - z, data, depth = 3, by = by)))
  }
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  contree(y ~ . - z, data, depth = 3, checkpoint = file)
  expect_contree_error(contree(y ~ . - z, data, depth = 3, checkpoint = file, smallest = FALSE),
                       "input", "smallest")
})
