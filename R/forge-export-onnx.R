# write_onnx(): ensembles as graphs of ONNX. Numbers of fields are those of onnx.proto.

#' @rdname write_pmml
#' @section ONNX:
#' [import_forest()] reads the file back as a forest with the same margins, bit for bit.
#'
#' The graph has one input, `x`, a matrix of floats or doubles (the precision of the forest's tests)
#' with all features in order; factors are given by the codes of the model; missing values are NaN.
#' Its output is `y`, the result of `predict()`, or, for classes, `label` and `probabilities`; if
#' sums are divided by the number of trees, or there are sets of codes, the only output for classes
#' is `y`, the probabilities (of two classes with one margin, that of the second).
#'
#' The operator is `TreeEnsembleClassifier` or `TreeEnsembleRegressor`, version 1 for floats and 3
#' for doubles; forests with sets of codes are `TreeEnsemble`, version 5, with tests
#' `BRANCH_MEMBER`, and their graph truncates codes before them. Implementations add doubles but
#' return floats before version 5. The base value is written as a tree
#' of one leaf, so that sums start with it. The names of the features are stored in the metadata of
#' the model.
#'
#' Not supported are sets of codes with leaves of several values or in a column that is also split
#' by thresholds, tests for which zero counts as missing, tests of floats with sums of doubles, and
#' divisors other than the number of trees.
#'
#' A graph has a number for every row. Where the model refuses missing values, or follows surrogate
#' splits for them, a warning of class `contree_missing_values` says so.
#'
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 10, seed = 1)
#' file <- file.path(tempdir(), "forest.onnx")
#' write_onnx(fit, file)
#' identical(predict(forge(file), iris[1:4], type = "prob"), predict(fit, iris, type = "prob"))
#' @export
write_onnx <- function(fit, file) {
  write_content(onnx_model(forest_to_write(fit)), file)
}

onnx_model <- function(forest) {
  check_for_onnx(forest)
  e <- base_as_trees(forest$ensemble)
  properties <- unlist(Map(function(key, value) {
    pb_bytes(14L, c(pb_texts(1L, key), pb_texts(2L, value)))
  }, onnx_property_keys(forest), c(forest$features, if (onnx_by_number(e)) forest$classes)))
  opset <- function(domain, version) pb_bytes(8L, c(pb_texts(1L, domain), pb_whole(2L, version)))
  c(pb_whole(1L, 8), pb_texts(2L, "contree"),
    pb_texts(3L, as.character(utils::packageVersion("contree"))),
    pb_bytes(7L, onnx_graph(forest, e)), opset("", 13),
    opset("ai.onnx.ml", if (has_sets(e)) 5 else if (e$number == "double") 3 else 1),
    properties)
}

check_for_onnx <- function(forest) {
  e <- forest$ensemble
  refuse <- function(what) refuse_format("ONNX", what)
  refuse_models("ONNX", forest)
  if (has_sets(e)) check_sets_for_onnx(e, refuse)
  if (e$number != e$sum) refuse(gettextf("tests of %ss with sums of %ss", e$number, e$sum))
  if (forest$average != 1) refuse(gettext("margins that are divided afterwards"))
  if (e$divisor != 1 && (e$divisor != length(e$roots) || any(e$base != 0))) {
    refuse(gettextf("sums divided by %s", format(e$divisor)))
  }
  if (forest$link %in% c("log1pexp", "square", "step", "first", "isolation") ||
      forest_slope(forest) != 1) {
    refuse(gettextf("the link '%s'", forest$link))
  }
  one_score <- length(forest$classes) > n_forest_outputs(forest)
  if (one_score != (length(forest$classes) == 2 && forest$link == "logistic")) {
    refuse(gettextf("%d margins of %d classes with the link '%s'", n_forest_outputs(forest),
                    length(forest$classes), forest$link))
  }
  warn_of_missing("ONNX", forest)
}

# Classes have neither averages nor sets there: these are numbers, whose names are properties.
onnx_averages <- function(e) e$divisor != 1
onnx_by_number <- function(e) onnx_averages(e) || has_sets(e)

onnx_property_keys <- function(forest) {
  keys <- function(word, names) if (length(names)) paste0(word, ".", seq_along(names))
  c(keys("feature", forest$features),
    if (onnx_by_number(forest$ensemble)) keys("class", forest$classes))
}

# ---- the graph -----------------------------------------------------------------------------------

onnx_graph <- function(forest, e) {
  by_class <- is_forest_classifier(forest) && !onnx_by_number(e)
  after <- onnx_after(forest$link, by_class)
  scores <- if (by_class) "probabilities" else "y"
  made <- if (is.null(after)) scores else "sums"
  operator <- if (by_class) "TreeEnsembleClassifier" else "TreeEnsembleRegressor"
  node <- function(type, from, to, domain, attributes) {
    pb_bytes(1L, c(pb_texts(1L, from), pb_texts(2L, to), pb_texts(4L, type),
                   unlist(Map(onnx_field, names(attributes), attributes)), pb_texts(7L, domain)))
  }
  sets <- if (has_sets(e)) onnx_rounding_of(e, node)
  ensemble <- if (is.null(sets)) {
    node(operator, "x", c(if (by_class) "label", made), "ai.onnx.ml",
         onnx_written_attributes(forest, e, by_class))
  } else {
    node("TreeEnsemble", "rounded", made, "ai.onnx.ml", onnx_attributes_of_5(forest, e))
  }
  type <- if (e$number == "float") 1 else 11
  width <- max(n_forest_outputs(forest), if (by_class) length(forest$classes))
  c(sets$nodes, ensemble,
    if (!is.null(after)) node(after$type, made, scores, after$domain, after$attributes),
    pb_texts(2L, "forest"), sets$mask,
    onnx_value(11L, "x", type, max(1L, e$n_features)),
    if (by_class) onnx_value(12L, "label", 8),
    onnx_value(12L, scores, if (is.null(sets)) 1 else type, width))
}

