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
  data$m <- data$m[, 2:1][, 1, drop = FALSE]
  expect_contree_error(predict(fit, data), "input", c("'newdata'", "'m.Petal.Length'", "a matrix"))
  data$m <- 1
  expect_contree_error(predict(fit, data), "input",
                       "gives 'm' in the place of 'm.Petal.Length', 'm.Petal.Width'")
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

test_that("arrays are named as what they are", {
  data <- iris[3:5]
  data$a <- array(iris$Petal.Length)
  expect_contree_error(contree(Species ~ ., data), "input", c("'a'", "\"array\""))
  fit <- contree(Species ~ Petal.Length, data, depth = 1)
  expect_contree_error(predict(fit, data.frame(Petal.Length = I(data$a))), "input", "AsIs")
})

test_that("factors with codes that are no level are refused, wherever they are read", {
  broken <- function(codes) structure(rep(codes, length.out = 150), levels = c("u", "v", "w"),
                                      class = "factor")
  good <- transform(iris, f = factor(rep(c("u", "v", "w"), 50)))
  fits <- list(contree(Species ~ f, good, depth = 1), hist_forest(Species ~ f, good, trees = 3))
  fits[[3]] <- forge(fits[[2]])
  for (codes in list(c(1L, 4L), c(1L, 0L), c(3L, -2L), c(NA, 9L))) {
    data <- transform(iris, f = broken(codes))
    for (fit in fits) {
      expect_contree_error(predict(fit, data), "input", "factor 'f' has")
    }
    for (grow in list(hist_forest, contree, gmt)) {
      expect_contree_error(grow(Sepal.Length ~ f, data), "input", "factor 'f' has")
    }
    for (grow in list(hist_forest, contree)) {
      expect_contree_error(grow(f ~ Sepal.Length, data[!is.na(data$f), ]), "input",
                           "factor 'f' has")
    }
  }
  expect_identical(predict(fits[[2]], transform(good, f = factor(NA, c("u", "v", "w"))))[[1]],
                   predict(fits[[2]], data.frame(f = NA))[[1]])
})
