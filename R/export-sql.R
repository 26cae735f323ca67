# as_sql(): a tree as nested CASE expressions.

#' A tree as SQL
#'
#' Writes the tree as an expression of standard SQL (nested `CASE`), to be put after `SELECT` for a
#' table whose columns have the names of the predictors. It gives for every row what
#' [predict.contree()] gives.
#'
#' @details
#' Numbers are written so that they are read back exactly, in scientific notation, which makes them
#' floating-point numbers in every database. A value that is `NULL` goes where a missing value goes.
#' A level that was not in training goes where `predict()` sends it. A not-a-number, which some
#' databases can store and take for a large number, does not count as missing there: store `NULL`.
#'
#' What a column must hold: numbers for numeric and integer predictors (and differences of times, in
#' the unit of the training data); `BOOLEAN` or 0 and 1 for logical ones; text for factors and
#' ordered factors, compared with regard to case. With `dates = "literal"` predictors of class Date
#' are columns of type `DATE` and those of class POSIXct columns of type `TIMESTAMP` in UTC; with
#' `"number"` both are numbers, the days or seconds since 1970, which is how RSQLite writes them. A
#' predictor that the formula computes, as in `y ~ log(x)`, is a column named `log(x)`.
#'
#' Names and levels are quoted after the standard: `"name"` and `'text'`, with these marks doubled
#' inside. Databases that want other quotes (MySQL, BigQuery) need a connection to them as `con`.
#'
#' @section Imported forests:
#' Of results of [import_forest()] and [forge()] the expression is a sum of `CASE`, one a tree, in
#' their order, in doubles: in a database whose numbers are doubles it gives margins with the bits
#' of [predict.forged_forest()]. Tests of floats are written as tests of doubles with the same
#' answers. Where the maker adds floats up, as XGBoost does, `forge(sums = "reproducible")` makes
#' a forest that adds doubles. Columns hold numbers (logical values 0 and 1), factors whose levels
#' the model knows texts, and codes without names whole numbers. Databases limit how many terms a
#' sum may have, often to 1,000; more than 20,000 nodes are refused. The links `softmax` and
#' `shares` are of all margins: each expression is then a query without a table that computes them
#' and refers to the columns around it, which most databases allow.
#'
#' @param fit A fit of [contree()], or a result of [import_forest()] or [forge()].
#' @param type What the expression gives: `"class"`, the class as text; `"prob"`, the proportion of
#'   a class among the training rows of the leaf, one expression a class; `"node"`, the number of
#'   the leaf, as shown by `print()`. Where leaves are numbers or linear models, `"response"` in
#'   place of the first two: the number, one expression for each if there are several. Of imported
#'   forests `"response"`, or `"margin"`, the sum before the link, one expression an output.
#' @param con A connection of the package DBI to the database that is to run it, for its way of
#'   quoting; `NULL` for standard SQL.
#' @param dates What columns of dates and times hold, see Details.
#' @param ... Not used; anything given here is an error.
#' @section Errors:
#' `contree_input_error` for arguments that are none; of imported forests
#' `contree_unsupported_error` for what SQL has no way to write: sums of floats, features without
#' names.
#' @return A string; with `type = "prob"` a character vector named by class. It is of class
#'   `contree_code`, which prints as it would stand in a file.
#' @seealso [as_c()], [as_json()], [write_pmml()]
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
  dates <- check_choice("dates", dates, c("literal", "number"))
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
  # a day is less than half a day more than another one if it is less than the next one; likewise
  # for microseconds
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
