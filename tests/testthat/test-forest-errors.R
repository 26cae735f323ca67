test_that("standard errors are those of the infinitesimal jackknife", {
  by_hand <- function(said, inbag, s = NULL) {
    n <- nrow(inbag)
    trees <- ncol(inbag)
    vapply(seq_len(nrow(said)), function(row) {
      t <- said[row, ] - mean(said[row, ])
      variance <- 0
      spread <- 0
      for (i in seq_len(n)) {
        variance <- variance + (sum((inbag[i, ] - mean(inbag[i, ])) * t) / trees)^2
        spread <- spread + mean(inbag[i, ]^2) - mean(inbag[i, ])^2
      }
      variance <- variance - spread * mean(t^2) / trees
      if (variance <= 0) return(NA)
      sqrt(if (is.null(s)) variance else variance * n * (n - 1) / (n - s)^2)
    }, 0)
  }
  with_errors <- function(fit, rows, ...) {
    suppressWarnings(predict(fit, rows, se.fit = TRUE, ...), classes = "contree_few_trees")
  }
  fit <- hist_forest(mpg ~ ., mtcars, trees = 60, seed = 1, keep_inbag = TRUE)
  told <- with_errors(fit, mtcars[1:9, ])
  expect_identical(told$fit, predict(fit, mtcars[1:9, ]))
  expect_equal(unname(told$se.fit), by_hand(predict(fit, mtcars[1:9, ], type = "trees"), fit$inbag))
  expect_named(told$se.fit, rownames(mtcars)[1:9])
  expect_gt(sum(told$se.fit > 0, na.rm = TRUE), 6)
  # samples are drawn again
  again <- hist_forest(mpg ~ ., mtcars, trees = 60, seed = 1)
  expect_identical(with_errors(again, mtcars[1:9, ]), told)
  # so they are where seeds differ
  joined <- c(hist_forest(mpg ~ ., mtcars, trees = 30, seed = 5),
              hist_forest(mpg ~ ., mtcars, trees = 30, seed = 2))
  kept <- cbind(hist_forest(mpg ~ ., mtcars, trees = 30, seed = 2, keep_inbag = TRUE)$inbag,
                hist_forest(mpg ~ ., mtcars, trees = 30, seed = 5, keep_inbag = TRUE)$inbag)
  expect_equal(unname(with_errors(joined, mtcars[1:3, ])$se.fit),
               by_hand(predict(joined, mtcars[1:3, ], type = "trees"), kept))
  part <- hist_forest(mpg ~ ., mtcars, trees = 60, seed = 1, replace = FALSE, sample_fraction = 0.5,
                      keep_inbag = TRUE)
  expect_equal(unname(with_errors(part, mtcars[1:3, ])$se.fit),
               by_hand(predict(part, mtcars[1:3, ], type = "trees"), part$inbag, 16))
})

test_that("probabilities have standard errors, a column a class", {
  fit <- hist_forest(Species ~ ., iris, trees = 50, seed = 1, keep_inbag = TRUE)
  rows <- iris[c(60, 71, 107, 120), ]
  expect_warning(errors <- predict(fit, rows, type = "prob", se.fit = TRUE)$se.fit,
                 class = "contree_few_trees")
  expect_identical(dimnames(errors), list(rownames(rows), fit$classes))
  leaf <- predict(fit, rows, type = "leaf")
  said <- vapply(1:50, function(i) {
    tree <- forest_tree(fit, i)
    (tree$n_virginica / tree$n)[leaf[, i]]
  }, numeric(4))
  counts <- fit$inbag - rowMeans(fit$inbag)
  raw <- colSums((counts %*% t(said) / 50 - rowMeans(counts))^2)
  noise <- sum(rowMeans(counts^2)) * apply(said, 1, function(t) mean((t - mean(t))^2)) / 50
  raw[apply(said, 1, max) == apply(said, 1, min)] <- NA # of trees that agree, fewer than rows
  expect_equal(unname(errors[, "virginica"]), sqrt(ifelse(raw > noise, raw - noise, NA)))
})

test_that("errors that so few trees cannot tell from 0 are NA, and the trees needed are told", {
  few <- hist_forest(mpg ~ ., mtcars, trees = 8, seed = 1)
  expect_warning(told <- predict(few, mtcars, se.fit = TRUE), "of 32 .* 8 trees .* 160 trees",
                 class = "contree_few_trees")
  expect_true(anyNA(told$se.fit))
  expect_gt(min(told$se.fit, na.rm = TRUE), 0)
  expect_false(anyNA(told$fit))
  # all trees agree on setosa, which few do by chance
  agreed <- function(trees) {
    fit <- hist_forest(Species ~ ., iris, trees = trees, seed = 1)
    predict(fit, iris[1:5, ], type = "prob", se.fit = TRUE)$se.fit
  }
  expect_warning(expect_true(all(is.na(agreed(100)))), "15 of 15", class = "contree_few_trees")
  expect_warning(expect_true(all(agreed(150) == 0)), NA)
})

test_that("what has no standard error says so", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 1)
  expect_contree_error(predict(fit, iris, se.fit = TRUE), "input", "standard errors are available")
  expect_contree_error(predict(fit, type = "prob", se.fit = TRUE), "input", "newdata")
  expect_contree_error(predict(fit, iris, se.fit = 2), "input", "se.fit")
  one <- hist_forest(mpg ~ ., mtcars, trees = 1, seed = 1)
  expect_contree_error(predict(one, mtcars, se.fit = TRUE), "input", "2 trees")
  whole <- hist_forest(mpg ~ ., mtcars, trees = 3, seed = 1, replace = FALSE, sample_fraction = 1)
  expect_contree_error(predict(whole, mtcars, se.fit = TRUE), "input", "all rows")
})

test_that("forests are cross-validated on the rows they were grown from, and on no others", {
  set.seed(1)
  holes <- iris
  holes$Sepal.Width[1:9] <- NA
  weight <- stats::runif(150)
  forests <- list(hist_forest(Species ~ ., iris, trees = 3, seed = 1),
                  hist_forest(Species ~ ., holes, trees = 3, seed = 1, na.action = na.omit),
                  hist_forest(Sepal.Length ~ ., iris, trees = 3, weights = weight, bins = 8),
                  hist_forest(iris[1:4], iris$Species, trees = 3, seed = 1))
  data <- list(iris, holes, iris, iris[1:4])
  for (i in seq_along(forests)) {
    cv <- suppressWarnings(contree_cv(forests[[i]], data[[i]], folds = 2, seed = 1))
    expect_true(is.finite(cv$table$error))
    other <- list(data[[i]][150:1, ], transform(data[[i]], Petal.Width = rev(Petal.Width)),
                  transform(data[[i]], Sepal.Length = 100 * Sepal.Length))
    for (rows in other) {
      expect_contree_error(contree_cv(forests[[i]], rows, folds = 2), "input", "not those of the")
      expect_contree_error(contree_cv(forests[[i]], mean, folds = 2), "input", "'data' must be")
    }
  }
  one <- transform(iris, Species = factor("only"))
  alone <- suppressWarnings(hist_forest(Species ~ ., one, trees = 3, seed = 1))
  expect_contree_error(contree_cv(alone, iris), "input", "not those of the")
})
