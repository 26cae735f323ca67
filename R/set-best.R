# The trees of a set that are best by something else than their cost.

#' Choose among the trees of a set
#'
#' All trees of a [contree_set()] cost about the same, so one may be chosen by other criteria.
#' `contree_best()` returns the best tree by something other than its cost. Its answers are about
#' all trees of the set, which are not listed; only `"monotone"` goes through them one by one.
#'
#' \describe{
#'   \item{`"leaves"`}{fewest leaves}
#'   \item{`"predictors"`}{fewest different predictors}
#'   \item{`"errors"`}{fewest misclassified rows of `data` (with losses: the least loss, which must
#'     then be whole numbers). The best of these trees was chosen on these rows and is likely to
#'     make more errors on others: the number only bounds what a choice may gain}
#'   \item{`"discrepancy"`}{most rows that get another class than from the fit}
#'   \item{`"difference"`}{the difference between two groups nearest to 0: that of the proportions
#'     of rows that get `class`}
#'   \item{`"monotone"`}{trees in which no row would get a lower class (of the levels of the
#'     response) or number if a predictor rose and the others stayed; or no higher one}
#' }
#'
#' For trees that predict numbers there are `"leaves"`, `"predictors"` and `"monotone"`.
#'
#' @param set A value of [contree_set()].
#' @param by The criterion, a string, by default `"leaves"`; see Details.
#' @param data Rows that are counted: a data frame with the predictors and, for `"errors"`, the
#'   response under its name. By default the training rows. Sets on factors, dates, ordered factors
#'   or predictors with missing values count training rows only.
#' @param group For `"difference"`: a vector with one of two values for each row, `NA` for rows that
#'   are of neither group.
#' @param class For `"difference"`: a class, by default the last one.
#' @param monotone For `"monotone"`, and for `subset()`: 1 (must not fall) or -1 (must not rise) for
#'   predictors by name.
#' @param searched For `"monotone"`, and for `subset()`: how many trees are gone through at most, in
#'   the order of cost; a whole number, by default 1000.
#' @return `contree_best()`: a list of class `contree_best`: `tree`, a fit (see [contree.object]),
#'   or `NULL` if none of the trees searched is monotone; `by`; `value`, what the tree has: leaves,
#'   predictors, errors, rows, or the difference; `more`, how much more than the best tree it costs;
#'   `searched`, the number of trees that were gone through, as text, and `trees`, that of the set.
#'   Of several trees with the same value the cheapest, and of these the first.
#' @section Errors:
#' `contree_input_error` if an argument is not as above, there are more than 62 predictors
#' (`"predictors"`), or there are too many different values (`"difference"`: more than 4 million in
#' one part of the trees); a smaller set has fewer.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2, complexity = 0.01)
#' set <- contree_set(fit, errors = 2)
#' contree_best(set, "discrepancy")
#' contree_best(set, "monotone", monotone = c(Petal.Length = 1))
#' @export
contree_best <- function(set, by = "leaves", data = NULL, group = NULL, class = NULL,
                         monotone = NULL, searched = 1000) {
  if (is_list_of_trees(set)) {
    stop_input("set", gettext(paste(
      "'set' is a list of trees, which contree_best() does not choose among; give the set, or",
      "subset(set, without = ), which is one; order a list by what its trees have, as by",
      "sapply(list, `[[`, \"cost\")")))
  }
  check_set(set)
  check_choice("by", by, c("leaves", "predictors", "errors", "discrepancy", "difference",
                           "monotone"))
  if (length(set) == 0) stop_input("set", gettext("the set has no trees"))
  if (by == "monotone") return(first_monotone(set, monotone, searched))
  best <- switch(by,
    leaves = ask_best(set, NULL, NULL, "least", per_leaf = 1),
    predictors = ask_best(set, NULL, NULL, "predictors"),
    best_by_rows(set, by, data, group, class))
  if (by == "predictors") {
    check_few_predictors(set)
    best$value <- length(unique(node_variable(best$tree)[!node_is_leaf(best$tree)]))
  }
  new_best(set, by, best$tree, best$value, set_about(set)$total)
}

