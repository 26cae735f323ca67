# summary(): how good the tree is, class by class, on its training rows. Everything comes from the
# class counts of the leaves, so no data is needed.

#' Summarise an optimal tree
#'
#' What the tree gets right and wrong on its training rows, what is proven about it, and the
#' counters of the search. The figures describe the rows the tree was fitted to, where an optimal
#' tree is at its best; expect worse on others. [contree_accuracy()] gives the same figures for a
#' test set, with an interval, and [contree_cv()] cross-validates.
#'
#' @section Counters of the search:
#' The element `search` says what the search did and what each of its bounds and shortcuts saved.
#' None of them changes the cost of the tree; `vignette("proof")` explains the most important ones.
#' Their sources: \[C\] is ConTree (Brita, van der Linden and Demirovic, AAAI-25), \[M\] the
#' branch-and-bound on trees of MurTree (Demirovic et al., JMLR 2022), and the others are of this
#' package.
#'
#' Work done:
#' \describe{
#'   \item{`nodes`, `depth two`}{row sets whose root split was searched: with three levels or more
#'     left, and with two.}
#'   \item{`thresholds`, `thresholds at depth two`}{thresholds evaluated as root splits, and those
#'     of them with two levels left.}
#'   \item{`scans`}{child features scanned for a threshold at depth two.}
#'   \item{`blocks`}{blocks of 16 or 32 rows in these scans.}
#'   \item{`planes built`}{predictors for which the tables of bits were made.}
#'   \item{`device batches`, `device thresholds`}{batches of thresholds that a GPU evaluated, and
#'     thresholds in these; see `device` in [contree_control()].}
#'   \item{`row sets shared`}{row sets below the root where threads that had nothing to do there
#'     came to help.}
#' }
#'
#' Bounds between neighbouring thresholds, by the shortcut they count for:
#' \describe{
#'   \item{`intervals closed` (interval)}{intervals of thresholds closed because the smaller sides
#'     at both ends already cost too much: sub-interval pruning \[C\].}
#'   \item{`intervals closed crossed` (crossed)}{intervals closed by the larger sides less the rows
#'     between: the same with the ends' sides exchanged.}
#'   \item{`thresholds skipped` (neighbour)}{rows by which intervals were narrowed, since a
#'     threshold near to a bad one is bad: neighbourhood pruning and interval shrinking \[C\],
#'     similarity bound \[M\].}
#'   \item{`sides capped` (caps)}{sides of a threshold that were solved only as far as they can
#'     matter: upper bounds \[C\] \[M\].}
#'   \item{`child features skipped` (child features)}{scans avoided by the errors of the same
#'     feature at neighbouring thresholds.}
#'   \item{`root features skipped` (root features)}{root features closed by what a neighbouring row
#'     set has proven of them.}
#'   \item{`cache hits` (the bound cache)}{row sets behind several splits closed by what was proven
#'     of others that contain them or are contained in them; in place of the cache of \[M\], which
#'     knows equal sets only.}
#' }
#'
#' Within a scan:
#' \describe{
#'   \item{`blocks refined` (blocks)}{blocks that had to be looked into, counted for each side; the
#'     others were passed over by the counts at their ends.}
#'   \item{`classes dropped` (active classes)}{classes that were not counted since no good split can
#'     name them, summed over the thresholds.}
#'   \item{`closed by class counts` (class counts)}{thresholds closed because few leaves can be
#'     right on few classes only.}
#'   \item{`planes spared` (dyadic)}{bit planes not read, because thresholds are chosen with many
#'     trailing zeros.}
#' }
#'
#' Order of the search:
#' \describe{
#'   \item{`ends` (ends)}{row sets solved one level less deep, which bounds thresholds near either
#'     end of a feature; with three classes or more.}
#'   \item{`hints` (hints)}{row sets whose search began with the tree of a neighbour.}
#'   \item{`medians` (medians)}{medians of predictors that were tried before any predictor was
#'     searched.}
#'   \item{`put off` (ties)}{intervals that could hold trees as good as the best one alone, searched
#'     last.}
#'   \item{`layouts` (compaction)}{small row sets copied to a layout of their own.}
#' }
#'
#' @param object A fit of [contree()].
#' @param ... Not used.
#' @return A list of class `summary.contree`: `call`; `n`; `accuracy` (proportion of training rows
#'   classified correctly); `confusion` (table, rows are the true and columns the predicted
#'   classes); `classes` (data frame, one row a class: `n`, `predicted`, `recall`, `precision`;
#'   `NaN` where a class is never there or never predicted); `variable.importance` (decrease of the
#'   Gini impurity by predictor); `importance` (data frame, see [contree_importance()]); `leaves`,
#'   `depth` (of the tree as it is); `objective`, `cost`, `bound`, `gap`, `status`, `elapsed`;
#'   `search` (named counters). A regression tree has `deviance` (its sum of squared errors),
#'   `r.squared` and `rmse` (the root of their mean) in place of `accuracy`, `confusion` and
#'   `classes`. It has a `print` method.
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

#' @param x A summary as made by `summary()`.
#' @param digits Significant digits.
#' @rdname summary.contree
#' @export
print.summary.contree <- function(x, digits = max(3, getOption("digits") - 3), ...) {
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
    "(an optimal tree is at its best there; for others see contree_cv() and contree_accuracy())"))
}

say_deviance <- function(x, digits) {
  cat("\n", gettextf("Deviance on the training rows: %s, %s%% of it explained",
                     format(x$deviance, digits = digits),
                     format(100 * x$r.squared, digits = digits)), "\n", sep = "")
  if (is.null(x$status)) return(invisible())
  cat(gettextf("Root mean squared error: %s", format(x$rmse, digits = digits)), "\n", sep = "")
  say(gettext("(an optimal tree is at its best on these rows; for others see contree_cv())"))
}
