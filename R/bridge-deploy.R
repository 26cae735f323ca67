# What packages that put models to work ask of them: tidypredict (and orbital, by way of it) for
# expressions, butcher for small objects, vetiver for services. The methods are registered when
# these packages are loaded.

# ---- tidypredict ---------------------------------------------------------------------------------

# An expression of the columns whose value is the prediction (of classes the label), as dplyr
# evaluates it or translates it to SQL.
#' @exportS3Method tidypredict::tidypredict_fit
tidypredict_fit.contree_model <- function(model) {
  check_fit(model, "model")
  check_expressible(model)
  expression_of_node(model, 1L, questions_of_tree(model))
}

# The mean of the trees.
#' @exportS3Method tidypredict::tidypredict_fit
tidypredict_fit.hist_forest <- function(model) {
  if (model$type != "regression") {
    stop_unsupported("model", gettextf(
      "expressions are of regression forests, not of %s; use as_sql(model)", model$type))
  }
  trees <- lapply(seq_len(tree_count(model)), function(i) {
    call("(", tidypredict_fit.contree_model(forest_tree(model, i, as = "model")))
  })
  call("/", call("(", Reduce(function(a, b) call("+", a, b), trees)), as.double(length(trees)))
}

check_expressible <- function(fit) {
  if (!predicts_classes(fit) && tree_leaf(fit) != "number") {
    stop_unsupported("model", gettext(
      "expressions are of trees whose leaves are classes or numbers"))
  }
  asked <- unique(node_variable(fit)[!node_is_leaf(fit)])
  odd <- asked[!types_of(fit, asked) %in% c(number_types, "factor", "character")]
  if (length(odd)) {
    stop_unsupported("model", gettextf("there are no expressions for splits on '%s', which is %s",
                                       odd[1], types_of(fit, odd[1])))
  }
}

# For each node whether rows go left, as an expression that is never missing.
questions_of_tree <- function(fit) {
  levels <- node_levels(fit)
  threshold <- node_threshold(fit)
  variable <- node_variable(fit)
  larger_left <- node_larger_left(fit)
  lapply(seq_along(variable), function(node) {
    if (node_is_leaf(fit)[node]) return(NULL)
    # a variable that the formula computes is computed
    x <- variable_call(fit, variable[node])
    known <- if (is.null(levels[[node]])) {
      call("<", x, threshold[node])
    } else if (larger_left[node]) {
      call("!", call("%in%", x, levels[[node]]$right)) # levels that are new go left
    } else {
      call("%in%", x, levels[[node]]$left)
    }
    missing <- call("is.na", x)
    if (node_default_left(fit)[node]) call("|", missing, known) else
      call("&", call("!", missing), known)
  })
}

variable_call <- function(fit, label) {
  variables <- as.list(attr(tree_terms(fit), "variables"))[-(1:2)] # none of x and y
  found <- variables[vapply(variables, variable_label, "") == label]
  if (length(found)) found[[1]] else as.name(label)
}

expression_of_node <- function(fit, node, questions) {
  if (is.null(questions[[node]])) {
    return(if (predicts_classes(fit)) as.character(node_class(fit)[node])
           else unname(node_values(fit)[node, 1]))
  }
  children <- node_children(fit)
  call("ifelse", questions[[node]], expression_of_node(fit, children$left[node], questions),
       expression_of_node(fit, children$right[node], questions))
}

# ---- butcher -------------------------------------------------------------------------------------

#' @exportS3Method butcher::axe_call
axe_call.contree_model <- function(x, verbose = FALSE, ...) {
  x$call <- call("dummy_call")
  x
}

#' @exportS3Method butcher::axe_call
axe_call.hist_forest <- axe_call.contree_model

#' @exportS3Method butcher::axe_fitted
axe_fitted.contree_model <- function(x, verbose = FALSE, ...) {
  slim <- without_rows(x)
  slim$where <- x$where[0]
  if (!is.null(x$y)) slim$y <- x$y[0]
  if (!inherits(x, "contree")) slim$where <- integer()
  slim
}

# What predictions of new rows do not need; conformal intervals need the errors out of bag.
#' @exportS3Method butcher::axe_fitted
axe_fitted.hist_forest <- function(x, verbose = FALSE, ...) {
  x["oob"] <- list(NULL)
  x[c("inbag", "sampling", "row_names", "gains", "harm")] <- NULL
  if (!keeps_rows(x)) x$y <- NULL
  x
}

#' @exportS3Method butcher::axe_data
axe_data.contree_model <- function(x, verbose = FALSE, ...) {
  x$model <- NULL
  x
}

#' @exportS3Method butcher::axe_env
axe_env.contree_model <- function(x, verbose = FALSE, ...) x # environments are not kept

#' @exportS3Method butcher::axe_env
axe_env.hist_forest <- axe_env.contree_model

# ---- vetiver -------------------------------------------------------------------------------------

#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.contree_model <- function(model) {
  gettextf("A %s with %s", if (inherits(model, "gmt")) gettext("model tree") else
    if (predicts_classes(model)) gettext("classification tree") else gettext("regression tree"),
    leaves_text(model))
}

#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.hist_forest <- function(model) {
  trees <- tree_count(model)
  sprintf(ngettext(trees, "A %s forest of %d tree", "A %s forest of %d trees"), model$type, trees)
}

#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.contree_model <- function(model, metadata) {
  vetiver::vetiver_meta(metadata, required_pkgs = "contree")
}

#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.hist_forest <- vetiver_create_meta.contree_model

#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.contree_model <- function(model) {
  axe_fitted.contree_model(axe_call.contree_model(model))
}

#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.hist_forest <- function(model) {
  axe_fitted.hist_forest(axe_call.contree_model(model))
}

#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.contree_model <- function(model, ..., prototype_data = NULL) {
  if (is.null(prototype_data)) {
    stop_input("prototype_data", gettext("give rows of the predictors as 'prototype_data'"))
  }
  none <- as.data.frame(prototype_data)[0, , drop = FALSE]
  structure(none, class = c("tbl_df", "tbl", "data.frame"))
}

#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.hist_forest <- vetiver_ptype.contree_model

#' @exportS3Method vetiver::handler_predict
handler_predict.contree_model <- function(vetiver_model, ...) {
  function(req) {
    rows <- req$body
    if (!is.null(vetiver_model$ptype)) {
      rows <- vetiver::vetiver_type_convert(rows, vetiver_model$ptype)
    }
    list(.pred = unname(stats::predict(vetiver_model$model, rows, ...)))
  }
}

#' @exportS3Method vetiver::handler_predict
handler_predict.hist_forest <- handler_predict.contree_model
