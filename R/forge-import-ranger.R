# Forests of ranger and randomForest.

#' @rdname import_forest
#' @export
import_forest.ranger <- function(x, ...) {
  check_no_dots(...)
  if (is.null(x$forest)) {
    stop_input("x", gettext("'x' has no forest; grow it with write.forest = TRUE"))
  }
  import_forest.ranger.forest(x$forest)
}

#' @rdname import_forest
#' @export
import_forest.ranger.forest <- function(x, ...) {
  check_no_dots(...)
  type <- c(Regression = "number", Classification = "votes", "Probability estimation" = "shares",
            Survival = "hazards")
  kind <- unname(type[x$treetype])
  if (is.na(kind)) refuse_feature(gettextf("a ranger forest for %s", tolower(x$treetype)))
  features <- x$independent.variable.names
  if (!is.null(x$dependent.varID)) refuse_feature(gettext("a forest of ranger before 0.12"))
  levels <- Filter(length, x$covariate.levels)
  sets <- new_sets()
  classes <- if (kind %in% c("votes", "shares")) ranger_classes(x)
  times <- if (kind == "hazards") number_labels(x$unique.death.times)
  n_outputs <- max(1L, length(classes), length(times))
  trees <- lapply(seq_len(x$num.trees), read_ranger_tree, x, kind, n_outputs, sets)
  new_forest_ir(
    trees, length(features), features = features, levels = levels,
    sets = sets$all, set_else = rep(TRUE, length(sets$all)),
    base = rep(0, n_outputs), divisor = if (kind == "votes") 1 else x$num.trees, less = "<=",
    link = switch(kind, votes = "shares", hazards = "exp", "identity"),
    slope = if (kind == "hazards") -1 else 1, classes = classes, outputs = times,
    complete = !ranger_knows_missing(x), closed = FALSE, new_level = lengths(levels) + 1L,
    own_codes = is.null(x$covariate.levels), dates = TRUE, source = "ranger",
    objective = tolower(x$treetype))
}

# In the order of their numbers in the leaves.
ranger_classes <- function(x) {
  if (is.null(x$levels)) as.character(x$class.values) else x$levels[x$class.values]
}

# Since version 0.16.4 nodes have a third child, to which rows with missing values go; there is none
# for sets of levels.
ranger_knows_missing <- function(x) {
  length(x$child.nodeIDs[[1]]) > 2L && all(x$is.ordered)
}

# Where a node has no third child, it is the left one.
ranger_missing_left <- function(children, leaf, right) {
  !leaf & length(children) > 2L & as.integer(c(children, list(0))[[3]]) + 1L != right
}

read_ranger_tree <- function(i, x, kind, n_outputs, sets) {
  children <- x$child.nodeIDs[[i]]
  left <- as.integer(children[[1]]) + 1L
  right <- as.integer(children[[2]]) + 1L
  leaf <- left == 1L
  n <- length(leaf)
  value <- x$split.values[[i]]
  feature <- replace(as.integer(x$split.varIDs[[i]]) + 1L, leaf, 0L)
  by_set <- !leaf & !c(TRUE, x$is.ordered)[feature + 1L]
  set <- integer(n)
  for (k in which(by_set)) set[k] <- add_set(sets, c(TRUE, !bits_of(value[k], 53L)))
  list(feature = feature, threshold = replace(value, leaf | by_set, 0),
       left = replace(left, leaf, 0L), right = replace(right, leaf, 0L),
       default_left = ranger_missing_left(children, leaf, right),
       missing = rep(missing_rules[["nan"]], n), set = set,
       leaf_id = seq_len(n) - 1L, cover = x$num.samples.nodes[[i]],
       values = switch(kind, number = matrix(replace(value, !leaf, 0)),
                       votes = one_hot(match(value, x$class.values), leaf, n_outputs),
                       shares = vectors_of_leaves(x$terminal.class.counts[[i]], leaf, n_outputs),
                       hazards = vectors_of_leaves(x$chf[[i]], leaf, n_outputs)))
}

# The lowest bits of a whole number.
bits_of <- function(x, n) floor(x / 2^(seq_len(n) - 1L)) %% 2 == 1

# A vote for a class in each leaf.
one_hot <- function(class, leaf, n_classes) {
  values <- matrix(0, length(leaf), n_classes)
  values[cbind(which(leaf), class[leaf])] <- 1
  values
}

vectors_of_leaves <- function(vectors, leaf, n_outputs) {
  values <- matrix(0, length(leaf), n_outputs)
  values[leaf, ] <- do.call(rbind, vectors[leaf])
  values
}

# ---- randomForest --------------------------------------------------------------------------------

#' @rdname import_forest
#' @export
import_forest.randomForest <- function(x, ...) {
  check_no_dots(...)
  forest <- x$forest
  if (is.null(forest)) {
    stop_input("x", gettext("'x' has no forest; grow it with keep.forest = TRUE"))
  }
  classes <- if (x$type == "classification") x$classes
  if (!x$type %in% c("classification", "regression")) {
    refuse_feature(gettextf("a randomForest of type '%s'", x$type))
  }
  if (!is.null(x$coefs)) refuse_feature(gettext("the correction of bias"))
  sets <- new_sets()
  trees <- lapply(seq_len(forest$ntree), read_random_forest_tree, forest, classes, sets)
  features <- names(forest$ncat)
  if (is.null(features)) features <- rownames(x$importance)
  new_forest_ir(
    trees, length(features), features = features,
    levels = Filter(is.character, stats::setNames(forest$xlevels, features)), sets = sets$all,
    set_else = logical(length(sets$all)), base = rep(0, max(1, length(classes))),
    divisor = if (is.null(classes)) forest$ntree else 1, less = "<=",
    link = if (is.null(classes)) "identity" else "shares", classes = classes,
    cutoff = if (!is.null(classes)) as.numeric(forest$cutoff), complete = TRUE,
    own_codes = "ordered", dates = TRUE, source = "randomForest", objective = x$type)
}

read_random_forest_tree <- function(i, forest, classes, sets) {
  rows <- seq_len(forest$ndbigtree[i])
  leaf <- forest$nodestatus[rows, i] == -1L
  child <- function(side, name) {
    given <- if (is.null(classes)) forest[[name]][rows, i] else forest$treemap[rows, side, i]
    replace(as.integer(given), leaf, 0L)
  }
  feature <- replace(as.integer(forest$bestvar[rows, i]), leaf, 0L)
  split <- forest$xbestsplit[rows, i]
  n_levels <- c(1L, forest$ncat)[feature + 1L]
  set <- integer(length(rows))
  for (k in which(n_levels > 1L)) set[k] <- add_set(sets, c(FALSE, bits_of(split[k], n_levels[k])))
  values <- if (is.null(classes)) matrix(replace(forest$nodepred[rows, i], !leaf, 0)) else
    one_hot(forest$nodepred[rows, i], leaf, length(classes))
  list(feature = feature, threshold = replace(split, leaf | set > 0L, 0),
       left = child(1, "leftDaughter"), right = child(2, "rightDaughter"),
       default_left = logical(length(rows)), missing = rep(missing_rules[["nan"]], length(rows)),
       set = set, leaf_id = rows, values = values)
}
