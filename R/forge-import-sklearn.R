# Trees, forests and bagged trees of scikit-learn, as reticulate hands their objects to R; boosted
# ones are in forge-import-sklearn-boosting.R.
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
                 AdaBoost = read_sklearn_adaboost,
                 IsolationForest = read_sklearn_isolation,
                 refuse_sklearn(kind))
  if (is.null(sklearn_get(x, "n_features_in_"))) {
    stop_input("x", gettext("'x' is not fitted, or by scikit-learn before 1.0"))
  }
  make(x, endsWith(kind, "Classifier"), kind)
}

# Many of these hold trees that can be read by themselves.
refuse_sklearn <- function(kind) {
  part <- c(Pipeline = "steps", GridSearchCV = "best_estimator_",
            RandomizedSearchCV = "best_estimator_", MultiOutputClassifier = "estimators_",
            MultiOutputRegressor = "estimators_", VotingClassifier = "estimators_",
            VotingRegressor = "estimators_", CalibratedClassifierCV = "calibrated_classifiers_")
  refuse_feature(gettextf("the class %s of scikit-learn", show_value(kind)),
                 if (kind %in% names(part)) gettextf("import what is in its '%s'", part[[kind]]))
}

# An attribute of a Python object, as R has it; NULL if there is none. Lists stand in for objects in
# tests.
sklearn_get <- function(x, name) {
  if (!inherits(x, "python.builtin.object")) return(x[[name]])
  need_package("reticulate", "import_forest()")
  reticulate <- function(what) getExportedValue("reticulate", what)
  if (!reticulate("py_has_attr")(x, name)) return(NULL)
  sklearn_value(reticulate("py_get_attr")(x, name))
}

# What a method returns is still Python's where its object came from a module that does not convert.
sklearn_value <- function(x) {
  if (!inherits(x, "python.builtin.object")) return(x)
  getExportedValue("reticulate", "py_to_r")(x)
}

# Whether it predicts rows with missing values: from version 1.6 on its tags say so, before that
# they do not know of constraints, with which trees, other than those of histograms, have no rule.
sklearn_takes_missing <- function(x) {
  tags <- sklearn_get(x, "__sklearn_tags__")
  if (!is.null(tags)) return(isTRUE(sklearn_get(sklearn_get(tags(), "input_tags"), "allow_nan")))
  tags <- sklearn_get(x, "_get_tags")
  isTRUE(sklearn_value(tags())$allow_nan) &&
    (is.null(sklearn_get(x, "monotonic_cst")) || !is.null(sklearn_get(x, "_predictors")))
}

sklearn_ir <- function(x, trees, classes, kind, ...) {
  names <- sklearn_get(x, "feature_names_in_")
  new_forest_ir(trees, as.integer(sklearn_get(x, "n_features_in_")),
                features = if (!is.null(names)) as.character(names), less = "<=",
                classes = classes, complete = !sklearn_takes_missing(x), source = "scikit-learn",
                objective = kind, ...)
}

# By response, the names of its classes.
sklearn_classes <- function(x) {
  classes <- sklearn_get(x, "classes_")
  lapply(if (is.list(classes)) classes else list(classes), sklearn_labels)
}

sklearn_labels <- function(x) if (is.numeric(x)) number_labels(x) else as.character(x)

# ---- trees whose rows are floats -----------------------------------------------------------------

read_sklearn_forest <- function(x, classifier, kind) {
  classes <- if (classifier) sklearn_classes(x)
  many <- sklearn_get(x, "estimators_")
  trees <- lapply(if (is.null(many)) list(x) else many, read_sklearn_tree,
                  if (classifier) lengths(classes))
  several <- length(classes) > 1L
  sklearn_ir(x, trees, if (!several) unlist(classes), kind, number = "float",
             base = rep(0, ncol(trees[[1]]$values)), divisor = length(trees),
             outputs = if (several) several_classes(classes))
}

# 1.a, 1.b, 2.a, 2.b: responses by their number, with their classes.
several_classes <- function(classes) {
  paste(rep(seq_along(classes), lengths(classes)), unlist(classes), sep = ".")
}

# Averages of trees, each of features of its own, and of the classes of its sample.
read_sklearn_bagging <- function(x, classifier, kind) {
  classes <- if (classifier) unlist(sklearn_classes(x))
  many <- sklearn_trees(x, kind)
  trees <- Map(function(estimator, features) {
    own <- if (classifier) as.integer(sklearn_get(estimator, "classes_")) + 1L
    tree <- read_sklearn_tree(estimator, if (classifier) length(own))
    if (classifier) {
      values <- matrix(0, nrow(tree$values), length(classes))
      values[, own] <- tree$values
      tree$values <- values
    }
    of_features(tree, features)
  }, many, sklearn_get(x, "estimators_features_"))
  sklearn_ir(x, unname(trees), classes, kind, number = "float",
             base = rep(0, ncol(trees[[1]]$values)), divisor = length(trees))
}

