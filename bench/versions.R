# Two builds of contree, one thread each, in turns: Rscript bench/versions.R OLD NEW, two
# libraries, with the settings of run.sh in the environment. One process holds one library, so each
# has its own; the answer is a table on the output.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

# ---- a process with one of them ----

# So many fits at once: the median of their seconds, or for long ones the processor's, and what the
# last one counted.
run_once <- function(data, depth, fits, limit) {
  runs <- replicate(fits, time_contree(data, depth, limit), simplify = FALSE)
  seconds <- vapply(runs, function(run) if (run$cpu > 0.2) run$cpu else run$solver, 0)
  last <- runs[[fits]]
  c(stats::median(seconds), last$errors, last$bound, last$leaves, last$scans, last$thresholds)
}

serve <- function(replies) {
  replies <- fifo(replies, "w")
  commands <- file("stdin", "r")
  data <- NULL
  while (length(line <- readLines(commands, 1))) {
    words <- strsplit(line, "\t")[[1]]
    if (words[1] == "load") data <- read_data_set(words[2])
    answer <- NULL
    if (words[1] == "run") {
      answer <- run_once(data, as.numeric(words[2]), as.numeric(words[3]), as.numeric(words[4]))
    }
    writeLines(paste(c("done", answer), collapse = "\t"), replies)
    flush(replies)
  }
}

# ---- who asks them ----

start_version <- function(library) {
  replies <- tempfile("replies")
  stopifnot(system2("mkfifo", replies) == 0)
  command <- paste0("exec 3>", shQuote(replies), "; R_LIBS=", shQuote(library),
                    " Rscript --vanilla bench/versions.R serve /dev/fd/3 >&2")
  list(commands = pipe(command, "w"), replies = fifo(replies, "r", blocking = TRUE))
}

# After the sign that there is an answer at all.
ask_version <- function(version, ...) as.numeric(peer_ask(version, ...)[-1])

record_versions <- function(case, versions, settings) {
  for (version in versions) ask_version(version, "load", case$data)
  first <- lapply(versions, ask_version, "run", case$depth, 1, settings$limit)
  seconds <- max(first[[1]][1], first[[2]][1])
  fits <- max(1, min(25, round(0.03 / seconds)))
  times <- NULL
  for (run in seq_len(repeats(2 * fits * seconds, settings))) {
    runs <- lapply(versions, ask_version, "run", case$depth, fits, settings$limit)
    times <- rbind(times, vapply(runs, `[`, 0, 1))
  }
  middle <- apply(times, 2, stats::median)
  counts <- vapply(2:6, function(i) paste(runs[[1]][i], runs[[2]][i], sep = ", "), "")
  ratios <- sprintf("%.3f", c(stats::median(times[, 2] / times[, 1]), middle[2] / middle[1]))
  cells <- c(paste(case$data, case$depth), sprintf("%.3g, %.3g", middle[1], middle[2]), ratios,
             nrow(times), fits, counts)
  cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
}

arguments <- commandArgs(TRUE)
if (arguments[1] == "serve") {
  serve(arguments[2])
} else {
  settings <- bench_settings()
  cases <- data_cases(settings)
  versions <- lapply(arguments[1:2], start_version)
  cat("| set, depth | seconds | ratio of pairs | of medians | pairs | fits each | errors | bound",
      "| leaves | scans | thresholds |\n")
  for (i in seq_len(NROW(cases))) record_versions(cases[i, ], versions, settings)
  for (version in versions) peer_stop(version)
}
