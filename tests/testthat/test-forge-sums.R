# Sums that no order of the trees changes.

models <- forge_models()

# The same forest with its trees in another order.
in_another_order <- function(forest, order) {
  e <- forest$ensemble
  at <- split(seq_along(e$feature), tree_of_node(e))[order]
  nodes <- unlist(at, use.names = FALSE)
  place <- match(seq_along(nodes), nodes)
  for (name in c("feature", "threshold", "default_left", "missing", "set", "leaf_id", "cover",
                 "gain")) {
    if (length(e[[name]])) e[[name]] <- e[[name]][nodes]
  }
  for (name in c("left", "right")) e[[name]] <- c(0L, place)[e[[name]][nodes] + 1L]
  e$values <- e$values[nodes, , drop = FALSE]
  e$roots <- cumsum(c(1L, lengths(at, use.names = FALSE)))[seq_along(at)]
  e$output <- e$output[order]
  e$weight <- e$weight[order]
  forest$ensemble <- e
  check_ensemble(forest)
}

# What each tree adds to a row's sum of output k.
added <- function(forest, rows, k) {
  e <- forest$ensemble
  trees <- if (ncol(e$values) > 1) seq_along(e$roots) else which(e$output == k)
  vapply(trees, function(t) {
    one <- in_another_order(forest, c(t, setdiff(seq_along(e$roots), t)))
    one$ensemble$base[] <- 0
    others <- tree_of_node(one$ensemble) > 1
    one$ensemble$values[others, ] <- 0
    as.matrix(predict(forge(one), rows, type = "margin"))[, k]
  }, numeric(nrow(rows)))
}

test_that("trees in any order give the same bits", {
  differ <- 0
  for (name in c("xgb-regression", "xgb-softprob", "xgb-dart", "xgb-vectors", "lgb-regression",
                 "lgb-multiclass", "lgb-forest")) {
    model <- models[models$name == name, ]
    forest <- import_model(model)
    rows <- forge_rows(model)
    own <- predict(forge(forest), rows, type = "margin")
    fast <- forge(forest, sums = "reproducible")
    expected <- predict(fast, rows, type = "margin")
    expect_equal(expected, own, tolerance = 1e-6, info = name)
    for (seed in 1:4) {
      set.seed(seed)
      other <- in_another_order(forest, sample(length(forest$ensemble$roots)))
      mixed <- forge(other, sums = "reproducible", threads = 2)
      expect_identical(predict(mixed, rows, type = "margin"), expected, info = name)
      for (sums in sums_by_ways(mixed, rows)) expect_identical(sums, unname(as.matrix(expected)))
      differ <- differ + !identical(predict(forge(other), rows, type = "margin"), own)
    }
  }
  expect_gt(differ, 0) # the makers' sums do depend on the order
})

test_that("sums of floats are exact, others within what is rounded", {
  for (name in c("xgb-regression", "lgb-regression")) {
    model <- models[models$name == name, ]
    forest <- import_model(model)
    rows <- forge_rows(model)
    base <- forest$ensemble$base
    fast <- forge(forest, sums = "reproducible")
    terms <- cbind(added(fast$forest, rows, 1), fast$forest$ensemble$base)
    # any order of exact sums is as good
    expect_identical(apply(terms, 1, sum), rowSums(terms[, rev(seq_len(ncol(terms)))]))
    expect_identical(unname(predict(fast, rows, type = "margin")), apply(terms, 1, sum))
    given <- cbind(added(forest, rows, 1), base)
    if (name == "xgb-regression") expect_identical(unname(terms), unname(given)) else
      expect_lt(max(abs(terms - given)), 2^-52 * sum(apply(abs(given), 2, max)))
  }
})

test_that("the grid is as coarse as it must be, and no coarser", {
  rounded <- round_to_grid(c(1, 2^-60, -1, 3 * 2^-50), c(1, 1, 2, 2), 2)
  expect_identical(rounded$terms, c(1, 0, -1, 2^-48)) # of sums up to 4: steps of 2^-49
  expect_identical(round_to_grid(0, 1, 0)$terms, 0)
  expect_identical(round_to_grid(c(2^-1074, 2^-1074), 1:2, 0)$terms, rep(2^-1074, 2))
  expect_identical(vapply(c(1, 2, 2 - 2^-52, 2^-1074, 1024 * (1 - 2^-53)), exponent_of, 0),
                   c(0, 1, 0, -1074, 9))
})

test_that("what is printed says so, and the setting is checked", {
  fast <- forge(hist_forest(Species ~ ., iris, trees = 5, seed = 1), sums = "reproducible")
  expect_output(print(fast), "exact in any order")
  expect_contree_error(forge(fast$forest, sums = "any"), "input")
})

test_that("each tree is rounded by half a step at most, as the help has it, small leaves to 0", {
  d <- data.frame(x = 1:60)
  forest <- import_forest(hist_forest(d, rep(c(1e-4, 0.25, 1e12), each = 20), trees = 5, seed = 1,
                                      min_n = 1))
  e <- forest$ensemble
  terms <- forest_terms(e)[, 1]
  tree <- tree_of_node(e)
  step <- 2^(floor(log2(sum(tapply(abs(terms), tree, max)))) - 51)
  rounded <- forest_terms(reproducible_sums(forest)$ensemble)[, 1]
  expect_lte(max(abs(rounded - terms)), step / 2)
  expect_identical(rounded %% step, 0 * terms)
  expect_true(any(terms > 0 & rounded == 0) && all(rounded[abs(terms) > step / 2] > 0))
})
