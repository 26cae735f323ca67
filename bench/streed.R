# A further opinion: optimal trees over binarised features, from pystreed, on the smaller data sets
# at depths 2 and 3.
#
# Its binariser makes at most 20 features of each column: `column <= q` for the quantiles q = 1/21
# ... 20/21. The fewest errors among trees of such splits cannot be below contree's optimum, which
# chooses among all thresholds.
#
# With STREED_SETS=DIR also on the binary sets in that folder, NAME.csv.gz as the others, at depths
# 3 to 5, beside contree() on one thread (results/streed_binary.csv), in processor seconds: there
# errors are the same. `any` is contree() with `smallest = FALSE`, which asks what pystreed asks.
# What takes long runs once, the others three times. At depths 3 and 4 also with a made response,
# sums of a fifth of the columns with noise, in three decimals, and leaves of any size (`minbucket =
# 1`; results/streed_numbers.csv): squared errors must not be above those of pystreed. With
# STREED_AIRFOIL=FILE also on that file of STreeD's, data/regression/airfoil.csv in its repository,
# whose response is real and comes first.
#
# The data sets with their columns cut at quantiles into a few values
# (results/streed_quantiles.csv): pystreed gets each threshold as a column of 0 and 1; `scans` is
# contree() without counts. Those of 20 values have made responses, too. STREED_ONLY=binary,
# quantiles or numbers leaves out the others.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

thresholds <- 20
most_rows <- 6500

settings <- bench_settings()
only <- Sys.getenv("STREED_ONLY")
wanted <- function(part) !is.null(peer) && only %in% c("", part)
data_sets <- data_cases(settings, depths = 2:3)
data_sets <- data_sets[data_sets$rows <= most_rows & data_sets$depth <= 3, ]
peer <- peer_start("pystreed")

cases <- data_sets
path <- if (wanted("binariser")) record_start(settings, "streed")
for (i in if (wanted("binariser")) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- list(data = case$data, depth = case$depth)
  if (recorded_runs(path, key)$n) next
  peer_load(peer, data_path(case$data))
  limit <- min(settings$limit, if (settings$quick) 20)
  runs <- replicate(if (settings$quick) 1 else 3,
                    peer_ask(peer, "pystreed", case$depth, thresholds, limit))
  record(path, c(key, list(thresholds = thresholds, binary_features = as.numeric(runs[4, 1]),
                           errors = as.numeric(runs[2, 1]),
                           seconds = stats::median(as.numeric(runs[1, ])), status = runs[3, 1])))
}

# ---- binary sets ----

# Of several runs the one of the least processor time.
best_of <- function(run) {
  runs <- list(run())
  if (runs[[1]]$cpu < 0.5) runs[2:3] <- list(run(), run())
  runs[[which.min(vapply(runs, `[[`, 0, "cpu"))]]
}

time_pystreed <- function(depth) {
  best_of(function() {
    said <- peer_ask(peer, "pystreed", depth, thresholds, settings$limit)
    list(cpu = as.numeric(said[5]), errors = as.numeric(said[2]), status = said[3])
  })
}

binary_sets <- list.files(Sys.getenv("STREED_SETS", "/nowhere"), "[.]csv[.]gz$", full.names = TRUE)
binary_sets <- binary_sets[!grepl("reference", binary_sets)]
path <- if (wanted("binary")) record_start(settings, "streed_binary")
cases <- expand.grid(file = binary_sets, depth = 3:5, stringsAsFactors = FALSE)
for (i in if (wanted("binary")) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- list(data = paste0("binary/", sub("[.]csv[.]gz$", "", basename(case$file))),
              depth = case$depth)
  if (recorded_runs(path, key)$n) next
  peer_load(peer, case$file)
  data <- utils::read.csv(case$file)
  data$class <- factor(data$class)
  runs <- time_pystreed(case$depth)
  own <- best_of(function() time_contree(data, case$depth, settings$limit))
  any <- best_of(function() time_contree(data, case$depth, settings$limit, smallest = FALSE))
  record(path, c(key, list(errors = runs$errors, status = runs$status, cpu = runs$cpu,
                           contree_errors = own$errors, contree_status = own$status,
                           contree_cpu = own$cpu, contree_leaves = own$leaves,
                           any_errors = any$errors, any_status = any$status, any_cpu = any$cpu,
                           any_leaves = any$leaves)))
}

# ---- columns cut at quantiles ----

# Each column as the number of its part, of about equally many rows each.
cut_columns <- function(columns, values) {
  as.data.frame(lapply(columns, function(x) {
    cuts <- unique(stats::quantile(x, seq_len(values - 1) / values, names = FALSE))
    findInterval(x, cuts)
  }))
}

