test_that("fitted, residuals and nobs", {
  expect_identical(fitted(iris2), predict(iris2, iris))
  expect_equal(unname(residuals(iris2)), as.integer(fitted(iris2) != iris$Species))
  expect_identical(names(residuals(iris2)), rownames(iris))
  expect_equal(sum(residuals(iris2)), iris2$objective)
  expect_equal(nobs(iris2), 150)
})

test_that("formula and terms", {
  expect_identical(deparse1(formula(iris2)), "Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width")
  expect_s3_class(terms(iris2), "terms")
  by_xy <- contree(iris[1:4], iris$Species, depth = 1)
  expect_contree_error(formula(by_xy), "input", c("'x' and 'y'", "formula"))
  expect_contree_error(terms(by_xy), "input", "formula")
})

test_that("model.frame evaluates again or says how to keep the data", {
  expect_equal(model.frame(iris2), model.frame(Species ~ ., iris), ignore_attr = TRUE)
  some <- contree(Species ~ log(Petal.Width), iris, subset = Sepal.Length > 5, depth = 1)
  expect_equal(nrow(model.frame(some)), nobs(some))
  inside <- (function(hidden) contree(Species ~ ., hidden, depth = 1))(iris)
  expect_contree_error(model.frame(inside), "input", c("hidden", "model = TRUE"))
  kept <- (function(hidden) contree(Species ~ ., hidden, depth = 1, model = TRUE))(iris)
  expect_equal(dim(model.frame(kept)), c(150, 5))
  expect_contree_error(model.frame(contree(iris[1:4], iris$Species)), "input", "formula")
  changed <- iris
  fit <- contree(Species ~ ., changed, depth = 1)
  changed <- changed[1:10, ]
  expect_contree_error(model.frame(fit), "input", c("10 rows", "150", "model = TRUE"))
})

test_that("update refits", {
  expect_equal(update(iris2, depth = 1)$control$depth, 1)
  smaller <- update(iris2, . ~ . - Petal.Width - Petal.Length)
  expect_identical(smaller$shape$names, c("Sepal.Length", "Sepal.Width"))
  expect_gt(smaller$objective, iris2$objective)
  expect_equal(update(contree(iris[1:4], iris$Species, depth = 1), depth = 2)$frame, iris2$frame)
})

test_that("as.data.frame is the table of nodes", {
  nodes <- as.data.frame(iris2)
  expect_identical(names(nodes)[1:14], c("node", "parent", "depth", "leaf", "variable", "threshold", "levels",
                                         "default_left", "left", "right", "n", "errors", "class", "probability"))
  expect_identical(names(nodes)[15:17], paste0("prob.", levels(iris$Species)))
  expect_identical(nodes$node, as.integer(rownames(iris2$frame)))
  expect_true(all(is.na(nodes$threshold) == nodes$leaf))
  inner <- !nodes$leaf
  expect_identical(nodes$left[inner], 2L * nodes$node[inner])
  expect_equal(nodes$n[match(nodes$left[inner], nodes$node)] + nodes$n[match(nodes$right[inner], nodes$node)],
               nodes$n[inner])
  file <- tempfile()
  write.csv(nodes, file)
  expect_equal(dim(read.csv(file)), dim(nodes) + 0:1)
})
