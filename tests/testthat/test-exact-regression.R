# Regression trees of contree(), against brute force and against rpart.

# Squared errors about the weighted mean, exact but for the last bits of the result.
squares <- function(y, w = rep(1, length(y))) {
  if (sum(w) == 0) return(0)
  y <- y - min(y)
  y <- y - sum(w * y) / sum(w)
  sum(w * y^2) - sum(w * y)^2 / sum(w)
}

# The least of squared errors + penalty a split, and among these the fewest leaves, by trying
# everything: c(cost, leaves). `splits(name, rows)` are logical vectors over all rows.
brute_force_squares <- function(data, depth, penalty = 0, minbucket = 1,
                                w = rep(1, nrow(data)), rows = rep(TRUE, nrow(data)),
                                splits = function(name, rows) all_splits(data[[name]], rows)) {
  best <- c(squares(data$y[rows], w[rows]), 1)
  if (depth == 0 || best[1] <= penalty) return(best)
  for (name in setdiff(names(data), "y")) {
    for (left in unique(lapply(splits(name, rows), `&`, rows))) {
      right <- rows & !left
      if (sum(left) < minbucket || sum(right) < minbucket) next
      below <- function(rows) {
        brute_force_squares(data, depth - 1, penalty, minbucket, w, rows, splits)
      }
      found <- below(left) + c(penalty, 0)
      if (found[1] < best[1] + 1e-6) found <- found + below(right)
      less <- found[1] < best[1] - 1e-6
      if (less || (found[1] < best[1] + 1e-6 && found[2] < best[2])) best <- found
    }
  }
  best
}

number_table <- function(n, columns, values = 5) {
  data <- as.data.frame(matrix(sample(values, n * columns, TRUE) - 1, n))
  data$y <- as.numeric(sample(c(0:3, 0:40), n, TRUE)) + sample(c(0, 1e6), 1)
  data
}

# What must hold of a fit on its training rows; the names of what does not.
unsound_numbers <- function(fit, data, w = rep(1, nrow(data))) {
  leaf <- walk(fit, data)
  value <- vapply(split(seq_along(leaf), leaf), function(rows) {
    sum(w[rows] * data$y[rows]) / sum(w[rows])
  }, 0)[as.character(leaf)]
  rules <- contree_rules(fit, digits = 17)
  chosen <- do.call(cbind, lapply(rules$rule, function(rule) {
    rep_len(eval(str2lang(rule), data), nrow(data)) %in% TRUE
  }))
  near <- function(a, b) isTRUE(all.equal(unname(a), unname(b), tolerance = 1e-9))
  light <- tapply(w, leaf, sum)[as.character(leaf)] == 0
  value[light] <- predict(fit)[light]
  errors <- sum(w * (data$y - value)^2)
  holds <- c(
    status = fit$status == "optimal", nodes = identical(unname(predict(fit, data, "node")), leaf),
    values = near(predict(fit, data), value), fitted = near(fitted(fit), value),
    residuals = near(residuals(fit), data$y - value),
    errors = abs(errors - fit$objective) <= 1e-9 * fit$frame$dev[1] + 1e-6,
    deviance = near(deviances(fit, data, leaf, w), fit$frame$dev[fit$frame$var == "<leaf>"]),
    bound = fit$bound <= fit$cost && fit$cost - fit$bound <= 1e-6 * (1 + fit$frame$dev[1]),
    rules = identical(rules$node[max.col(chosen)], leaf) && all(rowSums(chosen) == 1))
  names(holds)[!holds]
}

deviances <- function(fit, data, leaf, w) {
  ids <- as.integer(rownames(fit$frame))[fit$frame$var == "<leaf>"]
  vapply(ids, function(id) squares(data$y[leaf == id], w[leaf == id]), 0)
}

test_that("trees cost what brute force says, and none of their cost has fewer leaves", {
  set.seed(31)
  for (case in seeds(200, 25)) {
    depth <- sample(c(1, 2, 2, 2, 3), 1)
    data <- number_table(sample(2:c(30, 16, 9)[depth], 1), sample(1:3, 1), sample(2:6, 1))
    w <- if (case %% 3 == 0) as.numeric(sample(0:3, nrow(data), TRUE))
    if (!is.null(w)) w[1] <- 1
    minbucket <- sample(c(1, 1, 2, 3), 1)
    weights <- if (is.null(w)) rep(1, nrow(data)) else w
    complexity <- sample(c(0, 0, 0.04), 1)
    total <- squares(data$y, weights)
    fit <- contree(data[names(data) != "y"], data$y, weights = w, depth = depth,
                   minbucket = minbucket, complexity = complexity)
    best <- brute_force_squares(data, depth, complexity * total, minbucket, weights)
    near <- abs(fit$cost - best[1]) <= 1e-6 * (1 + total)
    wrong <- c(unsound_numbers(fit, data, weights),
               if (!near) paste("cost", fit$cost, "not", best[1]),
               if (near && fit$gap == 0 && sum(fit$frame$var == "<leaf>") > best[2]) "leaves")
    expect_identical(wrong, character(), info = paste("case", case))
  }
})

