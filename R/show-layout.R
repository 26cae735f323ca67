# Where the nodes of a plotted tree go, and how much text they hold. All lengths are inches.
#
# Leaves share the width equally at the bottom; an inner node stands in the middle above its
# children. How much is said, and how large, is found by trying: each stage below gives up something
# that the one before kept, and within a stage the largest text that fits is taken. A try (try_size)
# either gives a layout or NULL. If nothing fits at a legible size, the deepest splits are left out,
# one level after the other.

# upright: must the text of the leaves read from left to right? turn: may that of inner nodes read
# upwards? facts: what these say below their condition: "all" is class and figures, "some" the class
# where it fits. shorten: may names be shortened? sizes: of the text, largest first.
layout_stages <- list(
  list(upright = TRUE,  turn = FALSE, facts = "all",     shorten = FALSE,
       sizes = seq(1, 0.65, by = -0.05)),
  list(upright = FALSE, turn = FALSE, facts = "all",     shorten = FALSE,
       sizes = seq(1, 0.6, by = -0.05)),
  list(upright = FALSE, turn = FALSE, facts = "some",    shorten = FALSE,
       sizes = seq(0.8, 0.5, by = -0.05)),
  list(upright = FALSE, turn = FALSE, facts = "some",    shorten = TRUE,
       sizes = seq(0.7, 0.5, by = -0.05)),
  list(upright = FALSE, turn = TRUE,  facts = "some",    shorten = TRUE,
       sizes = seq(0.8, 0.5, by = -0.05)),
  list(upright = FALSE, turn = TRUE,  facts = "none",    shorten = TRUE,
       sizes = seq(0.6, 0.5, by = -0.05)))

# `drawn`, the tree that the layout is of, ends where there is no room for more.
lay_out <- function(fit, page, title, cex, digits, facts, legend_col, extra = NULL,
                    laplace = 0, numbers = FALSE) {
  depth <- max(node_depth(fit))
  for (limit in c(depth, rev(seq_len(depth))[-1])) {
    drawn <- cut_nodes(fit, which(!node_is_leaf(fit) & node_depth(fit) == limit))
    frame <- start_layout(fit, drawn, page, title, legend_col, numbers)
    words <- node_words(drawn, digits, extra, laplace)
    for (sizes in list(cex, NULL)[c(!is.null(cex), TRUE)]) {
      layout <- try_stages(frame, words, page, facts, sizes)
      if (!is.null(layout)) return(told_apart(layout, frame, words, page, facts, sizes))
    }
  }
  frame <- start_layout(fit, fit, page, title, legend_col, numbers)
  try_size(frame, node_words(fit, digits, extra, laplace), page, 0.4,
           layout_stages[[length(layout_stages)]], force = TRUE)
}

# Levels that had no room may leave different splits with the same text: then others are named, and
# where that does not help either, boxes have the numbers of their nodes, as rules and print() do.
told_apart <- function(layout, frame, words, page, facts, sizes) {
  asked <- function(layout) vapply(layout$question, paste, "", collapse = " ")
  whole <- vapply(words$comparison, whole_comparison, "")
  alike <- function(layout) {
    text <- asked(layout)
    are_alike(text, paste(words$variable, whole)) & nzchar(text)
  }
  if (!any(alike(layout))) return(layout)
  words$comparison <- lead_with_own(words$comparison, words$variable, asked(layout))
  again <- try_stages(frame, words, page, facts, sizes)
  if (!is.null(again) && sum(alike(again)) < sum(alike(layout))) layout <- again
  layout$numbered <- alike(layout)
  layout
}

start_layout <- function(fit, drawn, page, title, legend_col, numbers) {
  frame <- skeleton(drawn, page)
  frame$numbers <- numbers
  frame$drawn <- drawn
  frame$cut <- frame$leaf & !(frame$ids %in% node_ids(fit)[node_is_leaf(fit)])
  if (length(legend_col)) frame$legend_col <- legend_col[is_shown_class(fit)]
  frame <- place_title(frame, page, title)
  if (any(frame$cut)) place_note(frame, page, max(frame$depth), max(node_depth(fit))) else frame
}

