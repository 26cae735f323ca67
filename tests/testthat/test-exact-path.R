iris_path <- contree_path(Species ~ ., iris, depth = 3)

path_of <- function(p, ...) {
  contree_path(p$x, p$y, depth = p$depth, minbucket = p$minbucket, minsplit = p$minsplit, ...)
}

test_that("the path has each size that is best at some complexity, with its range", {
  for (seed in seeds(200, 40)) {
    p <- small_problem(seed)
    path <- path_of(p)
    table <- as.data.frame(path)
    sizes <- best_sizes(least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit))
    expect_equal(table$nsplit, sizes$nsplit, info = seed)
    expect_equal(table$errors, sizes$errors, info = seed)
    expect_equal(table$complexity * length(p$y), sizes$penalty, info = seed)
    expect_true(all(table$status == "optimal") && all(table$gap == 0), info = seed)
    for (fit in path) expect_equal(sum(predict(fit, p$x) != p$y), fit$objective)
  }
})

# Weights and losses of any numbers, in any proportion, or one of the two.
real_costs <- function(p, seed) {
  k <- nlevels(p$y)
  weights <- if (seed %% 4 > 0) stats::rexp(length(p$y)) * sample(0:1, length(p$y), TRUE,
                                                                  c(1, 9)) * 10^sample(-9:9, 1)
  if (!is.null(weights) && sum(weights) == 0) weights[1] <- 1
  loss <- if (seed %% 4 < 2) matrix(stats::runif(k^2), k) * 10^sample(-3:3, 1)
  if (!is.null(loss)) diag(loss) <- 0
  list(weights = weights, loss = if (k > 1) loss)
}

test_that("the path of weights and losses that are not whole is that of the definition", {
  for (seed in seeds(200, 40)) {
    p <- small_problem(4000 + seed)
    costs <- real_costs(p, seed)
    path <- path_of(p, weights = costs$weights, loss = costs$loss)
    table <- as.data.frame(path)
    weights <- if (is.null(costs$weights)) rep(1, length(p$y)) else costs$weights
    each <- error_costs(p$y, weights,
                        if (is.null(costs$loss)) 1 - diag(nlevels(p$y)) else costs$loss)
    sizes <- best_sizes(least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit, costs = each))
    expect_equal(table$nsplit, sizes$nsplit, info = seed)
    near <- if (is.null(costs$weights) || is.null(costs$loss)) 1e-11 else 1e-6 # losses of 24 bits
    expect_equal(table$errors / sizes$errors[1], sizes$errors / sizes$errors[1], tolerance = near,
                 info = seed)
    expect_equal(table$complexity * sum(weights), sizes$penalty, tolerance = 1e-6, info = seed)
    expect_true(all(table$status == "optimal"), info = seed)
    # what rounding may hide is told
    expect_true(all(table$errors - table$gap <= sizes$errors * (1 + 1e-14)), info = seed)
    expect_lte(max(table$gap), 2 * near * sizes$errors[1])
    for (fit in path) {
      label <- as.integer(predict(fit, p$x))
      expect_equal(sum(each[cbind(seq_along(label), label)]), fit$objective, tolerance = 1e-9,
                   info = seed)
    }
  }
})

# Penalties at which trees of small sizes cost the same, whatever their errors: ties where there are
# any.
path_grid <- function(path, n) {
  setdiff(c(1, 1 / 2, 1 / 3, 2 / 3, 2) / n, as.data.frame(path)$complexity)
}

test_that("at each complexity its tree costs what a search finds, with the fewest splits", {
  for (seed in seeds(60, 15)) {
    p <- small_problem(1000 + seed)
    n <- length(p$y)
    path <- path_of(p)
    errors <- least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit)
    for (complexity in c(0, path_grid(path, n), stats::runif(3))) {
      tree <- prune(path, complexity = complexity)
      best <- best_size(errors, if (complexity == 0) 1e-6 else complexity * n)
      expect_equal(contree:::tree_splits(tree), best[1], info = seed)
      cost <- tree$objective + complexity * n * best[1]
      fresh <- contree(p$x, p$y, depth = p$depth, minbucket = p$minbucket, minsplit = p$minsplit,
                       complexity = complexity)
      expect_equal(fresh$cost, cost, tolerance = 1e-7, info = seed)
    }
  }
})

