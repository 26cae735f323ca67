# The small generics of stats and base.

#' Standard methods for trees and forests
#'
#' `fitted()` returns the predictions of the training rows (for forests, by the trees that were not
#' grown from the row); `residuals()` is 1 for each row that these misclassify and 0 for the others,
#' or for a numeric response the observed value less the prediction. Both are `NA` for rows that
#' `na.exclude` left out, and for rows that all trees of a forest were grown from. `weights()`
#' returns the case weights of the training rows, 1 if none were given (for forests those by which
#' rows are drawn). `nobs()` is the number of training rows. `formula()` and `terms()` return the
#' formula; `model.frame()` the training data, which are evaluated again unless a tree was fitted
#' with `model = TRUE`, and refused where rows or the response are not those of the fit.
#' `as.data.frame()` returns the nodes of a tree.
#'
#' `update()` refits with changed arguments, as usual, and starts from the existing tree: a search
#' that was stopped continues from the best known tree, as in `update(fit, time_limit = 600)`.
#' `start = NULL` starts from scratch. The call is evaluated where `update()` is called; it has the
#' formula itself where that was given as a variable, and what the formula needs of the place where
#' it was written comes from the fit. For a fit made with `do.call()`, the call contains the
#' expressions of the other arguments, not their values.
#'
#' @order 1
#' @param object,x,formula A fit of [contree()], or of [hist_forest()] except for `as.data.frame()`.
#' @param formula. Changes to the formula, see [update.formula()].
#' @param ... Arguments of [contree()] for `update()`, not used by the others.
#' @param evaluate `TRUE` (the default) returns the new fit, `FALSE` the call.
#' @return `update()`: a fit; `fitted()`: a factor, or numbers; `residuals()`: an integer or
#'   numeric vector; `nobs()`: a number; `deviance()`: the sum of the weighted squared residuals of
#'   a tree of numbers, or of the losses that `objective = "absolute"` minimises; `formula()`: a
#'   formula; `terms()`: a terms object; `model.frame()`: a data frame. The formula methods, and
#'   `model.frame()` without `model = TRUE`, give a `contree_input_error` for fits from `x` and
#'   `y`, which have no formula.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' table(fitted(fit), iris$Species)
#' which(residuals(fit) == 1)
#' nobs(fit)
#' formula(fit)
#' head(model.frame(fit), 3)
#' update(fit, . ~ . - Petal.Width, depth = 1)
#' @name contree_methods
NULL

#' @rdname contree_methods
#' @export
fitted.contree_model <- function(object, ...) stats::predict(object)

#' @rdname contree_methods
#' @export
residuals.contree_model <- function(object, ...) {
  check_fit(object, "object")
  stats::naresid(tree_na_action(object), tree_residuals(object))
}

#' @rdname contree_methods
#' @export
nobs.contree_model <- function(object, ...) node_n(check_fit(object, "object", rows = FALSE))[1]

#' @rdname contree_methods
#' @export
deviance.contree_model <- function(object, ...) {
  check_fit(object, "object")
  if (!identical(tree_leaf(object), "number")) {
    stop_unsupported("object", gettext(
      "only trees of numbers have a deviance; glance() and summary() have the errors of others"))
  }
  training_figures(object)$deviance
}

#' @rdname contree_methods
#' @export
formula.contree_model <- function(x, ...) stats::formula(stats::terms(x))

#' @rdname contree_methods
#' @export
terms.contree_model <- function(x, ...) terms_or_stop(tree_terms(check_fit(x, "x", rows = FALSE)))

terms_or_stop <- function(terms) {
  if (!is.null(terms)) return(terms)
  stop_input("x", gettext("the fit was made with 'x' and 'y' and has no formula"),
             gettext("fit it with a formula and 'data'"))
}