# Classes that rows have, or that a node predicts.
is_shown_class <- function(fit) {
  if (is_policy(fit)) return(seq_along(fit$policy$actions) %in% fit$policy$action)
  colSums(node_counts(fit)) > 0 | seq_along(tree_classes(fit)) %in% node_label(fit)
}

# The first stage and size at which everything fits; NULL if there is none. `sizes` replaces those
# of the stages.
try_stages <- function(frame, words, page, facts, sizes) {
  for (stage in layout_stages) {
    if (!facts) stage$facts <- "none"
    for (size in if (is.null(sizes)) stage$sizes else sizes) {
      layout <- try_size(frame, words, page, size, stage, force = FALSE)
      if (!is.null(layout)) return(layout)
    }
  }
  NULL
}

# What does not depend on the size of the text.
skeleton <- function(fit, page) {
  leaf <- node_is_leaf(fit)
  children <- node_children(fit)
  margin <- 0.08
  unit <- (page$width - 2 * margin) / sum(leaf)
  x <- numeric(length(leaf))
  x[leaf] <- margin + unit * (seq_len(sum(leaf)) - 0.5)
  for (node in rev(which(!leaf))) x[node] <- (x[children$left[node]] + x[children$right[node]]) / 2
  depth <- node_depth(fit)
  list(ids = node_ids(fit), leaf = leaf, turned = logical(length(leaf)),
       numbered = logical(length(leaf)), height = numeric(length(leaf)),
       parent = node_parent(fit), depth = depth, x = x, unit = unit, margin = margin,
       room = vapply(seq_along(x), side_room, 0, x = x, leaf = leaf, depth = depth, page = page))
}

# How far the box of an inner node may reach to either side: to the middle between it and the next
# inner node of its row, or nearly to the branch of a leaf that passes its row.
side_room <- function(node, x, leaf, depth, page) {
  if (leaf[node]) return(0)
  gap <- 0.04
  boxes <- x[!leaf & depth == depth[node] & x != x[node]]
  lines <- x[leaf & depth <= depth[node]]
  min(abs(boxes - x[node]) / 2 - gap, abs(lines - x[node]) - 2 * gap, x[node] - gap,
      page$width - x[node] - gap)
}

# The texts of the nodes before they are fitted: variable and comparison (see left_words()) of inner
# nodes, class (or number, or model) and figures of all. `pieces` and `cut` say where these may be
# broken, and what is left of them where there is no room: of names their ends, of models whole
# terms, of numbers all or nothing.
node_words <- function(fit, digits, extra, laplace) {
  said <- leaf_words(fit, digits)
  words <- list(variable = node_variable(fit), comparison = left_words(fit, digits), class = said,
                short_class = said, figures = node_figures(fit, extra, laplace),
                pieces = number_pieces, cut = cut_numbers, cut_lines = function(...) NULL,
                tall = FALSE)
  if (predicts_classes(fit)) {
    words$short_class <- without_common_ends(tree_classes(fit))[node_label(fit)]
    words$pieces <- name_pieces
    words$cut <- shortened_line
    words$cut_lines <- shortened_lines
  } else if (tree_leaf(fit) == "linear") {
    words$cut_lines <- function(text, width, cex, most) cut_numbers(text, width, cex, 2, most)
    words$tall <- TRUE
  } else if (is_policy(fit)) {
    words$pieces <- action_pieces
    words$cut <- cut_action
  }
  words
}

# Long names that begin or end alike would all be shortened to the same: without the words they
# share. Each keeps one.
without_common_ends <- function(names) {
  if (length(names) < 2) return(names)
  pieces <- lapply(names, name_pieces)
  start <- count_common(pieces, min(lengths(pieces)) - 1)
  end <- count_common(lapply(pieces, rev), min(lengths(pieces)) - 1 - start)
  vapply(pieces,
         function(p) trimws(paste(p[(1 + start):(length(p) - end)], collapse = ""), "right"), "")
}

# How many pieces, at most `most`, are the same at the start of all names.
count_common <- function(pieces, most) {
  same <- 0
  while (same < most && length(unique(trimws(vapply(pieces, `[`, "", same + 1)))) == 1) {
    same <- same + 1
  }
  same
}

