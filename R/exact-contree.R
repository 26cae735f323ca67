#' contree: provably optimal classification and regression trees
#'
#' [contree()] fits the classification tree of a given depth with the fewest misclassified training
#' rows, or the regression tree with the smallest sum of squared errors, and proves that it is
#' optimal. [hist_forest()] grows random forests, [gmt()] fits model trees (regression trees with
#' linear models in their leaves), and [forge()] compiles trees and ensembles for fast prediction.
#' Fits print, predict and plot like those of `rpart`; `vignette("contree")` compares the two on
#' real data.
#'
#' @references E. Brita, J. G. M. van der Linden, E. Demirovic (2025). Optimal Classification Trees
#'   for Continuous Feature Data Using Dynamic Programming with Branch-and-Bound. *Proceedings of
#'   the AAAI Conference on Artificial Intelligence* 39(11), 11131-11139.
#'   \doi{10.1609/aaai.v39i11.33210}.
#' @useDynLib contree, .registration = TRUE
#' @importFrom stats fitted formula model.frame nobs predict residuals terms update weights
#' @importFrom graphics plot text
#' @keywords internal
#' @docType package
#' @name contree-package
NULL

#' Optimal classification and regression trees
#'
#' Fits the classification tree with at most `depth` splits between the root and a leaf that
#' misclassifies the fewest training rows, and proves that no such tree has fewer errors. For a
#' numeric response it fits the regression tree with the smallest sum of squared errors. Thresholds
#' are chosen among all values of the predictors, without binning; factors are split by sets of
#' levels, and missing values are allowed.
#'
#' @section What is minimised:
#' The number of misclassified training rows plus `complexity` * n for each split (the default of
#' `complexity` is 0; see [contree_control()]); with `weights` or a `loss`, the sum of weight times
#' loss over the rows, plus `complexity` times the sum of the weights for each split. The search is
#' exact: when `status` is `"optimal"`, no tree of this depth with the kinds of splits described
#' below costs less. The default depth is 3, which is proven within moments on data of ordinary
#' size; each further level takes far more time than the one before.
#'
#' @section Regression trees:
#' If the response is numeric, a leaf predicts the mean of its training rows, weighted by `weights`
#' if given (as in [lm()]). What is minimised is the sum of weight times squared error (SSE) plus,
#' for each split, `complexity` times the SSE of a single leaf, like `cp` in `rpart`. `objective`,
#' `cost`, `bound`, `gap` and `max_gap` are sums of squares. Leaves have at least `minbucket = 7`
#' rows by default, as in `rpart`: means of fewer rows are mostly noise. `loss` and `class_weights`
#' are errors, since there are no classes. A 0/1 response is treated as a number; a message, once a
#' session, suggests `factor()`. The search runs on the CPU.
#'
#' The search works on integers: on a grid about the middle of the range of the responses, of rows
#' with a weight above 0, of 2^b steps to either side, where b is at most 23 and 2 b + k at most 59,
#' k being the number of binary digits of the sum of the weights (of the rows, without weights).
#' Whole numbers, cents and other decimals that fit this grid are not rounded at all; nor are
#' numbers far from zero if the differences between them fit it as multiples of a power of two; nor
#' weights that are counts, or multiples of up to four decimals or of the least weight (up to 2^-50
#' of each: weights that differ in the last two bits of a double alone count as equal). Where that
#' would round weights, or responses by more than 2^-32 of the root of their sum of squares, costs
#' are counted in two and three words of 64 bits, with b up to 51 and weights that are rounded,
#' where they are, by less than 2^-63 of their sum. Where r below would be more than 2^-36 of the
#' SSE of a single leaf, they are rounded by less than 2^-71 of their sum or 2^-62 of the largest,
#' whichever is more. That takes 1.0 to 1.2 times as long up to 100,000 rows without weights, and 3
#' times with a million; longer where few responses are far from all others.
#'
#' `rounding` in the fit is the norm e of the rounding errors of the responses. With
#' `complexity = 0` the SSE of the tree is at most
#'
#' (sqrt(optimum + r + s) + 2 e)^2 + r, where s = 4^depth S / 2^60.
#'
#' S is W R^2, with R the range of the responses and W the sum of the weights; with weights, where
#' they or responses are rounded, it is the number of rows times w R^2, w being the largest weight,
#' or times the SSE of a single leaf, whichever is less. r is 0 where weights are not
#' rounded; else it is the least, for q = 0 and any power of two up to 1, of q times the SSE of a
#' single leaf plus a sum over the rows whose weights a share of q or more was rounded off: that
#' times the square of how far the response is from the further end of the range. Sums of squares
#' are counted in steps, and s stands for these: of whole numbers without weights, where s is below
#' 1/2, a tree without errors is found if there is one. `bound`, `gap` and `print()` take all this
#' into account, and 1e-12 of the cost for the last digits of sums of doubles; where nothing is
#' rounded, and s is below 1e-12 of the cost, the gap of an optimal tree is 0. For numbers with all
#' their digits it is small and not 0: below 1e-9 of the SSE of a single leaf up to a million rows
#' and depth 4, with any weights within a factor of a million, too. Sets of trees ([contree_set()])
#' are counted in one word.
#'
#' @section Absolute errors:
#' With `objective = "absolute"` the leaves predict medians (or other quantiles, see `tau`), and the
#' tree has the least sum of absolute errors, of depth up to 8, by the search of [policy_tree()]:
#' its actions are the values of the response or, if there are more than 31, 31 quantiles of them;
#' then each leaf has its best value. What the grid may hide is proven by a second search, and is
#' the `gap`: 0 where all values are in the grid. The fit is of class `contree_absolute`; its
#' element `absolute` has `tau`, `grid`, `objective` (the sum of the losses, half of the absolute
#' errors for the median), `cost`, `bound`, `gap`, `status`, `rounding` and `elapsed`. `complexity`
#' is a share of the loss of a single leaf. It predicts, prints, plots and is exported as other
#' trees; certificates, workers and checkpoints are errors.
#'
#' @section The training error is optimistic:
#' The training error of an optimal tree is the lowest possible and decreases with each level: the
#' larger the set of trees, the better the best of them fits by chance. Expect more errors on new
#' data, and many more if the data are few or noisy. Assess a tree, and choose its depth, on rows
#' that were not used to fit it: with [contree_cv()] by cross-validation or with
#' [contree_accuracy()] on a test set; see `vignette("choosing")`.
#'
#' @section Threads and ties:
#' By default the search uses two threads; see `threads` and [contree_threads()]. The tree is the
#' same for any number of threads and on any device: of all trees of the lowest cost, one with the
#' fewest leaves; of these, the one whose root splits on the first predictor (in the order of the
#' columns), and there at the lowest threshold; and so on down the tree. It is part of the proof
#' that no smaller tree has this cost. There are three exceptions, in which the tree may depend on
#' the number of threads and on timing: a `max_gap` above 0; a search that was stopped; and
#' `deterministic = FALSE`, which may save time and returns whichever of the smallest optimal trees
#' is found first. With `smallest = FALSE` (see [contree_control()]) the number of leaves does not
#' count. Weights or losses that are not multiples of a common unit are rounded, at about the
#' fifteenth digit of their sum; `bound` is then below the cost by as much.
#'
#' @section Stopping early:
#' A search can be stopped at any time by Ctrl-C (or the stop button) and ends at `time_limit` and
#' `memory_limit`. The fit is then the best tree found so far: `status` says why the search stopped,
#' `bound` is a proven lower bound of the cost of every tree, and `gap` is the cost less the bound.
#' A warning states them. Its class is `contree_timeout` at the time limit, `contree_interrupted`
#' after Ctrl-C and `contree_memory` at the memory limit, and `contree_stopped` in all three cases;
#' it has the elements `status`, `objective`, `cost`, `bound`, `gap` and `elapsed`. A search that
#' ends at `max_gap` gives no warning. With `on_interrupt = "error"`, Ctrl-C raises an error of
#' class `contree_interrupted_error` instead of returning a fit, which also ends a loop around
#' `contree()`.
#'
#' [update()][contree_methods] continues from the best known tree, as `start` does; `fit$history`
#' and `plot(fit, what = "progress")` show how cost and bound changed over time.
#'
#' @section Names known from rpart:
#' `maxdepth` is accepted for `depth`, and `minsplit` for `min_n`; `minbucket` and `minsplit` have
#' the same meaning as in `rpart` (for classes their defaults are 1 and 2). `cp` is accepted and
#' converted: `rpart` counts the cost of a split as a proportion of the errors of the root,
#' `complexity` as a proportion of the rows, hence `complexity = cp * errors of the root / n`; for a
#' numeric response the two are the same. It is an error to give a setting under both names.
#'
#' @section Predictors and their splits:
#' \itemize{
#'   \item Numbers, integers, logicals (`FALSE` is 0 and `TRUE` is 1), dates, date-times and time
#'     differences are split at every threshold: values *less than* it go left. Ordered factors are
#'     split in the same way, by the order of their levels.
#'   \item Factors and character vectors of up to six levels (`subset_levels`; missing counts as a
#'     level where there are missing values) are split into any two sets of levels. Levels without
#'     training rows do not count.
#'   \item Factors with more levels are split into one level and the rest, or by an order: for each
#'     class the levels are ordered by the proportion of the class among their training rows (ties
#'     by the order of the levels; with two classes the order of the first serves for both), and a
#'     split cuts this order at any place. For a numeric response the levels are ordered by their
#'     mean response, weighted by `weights`. The orders are computed from all training rows and are
#'     the same in every node. Factors with more than 1,000 levels are split by the orders only. The
#'     tree is then optimal among all trees with such splits: a message of class `contree_message`
#'     says so once, `print()` repeats it, and `fit$restricted` names the factors. With `depth = 1`,
#'     `minbucket = 1` and two classes or a numeric response, nothing is lost by this restriction.
#' }
#'
#' @section Missing values:
#' Each split learns where its missing values go: every threshold and every set of levels is tried
#' with the missing rows (`NA` or `NaN`) on either side, and so is the split between missing and not
#' missing. All of this is covered by the proof. At a split whose node had no missing training rows,
#' missing values of new rows go to the child with more training rows. To leave out rows with
#' missing values instead, give `missing = "omit"` or a `na.action`. Rows with a missing response
#' are left out too, and `print()` counts them. Infinite values are errors in training.
#'
#' @section Weights and losses:
#' Costs are 64-bit integers during the search. Weights and losses that are multiples of a common
#' unit (counts, 0.25 and 1.5, two class weights inversely proportional to the class sizes) are
#' exact, up to the last bits of the numbers given. Others are rounded so finely that all rows
#' together cost at least 2^(58 - depth): the tree is optimal for the rounded costs, and under the
#' given costs it exceeds the optimum by at most n / 2^(58 - depth) of the largest possible total
#' cost. With row weights and, for more than two classes, losses as well, both are exact if, in such
#' units, the sum of the weights times the largest loss is below 2^(59 - 2 depth); otherwise both
#' are rounded about equally, and the tree exceeds the optimum by at most 2.5 sqrt(n / 2^(58 -
#' depth)) of the largest possible total cost. Where rounding may hide a tree that costs less, `gap`
#' and `print()` show by how much.
#'
#' Searches with weights or losses take longer, partly because the problems are harder: on seven
#' public data sets at depth 3 up to twice as long with class weights, two to five times with other
#' row weights, up to six times with losses that depend on the predicted class, and up to twelve
#' times with both. Weights and losses that amount to the same cost for all rows take no extra time.
#'
#' @section Errors:
#' Errors about the arguments or the data have the class `contree_input_error`, those about what the
#' package does not support `contree_unsupported_error`; both have the class `contree_error`. Their
#' element `argument` names the argument or the variable. Numeric responses beyond 1e100, or that
#' differ by less than 1e-100, are errors about the data.
#'
#' @param formula Formula `response ~ predictors`, as in `Species ~ .` or `y ~ a + log(b)`. The
#'   right-hand side is a sum of variables or functions of them; `.` stands for all other columns of
#'   `data`, and `-` removes a variable. Interactions (`a:b`, `a*b`) and offsets are errors.
#'   Functions and constants used in it are available at prediction: those local to the function
#'   that called `contree()` are kept with the fit, up to 1 MB each; others are looked up in the
#'   workspace (or in the package that defines the formula).
#' @param data Data frame with the variables of the formula, or a table of a database, see
#'   [contree_table()]. If it is missing, they are taken from the environment of the formula. It may
#'   also come first, as in `data |> contree(y ~ .)`.
#' @param x Predictors: a data frame, or a numeric or logical matrix (one column for each
#'   predictor), which is used without copying if it has no missing values.
#' @param y Response: the classes, or finite numbers, one for each row of `x`.
#'
#'   For both methods the response is a factor, a character vector or a logical vector for a
#'   classification tree, or a numeric vector for a regression tree. Classes keep the order of the
#'   levels; levels without rows remain levels of the predictions, and a leaf predicts one where
#'   `loss` makes it the cheapest. Classes coded as numbers must be given as `factor(y)`. Predictors
#'   are numeric, integer, logical, factor (ordered or not), character, `Date`, `POSIXct` or
#'   `difftime`.
#' @param weights Case weights, a numeric vector with one value of at least 0 for each row: what a
#'   row counts in the errors, in the class proportions and, with `complexity`, in the penalty of a
#'   split. In the formula method, an expression in the columns of `data`. The default gives each
#'   row the weight 1. `minbucket` and `min_n` count rows, whatever their weights.
#' @param loss Costs of misclassification: a numeric matrix with a row for each true and a column
#'   for each predicted class, in the order of the levels or with their names, 0 on the diagonal and
#'   at least 0 elsewhere (`parms$loss` in `rpart`). By default every error costs 1. A level without
#'   rows may be predicted too, for example as the answer "refuse": see the examples.
#' @param class_weights Instead of `loss`: the cost of an error by true class, a numeric vector in
#'   the order of the levels or with their names; or `"balanced"`, which gives all classes the same
#'   total weight, n / (K n_k) for a row of class k. The default gives every class the weight 1.
#' @param rewards,costs Instead of `y`: a numeric matrix that says what each action (or class) is
#'   worth, or costs, in each row, with a column for each. The fit is that of [policy_tree()]: the
#'   tree whose actions have the largest sum of rewards, or the smallest sum of costs. `NULL` by
#'   default.
#' @param objective `NULL`, the default: that of the response, a class or a number. Of a formula,
#'   `"rewards"` or `"costs"`: the response is such a matrix, as in `cbind(none, course) ~ .`. Of a
#'   numeric response, `"absolute"`: the least sum of absolute errors, or of the losses of a
#'   quantile `tau`, see the section on absolute errors.
#' @param tau Of `objective = "absolute"`: which quantile leaves predict, a number above 0 and below
#'   1; 0.5 by default, the median. The loss of a row is tau (y - q) where its response y is above
#'   the prediction q, and (1 - tau) (q - y) below.
#' @param subset Rows of `data` to use: an expression in its columns, row numbers or row names. Rows
#'   for which it is `NA` are left out. The default uses all.
#' @param na.action Function applied to the model frame, such as [na.omit()] or [na.exclude()],
#'   which leave out rows with missing values, or [na.fail()]. It takes precedence over the setting
#'   `missing` of [contree_control()], which applies by default.
#' @param depth Maximum number of splits between the root and a leaf, a whole number from 0 (no
#'   split) to 16. The default is 3. With a `complexity` or `cp` of at least 0.01 it may be left to
#'   the price: then trees have as many levels as splits that it pays for, at most 4, since deeper
#'   proofs may take long; give `depth` for more. Where no deeper tree can cost as little, since
#'   each level takes a split, `print()` says that the tree is optimal among those of any depth.
#' @param ... Settings of [contree_control()], or `maxdepth` or `cp`. Any other name is an error.
#' @param control Settings as made by [contree_control()], or a named list of them; by default made
#'   from `...`. A setting given in `...` takes precedence over the same setting in `control`.
#'
#' @return An object of class `contree`, see [contree.object].
#' @seealso [contree_cv()] to choose the depth, [contree_path()] for the optimal trees of other
#'   sizes, [contree_alternatives()] for trees about as good, [contree_accuracy()],
#'   [contree_importance()], [predict.contree()], [plot.contree()], [summary.contree()],
#'   [contree_rules()], [contree_control()].
#' @references Brita, van der Linden, Demirovic (2025) \doi{10.1609/aaai.v39i11.33210}.
#' @examples
#' fit <- contree(Species ~ ., data = iris, depth = 2)
#' fit
#' fit$status
#' plot(fit)
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#'
#' # stopped as soon as the tree is at most 10 errors from the optimum, and continued
#' near <- contree(case == 1 ~ age + parity + spontaneous, infert, depth = 3, max_gap = 10)
#' unlist(near[c("objective", "bound", "gap")])
#' update(near, max_gap = 0)$objective
#'
#' # a split must save at least 5% of the rows
#' contree(Species ~ ., data = iris, depth = 3, complexity = 0.05)
#'
#' # factors and missing values
#' cars <- transform(mtcars, gear = factor(gear), cyl = replace(cyl, c(3, 8, 20), NA))
#' contree(vs == 1 ~ gear + cyl + wt, data = cars, depth = 2)
#'
#' # refusing to answer costs 0.3 errors
#' flowers <- transform(iris, Species = factor(Species, levels = c(levels(Species), "refuse")))
#' loss <- 1 - diag(4)
#' loss[, 4] <- c(0.3, 0.3, 0.3, 0)
#' contree(Species ~ ., data = flowers, loss = loss, depth = 2)
#'
#' # numeric response
#' contree(mpg ~ ., data = mtcars, depth = 2)
#'
#' # predictors and response given separately
#' contree(as.matrix(iris[1:4]), iris$Species, depth = 1)
#' @export
contree <- function(x, ...) UseMethod("contree")

