# Models of ONNX: a tree ensemble of ai.onnx.ml, versions 1 to 5. Numbers of fields are those of
# onnx.proto.

onnx_operators <- c("TreeEnsembleRegressor", "TreeEnsembleClassifier", "TreeEnsemble")

# What may follow: it changes no number, or is a link.
onnx_harmless <- c("Cast", "Identity", "ZipMap")
onnx_scalers <- c("Mul", "Div")
onnx_links_after <- c("Exp", "Normalizer", "Sigmoid", "Softmax")

read_onnx <- function(bytes) {
  model <- pb_message(bytes)
  graph <- pb_inside(model, 7L)
  if (is.null(graph)) refuse_document(gettext("it has no graph"))
  nodes <- lapply(pb_parts(graph, 1L), pb_message)
  types <- vapply(nodes, pb_string, "", 4L)
  odd <- setdiff(types, c(onnx_operators, onnx_harmless, onnx_links_after, onnx_rounders,
                          onnx_scalers))
  if (length(odd)) refuse_feature(gettextf("the operator %s", show_value(odd[1])))
  node <- which(types %in% onnx_operators)
  if (length(node) != 1) refuse_feature(gettextf("%d tree ensembles", length(node)))
  behind <- onnx_behind(nodes, node)
  factor <- onnx_factor(graph, nodes, types, behind)
  scores <- onnx_scores(nodes, types, node, behind)
  scale <- onnx_scale(graph, nodes, types, setdiff(behind, factor$node), scores)
  rounding <- onnx_rounding(graph, nodes, replace(types, behind, ""),
                            pb_strings(nodes[[node]], 1L)[1])
  input <- c(onnx_input(graph, rounding$input), rounding[-1])
  attributes <- onnx_attributes(nodes[[node]])
  attributes[c("sets", "nodes_set")] <- NULL # names that only version 5 gets, below
  if (types[node] == "TreeEnsemble") attributes <- onnx_nodes_of_5(attributes)
  after <- onnx_link_after(nodes, types, scores)
  version <- trimws(paste(pb_string(model, 2L), pb_string(model, 3L)))
  forest <- read_onnx_ensemble(attributes, input, types[node] == "TreeEnsembleClassifier", after,
                               scale, onnx_properties(model), source = "ONNX", version = version)
  forest$last <- factor$last
  forest
}

# Which nodes work on what the ensemble's node makes. Nodes are in the order in which they run.
onnx_behind <- function(nodes, node) {
  made <- pb_strings(nodes[[node]], 2L)
  behind <- integer()
  for (i in seq_along(nodes)) {
    if (i == node || !any(pb_strings(nodes[[i]], 1L) %in% made)) next
    behind <- c(behind, i)
    made <- c(made, pb_strings(nodes[[i]], 2L))
  }
  behind
}

# What a graph divides sums by behind the trees: a single number. Multiplying by 1 changes nothing.
# Any other operator but those that are links is an error.
onnx_scale <- function(graph, nodes, types, behind, scores) {
  by <- lapply(behind[!types[behind] %in% c(onnx_harmless, onnx_links_after)], function(i) {
    inputs <- pb_strings(nodes[[i]], 1L)
    value <- if (types[i] %in% onnx_scalers) onnx_initializer(graph, inputs[2])
    if (length(value) == 1 && value %in% 1) return(1)
    if (length(value) != 1 || !is.finite(value) || types[i] != "Div" || !inputs[1] %in% scores) {
      refuse_feature(gettextf("the operator '%s' behind the trees", types[i]))
    }
    value
  })
  by <- unlist(by)[unlist(by) != 1]
  if (length(by) > 1 || any(by <= 0)) refuse_feature(gettext("several divisors of sums"))
  if (length(by)) by else 1
}

