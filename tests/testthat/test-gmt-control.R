test_that("settings are checked by name and range", {
  control <- gmt_control(max_leaves = 3, complexity = 2)
  expect_s3_class(control, "gmt_control")
  expect_equal(control$search$max_leaves, 3)
  for (bad in list(list(max_leaves = 0), list(depth = 17), list(bins = 1),
                   list(complexity = -1), list(effort = 1.5),
                   list(search = "x"), list(population = 1), list(alpha = -1),
                   list(crossover = 1.1), list(mutation = -0.1), list(pressure = 0.9),
                   list(elite = 0.5), list(sample = 10), list(open_max = 0), list(minbucket = "a"),
                   list(min_n = 0),
                   list(time_limit = NA))) {
    expect_contree_error(do.call(gmt_control, bad), "input", paste0("'", names(bad), "'"))
  }
  expect_contree_error(gmt(mpg ~ wt, mtcars, control = 3), "input", "gmt_control()")
})

test_that("settings limit the tree", {
  d <- armchair(600)
  expect_lte(nrow(coef(gmt(y ~ ., d, seed = 1, max_leaves = 3))), 3)
  expect_equal(max(node_depth(gmt(y ~ ., d, seed = 1, depth = 1))), 1)
  fit <- gmt(y ~ ., d, seed = 1, minbucket = 100)
  expect_gte(min(node_n(fit)), 100)
  expect_identical(gmt(y ~ ., d, seed = 1, min_n = 3)$fitted.values,
                   gmt(y ~ ., d, seed = 1)$fitted.values)
  expect_equal(nrow(coef(gmt(y ~ ., d, seed = 1, complexity = 1e6))), 1)
  expect_lte(nrow(coef(gmt(y ~ ., armchair(600, noise = 5), seed = 1, complexity = 8))),
             nrow(coef(gmt(y ~ ., armchair(600, noise = 5), seed = 1, complexity = 0.5))))
})

test_that("nodes that are split have min_n rows, however the tree is searched", {
  d <- armchair(400)
  for (search in names(gmt_modes)) for (min_n in c(150, 220)) {
    fit <- gmt(y ~ ., d, search = search, effort = 60, min_n = min_n, seed = 1)
    split <- !node_is_leaf(fit)
    expect_true(any(split))
    expect_gte(min(node_n(fit)[split]), min_n)
    expect_lt(min(node_n(fit)[!split]), min_n / 2)
  }
  fit <- gmt(y ~ ., d, certify = 2, bins = 10, min_n = 220, seed = 1)
  expect_identical(fit$gmt$optimum$status, "optimal")
  free <- gmt(y ~ ., d, certify = 2, bins = 10, seed = 1)
  expect_gte(min(node_n(fit)[!node_is_leaf(fit)]), 220)
  expect_lt(min(node_n(free)[!node_is_leaf(free)]), 220)
  expect_gt(deviance(fit), deviance(free))
  expect_identical(gmt(y ~ ., d, min_n = 401, seed = 1)$fitted.values,
                   gmt(y ~ ., d, max_leaves = 1, seed = 1)$fitted.values)
})

test_that("trees are searched in other ways", {
  d <- armchair(500)
  for (control in list(gmt_control(search = "memetic", effort = 20),
                       gmt_control(search = "paper", effort = 200),
                       gmt_control(search = "paper", effort = 100, fitness = "weighted",
                                   population = 20))) {
    fit <- gmt(y ~ ., d, control = control, seed = 1)
    expect_gt(nrow(coef(fit)), 1)
    expect_equal(predict(gmt(y ~ ., d, control = control, seed = 1), d), predict(fit, d))
    expect_leaves_of_kept(fit, d)
  }
  # a search that finds the five planes, and what is certified
  expect_equal(nrow(coef(gmt(y ~ ., d, search = "memetic", seed = 1))), 5)
  expect_false(fit$gmt$certified)
  # more of a fixed price a leaf makes smaller trees
  small <- gmt(y ~ ., d, search = "paper", effort = 100, fitness = "weighted", alpha = 0.5,
               seed = 1)
  expect_equal(nrow(coef(small)), 1)
})

test_that("evolution finds the five planes, by either criterion", {
  d <- armchair(2000)
  for (fitness in c("bic", "weighted")) {
    fit <- gmt(y ~ ., d, search = "paper", fitness = fitness, effort = 1500, seed = 1)
    expect_equal(nrow(coef(fit)), 5)
    expect_lt(sqrt(mean(residuals(fit)^2)), 0.1)
    expect_false(anyNA(coef(fit)))
  }
})

test_that("evolution leaves out regressors that are of no use, factors as a whole", {
  d <- armchair(400, columns = 4)
  d$f <- factor(rep(c("a", "b", "c", "d"), 100))
  d$y <- with(d, ifelse(x1 < 2, 3 * x2, 1 - x1) + x4 / 1e3)
  d$y[d$f == "b" & d$x1 >= 2] <- d$y[d$f == "b" & d$x1 >= 2] + 1
  fit <- gmt(y ~ x1 + x2 + x3 + f | x1 + x2 + x3, d, search = "paper", effort = 600, seed = 2)
  b <- coef(fit)
  expect_true(anyNA(b[, "x3"]))
  levels <- is.na(b[, c("fb", "fc", "fd")])
  expect_true(all(rowSums(levels) %in% c(0, 3)) && any(levels) && !all(levels))
  expect_leaves_of_kept(fit, d)
  expect_equal(fit$gmt$bic, 400 * log(sum(residuals(fit)^2) / 400) +
                 log(400) * (sum(!is.na(b)) + nrow(b) - 1))
  # shrunk models and those of backward selection do without them, too
  for (more in list(list(smoothing = 5), list(select = 2))) {
    other <- do.call(gmt, c(list(y ~ x1 + x2 + x3 + f | x1 + x2 + x3, d, search = "paper",
                                 effort = 600, seed = 2), more))
    expect_true(all(is.na(coef(other))[is.na(b)]))
  }
})

test_that("rates, elite and selection are settings of the evolution", {
  d <- armchair(300, noise = 1)
  run <- function(..., effort = 30) {
    gmt(y ~ ., d, search = "paper", effort = effort, population = 8, seed = 1, ...)
  }
  # without any change the first trees remain
  expect_equal(run(crossover = 0, mutation = 0)$gmt$touched, run(effort = 0)$gmt$touched)
  expect_false(identical(predict(run(pressure = 1), d), predict(run(pressure = 2), d)))
  for (elite in c(0, 8)) expect_lte(run(elite = elite)$gmt$bic, run(effort = 0)$gmt$bic)
  expect_contree_error(gmt_control(search = "paper", population = 4, elite = 5), "input",
                       c("'elite' is 5", "4 trees"))
})
