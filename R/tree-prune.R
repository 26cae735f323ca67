# prune(): the best subtree of a tree that is there.

#' Prune a tree
#'
#' For a fit of [contree()], `prune()` removes the splits that are not worth a higher `complexity`:
#' of all trees obtained by turning nodes into leaves it returns the one with the lowest cost and,
#' among ties, the smallest. For a path of [contree_path()] it returns the tree of the path for that
#' `complexity` or number of splits.
#'
#' The best subtree of a given tree need not be the best tree: one with other splits may cost less.
#' The pruned tree therefore has the status `"optimal"` only if it is known that no tree costs less
#' and that no smaller tree costs as little; otherwise its `status` is `"pruned"`, with the `bound`
#' that follows from what was proven of the original tree. [update()][contree_methods] with another
#' `complexity` runs a new search, and [contree_path()] has the optimal tree for each complexity.
#'
#' The generic has the same arguments as that of the package `rpart`. If both packages are attached,
#' either generic works on the trees of both. The generic of the package `generics`, which
#' tidymodels attaches, works on fits and paths of contree as well.
#'
#' @param tree A fit of [contree()], or a path of [contree_path()].
#' @param complexity Complexity penalty, the cost of a split as a proportion of the training rows,
#'   as in [contree_control()]. A tree of the path is optimal from its complexity up to that of the
#'   next smaller one; of two trees of equal cost the smaller is returned.
#' @param nsplit Number of splits, a whole number: the largest tree of the path with at most this
#'   many is returned. Instead of `complexity`.
#' @param cp The complexity in `rpart`'s unit, a proportion of the errors of the root, a number
#'   of at least 0. Instead of `complexity`.
#' @param ... Not used; anything else given here is an error.
#' @return A fit, see [contree.object], with `complexity` among its settings. Its `call` is that of
#'   `tree`.
#' @section Errors:
#' `contree_input_error` unless exactly one of `complexity`, `cp` and, for a path, `nsplit` is
#' given, or if it is out of range or, for a path, below the lowest complexity of the path.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 3)
#' prune(fit, complexity = 0.02)
#'
#' path <- contree_path(Species ~ ., iris, depth = 3)
#' prune(path, complexity = 0.02)
#' prune(path, nsplit = 2)
#' @rawNamespace S3method(rpart::prune,contree_model)
#' @rawNamespace S3method(rpart::prune,contree_path)
#' @rawNamespace S3method(generics::prune,contree_model)
#' @rawNamespace S3method(generics::prune,contree_path)
#' @export
prune <- function(tree, ...) UseMethod("prune")

# rpart has a generic of the same name, and this one may stand before it.
#' @export
prune.default <- function(tree, ...) {
  if (inherits(tree, "rpart") && requireNamespace("rpart", quietly = TRUE)) {
    return(rpart::prune.rpart(tree, ...))
  }
  stop_input("tree",
             gettextf("'tree' must be a fit of contree() or a path of contree_path(), not %s",
                      show_value(tree)))
}

#' @rdname prune
#' @export
prune.contree_model <- function(tree, complexity, cp, ...) {
  check_no_dots(...)
  check_fit(tree, "tree")
  refuse_policy(tree, "prune()", gettext(
    "fit the best smaller tree with policy_tree(depth = , complexity = )"))
  if (!has_proof(tree)) {
    stop_unsupported("prune()", gettext(paste(
      "prune() is for trees of contree(); give gmt() a larger 'complexity' or fewer 'max_leaves',",
      "and hist_forest() less 'depth'")))
  }
  complexity <- one_of_size(complexity, cp, root_errors = node_errors(tree)[1],
                            unit = tree_unit(tree))$complexity
  weak <- weak_nodes(tree, complexity * tree_unit(tree))
  cut <- weak$cut
  if (length(cut) == 0 && complexity == tree_settings(tree)$complexity) return(tree)
  bound <- bound_at(tree, complexity)
  was_smallest <- is_smallest(tree)
  gap <- gap_at_bound(tree, weak, complexity)
  tree <- at_complexity(cut_nodes(tree, cut), complexity, bound, "pruned", gap)
  if (gap > 0) return(tree)
  # a leaf that cost as much as a tree of one split would be left of it; and a tree that was the
  # smallest of the optimal ones is so at each complexity at which its bound follows from there
  smallest <- was_smallest || tree_splits(tree) <= 1
  at_complexity(tree, complexity, Inf, if (smallest) "optimal" else "pruned")
}

#' @rdname prune
#' @export
prune.contree_path <- function(tree, complexity, nsplit, cp, ...) {
  check_no_dots(...)
  table <- path_table(tree)
  root <- tree[[1]]
  size <- one_of_size(complexity, cp, nsplit, root_errors = node_errors(root)[1],
                      unit = tree_unit(root))
  if (!is.null(size$nsplit)) return(tree[[max(which(table$nsplit <= size$nsplit))]])
  if (is_by_leaves(tree)) {
    stop_input("complexity", gettext("the path is by leaves; give 'nsplit', one less than leaves"))
  }
  least <- table$complexity[nrow(table)]
  if (size$complexity < least) {
    stop_input("complexity",
               gettextf("'complexity' is %s, but the path ends at %s; make it with complexity = %s",
                                      format(size$complexity), format(least),
                                      format(size$complexity)))
  }
  tree[[which(table$complexity <= size$complexity)[1]]]
}

