# Tree models of PMML, alone or in segments of a mining model (needs xml2).
#
# Children of a node are asked in order, and the first whose test is true is next: a chain of tests
# of two sides here. What makes none of them true goes to the node's own score where the document
# says so, else it has no prediction. Sums are in the type that the document's engine computes in
# ("x-mathContext"), the constant is added last; numbers are compared as the type of their field.

is_pmml <- function(bytes) {
  first <- utils::head(bytes, 2048)
  length(grepRaw("<PMML[[:space:]]", first)) > 0
}

read_pmml_forest <- function(bytes) {
  root <- parse_pmml(bytes)
  kinds <- setdiff(pmml_names(root), c("Header", "DataDictionary", "Extension", "MiningBuildTask"))
  if (!identical(kinds, "TreeModel") && !identical(kinds, "MiningModel")) {
    other <- setdiff(kinds, c("TreeModel", "MiningModel"))
    if (!length(other)) other <- kinds
    refuse_feature(gettextf("the PMML elements %s", show_names(other)))
  }
  model <- pmml_child(root, kinds)
  fields <- pmml_fields(root, model)
  said <- pmml_ensemble(model)
  make <- new.env(parent = emptyenv())
  make$sets <- new_sets()
  make$number <- pmml_number_type(said$trees, fields)
  make$float_sums <- identical(said$context, "float")
  make$classes <- said$classes
  trees <- lapply(said$trees, read_pmml_tree, fields, make)
  output <- said$output
  if (any(said$constant != 0)) {
    for (k in which(said$constant != 0)) {
      trees <- c(trees, list(catboost_stump(pmml_sum_number(said$constant[k], make))))
      output <- c(output, k)
    }
  }
  factors <- Filter(length, fields$levels)
  declared <- any(fields$declared) || isTRUE(make$closed)
  forest <- new_forest_ir(
    trees, length(fields$names), features = fields$names, levels = factors, first_code = 0L,
    sets = make$sets$all, set_else = as.logical(make$sets$beyond), output = output,
    base = rep(0, said$outputs), divisor = said$divisor,
    less = "<", number = make$number, sum = if (make$float_sums) "float" else "double",
    link = said$link, classes = as.vector(said$classes),
    closed = declared, new_level = if (!declared) lengths(factors) else integer(),
    source = "PMML", version = pmml_attribute(root, "version", ""),
    objective = pmml_attribute(model, "algorithmName", ""))
  forest$own_trees <- length(said$trees)
  forest$complete_for <- sort(unique(make$complete_for))
  forest
}

# ---- XML -----------------------------------------------------------------------------------------

parse_pmml <- function(bytes) {
  need_package("xml2", "import_forest()")
  if (length(grepRaw("<!(DOCTYPE|ENTITY)", bytes))) {
    refuse_feature(gettext("definitions of document types"))
  }
  document <- tryCatch(xml2::xml_ns_strip(xml2::read_xml(bytes)), error = function(problem) {
    refuse_document(gettextf("it is no XML (%s)", sub("\n.*", "", conditionMessage(problem))))
  })
  if (xml2::xml_name(document) != "PMML") refuse_document(gettext("it is no document of PMML"))
  document
}

pmml_children <- function(element) {
  all <- xml2::xml_children(element)
  all[xml2::xml_name(all) != "Extension"]
}

pmml_names <- function(element) xml2::xml_name(pmml_children(element))

# The only child of that name; NULL if there is none.
pmml_child <- function(element, name) {
  all <- pmml_children(element)
  found <- all[xml2::xml_name(all) == name]
  if (length(found) > 1L) refuse_feature(gettextf("several elements '%s'", name))
  if (length(found)) found[[1]]
}

pmml_attribute <- function(element, name, otherwise = NULL) {
  value <- xml2::xml_attr(element, name)
  if (!is.na(value)) return(value)
  if (is.null(otherwise)) {
    refuse_document(gettextf("an element '%s' lacks '%s'", xml2::xml_name(element), name))
  }
  otherwise
}

