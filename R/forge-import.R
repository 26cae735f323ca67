# import_forest(): files, raw vectors and fitted objects to ensembles.

#' Import a tree ensemble
#'
#' Reads a model of XGBoost, LightGBM, CatBoost, scikit-learn, treelite, ydf, H2O, PMML, ranger,
#' randomForest, gbm, rpart, partykit or this package, with everything that determines its
#' predictions: how values are converted and compared, which values count as missing, and in which
#' order and precision trees are summed.
#' [forge()] predicts with it faster than the original software and with the same results, bit for
#' bit.
#'
#' @order 1
#' @section Formats:
#' * `"xgboost"`: files of `xgb.save()` or `save_model()`, JSON (needs the package `jsonlite`) or
#'   UBJ; boosters `gbtree` and `dart`, numbers and categories, single trees for several outputs.
#'   Comparisons and sums are in single precision. Several labels of `binary:logistic` have
#'   independent probabilities and are not classes. The linear booster, and several
#'   expectiles, are not supported.
#' * `"lightgbm"`: the text format of `lgb.save()` or `save_model()`; categories, the three rules
#'   for missing values, random forests, linear leaves, all objectives except those that users
#'   define. Text that was cut off is an error.
#' * `"catboost"`: the binary format of `save_model()`, `.cbm`, and the JSON of
#'   `save_model(format = "json")` (both need `jsonlite`), with symmetric and other trees.
#'   Comparisons are in single precision, sums in double. Categories need the JSON and the argument
#'   `pool` of `save_model()`, by which the document lists their texts; whole numbers are texts,
#'   and missing ones an error. Statistics of combinations of categories (`max_ctr_complexity` above
#'   1), and of several targets or numbers of borders, texts and embeddings are an error.
#' * `"onnx"`: an ONNX graph with one `TreeEnsembleRegressor` or `TreeEnsembleClassifier` of
#'   `ai.onnx.ml` 1 to 4, or one `TreeEnsemble` of version 5, as written by the converters of
#'   scikit-learn, XGBoost, LightGBM and CatBoost: tests `<=`, `<`, `>` and `>=`; sums, or averages
#'   without base values. The base is added last, as in ONNX Runtime. `Exp`, `Sigmoid`, `Softmax`,
#'   and `Normalizer` with the norm L1, may follow as links, also `Div` of sums by a number, and
#'   `Mul` of the result of `Exp`. Transforms that ONNX Runtime ignores (of one number), or whose
#'   numbers in version 5 it takes for others, are an error.
#'
#' * `"treelite"`: checkpoints of version 4, `Model.serialize()`. Rows have the type of the leaves.
#'   Tests of equality are an error.
#' * `"ydf"`: the folder of `save()` or the bytes of `serialize()`: boosted trees, random forests,
#'   single trees. Margins are those of the engine that `predict()` uses. Oblique splits, features
#'   that are sets, categories that are numbers already, and models of TensorFlow Decision Forests
#'   are an error. An empty text is missing there: give `NA`.
#' * `"h2o"`: MOJO files of gradient boosting and random forests (version 1.2 and later, trained
#'   without an offset, balanced classes and encodings of categories). Of two classes the second is
#'   predicted if its probability is at least the default threshold of the model.
#' * `"pmml"`: PMML 4 (needs the package `xml2`) with a `TreeModel`, or a `MiningModel` of trees
#'   that are summed, averaged or counted (`majorityVote`), also in a chain with a regression that
#'   is a link, as written by [write_pmml()] and by JPMML's converters. Missing values without a
#'   prediction there are an error here. Scales of sums, weights, surrogate splits, derived fields,
#'   replaced missing values, models in leaves, and fields of both number types are not supported.
#'
#' Where a file names the levels of categories (XGBoost since 3.1, LightGBM from data frames of
#' pandas), factors and characters of new data are matched by level, and a matrix has their codes,
#' from 0. A new level is an error for XGBoost, as there, and missing for LightGBM.
#'
#' Objects: `xgb.Booster` and `lgb.Booster`, by the formats above, and
#' * `ranger`: regression, classification, probability and survival forests, whose margins are
#'   cumulative hazards, and responses probabilities of survival, at the times of death; missing
#'   values are an error in prediction for forests grown before version 0.16.4, which has a rule for
#'   them. Where the forest does not know its levels, factors and characters are taken by their
#'   codes in the new data, as there;
#' * `randomForest`: regression and classification, also joined by `combine()`;
#' * `gbm`;
#' * `rpart`: rows with missing values, or with a level of which their node had no training row,
#'   follow surrogate splits as there (`usesurrogate`), but have no contributions; classes follow
#'   the losses;
#' * `party` of partykit whose leaves are constants (`constparty`, as made by `ctree()` and
#'   `as.party()`), with any number of children; missing values and `-Inf` are errors in prediction,
#'   since partykit uses surrogate splits or random numbers for them;
#' * fits of [contree()] and [hist_forest()], and of [gmt()] without an offset, also with linear
#'   leaves; trees read by [contree_from_json()].
#'
#' * estimators of scikit-learn, as reticulate passes them to R: decision trees, random forests,
#'   extra trees, bagging of trees, gradient boosting, also by histograms and with categories (from
#'   version 1.4), `AdaBoostClassifier` with the algorithm SAMME, and `IsolationForest`, whose
#'   response is `score_samples()`. Thresholds are compared with rows in single precision, as there
#'   (not by histograms), trees are summed in double precision. Margins are proportions of classes;
#'   several responses of classes have theirs side by side. Categories are matched by value; missing
#'   values are an error where the estimator refuses them.
#'
#' Anything that is not supported is an error that names it.
#'
#' @section Margins:
#' Margins are equal to those of the original software, bit for bit, on any machine and with any
#' number of threads: for XGBoost to those of its CPU predictor (`outputmargin = TRUE`), for
#' LightGBM to raw scores, for boosting in scikit-learn to `_raw_predict()`, else to the result of
#' `predict()` of the package (`predict_proba()` in scikit-learn, with one job; for AdaBoost
#' `decision_function()`, for isolation the sum of the path lengths). XGBoost 1.7, 2.1, 3.0, 3.2 and
#' 3.4, LightGBM 3.3, 4.3 and 4.7, CatBoost 0.26 to 1.2, ONNX Runtime 1.32, scikit-learn 1.2 to 1.9,
#' treelite 4.0 and 4.8, ydf 0.16, H2O 3.44, ranger 0.14, randomForest 4.7 and gbm 2.1 have been
#' compared. Infinite numbers, which XGBoost and scikit-learn refuse, are compared as numbers.
#' Classification forests of ranger and randomForest break ties between classes with equally many
#' votes at random; here the first of them wins.
#'
#' @section Safety:
#' Files are treated as data: nothing in them is executed. A file may have up to 1 GB. Trees are
#' checked before use (children exist, no node has two parents, values are finite).
#'
#' @param x The path of a file (of ydf also a folder), a raw vector with its contents, either of
#'   them as it is or compressed by gzip, or a fitted object.
#' @param format Format of a file or raw vector: `"auto"` (the default, detected from its first
#'   bytes), `"xgboost"`, `"lightgbm"`, `"catboost"`, `"onnx"`, `"treelite"`, `"ydf"`, `"h2o"` or
#'   `"pmml"`.
#' @param iterations For XGBoost, LightGBM and gbm: number of boosting rounds to use, counted from
#'   the first; `NULL` (the default) for all. The best round of early stopping is not selected
#'   automatically.
#' @param extrapolate For a fit of [gmt()]: evaluate the models without limits, as in
#'   [predict.gmt()]?
#' @param ... Not used.
#' @return An object of class `forest_ir`, for [forge()]: a plain list, which can be saved.
#' @section Errors:
#' `contree_input_error` if `x` cannot be read, `contree_unsupported_error` for what is not
#' supported, or if `jsonlite` is not installed.
#' @seealso [forge()].
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
#' import_forest(fit)
#' @export
import_forest <- function(x, ...) UseMethod("import_forest")

