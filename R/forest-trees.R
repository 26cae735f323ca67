# What the trees of a forest say one by one, and which rows each was grown from.

# Some trees, by place, in this order, as a forest of their own in the compact form of C.
only_trees <- function(forest, which) {
  block <- function(values, sizes, width) {
    first <- (cumsum(as.numeric(sizes)) - sizes) * width
    unlist(lapply(which, function(i) values[first[i] + seq_len(sizes[i] * width)]))
  }
  part <- forest
  for (name in c("number", "seed", "n_nodes", "n_leaves", "depth")) {
    part[[name]] <- forest[[name]][which]
  }
  part$nodes <- block(forest$nodes, forest$n_nodes, 2)
  # leaves of more classes have lists, not a count of each
  width <- if (forest$n_classes > 256) 1L else max(1L, forest$n_classes)
  part$counts <- block(forest$counts, forest$n_leaves, width)
  if (!is.null(forest$means)) part$means <- block(forest$means, forest$n_leaves, 1)
  if (!is.null(forest$rows)) {
    part$rows <- block(forest$rows, forest$row_ends[cumsum(forest$n_leaves)], 1)
    part$row_ends <- block(forest$row_ends, forest$n_leaves, 1)
  }
  part
}

# What each node of tree `i` would predict: a matrix of proportions with a column a class, or of one
# column of means.
values_of_nodes <- function(forest, i) {
  nodes <- call_forest(.Call(ffi_hist_tree, only_trees(forest, i), 1L))
  if (forest$n_classes) nodes$counts / rowSums(nodes$counts) else matrix(nodes$mean)
}

# The columns of new rows as a forest walks them.
walked_columns <- function(object, columns) {
  columns <- forest_columns(columns, object$orders)
  names <- object$shape$names
  if (is.matrix(columns)) columns[, names, drop = FALSE] else columns[names]
}

leaves_of_rows <- function(forest, columns, threads) {
  walk_forest(forest, columns, 2L, threads, "cpu")
}

# Pieces of 1..n of about `size` elements.
pieces <- function(n, size) {
  if (n == 0) return(list())
  split(seq_len(n), (seq_len(n) - 1) %/% max(1, floor(size)))
}

# How often each training row is part of each tree: a matrix with a column a tree.
inbag_of <- function(fit) {
  if (!is.null(fit$inbag)) return(fit$inbag)
  if (fit$type != "survival") {
    return(inbag_matrix(fit$forest, fit$n, fit$control, fit$sampling))
  }
  order <- survival_order(fit$y)
  inbag <- inbag_matrix(fit$forest, fit$n, fit$control, fit$sampling[order])
  inbag[order, ] <- inbag
  inbag
}

inbag_matrix <- function(forest, n, control, sampling) {
  trees <- seq_along(forest$number)
  matrix(vapply(trees, function(i) sample_of_tree(forest, i, n, control, sampling), integer(n)), n)
}

sample_of_tree <- function(forest, i, n, control, sampling) {
  .Call(ffi_hist_sample,
        list(seed = forest$seed[i], sample = control$sample, replace = as.integer(control$replace),
             sampling = sampling, n_rows = n), forest$number[i])
}

# ---- the rows a forest was grown from ------------------------------------------------------------

# The columns of the training rows: those of `data`, or of what the fit's call names.
training_columns <- function(fit, data, frame) {
  walked_columns(fit, raw_training_columns(fit, data, frame))
}

raw_training_columns <- function(fit, data, frame) {
  if (is.null(data)) data <- evaluated_data(fit, frame)
  columns <- new_columns(column_reader(fit), data, stats::na.pass)$columns
  n <- row_count(columns)
  if (n == fit$n + length(fit$na.action)) {
    columns <- rows_of_columns(columns, setdiff(seq_len(n), fit$na.action))
  } else if (n != fit$n) {
    stop_input("data", gettextf("'data' has %d rows, but the forest was grown from %d", n, fit$n))
  }
  columns
}

# The data that the call of a fit names, without the rows that its `subset` leaves out.
evaluated_data <- function(fit, frame) {
  where <- fit$call[[if (is.null(fit$terms)) "x" else "data"]]
  data <- tryCatch({
    found <- eval(where, frame)
    if (is.null(fit$terms)) found else select_rows(found, eval(fit$call$subset, found, frame))
  }, error = function(problem) NULL)
  if (!is.data.frame(data) && !is.matrix(data)) {
    stop_input("data", gettext("the training rows cannot be found again; give them as 'data'"))
  }
  data
}
