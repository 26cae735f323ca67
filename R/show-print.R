# print(): rpart's text, which other programs parse, with one line more that says what is proven.

#' @rdname summary.contree
#' @description
#' `print()` shows the tree in the layout of `rpart`: node number, split, number of training rows,
#' misclassified rows, class, and the class proportions (with more than ten classes the three
#' largest, with their names); a `*` marks leaves. Splits on factors name the levels (`grade=1,2`),
#' those on dates the first day that goes right; `or missing` marks the side to which missing
#' training values go. For a regression tree the sum of squares about the mean, and the mean, take
#' the place of misclassified rows and classes, as in `rpart`. A line above the tree states what was
#' proven: `proven optimal`, or how far from the optimum the tree can be at most; for a regression
#' tree also R squared (R2), which is 1 less the ratio of its SSE to that of a single leaf, and the
#' root mean squared error (RMSE), both on the training rows. A fit with `conformal` folds has
#' another line, with the RMSE of its rows while they were held out.
#'
#' @param time `TRUE` shows the seconds that the search took, which differ from run to run; `FALSE`
#'   by default.
#' @return `print()`: `x`, invisibly.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' print(fit, digits = 3)
#' print(fit, time = TRUE)
#' @name print.contree
#' @export
print.contree_model <- function(x, digits = getOption("digits"), time = FALSE, ...) {
  check_digits(digits)
  check_fit(x, "x")
  cat(rows_line(x), "\n\n", sep = "")
  cat(proof_line(x, time), "\n", held_out_line(x), "\n", sep = "")
  cat(node_heading(x), "\n      * denotes terminal node\n\n", sep = "")
  cat(node_lines(x, digits), sep = "\n")
  invisible(x)
}

# "Held out, in 5 folds: RMSE 3.12", of trees that have not seen the rows, by their weights; none
# where these are not kept. Rows that such trees could not predict do not count.
held_out_line <- function(fit) {
  errors <- fit$conformal$error
  weights <- tree_row_weights(fit)
  if (is.null(errors) || (tree_weighted(fit) && is.null(weights))) return("")
  weights <- if (is.null(weights)) rep(1, length(errors)) else weights[weights > 0]
  known <- is.finite(errors)
  rmse <- sqrt(stats::weighted.mean(errors[known]^2, weights[known]))
  gettextf("Held out, in %d folds: RMSE %s\n", max(fit$conformal$fold), format(signif(rmse, 4)))
}

# The line of rows as rpart prints it, to the last blank.
rows_line <- function(fit) {
  left_out <- left_out_text(fit)
  n <- node_n(fit)[1]
  if (is.null(left_out)) paste("n=", n, "") else paste0("n=", n, " (", left_out, ")")
}

node_lines <- function(fit, digits) {
  ids <- node_ids(fit)
  indent <- strrep("  ", node_depth(fit))
  paste0(indent, format(ids), ") ", split_text(fit, digits), " ", node_n(fit), " ",
         format(signif(node_errors(fit), digits)), " ", node_text(fit, digits), " ",
         ifelse(node_is_leaf(fit), "*", " "))
}

node_heading <- function(fit) {
  switch(tree_leaf(fit), classes = "node), split, n, loss, yval, (yprob)",
         number = "node), split, n, deviance, yval", numbers = "node), split, n, deviance, (yval)",
         linear = "node), split, n, deviance, (model)")
}

node_text <- function(fit, digits) {
  switch(tree_leaf(fit),
         classes = paste0(node_class(fit), " (", proportions_text(node_proportions(fit), digits),
                          ")"),
         number = format(signif(fit$frame$yval, digits), trim = TRUE),
         paste0("(", leaf_words(fit, digits), ")"))
}

# With more classes than this a line of a node names the largest proportions, and a table has the
# classes with the most errors.
most_proportions <- 10
named_proportions <- 3

# The condition under which a row comes from the parent to the node: "Petal.Length< 2.45"; the root
# has none.
split_text <- function(fit, digits) {
  parent <- node_parent(fit)
  above <- pmax(parent, 1L)
  sides <- side_texts(fit, digits)
  ifelse(parent == 0L, "root", ifelse(node_ids(fit) %% 2L == 0L, sides$left[above],
                                      sides$right[above]))
}

