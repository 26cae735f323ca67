# Paired runs of contree and pycontree on one table that both hold, in turns: noise of the machine
# hits both alike.

# Appends one row a turn to the file. `key` names the case; `run_peer` is FALSE where only contree
# shall run.
record_pairs <- function(path, key, data, depth, peer, run_peer, settings) {
  key <- c(key, list(rows = nrow(data), features = ncol(data) - 1, classes = nlevels(data$class)))
  done <- recorded_runs(path, key)
  run <- done$n
  plan <- done$plan
  while (is.null(plan) || run < plan$runs) {
    run <- run + 1
    own <- time_contree(data, depth, settings$limit)
    # where contree has not finished, its peer is not worth the wait
    turn <- run_peer && own$status == "optimal" && (is.null(plan) || run <= plan$peer_runs)
    other <- if (turn) time_pycontree(peer, depth, settings$limit) else not_run("not run")
    if (is.null(plan)) plan <- plan_runs(own$call, other$call, settings)
    record(path, c(key, list(run = run), plan, prefixed("contree", own), prefixed("peer", other)))
    if (run == 1) announce(key, plan, own, other)
  }
}

# After the first turn: how many shall there be, and in how many of them shall the peer run? Where
# it takes long, contree runs a few times more alone, for a median that is not that of its first
# run, with cold caches.
plan_runs <- function(own, peer, settings) {
  alone <- repeats(own, settings)
  if (is.na(peer)) return(list(runs = min(alone, 5), peer_runs = 0))
  pairs <- repeats(own + peer, settings)
  list(runs = max(pairs, min(alone, 5)), peer_runs = pairs)
}

# A line on the first turn, for whoever watches.
announce <- function(key, plan, own, other) {
  cat(sprintf("%-36s %2d runs, %2d of the peer; the first: contree %s, call %s; peer %s, call %s\n",
              paste(unlist(key), collapse = " "), plan$runs, plan$peer_runs,
              format_seconds(own$solver), format_seconds(own$call), format_seconds(other$solver),
              format_seconds(other$call)))
}

prefixed <- function(prefix, values) {
  stats::setNames(values, paste(prefix, names(values), sep = "_"))
}

format_seconds <- function(x) {
  ifelse(is.na(x), "-", ifelse(x < 1, paste(signif(1000 * x, 3), "ms"), paste(signif(x, 3), "s")))
}
