with_database <- function(rows, code) with_tables(list(x = numbered(rows)), code)

test_that("the new table has what predict() gives, for each row", {
  for_each_tree(function(fit, rows, expected, name) {
    with_database(rows, function(con) {
      expect_identical(predict_sql(fit, con, "x", keep = "id"), "x_predictions", info = name)
      predict_sql(fit, con, "x", DBI::Id(table = "nodes"), "id", "node", "node")
      predict_sql(fit, con, DBI::Id(table = "x"), "shares", "id", "prob", "p")
      ask <- function(table) {
        answer <- DBI::dbReadTable(con, table, check.names = FALSE)
        answer[order(answer$id), -1, drop = FALSE]
      }
      expect_identical(ask("x_predictions")$prediction, expected$class, info = name)
      expect_identical(as.integer(ask("nodes")$node), expected$node, info = name)
      shares <- ask("shares")
      expect_identical(unname(as.matrix(shares)), unname(expected$prob), info = name)
      expect_identical(names(shares), paste0("p_", names(as_sql(fit, "prob"))), info = name)
    })
  })
})

test_that("numbers, forests and all columns are written too", {
  fit <- contree(mpg ~ ., mtcars, depth = 2)
  with_database(mtcars, function(con) {
    expect_identical(predict_sql(fit, con, DBI::Id(table = "x")), DBI::Id(table = "x_predictions"))
    answer <- DBI::dbReadTable(con, "x_predictions")
    expect_named(answer, c("id", names(mtcars), "prediction"))
    expect_identical(answer$prediction, unname(predict(fit, mtcars)))
    forest <- import_forest(fit)
    predict_sql(forest, con, "x", keep = character(), name = "again", overwrite = TRUE)
    expect_named(DBI::dbReadTable(con, "x_predictions"), "again")
  })
})

test_that("what is there stays as it is, whatever goes wrong", {
  fit <- contree(Species ~ ., iris, depth = 1)
  used <- setdiff(as.character(fit$frame$var), "<leaf>")
  with_database(iris, function(con) {
    refused <- function(..., words) {
      expect_contree_error(predict_sql(fit, con, ...), "input", words)
    }
    predict_sql(fit, con, "x")
    refused("x", words = c("'into'", "overwrite"))
    refused("y", words = "no table")
    refused(1, words = "'table'")
    refused("x", c("a", "b"), words = "'into'")
    refused("x", "new", "age", words = c("no column", "age"))
    refused("x", "new", 3, words = "'keep'")
    refused("x", "new", name = "", words = "'name'")
    refused("x", "new", name = "ID", words = "'name'")
    refused("x", "new", type = "odds", words = "'type'")
    refused("x", overwrite = NA, words = "'overwrite'")
    expect_contree_error(predict_sql(fit, "sqlite", "x"), "input", "'con'")
    expect_contree_error(predict_sql(iris, con, "x"), "input", "'fit'")
    before <- DBI::dbReadTable(con, "x_predictions")
    DBI::dbExecute(con, paste0("CREATE TABLE less AS SELECT id FROM x"))
    refused("less", "x_predictions", overwrite = TRUE, words = c("refuses", used))
    expect_identical(DBI::dbReadTable(con, "x_predictions"), before)
    expect_setequal(DBI::dbListTables(con), c("x", "less", "x_predictions"))
  })
})
