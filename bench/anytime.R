# How good the best tree is while the search goes on. contree says so itself (`fit$history`);
# pycontree does not, and is run anew with each of a row of time limits.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
limits <- c(0.1, 0.3, 1, 3, 10, if (!settings$quick) 30)
path <- record_start(settings, "anytime")
peer <- peer_start("pycontree")

record_moments <- function(case, solver, time, errors, status) {
  for (i in seq_along(time)) {
    record(path, list(data = case$data, depth = case$depth, solver = solver, time = time[i],
                      errors = errors[i], status = status))
  }
}

cases <- chosen_cases(c("raisin:4", "room:4", "segment:4", "fault:4", "bean:4"), settings)
for (i in seq_len(nrow(cases))) {
  case <- cases[i, ]
  if (recorded_runs(path, list(data = case$data, depth = case$depth))$n) next
  data <- read_data_set(case$data)
  fit <- suppressWarnings(contree::contree(class ~ ., data, depth = case$depth,
                                           time_limit = max(limits), threads = 1))
  # what is known before there is a tree
  record_moments(case, "none", 0, nrow(data) - max(table(data$class)), "")
  # the moments of better trees, and the last
  moments <- fit$history[c(TRUE, diff(fit$history$cost) < 0) | seq_len(nrow(fit$history)) ==
                         nrow(fit$history), ]
  record_moments(case, "contree", moments$time, moments$cost, fit$status)
  if (is.null(peer)) next
  peer_load(peer, data_path(case$data))
  for (limit in limits) {
    run <- time_pycontree(peer, case$depth, limit)
    cat(case$data, case$depth, "limit", limit, "took", run$solver, "errors", run$errors, run$status,
        "\n")
    # should it have gone on beyond the limit, then in its favour it had the tree in time
    record_moments(case, "pycontree", if (run$status == "optimal") run$solver else limit,
                   run$errors, run$status)
    if (run$status == "optimal") break
  }
}
peer_stop(peer)
