# Models of LightGBM: the text of save_model().

read_lightgbm <- function(bytes, iterations) {
  lines <- strsplit(text_of(bytes), "\r?\n")[[1]]
  end <- match("end of trees", lines)
  if (is.na(end)) refuse_document(gettext("it ends before its line 'end of trees'"))
  categories <- lines[-seq_len(end)]
  lines <- lines[seq_len(end - 1L)]
  starts <- grep("^Tree=[0-9]+$", lines)
  if (!length(starts)) stop_input("x", gettext("'x' has no trees: it was trained for 0 rounds"))
  head <- named_lines(lines[seq_len(starts[1] - 1L)])
  check_lightgbm_trees(head, lines[starts])
  per_round <- lightgbm_count(head, "num_tree_per_iteration")
  n_features <- lightgbm_count(head, "max_feature_idx") + 1L
  n_trees <- lightgbm_trees(length(starts), per_round, iterations)
  ends <- c(starts[-1] - 1L, length(lines))
  sets <- new_sets()
  trees <- lapply(seq_len(n_trees), function(i) {
    read_lightgbm_tree(named_lines(lines[starts[i]:ends[i]]), sets)
  })
  objective <- lightgbm_objective(head)
  classes <- if (objective$name %in% c("multiclass", "multiclassova")) {
    as.character(seq_len(per_round) - 1L)
  } else if (objective$name == "binary") {
    c("0", "1")
  }
  features <- lightgbm_features(head, n_features)
  levels <- lightgbm_levels(categories, head, features)
  rounds <- if ("average_output" %in% lines) n_trees / per_round else 1
  new_forest_ir(
    trees, n_features, features = features, levels = levels, first_code = 0L,
    own_codes = if (length(levels)) "matrix" else FALSE, sets = sets$all,
    set_else = rep(FALSE, length(sets$all)), output = rep_len(seq_len(per_round), n_trees),
    base = rep(0, per_round), average = rounds,
    less = "<=", minus_fraction = TRUE, link = objective$link, slope = objective$slope,
    classes = classes, source = "LightGBM", version = paste("format", head[["version"]]),
    objective = objective$name)
}

# The trees are numbered from 0, and the head knows how many there are.
check_lightgbm_trees <- function(head, lines) {
  sizes <- head$tree_sizes
  n <- if (is.null(sizes)) length(lines) else length(lightgbm_numbers(head, "tree_sizes"))
  if (n != length(lines) || !identical(lines, paste0("Tree=", seq_len(n) - 1L))) {
    refuse_document(gettextf("it has other trees than the %d that its head lists", n))
  }
}

# Lines `name=value` by name.
named_lines <- function(lines) {
  lines <- lines[grepl("=", lines, fixed = TRUE)]
  names <- sub("=.*", "", lines)
  stats::setNames(as.list(sub("^[^=]*=", "", lines)), names)
}

lightgbm_numbers <- function(part, name, n = NULL) {
  if (is.null(part[[name]])) refuse_document(gettextf("it lacks '%s'", name))
  numbers <- .Call(ffi_numbers, part[[name]])
  if (anyNA(numbers) || (!is.null(n) && length(numbers) != n)) {
    refuse_document(gettextf("'%s' is not valid", name))
  }
  numbers
}

lightgbm_whole <- function(part, name, n = NULL) {
  numbers <- lightgbm_numbers(part, name, n)
  if (any(abs(numbers) > .Machine$integer.max | numbers != round(numbers))) {
    refuse_document(gettextf("'%s' must be whole numbers", name))
  }
  as.integer(numbers)
}

lightgbm_count <- function(part, name) {
  number <- lightgbm_whole(part, name, 1L)
  if (number < 0L || number > 2^24) refuse_document(gettextf("'%s' is not valid", name))
  number
}