# What multiplies the result of Exp, as onnxmltools writes the base of XGBoost's counts: its
# logarithm belongs to the sums. list(node, last); NULL where there is none.
onnx_factor <- function(graph, nodes, types, behind) {
  made <- unlist(lapply(nodes[types == "Exp"], pb_strings, 2L))
  for (i in behind[types[behind] == "Mul"]) {
    inputs <- pb_strings(nodes[[i]], 1L)
    value <- if (any(inputs %in% made)) onnx_initializer(graph, setdiff(inputs, made))
    if (length(value) == 1 && is.finite(value) && value > 0 && value != 1) {
      return(list(node = i, last = log(value)))
    }
  }
  NULL
}

# The names of the ensemble's outputs, and of what harmless nodes and scalers make of them.
onnx_scores <- function(nodes, types, node, behind) {
  scores <- pb_strings(nodes[[node]], 2L)
  for (i in behind[types[behind] %in% c(onnx_harmless, onnx_scalers)]) {
    if (pb_strings(nodes[[i]], 1L)[1] %in% scores) scores <- c(scores, pb_strings(nodes[[i]], 2L))
  }
  scores
}

# What a node behind the ensemble, whose outputs are `scores`, makes of them; NULL: nothing.
onnx_link_after <- function(nodes, types, scores) {
  after <- which(types %in% onnx_links_after)
  if (!length(after)) return(NULL)
  node <- nodes[[after[1]]]
  if (length(after) > 1 || !all(pb_strings(node, 1L) %in% scores)) {
    refuse_feature(gettextf("the operator '%s' at this place", types[after[1]]))
  }
  if (types[after] == "Exp") return("exp")
  if (types[after] == "Sigmoid") return("logistic")
  if (types[after] == "Softmax") {
    axis <- onnx_attributes(node)$axis
    if (!is.null(axis) && !axis %in% c(-1, 1)) refuse_feature(gettext("a softmax of columns"))
    return("softmax")
  }
  norm <- onnx_attributes(node)$norm
  if (!identical(norm, "L1")) refuse_feature(gettextf("the norm %s", show_value(norm)))
  "shares"
}

# Strings by name.
onnx_properties <- function(model) {
  entries <- lapply(pb_parts(model, 14L), pb_message)
  stats::setNames(lapply(entries, pb_string, 2L), vapply(entries, pb_string, "", 1L))
}

# word.1, word.2, ...; NULL if they are not n different ones.
onnx_names <- function(properties, word, n) {
  if (!paste0(word, ".1") %in% names(properties)) return(NULL)
  names <- unlist(properties[paste0(word, ".", seq_len(n))])
  if (length(names) == n && !anyDuplicated(names)) unname(names)
}

# list(number, n): "float" or "double", as the graph declares its input, and its columns, or 0.
onnx_input <- function(graph, name) {
  for (declared in lapply(pb_parts(graph, 11L), pb_message)) {
    if (!pb_string(declared, 1L) %in% name) next
    tensor <- pb_inside(declared, 2L, 1L)
    kind <- if (!is.null(tensor)) match(pb_numbers(tensor, 1L, 0L)[1], c(1, 11))
    if (is.null(kind) || is.na(kind)) {
      refuse_feature(gettext("an input that is not a tensor of floats or doubles"))
    }
    shape <- pb_inside(tensor, 2L)
    sizes <- if (!is.null(shape)) lapply(pb_parts(shape, 1L), pb_message)
    n <- if (length(sizes) == 2) pb_numbers(sizes[[2]], 1L, 0L)
    known <- length(n) == 1 && n >= 1 && n <= 2^24
    return(list(number = c("float", "double")[kind], n = if (known) as.integer(n) else 0L))
  }
  refuse_feature(gettext("operators before the trees"))
}

# ---- attributes ----------------------------------------------------------------------------------

# Values by name: numbers, strings, or what is in a tensor.
onnx_attributes <- function(node) {
  all <- lapply(pb_parts(node, 5L), pb_message)
  stats::setNames(lapply(all, onnx_attribute), vapply(all, pb_string, "", 1L))
}

