# as_sql() of forests, run by SQLite, against predict() on hostile rows.

numbers_in_sqlite <- function(rows, columns) unname(as.matrix(in_sqlite(rows, columns)))

expect_in_sqlite <- function(forest, rows, type = "margin", info = NULL) {
  answer <- numbers_in_sqlite(rows, as_sql(forest, type))
  said <- suppressWarnings(predict(forge(forest), rows, type = type),
                           classes = "contree_new_levels")
  expect_identical(answer, unname(as.matrix(said)), info = info)
}

# Columns that are tested by sets of codes as whole numbers.
whole_codes <- function(forest, rows) {
  e <- forest$ensemble
  codes <- unique(e$feature[e$set > 0L])
  rows[, codes] <- trunc(rows[, codes])
  rows
}

test_that("margins in SQLite are those of predict(), to the last bit", {
  skip_if_not_installed("RSQLite")
  models <- forge_models()
  for (name in c("lgb-regression", "lgb-binary", "lgb-none", "lgb-multiclass", "lgb-codes",
                 "lgb-onehot", "xgb-regression", "xgb-softprob", "xgb-codes", "xgb-dart",
                 "xgb-vectors-ubj")) {
    model <- models[models$name == name, ]
    forest <- forge(import_model(model), sums = "reproducible")$forest
    forest$features <- paste("x", seq_len(model$columns))
    rows <- whole_codes(forest, forge_rows(model))
    colnames(rows) <- forest$features
    expect_in_sqlite(forest, rows, info = name)
  }
})

test_that("tests of floats are tests of doubles", {
  set.seed(1)
  t <- c(.Call(ffi_floats, rnorm(20)), 0, 2^-149, -2^-149, 1.5, -1.5, 2^-126,
         (2 - 2^-23) * 2^127, -(2 - 2^-23) * 2^127, Inf, -Inf)
  near <- outer(t, c(0, -1, 1) * 2^-24, function(t, by) t + by * pmax(abs(t), 2^-126))
  x <- unique(c(near, near * (1 + 2^-52), near * (1 - 2^-53), -near, 0, 2^-150, -2^-150,
                2^128 - 2^103, 2^128 - 2^103 - 2^75))
  x <- x[!is.nan(x)]
  for (less in c("<", "<=")) for (threshold in t) {
    cut <- float_cut(threshold, less)
    expected <- match.fun(less)(.Call(ffi_floats, x), threshold)
    expect_identical(match.fun(cut$less)(x, cut$threshold), expected, info = format(threshold))
  }
  expect_identical(next_float(c(0, -2^-149, 1, -1, (2 - 2^-23) * 2^127)),
                   c(2^-149, 0, 1 + 2^-23, -1 + 2^-24, Inf))
})

test_that("factors are texts, by order and by sets, with new levels and missing values", {
  skip_if_not_installed("RSQLite")
  set.seed(2)
  data <- data.frame(f = factor(sample(letters[1:5], 200, TRUE)), a = round(rnorm(200), 1))
  data$y <- (data$f %in% c("b", "e")) + data$a + rnorm(200, sd = 0.1)
  data$k <- factor(data$y > 0.5, labels = c("low", "high's"))
  new <- data.frame(f = c("a", "b", "c", "d", "e", "new", NA, "b"),
                    a = c(0.2, -1, NA, Inf, 1, 0, 0, -Inf))
  numbers <- hist_forest(y ~ f + a, data, trees = 5, depth = 4, seed = 1)
  expect_in_sqlite(import_forest(numbers), new, "response")
  classes <- hist_forest(k ~ f + a, data, trees = 5, depth = 4, seed = 1)
  expect_in_sqlite(import_forest(classes), new)
  expect_named(as_sql(forge(classes), "margin"), c("low", "high's"))
  expect_in_sqlite(import_forest(contree(k ~ f + a, data, depth = 2)), new)
})

test_that("new levels have a side of their own", {
  skip_if_not_installed("RSQLite")
  tree <- list(feature = c(1L, 0L, 0L), threshold = c(0, 0, 0), left = c(2L, 0L, 0L),
               right = c(3L, 0L, 0L), default_left = logical(3), missing = rep(1L, 3),
               set = c(1L, 0L, 0L), leaf_id = 0:2, values = matrix(c(0, 1, 2)))
  new <- data.frame(f = c("u", "v", "new", NA))
  for (left in list(c(TRUE, TRUE, FALSE), c(FALSE, TRUE, FALSE))) {
    forest <- new_forest_ir(list(tree), 1, features = "f", levels = list(f = c("u", "v")),
                            sets = list(left), set_else = TRUE, new_level = c(f = 0L))
    expect_in_sqlite(forest, new)
  }
})

test_that("responses are linked", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("jsonlite")
  forest <- import_forest(system.file("extdata", "pima-lightgbm.txt.gz", package = "contree"))
  rows <- as.matrix(utils::head(MASS::Pima.te[1:7], 40))
  expect_equal(numbers_in_sqlite(rows, as_sql(forest)),
               unname(as.matrix(predict(forge(forest), rows))), tolerance = 1e-14)
})

test_that("links of several margins", {
  skip_if_not_installed("RSQLite")
  models <- forge_models()
  model <- models[models$name == "lgb-multiclass", ]
  forest <- import_model(model)
  forest$features <- paste("x", seq_len(model$columns))
  rows <- forge_rows(model)
  colnames(rows) <- forest$features
  forest$ensemble$base <- forest$ensemble$base + 1000 # beyond what exp() has
  expect_named(as_sql(forest), forest$classes)
  expect_equal(numbers_in_sqlite(rows, as_sql(forest)), unname(predict(forge(forest), rows)),
               tolerance = 1e-14)
  shares <- hist_forest(Species ~ ., iris, trees = 5, depth = 3, seed = 1)
  expect_in_sqlite(import_forest(shares), iris[1:4], "response")
  expect_in_sqlite(import_forest(shares), iris[1:4], "margin")
})

test_that("what SQL cannot say is refused by name", {
  refused <- function(forest, what, ...) {
    expect_error(as_sql(forest, ...), what, class = "contree_unsupported_error")
  }
  forest <- import_forest(forge_fixture("lgb-multiclass.txt"))
  unnamed <- forest
  unnamed$features <- NULL
  refused(unnamed, "without names", "margin")
  forest$ensemble$sum <- "float"
  refused(forest, "sums of floats", "margin")
  infinite <- import_forest(forge_fixture("lgb-regression.txt"))
  infinite$ensemble$less <- "<"
  infinite$ensemble$threshold[infinite$ensemble$feature > 0L] <- Inf
  refused(infinite, "infinite", "margin")
  expect_contree_error(as_sql(forest, "class"), "input")
})