is_list_of_trees <- function(set) {
  is.list(set) && !inherits(set, "contree_set") && length(set) > 0 &&
    all(vapply(set, inherits, NA, "contree"))
}

check_few_predictors <- function(set) {
  n <- length(set_parts(set)$problem$frame$shape$names)
  if (n > 62) stop_input("by", gettextf("'by' = \"predictors\" is for up to 62 of them, not %d", n))
}

new_best <- function(set, by, tree, value, searched) {
  about <- set_about(set)
  structure(list(tree = tree, by = by, value = value,
                 more = if (!is.null(tree)) tree_proof(tree)$cost - min(about$cost),
                 searched = searched, trees = about$total), class = "contree_best")
}

# list(value, tree): `gain` has a row for each class, a column for each row of the data.
ask_best <- function(set, columns, gain, goal, per_leaf = 0, exchanged = 0, sparing = 0,
                     with_tree = TRUE) {
  parts <- set_parts(set)
  if (is.null(gain)) {
    gain <- matrix(0, if (is_of_numbers(set)) 1 else length(set_classes(set)), 0)
    columns <- lapply(seq_len(column_count(plain_columns(parts$problem))), function(j) numeric())
  }
  best <- call_core(.Call(ffi_set_best, set_pointer(set), columns, gain,
                          match(goal, c("least", "nearest", "predictors")) - 1L,
                          as.integer(per_leaf), as.integer(exchanged), as.integer(sparing),
                          with_tree), refuse_question)
  if (with_tree) best$tree <- tree_of_set(set, best$tree)
  best
}

best_by_rows <- function(set, by, data, group, class) {
  refuse_numbers(set, gettextf("'by' = \"%s\"", by),
                 gettext("ask for \"leaves\", \"predictors\" or \"monotone\""))
  rows <- counted_rows(set, data, by == "errors")
  gain <- switch(by,
    errors = whole_gain(rows$loss),
    discrepancy = -outer(set_classes(set), rows$told, "!="),
    difference = difference_gain(set, rows, group, class))
  best <- ask_best(set, rows$columns, gain + 0, if (by == "difference") "nearest" else "least")
  if (by == "difference") best$value <- best$value / attr(gain, "unit")
  best$value <- best$value * if (by == "discrepancy") -1 else 1
  best
}

# list(columns, n, told, loss): the columns of the rows that are counted, the class that the fit
# tells each of them, and with their response what each class costs.
counted_rows <- function(set, data, with_loss) {
  parts <- set_parts(set)
  fit <- parts$fit
  frame <- parts$problem$frame
  classes <- set_classes(set)
  if (is.null(data)) {
    told <- node_label(fit)[tree_where(fit)]
    response <- match(as.character(frame$response), tree_classes(fit))
    return(list(columns = plain_columns(parts$problem), n = length(told),
                told = tree_classes(fit)[told],
                loss = if (with_loss) loss_of_rows(fit, response, frame$weights, classes)))
  }
  if (!is.null(parts$problem$derived) || !all(frame$types %in% number_types)) {
    stop_input("data",
               gettext("sets on such predictors count training rows only; leave 'data' out"))
  }
  used <- summary(set)$predictors
  new <- new_columns(reader_of(fit, used$predictor[used$share > 0]), data, stats::na.pass)
  list(columns = full_columns(new$columns, frame$shape$names), n = NROW(data),
       told = as.character(stats::predict(fit, data)),
       loss = if (with_loss) loss_of_rows(fit, response_codes(set, data), NULL, classes))
}

response_codes <- function(set, data) {
  fit <- set_parts(set)$fit
  name <- all.vars(stats::formula(fit))[1]
  y <- if (is.data.frame(data)) data[[name]]
  if (is.null(y)) stop_input("data", gettextf("'data' has no column '%s', the response", name))
  code <- match(as.character(y), tree_classes(fit))
  if (anyNA(code)) stop_input("data", gettextf("'data$%s' must have classes of the fit", name))
  code
}