onnx_attribute <- function(attribute) {
  there <- attribute$number
  if (any(there == 5L)) return(onnx_tensor(pb_inside(attribute, 5L)))
  if (any(there == 9L)) return(pb_strings(attribute, 9L))
  if (any(there == 8L)) return(pb_numbers(attribute, 8L, 0L))
  if (any(there == 7L)) return(pb_numbers(attribute, 7L, 5L))
  if (any(there == 4L)) return(pb_string(attribute, 4L))
  if (any(there == 3L)) return(pb_numbers(attribute, 3L, 0L))
  if (any(there == 2L)) pb_numbers(attribute, 2L, 5L)
}

# Numbers lie in a field of their type, or as bytes.
onnx_tensor <- function(tensor) {
  type <- if (!is.null(tensor)) match(pb_numbers(tensor, 2L, 0L)[1], c(1, 11, 3, 2, 9))
  if (is.null(type) || is.na(type)) refuse_feature(gettext("a tensor that is not numeric"))
  bytes <- pb_parts(tensor, 9L)
  if (!length(bytes)) {
    return(pb_numbers(tensor, c(4L, 10L, 5L, 5L, 5L)[type], c(5L, 1L, 0L, 0L, 0L)[type]))
  }
  if (type > 2L) return(as.numeric(bytes[[1]])) # small numbers, a byte each
  pb_call(.Call(ffi_protobuf_packed, bytes[[1]], c(5L, 1L)[type]))
}

onnx_numbers <- function(attributes, name, n = NULL, otherwise) {
  value <- attributes[[paste0(name, "_as_tensor"), exact = TRUE]]
  if (is.null(value)) value <- attributes[[name, exact = TRUE]]
  if (is.null(value) && !missing(otherwise)) return(otherwise)
  if (!is.numeric(value) || (!is.null(n) && length(value) != n)) {
    refuse_document(gettextf("'%s' is not valid", name))
  }
  value
}

onnx_whole <- function(attributes, name, n = NULL, otherwise) {
  value <- onnx_numbers(attributes, name, n, otherwise)
  if (any(!is.finite(value) | abs(value) > .Machine$integer.max | value != round(value))) {
    refuse_document(gettextf("'%s' must be whole numbers", name))
  }
  as.integer(value)
}

# One of some words, by its number from 0.
onnx_word <- function(attributes, name, words, otherwise) {
  i <- onnx_whole(attributes, name, 1L, otherwise)
  if (i < 0L || i >= length(words)) refuse_document(gettextf("'%s' has an unknown value", name))
  words[i + 1L]
}

# ---- version 5 -----------------------------------------------------------------------------------

onnx_modes <- c("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ",
                "BRANCH_MEMBER")

# It numbers nodes that split and leaves apart, and trees by their roots: what versions 1 to 4 would
# say. A child that is a leaf says so; a root whose both children are one leaf is that leaf.
onnx_nodes_of_5 <- function(a) {
  feature <- onnx_whole(a, "nodes_featureids")
  target <- onnx_whole(a, "leaf_targetids")
  n <- length(feature)
  leaf <- n + seq_along(target)
  pad <- function(x) c(x, rep(0, length(target)))
  yes <- onnx_child_of_5(a, "nodes_truenodeids", "nodes_trueleafs", n, length(target))
  no <- onnx_child_of_5(a, "nodes_falsenodeids", "nodes_falseleafs", n, length(target))
  roots <- onnx_whole(a, "tree_roots") + 1L
  if (!length(roots) || any(roots < 1L | roots > n)) refuse_document(gettext("a tree has no root"))
  alone <- yes[roots] == no[roots]
  roots[alone] <- yes[roots[alone]]
  tree <- onnx_trees_of(roots, c(yes, leaf * NA), c(no, leaf * NA))
  mode <- onnx_whole(a, "nodes_modes", n)
  if (any(mode < 0L | mode > 6L)) refuse_document(gettext("a node has an unknown test"))
  modes <- c(onnx_modes[mode + 1L], rep("LEAF", length(target)))
  of_sets <- if (any(mode == 6L)) onnx_sets(a, modes)
  all <- list(
    nodes_treeids = tree, nodes_nodeids = seq_along(tree) - 1L, nodes_featureids = pad(feature),
    nodes_values = pad(onnx_numbers(a, "nodes_splits", n)),
    nodes_modes = modes, nodes_set = of_sets$set,
    nodes_truenodeids = pad(yes - 1L), nodes_falsenodeids = pad(no - 1L),
    nodes_missing_value_tracks_true =
      pad(onnx_whole(a, "nodes_missing_value_tracks_true", n, otherwise = integer(n))))
  reached <- tree >= 0L
  c(lapply(all, `[`, reached), list(
    sets = of_sets$sets,
    target_treeids = tree[leaf][reached[leaf]], target_nodeids = leaf[reached[leaf]] - 1L,
    target_ids = target[reached[leaf]],
    target_weights = onnx_numbers(a, "leaf_weights", length(target))[reached[leaf]],
    n_targets = onnx_whole(a, "n_targets", 1L),
    aggregate_function =
      onnx_word(a, "aggregate_function", c("AVERAGE", "SUM", "MIN", "MAX"), 1L),
    post_transform = onnx_transform_of_5(a)))
}

