# as.rpart(): a tree as one of the package rpart.

#' @rdname as.rpart
#' @section rpart:
#' Predictions of the object are those of [predict.contree()]. `rpart` itself sends a row with a
#' missing value to the larger child; where the tree has learned another direction, surrogate splits
#' on its other predictors, each true for all values, send the row there. The limits of `rpart` are:
#'
#' * A row in which all predictors that the tree uses are missing goes to the larger child at every
#'   split, and stays in a node whose children are equally large. If the tree sends it elsewhere and
#'   some training rows had missing values, there is a warning of class
#'   `contree_conversion_warning`.
#' * A level that did not occur in training is an error, and so is a missing value that is a level,
#'   as [addNA()] makes it.
#' * Its `predict()` cannot handle predictors whose names contain backquotes, backslashes or line
#'   breaks.
#'
#' It shows dates and levels of ordered factors as numbers, and a split that separates missing
#' values from all others as `< -Inf` or `>=-Inf`.
#'
#' The complexity table (`cptable`) has two rows, the root and the whole tree; there are no
#' competing splits. It has no cross-validated errors, which `rpart::plotcp()` and
#' `rpart::rsq.rpart()` draw: both end in an error, as for trees of rpart with `xval = 0`. Its
#' `model.frame()` needs the training data, for without them rpart evaluates the call, which is not
#' one of its own. The object of `as.rpart()` holds those columns of the training data that the tree
#' uses: from `data`, from a fit made with `model = TRUE`, or as `model.frame(x)` finds them again;
#' where they are not found, it is without them. `rpart.plot()` uses them to recognise predictors
#' that are whole numbers; without them it looks for the data named in the call and warns if they
#' are not found (`roundint = FALSE` avoids this).
#'
#' @section Errors:
#' `contree_input_error` if `data` is not a data frame with the training rows;
#' `contree_unsupported_error` for a tree whose leaves hold neither a class nor one number nor, for
#' `as.party()`, a linear model, and for one that asks for a predictor named `...`, `..1` or so.
#' @return `as.rpart()`: an object of class `rpart`, see `rpart::rpart.object`.
#' @examplesIf requireNamespace("rpart", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' tree <- as.rpart(fit)
#' print(tree)
#' table(predict(tree, iris, type = "class"), predict(fit))
#' @export
as.rpart <- function(x, ...) UseMethod("as.rpart")

#' @rdname as.rpart
#' @export
as.rpart.contree_model <- function(x, data = NULL, ...) {
  check_no_dots(...)
  need_package("rpart", "as.rpart()")
  check_fit(x, "x")
  if (!tree_leaf(x) %in% c("classes", "number")) {
    stop_unsupported("x", gettext(
      "trees of rpart predict a class or one number in each leaf; this one does not"))
  }
  refuse_dots(x, "x")
  terms <- used_terms(x)
  classes <- predicts_classes(x)
  # a tree of a forest, or of a document, does not know its rows
  if (is.null(data) && length(tree_where(x))) {
    data <- if (is.null(tree_terms(x))) rows_of_xy(x, terms, parent.frame())
            else rows_of_fit(x, parent.frame())
  }
  template <- rpart_template(tree_classes(x))
  tree <- c(rpart_nodes_and_splits(x), list(
    where = leaf_of_rows(x), call = rpart_call(tree_call(x)), y = response_of_rows(x),
    terms = terms, cptable = rpart_cptable(x),
    method = if (classes) "class" else "anova",
    parms = if (classes) list(prior = node_proportions(x)[1, ], loss = rpart_loss(x), split = 1),
    control = template$control, functions = functions_of_rpart(template, tree_classes(x)),
    numresp = if (classes) length(tree_classes(x)) + 2L else 1L,
    variable.importance = tree_importance(x), na.action = tree_na_action(x),
    model = frame_of_rows(x, terms, data)))
  tree <- with_names_of_rpart(tree)
  warn_of_direction(x)
  levels <- tree_xlevels(x)
  structure(tree[!vapply(tree, is.null, NA)],
            xlevels = levels[intersect(names(levels), names(attr(terms, "dataClasses")))],
            ylevels = tree_classes(x), class = "rpart")
}

