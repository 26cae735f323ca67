# Models of nodes that are not those of all regressors and of the node's rows alone: with fewer
# regressors (gmt-select.R), and shrunk, see src/evolve/shrinkage.h.

# Are there any settings that the search itself does not see to?
is_refitted <- function(settings) {
  any(is_loo(settings)) || settings$smoothing > 0 || settings$ridge > 0 || settings$select > 0 ||
    settings$limits == "none"
}

# The answer of the search with such models in its nodes, and with limits: list(solved, settings),
# the latter with what leave-one-out errors choose.
refit_solved <- function(solved, frame, design, settings) {
  nodes <- shrink_nodes(solved, has_intercept(frame))
  if (settings$select > 0) {
    nodes$dropped <- drop_regressors(nodes, c(0, design_parts(design)), settings$select)
  }
  settings <- settle_loo(settings, nodes, frame, design, solved$where)
  if (settings$limits == "none") {
    solved$low[] <- -Inf
    solved$high[] <- Inf
  }
  if (settings$smoothing == 0 && settings$ridge == 0 && settings$select == 0) {
    return(list(solved = solved, settings = settings))
  }
  models <- shrunk_models(nodes, settings)
  solved[names(models)] <- models
  if (settings$select > 0) {
    solved$dropped <- c(nodes$dropped)
    kept <- models_of_kept(nodes)
    solved[c("rank", "unscaled")] <- kept[c("rank", "unscaled")]
    leaf <- solved$left == 0
    n <- length(solved$where)
    solved$bic <- n * log(sum(solved$deviance[leaf]) / n) +
      settings$search$complexity * log(n) * (sum(kept$rank[leaf]) + sum(leaf) - 1)
  }
  list(solved = solved, settings = settings)
}

# What C wants to know of the nodes: `factors`, triangles R with R'R = X'WX, the intercept first and
# the response last; `penalty`, the roots of what a ridge of 1 adds on the diagonal at the root:
# standard deviations of the columns, times the root of the mean weight; and `dropped`, a column a
# node.
shrink_nodes <- function(solved, intercept) {
  n_nodes <- length(solved$n)
  columns <- round(sqrt(length(solved$factors) / n_nodes))
  factors <- array(solved$factors, c(columns, columns, n_nodes))
  # without an intercept all rows of the triangle are slopes'
  rows <- if (intercept) -1 else seq_len(columns)
  slopes <- matrix(factors[rows, -c(1, columns), 1], length(seq_len(columns)[rows]))
  list(parent = parents_of(solved), n = as.double(solved$n), factors = factors,
       penalty = c(0, sqrt(colSums(slopes^2) / solved$n[1])),
       dropped = matrix(solved$dropped, columns - 1, n_nodes))
}

# list(coefficients, aliased, deviance) of all nodes, node after node.
shrunk_models <- function(nodes, settings) {
  mean <- settings$loo
  if (is.null(mean)) mean <- c(settings[c("ridge", "smoothing")], weight = 1)
  used <- mean$weight > 0
  .Call(ffi_gmt_shrink, nodes, as.double(mean$ridge[used]), as.double(mean$smoothing[used]),
        mean$weight[used])
}

# The model of some of the columns, as lm() has it of the rows.
fit_factor <- function(factor, columns) {
  p <- ncol(factor) - 1
  stats::lm.fit(factor[, seq_len(p)[columns], drop = FALSE], factor[, p + 1])
}
