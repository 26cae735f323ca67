# Binary models of CatBoost, "cbm", to the document that save_model(format = "json") makes. They are
# tables of FlatBuffers: numbers have their lowest byte first; a table begins with the way back to
# the list of where its fields are from there, by number; vectors, texts and tables are where
# a field says, counted from the field. Texts of categories are not in them.

parse_cbm <- function(bytes) {
  at <- new.env(parent = emptyenv())
  at$bytes <- bytes[-(1:4)]
  size <- fb_size(at, 0)
  if (size + 4 > length(at$bytes)) refuse_document(gettext("it ends too early"))
  at$bytes <- at$bytes[4 + seq_len(size)]
  at$left <- size
  core <- fb_table(at, fb_size(at, 0))
  version <- fb_text(at, core, 0L)
  if (version != "FlabuffersModel_v1") {
    refuse_feature(gettextf("the format %s", show_value(version)),
                   gettext("save the model with save_model(format = \"json\")"))
  }
  parts <- vapply(fb_offsets(at, core, 3L), function(place) fb_letters(at, place), "")
  if (length(parts)) {
    refuse_feature(gettextf("parts of its own for categories, texts or embeddings (%s)",
                            show_names(parts)),
                   gettext("save it with save_model(format = \"json\", pool = )"))
  }
  if (length(bytes) != size + 8) refuse_document(gettext("it is longer than its trees"))
  trees <- fb_table(at, fb_place(at, core, 1L, gettext("it has no trees")))
  document <- list(features_info = cbm_features(at, trees), model_info = cbm_info(at, core),
                   scale_and_bias = cbm_bias(at, trees))
  c(document, cbm_trees(at, trees, cbm_splits(document$features_info)))
}

cbm_features <- function(at, trees) {
  id <- function(table, first) list(
    feature_index = fb_number(at, table, first, "int", -1),
    flat_feature_index = fb_number(at, table, first + 1L, "int", -1))
  plain <- function(field) lapply(fb_tables(at, trees, field), function(table) {
    name <- fb_text(at, table, 2L)
    c(id(table, 0L), list(feature_id = name, feature_name = name))
  })
  numbers <- lapply(fb_tables(at, trees, 5L), function(table) {
    treatment <- fb_number(at, table, 5L, "byte", 0) + 1
    c(id(table, 1L),
      list(borders = fb_vector(at, table, 3L, "float"), feature_id = fb_text(at, table, 4L),
           nan_value_treatment = c("AsIs", "AsFalse", "AsTrue", "")[min(treatment, 4)]))
  })
  categories <- plain(4L)
  places <- vapply(categories, `[[`, 0, "feature_index")
  for (one in fb_tables(at, trees, 6L)) {
    k <- match(fb_number(at, one, 0L, "int", -1), places)
    if (is.na(k)) refuse_document(gettext("a split's feature is not among its features"))
    categories[[k]]$values <- fb_vector(at, one, 1L, "int")
  }
  if (length(fb_offsets(at, trees, 7L)) || length(fb_offsets(at, trees, 13L))) {
    refuse_feature(gettext("statistics of categories, texts or embeddings"),
                   gettext("save it with save_model(format = \"json\", pool = )"))
  }
  list(float_features = numbers, categorical_features = categories, text_features = plain(12L),
       embedding_features = plain(18L))
}

# All splits by their number, as the JSON has them.
cbm_splits <- function(info) {
  numbers <- lapply(info$float_features, function(feature) {
    lapply(feature$borders, function(border) {
      list(split_type = "FloatFeature", float_feature_index = feature$feature_index,
           border = border)
    })
  })
  levels <- lapply(info$categorical_features, function(feature) {
    lapply(feature$values, function(value) {
      list(split_type = "OneHotFeature", cat_feature_index = feature$feature_index, value = value)
    })
  })
  unlist(c(numbers, levels), recursive = FALSE)
}

# One number for all, or, since there are several outputs, one each.
cbm_bias <- function(at, trees) {
  bias <- fb_vector(at, trees, 16L, "double")
  if (!length(bias)) bias <- fb_number(at, trees, 15L, "double", 0)
  list(fb_number(at, trees, 14L, "double", 1), bias)
}

cbm_info <- function(at, core) {
  pairs <- fb_tables(at, core, 2L)
  names(pairs) <- vapply(pairs, function(pair) fb_text(at, pair, 0L), "")
  kept <- pairs[names(pairs) %in% c("params", "class_params")]
  lapply(kept, function(pair) parse_json(charToRaw(fb_text(at, pair, 1L))))
}

# Trees are one after the other in all vectors.
cbm_trees <- function(at, trees, splits) {
  width <- fb_number(at, trees, 0L, "int", 0)
  sizes <- fb_vector(at, trees, 2L, "int")
  which <- fb_vector(at, trees, 1L, "int") + 1
  values <- fb_vector(at, trees, 8L, "double")
  weights <- fb_vector(at, trees, 9L, "double")
  jumps <- fb_vector(at, trees, 10L, "short", 2L)
  ids <- fb_vector(at, trees, 11L, "int") / width + 1 # they count values
  if (width < 1 || length(values) %% width || any(sizes < 0) || sum(sizes) != length(which) ||
      any(which < 1 | which > length(splits))) {
    refuse_document(gettext("its trees are not valid"))
  }
  tree <- rep(seq_along(sizes), sizes)
  of_tree <- function(x) unname(split(x, factor(tree, seq_along(sizes))))
  values <- matrix(values, width)
  if (length(jumps)) {
    if (length(jumps) != 2 * length(which) || length(ids) != length(which)) {
      refuse_document(gettext("its trees are not valid"))
    }
    jumps <- matrix(jumps, 2)
    made <- Map(function(which, left, right, id) {
      list(splits = splits[which], left = left, right = right, id = id, values = values)
    }, of_tree(which), of_tree(jumps[1, ]), of_tree(jumps[2, ]), of_tree(ids))
    return(list(trees = structure(made, class = "cbm_trees")))
  }
  ends <- cumsum(2^sizes)
  if (!identical(as.numeric(ncol(values)), c(0, ends)[length(ends) + 1L])) {
    refuse_document(gettext("its trees are not valid"))
  }
  if (length(weights) != ncol(values)) weights <- NULL
  list(oblivious_trees = Map(function(which, end, size) {
    leaves <- end - 2^size + seq_len(2^size)
    list(splits = splits[which], leaf_values = as.vector(values[, leaves]),
         leaf_weights = weights[leaves])
  }, of_tree(which), ends, sizes))
}

