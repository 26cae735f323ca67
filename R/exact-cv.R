# Cross-validation: the error of trees of several depths on rows that they were not fitted to, and
# the choice among them.
#
# Every search is that of contree(), on the rows outside of a fold; what comes back from it are the
# classes it predicts for the rows of the fold. All errors are counted from these in one place,
# cv_errors().

#' Choose the depth of a tree, or other settings, by cross-validation
#'
#' Fits trees of several depths, and of several complexities if requested, to all rows except those
#' of one fold at a time, counts their errors on the rows left out, chooses a tree by these errors
#' and fits it to all rows. A fit is cross-validated as it is, or with other settings.
#'
#' @details
#' `print()` shows the table of the result, `plot()` draws it, `as.data.frame()` returns it.
#' `predict()` and `summary()` are those of the chosen fit, which was made from all rows.
#'
#' The plot shows the cross-validated error against the depth, with one standard error to either
#' side, and the training error of the tree fitted to all rows as a dashed line, with one colour for
#' each complexity. If only one depth but several complexities were tried, the axis shows the
#' complexities. The chosen tree is circled. With the one-standard-error rule, the dotted line is
#' the largest error that it allows.
#'
#' @order 1
#' @section Error and standard error:
#' Each row is held out once in each repeat. Its loss is the proportion of the repeats in which it
#' is misclassified (0 or 1 with one repeat) or, for a numeric response, its squared error, averaged
#' over the repeats; `error` is the mean of the n losses and
#'
#' *se = sqrt(sum of (loss - error)^2) / n*,
#'
#' which with one repeat is sqrt(error (1 - error) / n), the formula of Breiman et al. (1984,
#' section 3.4) and of `rpart`. It is computed over rows, not over folds, so that its meaning does
#' not depend on the number and size of the folds. It treats the losses as independent. They are
#' not, since the trees share most of their training rows, so read it as a rough guide.
#'
#' @section Rules for the choice:
#' The rows of the table are ordered from the simplest tree to the largest: by depth and, within a
#' depth, by decreasing complexity. `"min"` chooses the lowest error, and the simplest tree among
#' ties. `"1se"` (Breiman et al. 1984, section 3.4.3) chooses the simplest tree whose error is
#' within one standard error of the lowest: the data cannot distinguish between such trees, and a
#' smaller one is easier to read.
#'
#' The error of the chosen tree is slightly optimistic, because it was chosen for its low error.
#' Where this matters, keep a test set for [contree_accuracy()], or cross-validate the choice as
#' well.
#'
#' @section Folds:
#' Folds are stratified: their numbers of rows, and of rows of each class, differ by at most one.
#' For a numeric response they are drawn from all rows. They are drawn with R's random numbers
#' before the first tree is fitted, so that [set.seed()] makes the result reproducible; nothing
#' after that is random. Functions in the formula that depend on all rows, such as `poly()`, are
#' evaluated once, on all rows.
#'
#' @section In parallel:
#' If the package `future` is loaded and its [plan][future::plan] is not sequential, the folds are
#' distributed over its workers, with one thread each unless `threads` is given. Otherwise they are
#' processed one after another, with the number of threads of [contree_threads()]. The result is the
#' same, unless a search is stopped by a limit. The data are sent to each worker once, as for
#' [contree()] (see `workers` in [contree_control()]); what a lost worker was doing is done by
#' others, and after Ctrl-C each worker ends with the tree that it is fitting.
#'
#' @section Limits and progress:
#' `time_limit` and `memory_limit` apply to each search. Searches stopped by a limit count with the
#' best tree found so far; the table shows how many there were, and there is a warning of class
#' `contree_cv_stopped`. Ctrl-C ends the cross-validation with an error of class
#' `contree_interrupted_error`, whatever `on_interrupt` says.
#'
#' Progress is shown as by [contree()], see `verbose` and `progress` in [contree_control()]. A
#' function given as `progress` is called with a list of `elapsed` (seconds), `done` and `total`
#' (numbers of trees), `closed` (done / total), and `search`, the state of the current search
#' (`NULL` between searches and in other processes).
#'
#' @param formula,weights,subset,na.action,loss,class_weights,y As in [contree()]. With weights or
#'   losses errors are sums of weight times loss, as proportions of the sum of the weights.
#' @param x,object Predictors, as in [contree()]; or a fit of [contree()], [gmt()] or
#'   [hist_forest()]; for the other methods, a value of `contree_cv()`.
#' @param data As in [contree()]; for a forest, its training rows, a data frame, or `NULL` (the
#'   default), if the call of the fit says where they are.
#' @param depth Depths to try, a vector of whole numbers from 0 to 16; 1 to 4 by default.
#' @param complexity Complexities to try at each depth, a vector of numbers between 0 and 1 (see
#'   [contree_control()]). `NULL`, the default, uses that of `control`, which is 0 by default.
#' @param folds Number of folds, from 2 to the number of rows (leave-one-out), 10 by default.
#'   Alternatively the fold of each row used, as a vector or factor of fold names or, for several
#'   repeats, a matrix with one column for each. Use the element `folds` of another cross-validation
#'   to compare two settings on the same folds.
#' @param repeats Number of repeats with new folds, a whole number of at least 1 (the default,
#'   unless `folds` is a matrix).
#' @param rule `"1se"` (the default) or `"min"`; see the section on rules.
#' @param ... Settings of [contree_control()], for all trees. `start` is used only for the trees
#'   fitted to all rows. For a fit, see the section on fits; for `predict()` and `summary()`,
#'   arguments of [predict.contree()] and [summary.contree()]; not used by the other methods.
#' @param rewards,costs In place of `y`: a matrix of rewards as of [policy_tree()], for policy
#'   trees, or of costs, which are rewards below 0. The answer is then an object of class
#'   `contree_policy_cv`, a list of `table` (for each depth and complexity the mean reward of the
#'   rows that were left out, and its standard error), `chosen` (a row of it: with `"1se"` the first
#'   within a standard error of the best), `rule`, `fit` (the chosen policy tree on all rows) and
#'   `call`. `NULL` by default.
#' @param objective With a formula, `"rewards"` or `"costs"`: its left side is such a matrix, as in
#'   `cbind(a, b, c) ~ .`. `NULL`, the default: it is a response.
#' @param control Settings as made by [contree_control()], or a named list of them; by default made
#'   from `...`.
#'
#' @return An object of class `contree_cv`, a list of
#' \describe{
#'   \item{call}{the call.}
#'   \item{table}{data frame with one row for each depth and complexity: `depth`, `complexity`,
#'     `leaves` of the tree fitted to all rows, `training` (its proportion of misclassified rows, or
#'     mean squared error), `error` and `se` (the cross-validated error and its standard error),
#'     `stopped` (number of searches stopped by a limit), `chosen` (logical).}
#'   \item{fit}{the chosen tree, fitted to all rows; see [contree.object]. Its `call` reproduces
#'     it.}
#'   \item{rule}{the rule.}
#'   \item{folds}{integer matrix, the fold of each row (rows) in each repeat (columns).}
#'   \item{confusion}{table of the true (rows) and predicted (columns) classes of the held-out rows
#'     for the chosen depth and complexity, summed over the repeats; absent for a numeric response.}
#' }
#' `plot()` returns the table, invisibly.
#' @section Fits:
#' `contree_cv()` of a fit of [contree()] or [gmt()] repeats its call as one of `contree_cv()` or
#' [gmt_cv()], whose arguments may follow, such as `depth = 1:4`. A forest is grown again without
#' the rows of each fold, with the seed of the fit, for each combination of the settings that
#' follow: vectors of values of numeric or text arguments of [hist_forest()], as in `mtry = c(2, 4),
#' min_n = c(1, 5, 10)`.
#'
#' @section Errors:
#' As for [contree()]; also `contree_input_error` for `folds` that do not fit the rows, for `cp` and
#' `maxdepth`, which must be given as `complexity` and `depth`, for unknown settings of a forest,
#' and if its training rows are not found.
#' @seealso [gmt_cv()], [contree_accuracy()] for a test set, `vignette("choosing")`.
#' @references L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone (1984). *Classification and
#'   Regression Trees*. Wadsworth.
#' @examples
#' set.seed(1)
#' cv <- contree_cv(Species ~ ., data = iris, depth = 0:3)
#' cv
#' plot(cv)
#' as.data.frame(cv)
#' cv$fit
#' predict(cv, iris[c(1, 51, 101), ])
#'
#' # a complexity penalty, on the same folds
#' contree_cv(Species ~ ., data = iris, depth = 3, complexity = c(0, 0.01, 0.05), folds = cv$folds)
#' @export
contree_cv <- function(x, ...) UseMethod("contree_cv")

