# What must hold of a fit that comes from elsewhere, a file of saveRDS() or a document of as_json(),
# and may hold anything. Here is looked at whatever R and C trust later: types, lengths, indices,
# that the nodes are a tree, that names are there. A fault is a contree_input_error that names the
# member. The members are described in tree-class.R.

# `rows`: also what was found and what there is of the training rows; without, what new data are
# predicted with, which is there in a fifth of a millisecond.
check_fit <- function(fit, argument = "fit", rows = TRUE) {
  force(rows) # here, where its errors are its own
  if (is_ensemble(fit)) {
    stop_input(argument, gettextf("'%s' has %d trees, where one is needed", argument,
                                  tree_count(fit)),
               gettextf("give one of them, as forest_tree(%s, 1, as = \"model\")", argument))
  }
  if (!is_model(fit)) {
    stop_input(argument, gettextf("'%s' must be a fit of contree(), not %s", argument,
                                  show_value(fit)))
  }
  # what is so odd that looking at it fails is damaged as well
  fault <- tryCatch(fault_of(fit, rows), error = function(problem) conditionMessage(problem))
  if (is.null(fault)) return(invisible(fit))
  stop_input(argument, gettextf("'%s' is not as contree() made it (%s); fit it again", argument,
                                fault))
}

# What is wrong first, in words; NULL if nothing is. Each look gives the name of a member, and
# trusts what those before it saw.
fault_of <- function(fit, rows) {
  exact <- inherits(fit, "contree")
  fit <- unclass(fit)
  looks <- c(function(fit) fault_in_list(fit, exact), fault_in_predictors, fault_in_nodes,
             fault_in_splits, fault_in_policy,
             fault_in_request, if (rows) c(if (has_proof(fit)) fault_in_result, fault_in_rows))
  for (look in looks) {
    fault <- look(fit)
    if (identical(fault, "format_version")) {
      return(gettextf("this version of contree reads format_version %d", fit_format))
    }
    if (!is.null(fault)) return(gettextf("'%s' cannot be like this", fault))
  }
  fault <- if (rows) contradiction(fit)
  if (!is.null(fault)) gettextf("it fails the check that %s", fault)
}

# ---- vectors -------------------------------------------------------------------------------------

# `checks`: logicals by name; the name of the first that is not TRUE. They are made in one go, so
# none may fail to be made.
first_fault <- function(checks) {
  if (isTRUE(all(checks))) NULL else names(checks)[!(checks %in% TRUE)][1]
}

# In C (src/r/tree.c): a check of a fit has dozens of these. `n`: how many values, NULL for any
# number.
is_plain <- function(x, type, n = NULL) .Call(ffi_is_plain, x, type, n)
is_texts <- function(x) is_plain(x, "character") && !anyNA(x)
is_names <- function(x) is_texts(x) && !anyDuplicated(x)
is_flags <- function(x, n = 1L) is_plain(x, "logical", n) && !anyNA(x)

# Finite numbers, none below `low`.
is_amounts <- function(x, n = NULL, low = 0) .Call(ffi_is_amounts, x, n, low, Inf)
is_number <- function(x, low = -Inf) .Call(ffi_is_amounts, x, 1L, low, Inf)

# Codes from 1 to `most`.
is_codes <- function(x, most, n = NULL) {
  .Call(ffi_is_amounts, x, n, 1, most) && (is.integer(x) || all(x == floor(x)))
}

is_matrix <- function(x, type, rows, columns) {
  typeof(x) == type && !is.object(x) && identical(dim(x), as.integer(c(rows, columns)))
}

# match(names, table, 0L) and unique(texts) without a hash table of all that there is, where `names`
# or different `texts` are few: predictors may be thousands, and most trees ask for a handful.
places_among <- function(names, table) {
  places <- if (length(names) <= 16) .Call(ffi_places, names, table)
  if (is.null(places)) match(names, table, 0L) else places
}

