# From what the user has to what the search takes, and the shape of it, learned once.
#
# read_data() and read_xy() give a `frame`, a list of
#   columns    the predictors: named list of numeric or logical vectors, or a named numeric matrix, without missing values
#   response   factor with all levels of the user's response, without missing values
#   row_names  one name a row
#   shape      what new data must look like: `inputs` (columns it must have) and `names` (predictors after matrices were spread)
#   terms      of the formula; NULL for x and y
#   na.action  what the na.action function left out; NULL if nothing
#   model      the model frame
# new_columns() reads new data after the shape of a fit and gives the same columns.

read_data <- function(formula, data, subset, na.action, env) {
  columns <- check_data(data)
  parts <- read_formula(formula, columns)
  model <- evaluate_variables(c(list(parts$response), parts$predictors), data, env)
  names(model) <- c(variable_label(parts$response), names(parts$predictors))
  model <- as_model_frame(model, data)
  terms <- new_terms(formula, parts, model)
  inputs <- input_names(parts$predictors, columns, env, nrow(model))
  model <- select_rows(model, subset)
  # na.fail would stop without naming a column; check_predictors() stops as well and names it
  if (!identical(na.action, stats::na.fail)) model <- apply_na_action(model, na.action)
  attr(model, "terms") <- terms
  frame <- new_frame(as.list(model)[-1], model[[1]], names(model)[1], attr(model, "row.names"))
  frame$shape$inputs <- inputs
  frame$terms <- terms
  frame$na.action <- attr(model, "na.action")
  frame$model <- model
  frame
}

read_xy <- function(x, y) {
  check_x(x)
  if (is.matrix(x)) {
    if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)))
    if (is.logical(x)) storage.mode(x) <- "integer"
  }
  check_column_names(colnames(x), "x")
  n <- nrow(x)
  if (is.null(dim(y)) && length(y) != n) {
    stop_input("y", gettextf("'x' has %d rows, but 'y' has length %d; give one class for each row of 'x'", n, length(y)))
  }
  frame <- new_frame(if (is.matrix(x)) x else as.list(x), y, "y", xy_row_names(x))
  frame$shape$inputs <- colnames(x)
  frame
}

new_frame <- function(predictors, response, label, row_names) {
  if (NROW(response) == 0) {
    stop_input("data", gettext("there are no rows to learn from: the data is empty, or 'subset' and 'na.action' left nothing of it"))
  }
  response <- read_response(response, label)
  columns <- spread_columns(predictors)
  check_predictors(columns)
  list(columns = columns, response = response, row_names = as.character(row_names), shape = list(names = column_names(columns)))
}

# ---- data and formula ------------------------------------------------------------------------------------------------------

# Names of the columns of `data`, NULL when there is none (the formula's environment then holds the variables).
check_data <- function(data) {
  if (is.null(data)) return(NULL)
  if (!is.data.frame(data)) {
    stop_input("data", gettextf("'data' must be a data frame, not %s; convert it with as.data.frame()", show_value(data)))
  }
  if (nrow(data) == 0) stop_input("data", gettextf("'data' is empty: it has %d columns and 0 rows", ncol(data)))
  if (ncol(data) == 0) stop_input("data", gettextf("'data' has %d rows but 0 columns; it needs the response and a predictor", nrow(data)))
  check_column_names(names(data), "data")
  names(data)
}

check_column_names <- function(names, argument) {
  if (any(bad <- is.na(names) | !nzchar(names))) {
    stop_input(argument, gettextf("column %d of '%s' has no name; name all columns", which(bad)[1], argument))
  }
  if (anyDuplicated(names)) {
    stop_input(argument, gettextf("'%s' has more than one column named %s; make the names unique, for instance with make.unique()",
                                  argument, show_names(unique(names[duplicated(names)]))))
  }
  if (leaf_mark %in% names) {
    stop_input(argument, gettextf("'%s' has a column named '%s', the mark of a leaf; rename it", argument, leaf_mark))
  }
}

