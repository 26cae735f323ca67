# Tiny models of every objective and option of several versions of XGBoost and LightGBM, against
# what these versions said of hostile rows (tests/r/zoo.py).

zoo <- list.files(forge_fixture(""), "^zoo-.*[.]gz$")

forged <- lapply(zoo, function(file) {
  models <- zoo_models(file)
  if (!requireNamespace("jsonlite", quietly = TRUE)) {
    models <- Filter(function(model) model$kind != "json", models)
  }
  lapply(models, function(model) {
    model$name <- paste(sub("^zoo-(.*)[.]gz$", "\\1", file), model$name)
    list(model, forge(model$document, iterations = model$rounds))
  })
})

each_model <- function(check) for (file in forged) for (pair in file) check(pair[[1]], pair[[2]])

test_that("there are models of all versions", {
  expect_length(zoo, 10)
})

test_that("leaves and margins are the makers' own, to the last bit", {
  each_model(function(model, forged) {
    if (model$kind == "onnx") return()
    leaf <- unname(predict(forged, model$rows, type = "leaf"))
    expect_identical(leaf, model$leaf, info = model$name)
    for (sums in sums_by_ways(forged, model$rows)) {
      expect_identical(unname(sums), model$margin, info = model$name)
    }
    if (!is.null(forged$forest$classes) && ncol(model$margin) > 1) {
      most <- max.col(model$response, "first")
      if (ncol(model$response) > 1) {
        expect_identical(as.integer(predict(forged, model$rows, type = "class")), most)
      }
    }
  })
})

test_that("responses are the makers', within the rounding of their functions", {
  each_model(function(model, forged) {
    two <- model$kind == "onnx" && length(forged$forest$classes) == 2
    if (two) {
      expect_equal(unname(predict(forged, model$rows, type = "prob")), model$response,
                   tolerance = 1e-6, info = model$name)
      return()
    }
    response <- if (grepl("softmax", model$name)) {
      as.matrix(as.numeric(predict(forged, model$rows, type = "class")) - 1)
    } else unname(as.matrix(predict(forged, model$rows)))
    expect_equal(response, model$response, tolerance = 1e-5, info = model$name)
  })
})

test_that("one score of two classes in ONNX is the probability of the second", {
  for (model in zoo_models("zoo-skl2onnx-1.20.0.gz")) {
    forged <- forge(model$document)
    expect_identical(unname(predict(forged, model$rows, type = "prob")), model$response)
    expect_identical(unname(predict(forged, model$rows)), model$response[, 2])
    for (write in list(write_onnx, write_xgboost)) {
      expect_error(write(forged, tempfile()), class = "contree_unsupported_error")
    }
  }
})

test_that("what CatBoost has besides is refused by name", {
  skip_if_not_installed("jsonlite")
  text <- rawToChar(zoo_models("zoo-catboost-1.2.10.gz")[[1]]$document)
  refused <- function(from, to, what, class = "contree_unsupported_error") {
    expect_match(text, from, fixed = TRUE)
    changed <- sub(from, to, text, fixed = TRUE)
    expect_error(import_forest(charToRaw(changed)), what, class = class)
  }
  refused("\"FloatFeature\"", "\"OnlineCtr\"", "OnlineCtr")
  refused("\"RMSE\"", "\"RMSEWithUncertainty\"", "RMSEWithUncertainty")
  refused("\"scale_and_bias\": [1", "\"scale_and_bias\": [2", "scale")
  refused("\"float_feature_index\": 0", "\"float_feature_index\": 7", "float_features",
          "contree_input_error")
  expect_error(import_forest(charToRaw(text), iterations = 1), "rounds",
               class = "contree_input_error")
  expect_error(import_forest(charToRaw(text), "xgboost"), "not a model of xgboost",
               class = "contree_input_error")
})
