# Policy trees: which of some actions is best for a row, from a matrix of rewards to the fit.

#' Optimal policy trees
#'
#' Fits the tree of a given depth whose actions have the largest sum of rewards, and proves that no
#' such tree has more. There may be any number of actions, and all thresholds of all predictors are
#' searched. The rewards are a matrix with a row for each row of the data and a column for each
#' action, such as doubly robust scores (`double_robust_scores()` of package policytree, or
#' [policy_scores()]), profits, or negative costs.
#'
#' @section What is maximised:
#' The mean over the rows of the reward of the action that the tree assigns, less `complexity` for
#' each split. The search works on integers: on the regret of a row, its largest reward less that
#' of the action. Rewards that are whole numbers or fractions of a power of two are compared
#' exactly; others are rounded to a grid so fine that mean rewards of two trees are compared to
#' within less than 1e-12 of the mean range of the rewards of a row (or, where all rewards are far
#' from zero, to within the last digits of the rewards themselves). The largest error is printed,
#' and is element `rounding` of `fit$policy`.
#'
#' The tree is the same for any number of threads: of all trees with the largest value one with the
#' fewest leaves; of these the one whose root splits on the first predictor, there at the lowest
#' threshold; and so on down. Of equally good actions of a leaf it has the first. With two actions,
#' the search is that of [contree()] for two classes, unless all predictors have two values.
#'
#' For 100,000 rows and 30 predictors depth 2 is proven in about a second with three actions, and in
#' some ten seconds with twenty. Depth 3 can take very long where there is little signal; the best
#' tree is mostly found at once, and with a `time_limit` the fit says how far from the optimum it
#' can be. These are times for predictors of many values. Where all have two values, as indicators
#' have, depth 3 takes hundredths of a second for 10,000 rows and 60 predictors.
#'
#' @section The value of the tree is optimistic:
#' The tree with the largest sum of rewards on some rows has less on others, the more so the more
#' predictors and actions there are. Estimate its value on rows that were not used to fit it, with
#' [policy_value()].
#'
#' @section Names known from policytree:
#' The arguments are those of `policy_tree()` of package policytree, in the same order, so that a
#' script need only change the package. `split.step` above 1 is not needed: all thresholds are
#' searched, and a message says so. `min.node.size` is `minbucket`. If both packages are attached,
#' write `contree::policy_tree()`. `contree(x, rewards = Gamma, depth = 2)` is the same fit;
#' `contree(x, costs = C)` takes costs in place of rewards. So is, of columns of a data frame,
#' `contree(cbind(none, course) ~ age + income, data, objective = "rewards")`, or `"costs"`.
#'
#' @param X Predictors: a data frame, or a numeric matrix (one column for each predictor). Factors
#'   and missing values are split as in [contree()]; the levels of a factor with more levels than
#'   `subset_levels` are ordered by their mean rewards, for each action.
#' @param Gamma Rewards: a numeric matrix or data frame with a row for each row of `X` and a column
#'   for each action. The names of the columns are those of the actions, by default their numbers.
#' @param depth Maximum number of splits between the root and a leaf, a whole number from 0 to 8.
#'   The default is 2.
#' @param split.step Accepted as in policytree: a whole number of at least 1, the default.
#' @param min.node.size Least number of rows of a leaf, a whole number; 1 by default.
#' @param verbose `FALSE` suppresses messages; `TRUE` by default.
#' @param ... Settings of [contree_control()]; `max_thresholds`, `max_gap`, `min_n`, `conformal`,
#'   `cp`, `model` and a GPU as `device` are errors. Not used by `predict()`.
#' @return `policy_tree()`: an object of class `contree_policy` and `contree_model`, with methods
#'   for `print()`, `plot()` and `predict()`. Its element `policy` is a list of `actions` (their
#'   names), `action` (for each node, the number of the best action), `reward` and `std.error` (for
#'   each node, the mean reward of that action), `value` (the mean reward of the tree), `bound` (no
#'   tree has a larger mean reward less complexity), `gap`, `status` (see [contree.object]),
#'   `rounding`, `search`, `simd`, `threads` and `elapsed`.
#' @section Errors:
#' `contree_input_error` for rewards that are missing, not finite, or not one for each row, and for
#' settings that are out of range; `contree_unsupported_error` for settings of [contree_control()]
#' that policy trees do not have (see `...`). A search that is stopped gives a warning of class
#' `contree_stopped`, as [contree()] does.
#' @references S. Athey, S. Wager (2021). Policy Learning with Observational Data. *Econometrica*
#'   89(1), 133-161. \doi{10.3982/ECTA15732}.
#'
#'   Z. Zhou, S. Athey, S. Wager (2023). Offline Multi-Action Policy Learning: Generalization and
#'   Optimization. *Operations Research* 71(1), 148-183. \doi{10.1287/opre.2022.2271}.
#'
#'   E. Sverdrup, A. Kanodia, Z. Zhou, S. Athey, S. Wager (2020). policytree: Policy learning via
#'   doubly robust empirical welfare maximization over trees. *Journal of Open Source Software*
#'   5(50), 2232. \doi{10.21105/joss.02232}.
#' @seealso [policy_value()], [policy_scores()], [contree_cv()], [contree()].
#' @examples
#' set.seed(1)
#' X <- data.frame(age = rnorm(300), income = rnorm(300))
#' Gamma <- cbind(none = 0, course = X$age, grant = X$income) + rnorm(900)
#' fit <- policy_tree(X, Gamma)
#' fit
#' table(predict(fit, X, type = "action"))
#' @export
policy_tree <- function(X, Gamma, depth = 2, split.step = 1, min.node.size = 1, verbose = TRUE,
                        ...) {
  call <- plain_call(match.call(), sys.call(), "policy_tree")
  check_number("split.step", split.step, gettext("a whole number of at least 1"), is_count)
  check_flag("verbose", verbose)
  check_number("depth", depth, gettext("a whole number between 0 and 8"),
               function(value) value == 0 || (is_count(value) && value <= 8))
  check_number("min.node.size", min.node.size, gettext("a whole number of at least 1"), is_count)
  if (missing(X) || missing(Gamma)) {
    stop_input(if (missing(X)) "X" else "Gamma", gettext(
      "give the predictors 'X' and the matrix of rewards 'Gamma'"))
  }
  if (split.step > 1 && verbose) {
    tell_contree(gettext("all thresholds are searched; 'split.step' is not needed"))
  }
  given <- list(...)
  if ("minbucket" %in% names(given)) {
    stop_input("minbucket", gettext("give the least number of rows of a leaf as 'min.node.size'"))
  }
  settings <- collect_settings(c(given, list(minbucket = min.node.size)), NULL, depth)
  if (verbose) return(fit_policy(X, Gamma, settings, call))
  suppressMessages(fit_policy(X, Gamma, settings, call), classes = "contree_message")
}

