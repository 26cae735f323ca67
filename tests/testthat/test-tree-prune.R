iris3 <- contree(Species ~ ., iris, depth = 3)
iris_path <- contree_path(Species ~ ., iris, depth = 3)

# The errors and splits of every subtree that has the root of a fit, one row each.
subtrees <- function(fit) {
  nodes <- as.data.frame(fit)
  below <- function(node) {
    row <- match(node, nodes$node)
    leaf <- cbind(nodes$errors[row], 0)
    if (nodes$leaf[row]) return(leaf)
    a <- below(nodes$left[row])
    b <- below(nodes$right[row])
    i <- rep(seq_len(nrow(a)), nrow(b))
    j <- rep(seq_len(nrow(b)), each = nrow(a))
    rbind(leaf, cbind(a[i, 1] + b[j, 1], 1 + a[i, 2] + b[j, 2]))
  }
  below(1)
}

test_that("pruning a fit gives the best subtree, and of those the smallest", {
  fits <- c(list(iris3, contree(Species ~ ., iris, depth = 4)),
            lapply(seeds(20, 5), function(seed) {
              p <- small_problem(seed)
              contree(p$x, p$y, depth = p$depth + 1)
            }))
  for (fit in fits) {
    n <- nobs(fit)
    all <- subtrees(fit)
    ties <- outer(all[, 1], all[, 1], `-`) / outer(all[, 2], all[, 2], function(a, b) b - a) / n
    for (complexity in unique(c(0, 0.5 / n, ties[is.finite(ties) & ties > 0 & ties <= 1], 1))) {
      tree <- prune(fit, complexity = complexity)
      cost <- all[, 1] + complexity * n * all[, 2]
      best <- cost <= min(cost) + 1e-9
      expect_equal(tree$cost, min(cost))
      expect_equal(contree:::tree_splits(tree), min(all[best, 2]))
      expect_identical(contree:::validate_model(tree), tree)
    }
  }
})

test_that("the unit of the weights does not matter", {
  set.seed(3)
  weights <- stats::rexp(150)
  nodes <- function(unit, complexity) {
    fit <- contree(Species ~ ., iris, depth = 3, weights = weights * unit)
    prune(fit, complexity = complexity)$frame$var
  }
  for (complexity in c(0, 0.001, 0.01, 0.1)) {
    for (unit in c(1e-12, 1e12)) expect_identical(nodes(unit, complexity), nodes(1, complexity))
  }
  expect_gt(length(nodes(1e-12, 0.001)), length(nodes(1e-12, 0.1)))
})

test_that("a pruned tree is a tree in every respect", {
  tree <- prune(iris3, complexity = 0.02)
  expect_lt(nrow(tree$frame), nrow(iris3$frame))
  expect_identical(tree$status, "pruned")
  expect_identical(tree$control$complexity, 0.02)
  expect_identical(predict(tree), predict(tree, iris))
  expect_equal(unname(residuals(tree)), as.integer(predict(tree, iris) != iris$Species))
  expect_equal(unname(predict(tree, iris, type = "node")), walk(tree, iris))
  expect_equal(sum(contree_rules(tree)$n), 150)
  expect_equal(as.data.frame(tree)$errors[1], 100)
  expect_equal(sum(contree_importance(tree)$errors), 100 - tree$objective)
  expect_output(print(tree), "at complexity 0.02, 6 leaves, 2 errors (1.33%); pruned; gap",
                fixed = TRUE)
  expect_output(print(summary(tree)), "pruned")
  expect_silent(plot(tree))
  expect_contree_error(plot(tree, what = "progress"), "input", "history")
  expect_equal(update(tree, complexity = 0.02)$cost, prune(iris_path, complexity = 0.02)$cost)
})

test_that("splits by level and missing values stay as they were", {
  set.seed(9)
  data <- mixed_table(40, 3)
  data$f <- factor(sample(c(letters[1:4], NA), 40, TRUE))
  fit <- contree(y ~ ., data, depth = 4)
  expect_true(any(contree:::node_by_level(fit)))
  for (complexity in c(0.02, 0.03, 0.05, 0.08)) {
    tree <- prune(fit, complexity = complexity)
    kept <- match(contree:::node_ids(tree), contree:::node_ids(fit))
    inner <- !contree:::node_is_leaf(tree)
    for (what in list(contree:::node_variable, contree:::node_threshold, contree:::node_levels,
                      contree:::node_default_left)) {
      expect_identical(what(tree)[inner], what(fit)[kept][inner])
    }
    expect_identical(predict(tree), predict(tree, data))
    expect_identical(sum(contree:::node_by_level(tree)), NROW(tree$csplit))
  }
})

