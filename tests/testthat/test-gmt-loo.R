# Rows of a tree by hand: what each row counts for in the model of each leaf, and the penalty. The
# columns of the models are those of model_rows().
by_hand <- function(fit, d, tau, ridge) {
  n <- nrow(d)
  ids <- node_ids(fit)
  leaf <- unname(predict(fit, type = "node"))
  count <- penalty <- size <- list()
  for (id in ids) {
    inside <- vapply(leaf, function(l) id %in% (l %/% 2^(0:6)), NA)
    name <- as.character(id)
    share <- if (id > 1) tau / size[[as.character(id %/% 2)]] else 0
    count[[name]] <- inside + if (id > 1) share * count[[as.character(id %/% 2)]] else 0
    penalty[[name]] <- if (id > 1) share * penalty[[as.character(id %/% 2)]] else ridge
    size[[name]] <- sum(inside) + if (id > 1) tau else 0
  }
  list(count = count, penalty = penalty, leaf = leaf)
}

# Coefficients by the normal equations, as they stand.
ridge_model <- function(x, y, weights, diagonal) {
  solve(crossprod(x, x * weights) + diag(c(0, diagonal)), crossprod(x, y * weights))
}

columns_of <- function(fit, d, names) {
  model_rows(fit, as.list(read_new_types(as.list(d[names]), fit)), seq_len(nrow(d)), 1, TRUE)
}

variances <- function(x, w) {
  apply(x[, -1], 2, function(column) sum(w * (column - weighted.mean(column, w))^2)) / nrow(x)
}

test_that("a ridge penalty pulls slopes towards zero at the root, and what leaves borrow", {
  d <- mixed_lines(200, holes = FALSE)
  d$w <- runif(200, 0.5, 2)
  for (tau in c(0, 6)) {
    fit <- gmt(y ~ x + f + m | z, d, weights = w, seed = 1, max_leaves = 3, smoothing = tau,
               ridge = 9)
    x <- columns_of(fit, d, c("x", "f", "m"))
    hand <- by_hand(fit, d, tau, 9)
    for (id in node_ids(fit)) {
      name <- as.character(id)
      b <- ridge_model(x, d$y, d$w * hand$count[[name]], hand$penalty[[name]] * variances(x, d$w))
      expect_equal(unname(coef(fit, id)), unname(drop(b)), tolerance = 1e-8)
    }
    expect_exports_agree(fit, d)
  }
  # in any units; a large penalty leaves the mean
  d$x <- d$x * 1000
  scaled <- gmt(y ~ x + f + m | z, d, weights = w, seed = 1, max_leaves = 3, smoothing = 6,
                ridge = 9)
  expect_equal(fitted(scaled), fitted(fit), tolerance = 1e-8)
  flat <- gmt(y ~ x + f + m | 1, d, weights = w, seed = 1, ridge = 1e9)
  expect_equal(unname(fitted(flat)), rep(weighted.mean(d$y, d$w), 200), tolerance = 1e-6)
})

