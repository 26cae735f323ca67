# Model trees for the eye: the models of the leaves, and the course of the search. The tree itself
# is drawn as any tree.

#' @rdname coef.gmt
#' @details
#' `plot()` with `what = "tree"` draws the tree as [plot.contree()] does, with the equations of the
#' models in the leaves. `"partial"` draws a panel for each leaf (rows) and regressor (columns) with
#' the partial residuals of the rows of the leaf, that is the contribution of the regressor to the
#' prediction plus the residual, and the contribution as a line, or a bar for each level of a
#' factor. A curve in the points shows what the linear model misses. `"progress"` draws the BIC of
#' the best tree so far against the number of rows examined by the search, with the number of leaves
#' at each improvement.
#' @param what `"tree"` (the default), `"partial"`, `"progress"`, or `"importance"` for
#'   [contree_importance()] on the training rows.
#' @param regressors For `"partial"`: names of regressors, a character vector; `NULL`, the default,
#'   selects the four most important.
#' @param leaves For `"partial"`: numbers of leaves; `NULL`, the default, selects the four with most
#'   rows.
#' @param data For `"partial"`: the training rows, a data frame; needed if the call of the fit does
#'   not find them again; `NULL` by default.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @return `plot()`: invisibly, with `"tree"` as [plot.contree()]; with `"partial"` a data frame of
#'   `leaf`, `regressor`, `x` (for factors the codes of the levels), `partial` and `residual`; with
#'   `"progress"` `fit$gmt$history`, a row for each tree that was the best so far: `kick` (number
#'   of random changes made), `leaves`, `bic` and `deviance` (on the rows that were searched),
#'   `touched` (rows examined by searches of single splits), `time` (seconds).
#' @examples
#' plot(fit)
#' plot(fit, what = "partial")
#' plot(fit, what = "progress")
#' @export
plot.gmt <- function(x, what = c("tree", "partial", "progress", "importance"), regressors = NULL,
                     leaves = NULL, data = NULL, main = NULL, ...) {
  check_title(main)
  what <- check_choice("what", what)
  if (what == "tree") return(plot.contree_model(x, main = main, ...))
  check_no_dots(...)
  check_fit(x, "x")
  if (what == "progress") return(plot_moments(x, main))
  if (what == "importance") return(plot(contree_importance(x), main = main))
  points <- partial_residuals(x, chosen_regressors(x, regressors), chosen_leaves(x, leaves),
                              training_regressors(x, data, parent.frame()))
  panels <- split(points, points[c("regressor", "leaf")])
  old <- graphics::par(mfrow = c(nlevels(points$leaf), nlevels(points$regressor)),
                       mar = c(3.5, 3.5, 1.5, 0.5), mgp = c(2.2, 0.7, 0),
                       oma = c(0, 0, if (is.null(main)) 0 else 2, 0))
  on.exit(graphics::par(old))
  for (panel in panels) draw_partial(panel, tree_xlevels(x)[[as.character(panel$regressor[1])]])
  if (!is.null(main)) graphics::mtext(main, outer = TRUE, font = 2)
  invisible(points)
}

chosen_regressors <- function(fit, regressors) {
  known <- fit$gmt$regressors
  if (length(known) == 0) {
    stop_input("what", gettext("the leaves are constants, so there are no partial residuals"))
  }
  if (is.null(regressors)) {
    return(utils::head(names(sort(saved_by_models(fit), decreasing = TRUE)), 4))
  }
  bad <- if (is.character(regressors) && length(regressors)) setdiff(regressors, known)
         else regressors
  if (length(bad) || length(regressors) == 0) {
    stop_input("regressors", gettextf("'regressors' must be among %s, not %s", show_names(known),
                                      show_value(bad)))
  }
  regressors
}

# Rows of the frame.
chosen_leaves <- function(fit, leaves) {
  rows <- which(node_is_leaf(fit))
  if (is.null(leaves)) {
    return(sort(utils::head(rows[order(-node_n(fit)[rows])], 4)))
  }
  found <- if (is.atomic(leaves)) rows[match(leaves, node_ids(fit)[rows])]
  if (anyNA(found) || length(found) == 0) {
    stop_input("leaves", gettextf("'leaves' must be among %s, not %s",
                                  show_values(node_ids(fit)[rows], 10), show_value(leaves)))
  }
  found
}

# The regressors of the training rows that have a weight, as the models take them.
training_regressors <- function(fit, data, env) {
  frame <- if (is.null(data)) rows_of_fit(fit, env) else data
  columns <- if (!is.null(frame)) {
    frame <- structure(as.list(frame), row.names = attr(frame, "row.names"), class = "data.frame")
    if (is.null(data)) read_new_types(spread_columns(as.list(frame))[fit$gmt$regressors], fit)
    else new_columns(fit, frame, stats::na.pass)$columns
  }
  if (is.null(columns) || length(columns[[1]]) != length(tree_where(fit))) {
    stop_input("data", gettextf("give all %d training rows as 'data'", length(tree_where(fit))))
  }
  columns
}

partial_residuals <- function(fit, regressors, leaves, x) {
  where <- unname(tree_where(fit))
  terms <- gmt_terms(fit, x, where, extrapolate = TRUE)
  residual <- tree_y(fit) - fit$fitted.values
  ids <- node_ids(fit)
  points <- lapply(leaves, function(leaf) {
    rows <- which(where == leaf)
    do.call(rbind, lapply(regressors, function(name) {
      data.frame(leaf = ids[leaf], regressor = name, x = as.double(x[[name]][rows]),
                 partial = terms[rows, name], residual = residual[rows])
    }))
  })
  points <- do.call(rbind, points)
  points$leaf <- factor(points$leaf, ids[leaves])
  points$regressor <- factor(points$regressor, regressors)
  row.names(points) <- NULL
  points
}

# A panel; `levels` of a factor.
draw_partial <- function(panel, levels) {
  panel <- panel[!is.na(panel$x), ]
  name <- as.character(panel$regressor[1])
  height <- panel$partial + panel$residual
  if (nrow(panel) == 0) return(graphics::plot.new())
  range <- if (is.null(levels)) range(panel$x) else c(0.5, length(levels) + 0.5)
  graphics::plot(panel$x, height, xlim = range, pch = 19, cex = 0.6, col = "grey50", las = 1,
                 xlab = name, ylab = gettext("partial residual"),
                 main = gettextf("node %s, n=%d", panel$leaf[1], nrow(panel)), cex.main = 0.9,
                 xaxt = if (is.null(levels)) "s" else "n")
  order <- order(panel$x)
  if (is.null(levels)) {
    graphics::lines(panel$x[order], panel$partial[order], col = "#0072B2", lwd = 2)
  } else {
    graphics::axis(1, seq_along(levels), levels)
    each <- !duplicated(panel$x)
    graphics::segments(panel$x[each] - 0.3, panel$partial[each], panel$x[each] + 0.3,
                       col = "#0072B2", lwd = 2)
  }
}

plot_moments <- function(fit, main) {
  history <- fit$gmt$history
  graphics::plot(history$touched, history$bic, type = "s", las = 1, main = main, col = "#0072B2",
                 lwd = 2, xlab = gettext("rows examined"), ylab = gettext("BIC"))
  graphics::text(history$touched, history$bic, history$leaves, pos = 3, cex = 0.8, xpd = NA)
  invisible(history)
}
