# Categories of CatBoost: features of which a split asks for one level, or for a statistic of the
# level (a "CTR") that lies in tables of the document. Both are sets of levels here. Levels are
# known by hashes of their texts, which a document lists that was saved with the training data
# (`pool`).

# list(columns, texts, hashes, tests): the columns of categorical features by their numbers; of the
# tests of the document by 'split_index', from 0, list(feature, border or value, ctr).
catboost_levels <- function(info, document) {
  categorical <- part(info, "categorical_features", otherwise = list())
  ctrs <- part(info, "ctrs", otherwise = list())
  if (!length(categorical)) return(NULL)
  known <- part(info, "cat_features_hash", otherwise = list())
  hashes <- vapply(known, part_numbers, 0, "hash", 1L)
  numbers <- part(info, "float_features", otherwise = list())
  floats <- sum(vapply(numbers, function(x) length(part(x, "borders", otherwise = NULL)), 0L))
  values <- sum(vapply(categorical, function(x) length(part(x, "values", otherwise = NULL)), 0L))
  of_ctr <- rep(seq_along(ctrs), vapply(ctrs, function(ctr) length(part(ctr, "borders")), 0L))
  if (has_lost_tables(ctrs, part(document, "model_info", "params"))) {
    refuse_feature(gettext(paste(
      "statistics of levels by several divisions of the targets, of which the document lists one")),
      gettext("train it with one target and one TargetBorderCount"))
  }
  list(column = vapply(categorical, part_count, 0L, "flat_feature_index") + 1L,
       place = vapply(categorical, part_count, 0L, "feature_index"),
       name = vapply(categorical, function(x) as.character(part(x, "feature_name")), ""),
       texts = vapply(known, function(x) as.character(part(x, "value")), ""),
       hashes = ifelse(hashes >= 2^31, hashes - 2^32, hashes), ctrs = ctrs,
       ctr_of_split = function(i) of_ctr[i - floats - values + 1L],
       tables = part(document, "ctr_data", otherwise = list()), sets = new_sets(),
       made = new.env(parent = emptyenv()))
}

# Tables are named by feature and type, so that of those of several targets, or of several numbers
# of borders of one target, only the last has come into the document.
has_lost_tables <- function(ctrs, params) {
  types <- vapply(ctrs, part, "", "ctr_type")
  if (all(types == "Counter")) return(FALSE)
  targets <- c("MultiRMSE", "MultiRMSEWithMissingValues", "MultiLogloss", "MultiCrossEntropy")
  settings <- part(params, "cat_feature_params", otherwise = list())
  anyDuplicated(lapply(ctrs, function(ctr) ctr[setdiff(names(ctr), "borders")])) > 0 ||
    part(params, "loss_function", "type") %in% targets ||
    any(vapply(c(list(settings$simple_ctrs), settings$per_feature_ctrs), has_several_borders, NA))
}

has_several_borders <- function(ctrs) {
  divided <- Filter(function(ctr) !is.null(ctr$target_binarization), ctrs)
  asked <- unique(lapply(divided, `[`, c("ctr_type", "target_binarization")))
  anyDuplicated(lapply(asked, `[[`, "ctr_type")) > 0
}

# list(feature, threshold, nan_left, set) of a split by levels.
catboost_level_split <- function(split, levels) {
  type <- part(split, "split_type")
  if (is.null(levels) || !type %in% c("OneHotFeature", "OnlineCtr")) {
    refuse_feature(gettextf("splits of the type '%s'", type), gettext("train it without these"))
  }
  if (!length(levels$texts)) {
    refuse_feature(gettext("categories whose texts it does not list"),
                   gettext("save it with save_model(format = \"json\", pool = )"))
  }
  key <- as.character(part_count(split, "split_index"))
  if (is.null(levels$made[[key]])) {
    levels$made[[key]] <- if (type == "OneHotFeature") {
      catboost_set(part_count(split, "cat_feature_index"),
                   levels$hashes == part_numbers(split, "value", 1L), FALSE, levels)
    } else {
      catboost_ctr_split(split, levels)
    }
  }
  levels$made[[key]]
}

# `right`: levels that the split is true for; `other`: whether it is for new ones.
catboost_set <- function(place, right, other, levels) {
  at <- match(place, levels$place)
  if (is.na(at)) refuse_document(gettext("a split's feature is not among its features"))
  levels$sets$beyond <- c(levels$sets$beyond, !other)
  list(feature = levels$column[at], threshold = 0, nan_left = !other,
       set = add_set(levels$sets, !right))
}

