# What the least size of a leaf does to the time of a proof, of regression trees of depth 3.
#
#   Rscript bench/leaf_sizes.R
#
# MASS::Boston and Friedman's first function (1,000 rows, generated). `thresholds`: evaluated at all
# depths. `cost`: squared error of the best tree; where it rises with the size, trees of any leaf
# size, which bound the search, are cheaper than the best that are allowed. Writes
# bench/results/leaf_sizes.csv.

library(contree)

set.seed(1)
x <- as.data.frame(matrix(stats::runif(1e4), 1e3))
x$y <- 10 * sin(pi * x$V1 * x$V2) + 20 * (x$V3 - 0.5)^2 + 10 * x$V4 + 5 * x$V5 + stats::rnorm(1e3)
sets <- list(boston = stats::setNames(MASS::Boston, sub("medv", "y", names(MASS::Boston))),
             friedman1e3 = x)

rows <- list()
for (set in names(sets)) for (least in c(1, 5, 6, 7, 10, 20, 50)) {
  time <- system.time(
    fit <- contree(y ~ ., sets[[set]], depth = 3, minbucket = least, threads = 1))
  rows[[length(rows) + 1]] <- data.frame(
    set = set, minbucket = least, seconds = time[[1]], cost = fit$cost,
    thresholds = unname(fit$search["thresholds"]), status = fit$status)
}
results <- do.call(rbind, rows)
print(results)
utils::write.csv(results, "bench/results/leaf_sizes.csv", row.names = FALSE)
