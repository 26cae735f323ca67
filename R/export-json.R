# as_json(): a tree as a document that other programs can read. export-json-read.R reads it again.

#' Convert a tree to JSON and back, or to a Graphviz graph
#'
#' `as_json()` converts the tree to a JSON document; `contree_from_json()` converts it back, in the
#' same or another session, to a fit that predicts the same on every row. The document contains no R
#' code, and names in it are never evaluated. These two functions need the package `jsonlite`.
#'
#' @order 1
#' @section The document:
#' It is an object with these members:
#'
#' * `format`: `"contree"`; `format_version`: 3. Documents of other versions are refused.
#' * `leaf`: what nodes predict: `"classes"`, `"number"`, `"numbers"` or `"linear"` (a linear
#'   model).
#' * `response`: name of the response, or null if the fit has none.
#' * `classes`: array of the names of the classes; or, if `leaf` is `"numbers"`, `outputs`: array of
#'   the names of the numbers.
#' * `predictors`: array of objects with `name`, `type` (`"numeric"`, `"integer"`, `"logical"`,
#'   `"Date"`, `"POSIXct"`, `"difftime"`, `"ordered"`, `"factor"` or `"character"`); `levels` (array
#'   of strings) for the last three types; `unit` for POSIXct (time zone) and difftime (unit).
#' * `settings`: object with `depth`, `complexity`, `max_gap`, `max_thresholds` and `time_limit`,
#'   see [contree_control()]; `objective`, `cost`, `bound`, `status`, `capped`, `restricted`: what
#'   was proven, see [contree.object]. Where they apply, `weighted` (true), `loss` (array of arrays,
#'   one for each true class, of one number for each predicted class) and `counted` (object with
#'   `unit` and the arrays `nodes` and, where it is there, `rest`), and `max_leaves` among the
#'   settings. Trees without a proof have none of these members.
#' * `policy`: of a policy tree, whose `outputs` are the actions and whose `values` their mean
#'   rewards: object with `settings` as above, `value`, `bound`, `gap`, `complexity`, `status`,
#'   `rounding`, see [policy_tree()], and `restricted`.
#' * `nodes`: array of the nodes in preorder, objects with `id` (the root is 1, the children of k
#'   are 2k and 2k + 1), `class` (what the node predicts), `n` (training rows), `counts` (of each
#'   class; with weights, sums of weights), `errors` (the cost of the node if it were a leaf) and,
#'   unless it is a leaf, `split`. If `leaf` is not `"classes"`, then `weight` (sum of the weights
#'   of its rows) and `value` (a number), `values` (an array of numbers) or `intercept` and
#'   `coefficients` (an object with a number for each predictor of the model) take the place of
#'   `class` and `counts`. Instead of a number, a factor has an object of `levels` (what each level
#'   among the rows of the node adds to the prediction) and `other` (what any other value adds), and
#'   a number that may be missing has an object of `value` (the coefficient) and `missing` (what a
#'   missing value adds). A node of a policy tree also has its `action` (a name) and `std_error`
#'   (the standard error of the mean reward of the action, null for a single row). A leaf with a
#'   linear model also has its limits: `lowest` and `highest`, which predictions do not pass, and
#'   `terms`, an array of what is added to the intercept, one after the other. A term is an object
#'   with `predictor` and `slope`, a number by which the value is multiplied: that of the predictor
#'   within `low` and `high` or, of a factor, the one of `levels` (an array with a number for each
#'   level); for missing and unknown values `other`.
#'
#' A `split` is an object with `variable` (name of a predictor), `missing` (`"left"` or `"right"`:
#' where missing values go), `missing_rows` (number of training rows of the node whose value is
#' missing) and either `threshold` or `left` and `right`. Values less than the `threshold` go left:
#' it is a number, or the string `"Infinity"` if all values go left and missing ones right, or
#' `"-Infinity"` if they go right and missing ones left. For an ordered factor it refers to the
#' indices of the levels, starting at 1, and a value that is not a level counts as missing; dates
#' are days and times seconds since 1970; logical values are 0 and 1. `left` and `right` are the
#' levels (arrays of strings) that go to either side; any other level goes to the child with more
#' training rows, or left if both have equally many. A fit of [contree()] to a numeric response also
#' has `saved`, what the split takes off the squared errors of its node.
#'
#' Numbers have as many digits as are needed to read back the same double, at most 17.
#'
#' What is read back of a fit of [gmt()] predicts what that predicts without an offset, within the
#' same limits.
#'
#' A predictor that the formula computes, as in `y ~ log(x)`, is a column named `log(x)` for the fit
#' that `contree_from_json()` returns: `newdata` must have that column. This fit has no training
#' rows, so [predict()][predict.contree] needs `newdata`, `fitted()` and `residuals()` have nothing
#' to return, and `update()` cannot refit it.
#'
#' @param fit A fit of [contree()], [policy_tree()] or [gmt()]. For `as_dot()`, of [contree()] or
#'   [gmt()].
#' @param x The document: a string, or a character vector of its lines.
#' @param ... Not used; anything given here is an error.
#' @return `as_json()`, `as_dot()`: a string of class `contree_code`, which prints as the contents
#'   of a file; write it with [writeLines()]. `contree_from_json()`: a fit, see [contree.object].
#' @section Errors:
#' `contree_from_json()` accepts only documents as described above: missing or unknown members,
#' wrong types, nodes that do not form a tree, unknown names and counts that do not add up are a
#' `contree_input_error` that names the place.
#' @seealso [as_sql()], [as_c()], [write_pmml()], [plot.contree()]
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' fit <- contree(Species ~ ., iris, depth = 2)
#' text <- as_json(fit)
#' text
#' again <- contree_from_json(text)
#' identical(predict(again, iris), predict(fit, iris))
#' @export
as_json <- function(fit, ...) UseMethod("as_json")

