# Models of ydf (Yggdrasil Decision Forests): folders of save(), or the bytes of serialize(), both
# with messages of Protocol Buffers. Numbers of fields are those of its files *.proto.
#
# Rows are floats, and positive from a threshold on. Floats are summed over trees in their order, as
# by the engines that predict() takes: from 0, with the initial prediction as a tree of one leaf at
# the end, or from that, where the engine is QuickScorer. Missing numbers go where the node says;
# missing levels, too, as long as this is where the most frequent one goes, which the engines put in
# their place.

is_ydf <- function(first) {
  length(first) > 14L && identical(first[c(1:2, 13:15)], charToRaw("BSYDF"))
}

# list(model, spec, header, nodes): three messages, and raw vectors, one a node.
ydf_of_bytes <- function(bytes) {
  parts <- ydf_records(bytes)
  if (length(parts) != 4L) refuse_document(gettext("it is no whole model of ydf"))
  model <- pb_message(parts[[2]])
  header <- if (any(model$number == 1001L)) pb_inside(model, 1001L, 1L) else
    pb_inside(model, 1002L, 1L)
  list(model = pb_inside(model, 1L), spec = pb_message(parts[[3]]), header = header,
       nodes = ydf_records(parts[[4]]))
}

ydf_of_folder <- function(path) {
  file <- function(pattern) {
    found <- list.files(path, pattern, full.names = TRUE)
    if (!length(found)) {
      stop_input("x", gettextf("'%s' is a folder, but not of a model of ydf: it has no '%s'", path,
                               gsub("[$^\\]|[.][*]", "", pattern)))
    }
    found
  }
  header <- file("^(gradient_boosted_trees|random_forest)_header.pb$")
  list(model = pb_message(read_bytes(file("^header.pb$"))),
       spec = pb_message(read_bytes(file("^data_spec.pb$"))),
       header = pb_message(read_bytes(header[1])),
       nodes = unlist(lapply(sort(file("^nodes-.*-of-.*$")),
                             function(part) ydf_records(read_bytes(part))), recursive = FALSE))
}

# Records of a sequence of blobs, which may be compressed.
ydf_records <- function(bytes) {
  if (length(bytes) < 8L || !identical(bytes[1:2], charToRaw("BS"))) {
    refuse_feature(gettext("nodes that are no sequence of blobs, as TensorFlow writes them"))
  }
  if (bytes[5] == as.raw(1)) {
    bytes <- c(bytes[1:8], tryCatch(memDecompress(bytes[-(1:8)], "gzip"), error = function(e) {
      refuse_document(gettext("its nodes cannot be unpacked"))
    }))
  } else if (bytes[5] != as.raw(0)) {
    refuse_document(gettext("its nodes cannot be unpacked"))
  }
  at <- 8
  starts <- sizes <- numeric()
  n <- 0L
  while (at < length(bytes)) {
    size <- if (at + 4 <= length(bytes)) sum(as.integer(bytes[at + 1:4]) * 256^(0:3)) else Inf
    if (at + 4 + size > length(bytes)) refuse_document(gettext("it ends too early"))
    n <- n + 1L
    starts[n] <- at + 4
    sizes[n] <- size
    at <- at + 4 + size
  }
  lapply(seq_len(n), function(i) bytes[starts[i] + seq_len(sizes[i])])
}

