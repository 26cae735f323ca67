leaves_path_of <- function(p, ...) {
  contree_path(p$x, p$y, depth = p$depth, minbucket = p$minbucket, minsplit = p$minsplit,
               by = "leaves", ...)
}

test_that("the path by leaves has the least errors of each number of leaves", {
  for (seed in seeds(150, 40)) {
    p <- small_problem(7000 + seed)
    least <- cummin(least_errors(p$x, p$y, p$depth, p$minbucket, p$minsplit))
    better <- c(TRUE, diff(least) < 0)
    path <- leaves_path_of(p)
    table <- as.data.frame(path)
    expect_equal(table$leaves, which(better), info = seed)
    expect_equal(table$errors, least[better], info = seed)
    expect_true(all(table$status == "optimal") && all(table$gap == 0), info = seed)
    for (fit in path) expect_equal(sum(predict(fit, p$x) != p$y), fit$objective)
    leaves <- sample(length(least), 1)
    fit <- contree(p$x, p$y, depth = p$depth, minbucket = p$minbucket, minsplit = p$minsplit,
                   max_leaves = leaves)
    expect_equal(fit$objective, least[leaves], info = seed)
    expect_equal(sum(fit$frame$var == "<leaf>"), max(which(better[seq_len(leaves)])), info = seed)
  }
})

test_that("the path by leaves has all trees of the path by complexity", {
  for (fits in list(function(by) contree_path(Species ~ ., iris, depth = 3, by = by),
                    function(by) contree_path(mpg ~ wt + hp + qsec, mtcars, depth = 3, by = by))) {
    corner <- as.data.frame(fits("complexity"))
    all <- as.data.frame(fits("leaves"))
    at <- match(corner$nsplit, all$nsplit)
    expect_false(anyNA(at))
    expect_equal(all$errors[at], corner$errors)
    expect_true(all(diff(all$errors) < 0))
  }
})

test_that("with factors and missing values, few leaves have the least errors by definition", {
  for (seed in seeds(60, 10)) {
    set.seed(seed)
    data <- mixed_table(sample(6:20, 1), 3)
    predictors <- data[names(data) != "y"]
    least <- cummin(least_errors(predictors, data$y, 2))
    table <- as.data.frame(contree_path(y ~ ., data, depth = 2, by = "leaves"))
    for (k in 1:4) {
      fit <- contree(y ~ ., data, depth = 2, max_leaves = k)
      expect_equal(fit$objective, least[k], info = paste(seed, k))
      expect_equal(min(table$errors[table$leaves <= k]), least[k], info = paste(seed, k))
      expect_equal(sum(predict(fit, data) != data$y), least[k], info = paste(seed, k))
    }
  }
})

test_that("a path by leaves is printed, drawn and asked for trees", {
  path <- contree_path(mpg ~ ., mtcars, depth = 2, minbucket = 5, by = "leaves")
  expect_output(print(path), "by leaves.*leaves nsplit")
  expect_identical(plot(path), as.data.frame(path))
  expect_identical(prune(path, nsplit = 2), path[["2"]])
  expect_contree_error(prune(path, complexity = 0.1), "input", "by leaves")
  again <- eval(path[["2"]]$call)
  expect_identical(again$frame, path[["2"]]$frame)
})

test_that("a stopped path by leaves has bounds that hold", {
  set.seed(1)
  data <- data.frame(matrix(rnorm(8000), 1000), y = factor(sample(3, 1000, TRUE)))
  expect_warning(
    path <- by_counts(contree_path(y ~ ., data, depth = 3, by = "leaves", time_limit = 0.1,
                                   threads = 1), rows = 1e5),
    class = "contree_stopped")
  table <- as.data.frame(path)
  expect_true(any(table$gap > 0) && all(diff(table$errors) < 0))
  one <- contree(y ~ ., data, depth = 1)
  if (2 %in% table$leaves) expect_true(table$errors[table$leaves == 2] - table$gap[
    table$leaves == 2] <= one$objective)
})

test_that("a limit on leaves says so, and is refused where it cannot be", {
  fit <- contree(Species ~ ., iris, depth = 3, max_leaves = 5)
  expect_output(print(fit), "of depth <= 3 with at most 5 leaves")
  expect_output(print(contree(Species ~ ., iris, depth = 2, max_leaves = 4)),
                "of depth <= 2, ")
  expect_contree_error(contree(Species ~ ., iris, max_leaves = 3, certificate = TRUE), "input",
                       "'certificate' cannot be combined with 'max_leaves'")
  expect_contree_error(contree_path(Species ~ ., iris, by = "leaves", checkpoint = "x.rds"),
                       "input", "'checkpoint' cannot be combined with 'by")
  expect_contree_error(contree(Species ~ ., iris, max_leaves = 0), "input", "'max_leaves'")
  again <- contree_from_json(as_json(fit))
  expect_output(print(again), "with at most 5 leaves")
})
