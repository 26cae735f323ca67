# as.party(): a tree as one of the package partykit.

#' Convert a tree to partykit or rpart
#'
#' `as.party()` converts a fit to an object of class `constparty` of the package `partykit`, for
#' plotting, printing, `nodeapply()` and other functions for such trees; `as.rpart()` to one of
#' class `rpart`, for the many packages that draw or convert such trees (such as `rpart.plot`). Only
#' the fit is read: its call is not evaluated again.
#'
#' @section partykit:
#' The object holds no training data, only a data frame without rows of the predictors that the tree
#' uses, which is enough for printing, plotting and predicting. What needs the predictors of the
#' training rows, such as `predict(perm = )` and `model.frame()`, needs `data`. Without `data`, and
#' unless the fit was made with `model = TRUE`, the classes of the training rows are reconstructed
#' from the class counts of their leaves. The counts are exact. With two classes so is the class of
#' each row; with more, two misclassified rows of a leaf may have exchanged their classes.
#'
#' Predictions are those of [predict.contree()], within the limits of `partykit`. Levels that did
#' not occur in training are an error. Infinite values count as missing. Where a split separates
#' missing values from all others, the child of the non-missing values is the first and is labelled
#' `< Inf` (`< NA` for ordered factors, all levels for factors); the other child is labelled `>=
#' Inf` or `>= NA` or has no label. Columns of matrices, as returned by `poly()`, have the names
#' they have in the tree, such as `poly(x, 2).1`; new data may have these in place of the matrices.
#' Nodes are numbered from 1 in the order in which they are printed. Thresholds of dates are shown
#' as numbers.
#'
#' `partykit` predicts the most frequent class of a leaf; if the tree predicts another class in some
#' leaf, there is a warning of class `contree_conversion_warning`.
#'
#' A fit of [gmt()] becomes an object of class `lmtree` and `modelparty`, which `partykit` prints,
#' plots and predicts from, with the predictions limited to the ranges of the leaves as in
#' [predict.gmt()]. The plot shows the training rows of each leaf against the predictions of its
#' model; it needs the training rows, found again by the call of the fit or given as `data`, and
#' shows missing numbers at the mean. As any `lmtree`, one of a constant response cannot be plotted.
#'
#' `as.party()` is a function of `partykit`: load that package to call it.
#'
#' @param obj,x A fit of [contree()] or [gmt()], or with `tree` a forest of [hist_forest()]; for
#'   `as.rpart()` the leaves must predict a class or a number.
#' @param data The training data to keep in the object: a data frame with one row for each training
#'   row. With `NULL`, the default, `as.rpart()` looks for them, and `as.party()` keeps those of
#'   fits made with `model = TRUE` or by [gmt()].
#' @param ... Not used.
#' @return `as.party()`: an object of class `constparty` and `party`, or `lmtree` and `modelparty`
#'   for a fit of [gmt()]. Its first class is one of this package, whose `predict()` method passes
#'   all rows of new data to `partykit`, including those with missing values.
#' @examplesIf requireNamespace("partykit", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' party <- partykit::as.party(fit)
#' print(party)
#' predict(party, iris[c(1, 71, 101), ])
#' @seealso [plot.contree()], [as.data.frame.contree()]
#' @rdname as.rpart
#' @name as.party.contree
#' @exportS3Method partykit::as.party
as.party.contree_model <- function(obj, data = NULL, ...) {
  check_no_dots(...)
  need_package("partykit", "as.party()")
  check_fit(obj, "obj")
  refuse_dots(obj, "obj")
  if (inherits(obj, "gmt") && tree_leaf(obj) == "linear") {
    return(party_of_models(obj, data, parent.frame()))
  }
  if (!predicts_classes(obj)) return(party_of_numbers(obj, data))
  terms <- used_terms(obj)
  frame <- frame_of_rows(obj, terms, data)
  fitted <- fitted_rows(obj, frame[[1]])
  warn_of_majority(obj)
  predictors <- if (is.null(frame)) empty_frame(obj, used_predictors(obj)) else {
    spread_frame(frame[-1])
  }
  new_party(obj, predictors, fitted, terms)
}

#' @rdname as.rpart
#' @param tree Of a forest of [hist_forest()], the number of the tree to convert, which has to be
#'   given.
#' @exportS3Method partykit::as.party
as.party.hist_forest <- function(obj, tree = NULL, ...) {
  partykit::as.party(tree_of_forest(obj, tree, "obj"), ...)
}