#' @rdname contree
#' @export
contree.formula <- function(formula, data, weights, subset, na.action, depth = 3, loss = NULL,
                            class_weights = NULL, ..., objective = NULL, tau = 0.5,
                            control = contree_control(...)) {
  call <- plain_call(match.call(), sys.call(-1), formula = formula)
  objective <- check_objective(objective, c("rewards", "costs", "absolute"))
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth, priced = is.null(objective))
  if (!is.null(objective) && objective != "absolute") {
    refuse_with_rewards(c(weights = !missing(weights), loss = !is.null(loss),
                          class_weights = !is.null(class_weights), tau = !missing(tau)),
                        "objective")
    return(fit_policy_frame(policy_formula_frame(
      formula, if (!missing(data)) data, if (!missing(subset)) substitute(subset),
      if (!missing(na.action)) na.action, settings, objective), settings, call))
  }
  if (is.null(objective)) refuse_tau(!missing(tau))
  if (!missing(data) && is_table(data)) {
    if (!is.null(objective)) {
      stop_unsupported("objective", gettext(
        "objective = \"absolute\" needs its data in memory; give a data frame"))
    }
    refuse_subset(!missing(subset))
    frame <- contree_table_frame(formula, data, if (!missing(weights)) substitute(weights),
                                 if (!missing(na.action)) na.action, loss, class_weights, settings)
    return(fit_contree(frame, settings, call))
  }
  frame <- formula_frame(formula, if (!missing(data)) data,
                         if (!missing(weights)) substitute(weights),
                         if (!missing(subset)) substitute(subset),
                         if (!missing(na.action)) na.action, loss, class_weights,
                         settings)
  if (!is.null(objective)) {
    return(fit_absolute(frame, tau, c(loss = !is.null(loss),
                                      class_weights = !is.null(class_weights)), settings, call))
  }
  fit_contree(frame, settings, call)
}

