# `signal` alone tells the classes apart; `useless` is noise that a tree of depth 1 does not touch.
telling <- local({
  set.seed(3)
  data <- data.frame(useless = runif(400), signal = runif(400), weak = runif(400))
  data$class <- factor(ifelse(data$signal > 0.5, "high", "low"))
  data
})

test_that("what is used costs much, what is not nothing", {
  fit <- contree(class ~ ., telling, depth = 1)
  set.seed(1)
  i <- contree_importance(fit, telling, repeats = 30)
  expect_s3_class(i, "contree_importance")
  expect_identical(i$variable, c("signal", "useless", "weak"))
  expect_identical(i$drop[2:3], c(0, 0))
  expect_identical(i$se[2:3], c(0, 0))
  # half of the rows of two classes of one size change theirs
  expect_equal(i$drop[1], 0.5, tolerance = 0.05)
  expect_true(i$se[1] > 0 && i$se[1] < 0.02)
  expect_identical(attr(i, "accuracy"), 1)
})

test_that("what is used for noise is near 0 on other rows", {
  set.seed(2)
  telling$class[sample(400, 80)] <- "low"
  fit <- contree(class ~ ., telling[1:200, ], depth = 3)
  noise <- setdiff(na.omit(as.data.frame(fit)$variable), "signal")
  expect_gt(length(noise), 0)
  i <- contree_importance(fit, telling[201:400, ], repeats = 50)
  drop <- setNames(i$drop, i$variable)
  expect_true(all(abs(drop[noise]) < 0.04))
  expect_gt(drop[["signal"]], 0.2)
  expect_false(is.unsorted(-i$drop))
})

test_that("mean and standard error are those of a loop written by hand", {
  columns <- c("Petal.Length", "Petal.Width") # in the order of the data
  expect_setequal(na.omit(as.data.frame(iris2)$variable), columns)
  set.seed(9)
  loss <- function(column) {
    shuffled <- iris
    shuffled[[column]] <- shuffled[[column]][sample.int(150)]
    mean(predict(iris2, iris) == iris$Species) - mean(predict(iris2, shuffled) == iris$Species)
  }
  drops <- sapply(columns, function(column) replicate(7, loss(column)))
  set.seed(9)
  i <- contree_importance(iris2, iris, repeats = 7)
  expect_equal(i$drop[match(columns, i$variable)], unname(colMeans(drops)))
  expect_equal(i$se[match(columns, i$variable)], unname(apply(drops, 2, sd)) / sqrt(7))
  xy <- contree(as.matrix(iris[1:4]), iris$Species, depth = 2)
  for (data in list(as.matrix(iris[1:4]), unname(as.matrix(iris[1:4])), iris)) {
    set.seed(9)
    expect_equal(contree_importance(xy, data, repeats = 7, y = iris$Species), i)
  }
})

test_that("a column counts in all its functions", {
  data <- telling
  fit <- contree(class ~ poly(signal, 2) + log(weak) + useless, data, depth = 2)
  expect_identical(contree:::used_inputs(contree(class ~ poly(signal, 2) + log(weak), data,
                                                 depth = 1)), "signal")
  set.seed(1)
  i <- contree_importance(fit, data, repeats = 5)
  expect_setequal(i$variable, c("signal", "weak", "useless"))
  expect_identical(i$variable[1], "signal")
  expect_gt(i$drop[1], 0.4)
})

test_that("a tree without splits needs nothing; one repeat has no standard error", {
  i <- contree_importance(contree(Species ~ ., iris, depth = 0), iris)
  expect_identical(i$drop, numeric(4))
  i <- contree_importance(iris2, iris, repeats = 1)
  expect_true(is.na(i$se[1]))
})

test_that("print and plot", {
  set.seed(1)
  i <- contree_importance(iris2, iris)
  expect_output(print(i), "accuracy 0.96.*variable +drop +se")
  expect_identical(plot(i, main = "Iris"), i)
  expect_silent(plot(contree_importance(iris2, iris, repeats = 1)))
})

test_that("bad input is named", {
  expect_contree_error(contree_importance(iris2, iris[1:4]), "input", "'Species'")
  expect_contree_error(contree_importance(iris2, iris, repeats = 0), "input", "'repeats'")
  expect_contree_error(contree_importance(1, iris), "input", "'fit'")
  expect_contree_error(contree_importance(iris2, iris, y = 1:3), "input", c("150", "3"))
})

# The same tree grown by rpart, or NULL where rpart grows another one. `at`: thresholds of a tree on
# numbers lie between the same values.
rpart_like <- function(fit, data, ...) {
  settings <- rpart::rpart.control(minsplit = 2, minbucket = 1, cp = 0, xval = 0, maxcompete = 0,
                                   maxsurrogate = 0, maxdepth = fit$control$depth)
  theirs <- rpart::rpart(y ~ ., data, method = "class", control = settings, ...)
  ids <- as.integer(rownames(theirs$frame))
  same <- setequal(ids, as.integer(rownames(fit$frame))) &&
    identical(as.character(theirs$frame$var), fit$frame$var) &&
      identical(unname(theirs$where), unname(fit$where))
  if (same) theirs
}