# A class that is not alone is never said to have 100%, nor one that is there 0%.
percent <- function(proportion) {
  text <- paste0(round(100 * proportion), "%")
  text[proportion < 1 & text == "100%"] <- ">99%"
  text[proportion > 0 & text == "0%"] <- "<1%"
  text
}

place_title <- function(frame, page, title) {
  frame$title <- if (length(title)) unlist(strsplit(as.character(title), "\n", fixed = TRUE))
  frame$title_cex <- 1.1
  frame$title_height <- 0
  if (length(frame$title)) {
    width <- 0.96 * page$width
    frame$title <- unlist(lapply(frame$title, break_title, width))
    frame$title_cex <- cex_that_fits(frame$title, frame$title_cex, width, 2)
    frame$title_height <- length(frame$title) * line_height(frame$title_cex) + 0.1
    frame$title_y <- page$height - frame$title_height / 2
  }
  frame
}

# Lines of whole words; a title that fits when somewhat smaller stays one.
break_title <- function(title, width) {
  small <- 0.8
  if (text_width(title, small, 2) <= width) return(title)
  words <- strsplit(title, "(?<= )(?=[^ ])", perl = TRUE)[[1]]
  row <- fill_rows(text_width(words, small, 2), width)
  trimws(vapply(split(words, row), paste, "", collapse = ""), "right")
}

# The given size of text, or a smaller one at which all of it is at most so wide. Devices round
# sizes, so the width is not in proportion.
cex_that_fits <- function(text, cex, width, font) {
  cex <- cex * min(1, width / max(text_width(text, cex, font)))
  while (cex > 0.05 && max(text_width(text, cex, font)) > width) cex <- 0.95 * cex
  cex
}

# Below the title, what is left out.
place_note <- function(frame, page, drawn, depth) {
  frame$note <- gettextf("drawn to depth %d of %d: the dashed boxes are split further", drawn,
                         depth)
  frame$note_cex <- cex_that_fits(frame$note, 0.7, 0.96 * page$width, 3)
  frame$note_y <- page$height - frame$title_height - line_height(frame$note_cex) / 2 - 0.04
  frame$title_height <- frame$title_height + line_height(frame$note_cex) + 0.04
  frame
}

# ---- one size ------------------------------------------------------------------------------------

try_size <- function(frame, words, page, cex, stage, force) {
  layout <- frame
  layout$cex <- cex
  layout$line <- line_height(cex)
  layout$pad <- 0.5 * layout$line
  layout$bar <- if (predicts_classes(layout$drawn)) 0.5 * layout$line else 0
  layout$longest <- 0.2 * page$height # of text that reads upwards
  layout <- place_legend(layout, page)
  layout <- fit_leaves(layout, words, page, stage, force)
  if (is.null(layout)) return(NULL)
  layout <- fit_inner(layout, words, stage, force)
  if (is.null(layout)) return(NULL)
  place_rows(layout, page, force)
}

line_height <- function(cex) diff(graphics::strheight(c("M", "M\nM"), units = "inches", cex = cex))

text_width <- function(text, cex, font = 1) {
  graphics::strwidth(text, units = "inches", cex = cex, font = font)
}

# Classes in rows at the bottom, at most three; what is beyond is counted.
place_legend <- function(layout, page) {
  layout$legend_height <- 0.06
  col <- layout$legend_col
  if (length(col) == 0) return(layout)
  cex <- max(0.6, min(0.9, layout$cex))
  swatch <- 0.6 * line_height(cex)
  place <- function(labels) {
    wide <- swatch * 3.2 + text_width(labels, cex)
    row <- fill_rows(wide, page$width - 2 * layout$margin)
    start <- stats::ave(wide, row, FUN = function(w) cumsum(c(0, w[-length(w)])))
    used <- stats::ave(wide, row, FUN = sum) - swatch * 1.6
    list(row = row, x = (page$width - used) / 2 + start)
  }
  shorten <- function(names) shorten_to_width(names, page$width - 2 * layout$margin - 4 * swatch,
                                              cex)
  labels <- shorten(names(col))
  at <- place(labels)
  if (max(at$row) > 3) {
    col <- col[answers_first(names(col), layout$drawn)]
    labels <- shorten(names(col))
    at <- place(labels)
    shown <- sum(at$row <= 3) - 1
    labels <- c(labels[seq_len(shown)], gettextf("and %d more", length(col) - shown))
    col <- c(col[seq_len(shown)], NA)
    at <- place(labels)
  }
  rows <- max(at$row)
  layout$legend_height <- rows * line_height(cex) * 1.1 + 0.1
  layout$key <- list(x = at$x,
                     y = layout$legend_height - 0.04 - (at$row - 0.5) * line_height(cex) * 1.1,
                     label = labels,
                     col = col, cex = cex, swatch = swatch)
  layout
}

