# HTML, SVG and JSON as text: what contree_report() is made of.

# Text between tags and in attributes. Control characters, which HTML cannot have, become the sign
# for what cannot be shown.
html_text <- function(text) {
  text <- enc2utf8(as.character(text))
  text <- gsub("[\001-\010\013\014\016-\037\177]", "\ufffd", text)
  special <- c("&" = "&amp;", "<" = "&lt;", ">" = "&gt;", "\"" = "&quot;", "'" = "&#39;")
  for (mark in names(special)) text <- gsub(mark, special[[mark]], text, fixed = TRUE)
  text
}

# Named arguments are attributes, which are escaped; the others are content, which is not.
tag <- function(name, ..., close = TRUE) {
  parts <- Filter(Negate(is.null), list(...))
  named <- nzchar(if (is.null(names(parts))) character(length(parts)) else names(parts))
  attributes <- sprintf(" %s=\"%s\"", names(parts)[named],
                        vapply(parts[named], function(value) html_text(value)[1], ""))
  paste0("<", name, paste(attributes, collapse = ""), ">",
         paste(unlist(parts[!named]), collapse = ""), if (close) paste0("</", name, ">"))
}

# `columns`: a named list of vectors. Those named in `code` are set as code.
html_table <- function(columns, code = character(), ...) {
  head <- paste0("<th scope=\"col\">", html_text(names(columns)), "</th>", collapse = "")
  cells <- Map(function(name, column) {
    text <- html_text(if (is.numeric(column)) format(column, trim = TRUE) else column)
    if (name %in% code) text <- paste0("<code>", text, "</code>")
    paste0(if (is.numeric(column)) "<td class=\"figure\">" else "<td>", text, "</td>")
  }, names(columns), columns)
  body <- paste0("<tr>", do.call(paste0, unname(cells)), "</tr>", collapse = "\n")
  tag("table", ..., "<thead><tr>", head, "</tr></thead>\n<tbody>", body, "</tbody>")
}

# ---- JSON ----------------------------------------------------------------------------------------

# A value as JSON that may stand in a script: no "<" ends it, and no line separator breaks it.
# Lists with names are objects, other lists and all vectors arrays.
script_json <- function(value) {
  if (is.list(value)) {
    parts <- vapply(unname(value), script_json, "")
    if (is.null(names(value))) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste0(script_string(names(value)), ":", parts, collapse = ","), "}"))
  }
  text <- if (is.numeric(value)) {
    ifelse(is.finite(value), formatC(as.numeric(value), digits = 15, width = -1, format = "g"),
           "null")
  } else if (is.logical(value)) {
    ifelse(is.na(value), "null", tolower(value))
  } else {
    ifelse(is.na(value), "null", script_string(as.character(value)))
  }
  paste0("[", paste(text, collapse = ","), "]")
}

script_string <- function(text) {
  text <- enc2utf8(text)
  special <- c("\\" = "\\\\", "\"" = "\\\"", "<" = "\\u003c", ">" = "\\u003e", "&" = "\\u0026",
               "\n" = "\\n", "\r" = "\\r", "\t" = "\\t", "\u2028" = "\\u2028",
               "\u2029" = "\\u2029")
  for (mark in names(special)) text <- gsub(mark, special[[mark]], text, fixed = TRUE)
  paste0("\"", gsub("[\001-\037\177]", "\ufffd", text), "\"")
}

# ---- charts --------------------------------------------------------------------------------------

# Lines with axes and a legend, as SVG. `curves`: a named list of list(x, y); `xlim`, `ylim`: the
# ranges of the axes.
line_chart <- function(title, curves, col, xlab, ylab, xlim, ylim) {
  x <- chart_axis(xlim)
  y <- chart_axis(ylim)
  box <- list(left = max(62, 24 + svg_width(y$labels, 12)), right = 318, top = 12, bottom = 268)
  across <- function(at) box$left + (at - x$from) / x$span * (box$right - box$left)
  up <- function(at) box$bottom - (at - y$from) / y$span * (box$bottom - box$top)
  legend_top <- box$bottom + 56
  height <- legend_top + 18 * length(curves)
  lines <- Map(function(curve, colour, dashes) {
    known <- is.finite(curve$x) & is.finite(curve$y)
    points <- sprintf("%.1f,%.1f", across(curve$x[known]), up(curve$y[known]))
    one <- length(points) == 1 # a dot
    cased("polyline", points = paste(rep(points, 1 + one), collapse = " "), fill = "none",
          stroke = colour, `stroke-dasharray` = dashes, `stroke-linecap` = if (one) "round")
  }, curves, col, rep_len(dash_patterns, length(curves)))
  rows <- legend_top + 18 * (seq_along(curves) - 1)
  start <- 62
  room <- chart_width - start - 38
  legend <- Map(function(name, colour, dashes, y) paste0(
    cased("line", x1 = start, x2 = start + 30, y1 = y, y2 = y, stroke = colour,
          `stroke-dasharray` = dashes),
    svg_text(start + 38, y + 4, shorten_line(name, room, 11), "start")),
    names(curves), col, rep_len(dash_patterns, length(curves)), rows)
  tag("figure", tag("figcaption", html_text(title)),
      tag("svg", class = "chart", role = "img",
          viewBox = sprintf("0 0 %d %.0f", chart_width, height), width = chart_width,
          height = sprintf("%.0f", height),
          `aria-label` = paste0(title, ": ", paste(names(curves), collapse = ", ")),
          chart_axes(box, across(x$at), x$labels, up(y$at), y$labels, xlab, ylab),
          unlist(lines), unlist(legend)))
}