pmml_number <- function(text) {
  value <- if (nzchar(text)) .Call(ffi_numbers, text)
  if (length(value) != 1L || !is.finite(value)) {
    refuse_document(gettextf("%s is no number", show_value(text)))
  }
  value
}

pmml_sum_number <- function(value, make) if (make$float_sums) floats(value) else value

# An attribute that may only be what it is anyhow.
pmml_only <- function(element, name, allowed) {
  value <- pmml_attribute(element, name, allowed[1])
  if (!value %in% allowed) refuse_feature(gettextf("'%s' of '%s'", name, value))
}

# ---- fields --------------------------------------------------------------------------------------

# list(names, type, levels, declared): the fields that the model takes; levels of texts are those
# that are listed, and those that tests ask for.
pmml_fields <- function(root, model) {
  mining <- pmml_children(pmml_child(model, "MiningSchema"))
  usage <- xml2::xml_attr(mining, "usageType")
  active <- mining[is.na(usage) | usage == "active"]
  for (field in active) {
    pmml_only(field, "outliers", "asIs")
    if (!is.na(xml2::xml_attr(field, "missingValueReplacement"))) {
      refuse_feature(gettext("replacements of missing values"))
    }
  }
  names <- vapply(active, pmml_attribute, "", "name")
  known <- pmml_children(pmml_child(root, "DataDictionary"))
  at <- match(names, xml2::xml_attr(known, "name"))
  if (anyNA(at) || anyDuplicated(names)) {
    refuse_document(gettext("a field is not in its dictionary, or is there twice"))
  }
  type <- vapply(known[at], pmml_attribute, "", "dataType")
  bad <- which(!type %in% c("double", "float", "integer", "string", "boolean"))
  if (length(bad)) refuse_feature(gettextf("fields of the type '%s'", type[bad[1]]))
  listed <- lapply(known[at], pmml_listed)
  list(names = names, type = type, declared = type == "string" & lengths(listed) > 0,
       levels = stats::setNames(Map(function(name, type, listed) {
         if (type == "string") unique(c(listed, pmml_asked(model, name)))
       }, names, type, listed), names))
}

pmml_listed <- function(field) {
  parts <- pmml_children(field)
  if (any(xml2::xml_name(parts) == "Interval")) refuse_feature(gettext("intervals of fields"))
  property <- xml2::xml_attr(parts, "property")
  value <- xml2::xml_attr(parts, "value")
  odd <- !is.na(property) & property != "valid" & !value %in% c("NaN", "NA")
  if (any(odd)) {
    refuse_feature(gettextf("the value '%s', which is '%s' there", value[odd][1], property[odd][1]))
  }
  value[is.na(property) | property == "valid"]
}

# The levels of a field that some test names.
pmml_asked <- function(model, name) {
  of <- function(kind) {
    all <- xml2::xml_find_all(model, paste0(".//", kind))
    all[xml2::xml_attr(all, "field") %in% name]
  }
  simple <- xml2::xml_attr(of("SimplePredicate"), "value")
  c(simple[!is.na(simple)], unlist(lapply(of("SimpleSetPredicate"), pmml_array)))
}

pmml_array <- function(predicate) {
  text <- xml2::xml_text(pmml_child(predicate, "Array"))
  if (grepl("\\", text, fixed = TRUE)) refuse_feature(gettext("backslashes in arrays"))
  words <- regmatches(text, gregexpr("\"[^\"]*\"|[^\"[:space:]]+", text))[[1]]
  gsub("\"", "", words)
}

# "float" if all numbers that are asked for are floats, "double" if none is.
pmml_number_type <- function(trees, fields) {
  asked <- unique(unlist(lapply(trees, function(tree) {
    xml2::xml_attr(xml2::xml_find_all(tree, ".//SimplePredicate"), "field")
  })))
  types <- setdiff(fields$type[fields$names %in% asked], c("string", "boolean"))
  if ("float" %in% types && length(types) > 1L) {
    refuse_feature(gettext("both fields of the types 'float' and 'double'"))
  }
  if ("float" %in% types) "float" else "double"
}

