# Models of H2O: MOJO files, zip archives of an ini file, lists of levels, and trees in a binary
# form, of boosting (gbm) and random forests (drf).
#
# Rows are doubles, which go right from a threshold on, a float; leaves are floats, and doubles are
# summed over trees in their order, from 0.

is_mojo <- function(first) {
  length(first) > 4L && identical(first[1:4], as.raw(c(0x50, 0x4b, 3, 4)))
}

read_h2o <- function(bytes) {
  archive <- open_archive(bytes)
  on.exit(unlink(archive$path))
  lines <- archive_lines(archive, "model.ini")
  info <- h2o_info(lines)
  check_h2o(info)
  columns <- h2o_section(lines, "columns")
  n_features <- h2o_number(info, "n_features")
  if (n_features < 1 || n_features > length(columns)) {
    refuse_document(gettext("'n_features' is not valid"))
  }
  levels <- h2o_levels(archive, lines, columns, info)
  features <- columns[seq_len(n_features)]
  said <- h2o_links(info)
  sets <- new_sets()
  trees <- h2o_trees(archive, info, levels[seq_len(n_features)], sets)
  n <- length(trees)
  start <- if (said$boosted) h2o_number(info, "init_f") else 0
  outputs <- h2o_number(info, "n_trees_per_class")
  highest <- abs(start) + sum(vapply(trees, function(tree) max(abs(tree$values)), 0))
  if (said$link == "exp" && highest > 43) {
    refuse_feature(gettext("sums beyond 43, where H2O cuts its responses"))
  }
  if (start != 0) trees <- c(trees, list(catboost_stump(start)))
  classes <- if (said$classes) levels[[length(columns)]]
  forest <- new_forest_ir(
    trees, n_features, features = features, first_code = 0L, sets = sets$all,
    levels = Filter(length, stats::setNames(levels[seq_len(n_features)], features)),
    set_else = as.logical(sets$beyond), less = "<", base = rep(0, outputs),
    output = c(rep_len(seq_len(outputs), n), if (start != 0) 1L),
    divisor = if (said$average) n else 1, link = said$link, classes = classes, source = "H2O",
    version = info[["h2o_version"]], objective = said$name)
  forest$own_trees <- n
  if (length(classes) == 2L) forest$second_from <- h2o_number(info, "default_threshold")
  forest
}

# ---- the archive ---------------------------------------------------------------------------------

# list(path, size): a file, and the sizes of what is in it, by name.
open_archive <- function(bytes) {
  path <- tempfile(fileext = ".zip")
  writeBin(bytes, path)
  there <- tryCatch(utils::unzip(path, list = TRUE), error = function(e) NULL,
                    warning = function(w) NULL)
  if (is.null(there) || !"model.ini" %in% there$Name) {
    unlink(path)
    refuse_document(gettext("it is a zip file, but no MOJO of H2O: it has no 'model.ini'"))
  }
  if (sum(there$Length) > most_bytes) {
    unlink(path)
    refuse_document(gettextf("it has more than %.0f bytes", most_bytes))
  }
  list(path = path, size = stats::setNames(there$Length, there$Name))
}

archive_bytes <- function(archive, name) {
  if (!name %in% names(archive$size)) refuse_document(gettextf("it lacks '%s'", name))
  connection <- unz(archive$path, name, "rb")
  on.exit(close(connection))
  readBin(connection, "raw", archive$size[[name]])
}

archive_lines <- function(archive, name) {
  strsplit(text_of(archive_bytes(archive, name)), "\r?\n")[[1]]
}

# The lines of a part.
h2o_section <- function(lines, name) {
  heads <- grep("^\\[.*\\]$", lines)
  at <- match(sprintf("[%s]", name), lines)
  if (is.na(at)) refuse_document(gettextf("it lacks '%s'", name))
  end <- c(heads[heads > at] - 1L, length(lines))[1]
  part <- lines[seq_len(end - at) + at]
  part[nzchar(part)]
}

h2o_info <- function(lines) {
  part <- h2o_section(lines, "info")
  stats::setNames(as.list(sub("^[^=]*= ?", "", part)), trimws(sub("=.*", "", part)))
}

h2o_number <- function(info, name) {
  value <- if (!is.null(info[[name]])) .Call(ffi_numbers, info[[name]])
  if (length(value) != 1 || !is.finite(value)) refuse_document(gettextf("'%s' is not valid", name))
  value
}

