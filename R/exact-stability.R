# contree_stability(): how much of a tree returns when its rows are drawn anew.

#' Stability of a tree over bootstrap samples
#'
#' Refits the tree, with the same settings, to bootstrap samples of its training rows (as many rows,
#' drawn with replacement), and reports how often each predictor and each split of the tree recurs
#' and how well the predictions agree. Trees that look different may still predict alike, so read
#' both.
#'
#' A split of the tree *returns* in another tree if that tree has, in any node, a split on the same
#' predictor that divides the training rows in the same way: at most a proportion `within` of them
#' would change sides.
#'
#' @section In parallel:
#' If the package `future` is loaded and its [plan][future::plan] is not sequential, the samples are
#' distributed over its workers, with one thread each unless `threads` is given. The samples are
#' drawn beforehand, with R's random numbers: [set.seed()] or `seed` fixes the result, which is the
#' same for any number of workers, unless a search is stopped by a limit.
#'
#' @param fit A fit of [contree()].
#' @param samples Number of bootstrap samples, a whole number from 2 to 1e6; 50 by
#'   default.
#' @param within Largest proportion of the training rows that may change sides for a split to count
#'   as returning, from 0 to below 0.5; 0.05 by default.
#' @param data The training data, as in [contree_alternatives()]; needed if they cannot be found
#'   again.
#' @param ... Settings of how to search: `time_limit` (for each search), `memory_limit`, `threads`,
#'   `device`, `deterministic`, `max_gap`, `progress` and `verbose` of [contree_control()], and its
#'   `seed` of the samples. By default they are those of the fit. For `plot()`, arguments of
#'   [barplot()][graphics::barplot]; not used by `print()`.
#' @return A list of class `contree_stability`:
#' \describe{
#'   \item{variables}{data frame with one row for each predictor that any tree uses: `variable`,
#'     `in_fit` (logical), `used` (proportion of the samples whose tree splits on it), `root`
#'     (proportion whose tree splits on it at the root); the most used first.}
#'   \item{splits}{data frame with one row for each split of the fit: `node`, `split`, `same_place`
#'     (proportion of the samples whose tree splits on the same predictor in the same node) and
#'     `returns` (proportion in which the split returns in any node).}
#'   \item{agreement}{mean proportion of the training rows for which the trees of two samples
#'     predict the same class; for regression trees, the root mean square difference between the
#'     predictions of two trees, in units of the response.}
#'   \item{with_fit}{mean proportion of the training rows for which the tree of a sample predicts
#'     the same class as the fit; or the root mean square difference from the fit's predictions.}
#'   \item{rows}{for each training row, named by it, the proportion of the samples whose tree
#'     predicts the same class as the fit; or the root mean square difference.}
#'   \item{samples, stopped}{number of samples, and of searches stopped by a limit.}
#'   \item{numbers}{logical: is the response numeric?}
#' }
#' `print()` shows the tables, `plot()` draws how often each split returns.
#' @section Errors:
#' `contree_input_error` if the training data cannot be found or are not those of the fit.
#' @references B. Efron, R. J. Tibshirani (1993). *An Introduction to the Bootstrap*. Chapman and
#'   Hall.
#' @seealso [contree_cv()], [contree_alternatives()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' set.seed(1)
#' stability <- contree_stability(fit, samples = 10)
#' stability
#' plot(stability)
#' @export
contree_stability <- function(fit, samples = 50, within = 0.05, data = NULL, ...) {
  check_fit(fit)
  refuse_policy(fit, "contree_stability()", gettext(
    "fit policy_tree() to samples of the rows and compare predict() of the fits"))
  if (!has_proof(fit)) need_classes(fit, "contree_stability()")
  samples <- check_samples(samples)
  check_within(within)
  settings <- search_settings(fit, list(...), also = "seed")
  settings$on_interrupt <- "error"
  settings$certificate <- 0
  settings$model <- FALSE
  frame <- training_frame(fit, data, settings, parent.frame())
  n <- length(frame$response)
  tasks <- with_seed(settings$seed, lapply(seq_len(samples), function(i) sample.int(n, n, TRUE)))
  listener <- cv_listener(settings, samples, "contree_stability")
  on.exit(listener$end())
  settings$verbose <- FALSE
  settings$progress <- listener$search
  settings <- worker_settings(settings)
  results <- tryCatch(
    run_tasks(tasks, sample_worker(fit, frame, settings, within), listener$tick),
    contree_interrupted_error = function(problem) {
      stop_contree("interrupted", gettext("interrupted"), NULL)
    })
  new_stability(fit, frame, results, within)
}

