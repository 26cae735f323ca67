# Policy trees of several sizes: the best for each complexity, each number of leaves, or each depth;
# and the best that begin with other predictors.

policy_path <- function(frame, settings, call, by) {
  begin <- seconds_now()
  by <- check_choice("by", by, c("complexity", "leaves", "depth"))
  check_policy_settings(settings)
  settings <- settle_sizes(settings)
  if (by == "leaves") refuse_with_leaves(settings, "by = \"leaves\"")
  run <- list(problem = new_policy_problem(frame, settings), settings = settings, call = call,
              end = begin + settings$time_limit)
  fits <- switch(by, complexity = policy_path_by_complexity(run),
                 leaves = policy_path_by_leaves(run), depth = policy_path_by_depth(run))
  table <- table_of_policies(fits, by, settings)
  path <- structure(stats::setNames(fits, table[[if (by == "depth") "depth" else "nsplit"]]),
                    by = by, call = call, table = table,
                    elapsed = seconds_now() - begin, class = "contree_policy_path")
  tell_restricted(path[[1]])
  statuses <- attr(path, "table")$status
  if (any(statuses != "optimal")) {
    status <- statuses[statuses != "optimal"][1]
    warn_stopped(gettextf("%s: %d of %d trees of the path are proven optimal",
                          stopped_after(status, attr(path, "elapsed")),
                          sum(statuses == "optimal"), length(fits)),
                 list(status = status, elapsed = attr(path, "elapsed")))
  }
  path
}

# One search of the path, with other settings.
policy_of_path <- function(run, ..., call) {
  settings <- utils::modifyList(run$settings, list(...))
  settings$time_limit <- max(0, run$end - seconds_now())
  solved <- solve_policy(run$problem, settings)
  settings$time_limit <- run$settings$time_limit
  new_policy(solved, run$problem, settings, call)
}

# ---- by complexity -------------------------------------------------------------------------------

# Between two trees of the path lies none if the best at the complexity at which both are worth the
# same is worth no more.
policy_path_by_complexity <- function(run) {
  at <- function(complexity, ...) {
    policy_of_path(run, complexity = complexity, ..., call = call_at(run$call, complexity))
  }
  ends <- list(at(run$settings$complexity, depth = 0), at(run$settings$complexity))
  if (tree_splits(ends[[2]]) == 0) ends <- ends[2]
  between <- function(a, b) {
    complexity <- (b$policy$value - a$policy$value) / (tree_splits(b) - tree_splits(a))
    mid <- at(complexity, start = b)
    line <- a$policy$value - complexity * tree_splits(a)
    own <- mid$policy$value - complexity * tree_splits(mid)
    off <- 2 * mid$policy$rounding + 16 * .Machine$double.eps * max(abs(line), abs(own))
    if (own > line + off && tree_splits(mid) > tree_splits(a) &&
          tree_splits(mid) < tree_splits(b)) {
      return(c(between(a, mid), list(mid), between(mid, b)))
    }
    list(c(gap = max(0, mid$policy$bound - line - off), status = mid$policy$status))
  }
  found <- if (length(ends) == 1) ends else c(ends[1], between(ends[[1]], ends[[2]]), ends[2])
  settle_path(found, run)
}

# Trees and, between each two, what is proven there. A tree is as near to the optimum as at both
# ends of its range.
settle_path <- function(found, run) {
  is_tree <- vapply(found, is_policy, NA)
  fits <- found[is_tree]
  edges <- found[!is_tree]
  lapply(seq_along(fits), function(i) {
    fit <- fits[[i]]
    next_one <- if (i < length(fits)) fits[[i + 1]]
    complexity <- if (is.null(next_one)) run$settings$complexity
                  else (next_one$policy$value - fit$policy$value) /
                    (tree_splits(next_one) - tree_splits(fit))
    beside <- edges[intersect(c(i - 1, i), seq_along(edges))]
    gap <- max(0, as.numeric(vapply(beside, `[[`, "", "gap")),
               if (is.null(next_one)) fit$policy$gap)
    status <- c(vapply(beside, `[[`, "", "status"), if (is.null(next_one)) fit$policy$status)
    stopped <- status[status != "optimal"]
    policy_at(fit, complexity, gap, if (gap > 0 && length(stopped)) stopped[1] else "optimal",
              depth = run$settings$depth, call = call_at(run$call, complexity))
  })
}

policy_at <- function(fit, complexity, gap, status, depth, call) {
  fit$policy[c("complexity", "gap", "status")] <- list(complexity, gap, status)
  fit$policy$bound <- fit$policy$value - complexity * tree_splits(fit) + gap
  fit$control[c("complexity", "depth")] <- list(complexity, depth)
  set_call(fit, call)
}

# ---- by leaves -----------------------------------------------------------------------------------

# find_path_by_leaves() for policy trees.
policy_path_by_leaves <- function(run) {
  most <- min(2^run$settings$depth, nrow(run$problem$rewards), run$settings$max_leaves)
  fits <- list()
  while (most > 0) {
    fit <- policy_of_path(run, max_leaves = most, start = if (length(fits)) fits[[1]],
                          call = call_at_leaves(run$call, most))
    fits <- c(list(fit), fits)
    most <- tree_splits(fit)
  }
  fits
}

# ---- by depth ------------------------------------------------------------------------------------

policy_path_by_depth <- function(run) {
  fits <- list()
  for (depth in seq(0, run$settings$depth)) {
    fit <- policy_of_path(run, depth = depth, start = if (depth > 0) fits[[depth]],
                          call = call_at_depth(run$call, depth))
    fits <- c(fits, list(fit))
  }
  fits
}

