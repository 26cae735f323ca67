# contree_from_json(): reads what as_json() wrote, and takes nothing else.

#' @rdname as_json
#' @export
contree_from_json <- function(x) {
  need_package("jsonlite", "contree_from_json()")
  if (!is.character(x) || length(x) == 0 || anyNA(x)) {
    stop_input("x", gettextf("'x' must be a string with a document of as_json(), not %s",
                             show_value(x)))
  }
  text <- paste(x, collapse = "\n")
  reason <- why_no_json(text)
  if (!is.null(reason)) stop_input("x", gettextf("'x' is not JSON: %s", reason))
  # fromJSON() would take a string for the name of a file, or fetch it from the net
  document <- jsonlite::parse_json(text)
  if (!is.list(document) || !identical(document$format, "contree")) {
    bad_json("format", "\"contree\"")
  }
  if (!identical(document$format_version, json_version)) {
    stop_input("x", gettextf("'x' has format_version %s, but this version of contree reads %d",
                             show_value(document$format_version), json_version),
               gettext("write the document with this version of the package, or update it"))
  }
  if (!isTRUE(document$leaf %in% leaf_kinds)) bad_json("leaf",
                                                       paste0("\"", leaf_kinds, "\"",
                                                              collapse = ", "))
  document <- read_members(document)
  document["loss"] <- list(loss_of_json(document$loss, document$classes))
  predictors <- predictors_of_json(document$predictors)
  nodes <- nodes_of_json(document, predictors)
  check_fit(model_of_document(document, predictors, nodes), "x")
}

# Nothing may be nested more deeply: what reads JSON calls itself.
deepest_document <- 100L

is_nested_too_deeply <- function(bytes) {
  opens <- (bytes == as.raw(0x5b)) + (bytes == as.raw(0x7b))
  closes <- (bytes == as.raw(0x5d)) + (bytes == as.raw(0x7d))
  any(cumsum(opens - closes) > deepest_document)
}

# What jsonlite would stumble over; NULL: nothing. Its own error has the text as its format, so that
# a sign '%' in it can end the process; strings end where it finds a null character.
why_no_json <- function(text) {
  if (is_nested_too_deeply(charToRaw(text))) return(gettext("its parts are nested too deeply"))
  valid <- jsonlite::validate(text)
  if (!valid) return(sub("\n.*", "", attr(valid, "err")))
  escaped <- "(^|[^\\\\])(\\\\\\\\)*\\\\u0000"
  if (grepl("\\u0000", text, fixed = TRUE) && grepl(escaped, text, perl = TRUE)) {
    gettext("a string has a null character")
  }
}

# Fits of contree() have a proof, other trees have none.
read_members <- function(document) {
  proof <- list(settings = json_settings, objective = json_amount, cost = json_amount,
                bound = json_amount,
                status = json_string, capped = json_flag, restricted = json_levels)
  fields <- list(format = json_string, format_version = json_amount, leaf = json_string,
                 response = json_name_or_null,
                 predictors = json_array, nodes = json_array)
  names <- switch(document$leaf, classes = list(classes = json_names),
                  numbers = list(outputs = json_names))
  proven <- any(c("status", "settings") %in% names(document))
  optional <- if (proven) list(weighted = json_flag, loss = json_array, counted = counted_of_json)
              else if (identical(document$leaf, "numbers")) list(policy = policy_of_json)
  json_object(document, "", c(fields, names, if (proven) proof), optional)
}

# What was asked for, and proven, of a policy tree.
policy_of_json <- function(value, path) {
  json_object(value, path, list(
    settings = json_settings, value = json_finite, bound = json_finite, gap = json_amount,
    complexity = json_amount, rounding = json_amount, status = json_string,
    restricted = json_levels))
}

# check_fit() sees to it that there is a number for each node, of classes.
counted_of_json <- function(value, path) {
  json_object(value, path, list(unit = json_amount, nodes = json_counts), list(rest = json_counts))
}

