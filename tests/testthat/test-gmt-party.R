test_that("partykit predicts and plots what the tree says", {
  skip_if_not_installed("partykit")
  d <- mixed_lines()
  fit <- gmt(y ~ x + f + m | z + f, d, seed = 1)
  party <- partykit::as.party(fit)
  expect_s3_class(party, c("lmtree", "modelparty"))
  new <- mixed_lines(seed = 2)
  expect_equal(predict(party, new), predict(fit, new))
  whole <- new[stats::complete.cases(new), ]
  plain <- structure(party, class = class(party)[-1])
  expect_equal(predict(plain, whole), predict(fit, whole))
  expect_equal(unname(predict(party, new, type = "node")),
               match(predict(fit, new, type = "node"), node_ids(fit)), ignore_attr = TRUE)
  expect_equal(unname(coef(party)), unname(coef(fit)))
  expect_output(print(party), "fc'2")
  expect_silent(plot(party))
  expect_silent(plot(party, terminal_panel = NULL))
  # formulas with calls, x and y, weights
  calls <- gmt(mpg ~ log(wt) | hp, mtcars, weights = cyl, seed = 1, minbucket = 6)
  expect_equal(predict(partykit::as.party(calls), mtcars), predict(calls, mtcars))
  plain <- gmt(mtcars[c("wt", "hp")], mtcars$mpg, seed = 1, minbucket = 6)
  expect_equal(predict(partykit::as.party(plain), mtcars), predict(plain, mtcars))
  constants <- gmt(mpg ~ 1 | ., mtcars, seed = 1)
  expect_equal(unname(predict(partykit::as.party(constants), mtcars)),
               unname(predict(constants, mtcars, extrapolate = TRUE)))
})

test_that("regressors that are logical or missing, and offsets, are drawn too", {
  skip_if_not_installed("partykit")
  set.seed(2)
  d <- data.frame(x = rnorm(90), l = sample(c(TRUE, FALSE, NA), 90, TRUE), i = sample(9, 90, TRUE))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  d$y <- d$x + 3 * (d$i > 4) * (d$l %in% TRUE) + rnorm(90, 0, 0.1)
  for (formula in list(y ~ x + l | i, y ~ l | i, y ~ x + offset(i) | l)) {
    fit <- gmt(formula, d, seed = 1, complexity = 0.1)
    party <- partykit::as.party(fit)
    expect_equal(predict(party, d), predict(fit, d))
    expect_silent(plot(party))
  }
})

test_that("residuals of a converted tree are those of its predictions", {
  skip_if_not_installed("partykit")
  fit <- gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1)
  expect_equal(unname(residuals(partykit::as.party(fit))), unname(residuals(fit)))
  number <- contree(dist ~ ., cars, depth = 2)
  expect_equal(unname(residuals(partykit::as.party(number))), unname(residuals(number)))
  expect_null(residuals(partykit::as.party(iris2))) # as of partykit's own trees
})
