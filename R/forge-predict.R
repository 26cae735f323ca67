# Predictions of forged forests: new data to columns of numbers, and sums to what is asked for.

#' @rdname forge
#' @description
#' `predict()` computes the predictions.
#' @param newdata Data frame or numeric matrix. Columns are matched by name if both the model and
#'   the data have names, else by position, in which case all must be present. Columns that no tree
#'   uses may be absent if there are names. Factors are allowed for predictors whose levels the
#'   model knows; a new level counts as missing (for a fit of [contree()] as there), with a warning
#'   of class `contree_new_levels` that names it. New levels and missing values are an error if they
#'   are one in the original software.
#' @param type What to return for each row:
#'   * `"response"` (the default): the prediction on the scale of the objective: a number, or a
#'     matrix of numbers; for classes a matrix of the probabilities, but for two classes the
#'     probability of the second where that is all that the model has (boosters, not forests);
#'   * `"margin"`: the sum over the trees before the link, the same as in the original software bit
#'     for bit: a vector, or a matrix with a column for each output. Its scale is that of the model:
#'     log-odds with a logistic link, logarithms with `exp`; forests of classes ([hist_forest()],
#'     `ranger`, `randomForest`) have no link, and the margins are the probabilities;
#'   * `"prob"`: probabilities, a matrix with a column for each class;
#'   * `"class"`: the most probable class (the first of several equal ones), a factor;
#'   * `"node"` (or `"leaf"`): the leaf of the row in each tree, numbered as in the original
#'     software, an integer matrix with a column for each tree;
#'   * `"contributions"`: the contribution of each feature to the margin of the row, a matrix with a
#'     column for each feature and a last column `(base)`, the margin of a row of which nothing is
#'     known; for several outputs an array with a third dimension. See the section on contributions.
#' @return `predict()`: a vector, factor or matrix, with a value or a row for each row of `newdata`,
#'   with its row names.
#' @section Contributions:
#' Contributions are Shapley values of the path-dependent game, as in TreeSHAP: where the value of a
#' feature is not known, a tree follows both branches, in the proportions in which the training data
#' followed them (for XGBoost sums of Hessians, for LightGBM and others numbers of rows). They are
#' computed in doubles by numerical quadrature that is exact except for rounding, and those of a row
#' add up to its margin, on whose scale they are: probabilities for a forest of classes. They are an
#' error for models without the numbers of training rows of their nodes (randomForest, gbm, ranger
#' without `node.stats = TRUE`).
#'
#' @references
#' S. M. Lundberg et al. (2020). From local explanations to global understanding with explainable AI
#' for trees. *Nature Machine Intelligence* 2, 56-67. \doi{10.1038/s42256-019-0138-9}.
#' @section Errors:
#' As for [import_forest()]; `contree_input_error` for invalid settings, for a schedule that is not
#' legal for the forest (the message names the statement, the loop and the rule), for a GPU that
#' cannot be used, and from `predict()` if a column is absent or of another type, or if values are
#' missing where the original software does not allow it. `contree_unsupported_error` for classes of
#' a model that has none, for contributions that cannot be computed, and for what a GPU that is
#' given as `device` does not do. A GPU that fails, or has not enough memory, is a warning of class
#' `contree_without_gpu`, and the CPU predicts.
#' @examples
#'
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 50, seed = 1)
#' fast <- forge(fit)
#' identical(predict(fast, mtcars), predict(fit, mtcars))
#' @export
predict.forged_forest <- function(object, newdata,
                                  type = c("response", "margin", "prob", "class", "leaf",
                                           "contributions"),
                                  threads = NULL, device = NULL, ...) {
  check_no_dots(...)
  type <- check_choice("type", type, alias = c(node = "leaf"))
  forest <- object$forest
  if (type %in% c("prob", "class")) check_has_classes(forest, type)
  threads <- if (is.null(threads)) object$threads else check_threads("threads", threads)
  if (!is.null(device)) refuse_on_device(type, device <- check_device(device))
  need_newdata(missing(newdata))
  new <- forest_columns_of(forest, newdata)
  if (!is.null(forest$rest)) return(predict_with_rest(object, new, type, threads, device))
  if (type == "contributions") return(contributions_of(object, new, threads))
  if (type == "leaf") {
    leaves <- run_forged(forged_code(object), new$columns, TRUE, threads)
    if (!is.null(forest$own_trees)) leaves <- leaves[, seq_len(forest$own_trees), drop = FALSE]
    return(structure(leaves, dimnames = list(new$row_names, NULL)))
  }
  sums <- sums_of_rows(object, new$columns, threads, device)
  name_rows(said_by_sums(forest, sums, type), new$row_names)
}

