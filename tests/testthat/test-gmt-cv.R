d <- armchair(150, noise = 3, seed = 2)
d$w <- rep(c(1, 2, 0.5), 50)
set.seed(1)
cv <- gmt_cv(y ~ x1 + x2, d, weights = w, complexity = c(1, 4), smoothing = c(0, 5), folds = 4,
             seed = 3, effort = 10)

test_that("errors are those of rows that trees have not seen", {
  expect_s3_class(cv, c("gmt_cv", "contree_cv"), exact = TRUE)
  expect_identical(cv$table$complexity, c(4, 4, 1, 1))
  expect_identical(cv$table$smoothing, c(0, 5, 0, 5))
  for (row in c(2, 3)) {
    fit_to <- function(rows) gmt(y ~ x1 + x2, rows, weights = w, seed = 3, effort = 10,
                                 complexity = cv$table$complexity[row],
                                 smoothing = cv$table$smoothing[row])
    lost <- numeric(150)
    for (fold in 1:4) {
      test <- cv$folds[, 1] == fold
      lost[test] <- (d$y[test] - predict(fit_to(d[!test, ]), d[test, ]))^2
    }
    error <- weighted.mean(lost, d$w)
    expect_equal(cv$table$error[row], error)
    expect_equal(cv$table$se[row], sqrt(sum((d$w * (lost - error))^2)) / sum(d$w))
    whole <- fit_to(d)
    expect_identical(cv$table$leaves[row], nrow(coef(whole)))
    expect_equal(cv$table$training[row], deviance(whole) / sum(d$w))
  }
  expect_equal(coef(eval(cv$fit$call)), coef(cv$fit))
  expect_identical(predict(cv, d), predict(cv$fit, d))
})

test_that("x and y are as a formula", {
  plain <- gmt_cv(d[c("x1", "x2")], d$y, weights = d$w, complexity = c(1, 4), smoothing = c(0, 5),
                  folds = cv$folds, seed = 3, effort = 10)
  expect_equal(plain$table, cv$table)
  expect_equal(coef(eval(plain$fit$call)), coef(cv$fit))
  apart <- gmt_cv(as.matrix(d["x1"]), d$y, as.matrix(d["x2"]), complexity = 1, smoothing = 0,
                  folds = cv$folds, seed = 3, effort = 0)
  both <- gmt_cv(formula = y ~ x1 | x2, d, complexity = 1, smoothing = 0, folds = cv$folds,
                 seed = 3, effort = 0)
  expect_equal(apart$table, both$table)
  expect_contree_error(gmt_cv(d["x1"]), "input", "'y'")
})

test_that("the rules choose as they say", {
  table <- data.frame(complexity = c(4, 4, 2, 2, 1, 1), smoothing = c(0, 5, 0, 5, 0, 5),
                      error = c(9, 8, 5.5, 5.6, 5, 5.2), se = 0.7)
  expect_identical(choose_complexity(table, "min"), 5L)
  expect_identical(choose_complexity(table, "1se"), 3L)
  expect_identical(choose_complexity(replace(table, "se", 3), "1se"), 2L)
  expect_identical(which(cv$table$chosen), choose_complexity(cv$table, "1se"))
})

test_that("workers change nothing", {
  skip_on_cran() # two more sessions take longer than all else here
  skip_if_not_installed("future")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  again <- gmt_cv(y ~ x1 + x2, d, weights = w, complexity = c(1, 4), smoothing = c(0, 5),
                  folds = cv$folds, seed = 3, effort = 10)
  expect_identical(again$table, cv$table)
  expect_identical(coef(again$fit), coef(cv$fit))
})

test_that("a cross-validation is shown", {
  said <- capture.output(print(cv))
  expect_match(said, "one standard error", all = FALSE)
  # of each complexity the row with the lowest error, and the chosen one
  lowest <- vapply(split(cv$table, cv$table$complexity),
                   function(rows) rownames(rows)[which.min(rows$error)], "")
  shown <- union(lowest, rownames(cv$table)[cv$table$chosen])
  at <- grep("complexity +smoothing", said)
  expect_length(utils::read.table(text = said[at + seq_along(shown)], fill = TRUE)[[1]],
                length(shown))
  expect_identical(said[at + length(shown) + 1], "")
  expect_match(said, sprintf("all %d rows", nrow(cv$table)), all = FALSE)
  expect_identical(as.data.frame(cv), cv$table)
  expect_silent(plot(cv))
  expect_contree_error(gmt_cv(y ~ x1, d, complexity = "a"), "input", "'complexity'")
  expect_contree_error(gmt_cv(y ~ x1, d, smoothing = -1), "input", "'smoothing'")
  expect_contree_error(gmt_cv(y ~ x1, d, folds = 1000), "input", "'folds'")
  expect_contree_error(gmt_cv(y ~ x1, d, nonsense = 1), "input", "nonsense")
})

test_that("rows that miss what no other row misses are left out of the errors", {
  cars <- mtcars
  cars$wt[3] <- NA
  cv <- gmt_cv(mpg ~ hp + wt, cars, folds = 4, complexity = c(1, 8), smoothing = 3, seed = 1)
  expect_false(anyNA(cv$table$error))
  expect_identical(sum(cv$table$chosen), 1L)
})
