test_that("smoothed leaves are least squares with rows of the ancestors", {
  d <- mixed_lines(300)
  d$w <- runif(300, 0.5, 2)
  tau <- 12
  rough <- gmt(y ~ x + f + m | z + x, d, weights = w, seed = 1, max_leaves = 3)
  fit <- gmt(y ~ x + f + m | z + x, d, weights = w, seed = 1, max_leaves = 3, smoothing = tau)
  expect_identical(fit$frame$var, rough$frame$var)
  expect_false(isTRUE(all.equal(coef(fit), coef(rough))))
  # what a row counts for in a node: itself there, and a share of what it counts for in the parent
  ids <- node_ids(fit)
  leaf <- predict(fit, type = "node")
  x <- model_rows(fit, as.list(read_new_types(as.list(d[c("x", "f", "m")]), fit)), 1:300, 1, TRUE)
  count <- list("1" = rep(1, 300))
  size <- c("1" = 300)
  for (id in ids[-1]) {
    name <- as.character(id)
    above <- as.character(id %/% 2)
    inside <- vapply(leaf, function(l) id %in% (l %/% 2^(0:5)), NA)
    count[[name]] <- inside + tau / size[above] * count[[above]]
    size[name] <- sum(inside) + tau
    model <- stats::lm.wfit(x, d$y, d$w * count[[name]])
    expect_equal(unname(coef(fit, id)), unname(model$coefficients), tolerance = 1e-8)
    expect_equal(fit$frame$dev[match(id, ids)], sum((d$w * model$residuals^2)[inside]),
                 tolerance = 1e-8)
  }
  expect_equal(deviance(fit), sum(d$w * residuals(fit)^2))
  expect_equal(predict(fit, d, extrapolate = TRUE), fitted(fit))
  # no smoothing is none
  rough <- gmt(y ~ x | z, d, seed = 1)
  expect_equal(coef(gmt(y ~ x | z, d, seed = 1, smoothing = 1e-12)), coef(rough))
})
