# Policy trees printed, and what they say of new rows.

# The name of the best action of each node.
node_action <- function(fit) fit$policy$actions[fit$policy$action]

#' @rdname policy_tree
#' @description
#' `predict()` says which action the tree assigns to each row.
#' @param object A fit of [policy_tree()].
#' @param newdata Data frame or numeric matrix with the predictors, as for [predict.contree()].
#'   Without it the training rows are predicted.
#' @param type What to return for each row:
#'   * `"action.id"` (or `"vector"`): the number of the action, the column of the rewards, an
#'     integer, as in policytree;
#'   * `"node.id"` (or `"node"`): the number of the leaf, as shown by `print()`, an integer;
#'   * `"action"`: the name of the action, a factor with all actions as levels;
#'   * `"rewards"` (or `"response"`): a matrix with a column for each action, the mean rewards of
#'     the training rows of the leaf;
#'   * `"path"`: the conditions that lead to the leaf, as in [contree_rules()].
#' @param na.action,new_levels See [predict.contree()].
#' @return `predict()`: an integer vector, a factor, a matrix or a character vector, named by row.
#' @section Errors:
#' Errors of `predict()` are those of [predict.contree()].
#' @examples
#' predict(fit, X[1:3, ])
#' predict(fit, X[1:3, ], type = "action")
#' predict(fit, X[1:3, ], type = "rewards")
#' @export
predict.contree_policy <- function(object, newdata = NULL,
                                   type = c("action.id", "node.id", "action", "rewards", "path"),
                                   na.action = stats::na.pass, new_levels = NULL, ...) {
  check_no_dots(...)
  check_fit(object, "object", rows = is.null(newdata))
  type <- check_choice("type", type, alias = c(vector = "action.id", node = "node.id",
                                               response = "rewards"))
  wanted <- switch(type, rewards = "response", path = "path", "node")
  answer <- if (is.null(newdata)) {
    predict.contree_model(object, type = wanted)
  } else {
    predict.contree_model(object, newdata, type = wanted, na.action = na.action,
                          new_levels = new_levels)
  }
  if (type == "rewards" && !is.matrix(answer)) {
    answer <- matrix(answer, dimnames = list(names(answer), object$policy$actions))
  }
  if (!type %in% c("action.id", "action")) return(answer)
  action <- object$policy$action[match(answer, node_ids(object))]
  if (type == "action") return(class_factor(action, object$policy$actions, names(answer)))
  stats::setNames(action, names(answer))
}

# What each training row would have with its best action, less what it has.
#' @export
residuals.contree_policy <- function(object, ...) {
  check_fit(object, "object")
  stats::setNames(object$residuals, names(object$where))
}

# The tree as one of classes, the actions, for what writes such trees.
as_action_tree <- function(fit) {
  policy <- fit$policy
  counts <- matrix(0, length(policy$action), length(policy$actions))
  counts[cbind(seq_along(policy$action), policy$action)] <- node_n(fit)
  leaves <- class_leaves(policy$actions, policy$action, counts, NULL)
  fit$frame$yval <- leaves$yval
  fit$frame$yval2 <- leaves$yval2
  fit[c("leaf", "ylevels")] <- leaves[c("kind", "classes")]
  # of the rows nothing is needed
  fit$where <- fit$where[0]
  fit[c("policy", "residuals", "hash", "na.action")] <- NULL
  class(fit) <- setdiff(class(fit), "contree_policy")
  fit
}

#' @rdname as_sql
#' @export
as_sql.contree_policy <- function(fit, type = c("action", "rewards", "node"), con = NULL,
                                  dates = c("literal", "number"), ...) {
  check_fit(fit)
  type <- check_choice("type", type, alias = c(class = "action", response = "rewards"))
  if (type == "rewards") return(as_sql.contree_model(fit, "response", con, dates, ...))
  as_sql.contree_model(as_action_tree(fit), if (type == "node") "node" else "class", con, dates,
                       ...)
}

#' @export
write_pmml.contree_policy <- function(fit, file, ...) {
  check_fit(fit)
  write_pmml.contree_model(as_action_tree(fit), file, ...)
}

