# Policy trees as other fits: few leaves, starts, progress, parts, paths, alternatives, proofs.

problem <- function(n = 120, k = 3, seed = 3) {
  set.seed(seed)
  x <- data.frame(a = rnorm(n), b = sample(8, n, TRUE), f = factor(sample(letters[1:3], n, TRUE)))
  x$a[4:5] <- NA
  rewards <- matrix(sample(-9:9, n * k, TRUE), n, dimnames = list(NULL, letters[seq_len(k)]))
  list(x = x, rewards = rewards)
}

# Which rows go left.
all_sides <- function(x) {
  a <- lapply(x$a[!is.na(x$a)], function(t) x$a < t)
  hole <- is.na(x$a)
  a <- c(lapply(a, function(left) replace(left, hole, TRUE)),
         lapply(a, function(left) replace(left, hole, FALSE)), list(hole))
  b <- lapply(unique(x$b), function(t) x$b < t)
  f <- lapply(list("a", "b", "c"), function(l) x$f == l)
  Filter(function(left) any(left) && !all(left), c(a, b, f))
}

test_that("the best tree of few leaves is the best of all such trees", {
  for (k in 2:3) {
    p <- problem(40, k)
    values <- vapply(1:8, function(leaves) {
      fit <- policy_tree(p$x, p$rewards, 3, max_leaves = leaves)
      expect_lte(sum(fit$frame$var == "<leaf>"), leaves)
      expect_identical(fit$policy$gap, 0)
      fit$policy$value
    }, 0)
    expect_false(is.unsorted(values))
    expect_identical(values[1], max(colMeans(p$rewards)))
    expect_identical(values[2], policy_tree(p$x, p$rewards, 1)$policy$value)
    expect_identical(values[8], policy_tree(p$x, p$rewards, 3)$policy$value)
    # three leaves: a stump on one side of a split
    best <- max(vapply(all_sides(p$x), function(left) {
      alone <- function(rows) max(colSums(p$rewards[rows, , drop = FALSE]))
      stump <- function(rows) {
        40 * policy_tree(p$x, p$rewards * rows, 1)$policy$value
      }
      max(alone(left) + stump(!left), stump(left) + alone(!left))
    }, 0))
    expect_equal(values[3] * 40, best)
  }
})

test_that("a tree to begin with, threads and parts do not change the tree", {
  for (k in 2:4) {
    p <- problem(90, k)
    fit <- policy_tree(p$x, p$rewards, 3)
    begun <- policy_tree(p$x, p$rewards, 3, start = policy_tree(p$x, -p$rewards, 2))
    file <- tempfile()
    parts <- policy_tree(p$x, p$rewards, 3, checkpoint = file)
    for (other in list(begun, policy_tree(p$x, p$rewards, 3, start = fit), parts,
                       policy_tree(p$x, p$rewards, 3, checkpoint = file))) {
      expect_identical(other$frame, fit$frame)
      expect_identical(other$policy$gap, 0)
    }
    expect_contree_error(policy_tree(p$x, -p$rewards, 3, checkpoint = file), "input", "other data")
    expect_contree_error(policy_tree(p$x, p$rewards, 4, checkpoint = file), "input",
                         "another 'depth'")
  }
  stopped <- suppressWarnings(policy_tree(p$x, p$rewards, 3, start = fit, time_limit = 0))
  expect_identical(stopped$policy$value, fit$policy$value)
})

test_that("a search in parts that is stopped goes on from its checkpoint", {
  p <- problem(90)
  fit <- policy_tree(p$x, p$rewards, 3)
  file <- tempfile()
  calls <- 0
  old <- options(contree.pool = contree:::own_pool(function(task) {
    calls <<- calls + 1
    if (calls == 2) task$control$time_limit <- 0
    contree:::policy_task(task)
  }))
  on.exit(options(old))
  expect_warning(first <- policy_tree(p$x, p$rewards, 3, checkpoint = file),
                 class = "contree_timeout")
  expect_gte(first$policy$bound, fit$policy$value)
  options(old)
  expect_warning(none <- policy_tree(p$x, p$rewards, 3, checkpoint = tempfile(), time_limit = 0),
                 class = "contree_timeout")
  expect_gte(none$policy$bound, fit$policy$value)
  again <- policy_tree(p$x, p$rewards, 3, checkpoint = file)
  expect_identical(again$frame, fit$frame)
  expect_identical(again$policy$gap, 0)
})

test_that("progress is told, and its errors stop the search", {
  set.seed(1)
  x <- matrix(rnorm(4000), 400)
  rewards <- matrix(rnorm(1200), 400)
  told <- list()
  by_counts(fit <- policy_tree(x, rewards, 3, progress = function(state) {
    told[[length(told) + 1]] <<- state
  }))
  expect_gt(length(told), 2)
  expect_error(by_counts(policy_tree(x, rewards, 3, progress = function(state) stop("enough"))),
               "enough")
  for (state in told) {
    expect_named(state, c("elapsed", "cost", "bound", "gap", "closed"))
    expect_gte(state$gap, 0)
  }
  regret <- 400 * (mean(apply(rewards, 1, max)) - fit$policy$value)
  for (state in told) {
    expect_gte(state$cost, regret - 1e-9)
    expect_lte(state$bound, regret + 1e-9)
  }
  expect_false(is.unsorted(-vapply(told, `[[`, 0, "cost")))
})

