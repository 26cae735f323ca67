# New data after the shape that data-frame.R learned from the training data.

# The predictors of `newdata` by the shape of a fit: list(columns, row_names, na.action). Those that
# the tree asks for must be there, others may be. Order does not matter, other columns are ignored;
# missing values may stay. Factors are codes of the levels of the training data, 0 for any other.
new_columns <- function(fit, newdata, na.action) {
  if (is.data.frame(newdata) && identical(na.action, stats::na.pass)) {
    columns <- columns_as_they_are(fit, newdata)
    if (!is.null(columns)) return(read_columns(columns, fit, newdata))
  }
  newdata <- check_newdata(newdata, fit)
  shape <- tree_shape(fit)
  terms <- tree_terms(fit)
  if (is.matrix(newdata) && identical(na.action, stats::na.pass)) return(matrix_columns(newdata))
  newdata <- as.data.frame(newdata)
  asked <- asked_predictors(fit)
  predictors <- if (is.null(terms)) {
    as.list(newdata)[intersect(shape$inputs, names(newdata))]
  } else {
    evaluate_terms(terms, newdata, shape$inputs, asked)
  }
  model <- structure(predictors, row.names = attr(newdata, "row.names"), class = "data.frame")
  model <- apply_na_action(model, na.action)
  columns <- spread_columns(as.list(model))
  if (!all(names(columns) %in% shape$names) || !all(asked %in% names(columns))) {
    refuse_other_columns(names(columns), shape$names)
  }
  read_columns(columns, fit, model)
}

# A matrix that has other columns than in training, or is none.
refuse_other_columns <- function(given, known) {
  of <- function(names, others) show_names(setdiff(names, others))
  stop_input("newdata", gettextf("'newdata' gives %s in the place of %s", of(given, known),
                                 of(known, given)),
             gettext("a matrix needs the columns that it had in training"))
}

# What new_columns() returns, of columns of the data frame `model`.
read_columns <- function(columns, fit, model) {
  columns <- read_new_types(columns, fit)
  # for a tree that asks for none; it says how many rows
  if (length(columns) == 0) columns <- list(logical(nrow(model)))
  list(columns = columns, row_names = as.character(attr(model, "row.names")),
       na.action = attr(model, "na.action"))
}

# The columns of the data frame `newdata` that have to be read where the predictors are columns as
# they are; NULL where they are not, or where one that the tree asks for is absent. These are the
# columns that the tree asks for, and others that may be of another type than in training: all but
# numbers in the place of numbers. So one row of thousands of numbers is predicted without a step in
# R for each of them.
columns_as_they_are <- function(fit, newdata) {
  shape <- tree_shape(fit)
  given <- names(newdata)
  at <- places_among(asked_predictors(fit), given)
  terms <- tree_terms(fit)
  as_they_are <- identical(shape$names, shape$inputs) &&
    (is.null(terms) ||
     .Call(ffi_list_arguments, attr(terms, "variables")) == length(shape$inputs) + 1)
  if (any(at == 0L) || !as_they_are) return(NULL)
  others <- .Call(ffi_other_than_numbers, newdata)
  types <- tree_types(fit)
  levels_and_times <- if (!all(distinct(types) %in% number_types)) {
    match(shape$names[!types %in% number_types], given, 0L)
  }
  others <- others[places_among(given[others], shape$names) > 0L]
  columns <- .subset(newdata, sort(unique(c(at, others, levels_and_times))))
  plain <- vapply(columns, function(value) !is.list(value) && is.null(dim(value)), NA)
  if (all(plain)) columns
}

matrix_columns <- function(newdata) {
  if (is.logical(newdata)) storage.mode(newdata) <- "integer"
  list(columns = newdata, row_names = rownames(newdata), na.action = NULL)
}

