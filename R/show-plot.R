# plot() and text(): drawing. Where everything goes and how large it is, is decided before in
# show-layout.R.

#' Plot an optimal tree
#'
#' Draws the tree with all labels in one call. A row goes to the left child if the condition of a
#' node holds; the condition says on which side missing values go. Below the condition are the class
#' (or the number), its proportion and the number of training rows of the node; leaves are at the
#' bottom, those of classes with a bar of the class proportions. Boxes have the colour of their
#' class, which is stronger the larger its proportion; branches are wider the more training rows
#' follow them.
#'
#' The text is as large as possible; long names are broken into lines and, if necessary, rotated or
#' abbreviated in the middle; of many levels of a factor those that fit are named and the others
#' counted (`+7`), so that different splits read differently; where there is no room for that, boxes
#' have the numbers of their nodes, as with `numbers`. The legend has the full names of the classes.
#' If there is no room for the whole tree at a legible size, its deepest splits are not drawn: a
#' note says so, and boxes with further splits have dashed borders. A larger page has room for more.
#'
#' `text()` supports the idiom `plot(fit); text(fit)` of `rpart`: it adds the labels to a plot made
#' with `type = "bare"`, and has no effect on one with labels.
#'
#' @order 1
#' @param x,object A fit of [contree()]. For `text()`, the one plotted last on the device.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param cex Size of the text, a number. By default, or if the text does not fit in the given size,
#'   the largest size at which it fits, at most 1.
#' @param digits Number of significant digits of numbers, a whole number, 4 by default; numbers of
#'   up to nine digits keep all before the decimal point, and thresholds of one predictor, or
#'   predictions, that would read alike have more.
#' @param type `"full"` (the default): conditions, classes, proportions and rows in all nodes;
#'   `"split"`: inner nodes show their condition only; `"bare"`: branches only, for `text()`.
#' @param col Colours of the classes, a vector in the order of the levels or named by them. The
#'   default palette has up to eight colours that colour-blind readers can distinguish.
#' @param legend `TRUE`, the default, shows the legend of the classes; `FALSE` does not.
#' @param what `"tree"` (the default), or `"progress"` for the progress of the search: the cost of
#'   the best tree and the proven bound over time, which meet if the tree is optimal. `"progress"`
#'   uses `main` and `col` (two colours) and ignores the arguments about the tree. `"importance"`:
#'   [contree_importance()] on the training rows. For a regression tree also `"boxes"` or
#'   `"violins"`: the responses of the training rows by leaf, from left to right, with the
#'   prediction as a diamond; and `"residuals"` against predictions. These use `main` and the first
#'   of `col`, and do not show weights. For a policy tree also `"rewards"`: the mean rewards of all
#'   actions by leaf, that of the action of the leaf dark and with its standard error.
#' @param row A row of new data, a data frame or matrix as for [predict.contree()], whose path
#'   through the tree is highlighted, as in `plot(fit, row = newdata[1, ])`; `NULL`, the default,
#'   for none.
#' @param numbers `TRUE` shows the node numbers of `print()` on the boxes; `FALSE` by default.
#' @param extra Figures shown in the boxes, with the codes of the package `rpart.plot`: 0 none; 1
#'   the number of rows of each class (for a regression tree, all rows); 2 correctly classified rows
#'   and all rows of the node; 3 misclassified rows and all rows; 4 the proportions of all classes;
#'   6 that of the second class; 8 that of the predicted class; 9 the proportions relative to all
#'   rows. Add 100 for the proportion of all rows that reach the node. `NULL`, the default: the
#'   proportion of the predicted class, and the number of rows.
#' @param palette Name of a palette of [grDevices::palette.pals()] or [grDevices::hcl.pals()] for
#'   the classes, instead of `col`; `NULL` by default.
#' @param laplace A number of at least 0 that is added to the count of each class in a node before
#'   proportions are computed, as in [predict.contree()]; 0 by default.
#' @param ... Arguments of the `rpart` methods (such as `uniform` and `use.n`) are accepted without
#'   effect, so that calls written for `rpart` work. Any other name is an error. Not used by
#'   `autoplot()`.
#' @return `plot()` and `text()` return invisibly a list of the coordinates `x` and `y` of the nodes
#'   in inches from the lower left corner of the figure, in the order of `print()`, `NA` for nodes
#'   not drawn; with `what = "progress"`, the history that was drawn; with boxes, violins and
#'   residuals, a data frame with one row for each training row: `leaf`, `y` and `fitted`.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' plot(fit, main = "Iris, proven optimal at depth 2")
#' plot(fit, type = "split", digits = 2)
#' plot(fit, row = iris[51, ], numbers = TRUE, extra = 104, palette = "Set 2")
#' plot(contree(Species ~ ., iris, depth = 3), what = "progress")
#'
#' fit <- contree(mpg ~ ., mtcars, depth = 2)
#' plot(fit)
#' plot(fit, what = "boxes")
#' @name plot.contree
#' @export
plot.contree_model <- function(x, main = NULL, cex = NULL, digits = 4,
                               type = c("full", "split", "bare"), col = NULL, legend = TRUE,
                               what = c("tree", "progress", "importance", "boxes", "violins",
                                        "residuals", "rewards"), ...,
                               row = NULL, numbers = FALSE, extra = NULL, palette = NULL,
                               laplace = 0) {
  check_rpart_dots(plot_arguments_of_rpart, ...)
  check_fit(x, "x")
  check_title(main)
  what <- check_choice("what", what)
  if (what == "rewards") return(plot_rewards(x, main, col))
  if (what == "importance") return(plot(contree_importance(x), main = main))
  if (what == "progress") return(plot_history(x, main, col))
  if (what != "tree") return(plot_numbers(x, what, main, col))
  type <- check_choice("type", type)
  if (!is.null(cex)) {
    cex <- check_number("cex", cex, gettext("a number above 0 and up to 100"),
                        function(value) value > 0 && value <= 100)
  }
  check_digits(digits)
  legend <- check_flag("legend", legend)
  numbers <- check_flag("numbers", numbers)
  laplace <- check_laplace(laplace)
  extra <- check_extra(x, extra)
  path <- path_of_row(x, row)
  col <- leaf_colours(x, palette_colours(x, palette, col))
  page <- new_page()
  layout <- lay_out(x, page, main, cex, digits, type != "split",
                    if (legend && (predicts_classes(x) || is_policy(x))) col, extra, laplace,
                    numbers)
  layout$fill <- node_fill(layout$drawn, col, laplace)
  layout$col <- col
  layout$laplace <- laplace
  layout$numbered <- if (numbers) rep(TRUE, length(layout$ids)) else layout$numbered
  layout$lit <- layout$ids %in% path
  draw_title(layout, page)
  draw_edges(layout)
  if (type != "bare") draw_labels(layout)
  plotted$last <- list(layout = layout, labelled = type != "bare", device = grDevices::dev.cur(),
                       usr = graphics::par("usr"),
                       ids = node_ids(x))
  invisible(node_places(layout, x))
}