#' @rdname as_json
#' @export
as_json.contree_model <- function(fit, ...) {
  check_no_dots(...)
  check_fit(fit)
  need_package("jsonlite", "as_json()")
  terms <- tree_terms(fit)
  members <- c(
    list(format = "contree", format_version = json_version, leaf = tree_leaf(fit)),
    if (has_proof(fit)) json_proof(fit),
    if (is_policy(fit)) list(policy = json_policy(fit)),
    list(response = if (is.null(terms)) NA else response_name(fit, character())),
    switch(tree_leaf(fit), classes = list(classes = I(tree_classes(fit))),
           numbers = list(outputs = I(colnames(node_values(fit))))),
    list(predictors = json_predictors(fit), nodes = json_nodes(fit)))
  new_code(paste(collapse = "\n", c("{",
                                    indent(paste0("\"", names(members), "\": ",
                                                  lapply(members, json_member),
                                                       rep(c(",", ""), c(length(members) - 1, 1)))),
                                                       "}")))
}

#' @export
as_json.default <- function(fit, ...) check_fit(fit)

json_version <- 3L

# One member of the document: an array of objects has a line for each of them.
json_member <- function(value) {
  if (!is.list(value) || !is.null(names(value))) return(json_text(value))
  paste0("[\n", paste0("    ", vapply(value, json_text, ""), collapse = ",\n"), "\n  ]")
}

json_text <- function(value) {
  enc2utf8(as.character(jsonlite::toJSON(value, auto_unbox = TRUE, na = "null",
                                         json_verbatim = TRUE)))
}

json_predictors <- function(fit) {
  xlevels <- tree_xlevels(fit)
  units <- as.list(tree_units(fit))
  unname(Map(function(name, type) {
    c(list(name = name, type = type), if (type %in% level_types) list(levels = I(xlevels[[name]])),
      if (!is.null(units[[name]])) list(unit = units[[name]]))
  }, tree_shape(fit)$names, tree_types(fit)[tree_shape(fit)$names]))
}

json_asked <- function(fit) {
  kept <- c(kept_in_json, if (has_few_leaves(fit)) "max_leaves")
  lapply(tree_settings(fit)[kept], json_number)
}

json_policy <- function(fit) {
  c(list(settings = json_asked(fit)), lapply(fit$policy[policy_amounts], json_number),
    list(status = fit$policy$status, restricted = I(as.character(tree_restricted(fit)))))
}

policy_amounts <- c("value", "bound", "gap", "complexity", "rounding")

json_proof <- function(fit) {
  proof <- tree_proof(fit)
  c(list(settings = json_asked(fit)), lapply(proof[c("objective", "cost", "bound")], json_number),
    list(status = proof$status, capped = isTRUE(proof$capped),
         restricted = I(as.character(tree_restricted(fit)))),
    if (tree_weighted(fit)) list(weighted = TRUE),
    if (costs_differ(fit) && !is.null(tree_counted(fit))) list(counted = json_counted(fit)),
    if (!is.null(tree_loss(fit))) list(loss = json_loss(tree_loss(fit))))
}