# ---- ensembles -----------------------------------------------------------------------------------

# list(trees, output, outputs, constant, divisor, link, classes, context).
pmml_ensemble <- function(model) {
  context <- pmml_attribute(model, "x-mathContext", "double")
  if (!context %in% c("double", "float")) {
    refuse_feature(gettextf("'x-mathContext' of '%s'", context))
  }
  segmentation <- pmml_child(model, "Segmentation")
  chain <- !is.null(segmentation) &&
    pmml_attribute(segmentation, "multipleModelMethod") == "modelChain"
  said <- if (chain) pmml_chain(segmentation) else pmml_sum(model)
  said$context <- context
  said
}

pmml_segments <- function(segmentation) {
  segments <- pmml_children(segmentation)
  segments <- segments[xml2::xml_name(segments) == "Segment"]
  lapply(segments, function(segment) {
    parts <- pmml_children(segment)
    if (length(parts) != 2L || xml2::xml_name(parts[[1]]) != "True" ||
          pmml_number(pmml_attribute(segment, "weight", "1")) != 1) {
      refuse_feature(gettext("segments with tests or weights"))
    }
    parts[[2]]
  })
}

# Trees whose results are summed, averaged or counted; a tree alone is one that is summed.
pmml_sum <- function(model) {
  alone <- xml2::xml_name(model) == "TreeModel"
  trees <- if (alone) list(model) else pmml_segments(pmml_child(model, "Segmentation"))
  if (!length(trees) || !all(vapply(trees, xml2::xml_name, "") == "TreeModel")) {
    refuse_feature(gettext("segments that are no trees"))
  }
  method <- if (alone) "sum" else
    pmml_attribute(pmml_child(model, "Segmentation"), "multipleModelMethod")
  by_class <- pmml_attribute(model, "functionName") == "classification"
  fits <- method %in% (if (alone) "sum" else if (by_class) c("average", "majorityVote") else
    c("sum", "average"))
  if (!fits) refuse_feature(gettextf("'multipleModelMethod' of '%s'", method))
  classes <- if (by_class) pmml_classes(model, method)
  list(trees = trees, output = rep(1L, length(trees)), outputs = max(1L, length(classes)),
       constant = pmml_constant(model), classes = classes,
       link = if (method == "majorityVote") "shares" else "identity",
       divisor = if (method == "average") length(trees) else 1)
}

# What is added behind all trees.
pmml_constant <- function(model) {
  targets <- pmml_child(model, "Targets")
  if (is.null(targets)) return(0)
  target <- pmml_child(targets, "Target")
  if (any(c("min", "max", "castInteger") %in% names(xml2::xml_attrs(target)))) {
    refuse_feature(gettext("limits or whole numbers of its sums"))
  }
  if (pmml_number(pmml_attribute(target, "rescaleFactor", "1")) != 1) {
    refuse_feature(gettext("a scale of its sums ('rescaleFactor')"))
  }
  pmml_number(pmml_attribute(target, "rescaleConstant", "0"))
}

# Classes in the order of the dictionary; `votes`: trees say classes, else their proportions.
pmml_classes <- function(model, method) {
  schema <- pmml_children(pmml_child(model, "MiningSchema"))
  target <- schema[xml2::xml_attr(schema, "usageType") %in% c("target", "predicted")]
  if (length(target) != 1L) refuse_document(gettext("it has no target"))
  known <- pmml_children(pmml_child(xml2::xml_parent(model), "DataDictionary"))
  field <- known[xml2::xml_attr(known, "name") %in% pmml_attribute(target[[1]], "name")]
  classes <- if (length(field) == 1L) pmml_listed(field[[1]])
  if (length(classes) < 2L || anyDuplicated(classes)) {
    refuse_document(gettext("its classes are not valid"))
  }
  structure(classes, votes = method == "majorityVote")
}

