# Scores of actions: what each of them would have been worth in each row, from data in which each
# row has had one.

#' Scores of actions, and the value of a policy
#'
#' Of each row the outcome of one action is known. The scores of `policy_scores()` are an estimate
#' of what each action is worth in each row, whose means over many rows are those of the action: the
#' rewards of [policy_tree()] and [policy_value()].
#'
#' With `method = "ipw"` the score of the action of a row is its outcome divided by the probability
#' of that action, and that of the others 0. With `method = "aipw"` (the default) it is the outcome
#' that a regression predicts under each action, plus, for the action of the row, the residual
#' divided by its probability. These scores vary less, and their means are right if either the
#' probabilities or the regressions are (doubly robust). The regressions, and the probabilities
#' where they are not given, are forests of [hist_forest()], each row being predicted by forests
#' that have not seen its fold (cross-fitting): one regression forest for each action, and one
#' forest of classes for the probabilities.
#'
#' @param y Outcomes, a numeric vector; larger is better.
#' @param action The action of each row: a factor, or a vector of which the different values are the
#'   actions.
#' @param x Covariates, a data frame or numeric matrix; only for `method = "aipw"`.
#' @param propensity Probabilities of the actions, as far as they are known: a numeric vector with
#'   one for each action (in a randomised experiment), or a matrix with a row for each row and a
#'   column for each action, in the order of the levels of `action` or named. `NULL`, the default,
#'   estimates them from `x`; for `method = "ipw"` they must be given.
#' @param method `"aipw"` (the default) or `"ipw"`.
#' @param folds Number of folds of the cross-fitting, a whole number of at least 2, or a vector with
#'   the fold of each row; 5 by default. Folds are drawn with R's random numbers.
#' @param least Probabilities that are estimated are raised to this if they are less: a number above
#'   0 and at most 0.5; 0.01 by default.
#' @param ... Arguments of [hist_forest()], such as `trees`, `min_n` and `seed`.
#' @return `policy_scores()`: a numeric matrix with a row for each row and a column for each action,
#' named by it.
#' @section Errors:
#' `contree_input_error` for outcomes that are missing, probabilities that are not between 0 and 1
#' or do not add up to 1 in a row, an action without rows or with rows in one fold only, and
#' covariates of another number of rows.
#' @references J. M. Robins, A. Rotnitzky, L. P. Zhao (1994). Estimation of Regression Coefficients
#'   When Some Regressors Are Not Always Observed. *Journal of the American Statistical Association*
#'   89(427), 846-866. \doi{10.1080/01621459.1994.10476818}.
#'
#'   Z. Zhou, S. Athey, S. Wager (2023). Offline Multi-Action Policy Learning: Generalization and
#'   Optimization. *Operations Research* 71(1), 148-183. \doi{10.1287/opre.2022.2271}.
#' @examples
#' set.seed(1)
#' x <- data.frame(age = rnorm(400), income = rnorm(400))
#' action <- factor(sample(c("none", "course"), 400, replace = TRUE), c("none", "course"))
#' y <- x$income + (action == "course") * x$age + rnorm(400)
#' scores <- policy_scores(y, action, x, propensity = c(0.5, 0.5), trees = 100, seed = 1)
#' colMeans(scores)
#' policy_tree(x, scores, depth = 1)
#' @export
policy_scores <- function(y, action, x = NULL, propensity = NULL, method = c("aipw", "ipw"),
                          folds = 5, least = 0.01, ...) {
  method <- check_choice("method", method)
  y <- check_outcomes(y)
  action <- check_actions(action, length(y))
  check_number("least", least, gettext("a number above 0 and at most 0.5"),
               function(value) value > 0 && value <= 0.5)
  if (!is.null(propensity)) propensity <- check_propensity(propensity, action)
  own <- cbind(seq_along(y), as.integer(action))
  if (method == "ipw") {
    check_no_dots(...)
    if (is.null(propensity)) {
      stop_input("propensity", gettext("'propensity' must be given for method = \"ipw\""))
    }
    scores <- matrix(0, length(y), nlevels(action), dimnames = list(NULL, levels(action)))
    scores[own] <- y / propensity[own]
    return(scores)
  }
  x <- check_covariates(x, length(y))
  folds <- check_score_folds(folds, action)
  scores <- cross_fit(folds, nlevels(action), function(train, test) {
    vapply(levels(action), function(level) {
      rows <- train & action == level
      as.numeric(stats::predict(hist_forest(x[rows, , drop = FALSE], y[rows], ...),
                                x[test, , drop = FALSE]))
    }, numeric(sum(test)))
  })
  if (is.null(propensity)) propensity <- estimate_propensity(x, action, folds, least, ...)
  colnames(scores) <- levels(action)
  scores[own] <- scores[own] + (y - scores[own]) / propensity[own]
  scores
}

