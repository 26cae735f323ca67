# Result files: CSV, to which each measurement is appended at once, so that what an interrupted run
# has measured stays.

record_path <- function(settings, part) file.path(settings$out, paste0(part, ".csv"))

# Begins a part: without RESUME its old results go.
record_start <- function(settings, part) {
  path <- record_path(settings, part)
  if (!settings$resume) unlink(path)
  path
}

record <- function(path, row) {
  row <- as.data.frame(row, stringsAsFactors = FALSE)
  seconds <- vapply(row, is.double, NA)
  row[seconds] <- lapply(row[seconds], signif, 7)
  exists <- file.exists(path)
  utils::write.table(row, path, append = exists, sep = ",", row.names = FALSE, col.names = !exists,
                     qmethod = "double")
}

read_record <- function(settings, part) {
  path <- record_path(settings, part)
  if (file.exists(path)) utils::read.csv(path)
}

# How many rows of the file agree with `key`, a list of column values, and what was planned for that
# case (NULL: nothing).
recorded_runs <- function(path, key) {
  if (!file.exists(path)) return(list(n = 0))
  rows <- utils::read.csv(path)
  for (name in names(key)) rows <- rows[rows[[name]] == key[[name]], ]
  list(n = nrow(rows),
       plan = if (nrow(rows) && "runs" %in% names(rows)) as.list(rows[1, c("runs", "peer_runs")]))
}
