# Forests printed, put together, and taken apart.

#' Print, summarise and plot a forest
#'
#' `print()` shows the settings and errors of a forest, and `summary()` also the sizes of the trees
#' and the most important predictors. `plot()` draws the out-of-bag error against the number of
#' trees, the importance of the predictors, or survival curves with a table of the rows at risk.
#'
#' @order 1
#' @param x,object A fit of [hist_forest()], or its summary.
#' @param digits Number of significant digits, a whole number; 4 by default.
#' @param ... For `plot()`, passed on to [plot()][graphics::plot.default] or
#'   [dotchart()][graphics::dotchart]; for `"survival"` `xlab`, `ylab` and `col`, a vector with a
#'   colour for each curve; else not used.
#' @return `print()` returns its argument invisibly; `summary()` a list of class
#'   `summary.hist_forest`: `fit`, `nodes`, `leaves` and `depth` (quantiles over the trees),
#'   `confusion` (for classes, a table of the out-of-bag predictions), `importance` (the most
#'   important first).
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 50, seed = 1)
#' summary(fit)
#' @name print.hist_forest
NULL

#' @rdname print.hist_forest
#' @export
print.hist_forest <- function(x, digits = 4, ...) {
  check_no_dots(...)
  check_digits(digits)
  trees <- tree_count(x)
  n <- length(x$shape$names)
  cat(sprintf(ngettext(trees, "Forest of %d %s tree on %d rows and ",
                       "Forest of %d %s trees on %d rows and "), trees, x$type, x$n),
      sprintf(ngettext(n, "%d predictor\n", "%d predictors\n"), n), sep = "")
  cat(gettextf("mtry %.0f, depth %s, min_n %.0f, seed %.0f; grown in %s s\n", x$control$mtry,
               format(x$control$depth), x$control$min_n, x$seed,
               format(signif(x$elapsed, 2), scientific = 6)))
  if (x$status != "complete") cat(gettextf("Stopped early (%s)\n", x$status))
  if (keeps_rows(x) && x$type != "survival") {
    cat(gettextf("Keeps the rows of leaves, for quantiles (%s MB)\n",
                 format(signif(4 * length(x$forest$rows) / 1e6, 2))))
  }
  if (!is.null(x$oob)) cat(oob_text(x, digits), "\n", sep = "")
  invisible(x)
}

oob_text <- function(x, digits) {
  if (x$type == "survival") {
    return(gettextf("Out-of-bag: 1 - Harrell's concordance %s",
                    format(x$oob$error, digits = digits)))
  }
  if (!is.null(x$oob$deviance)) {
    return(gettextf("Out-of-bag: Poisson deviance %s", format(x$oob$deviance, digits = digits)))
  }
  if (x$type == "regression") {
    return(gettextf(
      "Out-of-bag: mean squared error %s, R squared %s",
      format(x$oob$error, digits = digits), format(x$oob$r_squared, digits = digits)))
  }
  gettextf("Out-of-bag: error %s%%, Brier score %s", format(100 * x$oob$error, digits = digits),
           format(x$oob$brier, digits = digits))
}

#' @rdname print.hist_forest
#' @export
summary.hist_forest <- function(object, ...) {
  check_no_dots(...)
  importance <- object$importance
  structure(
    list(fit = object, nodes = stats::quantile(object$forest$n_nodes),
         leaves = stats::quantile((object$forest$n_nodes + 1) / 2),
         depth = stats::quantile(object$forest$depth),
         confusion = if (!is.null(object$oob$class)) table(truth = object$y,
                                                           predicted = object$oob$class),
         importance = if (!is.null(importance)) {
           importance[order(-importance[[best_measure(importance)]]), ]
         }),
    class = "summary.hist_forest")
}

#' @rdname print.hist_forest
#' @export
print.summary.hist_forest <- function(x, digits = 4, ...) {
  check_no_dots(...)
  print(x$fit, digits = digits)
  cat("\n")
  print(round(rbind(leaves = x$leaves, depth = x$depth)))
  if (!is.null(x$confusion)) {
    cat(gettext("\nOut-of-bag confusion matrix:\n"))
    print(x$confusion)
  }
  if (!is.null(x$importance)) {
    cat(gettext("\nImportance:\n"))
    print(utils::head(x$importance, 15), digits = digits, row.names = FALSE)
  }
  invisible(x)
}