# rpart has the columns of a matrix by the names that stats::model.matrix() gives them: without the
# dot and, of a single column, without more than the name of the matrix.
with_names_of_rpart <- function(tree) {
  classes <- attr(tree$terms, "dataClasses")[-1]
  columns <- as.integer(sub("nmatrix.", "", classes[startsWith(classes, "nmatrix.")], fixed = TRUE))
  labels <- names(classes)[startsWith(classes, "nmatrix.")]
  renamed <- function(names) {
    for (k in seq_along(labels)) {
      own <- startsWith(names, paste0(labels[k], ".")) & !names %in% names(classes)
      suffix <- substring(names[own], nchar(labels[k]) + 2)
      names[own] <- paste0(labels[k], if (columns[k] > 1) suffix)
    }
    names
  }
  if (length(labels) == 0) return(tree)
  tree$frame$var <- renamed(tree$frame$var)
  if (!is.null(tree$splits)) rownames(tree$splits) <- renamed(rownames(tree$splits))
  if (!is.null(tree$variable.importance)) {
    names(tree$variable.importance) <- renamed(names(tree$variable.importance))
  }
  tree
}

# The training rows of a fit of x and y as the call of the fit finds them, as a model frame; NULL if
# it does not, or they are others.
rows_of_xy <- function(fit, terms, env) {
  call <- tree_call(fit)
  frame <- tryCatch({
    x <- as.list(as.data.frame(named_columns(eval(call[["x"]], env))))
    variables <- names(attr(terms, "dataClasses"))
    frame <- structure(c(list(eval(call[["y"]], env)), x[variables[-1]]), names = variables,
                       row.names = .set_row_names(length(x[[1]])), class = "data.frame")
    left_out <- tree_na_action(fit)
    if (length(left_out)) frame <- frame[-left_out, , drop = FALSE]
    attr(frame, "row.names") <- names(tree_where(fit))
    structure(frame, terms = terms)
  }, error = function(problem) NULL)
  if (!is.null(frame) && nrow(frame) == length(tree_where(fit)) &&
      is.null(tryCatch(model_fault(fit, frame), error = function(problem) ""))) frame
}

# What R looks for among arguments wherever it evaluates a formula.
refuse_dots <- function(fit, argument) {
  dots <- grep("^([.]{3}|[.]{2}[0-9]+)$", used_predictors(fit), value = TRUE)
  if (length(dots) == 0) return(invisible())
  stop_unsupported(argument, gettextf(paste(
    "the tree asks for %s, which formulas of other packages take for arguments of a function;",
    "rename the predictor and fit the tree again"), show_names(dots)))
}

#' @export
as.rpart.default <- function(x, ...) check_fit(x, "x")

# Methods of rpart look for the call of a function of this name, and for ever where there is none.
rpart_call <- function(call) {
  if (is.call(call)) call[[1]] <- quote(rpart::rpart)
  call
}

# By row; NULL if the fit does not have them.
response_of_rows <- function(fit) {
  if (!is.null(tree_y(fit))) stats::setNames(tree_y(fit), names(tree_where(fit)))
}

rpart_loss <- function(fit) {
  if (is.null(tree_loss(fit))) 1 - diag(length(tree_classes(fit))) else unname(tree_loss(fit))
}

# rpart's own functions for printing nodes, and its default settings.
rpart_template <- function(classes) {
  y <- if (is.null(classes)) 1:2 else factor(classes, levels = classes)
  rpart::rpart(y ~ x, data.frame(y = y, x = seq_along(y)),
               method = if (is.null(classes)) "anova" else "class",
               control = rpart::rpart.control(usesurrogate = 2, xval = 0))
}

# Its print() asks for two classes, though a tree may know one.
functions_of_rpart <- function(template, classes) {
  functions <- template$functions
  if (length(classes) == 1) {
    functions$print <- function(yval, ylevel, ...) paste0(ylevel[yval[, 1]], " (1)")
    environment(functions$print) <- baseenv()
  }
  functions
}

# Two trees: the root costs 1, each split of the whole tree saves the same proportion on average.
rpart_cptable <- function(fit) {
  splits <- sum(!node_is_leaf(fit))
  root <- if (node_errors(fit)[1] > 0) node_errors(fit)[1] else 1
  error <- sum(node_errors(fit)[node_is_leaf(fit)]) / root
  table <- cbind(CP = c((1 - error) / max(1, splits), 0), nsplit = c(0, splits),
                 "rel error" = c(1, error))
  rownames(table) <- 1:2
  if (splits == 0) table[2, , drop = FALSE] else table
}

