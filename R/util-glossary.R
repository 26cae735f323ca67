# The glossary, a help page without code.

#' Glossary
#'
#' The terms that the help pages and vignettes of the package use, in alphabetical order.
#'
#' \describe{
#'   \item{AUC}{The area under a ROC curve: the probability that a row of a class is given a higher
#'     probability of that class than a row of another class. See [contree_accuracy()].}
#'   \item{bound}{A proven lower bound of the cost of every tree that the search allows. When it
#'     reaches the cost of a known tree, that tree is optimal.}
#'   \item{Brier score}{The mean squared difference between predicted probabilities and observed
#'     classes.}
#'   \item{certificate}{A record of a search from which its bound can be proven again without it;
#'     see [contree_certify()].}
#'   \item{class proportion}{The proportion of the training rows of a node that belong to a class.
#'     The class proportions of its leaf are the predicted probabilities of a row.}
#'   \item{complexity}{The complexity penalty: the cost of a split as a proportion of the training
#'     rows. With `complexity = 0.01` a split must save at least one row in a hundred. The `cp` of
#'     `rpart` is the same penalty as a proportion of the errors of the root.}
#'   \item{cost}{What a search minimises: the misclassified rows, or the sum of weight times loss,
#'     plus the complexity penalty of all splits.}
#'   \item{cross-validation}{For each fold in turn, fitting to all rows except those of the fold and
#'     counting the errors on the fold; see [contree_cv()].}
#'   \item{depth}{The largest number of splits between the root and a leaf; a single leaf has depth
#'     0.}
#'   \item{error}{A misclassified row. The training error is the proportion of misclassified
#'     training rows.}
#'   \item{fold}{One of the parts into which cross-validation divides the rows.}
#'   \item{gap}{The optimality gap: the cost of the tree less the proven bound, which is the most by
#'     which another tree can be cheaper. A gap of 0 proves that the tree is optimal.}
#'   \item{leaf}{A node without a split. It predicts one class (or a number, or a linear model) for
#'     all rows that reach it.}
#'   \item{loss}{The cost of predicting one class for a row of another; 1 unless `loss` or
#'     `class_weights` are given.}
#'   \item{missing value}{`NA` or `NaN` in a predictor. Each split sends missing values to one side,
#'     which the search chooses together with the split.}
#'   \item{node number}{The root is 1, the children of node k are 2k (left) and 2k + 1 (right).}
#'   \item{one-standard-error rule}{Choosing the simplest tree whose cross-validated error is within
#'     one standard error of the lowest.}
#'   \item{optimal}{Of all trees that the search allows, none has a lower cost, and none with fewer
#'     leaves has the same cost. Optimality refers to the training rows.}
#'   \item{path}{The conditions from the root to a leaf; or, of [contree_path()], the optimal trees
#'     for all complexities.}
#'   \item{pruning}{Removing subtrees; see [prune()]. Within a search: skipping what cannot improve
#'     the best tree.}
#'   \item{ROC curve}{The true positive rate against the false positive rate, over all thresholds of
#'     the predicted probability.}
#'   \item{rule}{The conditions that lead to a leaf, as R code; see [contree_rules()].}
#'   \item{split}{A test of one predictor that sends a row to the left or the right child: less than
#'     a threshold, or one of a set of levels.}
#'   \item{stability}{How often predictors, splits and predictions recur in bootstrap samples; see
#'     [contree_stability()].}
#'   \item{status}{Why a search ended: `"optimal"`, or the limit that stopped it.}
#'   \item{threshold}{The number at which a split divides the values of a predictor.}
#'   \item{weight}{How much a row counts in the cost and in the class proportions.}
#' }
#' @name contree_glossary
#' @aliases glossary
#' @seealso [contree()], `vignette("contree")`
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' c(cost = fit$cost, bound = fit$bound, gap = fit$gap)
NULL
