# How good a tree is on rows that it was not fitted to.

#' Accuracy of a model on a test set
#'
#' Compares predictions with known classes. The confidence interval of the accuracy is that of
#' Wilson (1927), whose coverage is close to its level also for few rows and for proportions near 0
#' and 1, unlike that of *proportion +- 1.96 standard errors*. It is valid for rows drawn
#' independently from the same population, and for a tree that was neither fitted to these rows nor
#' chosen by them.
#'
#' The predicted probabilities, which are the class proportions of the leaves, are assessed by the
#' Brier score and by one ROC curve for each class. Each leaf gives one point of a curve, so a small
#' tree has few.
#'
#' @param fit A fit of [contree()], [gmt()] or [hist_forest()], another tree of this package such as
#'   one of [forest_tree()], a result of [import_forest()] or [forge()], or a value of
#'   [contree_cv()], whose element `fit` is used.
#' @param newdata Data frame or matrix with the predictors of the fit, as for [predict.contree()],
#'   and the response.
#' @param level Confidence level of the interval, a number between 0 and 1; 0.95 by default.
#' @param y The classes, or numbers, of the rows of `newdata`. By default the response of the
#'   formula is evaluated in `newdata`; fits made with `x` and `y` and imported forests need it.
#' @param laplace A number of at least 0 that is added to the count of each class in a leaf before
#'   probabilities are computed, as in [predict.contree()]; 0 by default.
#' @param x A value of `contree_accuracy()`.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @param ... Not used.
#' @return A list of class `contree_accuracy`: `n` (rows), `correct` (rows classified correctly),
#'   `accuracy` (their proportion), `interval` (numeric, `lower` and `upper`), `level`; `confusion`
#'   (table with the true classes in rows and the predicted classes in columns) and `classes` (data
#'   frame with one row for each class: `n`, `predicted`, `recall`, `precision`; `NaN` if a class
#'   does not occur or is never predicted). Classes that are unknown to the tree are counted as
#'   errors.
#'
#'   `brier`: the Brier score, the mean over the rows of the sum over the classes of (probability -
#'   truth)^2, between 0 and 2, smaller is better (for two classes it is twice the score that is
#'   computed from one of them alone). `curves`: data frame with a row for each class and distinct
#'   probability, in decreasing order: `class`, `threshold` (rows with at least this probability are
#'   classified as positive), `true_positive_rate` (recall), `false_positive_rate`, `precision`.
#'   `auc`: the areas under the ROC curves, named by class; `NaN` for a class that no row or every
#'   row has.
#'
#'   `plot()` draws the curves and returns those drawn, invisibly.
#'
#'   For a regression tree or a model tree, a list of class `contree_number_accuracy`: `n`, `mse`
#'   (mean squared error), `se` (its standard error), `rmse` (its square root), `mae` (mean absolute
#'   error) and `r.squared` (1 less the ratio of the squared errors to those about the mean response
#'   of these rows).
#' @section Errors:
#' `contree_input_error` if a column is missing, or if the response is not found or has missing
#' values; `contree_unsupported_error` for a tree that predicts several numbers.
#' @references E. B. Wilson (1927). Probable inference, the law of succession, and statistical
#'   inference. *Journal of the American Statistical Association* 22(158), 209-212.
#'   \doi{10.1080/01621459.1927.10502953}.
#'
#'   G. W. Brier (1950). Verification of forecasts expressed in terms of probability. *Monthly
#'   Weather Review* 78(1), 1-3.
#' @seealso [contree_cv()] if there are no rows to spare; [summary.contree()] for the training rows.
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- contree(Species ~ ., iris[train, ], depth = 2)
#' contree_accuracy(fit, iris[-train, ])
#' accuracy <- contree_accuracy(fit, iris[-train, ], level = 0.9)
#' accuracy$interval
#' accuracy$auc
#' plot(accuracy)
#'
#' train <- seq(1, 32, by = 2)
#' contree_accuracy(contree(mpg ~ ., mtcars[train, ], depth = 1), mtcars[-train, ])
#' contree_accuracy(gmt(mpg ~ wt | hp, mtcars[train, ], seed = 1), mtcars[-train, ])
#' @export
contree_accuracy <- function(fit, ...) UseMethod("contree_accuracy")

