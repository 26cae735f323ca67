# Models of XGBoost: documents, read by jsonlite or forge-import-ubj.R, to ensembles.

# Nothing may be nested more deeply: what reads JSON calls itself.
deepest_document <- 100L

parse_json <- function(bytes) {
  need_package("jsonlite", "import_forest()")
  opens <- (bytes == as.raw(0x5b)) + (bytes == as.raw(0x7b))
  closes <- (bytes == as.raw(0x5d)) + (bytes == as.raw(0x7d))
  if (any(cumsum(opens - closes) > deepest_document)) {
    refuse_document(gettext("its parts are nested too deeply"))
  }
  text <- text_of(bytes)
  tryCatch(jsonlite::fromJSON(text, simplifyVector = TRUE, simplifyDataFrame = FALSE,
                              simplifyMatrix = FALSE),
           error = function(problem) {
             refuse_document(gettextf("it is no JSON (%s)",
                                      sub("\n.*", "", conditionMessage(problem))))
           })
}

# The part of a document that a path leads to.
part <- function(document, ..., otherwise) {
  for (name in c(...)) {
    document <- if (is.list(document)) document[[name, exact = TRUE]]
    if (is.null(document)) {
      if (!missing(otherwise)) return(otherwise)
      refuse_document(gettextf("it lacks '%s'", paste(c(...), collapse = "/")))
    }
  }
  document
}

part_numbers <- function(document, name, n = NULL, otherwise) {
  value <- part(document, name, otherwise = otherwise)
  if (is.list(value) && length(value) == 0) value <- numeric()
  if (is.logical(value)) value <- as.numeric(value)
  if (!is.numeric(value) || anyNA(value) || (!is.null(n) && length(value) != n)) {
    refuse_document(gettextf("'%s' is not valid", name))
  }
  as.numeric(value)
}

part_whole <- function(document, name, n = NULL, otherwise) {
  value <- part_numbers(document, name, n, otherwise)
  if (any(abs(value) > .Machine$integer.max | value != round(value))) {
    refuse_document(gettextf("'%s' must be whole numbers", name))
  }
  as.integer(value)
}

part_count <- function(document, ..., otherwise) {
  value <- suppressWarnings(as.numeric(part(document, ..., otherwise = otherwise)))
  if (length(value) == 1 && !is.na(value) && value >= 0 && value <= 1e9 && value == round(value)) {
    return(as.integer(value))
  }
  refuse_document(gettextf("'%s' must be a number", paste(c(...), collapse = "/")))
}

# Documents have decimals that name one float. A double next to the middle of two floats could have
# come from either side of it.
floats <- function(x) {
  near <- .Call(ffi_floats, as.numeric(x))
  other <- 2 * x - near
  middle <- is.finite(x) & near != x & .Call(ffi_floats, other) == other
  if (any(middle)) {
    refuse_document(gettext("a number is halfway between two floats; save the model as UBJ"))
  }
  near
}

read_xgboost <- function(document, iterations) {
  learner <- part(document, "learner")
  booster <- part(learner, "gradient_booster")
  name <- part(booster, "name")
  if (identical(name, "gblinear")) refuse_feature(gettext("a linear booster"))
  dart <- identical(name, "dart")
  if (!dart && !identical(name, "gbtree")) refuse_feature(gettextf("the booster '%s'", name))
  model <- part(if (dart) part(booster, "gbtree") else booster, "model")
  n_features <- part_count(learner, "learner_model_param", "num_feature")
  trees <- part(model, "trees")
  info <- part_whole(model, "tree_info", length(trees))
  taken <- seq_len(xgboost_trees(model, length(trees), iterations))
  weight <- rep(1, length(trees))
  if (dart) weight <- floats(part_numbers(booster, "weight_drop", length(trees)))
  n_outputs <- max(1L, part_count(learner, "learner_model_param", "num_class"),
                   part_count(learner, "learner_model_param", "num_target", otherwise = 1))
  objective <- part(learner, "objective", "name")
  link <- xgboost_link(objective)
  sets <- new_sets()
  trees <- lapply(trees[taken], read_xgboost_tree, n_features, n_outputs, sets)
  new_forest_ir(
    trees, n_features, features = xgboost_features(learner, n_features), sets = sets$all,
    set_else = rep(TRUE, length(sets$all)), output = info[taken] + 1L, weight = weight[taken],
    base = xgboost_base(learner, n_outputs, link$margin), less = "<", number = "float",
    sum = "float", link = link$link, classes = xgboost_classes(objective, n_outputs),
    source = "XGBoost", objective = objective,
    version = paste(unlist(part(document, "version", otherwise = "")), collapse = "."))
}

# Sets of codes that go left, as trees add them.
new_sets <- function() {
  sets <- new.env(parent = emptyenv())
  sets$all <- list()
  sets
}

add_set <- function(sets, left) {
  sets$all[[length(sets$all) + 1L]] <- left
  length(sets$all)
}

# How many trees the first rounds have.
xgboost_trees <- function(model, n, iterations) {
  if (is.null(iterations)) return(n)
  ends <- part_whole(model, "iteration_indptr", otherwise = NULL)
  if (iterations >= length(ends) || ends[iterations + 1] > n) {
    stop_input("iterations", gettextf("the model has %d iterations, not %s", length(ends) - 1L,
                                      format(iterations)))
  }
  ends[iterations + 1]
}

