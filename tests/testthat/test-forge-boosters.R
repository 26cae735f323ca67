# Boosters of the R packages xgboost and lightgbm, which stand-ins play: what is asked of them.

with_stand_in <- function(name, code, run) {
  library <- stand_in(name, code)
  before <- .libPaths()
  on.exit({
    unloadNamespace(name)
    .libPaths(before)
  })
  .libPaths(c(library, before))
  run()
}

test_that("a booster of xgboost is read by what it saves", {
  skip_if(requireNamespace("xgboost", quietly = TRUE))
  path <- forge_fixture("xgb-logistic.ubj")
  bytes <- readBin(path, "raw", file.size(path))
  booster <- structure(list(bytes = bytes), class = "xgb.Booster")
  expect_contree_error(import_forest(booster), "unsupported", "xgboost")
  skip_on_cran()
  code <- "xgb.save.raw <- function(model, raw_format = 'ubj') {
  if (raw_format == 'ubj') model$bytes else stop('another format')
}"
  with_stand_in("xgboost", code, function() {
    expect_true(all.equal(import_forest(booster), import_forest(path)))
    first <- import_forest(booster, iterations = 2)
    expect_true(all.equal(first, import_forest(path, iterations = 2)))
    expect_contree_error(import_forest(booster, 2, TRUE), "input")
  })
})

test_that("a booster of lightgbm is read by what it says, all iterations of it", {
  skip_if(requireNamespace("lightgbm", quietly = TRUE))
  path <- forge_fixture("lgb-binary.txt")
  text <- readLines(path)
  asked <- NULL
  booster <- structure(list(save_model_to_string = function(num_iteration = NULL, ...) {
    asked <<- num_iteration
    paste(text, collapse = "\n")
  }), class = c("lgb.Booster", "R6"))
  expect_contree_error(import_forest(booster), "unsupported", "lightgbm")
  skip_on_cran()
  with_stand_in("lightgbm", "lgb.load <- function() NULL", function() {
    expect_true(all.equal(import_forest(booster), import_forest(path)))
    expect_identical(asked, -1L)
  })
})
