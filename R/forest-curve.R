# The error of rows left out by the number of trees.

#' Error by the number of trees
#'
#' How well the first tree, the first two, ... predict the training rows that they were not grown
#' from: whether more trees would help. The trees are asked again, which needs the training rows.
#'
#' @param fit A fit of [hist_forest()].
#' @param data The training rows, in the order in which the forest had them: a data frame or matrix
#'   with the predictors. `NULL`: what the fit's call names, evaluated again.
#' @param threads As in [contree_control()].
#' @return A data frame of class `forest_curve` with a row a number of trees: `trees`, `error`
#'   (proportion of wrong rows, or mean squared error, of the rows that some of these trees were not
#'   grown from; `NaN` if there is none), for classes `brier`, as in [hist_forest()], and `rows`,
#'   how many rows these are. The last row is the `oob` error of the fit. `plot()` draws `error` and
#'   returns the data frame invisibly.
#' @section Errors:
#' `contree_input_error` if the training rows are not found, or are others in number.
#' @seealso [plot.hist_forest()]
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 100, seed = 1)
#' curve <- forest_curve(fit)
#' tail(curve, 3)
#' plot(curve)
#' @export
forest_curve <- function(fit, data = NULL, threads = NULL) {
  check_forest(fit)
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
  out <- which(sample_of_tree(fit$forest, i, fit$n, fit$control, fit$sampling) == 0)
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

#' Plot a forest
#'
#' The error of rows left out by the number of trees, or the importance of the predictors.
#'
#' @param x A fit of [hist_forest()], or a value of [forest_curve()].
#' @param type `"error"`, or `"importance"`.
#' @param data As in [forest_curve()], for `"error"`.
#' @param measure Of the importance: `"permutation"` (if the forest has it) or `"impurity"`.
#' @param n Greatest number of predictors to show, the most important ones.
#' @param main,xlab,ylab Title and labels of the axes.
#' @param ... Given to [plot()][graphics::plot.default] or [dotchart()][graphics::dotchart].
#' @return What is drawn, invisibly: a value of [forest_curve()], or the rows of `importance`.
#' @section Errors:
#' `contree_input_error` for an importance that the forest does not have, and as [forest_curve()].
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 100, seed = 1)
#' plot(fit)
#' plot(fit, type = "importance")
#' @export
plot.hist_forest <- function(x, type = c("error", "importance"), data = NULL, measure = NULL,
                             n = 20, main = NULL, ...) {
  if (check_choice("type", type, c("error", "importance")) == "error") {
    # the training rows are looked for where plot() was called
    curve <- eval(call("forest_curve", x, data), list(forest_curve = forest_curve), parent.frame())
    return(plot(curve, main = main, ...))
  }
  plot_importance(x$importance, measure, n, main, ...)
}

#' @rdname plot.hist_forest
#' @export
plot.forest_curve <- function(x, main = NULL, xlab = gettext("trees"), ylab = NULL, ...) {
  if (is.null(ylab)) {
    ylab <- if (is.null(x$brier)) gettext("mean squared error, rows left out")
            else gettext("proportion wrong, rows left out")
  }
  graphics::plot(x$trees, x$error, type = "l", main = main, xlab = xlab, ylab = ylab, ...)
  invisible(x)
}

plot_importance <- function(importance, measure, n, main, ...) {
  known <- rev(setdiff(names(importance), "variable"))
  if (length(known) == 0) {
    stop_input("type", gettext("the forest was grown with importance = \"none\""))
  }
  measure <- if (is.null(measure)) known[1] else check_choice("measure", measure, known)
  check_number("n", n, gettext("a whole number of at least 1"), is_count)
  shown <- utils::head(importance[order(-importance[[measure]]), ], n)
  labels <- c(impurity = gettext("decrease of impurity"),
              permutation = gettext("loss by shuffling, rows left out"))
  graphics::dotchart(rev(shown[[measure]]), labels = rev(shown$variable), main = main, pch = 19,
                     xlab = labels[[measure]], ...)
  invisible(shown)
}