# What graphics::title() can write.
check_title <- function(main) {
  if (is.null(main) || is.language(main)) return(invisible())
  if (!is.atomic(main) || is.object(main) || length(main) == 0) {
    stop_input("main", gettextf("'main' must be a title or NULL, not %s", show_value(main)))
  }
}

#' @rdname plot.contree
#' @export
text.contree_model <- function(x, ...) {
  check_rpart_dots(text_arguments_of_rpart, ...)
  check_fit(x, "x")
  last <- plotted$last
  if (is.null(last) || last$device != grDevices::dev.cur() ||
      !identical(last$usr, graphics::par("usr")) ||
      !identical(last$ids, node_ids(x))) {
    stop_input("x", gettext(
      "text() adds labels to a tree that was just plotted; call plot(x, type = \"bare\") first"))
  }
  if (!last$labelled) {
    draw_labels(last$layout)
    plotted$last$labelled <- TRUE
  }
  invisible(node_places(last$layout, x))
}

plot_arguments_of_rpart <- c("uniform", "branch", "compress", "nspace", "margin", "minbranch",
                             "branch.col", "branch.lty",
                             "branch.lwd")
text_arguments_of_rpart <- c("splits", "label", "FUN", "all", "pretty", "digits", "use.n", "fancy",
                             "fwidth", "fheight", "bg",
                             "minlength", "cex", "col", "font", "adj", "pos", "offset", "xpd")