# Classes by rows: what it costs to tell a row a class.
loss_of_rows <- function(fit, response, weights, classes) {
  loss <- tree_loss(fit)
  if (is.null(loss)) loss <- 1 - diag(length(tree_classes(fit)))
  gain <- t(loss[response, match(classes, tree_classes(fit)), drop = FALSE])
  if (is.null(weights)) gain else gain * rep(weights, each = nrow(gain))
}

whole_gain <- function(gain) {
  if (any(gain != round(gain)) || sum(abs(gain)) >= 2^52) {
    stop_input("set", gettext("weights and losses must be whole numbers to be counted"))
  }
  unname(gain)
}

# In units of 1 / (n_1 n_2), so that sums are whole.
difference_gain <- function(set, rows, group, class) {
  classes <- set_classes(set)
  if (is.null(class)) class <- classes[length(classes)]
  check_choice("class", class, classes)
  values <- sort(unique(group[!is.na(group)]))
  if (length(group) != rows$n || length(values) != 2) {
    stop_input("group", gettextf("'group' must have one of two values for each of %d rows", rows$n))
  }
  first <- !is.na(group) & group == values[1]
  second <- !is.na(group) & group == values[2]
  sizes <- c(sum(first), sum(second))
  gain <- outer(classes == class, first * sizes[2] - second * sizes[1])
  structure(gain, unit = prod(sizes))
}

# ---- monotone ------------------------------------------------------------------------------------

first_monotone <- function(set, monotone, searched) {
  monotone <- check_monotone(set, monotone)
  if (!is_count(searched)) {
    stop_input("searched", gettextf("'searched' must be a whole number of at least 1, not %s",
                                    show_value(searched)))
  }
  for (k in seq_len(min(searched, length(set)))) {
    tree <- set[[k]]
    if (is_monotone(tree, monotone)) {
      return(new_best(set, "monotone", tree, monotone, format(k, scientific = FALSE)))
    }
  }
  new_best(set, "monotone", NULL, monotone, format(k, scientific = FALSE))
}

check_monotone <- function(set, monotone) {
  frame <- set_parts(set)$problem$frame
  if (!is.numeric(monotone) || !length(monotone) || !all(monotone %in% c(-1, 1)) ||
      !all(names(monotone) %in% frame$shape$names) || is.null(names(monotone))) {
    stop_input("monotone",
               gettext("'monotone' must be 1 or -1 for predictors by name, as c(x = 1)"))
  }
  derived <- set_parts(set)$problem$derived$predictor
  several <- names(which(table(frame$shape$names[derived]) > 1))
  if (any(names(monotone) %in% several) ||
      !all(unlist(frame$types[match(names(monotone), frame$shape$names)]) %in% number_types)) {
    stop_input("monotone", gettext("only numbers without missing values can rise or fall"))
  }
  monotone
}

# Whether of each two leaves whose boxes meet but for one of the predictors the labels are in order.
is_monotone <- function(tree, monotone) {
  box <- leaf_boxes(tree)
  label <- (if (predicts_classes(tree)) node_label(tree) else node_values(tree)[, 1])[box$leaf]
  n <- length(label)
  meet <- array(TRUE, c(n, n, length(box$names)))
  for (j in seq_along(box$names)) {
    meet[, , j] <- outer(box$low[, j], box$high[, j], "<") & outer(box$high[, j], box$low[, j], ">")
  }
  all(vapply(intersect(names(monotone), box$names), function(name) {
    j <- match(name, box$names)
    others <- apply(meet[, , -j, drop = FALSE], 1:2, all)
    below <- others & outer(box$high[, j], box$low[, j], "<=")
    !any(below & outer(label, label, if (monotone[name] > 0) ">" else "<"))
  }, NA))
}

