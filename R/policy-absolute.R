# Trees of least absolute error, or of least quantile loss. The values of a grid are actions, of
# which the search finds the best tree; then each leaf has the best value of all numbers.
#
# What any tree loses at least is found by another search. Let [a, b] lie between neighbours of the
# grid. The loss of rows outside it is linear in a prediction q within it; that of rows inside is at
# least 0. So all rows of a leaf with a prediction in [a, b] lose at least what the rows outside do
# at q, which is linear, and least at a or at b: these are the actions, two for each interval.

# `others`: whether what does not go with it is given.
fit_absolute <- function(frame, tau, others, settings, call) {
  wrong <- names(others)[others]
  if (length(wrong)) {
    stop_input(wrong[1], gettextf("'%s' does not go with objective = \"absolute\"", wrong[1]))
  }
  check_number("tau", tau, gettext("a number above 0 and below 1"),
               function(value) value > 0 && value < 1)
  if (is_classes(frame)) {
    stop_input("objective", gettext("objective = \"absolute\" is for a numeric response"))
  }
  check_policy_settings(settings)
  refuse_with_absolute(settings)
  settings <- settle_sizes(settings, FALSE)
  weights <- row_weights(frame)
  y <- response_that_counts(frame, tau)
  grid <- response_grid(y)
  whole <- sum(weights * quantile_loss(y, best_quantile(y, weights, tau), tau))
  price <- settings$complexity * whole
  settings$complexity <- price / length(y)
  derived <- derive_numbers(frame, settings$subset_levels)
  problem <- list(frame = frame, derived = derived, columns = plain_codes(
    if (is.null(derived)) frame$columns else derived$columns))
  search <- function(costs, ...) {
    problem$rewards <- -weights * costs
    solve_policy(problem, utils::modifyList(settings, list(...)))
  }
  begin <- seconds_now()
  solved <- search(outer(y, grid, quantile_loss, tau = tau))
  left <- max(0, settings$time_limit - (seconds_now() - begin))
  proven <- if (length(grid) == length(unique(y))) solved
            else search(costs_of_intervals(y, grid, tau), time_limit = left, start = NULL)
  fit <- new_absolute(solved, problem, tau, grid, price, settings, call)
  fit <- settle_absolute(fit, proven, solved, weights * costs_of_bound(y, grid, tau), price,
                         seconds_now() - begin)
  tell_restricted(fit)
  warn_of_absolute(fit)
  fit
}

refuse_with_absolute <- function(settings) {
  asked <- c(certificate = settings$certificate > 0, workers = isTRUE(settings$workers),
             checkpoint = !is.null(settings$checkpoint))
  if (!any(asked)) return(invisible())
  stop_unsupported(names(asked)[asked][1], gettextf(
    "'%s' is not available for objective = \"absolute\"", names(asked)[asked][1]))
}

quantile_loss <- function(y, value, tau) ifelse(y > value, tau * (y - value),
                                                (1 - tau) * (value - y))

# Rows without weight decide nothing: theirs is a value that others have.
response_that_counts <- function(frame, tau) {
  weights <- row_weights(frame)
  if (all(weights > 0)) return(frame$response)
  replace(frame$response, weights == 0,
          best_quantile(frame$response[weights > 0], weights[weights > 0], tau))
}

# All values, or 31 quantiles of them, from the least to the largest.
response_grid <- function(y) {
  values <- sort(unique(y))
  if (length(values) <= 31) return(values)
  unique(unname(stats::quantile(y, seq(0, 1, length.out = 31), type = 1)))
}

costs_of_intervals <- function(y, grid, tau) {
  low <- grid[-length(grid)]
  high <- grid[-1]
  outside <- outer(y, low, "<=") | outer(y, high, ">=")
  cbind(outer(y, low, quantile_loss, tau = tau) * outside,
        outer(y, high, quantile_loss, tau = tau) * outside)
}

costs_of_bound <- function(y, grid, tau) {
  if (length(grid) == length(unique(y))) return(outer(y, grid, quantile_loss, tau = tau))
  costs_of_intervals(y, grid, tau)
}

# The value of least loss; where several are, the least of them.
best_quantile <- function(y, weights, tau) {
  order <- order(y)
  upto <- cumsum(weights[order])
  y[order][which(upto >= tau * upto[length(upto)] * (1 - 4 * .Machine$double.eps))[1]]
}

