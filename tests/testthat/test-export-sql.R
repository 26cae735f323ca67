test_that("SQLite gives every row what predict() gives, missing values and new levels included", {
  skip_if_not_installed("RSQLite")
  for_each_tree(function(fit, rows, expected, name) {
    answer <- in_sqlite(rows, unlist(lapply(c("class", "node", "prob"),
                                            function(type) as_sql(fit, type, dates = "number"))))
    expect_identical(answer$c1, expected$class, info = name)
    expect_identical(as.integer(answer$c2), expected$node, info = name)
    expect_identical(unname(as.matrix(answer[-(1:2)])), expected$prob, info = name)
  })
})

test_that("the expression is plain SQL", {
  fit <- contree(Species ~ ., iris, depth = 2)
  sql <- as_sql(fit)
  expect_s3_class(sql, "contree_code")
  expect_output(print(sql), "^CASE WHEN \"Petal.Length\" < 2.45E0 THEN\n  'setosa'\n.*END\n$")
  expect_named(as_sql(fit, "prob"), levels(iris$Species))
  expect_identical(unclass(as_sql(contree(Species ~ ., iris, depth = 0), "node")), "1",
                   ignore_attr = TRUE)
})

test_that("dates and times are literals of SQL, logicals work as numbers and as truth values", {
  data <- data.frame(d = as.Date("2020-01-01") + 0:9, t = .POSIXct(1e9 + 0:9 / 4, "UTC"),
                     l = rep(c(TRUE, FALSE), 5))
  cut <- function(y, data) as_sql(contree(data, factor(y), depth = 1))
  expect_match(cut(1:10 < 5, data["d"]), "\"d\" < DATE '2020-01-05'", fixed = TRUE)
  expect_match(cut(1:10 < 5, data["t"]), "\"t\" < TIMESTAMP '2001-09-09 01:46:41'", fixed = TRUE)
  expect_match(cut(1:10 < 4, data["t"]), "\"t\" < TIMESTAMP '2001-09-09 01:46:40.625000'",
               fixed = TRUE)
  expect_match(cut(data$l, data["l"]), "CAST(\"l\" AS INTEGER) < 0.5E0", fixed = TRUE)
})

test_that("a connection quotes in its own way", {
  con <- sqlite()
  expect_match(as_sql(iris2, con = con), "`Petal.Length` < ", fixed = TRUE)
  expect_contree_error(as_sql(iris2, con = "sqlite"), "input", c("'con'", "dbConnect"))
})

test_that("bad arguments are errors", {
  expect_contree_error(as_sql(iris), "input", "'fit'")
  expect_contree_error(as_sql(iris2, "odds"), "input", c("'type'", "odds"))
  expect_contree_error(as_sql(iris2, dates = "text"), "input", "'dates'")
})
