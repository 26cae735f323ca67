# The error of rows left out by the number of trees.

#' Errors of a forest
#'
#' `forest_curve()` is the out-of-bag error of the first tree, the first two trees, and so on, which
#' shows whether more trees would help. The training rows are needed, since the trees predict them
#' again.
#'
#' @param fit A fit of [hist_forest()]; for `forest_brier()` one whose response is
#'   `Surv(time, status)`.
#' @param data The training rows, in their original order: a data frame or matrix with the
#'   predictors. `NULL`, the default, evaluates the data in the call of the fit again.
#' @param threads As in [contree_control()].
#' @return `forest_curve()`: a data frame of class `forest_curve` with a row for each number of
#'   trees: `trees`, `error` (proportion of misclassified rows, or mean squared error, among the
#'   rows that are out of bag for at least one of these trees; `NaN` if there is none), for classes
#'   `brier`, as in [hist_forest()], and `rows`, the number of these rows. The last row is the `oob`
#'   error of the fit. `plot()` draws `error` and returns the data frame invisibly.
#' @seealso [plot.hist_forest()]
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 100, seed = 1)
#' curve <- forest_curve(fit)
#' tail(curve, 3)
#' plot(curve)
#' @export
forest_curve <- function(fit, data = NULL, threads = NULL) {
  check_forest(fit)
  refuse_survival(fit, gettext("curves of the error by the number of trees"))
  refuse_rates(fit, gettext("curves of the error by the number of trees"))
  threads <- threads_to_use(check_threads("threads", threads))
  columns <- training_columns(fit, data, parent.frame())
  so_far <- list(sums = matrix(0, fit$n, max(1L, fit$forest$n_classes)), times = integer(fit$n))
  rows <- list()
  for (trees in pieces(tree_count(fit), piece_cells / fit$n)) {
    leaves <- leaves_of_rows(only_trees(fit$forest, trees), columns, threads)
    for (i in trees) {
      so_far <- add_tree_left_out(so_far, fit, i, leaves[, i - trees[1] + 1])
      rows[[i]] <- error_left_out(so_far, fit$y)
    }
  }
  structure(data.frame(trees = seq_along(rows), do.call(rbind, rows)),
            class = c("forest_curve", "data.frame"))
}

add_tree_left_out <- function(so_far, fit, i, leaf) {
  out <- which(is_out_of_bag(fit, drawn_for(fit, i)))
  values <- values_of_nodes(fit$forest, i)[leaf[out], , drop = FALSE]
  so_far$sums[out, ] <- so_far$sums[out, ] + values
  so_far$times[out] <- so_far$times[out] + 1L
  so_far
}

error_left_out <- function(so_far, y) {
  known <- which(so_far$times > 0)
  said <- so_far$sums[known, , drop = FALSE] / so_far$times[known]
  if (!is.factor(y)) {
    return(data.frame(error = mean((said[, 1] - y[known])^2), rows = length(known)))
  }
  truth <- as.integer(y)[known]
  squares <- rowSums(said^2) - 2 * said[cbind(seq_along(truth), truth)] + 1
  data.frame(error = mean(max.col(said, ties.method = "first") != truth), brier = mean(squares),
             rows = length(known))
}

