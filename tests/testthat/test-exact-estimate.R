extrapolated <- function(rows, seconds, n, depth, errors = 10, status = "optimal") {
  pilots <- data.frame(rows = rows, seconds = seconds, errors = errors, status = status)
  contree:::extrapolate(pilots, n, depth)
}

test_that("where all rows are searched, the time is that of the search", {
  before <- { set.seed(3); .Random.seed }
  estimate <- contree_estimate(Species ~ ., iris, depth = 2)
  expect_identical(.Random.seed, before)
  expect_true(estimate$measured)
  expect_equal(estimate$pilots$rows, 150)
  expect_identical(estimate$seconds, estimate$pilots$seconds)
  expect_output(print(estimate), "all rows were searched")
  parts <- contree_estimate(type ~ ., rbind(MASS::Pima.tr, MASS::Pima.te), depth = 2)
  expect_equal(parts$pilots$rows, c(300, 532))
  expect_identical(parts$pilots$errors[2],
                   contree(type ~ ., rbind(MASS::Pima.tr, MASS::Pima.te), depth = 2)$objective)
})

test_that("the last part that was searched whole is extrapolated by the usual power", {
  three <- extrapolated(c(300, 600), c(0.1, 0.4), 6000, 3)
  expect_equal(three$seconds, 0.4 * 10^1.1)
  expect_equal(three$range, c(low = 0.4 * 10^1.1 / 5, high = 0.4 * 10^1.1 * 5))
  four <- extrapolated(c(300, 600, 1200), c(0.1, 0.4, 0.5), 6000, 4,
                       status = c("optimal", "optimal", "time limit"))
  expect_equal(four$seconds, 0.4 * 10^1.7)
  # a longer time is known already
  known <- extrapolated(c(300, 600), c(0.1, 9), 601, 3, status = c("optimal", "time limit"))
  expect_equal(known$seconds, 9)
})

test_that("it says where it cannot tell", {
  expect_match(extrapolated(300, 2, 6000, 3, status = "time limit")$reason, "300 rows alone")
  expect_match(extrapolated(300, 2, 6000, 5)$reason, "depth 5")
  expect_match(extrapolated(300, 2, 6000, 4, errors = 0)$reason, "without an error")
  odd <- extrapolated(300, 2, 60000, 3)
  expect_match(odd$reason, "only 300 of 60,000 rows")
  expect_true(is.na(odd$seconds))
  expect_identical(odd$at_least, 2)
  hard <- by_counts(contree_estimate(y ~ ., hard_table(), depth = 5, seconds = 0.2))
  expect_true(is.na(hard$seconds))
  expect_output(print(hard), "cannot tell")
  expect_contree_error(contree_estimate(Species ~ ., iris, seconds = 0), "input", "seconds")
  expect_contree_error(contree_estimate(Species ~ ., iris, nonsense = 1), "input", "nonsense")
})

test_that("memory is that of the help page's examples, and weights and losses are searched", {
  x <- matrix(stats::runif(1e6), 1e5)
  problem <- list(frame = list(columns = x), codes = seq_len(1e5), n_classes = 10)
  expect_equal(contree:::search_memory(problem, list(depth = 3)) / 2^20, 35,
               tolerance = 0.1)
  weighted <- contree_estimate(iris[1:4], iris$Species, weights = rep(1:2, 75), depth = 1,
                               class_weights = "balanced")
  expect_equal(weighted$pilots$errors,
               contree(iris[1:4], iris$Species, weights = rep(1:2, 75), depth = 1,
                       class_weights = "balanced")$objective)
  expect_identical(iris |> contree_estimate(Species ~ ., depth = 1) |> class(),
                   "contree_estimate")
})