#' @rdname forge
#' @export
predict.forest_ir <- function(object, newdata, ...) stats::predict(forge(object), newdata, ...)

# A tree of which some rows are followed here (forge-import-rpart.R).
predict_with_rest <- function(object, new, type, threads, device) {
  forest <- object$forest
  leaves <- run_forged(forged_code(object), new$columns, TRUE, threads)
  rows <- rows_of_rest(forest, new$columns, leaves)
  if (type == "contributions") {
    if (length(rows)) refuse_rest(forest, rows)
    return(contributions_of(object, new, threads))
  }
  places <- places_of_rest(forest, new, rows)
  leaves[rows, 1L] <- as.integer(forest$rest$id[places])
  if (type == "leaf") return(structure(leaves, dimnames = list(new$row_names, NULL)))
  if (type == "class") {
    class <- forest$class_of_leaf[as.character(leaves)]
    return(name_rows(factor(forest$classes[class], forest$classes), new$row_names))
  }
  sums <- sums_of_rows(object, new$columns, threads, device)
  sums[rows, ] <- forest$rest$values[places, ]
  name_rows(said_by_sums(forest, sums, type), new$row_names)
}

refuse_rest <- function(forest, rows) {
  stop_unsupported("type", gettextf(paste(
    "row %d of 'newdata' follows surrogate splits of %s, by which there are no contributions;",
    "leave such rows out"), rows[1], forest$source))
}

check_has_classes <- function(forest, type) {
  if (is_forest_classifier(forest)) return(invisible())
  stop_unsupported("type", gettextf("type \"%s\" is for classes, but the model predicts numbers",
                                    type))
}

run_forged <- function(code, columns, leaves, threads, way = 0L, simd = "auto") {
  n_rows <- row_count(columns)
  # finding out how many threads there are takes longer than a block of rows
  threads <- if (n_rows <= 512L) 1L else threads_to_use(threads)
  sums <- .Call(ffi_forged_predict, code, columns, leaves, threads, way, simd)
  if (inherits(sums, "contree_core_error")) stop_core(sums, refuse_forest)
  sums
}

name_rows <- function(answer, row_names) {
  if (is.matrix(answer)) rownames(answer) <- row_names else names(answer) <- row_names
  answer
}

# ---- sums to answers -----------------------------------------------------------------------------

said_by_sums <- function(forest, sums, type) {
  if (has_more(forest)) sums <- add_last(forest, sums)
  if (dim(sums)[2L] > 1L) {
    colnames(sums) <- if (is.null(forest$outputs)) forest$classes else forest$outputs
  }
  if (type == "margin" && forest$link != "shares") return(one_or_all(sums))
  response <- linked(sums / forest$average, forest$link, forest_slope(forest))
  if (type %in% c("response", "margin")) return(one_or_all(response))
  if (length(forest$classes) == 2L && ncol(response) == 1L) {
    response <- if (forest$link == "second") cbind(1 - sums[, 1], sums[, 1]) else
      if (forest$link == "first") cbind(sums[, 1], 1 - sums[, 1]) else
      two_classes(sums[, 1], forest_slope(forest))
    if (forest$link == "second") response[] <- .Call(ffi_floats, as.numeric(response))
  }
  colnames(response) <- forest$classes
  if (type != "class") return(response)
  if (isTRUE(forest$even_second) && ncol(sums) == 1L) {
    return(factor(forest$classes[1L + (sums[, 1] >= 0)], forest$classes))
  }
  if (!is.null(forest$second_from)) {
    return(factor(forest$classes[1L + (response[, 2] >= forest$second_from)], forest$classes))
  }
  if (!is.null(forest$cutoff)) response <- sweep(response, 2L, forest$cutoff, `/`)
  factor(forest$classes[max.col(response, ties.method = "first")], forest$classes)
}

# What is added behind all trees, as doubles, and behind the division by their number.
add_last <- function(forest, sums) {
  if (!is.null(forest$last)) sums <- sums + rep(forest$last, each = nrow(sums))
  if (forest$ensemble$sum == "float") sums[] <- .Call(ffi_floats, as.numeric(sums))
  if (isTRUE(forest$unit)) sums[] <- pmin(pmax(sums, 0), 1)
  sums
}

has_more <- function(forest) !is.null(forest$last) || isTRUE(forest$unit)

one_or_all <- function(x) {
  if (dim(x)[2L] == 1L) dim(x) <- NULL
  x
}

# Forests that older versions made do not say.
forest_slope <- function(forest) if (is.null(forest$slope)) 1 else forest$slope

