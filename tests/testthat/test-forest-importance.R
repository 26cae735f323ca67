shuffled_rows <- function(seed, n) .Call(contree:::ffi_hist_shuffle, list(seed = seed, n_rows = n))

test_that("corrected importance is that of predictors less that of their shuffled twins", {
  expect_identical(sort(shuffled_rows(5, 1000)), 1:1000)
  expect_false(identical(shuffled_rows(6, 1000), shuffled_rows(5, 1000)))
  cases <- list(list(iris[-5], iris$Species), list(as.matrix(mtcars[-1]), mtcars$mpg),
                list(airquality[c(1, 2, 4:6)], airquality$Wind), # with missing values
                list(survival::lung[-(1:3)], survival::Surv(survival::lung$time,
                                                            survival::lung$status)))
  for (case in cases) {
    x <- case[[1]]
    p <- ncol(x)
    rows <- shuffled_rows(3, nrow(x))
    if (inherits(case[[2]], "Surv")) { # whose rows are shuffled in order of time
      order <- order(case[[2]][, 1], -case[[2]][, 2])
      rows[order] <- order[rows]
    }
    twins <- x[rows, ]
    colnames(twins) <- paste0("twin", seq_len(p))
    grow <- function(x, ...) hist_forest(x, case[[2]], trees = 20, seed = 3, mtry = 2, ...)
    fit <- grow(x, importance = "impurity_corrected")
    plain <- grow(x)
    both <- grow(cbind(x, twins))$importance$impurity
    expect_identical(fit$importance$corrected, both[seq_len(p)] - both[p + seq_len(p)])
    expect_identical(fit[c("forest", "oob")], plain[c("forest", "oob")])
    expect_identical(fit$importance[1:2], plain$importance)
    parts <- lapply(c(1, 13), function(first) {
      hist_forest(x, case[[2]], trees = c(12, 8)[(first > 1) + 1], seed = 3, mtry = 2,
                  importance = "corrected", first = first)
    })
    expect_identical(do.call(c, parts)$importance, fit$importance)
  }
})

test_that("predictors that say nothing have a corrected importance of about 0, whatever values", {
  set.seed(2)
  values <- c(2, 4, 10, 20, 200)
  sums <- matrix(0, 2, 5)
  for (i in 1:15) {
    x <- as.data.frame(lapply(values, function(k) sample(k, 200, TRUE)), col.names = letters[1:5])
    fit <- hist_forest(x, factor(sample(2, 200, TRUE)), trees = 50, importance = "corrected")
    sums <- sums + rbind(fit$importance$impurity, fit$importance$corrected)
  }
  expect_gt(sums[1, 5], 3 * sums[1, 1])
  expect_lt(max(abs(sums[2, ])), 0.2 * sums[1, 5])
})

test_that("what corrected importance cannot be is said", {
  wide <- as.data.frame(matrix(0, 4, 32768))
  expect_error(hist_forest(wide, factor(c(1, 1, 2, 2)), importance = "corrected", trees = 1),
               "32767", class = "contree_input_error")
  expect_error(hist_forest(Species ~ ., iris, importance = "corrected", learner = function(a, b) 1),
               "learner", class = "contree_unsupported_error")
  expect_warning(fit <- by_counts(hist_forest(iris[1:4], iris$Species, trees = 1e5,
                                              time_limit = 0.05, threads = 1,
                                              importance = "corrected")),
                 class = "contree_timeout")
  expect_true(all(is.na(fit$importance$corrected)))
})

test_that("local importance sums up to that by permutation, and is that of the rows", {
  for (heavy in c(FALSE, TRUE)) {
    y <- if (heavy) exp(mtcars$mpg / 3) else mtcars$mpg
    fit <- hist_forest(mtcars[-1], y, trees = 40, seed = 2, importance = "permutation",
                       local.importance = TRUE)
    expect_equal(dim(fit$local_importance), dim(mtcars[-1]))
    sums <- colSums(fit$local_importance * fit$oob$trees) / sum(fit$oob$trees)
    expect_equal(unname(sums), fit$importance$permutation, tolerance = 1e-6)
  }
  grow <- function(...) {
    hist_forest(Species ~ ., iris, seed = 1, importance = "permutation", local_importance = TRUE,
                ...)
  }
  fit <- grow(trees = 30, threads = 2)
  expect_identical(grow(trees = 30, threads = 1)$local_importance, fit$local_importance)
  parts <- c(grow(trees = 20), grow(trees = 10, first = 21))
  expect_identical(parts$local_importance, fit$local_importance)
  # a wrong row that becomes right counts -1, and a right one that becomes wrong 1
  expect_true(all(abs(fit$local_importance) <= 1, na.rm = TRUE))
  whole <- fit$local_importance * fit$oob$trees
  expect_equal(whole, round(whole))
  expect_contree_error(hist_forest(Species ~ ., iris, local_importance = TRUE), "input",
                       "permuted predictors")
  far <- replace(mtcars$mpg, 3, 1e12)
  expect_error(hist_forest(mtcars[-1], far, importance = "permutation", local_importance = TRUE),
               "local importance", class = "contree_input_error")
})

test_that("p-values are those of ranger's definitions", {
  set.seed(4)
  noisy <- data.frame(iris[3:5], matrix(rnorm(150 * 250), 150))
  fit <- hist_forest(Species ~ ., noisy, trees = 50, seed = 1, importance = "corrected")
  p <- forest_p_values(fit)
  v <- p$importance
  chance <- c(v[v < 0], -v[v < 0], v[v == 0])
  expect_equal(p$p_value, vapply(v, function(one) sum(chance >= one) / length(chance), 0))
  expect_equal(p$p_value[1:2], c(0, 0))
  expect_warning(forest_p_values(hist_forest(Species ~ ., noisy[c(1:30, 3)], trees = 20, seed = 1,
                                             importance = "corrected")),
                 "inaccurate", class = "contree_few_negative")
  fit <- hist_forest(Species ~ ., noisy[1:6], trees = 30, importance = "permutation", seed = 1)
  p <- forest_p_values(fit, "altmann", permutations = 9)
  expect_equal(p$p_value[1:2], c(0.1, 0.1))
  expect_true(all(round(10 * p$p_value) %in% 1:10))
  expect_contree_error(forest_p_values(hist_forest(Species ~ ., iris, trees = 2)), "input",
                       "corrected")
  weighted <- hist_forest(Species ~ ., iris, trees = 2, weights = Sepal.Length)
  expect_contree_error(forest_p_values(weighted, "altmann"), "unsupported")
})

test_that("the twin of a predictor that is always tried is always tried, too", {
  set.seed(9)
  x <- as.data.frame(matrix(rnorm(100 * 5), 100))
  corrected <- vapply(1:30, function(seed) {
    fit <- hist_forest(x, rnorm(100), trees = 10, importance = "corrected", always = "V1", mtry = 1,
                       seed = seed)
    fit$importance$corrected[1] / fit$importance$impurity[1]
  }, 0)
  expect_lt(abs(mean(corrected)), 4 * sd(corrected) / sqrt(30))
  expect_lt(abs(mean(corrected)), 0.3)
})
