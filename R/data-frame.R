# From what the user has to what the search takes, and the shape of it, learned once.
#
# read_data() and read_xy() give a `frame`, a list of
#   columns    the predictors as data-columns.R reads them: named list of vectors, or a named
#              numeric matrix; NA is missing
#   types, xlevels, units, contrasts  what they stand for, see data-columns.R
#   response   factor with all levels of the user's response, without missing values
#   weights    one a row; NULL if each counts 1
#   exposure   of forests, one a row; NULL if there is none
#   offset     of model trees, one a row; NULL if there is none
#   loss       what errors cost, see exact-costs.R; set by the methods of contree()
#   row_names  one name a row
#   shape      what new data must look like: `inputs` (columns it must have), `names` (predictors,
#              matrices spread)
#   terms      of the formula; NULL for x and y
#   na.action  which rows were left out because of missing values; NULL if none
#   model      the model frame
# data-newdata.R reads new data after that shape; what a response and a predictor may be is said in
# data-columns.R.

read_data <- function(formula, data, subset, na.action, env, missing = "learn", weights = NULL,
                      read = read_response, parts = read_formula(formula, columns),
                      exposure = NULL, offset = NULL) {
  columns <- check_data(data)
  evaluate <- function(expression) {
    if (is_product(expression)) expression <- product_call(expression)
    evaluate_variable(expression, data, env)
  }
  model <- evaluate_variables(c(list(parts$response), parts$predictors), data, evaluate)
  names(model) <- c(variable_label(parts$response), names(parts$predictors))
  check_reserved(names(model))
  model <- as_model_frame(model, data)
  inputs <- input_names(parts$predictors, columns, env, nrow(model))
  data_names <- if (is.null(columns)) {
    c(inputs, input_names(list(parts$response), NULL, env, nrow(model)))
  } else {
    columns
  }
  terms <- new_terms(formula, parts, model, data_names)
  model[["(weights)"]] <- check_weights(weights, nrow(model))
  model[["(exposure)"]] <- check_exposure(exposure, nrow(model))
  model[["(offset)"]] <- check_offset(offset, nrow(model))
  model <- select_rows(model, subset)
  model <- handle_missing(model, na.action, missing)
  attr(model, "terms") <- terms
  frame <- new_frame(predictors_of(model), model[[1]], names(model)[1], attr(model, "row.names"),
                     read)
  frame$weights <- settle_weights(model[["(weights)"]])
  frame$exposure <- model[["(exposure)"]]
  frame$offset <- settle_offset(model[["(offset)"]])
  frame$shape$inputs <- inputs
  frame$terms <- terms
  frame$na.action <- attr(model, "na.action")
  frame$model <- model
  frame
}

# The model frame has weights and offsets as stats::model.frame() names them, and exposures alike.
beside_variables <- c("(weights)", "(exposure)", "(offset)")

predictors_of <- function(model) as.list(model)[setdiff(names(model)[-1], beside_variables)]

check_reserved <- function(names) {
  if (!any(reserved <- names %in% beside_variables)) return(invisible())
  stop_input("formula", gettextf(paste(
    "a variable of the formula is named '%s', as weights and offsets are in model frames;",
    "rename the column"), names[reserved][1]))
}

read_xy <- function(x, y, missing = "learn", weights = NULL, read = read_response,
                    exposure = NULL, argument = "x", offset = NULL) {
  check_x(x, argument)
  x <- named_columns(x)
  check_column_names(colnames(x), argument)
  n <- nrow(x)
  if (NROW(y) != n) {
    stop_input("y", gettextf(
      "'x' has %d rows, but 'y' has length %d; give one class for each row of 'x'", n, NROW(y)))
  }
  row_names <- kept_names <- xy_row_names(x)
  weights <- check_weights(weights, n)
  exposure <- check_exposure(exposure, n)
  offset <- check_offset(offset, n)
  drop <- rows_to_drop(x, y, "y", missing)
  if (any(drop)) {
    kept_names <- row_names[!drop]
    x <- x[!drop, , drop = FALSE]
    y <- y[!drop]
    weights <- weights[!drop]
    exposure <- exposure[!drop]
    offset <- offset[!drop]
  }
  frame <- new_frame(if (is.matrix(x)) x else as.list(x), y, "y", kept_names, read)
  frame$shape$inputs <- colnames(x)
  frame$weights <- settle_weights(weights)
  frame$exposure <- exposure
  frame$offset <- settle_offset(offset)
  frame$na.action <- left_out(drop, row_names)
  frame
}