# The rows as a matrix; NULL if there are none.
loss_of_json <- function(rows, classes) {
  if (is.null(rows)) return(NULL)
  n <- length(classes)
  fine <- length(rows) == n && all(vapply(rows, function(row) is.list(row) && length(row) == n, NA))
  if (!fine) bad_json("loss", gettext("one array a class, of one number a class each"))
  loss <- vapply(unlist(rows, recursive = FALSE), json_amount, 0, path = "loss")
  matrix(loss, n, byrow = TRUE, dimnames = list(truth = classes, predicted = classes))
}

json_settings <- function(value, path) {
  settings <- json_object(value, path, stats::setNames(rep(list(json_value), length(kept_in_json)),
                                                       kept_in_json),
                          list(max_leaves = json_value))
  if (any(unlist(settings) < 0)) bad_json(path, gettext("numbers, none of them negative"))
  deepest <- setting_table$depth$high
  if (settings$depth %in% 0:deepest) return(settings)
  bad_json(paste0(path, ".depth"), gettextf("a whole number up to %d", deepest))
}

predictors_of_json <- function(array) {
  predictors <- lapply(seq_along(array), function(i) {
    path <- sprintf("predictors[%d]", i)
    predictor <- json_object(array[[i]], path, list(name = json_name, type = json_string),
                             list(levels = json_names, unit = json_string))
    if (!predictor$type %in% predictor_types) bad_json(paste0(path, ".type"),
                                                       gettext("a type of predictors"))
    if (predictor$type %in% level_types != !is.null(predictor$levels)) {
      bad_json(paste0(path, ".levels"),
               gettext("there for ordered, factor and character predictors alone"))
    }
    if (predictor$type %in% c("POSIXct", "difftime") && is.null(predictor$unit)) {
      bad_json(paste0(path, ".unit"), gettext("there for times"))
    }
    if (predictor$type == "difftime" && !predictor$unit %in% time_units) {
      bad_json(paste0(path, ".unit"), paste0("\"", time_units, "\"", collapse = ", "))
    }
    predictor
  })
  names <- vapply(predictors, function(predictor) predictor$name, "")
  if (any(bad <- names == leaf_mark)) {
    bad_json(sprintf("predictors[%d].name", which(bad)[1]), gettext("a name"))
  }
  if (length(names) == 0 || anyDuplicated(names)) {
    bad_json("predictors", gettext("at least one, with different names"))
  }
  stats::setNames(predictors, names)
}

# The nodes as lists in preorder, with `sides` of the levels at splits by level, see data-derive.R.
nodes_of_json <- function(document, predictors) {
  nodes <- lapply(seq_along(document$nodes), function(i) {
    node_of_json(document$nodes[[i]], sprintf("nodes[%d]", i), document, predictors)
  })
  ids <- vapply(nodes, function(node) as.numeric(node$id), 0)
  inner <- ids[!vapply(nodes, function(node) is.null(node$split), NA)]
  if (!is_tree(ids, !ids %in% inner)) bad_json("nodes",
                                               gettext("a tree whose nodes are in preorder"))
  for (id in inner) {
    rows <- lapply(nodes[match(c(id, 2 * id, 2 * id + 1), ids)],
                   function(node) c(node$n, node$counts, node$weight))
    if (!isTRUE(all.equal(rows[[1]], rows[[2]] + rows[[3]]))) {
      bad_json(sprintf("nodes[%d]", match(id, ids)),
               gettext("a node whose 'n' and 'counts' are the sums of its children's"))
    }
  }
  nodes
}

node_of_json <- function(node, path, document, predictors) {
  said <- switch(
    document$leaf,
    classes = list(class = json_string, counts = json_counts),
    number = list(weight = json_amount, value = json_finite),
    numbers = list(weight = json_amount, values = json_finites),
    linear = list(weight = json_amount, intercept = json_finite,
                  coefficients = function(value, path)
                    coefficients_of_json(value, path, predictors)))
  if (!is.null(document$policy)) {
    said <- c(said, action = json_string, std_error = json_amount_or_null)
  }
  limits <- if (document$leaf == "linear" && !"split" %in% names(node)) {
    list(lowest = json_value, highest = json_value,
         terms = function(value, path) terms_of_json(value, path, predictors))
  }
  node <- json_object(
    node, path, c(list(id = json_count, n = json_count, errors = json_amount), said, limits),
    list(split = function(split, path) split_of_json(split, path, predictors)))
  if (document$leaf == "classes") check_json_class(node, path, document$classes)
  if (document$leaf == "numbers" && length(node$values) != length(document$outputs)) {
    bad_json(paste0(path, ".values"), gettext("one number an output"))
  }
  if (!is.null(document$policy) && !node$action %in% document$outputs) {
    bad_json(paste0(path, ".action"), gettext("one of the outputs"))
  }
  node
}

