# Policy trees of columns of a data frame.

trial <- function(n = 90) {
  set.seed(5)
  d <- data.frame(age = rnorm(n), income = rnorm(n), f = factor(sample(letters[1:3], n, TRUE)))
  cbind(d, none = 0, course = d$age + rnorm(n), grant = d$income + rnorm(n))
}

test_that("a formula gives the fit of its columns", {
  d <- trial()
  gamma <- as.matrix(d[c("none", "course", "grant")])
  fit <- contree(cbind(none, course, grant) ~ ., d, objective = "rewards", depth = 2)
  same <- policy_tree(d[1:3], gamma)
  expect_identical(fit$frame, same$frame)
  expect_identical(predict(fit, d), setNames(predict(same, d), row.names(d)))
  expect_identical(fit$policy$actions, colnames(gamma))
  costs <- d
  costs[4:6] <- -costs[4:6]
  by_cost <- contree(cbind(none, course, grant) ~ age + income + f, costs, objective = "costs",
                     depth = 2)
  expect_identical(by_cost$frame, same$frame)
  some <- contree(cbind(none, grant) ~ income, d, subset = age > 0, objective = "rewards",
                  depth = 1)
  here <- d$age > 0
  expect_identical(some$policy$value, policy_tree(d["income"][here, , drop = FALSE],
                                                  gamma[here, c(1, 3)], 1)$policy$value)
  expect_identical(update(fit, depth = 1)$frame, policy_tree(d[1:3], gamma, 1)$frame)
})

test_that("rows without a reward are left out if asked for, and what does not go together told", {
  d <- trial()
  holed <- d
  holed$course[7] <- NA
  expect_contree_error(contree(cbind(none, course, grant) ~ age, holed, objective = "rewards"),
                       "input", "NA in row 7, column 2")
  fit <- contree(cbind(none, course, grant) ~ age, holed, objective = "rewards", depth = 1,
                 na.action = na.omit)
  expect_identical(fit$frame$n[1], 89L)
  formula <- cbind(none, course) ~ age
  expect_contree_error(contree(formula, d), "input", "objective = \"rewards\"")
  expect_contree_error(contree(formula, d, objective = "profit"), "input", "objective")
  expect_contree_error(contree(formula, d, objective = "rewards", weights = age), "input",
                       "'weights' does not go")
  expect_contree_error(contree(none ~ age, d, objective = "rewards"), "input", "numeric matrix")
})
