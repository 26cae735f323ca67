# Cross-validation of policy trees.

problem <- function(n = 80) {
  set.seed(3)
  x <- data.frame(age = rnorm(n), income = rnorm(n), f = factor(sample(letters[1:3], n, TRUE)))
  list(x = x, rewards = cbind(a = 0, b = x$age, c = x$income) + rnorm(3 * n) / 4)
}

test_that("held-out values are those of trees of the other folds", {
  p <- problem()
  fold <- rep(1:4, 20)
  cv <- contree_cv(p$x, rewards = p$rewards, depth = 0:2, complexity = c(0, 0.1), folds = fold)
  expect_identical(nrow(cv$table), 6L)
  for (i in seq_len(6)) {
    worth <- numeric(80)
    for (k in 1:4) {
      out <- fold == k
      fit <- policy_tree(p$x[!out, ], p$rewards[!out, ], cv$table$depth[i],
                         complexity = cv$table$complexity[i])
      worth[out] <- p$rewards[cbind(which(out), predict(fit, p$x[out, ]))]
    }
    expect_equal(cv$table$value[i], mean(worth))
    expect_equal(cv$table$std.error[i], sd(worth) / sqrt(80))
  }
})

test_that("the rule chooses the tree, which is fitted to all rows", {
  p <- problem()
  for (rule in c("min", "1se")) {
    cv <- contree_cv(p$x, rewards = p$rewards, depth = 0:3, folds = rep(1:4, 20), rule = rule)
    best <- which.max(cv$table$value)
    least <- cv$table$value[best] - if (rule == "1se") cv$table$std.error[best] else 0
    expect_identical(cv$chosen, which(cv$table$value >= least)[1])
    fit <- policy_tree(p$x, p$rewards, cv$table$depth[cv$chosen])
    expect_identical(predict(cv$fit, p$x), predict(fit, p$x))
    expect_output(print(cv), "left out")
  }
})

test_that("costs are rewards below zero", {
  p <- problem()
  fold <- rep(1:4, 20)
  by_reward <- contree_cv(p$x, rewards = p$rewards, depth = 1:2, folds = fold)
  by_cost <- contree_cv(p$x, costs = -p$rewards, depth = 1:2, folds = fold)
  expect_identical(by_cost$table, by_reward$table)
  expect_identical(by_cost$fit$frame, by_reward$fit$frame)
  expect_identical(eval(by_cost$fit$call)$frame, by_cost$fit$frame)
  expect_contree_error(contree_cv(p$x, costs = p$rewards, rewards = p$rewards), "input", "not both")
})

test_that("what does not go with rewards is an error", {
  p <- problem()
  expect_contree_error(contree_cv(p$x, p$rewards[, 1], rewards = p$rewards), "input",
                       "'y' does not go")
  expect_contree_error(contree_cv(p$x, rewards = p$rewards[-1, ]), "input", "79 rows")
  expect_contree_error(contree_cv(p$x, rewards = p$rewards, folds = 1), "input", "folds")
})

test_that("a formula gives the same as its columns", {
  p <- problem()
  d <- cbind(p$x, p$rewards)
  fold <- rep(1:4, 20)
  by_columns <- contree_cv(p$x, rewards = p$rewards, depth = 0:2, folds = fold)
  cv <- contree_cv(cbind(a, b, c) ~ age + income + f, d, depth = 0:2, folds = fold,
                   objective = "rewards")
  expect_identical(cv$table, by_columns$table)
  expect_identical(cv$chosen, by_columns$chosen)
  expect_identical(cv$fit$frame, by_columns$fit$frame)
  expect_identical(eval(cv$fit$call)$frame, cv$fit$frame)
  expect_identical(predict(cv$fit, d), predict(by_columns$fit, p$x))
  costs <- transform(d, a = -a, b = -b, c = -c)
  expect_identical(contree_cv(cbind(a, b, c) ~ age + income + f, costs, depth = 0:2, folds = fold,
                              objective = "costs")$table, cv$table)
  some <- contree_cv(cbind(a, b, c) ~ exp(age), d, subset = age > 0, depth = 1, folds = 2,
                     objective = "rewards", seed = 5)
  here <- d$age > 0
  same <- contree_cv(exp(d["age"][here, , drop = FALSE]), rewards = p$rewards[here, ], depth = 1,
                     folds = 2, seed = 5)
  expect_identical(some$table, same$table)
  expect_contree_error(contree_cv(cbind(a, b) ~ age, d), "input", "objective")
  expect_contree_error(contree_cv(cbind(a, b) ~ age, d, objective = "absolute"), "input",
                       "objective")
  expect_contree_error(contree_cv(cbind(a, b) ~ age, d, objective = "rewards", weights = c),
                       "input", "'weights' does not go")
})
