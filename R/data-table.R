# From a table of a database to what the search takes: a frame as of data-frame.R, with coded
# columns. It has three more elements,
#
#   repeats   how many rows of the table each row of the frame stands for; NULL for 1 each
#   table     list(unweighted): whether the weights are no more than the repeats
#   left_out  the number of rows left out because of missing values; NULL if none
#
# and is without row_names, na.action and model.

is_table <- function(data) inherits(data, "contree_table")

# Functions whose value for a row depends on that row alone.
row_functions <- c("factor", "as.factor", "as.character", "as.numeric", "as.double", "as.integer",
                   "abs", "sqrt", "exp", "log", "log2", "log10", "log1p")

# `group`: a function of the response of the first rows, whether equal rows may be grouped; and of
# the weights of all, whether they were rightly so.
table_frame <- function(formula, table, weights, missing, may_group = function(...) FALSE) {
  parts <- read_formula(formula, table$columns)
  expressions <- c(list(parts$response), parts$predictors)
  for (expression in expressions) check_table_expression(expression, table$columns)
  weights <- check_weight_column(weights, table$columns)
  names <- unique(c(unlist(lapply(expressions, all.vars)), weights))
  grouped <- groups_pay(table, names, parts$response, may_group)
  rows <- read_table(table, names, grouped)
  if (grouped && !is.null(weights) && !are_whole(rows$columns[[weights]])) {
    rows <- read_table(table, names, FALSE)
  }
  new_table_frame(formula, parts, rows, weights, missing, table$columns)
}

check_table_expression <- function(expression, columns) {
  names <- all.vars(expression)
  refuse_absent("formula", names, columns)
  plain <- is.name(expression) ||
    (is.call(expression) && length(expression) == 2 && is.name(expression[[1]]) &&
     as.character(expression[[1]]) %in% row_functions && is.name(expression[[2]]))
  if (plain && length(names) == 1) return(invisible())
  stop_input("formula", gettextf(
    "'%s' in 'formula' is not a column of the table, or a function of one that works row by row",
    variable_label(expression)), gettext("compute it in a view; see ?contree_table"))
}

check_weight_column <- function(weights, columns) {
  if (is.null(weights)) return(NULL)
  if (!is.name(weights)) {
    stop_input("weights", gettextf("'weights' must be the name of a column of the table, not %s",
                                   variable_label(weights)))
  }
  refuse_absent("weights", as.character(weights), columns)
  as.character(weights)
}

# Whether the rows are grouped by the database: only if the answer is the same.
groups_pay <- function(table, names, response, may_group) {
  if (isFALSE(table$group) || !is.null(table$order)) return(FALSE)
  first <- first_rows(table, names)
  if (nrow(first) == 0) return(FALSE)
  values <- eval(response, first)
  if (all(is.na(values)) || !may_group(values)) return(FALSE)
  if (isTRUE(table$group)) return(TRUE)
  has_text <- any(vapply(first, is.character, NA))
  (!has_text || tells_texts_apart(table$con)) && nrow(unique(first)) < nrow(first) / 2
}

are_whole <- function(column) {
  values <- column_levels(column)
  is.numeric(values) && all(is.na(values) | values == round(values))
}

# What contree() may group: rows of classes whose number does not matter but for what they cost, and
# cost whole numbers, so that none is rounded.
may_group_for <- function(settings, loss, class_weights) {
  sizes <- c(settings$minbucket, settings$min_n)
  single <- (is.null(settings$minbucket) || settings$minbucket <= 1) &&
    (is.null(settings$min_n) || settings$min_n <= 2)
  whole <- is.null(class_weights) &&
    (is.null(loss) || (is.numeric(loss) && all(is.finite(loss)) && all(loss == round(loss))))
  function(response) single && whole && (is.character(response) || is.factor(response) ||
                                         is.logical(response))
}

# ---- the frame -----------------------------------------------------------------------------------

new_table_frame <- function(formula, parts, rows, weights, missing, table_columns) {
  expressions <- c(list(parts$response), parts$predictors)
  names(expressions)[1] <- variable_label(parts$response)
  values <- lapply(expressions, evaluate_column, rows$columns, environment(formula))
  kept <- rows_to_keep(values, missing, table_columns)
  if (!is.null(kept)) values <- lapply(values, keep_rows, kept)
  if (column_length(values[[1]]) == 0) {
    stop_input("data", gettext("no row of the table has a response (and no missing values)"))
  }
  values <- lapply(values, without_unused)
  seen <- lapply(values, column_levels)
  terms <- new_terms(formula, parts, seen, table_columns)
  Map(refuse_infinite_levels, seen[-1], names(seen)[-1])
  predictors <- read_predictors(seen[-1])
  columns <- Map(function(x, read) if (is_coded(x)) new_coded(x$codes, read) else read,
                 values[-1], predictors$values)
  repeats <- if (is.null(kept)) rows$repeats else rows$repeats[kept]
  frame <- list(columns = columns, types = predictors$types, xlevels = predictors$xlevels,
                units = predictors$units,
                response = read_response_column(values[[1]], names(values)[1]),
                shape = list(names = names(predictors$types),
                             inputs = intersect(unlist(lapply(parts$predictors, all.vars)),
                                                table_columns)),
                terms = terms, repeats = repeats)
  frame <- weigh_frame(frame, if (!is.null(weights)) rows$columns[[weights]], kept)
  n <- if (is.null(repeats)) column_length(values[[1]]) else sum(repeats)
  if (rows$n > n) frame$left_out <- rows$n - n
  frame
}

