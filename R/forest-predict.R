# Predictions of forests: rows walk down all trees in C.

#' Predict with a forest
#'
#' Predicts new rows, or the training rows out of bag: classes, probabilities, numbers, quantiles,
#' survival curves, or the leaves of the trees.
#'
#' @param object A fit of [hist_forest()].
#' @param newdata Data frame or numeric matrix with the predictors, as in [predict.contree()];
#'   missing values are allowed, and new levels count as missing, with a warning of class
#'   `contree_new_levels` that names them if a tree splits on the factor. By default the out-of-bag
#'   predictions of the training rows are returned (types `"class"`, `"prob"`, `"response"`,
#'   `"quantiles"` and `"weights"` only).
#' @param type What to return for each row:
#'   * `"class"`: the most probable class (the first of several equal ones), a factor;
#'   * `"prob"`: the probabilities of the classes, a matrix with a column for each: the mean over
#'     the trees of the class proportions in the leaf of the row;
#'   * `"response"`: the predicted number, the mean over the trees; the default is `"response"` for
#'     numbers and `"class"` for classes;
#'   * `"votes"`: for each class the number of trees in whose leaf it is the most frequent, a
#'     matrix;
#'   * `"node"` (or `"leaf"`): the leaf of the row in each tree, a matrix with a column for each
#'     tree; nodes are numbered as in [forest_tree()];
#'   * `"trees"`: the prediction of each tree, a class code or a number, a matrix with a column for
#'     each tree.
#'   * `"quantiles"`: quantiles of the response, a matrix with a column for each of `quantiles`;
#'     of survival forests of the time of the event, `NA` where the curve does not fall so far;
#'   * `"survival"`, `"chf"`: of survival forests, the probability of no event up to each of
#'     `times`, exp(-H), and the cumulative hazard, H: matrices with a column for each time;
#'     `"mortality"` (also `"response"`): the sum of the cumulative hazards over the event times,
#'     larger where events are expected earlier;
#'   * `"weights"`: the weight of each training row, a matrix with a column for each; they sum to 1,
#'     and the mean of the responses with these weights is the prediction. It takes 8 bytes for
#'     each pair of rows.
#'
#'   Quantiles and weights are for survival forests, and forests of numbers grown with
#'   `quantiles = TRUE`; see Quantiles.
#' @param quantiles Probabilities of the quantiles, numbers from 0 to 1; 0.1, 0.5 and 0.9 by
#'   default.
#' @param what With `"quantiles"`, a function of a numeric vector that is called for each row
#'   instead, as in `ranger`: with as many responses as there are trees, drawn by their weights with
#'   R's generator. `NULL`, the default, for none. Its values, of one length, are the columns.
#' @param interval `"none"` (the default), or `"conformal"` for limits between which the response of
#'   a new row is with about probability `level`; for regression forests and `"response"`.
#' @param level Level of the intervals, a number between 0 and 1; 0.95 by default.
#' @param times Times of survival curves, numbers in any order; `NULL`, the default, for all times
#'   at which a training row had an event.
#' @param data The training data, if the call of the fit no longer finds them; for
#'   out-of-bag quantiles and weights, and for conformal intervals from quantiles.
#' @param se.fit Return standard errors as well? `FALSE` by default. For new rows, with `"prob"`, or
#'   with `"response"` of a regression forest.
#' @param threads As in [contree_control()].
#' @param na.action Function applied to the predictors of `newdata` first; [na.pass()] by default.
#' @param device Where the rows walk down the trees: `"auto"` (the default) uses the first GPU if
#'   there is one and trees and rows are many enough to benefit, else the CPU; `"cpu"` only the CPU;
#'   `"cuda"` the first GPU and `"cuda:1"` the second (see [contree_gpu()] for their numbers), which
#'   is an error if it cannot be used. The predictions are the same. If a GPU fails, or its memory
#'   is too small for the forest, `"auto"` uses the CPU and says so. Standard errors are computed on
#'   the CPU.
#' @param ... Not used.
#' @section Standard errors:
#' They are estimated by the infinitesimal jackknife: how the prediction would change if other rows
#' had been in the training data, from the covariances, over the trees, between the prediction of a
#' tree and how often each row was sampled for it. The bias due to the finite number of trees is
#' subtracted (Wager, Hastie, Efron 2014), after which an estimated variance may be negative or 0:
#' the standard error is then `NA`, with a warning of class `contree_few_trees` that says how many
#' trees to grow, which is about five times the number of training rows. It is 0 where all trees
#' agree, if they are at least as many as the training rows. Without replacement the variance is
#' multiplied by n(n - 1)/(n - s)^2, where s of n rows are sampled (Wager, Athey 2018). The samples
#' of the trees are drawn again from their seeds, which takes 4 bytes for each training row and
#' tree. `ranger` additionally smooths such variances if there are few new rows.
#' @section Quantiles:
#' Quantile regression forests (Meinshausen 2006), from all rows of the leaves: a training row
#' weighs how often it was drawn divided by the number of rows drawn in the leaf, in the mean of the
#' trees. A quantile is the lowest response up to which the weights sum to its probability, or come
#' within 2^-31 of it. `ranger`, and `quantile-forest` by default, keep one random row of each leaf
#' instead. Out of bag, the trees that were grown from a row do not count (`NaN` where none is
#' left); the training rows are found by the call of the fit, and are checked to be the same.
#'
#' Intervals between such quantiles are too wide as a rule: in simulations those from 0.1 to 0.9
#' covered 82% to 92%, as those of other packages do. With `interval = "conformal"` out-of-bag rows
#' correct this. With `quantiles = TRUE` the interval is that between the quantiles at (1 - `level`)
#' / 2 and its opposite, made wider or narrower by the same amount for all rows, such that `level`
#' of the out-of-bag rows are within theirs (Romano, Patterson, Candes 2019); without, the
#' prediction less and plus a quantile of the absolute out-of-bag errors, as wide for all rows
#' (Johansson et al. 2014). In the same simulations intervals of 80% covered 81% to 84%: rows out of
#' bag are predicted by fewer trees than new ones, and so a little worse.
#' @return A factor, a vector or a matrix, with a value or a row for each row of `newdata`. With
#'   `se.fit` a list of these predictions, `fit`, and the standard errors, `se.fit`, in the same
#'   shape; with an interval a matrix with the columns `fit`, `lwr` and `upr`.
#' @section Errors:
#' `contree_input_error` for a column that is missing or of another type than in training; for a
#' GPU that is asked for and cannot be used; for `se.fit` with another type, without `newdata`, for
#' fewer than 2 trees, or if each tree was grown from all rows; for quantiles and weights of a
#' forest that has not kept its rows, or, out of bag, if the training rows are not found.
#' @references S. Wager, T. Hastie, B. Efron (2014). Confidence intervals for random forests: the
#' jackknife and the infinitesimal jackknife. *Journal of Machine Learning Research* 15, 1625-1651.
#'
#' N. Meinshausen (2006). Quantile regression forests. *Journal of Machine Learning Research* 7,
#' 983-999.
#'
#' Y. Romano, E. Patterson, E. Candes (2019). Conformalized quantile regression. *Advances in Neural
#' Information Processing Systems* 32.
#'
#' U. Johansson, H. Bostrom, T. Lofstrom, H. Linusson (2014). Regression conformal prediction with
#' random forests. *Machine Learning* 97, 155-176. \doi{10.1007/s10994-014-5453-0}.
#'
#' S. Wager, S. Athey (2018). Estimation and inference of heterogeneous treatment effects using
#' random forests. *Journal of the American Statistical Association* 113(523), 1228-1242.
#' \doi{10.1080/01621459.2017.1319839}.
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 50, seed = 1)
#' predict(fit, iris[c(1, 71, 101), ])
#' predict(fit, iris[c(1, 71, 101), ], type = "prob")
#' mean(predict(fit) != iris$Species) # out of bag
#'
#' cars <- hist_forest(mpg ~ ., mtcars, trees = 500, seed = 1)
#' predict(cars, mtcars[1:3, ], se.fit = TRUE)
#' predict(cars, mtcars[1:3, ], interval = "conformal", level = 0.8)
#'
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   alive <- hist_forest(survival::Surv(time, status) ~ ., survival::lung[-1], trees = 50)
#'   predict(alive, survival::lung[1:3, ], type = "survival", times = c(100, 365))
#' }
#'
#' kept <- hist_forest(mpg ~ ., mtcars, trees = 200, quantiles = TRUE, seed = 1)
#' predict(kept, mtcars[1:3, ], type = "quantiles")
#' @export
predict.hist_forest <- function(object, newdata, type = c("response", "class", "prob", "votes",
                                                          "leaf", "trees", "quantiles",
                                                          "weights", "survival", "chf",
                                                          "mortality"),
                                se.fit = FALSE, quantiles = c(0.1, 0.5, 0.9), what = NULL,
                                interval = c("none", "conformal"), level = 0.95, times = NULL,
                                data = NULL, threads = NULL, na.action = stats::na.pass,
                                device = c("auto", "cpu", "cuda"), ...) {
  check_no_dots(...)
  caller <- parent.frame()
  device <- check_device(device)
  refuse_contributions(type)
  type <- check_choice("type", type, alias = c(node = "leaf"))
  if (object$type == "classification" && type == "response") type <- "class"
  check_survival_type(object, type)
  if (type == "mortality") type <- "response"
  if (check_flag("se.fit", se.fit)) check_has_errors(object, type, missing(newdata))
  if (object$type != "classification" && type %in% c("class", "prob", "votes")) {
    stop_input("type", gettextf(
      "type \"%s\" is for classes, but the forest predicts numbers; use \"response\"", type))
  }
  asked <- check_asked_of_rows(object, type, quantiles, what, times)
  interval <- check_forest_interval(object, type, se.fit, interval, level)
  n <- if (missing(newdata) || is.null(newdata)) object$n else NROW(newdata)
  threads <- threads_worth(check_threads("threads", threads), 10 * n * tree_count(object))
  found <- function() training_columns(object, data, caller)
  if (missing(newdata) || is.null(newdata)) {
    if (interval) stop_input("newdata", gettext("conformal intervals need 'newdata'"))
    answer <- if (is.null(asked)) predict_left_out(object, type) else {
      only_held_out(object, said_by_rows(object, found(), asked, threads, left_out = TRUE))
    }
    return(stats::napredict(object$na.action, name_rows(answer, names_of_rows(object))))
  }
  new <- new_columns(column_reader(object), newdata, na.action)
  tell_forest_levels(object, new$columns)
  columns <- walked_columns(object, new$columns)
  named <- function(answer) stats::napredict(new$na.action, name_rows(answer, new$row_names))
  if (!is.null(asked)) return(named(said_by_rows(object, columns, asked, threads)))
  answer <- said_by_forest(object, columns, type, threads, device)
  if (interval) answer <- conformal_of_forest(object, answer, columns, found, level, threads)
  if (!se.fit) return(named(answer))
  list(fit = named(answer), se.fit = named(standard_errors(object, columns, threads)))
}

