# summary(): how good the tree is, class by class, on its training rows. Everything comes from the
# class counts of the leaves, so no data is needed.

#' Print and summarise an optimal tree
#'
#' `summary()` summarises the predictions of the tree on its training rows, what was proven about
#' it, and the counters of the search. The figures refer to the rows that the tree was fitted to and
#' are optimistic; expect more errors on other rows. [contree_accuracy()] gives the same figures for
#' a test set, with a confidence interval, and [contree_cv()] cross-validates.
#'
#' @order 1
#' @section Counters of the search:
#' The element `search` counts the steps of the search and, with the name of the rule in
#' parentheses, what each of its bounds and rules saved. None of them changes the cost of the tree;
#' `vignette("proof")` explains the most important ones. Sources: \[C\] is ConTree (Brita, van der
#' Linden and Demirovic, AAAI-25), \[M\] the branch-and-bound of MurTree (Demirovic et al., JMLR
#' 2022); the others are of this package.
#'
#' * Work done: `nodes` and `depth two`, row sets for which a root split was searched, with three or
#'   more levels left and with two; `thresholds` evaluated as root splits, and `thresholds at depth
#'   two` among them; `roots counted` (triples), thresholds whose sides were solved by counting
#'   rows, where the predictors have few values; `scans` of child features at depth two, and
#'   `blocks` of 16 or 32 rows in them; `planes built`, predictors with bit tables; `device batches`
#'   and `device thresholds`, on a GPU; `row sets shared` with idle threads.
#' * Bounds between neighbouring thresholds: `intervals closed` (interval) because the smaller sides
#'   at both ends cost too much \[C\], and `intervals closed crossed` (crossed) by the larger sides
#'   less the rows between; `thresholds skipped` (neighbour), since one close to a bad one is bad
#'   too \[C\] \[M\]; `sides capped` (caps), stopped at an upper bound \[C\] \[M\]; `child features
#'   skipped` (child features) by their errors at neighbouring thresholds; `root features skipped`
#'   (root features) by what was proven of a neighbouring row set; `cache hits` (the bound cache),
#'   row sets closed by bounds of sets that contain them or are contained in them (equal sets only
#'   in \[M\]).
#' * Within a scan: `blocks refined` (blocks), scanned row by row; `classes dropped` (active
#'   classes) that no good split can predict; `closed by class counts` (class counts), since a few
#'   leaves are right about a few classes at most; `planes spared` (dyadic), bit planes that were
#'   not read.
#' * Order of the search: `ends` (ends), row sets solved with one level less first; `hints` (hints),
#'   row sets begun with the tree of a neighbour; `medians` (medians) evaluated before any predictor
#'   was searched; `put off` (ties), intervals with equally good trees at most, searched last; `some
#'   rows` (some rows), searches of some of the rows for the smallest tree without errors; `early
#'   bounds` (early bounds), proven apart; `lower price` (lower price), 1 where trees of more than
#'   four leaves were searched by themselves with a lower `complexity`; `layouts` (compaction),
#'   small row sets copied to contiguous memory.
#'
#' @param object,x A fit of [contree()]; for `print()` also its summary.
#' @param ... Not used.
#' @return `summary()`: a list of class `summary.contree`: `call`; `n`; `accuracy` (proportion of
#'   training rows classified correctly); `confusion` (table with the true classes in rows and the
#'   predicted classes in columns); `classes` (data frame with one row for each class: `n`,
#'   `predicted`, `recall`, `precision`; `NaN` if a class does not occur or is never predicted);
#'   `variable.importance` (decrease of the Gini impurity by predictor); `importance` (data frame,
#'   see [contree_importance()]); `leaves`, `depth` (of the tree found); `objective`, `cost`,
#'   `bound`, `gap`, `status`, `elapsed`; `search` (named counters). A regression tree has
#'   `deviance` (its sum of squared errors), `r.squared` and `rmse` (root mean squared error) in
#'   place of `accuracy`, `confusion` and `classes`. It has a `print()` method.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' s <- summary(fit)
#' s
#' s$classes
#' @name summary.contree
#' @export
summary.contree_model <- function(object, ...) {
  check_fit(object, "object")
  structure(
    c(list(call = tree_call(object), n = node_n(object)[1]), training_figures(object),
      list(variable.importance = tree_importance(object), importance = contree_importance(object),
           leaves = sum(node_is_leaf(object)), depth = max(node_depth(object)),
           proof = proof_line(object)),
      if (has_proof(object)) tree_proof(object)),
    class = "summary.contree")
}

# How the tree does on its training rows: classes by name, numbers by what is left of their
# deviance.
training_figures <- function(fit) {
  if (!predicts_classes(fit)) {
    deviance <- sum(node_errors(fit)[node_is_leaf(fit)])
    return(list(deviance = deviance, r.squared = 1 - deviance / total_squares(fit),
                rmse = sqrt(deviance / tree_weight(fit))))
  }
  confusion <- training_confusion(fit)
  list(accuracy = sum(diag(confusion)) / sum(confusion), confusion = confusion,
       classes = class_figures(confusion))
}

# About the mean; of linear models the root's own model is no such thing.
total_squares <- function(fit) {
  y <- tree_y(fit)
  if (tree_leaf(fit) != "linear" || is.null(y)) return(node_errors(fit)[1])
  if (!is.null(fit$offset)) y <- y - fit$offset
  w <- tree_row_weights(fit)
  if (is.null(w)) w <- rep(1, length(y))
  sum(w * (y - sum(w * y) / sum(w))^2)
}

# True classes in rows, predicted classes in columns.
training_confusion <- function(fit) {
  leaf <- node_is_leaf(fit)
  classes <- tree_classes(fit)
  predicted <- outer(as.integer(node_class(fit)[leaf]), seq_along(classes), `==`)
  counts <- crossprod(node_counts(fit)[leaf, , drop = FALSE], predicted)
  as.table(structure(counts, dimnames = list(truth = classes, predicted = classes)))
}

#' @param digits Number of significant digits, of a tree those of thresholds and proportions, a
#'   whole number; by default the option `digits`, for a summary 3 less, at least 3.
#' @rdname summary.contree
#' @export
print.summary.contree <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  cat(gettext("Call:"), deparse(x$call), sep = "\n")
  cat("\nn= ", x$n, "\n", x$proof, "\n", sep = "")
  if (is.null(x$confusion)) say_deviance(x, digits) else say_classes(x, digits)
  if (nrow(x$importance)) {
    cat("\n")
    print(x$importance, digits = digits)
  }
  invisible(x)
}

say_classes <- function(x, digits) {
  cat("\n")
  print_confusion(gettext("Training rows by true and predicted class:"), x$confusion, x$classes,
                  digits)
  cat("\n", gettextf("Accuracy on the training rows: %s", format(x$accuracy, digits = digits)),
      "\n", sep = "")
  say(gettext(
    "(which is optimistic; for other rows see contree_cv() and contree_accuracy())"))
}

say_deviance <- function(x, digits) {
  cat("\n", gettextf("Deviance on the training rows: %s, %s%% of it explained",
                     format(x$deviance, digits = digits),
                     format(100 * x$r.squared, digits = digits)), "\n", sep = "")
  if (is.null(x$status)) return(invisible())
  cat(gettextf("Root mean squared error: %s", format(x$rmse, digits = digits)), "\n", sep = "")
  say(gettext("(which is optimistic; for other rows see contree_cv())"))
}
