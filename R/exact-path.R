# contree_path(): the optimal tree for each complexity.
#
# A tree of s splits and e errors costs e + penalty * s, in rows. The trees that are best at some
# penalty are the corners of the lower convex hull of all (s, e). A search at the penalty at which
# two known corners cost the same finds a tree below the line through them, which is a new corner,
# or proves that there is none. All searches together prove for each number of splits how many
# errors there are at least (`least`); a line is proven as soon as none of them lies below it.
#
# Costs are counted in grains, the units of the search: a row, what weights and losses leave, or a
# part of what they were rounded to. So decisions are about whole numbers, which come from C as they
# are, in two parts where doubles have not all their digits; and the penalty at which two trees cost
# the same is kept as what it is, the difference of such numbers over that of the splits. Where all
# errors are multiples of a grain, a search has that penalty exactly. Where weights or losses were
# rounded, and with a numeric response, its penalty is off by up to `slack` grains a split, and what
# differs by no more counts as equal; what that and rounding may hide is the gap.

#' Optimal trees for all complexities
#'
#' Finds the optimal tree for every value of `complexity`, the penalty of a split as a proportion of
#' the rows (or, for a numeric response, of the squared errors of a single leaf): from the tree
#' without splits at the highest complexity to the tree with the fewest errors at the lowest. The
#' path has the numbers of splits that are optimal for some range of complexities; no other number
#' of splits is optimal at any complexity. Among trees of the same cost the one with fewer splits is
#' taken.
#'
#' Weights and losses may be any that [contree()] accepts. If they are not multiples of a common
#' unit, the path is that of the rounded ones, and `gap` says what rounding may hide.
#'
#' The path corresponds to the `cp` table of `rpart`; but where `rpart` prunes one tree, each tree
#' here is the result of its own search and proven optimal. The searches share what they prove and
#' start from the trees found before, so the path takes about as long as one fit for each of its
#' trees.
#'
#' @section By leaves:
#' Some sizes are optimal at no complexity: a tree of five leaves may be the best of that size
#' although one of four or of six leaves is better at every complexity. With `by = "leaves"` the
#' path has the optimal tree for each number of leaves up to 2 to the power of `depth` (or
#' `max_leaves`), each found and proven by a search of its own, as [contree()] with `max_leaves`
#' does it. Numbers for which no tree is better than one with fewer leaves are left out.
#' `path[["3"]]`
#' has three splits and four leaves. A `complexity` adds to the cost of each leaf as in [contree()].
#' There are more searches than by complexity, one for each tree.
#'
#' @section Stopping early:
#' `time_limit` applies to the whole path; Ctrl-C ends it too. Trees that are proven by then have
#' the status `"optimal"`; the others are the best found, and `gap` bounds their distance from the
#' optimum. There is a warning as from [contree()], of class `contree_stopped`, with the elements
#' `status`, `elapsed` and `gap` (the largest). With `max_gap` each search may end early, and each
#' tree has a gap of at most about that size.
#'
#' @inheritParams contree
#' @param depth Maximum number of splits between the root and a leaf, a whole number from 0 (no
#'   split) to 16. The default is 3.
#' @param by `"complexity"` for the trees that are optimal at some complexity, `"leaves"` for those
#'   that are optimal for some number of leaves; of policy trees (`rewards`, `costs`) also `"depth"`
#'   for the optimal tree of each depth from 0 to `depth`, which `path[["2"]]` then stands for.
#' @param ... Settings of [contree_control()], or `maxdepth` or `cp`. `complexity` (0 by default) is
#'   the lowest complexity of the path; a higher value saves time. For `plot()`, graphical
#'   parameters; not used by the other methods.
#' @return A list of fits (see [contree.object]) from the smallest tree to the largest, of class
#'   `contree_path`. `path[[2]]` is the second tree, `path[["3"]]` the one with three splits. The
#'   setting `complexity` of a fit is the lowest complexity at which it is optimal. [prune()] picks
#'   a tree by `complexity` or `nsplit`.
#'
#'   `as.data.frame()` gives a data frame with one row for each tree: `complexity`, the lowest at
#'   which it is optimal; `upper`, that of the next smaller tree, up to which it remains optimal
#'   (`Inf` for the first); `nsplit`; `errors` on the training rows (their cost if there are weights
#'   or losses, or the sum of squared errors for a numeric response); `rel_error`, the errors as a
#'   proportion of those without any split; `gap`, in the unit of the errors, 0 if the tree is
#'   proven for the whole range and nothing was rounded; and `status`. By leaves it has `leaves` in
#'   place of `complexity` and `upper`, by depth `depth`. A path of policy trees is of class
#'   `contree_policy_path` and has `value`, the mean reward, in place of the errors; `complexity` is
#'   in its unit. `plot()` returns this table invisibly.
#' @seealso [contree()], [prune()], [contree_alternatives()]
#' @references L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). *Classification and Regression
#'   Trees*. Wadsworth. Chapter 3 (the path of subtrees obtained by pruning one tree).
#' @examples
#' path <- contree_path(Species ~ ., iris, depth = 3)
#' path
#' plot(path)
#' path[["2"]]
#' sapply(path, function(fit) fit$objective)
#' # trees of 5 and of 7 leaves are optimal at no complexity
#' contree_path(supp ~ ., ToothGrowth, depth = 3)
#' contree_path(supp ~ ., ToothGrowth, depth = 3, by = "leaves")
#' @export
contree_path <- function(x, ...) UseMethod("contree_path")

