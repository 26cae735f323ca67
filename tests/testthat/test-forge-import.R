# Documents of XGBoost and LightGBM against what these libraries said of hostile rows.

models <- forge_models()

test_that("leaves and margins are the makers' own, to the last bit", {
  for (i in seq_len(nrow(models))) {
    model <- models[i, ]
    rows <- forge_rows(model)
    forged <- forge(import_model(model))
    margin <- forge_margin(model)
    expect_identical(unname(predict(forged, rows, type = "leaf")), forge_leaf(model),
                     info = model$name)
    expect_identical(unname(as.matrix(predict(forged, rows, type = "margin"))), margin,
                     info = model$name)
    for (sums in sums_by_ways(forged, rows)) expect_identical(sums, margin, info = model$name)
  }
})

test_that("responses are the makers', within the rounding of their functions", {
  for (i in seq_len(nrow(models))) {
    model <- models[i, ]
    if (model$name == "xgb-forest") next # multi:softmax says classes
    forged <- forge(import_model(model))
    response <- forge_matrix(paste0(model$name, ".response"), model$outputs, "float")
    expect_equal(unname(as.matrix(predict(forged, forge_rows(model)))), response,
                 tolerance = 1e-5, info = model$name)
  }
})

test_that("classes are those of the largest response", {
  model <- models[models$name == "xgb-forest", ]
  said <- forge_matrix("xgb-forest.response", 1, "float")
  forged <- forge(import_model(model))
  expect_identical(as.character(predict(forged, forge_rows(model), type = "class")),
                   as.character(said))
  binary <- forge(import_model(models[models$name == "xgb-logistic", ]))
  rows <- forge_rows(models[models$name == "xgb-logistic", ])
  prob <- predict(binary, rows, type = "prob")
  expect_identical(colnames(prob), c("0", "1"))
  expect_identical(prob[, 2], predict(binary, rows))
  expect_identical(predict(binary, rows, type = "class") == "1", unname(prob[, 2] > 0.5))
})

test_that("one row at a time gives the same", {
  for (name in c("xgb-codes", "lgb-multiclass", "xgb-vectors")) {
    model <- models[models$name == name, ]
    rows <- forge_rows(model)
    forged <- forge(import_model(model))
    one <- lapply(seq_len(20), function(i) {
      as.vector(predict(forged, rows[i, , drop = FALSE], type = "margin"))
    })
    expect_identical(do.call(rbind, one), forge_margin(model)[1:20, , drop = FALSE], info = name)
  }
})

test_that("JSON and UBJ of one model are one forest", {
  skip_if_not_installed("jsonlite")
  text <- '{"learner":{"a":[1,2.5,-3],"b":"x","c":{},"d":[],"e":[true,false],"f":null}}'
  bytes <- as.raw(c(
    charToRaw("{U"), 7, charToRaw("learner{U"), 1, charToRaw("a[$d#U"), 3,
    0x3f, 0x80, 0, 0, 0x40, 0x20, 0, 0, 0xc0, 0x40, 0, 0, charToRaw("U"), 1, charToRaw("bSU"), 1,
    charToRaw("xU"), 1, charToRaw("c{}U"), 1, charToRaw("d[#U"), 0, charToRaw("U"), 1,
    charToRaw("e[TF]U"), 1, charToRaw("fZ}}")))
  ours <- parse_ubj(bytes)
  expect_identical(ours$learner$a, c(1, 2.5, -3))
  expect_identical(ours$learner$b, "x")
  expect_identical(ours$learner$e, list(TRUE, FALSE))
  expect_true("f" %in% names(ours$learner))
  theirs <- parse_json(charToRaw(text))
  expect_identical(theirs$learner$a, ours$learner$a)
})

test_that("long integers of UBJ have all their bits", {
  bytes <- as.raw(c(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0x80, 0, 0, 0, rep(0xff, 8)))
  expect_identical(ubj_long(bytes, 3), c(2^32 - 1, 2^32 + 2^31, -1))
})

