# Certificates: the proof of a fit, checked again by code that is not that of the search.
#
# A certificate names the thresholds that a second search looked at, see
# src/exact/search/evidence.h. The bound is proven again in src/certify, from the columns that the
# search had; that these stand for the predictors, and that the tree costs what the fit says, is
# checked here, in R.

#' Check the proof of a fit
#'
#' Proves again, from the training data and a certificate, that a tree has the cost that its fit
#' states and that no tree costs less than its bound. The checker is a small separate program. It
#' shares nothing with the search except the sorted columns, which it checks first, and it uses
#' neither pruning rules nor threads. It does not trust the certificate: the certificate only names
#' the thresholds that need to be examined, and the checker counts for itself what they prove. So a
#' certificate, a fit or data that were tampered with can make the check fail, but cannot make it
#' succeed wrongly.
#'
#' What is checked, in this order:
#' \enumerate{
#'   \item The data are those of the fit: response, weights and predictors have the values they had,
#'     and each row reaches the leaf that the fit records for it. The errors add up to the
#'     `objective`, and with the splits to the `cost`. The tree respects the depth and the node
#'     sizes of the settings.
#'   \item The columns that stand for the splits of factors, and of predictors with missing values,
#'     are right: see the sections on both in [contree()].
#'   \item No tree that the settings allow costs less than the `bound`: the bound that the
#'     certificate proves is at least as large. If the fit is `"optimal"`, the bound is its cost,
#'     and no tree of that cost has fewer leaves (with `smallest = FALSE`, the former alone).
#' }
#' Where errors cost whole numbers, or fractions with a common denominator, the claims are checked
#' exactly, without any tolerance. Other weights and losses are rounded to integers, and a numeric
#' response to a grid, on which its squared errors are computed again as integers. The largest
#' difference that this makes to the cost of a tree is computed from the data (`rounding`) and
#' subtracted from what is proven. The `gap` of the fit contains it too: its bound is certified, and
#' that no tree costs less only where rounding is of the last bits of doubles alone, as of decimals.
#' A fit that is not optimal is never certified as optimal.
#'
#' Of a policy tree, mean rewards take the place of costs: the check has `value`, the mean reward of
#' the tree, and `complexity` in place of `objective` and `cost`, and no tree has a mean reward,
#' less `complexity` for each split, above `bound`.
#'
#' The check takes about 10 to 75 times as long as the search on one thread: at depth 3 up to 75 s
#' for 20,000 rows and 16 predictors.
#'
#' @section Sets of trees:
#' A [contree_set()] needs no certificate: all its trees are counted again, from the data and its
#' budget. The checker looks at the middle one of the thresholds of each predictor that those looked
#' at leave open, and of each that fits the budget it counts the trees of both sides in the same
#' way. The check succeeds only if there are as many trees of each cost as the set has (told apart
#' by 128 bits of their number), so that none is missing and none is counted twice; the training
#' rows are sent down the first tree, the last and a few in between, as above. It takes 10 to 130
#' times as long as the set: 2 s at depth 3 for 900 rows and 7 predictors. A set that was stopped
#' is checked up to the cost to which it says that it is complete. Trees of a numeric response are
#' counted on the grid of whole numbers on which they are searched; up to which cost of the response
#' itself none is missing is proven from how far the grid is from the data.
#'
#' @param fit A fit of [contree()] or [policy_tree()], or a value of [contree_set()].
#' @param data The training data: a data frame for a fit from a formula, a list of `x` and `y` (of
#'   `X` and `Gamma`, or `x` and `rewards` or `costs`, as they were given) for others. By default
#'   they are taken from the fit, if it was made with `model = TRUE`, or else the arguments of its
#'   call are evaluated again.
#' @param certificate A certificate, or its element `log`; by default the certificate in the fit,
#'   where `contree(certificate = TRUE)` keeps it (see [contree_control()]).
#' @return A list of class `contree_certificate_check`: `valid` (logical), `reason` (why not;
#'   absent if valid), `objective` and `cost` (of the fit), `bound` (no tree costs less, as the
#'   certificate proves; `NA` if the check did not get that far), `rounding` (what was subtracted
#'   from the bound because costs were rounded to integers; 0 where these are exact), `optimal`
#'   (whether the fit claims that its tree is optimal and this is proven), `smallest` (whether it is
#'   also proven that no tree of equal cost has fewer leaves; `FALSE` if costs are too close to be
#'   told apart after rounding, and of fits with `smallest = FALSE` that have splits), `thresholds`
#'   and `row_sets` (the numbers examined), `bytes` (size of the certificate), `elapsed` (seconds),
#'   and `depth` and `among`, which define the set of trees that the proof covers: `among` is a
#'   character vector of the restrictions by `minbucket`, `min_n`, `max_thresholds` and the levels
#'   of factors, `NULL` if there are none.
#'
#'   For a set a list of class `contree_set_check`: `valid`, `reason`, `trees` (how many there are,
#'   a string), `complete` (whether it is proven that the set has all trees within its budget),
#'   `cost` (of the best tree), `complete_cost` (no tree that costs so much or less is missing),
#'   `thresholds`, `row_sets`, `elapsed`, `depth` and `among`.
#' @section Errors:
#' `contree_input_error` if `fit` contradicts itself, `certificate` is not a certificate, or the
#' training data cannot be found; `contree_unsupported_error` if `fit` was not made by [contree()]
#' and does not predict classes. Any other mismatch gives a value with `valid = FALSE` and a
#' reason.
#' @seealso [contree_control()] for `certificate`
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2, certificate = TRUE)
#' contree_certify(fit)
#'
#' # one flower of another species
#' other <- iris
#' other$Species[1] <- "virginica"
#' contree_certify(fit, other)
#' @export
contree_certify <- function(fit, data = NULL, certificate = fit$certificate) {
  if (inherits(fit, "contree_set")) {
    if (!missing(certificate)) {
      stop_input("certificate", gettext("sets of trees are counted again without a certificate"))
    }
    return(certify_set(fit, data, parent.frame()))
  }
  check_fit(fit)
  if (is_policy(fit)) return(certify_policy(fit, data, certificate, parent.frame()))
  if (!has_proof(fit)) need_classes(fit, "contree_certify()")
  log <- certificate_log(certificate)
  start <- seconds_now()
  frame <- certified_frame(fit, data, parent.frame())
  fault <- tree_fault(fit, frame)
  checked <- NULL
  if (is.null(fault)) {
    problem <- new_problem(frame, tree_settings(fit))
    fault <- column_fault(problem, tree_settings(fit)$subset_levels)
    if (is.null(fault)) checked <- check_log(log, fit, problem)
  }
  if (!is.null(checked)) fault <- proof_fault(fit, frame, checked)
  new_check(fit, frame, log, checked, fault, seconds_now() - start)
}

