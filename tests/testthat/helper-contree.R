# Shared by the tests: expectations, brute force, and small data.

# `code` must fail with an error of contree of the given kind that names all of `words`, in the
# user's call.
expect_contree_error <- function(code, kind, words = character()) {
  problem <- tryCatch({
    force(code)
    NULL
  }, error = identity)
  expect_s3_class(problem, paste0("contree_", kind, "_error"))
  expect_s3_class(problem, "contree_error")
  for (word in words) expect_match(conditionMessage(problem), word, fixed = TRUE)
  called <- deparse1(conditionCall(problem))
  expect_false(grepl("^(stop|check|read|refuse)_", called), info = called)
  invisible(problem)
}

# The least cost of a tree of a depth, by trying everything: misclassified rows + penalty a split.
brute_force <- function(x, y, depth, penalty = 0) {
  best <- length(y) - max(tabulate(y))
  if (depth == 0 || best <= penalty) return(best)
  for (j in seq_len(ncol(x))) {
    for (threshold in sort(unique(x[, j]))[-1]) {
      left <- x[, j] < threshold
      cost <- penalty + brute_force(x[left, , drop = FALSE], y[left], depth - 1, penalty) +
        brute_force(x[!left, , drop = FALSE], y[!left], depth - 1, penalty)
      best <- min(best, cost)
    }
  }
  best
}

# What a tree says of rows, walking node by node in R over the tables of the object: shares no code
# with predict().
walk <- function(fit, data) {
  frame <- fit$frame
  split <- cumsum(frame$var != "<leaf>")
  vapply(seq_len(nrow(data)), function(i) {
    node <- 1L
    repeat {
      row <- match(node, rownames(frame))
      if (frame$var[row] == "<leaf>") return(node)
      node <- 2L * node + !walks_left(fit, row, split[row], data[[frame$var[row]]][i])
    }
  }, 0L)
}

walks_left <- function(fit, row, split, value) {
  if (is.na(value)) return(fit$frame$default_left[row])
  index <- fit$splits[split, "index"]
  if (fit$splits[split, "ncat"] == -1) return(as.numeric(value) < index)
  side <- fit$csplit[index, match(as.character(value), fit$xlevels[[fit$frame$var[row]]])]
  if (side %in% c(1L, 3L)) return(side == 1L)
  children <- match(2L * as.integer(rownames(fit$frame)[row]) + 0:1, rownames(fit$frame))
  fit$frame$n[children[1]] >= fit$frame$n[children[2]]
}

# An rpart object with the nodes of a fit, so that rpart's own methods can be asked about it.
as_rpart <- function(fit) {
  frame <- fit$frame
  frame$complexity <- 0
  frame$ncompete <- frame$nsurrogate <- 0L
  template <- rpart::rpart(Species ~ ., iris)
  structure(list(frame = frame, where = fit$where, splits = fit$splits, csplit = fit$csplit,
                 functions = template$functions, method = "class",
                 na.action = fit$na.action, control = template$control),
            ylevels = fit$ylevels, xlevels = fit$xlevels, class = "rpart")
}

# 7 classes, noise columns, names that R must quote.
many_classes <- function(n = 120) {
  set.seed(7)
  data <- data.frame(a = runif(n), `second column` = round(rnorm(n), 1), c = rpois(n, 3),
                     check.names = FALSE)
  data$class <- factor(paste("class", 1 + (floor(data$a * 3.5) + 3 * (data$c > 3)) %% 7),
                       levels = paste("class", 1:7))
  data
}

# Two classes and columns with long names.
long_names <- function() {
  set.seed(2)
  n <- 300
  data <- data.frame(median_household_income_before_tax = rlnorm(n, 10),
                     number_of_late_payments_last_24_months = rpois(n, 2),
                     DebtToIncomeRatioAtApplication = runif(n))
  risk <- data$number_of_late_payments_last_24_months + 4 * data$DebtToIncomeRatioAtApplication +
    rnorm(n)
  data$y <- factor(risk > 4, labels = c("Application was approved without further conditions",
                                        "Application was declined by the underwriting department"))
  data
}

