# Forests grown over workers are those of one process.

grown_together <- c("forest", "oob", "importance", "inbag", "left_out", "harm", "status", "control",
                    "where")

expect_same_forest <- function(fit, one) {
  for (part in grown_together) expect_identical(fit[[part]], one[[part]], label = part)
}

# Workers that are this process, whose answers come in a random order, and some never; `sends`:
# they see no file.
odd_pool <- function(size, loss = 0, sends = FALSE) {
  list(size = function() size, far = function() sends, needs_file = !sends, share = 1,
       launch = function(task) if (runif(1) >= loss) list(task = task),
       wait = function(handles, patience) sample.int(length(handles), 1),
       over = function() NULL,
       collect = function(handle) {
         contree:::forget_data() # as in another process
         if (runif(1) >= loss) contree:::grow_task(handle$task)
       })
}

grow_on <- function(pool, ...) {
  old <- options(contree.pool = pool)
  on.exit(options(old))
  hist_forest(..., workers = TRUE)
}

test_that("any number of workers, order of arrival and losses give the forest of one process", {
  set.seed(3)
  cars <- transform(mtcars, gear = factor(gear), wt = replace(wt, 3, NA))
  for (size in c(1, 2, 5)) {
    pool <- odd_pool(size, loss = 0.3 * (size > 1), sends = size == 5)
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
  expect_same_forest(grow_on(odd_pool(4), mpg ~ ., cars, trees = 1, seed = 1),
                     hist_forest(mpg ~ ., cars, trees = 1, seed = 1))
})

test_that("a learner goes along, and what it says is wrong comes back", {
  gini <- function(histogram, node) stop("no learner")
  expect_error(grow_on(odd_pool(2), Species ~ ., iris, trees = 4, learner = gini), "no learner")
})

test_that("what is done when growing stops is returned", {
  pool <- odd_pool(1)
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
  expect_contree_error(grow_on(odd_pool(2), Species ~ ., iris, time_limit = 0), "input", "time")
})

test_that("workers of the package future grow, and one of them may be lost", {
  skip_if_not_installed("future")
  plan <- future::plan("multisession", workers = 2)
  old <- options(contree.pool = NULL)
  on.exit({
    options(old)
    future::plan(plan)
  })
  one <- hist_forest(Species ~ ., iris, trees = 40, seed = 5, importance = "permutation")
  grow <- function() {
    hist_forest(Species ~ ., iris, trees = 40, seed = 5, importance = "permutation", workers = TRUE)
  }
  expect_same_forest(grow(), one)
  pool <- contree:::future_pool(contree:::grow_task)
  launched <- 0
  mortal <- pool
  mortal$launch <- function(task) {
    launched <<- launched + 1
    if (launched != 2) return(pool$launch(task))
    future::future(tools::pskill(Sys.getpid(), 9))
  }
  options(contree.pool = mortal)
  expect_same_forest(suppressWarnings(grow()), one)
  expect_gt(launched, 8)
})

test_that("workers must be TRUE or FALSE", {
  expect_contree_error(hist_forest(Species ~ ., iris, workers = 2), "input", "workers")
})