new_check <- function(fit, frame, log, checked, fault, elapsed) {
  proof <- tree_proof(fit)
  certified <- !is.null(checked) && checked$verdict == "certified"
  bound <- if (certified) checked$bound else NA_real_
  optimal <- is.null(fault) && proof$status == "optimal" && is_attained(fit, checked, frame)
  check <- list(valid = is.null(fault), reason = fault, objective = proof$objective,
                cost = proof$cost, bound = bound,
                rounding = if (certified) checked$rounding else NA_real_,
                optimal = optimal, smallest = optimal && checked$smallest,
                thresholds = if (certified) checked$thresholds else 0,
                row_sets = if (certified) checked$row_sets else 0,
                bytes = length(log), elapsed = elapsed, depth = tree_settings(fit)$depth,
                among = restrictions(fit))
  structure(check[!vapply(check, is.null, NA)], class = "contree_certificate_check")
}

# What a tree must keep to besides its depth, in words that follow "no tree of depth <= 3";
# character() if nothing.
restrictions <- function(fit) {
  settings <- tree_settings(fit)
  split <- max(settings$min_n, 2 * settings$minbucket)
  c(if (!is.null(settings$root)) gettextf("with the root split on %s", show_names(settings$root)),
    if (settings$minbucket > 1) gettextf("with at least %s rows in a leaf",
                                         format(settings$minbucket)),
    if (split > 2 * settings$minbucket) gettextf("that splits no node of fewer than %s rows",
                                                 format(split)),
    if (has_few_leaves(fit)) gettextf("with at most %s leaves", format(settings$max_leaves)),
    if (is.finite(settings$max_thresholds)) {
      gettextf("on at most %s thresholds per predictor", format(settings$max_thresholds))
    },
    if (length(tree_restricted(fit))) gettextf("that splits %s by one level or in order of %s",
                                               show_names(tree_restricted(fit)),
                                               order_of_levels(fit)))
}

