# Checkpoints of treelite 4: Model.serialize(). Arrays have their length before them, all numbers
# their lowest byte first.
#
# Rows are of the type of the leaves. Sums begin at 0 and are divided, if at all, before the base
# scores are added, which are doubles there, but floats in all models of floats that are known.

read_treelite <- function(bytes) {
  at <- new.env(parent = emptyenv())
  at$bytes <- bytes
  at$next_byte <- 1
  head <- treelite_head(at)
  shape <- treelite_shape(head)
  sets <- new_sets()
  trees <- lapply(seq_len(head$n_trees), function(i) read_treelite_tree(at, head, shape, i, sets))
  if (at$next_byte != length(bytes) + 1) refuse_document(gettext("it is longer than its trees"))
  less <- onnx_less(unlist(lapply(trees, `[[`, "mode")))
  link <- treelite_link(head)
  trees <- lapply(trees, function(tree) tree[names(tree) != "mode"])
  n <- length(trees)
  base <- head$base_scores[shape$kept]
  behind <- head$average || (head$number == "float" && any(.Call(ffi_floats, base) != base))
  if (any(base != 0) && !behind) trees <- c(trees, list(catboost_stump(base)))
  forest <- new_forest_ir(
    trees, head$n_features, sets = sets$all, set_else = as.logical(sets$beyond),
    base = rep(0, length(base)), divisor = treelite_divisor(head), less = less,
    number = head$number, sum = head$number, link = link$link, slope = link$slope,
    classes = treelite_classes(head, link$link, length(base)), source = "treelite",
    version = head$version, objective = head$postprocessor)
  forest$own_trees <- n
  if (any(base != 0) && behind) forest$last <- base
  forest
}

treelite_numbers <- function(at, type, n = 1L) {
  size <- c(int32 = 4L, uint32 = 4L, uint64 = 8L, byte = 1L, float = 4L, double = 8L)[[type]]
  bytes <- ubj_take(at, n * size)
  whole <- function(bytes, n) {
    x <- readBin(bytes, "integer", n, 4L, endian = "little")
    ifelse(is.na(x), 2^31, ifelse(x < 0L, x + 2^32, x))
  }
  switch(type, byte = as.integer(bytes),
         int32 = readBin(bytes, "integer", n, 4L, endian = "little"), uint32 = whole(bytes, n),
         uint64 = colSums(matrix(whole(bytes, 2 * n), 2) * c(1, 2^32)),
         float = , double = readBin(bytes, "double", n, size, endian = "little"))
}

# `n`: how many there must be, if any.
treelite_array <- function(at, type, n = NULL, name = "") {
  given <- treelite_numbers(at, "uint64")
  if (!is.null(n) && !given %in% c(n, 0)) refuse_document(gettextf("'%s' is not valid", name))
  treelite_numbers(at, type, given)
}

treelite_text <- function(at) text_of(as.raw(treelite_array(at, "byte")))

treelite_head <- function(at) {
  version <- treelite_numbers(at, "int32", 3)
  if (version[1] != 4L) refuse_feature(gettextf("a checkpoint of treelite %d", version[1]),
                                       gettext("load and serialize it with treelite 4"))
  types <- treelite_numbers(at, "byte", 2)
  head <- list(version = paste(version, collapse = "."))
  if (types[1] != types[2] || !types[1] %in% 2:3) refuse_document(gettext("it has unknown types"))
  head$number <- c("float", "double")[types[1] - 1L]
  head$n_trees <- treelite_numbers(at, "uint64")
  if (head$n_trees > length(at$bytes)) refuse_document(gettext("it ends too early"))
  head$n_features <- treelite_numbers(at, "int32")
  head$task <- treelite_numbers(at, "byte")
  head$average <- treelite_numbers(at, "byte") != 0
  head$n_targets <- treelite_numbers(at, "int32")
  for (name in c("n_classes", "leaf_shape", "target", "class")) {
    head[[name]] <- treelite_array(at, "int32")
  }
  head$postprocessor <- treelite_text(at)
  head$slope <- treelite_numbers(at, "float")
  head$ratio <- treelite_numbers(at, "float")
  head$base_scores <- treelite_array(at, "double")
  treelite_text(at) # attributes
  treelite_no_more(at)
  check_treelite_head(head)
}

# Fields that later versions may add.
treelite_no_more <- function(at) {
  if (treelite_numbers(at, "int32") != 0) {
    refuse_feature(gettext("fields of a later version of treelite"))
  }
}

check_treelite_head <- function(head) {
  most <- max(0L, head$n_classes)
  whole <- c(head$n_features, head$n_targets, head$n_classes, head$leaf_shape)
  valid <- !anyNA(c(whole, head$target, head$class)) && all(whole >= 1) && head$n_trees > 0 &&
    length(head$n_classes) == head$n_targets && length(head$leaf_shape) == 2 &&
    length(head$target) == head$n_trees && length(head$class) == head$n_trees &&
    as.numeric(most) * head$n_targets == length(head$base_scores) &&
    length(head$base_scores) <= most_outputs && all(head$target < head$n_targets) &&
    all(head$class < most) && all(is.finite(head$base_scores))
  if (!valid) refuse_document(gettext("its head is not valid"))
  head
}

# Outputs lie target by target, of as many classes as the one with most of them: `kept` are those
# that there are; `cells` has by tree the outputs of its vectors, or of its numbers.
treelite_shape <- function(head) {
  most <- max(head$n_classes)
  all <- matrix(seq_len(head$n_targets * most), head$n_targets, byrow = TRUE)
  kept <- which(as.vector(t(col(all) <= head$n_classes)))
  cells <- lapply(seq_len(head$n_trees), function(i) {
    rows <- if (head$target[i] < 0L) seq_len(head$n_targets) else head$target[i] + 1L
    columns <- if (head$class[i] < 0L) seq_len(most) else head$class[i] + 1L
    match(as.vector(t(all[rows, columns, drop = FALSE])), kept)
  })
  list(kept = kept, cells = cells)
}

