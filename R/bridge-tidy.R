# tidy(), glance(), augment(): a tree in data frames, by the conventions of the package generics.

#' A tree in tidy data frames
#'
#' Methods for the functions of the package `generics` (which `broom` and `tidymodels` export as well): `tidy()` describes
#' the nodes, `glance()` the whole tree, and `augment()` adds predictions to data.
#'
#' @param x A fit of [contree()].
#' @param data Data to add the predictions to: the training rows, found as by [model.frame.contree()] if they are not given.
#' @param newdata New data to add the predictions to instead.
#' @param ... Not used.
#' @return `tidy()`: a data frame with one row a node, as [as.data.frame.contree()] gives, and `rule`, the
#'   conditions that lead to it.
#'
#'   `glance()`: a data frame of one row: `nobs`, `depth`, `leaves`, `accuracy` (on the training rows), `objective`, `cost`,
#'   `bound`, `gap`, `status` and `elapsed`, see [contree.object].
#'
#'   `augment()`: the data with the columns `.pred_class` (factor), one column `.prob_` for each class, and `.node`, the
#'   number of the leaf.
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' generics::tidy(fit)[c("node", "rule", "n", "class")]
#' generics::glance(fit)
#' head(generics::augment(fit, newdata = iris), 3)
#' @name tidy.contree
NULL

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_model <- function(x, ...) {
  check_no_dots(...)
  data.frame(as.data.frame(x), rule = leaf_rules(x, getOption("digits")), check.names = FALSE)
}

#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.contree_model <- function(x, ...) {
  check_no_dots(...)
  proof <- tree_proof(check_fit(x, "x"))
  leaf <- node_is_leaf(x)
  counts <- node_counts(x)
  right <- counts[cbind(seq_along(leaf), as.integer(node_class(x)))]
  data.frame(nobs = node_n(x)[1], depth = max(node_depth(x)), leaves = sum(leaf),
             accuracy = sum(right[leaf]) / sum(counts[1, ]),
             proof[c("objective", "cost", "bound", "gap", "status", "elapsed")])
}

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.contree_model <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  if (is.null(newdata)) newdata <- if (is.null(data)) stats::model.frame(x) else data
  shares <- as.data.frame(stats::predict(x, newdata, type = "prob"))
  names(shares) <- paste0(".prob_", tree_classes(x))
  added <- data.frame(.pred_class = unname(stats::predict(x, newdata)), shares,
                      .node = unname(stats::predict(x, newdata, type = "node")), check.names = FALSE)
  newdata[names(added)] <- added
  newdata
}
