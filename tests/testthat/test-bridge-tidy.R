test_that("tidy() has a row a node, with its rule", {
  skip_if_not_installed("generics")
  nodes <- generics::tidy(iris2)
  expect_identical(nodes[names(as.data.frame(iris2))], as.data.frame(iris2))
  expect_identical(nodes$rule[nodes$leaf], contree_rules(iris2)$rule)
  expect_identical(nodes$rule[1], "TRUE")
})

test_that("glance() has one row", {
  skip_if_not_installed("generics")
  glance <- generics::glance(iris2)
  expect_identical(nrow(glance), 1L)
  known <- data.frame(nobs = 150L, depth = 2, leaves = 3L, objective = 6, bound = 6, gap = 0,
                      status = "optimal")
  expect_equal(glance[names(known)], known, ignore_attr = TRUE)
  expect_equal(glance$accuracy, mean(predict(iris2) == iris$Species))
})

test_that("augment() adds predictions to training rows, data or new data", {
  skip_if_not_installed("generics")
  all <- generics::augment(iris2, newdata = iris)
  expect_identical(all[names(iris)], iris)
  expect_identical(all$.pred_class, unname(predict(iris2, iris)))
  expect_identical(all$.node, unname(predict(iris2, iris, type = "node")))
  shares <- as.matrix(all[paste0(".pred_", levels(iris$Species))])
  expect_equal(shares, predict(iris2, iris, type = "prob"), ignore_attr = TRUE)
  expect_identical(generics::augment(iris2, iris), all)
  expect_identical(generics::augment(iris2)$.node, all$.node)
  expect_contree_error(generics::augment(iris2, new_data = iris), "input", "new_data")
})

test_that("the generics of the package generics find the methods, whatever is attached first", {
  skip_if_not_installed("generics")
  code <- c("fit <- contree(Species ~ ., iris, depth = 2)",
            "path <- contree_path(Species ~ ., iris, depth = 2)",
            "say(nrow(prune(fit, complexity = 0.5)$frame), nrow(prune(path, nsplit = 1)$frame))",
            "say(nrow(tidy(fit)), nrow(glance(fit)), nrow(augment(fit)))")
  for (first in list("library(generics)",
                     c("detach('package:contree')", "library(generics)", "library(contree)"))) {
    expect_identical(run_session(c(paste0("suppressPackageStartupMessages(", first, ")"), code)),
                     c("1 3", "5 1 150", "end"))
  }
})

test_that("forests are tidied", {
  skip_if_not_installed("generics")
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 1, importance = "permutation")
  importance <- generics::tidy(fit)
  expect_setequal(importance$variable, names(iris)[1:4])
  expect_false(is.unsorted(-importance$permutation))
  expect_equal(importance$impurity, fit$importance$impurity[match(importance$variable,
                                                                  fit$importance$variable)])
  glance <- generics::glance(fit)
  expect_equal(glance[c("nobs", "trees", "mtry", "oob_error")], list(150, 20, 2, fit$oob$error),
               ignore_attr = TRUE)
  expect_equal(glance$leaves, mean(vapply(1:20, function(i) sum(is.na(forest_tree(fit, i)$left)),
                                          0)))
  rows <- generics::augment(fit)
  expect_identical(rows[names(iris)], iris)
  expect_identical(rows$.pred_class, fit$oob$class)
  new <- generics::augment(fit, newdata = iris[1:3, ])
  expect_equal(as.matrix(new[paste0(".pred_", fit$classes)]),
               predict(fit, iris[1:3, ], type = "prob"), ignore_attr = TRUE)
  numbers <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1, importance = "none", oob = FALSE)
  expect_identical(generics::augment(numbers, newdata = mtcars)$.pred,
                   unname(predict(numbers, mtcars)))
  expect_named(generics::glance(numbers), c("type", "nobs", "trees", "mtry", "min_n", "leaves",
                                            "depth", "status", "elapsed"))
  expect_contree_error(generics::tidy(numbers), "input", "importance = ")
  expect_contree_error(generics::augment(fit, iris[1:9, ]), "input", "data")
  # rows without a response have no prediction
  holes <- transform(iris, Species = replace(Species, 7, NA))
  part <- hist_forest(Species ~ ., holes, trees = 40, seed = 1)
  expect_identical(is.na(generics::augment(part)$.pred_class)[1:9], 1:9 == 7)
})
