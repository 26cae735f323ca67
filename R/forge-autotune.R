# autotune(): the schedule that is fastest here, by rule and by clock.

#' Find the fastest schedule for a forest on this machine
#'
#' Times predictions without a schedule, with the schedule of an analytic rule and with a few
#' others, in turn on some of the rows, and keeps the fastest; the first is kept unless another is
#' faster by 3%, and again in 12 of 16 turns of the two. One thread is timed by the processor's
#' clock, several by the clock on the wall, best when the machine has nothing else to do. On the CPU
#' this takes about a second. Predictions are the same, bit for bit, under each schedule. With more
#' than one thread, trees are also shared out among threads where the order of sums does not matter
#' ([forge()] says "exact in any order"), alone and together with rows.
#'
#' The rule is: bit planes, 512 rows at a time, unless leaves are linear models, if there are at
#' least 16 rows, and rows times trees are 2,400 or more; otherwise walks from node to node, of
#' eight trees at once for fewer than eight rows, and of eight rows at once from there on, in tiles
#' of 512 rows below 2,048 rows and of 1,024 from there on. These tiles are halved, down to 64 rows,
#' until there is one for each thread; planes have 64 rows if three times as many threads work then.
#'
#' The result is stored in the forest and saved with it. Called again for about as many rows (the
#' same power of two) on the same machine, `autotune()` returns the forest unchanged; on another
#' machine, or for other batch sizes, it tunes again.
#'
#' @section GPUs:
#' For a GPU the schedules are those of Algorithm 1 of SilvanForge: of 5184 it selects 36 by the
#' size of the batch and the number of features, times each, and then times the three fastest with
#' sums in shared memory: 39 in all. Schedules that are not legal for this forest, that need
#' `forge(sums = "reproducible")` without having it, or that the GPU cannot launch, are skipped. A
#' time is that of the launches of a schedule for the rows of `newdata` once they are on the GPU:
#' the least of three means of at least four milliseconds, whatever the `time_limit`. Compiling
#' takes some tenths of a second for each.
#'
#' @param forged A result of [forge()].
#' @param newdata Rows as for [predict()][predict.forged_forest], as many as will be predicted at a
#'   time; on the CPU at most 2,048 of them are used.
#' @param threads As in [contree_control()]; the default is that of [forge()].
#' @param time_limit Maximum time for the timings, in seconds; 0.8 by default.
#' @param device What the schedule is for: `"cpu"` (the default), `"cuda"`, the first GPU, or
#'   another one by its number, as in `"cuda:1"`.
#' @return The forged forest with the fastest schedule and an element `tuned`, a list of `times`, a
#'   data frame with a row for each candidate (`NA` if skipped), `rows` and `machine`.
#' @section Errors:
#' As for [predict()][predict.forged_forest]; `contree_input_error` for invalid settings, and for a
#' GPU that cannot be used.
#' @references
#' Prasad et al. (2024), SilvanForge, SOSP: Table 5 and Algorithm 1.
#' @examples
#' fast <- forge(hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1))
#' tuned <- autotune(fast, mtcars, time_limit = 0.1)
#' tuned$tuned$times
#' identical(autotune(tuned, mtcars), tuned)
#' @export
autotune <- function(forged, newdata, threads = NULL, time_limit = 0.8, device = "cpu") {
  check_forged(forged)
  device <- check_device(device)
  threads <- if (is.null(threads)) forged$threads else check_threads("threads", threads)
  check_seconds("time_limit", time_limit)
  need_newdata(missing(newdata))
  rows <- NROW(newdata)
  if (!device %in% c("auto", "cpu")) {
    return(tune_by_launches(forged, rows, launch_clock(forged, newdata, device)))
  }
  key <- tuned_key(forged, rows, threads)
  if (identical(forged$tuned[c("rows", "machine")], key)) return(forged)
  new <- forest_columns_of(forged$forest, utils::head(newdata, 2048L))
  forged$schedule <- NULL
  by_rule <- schedule_by_rule(forged, rows, threads_to_use(threads))
  candidates <- c(list(rule = by_rule), cpu_candidates(forged, min(rows, 2048)),
                  if (threads_to_use(threads) > 1) tree_parallel_candidates())
  candidates <- candidates[!duplicated(lapply(candidates, `[[`, "text"))]
  legal <- c(list(none = forged), lapply(candidates, function(one) {
    tryCatch(with_schedule(forged, one), contree_input_error = function(problem) NULL)
  }))
  run <- function(one) sums_of_rows(one, new$columns, threads, "cpu")
  taking <- if (threads_to_use(threads) == 1) time_of_processor else time_by_clock
  times <- rep(NA_real_, length(legal))
  there <- which(!vapply(legal, is.null, NA))
  times[there] <- time_in_turns(legal[there], time_limit, run, taking)
  fastest <- which.min(times)
  # the first stands unless another is faster by more than clocks waver, twice
  if (!is_faster(times[c(1, fastest)]) || !wins_turns(legal[c(1, fastest)], run, taking)) {
    fastest <- 1L
  }
  keep_tuned(legal[[fastest]], data.frame(schedule = names(legal), seconds = times), key)
}

