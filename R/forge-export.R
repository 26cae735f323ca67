# Forests in formats of others: what these lack is refused by name, and what they say in another way
# is put so here.

# What write_onnx() and its like take.
forest_to_write <- function(fit) {
  if (inherits(fit, "forged_forest")) return(fit$forest)
  if (inherits(fit, "forest_ir")) fit else import_forest(fit)
}

refuse_models <- function(format, forest) {
  if (has_linear_models(forest)) refuse_format(format, gettext("linear models of leaves"))
  if (!is.null(forest$last)) {
    refuse_format(format, gettext("base scores in doubles behind the sum or average of the trees"))
  }
  if (isTRUE(forest$unit)) {
    refuse_format(format, gettext("sums of shares that are cut at 1"))
  }
}

# Whether the model has no answer for a row of which a value is missing that a node asks for: its
# maker refuses it, or follows it in a way that is known to predict() alone.
needs_values <- function(forest) isTRUE(forest$complete) || !is.null(forest$rest)

# For formats that have a number for every row.
warn_of_missing <- function(format, forest) {
  if (open_leaf %in% forest$ensemble$leaf_id) {
    refuse_format(format, gettext("levels that go on by surrogate splits"))
  }
  if (!needs_values(forest) && !refuses_missing(forest)) return(invisible())
  warn_contree("missing_values", gettextf(paste(
    "%s has numbers also for rows with missing values, for which this model of %s has none or",
    "others; give it complete rows alone"), format, forest$source))
}

refuse_format <- function(format, what, remedy = NULL) {
  stop_unsupported("fit", paste0(gettextf("%s has no way to write %s", format, what),
                                 if (!is.null(remedy)) paste0("; ", remedy)))
}

# What a tree adds in each node, as it is added: floats where sums are.
forest_terms <- function(e) {
  terms <- e$values * e$weight[tree_of_node(e)]
  terms[e$leaf_id == open_leaf & e$feature == 0L, ] <- NaN # no answer
  if (e$sum == "float") terms[] <- .Call(ffi_floats, as.numeric(terms))
  terms
}

tree_of_node <- function(e) {
  rep(seq_along(e$roots), diff(c(e$roots, length(e$feature) + 1L)))
}

# Where missing values go, by a rule that knows no others than NaN.
nan_goes_left <- function(e, format) {
  inner <- e$feature > 0L
  if (any(inner & e$missing == missing_rules[["zero"]])) {
    refuse_format(format, gettext("a test for which zero is missing"))
  }
  zero_left <- if (e$less == "<") 0 < e$threshold else 0 <= e$threshold
  in_set <- e$set > 0L
  zero_left[in_set] <- e$set_else[e$set[in_set]]
  inner & ifelse(e$missing == missing_rules[["none"]], zero_left, e$default_left)
}

# The same sums with the base as leading trees of one leaf, for formats that add a base last.
base_as_trees <- function(e) {
  wide <- ncol(e$values) > 1L
  outputs <- if (wide) which(any(e$base != 0)) else which(e$base != 0)
  n <- length(outputs)
  if (n == 0L) return(e)
  none <- list(threshold = 0, default_left = FALSE, missing = missing_rules[["nan"]],
               feature = 0L, left = 0L, right = 0L, set = 0L, leaf_id = 0L)
  for (name in names(none)) {
    known <- e[[name]]
    if (name %in% c("left", "right")) known <- ifelse(known > 0L, known + n, 0L)
    e[[name]] <- c(rep(none[[name]], n), known)
  }
  for (name in c("cover", "gain")) if (length(e[[name]])) e[[name]] <- c(numeric(n), e[[name]])
  e$values <- rbind(matrix(if (wide) e$base else e$base[outputs], n), e$values)
  e$roots <- c(seq_len(n), e$roots + n)
  e$output <- c(outputs, e$output)
  e$weight <- c(rep(1, n), e$weight)
  e$base[] <- 0
  e
}
