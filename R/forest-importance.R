# How much predictors matter: what a forest says of it, corrected for how many values predictors
# have, row by row, and whether it is more than chance.

new_forest_importance <- function(grown, names, measure) {
  if (measure == "none") return(NULL)
  importance <- list(variable = names, impurity = whole_sums(grown$gains))
  if (measure == "permutation") {
    importance$permutation <- whole_sums(grown$harm) / max(1, sum(grown$oob_trees))
  }
  if (measure == "corrected") importance$corrected <- whole_sums(grown$corrected)
  # data.frame() would take a twentieth of a small forest
  attr(importance, "row.names") <- .set_row_names(length(names))
  class(importance) <- "data.frame"
  importance
}

# The measure that says most.
best_measure <- function(importance) names(importance)[length(importance)]

# Sums over the trees that a row is out of bag for, as means.
local_means <- function(sums, trees, names) {
  if (is.null(sums)) return(NULL)
  structure(sums / trees, dimnames = list(NULL, names))
}

# ---- corrected importance ------------------------------------------------------------------------

# Gains of the predictors less those of their twins, whose rows are shuffled, in a second forest
# with both (Nembrini et al. 2018). NA where growing stopped before all its trees were grown.
grow_with_twins <- function(grown, data, control, grow) {
  n <- column_count(data$codes)
  grown$corrected <- rep(NA_real_, n)
  if (grown$status != "complete") return(grown)
  twins <- grow(twin_data(data, control), twin_control(control, n, grown$elapsed))
  grown$elapsed <- grown$elapsed + twins$elapsed
  grown$status <- twins$status
  if (twins$status != "complete") return(grown)
  gains <- as.matrix(twins$gains)
  grown$corrected <- gains[seq_len(n), , drop = FALSE] - gains[n + seq_len(n), , drop = FALSE]
  if (ncol(gains) == 1) grown$corrected <- drop(grown$corrected)
  grown
}

# One order for all twins, so that they depend on each other as the predictors do.
twin_data <- function(data, control) {
  rows <- .Call(ffi_hist_shuffle, list(seed = control$seed, n_rows = length(data$y)))
  if (is.matrix(data$codes)) {
    data$codes <- cbind(data$codes, data$codes[rows, , drop = FALSE])
  } else {
    data$codes <- plain_codes(c(data$codes, lapply(data$codes, keep_rows, rows)))
  }
  data
}

twin_control <- function(control, n, elapsed) {
  control$sets <- c(control$sets, control$sets + n)
  control$mtry <- control$mtry + length(control$always)
  control$always <- c(control$always, control$always + n)
  control["select_weights"] <- list(rep(control$select_weights, 2))
  control$oob <- 0L
  control$time_limit <- max(0, control$time_limit - elapsed)
  if (is.null(control$survival)) control["ranks"] <- list(NULL)
  control
}

check_corrected <- function(frame, settings) {
  if (settings$importance != "corrected") return(invisible())
  if (!is.null(settings$learner)) {
    stop_unsupported("importance", gettext(
      "corrected importance needs a 'splitrule'; there is none of the splits of a learner"))
  }
  if (2 * length(frame$shape$names) > 65534) {
    stop_input("importance", gettextf(
      "corrected importance is for at most 32767 predictors, not %d", length(frame$shape$names)))
  }
}

check_local <- function(settings) {
  if (!settings$local_importance || settings$importance == "permutation") return(invisible())
  stop_input("local_importance", gettext(
    "local importance is of permuted predictors; use importance = \"permutation\""))
}

# ---- p-values ------------------------------------------------------------------------------------

