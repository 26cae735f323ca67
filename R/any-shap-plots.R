# Pictures of contributions, in base graphics and in ggplot2: beeswarm, importance, waterfall,
# dependence and interactions. What is drawn is decided first, as data frames.

shap_pictures <- c("beeswarm", "importance", "waterfall", "dependence", "interactions")

#' @rdname contributions
#' @export
plot.contree_contributions <- function(x, what = c("beeswarm", "importance", "waterfall",
                                                   "dependence", "interactions"), row = 1,
                                       variable = NULL, output = NULL, n = 10, main = NULL, ...) {
  check_no_dots(...)
  check_title(main)
  picture <- shap_picture(x, what, row, variable, output, n)
  shown <- picture$shown
  label <- picture$label
  switch(picture$what,
    importance = draw_bars(shown, label, main),
    waterfall = draw_waterfall(shown, picture, main),
    beeswarm = draw_swarm(shown, label, main),
    interactions = draw_interactions(shown, picture, main),
    dependence = draw_dependence(shown, picture, main))
  invisible(shown)
}

#' @rdname contributions
#' @exportS3Method ggplot2::autoplot
autoplot.contree_contributions <- function(object, what = c("beeswarm", "importance", "waterfall",
                                                            "dependence", "interactions"),
                                           row = 1, variable = NULL, output = NULL, n = 10,
                                           main = NULL, ...) {
  check_no_dots(...)
  need_package("ggplot2", "autoplot()")
  picture <- shap_picture(object, what, row, variable, output, n)
  shown <- picture$shown
  .data <- ggplot2::.data
  aes <- ggplot2::aes
  if (!is.null(shown$variable)) shown$variable <- factor(shown$variable, picture$order)
  if (!is.null(shown$other)) shown$other <- factor(shown$other, rev(picture$order))
  canvas <- ggplot2::ggplot(shown) + ggplot2::theme_minimal() + ggplot2::labs(title = main)
  switch(picture$what,
    importance = canvas + ggplot2::geom_col(aes(.data$contribution, .data$variable)) +
      ggplot2::labs(x = picture$label, y = NULL, title = main),
    waterfall = canvas + ggplot2::geom_segment(
      aes(.data$from, .data$variable, xend = .data$to, yend = .data$variable,
          colour = .data$to > .data$from), linewidth = 6, show.legend = FALSE) +
      ggplot2::geom_vline(xintercept = c(picture$base, picture$prediction), linetype = 3) +
      ggplot2::scale_colour_manual(values = c("TRUE" = shap_colours[[2]],
                                              "FALSE" = shap_colours[[1]])) +
      ggplot2::scale_y_discrete(labels = stats::setNames(shown$label, shown$variable)) +
      ggplot2::labs(x = picture$label, y = NULL, title = main),
    beeswarm = canvas + ggplot2::geom_point(
      aes(.data$contribution, as.integer(.data$variable) + .data$height, colour = .data$shade)) +
      ggplot2::geom_vline(xintercept = 0, colour = "grey60") +
      ggplot2::scale_y_continuous(breaks = seq_along(picture$order), labels = picture$order) +
      ggplot2::scale_colour_gradient(low = shap_colours[[1]], high = shap_colours[[2]],
                                     breaks = c(0, 1), limits = c(0, 1),
                                     labels = c(gettext("low"), gettext("high"))) +
      ggplot2::labs(x = picture$label, y = NULL, colour = gettext("value"), title = main),
    interactions = canvas +
      ggplot2::geom_tile(aes(.data$other, .data$variable, fill = .data$interaction)) +
      ggplot2::geom_text(aes(.data$other, .data$variable,
                             label = sprintf("%.2g", .data$interaction)), size = 3) +
      ggplot2::scale_fill_gradient(low = "white", high = shap_colours[[2]], name = NULL) +
      ggplot2::labs(x = NULL, y = NULL, title = main, subtitle = picture$label),
    dependence = canvas + ggplot2::geom_hline(yintercept = 0, colour = "grey60") +
      ggplot2::geom_point(aes(.data$value, .data$contribution)) +
      ggplot2::labs(x = picture$variable, y = picture$label, title = main))
}

