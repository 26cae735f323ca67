# Sets of codes as version 5 of ai.onnx.ml has them: BRANCH_MEMBER, which asks for numbers as they
# are. Forests cut fractions off first, so that the graph does, of the columns that have codes:
# Where(mask, Floor(x), x), and Mul(Sign(x), Floor(Abs(x))) for Floor(x) where a code between -1 and
# 0 is 0.

# ---- writing -------------------------------------------------------------------------------------

has_sets <- function(e) any(e$set > 0L & e$feature > 0L)

check_sets_for_onnx <- function(e, refuse) {
  inner <- e$feature > 0L
  by_set <- inner & e$set > 0L
  if (ncol(e$values) > 1L) refuse(gettext("a set of codes and leaves with several values"))
  if (any(e$feature[by_set] %in% e$feature[inner & !by_set])) {
    refuse(gettext("a column with sets of codes and thresholds"))
  }
}

# Nodes and the mask, of x: `rounded`.
onnx_rounding_of <- function(e, node) {
  mask <- seq_len(e$n_features) %in% e$feature[e$feature > 0L & e$set > 0L]
  step <- function(type, from, to) node(type, from, to, "", list())
  floor <- if (e$minus_fraction) {
    c(step("Sign", "x", "sign"), step("Abs", "x", "size"), step("Floor", "size", "whole"),
      step("Mul", c("sign", "whole"), "floor"))
  } else step("Floor", "x", "floor")
  list(nodes = c(floor, step("Where", c("mask", "floor", "x"), "rounded")),
       mask = pb_bytes(5L, c(pb_wholes(1L, c(1, length(mask))), pb_whole(2L, 9),
                             pb_wholes(5L, as.integer(mask)), pb_texts(8L, "mask"))))
}

# Nodes that split and leaves are numbered apart. A tree of one leaf is a node with it on both
# sides. Sets by which new codes go left are said by the codes that go right.
onnx_attributes_of_5 <- function(forest, e) {
  leaf <- e$feature == 0L
  alone <- leaf & seq_along(leaf) %in% e$roots
  node <- !leaf | alone
  place <- ifelse(leaf, cumsum(leaf), cumsum(node)) - 1L
  by_set <- (e$set > 0L & !leaf)[node]
  turned <- replace(logical(length(by_set)), by_set, e$set_else[e$set[node][by_set]])
  children <- function(side) ifelse(alone, seq_along(leaf), e[[side]])[node]
  yes <- ifelse(turned, children("right"), children("left"))
  no <- ifelse(turned, children("left"), children("right"))
  wholes <- function(x) list("wholes", as.integer(x))
  reals <- function(x) list(paste0(e$number, "s"), x)
  roots <- cumsum(node)[e$roots] - 1L
  nan_left <- nan_goes_left(e, "ONNX")[node]
  list(
    n_targets = list("whole", n_forest_outputs(forest)),
    aggregate_function = list("whole", if (onnx_averages(e)) 0 else 1),
    post_transform = list("whole", 0),
    tree_roots = wholes(roots), nodes_featureids = wholes(pmax(e$feature[node] - 1L, 0L)),
    nodes_splits = reals(e$threshold[node]),
    nodes_modes = list("bytes", ifelse(by_set, 6L, if (e$less == "<") 1L else 0L)),
    nodes_truenodeids = wholes(place[yes]), nodes_trueleafs = wholes(leaf[yes]),
    nodes_falsenodeids = wholes(place[no]), nodes_falseleafs = wholes(leaf[no]),
    nodes_missing_value_tracks_true = wholes(xor(nan_left, turned)),
    membership_values = reals(onnx_members(e, e$set[node][by_set])),
    leaf_targetids = wholes(e$output[tree_of_node(e)[leaf]] - 1L),
    leaf_weights = reals(forest_terms(e)[leaf, 1]))
}

# Each set ends with a NaN. One that is empty has a number that no code is.
onnx_members <- function(e, sets) {
  unlist(lapply(sets, function(set) {
    codes <- which(e$sets[[set]] != e$set_else[set]) - 1
    c(if (length(codes)) codes else 0.5, NaN)
  }))
}

# ---- reading -------------------------------------------------------------------------------------

onnx_rounders <- c("Sign", "Abs", "Floor", "Mul", "Where")

# list(input, mask, minus_fraction): what the trees' input is made of, and which columns are
# rounded; mask NULL: none.
onnx_rounding <- function(graph, nodes, types, input) {
  of <- which(types %in% onnx_rounders)
  if (!length(of)) return(list(input = input, mask = NULL, minus_fraction = FALSE))
  from <- lapply(nodes[of], pb_strings, 1L)
  to <- vapply(nodes[of], function(node) pb_strings(node, 2L)[1], "")
  asked <- 0L
  made <- function(name) {
    asked <<- asked + 1L
    if (asked > 20L || grepl("[(,]", name)) refuse_feature(gettext("operators before the trees"))
    i <- match(name, to)
    if (is.na(i)) return(name)
    sprintf("%s(%s)", types[of][i], paste(vapply(from[[i]], made, ""), collapse = ","))
  }
  last <- from[[match(input, to, 1L)]]
  mask <- last[1]
  x <- last[length(last)]
  form <- match(made(input), sprintf(c("Where(%s,Floor(%s),%s)",
                                       "Where(%s,Mul(Sign(%s),Floor(Abs(%s))),%s)"),
                                     mask, x, x, x))
  if (is.na(form)) refuse_feature(gettext("operators before the trees"))
  list(input = x, mask = onnx_initializer(graph, mask) != 0, minus_fraction = form == 2L)
}

onnx_initializer <- function(graph, name) {
  for (tensor in lapply(pb_parts(graph, 5L), pb_message)) {
    if (pb_string(tensor, 8L) %in% name) return(onnx_tensor(tensor))
  }
  refuse_feature(gettext("operators before the trees"))
}

# list(set, sets): of nodes by their modes, and their members. Rounded numbers are no fractions.
onnx_sets <- function(a, mode) {
  by_set <- mode == "BRANCH_MEMBER"
  members <- a[["membership_values"]]
  end <- which(is.nan(members))
  if (!is.numeric(members) || length(end) != sum(by_set)) {
    refuse_document(gettext("'membership_values' is not valid"))
  }
  which_set <- cumsum(c(0, utils::head(is.nan(members), -1L))) + 1
  sets <- lapply(seq_along(end), function(i) {
    codes <- members[which_set == i & !is.nan(members)]
    codes <- codes[codes == round(codes)]
    if (any(codes < 0 | codes >= 65536)) refuse_feature(gettext("codes below 0 or above 65535"))
    seq_len(max(0, codes) + 1) %in% (codes + 1)
  })
  list(set = replace(integer(length(mode)), by_set, seq_along(end)), sets = sets)
}

# Members are codes only of rounded numbers; thresholds that were written are never of such.
check_rounded <- function(mask, feature, by_set, split) {
  rounded <- if (is.null(mask)) logical(length(feature)) else mask[feature + 1L] %in% TRUE
  if (any(by_set & !rounded)) {
    refuse_feature(gettext("tests of the kind 'BRANCH_MEMBER' of numbers that are not rounded"))
  }
  if (any(split & !by_set & rounded)) refuse_feature(gettext("thresholds of rounded numbers"))
}
