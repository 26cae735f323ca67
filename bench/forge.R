# forge() beside the libraries whose models it reads, and compilers of them: nanoseconds a row, one
# thread.
#
#   BENCH_PYTHON=PYTHON Rscript bench/forge.R [FOLDER [deep]]
#
# PYTHON: of an environment with the peers (setup.sh); FOLDER: for models, build/forge-bench; deep:
# only trees of more than 256 leaves and CatBoost's, into forge_deep.csv.
#
# Seconds are the processor's, since machines are shared, of calls as users make them (predict() on
# a matrix here, the predict() of the peer on an array there); the least of three rounds each, taken
# in turns. Margins are compared to the last bit before anything is timed. Writes
# bench/results/forge.csv (OUT).

arguments <- commandArgs(TRUE)
folder <- if (length(arguments)) arguments[1] else "build/forge-bench"
deep <- identical(arguments[-1], "deep")
out <- file.path(if (nzchar(Sys.getenv("OUT"))) Sys.getenv("OUT") else "bench/results",
                 if (deep) "forge_deep.csv" else "forge.csv")
library(contree)
source("bench/lib/peer.R")

if (!dir.exists(folder)) {
  system2(Sys.getenv("BENCH_PYTHON"), c("bench/lib/forge_peers.py", "make", folder,
                                        if (deep) "deep"))
}

cpu <- function() sum(proc.time()[c("user.self", "sys.self")])

least_seconds <- function(run) {
  run()
  times <- 1
  repeat {
    start <- cpu()
    for (i in seq_len(times)) run()
    taken <- cpu() - start
    if (taken >= 0.03) break
    times <- times * 4
  }
  rounds <- vapply(1:3, function(round) {
    start <- cpu()
    for (i in seq_len(times)) run()
    (cpu() - start) / times
  }, 0)
  min(rounds)
}

numbers_of <- function(name, n) readBin(file.path(folder, name), "double", n)

# An object as reticulate would hand it over.
read_sklearn <- function(name) {
  numbers <- function(part) readBin(file.path(folder, paste0(name, ".", part)), "double", 2^27)
  nodes <- numbers("nodes")
  parts <- c("children_left", "children_right", "feature", "threshold", "value",
             "weighted_n_node_samples")
  parts <- lapply(stats::setNames(nm = parts), function(part) {
    split(numbers(part), rep(seq_along(nodes), nodes))
  })
  trees <- lapply(seq_along(nodes), function(i) {
    tree <- lapply(parts, `[[`, i)
    tree$value <- array(tree$value, c(nodes[i], 1, 1))
    list(tree_ = tree)
  })
  structure(list(n_features_in_ = 10L, estimators_ = trees,
                 `_get_tags` = function() list(allow_nan = FALSE)),
            class = c("sklearn.ensemble._forest.RandomForestRegressor",
                      "sklearn.base.BaseEstimator"))
}

read_model <- function(name) {
  file <- Sys.glob(file.path(folder, paste0(name, c(".ubj", ".txt", ".cbm"))))
  features <- as.integer(readLines(file.path(folder, paste0(name, ".features")), warn = FALSE))
  x <- matrix(numbers_of(paste0(name, ".rows"), 4096 * features), 4096)
  forest <- import_forest(if (length(file)) file else read_sklearn(name))
  fast <- forge(forest, threads = 1)
  margin <- predict(fast, x, type = "margin")
  same <- identical(unname(margin), numbers_of(paste0(name, ".margin"), length(margin)))
  list(name = name, fast = fast, x = x, same = same)
}

ask <- function(peer, name, n) suppressWarnings(as.numeric(peer_ask(peers, peer, name, n)))

compare <- function(model, peer, n, type = "margin") {
  x <- model$x[rep_len(seq_len(nrow(model$x)), n), , drop = FALSE]
  record(model$name, peer, n, model$same, least_seconds(function() {
    predict(model$fast, x, type = type)
  }), ask(peer, model$name, n))
}

# Seconds of a call that predicts n rows.
record <- function(model, peer, n, same, ours, theirs) {
  row <- data.frame(model, peer, rows = n, same, ours = ours / n * 1e9, theirs = theirs / n * 1e9,
                    times = theirs / ours)
  row[c("ours", "theirs", "times")] <- signif(row[c("ours", "theirs", "times")], 3)
  print(row, row.names = FALSE)
  utils::write.table(row, out, sep = ",", append = file.exists(out), row.names = FALSE,
                     col.names = !file.exists(out))
}

