# Checkpoints of searches in parts: the state (exact-parts.R) in a file, from which another call
# with the same data and settings goes on.

checkpoint_format <- 3L

# Settings that make another search of it.
checkpoint_settings <- c("depth", "complexity", "max_gap", "max_thresholds", "minbucket",
                         "min_n", "any_of_ties")

check_checkpoint <- function(path) {
  if (is.null(path)) return(NULL)
  if (!is.character(path) || length(path) != 1 || is.na(path) || !nzchar(path)) {
    stop_input("checkpoint", gettextf("'checkpoint' must be the name of a file or NULL, not %s",
                                      show_value(path)))
  }
  if (dir.exists(path) || !dir.exists(dirname(path))) {
    stop_input("checkpoint", gettextf("'checkpoint' must be a file in a folder that there is: %s",
                                      show_value(path)))
  }
  path
}

# The state to go on from: a new one where there is no file.
read_checkpoint <- function(path, hash, control) {
  if (is.null(path) || !file.exists(path)) return(new_state())
  kept <- read_checkpoint_file(path, checkpoint_format, hash, control[checkpoint_settings])
  kept$state$stopped <- NULL
  kept$state
}

# list(format, hash, settings, state), if it is of these.
read_checkpoint_file <- function(path, format, hash, settings) {
  kept <- tryCatch(readRDS(path), error = function(problem) NULL)
  if (!is.list(kept) || !identical(kept$format, format)) {
    stop_input("checkpoint", gettextf(
      "the file %s is not a checkpoint of this version; name another file", show_value(path)))
  }
  if (!identical(kept$hash, hash)) {
    stop_input("checkpoint", gettextf(
      "the checkpoint %s is of other data; name another file", show_value(path)))
  }
  other <- names(settings)[!mapply(identical, kept$settings[names(settings)], settings)]
  if (length(other)) {
    stop_input("checkpoint", gettextf(
      "the checkpoint %s is of a search with another %s; name another file", show_value(path),
      paste0("'", other, "'", collapse = ", ")))
  }
  kept
}

# A function of the state, and of whether it must be written; else it is written now and then, so
# that writing takes a twentieth of the time at most.
new_checkpoint <- function(path, hash, control) {
  if (is.null(path)) return(function(state, now) NULL)
  after <- 0
  function(state, now) {
    begin <- proc.time()[["elapsed"]]
    if (!now && begin < after) return(invisible())
    state$solved$where <- NULL
    write_checkpoint_file(path, list(format = checkpoint_format, hash = hash,
                                     settings = control[checkpoint_settings], state = state))
    end <- proc.time()[["elapsed"]]
    after <<- end + 20 * (end - begin)
  }
}

# The file is whole at every moment.
write_checkpoint_file <- function(path, kept) {
  part <- tempfile(".contree-", dirname(path))
  on.exit(unlink(part))
  saveRDS(kept, part)
  if (!file.rename(part, path)) {
    stop_input("checkpoint", gettextf("'checkpoint' cannot be written: %s", show_value(path)))
  }
}