# The estimators of an ensemble whose estimators may be anything.
sklearn_trees <- function(x, kind) {
  many <- sklearn_get(x, "estimators_")
  odd <- Filter(function(estimator) {
    !grepl("(DecisionTree|ExtraTree)(Classifier|Regressor)$", class(estimator)[1])
  }, many)
  if (length(odd)) {
    refuse_feature(gettextf("a %s of the class %s", kind, sub(".*[.]", "", class(odd[[1]])[1])))
  }
  many
}

# A tree whose features are those of these numbers, from 0, of the rows.
of_features <- function(tree, features) {
  tree$feature <- c(0L, as.integer(features) + 1L)[tree$feature + 1L]
  tree
}

# n_classes: by response; NULL for numbers, one or several.
read_sklearn_tree <- function(estimator, n_classes = NULL) {
  tree <- sklearn_get(estimator, "tree_")
  left <- as.integer(sklearn_get(tree, "children_left")) + 1L
  right <- as.integer(sklearn_get(tree, "children_right")) + 1L
  leaf <- left == 0L
  missing_left <- sklearn_get(tree, "missing_go_to_left")
  cover <- as.numeric(sklearn_get(tree, "weighted_n_node_samples"))
  threshold <- as.numeric(sklearn_get(tree, "threshold"))
  list(feature = replace(as.integer(sklearn_get(tree, "feature")) + 1L, leaf, 0L),
       threshold = replace(float_below(threshold), leaf, 0), left = replace(left, leaf, 0L),
       right = replace(right, leaf, 0L),
       default_left = if (is.null(missing_left)) logical(length(leaf)) else
         !leaf & as.logical(as.integer(missing_left)),
       missing = rep(missing_rules[["nan"]], length(leaf)), set = integer(length(leaf)),
       leaf_id = seq_along(leaf) - 1L, cover = cover,
       values = sklearn_values(sklearn_get(tree, "value"), n_classes, cover))
}

# An array of nodes, responses and classes, or one number, as a matrix with a row a node.
sklearn_values <- function(values, n_classes, cover) {
  sizes <- dim(values)
  wanted <- if (is.null(n_classes)) 1L else max(n_classes)
  if (length(sizes) != 3 || sizes[3] != wanted ||
      (!is.null(n_classes) && sizes[2] != length(n_classes))) {
    refuse_document(gettext("values of leaves do not fit the classes"))
  }
  if (is.null(n_classes)) return(matrix(values, sizes[1]))
  do.call(cbind, lapply(seq_along(n_classes), function(k) {
    sklearn_proportions(matrix(values[, k, seq_len(n_classes[k])], sizes[1]), cover)
  }))
}

# Leaves of versions before 1.4 have weights of classes, whose sums are those of the nodes, in place
# of proportions.
sklearn_proportions <- function(values, cover) {
  total <- numpy_sum(lapply(seq_len(ncol(values)), function(k) values[, k]))
  if (max(abs(total - 1)) <= max(abs(total - cover))) return(values)
  values / replace(total, total == 0, 1)
}

# Sums of numbers, or of vectors, in the order in which numpy adds up what lies side by side.
numpy_sum <- function(x) {
  n <- length(x)
  add <- function(terms, start = 0) Reduce(`+`, terms, start)
  if (n < 8L) return(add(x))
  if (n > 128L) {
    half <- n %/% 2L - (n %/% 2L) %% 8L
    return(numpy_sum(x[seq_len(half)]) + numpy_sum(x[-seq_len(half)]))
  }
  whole <- n %/% 8L * 8L
  eight <- lapply(1:8, function(i) add(x[seq(i, whole, by = 8L)]))
  pairs <- Map(`+`, eight[c(1L, 3L, 5L, 7L)], eight[c(2L, 4L, 6L, 8L)])
  add(x[seq_len(n - whole) + whole], (pairs[[1]] + pairs[[2]]) + (pairs[[3]] + pairs[[4]]))
}

# ---- isolation -----------------------------------------------------------------------------------

# Sums are those of the lengths of the ways to the leaves; the response is the score.
read_sklearn_isolation <- function(x, classifier, kind) {
  ways <- sklearn_get(x, "_decision_path_lengths")
  below <- sklearn_get(x, "_average_path_length_per_tree")
  size <- sklearn_get(x, "_max_samples")
  if (is.null(ways) || is.null(below)) {
    refuse_feature(gettext("an isolation forest of scikit-learn before 1.3"))
  }
  if (size < 2) refuse_feature(gettext("an isolation forest of one row"))
  trees <- Map(function(estimator, features, way, below) {
    tree <- of_features(read_sklearn_tree(estimator), features)
    tree$values <- matrix(replace(as.numeric(way) + as.numeric(below) - 1, tree$left > 0L, 0))
    tree
  }, sklearn_trees(x, kind), sklearn_get(x, "estimators_features_"), ways, below)
  sklearn_ir(x, unname(trees), NULL, kind, number = "float", base = 0, link = "isolation",
             average = length(trees) * mean_isolation(as.numeric(size)))
}

# How long the way to one of n rows is on average, of 2 or more.
mean_isolation <- function(n) {
  if (n == 2) 1 else 2 * (log(n - 1) - digamma(1)) - 2 * (n - 1) / n
}

# ---- thresholds ----------------------------------------------------------------------------------

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
