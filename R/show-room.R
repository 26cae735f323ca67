# Labels, titles and legends of pictures, which keep to the page.

# Names at the left of lines, as long as half of the figure at most: list(names, margin), in inches.
names_at_left <- function(names, cex = 1) {
  names <- shorten_to_width(names, graphics::par("fin")[1] / 2 - 0.3, cex)
  list(names = names, margin = max(text_width(names, cex)) + 0.3)
}

# The size at which so many names stand one below the other, between the margins given.
size_of_lines <- function(n, margins = graphics::par("mai"), least = 0.3) {
  room <- graphics::par("fin")[2] - sum(margins[c(1, 3)])
  max(least, min(1, room / line_height(1) / n))
}

# The size at which the title below an axis is on the page, once the margins are known.
title_size <- function(title) {
  room <- graphics::par("pin")[1] + 2 * min(graphics::par("mai")[c(2, 4)])
  max(0.4, min(1, 0.97 * room / text_width(title, 1)))
}

# Labels at evenly spaced places below a plot, all of them, as large as they fit side by side.
axis_of_all <- function(at, labels) {
  apart <- if (length(at) > 1) diff(at[1:2]) else Inf
  room <- graphics::par("pin")[1] * apart / diff(graphics::par("usr")[1:2])
  graphics::axis(1, at, labels, tick = FALSE, gap.axis = -1,
                 cex.axis = min(1, 0.95 * room / max(text_width(labels, 1))))
}

# A legend in a row at the top; where that has no room, names are smaller, or in columns.
legend_at_top <- function(names, cex = 1, ...) {
  box <- function(cex, columns) {
    graphics::legend("top", names, bty = "n", cex = cex, ncol = columns, plot = FALSE, ...)$rect$w
  }
  room <- 0.92 * diff(graphics::par("usr")[1:2])
  for (columns in rev(seq_along(names))) {
    size <- cex * min(1, room / box(cex, columns))
    if (size >= 0.6 * cex) break
  }
  graphics::legend("top", names, bty = "n", cex = size, ncol = columns, ...)
}
