# Trees by their price: contree on one thread beside GOSDT (PyPI gosdt 1.0.4) on tables of 0 and 1.
#
#   GOSDT_SETS=DIR BENCH_PYTHON=.../bin/python Rscript bench/gosdt.R
#
# Depth 6, a split costs one row in a hundred or in two hundred. Both minimise wrong rows and
# prices, so what is proven must be equal; GOSDT's price is one of leaves, which are one more than
# splits. Seconds are of the processor; LIMIT is of the clock. GOSDT may take all memory: let
# BENCH_PYTHON be a script that sets a limit (ulimit -v) before it calls Python; where GOSDT ends at
# that, it is started again.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
depth <- 6
sets <- list.files(Sys.getenv("GOSDT_SETS", "/nowhere"), "[.]csv[.]gz$", full.names = TRUE)
cases <- expand.grid(file = sets, price = c(.01, .005), stringsAsFactors = FALSE)
path <- record_start(settings, "gosdt")
peer <- if (nrow(cases)) peer_start("gosdt")

for (i in if (!is.null(peer)) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- list(data = sub("[.]csv[.]gz$", "", basename(case$file)), price = case$price)
  if (recorded_runs(path, key)$n) next
  data <- utils::read.csv(case$file)
  data$class <- factor(data$class)
  cpu <- processor_seconds()
  fit <- suppressWarnings(contree::contree(class ~ ., data, depth = depth, complexity = case$price,
                                           threads = 1, time_limit = settings$limit))
  cpu <- processor_seconds() - cpu
  answer <- tryCatch({
    peer_load(peer, case$file)
    peer_ask(peer, "gosdt", depth, case$price, settings$limit)
  }, error = function(e) c(NA, NA, "out of memory"))
  if (is.na(answer[1])) peer <- peer_start("gosdt")
  record(path, c(key, list(rows = nrow(data), features = ncol(data) - 1,
                           cost = fit$cost, bound = fit$bound, status = fit$status, cpu = cpu,
                           gosdt_cost = as.numeric(answer[2]) - case$price * nrow(data),
                           gosdt_status = answer[3],
                           gosdt_cpu = as.numeric(answer[1]))))
}
peer_stop(peer)
