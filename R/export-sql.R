# as_sql(): a tree as nested CASE expressions.

#' Convert a model to SQL, and predict inside a database
#'
#' `as_sql()` converts a tree to an expression in standard SQL (nested `CASE`), for use after
#' `SELECT` on a table whose columns have the names of the predictors. For every row it returns the
#' same result as [predict.contree()].
#'
#' @order 1
#' @details
#' Numbers are written with enough digits to be read back exactly, in scientific notation, which
#' makes them floating-point numbers in every database. `NULL` goes where a missing value goes. A
#' level that did not occur in training goes where `predict()` sends it. A NaN, which some databases
#' can store and treat as a large number, does not count as missing: store `NULL` instead.
#'
#' Columns must hold numbers for numeric and integer predictors (and for time differences, in the
#' unit of the training data); `BOOLEAN` or 0 and 1 for logical ones; text for factors and ordered
#' factors, compared case-sensitively. With `dates = "literal"` predictors of class Date are columns
#' of type `DATE` and those of class POSIXct columns of type `TIMESTAMP` in UTC; with `"number"`
#' both are numbers, the days or seconds since 1970, which is how RSQLite stores them. A predictor
#' that the formula computes, as in `y ~ log(x)`, is a column named `log(x)`.
#'
#' Names and levels are quoted as in the standard: `"name"` and `'text'`, with quotes inside them
#' doubled. Databases with other quotes (MySQL, BigQuery) need a connection to them as `con`.
#'
#' @section Imported forests:
#' For results of [import_forest()] and [forge()] the expression is a sum of `CASE` expressions in
#' doubles, one for each tree, in the order of the trees: in a database with double-precision
#' numbers it gives the same margins as [predict.forged_forest()], bit for bit. Comparisons of
#' floats are written as comparisons of doubles with the same results. Where the model adds floats,
#' as those of XGBoost do, `forge(sums = "reproducible")` makes a forest that adds doubles. Columns
#' hold numbers (logical values 0 and 1), text for factors whose levels the model knows, and
#' integers for codes without names. Databases limit the number of terms of a sum, often to 1,000;
#' more than 20,000 nodes are an error. Where a tree asks for a value that is missing, or for a
#' level that is new, and [predict.forged_forest()] refuses it or follows surrogate splits, the
#' expression is `NULL`. The links `softmax` and `shares` depend on all margins: each expression is
#' then a query without a table that computes them and refers to the columns of the outer query,
#' which most databases allow.
#'
#' @param fit A fit of [contree()], [gmt()] or [policy_tree()], or a result of [import_forest()] or
#'   [forge()].
#' @param type Value of the expression: `"class"` (the default for classification trees), the class
#'   as text; `"prob"`, the proportion of a class among the training rows of the leaf, one
#'   expression for each class; `"node"`, the number of the leaf, as shown by `print()`. If leaves
#'   predict numbers or hold linear models, `"response"` (the default there) instead of the first
#'   two: the number, one expression for each if there are several. For policy trees `"action"` (the
#'   default), the name of the action; `"rewards"`, the mean reward of each; or `"node"`. For
#'   imported forests `"response"` (the default), or `"margin"`, as in [predict.forged_forest()],
#'   one expression for each output.
#' @param con A connection to the database, as returned by [DBI::dbConnect()], which determines how
#'   names and strings are quoted; `NULL`, the default of `as_sql()`, for standard SQL.
#' @param dates What columns of dates and times hold, `"literal"` (the default) or `"number"`; see
#'   Details.
#' @param ... For `predict_sql()`, further arguments of `as_sql()`; else not used, and anything
#'   given here is an error.
#' @return `as_sql()`: a string; with `type = "prob"` a character vector named by class. It is of
#'   class `contree_code`, which prints as the contents of a file.
#' @seealso [predict.contree()] for rows in R; [as_c()], [as_json()], [write_pmml()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' as_sql(fit)
#' paste("SELECT", as_sql(fit, "prob")["virginica"], "AS p FROM flowers")
#' @export
as_sql <- function(fit, ...) UseMethod("as_sql")

#' @rdname as_sql
#' @export
as_sql.contree_model <- function(fit, type = c("class", "prob", "node"), con = NULL,
                                 dates = c("literal", "number"), ...) {
  check_no_dots(...)
  check_fit(fit)
  type <- check_prediction(fit, type, c("class", "prob", "node"))
  dates <- check_choice("dates", dates)
  quote <- sql_quotes(con)
  conditions <- lapply(node_questions(fit), sql_condition, quote, dates)
  each <- function(values) apply(values, 2,
                                 function(value) sql_case(fit, conditions, sql_number(value)))
  new_code(switch(type,
    class = sql_case(fit, conditions, quote$text(as.character(node_class(fit)))),
    prob = each(node_proportions(fit)),
    response = if (tree_leaf(fit) == "numbers") each(node_values(fit)) else
      sql_case(fit, conditions, sql_values(fit, quote)),
    node = sql_case(fit, conditions, as.character(node_ids(fit)))))
}