#' @rdname contree_accuracy
#' @export
contree_accuracy.contree_model <- function(fit, newdata, level = 0.95, y = NULL,
                                           laplace = 0, ...) {
  check_no_dots(...)
  check_fit(fit)
  refuse_policy(fit, "contree_accuracy()", gettext("use policy_value() with rewards of the rows"))
  need_newdata(missing(newdata))
  if (predicts_one_number(fit)) {
    return(judge_numbers(numbers_to_judge(fit, newdata, y), stats::predict(fit, newdata)))
  }
  need_classes(fit, "contree_accuracy()")
  check_level(level)
  truth <- true_classes(fit, newdata, y)
  judge_leaves(fit, unname(match(stats::predict(fit, newdata, type = "node"), node_ids(fit))),
               truth, level, check_laplace(laplace))
}

#' @rdname contree_accuracy
#' @export
contree_accuracy.hist_forest <- function(fit, newdata, level = 0.95, y = NULL, ...) {
  check_no_dots(...)
  need_newdata(missing(newdata))
  judge_model(any_model(fit), newdata, level, y)
}

#' @rdname contree_accuracy
#' @export
contree_accuracy.forged_forest <- contree_accuracy.hist_forest

#' @rdname contree_accuracy
#' @export
contree_accuracy.forest_ir <- contree_accuracy.hist_forest

need_newdata <- function(is_missing) {
  if (is_missing) {
    stop_input("newdata", gettext("'newdata' must be given"), gettext(paste(
      "summary() has the errors of the training rows, print() of a forest the out-of-bag error,",
      "contree_cv() that of held-out rows")))
  }
}

judge_model <- function(model, newdata, level, y) {
  check_level(level)
  truth <- any_truth(model, newdata, y)
  check_one_number(model)
  if (is.null(model$classes)) {
    return(judge_numbers(truth, any_prediction(model, newdata, "response")))
  }
  judge_classes(any_prediction(model, newdata, "class"), any_prediction(model, newdata, "prob"),
                truth, level)
}

# From the leaves (rows of the table of nodes) that rows came to, and their classes, a factor.
judge_leaves <- function(fit, leaf, truth, level, laplace) {
  judge_classes(node_class(fit)[leaf], node_proportions(fit, laplace)[leaf, , drop = FALSE], truth,
                level)
}

# From the class that is predicted for each row, the probabilities, and the classes, a factor.
judge_classes <- function(predicted, proportions, truth, level) {
  confusion <- confusion_table(truth, predicted)
  curves <- class_curves(proportions, as.character(truth))
  correct <- sum(diag(confusion))
  n <- sum(confusion)
  structure(
    list(n = n, correct = correct, accuracy = correct / n,
         interval = wilson_interval(correct, n, level), level = level,
         confusion = confusion, classes = class_figures(confusion),
         brier = brier_score(proportions, as.character(truth)), curves = curves,
         auc = curve_areas(curves)),
    class = "contree_accuracy")
}

# How far predicted numbers are from the true ones; the standard error takes rows for independent.
judge_numbers <- function(truth, predicted) {
  squares <- (truth - unname(predicted))^2
  n <- length(truth)
  structure(
    list(n = n, mse = mean(squares), se = stats::sd(squares) / sqrt(n),
         rmse = sqrt(mean(squares)), mae = mean(sqrt(squares)),
         r.squared = 1 - sum(squares) / sum((truth - mean(truth))^2)),
    class = "contree_number_accuracy")
}

#' @rdname contree_accuracy
#' @export
print.contree_number_accuracy <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  shown <- function(number) format(number, digits = digits)
  cat(gettextf("Mean squared error: %s on %s rows, standard error %s", shown(x$mse), format(x$n),
               shown(x$se)), "\n",
      gettextf("Root mean squared error: %s; mean absolute error: %s; R squared: %s",
               shown(x$rmse), shown(x$mae), shown(x$r.squared)), "\n", sep = "")
  invisible(x)
}

#' @export
contree_accuracy.contree_cv <- function(fit, ...) contree_accuracy(fit$fit, ...)

#' @export
contree_accuracy.default <- function(fit, ...) any_model(fit)

