# Second opinions on trees by size: what can be done with each number of splits, by trying
# everything.

# The least errors of a tree with s = 0, 1, ... splits, Inf where there is none. `x`: a numeric
# matrix, or a data frame with predictors of any kind. `roots`: columns that the root may be split
# on. `costs`: of each row (in rows) under each label.
least_errors <- function(x, y, depth, minbucket = 1, minsplit = 2, roots = seq_len(
  ncol(x)), costs = error_costs(y)) {
  known <- new.env()
  parts <- function(j, rows) {
    if (is.matrix(x)) return(lapply(unique(x[rows, j]), function(threshold) x[rows, j] < threshold))
    unique(lapply(all_splits(x[[j]], seq_along(y) %in% rows), `[`, rows))
  }
  least <- function(rows, depth, columns) {
    best <- rep(Inf, 2^depth)
    best[1] <- min(colSums(costs[rows, , drop = FALSE]))
    if (depth == 0 || length(rows) < minsplit) return(best)
    for (j in columns) for (left in parts(j, rows)) {
      if (sum(left) < minbucket || sum(!left) < minbucket) next
      a <- look_up(rows[left], depth - 1)
      b <- look_up(rows[!left], depth - 1)
      for (s in seq_along(a)) {
        here <- s + seq_along(b) # one split, s - 1 on the left, the others on the right
        best[here] <- pmin(best[here], a[s] + b)
      }
    }
    best
  }
  look_up <- function(rows, depth) {
    key <- paste(c(depth, rows), collapse = " ")
    if (is.null(known[[key]])) known[[key]] <- least(rows, depth, seq_len(ncol(x)))
    known[[key]]
  }
  least(seq_along(y), depth, roots)
}

# What each row costs under each label. `loss`: true classes in rows.
error_costs <- function(y, weights = 1, loss = 1 - diag(nlevels(y))) {
  weights * loss[as.integer(y), , drop = FALSE]
}

# Of all sizes the one that costs least at `penalty` and, of those, the smallest: c(splits, cost).
best_size <- function(errors, penalty) {
  cost <- errors + penalty * (seq_along(errors) - 1)
  splits <- which(cost <= min(cost) + 1e-9)[1] - 1
  c(splits, min(cost))
}

# The sizes that are best at some penalty above 0, and the penalties from which on they are: those
# at which no larger size costs less, below those at which a smaller one costs no more.
best_sizes <- function(errors) {
  sizes <- seq_along(errors)
  rise <- function(i, j) (errors[i] - errors[j]) / (j - i)
  low <- vapply(sizes, function(i) max(0, rise(i, sizes[sizes > i])), 0)
  high <- vapply(sizes, function(i) min(Inf, rise(sizes[sizes < i], i)), 0)
  best <- which(is.finite(errors) & low < high - 1e-9 * errors[1])
  list(nsplit = best - 1, errors = errors[best], penalty = low[best])
}

# A small table with many ties, and sizes of leaves.
small_problem <- function(seed) {
  set.seed(seed)
  n <- sample(2:14, 1)
  columns <- sample(1:3, 1)
  x <- matrix(sample(sample(2:5, 1), n * columns, TRUE), n,
              dimnames = list(NULL, letters[seq_len(columns)]))
  if (seed %% 3 == 0) x[, 1] <- stats::rnorm(n)
  list(x = x, y = factor(sample(letters[1:sample(1:3, 1)], n, TRUE)),
       depth = sample(0:2, 1, prob = c(1, 3, 8)), minbucket = sample(c(1, 1, 2, 3), 1),
       minsplit = sample(c(2, 2, 5), 1))
}

# Many at home, a fifth of them in the tests that a change waits for, few on CRAN.
seeds <- function(many, few) {
  if (!identical(Sys.getenv("NOT_CRAN"), "true")) return(seq_len(few))
  seq_len(if (nzchar(Sys.getenv("CONTREE_QUICK"))) ceiling(many / 5) else many)
}