# What a call written for rpart may have besides, and nothing else.
check_rpart_dots <- function(known, ...) {
  given <- list(...)
  do.call(check_no_dots,
          given[!c(names(given), character(length(given)))[seq_along(given)] %in% known])
}

# NA for nodes that are not drawn.
node_places <- function(layout, fit) lapply(layout[c("x", "y")], `[`,
                                            match(node_ids(fit), layout$ids))

# What was drawn last, for text(). Nothing else depends on it.
plotted <- new.env(parent = emptyenv())

# A new figure whose coordinates are inches from its lower left corner, margins included: a tree has
# no axes to put there.
new_page <- function() {
  graphics::plot.new()
  size <- graphics::par("fin")
  margins <- graphics::par("mai")
  graphics::plot.window(c(margins[2], size[1] - margins[4]), c(margins[1], size[2] - margins[3]),
                        xaxs = "i", yaxs = "i")
  list(width = size[1], height = size[2])
}

# ---- colours -------------------------------------------------------------------------------------

# Okabe and Ito's palette without its black; beyond its eight colours evenly spaced hues.
class_colours <- function(classes, col) {
  n <- length(classes)
  if (is.null(col)) {
    okabe_ito <- c("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00",
                   "#999999")
    return(stats::setNames(if (n <= 8) okabe_ito[seq_len(n)]
                           else grDevices::hcl.colors(n, "Dark 3"), classes))
  }
  if (!is.null(names(col)) && all(classes %in% names(col))) col <- col[classes]
  if (length(col) < n) {
    stop_input("col",
               gettextf("'col' has %d colours, but the tree has %d classes; give one for each",
                        length(col), n))
  }
  stats::setNames(col[seq_len(n)], classes)
}

# Of classes one each; where leaves are numbers one for all.
leaf_colours <- function(fit, col) {
  check_colours(col)
  if (predicts_classes(fit)) return(class_colours(tree_classes(fit), col))
  if (is_policy(fit)) return(class_colours(fit$policy$actions, col))
  c(value = if (is.null(col)) "#56B4E9" else unname(col[1]))
}

check_colours <- function(col) {
  fine <- is.null(col) || (length(col) > 0 &&
    (is.character(col) || is.numeric(col) && all(abs(col) < 2^31, na.rm = TRUE)) &&
    !is.null(tryCatch(grDevices::col2rgb(col), error = function(problem) NULL)))
  if (fine) return(invisible())
  stop_input("col", gettextf("'col' must be colours or NULL, not %s", show_value(col)))
}

# The colour of a node's class, paler the smaller its proportion, or of its number, paler the
# smaller this is.
node_fill <- function(fit, col, laplace = 0) {
  strength <- 0.12 + 0.5 * node_strength(fit, laplace)
  mixed <- strength * t(grDevices::col2rgb(col[node_colour(fit)])) + (1 - strength) * 255
  grDevices::rgb(mixed, maxColorValue = 255)
}

# Which of the colours a node has.
node_colour <- function(fit) {
  if (is_policy(fit)) return(fit$policy$action)
  if (predicts_classes(fit)) as.integer(node_class(fit)) else rep(1L, length(node_ids(fit)))
}