#' @rdname contree_accuracy
#' @export
print.contree_accuracy <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  shown <- function(proportion) format(proportion, digits = digits)
  cat(gettextf("Accuracy: %s (%s of %s rows), %s%% interval %s to %s", shown(x$accuracy),
               format(x$correct), format(x$n),
               format(100 * x$level), shown(x$interval[["lower"]]), shown(x$interval[["upper"]])),
      "\n", sep = "")
  cat(gettextf("Brier score: %s; area under the ROC curve: %s", shown(x$brier),
               areas_text(x$auc, digits)), "\n\n", sep = "")
  print_confusion(gettext("Rows by true and predicted class:"), x$confusion, x$classes, digits)
  invisible(x)
}

# Areas in words: one number with two classes, the mean with more.
areas_text <- function(auc, digits) {
  known <- auc[is.finite(auc)]
  number <- function(value) format(value, digits = digits)
  if (length(known) == 0) return(gettext("not defined for rows of one class"))
  if (length(auc) == 2) return(number(known[[1]]))
  if (length(known) > 5) return(gettextf("%s on average over %d classes", number(mean(known)),
                                         length(known)))
  paste(sprintf("%s (%s)", vapply(known, number, ""), names(known)), collapse = ", ")
}

# The proportions p of a population for which `correct` of `n` lies within z standard errors, sqrt(p
# (1 - p) / n), of n p.
wilson_interval <- function(correct, n, level) {
  z <- stats::qnorm((1 + level) / 2)
  proportion <- correct / n
  middle <- (proportion + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(proportion * (1 - proportion) / n + z^2 / (4 * n^2))
  # exact at the ends, where rounding would go past them
  c(lower = max(0, middle - half), upper = min(1, middle + half))
}

check_level <- function(level) {
  check_number("level", level, gettext("a number between 0 and 1, as 0.95"),
               function(value) value > 0 && value < 1)
}

# ---- tables of classes ---------------------------------------------------------------------------

# True classes in rows, predicted classes in columns, the same ones in both.
confusion_table <- function(truth, predicted) {
  classes <- union(levels(predicted), levels(truth))
  table(truth = factor(truth, classes), predicted = factor(predicted, classes))
}

class_figures <- function(confusion) {
  data.frame(n = rowSums(confusion), predicted = colSums(confusion),
             recall = diag(confusion) / rowSums(confusion),
             precision = diag(confusion) / colSums(confusion), row.names = rownames(confusion))
}

# ---- the truth -----------------------------------------------------------------------------------

# The classes of the rows of `newdata`: given, or the response of the formula.
true_classes <- function(fit, newdata, y, argument = "newdata") {
  check_table(argument, newdata)
  label <- "y"
  if (is.null(y)) {
    response <- response_expression(fit)
    label <- variable_label(response)
    y <- tryCatch(eval(response, as.data.frame(newdata), environment(tree_terms(fit))),
                  error = function(problem) {
      stop_input(argument, gettextf(
        "the response '%s' cannot be evaluated in '%s': %s; add it, or give 'y'",
        label, argument, conditionMessage(problem)))
    })
  }
  if (length(y) != nrow(newdata)) {
    stop_input(label, gettextf(
      "'%s' has %d rows, but '%s' has length %d; give one value for each row",
      argument, nrow(newdata), label, length(y)))
  }
  if (length(y) == 0) stop_input(argument, gettextf(
    "'%s' has no rows; give some whose response is known", argument))
  if (any(missing <- is.na(y))) {
    stop_input(label,
               gettextf("the response '%s' is missing (NA) in %d of %d rows; leave these rows out",
                        label,
                               sum(missing), length(y)))
  }
  by_class <- if (is_ensemble(fit)) fit$type == "classification" else predicts_classes(fit)
  if (by_class) read_response(y, label) else read_any_response(y, label)
}

# Whether leaves have a number or a model of one; classes and several numbers are judged otherwise,
# or not at all.
predicts_one_number <- function(fit) tree_leaf(fit) %in% c("number", "linear")

# True numbers of the rows, for a tree that predicts numbers.
numbers_to_judge <- function(fit, newdata, y, argument = "newdata") {
  y <- true_classes(fit, newdata, y, argument)
  if (is.double(y)) return(y)
  stop_input("y", gettext("the tree predicts numbers, but the response is classes"))
}

response_expression <- function(fit) {
  terms <- tree_terms(fit)
  if (!is.null(terms)) return(attr(terms, "variables")[[2]])
  stop_input("y", gettext(
    "the tree was fitted with 'x' and 'y' and has no formula to find the response by"),
    gettext("give it as 'y'"))
}