test_that("a tree that pays stays as it is, and a leaf is left of one that does not", {
  expect_identical(prune(iris3, complexity = 0), iris3)
  leaf <- prune(iris3, complexity = 1)
  expect_identical(leaf$status, "optimal")
  fresh <- contree(Species ~ ., iris, depth = 3, complexity = 1)
  what <- c("frame", "splits", "where", "cost", "bound")
  expect_identical(leaf[what], fresh[what])
  expect_equal(leaf$variable.importance, fresh$variable.importance)
  expect_identical(prune(leaf, complexity = 1), leaf)
})

test_that("a tree that is not known to be the smallest is not called so when it is pruned", {
  data <- data.frame(x = 1:3, y = factor(c("a", "b", "c")))
  fit <- contree(y ~ x, data, depth = 2, complexity = 0.01)
  expect_equal(contree:::tree_splits(fit), 2)
  expect_identical(prune(fit, complexity = 0)$status, "optimal")
  fit$status <- "time limit" # its cost is proven, its size is not
  tree <- prune(fit, complexity = 0)
  expect_identical(tree[c("status", "cost", "gap")], list(status = "pruned", cost = 0, gap = 0))
  expect_output(print(tree), "^n= 3.*\\nTree of depth <= 2, .*; pruned; no tree costs less, but")
  expect_identical(prune(fit, complexity = 1)$status, "optimal") # nothing is smaller than a leaf
})

test_that("what is said of a pruned tree's bound holds", {
  for (seed in seeds(60, 15)) {
    p <- small_problem(seed)
    errors <- least_errors(p$x, p$y, p$depth)
    for (from in c(0, 0.1, 0.3)) {
      fit <- contree(p$x, p$y, depth = p$depth, complexity = from)
      for (complexity in c(0, 0.05, 0.1, 0.2, 0.5)) {
        tree <- prune(fit, complexity = complexity)
        best <- best_size(errors, complexity * length(p$y))[2]
        expect_lte(tree$bound, best + 1e-6)
        expect_gte(tree$cost, best - 1e-6)
        if (tree$status == "optimal") expect_equal(tree$cost, best, tolerance = 1e-6)
      }
    }
  }
})

test_that("pruning a path picks the tree for the complexity or the number of splits", {
  table <- as.data.frame(iris_path)
  for (i in seq_along(iris_path)) {
    expect_identical(prune(iris_path, complexity = table$complexity[i]), iris_path[[i]])
    expect_identical(prune(iris_path,
                           complexity = min(1, mean(c(table$complexity[i], table$upper[i])))),
                     iris_path[[i]])
    expect_identical(prune(iris_path, nsplit = table$nsplit[i]), iris_path[[i]])
    # 100 of 150 are errors
    expect_identical(prune(iris_path, cp = table$complexity[i] * 1.5 + 1e-9), iris_path[[i]])
  }
  expect_identical(prune(iris_path, nsplit = 5), iris_path[["4"]])
  expect_identical(prune(iris_path, nsplit = 99), iris_path[["6"]])
})

test_that("the generics of this package and of rpart take the trees of both", {
  skip_if_not_installed("rpart")
  greedy <- rpart::rpart(Species ~ ., iris)
  expect_identical(prune(greedy, cp = 0.5)$frame, rpart::prune(greedy, cp = 0.5)$frame)
  expect_identical(rpart::prune(iris3, complexity = 0.02), prune(iris3, complexity = 0.02))
  expect_identical(rpart::prune(iris_path, nsplit = 2), iris_path[["2"]])
  # as rpart does on the same tree
  twin <- as_rpart(iris3)
  twin$frame$complexity <- 0
  for (cp in c(0.005, 0.02, 0.1, 0.6)) {
    expect_equal(prune(iris3, cp = cp)$control$complexity, min(1, cp * 100 / 150))
  }
})