new_absolute <- function(solved, problem, tau, grid, price, settings, call) {
  frame <- problem$frame
  y <- response_that_counts(frame, tau)
  weights <- row_weights(frame)
  solved$n <- sums_by_node(rep(1, length(y)), solved)[, 1]
  solved$weight <- sums_by_node(weights, solved)[, 1]
  last <- last_below(solved)
  rows <- lapply(seq_along(last), function(node) {
    which(solved$where >= node & solved$where <= last[node])
  })
  values <- vapply(rows, function(own) best_quantile(y[own], weights[own], tau), 0)
  solved$errors <- mapply(function(own, value) {
    sum(weights[own] * quantile_loss(y[own], value, tau))
  }, rows, values)
  fit <- new_model(
    solved, number_leaves(values), frame, call, class = "contree_absolute",
    where = stats::setNames(solved$where, frame$row_names), y = frame$response,
    weights = frame$weights,
    absolute = list(tau = tau, grid = grid, objective = 0, cost = 0, bound = 0, gap = 0,
                    status = "", rounding = 0, elapsed = 0),
    hash = hash_columns(frame$columns), control = kept_settings(settings),
    restricted = if (length(problem$derived$restricted)) problem$derived$restricted)
  if (!is.null(problem$derived)) check_routes(fit, frame$columns)
  validate_model(fit)
}

# `proven`: of the search with actions that cost so much.
settle_absolute <- function(fit, proven, solved, costs, price, elapsed) {
  least <- do.call(pmin, lapply(seq_len(ncol(costs)), function(a) costs[, a]))
  objective <- sum(node_errors(fit)[node_is_leaf(fit)])
  cost <- objective + price * tree_splits(fit)
  rounding <- nrow(costs) * (solved$rounding + 8 * .Machine$double.eps * max(costs))
  bound <- sum(least) + proven$bound
  gap <- if (cost - bound > rounding) cost - bound else 0
  statuses <- c(solved$status, proven$status)
  fit$absolute <- list(
    tau = fit$absolute$tau, grid = fit$absolute$grid, objective = objective, cost = cost,
    bound = cost - gap, gap = gap, status = c(statuses[statuses != "optimal"], "optimal")[1],
    rounding = rounding, elapsed = elapsed)
  fit
}

warn_of_absolute <- function(fit) {
  absolute <- fit$absolute
  if (!absolute$status %in% names(stopped_kind)) return(invisible())
  warn_stopped(gettextf("%s: loss %s, no tree has less than %s",
                        stopped_after(absolute$status, absolute$elapsed), format(absolute$cost),
                        format(absolute$bound)),
               absolute[c("status", "cost", "bound", "gap", "elapsed")])
}

#' @export
print.contree_absolute <- function(x, digits = getOption("digits"), ...) {
  check_digits(digits)
  check_fit(x, "x")
  number <- significant(digits)
  absolute <- x$absolute
  what <- if (absolute$tau == 0.5) gettextf("absolute error %s", number(2 * absolute$objective))
          else gettextf("loss %s at the quantile %s", number(absolute$objective),
                        format(absolute$tau))
  twice <- if (absolute$tau == 0.5) 2 else 1
  proof <- if (absolute$gap == 0) {
    gettext("proven optimal")
  } else {
    gettextf("proven to within %s%% (of the grid of %d values of the search%s)",
             format(signif(100 * absolute$gap / absolute$cost, 2)), length(absolute$grid),
             if (absolute$status == "optimal") "" else paste0(", ", absolute$status))
  }
  cat(rows_line(x), "\n\n", sep = "")
  say(gettextf("Tree of depth <= %s, %s, %s; %s", tree_settings(x)$depth, leaves_text(x), what,
               proof))
  cat("\n", if (absolute$tau == 0.5) gettext("node), split, n, absolute error, prediction")
            else gettext("node), split, n, loss, prediction"), "\n",
      "      * denotes terminal node\n\n", sep = "")
  cat(paste0(strrep("  ", node_depth(x)), format(node_ids(x)), ") ", split_text(x, digits), " ",
             node_n(x), " ", number(twice * node_errors(x)), " ", number(node_values(x)[, 1]),
             ifelse(node_is_leaf(x), " *", "")), sep = "\n")
  invisible(x)
}
