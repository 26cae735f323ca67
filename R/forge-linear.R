# Linear models of leaves in ensembles. On its way a tree has `intercept`, a number a node, and
# `terms`, a list a node: NULL, or a list with one element a term, `feature` and `slope`, and in
# models of this package `low`, `high`, `other` and `codes` (see src/forge/ensemble.h), `codes` a
# list of numbers by code from 0 on, of no length where the term is of a number. Such trees have
# `lowest` and `highest`, too.

# Linear models as C takes them; all of no length where no tree has any.
linear_models <- function(trees) {
  if (all(vapply(trees, function(tree) is.null(tree$terms), NA))) {
    return(c(list(first_term = integer(), term_feature = integer(), slope = numeric(),
                  intercept = numeric()), no_ranges))
  }
  terms <- unlist(lapply(trees, function(tree) {
    if (is.null(tree$terms)) vector("list", length(tree$feature)) else tree$terms
  }), recursive = FALSE)
  part <- function(name) lapply(terms, `[[`, name)
  models <- list(
    first_term = count_up(lengths(part("feature"))),
    term_feature = as.integer(unlist(part("feature"))), slope = as.numeric(unlist(part("slope"))),
    intercept = as.numeric(unlist(lapply(trees, function(tree) {
      if (is.null(tree$terms)) tree$values[, 1] else tree$intercept
    }))))
  if (is.null(trees[[1]]$lowest)) return(c(models, no_ranges))
  numbers <- function(name) as.numeric(unlist(part(name)))
  of_node <- function(name) as.numeric(unlist(lapply(trees, `[[`, name)))
  codes <- unlist(part("codes"), recursive = FALSE)
  c(models, list(low = numbers("low"), high = numbers("high"), other = numbers("other"),
                 first_code = count_up(lengths(codes)), of_code = as.numeric(unlist(codes)),
                 lowest = of_node("lowest"), highest = of_node("highest")))
}

no_ranges <- list(low = numeric(), high = numeric(), other = numeric(), first_code = integer(),
                  of_code = numeric(), lowest = numeric(), highest = numeric())

count_up <- function(n) as.integer(cumsum(c(0, n)))

has_linear_models <- function(forest) length(forest$ensemble$intercept) > 0

# ---- fits of this package ------------------------------------------------------------------------

# What a tree with linear leaves has besides its nodes: what predict() computes, by the design of
# the models where the fit has it, else by the limits or the terms that were read.
linear_tree <- function(x, features, extrapolate) {
  leaf <- which(node_is_leaf(x))
  n <- length(node_ids(x))
  terms <- vector("list", n)
  range <- response_range(x, extrapolate)
  models <- lapply(leaf, limited_model, x, extrapolate)
  terms[leaf] <- lapply(models, place_terms, features)
  list(intercept = if (is.null(x$gmt)) node_values(x)[, 1] else x$gmt$coefficients[, 1],
       terms = terms, lowest = range$low, highest = range$high)
}

# What the model of a leaf adds up.
limited_model <- function(node, x, extrapolate = FALSE) {
  if (!is.null(x$gmt)) return(designed_model(node, x, extrapolate))
  if (!is.null(x$limits)) return(x$limits$terms[[node]])
  written_model(node, x)
}

# Where predictions of each node end.
response_range <- function(x, extrapolate) {
  n <- length(node_ids(x))
  if (!is.null(x$limits)) return(x$limits[c("low", "high")])
  if (extrapolate || is.null(x$gmt)) return(list(low = rep(-Inf, n), high = rep(Inf, n)))
  p <- ncol(x$gmt$coefficients)
  low <- x$gmt$low[, p]
  high <- x$gmt$high[, p]
  list(low = low - (high - low) / 20, high = high + (high - low) / 20)
}

# Terms one by one, each as new_term() makes it, side by side.
place_terms <- function(model, features) {
  part <- function(name) vapply(model, `[[`, 0, name)
  list(feature = match(vapply(model, `[[`, "", "predictor"), features), slope = part("slope"),
       low = part("low"), high = part("high"), other = part("other"),
       codes = lapply(model, `[[`, "codes"))
}

new_term <- function(predictor, slope, other = NA_real_, low = -Inf, high = Inf,
                     codes = numeric()) {
  list(predictor = predictor, slope = slope, low = low, high = high, other = other, codes = codes)
}

# The columns that a leaf's model has for new rows, see model_rows().
designed_model <- function(node, x, extrapolate) {
  found <- x$gmt
  b <- found$coefficients[node, -1]
  place <- design_parts(found$design)
  unlist(lapply(seq_along(found$design), function(k) {
    own <- which(place == k)
    part <- found$design[[k]]
    known <- found$nodes[[k]]
    lapply(which(b[own] != 0), function(j) {
      range <- if (extrapolate) c(-Inf, Inf) else
        c(found$low[node, own[j]], found$high[node, own[j]])
      designed_term(part, known, node, j, b[own[j]], range)
    })
  }), recursive = FALSE)
}

# Column j of a regressor: a number, a contrast, or whether a value is missing.
designed_term <- function(part, known, node, j, slope, range) {
  within <- function(value) pmin(pmax(value, range[1]), range[2])
  other <- if (is_identity(part)) NA_real_ else within(known$other[node, j])
  term <- function(...) new_term(part$predictor, slope, other, ...)
  if (part$indicator && j == length(part$columns)) {
    absent <- within(0)
    if (is.null(part$contrasts)) return(term(absent, absent))
    codes <- rep(absent, nrow(part$contrasts))
  } else if (is.null(part$contrasts)) {
    return(term(range[1], range[2]))
  } else {
    codes <- within(part$contrasts[, j])
  }
  codes[!known$seen[node, ]] <- other
  term(codes = c(other, codes)) # 0: a level that is new
}

# Terms of a model as tree-linear.R has them. The coefficient of a level that no row of the node had
# is that of others.
written_model <- function(node, x) {
  terms <- model_terms(x)
  b <- full_coefficients(x)[node, ]
  has_other <- !is.na(other_terms(terms))
  lapply(which(b != 0), function(k) {
    name <- terms$predictor[k]
    levels <- tree_xlevels(x)[[name]]
    codes <- switch(terms$kind[k], level = c(0, levels == terms$level[k]),
                    other = if (!is.null(levels)) rep(c(1, 0), c(1, length(levels))))
    if (terms$kind[k] == "other") {
      return(new_term(name, b[k], 1, 0, 0, as.numeric(codes)))
    }
    new_term(name, b[k], if (has_other[k]) 0 else NA_real_, codes = as.numeric(codes))
  })
}
