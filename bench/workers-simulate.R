# How far does the search over workers scale, and where does it stop? Replays the thresholds of
# recorded searches on 1 to 4,096 workers, in parts as R/exact-workers.R deals them out.
#
#   Rscript bench/workers-simulate.R
#
# Reads bench/results/workers-tasks.csv and workers.csv (bench/workers.R); writes
# bench/results/workers-simulated.csv: seconds, how many times as fast as one worker, and the part
# of the workers' time in which they searched. What a threshold takes are its scans, at the speed of
# the one call. A part takes LATENCY seconds more than its search. Not in it: the thresholds that
# workers look at since they learn of a better tree late.

LATENCY <- 0.05
FIRST <- 0.25
LEAST <- 0.5
MOST <- 60
SHARE <- 0.25
UNDISTURBED <- 0.1

simulate <- function(seconds, parent, order, workers) {
  children <- split(seq_along(parent), factor(parent, 0:length(parent)))
  below <- function(id) children[[id + 1]]
  open <- below(0)
  clock <- 0
  next_of <- function(set) set[which.min(order[set])]
  while (length(open) && clock < FIRST) { # the process that is asked
    id <- next_of(open)
    clock <- clock + seconds[id]
    open <- c(setdiff(open, id), below(id))
  }
  sets <- vector("list", workers)
  current <- begin <- pause <- rep(NA_real_, workers)
  done <- rep(Inf, workers) # when the worker has its threshold, or has come back
  back <- asked <- rep(FALSE, workers)
  busy <- clock
  work <- function(w, now) {
    current[w] <<- next_of(sets[[w]])
    done[w] <<- now + seconds[current[w]]
    busy <<- busy + seconds[current[w]]
  }
  repeat {
    idle <- which(is.infinite(done))
    while (length(open) && length(idle)) {
      w <- idle[1]
      take <- seq.int(1, length(open), by = length(idle))
      sets[[w]] <- open[take]
      open <- open[-take]
      begin[w] <- clock
      pause[w] <- min(MOST, max(LEAST, SHARE * clock))
      back[w] <- asked[w] <- FALSE
      work(w, clock)
      idle <- idle[-1]
    }
    running <- which(is.finite(done))
    if (!length(running)) return(c(seconds = clock, searching = busy / (workers * clock)))
    able <- running[!asked[running] & !back[running] & clock - begin[running] >= UNDISTURBED &
                      lengths(sets[running]) > 1]
    wanted <- max(0, length(idle) - sum(asked[running]))
    asked[utils::head(able[order(-lengths(sets[able]))], wanted)] <- TRUE
    w <- running[which.min(done[running])]
    clock <- done[w]
    if (back[w]) {
      open <- c(open, sets[[w]])
      sets[w] <- list(NULL)
      done[w] <- Inf
      next
    }
    sets[[w]] <- c(setdiff(sets[[w]], current[w]), below(current[w]))
    if (length(sets[[w]]) && !asked[w] && clock - begin[w] < pause[w]) {
      work(w, clock)
    } else {
      back[w] <- TRUE
      done[w] <- clock + LATENCY
    }
  }
}

tasks <- utils::read.csv("bench/results/workers-tasks.csv")
runs <- utils::read.csv("bench/results/workers.csv")
rows <- list()
for (case in unique(paste(tasks$data, tasks$depth))) {
  t <- tasks[paste(tasks$data, tasks$depth) == case, ]
  t <- t[order(t$id), ]
  run <- runs[paste(runs$data, runs$depth) == case, ]
  speed <- run$scans[run$workers == 0] / run$processor[run$workers == 0]
  # a deeper search has the shape of this one, and takes so many times as long
  for (times in c(1, 100, 10000)) {
    seconds <- times * t$scans / speed
    order <- ifelse(is.na(t$order), max(t$order, na.rm = TRUE) + 1, t$order)
    for (workers in c(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)) {
      s <- simulate(seconds, t$parent, order, workers)
      busiest <- if (times == 1) run$busiest_scans[run$workers == workers] / speed
      rows[[length(rows) + 1]] <- data.frame(
        case = case, times = times, workers = workers, seconds = signif(s[["seconds"]], 4),
        faster = round(sum(seconds) / s[["seconds"]], 2),
        searching = round(s[["searching"]], 3),
        measured = if (length(busiest)) round(FIRST + busiest, 2) else NA)
    }
  }
}
result <- do.call(rbind, rows)
print(result, row.names = FALSE)
utils::write.csv(result, "bench/results/workers-simulated.csv", row.names = FALSE)
