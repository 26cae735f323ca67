# A search over the workers of the package future. The process that is asked begins alone, which is
# all for small problems; what is open after that is dealt out in parts (exact-parts.R). A worker
# comes back when its part is done; when it has found a better tree, for all to know it; when it is
# asked to, since others have nothing to do or know a better tree; or after a while, so that not
# much is lost with it. What is left is dealt out again, under the cost of the best tree of all.

# Seconds that the first part takes, and later ones at least and at most, between which they are a
# share of the time so far; seconds before a part is asked back; and thresholds. The option is for
# developers.
part_lengths <- function() {
  utils::modifyList(list(first = 0.25, least = 0.5, most = 60, share = NULL, undisturbed = 0.1,
                         first_most = Inf, most_thresholds = Inf),
                    as.list(getOption("contree.part_lengths")))
}

wants_parts <- function(settings) {
  (isTRUE(settings$workers) || !is.null(settings$checkpoint)) && settings$depth > 2
}

search_in_parts <- function(problem, settings, control, listener) {
  data <- search_data(problem)
  control$device <- "cpu"
  if (isTRUE(settings$workers) && is.null(settings$threads)) control$threads <- 1
  pool <- pool_for(search_task, if (isTRUE(settings$workers)) future_pool else own_pool)
  run_parts(data, control, pool, settings$checkpoint, listener)
}

run_parts <- function(data, control, pool, checkpoint, listener, lengths = part_lengths()) {
  begin <- seconds_now()
  control["report"] <- list(NULL)
  hash <- hash_of_data(data, control)
  shared <- share_data(data, hash, pool)
  wanted <- list2env(list(files = character()))
  on.exit({
    shared$end()
    unlink(wanted$files)
  })
  state <- read_checkpoint(checkpoint, hash, control)
  before <- state$elapsed
  run <- list(control = control, pool = pool, lengths = lengths, data = data,
              where = shared$where, listener = listener, wanted = wanted,
              checkpoint = new_checkpoint(checkpoint, hash, control),
              seconds = function() seconds_now() - begin)
  state <- begin_parts(run, state)
  if (is.null(state$known)) { # it was over before any threshold was looked at
    state$solved["part"] <- list(NULL)
    return(state$solved)
  }
  state <- other_parts(run, state)
  state$elapsed <- before + run$seconds()
  run$checkpoint(state, TRUE)
  solved <- finish_parts(data, control, state, run$seconds())
  solved$elapsed <- before + run$seconds()
  solved$threads <- max(solved$threads, state$solved$threads)
  solved$history <- history_of(state, solved)
  solved
}

history_of <- function(state, solved) {
  moments <- c(state$history, list(c(solved$elapsed, solved$cost, solved$bound)))
  list(time = vapply(moments, `[`, 0, 1), cost = vapply(moments, `[`, 0, 2),
       bound = vapply(moments, `[`, 0, 3))
}

# Alone, unless there is a state to go on from.
begin_parts <- function(run, state) {
  if (!is.null(state$known)) return(state)
  control <- run$control
  control$part <- list(from = NULL, done = NULL, pause = run$lengths$first, wanted = NULL,
                       most = run$lengths$first_most, one_of_several = 0)
  state <- take_in(state, solve_part(run$data, control))
  tell_state(run, state, nothing_open())
}

# Until nothing is open, or the search is stopped.
other_parts <- function(run, state) {
  running <- list()
  tryCatch({
    while (n_ranges(state$open) + length(running) > 0) {
      moved <- launch_parts(run, state, running)
      state <- moved$state
      running <- ask_back(run, state, moved$running)
      if (length(running) == 0) break # there is no time for more
      ready <- run$pool$wait(lapply(running, `[[`, "handle"), patience(run, running))
      if (length(ready) == 0) next
      for (one in running[ready]) state <- collect_part(run, state, one)
      running <- running[-ready]
      state <- tell_state(run, state, ranges_of(running))
    }
    run$pool$over()
  }, interrupt = function(condition) state$stopped <<- "interrupted")
  state$open <- bind_ranges(state$open, ranges_of(running))
  if (n_ranges(state$open) && is.null(state$stopped)) state$stopped <- "time limit"
  state
}

