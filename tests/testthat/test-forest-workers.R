# Forests grown over workers are those of one process.

grown_together <- c("forest", "oob", "importance", "inbag", "left_out", "harm", "status", "control",
                    "where")

expect_same_forest <- function(fit, one) {
  for (part in grown_together) expect_identical(fit[[part]], one[[part]], label = part)
}

grow_on <- function(pool, ...) with_pool(pool, hist_forest(..., workers = TRUE))

forest_pool <- function(size, ...) odd_pool(size, contree:::grow_task, ...)

test_that("any number of workers, order of arrival and losses give the forest of one process", {
  set.seed(3)
  cars <- transform(mtcars, gear = factor(gear), wt = replace(wt, 3, NA))
  for (size in c(1, 2, 5)) {
    pool <- forest_pool(size, loss = 0.3 * (size > 1), sends = size == 5)
    for (importance in c("impurity", "permutation", "none")) {
      grow <- function(f, ...) {
        f(gear ~ mpg + wt + cyl + hp, cars, trees = 23, seed = size, importance = importance,
          keep_inbag = TRUE, threads = 1, ...)
      }
      expect_same_forest(grow(function(...) grow_on(pool, ...)), grow(hist_forest))
    }
    numbers <- function(f) f(mpg ~ ., cars, trees = 10, seed = 4, first = 7, min_n = 2)
    expect_same_forest(numbers(function(...) grow_on(pool, ...)), numbers(hist_forest))
  }
  expect_same_forest(grow_on(forest_pool(4), mpg ~ ., cars, trees = 1, seed = 1),
                     hist_forest(mpg ~ ., cars, trees = 1, seed = 1))
})

test_that("a learner goes along, and what it says is wrong comes back", {
  gini <- function(histogram, node) stop("no learner")
  expect_error(grow_on(forest_pool(2), Species ~ ., iris, trees = 4, learner = gini), "no learner")
})

test_that("what is done when growing stops is returned", {
  pool <- forest_pool(1)
  launched <- 0
  launch <- pool$launch
  pool$launch <- function(task) {
    launched <<- launched + 1
    if (launched == 3) stop(structure(class = c("interrupt", "condition"), list()))
    launch(task)
  }
  expect_warning(fit <- grow_on(pool, Species ~ ., iris, trees = 20, seed = 1),
                 class = "contree_interrupted")
  expect_identical(fit$forest$number, 0:9)
  expect_identical(predict(fit, iris), predict(hist_forest(Species ~ ., iris, trees = 10, seed = 1),
                                               iris))
  launched <- 2
  expect_error(grow_on(pool, Species ~ ., iris, trees = 20), class = "contree_interrupted_error")
  expect_contree_error(grow_on(forest_pool(2), Species ~ ., iris, time_limit = 0), "input", "time")
})

test_that("workers of the package future grow, and one of them may be lost", {
  skip_if_not_installed("future")
  one <- hist_forest(Species ~ ., iris, trees = 40, seed = 5, importance = "permutation")
  grow <- function() {
    hist_forest(Species ~ ., iris, trees = 40, seed = 5, importance = "permutation", workers = TRUE)
  }
  with_plan("multisession", workers = 2, {
    expect_same_forest(grow(), one)
    pool <- mortal_pool(contree:::grow_task)
    expect_same_forest(suppressWarnings(with_pool(pool, grow())), one)
    expect_gt(pool$launches(), 8)
  })
})

test_that("Ctrl-C that came while a part was grown ends the whole", {
  pool <- forest_pool(1)
  collected <- 0
  pool$collect <- function(handle) {
    collected <<- collected + 1
    task <- handle$task
    if (collected == 3) task$control$trees <- 2
    part <- contree:::grow_task(task)
    if (collected == 3) part$status <- "interrupted"
    part
  }
  expect_warning(fit <- grow_on(pool, Species ~ ., iris, trees = 20, seed = 1),
                 class = "contree_interrupted")
  expect_identical(fit$forest$number, 0:11)
  expect_identical(collected, 3)
})

test_that("a worker ends when nobody waits for its trees", {
  pool <- forest_pool(1)
  ended <- NULL
  pool$collect <- function(handle) {
    file <- handle$task$wanted
    control <- handle$task$control
    data <- contree:::find_data(handle$task$where, function(data) data$hash)
    ended <<- contree:::while_wanted(file, function(check) {
      unlink(file)
      control$report <- check
      contree:::grow_trees(data, control)
    })
    stop(contree:::a_condition("interrupt"))
  }
  expect_error(grow_on(pool, mpg ~ ., mtcars, trees = 1e6, seed = 1),
               class = "contree_interrupted_error")
  expect_identical(ended$status, "interrupted")
})

test_that("workers must be TRUE or FALSE", {
  expect_contree_error(hist_forest(Species ~ ., iris, workers = 2), "input", "workers")
})