#' @rdname print.hist_forest
#' @param type,what `"error"` (the default), `"importance"` (of survival forests the default) or, of
#'   survival forests, `"survival"`; either argument may be given, the second as in
#'   [plot.contree()].
#' @param data As in [forest_curve()], for `"error"` and `"survival"`.
#' @param measure For `"importance"`: `"permutation"` or `"corrected"` (the default if the forest
#'   has it) or `"impurity"`.
#' @param n Number of predictors to show at most, a whole number, by default 20: the most important
#'   ones.
#' @param newdata For `"survival"`: new rows, as in [predict.hist_forest()], which get a curve each;
#'   `NULL`, the default, for the training rows, each predicted by the trees that were not grown
#'   from it.
#' @param groups For `"survival"`: the group of each row, a factor or vector, or a number of groups
#'   of equal size by predicted mortality. A group has the mean of the curves of its rows. `NULL`,
#'   the default: 3 groups of the training rows, and each of the new rows. At most 12.
#' @param times For `"survival"`: increasing times at which the curves are known; `NULL`, the
#'   default, for those of events, or 200 of them.
#' @param risk_table For `"survival"`: `TRUE`, the default, to show below the curves how many rows
#'   of each group, or with `newdata` of all training rows, are at risk, which are those with
#'   neither their event nor the end of their observation before that time. `FALSE` for none.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @return `plot()`: what is drawn, invisibly: a value of [forest_curve()]; the rows of
#'   `importance`; or for `"survival"` a list of two data frames, `curves` (`group`, `time`,
#'   `survival`) and `at_risk` (`group`, `time`, `n`).
#' @section Errors:
#' `contree_input_error` for an importance that the forest does not have, for `"survival"` of other
#' forests, for `groups` that do not fit the rows, and as for [forest_curve()].
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 100, seed = 1)
#' plot(fit)
#' plot(fit, what = "importance")
#'
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   alive <- hist_forest(survival::Surv(time, status) ~ ., survival::lung[-1], seed = 1)
#'   plot(alive, what = "survival")
#'   plot(alive, what = "survival", newdata = survival::lung[1:3, ])
#' }
#' @export
plot.hist_forest <- function(x, type = c("error", "importance", "survival"), data = NULL,
                             measure = NULL, n = 20, main = NULL, what = type, newdata = NULL,
                             groups = NULL, times = NULL, risk_table = TRUE, ...) {
  check_title(main)
  # of survival forests there is no curve of the error
  if (missing(type) && missing(what) && x$type == "survival") what <- "importance"
  argument <- if (missing(what)) "type" else "what"
  if (identical(what, "tree")) {
    stop_input(argument, gettextf("'%s' cannot be \"tree\": %s", argument, one_tree_text()))
  }
  what <- check_choice(argument, what, c("error", "importance", "survival"))
  if (what == "survival") {
    check_survival_type(x, what)
    rows <- survival_rows(x, newdata, data, times, parent.frame())
    return(plot_survival(survival_picture(x, rows, groups), risk_table, main, ...))
  }
  if (what == "error") {
    # the training rows are looked for where plot() was called
    curve <- eval(call("forest_curve", x, data), list(forest_curve = forest_curve), parent.frame())
    return(plot(curve, main = main, ...))
  }
  plot_importance(x$importance, measure, n, main, ...)
}

#' @param x A value of `forest_curve()`.
#' @param main,xlab,ylab Title and axis labels, strings; `NULL` for the default labels, and no
#'   title.
#' @param ... Passed on to [plot()][graphics::plot.default].
#' @rdname forest_curve
#' @export
plot.forest_curve <- function(x, main = NULL, xlab = gettext("trees"), ylab = NULL, ...) {
  if (is.null(ylab)) {
    ylab <- if (is.null(x$brier)) gettext("mean squared error (out of bag)")
            else gettext("misclassification error (out of bag)")
  }
  graphics::plot(x$trees, x$error, type = "l", main = main, xlab = xlab, ylab = ylab, ...)
  invisible(x)
}

# What a column of the importance of a forest is.
importance_label <- function(measure) {
  switch(measure, impurity = gettext("decrease of impurity"),
         permutation = gettext("permutation importance (out of bag)"), measure)
}

plot_importance <- function(importance, measure, n, main, ..., xlim = NULL) {
  known <- rev(setdiff(names(importance), "variable"))
  if (length(known) == 0) {
    stop_input("type", gettext("the forest was grown with importance = \"none\""))
  }
  measure <- if (is.null(measure)) known[1] else check_choice("measure", measure, known)
  check_number("n", n, gettext("a whole number of at least 1"), is_count)
  shown <- utils::head(importance[order(-importance[[measure]]), ], n)
  if (is.null(xlim)) xlim <- range(0, shown[[measure]])
  title <- importance_label(measure)
  names <- names_at_left(shown$variable)$names
  drawn <- utils::modifyList(list(cex.lab = label_size(title, names)), list(...))
  do.call(graphics::dotchart,
          c(list(rev(shown[[measure]]), labels = rev(names), main = main, pch = 19,
                 xlab = title, xlim = xlim), drawn))
  invisible(shown)
}
