# Rows of every type, with missing values everywhere, also in the response.
random_rows <- function(seed, n = sample(c(20, 60, 200), 1)) {
  set.seed(seed)
  levels <- c("b", "a", "\u00e9t\u00e9", "Z", "c", "y", "B")[seq_len(sample(2:7, 1))]
  rows <- data.frame(
    i = sample(-3:3, n, TRUE), `a "b"` = round(rnorm(n), sample(0:2, 1)),
    text = sample(levels, n, TRUE), big = 1e9 + sample(5, n, TRUE) / 8,
    w = sample(0:3, n, TRUE), check.names = FALSE)
  rows$w[1] <- 1L
  rows$y <- ifelse(rows$i > 0 & rows$text > "b", "yes", sample(c("no", "yes", "who"), n, TRUE))
  rows$z <- rows$i * 2 + rnorm(n)
  for (j in setdiff(names(rows), "w")) {
    if (runif(1) < 0.5) rows[[j]][sample(n, n %/% 8)] <- NA
  }
  rows
}

# All that a fit to a table says must be what a fit to the data frame says; the frame is read from
# the database too, as its driver reads it.
expect_same_fit <- function(fit, expected, info) {
  same <- c("frame", "splits", "csplit", "objective", "cost", "bound", "gap", "status", "capped",
            "ylevels", "xlevels", "types", "units", "ordered", "shape", "variable.importance",
            "terms", "restricted", "loss", "weighted", "rounding", "leaf")
  said <- function(fit) c(unclass(fit)[same], list(capture.output(print(fit))))
  expect_identical(said(fit), said(expected), info = info)
}

# Chunks of a few rows, whatever is grouped.
each_way <- function(con, order = NULL) {
  list(plain = contree_table(con, "x", order = order),
       grouped = contree_table(con, "x", group = TRUE),
       chunks = contree_table(con, "x", group = FALSE, chunk = 7),
       both = contree_table(con, "x", group = TRUE, chunk = 5))
}

test_that("trees of classes are those of the data frame", {
  for (seed in 1:6) with_tables(list(x = random_rows(seed)), function(con) {
    fits <- function(data) suppressMessages(list(
      all = contree(y ~ . - w - z, data, depth = 2),
      weighted = contree(y ~ i + text, data, weights = w, cp = 0.01, depth = 2),
      omitted = contree(factor(i) ~ big + `a "b"`, data, depth = 1, missing = "omit")))
    expected <- fits(DBI::dbReadTable(con, "x", check.names = FALSE))
    for (way in names(tables <- each_way(con))) {
      Map(expect_same_fit, fits(tables[[way]]), expected, paste(seed, way, names(expected)))
    }
  })
})

test_that("settings and losses that count rows keep them apart", {
  rows <- random_rows(3, 200)
  rows$half <- rows$w / 3
  with_tables(list(x = rows), function(con) {
    loss <- matrix(c(0, 2, 1, 1, 0, 3, 1, 1, 0), 3)
    fits <- function(data) {
      fit <- function(...) suppressMessages(contree(y ~ i + text, data, ..., depth = 2))
      list(fit(minbucket = 20), fit(min_n = 60), fit(loss = loss), fit(loss = loss / 3),
           fit(class_weights = "balanced"), fit(complexity = 0.02),
           fit(subset_levels = 2, max_thresholds = 2),
           contree(y ~ i + text, data, weights = half, depth = 2))
    }
    expected <- fits(DBI::dbReadTable(con, "x", check.names = FALSE))
    for (way in c("grouped", "chunks")) {
      Map(expect_same_fit, fits(each_way(con)[[way]]), expected, paste(way, seq_along(expected)))
    }
  })
})

test_that("regression trees and forests are those of the data frame", {
  for (seed in 1:3) with_tables(list(x = random_rows(seed, 100)), function(con) {
    forest <- function(formula, data) {
      grown <- hist_forest(formula, data, weights = w, trees = 5, seed = 1, keep_inbag = TRUE,
                           importance = "permutation")
      # a table has no names of rows
      grown[setdiff(names(grown), c("elapsed", "call", "na.action", "row_names"))]
    }
    fits <- function(data) list(
      tree = suppressMessages(contree(z ~ i + text + big, data, depth = 2, minbucket = 3)),
      classes = forest(y ~ . - w, data), numbers = forest(z ~ i + text, data))
    expected <- fits(DBI::dbReadTable(con, "x", check.names = FALSE))
    for (way in c("grouped", "chunks")) {
      found <- fits(each_way(con)[[way]])
      expect_same_fit(found$tree, expected$tree, paste(seed, way))
      expect_identical(found[-1], expected[-1], info = paste(seed, way))
    }
  })
})

test_that("missing values of new rows follow the rows of a child, not its groups", {
  rows <- data.frame(x = rep(1:2, c(20, 5)), z = c(rep(0, 20), 1:5), y = rep(c("a", "b"), c(20, 5)))
  with_tables(list(x = rows), function(con) {
    fit <- contree(y ~ x + z, contree_table(con, "x", group = TRUE), depth = 1)
    expect_same_fit(fit, contree(y ~ x + z, rows, depth = 1), "grouped")
    expect_identical(as.character(predict(fit, data.frame(x = NA, z = NA))), "a")
  })
})