check_samples <- function(samples) {
  check_number("samples", samples, gettext("a whole number from 2 to 1e6"),
               function(value) value >= 2 && value <= 1e6 && value == floor(value))
}

check_within <- function(within) {
  check_number("within", within, gettext("a number from 0 to below 0.5"),
               function(value) value >= 0 && value < 0.5)
}

# ---- one sample ----------------------------------------------------------------------------------

# The work on one sample (row numbers), as a function that carries its data along.
sample_worker <- function(fit, frame, settings, within) {
  force(settings); force(within)
  splits <- split_sides(fit, frame$columns)
  own <- node_variable(fit)[!node_is_leaf(fit)]
  function(rows, tick = function(n) NULL) {
    tree <- fit_quietly(rows_of_frame(frame, rows), settings[c("depth", "complexity")], settings,
                        quote(contree()))
    tick(1)
    inner <- !node_is_leaf(tree)
    list(variable = stats::setNames(node_variable(tree)[inner], node_ids(tree)[inner]),
         returns = splits_return(splits, own, split_sides(tree, frame$columns),
                                 node_variable(tree)[inner], within),
         predicted = node_answers(tree)[route(tree, frame$columns)], stopped = was_stopped(tree))
  }
}

# What nodes predict: codes of classes, or numbers.
node_answers <- function(fit) {
  if (predicts_classes(fit)) node_label(fit) else as.double(node_values(fit)[, 1])
}

# To which side each split sends each row, whether or not the row comes to its node: a logical
# matrix, a column a split.
split_sides <- function(fit, columns) {
  table <- routing_table(fit)
  asked <- asked_columns(fit, columns)
  inner <- which(!node_is_leaf(fit))
  n <- row_count(columns)
  sides <- vapply(inner, function(node) {
    levels <- table$levels_left[[node]]
    stump <- list(threshold = c(table$threshold[node], NA, NA), left = c(2L, 0L, 0L),
                  right = c(3L, 0L, 0L), default_left = c(table$default_left[node], NA, NA),
                  levels_left = if (!is.null(levels)) list(levels, NULL, NULL))
    route_nodes(stump, c(asked[node], 0L, 0L), columns, seq_len(3)) == 2L
  }, logical(n))
  matrix(sides, n)
}

# Whether each split has one on the same variable among those of another tree that parts the rows
# alike; which side is called left does not matter.
splits_return <- function(splits, variable, others, other_variable, within) {
  vapply(seq_along(variable), function(i) {
    same <- others[, other_variable == variable[i], drop = FALSE]
    changed <- colMeans(same != splits[, i])
    any(pmin(changed, 1 - changed) <= within)
  }, NA)
}

# ---- all of them ---------------------------------------------------------------------------------

new_stability <- function(fit, frame, results, within) {
  samples <- length(results)
  inner <- which(!node_is_leaf(fit))
  variables <- lapply(results, `[[`, "variable")
  ids <- as.character(node_ids(fit)[inner])
  same_place <- vapply(variables, function(found) {
    there <- unname(found[ids])
    !is.na(there) & there == node_variable(fit)[inner]
  }, logical(length(inner)))
  returns <- vapply(results, `[[`, logical(length(inner)), "returns")
  share <- function(hits) rowMeans(matrix(hits, length(inner)))
  predicted <- matrix(unlist(lapply(results, `[[`, "predicted")), ncol = samples)
  own <- node_answers(fit)[route(fit, frame$columns)]
  numbers <- !predicts_classes(fit)
  rows <- if (numbers) sqrt(rowMeans((predicted - own)^2)) else rowMeans(predicted == own)
  structure(list(
    variables = stability_of_variables(fit, variables),
    splits = data.frame(node = node_ids(fit)[inner], split = side_texts(fit, 4)$left[inner],
                        same_place = share(same_place), returns = share(returns)),
    agreement = if (numbers) pairwise_difference(predicted) else pairwise_agreement(predicted),
    with_fit = if (numbers) sqrt(mean(rows^2)) else mean(rows),
    rows = stats::setNames(rows, frame$row_names), samples = samples,
    stopped = sum(vapply(results, `[[`, NA, "stopped")), within = within, numbers = numbers),
    class = "contree_stability")
}

