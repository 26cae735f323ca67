test_that("print and summary tell of the forest", {
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  expect_output(print(fit), "20 classification trees on 150 rows and 4 predictors")
  expect_output(print(fit), "% wrong")
  expect_output(print(summary(fit)), "Importance")
  expect_output(print(hist_forest(mpg ~ ., mtcars, trees = 5)), "R squared")
  expect_equal(sum(summary(fit)$confusion), sum(fit$oob$trees > 0))
})

test_that("forests grown apart are the forest grown at once", {
  parts <- lapply(c(1, 11, 21), function(first) {
    hist_forest(Species ~ ., iris, trees = 10, seed = 6, first = first, importance = "permutation")
  })
  whole <- hist_forest(Species ~ ., iris, trees = 30, seed = 6, importance = "permutation")
  joined <- do.call(c, parts[c(2, 1, 3)])
  expect_identical(joined$forest, whole$forest)
  expect_equal(joined$oob, whole$oob)
  expect_equal(joined$importance, whole$importance)
  expect_error(c(parts[[1]], parts[[1]]), "in common", class = "contree_input_error")
  expect_error(c(parts[[1]], hist_forest(Species ~ ., iris[-1, ], trees = 2)), class = "contree_input_error")
})

test_that("a tree is a table", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 6)
  tree <- forest_tree(fit, 2)
  inner <- !is.na(tree$left)
  expect_equal(tree$n[inner], tree$n[tree$left[inner]] + tree$n[tree$right[inner]])
  expect_true(all(tree$left[inner] > tree$node[inner]))
  expect_equal(tree$n[1], 150)
  expect_error(forest_tree(fit, 4), class = "contree_input_error")
  expect_error(forest_tree(1), class = "contree_input_error")
})

test_that("update() grows anew", {
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 6)
  expect_equal(length(update(fit, trees = 5)$forest$number), 5)
  expect_equal(formula(fit), Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width, ignore_formula_env = TRUE)
  expect_equal(nobs(fit), 150)
})
