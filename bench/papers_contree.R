# The experiments of Rodop et al. (2026), parallel optimal trees, on their 16 data sets, as far as
# CONTREE_DATA has them. Writes bench/results/paper-contree.csv.
#
#   Rscript bench/papers_contree.R [threads|caps|bounds] ...     nothing: all
#
# threads: seconds of one thread at depth 2 to 4 where a search takes no more than LIMIT (30)
# seconds, and how many times as fast 2 to 16 are, by the processor time of the busiest thread
# (Linux; OMP_WAIT_POLICY=passive, or waiting counts), for which neither other work nor the number
# of processors matters: what more threads than processors cost in caches and memory is not in it.
# Where one takes longer, what bench/threads.R has measured, or the gap. Then workers, which are
# processes, as simulated (workers-simulated.csv). caps: errors and seconds of the processor with at
# most so many thresholds a predictor, beside all of them. bounds: what a search at depth 4 has
# proven after 2 and 10 seconds of the processor, or when it was done, within LIMIT.

library(contree)
for (file in c("data", "papers")) source(sprintf("bench/lib/%s.R", file))
asked <- commandArgs(TRUE)
wanted <- function(part) length(asked) == 0 || part %in% asked
row_of <- function(...) paper_row("contree", ...)
quick <- nzchar(Sys.getenv("QUICK"))
limit <- as.numeric(Sys.getenv("LIMIT", if (quick) "1" else "30"))
sets <- c("avila", "bank", "bean", "bidding", "eeg", "fault", "htru", "magic", "occupancy", "page",
          "raisin", "rice", "room", "segment", "skin", "wilt")
names <- if (quick) c("raisin", "segment") else sets[file.exists(data_path(sets))]
fit_to <- function(data, depth, threads = 1, ...) {
  suppressWarnings(contree(class ~ ., data, depth = depth, time_limit = limit, threads = threads,
                           ...), classes = "contree_stopped")
}
geomean <- function(x) exp(mean(log(x)))

# More threads than processors are only for this measure.
busiest_of <- function(data, depth, threads, calls, cost) {
  busiest_thread(function() stopifnot(fit_to(data, depth, threads)$objective == cost), calls)
}

# Processor seconds of one thread, and of the busiest of each number of `threads`: medians of rounds
# in which all take turns.
thread_scaling <- function(data, depth, cost, threads) {
  first <- max(0.001, busiest_of(data, depth, 1, 1, cost)) # as fine as the system counts
  calls <- ceiling(0.1 / first)
  turns <- if (quick) 2 else if (first < 1) 7 else if (first < 4) 3 else 1
  rounds <- replicate(turns, vapply(c(1, threads), function(n) {
    busiest_of(data, depth, n, calls, cost)
  }, 0))
  apply(rounds, 1, stats::median)
}

threads_measured <- function(name, depth, case) {
  measured <- utils::read.csv("bench/results/threads.csv")
  at <- measured$data == name & measured$depth == depth
  if (!any(at)) return(FALSE)
  seconds <- tapply(measured$solver[at], measured$threads[at], stats::median)
  row_of("threads", case, "seconds of one thread", seconds[["1"]])
  row_of("threads", case, "one thread by 2", seconds[["1"]] / seconds[["2"]])
  TRUE
}

