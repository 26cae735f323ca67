# What the rows of leaves say, for forests that have kept them: weights of the training rows,
# quantiles, and intervals with a known level. Meaning and rounding are in
# src/forest/walk/members.h.

# Of the number by which a leaf keeps a row, 24 bits are its place in the order of the response; the
# others say how often it was drawn.
most_kept_rows <- 2^24

check_keeps_rows <- function(frame) {
  if (is_classes(frame)) {
    stop_unsupported("quantiles", gettext("quantiles are of numbers, but the response has classes"))
  }
  if (length(frame$response) > most_kept_rows) {
    stop_unsupported("quantiles", gettextf(
      "forests keep the rows of leaves for at most %.0f rows, not %.0f", most_kept_rows,
      as.double(length(frame$response))))
  }
}

keeps_rows <- function(fit) !is.null(fit$forest$rows)

# The place of each row in the order of the response, from 0.
places_in_order <- function(response) places_of_order(order(response))

places_of_order <- function(order) {
  places <- integer(length(order))
  places[order] <- seq_along(order) - 1L
  places
}

# Places of rows in the order of the response, as leaves keep them.
places_of_rows <- function(response) {
  if (is.null(attr(response, "status"))) return(places_in_order(response))
  places_of_order(survival_order(response))
}

# ---- arguments -----------------------------------------------------------------------------------

# What said_by_rows() is to say; NULL for other types.
check_asked_of_rows <- function(object, type, quantiles, what, times) {
  if (!type %in% c("quantiles", "weights", "survival", "chf")) return(NULL)
  if (!keeps_rows(object)) {
    stop_input("type", gettextf("type \"%s\" needs the rows of leaves, which were not kept", type),
               gettext("grow the forest with quantiles = TRUE"))
  }
  if (!is.null(what) && object$type == "survival") {
    stop_unsupported("what", gettext("'what' is for numbers, but the response is survival"))
  }
  if (!is.null(what) && !is.function(what)) {
    stop_input("what", gettextf("'what' must be a function, not %s", show_value(what)))
  }
  if (!is.numeric(quantiles) || !length(quantiles) || anyNA(quantiles) ||
        any(quantiles < 0 | quantiles > 1)) {
    stop_input("quantiles", gettextf("'quantiles' must be numbers from 0 to 1, not %s",
                                     show_value(quantiles)))
  }
  list(type = type, quantiles = as.double(quantiles), times = check_times(object, times),
       what = if (type == "quantiles") what)
}

# Whether there is to be one.
check_forest_interval <- function(object, type, se.fit, interval, level) {
  check_level(level)
  if (check_choice("interval", interval, c("none", "conformal")) == "none") return(FALSE)
  refuse_rates(object, gettext("conformal intervals"))
  if (type != "response" || object$type != "regression" || se.fit) {
    stop_input("interval", gettext(
      "intervals are for the \"response\" of regression forests, without standard errors"))
  }
  if (is.null(object$oob)) {
    stop_input("interval", gettext("conformal intervals need oob = TRUE when the forest is grown"))
  }
  TRUE
}

# ---- quantiles and weights -----------------------------------------------------------------------

# `left_out`: of the training rows, by the trees that were not grown from them.
said_by_rows <- function(object, columns, asked, threads, left_out = FALSE) {
  if (is.function(asked$what)) return(values_of_draws(object, columns, asked, threads, left_out))
  own <- if (left_out) places_of_rows(object$y)
  if (asked$type %in% c("survival", "chf")) {
    return(curves_of_rows(object, columns, asked$type, asked$times, own, threads))
  }
  if (object$type == "survival" && asked$type == "quantiles") {
    return(survival_quantiles(object, columns, asked$quantiles, own, threads))
  }
  if (asked$type == "weights") {
    weights <- ask_members(object, columns, own, double(), TRUE, threads)$weights
    return(weights[, places_of_rows(object$y) + 1L, drop = FALSE])
  }
  wanted <- sort(unique(asked$quantiles))
  places <- ask_members(object, columns, own, wanted, FALSE, threads)$quantiles
  places[places == 0L] <- NA
  values <- sort(object$y)[places]
  values[is.na(values)] <- NaN
  dim(values) <- dim(places)
  colnames(values) <- paste("quantile=", wanted)
  values[, match(asked$quantiles, wanted), drop = FALSE]
}

ask_members <- function(object, columns, own, probabilities, weights, threads) {
  call_rows(.Call(ffi_hist_members, object$forest, columns,
                  list(n = object$n, own = own, probabilities = probabilities,
                       weights = as.integer(weights)), threads), own)
}

# A call of C about rows that leaves have kept.
call_rows <- function(call, own) {
  call_core(call, function(message, status) {
    if (is.null(own)) refuse_forest(message, status)
    stop_input("data", gettextf("out-of-bag rows cannot be predicted: %s", message),
               gettext("give the training data as 'data'"))
  })
}

# The user's function, of responses that are drawn.
values_of_draws <- function(object, columns, asked, threads, left_out) {
  weights <- said_by_rows(object, columns, list(type = "weights"), threads, left_out)
  if (nrow(weights) == 0) return(matrix(numeric(), 0, 1))
  trees <- tree_count(object)
  values <- lapply(seq_len(nrow(weights)), function(row) {
    own <- weights[row, ]
    drawn <- which(own > 0)
    if (length(drawn) == 0) return(NULL)
    asked$what(object$y[drawn[sample.int(length(drawn), trees, TRUE, own[drawn])]])
  })
  none <- vapply(seq_len(nrow(weights)), function(row) all(weights[row, ] == 0), NA)
  width <- unique(lengths(values[!none]))
  if (length(width) > 1) {
    stop_input("what", gettext("'what' must return values of one length for all rows"))
  }
  values[none] <- list(rep(NaN, if (length(width)) width else 1))
  do.call(rbind, values)
}

# ---- intervals -----------------------------------------------------------------------------------

# `found`: a function that finds the columns of the training rows.
conformal_of_forest <- function(object, fit, columns, found, level, threads) {
  if (!keeps_rows(object)) {
    most <- conformal_margin(abs(object$y - object$oob$predictions), level)
    return(cbind(fit = fit, lwr = fit - most, upr = fit + most))
  }
  asked <- list(type = "quantiles", quantiles = c((1 - level) / 2, (1 + level) / 2))
  known <- only_held_out(object, said_by_rows(object, found(), asked, threads, left_out = TRUE))
  most <- conformal_margin(pmax(known[, 1] - object$y, object$y - known[, 2]), level)
  limits <- said_by_rows(object, columns, asked, threads)
  # so much narrower that nothing is left: the middle
  middle <- rowMeans(limits)
  cbind(fit = fit, lwr = pmin(limits[, 1] - most, middle), upr = pmax(limits[, 2] + most, middle))
}

# By how much the rows left out miss, at most but for 1 - level of them and of a new one.
conformal_margin <- function(misses, level) {
  misses <- sort(misses[!is.na(misses)])
  rank <- ceiling(level * (length(misses) + 1) - 1e-9)
  if (rank > length(misses)) Inf else misses[rank]
}
