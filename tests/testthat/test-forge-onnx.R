# Models of ONNX against what ONNX Runtime said of their rows (tests/r/forge_onnx.py), and spoiled.

onnx_bytes <- function(name) {
  file <- gzfile(forge_fixture(paste0(name, ".onnx.gz")), "rb")
  on.exit(close(file))
  readBin(file, "raw", 1e6)
}

rows <- forge_matrix("onnx.rows", 5)
outputs <- c("onnx-forest" = 1, "onnx-classes" = 3, "onnx-xgb" = 1, "onnx-xgb-two" = 2,
             "onnx-xgb-three" = 3, "onnx-lgb" = 1, "onnx-5" = 1)

test_that("scores are those of ONNX Runtime", {
  for (name in names(outputs)) {
    forged <- forge(import_forest(onnx_bytes(name)))
    said <- forge_matrix(paste0(name, ".onnx-scores"), outputs[[name]])
    if (forged$forest$link == "identity") {
      ours <- unname(as.matrix(predict(forged, rows, type = "margin")))
      expect_identical(ours, said, info = name)
      for (sums in sums_by_ways(forged, rows)) expect_identical(sums, said, info = name)
    } else {
      ours <- unname(as.matrix(predict(forged, rows, type = "prob")))
      expect_equal(ours, said, tolerance = 1e-6, info = name)
    }
  }
})

test_that("version 5 by hand", {
  forged <- forge(import_forest(onnx_bytes("onnx-5")))
  x <- rbind(c(0, 1), c(0, 0.5), c(1, 0), c(NA, 0), c(0, NA))
  expect_identical(predict(forged, cbind(x, 0, 0, 0)), c(1.25, 2.25, 4.25, 2.25, 2.25))
  expect_identical(forged$forest$ensemble$n_features, 5L)
})

test_that("numbers of messages", {
  bytes <- as.raw(c(8, 150, 1, 0x15, 0, 0, 0x80, 0x3f, 0x1a, 2, 1, 2,
                    32, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1))
  message <- pb_message(bytes)
  expect_identical(message$number, 1:4)
  expect_identical(message$value[c(1, 2, 4)], c(150, 1, -1))
  expect_identical(pb_numbers(message, 3L, 0L), c(1, 2))
  expect_contree_error(pb_message(bytes[1:2]), "input")
  expect_contree_error(pb_message(as.raw(c(0x1a, 3, 1, 2))), "input")
  expect_contree_error(pb_message(as.raw(c(0x1b, 0))), "input")
  expect_contree_error(pb_message(as.raw(c(8, rep(255, 10)))), "input")
})

# The bytes with one text for another of the same length.
changed <- function(name, from, to) {
  bytes <- onnx_bytes(name)
  at <- grepRaw(from, bytes, fixed = TRUE, all = TRUE)
  expect_gt(length(at), 0)
  for (i in at) bytes[i - 1 + seq_len(nchar(from))] <- charToRaw(to)
  bytes
}

test_that("what is not supported is refused by name", {
  refused <- function(from, to, what, name = "onnx-forest", kind = "contree_unsupported_error") {
    expect_error(import_forest(changed(name, from, to)), what, class = kind)
  }
  refused("BRANCH_LEQ", "BRANCH_NEQ", "BRANCH_NEQ")
  refused("TreeEnsembleRegressor", "TreeEnsembleRegressar", "TreeEnsembleRegressar")
  refused("LOGISTIC", "SOMETHIN", "SOMETHIN", "onnx-xgb-two")
  refused("nodes_modes", "nodes_model", "nodes_modes", kind = "contree_input_error")
  expect_contree_error(import_forest(onnx_bytes("onnx-5"), "xgboost"), "input")
})

test_that("only the result of an exponential may be multiplied", {
  model <- Filter(function(model) model$name == "xgboost-poisson",
                  zoo_models("zoo-onnx-1.32.0.gz"))[[1]]
  forest <- import_forest(model$document)
  expect_identical(forest$link, "exp")
  expect_gt(abs(forest$last), 0.01)
  for (to in c("Abs", "Div")) { # the messages of operators have their lengths before them
    at <- grepRaw("\"\003Mul", model$document, fixed = TRUE)
    expect_length(at, 1)
    changed <- replace(model$document, at + 2:4, charToRaw(to))
    expect_error(import_forest(changed), to, class = "contree_unsupported_error")
  }
})

test_that("spoiled documents end in an error of the package, or in a forest", {
  set.seed(2)
  for (name in c("onnx-forest", "onnx-classes", "onnx-5")) {
    bytes <- onnx_bytes(name)
    for (i in seq_len(40)) {
      spoiled <- bytes
      if (i %% 4 == 0) spoiled <- spoiled[seq_len(sample(length(bytes), 1))] else
        spoiled[sample(length(bytes), sample(4, 1))] <- as.raw(sample(0:255, 1))
      result <- tryCatch(forge(import_forest(spoiled)), contree_error = function(problem) "refused")
      expect_true(identical(result, "refused") || inherits(result, "forged_forest"),
                  info = paste(name, i))
    }
  }
})
