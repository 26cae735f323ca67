# What packages that put models to work ask of them: tidypredict and orbital for expressions,
# butcher for small objects, vetiver for services. The methods are registered when these packages
# are loaded.

# ---- tidypredict ---------------------------------------------------------------------------------

# An expression of the columns whose value is the prediction (of classes the label), as dplyr
# evaluates it or translates it to SQL.
#' @exportS3Method tidypredict::tidypredict_fit
tidypredict_fit.contree_model <- function(model) {
  check_fit(model, "model")
  check_expressible(model)
  values <- if (predicts_classes(model)) as.character(node_class(model)) else
    unname(node_values(model)[, 1])
  expression_of_node(model, 1L, questions_of_tree(model), values)
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

# `values`: what each node says.
expression_of_node <- function(fit, node, questions, values) {
  if (is.null(questions[[node]])) return(values[[node]])
  children <- node_children(fit)
  call("ifelse", questions[[node]], expression_of_node(fit, children$left[node], questions, values),
       expression_of_node(fit, children$right[node], questions, values))
}

# The proportion of each class, by its name.
#' @exportS3Method tidypredict::tidypredict_class_exprs
tidypredict_class_exprs.contree_model <- function(x, ...) {
  check_fit(x, "x")
  if (!predicts_classes(x)) {
    stop_unsupported("x", gettext("the tree has no classes; use tidypredict_fit(x)"))
  }
  check_expressible(x)
  questions <- questions_of_tree(x)
  proportions <- node_proportions(x)
  expressions <- lapply(seq_along(tree_classes(x)), function(class) {
    expression_of_node(x, 1L, questions, unname(proportions[, class]))
  })
  stats::setNames(expressions, tree_classes(x))
}

# ---- orbital -------------------------------------------------------------------------------------

# orbital() of a fit of parsnip asks its model with parsnip's mode and levels of the response. It
# names the columns of predictions itself; those of classes come under names that it knows.
#' @exportS3Method orbital::orbital
orbital.contree_model <- function(x, ..., mode = NULL, type = NULL, lvl = NULL) {
  check_fit_of_parsnip(mode)
  if (!predicts_classes(x)) return(expression_text(tidypredict_fit.contree_model(x)))
  class <- if (is.null(type) || "class" %in% type) {
    c(orbital_tmp_class_name = expression_text(tidypredict_fit.contree_model(x)))
  }
  if (!"prob" %in% type) return(class)
  if (!identical(lvl, tree_classes(x))) { # it takes the probabilities by place
    stop_input("lvl", gettextf("the classes of the tree are %s, not %s", toString(tree_classes(x)),
                               toString(lvl)))
  }
  prob <- vapply(tidypredict_class_exprs.contree_model(x), expression_text, "")
  c(class, stats::setNames(prob, paste0("orbital_tmp_prob_name", seq_along(prob))))
}

#' @exportS3Method orbital::orbital
orbital.hist_forest <- function(x, ..., mode = NULL) {
  check_fit_of_parsnip(mode)
  expression_text(tidypredict_fit.hist_forest(x))
}

check_fit_of_parsnip <- function(mode) {
  if (is.null(mode)) {
    stop_unsupported("x", gettext(
      "orbital() is of fits and workflows of parsnip; of this fit itself use tidypredict_fit(x)"))
  }
}

# Numbers have all their digits.
expression_text <- function(expression) {
  deparse1(expression, control = c("keepNA", "keepInteger", "digits17"))
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
