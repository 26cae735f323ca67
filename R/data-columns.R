# What may be a response and what a predictor; what is wrong with anything else is said by name.

# Classes or, of plain numbers, these as they are.
read_any_response <- function(response, label) {
  # as I() leaves it
  if (inherits(response, "AsIs")) class(response) <- setdiff(class(response), "AsIs")
  if (!is.numeric(response) || is.object(response) || !is.null(dim(response))) {
    return(read_response(response, label))
  }
  if (any(bad <- !is.finite(response))) {
    stop_input(label, gettextf(
      "the response '%s' has the value %s in row %d, but must be finite",
      label, format(response[bad][1]), which(bad)[1]))
  }
  as.double(unname(response))
}

# Is the response of a frame classes, not numbers?
is_classes <- function(frame) is.factor(frame$response)

read_response <- function(response, label) {
  if (!is.null(dim(response)) || is.list(response)) {
    stop_input(label, gettextf("the response '%s' must be a vector of classes, not %s", label,
                               show_value(response)),
               if (is.matrix(response) && ncol(response) > 1) {
                 gettext("for rewards of actions give objective = \"rewards\" (or \"costs\")")
               } else if (is.numeric(response)) {
                 gettextf("for numbers use as.vector(%s)", label)
               })
  }
  if (is.numeric(response) || inherits(response, c("Date", "POSIXct", "difftime"))) {
    stop_input(label,
               gettextf("the response '%s' is numeric (%s), but must be classes",
                        label, show_values(response)),
               gettextf("for classes use factor(%s), for a plain number as.numeric(%s)", label,
                        label))
  }
  if (!is.factor(response) && !is.character(response) && !is.logical(response)) {
    stop_input(label, gettextf(
      "the response '%s' must be a factor, character or logical, not %s; use factor(%s)",
      label, describe_type(response), label))
  }
  if (is.logical(response)) response <- factor(response, levels = c(FALSE, TRUE))
  if (is.character(response)) response <- factor(response)
  check_factor(response, label)
  if (anyNA(levels(response))) {
    stop_input(label, gettextf("the response '%s' has the level NA; give that level a name", label))
  }
  names(response) <- NULL
  response
}

# The codes of the levels that a row has. droplevels() would make a factor of all rows anew.
used_levels <- function(response) which(tabulate(response, nlevels(response)) > 0)

# Matrices among the variables, as poly() gives them, become one column each, named as as.matrix()
# names them.
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
    stop_input(label, gettextf(
      "predictor '%s' is a data frame inside a data frame; make its columns columns of 'data'",
      label))
  }
  suffix <- if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
  stats::setNames(lapply(seq_len(ncol(value)), function(j) as.vector(value[, j])),
                  paste(label, suffix, sep = "."))
}

# Columns are a matrix or a list of vectors.
column_names <- function(columns) if (is.matrix(columns)) colnames(columns) else names(columns)
column_count <- function(columns) if (is.matrix(columns)) ncol(columns) else length(columns)
row_count <- function(columns) if (is.matrix(columns)) nrow(columns) else length(columns[[1L]])
column_at <- function(columns, j) if (is.matrix(columns)) columns[, j] else columns[[j]]

rows_of_columns <- function(columns, rows) {
  if (is.matrix(columns)) columns[rows, , drop = FALSE] else lapply(columns, `[`, rows)
}

# ---- types ---------------------------------------------------------------------------------------

# The search knows numbers only. Predictors are read into numbers here, and what they stand for is
# remembered:
#   values  the columns: a numeric matrix as it came, or a named list of vectors. Missing values are
#           NA. Factors, ordered or not, and characters are codes into their levels; dates, times
#           and differences keep their class.
#   types   named by predictor: numeric, integer, logical, Date, POSIXct, difftime, ordered, factor
#   or character xlevels levels, named by predictor, of those that have them
#   units   time zones and units, named by predictor, of POSIXct and difftime
#   contrasts  those that factors have of their own, as C() gives them, named by predictor
read_predictors <- function(columns) {
  check_column_names(column_names(columns), "data")
  if (is.matrix(columns)) {
    types <- rep(switch(typeof(columns), double = "numeric", typeof(columns)), ncol(columns))
    predictors <- list(values = columns, types = stats::setNames(types, colnames(columns)),
                       xlevels = no_levels())
  } else {
    types <- vapply(columns, column_type, "")
    if (anyNA(types)) refuse_column(columns[[which(is.na(types))[1]]],
                                    names(columns)[is.na(types)][1])
    predictors <- list(values = columns, types = types, xlevels = no_levels())
    if (!all(types %in% number_types)) predictors <- read_other_types(predictors)
  }
  refuse_infinite(predictors$values)
  predictors
}

