# The best tree by trying all: splits of predictors as documented, integer rewards.
best_sum <- function(x, rewards, depth, minbucket = 1) {
  best <- max(colSums(rewards))
  if (depth == 0) return(best)
  for (column in x) {
    for (left in splits_of(column)) {
      if (sum(left) < minbucket || sum(!left) < minbucket) next
      best <- max(best, best_sum(x[left, , drop = FALSE], rewards[left, , drop = FALSE], depth - 1,
                                 minbucket) +
                    best_sum(x[!left, , drop = FALSE], rewards[!left, , drop = FALSE], depth - 1,
                             minbucket))
    }
  }
  best
}

# Logical vectors: which rows go left. Missing values go either way, or apart.
splits_of <- function(column) {
  hole <- is.na(column)
  sides <- if (is.factor(column)) {
    levels <- unique(as.integer(column[!hole]))
    lapply(seq_len(2^length(levels) - 1) - 1,
           function(set) {
             as.integer(column) %in% levels[bitwAnd(set, 2^(seq_along(levels) - 1)) > 0]
           })
  } else {
    lapply(unique(column[!hole]), function(value) !hole & column < value)
  }
  if (!any(hole)) return(sides)
  c(sides, lapply(sides, function(left) left | hole), list(hole))
}

random_policy <- function(n, k, kind) {
  x <- data.frame(a = sample(6, n, TRUE), b = rnorm(n))
  if (kind == "mixed") {
    x$f <- factor(sample(letters[1:3], n, TRUE), letters[1:4])
    x$a[sample(n, 2)] <- NA
  }
  list(x = x, rewards = matrix(sample(-5:5, n * k, TRUE), n))
}

test_that("trees are those of all trees, with factors and missing values", {
  set.seed(1)
  for (i in 1:40) {
    case <- random_policy(12, 1 + i %% 5, c("plain", "mixed")[1 + i %% 2])
    minbucket <- 1 + i %% 3
    depth <- if (i %% 10 == 0) 3 else 1 + i %% 2
    if (depth == 3) case$x$f <- NULL
    fit <- policy_tree(case$x, case$rewards, depth, min.node.size = minbucket)
    expect_identical(fit$policy$value * 12, best_sum(case$x, case$rewards, depth, minbucket),
                     tolerance = 1e-12)
    expect_identical(fit$policy$gap, 0)
    action <- predict(fit, case$x)
    expect_identical(mean(case$rewards[cbind(1:12, action)]), fit$policy$value)
    expect_identical(unname(predict(fit)), unname(action))
    leaves <- tabulate(match(predict(fit, case$x, type = "node.id"), row.names(fit$frame)))
    expect_gte(min(leaves[leaves > 0]), minbucket)
  }
})

test_that("two actions are searched as classes with the same answer", {
  set.seed(2)
  for (i in 1:30) {
    case <- random_policy(40, 2, "mixed")
    settings <- contree:::settle_sizes(c(unclass(contree_control(complexity = (i %% 3) / 8)),
                                         depth = 1 + i %% 3))
    columns <- list(case$x$b, as.integer(case$x$f), as.integer(case$x$f == "a"))
    storage.mode(case$rewards) <- "double"
    two <- contree:::solve_two(columns, case$rewards, settings)
    own <- contree:::solve_rewards(columns, case$rewards, settings)
    expect_identical(two$feature, own$feature)
    expect_identical(two$threshold, own$threshold)
    expect_equal(two$cost, own$cost)
    expect_equal(two$bound, own$bound)
  }
})

test_that("two actions have one row, rewards of any size, and no gap but rounding", {
  expect_identical(policy_tree(data.frame(a = 1), cbind(1, 2))$policy$value, 2)
  set.seed(8)
  case <- random_policy(30, 2, "plain")
  fit <- policy_tree(case$x, case$rewards)
  for (unit in 2^c(-1000, -340, 320)) {
    other <- policy_tree(case$x, case$rewards * unit)
    expect_identical(other$splits[, "index"], fit$splits[, "index"])
    expect_identical(other$policy$value, fit$policy$value * unit)
  }
  real <- policy_tree(case$x, case$rewards / 3 + rnorm(60))
  expect_identical(real$policy[c("gap", "bound")], list(gap = 0, bound = real$policy$value))
  expect_gt(real$policy$rounding, 0)
  expect_lt(real$policy$rounding, 1e-12)
})

