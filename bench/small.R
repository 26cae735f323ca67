# Tables of the size of iris, and the instances of the C tests: what a user waits for a small fit.
# contree must never take over 10 ms more than pycontree.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
settings$repeat_seconds <- 0.5 # more would change nothing
path <- record_start(settings, "small")
peer <- peer_start("pycontree")
invisible(time_contree(iris, 2, Inf, "Species"))

n_tables <- if (settings$quick) 10 else 50
tables <- c(list(iris = as_table(as.integer(iris$Species) - 1L, iris[1:4], 3)),
            stats::setNames(lapply(seq_len(n_tables), small_table),
                            paste0("small", seq_len(n_tables))))
for (name in names(tables)) {
  peer_load(peer, write_table(tables[[name]]))
  record_pairs(path, list(data = name, depth = 3), tables[[name]], 3, peer, !is.null(peer),
               settings)
}
for (file in instance_files()) {
  instance <- read_instance(file)
  # contree refuses one class; a depth of zero is no search
  if (length(unique(instance$data$class)) < 2 || instance$depth < 1) next
  peer_load(peer, write_table(instance$data))
  name <- sub("[.]txt$", "", basename(file))
  record_pairs(path, list(data = name, depth = instance$depth), instance$data, instance$depth, peer,
               !is.null(peer), settings)
}
peer_stop(peer)
