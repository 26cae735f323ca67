# Tiny models of every objective and option of several versions of XGBoost and LightGBM, against
# what these versions said of hostile rows (tests/r/zoo.py).

# Columns of levels have their places, and one more for a new level.
rows_with_levels <- function(forest, rows) {
  rows <- as.data.frame(rows)
  names(rows) <- forest$features
  for (name in names(forest$levels)) {
    rows[[name]] <- c(forest$levels[[name]], "never seen")[rows[[name]]]
  }
  rows
}

quiet <- function(said) suppressWarnings(said, classes = "contree_new_levels")

zoo <- list.files(forge_fixture(""), "^zoo-.*[.]gz$")

forged <- lapply(zoo, function(file) {
  models <- zoo_models(file)
  if (!requireNamespace("jsonlite", quietly = TRUE)) {
    models <- Filter(function(model) !model$kind %in% c("json", "cbm"), models)
  }
  lapply(models, function(model) {
    model$name <- paste(sub("^zoo-(.*)[.]gz$", "\\1", file), model$name)
    made <- forge(model$document, iterations = model$rounds)
    levels <- length(made$forest$levels) > 0 || model$kind %in% c("ydf", "h2o")
    if (levels) model$rows <- rows_with_levels(made$forest, model$rows)
    list(model, made)
  })
})

each_model <- function(check) for (file in forged) for (pair in file) check(pair[[1]], pair[[2]])

test_that("there are models of all versions", {
  expect_length(zoo, 16)
})

