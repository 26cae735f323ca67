# Cross-validation of model trees: complexity and smoothing. A search is made for each complexity;
# smoothing changes the models in its leaves alone.

#' Choose the complexity of a model tree by cross-validation
#'
#' Fits model trees of several complexities, with several amounts of smoothing, to all rows except
#' those of one fold at a time, and computes the squared errors on the rows left out. A tree with
#' the chosen settings is then fitted to all rows.
#'
#' The error is the (weighted) mean squared error of the held-out rows, and its standard error is
#' that of a mean of independent rows, as in [contree_cv()]; rows that miss a regressor which no row
#' of the other folds misses have no prediction, and are left out. Folds, repeats and workers are
#' as described there, except that folds are not stratified. The result is the same for any number
#' of workers.
#'
#' `rule = "1se"` chooses the largest complexity whose error, with the best smoothing, is within one
#' standard error of the lowest; `"min"` chooses the lowest error. Smoothing does not change the
#' size of a tree, so at the chosen complexity the smoothing with the lowest error is used.
#'
#' @inheritParams gmt
#' @param complexity,smoothing Values to try, numeric vectors, by default 0.3, 1, 2, 4, 8, 16 and 0,
#'   1, 3, 8, 20; see [gmt_control()].
#' @param folds,repeats,rule As in [contree_cv()].
#' @param ... Settings, as in [gmt_control()]. Any other name is an error.
#' @return An object of class `gmt_cv` and `contree_cv`, a list of `call`; `table`, a data frame
#'   with a row for each complexity and smoothing: `leaves` and `training` (mean squared error) of
#'   the tree fitted to all rows, `error` and `se` (of held-out rows), `chosen`; `fit`, the chosen
#'   tree; `rule`; `folds`, the fold of each row in each repeat. `print()` and `plot()` show the
#'   table; `predict()` and `summary()` are those of the fit.
#' @section Errors:
#' As for [gmt()]; also `contree_input_error` for `folds` that do not fit the rows.
#' @seealso [gmt()], [contree_cv()].
#' @examples
#' set.seed(1)
#' cv <- gmt_cv(dist ~ speed, cars, complexity = c(0.5, 1, 4), smoothing = c(0, 3), folds = 5)
#' cv
#' plot(cv)
#' predict(cv, data.frame(speed = 10))
#' @export
gmt_cv <- function(x, ...) UseMethod("gmt_cv")

#' @rdname gmt_cv
#' @export
gmt_cv.formula <- function(formula, data, weights, subset, na.action, offset,
                           complexity = c(0.3, 1, 2, 4, 8, 16), smoothing = c(0, 1, 3, 8, 20),
                           folds = 10, repeats = 1, rule = c("1se", "min"), ...,
                           control = gmt_control(...), seed = NULL) {
  call <- plain_call(match.call(), sys.call(-1), "gmt_cv", formula)
  settings <- gmt_settings(control, list(...), !missing(control), seed, FALSE)
  grid <- gmt_grid(complexity, smoothing)
  read <- read_gmt_formula(formula, if (!missing(data)) data,
                           if (!missing(weights)) substitute(weights),
                           if (!missing(subset)) substitute(subset),
                           if (!missing(na.action)) na.action,
                           if (!missing(offset)) substitute(offset))
  cross_validate_gmt(read, folds, repeats, grid, settings, rule, call)
}

#' @rdname gmt_cv
#' @export
gmt_cv.default <- function(x, y, z = x, weights = NULL, offset = NULL,
                           complexity = c(0.3, 1, 2, 4, 8, 16), smoothing = c(0, 1, 3, 8, 20),
                           folds = 10, repeats = 1, rule = c("1se", "min"), ...,
                           control = gmt_control(...), seed = NULL) {
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), gmt_cv.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1), "gmt_cv")
  settings <- gmt_settings(control, list(...), !missing(control), seed, FALSE)
  grid <- gmt_grid(complexity, smoothing)
  check_both_given(x, y)
  read <- read_gmt_xy(x, y, if (!missing(z)) z, weights, offset)
  cross_validate_gmt(read, folds, repeats, grid, settings, rule, call)
}