distinct <- function(texts) {
  few <- .Call(ffi_distinct, texts)
  if (is.null(few)) unique(texts) else few
}

# A data frame with these columns, all plain vectors or matrices of its length.
is_frame <- function(x, columns) {
  if (!is.list(x) || !identical(class(x), "data.frame") || !is_names(names(x)) ||
      !all(columns %in% names(x))) {
    return(FALSE)
  }
  n <- length(attr(x, "row.names"))
  x <- unclass(x)
  all(vapply(x, is.atomic, NA)) && (all(lengths(x) == n) || all(vapply(x, NROW, 0L) == n))
}

# ---- the list, and what it says of the data ------------------------------------------------------

# The proof and the settings are of an exact search; other fits may come without.
fault_in_list <- function(fit, exact) {
  if (!is.list(fit) || !is_names(names(fit))) return("names")
  if (!identical(fit[["format_version"]], fit_format)) return("format_version")
  needed <- c("frame", "splits", "where", "call", "variable.importance", "shape", "types", "leaf",
              if (exact || has_proof(fit)) c("control", proof_members))
  absent <- !needed %in% names(fit)
  if (any(absent)) return(needed[absent][1])
  leaf <- tree_leaf(fit)
  if (!is_plain(leaf, "character", 1L) || !leaf %in% leaf_kinds) "leaf"
}

proof_members <- c("objective", "cost", "bound", "gap", "status", "capped")

fault_in_predictors <- function(fit) {
  shape <- fit[["shape"]]
  fine <- is.list(shape) && is_names(shape[["names"]]) && length(shape[["names"]]) > 0 &&
    is_texts(shape[["inputs"]]) &&
    all(places_among(c("", leaf_mark), shape[["names"]]) == 0L)
  if (!fine) return("shape")
  types <- fit[["types"]]
  fine <- is_texts(types) && identical(names(types), shape[["names"]]) &&
    all(distinct(types) %in% predictor_types)
  if (!fine) return("types")
  leveled <- of_types(types, level_types)
  xlevels <- fit[["xlevels"]]
  fine_levels <- is.list(xlevels) && !is.object(xlevels) &&
    all(vapply(xlevels[leveled], is_names, NA))
  first_fault(c(
    ylevels = if (predicts_classes(fit)) {
      is_names(fit[["ylevels"]]) && length(fit[["ylevels"]]) > 0
    } else {
      is.null(fit[["ylevels"]])
    },
    xlevels = fine_levels || (is.null(xlevels) && length(leveled) == 0),
    units = are_units(fit[["units"]], types),
    ordered = is.null(fit[["ordered"]]) || is_flags(fit[["ordered"]], length(shape[["names"]])),
    restricted = is.null(fit[["restricted"]]) || is_texts(fit[["restricted"]])))
}

# Names of the predictors of some types. Most often there are none, and there may be thousands of
# predictors.
of_types <- function(types, some) {
  if (any(distinct(types) %in% some)) names(types)[types %in% some] else character()
}

# One a predictor of a type that has them.
are_units <- function(units, types) {
  have <- of_types(types, c("POSIXct", "difftime"))
  if (length(have) == 0 && is.null(units)) return(TRUE)
  is_texts(units) && all(have %in% names(units)) &&
    all(units[names(types)[types == "difftime"]] %in% time_units)
}

time_units <- c("secs", "mins", "hours", "days", "weeks")

# ---- nodes and splits ----------------------------------------------------------------------------

