# write_pmml(): a tree as PMML, an exchange format of data mining tools.

#' Write models as PMML, ONNX or XGBoost files
#'
#' `write_pmml()` writes a tree to a file as a `TreeModel` of PMML 4.4, the Predictive Model Markup
#' Language, which scoring engines and databases read. `write_onnx()` writes an ONNX graph with a
#' tree ensemble of `ai.onnx.ml`, for ONNX Runtime and other software. `write_xgboost()` writes the
#' JSON format of XGBoost 3.
#'
#' @section PMML:
#' Engines that follow the standard return the same predictions as [predict.contree()].
#'
#' Numeric, integer and time-difference predictors become continuous fields of type double, logical
#' ones boolean fields, factors and ordered factors categorical fields of strings; dates and times
#' are continuous fields of days or seconds since 1970. A missing value goes to the default child of
#' a node (`missingValueStrategy="defaultChild"`). The levels of factors are not listed, so a level
#' that did not occur in training is valid and goes where `predict()` sends it. A predictor that the
#' formula computes, as in `y ~ log(x)`, is a field of that name.
#'
#' The linear model of a leaf is a `Regression` in its node. Factors are `CategoricalPredictor`
#' elements; a number that may be missing has two derived fields, its value and whether it is
#' missing.
#'
#' @param fit For `write_pmml()` a fit of [contree()], [gmt()] or [policy_tree()], which is written
#'   as a tree of classes, the actions. For the others a result of [import_forest()] or [forge()],
#'   or anything that they can read, such as a fit of [hist_forest()].
#' @param file Path of the file to write, a string, or a connection, which `write_onnx()` needs in
#'   binary mode.
#' @param ... Not used; anything given here is an error.
#' @return `file`, invisibly.
#' @references Data Mining Group, *PMML 4.4*, <https://dmg.org/pmml/v4-4-1/TreeModel.html>
#'
#'   ONNX, operators of `ai.onnx.ml`, <https://onnx.ai/onnx/operators/>
#' @seealso [import_forest()], [as_sql()], [as_c()], [as_json()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' file <- file.path(tempdir(), "tree.pmml")
#' write_pmml(fit, file)
#' cat(readLines(file), sep = "\n")
#' @export
write_pmml <- function(fit, file, ...) UseMethod("write_pmml")

#' @rdname write_pmml
#' @export
write_pmml.contree_model <- function(fit, file, ...) {
  check_no_dots(...)
  check_fit(fit)
  if (tree_leaf(fit) == "numbers") {
    stop_unsupported("fit", gettext(
      "a TreeModel of PMML predicts one class or number, but this tree predicts several numbers"))
  }
  text <- enc2utf8(c("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", pmml_document(fit)))
  write_content(text, file)
}

#' @export
write_pmml.default <- function(fit, file, ...) check_fit(fit)

# Lines or bytes, to a path or a connection.
write_content <- function(content, file) {
  force(content)
  if (inherits(file, "connection")) {
    if (is.raw(content)) writeBin(content, file) else writeLines(content, file, useBytes = TRUE)
  } else if (is.character(file) && length(file) == 1 && !is.na(file)) {
    write_file(if (is.raw(content)) content else charToRaw(paste0(content, "\n", collapse = "")),
               file)
  } else {
    stop_input("file", gettextf("'file' must be the path of a file or a connection, not %s",
                                show_value(file)))
  }
  invisible(file)
}

# R says nothing of what the disk did not take when a file is closed, so the size is looked at, but
# for devices and pipes, which have none. A file that was not there before is removed if it is not
# written to its end.
write_file <- function(bytes, path) {
  new <- !file.exists(path)
  before <- file.size(path)
  problem <- tryCatch({
    to <- file(path, "wb")
    tryCatch(writeBin(bytes, to), finally = close(to))
    NULL
  }, error = conditionMessage, warning = conditionMessage)
  has_size <- new || before > 0 || file.size(path) > 0
  if (is.null(problem) && has_size && file.size(path) != length(bytes)) {
    problem <- gettext("the disk may be full")
  }
  if (is.null(problem)) return(invisible())
  if (new) unlink(path)
  stop_input("file", gettextf("'file' (%s) cannot be written completely: %s", path, problem))
}

pmml_document <- function(fit) {
  inputs <- used_predictors(fit)
  target <- response_name(fit, inputs)
  kind <- if (predicts_classes(fit)) "Classification tree" else "Regression tree"
  header <- xml_tag("Header", c(description = kind), xml_tag("Application", c(
    name = "contree", version = as.character(utils::packageVersion("contree")))))
  xml_tag("PMML", c(xmlns = "http://www.dmg.org/PMML-4_4", version = "4.4"), c(
    header, pmml_dictionary(fit, inputs, target), pmml_transformations(fit),
    pmml_model(fit, inputs, target)))
}

# The name of the response; a fit from x and y has none, and "y" may be a predictor.
response_name <- function(fit, inputs) {
  terms <- tree_terms(fit)
  name <- if (is.null(terms)) "y" else variable_label(attr(terms, "variables")[[2]])
  utils::tail(make.unique(c(inputs, name)), 1)
}

