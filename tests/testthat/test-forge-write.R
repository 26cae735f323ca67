# Forests written as ONNX and as documents of XGBoost, and read again. What ONNX Runtime and XGBoost
# themselves make of them: tests/r/forge_written.R.

models <- forge_models()

written <- function(write, forest) {
  file <- tempfile()
  on.exit(unlink(file))
  expect_identical(expect_invisible(write(forest, file)), file)
  import_forest(file)
}

expect_same_forest <- function(again, forest, rows, info = NULL) {
  margin <- predict(forge(forest), rows, type = "margin")
  expect_identical(predict(forge(again), rows, type = "margin"), margin, info = info)
  expect_identical(predict(forge(again), rows), predict(forge(forest), rows), info = info)
  expect_identical(again$classes, forest$classes, info = info)
  expect_identical(again$features, forest$features, info = info)
}

test_that("ONNX says the same of hostile rows", {
  for (name in c("xgb-regression", "xgb-logistic", "xgb-poisson", "xgb-softprob", "xgb-forest",
                 "xgb-dart", "xgb-vectors-ubj", "lgb-regression", "lgb-none", "lgb-multiclass",
                 "lgb-onehot")) {
    model <- models[models$name == name, ]
    forest <- import_model(model)
    expect_same_forest(written(write_onnx, forest), forest, forge_rows(model), name)
  }
})

test_that("ONNX has classes, votes, averages and names of this package's forests", {
  rows <- iris[1:4]
  rows$Petal.Width[1:30] <- NA
  for (forest in list(import_forest(hist_forest(Species ~ ., iris, trees = 9, seed = 1)),
                      import_forest(hist_forest(Sepal.Length ~ ., iris[1:4], trees = 9, seed = 1)),
                      import_forest(contree(Species ~ ., iris, depth = 2)))) {
    expect_same_forest(written(write_onnx, forge(forest)), forest, rows)
  }
  forest$ensemble$base <- c(0.5, 0, 1)
  expect_same_forest(written(write_onnx, forest), forest, rows)
  forest$ensemble$base[] <- 0
  forest$ensemble <- base_as_trees(replace(forest$ensemble, "base", list(c(1, 0, 1))))
  forest$ensemble$divisor <- 2 # an average of two trees
  expect_same_forest(written(write_onnx, forest), forest, rows)
})

test_that("ONNX has sets of codes, which are rounded as the source rounds them", {
  set.seed(1)
  for (name in c("lgb-codes", "xgb-codes", "xgb-onehot")) {
    if (name == "xgb-codes") skip_if_not_installed("jsonlite")
    model <- models[models$name == name, ]
    forest <- import_model(model)
    rows <- forge_rows(model)
    codes <- rows
    odd <- c(NA, -1.5, -1, -0.5, -0, 0.5, 1.5, 2, 7.9, 1e6, 1e10, Inf, -Inf)
    codes[] <- sample(c(odd, 0:30), length(codes), replace = TRUE)
    expect_same_forest(written(write_onnx, forest), forest, rbind(rows, codes), name)
    sets <- forest$ensemble
    sets$set_else <- !sets$set_else
    forest$ensemble <- sets
    expect_same_forest(written(write_onnx, forest), forest, rbind(rows, codes), name)
  }
  forest$link <- "logistic"
  forest$classes <- c("no", "yes")
  again <- written(write_onnx, forest)
  expect_same_forest(again, forest, codes)
  expect_identical(predict(forge(again), codes, type = "prob"),
                   predict(forge(forest), codes, type = "prob"))
})

test_that("sets of codes that a graph does not round, or rounds in another way, are refused", {
  file <- tempfile()
  on.exit(unlink(file))
  write_onnx(import_forest(forge_fixture("xgb-onehot.ubj")), file)
  bytes <- readBin(file, "raw", 1e6)
  change <- function(from, to) {
    for (at in grepRaw(from, bytes, fixed = TRUE, all = TRUE)) {
      bytes[at - 1 + seq_len(nchar(from))] <- charToRaw(to)
    }
    bytes
  }
  unsupported <- "contree_unsupported_error"
  expect_error(import_forest(change("Floor", "Round")), "Round", class = unsupported)
  expect_error(import_forest(change("rounded", "unround")), NA)
  expect_error(import_forest(change("mask", "mast")), NA)
  at <- grepRaw("rounded", bytes, fixed = TRUE, all = TRUE)[2] # the input of the trees
  bytes[at - 1 + seq_len(7)] <- charToRaw("another")
  expect_error(import_forest(bytes), "operators before", class = unsupported)
})

test_that("XGBoost's own documents come back as they were", {
  skip_if_not_installed("jsonlite")
  for (name in models$name[startsWith(models$name, "xgb")]) {
    model <- models[models$name == name, ]
    forest <- import_model(model)
    again <- written(write_xgboost, forest)
    expect_same_forest(again, forest, forge_rows(model), name)
    # but weights of trees, which are multiplied into leaves
    if (name != "xgb-dart") expect_true(all.equal(again, forest), info = name)
    expect_identical(again$ensemble$cover, forest$ensemble$cover, info = name)
  }
})