#' @rdname contree_cv
#' @order 2
#' @export
contree_cv.formula <- function(formula, data, weights, subset, na.action, depth = 1:4,
                               complexity = NULL, folds = 10,
                               repeats = 1, rule = c("1se", "min"), loss = NULL,
                               class_weights = NULL, ..., objective = NULL,
                               control = contree_control(...)) {
  call <- plain_call(match.call(), sys.call(-1), "contree_cv", formula)
  settings <- cv_settings(list(...), if (!missing(control)) control)
  grid <- cv_grid(depth, complexity, settings)
  rule <- check_choice("rule", rule)
  data <- if (!missing(data)) data
  if (!is.null(check_objective(objective))) {
    refuse_with_rewards(c(weights = !missing(weights), loss = !is.null(loss),
                          class_weights = !is.null(class_weights)), "objective")
    frame <- policy_formula_frame(formula, data, if (!missing(subset)) substitute(subset),
                                  if (!missing(na.action)) na.action, settings, objective)
    return(cv_policy_frame(frame, folds, repeats, grid, settings, rule, call))
  }
  env <- environment(formula)
  weights <- if (!missing(weights)) evaluate_argument("weights", substitute(weights), data, env)
  rows <- if (!missing(subset)) evaluate_argument("subset", substitute(subset), data, env)
  frame <- read_data(formula, data, rows, if (!missing(na.action)) na.action, env, settings$missing,
                     weights, read_any_response)
  frame$loss <- read_loss(loss, class_weights, frame)
  x <- frame$model[setdiff(names(frame$model)[-1], "(weights)")]
  cross_validate(frame, x, with_seed(settings$seed, read_folds(folds, repeats, frame$response)),
                 grid, settings, rule, call)
}