test_that("decimals halfway between floats go to the even one, or are refused if not all there", {
  expect_identical(floats(c(0.1, 1e-45, 3.4028235e38, -0.3, Inf)),
                   c(13421773 / 2^27, 2^-149, (2 - 2^-23) * 2^127, -10066330 / 2^25, Inf))
  expect_identical(floats(c(1600000064, 1600000192, -1600000064, 8388608.5, 8388609.5)),
                   c(1600000000, 1600000256, -1600000000, 8388608, 8388610))
  expect_contree_error(floats(1 + 2^-24), "input")
})

test_that("base scores get their objective's margin", {
  skip_if_not_installed("jsonlite")
  text <- readLines(forge_fixture("xgb-regression.json"), warn = FALSE)
  with_base <- function(score, objective) {
    text <- sub('"base_score":"[^"]*"', paste0('"base_score":"', score, '"'), text)
    text <- sub("reg:squarederror", objective, text, fixed = TRUE)
    import_forest(charToRaw(text))$ensemble$base
  }
  expect_identical(with_base("[2.5E-1]", "reg:squarederror"), 0.25)
  expect_identical(with_base("0.25", "reg:squarederror"), 0.25)
  expect_equal(with_base("[2.5E-1]", "binary:logistic"), log(1 / 3), tolerance = 1e-6)
  expect_equal(with_base("[2.5E-1]", "count:poisson"), log(0.25), tolerance = 1e-6)
  expect_contree_error(with_base("[0E0]", "count:poisson"), "input")
  expect_contree_error(with_base("[1,2]", "reg:squarederror"), "input")
  expect_contree_error(with_base("x", "reg:squarederror"), "input")
  expect_contree_error(with_base("1", "rank:unknown"), "unsupported", "rank:unknown")
})

test_that("weights of trees are found where each version writes them", {
  skip_if_not_installed("jsonlite")
  model <- models[models$name == "xgb-dart", ]
  text <- readLines(forge_fixture(model$file), warn = FALSE)
  weights <- regmatches(text, regexpr("\"weight_drop\":\\[[^]]*\\]", text))
  inner <- regmatches(text, regexec("\"gbtree\":\\{(\"model\":.*),\"name\":\"gbtree\"\\},\"name\"",
                                    text))[[1]][2]
  expect_match(inner, "^\"model\"")
  within <- function(booster) {
    changed <- sub("\"gradient_booster\":.*\\},\"learner_model_param\"",
                   paste0("\"gradient_booster\":{", booster, "},\"learner_model_param\""), text)
    import_forest(charToRaw(changed))
  }
  said <- function(forest) unname(as.matrix(predict(forge(forest), forge_rows(model), "margin")))
  # as 3.3 has it, and later versions
  expect_identical(said(within(paste0(inner, ",\"name\":\"gbtree\",", weights))),
                   forge_margin(model))
  among <- sub("\"model\":{", paste0("\"model\":{", weights, ","), inner, fixed = TRUE)
  expect_identical(said(within(paste0(among, ",\"name\":\"gbtree\""))), forge_margin(model))
  expect_contree_error(within(paste0(among, ",\"name\":\"gbtree\",", weights)), "input", "twice")
  short <- sub("\\[[^,]*,", "[", weights)
  expect_contree_error(within(paste0(inner, ",\"name\":\"gbtree\",", short)), "input",
                       "weight_drop")
  expect_contree_error(within(paste0("\"gbtree\":{", inner, "},\"name\":\"dart\"")), "input",
                       "weight_drop")
})

test_that("several labels are not taken for classes", {
  for (model in Filter(function(model) startsWith(model$name, "labels"),
                       zoo_models("zoo-xgboost-2.1.4.gz"))) {
    if (model$kind == "json") skip_if_not_installed("jsonlite")
    forged <- forge(model$document)
    expect_identical(dim(predict(forged, model$rows)), dim(model$response))
    for (type in c("class", "prob")) {
      expect_contree_error(predict(forged, model$rows, type = type), "unsupported", "classes")
    }
  }
})

test_that("sizes are checked before anything is made of them", {
  skip_if_not_installed("jsonlite")
  text <- readLines(forge_fixture("xgb-softprob.json"), warn = FALSE)
  many <- sub("\"num_class\":\"3\"", "\"num_class\":\"1000000000\"", text)
  expect_contree_error(import_forest(charToRaw(many)), "input", "65536 outputs")
})