# The trees that a claim is about: "tree of depth <= 2 with at least 5 rows in a leaf".
trees_text <- function(depth, among) {
  paste0(gettextf("tree of depth <= %s", format(depth)),
         if (length(among)) paste0(" ", paste(among, collapse = gettext(" and "))))
}

#' @param x A value of `contree_certify()`, or a certificate.
#' @param digits Number of significant digits, a whole number; by default the option `digits`.
#' @param ... Not used.
#' @rdname contree_certify
#' @export
print.contree_certificate_check <- function(x, digits = getOption("digits"), ...) {
  check_digits(digits)
  number <- function(value) format(value, digits = digits)
  if (!x$valid) {
    cat(gettextf("Not certified: %s", x$reason), "\n", sep = "")
    return(invisible(x))
  }
  trees <- trees_text(x$depth, x$among)
  cat(if (x$smallest) {
    gettextf(
      "Certified: the tree costs %s; no %s costs less, and none of equal cost has fewer leaves",
      number(x$cost), trees)
  } else if (x$optimal) {
    gettextf("Certified: the tree costs %s, and no %s costs less", number(x$cost), trees)
  } else {
    gettextf("Certified: the tree costs %s, and every %s at least %s", number(x$cost), trees,
             number(x$bound))
  }, rounding_text(x$rounding), "\n", certificate_facts(x, number), "\n", sep = "")
  invisible(x)
}

certificate_facts <- function(x, number) {
  gettextf("  thresholds checked: %s, row sets: %s, seconds: %s, certificate: %s",
           number(x$thresholds), number(x$row_sets), format(signif(x$elapsed, 2)),
           bytes_text(x$bytes))
}

#' @rdname contree_certify
#' @export
print.contree_certificate <- function(x, ...) {
  cat(gettextf(
    "Certificate that no %s costs less than %s: %s, made in %s s; contree_certify() checks it",
               trees_text(x$depth, x$among), format(x$bound), bytes_text(length(x$log)),
               format(signif(x$elapsed, 2))),
      "\n", sep = "")
  invisible(x)
}

bytes_text <- function(n) format(structure(n, class = "object_size"), units = "auto",
                                 standard = "SI")

# ---- making --------------------------------------------------------------------------------------

# list(log, bound, elapsed, depth, among); NULL, with a warning, if there is none. Of a tree that is
# optimal it proves that no tree costs less, counted in the integers of the search; of another, its
# bound.
write_certificate <- function(fit, problem, settings) {
  proof <- tree_proof(fit)
  if (proof$status == "interrupted") return(warn_no_certificate("interrupted", settings))
  control <- add_costs(search_control(settings, NULL, NULL, NULL), problem$frame)
  labels <- if (proof$status == "optimal") searched_labels(fit, problem)
  written <- call_core(.Call(ffi_certificate, searched_columns(problem), problem$codes,
                             problem$n_classes, control, proof$bound, labels, tree_splits(fit),
                             settings$certificate), refuse_search)
  if (written$status != "optimal") return(warn_no_certificate(written$status, settings))
  structure(list(log = written$log, bound = proof$bound, elapsed = written$elapsed,
                 depth = settings$depth,
                 among = restrictions(fit)), class = "contree_certificate")
}

# The class that each training row is given, as a code of the search; of a regression tree, the
# number of its leaf.
searched_labels <- function(fit, problem) {
  if (!predicts_classes(fit)) return(match(tree_where(fit), which(node_is_leaf(fit))))
  match(node_label(fit)[tree_where(fit)], searched_classes(problem$frame))
}

