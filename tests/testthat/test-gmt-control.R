test_that("settings are checked by name and range", {
  control <- gmt_control(max_leaves = 3, complexity = 2)
  expect_s3_class(control, "gmt_control")
  expect_equal(control$search$max_leaves, 3)
  for (bad in list(list(max_leaves = 0), list(depth = 17), list(bins = 1),
                   list(complexity = -1), list(effort = 1.5),
                   list(search = "x"), list(population = 1), list(alpha = -1),
                   list(sample = 10), list(open_max = 0), list(minbucket = "a"),
                   list(time_limit = NA))) {
    expect_contree_error(do.call(gmt_control, bad), "input", paste0("'", names(bad), "'"))
  }
  expect_contree_error(gmt(mpg ~ wt, mtcars, control = 3), "input", "gmt_control()")
})

test_that("settings limit the tree", {
  d <- armchair(600)
  expect_lte(nrow(coef(gmt(y ~ ., d, seed = 1, max_leaves = 3))), 3)
  expect_equal(max(node_depth(gmt(y ~ ., d, seed = 1, depth = 1))), 1)
  fit <- gmt(y ~ ., d, seed = 1, minbucket = 100)
  expect_gte(min(node_n(fit)), 100)
  expect_equal(nrow(coef(gmt(y ~ ., d, seed = 1, complexity = 1e6))), 1)
  expect_lte(nrow(coef(gmt(y ~ ., armchair(600, noise = 5), seed = 1, complexity = 8))),
             nrow(coef(gmt(y ~ ., armchair(600, noise = 5), seed = 1, complexity = 0.5))))
})

test_that("trees are searched in other ways", {
  d <- armchair(500)
  for (control in list(gmt_control(search = "memetic", effort = 20),
                       gmt_control(search = "paper", effort = 200),
                       gmt_control(search = "paper", effort = 100, fitness = "weighted",
                                   population = 20))) {
    fit <- gmt(y ~ ., d, control = control, seed = 1)
    expect_gt(nrow(coef(fit)), 1)
    expect_equal(predict(gmt(y ~ ., d, control = control, seed = 1), d), predict(fit, d))
    expect_leaves_of_lm(fit, y ~ x1 + x2, d)
  }
  # a search that finds the five planes, and what is certified
  expect_equal(nrow(coef(gmt(y ~ ., d, search = "memetic", seed = 1))), 5)
  expect_false(fit$gmt$certified)
  # more of a fixed price a leaf makes smaller trees
  small <- gmt(y ~ ., d, search = "paper", effort = 100, fitness = "weighted", alpha = 0.5,
               seed = 1)
  expect_equal(nrow(coef(small)), 1)
})