# From 0 to 1: the proportion of the class above what chance gives, or the number between the
# smallest and the largest of the tree (of several numbers the first; linear models have none).
node_strength <- function(fit, laplace = 0) {
  if (predicts_classes(fit)) {
    least <- 1 / max(2, length(tree_classes(fit)))
    return(pmax(0, class_proportion(fit, laplace) - least) / (1 - least))
  }
  value <- if (is_policy(fit)) fit$policy$reward else node_values(fit)[, 1]
  span <- diff(range(value))
  if (tree_leaf(fit) == "linear" || span == 0) {
    rep(0.5, length(value))
  } else {
    (value - min(value)) / span
  }
}

# The parts of the bar of each leaf, the proportions of the classes; numbers have no bars.
node_bars <- function(fit, laplace = 0) {
  if (predicts_classes(fit)) node_proportions(fit, laplace) else matrix(0, length(node_ids(fit)), 0)
}

# ---- drawing -------------------------------------------------------------------------------------

draw_title <- function(layout, page) {
  if (length(layout$title)) {
    graphics::text(page$width / 2, layout$title_y, paste(layout$title, collapse = "\n"), font = 2,
                   cex = layout$title_cex, xpd = NA)
  }
  if (length(layout$note)) {
    graphics::text(page$width / 2, layout$note_y, layout$note, font = 3, cex = layout$note_cex,
                   xpd = NA)
  }
}

# Of the path of a row.
lit_colour <- "#B3261E"

# From below a node to the height of its row's branches, to the sides, and down to the children; the
# more rows, the wider.
draw_edges <- function(layout) {
  n <- node_n(layout$drawn)
  # what is lit is drawn last, on top
  for (child in order(layout$lit)[order(layout$lit) %in% which(layout$parent > 0)]) {
    parent <- layout$parent[child]
    graphics::lines(layout$x[c(parent, parent, child, child)],
                    c(layout$bottom[parent], layout$bus[c(parent, parent)], layout$top[child]),
                    col = if (layout$lit[child]) lit_colour else "grey55",
                    lwd = 0.8 + 3.2 * max(n[child] / n[1], layout$lit[child]), xpd = NA)
  }
}

draw_labels <- function(layout) {
  draw_answers(layout)
  for (node in which(!layout$leaf)) draw_inner(layout, node)
  bars <- node_bars(layout$drawn, layout$laplace)
  for (node in which(layout$leaf)) draw_leaf(layout, node, bars[node, ])
  for (node in which(layout$lit)) {
    graphics::rect(layout$x[node] - layout$half_width[node], layout$bottom[node],
                   layout$x[node] + layout$half_width[node], layout$top[node],
                   border = lit_colour, lwd = 2.5, xpd = NA)
  }
  draw_numbers(layout, which(layout$numbered))
  draw_legend(layout)
}

# "yes" and "no" on the two branches of the root say how all branches are meant.
draw_answers <- function(layout) {
  children <- which(layout$parent == 1)
  if (length(children) == 0) return(invisible())
  x <- (layout$x[1] + layout$x[children]) / 2
  answer <- c(gettext("yes"), gettext("no"))
  width <- graphics::strwidth(answer, units = "inches", cex = layout$cex) / 2 + 0.03
  height <- layout$line / 2
  graphics::rect(x - width, layout$bus[1] - height, x + width, layout$bus[1] + height,
                 col = "white", border = NA, xpd = NA)
  graphics::text(x, layout$bus[1], answer, cex = layout$cex, adj = c(0.5, 0.5), xpd = NA)
}

# The condition on white above the figures on the colour of the class; without figures the condition
# is on the colour.
draw_inner <- function(layout, node) {
  left <- layout$x[node] - layout$half_width[node]
  right <- layout$x[node] + layout$half_width[node]
  facts <- layout$facts[[node]]
  question <- layout$question[[node]]
  rounded_box(left, layout$bottom[node], right, layout$top[node], layout$fill[node])
  if (layout$turned[node]) {
    bold <- rep(2:1, c(length(question), length(facts)))
    return(write_turned(layout$x[node], layout$y[node], c(question, facts), layout, bold))
  }
  boundary <- layout$bottom[node]
  if (length(facts)) {
    boundary <- boundary + length(facts) * layout$line + layout$pad
    rounded_box(left, boundary, right, layout$top[node], "white", lower = FALSE)
    write_lines(layout$x[node], (boundary + layout$bottom[node]) / 2, facts, layout)
  }
  write_lines(layout$x[node], (layout$top[node] + boundary) / 2, question, layout, font = 2)
}

