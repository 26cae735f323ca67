test_that("a function is told of the search, not too often", {
  states <- list()
  fit <- suppressWarnings(by_counts(rows = 1e5, contree(
    y ~ ., hard_table(), depth = 4, time_limit = 1.1, threads = 1,
    progress = function(state) states[[length(states) + 1]] <<- state)))
  expect_length(states, 4)
  state <- states[[length(states)]]
  expect_identical(names(state), c("elapsed", "cost", "bound", "gap", "closed"))
  expect_gte(state$cost, fit$cost)
  expect_lte(state$bound, fit$bound)
  expect_equal(state$gap, state$cost - state$bound)
  expect_true(state$closed >= 0 && state$closed <= 1)
  expect_false(is.unsorted(vapply(states, function(s) s$elapsed, 0)))
})

test_that("its error ends the search and is passed on, for any number of threads", {
  data <- hard_table()
  for (threads in 1:2) {
    calls <- 0
    problem <- tryCatch(contree(y ~ ., data, depth = 4, threads = threads,
                                progress = function(state) {
      calls <<- calls + 1
      stop("enough of this")
    }), error = identity)
    expect_identical(conditionMessage(problem), "enough of this")
    expect_false(inherits(problem, "contree_error"))
    expect_identical(calls, 1)
  }
  # so does any other way out
  out <- withRestarts(contree(y ~ ., data, depth = 4,
                              progress = function(state) invokeRestart("away", 7)),
                      away = function(value) value)
  expect_identical(out, 7)
  expect_equal(contree(Species ~ ., iris, depth = 2)$frame, iris2$frame)
})

test_that("a fit within a progress function is a fit as any other", {
  inner <- NULL
  withRestarts(contree(y ~ ., hard_table(), depth = 4, threads = 2, progress = function(state) {
    inner <<- contree(Species ~ ., iris, depth = 2, threads = 2)
    invokeRestart("away")
  }), away = function() NULL)
  expect_identical(inner$frame, iris2$frame)
})

test_that("the settings are checked", {
  expect_contree_error(contree(Species ~ ., iris, progress = "bar"), "input",
                       c("'progress'", "\"bar\"", "\"progressr\""))
  expect_contree_error(contree(Species ~ ., iris, verbose = NA), "input",
                       c("'verbose'", "TRUE or FALSE"))
})

test_that("the line is for people: not in batch, not in knitr, not beside another display", {
  wants <- contree:::wants_line
  expect_true(wants(TRUE, elsewhere = TRUE))
  expect_false(wants(FALSE, elsewhere = FALSE))
  expect_identical(wants(NULL, elsewhere = FALSE), interactive())
  expect_false(wants(NULL, elsewhere = TRUE))
  old <- options(contree.verbose = TRUE)
  on.exit(options(old))
  expect_true(wants(NULL, elsewhere = FALSE))
  expect_false(wants(FALSE, elsewhere = FALSE))
})

test_that("the line is written from the second second on, and cleared", {
  skip_on_cran()
  script <- c("set.seed(11)", "data <- as.data.frame(matrix(runif(30000), 3000))",
              "data$y <- sample(c('a', 'b'), 3000, TRUE)",
              "search <- function(...) {",
              "  fit <<- suppressWarnings(contree(y ~ ., data, depth = 4, threads = 1, ...))", "}",
              counts_time(1e5))
  said <- run_session(c(script, "search(time_limit = 1.3, verbose = TRUE)"))
  said <- strsplit(paste(said, collapse = "\n"), "\r")[[1]]
  line <- grep("^contree: ", said, value = TRUE)
  expect_match(
    line[1],
    "^contree: 1 s, best [0-9]+, bound [0-9]+, gap [0-9]+, [0-9]+% of root thresholds closed$")
  expect_match(said[length(said) - 1], "^ *$") # written over, and the cursor is back
  expect_identical(said[length(said)], "end")
  expect_identical(run_session(c(script, "search(time_limit = 0.7, verbose = TRUE)",
                                 "search(time_limit = 1.2)")), "end")
})

test_that("progressr is told where it listens", {
  skip_if_not_installed("progressr")
  data <- hard_table()
  told <- function(...) {
    types <- character()
    old <- options(progressr.enable = TRUE)
    on.exit(options(old))
    withCallingHandlers(
      suppressWarnings(by_counts(contree(y ~ ., data, depth = 4, time_limit = 0.7, threads = 1,
                                         ...),
                                 rows = 1e5)),
      progression = function(p) types <<- c(types, p$type))
    types
  }
  expect_length(told(), 0)
  types <- told(progress = "progressr")
  expect_identical(types[1], "initiate")
  expect_true("update" %in% types)
  expect_identical(types[length(types)], "finish")
  expect_false(contree:::progressr_listens())
  expect_true(progressr::with_progress(contree:::progressr_listens(),
                                       handlers = progressr::handler_void()))
})
