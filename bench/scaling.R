# How time and memory grow with rows and features, on tables made up by rule (lib/tables.R).
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

# One row a case; a curve is what belongs together. `distinct` values a feature.
scaling_cases <- function(quick) {
  curve <- function(name, rows, features, distinct, depth) expand.grid(
    curve = name, rows = rows, features = features, distinct = distinct, depth = depth,
    stringsAsFactors = FALSE)
  rows <- function(to) round(10^seq(3, to, 0.5))
  rbind(
    curve("colours", 245057, 3, 256, 2:3),
    curve("rows", rows(if (quick) 5 else 6), 10, Inf, 2),
    curve("rows", rows(if (quick) 4 else 4.5), 10, Inf, 3),
    curve("rows, 256 values", rows(if (quick) 5 else 6), 10, 256, 2),
    curve("features", 10000, c(5, 10, 20, 40, 80, if (!quick) 160), Inf, 2),
    curve("features", 3000, c(5, 10, 20, 40, if (!quick) c(80, 160)), Inf, 3),
    curve("large", if (quick) 250000 else c(250000, 1e6, 1e7), 20, Inf, 2))
}

make_table <- function(case) {
  if (case$curve == "colours") {
    skin_table(case$rows)
  } else {
    planted_table(case$rows, case$features, case$distinct)
  }
}

settings <- bench_settings()
# A curve ends for the peer where it has taken so long, or with tables of more values (they go to it
# as a file).
most_peer_seconds <- if (settings$quick) 5 else 100
most_peer_values <- if (settings$quick) 1e6 else 2e7

# Did the peer take too long on a smaller case of the curve?
peer_gave_up <- function(path, case) {
  if (!file.exists(path)) return(FALSE)
  rows <- utils::read.csv(path)
  rows <- rows[rows$curve == case$curve & rows$depth == case$depth, ]
  nrow(rows) > 0 &&
    (any(rows$peer_runs == 0) || max(rows$peer_call, na.rm = TRUE) > most_peer_seconds)
}

path <- record_start(settings, "scaling")
peer <- peer_start("pycontree")
invisible(time_contree(iris, 2, Inf, "Species"))
cases <- asked_cases(scaling_cases(settings$quick), "curve", settings)
for (i in seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- as.list(case[c("curve", "depth", "distinct")])
  run_peer <- !is.null(peer) && case$rows * case$features <= most_peer_values &&
    !peer_gave_up(path, case)
  data <- make_table(case)
  if (run_peer) peer_load(peer, file <- write_table(data))
  record_pairs(path, key, data, case$depth, peer, run_peer, settings)
  if (run_peer) unlink(file)
}
peer_stop(peer)