json_counted <- function(fit) {
  counted <- tree_counted(fit)
  c(list(unit = json_number(counted$unit)), lapply(counted[names(counted) != "unit"], json_numbers))
}

# A line a true class, one number for each predicted class.
json_loss <- function(loss) lapply(seq_len(nrow(loss)),
                                   function(i) I(lapply(unname(loss[i, ]), json_number)))

# The settings that say what was asked for, all numbers.
kept_in_json <- c("depth", "complexity", "max_gap", "max_thresholds", "time_limit")

json_nodes <- function(fit) {
  squares <- has_proof(fit) && tree_leaf(fit) == "number"
  threshold <- node_threshold(fit)
  levels <- node_levels(fit)
  missing <- node_missing(fit)
  leaf <- json_leaves(fit)
  side <- ifelse(node_default_left(fit), "left", "right")
  lapply(seq_along(threshold), function(node) {
    split <- if (!node_is_leaf(fit)[node]) {
      c(list(variable = node_variable(fit)[node]),
        if (is.null(levels[[node]])) list(threshold = json_number(threshold[node])),
        lapply(levels[[node]][c("left", "right")], I)[!is.null(levels[[node]])],
        list(missing = side[node], missing_rows = json_number(missing[node])),
        if (squares) list(saved = json_number(node_saved(fit)[node])))
    }
    c(list(id = node_ids(fit)[node], n = node_n(fit)[node]), leaf(node),
      list(errors = json_number(node_errors(fit)[node])), if (!is.null(split)) list(split = split))
  })
}

# A function that gives what a node predicts.
json_leaves <- function(fit) {
  if (predicts_classes(fit)) {
    class <- as.character(node_class(fit))
    counts <- node_counts(fit)
    return(function(node) list(class = class[node], counts = json_numbers(counts[node, ])))
  }
  values <- node_values(fit)
  say <- switch(
    tree_leaf(fit),
    number = function(node) list(value = json_number(values[node, 1])),
    numbers = function(node) list(values = json_numbers(values[node, ])),
    linear = function(node) {
      list(intercept = json_number(values[node, 1]), coefficients = json_coefficients(fit, node))
    })
  ends <- if (tree_leaf(fit) == "linear") response_range(fit, FALSE)
  function(node) {
    c(list(weight = json_number(node_weight(fit)[node])), say(node),
      if (!is.null(ends) && node_is_leaf(fit)[node]) json_limits(fit, node, ends),
      if (is_policy(fit)) json_action(fit, node))
  }
}

json_action <- function(fit, node) {
  error <- fit$policy$std.error[node]
  list(action = node_action(fit)[node], std_error = if (is.na(error)) NA else json_number(error))
}

# By predictor, those that the model does not use left out: a number or, where the predictor is a
# factor or may be missing, an object.
json_coefficients <- function(fit, node) {
  b <- node_coefficients(fit)[node, ]
  terms <- model_terms(fit)
  used <- unique(terms$predictor[!b %in% c(0, NA)])
  stats::setNames(lapply(used, function(name) {
    of <- function(kind) which(terms$predictor == name & terms$kind == kind)
    levels <- Filter(function(k) !is.na(b[k]), of("level"))
    if (length(levels)) {
      known <- stats::setNames(lapply(b[levels], json_number), terms$level[levels])
      return(list(levels = known, other = json_number(b[of("other")])))
    }
    slope <- json_number(b[of("number")])
    if (length(of("other"))) list(value = slope, missing = json_number(b[of("other")])) else slope
  }), used)
}

# The limits of a leaf's model, see linear_tree().
json_limits <- function(fit, node, ends) {
  list(lowest = json_number(ends$low[node]), highest = json_number(ends$high[node]),
       terms = I(lapply(unname(limited_model(node, fit)), function(term) {
         levels <- term$codes[-1] # the first is of unknown levels
         c(list(predictor = term$predictor, slope = json_number(term$slope)),
           if (!is.na(term$other)) list(other = json_number(term$other)),
           if (length(levels)) list(levels = json_numbers(levels)) else
             list(low = json_number(term$low), high = json_number(term$high)))
       })))
}

# Numbers that jsonlite puts into the text as they are: by itself it writes 15 digits at most.
json_numbers <- function(x) {
  structure(paste0("[", paste(exact_number(unname(x)), collapse = ", "), "]"), class = "json")
}

json_number <- function(x) {
  if (is.infinite(x)) return(if (x > 0) "Infinity" else "-Infinity")
  structure(exact_number(unname(x)), class = "json")
}
