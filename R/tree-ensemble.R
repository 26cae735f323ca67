# Ensembles: many trees that answer together, whoever grew them. All are of class contree_ensemble;
# a kind of ensemble is a class before it, with methods of
#   tree_count()   how many trees there are
#   forest_tree()  one of them as a fit of class contree_model, which every reader of trees takes
# and of predict() and print(). What reads or writes one tree names forest_tree() when it is given
# an ensemble, see check_fit().

# The one constructor, for every kind.
#   classes  those of the response, in order; NULL where trees predict numbers
#   data     what is known of the training data, as for new_model(), with `n`, the number of rows
#   ...      members that some kinds know; NULL stays, so that `$` finds nothing else
new_ensemble <- function(classes, data, call, ..., class) {
  ensemble <- list(call = call, terms = data$terms,
                   type = if (is.null(classes)) "regression" else "classification",
                   classes = classes, n = data$n, ..., shape = data$shape, types = data$types,
                   xlevels = data$xlevels, units = data$units, na.action = data$na.action)
  class(ensemble) <- c(class, "contree_ensemble") # structure() takes longer than all the rest
  ensemble
}

is_ensemble <- function(x) inherits(x, "contree_ensemble")

tree_count <- function(fit) UseMethod("tree_count")

# The number of a tree, as one of 1 .. tree_count().
check_tree_number <- function(fit, tree) {
  if (is_count(tree) && tree <= tree_count(fit)) return(invisible(tree))
  stop_input("tree", gettextf("'tree' must be a number from 1 to %d, not %s", tree_count(fit),
                              show_value(tree)))
}

#' @rdname contree_methods
#' @export
fitted.contree_ensemble <- function(object, ...) stats::predict(object)

# Residuals are those of rows out of bag.
#' @rdname contree_methods
#' @export
residuals.hist_forest <- function(object, ...) {
  check_no_dots(...)
  if (object$type == "survival") {
    stop_unsupported("object", gettext(paste(
      "survival forests have no residuals; see fit$oob$error (1 - concordance) and",
      "forest_brier()")))
  }
  refuse_rates(object, gettext("residuals; see fit$oob"))
  told <- stats::predict(object)
  y <- stats::napredict(object$na.action, object$y)
  residuals <- if (object$type == "classification") as.integer(told != y) else as.double(y) - told
  stats::setNames(residuals, names(told))
}

# A number a row: its case weight, 1 where none were given.
#' @rdname contree_methods
#' @export
weights.contree_ensemble <- function(object, ...) weights_or_ones(object$sampling, object$n)

#' @rdname contree_methods
#' @export
weights.contree_model <- function(object, ...) {
  check_fit(object, "object")
  weights <- tree_row_weights(object)
  if (is.null(weights) && tree_weighted(object)) {
    stop_unsupported("object", gettext("the fit does not keep its case weights"))
  }
  stats::naresid(tree_na_action(object), weights_or_ones(weights, stats::nobs(object)))
}

weights_or_ones <- function(weights, n) if (is.null(weights)) rep(1, n) else as.double(weights)

#' @rdname contree_methods
#' @export
nobs.contree_ensemble <- function(object, ...) object$n

#' @rdname contree_methods
#' @export
formula.contree_ensemble <- function(x, ...) stats::formula(stats::terms(x))

# `...` are arguments of hist_forest() then. An offset is no term of a forest, but stays.
#' @rdname contree_methods
#' @export
update.hist_forest <- function(object, formula., ..., evaluate = TRUE) {
  check_flag("evaluate", evaluate)
  call <- replace_arguments(object$call, expressions_of_dots(
    match.call(expand.dots = FALSE)$..., parent.frame()))
  if (missing(formula.)) {
    call <- with_own_formula(call, object, parent.frame())
  } else {
    check_change(formula.)
    formula <- stats::formula(object)
    offsets <- offset_terms(call[["formula"]][[3]])
    formula[[3]] <- Reduce(function(a, b) call("+", a, b), offsets, formula[[3]])
    call$formula <- stats::update.formula(formula, formula.)
  }
  if (evaluate) eval(call, parent.frame()) else call
}

#' @rdname contree_methods
#' @export
terms.contree_ensemble <- function(x, ...) terms_or_stop(x$terms)