test_that("certificates prove the value again, and nothing that is untrue", {
  for (k in 1:4) {
    for (depth in 0:3) {
      p <- problem(50, k, seed = 10 * k + depth)
      if (depth == 3) p$x$f <- NULL
      fit <- policy_tree(p$x, p$rewards, depth, min.node.size = 1 + 3 * (k %% 2),
                         certificate = TRUE, complexity = if (depth == 2) 0.25 else 0)
      check <- contree_certify(fit)
      expect_true(check$valid)
      expect_true(check$optimal)
      expect_true(check$smallest)
      own <- fit$policy$value - fit$policy$complexity * sum(fit$frame$var != "<leaf>")
      expect_equal(check$bound, own, tolerance = 1e-13)
    }
  }
  expect_output(print(check), "Certified: the tree has a mean reward")
  better <- fit
  better$policy$value <- better$policy$value + 1
  expect_match(contree_certify(better)$reason, "mean reward")
  other <- p$rewards
  other[1] <- other[1] + 1
  expect_match(contree_certify(fit, list(X = p$x, Gamma = other))$reason, "rewards")
  bounded <- fit
  bounded$policy$bound <- bounded$policy$bound - 0.5
  expect_false(contree_certify(bounded)$valid)
  smaller <- policy_tree(p$x, p$rewards, 2, min.node.size = fit$control$minbucket)
  smaller$certificate <- fit$certificate
  expect_match(contree_certify(smaller)$reason, "other settings")
})

test_that("a stopped search has a certificate of its bound", {
  p <- problem(200)
  fit <- suppressWarnings(policy_tree(p$x, p$rewards, 3, time_limit = 0, certificate = TRUE))
  if (!is.null(fit$certificate)) {
    check <- contree_certify(fit)
    expect_true(check$valid)
    expect_false(check$optimal)
  }
  unpaired <- fit
  unpaired$policy[c("status", "gap")] <- list("optimal", 0)
  unpaired$policy$bound <- unpaired$policy$value
  unpaired$certificate <- policy_tree(p$x, p$rewards, 1, certificate = TRUE)$certificate
  expect_false(contree_certify(unpaired)$valid)
})

test_that("paths have the best trees of all complexities and sizes", {
  for (k in 2:3) {
    p <- problem(80, k)
    path <- contree_path(p$x, rewards = p$rewards, depth = 2)
    table <- as.data.frame(path)
    expect_true(all(table$status == "optimal"))
    for (complexity in c(0, 0.05, 0.2, 0.5, 1, 3)) {
      fit <- policy_tree(p$x, p$rewards, 2, complexity = complexity)
      own <- max(table$value - complexity * table$nsplit)
      expect_equal(own, fit$policy$value - complexity * sum(fit$frame$var != "<leaf>"))
    }
    same <- eval(path[[2]]$call)
    expect_identical(same$policy$value, path[[2]]$policy$value)
    leaves <- contree_path(p$x, costs = -p$rewards, depth = 2, by = "leaves")
    for (i in seq_along(leaves)) {
      fit <- policy_tree(p$x, p$rewards, 2, max_leaves = as.data.frame(leaves)$leaves[i])
      expect_identical(fit$policy$value, leaves[[i]]$policy$value)
    }
    depths <- contree_path(p$x, rewards = p$rewards, depth = 2, by = "depth", complexity = 0.05)
    for (depth in 0:2) {
      fit <- policy_tree(p$x, p$rewards, depth, complexity = 0.05)
      expect_identical(depths[[as.character(depth)]]$frame, fit$frame)
      expect_identical(eval(depths[[depth + 1]]$call)$frame, fit$frame)
    }
    expect_identical(as.data.frame(depths)$depth, c(0, 1, 2))
  }
  expect_output(print(path), "Optimal policy trees of depth <= 2 by complexity")
  expect_output(print(depths), "Optimal policy trees of depth <= 2 by depth")
  expect_contree_error(contree_path(Species ~ ., iris, by = "depth"), "unsupported",
                       "is for policy trees")
  expect_identical(plot(path), table)
})

test_that("alternatives are the best trees of other roots", {
  p <- problem(80)
  fit <- policy_tree(p$x, p$rewards)
  others <- contree_alternatives(fit, within = 100)
  table <- as.data.frame(others)
  root <- fit$frame$var[1]
  expect_setequal(table$predictor, setdiff(names(p$x), root))
  for (i in seq_along(others)) {
    tree <- others[[i]]
    expect_identical(tree$frame$var[1], table$predictor[i])
    expect_equal(fit$policy$value - tree$policy$value, table$within[i])
    sides <- predict(tree, p$x, type = "node.id") %in% c(4, 5)
    expect_true(any(sides))
  }
  expect_false(is.unsorted(table$within))
  expect_length(contree_alternatives(fit, within = table$within[1] / 2), 0)
  expect_contree_error(contree_alternatives(fit, data = list(X = p$x, Gamma = -p$rewards)), "input",
                       "rewards have other values")
})