# By column its levels, or NULL.
h2o_levels <- function(archive, lines, columns, info) {
  levels <- vector("list", length(columns))
  for (line in h2o_section(lines, "domains")) {
    words <- strsplit(line, "[: ]+")[[1]]
    column <- suppressWarnings(as.integer(words[1])) + 1L
    if (is.na(column) || column > length(columns) || length(words) != 3L) {
      refuse_document(gettext("the levels of its columns are not valid"))
    }
    given <- archive_lines(archive, paste0("domains/", words[3]))
    if (identical(info[["escape_domain_values"]], "true")) given <- h2o_unescaped(given)
    if (length(given) != as.integer(words[2])) {
      refuse_document(gettext("the levels of its columns are not valid"))
    }
    levels[[column]] <- given
  }
  levels
}

h2o_unescaped <- function(text) {
  gsub("\001", "\\", gsub("\\n", "\n", gsub("\\\\", "\001", text, fixed = TRUE), fixed = TRUE),
       fixed = TRUE)
}

# ---- what it is ----------------------------------------------------------------------------------

check_h2o <- function(info) {
  is <- function(name, ...) is.null(info[[name]]) || info[[name]] %in% c(...)
  if (!info[["algo"]] %in% c("gbm", "drf")) {
    refuse_feature(gettextf("a model of H2O of the kind '%s'", info[["algorithm"]]))
  }
  if (h2o_number(info, "mojo_version") < 1.2) {
    refuse_feature(gettext("a MOJO of a version before 1.2"))
  }
  if (!is("_genmodel_encoding", "AUTO", "Enum")) {
    refuse_feature(gettextf("the encoding '%s' of categories", info[["_genmodel_encoding"]]))
  }
  if (!is("balance_classes", "false")) refuse_feature(gettext("balanced classes"))
  if (!is("offset_column", "null")) refuse_feature(gettext("an offset"))
  if (!is("endianness", "LITTLE_ENDIAN")) refuse_feature(gettext("numbers in another byte order"))
}

# list(name, boosted, link, classes, average).
h2o_links <- function(info) {
  n_classes <- h2o_number(info, "n_classes")
  if (info[["algo"]] == "drf") {
    double_trees <- identical(info[["binomial_double_trees"]], "true")
    link <- if (n_classes == 1) "identity" else if (n_classes == 2 && !double_trees) "first" else
      "shares"
    return(list(name = "drf", boosted = FALSE, link = link, classes = n_classes > 1,
                average = link != "shares"))
  }
  name <- info[["distribution"]]
  links <- c(gaussian = "identity", laplace = "identity", quantile = "identity",
             huber = "identity", poisson = "exp", gamma = "exp", tweedie = "exp",
             bernoulli = "logistic", quasibinomial = "logistic", multinomial = "softmax")
  link <- unname(links[name])
  if (is.na(link)) refuse_feature(gettextf("the distribution %s", show_value(name)))
  if (link == "softmax" && n_classes == 2) refuse_feature(gettext("two classes of a multinomial"))
  list(name = name, boosted = TRUE, link = link, classes = n_classes > 1, average = FALSE)
}

# ---- trees ---------------------------------------------------------------------------------------

# Round by round.
h2o_trees <- function(archive, info, levels, sets) {
  groups <- h2o_number(info, "n_trees")
  per_group <- h2o_number(info, "n_trees_per_class")
  if (groups < 1 || per_group < 1 || groups * per_group > length(archive$size)) {
    refuse_document(gettext("it lacks trees"))
  }
  names <- sprintf("trees/t%02d_%03d", rep(seq_len(per_group) - 1L, groups),
                   rep(seq_len(groups) - 1L, each = per_group))
  lapply(names, function(name) {
    aux <- paste0(name, "_aux.bin")
    read_h2o_tree(archive_bytes(archive, paste0(name, ".bin")),
                  if (aux %in% names(archive$size)) archive_bytes(archive, aux), levels, sets)
  })
}

h2o_sides <- c(none = 0L, missing_alone = 1L, missing_left = 2L, missing_right = 3L, left = 4L,
               right = 5L)