# `newdata` as a data frame, or as a numeric matrix with column names where the fit was made from x
# and y.
check_newdata <- function(newdata, fit) {
  shape <- tree_shape(fit)
  if (is.matrix(newdata)) {
    as_it_is <- is.null(tree_terms(fit)) && all(tree_types(fit) %in% number_types)
    newdata <- check_new_matrix(newdata, shape, as_it_is)
  } else if (!is.data.frame(newdata)) {
    stop_input("newdata", gettextf(
      "'newdata' must be a data frame or a matrix, not %s; convert it with as.data.frame()",
      show_value(newdata)))
  }
  missing <- setdiff(used_inputs(fit), colnames(newdata))
  if (length(missing)) {
    stop_input("newdata",
               gettextf(
                 "'newdata' lacks %s, which the model uses; each must be a column (NA if unknown)",
                 show_names(missing)))
  }
  newdata
}

# Which labels are of variables among those asked for, `asked`? A matrix `p` among the variables
# splits as `p.1`, `p.2`, ...
is_asked <- function(labels, asked) {
  dotted <- grep(".", asked, fixed = TRUE, value = TRUE)
  before <- Map(function(name, at) substring(name, 1, at - 1), dotted,
                gregexpr(".", dotted, fixed = TRUE))
  labels %in% c(asked, unlist(before))
}

# The columns of new data that a split may look at, in their order.
used_inputs <- function(fit) {
  terms <- tree_terms(fit)
  columns <- tree_shape(fit)$inputs
  asked <- asked_predictors(fit)
  if (is.null(terms)) return(columns[is_asked(columns, asked)])
  variables <- as.list(attr(terms, "variables"))[-(1:2)]
  used <- variables[is_asked(vapply(variables, variable_label, ""), asked)]
  intersect(columns, unlist(lapply(used, all.vars)))
}

check_new_matrix <- function(newdata, shape, keep) {
  if (!is.numeric(newdata) && !is.logical(newdata)) {
    stop_input("newdata", gettextf(
      "'newdata' is a matrix of type %s, but must be numeric; give a data frame or convert it",
      typeof(newdata)))
  }
  if (is.null(colnames(newdata))) {
    if (ncol(newdata) != length(shape$names)) {
      stop_input("newdata", gettextf(
        "'newdata' has no column names and %d columns, but the model was fitted with %d predictors",
        ncol(newdata), length(shape$names)),
        gettext("name its columns"))
    }
    colnames(newdata) <- shape$names
  }
  if (keep) newdata else as.data.frame(newdata)
}

# The variables of the formula whose labels are `asked` for, and those for which `newdata` has all
# `inputs`.
evaluate_terms <- function(terms, newdata, inputs, asked) {
  expressions <- as.list(attr(terms, "predvars"))[-(1:2)]
  labels <- vapply(as.list(attr(terms, "variables"))[-(1:2)], variable_label, "")
  lacking <- setdiff(inputs, names(newdata))
  if (length(lacking)) {
    there <- vapply(expressions, function(expression) !any(all.vars(expression) %in% lacking), NA)
    keep <- there | is_asked(labels, asked)
    expressions <- expressions[keep]
    labels <- labels[keep]
  }
  values <- evaluate_variables(expressions, newdata, function(expression) {
    value <- tryCatch(eval(expression, newdata, environment(terms)), error = function(problem) {
      stop_input("newdata", gettextf(
        "variable '%s' cannot be evaluated in 'newdata': %s; give its columns as in training",
        variable_label(expression), conditionMessage(problem)))
    })
    if (NROW(value) == nrow(newdata)) return(value)
    stop_input("newdata", gettextf("variable '%s' has length %d in 'newdata', which has %d rows",
                                   variable_label(expression),
                                   NROW(value), nrow(newdata)))
  })
  stats::setNames(values, labels)
}

# ---- types ---------------------------------------------------------------------------------------