# Colours of low and of high values, and of falls and rises.
shap_colours <- c("#0072B2", "#D55E00")

# list(what, shown, label, order, ...): what to draw; `order` names features from below.
shap_picture <- function(x, what, row, variable, output, n) {
  what <- check_choice("what", what, shap_pictures)
  check_number("n", n, gettext("a whole number of at least 1"), is_count)
  one <- values_of_output(x, output)
  if (nrow(one$values) == 0) stop_input("x", gettext("there are no rows to plot"))
  label <- gettextf("contribution%s", if (is.null(one$name)) "" else paste0(": ", one$name))
  size <- sort(colMeans(abs(one$values)), decreasing = TRUE)
  top <- names(size)[seq_len(min(n, length(size)))]
  picture <- list(what = what, label = label, order = rev(top), base = one$base)
  shown <- switch(what,
    importance = data.frame(variable = top, contribution = unname(size[top])),
    beeswarm = do.call(rbind, lapply(top, swarm_of_feature, x = x, values = one$values)),
    interactions = mean_interactions(x, one$at, top),
    waterfall = {
      picture$prediction <- one$prediction[[check_shown_row(row, nrow(one$values))]]
      steps_of_row(x, one, row, n)
    },
    dependence = {
      picture$variable <- check_shown_feature(variable, names(size))
      data.frame(value = values_of_feature(x, picture$variable),
                 contribution = one$values[, picture$variable])
    })
  if (what == "importance") picture$label <- gettextf("mean of |%s|", label)
  if (what == "interactions") picture$label <- gettext(
    "mean |interaction| of two features; on the diagonal, of one by itself")
  if (what == "waterfall") picture$order <- rev(shown$variable)
  c(picture, list(shown = shown))
}

# A row a pair of features, and a feature with itself: the mean size of what they add together
# (both halves), or of what the one adds by itself.
mean_interactions <- function(x, k, top) {
  if (is.null(x$interactions)) {
    stop_input("what", gettext(paste("there are no interactions to plot; compute them by",
                                     "contributions(fit, data, interactions = TRUE)")))
  }
  size <- colMeans(abs(interactions_of_output(x, k)))[top, top, drop = FALSE]
  size <- size * ifelse(row(size) == col(size), 1, 2)
  at <- which(row(size) >= col(size), arr.ind = TRUE)
  data.frame(variable = top[at[, 1]], other = top[at[, 2]], interaction = size[at])
}

check_shown_row <- function(row, rows) {
  check_number("row", row, gettextf("the number of a row, from 1 to %d", rows),
               function(value) is_count(value) && value <= rows)
}

check_shown_feature <- function(variable, features) {
  if (is.null(variable)) return(features[1])
  if (is.character(variable) && length(variable) == 1 && variable %in% features) return(variable)
  stop_input("variable", gettextf("'variable' must be one of %s, not %s", show_names(features),
                                  show_value(variable)))
}

# A point a row: where, how far from the middle of its line, and how dark, from the lowest value (0)
# to the highest (1) by rank.
swarm_of_feature <- function(name, x, values) {
  at <- unname(values[, name])
  value <- as.numeric(values_of_feature(x, name))
  rank <- rank(value, na.last = "keep")
  span <- diff(range(rank, na.rm = TRUE))
  shade <- if (is.finite(span) && span > 0) (rank - min(rank, na.rm = TRUE)) / span else
    rep(0.5, length(at))
  data.frame(variable = name, contribution = at, height = swarm_heights(at), shade = shade)
}

