# What is proven at depths four and five, in what time, and how far off is the rest.
# The peer tries the smallest of depth five.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
small_sets <- c("bank", "bidding", "room")
sets <- c(small_sets, "occupancy", "raisin", "segment")
cases <- chosen_cases(c(paste0(c(sets, "rice", "magic", "fault", "bean", "eeg"), ":4"),
                        paste0(sets, ":5")), settings)

path <- record_start(settings, "deep")
peer <- peer_start("pycontree")

for (i in seq_len(nrow(cases))) {
  case <- cases[i, ]
  data <- read_data_set(case$data)
  row <- function(solver, threads, measure) {
    key <- list(data = case$data, depth = case$depth, solver = solver, threads = threads)
    if (recorded_runs(path, key)$n) return(invisible())
    result <- measure()
    shape <- list(rows = nrow(data), features = ncol(data) - 1, classes = nlevels(data$class))
    record(path, c(key, shape, list(limit = settings$deep_limit, seconds = result$solver,
                                    errors = result$errors,
                                    bound = if (is.null(result$bound)) NA else result$bound,
                                    status = result$status)))
    cat(case$data, case$depth, solver, threads, format_seconds(result$solver), result$errors,
        result$status, "\n")
  }
  for (threads in settings$deep_threads) {
    row("contree", threads,
        function() time_contree(data, case$depth, settings$deep_limit, threads = threads))
  }
  if (case$depth == 5 && case$data %in% small_sets && !is.null(peer)) {
    row("pycontree", 1, function() {
      peer_load(peer, data_path(case$data))
      time_pycontree(peer, 5, settings$deep_limit)
    })
  }
}
peer_stop(peer)
