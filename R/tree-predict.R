# predict(): new rows walk down the tree in C; what is said of them is looked up by leaf.

#' Predict with an optimal tree
#'
#' Predicts new rows, or the training rows: classes, their probabilities, numbers, or the leaf of
#' each row and the path to it.
#'
#' @order 1
#' @param object A fit of [contree()].
#' @param newdata Data frame, or a numeric matrix if all predictors are numeric, with the columns
#'   that the tree was fitted with, in any order. Columns that no split uses may be left out; other
#'   columns are ignored. Factors may be given as characters and vice versa, with levels in any
#'   order. The columns of a matrix without column names are matched by position. Without `newdata`
#'   the training rows are predicted, and rows that `na.exclude` left out are `NA`.
#' @param type What to return for each row:
#'   * `"class"`: a factor with the levels of the response, named by row;
#'   * `"response"`, for trees that predict numbers, in place of `"class"` and `"prob"`, which are
#'     errors there: a numeric vector, named by row (`"vector"`, as in `rpart`, is accepted);
#'   * `"prob"`: a matrix with a column for each class, the class proportions among the training
#'     rows of the leaf (0 for a class that none of them has, even if a `loss` makes it the
#'     predicted class);
#'   * `"node"` (or `"leaf"`): the number of the leaf, as shown by `print()`;
#'   * `"path"`: the conditions that lead to the leaf, as in [contree_rules()].
#'
#'   `contree_predictor()` has `"class"` (or `"response"`), `"prob"` and `"node"`; for forged
#'   forests it has the types of [their predict()][predict.forged_forest].
#' @param na.action Function applied to the predictors of `newdata` first. With the default
#'   [na.pass()] a missing value at a split goes where the missing training rows of the node went
#'   or, if there were none, to the child with more training rows. Infinite values are treated like
#'   other numbers.
#' @param new_levels What to do with levels of a factor that did not occur in training, if the tree
#'   splits on it: `"majority"` sends such rows to the child with more training rows and gives one
#'   warning of class `contree_new_levels` that names the levels (its element `new_levels` lists
#'   them by variable), `"error"` raises an error. The default `NULL` uses the setting of the fit,
#'   see [contree_control()]. A new level of an ordered factor, which has no place in the order,
#'   goes where missing values go. Levels that occurred in training, but not among the rows of a
#'   node, go to the child with more training rows as well, without a warning.
#' @param interval `"none"` (the default), or `"conformal"` for a matrix with the columns `fit`,
#'   `lwr` and `upr`, from a regression tree that was fitted with `conformal = k` (see
#'   [contree_control()]): the CV+ intervals of Barber et al. (2021), from the errors of k trees on
#'   rows that they were not fitted to. For exchangeable rows the interval contains a new response
#'   with a probability of at least `1 - 2 (1 - level)`, whatever the distribution, and in practice
#'   of about `level`. It is infinite if there are fewer than `1 / (1 - level) - 1` training rows;
#'   weights are ignored, but rows of weight 0 do not count.
#' @param level Level of the intervals, a number between 0 and 1; 0.95 by default.
#' @param laplace For `type = "prob"`: a number of at least 0 that is added to the count of each
#'   class in the leaf before proportions are computed. 1 is Laplace's correction, which avoids
#'   probabilities of 0 and 1 in leaves of few rows; the default 0 leaves the proportions as they
#'   are. The predicted class is not affected.
#' @param ... Not used; anything given here is an error.
#' @return `predict()`: a factor, a numeric vector or matrix, an integer vector or a character
#'   vector, with one element or matrix row for each row of `newdata` that `na.action` leaves.
#' @section Errors:
#' `contree_input_error` for a missing column that the tree uses, or one of another type than in
#' training (numbers, levels, dates and so on); the message names it. So are new levels with
#' `new_levels = "error"`.
#' @references R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani (2021). Predictive inference
#'   with the jackknife+. *Annals of Statistics* 49, 486-507. \doi{10.1214/20-AOS1965}.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' rows <- c(1, 71, 101)
#' predict(fit, iris[rows, ])
#' predict(fit, iris[rows, ], type = "prob")
#' predict(fit, iris[rows, ], type = "prob", laplace = 1)
#' predict(fit, iris[rows, ], type = "path")
#' table(predict(fit), iris$Species)
#'
#' set.seed(1)
#' cars <- contree(dist ~ speed, cars, depth = 2, conformal = 5)
#' predict(cars, data.frame(speed = c(10, 20)), interval = "conformal", level = 0.8)
#' @name predict.contree
#' @export
predict.contree_model <- function(object, newdata, type = c("class", "prob", "node", "path"),
                                  na.action = stats::na.pass, new_levels = NULL, laplace = 0,
                                  interval = c("none", "conformal"), level = 0.95, ...) {
  check_no_dots(...)
  laplace <- check_laplace(laplace)
  check_fit(object, "object", rows = missing(newdata) || is.null(newdata))
  type <- check_prediction(object, type, c("class", "prob", "node", "path"))
  if (check_choice("interval", interval) == "conformal") {
    if (missing(newdata)) newdata <- NULL
    return(predict_conformal(object, newdata, type, level, na.action, new_levels))
  }
  if (missing(newdata) || is.null(newdata)) {
    if (length(tree_where(object)) == 0) {
      stop_input("newdata", gettext(
        "the fit has no training rows (it is of a document or of a table of a database)"),
        gettext("give 'newdata'"))
    }
    if (type == "response" && tree_leaf(object) == "linear") {
      stop_input("newdata", gettext(
        "the leaves are linear models and the fit has no predictors of the training rows"),
        gettext("give 'newdata'"))
    }
    where <- tree_where(object)
    answer <- tell(object, function(values) values[where], names(where), type, laplace)
    return(stats::napredict(tree_na_action(object), answer))
  }
  if (is.null(new_levels)) new_levels <- c(tree_settings(object)$new_levels, "majority")[1]
  new_levels <- check_choice("new_levels", new_levels, c("majority", "error"))
  new <- new_columns(object, newdata, na.action)
  tell_new_levels(object, new$columns, new_levels)
  answer <- if (type == "response") {
    by_row(forest_outputs(object, new$columns), new$row_names)
  } else {
    tell(object, function(values) route(object, new$columns, values), new$row_names, type,
         laplace)
  }
  stats::napredict(new$na.action, answer)
}

