# A forest over the workers of the package future: parts of it, of a few trees each, are grown as
# forests of their own and put together.

# Parts for each worker: the last ones are done at about the same time, and little is lost with one.
parts_each <- 4

grow_over_workers <- function(data, control) {
  pool <- getOption("contree.pool") # for developers
  if (is.null(pool)) pool <- future_pool(grow_task)
  report <- control$report
  control["report"] <- list(NULL)
  file <- tempfile("contree-forest-", data_folder())
  data$hash <- file # no other has this name: enough to tell what a worker has
  run <- list(data = data, pool = pool, limit = control$time_limit,
              where = list(hash = data$hash, file = file), begin = proc.time()[["elapsed"]])
  keep_data(data, data$hash)
  on.exit({
    forget_data()
    unlink(file)
  })
  parts <- grow_parts(run, parts_of_growth(control, pool$size()), report)
  grown <- if (length(parts$done)) join_grown(parts$done) else list(forest = list())
  if (!is.null(parts$stopped)) grown$status <- parts$stopped
  grown$elapsed <- proc.time()[["elapsed"]] - run$begin
  grown
}

parts_of_growth <- function(control, n_workers) {
  n <- min(control$trees, parts_each * n_workers)
  ends <- round(control$trees * seq(0, n) / n)
  lapply(seq_len(n), function(i) {
    control$first_tree <- control$first_tree + ends[i]
    control$trees <- ends[i + 1] - ends[i]
    control
  })
}

# list(done, stopped): in the order of their trees, and why there are not more.
grow_parts <- function(run, todo, report) {
  running <- list()
  done <- list()
  stopped <- NULL
  seconds <- function() proc.time()[["elapsed"]] - run$begin
  tryCatch({
    while (length(todo) + length(running) > 0) {
      while (length(todo) && length(running) < run$pool$size() && seconds() < run$limit) {
        handle <- run$pool$launch(growth_task(run, todo[[1]], run$limit - seconds()))
        if (is.null(handle)) next # it was lost at once; the pool is smaller now
        running <- c(running, list(list(handle = handle, part = todo[[1]])))
        todo <- todo[-1]
      }
      if (length(running) == 0) break # there is no time for more
      ready <- run$pool$wait(lapply(running, `[[`, "handle"), Inf)
      for (one in running[ready]) {
        answer <- run$pool$collect(one$handle)
        if (is.null(answer)) todo <- c(list(one$part), todo) else done <- c(done, list(answer))
      }
      running <- running[-ready]
      trees <- sum(vapply(done, function(part) length(part$forest$number), 0L))
      if (!is.null(report)) report(seconds(), trees)
    }
    run$pool$over()
  }, interrupt = function(condition) stopped <<- "interrupted")
  if (is.null(stopped) && length(todo)) stopped <- "time limit"
  done <- Filter(function(part) length(part$forest$number), done)
  list(done = done[order(vapply(done, function(part) part$forest$number[1], 0L))],
       stopped = stopped)
}

growth_task <- function(run, part, left) {
  part$time_limit <- left
  where <- run$where
  if (run$pool$far()) {
    where$data <- run$data
  } else if (run$pool$needs_file && !file.exists(where$file)) {
    saveRDS(run$data, where$file, compress = FALSE)
  }
  list(where = where, control = part)
}

# What a worker does: one part. NULL where it has no data.
grow_task <- function(task) {
  data <- find_data(task$where, function(data) data$hash)
  if (!is.null(data)) grow_trees(data, task$control)
}

# What one process would have grown.
join_grown <- function(parts) {
  Reduce(function(one, other) {
    one$forest <- join_trees(one$forest, other$forest)
    for (sum in c("oob_sums", "oob_trees", "gains", "harm")) {
      one[sum] <- list(if (!is.null(one[[sum]])) one[[sum]] + other[[sum]])
    }
    if (other$status != "complete") one$status <- other$status
    one
  }, parts)
}
