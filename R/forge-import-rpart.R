# Trees of rpart.

#' @rdname import_forest
#' @export
import_forest.rpart <- function(x, ...) {
  check_no_dots(...)
  if (!x$method %in% c("anova", "poisson", "exp", "class")) {
    refuse_feature(gettextf("the method '%s' of rpart", x$method))
  }
  classes <- if (x$method == "class") attr(x, "ylevels")
  features <- attr(stats::terms(x), "term.labels")
  sets <- new_sets()
  tree <- read_rpart(x, features, classes, sets)
  forest <- new_forest_ir(
    list(tree), length(features), features = features, levels = as.list(attr(x, "xlevels")),
    sets = sets$all, set_else = logical(length(sets$all)), base = rep(0, ncol(tree$values)),
    less = "<", classes = classes, closed = TRUE, dates = TRUE, source = "rpart",
    objective = x$method)
  forest$rest <- rpart_rest(x, features, classes)
  # by losses a class need not be the most probable one
  if (length(classes)) {
    forest$class_of_leaf <- stats::setNames(x$frame$yval, row.names(x$frame))
  }
  forest
}

# The tree as far as primary splits lead. Rows that these do not send to a side are followed by
# leaves_of_rest().
read_rpart <- function(x, features, classes, sets) {
  frame <- x$frame
  id <- as.numeric(row.names(frame))
  leaf <- frame$var == "<leaf>"
  n <- length(leaf)
  first <- rpart_first(frame)
  split <- x$splits[ifelse(leaf, NA, first), c("ncat", "index"), drop = FALSE]
  feature <- match(as.character(frame$var), features, 0L)
  if (any(feature == 0L & !leaf)) refuse_feature(gettext("predictors that the formula computes"))
  ncat <- replace(split[, "ncat"], leaf, -1)
  sides <- lapply(seq_len(n), function(k) {
    if (ncat[k] > 1) x$csplit[split[k, "index"], seq_len(ncat[k])]
  })
  set <- integer(n)
  for (k in which(ncat > 1)) set[k] <- add_set(sets, c(FALSE, sides[[k]] == 1))
  turned <- ncat == 1
  children <- cbind(match(2 * id, id), match(2 * id + 1, id))
  children[leaf, ] <- 0L
  tree <- list(
    feature = feature, threshold = unname(replace(split[, "index"], leaf | set > 0L, 0)),
    left = ifelse(turned, children[, 2], children[, 1]),
    right = ifelse(turned, children[, 1], children[, 2]), default_left = logical(n),
    missing = rep(missing_rules[["nan"]], n), set = set, leaf_id = as.integer(id),
    cover = frame$wt, gain = ifelse(leaf, 0, x$splits[ifelse(leaf, 1L, first), "improve"]),
    values = rpart_values(x, classes))
  Reduce(function(tree, k) leave_levels(tree, k, sides[[k]] == 2, sets),
         which(vapply(sides, function(side) any(side == 2), NA)), tree)
}

# The row of the splits that is each node's first.
rpart_first <- function(frame) {
  inner <- frame$var != "<leaf>"
  cumsum(c(1, frame$ncompete + frame$nsurrogate + inner))[seq_along(inner)]
}

rpart_values <- function(x, classes) {
  k <- length(classes)
  unname(if (k) x$frame$yval2[, 1 + k + seq_len(k), drop = FALSE] else matrix(x$frame$yval))
}

# Node k of a tree first asks for levels of which it had no training row, which rpart sends by
# surrogate splits: they go to a leaf of their own, `open_leaf`.
leave_levels <- function(tree, k, unseen, sets) {
  n <- length(tree$feature)
  again <- c(seq_len(n), k, k) # the node itself moves to n + 1, the leaf is n + 2
  moved <- lapply(tree[setdiff(names(tree), "values")], `[`, again)
  moved$values <- tree$values[again, , drop = FALSE]
  moved$set[k] <- add_set(sets, c(FALSE, unseen))
  moved$threshold[k] <- 0
  moved$left[k] <- n + 2L
  moved$right[k] <- n + 1L
  for (name in c("feature", "left", "right", "set")) moved[[name]][n + 2L] <- 0L
  for (name in c("cover", "gain")) moved[[name]][n + 2L] <- 0
  moved$leaf_id[n + 2L] <- open_leaf
  moved$threshold[n + 2L] <- 0
  moved$values[n + 2L, ] <- 0
  moved
}

# ---- rows that primary splits do not send to a side ----------------------------------------------

# The number of a leaf of rows that go on in another way.
open_leaf <- -.Machine$integer.max

# What is needed to follow rows by surrogate splits, of all nodes.
rpart_rest <- function(x, features, classes) {
  frame <- x$frame
  list(id = as.numeric(row.names(frame)), inner = frame$var != "<leaf>", n = frame$n,
       first = rpart_first(frame), n_compete = frame$ncompete, n_surrogate = frame$nsurrogate,
       feature = match(rownames(x$splits), features), ncat = x$splits[, "ncat"],
       index = x$splits[, "index"], csplit = x$csplit, use = x$control$usesurrogate,
       values = rpart_values(x, classes))
}

# The features that surrogate splits ask for.
features_of_rest <- function(forest) {
  if (is.null(forest$rest) || forest$rest$use < 1) return(integer())
  sort(unique(forest$rest$feature[!is.na(forest$rest$feature)]))
}

# Which rows have missing values where primary splits ask, or have come to an open leaf.
rows_of_rest <- function(forest, columns, leaves) {
  missing <- lapply(forest$asked, function(j) is.na(column_at(columns, j)))
  which(Reduce(`|`, missing, rowSums(leaves == open_leaf) > 0))
}

# By row, the place of its node among those of the tree, which need not be a leaf: where no split
# knows a side, rows stay.
places_of_rest <- function(forest, new, rows) {
  rest <- forest$rest
  place <- rep(1L, length(rows))
  going <- rest$inner[place]
  while (any(going)) {
    for (node in unique(place[going])) {
      mine <- which(going & place == node)
      side <- side_of_rest(rest, node, rows[mine], new)
      going[mine] <- side != 0
      place[mine[side != 0]] <- match(2 * rest$id[node] + (side[side != 0] > 0), rest$id)
    }
    going <- going & rest$inner[place]
  }
  place
}

# -1: left, 1: right, 0: neither. Surrogate splits follow the competing ones; what they leave goes
# with more of the training rows.
side_of_rest <- function(rest, node, rows, new) {
  surrogates <- if (rest$use > 0) rest$n_compete[node] + seq_len(rest$n_surrogate[node])
  side <- numeric(length(rows))
  for (split in rest$first[node] + c(0, surrogates)) {
    open <- side == 0
    if (!any(open)) break
    side[open] <- side_of_split(rest, split, rows[open], new)
  }
  if (rest$use > 1) {
    n <- rest$n[match(2 * rest$id[node] + 0:1, rest$id)]
    side[side == 0] <- sign(n[2] - n[1])
  }
  side
}

side_of_split <- function(rest, split, rows, new) {
  j <- rest$feature[split]
  if (j %in% new$absent) {
    stop_input("newdata", gettextf("'newdata' lacks %s, by which rows with missing values go on",
                                   show_names(new$features[j])))
  }
  value <- column_at(new$columns, j)[rows]
  ncat <- rest$ncat[split]
  side <- if (ncat < 2) ifelse(value < rest$index[split], ncat, -ncat) else
    rest$csplit[cbind(rest$index[split], value)] - 2
  replace(side, is.na(side), 0)
}
