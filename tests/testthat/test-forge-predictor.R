# contree_predictor() of forged forests says what predict() says.

unnamed <- function(answer) {
  if (is.array(answer)) dimnames(answer)[1] <- list(NULL) else names(answer) <- NULL
  answer
}

test_that("all types of one row, and of several, are those of predict()", {
  two <- transform(iris, Species = factor(Species == "setosa"))
  fits <- list(hist_forest(Species ~ ., iris, trees = 9, seed = 1),
               hist_forest(Species ~ ., two, trees = 9, seed = 1),
               hist_forest(Sepal.Length ~ Sepal.Width + Petal.Length, iris, trees = 9, seed = 1))
  for (fit in fits) {
    fast <- forge(fit)
    types <- c("response", "margin", "leaf", "contributions",
               if (!is.null(fast$forest$classes)) c("prob", "class"))
    x <- iris[fast$forest$features]
    for (type in types) {
      f <- contree_predictor(fast, type)
      for (i in c(1, 71, 150)) {
        expected <- unnamed(predict(fast, x[i, ], type = type))
        expect_identical(unnamed(f(unname(unlist(x[i, ])))), expected, info = type)
        expect_identical(f(rev(unlist(x[i, ]))), expected, info = type)
        expect_identical(f(as.list(x[i, ])), expected, info = type)
      }
      expect_identical(f(x), unnamed(predict(fast, x, type = type)), info = type)
      expect_identical(f(as.matrix(x)), f(x), info = type)
    }
  }
})

test_that("models of others, whose rows are hostile", {
  models <- forge_models()
  for (name in c("xgb-logistic", "xgb-softprob", "lgb-forest", "lgb-codes")) {
    model <- models[models$name == name, ]
    fast <- forge(import_model(model))
    rows <- forge_rows(model)
    f <- contree_predictor(fast, "margin")
    one <- vapply(seq_len(nrow(rows)), function(i) as.vector(f(rows[i, ])), numeric(model$outputs))
    expect_identical(unname(matrix(t(one), nrow(rows))), forge_margin(model), info = name)
  }
})

test_that("it can be saved, and refuses what predict() refuses", {
  fast <- forge(hist_forest(Sepal.Length ~ Sepal.Width, iris, trees = 5, seed = 1))
  f <- contree_predictor(fast)
  again <- unserialize(serialize(f, NULL))
  expect_identical(again(3), f(3))
  expect_identical(again(3.5), f(3.5))
  expect_identical(f(NA_real_), unname(predict(fast, data.frame(Sepal.Width = NA))))
  expect_contree_error(f(c(1, 2)), "input")
  expect_contree_error(f("a"), "input")
  expect_contree_error(f(list(1, 2)), "input")
  expect_contree_error(contree_predictor(fast, "node"), "input")
  expect_contree_error(contree_predictor(fast, "class"), "unsupported")
})

test_that("rows with missing values are refused where the model refuses them, in any form", {
  skip_if_not_installed("randomForest")
  x <- as.matrix(iris[1:3])
  whole <- forge(randomForest::randomForest(x, iris$Petal.Width, ntree = 3))
  of_one <- whole
  of_one$forest$complete <- FALSE
  of_one$forest$complete_for <- 2L
  for (fast in list(whole, of_one)) {
    f <- contree_predictor(fast)
    row <- as.double(unname(x[71, ]))
    expect_identical(f(row), unname(predict(fast, x[71, , drop = FALSE])))
    gap <- replace(row, 2, NA)
    wrong <- list(matrix(gap, 1), matrix(gap, 1, dimnames = list(NULL, colnames(x))),
                  stats::setNames(as.data.frame(matrix(gap, 1)), colnames(x)))
    for (rows in wrong) {
      for (type in c("response", "margin", "leaf", "contributions")) {
        expect_contree_error(predict(fast, rows, type = type), "input",
                             "missing values in 'Sepal.Width'")
      }
    }
    for (one in list(gap, as.list(stats::setNames(gap, colnames(x))), wrong[[1]])) {
      expect_contree_error(f(one), "input", "missing values")
    }
    other <- replace(row, 1, NA)
    if (fast$forest$complete) expect_error(f(other), class = "contree_input_error") else
      expect_identical(f(other), unname(predict(fast, matrix(other, 1))))
  }
})
