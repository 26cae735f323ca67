# Boosted trees of scikit-learn, as reticulate hands their objects to R.

sklearn_links <- c(
  squared_error = "identity", absolute_error = "identity", huber = "identity",
  quantile = "identity", poisson = "exp", gamma = "exp", log_loss = "logistic",
  deviance = "logistic", exponential = "logistic", binary_crossentropy = "logistic",
  categorical_crossentropy = "softmax", auto = "logistic")

sklearn_link <- function(x, n_outputs) {
  loss <- sklearn_get(x, "loss")
  link <- if (is.character(loss)) unname(sklearn_links[loss])
  if (length(link) != 1 || is.na(link)) {
    refuse_feature(gettextf("the loss %s of scikit-learn", show_value(loss)))
  }
  if (link == "logistic" && n_outputs > 1) "softmax" else link
}

read_sklearn_boosting <- function(x, classifier, kind) {
  classes <- if (classifier) unlist(sklearn_classes(x))
  base <- sklearn_start(x)
  rate <- as.numeric(sklearn_get(x, "learning_rate"))
  estimators <- in_rounds(sklearn_get(x, "estimators_"))
  trees <- lapply(estimators, function(estimator) {
    tree <- read_sklearn_tree(estimator)
    tree$values <- rate * tree$values
    tree
  })
  by_exponential <- identical(sklearn_get(x, "loss"), "exponential")
  sklearn_ir(x, trees, classes, kind, number = "float", base = base,
             output = rep_len(seq_along(base), length(trees)), link = sklearn_link(x, length(base)),
             slope = if (by_exponential) 2 else 1,
             even_second = by_exponential || sklearn_knows_losses(x))
}

# Since version 1.4 these losses are those of all of scikit-learn; margins of 0 are the second class
# from then on.
sklearn_knows_losses <- function(x) {
  any(startsWith(class(sklearn_get(x, "_loss")), "sklearn._loss"))
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
  rows <- matrix(0, 1, as.integer(sklearn_get(x, "n_features_in_")))
  as.numeric(sklearn_value(start(rows)))
}

# ---- AdaBoost ------------------------------------------------------------------------------------

# A tree says its weight for the class that it predicts, and a share of it against each other one.
# Of two classes the margin is that of the second less that of the first, which are opposite.
read_sklearn_adaboost <- function(x, classifier, kind) {
  if (!classifier) {
    refuse_feature(gettext("an AdaBoostRegressor, which predicts medians of its trees, not sums"))
  }
  if (identical(sklearn_get(x, "algorithm"), "SAMME.R")) {
    refuse_feature(gettext("the algorithm SAMME.R"), gettext("train it with algorithm = \"SAMME\""))
  }
  if (utils::compareVersion(sklearn_version(x), "1.3.1") < 0) {
    refuse_feature(gettext("an AdaBoostClassifier of scikit-learn before 1.3.1"))
  }
  classes <- unlist(sklearn_classes(x))
  k <- length(classes)
  if (k < 2L) refuse_feature(gettext("an AdaBoostClassifier of one class"))
  weights <- as.numeric(sklearn_get(x, "estimator_weights_"))
  trees <- Map(function(estimator, weight) {
    own <- match(unlist(sklearn_classes(estimator)), classes)
    tree <- read_sklearn_tree(estimator, length(own))
    said <- own[max.col(tree$values, "first")]
    tree$values <- if (k == 2L) matrix(2 * c(-1, 1)[said] * weight) else
      ifelse(outer(said, seq_len(k), `==`), weight, -1 / (k - 1) * weight)
    tree
  }, sklearn_trees(x, kind), weights[seq_along(sklearn_get(x, "estimators_"))])
  sklearn_ir(x, unname(trees), classes, kind, number = "float",
             base = rep(0, if (k == 2L) 1 else k), divisor = numpy_sum(weights),
             link = if (k == 2L) "logistic" else "softmax", slope = if (k == 2L) 1 else 1 / (k - 1))
}

