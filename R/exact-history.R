# What was known at which moment of a search.

history_table <- function(moments) {
  structure(moments, class = "data.frame", row.names = .set_row_names(length(moments$time)))
}

# Two curves in steps, the cost from above and the bound from below.
plot_history <- function(fit, main, col) {
  history <- plotted_history(fit, "what")
  col <- history_colours(col)
  curves <- as.matrix(history[c("cost", "bound")])
  height <- range(curves, finite = TRUE)
  line <- max(graphics::par("mgp")[1], line_beyond_labels(height))
  margins <- graphics::par("mar")
  before <- graphics::par(mar = replace(margins, 2, max(margins[2], line + 1.1)))
  on.exit(graphics::par(before))
  # above the curves there is room for the legend
  graphics::plot(range(0, history$time), height + c(0, 0.15 * diff(height)), type = "n",
                 main = main, las = 1,
                 xlab = gettext("seconds"), ylab = "")
  graphics::title(ylab = cost_label(fit), line = line)
  for (i in 1:2) {
    graphics::lines(history$time, curves[, i], type = "s", col = col[i], lwd = 2)
    # a history of one moment has no line
    graphics::points(history$time[nrow(history)], curves[nrow(history), i], col = col[i], pch = 19)
  }
  legend_at_top(c(gettext("best tree"), gettext("proven bound")), col = col[1:2], lwd = 2)
  invisible(history)
}

# The line of the margin beyond the numbers of an axis for this range, which read across it: they
# begin at line 1, and a digit is nearly half as wide as a line is high.
line_beyond_labels <- function(range) 1.4 + 0.5 * max(nchar(format(pretty(range))))

plotted_history <- function(fit, argument) {
  history <- tree_history(fit)
  if (NROW(history) == 0) {
    stop_input(argument,
               gettext("the fit has no history of its search to plot; fit the tree again"))
  }
  history
}

history_colours <- function(col) {
  if (is.null(col)) return(c("#D55E00", "#0072B2"))
  if (length(col) < 2) {
    stop_input("col", gettextf(
      "'col' has %d colour, but there are two curves; give two", length(col)))
  }
  unname(col[1:2])
}

cost_label <- function(fit) {
  if (tree_settings(fit)$complexity > 0) return(gettext("cost"))
  objective_label(fit)
}

objective_label <- function(fit) {
  if (!predicts_classes(fit)) return(gettext("sum of squared errors"))
  if (costs_differ(fit)) gettext("loss") else gettext("misclassified rows")
}
