# summary(): how good the tree is, class by class, on its training rows. Everything comes from the class counts of the
# leaves, so no data is needed.

#' Summarise an optimal tree
#'
#' What the tree gets right and wrong on its training rows, what is proven about it, and the counters of the search. The
#' figures describe the rows the tree was fitted to, where an optimal tree is at its best; expect worse on others.
#'
#' @param object A fit of [contree()].
#' @param ... Not used.
#' @return A list of class `summary.contree`: `call`; `n`; `accuracy` (share of training rows classified correctly);
#'   `confusion` (table, rows are the true and columns the predicted classes); `classes` (data frame, one row a class: `n`,
#'   `predicted`, `recall`, `precision`; `NaN` where a class is never there or never predicted); `variable.importance`;
#'   `leaves`, `depth` (of the tree as it is); `objective`, `cost`, `bound`, `gap`, `status`, `elapsed`; `search` (named
#'   counters). It has a `print` method.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' s <- summary(fit)
#' s
#' s$classes
#' @export
summary.contree <- function(object, ...) {
  confusion <- confusion_table(object)
  classes <- data.frame(n = rowSums(confusion), predicted = colSums(confusion),
                        recall = diag(confusion) / rowSums(confusion), precision = diag(confusion) / colSums(confusion),
                        row.names = tree_classes(object))
  structure(
    c(list(call = tree_call(object), n = node_n(object)[1], accuracy = sum(diag(confusion)) / sum(confusion),
           confusion = confusion, classes = classes, variable.importance = tree_importance(object),
           leaves = sum(node_is_leaf(object)), depth = max(node_depth(object)), proof = proof_line(object)),
      tree_proof(object)),
    class = "summary.contree")
}

# True classes in rows, predicted classes in columns.
confusion_table <- function(fit) {
  leaf <- node_is_leaf(fit)
  classes <- tree_classes(fit)
  predicted <- outer(as.integer(node_class(fit)[leaf]), seq_along(classes), `==`)
  counts <- crossprod(node_counts(fit)[leaf, , drop = FALSE], predicted)
  as.table(structure(counts, dimnames = list(truth = classes, predicted = classes)))
}

#' @param x A summary as made by `summary()`.
#' @param digits Significant digits.
#' @rdname summary.contree
#' @export
print.summary.contree <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(gettext("Call:"), deparse(x$call), sep = "\n")
  cat("\nn= ", x$n, "\n", x$proof, "\n", sep = "")
  cat("\n", gettext("Training rows by true and predicted class:"), "\n", sep = "")
  print(x$confusion)
  cat("\n")
  print(format(x$classes, digits = digits))
  cat("\n", gettextf("Accuracy on the training rows: %s", format(x$accuracy, digits = digits)), "\n", sep = "")
  if (length(x$variable.importance)) {
    cat("\n", gettext("Errors saved by variable:"), "\n", sep = "")
    print(x$variable.importance)
  }
  invisible(x)
}