test_that("predictors of all kinds and missing values are split as brute force splits them", {
  set.seed(32)
  for (case in seeds(100, 15)) {
    depth <- sample(1:2, 1)
    data <- mixed_table(sample(4:c(30, 14)[depth], 1))
    data$y <- as.numeric(sample(c(0:2, 0:30), nrow(data), TRUE))
    fit <- contree(y ~ ., data, depth = depth, minbucket = sample(1:2, 1))
    best <- brute_force_squares(data, depth, 0, fit$control$minbucket)
    wrong <- c(unsound_numbers(fit, data),
               if (abs(fit$cost - best[1]) > 1e-6 * (1 + fit$frame$dev[1])) "cost")
    expect_identical(wrong, character(), info = paste("case", case))
  }
})

test_that("factors of many levels are split by one level or in order of the mean, which is said", {
  set.seed(33)
  data <- data.frame(f = factor(sample(letters[1:9], 80, TRUE)))
  data$y <- as.numeric(c(9, 1, 7, 3, 5, 8, 2, 6, 4)[data$f] + sample(0:12, 80, TRUE))
  w <- as.numeric(sample(c(1, 40), 80, TRUE)) # which change the order of the means
  expect_message(fit <- contree(y ~ f, data, weights = w, depth = 1), "the mean response",
                 class = "contree_message")
  expect_match(capture.output(print(fit))[3], "by one level or in order of the mean response")
  # the best cut of the order is the best of all ways to part the levels
  best <- brute_force_squares(data, 1, 0, 7, w)
  expect_equal(fit$objective, best[1])
  means <- tapply(w * data$y, data$f, sum) / tapply(w, data$f, sum)
  left <- node_levels(fit)[[1]]$left
  expect_true(max(means[left]) < min(means[setdiff(letters[1:9], left)]) ||
                min(means[left]) > max(means[setdiff(letters[1:9], left)]))
  # without weights all levels have the same mean
  data <- data.frame(f = factor(rep(letters[1:9], each = 4)), y = rep(c(0, 0, 10, 10), 9))
  w <- ifelse((data$y > 0) == data$f %in% c("a", "c", "e", "g", "i"), 40, 1)
  fit <- suppressMessages(contree(y ~ f, data, weights = w, depth = 1))
  expect_equal(fit$objective, brute_force_squares(data, 1, 0, 7, w)[1])
})

test_that("weights are as many rows", {
  set.seed(34)
  data <- number_table(40, 3)
  w <- sample(0:3, 40, TRUE)
  weighted <- contree(y ~ ., data, weights = w, depth = 2, minbucket = 1)
  repeated <- contree(y ~ ., data[rep(1:40, w), ], depth = 2, minbucket = 1)
  expect_equal(weighted$objective, repeated$objective)
  expect_equal(node_errors(weighted)[1], node_errors(repeated)[1])
  expect_equal(tree_weight(weighted), sum(w))
  twice <- contree(y ~ ., data, weights = 2 * w, depth = 2, minbucket = 1)
  expect_equal(twice$objective, 2 * weighted$objective)
  expect_identical(twice$splits[, "index"], weighted$splits[, "index"])
  # squares about the mean do not see a shift
  moved <- contree(y ~ ., transform(data, y = 3 - y), weights = w, depth = 2, minbucket = 1)
  expect_equal(moved$objective, weighted$objective)
})

test_that("the numbers are those of rpart", {
  skip_if_not_installed("rpart")
  theirs <- rpart::rpart(mpg ~ wt + hp, mtcars, maxdepth = 1, cp = 0)
  ours <- contree(mpg ~ wt + hp, mtcars, depth = 1)
  expect_identical(ours$control$minbucket, 7)
  expect_identical(ours$control$min_n, 14)
  # rpart has the lower number on the left
  columns <- c("n", "wt", "dev", "yval")
  expect_equal(ours$frame[c(1, 3, 2), columns], theirs$frame[columns], ignore_attr = TRUE)
  expect_equal(predict(ours, mtcars), predict(theirs, mtcars))
  expect_equal(unname(ours$variable.importance), unname(ours$splits[, "improve"]))
  expect_equal(unname(ours$splits[, "improve"]), theirs$splits[1, "improve"] * theirs$frame$dev[1],
               ignore_attr = TRUE)
  lines <- function(tree) utils::tail(capture.output(print(tree)), 7)
  fit <- contree(mpg ~ ., mtcars, depth = 2)
  expect_identical(lines(fit), lines(as.rpart(fit)))
  # no better than the optimum, whatever its settings
  grown <- rpart::rpart(mpg ~ ., mtcars, maxdepth = 2, cp = 0, minbucket = 7, minsplit = 14)
  expect_lte(fit$objective, sum((mtcars$mpg - predict(grown))^2))
  expect_equal(contree(mpg ~ ., mtcars, depth = 2, cp = 0.1)$frame,
               contree(mpg ~ ., mtcars, depth = 2, complexity = 0.1)$frame)
  expect_identical(contree(mpg ~ ., mtcars, depth = 2, start = grown)$frame, fit$frame)
})

