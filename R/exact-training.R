# The training data again: found by the call of a fit or given anew, and whether they are those.
#
# A fit keeps its response, its weights and a hash of each predictor (src/data/hash.h). That of a
# table of a database knows no more of its rows than what stands in the root of the tree.

# The frame that the fit was made of.
training_frame <- function(fit, data, settings, env) {
  frame <- tryCatch(frame_again(fit, data, settings, env),
                    error = function(problem) no_training_data(problem, data))
  refuse_other_data(training_fault(fit, frame))
  frame[c("shape", "terms", "na.action", "loss")] <-
    list(tree_shape(fit), tree_terms(fit), tree_na_action(fit), tree_loss(fit))
  frame
}

no_training_data <- function(problem, data) {
  reason <- conditionMessage(problem)
  if (!is.null(data)) {
    stop_input("data", gettextf("'data' cannot be read as the call of the fit says (%s)", reason),
               gettext("define what is not found, or fit the tree with model = TRUE"))
  }
  stop_input("data", gettextf("the training data cannot be found again (%s)", reason),
             gettext("give it as 'data', or fit the tree with model = TRUE"))
}

refuse_other_data <- function(fault) {
  if (is.null(fault)) return(invisible())
  stop_input("data", gettextf("the training data are not those of the fit: %s", fault),
             gettext("give the same rows in the same order, or fit the tree with model = TRUE"))
}

# ---- whether they are those ----------------------------------------------------------------------

hash_columns <- function(columns) .Call(ffi_column_hashes, columns)

# What of the data is not as it was, in words; NULL if nothing is.
training_fault <- function(fit, frame) {
  looks <- if (is.null(tree_hash(fit))) {
    c(predictor_fault, root_fault)
  } else {
    c(rows_fault, predictor_fault, response_fault, weights_fault, values_fault)
  }
  for (look in looks) {
    fault <- look(fit, frame)
    if (!is.null(fault)) return(fault)
  }
}

rows_fault <- function(fit, frame) {
  n <- length(frame$response)
  if (n != node_n(fit)[1]) {
    gettextf("the data have %d rows, and the fit %d", n, node_n(fit)[1])
  }
}

predictor_fault <- function(fit, frame) {
  given <- names(frame$types)
  known <- tree_shape(fit)$names
  if (identical(given, known)) return(type_fault(fit, frame))
  if (length(more <- setdiff(given, known))) {
    gettextf("the data have predictors that the fit has not: %s", show_names(more))
  } else if (length(less <- setdiff(known, given))) {
    gettextf("the data lack predictors of the fit: %s", show_names(less))
  } else {
    gettextf("the predictors are in another order, %s", show_names(given))
  }
}

# What types of some predictors, as read_predictors() gives them, are not as in the fit.
type_fault <- function(fit, read) {
  names <- names(read$types)
  types <- types_of(fit, names)
  if (any(bad <- !(read$types == types) %in% TRUE)) {
    return(gettextf("the predictor '%s' has the type %s, and had %s in the fit", names[bad][1],
                    read$types[bad][1], types[bad][1]))
  }
  same <- function(of_data, of_fit) {
    vapply(names, function(name) identical(of_data[[name]], of_fit[[name]]), NA)
  }
  leveled <- types %in% level_types
  if (any(leveled) && any(bad <- leveled & !same(read$xlevels, tree_xlevels(fit)))) {
    return(gettextf("the factor '%s' has other levels, or in another order", names[bad][1]))
  }
  lasts <- types %in% "difftime"
  if (any(lasts) && any(bad <- lasts & !same(as.list(read$units), as.list(tree_units(fit))))) {
    gettextf("the predictor '%s' has another unit of time", names[bad][1])
  }
}

response_fault <- function(fit, frame) {
  if (predicts_classes(fit) && !is_classes(frame)) {
    gettextf("the response has numbers (%s), and the fit classes (%s); give factor(y)",
             show_values(frame$response), show_names(tree_classes(fit)))
  } else if (!predicts_classes(fit) && is_classes(frame)) {
    gettextf("the response has classes (%s), and the fit numbers; give 'y' as numbers",
             show_names(levels(frame$response)))
  } else if (predicts_classes(fit) && !identical(levels(frame$response), tree_classes(fit))) {
    gettextf("the classes are %s, and were %s", show_names(levels(frame$response)),
             show_names(tree_classes(fit)))
  } else if (!same_response(fit, frame$response)) {
    gettext("the response has other values, or its rows are in another order")
  }
}

same_response <- function(fit, response) {
  if (!predicts_classes(fit)) {
    return(is.numeric(response) && identical(as.double(response), as.double(tree_y(fit))))
  }
  identical(levels(response), tree_classes(fit)) && identical(as.integer(response), tree_y(fit))
}

weights_fault <- function(fit, frame) {
  if (!identical(frame$weights, tree_row_weights(fit))) gettext("the weights are others")
}

