# The search over workers: with 1, 2 and 4 processes the tree, the cost and the proof must be those
# of one call, and how long does it take?
#
#   CONTREE_DATA=folder Rscript bench/workers.R [CASE...]       such as rice:4
#
# Each process searches with one thread. `busiest`: processor seconds of the process that took the
# most, without starting it and the first part; `scans`: child features scanned, by all and by the
# busiest, which no other load on the machine changes. One row is one search; `workers` 0 is one
# call without parts.
# Writes bench/results/workers.csv and, of searches in parts of one root threshold each,
# bench/results/workers-tasks.csv, which bench/workers-simulate.R replays: a row a range of
# thresholds, by number and the range it was in, in the order in which they were looked at; scans
# and seconds (0: closed by a bound, or with its neighbours).

library(contree)
options(socketOptions = "no-delay") # see ?contree_control, workers
source("bench/lib/data.R")

sets <- c("bank", "bidding", "room", "segment", "raisin", "occupancy", "rice", "fault", "magic",
          "bean", "eeg")
asked <- commandArgs(TRUE)
cases <- if (length(asked)) asked else {
  c(paste0(sets, ":3"), paste0(c("room", "segment", "raisin", "occupancy", "rice"), ":4"))
}
recorded <- c("raisin:4", "occupancy:4", "rice:4", "eeg:3")

# The workers of the plan, each of whose answers says who took how long.
telling_pool <- function() {
  pool <- contree:::future_pool(contree:::search_task)
  told <- list()
  pool$launch <- function(task) {
    future::future({
      begin <- proc.time()
      answer <- do_task(task)
      taken <- proc.time() - begin
      list(answer = answer, process = Sys.getpid(), seconds = sum(taken[1:2]))
    }, globals = list(do_task = contree:::search_task, task = task))
  }
  pool$collect <- function(handle) {
    one <- future::value(handle)
    told[[length(told) + 1]] <<- data.frame(process = one$process, seconds = one$seconds,
                                            scans = one$answer$search[["scans"]])
    one$answer
  }
  none <- data.frame(process = 0, seconds = 0, scans = 0) # the first part was all
  pool$told <- function() if (length(told)) do.call(rbind, told) else none
  pool
}

fit_with <- function(data, depth, workers) {
  if (workers == 0) {
    time <- system.time(fit <- contree(class ~ ., data, depth = depth, threads = 1))
    own <- data.frame(process = 0, seconds = sum(time[1:2]), scans = fit$search[["scans"]])
    return(list(wall = time[[3]], fit = fit, told = own))
  }
  future::plan("cluster", workers = rep("localhost", workers), homogeneous = TRUE)
  on.exit(future::plan("sequential"))
  for (one in lapply(seq_len(workers), function(i) future::future(loadNamespace("contree")))) {
    future::value(one)
  }
  pool <- telling_pool()
  old <- options(contree.pool = pool)
  on.exit(options(old), add = TRUE)
  time <- system.time(
    fit <- contree(class ~ ., data, depth = depth, threads = 1, workers = TRUE))
  list(wall = time[[3]], fit = fit, told = pool$told())
}

# The search as a tree of ranges: one part evaluates one threshold.
record_tasks <- function(data, depth) {
  ranges <- list()
  at <- list2env(list(n = 0L, part = 0L))
  numbered <- function(open) paste(open$feature, open$first, open$last)
  add <- function(keys, open, parents) {
    for (i in seq_along(keys)) {
      at$n <- at$n + 1L
      ranges[[keys[i]]] <<- list(id = at$n, parent = parents[i], rows = open$rows[i], order = NA,
                                 scans = 0, seconds = 0)
    }
  }
  pool <- contree:::own_pool()
  pool$launch <- function(task) {
    open <- task$control$part$from
    keys <- numbered(open)
    new <- !keys %in% names(ranges)
    add(keys[new], contree:::pick_ranges(open, new), rep(0L, sum(new)))
    answer <- contree:::search_task(task)
    at$part <- at$part + 1L
    left <- answer$part$open
    new <- which(!numbered(left) %in% keys)
    gone <- which(!keys %in% numbered(left))
    within <- function(i) {
      gone[open$feature[gone] == left$feature[i] & open$first[gone] <= left$first[i] &
             open$last[gone] >= left$last[i]][1]
    }
    parents <- vapply(new, within, 1L)
    evaluated <- keys[c(parents, gone)[1]]
    if (length(new)) {
      add(numbered(left)[new], contree:::pick_ranges(left, new),
          vapply(parents, function(i) ranges[[keys[i]]]$id, 1L))
    }
    for (key in keys[gone]) ranges[[key]]$order <<- at$part
    if (!is.na(evaluated)) {
      ranges[[evaluated]][c("scans", "seconds")] <<- list(answer$search[["scans"]], answer$elapsed)
    }
    answer
  }
  old <- options(contree.pool = pool,
                 contree.part_lengths = list(first_most = 0, most_thresholds = 1))
  on.exit(options(old))
  contree(class ~ ., data, depth = depth, threads = 1, workers = TRUE)
  do.call(rbind, lapply(ranges, as.data.frame))
}

same <- function(a, b) {
  identical(a$frame, b$frame) && identical(a$splits, b$splits) && identical(a$where, b$where) &&
    a$bound == b$bound && a$status == b$status
}

keep <- function(path, rows) {
  there <- file.exists(path)
  utils::write.table(rows, path, sep = ",", append = there, col.names = !there, row.names = FALSE)
}

for (case in cases) {
  name <- strsplit(case, ":")[[1]]
  data <- read_data_set(name[1])
  depth <- as.integer(name[2])
  one <- NULL
  for (workers in c(0, 1, 2, 4)) {
    run <- fit_with(data, depth, workers)
    if (is.null(one)) one <- run$fit
    by <- rowsum(run$told[c("seconds", "scans")], run$told$process)
    row <- data.frame(
      data = name[1], depth = depth, workers = workers, cost = run$fit$cost,
      bound = run$fit$bound, status = run$fit$status, same = same(run$fit, one),
      parts = NROW(run$told), wall = round(run$wall, 3),
      processor = round(sum(by$seconds), 3), busiest = round(max(0, by$seconds), 3),
      scans = run$fit$search[["scans"]], busiest_scans = max(0, by$scans))
    print(row)
    keep("bench/results/workers.csv", row)
  }
  if (case %in% recorded) {
    tasks <- record_tasks(data, depth)
    keep("bench/results/workers-tasks.csv", cbind(data = name[1], depth = depth, tasks))
  }
}
