# Predictions of forged forests: new data to columns of numbers, and sums to what is asked for.

#' Predict with a forged forest
#'
#' @param object A result of [forge()].
#' @param newdata Data frame or numeric matrix. Columns are found by name where the model knows
#'   names and the data have them, else by position, and then all must be there. Columns that no
#'   tree asks for may be absent where there are names. Factors are allowed for predictors whose
#'   levels the model knows; a new level is missing. Where the maker refuses missing values, so does
#'   this.
#' @param type What to return for each row:
#'   * `"response"`: as the objective has it: a number, or a matrix of them; for classes the
#'     probability of the second of two, or a matrix of those of more;
#'   * `"margin"`: the sum over the trees before that, with the bits that the maker gives: a vector,
#'     or a matrix with a column an output;
#'   * `"prob"`: probabilities, a matrix with a column a class;
#'   * `"class"`: the most probable class, the first of equal ones, a factor;
#'   * `"leaf"`: the maker's own number of the row's leaf in each tree, an integer matrix with a
#'     column a tree;
#'   * `"contributions"`: what each feature adds to the margin of the row, a matrix with a column a
#'     feature and, last, `(base)`: the margin of a row of which nothing is known; of several
#'     outputs an array, whose third dimension they are. See below.
#' @param threads As in [contree_control()]; the default is that of [forge()].
#' @param ... Not used.
#' @return A vector, factor or matrix, with a value or a row for each row of `newdata`, named as it.
#' @section Contributions:
#' Shapley values of the path-dependent game, as in TreeSHAP: a tree that does not know a feature
#' goes both ways, in the proportions of the training data that went there (XGBoost: sums of
#' Hessians, LightGBM and others: rows). They are computed in doubles, exact but for rounding, by
#' quadrature of the integrals that they are, and a row's add up to its margin. Models that do not
#' say how many training rows came to their nodes (randomForest, gbm, ranger without `node.stats =
#' TRUE`) are refused.
#'
#' Lundberg et al. (2020), From local explanations to global understanding with explainable AI for
#' trees, Nature Machine Intelligence 2.
#' @section Errors:
#' `contree_input_error` if a column is absent or of another type, or values are missing where they
#' may not be; `contree_unsupported_error` for classes of a model that has none, and for
#' contributions where they cannot be known.
#' @examples
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 50, seed = 1)
#' fast <- forge(fit)
#' identical(predict(fast, mtcars), predict(fit, mtcars))
#' @export
predict.forged_forest <- function(object, newdata,
                                  type = c("response", "margin", "prob", "class", "leaf",
                                           "contributions"),
                                  threads = NULL, ...) {
  check_no_dots(...)
  type <- check_choice("type", type,
                       c("response", "margin", "prob", "class", "leaf", "contributions"))
  forest <- object$forest
  if (type %in% c("prob", "class")) check_has_classes(forest, type)
  threads <- if (is.null(threads)) object$threads else check_threads("threads", threads)
  if (missing(newdata)) stop_input("newdata", gettext("'newdata' must be given"))
  new <- forest_columns_of(forest, newdata)
  if (type == "contributions") return(contributions_of(object, new, threads))
  sums <- if (type != "leaf" && !is.null(object$schedule)) {
    run_schedule(object, new$columns, threads)
  } else run_forged(forged_code(object), new$columns, type == "leaf", threads)
  if (type == "leaf") return(structure(sums, dimnames = list(new$row_names, NULL)))
  name_rows(said_by_sums(forest, sums, type), new$row_names)
}

check_has_classes <- function(forest, type) {
  if (is_forest_classifier(forest)) return(invisible())
  stop_unsupported("type", gettextf("type \"%s\" is of classes, but the model predicts numbers",
                                    type))
}

run_forged <- function(code, columns, leaves, threads, way = 0L, simd = "auto") {
  n_rows <- if (is.matrix(columns)) nrow(columns) else length(columns[[1L]])
  # finding out how many threads there are takes longer than a block of rows
  threads <- if (n_rows <= 512L) 1L else threads_to_use(threads)
  call_forest(.Call(ffi_forged_predict, code, columns, leaves, threads, way, simd))
}

name_rows <- function(answer, row_names) {
  if (is.matrix(answer)) rownames(answer) <- row_names else names(answer) <- row_names
  answer
}

# ---- sums to answers -----------------------------------------------------------------------------

said_by_sums <- function(forest, sums, type) {
  labels <- if (ncol(sums) > 1) if (is.null(forest$outputs)) forest$classes else forest$outputs
  colnames(sums) <- labels
  if (type == "margin") return(one_or_all(sums))
  response <- linked(sums / forest$average, forest$link)
  if (type == "response") return(one_or_all(response))
  if (ncol(response) == 1) response <- two_classes(sums[, 1])
  colnames(response) <- forest$classes
  if (type != "class") return(response)
  factor(forest$classes[max.col(response, ties.method = "first")], forest$classes)
}