# What data-newdata.R asks of a fit: here every predictor is asked for.
column_reader <- function(fit) {
  c(fit[c("shape", "terms", "types", "xlevels", "units")],
    list(frame = list(var = fit$shape$names)))
}

# Levels that no training data had, of columns that some tree splits on.
tell_forest_levels <- function(object, columns) {
  if (is.matrix(columns)) return(invisible())
  if (length(unknown_levels(columns, names(columns))) == 0) return(invisible())
  split_on <- unique(bitwAnd(object$forest$nodes[c(FALSE, TRUE)], 65535L)) # in leaves it is 65535
  unknown <- unknown_levels(columns, object$shape$names[sort(setdiff(split_on, 65535L)) + 1L])
  if (length(unknown)) warn_new_levels(unknown, gettext("they count as missing values"))
}

# Names of the training rows; those that were numbers are not kept.
names_of_rows <- function(object) {
  if (is.null(object$row_names)) as.character(seq_len(object$n)) else object$row_names
}

predict_left_out <- function(object, type) {
  if (is.null(object$oob)) {
    stop_input("newdata", gettext("the forest was grown with oob = FALSE; give 'newdata'"))
  }
  if (type %in% c("votes", "leaf", "trees")) {
    stop_input("newdata", gettextf("type \"%s\" needs 'newdata'", type))
  }
  if (type == "prob" || object$type != "classification") object$oob$predictions
  else object$oob$class
}

said_by_forest <- function(object, columns, type, threads, device) {
  what <- c(prob = 0L, votes = 1L, leaf = 2L, trees = 3L, class = 4L)
  if (type == "response") type <- if (object$type != "classification") "prob" else "class"
  answer <- walk_forest(object$forest, columns, what[[type]], threads, device)
  if (type == "leaf") return(answer)
  if (object$type != "classification") answer <- answer * scale_of_means(object)
  if (type == "trees") return(answer)
  if (object$type != "classification") return(answer / tree_count(object))
  if (type == "class") return(factor(object$classes[answer], object$classes))
  colnames(answer) <- object$classes
  answer
}

# What ffi_hist_predict says; and why a GPU did not, if it should have.
walk_forest <- function(forest, columns, what, threads, device) {
  told <- call_forest(.Call(ffi_hist_predict, forest, columns, what, threads, device))
  tell_without_gpu(gettext("predictions were made without the GPU"), told$device_note)
  told$answer
}