# contree(x, rewards = ) and contree(x, costs = ).
fit_rewards <- function(x, rewards, costs, others, settings, call) {
  frame <- rewards_frame(x, rewards, costs, others, settings)
  fit_policy_frame(frame, settings, call)
}

# `others`: whether each of what does not go with rewards is given.
rewards_frame <- function(x, rewards, costs, others, settings) {
  if (!is.null(rewards) && !is.null(costs)) {
    stop_input("costs", gettext("give either 'rewards' or 'costs', not both"))
  }
  refuse_with_rewards(others, if (is.null(costs)) "rewards" else "costs")
  if (is.null(costs)) return(policy_frame(x, rewards, settings, "rewards", "x"))
  policy_frame(x, -read_rewards(costs, NULL, "costs"), settings, "costs", "x")
}

refuse_with_rewards <- function(others, argument) {
  wrong <- names(others)[others]
  if (length(wrong)) {
    stop_input(wrong[1], gettextf(
      "'%s' does not go with '%s', which say what each class or action is worth in each row",
      wrong[1], argument))
  }
}

fit_policy <- function(x, rewards, settings, call, argument = "Gamma", predictors = "X") {
  fit_policy_frame(policy_frame(x, rewards, settings, argument, predictors), settings, call)
}

# Frames (see data-frame.R) with an element `rewards`, and rows in place of a response.
policy_frame <- function(x, rewards, settings, argument, predictors) {
  if (missing(x)) stop_input(predictors, gettextf("'%s' is missing", predictors))
  check_x(x, predictors)
  rewards <- read_rewards(rewards, nrow(x), argument)
  frame <- read_xy(x, seq_len(nrow(x)), settings$missing, NULL, function(response, label) response,
                   argument = predictors)
  frame$rewards <- rewards[frame$response, , drop = FALSE]
  frame
}