#' @rdname contree
#' @export
contree.default <- function(x, y, weights = NULL, depth = 3, loss = NULL,
                            class_weights = NULL, ..., rewards = NULL, costs = NULL,
                            objective = NULL, tau = 0.5, control = contree_control(...)) {
  # contree(d, y ~ x), contree(data = d, formula = f): R dispatches on the first argument, whatever
  # its name
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), contree.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1))
  objective <- check_objective(objective, "absolute")
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth,
                               priced = is.null(c(rewards, costs, objective)))
  if (!is.null(rewards) || !is.null(costs)) {
    return(fit_rewards(x, rewards, costs, c(
      y = !missing(y), weights = !is.null(weights), loss = !is.null(loss),
      class_weights = !is.null(class_weights), objective = !is.null(objective),
      tau = !missing(tau)), settings, call))
  }
  if (is.null(objective)) refuse_tau(!missing(tau))
  check_both_given(x, y)
  frame <- xy_frame(x, y, weights, loss, class_weights, settings)
  if (!is.null(objective)) {
    return(fit_absolute(frame, tau, c(loss = !is.null(loss),
                                      class_weights = !is.null(class_weights)), settings, call))
  }
  fit_contree(frame, settings, call)
}

refuse_tau <- function(given) {
  if (given) stop_input("tau", gettext("'tau' goes with objective = \"absolute\" only"))
}

