read_pmml <- function(fit) {
  file <- tempfile(fileext = ".pmml")
  on.exit(unlink(file))
  expect_identical(write_pmml(fit, file), file)
  xml2::xml_ns_strip(xml2::read_xml(file))
}

# A reader of PMML's trees after the text of the standard, as far as these documents go.
pmml_node <- function(node) {
  parts <- xml2::xml_children(node)
  kind <- xml2::xml_name(parts)
  counts <- as.numeric(xml2::xml_attr(parts[kind == "ScoreDistribution"], "recordCount"))
  c(as.list(xml2::xml_attrs(node)),
    list(predicate = pmml_predicate_of(parts[[1]]), prob = counts / sum(counts),
         model = xml2::xml_find_first(node, "./Regression/RegressionTable"),
         children = lapply(parts[kind == "Node"], pmml_node)))
}

pmml_predicate_of <- function(predicate) {
  c(list(kind = xml2::xml_name(predicate),
         parts = lapply(xml2::xml_children(predicate), pmml_predicate_of)),
    as.list(xml2::xml_attrs(predicate)))
}

# TRUE, FALSE or, where it is unknown, NA.
pmml_holds <- function(predicate, row) {
  if (predicate$kind == "True") return(TRUE)
  if (predicate$kind == "CompoundPredicate") {
    parts <- vapply(predicate$parts, pmml_holds, NA, row)
    return(if (predicate$booleanOperator == "or") any(parts) else all(parts))
  }
  value <- row[[predicate$field]]
  if (is.logical(value)) value <- tolower(value)
  switch(predicate$operator,
    isMissing = is.na(value), isNotMissing = !is.na(value),
    equal = value == predicate$value, notEqual = value != predicate$value,
    lessThan = value < as.numeric(predicate$value),
         greaterOrEqual = value >= as.numeric(predicate$value))
}

# Children are tried in order; the default child is taken where the first answer is unknown.
pmml_leaf <- function(node, row) {
  while (length(node$children)) {
    holds <- vapply(node$children, function(child) pmml_holds(child$predicate, row), NA)
    first <- which(is.na(holds) | holds)[1]
    if (is.na(holds[first])) {
      first <- match(node$defaultChild, vapply(node$children, `[[`, "", "id"))
    }
    node <- node$children[[first]]
  }
  node
}

as_pmml_row <- function(row) {
  lapply(row,
         function(x) if (is.factor(x)) as.character(x) else if (is.object(x)) as.numeric(x) else x)
}

# What the linear model of a leaf says of a row, with the derived fields of the document.
pmml_number <- function(leaf, row, document) {
  for (field in xml2::xml_find_all(document, "//DerivedField")) {
    row[[xml2::xml_attr(field, "name")]] <- pmml_apply(xml2::xml_child(field), row)
  }
  value <- as.numeric(xml2::xml_attr(leaf$model, "intercept"))
  for (term in xml2::xml_children(leaf$model)) {
    x <- row[[xml2::xml_attr(term, "name")]]
    if (xml2::xml_name(term) == "CategoricalPredictor") {
      if (is.logical(x)) x <- tolower(x)
      x <- as.numeric(x %in% xml2::xml_attr(term, "value")) # 0 where it is missing
    }
    value <- value + x * as.numeric(xml2::xml_attr(term, "coefficient"))
  }
  value
}

# The functions that these documents use.
pmml_apply <- function(node, row) {
  part <- function(k) pmml_apply(xml2::xml_child(node, k), row)
  switch(xml2::xml_name(node), Constant = as.numeric(xml2::xml_text(node)),
         FieldRef = row[[xml2::xml_attr(node, "field")]],
         Apply = switch(xml2::xml_attr(node, "function"), isMissing = is.na(part(1)),
                        "if" = if (part(1)) part(2) else part(3)))
}
