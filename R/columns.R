# What may be a response and what a predictor; what is wrong with anything else is said by name.

read_response <- function(response, label) {
  if (!is.null(dim(response)) || is.list(response)) {
    stop_input(label, gettextf("the response '%s' must be a vector of classes, not %s", label, show_value(response)))
  }
  if (is.numeric(response) || inherits(response, c("Date", "POSIXct"))) {
    stop_input(label, gettextf(
      "the response '%s' is numeric (%s), and contree fits classification trees; for classes use factor(%s)",
      label, show_values(response), label))
  }
  if (!is.factor(response) && !is.character(response) && !is.logical(response)) {
    stop_input(label, gettextf("the response '%s' must be a factor, character or logical, not %s; use factor(%s)",
                               label, show_value(response), label))
  }
  if (missing <- sum(is.na(response))) {
    stop_input(label, gettextf(
      "the response '%s' is missing (NA) in %d of %d rows; leave these rows out (na.action = na.omit)",
      label, missing, length(response)))
  }
  if (is.logical(response)) response <- factor(response, levels = c(FALSE, TRUE))
  if (is.character(response)) response <- factor(response)
  if (anyNA(levels(response))) {
    stop_input(label, gettextf("the response '%s' has the level NA; give that level a name", label))
  }
  names(response) <- NULL
  response
}

# The codes of the levels that a row has. droplevels() would make a factor of all rows anew.
used_levels <- function(response) which(tabulate(response, nlevels(response)) > 0)

# Matrices among the variables, as poly() gives them, become one column each, named as as.matrix() names them.
spread_columns <- function(predictors) {
  if (is.matrix(predictors)) return(predictors)
  matrices <- vapply(predictors, function(value) is.matrix(value) || is.data.frame(value), NA)
  if (!any(matrices)) return(predictors)
  predictors[matrices] <- Map(spread_matrix, predictors[matrices], names(predictors)[matrices])
  predictors[!matrices] <- Map(function(value, label) stats::setNames(list(value), label),
                               predictors[!matrices], names(predictors)[!matrices])
  do.call(c, unname(predictors))
}

spread_matrix <- function(value, label) {
  if (is.data.frame(value)) {
    stop_input(label, gettextf("predictor '%s' is a data frame inside a data frame; make its columns columns of 'data'",
                               label))
  }
  suffix <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
  stats::setNames(lapply(seq_len(ncol(value)), function(j) as.vector(value[, j])), paste(label, suffix, sep = "."))
}

column_names <- function(columns) if (is.matrix(columns)) colnames(columns) else names(columns)

check_predictors <- function(columns) {
  check_column_types(columns)
  check_column_names(column_names(columns), "data")
  complete <- if (is.matrix(columns)) is_clean(columns) else all(vapply(columns, is_clean, NA))
  if (!complete) refuse_unclean(columns)
}

check_column_types <- function(columns) {
  if (is.matrix(columns)) return(invisible())
  fine <- vapply(columns, is_plain_column, NA)
  if (!all(fine)) refuse_column(columns[[which(!fine)[1]]], names(columns)[!fine][1])
}

is_plain_column <- function(value) {
  (is.numeric(value) || is.logical(value)) && is.null(dim(value)) && !inherits(value, "integer64")
}

refuse_column <- function(value, label) {
  if (is.factor(value) || is.character(value)) {
    stop_unsupported(label, gettextf(
      "predictor '%s' is %s, which this version does not support; leave it out or turn it into numbers or 0/1 columns",
      label, describe_type(value)))
  }
  if (inherits(value, c("Date", "POSIXt", "difftime"))) {
    stop_unsupported(label, gettextf(
      "predictor '%s' is of class %s, which this version does not support; convert it with as.numeric()",
      label, class(value)[1]))
  }
  stop_input(label, gettextf(
    "predictor '%s' is %s, but predictors must be numeric, integer or logical vectors; convert it or leave it out",
    label, describe_type(value)))
}

# No missing, infinite or not-a-number value. The sum of doubles is finite unless one of them is not (or it overflows), and
# costs no memory.
is_clean <- function(values) {
  if (!is.double(values)) return(!anyNA(values))
  is.finite(sum(values)) || all(is.finite(values))
}

refuse_unclean <- function(columns) {
  matrix <- is.matrix(columns)
  clean <- if (matrix) apply(columns, 2, is_clean) else vapply(columns, is_clean, NA)
  bad <- which(!clean)[1]
  label <- column_names(columns)[bad]
  values <- if (matrix) columns[, bad] else columns[[bad]]
  missing <- sum(is.na(values) & !is.nan(values))
  if (missing) {
    stop_unsupported(label, paste0(
      gettextf("predictor '%s' is missing (NA) in %d of %d rows, which is not supported yet",
               label, missing, length(values)),
      gettext("; leave these rows out (na.action = na.omit)")))
  }
  row <- which(!is.finite(values))[1]
  stop_input(label, gettextf(
    "predictor '%s' has the value %s in row %d, but predictors must be finite; replace it or leave the row out",
    label, format(values[row]), row))
}

describe_type <- function(value) {
  if (is.factor(value)) return(gettext("a factor"))
  if (is.character(value)) return(gettext("character"))
  if (is.list(value)) gettext("a list") else show_value(value)
}