# A child is given by how many nodes it is further on; without one the node is the leaf there.
read_cbm_tree <- function(tree, features, n_outputs) {
  n <- length(tree$splits)
  leaf <- tree$left == 0 & tree$right == 0
  split <- lapply(tree$splits[!leaf], catboost_split, features)
  of_node <- function(name, none) {
    all <- rep(none, n)
    all[!leaf] <- unlist(lapply(split, `[[`, name))
    all
  }
  ends <- c(which(!leaf & tree$left == 0), which(!leaf & tree$right == 0))
  child <- function(jump) {
    at <- ifelse(leaf, 0, seq_len(n) + jump)
    alone <- which(!leaf & jump == 0)
    replace(at, alone, n + match(alone, ends))
  }
  left <- child(tree$left)
  right <- child(tree$right)
  id <- c(tree$id, tree$id[ends])
  is_leaf <- c(leaf, rep(TRUE, length(ends)))
  if (nrow(tree$values) != n_outputs || anyNA(match(id[is_leaf], seq_len(ncol(tree$values))))) {
    refuse_document(gettext("its trees are not valid"))
  }
  values <- matrix(0, length(id), n_outputs)
  values[is_leaf, ] <- t(tree$values[, id[is_leaf], drop = FALSE])
  more <- function(x, none) c(x, rep(none, length(ends)))
  catboost_nodes(more(of_node("feature", 0L), 0L), more(of_node("threshold", 0), 0),
                 more(of_node("nan_left", FALSE), FALSE), more(left, 0), more(right, 0),
                 ifelse(is_leaf, id - min(id[is_leaf]), 0), values,
                 set = more(of_node("set", 0L), 0L))
}

# ---- FlatBuffers ---------------------------------------------------------------------------------

# Numbers from a place on, counted from 0.
fb_numbers <- function(at, place, type, n) {
  size <- c(byte = 1, short = 2, int = 4, float = 4, double = 8)[[type]]
  if (place < 0 || n < 0 || place + n * size > length(at$bytes)) {
    refuse_document(gettext("it ends too early"))
  }
  bytes <- at$bytes[place + seq_len(n * size)]
  real <- type %in% c("float", "double")
  as.numeric(readBin(bytes, if (real) "double" else "integer", n, size,
                     signed = real || size == 4, endian = "little"))
}

# A length or a way on, which are below 2^31.
fb_size <- function(at, place) {
  size <- fb_numbers(at, place, "int", 1)
  if (is.na(size) || size < 0) refuse_document(gettext("it ends too early"))
  size
}

fb_table <- function(at, place) {
  list_at <- place - fb_numbers(at, place, "int", 1)
  if (is.na(list_at)) refuse_document(gettext("it ends too early"))
  n <- min((fb_numbers(at, list_at, "short", 1) - 4) %/% 2, 32)
  list(place = place, fields = fb_numbers(at, list_at + 4, "short", max(n, 0)))
}

# Where a field is; NULL if it is not there.
fb_field <- function(table, field) {
  if (field < length(table$fields) && table$fields[field + 1L] > 0) {
    table$place + table$fields[field + 1L]
  }
}

fb_number <- function(at, table, field, type, otherwise) {
  place <- fb_field(table, field)
  if (is.null(place)) otherwise else fb_numbers(at, place, type, 1)
}

# Where something is that a field leads to.
fb_place <- function(at, table, field, lacking) {
  place <- fb_field(table, field)
  if (is.null(place)) refuse_document(lacking)
  place + fb_size(at, place)
}

# A document of parts that lie on each other could ask for more than its own size again and again.
fb_vector <- function(at, table, field, type, each = 1L) {
  if (is.null(fb_field(table, field))) return(numeric())
  place <- fb_place(at, table, field)
  values <- fb_numbers(at, place + 4, type, each * fb_size(at, place))
  at$left <- at$left - length(values)
  if (at$left < 0) refuse_document(gettext("its parts lie on each other"))
  values
}

fb_offsets <- function(at, table, field) {
  ways <- fb_vector(at, table, field, "int")
  if (!length(ways)) return(numeric())
  fb_place(at, table, field) + 4 * seq_along(ways) + ways
}

fb_tables <- function(at, table, field) {
  lapply(fb_offsets(at, table, field), function(place) fb_table(at, place))
}

fb_letters <- function(at, place) {
  text_of(as.raw(fb_numbers(at, place + 4, "byte", fb_size(at, place))))
}

fb_text <- function(at, table, field) {
  if (is.null(fb_field(table, field))) "" else fb_letters(at, fb_place(at, table, field))
}