# ---- fields --------------------------------------------------------------------------------------

pmml_dictionary <- function(fit, inputs, target) {
  # levels are not listed: engines hold all others for invalid or missing then
  response <- if (predicts_classes(fit)) "factor" else "numeric"
  fields <- c(Map(pmml_field, inputs, tree_types(fit)[inputs]),
              list(pmml_field(target, response, tree_classes(fit))))
  xml_tag("DataDictionary", c(numberOfFields = length(fields)), unlist(fields))
}

pmml_field <- function(name, type, values = NULL) {
  kind <- switch(type,
    logical = c("categorical", "boolean"),
    factor = , character = , ordered = c("categorical", "string"),
    # engines differ on how the values of date types are written
    c("continuous", "double"))
  xml_tag("DataField", c(name = name, optype = kind[1], dataType = kind[2]),
          unlist(lapply(values, function(value) xml_tag("Value", c(value = value)))))
}

pmml_model <- function(fit, inputs, target) {
  fields <- c(xml_tag("MiningField", c(name = target, usageType = "target")),
              unlist(lapply(inputs,
                            function(name) xml_tag("MiningField",
                                                   c(name = name, usageType = "active")))))
  purpose <- if (predicts_classes(fit)) "classification" else "regression"
  xml_tag("TreeModel", c(functionName = purpose, algorithmName = "contree",
                         missingValueStrategy = "defaultChild",
                         splitCharacteristic = "binarySplit"),
          c(xml_tag("MiningSchema", NULL, fields), pmml_output(fit, c(inputs, target)),
            pmml_nodes(fit)))
}

# What an engine returns: the class and the proportions of the classes, under names that no field
# has.
pmml_output <- function(fit, fields) {
  classes <- tree_classes(fit)
  names <- c("predicted", if (length(classes)) sprintf("probability(%s)", classes))
  names <- make.unique(c(fields, names))[-seq_along(fields)]
  type <- if (length(classes)) c("categorical", "string") else c("continuous", "double")
  xml_tag("Output", NULL, c(
    xml_tag("OutputField", c(name = names[1], optype = type[1], dataType = type[2],
                             feature = "predictedValue")),
    unlist(Map(function(name, class) {
      xml_tag("OutputField", c(name = name, optype = "continuous", dataType = "double",
                               feature = "probability",
                               value = class))
    }, names[-1], classes))))
}

# ---- nodes ---------------------------------------------------------------------------------------

pmml_nodes <- function(fit) {
  ids <- node_ids(fit)
  n <- node_n(fit)
  score <- switch(tree_leaf(fit), classes = as.character(node_class(fit)),
                  number = exact_number(fit$frame$yval))
  said <- pmml_leaves(fit)
  predicates <- pmml_predicates(fit)
  questions <- node_questions(fit)
  node_tag <- function(node, children, default = NULL) {
    xml_tag("Node", c(id = ids[node], score = score[node], recordCount = n[node],
                      defaultChild = default),
            c(predicates[[node]], said(node), children))
  }
  fold_tree(fit, function(node) node_tag(node, NULL), function(node, left, right) {
    node_tag(node, c(left, right), 2L * ids[node] + !questions[[node]]$missing_left)
  })
}

# A function that gives what stands in a node beside its score: the classes, or in leaves the linear
# model.
pmml_leaves <- function(fit) {
  if (tree_leaf(fit) == "linear") {
    return(function(node) if (node_is_leaf(fit)[node]) pmml_regression(fit, node))
  }
  if (!predicts_classes(fit)) return(function(node) NULL)
  counts <- node_counts(fit)
  function(node) unlist(Map(function(class, count) {
    xml_tag("ScoreDistribution", c(value = class, recordCount = exact_number(count)))
  }, tree_classes(fit), counts[node, ]))
}

# A categorical predictor that is missing, or has a level that is not listed, adds nothing: so what
# "other" adds is part of the intercept.
pmml_regression <- function(fit, node) {
  terms <- model_terms(fit)
  full <- full_coefficients(fit)[node, ]
  known <- node_coefficients(fit)[node, ]
  other <- other_terms(terms)
  of_factor <- terms$predictor %in% terms$predictor[terms$kind == "level"]
  intercept <- fit$frame$yval[node] + sum(full[of_factor & terms$kind == "other"])
  shift <- ifelse(terms$kind == "level", full - full[other], full)
  used <- which(!(is.na(known) | shift == 0 | of_factor & terms$kind == "other"))
  tag <- function(k) {
    name <- terms$predictor[k]
    number <- exact_number(shift[k])
    category <- if (terms$kind[k] == "level") terms$level[k]
                else if (tree_types(fit)[[name]] == "logical" && is.na(other[k])) "true"
    if (!is.null(category)) {
      return(xml_tag("CategoricalPredictor", c(name = name, value = category,
                                               coefficient = number)))
    }
    if (!is.na(other[k])) name <- pmml_derived(fit)[[name]][[terms$kind[k]]]
    xml_tag("NumericPredictor", c(name = name, coefficient = number))
  }
  # numeric predictors stand before categorical ones
  tags <- vapply(used, tag, "")
  xml_tag("Regression", c(functionName = "regression"),
          xml_tag("RegressionTable", c(intercept = exact_number(intercept)),
                  tags[order(startsWith(tags, "<Categorical"))]))
}

