# Searches, cross-validation and forests over a cluster of Rscript workers and over Slurm, which
# tests/r/cluster.sh has started: Rscript cluster.R LIBRARY. In each a worker is killed in the
# middle, and the answer is that of one process. Ends with `cluster: N passed, N failed`.
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

cross_validated <- function() {
  set.seed(2)
  contree_cv(y ~ a + b, data, depth = 1:2, folds = 5)[c("table", "confusion")]
}
grown <- function(...) hist_forest(y ~ ., data, trees = 30, seed = 3, ...)$forest
cv_here <- cross_validated() # before there is a plan
forest_here <- grown()

# The workers of the plan; the process, or job, of the second part is ended from outside when it has
# begun: the part writes down who it is and goes on until then.
mortal_pool <- function(work, end) {
  pool <- contree:::future_pool(work)
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
    until <- proc.time()[["elapsed"]] + 600
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

fit_over <- function(most) {
  options(contree.part_lengths = list(first = Inf, least = Inf, most = Inf, first_most = 2,
                                      most_thresholds = most))
  contree(y ~ ., data, depth = 3, workers = TRUE)
}

# `call()` on the workers of the plan, with a worker that is lost: is its value `right`?
over <- function(where, work, end, call, right) {
  begin <- proc.time()[["elapsed"]]
  pool <- mortal_pool(work, end)
  options(contree.pool = pool)
  check(paste(where, "same answer"), right(suppressWarnings(call())))
  check(paste(where, "lost a worker"), pool$at$lost == 1 && pool$at$parts > 2)
  cat(where, ": ", pool$at$parts, " parts, ", round(proc.time()[["elapsed"]] - begin, 1), " s\n",
      sep = "")
}

all_over <- function(where, most, end, plan, ...) {
  anew <- function() { # whoever was killed is back
    future::plan("sequential")
    future::plan(plan, ...)
  }
  anew()
  over(paste0(where, ", search"), contree:::search_task, end, function() fit_over(most), same)
  anew()
  over(paste0(where, ", cross-validation"), contree:::carried_task, end, cross_validated,
       function(cv) identical(cv, cv_here))
  anew()
  over(paste0(where, ", forest"), contree:::grow_task, end, function() grown(workers = TRUE),
       function(forest) identical(forest, forest_here))
}

all_over("cluster of Rscript workers", 20, function(who) tools::pskill(as.integer(who[1]), 9),
         "cluster", workers = rep("localhost", 2))
options(future.wait.interval = 0.05, batchtools.progress = FALSE, contree.folder = getwd())
all_over("Slurm", 150, function(who) {
  check("jobs run on the made-up nodes", grepl("^node[123]$", who[3]))
  system2("scancel", c("--signal=KILL", who[2]))
}, future.batchtools::batchtools_slurm, workers = 3,
  template = system.file("cluster", "slurm.tmpl", package = "contree"),
  resources = list(time = "00:05:00"))

cat("cluster: ", counts$passed, " passed, ", counts$failed, " failed\n", sep = "")
quit(status = counts$failed > 0)