#' @rdname contree_path
#' @export
contree_path.formula <- function(formula, data, weights, subset, na.action, depth = 3, loss = NULL,
                                 class_weights = NULL, by = c("complexity", "leaves", "depth"), ...,
                                 objective = NULL, control = contree_control(...)) {
  objective <- check_objective(objective)
  call <- plain_call(match.call(), sys.call(-1), "contree_path", formula)
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth)
  if (!is.null(objective)) {
    refuse_with_rewards(c(weights = !missing(weights), loss = !is.null(loss),
                          class_weights = !is.null(class_weights)), "objective")
    frame <- policy_formula_frame(formula, if (!missing(data)) data,
                                  if (!missing(subset)) substitute(subset),
                                  if (!missing(na.action)) na.action, settings, objective)
    return(policy_path(frame, settings, call, by))
  }
  frame <- formula_frame(formula, if (!missing(data)) data,
                         if (!missing(weights)) substitute(weights),
                         if (!missing(subset)) substitute(subset),
                         if (!missing(na.action)) na.action, loss, class_weights,
                         settings)
  find_path(frame, settings, call, by)
}

#' @rdname contree_path
#' @export
contree_path.default <- function(x, y, weights = NULL, depth = 3, loss = NULL,
                                 class_weights = NULL, by = c("complexity", "leaves", "depth"), ...,
                                 rewards = NULL, costs = NULL, control = contree_control(...)) {
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), contree_path.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1), "contree_path")
  settings <- collect_settings(list(...), if (!missing(control)) control,
                               if (!missing(depth)) depth)
  if (!is.null(rewards) || !is.null(costs)) {
    frame <- rewards_frame(x, rewards, costs, c(
      y = !missing(y), weights = !is.null(weights), loss = !is.null(loss),
      class_weights = !is.null(class_weights)), settings)
    return(policy_path(frame, settings, call, by))
  }
  check_both_given(x, y)
  find_path(xy_frame(x, y, weights, loss, class_weights, settings), settings, call, by)
}

find_path <- function(frame, settings, call, by) {
  begin <- seconds_now()
  by <- check_choice("by", by, c("complexity", "leaves", "depth"))
  if (by == "depth") {
    stop_unsupported("by", gettext(paste(
      "by = \"depth\" is for policy trees (rewards or costs); fit contree() with each depth, or",
      "have contree_cv() choose the depth")))
  }
  settings <- settle_settings(settings, frame)
  settings$smallest <- TRUE # sizes are what it is about
  problem <- new_problem(frame, settings)
  if (by == "leaves") {
    refuse_with_leaves(settings, "by = \"leaves\"")
    found <- find_path_by_leaves(problem, settings, call, begin)
    table <- table_of_leaves(found$fits)
    fits <- found$fits
  } else {
    found <- search_path(problem, settings, call, begin)
    table <- table_of_path(found, settings)
    gap <- attr(table, "gap_below")
    attr(table, "gap_below") <- NULL
    fits <- lapply(seq_len(nrow(table)), function(i) {
      fit_of_path(found, table[i, ], gap[i], settings)
    })
  }
  path <- structure(stats::setNames(fits, table$nsplit), table = table, call = call,
                    class = "contree_path", by = by,
                    elapsed = seconds_now() - begin)
  tell_restricted(path[[1]])
  warn_if_path_stopped(path, found$status)
  path
}

