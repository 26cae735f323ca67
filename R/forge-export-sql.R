# as_sql() of imported and forged forests: a sum of CASE expressions.

#' @rdname as_sql
#' @export
as_sql.forged_forest <- function(fit, ...) as_sql(fit$forest, ...)

#' @rdname as_sql
#' @export
as_sql.forest_ir <- function(fit, type = c("response", "margin"), con = NULL, ...) {
  check_no_dots(...)
  type <- check_choice("type", type)
  quote <- sql_quotes(con)
  e <- fit$ensemble
  check_for_sql(fit)
  conditions <- forest_conditions(fit, quote)
  unanswered <- forest_unanswered(fit, quote)
  terms <- forest_terms(e)
  sums <- vapply(seq_along(e$base), function(k) {
    trees <- if (ncol(terms) > 1L) seq_along(e$roots) else which(e$output == k)
    term <- terms[, if (ncol(terms) > 1L) k else 1L]
    values <- rep("NULL", length(term))
    values[!is.na(term)] <- sql_number(term[!is.na(term)])
    cases <- vapply(trees, function(t) {
      paste(forest_case(e, e$roots[t], conditions, values, unanswered), collapse = "\n")
    }, "")
    sum <- paste(c(sql_number(e$base[k]), cases), collapse = "\n+ ")
    if (e$divisor == 1) sum else sprintf("(%s)\n/ %s", sum, sql_number(e$divisor))
  }, "")
  if (type == "response" || fit$link == "shares") sums <- sql_linked(sums, fit)
  names(sums) <- if (length(sums) > 1) if (is.null(fit$outputs)) fit$classes else fit$outputs
  new_code(sums)
}

sql_linked <- function(sums, forest) {
  if (forest$average != 1) sums <- sprintf("(%s)\n/ %s", sums, sql_number(forest$average))
  switch(forest$link, identity = , second = sums,
         first = sprintf("1E0 - (%s)", sums),
         exp = sprintf("EXP(%s)", sql_sloped(sums, forest_slope(forest))),
         logistic = sprintf("1E0 / (1E0 + EXP(-(%s)))", sql_sloped(sums, forest_slope(forest))),
         softmax = sql_softmax(sql_sloped(sums, forest_slope(forest))),
         isolation = sprintf("-EXP(%s * (%s))", sql_number(-log(2)), sums),
         step = sql_of_margins(sums, function(m) {
           sprintf("CASE WHEN %s > 0 THEN 1E0 WHEN %s <= 0 THEN 0E0 END", m, m)
         }),
         log1pexp = sprintf("LN(1E0 + EXP(%s))", sums),
         square = sql_of_margins(sums, function(m) sprintf("%s * ABS(%s)", m, m)),
         shares = sql_of_margins(sums, function(m) sprintf("%s / (%s)", m, sql_sum(m))))
}

sql_sloped <- function(sums, slope) {
  if (slope == 1) sums else sprintf("%s * (%s)", sql_number(slope), sums)
}

sql_sum <- function(terms) paste(terms, collapse = " + ")

# One expression an output of expressions of all margins: a query without a table, which names them.
# `say` is given their names.
sql_of_margins <- function(sums, say, from = identity) {
  m <- paste0("m", seq_along(sums))
  table <- sprintf("(SELECT %s) AS margins", paste(sums, "AS", m, collapse = ",\n"))
  sprintf("(SELECT %s\nFROM %s)", say(m), from(table))
}

# The largest margin is taken from all of them first, as predict() does it.
sql_softmax <- function(sums) {
  m <- paste0("m", seq_along(sums))
  above <- vapply(seq_along(m)[-length(m)], function(k) {
    sprintf("WHEN %s THEN %s", paste(m[k], ">=", m[-seq_len(k)], collapse = " AND "), m[k])
  }, "")
  top <- sprintf("CASE %s ELSE %s END", paste(above, collapse = " "), m[length(m)])
  from <- function(table) {
    sprintf("(SELECT %s, %s AS top\nFROM %s) AS tops", paste(m, collapse = ", "), top, table)
  }
  sql_of_margins(sums, function(m) {
    weight <- sprintf("EXP(%s - top)", m)
    sprintf("%s / (%s)", weight, sql_sum(weight))
  }, from)
}