estimate_propensity <- function(x, action, folds, least, ...) {
  all <- cross_fit(folds, nlevels(action), function(train, test) {
    forest <- hist_forest(x[train, , drop = FALSE], action[train], ...)
    stats::predict(forest, x[test, , drop = FALSE], type = "prob")
  })
  all <- pmax(all, least)
  all / rowSums(all)
}

# `fit_fold` gives a matrix with a row for each row of the test set.
cross_fit <- function(folds, k, fit_fold) {
  out <- matrix(0, length(folds), k)
  for (fold in unique(folds)) out[folds == fold, ] <- fit_fold(folds != fold, folds == fold)
  out
}

# ---- checks --------------------------------------------------------------------------------------

check_outcomes <- function(y) {
  if (!is.numeric(y) || !is.null(dim(y)) || length(y) == 0 || !all(is.finite(y))) {
    stop_input("y", gettext("'y' must be a vector of finite numbers, one for each row"))
  }
  as.numeric(y)
}

check_actions <- function(action, n) {
  if (!is.atomic(action) || length(action) != n || anyNA(action)) {
    stop_input("action", gettextf(
      "'action' must have one value for each of the %d outcomes, none missing", n))
  }
  action <- as.factor(action)
  if (nlevels(action) < 2) stop_input("action", gettext("'action' must have two or more values"))
  unused <- setdiff(levels(action), action)
  if (length(unused)) {
    stop_input("action", gettextf(
      "no row has the action %s, so nothing is known of it; leave it out, as by droplevels()",
      show_names(unused)))
  }
  action
}

# Propensities as a matrix, with a row for each row of the data.
check_propensity <- function(propensity, action) {
  k <- nlevels(action)
  n <- length(action)
  if (is.data.frame(propensity)) propensity <- as.matrix(propensity)
  if (is.numeric(propensity) && is.null(dim(propensity)) && length(propensity) == k) {
    propensity <- matrix(propensity, n, k, byrow = TRUE,
                         dimnames = list(NULL, names(propensity)))
  }
  if (!is.numeric(propensity) || !identical(dim(propensity), c(n, k))) {
    stop_input("propensity", gettextf(
      "'propensity' must be %d probabilities, or a matrix of %d rows with a column for each action",
      k, n))
  }
  names <- colnames(propensity)
  if (!is.null(names)) {
    if (!setequal(names, levels(action))) {
      stop_input("propensity", gettextf("'propensity' must be named by the actions: %s",
                                        show_names(levels(action))))
    }
    propensity <- propensity[, levels(action), drop = FALSE]
  }
  fine <- propensity > 0 & propensity <= 1 & abs(rowSums(propensity) - 1) <= 1e-6
  if (!isTRUE(all(fine))) {
    stop_input("propensity", gettext(
      "'propensity' must be above 0 and at most 1, and add up to 1 in each row"))
  }
  propensity
}

check_covariates <- function(x, n) {
  if (is.null(x)) stop_input("x", gettext("give the covariates 'x' for method = \"aipw\""))
  check_x(x)
  if (nrow(x) != n) {
    stop_input("x", gettextf("'x' has %d rows, but there are %d outcomes", nrow(x), n))
  }
  x
}

# A fold for each row. Each action must be left where a fold is not.
check_score_folds <- function(folds, action) {
  n <- length(action)
  if (length(folds) == 1) {
    check_number("folds", folds, gettextf("a whole number from 2 to %d, or one for each row", n),
                 function(value) is_count(value) && value >= 2 && value <= n)
    folds <- sample(rep_len(seq_len(folds), n))
  }
  if (!is.atomic(folds) || length(folds) != n || anyNA(folds) || length(unique(folds)) < 2) {
    stop_input("folds", gettextf(
      "'folds' must be a number, or have a value for each of the %d rows, not all the same", n))
  }
  counts <- table(folds, action)
  empty <- which(t(colSums(counts) - t(counts)) == 0, arr.ind = TRUE)
  if (nrow(empty)) {
    stop_input("folds", gettextf("action '%s' has rows in one fold only; give fewer folds",
                                 levels(action)[empty[1, 2]]))
  }
  folds
}