lightgbm_trees <- function(n, per_round, iterations) {
  if (per_round < 1L || n %% per_round) {
    refuse_document(gettext("it has no whole number of iterations"))
  }
  if (is.null(iterations)) return(n)
  if (iterations * per_round > n) {
    stop_input("iterations", gettextf("the model has %d iterations, not %s", n %/% per_round,
                                      format(iterations)))
  }
  as.integer(iterations) * per_round
}

lightgbm_features <- function(head, n_features) {
  names <- if (!is.null(head$feature_names)) strsplit(head$feature_names, " ", fixed = TRUE)[[1]]
  if (length(names) == n_features && !anyDuplicated(names)) names
}

# Splits are nodes 1 to n - 1, leaves follow; children below 0 are leaves, from -1 on.
read_lightgbm_tree <- function(tree, sets) {
  n <- lightgbm_count(tree, "num_leaves")
  if (n < 1L) refuse_document(gettext("a tree has no leaves"))
  inner <- seq_len(n - 1L)
  number <- function(name) if (n > 1L) lightgbm_numbers(tree, name, n - 1L) else numeric()
  whole <- function(name) if (n > 1L) lightgbm_whole(tree, name, n - 1L) else integer()
  child <- function(name) {
    given <- whole(name)
    ifelse(given < 0L, n - 1L - given, given + 1L)
  }
  type <- whole("decision_type")
  category <- bitwAnd(type, 1L) == 1L
  rule <- bitwAnd(bitwShiftR(type, 2L), 3L)
  if (any(rule > 2L)) refuse_document(gettext("'decision_type' is not valid"))
  threshold <- lightgbm_thresholds(number("threshold"))
  linear <- identical(tree$is_linear, "1")
  leaves <- function(x) c(x, rep(0L, n))
  list(feature = leaves(whole("split_feature") + 1L),
       threshold = leaves(replace(threshold, category, 0)), left = leaves(child("left_child")),
       right = leaves(child("right_child")),
       default_left = leaves(!category & bitwAnd(type, 2L) == 2L) > 0,
       missing = leaves(ifelse(category, missing_rules[["nan"]],
                               missing_rules[c("none", "zero", "nan")][rule + 1L])),
       set = leaves(lightgbm_sets(tree, threshold, category, sets)),
       leaf_id = c(integer(length(inner)), seq_len(n) - 1L),
       cover = if (!linear) lightgbm_cover(tree, n),
       gain = if (!is.null(tree$split_gain)) leaves(number("split_gain")),
       values = matrix(c(numeric(length(inner)), lightgbm_numbers(tree, "leaf_value", n))),
       intercept = if (linear) c(numeric(length(inner)), lightgbm_numbers(tree, "leaf_const", n)),
       terms = if (linear) c(vector("list", length(inner)), lightgbm_terms(tree, n)))
}

# Rows have 0 in place of numbers of up to that size, so that a threshold among these is on one side
# of all of them.
lightgbm_thresholds <- function(threshold) {
  near <- abs(threshold) <= lightgbm_zero
  below <- -lightgbm_zero - 2^-169 # the next double
  ifelse(near, ifelse(threshold < 0, below, lightgbm_zero), threshold)
}

# The linear models of the leaves: features and slopes, leaf after leaf.
lightgbm_terms <- function(tree, n) {
  size <- lightgbm_whole(tree, "num_features", n)
  if (any(size < 0L)) refuse_document(gettext("'num_features' is not valid"))
  feature <- lightgbm_whole(tree, "leaf_features", sum(size)) + 1L
  slope <- lightgbm_numbers(tree, "leaf_coeff", sum(size))
  at <- split(seq_along(feature), factor(rep(seq_len(n), size), seq_len(n)))
  lapply(unname(at), function(k) list(feature = feature[k], slope = slope[k]))
}

# A tree of one leaf does not say how many rows it has.
lightgbm_cover <- function(tree, n) {
  if (n == 1L) return(1)
  if (is.null(tree$internal_count) || is.null(tree$leaf_count)) return(NULL)
  c(lightgbm_numbers(tree, "internal_count", n - 1L), lightgbm_numbers(tree, "leaf_count", n))
}

