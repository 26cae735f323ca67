# Model trees as objects of partykit that have a model in each node, as those of lmtree().

# The model of a node: predict() and the like of it are those of the node, whichever leaf a row
# would come to.
new_gmt_node <- function(fit, row, inside) {
  structure(list(tree = fit, row = row, inside = inside), class = "gmt_node")
}

#' @export
predict.gmt_node <- function(object, newdata = NULL, type = "response", ...) {
  if (is.null(newdata)) return(stats::fitted(object))
  if (!identical(type, "response")) {
    stop_input("type", gettext("the model of a node predicts only the \"response\""))
  }
  tree <- object$tree
  new <- new_columns(tree, newdata, stats::na.pass)
  value <- gmt_values(tree, new$columns, rep(object$row, nrow(newdata)), extrapolate = FALSE)
  stats::setNames(value + new_offset(tree, newdata, NULL), new$row_names)
}

#' @export
fitted.gmt_node <- function(object, ...) {
  tree <- object$tree
  stats::setNames(tree$fitted.values, names(tree_where(tree)))[object$inside]
}

#' @export
coef.gmt_node <- function(object, ...) model_of_node(object$tree, object$row)

#' @export
vcov.gmt_node <- function(object, ...) {
  stats::vcov(object$tree, node = node_ids(object$tree)[object$row])
}

#' @export
deviance.gmt_node <- function(object, ...) node_errors(object$tree)[object$row]

#' @export
nobs.gmt_node <- function(object, ...) node_n(object$tree)[object$row]

#' @export
print.gmt_node <- function(x, ...) {
  print(stats::coef(x), ...)
  invisible(x)
}

# `data`: the training rows, NULL if they are to be found again from `env`; without them the object
# cannot draw them.
party_of_models <- function(fit, data, env) {
  terms <- used_terms(fit)
  frame <- frame_of_rows(fit, terms, if (is.null(data)) rows_of_fit(fit, env) else data)
  if (is.null(frame)) frame <- cbind(stats::setNames(data.frame(numeric()), "y"),
                                     empty_frame(fit, used_predictors(fit)))
  for (part in fit$gmt$design) { # its panels cannot do without a value
    x <- frame[[part$predictor]]
    if (is.null(part$contrasts) && anyNA(x)) {
      frame[[part$predictor]] <- replace(x, is.na(x), part$fill[1])
    }
  }
  where <- unname(tree_where(fit))
  info <- function(node) {
    inside <- nearest_cut(fit, node)[where] == node
    if (node == 1) inside[] <- TRUE
    model <- new_gmt_node(fit, node, if (node_is_leaf(fit)[node]) inside else integer())
    list(coefficients = stats::coef(model), objfun = node_errors(fit)[node], object = model,
         nobs = node_n(fit)[node])
  }
  weights <- tree_row_weights(fit)
  fitted <- data.frame("(fitted)" = where, "(response)" = tree_y(fit), check.names = FALSE)
  fitted[["(weights)"]] <- weights
  party <- partykit::party(party_nodes(fit, names(frame), info), frame, fitted, terms)
  party$info <- party_info(fit, terms)
  structure(party, class = c("contree_modelparty", "lmtree", "modelparty", "party"))
}

# The training rows as model.frame() finds them again, but those without a weight.
rows_of_fit <- function(fit, env) {
  frame <- tryCatch(eval(quote(stats::model.frame(fit)), list(fit = fit), env),
                    error = function(problem) NULL)
  if (is.null(frame) || is.null(fit$weightless)) return(frame)
  frame[-fit$weightless$rows, , drop = FALSE]
}

# What lmtree() says of itself: regressors and splitters as a formula of two parts.
party_info <- function(fit, terms) {
  labels <- vapply(as.list(attr(terms, "variables"))[-1], variable_label, "")
  variables <- stats::setNames(as.list(attr(terms, "variables"))[-1], labels)
  side <- function(names) {
    asked <- vapply(labels[-1], function(label) {
      any(names == label, startsWith(names, paste0(label, ".")))
    }, NA)
    if (!any(asked)) return(1)
    Reduce(function(a, b) call("+", a, b), variables[-1][asked])
  }
  regressors <- tree_regressors(fit)
  formula <- call("~", variables[[1]],
                  call("|", side(regressors), side(stats::na.omit(node_variable(fit)))))
  formula <- stats::as.formula(formula, environment(terms))
  list(call = tree_call(fit), formula = formula,
       Formula = getExportedValue("Formula", "as.Formula")(formula),
       terms = list(response = terms, partitioning = terms), fit = NULL,
       control = list(terminal = "object", inner = "object", ytype = "vector"),
       dots = list(), nreg = length(regressors), method = "contree")
}

#' @export
residuals.contree_modelparty <- function(object, ...) residuals.contree_party(object)

# The leaf of each row by partykit, then its model.
#' @export
predict.contree_modelparty <- function(object, newdata = NULL, type = "response", ...) {
  models <- object
  class(object) <- c("contree_party", "party")
  node <- if (is.null(newdata)) object$fitted[["(fitted)"]] else stats::predict(object, newdata)
  if (identical(type, "node")) return(node)
  if (is.null(newdata)) newdata <- models$data
  value <- numeric(length(node))
  for (id in unique(node)) {
    rows <- which(node == id)
    model <- partykit::nodeapply(models, id, function(node) partykit::info_node(node)$object)[[1]]
    value[rows] <- stats::predict(model, newdata[rows, , drop = FALSE], type = type)
  }
  stats::setNames(value, row.names(newdata))
}