# ---- nodes and splits ----------------------------------------------------------------------------

# The parts `frame`, `splits`, `csplit` and `ordered`. The surrogates of a split stand behind it.
# Where all values go to one side, Inf is one of them: none is less than -Inf.
rpart_nodes_and_splits <- function(fit) {
  parts <- rpart_parts(fit)
  leaf <- node_is_leaf(fit)
  surrogates <- lapply(seq_along(leaf),
                       function(node) if (needs_surrogates(fit)[node]) surrogate_rows(fit, node))
  parts$frame <- cbind(parts$frame[1:5], complexity = ifelse(leaf, 0, rpart_cptable(fit)[1, "CP"]),
                       ncompete = 0L,
                       nsurrogate = vapply(surrogates, NROW, 0L), parts$frame[-(1:5)])
  if (all(leaf)) return(parts["frame"])
  turned <- parts$splits[, "index"] %in% Inf
  parts$splits[turned, c("ncat", "index")] <- rep(c(1, -Inf), each = sum(turned))
  primary <- lapply(seq_len(sum(!leaf)), function(row) parts$splits[row, , drop = FALSE])
  parts$splits <- do.call(rbind, c(rbind(primary, surrogates[!leaf])))
  # levels without training rows in the node would follow the surrogates
  for (node in which(lengths(node_levels(fit)) > 0 & needs_surrogates(fit))) {
    row <- split_column(fit, "index")[node]
    parts$csplit[row, parts$csplit[row, ] == 2L] <- if (node_larger_left(fit)[node]) 1L else 3L
  }
  # surrogates by level ask for the row of the table that says left, or right, for all levels
  if (!is.null(parts$csplit)) {
    rows <- nrow(parts$csplit)
    parts$csplit <- rbind(parts$csplit, 1L, 3L)
    constant <- parts$splits[, "index"] < 0 & parts$splits[, "ncat"] > 1
    parts$splits[constant, "index"] <- rows - parts$splits[constant, "index"]
  }
  parts
}

# Does a missing value go where rpart would not send it, to the child with more rows?
needs_surrogates <- function(fit) {
  inner <- !node_is_leaf(fit)
  inner & (node_default_left(fit) != node_larger_left(fit) | node_is_tied(fit)) %in% TRUE
}

node_is_tied <- function(fit) {
  children <- node_children(fit)
  n <- c(NA, node_n(fit))
  n[children$left + 1] == n[children$right + 1]
}

# Splits on the other predictors by which all rows go where a missing value goes. The index of those
# by level is -1 for left and -2 for right until it has its place.
surrogate_rows <- function(fit, node) {
  others <- setdiff(used_predictors(fit), node_variable(fit)[node])
  if (length(others) == 0) return(NULL)
  left <- node_default_left(fit)[node]
  by_level <- tree_types(fit)[others] %in% c("factor", "character")
  ncat <- ifelse(by_level, pmax(2, lengths(tree_xlevels(fit)[others])), if (left) 1 else -1)
  index <- ifelse(by_level, if (left) -1 else -2, -Inf)
  matrix(c(0 * ncat, ncat, 0 * ncat, index, 0 * ncat), ncol = 5, dimnames = list(others, NULL))
}

# The row that surrogates cannot help: without a value in any predictor.
warn_of_direction <- function(fit) {
  if (!any(node_missing(fit) > 0)) return(invisible())
  children <- node_children(fit)
  tied <- node_is_tied(fit)
  ours <- theirs <- 1L
  while (!node_is_leaf(fit)[ours]) {
    ours <- children[[if (node_default_left(fit)[ours]) "left" else "right"]][ours]
  }
  while (!node_is_leaf(fit)[theirs] && !tied[theirs]) {
    theirs <- children[[if (node_larger_left(fit)[theirs]) "left" else "right"]][theirs]
  }
  if (ours == theirs) return(invisible())
  warn_contree("conversion_warning", gettextf(
    "a row in which %s are missing goes to node %d of the tree, but to node %d for rpart",
    show_names(used_predictors(fit)), node_ids(fit)[ours], node_ids(fit)[theirs]))
}