test_that("one line says what is proven, and how good the tree is", {
  fit <- contree(mpg ~ wt, mtcars, depth = 1)
  r2 <- 1 - fit$objective / sum((mtcars$mpg - mean(mtcars$mpg))^2)
  line <- capture.output(print(fit))[3]
  expect_match(line, sprintf("SSE %s (R2 %s, RMSE %s); proven optimal",
                             format(fit$objective, digits = 7), format(round(r2, 4)),
                             format(signif(sqrt(fit$objective / 32), 4))), fixed = TRUE)
  expect_match(capture.output(print(summary(fit))), "Root mean squared error", all = FALSE)
  glance <- generics::glance(fit)
  expect_equal(glance$r.squared, r2)
  expect_equal(glance$rmse, sqrt(fit$objective / 32))
  # 200 numbers with all their digits: the grid takes something off
  set.seed(3)
  data <- data.frame(x = rnorm(200), y = rnorm(200))
  fit <- contree(y ~ x, data, depth = 1)
  expect_gt(fit$rounding, 0)
  steps <- 4 * 200 * diff(range(data$y))^2 / 2^60 + 1e-12 * fit$cost
  expect_lte(fit$gap, 4 * fit$rounding * (sqrt(fit$cost) + fit$rounding) + steps)
  expect_match(capture.output(print(fit))[3], "proven optimal to within [0-9.e-]+ of it")
  expect_identical(contree(round(y, 2) ~ x, data, depth = 1)[c("rounding", "gap")],
                   list(rounding = 0, gap = 0))
})

test_that("rounding leaves a gap as small as the help says", {
  friedman <- function(n) {
    set.seed(1)
    x <- as.data.frame(matrix(stats::runif(10 * n), n))
    x$y <- 10 * sin(pi * x$V1 * x$V2) + 20 * (x$V3 - 0.5)^2 + 10 * x$V4 + 5 * x$V5 +
      stats::rnorm(n)
    x
  }
  share <- function(data, ...) with(contree(y ~ ., data, depth = 2, ...), gap / frame$dev[1])
  for (n in c(1e3, 1e4)) {
    data <- friedman(n)
    expect_lte(share(data), 7e-13)
    expect_lte(share(data, weights = stats::runif(n)), 2e-12)
    weights <- 10^stats::runif(n, 0, 6)
    expect_lte(share(data, weights = weights), 2e-12)
    data$y[which.min(weights)] <- 1e7
    expect_lte(share(data, weights = weights), 5e-11)
  }
})

test_that("numbers, nodes and paths are predicted, and other types are errors that say so", {
  fit <- contree(mpg ~ wt + hp, mtcars, depth = 2)
  value <- predict(fit, mtcars)
  expect_identical(value, predict(fit, mtcars, type = "vector"))
  expect_identical(value, predict(fit, mtcars, type = "response"))
  expect_identical(value, fitted(fit))
  expect_identical(names(value), rownames(mtcars))
  node <- predict(fit, mtcars, type = "node")
  expect_equal(unname(value), unname(ave(mtcars$mpg, node)))
  for (type in c("class", "prob")) {
    expect_contree_error(predict(fit, mtcars, type = type), "input",
                         c("'type'", "\"response\"", type))
  }
  expect_equal(residuals(fit), setNames(mtcars$mpg, rownames(mtcars)) - value)
  expect_equal(sum(residuals(fit)^2), fit$objective)
  missing <- mtcars
  missing$mpg[3:4] <- NA
  fit <- contree(mpg ~ wt + hp, missing, depth = 2)
  expect_identical(nobs(fit), 30L)
  excluded <- contree(mpg ~ wt + hp, missing, depth = 2, na.action = na.exclude)
  expect_identical(unname(is.na(residuals(excluded))), 1:32 %in% 3:4)
})

test_that("what cannot be fitted is an error that says why", {
  expect_contree_error(contree(mpg ~ wt, mtcars, loss = 1 - diag(2)), "input",
                       c("'loss'", "numeric", "weights"))
  expect_contree_error(contree(mpg ~ wt, mtcars, class_weights = "balanced"), "input",
                       c("'class_weights'", "numeric"))
  infinite <- transform(mtcars, mpg = replace(mpg, 5, Inf))
  expect_contree_error(contree(mpg ~ wt, infinite), "input", c("'mpg'", "Inf", "row 5"))
  expect_contree_error(contree(mpg ~ wt, mtcars, device = "cuda"), "unsupported",
                       c("'device'", "regression", "\"cpu\""))
  expect_contree_error(contree(mpg ~ wt, mtcars, complexity = 1.5), "input", "sum of squares")
  expect_contree_error(contree(cbind(mpg, hp) ~ wt, mtcars), "input", "vector")
  dated <- transform(mtcars, mpg = as.Date("2024-01-01") + mpg)
  expect_contree_error(contree(mpg ~ wt, dated), "input", c("'mpg'", "as.numeric"))
  constant <- contree(rep(3, 32) ~ wt, mtcars)
  expect_identical(constant$frame$var, "<leaf>")
  expect_identical(unname(predict(constant, mtcars[1, ])), 3)
  expect_identical(c(constant$objective, constant$bound), c(0, 0))
  expect_identical(contree(mpg ~ wt, mtcars[1, ])$frame$yval, 21)
})

