# The tree: how the object is made, what must hold of it, and the only ways to read it. Everything
# behind this file (predict, print, plot, rules) asks the accessors and never looks inside, so that
# other growers can share it.
#
# A node is known by its row in `frame` (preorder: a node, its left subtree, its right subtree) and
# by its heap id (the root is 1, the children of k are 2k and 2k + 1), which is what users see.

leaf_mark <- "<leaf>"
fit_format <- 3L

#' Fitted tree object
#'
#' A list of class `contree` and `contree_model`, the class of all single trees of this package
#' (those of several trees have class `contree_ensemble`), with a structure similar to
#' `rpart.object`. Except for the workspace or a namespace (which are saved by name) it holds no
#' environments: functions and constants of the formula that are local to the function that called
#' [contree()] are copied, up to 1 MB each. It holds no pointers and, unless it was made with `model
#' = TRUE`, no training data except the response and the weights of the rows. It can be saved with
#' [saveRDS()] and read in another session.
#'
#' A row goes to the left child of a split if its value is *less than* the threshold, or if its
#' level is one of those on the left. A missing value goes where `default_left` says, which the
#' search has found together with the split; at a split without missing training rows this is the
#' child with more training rows. Levels that did not occur among the training rows of the node go
#' to that child too.
#'
#' @format A list of
#' \describe{
#'   \item{frame}{data frame with one row for each node, in preorder; the row names are the node
#'     numbers (the root is 1, the children of node k are 2k and 2k + 1). `var`: the predictor that
#'     splits the node, or `"<leaf>"`; `n`: number of training rows; `wt`: sum of their weights;
#'     `dev`: misclassified training rows (weight times loss) if the node were a leaf, or for a
#'     numeric response the sum of squares about the mean; `yval`: its class, as an index into
#'     `ylevels`, or that mean; `default_left`: whether missing values go left, `NA` in leaves;
#'     `yval2` (not for a numeric response): matrix of the class index, the class counts, the class
#'     proportions, and the proportion of all rows that reach the node.}
#'   \item{splits}{matrix with one row for each split, in the order of `frame`, named by predictor:
#'     `count`, rows of the node whose value is not missing; `improve`, decrease of the Gini
#'     impurity by the split, times the weight of its node, or decrease of the sum of squares;
#'     `adj`, 0. If `ncat` is -1, values less than the threshold `index` go left: `Inf` separates
#'     all values (left) from the missing ones, `-Inf` the missing ones (left) from the values; for
#'     ordered factors the threshold refers to the numbers of the levels, for dates and times to
#'     their numeric values in R. Otherwise `ncat` is the number of levels of a factor and `index` a
#'     row of `csplit`.}
#'   \item{csplit}{integer matrix with one row for each split by levels and one column for each
#'     level: 1 goes left, 3 goes right, 2 did not occur among the training rows of the node. Absent
#'     if there is no such split.}
#'   \item{where}{integer vector, one element for each training row and named by it: the row of
#'     `frame` of its leaf.}
#'   \item{y}{one element for each training row: its class, an integer index into `ylevels`; or the
#'     numeric response.}
#'   \item{call, terms}{the call; the terms of the formula (absent for fits from x and y), with what
#'     they need of the caller's environment.}
#'   \item{control}{the settings, see [contree_control()], and the `depth`.}
#'   \item{objective}{misclassified training rows; with `weights` or `loss` the sum of weight times
#'     loss; for a numeric response the sum of (weight times) squared errors.}
#'   \item{loss, weighted}{the loss matrix, true classes in rows; whether there were row weights.
#'     Absent otherwise.}
#'   \item{weights}{numeric vector, the weight of each training row. Absent if all are 1.}
#'   \item{hash}{numeric vector, one element for each predictor: a hash of its training values, by
#'     which data that are given later are known as those of the fit. Absent for a
#'     [contree_table()].}
#'   \item{cost}{what was minimised: `objective` + complexity * n * number of splits, where n is the
#'     sum of the weights if there are any, and for a numeric response `dev` of the root. Sums of
#'     doubles in another order may differ in their last digit.}
#'   \item{bound, gap}{a proven lower bound of the cost of every tree of that depth; `cost - bound`.
#'     The gap of an `"optimal"` tree is 0, unless weights, losses or a numeric response had to be
#'     rounded: then it is what that may hide. (Sums of squares of a response that is not rounded
#'     are counted in steps; see [contree()].)}
#'   \item{status}{`"optimal"` if it is proven that no tree costs less and that no smaller tree
#'     costs as little; else `"gap reached"`, `"time limit"`, `"memory limit"` or `"interrupted"`,
#'     with a `gap` of 0 if only the size is not proven; `"pruned"` if [prune()] made a tree that is
#'     not known to be optimal; `"near-optimal"` for a tree of a [contree_set()] that costs more
#'     than the best one.}
#'   \item{rounding}{for a numeric response, the norm of the rounding errors of the search, see
#'     [contree()]; absent otherwise.}
#'   \item{counted}{for classes, what the search compares in place of sums of doubles: a list of
#'     `unit` and `nodes`, for each node `dev` as a whole number of units; where these are above
#'     2^53 only their multiples of 2^30, and in `rest` what is to be added. Absent where weights or
#'     losses had to be rounded.}
#'   \item{capped}{logical: did `max_thresholds` exclude thresholds? If so, the bound holds for
#'     trees without them.}
#'   \item{history}{data frame of the progress of the search: `time` in seconds, `cost` of the best
#'     tree, `bound`. See `plot(fit, what = "progress")`.}
#'   \item{certificate}{the certificate from which [contree_certify()] proves the bound; absent
#'     unless requested.}
#'   \item{search, simd, threads, device, elapsed}{named counters of the search, see
#'     [summary.contree()]; the vector instructions used; the number of threads that took part (1 if
#'     the search ended before others were started); `"cpu"`, or the GPU that was available, as in
#'     `"cuda:0"`; the elapsed time in seconds.}
#'   \item{variable.importance}{decrease of the Gini impurity (for a numeric response, of the sum of
#'     squares) summed over the splits on a predictor, in decreasing order, as in `rpart` without
#'     its surrogates; see [contree_importance()], which has the decrease of the errors as well.}
#'   \item{ylevels}{classes, in order, including those without training rows (which a leaf may
#'     predict if a `loss` makes them the cheapest).}
#'   \item{xlevels, ordered}{named list of the levels of factors and character predictors; for each
#'     predictor, whether it is an ordered factor.}
#'   \item{types, units}{the type of each predictor: `"numeric"`, `"integer"`, `"logical"`,
#'     `"Date"`, `"POSIXct"`, `"difftime"`, `"ordered"`, `"factor"` or `"character"`; named time
#'     zones and units of the predictors that have them.}
#'   \item{restricted}{names of the factors with too many levels to try every subset of them; absent
#'     if none. See [contree()].}
#'   \item{shape}{the structure required of new data: `inputs`, the columns needed, and `names`, the
#'     predictors.}
#'   \item{na.action}{rows left out because of missing values; absent if none.}
#'   \item{left_out}{of a fit to a [contree_table()], the number of rows left out because of missing
#'     values; absent if none. Such a fit has no vectors of the rows: `where` and `y` are empty.}
#'   \item{model}{the model frame; only with `model = TRUE`.}
#'   \item{leaf}{what the nodes predict: `"classes"` or, for a numeric response, `"number"`.}
#'   \item{format_version}{3. Objects of other formats are refused.}
#' }
#' Where possible, access it through [as.data.frame()][as.data.frame.contree], [contree_rules()],
#' [predict()][predict.contree] and similar functions, which remain the same when elements are added
#' to the list.
#' @section Fits from other sources:
#' Every function checks the fit it is given, and one that is not as [contree()] makes it is a
#' `contree_input_error` that names what is wrong. But the formula and the call in a fit are R code,
#' which [predict()][predict.contree] and [update()][update.contree] run, as in `y ~ log(x)`: read
#' files of [saveRDS()] only from sources you trust. A document of [as_json()] contains no code.
#' @name contree.object
#' @seealso [contree()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' fit$frame
#' fit$splits
#' c(errors = fit$objective, bound = fit$bound, gap = fit$gap)
NULL

