# contree_predictor(): what predict() reads of a fit, read once, for rows that come one by one or a
# few at a time.

#' @rdname predict.contree
#' @description
#' `contree_predictor()` returns a function of new data that predicts as `predict()` does, but has
#' read the fit beforehand: one row takes about ten microseconds. It is meant for services that
#' predict row by row; for many rows at once both take the same time.
#' @section Prediction functions:
#' The function that `contree_predictor()` returns has one argument, `newdata`:
#' * a data frame or a matrix, as for `predict()`;
#' * a list of vectors of the same length, one for each predictor, by name or, without names, all of
#'   them in order;
#' * a numeric or logical vector: one row, by name or, without names, all predictors in order.
#'
#' Numbers, logicals, factors, characters, dates and times of the same types as in training are used
#' directly. Everything else (a formula with calls such as `log(x)`, time differences, new levels,
#' errors) is passed on to `predict()`, with its results, warnings, errors and speed. Only the types
#' of predictors that the tree uses are checked.
#'
#' For forged forests, a row given as a double vector without names, with all features in order,
#' takes about as long as one row of a tree does.
#'
#' The function contains the fit; it can be saved with [saveRDS()] and sent to other processes.
#' Large data are predicted with the number of threads of [contree_threads()].
#' @param fit A fit of [contree()], or a result of [forge()].
#' @return `contree_predictor()`: a function of `newdata`, which returns what `predict()` returns,
#' without row names.
#' @examples
#'
#' # a function for single rows
#' fit <- contree(Species ~ ., iris, depth = 2)
#' species <- contree_predictor(fit)
#' species(c(5.1, 3.5, 1.4, 0.2))
#' species(list(Petal.Width = 1.5, Petal.Length = 4.9, Sepal.Width = 3, Sepal.Length = 6))
#' contree_predictor(fit, type = "prob")(iris[c(1, 71), ])
#' @seealso [as_c()], [as_sql()] for trees outside R
#' @order 2
#' @export
contree_predictor <- function(fit, ...) UseMethod("contree_predictor")

#' @rdname predict.contree
#' @order 3
#' @export
contree_predictor.contree_model <- function(fit, type = c("class", "prob", "node"),
                                            new_levels = NULL, ...) {
  check_no_dots(...)
  check_fit(fit)
  type <- check_prediction(fit, type, c("class", "prob", "node"))
  if (!is.null(new_levels)) check_choice("new_levels", new_levels, c("majority", "error"))
  prepared <- prepare(fit, type, new_levels)
  function(newdata) predict_prepared(prepared, newdata)
}

#' @export
contree_predictor.default <- function(fit, ...) check_fit(fit)

prepare <- function(fit, type, new_levels) {
  shape <- tree_shape(fit)
  variable <- node_variable(fit)
  asked <- unique(variable[!is.na(variable)])
  types <- tree_types(fit)
  list(fit = fit, type = type, new_levels = new_levels, names = shape$names, asked = asked,
       types = unname(types[asked]),
       levels = unname(tree_xlevels(fit)[asked]), question = match(variable, asked, 0L) + 1L,
       nodes = routing_table(fit),
       number = unname(types[asked]) %in% number_types,
       # otherwise columns are not the predictors, or there is none to count rows by
       simple = identical(shape$names, shape$inputs) && length(asked) > 0 &&
         tree_leaf(fit) != "linear",
       numbers = all(types %in% number_types),
       values = switch(type, class = node_label(fit), node = node_ids(fit), seq_along(variable)),
       table = switch(type, prob = structure(node_proportions(fit),
                                             dimnames = list(NULL, tree_classes(fit))),
                      response = node_values(fit)),
       factor = list(levels = tree_classes(fit), class = "factor"))
}

predict_prepared <- function(prepared, newdata) {
  newdata <- as_rows(newdata, prepared$names)
  columns <- if (prepared$simple) ready_columns(prepared, newdata)
  if (is.null(columns)) return(predict_unprepared(prepared, newdata))
  answer <- route_nodes(prepared$nodes, columns$feature, columns$values, prepared$values)
  switch(
    prepared$type, node = answer, prob = prepared$table[answer, , drop = FALSE],
    response = by_row(prepared$table[answer, , drop = FALSE], NULL), class = {
      attributes(answer) <- prepared$factor
      answer
    })
}