#' @rdname as.rpart
#' @export
as.rpart.hist_forest <- function(x, tree = NULL, ...) as.rpart(tree_of_forest(x, tree, "x"), ...)

tree_of_forest <- function(forest, tree, argument) {
  if (is.null(tree)) check_fit(forest, argument) # which says how to give one
  forest_tree(forest, tree, as = "model")
}

# partykit has none of its own for trees of numbers; of classes there are none, as there.
#' @export
residuals.contree_party <- function(object, ...) {
  response <- object$fitted[["(response)"]]
  if (is.numeric(response)) response - stats::predict(object)
}

# Without rows partykit would evaluate a call that the object does not have.
#' @export
model.frame.contree_party <- function(formula, ...) {
  if (nrow(formula$data) > 0) return(NextMethod())
  stop_input("formula", gettext("the object holds no training rows"), gettext(
    "give them as 'data' to as.party(), or fit the tree with model = TRUE"))
}

# partykit leaves out rows with missing values, without a word, where a column is not of the very
# class it expects: characters for a factor, doubles for integers, variables that are calls. It is
# given columns as it wants them.
#' @export
predict.contree_party <- function(object, newdata = NULL, ...) {
  class(object) <- setdiff(class(object), "contree_party")
  if (is.null(newdata)) return(stats::predict(object, newdata, ...))
  newdata[] <- lapply(newdata, function(x) if (is.factor(x)) without_na_level(x) else x)
  wanted <- names(object$data)
  known <- Filter(Negate(is.null), lapply(object$data, levels))
  refuse_new_levels(newdata, known)
  spread <- !all(wanted %in% names(attr(object$terms, "dataClasses")))
  # columns of matrices may also be given by the names they have in the tree
  if (!spread || !all(wanted %in% names(newdata))) {
    frame <- spread_frame(stats::model.frame(
      stats::delete.response(object$terms), newdata, na.action = stats::na.pass,
      xlev = known))
    if (all(wanted %in% names(frame))) { # those of model trees have the response too
      newdata <- frame
      object$data <- frame[integer(), wanted, drop = FALSE]
    }
  }
  stats::predict(object, newdata, ...)
}

# partykit's boxes are on a scale from the least value to the largest, which must not be the same.
#' @export
plot.contree_party <- function(x, ..., tp_args = list()) {
  class(x) <- setdiff(class(x), "contree_party")
  y <- x$fitted[["(response)"]]
  type <- c(list(...)$type, "extended")[1]
  boxes <- is.numeric(y) && is.null(list(...)$terminal_panel) && !startsWith("simple", type)
  if (boxes && min(y) == max(y) && is.null(tp_args$yscale)) {
    tp_args$yscale <- y[1] + c(-1, 1) * max(abs(y[1]) / 10, 1e-3)
  }
  graphics::plot(x, ..., tp_args = tp_args)
}

# A model frame with the columns of its matrices one by one.
spread_frame <- function(frame) {
  structure(spread_columns(as.list(frame)), row.names = attr(frame, "row.names"),
            class = "data.frame")
}

# partykit has no place for such rows.
refuse_new_levels <- function(newdata, known) {
  known <- known[names(known) %in% names(newdata)]
  unknown <- Map(function(name, levels) {
    setdiff(as.character(newdata[[name]]), c(levels, NA))
  }, names(known), known)
  if (!any(lengths(unknown) > 0)) return(invisible())
  stop_input("newdata", say_new_levels(Filter(length, unknown)), gettext(
    "leave these rows out, or predict with the fit itself"))
}

# Each row that partykit takes the mean of: those of an exact search, which are there to be drawn as
# well, or one a leaf, with its number.
fitted_numbers <- function(fit) {
  leaf <- unname(tree_where(fit))
  value <- tree_y(fit)
  weight <- tree_row_weights(fit)
  if (!has_proof(fit) || is.null(value)) {
    leaf <- which(node_is_leaf(fit))
    value <- fit$frame$yval[leaf]
    weight <- node_weight(fit)[leaf]
  } else if (is.null(weight)) {
    weight <- rep(1, length(value))
  }
  data.frame("(fitted)" = leaf, "(response)" = value, "(weights)" = weight, check.names = FALSE)
}

party_of_numbers <- function(fit, data) {
  if (tree_leaf(fit) != "number") {
    stop_unsupported("obj", gettext(
      "trees of partykit predict a class or one number in each leaf; this one does not"))
  }
  terms <- used_terms(fit)
  frame <- if (has_proof(fit)) frame_of_rows(fit, terms, data)
  predictors <- if (is.null(frame)) empty_frame(fit, used_predictors(fit)) else {
    spread_frame(frame[-1])
  }
  fitted <- fitted_numbers(fit)
  new_party(fit, predictors, fitted, terms)
}

