# Predictions inside DuckDB, by the SQL of as_sql(), beside predict() in R: are they the same, and
# which takes how long? A million rows, one thread.
#
#     CONTREE_DATA=folder PYTHON=python Rscript bench/sql.R      # OUT, QUICK: see run.sh
#
# PYTHON has duckdb and numpy. Writes bench/results/sql.csv; `different`: rows whose predictions are
# not the same to the last bit; `largest`: the largest difference of numbers.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)
library(contree)

settings <- bench_settings()
rows <- if (settings$quick) 1e4 else 1e6
python <- Sys.getenv("PYTHON", "build/bench-venv/bin/python")

write_table <- function(data, folder) {
  kinds <- ifelse(vapply(data, is.numeric, NA), "number", "text")
  writeLines(paste(names(data), kinds, sep = "\t"), file.path(folder, "columns"))
  for (i in seq_along(data)) {
    path <- file.path(folder, i)
    if (kinds[i] == "number") {
      writeBin(replace(as.double(data[[i]]), is.na(data[[i]]), NaN), path)
    } else {
      writeLines(ifelse(is.na(data[[i]]), "", as.character(data[[i]])), path)
    }
  }
}

score <- function(fit, data, text) {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  write_table(data, folder)
  writeLines(as_sql(fit), file.path(folder, "expression"))
  said <- system2(python, c("bench/lib/duckdb_score.py", folder), stdout = TRUE)
  said <- strsplit(said[length(said)], ";")[[1]]
  path <- file.path(folder, "answer")
  list(version = said[1], seconds = as.numeric(said[2]),
       values = if (text) readLines(path) else readBin(path, "double", nrow(data)))
}

with_missing <- function(data) {
  set.seed(2)
  for (name in setdiff(names(data), c("class", "price"))) {
    data[[name]][stats::runif(nrow(data)) < 0.02] <- NA
  }
  data
}

magic <- with_missing(read_data_set("magic"))
diamonds_like <- function(n) {
  set.seed(3)
  data <- data.frame(carat = round(stats::rlnorm(n, -0.4, 0.6), 2),
                     cut = factor(sample(c("fair", "good", "ideal"), n, TRUE)),
                     depth = round(stats::rnorm(n, 61.7, 1.4), 1))
  data$price <- 4000 * data$carat^1.5 + 500 * as.integer(data$cut) + stats::rnorm(n, 0, 300)
  with_missing(data)
}
prices <- diamonds_like(20000)

models <- list(
  "contree(), depth 3, classes" = function() contree(class ~ ., magic, depth = 3, max_gap = 0.05),
  "contree(), depth 3, numbers" = function() contree(price ~ ., prices, depth = 3),
  "gmt()" = function() gmt(price ~ ., prices, seed = 1),
  "hist_forest(), 20 trees of depth 8" = function() {
    forge(hist_forest(price ~ ., prices, trees = 20, depth = 8, seed = 1))
  })
data_of <- list(magic, prices, prices, prices)

out <- record_start(settings, "sql")
for (i in seq_along(models)) {
  fit <- models[[i]]()
  set.seed(4)
  data <- data_of[[i]][sample(nrow(data_of[[i]]), rows, TRUE), ]
  data[c("class", "price")] <- NULL
  rownames(data) <- NULL
  seconds <- replicate(3, system.time(here <<- predict(fit, data))[["elapsed"]])
  if (is.matrix(here)) here <- here[, 1]
  text <- is.factor(here)
  there <- score(fit, data, text)
  here <- if (text) as.character(here) else as.double(here)
  record(out, list(model = names(models)[i], rows = rows, duckdb = there$version,
                   seconds_duckdb = there$seconds, seconds_predict = stats::median(seconds),
                   different = sum(here != there$values),
                   largest = if (text) 0 else max(abs(here - there$values))))
}
print(utils::read.csv(out))
