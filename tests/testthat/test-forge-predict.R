# forge() and predict(): data frames and matrices, types, what is refused.

# A tree by hand on the features a and b: a < 1, then b < 2; leaves 1, 2 and 4.
hand <- function(...) {
  tree <- list(feature = c(1L, 2L, 0L, 0L, 0L), threshold = c(1, 2, 0, 0, 0),
               left = c(2L, 3L, 0L, 0L, 0L), right = c(5L, 4L, 0L, 0L, 0L),
               default_left = c(TRUE, FALSE, FALSE, FALSE, FALSE), missing = rep(1L, 5),
               set = integer(5), leaf_id = 10:14, values = matrix(c(0, 0, 1, 2, 4)))
  forge(new_forest_ir(list(tree, tree), 2, base = 0.5, ...), threads = 1)
}

named <- hand(features = c("a", "b"))

test_that("sums and leaves are those by hand", {
  data <- data.frame(a = c(0, 0, 1, NA, NA), b = c(1, 2, 1, NaN, 0))
  expect_identical(predict(named, data), stats::setNames(c(2.5, 4.5, 8.5, 4.5, 2.5), 1:5))
  leaf <- c(12L, 13L, 14L, 13L, 12L)
  expect_identical(unname(predict(named, data, type = "leaf")), matrix(leaf, 5, 2))
  expect_identical(predict(named, data[0, ]), stats::setNames(numeric(), character()))
})

test_that("columns are found by name, in any order, among others", {
  data <- data.frame(a = c(0, 1), b = 1:2)
  expected <- predict(named, data)
  expect_identical(predict(named, data.frame(z = "x", b = 1:2, a = c(FALSE, TRUE))), expected)
  expect_identical(predict(named, cbind(b = c(1, 2), a = c(0, 1))), unname(expected))
  expect_identical(predict(named, matrix(c(0, 1, 1, 2), 2)), unname(expected))
  expect_identical(predict(hand(), data), expected)
})

test_that("a column that no tree asks for may be absent where there are names", {
  tree <- list(feature = c(2L, 0L, 0L), threshold = c(0, 0, 0), left = c(2L, 0L, 0L),
               right = c(3L, 0L, 0L), default_left = logical(3), missing = rep(1L, 3),
               set = integer(3), leaf_id = 0:2, values = matrix(c(0, 1, 2)))
  forged <- forge(new_forest_ir(list(tree), 3, features = c("a", "b", "c")))
  expect_identical(unname(predict(forged, data.frame(b = c(-1, 1)))), c(1, 2))
  expect_identical(predict(forged, cbind(b = c(-1, 1))), c(1, 2))
  expect_contree_error(predict(forged, data.frame(a = 1)), "input", "'b'")
})

test_that("data that cannot be used are refused", {
  bad <- function(data, ...) expect_error(predict(named, data, ...), class = "contree_input_error")
  bad(data.frame(a = 1))
  bad(data.frame(a = "1", b = 2))
  bad(data.frame(a = factor("1"), b = 2))
  bad(data.frame(a = Sys.Date(), b = 2))
  bad(matrix("1", 1, 2))
  bad(matrix(0, 2, 3))
  bad(1:2)
  bad()
  bad(data.frame(a = 1, b = 2), type = "votes")
  bad(data.frame(a = 1, b = 2), threads = -1)
  bad(data.frame(a = 1, b = 2), 3)
  expect_contree_error(predict(named, data.frame(a = 1, b = 2), type = "prob"), "unsupported")
  expect_contree_error(predict(hand(complete = TRUE), data.frame(a = NA, b = 2)), "input",
                       "missing")
})

test_that("levels become codes, new ones missing", {
  tree <- list(feature = c(1L, 0L, 0L), threshold = c(0, 0, 0), left = c(2L, 0L, 0L),
               right = c(3L, 0L, 0L), default_left = logical(3), missing = rep(1L, 3),
               set = c(1L, 0L, 0L), leaf_id = 0:2, values = matrix(c(0, 1, 2)))
  forest <- function(first) {
    new_forest_ir(list(tree), 1, features = "f", levels = list(f = c("u", "v", "w")),
                  first_code = first, sets = list(c(rep(FALSE, first), TRUE, FALSE, TRUE)),
                  set_else = TRUE)
  }
  for (first in 0:1) {
    forged <- forge(forest(first))
    data <- data.frame(f = c("w", "v", "u", "x", NA))
    expect_warning(predict(forged, data), "'x'", class = "contree_new_levels")
    for (f in list(data$f, factor(data$f, levels = c("x", "w", "v", "u")))) {
      said <- suppressWarnings(predict(forged, data.frame(f)), classes = "contree_new_levels")
      expect_identical(unname(said), c(1, 2, 1, 2, 2))
    }
    expect_contree_error(predict(forged, data.frame(f = 1)), "input", "levels")
  }
})

