# Models of nodes that are not those of all regressors and of the node's rows alone: with fewer
# regressors (gmt-select.R), and smoothed, that is, with rows borrowed from the parent. It is sums
# of squares that are smoothed, so that a node still has one model: with G = X'WX (the response a
# column of X), from the root down
#   G~(node) = G(node) + tau G~(parent) / n~(parent),  n~(node) = n(node) + tau
# where G~(root) = G(root) + ridge * variances of the columns on the diagonal, none of the intercept
# and the response. In place of G there are factors F with F'F = G, which keep the digits that G
# loses.

# Are there any settings that the search itself does not see to?
is_refitted <- function(settings) {
  any(is_loo(settings)) || is_compared(settings) || settings$smoothing > 0 ||
    settings$ridge > 0 || settings$select > 0 || settings$limits == "none"
}

# The answer of the search with such models in its nodes, and with limits: list(solved, settings),
# the latter with what leave-one-out errors choose.
refit_solved <- function(solved, frame, design, settings) {
  columns <- lapply(design, function(part) filled_values(part, frame$columns[[part$predictor]]))
  y <- without_offset(frame)
  x <- do.call(cbind, c(list(rep(1, length(y))), unname(columns)))
  nodes <- node_factors(x, y, frame$weights, solved$where, parents_of(solved))
  dropped <- matrix(FALSE, length(nodes$n), ncol(x))
  if (settings$select > 0) {
    dropped <- drop_regressors(nodes, c(0, design_parts(design)), settings$select)
  }
  settings <- settle_loo(settings, nodes, x, y, frame$weights, solved$where, dropped)
  if (settings$limits == "none") {
    solved$low[] <- -Inf
    solved$high[] <- Inf
  }
  if (settings$smoothing == 0 && settings$ridge == 0 && settings$select == 0) {
    return(list(solved = solved, settings = settings))
  }
  models <- smooth_models(nodes, settings$smoothing, settings$ridge, dropped)
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
  list(solved = solved, settings = settings)
}

# For each node a factor of its rows, F, and their number, n; with the nodes' parents, 0 of the
# root, and `penalty`, the roots of what a ridge of 1 adds on the diagonal at the root. `x`: the
# columns of the models, the intercept first.
node_factors <- function(x, y, weights, where, parent) {
  root <- if (is.null(weights)) rep(1, length(y)) else sqrt(weights)
  own <- leaf_factors(cbind(x, y) * root, where, length(parent))
  n <- tabulate(where, length(parent))
  for (node in rev(seq_along(parent)[-1])) {
    own[[parent[node]]] <- factor_of_rows(rbind(own[[parent[node]]], own[[node]]))
    n[parent[node]] <- n[parent[node]] + n[node]
  }
  list(own = own, n = n, parent = parent, penalty = ridge_roots(x, root^2))
}

# The standard deviation of each column but the intercept, times the root of the mean weight.
ridge_roots <- function(x, weights) {
  weights <- rep_len(weights, nrow(x))
  centred <- x - rep(colSums(weights * x) / sum(weights), each = nrow(x))
  c(0, sqrt(colSums(weights * centred^2) / nrow(x))[-1])
}

# F of each node with what it borrows.
smoothed_factors <- function(nodes, tau, ridge) {
  parent <- nodes$parent
  n <- nodes$n + ifelse(parent > 0, tau, 0)
  factors <- nodes$own
  if (ridge > 0) {
    penalty <- cbind(diag(nodes$penalty, length(nodes$penalty)), 0)
    factors[[1]] <- factor_of_rows(rbind(factors[[1]], sqrt(ridge) * penalty))
  }
  for (node in which(parent > 0 & tau > 0)) {
    above <- parent[node]
    factors[[node]] <- factor_of_rows(rbind(factors[[node]], sqrt(tau / n[above]) *
      factors[[above]]))
  }
  factors
}

# list(coefficients, aliased, deviance) of all nodes, a row a node; what is `dropped` is aliased.
smooth_models <- function(nodes, tau, ridge, dropped) {
  factors <- smoothed_factors(nodes, tau, ridge)
  b <- unname(do.call(rbind, lapply(seq_along(factors), function(node) {
    replace(rep(NA_real_, ncol(dropped)), !dropped[node, ],
            fit_factor(factors[[node]], !dropped[node, ])$coefficients)
  })))
  known <- replace(b, is.na(b), 0)
  list(coefficients = known, aliased = is.na(b),
       deviance = vapply(seq_along(factors), function(node) {
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