# The order of classes in which the answers of leaves come first.
answers_first <- function(classes, fit) {
  order(!classes %in% as.character(node_class(fit)[node_is_leaf(fit)]))
}

# Rows of things of given widths, filled one after the other.
fill_rows <- function(wide, width) {
  row <- 1
  used <- 0
  rows <- integer(length(wide))
  for (i in seq_along(wide)) {
    if (used > 0 && used + wide[i] > width) {
      row <- row + 1
      used <- 0
    }
    used <- used + wide[i]
    rows[i] <- row
  }
  rows
}

# Leaves: upright text if it fits, else text that reads upwards.
fit_leaves <- function(layout, words, page, stage, force) {
  longest <- 0.25 * page$height
  upright <- fit_upright(layout, words, longest, stage$shorten &&
                         layout$unit > 8 * text_width("n", layout$cex, 2))
  if (!is.null(upright) && !(words$tall && stage$shorten)) return(upright)
  if (stage$upright) return(NULL)
  turned <- fit_turned(layout, words, longest, stage$shorten, force)
  # models that are cut stand the way that has room for more of them
  said <- function(layout) sum(nchar(unlist(layout$facts)))
  if (is.null(upright) || said(turned) > said(upright)) turned else upright
}

# Names of the classes of the leaves; of those that are too long the part that tells them apart, if
# names may be shortened.
leaf_class <- function(words, leaf, width, cex, shorten) {
  class <- words$class[leaf]
  ifelse(shorten & text_width(class, cex, 2) > width, words$short_class[leaf], class)
}

# Classes have two lines at most, models as many as turned text is long.
fit_upright <- function(layout, words, longest, shorten) {
  leaf <- which(layout$leaf)
  width <- layout$unit - 0.06 - 1.6 * layout$pad
  figures <- words$figures[leaf]
  layout$n_figures <- max(lengths(figures))
  most <- if (words$tall) max(2, (longest - layout$pad) %/% layout$line - layout$n_figures) else 2
  if (max(0, text_width(as.character(unlist(figures)), layout$cex)) > width) return(NULL)
  class <- lapply(leaf_class(words, leaf, 2 * width, layout$cex, shorten), function(text) {
    lines <- fill_lines(words$pieces(text), width, layout$cex, most)
    if (!is.null(lines) || !shorten) return(lines)
    words$cut_lines(text, width, layout$cex, most)
  })
  if (any(vapply(class, is.null, NA))) return(NULL)
  rows <- max(lengths(class))
  layout$facts <- vector("list", length(layout$leaf))
  layout$facts[leaf] <- Map(c, class, figures)
  widest <- max(text_width(unlist(class), layout$cex, 2),
                text_width(as.character(unlist(figures)), layout$cex))
  layout$half_width <- ifelse(layout$leaf, (max(widest, 0.25) + 1.6 * layout$pad) / 2, 0)
  layout$leaf_height <- (rows + layout$n_figures) * layout$line + layout$pad + layout$bar
  layout
}