warn_no_certificate <- function(status, settings) {
  reason <- switch(status,
    "memory limit" = gettextf(
      "it would take more than %s, or the search that writes it would exceed its memory",
                              bytes_text(settings$certificate)),
    "time limit" = gettext("the search that writes it reached the time limit"),
    gettext("interrupted"))
  warn_contree("no_certificate", gettextf(
    "no certificate is kept: %s; the tree and its bound are not affected", reason),
    list(status = status))
  NULL
}

# ---- the certificate -----------------------------------------------------------------------------

certificate_log <- function(certificate) {
  if (inherits(certificate, "contree_certificate")) certificate <- certificate$log
  if (is.raw(certificate)) return(certificate)
  stop_input("certificate", if (is.null(certificate)) {
    gettext("the fit has no certificate; fit it with certificate = TRUE")
  } else {
    gettextf("'certificate' must be what contree(certificate = TRUE) keeps in the fit, not %s",
             show_value(certificate))
  })
}

check_log <- function(log, fit, problem) {
  control <- add_costs(search_control(tree_settings(fit), NULL, NULL, NULL), problem$frame)
  labels <- searched_labels(fit, problem)
  # with other losses than those of the fit a label of it may be none that a search looks at
  if (anyNA(labels)) return(list(verdict = "other data"))
  call_core(.Call(ffi_certify, searched_columns(problem), problem$codes, problem$n_classes, control,
                  labels, tree_splits(fit), log), refuse_search)
}

# What is wrong with the numbers of the fit, in the light of what is proven; NULL if nothing is.
# Counted in integers costs differ from what they are by at most `rounding`, which is off from what
# is proven already; doubles add their own in sums.
proof_fault <- function(fit, frame, checked) {
  proof <- tree_proof(fit)
  if (checked$verdict == "stopped") return(gettext("interrupted"))
  if (checked$verdict == "other data") {
    return(gettext("the certificate was made for other data or other settings"))
  }
  if (checked$verdict != "certified") return(gettextf("the certificate cannot be read (%s)",
                                                      checked$verdict))
  off <- allowed_off(fit, checked, frame)
  shown <- cost_text(c(cost = proof$cost, bound = proof$bound, proven = checked$bound))
  cost <- proof$objective +
    tree_settings(fit)$complexity * complexity_unit(frame) * tree_splits(fit)
  if (abs(cost - proof$cost) > off) {
    texts <- cost_text(c(cost, proof$cost))
    gettextf("the tree costs %s, not %s", texts[1], texts[2])
  } else if (checked$bound < proof$bound - off) {
    gettextf("the certificate proves only that no tree costs less than %s, not %s%s",
             shown["proven"], shown["bound"], rounding_text(checked$rounding))
  } else if (proof$status == "optimal" &&
               !(if (proof$gap > 0) checked$attained
                 else is_attained(fit, checked, frame))) {
    gettextf("the fit is called optimal and costs %s, but only %s is proven%s", shown["cost"],
             shown["proven"], rounding_text(checked$rounding))
  }
}

# By how much the numbers of the fit may differ from those proven: by last bits of doubles. What was
# rounded by more the fit has to tell, as its gap.
allowed_off <- function(fit, checked, frame) {
  2 * checked$last_bits +
    rounding_of_sum(frame, tree_proof(fit)$cost, tree_settings(fit)$complexity)
}

# Whether no tree costs less than that of the fit. A fit with a `gap` does not say so.
is_attained <- function(fit, checked, frame) {
  checked$attained && tree_proof(fit)$cost <= checked$bound + allowed_off(fit, checked, frame)
}

rounding_text <- function(rounding) {
  if (rounding > 0) {
    gettextf(" (costs were counted as integers, which differ by at most %s)",
             format(signif(rounding, 2)))
  } else {
    ""
  }
}

# By how much two sums of costs of the same rows may differ, which come to `sum`: not at all where
# doubles have them all. Squares about a mean that is rounded are off by the square of that.
rounding_of_sum <- function(frame, sum, complexity = 0) {
  each <- (length(frame$response) + 8) * .Machine$double.eps
  if (!is_classes(frame)) {
    off <- counted_response(frame) * (4 * .Machine$double.eps)
    return(each * sum + sum(row_weights(frame) * off^2))
  }
  costs <- possible_costs(frame)
  exact <- complexity == 0 && all(costs == round(costs)) && sum(costs) < 2^53
  if (exact) 0 else each * sum
}

