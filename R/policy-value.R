# What a policy is worth: means of rewards over rows, with standard errors.

#' @rdname policy_scores
#' @description
#' `policy_value()` estimates the mean reward of a policy tree on rows that it was not fitted to,
#' with its standard error, and compares it with giving all rows the same action, and with another
#' policy, by paired differences.
#' @details
#' `policy_value()` takes the tree as given: standard errors are those of means over the rows of
#' `newdata`, or, with `clusters`, over clusters. With rewards that are doubly robust scores from
#' cross-fitted models this is the estimate of Athey and Wager (2021).
#' @param fit A fit of [policy_tree()].
#' @param newdata Data frame or matrix with the predictors. If its rows are those that the tree was
#'   fitted to, a warning of class `contree_training_rows` says that the value is too high.
#' @param Gamma Rewards of the rows of `newdata`, a numeric matrix with the actions of the fit as
#'   columns. Named columns may be in any order.
#' @param clusters `NULL`, the default: rows are independent. Or a vector with one value for each
#'   row: rows with the same value belong together.
#' @param policy `NULL`, the default; or another policy to compare with: a fit of [policy_tree()],
#'   or the number or the name of an action for each row.
#' @return `policy_value()`: a data frame of class `policy_value` with a row for the policy, one for
#'   each action given to all rows, and one for `policy` (named `"other"`): `value` and `std.error`,
#'   mean reward and standard error; `difference` and `difference.error`, the value of the policy
#'   less that of the row, and its standard error (`NA` for the policy itself).
#' @section Errors:
#' `contree_input_error` for rewards that are missing or not those of the actions of the fit, for
#' clusters or a policy of another length, and if `newdata` has no rows.
#' @references S. Athey, S. Wager (2021). Policy Learning with Observational Data. *Econometrica*
#'   89(1), 133-161. \doi{10.3982/ECTA15732}.
#' @examples
#'
#' set.seed(1)
#' X <- data.frame(age = rnorm(1000), income = rnorm(1000))
#' Gamma <- cbind(none = 0, course = X$age, grant = X$income) + rnorm(3000)
#' train <- 1:500
#' fit <- policy_tree(X[train, ], Gamma[train, ])
#' policy_value(fit, X[-train, ], Gamma[-train, ])
#' @export
policy_value <- function(fit, newdata, Gamma, clusters = NULL, policy = NULL) {
  check_policy(fit)
  if (missing(newdata) || missing(Gamma)) {
    stop_input(if (missing(newdata)) "newdata" else "Gamma", gettext(
      "give 'newdata' and the rewards 'Gamma' of its rows"))
  }
  action <- stats::predict(fit, newdata)
  if (length(action) == 0) stop_input("newdata", gettext("'newdata' has no rows"))
  rewards <- rewards_of_actions(fit, Gamma, length(action))
  clusters <- check_clusters(clusters, length(action))
  warn_of_training_rows(fit, newdata)
  rows <- seq_along(action)
  own <- rewards[cbind(rows, action)]
  others <- lapply(seq_len(ncol(rewards)), function(a) rewards[, a])
  names(others) <- colnames(rewards)
  if (!is.null(policy)) {
    others$other <- rewards[cbind(rows, actions_of_policy(policy, fit, newdata, length(action)))]
  }
  all <- c(list(policy = own), others)
  means <- vapply(all, mean_and_error, numeric(2), clusters = clusters)
  against <- vapply(others, function(other) mean_and_error(own - other, clusters), numeric(2))
  structure(class = c("policy_value", "data.frame"), row.names = make.unique(names(all)), list(
    value = unname(means[1, ]), std.error = unname(means[2, ]),
    difference = c(NA, unname(against[1, ])), difference.error = c(NA, unname(against[2, ]))))
}

check_policy <- function(fit) {
  if (!is_policy(fit)) {
    stop_input("fit", gettextf("'fit' must be a fit of policy_tree(), not %s", show_value(fit)))
  }
  check_fit(fit, rows = FALSE)
}

# In the order of the fit.
rewards_of_actions <- function(fit, rewards, n) {
  actions <- fit$policy$actions
  named <- !is.null(colnames(rewards))
  rewards <- read_rewards(rewards, n, "Gamma")
  if (ncol(rewards) != length(actions) || (named && !setequal(colnames(rewards), actions))) {
    stop_input("Gamma", gettextf("'Gamma' must have a column for each action of the fit: %s",
                                 show_names(actions)))
  }
  if (named) return(rewards[, actions, drop = FALSE])
  colnames(rewards) <- actions
  rewards
}

check_clusters <- function(clusters, n) {
  if (is.null(clusters)) return(NULL)
  if (!is.atomic(clusters) || length(clusters) != n || anyNA(clusters)) {
    stop_input("clusters", gettextf(
      "'clusters' must have one value for each of the %d rows, none missing", n))
  }
  if (length(unique(clusters)) < 2) {
    stop_input("clusters", gettext("'clusters' must have at least two different values"))
  }
  clusters
}

# The mean, and its standard error: of rows, or of sums over clusters.
mean_and_error <- function(x, clusters) {
  n <- length(x)
  if (is.null(clusters)) return(c(mean(x), stats::sd(x) / sqrt(n)))
  off <- rowsum(x - mean(x), clusters)
  c(mean(x), sqrt(sum(off^2) * length(off) / (length(off) - 1)) / n)
}

actions_of_policy <- function(policy, fit, newdata, n) {
  actions <- fit$policy$actions
  if (is_policy(policy)) {
    said <- stats::predict(policy, newdata, type = "action")
    policy <- as.character(said)
  }
  if (length(policy) != n) {
    stop_input("policy", gettextf("'policy' must have one action for each of the %d rows", n))
  }
  number <- if (is.numeric(policy)) match(policy, seq_along(actions)) else match(policy, actions)
  if (anyNA(number)) {
    stop_input("policy", gettextf("'policy' has %s, which is no action of the fit",
                                  show_value(policy[is.na(number)][1])))
  }
  number
}

# The rows are known by the hashes of their columns.
warn_of_training_rows <- function(fit, newdata) {
  new <- tryCatch(new_columns(fit, newdata, stats::na.pass)$columns, error = function(e) NULL)
  known <- fit$hash[match(column_names(new), tree_shape(fit)$names)]
  if (is.null(new) || !identical(hash_columns(new), known)) return(invisible())
  warn_contree("training_rows", gettext(paste(
    "these are the rows that the tree was fitted to, among many trees: its value on others is",
    "lower, and the standard error does not say by how much")))
}

#' @export
print.policy_value <- function(x, digits = 4, ...) {
  cat(gettext("Mean rewards, and the policy less each of the others"), "\n\n", sep = "")
  shown <- as.data.frame(lapply(x, function(column) {
    ifelse(is.na(column), "", format(signif(column, digits)))
  }), row.names = row.names(x))
  names(shown) <- c("value", "(SE)", "difference", "(SE)")
  print(shown)
  invisible(x)
}
