# True means of three actions are 0, x1 and 0.5; who gets which depends on x2.
trial <- function(n) {
  x <- data.frame(x1 = rnorm(n), x2 = rnorm(n))
  p <- cbind(a = 0.2 + 0.3 * (x$x2 > 0), b = 0.3, c = 0.5 - 0.3 * (x$x2 > 0))
  action <- apply(p, 1, function(q) sample(3, 1, prob = q))
  means <- cbind(0, x$x1, 0.5) + x$x2
  list(x = x, p = p, action = factor(c("a", "b", "c")[action]), means = means,
       y = means[cbind(seq_len(n), action)] + rnorm(n))
}

test_that("scores of known probabilities are those by hand", {
  set.seed(1)
  t <- trial(50)
  scores <- policy_scores(t$y, t$action, propensity = t$p, method = "ipw")
  by_hand <- sapply(c("a", "b", "c"), function(a) (t$action == a) * t$y / t$p[, a])
  expect_equal(scores, by_hand)
  expect_equal(policy_scores(t$y, t$action, propensity = c(b = 0.3, c = 0.5, a = 0.2),
                             method = "ipw")[, "b"], by_hand[, "b"])
})

test_that("means of scores are without bias, and intervals cover", {
  set.seed(2)
  off <- t(replicate(30, {
    t <- trial(400)
    scores <- policy_scores(t$y, t$action, t$x, t$p, trees = 30, threads = 1, folds = 2)
    (colMeans(scores) - colMeans(t$means)) / apply(scores, 2, function(s) sd(s) / sqrt(400))
  }))
  # means of 30 numbers of variance 1 at most, and proportions of 90 of them
  expect_lt(max(abs(colMeans(off))), 0.7)
  expect_gt(mean(abs(off) < 2), 0.88)
})

test_that("probabilities are estimated where they are not given", {
  set.seed(3)
  t <- trial(1500)
  scores <- policy_scores(t$y, t$action, t$x, trees = 50, min_n = 20)
  naive <- tapply(t$y, t$action, mean)
  # x2 makes plain means wrong by about 0.3
  expect_lt(max(abs(colMeans(scores) - colMeans(t$means))), 0.2)
  expect_gt(max(abs(naive - colMeans(t$means))), 0.2)
  fit <- policy_tree(t$x, scores, depth = 1)
  expect_identical(as.character(fit$frame$var[1]), "x1")
})

test_that("wrong arguments are said by name", {
  set.seed(4)
  t <- trial(30)
  fails <- function(expr, text) expect_error(expr, text, class = "contree_input_error")
  fails(policy_scores(replace(t$y, 1, NA), t$action, t$x), "'y'")
  fails(policy_scores(t$y, t$action[-1], t$x), "'action'")
  fails(policy_scores(t$y, rep(1, 30), t$x), "two or more")
  fails(policy_scores(t$y, factor(t$action, letters[1:4]), t$x), "no row has the action 'd'")
  fails(policy_scores(t$y, t$action, propensity = c(0.5, NA, 0.5), method = "ipw"), "add up to 1")
  fails(policy_scores(t$y, t$action, t$x, least = 0), "'least' must be a number above 0")
  fails(policy_scores(t$y, t$action), "'x'")
  fails(policy_scores(t$y, t$action, t$x[-1, ]), "'x' has 29 rows")
  fails(policy_scores(t$y, t$action, method = "ipw"), "'propensity' must be given")
  fails(policy_scores(t$y, t$action, propensity = c(0.5, 0.4, 0.2), method = "ipw"), "add up to 1")
  fails(policy_scores(t$y, t$action, propensity = c(0.5, 0.5), method = "ipw"), "3 probabilities")
  fails(policy_scores(t$y, t$action, propensity = c(u = 0.2, b = 0.3, c = 0.5), method = "ipw"),
        "named by the actions")
  fails(policy_scores(t$y, t$action, t$x, folds = 1), "'folds'")
  fails(policy_scores(t$y, t$action, t$x, folds = as.integer(t$action)), "one fold only")
})