new_party <- function(fit, predictors, fitted, terms) {
  party <- partykit::as.constparty(partykit::party(party_nodes(fit, names(predictors)), predictors,
                                                   fitted, terms, info = list(method = "contree")))
  structure(party, class = c("contree_party", class(party)))
}

# partykit predicts the class that weighs most in a leaf.
warn_of_majority <- function(fit) {
  other <- node_is_leaf(fit) & max.col(node_counts(fit), "first") != as.integer(node_class(fit))
  if (!any(other)) return(invisible())
  warn_contree("conversion_warning", gettextf(
    "leaf %s predicts a class that is not its most frequent one, which partykit predicts",
    show_values(node_ids(fit)[other])))
}

# The nodes, from the leaves up. Kid 1 is the left child, but where values are parted from missing
# ones it is that of the values: partykit words the levels of a factor there, and nothing for the
# others.
# `info`: what a node is to know.
party_nodes <- function(fit, columns, info = function(node) NULL) {
  questions <- node_questions(fit)
  leaf <- function(node) partykit::partynode(node, info = info(node))
  fold_tree(fit, leaf, function(node, left, right) {
    question <- questions[[node]]
    levels <- tree_xlevels(fit)[[question$variable]]
    # all known levels on one side: what is left for the other are missing values
    if (question$kind == "among" && all(levels %in% question$levels)) question$kind <- "known"
    turned <- question$kind == "known" && !question$yes_left
    split <- party_split(question, match(question$variable, columns), levels)
    # a row without value goes to a kid that partykit draws: with 1 and 0 there is no chance in it
    first <- question$missing_left != turned
    split$prob <- as.numeric(c(first, !first))
    partykit::partynode(node, split = split, kids = list(left, right)[if (turned) 2:1 else 1:2],
                        info = info(node))
  })
}

# Values below the break go to kid 1.
party_split <- function(question, column, levels) {
  below <- function(threshold) partykit::partysplit(column, breaks = threshold, right = FALSE)
  if (question$kind == "less") return(below(question$threshold))
  if (question$kind == "known") return(below(if (is.null(levels)) Inf else length(levels) + 1))
  kid <- ifelse(levels %in% question$levels == question$yes_left, 1L, 2L)
  # of an ordered factor the first levels are on one side, the last on the other
  if (question$type == "ordered") {
    below(which(kid == 2L)[1])
  } else {
    partykit::partysplit(column, index = kid)
  }
}

# ---- training rows -------------------------------------------------------------------------------

# The model frame of the training rows if there is one: response first, then what the tree uses.
frame_of_rows <- function(fit, terms, data) {
  if (is.null(data)) data <- tree_model(fit)
  if (is.null(data)) return(NULL)
  if (!is.data.frame(data) || nrow(data) != length(tree_where(fit))) {
    stop_input("data", gettextf(
      "'data' must be a data frame with the %d training rows, not %s",
      length(tree_where(fit)),
      if (is.data.frame(data)) gettextf("one of %d rows", nrow(data)) else show_value(data)))
  }
  frame <- if (is.null(attr(data, "terms"))) {
    tryCatch(stats::model.frame(terms, data, na.action = stats::na.pass), error = no_variables)
  } else {
    variables <- names(attr(terms, "dataClasses"))
    lacking <- setdiff(variables, names(data))
    if (length(lacking)) {
      stop_input("data", gettextf("'data' is a model frame without the variable '%s'", lacking[1]))
    }
    data[variables]
  }
  refuse_other_data(model_fault(fit, structure(frame, terms = terms)))
  for (name in intersect(names(tree_xlevels(fit)), names(frame))) {
    value <- frame[[name]]
    frame[[name]] <- factor(as.character(value), levels = tree_xlevels(fit)[[name]],
                            ordered = is.ordered(value))
  }
  structure(frame, terms = terms)
}

no_variables <- function(problem) {
  stop_input("data", gettextf("'data' has not all variables of the fit (%s)",
                              conditionMessage(problem)), gettext("give the training rows"))
}

# The leaf of each training row. A tree that was read from a document knows how many they are, and
# their order is made up.
leaf_of_rows <- function(fit) {
  where <- tree_where(fit)
  if (length(where)) where else rep(seq_along(node_ids(fit)),
                                    ifelse(node_is_leaf(fit), node_n(fit), 0L))
}

