mixed_classes <- function() {
  set.seed(2)
  n <- 700
  data <- data.frame(a = round(rnorm(n), 1), b = round(rnorm(n), 1), c = sample(9, n, TRUE),
                     f = factor(sample(letters[1:7], n, TRUE)), z = rnorm(n))
  data$y <- factor(c("u", "v", "w")[1 + (data$a > 0) + (data$b + rnorm(n) > 0.6)])
  data$a[sample(n, 60)] <- NA
  data$c[sample(n, 200)] <- NA
  data
}

test_that("built-in rules written in R grow the built-in forest", {
  data <- mixed_classes()
  for (rule in c("gini", "entropy", "error")) {
    inside <- hist_forest(y ~ ., data, trees = 3, seed = 3, splitrule = rule, pool = "level",
                          bins = 32)
    asked <- hist_forest(y ~ ., data, trees = 3, seed = 3, learner = hist_learner(rule), bins = 32)
    expect_identical(asked$forest, inside$forest)
    expect_identical(asked$oob, inside$oob)
    expect_identical(asked$importance, inside$importance)
    expect_gt(sum(inside$forest$n_nodes), 300)
  }
  limits <- list(depth = 3, min_n = 30)
  grow <- function(...) {
    do.call(hist_forest, c(list(y ~ ., data, trees = 3, seed = 5, bins = 32), limits, list(...)))
  }
  expect_identical(grow(learner = hist_learner())$forest, grow(pool = "level")$forest)
})

test_that("a learner is given the counts of the rows, and candidates of the pool", {
  data <- mixed_classes()[c("a", "b", "c", "y")]
  calls <- list()
  first <- function(histogram, info) {
    calls[[length(calls) + 1]] <<- list(histogram = histogram, info = info)
    hist_learner("gini")(histogram, info)
  }
  fit <- hist_forest(y ~ ., data, trees = 2, mtry = 2, depth = 2, seed = 8, learner = first,
                     keep_inbag = TRUE)
  expect_identical(vapply(calls, function(call) call$info$tree, 0L), c(1L, 1L, 2L, 2L))
  expect_identical(vapply(calls, function(call) call$info$depth, 0L), c(0L, 1L, 0L, 1L))
  for (tree in 1:2) {
    call <- calls[[2 * tree - 1]]
    names <- dimnames(call$histogram)[[3]]
    expect_identical(names, c("a", "b", "c")[call$info$features])
    expect_identical(call$info$weight, 700L)
    expect_identical(call$info$rows, sum(fit$inbag[, tree] > 0))
    for (name in names) {
      bin <- match(data[[name]], sort(unique(data[[name]])), nomatch = 256)
      counts <- tapply(fit$inbag[, tree], list(factor(bin, 1:256), data$y), sum, default = 0)
      expect_equal(call$histogram[, , name, 1], counts, ignore_attr = TRUE)
    }
    # both children together have the rows of the root
    below <- calls[[2 * tree]]$histogram
    expect_identical(dim(below)[4], 2L)
    expect_equal(sum(below[, , 1, ]), 700)
    table <- forest_tree(fit, tree)
    expect_identical(calls[[2 * tree]]$info$weight, as.integer(table$n[2:3]))
  }
})

test_that("nodes of one depth have their candidates in common", {
  data <- mixed_classes()
  of_depth <- function(fit, tree) {
    table <- forest_tree(fit, tree)
    depth <- integer(nrow(table))
    for (node in which(!is.na(table$left))) {
      depth[c(table$left[node], table$right[node])] <- depth[node] + 1L
    }
    max(tapply(table$variable, depth, function(names) length(unique(names[!is.na(names)]))))
  }
  for (rule in c("gini", "random")) {
    level <- hist_forest(y ~ ., data, trees = 3, mtry = 1, depth = 6, seed = 1, pool = "level",
                         splitrule = rule)
    node <- hist_forest(y ~ ., data, trees = 3, mtry = 1, depth = 6, seed = 1, splitrule = rule)
    expect_identical(vapply(1:3, of_depth, 0L, fit = level), c(1L, 1L, 1L))
    expect_gt(of_depth(node, 1), 1)
  }
  expect_identical(hist_forest(y ~ ., data, trees = 3, seed = 1, pool = "level",
                               threads = 2)$forest,
                   hist_forest(y ~ ., data, trees = 3, seed = 1, pool = "level",
                               threads = 1)$forest)
})

test_that("a leaf stays one where the learner wants no split", {
  none <- function(histogram, info) list(feature = NA, bin = NA)
  fit <- hist_forest(Species ~ ., iris, trees = 3, seed = 1, learner = none)
  expect_identical(fit$forest$n_nodes, c(1L, 1L, 1L))
})

test_that("answers are looked over, and errors pass", {
  grow <- function(learner, ...) hist_forest(Species ~ ., iris, trees = 2, seed = 1,
                                             learner = learner, ...)
  answer <- function(...) function(histogram, info) list(...)
  expect_contree_error(grow(answer(feature = 3, bin = 1)), "input", "feature")
  expect_contree_error(grow(answer(feature = 1:2, bin = 1)), "input", "feature")
  expect_contree_error(grow(answer(feature = 1, bin = 256)), "input", "bin")
  expect_contree_error(grow(answer(feature = 1, bin = 200)), "input", "without rows")
  expect_contree_error(grow(answer(bin = 1)), "input", "feature")
  expect_contree_error(grow(answer(feature = 1, bin = 9, missing_left = 1:2)),
                       "input", "missing_left")
  expect_contree_error(grow(function(histogram, info) 1), "input", "feature")
  expect_error(grow(function(histogram, info) stop("mine")), "mine")
  expect_contree_error(grow("gini"), "input", "learner")
  expect_contree_error(hist_forest(mpg ~ ., mtcars, learner = hist_learner()), "unsupported",
                       "classes")
  expect_contree_error(hist_learner("variance"), "input", "rule")
  expect_contree_error(hist_forest(Species ~ ., iris, pool = "tree"), "input", "pool")
})