test_that("the path of predictors of all kinds, with missing values, is that of the definition", {
  for (seed in seeds(60, 6)) {
    set.seed(seed)
    data <- mixed_table(sample(4:12, 1), sample(2:3, 1))
    path <- contree_path(y ~ ., data, depth = 2)
    sizes <- best_sizes(least_errors(data[names(data) != "y"], data$y, 2))
    expect_equal(as.data.frame(path)[c("nsplit", "errors")],
                 as.data.frame(sizes[c("nsplit", "errors")]), info = seed)
    expect_true(all(as.data.frame(path)$status == "optimal"))
    for (fit in path) expect_equal(sum(predict(fit, data) != data$y), fit$objective)
  }
})

test_that("a factor of many levels is told of once", {
  set.seed(4)
  data <- data.frame(f = factor(sample(letters, 300, TRUE)), x = runif(300),
                     y = factor(sample(1:2, 300, TRUE)))
  said <- 0
  withCallingHandlers(path <- contree_path(y ~ ., data, depth = 2), contree_message = function(m) {
    said <<- said + 1
    invokeRestart("muffleMessage")
  })
  expect_identical(said, 1)
  expect_gt(length(path), 2)
})

test_that("a path that ends at a complexity is the beginning of the whole one", {
  whole <- as.data.frame(iris_path)
  for (complexity in c(0.001, 0.005, 0.01, 0.1, 0.3, 1)) {
    part <- as.data.frame(contree_path(Species ~ ., iris, depth = 3, complexity = complexity))
    expect_identical(nrow(part), sum(whole$upper > complexity))
    same <- c("upper", "nsplit", "errors", "gap", "status")
    expect_equal(part[same], whole[seq_len(nrow(part)), same])
    expect_equal(part$complexity, pmax(whole$complexity[seq_len(nrow(part))], complexity))
  }
  # at a complexity where two trees cost the same, the larger is left out
  expect_equal(as.data.frame(contree_path(Species ~ ., iris, depth = 3, complexity = 0.02))$nsplit,
               0:2)
  cp <- contree_path(Species ~ ., iris, depth = 3, cp = 0.1)
  expect_equal(as.data.frame(cp)$complexity[3], 0.1 * 100 / 150)
})

test_that("real data: the path is that of separate searches, and each fit is a fit", {
  skip_on_cran()
  folder <- Sys.getenv("CONTREE_DATA")
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "raisin.csv.gz")),
              "CONTREE_DATA does not name the data sets")
  data <- utils::read.csv(file.path(folder, "raisin.csv.gz"))
  data$class <- factor(data$class)
  path <- contree_path(class ~ ., data, depth = 3)
  table <- as.data.frame(path)
  expect_true(all(table$status == "optimal"))
  middle <- (table$complexity + pmin(table$upper, 1)) / 2
  for (i in seq_len(nrow(table))) {
    expect_equal(contree(class ~ ., data, depth = 3, complexity = table$complexity[i])$cost,
                 path[[i]]$cost)
    inside <- contree(class ~ ., data, depth = 3, complexity = middle[i])
    expect_equal(c(inside$objective, contree:::tree_splits(inside)),
                 c(table$errors[i], table$nsplit[i]))
  }
})