fit_turned <- function(layout, words, longest, shorten, force) {
  leaf <- which(layout$leaf)
  room <- layout$unit - 0.04
  lines <- if (room >= 2.3 * layout$line) 2 else 1
  if (room < 1.1 * layout$line && !force) return(NULL)
  figures <- vapply(words$figures[leaf], paste, "", collapse = " ")
  height <- longest - layout$bar - layout$pad
  class <- leaf_class(words, leaf, height, layout$cex, shorten)
  too_long <- text_width(class, layout$cex, 2) > height
  if (any(too_long) && !shorten) return(NULL)
  class <- shorten_to_width(class, height, layout$cex, 2, words$cut)
  if (!force && !all(nzchar(class))) return(NULL) # a box without anything says less than none
  layout$turned[leaf] <- TRUE
  layout$facts <- vector("list", length(layout$leaf))
  layout$facts[leaf] <- if (lines == 2) Map(c, class, figures) else as.list(class)
  layout$half_width <- ifelse(layout$leaf, min(room, (lines + 0.7) * layout$line) / 2, 0)
  longest <- max(text_width(class, layout$cex, 2), if (lines == 2) text_width(figures, layout$cex))
  layout$leaf_height <- longest + layout$pad + layout$bar
  if (room < layout$line) layout$facts[leaf] <- list(character())
  layout
}

# Inner nodes: the condition in up to three lines, the class and its figures in up to two. A row of
# which one does not fit is turned, if that is allowed.
fit_inner <- function(layout, words, stage, force) {
  layout$question <- vector("list", length(layout$leaf))
  for (row in split(which(!layout$leaf), layout$depth[!layout$leaf])) {
    boxes <- lapply(row, fit_box, layout, words, stage, force)
    turned <- stage$turn && any(vapply(boxes, is.null, NA))
    if (turned) boxes <- lapply(row, fit_turned_box, layout, words, stage)
    if (any(vapply(boxes, is.null, NA))) return(NULL)
    layout$turned[row] <- turned
    for (i in seq_along(row)) {
      layout$question[row[i]] <- list(boxes[[i]]$question)
      layout$facts[row[i]] <- list(boxes[[i]]$facts) # NULL where there is no room for any
      layout$half_width[row[i]] <- max(min(boxes[[i]]$wide / 2, layout$room[row[i]]), 0.02)
      layout$height[row[i]] <- boxes[[i]]$high
    }
  }
  layout
}

fit_box <- function(node, layout, words, stage, force) {
  border <- 1.6 * layout$pad
  width <- 2 * layout$room[node] - border
  question <- fit_question(words$variable[node], words$comparison[[node]], width, layout$cex,
                           stage$shorten, force)
  facts <- fit_facts(words, node, width, layout$cex, stage$facts)
  if (is.null(question) || is.null(facts)) return(NULL)
  lines <- length(question) + length(facts)
  list(question = question, facts = facts,
       high = lines * layout$line + layout$pad * (1 + (length(facts) > 0)),
       wide = max(text_width(question, layout$cex, 2), text_width(facts, layout$cex), 0) + border)
}

# A box with text that reads upwards; figures where there is room for one more line.
fit_turned_box <- function(node, layout, words, stage) {
  lines <- floor((2 * layout$room[node] - 0.04) / layout$line)
  question <- fit_question(words$variable[node], words$comparison[[node]], layout$longest,
                           layout$cex, stage$shorten, FALSE)
  if (is.null(question) || length(question) > lines) return(NULL)
  facts <- if (length(question) < lines) fit_facts(words, node, layout$longest, layout$cex,
                                                   stage$facts)
  if (length(question) + length(facts) > lines) facts <- facts[length(facts)]
  list(question = question, facts = facts,
       wide = (length(question) + length(facts) + 0.6) * layout$line,
       high = max(text_width(question, layout$cex, 2), text_width(facts, layout$cex)) + layout$pad)
}

fit_question <- function(variable, comparison, width, cex, shorten, force) {
  comparison <- fit_comparison(comparison, width, cex, shorten)
  # where not even the threshold fits, the box stays empty
  if (is.null(comparison)) return(if (force) character())
  fits <- function(text) text_width(text, cex, 2) <= width
  whole <- paste(variable, comparison[1])
  if (fits(whole)) return(c(whole, comparison[-1]))
  lines <- wrap(variable, width, cex, shorten)
  if (is.null(lines)) return(if (force) comparison)
  joined <- paste(lines[length(lines)], comparison[1])
  if (fits(joined)) c(lines[-length(lines)], joined, comparison[-1]) else c(lines, comparison)
}

