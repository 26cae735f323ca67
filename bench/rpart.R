# The greedy trees of rpart at the same depth: how many errors the optimum saves, and what it costs.
#
# rpart grows as far as the depth lets it (cp = 0, minsplit = 2), without the parts of its work that
# contree has no use for: cross-validation, surrogate and competing splits.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

time_rpart <- function(data, depth) {
  control <- rpart::rpart.control(maxdepth = depth, cp = 0, minsplit = 2, xval = 0,
                                  maxsurrogate = 0, maxcompete = 0)
  call <- timed(rpart::rpart(class ~ ., data, method = "class", control = control))
  list(seconds = call$seconds,
       errors = sum(predict(call$value, data, type = "class") != data$class))
}

settings <- bench_settings()
cases <- data_cases(settings)
path <- record_start(settings, "rpart")
if (!requireNamespace("rpart", quietly = TRUE)) {
  message("bench: rpart is not there; its runs are left out")
  cases <- NULL
}
for (i in seq_len(NROW(cases))) {
  case <- cases[i, ]
  key <- list(data = case$data, depth = case$depth)
  if (recorded_runs(path, key)$n) next
  data <- read_data_set(case$data)
  runs <- replicate(if (settings$quick) 3 else 7, time_rpart(data, case$depth), simplify = FALSE)
  record(path, c(key, list(errors = runs[[1]]$errors,
                           seconds = stats::median(vapply(runs, `[[`, 0, "seconds")))))
}
