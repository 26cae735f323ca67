# A tree to begin with (argument `start`): a fit of contree() or of rpart, as the vectors of nodes that C takes. What of it
# fits neither the depth nor the data is left out there; here predictors are matched by name.

check_start <- function(start) {
  if (is.null(start) || is_contree(start)) return(start)
  if (!inherits(start, "rpart")) {
    stop_input("start", gettextf("'start' must be a fit of contree() or rpart(), not %s", show_value(start)))
  }
  rpart_primary(start)
  start
}

# Nodes in preorder: feature (0: leaf), threshold, children (0: none). `predictors`: names in the order of the columns.
start_nodes <- function(start, predictors) {
  if (is.null(start)) return(NULL)
  nodes <- if (is_contree(start)) contree_nodes(start) else rpart_nodes(start)
  # a split on a predictor that is not there becomes a leaf, and what is below it is never visited
  feature <- match(nodes$variable, predictors, 0L)
  list(feature = feature, threshold = as.double(nodes$threshold), left = nodes$left, right = nodes$right,
       default_left = rep(FALSE, length(feature)))
}

contree_nodes <- function(fit) {
  c(list(variable = node_variable(fit), threshold = node_threshold(fit)), node_children(fit))
}

# rpart sends rows above the threshold to the left where that child predicts less.
rpart_nodes <- function(fit) {
  ids <- as.numeric(row.names(fit$frame))
  primary <- rpart_primary(fit)
  low <- match(2 * ids, ids, 0L)
  high <- match(2 * ids + 1, ids, 0L)
  turned <- !is.na(primary$ncat) & primary$ncat == 1
  list(variable = primary$variable, threshold = primary$index, left = ifelse(turned, high, low),
       right = ifelse(turned, low, high))
}

# The split of each node: variable, ncat (-1: less goes left, 1: greater goes left, 2 and more: levels of a factor) and index
# (the threshold); NA in leaves. They stand in `splits` before the competitors and surrogates of their node. Surrogates are
# for missing values, of which there are none here.
rpart_primary <- function(fit) {
  frame <- fit$frame
  variable <- as.character(frame$var)
  variable[variable == leaf_mark] <- NA
  inner <- !is.na(variable)
  first <- cumsum(c(1, frame$ncompete + frame$nsurrogate + inner))[seq_along(inner)]
  first[!inner] <- NA
  splits <- if (any(inner)) fit$splits[first, c("ncat", "index"), drop = FALSE] else matrix(NA_real_, length(inner), 2)
  if (any(levels <- inner & abs(splits[, 1]) > 1)) {
    stop_unsupported("start", gettextf(
      "'start' splits '%s' by levels, which this version cannot do; give an rpart tree on numeric predictors",
      variable[levels][1]))
  }
  list(variable = variable, ncat = splits[, 1], index = splits[, 2])
}