test_that("rows without weight decide nothing, whatever their response is", {
  set.seed(35)
  for (case in seeds(30, 6)) {
    n <- sample(5:25, 1)
    data <- data.frame(a = sample(6, n, TRUE), f = factor(sample(letters[1:8], n, TRUE)),
                       y = round(rnorm(n), 2))
    w <- as.numeric(sample(0:3, n, TRUE))
    w[1] <- 1
    wild <- transform(data, y = ifelse(w == 0, sample(c(1e8, -1e9, 1e30, 0.001), n, TRUE), y))
    same <- function(a, b) expect_identical(a, b, info = paste("case", case))
    fits <- lapply(list(data, wild), function(d) {
      suppressMessages(contree(y ~ a + f, d, weights = w, depth = 2, minbucket = 1,
                               subset_levels = 3, certificate = TRUE, model = TRUE))
    })
    kept <- c("frame", "objective", "bound", "gap", "rounding")
    same(fits[[1]][kept], fits[[2]][kept])
    same(contree_certify(fits[[1]])[c("bound", "rounding")],
         contree_certify(fits[[2]])[c("bound", "rounding")])
    expect_true(contree_certify(fits[[2]])$valid)
    paths <- lapply(list(data, wild), function(d) {
      as.data.frame(suppressMessages(contree_path(y ~ a + f, d, weights = w, depth = 1,
                                                  minbucket = 1)))
    })
    same(paths[[1]], paths[[2]])
  }
})

test_that("rows without weight decide nothing, even if their squares overflow", {
  data <- data.frame(a = 1:40, f = letters[1:4], y = round(sin(1:40), 1))
  w <- replace(rep(c(1, 2), 20), c(3, 8), 0)
  far <- list(c(0, 0), c(1e300, -1e9), c(-1.7e308, 1.7e308), c(1e160, 1e-310))
  results <- lapply(far, function(y) {
    data$y[c(3, 8)] <- y
    fit <- (function(v) contree(y ~ a + f, data, weights = v, depth = 2, certificate = TRUE))(w)
    one <- contree(data[c("a", "f")], data$y, weights = w, depth = 1)
    check <- contree_certify(fit, data)
    expect_true(check$valid)
    list(fit[c("frame", "objective", "bound", "gap", "rounding")], check$bound,
         as.data.frame(contree_path(y ~ a + f, data, weights = w, depth = 2)),
         as.data.frame(contree_alternatives(fit, within = 9, data = data)),
         as.data.frame(contree_alternatives(one, within = 9,
                                            data = list(x = data[c("a", "f")], y = data$y))),
         contree_cv(y ~ a, data, weights = w, depth = 1:2, folds = rep(1:4, 10))$table,
         prune(fit, complexity = 0.1)$objective, capture.output(print(summary(fit))))
  })
  for (result in results[-1]) expect_identical(result, results[[1]])
})

test_that("levels are in the order of their means, however far from zero these are", {
  set.seed(36)
  for (case in seeds(20, 5)) {
    n <- sample(20:200, 1)
    data <- data.frame(f = factor(sample(letters[1:8], n, TRUE)),
                       g = replace(sample(4, n, TRUE), sample(n, 3), NA),
                       y = as.numeric(sample(0:3, n, TRUE)))
    w <- if (case %% 2) as.numeric(sample(0:2, n, TRUE))
    fit_at <- function(formula, offset) {
      suppressMessages(contree(formula, transform(data, y = y + offset), weights = w, depth = 1,
                               minbucket = 1, subset_levels = 3))
    }
    fit <- fit_at(y ~ ., 0)
    for (offset in c(2^50, -2^51, 1e12)) {
      far <- fit_at(y ~ ., offset)
      expect_equal(far$objective, fit$objective, tolerance = 1e-12)
      expect_identical(far$rounding, 0)
    }
    # one level or the order of means: by hand
    weights <- if (is.null(w)) rep(1, n) else w
    alone <- fit_at(y ~ f, 2^50)
    means <- vapply(levels(data$f), function(l) {
      stats::weighted.mean(data$y[data$f == l], weights[data$f == l])
    }, 0)
    order <- names(sort(means))
    cost <- function(levels) {
      left <- data$f %in% levels
      squares(data$y[left], weights[left]) + squares(data$y[!left], weights[!left])
    }
    best <- min(vapply(seq_along(order), function(k) cost(order[seq_len(k)]), 0))
    expect_equal(alone$objective, best, tolerance = 1e-12, info = paste("case", case))
  }
})

