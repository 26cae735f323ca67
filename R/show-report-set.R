# contree_report() of a set of trees: a page where a reader picks among the trees. Without
# JavaScript all are listed; inst/report/set.js adds what leaves some of them out.

#' @param trees For a [contree_set()]: how many trees the page has at most, the cheapest first, a
#'   whole number, by default 50.
#' @rdname contree_report
#' @export
contree_report.contree_set <- function(fit, newdata = NULL, file, title = NULL, trees = 50,
                                       digits = 4, ...) {
  check_no_dots(...)
  check_set(fit, "fit")
  if (!is.null(newdata)) {
    stop_input("newdata", gettext("a page of a set of trees is about the training rows"),
               gettext("predict() of the set answers for others"))
  }
  if (missing(file)) stop_input("file", gettext("give the path of the file to write as 'file'"))
  if (!is_count(trees)) {
    stop_input("trees", gettextf("'trees' must be a whole number of at least 1, not %s",
                                 show_value(trees)))
  }
  if (length(fit) == 0) stop_input("fit", gettext("the set has no trees"))
  check_digits(digits)
  check_page_title(title)
  if (is.null(title)) title <- gettextf("%s trees that are nearly as good",
                                        big_text(set_about(fit)$total))
  write_content(set_page(fit, title, trees, digits), file)
}

set_page <- function(set, title, trees, digits) {
  listed <- fit_list(set, trees)
  fit <- set_parts(set)$fit
  sections <- c(report_set_facts(set), report_set_trees(set, listed, digits))
  html_page(title, utils::capture.output(print(set))[1], tree_call(fit), sections,
            tag("script", report_file("set.js")))
}

fit_list <- function(set, n) lapply(seq_len(min(n, length(set))), function(k) set[[k]])

report_set_facts <- function(set) {
  said <- summary(set)
  ranges <- predict(set, type = "range")
  table <- said$predictors[order(-said$predictors$share), ]
  price <- ifelse(is.na(table$price), gettext("in every tree"), cost_text(table$price))
  columns <- list(table$predictor, format(signif(100 * table$share, 3), trim = TRUE), price)
  names(columns) <- c(gettext("predictor"), gettext("% of the trees"),
                      gettext("cost of doing without"))
  rows <- if (is.null(ranges$ambiguous)) NULL else ranges[ranges$ambiguous, , drop = FALSE]
  report_section(
    "facts", gettext("What the trees have in common"),
    tag("p", html_text(if (said$complete) {
      gettext("It is proven that no tree within the budget is missing.")
    } else {
      complete_text(set, set_about(set))
    })),
    tag("div", class = "wide", html_table(columns)), tag("p", html_text(ranges_text(ranges))),
    if (NROW(rows)) report_ambiguous(rows))
}

# Rows that change their class at the least cost come first.
report_ambiguous <- function(rows) {
  rows <- rows[order(rows$price), ]
  shown <- utils::head(rows, 1000)
  columns <- list(rownames(shown), as.character(shown$class), cost_text(shown$price))
  names(columns) <- c(gettext("row"), gettext("class of the cheapest trees"),
                      gettext("another class costs"))
  says <- if (nrow(shown) == nrow(rows)) {
    gettextf("The %d ambiguous rows", nrow(rows))
  } else {
    gettextf("The first %d of %d ambiguous rows", nrow(shown), nrow(rows))
  }
  tag("details", tag("summary", says), tag("div", class = "wide", html_table(columns)))
}

report_set_trees <- function(set, listed, digits) {
  least <- min(set_about(set)$cost)
  total <- set_about(set)$total
  trees <- Map(function(tree, k) report_set_tree(tree, k, least, digits), listed,
               seq_along(listed))
  report_section(
    "trees", gettext("Pick a tree"),
    tag("p", html_text(gettextf("The cheapest %d of %s trees, by cost.", length(listed),
                                big_text(total)))),
    tag("div", id = "set-tools"), paste(unlist(trees), collapse = "\n"))
}

report_set_tree <- function(tree, k, least, digits) {
  used <- unique(node_variable(tree)[!node_is_leaf(tree)])
  layout <- report_layout(tree, digits, 0)
  size <- c(max(layout$x + layout$width / 2), max(layout$y) + layout$box$height) +
    layout$box$margin
  # several trees on a page: none of their parts has a name
  parts <- gsub(" (id|role|tabindex)=\"[^\"]*\"", "",
                c(report_edges(tree, layout), report_boxes(tree, layout)))
  picture <- tag("svg", role = "img", viewBox = sprintf("0 0 %.0f %.0f", size[1], size[2]),
                 width = sprintf("%.0f", size[1]), height = sprintf("%.0f", size[2]),
                 `aria-label` = gettextf("Tree %d", k), paste(parts, collapse = "\n"))
  cost <- tree_proof(tree)$cost
  says <- gettextf("Tree %d: cost %s (%s more), %s, splits on %s", k, cost_text(cost),
                   cost_text(max(0, cost - least)), leaves_text(tree),
                   if (length(used)) paste(used, collapse = ", ") else gettext("nothing"))
  rules <- html_table(list(rule = leaf_rules(tree, digits)[node_is_leaf(tree)],
                           predicts = as.character(leaf_words(tree, digits))[node_is_leaf(tree)],
                           rows = node_n(tree)[node_is_leaf(tree)]), code = "rule")
  do.call(tag, c(list("details", class = "set-tree",
                      `data-leaves` = as.character(sum(node_is_leaf(tree))),
                      `data-uses` = script_json(as.character(used))),
                 if (k == 1) list(open = "open"),
                 list(tag("summary", html_text(says)), tag("div", class = "canvas", picture),
                      tag("div", class = "wide", rules))))
}
