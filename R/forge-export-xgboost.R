# write_xgboost(): ensembles as documents of XGBoost.

#' @rdname write_pmml
#' @section XGBoost:
#' [import_forest()] and XGBoost read the file as a forest with the same margins, bit for bit.
#'
#' XGBoost compares and adds single-precision floats and goes left below a threshold, so only its
#' own models and those imported from ONNX can be written; models in doubles, such as those of
#' LightGBM and of R packages, cannot. A test `x <= t` of floats is written as `x <` the next float.
#'
#' The objective is that of the model if it is `reg:squarederror`, `reg:logistic`,
#' `binary:logistic`, `binary:logitraw`, `binary:hinge`, `count:poisson`, `multi:softprob` or
#' `multi:softmax`, else one of these with the same link. XGBoost numbers classes from 0 and does
#' not store their names; levels of factors are not written, so that data must have their codes. A
#' base value that is not the margin of any `base_score` is written as trees of one leaf. Weights of
#' trees are multiplied into their leaves.
#'
#' A model that refuses missing values is written with a warning, as in ONNX.
#'
#' Not supported either are tests for which zero counts as missing, sets of codes where new codes go
#' right, infinite thresholds, averages, and proportions of votes.
#'
#' @section Errors:
#' `contree_input_error` for names or levels with control characters that XML cannot represent, and
#' for a `file` that cannot be written completely; a partly written new file is removed.
#' `contree_unsupported_error` for what ONNX or XGBoost cannot represent.
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' model <- import_forest(system.file("extdata", "pima-xgboost.json.gz", package = "contree"))
#' file <- file.path(tempdir(), "model.json")
#' write_xgboost(model, file)
#' all.equal(import_forest(file), model)
#' @export
write_xgboost <- function(fit, file) {
  write_content(xgboost_document(forest_to_write(fit)), file)
}

xgboost_document <- function(forest) {
  check_for_xgboost(forest)
  objective <- xgboost_objective(forest)
  e <- forest$ensemble
  score <- xgboost_base_score(e$base, xgboost_link(objective)$margin)
  if (is.null(score)) {
    e <- base_as_trees(e)
    score <- xgboost_base_score(e$base, xgboost_link(objective)$margin)
  }
  k <- length(e$base)
  by_class <- startsWith(objective, "multi:")
  names <- if (is.null(forest$features)) character() else forest$features
  learner <- object_text(
    attributes = "{}", feature_names = array_text(string_text(names)),
    feature_types = array_text(string_text(xgboost_types(e)[seq_along(names)])),
    gradient_booster = object_text(model = xgboost_trees_text(e), name = "\"gbtree\""),
    learner_model_param = object_text(
      base_score = sprintf("\"[%s]\"", paste(score, collapse = ",")), boost_from_average = "\"1\"",
      num_class = string_text(if (by_class) k else 0L),
      num_feature = string_text(e$n_features),
      num_target = string_text(if (by_class) 1L else k)),
    objective = xgboost_settings(objective, k))
  object_text(learner = learner, version = "[3,2,0]")
}

xgboost_types <- function(e) {
  types <- rep("float", e$n_features)
  replace(types, unique(e$feature[e$set > 0L & e$feature > 0L]), "c")
}

check_for_xgboost <- function(forest) {
  e <- forest$ensemble
  refuse <- function(what) refuse_format("XGBoost", what)
  refuse_models("XGBoost", forest)
  if (e$number != "float") refuse(gettext("tests of doubles"))
  if (e$sum != "float") refuse(gettext("sums of doubles"))
  if (e$divisor != 1 || forest$average != 1) refuse(gettext("an average"))
  if (forest$link == "shares") refuse(gettext("shares of votes"))
  if (forest$link %in% c("log1pexp", "square", "second", "first", "isolation") ||
      forest_slope(forest) != 1) {
    refuse(gettextf("the link '%s'", forest$link))
  }
  inner <- e$feature > 0L
  if (any(inner & e$set == 0L & is.infinite(xgboost_thresholds(e)))) {
    refuse(gettext("a threshold that is infinite"))
  }
  used <- unique(e$set[inner & e$set > 0L])
  if (!all(e$set_else[used])) refuse(gettext("a set of codes by which new codes go right"))
  if (any(vapply(e$sets[used], all, NA))) refuse(gettext("a set of codes that all go left"))
  if (e$minus_fraction && length(used)) refuse(gettext("codes between -1 and 0"))
  warn_of_missing("XGBoost", forest)
}

# x <= t is x < the next float.
xgboost_thresholds <- function(e) {
  if (e$less == "<") e$threshold else ifelse(e$feature > 0L, next_float(e$threshold), 0)
}

# The next float above; that above the largest is infinite.
next_float <- function(x) {
  bits <- readBin(writeBin(as.numeric(x), raw(), 4L), "integer", length(x), 4L)
  least <- -.Machine$integer.max # of the largest negative number
  down <- ifelse(bits == least, 0L, pmax(bits, least + 1L) - 1L)
  up <- ifelse(x == 0, 1L, ifelse(x > 0, bits + 1L, down))
  readBin(writeBin(up, raw()), "double", length(x), 4L)
}

xgboost_written <- c("reg:squarederror", "reg:logistic", "binary:logistic", "binary:logitraw",
                     "binary:hinge", "count:poisson", "multi:softprob", "multi:softmax")

xgboost_objective <- function(forest) {
  if (forest$objective %in% xgboost_written) return(forest$objective)
  two <- length(forest$classes) == 2
  switch(forest$link, logistic = if (two) "binary:logistic" else "reg:logistic",
         exp = "count:poisson", softmax = "multi:softprob", step = "binary:hinge",
         identity = if (two && n_forest_outputs(forest) == 1L) "binary:logitraw" else
           "reg:squarederror")
}

