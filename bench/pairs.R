# contree and pycontree on the public data sets.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

# The reference's known times are from a machine about half as fast.
expected_seconds <- function(case) case$reference_seconds / 2

settings <- bench_settings()
cases <- data_cases(settings)
path <- record_start(settings, "pairs")
peer <- peer_start("pycontree")
# loads and compiles what the first call of a session has to
invisible(time_contree(iris, 2, Inf, "Species"))

for (i in seq_len(NROW(cases))) {
  case <- cases[i, ]
  data <- read_data_set(case$data)
  peer_load(peer, data_path(case$data))
  # Where nobody knows, full mode tries; quick mode does not have such cases.
  short <- is.na(expected_seconds(case)) || expected_seconds(case) <= settings$budget
  record_pairs(path, list(data = case$data, depth = case$depth), data, case$depth, peer,
               !is.null(peer) && short, settings)
}
peer_stop(peer)
