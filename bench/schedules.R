# Schedules of forests of the shapes that Treebeard and SilvanForge measured on CPUs: rows, trees or
# both parallel, with more and fewer walks at once, and this package's own; batches of 32 to 4,096.
#
#   Rscript bench/schedules.R
#
# The forests are grown from random numbers, to depth 8, with as many features and trees as the
# papers' models, and run on one thread and on two. Times are the clock's, the least of some rounds
# in which all schedules take turns. Sums are reproducible, since trees cannot be parallel
# otherwise; all schedules give the same bits, which is looked at first. Writes
# bench/results/schedules.csv (OUT), a line a schedule.

out <- file.path(if (nzchar(Sys.getenv("OUT"))) Sys.getenv("OUT") else "bench/results",
                 "schedules.csv")
quick <- nzchar(Sys.getenv("QUICK"))
share <- if (quick) 0.02 else 1
library(contree)

models <- data.frame(name = c("abalone", "airline", "covtype", "epsilon", "higgs", "year"),
                     features = c(8, 13, 54, 2000, 28, 90),
                     trees = c(1000, 100, 800, 100, 100, 100))
if (quick) models <- models[2, ]
batches <- if (quick) 32 else c(32, 64, 512, 4096)

grow <- function(features, trees) {
  set.seed(features)
  x <- as.data.frame(matrix(stats::runif(3000 * features), 3000))
  used <- x[, seq_len(min(features, 8))]
  x$y <- rowSums(used^2) + used[[1]] * used[[2]] + stats::rnorm(3000, 0, 0.1)
  hist_forest(y ~ ., x, trees = max(2, round(trees * share)), depth = 8, seed = 1)
}

parallel_schedules <- function(n_trees) {
  tiles <- function(rows, trees, k) {
    at_once <- max(1, ceiling(n_trees / 2))
    schedule(c(
      "schedule 1", if (rows) "tile(batch, b0, b1, 16)", if (trees)
        sprintf("tile(tree, t0, t1, %d)", at_once),
      if (rows && trees) "reorder(b0, t0, t1, b1)" else if (rows) "reorder(b0, tree, b1)" else
        "reorder(t0, t1, batch)",
      if (rows) "parallel(b0)", if (trees) "parallel(t0)",
      sprintf("interleave(%s, %d)", if (rows) "b1" else "batch", k)))
  }
  made <- list()
  for (k in c(1, 4, 8, 16)) {
    made[[paste("rows", k)]] <- tiles(TRUE, FALSE, k)
    made[[paste("trees", k)]] <- tiles(FALSE, TRUE, k)
    made[[paste("both", k)]] <- tiles(TRUE, TRUE, k)
  }
  made
}

seconds_of <- function(things, newdata, threads) {
  now <- function() as.numeric(Sys.time())
  least <- rep(Inf, length(things))
  start <- now()
  round <- 0
  while (round < 3 || (round < 30 && now() - start < 3)) {
    round <- round + 1
    for (i in seq_along(things)) {
      from <- now()
      runs <- 0
      while (now() - from < 0.002) {
        predict(things[[i]], newdata, type = "margin", threads = threads)
        runs <- runs + 1
      }
      least[i] <- min(least[i], (now() - from) / runs)
    }
  }
  least
}

measure <- function(model) {
  fit <- grow(model$features, model$trees)
  exact <- forge(fit, sums = "reproducible")
  n_trees <- max(2, round(model$trees * share))
  schedules <- c(parallel_schedules(n_trees),
                 list("one row" = schedule_preset("one-row"),
                      "planes 64" = schedule(sub("512", "64", schedule_preset("planes")$text)),
                      "planes 512" = schedule_preset("planes")))
  things <- lapply(schedules, function(one) forge(fit, sums = "reproducible", schedule = one))
  lines <- lapply(batches, function(rows) {
    newdata <- matrix(stats::runif(rows * model$features), rows,
                      dimnames = list(NULL, paste0("V", seq_len(model$features))))
    expected <- predict(exact, newdata, type = "margin")
    for (thing in things) {
      stopifnot(identical(predict(thing, newdata, type = "margin"), expected))
    }
    do.call(rbind, lapply(1:2, function(threads) {
      seconds <- seconds_of(things, newdata, threads)
      data.frame(model = model$name, features = model$features, trees = n_trees, rows = rows,
                 threads = threads, schedule = names(things),
                 us_a_row = signif(1e6 * seconds / rows, 4),
                 times_best = round(seconds / min(seconds), 2))
    }))
  })
  do.call(rbind, lines)
}

dir.create(dirname(out), showWarnings = FALSE, recursive = TRUE)
all <- NULL
for (i in seq_len(nrow(models))) {
  all <- rbind(all, measure(models[i, ]))
  utils::write.csv(all, out, row.names = FALSE, quote = FALSE)
}

# ---- beside the papers ---------------------------------------------------------------------------

geomean <- function(x) exp(mean(log(x)))
best <- function(rows, threads, pattern) {
  some <- all[all$rows == rows & all$threads == threads & grepl(pattern, all$schedule), ]
  vapply(split(some$us_a_row, some$model), min, 0)
}
for (rows in batches) {
  for (threads in 1:2) {
    of_rows <- best(rows, threads, "^rows")
    walks <- best(rows, threads, "^(rows|trees|both|one)")
    report <- c("best of rows, trees, both over rows alone" =
                  geomean(of_rows / best(rows, threads, "^(rows|trees|both)")),
                "interleaving over one walk at a time" =
                  geomean(best(rows, threads, "^rows 1$") / of_rows),
                "planes over the best walks" = geomean(walks / best(rows, threads, "^planes")),
                "best over one thread's best" =
                  geomean(best(rows, 1, "") / best(rows, threads, "")))
    cat(sprintf("%d rows, %d threads: %s\n", rows, threads,
                paste(names(report), round(report, 2), collapse = "; ")))
  }
}
