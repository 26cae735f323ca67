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
  expect_error(f(c(1, 2)), class = "contree_input_error")
  expect_error(f("a"), class = "contree_input_error")
  expect_error(f(list(1, 2)), class = "contree_input_error")
  expect_error(contree_predictor(fast, "node"), class = "contree_input_error")
  expect_error(contree_predictor(fast, "class"), class = "contree_unsupported_error")
})