test_that("fits on the path say at which complexity they are optimal", {
  table <- as.data.frame(iris_path)
  for (i in seq_along(iris_path)) {
    fit <- iris_path[[i]]
    expect_s3_class(fit, "contree")
    expect_identical(fit$status, "optimal")
    expect_identical(fit$control$complexity, table$complexity[i])
    expect_equal(fit$cost, table$errors[i] + table$complexity[i] * 150 * table$nsplit[i])
    expect_identical(fit$bound, fit$cost)
    expect_equal(update(fit)$cost, fit$cost)
    expect_identical(contree:::validate_model(fit), fit)
  }
  expect_identical(names(iris_path), as.character(table$nsplit))
  expect_identical(iris_path[["3"]], iris_path[[4]])
  expect_identical(iris_path[[2]]$call,
                   bquote(contree(formula = Species ~ ., data = iris, depth = 3,
                                                      complexity = .(table$complexity[2]))))
})

test_that("the path is the same with x and y, with more threads and with a tree to begin with", {
  xy <- contree_path(iris[1:4], iris$Species, depth = 3)
  expect_equal(as.data.frame(xy), as.data.frame(iris_path))
  for (path in list(contree_path(Species ~ ., iris, depth = 3, threads = 1), xy,
                    contree_path(Species ~ ., iris, depth = 3,
                                 start = contree(Species ~ ., iris, depth = 2)))) {
    expect_identical(lapply(path, function(fit) fit$frame),
                     lapply(iris_path, function(fit) fit$frame))
  }
  expect_equal(as.data.frame(contree_path(data = iris, formula = Species ~ ., depth = 3)),
               as.data.frame(iris_path))
  part <- contree_path(Species ~ ., iris, subset = Species != "setosa", depth = 2)
  expect_equal(as.data.frame(part)$errors[1], 50)
})

test_that("a single leaf is a path", {
  one <- contree_path(Species ~ ., iris[1:50, ], depth = 3)
  expect_equal(as.data.frame(one)[c("nsplit", "errors", "gap")],
               data.frame(nsplit = 0, errors = 0, gap = 0))
  expect_length(contree_path(Species ~ ., iris, depth = 0), 1)
})

# At every complexity the gap of the tree reaches down to the optimum.
expect_path_bounds <- function(path, errors, n) {
  table <- as.data.frame(path)
  for (complexity in c(0, 10^seq(-4, 0, by = 0.2), table$complexity)) {
    at <- which(table$complexity <= complexity)[1]
    cost <- table$errors[at] + complexity * n * table$nsplit[at]
    expect_gte(cost, best_size(errors, complexity * n)[2] - 1e-9)
    expect_lte(cost - table$gap[at], best_size(errors, complexity * n)[2] + 1e-9)
  }
}

test_that("a path that was stopped says what is proven", {
  data <- hard_table(250, 6)
  whole <- contree_path(y ~ ., data, depth = 3)
  # errors at sizes that are not on the path do not matter to its cost at any complexity
  errors <- rep(Inf, 8)
  errors[as.data.frame(whole)$nsplit + 1] <- as.data.frame(whole)$errors
  expect_path_bounds(whole, errors, 250)
  some <- FALSE
  for (limit in c(0, 0.1, 0.2, 0.5, 1, 2)) {
    warned <- NULL
    path <- withCallingHandlers(
      by_counts(contree_path(y ~ ., data, depth = 3, time_limit = limit, threads = 1), rows = 1e5),
      contree_timeout = function(w) {
        warned <<- w
        invokeRestart("muffleWarning")
      })
    table <- as.data.frame(path)
    expect_path_bounds(path, errors, 250)
    expect_identical(is.null(warned), all(table$gap == 0))
    expect_identical(table$status, ifelse(table$gap == 0, "optimal", "time limit"))
    for (fit in path) {
      expect_lte(fit$bound, best_size(errors, fit$control$complexity * 250)[2] + 1e-9)
    }
    if (is.null(warned)) next
    some <- TRUE
    expect_s3_class(warned, "contree_stopped")
    expect_identical(warned$gap, max(table$gap))
    expect_output(print(path), "gap.*time limit")
  }
  expect_true(some)
  near <- contree_path(y ~ ., data, depth = 3, max_gap = 3)
  expect_path_bounds(near, errors, 250)
  expect_lte(max(as.data.frame(near)$gap), 4)
  expect_true(all(as.data.frame(near)$status %in% c("optimal", "gap reached")))
})