# Columns are taken by name, which at 20,000 columns is the difference between milliseconds and minutes; only calls are evaluated.
evaluate_variables <- function(expressions, data, env) {
  columns <- names(data)
  lapply(expressions, function(expression) {
    if (is.name(expression) && as.character(expression) %in% columns) return(data[[as.character(expression)]])
    evaluate_variable(expression, data, env)
  })
}

evaluate_variable <- function(expression, data, env) {
  tryCatch(eval(expression, data, env), error = function(problem) {
    stop_input("formula", gettextf("variable '%s' of 'formula' cannot be evaluated: %s; check the spelling and the columns of 'data'",
                                   variable_label(expression), conditionMessage(problem)))
  })
}

as_model_frame <- function(model, data) {
  if (!is.null(data)) {
    n <- nrow(data)
    row_names <- attr(data, "row.names")
  } else {
    n <- NROW(model[[1]])
    row_names <- .set_row_names(n)
  }
  for (label in names(model)) {
    if (is.function(model[[label]]) || is.null(model[[label]])) {
      stop_input("formula", gettextf("variable '%s' of 'formula' is %s, not data; check the spelling and the columns of 'data'",
                                     label, show_value(model[[label]])))
    }
    if (NROW(model[[label]]) != n) {
      stop_input("formula", gettextf("variable '%s' has length %d, but there are %d rows; all variables need one value a row",
                                     label, NROW(model[[label]]), n))
    }
  }
  structure(model, row.names = row_names, class = "data.frame")
}

# As subset() does, rows for which the condition is NA are left out.
select_rows <- function(model, subset) {
  if (is.null(subset)) return(model)
  if (is.logical(subset) && !length(subset) %in% c(1, nrow(model))) {
    stop_input("subset", gettextf("'subset' has length %d, but there are %d rows", length(subset), nrow(model)))
  }
  if (!is.logical(subset) && !is.numeric(subset) && !is.character(subset)) {
    stop_input("subset", gettextf("'subset' must be a condition on the rows, row numbers or row names, not %s", show_value(subset)))
  }
  model[if (is.logical(subset)) which(rep_len(subset, nrow(model))) else subset[!is.na(subset)], , drop = FALSE]
}

apply_na_action <- function(model, na.action) {
  if (is.null(na.action)) return(model)
  tryCatch(match.fun(na.action)(model), error = function(problem) {
    stop_input("na.action", gettextf("'na.action' (%s) stopped: %s; use na.omit to leave out rows with missing values",
                                     if (is.character(na.action)) na.action else gettext("a function"), conditionMessage(problem)))
  })
}

# The variables that new data must have: the columns of `data` that the predictors use or, without `data`, whatever in the
# formula's environment has one value a row. Constants are found where the formula was written.
input_names <- function(predictors, columns, env, n) {
  used <- unique(unlist(lapply(predictors, all.vars), use.names = FALSE))
  if (!is.null(columns)) return(intersect(used, columns))
  Filter(function(name) NROW(get0(name, env)) == n, used)
}

# ---- x and y ---------------------------------------------------------------------------------------------------------------

check_x <- function(x) {
  if (!is.data.frame(x) && !is.matrix(x)) {
    stop_input("x", gettextf("'x' must be a data frame or a numeric matrix, not %s; convert it with as.data.frame() or as.matrix()",
                             show_value(x)))
  }
  if (is.matrix(x) && !is.numeric(x) && !is.logical(x)) {
    stop_input("x", gettextf("'x' is a matrix of type %s, but must be numeric; give a data frame or convert it with storage.mode(x) <- \"double\"",
                             typeof(x)))
  }
  if (ncol(x) == 0) stop_input("x", gettextf("'x' has %d rows but 0 columns; a tree needs at least one predictor", nrow(x)))
  if (nrow(x) == 0) stop_input("x", gettextf("'x' is empty: it has %d columns and 0 rows", ncol(x)))
}