check_objective <- function(objective, known = c("rewards", "costs")) {
  if (is.null(objective)) return(NULL)
  check_choice("objective", objective, known)
}

# contree(cbind(a, b) ~ x, objective = "rewards"), or "costs".
policy_formula_frame <- function(formula, data, subset, na.action, settings, objective) {
  env <- environment(formula)
  rows <- if (!is.null(subset)) evaluate_argument("subset", subset, data, env)
  frame <- read_data(formula, data, rows, na.action, env, settings$missing, NULL,
                     function(response, label) read_rewards(response, NULL, label))
  frame$rewards <- if (objective == "costs") -frame$response else frame$response
  frame$response <- seq_len(nrow(frame$rewards))
  frame
}

fit_policy_frame <- function(frame, settings, call) {
  check_policy_settings(settings)
  settings <- settle_sizes(settings)
  problem <- new_policy_problem(frame, settings)
  solved <- solve_policy(problem, settings)
  fit <- new_policy(solved, problem, settings, call)
  if (settings$certificate > 0) {
    fit <- set_certificate(fit, write_policy_certificate(fit, solved, problem, settings))
  }
  tell_restricted(fit)
  warn_of_policy(fit)
  fit
}

# What several searches of the same rows share.
new_policy_problem <- function(frame, settings) {
  frame$hash <- hash_columns(frame$columns)
  derived <- derive_by(frame, settings$subset_levels, reward_orders(frame$rewards))
  columns <- plain_codes(if (is.null(derived)) frame$columns else derived$columns)
  list(frame = frame, derived = derived, columns = columns, rewards = frame$rewards)
}

# ---- rewards -------------------------------------------------------------------------------------

read_rewards <- function(rewards, n, argument) {
  if (is.data.frame(rewards)) rewards <- as.matrix(rewards)
  if (!is.matrix(rewards) || !(is.numeric(rewards) || is.logical(rewards))) {
    stop_input(argument, gettextf(
      "'%s' must be a numeric matrix with a column for each action, not %s", argument,
      if (is.matrix(rewards)) gettextf("a matrix of type %s", typeof(rewards))
      else show_value(rewards)))
  }
  if (!is.null(n) && nrow(rewards) != n) {
    stop_input(argument, gettextf("'%s' has %d rows, but there are %d rows of predictors", argument,
                                  nrow(rewards), n))
  }
  if (ncol(rewards) < 1 || ncol(rewards) > 1023) {
    stop_input(argument, gettextf("'%s' must have 1 to 1023 columns, one for each action, not %d",
                                  argument, ncol(rewards)))
  }
  bad <- which(!is.finite(rewards) | abs(rewards) > 1e100, arr.ind = TRUE)
  if (nrow(bad)) {
    stop_input(argument, gettextf("'%s' must be finite, but is %s in row %d, column %d", argument,
                                  format(rewards[bad[1, , drop = FALSE]]), bad[1, 1], bad[1, 2]))
  }
  storage.mode(rewards) <- "double"
  colnames(rewards) <- action_names(rewards, argument)
  rewards
}

action_names <- function(rewards, argument) {
  names <- colnames(rewards)
  if (is.null(names)) return(as.character(seq_len(ncol(rewards))))
  if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    stop_input(argument, gettextf(
      "the columns of '%s' must have different names, those of the actions, or none at all",
      argument))
  }
  names
}

# Levels are ordered by the mean of a reward less another, of up to three actions for each two; of
# more actions for each, by what it is above the mean of all. See derive_by().
reward_scores <- function(rewards) {
  k <- ncol(rewards)
  if (k == 1) return(cbind(rewards[, 1]))
  if (k > 3) return(rewards - rowMeans(rewards))
  pairs <- utils::combn(k, 2)
  rewards[, pairs[1, ], drop = FALSE] - rewards[, pairs[2, ], drop = FALSE]
}

