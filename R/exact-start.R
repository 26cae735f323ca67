# A tree to begin with (argument `start`): a fit of contree() or of rpart, as the vectors of nodes
# that C takes. What of it fits neither the depth nor the data is left out there; here predictors
# are matched by name.

check_start <- function(start) {
  if (is.null(start)) return(NULL)
  if (is_model(start)) return(check_fit(start, "start"))
  if (!inherits(start, "rpart")) {
    stop_input("start", gettextf("'start' must be a fit of contree() or rpart(), not %s",
                                 show_value(start)))
  }
  rpart_primary(start)
  start
}

# Nodes in preorder on the columns of the search: feature (0: leaf), threshold, children (0: none).
start_nodes <- function(start, frame, derived) {
  if (is.null(start)) return(NULL)
  nodes <- if (is_model(start)) contree_nodes(start) else rpart_nodes(start)
  # a split on a predictor that is not there becomes a leaf, and what is below it is never visited
  nodes$feature <- match(nodes$variable, frame$shape$names, 0L)
  if (!is.null(derived)) nodes <- derive_nodes(nodes, frame, derived)
  nodes$feature[is.na(nodes$threshold)] <- 0L
  list(feature = nodes$feature, threshold = as.double(nodes$threshold), left = nodes$left,
       right = nodes$right,
       default_left = rep(FALSE, length(nodes$feature)))
}

# contree_nodes() and rpart_nodes() give lists with one element a node: variable, threshold, levels
# (NULL or list(left, right)), missing_left (NA if it does not matter), left, right.
contree_nodes <- function(fit) {
  c(list(variable = node_variable(fit), threshold = node_threshold(fit), levels = node_levels(fit),
         missing_left = ifelse(node_missing(fit) > 0, node_default_left(fit), NA)),
         node_children(fit))
}

# rpart sends rows above the threshold to the left where that child predicts less. Its surrogates,
# for missing values, are left out.
rpart_nodes <- function(fit) {
  ids <- as.numeric(row.names(fit$frame))
  primary <- rpart_primary(fit)
  low <- match(2 * ids, ids, 0L)
  high <- match(2 * ids + 1, ids, 0L)
  by_level <- !is.na(primary$ncat) & abs(primary$ncat) > 1
  levels <- vector("list", length(ids))
  for (node in which(by_level)) {
    names <- attr(fit, "xlevels")[[primary$variable[node]]]
    side <- fit$csplit[primary$index[node], seq_along(names)]
    levels[[node]] <- list(left = names[side == 1], right = names[side == 3])
  }
  turned <- !is.na(primary$ncat) & primary$ncat == 1
  list(variable = primary$variable, threshold = ifelse(by_level, NA, primary$index),
       levels = levels,
       missing_left = rep(NA, length(ids)), left = ifelse(turned, high, low),
       right = ifelse(turned, low, high))
}

# The split of each node: variable, ncat (-1: less goes left, 1: greater goes left, 2 and more:
# levels of a factor) and index (the threshold, or the row of the table of levels); NA in leaves.
# They stand in `splits` before the competitors and surrogates of their node.
rpart_primary <- function(fit) {
  frame <- fit$frame
  variable <- as.character(frame$var)
  variable[variable == leaf_mark] <- NA
  inner <- !is.na(variable)
  first <- cumsum(c(1, frame$ncompete + frame$nsurrogate + inner))[seq_along(inner)]
  first[!inner] <- NA
  splits <- if (any(inner)) {
    fit$splits[first, c("ncat", "index"), drop = FALSE]
  } else {
    matrix(NA_real_, length(inner), 2)
  }
  list(variable = variable, ncat = unname(splits[, 1]), index = unname(splits[, 2]))
}

# ---- on derived columns --------------------------------------------------------------------------

derive_nodes <- function(nodes, frame, derived) {
  for (node in which(nodes$feature > 0)) {
    columns <- which(derived$predictor == nodes$feature[node])
    by_level <- !is.null(derived$codes[[columns[1]]])
    split <- if (by_level) {
      derived_levels(nodes$levels[[node]], nodes$missing_left[node],
                     frame$xlevels[[nodes$variable[node]]],
                     derived$codes[columns])
    } else {
      derived_threshold(nodes$threshold[node], nodes$missing_left[node], derived$columns[columns])
    }
    nodes$feature[node] <- if (is.null(split)) 0L else columns[split$column]
    nodes$threshold[node] <- if (is.null(split)) NA else split$threshold
    if (isTRUE(split$turned)) nodes[c("left", "right")] <- turn_children(nodes, node)
  }
  nodes
}

turn_children <- function(nodes, node) {
  list(replace(nodes$left, node, nodes$right[node]), replace(nodes$right, node, nodes$left[node]))
}

# A predictor with missing values has two columns: they are below all others in the first and above
# in the second. The threshold must not be beyond them, or they would go with the values.
derived_threshold <- function(threshold, missing_left, columns) {
  if (length(columns) == 1) return(list(column = 1, threshold = threshold))
  column <- if (isFALSE(missing_left)) 2 else 1
  places <- as.numeric(column_levels(columns[[column]]))
  nearest <- if (column == 1) {
    max(threshold, min(places[places > min(places)]))
  } else {
    min(threshold, max(places))
  }
  list(column = column, threshold = nearest)
}

# The column with a threshold that parts the levels in that way, which may have left and right
# exchanged; levels of neither side are free. NULL if there is none, as when `levels` is NULL.
derived_levels <- function(levels, missing_left, names, families) {
  if (is.null(levels)) return(NULL)
  goes_left <- c(names %in% levels$left, isTRUE(missing_left))
  goes_right <- c(names %in% levels$right, isFALSE(missing_left))
  for (column in seq_along(families)) {
    left <- families[[column]][goes_left]
    right <- families[[column]][goes_right]
    if (length(left) == 0 || length(right) == 0) return(NULL)
    if (max(left) < min(right)) return(list(column = column, threshold = min(right),
                                            turned = FALSE))
    if (max(right) < min(left)) return(list(column = column, threshold = min(left), turned = TRUE))
  }
  NULL
}