#' @rdname import_forest
#' @export
import_forest.default <- function(x, format = c("auto", "xgboost", "lightgbm", "catboost", "onnx",
                                                "treelite", "ydf", "h2o", "pmml"),
                                  iterations = NULL, ...) {
  check_no_dots(...)
  if (!is.raw(x) && !is_path(x)) {
    stop_unsupported("x", gettextf(
      "import_forest() reads files, raw vectors, and objects of %s; 'x' is %s",
      "xgboost, lightgbm, scikit-learn, ranger, randomForest, gbm, rpart, partykit and contree",
      show_value(x)))
  }
  format <- check_choice("format", format)
  check_iterations(iterations)
  if (is.character(x) && dir.exists(x)) {
    return(of_binary(read_ydf(ydf_of_folder(x))))
  }
  bytes <- unpack_gzip(if (is.raw(x)) x else read_bytes(x))
  kind <- kind_of_bytes(bytes)
  if (!nzchar(kind)) refuse_unknown(bytes)
  document <- switch(kind, json = parse_json(bytes), ubj = parse_ubj(bytes),
                     cbm = of_binary(parse_cbm(bytes)))
  if (kind == "json") kind <- kind_of_document(document)
  maker <- c(json = "xgboost", ubj = "xgboost", lightgbm = "lightgbm", onnx = "onnx",
             catboost = "catboost", cbm = "catboost", treelite = "treelite", ydf = "ydf",
             h2o = "h2o", pmml = "pmml")
  if (format != "auto" && !maker[kind] %in% format) {
    refuse_document(gettextf("it is not a model of %s", format))
  }
  switch(kind,
         onnx = read_onnx(bytes),
         json = , ubj = read_xgboost(document, iterations),
         catboost = read_catboost(document, iterations),
         cbm = of_binary(read_catboost(document, iterations)),
         treelite = of_binary(read_treelite(bytes)),
         ydf = of_binary(read_ydf(ydf_of_bytes(bytes))), h2o = of_binary(read_h2o(bytes)),
         pmml = of_binary(read_pmml_forest(bytes)),
         lightgbm = read_lightgbm(bytes, iterations))
}