# Sums, and behind them a regression that makes probabilities of them, by "logit" or "softmax", or
# of a single one a number, by "exp".
pmml_chain <- function(segmentation) {
  parts <- pmml_segments(segmentation)
  last <- parts[[length(parts)]]
  parts <- parts[-length(parts)]
  if (xml2::xml_name(last) != "RegressionModel" || !length(parts) ||
        !all(vapply(parts, xml2::xml_name, "") == "MiningModel")) {
    refuse_feature(gettext("a chain of other models than sums of trees and a regression"))
  }
  sums <- lapply(parts, pmml_sum)
  names <- vapply(parts, function(part) {
    field <- pmml_child(pmml_child(part, "Output"), "OutputField")
    if (length(pmml_children(field))) refuse_feature(gettext("transforms of sums"))
    pmml_attribute(field, "name")
  }, "")
  if (any(vapply(sums, function(sum) sum$divisor != 1 || length(sum$classes) > 0, NA))) {
    refuse_feature(gettext("averages in a chain"))
  }
  said <- pmml_regression_link(last, names)
  list(trees = unlist(lapply(sums, `[[`, "trees"), recursive = FALSE),
       output = rep(seq_along(sums), vapply(sums, function(sum) length(sum$trees), 0L)),
       outputs = length(sums), constant = vapply(sums, `[[`, 0, "constant"), divisor = 1,
       link = said$link,
       classes = if (length(said$classes)) structure(said$classes, sums = TRUE))
}

pmml_regression_link <- function(model, names) {
  tables <- pmml_children(model)
  tables <- tables[xml2::xml_name(tables) == "RegressionTable"]
  given <- lapply(tables, function(table) {
    terms <- pmml_children(table)
    plain <- pmml_number(pmml_attribute(table, "intercept", "0")) == 0 &&
      all(xml2::xml_name(terms) == "NumericPredictor") &&
      all(vapply(terms, function(term) {
        pmml_number(pmml_attribute(term, "coefficient")) == 1 &&
          pmml_number(pmml_attribute(term, "exponent", "1")) == 1
      }, NA))
    if (!plain) refuse_feature(gettext("a regression that is no link"))
    xml2::xml_attr(terms, "name")
  })
  method <- pmml_attribute(model, "normalizationMethod", "none")
  if (pmml_attribute(model, "functionName") == "regression") {
    if (method == "exp" && identical(given, list(names))) return(list(link = "exp"))
    refuse_feature(gettextf("a regression with the link '%s'", method))
  }
  classes <- vapply(tables, pmml_attribute, "", "targetCategory")
  if (method == "logit" && length(names) == 1L && identical(given, list(names, character()))) {
    return(list(link = "logistic", classes = rev(classes)))
  }
  if (method == "softmax" && length(names) > 1L && identical(given, as.list(names))) {
    return(list(link = "softmax", classes = classes))
  }
  refuse_feature(gettextf("a regression with the link '%s'", method))
}

# ---- trees ---------------------------------------------------------------------------------------

# Nodes are made from the root down, `room` of them at most, since what follows a chain may have to
# stand below both sides of a test.
read_pmml_tree <- function(model, fields, make) {
  strategy <- pmml_attribute(model, "missingValueStrategy", "none")
  if (!strategy %in% c("none", "defaultChild", "nullPrediction", "lastPrediction")) {
    refuse_feature(gettextf("'missingValueStrategy' of '%s'", strategy))
  }
  if (pmml_number(pmml_attribute(model, "missingValuePenalty", "1")) != 1) {
    refuse_feature(gettext("a penalty of missing values"))
  }
  if (!is.null(pmml_child(model, "Targets"))) refuse_feature(gettext("targets of single trees"))
  last <- pmml_attribute(model, "noTrueChildStrategy", "returnNullPrediction")
  tree <- new.env(parent = emptyenv())
  tree$strategy <- strategy
  tree$keeps <- last == "returnLastPrediction"
  tree$rows <- list()
  tree$values <- list()
  tree$room <- 16 + 4 * length(xml2::xml_find_all(model, ".//Node"))
  root <- pmml_child(model, "Node")
  if (is.null(root)) refuse_document(gettext("a tree has no node"))
  if (!identical(pmml_predicate_of(root, fields, make)$kind, "true")) {
    refuse_feature(gettext("a test of the root"))
  }
  add_pmml_node(root, tree, fields, make)
  part <- function(name) vapply(tree$rows, `[[`, 0, name)
  n <- length(tree$rows)
  list(feature = as.integer(part("feature")), threshold = part("threshold"),
       left = as.integer(part("left")), right = as.integer(part("right")),
       default_left = part("missing_left") > 0, missing = rep(missing_rules[["nan"]], n),
       set = as.integer(part("set")), leaf_id = seq_len(n) - 1L,
       values = do.call(rbind, tree$values))
}