test_that("XGBoost gets the base score and the objective of its own documents", {
  skip_if_not_installed("jsonlite")
  file <- tempfile()
  on.exit(unlink(file))
  for (model in zoo_models("zoo-xgboost-3.2.0.gz")) {
    if (!model$name %in% c("logitraw", "hinge", "binary", "poisson", "labels-2", "softprob")) next
    document <- if (model$kind == "json") parse_json(model$document) else parse_ubj(model$document)
    write_xgboost(import_forest(model$document), file)
    again <- parse_json(readBin(file, "raw", 1e6))
    for (name in c("num_class", "num_target")) {
      expect_identical(again$learner$learner_model_param[[name]],
                       document$learner$learner_model_param[[name]], info = model$name)
    }
    score <- function(document) {
      text <- gsub("[][]", "", document$learner$learner_model_param$base_score)
      floats(as.numeric(strsplit(text, ",")[[1]]))
    }
    expect_identical(score(again), score(document), info = model$name)
    expect_identical(again$learner$objective$name, document$learner$objective$name)
  }
})

test_that("transforms of numbers are operators, since ONNX Runtime takes their names for others", {
  file <- tempfile()
  on.exit(unlink(file))
  names <- c(logistic = "Sigmoid", softmax = "Softmax")
  for (name in c("xgb-logistic.ubj", "xgb-onehot.ubj", "lgb-multiclass.txt")) {
    forest <- import_forest(forge_fixture(name))
    for (link in names(names)) {
      if (link == "softmax" && n_forest_outputs(forest) == 1L) next
      forest$link <- link
      forest["classes"] <- list(NULL)
      write_onnx(forest, file)
      bytes <- readBin(file, "raw", 1e6)
      expect_length(grepRaw(names[[link]], bytes, fixed = TRUE), 1)
      expect_length(grepRaw(toupper(link), bytes, fixed = TRUE), 0)
      expect_identical(import_forest(file)$link, link, info = name)
    }
  }
})

test_that("XGBoost reads tests <= of floats, and bases that are no margin of a score", {
  skip_if_not_installed("jsonlite")
  file <- gzfile(forge_fixture("onnx-forest.onnx.gz"), "rb")
  on.exit(close(file))
  forest <- import_forest(readBin(file, "raw", 1e6))
  forest$ensemble$divisor <- 1
  rows <- forge_matrix("onnx.rows", 5)
  expect_identical(forest$ensemble$less, "<=")
  expect_same_forest(written(write_xgboost, forest), forest, rows)
  for (link in c("logistic", "exp")) {
    forest$link <- link
    forest$ensemble$base <- 300 # 1 / (1 + exp(-300)) is 1
    expect_same_forest(written(write_xgboost, forest), forest, rows)
  }
})

test_that("what a format cannot say is refused by name", {
  refused <- function(write, name, what) {
    forest <- import_forest(forge_fixture(name))
    expect_error(write(forest, tempfile()), what, class = "contree_unsupported_error")
  }
  refused(write_onnx, "lgb-binary.txt", "zero")
  refused(write_onnx, "lgb-forest.txt", "divided")
  refused(write_xgboost, "lgb-none.txt", "tests of doubles")
  forest <- forge(import_forest(forge_fixture("xgb-logistic.ubj")), sums = "reproducible")
  expect_error(write_onnx(forest, tempfile()), "floats with sums of doubles")
  expect_error(write_xgboost(forest, tempfile()), "sums of doubles")
  path <- forge_fixture("xgb-onehot.ubj")
  broken <- function(change) {
    forest <- import_forest(path)
    forest <- change(forest)
    expect_contree_error(write_xgboost(forest, tempfile()), "unsupported")$message
  }
  expect_match(broken(function(f) {
    f$ensemble$set_else[] <- FALSE
    f
  }), "new codes")
  expect_match(broken(function(f) {
    f$ensemble$threshold[f$ensemble$feature > 0L & f$ensemble$set == 0L] <- Inf
    f
  }), "infinite")
  expect_match(broken(function(f) replace(f, "link", "shares")), "votes")
  expect_match(broken(function(f) {
    f$ensemble$divisor <- 2
    f
  }), "average")
  expect_error(write_onnx(import_forest(path), 1), "'file'")
  expect_contree_error(write_onnx(iris, tempfile()), "unsupported")
})

test_that("numbers are packed as Protocol Buffers have them", {
  expect_identical(pb_varints(c(0, 1, 127, 128, 300, 16384, 2^31 - 1)),
                   as.raw(c(0, 1, 127, 128, 1, 172, 2, 128, 128, 1, 255, 255, 255, 255, 7)))
  message <- pb_message(c(pb_whole(1L, 300), pb_texts(2L, c("ab", "", "ab")),
                          pb_wholes(3L, c(5, 1e6)), pb_reals(4L, c(0.5, NaN), 4L)))
  expect_identical(message$number, c(1L, 2L, 2L, 2L, 3L, 4L))
  expect_identical(message$value[1], 300)
  expect_identical(pb_strings(message, 2L), c("ab", "", "ab"))
  expect_identical(pb_numbers(message, 3L, 0L), c(5, 1e6))
  expect_identical(pb_numbers(message, 4L, 5L), c(0.5, NaN))
})
