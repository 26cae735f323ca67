# autoplot(): the pictures of plot() as objects of ggplot2. Where everything goes is decided in
# show-layout.R as well.

#' @rdname plot.contree
#' @details `autoplot()` draws the same plots as objects of the package `ggplot2`, to which themes
#' and other layers can be added. The text is as large as possible on a page of `width` by `height`:
#' print or save the plot in that size. Coordinates are in inches.
#' @param width,height For `autoplot()`: size of the page in inches, numbers; 7 by 5 by default.
#' @return `autoplot()`: an object of class `ggplot`.
#' @section Errors:
#' `contree_input_error` if there are too few colours, if a size is not a positive number, or if the
#' fit has no history for `"progress"`.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' ggplot2::autoplot(fit, main = "Iris, proven optimal at depth 2")
#' ggplot2::autoplot(fit, what = "progress") + ggplot2::theme_minimal()
#' @name autoplot.contree
#' @exportS3Method ggplot2::autoplot
autoplot.contree_model <- function(object,
                                   what = c("tree", "progress", "importance", "boxes", "violins",
                                            "residuals", "rewards"),
                                   main = NULL, digits = 4, col = NULL, width = 7, height = 5,
                                   ...) {
  check_no_dots(...)
  check_fit(object, "object")
  what <- check_choice("what", what)
  if (what == "rewards") return(rewards_ggplot(object, main, col))
  if (what == "importance") {
    return(autoplot.contree_importance(contree_importance(object), main))
  }
  if (what == "progress") return(progress_ggplot(object, main, col))
  if (what != "tree") return(numbers_ggplot(object, what, main, col))
  check_inches("width", width)
  check_inches("height", height)
  col <- leaf_colours(object, col)
  # ggplot2 places title and legend itself: this is what they need
  main <- if (length(main)) strwrap(paste(main, collapse = "\n"), title_characters * width)
  legend <- ggplot_legend(object, names(col), width)
  page <- list(width = width,
               height = height - 0.2 - 0.2 * legend$lines - if (length(main)) 0.1 +
                 0.25 * length(main) else 0)
  layout <- off_screen(page, lay_out(object, page, NULL, NULL, digits, TRUE, NULL))
  tree_ggplot(layout, page, col, legend, if (length(main)) paste(main, collapse = "\n"))
}

check_inches <- function(argument, value) {
  check_number(argument, value, gettext("a size in inches, at least 1"),
               function(inches) is.finite(inches) && inches >= 1)
}

# The value of `code`, which measures text, without a visible device.
off_screen <- function(page, code) {
  before <- grDevices::dev.cur()
  grDevices::pdf(NULL, page$width, page$height)
  on.exit({
    grDevices::dev.off()
    if (before > 1) grDevices::dev.set(before)
  })
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
  code
}

# Characters of wide fonts in an inch of a title and of a legend.
title_characters <- 7
legend_characters <- 11

# What the legend says of the classes, in how many rows of how many lines altogether: a name that is
# wider than the page is broken. Where three rows do not hold all classes, those come first that
# leaves answer, and `more` counts the others. Numbers have no legend.
ggplot_legend <- function(fit, colours, width) {
  if (!predicts_classes(fit)) {
    return(list(classes = colours, shown = colours, labels = colours, rows = 0, lines = 0,
                more = 0))
  }
  classes <- colours[is_shown_class(fit)]
  labels <- vapply(classes,
                   function(class)
                     paste(strwrap(class, legend_characters * width), collapse = "\n"), "")
  high <- max(1, lengths(strsplit(labels, "\n", fixed = TRUE)))
  # all columns are as wide as the widest
  columns <- max(1, floor(legend_characters * width / (max(nchar(classes)) + 4)))
  shown <- seq_along(classes)
  if (length(shown) > 3 * columns) shown <- sort(answers_first(classes, fit)[seq_len(3 * columns)])
  rows <- ceiling(length(shown) / columns)
  more <- length(classes) - length(shown)
  list(classes = classes, shown = classes[shown], labels = unname(labels[shown]), rows = rows,
       more = more,
       lines = rows * high + (more > 0))
}

