# Contributions of features to margins: TreeSHAP, in C (src/forge/shap.h).

contributions_of <- function(object, new, threads, simd = "auto") {
  forest <- object$forest
  reason <- why_no_contributions(forest)
  if (!is.null(reason)) stop_unsupported("type", reason)
  all <- call_forest(.Call(ffi_forged_shap, forged_code(object), new$columns,
                           threads_to_use(threads), simd))
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

why_no_contributions <- function(forest) {
  if (has_linear_models(forest)) {
    return(gettext("contributions of linear models of leaves are not defined by TreeSHAP"))
  }
  cover <- forest$ensemble$cover
  if (!length(cover)) {
    return(gettextf("contributions need the number of training rows of each node, which %s",
                    gettextf("the model of %s does not have", forest$source)))
  }
  if (any(cover[forest$ensemble$feature > 0L] <= 0)) {
    gettext("contributions need training rows in each node that splits, but one had none")
  }
}