# Predictions with limits, of trees that were fitted with `conformal`.
predict_conformal <- function(fit, newdata, type, level, na.action, new_levels) {
  check_level(level)
  if (type != "response" || tree_leaf(fit) != "number") {
    stop_input("interval", gettext("intervals are for predictions of trees that predict a number"))
  }
  if (is.null(newdata)) {
    stop_input("newdata", gettext("intervals are for new rows; give 'newdata'"))
  }
  new <- new_columns(fit, newdata, na.action)
  value <- stats::predict(fit, newdata, na.action = na.action, new_levels = new_levels)
  left_out <- as.integer(new$na.action)
  if (inherits(new$na.action, "exclude")) value <- value[-left_out]
  # each tree asks for predictors of its own
  limits <- conformal_limits(fit, unname(value), function(of_fold) {
    said <- constant_values(of_fold, new_columns(of_fold, newdata, stats::na.pass)$columns)
    if (length(left_out)) said[-left_out] else said
  }, level)
  rownames(limits) <- new$row_names
  stats::napredict(new$na.action, limits)
}

# What `values` (one integer a node; its row in the node table unless given) has for the leaf of
# each row of `columns`; factors are codes of levels, 0 for none known.
route <- function(fit, columns, values = seq_along(node_ids(fit))) {
  route_nodes(routing_table(fit), asked_columns(fit, columns), columns, values)
}

# The number of the column that each node asks, 0 in leaves.
asked_columns <- function(fit, columns) {
  feature <- match(node_variable(fit), column_names(columns), 0L)
  absent <- feature == 0L & !node_is_leaf(fit) # C would take such a node for a leaf
  if (any(absent)) {
    stop_input("newdata", gettextf("'newdata' gives no %s, which the tree asks for",
                                   show_names(unique(node_variable(fit)[absent]))))
  }
  feature
}

# What leaves that are no classes predict for each row of `columns`: a matrix, a column a number.
forest_outputs <- function(fit, columns, threads = threads_for(columns)) {
  if (!is.null(fit$limits)) return(limited_outputs(fit, columns))
  nodes <- c(list(feature = asked_columns(fit, columns), roots = 1L), routing_table(fit))
  nodes["levels_left"] <- list(nodes$levels_left)
  payload <- leaf_payload(fit, columns)
  outputs <- .Call(ffi_forest_predict, nodes, payload$leaves, payload$columns, threads)
  colnames(outputs) <- colnames(node_values(fit))
  outputs
}