# A call of a default method that means the formula method: the data come first, as in a pipe.
formula_call <- function(call, method) {
  names <- names(call)
  if (is.null(names)) names <- rep("", length(call))
  names[names == "x"] <- "data"
  names[names == "y"] <- "formula"
  open <- setdiff(c("data", "formula"), names)
  without <- which(names == "")[-1] # the first is the function's
  first <- seq_len(min(length(open), length(without)))
  names[without[first]] <- open[first]
  names(call) <- names
  call[[1]] <- method
  call
}

check_both_given <- function(x, y) {
  if (missing(x)) {
    stop_input("x", gettext(
      "'x' is missing; give a formula and 'data', or predictors 'x' and classes 'y'"))
  }
  if (missing(y)) {
    stop_input("y", gettextf(
      "'x' is %s and 'y' is missing; give a formula and 'data', or predictors 'x' and classes 'y'",
      show_value(x)))
  }
}

# ---- what the methods of contree() and contree_path() share --------------------------------------

# `weights` and `subset` are expressions in the columns of `data`.
formula_frame <- function(formula, data, weights, subset, na.action, loss, class_weights,
                          settings) {
  frame <- formula_rows(formula, data, weights, subset, na.action, settings)
  frame$loss <- read_loss(loss, class_weights, frame)
  frame
}

