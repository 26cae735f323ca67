# Models of CatBoost: documents of save_model(format = "json").
#
# Rows are compared as floats, and go right above a border. Doubles are summed over trees in their
# order, from 0; the bias is added last, as a tree of one leaf.

read_catboost <- function(document, iterations) {
  if (!is.null(iterations)) {
    stop_input("iterations", gettext("the first rounds of a CatBoost model cannot be read alone"))
  }
  features <- catboost_features(part(document, "features_info"))
  levels <- catboost_levels(part(document, "features_info"), document)
  features$levels <- levels
  scaling <- part(document, "scale_and_bias")
  bias <- part_numbers(list(bias = unlist(scaling[-1])), "bias")
  if (!identical(as.numeric(scaling[[1]]), 1)) refuse_feature(gettext("a scale of its sums"))
  if (!length(bias) || length(bias) > most_outputs) refuse_document(gettext("it has no bias"))
  name <- part(document, "model_info", "params", "loss_function", "type")
  trees <- document[[if (is.null(document$oblivious_trees)) "trees" else "oblivious_trees"]]
  read <- if (!is.null(document$oblivious_trees)) read_catboost_oblivious else
    if (inherits(trees, "cbm_trees")) read_cbm_tree else read_catboost_tree
  if (!length(trees)) stop_input("x", gettext("'x' has no trees: it was trained for 0 rounds"))
  trees <- lapply(trees, read, features, length(bias))
  n <- length(trees)
  if (any(bias != 0)) trees <- c(trees, list(catboost_stump(bias)))
  factors <- if (length(levels$sets$all)) feature_names(
    list(features = features$names, ensemble = list(n_features = features$n)))[levels$column]
  forest <- new_forest_ir(
    trees, features$n, features = features$names, levels = lapply(
      stats::setNames(factors, factors), function(name) levels$texts),
    sets = as.list(levels$sets$all), set_else = as.logical(levels$sets$beyond),
    first_code = 0L, own_codes = if (length(factors)) "texts" else FALSE,
    new_level = stats::setNames(rep(length(levels$texts), length(factors)), factors),
    base = rep(0, length(bias)), less = "<=",
    number = "float", link = catboost_link(name),
    classes = catboost_classes(document, name, length(bias)), source = "CatBoost",
    objective = name)
  forest$own_trees <- n
  if (length(factors)) forest$complete_for <- levels$column
  forest
}

# list(n, names, column, nan_left): columns of the data by number of the float feature, and whether
# their missing values go left.
catboost_features <- function(info) {
  all <- unlist(lapply(c("float_features", "categorical_features", "text_features",
                         "embedding_features"), function(kind) part(info, kind, otherwise = NULL)),
                recursive = FALSE)
  flat <- vapply(all, part_count, 0L, "flat_feature_index") + 1L
  names <- vapply(all, function(feature) as.character(part(feature, "feature_id", otherwise = "")),
                  "")
  if (anyDuplicated(flat) || max(flat) > 2^24) {
    refuse_document(gettext("'flat_feature_index' is not valid"))
  }
  numbers <- part(info, "float_features", otherwise = list())
  treatment <- vapply(numbers, part, "", "nan_value_treatment")
  if (!all(treatment %in% c("AsIs", "AsFalse", "AsTrue"))) {
    refuse_document(gettext("'nan_value_treatment' is not valid"))
  }
  named <- identical(sort(flat), seq_along(flat)) && all(nzchar(names)) && !anyDuplicated(names)
  list(n = max(flat), names = if (named) names[order(flat)],
       place = vapply(numbers, part_count, 0L, "feature_index"),
       column = flat[seq_along(numbers)], nan_left = treatment != "AsTrue")
}

# list(feature, threshold, nan_left, set) of a split.
catboost_split <- function(split, features) {
  if (!identical(part(split, "split_type"), "FloatFeature")) {
    return(catboost_level_split(split, features$levels))
  }
  at <- match(part_count(split, "float_feature_index"), features$place)
  if (is.na(at)) refuse_document(gettext("a split's feature is not among 'float_features'"))
  list(feature = features$column[at], threshold = floats(part_numbers(split, "border", 1L)),
       nan_left = features$nan_left[at], set = 0L)
}