# ---- making --------------------------------------------------------------------------------------

# The one constructor, for every grower.
#   nodes   in preorder, one element a node: `feature` (0 in leaves), `threshold`, `left`, `right`
#           (0 for none), `default_left`, `sides` and `missing` (see return_tree()), `n`, `weight`
#           and `errors` (what the node would cost as a leaf); `saved`, what a split takes off
#           these, where it is known with more digits than a difference of errors has
#   leaf    what nodes predict, see tree-leaf.R
#   data    what is known of the training data, see data-frame.R: `types`, `xlevels`, `units`,
#           `shape` and, where there are any, `terms` and `na.action`
#   ...     members that some growers know, such as the proof of an exact search; NULL is left out
#   class   of the kind of fit, before the class that all have
new_model <- function(nodes, leaf, data, call, ..., class = NULL) {
  table <- node_table(nodes, leaf, data$shape$names)
  splits <- split_table(nodes, table, leaf, data$xlevels)
  fit <- list(
    frame = table, splits = splits, csplit = level_table(nodes), ..., call = call,
    terms = data$terms,
    variable.importance = sum_by_variable(splits[, "improve"], rownames(splits)),
    leaf = leaf$kind, linear_terms = leaf$terms, ylevels = leaf$classes, xlevels = data$xlevels,
    ordered = data$types == "ordered", types = data$types, units = data$units, shape = data$shape,
    na.action = data$na.action, format_version = fit_format)
  structure(fit[!vapply(fit, is.null, NA)], class = c(class, "contree_model"))
}