test_that("large codes in a small document are refused before there is a set for each", {
  sets <- new_sets()
  sets$codes <- most_set_codes - 2
  expect_identical(add_set(sets, c(TRUE, FALSE)), 1L)
  expect_contree_error(add_set(sets, TRUE), "input", "too large")
})

test_that("text of LightGBM that is cut off is refused", {
  bytes <- readBin(forge_fixture("lgb-regression.txt"), "raw", 1e6)
  end <- grepRaw("end of trees", bytes) + 11L
  expect_s3_class(import_forest(bytes[seq_len(end)]), "forest_ir")
  for (n in c(seq(60L, end - 1L, by = 37L), end - 1L)) {
    expect_error(import_forest(bytes[seq_len(n)]), class = "contree_input_error", info = n)
  }
  text <- rawToChar(bytes)
  without <- sub("\nTree=1\n.*\nTree=2\n", "\nTree=2\n", text)
  expect_contree_error(import_forest(charToRaw(without)), "input", "4")
  twice <- sub("\nTree=2\n", "\nTree=1\n", text, fixed = TRUE)
  expect_contree_error(import_forest(charToRaw(twice)), "input", "other trees")
})

test_that("rounds are counted", {
  model <- models[models$name == "xgb-first", ]
  path <- forge_fixture(model$file)
  skip_if_not_installed("jsonlite")
  expect_length(import_forest(path)$ensemble$roots, 5)
  expect_length(import_forest(path, iterations = 3)$ensemble$roots, 3)
  expect_contree_error(import_forest(path, iterations = 6), "input")
  expect_contree_error(import_forest(path, iterations = 0), "input")
  forest <- import_forest(forge_fixture("lgb-multiclass.txt"), iterations = 2)
  expect_length(forest$ensemble$roots, 6)
  expect_contree_error(import_forest(forge_fixture("lgb-multiclass.txt"), iterations = 4), "input")
})

test_that("what is not supported is refused by name", {
  text <- readLines(forge_fixture("lgb-regression.txt"))
  changed <- function(pattern, by) {
    expect_true(any(grepl(pattern, text)))
    import_forest(charToRaw(paste(sub(pattern, by, text), collapse = "\n")))
  }
  expect_contree_error(changed("^is_linear=0", "is_linear=1"), "input", "leaf_const")
  expect_contree_error(changed("^objective=.*", "objective=mine"), "unsupported", "mine")
  expect_contree_error(changed("^objective=.*", "objective=poisson sqrt"), "unsupported", "sqrt")
  expect_contree_error(changed("^objective=.*", "objective=binary sigmoid:x"), "input", "sigmoid:x")
  expect_contree_error(import_forest(charToRaw("x,y\n1,2\n")), "input")
  expect_contree_error(import_forest("no such file"), "input", "no such file")
  expect_contree_error(import_forest(1:3), "unsupported")
  expect_contree_error(import_forest(forge_fixture("lgb-regression.txt"), "xgboost"), "input")
})

test_that("formats that are not read are named, with what to do", {
  skip_if_not_installed("jsonlite")
  said <- function(text, what) {
    expect_error(import_forest(charToRaw(text)), what, class = "contree_unsupported_error")
  }
  said("booster[0]:\n0:[f0<0.5] yes=1,no=2", "dump of XGBoost.*save_model")
  said("[\n  { \"nodeid\": 0, \"leaf\": 1 }\n]", "dump of XGBoost.*save_model")
  said("{\"name\": \"tree\", \"feature_names\": [\"a\"], \"tree_info\": []}",
       "dump of LightGBM.*save_model")
  expect_contree_error(import_forest(charToRaw("CBM1\n")), "input", "ends too early")
  old <- c(as.raw(c(0, 0, 0, 63, 2, 0, 0, 0)), raw(120), charToRaw("reg:linear"), raw(4),
           charToRaw("gbtree"))
  expect_contree_error(import_forest(old), "unsupported", "binary format of XGBoost")
  expect_contree_error(import_forest(charToRaw("PK")), "input", "JSON")
  text <- readLines(forge_fixture("xgb-regression.json"), warn = FALSE)
  none <- sub("\"trees\":\\[\\{.*\\}\\]", "\"trees\":[]", text)
  expect_contree_error(import_forest(charToRaw(none)), "input", "0 rounds")
})