test_that("costs are negative rewards, and a constant in a row changes nothing", {
  set.seed(3)
  case <- random_policy(60, 4, "mixed")
  fit <- contree(case$x, rewards = case$rewards, depth = 2)
  by_cost <- contree(case$x, costs = -case$rewards, depth = 2)
  expect_identical(by_cost$frame$yval2, fit$frame$yval2)
  shifted <- contree(case$x, rewards = case$rewards + rep(sample(1e6, 60), 4), depth = 2)
  expect_identical(shifted$splits[, "index"], fit$splits[, "index"])
  permuted <- policy_tree(case$x, case$rewards[, 4:1])
  expect_identical(permuted$policy$value, fit$policy$value)
  never <- policy_tree(case$x, cbind(case$rewards, -100))
  expect_identical(never$policy$value, fit$policy$value)
})

test_that("a price of splits leaves them out where they are not worth it", {
  x <- data.frame(a = 1:8)
  rewards <- cbind(0, rep(c(-1, 1), each = 4))
  for (k in 2:3) {
    gamma <- if (k == 2) rewards else cbind(rewards, -9)
    expect_identical(policy_tree(x, gamma, complexity = 0.49)$policy$value, 0.5)
    fit <- policy_tree(x, gamma, complexity = 0.51)
    expect_identical(fit$policy$value, 0)
    expect_identical(nrow(fit$frame), 1L)
  }
})

test_that("threads and instruction sets do not change the tree", {
  set.seed(4)
  x <- matrix(rnorm(3000), 600)
  rewards <- matrix(rnorm(600 * 5), 600)
  one <- policy_tree(x, rewards, threads = 1)
  two <- policy_tree(x, rewards, threads = 2)
  expect_identical(one$frame, two$frame)
  old <- options(contree.simd = "scalar")
  on.exit(options(old))
  scalar <- policy_tree(x, rewards)
  expect_identical(scalar$frame, one$frame)
  expect_identical(scalar$policy$bound, one$policy$bound)
  expect_lt(one$policy$rounding, 1e-12)
})

test_that("a stopped search has a tree and a bound", {
  set.seed(5)
  x <- matrix(rnorm(4000), 1000)
  rewards <- matrix(rnorm(4000), 1000)
  expect_warning(fit <- policy_tree(x, rewards, 3, time_limit = 0, threads = 1),
                 class = "contree_timeout")
  best <- policy_tree(x, rewards, 2)$policy$value
  expect_gte(fit$policy$bound, best)
  expect_identical(fit$policy$status, "time limit")
  expect_lte(fit$policy$value, best)
  expect_match(paste(capture.output(print(fit)), collapse = " "), "no tree has more than")
})

test_that("predictions say actions, nodes and rewards", {
  x <- data.frame(a = 1:6)
  gamma <- cbind(none = 0, pill = c(-1, -1, -1, 1, 1, 4))
  fit <- policy_tree(x, cbind(gamma, knife = -2), 1)
  expect_identical(predict(fit, x), setNames(rep(1:2, each = 3), 1:6))
  expect_identical(predict(fit, x, type = "action"),
                   structure(rep(1:2, each = 3), names = as.character(1:6),
                             levels = c("none", "pill", "knife"), class = "factor"))
  expect_identical(predict(fit, x, type = "node.id"), setNames(rep(2:3, each = 3), 1:6))
  expect_identical(predict(fit, x[4, , drop = FALSE], type = "rewards"),
                   matrix(c(0, 2, -2), 1, dimnames = list("4", c("none", "pill", "knife"))))
  expect_identical(fit$policy$reward, c(0.5, 0, 2))
  expect_equal(fit$policy$std.error, c(sd(gamma[, 2]) / sqrt(6), 0, 1))
  expect_contree_error(predict(fit, x, type = "class"), "input")
  expect_identical(predict(policy_tree(x, gamma[, 2, drop = FALSE]), x[5:6, , drop = FALSE],
                           type = "rewards"),
                   matrix(0.5, 2, 1, dimnames = list(c("5", "6"), "pill")))
  text <- capture.output(print(fit))
  expect_match(text, "a>=3.5 3 pill 2 (1) *", fixed = TRUE, all = FALSE)
  expect_match(paste(text, collapse = " "), "2 leaves, 3 actions, mean reward 1; proven optimal")
  expect_silent(plot(fit))
})