# The call of contree() that asks for the tree of a given depth.
call_at_depth <- function(call, depth) {
  call[[1]] <- if (is.call(call[[1]])) quote(contree::contree) else quote(contree)
  call[c("maxdepth", "by")] <- NULL
  call$depth <- depth
  call
}

table_of_policies <- function(fits, by, settings) {
  of <- function(name) vapply(fits, function(fit) fit$policy[[name]], 0)
  splits <- vapply(fits, tree_splits, 0)
  complexity <- of("complexity")
  first <- switch(by, leaves = list(leaves = splits + 1), depth = list(depth = seq_along(fits) - 1),
                  list(complexity = complexity, upper = c(Inf, complexity[-length(fits)])))
  data.frame(first, nsplit = splits, value = of("value"), gap = of("gap"),
             status = vapply(fits, function(fit) fit$policy$status, ""), row.names = NULL)
}

# ---- methods -------------------------------------------------------------------------------------

#' @export
as.data.frame.contree_policy_path <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(attr(x, "table"), row.names)
}

#' @export
print.contree_policy_path <- function(x, digits = max(1, getOption("digits") - 2), ...) {
  check_digits(digits)
  table <- attr(x, "table")
  cat(gettextf("%s of depth <= %s by %s",
               if (all(table$gap == 0)) gettext("Optimal policy trees")
               else gettext("Policy trees"),
               tree_settings(x[[length(x)]])$depth, attr(x, "by")), "\n\n", sep = "")
  print(if (all(table$gap == 0)) table[names(table) != "gap"] else table, digits = digits,
        row.names = FALSE)
  cat("\n")
  say(gettext("Values are of the training rows, and too high for others; see contree_cv()."))
  invisible(x)
}

#' @export
plot.contree_policy_path <- function(x, main = NULL, xlab = gettext("number of leaves"),
                                     ylab = gettext("mean reward"), type = "o",
                                     pch = ifelse(attr(x, "table")$gap == 0, 19, 1), ...) {
  check_title(main)
  table <- attr(x, "table")
  graphics::plot(table$nsplit + 1, table$value, main = main, xlab = xlab, ylab = ylab, type = type,
                 pch = pch, xaxt = "n", las = 1, ...)
  graphics::axis(1, at = table$nsplit + 1)
  invisible(table)
}

# ---- alternatives --------------------------------------------------------------------------------

# contree_alternatives() of a policy tree: one search for each other predictor.
policy_alternatives <- function(fit, n, within, data, given, env) {
  settings <- search_settings(fit, given)
  check_policy_settings(settings)
  problem <- new_policy_problem(policy_training_frame(fit, data, env), settings)
  others <- setdiff(problem$frame$shape$names, node_variable(fit)[1])
  if (node_is_leaf(fit)[1]) others <- character()
  own <- fit$policy$value - fit$policy$complexity * tree_splits(fit)
  end <- seconds_now() + settings$time_limit
  found <- lapply(stats::setNames(others, others), function(predictor) {
    settings$root <- predictor
    settings$time_limit <- max(0, end - seconds_now())
    new_policy(solve_policy(problem, settings), problem, settings, tree_call(fit))
  })
  less <- own - vapply(found, function(tree) {
    tree$policy$value - tree$policy$complexity * tree_splits(tree)
  }, 0)
  off <- 2 * fit$policy$rounding + 16 * .Machine$double.eps * max(abs(problem$rewards))
  less[abs(less) <= off] <- 0
  stopped <- vapply(found, function(tree) tree$policy$status != "optimal", NA)
  listed <- less <= within & vapply(found, tree_splits, 0) > 0
  best <- utils::head(order(less)[listed[order(less)]], n)
  alternatives <- structure(found[best], fit = fit, within = within,
                            table = policy_alternatives_table(found[best], less[best]),
                            undecided = others[stopped & !listed],
                            class = "contree_policy_alternatives")
  if (any(stopped)) {
    status <- found[[which(stopped)[1]]]$policy$status
    warn_stopped(gettextf("%s: not all trees are proven", stopped_after(status,
                                                                       settings$time_limit)),
                 list(status = status, undecided = attr(alternatives, "undecided")))
  }
  alternatives
}

policy_alternatives_table <- function(fits, less) {
  of <- function(name) vapply(fits, function(fit) fit$policy[[name]], 0, USE.NAMES = FALSE)
  data.frame(predictor = as.character(names(fits)), value = of("value"), within = unname(less),
             nsplit = vapply(fits, tree_splits, 0L, USE.NAMES = FALSE), gap = of("gap"),
             status = vapply(fits, function(fit) fit$policy$status, "", USE.NAMES = FALSE))
}

#' @export
as.data.frame.contree_policy_alternatives <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(attr(x, "table"), row.names)
}

#' @export
print.contree_policy_alternatives <- function(x, digits = max(1, getOption("digits") - 2), ...) {
  check_digits(digits)
  fit <- attr(x, "fit")
  root <- if (node_is_leaf(fit)[1]) gettext("no split") else node_variable(fit)[1]
  within <- format(attr(x, "within"))
  cat(gettextf("The fit has root %s and mean reward %s", root,
               format(fit$policy$value, digits = digits)), "\n\n", sep = "")
  if (length(x) == 0) {
    cat(gettextf("No tree with another predictor at the root has at most %s less", within), "\n",
        sep = "")
    return(invisible(x))
  }
  cat(gettextf("Best trees with another predictor at the root that have at most %s less:", within),
      "\n", sep = "")
  table <- attr(x, "table")
  print(if (all(table$gap == 0)) table[names(table) != "gap"] else table, digits = digits)
  invisible(x)
}