#' @rdname contree_methods
#' @export
model.frame.contree_model <- function(formula, ...) {
  check_fit(formula, "formula")
  if (!is.null(tree_model(formula))) return(tree_model(formula))
  weightless <- formula$weightless$rows # of model trees, which do not count them
  refuse <- function(reason) {
    no_model_frame(reason, gettext("fit the tree with model = TRUE to keep it"))
  }
  frame <- found_model_frame(stats::terms(formula), tree_call(formula), tree_na_action(formula),
                             stats::nobs(formula) + length(weightless), refuse, parent.frame())
  fitted <- if (length(weightless)) frame[-weightless, , drop = FALSE] else frame
  if (!is.null(fault <- model_fault(formula, fitted))) refuse(fault)
  frame
}

#' @rdname contree_methods
#' @export
model.frame.contree_ensemble <- function(formula, ...) {
  refuse <- function(reason) no_model_frame(reason, gettext("grow the forest again"))
  frame <- found_model_frame(stats::terms(formula), formula$call, formula$na.action, formula$n,
                             refuse, parent.frame())
  response <- read_forest_response(frame[[1]], names(frame)[1])
  if (!same_grown_response(response, formula$y)) refuse(gettext("the response has other values"))
  frame
}

# The model frame of `n` training rows as the call of a fit finds them now. `refuse` is called with
# the reason where it does not.
found_model_frame <- function(terms, call, left_out, n, refuse, env) {
  call <- call[c(1, match(c("data", "subset", "na.action"), names(call), 0L))]
  call[[1]] <- quote(stats::model.frame)
  call$formula <- terms
  if (!is.null(call$subset)) call$subset <- as.call(list(without_missing_rows, call$subset))
  # what is known to have been left out, also for a missing weight or offset, is left out below
  if (is.null(call$na.action) || !is.null(left_out)) call$na.action <- quote(stats::na.pass)
  frame <- tryCatch(eval(call, env), error = function(problem) refuse(conditionMessage(problem)))
  if (!is.null(left_out) && nrow(frame) == n + length(left_out)) {
    frame <- frame[-left_out, , drop = FALSE]
  }
  if (nrow(frame) != n) refuse(gettextf("it has %d rows now, and had %d", nrow(frame), n))
  frame
}

# As select_rows() has it; stats::model.frame() has rows of NA where a condition is NA.
without_missing_rows <- function(subset) {
  if (is.logical(subset)) subset %in% TRUE else subset[!is.na(subset)]
}

# Trees that were read have the call that read them.
refuse_read_tree <- function(fit) {
  if (!identical(tree_call(fit)[[1]], quote(contree_from_json))) return(invisible())
  stop_input("object", gettext(
    "a tree of a document knows no call, and cannot be fitted again; update the fit itself"))
}

#' @export
update.contree_model <- function(object, ...) {
  refuse_read_tree(object)
  NextMethod()
}

#' @rdname contree_methods
#' @export
update.contree <- function(object, formula., ..., evaluate = TRUE) {
  check_fit(object, "object")
  check_flag("evaluate", evaluate)
  refuse_read_tree(object)
  if (!missing(formula.)) check_change(formula.)
  changes <- expressions_of_dots(match.call(expand.dots = FALSE)$..., parent.frame())
  call <- tree_call(object)
  given <- names_of_dots(changes)
  call <- replace_arguments(call[!names(call) %in% names_replaced(names(call), given)], changes)
  if (!missing(formula.)) {
    # the terms of very many predictors have the formula as it was written, with its dot
    many <- length(attr(tree_terms(object), "term.labels")) >= full_terms_limit
    change <- if (many) replace_dots else function(new, old) stats::update(old, new)
    call$formula <- change(stats::as.formula(formula.), stats::formula(object))
  }
  if (missing(formula.)) call <- with_own_formula(call, object, parent.frame())
  if (!evaluate) return(call)
  # the tree itself, not a name that may mean something else when the call is evaluated;
  # plain_call() takes it out again
  if (!"start" %in% ...names()) call$start <- object
  eval(call, parent.frame())
}