# The comparison in up to three lines; of many levels as many as they hold, with the number of the
# others. NULL if it does not fit.
fit_comparison <- function(comparison, width, cex, shorten) {
  items <- comparison$items
  # levels, but not thresholds, leave room for what is added to them; what is left of a level must
  # still tell it
  if (shorten && !is.null(comparison$short)) {
    room <- width - text_width(" +99", cex, 2)
    long <- text_width(items, cex, 2) > room
    items[long] <- shorten_to_width(comparison$short[long], room, cex, 2)
    if (any(items != comparison$items & items != comparison$short & nchar(items) < 9)) return(NULL)
  }
  for (shown in rev(seq_along(items))) {
    others <- length(items) - shown
    pieces <- c(paste0(items[seq_len(shown - 1)], ", ", recycle0 = TRUE),
                paste0(items[shown], if (others) sprintf(" +%d", others),
                       if (length(comparison$ending)) " "),
                comparison$ending)
    lines <- fill_lines(pieces, width, cex, 3)
    if (!is.null(lines)) return(lines)
  }
  NULL
}

fit_facts <- function(words, node, width, cex, facts) {
  if (facts == "none") return(character())
  figures <- paste(words$figures[[node]], collapse = " ")
  fits <- function(text) text_width(text, cex) <= width
  class <- words$class[node]
  if (facts == "some" && !fits(class)) class <- words$short_class[node]
  if (fits(trimws(paste(class, figures)))) return(trimws(paste(class, figures)))
  if (!fits(figures)) return(NULL)
  if (fits(class)) return(c(class, figures))
  if (facts == "some") c(words$cut(class, width, cex, 1), figures)
}

# Heights. The space between the rows is the same everywhere; the leaves stand on the legend.
place_rows <- function(layout, page, force) {
  inner <- !layout$leaf
  layout$ceiling <- page$height - layout$title_height
  top <- layout$ceiling - max(0.08, if (layout$numbers) (number_rise + 0.45) * layout$line)
  floor <- layout$legend_height
  rows <- if (any(inner)) max(layout$depth[inner]) + 1 else 0
  row_height <- vapply(seq_len(rows),
                       function(row) max(layout$height[inner & layout$depth == row - 1]), 0)
  spare <- (top - floor - layout$leaf_height - sum(row_height)) / max(1, rows)
  if (!force && spare < if (rows) 1.2 * layout$line else 0) return(NULL)
  # boxes hang from the top of their row, so that the space below them is free for the branches
  row_top <- top - cumsum(c(0, row_height + spare))
  leaf_top <- if (rows) floor + layout$leaf_height else (top + floor + layout$leaf_height) / 2
  layout$height[layout$leaf] <- layout$leaf_height
  layout$top <- ifelse(inner, row_top[layout$depth + 1], leaf_top)
  layout$bottom <- layout$top - layout$height
  layout$y <- (layout$top + layout$bottom) / 2
  # the branches of a row leave at one height, below its lowest box, so that none runs behind a
  # neighbour
  layout$bus <- (row_top - c(row_height, 0) - min(spare / 2, 0.9 * layout$line))[layout$depth + 1]
  layout
}

# ---- text ----------------------------------------------------------------------------------------

# A name in at most two lines of a given width, broken after ".", "_", "-", "/", ":" or blanks and
# before capitals. NULL if it does not fit; with `shorten` its middle gives way to "..".
wrap <- function(name, width, cex, shorten) {
  lines <- fill_lines(name_pieces(name), width, cex, 2)
  if (is.null(lines) && shorten) shortened_lines(name, width, cex) else lines
}

name_pieces <- function(name) {
  marked <- gsub("([._/: -])(?=[^._/: -])", "\\1\n", name, perl = TRUE)
  marked <- gsub("([a-z])(?=[A-Z])", "\\1\n", marked, perl = TRUE)
  strsplit(marked, "\n", fixed = TRUE)[[1]]
}

# Numbers are whole, the terms of a model go with their signs, and what is quoted, levels and names,
# stays together.
number_pieces <- function(text, at = " [-+] |(?<=,) ") {
  quoted <- gregexpr("\"([^\"\\\\]|\\\\.)*\"|`([^`\\\\]|\\\\.)*`", text, perl = TRUE)
  bare <- text
  regmatches(bare, quoted) <- list(strrep("x", nchar(regmatches(text, quoted)[[1]])))
  from <- gregexpr(at, bare, perl = TRUE)[[1]]
  from <- c(1, from[from > 1])
  substring(text, from, c(from[-1] - 1, nchar(text)))
}