test_that("levels of rows without a response are none, and texts that differ in case are two", {
  rows <- data.frame(t = c("a", "A", "b", "only"), f = c(1, 1, 2, 9), y = c("p", "p", "q", NA))
  rows <- rows[rep(1:4, c(3, 2, 5, 1)), ]
  with_tables(list(), function(con) {
    DBI::dbExecute(con, "CREATE TABLE x (t TEXT COLLATE NOCASE, f REAL, y TEXT COLLATE NOCASE)")
    DBI::dbWriteTable(con, "x", rows, append = TRUE)
    for (table in each_way(con)) for (formula in c(y ~ t, y ~ factor(t), y ~ factor(f) + t)) {
      expect_same_fit(contree(formula, table, depth = 2), contree(formula, rows, depth = 2),
                      deparse(formula))
    }
  })
})

test_that("rows are read in the order asked for", {
  rows <- data.frame(id = 60:1, random_rows(2, 60), check.names = FALSE)
  with_tables(list(x = rows), function(con) {
    DBI::dbExecute(con, "CREATE INDEX covering ON x (i, y)") # which SQLite would read in its order
    sorted <- DBI::dbGetQuery(con, "SELECT * FROM x ORDER BY id")
    grow <- function(data) hist_forest(y ~ i, data, trees = 3, seed = 1)$forest
    expect_identical(grow(contree_table(con, "x", order = "id")), grow(sorted))
    expect_false(identical(grow(rows), grow(sorted)))
  })
})

test_that("predictions are made in R and in the database", {
  with_tables(list(x = random_rows(5, 200)), function(con) {
    rows <- DBI::dbReadTable(con, "x", check.names = FALSE)
    fit <- contree(y ~ i + text, contree_table(con, "x"), depth = 2)
    expect_identical(predict(fit, rows), predict(contree(y ~ i + text, rows, depth = 2), rows))
    predict_sql(fit, con, "x")
    expect_identical(DBI::dbReadTable(con, "x_predictions")$prediction,
                     as.character(predict(fit, rows)))
    expect_contree_error(predict(fit), "input", "no training rows")
    expect_identical(nobs(fit), sum(!is.na(rows$y)))
    expect_output(print(summary(fit)))
    expect_same_fit(update(fit, depth = 1), contree(y ~ i + text, rows, depth = 1), "updated")
  })
})

test_that("dates, times and booleans are what the driver makes of them", {
  skip_if_not_installed("hms") # RSQLite wants it for extended types
  rows <- data.frame(day = as.Date("2024-01-01") + 1:40,
                     at = as.POSIXct("2024-01-01", "UTC") + 1:40 * 977,
                     y = rep(c("a", "b", "b", "a"), each = 10))
  with_tables(list(x = rows), extended_types = TRUE, function(con) {
    read <- DBI::dbReadTable(con, "x")
    table <- contree_table(con, "x", chunk = 9)
    for (formula in c(y ~ day, y ~ at)) {
      fit <- contree(formula, table, depth = 2)
      expect_same_fit(fit, contree(formula, read, depth = 2), deparse(formula))
      expect_identical(as.character(predict(fit, rows)), rows$y)
    }
  })
  numbers <- new_column_reader("x")
  numbers$push(c(TRUE, NA))
  numbers$push(c(2L, 0L))
  expect_identical(column_values(numbers$column()), c(1L, NA, 2L, 0L))
  levels <- new_column_reader("x")
  levels$push(factor("b", c("c", "b", "a")))
  levels$push(factor(c(NA, "a"), c("c", "b", "a")))
  expect_identical(column_values(levels$column()), factor(c("b", NA, "a"), c("c", "b", "a")))
})

test_that("large whole numbers are doubles as long as these have them all", {
  with_tables(list(), function(con) {
    DBI::dbExecute(con, "CREATE TABLE x (n INTEGER, y TEXT)")
    DBI::dbExecute(con, "INSERT INTO x VALUES (4000000000, 'a'), (5000000000, 'b'), (1, 'a')")
    fit <- contree(y ~ n, contree_table(con, "x", chunk = 2), depth = 1)
    expect_identical(unname(fit$splits[, "index"]), 4.5e9)
    DBI::dbExecute(con, "INSERT INTO x VALUES (9007199254740993, 'b')")
    expect_contree_error(contree(y ~ n, contree_table(con, "x")), "input",
                         "'n' has whole numbers of 2^53 or more")
  })
})