# All nodes of a level have one split, the first that of the last level: leaf p has the bits of p.
read_catboost_oblivious <- function(tree, features, n_outputs) {
  splits <- lapply(rev(part(tree, "splits", otherwise = list())), catboost_split, features)
  depth <- length(splits)
  if (depth > 16L) refuse_document(gettext("a tree has more than 16 levels"))
  inner <- seq_len(2^depth - 1)
  leaf <- seq_len(2^depth)
  values <- part_numbers(tree, "leaf_values", length(leaf) * n_outputs)
  weight <- part_numbers(tree, "leaf_weights", otherwise = numeric())
  level <- floor(log2(inner)) + 1
  of_node <- function(name, none) c(unlist(lapply(splits, `[[`, name))[level], rep(none, 2^depth))
  catboost_nodes(of_node("feature", 0L), of_node("threshold", 0), of_node("nan_left", FALSE),
                 left = c(2L * inner, 0L * leaf), right = c(2L * inner + 1L, 0L * leaf),
                 leaf_id = c(0L * inner, leaf - 1L),
                 values = rbind(matrix(0, length(inner), n_outputs),
                                matrix(values, ncol = n_outputs, byrow = TRUE)),
                 cover = if (length(weight) == length(leaf)) cover_of_levels(weight),
                 set = of_node("set", 0L))
}

# The covers of all nodes from those of the lowest level.
cover_of_levels <- function(lowest) {
  all <- lowest
  while (length(lowest) > 1L) {
    lowest <- lowest[c(TRUE, FALSE)] + lowest[c(FALSE, TRUE)]
    all <- c(lowest, all)
  }
  all
}

catboost_nodes <- function(feature, threshold, nan_left, left, right, leaf_id, values,
                           cover = NULL, set = integer(length(feature))) {
  n <- length(feature)
  list(feature = as.integer(feature), threshold = as.numeric(threshold), left = as.integer(left),
       right = as.integer(right), default_left = as.logical(nan_left),
       missing = rep(missing_rules[["nan"]], n), set = set, leaf_id = as.integer(leaf_id),
       values = values, cover = cover)
}

catboost_stump <- function(bias) {
  catboost_nodes(0L, 0, FALSE, 0L, 0L, 0L, matrix(bias, 1), 1)
}

# Trees of other growing policies: nodes inside nodes, on the left those that are not above. Leaves
# are numbered from left to right, but a leaf beside a node comes before what is below that.
read_catboost_tree <- function(tree, features, n_outputs) {
  nodes <- list()
  leaves <- 0L
  visit <- function(node) {
    at <- length(nodes) + 1L
    nodes[[at]] <<- 0
    if (is.null(node$split)) {
      leaves <<- leaves + 1L
      nodes[[at]] <<- list(feature = 0L, threshold = 0, nan_left = FALSE, set = 0L, left = 0L,
                           right = 0L,
                           leaf_id = leaves - 1L, values = part_numbers(node, "value", n_outputs))
      return(at)
    }
    split <- catboost_split(node$split, features)
    sides <- c("left", "right")
    if (is.null(node$right$split) && !is.null(node$left$split)) sides <- rev(sides)
    below <- c(left = 0L, right = 0L)
    for (side in sides) below[[side]] <- visit(part(node, side))
    nodes[[at]] <<- c(split, as.list(below), list(leaf_id = 0L, values = numeric(n_outputs)))
    at
  }
  visit(tree)
  all <- function(name) unlist(lapply(nodes, `[[`, name))
  catboost_nodes(all("feature"), all("threshold"), all("nan_left"), all("left"), all("right"),
                 all("leaf_id"), do.call(rbind, lapply(nodes, `[[`, "values")), set = all("set"))
}

# ---- losses --------------------------------------------------------------------------------------

catboost_links <- list(
  "identity" = c("RMSE", "MAE", "Quantile", "Expectile", "MAPE", "Huber", "Lq", "LogCosh", "RMSPE",
                 "Cox", "MultiRMSE", "MultiRMSEWithMissingValues", "MultiQuantile",
                 "GroupQuantile", "QueryRMSE", "QuerySoftMax", "PairLogit", "PairLogitPairwise",
                 "YetiRank", "YetiRankPairwise", "LambdaMart", "StochasticRank",
                 "StochasticFilter"),
  "logistic" = c("Logloss", "CrossEntropy", "Focal", "MultiClassOneVsAll", "MultiLogloss",
                 "MultiCrossEntropy"),
  "softmax" = "MultiClass", "exp" = c("Poisson", "Tweedie"))

catboost_link <- function(name) {
  for (link in names(catboost_links)) if (name %in% catboost_links[[link]]) return(link)
  refuse_feature(gettextf("the loss function '%s'", name))
}

catboost_classes <- function(document, name, n_outputs) {
  if (!name %in% c("Logloss", "Focal", "MultiClass", "MultiClassOneVsAll")) return(NULL)
  n <- max(2L, n_outputs)
  names <- part(document, "model_info", "class_params", "class_names", otherwise = seq_len(n) - 1L)
  names <- as.character(unlist(names))
  if (length(names) != n || anyDuplicated(names)) {
    refuse_document(gettext("its classes are not valid"))
  }
  names
}