# Outputs of models that have the limits of a document, by the operations of model_sums().
limited_outputs <- function(fit, columns) {
  if (is.matrix(columns)) columns <- as.list(as.data.frame(columns))
  node <- route(fit, columns)
  value <- fit$frame$yval[node]
  rows_of <- split(seq_along(node), node)
  for (leaf in names(rows_of)) {
    rows <- rows_of[[leaf]]
    for (term in fit$limits$terms[[as.integer(leaf)]]) {
      value[rows] <- value[rows] +
        term$slope * limited_values(term, columns[[term$predictor]][rows])
    }
  }
  matrix(pmin(pmax(value, fit$limits$low[node]), fit$limits$high[node]),
         dimnames = list(NULL, colnames(node_values(fit))))
}

limited_values <- function(term, x) {
  value <- if (length(term$codes)) term$codes[x + 1L] else pmin(pmax(as.double(x), term$low),
                                                                term$high)
  replace(value, is.na(x), term$other)
}

# A matrix of predictions named by row; one number a row as a vector.
by_row <- function(outputs, row_names) {
  if (ncol(outputs) == 1) return(stats::setNames(outputs[, 1], row_names))
  structure(outputs, dimnames = list(row_names, colnames(outputs)))
}

# What walks need of the nodes but the columns that they ask, which the data say. Where all values
# are less than Inf, Inf is one of them: such nodes are turned around, so that no value is less than
# -Inf.
routing_table <- function(fit) {
  children <- node_children(fit)
  sides <- if (tree_has_levels(fit)) levels_left(fit)
  table <- list(threshold = node_threshold(fit), left = children$left, right = children$right,
                default_left = node_default_left(fit),
                levels_left = if (any(lengths(sides))) sides)
  turned <- table$threshold %in% Inf
  if (!any(turned)) return(table)
  table$threshold[turned] <- -Inf
  table$left[turned] <- children$right[turned]
  table$right[turned] <- children$left[turned]
  table$default_left[turned] <- !table$default_left[turned]
  table
}

# `feature`: the number of the column that each node asks, 0 in leaves.
route_nodes <- function(table, feature, columns, values) {
  .Call(ffi_tree_route, feature, table$threshold, table$left, table$right, table$default_left,
        table$levels_left, values,
        columns, threads_for(columns))
}

# For few rows, finding out how many threads there are takes longer than the walks.
threads_for <- function(columns) {
  n_rows <- if (is.matrix(columns)) dim(columns)[1L] else length(columns[[1L]])
  if (n_rows < 50000) 1L else threads_to_use(NULL)
}

# For each node NULL or, at a split by level, whether each level goes left, and last whether an
# unknown one does.
levels_left <- function(fit) {
  all_levels <- node_levels(fit)
  larger_left <- node_larger_left(fit)
  variable <- node_variable(fit)
  lapply(seq_along(variable), function(node) {
    levels <- all_levels[[node]]
    if (is.null(levels)) return(NULL)
    names <- tree_xlevels(fit)[[variable[node]]]
    c(ifelse(names %in% levels$absent, larger_left[node], names %in% levels$left),
      larger_left[node])
  })
}

# What `type` says of rows: `of_rows` gives for each what a vector of integers, one a node, has for
# its leaf.
tell <- function(fit, of_rows, row_names, type, laplace = 0) {
  leaf <- function() of_rows(seq_along(node_ids(fit)))
  switch(type,
    class = class_factor(of_rows(node_label(fit)), tree_classes(fit), row_names),
    response = by_row(node_values(fit)[leaf(), , drop = FALSE], row_names),
    prob = structure(node_proportions(fit, laplace)[leaf(), , drop = FALSE],
                     dimnames = list(row_names, tree_classes(fit))),
    node = stats::setNames(of_rows(node_ids(fit)), row_names),
    path = stats::setNames(leaf_rules(fit, getOption("digits"))[leaf()], row_names))
}

check_laplace <- function(laplace) {
  check_number("laplace", laplace, gettext("a number, at least 0"),
               function(value) is.finite(value) && value >= 0)
}

# factor() would look at every row.
class_factor <- function(codes, classes, names = NULL) {
  structure(codes, names = names, levels = classes, class = "factor")
}