read_ydf <- function(parts) {
  if (is.null(parts$model) || is.null(parts$header)) {
    refuse_feature(gettext("a model of ydf that is neither boosted trees nor a random forest"))
  }
  name <- pb_string(parts$model, 1L)
  if (!name %in% c("GRADIENT_BOOSTED_TREES", "RANDOM_FOREST")) {
    refuse_feature(gettextf("a model of ydf of the kind '%s'", name))
  }
  columns <- ydf_columns(parts$spec)
  used <- pb_numbers(parts$model, 5L, 0L) + 1
  if (!length(used) || any(used > length(columns$name))) {
    refuse_document(gettext("its features are not valid"))
  }
  label <- columns$levels[[ydf_number(parts$model, 3L, 0) + 1]]
  said <- if (name == "RANDOM_FOREST") ydf_forest(parts, label) else ydf_boosting(parts, label)
  sets <- new_sets()
  trees <- ydf_trees(parts$nodes, columns, used, said$leaf, sets)
  if (length(trees) != said$n_trees) refuse_document(gettext("it has another number of trees"))
  n <- length(trees)
  highest <- sum(abs(said$initial), vapply(trees, function(tree) max(abs(tree$values)), 0))
  if (said$link == "exp" && highest > 19) {
    refuse_feature(gettext("sums beyond 19, where ydf cuts them"))
  }
  quick <- ydf_is_quick(said, trees)
  if (any(said$initial != 0) && !quick) {
    stumps <- if (ncol(trees[[1]]$values) > 1L) list(said$initial) else as.list(said$initial)
    trees <- c(trees, lapply(stumps, catboost_stump))
  }
  factors <- used[columns$type[used] == ydf_types[["CATEGORICAL"]]]
  levels <- stats::setNames(columns$levels[factors], columns$name[factors])
  forest <- new_forest_ir(
    trees, length(used), features = columns$name[used], levels = levels, sets = sets$all,
    set_else = logical(length(sets$all)), output = rep_len(seq_len(said$groups), length(trees)),
    base = if (quick) said$initial else rep(0, said$outputs), less = "<", number = "float",
    sum = "float", link = said$link,
    classes = said$classes, new_level = stats::setNames(integer(length(levels)), names(levels)),
    source = "ydf", objective = name)
  forest$own_trees <- n
  if (name == "RANDOM_FOREST" && !is.null(said$classes)) forest$unit <- TRUE
  forest
}

# Whether the engine is QuickScorer: of boosted trees of one output, that have up to 64 leaves and
# do not ask whether a value is missing.
ydf_is_quick <- function(said, trees) {
  said$boosted && said$groups == 1 && length(trees) < 2^16 &&
    max(vapply(trees, function(tree) sum(tree$feature == 0L), 0)) <= 64 &&
    !any(vapply(trees, function(tree) -Inf %in% tree$threshold, NA))
}

ydf_number <- function(message, number, otherwise) {
  value <- message$value[message$number == number & message$wire != 2L]
  if (length(value)) value[length(value)] else otherwise
}

ydf_types <- c(NUMERICAL = 1, CATEGORICAL = 4, BOOLEAN = 7, DISCRETIZED = 9)

# By column its name, type, levels without the first (which stands for all others), most frequent
# level, and the bounds of its intervals.
ydf_columns <- function(spec) {
  all <- lapply(pb_parts(spec, 1L), pb_message)
  categorical <- lapply(all, pb_inside, 6L)
  list(name = vapply(all, pb_string, "", 2L), type = vapply(all, ydf_number, 0, 1L, 0),
       levels = lapply(categorical, ydf_levels),
       most_frequent = vapply(categorical, function(x) {
         if (is.null(x)) NA else ydf_number(x, 1L, 0)
       }, 0),
       bounds = lapply(all, function(x) {
         inner <- pb_inside(x, 8L)
         if (!is.null(inner)) pb_numbers(inner, 1L, 5L)
       }))
}

ydf_levels <- function(categorical) {
  if (is.null(categorical) || ydf_number(categorical, 5L, 0) != 0) return(NULL)
  items <- lapply(pb_parts(categorical, 7L), pb_message)
  index <- vapply(items, function(item) {
    value <- pb_inside(item, 2L)
    if (is.null(value)) 0 else ydf_number(value, 1L, 0)
  }, 0)
  names <- vapply(items, pb_string, "", 1L)[order(index)]
  if (!identical(sort(index), seq_along(index) - 1)) {
    refuse_document(gettext("the names of its categories are not valid"))
  }
  names[-1]
}

# ---- what leaves say -----------------------------------------------------------------------------

# list(boosted, n_trees, leaf, outputs, groups, initial, link, classes): `leaf` makes values of
# nodes, a matrix; trees take turns in `groups` outputs, or have all.
ydf_boosting <- function(parts, label) {
  header <- parts$header
  loss <- ydf_number(header, 3L, 0)
  link <- c("logistic", "identity", "softmax", "identity", "identity", "logistic", "exp",
            "identity", "identity")[loss]
  if (!length(link) || is.na(link)) refuse_feature(gettextf("the loss %d of ydf", loss))
  initial <- pb_numbers(header, 4L, 5L)
  groups <- max(1, ydf_number(header, 5L, 1))
  if (length(initial) != groups) refuse_document(gettext("its initial predictions are not valid"))
  if (ydf_number(header, 9L, 0) != 0) link <- "identity"
  leaf <- function(nodes, n) matrix(pb_of_owners(pb_within(nodes, 2L), 1L, n, 0))
  list(boosted = TRUE, n_trees = ydf_number(header, 2L, 0), leaf = leaf, outputs = groups,
       groups = groups, initial = initial, link = link,
       classes = if (loss %in% c(1, 3, 6)) label)
}

