# A further opinion: optimal trees over binarised features, from pystreed, on the smaller data sets
# at depths 2 and 3.
#
# Its binariser makes at most 20 features of each column: `column <= q` for the quantiles q = 1/21
# ... 20/21. The fewest errors among trees of such splits cannot be below contree's optimum, which
# chooses among all thresholds.
#
# With STREED_SETS=DIR also on the binary sets in that folder, NAME.csv.gz as the others, at depths
# 3 to 5, beside contree() on one thread (results/streed_binary.csv), in processor seconds: there
# errors are the same. What takes long runs once, the others three times. At depths 3 and 4 also
# with a made response, sums of a fifth of the columns with noise, in three decimals, and leaves of
# any size (`minbucket = 1`; results/streed_numbers.csv): squared errors must not be above those of
# pystreed. With STREED_AIRFOIL=FILE also on that file of STreeD's, airfoil.csv, whose response is
# real and comes first. STREED_ONLY=numbers leaves out all but these.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

thresholds <- 20
most_rows <- 6500

settings <- bench_settings()
numbers_alone <- Sys.getenv("STREED_ONLY") == "numbers"
cases <- data_cases(settings, depths = 2:3)
cases <- cases[cases$rows <= most_rows & cases$depth <= 3 & !numbers_alone, ]
peer <- if (NROW(cases) || numbers_alone) peer_start("pystreed")
path <- if (!numbers_alone) record_start(settings, "streed")

for (i in if (!is.null(peer)) seq_len(nrow(cases))) {
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
  if (runs[[1]]$cpu < 2) runs[2:3] <- list(run(), run())
  runs[[which.min(vapply(runs, `[[`, 0, "cpu"))]]
}

binary_sets <- list.files(Sys.getenv("STREED_SETS", "/nowhere"), "[.]csv[.]gz$", full.names = TRUE)
binary_sets <- binary_sets[!grepl("reference", binary_sets)]
path <- if (!numbers_alone) record_start(settings, "streed_binary")
cases <- expand.grid(file = binary_sets, depth = 3:5, stringsAsFactors = FALSE)
for (i in if (!is.null(peer) && !numbers_alone) seq_len(nrow(cases))) {
  case <- cases[i, ]
  key <- list(data = paste0("binary/", sub("[.]csv[.]gz$", "", basename(case$file))),
              depth = case$depth)
  if (recorded_runs(path, key)$n) next
  peer_load(peer, case$file)
  data <- utils::read.csv(case$file)
  data$class <- factor(data$class)
  runs <- best_of(function() {
    said <- peer_ask(peer, "pystreed", case$depth, thresholds, settings$limit)
    list(cpu = as.numeric(said[5]), errors = as.numeric(said[2]), status = said[3])
  })
  own <- best_of(function() time_contree(data, case$depth, settings$limit))
  record(path, c(key, list(errors = runs$errors, status = runs$status, cpu = runs$cpu,
                           contree_errors = own$errors, contree_status = own$status,
                           contree_cpu = own$cpu, contree_solver = own$solver)))
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

path <- record_start(settings, "streed_numbers")
for (i in if (!is.null(peer)) which(cases$depth < 5)) {
  case <- cases[i, ]
  data <- utils::read.csv(case$file)
  columns <- data[setdiff(names(data), "class")]
  compare_numbers(list(data = paste0("binary/", sub("[.]csv[.]gz$", "", basename(case$file))),
                       depth = case$depth),
                  case$file, columns, make_response(as.matrix(columns)))
}

if (!is.null(peer) && nzchar(Sys.getenv("STREED_AIRFOIL"))) {
  data <- utils::read.table(Sys.getenv("STREED_AIRFOIL"))
  file <- tempfile("airfoil", fileext = ".csv")
  utils::write.csv(data.frame(class = 0, data[-1]), file, row.names = FALSE)
  for (depth in 3:5)
    compare_numbers(list(data = "airfoil", depth = depth), file, data[-1], data[[1]])
  unlink(file)
}
peer_stop(peer)