test_that("a tree of a document is pruned like the fit that wrote it", {
  skip_if_not_installed("jsonlite")
  for (fit in list(iris3, contree(dist ~ speed, cars, depth = 3))) {
    cut <- prune(fit, cp = 0.1)
    expect_lt(nrow(cut$frame), nrow(fit$frame))
    read <- prune(contree_from_json(as_json(fit)), cp = 0.1)
    expect_identical(read$frame, cut$frame)
    expect_identical(read[c("cost", "bound", "status")], cut[c("cost", "bound", "status")])
  }
})

test_that("what cannot be used is an error that says why", {
  expect_contree_error(prune(iris3), "input", "none of them")
  expect_contree_error(prune(iris3, complexity = 0.1, cp = 0.1), "input", c("'complexity'", "'cp'"))
  expect_contree_error(prune(iris3, complexity = -1), "input", c("'complexity'", "-1"))
  expect_contree_error(prune(iris3, cp = 0.1, nsplit = 2), "input", "'nsplit'")
  expect_contree_error(prune(iris_path, nsplit = 1.5), "input", c("'nsplit'", "1.5"))
  short <- contree_path(Species ~ ., iris, depth = 3, complexity = 0.1)
  expect_contree_error(prune(short, complexity = 0.01), "input", c("0.01", "ends at 0.1"))
  expect_contree_error(prune(1), "input", c("'tree'", "1"))
})

test_that("a split that saves anything is kept at complexity 0, however large the other costs", {
  d <- data.frame(a = c(0, 0, 1, 1, 1, 1), b = c(0, 0, 0, 0, 1, 1),
                  y = factor(c("p", "p", "q", "q", "p", "p")))
  for (large in 10^c(3, 9, 12, 14, 15)) {
    fit <- contree(y ~ ., d, weights = c(rep(large, 4), 2, 3), depth = 2)
    expect_identical(prune(fit, complexity = 0)$objective, 0)
    expect_identical(sum(prune(fit, complexity = 0)$frame$var != "<leaf>"), 2L)
  }
  d <- data.frame(b = c(rep(0, 30), 1), a = c(rep(0:1, 15), 0), y = c(rep(0:1, 15), 1e7))
  fit <- contree(y ~ ., d, depth = 2, minbucket = 1)
  expect_identical(prune(fit, complexity = 0)$objective, 0)
})

test_that("what a node costs is a sum of the other classes' weights", {
  x <- data.frame(a = c(0, 0, 1, 1))
  y <- factor(c("q", "p", "p", "p"))
  for (large in 10^c(3, 9, 15)) {
    w <- c(0.3, large, 1, 1)
    expect_identical(contree(x, y, weights = w, depth = 0)$frame$dev, 0.3)
    expect_identical(prune(contree(x, y, weights = w, depth = 1), complexity = 0.9)$objective, 0.3)
  }
})

test_that("a large penalty does not take a split that saves a little more", {
  x <- data.frame(a = c(0, 0, 1, 1))
  y <- factor(c("p", "p", "q", "q"))
  fit <- contree(x, y, weights = c(1e10, 1e10, 1e10, 1), depth = 1)
  at <- function(saved) prune(fit, complexity = saved / fit$frame$wt[1])
  expect_equal(sum(contree:::node_is_leaf(at(1e10))), 2) # it saves 1e10 + 1
  expect_equal(sum(contree:::node_is_leaf(at(1e10 + 1))), 1)
})

test_that("a split is judged by what it saves, however far responses are from zero", {
  d <- data.frame(a = rep(0:2, 20), b = rep(0:1, each = 30))
  y <- 2 * (d$a > 0) + 3 * d$b + rep(0:1, 30)
  near <- contree(d, y, depth = 2)
  for (offset in c(2^30, 2^50, 2^53 - 8)) {
    fit <- contree(d, y + offset, depth = 2)
    saved <- 60 * 40 * 20 / 60^2 * 2^2 # of the root: means apart by 2, 40 and 20 rows
    expect_equal(fit$splits[, "improve"], c(a = saved, b = 45, b = 90), tolerance = 1e-14)
    expect_equal(contree_importance(fit)$deviance, contree_importance(near)$deviance)
    read <- contree_from_json(as_json(fit))
    for (tree in list(fit, read)) {
      expect_identical(prune(tree, complexity = 0)$objective, 15)
      expect_identical(sum(prune(tree, complexity = 44 / fit$frame$dev[1])$frame$var != "<leaf>"),
                       3L)
      expect_identical(prune(tree, complexity = 46 / fit$frame$dev[1])$objective, 15 + 45)
    }
  }
})