# ---- searching -----------------------------------------------------------------------------------

# What is found on the way, costs and penalties in grains: `fits` with their `splits` and `errors`,
# one a number of splits; `least`, for each number of splits from 0 on the errors that a tree of so
# many makes at least, and `surely` in the user's unit; `n` rows, or what they weigh; `floor`, the
# penalty where the path ends; `status`, why a search ended early, "optimal" if none did. Errors are
# matrices of two rows, whose sums they are.
search_path <- function(problem, settings, call, begin) {
  most <- most_splits(settings$depth, length(problem$codes))
  found <- list(fits = list(), splits = numeric(), errors = matrix(0, 2, 0), status = "optimal",
                least = matrix(0, 2, 1 + most), surely = numeric(1 + most))
  measures <- c("grain", "slack", "whole", "hidden", "rounding", "n")
  found[measures] <- measure_of_costs(problem, settings, most)
  if (is_classes(problem$frame)) found$weights <- problem$frame$weights
  # below the least penalty a split counts as long as it saves a single grain, and only then
  found$floor <- max(settings$complexity * found$n, 2^-settings$depth)
  price <- plain_price(found$floor)
  tried <- character()
  repeat {
    found <- search_at(found, price, problem, settings, call, begin)
    if (found$status %in% c("time limit", "interrupted")) break
    repeat {
      edge <- open_edge(found, tried)
      better <- if (!is.null(edge)) pruned_below(found, edge)
      if (is.null(better)) break
      found <- add_fit(found, better)
    }
    if (is.null(edge)) break
    tried <- c(tried, edge$name)
    price <- edge$price
  }
  found
}

# The grain of the costs, by how many a search may be off with the penalty of a split, whether all
# errors are multiples of it, below which cost and by how much rounding may hide better trees, and
# how many grains a complexity of 1 is. A search rounds the penalty to a grain; of a numeric
# response it adds one for each leaf.
measure_of_costs <- function(problem, settings, most) {
  costs <- grain_of_costs(problem, settings)
  whole <- costs$grain > 0
  classes <- is_classes(problem$frame)
  list(costs$unit, if (whole) 0 else if (classes) 1 else most + 2, whole,
       if (whole) 0 else costs$hidden, costs$rounding,
       (if (classes) complexity_unit(problem$frame) else costs$total) / costs$unit)
}

# What the leaves of a tree that is known, or what some nodes would be as leaves, cost in grains.
errors_in_grains <- function(fit, leaves = which(node_is_leaf(fit))) {
  rowSums(fit$grains[, as.character(node_ids(fit)[leaves]), drop = FALSE])
}

# The fit with what each node costs as a leaf, in grains.
with_grains <- function(fit, counted) {
  rest <- if (is.null(counted$rest)) 0 else counted$rest
  fit$grains <- structure(rbind(counted$nodes, rest), dimnames = list(NULL, node_ids(fit)))
  fit
}

# A penalty: the errors, in two parts, that so many splits cost together. Of two trees of whole
# costs, as one of these saves them beside the other, it is exact.
plain_price <- function(penalty) list(units = c(penalty, 0), splits = 1, exact = FALSE)
price_between <- function(found, ends) {
  list(units = found$errors[, ends[1]] - found$errors[, ends[2]],
       splits = diff(found$splits[ends]), exact = found$whole)
}
penalty_of <- function(price) sum(price$units) / price$splits

# a s - b t, where a and b have two parts (matrices of two rows or one such number): exact for whole
# numbers, whatever is lost where the parts are added.
minus_times <- function(a, s, b, t) (a[1, ] * s - b[1] * t) + (a[2, ] * s - b[2] * t)

# The difference that counts as nothing where two trees are compared that differ by `splits` splits
# of that price, in grains.
nothing <- function(found, price, splits) {
  off <- found$slack * abs(splits)
  if (price$exact) off else off + last_bits_of_penalty * penalty_of(price) * abs(splits)
}

