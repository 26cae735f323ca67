# Regression trees of contree() beside rpart and STreeD (pystreed), in the same run.
#
#   [BENCH_PYTHON=PYTHON] Rscript bench/regression.R [LIMIT]
#
# Sets: MASS::Boston, ggplot2::diamonds (numeric columns) and Friedman's first function with 10
# columns, generated; depths 2 to 4, leaves of any size (minbucket = 1), one thread. Seconds are the
# processor's (user) of the whole call. `held_out`: R squared on the other half of the rows, fitted
# to a random half with at least 7 rows in a leaf, the mean of five halves. PYTHON has pystreed,
# which is asked for the optimal tree on all thresholds, in LIMIT (60) seconds at most. Writes
# bench/results/regression.csv.

library(contree)
arguments <- commandArgs(TRUE)
limit <- if (length(arguments)) as.numeric(arguments[1]) else 60
python <- Sys.getenv("BENCH_PYTHON")

friedman <- function(n) {
  set.seed(1)
  x <- as.data.frame(matrix(stats::runif(10 * n), n))
  x$y <- 10 * sin(pi * x$V1 * x$V2) + 20 * (x$V3 - 0.5)^2 + 10 * x$V4 + 5 * x$V5 + stats::rnorm(n)
  x
}

sets <- list(friedman1e3 = friedman(1e3), friedman1e4 = friedman(1e4))
if (requireNamespace("MASS", quietly = TRUE)) {
  sets$boston <- stats::setNames(MASS::Boston, sub("medv", "y", names(MASS::Boston)))
}
if (requireNamespace("ggplot2", quietly = TRUE)) {
  diamonds <- as.data.frame(ggplot2::diamonds)
  sets$diamonds <- data.frame(diamonds[c("carat", "depth", "table", "x", "y", "z")],
                              price = diamonds$price)
  names(sets$diamonds) <- c("carat", "total", "table", "length", "width", "height", "y")
}

timed <- function(expression) {
  time <- system.time(value <- expression)
  list(value = value, seconds = time[[1]])
}

r_squared <- function(y, prediction) 1 - sum((y - prediction)^2) / sum((y - mean(y))^2)

fits <- list(
  contree = function(data, depth, least) {
    contree(y ~ ., data, depth = depth, minbucket = least, threads = 1, time_limit = 300)
  },
  rpart = function(data, depth, least) {
    rpart::rpart(y ~ ., data, maxdepth = depth, minbucket = least, minsplit = 2 * least, cp = 0,
                 xval = 0, maxcompete = 0, maxsurrogate = 0)
  })

held_out <- function(fit, data, depth) {
  set.seed(2)
  mean(replicate(5, {
    train <- sample(nrow(data), nrow(data) / 2)
    r_squared(data$y[-train], stats::predict(fit(data[train, ], depth, 7), data[-train, ]))
  }))
}

# STreeD on all thresholds: c(seconds, R squared, 1 if it says that the tree is optimal).
streed <- function(data, depth) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  utils::write.table(data[c("y", setdiff(names(data), "y"))], file, row.names = FALSE,
                     col.names = FALSE, sep = ",")
  said <- suppressWarnings(system2(python, c("bench/lib/streed_regression.py", file, depth, limit),
                                   stdout = TRUE, stderr = FALSE, timeout = limit + 120))
  found <- suppressWarnings(as.numeric(strsplit(c(utils::tail(said, 1), "")[1], " ")[[1]]))
  if (length(found) == 3) found else c(limit, NA, 0)
}

rows <- list()
note <- function(...) {
  row <- data.frame(..., check.names = FALSE)
  rows[[length(rows) + 1]] <<- row
  cat(sprintf("%-12s %d  %-8s %9.3f s  R2 %.4f  held out %.4f  %s\n", row$set, row$depth,
              row$method, row$seconds, row$r2, row$held_out, row$status))
}

for (set in names(sets)) for (depth in 2:4) {
  data <- sets[[set]]
  if (depth == 4 && nrow(data) > 1000) next
  for (method in names(fits)) {
    found <- timed(fits[[method]](data, depth, 1))
    y <- stats::predict(found$value, data)
    note(set = set, rows = nrow(data), columns = ncol(data) - 1, depth = depth, method = method,
         seconds = found$seconds, r2 = r_squared(data$y, y),
         held_out = if (depth < 4) held_out(fits[[method]], data, depth) else NA,
         status = if (method == "contree") found$value$status else "")
  }
  if (nzchar(python) && nrow(data) <= 1000 && depth < 4) {
    found <- streed(data, depth)
    note(set = set, rows = nrow(data), columns = ncol(data) - 1, depth = depth, method = "streed",
         seconds = found[1], r2 = found[2], held_out = NA,
         status = if (found[3] == 1) "optimal" else "time limit")
  }
}
utils::write.csv(do.call(rbind, rows), "bench/results/regression.csv", row.names = FALSE)
