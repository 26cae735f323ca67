# Models of every kind (trees, model trees, forests, imported forests), seen through the few
# functions that verbs need which work for all of them.

# list(fit, kind, classes, inputs, used, levels): `classes` NULL where numbers are predicted;
# `inputs` the columns of data, and `used` those that predictions depend on, by name, or, of models
# without names, by place; `levels` those of columns that have them, by name.
any_model <- function(fit) {
  if (inherits(fit, "contree_cv")) fit <- fit$fit
  if (inherits(fit, "forest_ir")) fit <- forge(fit)
  if (inherits(fit, "forged_forest")) return(seen_forged(fit))
  if (inherits(fit, "image_forest")) {
    stop_unsupported("fit", gettext(
      "forests for pixels have print(), summary() and predict() alone"))
  }
  if (inherits(fit, "hist_forest")) {
    inputs <- fit$shape$inputs
    return(list(fit = fit, kind = "forest", inputs = inputs, used = inputs, levels = fit$xlevels,
                classes = if (fit$type == "classification") fit$classes))
  }
  check_fit(fit)
  list(fit = fit, kind = "tree", inputs = tree_shape(fit)$inputs, used = used_inputs(fit),
       levels = tree_xlevels(fit), classes = if (predicts_classes(fit)) tree_classes(fit))
}

seen_forged <- function(fit) {
  forest <- fit$forest
  named <- !is.null(forest$features)
  list(fit = fit, kind = "forged", classes = forest$classes,
       inputs = if (named) forest$features else seq_len(forest$ensemble$n_features),
       used = if (named) forest$features[forest$asked] else forest$asked, levels = forest$levels)
}

# A number a row is predicted, or a class.
check_one_number <- function(model) {
  several <- switch(model$kind, forged = n_forest_outputs(model$fit$forest) > 1,
                    tree = tree_leaf(model$fit) == "numbers", FALSE)
  if (!is.null(model$classes) || !several) return(invisible())
  stop_unsupported("fit", gettext(
    "the model predicts several numbers for each row, where one is needed"))
}

# What is predicted of rows: `type` "class" or "prob" of classes, or "response".
any_prediction <- function(model, data, type, threads = NULL) {
  if (model$kind == "tree") return(stats::predict(model$fit, data, type = type))
  stats::predict(model$fit, data, type = type, threads = threads)
}

# The response of rows, given or found by the formula: classes as a factor, or numbers.
any_truth <- function(model, data, y, argument = "newdata") {
  fit <- model$fit
  if (model$kind == "forged") return(forged_truth(model, data, y, argument))
  if (identical(fit$type, "survival")) {
    stop_unsupported("fit", gettext(paste(
      "survival forests are judged by fit$oob$error (1 - concordance) and forest_brier()")))
  }
  refuse_rates(fit, gettext("comparisons with responses; see fit$oob"))
  if (is.null(model$classes)) return(numbers_to_judge(fit, data, y, argument))
  true_classes(fit, data, y, argument)
}

forged_truth <- function(model, data, y, argument) {
  check_table(argument, data)
  by_class <- !is.null(model$classes)
  if (is.factor(y)) check_factor(y, "y")
  fitting <- length(y) == nrow(data) && !anyNA(y) && (by_class || is.numeric(y))
  if (!fitting || nrow(data) == 0) {
    stop_input("y", gettextf("'y' must be the %s of all %d rows of '%s', not %s",
                             if (by_class) gettext("classes") else gettext("numbers"),
                             nrow(data), argument, show_value(y)))
  }
  if (!by_class) return(as.double(y))
  factor(labels_as_classes(y, model$classes), model$classes)
}

# `y` in the words of the model: its labels, or the same numbers or logicals written otherwise, as
# TRUE for "1". What is none of its classes is an error, for it would count as predicted wrongly.
labels_as_classes <- function(y, classes) {
  text <- as.character(y)
  if (all(text %in% classes)) return(text)
  number <- function(labels) {
    labels <- as.character(labels)
    if (all(labels %in% c("FALSE", "TRUE"))) return(as.numeric(as.logical(labels)))
    suppressWarnings(as.numeric(labels))
  }
  at <- match(number(y), number(classes), incomparables = NA)
  if (!anyNA(at) && !anyDuplicated(number(classes))) return(classes[at])
  stop_input("y", gettextf("'y' has the labels %s, but the classes of the model are %s",
                           show_names(unique(text)), show_names(classes)),
             gettextf("give 'y' in these, as c(%s)[match(y, labels)], your labels in that order",
                      paste(dQuote(classes, FALSE), collapse = ", ")))
}

# ---- exports of forests --------------------------------------------------------------------------

# As of the imported forest, which has the same sums.
#' @rdname as_sql
#' @export
as_sql.contree_ensemble <- function(fit, ...) as_sql(import_forest(fit), ...)

#' @rdname as_c
#' @export
as_c.contree_ensemble <- function(fit, ...) as_c(import_forest(fit), ...)

#' @rdname predict.contree
#' @export
contree_predictor.contree_ensemble <- function(fit, ...) contree_predictor(forge(fit), ...)