# What the help says of rounding: by how much the sum of squares may exceed the least.
most_squares <- function(fit, y, w, least) {
  whole <- all(w == round(w))
  far <- pmax(y - min(y), max(y) - y)
  hidden <- function(scale) {
    off <- if (whole) 0 else abs(w - round(w * scale) / scale) + 2^-51 * w
    min(vapply(c(0, 2^-(0:99)), function(q) {
      q * squares(y, w) + sum((off * far^2)[off >= q * w])
    }, 0))
  }
  word <- 2^63 * (1 - 2^-13) / sum(w)
  r <- hidden(word)
  if (r > 2^-36 * squares(y, w)) {
    r <- hidden(max(word, min(2^71 * (1 - 2^-13) / sum(w), 2^62 / max(w))))
  }
  dear <- diff(range(y))^2
  all <- if (length(unique(w)) == 1 || (whole && fit$rounding == 0)) sum(w) * dear
         else length(y) * min(max(w) * dear, squares(y, w))
  s <- 4^fit$control$depth * all / 2^60
  (sqrt(least + r + s) + 2 * fit$rounding)^2 + r
}

test_that("numbers and weights of all digits lose no more than the help says", {
  set.seed(38)
  for (case in seeds(60, 12)) {
    depth <- sample(2, 1)
    n <- sample(5:14, 1)
    data <- data.frame(a = rnorm(n), b = sample(3, n, TRUE), y = rnorm(n) + 1e6 * (case %% 2))
    data$y[1] <- data$y[1] + sample(c(0, 1e3), 1)
    w <- switch(case %% 4 + 1, rep(1, n), sample(1e6, n), runif(n)^4,
                1e9 * runif(n, 1, 2) / sample(c(1, 1e9), n, TRUE))
    if (case %% 4 == 3) data$y[which.min(w)] <- 1e7
    fit <- contree(y ~ a + b, data, weights = w, depth = depth, minbucket = 1)
    best <- brute_force_squares(data, depth, 0, 1, w)[1]
    expect_lte(fit$objective, most_squares(fit, data$y, w, best) * (1 + 1e-9))
    expect_lte(fit$bound, best * (1 + 1e-9))
  }
})

test_that("what rounding of weights may hide is told, by fits, paths and certificates", {
  # heavy rows that cost 1e14 in any tree, and light ones that a poor tree costs 1.25 more
  data <- data.frame(a = c(0, 0, 0, 0, 1, 2), y = c(0, 1, 0, 1, 0, 1))
  weights <- c(1e14, 1e14, 1e14, 1e14, 2, 3)
  fit <- contree(y ~ a, data, weights = weights, depth = 2, minbucket = 1)
  expect_identical(c(fit$objective, fit$bound, fit$gap, tree_splits(fit)), c(1e14, 1e14, 0, 2))
  # the same with more digits than two words have
  weights[1:4] <- 1e21
  fit <- contree(y ~ a, data, weights = weights, depth = 2, minbucket = 1, certificate = TRUE,
                 model = TRUE)
  expect_lte(fit$objective - fit$gap, 1e21)
  expect_lte(fit$bound, 1e21)
  check <- contree_certify(fit)
  expect_true(check$valid && !check$optimal)
  expect_lte(check$bound, 1e21)
  # nothing of this is believed of a fit that says less
  forged <- replace(fit, c("bound", "gap"), list(fit$cost, 0))
  expect_false(contree_certify(forged)$valid)
  path <- contree_path(y ~ a, data, weights = weights, depth = 2, minbucket = 1)
  table <- as.data.frame(path)
  expect_lte(table$errors[nrow(table)] - table$gap[nrow(table)], 1e21)
  # multiples of a common unit are not rounded
  even <- contree(y ~ a, data, weights = c(1, 2, 3, 1, 2, 3) / 7, depth = 2, minbucket = 1)
  expect_identical(c(even$gap, even$rounding), c(0, 0))
})

test_that("eighths far from zero are not rounded, wherever the middle of their range is", {
  set.seed(39)
  for (case in seeds(60, 20)) {
    n <- sample(c(10, 40, 200), 1)
    data <- data.frame(a = rnorm(n), b = seq_len(n))
    eighths <- sample(0:sample(c(3, 9, 99, 999), 1), n, TRUE)
    far <- contree(data, 1e12 * sample(9, 1) + eighths / 8, depth = 2, minbucket = 1)
    near <- contree(data, eighths, depth = 2, minbucket = 1)
    expect_identical(c(far$rounding, far$gap), c(0, 0), info = paste("case", case))
    expect_equal(far$objective * 64, near$objective, tolerance = 1e-9)
  }
})

test_that("whole numbers that the grid holds have the least sum of squares there is", {
  set.seed(37)
  for (case in seeds(60, 12)) {
    depth <- sample(2:3, 1)
    n <- sample(4:9, 1)
    data <- data.frame(a = sample(n, n, TRUE), b = sample(3, n, TRUE))
    data$y <- 3e6 * sample(3, n, TRUE) + sample(0:2, n, TRUE)
    best <- brute_force_squares(data, depth)[1]
    for (by in c(1, 2, 10)) {
      fit <- contree(data[c("a", "b")], data$y / by, depth = depth, minbucket = 1)
      expect_identical(fit$rounding, 0)
      expect_equal(fit$objective * by^2, best, tolerance = 1e-9, info = paste("case", case))
    }
  }
  exact <- data.frame(a = 1:4, y = c(3000001, 3000002, 6000002, 9000003))
  fit <- contree(y ~ a, exact, depth = 2, minbucket = 1)
  expect_identical(c(fit$objective, fit$bound, fit$gap), c(0, 0, 0))
  expect_no_match(capture.output(print(fit)), "rounded")
})