# Averages: each leaf is divided by the number of trees.
ydf_forest <- function(parts, label) {
  n_trees <- ydf_number(parts$header, 2L, 0)
  task <- ydf_number(parts$model, 2L, 0)
  if (!task %in% 1:2) refuse_feature(gettextf("the task %d of ydf", task))
  classes <- if (task == 1) label
  outputs <- if (length(classes) == 2L) 1L else max(1L, length(classes))
  votes <- ydf_number(parts$header, 3L, 1) != 0
  leaf <- function(nodes, n) {
    values <- if (is.null(classes)) {
      matrix(pb_of_owners(pb_within(nodes, 2L), 1L, n, 0) / n_trees)
    } else if (votes) {
      ydf_votes(pb_within(nodes, 1L), n, length(classes)) / n_trees
    } else {
      ydf_shares(pb_within(nodes, 1L), n, length(classes), n_trees)
    }
    if (length(classes) == 2L) values <- values[, 2L, drop = FALSE]
    matrix(.Call(ffi_floats, as.numeric(values)), nrow(values))
  }
  list(boosted = FALSE, n_trees = n_trees, leaf = leaf, outputs = outputs, groups = 1L,
       initial = 0, link = if (length(classes) == 2L) "second" else "identity", classes = classes)
}

ydf_votes <- function(leaves, n, n_classes) {
  vote <- pb_of_owners(leaves, 1L, n)
  if (any(vote < 1 | vote > n_classes, na.rm = TRUE)) {
    refuse_feature(gettext("votes for classes without names"))
  }
  one_hot(vote, !is.na(vote), n_classes)
}

ydf_shares <- function(leaves, n, n_classes, n_trees) {
  shares <- pb_within(leaves, 2L)
  total <- pb_of_owners(shares, 2L, n)
  counts <- lapply(pb_bytes_of_owners(shares, 1L, n), function(bytes) {
    if (length(bytes)) readBin(bytes, "double", length(bytes) %/% 8L, 8L, endian = "little")
  })
  there <- which(lengths(counts) > 0)
  if (any(lengths(counts)[there] != n_classes + 1L)) {
    refuse_document(gettext("values of leaves do not fit the classes"))
  }
  values <- matrix(0, n, n_classes)
  values[there, ] <- do.call(rbind, counts[there])[, -1L] / (total[there] * n_trees)
  values
}

# ---- trees ---------------------------------------------------------------------------------------

# Nodes come with the negative child, and all below it, before the positive one.
ydf_trees <- function(records, columns, used, leaf, sets) {
  n <- length(records)
  nodes <- pb_messages(unlist(records), cumsum(lengths(records)))
  condition <- pb_within(nodes, 3L)
  inner <- rep(FALSE, n)
  inner[nodes$owner[nodes$number == 3L]] <- TRUE
  tests <- ydf_tests(condition, inner, columns, used, sets)
  shape <- ydf_shape(inner)
  values <- leaf(nodes, n)
  values[inner, ] <- 0
  cover <- ydf_cover(condition, inner, shape)
  gain <- pb_of_owners(condition, 6L, n, 0)
  lapply(unname(split(seq_len(n), shape$tree)), function(own) {
    first <- own[1] - 1L
    below <- function(child) ifelse(inner[own], child[own] - first, 0L)
    list(feature = tests$feature[own], threshold = tests$threshold[own],
         left = below(ifelse(tests$positive_left, shape$positive, shape$negative)),
         right = below(ifelse(tests$positive_left, shape$negative, shape$positive)),
         default_left = tests$default_left[own], missing = rep(missing_rules[["nan"]], length(own)),
         set = tests$set[own], leaf_id = cumsum(!inner[own]) - 1L, cover = cover[own],
         gain = gain[own], values = values[own, , drop = FALSE])
  })
}