# The one argument of prune() that was given, checked: list(complexity) or list(nsplit).
one_of_size <- function(complexity, cp, nsplit, root_errors, unit) {
  given <- c(complexity = !missing(complexity), cp = !missing(cp), nsplit = !missing(nsplit))
  if (sum(given) != 1) {
    stop_input("complexity", gettextf(
      "give one of 'complexity' and its alternatives (see ?prune), not %s",
      if (any(given)) show_names(names(given)[given]) else gettext("none of them")))
  }
  if (given[["nsplit"]]) return(list(nsplit = check_setting("nsplit", nsplit)))
  if (given[["complexity"]]) return(list(complexity = check_setting("complexity", complexity)))
  list(complexity = complexity_from_cp(check_setting("cp", cp), root_errors, unit))
}

# The nodes whose subtrees save no more than their splits cost at `penalty` (in units of the
# errors), and the errors and splits of what is left. From the leaves up, so that a subtree is
# judged by what is left of it.
weak_nodes <- function(fit, penalty) {
  child <- node_children(fit)
  left <- as.list(seq_along(node_ids(fit))) # the leaves of what is left below each node
  cut <- integer()
  for (node in rev(which(!node_is_leaf(fit)))) {
    below <- c(left[[child$left[node]]], left[[child$right[node]]])
    spent <- penalty * (length(below) - 1)
    if (saved_by(fit, node, below) <= spent * (1 + last_bits_of_penalty)) cut <- c(cut, node)
    else left[[node]] <- below
  }
  list(cut = cut, leaves = left[[1]], splits = length(left[[1]]) - 1)
}

# Of which a penalty and what is saved count as equal, as in the search: a complexity of 0.29 with
# 100 rows is 29 errors.
last_bits_of_penalty <- 2^-50

# What these leaves below a node cost less than its rows would as the node: in integers, where the
# search has them.
saved_by <- function(fit, node, leaves) {
  counted <- tree_counted(fit)
  if (is.null(counted) && tree_leaf(fit) == "number") {
    return(sum(node_saved(fit)[nodes_between(fit, node, leaves)]))
  }
  if (is.null(counted)) return(sum(saved_in(fit, node, leaves)))
  sum(counted_units(counted, node) - counted_units(counted, leaves)) * counted$unit
}

# The node and what is above these leaves below it: their sums of what is saved lose nothing.
nodes_between <- function(fit, node, leaves) {
  parent <- node_parent(fit)
  between <- integer()
  above <- parent[leaves]
  while (length(above <- unique(above[above >= node]))) {
    between <- union(between, above)
    above <- parent[above]
  }
  between
}

# What each of these leaves below a node costs less than its rows would as the node. Of plain errors
# each number is at least 0, so that their sum loses nothing, however large the errors of both are.
saved_in <- function(fit, node, leaves) {
  if (!predicts_classes(fit)) {
    return(c(node_errors(fit)[node], -node_errors(fit)[leaves]))
  }
  counts <- node_counts(fit)[leaves, , drop = FALSE]
  label <- node_label(fit)
  loss <- tree_loss(fit)
  if (is.null(loss)) {
    return(counts[cbind(seq_along(leaves), label[leaves])] - counts[, label[node]])
  }
  rowSums(counts * t(loss[, label[node]] - loss[, label[leaves], drop = FALSE]))
}

# What is proven of all trees at another complexity: a tree costs there what it cost before, and
# more or less by its splits.
bound_at <- function(fit, complexity) {
  change <- (complexity - tree_settings(fit)$complexity) * tree_unit(fit)
  least <- tree_proof(fit)$bound +
    change * (if (change > 0) 1 else most_splits(tree_settings(fit)$depth, stats::nobs(fit)))
  max(0, min(node_errors(fit)[1], least)) # a leaf has no splits
}

most_splits <- function(depth, n) min(2^depth, n) - 1

# How much more what is left of the tree costs at another complexity than bound_at() says: from what
# nodes save, of which differences of costs may have no digit left. Penalties are doubles.
gap_at_bound <- function(fit, left, complexity) {
  before <- tree_settings(fit)$complexity
  least <- if (complexity > before) 1 else most_splits(tree_settings(fit)$depth, stats::nobs(fit))
  penalties <- tree_unit(fit) * c(complexity * left$splits, -before * tree_splits(fit),
                                  (before - complexity) * least)
  beside_leaf <- complexity * tree_unit(fit) * left$splits - saved_by(fit, 1, left$leaves)
  beside_bound <- lost_by(fit, left$leaves) + tree_proof(fit)$gap + sum(penalties)
  if (max(beside_leaf, beside_bound) <= last_bits_of_penalty * sum(abs(penalties))) return(0)
  max(beside_leaf, beside_bound)
}

# What the nodes that become leaves saved with what is below them.
lost_by <- function(fit, leaves) {
  onto <- nearest_cut(fit, leaves)
  cut <- leaves[!node_is_leaf(fit)[leaves]]
  sum(vapply(cut, function(node) {
    saved_by(fit, node, which(onto == node & node_is_leaf(fit)))
  }, 0))
}