fault_in_nodes <- function(fit) {
  frame <- fit[["frame"]]
  columns <- c("var", "n", "wt", "dev", "yval", "default_left",
               if (tree_leaf(fit) != "number") "yval2")
  if (!is_frame(frame, columns)) return("frame")
  frame <- unclass(frame) # `$` takes longer on a data frame
  if (!is_texts(frame$var) || !are_variables(frame$var, fit$shape$names)) {
    return("frame$var")
  }
  ids <- attr(frame, "row.names")
  if (!is.integer(ids)) ids <- suppressWarnings(as.numeric(ids))
  if (!is_tree(ids, frame$var == leaf_mark)) {
    return("row.names(frame)")
  }
  first_fault(c(
    "frame$n" = is_plain(frame$n, "integer") && is_amounts(frame$n),
    "frame$wt" = is_amounts(frame$wt),
    "frame$dev" = is_amounts(frame$dev),
    "frame$yval" = if (predicts_classes(fit)) is_codes(frame$yval, length(fit$ylevels)) else
      is_amounts(frame$yval, low = -Inf),
    "frame$default_left" = is_plain(frame$default_left, "logical") &&
      identical(is.na(frame$default_left), frame$var == leaf_mark),
    "frame$yval2" = fine_leaves(fit, frame)))
}

are_variables <- function(var, predictors) {
  all(places_among(unique(var[var != leaf_mark]), predictors) > 0L)
}

# What nodes predict, see tree-leaf.R.
fine_leaves <- function(fit, frame) {
  table <- frame$yval2
  n <- length(frame$var)
  is_table <- function(columns) is_matrix(table, "double", n, columns) && all(is.finite(table))
  switch(
    tree_leaf(fit),
    classes = is_table(2 + 2 * length(fit$ylevels)) && all(table >= 0),
    number = is.null(table),
    numbers = is_table(max(1, ncol(table))) && is_names(colnames(table)) &&
      all(table[, 1] == frame$yval),
    linear = is.matrix(table) && is_matrix(table, "double", n, max(1, ncol(table))) &&
      identical(unname(table[, 1]), unname(frame$yval)) &&
      identical(colnames(table)[1], intercept_name) && is_names(colnames(table)[-1]) &&
      fine_terms(fit[["linear_terms"]], table, fit))
}

# The terms of linear models, see tree-linear.R: each of a predictor that may have it, and numbers
# but for levels that a node does not have, in whose place there is something else.
fine_terms <- function(terms, table, fit) {
  names <- colnames(table)[-1]
  if (is.null(terms)) return(all(is.finite(table)) && all(tree_types(fit)[names] %in% number_types))
  if (!is.list(terms) || !identical(names(terms), names(number_terms("x"))) ||
      !all(vapply(terms, is.character, NA), lengths(terms) == length(names))) {
    return(FALSE)
  }
  type <- unname(tree_types(fit)[terms$predictor])
  known <- mapply(function(level, levels) level %in% levels, terms$level,
                  tree_xlevels(fit)[terms$predictor])
  fine <- ifelse(terms$kind == "number", type %in% number_types,
                 ifelse(terms$kind == "level", type %in% level_types & known,
                        terms$kind == "other" & type %in% c(number_types, level_types)))
  absent <- is.na(table[, -1, drop = FALSE]) # of levels alone, and where "other" can stand in
  stands_in <- terms$kind == "level" & !is.na(other_terms(terms))
  all(fine) && !anyDuplicated(do.call(paste, c(terms, sep = "\r"))) &&
    !any(absent[, !stands_in]) && all(is.finite(table[, -1]) | absent)
}

# Nodes with these numbers, in this order: a tree in preorder, no deeper than a fit may be? For the
# order the number of a node is that of its leftmost descendant far below; parents stand before
# their children.
is_tree <- function(ids, leaf) {
  deepest <- setting_table$depth$high
  if (anyNA(ids) || any(ids < 1 | ids >= 2^(deepest + 1) | ids != floor(ids)) || ids[1] != 1) {
    return(FALSE)
  }
  depth <- findInterval(ids, 2^(0:deepest)) - 1
  inner <- ids[!leaf]
  all(diff(ids * 2^(deepest - depth) * (deepest + 1) + depth) > 0) &&
    sum(leaf) == length(inner) + 1 &&
    all(c(2 * inner, 2 * inner + 1) %in% ids)
}