draw_leaf <- function(layout, node, proportions) {
  left <- layout$x[node] - layout$half_width[node]
  right <- layout$x[node] + layout$half_width[node]
  bar_top <- layout$bottom[node] + layout$bar
  rounded_box(left, bar_top, right, layout$top[node], layout$fill[node],
              lower = !length(proportions), lty = 1 + layout$cut[node])
  if (length(proportions)) {
    edges <- left + (right - left) * c(0, cumsum(proportions))
    graphics::rect(edges[-length(edges)], layout$bottom[node], edges[-1], bar_top,
                   col = layout$col, border = NA, xpd = NA)
    graphics::rect(left, layout$bottom[node], right, bar_top, border = "grey35", xpd = NA)
  }
  lines <- layout$facts[[node]]
  middle <- (bar_top + layout$top[node]) / 2
  if (layout$turned[node]) {
    write_turned(layout$x[node], middle, lines, layout, font = 2:1)
  } else {
    write_lines(layout$x[node], middle, lines, layout,
                font = rep(2:1, c(length(lines) - layout$n_figures, layout$n_figures)))
  }
}

# Lines of text around a middle, the font of each given. A numeric adj keeps the baselines of
# neighbours level.
write_lines <- function(x, y, lines, layout, font = 1) {
  at <- y + layout$line * (length(lines) + 1) / 2 - layout$line * seq_along(lines)
  write_each(rep(x, length(lines)), at, lines, layout, font, 0)
}

# Lines that read upwards, the first at the left.
write_turned <- function(x, y, lines, layout, font) {
  at <- x - layout$line * (length(lines) + 1) / 2 + layout$line * seq_along(lines)
  write_each(at, rep(y, length(lines)), lines, layout, font, 90)
}

write_each <- function(x, y, lines, layout, font, srt) {
  font <- rep_len(font, length(lines))
  for (f in unique(font)) {
    here <- font == f
    graphics::text(x[here], y[here], lines[here], font = f, cex = layout$cex, srt = srt,
                   adj = c(0.5, 0.5), xpd = NA)
  }
}

draw_legend <- function(layout) {
  legend <- layout$key
  if (is.null(legend)) return(invisible())
  side <- legend$swatch
  graphics::rect(legend$x, legend$y - side / 2, legend$x + side, legend$y + side / 2,
                 col = legend$col,
                 border = ifelse(is.na(legend$col), NA, "grey35"), xpd = NA)
  graphics::text(legend$x + side * 1.4, legend$y, legend$label, adj = c(0, 0.5), cex = legend$cex,
                 xpd = NA)
}

# A box with round corners; `lower = FALSE` keeps the lower corners square, for a box that another
# one continues.
rounded_box <- function(left, bottom, right, top, fill, lower = TRUE, lty = 1) {
  radius <- min(0.05, (right - left) / 4, (top - bottom) / 3)
  turn <- seq(0, pi / 2, length.out = 6)
  corner <- function(x, y, from, round) {
    if (!round) return(cbind(x, y))
    centre <- c(x - sign(cos(from + pi / 4)) * radius, y - sign(sin(from + pi / 4)) * radius)
    cbind(centre[1] + radius * cos(from + turn), centre[2] + radius * sin(from + turn))
  }
  outline <- rbind(corner(right, top, 0, TRUE), corner(left, top, pi / 2, TRUE),
                   corner(left, bottom, pi, lower),
                   corner(right, bottom, 3 * pi / 2, lower))
  graphics::polygon(outline, col = fill, border = "grey35", lty = lty, xpd = NA)
}
