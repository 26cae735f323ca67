leaf_sizes <- function(fit) {
  unlist(lapply(seq_along(fit$forest$number), function(i) {
    tree <- forest_tree(fit, i)
    tree$n[is.na(tree$left)]
  }))
}

test_that("ranger's names of what is drawn are known, and mean the same", {
  weights <- c(Petal.Width = 1, Petal.Length = 2, Sepal.Width = 0, Sepal.Length = 4)
  ours <- hist_forest(Species ~ ., iris, trees = 6, seed = 2, mtry = 1, minbucket = 3,
                      always = "Sepal.Width", select_weights = weights)
  theirs <- hist_forest(Species ~ ., iris, trees = 6, seed = 2, mtry = 1, min.bucket = 3,
                        always.split.variables = "Sepal.Width",
                        split.select.weights = unname(weights[names(iris)[1:4]]))
  expect_identical(theirs$forest, ours$forest)
  expect_identical(theirs$control, ours$control)
  expect_gte(min(leaf_sizes(ours)), 3)
})

test_that("predictors are tried always, or never", {
  # the only predictor that says anything
  x <- data.frame(a = rep(0:1, 50), b = sin(1:100), c = cos(1:100), d = tan(1:100))
  roots <- function(...) {
    fit <- hist_forest(x, factor(x$a), trees = 40, mtry = 1, seed = 1, depth = 1, ...)
    vapply(1:40, function(i) forest_tree(fit, i)$variable[1], "")
  }
  expect_true(all(roots(always = "a") == "a"))
  expect_false(all(roots() == "a"))
  expect_false(any(roots(select_weights = c(0, 1, 1, 1)) == "a"))
  fit <- hist_forest(x, factor(x$a), trees = 5, always = names(x), seed = 1)
  expect_equal(fit$control$mtry, 0)
  # of 40 twins each is tried beside its predictor
  twins <- hist_forest(x, factor(x$a), trees = 40, mtry = 1, seed = 1, always = "a",
                       importance = "corrected")
  expect_gt(twins$importance$corrected[1], 1000)
})

test_that("leaves have at least minbucket rows, whatever the response and the predictors", {
  set.seed(1)
  sets <- data.frame(iris, f = factor(sample(letters[1:4], 150, TRUE)))
  sets$Petal.Width[sample(150, 30)] <- NA
  expect_equal(min(leaf_sizes(hist_forest(Species ~ ., sets, trees = 20, minbucket = 4))), 4)
  for (rule in c("entropy", "error", "random")) {
    fit <- hist_forest(Species ~ ., sets, trees = 20, splitrule = rule, minbucket = 4)
    expect_gte(min(leaf_sizes(fit)), 4)
  }
  expect_gte(min(leaf_sizes(hist_forest(Sepal.Width ~ ., sets, trees = 20, minbucket = 7))), 7)
  survival <- hist_forest(survival::Surv(time, status) ~ ., survival::lung[-1], trees = 10,
                          minbucket = 9, min_n = 1)
  expect_equal(min(leaf_sizes(survival)), 9)
  one <- hist_forest(Species ~ ., sets, trees = 10, seed = 1, minbucket = 1)
  expect_identical(one$forest, hist_forest(Species ~ ., sets, trees = 10, seed = 1)$forest)
})

test_that("rows held out are the only ones out of bag, in all that is said of them", {
  weights <- rep(0:2, length.out = 150)
  fit <- hist_forest(Species ~ ., iris, trees = 30, seed = 1, weights = weights, holdout = TRUE,
                     importance = "permutation")
  expect_equal(fit$oob$trees, ifelse(weights == 0, 30, 0))
  expect_equal(fit$oob$class[weights == 0], predict(fit, iris[weights == 0, ]),
               ignore_attr = TRUE)
  expect_true(all(is.na(fit$oob$class[weights > 0])))
  curve <- forest_curve(fit)
  expect_equal(curve$error[30], fit$oob$error)
  expect_equal(unique(curve$rows), 50)
  keeps <- hist_forest(Sepal.Width ~ ., iris, trees = 30, seed = 1, weights = weights,
                       holdout = TRUE, quantiles = TRUE)
  said <- predict(keeps, type = "quantiles")
  expect_identical(unname(is.nan(said[, 1])), weights > 0)
  expect_equal(said[weights == 0, ], predict(keeps, iris[weights == 0, ], type = "quantiles"),
               ignore_attr = TRUE)
  lung <- survival::lung[-1]
  weights <- rep(0:1, length.out = nrow(lung))
  held <- hist_forest(survival::Surv(time, status) ~ ., lung, trees = 30, seed = 1, holdout = TRUE,
                      weights = weights)
  out <- lung[weights == 0, ]
  expect_equal(forest_brier(held, times = c(100, 300))$curve$brier,
               forest_brier(held, out, survival::Surv(out$time, out$status),
                            times = c(100, 300))$curve$brier, tolerance = 0.05)
})