# Points of about the same place are put one above and one below the other, more where there are
# more.
swarm_heights <- function(at) {
  range <- range(at)
  bin <- if (diff(range) == 0) rep(1, length(at)) else
    1 + floor(79.999 * (at - range[1]) / diff(range))
  turn <- stats::ave(at, bin, FUN = seq_along)
  side <- ifelse(turn %% 2 == 0, 1, -1) * (turn %/% 2)
  0.4 * side / max(1, abs(side), 4)
}

# From the base to the prediction of a row, the largest step first; the last one is of all features
# that are not shown.
steps_of_row <- function(x, one, row, n) {
  steps <- one$values[row, ]
  steps <- steps[order(-abs(steps))]
  value <- vapply(names(steps), function(name) {
    value <- values_of_feature(x, name)[row]
    if (is.numeric(value)) format(signif(value, 4)) else as.character(value)
  }, "")
  label <- sprintf("%s = %s", names(steps), value)
  if (length(steps) > n) {
    rest <- seq_along(steps) >= n
    label <- c(label[!rest], gettextf("%d others", sum(rest)))
    steps <- c(steps[!rest], stats::setNames(sum(steps[rest]), gettextf("%d others", sum(rest))))
  }
  to <- one$base + cumsum(steps)
  data.frame(variable = names(steps), label = label, contribution = unname(steps),
             from = unname(to - steps), to = unname(to), row.names = NULL)
}

# ---- base graphics -------------------------------------------------------------------------------

# A figure with room for the names of `lines` at its left, the first line uppermost; `columns` are
# names at 1, 2, ... below it.
open_lines <- function(lines, xlim, label, main, columns = NULL) {
  graphics::plot.new()
  margins <- graphics::par("mai")
  size <- size_of_lines(length(lines))
  left <- names_at_left(lines, size)
  graphics::par(mai = replace(margins, 2, left$margin), new = TRUE)
  graphics::plot(xlim, c(0.5, length(lines) + 0.5), type = "n", yaxt = "n", ylab = "",
                 xlab = label, main = main, xaxt = if (is.null(columns)) "s" else "n",
                 cex.lab = title_size(label))
  if (!is.null(columns)) {
    columns <- shorten_to_width(columns, 0.9 * graphics::par("pin")[1] / length(columns), 0.9)
    graphics::axis(1, seq_along(columns), columns, tick = FALSE, cex.axis = 0.9, gap.axis = -1)
  }
  graphics::axis(2, rev(seq_along(lines)), left$names, las = 1, tick = FALSE, cex.axis = size,
                 gap.axis = -1)
}

draw_bars <- function(shown, label, main) {
  before <- graphics::par("mai")
  on.exit(graphics::par(mai = before))
  open_lines(shown$variable, c(0, max(shown$contribution, 1e-300)), label, main)
  at <- rev(seq_len(nrow(shown)))
  graphics::rect(0, at - 0.35, shown$contribution, at + 0.35, col = shap_colours[1], border = NA)
}

draw_waterfall <- function(shown, picture, main) {
  before <- graphics::par("mai")
  on.exit(graphics::par(mai = before))
  ends <- range(shown$from, shown$to)
  open_lines(shown$label, ends + c(-0.08, 0.08) * diff(ends), picture$label, main)
  at <- rev(seq_len(nrow(shown)))
  graphics::abline(v = c(picture$base, picture$prediction), lty = 3, col = "grey50")
  rises <- shown$to > shown$from
  graphics::rect(shown$from, at - 0.35, shown$to, at + 0.35, col = shap_colours[1 + rises],
                 border = NA)
  below <- at[-length(at)]
  graphics::segments(shown$to[-nrow(shown)], below - 0.35, y1 = below - 0.65, col = "grey50")
  graphics::text(pmax(shown$from, shown$to), at, sprintf("%+.3g", shown$contribution), pos = 4,
                 cex = 0.8, xpd = NA)
}

