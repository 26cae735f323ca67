# Sets of trees as solvers count them to which a split into leaves of one label is another tree.

# How many trees of at most `depth` levels and with exactly `splits` splits the rows `rows` have
# whose leaves all have the label number `label`. `x`: a matrix of 0 and 1.
idle_trees <- function(x, y, rows, label, depth, splits) {
  if (splits == 0) return(as.numeric(which.max(tabulate(y[rows], nlevels(y))) == label))
  if (depth == 0) return(0)
  trees <- 0
  for (j in seq_len(ncol(x))) {
    side <- x[rows, j] == 1
    if (all(side) || !any(side)) next
    for (left in seq_len(splits) - 1) {
      on_left <- idle_trees(x, y, rows[!side], label, depth - 1, left)
      if (on_left == 0) next
      on_right <- idle_trees(x, y, rows[side], label, depth - 1, splits - 1 - left)
      trees <- trees + on_left * on_right
    }
  }
  trees
}

# The trees of `set` with any such splits below their leaves that the budget still pays for.
# `budget` and `price` in rows, a price for each leaf.
trees_with_idle_splits <- function(set, x, y, depth, budget, price) {
  one <- function(fit) {
    left <- floor((budget - fit$cost - price) / price)
    node <- stats::predict(fit, as.data.frame(x), type = "node")
    label <- as.integer(stats::predict(fit, as.data.frame(x), type = "class"))
    trees <- c(1, numeric(left)) # by the number of splits added
    for (leaf in unique(node)) {
      rows <- which(node == leaf)
      room <- depth - floor(log2(leaf))
      own <- vapply(0:left, idle_trees, 0, x = x, y = y, rows = rows, label = label[rows[1]],
                    depth = room)
      trees <- vapply(0:left, function(n) sum(trees[1:(n + 1)] * own[(n + 1):1]), 0)
    }
    sum(trees)
  }
  sum(vapply(seq_along(set), function(k) one(set[[k]]), 0))
}