if (wanted("threads")) {
  paper_begin("contree", "threads")
  numbers <- if (quick) 2 else c(2, 4, 8, 16)
  utils::assignInNamespace("most_threads", function() max(numbers), "contree")
  for (name in names) for (depth in 2:4) {
    case <- sprintf("%s, depth %d", name, depth)
    data <- read_data_set(name)
    fit <- fit_to(data, depth)
    if (fit$status != "optimal") {
      if (!threads_measured(name, depth, case)) {
        row_of("threads", case, "gap at the limit of time", fit$gap)
      }
      next
    }
    seconds <- thread_scaling(data, depth, fit$objective, numbers)
    row_of("threads", case, "seconds of one thread", seconds[1])
    for (i in seq_along(numbers)) {
      row_of("threads", case, sprintf("one thread by %d", numbers[i]), seconds[1] / seconds[1 + i])
    }
  }
  for (name in setdiff(if (!quick) sets, names)) {
    row_of("threads", sprintf("%s: not in CONTREE_DATA", name), "seconds of one thread", NA)
  }
  simulated <- utils::read.csv("bench/results/workers-simulated.csv")
  simulated <- simulated[simulated$times == 1 & simulated$workers %in% 2^(1:7), ]
  for (i in seq_len(nrow(simulated))) {
    row_of("threads", sub(" ", ", depth ", simulated$case[i]),
           sprintf("one worker by %d, simulated", simulated$workers[i]), simulated$faster[i])
  }
}

# Errors and the least processor seconds of some calls.
capped <- function(data, depth, cap) {
  runs <- replicate(if (quick) 1 else 3, {
    seconds <- system.time(fit <- fit_to(data, depth, max_thresholds = cap))
    c(fit$objective, sum(seconds[1:2]))
  })
  c(errors = runs[1], seconds = max(0.001, min(runs[2, ]))) # the clock has steps of a millisecond
}

if (wanted("caps")) {
  paper_begin("contree", "caps")
  caps <- c(5, 10, 20, 50, 100, Inf)
  for (depth in 2:3) {
    found <- vapply(if (quick) "raisin" else names, function(name) {
      data <- read_data_set(name)
      vapply(caps, function(cap) capped(data, depth, cap), c(errors = 0, seconds = 0))
    }, matrix(0, 2, length(caps)))
    for (i in seq_along(caps)) {
      what <- sprintf("depth %d, %s thresholds", depth, if (is.finite(caps[i])) caps[i] else "all")
      for (name in dimnames(found)[[3]]) {
        row_of("caps", paste0(name, ", ", what), "errors", found[1, i, name])
        row_of("caps", paste0(name, ", ", what), "seconds", found[2, i, name])
      }
      row_of("caps", paste0("all sets, ", what), "errors by the least: geometric mean",
             geomean((found[1, i, ] / found[1, length(caps), ])[found[1, length(caps), ] > 0]))
      row_of("caps", paste0("all sets, ", what), "seconds by those of all: geometric mean",
             geomean(found[2, i, ] / found[2, length(caps), ]))
    }
  }
}

# The bound of a search under way when it has had so many seconds of the processor, also as a share
# of the errors of the best tree that is known: here, or from searches of hours.
known_errors <- c(bean = 1206, eeg = 3663, fault = 498, htru = 307, magic = 2848, rice = 218)
if (wanted("bounds")) {
  paper_begin("contree", "bounds")
  marks <- c(2, 10)
  for (name in names) {
    data <- read_data_set(name)
    begun <- sum(proc.time()[1:2])
    at <- matrix(NA_real_, 0, 3)
    note <- function(state) {
      at <<- rbind(at, c(sum(proc.time()[1:2]) - begun, state$bound, state$cost))
      if (at[nrow(at), 1] > max(marks)) stop("enough")
    }
    fit <- tryCatch(fit_to(data, 4, progress = note), error = function(problem) NULL)
    if (!is.null(fit) && fit$status == "optimal") {
      at <- rbind(at, c(sum(proc.time()[1:2]) - begun, fit$objective, fit$objective))
    }
    least <- min(known_errors[name], at[, 3], na.rm = TRUE)
    for (mark in marks) {
      before <- at[at[, 1] <= mark, , drop = FALSE]
      case <- sprintf("%s, depth 4, %g s of the processor", name, mark)
      if (nrow(before) == 0) next
      row_of("bounds", case, "bound", max(before[, 2]))
      row_of("bounds", case, "errors of the best tree", min(before[, 3]))
      if (least > 0) row_of("bounds", case, "bound by the least errors", max(before[, 2]) / least)
    }
  }
}