# One search, which begins with the best tree known for that penalty. The first one also gives the
# tree without splits.
search_at <- function(found, price, problem, settings, call, begin) {
  left <- settings$time_limit - (seconds_now() - begin)
  if (length(found$fits) && left <= 0) {
    found$status <- "time limit"
    return(found)
  }
  penalty <- penalty_of(price)
  now <- settings
  now$time_limit <- max(0, left)
  # of a response without variance a split costs nothing at any complexity
  now$complexity <- if (found$n > 0) penalty / found$n else settings$complexity
  if (price$exact) now$price <- as.numeric(c(price$units, price$splits))
  if (length(found$fits)) {
    now$start <- found$fits[[which.min(colSums(found$errors) + penalty * found$splits)]]
  }
  solved <- solve_problem(problem, now)
  settings$complexity <- now$complexity
  fit <- with_grains(new_fit(solved, problem, settings, call), solved$counted)
  if (length(found$fits) == 0) {
    leaf <- cut_nodes(fit, which(!node_is_leaf(fit)))
    found <- add_fit(found, leaf)
    found$least[, 1] <- found$errors
    found$surely[1] <- tree_proof(leaf)$objective
  }
  if (solved$status != "optimal") found$status <- solved$status
  # what the penalty was rounded to is known to C: nothing is lost to that
  add_fit(raise_least(found, solved$counted), fit)
}

# Of what two searches have proven the larger.
raise_least <- function(found, counted) {
  rest <- if (is.null(counted$least_rest)) 0 else counted$least_rest
  least <- rbind(counted$least, rest)[, seq_len(ncol(found$least)), drop = FALSE]
  higher <- which(colSums(least - found$least) > 0)
  found$least[, higher] <- least[, higher]
  found$surely <- pmax(found$surely, counted$surely[seq_along(found$surely)])
  found
}

# Keeps the better of two trees with as many splits, or the first.
add_fit <- function(found, fit) {
  splits <- tree_splits(fit)
  errors <- errors_in_grains(fit)
  at <- match(splits, found$splits, length(found$splits) + 1)
  if (at <= length(found$splits)) {
    if (sum(found$errors[, at] - errors) <= 0) return(found)
    found$errors[, at] <- errors
  } else {
    found$errors <- cbind(found$errors, errors, deparse.level = 0)
  }
  found$fits[[at]] <- fit
  found$splits[at] <- splits
  found
}

# The corners of the hull, as places in `found`, from the tree without splits to the last whose
# splits pay at the floor. A tree on a line between others is none.
corners <- function(found) {
  corner <- which(found$splits == 0)
  repeat {
    here <- corner[length(corner)]
    larger <- which(found$splits > found$splits[here])
    if (length(larger) == 0) return(corner)
    steepest <- larger[1]
    for (to in larger[-1]) if (below_edge(found, here, steepest, to) > 0) steepest <- to
    price <- price_between(found, c(here, steepest))
    if (penalty_of(price) <= found$floor + nothing(found, plain_price(found$floor), 1)) {
      return(corner)
    }
    off <- nothing(found, price, found$splits[larger] - found$splits[here])
    on_line <- larger[below_edge(found, here, steepest, larger) >= -off]
    corner <- c(corner, on_line[which.max(found$splits[on_line])])
  }
}

# How far trees lie below the line through two others.
below_edge <- function(found, here, there, trees) {
  price <- price_between(found, c(here, there))
  minus_times(found$errors[, here] - found$errors[, trees, drop = FALSE], price$splits,
              price$units, found$splits[trees] - found$splits[here]) / price$splits
}

# The first line between corners that is neither proven nor tried: its ends and its price; NULL if
# there is none.
open_edge <- function(found, tried) {
  corner <- corners(found)
  for (i in seq_len(length(corner) - 1)) {
    ends <- corner[c(i, i + 1)]
    price <- price_between(found, ends)
    name <- paste(sprintf("%a", c(found$splits[ends], found$errors[, ends])), collapse = " ")
    # no tree can lie below the line, or none that a search would find
    if (name %in% tried || all(left_open(found, ends[1], price) == 0)) next
    return(list(ends = ends, name = name, price = price))
  }
  NULL
}

