# Limits and interrupts while a long search is under way: it must answer soon, with a tree and with bounds that hold.

# Noise: a proof for depth 4 would take hours.
hard_table <- function(n = 3000, columns = 10) {
  set.seed(11)
  data <- as.data.frame(matrix(runif(n * columns), n))
  data$y <- factor(sample(c("a", "b"), n, TRUE))
  data
}

# What must hold of a tree that is not proven optimal.
expect_stopped <- function(fit, status, data) {
  expect_identical(fit$status, status)
  expect_gte(fit$bound, 0)
  expect_lte(fit$bound, fit$cost)
  expect_equal(fit$gap, fit$cost - fit$bound)
  expect_equal(fit$objective, sum(predict(fit, data) != data$y))
  expect_lte(fit$objective, nrow(data) - max(table(data$y)))
}

test_that("the time limit is kept while the search is under way", {
  data <- hard_table()
  for (depth in 3:5) {
    took <- system.time(fit <- contree(y ~ ., data, depth = depth, time_limit = 0.2))[["elapsed"]]
    expect_gte(took, 0.2)
    expect_lt(took, 1.2) # a busy machine; a quiet one takes 0.21
    expect_stopped(fit, "time limit", data)
    expect_gt(nrow(fit$frame), 1)
  }
})

test_that("the time limit is kept with many columns and with many classes", {
  wide <- hard_table(300, 200)
  took <- system.time(fit <- contree(y ~ ., wide, depth = 4, time_limit = 0.2))[["elapsed"]]
  expect_lt(took, 1.2)
  expect_stopped(fit, "time limit", wide)
  classes <- hard_table()
  classes$y <- factor(sample(30, nrow(classes), TRUE))
  took <- system.time(fit <- contree(y ~ ., classes, depth = 4, time_limit = 0.2))[["elapsed"]]
  expect_lt(took, 1.2)
  expect_stopped(fit, "time limit", classes)
})

test_that("the memory limit ends the search with what is known, or says that it cannot begin", {
  data <- hard_table()
  ends <- character()
  for (limit in c("100KB", "300KB", "500KB", "700KB", "1MB", "1.5MB")) {
    fit <- tryCatch(contree(y ~ ., data, depth = 4, memory_limit = limit, time_limit = 0.2), contree_input_error = identity)
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

# Runs `code`, lines of R, in another session; sends it an interrupt once it has written its first line. Returns what it
# wrote and how long it took from there on.
interrupt_session <- function(code, after = 1) {
  folder <- tempfile("session")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  script <- file.path(folder, "script.R")
  out <- file.path(folder, "out")
  head <- c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(contree)",
            'say <- function(...) { cat(..., "\\n"); flush(stdout()) }', "say(Sys.getpid())")
  writeLines(c(head, code, 'say("end")'), script)
  said <- function() if (file.exists(out)) trimws(readLines(out, warn = FALSE)) else character()
  wait_for <- function(done, seconds) {
    end <- Sys.time() + seconds
    while (!done() && Sys.time() < end) Sys.sleep(0.02)
    done()
  }
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = out, stderr = FALSE, wait = FALSE)
  wait_for(function() "begin" %in% said(), 30)
  pid <- as.integer(said()[1])
  on.exit(tools::pskill(pid, tools::SIGKILL), add = TRUE, after = FALSE)
  Sys.sleep(after) # deep in the search
  still_running <- !"end" %in% said()
  tools::pskill(pid, tools::SIGINT)
  took <- system.time(ended <- wait_for(function() "end" %in% said(), 10))[["elapsed"]]
  list(said = said(), took = took, ended = ended, still_running = still_running)
}

test_that("an interrupt is answered during a long search, and the session lives on", {
  skip_on_cran()
  skip_on_os("windows")
  session <- interrupt_session(c(
    "set.seed(11)",
    "data <- as.data.frame(matrix(runif(30000), 3000))",
    "data$y <- factor(sample(c('a', 'b'), 3000, TRUE))",
    "say('begin')",
    # what comes of the call, a fit or a condition, is not the matter here
    "fit <- tryCatch(contree(y ~ ., data, depth = 5, time_limit = 60), condition = identity)",
    "say('answered')",
    "say(contree(Species ~ ., iris, depth = 2, time_limit = 60)$status)"))
  expect_true(session$still_running)
  expect_true(session$ended)
  expect_lt(session$took, 3)
  expect_identical(session$said[-(1:2)], c("answered", "optimal", "end"))
})