# The children of nodes, and the number of their tree.
ydf_shape <- function(inner) {
  n <- length(inner)
  negative <- positive <- tree <- integer(n)
  waiting <- integer(n + 1L) # nodes whose positive child is still to come
  depth <- 0L
  number <- 0L
  start <- TRUE
  for (i in seq_len(n)) {
    if (start) number <- number + 1L else if (inner[i - 1L]) negative[i - 1L] <- i else {
      positive[waiting[depth]] <- i
      depth <- depth - 1L
    }
    tree[i] <- number
    if (inner[i]) {
      depth <- depth + 1L
      waiting[depth] <- i
    }
    start <- !inner[i] && depth == 0L
  }
  if (!start) refuse_document(gettext("it ends too early"))
  list(negative = negative, positive = positive, tree = tree)
}

# Of inner nodes the weights of all rows, and of those of the positive child.
ydf_cover <- function(condition, inner, shape) {
  n <- length(inner)
  all <- pb_of_owners(condition, 5L, n)
  some <- pb_of_owners(condition, 8L, n)
  if (anyNA(all[inner]) || anyNA(some[inner])) return(NULL)
  at <- which(inner)
  cover <- replace(rep(1, n), at, all[at])
  ends <- c(at[!inner[shape$positive[at]]], at[!inner[shape$negative[at]]])
  leaves <- c(shape$positive[at], shape$negative[at])
  leaves <- leaves[!inner[leaves]]
  positive <- shape$positive[ends] == leaves
  replace(cover, leaves, ifelse(positive, some[ends], all[ends] - some[ends]))
}

# What nodes ask: rows of numbers below the threshold, and of levels in the set, go left.
ydf_tests <- function(condition, inner, columns, used, sets) {
  n <- length(inner)
  column <- pb_of_owners(condition, 2L, n, 0) + 1
  feature <- match(column, used)
  if (any(is.na(feature[inner]))) refuse_document(gettext("a node asks for no feature"))
  if (!all(columns$type[column[inner]] %in% ydf_types)) {
    refuse_feature(gettext("tests of features that are sets, texts or vectors"))
  }
  na_value <- pb_of_owners(condition, 1L, n, 0) != 0
  test <- pb_within(condition, 3L)
  kind <- replace(integer(n), test$owner, test$number)
  if (any(kind[inner] %in% c(0L, 7L, 8L))) refuse_feature(gettext("oblique splits"))
  if (!all(kind[inner] %in% 1:6)) refuse_feature(gettext("unknown tests"))
  threshold <- numeric(n)
  threshold[kind == 1L] <- -Inf # asks whether it is missing
  threshold[kind == 2L] <- pb_of_owners(pb_within(test, 2L), 1L, n)[kind == 2L]
  threshold[kind == 3L] <- 0.5
  steps <- pb_of_owners(pb_within(test, 6L), 1L, n, 0)
  for (k in which(kind == 6L)) threshold[k] <- columns$bounds[[column[k]]][steps[k]]
  lists <- pb_bytes_of_owners(pb_within(test, 4L), 1L, n)
  bitmaps <- pb_bytes_of_owners(pb_within(test, 5L), 1L, n)
  set <- integer(n)
  for (k in which(kind %in% 4:5)) {
    left <- ydf_set(lists[[k]], bitmaps[[k]], length(columns$levels[[column[k]]]) + 1L)
    check_ydf_missing(left, na_value[k], columns, column[k])
    set[k] <- add_set(sets, left)
  }
  list(feature = replace(feature, !inner, 0L), threshold = threshold, set = set,
       positive_left = kind %in% 4:5, default_left = ifelse(kind %in% 4:5, na_value,
                                                            inner & (kind == 1L | !na_value)))
}

# Which levels are positive, that of all others first.
ydf_set <- function(list, bitmap, n) {
  bits <- if (is.null(bitmap)) {
    codes <- pb_call(.Call(ffi_protobuf_packed, if (is.null(list)) raw() else list, 0L))
    if (any(codes < 0 | codes >= n)) refuse_document(gettext("its categories are not valid"))
    replace(logical(n), codes + 1, TRUE)
  } else {
    as.logical(rawToBits(bitmap))
  }
  c(bits, logical(n))[seq_len(n)]
}

check_ydf_missing <- function(left, na_value, columns, column) {
  if (is.null(columns$levels[[column]])) {
    refuse_feature(gettext("categories that are numbers already"))
  }
  if (left[columns$most_frequent[column] + 1] != na_value) {
    refuse_feature(gettext("missing categories that do not go where the most frequent one goes"))
  }
}