# Noise: a proof for depth 4 would take hours.
hard_table <- function(n = 3000, columns = 10) {
  set.seed(11)
  data <- as.data.frame(matrix(runif(n * columns), n))
  data$y <- factor(sample(c("a", "b"), n, TRUE))
  data
}

# `code` by a clock that is a millisecond later whenever the package reads it. A search reads it
# every `rows` rows (times columns and classes; 0: every 2^25), several times where it is reported
# on, so that a limit ends it at the same place on every machine, with more than one thread at about
# the same.
by_counts <- function(code, rows = 0) {
  on.exit(.Call(contree:::ffi_count_time, 0, 0))
  .Call(contree:::ffi_count_time, 0.001, rows)
  force(code)
}

# The same for the rest of a session, as a line of R.
counts_time <- function(rows = 0) {
  sprintf("invisible(.Call(contree:::ffi_count_time, 0.001, %g))", rows)
}

# A file with lines of R for another session. `say` writes a line at once; the last one is "end".
session_script <- function(code) {
  script <- tempfile("session", fileext = ".R")
  head <- c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(contree)",
            'say <- function(...) { cat(..., "\\n"); flush(stdout()) }')
  writeLines(c(head, code, 'say("end")'), script)
  script
}

# Runs `code` in another session, for so many seconds at most: what it says on stdout and stderr.
run_session <- function(code, env = character(), timeout = 600) {
  script <- session_script(code)
  on.exit(unlink(script))
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
                                   c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE,
                                   env = env, timeout = timeout))
  trimws(said)
}

# Lines for such a session: data on which searches of depth 4 and 5 take long.
long_data <- c(
  "set.seed(11)",
  "data <- as.data.frame(matrix(runif(30000), 3000))",
  "data$y <- factor(sample(c('a', 'b'), 3000, TRUE))")

# Runs `code`, lines of R, in another session, and sends it an interrupt when the `progress` of its
# search, `say_deep`, has said "deep". Returns what it said, and whether that was still the last
# then and it came to its end.
interrupt_session <- function(code) {
  script <- session_script(c(
    "say(Sys.getpid())",
    "said_deep <- FALSE",
    "say_deep <- function(...) if (!said_deep) { said_deep <<- TRUE; say('deep') }",
    code))
  out <- tempfile("out")
  on.exit(unlink(c(script, out)))
  said <- function() if (file.exists(out)) trimws(readLines(out, warn = FALSE)) else character()
  wait_for <- function(done, seconds) {
    end <- Sys.time() + seconds
    while (!done() && Sys.time() < end) Sys.sleep(0.01)
    done()
  }
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = out,
          stderr = FALSE, wait = FALSE)
  wait_for(function() "deep" %in% said(), 600)
  pid <- as.integer(said()[1])
  on.exit(tools::pskill(pid, tools::SIGKILL), add = TRUE, after = FALSE)
  still_running <- identical(said()[length(said())], "deep")
  tools::pskill(pid, tools::SIGINT)
  ended <- wait_for(function() "end" %in% said(), 600)
  list(said = said(), ended = ended, still_running = still_running)
}

iris2 <- contree(Species ~ ., iris, depth = 2)

on_page <- function(width, height, code) {
  grDevices::pdf(NULL, width, height)
  on.exit(grDevices::dev.off())
  force(code)
}

# What code draws on a page of that size: the arguments of the calls of graphics, by their names.
drawn <- function(code, size = c(7, 7)) {
  grDevices::pdf(NULL, size[1], size[2])
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  calls <- grDevices::recordPlot()[[1]]
  names <- vapply(calls, function(call) call[[2]][[1]]$name, "")
  stats::setNames(lapply(calls, function(call) call[[2]][-1]), names)
}

widths_in_inches <- function(text, cex) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  graphics::strwidth(text, units = "inches", cex = cex)
}