xgboost_features <- function(learner, n_features) {
  names <- unlist(part(learner, "feature_names", otherwise = NULL))
  if (is.character(names) && length(names) == n_features && !anyDuplicated(names)) names
}

read_xgboost_tree <- function(tree, n_features, n_outputs, sets) {
  n <- part_count(tree, "tree_param", "num_nodes")
  width <- max(1L, part_count(tree, "tree_param", "size_leaf_vector", otherwise = 1))
  left <- part_whole(tree, "left_children", n) + 1L
  right <- part_whole(tree, "right_children", n) + 1L
  condition <- floats(part_numbers(tree, "split_conditions", n))
  leaf <- left == 0L
  feature <- replace(part_whole(tree, "split_indices", n) + 1L, leaf, 0L)
  list(feature = feature, threshold = replace(condition, leaf, 0), left = left,
       right = replace(right, leaf, 0L),
       default_left = part_numbers(tree, "default_left", n) != 0,
       missing = rep(missing_rules[["nan"]], n), set = read_xgboost_sets(tree, n, leaf, sets),
       leaf_id = seq_len(n) - 1L, cover = xgboost_known(tree, "sum_hessian", n),
       gain = xgboost_known(tree, "loss_changes", n),
       values = xgboost_values(tree, leaf, condition, right, width, n_outputs))
}

xgboost_known <- function(tree, name, n) {
  if (!is.null(tree[[name]])) .Call(ffi_floats, part_numbers(tree, name, n))
}

# The leaves' vectors lie side by side, and leaves have their place as right child.
xgboost_values <- function(tree, leaf, condition, right, width, n_outputs) {
  if (width == 1L) return(matrix(replace(condition, !leaf, 0)))
  if (width != n_outputs) refuse_document(gettext("leaves have other outputs than the model"))
  flat <- part_numbers(tree, "leaf_weights", otherwise = NA)
  vectors <- matrix(floats(flat), ncol = width, byrow = TRUE)
  if (length(flat) != sum(leaf) * width || any(right[leaf] < 1L | right[leaf] > nrow(vectors))) {
    refuse_document(gettext("'leaf_weights' is not what it should be"))
  }
  values <- matrix(0, length(leaf), width)
  values[leaf, ] <- vectors[right[leaf], ]
  values
}

# Codes in a node's set go right, all others left.
read_xgboost_sets <- function(tree, n, leaf, sets) {
  set <- integer(n)
  type <- part_whole(tree, "split_type", n, otherwise = integer(n))
  if (!any(type == 1L & !leaf)) return(set)
  codes <- part_whole(tree, "categories")
  nodes <- part_whole(tree, "categories_nodes") + 1L
  first <- part_whole(tree, "categories_segments", length(nodes))
  size <- part_whole(tree, "categories_sizes", length(nodes))
  if (any(nodes < 1L | nodes > n | first < 0L | size < 1L | first + size > length(codes)) ||
      any(codes < 0L | codes >= 2^24) || !all(which(type == 1L & !leaf) %in% nodes)) {
    refuse_document(gettext("its categories are not valid"))
  }
  for (i in which(!leaf[nodes])) {
    own <- codes[first[i] + seq_len(size[i])]
    set[nodes[i]] <- add_set(sets, !(seq_len(max(own) + 1L) - 1L) %in% own)
  }
  set
}

# ---- objectives ----------------------------------------------------------------------------------

# `margin`: what makes a margin of the base score.
xgboost_links <- list(
  "identity" = c("reg:squarederror", "reg:linear", "reg:squaredlogerror", "reg:absoluteerror",
                 "reg:pseudohubererror", "reg:quantileerror", "reg:expectileerror", "rank:pairwise",
                 "rank:ndcg", "rank:map", "binary:hinge"),
  "logistic" = c("binary:logistic", "reg:logistic"),
  "exp" = c("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"),
  "softmax" = c("multi:softprob", "multi:softmax"))

xgboost_link <- function(objective) {
  if (identical(objective, "binary:logitraw")) return(list(link = "identity", margin = "logit"))
  for (link in names(xgboost_links)) {
    if (objective %in% xgboost_links[[link]]) {
      return(list(link = link, margin = c(logistic = "logit", exp = "log")[link]))
    }
  }
  refuse_feature(gettextf("the objective %s", show_value(objective)))
}

xgboost_classes <- function(objective, n_outputs) {
  if (objective %in% c("binary:logistic", "binary:logitraw")) return(c("0", "1"))
  if (startsWith(objective, "multi:")) as.character(seq_len(n_outputs) - 1L)
}

# One number, or since version 3.1 one an output, in brackets.
xgboost_base <- function(learner, n_outputs, margin) {
  given <- part(learner, "learner_model_param", "base_score")
  scores <- strsplit(gsub("[][[:space:]]", "", paste(unlist(given), collapse = ",")), ",")[[1]]
  scores <- floats(.Call(ffi_numbers, paste(scores, collapse = " ")))
  if (anyNA(scores) || !length(scores) %in% c(1L, n_outputs)) {
    refuse_document(gettext("'base_score' is not what it should be"))
  }
  scores <- switch(margin, logit = vapply(scores, function(p) .Call(ffi_float_logit, p), 0),
                   log = vapply(scores, function(p) .Call(ffi_float_log, p), 0), scores)
  if (!all(is.finite(scores))) refuse_document(gettext("'base_score' has no margin"))
  rep_len(scores, n_outputs)
}