test_that("leave-one-out errors are those of models without the row", {
  d <- mixed_lines(90, holes = FALSE)
  d$w <- runif(90, 0.5, 2)
  d$y <- d$y + rnorm(90)
  for (select in c(0, 4)) {
    fit <- gmt(y ~ x + f + m | z, d, weights = w, seed = 1, max_leaves = 3, smoothing = "loo",
               ridge = "loo", limits = "loo", select = select)
    table <- fit$gmt$settings$loo
    expect_gt(nrow(coef(fit)), 1)
    expect_equal(nrow(table), prod(lengths(loo_grid)))
    x <- columns_of(fit, d, c("x", "f", "m"))
    spread <- variances(x, d$w)
    for (row in c(1, 4, 13, 28, 43, 60)) {
      hand <- by_hand(fit, d, table$smoothing[row], table$ridge[row])
      square <- vapply(seq_len(90), function(i) {
        name <- as.character(hand$leaf[i])
        used <- !is.na(coef(fit, hand$leaf[i]))
        weights <- replace(d$w * hand$count[[name]], i, 0)
        b <- ridge_model(x[, used], d$y, weights, (hand$penalty[[name]] * spread)[used[-1]])
        at <- x[i, ]
        others <- setdiff(which(hand$leaf == hand$leaf[i]), i)
        within <- table$limits[row] == "range"
        if (within) {
          for (k in seq_along(at)) at[k] <- min(max(at[k], min(x[others, k])), max(x[others, k]))
        }
        said <- sum(at[used] * b)
        ends <- range(d$y[others])
        if (within) said <- min(max(said, ends[1] - diff(ends) / 20), ends[2] + diff(ends) / 20)
        (d$y[i] - said)^2
      }, 0)
      expect_equal(table$error[row], sum(d$w * square) / sum(d$w), tolerance = 1e-8)
    }
    # what is used is the mean of all by their errors; without shrinkage these count twice
    zero <- table$ridge == 0 | table$smoothing == 0
    error <- table$error * (1 + zero)
    least <- tapply(error, table$limits, min)
    best <- if (1.02 * least[["none"]] < least[["range"]]) "none" else "range"
    weight <- (least[[best]] / error)^(90 / 10) * (table$limits == best)
    weight[weight < 1e-3] <- 0
    weight <- weight / sum(weight)
    expect_equal(table$weight, weight, tolerance = 1e-8)
    expect_gt(sum(weight > 0), 1)
    expect_equal(fit$gmt$settings[names(loo_grid)],
                 list(ridge = sum(weight * table$ridge), smoothing = sum(weight * table$smoothing),
                      limits = best))
    each <- lapply(which(weight > 0), function(row) {
      one <- gmt(y ~ x + f + m | z, d, weights = w, seed = 1, max_leaves = 3, select = select,
                 smoothing = table$smoothing[row], ridge = table$ridge[row], limits = best)
      coef(one) * weight[row]
    })
    expect_equal(coef(fit), Reduce(`+`, each), tolerance = 1e-10)
    expect_equal(deviance(fit), sum(d$w * residuals(fit)^2))
    expect_exports_agree(fit, d)
  }
})

test_that("what is given is not chosen, and choices need few rows", {
  d <- armchair(300, noise = 2)
  fit <- gmt(y ~ ., d, seed = 1, smoothing = 2, shrink = TRUE)
  expect_identical(fit$gmt$settings$smoothing, 2)
  expect_setequal(fit$gmt$settings$loo$smoothing, 2)
  expect_setequal(fit$gmt$settings$loo$limits, c("range", "none"))
  expect_setequal(fit$gmt$settings$loo$ridge, loo_grid$ridge)
  # without noise there is nothing to shrink; with it there is
  exact <- gmt(y ~ ., armchair(300, noise = 0.01), seed = 1, shrink = TRUE)
  expect_identical(exact$gmt$settings$smoothing, 0)
  expect_gt(fit$gmt$settings$ridge, 0)
  expect_gt(gmt(y ~ ., d, seed = 1, shrink = TRUE)$gmt$settings$smoothing, 0)
  # nothing to smooth
  one <- gmt(y ~ x1 | 1, d, seed = 1, smoothing = "loo", ridge = "loo")
  expect_setequal(one$gmt$settings$loo$smoothing, 0)
  # with many rows the errors are those of 2,000 of them
  large <- armchair(4100, noise = 1)
  some <- gmt(y ~ x1 + x2 | 1, large, seed = 1, ridge = "loo", limits = "loo")
  rows <- unique(round(seq(1, 4100, length.out = 2000)))
  x <- cbind(1, large$x1, large$x2)
  inverse <- solve(crossprod(x) + diag(c(0, 0.3 * variances(x, rep(1, 4100)))))
  e <- (large$y - x %*% inverse %*% crossprod(x, large$y)) / (1 - rowSums((x %*% inverse) * x))
  limited <- subset(some$gmt$settings$loo, ridge == 0.3 & limits == "range")$error
  expect_lte(limited, mean(e[rows]^2))
  expect_gt(limited, 0.99 * mean(e[rows]^2))
  free <- subset(some$gmt$settings$loo, ridge == 0.3 & limits == "none")$error
  expect_equal(free, mean(e[rows]^2), tolerance = 1e-8)
  many <- gmt(y ~ ., armchair(10001), seed = 1, effort = 0, shrink = TRUE)
  expect_identical(many$gmt$settings[names(loo_grid)],
                   list(ridge = 0, smoothing = 0, limits = "range"))
  expect_leaves_of_lm(many, y ~ x1 + x2, armchair(10001))
  expect_contree_error(gmt_control(smoothing = "cv"), "input", "'smoothing'")
  expect_contree_error(gmt_control(ridge = -1), "input", "'ridge'")
  expect_contree_error(gmt_control(limits = "all"), "input", "'limits'")
})