# The threshold of a category is the number of its set: words of 32 bits, those of codes that go
# left are set.
lightgbm_sets <- function(tree, threshold, category, sets) {
  set <- integer(length(threshold))
  if (!any(category)) return(set)
  bounds <- lightgbm_whole(tree, "cat_boundaries")
  words <- lightgbm_numbers(tree, "cat_threshold")
  for (i in which(category)) {
    k <- threshold[i] + 1
    if (k != round(k) || k < 1 || k >= length(bounds) || bounds[k] < 0L ||
        bounds[k + 1] <= bounds[k] || bounds[k + 1] > length(words)) {
      refuse_document(gettext("its categories are not valid"))
    }
    set[i] <- add_set(sets, bits_of_words(words[(bounds[k] + 1):bounds[k + 1]]))
  }
  set
}

bits_of_words <- function(words) {
  if (any(words < 0 | words >= 2^32 | words != round(words))) {
    refuse_document(gettext("its categories are not valid"))
  }
  as.vector(vapply(words, function(word) floor(word / 2^(0:31)) %% 2 == 1, logical(32)))
}

lightgbm_links <- list(
  "identity" = c("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank",
                 "rank_xendcg", ""),
  "logistic" = c("binary", "multiclassova", "cross_entropy"),
  "exp" = c("poisson", "gamma", "tweedie"), "softmax" = "multiclass",
  "log1pexp" = "cross_entropy_lambda")

# list(name, link, slope). Words behind the objective's name are its settings.
lightgbm_objective <- function(head) {
  words <- strsplit(if (is.null(head$objective)) "" else head$objective, " ", fixed = TRUE)[[1]]
  name <- c(words, "")[1]
  settings <- words[-1]
  link <- names(lightgbm_links)[vapply(lightgbm_links, function(names) name %in% names, NA)]
  if (!length(link)) refuse_feature(gettextf("the objective %s", show_value(name)))
  if ("sqrt" %in% settings) {
    if (link != "identity") refuse_feature(gettextf("the objective '%s'", head$objective))
    link <- "square"
  }
  slope <- sub("sigmoid:", "", grep("^sigmoid:", settings, value = TRUE), fixed = TRUE)
  slope <- if (length(slope)) .Call(ffi_numbers, slope[1]) else 1
  if (is.na(slope) || !is.finite(slope) || slope <= 0) {
    refuse_document(gettextf("the objective '%s' is not valid", head$objective))
  }
  list(name = name, link = link, slope = if (link == "logistic") slope else 1)
}

# The levels of columns that were categories of pandas, which the text lists behind the trees
# without the names of the columns: those that have codes, in their order. NULL where the numbers of
# both differ, or where they are no strings or whole numbers.
lightgbm_levels <- function(lines, head, features) {
  line <- grep("^pandas_categorical:\\[", lines, value = TRUE)
  if (length(line) != 1L || is.null(features) || !requireNamespace("jsonlite", quietly = TRUE)) {
    return(list())
  }
  levels <- parse_json(charToRaw(sub("pandas_categorical:", "", line, fixed = TRUE)))
  if (!is.list(levels)) levels <- as.list(levels)
  info <- strsplit(if (is.null(head$feature_infos)) "" else head$feature_infos, " ")[[1]]
  coded <- grep("^-?[0-9]+(:-?[0-9]+)*$", info)
  if (length(coded) != length(levels) || length(info) != length(features)) return(list())
  most <- vapply(strsplit(info[coded], ":", fixed = TRUE), function(x) max(as.numeric(x)), 0)
  plain <- vapply(levels, function(x) is.character(x) || is.numeric(x) && all(x == round(x)), NA)
  if (!all(plain) || any(most >= lengths(levels))) return(list())
  stats::setNames(lapply(levels, as.character), features[coded])
}
