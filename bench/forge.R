# forge() beside the libraries whose models it reads, and compilers of them: nanoseconds a row, one
# thread.
#
#   BENCH_PYTHON=PYTHON Rscript bench/forge.R [FOLDER]   an environment with the peers (setup.sh);
#                                                        FOLDER for models, build/forge-bench
#
# Seconds are the processor's, since machines are shared, of calls as users make them (predict() on
# a matrix here, the predict() of the peer on an array there); the least of three rounds each, taken
# in turns. Margins are compared to the last bit before anything is timed. Writes
# bench/results/forge.csv (OUT).

arguments <- commandArgs(TRUE)
folder <- if (length(arguments)) arguments[1] else "build/forge-bench"
out <- file.path(if (nzchar(Sys.getenv("OUT"))) Sys.getenv("OUT") else "bench/results", "forge.csv")
library(contree)
source("bench/lib/peer.R")

if (!dir.exists(folder)) {
  system2(Sys.getenv("BENCH_PYTHON"), c("bench/lib/forge_peers.py", "make", folder))
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

read_model <- function(name) {
  file <- Sys.glob(file.path(folder, paste0(name, c(".ubj", ".txt"))))
  features <- as.integer(readLines(file.path(folder, paste0(name, ".features")), warn = FALSE))
  x <- matrix(numbers_of(paste0(name, ".rows"), 4096 * features), 4096)
  fast <- forge(import_forest(file), threads = 1)
  margin <- predict(fast, x, type = "margin")
  same <- identical(unname(margin), numbers_of(paste0(name, ".margin"), length(margin)))
  list(name = name, fast = fast, x = x, same = same)
}

ask <- function(peer, name, n) suppressWarnings(as.numeric(peer_ask(peers, peer, name, n)))

compare <- function(model, peer, n, type = "margin") {
  x <- model$x[seq_len(n), , drop = FALSE]
  ours <- least_seconds(function() predict(model$fast, x, type = type))
  theirs <- ask(peer, model$name, n)
  row <- data.frame(model = model$name, peer, rows = n, same = model$same, ours = ours / n * 1e9,
                    theirs = theirs / n * 1e9, times = theirs / ours)
  row[c("ours", "theirs", "times")] <- signif(row[c("ours", "theirs", "times")], 3)
  print(row, row.names = FALSE)
  utils::write.table(row, out, sep = ",", append = file.exists(out), row.names = FALSE,
                     col.names = !file.exists(out))
}

peers <- peer_start("xgboost", paste("bench/lib/forge_peers.py serve", folder))
unlink(out)
for (name in sub("\\.(ubj|txt)$", "", list.files(folder, "\\.(ubj|txt)$"))) {
  model <- read_model(name)
  xgb <- startsWith(name, "xgb")
  for (n in c(64, 512, 4096)) compare(model, if (xgb) "xgboost" else "lightgbm", n)
  if (name %in% c("xgb-100-8-6", "xgb-100-64-6", "xgb-300-64-8", "lgb-20", "lgb-100")) {
    compare(model, if (xgb) "xgboost-shap" else "lightgbm-shap", 512, "contributions")
  }
  if (name == "xgb-100-64-6") for (peer in c("onnxruntime", "tl2cgen")) compare(model, peer, 4096)
  if (name == "lgb-20") compare(model, "lleaves", 4096)
  rm(model)
}
peer_stop(peers)