test_that("spoiled documents end in an error of the package, or in a forest", {
  set.seed(1)
  files <- c("lgb-codes.txt", "xgb-logistic.ubj")
  if (requireNamespace("jsonlite", quietly = TRUE)) files <- c(files, "xgb-codes.json")
  for (file in files) {
    bytes <- readBin(forge_fixture(file), "raw", 1e6)
    for (i in seq_len(30)) {
      spoiled <- bytes
      n <- sample(5, 1)
      if (i %% 3 == 0) spoiled <- spoiled[seq_len(sample(length(bytes), 1))] else
        spoiled[sample(length(bytes), n)] <- as.raw(sample(0:255, n))
      result <- tryCatch(forge(import_forest(spoiled)), contree_error = function(problem) "refused")
      expect_true(identical(result, "refused") || inherits(result, "forged_forest"),
                  info = paste(file, i))
    }
  }
})

test_that("JSON with formats in it is refused, and does not end the process", {
  skip_if_not_installed("jsonlite")
  expect_contree_error(import_forest(charToRaw("{\"a\": %n %n}")), "input", "no JSON")
  expect_contree_error(import_forest(charToRaw("{\"a%n\": 1}")), "input", "learner")
})

test_that("strings that look like missing numbers stay strings", {
  skip_if_not_installed("jsonlite")
  text <- paste('{"a": ["NA", "Inf"], "b": [1, null, 2.5], "c": [["NaN"], [true, false]],',
                '"d": {"e": "NA"}}')
  expect_identical(parse_json(charToRaw(text)),
                   list(a = c("NA", "Inf"), b = c(1, NA, 2.5), c = list("NaN", c(TRUE, FALSE)),
                        d = list(e = "NA")))
  plain <- gsub("(NA|NaN|Inf)", "x", text)
  expect_identical(json_vectors(jsonlite::parse_json(plain)), parse_json(charToRaw(plain)))
  expect_contree_error(import_forest(charToRaw('{"a\\u0000": 1}')), "input", "null character")
})

test_that("deep nesting is refused, not followed", {
  skip_if_not_installed("jsonlite")
  deep <- paste0('{"a":', strrep("[", 1e5), strrep("]", 1e5), "}")
  expect_contree_error(import_forest(charToRaw(deep)), "input", "nested")
  deep <- as.raw(c(charToRaw("{U"), 1, charToRaw("a"), rep(charToRaw("["), 1e5)))
  expect_contree_error(import_forest(deep), "input", "nested")
})

test_that("trees that are none are refused", {
  tree <- list(feature = c(1L, 0L, 0L), threshold = c(0, 0, 0), left = c(2L, 0L, 0L),
               right = c(3L, 0L, 0L), default_left = logical(3), missing = rep(1L, 3),
               set = integer(3), leaf_id = 0:2, values = matrix(c(0, 1, 2)))
  expect_s3_class(new_forest_ir(list(tree), 1), "forest_ir")
  for (change in list(list("left", 1L), list("left", 3L), list("left", 4L), list("left", -1L),
                      list("left", NA_integer_), list("feature", 2L), list("threshold", NaN),
                      list("missing", 7L), list("set", 1L))) {
    spoiled <- tree
    spoiled[[change[[1]]]][1] <- change[[2]]
    expect_error(new_forest_ir(list(spoiled), 1), class = "contree_input_error", info = change[[1]])
  }
})

test_that("documents that come with the package say what their makers said", {
  skip_if_not_installed("jsonlite")
  document <- function(name) system.file("extdata", name, package = "contree")
  said <- utils::read.csv(document("pima-margins.csv.gz"))
  for (maker in c("xgboost", "lightgbm")) {
    file <- document(c(xgboost = "pima-xgboost.json.gz", lightgbm = "pima-lightgbm.txt.gz")[maker])
    fast <- forge(file)
    expect_identical(unname(predict(fast, MASS::Pima.te, type = "margin")), said[[maker]])
    packed <- readBin(file, "raw", file.size(file))
    unpacked <- charToRaw(paste0(readLines(file, warn = FALSE), "\n", collapse = ""))
    expect_identical(import_forest(packed), import_forest(unpacked))
    # what is cut off, or changed anywhere, is not taken for the model
    expect_contree_error(import_forest(packed[1:2000]), "input", "'x' cannot be read")
    for (at in c(3, 12, 500, length(packed) - c(6, 0))) {
      changed <- replace(packed, at, xor(packed[at], as.raw(0x5a)))
      expect_contree_error(import_forest(changed), "input", "'x' cannot be read")
    }
  }
})

