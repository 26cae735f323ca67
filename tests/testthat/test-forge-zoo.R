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
  expect_length(zoo, 7)
})

test_that("leaves and margins are the makers' own, to the last bit", {
  each_model(function(model, forged) {
    leaf <- unname(predict(forged, model$rows, type = "leaf"))
    expect_identical(leaf, model$leaf, info = model$name)
    for (sums in sums_by_ways(forged, model$rows)) {
      expect_identical(unname(sums), model$margin, info = model$name)
    }
  })
})

test_that("responses are the makers', within the rounding of their functions", {
  each_model(function(model, forged) {
    response <- if (grepl("softmax", model$name)) {
      as.matrix(as.numeric(predict(forged, model$rows, type = "class")) - 1)
    } else unname(as.matrix(predict(forged, model$rows)))
    expect_equal(response, model$response, tolerance = 1e-5, info = model$name)
  })
})