# Workers that search under a cost that is no longer the best are asked back; and for each idle
# worker, one of those with most to do.
ask_back <- function(run, state, running) {
  now <- run$seconds()
  old <- vapply(running, function(one) now - one$begin >= run$lengths$undisturbed, NA)
  asked <- vapply(running, `[[`, NA, "asked")
  late <- vapply(running, function(one) one$cost > state$solved$cost, NA)
  work <- vapply(running, function(one) work_of_ranges(one$ranges, state$solved$cost), 0)
  idle <- if (is.null(state$stopped)) run$pool$size() - length(running) - sum(asked) else 0
  able <- which(old & !asked & !late)
  most <- utils::head(able[order(work[able], decreasing = TRUE)], max(0, idle))
  for (i in c(which(old & !asked & late), most)) {
    running[[i]]$asked <- TRUE
    unlink(running[[i]]$wanted)
  }
  running
}

# Seconds until somebody may have to be asked back.
patience <- function(run, running) {
  if (all(vapply(running, `[[`, NA, "asked"))) Inf else run$lengths$undisturbed
}

ranges_of <- function(running) {
  Reduce(bind_ranges, lapply(running, `[[`, "ranges"), nothing_open())
}

# Gives work to all who have none: list(state, running).
launch_parts <- function(run, state, running) {
  left <- run$control$time_limit - run$seconds()
  while (is.null(state$stopped) && left > 0 && length(running) < run$pool$size() &&
           n_ranges(state$open) > 0) {
    idle <- run$pool$size() - length(running)
    while (n_ranges(state$open) < idle) {
      finer <- split_widest(state$open)
      if (n_ranges(finer) == n_ranges(state$open)) break
      state$open <- finer
    }
    given <- deal_ranges(state$open, idle)
    ranges <- pick_ranges(state$open, given)
    wanted <- wanted_file(run)
    handle <- run$pool$launch(part_task(run, state, ranges, left, wanted))
    if (is.null(handle)) next # it was lost at once; the pool is smaller now
    state$open <- pick_ranges(state$open, -given)
    running <- c(running, list(list(handle = handle, ranges = ranges, wanted = wanted,
                                    begin = run$seconds(), cost = state$solved$cost,
                                    asked = FALSE)))
  }
  list(state = state, running = running)
}

# A file that is there as long as the part is to go on.
wanted_file <- function(run) {
  file <- new_wanted_file()
  run$wanted$files <- c(run$wanted$files[file.exists(run$wanted$files)], file)
  file
}

part_task <- function(run, state, ranges, left, wanted) {
  lengths <- run$lengths
  share <- if (is.null(lengths$share)) run$pool$share else lengths$share
  control <- part_control(run$control, state, ranges, wanted = wanted,
                          pause = min(lengths$most, max(lengths$least, share * run$seconds())),
                          most = lengths$most_thresholds)
  control$time_limit <- left
  list(where = run$where(), control = control)
}

# What a worker has found; all that it was given is open again if it is lost.
collect_part <- function(run, state, one) {
  answer <- run$pool$collect(one$handle)
  unlink(one$wanted)
  if (is.null(answer)) {
    state$open <- bind_ranges(state$open, one$ranges)
    return(state)
  }
  take_in(state, answer, one$ranges)
}

# The listener, the history and the checkpoint.
tell_state <- function(run, state, under_way) {
  seconds <- state$elapsed + run$seconds()
  cost <- state$solved$cost
  bound <- state_bound(state, under_way)
  state$history <- c(state$history, list(c(seconds, cost, bound)))
  all <- length(run$data$codes) * column_count(run$data$columns)
  open <- sum(state$open$rows, under_way$rows)
  if (!is.null(run$listener$report)) {
    run$listener$report(seconds, cost, bound, max(0, 1 - open / all))
  }
  saved <- state
  saved$open <- bind_ranges(state$open, under_way)
  saved$elapsed <- seconds
  run$checkpoint(saved, FALSE)
  state
}