# The fit of an exact search. `solved`: from return_tree(). `frame`: from data-frame.R. `control`:
# with depth. `restricted`: see data-derive.R.
new_contree <- function(solved, frame, control, call, restricted) {
  classes <- is_classes(frame)
  keeps <- is.null(frame$table) # of the rows of a table of a database the fit has no vectors
  has_weights <- !is.null(frame$weights) && !isTRUE(frame$table$unweighted)
  said <- if (classes) class_nodes(solved, frame) else number_nodes(solved)
  fit <- new_model(
    said$nodes, said$leaf, frame, call, class = "contree",
    where = stats::setNames(if (keeps) solved$where else integer(), frame$row_names),
    y = if (!keeps) integer() else if (classes) as.integer(frame$response) else frame$response,
    loss = frame$loss, weighted = if (has_weights) TRUE, weights = if (keeps) frame$weights,
    hash = frame$hash,
    left_out = frame$left_out,
    control = control,
    objective = solved$objective, cost = solved$cost, bound = solved$bound,
    gap = solved$cost - solved$bound, status = solved$status, capped = solved$capped,
    rounding = solved$grid_error, counted = counted_errors(solved),
    history = history_table(solved$history),
    search = solved$search, simd = solved$simd, threads = solved$threads, device = solved$device,
    elapsed = solved$elapsed,
    restricted = if (length(restricted)) restricted, model = if (control$model) frame$model)
  if (costs_differ(fit)) check_row_costs(fit, frame, solved$where)
  validate_model(fit)
}

# What the search found, with what new_model() wants of nodes, and their leaves: list(nodes, leaf).
class_nodes <- function(solved, frame) {
  classes <- levels(frame$response)
  searched <- searched_classes(frame)
  counts <- matrix(0, length(solved$feature), length(classes))
  counts[, searched] <- if (is.null(solved$weights)) solved$counts else solved$weights
  leaf <- class_leaves(classes, searched[solved$label], counts, frame$loss)
  solved$n <- rowSums(solved$counts)
  solved$weight <- rowSums(counts)
  solved$errors <- label_costs(counts, leaf$yval, frame$loss)
  list(nodes = solved, leaf = leaf)
}

number_nodes <- function(solved) {
  solved$errors <- solved$deviance
  list(nodes = solved, leaf = number_leaves(solved$value))
}

node_table <- function(nodes, leaf, names) {
  # data.frame() would take a fifth of the time of a small fit
  structure(class = "data.frame", row.names = heap_ids(nodes$left, nodes$right), c(list(
    var = c(leaf_mark, names)[nodes$feature + 1], n = as.integer(nodes$n), wt = nodes$weight,
    dev = nodes$errors, yval = leaf$yval,
    default_left = ifelse(nodes$feature > 0, nodes$default_left, NA)),
    if (!is.null(leaf$yval2)) list(yval2 = leaf$yval2)))
}

# What each node costs as a leaf in the integers that the search compares: list(unit, nodes, rest),
# `rest` only where doubles have not all digits of the integers; NULL where costs had to be rounded.
counted_errors <- function(solved) {
  counted <- solved$counted[c("unit", "nodes", "rest")]
  if (counted$unit == 0) return(NULL)
  counted[!vapply(counted, is.null, NA)]
}