reward_orders <- function(rewards) {
  scores <- reward_scores(rewards)
  function(codes, n_levels) {
    codes[is.na(codes)] <- n_levels + 1L
    n <- tabulate(codes, n_levels + 1L)
    sums <- rowsum(scores, codes)
    all <- matrix(0, n_levels + 1L, ncol(scores))
    all[as.integer(rownames(sums)), ] <- sums
    list(n = n, scores = all / pmax(n, 1))
  }
}

# ---- settings ------------------------------------------------------------------------------------

# What the search of rewards does not do is refused by name.
check_policy_settings <- function(settings) {
  if (settings$depth > 8) {
    stop_input("depth", gettextf("'depth' of a policy tree must be between 0 and 8, not %s",
                                 format(settings$depth)))
  }
  if (is.finite(settings$max_leaves)) refuse_with_leaves(settings, "max_leaves")
  asked <- c(max_thresholds = is.finite(settings$max_thresholds), max_gap = settings$max_gap > 0,
             conformal = settings$conformal > 0, cp = !is.null(settings$cp),
             min_n = !is.null(settings$min_n) &&
               settings$min_n > 2 * max(1, settings$minbucket),
             device = startsWith(device_wanted(settings), "cuda"),
             model = isTRUE(settings$model))
  if (!any(asked)) return(invisible())
  stop_unsupported(names(asked)[asked][1], gettextf(
    "'%s' is not available for trees of rewards", names(asked)[asked][1]))
}

# ---- the bridge to the search --------------------------------------------------------------------

# The tree on the predictors; `searched` are its nodes on the columns of the search.
solve_policy <- function(problem, settings) {
  listener <- new_listener(settings)
  on.exit(listener$end())
  rewards <- problem$rewards
  search <- if (wants_parts(settings)) search_policy_in_parts
            else if (two_as_classes(rewards, problem$columns, settings)) solve_two
            else solve_rewards
  roots <- if (!is.null(settings$root)) column_predictors(problem) %in% settings$root
  asked <- list(start = start_nodes(settings$start, problem$frame, problem$derived),
                roots = roots, report = listener$report)
  solved <- call_core(search(problem$columns, rewards, settings, asked), refuse_search)
  if (solved$interrupted && settings$on_interrupt == "error") stop_interrupted(solved$elapsed)
  searched <- nodes_searched(solved)
  solved <- return_tree(solved, problem$derived, problem$frame)
  solved$searched <- searched
  solved
}

nodes_searched <- function(solved) {
  solved[c("feature", "threshold", "left", "right", "default_left")]
}

solve_rewards <- function(columns, rewards, settings, asked = list()) {
  control <- policy_control(rewards, settings, asked)
  if (is.null(settings$threads) && is_small_policy(columns, rewards, settings)) control$threads <- 1
  .Call(ffi_policy_solve, columns, rewards, control)
}

# Does one thread take a few milliseconds, for which others are not worth waking?
is_small_policy <- function(columns, rewards, settings) {
  settings$depth <= 2 && length(rewards) * column_count(columns)^2 < 1e6
}

# `asked`: a list that may have `start`, `roots` and `report`.
policy_control <- function(rewards, settings, asked = list()) {
  list(depth = as.integer(settings$depth), minbucket = settings$minbucket,
       price = settings$complexity * nrow(rewards), time_limit = settings$time_limit,
       memory_limit = settings$memory_limit, threads = threads_to_use(settings$threads),
       simd = simd_wanted(),
       max_leaves = if (is.null(settings$max_leaves)) Inf else settings$max_leaves,
       start = asked$start, roots = asked$roots, report = asked$report)
}

# Whether the search of classes has them: it is the faster one for two actions, but on columns of
# two values, of which trees of three levels are added up (see src/policy/two_valued.h). It takes as
# many rows as classes, and weights of usual size.
two_as_classes <- function(rewards, columns, settings) {
  if (ncol(rewards) != 2 || nrow(rewards) < 2) return(FALSE)
  whole <- sum(abs(rewards[, 1] - rewards[, 2]))
  if (whole < 1e-99 || whole > 1e99) return(FALSE)
  few_leaves <- !is.null(settings$max_leaves) && settings$max_leaves < 2^settings$depth
  added_up <- settings$depth >= 3 && !few_leaves && column_count(columns) <= 1024
  !(added_up && have_two_values(columns))
}

