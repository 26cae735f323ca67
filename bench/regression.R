# Regression trees of contree() beside rpart and STreeD (pystreed), in the same run.
#
#   [BENCH_PYTHON=PYTHON] [CONTREE_DATA=DIR] Rscript bench/regression.R [LIMIT [SET...]]
#
# Sets: MASS::Boston, ggplot2::diamonds (numeric columns), Friedman's first function with 10
# columns, generated, diabetes (scikit-learn's, from PYTHON), bean (its first column by the
# others; from DIR); depths 2 to 4, leaves of any size (minbucket = 1). Seconds are the
# processor's (user) of the whole call on one thread, the median of eleven calls where one takes
# less than a tenth of a second; `clock` those on the clock, with two
# threads as well where one takes above a second; `search` those of the search alone, without R's
# preparation, as STreeD's `fit()` gets its features ready-made. `held_out`: R squared on the other
# half of the rows, fitted to a random half with at least 7 rows in a leaf, the mean of five halves.
# PYTHON has pystreed, which is asked for the optimal tree on all thresholds, in LIMIT (60) seconds
# at most. Writes the rows of the SETs (all) of bench/results/regression.csv.

library(contree)
arguments <- commandArgs(TRUE)
limit <- if (length(arguments)) as.numeric(arguments[1]) else 60
python <- Sys.getenv("BENCH_PYTHON")
data_at <- Sys.getenv("CONTREE_DATA")

friedman <- function(n) {
  set.seed(1)
  x <- as.data.frame(matrix(stats::runif(10 * n), n))
  x$y <- 10 * sin(pi * x$V1 * x$V2) + 20 * (x$V3 - 0.5)^2 + 10 * x$V4 + 5 * x$V5 + stats::rnorm(n)
  x
}

sets <- list(friedman1e3 = friedman(1e3), friedman1e4 = friedman(1e4), friedman1e5 = friedman(1e5))
if (requireNamespace("MASS", quietly = TRUE)) {
  sets$boston <- stats::setNames(MASS::Boston, sub("medv", "y", names(MASS::Boston)))
}
if (requireNamespace("ggplot2", quietly = TRUE)) {
  diamonds <- as.data.frame(ggplot2::diamonds)
  sets$diamonds <- data.frame(diamonds[c("carat", "depth", "table", "x", "y", "z")],
                              price = diamonds$price)
  names(sets$diamonds) <- c("carat", "total", "table", "length", "width", "height", "y")
}

if (nzchar(data_at)) {
  bean <- utils::read.csv(file.path(data_at, "bean.csv.gz"))[-1]
  sets$bean <- stats::setNames(bean, sub("^x1$", "y", names(bean)))
}
if (nzchar(python)) {
  code <- "from sklearn.datasets import load_diabetes as d; print(d(as_frame=True, scaled=False)"
  lines <- suppressWarnings(system2(python, c("-c", shQuote(paste0(code, ".frame.to_csv())"))),
                                    stdout = TRUE))
  if (length(lines) > 1) {
    diabetes <- utils::read.csv(text = lines)[-1]
    sets$diabetes <- stats::setNames(diabetes, sub("target", "y", names(diabetes)))
  }
}
if (length(arguments) > 1) sets <- sets[arguments[-1]]

timed <- function(fit, ...) {
  calls <- list()
  repeat {
    time <- system.time(value <- fit(...))
    search <- if (inherits(value, "contree")) value$elapsed else NA
    calls <- c(calls, list(c(time[[1]], time[[3]], search)))
    if (length(calls) == 11 || (length(calls) == 1 && time[[3]] >= 0.1)) break
  }
  middle <- apply(do.call(rbind, calls), 2, stats::median)
  list(value = value, seconds = middle[1], clock = middle[2], search = middle[3])
}

r_squared <- function(y, prediction) 1 - sum((y - prediction)^2) / sum((y - mean(y))^2)

fits <- list(
  contree = function(data, depth, least, threads = 1) {
    contree(y ~ ., data, depth = depth, minbucket = least, threads = threads, time_limit = 600)
  },
  rpart = function(data, depth, least, threads) {
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
note <- function(set, depth, method, seconds, r2, clock = NA, search = NA, held_out = NA,
                 status = "") {
  row <- data.frame(set = set, rows = nrow(sets[[set]]), columns = ncol(sets[[set]]) - 1,
                    depth = depth, method = method, seconds = seconds, clock = clock,
                    search = search, r2 = r2, held_out = held_out, status = status)
  rows[[length(rows) + 1]] <<- row
  cat(sprintf("%-12s %d  %-9s %9.3f s  %9.3f s  %9.4f s  R2 %.4f  held out %.4f  %s\n", set, depth,
              method, seconds, clock, search, r2, held_out, status))
}

run <- function(set, depth) {
  data <- sets[[set]]
  for (method in names(fits)) {
    found <- timed(fits[[method]], data, depth, 1, 1)
    y <- stats::predict(found$value, data)
    small <- depth < 4 && nrow(data) < 6e4
    note(set, depth, method, found$seconds, r_squared(data$y, y), found$clock,
         found$search,
         if (small) held_out(fits[[method]], data, depth) else NA,
         if (method == "contree") found$value$status else "")
    if (method == "rpart" || found$clock < 1) next
    found <- timed(fits[[method]], data, depth, 1, 2)
    note(set, depth, "2 threads", found$seconds, r_squared(data$y, y), found$clock,
         found$search, status = found$value$status)
  }
  if (nzchar(python) && nrow(data) <= 1000 && depth < 4) {
    found <- streed(data, depth)
    note(set, depth, "streed", found[1], found[2],
         status = if (found[3] == 1) "optimal" else "time limit")
  }
}

for (set in names(sets)) for (depth in 2:4) {
  if (depth == 4 && nrow(sets[[set]]) > 1000) next
  run(set, depth)
}
results <- do.call(rbind, rows)
at <- "bench/results/regression.csv"
if (length(arguments) > 1 && file.exists(at)) {
  before <- utils::read.csv(at)
  results <- rbind(before[!before$set %in% names(sets), ], results)
}
utils::write.csv(results, at, row.names = FALSE)
