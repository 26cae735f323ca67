# New data after the shape that frame.R learned from the training data.

# The predictors of `newdata` by the shape of a fit: list(columns, row_names, na.action). Order does not matter, other
# columns are ignored; missing values may stay.
new_columns <- function(fit, newdata, na.action) {
  newdata <- check_newdata(newdata, fit)
  shape <- tree_shape(fit)
  terms <- tree_terms(fit)
  if (is.matrix(newdata) && identical(na.action, stats::na.pass)) return(matrix_columns(newdata))
  newdata <- as.data.frame(newdata)
  predictors <- if (is.null(terms)) as.list(newdata)[shape$inputs] else evaluate_terms(terms, newdata)
  model <- structure(predictors, row.names = attr(newdata, "row.names"), class = "data.frame")
  model <- apply_na_action(model, na.action)
  columns <- spread_columns(as.list(model))
  check_new_types(columns)
  list(columns = columns, row_names = as.character(attr(model, "row.names")), na.action = attr(model, "na.action"))
}

matrix_columns <- function(newdata) {
  if (is.logical(newdata)) storage.mode(newdata) <- "integer"
  list(columns = newdata, row_names = rownames(newdata), na.action = NULL)
}

# `newdata` as a data frame, or as a numeric matrix with column names where the fit was made from x and y.
check_newdata <- function(newdata, fit) {
  shape <- tree_shape(fit)
  if (is.matrix(newdata)) {
    newdata <- check_new_matrix(newdata, shape, is.null(tree_terms(fit)))
  } else if (!is.data.frame(newdata)) {
    stop_input("newdata", gettextf("'newdata' must be a data frame or a matrix, not %s; convert it with as.data.frame()",
                                   show_value(newdata)))
  }
  missing <- setdiff(shape$inputs, colnames(newdata))
  if (length(missing)) {
    stop_input("newdata", gettextf("'newdata' lacks %s, which the tree was fitted with; add it (values may be NA)",
                                   show_names(missing)))
  }
  newdata
}

check_new_matrix <- function(newdata, shape, keep) {
  if (!is.numeric(newdata) && !is.logical(newdata)) {
    stop_input("newdata", gettextf("'newdata' is a matrix of type %s, but must be numeric; give a data frame or convert it",
                                   typeof(newdata)))
  }
  if (is.null(colnames(newdata))) {
    if (ncol(newdata) != length(shape$names)) {
      stop_input("newdata", gettextf(
        "'newdata' has no column names and %d columns, but the tree was fitted with %d predictors; name its columns",
        ncol(newdata), length(shape$names)))
    }
    colnames(newdata) <- shape$names
  }
  if (keep) newdata else as.data.frame(newdata)
}

evaluate_terms <- function(terms, newdata) {
  expressions <- as.list(attr(terms, "predvars"))[-(1:2)]
  values <- evaluate_variables(expressions, newdata, function(expression) {
    value <- tryCatch(eval(expression, newdata, environment(terms)), error = function(problem) {
      stop_input("newdata", gettextf("variable '%s' cannot be evaluated in 'newdata': %s; give its columns as in training",
                                     variable_label(expression), conditionMessage(problem)))
    })
    if (NROW(value) == nrow(newdata)) return(value)
    stop_input("newdata", gettextf("variable '%s' has length %d in 'newdata', which has %d rows", variable_label(expression),
                                   NROW(value), nrow(newdata)))
  })
  stats::setNames(values, vapply(as.list(attr(terms, "variables"))[-(1:2)], variable_label, ""))
}

# A column of NA alone is logical in R whatever it stands for, hence numbers and logicals may stand for each other.
check_new_types <- function(columns) {
  fine <- vapply(columns, is_plain_column, NA)
  if (all(fine)) return(invisible())
  label <- names(columns)[!fine][1]
  stop_input("newdata", gettextf(
    "column '%s' of 'newdata' is %s, but the tree was fitted with numbers; convert it as in the training data",
    label, describe_type(columns[[label]])))
}
