# Survival forests: responses of times and events, and what only their forests say. A response is
# the times, with the events (1) as an attribute. Trees are grown from the rows in order of time,
# and of equal times those with an event first; all that leaves this file is in the order of the
# data again.

is_survival <- function(frame) !is.null(attr(frame$response, "status"))

# ---- the response --------------------------------------------------------------------------------

# As read_any_response(), and objects of survival::Surv().
read_forest_response <- function(response, label) {
  if (!inherits(response, "Surv")) return(read_any_response(response, label))
  if (!identical(attr(response, "type"), "right")) {
    stop_unsupported("y", gettextf(
      "the response '%s' is censored in another way than on the right, which no forest knows",
      label))
  }
  values <- unclass(response)
  time <- as.double(values[, "time"])
  status <- as.integer(values[, "status"])
  if (any(bad <- !is.finite(time))) {
    stop_input(label, gettextf("the time of row %d of '%s' is %s, but must be finite",
                               which(bad)[1], label, format(time[bad][1])))
  }
  if (!any(status == 1L)) {
    stop_input(label, gettextf("no row of '%s' has an event; there is nothing to learn", label))
  }
  structure(time, status = status)
}

# Rows in order of time, those with an event first.
survival_order <- function(y) order(as.double(y), -attr(y, "status"))

event_times <- function(y) sort(unique(as.double(y)[attr(y, "status") == 1L]))

# As C takes them, see ct_hist_data: in the order of the rows as they are.
survival_codes <- function(y) {
  2L * findInterval(as.double(y), event_times(y)) + (attr(y, "status") == 0L)
}

# The frame with log-rank scores for a response, by the means of which levels are ordered.
with_scores <- function(frame) {
  y <- frame$response
  order <- survival_order(y)
  code <- survival_codes(y)[order]
  at_risk <- length(y) + 1L - match(code %/% 2L, code %/% 2L)
  hazard <- cumsum((code %% 2L == 0L) / at_risk)
  last <- length(code) + 1L - match(code %/% 2L, rev(code %/% 2L))
  scores <- numeric(length(y))
  scores[order] <- (code %% 2L == 0L) - hazard[last]
  frame$response <- scores
  frame
}

# ---- growing -------------------------------------------------------------------------------------

check_survival_settings <- function(frame, settings) {
  if (settings$importance == "permutation") {
    stop_unsupported("importance", gettext(paste(
      "survival forests have importance = \"impurity\", \"corrected\" or \"none\",",
      "not \"permutation\"")))
  }
  if (!is.null(settings$learner)) {
    stop_unsupported("learner", gettext("learners are for classes, but the response is survival"))
  }
}

control_of_survival <- function(control, y) {
  order <- survival_order(y)
  control$survival <- survival_codes(y)[order]
  control$n_times <- length(event_times(y))
  control$ranks <- seq_along(order) - 1L
  if (!is.null(control$sampling)) control$sampling <- control$sampling[order]
  if (!is.null(control$inbag)) control$inbag <- lapply(control$inbag, function(own) own[order])
  control
}

in_order_of_rows <- function(grown, y) {
  order <- survival_order(y)
  if (!is.null(grown$oob_sums)) grown$oob_sums[order] <- grown$oob_sums
  if (!is.null(grown$oob_trees)) grown$oob_trees[order] <- grown$oob_trees
  grown
}

# ---- what is said --------------------------------------------------------------------------------

refuse_survival <- function(fit, what) {
  if (!identical(fit$type, "survival")) return(invisible())
  stop_unsupported("fit", gettextf("there are no %s for survival forests", what))
}

check_survival_type <- function(object, type) {
  if (type %in% c("survival", "chf", "mortality") && object$type != "survival") {
    stop_input("type", gettextf(
      "type \"%s\" is for survival forests, whose response is Surv(time, status)", type))
  }
}

# From what trees say to what it means: their means are those of hazards over the event times.
scale_of_means <- function(fit) {
  if (fit$type == "survival") length(event_times(fit$y)) else 1
}

check_times <- function(object, times, increasing = FALSE) {
  if (is.null(times)) {
    return(if (object$type == "survival") event_times(object$y))
  }
  if (!is.numeric(times) || !length(times) || anyNA(times) ||
      (increasing && is.unsorted(times, strictly = TRUE))) {
    stop_input("times", gettextf(if (increasing) "'times' must be increasing numbers, not %s"
                                 else "'times' must be numbers, not %s", show_value(times)))
  }
  as.double(times)
}

# Cumulative hazards, or what they leave, at times.
curves_of_rows <- function(object, columns, type, times, own, threads) {
  y <- object$y
  increasing <- sort(unique(times))
  column_of <- c(0L, findInterval(event_times(y), increasing, left.open = TRUE))
  hazards <- call_rows(.Call(ffi_hist_curves, object$forest, columns, list(
    n = object$n, own = own, survival = survival_codes(y)[survival_order(y)],
    column_of = column_of, n_columns = length(increasing)), threads), own)
  hazards <- hazards[, match(times, increasing), drop = FALSE]
  curves <- if (type == "chf") hazards else exp(-hazards)
  colnames(curves) <- format(times, trim = TRUE, digits = 15)
  structure(curves, times = times)
}