# Readers of binary documents check what they use; what is wrong besides is that parts of a document
# do not fit together.
of_binary <- function(read) {
  tryCatch(read, error = function(problem) {
    if (inherits(problem, "contree_error")) stop(problem)
    refuse_document(gettextf("its parts do not fit together (%s)", conditionMessage(problem)))
  })
}

most_bytes <- 2^30

is_path <- function(x) is.character(x) && length(x) == 1 && !is.na(x)

check_iterations <- function(iterations) {
  if (is.null(iterations)) return(invisible())
  check_number("iterations", iterations, gettext("a whole number of at least 1"), is_count)
}

read_bytes <- function(path) {
  size <- file.size(path)
  if (is.na(size)) {
    stop_input("x", gettextf("the file '%s' does not exist", path))
  }
  check_size(size)
  readBin(path, "raw", size)
}

check_size <- function(size) {
  if (size > most_bytes) refuse_document(gettextf("it has more than %.0f bytes", most_bytes))
}

unpack_gzip <- function(bytes) {
  n <- length(bytes)
  if (n < 18 || bytes[1] != as.raw(0x1f) || bytes[2] != as.raw(0x8b)) return(bytes)
  check_size(sum(as.integer(bytes[n - 3:0]) * 256^(0:3))) # it ends with its size
  tryCatch(memDecompress(bytes, "gzip"), error = function(problem) {
    refuse_document(gettext("it is compressed by gzip, and damaged"))
  })
}

# "json", "ubj", "lightgbm", "onnx" or "": objects of UBJ go on with the length of a name, those of
# JSON with a name or white space; ONNX begins with its version, a small number.
kind_of_bytes <- function(bytes) {
  first <- utils::head(bytes, 24)
  if (length(first) > 2 && first[1] == as.raw(8) && first[2] < as.raw(32)) return("onnx")
  if (identical(first[1:4], charToRaw("CBM1"))) return("cbm")
  if (is_treelite(first)) return("treelite")
  if (is_ydf(first)) return("ydf")
  if (is_mojo(first)) return("h2o")
  if (is_pmml(bytes)) return("pmml")
  first <- rawToChar(first[first != 0])
  if (startsWith(first, "tree\n") || startsWith(first, "tree\r\n")) return("lightgbm")
  if (grepl("^[[:space:]]*\\{[[:space:]]*\"", first, useBytes = TRUE)) return("json")
  if (grepl("^\\{[LlIiU$#]", first, useBytes = TRUE)) return("ubj")
  ""
}

# A version in three numbers, and two types.
is_treelite <- function(first) {
  numbers <- as.integer(first)
  length(first) > 13L && numbers[1] %in% 3:4 && all(numbers[c(2:4, 6:8, 10:12)] == 0L) &&
    numbers[13] %in% 1:3 && numbers[14] %in% 1:3
}

# Of what is in a JSON document: "json" for XGBoost, which says itself what is not right.
kind_of_document <- function(document) {
  if (!is.null(document$features_info) && !is.null(document$scale_and_bias)) return("catboost")
  if (!is.null(document$tree_info) && !is.null(document$feature_names)) {
    refuse_feature(gettext("a dump of LightGBM"), gettext("save the model with save_model()"))
  }
  "json"
}

# What is known of other formats.
refuse_unknown <- function(bytes) {
  first <- utils::head(bytes, 512)
  has <- function(word) length(grepRaw(word, first, fixed = TRUE)) > 0
  save <- gettext("save the model with save_model() or xgb.save(), as JSON or UBJ")
  if (has("booster[") || has("\"nodeid\"")) refuse_feature(gettext("a dump of XGBoost"), save)
  if (has("gbtree") || has("dart")) {
    refuse_feature(gettext("the binary format of XGBoost before 2.0"), save)
  }
  refuse_document(gettext(paste(
    "its format is not recognised; save models of XGBoost as JSON or UBJ, of LightGBM as text,",
    "of CatBoost as JSON or cbm, of H2O as MOJO, of treelite and ydf by serialize()")))
}

text_of <- function(bytes) {
  text <- if (!any(bytes == as.raw(0))) rawToChar(bytes)
  if (is.null(text) || !validUTF8(text)) refuse_document(gettext("it is not text in UTF-8"))
  Encoding(text) <- "UTF-8"
  text
}

# ---- boosters of R -------------------------------------------------------------------------------

#' @rdname import_forest
#' @export
import_forest.xgb.Booster <- function(x, iterations = NULL, ...) {
  check_no_dots(...)
  need_package("xgboost", "import_forest()")
  import_forest.default(saved_xgboost(x), "xgboost", iterations)
}

saved_xgboost <- function(x) getExportedValue("xgboost", "xgb.save.raw")(x, raw_format = "ubj")

#' @rdname import_forest
#' @export
import_forest.lgb.Booster <- function(x, iterations = NULL, ...) {
  check_no_dots(...)
  need_package("lightgbm", "import_forest()")
  import_forest.default(charToRaw(x$save_model_to_string(num_iteration = -1L)), "lightgbm",
                        iterations)
}
