# Trees, forests and boosted trees of scikit-learn, as reticulate hands their objects to R.
#
# Rows are compared as floats with thresholds that are doubles (not by the histogram boosters, whose
# rows are doubles), trees are summed as doubles in their order.

#' @rdname import_forest
#' @export
import_forest.sklearn.base.BaseEstimator <- function(x, ...) {
  check_no_dots(...)
  kind <- sub(".*[.]", "", class(x)[1])
  make <- switch(sub("(Classifier|Regressor)$", "", kind),
                 DecisionTree = , ExtraTree = , RandomForest = , ExtraTrees = read_sklearn_forest,
                 Bagging = read_sklearn_bagging,
                 GradientBoosting = read_sklearn_boosting,
                 HistGradientBoosting = read_sklearn_histograms,
                 refuse_feature(gettextf("the class %s of scikit-learn", show_value(kind))))
  if (is.null(sklearn_get(x, "n_features_in_"))) {
    stop_input("x", gettext("'x' is not fitted, or by scikit-learn before 1.0"))
  }
  make(x, endsWith(kind, "Classifier"), kind)
}

# An attribute of a Python object, as R has it; NULL if there is none. Lists stand in for objects in
# tests.
sklearn_get <- function(x, name) {
  if (!inherits(x, "python.builtin.object")) return(x[[name]])
  need_package("reticulate", "import_forest()")
  reticulate <- function(what) getExportedValue("reticulate", what)
  if (!reticulate("py_has_attr")(x, name)) return(NULL)
  reticulate("py_to_r")(reticulate("py_get_attr")(x, name))
}

sklearn_ir <- function(x, trees, classes, kind, ...) {
  names <- sklearn_get(x, "feature_names_in_")
  new_forest_ir(trees, as.integer(sklearn_get(x, "n_features_in_")),
                features = if (!is.null(names)) as.character(names), less = "<=",
                classes = classes, source = "scikit-learn", objective = kind, ...)
}

sklearn_classes <- function(x) {
  classes <- sklearn_get(x, "classes_")
  if (is.list(classes)) refuse_feature(gettext("several responses of classes"))
  as.character(classes)
}

# ---- trees whose rows are floats -----------------------------------------------------------------

read_sklearn_forest <- function(x, classifier, kind) {
  classes <- if (classifier) sklearn_classes(x)
  many <- sklearn_get(x, "estimators_")
  trees <- lapply(if (is.null(many)) list(x) else many, read_sklearn_tree, classes)
  first <- sklearn_get(if (is.null(many)) x else many[[1]], "tree_")
  sklearn_ir(x, trees, classes, kind, number = "float", base = rep(0, ncol(trees[[1]]$values)),
             divisor = length(trees), complete = is.null(sklearn_get(first, "missing_go_to_left")))
}

# Averages of trees, each of features of its own, and of the classes of its sample.
read_sklearn_bagging <- function(x, classifier, kind) {
  classes <- if (classifier) sklearn_classes(x)
  many <- sklearn_get(x, "estimators_")
  odd <- Filter(function(estimator) {
    !grepl("(DecisionTree|ExtraTree)(Classifier|Regressor)$", class(estimator)[1])
  }, many)
  if (length(odd)) {
    refuse_feature(gettextf("a %s of the class %s", kind, sub(".*[.]", "", class(odd[[1]])[1])))
  }
  trees <- Map(function(estimator, features) {
    own <- if (classifier) as.integer(sklearn_get(estimator, "classes_")) + 1L
    tree <- read_sklearn_tree(estimator, own)
    if (classifier) {
      values <- matrix(0, nrow(tree$values), length(classes))
      values[, own] <- tree$values
      tree$values <- values
    }
    tree$feature <- c(0L, as.integer(features) + 1L)[tree$feature + 1L]
    tree
  }, many, sklearn_get(x, "estimators_features_"))
  first <- sklearn_get(many[[1]], "tree_")
  sklearn_ir(x, unname(trees), classes, kind, number = "float",
             base = rep(0, ncol(trees[[1]]$values)), divisor = length(trees),
             complete = is.null(sklearn_get(first, "missing_go_to_left")))
}

# classes: NULL for numbers, one or several.
read_sklearn_tree <- function(estimator, classes = NULL) {
  tree <- sklearn_get(estimator, "tree_")
  values <- sklearn_get(tree, "value")
  sizes <- dim(values)
  if (length(sizes) != 3 || (!is.null(classes) && sizes[3] != length(classes))) {
    refuse_document(gettext("values of leaves do not fit the classes"))
  }
  values <- matrix(values, sizes[1])
  left <- as.integer(sklearn_get(tree, "children_left")) + 1L
  right <- as.integer(sklearn_get(tree, "children_right")) + 1L
  leaf <- left == 0L
  missing_left <- sklearn_get(tree, "missing_go_to_left")
  if (!is.null(classes)) values <- sklearn_proportions(values, is.null(missing_left))
  threshold <- as.numeric(sklearn_get(tree, "threshold"))
  list(feature = replace(as.integer(sklearn_get(tree, "feature")) + 1L, leaf, 0L),
       threshold = replace(float_below(threshold), leaf, 0), left = replace(left, leaf, 0L),
       right = replace(right, leaf, 0L),
       default_left = if (is.null(missing_left)) logical(length(leaf)) else
         !leaf & as.logical(as.integer(missing_left)),
       missing = rep(missing_rules[["nan"]], length(leaf)), set = integer(length(leaf)),
       leaf_id = seq_along(leaf) - 1L,
       cover = as.numeric(sklearn_get(tree, "weighted_n_node_samples")), values = values)
}

