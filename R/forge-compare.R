# What two imported forests differ in.

#' @rdname import_forest
#' @method all.equal forest_ir
#' @details
#' `all.equal()` reports where two forests differ: in how values are compared and trees summed, or
#' in the first tree and node with another shape, feature, threshold or value. The comparison is
#' exact, bit for bit, unless `tolerance` allows thresholds and values an absolute difference.
#' Names, covers and gains are ignored.
#' @param target,current Results of [import_forest()] or [forge()].
#' @param tolerance Largest absolute difference allowed between thresholds and between values, a
#'   number of at least 0; 0 by default.
#' @export
all.equal.forest_ir <- function(target, current, ..., tolerance = 0) {
  check_no_dots(...)
  if (inherits(current, "forged_forest")) current <- current$forest
  if (!inherits(current, "forest_ir")) {
    return(gettextf("current is not a forest but %s", show_value(current)))
  }
  if (!is.numeric(tolerance) || length(tolerance) != 1 || is.na(tolerance) || tolerance < 0) {
    stop_input("tolerance", gettextf("'tolerance' must be a number of at least 0, not %s",
                                     show_value(tolerance)))
  }
  said <- c(differing_contract(target, current), differing_trees(target, current, tolerance))
  if (length(said)) said else TRUE
}

#' @rdname import_forest
#' @method all.equal forged_forest
#' @export
all.equal.forged_forest <- function(target, current, ..., tolerance = 0) {
  all.equal.forest_ir(target$forest, current, ..., tolerance = tolerance)
}

differing_contract <- function(a, b) {
  members <- c("n_features", "base", "divisor", "less", "number", "sum", "minus_fraction")
  x <- c(a$ensemble[members], a[c("link", "slope", "average", "classes", "last")])
  y <- c(b$ensemble[members], b[c("link", "slope", "average", "classes", "last")])
  differ <- !mapply(identical, x, y)
  sprintf("%s: %s, %s", names(x), vapply(x, say_member, ""), vapply(y, say_member, ""))[differ]
}

say_member <- function(value) {
  if (is.null(value)) "none" else
    paste(utils::head(format(value, digits = 17, trim = TRUE), 5), collapse = " ")
}

differing_trees <- function(a, b, tolerance) {
  x <- a$ensemble
  y <- b$ensemble
  if (length(x$roots) != length(y$roots)) {
    return(gettextf("trees: %d, %d", length(x$roots), length(y$roots)))
  }
  for (tree in seq_along(x$roots)) {
    nodes <- list(nodes_of(x, tree), nodes_of(y, tree))
    if (length(nodes[[1]]) != length(nodes[[2]])) {
      return(gettextf("tree %d: %d nodes, %d", tree, length(nodes[[1]]), length(nodes[[2]])))
    }
    said <- differing_nodes(x, y, nodes[[1]], nodes[[2]], tree, tolerance)
    if (length(said)) return(said)
  }
  character()
}

nodes_of <- function(e, tree) {
  e$roots[tree]:(c(e$roots, length(e$feature) + 1L)[tree + 1L] - 1L)
}

# The linear model of each node, or NULL.
model_of <- function(e, nodes) {
  lapply(nodes, function(node) {
    if (!length(e$intercept)) return(NULL)
    at <- seq_len(e$first_term[node + 1L] - e$first_term[node]) + e$first_term[node]
    codes <- lapply(if (length(e$lowest)) at, function(k) {
      e$of_code[seq_len(e$first_code[k + 1L] - e$first_code[k]) + e$first_code[k]]
    })
    list(e$intercept[node], e$lowest[node], e$highest[node], e$term_feature[at], e$slope[at],
         e$low[at], e$high[at], e$other[at], codes)
  })
}

# The first difference of two trees. Nodes are in the order that in_order() gives.
differing_nodes <- function(x, y, i, j, tree, tolerance) {
  term <- function(e, at) e$values[at, , drop = FALSE] * e$weight[tree]
  far <- function(u, v) !(u == v | abs(u - v) <= tolerance)
  inner <- x$feature[i] > 0L
  if (x$output[tree] != y$output[tree]) {
    return(gettextf("tree %d: of output %d, %d", tree, x$output[tree], y$output[tree]))
  }
  differ <- cbind(
    feature = x$feature[i] != y$feature[j],
    children = x$left[i] - i[1] != y$left[j] - j[1] | x$right[i] - i[1] != y$right[j] - j[1],
    threshold = inner & far(x$threshold[i], y$threshold[j]),
    "missing values" = inner & (x$missing[i] != y$missing[j] |
                                  x$default_left[i] != y$default_left[j]),
    set = inner & !mapply(identical, c(list(NULL), x$sets)[x$set[i] + 1L],
                          c(list(NULL), y$sets)[y$set[j] + 1L]),
    value = ncol(x$values) != ncol(y$values),
    "linear model" = !mapply(identical, model_of(x, i), model_of(y, j)))
  if (ncol(x$values) == ncol(y$values)) {
    differ[, "value"] <- !inner & rowSums(far(term(x, i), term(y, j))) > 0
  }
  if (!any(differ)) return(character())
  node <- which(rowSums(differ) > 0)[1]
  what <- colnames(differ)[differ[node, ]][1]
  if (!what %in% c("feature", "threshold", "value")) {
    return(gettextf("tree %d, node %d: %s", tree, node, what))
  }
  say <- function(e, at) {
    say_member(switch(what, feature = e$feature[at], threshold = e$threshold[at],
                      value = term(e, at)))
  }
  gettextf("tree %d, node %d: %s %s, %s", tree, node, what, say(x, i[node]), say(y, j[node]))
}