formula_rows <- function(formula, data, weights, subset, na.action, settings) {
  env <- environment(formula)
  weights <- if (!is.null(weights)) evaluate_argument("weights", weights, data, env)
  rows <- if (!is.null(subset)) evaluate_argument("subset", subset, data, env)
  read_data(formula, data, rows, na.action, env, settings$missing, weights, read_any_response)
}

contree_table_frame <- function(formula, table, weights, na.action, loss, class_weights, settings) {
  refuse_with_table(settings)
  frame <- table_frame(formula, table, weights, missing_of_action(na.action, settings$missing),
                       may_group_for(settings, loss, class_weights))
  frame$loss <- read_loss(loss, class_weights, frame)
  frame
}

xy_frame <- function(x, y, weights, loss, class_weights, settings) {
  frame <- read_xy(x, y, settings$missing, weights, read_any_response)
  frame$loss <- read_loss(loss, class_weights, frame)
  frame
}

# ---- the bridge to the search --------------------------------------------------------------------

fit_contree <- function(frame, settings, call) {
  settings <- settle_settings(settings, frame)
  problem <- new_problem(frame, settings)
  solved <- solve_problem(problem, settings, wants_parts(settings))
  fit <- new_fit(solved, problem, settings, call)
  if (settings$conformal > 0) fit$conformal <- learn_tree_conformal(frame, settings)
  if (settings$certificate) fit <- set_certificate(fit, write_certificate(fit, problem, settings))
  tell_device(solved)
  tell_restricted(fit)
  tell_zero_one(frame)
  warn_if_stopped(fit)
  fit
}

