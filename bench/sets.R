# Sets of all trees that are nearly as good, on tables of numbers: contree() and contree_set() on
# one thread, and beside them ArborEnum (PyPI arborenum 0.2.6) on all thresholds.
#
#   CONTREE_DATA=DIR BENCH_PYTHON=.../bin/python Rscript bench/sets.R
#
# A leaf costs one row in a hundred, rounded; the budget is rounded as the peer does it. Seconds are
# of the processor: `fit` and `set` of the two calls, `tree` of one of 20 trees drawn at random,
# `certificate` of contree_certify() of the set, `zero` of a set without slack. What a tree is: see
# sets_binary.R; the peer also counts each threshold of the table that parts a node's rows in the
# same way; only leaves of the label of most rows are counted.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()
price <- .01
cases <- expand.grid(within = c(.01, .05), data = c("bank", "raisin", "eeg", "magic"), depth = 2:3,
                     stringsAsFactors = FALSE)
# Its set does not end: 8e11 trees.
cases <- cases[cases$data != "magic" | cases$depth == 2, ]
cases <- asked_cases(cases, "data", settings)
# The peer takes minutes to hours for the others.
is_short <- function(case) {
  case$data != "eeg" && case$data != "magic" || case$depth == 2 && case$within == .01 ||
    case$data == "eeg" && case$depth == 2
}
# Sets whose checker would take minutes.
is_certified <- function(case) case$depth == 2 && case$data != "magic" || case$data == "bank" ||
  case$data == "raisin" && case$within == .01

# Seconds a call, of many where R's milliseconds say too little of one.
mean_of <- function(n, ask) {
  cpu <- processor_seconds()
  for (i in seq_len(n)) ask(i)
  (processor_seconds() - cpu) / n
}

# Seconds a call of short ones, of which there are many, or of the fastest of some long ones; and
# what the last of them gave.
fastest <- function(ask) {
  spent <- numeric(0)
  answer <- NULL
  while (length(spent) < 5 && (!length(spent) || sum(spent) < 2)) {
    gc()
    spent <- c(spent, mean_of(1, function(i) answer <<- ask()))
  }
  if (min(spent) < 0.05) spent <- mean_of(if (min(spent) < 0.01) 500 else 50, function(i) ask())
  list(cpu = min(spent), answer = answer)
}

path <- record_start(settings, "sets")
peer <- if (nrow(cases)) peer_start("arborenum")
for (i in seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- as.list(case[c("data", "depth", "within")])
  if (recorded_runs(path, key)$n || !file.exists(data_path(case$data))) next
  data <- read_data_set(case$data)
  x <- data[names(data) != "class"]
  y <- data$class
  leaf <- round(price * nrow(x))
  ask_fit <- function() {
    contree::contree(x, y, depth = case$depth, complexity = leaf / nrow(x), threads = 1)
  }
  fit <- fastest(ask_fit)
  best <- fit$answer$cost + leaf
  slack <- floor((1 + case$within) * best + 0.5) - best
  ask_set <- function(errors) {
    contree::contree_set(fit$answer, errors = errors, data = list(x = x, y = y),
                         max_nodes = Inf)
  }
  set <- fastest(function() ask_set(slack))
  numbers <- floor(stats::runif(20, 1, min(length(set$answer) + 1, 1e15)))
  tree <- mean_of(20, function(i) set$answer[[numbers[i]]])
  certificate <- if (is_certified(case)) {
    mean_of(1, function(i) {
      stopifnot(contree::contree_certify(set$answer, list(x = x, y = y))$valid)
    })
  } else NA
  zero <- fastest(function() ask_set(0))
  asked <- if (!is.null(peer) && is_short(case)) {
    peer_load(peer, data_path(case$data))
    as.numeric(peer_ask(peer, "arborenum continuous", case$depth, price, case$within))
  } else c(NA, NA, NA, NA)
  record(path, c(key, list(rows = nrow(x), best = best, slack = slack,
                           trees = length(set$answer), fit = fit$cpu, set = set$cpu, tree = tree,
                           zero = zero$cpu, certificate = certificate, peer_best = asked[2],
                           peer_trees = asked[4], peer = asked[1])))
}
peer_stop(peer)