# One number a node, or its linear model.
sql_values <- function(fit, quote) {
  if (tree_leaf(fit) == "number") return(sql_number(node_values(fit)[, 1]))
  types <- tree_types(fit)
  model_code(fit, list(
    number = sql_number,
    value = function(name) sql_as_number(quote$name(name), types[[name]]),
    missing = function(name, sum, x) sprintf("COALESCE(%s, %s)", sum, sql_number(x)),
    levels = function(name, values, x) {
      values <- values[!is.na(values)]
      cases <- paste("WHEN", quote$text(names(values)), "THEN", sql_number(values), collapse = " ")
      sprintf(" + CASE %s %s ELSE %s END", quote$name(name), cases, sql_number(x))
    }))
}

sql_as_number <- function(name, type) {
  if (type == "logical") sprintf("CAST(%s AS INTEGER)", name) else name
}

#' @export
as_sql.default <- function(fit, ...) check_fit(fit)

# `values`: what each node gives if it is a leaf.
sql_case <- function(fit, conditions, values) {
  paste(collapse = "\n", fold_tree(fit, function(node) values[node], function(node, left, right) {
    case_lines(conditions[[node]], left, right)
  }))
}

# Lines of a CASE. A CASE in the last place becomes one of this CASE: databases limit how deep they
# may be nested.
case_lines <- function(condition, left, right) {
  nested <- length(right) > 1
  c(paste("CASE WHEN", condition, "THEN"), indent(left),
    if (nested) c(sub("CASE ", "", right[1], fixed = TRUE), right[-1])
    else c("ELSE", indent(right), "END"))
}

# The condition under which a row goes left; where it is unknown (NULL), CASE takes the other way.
sql_condition <- function(question, quote, dates) {
  if (is.null(question)) return(NULL)
  name <- quote$name(question$variable)
  if (question$kind == "known") return(paste(name,
                                             if (question$yes_left) "IS NOT NULL" else "IS NULL"))
  condition <- if (question$kind == "among") {
    paste0(name, if (question$yes_left) " IN (" else " NOT IN (",
           paste(quote$text(question$levels), collapse = ", "), ")")
  } else {
    sql_less(name, question, dates)
  }
  if (question$missing_left) paste(condition, "OR", name, "IS NULL") else condition
}

sql_less <- function(name, question, dates) {
  type <- question$type
  threshold <- question$threshold
  name <- sql_as_number(name, type)
  if (!type %in% c("Date", "POSIXct") || dates == "number") {
    return(paste(name, "<", sql_number(threshold)))
  }
  check_literal(if (type == "Date") threshold * 86400 else threshold, question$variable)
  # a day is less than half a day more than another one if it is less than the next one; so
  # it is with microseconds
  if (type == "Date") return(sprintf("%s < DATE '%s'", name, format(.Date(ceiling(threshold)))))
  microseconds <- ceiling(threshold * 1e6)
  part <- microseconds %% 1e6
  second <- format(.POSIXct(microseconds %/% 1e6, "UTC"), "%Y-%m-%d %H:%M:%S")
  sprintf("%s < TIMESTAMP '%s%s'", name, second, if (part > 0) sprintf(".%06.0f", part) else "")
}

# Literals of dates have years of four digits.
check_literal <- function(seconds, variable) {
  if (seconds >= -62135596800 && seconds < 253402214400) return(invisible())
  stop_input("dates", gettextf(paste(
    "'dates' must be \"number\" for this tree: it has a threshold of '%s'",
    "that is not in the years 1 to 9999, which SQL cannot write"), variable))
}

# With an exponent a number is a floating-point number, without it may be a decimal one.
sql_number <- function(x) {
  text <- exact_number(x)
  ifelse(grepl("e", text), toupper(text), paste0(text, "E0"))
}

# How names and texts are quoted: by the standard, or by the package that speaks to the database.
sql_quotes <- function(con) {
  if (is.null(con)) {
    double_up <- function(text, mark) paste0(mark,
                                             gsub(mark, paste0(mark, mark), enc2utf8(text),
                                                  fixed = TRUE), mark)
    return(list(name = function(name) double_up(name, "\""),
                text = function(text) double_up(text, "'")))
  }
  if (!inherits(con, "DBIConnection")) {
    stop_input("con", gettextf(
      "'con' must be a connection of the package DBI, as dbConnect() gives, not %s",
      show_value(con)))
  }
  need_package("DBI", "as_sql(con =)")
  list(name = function(name) as.character(DBI::dbQuoteIdentifier(con, enc2utf8(name))),
       text = function(text) as.character(DBI::dbQuoteString(con, enc2utf8(text))))
}