test_that("the importance of the splits is that of rpart", {
  skip_if_not_installed("rpart")
  compared <- c(plain = 0, weights = 0, loss = 0)
  for (seed in seeds(150, 40)) {
    set.seed(seed)
    n <- 40
    data <- data.frame(a = sample(30, n, TRUE), b = sample(5, n, TRUE), c = rnorm(n))
    data$y <- factor(c("u", "v", "w")[1 + (data$a > 10) + (data$c > 0.3 & data$a > 10)])
    kind <- names(compared)[1 + seed %% 3]
    weights <- if (kind == "weights") sample(c(0.5, 1, 3), n, TRUE) else rep(1, n)
    loss <- if (kind == "loss") {
      matrix(c(0, 1, 2, 4, 0, 1, 1, 1.5, 0), 3, byrow = TRUE)
    } else {
      1 - diag(3)
    }
    if (seed %% 2) data$y[sample(n, 2)] <- "u"
    fit <- contree(y ~ ., data, weights = weights, loss = loss, depth = 2)
    theirs <- rpart_like(fit, data, weights = weights, parms = list(loss = loss))
    if (is.null(theirs)) next
    compared[kind] <- compared[kind] + 1
    expect_equal(fit$variable.importance, theirs$variable.importance)
    expect_equal(fit$splits[, "improve"], theirs$splits[, "improve"])
    expect_equal(as.rpart(fit)$variable.importance, theirs$variable.importance)
    expect_identical(summary(fit)$variable.importance, fit$variable.importance)
  }
  expect_gt(min(compared), 2)
})

test_that("a root that only prepares its children has an importance, beside the errors saved", {
  data <- expand.grid(a = 1:10, b = 1:10)
  data$y <- factor(ifelse(data$a > 5, data$b > 3, FALSE))
  fit <- contree(y ~ ., data, depth = 2)
  found <- contree_importance(fit)
  expect_identical(names(found), c("variable", "gini", "errors"))
  expect_identical(sum(found$errors), fit$frame$dev[1] - fit$objective)
  # by hand: 35 of 100 rows are TRUE; a parts them 0 of 50 and 35 of 50, b those 0 of 15 and 35 of
  # 35
  expect_equal(fit$variable.importance,
               c(a = 100 * 2 * 0.35 * 0.65 - 50 * 2 * 0.7 * 0.3,
                 b = 50 * 2 * 0.7 * 0.3)[names(fit$variable.importance)])
  expect_equal(stats::setNames(found$gini, found$variable), fit$variable.importance)
  expect_output(print(found), "Gini")
  expect_output(print(summary(fit)), "Gini")
  expect_invisible(plot(found))
  leaf <- contree_importance(contree(y ~ ., data, depth = 0))
  expect_identical(dim(leaf), c(0L, 3L))
  expect_contree_error(plot(leaf), "input", "no split")
  # another tree than the fit, and one that was read
  pruned <- prune(fit, complexity = 0.3)
  expect_identical(unname(pruned$variable.importance), numeric())
  skip_if_not_installed("jsonlite")
  expect_equal(contree_importance(contree_from_json(as_json(fit))), found)
})

test_that("the title of the axis of importance is on the page, small or large", {
  fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1, importance = "permutation")
  labels <- widths_in_inches(names(iris)[1:4], 1)
  for (size in list(c(3, 3), c(5, 4), c(9, 7))) {
    calls <- drawn({
      plot(fit, what = "importance")
      margins <- graphics::par("mai")
    }, size)
    title <- Find(function(call) is.character(call[[3]]), calls[names(calls) == "C_title"])
    expect_match(title[[3]], "^permutation importance")
    middle <- (margins[2] + max(labels) + size[1] - margins[4]) / 2
    half <- widths_in_inches(title[[3]], title$cex.lab) / 2
    expect_lte(middle + half, size[1])
    expect_gte(middle - half, 0)
  }
  expect_identical(title$cex.lab, 1)
})

test_that("what a split saves has all digits beside large weights", {
  rows <- data.frame(x = c(1, 1, 2), y = factor(c("a", "b", "b")))
  for (small in c(0.1, 0.3)) {
    fit <- contree(y ~ x, rows, weights = c(1e15, 1e15 - 1, small), depth = 1)
    expect_equal(contree_importance(fit)$errors, small, tolerance = 1e-12)
  }
})

test_that("errors about the rows name the argument that they are", {
  fit <- contree(Species ~ ., iris, depth = 1)
  expect_contree_error(contree_importance(fit, iris[0, ]), "input", "'data' has no rows")
  expect_contree_error(contree_importance(fit, iris[1:4]), "input", c("'Species'", "in 'data'"))
  expect_contree_error(contree_importance(fit, iris, y = 1:3), "input", "'data' has 150 rows")
  expect_contree_error(contree_accuracy(fit, iris[0, ]), "input", "'newdata' has no rows")
})