# As text what XGBoost makes these margins of; NULL if there is nothing.
xgboost_base_score <- function(base, margin) {
  if (!margin %in% c("logit", "log")) return(float_text(base))
  scores <- vapply(base, function(x) {
    near <- if (margin == "logit") stats::plogis(x) else exp(x)
    near <- .Call(ffi_floats, near)
    for (step in c(0, 1:32, -(1:32))) {
      score <- .Call(ffi_floats, near * (1 + step * 2^-24))
      made <- if (margin == "logit") .Call(ffi_float_logit, score) else .Call(ffi_float_log, score)
      if (made %in% x) return(score)
    }
    NaN
  }, 0)
  if (!anyNA(scores)) float_text(scores)
}

# Decimals that one float only is nearest to. A number without point and exponent is an integer.
float_text <- function(x) {
  text <- sprintf("%.9g", x)
  ifelse(grepl("[.e]", text), text, paste0(text, "E0"))
}

# With the members that XGBoost asks for, as they are by default.
xgboost_settings <- function(objective, k) {
  parameters <- if (objective == "binary:hinge") list() else if (startsWith(objective, "multi:")) {
    list(softmax_multiclass_param = object_text(num_class = string_text(k)))
  } else if (startsWith(objective, "reg:") || startsWith(objective, "binary:")) {
    list(reg_loss_param = object_text(scale_pos_weight = "\"1\""))
  } else {
    list(poisson_regression_param = object_text(max_delta_step = "\"0.7\""))
  }
  do.call(object_text, c(list(name = string_text(objective)), parameters))
}

# ---- trees ---------------------------------------------------------------------------------------

xgboost_trees_text <- function(e) {
  n <- length(e$roots)
  each <- split(seq_along(e$feature), tree_of_node(e))
  inputs <- list(terms = forest_terms(e), threshold = xgboost_thresholds(e),
                 nan_left = nan_goes_left(e, "XGBoost"))
  trees <- vapply(seq_len(n), function(i) xgboost_tree(e, each[[i]], i, inputs), "")
  groups <- if (ncol(e$values) > 1L) 1L else length(e$base)
  rounds <- if (n %% groups == 0L) seq(0L, n, by = groups) else c(0L, n)
  object_text(
    gbtree_model_param = object_text(num_parallel_tree = "\"1\"", num_trees = string_text(n)),
    iteration_indptr = array_text(rounds), tree_info = array_text(e$output - 1L),
    trees = array_text(trees))
}

# Of leaves the value stands where the threshold of others does; vectors of values lie side by side,
# and leaves have their place as right child.
xgboost_tree <- function(e, at, i, inputs) {
  leaf <- e$feature[at] == 0L
  n <- length(at)
  width <- ncol(e$values)
  own <- function(child) ifelse(leaf, -1L, child - at[1])
  left <- own(e$left[at])
  right <- own(e$right[at])
  if (width > 1L) right[leaf] <- seq_len(sum(leaf)) - 1L
  parents <- rep(if (width > 1L) -1L else .Machine$integer.max, n)
  parents[c(left[!leaf], e$right[at][!leaf] - at[1]) + 1L] <- rep(which(!leaf) - 1L, 2L)
  terms <- inputs$terms[at, , drop = FALSE]
  condition <- ifelse(leaf, if (width == 1L) terms[, 1] else 0, inputs$threshold[at])
  known <- function(values) array_text(float_text(if (length(values)) values[at] else numeric(n)))
  vectors <- float_text(as.vector(t(terms[leaf, , drop = FALSE])))
  weights <- if (width > 1L) rep("0E0", n * width) else float_text(ifelse(leaf, terms[, 1], 0))
  sets <- xgboost_categories(e, at, leaf)
  do.call(object_text, c(list(
    base_weights = array_text(weights)), sets$lists, list(
    default_left = array_text(as.integer(inputs$nan_left[at])), id = as.character(i - 1L)),
    if (width > 1L) list(leaf_weights = array_text(vectors)), list(
    left_children = array_text(left), loss_changes = known(e$gain),
    parents = array_text(parents), right_children = array_text(right),
    split_conditions = array_text(float_text(condition)),
    split_indices = array_text(pmax(e$feature[at] - 1L, 0L)), split_type = array_text(sets$type),
    sum_hessian = known(e$cover),
    tree_param = object_text(num_deleted = "\"0\"", num_feature = string_text(e$n_features),
                             num_nodes = string_text(n), size_leaf_vector = string_text(width)))))
}

# The codes of each set that go right.
xgboost_categories <- function(e, at, leaf) {
  set <- replace(e$set[at], leaf, 0L)
  nodes <- which(set > 0L)
  right <- lapply(e$sets[set[nodes]], function(left) which(!left) - 1L)
  size <- lengths(right)
  list(type = as.integer(set > 0L),
       lists = list(categories = array_text(unlist(right)),
                    categories_nodes = array_text(nodes - 1L),
                    categories_segments = array_text(cumsum(c(0L, size))[seq_along(size)]),
                    categories_sizes = array_text(size)))
}

# ---- text ----------------------------------------------------------------------------------------

object_text <- function(...) {
  members <- list(...)
  sprintf("{%s}", paste0("\"", names(members), "\":", unlist(members), collapse = ","))
}

array_text <- function(items) sprintf("[%s]", paste(items, collapse = ","))

string_text <- function(text) {
  text <- gsub("\\", "\\\\", enc2utf8(as.character(text)), fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (code in c(1:31)) {
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
  }
  if (length(text)) paste0("\"", text, "\"") else character()
}