stability_of_variables <- function(fit, variables) {
  known <- tree_shape(fit)$names
  used <- Reduce(`+`, lapply(variables, function(found) known %in% found)) / length(variables)
  root <- Reduce(`+`, lapply(variables, function(found) known %in% found["1"])) / length(variables)
  table <- data.frame(variable = known, in_fit = known %in% node_variable(fit), used = used,
                      root = root)
  table <- table[used > 0 | table$in_fit, ]
  table <- table[order(-table$used, -table$root), ]
  row.names(table) <- NULL
  table
}

# Mean proportion of the rows (of a matrix, a column a tree) of which two trees say the same.
pairwise_agreement <- function(predicted) {
  trees <- ncol(predicted)
  pairs <- apply(predicted, 1, function(codes) {
    counts <- tabulate(codes)
    sum(counts * (counts - 1))
  })
  mean(pairs) / (trees * (trees - 1))
}

# Root mean square, over the rows and pairs of trees, of the difference of two predictions.
pairwise_difference <- function(predicted) {
  trees <- ncol(predicted)
  squares <- rowSums((predicted - rowMeans(predicted))^2) / (trees - 1)
  sqrt(mean(2 * squares))
}

# ---- methods -------------------------------------------------------------------------------------

#' @param x A value of `contree_stability()`.
#' @param digits Number of significant digits, a whole number; 2 by default.
#' @rdname contree_stability
#' @export
print.contree_stability <- function(x, digits = 2, ...) {
  check_digits(digits)
  more <- min(digits + 1, 22)
  cat(gettextf("Stability over %d bootstrap samples", x$samples), "\n", sep = "")
  if (x$stopped > 0) {
    cat(gettextf("(%d searches were stopped by a limit; their best trees count)", x$stopped),
        "\n", sep = "")
  }
  percent_of <- function(share) sprintf("%s%%", format(100 * share, digits = more))
  said <- if (isTRUE(x$numbers)) {
    gettextf(paste("Predictions differ from the fit's by %s, those of two samples by %s",
                   "(root mean square)"),
             format(x$with_fit, digits = more), format(x$agreement, digits = more))
  } else {
    gettextf("Same class as the fit: %s of the training rows; two samples agree on %s",
             percent_of(x$with_fit), percent_of(x$agreement))
  }
  cat("\n", said, "\n\n", sep = "")
  cat(gettext("Predictors (proportion of the samples):"), "\n", sep = "")
  print(utils::head(x$variables, most_in_stability), digits = digits, row.names = FALSE)
  if (nrow(x$variables) > most_in_stability) {
    cat(gettextf("(and %d more)", nrow(x$variables) - most_in_stability), "\n", sep = "")
  }
  if (nrow(x$splits)) {
    cat("\n", gettext("Splits of the fit:"), "\n", sep = "")
    print(x$splits, digits = digits, row.names = FALSE)
  }
  invisible(x)
}

most_in_stability <- 15

#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @rdname contree_stability
#' @export
plot.contree_stability <- function(x, main = NULL, ...) {
  check_title(main)
  splits <- x$splits[rev(seq_len(nrow(x$splits))), ]
  if (nrow(splits) == 0) {
    stop_input("x", gettext("the tree has no splits, so there is nothing to draw"))
  }
  labels <- paste0(splits$node, ": ", splits$split)
  size <- 0.9 * size_of_lines(length(labels))
  left <- names_at_left(labels, size)
  before <- graphics::par(mai = replace(graphics::par("mai"), 2, left$margin))
  on.exit(graphics::par(before))
  title <- gettext("proportion of the samples in which the split returns")
  graphics::barplot(splits$returns, names.arg = left$names, horiz = TRUE, las = 1, xlim = c(0, 1),
                    cex.names = size, col = "#56B4E9", border = NA, main = main, xlab = title,
                    cex.lab = title_size(title), ...)
  invisible(x$splits)
}