predict_unprepared <- function(prepared, newdata) {
  if (is.list(newdata) && !is.data.frame(newdata)) newdata <- list_to_frame(newdata)
  answer <- stats::predict(prepared$fit, newdata, type = prepared$type,
                           new_levels = prepared$new_levels)
  if (is.matrix(answer)) rownames(answer) <- NULL else names(answer) <- NULL
  answer
}

list_to_frame <- function(newdata) {
  lengths <- vapply(newdata, NROW, 0L)
  if (any(lengths != lengths[1])) {
    stop_input("newdata", gettextf(
      "the vectors in 'newdata' must have the same length; '%s' has %d, '%s' has %d",
      names(newdata)[1], lengths[1], names(newdata)[which(lengths != lengths[1])[1]],
      lengths[lengths != lengths[1]][1]))
  }
  structure(newdata, row.names = .set_row_names(c(lengths, 0L)[1]), class = "data.frame")
}

# A vector as a matrix of one row, a list with names.
as_rows <- function(newdata, names) {
  if (is.object(newdata) || is.matrix(newdata)) return(newdata)
  if (!is.list(newdata) && !is.numeric(newdata) && !is.logical(newdata)) {
    stop_input("newdata", gettextf(
      "'newdata' must be a data frame, a matrix, a list or a vector of numbers, not %s",
      show_value(newdata)))
  }
  given <- names(newdata)
  if (is.null(given)) {
    if (length(newdata) != length(names)) {
      stop_input("newdata", gettextf(
        "'newdata' has no names and %d values, but the tree was fitted with %d predictors",
        length(newdata), length(names)),
        gettext("name its values"))
    }
    given <- names
  }
  attributes(newdata) <- if (is.list(newdata)) list(names = given) else list(dim = c(1L,
                                                                                     length(given)),
                                                                             dimnames = list(NULL,
                                                                                             given))
  newdata
}

# What the tree asks for, if nothing needs to be done or said: list(values, feature), see
# route_nodes(). Else NULL.
ready_columns <- function(prepared, newdata) {
  if (is.matrix(newdata)) return(if (prepared$numbers) ready_matrix(prepared, newdata))
  if (!is.list(newdata) || anyNA(match(prepared$asked, names(newdata)))) return(NULL)
  values <- .subset(newdata, prepared$asked)
  for (j in seq_along(values)) {
    value <- values[[j]]
    if (length(value) != length(values[[1L]])) return(NULL)
    if (prepared$number[j] && is.null(attributes(value)) &&
        (is.numeric(value) || is.logical(value))) {
      next
    }
    value <- ready_column(value, prepared$types[j], prepared$levels[[j]])
    if (is.null(value)) return(NULL)
    values[[j]] <- value
  }
  list(values = values, feature = prepared$question - 1L)
}

ready_matrix <- function(prepared, newdata) {
  if (is.object(newdata) || !(is.numeric(newdata) || is.logical(newdata))) return(NULL)
  given <- dimnames(newdata)[[2L]] # colnames() takes a tenth of the time of a row
  if (is.null(given) && dim(newdata)[2L] == length(prepared$names)) given <- prepared$names
  if (anyNA(match(prepared$asked, given))) return(NULL)
  list(values = newdata, feature = c(0L, match(prepared$asked, given))[prepared$question])
}

# A column that is not plain numbers. Those with attributes, names among them, are rare enough to be
# left to predict().
ready_column <- function(value, type, levels) {
  if (!is.null(dim(value))) return(NULL)
  if (!is.null(levels)) return(ready_codes(value, levels))
  if (type %in% c("Date", "POSIXct") && inherits(value, type)) value
}

# Codes of the levels of the training data; NULL if there are others.
ready_codes <- function(value, levels) {
  if (is.factor(value)) {
    if (identical(levels(value), levels)) return(value)
    codes <- match(levels(value), levels)[value]
  } else if (is.character(value)) {
    codes <- match(value, levels)
  } else {
    return(NULL)
  }
  if (!anyNA(codes) || !any(is.na(codes) & !is.na(value))) codes
}
