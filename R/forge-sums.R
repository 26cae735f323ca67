# Sums that are the same in any order of the trees: forge(sums = "reproducible").

# The ensemble with what its trees add rounded to multiples of a power of two, of which no sum of
# some of them has 2^53 or more: then every sum of doubles is exact.
reproducible_sums <- function(forest) {
  e <- forest$ensemble
  if (has_linear_models(forest)) {
    stop_unsupported("sums", gettext(
      "linear models of leaves have no largest value, so that their sums cannot be made exact"))
  }
  terms <- forest_terms(e)
  wide <- ncol(terms) > 1L
  tree <- tree_of_node(e)
  for (k in seq_along(e$base)) {
    own <- if (wide) rep(TRUE, nrow(terms)) else e$output[tree] == k
    column <- if (wide) k else 1L
    rounded <- round_to_grid(terms[own, column], tree[own], e$base[k])
    terms[own, column] <- rounded$terms
    e$base[k] <- rounded$base
  }
  e$values <- terms
  e$weight[] <- 1
  e$sum <- "double"
  forest$ensemble <- e
  forest$exact_sums <- TRUE
  check_ensemble(forest)
}

# The sum of sizes is of sorted numbers, so that it too is the same in any order. All sums together
# stay below twice that size: CT_FORGE_MOST_TREES times half a grid is nothing to it.
round_to_grid <- function(terms, tree, base) {
  size <- sum(sort(c(abs(base), vapply(split(abs(terms), tree), max, 0))))
  if (size == 0) return(list(terms = terms, base = base))
  grid <- 2^max(exponent_of(size) - 51, -1074)
  list(terms = round(terms / grid) * grid, base = round(base / grid) * grid)
}

# The exponent of the largest power of two that is not above x: log2() may be rounded up to a whole
# number.
exponent_of <- function(x) {
  power <- floor(log2(x))
  if (2^power > x) power - 1 else power
}