# What is wrong with the values of the predictors, all or some of them.
values_fault <- function(fit, read) {
  known <- tree_hash(fit)
  if (is.null(known)) return(NULL)
  bad <- hash_columns(read$columns) != known[match(names(read$types), tree_shape(fit)$names)]
  if (any(bad)) {
    gettextf("the predictor '%s' has other values, or its rows are in another order",
             names(read$types)[bad][1])
  }
}

# What of a model frame is not as in the fit: the response, and some of the predictors. Variables as
# poly(x, 2) are made anew in it, by constants, and differ in their last digits.
model_fault <- function(fit, model) {
  if (is.null(tree_hash(fit))) return(NULL)
  terms <- attr(model, "terms")
  made <- if (!is.null(attr(terms, "predvars"))) {
    !mapply(identical, as.list(attr(terms, "predvars"))[-1], as.list(attr(terms, "variables"))[-1])
  }
  kept <- as.list(model)[!seq_along(model) %in% which(made)]
  columns <- spread_columns(kept[names(kept) != names(model)[1]])
  read <- read_predictors(columns[names(columns) %in% tree_shape(fit)$names])
  read$columns <- read$values
  if (!isTRUE(made[1])) read$response <- read_any_response(model[[1]], names(model)[1])
  c(type_fault(fit, read), if (!is.null(read$response)) response_fault(fit, read),
    values_fault(fit, read))[1]
}

# Whether the response is another one, as far as the root of the tree tells.
root_fault <- function(fit, frame) {
  if (!same_root(fit, frame)) gettext("the response, or the weights, are others")
}

same_root <- function(fit, frame) {
  n <- length(frame$response)
  if (is_classes(frame) != predicts_classes(fit)) return(FALSE)
  if (is_classes(frame)) {
    return(identical(levels(frame$response), tree_classes(fit)) &&
             all(is_same_sum(class_weight(frame), node_counts(fit)[1, ], n)))
  }
  is_same_sum(sum(row_weights(frame)), tree_weight(fit), n) &&
    is_same_sum(root_cost(frame), node_errors(fit)[1], n, doubles_off(frame, node_values(fit)[1]))
}

# ---- found again ---------------------------------------------------------------------------------

frame_again <- function(fit, data, settings, env) {
  model <- tree_model(fit)
  if (is.null(data) && !is.null(model)) {
    frame <- new_frame(predictors_of(model), model[[1]], names(model)[1], attr(model, "row.names"),
                       read_any_response)
    return(c(frame, list(model = model, weights = settle_weights(model[["(weights)"]]))))
  }
  call <- tree_call(fit)
  value <- function(name) eval(call[[name]], env)
  if (is.null(tree_terms(fit))) {
    if (is.null(data)) data <- list(x = value("x"), y = value("y"))
    if (is.data.frame(data) || !all(c("x", "y") %in% names(data))) {
      stop(gettext("the fit has x and y, so 'data' must be a list of these two"))
    }
    kept <- tree_row_weights(fit)
    weights <- if (is.null(kept) && tree_weighted(fit)) value("weights")
    frame <- read_xy(data$x, data$y, settings$missing, weights, read_any_response)
    return(with_kept_weights(frame, kept))
  }
  if (is.null(data)) data <- value("data")
  weights <- call[["weights"]]
  # weights of 1 are not kept, and need not be found again
  if (!tree_weighted(fit) && !all(all.vars(weights) %in% names(data))) weights <- NULL
  kept <- if (!all(all.vars(weights) %in% names(data)) || is.null(weights)) tree_row_weights(fit)
  # not call$subset, which would also find subset_levels
  frame <- formula_rows(formula_again(fit, call[["formula"]], env), data,
                        if (is.null(kept)) weights, subset_again(fit, call[["subset"]], data),
                        value("na.action"), settings)
  with_kept_weights(frame, kept)
}

# The formula of the call, or if that is a variable which is no longer there, of the fit, with the
# functions and constants that the fit keeps of the place where it was made.
formula_again <- function(fit, formula, env) {
  formula <- tryCatch(eval(formula, env), error = function(problem) NULL)
  if (is.null(formula)) formula <- stats::formula(tree_terms(fit))
  place <- new.env(parent = env)
  kept <- environment(tree_terms(fit))
  while (!is_lasting(kept)) {
    for (name in setdiff(ls(kept, all.names = TRUE), ls(place, all.names = TRUE))) {
      assign(name, get(name, kept), place)
    }
    kept <- parent.env(kept)
  }
  if (inherits(formula, "formula")) environment(formula) <- place
  formula
}

# Weights that did not stand in the data are those that the fit keeps. If there are more or fewer
# rows, these are found out later.
with_kept_weights <- function(frame, kept) {
  if (!is.null(kept) && length(kept) == length(frame$response)) frame$weights <- kept
  frame
}

# The rows by name where the condition on them has variables that are not in the data.
subset_again <- function(fit, subset, data) {
  rows <- names(tree_where(fit))
  if (all(all.vars(subset) %in% names(data)) || !all(rows %in% row.names(data))) return(subset)
  rows
}
