# How many threads a search uses.

#' @rdname contree_info
#' @description
#' `contree_threads()` gets or sets the number of threads that [contree()] uses if its argument
#' `threads` is not given, and that [predict()][predict.contree] uses for large data.
#' @section Number of threads:
#' The number is taken from the first of these that is set: the argument `threads` of `contree()`;
#' `contree_threads()`, which sets the option `contree.threads`; the environment variable
#' `CONTREE_NUM_THREADS`; the option `Ncpus`; otherwise it is 2. For each of them, 0 stands for as
#' many as possible.
#'
#' The number is limited by the environment variables `OMP_THREAD_LIMIT` and `OMP_NUM_THREADS`, by
#' the processors that are available to the process (including the CPU quota of a container), and to
#' two while `R CMD check` limits the cores (`_R_CHECK_LIMIT_CORES_`). A build without OpenMP (see
#' [contree_info()]) uses one thread, and so does a forked child process (`parallel::mclapply()`),
#' since several of them run at once. Small searches use one thread, since they end before others
#' have started. The trees are the same for any number of threads, see [contree()].
#' @param n Number of threads, a whole number; 0 for as many as possible, `NULL` to return to the
#'   default. If it is missing, nothing is changed.
#' @return `contree_threads()`: without `n`, the number of threads that a search uses now. With `n`,
#'   invisibly, the previous setting (`NULL` if there was none), to restore it later.
#' @section Errors:
#' `contree_input_error` from `contree_threads()` if `n` is not a whole number of at least 0.
#' @examples
#' contree_threads()
#' old <- contree_threads(1)
#' contree_threads()
#' contree_threads(old)
#' @export
contree_threads <- function(n) {
  if (missing(n)) return(threads_to_use(NULL))
  old <- options(contree.threads = check_threads("n", n))
  invisible(old$contree.threads)
}

# How many threads a search with this setting is to use.
threads_to_use <- function(threads) {
  if (is_forked()) return(1L)
  if (is.null(threads)) threads <- default_threads()
  if (threads == 1) return(1L)
  most <- most_threads()
  as.integer(if (threads == 0) most else min(threads, most))
}

default_threads <- function() {
  option <- getOption("contree.threads")
  if (!is.null(option)) return(check_threads("contree.threads", option))
  variable <- Sys.getenv("CONTREE_NUM_THREADS")
  if (nzchar(variable)) {
    number <- suppressWarnings(as.numeric(variable))
    return(check_threads("CONTREE_NUM_THREADS", if (is.na(number)) variable else number))
  }
  cpus <- getOption("Ncpus")
  if (is_count(cpus)) cpus else 2
}

# NULL (the default number), or a whole number.
check_threads <- function(name, value) {
  if (is.null(value)) return(NULL)
  range <- setting_table$threads
  if (is_count(value) || (is.numeric(value) && identical(as.numeric(value), 0))) {
    return(as.numeric(value))
  }
  stop_input(name, paste0(setting_message(name, value, range),
                          gettext("; 0 stands for all processors, NULL for the default")))
}

is_count <- function(value) is_scalar(value) && value >= 1 && value == round(value)

# ---- caps ----------------------------------------------------------------------------------------

most_threads <- function() {
  # soon: each predict() asks
  if (!.Call(ffi_threads_limited)) return(as.integer(processors()))
  limits <- Sys.getenv(c("_R_CHECK_LIMIT_CORES_", "OMP_THREAD_LIMIT", "OMP_NUM_THREADS"),
                       names = FALSE)
  limited <- nzchar(limits[1]) && tolower(limits[1]) != "false"
  as.integer(min(processors(), if (limited) 2, openmp_limit(limits[2]), openmp_limit(limits[3])))
}

# The first number of what a variable of OpenMP says, which may have one a level ("4,2"); NULL if it
# sets none.
openmp_limit <- function(value) {
  number <- suppressWarnings(as.numeric(sub(",.*", "", value)))
  if (is_count(number)) number
}

# Processors that this process may use. Asked once a session.
processors <- function() {
  if (is.null(process$processors)) {
    process$processors <- min(.Call(ffi_processors), quota_processors())
  }
  process$processors
}

# How many processors' time the control groups of this process grant it; Inf without a quota. A
# quota of a group holds for the groups in it, so all from the process's own up to the root are
# asked, of which a container may see the root alone.
quota_processors <- function(root = "/sys/fs/cgroup", own = "/proc/self/cgroup") {
  if (!file.exists(own)) return(Inf)
  groups <- regmatches(lines <- readLines(own, warn = FALSE),
                       regexec("^[0-9]+:([^:]*):/(.*)$", lines))
  quota <- Inf
  for (group in groups) {
    controllers <- strsplit(group[2], ",")[[1]]
    if (length(controllers) && !"cpu" %in% controllers) next
    mount <- if (length(controllers)) file.path(root, "cpu") else root
    for (folder in parent_folders(group[3])) {
      quota <- min(quota, folder_quota(file.path(mount, folder)))
    }
  }
  max(1, ceiling(quota))
}

# "a/b/c" gives "a/b/c", "a/b", "a" and ".".
parent_folders <- function(path) {
  parts <- strsplit(path, "/", fixed = TRUE)[[1]]
  c(vapply(rev(seq_along(parts)), function(n) paste(parts[seq_len(n)], collapse = "/"), ""), ".")
}

# The quota of one control group: version 2 has "quota period" or "max period" in one file, version
# 1 has two files, the quota -1 for none.
folder_quota <- function(folder) {
  read <- function(name) {
    path <- file.path(folder, name)
    if (!file.exists(path)) return(NA)
    suppressWarnings(
      as.numeric(strsplit(readLines(path, n = 1, warn = FALSE), " ", fixed = TRUE)[[1]]))
  }
  now <- read("cpu.max")
  if (length(now) < 2) now <- c(read("cpu.cfs_quota_us")[1], read("cpu.cfs_period_us")[1])
  if (anyNA(now) || any(now <= 0)) Inf else now[1] / now[2]
}

# ---- forked children -----------------------------------------------------------------------------

# The process that loaded the package, and what is known of it.
process <- new.env(parent = emptyenv())

note_process <- function() process$id <- Sys.getpid()

# After a fork the threads of the parent are gone while OpenMP still counts on them: a child that
# asked for threads would wait for ever.
is_forked <- function() .Call(ffi_is_forked, process$id)