# The first event time at which so much of a curve is gone.
survival_quantiles <- function(object, columns, probabilities, own, threads) {
  times <- event_times(object$y)
  size <- if (is.null(own)) piece_cells / length(times) else object$n # all of them are known
  parts <- lapply(pieces(row_count(columns), size), function(rows) {
    curves <- curves_of_rows(object, rows_of_columns(columns, rows), "survival", times, own,
                             threads)
    vapply(probabilities, function(p) {
      below <- curves <= 1 - p
      times[ifelse(rowSums(below) > 0, max.col(below, ties.method = "first"), NA_integer_)]
    }, numeric(length(rows)))
  })
  width <- length(probabilities)
  values <- do.call(rbind, c(list(matrix(0, 0, width)), lapply(parts, matrix, ncol = width)))
  colnames(values) <- paste("quantile=", probabilities)
  values
}

# Harrell's, of predictions that are larger where events come earlier; rows without one are left
# out.
concordance_of <- function(y, predictions) {
  order <- survival_order(y)
  said <- predictions[order]
  known <- !is.na(said)
  .Call(ffi_concordance, survival_codes(y)[order][known],
        match(said[known], sort(unique(said))))
}

# ---- how good curves are -------------------------------------------------------------------------

#' @rdname forest_curve
#' @description
#' `forest_brier()` is the Brier score of a survival forest: the mean squared difference between
#' survival curves and what happened, at each time and integrated over time, with rows weighted by
#' the inverse probability of not being censored (Graf et al. 1999).
#' @param newdata Data frame or matrix with the predictors, as in [predict.hist_forest()]; `NULL`,
#'   the default, for the training rows, each predicted by the trees that were not grown from it.
#' @param y The responses of `newdata`, an object of `survival::Surv()`, censored on the right;
#'   `NULL`, the default, only without `newdata`.
#' @param times Increasing times; `NULL`, the default, for all times of events among the rows.
#' @return `forest_brier()`: a list of `integrated`, the mean of the score from time 0 to the last
#'   of `times`, where it changes at `times` alone and is 0 before; and `curve`, a data frame of
#'   `time` and `brier`. 0.25 is what a constant probability of one half has. Rows that no tree
#'   leaves out do not count.
#' @section Errors:
#' `contree_input_error` if the training rows are not found, or if their number differs, and from
#' `forest_brier()` if `fit` is not a survival forest, or `y` not such a response; and as for
#' [predict.hist_forest()].
#' @references E. Graf, C. Schmoor, W. Sauerbrei, M. Schumacher (1999). Assessment and comparison of
#' prognostic classification schemes for survival data. *Statistics in Medicine* 18, 2529-2545.
#' @examplesIf requireNamespace("survival", quietly = TRUE)
#' fit <- hist_forest(survival::Surv(time, status) ~ ., survival::lung[-1], trees = 50, seed = 1)
#' forest_brier(fit)$integrated
#' @export
forest_brier <- function(fit, newdata = NULL, y = NULL, times = NULL, data = NULL, threads = NULL) {
  check_forest(fit)
  if (fit$type != "survival") {
    stop_input("fit", gettext(
      "'fit' must be a survival forest, with the response Surv(time, status)"))
  }
  if (is.null(newdata) != is.null(y)) {
    stop_input("y", gettext("'newdata' and 'y' must be given together, or neither of them"))
  }
  if (!is.null(y) && !inherits(y, "Surv")) {
    stop_input("y", gettextf("'y' must be an object of survival::Surv(), not %s", show_value(y)))
  }
  y <- if (is.null(y)) fit$y else read_forest_response(y, "y")
  times <- if (is.null(times)) event_times(y) else check_times(fit, times, TRUE)
  curves <- if (is.null(newdata)) {
    columns <- training_columns(fit, data, parent.frame())
    only_held_out(fit, curves_of_rows(fit, columns, "survival", times, places_of_rows(fit$y),
                                      threads_to_use(check_threads("threads", threads))))
  } else {
    stats::predict(fit, newdata, type = "survival", times = times, threads = threads)
  }
  if (nrow(curves) != length(y)) {
    stop_input("y", gettextf("'newdata' has %d rows, but 'y' has %d", nrow(curves), length(y)))
  }
  brier <- brier_scores(curves, as.double(y), attr(y, "status"), times)
  list(integrated = sum(brier * diff(c(times, times[length(times)]))) / times[length(times)],
       curve = data.frame(time = times, brier = brier))
}

brier_scores <- function(curves, time, status, times) {
  uncensored <- uncensored_curve(time, status)
  before <- uncensored(time, TRUE)
  vapply(seq_along(times), function(k) {
    alive <- time > times[k]
    weight <- ifelse(alive, 1 / uncensored(times[k], FALSE), status / before)
    mean(weight * (alive - curves[, k])^2, na.rm = TRUE)
  }, 0)
}

# The probability not to be censored up to a time, or before it, by Kaplan and Meier.
uncensored_curve <- function(time, status) {
  censored <- sort(unique(time[status == 0L]))
  left <- vapply(censored, function(t) {
    1 - sum(time == t & status == 0L) / (sum(time > t) + sum(time == t & status == 0L))
  }, 0)
  curve <- c(1, cumprod(left))
  function(t, before) curve[findInterval(t, censored, left.open = before) + 1L]
}