# The standard calls 1 SOFTMAX and 2 LOGISTIC; ONNX Runtime has it the other way round.
onnx_transform_of_5 <- function(a) {
  if (onnx_whole(a, "post_transform", 1L, otherwise = 0L) == 0L) return("NONE")
  refuse_feature(gettext("a transform whose number ONNX Runtime takes for another"),
                 gettext("write it as an operator behind the trees"))
}

# From 1; leaves follow the n nodes that split.
onnx_child_of_5 <- function(a, name, is_leaf, n, n_leaves) {
  to <- onnx_whole(a, name, n)
  leaf <- onnx_whole(a, is_leaf, n) != 0L
  if (any(to < 0L | to >= ifelse(leaf, n_leaves, n))) {
    refuse_document(gettext("a node has a child that does not exist"))
  }
  to + 1L + ifelse(leaf, n, 0L)
}

# Which tree, from 0, each node is reached from; -1: from none.
onnx_trees_of <- function(roots, yes, no) {
  tree <- rep(-1L, length(yes))
  level <- roots
  owner <- seq_along(roots) - 1L
  while (length(level)) {
    if (anyDuplicated(level) || any(tree[level] >= 0L)) {
      refuse_document(gettext("a tree contains a cycle"))
    }
    tree[level] <- owner
    below <- c(yes[level], no[level])
    owner <- rep(owner, 2L)[!is.na(below)]
    level <- below[!is.na(below)]
  }
  tree
}

# ---- ensembles -----------------------------------------------------------------------------------

read_onnx_ensemble <- function(a, input, by_class, after, scale, properties, ...) {
  classes <- if (by_class) onnx_classes(a)
  link <- onnx_link(a, by_class)
  if (!is.null(after) && link != "identity") refuse_feature(gettext("two transforms"))
  if (!is.null(after)) link <- after
  leaves <- onnx_leaves(a, if (by_class) "class" else "target", input$number)
  n_outputs <- if (by_class) length(classes) else onnx_whole(a, "n_targets", 1L)
  if (n_outputs == 2L && by_class && length(unique(leaves$output)) == 1L) {
    if (link == "identity") link <- onnx_second(a, leaves$weight)
    if (!link %in% c("logistic", "second")) refuse_feature(gettext("a softmax of one score"))
    n_outputs <- 1L
    leaves$output[] <- 0L
  }
  if (n_outputs < 1L || n_outputs > most_outputs ||
      any(leaves$output < 0L | leaves$output >= n_outputs)) {
    refuse_document(gettext("leaves have other outputs than the model"))
  }
  if (scale != 1 && (by_class || link == "shares")) {
    refuse_feature(gettext("probabilities that are divided"))
  }
  nodes <- onnx_nodes(a, input$number, input$mask)
  leaves$at <- nodes$find(leaves$tree, leaves$node)
  base <- onnx_cast(onnx_numbers(a, "base_values", otherwise = numeric()), input$number)
  if (!length(base) %in% c(0L, n_outputs)) {
    refuse_document(gettext("'base_values' is not valid"))
  }
  n_features <- max(1L, input$n, nodes$all$feature)
  if (!by_class && (n_outputs > 1L || link == "logistic")) {
    classes <- onnx_names(properties, "class", max(2L, n_outputs))
  }
  onnx_forest(nodes, leaves, n_outputs, base, scale,
              average = identical(onnx_aggregate(a), "AVERAGE"),
              n_features = n_features, features = onnx_names(properties, "feature", n_features),
              less = nodes$less, number = input$number, sum = input$number, link = link,
              classes = classes, sets = as.list(a[["sets"]]),
              set_else = logical(length(a[["sets"]])),
              minus_fraction = input$minus_fraction, ...)
}