is_faster <- function(times) times[2] < 0.97 * times[1]

# Is the second faster in three of four turns? So two that are alike are seldom told apart, however
# much the machine is disturbed.
wins_turns <- function(things, run, taking) {
  turns <- replicate(16, is_faster(vapply(things, function(one) taking(function() run(one)), 0)))
  sum(turns) >= 12
}

# Seconds of a run, called again and again for at least four milliseconds, which clocks can tell.
# One thread is timed by the processor's clock, which other work on the machine does not move.
time_of_processor <- function(run, clock = function() .Call(ffi_processor_seconds)) {
  from <- clock()
  runs <- 0
  repeat {
    run()
    runs <- runs + 1
    taken <- clock() - from
    if (taken >= 0.004) return(taken / runs)
  }
}

# More threads wait for each other, and where one of them is disturbed all are: of some runs the
# shortest is the one that nobody disturbed.
time_by_clock <- function(run, clock = seconds_now) {
  from <- clock()
  shortest <- Inf
  repeat {
    before <- clock()
    run()
    now <- clock()
    shortest <- min(shortest, now - before)
    if (now - from >= 0.004) return(shortest)
  }
}

keep_tuned <- function(forged, times, key) {
  forged$tuned <- c(list(times = times), key)
  forged
}

# What a tuned schedule is good for.
tuned_key <- function(forged, rows, threads) {
  list(rows = 2^ceiling(log2(max(rows, 1))),
       machine = c(Sys.info()[c("nodename", "machine")], simd = forged$info$simd,
                   threads = format(threads_to_use(threads))))
}

schedule_by_rule <- function(forged, rows, threads = 1) {
  walks <- rows * length(forged$forest$ensemble$roots)
  if (forged$info$planes && rows >= 16 && walks >= 2400) {
    # planes of 64 rows take about 2.5 times the processor's time of 512
    at_work <- function(tile) min(threads, ceiling(rows / tile))
    return(planes_of(if (at_work(64) >= 3 * at_work(512)) 64 else 512))
  }
  if (rows < 8) return(schedule_preset("one-row"))
  # each tile reads all trees again, which may be more than the processor's caches hold
  schedule_preset("xgboost", rows = rows_each(if (rows < 2048) 512 else 1024, rows, threads))
}

# Rows of a tile of walks: fewer where threads would have no tile of their own.
rows_each <- function(most, rows, threads) {
  if (threads == 1) return(most)
  while (most > 64 && rows < most * threads) most <- most / 2
  most
}

planes_of <- function(rows) {
  schedule(c(row_tiles(rows), "reorder(b0, tree, b1)", "parallel(b0)",
             sprintf("simdize(b1, %.0f)", rows), "represent(planes)"))
}

cpu_candidates <- function(forged, rows) {
  tiles <- function(size, form, k) {
    schedule(c(row_tiles(size), "reorder(b0, tree, b1)", "parallel(b0)",
               sprintf("interleave(b1, %.0f)", k), sprintf("represent(%s)", form)))
  }
  candidates <- list("one row, 8 trees" = schedule_preset("one-row"),
                     "one tree, 8 rows" = schedule_preset("one-tree"))
  if (rows >= 8) {
    candidates <- c(candidates, list("tiles of 64 rows" = tiles(64, "sparse", 8),
                                     "tiles of 512 rows" = tiles(512, "sparse", 8),
                                     "tiles of 512 rows, arrays" = tiles(512, "array", 16),
                                     "64 rows as planes" = planes_of(64),
                                     "512 rows as planes" = planes_of(512)))
  }
  candidates
}

