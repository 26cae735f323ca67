# Pictures of regression trees: the response leaf by leaf, and what is left of it.

# The training rows of the leaves from left to right: the number of the leaf as a factor, the
# response, the prediction.
numbers_by_leaf <- function(fit, what) {
  y <- tree_y(fit)
  if (tree_leaf(fit) != "number" || is.null(y)) {
    stop_unsupported(what, gettext(
      "boxes, violins and residuals are for regression trees with their training rows"))
  }
  leaves <- node_ids(fit)[node_is_leaf(fit)]
  where <- unname(tree_where(fit))
  data.frame(leaf = factor(node_ids(fit)[where], leaves), y = y, fitted = fit$frame$yval[where])
}

response_label <- function(fit) response_name(fit, character())

# "4" above "n=7".
leaf_axis_labels <- function(rows) {
  paste0(levels(rows$leaf), "\n", "n=", tabulate(rows$leaf, nlevels(rows$leaf)))
}

plot_numbers <- function(fit, what, main, col) {
  rows <- numbers_by_leaf(fit, "what")
  colour <- leaf_colours(fit, col)[[1]]
  if (what == "residuals") return(plot_residuals(fit, rows, main, colour))
  leaves <- seq_len(nlevels(rows$leaf))
  graphics::plot(range(leaves) + c(-0.6, 0.6), range(rows$y), type = "n", xaxt = "n", las = 1,
                 xlab = "", ylab = response_label(fit), main = main)
  axis_of_all(leaves, leaf_axis_labels(rows))
  graphics::mtext(gettext("leaf"), side = 1, line = 3)
  if (what == "boxes") {
    graphics::boxplot(y ~ leaf, rows, add = TRUE, col = colour, axes = FALSE, ann = FALSE)
  } else {
    for (i in leaves) draw_violin(i, rows$y[as.integer(rows$leaf) == i], colour)
  }
  graphics::points(leaves, fit$frame$yval[node_is_leaf(fit)], pch = 18, cex = 1.4)
  invisible(rows)
}

# A density to either side, 0.8 wide at most; a line where all numbers are the same.
draw_violin <- function(at, y, colour) {
  if (diff(range(y)) == 0) return(graphics::segments(at - 0.4, y[1], at + 0.4, y[1], col = colour))
  density <- stats::density(y, from = min(y), to = max(y))
  half <- 0.4 * density$y / max(density$y)
  graphics::polygon(at + c(-half, rev(half)), c(density$x, rev(density$x)), col = colour)
}

# Residuals over predictions, which are as many as leaves: moved a little to either side.
plot_residuals <- function(fit, rows, main, colour) {
  step <- diff(sort(unique(rows$fitted)))
  spread <- if (length(step)) min(step) / 5 else 0
  # without chance: the places of the rows of a leaf, one after the other
  place <- stats::ave(rows$fitted, rows$leaf, FUN = function(x) seq(-1, 1, length.out = length(x)))
  graphics::plot(rows$fitted + spread * place, rows$y - rows$fitted, col = colour, pch = 19,
                 las = 1, xlab = gettext("prediction"), ylab = gettext("residual"), main = main)
  graphics::abline(h = 0, lty = 2)
  invisible(rows)
}

numbers_ggplot <- function(fit, what, main, col) {
  rows <- numbers_by_leaf(fit, "type")
  colour <- leaf_colours(fit, col)[[1]]
  .data <- ggplot2::.data
  if (what == "residuals") {
    return(ggplot2::ggplot(rows, ggplot2::aes(.data$fitted, .data$y - .data$fitted)) +
      ggplot2::geom_hline(yintercept = 0, linetype = 2) + ggplot2::geom_point(colour = colour) +
      ggplot2::labs(title = main, x = gettext("prediction"), y = gettext("residual")))
  }
  shape <- if (what == "boxes") ggplot2::geom_boxplot(fill = colour)
           else ggplot2::geom_violin(fill = colour)
  means <- data.frame(leaf = factor(levels(rows$leaf), levels(rows$leaf)),
                      y = fit$frame$yval[node_is_leaf(fit)])
  ggplot2::ggplot(rows, ggplot2::aes(.data$leaf, .data$y)) + shape +
    ggplot2::geom_point(data = means, shape = 18, size = 3) +
    ggplot2::scale_x_discrete(labels = leaf_axis_labels(rows)) +
    ggplot2::labs(title = main, x = gettext("leaf"), y = response_label(fit))
}
