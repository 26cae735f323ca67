# A forest over the workers of the package future: parts of it, of a few trees each, are grown as
# forests of their own and put together.

# Parts for each worker: the last ones are done at about the same time, and little is lost with one.
parts_each <- 4

grow_over_workers <- function(data, control) {
  pool <- pool_for(grow_task)
  report <- control$report
  control["report"] <- list(NULL)
  control$device <- "cpu"
  begin <- seconds_now()
  wanted <- new_wanted_file()
  data$hash <- wanted # no other has this name: enough to tell what a worker has
  shared <- share_data(data, data$hash, pool)
  on.exit({
    shared$end()
    unlink(wanted)
  })
  parts <- parts_of_growth(control, pool$size())
  make <- function(part, left) {
    part$time_limit <- left
    list(where = shared$where(), control = part, wanted = wanted)
  }
  tell <- function(n) {
    if (!is.null(report)) {
      report(seconds_now() - begin, floor(control$trees * n / length(parts)))
    }
  }
  dealt <- deal_tasks(pool, parts, make, tell, control$time_limit)
  done <- Filter(function(part) length(part$forest$number), dealt$answers)
  grown <- if (length(done)) join_grown(done) else list(forest = list(), device_note = "")
  if (!is.null(dealt$stopped)) grown$status <- dealt$stopped
  grown$elapsed <- seconds_now() - begin
  grown
}

parts_of_growth <- function(control, n_workers) {
  n <- min(control$trees, parts_each * n_workers)
  ends <- round(control$trees * seq(0, n) / n)
  lapply(seq_len(n), function(i) {
    control$first_tree <- control$first_tree + ends[i]
    control$trees <- ends[i + 1] - ends[i]
    if (!is.null(control$inbag)) {
      control$inbag <- control$inbag[ends[i] + seq_len(control$trees)]
    }
    control
  })
}

# What a worker does: one part. NULL where it has no data.
grow_task <- function(task) {
  data <- find_data(task$where, function(data) data$hash)
  if (is.null(data)) return(NULL)
  while_wanted(task$wanted, function(check) {
    task$control$report <- check
    grow_trees(data, task$control)
  })
}

# What one process would have grown.
join_grown <- function(parts) {
  Reduce(function(one, other) {
    one$forest <- join_trees(one$forest, other$forest)
    for (sum in c("oob_sums", "oob_trees", "gains", "harm", "local")) {
      one[sum] <- list(if (!is.null(one[[sum]])) one[[sum]] + other[[sum]])
    }
    if (other$status != "complete") one$status <- other$status
    one
  }, parts)
}