# ONNX Runtime takes one score of two classes for the probability of the second, if no weight is
# below 0.
onnx_second <- function(a, weight) {
  if (any(weight < 0) || any(onnx_numbers(a, "base_values", otherwise = numeric()) < 0)) {
    refuse_feature(gettext("one score below 0 for two classes without 'LOGISTIC'"))
  }
  "second"
}

onnx_cast <- function(x, number) if (number == "float") .Call(ffi_floats, as.numeric(x)) else x

onnx_aggregate <- function(a) {
  said <- if (is.null(a$aggregate_function)) "SUM" else a$aggregate_function
  if (!said %in% c("SUM", "AVERAGE")) refuse_feature(gettextf("the aggregate '%s'", said))
  said
}

# ONNX Runtime does not apply a transform to a single number.
onnx_link <- function(a, by_class) {
  said <- if (is.null(a$post_transform)) "NONE" else a$post_transform
  if (said != "NONE" && !by_class && onnx_whole(a, "n_targets", 1L) == 1L) {
    refuse_feature(gettextf("the transform '%s' of one number, which ONNX Runtime ignores", said),
                   gettext("write it as an operator behind the trees"))
  }
  link <- c(NONE = "identity", LOGISTIC = "logistic", SOFTMAX = "softmax")[said]
  if (is.na(link)) refuse_feature(gettextf("the transform '%s'", said))
  unname(link)
}

onnx_classes <- function(a) {
  classes <- if (length(a$classlabels_strings)) a$classlabels_strings else
    format(onnx_whole(a, "classlabels_int64s"), trim = TRUE, scientific = FALSE)
  if (!is.character(classes) || length(classes) < 2 || anyDuplicated(classes)) {
    refuse_document(gettext("its classes are not valid"))
  }
  classes
}

onnx_leaves <- function(a, part, number) {
  output <- onnx_whole(a, paste0(part, "_ids"))
  n <- length(output)
  list(output = output, tree = onnx_whole(a, paste0(part, "_treeids"), n),
       node = onnx_whole(a, paste0(part, "_nodeids"), n),
       weight = onnx_cast(onnx_numbers(a, paste0(part, "_weights"), n), number))
}

# list(tree, all, find, less): trees' numbers, what new_forest_ir() takes of nodes, with children as
# places among all nodes; a function that finds such places; and the comparison.
onnx_nodes <- function(a, number, mask) {
  tree <- onnx_whole(a, "nodes_treeids")
  n <- length(tree)
  id <- onnx_whole(a, "nodes_nodeids", n)
  mode <- a$nodes_modes
  if (!is.character(mode) || length(mode) != n) refuse_document(gettext("'nodes_modes' is missing"))
  odd <- setdiff(mode, c("LEAF", onnx_modes[1:4], if (length(a[["sets"]])) "BRANCH_MEMBER"))
  if (length(odd)) refuse_feature(gettextf("tests of the kind %s", show_value(odd[1])))
  leaf <- mode == "LEAF"
  turned <- mode %in% c("BRANCH_GTE", "BRANCH_GT")
  find <- onnx_node_finder(tree, id)
  child <- function(name) {
    replace(integer(n), !leaf, find(tree[!leaf], onnx_whole(a, name, n)[!leaf]))
  }
  yes <- child("nodes_truenodeids")
  no <- child("nodes_falsenodeids")
  tracks <- onnx_whole(a, "nodes_missing_value_tracks_true", otherwise = integer(n)) != 0L
  threshold <- onnx_cast(onnx_numbers(a, "nodes_values", n), number)
  feature <- onnx_whole(a, "nodes_featureids", n)
  if (any(feature[!leaf] < 0L | feature[!leaf] >= 2^24) || length(tracks) != n) {
    refuse_document(gettext("its nodes are not valid"))
  }
  by_set <- mode == "BRANCH_MEMBER"
  check_rounded(mask, feature, by_set, !leaf)
  list(tree = tree, find = find, less = onnx_less(mode[!leaf & !by_set]), all = list(
    feature = ifelse(leaf, 0L, feature + 1L), threshold = replace(threshold, leaf | by_set, 0),
    left = ifelse(turned, no, yes), right = ifelse(turned, yes, no),
    default_left = !leaf & xor(tracks, turned), missing = rep(missing_rules[["nan"]], n),
    set = if (any(by_set)) a[["nodes_set"]] else integer(n), leaf_id = id))
}

