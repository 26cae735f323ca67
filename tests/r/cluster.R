# Searches over a cluster of Rscript workers and over Slurm, which tests/r/cluster.sh has started:
# Rscript cluster.R LIBRARY. In each a worker is killed in the middle, and the answer is that of one
# call. Ends with `cluster: N passed, N failed`.
library(contree)

set.seed(1)
n <- 400
data <- data.frame(a = rnorm(n), b = rnorm(n), c = rnorm(n), d = rpois(n, 4))
data$y <- factor(sample(3, n, TRUE))
one <- contree(y ~ ., data, depth = 3, threads = 1)

counts <- list2env(list(passed = 0, failed = 0))
check <- function(what, good) {
  counts[[if (isTRUE(good)) "passed" else "failed"]] <-
    counts[[if (isTRUE(good)) "passed" else "failed"]] + 1
  if (!isTRUE(good)) cat("FAILED:", what, "\n")
}
same <- function(fit) {
  identical(fit$frame, one$frame) && identical(fit$splits, one$splits) &&
    identical(fit$where, one$where) && fit$bound == one$bound && fit$status == "optimal"
}

# The workers of the plan; the process, or job, of the second part is ended from outside when it has
# begun: the part writes down who it is and goes on until then.
mortal_pool <- function(end) {
  pool <- contree:::future_pool(contree:::search_task)
  launch <- pool$launch
  at <- list2env(list(parts = 0, lost = 0))
  pool$launch <- function(task) {
    at$parts <- at$parts + 1
    if (at$parts != 2) return(launch(task))
    file <- tempfile("victim-", getwd())
    handle <- future::future({
      writeLines(c(Sys.getpid(), Sys.getenv("SLURM_JOB_ID"), Sys.getenv("SLURMD_NODENAME")), file)
      repeat Sys.sleep(1)
    }, globals = list(file = file))
    until <- proc.time()[["elapsed"]] + 30
    while (!file.exists(file) || length(readLines(file)) < 3) {
      if (proc.time()[["elapsed"]] > until) stop("the second worker did not begin")
      Sys.sleep(0.05)
    }
    end(readLines(file))
    handle
  }
  collect <- pool$collect
  pool$collect <- function(handle) {
    answer <- collect(handle)
    at$lost <- at$lost + is.null(answer)
    answer
  }
  pool$at <- at
  pool
}

fit_over <- function(pool, first, most) {
  options(contree.pool = pool,
          contree.part_lengths = list(first = Inf, least = Inf, most = Inf, first_most = first,
                                      most_thresholds = most))
  contree(y ~ ., data, depth = 3, workers = TRUE)
}

search_over <- function(where, most, end) {
  begin <- proc.time()[["elapsed"]]
  pool <- mortal_pool(end)
  check(paste(where, "same tree and proof"), same(suppressWarnings(fit_over(pool, 2, most))))
  check(paste(where, "lost a worker"), pool$at$lost == 1 && pool$at$parts > 2)
  cat(where, ": ", pool$at$parts, " parts, ", round(proc.time()[["elapsed"]] - begin, 1), " s\n",
      sep = "")
}

future::plan("cluster", workers = rep("localhost", 2))
search_over("cluster of Rscript workers", 20,
            function(who) tools::pskill(as.integer(who[1]), 9))
future::plan("sequential")

options(future.wait.interval = 0.05, batchtools.progress = FALSE, contree.folder = getwd())
future::plan(future.batchtools::batchtools_slurm, workers = 3,
             template = system.file("cluster", "slurm.tmpl", package = "contree"),
             resources = list(time = "00:05:00"))
search_over("Slurm", 150, function(who) {
  check("jobs run on the made-up nodes", grepl("^node[123]$", who[3]))
  system2("scancel", c("--signal=KILL", who[2]))
})

cat("cluster: ", counts$passed, " passed, ", counts$failed, " failed\n", sep = "")
quit(status = counts$failed > 0)
