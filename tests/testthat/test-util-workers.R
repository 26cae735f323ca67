# Work dealt out among workers: cross-validation, stability, conformal intervals. Searches and
# forests have tests of their own.

few <- data.frame(y = factor(rep(c("a", "b", "b"), 20)), u = sin(1:60), v = (1:60) %% 7)

carried_pool <- function(size, ...) odd_pool(size, contree:::carried_task, ...)

# What does not know how it came about.
cross_validated <- function(...) {
  set.seed(2)
  contree_cv(y ~ u + v, few, depth = 1:2, folds = 3, repeats = 2, ...)[c("table", "confusion")]
}

stability <- function() {
  set.seed(2)
  unclass(contree_stability(contree(y ~ u + v, few, depth = 2), samples = 7))[-1]
}

intervals <- function() {
  fit <- gmt(u ~ v, few, seed = 4, conformal = 4)
  predict(fit, few, interval = "prediction")
}

model_trees <- function() {
  set.seed(2)
  gmt_cv(u ~ v, few, folds = 3, complexity = c(1, 4), smoothing = 0, seed = 4)$table
}

test_that("answers are the same for any workers, order of arrival and losses", {
  skip_if_not_installed("future")
  all <- function() list(cross_validated(), stability(), intervals(), model_trees())
  here <- all()
  with_plan("multisession", workers = 2, {
    for (pool in list(carried_pool(1), carried_pool(3, loss = 0.3),
                      carried_pool(2, loss = 0.3, sends = TRUE))) {
      expect_identical(with_pool(pool, all()), here)
    }
    expect_identical(all(), here)
    pool <- mortal_pool(contree:::carried_task)
    expect_identical(suppressWarnings(with_pool(pool, cross_validated())), here[[1]])
    expect_gt(pool$launches(), 6)
  })
})

test_that("the data are written once, and gone at the end", {
  skip_if_not_installed("future")
  folder <- tempfile()
  dir.create(folder)
  old <- options(contree.folder = folder)
  on.exit({
    options(old)
    unlink(folder, recursive = TRUE)
  })
  seen <- list()
  pool <- carried_pool(2)
  launch <- pool$launch
  pool$launch <- function(task) {
    force(task)
    seen[[length(seen) + 1]] <<- list(files = sort(dir(folder)), names = names(task$where),
                                      bytes = length(serialize(task, NULL)))
    launch(task)
  }
  with_plan("multisession", workers = 2, with_pool(pool, cross_validated()))
  expect_length(seen, 6)
  expect_length(unique(lapply(seen, `[[`, "files")), 1)
  expect_length(seen[[1]]$files, 2)
  expect_identical(seen[[1]]$names, c("hash", "file"))
  expect_lt(max(vapply(seen, `[[`, 0L, "bytes")), 1000)
  expect_identical(dir(folder), character())
})

test_that("Ctrl-C is an error, and workers stop what nobody waits for", {
  skip_if_not_installed("future")
  pool <- carried_pool(2)
  wanted <- NULL
  pool$launch <- function(task) {
    force(task)
    wanted <<- c(wanted, file.exists(task$wanted), task$wanted)
    stop(contree:::a_condition("interrupt"))
  }
  with_plan("multisession", workers = 2, with_pool(pool, {
    expect_error(cross_validated(), class = "contree_interrupted_error")
    expect_error(stability(), class = "contree_interrupted_error")
    expect_error(model_trees(), class = "contree_interrupted_error")
  }))
  expect_identical(wanted[c(1, 3, 5)], rep("TRUE", 3))
  expect_false(any(file.exists(wanted[c(2, 4, 6)])))

  file <- contree:::new_wanted_file()
  work <- function(check) {
    check()
    unlink(file)
    check()
    stop("it went on")
  }
  expect_null(contree:::while_wanted(file, work))
  # who never saw the file cannot know
  expect_identical(contree:::while_wanted(file, function(check) c(check(), 1)), 1)
})

test_that("an error in a worker is the error of the call", {
  skip_if_not_installed("future")
  with_plan("multisession", workers = 2, {
    expect_contree_error(contree_cv(y ~ u, few, memory_limit = 100), "input", "memory")
  })
})