test_that("what cannot be used is said by name", {
  x <- data.frame(a = 1:4)
  gamma <- matrix(0, 4, 3)
  fails <- function(expr, class, text) {
    expect_error(expr, text, class = paste0("contree_", class, "_error"), fixed = TRUE)
  }
  fails(policy_tree(x, replace(gamma, 6, NA)), "input", "NA in row 2, column 2")
  fails(policy_tree(x, replace(gamma, 6, Inf)), "input", "Inf in row 2, column 2")
  fails(policy_tree(x, gamma[-1, ]), "input", "'Gamma' has 3 rows, but there are 4")
  fails(policy_tree(x, 1:4), "input", "'Gamma' must be a numeric matrix")
  fails(policy_tree(x, gamma[, 0]), "input", "1 to 1023 columns")
  fails(policy_tree(x, `colnames<-`(gamma, c("a", "a", "b"))), "input", "different names")
  fails(policy_tree(x, gamma, split.step = 0), "input", "'split.step'")
  fails(policy_tree(x, gamma, 9), "input", "between 0 and 8, not 9")
  fails(policy_tree(x, gamma, NULL), "input", "'depth'")
  fails(contree(x, rewards = gamma, depth = 9), "input", "between 0 and 8, not 9")
  fails(policy_tree(x, gamma, minbucket = 2), "input", "'min.node.size'")
  fails(policy_tree(x, gamma, min.node.size = 0), "input", "'min.node.size' must be")
  fails(policy_tree(x, matrix("0", 4, 3)), "input", "not a matrix of type character")
  fails(policy_tree(x$a, gamma), "input", "'X' must be a data frame or a numeric matrix")
  fails(policy_tree(cbind(x, x), gamma), "input", "'X' has more than one column named 'a'")
  fails(contree(x[0, , drop = FALSE], rewards = gamma[0, ]), "input", "'x' is empty")
  fails(policy_tree(x), "input", "'Gamma'")
  for (setting in list(list(max_thresholds = 9), list(max_gap = 1), list(min_n = 9),
                       list(conformal = 5))) {
    fails(do.call(policy_tree, c(list(x, gamma), setting)), "unsupported", names(setting))
  }
  fails(contree(x, rewards = gamma, costs = gamma), "input", "either 'rewards' or 'costs'")
  fails(contree(x, rewards = gamma, weights = 1:4), "input", "'weights' does not go with 'rewards'")
  fails(contree(x, 1:4, costs = gamma), "input", "'y' does not go with 'costs'")
  fails(contree(x, rewards = gamma, objective = "absolute"), "input", "'objective' does not go")
  fails(contree(x, rewards = gamma, tau = 0.5), "input", "'tau' does not go")
  expect_message(policy_tree(x, gamma, split.step = 10), "all thresholds")
  expect_silent(policy_tree(x, gamma, split.step = 10, verbose = FALSE))
  many <- data.frame(f = factor(1:9))
  expect_message(policy_tree(many, matrix(1:18, 9)), "in order of mean rewards")
  expect_silent(policy_tree(many, matrix(1:18, 9), verbose = FALSE))
})

test_that("fits that were changed are refused", {
  set.seed(6)
  case <- random_policy(30, 3, "plain")
  fit <- policy_tree(case$x, case$rewards)
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, case$x), predict(fit, case$x))
  for (name in c("actions", "action", "reward", "value", "status")) {
    wrong <- fit
    wrong$policy[[name]] <- NULL
    expect_contree_error(predict(wrong, case$x), "input")
  }
  wrong <- fit
  wrong$policy$action[1] <- 9L
  expect_contree_error(print(wrong), "input", "'policy'")
})