#' @rdname contree_cv
#' @order 3
#' @export
contree_cv.default <- function(x, y, depth = 1:4, complexity = NULL, folds = 10, repeats = 1,
                               rule = c("1se", "min"),
                               weights = NULL, loss = NULL, class_weights = NULL, ...,
                               rewards = NULL, costs = NULL, control = contree_control(...)) {
  # as in contree.default()
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), contree_cv.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1), "contree_cv")
  settings <- cv_settings(list(...), if (!missing(control)) control)
  grid <- cv_grid(depth, complexity, settings)
  rule <- check_choice("rule", rule)
  if (!is.null(rewards) || !is.null(costs)) {
    return(cv_rewards(x, rewards, costs, c(
      y = !missing(y), weights = !is.null(weights), loss = !is.null(loss),
      class_weights = !is.null(class_weights)), folds, repeats, grid, settings, rule, call))
  }
  check_both_given(x, y)
  frame <- read_xy(x, y, settings$missing, weights, read_any_response)
  frame$loss <- read_loss(loss, class_weights, frame)
  if (!is.null(frame$na.action)) x <- x[-frame$na.action, , drop = FALSE]
  cross_validate(frame, x, with_seed(settings$seed, read_folds(folds, repeats, frame$response)),
                 grid, settings, rule, call)
}

# ---- what to try ---------------------------------------------------------------------------------

cv_settings <- function(dots, control) {
  for (name in intersect(c("maxdepth", "cp", "depth"), c(names(dots), names(control)))) {
    stop_input(name, gettextf("'%s' sets one tree, and contree_cv() compares several; give %s",
                              name,
                              if (name == "cp") "complexity = c(...)" else "depth = c(...)"))
  }
  settings <- collect_settings(dots, control, NULL)
  # an interrupt must end all of it, not one tree after the other
  settings$on_interrupt <- "error"
  settings[c("certificate", "conformal")] <- 0 # of one tree, not of each that is compared
  settings$workers <- FALSE # they have a tree each
  settings["checkpoint"] <- list(NULL)
  settings
}