# Leaves of older versions have weights of classes in place of proportions. Sums of whole numbers
# are the same in any order.
sklearn_proportions <- function(values, weights) {
  if (!weights) return(values)
  if (any(values != round(values))) {
    refuse_feature(gettext("class weights that are not whole numbers, of scikit-learn before 1.3"))
  }
  values / pmax(rowSums(values), 1)
}

# The largest single-precision number that is not above x: as many floats are at most either.
float_below <- function(x) {
  bytes <- writeBin(as.numeric(x), raw(), size = 4L)
  nearest <- readBin(bytes, "double", length(x), size = 4L)
  bits <- readBin(bytes, "integer", length(x), size = 4L)
  below <- bits + ifelse(x > 0, -1L, 1L) # a sign and a size
  below <- replace(below, nearest == 0, -2147483647L) # the negative number next to zero
  down <- readBin(writeBin(as.integer(below), raw(), size = 4L), "double", length(x), size = 4L)
  ifelse(nearest > x, down, nearest)
}

# ---- boosted trees -------------------------------------------------------------------------------

sklearn_links <- c(
  squared_error = "identity", absolute_error = "identity", huber = "identity",
  quantile = "identity", poisson = "exp", gamma = "exp", log_loss = "logistic",
  deviance = "logistic", binary_crossentropy = "logistic", categorical_crossentropy = "softmax",
  auto = "logistic")

sklearn_link <- function(x, n_outputs) {
  loss <- sklearn_get(x, "loss")
  link <- if (is.character(loss)) unname(sklearn_links[loss])
  if (length(link) != 1 || is.na(link)) {
    refuse_feature(gettextf("the loss %s of scikit-learn", show_value(loss)))
  }
  if (link == "logistic" && n_outputs > 1) "softmax" else link
}

read_sklearn_boosting <- function(x, classifier, kind) {
  classes <- if (classifier) sklearn_classes(x)
  base <- sklearn_start(x)
  rate <- as.numeric(sklearn_get(x, "learning_rate"))
  estimators <- in_rounds(sklearn_get(x, "estimators_"))
  trees <- lapply(estimators, function(estimator) {
    tree <- read_sklearn_tree(estimator)
    tree$values <- rate * tree$values
    tree
  })
  first <- sklearn_get(estimators[[1]], "tree_")
  sklearn_ir(x, trees, classes, kind, number = "float", base = base,
             output = rep_len(seq_along(base), length(trees)), link = sklearn_link(x, length(base)),
             complete = is.null(sklearn_get(first, "missing_go_to_left")))
}

# The trees of a round beside each other, round after round.
in_rounds <- function(estimators) {
  if (is.matrix(estimators)) estimators <- t(estimators)
  dim(estimators) <- NULL
  if (!length(estimators)) stop_input("x", gettext("'x' is not fitted"))
  estimators
}

# What sums begin with, which scikit-learn computes anew for each row.
sklearn_start <- function(x) {
  init <- sklearn_get(x, "init_")
  constant <- identical(init, "zero") || any(grepl("Dummy(Classifier|Regressor)$", class(init)))
  if (!constant) refuse_feature(gettext("an initial estimator that is not a constant"))
  start <- sklearn_get(x, "_raw_predict_init")
  as.numeric(start(matrix(0, 1, as.integer(sklearn_get(x, "n_features_in_")))))
}

# ---- boosted trees of histograms, whose rows are doubles -----------------------------------------

read_sklearn_histograms <- function(x, classifier, kind) {
  classes <- if (classifier) sklearn_classes(x)
  base <- as.numeric(sklearn_get(x, "_baseline_prediction"))
  predictors <- unlist(sklearn_get(x, "_predictors"), recursive = FALSE)
  trees <- lapply(predictors, read_sklearn_predictor)
  sklearn_ir(x, trees, classes, kind, base = base,
             output = rep_len(seq_along(base), length(trees)), link = sklearn_link(x, length(base)))
}

# Its nodes are records of a numpy array.
read_sklearn_predictor <- function(predictor) {
  nodes <- if (inherits(predictor, "python.builtin.object")) {
    getExportedValue("reticulate", "py_get_attr")(predictor, "nodes")
  } else predictor$nodes
  field <- function(name) as.numeric(sklearn_field(nodes, name))
  leaf <- field("is_leaf") != 0
  if (any(field("is_categorical")[!leaf] != 0)) {
    refuse_feature(gettext("categories, in a histogram booster of scikit-learn"))
  }
  n <- length(leaf)
  list(feature = replace(as.integer(field("feature_idx")) + 1L, leaf, 0L),
       threshold = replace(field("num_threshold"), leaf, 0),
       left = replace(as.integer(field("left")) + 1L, leaf, 0L),
       right = replace(as.integer(field("right")) + 1L, leaf, 0L),
       default_left = !leaf & field("missing_go_to_left") != 0,
       missing = rep(missing_rules[["nan"]], n), set = integer(n), leaf_id = seq_len(n) - 1L,
       cover = field("count"), gain = replace(field("gain"), leaf, 0),
       values = matrix(replace(field("value"), !leaf, 0)))
}

sklearn_field <- function(nodes, name) {
  if (!inherits(nodes, "python.builtin.object")) return(nodes[[name]])
  reticulate <- function(what) getExportedValue("reticulate", what)
  reticulate("py_to_r")(reticulate("py_get_item")(nodes, name))
}
