# Many fits in one process: Rscript tests/r/soak.R LIBRARY [FITS] [FORKS]
#
# Problems of random shapes, a third of them with factors and missing values, some stopped or
# refused; each is fitted, predicted and thrown away. After warm-up (a fifth of the fits, at least
# 300) what the process holds may grow by less than 10 MB. Then as many fits as told in processes
# forked from this one, which has used its threads by then. The default is all of it; the test suite
# takes a part. Ends with `soak: N passed, N failed`.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
fits <- as.integer(c(arguments[-1], "10000")[1])
forks <- as.integer(c(arguments[-(1:2)], "200")[1])
library(contree)
options(warn = -1)

problem <- function(seed) {
  set.seed(seed)
  n <- ceiling(exp(runif(1, log(2), log(1500))))
  columns <- sample(8, 1)
  x <- as.data.frame(matrix(round(rnorm(n * columns), sample(0:3, 1)), n))
  if (runif(1) < 0.3) {
    x$f <- factor(sample(letters[seq_len(sample(5, 1))], n, TRUE))
    x[[1]][sample(n, n %/% 10)] <- NA
  }
  list(x = x, y = factor(sample(LETTERS[seq_len(sample(6, 1))], n, TRUE)),
       depth = sample(0:3, 1, prob = c(1, 4, 12, 1)), threads = sample(2, 1),
       weights = if (runif(1) < 0.2) runif(n))
}

# R's own heap, which would grow by as much as is allowed, stays as it is where it is often emptied.
fit_one <- function(seed) {
  if (seed %% 20 == 0) gc()
  p <- problem(seed)
  .Call(contree:::ffi_count_time, 0.001, 0) # the clock is one of counts, here and below
  fit <- suppressMessages(contree(p$x, p$y, depth = p$depth, weights = p$weights,
                                  threads = p$threads, time_limit = 0.05,
                                  progress = if (seed %% 50 == 0) function(state) stop("leave")))
  stopifnot(identical(as.character(predict(fit)), as.character(predict(fit, p$x))))
  if (seed %% 10 == 0) {
    try(contree(p$x, p$y, depth = 2, memory_limit = 1000, threads = p$threads), silent = TRUE)
  }
  fit$objective
}

# In MB: resident memory, as Linux has it.
held <- function() {
  gc()
  status <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep("^VmRSS", status, value = TRUE))) / 1024
}

passed <- failed <- 0
check <- function(fine, what) {
  if (isTRUE(fine)) passed <<- passed + 1 else {
    failed <<- failed + 1
    cat("  FAILED:", what, "\n")
  }
}

# ---- one process ---------------------------------------------------------------------------------

warm <- max(300, fits %/% 5)
begin <- proc.time()[["elapsed"]]
for (seed in seq_len(warm)) try(fit_one(seed), silent = TRUE)
before <- held()
wrong <- 0
for (seed in warm + seq_len(max(0, fits - warm))) {
  said <- tryCatch(fit_one(seed), error = conditionMessage)
  if (!is.numeric(said) && said != "leave") wrong <- wrong + 1
}
growth <- held() - before
cat(sprintf("  %d fits in %.0f s; %.1f MB after %d of them, %+.1f MB since\n", fits,
            proc.time()[["elapsed"]] - begin, before, warm, growth))
check(wrong == 0, sprintf("%d fits ended in an error", wrong))
check(growth < 10, "memory grows")

# ---- forked processes ----------------------------------------------------------------------------

# Two at a time. What they find is what this process finds.
if (forks > 0) {
  seeds <- sample(1e6, forks)
  small <- function(seed) {
    p <- problem(seed)
    suppressMessages(contree(p$x, p$y, depth = min(p$depth, 2), weights = p$weights,
                             threads = 2)$objective)
  }
  there <- list()
  for (pair in split(seeds, ceiling(seq_along(seeds) / 2))) {
    jobs <- lapply(pair, function(seed) parallel::mcparallel(small(seed)))
    there <- c(there, unname(parallel::mccollect(jobs)))
  }
  check(identical(there, lapply(seeds, small)), "forked processes found something else")
  cat(sprintf("  %d forked fits\n", forks))
}
cat(sprintf("soak: %d passed, %d failed\n", passed, failed))
quit(status = as.integer(failed > 0))