# A node is: what its children are (a byte), a column (two bytes), a side for missing values, and a
# float or a set; then, if the left child is no leaf, the size of all below it; then both children.
read_h2o_tree <- function(bytes, aux, levels, sets) {
  at <- new.env(parent = emptyenv())
  at$bytes <- bytes
  at$next_byte <- 1
  nodes <- list()
  add <- function(given) {
    node <- list(feature = 0L, threshold = 0, set = 0L, missing_left = FALSE, turned = FALSE,
                 left = 0L, right = 0L, value = 0)
    nodes[[length(nodes) + 1L]] <<- replace(node, names(given), given)
    length(nodes)
  }
  visit <- function() {
    kind <- as.integer(ubj_take(at, 1))
    column <- h2o_whole(at, 2)
    if (column == 65535) return(add(list(value = h2o_float(at))))
    if (column >= length(levels)) refuse_document(gettext("a node asks for no feature"))
    node <- add(h2o_test(at, kind, column + 1, levels, sets))
    left_kind <- bitwAnd(kind, 51L)
    if (left_kind <= 3L) ubj_take(at, left_kind + 1)
    for (side in c("left", "right")) {
      of_side <- if (side == "left") left_kind else bitwShiftR(bitwAnd(kind, 0xC0L), 2L)
      leaf <- bitwAnd(of_side, 16L) != 0L
      nodes[[node]][[side]] <<- if (leaf) add(list(value = h2o_float(at))) else visit()
    }
    node
  }
  visit()
  h2o_nodes(nodes, h2o_aux(aux))
}

h2o_whole <- function(at, n) sum(as.integer(ubj_take(at, n)) * 256^(seq_len(n) - 1))

h2o_float <- function(at) readBin(ubj_take(at, 4), "double", 1, 4L, endian = "little")

# What a node asks: numbers below the threshold, and levels that are not in the set, go left.
# Levels beyond the set go where missing values go.
h2o_test <- function(at, kind, column, levels, sets) {
  side <- as.integer(ubj_take(at, 1))
  missing_left <- side %in% h2o_sides[c("missing_left", "left")]
  test <- list(feature = as.integer(column), missing_left = missing_left)
  if (side == h2o_sides[["missing_alone"]]) {
    test$threshold <- -Inf # missing values alone go right, which is our left
    test$turned <- TRUE
    return(test)
  }
  equal <- bitwAnd(kind, 12L)
  if (equal == 0L) {
    test$threshold <- h2o_float(at)
    return(test)
  }
  first <- if (equal == 12L) h2o_whole(at, 2) else 0
  n <- if (equal == 12L) h2o_whole(at, 4) else 32
  bits <- as.logical(rawToBits(ubj_take(at, (n - 1) %/% 8 + 1)))[seq_len(n)]
  codes <- seq_along(levels[[column]]) - 1
  if (!length(codes)) refuse_document(gettext("a node asks for levels of a number"))
  known <- codes >= first & codes < first + n
  left <- rep(missing_left, length(codes))
  left[known] <- !bits[codes[known] - first + 1]
  sets$beyond <- c(sets$beyond, missing_left)
  test$set <- add_set(sets, left)
  test
}

# By inner node, in their order, numbers and weights of the children; NULL if it is not known.
h2o_aux <- function(bytes) {
  if (is.null(bytes) || length(bytes) %% 40L) return(NULL)
  n <- length(bytes) %/% 40L
  part <- function(from, type) {
    readBin(bytes[outer(from + 1:4, 40L * (seq_len(n) - 1L), `+`)], type, n, 4L, endian = "little")
  }
  list(n = n, left = part(32L, "integer"), right = part(36L, "integer"),
       left_weight = part(8L, "double"), right_weight = part(12L, "double"))
}

h2o_nodes <- function(nodes, aux) {
  all <- function(name) unlist(lapply(nodes, `[[`, name))
  n <- length(nodes)
  left <- all("left")
  right <- all("right")
  inner <- which(left > 0L)
  id <- seq_len(n) - 1L
  cover <- NULL
  if (!is.null(aux) && aux$n == length(inner)) {
    id[1] <- 0L
    id[left[inner]] <- aux$left
    id[right[inner]] <- aux$right
    cover <- rep(1, n)
    cover[left[inner]] <- aux$left_weight
    cover[right[inner]] <- aux$right_weight
    cover[1] <- if (n > 1L) aux$left_weight[1] + aux$right_weight[1] else 1
  }
  turned <- all("turned")
  list(feature = all("feature"), threshold = all("threshold"), left = ifelse(turned, right, left),
       right = ifelse(turned, left, right), default_left = turned | all("missing_left"),
       missing = rep(missing_rules[["nan"]], n), set = all("set"), leaf_id = id, cover = cover,
       values = matrix(all("value")))
}
