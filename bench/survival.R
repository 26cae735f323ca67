# Survival forests beside ranger's, on data of the package survival: processor time of one thread,
# Harrell's concordance and the integrated Brier score of the folds that were left out.
#   Rscript bench/survival.R [trees] [folds] [set ...]
suppressPackageStartupMessages({
  library(contree)
  library(ranger)
  library(survival)
})
given <- commandArgs(TRUE)
trees <- if (length(given) > 0) as.numeric(given[1]) else 50
folds <- if (length(given) > 1) as.numeric(given[2]) else 2

sets <- list(
  lung = function() transform(lung[-1], status = status - 1),
  pbc = function() transform(pbc[!is.na(pbc$trt), -1], status = +(status == 2)),
  colon = function() subset(colon, etype == 2, c(-id, -study, -etype)),
  rotterdam = function() {
    d <- subset(rotterdam, select = c(-pid, -rtime, -recur))
    stats::setNames(d, sub("death", "status", sub("dtime", "time", names(d))))
  },
  flchain = function() {
    d <- subset(flchain, futime > 0, c(-chapter))
    stats::setNames(d, sub("death", "status", sub("futime", "time", names(d))))
  })
if (length(given) > 2) sets <- sets[given[-(1:2)]]

seconds <- function(call) sum(system.time(call)[1:2])
at_times <- function(curves, from, times) {
  cbind(1, curves)[, findInterval(times, from) + 1, drop = FALSE]
}

for (name in names(sets)) {
  d <- stats::na.omit(sets[[name]]())
  set.seed(1)
  fold <- sample(rep_len(seq_len(folds), nrow(d)))
  for (size in c(3, 15, 30)) {
    told <- NULL
    for (k in seq_len(folds)) {
      train <- d[fold != k, ]
      new <- d[fold == k, ]
      y <- with(new, Surv(time, status))
      times <- sort(unique(new$time[new$status == 1]))
      fit <- seconds(a <- hist_forest(Surv(time, status) ~ ., train, trees = trees,
                                      min_n = size + 1, threads = 1, seed = k))
      predict_a <- seconds(curves <- predict(a, new, type = "survival", threads = 1))
      ours <- c(fit, predict_a, concordance(y ~ predict(a, new), reverse = TRUE)$concordance,
                forest_brier(a, new, y, times)$integrated)
      fit <- seconds(b <- ranger(Surv(time, status) ~ ., train, num.trees = trees,
                                 min.node.size = size, num.threads = 1, seed = k))
      predict_b <- seconds(p <- predict(b, new, num.threads = 1))
      curves <- at_times(p$survival, p$unique.death.times, times)
      brier <- contree:::brier_scores(curves, new$time, new$status, times)
      theirs <- c(fit, predict_b, concordance(y ~ rowSums(p$chf), reverse = TRUE)$concordance,
                  sum(brier * diff(c(times, max(times)))) / max(times))
      told <- rbind(told, c(ours, theirs))
    }
    m <- colMeans(told)
    cat(sprintf(paste("%-10s %5d rows, size %2.0f: fit %.3f / %.3f s (x%.0f),",
                      "predict %.3f / %.3f s, C %.3f / %.3f, IBS %.3f / %.3f\n"),
                name, nrow(d), size, m[1], m[5],
                m[5] / m[1], m[2], m[6], m[3], m[7], m[4], m[8]))
  }
}