# What nodes cost with these weights of the classes and these labels.
label_costs <- function(counts, label, loss) {
  if (!is.null(loss)) return(unname(rowSums(counts * t(loss)[label, , drop = FALSE])))
  # not all less the label's own, a difference of large sums in which small weights would be lost
  counts[cbind(seq_along(label), label)] <- 0
  rowSums(counts)
}

# One row a split: `index` is its threshold or, where it is by level (`ncat` levels), its row of the
# table of levels.
split_table <- function(nodes, table, leaf, xlevels) {
  split <- which(nodes$feature > 0)
  by_level <- lengths(nodes$sides[split]) > 0
  ncat <- rep(-1, length(split))
  # 1 would stand for a threshold in rpart; a factor of one level is split by whether it is missing
  ncat[by_level] <- pmax(2, lengths(xlevels[table$var[split[by_level]]]))
  index <- nodes$threshold[split]
  index[by_level] <- seq_len(sum(by_level))
  saved <- if (!is.null(nodes$saved)) nodes$saved else
    if (is.null(leaf$shares)) saved_by_splits(nodes$errors, nodes) else
      gini_saved(leaf$shares, nodes)
  structure(cbind(table$n[split] - nodes$missing[split], ncat, saved[split], index,
                  rep(0, length(split))),
            dimnames = list(table$var[split], c("count", "ncat", "improve", "index", "adj")))
}

# The sides of levels, one row a split by level; NULL if there is none.
level_table <- function(nodes) {
  sides <- nodes$sides[lengths(nodes$sides) > 0]
  if (length(sides) == 0) return(NULL)
  table <- matrix(2L, length(sides), max(2, lengths(sides)))
  for (i in seq_along(sides)) table[i, seq_along(sides[[i]])] <- sides[[i]]
  table
}

# What classes (columns) count for in nodes: their weights. As in rpart, a class counts by what
# errors in it cost altogether, and all classes together for as much as the rows of the tree.
class_shares <- function(counts, loss) {
  class_cost <- if (is.null(loss)) rep(1, ncol(counts)) else rowSums(loss)
  total <- sum(counts[1, ] * class_cost)
  if (!total > 0) return(counts)
  counts * rep(class_cost * sum(counts[1, ]) / total, each = nrow(counts))
}

# What each split takes off the Gini impurity of its node times what that weighs, 0 in leaves. With
# the weights l and r of a class on both sides, and L and R of the others, that is the sum over the
# classes of (l R - r L)^2, over the product of the weights of both sides and their sum: differences
# of large impurities would lose the classes of little weight.
gini_saved <- function(shares, children) {
  saved <- numeric(nrow(shares))
  split <- which(children$left > 0)
  left <- shares[children$left[split], , drop = FALSE]
  right <- shares[children$right[split], , drop = FALSE]
  weight_left <- rowSums(left)
  weight_right <- rowSums(right)
  for (class in seq_len(ncol(shares))) {
    # shares of each side: products of weights may overflow
    off <- left[, class] / weight_left * (other_classes(right, class) / weight_right) -
      right[, class] / weight_right * (other_classes(left, class) / weight_left)
    saved[split] <- saved[split] + off^2
  }
  saved[split] <- saved[split] * (weight_left / (weight_left + weight_right)) * weight_right
  replace(saved, is.nan(saved), 0) # of a side without weight
}

# The share of all other classes; with two classes, as most trees have, there is nothing to sum up.
other_classes <- function(shares, class) {
  if (ncol(shares) == 2) shares[, 3 - class] else rowSums(shares[, -class, drop = FALSE])
}

# What each split takes off an `amount` of its node, 0 in leaves. `children`: list(left, right),
# rows, 0 in leaves.
saved_by_splits <- function(amount, children) {
  saved <- numeric(length(amount))
  split <- children$left > 0
  saved[split] <- amount[split] - amount[children$left[split]] - amount[children$right[split]]
  pmax(0, saved) # what is below is of rounding
}

# Sums over the splits of each variable, the largest first.
sum_by_variable <- function(saved, variable) {
  variable <- as.character(variable)
  sums <- vapply(unique(variable), function(name) sum(saved[variable == name]), 0)
  sums[order(-sums, names(sums))] # sort() takes longer than all else here
}