# A matrix with names of its columns, and numbers for logical values; anything else as it is.
named_columns <- function(x) {
  if (!is.matrix(x)) return(x)
  if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)))
  if (is.logical(x)) storage.mode(x) <- "integer"
  x
}

# Some rows of a frame: logical, or numbers, which may come several times.
rows_of_frame <- function(frame, rows) {
  frame$columns <- rows_of_columns(frame$columns, rows)
  parts <- c("response", "weights", "exposure", "offset", "row_names")
  for (part in intersect(parts, names(frame))) {
    frame[[part]] <- frame[[part]][rows]
  }
  frame
}

# `read`: read_response(), or another function of the response and its label.
new_frame <- function(predictors, response, label, row_names, read = read_response) {
  if (NROW(response) == 0) {
    stop_input("data", gettext("there are no rows to fit the tree to"),
               gettext("check what 'subset', 'na.action' and missing values leave of the data"))
  }
  response <- read(response, label)
  predictors <- read_predictors(spread_columns(predictors))
  list(columns = predictors$values, types = predictors$types, xlevels = predictors$xlevels,
       units = predictors$units, contrasts = predictors$contrasts,
       response = response, row_names = as.character(row_names),
       shape = list(names = names(predictors$types)))
}

# ---- data and formula ----------------------------------------------------------------------------

# Names of the columns of `data`, NULL when there is none (the formula's environment then holds the
# variables).
check_data <- function(data) {
  if (is.null(data)) return(NULL)
  if (!is.data.frame(data)) refuse_data(data)
  if (nrow(data) == 0) stop_input("data", gettextf("'data' is empty: it has %d columns and 0 rows",
                                                   ncol(data)))
  if (ncol(data) == 0) {
    stop_input("data",
               gettextf("'data' has %d rows but 0 columns; it needs the response and a predictor",
                        nrow(data)))
  }
  check_column_names(names(data), "data")
  names(data)
}

refuse_data <- function(data) {
  advice <- if (inherits(data, "DBIConnection")) {
    gettext("name the table: contree_table(con, \"table\")")
  } else if (inherits(data, "tbl_sql")) {
    gettext("give contree_table(dbplyr::remote_con(data), dbplyr::sql_render(data))")
  } else if (inherits(data, c("ArrowObject", "arrow_dplyr_query"))) {
    gettext("open it in DuckDB, and give contree_table(con, \"table\")")
  } else if (is_table(data)) {
    gettext("tables of databases are for the formula methods of contree() and hist_forest()")
  } else {
    gettext("convert it with as.data.frame()")
  }
  stop_input("data", gettextf("'data' must be a data frame, not %s", show_value(data)), advice)
}

check_column_names <- function(names, argument) {
  if (any(bad <- is.na(names) | !nzchar(names))) {
    stop_input(argument, gettextf("column %d of '%s' has no name; name all columns", which(bad)[1],
                                  argument))
  }
  if (anyDuplicated(names)) {
    stop_input(argument, gettextf(
      "'%s' has more than one column named %s; make the names unique, as with make.unique()",
      argument, show_names(unique(names[duplicated(names)]))))
  }
  if (leaf_mark %in% names) {
    stop_input(argument, gettextf(
      "'%s' has a column named '%s', which is reserved for leaves; rename it", argument, leaf_mark))
  }
}

# The value of each expression. Names of columns are looked up all at once: one by one they would
# take minutes at 20,000.
evaluate_variables <- function(expressions, data, evaluate) {
  column <- match(vapply(expressions, function(e) if (is.name(e)) as.character(e) else "", ""),
                  names(data), 0L)
  Map(function(expression, column) if (column > 0) .subset2(data, column) else evaluate(expression),
      expressions, column)
}

evaluate_variable <- function(expression, data, env) {
  tryCatch(eval(expression, data, env), error = function(problem) {
    stop_input("formula",
               gettextf("variable '%s' of 'formula' cannot be evaluated: %s",
                        variable_label(expression), conditionMessage(problem)),
               gettext("check the spelling and the columns of 'data'"))
  })
}

