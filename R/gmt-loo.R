# Smoothing, ridge penalty and limits of a model tree by leave-one-out errors: for given splits the
# model of a leaf is a regression in which row i counts w_i c_i, its weight and the sum of what it
# counts for in the leaf and all nodes above (see gmt-smooth.R), so that the models without one row
# need no fit of their own: with A = X'WCX + penalty and e = y - Xb
#   b(-i) = b - A^-1 x_i w_i c_i e_i / (1 - w_i c_i x_i' A^-1 x_i)
# The splits, the numbers of rows that smoothing divides by and the scale of the penalty stay.

# What is tried. The splits were searched with the row, so that errors without shrinkage are too
# low: it is not taken unless they are less than half.
loo_grid <- list(ridge = c(0, 0.3, 1, 3, 10, 30), smoothing = c(0, 3, 10, 30, 100),
                 limits = c("range", "none"))
loo_zero_costs <- 2
loo_asked <- list(ridge = "loo", smoothing = "loo", limits = "loo")
loo_none <- list(ridge = 0, smoothing = 0, limits = "range")
loo_rows_max <- 10000 # with more rows leaves have nothing to borrow
loo_rows_used <- 2000

is_loo <- function(settings) {
  vapply(settings[names(loo_grid)], identical, NA, "loo")
}

# The settings with numbers in place of "loo", and `loo`, a data frame with the error of each
# combination; NULL where nothing was to be chosen.
settle_loo <- function(settings, nodes, x, y, weights, where, dropped) {
  asked <- is_loo(settings)
  if (!any(asked)) return(settings)
  if (length(y) > loo_rows_max) {
    settings[names(loo_grid)[asked]] <- loo_none[asked]
    return(settings)
  }
  tried <- Map(function(grid, own, asked) if (asked) grid else own, loo_grid,
               settings[names(loo_grid)], asked)
  # a tree without splits has nothing to smooth
  if (asked[["smoothing"]] && length(nodes$n) == 1) tried$smoothing <- 0
  rows <- unique(round(seq(1, length(y), length.out = min(length(y), loo_rows_used))))
  leaves <- lapply(sort(unique(where[rows])), function(leaf) {
    inside <- which(where == leaf)
    loo_leaf(leaf, x[inside, , drop = FALSE], y[inside], weights[inside], inside %in% rows)
  })
  tables <- Map(function(ridge, smoothing) {
    models <- smoothed_factors(nodes, smoothing, ridge)
    errors <- vapply(leaves, function(leaf) {
      loo_errors(leaf, models$factors[[leaf$leaf]], models$counts[leaf$leaf],
                 !dropped[leaf$leaf, ], tried$limits)
    }, numeric(length(tried$limits)))
    data.frame(ridge, smoothing, limits = tried$limits, error = rowSums(matrix(errors, ncol =
        length(leaves))))
  }, rep(tried$ridge, each = length(tried$smoothing)),
  rep(tried$smoothing, length(tried$ridge)))
  table <- do.call(rbind, tables)
  table$error <- table$error / if (is.null(weights)) length(rows) else sum(weights[rows])
  settings[names(loo_grid)] <- table[best_loo(table), names(loo_grid)]
  settings$loo <- table
  settings
}

best_loo <- function(table) {
  is_zero <- function(values) values == 0 & length(unique(values)) > 1
  zero <- is_zero(table$ridge) | is_zero(table$smoothing)
  which.min(table$error * ifelse(zero, loo_zero_costs, 1))
}

# What the errors of a leaf take: `x`, `y`, `w` of the rows whose errors count; `low`, `high`: the
# ranges of the columns and of the response (the last column) over the other rows of the leaf.
loo_leaf <- function(leaf, x, y, w, counted) {
  table <- cbind(x[, -1, drop = FALSE], y)
  others <- function(sign) {
    vapply(seq_len(ncol(table)), function(k) {
      values <- sign * table[, k]
      two <- c(sort(values)[1:2], NA)
      sign * replace(rep(two[1], length(values)), which.min(values), two[2])[counted]
    }, numeric(sum(counted)))
  }
  list(leaf = leaf, x = x[counted, , drop = FALSE], y = y[counted],
       w = if (is.null(w)) rep(1, sum(counted)) else w[counted],
       low = matrix(others(1), sum(counted)), high = matrix(others(-1), sum(counted)))
}

# The sum of squared errors of the rows with each of the `limits`; `count`: c of the rows.
loo_errors <- function(leaf, factor, count, columns, limits) {
  model <- fit_factor(factor, columns)
  used <- which(columns)[model$qr$pivot[seq_len(model$rank)]]
  b <- replace(numeric(ncol(leaf$x)), used, model$coefficients[model$qr$pivot[seq_len(model$rank)]])
  solved <- leaf$x[, used, drop = FALSE] %*% chol2inv(model$qr$qr, model$rank)
  lever <- rowSums(solved * leaf$x[, used, drop = FALSE])
  counts <- leaf$w * count
  e <- leaf$y - drop(leaf$x %*% b)
  less <- solved * (counts * e / pmax(1 - counts * lever, 1e-10))
  value <- function(x) drop(x %*% b) - rowSums(x[, used, drop = FALSE] * less)
  p <- ncol(leaf$x)
  vapply(limits, function(limit) {
    said <- if (limit == "none" || anyNA(leaf$low)) value(leaf$x) else {
      within <- pmin(pmax(leaf$x[, -1, drop = FALSE], leaf$low[, -p]), leaf$high[, -p])
      within_response(value(cbind(1, within)), leaf$low[, p], leaf$high[, p])
    }
    sum(leaf$w * (leaf$y - said)^2)
  }, 0)
}
