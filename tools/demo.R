# What contree does, on a data set with a held-out part of its own: `make demo`, or Rscript
# tools/demo.R
#
# Diabetes among Pima women (MASS): Pima.tr has 200 women, Pima.te 332 others.
source("tools/png.R")
library(contree)
train <- MASS::Pima.tr
test <- MASS::Pima.te

seconds <- system.time(fit <- contree(type ~ ., data = train, depth = 3))[["elapsed"]]
cat("\n> fit <- contree(type ~ ., data = MASS::Pima.tr, depth = 3)\n> fit\n")
print(fit)

greedy_seconds <- system.time(
  greedy <- rpart::rpart(type ~ ., data = train, control = rpart::rpart.control(maxdepth = 3))
)[["elapsed"]]

score <- function(model, data) {
  wrong <- sum(predict(model, data, type = "class") != data$type)
  sprintf("%d of %d wrong (%.1f%% right)", wrong, nrow(data), 100 * (1 - wrong / nrow(data)))
}
cat("\nDepth 3, the same data:\n")
print(data.frame(training = c(score(fit, train), score(greedy, train)),
                 `held out` = c(score(fit, test), score(greedy, test)),
                 seconds = sprintf("%.3f", c(seconds, greedy_seconds)),
                 row.names = c("contree", "rpart"), check.names = FALSE))
cat(sprintf("\nProof: %s; no tree of depth 3 has fewer than %g errors, and this one has %g.\n",
            fit$status, fit$bound, fit$objective))

dir.create("build", showWarnings = FALSE)
file <- open_picture("build/demo-tree.png", 1500, 900, res = 150)
plot(fit)
invisible(dev.off())
cat("Plot: ", normalizePath(file), "\n", sep = "")