catboost_ctr_split <- function(split, levels) {
  which <- levels$ctr_of_split(part_count(split, "split_index"))
  ctr <- if (isTRUE(which >= 1L)) levels$ctrs[[which]]
  border <- floats(part_numbers(split, "border", 1L))
  if (is.null(ctr) || !border %in% floats(part_numbers(ctr, "borders"))) {
    refuse_document(gettext("a split's statistic is not among 'ctrs'"))
  }
  elements <- part(ctr, "elements")
  kinds <- vapply(elements, part, "", "combination_element")
  if (!identical(kinds, "cat_feature_value")) {
    places <- unlist(lapply(elements, `[[`, "cat_feature_index"))
    refuse_feature(gettextf("statistics of combinations with the feature %s",
                            show_names(levels$name[match(places, levels$place)])),
                   gettext("train it with max_ctr_complexity = 1"))
  }
  said <- catboost_ctr(ctr, part(levels$tables, part(ctr, "identifier")), levels$hashes)
  catboost_set(part_count(elements[[1]], "cat_feature_index"), said$levels > border,
               said$other > border, levels)
}

# The statistic of each level, and of those without a row in the table, in floats.
catboost_ctr <- function(ctr, table, hashes) {
  type <- part(ctr, "ctr_type")
  stride <- part_count(table, "hash_stride")
  rows <- matrix(unlist(part(table, "hash_map")), stride)
  at <- match(apply(catboost_hash(hashes), 2L, paste, collapse = " "),
              apply(vapply(rows[1L, ], hash_of_decimal, numeric(4)), 2L, paste, collapse = " "))
  counts <- matrix(as.numeric(rows[-1L, ]), stride - 1L)
  border <- part_count(ctr, "target_border_idx")
  known <- list(
    Borders = list(colSums(counts[seq_len(nrow(counts)) > border + 1L, , drop = FALSE]),
                   colSums(counts)),
    Buckets = if (border < nrow(counts)) list(counts[border + 1L, ], colSums(counts)),
    Counter = list(counts[1L, ], part_numbers(table, "counter_denominator", 1L)))[[type]]
  if (is.null(known)) refuse_feature(gettextf("statistics of the type '%s'", type))
  number <- function(name) floats(part_numbers(ctr, name, 1L))
  single <- function(x) .Call(ffi_floats, as.numeric(x))
  calculate <- function(good, all) {
    share <- single(single(single(good) + number("prior_numerator")) /
                      single(single(all) + number("prior_denomerator")))
    single(single(share + number("shift")) * number("scale"))
  }
  other <- calculate(0, if (type == "Counter") known[[2]] else 0)
  values <- calculate(known[[1]], known[[2]])[at]
  list(levels = replace(values, is.na(at), other), other = other)
}

# Hashes of 64 bits as four numbers of 16, the lowest first, a column each.
hash_of_decimal <- function(text) {
  limbs <- numeric(4)
  for (digit in utf8ToInt(text) - 48L) limbs <- carry(limbs * 10 + c(digit, 0, 0, 0))
  limbs
}

carry <- function(limbs) {
  for (i in 1:3) {
    limbs[i + 1L] <- limbs[i + 1L] + limbs[i] %/% 65536
    limbs[i] <- limbs[i] %% 65536
  }
  replace(limbs, 4L, limbs[4] %% 65536)
}

multiply_hash <- function(a, b) {
  carry(c(a[1] * b[1], a[1] * b[2] + a[2] * b[1], a[1] * b[3] + a[2] * b[2] + a[3] * b[1],
          a[1] * b[4] + a[2] * b[3] + a[3] * b[2] + a[4] * b[1]))
}

# The hash of a combination of one level, whose own hash is a signed number of 32 bits.
catboost_hash <- function(hashes) {
  factor <- c(0xcb65, 0x4954, 0xba49, 0x4906)
  vapply(hashes, function(hash) {
    high <- if (hash < 0) 65535 else 0
    low <- hash %% 2^32
    limbs <- c(low %% 65536, low %/% 65536, high, high)
    multiply_hash(factor, multiply_hash(factor, limbs))
  }, numeric(4))
}
