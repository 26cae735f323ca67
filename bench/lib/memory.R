# Resident memory of this process in MB, as Linux counts it; NA elsewhere.

# `what` is VmRSS, what the process holds now, or VmHWM, the most it has held.
process_memory <- function(what) {
  if (!file.exists("/proc/self/status")) return(NA_real_)
  line <- grep(paste0("^", what, ":"), readLines("/proc/self/status"), value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

# VmHWM begins anew (Linux does that on a 5 in clear_refs). Returns what is held now.
restart_peak_memory <- function() {
  try(suppressWarnings(cat("5\n", file = "/proc/self/clear_refs")), silent = TRUE)
  process_memory("VmRSS")
}