onnx_less <- function(mode) {
  strict <- unique(mode %in% c("BRANCH_LT", "BRANCH_GTE"))
  if (length(strict) > 1) refuse_feature(gettext("both tests '<' and '<='"))
  if (isTRUE(strict)) "<" else "<="
}

onnx_node_finder <- function(tree, node) {
  key <- paste(tree, node)
  if (anyDuplicated(key)) refuse_document(gettext("two nodes have the same number"))
  function(tree, node) {
    at <- match(paste(tree, node), key)
    if (anyNA(at)) refuse_document(gettext("a node has a child that does not exist"))
    at
  }
}

# Trees in the order of their numbers. Leaves have vectors where one tree has several outputs. The
# base, which is added last, is a tree of one leaf.
onnx_forest <- function(nodes, leaves, n_outputs, base, scale, average, n_features, ...) {
  if (average && length(base)) refuse_feature(gettext("base values of an average"))
  if (average && scale != 1) refuse_feature(gettext("an average that is divided"))
  of_tree <- split(seq_along(nodes$tree), nodes$tree)
  outputs <- split(leaves$output, factor(nodes$tree[leaves$at], names(of_tree)))
  wide <- any(vapply(outputs, function(k) length(unique(k)) > 1, NA))
  values <- matrix(0, length(nodes$tree), if (wide) n_outputs else 1L)
  cell <- cbind(leaves$at, if (wide) leaves$output + 1L else 1L)
  if (anyDuplicated(cell) || any(nodes$all$feature[leaves$at] != 0L)) {
    refuse_document(gettext("a leaf has two values, or an inner node has one"))
  }
  values[cell] <- leaves$weight
  trees <- lapply(unname(of_tree), onnx_tree, nodes$all, values)
  output <- vapply(outputs, function(k) if (length(k) && !wide) k[1] else 0L, 0L)
  if (length(base)) {
    stumps <- if (wide) list(base) else as.list(base)
    trees <- c(trees, lapply(stumps, onnx_stump))
    output <- c(output, if (wide) 0L else seq_along(base) - 1L)
  }
  new_forest_ir(trees, n_features, output = unname(output) + 1L, base = rep(0, n_outputs),
                divisor = if (average) length(of_tree) else scale, ...)
}

# The node that is no child comes first.
onnx_tree <- function(own, all, values) {
  root <- setdiff(own, c(all$left[own], all$right[own]))
  if (length(root) != 1) refuse_document(gettext("a tree has no root, or several"))
  own <- c(root, setdiff(own, root))
  tree <- lapply(all, `[`, own)
  tree$left <- match(tree$left, own, 0L)
  tree$right <- match(tree$right, own, 0L)
  tree$values <- values[own, , drop = FALSE]
  tree
}

onnx_stump <- function(value) {
  list(feature = 0L, threshold = 0, left = 0L, right = 0L, default_left = FALSE,
       missing = missing_rules[["nan"]], set = 0L, leaf_id = 0L, values = matrix(value, 1))
}