# ---- the tree ------------------------------------------------------------------------------------

certified_frame <- function(fit, data, env) {
  frame <- tryCatch(frame_again(fit, data, unclass(tree_settings(fit)), env),
                    error = function(problem) no_training_data(problem, data))
  frame["loss"] <- list(tree_loss(fit))
  frame
}

# What is wrong with the tree, or with the data for it; NULL if nothing is.
tree_fault <- function(fit, frame) {
  for (look in c(rows_fault, predictor_fault, response_fault)) {
    fault <- look(fit, frame)
    if (!is.null(fault)) return(fault)
  }
  leaf <- walk_rows(fit, frame$columns)
  if (!identical(leaf, unname(tree_where(fit)))) {
    return(gettextf("row %d does not reach the leaf recorded in the fit",
                    which(leaf != tree_where(fit))[1]))
  }
  fault <- cost_fault(fit, frame, leaf)
  if (is.null(fault)) fault <- weights_fault(fit, frame)
  if (is.null(fault)) values_fault(fit, frame) else fault
}

# What the rows of a tree cost, each in its leaf.
cost_of_leaves <- function(fit, frame, leaf) {
  if (!predicts_classes(fit)) return(sum(squared_errors(frame, node_values(fit)[leaf, 1])))
  sum(row_costs(frame$response, frame$weights, frame$loss, node_label(fit)[leaf]))
}

# What the tree costs, from the rows, and whether it is one that it may be.
cost_fault <- function(fit, frame, leaf) {
  proof <- tree_proof(fit)
  settings <- tree_settings(fit)
  objective <- cost_of_leaves(fit, frame, leaf)
  n <- rows_below_nodes(fit, leaf)
  inner <- !node_is_leaf(fit)
  if (abs(objective - proof$objective) > rounding_of_sum(frame, objective)) {
    gettextf("the tree has errors of %s, not %s", format(objective), format(proof$objective))
  } else if (max(node_depth(fit)) > settings$depth) {
    gettextf("the tree is deeper than %s", format(settings$depth))
  } else if (any(inner) && (any(n[!inner] < settings$minbucket) ||
                            any(n[inner] < settings$min_n))) {
    gettext("the tree has nodes with too few rows")
  }
}

# The leaf of each row, node by node from the root down.
walk_rows <- function(fit, columns) {
  children <- node_children(fit)
  variable <- node_variable(fit)
  threshold <- node_threshold(fit)
  levels <- node_levels(fit)
  node <- rep(1L, row_count(columns))
  for (k in which(!node_is_leaf(fit))) {
    rows <- which(node == k)
    x <- unclass(column_at(columns, variable[k]))[rows]
    among <- match(levels[[k]]$left, tree_xlevels(fit)[[variable[k]]])
    left <- if (is.null(levels[[k]])) x < threshold[k] else x %in% among
    left[is.na(x)] <- node_default_left(fit)[k]
    node[rows] <- ifelse(left, children$left[k], children$right[k])
  }
  node
}

# Rows of each node, from the leaves up.
rows_below_nodes <- function(fit, leaf) {
  n <- tabulate(leaf, length(node_ids(fit)))
  parent <- node_parent(fit)
  for (node in rev(seq_along(n))) if (parent[node] > 0) n[parent[node]] <- n[parent[node]] + n[node]
  n
}

# ---- the columns ---------------------------------------------------------------------------------

# Whether the columns that were searched stand for the splits that the predictors may have: NULL, or
# the name of one for which they do not.
column_fault <- function(problem, subset_levels) {
  derived <- problem$derived
  if (is.null(derived)) return(NULL)
  frame <- problem$frame
  for (j in seq_along(frame$shape$names)) {
    x <- unclass(column_at(frame$columns, j))
    searched <- derived$columns[derived$predictor == j]
    fine <- if (frame$types[[j]] %in% c("factor", "character")) {
      stand_for_levels(x, searched, function(group) scores_of_groups(group, problem),
                       subset_levels)
    } else {
      stand_for_numbers(x, searched)
    }
    if (!fine) return(gettextf("the columns searched do not stand for the splits of '%s'",
                               frame$shape$names[j]))
  }
  NULL
}

