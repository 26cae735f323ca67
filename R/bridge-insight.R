# What the package insight, and those of the easystats that build on it, ask of a model: what it is
# a model of, and the rows it was fitted to. Formulas, responses, predictors and numbers of rows are
# found by its methods for all models.

# What insight tells of models, all FALSE but what is said.
insight_flags <- paste0("is_", c(
  "binomial", "bernoulli", "count", "poisson", "negbin", "beta", "betabinomial", "dirichlet",
  "exponential", "logit", "probit", "censored", "truncated", "survival", "linear", "tweedie",
  "zeroinf", "zero_inflated", "dispersion", "hurdle", "ordinal", "cumulative", "multinomial",
  "categorical", "mixed", "multivariate", "trial", "bayesian", "gam", "anova", "timeseries",
  "ttest", "correlation", "onewaytest", "chi2test", "ranktest", "levenetest", "variancetest",
  "xtab", "proptest", "binomtest", "ftest", "meta"))

# Predictions are on the scale of the response, so that no link is between them.
insight_info <- function(family, n, flags) {
  info <- stats::setNames(rep(list(FALSE), length(insight_flags)), insight_flags)
  info[paste0("is_", flags)] <- TRUE
  c(info, list(link_function = "identity", family = family, n_obs = n))
}

insight_info_of <- function(what, n) {
  switch(what,
    two = insight_info("binomial", n, c("binomial", "bernoulli")),
    classes = insight_info("multinomial", n, "multinomial"),
    survival = insight_info("survival", n, c("survival", "censored")),
    rates = insight_info("poisson", n, c("count", "poisson")),
    insight_info("gaussian", n, "linear"))
}

kind_of_classes <- function(classes) if (length(classes) == 2) "two" else "classes"

#' @exportS3Method insight::model_info
model_info.contree_model <- function(x, ...) {
  check_fit(x, "x", rows = FALSE)
  refuse_policy(x, "model_info()", gettext("they predict actions, not a response"))
  insight_info_of(if (predicts_classes(x)) kind_of_classes(tree_classes(x)) else "regression",
                  stats::nobs(x))
}

#' @exportS3Method insight::model_info
model_info.hist_forest <- function(x, ...) {
  insight_info_of(if (is_rates(x)) "rates" else
                  if (x$type == "classification") kind_of_classes(x$classes) else x$type, x$n)
}

# The columns of the training rows as they were before the formula, those with missing values kept
# where the fit has used them.
#' @exportS3Method insight::get_data
get_data.contree_model <- function(x, source = "environment", verbose = TRUE, ...) {
  check_fit(x, "x")
  data_of_frames(sys.frames(), function(frame) {
    if (is.null(tree_terms(x))) return(rows_of_predictors(x, eval(tree_call(x)$x, frame)))
    rows <- eval(call("model.frame", x), list(model.frame = stats::model.frame), frame)
    data <- eval(tree_call(x)$data, frame)
    if (!is.data.frame(data)) return(rows)
    data[rownames(rows), intersect(all.vars(stats::formula(x)), names(data)), drop = FALSE]
  }, verbose)
}

# NULL if they are not as many as the fit has.
rows_of_predictors <- function(fit, x) {
  x <- as.data.frame(x)
  left_out <- tree_na_action(fit)
  if (length(left_out)) x <- x[-left_out, , drop = FALSE]
  if (nrow(x) == stats::nobs(fit) && all(tree_shape(fit)$inputs %in% names(x))) x
}

#' @exportS3Method insight::get_data
get_data.hist_forest <- function(x, source = "environment", verbose = TRUE, ...) {
  data_of_frames(sys.frames(), function(frame) {
    data <- as.data.frame(evaluated_data(x, frame))
    if (!is.null(x$call$subset)) {
      data <- data[stats::na.omit(eval(x$call$subset, data, frame)), , drop = FALSE]
    }
    data <- rows_grown_from(x, data)
    if (is.null(x$terms)) return(data)
    response <- eval(stats::formula(x)[[2]], data, frame)
    if (!identical(as.character(response_numbers(response)),
                   as.character(response_numbers(x$y)))) return(NULL)
    data[intersect(all.vars(stats::formula(x)), names(data))]
  }, verbose)
}

# Of survival the times.
response_numbers <- function(y) if (inherits(y, "Surv")) unclass(y)[, 1] else as.vector(y)

# insight asks from functions of its own, which whoever has the data has called.
data_of_frames <- function(frames, find, verbose) {
  for (frame in c(rev(frames), globalenv())) {
    data <- tryCatch(find(frame), error = function(problem) NULL)
    if (!is.null(data)) return(data)
  }
  if (isTRUE(verbose)) warning(gettext("the training rows cannot be found again"), call. = FALSE)
  NULL
}
