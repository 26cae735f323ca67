stratified <- contree:::stratified_folds

test_that("folds of each class and of all rows differ by one row at most", {
  set.seed(1)
  for (case in 1:30) {
    y <- factor(sample(letters[1:4], sample(20:90, 1), TRUE, prob = c(8, 4, 2, 1)),
                levels = letters[1:5])
    k <- sample(2:12, 1)
    fold <- stratified(y, k)
    expect_true(all(fold %in% seq_len(k)))
    expect_lte(diff(range(tabulate(fold, k))), 1)
    by_class <- table(factor(fold, seq_len(k)), y)
    expect_true(all(apply(by_class, 2, function(n) diff(range(n))) <= 1))
  }
})

test_that("folds are random within a class, and drawn with the user's generator", {
  set.seed(2)
  first <- stratified(iris$Species, 10)
  expect_false(identical(first, stratified(iris$Species, 10)))
  set.seed(2)
  expect_identical(first, stratified(iris$Species, 10))
  # each row of a class comes into each fold about equally often
  share <- rowMeans(replicate(2000, stratified(iris$Species, 5) == 1))
  expect_true(all(abs(share - 0.2) < 0.05))
})

test_that("as many folds as rows leave out one at a time", {
  expect_identical(sort(stratified(iris$Species, 150)), 1:150)
})

test_that("folds can be given by name, for each repeat", {
  read <- contree:::read_folds
  y <- factor(c("a", "b", "a", "b"))
  expect_identical(read(factor(c("u", "v", "v", "u")), 1, y), matrix(c(1L, 2L, 2L, 1L)))
  expect_identical(read(factor(c("u", "v", "v", "u"), c("w", "v", "u")), 1, y),
                   matrix(c(2L, 1L, 1L, 2L)))
  expect_identical(read(c(7, 7, 3, 3), 1, y), matrix(c(2L, 2L, 1L, 1L)))
  ids <- cbind(c(1, 1, 2, 2), c(2, 1, 2, 1))
  expect_identical(read(ids, 2, y), read(ids, 1, y))
  expect_identical(ncol(read(ids, 1, y)), 2L)
})

test_that("what cannot be folds is said", {
  cv <- function(...) contree_cv(Species ~ ., iris, depth = 1, ...)
  for (folds in list(1, 151, 2.5, NA, "ten", -3, Inf)) {
    expect_contree_error(cv(folds = folds), "input", c("'folds'", "150"))
  }
  expect_contree_error(cv(folds = 1:149), "input", c("'folds'", "length 149", "150 rows"))
  expect_contree_error(cv(folds = list(1, 2)), "input", "'folds'")
  expect_contree_error(cv(folds = c(NA, rep(1:2, length.out = 149))), "input",
                       c("'folds'", "NA", "1 rows"))
  expect_contree_error(cv(folds = rep(3, 150)), "input", c("'folds'", "one fold"))
  expect_contree_error(cv(folds = rep(1:3, 50), repeats = 2), "input", c("'repeats'", "'folds'"))
  for (repeats in list(0, 1.5, NA, "two", Inf)) {
    expect_contree_error(cv(repeats = repeats), "input", "'repeats'")
  }
})

test_that("absurd numbers of repeats are refused", {
  for (repeats in list(1e10, 10001, Inf, 0, 1.5, NA, "2", NULL)) {
    expect_contree_error(contree_cv(Species ~ ., iris, repeats = repeats), "input",
                         "'repeats' must be")
    expect_contree_error(gmt_cv(dist ~ speed, cars, repeats = repeats), "input",
                         "'repeats' must be")
    fit <- gmt(dist ~ speed, cars, seed = 1)
    expect_contree_error(contree_importance(fit, cars, repeats = repeats), "input",
                         "'repeats' must be")
  }
})

test_that("one row is too few, by name", {
  one <- data.frame(a = 1, y = factor("p"))
  expect_contree_error(contree_cv(y ~ ., one, folds = 2), "input", "two rows")
  expect_contree_error(contree_cv(one["a"], one$y), "input", "two rows")
})
