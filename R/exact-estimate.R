# contree_estimate(): what a search will take, from searches of parts of the rows.
#
# The time of a search grows with the rows about as a power of them, whose exponent depends on the
# depth more than on anything else that can be known before. Parts of the rows are searched, each
# twice as large as the one before, until time is up; the last one is extrapolated. The exponents
# are those of bench/estimate.R, which also says how far off the estimates are.

#' Estimate the time and memory of a search
#'
#' Estimates what `contree()` would take to prove a tree optimal, from searches of samples of the
#' rows that take a few seconds. On the benchmark of the package nine of ten estimates are within a
#' factor of five of the actual time; where the samples are not informative enough, no estimate is
#' given.
#'
#' @section Method:
#' Samples of 300, 600, 1,200, ... rows, evenly spaced in the data, are searched with the given
#' settings until `seconds` are used up. If all rows are reached, the estimate is the time of that
#' search. Otherwise the time of the largest sample is multiplied by a power of the ratio of the
#' numbers of rows, with the exponent that is typical of the depth: 1.1 up to depth 3, 1.7 at depth
#' 4.
#'
#' No estimate is given if fewer than 300 rows could be searched, if the largest sample is fitted
#' without an error (such searches say little about others), if it has less than a hundredth of the
#' rows, or for depths above 4.
#'
#' The memory is computed by the formula in the section on memory of [contree_control()].
#'
#' @inheritParams contree
#' @param depth Maximum number of splits between the root and a leaf, a whole number; 3 by default.
#' @param seconds Time to spend on the estimate in seconds, a number above 0; 2 by default.
#' @param ... Settings of [contree_control()]. `time_limit`, `start`, `certificate` and those of the
#'   progress reports have no effect. Not used by `print()`.
#' @return A list of class `contree_estimate`: `seconds` (the estimate, `NA` if there is none),
#'   `range` (numeric, `low` and `high`: a fifth of the estimate and five times the estimate),
#'   `at_least` (seconds that the search takes at least, as far as is known), `measured` (logical:
#'   were all rows searched?), `reason` (why there is no estimate, else `NA`), `memory` (bytes),
#'   `pilots` (data frame with one row for each sample: `rows`, `seconds`, `errors`, `status`),
#'   `rows`, `depth` and `threads`. It has a `print()` method.
#' @section Errors:
#' As for [contree()].
#' @seealso `vignette("feasible")`; `time_limit` in [contree_control()] for searches that take too
#'   long.
#' @examples
#' contree_estimate(Species ~ ., iris, depth = 3)
#' @export
contree_estimate <- function(x, ...) UseMethod("contree_estimate")

#' @rdname contree_estimate
#' @export
contree_estimate.formula <- function(formula, data, weights, subset, na.action, depth = 3,
                                     seconds = 2, loss = NULL, class_weights = NULL, ...,
                                     control = contree_control(...)) {
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth)
  frame <- formula_frame(formula, if (!missing(data)) data,
                         if (!missing(weights)) substitute(weights),
                         if (!missing(subset)) substitute(subset),
                         if (!missing(na.action)) na.action, loss, class_weights, settings)
  estimate_search(frame, settings, seconds)
}

#' @rdname contree_estimate
#' @export
contree_estimate.default <- function(x, y, weights = NULL, depth = 3, seconds = 2, loss = NULL,
                                     class_weights = NULL, ..., control = contree_control(...)) {
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), contree_estimate.formula), parent.frame()))
  }
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth)
  check_both_given(x, y)
  estimate_search(xy_frame(x, y, weights, loss, class_weights, settings), settings, seconds)
}

# ---- the parts -----------------------------------------------------------------------------------

# Rows of the first part, and of the smallest whose time says anything.
first_part <- 300

estimate_search <- function(frame, settings, seconds) {
  check_seconds("seconds", seconds)
  settings <- settle_settings(settings, frame)
  settings[c("start", "progress")] <- list(NULL, NULL)
  settings[c("certificate", "conformal")] <- 0
  settings$verbose <- FALSE
  settings$model <- FALSE
  settings$on_interrupt <- "error"
  pilots <- search_parts(frame, settings, seconds)
  n <- length(frame$response)
  structure(c(extrapolate(pilots, n, settings$depth),
              list(memory = search_memory(new_problem(frame, settings), settings),
                   pilots = pilots, rows = n, depth = settings$depth,
                   threads = threads_to_use(settings$threads))),
            class = "contree_estimate")
}

