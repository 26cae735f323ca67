test_that("the history goes from the first tree to the last, cost falling and bound rising", {
  fit <- contree(y ~ ., hard_table(1000, 5), depth = 3)
  expect_s3_class(fit$history, "data.frame")
  expect_identical(names(fit$history), c("time", "cost", "bound"))
  expect_false(is.unsorted(fit$history$time))
  expect_false(is.unsorted(-fit$history$cost))
  expect_false(is.unsorted(fit$history$bound))
  expect_true(all(fit$history$bound <= fit$history$cost))
  last <- fit$history[nrow(fit$history), ]
  expect_equal(c(last$cost, last$bound), c(fit$cost, fit$bound))
  expect_lte(last$time, fit$elapsed)
})

test_that("it can be plotted", {
  fit <- contree(Species ~ ., iris, depth = 3)
  expect_identical(expect_invisible(plot(fit, what = "progress", main = "Iris",
                                         col = c("red", "blue"))), fit$history)
  expect_silent(plot(contree(Species ~ ., iris, depth = 0), what = "progress"))
  expect_contree_error(plot(fit, what = "progress", col = "red"), "input", c("'col'", "two"))
  expect_contree_error(plot(fit, what = "path"), "input", c("'what'", "\"path\"", "\"progress\""))
  # text() has nothing to add to curves
  expect_contree_error(text(fit), "input", "plot")
  fit$history <- NULL
  expect_contree_error(plot(fit, what = "progress"), "input", c("no history", "fit the tree again"))
})
