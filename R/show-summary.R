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
#' The element `search` counts the steps of the search and what each of its bounds and pruning rules
#' saved. None of them changes the cost of the tree; `vignette("proof")` explains the most important
#' ones. Sources: \[C\] is ConTree (Brita, van der Linden and Demirovic, AAAI-25), \[M\] the
#' branch-and-bound of MurTree (Demirovic et al., JMLR 2022); the others are of this package.
#'
#' Work done:
#' \describe{
#'   \item{`nodes`, `depth two`}{row sets for which a root split was searched: with three or more
#'     levels left, and with two.}
#'   \item{`thresholds`, `thresholds at depth two`}{thresholds evaluated as root splits, and how
#'     many of them with two levels left.}
#'   \item{`roots counted` (triples)}{thresholds whose two sides were solved by counting the rows of
#'     triples of thresholds, or adding up their responses, where the predictors have few values.}
#'   \item{`scans`}{child features scanned for a threshold at depth two.}
#'   \item{`blocks`}{blocks of 16 or 32 rows in these scans.}
#'   \item{`planes built`}{predictors for which bit tables were made.}
#'   \item{`device batches`, `device thresholds`}{batches of thresholds evaluated on a GPU, and the
#'     thresholds in them; see `device` in [contree_control()].}
#'   \item{`row sets shared`}{row sets below the root that idle threads helped to search.}
#' }
#'
#' Bounds between neighbouring thresholds, with the name of the pruning rule in parentheses:
#' \describe{
#'   \item{`intervals closed` (interval)}{intervals of thresholds excluded because the smaller sides
#'     at both ends already cost too much: sub-interval pruning \[C\].}
#'   \item{`intervals closed crossed` (crossed)}{intervals excluded by the larger sides less the
#'     rows between: the same with the sides of the two ends exchanged.}
#'   \item{`thresholds skipped` (neighbour)}{rows by which intervals were narrowed, since a
#'     threshold close to a bad one is bad too: neighbourhood pruning and interval shrinking \[C\],
#'     similarity bound \[M\].}
#'   \item{`sides capped` (caps)}{sides of a threshold whose search was stopped when its cost
#'     exceeded what could matter: upper bounds \[C\] \[M\].}
#'   \item{`child features skipped` (child features)}{scans avoided by the errors of the same
#'     feature at neighbouring thresholds.}
#'   \item{`root features skipped` (root features)}{root features excluded by what was proven of
#'     them for a neighbouring row set.}
#'   \item{`cache hits` (the bound cache)}{row sets behind several splits that were closed by proven
#'     bounds of row sets that contain them or are contained in them; the cache of \[M\] recognises
#'     equal sets only.}
#' }
#'
#' Within a scan:
#' \describe{
#'   \item{`blocks refined` (blocks)}{blocks that had to be scanned row by row, counted for each
#'     side; the others were excluded by the counts at their ends.}
#'   \item{`classes dropped` (active classes)}{classes that were not counted because no good split
#'     can predict them, summed over the thresholds.}
#'   \item{`closed by class counts` (class counts)}{thresholds excluded because a few leaves can be
#'     right about only a few classes.}
#'   \item{`planes spared` (dyadic)}{bit planes that were not read because the indices of thresholds
#'     were chosen with many trailing zero bits.}
#' }
#'
#' Order of the search:
#' \describe{
#'   \item{`ends` (ends)}{row sets that were first solved with one level less, which bounds
#'     thresholds near either end of a feature; with three or more classes.}
#'   \item{`hints` (hints)}{row sets whose search started from the tree of a neighbouring row set.}
#'   \item{`medians` (medians)}{medians of predictors that were evaluated before any predictor was
#'     searched.}
#'   \item{`put off` (ties)}{intervals that can only contain trees as good as the best one, searched
#'     last.}
#'   \item{`some rows` (some rows)}{where a tree without errors is known, searches of
#'     some of the rows for the smallest one.}
#'   \item{`early bounds` (early bounds)}{lower bounds that were proven apart, since the search had
#'     none for long.}
#'   \item{`lower price` (lower price)}{1 where trees of up to four leaves were searched by
#'     themselves, and larger ones with a lower `complexity`, which proves what they cost at least
#'     sooner.}
#'   \item{`layouts` (compaction)}{small row sets that were copied to contiguous memory.}
#' }
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