# One row a part, the last of which may have been stopped.
search_parts <- function(frame, settings, seconds) {
  n <- length(frame$response)
  # in steps of the golden ratio, so that the first k are spread evenly for any k
  spread <- order((seq_len(n) * 0.6180339887498949) %% 1)
  pilots <- NULL
  size <- min(n, first_part)
  repeat {
    settings$time_limit <- seconds - sum(pilots$seconds)
    if (settings$time_limit <= 0) return(pilots)
    rows <- sort(spread[seq_len(size)])
    fit <- fit_quietly(rows_of_frame(frame, rows), settings[c("depth", "complexity")], settings,
                       quote(contree()))
    proof <- tree_proof(fit)
    pilots <- rbind(pilots, data.frame(rows = size, seconds = proof$elapsed,
                                       errors = proof$objective, status = proof$status))
    if (size == n || was_stopped(fit)) return(pilots)
    size <- min(n, 2 * size)
  }
}

# By the power of the ratio of rows that is usual at a depth.
usual_power <- function(depth) if (depth <= 3) 1.1 else 1.7
deepest_known <- 4
largest_ratio <- 100
usual_factor <- 5

extrapolate <- function(pilots, n, depth) {
  done <- !pilots$status %in% names(stopped_kind)
  last <- pilots[sum(done), ]
  at_least <- max(0, pilots$seconds)
  answer <- function(seconds, reason = NA_character_, measured = FALSE) {
    width <- if (measured) 1 else usual_factor
    list(seconds = seconds, range = c(low = max(at_least, seconds / width),
                                      high = seconds * width),
         at_least = at_least, measured = measured, reason = reason)
  }
  if (!any(done)) {
    return(answer(NA_real_, gettextf("%d rows alone take more than %s s", pilots$rows[1],
                                     format(signif(at_least, 2)))))
  }
  if (last$rows == n) return(answer(last$seconds, measured = TRUE))
  reason <- if (depth > deepest_known) {
    gettextf("searches of depth %d are too different from each other", depth)
  } else if (last$errors == 0) {
    gettextf("%d rows are fitted without an error, which all rows may not be", last$rows)
  } else if (n > largest_ratio * last$rows) {
    gettextf("only %d of %s rows could be searched", last$rows, format(n, big.mark = ","))
  }
  if (!is.null(reason)) return(answer(NA_real_, reason))
  answer(max(at_least, last$seconds * (n / last$rows)^usual_power(depth)))
}

# ---- memory --------------------------------------------------------------------------------------

# The formula of contree_control()'s help page.
search_memory <- function(problem, settings) {
  columns <- searched_columns(problem)
  columns <- if (is.matrix(columns)) asplit(columns, 2) else columns
  n <- length(problem$codes)
  n_columns <- length(columns)
  classes <- problem$n_classes
  depth <- settings$depth
  gib <- 2^30
  bits <- log2(max(2, mean(vapply(columns, function(column) length(unique(column)), 0L))))
  planes <- n_columns^2 * n * bits / 8
  if (planes > gib) planes <- n_columns * n * bits / 8 + min(planes, gib) * max(0, depth - 1)
  bytes <- n_columns * n * (4 + 0.1 * classes + depth * (0.3 * classes + 0.1)) + planes
  if (depth >= 4) bytes <- 1.5 * bytes
  if (!is.null(problem$frame$weights)) {
    bytes <- bytes + n_columns * n * (10 + 0.2 * classes * depth)
  }
  bytes
}

# ---- in words ------------------------------------------------------------------------------------

#' @rdname contree_estimate
#' @export
print.contree_estimate <- function(x, ...) {
  last <- x$pilots[nrow(x$pilots), ]
  cat(gettextf("Search of depth %d, %s rows, %d threads", x$depth, format(x$rows, big.mark = ","),
               x$threads), "\n", sep = "")
  if (is.na(x$seconds)) {
    cat(gettextf("Time: cannot tell (%s); at least %s", x$reason, duration_text(x$at_least)), "\n",
        sep = "")
  } else if (x$measured) {
    cat(gettextf("Time: %s (all rows were searched)", duration_text(x$seconds)), "\n", sep = "")
  } else {
    cat(gettextf("Time: about %s (%s to %s), from %s rows", duration_text(x$seconds),
                 duration_text(x$range[["low"]]), duration_text(x$range[["high"]]),
                 format(last$rows, big.mark = ",")), "\n", sep = "")
  }
  cat(gettextf("Memory: about %s beyond the data", bytes_text(x$memory)), "\n", sep = "")
  invisible(x)
}

duration_text <- function(seconds) {
  unit <- c(s = 1, min = 60, hours = 3600, days = 86400)
  at <- max(1, sum(seconds >= 2 * unit))
  if (seconds < 0.1) return("less than 0.1 s")
  paste(format(signif(seconds / unit[[at]], 2)), names(unit)[at])
}