# The first pieces, as many as fit in so many lines, and ".."; NULL if none does.
cut_numbers <- function(text, width, cex, font = 2, most = 1) {
  pieces <- number_pieces(text)
  for (n in rev(seq_along(pieces))) {
    short <- pieces[seq_len(n)]
    if (n < length(pieces)) short[n] <- paste(short[n], "..")
    lines <- fill_terms(short, width, cex, most, font)
    if (!is.null(lines)) return(lines)
  }
}

# Lines of a model, broken between its terms. If one is too wide, each has its own line and, where
# needed, another one for what its number is multiplied with.
fill_terms <- function(terms, width, cex, most, font) {
  lines <- fill_lines(terms, width, cex, most, font)
  if (!is.null(lines) || length(terms) > most) return(lines)
  each <- lapply(terms, function(term) {
    fill_lines(number_pieces(term, " [*] "), width, cex, 2, font)
  })
  if (all(lengths(each) > 0) && sum(lengths(each)) <= most) unlist(each)
}

# "grant (0.25)", an action and its reward: the name of the action, and the number.
action_parts <- function(text) {
  at <- regexpr(" [(][^()]*[)]$", text)
  c(substr(text, 1, at - 1), substring(text, at))
}

action_pieces <- function(text) {
  parts <- action_parts(text)
  c(name_pieces(parts[1]), parts[2])
}

# Of the name what fits beside the reward or, where that has no room, of the name alone.
cut_action <- function(text, width, cex, font = 2) {
  if (text_width(text, cex, font) <= width) return(text)
  parts <- action_parts(text)
  short <- shortened_line(parts[1], width - text_width(parts[2], cex, font), cex, font)
  if (is.null(short)) shortened_line(parts[1], width, cex, font) else paste0(short, parts[2])
}

# Pieces joined into lines, each as full as fits.
fill_lines <- function(pieces, width, cex, most, font = 2) {
  row <- fill_rows(text_width(pieces, cex, font), width)
  lines <- trimws(vapply(split(pieces, row), paste, "", collapse = ""))
  if (length(lines) <= most && max(text_width(lines, cex, font)) <= width) unname(lines)
}

# The start of a name and "..", and below it the end of the name, from the beginning of a word if
# that is not far.
shortened_lines <- function(name, width, cex, most = 2) {
  characters <- strsplit(name, "")[[1]]
  wide <- text_width(characters, cex, 2)
  from_start <- sum(cumsum(wide) <= width - text_width("..", cex, 2))
  from_end <- sum(cumsum(rev(wide)) <= width)
  if (from_start < 2 || from_end < 2) return(NULL)
  if (from_start + from_end >= length(characters)) from_end <- length(characters) - from_start
  words <- cumsum(nchar(rev(name_pieces(name))))
  whole <- words[words <= from_end]
  if (length(whole) && max(whole) >= from_end / 2) from_end <- max(whole)
  c(paste0(substr(name, 1, from_start), ".."),
    substr(name, length(characters) - from_end + 1, length(characters)))
}

# The start and the end of a name around "..", as much of them as fits.
shortened_line <- function(name, width, cex, font = 2) {
  if (text_width(name, cex, font) <= width) return(name)
  characters <- strsplit(name, "")[[1]]
  wide <- text_width(characters, cex, font)
  space <- width - text_width("..", cex, font)
  head <- sum(cumsum(wide) <= 0.6 * space)
  tail <- sum(cumsum(rev(wide)) <= space - sum(wide[seq_len(head)]))
  if (head < 2) return(NULL)
  paste0(substr(name, 1, head), "..", substr(name, length(characters) - tail + 1,
                                             length(characters)))
}

shorten_to_width <- function(names, width, cex, font = 1, cut = shortened_line) {
  vapply(names, function(name) {
    short <- cut(name, width, cex, font)
    if (is.null(short)) "" else short
  }, "", USE.NAMES = FALSE)
}
