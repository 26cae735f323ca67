# Columns of forests: levels of factors are put in an order.

# For each predictor whose levels have no order of their own, the place of each level (NA: no row
# has it), by the response of the rows and their weights (NULL: all alike).
level_orders <- function(frame) {
  free <- names(frame$types)[frame$types %in% c("factor", "character")]
  weights <- if (!is.null(frame$weights)) frame$weights / max(frame$weights)
  orders <- lapply(free, function(name) level_order(column_values(frame$columns[[name]]),
                                                    length(frame$xlevels[[name]]), frame$response,
                                                    weights))
  stats::setNames(orders, free)
}

# Levels of rows without weight come last.
level_order <- function(codes, n_levels, response, weights) {
  rows <- !is.na(codes)
  counts <- tabulate(codes, n_levels)
  level <- factor(codes[rows], seq_len(n_levels))
  score <- if (is.factor(response)) {
    class_score(weights_of_pairs(level, response[rows], weights[rows]))
  } else {
    means_of_levels(level, as.double(response)[rows], weights[rows])
  }
  places <- rank(score, ties.method = "first", na.last = TRUE)
  as.integer(replace(places, counts == 0, NA))
}

means_of_levels <- function(level, response, weights) {
  if (is.null(weights)) return(vapply(split(response, level), mean, 0))
  all <- vapply(split(weights, level), sum, 0)
  vapply(split(response * weights, level), sum, 0) / replace(all, all == 0, NA)
}

weights_of_pairs <- function(level, class, weights) {
  if (is.null(weights)) return(table(level, class))
  sums <- tapply(weights, list(level, class), sum)
  replace(sums, is.na(sums), 0)
}

# The first principal axis of the columns; where they are many, from that of the rows.
first_axis <- function(centred, n) {
  if (ncol(centred) <= 256) {
    return(eigen(crossprod(centred * n, centred), symmetric = TRUE)$vectors[, 1])
  }
  scaled <- centred * sqrt(n)
  axis <- crossprod(scaled, eigen(tcrossprod(scaled), symmetric = TRUE)$vectors[, 1])
  drop(axis) / max(sqrt(sum(axis^2)), 1e-300)
}

# Levels by the proportion of the second of two classes; of more by the first principal component of
# all proportions, weighted by rows (Coppersmith, Hong, Hosking 1999). Its sign is such that the
# last class with weight has a positive one. `table`: what rows weigh, a row a level.
class_score <- function(table) {
  n <- rowSums(table)
  proportions <- unclass(table / replace(n, n == 0, 1))
  if (ncol(proportions) <= 2) return(replace(proportions[, ncol(proportions)], n == 0, NA))
  centred <- sweep(proportions, 2, colSums(table) / if (any(n > 0)) sum(table) else 1)
  axis <- first_axis(centred, n)
  axis <- axis * sign(c(axis[abs(axis) > 1e-9], 1)[sum(abs(axis) > 1e-9)])
  replace(drop(centred %*% axis), n == 0, NA)
}

# Which columns are split by subsets of their levels: those of three to six that rows have, of two
# an order is as good. Codes are places only if there are as many.
columns_by_subsets <- function(names, orders, settings) {
  if (settings$factors == "order" || !is.null(settings$learner) || settings$bins < 6) {
    return(integer())
  }
  n_levels <- vapply(orders, function(places) sum(!is.na(places)), 0L)
  match(names(orders)[n_levels %in% 3:6], names)
}

# The columns as they are grown from: levels become their places; none, or one without a place, is
# missing.
forest_columns <- function(columns, orders) {
  for (name in names(orders)) {
    columns[[name]] <- by_levels(columns[[name]], function(codes) {
      list(orders[[name]][replace(codes, codes %in% 0L, NA)])
    })[[1]]
  }
  columns
}