# One row a tree to try, the simplest first.
cv_grid <- function(depth, complexity, settings) {
  if (is.null(complexity)) complexity <- settings$complexity
  check_all <- function(name, values) {
    if (!is.numeric(values) || length(values) == 0) check_setting(name, values)
    unique(vapply(values, check_setting, 0, name = name))
  }
  grid <- expand.grid(complexity = sort(check_all("complexity", complexity), decreasing = TRUE),
                      depth = sort(check_all("depth", depth)))
  grid[c("depth", "complexity")]
}

# ---- fitting -------------------------------------------------------------------------------------

# `x`: the predictors of `frame` as contree.default() takes them.
cross_validate <- function(frame, x, folds, grid, settings, rule, call) {
  refuse_fold_of_all_weight(folds, frame$weights)
  runs <- unique(data.frame(fold = c(folds), turn = c(col(folds))))
  listener <- cv_listener(settings, nrow(grid) * (nrow(runs) + 1))
  on.exit(listener$end())
  settings$verbose <- FALSE
  settings$progress <- listener$search
  tryCatch({
    truth <- frame[c("response", "weights", "loss")]
    held_out <- run_folds(x, truth, folds, runs, grid, settings, listener$tick)
    fits <- lapply(seq_len(nrow(grid)), function(i) {
      fit <- fit_quietly(frame, grid[i, ], settings, fit_call(call, grid[i, ]))
      listener$tick(1)
      fit
    })
  },
  contree_interrupted_error = function(problem)
    stop_contree("interrupted", gettext("interrupted"), NULL))
  cv <- new_cv(truth, folds, grid, held_out, fits, rule, call)
  tell_restricted(cv$fit)
  warn_if_cv_stopped(cv$table, nrow(runs) + 1)
  cv
}

fit_quietly <- function(frame, cell, settings, call) {
  settings[c("depth", "complexity")] <- cell
  suppressMessages(suppressWarnings(fit_contree(frame, settings, call),
                                    classes = "contree_stopped"),
                   classes = "contree_message")
}

# The call that fits a tree of the grid to all rows.
fit_call <- function(call, cell) {
  call[c("folds", "repeats", "rule")] <- NULL
  call$depth <- cell$depth
  # it may be said in `control` as well, which it then overrules
  said <- cell$complexity > 0 || !is.null(call$complexity)
  call$complexity <- if (said) cell$complexity
  call[[1]] <- if (is.call(call[[1]])) quote(contree::contree) else quote(contree)
  call
}

# What the trees say of the rows they were not fitted to: list(predicted, stopped), class codes by
# row, turn and tree, and the number of searches that a limit stopped, by tree.
run_folds <- function(x, truth, folds, runs, grid, settings, tick) {
  settings["start"] <- list(NULL) # it may know the rows that are held out
  runs <- split(runs, seq_len(nrow(runs)))
  settings <- worker_settings(settings)
  results <- run_tasks(runs, fold_worker(x, truth, folds, grid, settings), tick, nrow(grid))
  predicted <- array(if (is_classes(truth)) 0L else 0, c(dim(folds), nrow(grid)))
  for (result in results) predicted[result$test, result$turn, ] <- result$predicted
  list(predicted = predicted, stopped = Reduce(`+`,
                                               lapply(results, function(result) result$stopped)))
}

# The work on one fold, as a function that carries its data to wherever it is called.
fold_worker <- function(x, truth, folds, grid, settings) {
  force(x); force(truth); force(folds); force(grid); force(settings)
  function(run, tick = function(n) NULL) {
    test <- folds[, run$turn] == run$fold
    new <- x[test, , drop = FALSE]
    train <- read_xy(x[!test, , drop = FALSE], truth$response[!test],
                     weights = truth$weights[!test], read = read_any_response)
    train["loss"] <- list(truth$loss)
    results <- lapply(seq_len(nrow(grid)), function(i) {
      fit <- fit_quietly(train, grid[i, ], settings, quote(contree()))
      tick(1)
      # a level that no other fold has is no news here
      predicted <- suppressWarnings(stats::predict(fit, new, new_levels = "majority"),
                                    classes = "contree_new_levels")
      list(predicted = if (is_classes(truth)) as.integer(predicted) else unname(predicted),
           stopped = was_stopped(fit))
    })
    list(test = which(test), turn = run$turn,
         predicted = vapply(results, function(result) result$predicted,
                            vector(if (is_classes(truth)) "integer" else "double", sum(test))),
         stopped = vapply(results, function(result) result$stopped, NA))
  }
}