have_two_values <- function(columns) {
  for (column in seq_len(column_count(columns))) {
    x <- column_at(columns, column)
    others <- x[x != x[1]]
    if (length(others) && any(others != others[1])) return(FALSE)
  }
  TRUE
}

# Two actions: the better one is a class, and an error costs the difference of their rewards.
solve_two <- function(columns, rewards, settings, asked = list()) {
  loss <- abs(rewards[, 1] - rewards[, 2])
  settings$complexity <- settings$complexity * nrow(rewards) / sum(loss)
  control <- search_control(settings, asked$start, asked$roots, asked$report)
  control["weights"] <- list(loss)
  control["loss"] <- list(NULL)
  solved <- .Call(ffi_exact_solve, columns, 1L + (rewards[, 2] > rewards[, 1]), 2L, control)
  solved$action <- solved$label
  solved$rounding <- 0
  if (solved$status != "optimal") return(solved)
  # what weights are rounded by is no gap of the search
  solved$rounding <- (solved$cost - solved$bound) / nrow(rewards)
  solved$bound <- solved$cost
  solved
}

# ---- the fit -------------------------------------------------------------------------------------

# Sums over the rows of each node, a column a column of `values`; children come after their parents.
sums_by_node <- function(values, solved) {
  values <- as.matrix(values)
  sums <- matrix(0, length(solved$feature), ncol(values))
  of_leaves <- rowsum(values, solved$where)
  sums[as.integer(rownames(of_leaves)), ] <- of_leaves
  for (node in rev(which(solved$feature > 0))) {
    sums[node, ] <- sums[solved$left[node], ] + sums[solved$right[node], ]
  }
  sums
}

new_policy <- function(solved, problem, settings, call) {
  frame <- problem$frame
  rewards <- problem$rewards
  restricted <- problem$derived$restricted
  n <- sums_by_node(rep(1, nrow(rewards)), solved)[, 1]
  sums <- sums_by_node(rewards, solved)
  means <- structure(sums / n, dimnames = list(NULL, colnames(rewards)))
  nodes <- seq_along(n)
  best <- do.call(pmax, lapply(seq_len(ncol(rewards)), function(a) rewards[, a]))
  solved$n <- solved$weight <- n
  solved$errors <- pmax(0, sums_by_node(best, solved)[, 1] - sums[cbind(nodes, solved$action)])
  taken <- rewards[cbind(seq_len(nrow(rewards)), solved$action[solved$where])]
  saved <- settings$complexity * sum(solved$feature > 0)
  gap <- max(0, solved$cost - solved$bound) / nrow(rewards)
  policy <- list(
    actions = colnames(rewards), action = solved$action,
    reward = means[cbind(nodes, solved$action)],
    std.error = node_errors_of_mean(solved, rewards, n), value = mean(taken),
    bound = mean(taken) - saved + gap, gap = gap, complexity = settings$complexity,
    status = solved$status, rounding = solved$rounding, search = solved$search,
    simd = solved$simd, threads = solved$threads, elapsed = solved$elapsed,
    hash = hash_columns(rewards))
  fit <- new_model(
    solved, numbers_leaves(means), frame, call, class = "contree_policy",
    where = stats::setNames(solved$where, frame$row_names), policy = policy,
    residuals = best - taken, hash = frame$hash,
    control = kept_settings(settings),
    restricted = if (length(restricted)) restricted)
  if (!is.null(problem$derived)) check_routes(fit, frame$columns)
  validate_model(fit)
}

# Standard error of the mean reward of the action of each node; NA of a single row.
node_errors_of_mean <- function(solved, rewards, n) {
  last <- last_below(solved)
  vapply(seq_along(n), function(node) {
    inside <- solved$where >= node & solved$where <= last[node]
    stats::sd(rewards[inside, solved$action[node]]) / sqrt(n[node])
  }, 0)
}

warn_of_policy <- function(fit) {
  policy <- fit$policy
  if (!policy$status %in% names(stopped_kind)) return(invisible())
  warn_stopped(gettextf("%s: mean reward %s, no tree has more than %s",
                        stopped_after(policy$status, policy$elapsed),
                        format(policy$value), format(policy$bound)),
               policy[c("status", "value", "bound", "gap", "elapsed")])
}

is_policy <- function(fit) inherits(fit, "contree_policy")