# Of each number that may be missing, names of two fields: the number, 0 where it is missing, and
# whether it is.
pmml_derived <- function(fit) {
  if (tree_leaf(fit) != "linear") return(list())
  terms <- model_terms(fit)
  both <- intersect(terms$predictor[terms$kind == "number"],
                    terms$predictor[terms$kind == "other"])
  inputs <- used_predictors(fit)
  both <- intersect(both, inputs)
  taken <- c(inputs, response_name(fit, inputs))
  names <- make.unique(c(taken, paste0(both, ".known", recycle0 = TRUE),
                         paste0(both, ".missing", recycle0 = TRUE)))[-seq_along(taken)]
  stats::setNames(lapply(seq_along(both), function(k) {
    c(number = names[k], other = names[length(both) + k])
  }), both)
}

pmml_transformations <- function(fit) {
  derived <- pmml_derived(fit)
  if (length(derived) == 0) return(NULL)
  apply_tag <- function(name, missing, known) {
    xml_tag("Apply", c("function" = "if"), c(
      xml_tag("Apply", c("function" = "isMissing"), xml_tag("FieldRef", c(field = name))),
      missing, known))
  }
  constant <- function(x) sprintf("<Constant dataType=\"double\">%d</Constant>", x)
  field <- function(name, of) {
    xml_tag("DerivedField", c(name = name, optype = "continuous", dataType = "double"), of)
  }
  xml_tag("TransformationDictionary", NULL, unlist(Map(function(names, name) {
    value <- xml_tag("FieldRef", c(field = name))
    if (tree_types(fit)[[name]] == "logical") {
      value <- xml_tag("Apply", c("function" = "if"), c(value, constant(1), constant(0)))
    }
    c(field(names[["number"]], apply_tag(name, constant(0), value)),
      field(names[["other"]], apply_tag(name, constant(1), constant(0))))
  }, derived, names(derived))))
}

# The condition under which a row comes from the parent to each node: its question, or the opposite.
pmml_predicates <- function(fit) {
  parent <- node_parent(fit)
  questions <- node_questions(fit)
  lapply(seq_along(parent), function(node) {
    if (parent[node] == 0) return(xml_tag("True"))
    question <- questions[[parent[node]]]
    is_left <- node_ids(fit)[node] %% 2L == 0L
    pmml_predicate(question, yes = is_left == question$yes_left)
  })
}

# Levels are compared one by one: how quotes and backslashes are written within the arrays of PMML
# is not settled.
pmml_predicate <- function(question, yes) {
  name <- question$variable
  simple <- function(operator, value = NULL) xml_tag("SimplePredicate",
                                                     c(field = name, operator = operator,
                                                       value = value))
  if (question$kind == "known") return(simple(if (yes) "isNotMissing" else "isMissing"))
  if (question$kind == "less") {
    if (question$type == "logical") return(simple("equal", if (yes) "false" else "true"))
    return(simple(if (yes) "lessThan" else "greaterOrEqual", exact_number(question$threshold)))
  }
  each <- unlist(lapply(question$levels,
                        function(level) simple(if (yes) "equal" else "notEqual", level)))
  if (length(each) == 1) return(each)
  xml_tag("CompoundPredicate", c(booleanOperator = if (yes) "or" else "and"), each)
}

# ---- XML -----------------------------------------------------------------------------------------

# An element as lines: its attributes by name, and the lines of its children.
xml_tag <- function(name, attributes = NULL, children = NULL) {
  pairs <- if (length(attributes)) paste0(names(attributes), "=\"", xml_escape(attributes), "\"")
  head <- paste(c(name, pairs), collapse = " ")
  if (length(children) == 0) return(paste0("<", head, "/>"))
  c(paste0("<", head, ">"), indent(children), paste0("</", name, ">"))
}

not_in_xml <- c(1:8, 11:12, 14:31, 0xfffe, 0xffff)

# Blanks other than spaces would be read as spaces; most control characters cannot be written at
# all.
xml_escape <- function(text) {
  text <- enc2utf8(as.character(text))
  if (any(bad <- vapply(text, function(t) any(utf8ToInt(t) %in% not_in_xml), NA))) {
    stop_input("fit", gettextf(
      "%s contains a control character, which XML does not allow; rename the column or the level",
      encodeString(text[bad][1], quote = "'")))
  }
  special <- c("&" = "&amp;", "<" = "&lt;", ">" = "&gt;", "\"" = "&quot;", "\t" = "&#9;",
               "\n" = "&#10;", "\r" = "&#13;")
  for (mark in names(special)) text <- gsub(mark, special[[mark]], text, fixed = TRUE)
  text
}