# rpart writes proportions of up to four classes with a common number of decimals and those of more
# with two digits.
proportions_text <- function(proportions, digits) {
  if (ncol(proportions) > most_proportions) return(apply(proportions, 1, largest_proportions_text))
  text <- if (ncol(proportions) < 5) {
    format(proportions, digits = digits, nsmall = min(20, digits))
  } else {
    array(sprintf("%.2g", proportions), dim(proportions))
  }
  apply(text, 1, paste, collapse = " ")
}

# "k17 0.51, k3 0.2, k8 0.1, +12": the largest proportions, and how many others there are.
largest_proportions_text <- function(proportions) {
  there <- sum(proportions > 0)
  shown <- order(proportions, decreasing = TRUE)[seq_len(min(there, named_proportions))]
  others <- if (there > named_proportions) sprintf("+%d", there - named_proportions)
  paste(c(sprintf("%s %.2g", names(proportions)[shown], proportions[shown]), others),
        collapse = ", ")
}

# A confusion matrix, and the table of the figures of its classes: of very many classes those with
# the most errors.
print_confusion <- function(title, confusion, figures, digits) {
  cat(title, "\n", sep = "")
  shown <- seq_len(nrow(confusion))
  if (length(shown) > most_proportions) {
    wrong <- rowSums(confusion) + colSums(confusion) - 2 * diag(confusion)
    shown <- sort(order(wrong, decreasing = TRUE)[seq_len(most_proportions)])
    say(gettextf("(the %d classes with the most errors of %d; the element 'confusion' has all)",
                 length(shown),
                 nrow(confusion)))
  }
  print(confusion[shown, shown, drop = FALSE])
  cat("\n")
  print(format(figures[shown, , drop = FALSE], digits = digits))
}

# "Smallest of the optimal trees of depth <= 3, 4 leaves, 1 error (0.67%); proven optimal"
proof_line <- function(fit, time = FALSE) {
  if (!has_proof(fit)) return(size_line(fit))
  settings <- tree_settings(fit)
  proof <- tree_proof(fit)
  optimal <- proof$status == "optimal"
  seconds <- if (time) gettextf(" in %s s", format(signif(proof$elapsed, 2))) else ""
  gettextf("%s of %s%s%s%s, %s, %s; %s%s",
           if (is_smallest(fit)) gettext("Smallest of the optimal trees") else gettext("Tree"),
           if (holds_at_any_depth(fit)) gettext("any depth")
           else gettextf("depth <= %s", settings$depth),
           if (has_few_leaves(fit)) gettextf(" with at most %s leaves", settings$max_leaves)
           else "",
           if (!is.null(settings$root)) gettextf(" with root %s", settings$root) else "",
           if (settings$complexity > 0) gettextf(" at complexity %s", format(settings$complexity))
           else "", leaves_text(fit),
           objective_text(fit),
           if (optimal) optimal_text(fit) else gap_text(fit), seconds)
}

# Whether no deeper tree can cost as little: each level takes a split, with its price.
holds_at_any_depth <- function(fit) {
  settings <- tree_settings(fit)
  proof <- tree_proof(fit)
  dearer <- (settings$depth + 1) * settings$complexity * tree_unit(fit)
  proof$status == "optimal" && proof$cost * (1 + 1e-9) < dearer
}

# Whether it was searched for among trees of fewer leaves than the depth allows.
has_few_leaves <- function(fit) {
  settings <- tree_settings(fit)
  !is.null(settings$max_leaves) && settings$max_leaves < 2^settings$depth
}

# Of a tree of which nothing is proven.
size_line <- function(fit) gettextf("Tree of depth %d, %s", max(node_depth(fit)), leaves_text(fit))

leaves_text <- function(fit) {
  leaves <- sum(node_is_leaf(fit))
  sprintf(ngettext(leaves, "%d leaf", "%d leaves"), leaves)
}

# Costs as text: whole numbers in full, others with `digits` significant digits, or as many more as
# tell unequal costs apart.
cost_text <- function(costs, digits = 7) {
  whole <- is.finite(costs) & costs == round(costs) & abs(costs) < 1e15
  text <- function(digits) {
    ifelse(whole, format(costs, digits = 15, scientific = FALSE, trim = TRUE, drop0trailing = TRUE),
           vapply(costs, format, "", digits = digits))
  }
  enough <- Find(function(digits) !anyDuplicated(text(digits)[!duplicated(costs)]), digits:17)
  stats::setNames(as.character(text(enough)), names(costs))
}

# The objective, cost and bound of a fit as text: apart, if more than one of them is shown.
proof_text <- function(proof) {
  costs <- unlist(proof[c("objective", "cost", "bound")])
  if (proof$status == "optimal" && !proof$gap > 0) costs["bound"] <- costs["cost"]
  as.list(cost_text(costs))
}