xy_row_names <- function(x) {
  names <- if (is.matrix(x)) rownames(x) else attr(x, "row.names")
  if (is.null(names)) seq_len(nrow(x)) else names
}

# ---- response --------------------------------------------------------------------------------------------------------------

read_response <- function(response, label) {
  if (!is.null(dim(response)) || is.list(response)) {
    stop_input(label, gettextf("the response '%s' must be a vector of classes, not %s", label, show_value(response)))
  }
  if (is.numeric(response) || inherits(response, c("Date", "POSIXct"))) {
    stop_input(label, gettextf("the response '%s' is numeric (%s), and contree fits classification trees; if its values are classes, use factor(%s)",
                               label, show_values(response), label))
  }
  if (!is.factor(response) && !is.character(response) && !is.logical(response)) {
    stop_input(label, gettextf("the response '%s' must be a factor, character or logical, not %s; use factor(%s)",
                               label, show_value(response), label))
  }
  if (missing <- sum(is.na(response))) {
    stop_input(label, gettextf("the response '%s' is missing (NA) in %d of %d rows; leave these rows out, for instance with na.action = na.omit",
                               label, missing, length(response)))
  }
  if (is.logical(response)) response <- factor(response, levels = c(FALSE, TRUE))
  if (is.character(response)) response <- factor(response)
  if (anyNA(levels(response))) {
    stop_input(label, gettextf("the response '%s' has the level NA; give that level a name", label))
  }
  names(response) <- NULL
  response
}

# ---- predictors ------------------------------------------------------------------------------------------------------------

# Matrices among the variables, as poly() gives them, become one column each, named as as.matrix() names them.
spread_columns <- function(predictors) {
  if (is.matrix(predictors)) return(predictors)
  matrices <- vapply(predictors, function(value) is.matrix(value) || is.data.frame(value), NA)
  if (!any(matrices)) return(predictors)
  predictors[matrices] <- Map(spread_matrix, predictors[matrices], names(predictors)[matrices])
  predictors[!matrices] <- Map(function(value, label) stats::setNames(list(value), label),
                               predictors[!matrices], names(predictors)[!matrices])
  do.call(c, unname(predictors))
}

spread_matrix <- function(value, label) {
  if (is.data.frame(value)) {
    stop_input(label, gettextf("predictor '%s' is a data frame inside a data frame; make its columns columns of 'data'", label))
  }
  suffix <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
  stats::setNames(lapply(seq_len(ncol(value)), function(j) as.vector(value[, j])), paste(label, suffix, sep = "."))
}

column_names <- function(columns) if (is.matrix(columns)) colnames(columns) else names(columns)

check_predictors <- function(columns) {
  check_column_types(columns)
  check_column_names(column_names(columns), "data")
  complete <- if (is.matrix(columns)) is_clean(columns) else all(vapply(columns, is_clean, NA))
  if (!complete) refuse_unclean(columns)
}

# Plain numbers and logicals pass; what is wrong with anything else is said by name.
check_column_types <- function(columns) {
  if (is.matrix(columns)) return(invisible())
  fine <- vapply(columns, is_plain_column, NA)
  if (!all(fine)) refuse_column(columns[[which(!fine)[1]]], names(columns)[!fine][1])
}

is_plain_column <- function(value) {
  (is.numeric(value) || is.logical(value)) && is.null(dim(value)) && !inherits(value, "integer64")
}

