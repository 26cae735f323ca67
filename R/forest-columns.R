# Columns of forests: levels of factors are put in an order.

# For each predictor whose levels have no order of their own, the place of each level (NA: no row
# has it).
level_orders <- function(frame) {
  free <- names(frame$types)[frame$types %in% c("factor", "character")]
  orders <- lapply(free, function(name) level_order(column_values(frame$columns[[name]]),
                                                    length(frame$xlevels[[name]]), frame$response))
  stats::setNames(orders, free)
}

level_order <- function(codes, n_levels, response) {
  rows <- !is.na(codes)
  counts <- tabulate(codes, n_levels)
  score <- if (is.factor(response)) {
    class_score(table(factor(codes[rows], seq_len(n_levels)), response[rows]))
  } else {
    vapply(split(response[rows], factor(codes[rows], seq_len(n_levels))), mean, 0)
  }
  places <- rank(score, ties.method = "first", na.last = TRUE)
  as.integer(replace(places, counts == 0, NA))
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
# last class with weight has a positive one.
class_score <- function(table) {
  n <- rowSums(table)
  proportions <- unclass(table / pmax(n, 1))
  if (ncol(proportions) <= 2) return(replace(proportions[, ncol(proportions)], n == 0, NA))
  centred <- sweep(proportions, 2, colSums(table) / max(1, sum(table)))
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
