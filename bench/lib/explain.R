# Why pycontree's errors may differ from contree's optimum: it takes neighbouring values closer than
# 1e-7 for equal, and keeps values as 32-bit floats. Each reason is tried: contree is fitted to data
# treated in that way.

merge_close <- function(x) {
  values <- sort(unique(x))
  group <- cumsum(c(TRUE, diff(values) >= 1e-7))
  values[match(group, group)][match(x, values)]
}

as_float <- function(x) readBin(writeBin(x, raw(), size = 4), "double", length(x), size = 4)

treatments <- list(
  "the peer merges values closer than 1e-7" = merge_close,
  "the peer keeps values as 32-bit floats" = as_float,
  "the peer does both" = function(x) merge_close(as_float(x)))

# A line on a difference: the first treatment of the data under which contree finds the peer's
# errors.
explain_difference <- function(name, depth, peer_errors) {
  data <- read_data_set(name)
  for (reason in names(treatments)) {
    treated <- data
    treated[-1] <- lapply(data[-1], function(x) treatments[[reason]](as.double(x)))
    if (contree::contree(class ~ ., treated, depth = depth)$objective == peer_errors) {
      return(sprintf("%s (contree finds %g on data treated so)", reason, peer_errors))
    }
  }
  "not explained"
}