# The training rows as far as the fit knows them: the leaf of each, its class unless `response` is
# known, and its weight unless all are 1. The rows of a class in a leaf share what the class weighs
# there.
fitted_rows <- function(fit, response) {
  where <- unname(leaf_of_rows(fit))
  classes <- tree_classes(fit)
  if (is.null(response)) response <- factor(classes[class_of_rows(fit, where)], levels = classes)
  rows <- data.frame("(fitted)" = where, "(response)" = response, check.names = FALSE)
  cell <- cbind(where, match(response, classes))
  counts <- node_counts(fit)
  there <- table(factor(where, seq_len(nrow(counts))), factor(response, classes))
  weight <- counts[cell] / there[cell]
  if (any(weight != 1)) rows[["(weights)"]] <- weight
  rows
}

# Rows without error have the class of their leaf, the others share its other classes.
class_of_rows <- function(fit, where) {
  counts <- node_counts(fit)
  class <- as.integer(node_class(fit))
  wrong <- tree_residuals(fit) == 1
  response <- class[where]
  for (leaf in which(node_is_leaf(fit))) {
    others <- replace(counts[leaf, ], class[leaf], 0)
    rows <- which(where == leaf)
    # without training rows any rows will do
    some <- max(sum(others > 0), round(length(rows) * sum(others) / sum(counts[leaf, ])))
    rows <- if (length(wrong)) rows[wrong[rows]] else utils::head(rows, some)
    known <- sum(others) == length(rows) && all(others %% 1 == 0)
    response[rows] <- if (known) {
      rep(seq_along(others), others)
    } else {
      rep_len(order(others, decreasing = TRUE), length(rows))
    }
  }
  response
}

# ---- terms ---------------------------------------------------------------------------------------

# The terms of a fit, or made up for one of x and y, with the predictors that the tree uses; the
# first of all if it uses none, for without any a data frame would lose its rows.
used_terms <- function(fit) {
  used <- used_predictors(fit)
  if (length(used) == 0) used <- tree_shape(fit)$names[1]
  terms <- tree_terms(fit)
  if (is.null(terms)) terms <- terms_of_names(response_name(fit, used), tree_types(fit)[used],
                                              tree_leaf(fit))
  variables <- as.list(attr(terms, "variables"))[-1]
  labels <- vapply(variables, variable_label, "")
  # of a matrix among the variables the predictors are the columns
  keep <- labels %in% used | vapply(labels,
                                    function(label) any(startsWith(used, paste0(label, "."))), NA)
  keep[1] <- TRUE
  classes <- attr(terms, "dataClasses")[keep]
  classes[classes == "character"] <- "factor"
  new <- stats::terms(stats::as.formula(expanded_formula(variables[keep]), environment(terms)),
                      allowDotAsName = TRUE)
  attr(new, "predvars") <- attr(terms, "predvars")[c(TRUE, keep)]
  attr(new, "dataClasses") <- stats::setNames(classes, labels[keep])
  new
}

# Terms in which every variable is a name, whatever it looks like; NULL without a response. `types`:
# of the predictors, by name. `leaf`: what is predicted.
terms_of_names <- function(response, types, leaf) {
  if (is.null(response)) return(NULL)
  y <- if (leaf == "classes") factor() else numeric()
  variables <- lapply(c(response, names(types)), as.name)
  columns <- stats::setNames(c(list(y), lapply(types, empty_column)), c(response, names(types)))
  formula <- stats::as.formula(call("~", variables[[1]], quote(.)), globalenv())
  new_terms(formula, list(response = variables[[1]], predictors = variables[-1]), columns)
}

# A data frame without rows whose columns are what the predictors were.
empty_frame <- function(fit, predictors) {
  columns <- Map(empty_column, tree_types(fit)[predictors], tree_xlevels(fit)[predictors])
  structure(columns, names = predictors, row.names = integer(), class = "data.frame")
}

empty_column <- function(type, levels = NULL) {
  switch(type,
    factor = factor(character(), levels = levels),
    # in an object of partykit it is a factor
    character = if (is.null(levels)) character() else factor(character(), levels = levels),
    ordered = factor(character(), levels = levels, ordered = TRUE),
    integer = integer(), logical = logical(), Date = .Date(numeric()),
    POSIXct = .POSIXct(numeric()),
    difftime = .difftime(numeric(), "secs"), numeric())
}
