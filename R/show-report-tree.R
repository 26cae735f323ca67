# The tree of a report: its picture as SVG, the table of its rows, and what the script must know of
# both.

# How wide boxes may be, and the space between them, in pixels.
report_sizes <- list(narrowest = c(inner = 96, leaf = 70), widest = c(inner = 190, leaf = 170),
                     pad = 8, height = 68, gap = 12, row = 122, margin = 12)

# What the picture and the script have of the tree: texts, sizes of boxes and their places.
report_layout <- function(fit, digits, laplace) {
  words <- report_words(fit, digits, laplace)
  leaf <- node_is_leaf(fit)
  box <- report_box(words, leaf)
  width <- ifelse(leaf, box$leaf, box$inner)
  room <- width - 2 * report_sizes$pad
  words <- short_comparisons(words, room, fit)
  lines <- Map(function(text, room, model) {
    if (model) return(c(model_lines(text[1], room, line_sizes), text[-1]))
    unlist(Map(shorten_line, text, room, line_sizes[seq_along(text)], USE.NAMES = FALSE))
  }, words$lines, room, leaf & tree_leaf(fit) == "linear")
  c(report_places(fit, box),
    list(box = box, width = width, lines = lines, label = words$label, laplace = laplace))
}

# One width for all inner nodes and one for all leaves, as far as their texts need it. Leaves have
# at least the width at which the boxes of inner nodes next to each other have a gap. `words`: their
# texts, and of each node one that must be shown `whole`.
report_box <- function(words, leaf) {
  pad <- 2 * report_sizes$pad
  needed <- pad + vapply(words$lines, function(text) {
    max(svg_width(text, line_sizes[seq_along(text)]))
  }, 0)
  whole <- pad + svg_width(words$whole, line_sizes[2])
  widest <- function(kind, of) {
    ceiling(min(max(report_sizes$widest[[kind]], whole[of]),
                max(report_sizes$narrowest[[kind]], needed[of])))
  }
  inner <- widest("inner", !leaf)
  list(inner = inner, leaf = max(widest("leaf", leaf), if (!all(leaf)) inner / 2),
       height = report_sizes$height, gap = report_sizes$gap, row = report_sizes$row,
       margin = report_sizes$margin)
}

# The first line of a box is bold, and others are narrower.
line_sizes <- c(13, 12, 12)

# Of many levels as many as there is room for, with the number of the others; different splits read
# differently, or have the numbers of their nodes.
short_comparisons <- function(words, room, fit) {
  inner <- which(!node_is_leaf(fit))
  if (length(inner) == 0) return(words)
  variable <- node_variable(fit)[inner]
  said <- function(comparison) unlist(Map(comparison_line, comparison, room[inner]))
  comparison <- words$comparison[inner]
  text <- said(lead_with_own(comparison, variable, said(comparison)))
  alike <- are_alike(paste(variable, text), vapply(comparison, whole_comparison, ""))
  number <- ifelse(alike, gettextf(" (node %d)", node_ids(fit)[inner]), "")
  left <- room[inner] - svg_width(number, line_sizes[1])
  name <- paste0(unlist(Map(shorten_line, variable, left, line_sizes[1])), number)
  for (i in seq_along(inner)) words$lines[[inner[i]]][1:2] <- c(name[i], text[i])
  words
}

comparison_line <- function(words, room) {
  size <- line_sizes[2]
  items <- words$items
  if (length(words$short) && svg_width(items[1], size) > room - svg_width(" +99", size)) {
    items <- words$short
  }
  for (n in rev(seq_along(items))) {
    others <- length(items) - n
    ending <- paste(c("", if (others) sprintf("+%d", others), words$ending), collapse = " ")
    text <- paste(items[seq_len(n)], collapse = ", ")
    if (svg_width(paste0(text, ending), size) <= room) break
  }
  paste0(shorten_line(text, room - svg_width(ending, size), size), ending)
}

report_tree <- function(fit, layout) {
  box <- layout$box
  size <- c(max(layout$x + layout$width / 2), max(layout$y) + box$height) + box$margin
  # as wide as its texts need: the frame around it scrolls
  svg <- tag("svg", id = "tree-picture", role = "tree",
             viewBox = sprintf("0 0 %.0f %.0f", size[1], size[2]),
             width = sprintf("%.0f", size[1]), height = sprintf("%.0f", size[2]),
             `aria-label` = gettextf("Decision tree, %s", leaves_text(fit)),
             tag("g", role = "none", report_edges(fit, layout)),
             paste(report_boxes(fit, layout), collapse = "\n"))
  report_section(
    "tree", gettext("Tree"),
    tag("p", html_text(gettext(
      "A row goes to the left if the condition holds, and to the right if not."))),
    report_legend(fit), tag("div", id = "tools"),
    tag("div", class = "canvas", svg),
    tag("div", id = "node", `aria-live` = "polite"))
}

# Leaves stand side by side, inner nodes in the middle above their children.
report_places <- function(fit, box) {
  leaf <- node_is_leaf(fit)
  children <- node_children(fit)
  x <- numeric(length(leaf))
  x[leaf] <- box$margin + box$leaf / 2 + (box$leaf + box$gap) * (seq_len(sum(leaf)) - 1)
  for (node in rev(which(!leaf))) x[node] <- (x[children$left[node]] + x[children$right[node]]) / 2
  list(x = x, y = box$margin + box$row * node_depth(fit))
}

