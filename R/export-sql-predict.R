# predict_sql(): predictions that the database computes and keeps.

#' @rdname as_sql
#' @description
#' `predict_sql()` adds a table with the predictions for all rows of a table of a database. The
#' database computes them by these expressions; no row is sent to R, so that the table may be of any
#' size.
#' @section Predictions in a database:
#' The statement of `predict_sql()` is `CREATE TABLE into AS SELECT keep, predictions FROM table`,
#' in a transaction: where it fails, and the database can undo the creation of tables, everything is
#' as it was. What the columns of `table` must hold is described in Details. In SQLite, which has no
#' dates, these are numbers, `dates = "number"`, unless `dates` is given.
#'
#' @param table Name of the table or view with the predictors, a string or a value of [DBI::Id()].
#' @param into Name of the table to create, in the same form. `NULL`, the default, for the name of
#'   `table` followed by `_predictions`.
#' @param keep Names of the columns of `table` that the new table has too, such as its key, a
#'   character vector; `NULL`, the default, for all columns.
#' @param name Name of the column of the predictions, a string, by default `"prediction"`. If there
#'   are several, as with `type = "prob"`, the class or output follows: `prediction_setosa`.
#' @param overwrite Whether a table named `into` is replaced, `TRUE` or `FALSE`, the default.
#' @section Errors:
#' `contree_input_error` for invalid arguments, and from `predict_sql()` for tables and columns that
#' do not exist, for an `into` that exists already, and for what the database refuses, with its
#' message. `contree_unsupported_error` for what SQL cannot express (of imported forests sums of
#' floats, features without names), and if the package DBI is not installed.
#' @return `predict_sql()`: `into`, invisibly.
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' DBI::dbWriteTable(con, "flowers", data.frame(id = 1:150, iris))
#' fit <- contree(Species ~ ., iris, depth = 2)
#' predict_sql(fit, con, "flowers", keep = c("id", "Species"))
#' DBI::dbGetQuery(con, "SELECT Species, prediction, COUNT(*) AS n
#'                       FROM flowers_predictions GROUP BY Species, prediction")
#' DBI::dbDisconnect(con)
#' @export
predict_sql <- function(fit, con, table, into = NULL, keep = NULL, type = NULL,
                        name = "prediction", overwrite = FALSE, ...) {
  need_package("DBI", "predict_sql()")
  sql_quotes(con) # which says what is wrong with a connection
  check_table_name("table", table)
  if (is.null(into)) into <- name_of_predictions(table)
  check_table_name("into", into)
  if (!is_name(name)) {
    stop_input("name", gettextf("'name' must be a string, not %s", show_value(name)))
  }
  check_flag("overwrite", overwrite)
  kept <- columns_to_keep(con, table, keep)
  values <- sql_predictions(fit, con, type, name, ...)
  check_new_columns(names(values), kept)
  exists <- refused_by_database("into", DBI::dbExistsTable(con, into))
  if (exists && !overwrite) {
    stop_input("into", gettextf(
      "the table %s exists already; name another one as 'into', or use overwrite = TRUE",
      show_table(con, into)))
  }
  columns <- c(quote_all(con, kept), paste(values, "AS", quote_all(con, names(values))))
  refused_by_database("table", DBI::dbWithTransaction(con, {
    if (exists) DBI::dbExecute(con, paste("DROP TABLE", show_table(con, into)))
    DBI::dbExecute(con, paste("CREATE TABLE", show_table(con, into), "AS SELECT",
                              paste(columns, collapse = ",\n"), "FROM", show_table(con, table)))
  }))
  invisible(into)
}

quote_all <- function(con, names) {
  vapply(names, function(name) as.character(DBI::dbQuoteIdentifier(con, name)), "")
}

show_table <- function(con, table) as.character(DBI::dbQuoteIdentifier(con, table))

# What the database says is an error of ours, about an argument.
refused_by_database <- function(argument, value) {
  tryCatch(value, error = function(problem) {
    stop_input(argument, gettextf("the database refuses: %s", conditionMessage(problem)))
  })
}

is_name <- function(value) {
  is.character(value) && length(value) == 1 && !is.na(value) && nzchar(value)
}

check_table_name <- function(argument, value) {
  if (is_name(value) || inherits(value, "Id")) return(invisible())
  stop_input(argument, gettextf("'%s' must be the name of a table, a string or DBI::Id(), not %s",
                                argument, show_value(value)))
}

name_of_predictions <- function(table) {
  if (!inherits(table, "Id")) return(paste0(table, "_predictions"))
  last <- length(table@name)
  table@name[last] <- paste0(table@name[last], "_predictions")
  table
}

columns_to_keep <- function(con, table, keep) {
  there <- refused_by_database("table", {
    if (!DBI::dbExistsTable(con, table)) {
      stop(gettextf("there is no table %s", show_table(con, table)))
    }
    DBI::dbListFields(con, table)
  })
  if (is.null(keep)) return(there)
  if (!is.character(keep)) {
    stop_input("keep", gettextf("'keep' must be names of columns or NULL, not %s",
                                show_value(keep)))
  }
  missing <- setdiff(keep, there)
  if (length(missing)) {
    stop_input("keep", gettextf("the table %s has no column %s", show_table(con, table),
                                show_names(missing)))
  }
  keep
}

# Expressions, named by their columns.
sql_predictions <- function(fit, con, type, name, ...) {
  arguments <- list(...)
  if (!is.null(type)) arguments$type <- type
  if (inherits(con, "SQLiteConnection") && inherits(fit, "contree_model") &&
        is.null(arguments$dates)) arguments$dates <- "number"
  values <- do.call(as_sql, c(list(fit, con = con), arguments))
  names <- if (length(values) == 1) name else paste(name, names(values), sep = "_")
  stats::setNames(as.character(values), names)
}

check_new_columns <- function(new, kept) {
  both <- new[tolower(new) %in% tolower(kept)]
  if (length(both) == 0) return(invisible())
  stop_input("name", gettextf(
    "the columns that are kept have %s already; give another 'name', or name columns as 'keep'",
    show_names(both)))
}