# What several searches of the same data share: the frame, the columns derived from it, the classes
# of the rows as codes into searched_classes(), and how many of these there are. Of a numeric
# response, the numbers, and 0.
new_problem <- function(frame, settings) {
  if (is.null(frame$table)) frame$hash <- hash_columns(frame$columns)
  if (!is_classes(frame)) {
    return(list(frame = frame, derived = derive_numbers(frame, settings$subset_levels),
                codes = counted_response(frame), n_classes = 0L))
  }
  codes <- frame$response # as it is: copies of large tables' columns count
  used <- used_levels(codes)
  if (length(used) < nlevels(codes)) codes <- match(as.integer(codes), used)
  list(frame = frame,
       derived = derive_columns(frame, as.integer(codes), length(used), settings$subset_levels),
       codes = codes,
       n_classes = length(searched_classes(frame)))
}

# The tree on the predictors, and what the search tells of it.
solve_problem <- function(problem, settings, in_parts = FALSE) {
  solved <- run_search(problem, settings, in_parts)
  if (solved$interrupted && settings$on_interrupt == "error") stop_interrupted(solved$elapsed)
  return_tree(count_repeats(solved, problem$frame), problem$derived, problem$frame)
}

new_fit <- function(solved, problem, settings, call) {
  if (!is.null(problem$frame$table)) return(new_table_fit(solved, problem, settings, call))
  fit <- new_contree(solved, problem$frame, kept_settings(settings), call,
                     problem$derived$restricted)
  if (!is.null(problem$derived)) check_routes(fit, problem$frame$columns)
  fit
}

