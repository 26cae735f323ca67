# Regressors to the columns of the leaves' models, as model.matrix() makes them for lm(): numbers as
# they are, factors by contrasts. Where values are missing there is the mean of the column, and one
# column more says so.
#
# A design is a list, one element a regressor:
#   predictor  its name
#   columns    names of its coefficients; the one that says that values are missing is the last
#   contrasts  NULL of a number; else a matrix, a row a level, NA for levels that no row has
#   fill       means of the columns where values are missing; NULL if none is
#   indicator  is there a column that says so?

learn_design <- function(frame, regressors, indicator) {
  # without an intercept the first factor has a column for each level
  full <- if (!has_intercept(frame)) regressors[frame$types[regressors] %in% level_types][1]
  lapply(stats::setNames(nm = regressors), function(name) {
    x <- frame$columns[[name]]
    levels <- frame$xlevels[[name]]
    contrasts <- if (!is.null(levels)) {
      used_contrasts(x, levels, frame$types[[name]] == "ordered", !name %in% full,
                     frame$contrasts[[name]])
    }
    columns <- if (is.null(levels)) name else paste0(name, colnames(contrasts), recycle0 = TRUE)
    missing <- anyNA(x)
    part <- list(predictor = name, columns = columns, contrasts = contrasts,
                 indicator = missing && indicator)
    if (missing) {
      part$fill <- column_means(part_values(part, x), frame$weights)
      if (indicator) part$columns <- c(columns, sprintf("is.na(%s)", name))
    }
    part
  })
}

# Contrasts of the levels that rows have, as lm() has them: the factor's `own`, else those of
# options("contrasts"). A matrix of contrasts is of all levels.
used_contrasts <- function(codes, levels, ordered, contrasts, own) {
  used <- tabulate(codes, length(levels)) > 0
  if (sum(used) < 1 + contrasts) return(matrix(0, length(levels), 0))
  x <- factor(levels[used], levels[used], ordered = ordered)
  if (all(used) || is.character(own)) attr(x, "contrasts") <- own
  made <- stats::contrasts(x, contrasts)
  if (is.null(colnames(made))) colnames(made) <- seq_len(ncol(made))
  table <- matrix(NA_real_, length(levels), ncol(made), dimnames = list(levels, colnames(made)))
  table[used, ] <- made
  table
}

# The columns of a regressor but the one of missing values, which are NA: a matrix.
part_values <- function(part, x) {
  if (is.null(part$contrasts)) return(matrix(as.double(x)))
  codes <- replace(x, x %in% 0L, NA)
  part$contrasts[codes, , drop = FALSE]
}

# Means of the columns over rows that have a value, 0 if none has.
column_means <- function(values, weights) {
  here <- !is.na(rowSums(values))
  if (!any(here)) return(numeric(ncol(values)))
  w <- if (is.null(weights)) rep(1, sum(here)) else weights[here]
  colSums(values[here, , drop = FALSE] * w) / sum(w)
}

# All columns of a regressor in training rows.
filled_values <- function(part, x) {
  values <- part_values(part, x)
  missing <- is.na(x)
  if (any(missing)) values[missing, ] <- rep(part$fill, each = sum(missing))
  if (part$indicator) cbind(values, as.double(missing)) else values
}

design_names <- function(design) as.character(unlist(lapply(design, `[[`, "columns")))

# For each column the regressor that it is of.
design_parts <- function(design) rep(seq_along(design), lengths(lapply(design, `[[`, "columns")))

# Is a column of the data the column of the models, as it is?
is_identity <- function(part) is.null(part$contrasts) && is.null(part$fill)

# ---- what nodes know of factors ------------------------------------------------------------------