number_types <- c("numeric", "integer", "logical")
level_types <- c("ordered", "factor", "character")

no_levels <- function() stats::setNames(list(), character())

# NA for what cannot be a predictor.
column_type <- function(value) {
  if (!is.null(dim(value))) return(NA_character_)
  if (!is.object(value)) {
    return(switch(typeof(value), double = "numeric", integer = "integer", logical = "logical",
                  character = "character",
                  NA_character_))
  }
  if (is.ordered(value)) return("ordered")
  if (is.factor(value)) return("factor")
  for (class in c("Date", "difftime")) if (inherits(value, class)) return(class)
  if (inherits(value, "POSIXt")) return("POSIXct")
  if (inherits(value, "integer64")) return(NA_character_)
  column_type(unclass(value))
}

read_other_types <- function(predictors) {
  values <- predictors$values
  types <- predictors$types
  for (j in which(types %in% c("factor", "ordered"))) check_factor(values[[j]], names(values)[j])
  for (j in which(types %in% level_types)) values[[j]] <- without_na_level(factor_of(values[[j]]))
  for (j in which(types == "POSIXct")) values[[j]] <- as.POSIXct(values[[j]])
  leveled <- types %in% level_types
  predictors$contrasts <- Filter(length, lapply(values[leveled], attr, "contrasts"))
  predictors$xlevels <- lapply(values[leveled], levels)
  values[leveled] <- lapply(values[leveled], as.integer)
  predictors$units <- c(vapply(values[types == "POSIXct"], time_zone, ""),
                        vapply(values[types == "difftime"], units, ""))
  predictors$values <- values
  predictors
}

# Codes that are no level, as made by hand or read from a broken file.
check_factor <- function(value, label) {
  codes <- unclass(value)
  n <- nlevels(value)
  if (is.integer(codes)) {
    if (sum(tabulate(codes, n)) + sum(is.na(codes)) == length(codes)) return(invisible())
    bad <- which(!codes %in% c(seq_len(n), NA))[1]
    problem <- gettextf("the code %d in row %d, but %d levels", codes[bad], bad, n)
  } else {
    problem <- gettextf("codes of type %s, but they must be integers", typeof(codes))
  }
  stop_input(label, gettextf("the factor '%s' has %s", label, problem),
             gettext("make it again with factor()"))
}

factor_of <- function(value) if (is.factor(value)) value else factor(value)

# The level NA, as addNA() makes it, says that the value is missing.
without_na_level <- function(value) {
  if (anyNA(levels(value))) factor(value, levels = stats::na.omit(levels(value))) else value
}

time_zone <- function(value) {
  zone <- attr(value, "tzone")
  if (is.null(zone)) "" else zone[1]
}

refuse_column <- function(value, label) {
  kinds <- gettext("numeric, integer, logical, factor or character vectors, dates or times")
  stop_input(label, gettextf("predictor '%s' is %s, but predictors must be %s",
                             label, describe_type(value), kinds),
             gettext("convert it or leave it out"))
}

is_finite_or_missing <- function(values) !is.double(values) || !.Call(ffi_any_infinite, values)

refuse_infinite <- function(columns) {
  if (if (is.matrix(columns)) is_finite_or_missing(columns)
      else all(vapply(columns, is_finite_or_missing, NA))) return()
  fine <- if (is.matrix(columns)) {
    apply(columns, 2, is_finite_or_missing)
  } else {
    vapply(columns, is_finite_or_missing, NA)
  }
  bad <- which(!fine)[1]
  values <- column_at(columns, bad)
  row <- which(is.infinite(values))[1]
  label <- column_names(columns)[bad]
  stop_input(label, gettextf(
    "predictor '%s' has the value %s in row %d, but predictors must be finite or missing",
    label, format(unclass(values)[row]), row),
    gettext("replace it or leave the row out"))
}

describe_type <- function(value) {
  if (is.factor(value)) return(gettext("a factor"))
  if (!is.null(dim(value)) || (is.object(value) && !is.list(value))) {
    return(show_value(value))
  }
  # typeof() says double of what R calls numeric
  if (is.list(value)) gettext("a list") else mode_name(value)
}

mode_name <- function(value) {
  switch(typeof(value), double = gettext("numeric"), closure = gettext("a function"), typeof(value))
}