# An argument of contree() that is an expression in the columns, as `subset` is.
evaluate_argument <- function(argument, expression, data, env) {
  tryCatch(eval(expression, data, env), error = function(problem) {
    stop_input(argument, gettextf(
      "'%s' (%s) cannot be evaluated: %s; check the spelling and the columns of 'data'",
      argument, variable_label(expression), conditionMessage(problem)))
  })
}

as_model_frame <- function(model, data) {
  if (!is.null(data)) {
    n <- nrow(data)
    row_names <- .row_names_info(data, 0L) # attr() would write them out
  } else {
    n <- NROW(model[[1]])
    row_names <- .set_row_names(n)
  }
  if (any(bad <- vapply(model, function(value) is.function(value) || is.null(value), NA))) {
    label <- names(model)[bad][1]
    stop_input("formula", gettextf(
      "variable '%s' of 'formula' is %s, not data; check the spelling and the columns of 'data'",
      label, show_value(model[[label]])))
  }
  lengths <- vapply(model, NROW, 0L)
  if (any(bad <- lengths != n)) {
    stop_input("formula", gettextf(
      "variable '%s' has length %d, but there are %d rows; each variable needs one value per row",
      names(model)[bad][1], lengths[bad][1], n))
  }
  structure(model, row.names = row_names, class = "data.frame")
}

# As subset() does, rows for which the condition is NA are left out.
select_rows <- function(model, subset) {
  if (is.null(subset)) return(model)
  if (is.logical(subset) && !length(subset) %in% c(1, nrow(model))) {
    stop_input("subset", gettextf("'subset' has length %d, but there are %d rows", length(subset),
                                  nrow(model)))
  }
  known <- is.logical(subset) || is.numeric(subset) || is.character(subset)
  if (!known || inherits(subset, "integer64")) {
    stop_input("subset", gettextf(
      "'subset' must be a condition on the rows, row numbers or row names, not %s",
      show_value(subset)))
  }
  rows <- if (is.logical(subset)) which(rep_len(subset, nrow(model))) else subset[!is.na(subset)]
  absent <- if (is.character(rows)) !rows %in% row.names(model) else abs(rows) > nrow(model)
  if (any(absent)) {
    stop_input("subset", gettextf(
      "'subset' selects row %s, which does not exist; there are %d rows",
      show_value(rows[absent][1]), nrow(model)))
  }
  if (is.numeric(rows) && any(rows <= -1) && any(rows >= 1)) {
    stop_input("subset", gettextf("'subset' selects row %s and leaves out row %s",
                                  format(rows[rows >= 1][1]), format(-rows[rows <= -1][1])),
               gettext("give the rows to take, or those to leave out"))
  }
  model[rows, , drop = FALSE]
}

apply_na_action <- function(model, na.action) {
  if (is.null(na.action)) return(model)
  action <- function_of(na.action)
  kept <- tryCatch(action(model), error = function(problem) {
    said <- if (is.character(na.action)) na.action else gettext("a function")
    stop_input("na.action", gettextf(
      "'na.action' (%s) failed: %s; use na.omit to leave out rows with missing values",
      said, conditionMessage(problem)))
  })
  if (is.data.frame(kept) && identical(names(kept), names(model))) return(kept)
  stop_input("na.action", gettextf(
    "'na.action' must give some rows of the data frame that it is given, not %s", show_value(kept)))
}

# match.fun() would look for a function of the name of the argument.
function_of <- function(na.action) {
  if (is.function(na.action)) return(na.action)
  found <- if (is.character(na.action) && length(na.action) == 1 && !na.action %in% c(NA, "")) {
    get0(na.action, mode = "function")
  }
  if (!is.null(found)) return(found)
  stop_input("na.action", gettextf(
    "'na.action' must be a function, or the name of one, such as na.omit, not %s",
    show_value(na.action)))
}

# ---- missing values ------------------------------------------------------------------------------