# Each threshold as a column of 0 and 1.
tests_of <- function(columns) {
  as.data.frame(do.call(cbind, lapply(columns, function(x) {
    outer(x, sort(unique(x))[-1], `>=`) + 0L
  })))
}

write_tests <- function(class, columns) {
  file <- tempfile("tests", fileext = ".csv")
  utils::write.csv(data.frame(class = as.integer(factor(class)) - 1L, tests_of(columns)), file,
                   row.names = FALSE)
  file
}

without_counts <- function(run) {
  old <- options(contree.switches = "triples")
  on.exit(options(old))
  run()
}

path <- if (wanted("quantiles")) record_start(settings, "streed_quantiles")
cases <- expand.grid(data = unique(data_sets$data), depth = 3:4, values = c(4, 12, 20),
                     stringsAsFactors = FALSE)
for (i in if (wanted("quantiles")) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- as.list(case)
  if (recorded_runs(path, key)$n) next
  data <- utils::read.csv(data_path(case$data))
  columns <- cut_columns(data[setdiff(names(data), "class")], case$values)
  file <- write_tests(data$class, columns)
  peer_load(peer, file)
  data <- data.frame(columns, class = factor(data$class))
  runs <- time_pystreed(case$depth)
  own <- best_of(function() time_contree(data, case$depth, settings$limit))
  scans <- without_counts(function() {
    best_of(function() time_contree(data, case$depth, settings$limit))
  })
  record(path, c(key, list(tests = ncol(tests_of(columns)), errors = runs$errors,
                           status = runs$status, cpu = runs$cpu, contree_errors = own$errors,
                           contree_status = own$status, contree_cpu = own$cpu,
                           scans_status = scans$status, scans_cpu = scans$cpu)))
  unlink(file)
}

# ---- made responses on the same columns ----

make_response <- function(columns) {
  set.seed(nrow(columns) * 1000 + ncol(columns))
  some <- sample(ncol(columns), max(2, ceiling(ncol(columns) / 5)))
  as.vector(round(columns[, some] %*% stats::rnorm(length(some)) + stats::rnorm(nrow(columns)), 3))
}

time_numbers <- function(data, depth, limit) {
  cpu <- processor_seconds()
  fit <- suppressWarnings(contree::contree(y ~ ., data, depth = depth, minbucket = 1, threads = 1,
                                           time_limit = limit), classes = "contree_stopped")
  list(cpu = processor_seconds() - cpu, sse = fit$objective, status = fit$status)
}

compare_numbers <- function(key, file, columns, y) {
  if (recorded_runs(path, key)$n) return()
  peer_load(peer, file)
  responses <- tempfile("responses")
  on.exit(unlink(responses))
  writeLines(format(y, digits = 15), responses)
  runs <- best_of(function() {
    said <- as.numeric(peer_ask(peer, "pystreed_numbers", responses, key$depth, settings$limit))
    list(cpu = said[1], sse = said[2])
  })
  own <- best_of(function() time_numbers(data.frame(columns, y = y), key$depth, settings$limit))
  record(path, c(key, list(sse = runs$sse, cpu = runs$cpu, contree_sse = own$sse,
                           contree_status = own$status, contree_cpu = own$cpu)))
}

path <- if (wanted("numbers")) record_start(settings, "streed_numbers")
cases <- expand.grid(file = binary_sets, depth = 3:4, stringsAsFactors = FALSE)
for (i in if (wanted("numbers")) seq_len(nrow(cases))) {
  case <- cases[i, ]
  data <- utils::read.csv(case$file)
  columns <- data[setdiff(names(data), "class")]
  compare_numbers(list(data = paste0("binary/", sub("[.]csv[.]gz$", "", basename(case$file))),
                       depth = case$depth),
                  case$file, columns, make_response(as.matrix(columns)))
}

for (name in if (wanted("numbers")) unique(data_sets$data)) {
  data <- utils::read.csv(data_path(name))
  columns <- cut_columns(data[setdiff(names(data), "class")], 20)
  file <- write_tests(data$class, columns)
  compare_numbers(list(data = paste0("20 values/", name), depth = 3), file, columns,
                  make_response(as.matrix(columns)))
  unlink(file)
}

if (wanted("numbers") && nzchar(Sys.getenv("STREED_AIRFOIL"))) {
  data <- utils::read.table(Sys.getenv("STREED_AIRFOIL"))
  file <- tempfile("airfoil", fileext = ".csv")
  utils::write.csv(data.frame(class = 0, data[-1]), file, row.names = FALSE)
  for (depth in 3:5)
    compare_numbers(list(data = "airfoil", depth = depth), file, data[-1], data[[1]])
  unlink(file)
}
peer_stop(peer)