#' Extract trees from forests, and combine forests
#'
#' `forest_tree()` extracts a tree, as a table or as a model.
#'
#' @param fit A fit of [hist_forest()].
#' @param tree Number of the tree, from 1, which is the default.
#' @param as `"table"` (the default), or `"model"` for an object like a fit of [contree()].
#' @return `forest_tree()`: as a table, a data frame with a row for each node, the root first and
#'   children after their parents:
#'   * `node`, its number, as given by [predict()][predict.hist_forest] with `type = "leaf"`; `left`
#'     and `right`, those of its children (`NA` in a leaf);
#'   * `variable` and `threshold`: values below it go left (`NA` in a leaf). For factors the
#'     threshold refers to the numbers of the levels, and `levels_left` names those that go left.
#'     `Inf`: all values go left, and missing ones right;
#'   * `missing_left`: where missing values go;
#'   * `n`: sampled rows of the node, counting repetitions;
#'   * `prediction`: the most frequent class, or the mean; for classes, also a column of counts for
#'     each.
#'
#'   As a model, an object of class `contree_model` without training rows, for [print()],
#'   [plot()][plot.contree], [predict()][predict.contree], [contree_rules()], [as_sql()], [as_c()],
#'   [as_json()], [as_dot()], [write_pmml()], `as.party()` and [as.rpart()]. Its rows are those of
#'   the tree's sample, counting repetitions. The residuals of a regression tree are not known, so
#'   its deviances are those of the means of the leaves only. A level that did not occur in training
#'   goes where the tree sends missing values; exports of the model send such levels, and missing
#'   values, to the same side.
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 3, depth = 2, seed = 1)
#' forest_tree(fit, 1)
#' model <- forest_tree(fit, 1, as = "model")
#' model
#' contree_rules(model)
#' @export
forest_tree <- function(fit, tree = 1, as = c("table", "model")) UseMethod("forest_tree")

#' @export
forest_tree.default <- function(fit, tree = 1, as = c("table", "model")) {
  check_forest(fit)
}

#' @export
forest_tree.hist_forest <- function(fit, tree = 1, as = c("table", "model")) {
  check_tree_number(fit, tree)
  nodes <- .Call(ffi_hist_tree, fit$forest, as.integer(tree))
  if (check_choice("as", as) == "model") {
    return(model_of_tree(fit, nodes, tree))
  }
  leaf <- nodes$feature == 0L
  variable <- c(NA, fit$shape$names)[nodes$feature + 1L]
  counts <- nodes$counts
  out <- data.frame(node = seq_along(leaf), left = replace(nodes$left, leaf, NA),
                    right = replace(nodes$right, leaf, NA), variable = variable,
                    threshold = nodes$threshold,
                    levels_left = levels_going_left(fit, variable, nodes),
                    missing_left = replace(nodes$default_left, leaf, NA), n = rowSums(counts))
  if (fit$type != "classification") {
    out$prediction <- nodes$mean * scale_of_means(fit)
    return(out)
  }
  out$prediction <- factor(fit$classes[max.col(counts, ties.method = "first")], fit$classes)
  colnames(counts) <- paste0("n_", fit$classes)
  cbind(out, as.data.frame(counts, check.names = FALSE))
}

#' @export
tree_count.hist_forest <- function(fit) length(fit$forest$number)

# ---- a tree as a fit -----------------------------------------------------------------------------

model_of_tree <- function(fit, nodes, tree) {
  refuse_survival(fit, gettext("models of single trees"))
  if (fit$forest$depth[tree] > 30) {
    stop_input("tree",
               gettextf("tree %s has %d levels of splits, and a model at most 30",
                        format(tree), fit$forest$depth[tree]),
               gettext("grow the forest with a smaller 'depth' or a larger 'min_n'"))
  }
  order <- preorder(nodes$left, nodes$right)
  counts <- nodes$counts[order, , drop = FALSE]
  nodes <- list(feature = nodes$feature[order], threshold = nodes$threshold[order],
                left = match(nodes$left[order], order, 0L),
                right = match(nodes$right[order], order, 0L),
                default_left = nodes$default_left[order], mean = nodes$mean[order],
                levels = nodes$levels[order],
                missing = numeric(length(order)), n = rowSums(counts), weight = rowSums(counts))
  nodes$sides <- sides_of_levels(fit, nodes)
  nodes$threshold[lengths(nodes$sides) > 0] <- NA
  if (fit$type == "classification") {
    leaf <- class_leaves(fit$classes, max.col(counts, ties.method = "first"), counts, NULL)
    nodes$errors <- label_costs(counts, leaf$yval, NULL)
  } else {
    leaf <- number_leaves(nodes$mean)
    nodes$errors <- deviance_of_means(nodes)
  }
  new_model(nodes, leaf, fit[c("types", "xlevels", "units", "shape", "terms")], fit$call,
            where = integer())
}