# By factor, a matrix: has the node (a row) rows of the level (a column)? And by regressor that is a
# factor or has missing values, what stands for a missing or unknown value: the columns, a row a
# node. Where rows of the node miss the value it is what the model was fitted with; else that of
# numbers, and of factors the mean over the rows of the node.
learn_nodes <- function(design, frame, where, parent) {
  if (all(vapply(design, is_identity, NA))) return(vector("list", length(design)))
  n_nodes <- length(parent)
  up <- function(of_leaves) { # from the sums of leaves to those of all nodes
    for (node in rev(seq_len(n_nodes)[-1])) {
      of_leaves[parent[node], ] <- of_leaves[parent[node], ] + of_leaves[node, ]
    }
    of_leaves
  }
  sums <- function(values) {
    out <- matrix(0, n_nodes, ncol(values))
    by_leaf <- rowsum(values, where)
    out[as.integer(rownames(by_leaf)), ] <- by_leaf
    up(out)
  }
  weights <- if (is.null(frame$weights)) rep(1, length(where)) else frame$weights
  weight <- drop(sums(matrix(weights)))
  lapply(design, function(part) {
    if (is_identity(part)) return(NULL)
    x <- frame$columns[[part$predictor]]
    values <- filled_values(part, x)
    missing <- drop(sums(matrix(as.double(is.na(x))))) > 0
    filled <- rep(c(part$fill, if (part$indicator) 1), each = n_nodes)
    if (is.null(part$contrasts)) return(list(other = matrix(filled, n_nodes)))
    other <- sums(values * weights) / weight
    if (length(filled)) other[missing, ] <- matrix(filled, n_nodes)[missing, ]
    seen <- sums(outer(replace(x, is.na(x), 0L), seq_len(nrow(part$contrasts)), `==`) + 0) > 0
    list(other = other, seen = seen)
  })
}

# ---- models as terms -----------------------------------------------------------------------------

# The terms of linear leaves, see tree-linear.R, and their coefficients. `b`: coefficients of the
# columns of the design, a row a node. `nodes`: see learn_nodes().
design_terms <- function(design, nodes, b, xlevels) {
  if (all(vapply(design, is_identity, NA))) {
    return(list(terms = number_terms(vapply(design, `[[`, "", "predictor")), b = unname(b)))
  }
  place <- split(seq_len(ncol(b)), factor(design_parts(design), seq_along(design)))
  parts <- lapply(seq_along(design), function(k) {
    part <- design[[k]]
    own <- b[, place[[k]], drop = FALSE]
    if (is_identity(part)) return(list(terms = number_terms(part$predictor), b = own))
    other <- rowSums(nodes[[k]]$other * own)
    if (is.null(part$contrasts)) {
      return(list(terms = missing_terms(part$predictor), b = cbind(own[, 1], other)))
    }
    slopes <- own[, seq_len(ncol(part$contrasts)), drop = FALSE]
    effects <- slopes %*% t(part$contrasts)
    effects[!nodes[[k]]$seen] <- NA
    list(terms = level_terms(part$predictor, xlevels[[part$predictor]]), b = cbind(effects, other))
  })
  list(terms = join_terms(lapply(parts, `[[`, "terms")),
       b = unname(do.call(cbind, lapply(parts, `[[`, "b"))))
}

# ---- new rows ------------------------------------------------------------------------------------

# Rows `rows` of the predictors `x` in the node as its model takes them: a column each, the
# intercept first. Those that no model uses may be absent.
model_rows <- function(fit, x, rows, node, extrapolate) {
  found <- fit$gmt
  columns <- lapply(seq_along(found$design), function(k) {
    part <- found$design[[k]]
    if (is.null(x[[part$predictor]])) return(matrix(0, length(rows), length(part$columns)))
    new_values(part, found$nodes[[k]], x[[part$predictor]][rows], node)
  })
  table <- do.call(cbind, c(list(rep(1, length(rows))), columns))
  if (extrapolate) return(table)
  for (k in seq_len(ncol(table) - 1)) {
    table[, k + 1] <- pmin(pmax(table[, k + 1], found$low[node, k]), found$high[node, k])
  }
  table
}

new_values <- function(part, known, x, node) {
  values <- part_values(part, x)
  if (is_identity(part)) return(values)
  if (part$indicator) values <- cbind(values, rep(0, nrow(values)))
  lost <- if (is.null(part$contrasts)) is.na(x) else !x %in% which(known$seen[node, ])
  values[lost, ] <- rep(known$other[node, ], each = sum(lost))
  values
}