# One row a tree to try, the largest complexity first.
gmt_grid <- function(complexity, smoothing) {
  check_all <- function(name, values) {
    if (!is.numeric(values) || length(values) == 0) {
      stop_input(name, gettextf("'%s' must be numbers, not %s", name, show_value(values)))
    }
    unique(vapply(values, function(value) check_forest_number(name, value, gmt_ranges[[name]]), 0))
  }
  expand.grid(smoothing = sort(check_all("smoothing", smoothing)),
              complexity = sort(check_all("complexity", complexity), decreasing = TRUE))[2:1]
}

# `read`: the data, see read_gmt_formula().
cross_validate_gmt <- function(read, folds, repeats, grid, settings, rule, call) {
  rule <- check_choice("rule", rule, c("1se", "min"))
  frame <- read$frame
  roles <- predictor_roles(frame, read$regressors, read$splitters, settings$factors)
  folds <- with_seed(settings$seed, read_folds(folds, repeats, rep(1, length(frame$response))))
  if (is.null(settings$seed)) settings$seed <- as.double(sample.int(.Machine$integer.max, 1))
  settings$conformal <- 0
  settings$on_interrupt <- "error"
  runs <- unique(data.frame(fold = c(folds), turn = c(col(folds))))
  complexities <- unique(grid$complexity)
  listener <- cv_listener(settings, length(complexities) * (nrow(runs) + 1), "gmt_cv")
  on.exit(listener$end())
  settings <- settings_of_worker(settings)
  work <- gmt_fold_worker(frame, roles, folds, grid, settings)
  results <- run_tasks(split(runs, seq_len(nrow(runs))), work, listener$tick,
                       length(complexities))
  value <- array(0, c(dim(folds), nrow(grid)))
  for (result in results) value[result$test, result$turn, ] <- result$value
  fits <- unlist(lapply(complexities, function(complexity) {
    made <- fit_smoothings(frame, roles, with_cell(settings, complexity),
                           grid$smoothing[grid$complexity == complexity])
    listener$tick(1)
    made
  }), FALSE)
  new_gmt_cv(frame, folds, grid, value, fits, rule, call)
}

with_cell <- function(settings, complexity) {
  settings$search$complexity <- complexity
  settings
}

# One search, and a fit for each smoothing.
fit_smoothings <- function(frame, roles, settings, smoothing) {
  searched <- search_gmt(frame, roles, settings)
  lapply(smoothing, function(tau) {
    searched$settings$smoothing <- tau
    new_gmt(refit_gmt(searched), frame, quote(gmt()))
  })
}

# The work on one fold, as a function that carries its data to wherever it is called.
gmt_fold_worker <- function(frame, roles, folds, grid, settings) {
  force(frame); force(roles); force(folds); force(grid); force(settings)
  function(run, tick) {
    test <- folds[, run$turn] == run$fold
    held <- rows_of_frame(frame, test)
    values <- lapply(unique(grid$complexity), function(complexity) {
      fits <- fit_smoothings(rows_of_frame(frame, !test), roles, with_cell(settings, complexity),
                             grid$smoothing[grid$complexity == complexity])
      tick(1)
      vapply(fits, values_of_rows, numeric(sum(test)), held)
    })
    list(test = which(test), turn = run$turn,
         value = matrix(unlist(values), sum(test), nrow(grid)))
  }
}