new_table_fit <- function(solved, problem, settings, call) {
  fit <- new_contree(solved, problem$frame, kept_settings(settings), call,
                     problem$derived$restricted)
  check_table_routes(fit, solved, problem$frame)
  fit
}

run_search <- function(problem, settings, in_parts = FALSE) {
  listener <- new_listener(settings)
  on.exit(listener$end())
  frame <- problem$frame
  make_room(frame)
  roots <- if (!is.null(settings$root)) column_predictors(problem) %in% settings$root
  control <- search_control(settings, start_nodes(settings$start, frame, problem$derived), roots,
                            listener$report)
  search <- if (in_parts) search_in_parts else search_at_once
  # an error of a user's progress function passes as it is
  call_core(search(problem, settings, control, listener), refuse_search)
}

search_at_once <- function(problem, settings, control, listener) {
  .Call(ffi_exact_solve, searched_columns(problem), problem$codes, problem$n_classes,
        add_costs(control, problem$frame))
}

# list(grain, rounding, hidden, blur, unit, total): all errors are multiples of `grain`, or differ
# by at most `rounding` from what the search counts, in `unit`s (and `grain` is 0).
grain_of_costs <- function(problem, settings) {
  control <- search_control(settings, NULL, NULL, NULL)
  call_core(.Call(ffi_cost_grain, searched_columns(problem), problem$codes, problem$n_classes,
                  add_costs(control, problem$frame)), refuse_search)
}

searched_columns <- function(problem) {
  plain_codes(if (is.null(problem$derived)) problem$frame$columns else problem$derived$columns)
}

add_costs <- function(control, frame) {
  control["weights"] <- list(frame$weights)
  control["loss"] <- list(if (!is.null(frame$loss)) t(searched_loss(frame))) # C has it by rows
  control
}

# The predictor of each column that is searched.
column_predictors <- function(problem) {
  names <- problem$frame$shape$names
  if (is.null(problem$derived)) names else names[problem$derived$predictor]
}

# What C could not do, memory apart, is about the settings.
refuse_search <- function(message, status) {
  if (status == "no memory") {
    stop_input("memory_limit", gettextf("the search cannot run: %s; raise 'memory_limit'", message))
  }
  stop_input("control", gettextf("the search cannot run: %s; see ?contree_control for the settings",
                                 message))
}

