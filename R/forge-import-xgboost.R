# Models of XGBoost: documents, read by jsonlite or forge-import-ubj.R, to ensembles.

parse_json <- function(bytes) {
  need_package("jsonlite", "import_forest()")
  if (is_nested_too_deeply(bytes)) refuse_document(gettext("its parts are nested too deeply"))
  text <- without_nan(text_of(bytes))
  if (grepl("[%\\]", text)) {
    reason <- why_no_json(text)
    if (!is.null(reason)) refuse_json(reason)
  }
  # fromJSON() takes arrays of these strings for numbers
  if (grepl("\"(NA|NaN|-?Inf)\"", text)) return(json_vectors(jsonlite::parse_json(text)))
  tryCatch(jsonlite::fromJSON(text, simplifyVector = TRUE, simplifyDataFrame = FALSE,
                              simplifyMatrix = FALSE),
           error = function(problem) refuse_json(sub("\n.*", "", conditionMessage(problem))))
}

refuse_json <- function(reason) refuse_document(gettextf("it is no JSON (%s)", reason))

# Arrays of nothing but numbers, truth values or strings as vectors, in which null is NA.
json_vectors <- function(x) {
  if (!is.list(x)) return(x)
  if (!is.null(names(x))) return(lapply(x, json_vectors))
  given <- Filter(Negate(is.null), x)
  for (is_kind in list(is.character, is.numeric, is.logical)) {
    if (length(given) && all(vapply(given, is_kind, NA))) {
      return(unlist(lapply(x, function(value) if (is.null(value)) NA else value)))
    }
  }
  lapply(x, json_vectors)
}