fault_in_splits <- function(fit) {
  splits <- fit[["splits"]]
  variable <- fit$frame$var[fit$frame$var != leaf_mark]
  columns <- c("count", "ncat", "improve", "index", "adj")
  fine <- is_matrix(splits, "double", length(variable), 5) &&
    identical(colnames(splits), columns) && !anyNA(splits) &&
    all(splits[, "count"] >= 0) && all(splits[, "count"] <= fit$frame$n[fit$frame$var != leaf_mark])
  if (!fine || (length(variable) && !identical(rownames(splits), variable))) return("splits")
  by_level <- splits[, "ncat"] > 1
  if (!all(by_level | splits[, "ncat"] == -1)) return("splits")
  type <- types_of(fit, variable)
  if (!identical(unname(by_level), type %in% c("factor", "character"))) return("splits")
  levels <- lengths(fit$xlevels[variable])
  index <- splits[, "index"]
  places <- type == "ordered" & is.finite(index)
  if (any(index[places] <= 0 | index[places] > levels[places])) return("splits")
  if (any(by_level) && !fine_csplit(fit[["csplit"]], index[by_level], max(levels[by_level]))) {
    return("csplit")
  }
}

fine_csplit <- function(csplit, rows, n_levels) {
  is.matrix(csplit) && is_matrix(csplit, "integer", nrow(csplit), ncol(csplit)) &&
    is_codes(c(csplit), 3) &&
    is_codes(rows, nrow(csplit)) && ncol(csplit) >= n_levels
}

# ---- result --------------------------------------------------------------------------------------

ends_of_search <- c("optimal", "gap reached", "time limit", "memory limit", "interrupted",
                    "cost limit", "pruned", "near-optimal")

fault_in_result <- function(fit) {
  n_classes <- length(fit$ylevels)
  loss <- fit[["loss"]]
  status <- fit[["status"]]
  first_fault(c(
    objective = is_number(fit[["objective"]], 0), cost = is_number(fit[["cost"]], 0),
    bound = is_number(fit[["bound"]]),
    gap = is_number(fit[["gap"]]),
    status = is_plain(status, "character", 1L) && status %in% ends_of_search,
    capped = is_flags(fit[["capped"]]),
    counted = is.null(fit[["counted"]]) || is_counted(fit[["counted"]], nrow(fit$frame)),
    loss = is.null(loss) || (is_matrix(loss, "double", n_classes, n_classes) &&
                             all(is.finite(loss)) && all(loss >= 0)),
    weighted = is.null(fit[["weighted"]]) || is_flags(fit[["weighted"]]),
    elapsed = is.null(fit[["elapsed"]]) || identical(fit[["elapsed"]], NA_real_) ||
      is_number(fit[["elapsed"]], 0),
    # sums of weights that are rounded may be below 0
    variable.importance = is_amounts(c(fit[["variable.importance"]]), low = -Inf),
    search = is.null(fit[["search"]]) || (is_amounts(fit[["search"]]) &&
                                          is_names(names(fit[["search"]]))),
    simd = is.null(fit[["simd"]]) || (is_texts(fit[["simd"]]) && length(fit[["simd"]]) == 1),
    threads = is.null(fit[["threads"]]) || is_number(fit[["threads"]], 1),
    history = is.null(fit[["history"]]) || is_history(fit[["history"]])))
}

is_counted <- function(counted, n) {
  is.list(counted) && identical(setdiff(names(counted), "rest"), c("unit", "nodes")) &&
    is_number(counted$unit, 0) && is_amounts(counted$nodes, n) &&
    (is.null(counted[["rest"]]) || is_amounts(counted[["rest"]], n))
}

is_history <- function(history) {
  is_frame(history, c("time", "cost", "bound")) && all(vapply(unclass(history), is.numeric, NA))
}