# The columns as numbers, after the types of the training data. Numbers and logicals may stand for
# each other, as may factors and characters. A column of NA alone is logical in R whatever it stands
# for.
read_new_types <- function(columns, fit) {
  types <- types_of(fit, names(columns))
  given <- vapply(columns, column_type, "")
  plain <- given %in% number_types & types %in% number_types
  for (j in which(!plain)) {
    label <- names(columns)[j]
    value <- columns[[j]]
    columns[[j]] <- if (is.logical(value) && all(is.na(value))) {
      rep(NA_integer_, length(value))
    } else {
      read_new_type(value, given[j], label, types[j], tree_units(fit)[label],
                    tree_xlevels(fit)[[label]])
    }
  }
  columns
}

read_new_type <- function(value, given, label, type, unit, levels) {
  if (is.factor(value)) check_factor(value, label)
  if (type %in% level_types && given %in% level_types) {
    codes <- level_codes(value, levels)
    if (type == "ordered") codes[codes %in% 0L] <- NA # it has no place among the others
    return(codes)
  }
  if (!given %in% type) refuse_new_type(value, label, type, levels)
  switch(type, POSIXct = as.POSIXct(value), difftime = `units<-`(value, unname(unit)), value)
}

# Codes of `levels`; 0 for any other, which the attribute `unknown` names.
level_codes <- function(value, levels) {
  value <- without_na_level(factor_of(value))
  codes <- match(levels(value), levels, 0L)[value]
  if (any(codes == 0L, na.rm = TRUE)) {
    attr(codes, "unknown") <- levels(value)[unique(value[codes %in% 0L])]
  }
  codes
}

refuse_new_type <- function(value, label, type, levels) {
  wanted <- if (type %in% number_types) gettext("numbers") else gettextf("the type %s", type)
  remedy <- if (type %in% level_types && is.numeric(value)) {
    gettextf("convert it to the names of the levels (%s)", show_names(levels, 3))
  } else {
    gettext("convert it as in the training data")
  }
  stop_input("newdata",
             gettextf("column '%s' of 'newdata' is %s, but the model was fitted with %s; %s", label,
                                 describe_type(value), wanted, remedy))
}

# ---- new levels ----------------------------------------------------------------------------------

# Levels that no training data had, of the factors that the tree asks for: a warning or an error
# that names them. `products`: those in products of regressors, see unknown_in_products().
tell_new_levels <- function(fit, columns, policy, products = list()) {
  if (is.matrix(columns)) return(invisible())
  is_known <- vapply(columns, function(value) is.null(attr(value, "unknown")), NA)
  if (all(is_known) && length(products) == 0) return(invisible())
  variable <- node_variable(fit)
  ordered <- types_of(fit, variable) %in% "ordered"
  asked <- intersect(c(variable[node_by_level(fit) | ordered], tree_regressors(fit)),
                     names(columns))
  unknown <- unknown_levels(columns, asked)
  unknown <- c(unknown, products[setdiff(names(products), names(unknown))])
  if (length(unknown) == 0) return(invisible())
  if (policy == "error") {
    stop_input("newdata", gettextf(
      "%s; new_levels = \"majority\" sends such rows to the child with more training rows",
      say_new_levels(unknown)))
  }
  warn_new_levels(unknown, paste0(
    gettext("such rows follow the child with more training rows"),
    if (length(products)) gettextf("; products of %s with them are missing values",
                                   show_names(names(products)))))
}

# Levels, in the columns `asked` for, that the training data did not have.
unknown_levels <- function(columns, asked) {
  unknown <- lapply(stats::setNames(asked, asked), function(name) attr(columns[[name]], "unknown"))
  unknown[lengths(unknown) > 0]
}

say_new_levels <- function(unknown) {
  paste(vapply(names(unknown), function(name) {
    gettextf("'%s' has %s, which did not occur in training", name, show_names(unknown[[name]]))
  }, ""), collapse = "; ")
}

warn_new_levels <- function(unknown, then) {
  warn_contree("new_levels", paste(say_new_levels(unknown), then, sep = "; "),
               list(new_levels = unknown))
}
