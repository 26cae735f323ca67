test_that("predictions and intervals are those of lm() in the leaf", {
  d <- armchair(500, 3, seed = 1)
  fit <- gmt(y ~ x1 + x2 | ., d, seed = 1)
  new <- armchair(100, 3, seed = 2)
  node <- predict(fit, new, type = "node")
  trained <- predict(fit, type = "node")
  for (leaf in unique(node)) {
    model <- lm(y ~ x1 + x2, d[trained == leaf, ])
    rows <- new[node == leaf, ]
    expect_equal(predict(fit, rows, extrapolate = TRUE), predict(model, rows))
    for (kind in c("confidence", "prediction")) {
      expect_equal(predict(fit, rows, interval = kind, level = 0.8, extrapolate = TRUE),
                   predict(model, rows, interval = kind, level = 0.8))
    }
    expect_equal(unname(rowSums(predict(fit, rows, type = "terms", extrapolate = TRUE))),
                 unname(predict(model, rows)))
  }
  expect_equal(predict(fit), fitted(fit))
  expect_equal(unname(predict(fit, d, extrapolate = TRUE)), unname(fitted(fit)))
  expect_equal(predict(fit, d, type = "path")[[1]], predict(fit, type = "path")[[1]])
})

test_that("values and predictions are taken back to the ranges of the leaf", {
  d <- armchair(400, 2, seed = 3)
  fit <- gmt(y ~ ., d, seed = 1, limits = "range")
  new <- data.frame(x1 = c(-50, 2, 2, 70), x2 = c(1, -90, 90, 2))
  node <- predict(fit, new, type = "node")
  trained <- predict(fit, type = "node")
  for (i in 1:4) {
    rows <- d[trained == node[i], ]
    inside <- mapply(function(x, column) min(max(x, min(column)), max(column)), new[i, ],
                     rows[c("x1", "x2")])
    value <- sum(coef(fit, node[[i]]) * c(1, inside))
    range <- range(rows$y) + c(-1, 1) * diff(range(rows$y)) / 20
    expect_equal(predict(fit, new[i, ]), stats::setNames(min(max(value, range[1]), range[2]), i))
    expect_equal(unname(predict(fit, new[i, ], extrapolate = TRUE)),
                 sum(coef(fit, node[[i]]) * c(1, unlist(new[i, ]))))
  }
  expect_contree_error(predict(fit, new, level = 2), "input", "'level'")
  expect_contree_error(predict(fit, new, new_levels = Sys.Date()), "input", "'new_levels'")
  expect_contree_error(predict(fit, new["x1"]), "input", "lacks 'x2'")
  expect_contree_error(predict(fit, new, what = 1), "input")
})

test_that("exports compute the models as they are", {
  d <- armchair(300, 2, seed = 4)
  fit <- gmt(y ~ ., d, seed = 1)
  new <- armchair(50, 2, seed = 5)
  plain <- unname(predict(fit, new, extrapolate = TRUE))
  expect_identical(predict(contree_from_json(as_json(fit)), new), predict(fit, new))
  expect_equal(run_c_of(fit, new), plain)
  expect_match(as_dot(fit), "x1", all = FALSE)
  expect_equal(nrow(contree_rules(fit)), 5)
  expect_equal(sum(generics::augment(fit, newdata = d)$.node == predict(fit, type = "node")), 300)
  skip_if_not_installed("RSQLite")
  expect_equal(in_sqlite(new, as_sql(fit))[[1]], plain, tolerance = 1e-12)
})

test_that("predictions are limited to a twentieth of the range beyond either end", {
  d <- data.frame(x = 1:40)
  set.seed(1)
  d$y <- d$x + runif(40)
  fit <- gmt(y ~ x + I(x^2), d, seed = 1, max_leaves = 1, limits = "range")
  # the range of the response ends where the regressors' may let the model pass it
  fit$gmt$low[1, 1:2] <- -1e3
  fit$gmt$high[1, 1:2] <- 1e7
  far <- predict(fit, data.frame(x = c(-900, 3000)))
  ends <- range(d$y)
  model <- predict(fit, data.frame(x = c(-900, 3000)), extrapolate = TRUE)
  expect_equal(unname(far), unname(ifelse(model > ends[2], ends[2] + diff(ends) / 20,
                                          ends[1] - diff(ends) / 20)))
  expect_true(any(model > ends[2]) && any(model < ends[1]))
})

test_that("each node has the ranges of its rows, inner nodes too", {
  d <- armchair(300, 2, seed = 5)
  fit <- gmt(y ~ ., d, seed = 1, limits = "range")
  where <- predict(fit, type = "node")
  for (k in seq_along(node_ids(fit))) {
    inside <- vapply(where, function(leaf) node_ids(fit)[k] %in% (leaf %/% 2^(0:6)), NA)
    ranges <- vapply(d[inside, c("x1", "x2", "y")], range, numeric(2), USE.NAMES = FALSE)
    expect_equal(rbind(fit$gmt$low[k, ], fit$gmt$high[k, ]), ranges, ignore_attr = TRUE)
  }
})

test_that("intervals and terms of training rows that were given as x and y", {
  set.seed(4)
  d <- data.frame(a = rnorm(60), b = rnorm(60), g = factor(sample(letters[1:3], 60, TRUE)))
  y <- d$a * (d$g == "a") + d$b + rnorm(60) / 4
  x <- as.matrix(d[1:2])
  # rows of a matrix without names have none in `newdata`, and numbers in the fit
  same <- function(fit, rows, found = predict(fit, interval = "prediction")) {
    rows <- as.data.frame(rows)
    expect_equal(found, predict(fit, rows, interval = "prediction", extrapolate = TRUE))
    expect_equal(found[, "fit"], fitted(fit))
    expect_equal(predict(fit, type = "terms"),
                 predict(fit, rows, type = "terms", extrapolate = TRUE))
  }
  same(gmt(d, y, seed = 1), d)
  same(gmt(x, y, z = d[3], seed = 1), d)
  bare <- unname(x)
  same(gmt(bare, y, seed = 1), data.frame(x1 = x[, 1], x2 = x[, 2]))
  same(gmt(x > 0, y, seed = 1), x > 0)
  holes <- replace(y, 5, NA)
  same(gmt(d, holes, seed = 1), d[-5, ])
  weights <- rep(0:2, 20)
  weighted <- gmt(d, y, weights = weights, offset = d$b, seed = 1)
  expect_equal(predict(weighted, interval = "prediction")[, 1], fitted(weighted))
  expect_equal(summary(gmt(d, y, z = d, seed = 1), 1)$residuals,
               summary(gmt(y ~ a + b + g | a + b + g, cbind(d, y = y), seed = 1), 1)$residuals)

  fit <- gmt(d[1:3], y, seed = 1)
  d$y <- y
  with_formula <- gmt(y ~ a + b, d, seed = 1)
  d$a[7] <- 100
  for (changed in list(fit, with_formula)) {
    expect_contree_error(predict(changed, interval = "prediction"), "input",
                         c("row 7", "'newdata'"))
  }
  d <- d[1:10, ]
  expect_contree_error(predict(fit, interval = "prediction"), "input", c("10", "60", "'newdata'"))
  rm(d)
  expect_contree_error(predict(fit, interval = "prediction"), "input", c("'d'", "'newdata'"))
})