add_pmml_row <- function(tree, given, values) {
  if (length(tree$rows) >= tree$room) {
    refuse_feature(gettext("children whose tests leave too many ways"))
  }
  row <- c(feature = 0, threshold = 0, set = 0, missing_left = 0, left = 0, right = 0)
  row[names(given)] <- given
  at <- length(tree$rows) + 1L
  tree$rows[[at]] <- row
  tree$values[[at]] <- values
  at
}

pmml_width <- function(make) {
  if (isTRUE(attr(make$classes, "sums"))) 1L else max(1L, length(make$classes))
}

add_pmml_leaf <- function(node, tree, make) {
  add_pmml_row(tree, NULL, pmml_score(node, make))
}

pmml_score <- function(node, make) {
  classes <- make$classes
  score <- pmml_attribute(node, "score")
  if (pmml_width(make) == 1L) return(pmml_sum_number(pmml_number(score), make))
  class <- match(score, classes)
  if (is.na(class)) refuse_document(gettextf("the class %s is not among its classes",
                                             show_value(score)))
  parts <- pmml_children(node)
  parts <- parts[xml2::xml_name(parts) == "ScoreDistribution"]
  if (isTRUE(attr(classes, "votes")) || !length(parts)) {
    return(as.numeric(seq_along(classes) == class))
  }
  of <- match(xml2::xml_attr(parts, "value"), classes)
  known <- !is.na(xml2::xml_attr(parts, "probability"))
  share <- vapply(parts, function(part) {
    pmml_number(pmml_attribute(part, if (all(known)) "probability" else "recordCount"))
  }, 0)
  if (anyNA(of) || anyDuplicated(of) || any(share < 0) || sum(share) <= 0) {
    refuse_document(gettext("proportions of classes are not valid"))
  }
  if (!all(known)) share <- share / sum(share)
  values <- replace(numeric(length(classes)), of, share)
  if (which.max(values) != class) refuse_feature(gettext("scores that are not the likeliest class"))
  values
}

add_pmml_node <- function(node, tree, fields, make) {
  parts <- pmml_children(node)
  kinds <- xml2::xml_name(parts)
  if (any(kinds %in% c("Regression", "DecisionTree"))) {
    refuse_feature(gettext("models in leaves"))
  }
  children <- parts[kinds == "Node"]
  if (!length(children)) return(add_pmml_leaf(node, tree, make))
  chain <- list(node = node, children = children, tests = lapply(children, pmml_predicate_of,
                                                                 fields, make))
  chain$default <- if (tree$strategy == "defaultChild") {
    match(xml2::xml_attr(node, "defaultChild"), xml2::xml_attr(children, "id"), incomparables = NA)
  }
  add_pmml_target(pmml_next(chain, 1L), chain, tree, fields, make)
}

# Where the chain goes on from test k, of which those that are known to be false are passed over: a
# child (positive), test k (negative), 0: no test is true.
pmml_next <- function(chain, k, is_false = function(test) FALSE) {
  while (k <= length(chain$tests)) {
    test <- chain$tests[[k]]
    if (test$kind == "true") return(k)
    if (test$kind != "false" && !is_false(test)) return(-k)
    k <- k + 1L
  }
  0L
}

# A row for what pmml_next() says.
add_pmml_target <- function(target, chain, tree, fields, make) {
  if (target > 0L) return(add_pmml_node(chain$children[[target]], tree, fields, make))
  if (target == 0L) return(add_pmml_leaf(chain$node, tree, make))
  add_pmml_test(-target, chain, tree, fields, make)
}

