# The tree of a report: its picture as SVG, the table of its rows, and what the script must know of
# both.

# Of boxes and the space between them, in units of the picture.
report_box <- list(width = 148, height = 68, gap = 16, row = 122, margin = 12)

report_tree <- function(fit, digits, laplace) {
  places <- report_places(fit)
  size <- c(max(places$x) + report_box$width / 2, max(places$y) + report_box$height) +
    report_box$margin
  svg <- tag("svg", id = "tree-picture", role = "tree",
             viewBox = sprintf("0 0 %.0f %.0f", size[1], size[2]),
             style = sprintf("max-width: %.0fpx", 1.6 * size[1]),
             `aria-label` = gettextf("Decision tree, %s", leaves_text(fit)),
             tag("g", role = "none", report_edges(fit, places)),
             paste(report_boxes(fit, places, digits, laplace), collapse = "\n"))
  report_section(
    "tree", gettext("Tree"),
    tag("p", html_text(gettext(
      "A row goes to the left if the condition holds, and to the right if not."))),
    report_legend(fit), tag("div", id = "tools"),
    tag("div", class = "canvas", svg),
    tag("div", id = "node", `aria-live` = "polite"))
}

# Leaves stand side by side, inner nodes in the middle above their children.
report_places <- function(fit) {
  leaf <- node_is_leaf(fit)
  children <- node_children(fit)
  x <- numeric(length(leaf))
  x[leaf] <- report_box$margin + report_box$width / 2 +
    (report_box$width + report_box$gap) * (seq_len(sum(leaf)) - 1)
  for (node in rev(which(!leaf))) x[node] <- (x[children$left[node]] + x[children$right[node]]) / 2
  list(x = x, y = report_box$margin + report_box$row * node_depth(fit))
}

report_edges <- function(fit, places) {
  parent <- node_parent(fit)
  ids <- node_ids(fit)
  child <- which(parent > 0)
  from <- places$y[parent[child]] + report_box$height
  bend <- from + (report_box$row - report_box$height) / 2
  width <- 1 + 5 * node_n(fit)[child] / node_n(fit)[1]
  left <- ids[child] %% 2L == 0L
  c(sprintf("<path class=\"edge\" id=\"edge-%d\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\" style=\"%s\"/>",
            ids[child], places$x[parent[child]], from, bend, places$x[child], places$y[child],
            sprintf("stroke-width: %.1f", width)),
    sprintf("<text class=\"way\" id=\"way-%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
            ids[child], places$x[child] + ifelse(left, 7, -7), bend - 5,
            ifelse(left, "start", "end"), ifelse(left, gettext("yes"), gettext("no"))))
}

# One group a node. A screen reader reads them as the items of a tree.
report_boxes <- function(fit, places, digits, laplace) {
  words <- report_words(fit, digits, laplace)
  fill <- node_fill(fit, leaf_colours(fit, NULL), laplace)
  leaf <- node_is_leaf(fit)
  ids <- node_ids(fit)
  box <- sprintf("<rect x=\"%.0f\" y=\"0\" width=\"%.0f\" height=\"%.0f\" rx=\"5\" fill=\"%s\"/>",
                 -report_box$width / 2, report_box$width, report_box$height, fill)
  texts <- vapply(seq_along(ids), function(node) {
    lines <- words$lines[[node]]
    at <- if (length(lines) == 3) c(18, 36, 54) else c(26, 46)
    paste(svg_text(0, at[seq_along(lines)], lines, "middle"), collapse = "")
  }, "")
  texts <- sub("<text ", "<text class=\"strong\" ", texts, fixed = TRUE)
  sprintf(paste0("<g class=\"node%s\" id=\"node-%d\" role=\"treeitem\" aria-level=\"%d\"%s ",
                 "aria-label=\"%s\" tabindex=\"%d\" transform=\"translate(%.1f %.1f)\">",
                 "<title>%s</title>%s%s%s</g>"),
          ifelse(leaf, " leaf", ""), ids, node_depth(fit) + 1L,
          ifelse(leaf, "", " aria-expanded=\"true\""), html_text(words$label),
          ifelse(ids == 1L, 0L, -1L), places$x, places$y, html_text(words$label), box, texts,
          report_bars(fit, laplace))
}

# Three lines for the box of each node, and a sentence for those who do not see it.
report_words <- function(fit, digits, laplace) {
  said <- leaf_words(fit, digits)
  asked <- vapply(left_words(fit, digits), function(words) {
    paste(c(paste(words$items, collapse = ", "), words$ending), collapse = " ")
  }, "")
  figures <- if (predicts_classes(fit)) {
    paste0(percent(class_proportion(fit, laplace)), ", n=", node_n(fit))
  } else {
    paste0("n=", node_n(fit))
  }
  short <- function(text, most = 21) shorten_middle(text, most)
  lines <- ifelse(node_is_leaf(fit), Map(c, short(said), figures),
                  Map(c, short(node_variable(fit)), short(asked),
                      paste(short(said, 8), figures)))
  question <- ifelse(node_is_leaf(fit), gettext("leaf"), paste(node_variable(fit), asked))
  list(lines = lines,
       label = sprintf("%s %d: %s; %s, %s", gettext("node"), node_ids(fit), question, said,
                       figures))
}

