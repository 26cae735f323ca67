# Contributions of features to margins: TreeSHAP, in C (src/forge/shap.h), or, where `background`
# is given, a frame of rows, against these (src/forge/shap_background.h).

contributions_of <- function(object, new, threads, simd = "auto", background = NULL) {
  forest <- object$forest
  reason <- why_no_contributions(forest, is.null(background))
  if (!is.null(reason)) stop_unsupported("type", reason)
  all <- call_forest(.Call(ffi_forged_shap, forged_code(object), new$columns,
                           background_columns(forest, background), threads_to_use(threads), simd))
  if (forest$link == "shares") all <- all / rowSums(all) # as the sums that they add up to
  p <- forest$ensemble$n_features
  if (!is.null(forest$last)) {
    all[, p + 1L, ] <- all[, p + 1L, ] + rep(forest$last, each = dim(all)[1])
  }
  names <- list(new$row_names, c(feature_names(forest), "(base)"))
  if (dim(all)[3] == 1) return(matrix(all, nrow(all), p + 1L, dimnames = names))
  dimnames(all) <- c(names, list(if (is.null(forest$outputs)) forest$classes else forest$outputs))
  all
}

# Half of what two features have together is each one's; the diagonal has the rest of the `values`.
interactions_of <- function(forged, data, values, threads, background) {
  forest <- forged$forest
  if (!is.null(forest$rest)) {
    stop_unsupported("interactions", gettextf(
      "models of %s with surrogate splits have no interactions", forest$source))
  }
  new <- forest_columns_of(forest, data)
  threads <- if (is.null(threads)) forged$threads else check_threads("threads", threads)
  p <- forest$ensemble$n_features
  n <- NROW(values)
  pairs <- call_forest(.Call(ffi_forged_interactions, forged_code(forged), new$columns,
                             background_columns(forest, background), threads_to_use(threads),
                             "auto"))
  pairs <- array(pairs, c(n, p, p, length(pairs) / max(1, n * p * p))) # the second feature first
  if (forest$link == "shares") { # as contributions_of() has the values
    pairs <- pairs / rowSums(run_forged(forged_code(forged), new$columns, FALSE, threads))
  }
  pairs <- (pairs + aperm(pairs, c(1, 3, 2, 4))) / 2
  alone <- array(values, dim(pairs)[c(1, 2, 4)]) - apply(pairs, c(1, 2, 4), sum)
  for (i in seq_len(p)) pairs[, i, i, ] <- alone[, i, ]
  features <- dimnames(values)[[2]]
  names <- c(dimnames(values)[1], list(features, features), dimnames(values)[-(1:2)])
  if (dim(pairs)[4] == 1) return(array(pairs, dim(pairs)[1:3], names[1:3]))
  dimnames(pairs) <- names
  pairs
}

# Of rows, features and features.
interactions_of_output <- function(x, k) {
  pairs <- x$interactions
  if (length(dim(pairs)) == 3) pairs else array(pairs[, , , k], dim(pairs)[1:3],
                                                dimnames(pairs)[1:3])
}

background_columns <- function(forest, background) {
  if (is.null(background)) return(NULL)
  if (!is.null(forest$rest)) {
    stop_unsupported("background", gettextf(
      "models of %s with surrogate splits have no contributions against a background",
      forest$source))
  }
  if (!(is.data.frame(background) || is.matrix(background)) || nrow(background) == 0) {
    stop_input("background", gettextf(
      "'background' must be a data frame or matrix of at least one row, not %s",
      if (length(dim(background)) == 2) gettext("one without rows") else show_value(background)))
  }
  forest_columns_of(forest, background)$columns
}

# `by_cover`: proportions of training rows take the place of what is not known.
why_no_contributions <- function(forest, by_cover) {
  if (has_linear_models(forest)) {
    return(gettext("contributions of linear models of leaves are not defined by TreeSHAP"))
  }
  if (!by_cover) return(NULL)
  cover <- forest$ensemble$cover
  if (!length(cover)) {
    return(gettextf("contributions need the number of training rows of each node, which %s",
                    gettextf("the model of %s does not have", forest$source)))
  }
  if (any(cover[forest$ensemble$feature > 0L] <= 0)) {
    gettext("contributions need training rows in each node that splits, but one had none")
  }
}
