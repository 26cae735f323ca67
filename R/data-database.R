# Tables of databases: what contree_table() describes, and the rows read chunk by chunk into coded
# columns (data-coded.R), never as a data frame of the whole. data-table.R makes a frame of them.

#' A table of a database as data
#'
#' Describes a table, view or query of a database for the argument `data` of [contree()] and
#' [hist_forest()], which then read its columns themselves: rows come in chunks and become two bytes
#' a value, so that a table may be far larger than a data frame could be.
#'
#' @details
#' One statement selects the columns that the formula uses. Where the answer is the same and it
#' saves much, the database groups equal rows, and the search takes one row for each group with its
#' count as the weight: for classes with `minbucket = 1` and `min_n = 2` (the defaults), whole
#' weights and losses, and no `class_weights`. The tree is that of `contree()` on the same rows in a
#' data frame, with the same costs, bound, thresholds and levels. So are the trees of
#' `hist_forest()`, whose samples are drawn by row number, if the data frame has the rows in the
#' order in which the database gives them; name columns as `order` to fix it. For numeric responses
#' the order matters in the last digits of means.
#'
#' A column of up to 65,536 different values takes two bytes a row, others as much as in a data
#' frame. The search takes more memory than the columns: of ten predictors of 10,000 values, a tree
#' of depth two took 84 bytes a row altogether, reading included, at a hundred million rows (in 11
#' minutes, on two threads). See `memory_limit` in [contree_control()] and [hist_forest()].
#'
#' The formula names columns; it may apply `factor()`, `as.factor()`, `as.character()`,
#' `as.numeric()`, `as.integer()`, `abs()`, `sqrt()`, `exp()`, `log()`, `log2()`, `log10()` or
#' `log1p()` to one. Other functions may depend on the order or number of the rows: compute such
#' columns in a view. `weights` is the name of a column; `na.action` may be `na.omit`, `na.fail` or
#' `na.pass`, and `subset` is an error: use a query with `WHERE`.
#'
#' A fit to a table has no vectors of the rows: [fitted()] and [predict()] without `newdata` are
#' errors, [residuals()] is empty, and `left_out` is the number of rows left out. [predict_sql()]
#' predicts inside the database. Forests keep the response, as they always do. `certificate`,
#' `conformal`, `model`, `workers` and `checkpoint` need the rows and are errors.
#'
#' Ctrl-C between two chunks ends the reading with an interrupt; afterwards it
#' acts as described in [contree()].
#'
#' @section Types:
#' Columns have the types that the driver gives them in R.
#' \itemize{
#'   \item `NULL` is missing. So is `NaN`.
#'   \item Integers and floating-point numbers are numbers; 64-bit integers are read as doubles, and
#'     are an error from 2^53 on. Booleans are logical if the driver knows them; SQLite stores 0 and
#'     1, which are numbers.
#'   \item Text is a factor whose levels are sorted as those of [factor()]; as a response it is
#'     classes. Numbers that are classes must be given as `factor(column)`.
#'   \item Dates and times are those of R where the driver makes them so. SQLite has none: numbers
#'     and text stay what they are, unless the connection was made with `extended_types = TRUE`.
#'   \item Binary data (blobs) and lists are errors.
#'   \item A column of SQLite may hold numbers and text at once: this is an error.
#' }
#' @section Errors:
#' `contree_input_error` if `con` is not an open connection, for tables and columns that do not
#' exist, columns of other types, tables without rows, arguments that tables do not have, and
#' whatever the database refuses, with its message (so also if the connection is closed while rows
#' are read); if the rows that were read are not as many as were counted before, because the table
#' has changed. `contree_unsupported_error` if the package DBI is not installed.
#'
#' @param con A connection to the database, as returned by [DBI::dbConnect()].
#' @param table Name of the table or view, a string or a value of [DBI::Id()]; or a query, as
#'   `DBI::SQL("SELECT ...")`.
#' @param order Names of columns by which the rows are ordered, such as a key; `NULL`, the default,
#'   for the order in which the database gives them.
#' @param group Whether equal rows are grouped: `TRUE`, wherever the answer is the same; `FALSE`,
#'   never; `NA`, the default, if in addition fewer than half of the first 10,000 rows are different
#'   and the database is known to tell all texts apart (SQLite).
#' @param chunk Rows that are fetched at once, a whole number. The default, `NULL`, is ten million
#'   values.
#' @return An object of class `contree_table`, for the argument `data`.
#' @seealso [predict_sql()]; `vignette("clusters")`.
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' DBI::dbWriteTable(con, "flowers", data.frame(id = 1:150, iris))
#' flowers <- contree_table(con, "flowers", order = "id")
#' fit <- contree(Species ~ . - id, flowers, depth = 2)
#' fit
#' predict_sql(fit, con, "flowers", keep = c("id", "Species"))
#'
#' # rows are chosen by a query
#' tall <- contree_table(con, DBI::SQL('SELECT * FROM flowers WHERE "Petal.Length" > 2'))
#' @export
contree_table <- function(con, table, order = NULL, group = NA, chunk = NULL) {
  need_package("DBI", "contree_table()")
  if (missing(con) || is.null(con)) {
    stop_input("con", gettext("'con' is missing; give a connection to a database"))
  }
  if (missing(table)) stop_input("table", gettext("'table' is missing; give its name"))
  sql_quotes(con) # which says what is wrong with a connection
  if (!inherits(table, "SQL")) check_table_name("table", table)
  if (!is.logical(group) || length(group) != 1) {
    stop_input("group", gettextf("'group' must be TRUE, FALSE or NA, not %s", show_value(group)))
  }
  if (!is.null(chunk)) check_chunk(chunk)
  source <- if (inherits(table, "SQL")) paste0("(", table, ") AS contree_rows")
            else show_table(con, table)
  empty <- refused_by_database("table", {
    DBI::dbGetQuery(con, paste("SELECT * FROM", source, "WHERE 1 = 0"))
  })
  check_column_names(names(empty), "table")
  check_order(order, names(empty))
  structure(list(con = con, source = source, columns = names(empty), order = order, group = group,
                 chunk = chunk), class = "contree_table")
}