#' @rdname contree_importance
#' @description
#' `forest_p_values()` says whether predictors of a forest are more important than chance: p-values
#' by the importance of predictors that do not matter (Janitza et al. 2018), or by forests whose
#' responses are permuted (Altmann et al. 2010).
#' @param method `"janitza"` (the default): importance below 0 is chance, and so is as much above 0;
#'   the p-value of a predictor is the proportion of these values, of both signs, that are at least
#'   as large as its importance. It takes no time, but needs many predictors that do not matter:
#'   with fewer than 100 values below 0 there is a warning of class `contree_few_negative`.
#'   `"altmann"`: the proportion of forests, of those with a permuted response and the one given, in
#'   which the predictor is at least as important as in this one.
#' @param permutations Number of forests with permuted responses, a whole number of at least 1; 100
#'   by default. Responses and seeds are drawn by R's generator.
#' @param threads As in [contree_control()].
#' @return `forest_p_values()`: a data frame with a row for each predictor: `variable`, `importance`
#'   (the measure that the forest was grown with) and `p_value`.
#' @references S. Janitza, E. Celik, A. Boulesteix (2018). A computationally fast variable
#' importance test for random forests for high-dimensional data. *Advances in Data Analysis and
#' Classification* 12, 885-915. \doi{10.1007/s11634-016-0276-4}.
#'
#' A. Altmann, L. Tolosi, O. Sander, T. Lengauer (2010). Permutation importance: a corrected feature
#' importance measure. *Bioinformatics* 26, 1340-1347. \doi{10.1093/bioinformatics/btq134}.
#' @examples
#'
#' set.seed(1)
#' noisy <- data.frame(iris, replicate(6, sample(150)))
#' fit <- hist_forest(Species ~ ., noisy, trees = 100, importance = "corrected")
#' forest_p_values(fit, "altmann", permutations = 20)
#' @export
forest_p_values <- function(fit, method = c("janitza", "altmann"), permutations = 100, data = NULL,
                            threads = NULL) {
  check_forest(fit)
  method <- check_choice("method", method)
  check_number("permutations", permutations, gettext("a whole number of at least 1"), is_count)
  threads <- check_threads("threads", threads)
  if (is.null(fit$importance)) {
    stop_input("fit", gettext("the forest was grown with importance = \"none\""))
  }
  measure <- best_measure(fit$importance)
  values <- fit$importance[[measure]]
  p <- if (method == "janitza") mirrored_p_values(values, measure)
       else permuted_p_values(fit, values, measure, permutations,
                              raw_training_columns(fit, data, parent.frame()), threads)
  data.frame(variable = fit$importance$variable, importance = values, p_value = p)
}

mirrored_p_values <- function(values, measure) {
  if (measure == "impurity") {
    stop_input("fit", gettext(paste(
      "importance by impurity is never below 0; grow the forest with importance = \"corrected\",",
      "or use method = \"altmann\"")))
  }
  below <- values[which(values < 0)]
  if (length(below) == 0) {
    stop_input("fit", gettext("no importance is below 0; use method = \"altmann\""))
  }
  if (length(below) < 100) {
    warn_contree("few_negative", sprintf(ngettext(length(below),
      "p-values from %d value below 0 are inaccurate; use at least 100, or method = \"altmann\"",
      "p-values from %d values below 0 are inaccurate; use at least 100, or method = \"altmann\""),
      length(below)))
  }
  chance <- c(below, -below, values[which(values == 0)])
  vapply(values, function(value) mean(chance >= value), 0)
}

permuted_p_values <- function(fit, values, measure, permutations, columns, threads) {
  if (!is.null(fit$sampling) || has_own_samples(fit)) {
    stop_unsupported("method", gettext(
      "there are no \"altmann\" p-values of forests with sampling weights or 'inbag'"))
  }
  settings <- settings_to_grow_again(fit, threads)
  at_least <- numeric(length(values))
  for (i in seq_len(permutations)) {
    frame <- c(fit[c("shape", "types", "xlevels")],
               list(columns = columns, response = permuted_response(fit$y)))
    settings$seed <- as.double(sample.int(.Machine$integer.max, 1))
    orders <- level_orders(scored_frame(frame))
    grown <- run_growth(frame, orders, settings)
    again <- new_forest_importance(grown, fit$shape$names, settings$importance)
    at_least <- at_least + (again[[measure]] >= values)
  }
  (at_least + 1) / (permutations + 1)
}

permuted_response <- function(y) {
  rows <- sample.int(length(y))
  if (!is.null(exposure_of(y))) {
    return(structure(as.double(y)[rows], exposure = exposure_of(y)[rows],
                     family = attr(y, "family")))
  }
  if (is.null(attr(y, "status"))) return(y[rows])
  structure(as.double(y)[rows], status = attr(y, "status")[rows])
}

settings_to_grow_again <- function(fit, threads) {
  settings <- fit$control
  settings[c("sampling", "verbose", "progress")] <- list(NULL)
  settings$quantiles <- settings$local_importance <- settings$workers <- settings$oob <- FALSE
  settings$threads <- threads
  settings$time_limit <- settings$memory_limit <- Inf
  settings$on_interrupt <- "error"
  settings$device <- "auto"
  settings$trees <- tree_count(fit)
  settings$first <- 1
  settings
}
