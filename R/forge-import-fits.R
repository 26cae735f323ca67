# Trees of gbm and this package.

#' @rdname import_forest
#' @export
import_forest.gbm <- function(x, iterations = NULL, ...) {
  check_no_dots(...)
  check_iterations(iterations)
  links <- c(gaussian = "identity", laplace = "identity", tdist = "identity",
             quantile = "identity", coxph = "identity", huberized = "identity",
             bernoulli = "logistic", adaboost = "logistic", pairwise = "logistic",
             poisson = "exp", multinomial = "softmax")
  name <- x$distribution$name
  if (!name %in% names(links)) refuse_feature(gettextf("the distribution %s", show_value(name)))
  by_levels <- x$var.type > 0
  sets <- new_sets()
  taken <- gbm_trees(length(x$trees), x$num.classes, iterations)
  trees <- lapply(x$trees[taken], read_gbm_tree, x$c.splits, by_levels, sets)
  classes <- if (name == "multinomial") x$classes else
    if (name %in% c("bernoulli", "adaboost")) c("0", "1")
  new_forest_ir(
    trees, length(x$var.names), features = x$var.names,
    levels = Filter(is.character, stats::setNames(x$var.levels, x$var.names)), first_code = 0L,
    sets = sets$all, set_else = logical(length(sets$all)),
    output = rep_len(seq_len(x$num.classes), length(trees)),
    base = rep_len(x$initF, x$num.classes), less = "<", link = links[[name]], classes = classes,
    slope = if (name == "adaboost") 2 else 1, source = "gbm", objective = name)
}

# The trees of the first rounds.
gbm_trees <- function(n, per_round, iterations) {
  if (is.null(iterations)) return(seq_len(n))
  if (iterations * per_round > n) {
    stop_input("iterations", gettextf("the model has %d iterations, not %s", n %/% per_round,
                                      format(iterations)))
  }
  seq_len(iterations * per_round)
}

# A split has three children there: below, not below, missing. Here it is two: is it missing, then
# the threshold. Nothing is below -Inf.
read_gbm_tree <- function(tree, c_splits, by_levels, sets) {
  variable <- as.integer(tree[[1]])
  leaf <- variable < 0L
  inner <- which(!leaf)
  n <- length(leaf)
  second <- n + seq_along(inner)
  code <- tree[[2]]
  nodes <- c(seq_len(n), inner)
  feature <- replace(variable + 1L, leaf, 0L)[nodes]
  left <- c(replace(tree[[5]] + 1L, leaf, 0L), tree[[3]][inner] + 1L)
  right <- c(replace(integer(n), inner, second), tree[[4]][inner] + 1L)
  threshold <- c(replace(rep(-Inf, n), leaf, 0), code[inner])
  set <- integer(length(nodes))
  for (k in seq_along(inner)[by_levels[variable[inner] + 1L]]) {
    sides <- c_splits[[code[inner[k]] + 1L]]
    set[inner[k]] <- add_set(sets, sides == 0)
    set[second[k]] <- add_set(sets, sides == -1)
  }
  list(feature = feature, threshold = replace(threshold, set > 0L, 0), left = as.integer(left),
       right = as.integer(right), default_left = c(!leaf, logical(length(inner))),
       missing = rep(missing_rules[["nan"]], length(nodes)), set = set, leaf_id = nodes - 1L,
       values = matrix(c(replace(code, !leaf, 0), numeric(length(inner)))))
}

# ---- fits of this package ------------------------------------------------------------------------

#' @rdname import_forest
#' @export
import_forest.contree_model <- function(x, ...) {
  check_no_dots(...)
  check_fit(x)
  import_contree(x)
}

#' @rdname import_forest
#' @export
import_forest.gmt <- function(x, extrapolate = FALSE, ...) {
  check_no_dots(...)
  extrapolate <- check_flag("extrapolate", extrapolate)
  check_fit(x)
  if (!is.null(x$offset) || !is.null(x$offset_call)) refuse_feature(gettext("an offset"))
  import_contree(x, extrapolate)
}