# The first feature at the top and at the left.
draw_interactions <- function(shown, picture, main) {
  before <- graphics::par("mai")
  on.exit(graphics::par(mai = before))
  lines <- rev(picture$order)
  open_lines(lines, c(0.5, length(lines) + 0.5), picture$label, main, columns = lines)
  share <- shown$interaction / max(shown$interaction, 1e-300)
  mix <- grDevices::colorRamp(c("white", shap_colours[2]))
  x <- match(shown$other, lines)
  y <- length(lines) + 1 - match(shown$variable, lines)
  graphics::rect(x - 0.5, y - 0.5, x + 0.5, y + 0.5, border = "white",
                 col = grDevices::rgb(mix(share), maxColorValue = 255))
  graphics::text(x, y, sprintf("%.2g", shown$interaction), cex = 0.7)
}

# Points over numbers; of levels a box each, one below the other.
draw_dependence <- function(shown, picture, main) {
  if (is.factor(shown$value) || is.character(shown$value)) {
    before <- graphics::par("mai")
    on.exit(graphics::par(mai = before))
    levels <- levels(factor(shown$value))
    open_lines(levels, range(shown$contribution, 0), picture$label, main)
    graphics::mtext(picture$variable, adj = 0, line = 0.3)
    shown$value <- factor(shown$value, rev(levels))
    graphics::boxplot(contribution ~ value, shown, horizontal = TRUE, add = TRUE, axes = FALSE,
                      ann = FALSE, cex = 0.7)
    return(graphics::abline(v = 0, col = "grey60"))
  }
  graphics::plot(shown$value, shown$contribution, pch = 19, cex = 0.7, las = 1, main = main,
                 xlab = picture$variable, ylab = picture$label)
  graphics::abline(h = 0, col = "grey60")
}

draw_swarm <- function(shown, label, main) {
  before <- graphics::par("mai")
  on.exit(graphics::par(mai = before))
  lines <- unique(shown$variable)
  open_lines(lines, range(shown$contribution, 0), label, main)
  graphics::abline(v = 0, col = "grey60")
  mix <- grDevices::colorRamp(shap_colours)
  col <- rep("grey60", nrow(shown))
  known <- !is.na(shown$shade)
  col[known] <- grDevices::rgb(mix(shown$shade[known]), maxColorValue = 255)
  at <- length(lines) + 1 - match(shown$variable, lines)
  graphics::points(shown$contribution, at + shown$height, pch = 19, cex = 0.6, col = col)
}

# ---- shapviz -------------------------------------------------------------------------------------

#' @rdname contributions
#' @exportS3Method shapviz::shapviz
shapviz.contree_contributions <- function(object, X = object$data, ...) {
  one <- function(k) {
    of <- values_of_output(object, k)
    if (is.null(object$interactions)) {
      return(shapviz::shapviz(of$values, X = X, baseline = of$base, ...))
    }
    shapviz::shapviz(of$values, X = X, baseline = of$base,
                     S_inter = interactions_of_output(object, k), ...)
  }
  outputs <- seq_len(ncol(object$prediction))
  if (length(outputs) == 1) return(one(1))
  shapviz::mshapviz(stats::setNames(lapply(outputs, one), colnames(object$prediction)))
}

#' @rdname contributions
#' @exportS3Method shapviz::shapviz
shapviz.contree_model <- function(object, X_pred, X = X_pred, interactions = FALSE,
                                  background = NULL, ...) {
  found <- contributions(object, X_pred, background = background, interactions = interactions)
  X <- as.data.frame(X)
  shapviz.contree_contributions(found, X[intersect(names(X), dimnames(found$values)[[2]])], ...)
}

#' @rdname contributions
#' @exportS3Method shapviz::shapviz
shapviz.hist_forest <- shapviz.contree_model

#' @rdname contributions
#' @exportS3Method shapviz::shapviz
shapviz.forged_forest <- shapviz.contree_model

#' @rdname contributions
#' @exportS3Method shapviz::shapviz
shapviz.forest_ir <- shapviz.contree_model