# The most nodes that a database is asked to parse.
most_sql_nodes <- 20000L

check_for_sql <- function(forest) {
  refuse <- function(...) refuse_format("SQL", ...)
  e <- forest$ensemble
  refuse_models("SQL", forest)
  if (e$sum == "float") {
    refuse(gettext("sums of floats"),
           gettext("give it forge(sums = \"reproducible\"), which adds doubles up"))
  }
  if (is.null(forest$features)) {
    refuse(gettext("features without names"),
           gettext("name the columns by setting 'features' in what import_forest() returns"))
  }
  if (identical(forest$own_codes, "values")) refuse(gettext("categories that may be numbers"))
  if (length(e$feature) > most_sql_nodes) {
    refuse(gettextf("more than %d nodes", most_sql_nodes), gettext("see as_c()"))
  }
}

# The condition under which a row goes left, by node; where it is unknown (NULL), CASE goes right.
forest_conditions <- function(forest, quote) {
  e <- forest$ensemble
  conditions <- character(length(e$feature))
  for (node in which(e$feature > 0L)) {
    feature <- forest$features[e$feature[node]]
    name <- quote$name(feature)
    levels <- forest$levels[[feature]]
    conditions[node] <- if (length(levels)) level_condition(forest, node, feature, quote) else
      if (e$set[node] > 0L) set_condition(forest, node, name) else number_condition(e, node, name)
  }
  conditions
}

number_condition <- function(e, node, name) {
  cut <- if (e$number == "float") float_cut(e$threshold[node], e$less) else
    list(less = e$less, threshold = e$threshold[node])
  condition <- sql_test(name, cut)
  left <- e$default_left[node]
  if (e$missing[node] == missing_rules[["none"]]) {
    left <- if (e$less == "<") 0 < e$threshold[node] else 0 <= e$threshold[node]
  } else if (e$missing[node] == missing_rules[["zero"]]) {
    zero <- sprintf("ABS(%s) <= %s", name, sql_number(lightgbm_zero))
    condition <- sprintf(if (left) "%s OR %s" else "%s AND NOT %s", condition, zero)
  }
  if (left) paste(condition, "OR", name, "IS NULL") else condition
}

# Up to that a number counts as zero for LightGBM: a float.
lightgbm_zero <- 13937966 * 2^-140

# Infinite thresholds have no literal: all numbers are below one of them, and none below the other.
# Databases that hold infinite numbers sort them as the largest and the smallest.
sql_test <- function(name, cut) {
  if (is.finite(cut$threshold)) return(paste(name, cut$less, sql_number(cut$threshold)))
  whole <- cut$threshold > 0
  if (whole == (cut$less == "<=")) return(if (whole) paste(name, "IS NOT NULL") else "1 = 0")
  refuse_format("SQL", gettext("a threshold that is infinite"))
}

# A test of the nearest float as one of the number itself: the numbers that are rounded to floats
# below t end in the middle of t and the float before it. The middle is rounded to that of both
# whose last bit is 0.
float_cut <- function(threshold, less) {
  all_or_none <- if (less == "<") -Inf else Inf
  if (threshold == all_or_none) return(list(less = less, threshold = threshold))
  low <- if (less == "<") previous_float(threshold) else threshold
  high <- if (less == "<") threshold else next_float(threshold)
  beyond <- function(x) if (is.infinite(x)) sign(x) * 2^128 else x
  middle <- (beyond(low) + beyond(high)) / 2
  list(less = if (.Call(ffi_floats, middle) == low) "<=" else "<", threshold = middle)
}

previous_float <- function(x) -next_float(-x)

