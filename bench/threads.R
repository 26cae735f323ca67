# How much faster more threads are, where there is enough to do: searches of depth three that take
# some time, and of depth four. And what one thread costs in a build that can have more.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()

worth_threads <- c("magic:3", "fault:3", "bean:3", "eeg:3", "rice:3",
                   "bidding:4", "room:4", "occupancy:4", "raisin:4", "segment:4",
                   if (!settings$quick) "rice:4")

# 1, 2, 4, ... as far as the processors go, the number of processors last.
thread_numbers <- function() {
  most <- contree::contree_info()$processors
  unique(c(2^(0:floor(log2(most))), most))
}

# Takes turns between the numbers of threads, so that other work on the machine hits all alike.
record_threads <- function(path, case, numbers) {
  key <- list(data = case$data, depth = case$depth)
  done <- recorded_runs(path, key)$n %/% length(numbers)
  data <- read_data_set(case$data)
  run <- done
  repeat {
    run <- run + 1
    fits <- lapply(numbers, function(n) time_contree(data, case$depth, settings$limit, threads = n))
    for (i in seq_along(numbers)) {
      record(path, c(key, list(run = run, threads = numbers[i]),
                     fits[[i]][c("solver", "call", "errors", "status")]))
    }
    seconds <- vapply(fits, `[[`, 0, "solver")
    if (run == 1) {
      cat(case$data, case$depth, paste(numbers, "threads:", format_seconds(seconds)), "\n",
          sep = "  ")
    }
    if (run >= repeats(sum(seconds), settings)) return(invisible())
  }
}

path <- record_start(settings, "threads")
cases <- chosen_cases(worth_threads, settings)
for (i in seq_len(nrow(cases))) record_threads(path, cases[i, ], thread_numbers())

# ---- one thread, with and without OpenMP: an R process for each build, in turns ----

# The least of some runs, in seconds, in a process that loads the package from `library`.
least_seconds <- function(library, case, runs) {
  code <- sprintf(paste(
    "for (file in list.files('bench/lib', '[.]R$', full.names = TRUE)) source(file);",
    "data <- read_data_set('%s');",
    "cat(min(replicate(%d, time_contree(data, %d, Inf)$solver)))"), case$data, runs, case$depth)
  old <- Sys.getenv("R_LIBS")
  on.exit(Sys.setenv(R_LIBS = old))
  Sys.setenv(R_LIBS = paste(c(library, old), collapse = .Platform$path.sep))
  as.numeric(system2("Rscript", c("--vanilla", "-e", shQuote(code)), stdout = TRUE))
}

plain <- Sys.getenv("PLAIN")
if (nzchar(plain)) {
  path <- record_start(settings, "openmp")
  own <- dirname(find.package("contree"))
  cases <- chosen_cases(c("magic:3", "bean:3", "rice:3", "bidding:4", "room:4"), settings)
  for (i in seq_len(nrow(cases))) for (run in 1:5) for (build in c("OpenMP", "plain")) {
    seconds <- least_seconds(if (build == "plain") plain else own, cases[i, ], 5)
    record(path, list(data = cases$data[i], depth = cases$depth[i], run = run, build = build,
                      seconds = seconds))
  }
}