#' @export
summary.contree_policy <- function(object, ...) {
  check_fit(object, "object")
  leaf <- node_is_leaf(object)
  policy <- object$policy
  structure(list(
    call = tree_call(object), n = node_n(object)[1],
    policy = policy[c("value", "bound", "gap", "complexity", "status", "rounding", "elapsed")],
    actions = data.frame(
      action = policy$actions,
      rows = vapply(seq_along(policy$actions),
                    function(a) sum(node_n(object)[leaf & policy$action == a]), 0),
      `for all` = unname(node_values(object)[1, ]), check.names = FALSE),
    importance = contree_importance(object), tree = object, search = policy$search),
    class = "summary.contree_policy")
}

#' @export
print.summary.contree_policy <- function(x, digits = max(1, getOption("digits") - 3), ...) {
  check_digits(digits)
  cat(gettext("Call:"), "\n", sep = "")
  print(x$call)
  cat("\n", rows_line(x$tree), "\n", sep = "")
  say(policy_line(x$tree, digits, TRUE))
  cat("\n", gettext("Rows given each action, and mean rewards of giving it to all rows"), "\n\n",
      sep = "")
  print(x$actions, digits = digits, row.names = FALSE)
  cat("\n", gettext("Decrease of the regret by the splits on a predictor"), "\n\n", sep = "")
  print(stats::setNames(as.data.frame(x$importance), c("variable", "regret")), digits = digits,
        row.names = FALSE)
  invisible(x)
}

# The mean rewards of the leaves, bars by action; the action of the leaf is darker and has its
# standard error.
plot_rewards <- function(fit, main, col) {
  need_policy(fit)
  col <- leaf_colours(fit, col)
  leaf <- which(node_is_leaf(fit))
  values <- t(node_values(fit)[leaf, , drop = FALSE])
  taken <- cbind(fit$policy$action[leaf], seq_along(leaf))
  error <- ifelse(is.na(fit$policy$std.error[leaf]), 0, fit$policy$std.error[leaf])
  fill <- rep(grDevices::adjustcolor(col, 0.35), length(leaf))
  fill[taken[, 1] + nrow(values) * (taken[, 2] - 1)] <- col[taken[, 1]]
  reach <- range(0, values, values[taken] - error, values[taken] + error)
  middle <- graphics::barplot(values, beside = TRUE, col = fill, border = "grey35", las = 1,
                              ylim = reach + c(0, 0.2) * diff(reach), main = main,
                              names.arg = rep("", length(leaf)), ylab = gettext("mean reward"))
  axis_of_all(colMeans(middle), paste0(node_ids(fit)[leaf], "\nn=", node_n(fit)[leaf]))
  graphics::mtext(gettext("leaf"), side = 1, line = 3)
  at <- matrix(middle, nrow(values))[taken]
  graphics::segments(at, values[taken] - error, at, values[taken] + error, lwd = 2)
  graphics::abline(h = 0)
  legend_at_top(names(col), 0.9, fill = col)
  invisible(data.frame(leaf = node_ids(fit)[leaf], action = node_action(fit)[leaf],
                       reward = fit$policy$reward[leaf],
                       std.error = fit$policy$std.error[leaf]))
}

need_policy <- function(fit) {
  if (is_policy(fit)) return(invisible())
  stop_unsupported("what", gettext("what = \"rewards\" is for trees of policy_tree()"))
}

