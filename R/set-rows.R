# What rows can get from the trees of a set.

#' @rdname summary.contree_set
#' @details
#' `predict()` finds for each row and class the least cost of a tree of the set that predicts it. A
#' row is ambiguous if different trees predict different classes: its prediction is then a matter of
#' choice.
#' @param newdata Data frame with the predictors; by default the training rows.
#' @param type `"range"`.
#' @return `predict()`: a data frame with one row for each row of the data and the row names of
#'   these: `class`, the class that the cheapest trees predict (the first of several); `ambiguous`,
#'   whether any tree of the set predicts another one; `price`, how much more than the best tree one
#'   costs that does, `NA` if none does; and for each class, in the column of its name, how much
#'   more than the best tree the cheapest tree costs that predicts it, `NA` if none does. Of a
#'   numeric response `least` and `greatest`, the lowest and the highest prediction of all trees of
#'   the set.
#'
#'   New rows that lie in the gap of a threshold go where they go in each tree, whose thresholds are
#'   in the middle of the gap. Sets on factors, dates, ordered factors or predictors with missing
#'   values answer for new rows tree by tree, up to 10,000 of them.
#' @section Errors:
#' `contree_input_error` if `newdata` lacks a predictor that some tree uses, or has it as another
#' type, or if there are too many trees to go through.
#' @examples
#'
#' # predictions of all trees
#' ranges <- predict(set, type = "range")
#' ranges[ranges$ambiguous, ]
#' predict(set, iris[c(1, 71), ], type = "range")
#' @export
predict.contree_set <- function(object, newdata, type = "range", ...) {
  check_no_dots(...)
  check_set(object, "object")
  check_choice("type", type, "range")
  if (length(object) == 0) stop_input("object", gettext("the set has no trees"))
  if (missing(newdata) || is.null(newdata)) {
    return(set_answer(object, "ranges", function(pointer) training_ranges(object, pointer)))
  }
  parts <- set_parts(object)
  used <- summary(object)$predictors
  reader <- reader_of(parts$fit, used$predictor[used$share > 0])
  new <- new_columns(reader, newdata, stats::na.pass)
  if (!is.null(parts$problem$derived) || !all(parts$problem$frame$types %in% number_types)) {
    return(range_table(object, listed_ranges(object, newdata), new$row_names))
  }
  columns <- full_columns(new$columns, parts$problem$frame$shape$names)
  least <- call_core(.Call(ffi_set_ranges, set_pointer(object), columns), refuse_question)
  range_table(object, t(least), new$row_names)
}

training_ranges <- function(set, pointer) {
  parts <- set_parts(set)
  least <- .Call(ffi_set_ranges, pointer, plain_columns(parts$problem))
  range_table(set, t(least), names(tree_where(parts$fit)))
}

# The columns that are searched, coded ones as their values.
plain_columns <- function(problem) {
  columns <- if (is.null(problem$derived)) problem$frame$columns else problem$derived$columns
  if (is.matrix(columns)) columns else lapply(columns, column_values)
}

is_of_numbers <- function(set) !predicts_classes(set_parts(set)$fit)

# What is asked of classes alone.
refuse_numbers <- function(set, what, fix) {
  if (!is_of_numbers(set)) return(invisible())
  stop_unsupported("set", gettextf("%s is not available for trees that predict numbers; %s", what,
                                   fix))
}

# The classes that leaves may have, by name.
set_classes <- function(set) {
  parts <- set_parts(set)
  tree_classes(parts$fit)[searched_classes(parts$problem$frame)]
}

# A fit that asks for these predictors, for whoever reads new data.
reader_of <- function(fit, predictors) {
  fit$frame <- data.frame(var = if (length(predictors)) predictors else leaf_mark)
  fit
}

# All columns that the trees know, 0 where no tree asks.
full_columns <- function(columns, names) {
  if (is.matrix(columns)) {
    if (!is.null(colnames(columns))) columns <- columns[, names, drop = FALSE]
    return(columns)
  }
  n <- length(columns[[1]])
  lapply(names, function(name) if (is.null(columns[[name]])) integer(n) else columns[[name]])
}

most_walked <- 1e4

# Tree by tree: rows by classes, the cost of the first tree that predicts each.
listed_ranges <- function(set, newdata) {
  if (length(set) > most_walked) {
    stop_input("newdata", gettextf(
      "the set has %s trees, and up to %s are gone through for new rows of such predictors",
      big_text(set_about(set)$total), big_text(sprintf("%.0f", most_walked))),
      gettext("make a smaller set"))
  }
  if (is_of_numbers(set)) {
    told <- lapply(as.list(set), function(tree) as.numeric(stats::predict(tree, newdata)))
    return(cbind(do.call(pmin, told), do.call(pmax, told)))
  }
  classes <- set_classes(set)
  least <- NULL
  for (k in rev(seq_len(length(set)))) {
    tree <- set[[k]]
    label <- match(as.character(stats::predict(tree, newdata)), classes)
    if (is.null(least)) least <- matrix(Inf, length(label), length(classes))
    least[cbind(seq_along(label), label)] <- tree_proof(tree)$cost
  }
  least
}

range_table <- function(set, least, row_names) {
  if (is_of_numbers(set)) {
    table <- data.frame(least = least[, 1], greatest = least[, 2])
    if (length(row_names) == nrow(table)) rownames(table) <- make.unique(as.character(row_names))
    return(table)
  }
  classes <- set_classes(set)
  more <- least - min(set_about(set)$cost)
  first <- max.col(-ifelse(is.finite(more), more, .Machine$double.xmax), "first")
  more[!is.finite(more)] <- NA
  others <- replace(more, cbind(seq_along(first), first), NA)
  price <- do.call(pmin, c(lapply(seq_along(classes), function(j) others[, j]), na.rm = TRUE))
  table <- data.frame(class = factor(classes[first], tree_classes(set_parts(set)$fit)),
                      ambiguous = !is.na(price), price = price)
  if (length(row_names) == nrow(table)) rownames(table) <- make.unique(as.character(row_names))
  table[classes] <- lapply(seq_along(classes), function(j) more[, j])
  table
}