test_that("limits are kept or not, in all that predicts", {
  d <- data.frame(x = 1:40)
  d$y <- 3 * d$x + sin(1:40)
  new <- data.frame(x = c(-50, 20, 90))
  kept <- gmt(y ~ x, d, seed = 1, limits = "range")
  none <- gmt(y ~ x, d, seed = 1, limits = "none")
  free <- gmt(y ~ x, d, seed = 1) # a line is one
  for (fit in list(none, free)) {
    expect_identical(fit$gmt$settings$limits, "none")
    expect_identical(coef(fit), coef(kept))
    expect_identical(predict(fit, new), predict(kept, new, extrapolate = TRUE))
    expect_identical(predict(fit, new, interval = "confidence"),
                     predict(kept, new, interval = "confidence", extrapolate = TRUE))
    expect_equal(unname(predict(forge(fit), new)), unname(predict(fit, new)))
    if (requireNamespace("partykit", quietly = TRUE)) {
      expect_equal(predict(partykit::as.party(fit), new), predict(fit, new))
    }
  }
  expect_lt(max(predict(kept, new)), 125)
  # where the line bends, it does not go on
  d$y <- pmin(d$x, 25) + rnorm(40, 0, 0.1)
  bent <- gmt(y ~ x | 1, d, seed = 1)
  expect_identical(bent$gmt$settings$limits, "range")
  expect_identical(predict(bent, new), predict(gmt(y ~ x | 1, d, seed = 1, limits = "range"), new))
})

test_that("models without limits have to be better, not just as good", {
  table <- data.frame(ridge = 1, smoothing = 1, limits = c("range", "none"), error = c(1, 0.99))
  expect_identical(loo_weights(table, 100), c(1, 0))
  table$error <- c(1, 0.97)
  expect_identical(loo_weights(table, 100), c(0, 1))
  expect_identical(loo_weights(table[2, ], 100), 1)
  expect_identical(loo_weights(table[1, ], 100), 1)
  # but where there is nothing to search
  table$error <- c(1, 0.999)
  expect_identical(loo_weights(table, 100, loo_alone_costs), c(0, 1))
  table$error <- c(1, 1)
  expect_identical(loo_weights(table, 100, loo_alone_costs), c(1, 0))
  exact <- data.frame(ridge = 1, smoothing = c(1, 2), limits = "range", error = c(0, 0.1))
  expect_identical(loo_weights(exact, 100), c(1, 0))
})

test_that("shrunk models have larger trees", {
  d <- armchair(200, noise = 3)
  for (given in list(NULL, 1, 3)) {
    fit <- gmt(y ~ ., d, seed = 1, shrink = TRUE, complexity = given)
    same <- gmt(y ~ ., d, seed = 1, complexity = if (is.null(given)) 0.7 else given)
    expect_identical(fit$frame$var, same$frame$var)
    expect_identical(fit$splits[, "index"], same$splits[, "index"])
    expect_identical(fit$gmt$settings$search$complexity, same$gmt$settings$search$complexity)
  }
  expect_identical(gmt(y ~ ., d, seed = 1)$gmt$settings$search$complexity, 1)
  many <- gmt(y ~ ., armchair(10001), seed = 1, effort = 0, shrink = TRUE)
  expect_identical(many$gmt$settings$search$complexity, 1)
  expect_contree_error(gmt_control(complexity = "loo"), "input", "'complexity'")
})

test_that("leave-one-out errors know what leaves borrow from above their parents", {
  set.seed(4)
  d <- data.frame(x = rnorm(80), z = runif(80), w = runif(80, 0.5, 2))
  d$y <- 10 * findInterval(d$z, 1:3 / 4) * c(1, -1)[1 + (d$z > 0.5)] + d$x + rnorm(80)
  fit <- gmt(y ~ x | z, d, weights = w, seed = 1, max_leaves = 4, smoothing = "loo",
             limits = "loo", ridge = 0)
  expect_gte(max(node_ids(fit)), 4)
  table <- fit$gmt$settings$loo
  x <- columns_of(fit, d, "x")
  for (row in which(table$limits == "none" & table$smoothing > 0)) {
    hand <- by_hand(fit, d, table$smoothing[row], 0)
    off <- vapply(1:80, function(i) {
      weights <- replace(d$w * hand$count[[as.character(hand$leaf[i])]], i, 0)
      d$y[i] - sum(x[i, ] * ridge_model(x, d$y, weights, 0))
    }, 0)
    expect_equal(table$error[row], sum(d$w * off^2) / sum(d$w), tolerance = 1e-7)
  }
})
