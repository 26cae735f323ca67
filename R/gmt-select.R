# Regressors left out of the models of single nodes, one after the other, as step() does.

# For each node (a column) and column of the models (a row) whether it is left out. `part`: of each
# of the latter the number of its regressor, 0 of the intercept; all columns of a regressor go
# together. `k`: of the criterion n log(RSS / n) + k * rank.
drop_regressors <- function(nodes, part, k) {
  dropped <- vapply(seq_along(nodes$n), function(node) {
    drop_from_node(nodes$factors[, , node], nodes$n[node], part, k, !nodes$dropped[, node])
  }, logical(length(part)))
  matrix(dropped, length(part))
}

# `kept`: what there is to begin with.
drop_from_node <- function(factor, n, part, k, kept) {
  p <- length(part)
  y <- factor[, p + 1]
  least <- 1e-22 * sum(y^2) # what is below is rounding
  rate <- function(columns) {
    fit <- fit_factor(factor, columns)
    c(aic = n * log(max(sum(fit$residuals^2), least, 1e-300) / n) + k * fit$rank,
      rank = fit$rank)
  }
  now <- rate(kept)
  repeat {
    candidates <- setdiff(unique(part[kept]), 0)
    if (length(candidates) == 0) break
    each <- vapply(candidates, function(j) rate(kept & part != j), now)
    # what adds nothing to the others goes first, the last one of these
    idle <- which(each["rank", ] == now[["rank"]])
    best <- if (length(idle)) idle[length(idle)] else which.min(each["aic", ])
    if (length(idle) == 0 && each["aic", best] >= now[["aic"]]) break
    kept <- kept & part != candidates[best]
    now <- each[, best]
  }
  !kept
}

# list(rank, unscaled) of the nodes' own models of the columns that are not dropped.
models_of_kept <- function(nodes) {
  p <- nrow(nodes$dropped)
  fits <- lapply(seq_along(nodes$n), function(node) {
    columns <- which(!nodes$dropped[, node])
    fit <- fit_factor(nodes$factors[, , node], columns)
    used <- columns[fit$qr$pivot[seq_len(fit$rank)]]
    unscaled <- matrix(0, p, p)
    unscaled[used, used] <- chol2inv(fit$qr$qr, fit$rank)
    list(rank = fit$rank, unscaled = unscaled)
  })
  list(rank = vapply(fits, `[[`, 0L, "rank"), unscaled = unlist(lapply(fits, `[[`, "unscaled")))
}
