forest <- hist_forest(Species ~ ., iris, trees = 3, depth = 2, seed = 1)

test_that("every kind of ensemble is of one class, which knows the usual generics", {
  expect_s3_class(forest, c("hist_forest", "contree_ensemble"), exact = TRUE)
  expect_identical(nobs(forest), 150L)
  expect_identical(formula(forest), formula(terms(forest)))
  expect_identical(fitted(forest), predict(forest))
  without <- hist_forest(iris[1:4], iris$Species, trees = 2)
  expect_contree_error(formula(without), "input", c("'x' and 'y'", "no formula"))
})

test_that("readers and writers of one tree name the way to one", {
  readers <- list(as_json = as_json, as_dot = as_dot, rules = contree_rules, rpart = as.rpart,
                  pmml = function(fit) write_pmml(fit, tempfile()))
  for (name in names(readers)) {
    expect_error(readers[[name]](forest), "has 3 trees, where one is needed; .*forest_tree\\(",
                 class = "contree_input_error", info = name)
  }
  expect_s3_class(contree_rules(forest_tree(forest, 3, as = "model")), "contree_rules")
  expect_contree_error(forest_tree(forest, 4, as = "model"), "input", c("'tree'", "1 to 3"))
  expect_contree_error(forest_tree(contree(Species ~ ., iris, depth = 1)), "input", "hist_forest")
})
