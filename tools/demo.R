# What contree does, on a data set where optimality matters on rows that were held out too:
# `make demo`, or Rscript tools/demo.R
#
# Biopsies of breast tumours (MASS::biopsy): 699 rows, nine cytological scores from 1 to 10, some of
# them missing. Of the data sets in vignette("choosing") it is one on which a greedy tree of the
# same depth is worse by more than chance; on most others the two are about equal.
source("tools/png.R")
library(contree)
print(contree_info())

tumours <- MASS::biopsy[setdiff(names(MASS::biopsy), "ID")]
depth <- 2
optimal <- function(data) contree(class ~ ., data = data, depth = depth)
greedy <- function(data) {
  rpart::rpart(class ~ ., data = data, control = rpart::rpart.control(maxdepth = depth))
}

seconds <- system.time(fit <- optimal(tumours))[["elapsed"]]
cat("\n> fit <- contree(class ~ ., data = MASS::biopsy[-1], depth = 2)\n> fit\n")
print(fit)
cat(sprintf("\nProof: %s; no tree of depth %d has fewer than %g errors, and this one has %g.\n",
            fit$status, depth, fit$bound, fit$objective))

# Ten-fold cross-validation, five times over, the same folds for both trees.
repeats <- 5
n <- nrow(tumours)
growers <- list(contree = optimal, rpart = greedy)
wrong <- matrix(0, n, 2, dimnames = list(NULL, names(growers)))
set.seed(1)
for (i in seq_len(repeats)) {
  fold <- ave(seq_len(n), tumours$class, FUN = function(rows) sample(rep_len(1:10, length(rows))))
  for (k in 1:10) {
    new <- tumours[fold == k, ]
    wrong[fold == k, ] <- wrong[fold == k, ] + sapply(growers, function(grow) {
      predict(grow(tumours[fold != k, ]), new, type = "class") != new$class
    }) / repeats
  }
}
percent <- function(x) sprintf("%.1f%% (se %.1f)", 100 * mean(x), 100 * sd(x) / sqrt(n))
training <- sapply(growers, function(grow) {
  sum(predict(grow(tumours), tumours, type = "class") != tumours$class)
})
greedy_seconds <- system.time(greedy(tumours))[["elapsed"]]
cat(sprintf("\nDepth %d; held-out rows by ten-fold cross-validation, %d times:\n", depth, repeats))
print(data.frame(`training errors` = training,
                 `held-out rows misclassified` = apply(wrong, 2, percent),
                 seconds = sprintf("%.3f", c(seconds, greedy_seconds)), check.names = FALSE))
cat("Difference:", percent(wrong[, "rpart"] - wrong[, "contree"]), "\n")

dir.create("build", showWarnings = FALSE)
file <- open_picture("build/demo-tree.png", 1500, 900, res = 150)
plot(fit, main = sprintf("Breast biopsies: %g errors of %d, proven optimal at depth %d",
                         fit$objective, n, depth))
invisible(dev.off())
report <- "build/demo-report.html"
contree_report(fit, tumours, report)
cat("\nPlot:   ", normalizePath(file), "\nReport: ", normalizePath(report), "\n", sep = "")
cat('
What to try next, in R started as `R_LIBS=build/lib R`:
  library(contree)
  fit <- contree(Species ~ ., iris, depth = 2); plot(fit)
  contree_cv(Species ~ ., iris, depth = 0:3)          # which depth?
  contree_estimate(class ~ ., my_data, depth = 4)     # how long would it take?
  vignette("contree"); vignette("rpart")              # with `make install`
')
