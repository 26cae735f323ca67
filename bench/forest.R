# hist_forest() beside ranger, and randomForest where it is installed: seconds of one core, and how
# well they predict.
#
#   Rscript bench/forest.R [DATA] [SEEDS]     DATA: folder of the public sets, as in NOTES.md
#
# Each set is split 70:30 at random; every forest has the same number of trees, unlimited depth,
# nodes down to one row, and probabilities. Seconds are the processor's, since machines are shared
# (those of the system with them: memory is part of the work); the forests of a set take turns,
# short calls are repeated, and the median over the seeds counts. Writes bench/results/forest.csv.

arguments <- commandArgs(TRUE)
folder <- if (length(arguments)) arguments[1] else Sys.getenv("CONTREE_DATA")
seeds <- seq_len(if (length(arguments) > 1) as.integer(arguments[2]) else 3)
library(contree)
library(ranger)
has_peer <- requireNamespace("randomForest", quietly = TRUE)

auc_of <- function(prob, truth) {
  one <- function(score, positive) {
    r <- rank(score)
    n <- sum(positive)
    (sum(r[positive]) - n * (n + 1) / 2) / (n * (length(r) - n))
  }
  classes <- colnames(prob)
  if (length(classes) == 2) return(one(prob[, 2], truth == classes[2]))
  there <- classes[classes %in% truth]
  weighted.mean(vapply(there, function(class) one(prob[, class], truth == class), 0),
                tabulate(match(truth, there)))
}

# Seconds of a call, and its value. Times come in milliseconds, so that short calls are repeated.
timed <- function(call) {
  seconds <- function(expression) sum(system.time(expression)[c("user.self", "sys.self")])
  once <- seconds(value <- call())
  times <- min(100, ceiling(0.2 / max(once, 0.002)))
  if (times > 1) once <- seconds(for (i in seq_len(times)) call()) / times
  list(value = value, seconds = once)
}

read_set <- function(file) {
  data <- utils::read.csv(file)
  list(x = as.matrix(data[setdiff(names(data), "class")]), y = factor(data$class))
}

# Classes from sums and products of normal columns; numbers as in Friedman's first function.
generated <- function(n, p, k, seed = 1) {
  set.seed(seed)
  if (k == 0) {
    x <- matrix(stats::runif(n * p), n)
    y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] +
      stats::rnorm(n)
  } else {
    x <- matrix(stats::rnorm(n * p), n)
    s <- rowSums(x[, 1:6]) + x[, 1] * x[, 2] + x[, 3]^2
    y <- factor(pmin(k - 1, floor(k * stats::pnorm((s - 1) / 3 + stats::rnorm(n) / 3))))
  }
  colnames(x) <- paste0("x", seq_len(p))
  list(x = x, y = y)
}

compare <- function(name, set, trees, seed, peers = has_peer) {
  set.seed(seed)
  train <- sample(nrow(set$x), round(0.7 * nrow(set$x)))
  x <- set$x[train, ]
  y <- set$y[train]
  new <- set$x[-train, , drop = FALSE]
  truth <- set$y[-train]
  numbers <- is.numeric(y)
  frame <- data.frame(x, y = y, check.names = FALSE)
  least <- if (numbers) 5 else 1
  ours <- timed(function() hist_forest(x, y, trees = trees, min_n = least + 1, seed = seed,
                                       threads = 1, oob = FALSE, importance = "none"))
  theirs <- timed(function() ranger(x = x, y = y, num.trees = trees, probability = !numbers,
                                    min.node.size = least, num.threads = 1, seed = seed,
                                    oob.error = FALSE))
  forest <- if (peers) {
    timed(function() randomForest::randomForest(x, y, ntree = trees, mtry = floor(sqrt(ncol(x)))))
  }
  own <- timed(function() predict(ours$value, new, type = if (numbers) "response" else "prob",
                                  threads = 1))
  other <- timed(function() predict(theirs$value, new, num.threads = 1)$predictions)
  score <- function(said) {
    if (numbers) 1 - mean((said - truth)^2) / mean((truth - mean(truth))^2) else auc_of(said, truth)
  }
  data.frame(set = name, n = length(y), columns = ncol(x), trees = trees, seed = seed,
             seconds = ours$seconds, ranger = theirs$seconds / ours$seconds,
             randomForest = if (peers) forest$seconds / ours$seconds else NA,
             score = score(own$value), score_ranger = score(other$value), predict = own$seconds,
             predict_ranger = other$seconds / own$seconds)
}

results <- NULL
for (file in list.files(folder, "[.]csv[.]gz$", full.names = TRUE)) {
  set <- read_set(file)
  for (seed in seeds) {
    results <- rbind(results, compare(sub("[.]csv.*", "", basename(file)), set, 100, seed))
  }
}
print(results[c("set", "seed", "seconds", "ranger", "randomForest", "score", "score_ranger",
                "predict_ranger")], digits = 4)
cases <- list(list("7 classes", 14300, 28, 7, 50), list("numbers", 28600, 10, 0, 50),
              list("100 columns", 14300, 100, 2, 50), list("2 classes", 143000, 28, 2, 100))
for (case in cases) {
  set <- generated(case[[2]], case[[3]], case[[4]])
  for (seed in seeds) {
    results <- rbind(results, compare(case[[1]], set, case[[5]], seed, peers = FALSE))
  }
}
median_of <- function(rows) {
  out <- rows[1, ]
  for (column in c("seconds", "ranger", "randomForest", "predict", "predict_ranger")) {
    out[column] <- stats::median(rows[[column]])
  }
  for (column in c("score", "score_ranger")) out[column] <- mean(rows[[column]])
  out$seed <- nrow(rows)
  out
}
table <- do.call(rbind, lapply(split(results, factor(results$set, unique(results$set))), median_of))
names(table)[names(table) == "seed"] <- "seeds"
table$difference <- table$score - table$score_ranger
table[vapply(table, is.double, NA)] <- lapply(table[vapply(table, is.double, NA)], signif, 4)
print(table, row.names = FALSE)
utils::write.csv(table, file.path("bench", "results", "forest.csv"), row.names = FALSE)