check_json_class <- function(node, path, classes) {
  if (!node$class %in% classes) bad_json(paste0(path, ".class"), gettext("one of the classes"))
  if (length(node$counts) != length(classes)) bad_json(paste0(path, ".counts"),
                                                       gettext("one number a class"))
}

# By predictor, each c(number =), c(number =, other =) or, of a factor, list(level =, other =).
coefficients_of_json <- function(value, path, predictors) {
  if (!is.list(value) || (length(value) && !is_names(names(value)))) {
    bad_json(path, gettext("an object"))
  }
  Map(function(given, name) coefficient_of_json(given, paste0(path, ".", name), predictors[[name]]),
      value, names(value))
}

coefficient_of_json <- function(value, path, predictor) {
  if (isTRUE(predictor$type %in% level_types)) {
    found <- json_object(value, path, list(levels = json_finite_members, other = json_finite))
    if (!all(names(found$levels) %in% predictor$levels)) {
      bad_json(paste0(path, ".levels"), gettext("levels of the predictor"))
    }
    return(list(level = found$levels, other = found$other))
  }
  if (!isTRUE(predictor$type %in% number_types)) {
    bad_json(path, gettext("left out: it is no predictor that is a number or a factor"))
  }
  if (!is.list(value)) return(list(number = json_finite(value, path)))
  found <- json_object(value, path, list(value = json_finite, missing = json_finite))
  list(number = found$value, other = found$missing)
}

# What a leaf adds up, as new_term() makes it.
terms_of_json <- function(value, path, predictors) {
  if (identical(value, list())) return(value)
  Map(term_of_json, json_array(value, path), sprintf("%s[%d]", path, seq_along(value)),
      list(predictors))
}

term_of_json <- function(value, path, predictors) {
  fields <- list(predictor = json_string, slope = json_finite)
  by_level <- "levels" %in% names(value)
  term <- json_object(value, path, c(fields, if (by_level) list(levels = json_finites)
                                     else list(low = json_value, high = json_value)),
                      list(other = json_finite))
  known <- predictors[[term$predictor]]
  if (!isTRUE(known$type %in% if (by_level) level_types else number_types)) {
    bad_json(path, gettext("a term of a predictor that is a number, or by level of a factor"))
  }
  if (length(term$levels) != length(known$levels)) {
    bad_json(paste0(path, ".levels"), gettext("one number a level"))
  }
  other <- c(term$other, NA)[1]
  if (by_level) {
    return(new_term(term$predictor, term$slope, other, codes = c(other, term$levels)))
  }
  new_term(term$predictor, term$slope, other, term$low, term$high)
}

# An object of numbers, as a vector.
json_finite_members <- function(value, path) {
  if (!is.list(value) || !is_names(names(value))) bad_json(path, gettext("an object"))
  vapply(value, json_finite, 0, path)
}

split_of_json <- function(split, path, predictors) {
  by_level <- "left" %in% names(split)
  fields <- list(variable = json_string, missing = json_string, missing_rows = json_amount)
  fields <- c(fields,
              if (by_level) list(left = json_levels, right = json_levels)
              else list(threshold = json_value))
  split <- json_object(split, path, fields, list(saved = json_amount))
  if (!split$missing %in% c("left", "right")) bad_json(paste0(path, ".missing"),
                                                       "\"left\", \"right\"")
  predictor <- predictors[[split$variable]]
  if (is.null(predictor)) bad_json(paste0(path, ".variable"), gettext("the name of a predictor"))
  if (by_level != predictor$type %in% c("factor", "character")) {
    bad_json(path, gettextf("a split by %s",
                            if (by_level) gettext("a threshold") else gettext("levels")))
  }
  if (!by_level) return(split)
  named <- c(split$left, split$right)
  if (length(named) == 0 || anyDuplicated(named) || !all(named %in% predictor$levels)) {
    bad_json(path, gettext("a split of levels of its predictor, each on one side"))
  }
  split$sides <- ifelse(predictor$levels %in% split$left, 1L,
                        ifelse(predictor$levels %in% split$right, 3L, 2L))
  split
}

