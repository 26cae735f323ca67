# What is drawn for trees otherwise than alike: candidates that are always tried or more likely,
# samples that are given, rows held out, and the least that a leaf has.

check_fraction <- function(fraction) {
  if (is_number(fraction) && fraction > 0 && fraction < 1) return(as.double(fraction))
  stop_input("honesty_fraction", gettextf(
    "'honesty_fraction' must be a number above 0 and below 1, not %s", show_value(fraction)))
}

settle_draws <- function(settings, frame) {
  names <- frame$shape$names
  settings$always <- check_always(settings$always, names)
  settings["select_weights"] <- list(check_select_weights(settings$select_weights, names))
  free <- length(setdiff(names, settings$always))
  if (is.null(settings$mtry)) settings$mtry <- min(max(1, floor(sqrt(length(names)))), free)
  if (settings$mtry > free) {
    stop_input("mtry", gettextf("'mtry' is %s, but there are %d predictors", settings$mtry, free),
               if (length(settings$always)) gettext("those of 'always' do not count"))
  }
  likely <- sum(settings$select_weights[!names %in% settings$always] > 0)
  if (!is.null(settings$select_weights) && settings$mtry > likely) {
    stop_input("select_weights", gettextf(
      "'mtry' is %s, but only %d predictors have 'select_weights' above 0", settings$mtry, likely))
  }
  if (settings$minbucket > 1 && !is.null(settings$learner)) {
    stop_unsupported("minbucket", gettext(
      "a learner chooses all splits; let it observe the least size of leaves"))
  }
  settings$inbag <- check_inbag(settings$inbag, settings, length(frame$response))
  settings
}

check_always <- function(always, names) {
  if (is.null(always)) return(character())
  if (!is.character(always) || anyDuplicated(always) || !all(always %in% names)) {
    stop_input("always", gettextf(
      "'always' must be different names of predictors, not %s", show_value(always)))
  }
  always
}

check_select_weights <- function(weights, names) {
  if (is.null(weights)) return(NULL)
  if (is.list(weights)) {
    stop_unsupported("select_weights", gettext(
      "'select_weights' are the same for all trees; a list with those of each is not supported"))
  }
  if (!is.numeric(weights) || length(weights) != length(names) ||
      any(!is.finite(weights) | weights < 0) || all(weights == 0) ||
      (!is.null(names(weights)) && !setequal(names(weights), names))) {
    stop_input("select_weights", gettextf(
      "'select_weights' must be %d numbers of at least 0, one a predictor, not %s", length(names),
      show_value(weights)))
  }
  as.double(if (is.null(names(weights))) weights else weights[names])
}

# -1, 0 or 1 for each predictor; NULL where none is monotone.
check_forest_monotone <- function(monotone, frame, settings) {
  names <- frame$shape$names
  if (is.null(monotone)) return(NULL)
  named <- names(monotone)
  if (!is.numeric(monotone) || !all(monotone %in% -1:1) ||
      (is.null(named) && length(monotone) != length(names)) ||
      (!is.null(named) && (anyDuplicated(named) || !all(named %in% names)))) {
    stop_input("monotone", gettextf(paste(
      "'monotone' must be 1, -1 or 0, with names of predictors or one for each of the %d,",
      "as in c(x = 1), not %s"), length(names), show_value(monotone)))
  }
  ways <- integer(length(names))
  ways[if (is.null(named)) seq_along(ways) else match(named, names)] <- as.integer(monotone)
  if (all(ways == 0)) return(NULL)
  refuse_forest_monotone(ways, frame, settings)
  stats::setNames(ways, names)
}

refuse_forest_monotone <- function(ways, frame, settings) {
  refuse <- function(what) {
    stop_unsupported("monotone", gettextf("'monotone' is not for %s", what))
  }
  if (is_survival(frame)) refuse(gettext("survival"))
  if (is_classes(frame) && nlevels(frame$response) > 2) refuse(gettext("more than two classes"))
  if (!is.null(exposure_of(frame$response))) refuse(gettext("rates"))
  if (settings$quantiles) refuse(gettext("quantiles"))
  if (settings$honesty) refuse(gettext("honest trees"))
  if (!is.null(settings$learner)) refuse(gettext("a learner"))
  if (settings$importance == "corrected") refuse(gettext("importance = \"corrected\""))
  free <- frame$shape$names[ways != 0 & frame$types %in% c("factor", "character")]
  if (length(free)) refuse(gettextf("%s, whose levels have no order", show_names(free)))
}

check_inbag <- function(inbag, settings, n) {
  if (is.null(inbag)) return(NULL)
  if (is.matrix(inbag)) inbag <- lapply(seq_len(ncol(inbag)), function(i) inbag[, i])
  fine <- is.list(inbag) && length(inbag) == settings$trees && all(vapply(inbag, function(own) {
    is.numeric(own) && length(own) == n && !anyNA(own) && all(own >= 0 & own == round(own)) &&
      sum(own) >= 1 && sum(own) <= 2^30
  }, NA))
  if (!fine) {
    stop_input("inbag", gettextf(paste(
      "'inbag' must be a list of %.0f vectors, one a tree, each of %d whole numbers of at least 0",
      "that are not all 0: how often each row is in the tree"), settings$trees, n))
  }
  if (!is.null(settings$class_weights) || settings$holdout) {
    stop_input("inbag", gettext("'inbag' says what is drawn; give no other weights, or 'holdout'"))
  }
  lapply(inbag, as.integer)
}

check_holdout <- function(settings) {
  if (!is.null(settings$inbag) && !is.null(settings$sampling)) {
    stop_input("inbag", gettext("'inbag' says what is drawn; give no 'weights'"))
  }
  if (!settings$holdout) return(invisible())
  if (!is.null(settings$sampling) && any(settings$sampling == 0)) return(invisible())
  stop_input("holdout", gettext("'holdout' holds out rows with a weight of 0, but no row has one"))
}

# What C is told of it.
draw_control <- function(settings, names) {
  always <- match(settings$always, names)
  list(always = always, select_weights = settings$select_weights,
       monotone = if (!is.null(settings$monotone)) unname(settings$monotone),
       min_bucket = if (is.null(settings$minbucket)) 1 else settings$minbucket,
       holdout = as.integer(isTRUE(settings$holdout)), inbag = settings$inbag,
       honesty = if (isTRUE(settings$honesty)) settings$honesty_fraction else 0)
}

# ---- afterwards ----------------------------------------------------------------------------------

# Whether rows are left out of a tree that has each so often.
is_out_of_bag <- function(fit, counts) {
  if (isTRUE(fit$control$holdout)) counts == 0 & fit$sampling == 0 else counts == 0
}

# How often each row is in a tree.
drawn_for <- function(fit, i) {
  if (!is.null(fit$inbag)) return(fit$inbag[, i])
  sample_of_tree(fit$forest, i, fit$n, fit$control, fit$sampling)
}

# Keeps answers out of bag for rows that were held out alone.
only_held_out <- function(fit, answer) {
  if (isTRUE(fit$control$holdout)) answer[fit$sampling > 0, ] <- NaN
  answer
}

# Whether it was told which rows each tree is grown from.
has_own_samples <- function(fit) isTRUE(fit$control$own_samples)