# Threads take trees, or rows and trees.
tree_parallel_candidates <- function() {
  both <- c(row_tiles(64), "tile(tree, t0, t1, 8)", "reorder(b0, t0, t1, b1)", "parallel(b0)",
            "parallel(t0)", "interleave(b1, 8)")
  list("trees in parallel" = schedule("tile(tree, t0, t1, 8)", "reorder(t0, t1, batch)",
                                      "parallel(t0)", "interleave(batch, 8)"),
       "rows and trees in parallel" = schedule(both))
}

# The least time of each, in rounds: what disturbs the machine disturbs all.
time_in_turns <- function(things, seconds, run, taking) {
  now <- function() proc.time()[["elapsed"]]
  least <- rep(Inf, length(things))
  start <- now()
  for (round in 1:20) {
    for (i in seq_along(things)) {
      # the first round gives each a time, whatever it takes
      if (round > 1 && now() - start > seconds) return(least)
      least[i] <- min(least[i], taking(function() run(things[[i]])))
    }
  }
  least
}

# ---- GPUs ----------------------------------------------------------------------------------------

# The points of Algorithm 1 except the last three: a row a schedule.
gpu_points <- function(rows, features) {
  few <- rows <= 2048 || features > 128
  points <- expand.grid(
    rows_block = if (few) c(8, 32) else c(32, 64), tree_threads = if (few) c(20, 50) else c(2, 10),
    interleave = c(1, 2, 4), shared = FALSE, form = c("array", "sparse", "reorg"),
    stringsAsFactors = FALSE)
  points$unroll <- points$interleave != 1
  points
}

# Blocks of rows; threads for rows, and for trees; then what a thread has left.
gpu_schedule <- function(point, depth) {
  schedule(c(
    sprintf("tile(batch, b0, u, %.0f)", point$rows_block), "tile(u, b1, b2, 1)",
    sprintf("tile(tree, t0, t1, %.0f)", point$tree_threads), "reorder(b0, b1, t1, b2, t0)",
    on_gpu("b0", "grid.x"), on_gpu("b1", "block.x"), on_gpu("t1", "block.y"), "cache(b0)",
    if (point$interleave > 1) sprintf("interleave(t0, %.0f)", point$interleave),
    if (point$unroll && depth > 0) sprintf("unrollWalk(t0, %.0f)", depth),
    if (point$shared) "sharedReduce(t1)", sprintf("represent(%s)", point$form)))
}

# `time`: a function of a forged forest with a schedule that returns seconds.
tune_by_launches <- function(forged, rows, time) {
  points <- gpu_points(rows, forged$forest$ensemble$n_features)
  timed <- time_points(forged, points, time)
  best <- utils::head(order(timed$seconds), 3)
  shared <- points[best, ]
  shared$shared <- TRUE
  again <- time_points(forged, shared, time)
  points <- rbind(points, shared)
  seconds <- c(timed$seconds, again$seconds)
  if (all(is.na(seconds))) {
    stop_unsupported("forged", gettext(
      "no schedule for GPUs is legal for this forest; forge(sums = \"reproducible\") allows more"))
  }
  legal <- c(timed$forged, again$forged)
  keep_tuned(legal[[which.min(seconds)]], cbind(points, seconds = seconds),
             list(rows = rows, machine = "gpu"))
}

# Seconds of a schedule's launches for these rows.
launch_clock <- function(forged, newdata, device) {
  columns <- forest_columns_of(forged$forest, newdata)$columns
  function(one) device_seconds(one, columns, forged$threads, device)
}

time_points <- function(forged, points, time) {
  legal <- lapply(seq_len(nrow(points)), function(i) {
    tryCatch(with_schedule(forged, gpu_schedule(points[i, ], forged$info$depth)),
             contree_input_error = function(problem) NULL)
  })
  seconds <- vapply(legal, function(one) if (is.null(one)) NA_real_ else as.numeric(time(one)), 0)
  list(forged = legal, seconds = seconds)
}
