# Tables beside those of the papers: a row a measurement, with the paper's figure where it is known,
# ours, the machine in general words, and the date. Rows are written as they come; a part that is
# measured again replaces its own. NOTE, if set, is added to the machine, as "with other work".

machine_in_words <- function() {
  info <- contree::contree_info()
  simd <- c(avx512 = "AVX-512", avx2 = "AVX2", neon = "NEON", scalar = "plain C")[[info$simd]]
  note <- Sys.getenv("NOTE")
  paste0(sprintf("%d core%s with %s", info$processors, if (info$processors > 1) "s" else "", simd),
         if (nzchar(note)) ", ", note)
}

paper_path <- function(paper) {
  file.path(Sys.getenv("OUT", "bench/results"), paste0("paper-", paper, ".csv"))
}

paper_begin <- function(paper, experiment) {
  path <- paper_path(paper)
  if (!file.exists(path)) return(invisible(path))
  rows <- utils::read.csv(path)
  utils::write.csv(rows[rows$experiment != experiment, ], path, row.names = FALSE)
}

paper_row <- function(paper, experiment, case, measure, ours, theirs = NA) {
  path <- paper_path(paper)
  row <- data.frame(experiment, case, measure, paper = theirs, ours = signif(ours, 4),
                    machine = machine_in_words(), date = format(Sys.Date()))
  exists <- file.exists(path)
  utils::write.table(row, path, append = exists, sep = ",", row.names = FALSE, col.names = !exists,
                     qmethod = "double")
  cat(sprintf("%-12s %-28s %-34s paper %8s  ours %g\n", experiment, case, measure, theirs, ours))
}

# Processor seconds of each thread of this process so far, on Linux; a thread that waits is counted
# to its end.
thread_seconds <- function() {
  Sys.sleep(0.0005)
  threads <- list.files("/proc/self/task")
  ran <- vapply(file.path("/proc/self/task", threads, "schedstat"), scan, c(0, 0, 0), quiet = TRUE)
  stats::setNames(ran[1, ] / 1e9, threads)
}

# Processor seconds of run(), of the thread that has most, over so many calls: what a machine with a
# processor for each thread and nothing else to do takes, but for what threads wait.
busiest_thread <- function(run, calls) {
  before <- thread_seconds()
  for (i in seq_len(calls)) run()
  after <- thread_seconds()
  known <- names(after) %in% names(before)
  after[known] <- after[known] - before[names(after)[known]]
  max(after) / calls
}
