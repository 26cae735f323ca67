# as_dot(): a tree as a picture in the language of Graphviz.

#' @rdname as_json
#' @description
#' `as_dot()` converts the tree to the DOT language of Graphviz. The graph shows what
#' [plot.contree()] shows: the condition of each node, under which a row goes to the first child; in
#' leaves the class, its proportion and the number of training rows.
#' @param digits Number of significant digits of the thresholds, a whole number; 4 by default.
#' @param col Colours of the classes, a vector as for [plot.contree()]; `NULL` for its default.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' as_dot(fit)
#' @export
as_dot <- function(fit, ...) UseMethod("as_dot")

#' @rdname as_json
#' @export
as_dot.contree_model <- function(fit, digits = 4, col = NULL, ...) {
  check_no_dots(...)
  check_fit(fit)
  check_digits(digits)
  ids <- node_ids(fit)
  child <- which(node_parent(fit) > 0)
  nodes <- sprintf("n%d [label=%s, fillcolor=\"%s\"];", ids, dot_string(dot_labels(fit, digits)),
                   node_fill(fit, leaf_colours(fit, col)))
  edges <- sprintf("n%d -> n%d [label=\"%s\"];", ids[child] %/% 2L, ids[child],
                   ifelse(ids[child] %% 2L == 0, "yes", "no"))
  new_code(paste(collapse = "\n", c(
    "digraph tree {", "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\"];",
    "  edge [fontname=\"Helvetica\"];",
    indent(nodes), if (length(child)) indent(edges), "}")))
}

#' @export
as_dot.default <- function(fit, ...) check_fit(fit)

dot_labels <- function(fit, digits) {
  proportion <- if (predicts_classes(fit)) sprintf("\n%s%%",
                                                   format(round(100 * class_proportion(fit), 1),
                                                          trim = TRUE))
  leaf <- paste0(leaf_words(fit, digits), proportion, sprintf("\nn = %d", node_n(fit)))
  condition <- vapply(left_words(fit, digits), function(words) {
    paste(c(paste(words$items, collapse = ", "), words$ending), collapse = " ")
  }, "")
  ifelse(node_is_leaf(fit), leaf, paste(node_variable(fit), condition))
}

# Double quotes end a string, a backslash begins an escape of labels, and an ampersand may begin an
# entity of HTML.
dot_string <- function(text) {
  special <- c("\\" = "\\\\", "\"" = "\\\"", "&" = "&amp;", "\r" = "", "\n" = "\\n")
  for (mark in names(special)) text <- gsub(mark, special[[mark]], text, fixed = TRUE)
  paste0("\"", enc2utf8(text), "\"")
}