# What follows the trees. Those for classes know two links themselves, others none on which the
# standard and ONNX Runtime agree.
onnx_after <- function(link, by_class) {
  if (by_class && link %in% c("logistic", "softmax")) return(NULL)
  switch(link, exp = list(type = "Exp", domain = "", attributes = list()),
         logistic = list(type = "Sigmoid", domain = "", attributes = list()),
         softmax = list(type = "Softmax", domain = "", attributes = list()),
         shares = list(type = "Normalizer", domain = "ai.onnx.ml",
                       attributes = list(norm = list("text", "L1"))))
}

# An input or output: rows, and columns if it is a matrix.
onnx_value <- function(number, name, type, columns = NULL) {
  dimension <- function(content) pb_bytes(1L, content)
  shape <- c(dimension(pb_texts(2L, "n")),
             if (!is.null(columns)) dimension(pb_whole(1L, columns)))
  tensor <- c(pb_whole(1L, type), pb_bytes(2L, shape))
  pb_bytes(number, c(pb_texts(1L, name), pb_bytes(2L, pb_bytes(1L, tensor))))
}

# An attribute: list(kind, value).
onnx_field <- function(name, attribute) {
  value <- attribute[[2]]
  content <- switch(
    attribute[[1]],
    whole = c(pb_whole(3L, value), pb_whole(20L, 2)),
    text = c(pb_bytes(4L, charToRaw(value)), pb_whole(20L, 3)),
    double = , doubles = c(pb_bytes(5L, onnx_doubles(value)), pb_whole(20L, 4)),
    floats = c(pb_bytes(5L, onnx_packed(1, value, pb_reals(4L, value, 4L))), pb_whole(20L, 4)),
    bytes = c(pb_bytes(5L, onnx_packed(2, value, pb_wholes(5L, value))), pb_whole(20L, 4)),
    float = c(pb_reals(7L, value, 4L), pb_whole(20L, 6)),
    wholes = c(pb_wholes(8L, value), pb_whole(20L, 7)),
    texts = c(pb_texts(9L, value), pb_whole(20L, 8)))
  pb_bytes(5L, c(pb_texts(1L, name), content))
}

# A tensor of that type.
onnx_packed <- function(type, x, content) c(pb_whole(1L, length(x)), pb_whole(2L, type), content)

onnx_doubles <- function(x) onnx_packed(11, x, pb_reals(10L, x, 8L))

onnx_written_attributes <- function(forest, e, by_class) {
  link <- if (by_class) c(logistic = "LOGISTIC", softmax = "SOFTMAX")[forest$link] else NA
  c(onnx_node_attributes(e),
    onnx_leaf_attributes(e, if (by_class) "class" else "target"),
    list(post_transform = list("text", if (is.na(link)) "NONE" else link[[1]])),
    if (by_class) list(classlabels_strings = list("texts", forest$classes)) else
      list(n_targets = list("whole", n_forest_outputs(forest)),
           aggregate_function = list("text", if (onnx_averages(e)) "AVERAGE" else "SUM")))
}

# Numbers of the forest's type, under a name of its own for doubles.
onnx_reals <- function(e, name, values) {
  if (e$number == "double") name <- paste0(name, "_as_tensor")
  stats::setNames(list(list(e$number, values)), name)
}

onnx_node_attributes <- function(e) {
  leaf <- e$feature == 0L
  tree <- tree_of_node(e)
  own <- function(node) ifelse(leaf & node == 0L, 0L, node - e$roots[tree])
  wholes <- function(x) list("wholes", x)
  mode <- if (e$less == "<") "BRANCH_LT" else "BRANCH_LEQ"
  c(list(nodes_treeids = wholes(tree - 1L), nodes_nodeids = wholes(own(seq_along(leaf))),
         nodes_featureids = wholes(pmax(e$feature - 1L, 0L)),
         nodes_modes = list("texts", ifelse(leaf, "LEAF", mode)),
         nodes_truenodeids = wholes(own(e$left)), nodes_falsenodeids = wholes(own(e$right)),
         nodes_missing_value_tracks_true = wholes(as.integer(nan_goes_left(e, "ONNX")))),
    onnx_reals(e, "nodes_values", e$threshold))
}

onnx_leaf_attributes <- function(e, part) {
  leaf <- which(e$feature == 0L)
  tree <- tree_of_node(e)[leaf]
  width <- ncol(e$values)
  each <- function(x) list("wholes", rep(x, each = width))
  output <- rep(e$output[tree] - 1L, each = width) + rep(seq_len(width) - 1L, length(leaf))
  c(stats::setNames(list(each(tree - 1L), each(leaf - e$roots[tree]), list("wholes", output)),
                    paste0(part, c("_treeids", "_nodeids", "_ids"))),
    onnx_reals(e, paste0(part, "_weights"), as.vector(t(forest_terms(e)[leaf, , drop = FALSE]))))
}
