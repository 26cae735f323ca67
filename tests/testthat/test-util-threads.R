# Threads are asked for in many ways; none of these tests may see those of the machine it runs on.
with_threads <- function(code, variables = character(), ...) {
  names <- c("CONTREE_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "_R_CHECK_LIMIT_CORES_")
  old <- Sys.getenv(names, NA)
  options <- options(contree.threads = NULL, Ncpus = NULL)
  options(...)
  counted <- contree:::process$processors
  on.exit({
    if (!all(is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
    Sys.unsetenv(names[is.na(old)])
    options(options)
    assign("processors", counted, contree:::process)
  })
  Sys.unsetenv(names)
  if (length(variables)) do.call(Sys.setenv, as.list(variables))
  assign("processors", 16, contree:::process)
  code
}

used <- function(threads = NULL) contree:::threads_to_use(threads)

test_that("the number is looked for in order", {
  expect_identical(with_threads(used()), 2L)
  expect_identical(with_threads(used(), Ncpus = 3), 3L)
  expect_identical(with_threads(used(), c(CONTREE_NUM_THREADS = "4"), Ncpus = 3), 4L)
  expect_identical(with_threads(used(), c(CONTREE_NUM_THREADS = "4"), Ncpus = 3,
                                contree.threads = 5), 5L)
  expect_identical(with_threads(used(6), c(CONTREE_NUM_THREADS = "4"), Ncpus = 3,
                                contree.threads = 5), 6L)
  expect_identical(with_threads(used(0), contree.threads = 5), 16L)
  expect_identical(with_threads(used(), Ncpus = "many"), 2L)
})

test_that("it is capped by OpenMP's variables, the processors and R CMD check", {
  expect_identical(with_threads(used(100)), 16L)
  expect_identical(with_threads(used(8), c(OMP_THREAD_LIMIT = "3")), 3L)
  expect_identical(with_threads(used(8), c(OMP_NUM_THREADS = "5,2")), 5L)
  expect_identical(with_threads(used(0), c(OMP_NUM_THREADS = "5", OMP_THREAD_LIMIT = "7")), 5L)
  expect_identical(with_threads(used(8), c(OMP_NUM_THREADS = "none")), 8L)
  expect_identical(with_threads(used(8), c("_R_CHECK_LIMIT_CORES_" = "TRUE")), 2L)
  expect_identical(with_threads(used(8), c("_R_CHECK_LIMIT_CORES_" = "false")), 8L)
})

test_that("contree_threads gets and sets", {
  with_threads({
    expect_identical(contree_threads(), 2L)
    expect_null(expect_invisible(contree_threads(1)))
    expect_identical(contree_threads(), 1L)
    expect_identical(contree_threads(0), 1)
    expect_identical(contree_threads(), 16L)
    contree_threads(NULL)
    expect_identical(contree_threads(), 2L)
  })
})

test_that("a wrong number is named with its place", {
  expect_contree_error(contree_threads(-1), "input", c("'n'", "-1", "at least 0", "all processors"))
  expect_contree_error(contree_threads("two"), "input", c("'n'", "\"two\""))
  expect_contree_error(contree(Species ~ ., iris, threads = 1.5), "input",
                       c("'threads'", "1.5", "whole number"))
  expect_contree_error(contree(Species ~ ., iris, threads = NA), "input", c("'threads'", "NA"))
  with_threads(expect_contree_error(contree(Species ~ ., iris), "input",
                                    c("'contree.threads'", "\"a\"")),
               contree.threads = "a")
  with_threads(expect_contree_error(contree(Species ~ ., iris), "input",
                                    c("'CONTREE_NUM_THREADS'", "\"a\"")),
               c(CONTREE_NUM_THREADS = "a"))
})

test_that("quotas of control groups count, those of parents too", {
  root <- tempfile()
  folder <- function(...) {
    path <- file.path(root, ...)
    dir.create(path, recursive = TRUE, showWarnings = FALSE)
    path
  }
  own <- tempfile()
  on.exit(unlink(c(root, own), recursive = TRUE))
  quota <- function() contree:::quota_processors(root, own)
  expect_identical(quota(), Inf)
  writeLines("0::/user.slice/job", own)
  expect_identical(quota(), Inf)
  writeLines("max 100000", file.path(folder("user.slice", "job"), "cpu.max"))
  expect_identical(quota(), Inf)
  writeLines("350000 100000", file.path(folder("user.slice"), "cpu.max"))
  expect_equal(quota(), 4)
  writeLines("20000 100000", file.path(root, "cpu.max"))
  expect_equal(quota(), 1)
  unlink(root, recursive = TRUE)
  writeLines(c("4:memory:/box", "3:cpu,cpuacct:/box"), own)
  writeLines("-1", file.path(folder("cpu", "box"), "cpu.cfs_quota_us"))
  writeLines("100000", file.path(folder("cpu", "box"), "cpu.cfs_period_us"))
  expect_identical(quota(), Inf)
  writeLines("200000", file.path(folder("cpu", "box"), "cpu.cfs_quota_us"))
  expect_equal(quota(), 2)
})

test_that("the fit tells how many threads there were, and the tree is the same", {
  data <- hard_table(1000, 8)
  data$y[data$V3 < 0.4 & data$V5 > 0.3] <- "a"
  one <- contree(y ~ ., data, depth = 3, threads = 1)
  two <- contree(y ~ ., data, depth = 3, threads = 2)
  expect_identical(one$threads, 1L)
  expect_identical(two$threads, contree:::threads_to_use(2))
  same <- c("frame", "splits", "where", "cost", "bound", "status")
  expect_identical(unclass(one)[same], unclass(two)[same])
  any <- contree(y ~ ., data, depth = 3, threads = 2, deterministic = FALSE)
  expect_identical(unclass(any)[c("cost", "bound", "status")],
                   unclass(one)[c("cost", "bound", "status")])
})

test_that("of equally good trees the first predictor's at the lowest threshold is returned", {
  # two copies of a predictor, and a gap within which every threshold is as good
  data <- data.frame(late = c(1, 2, 3, 4, 5, 6), early = c(1, 2, 3, 4, 5, 6),
                     y = c("a", "a", "b", "b", "a", "a"))
  fit <- contree(y ~ ., data, depth = 2)
  expect_identical(rownames(fit$splits)[1], "late")
  expect_equal(fit$splits[[1, "index"]], 2.5)
})

test_that("a forked child has one thread, also after threads in the parent", {
  skip_on_cran()
  skip_on_os("windows")
  said <- run_session(c(
    "set.seed(11)",
    "data <- as.data.frame(matrix(runif(10000), 1000))",
    "data$y <- factor(sample(c('a', 'b'), 1000, TRUE))",
    # long enough for threads to have started
    counts_time(),
    "long <- suppressWarnings(contree(y ~ ., data, depth = 5, threads = 2, time_limit = 0.5))",
    "invisible(.Call(contree:::ffi_count_time, 0, 0))",
    "parent <- contree(y ~ ., data, depth = 3, threads = 2)",
    "child <- function(i) contree(y ~ ., data, depth = 3, threads = 2)",
    "children <- parallel::mclapply(1:2, child, mc.cores = 2)",
    "say(long$threads == contree:::threads_to_use(2))",
    "say(vapply(children, function(child) child$threads, 0L))",
    "say(vapply(children, function(child) identical(child$frame, parent$frame), NA))",
    "say(identical(contree(y ~ ., data, depth = 3, threads = 2)$frame, parent$frame))"))
  expect_identical(said, c("TRUE", "1 1", "TRUE TRUE", "TRUE", "end"))
})