test_that("leaves and margins are the makers' own, to the last bit", {
  each_model(function(model, forged) {
    if (model$kind == "onnx") return()
    columns <- quiet(forest_columns_of(forged$forest, model$rows)$columns)
    leaf <- unname(quiet(predict(forged, model$rows, type = "leaf")))
    expect_identical(leaf, model$leaf, info = model$name)
    if (!ncol(model$margin)) return()
    for (sums in sums_by_ways(forged, columns)) {
      if (has_more(forged$forest)) sums <- add_last(forged$forest, sums)
      expect_identical(unname(sums), model$margin, info = model$name)
    }
    if (!is.null(forged$forest$classes) && ncol(model$margin) > 1) {
      most <- max.col(model$response, "first")
      if (ncol(model$response) > 1) {
        class <- quiet(predict(forged, model$rows, type = "class"))
        expect_identical(as.integer(class), most)
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
    } else if (model$kind == "h2o" && length(forged$forest$classes)) {
      unname(quiet(predict(forged, model$rows, type = "prob")))
    } else unname(as.matrix(quiet(predict(forged, model$rows))))
    expect_equal(response, model$response, tolerance = 1e-5, info = model$name)
  })
})

test_that("one score of two classes in ONNX is the probability of the second", {
  for (model in zoo_models("zoo-skl2onnx-1.20.0.gz")) {
    forged <- forge(model$document)
    expect_identical(unname(predict(forged, model$rows, type = "prob")), model$response)
    expect_identical(unname(predict(forged, model$rows)), model$response[, 2])
    for (write in list(write_onnx, write_xgboost)) {
      expect_contree_error(write(forged, tempfile()), "unsupported")
    }
  }
})

test_that("H2O's probabilities and numbers are its own, to the last bits", {
  for (model in zoo_models("zoo-h2o-3.44.0.3.gz")) {
    forged <- forge(model$document)
    rows <- rows_with_levels(forged$forest, model$rows)
    said <- quiet(predict(forged, rows, type = if (length(forged$forest$classes)) "prob" else
      "response"))
    expect_equal(unname(as.matrix(said)), model$response, tolerance = 1e-15, info = model$name)
    if (length(forged$forest$classes) == 2) {
      class <- quiet(predict(forged, rows, type = "class"))
      second <- model$response[, 2] >= forged$forest$second_from
      expect_identical(as.integer(class), 1L + second, info = model$name)
    }
  }
})

test_that("contributions, exports and rows one by one know what is added last", {
  models <- zoo_models("zoo-treelite-4.8.1.gz")
  models <- Filter(function(model) model$name %in% c("xgboost-binary", "xgboost-poisson"), models)
  expect_length(models, 2)
  for (model in models) {
    forged <- forge(model$document)
    expect_false(is.null(forged$forest$last), info = model$name)
    all <- predict(forged, model$rows, type = "contributions")
    expect_equal(rowSums(all), model$margin[, 1], tolerance = 1e-6, info = model$name)
    by_one <- contree_predictor(forged, "margin")
    expect_identical(by_one(model$rows[1, ]), model$margin[1], info = model$name)
    for (write in list(as_c, function(x) write_onnx(x, tempfile()),
                       function(x) write_xgboost(x, tempfile()))) {
      expect_contree_error(write(forged), "unsupported", "base scores in doubles")
    }
  }
})

test_that("spoiled binary documents are errors, or are read", {
  skip_if_not_installed("jsonlite")
  set.seed(4)
  models <- lapply(c("zoo-treelite-4.8.1.gz", "zoo-ydf-0.16.1.gz", "zoo-h2o-3.44.0.3.gz"),
                   function(file) zoo_models(file)[[1]])
  binary <- zoo_models("zoo-catboost-binary-1.2.10.gz")
  grown <- vapply(binary, function(model) model$name %in% c("rmse", "Lossguide-classes"), NA)
  for (model in c(models, binary[grown])) {
    bytes <- model$document
    for (cut in sample(length(bytes) - 20L, 8) + 15L) {
      expect_contree_error(import_forest(bytes[seq_len(cut)]), "input")
    }
    for (try in 1:40) {
      spoiled <- bytes
      spoiled[sample(15:length(bytes), 2)] <- as.raw(sample(0:255, 2))
      said <- tryCatch(import_forest(spoiled), error = identity)
      if (inherits(said, "error")) expect_s3_class(said, "contree_error") else
        expect_s3_class(said, "forest_ir")
    }
  }
})

test_that("a document that is cut off is an error, whoever made it", {
  set.seed(5)
  for (file in zoo) {
    model <- zoo_models(file)[[1]]
    if (model$kind %in% c("json", "cbm")) skip_if_not_installed("jsonlite")
    bytes <- model$document
    end <- if (model$kind == "txt") grepRaw("end of trees", bytes) + 11L else length(bytes)
    for (cut in sample(end - 3L, 7)) { # the last bytes of H2O's say that there is no comment
      expect_error(import_forest(bytes[seq_len(cut)]), class = "contree_error",
                   info = paste(file, cut))
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
  refused("\"FloatFeature\"", "\"TextFeature\"", "TextFeature")
  refused("\"RMSE\"", "\"RMSEWithUncertainty\"", "RMSEWithUncertainty")
  refused("\"scale_and_bias\": [1", "\"scale_and_bias\": [2", "scale")
  refused("\"float_feature_index\": 0", "\"float_feature_index\": 7", "float_features",
          "contree_input_error")
  expect_contree_error(import_forest(charToRaw(text), iterations = 1), "input", "rounds")
  expect_contree_error(import_forest(charToRaw(text), "xgboost"), "input", "not a model of xgboost")
})

test_that("what a binary model of CatBoost has besides is refused by name", {
  skip_if_not_installed("jsonlite")
  bytes <- zoo_models("zoo-catboost-binary-1.2.10.gz")[[1]]$document
  refused <- function(bytes, what, class = "contree_input_error") {
    expect_error(import_forest(bytes), what, class = class)
  }
  refused(c(bytes, as.raw(0)), "longer")
  other <- bytes
  other[grepRaw("Model_v1", bytes) + 7L] <- charToRaw("2")
  refused(other, "FlabuffersModel_v2", "contree_unsupported_error")
  expect_contree_error(import_forest(bytes, iterations = 1), "input", "rounds")
  expect_contree_error(import_forest(bytes, "lightgbm"), "input", "not a model of lightgbm")
})

# Tables of FlatBuffers by hand: each has its list of fields before it.
test_that("parts of a binary document that lie on each other are errors", {
  number <- function(x) writeBin(as.integer(x), raw(), size = 4L, endian = "little")
  short <- function(x) writeBin(as.integer(x), raw(), size = 2L, endian = "little")
  at <- new.env()
  at$bytes <- c(short(c(6, 8, 4)), short(0), number(8), number(4), number(3), number(c(7, 8, 9)))
  at$left <- length(at$bytes)
  table <- fb_table(at, 8)
  expect_identical(table, list(place = 8, fields = 4))
  expect_identical(fb_vector(at, table, 0L, "int"), c(7, 8, 9))
  expect_identical(fb_vector(at, table, 1L, "int"), numeric())
  expect_identical(fb_number(at, table, 1L, "int", -1), -1)
  expect_contree_error(for (i in 1:99) fb_vector(at, table, 0L, "int"), "input", "on each other")
  at$bytes[17] <- as.raw(4) # longer than there are bytes
  expect_contree_error(fb_vector(at, table, 0L, "int"), "input", "too early")
  expect_contree_error(fb_table(at, 1e6), "input", "too early")
})

# A jump of 0 on one side only: the node is itself the leaf there. A node with two parents is none
# of a tree.
test_that("nodes of a binary model of CatBoost may be leaves on one side", {
  features <- list(column = 1L, place = 0L, nan_left = TRUE)
  split <- function(border) list(split_type = "FloatFeature", float_feature_index = 0L,
                                 border = border)
  tree <- list(splits = list(split(1), split(2), split(3)), left = c(0, 1, 0), right = c(1, 0, 0),
               id = c(1, 3, 2), values = matrix(c(10, 20, 30), 1))
  made <- read_cbm_tree(tree, features, 1L)
  forest <- new_forest_ir(list(made), 1L, less = "<=", number = "float")
  expect_identical(unname(predict(forge(forest), cbind(c(NA, 1, 1.5, 2.5)), type = "margin")),
                   c(10, 10, 20, 30))
  tree$left <- c(1, 1, 0)
  tree$right <- c(1, 0, 0)
  expect_contree_error(new_forest_ir(list(read_cbm_tree(tree, features, 1L)), 1L), "input", "cycle")
  tree$id[3] <- 1.5
  expect_error(read_cbm_tree(tree, features, 1L), "not valid", class = "contree_input_error")
})

test_that("tables of CatBoost's document that another took the place of are refused", {
  skip_if_not_installed("jsonlite")
  text <- rawToChar(Filter(function(model) model$name == "statistics",
                           zoo_models("zoo-catboost-levels-1.2.10.gz"))[[1]]$document)
  read <- function(from, to) {
    expect_match(text, from, fixed = TRUE)
    import_forest(charToRaw(sub(from, to, text, fixed = TRUE)))
  }
  refused <- function(from, to) {
    expect_contree_error(read(from, to), "unsupported", "several divisions")
  }
  refused("\"type\": \"RMSE\"", "\"type\": \"MultiRMSE\"")
  first <- regexpr("\"ctrs\": \\[\\{.*?\"target_border_idx\": 0\\}", text,
                   perl = TRUE)
  first <- regmatches(text, first)
  refused(first, paste0(first, sub("\"ctrs\": [", ", ", first, fixed = TRUE)))
  settings <- function(...) {
    each <- paste0("{\"ctr_type\": \"Borders\", \"target_binarization\": {\"border_count\": ",
                   c(...), "}}")
    paste0("\"params\": {\"cat_feature_params\": {\"simple_ctrs\": [",
           paste(each, collapse = ", "), "]}, ")
  }
  refused("\"params\": {", settings(1, 3))
  expect_s3_class(read("\"params\": {", settings(1, 1)), "forest_ir")
})

test_that("several expectiles of XGBoost, which are differences, are refused", {
  skip_if_not_installed("jsonlite")
  text <- rawToChar(Filter(function(model) model$name == "targets",
                           zoo_models("zoo-xgboost-3.4.1.gz"))[[1]]$document)
  text <- gsub("reg:squarederror", "reg:expectileerror", text, fixed = TRUE)
  expect_contree_error(import_forest(charToRaw(text)), "unsupported", "expectile_alpha")
})

test_that("names of categories that XGBoost cut are refused", {
  named <- function(offsets, bytes) {
    xgboost_level_names(list(offsets = offsets, values = bytes))
  }
  expect_identical(named(c(0, 1, 3), c(97, -61, -89)), c("a", "\u00e7"))
  expect_contree_error(named(c(0, 1, 2), c(97, -61)), "unsupported", "cut within a letter")
})
