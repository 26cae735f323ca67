# Trees that are made of others: cut, at another complexity, with another call; and the parts that
# an object of rpart has as they are.

# The nodes `cut` (rows of the frame) become leaves, and what is below them goes. What was proven of
# the tree no longer holds: at_complexity() says what does.
cut_nodes <- function(fit, cut) {
  onto <- nearest_cut(fit, cut)
  kept <- which(onto == seq_along(onto))
  fit <- keep_splits(fit, which(!node_is_leaf(fit)) %in% setdiff(kept, cut))
  fit$frame$var[cut] <- leaf_mark
  fit$frame$default_left[cut] <- NA
  fit$frame <- fit$frame[kept, ]
  for (part in setdiff(names(fit$counted), "unit")) {
    fit$counted[[part]] <- fit$counted[[part]][kept]
  }
  fit$where[] <- match(onto, kept)[fit$where]
  fit$objective <- sum(node_errors(fit)[node_is_leaf(fit)])
  fit
}

# Rows of the table of splits, and what hangs on them.
keep_splits <- function(fit, keep) {
  splits <- fit$splits[keep, , drop = FALSE]
  by_level <- splits[, "ncat"] > 1
  fit["csplit"] <- list(if (any(by_level)) fit$csplit[splits[by_level, "index"], , drop = FALSE])
  splits[by_level, "index"] <- seq_len(sum(by_level))
  fit$splits <- splits
  fit$variable.importance <- sum_by_variable(splits[, "improve"], rownames(splits))
  structure(fit[!vapply(fit, is.null, NA)], class = class(fit))
}

# For each node the topmost of the nodes `cut` that it is or is below of, else itself. Parents come
# before children.
nearest_cut <- function(fit, cut) {
  onto <- seq_along(node_ids(fit))
  parent <- node_parent(fit)
  for (node in onto[-1]) if (onto[parent[node]] %in% cut) onto[node] <- onto[parent[node]]
  onto
}

set_certificate <- function(fit, certificate) {
  fit$certificate <- certificate
  fit
}

set_call <- function(fit, call) {
  fit$call <- call
  fit
}

# Is it proven that no tree costs less, and no smaller one as much? Where costs were rounded, a
# better tree may be hidden.
is_smallest <- function(fit) {
  proof <- tree_proof(fit)
  proof$status == "optimal" && proof$gap == 0 && !is_of_any_size(tree_settings(fit))
}

# The same tree at another complexity, and what is proven there: a bound and, where that is known
# with more digits than a difference of costs has, the gap. The history of its search, and its
# certificate, were at the old one.
at_complexity <- function(fit, complexity, bound, status, gap = NULL) {
  fit$control$complexity <- complexity
  fit$cost <- fit$objective + complexity * tree_unit(fit) * tree_splits(fit)
  fit$bound <- min(bound, fit$cost)
  fit$status <- status
  fit$gap <- if (is.null(gap)) fit$cost - fit$bound else gap
  fit[c("history", "certificate")] <- NULL
  validate_model(fit)
}

# ---- as rpart has it -----------------------------------------------------------------------------

# The parts of the fit that an object of rpart has as they are, for as.rpart().
rpart_parts <- function(fit) {
  columns <- c("var", "n", "wt", "dev", "yval", if (predicts_classes(fit)) "yval2")
  list(frame = fit$frame[columns], splits = fit$splits, csplit = fit$csplit,
       ordered = fit$ordered)
}
