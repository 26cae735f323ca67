# The small generics for model trees.

#' Methods for model trees
#'
#' `coef()` returns the coefficients of the leaves, `NA` where they are aliased or removed (`select`
#' of [gmt_control()]), and `vcov()` the covariances of one leaf, as `lm()` of its rows; both treat
#' the tree as given. Where coefficients are shrunk (see Shrinkage in [gmt_control()]), the
#' covariances are those of least squares, with the variance of the residuals of the shrunk model.
#' `logLik()` is that of independent normal errors with a common variance in all leaves; its degrees
#' of freedom are the coefficients, the splits and the variance, so `AIC()` and `BIC()` can compare
#' trees. With `complexity = 1` and without shrinkage, `BIC()` differs from the criterion of the
#' search by a constant.
#'
#' `summary()` without a `node` summarises the tree; with one, it is the summary of `lm()` for the
#' rows of that node (without shrinkage), of class `summary.lm`, and prints as such.
#'
#' @order 1
#' @param object,x A fit of [gmt()].
#' @param node Number of a node, as shown by `print()`; inner nodes have models as well. `NULL`, the
#'   default: `coef()` of all leaves, `summary()` of the tree.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @param time `TRUE` shows the seconds that the search took; `FALSE` by default.
#' @param ... For `update()` arguments of [gmt()] to change, for `plot()` with `"tree"` arguments of
#'   [plot.contree()]; else not used.
#' @return `coef()`: a matrix with one row for each leaf and one column for each coefficient, or a
#'   vector for one `node`; `vcov()`: a matrix, with `NA` for aliased coefficients; `logLik()`: an
#'   object of class `logLik`; `deviance()`: the (weighted) sum of squared residuals; `residuals()`,
#'   `fitted()`: named numeric vectors, one value for each training row; `df.residual()`: number of
#'   rows less coefficients and splits; `formula()`: the formula as given; `update()`: the new fit,
#'   or its call.
#' @section Errors:
#' `contree_input_error` for a `node` that does not exist, for unknown regressors or leaves, and for
#' training rows that cannot be found again.
#' @examples
#' fit <- gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1)
#' coef(fit)
#' summary(fit, node = 2)
#' vcov(fit, node = 2)
#' c(AIC(fit), BIC(fit), deviance(fit))
#' @name coef.gmt
NULL

# The row of the node with that number.
row_of_node <- function(fit, node) {
  row <- if (is.numeric(node) && length(node) == 1) match(node, node_ids(fit)) else NA
  if (is.na(row)) {
    stop_input("node", gettextf("there is no node %s; the nodes are %s", show_value(node),
                                show_values(node_ids(fit), 10)))
  }
  row
}

# Without the intercept where models have none.
model_of_node <- function(fit, row) {
  all <- replace(fit$gmt$coefficients[row, ], fit$gmt$aliased[row, ], NA)
  all[shown_coefficients(fit)]
}

shown_coefficients <- function(fit) {
  all <- seq_len(ncol(fit$gmt$coefficients))
  if (isFALSE(fit$gmt$intercept)) all[-1] else all
}

#' @rdname coef.gmt
#' @export
coef.gmt <- function(object, node = NULL, ...) {
  check_no_dots(...)
  check_fit(object, "object", rows = FALSE)
  if (!is.null(node)) return(model_of_node(object, row_of_node(object, node)))
  leaves <- which(node_is_leaf(object))
  table <- do.call(rbind, lapply(leaves, model_of_node, fit = object))
  rownames(table) <- node_ids(object)[leaves]
  table
}

#' @rdname coef.gmt
#' @export
vcov.gmt <- function(object, node, ...) {
  check_no_dots(...)
  check_fit(object, "object", rows = FALSE)
  if (missing(node)) {
    stop_input("node",
               gettext("each leaf has a covariance matrix of its own; give the number of a 'node'"))
  }
  row <- row_of_node(object, node)
  b <- model_of_node(object, row)
  df <- node_n(object)[row] - object$gmt$rank[row]
  shown <- shown_coefficients(object)
  covariances <- matrix(object$gmt$unscaled[shown, shown, row], length(b),
                        dimnames = list(names(b), names(b)))
  covariances[is.na(b), ] <- covariances[, is.na(b)] <- NA
  covariances * if (df > 0) node_errors(object)[row] / df else NaN
}

#' @rdname coef.gmt
#' @export
deviance.gmt <- function(object, ...) sum(node_errors(check_fit(object, "object",
    rows = FALSE))[node_is_leaf(object)])

# Coefficients and splits.
tree_size <- function(fit) sum(fit$gmt$rank[node_is_leaf(fit)]) + tree_splits(fit)

#' @rdname coef.gmt
#' @export
df.residual.gmt <- function(object, ...) node_n(object)[1] - tree_size(object)

#' @rdname coef.gmt
#' @export
logLik.gmt <- function(object, ...) {
  check_fit(object, "object")
  n <- node_n(object)[1]
  w <- tree_row_weights(object)
  logs <- if (is.null(w)) 0 else sum(log(w))
  value <- 0.5 * (logs - n * (log(2 * pi) + 1 - log(n) + log(stats::deviance(object))))
  structure(value, df = tree_size(object) + 1, nobs = n, class = "logLik")
}

# One value a training row, named: `values` of those that have a weight, and of the others.
all_rows <- function(fit, values, weightless) {
  values <- stats::setNames(values, names(tree_where(fit)))
  zero <- fit$weightless
  if (is.null(zero)) return(values)
  out <- rep(values[1], length(values) + length(zero$rows))
  out[-zero$rows] <- values
  out[zero$rows] <- weightless(zero)
  names(out)[-zero$rows] <- names(values)
  names(out)[zero$rows] <- zero$names
  out
}