test_that("links are what they say", {
  data <- data.frame(a = c(0, 1), b = 1)
  margin <- c(2.5, 8.5)
  expect_equal(unname(predict(hand(link = "logistic"), data)), stats::plogis(margin))
  expect_equal(unname(predict(hand(link = "exp"), data)), exp(margin))
  expect_identical(unname(predict(hand(link = "exp"), data, type = "margin")), margin)
  binary <- hand(link = "logistic", classes = c("no", "yes"))
  prob <- predict(binary, data, type = "prob")
  expect_equal(unname(prob), cbind(1 - stats::plogis(margin), stats::plogis(margin)))
  expect_identical(dimnames(prob), list(c("1", "2"), c("no", "yes")))
  expect_identical(unname(predict(binary, data, type = "class")),
                   factor(c("yes", "yes"), c("no", "yes")))
  expect_equal(linked(cbind(c(1, 800), c(2, 0)), "softmax"),
               rbind(exp(1:2) / sum(exp(1:2)), c(1, 0)))
  expect_equal(linked(cbind(1, 3), "shares"), cbind(0.25, 0.75))
})

test_that("threads and batches change nothing", {
  model <- forge_models()[1, ]
  forged <- forge(import_model(model), threads = 3)
  rows <- forge_rows(model)[rep(seq_len(50), 40), ]
  whole <- predict(forged, rows)
  expect_identical(whole[1:50], whole[1951:2000])
  expect_identical(predict(forged, rows, threads = 1), whole)
  for (n in c(1, 7, 23, 24, 63, 65, 511, 513)) {
    expect_identical(predict(forged, rows[seq_len(n), , drop = FALSE]), whole[seq_len(n)])
  }
})

test_that("a forged forest survives being saved", {
  data <- data.frame(a = c(0, 1), b = 1)
  path <- tempfile()
  saveRDS(named, path)
  expect_identical(predict(readRDS(path), data), predict(named, data))
})

test_that("print says what runs and why", {
  expect_output(print(named), "2 trees with 6 leaves on 2 features")
  expect_output(print(named), "bit planes of 2 tests.* below 8 rows as walks")
  expect_output(print(named$forest), "sums are doubles")
  deep <- 1:300
  comb <- list(feature = c(rep(1L, 300), rep(0L, 301)), threshold = c(deep, rep(0, 301)),
               left = c(300L + deep, rep(0L, 301)), right = c(deep[-1], 601L, rep(0L, 301)),
               default_left = logical(601), missing = rep(1L, 601), set = integer(601),
               leaf_id = 0:600, values = matrix(as.numeric(0:600)))
  large <- forge(new_forest_ir(list(comb), 1, features = "x"))
  expect_output(print(large), "1 by reach, 1 of them with walks below")
  for (times in c(1, 50)) {
    rows <- data.frame(x = rep(c(0, 299.5, 300, NA), times))
    expect_identical(unname(predict(large, rows)), rep(c(300, 599, 600, 600), times))
  }
})

test_that("the more tests a tree has, the more rows it takes for planes", {
  set.seed(12)
  x <- data.frame(a = runif(500), b = runif(500))
  x$y <- sin(9 * x$a) + x$b + rnorm(500, 0, 0.1)
  from <- function(depth) {
    forge(hist_forest(y ~ ., x, trees = 5, depth = depth, seed = 1))$info[c("tests", "planes_from")]
  }
  for (known in list(from(1), from(3), from(6))) {
    expect_identical(known$planes_from, as.integer(min(32, 8 + known$tests %/% 30)))
  }
  expect_lt(from(1)$planes_from, from(6)$planes_from)
})