test_that("more rows, missing ones left out", {
  set.seed(7)
  case <- random_policy(50, 3, "mixed")
  fit <- policy_tree(case$x, case$rewards, missing = "omit")
  kept <- complete.cases(case$x)
  same <- policy_tree(case$x[kept, ], case$rewards[kept, ])
  expect_identical(fit$frame, same$frame)
  twice <- policy_tree(rbind(case$x, case$x), rbind(case$rewards, case$rewards))
  expect_equal(twice$policy$value, policy_tree(case$x, case$rewards)$policy$value)
})

test_that("what policy trees do not have yet is refused, with what to do instead", {
  set.seed(1)
  x <- data.frame(age = rnorm(60), income = rnorm(60))
  rewards <- cbind(a = 0, b = x$age, c = x$income)
  fit <- policy_tree(x, rewards)
  for (ask in list(contree_stability, contree_accuracy)) {
    expect_contree_error(ask(fit), "unsupported", "not available for policy trees; ")
  }
  expect_contree_error(prune(fit, cp = 0.1), "unsupported", "fit the best smaller tree")
  expect_contree_error(contree(rewards ~ age, data = x), "input", "objective = \"rewards\"")
})

test_that("residuals are what each row has less than with its best action", {
  set.seed(2)
  x <- data.frame(age = rnorm(40), income = rnorm(40))
  rewards <- cbind(a = 0, b = x$age, c = x$income)
  fit <- policy_tree(x, rewards, depth = 1)
  taken <- rewards[cbind(1:40, predict(fit, x))]
  expect_equal(residuals(fit), setNames(apply(rewards, 1, max) - taken, rownames(x)))
  expect_lt(abs(mean(apply(rewards, 1, max)) - mean(residuals(fit)) - fit$policy$value), 1e-12)
})

test_that("indicators give the best tree of three levels", {
  set.seed(56)
  for (round in 1:3) {
    x <- as.data.frame(matrix(sample(0:1, 14 * 4, TRUE), 14))
    rewards <- matrix(sample(-5:5, 14 * 3, TRUE), 14)
    fit <- policy_tree(x, rewards, depth = 3, min.node.size = round)
    expect_identical(fit$policy$status, "optimal")
    expect_equal(fit$policy$value * 14, best_sum(x, rewards, 3, round))
  }
})

test_that("two actions on columns of two values are added up, with the answer of classes", {
  set.seed(57)
  settings <- function(...) {
    contree:::settle_sizes(contree:::collect_settings(list(...), NULL, 3))
  }
  for (round in 1:4) {
    x <- as.data.frame(matrix(rnorm(300 * 9) > 0.4, 300) + 0)
    rewards <- matrix(round(rnorm(600), 2), 300) + cbind(0, x[[2]] * (x[[5]] - x[[8]]))
    asked <- settings(minbucket = round * 5, complexity = (round %% 2) / 128)
    expect_false(contree:::two_as_classes(rewards, as.list(x), asked))
    expect_false(contree:::two_as_classes(rewards, as.matrix(x), asked))
    classes <- contree:::solve_two(as.list(x), rewards, asked)
    added <- contree:::solve_rewards(as.list(x), rewards, asked)
    expect_identical(added$feature, classes$feature)
    expect_identical(added$threshold, classes$threshold)
    expect_equal(added$cost, classes$cost)
    fit <- policy_tree(x, rewards, depth = 3, min.node.size = round * 5,
                       complexity = (round %% 2) / 128)
    expect_identical(unname(fit$splits[, "index"]), classes$threshold[classes$feature > 0])
  }
  x[[3]][7] <- 2
  expect_true(contree:::two_as_classes(rewards, as.list(x), asked))
  expect_true(contree:::two_as_classes(rewards, as.matrix(x), asked))
  expect_true(contree:::two_as_classes(rewards, as.list(x[-3]), settings(max_leaves = 4)))
  expect_false(contree:::two_as_classes(rewards, as.list(x[-3]), settings()))
  expect_false(contree:::two_as_classes(cbind(rewards, 0), as.list(x), asked))
})