test_that("a gap has what rounding may hide", {
  x <- data.frame(a = c(1, 1, 1))
  y <- factor(c("f", "u", "u"))
  path <- contree_path(x, y, weights = c(1e-5, 1e15, 1), depth = 1)
  expect_gte(as.data.frame(path)$gap, path[[1]]$objective)
  expect_identical(path[[1]]$gap, as.data.frame(path)$gap)
})

test_that("a gap is the largest over the range of the tree, at either end", {
  ends <- c(0, 0)
  set.seed(6)
  for (i in 1:60) {
    errors <- sort(sample(20:60, 4), decreasing = TRUE)
    found <- list(splits = c(0, 1, 2, 3), errors = rbind(errors, 0), n = 100, grain = 1, slack = 0,
                  whole = TRUE, hidden = 0,
                  fits = lapply(errors, function(e) list(objective = e)),
                  floor = 1e-3, status = "time limit",
                  least = rbind(pmax(0, errors - sample(0:6, 4, TRUE)), 0))
    found$least[1, 1] <- errors[1] # a tree without splits is known
    table <- contree:::table_of_path(found, list(complexity = 0))
    for (row in seq_len(nrow(table))) {
      penalties <- seq(table$complexity[row], min(table$upper[row], 1), length.out = 101) * 100
      gaps <- vapply(penalties, function(penalty) {
        table$errors[row] + penalty * table$nsplit[row] - min(found$least[1, ] + penalty * 0:3)
      }, 0)
      expect_equal(table$gap[row], max(gaps, 0), info = paste(i, row))
      ends <- ends + c(gaps[1] > gaps[101] + 1e-6, gaps[101] > gaps[1] + 1e-6)
    }
  }
  expect_gt(min(ends), 5)
})

test_that("Ctrl-C ends a path with what is known", {
  skip_on_cran()
  skip_on_os("windows")
  session <- interrupt_session(c(
    long_data,
    "path <- suppressWarnings(contree_path(y ~ ., data, depth = 4, progress = say_deep))",
    "say(class(path))",
    "say(all(as.data.frame(path)$status %in% c('optimal', 'interrupted')))"))
  expect_true(session$still_running)
  expect_identical(session$said[-(1:2)], c("contree_path", "TRUE", "end"))
})

test_that("print and plot", {
  expect_output(print(iris_path), "Optimal trees of depth <= 3 by complexity", fixed = TRUE)
  expect_output(print(iris_path), "Root node error: 100/150 = 0.66667", fixed = TRUE)
  expect_output(print(iris_path), "rel error errors  status")
  expect_output(print(iris_path), "2  0.2933300      1      0.50     50 optimal", fixed = TRUE)
  expect_identical(plot(iris_path, main = "Iris"), as.data.frame(iris_path))
})

test_that("what cannot be used is an error that says why", {
  expect_contree_error(contree_path(Species ~ ., iris, minbuket = 2), "input",
                       c("'minbuket'", "'minbucket'"))
  expect_contree_error(contree_path(iris[1:4]), "input", "'y' is missing")
  expect_contree_error(contree_path(Species ~ ., iris, complexity = 2), "input",
                       c("'complexity'", "2"))
})

