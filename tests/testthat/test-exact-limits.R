# Limits and interrupts while a long search is under way: it must answer soon, with a tree and with
# bounds that hold.

# What must hold of a tree that is not proven optimal.
expect_stopped <- function(fit, status, data) {
  expect_identical(fit$status, status)
  expect_gte(fit$bound, 0)
  expect_lte(fit$bound, fit$cost)
  expect_equal(fit$gap, fit$cost - fit$bound)
  expect_equal(fit$objective, sum(predict(fit, data) != data$y))
  expect_lte(fit$objective, nrow(data) - max(table(data$y)))
}

# The value of `code`, by counts, which must give one warning, of the class and with the figures of
# the fit.
stopped <- function(code, kind = NULL) {
  warned <- list()
  fit <- withCallingHandlers(by_counts(code), warning = function(w) {
    warned[[length(warned) + 1]] <<- w
    invokeRestart("muffleWarning")
  })
  expect_length(warned, 1)
  warned <- warned[[1]]
  if (is.null(kind)) kind <- c("time limit" = "timeout", "memory limit" = "memory")[[fit$status]]
  expect_identical(class(warned),
                   c(paste0("contree_", kind), "contree_stopped", "warning", "condition"))
  figures <- c("status", "objective", "cost", "bound", "gap", "elapsed")
  expect_identical(unclass(warned)[figures], unclass(fit)[figures])
  expect_match(conditionMessage(warned), fit$status, fixed = TRUE)
  expect_match(conditionMessage(warned), fixed = TRUE,
               if (fit$gap == 0) {
                 "proven optimal; a smaller tree may cost as much"
               } else if (fit$bound > 0) {
                 sprintf("s: %g errors, at least %g proven (gap %g)", fit$objective, fit$bound,
                         fit$gap)
               } else {
                 sprintf("s: %g errors; no useful bound is known yet", fit$objective)
               })
  expect_identical(conditionCall(warned)[[1]], quote(contree))
  fit
}

test_that("the time limit is kept while the search is under way", {
  data <- hard_table()
  for (depth in 4:6) {
    # without the limit it would not return
    fit <- stopped(contree(y ~ ., data, depth = depth, time_limit = 0.2), "timeout")
    expect_gte(fit$elapsed, 0.2)
    expect_stopped(fit, "time limit", data)
    expect_gt(nrow(fit$frame), 1)
  }
})

test_that("errors beyond integers, and parts of one, are told", {
  data <- hard_table(200, 4)
  for (weight in c(2^36, 0.75)) {
    problem <- tryCatch(contree(data[1:4], data$y, weights = rep(weight, 200), depth = 4,
                                time_limit = 0), contree_timeout = identity)
    expect_match(conditionMessage(problem), sprintf(": %.15g errors", problem$objective),
                 fixed = TRUE)
  }
  expect_identical(contree:::errors_text(1), "1 error")
  expect_identical(contree:::errors_text(1.5), "1.5 errors")
})

test_that("the time limit is kept with many columns and with many classes", {
  wide <- hard_table(300, 200)
  fit <- stopped(contree(y ~ ., wide, depth = 4, time_limit = 0.2), "timeout")
  expect_stopped(fit, "time limit", wide)
  classes <- hard_table()
  classes$y <- factor(sample(30, nrow(classes), TRUE))
  fit <- stopped(contree(y ~ ., classes, depth = 4, time_limit = 0.2), "timeout")
  expect_stopped(fit, "time limit", classes)
})

test_that("the memory limit ends the search with what is known, or says that it cannot begin", {
  data <- hard_table()
  ends <- character()
  for (limit in c("100KB", "300KB", "500KB", "700KB", "1MB", "1.5MB", "10MB")) {
    fit <-
      tryCatch(stopped(contree(y ~ ., data, depth = 4, memory_limit = limit, time_limit = 0.2)),
               contree_input_error = identity)
    if (inherits(fit, "error")) {
      ends <- c(ends, "error")
      expect_match(conditionMessage(fit), "not enough memory")
    } else {
      ends <- c(ends, fit$status)
      expect_true(fit$status %in% c("memory limit", "time limit"), info = limit)
      expect_stopped(fit, fit$status, data)
    }
  }
  expect_identical(unique(ends), c("error", "memory limit", "time limit"))
})