# list(leaf, names, low, high): leaves by predictors that are split on. Sets of levels and missing
# values are all that there may be: more leaves seem to meet.
leaf_boxes <- function(tree) {
  children <- node_children(tree)
  variable <- node_variable(tree)
  threshold <- node_threshold(tree)
  inner <- which(!node_is_leaf(tree))
  names <- unique(variable[inner])
  low <- matrix(-Inf, length(variable), length(names))
  high <- -low
  for (k in inner) {
    below <- c(children$left[k], children$right[k])
    low[below, ] <- rep(low[k, ], each = 2)
    high[below, ] <- rep(high[k, ], each = 2)
    if (!is.null(node_levels(tree)[[k]])) next
    high[below[1], match(variable[k], names)] <- threshold[k]
    low[below[2], match(variable[k], names)] <- threshold[k]
  }
  leaf <- which(node_is_leaf(tree))
  list(leaf = leaf, names = names, low = low[leaf, , drop = FALSE],
       high = high[leaf, , drop = FALSE])
}

#' @rdname contree_best
#' @export
print.contree_best <- function(x, ...) {
  check_no_dots(...)
  of <- gettextf("of %s trees", big_text(x$trees))
  if (is.null(x$tree)) {
    cat(gettextf("None of the first %s %s is monotone", big_text(x$searched), of), "\n", sep = "")
    return(invisible(x))
  }
  cat(switch(x$by,
    leaves = gettextf("Fewest leaves %s: %s", of, x$value),
    predictors = gettextf("Fewest predictors %s: %s", of, x$value),
    errors = gettextf("Fewest errors %s: %s", of, cost_text(x$value)),
    discrepancy = gettextf("Most rows told another class than by the fit, %s: %s", of, x$value),
    difference = gettextf("Difference of two groups nearest to 0, %s: %s", of,
                          format(signif(x$value, 4))),
    monotone = gettextf("The first %s that is monotone is number %s", of, big_text(x$searched))),
    gettextf("; cost %s, %s more than the best", cost_text(tree_proof(x$tree)$cost),
             cost_text(x$more)), "\n\n", sep = "")
  print(x$tree)
  invisible(x)
}

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_best <- function(x, ...) {
  check_no_dots(...)
  data.frame(by = x$by, value = if (is.null(x$tree)) NA_real_ else as.numeric(x$value)[1],
             more = if (is.null(x$tree)) NA_real_ else x$more, searched = x$searched,
             trees = x$trees)
}

# ---- reliance ------------------------------------------------------------------------------------

#' @param data Rows that are counted, as in [contree_best()]; by default the training rows.
#' @rdname summary.contree_set
#' @export
contree_importance.contree_set <- function(fit, data = NULL, ...) {
  check_no_dots(...)
  table <- gain_table(fit)
  if (is_of_numbers(fit)) {
    if (!is.null(data)) {
      stop_input("data", gettext("gains of trees that predict numbers are of training rows"))
    }
    return(table)
  }
  rows <- counted_rows(fit, data, TRUE)
  gain <- whole_gain(rows$loss)
  if (rows$n * sum(gain) >= 2^52) {
    stop_input("data", gettext("there are too many rows to exchange the values of each two"))
  }
  problem <- set_parts(fit)$problem
  column <- match(column_predictors(problem), table$predictor)
  ranges <- vapply(seq_len(nrow(table)), function(j) {
    own <- which(column == j)
    if (table$share[j] == 0) own <- 0L
    if (length(own) > 1 || (own > 0 && anyNA(column_at(rows$columns, own)))) return(c(NA, NA))
    least <- ask_best(fit, rows$columns, gain + 0, "least", exchanged = own, with_tree = FALSE)
    most <- ask_best(fit, rows$columns, -gain, "least", exchanged = own, with_tree = FALSE)
    c(least$value, -most$value) / if (own > 0) rows$n else 1
  }, c(0, 0))
  table$least <- ranges[1, ]
  table$greatest <- ranges[2, ]
  table
}

# What splits on each predictor save, of training rows: the least and the greatest of all trees.
gain_table <- function(set) {
  table <- summary(set)$predictors
  saved <- function(j, sign) {
    if (table$share[j] == 0) return(0)
    sign * ask_best(set, NULL, NULL, "least", sparing = sign * j, with_tree = FALSE)$value
  }
  predictors <- seq_len(nrow(table))
  table$least_gain <- vapply(predictors, saved, 0, 1)
  table$greatest_gain <- vapply(predictors, saved, 0, -1)
  table
}