was_stopped <- function(fit) tree_proof(fit)$status %in% names(stopped_kind)

# ---- counting ------------------------------------------------------------------------------------

new_cv <- function(truth, folds, grid, held_out, fits, rule, call) {
  response <- if (is_classes(truth)) truth$response else counted_response(truth)
  each <- rep(response, length.out = length(held_out$predicted))
  said <- c(held_out$predicted)
  lost <- array(if (is_classes(truth)) row_costs(each, NULL, truth$loss, said)
                else (each - said)^2, dim(held_out$predicted))
  table <- cbind(
    grid, leaves = vapply(fits, function(fit) sum(node_is_leaf(fit)), 0L),
    training = vapply(fits, function(fit) tree_proof(fit)$objective / tree_weight(fit), 0),
    cv_errors(lost, row_weights(truth)),
    stopped = held_out$stopped + vapply(fits, was_stopped, NA))
  chosen <- choose_tree(table, rule)
  table$chosen <- seq_len(nrow(table)) == chosen
  cv <- list(call = call, table = table, fit = fits[[chosen]], rule = rule, folds = folds)
  if (is_classes(truth)) {
    classes <- levels(response)
    cv$confusion <- confusion_table(rep(response, ncol(folds)),
                                    factor(classes[held_out$predicted[, , chosen]], classes))
  }
  structure(cv, class = "contree_cv")
}

# Mean and standard error of the losses of the rows, by tree. `lost`: what a row cost, by row, turn
# and tree.
cv_errors <- function(lost, weights) {
  loss <- colSums(aperm(lost, c(2, 1, 3))) / dim(lost)[2]
  error <- colSums(weights * loss) / sum(weights)
  data.frame(error = error,
             se = sqrt(colSums((weights * (loss - rep(error, each = nrow(loss))))^2)) /
               sum(weights))
}

# The row of the table that a rule chooses; simpler trees come first.
choose_tree <- function(table, rule) {
  least <- which.min(table$error)
  if (rule == "min") least else which(table$error <= least_and_se(table))[1]
}

# The most error that the rule of one standard error allows.
least_and_se <- function(table) {
  least <- which.min(table$error)
  table$error[least] + table$se[least]
}

warn_if_cv_stopped <- function(table, searches) {
  stopped <- sum(table$stopped)
  if (stopped == 0) return(invisible())
  warn_contree("cv_stopped", gettextf(
    "%d of %d searches were stopped by a limit; their best trees so far count (see 'stopped')",
    stopped, nrow(table) * searches))
}

# ---- progress ------------------------------------------------------------------------------------

# list(tick, search, end): `tick` is told how many more of `total` trees there are, `search` how the
# search under way goes (NULL if nobody listens).
cv_listener <- function(settings, total, name = "contree_cv") {
  audience <- new_audience(settings, function(state) cv_text(state, name))
  began <- seconds_now()
  done <- 0
  show <- function(search = NULL) {
    audience$show(list(elapsed = seconds_now() - began, done = done, total = total,
                       closed = done / total,
                       search = search))
  }
  tick <- function(n) {
    done <<- done + n
    show()
  }
  list(tick = tick, search = if (audience$listens) show, end = audience$end)
}

# "contree_cv: 75 s, 31 of 44 trees; contree: 12 s, best 33, ..."
cv_text <- function(state, name) {
  trees <- gettextf("%s: %.0f s, %.0f of %.0f trees", name, state$elapsed, state$done, state$total)
  if (is.null(state$search)) trees else paste0(trees, "; ", state_text(state$search))
}