#' @rdname coef.gmt
#' @export
fitted.gmt <- function(object, ...) {
  check_fit(object, "object")
  values <- all_rows(object, object$fitted.values, function(zero) zero$fitted.values)
  stats::napredict(tree_na_action(object), values)
}

#' @rdname coef.gmt
#' @export
residuals.gmt <- function(object, ...) {
  check_fit(object, "object")
  values <- all_rows(object, tree_y(object) - object$fitted.values,
                     function(zero) zero$y - zero$fitted.values)
  stats::naresid(tree_na_action(object), values)
}

#' @rdname coef.gmt
#' @export
formula.gmt <- function(x, ...) if (is.null(x$formula)) NextMethod() else x$formula

#' @rdname coef.gmt
#' @export
summary.gmt <- function(object, node = NULL, ...) {
  if (is.null(node)) return(NextMethod())
  check_no_dots(...)
  check_fit(object, "object")
  row <- row_of_node(object, node)
  inside <- nearest_cut(object, row)[tree_where(object)] == row
  if (row == 1) inside[] <- TRUE
  summary_of_rows(object, row, inside, parent.frame())
}

# The summary of a node as summary.lm() has it, from what is kept of it and the values of its rows.
summary_of_rows <- function(fit, row, inside, env) {
  b <- model_of_node(fit, row)
  used <- !is.na(b)
  shown <- shown_coefficients(fit)
  there <- !fit$gmt$dropped[row, shown]
  n <- node_n(fit)[row]
  rank <- fit$gmt$rank[row]
  df <- n - rank
  sigma2 <- if (df > 0) node_errors(fit)[row] / df else NaN
  unscaled <- matrix(fit$gmt$unscaled[shown, shown, row], length(b),
                     dimnames = list(names(b), names(b)))[used, used, drop = FALSE]
  error <- sqrt(sigma2 * diag(unscaled))
  t <- b[used] / error
  table <- cbind(Estimate = b[used], "Std. Error" = error, "t value" = t,
                 "Pr(>|t|)" = 2 * stats::pt(abs(t), df, lower.tail = FALSE))
  w <- tree_row_weights(fit)[inside]
  residuals <- node_residuals(fit, row, inside, env)
  answer <- list(call = tree_call(fit), terms = tree_terms(fit),
                 residuals = residuals * if (is.null(w)) 1 else sqrt(w),
                 coefficients = table, aliased = !used[there], sigma = sqrt(sigma2),
                 df = c(rank, df, sum(there)), cov.unscaled = unscaled)
  answer <- c(answer, explained_by_lm(fit, inside, residuals, w, rank, df))
  structure(answer, class = "summary.lm")
}

# R squared and F as this version of R has them, which differ where there is an offset.
explained_by_lm <- function(fit, inside, residuals, weights, rank, df) {
  if (rank == 0) return(list(r.squared = 0, adj.r.squared = 0))
  model <- structure(
    list(coefficients = numeric(rank), residuals = residuals, weights = weights, rank = rank,
         fitted.values = tree_y(fit)[inside] - residuals, offset = fit$offset[inside],
         df.residual = df, qr = structure(list(qr = diag(1, sum(inside), rank),
                                               pivot = seq_len(rank)), class = "qr"),
         terms = structure(y ~ x, intercept = model_size_least(fit))),
    class = "lm")
  unclass(suppressWarnings(stats::summary.lm(model)))[c("r.squared", "adj.r.squared",
                                                        if (rank > model_size_least(fit))
                                                          "fstatistic")]
}

# Coefficients of a model without regressors.
model_size_least <- function(fit) as.integer(!isFALSE(fit$gmt$intercept))

# Residuals of the rows of a node: those of the tree in a leaf, else those of its own model, which
# needs the regressors, as found from `env`.
node_residuals <- function(fit, row, inside, env) {
  if (node_is_leaf(fit)[row]) return((stats::setNames(tree_y(fit) - fit$fitted.values,
                                                      names(tree_where(fit))))[inside])
  x <- training_rows(fit, env)$columns
  if (!is.null(fit$weightless)) x <- rows_of_columns(x, -fit$weightless$rows)
  value <- gmt_values(fit, lapply(x, `[`, inside), rep(row, sum(inside)), TRUE)
  y <- tree_y(fit) - if (is.null(fit$offset)) 0 else fit$offset
  stats::setNames(y[inside] - value, names(tree_where(fit))[inside])
}

#' @rdname coef.gmt
#' @export
print.gmt <- function(x, digits = max(3, getOption("digits") - 3), time = FALSE, ...) {
  check_fit(x, "x")
  check_digits(digits)
  check_flag("time", time)
  found <- x$gmt
  cat(rows_line(x), "\n\n", sep = "")
  cat(gettextf("Model tree of depth %d, %s, BIC %s, residual standard error %s; %s%s",
               max(node_depth(x)), leaves_text(x),
               format(found$bic, digits = digits),
               format(sqrt(stats::deviance(x) / max(1, stats::df.residual(x))),
                      digits = digits), ending_text(found),
               if (time) gettextf(" in %s s", format(signif(found$elapsed,
                                                            2))) else ""),
      "\n", held_out_line(x), "\n", sep = "")
  cat(node_heading(x), "\n      * denotes terminal node\n\n", sep = "")
  cat(node_lines(x, digits), sep = "\n")
  invisible(x)
}

# What is known of the tree beside all others.
ending_text <- function(found) {
  if (is.null(found$optimum)) status_text(found) else optimum_text(found)
}

status_text <- function(found) {
  if (found$certified) return(gettext("no change of a single node improves it"))
  switch(found$status, "time limit" = gettext("stopped at the time limit"),
         interrupted = gettext("interrupted"),
         gettext("search not complete"))
}