import_contree <- function(x, extrapolate = TRUE) {
  kind <- tree_leaf(x)
  if (!is.null(x[["loss"]])) refuse_feature(gettext("a matrix of losses"))
  features <- plain_features(x$shape, x$types)
  table <- routing_table(x)
  sides <- if (is.null(table$levels_left)) vector("list", length(table$left)) else table$levels_left
  sets <- new_sets()
  leaf <- node_is_leaf(x)
  n <- length(leaf)
  set <- integer(n)
  for (k in which(lengths(sides) > 0)) {
    set[k] <- add_set(sets, c(sides[[k]][length(sides[[k]])], sides[[k]][-length(sides[[k]])]))
  }
  beyond <- vapply(sides[set > 0L], function(side) side[length(side)], NA)
  values <- if (kind == "classes") node_proportions(x) else node_values(x)
  tree <- list(
    feature = match(node_variable(x), features, 0L),
    threshold = replace(table$threshold, leaf | set > 0L, 0),
    left = replace(as.integer(table$left), leaf, 0L),
    right = replace(as.integer(table$right), leaf, 0L),
    default_left = table$default_left %in% TRUE,
    missing = rep(missing_rules[["nan"]], n), set = set,
    leaf_id = as.integer(node_ids(x)), cover = as.numeric(node_n(x)), values = unname(values))
  levels <- tree_xlevels(x)
  unordered <- setdiff(names(levels), names(which(tree_types(x) == "ordered")))
  if (kind == "number") {
    range <- response_range(x, extrapolate)
    tree$values[, 1] <- pmin(pmax(tree$values[, 1], range$low), range$high)
  }
  if (kind == "linear") tree <- c(tree, linear_tree(x, features, extrapolate))
  new_forest_ir(
    list(tree), length(features), features = features, levels = levels, sets = sets$all,
    set_else = as.logical(beyond), base = rep(0, ncol(values)),
    new_level = stats::setNames(rep(0L, length(unordered)), unordered),
    classes = if (kind == "classes") tree_classes(x), outputs = colnames(values),
    source = "contree")
}

# The predictors, where new data have them as columns of numbers or levels.
plain_features <- function(shape, types) {
  if (!all(shape$names %in% shape$inputs)) {
    computed <- setdiff(shape$names, shape$inputs)
    stop_unsupported("x", gettextf(
      "'x' has the predictor %s, which its formula computes; fit it to data with such a column",
      show_names(computed[1])))
  }
  odd <- types[!types %in% c(number_types, level_types)]
  if (length(odd)) refuse_feature(gettextf("the predictor '%s' of type %s", names(odd)[1], odd[1]))
  shape$names
}

#' @rdname import_forest
#' @export
import_forest.hist_forest <- function(x, ...) {
  check_no_dots(...)
  refuse_survival(x, gettext("imports, exports and compiled predictions"))
  features <- plain_features(x$shape, x$types)
  by_class <- x$type == "classification"
  sets <- new_sets()
  trees <- lapply(seq_along(x$forest$number), function(i) read_hist_tree(x, i, by_class, sets))
  # levels in the order of their places; those that no row had are missing
  levels <- x$xlevels
  for (name in names(x$orders)) {
    levels[[name]] <- levels[[name]][order(x$orders[[name]], na.last = NA)]
  }
  new_forest_ir(
    trees, length(features), features = features, levels = levels, sets = sets$all,
    set_else = logical(length(sets$all)), base = rep(0, if (by_class) length(x$classes) else 1),
    divisor = if (by_class) 1 else length(trees), less = "<",
    link = if (by_class) "shares" else "identity", classes = if (by_class) x$classes,
    source = "hist_forest", objective = x$type)
}

# Nothing is below -Inf: where all values go left, and missing ones right, the sides change places.
read_hist_tree <- function(x, i, by_class, sets) {
  nodes <- .Call(ffi_hist_tree, x$forest, as.integer(i))
  leaf <- nodes$feature == 0L
  set <- integer(length(leaf))
  for (k in which(!is.na(nodes$levels))) {
    set[k] <- add_set(sets, c(FALSE, bitwAnd(nodes$levels[k], bitwShiftL(1L, 0:5)) > 0))
  }
  turned <- !leaf & nodes$threshold %in% Inf
  threshold <- replace(nodes$threshold, leaf | set > 0L, 0)
  n <- length(leaf)
  list(feature = nodes$feature, threshold = replace(threshold, turned, -Inf),
       left = ifelse(turned, nodes$right, nodes$left),
       right = ifelse(turned, nodes$left, nodes$right),
       default_left = xor(nodes$default_left, turned), missing = rep(missing_rules[["nan"]], n),
       set = set, leaf_id = seq_len(n), cover = rowSums(nodes$counts),
       values = if (by_class) hist_shares(nodes$counts) else matrix(nodes$mean))
}

# Proportions as predict.hist_forest() sums them: multiples of 2^-32, rounded down, whose sums are
# exact. In two steps of 16 bits, so that products are.
hist_shares <- function(counts) {
  total <- rowSums(counts)
  high <- (counts * 2^16) %/% total
  low <- ((counts * 2^16 - high * total) * 2^16) %/% total
  high * 2^-16 + low * 2^-32
}
