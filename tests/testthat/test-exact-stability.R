# Against the same done by hand: samples drawn, trees fitted and counted through public functions.
test_that("figures are those of trees fitted to the samples one by one", {
  data <- transform(iris, wide = factor(Sepal.Width > 3, labels = c("no", "yes")))
  data$Petal.Width[c(3, 77)] <- NA
  for (depth in 0:2) {
    fit <- contree(Species ~ ., data, depth = depth)
    set.seed(depth)
    stability <- contree_stability(fit, samples = 8, data = data)
    set.seed(depth)
    trees <- lapply(1:8, function(i) {
      contree(Species ~ ., data[sample.int(150, 150, TRUE), ], depth = depth)
    })
    predicted <- vapply(trees, function(tree) as.integer(predict(tree, data)), integer(150))
    own <- as.integer(predict(fit, data))
    expect_equal(unname(stability$rows), rowMeans(predicted == own))
    expect_equal(stability$with_fit, mean(predicted == own))
    pairs <- utils::combn(8, 2)
    expect_equal(stability$agreement,
                 mean(predicted[, pairs[1, ]] == predicted[, pairs[2, ]]))
    nodes <- lapply(trees, as.data.frame)
    for (i in seq_len(nrow(stability$variables))) {
      variable <- stability$variables$variable[i]
      expect_equal(stability$variables$used[i],
                   mean(vapply(nodes, function(tree) variable %in% tree$variable, NA)))
      expect_equal(stability$variables$root[i],
                   mean(vapply(nodes, function(tree) identical(tree$variable[1], variable), NA)))
    }
    own_nodes <- as.data.frame(fit)
    expect_identical(stability$splits$node, own_nodes$node[!own_nodes$leaf])
    for (i in seq_len(nrow(stability$splits))) {
      node <- stability$splits$node[i]
      variable <- own_nodes$variable[own_nodes$node == node]
      expect_equal(stability$splits$same_place[i], mean(vapply(nodes, function(tree) {
        variable %in% tree$variable[tree$node == node]
      }, NA)))
    }
  }
})

test_that("of regression trees predictions are compared as numbers", {
  data <- data.frame(x = iris$Petal.Length, z = iris$Petal.Width, y = iris$Sepal.Length)
  fit <- contree(y ~ x + z, data, depth = 2)
  set.seed(5)
  stability <- contree_stability(fit, samples = 6)
  set.seed(5)
  predicted <- vapply(1:6, function(i) {
    predict(contree(y ~ x + z, data[sample.int(150, 150, TRUE), ], depth = 2), data)
  }, numeric(150))
  own <- predict(fit)
  expect_equal(unname(stability$rows), unname(sqrt(rowMeans((predicted - own)^2))))
  expect_equal(stability$with_fit, sqrt(mean((predicted - own)^2)))
  pairs <- utils::combn(6, 2)
  differences <- predicted[, pairs[1, ]] - predicted[, pairs[2, ]]
  expect_equal(stability$agreement, sqrt(mean(differences^2)))
  expect_gt(stability$agreement, 0)
  expect_output(print(stability), "Predictions differ from the fit's by 0\\.[0-9]+, those of two")
  stump <- contree(y ~ x, data, depth = 0)
  expect_identical(nrow(contree_stability(stump, samples = 2)$splits), 0L)
})

test_that("a split returns if one on the same predictor parts the rows about alike", {
  sides <- cbind(1:10 < 4, 1:10 < 6)
  returns <- function(other, variable, within) {
    contree:::splits_return(sides, c("a", "b"), cbind(other), variable, within)
  }
  expect_identical(returns(1:10 < 4, "a", 0), c(TRUE, FALSE))
  expect_identical(returns(1:10 >= 4, "a", 0), c(TRUE, FALSE)) # the sides exchanged
  expect_identical(returns(1:10 < 5, "a", 0), c(FALSE, FALSE))
  expect_identical(returns(1:10 < 5, "a", 0.1), c(TRUE, FALSE))
  expect_identical(returns(1:10 < 5, "b", 0.1), c(FALSE, TRUE))
  expect_identical(returns(matrix(NA, 10, 0), character(), 0.1), c(FALSE, FALSE))
  # rows count whether or not they come to the node
  fit <- contree(Species ~ ., iris, depth = 2)
  nodes <- as.data.frame(fit)
  found <- contree:::split_sides(fit, as.list(iris[1:4]))
  inner <- which(!nodes$leaf)
  for (i in seq_along(inner)) {
    expect_identical(found[, i], iris[[nodes$variable[inner[i]]]] < nodes$threshold[inner[i]])
  }
})

test_that("weights and losses are those of the rows, and what is odd is refused", {
  loss <- matrix(c(0, 1, 5, 1, 0, 1, 1, 1, 0), 3)
  fit <- contree(iris[1:4], iris$Species, weights = rep(1:3, 50), loss = loss, depth = 1)
  set.seed(2)
  stability <- contree_stability(fit, samples = 3, data = list(x = iris[1:4], y = iris$Species))
  set.seed(2)
  agree <- vapply(1:3, function(i) {
    rows <- sample.int(150, 150, TRUE)
    tree <- contree(iris[rows, 1:4], iris$Species[rows], weights = rep(1:3, 50)[rows],
                    loss = loss, depth = 1)
    mean(predict(tree, iris[1:4]) == predict(fit, iris[1:4]))
  }, 0)
  expect_equal(stability$with_fit, mean(agree))
  expect_contree_error(contree_stability(iris2, samples = 1), "input", "samples")
  expect_contree_error(contree_stability(iris2, within = 0.5), "input", "within")
  expect_contree_error(contree_stability(iris2, depth = 3), "input", "depth")
  expect_contree_error(contree_stability(iris2, data = iris[1:20, ]), "input", "data")
})

test_that("workers give the same, progress is told, and all of it prints and plots", {
  states <- list()
  set.seed(1)
  alone <- contree_stability(iris2, samples = 4, data = iris,
                             progress = function(state) states[[length(states) + 1]] <<- state)
  done <- vapply(states, `[[`, 0, "done")
  expect_identical(max(done), 4)
  expect_output(print(alone), "4 bootstrap samples")
  expect_identical(plot(alone), alone$splits)
  expect_contree_error(plot(contree_stability(contree(Species ~ ., iris, depth = 0), samples = 2)),
                       "input")
  skip_if_not_installed("future")
  old <- future::plan("multicore", workers = 2)
  on.exit(future::plan(old), add = TRUE)
  set.seed(1)
  expect_identical(contree_stability(iris2, samples = 4, data = iris), alone)
})

test_that("the number of samples is bounded", {
  fit <- contree(Species ~ ., iris, depth = 1)
  for (samples in list(1e308, Inf, NaN, 1, 2.5, "2")) {
    expect_contree_error(contree_stability(fit, samples = samples), "input")
  }
})

test_that("`seed` fixes the samples, as set.seed() does, and nothing else of R's generator", {
  fit <- contree(Species ~ ., iris, depth = 2)
  set.seed(7)
  before <- stats::runif(1)
  seeded <- contree_stability(fit, samples = 4, seed = 3)
  after <- stats::runif(1)
  set.seed(7)
  expect_identical(c(before, after), stats::runif(2))
  expect_identical(contree_stability(fit, samples = 4, seed = 3), seeded)
  expect_false(identical(contree_stability(fit, samples = 4, seed = 4)$rows, seeded$rows))
  expect_identical(contree_stability(update(fit, seed = 3), samples = 4)$rows, seeded$rows)
  expect_error(contree_stability(fit, samples = 4, seed = -1), "seed",
               class = "contree_input_error")
})
