# Certificates of policy trees; see exact-certify.R. The proof is that no tree has less regret, what
# the rows have less than with their best actions, and is checked in src/certify/rewards.c.

# write_certificate() for policy trees.
write_policy_certificate <- function(fit, solved, problem, settings) {
  policy <- fit$policy
  if (policy$status == "interrupted") return(warn_no_certificate("interrupted", settings))
  optimal <- policy$status == "optimal"
  control <- policy_control(problem$rewards, settings,
                            list(start = if (optimal) solved$searched))
  # two actions are searched in other integers
  slack <- if (ncol(problem$rewards) == 2) policy$rounding * nrow(problem$rewards) else 0
  written <- call_core(.Call(ffi_policy_certificate, problem$columns, problem$rewards, control,
                             solved$bound, slack, settings$certificate), refuse_search)
  if (written$status != "optimal") return(warn_no_certificate(written$status, settings))
  structure(list(log = written$log, bound = policy$bound, elapsed = written$elapsed,
                 depth = settings$depth, among = restrictions(fit)),
            class = c("contree_policy_certificate", "contree_certificate"))
}

#' @export
print.contree_policy_certificate <- function(x, ...) {
  cat(gettextf(paste("Certificate that no %s has a mean reward above %s: %s, made in %s s;",
                     "contree_certify() checks it"),
               trees_text(x$depth, x$among), format(x$bound), bytes_text(length(x$log)),
               format(signif(x$elapsed, 2))),
      "\n", sep = "")
  invisible(x)
}

# contree_certify() of a policy tree.
certify_policy <- function(fit, data, certificate, env) {
  log <- certificate_log(certificate)
  start <- seconds_now()
  frame <- tryCatch(policy_frame_again(fit, data, env),
                    error = function(problem) no_training_data(problem, data))
  fault <- policy_fault(fit, frame)
  checked <- NULL
  if (is.null(fault)) {
    problem <- new_policy_problem(frame, tree_settings(fit))
    fault <- column_fault(problem, tree_settings(fit)$subset_levels)
    if (is.null(fault)) {
      checked <- call_core(.Call(ffi_policy_certify, problem$columns, problem$rewards,
                                 policy_control(problem$rewards, tree_settings(fit)),
                                 fit$policy$action[tree_where(fit)], tree_splits(fit), log),
                           refuse_search)
      fault <- policy_proof_fault(fit, frame, checked)
    }
  }
  new_policy_check(fit, frame, log, checked, fault, seconds_now() - start)
}

# What is wrong with the data for the fit, or with the tree; NULL if nothing is.
policy_fault <- function(fit, frame) {
  fault <- policy_training_fault(fit, frame)
  if (!is.null(fault)) return(fault)
  leaf <- walk_rows(fit, frame$columns)
  if (!identical(leaf, unname(tree_where(fit)))) {
    return(gettextf("row %d does not reach the leaf recorded in the fit",
                    which(leaf != tree_where(fit))[1]))
  }
  policy <- fit$policy
  value <- mean(frame$rewards[cbind(seq_along(leaf), policy$action[leaf])])
  n <- rows_below_nodes(fit, leaf)
  if (!is_same_mean(value, policy$value, frame$rewards)) {
    gettextf("the tree has a mean reward of %s, not %s", format(value), format(policy$value))
  } else if (max(node_depth(fit)) > tree_settings(fit)$depth) {
    gettextf("the tree is deeper than %s", format(tree_settings(fit)$depth))
  } else if (length(n) > 1 && any(n < tree_settings(fit)$minbucket)) {
    gettext("the tree has nodes with too few rows")
  }
}

# Up to last bits of doubles in sums.
is_same_mean <- function(a, b, rewards) {
  abs(a - b) <= 8 * .Machine$double.eps * max(abs(rewards))
}

# What is proven of mean rewards less complexity, from what is proven of the regret.
proven_mean <- function(frame, checked) {
  best <- do.call(pmax, lapply(seq_len(ncol(frame$rewards)), function(a) frame$rewards[, a]))
  mean(best) - checked$bound / nrow(frame$rewards)
}

policy_proof_fault <- function(fit, frame, checked) {
  policy <- fit$policy
  if (checked$verdict == "stopped") return(gettext("interrupted"))
  if (checked$verdict == "other data") {
    return(gettext("the certificate was made for other data or other settings"))
  }
  if (checked$verdict != "certified") return(gettextf("the certificate cannot be read (%s)",
                                                      checked$verdict))
  proven <- proven_mean(frame, checked)
  off <- 2 * checked$rounding / nrow(frame$rewards) + policy$rounding +
    16 * .Machine$double.eps * max(abs(frame$rewards))
  own <- policy$value - policy$complexity * tree_splits(fit)
  if (policy$bound < own - off) {
    gettextf("the tree has a mean reward of %s less complexity, more than its bound of %s",
             format(own), format(policy$bound))
  } else if (proven > policy$bound + off) {
    gettextf("the certificate proves only that no tree has more than %s, not %s", format(proven),
             format(policy$bound))
  } else if (policy$status == "optimal" && !checked$attained) {
    gettextf("the fit is called optimal and has %s, but only %s is proven", format(own),
             format(proven))
  }
}

new_policy_check <- function(fit, frame, log, checked, fault, elapsed) {
  policy <- fit$policy
  certified <- !is.null(checked) && checked$verdict == "certified"
  optimal <- is.null(fault) && policy$status == "optimal" && checked$attained
  n <- nrow(frame$rewards)
  check <- list(valid = is.null(fault), reason = fault, value = policy$value,
                complexity = policy$complexity,
                bound = if (certified) proven_mean(frame, checked) else NA_real_,
                rounding = if (certified) checked$rounding / n else NA_real_,
                optimal = optimal, smallest = optimal && checked$smallest,
                thresholds = if (certified) checked$thresholds else 0,
                row_sets = if (certified) checked$row_sets else 0,
                bytes = length(log), elapsed = elapsed, depth = tree_settings(fit)$depth,
                among = restrictions(fit))
  structure(check[!vapply(check, is.null, NA)],
            class = c("contree_policy_check", "contree_certificate_check"))
}

#' @export
print.contree_policy_check <- function(x, digits = getOption("digits"), ...) {
  check_digits(digits)
  if (!x$valid) return(NextMethod())
  number <- function(value) format(value, digits = digits)
  trees <- trees_text(x$depth, x$among)
  priced <- if (x$complexity > 0) gettext(", less complexity,") else ""
  cat(if (x$smallest) {
    gettextf(paste("Certified: the tree has a mean reward of %s; no %s has more%s and none of",
                   "equal value has fewer leaves"), number(x$value), trees,
             if (x$complexity > 0) priced else ",")
  } else if (x$optimal) {
    gettextf("Certified: the tree has a mean reward of %s, and no %s%s has more",
             number(x$value), trees, priced)
  } else {
    gettextf("Certified: the tree has a mean reward of %s, and no %s%s has more than %s",
             number(x$value), trees, priced, number(x$bound))
  }, if (x$rounding > 0) {
    gettextf(" (to within %s, since rewards are rounded)", format(signif(x$rounding, 2)))
  } else "", "\n", certificate_facts(x, number), "\n", sep = "")
  invisible(x)
}
