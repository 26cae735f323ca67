# A table of a database as data: seconds and memory of contree(contree_table()), hist_forest(), and
# of contree() on the same rows in a data frame. The table has 10 columns, of 10,000 values or of
# 4, and two classes. Each measurement has a process of its own: the peak of the process is meant.
#
#     Rscript bench/database.R        # ROWS="1e5 1e6 1e7" VALUES="10000 4"; OUT, QUICK: see run.sh
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)
library(contree)

features <- 10L
block <- 1e6

make_database <- function(path, rows, values) {
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  on.exit(DBI::dbDisconnect(con))
  set.seed(1)
  for (first in seq(1, rows, block)) {
    n <- min(block, rows - first + 1)
    x <- as.data.frame(matrix(sample.int(values, n * features, TRUE), n))
    x[1:5] <- x[1:5] / 16 # integers and doubles
    names(x) <- paste0("x", seq_len(features))
    middle <- values / 2
    said <- x$x6 < middle * 0.7 & x$x1 > middle / 12
    x$class <- ifelse(xor(said, stats::runif(n) < 0.1), "a", "b")
    DBI::dbWriteTable(con, "x", x, append = TRUE)
  }
}

# One line of CSV fields on standard output.
measure <- function(path, how, depth) {
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  before <- restart_peak_memory()
  start <- proc.time()[["elapsed"]]
  read <- NA
  data <- if (how == "data frame") DBI::dbReadTable(con, "x") else contree_table(con, "x")
  if (how == "data frame") read <- proc.time()[["elapsed"]] - start
  if (how == "forest") {
    fit <- hist_forest(class ~ ., data, trees = 10, seed = 1, oob = FALSE, threads = 2)
  } else {
    fit <- contree(class ~ ., data, depth = depth, threads = 2, time_limit = 300)
  }
  total <- proc.time()[["elapsed"]] - start
  if (how == "table") read <- total - fit$elapsed
  cat("measured", read, fit$elapsed, total, sum(proc.time()[1:2]), before,
      process_memory("VmHWM"), if (how == "forest") 0 else fit$objective, fit$status, sep = ";")
}

run_one <- function(path, how, depth) {
  lines <- system2(file.path(R.home("bin"), "Rscript"),
                   c("--vanilla", "bench/database.R", path, shQuote(how), depth), stdout = TRUE)
  fields <- strsplit(grep("^measured", lines, value = TRUE), ";")[[1]][-1]
  if (length(fields) != 8) stop("the measurement failed")
  fields
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 3) {
  measure(arguments[1], arguments[2], as.numeric(arguments[3]))
} else {
  settings <- bench_settings()
  out <- record_start(settings, "database")
  numbers_of <- function(name, default) {
    as.numeric(strsplit(Sys.getenv(name, default), " ")[[1]])
  }
  asked <- numbers_of("ROWS", if (settings$quick) "1e4 1e5" else "1e5 1e6 1e7")
  for (rows in asked) for (values in numbers_of("VALUES", "10000 4")) {
    path <- tempfile(fileext = ".sqlite")
    make_database(path, rows, values)
    for (how in c("table", "data frame", "forest")) for (depth in if (how == "forest") 0 else 1:2) {
      fields <- run_one(path, how, depth)
      numbers <- as.numeric(fields[1:7])
      record(out, list(
        rows = rows, features = features, values = values, how = how, depth = depth,
        seconds_read = numbers[1], seconds_search = numbers[2], seconds = numbers[3],
        cpu = numbers[4], mb_before = numbers[5], mb_peak = numbers[6], objective = numbers[7],
        status = fields[8]))
    }
    unlink(path)
  }
}
