# Where the time of contree(Species ~ ., iris, depth = 3) goes: parts of the median call, in
# milliseconds.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

fit <- function() contree::contree(Species ~ ., iris, depth = 3)

# Shares of the call by the functions of the package that do a part of it, from R's sampling
# profiler. C is separate: the search knows its own seconds.
profile_shares <- function(calls) {
  log <- tempfile()
  utils::Rprof(log, interval = 0.001)
  for (i in seq_len(calls)) fit()
  utils::Rprof(NULL)
  total <- utils::summaryRprof(log)$by.total
  share <- function(name) sum(total[paste0("\"", name, "\""), "total.pct"], na.rm = TRUE) / 100
  c("settings" = share("collect_settings"), "reading the data" = share("read_data"),
    "making the fit" = share("new_contree"))
}

settings <- bench_settings()
path <- record_start(settings, "call")
for (i in 1:20) fit()
runs <- replicate(if (settings$quick) 200 else 1000, {
  call <- timed(fit())
  c(call$seconds, call$value$elapsed)
})
call <- stats::median(runs[1, ])
search <- stats::median(runs[2, ])
parts <- call * profile_shares(if (settings$quick) 500 else 3000)
rest <- call - search - sum(parts)
parts <- c("whole call" = call, "search in C" = search, parts, "all else in R" = rest)
unlink(path)
for (name in names(parts)) {
  record(path, list(part = name, milliseconds = round(1000 * parts[[name]], 3)))
}
