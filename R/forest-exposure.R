# Forests of rates: amounts, such as counts of events, over an exposure, such as the time in which
# they were counted. The response is the amounts, with the exposures and the family as attributes.

# One a row of the data; NULL if there is none.
check_exposure <- function(exposure, n) {
  if (is.null(exposure)) return(NULL)
  if (!is.numeric(exposure) || !is.null(dim(exposure)) || length(exposure) != n) {
    stop_input("exposure", gettextf(
      "'exposure' must be %d finite numbers above 0, one for each row, not %s", n,
      show_value(exposure)))
  }
  if (any(bad <- !is.finite(exposure) | exposure <= 0)) {
    row <- which(bad)[1]
    stop_input("exposure", gettextf(
      "'exposure' has the value %s in row %d, but must be finite and above 0; leave such rows out",
      exposure[row], row))
  }
  as.double(exposure)
}

# The exposure that a formula has as an offset, an expression, or NULL: of its logarithm itself.
offset_of <- function(formula, settings, has_exposure) {
  if (length(formula) != 3 || !"offset" %in% all.names(formula[[3]])) return(NULL)
  terms <- offset_terms(formula[[3]])
  if (length(terms) == 0 || settings$family != "poisson") return(NULL) # then it is refused
  if (length(terms) > 1 || has_exposure) {
    stop_input("formula", gettext(
      "there are several exposures: give one, as 'exposure' or as an offset of its logarithm"))
  }
  log_exposure <- terms[[1]][[2]]
  if (is.call(log_exposure) && identical(log_exposure[[1]], quote(log)) &&
      length(log_exposure) == 2) return(log_exposure[[2]])
  call("exp", log_exposure)
}

is_offset <- function(term) {
  is.call(term) && identical(term[[1]], quote(offset)) && length(term) == 2
}

is_sum <- function(term) {
  is.call(term) && identical(term[[1]], quote(`+`)) && length(term) == 3
}

offset_terms <- function(rhs) {
  if (is_sum(rhs)) return(c(offset_terms(rhs[[2]]), offset_terms(rhs[[3]])))
  if (is_offset(rhs)) list(rhs) else list()
}

# No predictor is left as 1, which is refused as such.
without_exposure <- function(formula) {
  rest <- function(rhs) {
    if (is_offset(rhs)) return(NULL)
    if (!is_sum(rhs)) return(rhs)
    sides <- Filter(Negate(is.null), list(rest(rhs[[2]]), rest(rhs[[3]])))
    if (length(sides) == 2) call("+", sides[[1]], sides[[2]]) else if (length(sides)) sides[[1]]
  }
  left <- rest(formula[[3]])
  formula[[3]] <- if (is.null(left)) 1 else left
  formula
}

# The frame with the exposures in its response: those of a Poisson family are 1 if not given.
with_exposure <- function(frame, settings) {
  poisson <- settings$family == "poisson"
  if (is.null(frame$exposure) && !poisson) return(frame)
  if (is_classes(frame) || is_survival(frame)) {
    argument <- if (poisson) "family" else "exposure"
    stop_input(argument, gettextf(
      "with '%s' the response must be numeric: numbers of events, or amounts", argument))
  }
  refuse_of_rates(settings)
  y <- as.double(frame$response)
  if (poisson && any(y < 0)) {
    stop_input("y", gettextf("family = \"poisson\" is for counts, but row %d of the response is %s",
                             which(y < 0)[1], format(y[y < 0][1])))
  }
  if (poisson && all(y == 0)) stop_input("y", gettext("the response has no event, only zeros"))
  exposure <- if (is.null(frame$exposure)) rep(1, length(y)) else frame$exposure
  if (diff(range(log10(exposure))) > 8) {
    stop_input("exposure", gettextf(
      "'exposure' has values from %s to %s, but none may be more than 1e8 times another",
      format(min(exposure)), format(max(exposure))))
  }
  frame$response <- structure(y, exposure = exposure, family = settings$family)
  frame
}

refuse_of_rates <- function(settings) {
  refuse <- function(what, argument) {
    stop_unsupported(argument, gettextf("forests of rates have no %s", what))
  }
  if (settings$importance == "permutation") {
    refuse(gettext("permutation importance; use \"impurity\" or \"corrected\""), "importance")
  }
  if (settings$quantiles) refuse(gettext("quantiles"), "quantiles")
  if (!is.null(settings$learner)) refuse(gettext("learners"), "learner")
}

exposure_of <- function(response) attr(response, "exposure")
is_rates <- function(fit) !is.null(exposure_of(fit$y))

# Whatever compares predictions with responses would take amounts for rates.
refuse_rates <- function(fit, what) {
  if (!is_rates(fit)) return(invisible())
  stop_unsupported("fit", gettextf("there are no %s for forests of rates", what))
}

# The frame with rates for a response, by the means of which levels are ordered.
with_rates <- function(frame) {
  exposure <- exposure_of(frame$response)
  frame$weights <- if (is.null(frame$weights)) exposure
                   else product_of_weights(frame$weights, exposure)
  frame$response <- as.double(frame$response) / exposure
  frame
}

control_of_rates <- function(control, response) {
  control$exposure <- exposure_of(response)
  # as in rpart with shrink = 1
  control$prior <- if (identical(attr(response, "family"), "poisson")) 1 else 0
  control
}

# Of rates, by exposure.
errors_of_rates <- function(oob, response) {
  exposure <- exposure_of(response)
  known <- oob$trees > 0
  y <- as.double(response)[known]
  exposure <- exposure[known]
  rate <- oob$predictions[known]
  oob$error <- sum(exposure * (y / exposure - rate)^2) / sum(exposure)
  mean_rate <- sum(response) / sum(exposure_of(response))
  spread <- sum(exposure * (y / exposure - mean_rate)^2) / sum(exposure)
  oob$r_squared <- 1 - oob$error / spread
  if (attr(response, "family") == "poisson") oob$deviance <- poisson_deviance(y, exposure * rate)
  oob
}

# Of a row, in the mean.
poisson_deviance <- function(y, expected) {
  mean(2 * (ifelse(y > 0, y * log(y / expected), 0) - (y - expected)))
}