test_that("weights and losses are on the path", {
  set.seed(8)
  weights <- sample(0:3, 150, TRUE)
  loss <- matrix(c(0, 1, 1, 2, 0, 1, 2, 3, 0), 3)
  path <- contree_path(iris[1:4], iris$Species, weights = weights, loss = loss, depth = 2)
  table <- as.data.frame(path)
  for (complexity in c(0, 0.01, 0.03, 0.1, 0.4)) {
    cost <- min(table$errors + complexity * sum(weights) * table$nsplit)
    fit <- contree(iris[1:4], iris$Species, weights = weights, loss = loss, depth = 2,
                   complexity = complexity)
    expect_equal(cost, fit$cost)
    expect_equal(prune(path[[length(path)]], complexity = complexity)$frame$wt[1], sum(weights))
  }
})

test_that("a response without variance has a path of one leaf", {
  for (y in list(0, rep(3, 20), rep(2, 5))) {
    for (by in c("complexity", "leaves")) {
      table <- as.data.frame(contree_path(data.frame(a = seq_along(y)), y, by = by))
      expect_identical(nrow(table), 1L)
      expect_identical(c(table$nsplit, table$errors, table$rel_error, table$gap), c(0, 0, 0, 0))
      expect_identical(table$status, "optimal")
    }
  }
})

test_that("a large weight hides no split of the path", {
  data <- data.frame(a = c(0, 0, 1, 1, 1, 1), b = c(0, 0, 0, 0, 1, 1))
  y <- factor(c("p", "p", "q", "q", "p", "p"))
  for (unit in c(1e-12, 0.1, 1, 100)) {
    weights <- c(1e14, 1e14, 1e14, 1e14, 2, 3) * unit
    table <- as.data.frame(contree_path(data, y, weights = weights, depth = 2))
    expect_equal(table$nsplit, 0:2)
    expect_equal(table$errors / unit, c(2e14, 5, 0))
    expect_true(all(table$gap == 0))
  }
})

test_that("errors above 2^53 are whole numbers on the path, and complexities have all digits", {
  data <- data.frame(a = c(0, 0, 1, 1, 1, 1), b = c(0, 0, 0, 0, 1, 1))
  y <- factor(c("p", "p", "q", "q", "p", "p"))
  path_of_weights <- function(...) {
    as.data.frame(contree_path(data, y, weights = c(...), depth = 2, minbucket = 1))
  }
  for (unit in 2^c(0, 40)) {
    # a leaf has 2^53 + 5 errors, a split 5, of 3 2^53 rows
    table <- path_of_weights(2^52 * unit, 2^52 * unit, 2^53 * unit, (2^53 - 5) * unit, 2 * unit,
                             3 * unit)
    expect_identical(table$nsplit, c(0, 1, 2))
    expect_identical(table$complexity, c(1 / 3, 5 / 2^53 / 3, 0))
    expect_identical(table$gap, c(0, 0, 0))
    # 2 m + 1 errors, m and none, of 5 m + 5 rows: the first split saves one row more
    m <- 2^52 * unit
    table <- path_of_weights(m + 2 * unit, m + 2 * unit, m, m + unit, m / 2, m / 2)
    expect_identical(table$nsplit, c(0, 1, 2))
    expect_identical(table$complexity, c(0.2, 0.2 - 2^-54, 0))
    expect_identical(table$errors, c(2 * m, m, 0)) # nearest to 2 m + 1
    expect_identical(table$gap, c(0, 0, 0))
    # and now one less: no complexity has the tree of one split
    table <- path_of_weights(m + 2 * unit, m + 2 * unit, m - unit, m, m / 2, m / 2)
    expect_identical(table$nsplit, c(0, 2))
    expect_identical(table$gap, c(0, 0))
  }
})

# At depth 1 there is more room for costs.
test_that("what splits save is told beside any weights", {
  x <- data.frame(a = c(0, 0, 1, 1))
  y <- factor(c("p", "q", "q", "p"))
  for (saved in c(1, 3, 7, 2^20 + 1)) {
    weights <- c(2^55, 2^54, 2^53, 2^53 - saved)
    table <- as.data.frame(contree_path(x, y, weights = weights, depth = 1, minbucket = 1))
    expect_identical(table$nsplit, c(0, 1))
    # 2^54 + 2^53 errors, and 2^54 + 2^53 - saved, of 2^56 - saved rows
    expect_identical(table$complexity[1], saved / (2^56 - saved))
  }
})