# The call with a formula that finds the functions and constants that the fit keeps.
with_own_formula <- function(call, fit, env) {
  terms <- tree_terms(fit)
  if (is.null(terms) || is_lasting(environment(terms))) return(call)
  call$formula <- formula_again(fit, call[["formula"]], env)
  call
}

check_change <- function(formula.) {
  if (inherits(formula., "formula")) return(invisible())
  stop_input("formula.", gettextf("'formula.' must be a formula, as in . ~ . - a, not %s",
                                  show_value(formula.)))
}

# Settings that are given under another name now, as `maxdepth` of a call by `depth`.
names_replaced <- function(names, given) {
  given <- given[nzchar(given)]
  names[nzchar(names) & same_setting(names, given) & !names %in% given]
}

# NULL takes an argument out, as stats::update() has it, or is that of one that is new.
replace_arguments <- function(call, arguments) {
  parts <- as.list(call)
  given <- names_of_dots(arguments)
  there <- nzchar(given) & given %in% names(parts)
  for (name in given[there]) parts[[name]] <- arguments[[name]]
  as.call(c(parts, arguments[!there]))
}

# Arguments as a call has them. Those that came through the dots of the caller, as of lapply(), are
# names such as `..1` to R, of which a call that is kept has the values.
expressions_of_dots <- function(dots, env) {
  lapply(dots, function(expression) {
    if (!is_of_dots(expression)) return(expression)
    value <- eval(expression, env)
    if (is.language(value) && !inherits(value, "formula")) call("quote", value) else value
  })
}

no_model_frame <- function(reason, way) {
  stop_input("model", gettextf("the training data cannot be found again (%s)", reason), way)
}

#' @rdname contree_methods
#' @param row.names,optional As in [as.data.frame()]; `optional` is not used.
#' @return `as.data.frame()`: a data frame with one row for each node, in the order of `print()`:
#'   `node` and `parent` (node numbers; the parent of the root is `NA`), `depth`, `leaf` (logical),
#'   `variable` and `threshold` of the split (smaller values go to `left`, others to `right`; see
#'   [contree.object] for ordered factors, dates and times; `NA` in leaves and at splits by levels),
#'   `levels` (those that go to `left` at a split by levels, separated by commas, else `NA`),
#'   `default_left` (do missing values go to `left`?), `left` and `right` (node numbers of the
#'   children, `NA` in leaves), `n` (training rows), `errors` (how many of them would be
#'   misclassified if the node were a leaf, or their squared errors), `class` (factor),
#'   `probability` (proportion of that class), and for each class a column with its proportion,
#'   named `prob.` and the class; for a regression tree `value` in place of the last three.
#' @examples
#' as.data.frame(contree(Species ~ ., iris, depth = 2))
#' @name as.data.frame.contree
#' @export
as.data.frame.contree_model <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_fit(x, "x", rows = FALSE)
  ids <- node_ids(x)
  children <- node_children(x)
  number <- function(row) ids[ifelse(row == 0, NA, row)]
  nodes <- data.frame(
    node = ids, parent = number(node_parent(x)), depth = node_depth(x), leaf = node_is_leaf(x),
    variable = node_variable(x),
    threshold = node_threshold(x), levels = vapply(node_levels(x), left_levels, ""),
    default_left = node_default_left(x),
    left = number(children$left), right = number(children$right), n = node_n(x),
    errors = node_errors(x))
  columns <- leaf_columns(x, full = TRUE)
  nodes[names(columns)] <- columns
  with_row_names(nodes, row.names)
}

with_row_names <- function(table, row.names) {
  fine <- is.null(row.names) ||
    ((is.character(row.names) || is.numeric(row.names)) && length(row.names) == nrow(table) &&
     !anyNA(row.names) && !anyDuplicated(row.names))
  if (!fine) {
    stop_input("row.names", gettextf("'row.names' must be NULL or %d different names, not %s",
                                     nrow(table), show_value(row.names)))
  }
  row.names(table) <- row.names
  table
}

left_levels <- function(levels) {
  if (is.null(levels)) NA_character_ else paste(levels$left, collapse = ",")
}
