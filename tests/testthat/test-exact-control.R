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
