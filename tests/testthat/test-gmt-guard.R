test_that("a tree of noise is the linear model, and a tree that predicts better stays", {
  set.seed(1)
  for (turn in 1:5) {
    d <- as.data.frame(matrix(rnorm(250 * 6), 250))
    d$y <- d$V1 + 9 * rnorm(250)
    expect_identical(nrow(coef(gmt(y ~ V1 | ., d, seed = turn))), 1L)
    d$y <- ifelse(d$V2 > 0, 2, -1) * d$V1 + rnorm(250)
    fit <- gmt(y ~ V1 | ., d, seed = turn)
    expect_gt(nrow(coef(fit)), 1)
    expect_identical(coef(gmt(y ~ V1 | ., d, seed = turn)), coef(fit))
  }
})

test_that("who gives a complexity has the tree of the search", {
  set.seed(1)
  d <- as.data.frame(matrix(rnorm(200 * 6), 200))
  d$y <- rnorm(200)
  expect_gt(nrow(coef(gmt(y ~ V1 | ., d, seed = 1, complexity = 0.1))), 1)
})