report_edges <- function(fit, layout) {
  parent <- node_parent(fit)
  ids <- node_ids(fit)
  child <- which(parent > 0)
  from <- layout$y[parent[child]] + layout$box$height
  bend <- from + (layout$box$row - layout$box$height) / 2
  width <- 1 + 5 * node_n(fit)[child] / node_n(fit)[1]
  left <- ids[child] %% 2L == 0L
  c(sprintf("<path class=\"edge\" id=\"edge-%d\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\" style=\"%s\"/>",
            ids[child], layout$x[parent[child]], from, bend, layout$x[child], layout$y[child],
            sprintf("stroke-width: %.1f", width)),
    sprintf("<text class=\"way\" id=\"way-%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
            ids[child], layout$x[child] + ifelse(left, 7, -7), bend - 6,
            ifelse(left, "start", "end"), ifelse(left, gettext("yes"), gettext("no"))))
}

# One group a node. A screen reader reads them as the items of a tree.
report_boxes <- function(fit, layout) {
  leaf <- node_is_leaf(fit)
  ids <- node_ids(fit)
  fill <- node_fill(fit, leaf_colours(fit, NULL), layout$laplace)
  box <- sprintf("<rect x=\"%.1f\" y=\"0\" width=\"%.0f\" height=\"%.0f\" rx=\"5\" fill=\"%s\"/>",
                 -layout$width / 2, layout$width, layout$box$height, fill)
  texts <- vapply(layout$lines, function(lines) {
    at <- if (length(lines) == 3) c(18, 36, 54) else c(26, 46)
    paste(svg_text(0, at[seq_along(lines)], lines, "middle"), collapse = "")
  }, "")
  texts <- sub("<text ", "<text class=\"strong\" ", texts, fixed = TRUE)
  sprintf(paste0("<g class=\"node%s\" id=\"node-%d\" role=\"treeitem\" aria-level=\"%d\"%s ",
                 "aria-label=\"%s\" tabindex=\"%d\" transform=\"translate(%.1f %.1f)\">",
                 "<title>%s</title>%s%s%s</g>"),
          ifelse(leaf, " leaf", ""), ids, node_depth(fit) + 1L,
          ifelse(leaf, "", " aria-expanded=\"true\""), html_text(layout$label),
          ifelse(ids == 1L, 0L, -1L), layout$x, layout$y, html_text(layout$label), box, texts,
          report_bars(fit, layout))
}

# Lines for the box of each node, and a sentence for those who do not see it.
report_words <- function(fit, digits, laplace) {
  said <- leaf_words(fit, digits)
  comparison <- left_words(fit, digits)
  asked <- vapply(comparison, function(words) {
    paste(c(paste(words$items, collapse = ", "), words$ending), collapse = " ")
  }, "")
  figures <- if (predicts_classes(fit)) {
    paste0(percent(class_proportion(fit, laplace)), ", n=", node_n(fit))
  } else {
    paste0("n=", node_n(fit))
  }
  short <- trimws(paste(short_words(fit, said), figures))
  name <- if (is_policy(fit)) node_action(fit) else said
  rest <- if (is_policy(fit)) paste0(distinct_numbers(fit$policy$reward, digits), ", ") else ""
  lines <- ifelse(node_is_leaf(fit), Map(c, name, paste0(rest, figures), USE.NAMES = FALSE),
                  Map(c, node_variable(fit), asked, short, USE.NAMES = FALSE))
  question <- ifelse(node_is_leaf(fit), gettext("leaf"), paste(node_variable(fit), asked))
  # a threshold is not cut, unless it is the name of a level
  whole <- ifelse(is.na(node_threshold(fit)) | nchar(asked) > 40, "", asked)
  list(lines = lines, whole = whole, comparison = comparison,
       label = sprintf("%s %d: %s; %s, %s", gettext("node"), node_ids(fit), question, said,
                       figures))
}

# What an inner node would predict, where there is room for it: names may be shortened, numbers not.
short_words <- function(fit, said) {
  switch(tree_leaf(fit), classes = shorten_middle(said, 8), number = said, linear = "",
         numbers = if (is_policy(fit)) shorten_middle(node_action(fit), 8) else "")
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
report_bars <- function(fit, layout) {
  bars <- node_bars(fit, layout$laplace)
  if (!ncol(bars)) return(character(nrow(bars)))
  col <- unname(leaf_colours(fit, NULL))
  vapply(seq_len(nrow(bars)), function(node) {
    width <- layout$width[node]
    from <- width * (c(0, cumsum(bars[node, ])) - 0.5)
    there <- which(bars[node, ] > 0)
    paste(sprintf("<rect class=\"bar\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"5\" %s/>",
                  from[there], layout$box$height - 5, width * bars[node, there],
                  sprintf("fill=\"%s\"", col[there])), collapse = "")
  }, "")
}

report_legend <- function(fit) {
  if (!predicts_classes(fit) && !is_policy(fit)) return(NULL)
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

report_data <- function(fit, shown, layout, rows, digits) {
  children <- node_children(fit)
  ids <- node_ids(fit)
  number <- function(row) c(0L, ids)[row + 1L]
  nodes <- list(id = ids, left = number(children$left), right = number(children$right),
                n = node_n(fit), errors = node_errors(fit), label = layout$label,
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
    nodes = nodes, classes = classes, box = layout$box,
    columns = names(columns), rows = unname(columns), leaves = ids[shown$leaf[which]],
    wrong = if (predicts_classes(fit) && !is.null(shown$truth)) {
      as.integer(as.character(shown$truth[which]) !=
                   as.character(node_class(fit))[shown$leaf[which]])
    } else {
      integer()
    }))
}