test_that("complexities are the doubles next to quotients of whole numbers", {
  x <- data.frame(a = c(0, 0, 1, 1, 1))
  y <- factor(c("p", "p", "q", "q", "q"))
  # 2^54 + k errors of 2.5 2^54 + k rows
  for (k in c(3, 5)) {
    table <- as.data.frame(contree_path(x, y, weights = c(2^54, 2^53, 2^53, 2^53, k), depth = 1,
                                        minbucket = 1))
    expect_identical(table$nsplit, c(0, 1))
    # 0.4 + 0.24 k 2^-54; the double 0.4 is 0.4 + 0.4 2^-54
    expect_identical(table$complexity[1], 0.4 + if (k == 3) 0 else 2^-54)
  }
})

test_that("a large number hides no split of the path", {
  data <- data.frame(b = c(rep(0, 30), 1), a = c(rep(0:1, 15), 0), y = c(rep(0:1, 15), 1e7))
  table <- as.data.frame(contree_path(y ~ ., data, depth = 2, minbucket = 1))
  expect_equal(table$nsplit, 0:2)
  expect_equal(table$errors[2:3], c(7.5, 0))
})

test_that("the gap of a tree that costs little says what steps may hide of it", {
  # the first row alone makes all of the root's cost, beside which the others are nothing
  x <- data.frame(a = c(3, 1, 2, 1, 2), b = c(1, 3, 3, 2, 2), c = c(2, 2, 1, 2, 3))
  y <- c(1e7, 1, 1, 0, 1)
  w <- c(1e16, 1e16 + 2, 1e16 + 2, 1, 1)
  table <- as.data.frame(contree_path(x, y, weights = w, depth = 2, minbucket = 1))
  last <- table[nrow(table), ]
  expect_lte(last$errors - last$gap, 0) # a tree of three splits has none
  fit <- contree(x, y, weights = w, depth = 2, minbucket = 1)
  expect_identical(last$gap, fit$gap)
  expect_identical(table$gap[1], 0)
})

test_that("the gap of a path holds whatever the root's squares leave of a step", {
  x <- data.frame(a = c(3, 4, 4, 2, 3), b = c(1, 2, 2, 4, 2), c = c(2, 4, 3, 3, 4))
  y <- 1e15 + c(5, 5, 3, 7, 5) # three splits make no error
  table <- as.data.frame(contree_path(x, y, weights = c(1e16 + 2, 1e16, 1, 1e16 + 2, 1), depth = 2,
                                      minbucket = 1))
  last <- table[nrow(table), ]
  expect_lte(last$errors - last$gap, 0)
})

test_that("splits that save little beside what is left are on the path, with their complexity", {
  # two rows that no split parts cost 5e15, of which doubles have no halves
  x <- data.frame(a = c(1, 1, 2, 3))
  for (saved in c(0.3, 3)) {
    y <- c(0, 1e8, 5e7, 5e7 + sqrt(2 * saved))
    table <- as.data.frame(contree_path(x, y, depth = 1, minbucket = 1))
    expect_identical(table$nsplit, c(0, 1))
    # the last row alone
    expect_equal(table$complexity[1] * 5e15, 1.5 * saved, tolerance = 0.05)
    expect_identical(table$upper[2], table$complexity[1])
  }
  # small sums beside a root of 1e14 have all digits
  y <- c(1e7, 0, 1, 1.5, 2.5)
  path <- contree_path(data.frame(a = 1:5), y, depth = 3, minbucket = 1)
  table <- as.data.frame(path)
  expect_equal(table$complexity[2:4] * path[[1]]$objective, c(2.25, 0.875, 0.125),
               tolerance = 1e-9)
})