# Settings that depend on the data: the complexity from `cp`, and the least leaf size.
settle_settings <- function(settings, frame) {
  settings <- settle_sizes(settings, is_classes(frame))
  settings <- if (is_classes(frame)) settle_classes(settings) else settle_numbers(settings)
  if (!is.null(settings$cp)) {
    settings$complexity <- complexity_from_cp(settings$cp, root_cost(frame),
                                              complexity_unit(frame))
  }
  most <- max(1, frame$loss)
  if (settings$complexity > most) {
    stop_input("complexity", if (is_classes(frame)) {
      gettextf("'complexity' must be between 0 and %s, what a row may cost, not %s",
               format(most), format(settings$complexity))
    } else {
      gettextf("'complexity' must be between 0 and 1, all of the sum of squares, not %s",
               format(settings$complexity))
    })
  }
  if (is.finite(settings$max_leaves)) refuse_with_leaves(settings, "max_leaves")
  settings
}

# What a search for few leaves cannot do; `what` asked for it.
refuse_with_leaves <- function(settings, what) {
  given <- c(certificate = settings$certificate > 0, workers = isTRUE(settings$workers),
             checkpoint = !is.null(settings$checkpoint))
  if (!any(given)) return(invisible())
  name <- names(given)[given][1]
  stop_input(name, gettextf("'%s' cannot be combined with '%s'", name, what),
             gettext("leave out one of them"))
}

# The settings that the fit keeps: not those that would hold on to data, environments or other fits.
kept_settings <- function(settings) {
  settings[!names(settings) %in% c("cp", "start", "progress", "max_cost", "beside", "within", "off",
                                   "price", "end", "workers", "checkpoint")]
}

# The settings as C takes them, with those that only developers change: the vector instructions (see
# contree_info()) and the shortcuts of the search that are switched off (option contree.switches).
# `roots` (columns that the root may be split on), `max_cost` (a tree that costs more need not be
# found) and, where costs are integers to C, the same by a tree `beside` and how much more are for
# contree_alternatives() alone, `price` (a complexity in these integers) for contree_path().
search_control <- function(settings, start, roots, report) {
  list(depth = as.integer(settings$depth), complexity = settings$complexity,
       max_leaves = if (is.null(settings$max_leaves)) Inf else settings$max_leaves,
       max_gap = settings$max_gap,
       max_thresholds = settings$max_thresholds, minbucket = settings$minbucket,
       min_n = settings$min_n,
       time_limit = settings$time_limit, memory_limit = settings$memory_limit,
       threads = threads_to_use(settings$threads), device = device_wanted(settings),
       any_of_ties = as.integer(!settings$deterministic),
       any_size = as.integer(is_of_any_size(settings)),
       start = start, roots = roots,
       max_cost = if (is.null(settings$max_cost)) Inf else settings$max_cost,
       beside = settings$beside$labels, beside_splits = settings$beside$splits,
       within = settings$within, price = settings$price, report = report,
       part = NULL,
       simd = simd_wanted(), switches = getOption("contree.switches", character()))
}

# Whether smaller trees of the same cost are not ruled out.
is_of_any_size <- function(settings) isFALSE(settings$smallest) && settings$complexity == 0

# The call as it is kept in the fit. Its head is the generic `name` as typed (contree or
# contree::contree). A tree to begin with that is not a name in it but the tree itself was put there
# by update() or do.call(), and is no part of how to fit the tree again. The formula stands there as
# it is, not as the name of a variable, which update() may not find, or find to be another one.
plain_call <- function(call, generic_call, name = "contree", formula) {
  if (!is.language(call$start)) call$start <- NULL
  if (!missing(formula)) call$formula <- plain_formula(formula)
  head <- if (is.call(generic_call)) generic_call[[1]]
  call[[1]] <- if (identical(head,
                             call("::", quote(contree), as.name(name)))) head else as.name(name)
  small_call(without_dots(call, parent.frame(2)), do_call_expressions())
}