# Up to version 2.1 XGBoost writes NaN, which is no JSON, as the condition of nodes that have sets
# of codes, or are vectors. It is read as null, which becomes NA.
without_nan <- function(text) {
  if (!grepl("NaN", text, fixed = TRUE)) return(text)
  at <- gregexpr("\"split_conditions\":[[:space:]]*\\[[^]\"]*\\]", text)
  regmatches(text, at) <- lapply(regmatches(text, at), gsub, pattern = "NaN",
                                 replacement = "null", fixed = TRUE)
  text
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

# Decimals to the nearest float, as XGBoost reads them: of two that are equally near, to the even
# one. What has come here is a double. If it is in the middle of two floats, the decimal may have
# been to either side of it, unless the double has all its digits.
floats <- function(x) {
  near <- .Call(ffi_floats, as.numeric(x))
  other <- 2 * x - near
  middle <- is.finite(x) & near != x & .Call(ffi_floats, other) == other
  if (any(middle & !has_few_digits(x))) {
    refuse_document(gettext("a number is halfway between two floats; save the model as UBJ"))
  }
  near
}

# No two decimals of 15 digits or fewer are the same double.
has_few_digits <- function(x) {
  digits <- gsub("^0+|0+$", "", gsub("[.-]", "", sprintf("%.60f", x)))
  abs(x) < 1e15 & x * 2^60 == floor(x * 2^60) & nchar(digits) <= 15
}

read_xgboost <- function(document, iterations) {
  learner <- part(document, "learner")
  booster <- part(learner, "gradient_booster")
  model <- part(xgboost_trees_part(booster), "model")
  n_features <- part_count(learner, "learner_model_param", "num_feature")
  trees <- part(model, "trees")
  if (!length(trees)) stop_input("x", gettext("'x' has no trees: it was trained for 0 rounds"))
  info <- part_whole(model, "tree_info", length(trees))
  taken <- seq_len(xgboost_trees(model, info, iterations))
  weight <- xgboost_weights(booster, model, length(trees))
  n_outputs <- xgboost_outputs(learner)
  objective <- part(learner, "objective", "name")
  if (n_outputs > 1L && objective == "reg:expectileerror") {
    refuse_feature(gettext("several values of expectile_alpha"), gettext("train it with one each"))
  }
  link <- xgboost_link(objective)
  sets <- new_sets()
  trees <- lapply(trees[taken], read_xgboost_tree, n_features, n_outputs, sets)
  features <- xgboost_features(learner, n_features)
  levels <- xgboost_levels(model, features)
  new_forest_ir(
    trees, n_features, features = features, levels = levels, first_code = 0L, sets = sets$all,
    set_else = rep(TRUE, length(sets$all)), output = info[taken] + 1L, weight = weight[taken],
    base = xgboost_base(learner, n_outputs, link$margin), less = "<", number = "float",
    sum = "float", link = link$link, classes = xgboost_classes(objective, n_outputs),
    own_codes = if (length(levels)) "matrix" else FALSE, closed = length(levels) > 0,
    source = "XGBoost", objective = objective,
    version = paste(unlist(part(document, "version", otherwise = "")), collapse = "."))
}

# Where the trees are: one level deeper in documents of the booster dart, which are written up to
# version 3.2.
xgboost_trees_part <- function(booster) {
  name <- part(booster, "name")
  if (identical(name, "gblinear")) {
    refuse_feature(gettext("a linear booster"), gettext("train it with booster = \"gbtree\""))
  }
  if (identical(name, "gbtree")) return(booster)
  if (!identical(name, "dart")) refuse_feature(gettextf("the booster %s", show_value(name)))
  part(booster, "gbtree")
}

# The weights of trees after dropout, beside the trees up to version 3.3, among them later.
xgboost_weights <- function(booster, model, n_trees) {
  given <- Filter(Negate(is.null), list(booster[["weight_drop"]],
                                        booster[["gbtree"]][["weight_drop"]],
                                        model[["weight_drop"]]))
  if (!length(given)) {
    if (identical(booster$name, "dart")) refuse_document(gettext("it lacks 'weight_drop'"))
    return(rep(1, n_trees))
  }
  if (length(given) > 1) refuse_document(gettext("'weight_drop' is there twice"))
  floats(part_numbers(list(weight_drop = given[[1]]), "weight_drop", n_trees))
}

# Numbers of classes and of targets.
xgboost_outputs <- function(learner) {
  n <- max(1L, part_count(learner, "learner_model_param", "num_class"),
           part_count(learner, "learner_model_param", "num_target", otherwise = 1))
  if (n > most_outputs) refuse_document(gettextf("it has more than %d outputs", most_outputs))
  n
}

# Sets of codes that go left, as trees add them.
new_sets <- function() {
  sets <- new.env(parent = emptyenv())
  sets$all <- list()
  sets$codes <- 0
  sets
}

# A small document can list large codes: the most places that all sets together may have.
most_set_codes <- 2^27

add_set <- function(sets, left) {
  sets$codes <- sets$codes + length(left)
  if (sets$codes > most_set_codes) refuse_document(gettext("its sets of codes are too large"))
  sets$all[[length(sets$all) + 1L]] <- left
  length(sets$all)
}

# How many trees the first rounds have. Up to version 1.7 documents do not list where rounds end.
xgboost_trees <- function(model, info, iterations) {
  n <- length(info)
  if (is.null(iterations)) return(n)
  ends <- if (is.null(model$iteration_indptr)) {
    each <- part_count(model, "gbtree_model_param", "num_parallel_tree") * (max(info) + 1L)
    if (each < 1L || n %% each) refuse_document(gettext("it has no whole number of iterations"))
    seq(0L, n, by = each)
  } else {
    part_whole(model, "iteration_indptr")
  }
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

# What categories of data frames are called, since version 3.1: codes count from 0.
xgboost_levels <- function(model, features) {
  encoders <- part(model, "cats", "enc", otherwise = list())
  named <- vapply(encoders, function(encoder) length(encoder$values) > 0, NA)
  if (!any(named)) return(list())
  if (length(encoders) != length(features)) {
    refuse_feature(gettext("names of categories of columns without names"))
  }
  stats::setNames(lapply(encoders[named], xgboost_level_names), features[named])
}

# The bytes of all names, and where each begins; or numbers.
xgboost_level_names <- function(encoder) {
  values <- part_whole(encoder, "values")
  names <- if (is.null(encoder$offsets)) as.character(values) else {
    at <- part_whole(encoder, "offsets")
    if (!identical(at[c(1L, length(at))], c(0L, length(values))) || any(diff(at) < 0L)) {
      refuse_document(gettext("the names of its categories are not valid"))
    }
    each <- factor(rep(seq_along(at[-1]), diff(at)), seq_along(at[-1]))
    vapply(split(as.raw(values %% 256L), each), xgboost_level_name, "", USE.NAMES = FALSE)
  }
  if (anyDuplicated(names)) refuse_document(gettext("the names of its categories are not valid"))
  names
}

# XGBoost 3.2 takes letters for bytes, where the names come from strings of Arrow.
xgboost_level_name <- function(bytes) {
  name <- if (!any(bytes == as.raw(0))) rawToChar(bytes)
  if (is.null(name) || !validUTF8(name)) {
    refuse_feature(gettext("names of categories that are cut within a letter"),
                   gettext("train it with names in ASCII, or with XGBoost 3.4 or later"))
  }
  Encoding(name) <- "UTF-8"
  name
}

read_xgboost_tree <- function(tree, n_features, n_outputs, sets) {
  n <- part_count(tree, "tree_param", "num_nodes")
  width <- max(1L, part_count(tree, "tree_param", "size_leaf_vector", otherwise = 1))
  left <- part_whole(tree, "left_children", n) + 1L
  right <- part_whole(tree, "right_children", n) + 1L
  leaf <- left == 0L
  condition <- xgboost_conditions(tree, n, leaf, width)
  feature <- replace(part_whole(tree, "split_indices", n) + 1L, leaf, 0L)
  list(feature = feature, threshold = replace(condition, leaf, 0), left = left,
       right = replace(right, leaf, 0L),
       default_left = part_numbers(tree, "default_left", n) != 0,
       missing = rep(missing_rules[["nan"]], n), set = read_xgboost_sets(tree, n, leaf, sets),
       leaf_id = seq_len(n) - 1L, cover = xgboost_known(tree, "sum_hessian", n),
       gain = xgboost_known(tree, "loss_changes", n),
       values = xgboost_values(tree, leaf, condition, right, width, n_outputs))
}

# Nodes with sets of codes, and leaves that are vectors, have a NaN or any number.
xgboost_conditions <- function(tree, n, leaf, width) {
  set <- part_whole(tree, "split_type", n, otherwise = integer(n)) == 1L & !leaf
  unused <- set | (leaf & width > 1L)
  given <- part(tree, "split_conditions")
  if (length(given) == n) given[unused] <- 0
  floats(part_numbers(list(split_conditions = given), "split_conditions", n))
}

xgboost_known <- function(tree, name, n) {
  if (!is.null(tree[[name]])) .Call(ffi_floats, part_numbers(tree, name, n))
}

# The leaves' vectors lie side by side, and leaves have their place as right child; up to version
# 3.1 all nodes have vectors, in their order.
xgboost_values <- function(tree, leaf, condition, right, width, n_outputs) {
  if (width == 1L) return(matrix(replace(condition, !leaf, 0)))
  if (width != n_outputs) refuse_document(gettext("leaves have other outputs than the model"))
  if (is.null(tree$leaf_weights)) {
    flat <- part_numbers(tree, "base_weights", length(leaf) * width)
    return(matrix(floats(flat), ncol = width, byrow = TRUE))
  }
  flat <- part_numbers(tree, "leaf_weights")
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
    set[nodes[i]] <- add_set(sets, replace(rep(TRUE, max(own) + 1L), own + 1L, FALSE))
  }
  set
}

# ---- objectives ----------------------------------------------------------------------------------

# `margin`: what makes a margin of the base score.
xgboost_links <- list(
  "identity" = c("reg:squarederror", "reg:linear", "reg:squaredlogerror", "reg:absoluteerror",
                 "reg:pseudohubererror", "reg:quantileerror", "reg:expectileerror", "rank:pairwise",
                 "rank:ndcg", "rank:map", "binary:logitraw"),
  "step" = "binary:hinge",
  "logistic" = c("binary:logistic", "reg:logistic"),
  "exp" = c("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"),
  "softmax" = c("multi:softprob", "multi:softmax"))

xgboost_link <- function(objective) {
  for (link in names(xgboost_links)) {
    if (objective %in% xgboost_links[[link]]) {
      return(list(link = link, margin = c(logistic = "logit", exp = "log")[link]))
    }
  }
  refuse_feature(gettextf("the objective %s", show_value(objective)))
}

# Several outputs of an objective for two classes are labels, of which a row may have any number.
xgboost_classes <- function(objective, n_outputs) {
  if (objective %in% c("binary:logistic", "binary:logitraw")) {
    return(if (n_outputs == 1L) c("0", "1"))
  }
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