# "5 errors (3.33%)", or where not every error costs 1 "loss 12.5 (40% of a single leaf's)"; of
# numbers "SSE 3344.2 (R2 0.9217, RMSE 2.571)".
objective_text <- function(fit) {
  objective <- tree_proof(fit)$objective
  if (!predicts_classes(fit)) {
    figures <- number_figures(fit, objective)
    return(gettextf("SSE %s (R2 %s, RMSE %s)", proof_text(tree_proof(fit))$objective,
                    format(round(figures$r.squared, 4)), format(signif(figures$rmse, 4))))
  }
  percent <- function(of) format(round(100 * if (of > 0) objective / of else 0, 2))
  if (!costs_differ(fit)) return(gettextf("%s (%s%%)", errors_text(objective),
                                          percent(node_n(fit)[1])))
  gettextf("loss %s (%s%% of a single leaf's)", proof_text(tree_proof(fit))$objective,
           percent(node_errors(fit)[1]))
}

errors_text <- function(errors, text = cost_text(errors)) {
  sprintf(ngettext(one_or_more(errors == 1), "%s error", "%s errors"), text)
}

# For ngettext(), which knows integers alone: sums of weights may be fractions, or beyond these.
one_or_more <- function(one) if (one) 1L else 2L

optimal_text <- function(fit) {
  most <- if (isTRUE(tree_proof(fit)$capped)) {
    gettextf("on at most %s thresholds per predictor", format(tree_settings(fit)$max_thresholds))
  }
  families <- if (length(tree_restricted(fit))) {
    gettextf("that split %s by one level or in order of %s", show_names(tree_restricted(fit)),
             order_of_levels(fit))
  }
  among <- c(most, families)
  text <- if (length(among) == 0) gettext("proven optimal") else {
    gettextf("proven optimal among trees %s", paste(among, collapse = gettext(" and ")))
  }
  proof <- tree_proof(fit)
  shown <- proof_text(proof)
  if (!proof$gap > 0) {
    return(if (is_of_any_size(tree_settings(fit))) {
      paste0(text, gettext("; a smaller one may cost as much"))
    } else {
      text
    })
  }
  if (!predicts_classes(fit)) {
    grid <- isTRUE(tree_rounding(fit) > 0)
    return(gettextf("%s to within %s of it (%s are rounded)", text, format(signif(proof$gap, 2)),
                    if (grid) gettext("responses") else gettext("sums of squares")))
  }
  gettextf("%s but for rounding of weights and losses: gap %s (bound %s <= optimum <= %s)", text,
           format(signif(proof$gap, 3)), shown$bound, shown$cost)
}

# What factors of many levels are ordered by.
order_of_levels <- function(fit) {
  if (is_policy(fit)) return(gettext("mean rewards"))
  if (predicts_classes(fit)) gettext("a class") else gettext("the mean response")
}

# In what the distance to the optimum is counted.
unit_of_gap <- function(fit) {
  if (!predicts_classes(fit)) return(gettext("SSE"))
  ngettext(one_or_more(tree_proof(fit)$gap <= 1), "error", "errors")
}

# What is known when the search stopped before the proof was complete.
gap_text <- function(fit) {
  proof <- tree_proof(fit)
  shown <- proof_text(proof)
  settings <- tree_settings(fit)
  unit <- if (settings$complexity > 0) {
    gettext("in cost")
  } else {
    unit_of_gap(fit)
  }
  reason <- switch(proof$status,
    "gap reached" = gettextf("max_gap %s", format(settings$max_gap)),
    "time limit" = gettextf("time limit %s s", format(settings$time_limit)),
    "memory limit" = gettext("memory limit"),
    "interrupted" = gettext("interrupted"),
    proof$status)
  distance <- if (proof$gap == 0) {
    gettext("no tree costs less, but a smaller one may cost as much")
  } else if (proof$bound > 0) {
    gettextf("gap %s %s (bound %s <= optimum <= %s)", cost_text(proof$gap), unit, shown$bound,
             shown$cost)
  } else {
    gettextf("no useful bound is known yet (0 <= optimum <= %s)", shown$cost)
  }
  if (proof$status == "pruned") return(gettextf("pruned; %s", distance))
  if (proof$status == "near-optimal") return(gettextf("near-optimal; %s", distance))
  gettextf("best found; %s, %s", distance, reason)
}