refuse_column <- function(value, label) {
  if (is.factor(value) || is.character(value)) {
    stop_unsupported(label, gettextf("predictor '%s' is %s, and this version supports numeric, integer and logical predictors only; leave it out, or turn it into numbers (0/1 columns, or as.integer() where the levels have an order)",
                                     label, if (is.factor(value)) gettext("a factor") else gettext("character")))
  }
  if (inherits(value, c("Date", "POSIXt", "difftime"))) {
    stop_unsupported(label, gettextf("predictor '%s' is of class %s, and this version supports numeric, integer and logical predictors only; convert it with as.numeric()",
                                     label, class(value)[1]))
  }
  stop_input(label, gettextf("predictor '%s' is %s, but predictors must be numeric, integer or logical vectors; convert it or leave it out",
                             label, if (is.list(value)) gettext("a list") else show_value(value)))
}

# No missing, infinite or not-a-number value. The sum of doubles is finite unless one of them is not (or it overflows), and
# costs no memory.
is_clean <- function(values) {
  if (!is.double(values)) return(!anyNA(values))
  is.finite(sum(values)) || all(is.finite(values))
}

refuse_unclean <- function(columns) {
  matrix <- is.matrix(columns)
  clean <- if (matrix) apply(columns, 2, is_clean) else vapply(columns, is_clean, NA)
  bad <- which(!clean)[1]
  label <- column_names(columns)[bad]
  values <- if (matrix) columns[, bad] else columns[[bad]]
  missing <- sum(is.na(values) & !is.nan(values))
  if (missing) {
    stop_unsupported(label, gettextf("predictor '%s' is missing (NA) in %d of %d rows, and this version does not support missing values in training; leave these rows out (na.action = na.omit) or fill them in first",
                                     label, missing, length(values)))
  }
  row <- which(!is.finite(values))[1]
  stop_input(label, gettextf("predictor '%s' has the value %s in row %d; predictors must be finite: replace it, or leave the row out",
                             label, format(values[row]), row))
}

# ---- new data --------------------------------------------------------------------------------------------------------------

# The predictors of `newdata` by the shape of a fit: list(columns, row_names, na.action). Order does not matter, other columns
# are ignored; missing values may stay.
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
  if (is.matrix(newdata)) newdata <- check_new_matrix(newdata, shape, is.null(tree_terms(fit)))
  else if (!is.data.frame(newdata)) {
    stop_input("newdata", gettextf("'newdata' must be a data frame%s, not %s", if (is.null(tree_terms(fit))) gettext(" or a matrix") else "",
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
      stop_input("newdata", gettextf("'newdata' has no column names and %d columns, but the tree was fitted with %d predictors; name its columns",
                                     ncol(newdata), length(shape$names)))
    }
    colnames(newdata) <- shape$names
  }
  if (keep) newdata else as.data.frame(newdata)
}

evaluate_terms <- function(terms, newdata) {
  labels <- attr(terms, "term.labels")
  expressions <- as.list(attr(terms, "predvars"))[-(1:2)]
  names <- vapply(as.list(attr(terms, "variables"))[-(1:2)], variable_label, "")
  columns <- names(newdata)
  n <- nrow(newdata)
  values <- lapply(expressions, function(expression) {
    if (is.name(expression) && as.character(expression) %in% columns) return(newdata[[as.character(expression)]])
    value <- eval(expression, newdata, environment(terms))
    if (NROW(value) == n) return(value)
    stop_input("newdata", gettextf("variable '%s' has length %d in 'newdata', which has %d rows", variable_label(expression),
                                   NROW(value), n))
  })
  stats::setNames(values, names)
}

# A column of NA alone is logical in R whatever it stands for, hence numbers and logicals may stand for each other.
check_new_types <- function(columns) {
  fine <- vapply(columns, is_plain_column, NA)
  if (all(fine)) return(invisible())
  label <- names(columns)[!fine][1]
  stop_input("newdata", gettextf("column '%s' of 'newdata' is %s, but the tree was fitted with numbers; convert it as in the training data",
                                 label, describe_type(columns[[label]])))
}

describe_type <- function(value) {
  if (is.factor(value)) gettext("a factor") else if (is.character(value)) gettext("character") else show_value(value)
}
