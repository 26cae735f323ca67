# tidy(), glance(), augment(): a tree in data frames, by the conventions of the package generics.

#' A tree in tidy data frames
#'
#' Methods for the functions of the package `generics` (which `broom` and `tidymodels` export as
#' well): `tidy()` describes the nodes, `glance()` the whole tree, and `augment()` adds predictions
#' to data.
#'
#' @param x A fit of [contree()].
#' @param data Data to add the predictions to: the training rows, found as by
#'   [model.frame()] if they are not given.
#' @param newdata New data to add the predictions to instead.
#' @param ... Not used.
#' @return `tidy()`: a data frame with one row a node, as [as.data.frame.contree()] gives, and
#'   `rule`, the conditions that lead to it.
#'
#'   `glance()`: a data frame of one row: `nobs`, `depth`, `leaves`, `accuracy` (on the training
#'   rows), `objective`, `cost`, `bound`, `gap`, `status` and `elapsed`, see [contree.object].
#'
#'   `augment()`: the data with the columns `.pred_class` (factor), one column `.prob_` for each
#'   class, and `.node`, the number of the leaf.
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
  check_fit(x, "x")
  figures <- training_figures(x)
  size <- data.frame(nobs = node_n(x)[1], depth = max(node_depth(x)), leaves = sum(node_is_leaf(x)),
                     figures[names(figures) %in% c("accuracy", "deviance", "r.squared")])
  if (!has_proof(x)) return(size)
  data.frame(size, tree_proof(x)[c("objective", "cost", "bound", "gap", "status", "elapsed")])
}

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.contree_model <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  if (is.null(newdata)) newdata <- if (is.null(data)) stats::model.frame(x) else data
  added <- if (predicts_classes(x)) augment_classes(x, newdata) else augment_numbers(x, newdata)
  added$.node <- unname(stats::predict(x, newdata, type = "node"))
  newdata[names(added)] <- added
  newdata
}

augment_classes <- function(fit, newdata) {
  proportions <- as.data.frame(stats::predict(fit, newdata, type = "prob"))
  names(proportions) <- paste0(".prob_", tree_classes(fit))
  data.frame(.pred_class = unname(stats::predict(fit, newdata)), proportions, check.names = FALSE)
}

augment_numbers <- function(fit, newdata) {
  numbers <- as.data.frame(stats::predict(fit, newdata), optional = TRUE)
  stats::setNames(numbers,
                  if (tree_leaf(fit) == "numbers") paste0(".pred_", names(numbers)) else ".pred")
}