sklearn_version <- function(x) {
  if (!inherits(x, "python.builtin.object")) return(x[["version"]])
  getExportedValue("reticulate", "import")("sklearn")$`__version__`
}

# ---- boosted trees of histograms, whose rows are doubles -----------------------------------------

read_sklearn_histograms <- function(x, classifier, kind) {
  classes <- if (classifier) unlist(sklearn_classes(x))
  base <- as.numeric(sklearn_get(x, "_baseline_prediction"))
  predictors <- unlist(sklearn_get(x, "_predictors"), recursive = FALSE)
  categories <- sklearn_categories(x)
  sets <- new_sets()
  trees <- lapply(predictors, read_sklearn_predictor, categories, sets)
  forest <- sklearn_ir(
    x, trees, classes, kind, base = base, output = rep_len(seq_along(base), length(trees)),
    sets = sets$all, set_else = rep(FALSE, length(sets$all)), first_code = 0L,
    own_codes = if (length(categories$levels)) "values" else FALSE,
    link = sklearn_link(x, length(base)))
  names(categories$levels) <- feature_names(forest)[categories$places]
  forest$levels <- categories$levels
  forest
}

# list(order, places, levels): since version 1.4 the columns of categories come first, as codes from
# 0 of these values; others, and missing ones, are missing.
sklearn_categories <- function(x) {
  n <- as.integer(sklearn_get(x, "n_features_in_"))
  by_category <- as.logical(sklearn_get(x, "is_categorical_"))
  if (!any(by_category)) return(list(order = seq_len(n), levels = list()))
  transformers <- sklearn_get(sklearn_get(x, "_preprocessor"), "named_transformers_")
  if (is.null(transformers)) {
    refuse_feature(gettext("categories, in a histogram booster of scikit-learn before 1.4"))
  }
  levels <- lapply(sklearn_get(transformers[["encoder"]], "categories_"), sklearn_levels)
  list(order = c(which(by_category), which(!by_category)), places = which(by_category),
       levels = levels)
}

sklearn_levels <- function(values) {
  values <- unlist(values)
  if (is.numeric(values)) return(sprintf("%.17g", values[!is.nan(values)]))
  if (is.list(values) || anyNA(values)) refuse_feature(gettext("categories that are no strings"))
  as.character(values)
}

# A tree whose nodes are records of a numpy array.
read_sklearn_predictor <- function(predictor, categories, sets) {
  nodes <- if (inherits(predictor, "python.builtin.object")) {
    getExportedValue("reticulate", "py_get_attr")(predictor, "nodes")
  } else predictor$nodes
  field <- function(name) as.numeric(sklearn_field(nodes, name))
  leaf <- field("is_leaf") != 0
  n <- length(leaf)
  by_set <- !leaf & field("is_categorical") != 0
  set <- integer(n)
  if (any(by_set)) {
    words <- matrix(as.numeric(sklearn_get(predictor, "raw_left_cat_bitsets")), ncol = 8L)
    at <- field("bitset_idx") + 1
    for (k in which(by_set)) set[k] <- add_set(sets, bits_of_words(words[at[k], ]))
  }
  feature <- categories$order[as.integer(field("feature_idx")) + 1L]
  list(feature = replace(feature, leaf, 0L),
       threshold = replace(field("num_threshold"), leaf | by_set, 0),
       left = replace(as.integer(field("left")) + 1L, leaf, 0L),
       right = replace(as.integer(field("right")) + 1L, leaf, 0L),
       default_left = !leaf & field("missing_go_to_left") != 0,
       missing = rep(missing_rules[["nan"]], n), set = set, leaf_id = seq_len(n) - 1L,
       cover = field("count"), gain = replace(field("gain"), leaf, 0),
       values = matrix(replace(field("value"), !leaf, 0)))
}

sklearn_field <- function(nodes, name) {
  if (!inherits(nodes, "python.builtin.object")) return(nodes[[name]])
  reticulate <- function(what) getExportedValue("reticulate", what)
  reticulate("py_to_r")(reticulate("py_get_item")(nodes, name))
}
