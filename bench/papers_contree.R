# The experiments of Rodop et al. (2026), parallel optimal trees, on the data sets of CONTREE_DATA:
# those of their 16 that can be had. Writes bench/results/paper-contree.csv.
#
#   Rscript bench/papers_contree.R [threads|caps|bounds] ...     nothing: all
#
# threads: seconds of one thread at depth 2 to 4, as far as it takes no more than LIMIT (30)
# seconds, and how many times as fast two are where bench/results/threads.csv (bench/threads.R) has
# that (shorter searches are not worth two); more workers as simulated (workers-simulated.csv).
# caps: errors and seconds of the processor with at most so many thresholds a predictor, beside all
# of them. bounds: what a search at depth 4 has proven after 2 and 10 seconds of the processor, or
# when it was done, within LIMIT.

library(contree)
for (file in c("data", "papers")) source(sprintf("bench/lib/%s.R", file))
asked <- commandArgs(TRUE)
wanted <- function(part) length(asked) == 0 || part %in% asked
row_of <- function(...) paper_row("contree", ...)
quick <- nzchar(Sys.getenv("QUICK"))
limit <- as.numeric(Sys.getenv("LIMIT", if (quick) "1" else "30"))
names <- sub("[.]csv[.]gz$", "", list.files(data_folder(), "[.]csv[.]gz$"))
if (quick) names <- c("raisin", "segment")
fit_to <- function(data, depth, threads = 1, ...) {
  suppressWarnings(contree(class ~ ., data, depth = depth, time_limit = limit, threads = threads,
                           ...), classes = "contree_stopped")
}

# Processor seconds of a call by one thread, the least of some rounds.
processor_time <- function(data, depth) {
  seconds <- function(calls) {
    sum(system.time(for (i in seq_len(calls)) fit_to(data, depth))[1:2]) / calls
  }
  calls <- ceiling(0.05 / (seconds(1) + 0.001)) # the clock has steps of a millisecond
  min(replicate(if (quick) 2 else 7, seconds(calls)))
}

if (wanted("threads")) {
  paper_begin("contree", "threads")
  measured <- utils::read.csv("bench/results/threads.csv")
  for (name in names) for (depth in 2:4) {
    case <- sprintf("%s, depth %d", name, depth)
    at <- measured$data == name & measured$depth == depth
    if (any(at)) {
      seconds <- tapply(measured$solver[at], measured$threads[at], stats::median)
      row_of("threads", case, "seconds of one thread", seconds[["1"]])
      row_of("threads", case, "one thread by two", seconds[["1"]] / seconds[["2"]])
      next
    }
    data <- read_data_set(name)
    fit <- fit_to(data, depth)
    if (fit$status != "optimal") {
      row_of("threads", case, "gap at the limit of time", fit$gap)
      next
    }
    row_of("threads", case, "seconds of one thread", processor_time(data, depth))
  }
  for (name in c("avila", "htru", "page", "skin", "wilt")) {
    why <- if (name == "page") "only with two of its five classes" else "in no package at hand"
    row_of("threads", sprintf("%s: %s", name, why), "seconds of one thread", NA)
  }
  simulated <- utils::read.csv("bench/results/workers-simulated.csv")
  simulated <- simulated[simulated$times == 1 & simulated$workers %in% 2^(1:7), ]
  for (i in seq_len(nrow(simulated))) {
    row_of("threads", sub(" ", ", depth ", simulated$case[i]),
           sprintf("one worker by %d, simulated", simulated$workers[i]), simulated$faster[i])
  }
}

if (wanted("caps")) {
  paper_begin("contree", "caps")
  for (name in if (quick) "raisin" else c("magic", "raisin", "rice", "fault")) for (depth in 2:3) {
    data <- read_data_set(name)
    for (cap in c(5, 10, 20, 50, 100, Inf)) {
      seconds <- system.time(fit <- fit_to(data, depth, max_thresholds = cap))[[1]]
      case <- sprintf("%s, depth %d, %s thresholds", name, depth,
                      if (is.finite(cap)) cap else "all")
      row_of("caps", case, "errors", fit$objective)
      row_of("caps", case, "seconds", seconds)
    }
  }
}

# The bound of a search under way when it has had so many seconds of the processor, also as a share
# of the errors of the best tree that is known: here, or from searches of hours.
known_errors <- c(bean = 1206, eeg = 3663, fault = 498, magic = 2848, rice = 218)
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
    done <- !is.null(fit) && fit$status == "optimal"
    if (done) at <- rbind(at, c(0, fit$objective, fit$objective))
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