rewards_ggplot <- function(fit, main, col) {
  need_policy(fit)
  col <- leaf_colours(fit, col)
  leaf <- which(node_is_leaf(fit))
  actions <- fit$policy$actions
  label <- paste0(node_ids(fit)[leaf], "\nn=", node_n(fit)[leaf])
  bars <- data.frame(
    leaf = factor(rep(label, each = length(actions)), label),
    action = class_factor(rep(seq_along(actions), length(leaf)), actions),
    reward = c(t(node_values(fit)[leaf, , drop = FALSE])),
    error = rep(fit$policy$std.error[leaf], each = length(actions)),
    taken = rep(fit$policy$action[leaf], each = length(actions)) == seq_along(actions))
  bars$error[!bars$taken] <- NA
  .data <- ggplot2::.data
  beside <- ggplot2::position_dodge(0.9)
  ggplot2::ggplot(bars, ggplot2::aes(.data$leaf, .data$reward, fill = .data$action,
                                     alpha = .data$taken)) +
    ggplot2::geom_col(position = beside, colour = "grey35", linewidth = 0.2) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$reward - .data$error, ymax = .data$reward + .data$error),
      position = beside, linewidth = 0.8, na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_hline(yintercept = 0) +
    ggplot2::scale_fill_manual(values = col, name = NULL) +
    ggplot2::scale_alpha_manual(values = c(`FALSE` = 0.35, `TRUE` = 1), guide = "none") +
    ggplot2::labs(title = main, x = gettext("leaf"), y = gettext("mean reward"))
}

# Stops where there is nothing for policy trees yet, and says what to do.
refuse_policy <- function(fit, what, fix) {
  if (!is_policy(fit)) return(invisible())
  stop_unsupported(what, gettextf("%s is not available for policy trees; %s", what, fix))
}

#' @export
print.contree_policy <- function(x, digits = getOption("digits"), time = FALSE, ...) {
  check_digits(digits)
  check_fit(x, "x")
  cat(rows_line(x), "\n\n", sep = "")
  say(policy_line(x, digits, time))
  cat("\n")
  if (has_gains_on_training_rows(x)) {
    say(gettext(paste("The mean reward is of the rows that the tree was fitted to, and too high",
                      "for others; see policy_value().")))
    cat("\n")
  }
  cat(gettext("node), split, n, action, mean reward (standard error)"), "\n",
      "      * denotes terminal node\n\n", sep = "")
  cat(policy_node_lines(x, digits), sep = "\n")
  invisible(x)
}

# A leaf alone is no choice among many trees.
has_gains_on_training_rows <- function(fit) length(node_ids(fit)) > 1

# "Smallest of the best trees of depth <= 2, 4 leaves, 3 actions, mean reward 1.02; proven optimal"
policy_line <- function(fit, digits, time) {
  policy <- fit$policy
  number <- significant(digits)
  optimal <- policy$status == "optimal"
  priced <- policy$complexity > 0
  gettextf("%s of depth <= %s%s, %s, %s, mean reward %s; %s%s%s",
           if (optimal) gettext("Smallest of the best trees") else gettext("Tree"),
           fit$control$depth,
           if (priced) gettextf(" at complexity %s", format(policy$complexity)) else "",
           leaves_text(fit),
           sprintf(ngettext(length(policy$actions), "%d action", "%d actions"),
                   length(policy$actions)),
           number(policy$value), policy_proof(fit, number),
           if (policy$rounding > 0) {
             gettextf(" to within %s (rewards are rounded)", format(signif(policy$rounding, 2)))
           } else "",
           if (time && !is.na(policy$elapsed)) {
             gettextf(" in %s s", format(signif(policy$elapsed, 2)))
           } else "")
}

policy_proof <- function(fit, number) {
  policy <- fit$policy
  families <- if (length(tree_restricted(fit))) {
    gettextf(" among trees that split %s by one level or in order of mean rewards",
             show_names(tree_restricted(fit)))
  } else ""
  if (policy$status == "optimal") return(paste0(gettext("proven optimal"), families))
  gettextf("best found, %s: no tree%s has more than %s%s", policy$status, families,
           number(policy$bound), if (policy$complexity > 0) gettext(" less complexity") else "")
}

policy_node_lines <- function(fit, digits) {
  number <- significant(digits)
  policy <- fit$policy
  paste0(strrep("  ", node_depth(fit)), format(node_ids(fit)), ") ", split_text(fit, digits), " ",
         node_n(fit), " ", node_action(fit), " ", number(policy$reward), " (",
         significant(3)(policy$std.error), ")",
         ifelse(node_is_leaf(fit), " *", ""))
}
