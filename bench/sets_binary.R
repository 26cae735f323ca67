# Sets of all trees that are nearly as good, on tables of 0 and 1: contree() and contree_set() on
# one thread beside ArborEnum, PRAXIS and TreeFARMS (PyPI arborenum 0.2.6, tree-praxis 0.0.30,
# treefarms 0.2.4).
#
#   GOSDT_SETS=DIR BENCH_PYTHON=.../bin/python Rscript bench/sets_binary.R
#
# Depths 2 to 4, within 1, 5 and 10 % of the best objective, a leaf costs one row in a hundred,
# rounded. The budget is rounded as the peers do it; theirs is of leaves, which are one more than
# splits. Seconds are of the processor, those of fit and set together.
#
# What is a tree: here, two leaves of one label below a split are none, and a leaf has the label of
# most of its rows. `peer_trees` counts such splits, and leaves of either label where the budget
# allows it; `peer_majority` counts such splits alone, and `majority` counts ours so, where they are
# at most 400 (NA otherwise). Equal columns, and complements, are different trees to all of them.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
price <- .01
sets <- list.files(Sys.getenv("GOSDT_SETS", "/nowhere"), "[.]csv[.]gz$", full.names = TRUE)
cases <- expand.grid(file = sets, within = c(.01, .05, .1), depth = 2:4, stringsAsFactors = FALSE)
cases$data <- sub("[.]csv[.]gz$", "", basename(cases$file))
cases <- asked_cases(cases, "data", settings)
# TreeFARMS takes seconds to hours: it is asked on small tables alone. ArborEnum's continuous mode
# is the slower one on such tables, and is asked once for each.
peers_of <- function(case, data) {
  c("arborenum", "praxis", if (case$depth == 3 && case$within == .01) "arborenum continuous",
    if (case$depth < 4 && ncol(data) < 40 && case$within < .1) "treefarms")
}
# At depth 4 the peers take minutes and more on wider tables, and ArborEnum 20 GB for sets of tens
# of millions of trees.
most_columns <- 120
most_trees <- 2e6
path <- record_start(settings, "sets_binary")
peer <- if (nrow(cases)) peer_start("arborenum")

# Seconds of the fastest of some calls, and what the last of them gave.
fastest <- function(ask) {
  spent <- numeric(0)
  while (length(spent) < 5 && (!length(spent) || sum(spent) < 2)) {
    gc()
    cpu <- processor_seconds()
    answer <- ask()
    spent <- c(spent, processor_seconds() - cpu)
  }
  list(cpu = min(spent), answer = answer)
}

fit_and_set <- function(x, y, case) {
  leaf <- round(price * nrow(x))
  fit <- contree::contree(x, y, depth = case$depth, complexity = leaf / nrow(x), threads = 1)
  best <- fit$cost + leaf
  budget <- floor((1 + case$within) * best + 0.5)
  set <- contree::contree_set(fit, errors = budget - best, data = list(x = x, y = y),
                              max_nodes = Inf)
  list(best = best, trees = length(set), set = set, budget = budget, leaf = leaf)
}

for (i in if (!is.null(peer)) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- as.list(case[c("data", "depth", "within")])
  if (recorded_runs(path, key)$n) next
  data <- utils::read.csv(case$file)
  if (case$depth == 4 && ncol(data) > most_columns) next
  x <- data[-1]
  y <- factor(data$class)
  own <- fastest(function() fit_and_set(x, y, case))
  if (case$depth == 4 && own$answer$trees > most_trees) next
  majority <- NA
  if (own$answer$trees <= 400) {
    majority <- trees_with_idle_splits(own$answer$set, as.matrix(x), y, case$depth,
                                       own$answer$budget, own$answer$leaf)
  }
  peer_load(peer, case$file)
  for (name in peers_of(case, data)) {
    answer <- as.numeric(peer_ask(peer, name, case$depth, price, case$within))
    record(path, c(key, list(rows = nrow(x), features = ncol(x), best = own$answer$best,
                             trees = own$answer$trees, majority = majority,
                             cpu = own$cpu, peer = name,
                             peer_best = answer[2], peer_trees = answer[3],
                             peer_majority = answer[4], peer_cpu = answer[1])))
  }
}
peer_stop(peer)
