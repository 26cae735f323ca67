# The rule by which autotune() chooses a schedule, beside the best of a grid, on forests of two
# kinds: those that the rule's numbers were chosen on, and others, held out.
#
#   Rscript bench/autotune.R
#
# Forests are grown from random numbers. A time is the clock's, on one thread, over two milliseconds
# or one call: the least of 20 short times is one that nobody disturbed. All schedules of the grid
# take turns. The best of the grid is the best of the even rounds; times of the odd ones are
# compared, since the least of many times that waver is too low.
# Writes bench/results/autotune.csv (OUT), a line a forest and batch: the best schedule of the grid,
# that of the rule, and how many times as long it takes; ends with what the rule costs in all.

out <- file.path(if (nzchar(Sys.getenv("OUT"))) Sys.getenv("OUT") else "bench/results",
                 "autotune.csv")
quick <- nzchar(Sys.getenv("QUICK"))
library(contree)
own <- asNamespace("contree")

calibration <- expand.grid(trees = c(10, 60, 300, 800), depth = c(4, 9), features = c(6, 40))
held_out <- data.frame(trees = c(20, 35, 120, 200, 500, 15, 80, 150),
                       depth = c(5, 8, 4, 7, 6, 10, 2, 12),
                       features = c(10, 25, 12, 60, 8, 30, 20, 15))
models <- rbind(cbind(set = "calibration", calibration), cbind(set = "held out", held_out))
if (quick) models <- models[c(1, nrow(models)), ]
batches <- if (quick) 16 else c(1, 8, 32, 64, 512, 4096)

grow <- function(model) {
  set.seed(model$trees + 1000 * model$depth + model$features)
  x <- as.data.frame(matrix(stats::runif(2000 * model$features), 2000))
  x$y <- rowSums(x[1:6]^2) + x[[1]] * x[[2]] + stats::rnorm(2000, 0, 0.1)
  forge(hist_forest(y ~ ., x, trees = model$trees, depth = model$depth, seed = 1), threads = 1)
}

tiles <- function(rows, form, k) {
  schedule(c("schedule 1", sprintf("tile(batch, b0, b1, %d)", rows), "reorder(b0, tree, b1)",
             "parallel(b0)", sprintf("interleave(b1, %d)", k), sprintf("represent(%s)", form)))
}

grid <- list("one row" = schedule_preset("one-row"), "one tree" = schedule_preset("one-tree"),
             "planes 64" = own$planes_of(64), "planes 512" = own$planes_of(512),
             "tiles 64, 8" = tiles(64, "sparse", 8), "tiles 64, 16" = tiles(64, "sparse", 16),
             "tiles 512, 8" = schedule_preset("xgboost", rows = 512),
             "tiles 512, 16" = tiles(512, "sparse", 16),
             "tiles 1024, 8" = schedule_preset("xgboost", rows = 1024),
             "tiles 512, 16, arrays" = tiles(512, "array", 16))

seconds_of <- function(things, columns, rounds) {
  now <- function() as.numeric(Sys.time())
  least <- matrix(Inf, length(things), 2)
  for (round in seq_len(rounds)) {
    for (i in seq_along(things)) {
      own$run_schedule(things[[i]], columns, 1) # its trees come back into the caches
      from <- now()
      runs <- 0
      while (now() - from < 0.002) {
        own$run_schedule(things[[i]], columns, 1)
        runs <- runs + 1
      }
      half <- 1 + round %% 2
      least[i, half] <- min(least[i, half], (now() - from) / runs)
    }
  }
  least
}

measure <- function(model) {
  forged <- grow(model)
  x <- matrix(stats::runif(max(batches) * model$features), max(batches),
              dimnames = list(NULL, paste0("V", seq_len(model$features))))
  legal <- Filter(Negate(is.null), lapply(grid, function(one) {
    tryCatch(own$with_schedule(forged, one), contree_input_error = function(problem) NULL)
  }))
  texts <- vapply(legal, function(one) paste(one$schedule$text, collapse = "\n"), "")
  do.call(rbind, lapply(batches, function(rows) {
    columns <- own$forest_columns_of(forged$forest, x[seq_len(rows), , drop = FALSE])$columns
    by_rule <- own$with_schedule(forged, own$schedule_by_rule(forged, rows))
    rule <- match(paste(by_rule$schedule$text, collapse = "\n"), texts)
    stopifnot(!is.na(rule))
    seconds <- seconds_of(legal, columns, if (quick) 2 else 40)
    best <- which.min(seconds[, 1])
    data.frame(model, mean_depth = forged$info$mean_depth, tests = forged$info$tests,
               networks = forged$info$networks, rows = rows, best = names(legal)[best],
               rule = names(legal)[rule], us = signif(1e6 * seconds[rule, 2], 4),
               times_best = round(seconds[rule, 2] / seconds[best, 2], 3))
  }))
}

dir.create(dirname(out), showWarnings = FALSE, recursive = TRUE)
all <- NULL
for (i in seq_len(nrow(models))) {
  all <- rbind(all, measure(as.list(models[i, ])))
  utils::write.csv(all, out, row.names = FALSE)
}
for (set in unique(all$set)) {
  times <- all$times_best[all$set == set]
  cat(sprintf("%s: %d forests and batches, %.3f in geometric mean, %.2f at worst\n", set,
              length(times), exp(mean(log(times))), max(times)))
}