check_forest <- function(fit) {
  if (inherits(fit, "hist_forest")) return(invisible(fit))
  stop_input("fit", gettextf("'fit' must be a fit of hist_forest(), not %s", show_value(fit)))
}

# The places of nodes, each before those below it, left before right.
preorder <- function(left, right) {
  order <- integer(length(left))
  waiting <- 1L
  for (i in seq_along(order)) {
    node <- waiting[length(waiting)]
    waiting <- waiting[-length(waiting)]
    order[i] <- node
    if (left[node] > 0) waiting <- c(waiting, right[node], left[node])
  }
  order
}

# For splits on a factor the side of each level (1 left, 3 right; one that no row had goes with
# missing values), else NULL.
sides_of_levels <- function(fit, nodes) {
  variable <- c(NA, fit$shape$names)[nodes$feature + 1L]
  lapply(seq_along(variable), function(i) {
    place <- if (!is.na(variable[i])) fit$orders[[variable[i]]]
    if (is.null(place)) return(NULL)
    left <- places_go_left(place, nodes, i)
    left[is.na(left)] <- nodes$default_left[i]
    ifelse(left, 1L, 3L)
  })
}

# What the means of the leaves below each node deviate from its own, squared, by weight. Children
# come after their parents.
deviance_of_means <- function(nodes) {
  deviance <- numeric(length(nodes$mean))
  for (i in rev(which(nodes$left > 0))) {
    below <- c(nodes$left[i], nodes$right[i])
    deviance[i] <- sum(deviance[below] +
                       nodes$weight[below] * (nodes$mean[below] - nodes$mean[i])^2)
  }
  deviance
}

# Whether levels go left at node `i`, by their places in the order; NA where no row had the level.
places_go_left <- function(place, nodes, i) {
  if (is.na(nodes$levels[i])) return(place < nodes$threshold[i])
  bitwAnd(nodes$levels[i], bitwShiftL(1L, place - 1L)) > 0
}

# The names of levels that go left, by node; NA where the variable has none.
levels_going_left <- function(fit, variable, nodes) {
  vapply(seq_along(variable), function(i) {
    levels <- fit$xlevels[[if (is.na(variable[i])) "" else variable[i]]]
    if (is.null(levels)) return(NA_character_)
    place <- fit$orders[[variable[i]]]
    if (is.null(place)) place <- seq_along(levels)
    paste(levels[which(places_go_left(place, nodes, i))], collapse = ", ")
  }, "")
}

#' @rdname forest_tree
#' @description
#' `c()` combines forests grown from the same data with the same settings, such as parts grown on
#' several workers. If they have the same seed and consecutive tree numbers (argument `first` of
#' [hist_forest()]), the result is the forest that would have been grown at once. They may come in
#' any order, and other parts may be combined with the result.
#' @param ... Fits of [hist_forest()].
#' @return `c()`: an object of class `hist_forest` with all trees, ordered by seed and number; `oob`
#'   and `importance` are those of the combined forest, and `inbag` if all of them keep it. `seed`
#'   is that of the first tree, and `elapsed` the sum.
#' @section Errors:
#' `contree_input_error` from `forest_tree()` if there is no such tree, or if a tree with more than
#' 30 levels of splits is requested as a model; and from `c()` if an argument is not a forest, if
#' two forests share a tree, if settings differ (the message names the setting), or if data do:
#' forests keep a hash of theirs, without which those of earlier versions are refused.
#' @examples
#' parts <- lapply(c(1, 51), function(first) {
#'   hist_forest(Species ~ ., iris, trees = 50, seed = 7, first = first)
#' })
#' do.call(c, parts)
#' @export
c.hist_forest <- function(...) {
  fits <- list(...)
  if (length(fits) == 1) return(fits[[1]])
  for (fit in fits) check_same_growth(fits[[1]], fit)
  trees_in_order(Reduce(join_forests, fits))
}