test_that("linear models of leaves are refused where they have no place", {
  fast <- forge(import_forest(forge_fixture("lgb-linear.txt")))
  expect_output(print(fast), "walks of eight rows at once: leaves are linear models")
  expect_true(all.equal(fast, fast$forest))
  other <- fast$forest
  other$ensemble$slope[3] <- 1
  expect_match(all.equal(fast, other), "linear model$")
  refused <- function(code) expect_error(code, "linear", class = "contree_unsupported_error")
  for (write in list(write_onnx, write_xgboost)) refused(write(fast, tempfile()))
  refused(as_sql(fast))
  refused(as_c(fast))
  refused(forge(fast$forest, sums = "reproducible"))
  rows <- matrix(0, 1, fast$forest$ensemble$n_features)
  refused(predict(fast, rows, type = "contributions"))
  other$ensemble$term_feature[1] <- 9L
  expect_contree_error(forge(other), "input", "term")
})

# LightGBM's text of a tree that asks for codes of two features, and one of a single leaf.
text_of_categories <- function(categories, infos = "0:1:2 0:1 [-1:1]") {
  charToRaw(paste(c(
    "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "max_feature_idx=2",
    "objective=regression", "feature_names=g h a", paste0("feature_infos=", infos),
    "tree_sizes=1 1", "", "Tree=0", "num_leaves=3", "num_cat=2", "split_feature=0 1",
    "split_gain=2 1", "threshold=0 1", "decision_type=1 1", "left_child=1 -1", "right_child=-3 -2",
    "leaf_value=1 2 4", "leaf_count=1 3 4", "internal_count=8 4", "cat_boundaries=0 1 2",
    "cat_threshold=5 2", "", "Tree=1", "num_leaves=1", "leaf_value=0.5", "", "end of trees",
    paste0("pandas_categorical:", categories)), collapse = "\n"))
}

test_that("categories of LightGBM are matched by level, texts and numbers beside each other", {
  skip_if_not_installed("jsonlite")
  forged <- forge(text_of_categories("[[\"red\", \"blue\", \"tan\"], [10, 20]]"))
  new <- data.frame(g = factor(c("tan", "blue", "red", "tan"), c("blue", "red", "tan")),
                    h = factor(c("20", "20", "10", NA), c("20", "10")), a = 0)
  expect_identical(predict(forged, new), c(1.5, 4.5, 2.5, 2.5), ignore_attr = TRUE)
  codes <- cbind(g = c(2, 1, 0, 2), h = c(1, 1, 0, NA), a = 0)
  expect_identical(predict(forged, codes), c(1.5, 4.5, 2.5, 2.5))
  said <- new
  said$g <- as.character(said$g)
  said$g[1] <- "green"
  expect_warning(again <- predict(forged, said), "green", class = "contree_new_levels")
  expect_identical(again, c(4.5, 4.5, 2.5, 2.5), ignore_attr = TRUE)
  # a factor has no codes where the model knows numbers
  unnamed <- forge(text_of_categories("[[\"red\", \"blue\", \"tan\"], [10, 20]]",
                                      "0:1:2 0:1 0:1:2:3"))
  expect_contree_error(predict(unnamed, new), "input", "'g' of 'newdata'")
  forged$forest$asked <- 1:3
  expect_contree_error(predict(forged, transform(new, a = factor(a))), "input", "'a' of 'newdata'")
})

test_that("a tree of one leaf has a share in contributions", {
  forged <- forge(text_of_categories("null"))
  all <- predict(forged, cbind(c(2, 1), c(1, 1), 0), type = "contributions")
  mean <- (1 * 1 + 3 * 2 + 4 * 4) / 8 + 0.5
  expect_equal(unname(all[, 4]), c(mean, mean))
  expect_equal(unname(rowSums(all)), c(1.5, 4.5))
})