# A function of a column, of its levels where it is coded.
evaluate_column <- function(expression, columns, env) {
  name <- all.vars(expression)
  x <- columns[[name]]
  values <- stats::setNames(list(column_levels(x)), name)
  values <- evaluate_variable(expression, values, env)
  if (is_coded(x)) new_coded(x$codes, values) else values
}

# NULL for all; else their numbers.
rows_to_keep <- function(values, missing, label) {
  refused <- if (missing == "fail") Filter(has_missing_row, values)
  if (length(refused)) {
    name <- names(refused)[1]
    stop_input(name, gettextf("'%s' is missing (NULL) in some rows", name),
               gettext("learn where they go (missing = \"learn\") or leave them out (\"omit\")"))
  }
  asked <- Filter(has_missing, if (missing == "omit") values else values[1])
  drop <- FALSE
  for (x in asked) drop <- drop | is.na(column_values(x))
  if (any(drop)) which(!drop)
}

has_missing_row <- function(x) has_missing(x) && anyNA(column_values(x))

# Levels that no row has become one that some row has; those of text would be levels of a factor.
without_unused <- function(x) {
  if (!is_coded(x) || is.factor(x$levels)) return(x)
  used <- tabulate(code_numbers(x$codes), length(x$levels)) > 0
  if (!all(used)) x$levels[!used] <- x$levels[used][1]
  x
}

refuse_infinite_levels <- function(values, label) {
  if (is_finite_or_missing(values)) return(invisible())
  stop_input(label, gettextf(
    "predictor '%s' has the value %s, but predictors must be finite or missing", label,
    format(values[is.infinite(values)][1])), gettext("leave such rows out in a query"))
}

read_response_column <- function(x, label) {
  if (!is_coded(x)) return(read_any_response(x, label))
  read_any_response(x$levels, label)[code_numbers(x$codes)]
}

# Weights of the rows and, where they are grouped, of the groups.
weigh_frame <- function(frame, column, kept) {
  n <- length(frame$response)
  weights <- NULL
  if (!is.null(column)) {
    if (!is.null(kept)) column <- keep_rows(column, kept)
    weights <- settle_weights(check_weights(column_values(column), n))
  }
  frame$table <- list(unweighted = is.null(weights))
  if (!is.null(frame$repeats)) {
    weights <- frame$repeats * if (is.null(weights)) 1 else weights
    if (all(weights == 1)) weights <- NULL
  }
  frame$weights <- weights
  frame
}

# ---- arguments -----------------------------------------------------------------------------------

# A fit of a table keeps no rows; what needs them is refused.
refuse_with_table <- function(settings) {
  given <- c(certificate = settings$certificate > 0, conformal = isTRUE(settings$conformal > 0),
             model = isTRUE(settings$model), workers = isTRUE(settings$workers),
             checkpoint = !is.null(settings$checkpoint))
  if (!any(given)) return(invisible())
  name <- names(given)[given][1]
  stop_unsupported(name, gettextf("'%s' needs a data frame, not a table of a database", name))
}

# The setting `missing` that a na.action stands for.
missing_of_action <- function(na.action, missing) {
  if (is.null(na.action)) return(missing)
  actions <- list(omit = stats::na.omit, fail = stats::na.fail, learn = stats::na.pass,
                  omit = stats::na.exclude)
  action <- function_of(na.action)
  known <- vapply(actions, identical, NA, action)
  if (any(known)) return(names(actions)[known][1])
  stop_input("na.action", gettext(
    "'na.action' must be na.omit, na.fail or na.pass for a table of a database"))
}

refuse_subset <- function(given) {
  if (!given) return(invisible())
  stop_input("subset", gettext("'subset' is for data frames"),
             gettext("give a query: contree_table(con, DBI::SQL(\"SELECT ... WHERE ...\"))"))
}

# ---- what the search says of groups --------------------------------------------------------------

# Rows of the table by node and class, where C counted groups; and their weights, if they have any
# but that.
count_repeats <- function(solved, frame) {
  if (is.null(frame$repeats)) return(solved)
  n <- length(solved$feature)
  classes <- match(as.integer(frame$response), used_levels(frame$response))
  counts <- matrix(0, n, ncol(solved$counts))
  counts[] <- count_places(solved$where + n * (classes - 1), length(counts), frame$repeats)
  for (node in rev(which(solved$feature > 0))) {
    sides <- counts[c(solved$left[node], solved$right[node]), , drop = FALSE]
    counts[node, ] <- colSums(sides)
    # missing values that the node has not go with more rows
    solved$default_left[node] <- sum(sides[1, ]) >= sum(sides[2, ])
  }
  solved$counts <- counts
  if (frame$table$unweighted) solved["weights"] <- list(NULL)
  solved
}

# Stops unless the splits of the fit send each value where the search sent its rows.
check_table_routes <- function(fit, solved, frame) {
  last <- last_below(solved)
  for (node in which(solved$feature > 0)) {
    rows <- rows_of_split(frame$columns[[node_variable(fit)[node]]], solved, node, last)
    if (!identical(values_go_left(fit, node, rows$x), rows$left)) {
      stop_internal(gettext("The fitted tree fails its check that rows go to their leaves."))
    }
  }
}

values_go_left <- function(fit, node, x) {
  index <- split_column(fit, "index")[node]
  left <- if (node_by_level(fit)[node]) fit$csplit[index, x] == 1 else x < index
  unname(replace(left, is.na(x), node_default_left(fit)[node]))
}