# Level by level, from the root down.
heap_ids <- function(left, right) {
  id <- rep(1L, length(left))
  level <- 1L
  while (length(level <- level[left[level] > 0])) {
    id[left[level]] <- 2L * id[level]
    id[right[level]] <- 2L * id[level] + 1L
    level <- c(left[level], right[level])
  }
  id
}

# ---- checking ------------------------------------------------------------------------------------

is_model <- function(x) inherits(x, "contree_model")

# What must hold of every tree, whoever grew it. The counts were taken by C code that shares nothing
# with the search; here they must agree with each other, with the leaf of every row and with the
# reported objective.
validate_model <- function(fit) {
  wrong <- contradiction(fit)
  if (!is.null(wrong)) stop_internal(gettextf("The fitted tree fails its check that %s.", wrong))
  fit
}

# The first of these that does not hold, NULL if all do. A tree out of a document has no training
# rows.
contradiction <- function(fit) {
  fit <- unclass(fit) # of which `$` and `[[` look for no methods
  fit$frame <- unclass(fit$frame)
  leaf <- node_is_leaf(fit)
  n <- node_n(fit)
  child <- node_children(fit)
  splits <- !leaf
  rows <- length(tree_where(fit)) > 0
  holds <- c(
    "the nodes are a tree" = sum(leaf) == sum(splits) + 1 &&
      all(child$left[splits] > 0, child$right[splits] > 0),
    "children share the rows of their parent" = all(n[splits] == n[child$left[splits]] +
                                                    n[child$right[splits]]),
    "each row is in a leaf" = !rows || identical(tabulate(fit$where, length(n)),
                                                 ifelse(leaf, n, 0L)),
    if (has_proof(fit)) c(
      "the errors of the leaves add up to the objective" = is_objective(
        fit, sum(node_errors(fit)[leaf])) &&
        (is.null(fit$counted) || is_objective(fit, sum(counted_units(fit$counted, leaf)) *
                                                fit$counted$unit)),
      "the residuals add up to the objective" = !rows || costs_differ(fit) ||
        sum(fit$frame$yval[fit$where] != tree_y(fit)) == fit$objective,
      "the tree is not deeper than asked" = max(node_depth(fit)) <= fit$control$depth,
      "the cost is not below its bound" = min(fit$cost - fit$bound, fit$gap) >=
        -last_bits(n[1]) * fit$cost))
  if (!all(holds)) names(holds)[!holds][1]
}

# Not every error costs 1.
costs_differ <- function(fit) {
  !predicts_classes(fit) || !is.null(tree_loss(fit)) || tree_weighted(fit)
}

# Sums of weights, and of squares, are in doubles; they are of one sign. `off`: how far squares of
# rows may be off, since each double is.
is_objective <- function(fit, value, off = 0) {
  if (!costs_differ(fit)) return(value == fit$objective)
  is_same_sum(value, fit$objective, node_n(fit)[1], off)
}

# Whether two sums of the same numbers, n of at least 0, are equal but for the last bits of doubles.
is_same_sum <- function(a, b, n, off = 0) abs(a - b) <= last_bits(n) * pmax(abs(a), abs(b)) + off

last_bits <- function(n) (n + 64) * .Machine$double.eps

# Row by row from the data: weight times loss under the class of its leaf, or the squared error.
check_row_costs <- function(fit, frame, where) {
  said <- fit$frame$yval[where]
  costs <- if (is_classes(frame)) row_costs(frame$response, frame$weights, frame$loss, said)
           else squared_errors(frame, said)
  if (!is_objective(fit, sum(costs), if (is_classes(frame)) 0 else doubles_off(frame, said))) {
    stop_internal(gettext(
      "The fitted tree fails its check that the costs of the rows add up to the objective."))
  }
}

# How far a sum of squared errors may be off where each prediction is by its last two bits.
doubles_off <- function(frame, said) {
  ulp <- 4 * .Machine$double.eps * abs(said)
  off <- abs(frame$response - said)
  sum((row_weights(frame) * (2 * off + ulp) * ulp)[row_weights(frame) > 0])
}

# The leaves that the search gave the training rows must be those that the tree gives them, now that
# its splits are on the predictors again.
check_routes <- function(fit, columns) {
  if (!identical(route(fit, columns), unname(fit$where))) {
    stop_internal(gettext("The fitted tree fails its check that rows go to their leaves."))
  }
}