# For each number of splits, how far what is proven lies below the line of that price through a
# tree, if it is more than nothing.
left_open <- function(found, at, price) {
  below <- below_line(found, at, price)
  replace(below$errors, below$errors <= nothing(found, price, below$splits), 0)
}

below_line <- function(found, at, price) {
  splits <- seq_len(ncol(found$least)) - 1 - found$splits[at]
  list(splits = splits,
       errors = minus_times(found$errors[, at] - found$least, price$splits, price$units, splits) /
         price$splits)
}

# A known tree that, pruned at the penalty of the line, lies below it; NULL if there is none. That
# saves a search.
pruned_below <- function(found, edge) {
  at <- edge$ends[1]
  for (fit in found$fits[order(found$splits)]) {
    weak <- weak_nodes(fit, penalty_of(edge$price) * found$grain)
    if (length(weak$cut) == 0) next
    splits <- weak$splits - found$splits[at]
    errors <- cbind(found$errors[, at] - errors_in_grains(fit, weak$leaves))
    below <- minus_times(errors, edge$price$splits, edge$price$units, splits) / edge$price$splits
    if (below > nothing(found, edge$price, splits)) {
      return(cut_nodes(fit, weak$cut))
    }
  }
  NULL
}

# ---- what is known in the end --------------------------------------------------------------------

table_of_path <- function(found, settings) {
  corner <- corners(found)
  prices <- Map(function(from, to) price_between(found, c(from, to)), corner[-length(corner)],
                corner[-1])
  complexity <- c(complexities(found, corner, prices), settings$complexity)
  # the distance to what is proven is a convex function of the penalty, largest at an end of the
  # range; beyond the first price only the tree without splits is left
  lower <- gap_at(found, corner, c(prices, list(plain_price(settings$complexity * found$n))),
                  complexity)
  upper <- c(0, gap_at(found, corner[-1], prices, complexity))
  shown <- vapply(found$fits[corner], function(fit) tree_proof(fit)$objective, 0)
  gap <- pmax(lower, upper)
  structure(
    data.frame(complexity = complexity, upper = c(Inf, complexity[-length(complexity)]),
               nsplit = found$splits[corner], errors = shown, rel_error = relative_errors(shown),
               gap = gap, status = ifelse(gap == 0, "optimal", found$status), row.names = NULL),
    gap_below = lower)
}

# Prices as shares of what rows weigh, or of the errors of one leaf, with all digits; of costs that
# were rounded, from sums of doubles where these have lost less than rounding may have, and have
# digits left.
complexities <- function(found, corner, prices) {
  units <- vapply(prices, function(price) price$units, c(0, 0))
  splits <- vapply(prices, function(price) as.numeric(price$splits), 0)
  exact <- .Call(ffi_complexities, as.numeric(units), as.numeric(splits), found$grain,
                 found$weights, found$n * found$grain)
  if (found$whole) return(exact)
  errors <- vapply(found$fits[corner], function(fit) tree_proof(fit)$objective, 0)
  saved <- -diff(errors)
  lost <- 2 * .Machine$double.eps * errors[-length(errors)]
  of_units <- 2 * (found$rounding + found$slack * found$grain)
  ifelse(lost < of_units & saved > 1024 * lost,
         saved / splits / tree_unit(found$fits[[corner[1]]]), exact)
}

# How much more than the optimum trees can cost at most, each at its price, which the complexity
# says in the user's unit, as the answer is.
gap_at <- function(found, corner, prices, complexity) {
  gaps <- Map(function(at, price, complexity) {
    if (found$hidden > 0) {
      penalty <- complexity * tree_unit(found$fits[[at]])
      errors <- tree_proof(found$fits[[at]])$objective
      splits <- found$splits[at]
      if (errors + penalty * splits < found$hidden) {
        return(max(0, errors - found$surely + penalty * (splits - seq_along(found$surely) + 1)))
      }
    }
    max(0, left_open(found, at, price)) * found$grain
  }, corner, prices, complexity[seq_along(corner)])
  as.numeric(unlist(gaps))
}