test_that("the warning of a search with a penalty on splits speaks of cost", {
  warned <- tryCatch(by_counts(contree(y ~ ., hard_table(), depth = 4, complexity = 0.001,
                                       time_limit = 0.1)),
                     contree_timeout = identity)
  expect_match(conditionMessage(warned),
               paste0("^stopped at the time limit after 0[.][0-9]+ s: cost [0-9.]+, ",
                      "at least [0-9.]+ proven \\(gap [0-9.]+\\)$"))
})

test_that("where only the size of the tree is open, the warning says so", {
  for (errors in c(0, 6)) {
    proof <- list(status = "time limit", elapsed = 1, objective = errors, cost = errors,
                  bound = errors, gap = 0)
    fit <- c(proof, list(control = list(complexity = 0)))
    expect_identical(contree:::stopped_message(fit), paste0(
      "stopped at the time limit after 1 s: ", errors,
      " errors, proven optimal; a smaller tree may cost as much"))
  }
})

# What is said of the search that the sessions below interrupt.
long_search <- "search <- function(...) contree(y ~ ., data, depth = 5, ...)"
again <- "say(contree(Species ~ ., iris, depth = 2)$status)"

test_that("Ctrl-C returns the best tree at once with a warning, and the session lives on", {
  skip_on_cran()
  skip_on_os("windows")
  for (threads in 1:2) {
    session <- interrupt_session(c(
      long_data, long_search,
      sprintf("fit <- withCallingHandlers(search(threads = %d, progress = say_deep),", threads),
      "contree_interrupted = function(w) {",
      "  say('warned')",
      "  invokeRestart('muffleWarning')",
      "})",
      "say('answered')",
      "say(fit$status)",
      "say(fit$gap == fit$cost - fit$bound && fit$objective == sum(predict(fit, data) != data$y))",
      again))
    expect_true(session$still_running)
    expect_true(session$ended)
    expect_identical(session$said[-(1:2)],
                     c("warned", "answered", "interrupted", "TRUE", "optimal", "end"))
  }
})

test_that("Ctrl-C is an error where that was asked for, and in a progress function too", {
  skip_on_cran()
  skip_on_os("windows")
  session <- interrupt_session(c(
    long_data, long_search,
    "slow <- function(state) { say_deep(); repeat Sys.sleep(1) }",
    "problem <- tryCatch(search(on_interrupt = 'error', progress = slow), error = identity)",
    "say(class(problem)[1:3])",
    again))
  expect_true(session$still_running)
  expect_identical(session$said[-(1:2)],
                   c("contree_interrupted_error contree_error error", "optimal", "end"))
})

test_that("a time limit of R ends a search as it ends other calls", {
  skip_on_cran()
  data <- hard_table()
  problem <- tryCatch({
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    contree(y ~ ., data, depth = 5) # a search of hours
  }, error = identity, finally = setTimeLimit())
  expect_match(conditionMessage(problem), "time limit")
  expect_false(inherits(problem, "contree_error"))
})

test_that("a gap that is reached is at most the one asked for, rounding included", {
  x <- data.frame(v1 = factor(letters[c(4, 9, 8, 5, 8, 2, 8, 9, 8, 7, 1, 3, 8)]),
                  v2 = c("z", "Y", "", "x", "", "z", "z", "q", "", "Y", "z", "x", ""))
  y <- factor(c("d", "e", "o", "e", "o", "t", "e", "e", "o", "o", "t", "t", "o"))
  weights <- c(1, 1, 1, 2, 1e11, 1, 2, 1, 1, 2, 1, 1, 2)
  costs <- c(d = 1.317388505209230, e = 0.518080412875861, o = 2.13727544015273,
             t = 0.400528438389301)
  for (most in c(0.5, 0.1, 1e-5, 1e-6)) {
    fit <- suppressMessages(contree(x, y, weights = weights, class_weights = costs, depth = 2,
                                    minbucket = 3, subset_levels = 2, max_gap = most))
    if (fit$status != "optimal") expect_lte(fit$gap, most)
    expect_true(all(fit$history$cost >= fit$cost) && !is.unsorted(-fit$history$cost))
    expect_true(fit$status %in% c("optimal", "gap reached"))
  }
})
