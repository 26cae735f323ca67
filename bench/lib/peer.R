# The peers of Python, as a process that lives as long as the measurements and takes turns with R:
# see peer.py.

# NULL where there is no Python or it does not have `module`. `script` is given where to write its
# answers as its last argument.
peer_start <- function(module, script = "bench/lib/peer.py") {
  python <- Sys.getenv("BENCH_PYTHON")
  if (!nzchar(python) ||
      system2(python, c("-c", shQuote(paste("import", module))), stderr = FALSE) != 0) {
    message("bench: ", module, " is not there; its runs are left out")
    return(NULL)
  }
  replies <- tempfile("replies")
  stopifnot(system2("mkfifo", replies) == 0)
  # The shell opens the fifo before Python runs: should Python die, R reads its end instead of
  # waiting for a beginning. It has one thread.
  command <- paste("exec 3>", shQuote(replies), "; OMP_NUM_THREADS=1", shQuote(python),
                   script, "/dev/fd/3 >&2")
  commands <- pipe(command, "w")
  list(commands = commands, replies = fifo(replies, "r", blocking = TRUE))
}

# The fields of the answer.
peer_ask <- function(peer, ...) {
  writeLines(paste(..., sep = "\t"), peer$commands)
  flush(peer$commands)
  answer <- readLines(peer$replies, 1)
  if (!length(answer)) stop("the peer has died")
  strsplit(answer, "\t")[[1]]
}

peer_load <- function(peer, path) if (!is.null(peer)) peer_ask(peer, "load", normalizePath(path))

peer_stop <- function(peer) {
  if (is.null(peer)) return(invisible())
  writeLines("quit", peer$commands)
  close(peer$commands)
  close(peer$replies)
}

# The reference: pycontree's compiled solver, and its fit() as a whole.
time_pycontree <- function(peer, depth, limit) {
  answer <- peer_ask(peer, "pycontree", depth, limit)
  list(solver = as.numeric(answer[1]), call = as.numeric(answer[2]), errors = as.numeric(answer[3]),
       status = answer[4], cpu = as.numeric(answer[5]))
}

not_run <- function(why) {
  list(solver = NA_real_, call = NA_real_, errors = NA_real_, status = why, cpu = NA_real_)
}
