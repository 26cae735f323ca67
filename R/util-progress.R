# Who is told of the progress of a search. A listener is a list of two functions: `show`, called
# with the state of the search, and `end`, called once when it is over. State: list(elapsed, cost,
# bound, gap, closed).

# The clock of limits and progress, here and in C. Tests make it count (ffi_count_time).
seconds_now <- function() .Call(ffi_seconds)

# All listeners of a search: list(report, end). `report` is what C calls, a few times a second; NULL
# if nobody listens.
new_listener <- function(settings) {
  audience <- new_audience(settings, state_text)
  report <- function(elapsed, cost, bound, closed) {
    audience$show(list(elapsed = elapsed, cost = cost, bound = bound, gap = cost - bound,
                       closed = closed))
  }
  list(report = if (audience$listens) report, end = audience$end)
}

# Everybody who is told: list(listens, show, end). `text` makes a line of a state, which has at
# least `elapsed` and `closed`.
new_audience <- function(settings, text) {
  hook <- progress_hook(settings$progress, text)
  line <- if (wants_line(settings$verbose, elsewhere = !is.null(hook))) line_listener(text)
  listeners <- list(line, hook)[c(!is.null(line), !is.null(hook))]
  list(listens = length(listeners) > 0,
       show = function(state) for (listener in listeners) listener$show(state),
       end = function() for (listener in listeners) listener$end())
}

# ---- the line ------------------------------------------------------------------------------------

# Shorter searches say nothing.
line_after <- 1

wants_line <- function(verbose, elsewhere) {
  if (is.null(verbose)) verbose <- getOption("contree.verbose")
  if (!is.null(verbose)) return(check_flag("verbose", verbose))
  interactive() && !isTRUE(getOption("knitr.in.progress")) && !elsewhere
}

# One line on stderr that is written over again and again, and cleared in the end.
line_listener <- function(text) {
  width <- 0
  write <- function(line) {
    cat("\r", formatC(line, width = -width), "\r", line, sep = "", file = stderr())
    width <<- nchar(line)
  }
  list(
    show = function(state)
      if (state$elapsed >= line_after) write(substr(text(state), 1, getOption("width") - 1)),
    end = function() if (width > 0) write(""))
}

# "contree: 12 s, best 33, bound 25, gap 8, 41% closed"
state_text <- function(state) {
  shown <- cost_text(c(state$cost, state$bound), 6)
  gettextf("contree: %.0f s, best %s, bound %s, gap %s, %.0f%% of root thresholds closed",
           state$elapsed, shown[1], shown[2], cost_text(state$gap, 6), 100 * state$closed)
}

# ---- functions and progressr ---------------------------------------------------------------------

check_progress <- function(progress) {
  if (is.null(progress) || is.function(progress)) return(progress)
  if (!identical(progress, "progressr")) {
    stop_input("progress", gettextf(
      "'progress' must be a function of one argument, \"progressr\" or NULL, not %s",
      show_value(progress)))
  }
  if (!requireNamespace("progressr", quietly = TRUE)) {
    stop_input("progress", gettext(
      "progress = \"progressr\" needs the package 'progressr'; install it, or give a function"))
  }
  progress
}

progress_hook <- function(progress, text) {
  if (is.function(progress)) return(list(show = function(state) progress(state),
                                         end = function() NULL))
  if (identical(progress, "progressr") || progressr_listens()) progressr_listener(text)
}

# Does anyone show what progressr is told? Its package is not loaded to find out.
progressr_listens <- function() {
  if (!isNamespaceLoaded("progressr")) return(FALSE)
  within <- function(frame) identical(sys.function(frame), progressr::with_progress)
  isTRUE(progressr::handlers(global = NA)) || any(vapply(seq_len(sys.nframe()), within, NA))
}

# A bar of 100 steps, made when there is something to show.
progressr_listener <- function(text) {
  bar <- NULL
  done <- 0
  show <- function(state) {
    if (is.null(bar)) bar <<- progressr::progressor(steps = 100, auto_finish = FALSE,
                                                    on_exit = FALSE)
    now <- max(done, floor(100 * state$closed), na.rm = TRUE)
    bar(text(state), amount = now - done)
    done <<- now
  }
  list(show = show, end = function() if (!is.null(bar)) bar(type = "finish"))
}