linked <- function(sums, link, slope = 1) {
  switch(link, identity = , second = sums, first = 1 - sums,
         logistic = 1 / (1 + exp(-slope * sums)),
         exp = exp(slope * sums),
         log1pexp = log1p(exp(sums)), square = sign(sums) * sums^2, step = (sums > 0) + 0,
         isolation = -2^-sums,
         softmax = {
           highest <- sums[cbind(seq_len(nrow(sums)), max.col(sums, ties.method = "first"))]
           weights <- exp(slope * (sums - highest))
           weights / rowSums(weights)
         },
         shares = sums / rowSums(sums))
}

# Probabilities of two classes by one margin.
two_classes <- function(margin, slope) {
  second <- 1 / (1 + exp(-slope * margin))
  cbind(1 - second, second)
}

# ---- new data ------------------------------------------------------------------------------------

# list(columns, row_names): a numeric matrix or a list of vectors, one a feature of the model; those
# that no tree asks for may stand in for each other.
forest_columns_of <- function(forest, newdata) {
  if (is_as_asked(forest, newdata)) {
    return(list(columns = newdata, row_names = dimnames(newdata)[[1L]]))
  }
  check_table("newdata", newdata)
  asked <- forest$asked
  place <- feature_places(forest, newdata, asked)
  rest <- features_of_rest(forest)
  asked <- union(asked, rest[place[rest] > 0L])
  columns <- if (is.matrix(newdata)) matrix_features(forest, newdata, place, asked) else
    frame_features(forest, newdata, place, asked)
  if (forest$complete) refuse_incomplete(forest, columns, asked) else
    if (length(forest$complete_for)) {
      refuse_incomplete(forest, columns, intersect(asked, forest$complete_for))
    }
  row_names <- if (is.matrix(newdata)) rownames(newdata) else attr(newdata, "row.names")
  list(columns = columns, row_names = if (!is.null(row_names)) as.character(row_names),
       absent = which(place == 0L), features = feature_names(forest))
}

# Whether there are values that may not be missing.
refuses_missing <- function(forest) forest$complete || length(forest$complete_for) > 0L

# Is it a matrix of the features as they are, of which nothing else need be known?
is_as_asked <- function(forest, newdata) {
  size <- dim(newdata)
  if (!is.double(newdata) || is.object(newdata) || length(size) != 2L ||
        refuses_missing(forest)) {
    return(FALSE)
  }
  names <- dimnames(newdata)[[2L]]
  size[2L] == forest$ensemble$n_features &&
    (is.null(names) || is.null(forest$features) || identical(names, forest$features)) &&
    (takes_matrix(forest) || length(forest$levels) == 0L || !any(lengths(forest$levels) > 0L))
}

# Names of features; their numbers where they have none.
feature_names <- function(forest) {
  if (is.null(forest$features)) as.character(seq_len(forest$ensemble$n_features)) else
    forest$features
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
    stop_input("newdata", gettextf(
      "'newdata' lacks %s, which the model uses; each must be a column",
      show_names(forest$features[absent])))
  }
  place
}

matrix_features <- function(forest, newdata, place, asked) {
  if (!is.numeric(newdata) && !is.logical(newdata)) {
    stop_input("newdata", gettextf("'newdata' is a matrix of type %s, but must be numeric",
                                   typeof(newdata)))
  }
  if (any(lengths(forest$levels) > 0) && !takes_matrix(forest)) {
    return(frame_features(forest, as.data.frame(newdata), place, asked))
  }
  if (is.object(newdata)) newdata <- unclass(newdata)
  if (identical(place, seq_len(ncol(newdata)))) return(newdata)
  if (ncol(newdata) == 0L) return(matrix(0, nrow(newdata), length(place)))
  newdata[, replace(place, place == 0L, 1L), drop = FALSE]
}

frame_features <- function(forest, newdata, place, asked) {
  blank <- rep(NA_integer_, nrow(newdata))
  columns <- rep(list(blank), length(place))
  # numbers are taken as they are, together: one by one each would take 10 microseconds
  given <- unclass(newdata)[place[asked]]
  plain <- vapply(given, is.numeric, NA) & !vapply(given, is.object, NA) &
    !vapply(given, is.array, NA)
  leveled <- names(forest$levels)[!vapply(forest$levels, is.null, NA)]
  if (length(leveled)) plain <- plain & !feature_names(forest)[asked] %in% leveled
  columns[asked[plain]] <- given[plain]
  for (j in asked[!plain]) columns[[j]] <- feature_values(forest, newdata[[place[j]]], j)
  tell_feature_levels(forest, newdata, place, asked)
  if (length(columns) == 0L) matrix(0, nrow(newdata), 0L) else columns
}

