test_that("variables may come from the formula's environment", {
  width <- iris$Petal.Width
  kind <- iris$Species
  fit <- contree(kind ~ width, depth = 2)
  expect_equal(nobs(fit), 150)
  expect_identical(fit$shape$inputs, "width")
  expect_identical(as.character(predict(fit, data.frame(width = c(0.1, 2.3)))),
                   c("setosa", "virginica"))
  expect_contree_error(predict(fit, data.frame(other = 1)), "input", c("'newdata'", "'width'"))
})

test_that("row names are those of the data", {
  fit <- contree(cyl == 4 ~ mpg + hp, mtcars, depth = 1)
  expect_identical(names(fit$where), rownames(mtcars))
  bare <- contree(unname(as.matrix(iris[1:4])), iris$Species, depth = 1)
  expect_identical(names(bare$where), as.character(1:150))
  expect_identical(bare$shape$names, paste0("x", 1:4))
})

test_that("matrices in a data frame become one predictor a column", {
  data <- data.frame(y = iris$Species)
  data$m <- as.matrix(iris[3:4])
  data$u <- unname(as.matrix(iris[1:2]))
  fit <- contree(y ~ ., data, depth = 2)
  expect_identical(fit$shape$names, c("m.Petal.Length", "m.Petal.Width", "u.1", "u.2"))
  expect_equal(fit$objective, iris2$objective)
  expect_identical(predict(fit, data[c(1, 99), ]), predict(fit)[c(1, 99)])
  by_xy <- contree(data[-1], data$y, depth = 2)
  expect_identical(by_xy$shape$names, fit$shape$names)
  expect_identical(predict(by_xy, data[c(1, 99), ]), predict(by_xy)[c(1, 99)])
})

test_that("values next to the largest double are finite", {
  huge <- data.frame(a = c(-1, 1, -1, 1) * .Machine$double.xmax, y = c("u", "v", "u", "v"))
  fit <- contree(y ~ a, rbind(huge, huge), depth = 1)
  expect_equal(fit$objective, 0)
  expect_identical(as.character(predict(fit, huge)), huge$y)
})

test_that("neighbouring doubles are told apart by the stored threshold", {
  a <- 0.1 + (0:1) * .Machine$double.eps / 8
  expect_true(a[1] < a[2])
  data <- data.frame(a = rep(a, each = 3), y = rep(c("u", "v"), each = 3))
  fit <- contree(y ~ a, data, depth = 1)
  expect_equal(fit$objective, 0)
  expect_identical(as.character(predict(fit, data)), data$y)
})

test_that("classes on top of numbers do no harm", {
  odd <- data.frame(y = iris$Species, a = I(iris$Petal.Length),
                    b = structure(iris$Petal.Width, label = "width"))
  expect_equal(contree(y ~ ., odd, depth = 2)$objective,
               contree(Species ~ Petal.Length + Petal.Width, iris, depth = 2)$objective)
  wrapped <- structure(as.list(iris), class = c("tbl_df", "tbl", "data.frame"), row.names = 1:150)
  expect_equal(contree(Species ~ ., wrapped, depth = 2)$frame, iris2$frame)
})

test_that("factors with codes beyond their levels are refused by name", {
  for (kind in list("factor", c("ordered", "factor"))) {
    bad <- structure(rep(c(1L, 5L, 2L, 4L), 5), levels = c("a", "b"), class = kind)
    for (y in list(gl(2, 1, 20), as.double(1:20))) {
      expect_error(contree(data.frame(bad = bad, x = 1:20), y, depth = 1), "'bad' has codes",
                   class = "contree_input_error")
    }
    expect_error(contree(bad ~ x, data.frame(bad = bad, x = 1:20), depth = 1), "'bad' has codes",
                 class = "contree_input_error")
  }
})