predictor_types <- c(number_types, "Date", "POSIXct", "difftime", level_types)

# ---- members of JSON -----------------------------------------------------------------------------

bad_json <- function(path, wanted) {
  stop_input("x", gettextf("'x' is not a document of as_json(): %s must be %s", path, wanted))
}

# An object with the given members, each read by its function of (value, path), and no others.
json_object <- function(value, path, fields, optional = list()) {
  where <- function(name) if (nzchar(path)) paste0(path, ".", name) else name
  if (!is.list(value) || is.null(names(value))) bad_json(if (nzchar(path)) path else "x",
                                                         gettext("an object"))
  if (anyDuplicated(names(value))) bad_json(where(names(value)[duplicated(names(value))][1]),
                                            gettext("there once"))
  unknown <- setdiff(names(value), names(c(fields, optional)))
  if (length(unknown)) bad_json(where(unknown[1]), gettext("left out: it is not known"))
  absent <- setdiff(names(fields), names(value))
  if (length(absent)) bad_json(where(absent[1]), gettext("there"))
  fields <- c(fields, optional)
  Map(function(name, read) read(value[[name]], where(name)), names(value), fields[names(value)])
}

json_array <- function(value, path) {
  if (is.list(value) && is.null(names(value)) && length(value) > 0) {
    value
  } else {
    bad_json(path, gettext("an array, not empty"))
  }
}

json_string <- function(value, path) {
  if (is.character(value) && length(value) == 1) value else bad_json(path, gettext("a string"))
}

# What R can take as the name of a variable.
json_name <- function(value, path) {
  if (nzchar(json_string(value, path)) && nchar(value, "bytes") <= 1e4) return(value)
  bad_json(path, gettext("a name of 1 to 10,000 bytes"))
}

json_name_or_null <- function(value, path) if (is.null(value)) NULL else json_name(value, path)

json_flag <- function(value, path) {
  if (is.logical(value) && length(value) == 1) value else bad_json(path, gettext("true or false"))
}

json_amount <- function(value, path) {
  if (is.numeric(value) && length(value) == 1 && is.finite(value) && value >= 0) {
    return(as.numeric(value))
  }
  bad_json(path, gettext("a number, not negative"))
}

json_amount_or_null <- function(value, path) {
  if (is.null(value)) NA_real_ else json_amount(value, path)
}

json_count <- function(value, path) {
  value <- json_amount(value, path)
  if (value == floor(value) && value < 2^31) {
    value
  } else {
    bad_json(path, gettext("a whole number below 2^31"))
  }
}

json_value <- function(value, path) {
  if (identical(value, "Infinity")) return(Inf)
  if (identical(value, "-Infinity")) return(-Inf)
  if (is.numeric(value) && length(value) == 1 && is.finite(value)) return(as.numeric(value))
  bad_json(path, gettext("a number, \"Infinity\" or \"-Infinity\""))
}

json_finite <- function(value, path) {
  if (is.numeric(value) && length(value) == 1 && is.finite(value)) return(as.numeric(value))
  bad_json(path, gettext("a number"))
}

json_finites <- function(value, path) vapply(json_array(value, path), json_finite, 0, path)

json_counts <- function(value, path) vapply(json_array(value, path), json_amount, 0, path)

json_levels <- function(value, path) {
  if (identical(value, list())) character() else json_names(value, path)
}

json_names <- function(value, path) {
  names <- vapply(json_array(value, path), json_string, "", path)
  if (anyDuplicated(names)) bad_json(path, gettext("without repetitions"))
  names
}
