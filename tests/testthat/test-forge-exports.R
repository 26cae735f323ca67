# Imported forests as C, beside each other, and what they gained.

models <- forge_models()

# Margins by a program that the C compiler makes of the code.
compiled_margins <- function(forest, rows) {
  outputs <- length(forest$ensemble$base)
  loaded <- compiled(c(as_c(forest, "f"), sprintf(
    "void rows(const double *x, const int *n, const int *p, double *out)
{
  for (int i = 0; i < *n; i++) f(x + (size_t) i * (size_t) *p, out + (size_t) i * %d);
}", outputs)), "forest")
  out <- .C(getNativeSymbolInfo("rows", loaded), as.double(t(rows)), nrow(rows), ncol(rows),
            out = double(nrow(rows) * outputs), NAOK = TRUE)$out
  matrix(out, ncol = outputs, byrow = TRUE)
}

test_that("C code gives the makers' margins", {
  skip_on_cran()
  skip_if(!nzchar(Sys.which("make")) || !nzchar(Sys.which("cc")), "no C compiler")
  for (name in c("xgb-vectors-ubj", "xgb-onehot", "lgb-binary", "lgb-codes", "lgb-none",
                 "xgb-softprob")) {
    model <- models[models$name == name, ]
    expect_identical(compiled_margins(import_model(model), forge_rows(model)), forge_margin(model),
                     info = name)
  }
  fit <- import_forest(hist_forest(Species ~ ., iris, trees = 5, seed = 1))
  x <- as.matrix(iris[1:4])
  expect_identical(compiled_margins(fit, x), unname(predict(forge(fit), x, type = "margin")))
  expect_contree_error(as_c(fit, "1"), "input")
})

# Rows of which some lack a value, and a tree that refuses them, or follows them in other ways.
rpart_with_holes <- function() {
  skip_if_not_installed("rpart")
  rows <- datasets::warpbreaks[rep(1:54, 2), ]
  rows$f <- factor(paste0(rows$wool, rows$tension))
  rows$g <- factor(rep(letters[1:9], 12))
  rows$x <- rows$breaks %/% 10
  rows$breaks <- rows$breaks + 20 * (rows$f %in% c("AL", "BM")) * (rows$g %in% c("a", "d"))
  rows <- rows[!(rows$f == "AL" & rows$g == "c"), ]
  list(fit = rpart::rpart(breaks ~ f + g + x, rows, cp = 0, minsplit = 4),
       new = expand.grid(f = c(levels(rows$f), NA), g = c(levels(rows$g), NA), x = c(1, 4, NA)))
}

# Whether predict() needs more than the answers of trees that refuse what they do not know.
answered <- function(fit, new) {
  table <- as.matrix(fit$csplit)
  vapply(seq_len(nrow(new)), function(i) {
    node <- 1
    repeat {
      at <- match(node, as.numeric(row.names(fit$frame)))
      if (fit$frame$var[at] == "<leaf>") return(TRUE)
      first <- cumsum(c(1, fit$frame$ncompete + fit$frame$nsurrogate +
                          (fit$frame$var != "<leaf>")))[at]
      split <- fit$splits[first, ]
      value <- new[i, as.character(fit$frame$var[at])]
      if (is.na(value)) return(FALSE)
      side <- if (split["ncat"] > 1) table[split["index"], as.integer(value)] - 2 else
        if (value < split["index"]) split["ncat"] else -split["ncat"]
      if (side == 0) return(FALSE)
      node <- 2 * node + (side > 0)
    }
  }, NA)
}

test_that("exports have no answer where rpart takes other ways", {
  case <- rpart_with_holes()
  forest <- import_forest(case$fit)
  said <- predict(forge(forest), case$new)
  known <- answered(case$fit, case$new)
  expect_true(all(table(known) > 20))
  expected <- as.matrix(ifelse(known, unname(said), NA))
  codes <- data.matrix(case$new)
  if (nzchar(Sys.which("make")) && nzchar(Sys.which("cc"))) {
    compiled <- compiled_margins(forest, codes)
    expect_identical(is.nan(compiled), is.na(expected))
    expect_identical(compiled[known], expected[known])
  }
  skip_if_not_installed("RSQLite")
  texts <- transform(case$new, f = as.character(f), g = as.character(g))
  texts$f[3] <- "new"
  expected[3] <- NA # of which rpart has no answer
  con <- sqlite()
  DBI::dbWriteTable(con, "x", texts)
  sql <- DBI::dbGetQuery(con, sprintf("SELECT %s AS y FROM x", as_sql(forest)))$y
  expect_identical(sql[-3], expected[-3])
  expect_true(is.na(sql[3]))
})

test_that("exports of models that refuse missing values refuse them, or say that they do not", {
  skip_if_not_installed("randomForest")
  data <- data.frame(a = c(1:20, 3), b = rep(1:3, 7), y = c(1:20, 9))
  set.seed(1)
  forest <- import_forest(randomForest::randomForest(y ~ a + b, data, ntree = 3))
  new <- data.frame(a = c(NA, 3, 8), b = c(1, NA, 2))
  if (nzchar(Sys.which("make")) && nzchar(Sys.which("cc"))) {
    compiled <- compiled_margins(forest, as.matrix(new))
    expect_true(is.nan(compiled[1]))
    expect_identical(compiled[3], unname(predict(forge(forest), new[3, ])))
  }
  expect_warning(write_onnx(forest, tempfile()), "complete rows",
                 class = "contree_missing_values")
  forest$ensemble$number <- forest$ensemble$sum <- "float"
  forest$ensemble$divisor <- 1
  expect_warning(write_xgboost(forest, tempfile()), "randomForest",
                 class = "contree_missing_values")
  forest$complete <- FALSE
  expect_no_warning(write_xgboost(forest, tempfile()))
  forest$complete_for <- 2L
  expect_warning(write_xgboost(forest, tempfile()), "complete rows",
                 class = "contree_missing_values")
  expect_no_warning(write_onnx(hist_forest(y ~ a, data, trees = 2, seed = 1), tempfile()))
})

test_that("all.equal() says where forests differ", {
  text <- readLines(forge_fixture("lgb-regression.txt"))
  with <- function(pattern, by) {
    import_forest(charToRaw(paste(sub(pattern, by, text), collapse = "\n")))
  }
  one <- with("a^", "")
  expect_true(all.equal(one, forge(one)))
  expect_true(all.equal(forge(one), one))
  first <- sub("leaf_value=([^ ]*) .*", "\\1", grep("^leaf_value=", text, value = TRUE)[1])
  other <- with(paste0("^leaf_value=", first), "leaf_value=0.5")
  expect_match(all.equal(one, other), "tree 1, node [0-9]+: value .*, 0.5$")
  expect_true(all.equal(one, other, tolerance = 100))
  expect_match(all.equal(one, with("^threshold=[^ ]*", "threshold=0.125")), "threshold .*, 0.125")
  expect_match(all.equal(one, import_forest(forge_fixture("lgb-regression.txt"), iterations = 2)),
               "^trees: 4, 2$")
  expect_match(all.equal(one, import_forest(forge_fixture("lgb-binary.txt")))[1], "link")
  expect_match(all.equal(one, 1), "not a forest")
  expect_contree_error(all.equal(one, one, tolerance = -1), "input")
})

test_that("gains are the makers'", {
  forest <- import_forest(forge_fixture("lgb-regression.txt"))
  lines <- readLines(forge_fixture("lgb-regression.txt"))
  numbers <- function(name) {
    as.numeric(unlist(strsplit(sub(".*=", "", grep(paste0("^", name, "="), lines, value = TRUE)),
                               " ")))
  }
  sums <- tapply(numbers("split_gain"), numbers("split_feature"), sum)
  importance <- contree_importance(forge(forest))
  expect_equal(importance$gain, unname(sort(as.vector(sums), decreasing = TRUE)))
  expect_identical(sum(importance$splits), length(numbers("split_gain")))
  expect_output(print(importance), "Gain of the splits")
  expect_invisible(plot(importance))
  tree <- list(feature = 0L, threshold = 0, left = 0L, right = 0L, default_left = FALSE,
               missing = 1L, set = 0L, leaf_id = 0L, values = matrix(1))
  expect_contree_error(contree_importance(new_forest_ir(list(tree), 1)), "unsupported")
})