test_that("a number that is 0 or 1 is fitted as one, and factor() is named once", {
  process$told_zero_one <- FALSE
  expect_message(fit <- contree(am ~ wt, mtcars, depth = 1), "factor()", fixed = TRUE,
                 class = "contree_message")
  expect_identical(tree_leaf(fit), "number")
  expect_no_message(contree(am ~ wt, mtcars, depth = 1))
  process$told_zero_one <- FALSE
  expect_no_message(contree(mpg ~ wt, mtcars, depth = 1))
  process$told_zero_one <- FALSE
  expect_no_message(hist_forest(am ~ wt, mtcars, family = "poisson", trees = 2, min_n = 5))
  expect_message(hist_forest(am ~ wt, mtcars, trees = 2, seed = 1), "factor()", fixed = TRUE,
                 class = "contree_message")
})

test_that("the path has the optimal tree for each complexity, and prune() finds it there", {
  set.seed(35)
  data <- number_table(14, 2)
  total <- squares(data$y)
  path <- contree_path(y ~ ., data, depth = 2, minbucket = 1)
  table <- as.data.frame(path)
  expect_true(all(table$status == "optimal"))
  for (complexity in c(0, 0.003, 0.03, 0.1, 0.3)) {
    best <- brute_force_squares(data, 2, complexity * total, 1)
    fit <- prune(path, complexity = complexity)
    expect_equal(fit$objective + complexity * total * tree_splits(fit), best[1])
    expect_equal(fit$cost, fit$objective + fit$control$complexity * total * tree_splits(fit))
  }
  fit <- prune(contree(y ~ ., data, depth = 2, minbucket = 1, complexity = 0.002),
               complexity = 0.02)
  expect_gt(tree_splits(fit), 0)
  expect_equal(fit$cost, fit$objective + 0.02 * total * tree_splits(fit))
  whole <- path[[length(path)]]
  cut <- prune(whole, cp = 0.2)
  expect_lte(tree_splits(cut), tree_splits(whole))
  expect_equal(cut$objective, sum(residuals(cut)^2))
})

test_that("cross-validation takes the mean of squares, and one standard error of it", {
  set.seed(36)
  data <- number_table(60, 2)
  fold <- rep(1:3, 20)
  cv <- contree_cv(y ~ ., data, depth = 0:2, folds = fold, minbucket = 5)
  for (depth in 0:2) {
    said <- numeric(60)
    for (k in 1:3) {
      fit <- contree(y ~ ., data[fold != k, ], depth = depth, minbucket = 5)
      said[fold == k] <- predict(fit, data[fold == k, ])
    }
    lost <- (data$y - said)^2
    row <- cv$table[depth + 1, ]
    expect_equal(row$error, mean(lost))
    expect_equal(row$se, sqrt(sum((lost - mean(lost))^2)) / 60)
  }
  expect_equal(cv$table$training[1], squares(data$y) / 60)
  least <- which.min(cv$table$error)
  within <- cv$table$error <= cv$table$error[least] + cv$table$se[least]
  expect_identical(which(cv$table$chosen), which(within)[1])
  expect_match(capture.output(print(cv)), "Mean squared error", all = FALSE)
  expect_null(cv$confusion)
})

test_that("alternatives begin with other predictors and are the best of these", {
  set.seed(37)
  data <- number_table(16, 3)
  fit <- contree(y ~ ., data, depth = 2, minbucket = 1)
  others <- contree_alternatives(fit, within = fit$frame$dev[1])
  for (name in names(others)) {
    roots <- function(of, rows) if (all(rows) && of != name) list() else
      thresholds(data[[of]], rows)
    best <- brute_force_squares(data, 2, 0, 1, splits = roots)
    expect_equal(others[[name]]$objective, best[1], info = name)
    expect_identical(others[[name]]$frame$var[1], name)
  }
  expect_setequal(c(names(others), fit$frame$var[1]), names(data)[1:3])
})

test_that("importance is the squares that splits save", {
  fit <- contree(mpg ~ ., mtcars, depth = 2)
  table <- contree_importance(fit)
  expect_identical(names(table), c("variable", "deviance"))
  expect_equal(sum(table$deviance), fit$frame$dev[1] - fit$objective)
  expect_equal(stats::setNames(table$deviance, table$variable), fit$variable.importance)
})

