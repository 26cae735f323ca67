policy_case <- function(n = 200) {
  x <- data.frame(a = rnorm(n), b = rnorm(n))
  list(x = x, gamma = cbind(none = 0, one = x$a, two = x$b) + rnorm(3 * n))
}

test_that("values, standard errors and paired differences are those by hand", {
  set.seed(1)
  train <- policy_case()
  test <- policy_case()
  fit <- policy_tree(train$x, train$gamma)
  value <- policy_value(fit, test$x, test$gamma)
  own <- test$gamma[cbind(1:200, predict(fit, test$x))]
  expect_equal(value["policy", "value"], mean(own))
  expect_equal(value["policy", "std.error"], sd(own) / sqrt(200))
  expect_equal(value["one", "value"], mean(test$gamma[, "one"]))
  expect_equal(value["two", "difference"], mean(own - test$gamma[, "two"]))
  expect_equal(value["two", "difference.error"], sd(own - test$gamma[, "two"]) / sqrt(200))
  expect_true(is.na(value["policy", "difference"]))
  # columns by name, whatever their order
  expect_identical(policy_value(fit, test$x, test$gamma[, 3:1]), value)
  expect_match(capture.output(print(value)), "policy", all = FALSE)
})

test_that("rows of a cluster belong together", {
  set.seed(2)
  train <- policy_case()
  test <- policy_case(50)
  fit <- policy_tree(train$x, train$gamma)
  each <- policy_value(fit, test$x, test$gamma, clusters = 1:50)
  expect_equal(each, policy_value(fit, test$x, test$gamma))
  twice <- rep(1:50, 2)
  doubled <- policy_value(fit, test$x[twice, ], test$gamma[twice, ], clusters = twice)
  expect_equal(doubled$std.error, each$std.error)
  expect_equal(doubled$difference.error, each$difference.error)
})

test_that("another policy is a fit, numbers or names", {
  set.seed(3)
  train <- policy_case()
  fit <- policy_tree(train$x, train$gamma)
  new <- policy_case(30)
  small <- policy_tree(train$x, train$gamma, 1)
  by_fit <- policy_value(fit, new$x, new$gamma, policy = small)
  expect_identical(policy_value(fit, new$x, new$gamma, policy = predict(small, new$x)), by_fit)
  expect_identical(policy_value(fit, new$x, new$gamma,
                                policy = as.character(predict(small, new$x, type = "action"))),
                   by_fit)
  expect_equal(by_fit["other", "value"],
               mean(new$gamma[cbind(1:30, predict(small, new$x))]))
})

test_that("training rows give a warning, and wrong arguments an error", {
  set.seed(4)
  train <- policy_case()
  fit <- policy_tree(train$x, train$gamma)
  expect_warning(policy_value(fit, train$x, train$gamma), class = "contree_training_rows")
  new <- policy_case(20)
  expect_no_warning(policy_value(fit, new$x, new$gamma))
  fails <- function(expr, text) expect_error(expr, text, class = "contree_input_error")
  fails(policy_value(fit, new$x[0, ], new$gamma[0, ]), "'newdata' has no rows")
  fails(policy_value(1, new$x, new$gamma), "'fit'")
  fails(policy_value(fit, new$x, new$gamma[-1, ]), "'Gamma' has 19 rows")
  fails(policy_value(fit, new$x, new$gamma[, -1]), "a column for each action")
  fails(policy_value(fit, new$x, `colnames<-`(new$gamma, c("none", "one", "three"))),
        "a column for each action")
  fails(policy_value(fit, new$x, replace(new$gamma, 1, NA)), "finite")
  fails(policy_value(fit, new$x, new$gamma, clusters = 1:3), "'clusters'")
  fails(policy_value(fit, new$x, new$gamma, clusters = rep(1, 20)), "two different")
  fails(policy_value(fit, new$x, new$gamma, policy = 1:3), "'policy'")
  fails(policy_value(fit, new$x, new$gamma, policy = rep("four", 20)), "no action")
})