read_treelite_tree <- function(at, head, shape, i, sets) {
  n <- treelite_numbers(at, "int32")
  if (is.na(n) || n < 1L || n > length(at$bytes)) refuse_document(gettext("a tree has no nodes"))
  treelite_numbers(at, "byte")
  array <- function(type, name, n = NULL) treelite_array(at, type, n, name)
  kind <- array("byte", "node_type", n)
  left <- array("int32", "cleft", n) + 1L
  right <- array("int32", "cright", n) + 1L
  feature <- array("int32", "split_index", n) + 1L
  default_left <- array("byte", "default_left", n) != 0
  number <- array(head$number, "leaf_value", n)
  threshold <- array(head$number, "threshold", n)
  operator <- array("byte", "cmp", n)
  list_right <- array("byte", "category_list_right_child", n) != 0
  vectors <- treelite_segments(at, head$number, n)
  codes <- treelite_segments(at, "uint32", n)
  count <- treelite_known(at, "uint64", n)
  hessian <- treelite_known(at, "double", n)
  gain <- treelite_known(at, "double", n)
  treelite_no_more(at)
  treelite_no_more(at)
  leaf <- left == 0L
  by_set <- !leaf & kind == 2L
  set <- integer(n)
  for (k in which(by_set)) set[k] <- treelite_set(codes(k), !list_right[k], sets)
  known <- leaf | by_set | operator %in% 2:5
  if (!all(known)) refuse_feature(gettext("tests of equality"))
  turned <- !leaf & !by_set & operator %in% 4:5
  sides <- ifelse(turned, right, left)
  list(mode = c("BRANCH_LT", "BRANCH_LEQ", "BRANCH_LEQ", "BRANCH_LT")[
         operator[!leaf & !by_set] - 1L],
       feature = replace(feature, leaf, 0L), threshold = replace(threshold, leaf | by_set, 0),
       left = replace(sides, leaf, 0L), right = replace(ifelse(turned, left, right), leaf, 0L),
       default_left = !leaf & xor(default_left, turned),
       missing = rep(missing_rules[["nan"]], n), set = set, leaf_id = seq_len(n) - 1L,
       cover = if (is.null(count)) hessian else count, gain = gain,
       values = treelite_values(number, vectors, leaf, head, shape, i))
}

# All outputs, where there are several: what a tree has no number for gets 0.
treelite_values <- function(number, vectors, leaf, head, shape, i) {
  cells <- shape$cells[[i]]
  values <- matrix(0, length(leaf), length(shape$kept))
  for (k in which(leaf)) {
    own <- vectors(k)
    if (!length(own)) own <- number[k]
    if (length(own) != length(cells)) refuse_document(gettext("a leaf has other outputs"))
    values[k, cells[!is.na(cells)]] <- own[!is.na(cells)]
  }
  values
}

# Of a node, what lies from its first place to before its last one.
treelite_segments <- function(at, type, n) {
  all <- treelite_array(at, type)
  begin <- treelite_array(at, "uint64", n, "begin")
  end <- treelite_array(at, "uint64", n, "end")
  if (length(begin) != length(end) || any(begin > end | end > length(all))) {
    refuse_document(gettext("its vectors are not valid"))
  }
  function(k) if (length(begin)) all[begin[k] + seq_len(end[k] - begin[k])]
}

# NULL where it is not said of all nodes.
treelite_known <- function(at, type, n) {
  values <- treelite_array(at, type)
  there <- treelite_array(at, "byte")
  if (length(values) == n && length(there) == n && all(there != 0)) values
}

# Codes that go left, or all others do, and those that no set knows.
treelite_set <- function(codes, listed_left, sets) {
  if (any(codes >= 2^24)) refuse_document(gettext("its categories are not valid"))
  left <- replace(rep(!listed_left, max(0, codes) + 1), codes + 1, listed_left)
  sets$beyond <- c(sets$beyond, !listed_left)
  add_set(sets, left)
}

# What the sum of an output is divided by, the same for all.
treelite_divisor <- function(head) {
  if (!head$average) return(1)
  counted <- table(head$target, head$class)
  counted <- unique(counted[counted > 0])
  if (length(counted) != 1L || (any(head$class < 0L) && !all(head$class < 0L))) {
    refuse_feature(gettext("averages of several numbers of trees"))
  }
  as.numeric(counted)
}

treelite_link <- function(head) {
  links <- c(identity = "identity", identity_multiclass = "identity", signed_square = "square",
             hinge = "step", sigmoid = "logistic", multiclass_ova = "logistic",
             exponential = "exp", exponential_standard_ratio = "exp",
             logarithm_one_plus_exp = "log1pexp", softmax = "softmax")
  link <- unname(links[head$postprocessor])
  if (is.na(link) || (link == "softmax" && head$n_targets > 1)) {
    refuse_feature(gettextf("the postprocessor '%s'", head$postprocessor))
  }
  list(link = link, slope = if (link == "logistic") head$slope else
    if (head$postprocessor == "exponential_standard_ratio") -log(2) / head$ratio else 1)
}

treelite_classes <- function(head, link, n_outputs) {
  if (head$n_targets > 1 || !head$task %in% c(0L, 2L)) return(NULL)
  if (n_outputs > 1) return(as.character(seq_len(n_outputs) - 1L))
  if (link == "logistic") c("0", "1")
}