chart_width <- 345L

# Where an axis starts, how long it is, and where its numbers are. A range of one number reaches to
# 0.
chart_axis <- function(range) {
  range <- as.numeric(range)
  if (diff(range) == 0) range <- if (range[1] == 0) c(0, 1) else range(0, range)
  at <- pretty(range, 4)
  at <- at[at >= range[1] & at <= range[2]]
  list(from = range[1], span = diff(range), at = at, labels = format(at, trim = TRUE))
}

# A line above a wider one in the colour of text: pale colours are seen on any ground.
cased <- function(...) paste0(tag(..., class = "casing"), tag(..., `stroke-width` = 2.5))

# Curves are told apart without colours too.
dash_patterns <- c("none", "7 3", "2 3", "9 3 2 3", "12 4", "1 2", "4 2 1 2 1 2", "6 6")

# `x`, `y`: the places of the numbers. Those across are left out where they have no room.
chart_axes <- function(box, x, x_labels, y, y_labels, xlab, ylab) {
  wide <- max(svg_width(x_labels, 12)) + 6
  shown <- seq(1, length(x), by = ceiling(wide / max(1, x[-1] - x[-length(x)])))
  centre <- (box$left + box$right) / 2
  middle <- (box$top + box$bottom) / 2
  c(tag("rect", x = box$left, y = box$top, width = box$right - box$left,
        height = box$bottom - box$top, class = "axes"),
    svg_text(x[shown], box$bottom + 16, x_labels[shown], "middle"),
    svg_text(box$left - 6, y + 4, y_labels, "end"),
    svg_text(centre, box$bottom + 34,
             shorten_line(xlab, 2 * min(centre, chart_width - centre), 12), "middle"),
    tag("text", x = 12, y = middle, `text-anchor` = "middle",
        transform = sprintf("rotate(-90 12 %.1f)", middle),
        html_text(shorten_line(ylab, 2 * middle, 12))))
}

# The middle of a text is left out until it has room, in pixels.
shorten_line <- function(text, room, size) {
  most <- nchar(text)
  short <- text
  while (svg_width(short, size) > room && most > 3) {
    most <- most - 1
    short <- shorten_middle(text, most)
  }
  short
}

# The sum of a linear model on up to two lines, without the terms for which there is no room.
model_lines <- function(text, room, size) {
  if (svg_width(text, size[1]) <= room) return(text)
  terms <- number_pieces(text)
  joined <- function(n) paste(terms[seq_len(n)], collapse = "")
  fits <- function(n) svg_width(joined(n), size[1]) <= room
  first <- max(1, Filter(fits, seq_along(terms)))
  start <- shorten_line(joined(first), room, size[1])
  for (last in rev(seq(first, length(terms)))) {
    rest <- paste0(substring(joined(last), nchar(joined(first)) + 1),
                   if (last < length(terms)) " ..")
    if (svg_width(rest, size[2]) <= room) break
  }
  if (trimws(rest) == "..") paste0(start, rest) else c(start, trimws(rest))
}

# Pixels that bold text of a size needs at most, in any usual font without serifs.
svg_width <- function(text, size) {
  wide <- c(rep(0.42, 13), rep(0.52, 9), rep(1.1, 10), rep(0.86, 28))
  names(wide) <- strsplit("ijlI.,:;!|' -tfr()[]/_mwMWOQ@%&+ABCDEFGHJKLNPRSTUVXYZ<>=~#$*", "")[[1]]
  size * vapply(strsplit(enc2utf8(text), ""), function(letters) {
    known <- wide[letters]
    other <- ifelse(nchar(letters, "width", allowNA = TRUE) %in% 2, 1.05, 0.74)
    sum(ifelse(is.na(known), other, known))
  }, 0)
}

svg_text <- function(x, y, text, anchor) {
  sprintf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor,
          html_text(text))
}
