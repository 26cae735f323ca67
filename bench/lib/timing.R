# Clocks and the number of repeats.

# Seconds of an expression, and its value. proc.time() counts milliseconds only, too coarse for
# small data.
timed <- function(expression) {
  start <- Sys.time()
  value <- force(expression)
  list(value = value, seconds = as.numeric(Sys.time() - start, units = "secs"))
}

# How often to run what took so long the first time: an odd number, so that the median is one of the
# runs.
repeats <- function(first_seconds, settings) {
  n <- floor(settings$repeat_seconds / max(first_seconds, 1e-9))
  n <- max(1, min(settings$most_repeats, n))
  n - (n %% 2 == 0)
}

# Processor time of this process so far, all threads, in milliseconds as R has it.
processor_seconds <- function() sum(proc.time()[c("user.self", "sys.self")])

# contree as users call it, but with as many threads as asked: errors, proof, the seconds of the
# search (as it reports them: ranking of the columns, search and final check) and of the whole call;
# the memory of the process before, and at most during, the call; the processor time of the call.
# The peers have one core, so one thread is what they are compared with. That a search was stopped
# is in the result; no warning is needed.
time_contree <- function(data, depth, limit, response = "class", threads = 1, ...) {
  formula <- stats::as.formula(paste(response, "~ ."))
  before <- restart_peak_memory()
  cpu <- processor_seconds()
  call <- timed(suppressWarnings(contree::contree(formula, data, depth = depth, time_limit = limit,
                                                  threads = threads, ...),
                                 classes = "contree_stopped"))
  cpu <- processor_seconds() - cpu
  fit <- call$value
  list(solver = fit$elapsed, call = call$seconds, errors = fit$objective, bound = fit$bound,
       status = fit$status, simd = fit$simd, mb_before = before, mb_peak = process_memory("VmHWM"),
       cpu = cpu, leaves = (nrow(fit$frame) + 1) / 2, scans = fit$search[["scans"]],
       thresholds = fit$search[["thresholds"]])
}