# A column as the numbers that the model was grown from.
feature_values <- function(forest, value, j) {
  name <- feature_names(forest)[j]
  levels <- forest$levels[[name]]
  if (length(levels) && identical(forest$own_codes, "texts")) value <- as_texts(value)
  if (is.logical(value) && all(is.na(value))) return(as.integer(value))
  if (is.factor(value)) check_factor(value, name)
  if (!is.null(levels) && (is.factor(value) || is.character(value))) {
    other <- forest$new_level[name]
    codes <- match(as.character(value), levels) + (forest$first_code - 1L)
    return(if (is.na(other)) codes else replace(codes, is.na(codes) & !is.na(value), other))
  }
  if (!is.null(levels) && takes_values(forest, value)) {
    known <- .Call(ffi_numbers, paste(levels, collapse = " "))
    if (!anyNA(known)) return(match(value, known) + (forest$first_code - 1L))
  }
  if (is.null(levels) && takes_codes(forest, value)) {
    return(as.integer(if (is.character(value)) factor(value) else value))
  }
  if (isTRUE(forest$dates) && inherits(value, c("Date", "POSIXct", "difftime"))) {
    return(as.numeric(unclass(value)))
  }
  if (is.null(levels) && (is.numeric(value) || is.logical(value)) && !is.object(value) &&
      is.null(dim(value))) {
    return(value)
  }
  wanted <- if (is.null(levels)) gettext("numbers") else
    gettextf("a factor with levels such as %s", show_names(levels, 3))
  stop_input("newdata", gettextf("column '%s' of 'newdata' is %s, but the model has %s", name,
                                 describe_type(value), wanted))
}

# Whether a matrix of numbers has codes where the model has levels.
takes_matrix <- function(forest) isTRUE(forest$own_codes) || identical(forest$own_codes, "matrix")

# Whether the maker takes a column by its codes.
takes_codes <- function(forest, value) {
  if (identical(forest$own_codes, "ordered")) return(is.ordered(value))
  isTRUE(forest$own_codes) && (is.factor(value) || is.character(value))
}

# Whole numbers as texts, by which the maker knows them.
as_texts <- function(value) {
  if (!is.numeric(value) || is.object(value) || any(value != round(value), na.rm = TRUE)) {
    return(value)
  }
  replace(sprintf("%.0f", value), is.na(value), NA)
}

# Whether it takes a column of numbers by those that its levels are.
takes_values <- function(forest, value) {
  identical(forest$own_codes, "values") && (is.numeric(value) || is.logical(value)) &&
    !is.object(value) && is.null(dim(value))
}

tell_feature_levels <- function(forest, newdata, place, asked) {
  features <- feature_names(forest)
  factors <- asked[features[asked] %in% names(forest$levels)]
  unknown <- lapply(factors, function(j) {
    given <- newdata[[place[j]]]
    if (!is.factor(given) && !is.character(given)) return(NULL)
    known <- c(forest$levels[[features[j]]], NA)
    # a factor need not have rows of all levels
    if (is.factor(given) && all(levels(given) %in% known)) return(NULL)
    setdiff(as.character(unique(given)), known)
  })
  names(unknown) <- features[factors]
  unknown <- unknown[lengths(unknown) > 0]
  if (length(unknown) == 0) return(invisible())
  if (isTRUE(forest$closed)) {
    stop_input("newdata", gettextf(
      "'%s' of 'newdata' has the new level %s, which %s refuses; leave such rows out",
      names(unknown)[1], show_value(unknown[[1]][1]), forest$source))
  }
  code <- forest$new_level[names(unknown)]
  warn_new_levels(unknown, if (anyNA(code)) {
    gettext("they count as missing values")
  } else if (forest$source == "ydf") {
    gettext("ydf has one level for all that it does not know")
  } else if (all(code == 0L)) {
    gettext("such rows follow the child with more training rows")
  } else {
    gettextf("%s puts them behind the levels that it knows", forest$source)
  })
}

refuse_incomplete <- function(forest, columns, asked) {
  missing <- vapply(asked, function(j) anyNA(column_at(columns, j)), NA)
  lowest <- if (isTRUE(forest$above_lowest)) {
    vapply(asked, function(j) -Inf %in% column_at(columns, j), NA)
  } else logical(length(asked))
  if (!any(missing | lowest)) return(invisible())
  names <- feature_names(forest)[asked]
  stop_input("newdata", gettextf(
    "'newdata' has %s in %s, for which models of %s have no rule; leave such rows out",
    if (any(missing)) gettext("missing values") else "-Inf",
    show_names(names[if (any(missing)) missing else lowest]), forest$source))
}