# Where rows go for which test k is false, and where its field is missing; NULL: they have no
# prediction.
pmml_other_ways <- function(k, chain, tree, make) {
  test <- chain$tests[[k]]
  none <- function(target) if (target != 0L || tree$keeps) target
  same <- function(other) other$kind != "missing" && other$feature == test$feature
  missing <- switch(
    if (test$kind == "missing") "known" else tree$strategy,
    known = 0L, none = none(pmml_next(chain, k + 1L, same)), lastPrediction = 0L,
    defaultChild = if (!is.na(chain$default)) chain$default)
  opposite <- k < length(chain$tests) &&
    is_pmml_opposite(test, chain$tests[[k + 1L]], tree$keeps, make)
  list(no = if (opposite) k + 1L else none(pmml_next(chain, k + 1L)), missing = missing)
}

# Whether a row for which a test is false, and whose field is known, meets the other test.
is_pmml_opposite <- function(test, other, keeps, make) {
  if (test$kind != other$kind || !test$kind %in% c("number", "set", "missing")) return(FALSE)
  if (test$feature != other$feature) return(FALSE)
  if (test$kind != "set") {
    return(identical(test$value, other$value) && test$turned != other$turned)
  }
  if (!identical(test$left, !other$left)) return(FALSE)
  if (test$beyond == other$beyond) {
    if (keeps) return(FALSE)
    make$closed <- TRUE # levels that neither knows have no prediction
  }
  TRUE
}

add_pmml_test <- function(k, chain, tree, fields, make) {
  test <- chain$tests[[k]]
  ways <- pmml_other_ways(k, chain, tree, make)
  if (is.null(ways$no)) {
    refuse_feature(gettextf("a node where no test may be true, by the field '%s'",
                            fields$names[test$feature]))
  }
  split <- function(test, yes, no, missing_yes) {
    turned <- isTRUE(test$turned)
    add_pmml_split(test, missing_yes != turned, tree, make,
                   if (turned) no else yes, if (turned) yes else no)
  }
  way <- function(target) function() add_pmml_target(target, chain, tree, fields, make)
  if (test$kind == "missing") return(split(test, way(k), way(ways$no), !test$turned))
  if (is.null(ways$missing)) make$complete_for <- c(make$complete_for, test$feature)
  to <- if (is.null(ways$missing)) ways$no else ways$missing
  if (to %in% c(k, ways$no)) return(split(test, way(k), way(ways$no), to == k))
  is_missing <- list(kind = "missing", feature = test$feature, turned = FALSE)
  split(is_missing, way(to), function() split(test, way(k), way(ways$no), FALSE), TRUE)
}

# Missing values alone are below -Inf.
add_pmml_split <- function(test, missing_left, tree, make, left, right) {
  given <- c(feature = test$feature, missing_left = missing_left)
  if (test$kind == "set") {
    make$sets$beyond <- c(make$sets$beyond, test$beyond)
    given[["set"]] <- add_set(make$sets, test$left)
  } else {
    given[["threshold"]] <- if (test$kind == "missing") -Inf else test$value
  }
  at <- add_pmml_row(tree, given, numeric(pmml_width(make)))
  tree$rows[[at]][["left"]] <- left()
  tree$rows[[at]][["right"]] <- right()
  at
}

# ---- tests ---------------------------------------------------------------------------------------

# list(kind): "true", "false"; "number": feature, value, turned (true for those not below); "set":
# feature, left (by level, whether it is true), beyond (for others); "missing": feature, turned.
# Numbers up to a threshold are those below the next.
pmml_predicate_of <- function(node, fields, make) {
  kinds <- c("True", "False", "SimplePredicate", "SimpleSetPredicate", "CompoundPredicate")
  parts <- pmml_children(node)
  parts <- parts[xml2::xml_name(parts) %in% kinds]
  if (length(parts) != 1L) refuse_document(gettext("a node has not one test"))
  pmml_test(parts[[1]], fields, make)
}