new_gmt_cv <- function(frame, folds, grid, value, fits, rule, call) {
  weights <- if (is.null(frame$weights)) rep(1, length(frame$response)) else frame$weights
  lost <- (value - frame$response)^2
  known <- rowSums(is.na(lost)) == 0 # no row of the other folds lacked what some of these lack
  table <- cbind(
    grid, leaves = vapply(fits, function(fit) sum(node_is_leaf(fit)), 0L),
    training = vapply(fits, function(fit) stats::deviance(fit) / node_weight(fit)[1], 0),
    cv_errors(lost[known, , , drop = FALSE], weights[known]))
  chosen <- choose_complexity(table, rule)
  table$chosen <- seq_len(nrow(table)) == chosen
  fit <- fits[[chosen]]
  fit <- set_call(fit, call_of_cell(call, table[chosen, 1:2], fit$gmt$seed))
  structure(list(call = call, table = table, fit = fit, rule = rule, folds = folds),
            class = c("gmt_cv", "contree_cv"))
}

# The call that fits a tree of the grid to all rows.
call_of_cell <- function(call, cell, seed) {
  call[c("folds", "repeats", "rule")] <- NULL
  call[c("complexity", "smoothing", "seed")] <- c(cell, seed)
  call[[1]] <- if (is.call(call[[1]])) quote(contree::gmt) else quote(gmt)
  call
}

# The row of the table that a rule chooses.
choose_complexity <- function(table, rule) {
  if (rule == "min") return(which.min(table$error))
  fine <- table$error <= least_and_se(table) # the largest complexity comes first
  here <- which(table$complexity == table$complexity[which(fine)[1]])
  here[which.min(table$error[here])]
}

#' @rdname gmt_cv
#' @param x Predictors: a data frame, or a numeric matrix; for `print()` and `plot()`, a value of
#'   `gmt_cv()`.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @export
print.gmt_cv <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat(gettext("Call:"), deparse(x$call), sep = "\n")
  cat("\nn= ", nrow(x$folds), ", ", folds_text(x$folds), "\n\n", sep = "")
  # of each complexity the best smoothing
  best <- order(x$table$complexity, x$table$error)
  best <- best[!duplicated(x$table$complexity[best])]
  shown <- x$table$chosen | seq_len(nrow(x$table)) %in% best
  table <- x$table[shown, ]
  table[c("training", "error", "se")] <- lapply(table[c("training", "error", "se")], format,
                                                digits = digits)
  table$chosen <- ifelse(table$chosen, "*", "")
  names(table)[names(table) == "chosen"] <- ""
  print(table, row.names = FALSE, right = TRUE)
  cat("\n")
  if (!all(shown)) {
    say(gettextf("the best smoothing of each complexity; all %d rows are in $table",
                 nrow(x$table)))
  }
  say(if (x$rule == "min") gettext("* chosen: the lowest error") else gettextf(
    "* chosen: the largest complexity within one standard error of the lowest error (at most %s)",
    format(least_and_se(x$table), digits = digits)))
  invisible(x)
}

#' @rdname gmt_cv
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param col Colours of the lines, a vector with one for each smoothing; `NULL` for the default
#'   colours.
#' @export
plot.gmt_cv <- function(x, main = NULL, col = NULL, ...) {
  table <- x$table
  at <- log2(table$complexity + (table$complexity == 0) * 0.01)
  series <- factor(table$smoothing)
  col <- series_colours(col, nlevels(series))
  graphics::plot(range(at), range(table$error - table$se, table$error + table$se), type = "n",
                 main = main, las = 1, xaxt = "n", xlab = gettext("complexity"),
                 ylab = gettext("mean squared error of held-out rows"))
  graphics::axis(1, unique(at), unique(table$complexity))
  if (x$rule == "1se") graphics::abline(h = least_and_se(table), lty = 3, col = "grey40")
  for (k in seq_len(nlevels(series))) {
    rows <- as.integer(series) == k
    graphics::lines(at[rows], table$error[rows], type = "b", pch = 19, col = col[k], lwd = 2)
  }
  chosen <- table$chosen
  graphics::segments(at[chosen], (table$error - table$se)[chosen], y1 = (table$error +
                                                                           table$se)[chosen])
  graphics::points(at[chosen], table$error[chosen], cex = 2.2, lwd = 2)
  graphics::legend("topleft", levels(series), title = gettext("smoothing"), col = col, lwd = 2,
                   bty = "n")
  invisible(table)
}