test_that("samples that are given are those of the trees", {
  for (case in list(list(Species ~ ., iris), list(mpg ~ ., mtcars),
                    list(survival::Surv(time, status) ~ ., survival::lung[-1]))) {
    grow <- function(...) hist_forest(case[[1]], case[[2]], seed = 1, ...)
    drawn <- grow(trees = 12, keep_inbag = TRUE)
    given <- grow(trees = 12, inbag = drawn$inbag)
    parts <- c("forest", "oob", "importance", "inbag")
    expect_identical(given[parts], drawn[parts])
    listed <- grow(trees = 12, inbag = lapply(1:12, function(i) as.numeric(drawn$inbag[, i])))
    expect_identical(listed[parts], drawn[parts])
    halves <- c(grow(trees = 5, inbag = drawn$inbag[, 1:5]),
                grow(trees = 7, inbag = drawn$inbag[, 6:12], first = 6))
    expect_identical(halves[parts], drawn[parts])
  }
  fit <- hist_forest(mpg ~ ., mtcars, trees = 4, inbag = list(1:32, 32:1, rep(1, 32), c(1, 0:30)))
  expect_equal(fit$oob$trees, c(0, 1, rep(0, 30)))
  expect_equal(tail(forest_curve(fit)$error, 1), fit$oob$error)
})

test_that("what cannot be drawn is said", {
  bad <- list(always = "Petal", always = 1, always = c("Sepal.Width", "Sepal.Width"),
              select_weights = 1:3, select_weights = c(1, 1, NA, 1), select_weights = rep(0, 4),
              select_weights = c(a = 1, b = 1, c = 1, d = 1), select_weights = c(1, 0, 0, 0),
              minbucket = 0, minbucket = 1.5, holdout = TRUE, holdout = NA,
              inbag = list(1:150), inbag = rep(list(1:149), 500),
              inbag = rep(list(rep(0, 150)), 500))
  for (i in seq_along(bad)) {
    expect_error(do.call(hist_forest, c(list(Species ~ ., iris, mtry = NULL), bad[i])),
                 names(bad)[i], class = "contree_input_error")
  }
  expect_contree_error(hist_forest(Species ~ ., iris, mtry = 4, always = "Petal.Width"), "input",
                       "mtry")
  expect_contree_error(hist_forest(Species ~ ., iris, split.select.weights = rep(list(1:4), 500)),
                       "unsupported", "list")
  expect_error(hist_forest(Species ~ ., iris, trees = 1, inbag = list(rep(1, 150)),
                           weights = Sepal.Width), "inbag", class = "contree_input_error")
  expect_contree_error(hist_forest(Species ~ ., iris, minbucket = 2, learner = function(a, b) 1),
                       "unsupported", "learner")
})

test_that("honest trees say what rows say that did not choose their splits", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1, min_n = 4, honesty = TRUE,
                     quantiles = TRUE, keep_inbag = TRUE)
  again <- hist_forest(mpg ~ ., mtcars, num.trees = 20, seed = 1, min.node.size = 3,
                       honesty = TRUE, honesty.fraction = 0.5, quantreg = TRUE, keep_inbag = TRUE)
  expect_identical(again$forest, fit$forest)
  for (i in 1:20) {
    one <- fit
    one$forest <- contree:::only_trees(fit$forest, i)
    weights <- predict(one, mtcars, type = "weights")
    fills <- which(colSums(weights) > 0)
    drawn <- which(fit$inbag[, i] > 0)
    expect_true(all(fills %in% drawn))
    expect_equal(length(drawn) - length(fills), floor((length(drawn) + 1) / 2))
    leaf <- predict(fit, mtcars, type = "leaf")[, i]
    own <- mtcars$mpg * fit$inbag[, i]
    told <- vapply(leaf, function(k) {
      rows <- intersect(fills, which(leaf == k))
      sum(own[rows]) / sum(fit$inbag[rows, i])
    }, 0)
    expect_equal(predict(one, mtcars), told, ignore_attr = TRUE)
  }
  expect_equal(fit$oob$trees, rowSums(fit$inbag == 0), ignore_attr = TRUE)
  expect_lt(fit$oob$error, var(mtcars$mpg))
  parts <- lapply(c(1, 11), function(first) {
    hist_forest(mpg ~ ., mtcars, trees = 10, first = first, seed = 1, min_n = 4, honesty = TRUE,
                quantiles = TRUE, keep_inbag = TRUE)
  })
  joined <- do.call(c, parts)
  expect_identical(joined[c("forest", "oob", "importance")], fit[c("forest", "oob", "importance")])
  expect_error(c(fit, hist_forest(mpg ~ ., mtcars, trees = 2, seed = 2, min_n = 4,
                                  quantiles = TRUE, keep_inbag = TRUE)), "honesty",
               class = "contree_input_error")
})

test_that("honest forests of every kind are predicted by whatever is made of them", {
  set.seed(1)
  rows <- transform(iris, f = factor(sample(letters[1:4], 150, TRUE)))
  rows$Petal.Width[sample(150, 20)] <- NA
  fit <- hist_forest(Species ~ ., rows, trees = 20, seed = 1, honesty = TRUE,
                     importance = "corrected")
  expect_lt(fit$oob$error, 0.15)
  expect_equal(unname(predict(forge(fit), rows, type = "prob")),
               unname(predict(fit, rows, type = "prob")), tolerance = 1e-6)
  tree <- forest_tree(fit, 1)
  expect_true(all(tree$n[is.na(tree$left)] > 0))
  lung <- survival::lung[-1]
  alive <- hist_forest(survival::Surv(time, status) ~ ., lung, trees = 30, seed = 1, min_n = 10,
                       honesty = TRUE)
  expect_lt(alive$oob$error, 0.5)
  expect_true(all(diff(t(predict(alive, lung[1:5, ], type = "survival"))) <= 0))
  for (bad in list(0, 1, NA, "a", c(0.1, 0.2))) {
    expect_contree_error(hist_forest(Species ~ ., iris, honesty = TRUE, honesty_fraction = bad),
                         "input", "honesty_fraction")
  }
  expect_contree_error(hist_forest(Species ~ ., iris, honesty = 0.5), "input", "honesty")
})