# ---- reading -------------------------------------------------------------------------------------

node_ids <- function(fit) as.integer(attr(fit$frame, "row.names"))
node_is_leaf <- function(fit) fit$frame$var == leaf_mark
node_variable <- function(fit) {
  variable <- fit$frame$var
  variable[variable == leaf_mark] <- NA # ifelse() takes three times as long
  variable
}
node_n <- function(fit) fit$frame$n
node_weight <- function(fit) fit$frame$wt
node_errors <- function(fit) fit$frame$dev
# What each split takes off the errors of its node, or their Gini impurity; 0 in leaves.
node_saved <- function(fit) {
  replace(numeric(length(node_ids(fit))), !node_is_leaf(fit), fit$splits[, "improve"])
}
node_default_left <- function(fit) fit$frame$default_left
node_depth <- function(fit) findInterval(node_ids(fit), 2^(0:30)) - 1L

# The class of each node, as a code and as a factor with all classes.
node_label <- function(fit) as.integer(fit$frame$yval)
node_class <- function(fit) class_factor(node_label(fit), fit$ylevels)

# Training rows, and their proportion, by node (rows) and class (columns).
node_counts <- function(fit) class_columns(fit, 0)

# `laplace` is added to the count of each class.
node_proportions <- function(fit, laplace = 0) {
  if (laplace == 0) return(class_columns(fit, length(fit$ylevels)))
  smoothed <- node_counts(fit) + laplace
  smoothed / rowSums(smoothed)
}

# The proportion of the class of each node.
class_proportion <- function(fit, laplace = 0) {
  node_proportions(fit, laplace)[cbind(seq_along(node_label(fit)), node_label(fit))]
}

class_columns <- function(fit, offset) {
  classes <- fit$ylevels
  structure(fit$frame$yval2[, 1 + offset + seq_along(classes), drop = FALSE],
            dimnames = list(row.names(fit$frame), classes))
}

# A column of the table of splits, one value a node, NA in leaves.
split_column <- function(fit, column) by_node(fit, fit$splits[, column])

by_node <- function(fit, of_splits) {
  leaf <- node_is_leaf(fit)
  value <- rep(NA_real_, length(leaf))
  value[!leaf] <- of_splits
  value
}

node_by_level <- function(fit) !node_is_leaf(fit) & split_column(fit, "ncat") > 1

# The threshold of each node; a value below it goes left. NA in leaves and at splits by level. Inf
# if the split parts all values (left) from the missing ones, -Inf if those are on the left. That of
# an ordered factor is on the codes of levels.
node_threshold <- function(fit) {
  index <- fit$splits[, "index"]
  index[fit$splits[, "ncat"] > 1] <- NA
  by_node(fit, index)
}

# For each node NULL or, at a split by level, the names of the levels: list(left, right, absent).
# The absent ones are of no training row of the node.
node_levels <- function(fit) {
  levels <- vector("list", nrow(fit$frame))
  row <- split_column(fit, "index")
  for (node in which(node_by_level(fit))) {
    names <- fit$xlevels[[fit$frame$var[node]]]
    side <- fit$csplit[row[node], seq_along(names)]
    levels[[node]] <- list(left = names[side == 1L], right = names[side == 3L],
                           absent = names[side == 2L])
  }
  levels
}

# Training rows of the node whose value of the splitting predictor is missing; 0 in leaves.
node_missing <- function(fit) ifelse(node_is_leaf(fit), 0, node_n(fit) - split_column(fit, "count"))

# Where a split sends what it has not learned: is the left child the larger one (or as large)? NA in
# leaves.
node_larger_left <- function(fit) {
  children <- lapply(node_children(fit), function(row) node_n(fit)[ifelse(row == 0L, NA, row)])
  children$left >= children$right
}

# Rows of the children and of the parent; 0 where there is none.
node_children <- function(fit) {
  ids <- node_ids(fit)
  list(left = match(2L * ids, ids, 0L), right = match(2L * ids + 1L, ids, 0L))
}

node_parent <- function(fit) {
  ids <- node_ids(fit)
  match(ids %/% 2L, ids, 0L)
}

# Does any split part levels of a factor?
tree_has_levels <- function(fit) !is.null(fit[["csplit"]])

