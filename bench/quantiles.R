# Quantile forests beside ranger's: processor time of one thread, fit and 10,000 x 3 quantiles,
# pinball loss and coverage of 80% intervals.
#   Rscript bench/quantiles.R [rows] [trees] [repeats]
suppressPackageStartupMessages({
  library(contree)
  library(ranger)
})
given <- as.numeric(commandArgs(TRUE))
rows <- if (length(given) > 0) given[1] else 1e5
trees <- if (length(given) > 1) given[2] else 50
repeats <- if (length(given) > 2) given[3] else 1

simulate <- function(n) {
  x <- matrix(runif(10 * n), n, dimnames = list(NULL, paste0("x", 1:10)))
  y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] +
    rnorm(n) * (0.5 + 2 * x[, 6])
  data.frame(x, y = y)
}
seconds <- function(call) sum(system.time(call)[1:2])
loss <- function(y, q, p) mean(pmax(p * (y - q), (p - 1) * (y - q)))
show <- function(name, fit, predict, q, y) {
  cat(sprintf("%-22s fit %7.3f s  quantiles %6.3f s  loss %s  within %.3f\n", name, fit, predict,
              paste(sprintf("%.4f", mapply(function(k, p) loss(y, q[, k], p), 1:3, probabilities)),
                    collapse = " / "), mean(y >= q[, 1] & y <= q[, 3])))
}

probabilities <- c(0.1, 0.5, 0.9)
set.seed(1)
train <- simulate(rows)
new <- simulate(1e4)
for (i in seq_len(repeats)) {
  for (min_n in c(6, 11)) {
    fit <- seconds(a <- hist_forest(y ~ ., train, trees = trees, quantiles = TRUE, min_n = min_n,
                                    threads = 1, seed = i, oob = FALSE, importance = "none"))
    plain <- seconds(hist_forest(y ~ ., train, trees = trees, min_n = min_n, threads = 1, seed = i,
                                 oob = FALSE, importance = "none"))
    predict_a <- seconds(qa <- predict(a, new, type = "quantiles", threads = 1))
    show(paste("contree, min_n", min_n), fit, predict_a, qa, new$y)
    cat(sprintf("%-22s fit %7.3f s\n", "  the same, no rows", plain))
  }
  fit <- seconds(b <- ranger(y ~ ., train, num.trees = trees, quantreg = TRUE, num.threads = 1,
                             seed = i))
  predict_b <- seconds(qb <- predict(b, new, type = "quantiles", quantiles = probabilities,
                                     num.threads = 1)$predictions)
  show("ranger, quantreg", fit, predict_b, qb, new$y)
}