test_that("on other rows squares, and R squared that columns carry, are counted", {
  train <- seq(1, 32, by = 2)
  fit <- contree(mpg ~ wt + hp, mtcars[train, ], depth = 1)
  test <- mtcars[-train, ]
  found <- contree_accuracy(fit, test)
  off <- test$mpg - predict(fit, test)
  expect_equal(found$mse, mean(off^2))
  expect_equal(found$se, sd(off^2) / 4)
  expect_equal(found$mae, mean(abs(off)))
  expect_equal(found$r.squared, 1 - sum(off^2) / squares(test$mpg))
  expect_output(print(found), "Root mean squared error")
  set.seed(4)
  importance <- contree_importance(fit, test, repeats = 3)
  expect_identical(attr(importance, "measure"), "R squared")
  expect_equal(attr(importance, "accuracy"), found$r.squared)
  expect_identical(importance$drop[importance$variable != fit$frame$var[1]], 0)
  expect_gt(importance$drop[1], 0)
  expect_contree_error(contree_accuracy(fit, test, y = rep("a", 16)), "input", "numbers")
})

test_that("every export predicts the same numbers", {
  set.seed(38)
  data <- data.frame(x = round(rnorm(90), 2), f = factor(sample(letters[1:4], 90, TRUE)),
                     i = sample(1:9, 90, TRUE))
  data$x[1:9] <- NA
  data$y <- ifelse(is.na(data$x), 3, data$x) + (data$f == "b") * 2 + rnorm(90) / 3
  fit <- contree(y ~ ., data, depth = 3)
  value <- unname(predict(fit, data))
  skip_if_not_installed("jsonlite")
  again <- contree_from_json(as_json(fit))
  expect_identical(unname(predict(again, data)), value)
  expect_identical(as_json(again), as_json(fit))
  expect_identical(again$frame$dev, fit$frame$dev)
  expect_identical(unname(contree_predictor(fit)(data)), value)
  skip_if_not_installed("rpart")
  # rows without any value go elsewhere there
  tree <- suppressWarnings(as.rpart(fit), classes = "contree_conversion_warning")
  expect_identical(tree$method, "anova")
  expect_equal(unname(predict(tree, data)), value)
  skip_if_not_installed("partykit")
  party <- partykit::as.party(fit)
  expect_equal(unname(predict(party, data)), value)
  expect_equal(sum((party$fitted[["(response)"]] - value)^2), fit$objective)
  augmented <- generics::augment(fit, data = data)
  expect_equal(augmented$.pred, value)
  skip_if_not_installed("xml2")
  expect_match(as.character(read_pmml(fit)), "functionName=\"regression\"", fixed = TRUE)
  con <- sqlite()
  DBI::dbWriteTable(con, "t", transform(data, f = as.character(f)))
  said <- DBI::dbGetQuery(con, sprintf("SELECT %s AS v FROM t", as_sql(fit, con = con)))$v
  expect_equal(said, value)
})

test_that("conformal intervals hold new numbers as often as they say", {
  set.seed(39)
  rows <- function(n) {
    data <- data.frame(x = runif(n), z = runif(n))
    transform(data, y = 3 * (x > 0.4) + rnorm(n))
  }
  fit <- contree(y ~ ., rows(150), depth = 2, conformal = 5)
  new <- rows(1500)
  limits <- predict(fit, new, interval = "conformal", level = 0.8)
  expect_identical(colnames(limits), c("fit", "lwr", "upr"))
  expect_identical(limits[, "fit"], predict(fit, new))
  held <- mean(new$y >= limits[, "lwr"] & new$y <= limits[, "upr"])
  expect_gt(held, 0.73)
  expect_lt(held, 0.9)
  # by its definition, for one row
  found <- fit$conformal
  each <- vapply(found$fits, function(of_fold) {
    of_fold$frame$yval[route(of_fold, list(x = new$x[1], z = new$z[1]))]
  }, 0)[found$fold]
  beyond <- floor(0.2 * 151 + 1e-9)
  expect_equal(unname(limits[1, 2:3]),
               c(sort(each - found$error)[beyond], sort(each + found$error)[151 - beyond]))
  # rows without weight do not count, however far out
  weighted <- contree(y ~ ., transform(rows(60), y = replace(y, 1:3, 1e9)), depth = 1,
                      conformal = 4, weights = rep(0:1, c(3, 57)))
  expect_length(weighted$conformal$error, 57)
  expect_lt(max(weighted$conformal$error), 10)
  expect_output(print(weighted), paste("RMSE", signif(sqrt(mean(weighted$conformal$error^2)), 4)))
  missing <- transform(new[1:4, ], x = replace(x, 2, NA))
  expect_identical(predict(fit, missing, interval = "conformal", level = 0.8,
                           na.action = na.omit)[, "fit"],
                   predict(fit, missing, na.action = na.omit))
  plain <- contree(y ~ x, rows(30), depth = 1)
  expect_contree_error(predict(plain, new, interval = "conformal"), "input", "conformal = 10")
  expect_contree_error(predict(fit, new, type = "node", interval = "conformal"), "input",
                       "interval")
  expect_contree_error(contree(Species ~ ., iris, conformal = 5), "unsupported", "numeric")
  expect_contree_error(contree(y ~ x, rows(30), conformal = 1), "input", "at least 2")
})

