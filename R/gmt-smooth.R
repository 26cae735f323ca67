# Models of nodes that are not those of all regressors and of the node's rows alone: with fewer
# regressors (gmt-select.R), and smoothed, that is, with rows borrowed from the parent. It is sums
# of squares that are smoothed, so that a node still has one model: with G = X'WX (the response a
# column of X), from the root down
#   G~(node) = G(node) + tau G~(parent) / n~(parent),  n~(node) = n(node) + tau.
# In place of G there are factors F with F'F = G, which keep the digits that G loses.

# The answer of the search with such models in its nodes.
refit_solved <- function(solved, frame, design, settings) {
  columns <- lapply(design, function(part) filled_values(part, frame$columns[[part$predictor]]))
  y <- without_offset(frame)
  x <- do.call(cbind, c(list(rep(1, length(y))), unname(columns)))
  nodes <- node_factors(x, y, frame$weights, solved$where, parents_of(solved))
  dropped <- matrix(FALSE, length(nodes$n), ncol(x))
  if (settings$select > 0) {
    dropped <- drop_regressors(nodes, c(0, design_parts(design)), settings$select)
  }
  models <- smooth_models(nodes, settings$smoothing, dropped)
  solved$coefficients <- c(t(models$coefficients))
  solved$deviance <- models$deviance
  solved$aliased <- c(t(models$aliased))
  if (settings$select > 0) {
    solved$dropped <- c(t(dropped))
    kept <- models_of_kept(nodes, dropped)
    solved[c("rank", "unscaled")] <- kept[c("rank", "unscaled")]
    leaf <- solved$left == 0
    solved$bic <- length(y) * log(sum(solved$deviance[leaf]) / length(y)) +
      settings$search$complexity * log(length(y)) * (sum(kept$rank[leaf]) + sum(leaf) - 1)
  }
  solved
}

# For each node a factor of its rows, F, and their number, n; with the nodes' parents, 0 of the
# root. `x`: the columns of the models, the intercept first.
node_factors <- function(x, y, weights, where, parent) {
  root <- if (is.null(weights)) rep(1, length(y)) else sqrt(weights)
  own <- leaf_factors(cbind(x, y) * root, where, length(parent))
  n <- tabulate(where, length(parent))
  for (node in rev(seq_along(parent)[-1])) {
    own[[parent[node]]] <- factor_of_rows(rbind(own[[parent[node]]], own[[node]]))
    n[parent[node]] <- n[parent[node]] + n[node]
  }
  list(own = own, n = n, parent = parent)
}

# list(coefficients, aliased, deviance) of all nodes, a row a node; what is `dropped` is aliased.
smooth_models <- function(nodes, tau, dropped) {
  parent <- nodes$parent
  n <- nodes$n
  smoothed <- nodes$own
  models <- vector("list", length(parent))
  for (node in seq_along(parent)) {
    above <- parent[node]
    if (above > 0 && tau > 0) {
      share <- tau / (n[above] + if (parent[above] > 0) tau else 0)
      smoothed[[node]] <- factor_of_rows(rbind(smoothed[[node]],
                                               sqrt(share) * smoothed[[above]]))
    }
    models[[node]] <- replace(rep(NA_real_, ncol(dropped)), !dropped[node, ],
                              fit_factor(smoothed[[node]], !dropped[node, ])$coefficients)
  }
  b <- unname(do.call(rbind, models))
  known <- replace(b, is.na(b), 0)
  list(coefficients = known, aliased = is.na(b),
       deviance = vapply(seq_along(parent), function(node) {
         sum((nodes$own[[node]] %*% c(known[node, ], -1))^2)
       }, 0))
}

# The model of some of the columns, as lm() has it of the rows.
fit_factor <- function(factor, columns) {
  p <- ncol(factor) - 1
  stats::lm.fit(factor[, seq_len(p)[columns], drop = FALSE], factor[, p + 1])
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