# Whether settings that are read of a fit later are sound; others pass contree_control() again.
are_settings <- function(control) {
  if (!is.list(control) || !is_names(names(control))) return(FALSE)
  is_limit <- function(name) {
    value <- control[[name]]
    range <- setting_table[[name]]
    is_plain(value, "double", 1L) && !is.na(value) && value >= range$low && value <= range$high
  }
  all(vapply(c("depth", "complexity", "max_gap", "max_thresholds", "time_limit"), is_limit, NA)) &&
    (is.null(control$new_levels) || (is_texts(control$new_levels) &&
                                     control$new_levels %in% c("majority", "error")))
}

# Formula and call are R, and whoever can write them can have anything run: only that they are what
# they should be is seen.
fault_in_request <- function(fit) {
  terms <- fit[["terms"]]
  n_variables <- .Call(ffi_list_arguments, attr(terms, "variables"))
  fine <- is.null(terms) ||
    (inherits(terms, "terms") && is.call(terms) && n_variables > 0 &&
     n_variables == .Call(ffi_list_arguments, attr(terms, "predvars")) &&
     are_classes(attr(terms, "dataClasses")))
  control <- fit[["control"]]
  first_fault(c(terms = fine, call = is.call(fit[["call"]]), control = is.null(control) ||
                are_settings(control)))
}

# What model.frame() knows of variables, by name; terms made by hand may be without.
are_classes <- function(classes) {
  is.null(classes) || (is_texts(unname(classes)) && is_texts(names(classes)))
}

# A policy tree must have a number for each node, and the proof.
fault_in_policy <- function(fit) {
  policy <- fit[["policy"]]
  if (is.null(policy)) return(NULL)
  n <- nrow(fit$frame)
  fine <- is.list(policy) && is_names(policy[["actions"]]) && is.list(fit[["control"]]) &&
    identical(policy$actions, colnames(fit$frame$yval2)) &&
    is_codes(policy[["action"]], length(policy$actions), n) &&
    is_amounts(policy[["reward"]], n, low = -Inf) &&
    is_plain(policy[["std.error"]], "double", n) &&
    all(vapply(policy[policy_amounts], is_number, NA)) &&
    is_plain(policy[["elapsed"]], "double", 1L) &&
    is_plain(policy[["status"]], "character", 1L)
  if (!fine) "policy"
}

# ---- training rows -------------------------------------------------------------------------------

fault_in_rows <- function(fit) {
  where <- fit[["where"]]
  n <- length(where)
  y <- fit[["y"]]
  left_out <- fit[["na.action"]]
  weightless <- fit[["weightless"]] # rows of model trees which the others do not count
  all <- n + if (is.list(weightless)) length(weightless[["rows"]]) else 0
  fits <- function(codes, most) is_plain(codes, "integer", n) && is_codes(codes, most)
  first_fault(c(
    where = fits(where, nrow(fit$frame)) && (n == 0 || n == fit$frame$n[1]),
    y = is.null(y) || if (predicts_classes(fit)) fits(y, length(fit$ylevels))
                      else is_amounts(y, n, low = -Inf),
    y = !is.null(y) || n == 0 || !is.null(fit[["policy"]]),
    residuals = is.null(fit[["residuals"]]) || is_amounts(fit[["residuals"]], n),
    weights = is.null(fit[["weights"]]) || is_amounts(fit[["weights"]], n),
    hash = is.null(fit[["hash"]]) || is_amounts(fit[["hash"]], length(fit$shape$names)),
    na.action = is.null(left_out) || is_left_out(left_out, all),
    model = is.null(fit[["model"]]) || (is.data.frame(fit[["model"]]) &&
                                        nrow(fit[["model"]]) == all)))
}

is_left_out <- function(rows, n) {
  class(rows)[1] %in% c("omit", "exclude") && typeof(rows) == "integer" && !anyDuplicated(rows) &&
    is_codes(as.vector(rows), n + length(rows))
}