shorten_middle <- function(text, most) {
  long <- !is.na(text) & nchar(text) > most
  head <- ceiling(0.6 * (most - 2))
  text[long] <- paste0(substr(text[long], 1, head), "..",
                       substr(text[long], nchar(text[long]) - (most - 3 - head),
                              nchar(text[long])))
  text
}

# The proportions of the classes along the lower edge of each box.
report_bars <- function(fit, laplace) {
  bars <- node_bars(fit, laplace)
  if (!ncol(bars)) return(character(nrow(bars)))
  col <- unname(leaf_colours(fit, NULL))
  apply(bars, 1, function(parts) {
    from <- -report_box$width / 2 + report_box$width * c(0, cumsum(parts))
    there <- which(parts > 0)
    paste(sprintf("<rect class=\"bar\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"5\" %s/>",
                  from[there], report_box$height - 5, report_box$width * parts[there],
                  sprintf("fill=\"%s\"", col[there])), collapse = "")
  })
}

report_legend <- function(fit) {
  if (!predicts_classes(fit)) return(NULL)
  col <- leaf_colours(fit, NULL)[is_shown_class(fit)]
  shown <- utils::head(col, 24)
  items <- sprintf("<li><span class=\"swatch\" style=\"background: %s\"></span>%s</li>", shown,
                   html_text(names(shown)))
  if (length(col) > length(shown)) {
    items <- c(items, tag("li", gettextf("and %d more", length(col) - length(shown))))
  }
  tag("ul", class = "legend", `aria-label` = gettext("Colours of the classes"),
      paste(items, collapse = ""))
}

# ---- rows ----------------------------------------------------------------------------------------

# Rows that the page shows without JavaScript.
rows_without_script <- 25

report_row_table <- function(fit, shown, rows) {
  n <- length(shown$leaf)
  if (n == 0 || rows == 0) return(NULL)
  first <- seq_len(min(rows_without_script, rows, n))
  columns <- row_columns(fit, shown, first)
  note <- if (n > rows) gettextf("The first %d of %d rows.", rows, n)
  heading <- if (shown$training) gettext("Training rows") else gettext("Rows")
  report_section(
    "rows", heading, if (!is.null(note)) tag("p", html_text(note)), tag("div", id = "row-tools"),
    tag("div", class = "wide", html_table(columns, id = "row-table")),
    if (n > length(first)) tag("noscript", tag("p", html_text(gettextf(
      "Without JavaScript the first %d rows are shown.", length(first))))))
}

# The columns of the table of rows, for some of the rows, as text.
row_columns <- function(fit, shown, which) {
  leaf <- shown$leaf[which]
  predicted <- if (is.null(shown$predicted)) {
    leaf_words(fit, 5)[leaf]
  } else {
    format(shown$predicted[which], digits = 5, trim = TRUE)
  }
  columns <- list(row = shown$names[which], leaf = node_ids(fit)[leaf], predicted = predicted)
  if (!is.null(shown$truth)) columns$truth <- value_text(shown$truth[which])
  values <- lapply(shown$values, function(column) value_text(column[which]))
  clash <- names(values) %in% names(columns)
  names(values)[clash] <- paste0(names(values)[clash], " ")
  c(columns, values)
}

value_text <- function(values) {
  text <- if (is.numeric(values) && !is.object(values)) {
    sprintf("%.6g", values)
  } else {
    as.character(values)
  }
  text[is.na(values)] <- "NA"
  text
}

# ---- for the script ------------------------------------------------------------------------------

report_data <- function(fit, shown, rows, digits, laplace) {
  children <- node_children(fit)
  ids <- node_ids(fit)
  number <- function(row) c(0L, ids)[row + 1L]
  words <- report_words(fit, digits, laplace)
  nodes <- list(id = ids, left = number(children$left), right = number(children$right),
                n = node_n(fit), errors = node_errors(fit), label = words$label,
                rule = leaf_rules(fit, digits))
  classes <- if (predicts_classes(fit)) {
    list(names = tree_classes(fit), colours = unname(leaf_colours(fit, NULL)),
         counts = lapply(seq_along(ids), function(node) unname(node_counts(fit)[node, ])))
  } else {
    list(names = character())
  }
  which <- seq_len(min(rows, length(shown$leaf)))
  columns <- row_columns(fit, shown, which)
  script_json(list(
    nodes = nodes, classes = classes, box = lapply(report_box, as.numeric),
    columns = names(columns), rows = unname(columns), leaves = ids[shown$leaf[which]],
    wrong = if (predicts_classes(fit) && !is.null(shown$truth)) {
      as.integer(as.character(shown$truth[which]) !=
                   as.character(node_class(fit))[shown$leaf[which]])
    } else {
      integer()
    }))
}
