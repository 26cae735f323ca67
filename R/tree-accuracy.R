# How good a tree is on rows that it was not fitted to.

#' Accuracy of a tree on a test set
#'
#' Predicts rows whose classes are known, and counts. The interval is that of Wilson (1927), which
#' stays near its level also for few rows and for proportions near 0 and 1, where *proportion +-
#' 1.96 standard errors* does not. It holds for rows drawn independently from the same population,
#' and for a tree that was neither fitted to nor chosen by them.
#'
#' @param fit A fit of [contree()], or a value of [contree_cv()], of which the element `fit` is
#'   taken.
#' @param newdata Data frame or matrix with the columns the tree was fitted with, as for
#'   [predict.contree()], and the response.
#' @param level Confidence level of the interval, between 0 and 1.
#' @param y The classes of the rows of `newdata`. Without it, the response of the formula is
#'   evaluated in `newdata`; trees that were fitted with `x` and `y` need it.
#' @param x A value of `contree_accuracy()`.
#' @param digits Significant digits.
#' @param ... Not used.
#' @return A list of class `contree_accuracy`: `n` (rows), `correct` (rows classified correctly),
#'   `accuracy` (their proportion), `interval` (numeric, `lower` and `upper`), `level`; `confusion`
#'   (table, rows are the true and columns the predicted classes) and `classes` (data frame, one row
#'   a class: `n`, `predicted`, `recall`, `precision`; `NaN` where a class is never there or never
#'   predicted). Classes that the tree does not know are counted as errors.
#' @section Errors:
#' An error of class `contree_input_error` if a column is missing, or the response is not there or
#' has missing values.
#' @references E. B. Wilson (1927). Probable inference, the law of succession, and statistical
#'   inference. *Journal of the American Statistical Association* 22(158), 209-212.
#'   \doi{10.1080/01621459.1927.10502953}.
#' @seealso [contree_cv()] where there are no rows to spare; [summary.contree()] for the training
#'   rows.
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- contree(Species ~ ., iris[train, ], depth = 2)
#' contree_accuracy(fit, iris[-train, ])
#' contree_accuracy(fit, iris[-train, ], level = 0.9)$interval
#' @export
contree_accuracy <- function(fit, ...) UseMethod("contree_accuracy")

#' @rdname contree_accuracy
#' @export
contree_accuracy.contree_model <- function(fit, newdata, level = 0.95, y = NULL, ...) {
  check_no_dots(...)
  check_fit(fit)
  need_classes(fit, "contree_accuracy()")
  check_level(level)
  truth <- true_classes(fit, newdata, y)
  confusion <- confusion_table(truth, stats::predict(fit, newdata))
  correct <- sum(diag(confusion))
  n <- sum(confusion)
  structure(
    list(n = n, correct = correct, accuracy = correct / n,
         interval = wilson_interval(correct, n, level), level = level,
         confusion = confusion, classes = class_figures(confusion)),
    class = "contree_accuracy")
}

#' @export
contree_accuracy.contree_cv <- function(fit, ...) contree_accuracy(fit$fit, ...)

#' @export
contree_accuracy.default <- function(fit, ...) check_fit(fit)

#' @rdname contree_accuracy
#' @export
print.contree_accuracy <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  shown <- function(proportion) format(proportion, digits = digits)
  cat(gettextf("Accuracy: %s (%s of %s rows), %s%% interval %s to %s", shown(x$accuracy),
               format(x$correct), format(x$n),
               format(100 * x$level), shown(x$interval[["lower"]]), shown(x$interval[["upper"]])),
               "\n\n", sep = "")
  print_confusion(gettext("Rows by true and predicted class:"), x$confusion, x$classes, digits)
  invisible(x)
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
  fine <- is.numeric(level) && length(level) == 1 && !is.na(level) && level > 0 && level < 1
  if (!fine) stop_input("level",
                        gettextf("'level' must be a number between 0 and 1, as 0.95, not %s",
                                 show_value(level)))
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
true_classes <- function(fit, newdata, y) {
  label <- "y"
  if (is.null(y)) {
    response <- response_expression(fit)
    label <- variable_label(response)
    y <- tryCatch(eval(response, as.data.frame(newdata), environment(tree_terms(fit))),
                  error = function(problem) {
      stop_input("newdata", gettextf(
        "the response '%s' cannot be evaluated in 'newdata': %s; add it, or give 'y'",
        label, conditionMessage(problem)))
    })
  }
  if (length(y) != nrow(newdata)) {
    stop_input(label, gettextf(
      "'newdata' has %d rows, but '%s' has length %d; give one class for each row",
      nrow(newdata), label, length(y)))
  }
  if (length(y) == 0) stop_input("newdata",
                                 gettext(
                                   "'newdata' has no rows; give some whose classes are known"))
  if (any(missing <- is.na(y))) {
    stop_input(label,
               gettextf("the response '%s' is missing (NA) in %d of %d rows; leave these rows out",
                        label,
                               sum(missing), length(y)))
  }
  read_response(y, label)
}

response_expression <- function(fit) {
  terms <- tree_terms(fit)
  if (!is.null(terms)) return(attr(terms, "variables")[[2]])
  stop_input("y", gettext(
    "the tree was fitted with 'x' and 'y' and has no formula to find the response by"),
    gettext("give it as 'y'"))
}