# The fit of a row of the table, at the least complexity for which it counts.
fit_of_path <- function(found, row, gap, settings) {
  at <- match(row$nsplit, found$splits)
  bound <- if (gap == 0) {
    Inf
  } else {
    row$errors + row$complexity * found$n * found$grain * row$nsplit - gap
  }
  fit <- found$fits[[at]]
  fit$grains <- NULL
  fit <- at_complexity(fit, row$complexity, bound, if (gap == 0) "optimal" else found$status, gap)
  set_call(fit, call_at(tree_call(fit), row$complexity))
}

# The call of contree() that asks for this tree.
call_at <- function(call, complexity) {
  call[[1]] <- if (is.call(call[[1]])) quote(contree::contree) else quote(contree)
  call[c("cp", "by")] <- NULL
  call$complexity <- complexity
  call
}

warn_if_path_stopped <- function(path, status) {
  table <- path_table(path)
  if (!status %in% names(stopped_kind) || all(table$gap == 0)) return(invisible())
  elapsed <- attr(path, "elapsed")
  warn_stopped(gettextf(
    "%s: %d of %d trees of the path are proven optimal, the others up to a gap of %s",
    stopped_after(status, elapsed), sum(table$gap == 0), nrow(table), format(max(table$gap))),
               list(status = status, elapsed = elapsed, gap = max(table$gap)))
}

# ---- methods -------------------------------------------------------------------------------------

path_table <- function(path) attr(path, "table")

#' @param row.names,optional As in [as.data.frame()]; `optional` is not used.
#' @rdname contree_path
#' @export
as.data.frame.contree_path <- function(x, row.names = NULL, optional = FALSE, ...) {
  with_row_names(path_table(x), row.names)
}

#' @param x A path; for `contree_path()`, the predictors.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   2, at least 1.
#' @rdname contree_path
#' @export
print.contree_path <- function(x, digits = max(1, getOption("digits") - 2), ...) {
  check_digits(digits)
  table <- path_table(x)
  n <- tree_weight(x[[1]])
  cat(gettextf("%s of depth <= %s by %s",
               if (all(table$gap == 0)) gettext("Optimal trees") else gettext("Trees"),
               tree_settings(x[[1]])$depth,
               if (is_by_leaves(x)) gettext("leaves") else gettext("complexity")), "\n\n", sep = "")
  cat(gettextf("Root node error: %s/%s = %s", cost_text(table$errors[1]), cost_text(n),
               format(table$errors[1] / n, digits = digits)), "\n\nn= ", cost_text(n), "\n\n",
      sep = "")
  first <- if (is_by_leaves(x)) {
    table["leaves"]
  } else {
    list(complexity = signif(table$complexity, digits))
  }
  shown <- data.frame(first, nsplit = table$nsplit, `rel error` = signif(table$rel_error, digits),
                      errors = cost_text(table$errors, 7), check.names = FALSE)
  if (any(table$gap > 0)) shown$gap <- signif(table$gap, digits)
  shown$status <- table$status
  print(shown)
  invisible(x)
}

#' @param main,xlab,ylab,type,pch As in [plot.default()]. By default trees that are not proven are
#'   drawn as hollow circles.
#' @rdname contree_path
#' @export
plot.contree_path <- function(x, main = NULL, xlab = NULL, ylab = objective_label(x[[1]]),
                              type = "o", pch = ifelse(path_table(x)$gap == 0, 19, 1), ...) {
  check_title(main)
  table <- path_table(x)
  if (is_by_leaves(x)) {
    if (is.null(xlab)) xlab <- gettext("number of leaves")
    plot_by_leaves(table, main, xlab, ylab, type, pch, ...)
    return(invisible(table))
  }
  if (is.null(xlab)) xlab <- gettext("number of splits")
  graphics::plot(table$nsplit, table$errors, xlab = xlab, ylab = ylab, type = type, pch = pch,
                 xaxt = "n", las = 1,
                 ylim = range(0, table$errors), ...)
  graphics::axis(1, at = table$nsplit)
  # the title goes above the second axis
  graphics::axis(3, at = table$nsplit,
                 labels = format(signif(table$complexity, 2), drop0trailing = TRUE), cex.axis = 0.8)
  graphics::mtext(gettext("complexity"), side = 3, line = 2)
  if (!is.null(main)) graphics::mtext(main, side = 3, line = 3, font = 2)
  invisible(table)
}