# ranger's own forest of 500 unlimited trees, which R predicts with on both sides.
compare_ranger <- function() {
  set.seed(1)
  draw <- function(n) {
    data <- as.data.frame(matrix(rnorm(10 * n), n))
    data$y <- data$V1 * data$V2 + sin(3 * data$V3) + data$V4 + 0.3 * rnorm(n)
    data
  }
  fit <- ranger::ranger(y ~ ., draw(8000), num.trees = 500, num.threads = 1, seed = 1)
  new <- draw(4096)
  fast <- forge(fit, threads = 1)
  own <- function(rows) stats::predict(fit, rows, num.threads = 1)$predictions
  same <- identical(unname(predict(fast, new)), own(new))
  one <- contree_predictor(fast)
  first <- unlist(new[1, 1:10], use.names = FALSE)
  record("ranger-500", "ranger", 4096, same, least_seconds(function() predict(fast, new)),
         least_seconds(function() own(new)))
  record("ranger-500", "ranger", 1, same, least_seconds(function() one(first)),
         least_seconds(function() own(new[1, ])))
}

# Two threads beside one, by the clock: the least of many single calls in turns, since others take
# both cores now and then. The peer of `times` is one thread.
compare_threads <- function(model, n) {
  x <- model$x[rep_len(seq_len(4096), n), , drop = FALSE]
  code <- contree:::forged_code(model$fast)
  clock <- function(threads) {
    start <- Sys.time()
    contree:::run_forged(code, x, FALSE, threads)
    as.numeric(Sys.time() - start, units = "secs")
  }
  rounds <- replicate(1000, c(clock(2), clock(1)))
  record(model$name, "one thread", n, model$same, min(rounds[1, ]), min(rounds[2, ]))
}

# Milliseconds of making an ensemble ready, as nanoseconds a tree.
pack <- function(model) {
  forest <- model$fast$forest
  trees <- length(forest$ensemble$roots)
  record(model$name, "(pack)", trees, model$same,
         least_seconds(function() contree:::forge_ensemble(forest)), NA)
}

# A data frame here, an array there.
compare_frame <- function(model, peer, n) {
  rows <- as.data.frame(model$x[seq_len(n), ])
  record(paste(model$name, "frame"), peer, n, model$same, least_seconds(function() {
    predict(model$fast, rows, type = "margin")
  }), ask(peer, model$name, n))
}

# Trees of more than 256 leaves; one row by itself, too.
compare_deep <- function(name, peer) {
  model <- read_model(name)
  for (n in c(64L, 4096L, 100000L)) compare(model, peer, n)
  if (peer == "scikit-learn") for (other in c("onnxruntime", "ydf")) compare(model, other, 4096L)
  if (name == "deep-500-50-8") compare_frame(model, peer, 4096L)
  one <- contree_predictor(model$fast)
  rows <- lapply(1:200, function(i) as.numeric(model$x[i, ]))
  seconds <- least_seconds(function() for (row in rows) one(row)) / length(rows)
  record(name, "(one row)", 1, model$same, seconds, NA)
}

compare_boosted <- function(name) {
  model <- read_model(name)
  xgb <- startsWith(name, "xgb")
  for (n in c(64, 512, 4096)) compare(model, if (xgb) "xgboost" else "lightgbm", n)
  for (n in if (xgb) c(1024, 4096)) compare_threads(model, n)
  if (name %in% c("xgb-100-8-6", "xgb-100-64-6", "xgb-300-64-8", "lgb-20", "lgb-100")) {
    compare(model, if (xgb) "xgboost-shap" else "lightgbm-shap", 512, "contributions")
  }
  if (name == "xgb-100-64-6") {
    for (peer in c("onnxruntime", "tl2cgen", "ydf")) compare(model, peer, 4096)
  }
  if (grepl("1000-(8|64)-8", name)) pack(model)
  if (name == "lgb-20") compare(model, "lleaves", 4096)
}

peers <- peer_start("xgboost", paste("bench/lib/forge_peers.py serve", folder))
unlink(out)
if (!deep) {
  boosted <- list.files(folder, "^(xgb|lgb).*\\.(ubj|txt)$")
  for (name in sub("\\.(ubj|txt)$", "", boosted)) compare_boosted(name)
  compare(read_model("skl-500"), "scikit-learn", 4096)
  compare_ranger()
}
for (name in c("deep-500-50-8", "deep-500-50-10", "deep-200-50-12")) compare_deep(name, "xgboost")
for (name in c("skl-100-1800", "skl-100-8000", "skl-100-30000")) compare_deep(name, "scikit-learn")
for (name in c("cat-100", "cat-1000")) {
  model <- read_model(name)
  for (n in c(64L, 4096L)) compare(model, "catboost", n)
}
peer_stop(peers)
