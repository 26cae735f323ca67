# Predictions of forests: rows walk down all trees in C.

#' Predict with a forest
#'
#' @param object A fit of [hist_forest()].
#' @param newdata Data frame or numeric matrix with the predictors, as in [predict.contree()];
#'   missing values are allowed, and new levels count as missing, with a warning of class
#'   `contree_new_levels` that names them if a tree splits on the factor. By default the out-of-bag
#'   predictions of the training rows are returned (types `"class"`, `"prob"` and `"response"`
#'   only).
#' @param type What to return for each row:
#'   * `"class"`: the most probable class (the first of several equal ones), a factor;
#'   * `"prob"`: the probabilities of the classes, a matrix with a column for each: the mean over
#'     the trees of the class proportions in the leaf of the row;
#'   * `"response"` (the default): the predicted number, the mean over the trees; for classes the
#'     same as `"class"`;
#'   * `"votes"`: for each class the number of trees in whose leaf it is the most frequent, a
#'     matrix;
#'   * `"leaf"`: the leaf of the row in each tree, a matrix with a column for each tree; nodes are
#'     numbered as in [forest_tree()];
#'   * `"trees"`: the prediction of each tree, a class code or a number, a matrix with a column for
#'     each tree.
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
#' @return A factor, a vector or a matrix, with a value or a row for each row of `newdata`. With
#'   `se.fit` a list of these predictions, `fit`, and the standard errors, `se.fit`, in the same
#'   shape.
#' @section Errors:
#' `contree_input_error` for a column that is missing or of another type than in training; for a
#' GPU that is asked for and cannot be used; for `se.fit` with another type, without `newdata`, for
#' fewer than 2 trees, or if each tree was grown from all rows.
#' @references S. Wager, T. Hastie, B. Efron (2014). Confidence intervals for random forests: the
#' jackknife and the infinitesimal jackknife. *Journal of Machine Learning Research* 15, 1625-1651.
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
#' cars <- hist_forest(mpg ~ ., mtcars, trees = 200, seed = 1)
#' predict(cars, mtcars[1:3, ], se.fit = TRUE)
#' @export
predict.hist_forest <- function(object, newdata, type = c("response", "class", "prob", "votes",
                                                          "leaf", "trees"),
                                se.fit = FALSE, threads = NULL, na.action = stats::na.pass,
                                device = c("auto", "cpu", "cuda"), ...) {
  check_no_dots(...)
  device <- check_device(device)
  type <- check_choice("type", type, c("response", "class", "prob", "votes", "leaf", "trees"))
  if (check_flag("se.fit", se.fit)) check_has_errors(object, type, missing(newdata))
  if (object$type == "regression" && type %in% c("class", "prob", "votes")) {
    stop_input("type", gettextf(
      "type \"%s\" is for classes, but the forest predicts numbers; use \"response\"", type))
  }
  if (missing(newdata) || is.null(newdata)) {
    return(stats::napredict(object$na.action, predict_left_out(object, type)))
  }
  new <- new_columns(column_reader(object), newdata, na.action)
  tell_forest_levels(object, new$columns)
  columns <- walked_columns(object, new$columns)
  threads <- threads_to_use(check_threads("threads", threads))
  named <- function(answer) {
    if (is.matrix(answer)) rownames(answer) <- new$row_names else names(answer) <- new$row_names
    stats::napredict(new$na.action, answer)
  }
  answer <- named(said_by_forest(object, columns, type, threads, device))
  if (!se.fit) return(answer)
  list(fit = answer, se.fit = named(standard_errors(object, columns, threads)))
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

predict_left_out <- function(object, type) {
  if (is.null(object$oob)) {
    stop_input("newdata", gettext("the forest was grown with oob = FALSE; give 'newdata'"))
  }
  if (type %in% c("votes", "leaf", "trees")) {
    stop_input("newdata", gettextf("type \"%s\" needs 'newdata'", type))
  }
  if (type == "prob" || object$type == "regression") object$oob$predictions else object$oob$class
}

said_by_forest <- function(object, columns, type, threads, device) {
  what <- c(prob = 0L, votes = 1L, leaf = 2L, trees = 3L, class = 4L)
  if (type == "response") type <- if (object$type == "regression") "prob" else "class"
  answer <- walk_forest(object$forest, columns, what[[type]], threads, device)
  if (type %in% c("leaf", "trees")) return(answer)
  if (object$type == "regression") return(answer / tree_count(object))
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