test_that("what is written of a policy tree names its actions", {
  p <- problem(80)
  fit <- policy_tree(p$x, p$rewards)
  rules <- as.data.frame(contree_rules(fit))
  expect_identical(as.character(rules$action), fit$policy$actions[fit$policy$action[fit$frame$var ==
                                                                                     "<leaf>"]])
  figures <- summary(fit)
  expect_identical(sum(figures$actions$rows), 80)
  expect_output(print(figures), "Rows given each action")
  file <- tempfile()
  write_pmml(fit, file)
  text <- readLines(file)
  for (action in unique(rules$action)) {
    expect_match(text, sprintf("score=\"%s\"", action), all = FALSE, fixed = TRUE)
  }
  if (nzchar(Sys.which("make")) && nzchar(Sys.which("cc"))) {
    said <- run_c(fit, p$x, 1, "%s_action(x)")
    expect_identical(said[, 1] + 1, unname(predict(fit, p$x)) + 0)
  }
  con <- sqlite()
  x <- transform(p$x, f = as.character(f))
  DBI::dbWriteTable(con, "x", x)
  said <- DBI::dbGetQuery(con, paste("SELECT", as_sql(fit, con = con), "AS action FROM x"))$action
  expect_identical(said, as.character(predict(fit, p$x, type = "action")))
})

test_that("bars of mean rewards", {
  p <- problem(80)
  fit <- policy_tree(p$x, p$rewards)
  drawn <- plot(fit, what = "rewards")
  leaf <- fit$frame$var == "<leaf>"
  expect_identical(drawn$reward, fit$policy$reward[leaf])
  expect_identical(drawn$action, fit$policy$actions[fit$policy$action[leaf]])
  expect_contree_error(plot(contree(Species ~ ., iris, depth = 1), what = "rewards"), "unsupported")
  skip_if_not_installed("ggplot2", "3.4.0")
  picture <- ggplot2::autoplot(fit, what = "rewards", col = c("red", "blue", "green"))
  layers <- ggplot2::ggplot_build(picture)$data
  bars <- layers[[1]][order(layers[[1]]$x), ]
  expect_equal(bars$y, c(t(fit$frame$yval2[leaf, ])))
  own <- fit$policy$action[leaf] + 3 * (seq_len(sum(leaf)) - 1)
  expect_identical(bars$fill[own], c("red", "blue", "green")[fit$policy$action[leaf]])
  expect_identical(bars$alpha == 1, seq_along(bars$y) %in% own)
  error <- layers[[2]]
  expect_equal(sort(error$ymax[!is.na(error$ymax)]),
               sort((fit$policy$reward + fit$policy$std.error)[leaf]))
  expect_contree_error(ggplot2::autoplot(contree(Species ~ ., iris, depth = 1), what = "rewards"),
                       "unsupported")
})

test_that("a policy tree comes back from JSON", {
  skip_if_not_installed("jsonlite")
  for (k in 2:4) {
    p <- problem(60, k)
    stopped <- function() suppressWarnings(policy_tree(p$x, p$rewards, 3, time_limit = 0))
    fits <- list(policy_tree(p$x, p$rewards, 0), policy_tree(p$x, p$rewards, 3, max_leaves = 5),
                 policy_tree(p$x, p$rewards, complexity = 0.2), stopped())
    for (fit in fits) {
      text <- as_json(fit)
      again <- contree_from_json(text)
      expect_s3_class(again, "contree_policy")
      expect_identical(as_json(again), text)
      expect_identical(capture.output(print(again)), capture.output(print(fit)))
      for (type in c("action.id", "action", "node.id", "rewards", "path")) {
        expect_identical(predict(again, p$x, type = type), predict(fit, p$x, type = type))
      }
      expect_identical(policy_value(again, p$x[9:1, ], p$rewards[9:1, ]),
                       policy_value(fit, p$x[9:1, ], p$rewards[9:1, ]))
      expect_identical(as_sql(again), as_sql(fit))
      kept <- setdiff(names(fit$policy), c("search", "simd", "threads", "elapsed", "hash"))
      expect_identical(again$policy[kept], fit$policy[kept])
      expect_output(print(again, time = TRUE), "mean reward")
    }
    expect_contree_error(predict(again), "input", "newdata")
    refused <- function(from, to, words) {
      expect_match(text, from, fixed = TRUE)
      expect_error(contree_from_json(sub(from, to, text, fixed = TRUE)), words,
                   class = "contree_input_error")
    }
    refused("\"action\":\"", "\"action\":\"no ", "action")
    refused("\"gap\":", "\"gap\":-1,\"was\":", "was")
    refused("\"std_error\":", "\"error\":", "error")
    refused("\"policy\": {", "\"other\": {", "other")
  }
})
