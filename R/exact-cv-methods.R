# What can be done with a cross-validation.

#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param col Colours of the lines, a vector with one for each complexity (or a single one if the
#'   complexities are on the axis); by default those of [plot.contree()].
#' @param row.names,optional As in [as.data.frame()]; `optional` is not used.
#' @rdname contree_cv
#' @name contree_cv_methods
NULL

#' @rdname contree_cv
#' @export
print.contree_cv <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  cat(gettext("Call:"), deparse(x$call), sep = "\n")
  cat("\nn= ", nrow(x$folds), ", ", folds_text(x$folds), "\n\n", sep = "")
  print(printed_table(x$table, digits), row.names = FALSE, right = TRUE)
  cat("\n")
  say(rule_text(x, digits))
  say(gettextf("%s: 'training' on all rows, by the tree fitted to them, which is optimistic;",
               measure_text(x$fit)),
      gettext("'error' on held-out rows, with its standard error 'se'."))
  invisible(x)
}

# What the columns of the table are.
measure_text <- function(fit) {
  if (!predicts_classes(fit)) {
    return(if (tree_weighted(fit)) gettext("Weighted mean squared error")
           else gettext("Mean squared error"))
  }
  has_loss <- !is.null(tree_loss(fit))
  if (tree_weighted(fit)) {
    if (has_loss) gettext("Weighted mean loss")
    else gettext("Weighted proportion of misclassified rows")
  } else {
    if (has_loss) gettext("Mean loss") else gettext("Proportion of misclassified rows")
  }
}

# "10 folds, 5 times"
folds_text <- function(folds) {
  numbers <- unique(apply(folds, 2, max))
  text <- gettextf("%s folds", paste(numbers, collapse = ", "))
  if (ncol(folds) > 1) paste0(text, gettextf(", %d times", ncol(folds))) else text
}

# Sentences, wrapped at the width of the screen.
say <- function(...) cat(strwrap(paste(...)), sep = "\n")

# Without columns that say nothing.
printed_table <- function(table, digits) {
  proportions <- c("training", "error", "se")
  table[proportions] <- lapply(table[proportions], format, digits = digits)
  if (all(table$complexity == 0)) table$complexity <- NULL
  if (all(table$stopped == 0)) table$stopped <- NULL
  table$chosen <- ifelse(table$chosen, "*", "")
  names(table)[names(table) == "chosen"] <- ""
  table
}

rule_text <- function(cv, digits) {
  if (cv$rule == "min") return(gettext("* chosen: the simplest tree with the lowest error"))
  gettextf("* chosen: the simplest tree within one standard error of the lowest error (at most %s)",
           format(least_and_se(cv$table), digits = digits))
}

#' @rdname contree_cv
#' @export
plot.contree_cv <- function(x, main = NULL, col = NULL, ...) {
  check_title(main)
  check_colours(col)
  table <- x$table
  by_complexity <- length(unique(table$depth)) == 1 && nrow(table) > 1
  at <- if (by_complexity) table$complexity else table$depth
  series <- factor(if (by_complexity) table$depth else table$complexity)
  col <- series_colours(col, nlevels(series))
  # above the lines there is room for the legend
  height <- c(0, 1.2 * max(table$error + table$se, table$training))
  graphics::plot(range(at), height, type = "n", main = main, las = 1, xaxt = "n",
                 ylab = measure_text(x$fit),
                 xlab = if (by_complexity) gettext("complexity") else gettext("depth"))
  graphics::axis(1, unique(at))
  if (x$rule == "1se") graphics::abline(h = least_and_se(table), lty = 3, col = "grey40")
  for (i in seq_len(nlevels(series))) draw_series(table[as.integer(series) == i, ],
                                                  at[as.integer(series) == i], col[i])
  graphics::points(at[table$chosen], table$error[table$chosen], cex = 2.2, lwd = 2)
  legend_at_top(c(gettext("held-out rows"), gettext("training rows")), lty = 1:2, lwd = 2,
                pch = c(19, 1), col = if (nlevels(series) == 1) col[1] else "black")
  if (nlevels(series) > 1) {
    graphics::legend("bottomleft", levels(series), title = gettext("complexity"), col = col,
                     lwd = 2, bty = "n")
  }
  invisible(table)
}

draw_series <- function(rows, at, col) {
  order <- order(at)
  graphics::lines(at[order], rows$training[order], type = "b", pch = 1, col = col, lty = 2, lwd = 2)
  graphics::lines(at[order], rows$error[order], type = "b", pch = 19, col = col, lwd = 2)
  graphics::segments(at, rows$error - rows$se, at, rows$error + rows$se, col = col)
}

series_colours <- function(col, n) {
  if (is.null(col)) return(if (n == 1) "#0072B2" else grDevices::hcl.colors(n, "Dark 3"))
  if (length(col) < n) {
    stop_input("col", gettextf("'col' has %d colours, but there are %d lines; give one for each",
                               length(col), n))
  }
  col
}

#' @rdname contree_cv
#' @export
as.data.frame.contree_cv <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(x$table, row.names)
}

#' @rdname contree_cv
#' @export
predict.contree_cv <- function(object, ...) stats::predict(object$fit, ...)

#' @rdname contree_cv
#' @export
summary.contree_cv <- function(object, ...) summary(object$fit, ...)