test_that("what splits save is taken from a document where it has it of all, and of numbers", {
  fit <- contree(mpg ~ wt + hp, mtcars, depth = 2)
  text <- as_json(fit)
  changed <- function(from, to, text) {
    other <- sub(from, to, text)
    expect_false(identical(other, text))
    contree_from_json(other)
  }
  expect_identical(contree_from_json(text)$splits, fit$splits)
  zero <- changed('"saved":[0-9.]+', '"saved":0', text)
  expect_identical(sum(zero$splits[, "improve"] == 0), 1L)
  lacking <- changed(',"saved":[0-9.]+', "", text)
  expect_equal(lacking$splits, fit$splits)
  expect_equal(prune(lacking, complexity = 0)$objective, fit$objective)
  flowers <- contree(Species ~ ., iris, depth = 1)
  more <- changed('("missing_rows":0)', '\\1,"saved":1e9', as_json(flowers))
  expect_identical(more$splits, flowers$splits)
})

test_that("nothing is called optimal whose leaves cost more than they have to", {
  # losses and weights that are rounded as much as the cheapest labels are apart
  d <- data.frame(a = c(2, 2, 0, 2, 1, 0))
  y <- factor(c("r", "p", "q", "r", "r", "p"))
  w <- c(3.5, 3.5, 2.1, 7e15, 7e7, 2.1)
  loss <- matrix(c(0, 5, 1e-6, 0.1, 0, 1e6, 5, 5, 0), 3)
  least <- min(colSums(as.vector(tapply(w, y, sum)) * loss))
  for (depth in 0:2) {
    fit <- contree(d, y, weights = w, loss = loss, depth = depth, minbucket = 2)
    expect_equal(fit$frame$dev[1], least)
    cut <- prune(fit, complexity = 0.3)
    expect_equal(c(cut$objective, cut$bound), c(least, least))
  }
})

test_that("trees without a proof are not pruned, and the error says what to do", {
  model <- gmt(dist ~ speed, cars, seed = 1)
  of_forest <- forest_tree(hist_forest(Species ~ ., iris, trees = 1, seed = 1), 1, as = "model")
  for (fit in list(model, of_forest)) {
    expect_contree_error(prune(fit, complexity = 0.1), "unsupported", "complexity")
    expect_contree_error(prune(fit, cp = 0.1), "unsupported", "max_leaves")
  }
})

test_that("a split that saves one row of 2^52 is not nothing", {
  x <- data.frame(a = c(0, 0, 1, 1), b = c(0, 0, 0, 1))
  y <- factor(c("p", "q", "q", "p"))
  # 2^53 errors, 2^52 + 1 and 2^52
  fit <- contree(x, y, weights = c(2^53, 2^52, 2^52, 1), depth = 2, minbucket = 1)
  n <- 2^54 + 1
  cut <- prune(fit, complexity = 1.5 / n)
  expect_identical(c(contree:::tree_splits(fit), contree:::tree_splits(cut)), c(2L, 1L))
  expect_identical(cut$status, "pruned") # all that is known is that no tree has fewer errors
  expect_equal(cut$gap, 1)
  expect_identical(contree:::tree_splits(prune(fit, complexity = 0.9 / n)), 2L)
})

test_that("a fit from a document is pruned as the fit is", {
  skip_if_not_installed("jsonlite")
  x <- data.frame(a = c(0, 0, 1, 1, 1, 1), b = c(0, 0, 0, 0, 1, 1))
  y <- factor(c("p", "p", "q", "q", "p", "p"))
  for (weights in list(c(2^53, 2^53, 2^53 + 2, 2^53, 2, 1), c(1e14, 1e14, 1e14, 1e14, 0.1, 0.2))) {
    fit <- contree(x, y, weights = weights, depth = 2, minbucket = 1)
    again <- contree_from_json(as_json(fit))
    expect_identical(again$counted, fit$counted)
    for (errors in c(outer(fit$frame$dev, c(0.5, 1, 2)))) {
      complexity <- errors / sum(weights)
      one <- prune(fit, complexity = complexity)
      other <- prune(again, complexity = complexity)
      expect_identical(other[c("frame", "objective", "status", "gap")],
                       one[c("frame", "objective", "status", "gap")])
    }
  }
})