# Numbers as they are, once with the missing ones below and once above all.
stand_for_numbers <- function(x, searched) {
  hole <- is.na(x)
  if (all(hole)) return(all(vapply(searched, function(column) all(column == column[1]), NA)))
  same <- vapply(searched, function(column) all(column[!hole] == x[!hole]), NA)
  if (!any(hole)) return(length(searched) == 1 && same)
  place <- vapply(searched,
                  function(column)
                    if (all(column[hole] == column[hole][1])) as.double(column[hole][1]) else NA, 0)
  all(same) && !anyNA(place) && any(place < min(x[!hole])) && any(place > max(x[!hole]))
}

# What orders groups of rows: the proportion of each class, or the mean of a response, as a share of
# its range and as near as sums tell; NA of rows that weigh nothing, which may be anywhere. A row a
# group.
scores_of_groups <- function(group, problem) {
  if (!is.null(problem$rewards)) {
    scores <- reward_scores(problem$rewards)
    means <- rowsum(scores, group) / as.vector(table(group))
    return(round(means / max(abs(scores), .Machine$double.xmin), 12))
  }
  if (problem$n_classes > 0) return(prop.table(table(group, as.integer(problem$codes)), 1))
  weights <- row_weights(problem$frame)
  heavy <- weights > 0
  off <- replace(problem$codes - problem$codes[heavy][1], !heavy, 0) # from zero sums would lose
  off <- off / max(abs(off), .Machine$double.xmin)
  cbind(vapply(split(seq_along(group), group), function(rows) {
    if (!any(heavy[rows])) return(NA_real_)
    round(sum(weights[rows] * off[rows]) / sum(weights[rows]), 12)
  }, 0))
}

# Each column depends on the level alone, and all ways to part the levels are there; of many levels,
# each against the rest and the orders by what `scores` gives of them.
stand_for_levels <- function(x, searched, scores, subset_levels) {
  group <- factor(ifelse(is.na(x), 0, x))
  first <- match(levels(group), group)
  codes <- vapply(searched, function(column) as.double(column[first]), numeric(length(first)))
  codes <- matrix(codes, length(first))
  if (!all(mapply(function(column, j) all(column == codes[group, j]), searched,
                  seq_along(searched)))) {
    return(FALSE)
  }
  if (nlevels(group) <= subset_levels) return(has_all_parts(codes))
  missing <- levels(group) == "0"
  has_single_levels(codes, missing) &&
    all(apply(scores(group), 2, function(score) has_order(codes, score, missing)))
}

# 2^(L - 1) - 1 ways to part L levels, each once; those that differ in what is called left are the
# same.
has_all_parts <- function(codes) {
  parts <- unique(t(abs(codes - rep(codes[1, ], each = nrow(codes)))))
  parts <- parts[rowSums(parts) > 0, , drop = FALSE]
  all(parts %in% 0:1) && nrow(parts) == 2^(nrow(codes) - 1) - 1
}

# For each level a column in which it comes before all others, and the missing ones, if any,
# between.
has_single_levels <- function(codes, missing) {
  known <- which(!missing)
  if (length(known) > most_single_levels) return(TRUE)
  all(vapply(known, function(level) {
    rest <- apply(codes[setdiff(known, level), , drop = FALSE], 2, min)
    between <- if (any(missing)) codes[missing, ] else rest
    any(codes[level, ] < between & (between < rest | !any(missing)))
  }, NA))
}

# A column with the levels in order of their proportions, up or down; where there are missing ones,
# a column with these before the levels and one with these behind.
has_order <- function(codes, proportion, missing) {
  at <- apply(codes, 2, function(code) {
    known <- code[!missing]
    rising <- function(places) !is.unsorted(proportion[!missing][places], na.rm = TRUE)
    rises <- rising(order(known))
    if (anyDuplicated(known) || !(rises || rising(order(-known)))) return(0)
    if (!any(missing)) return(1)
    (if (rises) 1 else -1) * ((code[missing] > max(known)) - (code[missing] < min(known)))
  })
  any(at == 1) && (!any(missing) || any(at == -1))
}
