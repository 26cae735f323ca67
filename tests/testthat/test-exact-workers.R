# Searches in parts: over workers, with checkpoints. C tests compare parts with brute force
# (tests/c/exact/test_parts.c); here it is who is given what, and what is lost.

shuffled_pool <- function(...) odd_pool(..., work = contree:::search_task)

lengths_of <- function(first, most) {
  list(first = Inf, least = Inf, most = Inf, first_most = first, most_thresholds = most)
}

# What contree() does with workers, on another pool and with parts of a few thresholds each.
fit_in_parts <- function(..., pool) {
  old <- options(contree.pool = pool, contree.part_lengths = lengths_of(1, 2))
  on.exit(options(old))
  contree(..., workers = TRUE)
}

expect_same_fit <- function(fit, one) {
  expect_identical(fit$status, one$status)
  expect_identical(fit$frame, one$frame)
  expect_identical(fit$splits, one$splits)
  expect_identical(fit$where, one$where)
  expect_equal(fit$bound, one$bound)
}

noisy <- function(seed, n = 90) {
  set.seed(seed)
  data <- data.frame(a = rnorm(n), b = round(rnorm(n), 1), c = rpois(n, 3))
  data$y <- factor(sample(c("u", "v", "w"), n, TRUE, c(3, 2, 1)))
  data$z <- data$a + data$c * (data$b > 0) + rnorm(n)
  data
}

test_that("any number of workers, order of arrival and losses give the tree of one search", {
  for (seed in 1:6) {
    data <- noisy(seed)
    data$weight <- sample(3, nrow(data), TRUE)
    pool <- shuffled_pool(1 + seed %% 4, loss = c(0, 0.3)[1 + seed %% 2])
    expect_same_fit(fit_in_parts(y ~ a + b + c, data, pool = pool),
                    contree(y ~ a + b + c, data))
    expect_same_fit(fit_in_parts(y ~ a + b, data, weights = weight, complexity = 0.01, pool = pool),
                    contree(y ~ a + b, data, weights = weight, complexity = 0.01))
    expect_same_fit(fit_in_parts(z ~ a + b + c, data, pool = pool),
                    contree(z ~ a + b + c, data))
    expect_same_fit(fit_in_parts(y ~ a + b + c, data, smallest = FALSE, pool = pool),
                    contree(y ~ a + b + c, data, smallest = FALSE))
  }
  loss <- matrix(c(0, 1, 2, 3, 0, 1, 1, 1, 0), 3)
  expect_same_fit(fit_in_parts(y ~ a + b, data, loss = loss, minbucket = 4, pool = pool),
                  contree(y ~ a + b, data, loss = loss, minbucket = 4))
})

test_that("a search that was stopped goes on from its checkpoint", {
  data <- noisy(7, 150)
  one <- contree(y ~ a + b + c, data)
  file <- tempfile(fileext = ".rds")
  old <- options(contree.part_lengths = lengths_of(3, 1), contree.pool = NULL)
  on.exit({
    options(old)
    unlink(file)
  })
  # the process ends after some parts: what is on the disk is all there is
  parts <- 0
  dying <- contree:::own_pool(contree:::search_task)
  dying$collect <- function(handle) {
    parts <<- parts + 1
    if (parts > 4) stop("the process ends")
    handle
  }
  options(contree.pool = dying)
  expect_error(contree(y ~ a + b + c, data, checkpoint = file), "the process ends")
  kept <- readRDS(file)$state
  expect_gt(length(kept$open$feature), 0)
  expect_lte(contree:::state_bound(kept), one$cost)
  options(contree.pool = shuffled_pool(2))
  expect_same_fit(contree(y ~ a + b + c, data, checkpoint = file), one)
  # and what is done is not searched again
  done <- contree(y ~ a + b + c, data, checkpoint = file)
  expect_same_fit(done, one)
  expect_length(readRDS(file)$state$open$feature, 0)

  expect_contree_error(contree(y ~ a + b, data, checkpoint = file), "input", "other data")
  expect_contree_error(contree(y ~ a + b + c, data, depth = 4, checkpoint = file), "input", "depth")
  writeLines("no checkpoint", file)
  expect_contree_error(contree(y ~ a + b + c, data, checkpoint = file), "input", "checkpoint")
  expect_contree_error(contree(y ~ a, data, checkpoint = 1), "input", "checkpoint")
  expect_contree_error(contree(y ~ a, data, checkpoint = file.path(file, "x")), "input", "folder")
})

test_that("a limit returns tree and bound", {
  data <- noisy(8, 150)
  one <- contree(y ~ a + b + c, data)
  slow <- contree:::own_pool(contree:::search_task)
  slow$launch <- function(task) stop(structure(class = c("interrupt", "condition"), list()))
  file <- tempfile(fileext = ".rds")
  old <- options(contree.pool = slow, contree.part_lengths = lengths_of(3, 1))
  on.exit({
    options(old)
    unlink(file)
  })
  expect_warning(fit <- contree(y ~ a + b + c, data, checkpoint = file), class = "contree_stopped")
  expect_identical(fit$status, "interrupted")
  expect_lte(fit$bound, one$cost)
  expect_gte(fit$cost, one$cost)
  expect_false(is.unsorted(fit$history$bound))
})

test_that("workers of the package future search, and one of them may be lost", {
  skip_if_not_installed("future")
  old <- options(contree.part_lengths = lengths_of(2, 8))
  on.exit(options(old))
  data <- noisy(9, 250)
  one <- contree(y ~ a + b + c, data)
  search <- function() contree(y ~ a + b + c, data, workers = TRUE)
  with_plan("multisession", workers = 2, {
    expect_same_fit(search(), one)
    pool <- mortal_pool(contree:::search_task)
    expect_same_fit(suppressWarnings(with_pool(pool, search())), one)
    expect_gt(pool$launches(), 2)
  })
})

test_that("workers must be TRUE or FALSE", {
  expect_contree_error(contree(Species ~ ., iris, workers = 2), "input", "workers")
})