check_chunk <- function(chunk) {
  if (is.numeric(chunk) && length(chunk) == 1 && is.finite(chunk) && chunk >= 1 &&
      chunk == round(chunk)) return(invisible())
  stop_input("chunk", gettextf("'chunk' must be a whole number of at least 1, not %s",
                               show_value(chunk)))
}

check_order <- function(order, columns) {
  if (!is.null(order) && !is.character(order)) {
    stop_input("order", gettextf("'order' must be names of columns or NULL, not %s",
                                 show_value(order)))
  }
  refuse_absent("order", order, columns)
}

# Databases do not tell upper from lower case in names, R does.
refuse_absent <- function(argument, names, columns) {
  absent <- setdiff(names, columns)
  if (length(absent) == 0) return(invisible())
  stop_input(argument, gettextf("the table has no column %s; it has %s", show_names(absent),
                                show_names(columns)))
}

#' @export
print.contree_table <- function(x, ...) {
  cat(sprintf(ngettext(length(x$columns), "%s of a %s with %d column\n",
                       "%s of a %s with %d columns\n"), x$source, class(x$con)[1],
              length(x$columns)))
  invisible(x)
}

# ---- reading -------------------------------------------------------------------------------------

# The named columns: list(columns, repeats, n). `columns` are coded where that is possible;
# `repeats` says how many rows each stands for, NULL if they are not grouped; `n` is their sum.
read_table <- function(table, names, grouped, n = count_rows(table)) {
  if (n == 0) stop_input("data", gettextf("the table %s has no rows", table$source))
  readers <- lapply(stats::setNames(nm = names), new_column_reader)
  counts <- list()
  read <- 0
  for_each_chunk(table, rows_query(table, names, grouped), length(names), function(rows) {
    for (j in seq_along(names)) readers[[j]]$push(rows[[j]])
    if (grouped) counts[[length(counts) + 1]] <<- as.integer(rows[[length(names) + 1]])
    read <<- read + if (grouped) sum(as.double(rows[[length(names) + 1]])) else nrow(rows)
  })
  if (read != n) {
    stop_input("data", gettextf(
      "the table %s had %.0f rows before it was read, and then %.0f: it has changed meanwhile",
      table$source, n, read), gettext("read it in a transaction, or when nobody writes to it"))
  }
  list(columns = lapply(readers, function(reader) reader$column()),
       repeats = if (grouped) unlist(counts), n = n)
}

count_rows <- function(table) {
  answer <- refused_by_database("data", {
    DBI::dbGetQuery(table$con, paste("SELECT COUNT(*) FROM", table$source))
  })
  n <- as.double(answer[[1]])
  if (n >= .Machine$integer.max) {
    stop_unsupported("data", gettext("tables of more than 2^31 - 1 rows are not supported"))
  }
  n
}

# One statement, so that the columns are of the same rows.
rows_query <- function(table, names, grouped) {
  columns <- quote_all(table$con, names)
  select <- paste("SELECT", paste(c(columns, if (grouped) "COUNT(*)"), collapse = ", "), "FROM",
                  table$source)
  if (grouped) {
    # a column may have been declared to take upper and lower case for the same
    apart <- if (tells_texts_apart(table$con)) " COLLATE BINARY" else ""
    return(paste0(select, " GROUP BY ", paste0(columns, apart, collapse = ", ")))
  }
  if (is.null(table$order)) return(select)
  paste(select, "ORDER BY", paste(quote_all(table$con, table$order), collapse = ", "))
}

tells_texts_apart <- function(con) inherits(con, "SQLiteConnection")

# Between two chunks R sees Ctrl-C. The result is given back whatever happens.
for_each_chunk <- function(table, query, n_columns, take) {
  size <- if (is.null(table$chunk)) max(1000, floor(1e7 / n_columns)) else table$chunk
  result <- refused_by_database("data", DBI::dbSendQuery(table$con, query))
  on.exit(try(DBI::dbClearResult(result), silent = TRUE))
  repeat {
    rows <- fetch_rows(result, size)
    if (nrow(rows) > 0) take(rows)
    rows <- NULL
    if (refused_by_database("data", DBI::dbHasCompleted(result))) break
  }
}

# A driver that meets another type than in the first row changes the value and warns.
fetch_rows <- function(result, size) {
  withCallingHandlers(
    refused_by_database("data", DBI::dbFetch(result, size)),
    warning = function(problem) {
      if (!grepl("mixed type", conditionMessage(problem), fixed = TRUE)) return()
      stop_input("data", gettextf("the database warns: %s", conditionMessage(problem)),
                 gettext("cast the column to one type in a view"))
    })
}

# The first rows, from which it is guessed whether many are equal.
first_rows <- function(table, names, n = 10000) {
  result <- refused_by_database("data", DBI::dbSendQuery(table$con,
                                                         rows_query(table, names, FALSE)))
  on.exit(try(DBI::dbClearResult(result), silent = TRUE))
  fetch_rows(result, n)
}
