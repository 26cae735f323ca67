# What plot() may be asked for besides: other figures in the boxes, palettes, node numbers, the path
# of a row.

# ---- figures -------------------------------------------------------------------------------------

# The codes of rpart.plot that say something of a tree of classes; 100 may be added to each. Those
# for two classes name the second.
extras_of_classes <- c(0, 1, 2, 3, 4, 6, 8, 9)
extras_of_numbers <- c(0, 1)

check_extra <- function(fit, extra) {
  if (is.null(extra)) return(NULL)
  known <- if (predicts_classes(fit)) extras_of_classes else extras_of_numbers
  if (is.numeric(extra) && length(extra) == 1 && extra %in% c(known, 100 + known)) return(extra)
  stop_input("extra", gettextf(
    "'extra' must be one of %s, or one of these and 100, not %s; see ?plot.contree",
    paste(known, collapse = ", "), show_value(extra)))
}

# The lines of figures of each node.
node_figures <- function(fit, extra, laplace) {
  n <- paste0("n=", node_n(fit))
  if (is.null(extra)) {
    if (!predicts_classes(fit)) return(as.list(n))
    return(Map(c, percent(class_proportion(fit, laplace)), n, USE.NAMES = FALSE))
  }
  code <- extra %% 100
  said <- if (code == 0) NULL else if (predicts_classes(fit)) {
    class_figure(fit, code, laplace)
  } else {
    n
  }
  of_all <- if (extra >= 100) percent(node_weight(fit) / tree_weight(fit))
  lines <- list(said, of_all)
  lines <- lines[lengths(lines) > 0]
  if (length(lines) == 0) return(rep(list(character()), nrow(fit$frame)))
  do.call(Map, c(list(f = c, USE.NAMES = FALSE), lines))
}

class_figure <- function(fit, code, laplace) {
  counts <- node_counts(fit)
  whole <- function(values) format(signif(values, 6), trim = TRUE)
  right <- counts[cbind(seq_len(nrow(counts)), node_label(fit))]
  proportions <- node_proportions(fit, laplace)
  decimals <- function(values) sub("^0[.]", ".", sprintf("%.2f", values))
  of_all <- function(node) {
    if (ncol(counts) > most_proportions) return(largest_proportions_text(node))
    paste(decimals(node), collapse = " ")
  }
  switch(
    as.character(code),
    `1` = if (ncol(counts) > most_proportions) counts_in_short(counts) else {
      apply(counts, 1, function(row) paste(whole(row), collapse = " "))
    },
    `2` = paste(whole(right), "/", whole(node_weight(fit))),
    `3` = paste(whole(node_weight(fit) - right), "/", whole(node_weight(fit))),
    `4` = apply(proportions, 1, of_all), `6` = decimals(proportions[, min(2, ncol(proportions))]),
    `8` = decimals(class_proportion(fit, laplace)),
    `9` = apply(counts / tree_weight(fit), 1, of_all))
}

# "k17 51, k3 20, +12"
counts_in_short <- function(counts) {
  apply(counts, 1, function(row) {
    shown <- order(row, decreasing = TRUE)[seq_len(named_proportions)]
    others <- sum(row > 0) - sum(row[shown] > 0)
    paste(c(paste(names(row)[shown], format(row[shown], trim = TRUE)),
            if (others > 0) sprintf("+%d", others)), collapse = ", ")
  })
}

# ---- colours -------------------------------------------------------------------------------------

# As many colours as the tree needs of a palette that R knows by name; `col` wins.
palette_colours <- function(fit, palette, col) {
  if (is.null(palette) || !is.null(col)) return(col)
  plain <- function(names) tolower(gsub("[^[:alnum:]]", "", names))
  discrete <- grDevices::palette.pals()
  known <- c(discrete, grDevices::hcl.pals())
  at <- if (is.character(palette) && length(palette) == 1) match(plain(palette), plain(known))
  if (length(at) == 0 || is.na(at)) {
    stop_input("palette", gettextf(
      "'palette' must be a name of palette.pals() or hcl.pals(), as \"Set 2\", not %s",
      show_value(palette)))
  }
  n <- if (predicts_classes(fit)) length(tree_classes(fit)) else 1L
  if (at > length(discrete)) return(grDevices::hcl.colors(n, known[at]))
  of_palette <- grDevices::palette.colors(palette = known[at])
  if (n <= length(of_palette)) return(unname(of_palette[seq_len(n)]))
  grDevices::colorRampPalette(of_palette)(n)
}

# ---- the path of a row ---------------------------------------------------------------------------

# Which nodes a row comes through, by node number; NULL without a row.
path_of_row <- function(fit, row) {
  if (is.null(row)) return(NULL)
  if (!is.data.frame(row) && !is.matrix(row) || nrow(row) != 1) {
    stop_input("row", gettext(
      "'row' must be a data frame or matrix of one row, as newdata[1, ], with all columns"))
  }
  leaf <- unname(stats::predict(fit, row, type = "node"))
  leaf %/% 2L^(0:findInterval(leaf, 2^(1:30)))
}

# ---- node numbers --------------------------------------------------------------------------------

# Above the upper left corner of the boxes, clear of their text and on the page.
draw_numbers <- function(layout, nodes) {
  if (length(nodes) == 0) return(invisible())
  cex <- 0.8 * layout$cex
  text <- as.character(layout$ids[nodes])
  width <- text_width(text, cex) / 2 + 0.03
  height <- line_height(cex) / 2
  x <- pmax(layout$x[nodes] - layout$half_width[nodes], width)
  y <- pmin(layout$top[nodes] + number_rise * layout$line, layout$ceiling - height)
  graphics::rect(x - width, y - height, x + width, y + height, col = "white", border = "grey60",
                 xpd = NA)
  graphics::text(x, y, text, cex = cex, adj = c(0.5, 0.5), xpd = NA)
}

# How far the middle of a number is above its box, in lines.
number_rise <- 0.25