tree_ggplot <- function(layout, page, col, legend, main) {
  layout$col <- col
  .data <- ggplot2::.data
  edge_shape <- ggplot2::aes(x = .data$x, y = .data$y, xend = .data$xend, yend = .data$yend,
                             linewidth = .data$width)
  box_shape <- ggplot2::aes(xmin = .data$left, xmax = .data$right, ymin = .data$bottom,
                            ymax = .data$top)
  label_shape <- ggplot2::aes(x = .data$x, y = .data$y, label = .data$label, angle = .data$angle)
  filled <- ggplot2::aes(fill = .data$class, alpha = .data$strength)
  boxes <- ggplot_boxes(layout)
  labels <- ggplot_labels(layout)
  bars <- ggplot_bars(layout)
  # smaller than measured, since the font of the device that draws it may be wider
  size <- 0.8 * 12 * layout$cex / ggplot2::.pt
  write <- function(data) ggplot2::geom_text(label_shape, data, size = size, lineheight = 1.2)
  ggplot2::ggplot() +
    ggplot2::geom_segment(edge_shape, ggplot_edges(layout), colour = "grey55", lineend = "square") +
    ggplot2::geom_rect(box_shape, boxes, fill = "white") +
    ggplot2::geom_rect(utils::modifyList(box_shape, filled), boxes, colour = "grey35",
                       linetype = boxes$line,
                       linewidth = 0.3, show.legend = FALSE) +
    (if (length(bars)) {
      ggplot2::geom_rect(utils::modifyList(box_shape, filled["fill"]), bars, colour = "grey35",
                         linewidth = 0.2)
    }) +
    write(labels) + write(ggplot_answers(layout)) +
    (if (any(layout$numbered)) {
      ggplot2::geom_label(ggplot2::aes(x = .data$x, y = .data$y, label = .data$label),
                          ggplot_numbers(layout), size = 0.7 * size,
                          label.padding = ggplot2::unit(0.1, "lines"))
    }) +
    (if (length(layout$note)) write(ggplot_note(layout, page))) +
    ggplot2::scale_fill_manual(values = col, limits = legend$classes, breaks = legend$shown,
                               labels = legend$labels,
                               name = NULL,
                               guide = if (legend$lines) ggplot2::guide_legend(nrow = legend$rows)
                                       else "none") +
    ggplot2::scale_alpha_identity() + ggplot2::scale_linewidth_identity() +
    ggplot2::coord_cartesian(xlim = c(0, page$width), ylim = c(0, page$height), expand = FALSE,
                             clip = "off") +
    ggplot2::labs(title = main, caption = if (legend$more) gettextf("and %d more", legend$more)) +
    ggplot2::theme_void() +
    ggplot2::theme(legend.position = "bottom", legend.key.size = ggplot2::unit(0.8, "lines"),
                   plot.title = ggplot2::element_text(hjust = 0.5, face = "bold"))
}

# The rows of the data frames below are nodes, but for edges (three a node that has a parent) and
# bars.
ggplot_boxes <- function(layout) {
  data.frame(left = layout$x - layout$half_width, right = layout$x + layout$half_width,
             bottom = layout$bottom,
             top = layout$top, class = names(layout$col)[node_colour(layout$drawn)],
             strength = 0.12 + 0.5 * node_strength(layout$drawn),
             line = 1 + layout$cut)
}

ggplot_labels <- function(layout) {
  text <- Map(function(question, facts) paste(c(question, facts), collapse = "\n"), layout$question,
              layout$facts)
  data.frame(x = layout$x, y = layout$y + ifelse(layout$leaf, layout$bar / 2, 0),
             label = unlist(text),
             angle = ifelse(layout$turned, 90, 0))
}

# Of splits that would look alike.
ggplot_numbers <- function(layout) {
  nodes <- which(layout$numbered)
  data.frame(x = layout$x[nodes] - layout$half_width[nodes],
             y = layout$top[nodes] + number_rise * layout$line, label = layout$ids[nodes])
}

ggplot_edges <- function(layout) {
  child <- which(layout$parent > 0)
  parent <- layout$parent[child]
  n <- node_n(layout$drawn)
  data.frame(x = c(layout$x[parent], layout$x[parent], layout$x[child]),
             y = c(layout$bottom[parent], layout$bus[parent], layout$bus[parent]),
             xend = c(layout$x[parent], layout$x[child], layout$x[child]),
             yend = c(layout$bus[parent], layout$bus[parent], layout$top[child]),
             width = rep(0.3 + 1.2 * n[child] / n[1], 3))
}

# The proportions of the classes in the leaves, without those that are not there.
ggplot_bars <- function(layout) {
  if (layout$bar == 0) return(NULL)
  leaf <- which(layout$leaf)
  proportions <- node_bars(layout$drawn)[leaf, , drop = FALSE]
  wide <- 2 * layout$half_width[leaf] * proportions
  right <- layout$x[leaf] - layout$half_width[leaf] + t(apply(wide, 1, cumsum))
  bars <- data.frame(left = c(right - wide), right = c(right), bottom = layout$bottom[leaf],
                     top = layout$bottom[leaf] + layout$bar,
                     class = rep(names(layout$col), each = length(leaf)))
  bars[c(proportions) > 0, ]
}

# "yes" and "no" above the two branches of the root.
ggplot_answers <- function(layout) {
  children <- which(layout$parent == 1)
  data.frame(x = (layout$x[1] + layout$x[children]) / 2,
             y = rep(layout$bus[1] + 0.6 * layout$line, length(children)),
             label = c(gettext("yes"), gettext("no"))[seq_along(children)],
             angle = rep(0, length(children)))
}

# What is left out.
ggplot_note <- function(layout, page) data.frame(x = page$width / 2, y = layout$note_y,
                                                 label = layout$note, angle = 0)

progress_ggplot <- function(fit, main, col) {
  .data <- ggplot2::.data
  history <- plotted_history(fit, "type")
  curves <- factor(rep(1:2, each = nrow(history)),
                   labels = c(gettext("best tree"), gettext("proven bound")))
  data <- data.frame(time = history$time, value = c(history$cost, history$bound), curve = curves)
  # a history of one moment has no line
  last <- data[data$time == max(data$time), ]
  ggplot2::ggplot(data, ggplot2::aes(x = .data$time, y = .data$value, colour = .data$curve)) +
    ggplot2::geom_step(linewidth = 0.8) + ggplot2::geom_point(data = last, size = 2) +
    ggplot2::scale_colour_manual(values = history_colours(col), name = NULL) +
    ggplot2::labs(title = main, x = gettext("seconds"), y = cost_label(fit)) +
      ggplot2::theme(legend.position = "top")
}