tree_classes <- function(fit) fit$ylevels
tree_loss <- function(fit) fit$loss
tree_weighted <- function(fit) isTRUE(fit$weighted)

# One a training row; NULL if each counts 1. `$` would find "weighted".
tree_row_weights <- function(fit) fit[["weights"]]

# One number a predictor, of its training values; NULL in fits without training rows.
tree_hash <- function(fit) fit[["hash"]]

# What all training rows weigh.
tree_weight <- function(fit) fit$frame$wt[1]

# What `complexity` is a proportion of, as complexity_unit() has it of a frame.
tree_unit <- function(fit) if (predicts_classes(fit)) tree_weight(fit) else node_errors(fit)[1]
tree_splits <- function(fit) sum(!node_is_leaf(fit))

# What is kept of predictors: types (see data-columns.R); levels of factors, time zones and units,
# by name; the factors that may not be split by any set of levels.
tree_types <- function(fit) fit$types

# The types of some predictors, without names; NA for what is none, as leaves ask for.
types_of <- function(fit, variables) {
  at <- places_among(variables, names(fit$types))
  unname(fit$types)[replace(at, at == 0L, NA)]
}
tree_xlevels <- function(fit) fit$xlevels
tree_units <- function(fit) fit$units
tree_restricted <- function(fit) fit$restricted
tree_shape <- function(fit) fit$shape
tree_terms <- function(fit) fit$terms
tree_call <- function(fit) fit$call
tree_model <- function(fit) fit$model

# What the splits of each predictor save, the most important first: Gini impurity, or errors. Where
# leaves are no classes, errors are the only measure.
tree_importance <- function(fit, measure = c("gini", "errors")) {
  gini <- measure[1] == "gini" && predicts_classes(fit)
  saved <- if (gini) gini_saved(class_shares(node_counts(fit), tree_loss(fit)), node_children(fit))
  else if (predicts_classes(fit)) errors_saved(fit)
  else node_saved(fit)
  split <- !node_is_leaf(fit)
  sum_by_variable(saved[split], node_variable(fit)[split])
}

# What each split takes off the errors of its node: of a fit of contree() with all digits, which a
# difference of large errors has not.
errors_saved <- function(fit) {
  child <- node_children(fit)
  if (!has_proof(fit) || is_policy(fit)) return(saved_by_splits(node_errors(fit), child))
  vapply(seq_along(child$left), function(node) {
    if (child$left[node] == 0) return(0)
    max(0, saved_by(fit, node, c(child$left[node], child$right[node])))
  }, 0)
}

tree_settings <- function(fit) fit$control
tree_na_action <- function(fit) fit$na.action

# Rows that were left out because of missing values, in words; NULL if none.
left_out_text <- function(fit) {
  n <- fit$left_out
  if (is.null(n)) return(if (!is.null(fit$na.action)) stats::naprint(fit$na.action))
  sprintf(ngettext(n, "%.0f observation deleted due to missingness",
                   "%.0f observations deleted due to missingness"), n)
}

# What is known of an exact search: its result, its proof, its counters.
has_proof <- function(fit) !is.null(fit[["status"]])
tree_proof <- function(fit) fit[c("objective", "cost", "bound", "gap", "status", "capped",
                                  "elapsed", "search")]

# What each node costs as a leaf in whole numbers of a unit: list(unit, nodes, rest). NULL where the
# search had to round costs.
tree_counted <- function(fit) fit[["counted"]]

# What some nodes cost together, in units: a number in two parts, which is their sum. Differences of
# such numbers have all digits where the parts are subtracted first.
counted_units <- function(counted, nodes) c(sum(counted$nodes[nodes]), sum(counted$rest[nodes]))

# How far a numeric response is from the grid of the search.
tree_rounding <- function(fit) fit$rounding

# Moments of the search; NULL in fits from documents.
tree_history <- function(fit) fit$history

# The row of the leaf of each training row, named by it; and whether it is misclassified there.
tree_where <- function(fit) fit$where

# The responses of the training rows; `$` would find ylevels.
tree_y <- function(fit) fit[["y"]]
tree_residuals <- function(fit) {
  y <- tree_y(fit)
  if (!predicts_classes(fit)) {
    return(stats::setNames(y - fit$frame$yval[fit$where], names(fit$where)))
  }
  stats::setNames(as.integer(fit$frame$yval[fit$where] != y), names(fit$where))
}