one_or_all <- function(x) if (ncol(x) == 1) x[, 1] else x

linked <- function(sums, link) {
  switch(link, identity = sums, logistic = 1 / (1 + exp(-sums)), exp = exp(sums),
         softmax = {
           highest <- sums[cbind(seq_len(nrow(sums)), max.col(sums, ties.method = "first"))]
           weights <- exp(sums - highest)
           weights / rowSums(weights)
         },
         shares = sums / rowSums(sums))
}

# Probabilities of two classes by one margin.
two_classes <- function(margin) {
  second <- 1 / (1 + exp(-margin))
  cbind(1 - second, second)
}

# ---- new data ------------------------------------------------------------------------------------

# list(columns, row_names): a numeric matrix or a list of vectors, one a feature of the model; those
# that no tree asks for may stand in for each other.
forest_columns_of <- function(forest, newdata) {
  if (!is.data.frame(newdata) && !is.matrix(newdata)) {
    stop_input("newdata", gettextf("'newdata' must be a data frame or a matrix, not %s",
                                   show_value(newdata)))
  }
  asked <- forest$asked
  place <- feature_places(forest, newdata, asked)
  columns <- if (is.matrix(newdata)) matrix_features(forest, newdata, place) else
    frame_features(forest, newdata, place, asked)
  if (forest$complete) refuse_incomplete(forest, columns, asked)
  row_names <- if (is.matrix(newdata)) rownames(newdata) else attr(newdata, "row.names")
  list(columns = columns, row_names = if (!is.null(row_names)) as.character(row_names))
}

# Which column of the data each feature is; 0 for one that is not there and not asked for.
feature_places <- function(forest, newdata, asked) {
  given <- colnames(newdata)
  n <- forest$ensemble$n_features
  if (is.null(forest$features) || is.null(given)) {
    if (ncol(newdata) == n) return(seq_len(n))
    stop_input("newdata", gettextf("'newdata' has %d columns, but the model has %d features",
                                   ncol(newdata), n))
  }
  place <- match(forest$features, given, 0L)
  absent <- asked[place[asked] == 0L]
  if (length(absent)) {
    stop_input("newdata", gettextf("'newdata' lacks %s, which the model asks for; add it",
                                   show_names(forest$features[absent])))
  }
  place
}

matrix_features <- function(forest, newdata, place) {
  if (!is.numeric(newdata) && !is.logical(newdata)) {
    stop_input("newdata", gettextf("'newdata' is a matrix of type %s, but must be numeric",
                                   typeof(newdata)))
  }
  if (any(lengths(forest$levels) > 0)) {
    return(frame_features(forest, as.data.frame(newdata), place, forest$asked))
  }
  if (is.object(newdata)) newdata <- unclass(newdata)
  if (identical(place, seq_len(ncol(newdata)))) return(newdata)
  if (ncol(newdata) == 0L) return(matrix(0, nrow(newdata), length(place)))
  newdata[, replace(place, place == 0L, 1L), drop = FALSE]
}

frame_features <- function(forest, newdata, place, asked) {
  blank <- rep(NA_integer_, nrow(newdata))
  columns <- rep(list(blank), length(place))
  for (j in asked) columns[[j]] <- feature_values(forest, newdata[[place[j]]], j)
  if (length(columns) == 0L) matrix(0, nrow(newdata), 0L) else columns
}

# A column as the numbers that the model was grown from.
feature_values <- function(forest, value, j) {
  name <- if (is.null(forest$features)) as.character(j) else forest$features[j]
  levels <- if (!is.null(forest$features)) forest$levels[[name]]
  if (is.logical(value) && all(is.na(value))) return(as.integer(value))
  if (!is.null(levels) && (is.factor(value) || is.character(value))) {
    other <- forest$new_level[name]
    codes <- match(as.character(value), levels) + (forest$first_code - 1L)
    return(if (is.na(other)) codes else replace(codes, is.na(codes) & !is.na(value), other))
  }
  if (is.null(levels) && forest$own_codes && is.factor(value)) return(as.integer(value))
  if (is.null(levels) && (is.numeric(value) || is.logical(value)) && !is.object(value) &&
      is.null(dim(value))) {
    return(value)
  }
  wanted <- if (is.null(levels)) gettext("numbers") else
    gettextf("a factor with levels such as %s", show_names(levels, 3))
  stop_input("newdata", gettextf("column '%s' of 'newdata' is %s, but the model has %s", name,
                                 describe_type(value), wanted))
}

refuse_incomplete <- function(forest, columns, asked) {
  column <- function(j) if (is.matrix(columns)) columns[, j] else columns[[j]]
  missing <- vapply(asked, function(j) anyNA(column(j)), NA)
  if (!any(missing)) return(invisible())
  names <- if (is.null(forest$features)) as.character(asked) else forest$features[asked]
  stop_input("newdata", gettextf(
    "'newdata' has missing values in %s, for which models of %s have no rule; leave such rows out",
    show_names(names[missing]), forest$source))
}