test_that("columns of too many values for two bytes are kept as they are", {
  for (most in c(2, 5, 100)) {
    values <- list(c(3, 1, NA), c(1, 2, 2), c(7, NA, 9), c(8, 3, 1))
    reader <- new_column_reader("x", most)
    for (chunk in values) reader$push(chunk)
    column <- reader$column()
    expect_identical(is_coded(column), most == 100)
    expect_identical(column_values(column), unlist(values))
  }
  set.seed(1)
  rows <- data.frame(x = sample(70000), t = as.character(sample(70000)), g = 1:2,
                     y = sample(c("a", "b"), 70000, TRUE))
  with_tables(list(x = rows), function(con) {
    expect_same_fit(contree(y ~ x + g, contree_table(con, "x"), depth = 1),
                    contree(y ~ x + g, rows, depth = 1), "wide")
    expect_identical(nlevels(column_values(table_frame(t ~ x, contree_table(con, "x"), NULL,
                                                       "learn")$response)), 70000L)
  })
})

test_that("what is wrong is said by name", {
  refused <- function(code, text) expect_error(code, text, fixed = TRUE,
                                               class = "contree_input_error")
  with_tables(list(x = random_rows(1, 50)), function(con) {
    table <- contree_table(con, "x")
    refused(contree_table(con, "nobody"), "no such table: nobody")
    refused(contree_table(con, 3), "'table' must be the name of a table")
    refused(contree_table(con, "x", order = "key"), "the table has no column 'key'")
    refused(contree_table(con, "x", group = "no"), "'group' must be TRUE, FALSE or NA")
    refused(contree_table(con, "x", chunk = 0), "'chunk' must be a whole number")
    refused(contree(y ~ nobody, table), "the table has no column 'nobody'")
    refused(contree(y ~ scale(i), table), "'scale(i)' in 'formula' is not a column")
    refused(contree(y ~ i, table, weights = w + 1), "'weights' must be the name of a column")
    refused(contree(y ~ i, table, subset = i > 0), "give a query")
    refused(contree(y ~ i, table, na.action = identity), "'na.action' must be na.omit")
    refused(contree(y ~ i, con), "name the table: contree_table(con, \"table\")")
    refused(contree(y ~ i, structure(list(), class = "tbl_sql")), "dbplyr::remote_con(data)")
    refused(gmt(z ~ i, table), "tables of databases are for the formula methods of contree()")
    for (given in list(list(certificate = TRUE), list(model = TRUE), list(checkpoint = "x"),
                       list(objective = "absolute"))) {
      expect_error(do.call(contree, c(list(y ~ i, data = table), given)), names(given),
                   class = "contree_unsupported_error")
    }
    DBI::dbExecute(con, "UPDATE x SET y = NULL")
    refused(contree(y ~ i, table), "no row of the table has a response")
    DBI::dbExecute(con, "DELETE FROM x")
    refused(contree(y ~ i, table), "the table `x` has no rows")
    DBI::dbExecute(con, "CREATE TABLE odd (b BLOB, m, y TEXT)")
    DBI::dbExecute(con, "INSERT INTO odd VALUES (x'00', 1, 'a'), (x'01', 'one', 'b')")
    refused(contree(y ~ b, contree_table(con, "odd")), "column 'b' is read as a list")
    refused(contree(y ~ m, contree_table(con, "odd")), "mixed type")
    refused(contree(y ~ m, contree_table(con, "odd", chunk = 1, group = FALSE)), "mixed type")
    reader <- new_column_reader("m")
    for (chunk in list(NA, 1:2, NA_character_)) reader$push(chunk)
    refused(reader$push("one"), "column 'm' has numbers as well as text")
    expect_output(print(table), "`x` of a SQLiteConnection with 7 columns")
  })
})

test_that("missing values and infinite ones are refused where they must be", {
  with_tables(list(x = data.frame(a = c(1, NA, Inf), y = c("p", "q", NA))), function(con) {
    table <- contree_table(con, "x")
    expect_error(contree(y ~ a, table, na.action = na.fail), "'y' is missing (NULL)", fixed = TRUE)
    expect_identical(contree(y ~ a, table, depth = 1)$left_out, 1)
    DBI::dbExecute(con, "UPDATE x SET y = 'p'")
    expect_error(contree(y ~ a, table), "predictor 'a' has the value Inf", class = "contree_error")
  })
})

test_that("a connection that closes, a query that fails and a table that changes are noticed", {
  with_tables(list(x = random_rows(1, 50)), function(con) {
    table <- contree_table(con, "x", chunk = 10)
    for (grouped in c(TRUE, FALSE)) {
      expect_identical(read_table(table, c("i", "y"), grouped)$n, 50)
      expect_error(read_table(table, c("i", "y"), grouped, n = 57), "has changed meanwhile",
                   class = "contree_input_error")
    }
    failing <- DBI::SQL("SELECT y, CASE WHEN rowid = 30 THEN abs(-9223372036854775807 - 1)
                         ELSE i END AS i FROM x")
    expect_contree_error(contree(y ~ i, contree_table(con, failing, chunk = 10)), "input",
                         "the database refuses")
    expect_silent(DBI::dbDisconnect(con)) # no result is left open
    expect_contree_error(contree(y ~ i, table), "input", "the database refuses")
  })
})