check_same_growth <- function(one, other) {
  if (!inherits(other, "hist_forest")) {
    stop_input("...", gettextf("%s is not a fit of hist_forest()", show_value(other)))
  }
  if (is.null(other$hash)) {
    stop_input("...", gettext(paste("a forest of an earlier version does not tell which data it",
                                    "was grown from; grow it again")))
  }
  check_same_data(one, other, c("y", "shape", "types", "xlevels", "units"))
  settings <- settings_of_growth(one)
  others <- settings_of_growth(other)
  for (name in names(settings)) {
    if (!identical(settings[[name]], others[[name]])) {
      stop_input("...", gettextf("the forests were grown with different '%s'; use the same", name))
    }
  }
  check_same_data(one, other, c("hash", "orders")) # these depend on settings, too
}

check_same_data <- function(one, other, parts) {
  if (identical(one[parts], other[parts])) return(invisible())
  stop_input("...", gettext("the forests were grown from different data; use the same"))
}

# What must be the same of forests to be combined, by the names of arguments.
settings_of_growth <- function(fit) {
  settings <- fit$control[setdiff(names(fit$control), c("trees", "first"))]
  names(settings)[names(settings) == "sample"] <- "sample_fraction"
  c(settings, list(weights = fit$sampling, oob = is.null(fit$oob)))
}

join_trees <- function(one, other) {
  for (part in c("number", "seed", "n_nodes", "n_leaves", "depth", "nodes", "counts", "means",
                 "rows", "row_ends")) {
    one[part] <- list(c(one[[part]], other[[part]]))
  }
  one
}

join_forests <- function(one, other) {
  keys <- function(fit) sprintf("%.0f %d", fit$forest$seed, fit$forest$number)
  if (length(intersect(keys(one), keys(other)))) {
    stop_input("...", gettext(
      "the forests have a tree in common: their seeds are the same; give 'first' or another seed"))
  }
  one$forest <- join_trees(one$forest, other$forest)
  one$left_out <- one$left_out + other$left_out
  one["harm"] <- list(if (!is.null(one$harm)) one$harm + other$harm)
  if (!is.null(one$importance$permutation)) {
    one$importance$permutation <- whole_sums(one$harm) / max(1, one$left_out)
  }
  one["corrected"] <- list(if (!is.null(one$corrected)) one$corrected + other$corrected)
  if (!is.null(one$corrected)) one$importance$corrected <- whole_sums(one$corrected)
  if (!is.null(one$local_sums)) {
    one$local_sums <- one$local_sums + other$local_sums
    one$local_trees <- one$local_trees + other$local_trees
    one$local_importance <- local_means(one$local_sums, one$local_trees, one$shape$names)
  }
  if (!is.null(one$oob)) {
    one$oob <- new_oob(one$oob$sums + other$oob$sums, one$oob$trees + other$oob$trees,
                       one$oob$centre, one$y)
  }
  if (!is.null(one$importance)) {
    one["gains"] <- list(if (!is.null(one$gains)) one$gains + other$gains)
    one$importance$impurity <- if (!is.null(one$gains)) whole_sums(one$gains)
                               else one$importance$impurity + other$importance$impurity
  }
  one$inbag <- if (!is.null(one$inbag) && !is.null(other$inbag)) cbind(one$inbag, other$inbag)
  one$control$trees <- one$control$trees + other$control$trees
  one$elapsed <- one$elapsed + other$elapsed
  devices <- unique(c(one$device, other$device))
  one$device <- if (length(devices)) paste(devices, collapse = ", ")
  if (other$status != "complete") one$status <- other$status
  one
}

trees_in_order <- function(fit) {
  order <- order(fit$forest$seed, fit$forest$number)
  fit$forest <- only_trees(fit$forest, order)
  fit$seed <- fit$forest$seed[1]
  fit$control$first <- fit$forest$number[1] + 1
  if (!is.null(fit$inbag)) fit$inbag <- fit$inbag[, order, drop = FALSE]
  fit
}
