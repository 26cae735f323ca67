# Smoothed models: each node's borrow rows from its parent's. They are sums of squares that are
# smoothed, so that a node still has one model: with G = X'WX (the response a column of X), from the
# root down
#   G~(node) = G(node) + tau G~(parent) / n~(parent),  n~(node) = n(node) + tau.
# In place of G there are factors F with F'F = G, which keep the digits that G loses.

# list(coefficients, aliased, deviance) of all nodes, a row a node. `x`: the columns of the models,
# the intercept first; `parent`: of each node, 0 of the root.
smooth_models <- function(x, y, weights, where, parent, tau) {
  root <- if (is.null(weights)) rep(1, length(y)) else sqrt(weights)
  own <- leaf_factors(cbind(x, y) * root, where, length(parent))
  n <- tabulate(where, length(parent))
  for (node in rev(seq_along(parent)[-1])) {
    own[[parent[node]]] <- factor_of_rows(rbind(own[[parent[node]]], own[[node]]))
    n[parent[node]] <- n[parent[node]] + n[node]
  }
  p <- ncol(x)
  smoothed <- own
  models <- vector("list", length(parent))
  for (node in seq_along(parent)) {
    above <- parent[node]
    if (above > 0) {
      share <- tau / (n[above] + if (parent[above] > 0) tau else 0)
      smoothed[[node]] <- factor_of_rows(rbind(own[[node]], sqrt(share) * smoothed[[above]]))
    }
    models[[node]] <- stats::lm.fit(smoothed[[node]][, seq_len(p), drop = FALSE],
                                    smoothed[[node]][, p + 1])$coefficients
  }
  b <- unname(do.call(rbind, models))
  known <- replace(b, is.na(b), 0)
  list(coefficients = known, aliased = is.na(b),
       deviance = vapply(seq_along(parent), function(node) {
         sum((own[[node]] %*% c(known[node, ], -1))^2)
       }, 0))
}

leaf_factors <- function(table, where, n_nodes) {
  factors <- rep(list(table[0, , drop = FALSE]), n_nodes)
  for (rows in split(seq_along(where), where)) {
    factors[[where[rows[1]]]] <- factor_of_rows(table[rows, , drop = FALSE])
  }
  factors
}

# F with F'F = table' table, at most as many rows as columns.
factor_of_rows <- function(table) {
  if (nrow(table) <= ncol(table)) return(unname(table))
  parts <- qr(table)
  unname(qr.R(parts)[, order(parts$pivot), drop = FALSE])
}