# Levels are texts, and each of them has its side, as new levels and NULL have theirs.
level_condition <- function(forest, node, feature, quote) {
  e <- forest$ensemble
  levels <- forest$levels[[feature]]
  codes <- seq_along(levels) + forest$first_code - 1
  other <- forest$new_level[feature]
  left <- code_goes_left(e, node, c(codes, NA, if (is.na(other)) NA else other))
  of_levels <- utils::head(left, length(levels))
  null_left <- left[length(levels) + 1L]
  other_left <- left[length(levels) + 2L]
  name <- quote$name(feature)
  among <- levels[of_levels != other_left]
  condition <- if (length(among)) {
    sprintf("%s %s (%s)", name, if (other_left) "NOT IN" else "IN",
            paste(quote$text(among), collapse = ", "))
  } else if (other_left) paste(name, "IS NOT NULL") else "1 = 0"
  if (null_left) paste(condition, "OR", name, "IS NULL") else condition
}

# The definition in src/forge/interpret.c, of whole numbers that are no zeros that are missing.
code_goes_left <- function(e, node, codes) {
  if (e$missing[node] == missing_rules[["zero"]]) {
    refuse_format("SQL", gettext("a test of levels for which zero is missing"))
  }
  none <- e$missing[node] == missing_rules[["none"]]
  if (e$set[node] > 0L) {
    set <- e$sets[[e$set[node]]]
    left <- codes >= 0 & codes < length(set)
    left <- ifelse(left, set[pmin(pmax(codes, 0), length(set) - 1) + 1], e$set_else[e$set[node]])
    return(replace(left, is.na(codes),
                   if (none) e$set_else[e$set[node]] else e$default_left[node]))
  }
  x <- if (none) replace(codes, is.na(codes), 0) else codes
  left <- if (e$less == "<") x < e$threshold[node] else x <= e$threshold[node]
  replace(left, is.na(left), e$default_left[node])
}

# Codes that have no names: whole numbers.
set_condition <- function(forest, node, name) {
  e <- forest$ensemble
  set <- e$sets[[e$set[node]]]
  beyond <- e$set_else[e$set[node]]
  null_left <- if (e$missing[node] == missing_rules[["none"]]) beyond else e$default_left[node]
  among <- which(set != beyond) - 1L
  condition <- if (length(among)) {
    sprintf("%s %s (%s)", name, if (beyond) "NOT IN" else "IN", paste(among, collapse = ", "))
  } else if (beyond) paste(name, "IS NOT NULL") else "1 = 0"
  if (null_left) paste(condition, "OR", name, "IS NULL") else condition
}

# By node, the condition under which the model has no answer for a row that comes there; "" where it
# always has one: predict() refuses missing values and new levels, or takes other ways.
forest_unanswered <- function(forest, quote) {
  conditions <- character(length(forest$ensemble$feature))
  for (node in which(forest$ensemble$feature > 0L)) {
    feature <- forest$features[forest$ensemble$feature[node]]
    name <- quote$name(feature)
    levels <- forest$levels[[feature]]
    other <- if (isTRUE(forest$closed) && length(levels)) {
      sprintf("%s NOT IN (%s)", name, paste(quote$text(levels), collapse = ", "))
    }
    missing <- if (needs_values(forest) ||
                     forest$ensemble$feature[node] %in% forest$complete_for) paste(name, "IS NULL")
    conditions[node] <- paste(c(missing, other), collapse = " OR ")
  }
  conditions
}

# A tree of a forest as a CASE expression, as sql_case() writes trees.
forest_case <- function(e, node, conditions, values, unanswered) {
  if (e$feature[node] == 0L) return(values[node])
  lines <- case_lines(conditions[node],
                      forest_case(e, e$left[node], conditions, values, unanswered),
                      forest_case(e, e$right[node], conditions, values, unanswered))
  if (nzchar(unanswered[node])) case_lines(unanswered[node], "NULL", lines) else lines
}