pmml_test <- function(element, fields, make) {
  switch(xml2::xml_name(element),
         True = list(kind = "true"), False = list(kind = "false"),
         SimplePredicate = pmml_simple(element, fields, make),
         SimpleSetPredicate = pmml_in(element, fields),
         CompoundPredicate = pmml_compound(element, fields, make))
}

pmml_feature <- function(element, fields) {
  name <- pmml_attribute(element, "field")
  feature <- match(name, fields$names)
  if (is.na(feature)) refuse_feature(gettextf("the field '%s', which it derives from others", name))
  feature
}

pmml_simple <- function(element, fields, make) {
  feature <- pmml_feature(element, fields)
  operator <- pmml_attribute(element, "operator")
  if (operator %in% c("isMissing", "isNotMissing")) {
    return(list(kind = "missing", feature = feature, turned = operator == "isNotMissing"))
  }
  value <- pmml_attribute(element, "value")
  type <- fields$type[feature]
  equal <- operator %in% c("equal", "notEqual")
  if (type == "string" && equal) {
    is <- fields$levels[[feature]] == value
    return(list(kind = "set", feature = feature, beyond = operator == "notEqual",
                left = if (operator == "equal") is else !is))
  }
  if (type == "boolean" && equal && value %in% c("true", "false")) {
    return(list(kind = "number", feature = feature, value = 0.5,
                turned = (value == "true") == (operator == "equal")))
  }
  below <- c("lessThan", "greaterOrEqual", "lessOrEqual", "greaterThan")
  if (!operator %in% below || type %in% c("string", "boolean")) {
    refuse_feature(gettextf("tests '%s' of a field of the type '%s'", operator, type))
  }
  value <- pmml_number(value)
  single <- make$number == "float"
  if (single) value <- floats(value)
  if (operator %in% below[3:4]) value <- if (single) next_float(value) else next_double(value)
  list(kind = "number", feature = feature, value = value, turned = startsWith(operator, "greater"))
}

# The next number: as integers, doubles of one sign are in order.
next_double <- function(x) {
  bits <- readBin(writeBin(x + 0, raw(), endian = "little"), "integer", 4L, 2L, FALSE, "little")
  if (x == 0) return(2^-1074)
  step <- if (x > 0) 1 else -1
  for (i in 1:4) {
    bits[i] <- bits[i] + step
    carried <- bits[i] %/% 65536
    bits[i] <- bits[i] %% 65536
    if (carried == 0) break
    step <- carried
  }
  bits <- as.integer(ifelse(bits > 32767, bits - 65536, bits))
  readBin(writeBin(bits, raw(), 2L, "little"), "double", 1L, endian = "little")
}

pmml_in <- function(element, fields) {
  feature <- pmml_feature(element, fields)
  operator <- pmml_attribute(element, "booleanOperator")
  if (fields$type[feature] != "string" || !operator %in% c("isIn", "isNotIn")) {
    refuse_feature(gettextf("sets of a field of the type '%s'", fields$type[feature]))
  }
  inside <- fields$levels[[feature]] %in% pmml_array(element)
  list(kind = "set", feature = feature, beyond = operator == "isNotIn",
       left = if (operator == "isIn") inside else !inside)
}

# A compound of tests for levels of one field, as write_pmml() writes them.
pmml_compound <- function(element, fields, make) {
  operator <- pmml_attribute(element, "booleanOperator")
  tests <- lapply(pmml_children(element), pmml_test, fields, make)
  sets <- length(tests) > 0 && all(vapply(tests, function(test) test$kind == "set", NA)) &&
    length(unique(lapply(tests, `[[`, "feature"))) == 1L
  if (!sets || !operator %in% c("or", "and")) {
    refuse_feature(gettextf("tests joined by '%s' (surrogate splits, or several fields)", operator))
  }
  join <- if (operator == "or") `|` else `&`
  list(kind = "set", feature = tests[[1]]$feature, left = Reduce(join, lapply(tests, `[[`, "left")),
       beyond = Reduce(join, lapply(tests, `[[`, "beyond")))
}