# A na.action that was given decides, else the setting `missing`. Rows without a response are of no
# use in any case.
handle_missing <- function(model, na.action, missing) {
  if (identical(na.action, stats::na.fail)) {
    # it would stop without naming a column
    missing <- "fail"
  } else if (!is.null(na.action)) {
    model <- apply_na_action(model, na.action)
    missing <- "learn"
  }
  drop <- rows_to_drop(predictors_of(model), model[[1]], names(model)[1], missing)
  if (!any(drop)) return(model)
  earlier <- attr(model, "na.action")
  structure(model[!drop, , drop = FALSE],
            na.action = left_out(drop, attr(model, "row.names"),
                                 if (is.null(earlier)) integer() else earlier))
}

# Which rows cannot be learned from: those without a response and, if missing values are to be
# omitted, those with a missing predictor.
rows_to_drop <- function(predictors, response, label, missing) {
  if (missing == "fail") refuse_missing(predictors, response, label)
  drop <- is.na(response)
  # read_response() will refuse it
  if (is.list(response) || !is.null(dim(response))) drop <- logical(NROW(response))
  if (missing != "omit") return(drop)
  for (value in if (is.matrix(predictors)) list(predictors) else predictors) {
    drop <- drop | row_is_missing(value)
  }
  drop
}

row_is_missing <- function(value) {
  if (length(dim(value)) == 2) rowSums(is.na(value)) > 0 else is.na(value)
}

refuse_missing <- function(predictors, response, label) {
  if (is.matrix(predictors)) predictors <- as.list(as.data.frame(predictors))
  values <- c(stats::setNames(list(response), label), predictors)
  for (name in names(values)) {
    bad <- row_is_missing(values[[name]])
    if (any(bad)) {
      stop_input(name,
                 gettextf("'%s' is missing (NA) in %d of %d rows", name, sum(bad), length(bad)),
                 gettext("learn where they go (missing = \"learn\") or leave them out (\"omit\")"))
    }
  }
}

# The rows that are left out as na.omit() has them; `earlier` were left out before.
left_out <- function(drop, row_names, earlier = integer()) {
  if (!any(drop)) return(NULL)
  before <- setdiff(seq_len(length(drop) + length(earlier)), earlier)
  rows <- c(stats::setNames(before[drop], row_names[drop]),
            stats::setNames(as.integer(earlier), names(earlier)))
  structure(sort(rows), class = "omit")
}

# The variables that new data must have: the columns of `data` that the predictors use or, without
# `data`, whatever in the formula's environment has one value a row. Constants are found where the
# formula was written.
input_names <- function(predictors, columns, env, n) {
  used <- unique(unlist(lapply(predictors, all.vars), use.names = FALSE))
  if (!is.null(columns)) return(intersect(used, columns))
  Filter(function(name) NROW(get0(name, env)) == n, used)
}

# ---- x and y -------------------------------------------------------------------------------------

check_x <- function(x, argument = "x") {
  if (!is.data.frame(x) && !is.matrix(x)) {
    stop_input(argument, gettextf("'%s' must be a data frame or a numeric matrix, not %s", argument,
                                  show_value(x)),
               gettext("convert it with as.data.frame() or as.matrix()"))
  }
  if (is.matrix(x) && !is.numeric(x) && !is.logical(x)) {
    stop_input(argument, gettextf("'%s' is a matrix of type %s, but must be numeric", argument,
                                  typeof(x)),
               gettextf("give a data frame, or set storage.mode(%s) <- \"double\"", argument))
  }
  if (ncol(x) == 0) {
    stop_input(argument, gettextf(
      "'%s' has %d rows but 0 columns; a tree needs at least one predictor", argument, nrow(x)))
  }
  if (nrow(x) == 0) {
    stop_input(argument, gettextf("'%s' is empty: it has %d columns and 0 rows", argument, ncol(x)))
  }
}

# Rows that a user gives: a data frame or a matrix.
check_table <- function(argument, rows) {
  if (is.data.frame(rows) || is.matrix(rows)) return(rows)
  stop_input(argument, gettextf("'%s' must be a data frame or a matrix, not %s", argument,
                                show_value(rows)))
}

xy_row_names <- function(x) {
  names <- if (is.matrix(x)) rownames(x) else attr(x, "row.names")
  if (is.null(names)) seq_len(nrow(x)) else names
}
