# Cross-validation of policy trees: what trees of some depths and complexities are worth on rows
# that were left out.

# contree_cv(x, rewards = ) and contree_cv(x, costs = )
cv_rewards <- function(x, rewards, costs, given, folds, repeats, grid, settings, rule, call) {
  if (!is.null(rewards) && !is.null(costs)) {
    stop_input("costs", gettext("give either 'rewards' or 'costs', not both"))
  }
  argument <- if (is.null(costs)) "rewards" else "costs"
  refuse_with_rewards(given, argument)
  check_x(x)
  rewards <- read_rewards(if (is.null(costs)) rewards else costs, nrow(x), argument)
  if (!is.null(costs)) rewards <- -rewards
  fit_all <- function(settings, call) fit_policy(x, rewards, settings, call, "rewards", "x")
  cross_validate_policy(x, rewards, folds, repeats, grid, settings, rule, call, fit_all)
}

# contree_cv(cbind(a, b) ~ ., objective = "rewards") and "costs"; `frame` of policy_formula_frame().
cv_policy_frame <- function(frame, folds, repeats, grid, settings, rule, call) {
  fit_all <- function(settings, call) fit_policy_frame(frame, settings, call)
  cross_validate_policy(frame$model[-1], frame$rewards, folds, repeats, grid, settings, rule, call,
                        fit_all)
}

# `fit_all`: a function of (settings, call) that fits a tree to all rows.
cross_validate_policy <- function(x, rewards, folds, repeats, grid, settings, rule, call, fit_all) {
  folds <- with_seed(settings$seed, read_folds(folds, repeats, rep(1, nrow(x))))
  settings_of <- function(i) {
    settings[c("depth", "complexity")] <- grid[i, c("depth", "complexity")]
    settings
  }
  worth <- vapply(seq_len(nrow(grid)), function(i) {
    held_out_rewards(x, rewards, folds, function(rows) {
      fit_policy(x[rows, , drop = FALSE], rewards[rows, , drop = FALSE], settings_of(i), call,
                 "rewards", "x")
    })
  }, numeric(nrow(x)))
  table <- cbind(grid, value = colMeans(worth),
                 std.error = apply(worth, 2, stats::sd) / sqrt(nrow(x)))
  chosen <- choose_policy(table, rule)
  structure(list(table = table, chosen = chosen, rule = rule,
                 fit = fit_all(settings_of(chosen), fit_call(call, grid[chosen, ])), call = call),
            class = "contree_policy_cv")
}

# Of each row, the mean over the repeats of the reward of the action that it was given by the tree
# of the other folds.
held_out_rewards <- function(x, rewards, folds, fit) {
  of_repeat <- function(fold) {
    worth <- numeric(nrow(x))
    for (out in split(seq_along(fold), fold)) {
      tree <- suppressMessages(fit(setdiff(seq_along(fold), out)))
      action <- unname(stats::predict(tree, x[out, , drop = FALSE]))
      worth[out] <- rewards[cbind(out, action)]
    }
    worth
  }
  rowMeans(apply(folds, 2, of_repeat))
}

# The row of the table with the largest value; or of those within a standard error of it the first,
# as depth rises and complexity falls.
choose_policy <- function(table, rule) {
  best <- which.max(table$value)
  if (rule == "min") return(best)
  which(table$value >= table$value[best] - table$std.error[best])[1]
}

#' @export
print.contree_policy_cv <- function(x, digits = 4, ...) {
  cat(gettext("Mean rewards of policy trees on rows that were left out"), "\n\n", sep = "")
  shown <- x$table
  shown[-1] <- lapply(shown[-1], signif, digits)
  shown[[" "]] <- ifelse(seq_len(nrow(shown)) == x$chosen, "*", "")
  print(shown, row.names = FALSE)
  cat("\n")
  say(gettextf("* chosen by rule \"%s\"; element 'fit' is its tree on all rows.", x$rule))
  invisible(x)
}