test_that("responses are drawn leaf by leaf, and residuals over predictions", {
  fit <- contree(mpg ~ ., mtcars, depth = 2)
  for (what in c("boxes", "violins", "residuals")) {
    drawn <- plot(fit, what = what)
    expect_identical(drawn$y, mtcars$mpg)
    expect_equal(drawn$y - drawn$fitted, unname(residuals(fit)))
    expect_identical(levels(drawn$leaf), rownames(fit$frame)[fit$frame$var == "<leaf>"])
    skip_if_not_installed("ggplot2")
    expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(fit, what = what)), "ggplot_built")
  }
  expect_length(plot(fit)$x, nrow(fit$frame))
  expect_contree_error(plot(contree(Species ~ ., iris, depth = 1), what = "boxes"), "unsupported",
                       "regression")
})

test_that("squares and means of leaves have all digits beside large numbers and offsets", {
  for (far in c(1e7, 1e12, 1e17, -1e17)) {
    data <- data.frame(a = rep(0:1, each = 8), y = c(rep(c(0.1, 0.2), 4), rep(far, 8)))
    fit <- contree(y ~ a, data, depth = 1)
    expect_equal(fit$frame$yval[2], 0.15, tolerance = 1e-14)
    expect_equal(fit$frame$dev[2], 0.02, tolerance = 1e-14)
    expect_equal(fit$objective, 0.02, tolerance = 1e-14)
  }
  data <- data.frame(a = rep(0:1, each = 8), y = 2^50 + c(rep(0:1, 4), rep(5:6, 4)))
  fit <- contree(y ~ a, data, depth = 1)
  expect_identical(fit$frame$dev[2:3], c(2, 2))
})

test_that("decimals far from zero are those that doubles can tell apart", {
  # multiples of 1e7 but for half of their last bits, which is a twentieth of their differences
  y <- (2^50 + c(2, 2, 1, 1)) * 1e7
  x <- data.frame(a = c(0, 0, 3, 1))
  for (w in list(NULL, c(1e14, 2, 1e14, 3))) {
    fit <- contree(x, y, weights = w, depth = 1, minbucket = 1)
    expect_identical(c(fit$rounding, fit$objective, fit$gap), c(0, 0, 0))
    expect_identical(as.data.frame(contree_path(x, y, weights = w, depth = 1,
                                                minbucket = 1))$nsplit, c(0, 1))
  }
})

test_that("binary fractions far from zero are not rounded, wherever the middle of their range is", {
  set.seed(40)
  for (case in seeds(24, 8)) {
    n <- sample(10:40, 1)
    unit <- c(1, 2, 8, 64)[case %% 4 + 1]
    near <- sample(0:9, n, TRUE) / unit
    far <- near + c(1e12, -1e12, 2^46 + 0.5)[case %% 3 + 1]
    x <- data.frame(a = rnorm(n), f = factor(sample(letters[1:9], n, TRUE)))
    w <- if (case %% 2) sample(1e6, n)
    costs <- vapply(list(near, far), function(y) {
      fit <- suppressMessages(contree(x, y, weights = w, depth = 1, minbucket = 1))
      expect_identical(c(fit$rounding, fit$gap), c(0, 0), info = paste("case", case))
      fit$objective
    }, 0)
    expect_equal(costs[2], costs[1], tolerance = 1e-12)
  }
})

test_that("responses whose squares would vanish or overflow are refused", {
  x <- data.frame(a = rep(1:4, 5))
  y <- rep(c(1, 2, 4, 9), 5)
  for (scale in c(1e-101, 1e-150, 1e-200, 1e-300, 1e100, 1e200)) {
    expect_contree_error(contree(x, y * scale, depth = 2), "input", c("1e+100", "1e-100"))
    expect_contree_error(contree_path(x, y * scale, depth = 2), "input", "multiply it by a number")
    expect_contree_error(contree_cv(x, y * scale, depth = 1), "input", "multiply it by a number")
  }
  for (scale in c(1e-100, 1e-50, 1e50, 1e99)) {
    expect_identical(contree(x, y * scale, depth = 2, minbucket = 1)$objective, 0)
  }
  # rows without weight do not count
  w <- rep(c(1, 0), c(16, 4))
  far <- c(y[1:16] * 1e-150, 1, 1, 1, 1)
  expect_contree_error(contree(x, far, weights = w), "input", "1e-100")
})

test_that("the price of a split is a share of the root's squares, wherever heavy rows are", {
  x <- data.frame(a = c(1, 2, 1, 1, 1, 1, 1, 1), b = c(3, 2, 3, 2, 2, 3, 2, 1))
  y <- c(-2089.683, 3861630577.903, -998.262, 5897.399, -0.384, 95212.932, -12066.075, 172.531)
  w <- c(2, 0.3, 1e15, 3, 0.3, 0.3, 1e15, 0.3)
  fit <- contree(x, y, weights = w, depth = 2, minbucket = 1, complexity = 1e-12)
  mean <- sum(w * y) / sum(w)
  root <- sum(w * (y - mean)^2) - sum(w * (y - mean))^2 / sum(w)
  splits <- sum(fit$frame$var != "<leaf>")
  expect_gt(splits, 0)
  expect_equal((fit$cost - fit$objective) / splits, 1e-12 * root, tolerance = 1e-14)
})
