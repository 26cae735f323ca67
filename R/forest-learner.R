# Splits chosen by an R function: what it is asked, what its answers must be, and the built-in rules
# as such functions.

#' Split rules written in R
#'
#' `hist_forest(learner = f)` grows trees level by level and calls `f` to choose the split of each
#' leaf of a level, like the client of Sharp (2008); so does [image_forest()]. `f` receives the
#' counts of all candidates, so any split criterion can be written with it. `hist_learner()` returns
#' the built-in rules as such functions, as a starting point. With `bins` of at most 32 they grow
#' the same forest as `splitrule`, bit for bit, unless the scores of two cuts differ by less than
#' single precision; with more, the built-in rules evaluate bins first and then codes.
#'
#' @section Arguments of a learner:
#' `f(histogram, info)`, where `histogram` is an integer array \[bin, class, feature, leaf\] of the
#' numbers of sampled rows, counting repetitions. Its first dimension has 256 elements, 255 bins in
#' ascending order followed by the missing values; classes and features have names. It has at most
#' 2^24 elements, unless a single leaf needs more: the leaves of a level may be passed in several
#' calls. `info` is a list of `tree` and `depth` (numbers, 0 for the root), `features` (the
#' predictors of the candidates), `bins` (the number of bins of each), `rows` (distinct rows of each
#' leaf) and `weight` (rows of each leaf, counting repetitions).
#'
#' @section Value of a learner:
#' A data frame, or a list, with a value for each leaf in `feature` (the index in the third
#' dimension, `NA` for no split), `bin` (the last bin that goes left) and, if there may be missing
#' values, `missing_left` (do they go left?). Both sides must have rows. The threshold is put
#' halfway between the values of `bin` and those of the next bin that occurs. A leaf without a split
#' remains a leaf.
#'
#' @param rule `"gini"` (the default), `"entropy"` or `"error"`.
#' @return A function of `histogram` and `info`, for the argument `learner` of [hist_forest()].
#' @section Errors:
#' In `hist_forest()`, values that are not as described above are errors of class
#' `contree_input_error`.
#' @references T. Sharp (2008). Implementing decision trees and forests on a GPU. *ECCV 2008*, LNCS
#'   5305, 595-608. \doi{10.1007/978-3-540-88693-8_44}.
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1, bins = 32,
#'                    learner = hist_learner("gini"))
#' same <- hist_forest(Species ~ ., iris, trees = 5, seed = 1, pool = "level", bins = 32)
#' identical(fit$forest$nodes, same$forest$nodes)
#'
#' # a custom rule: the cut that separates versicolor best, by the difference of its proportions
#' versicolor <- function(histogram, info) {
#'   parted <- apply(histogram[1:255, , , , drop = FALSE], c(3, 4), function(counts) {
#'     left <- apply(counts, 2, cumsum)
#'     size <- rowSums(left)
#'     right <- sum(counts) - size
#'     difference <- abs(left[, 2] / size - (sum(counts[, 2]) - left[, 2]) / right)
#'     difference[size == 0 | right == 0] <- -1
#'     c(which.max(difference), max(difference))
#'   })
#'   feature <- apply(parted[2, , , drop = FALSE], 3, which.max)
#'   leaf <- seq_along(feature)
#'   list(feature = ifelse(parted[cbind(2, feature, leaf)] > 0, feature, NA),
#'        bin = parted[cbind(1, feature, leaf)])
#' }
#' hist_forest(Species ~ ., iris, trees = 20, seed = 1, learner = versicolor)
#' @export
hist_learner <- function(rule = c("gini", "entropy", "error")) {
  rule <- check_choice("rule", rule)
  score <- list(gini = gini_scores, entropy = entropy_scores, error = error_scores)[[rule]]
  function(histogram, info) best_cuts(histogram, info, score)
}

# ---- answers -------------------------------------------------------------------------------------

# What C calls: names for the learner, and its answers, looked over, as three integers a leaf.
checked_learner <- function(learner, classes, names) {
  force(learner)
  function(histogram, info) {
    dimnames(histogram) <- list(NULL, classes, names[info$features], NULL)
    check_answers(learner(histogram, info), histogram, info)
  }
}

check_answers <- function(answers, histogram, info) {
  n <- dim(histogram)[4]
  feature <- answer_column(answers, "feature", n, dim(histogram)[3])
  bin <- answer_column(answers, "bin", n, 255)
  missing_left <- as.logical(answers[["missing_left"]])
  if (length(missing_left) == 0) missing_left <- logical(n)
  if (length(missing_left) != n) refuse_answers(gettextf("'missing_left' must have %d values", n))
  bin[is.na(feature)] <- NA
  for (leaf in which(!is.na(bin))) {
    counts <- histogram[, , feature[leaf], leaf]
    left <- sum(counts[c(seq_len(bin[leaf]), if (isTRUE(missing_left[leaf])) 256L), ])
    if (left == 0 || left == info$weight[leaf]) {
      refuse_answers(gettextf("a split of leaf %d leaves a side without rows", leaf))
    }
  }
  rbind(feature, bin, as.integer(missing_left %in% TRUE), deparse.level = 0)
}

answer_column <- function(answers, name, n, most) {
  values <- if (is.list(answers)) answers[[name]]
  fine <- (is.numeric(values) || (is.logical(values) && all(is.na(values)))) &&
    length(values) == n &&
    all(is.na(values) | (values %in% seq_len(most)))
  if (fine) return(as.integer(values))
  refuse_answers(gettextf("'%s' must be %d whole numbers from 1 to %d, or NA", name, n, most))
}

refuse_answers <- function(message) {
  stop_input("learner", gettextf("the value of the learner cannot be used: %s", message))
}

# ---- built-in rules ------------------------------------------------------------------------------

# The best cut of each leaf by a score of the two sides, of which `score` is given lists of matrices
# [bin, candidate], one a class, and sizes. Of equal scores the first candidate wins, of one
# candidate missing values on the right, then the lowest cut.
best_cuts <- function(histogram, info, score) {
  dim <- dim(histogram)
  n <- dim[3] * dim[4]
  cells <- aperm(array(as.double(histogram), c(256, dim[2], n)), c(1, 3, 2))
  missing <- matrix(cells[256, , ], n)
  leaf <- rep(seq_len(dim[4]), each = dim[3])
  best <- lapply(c(FALSE, TRUE), function(missing_left) {
    left <- lapply(seq_len(dim[2]), function(k) {
      below <- running_sums(matrix(cells[-256, , k], 255))
      if (missing_left) below + rep(missing[, k], each = 255) else below
    })
    totals <- lapply(seq_len(dim[2]), function(k) colSums(matrix(cells[, , k], 256)))
    scores <- scores_of_cuts(left, totals, info, leaf, score)
    if (missing_left) scores[, rowSums(missing) == 0] <- NA
    first_best(scores)
  })
  choose_answers(best, dim[3], dim[4])
}

running_sums <- function(columns) {
  all <- matrix(cumsum(columns), nrow(columns))
  all - rep(c(0, all[nrow(all), -ncol(all)]), each = nrow(all))
}

scores_of_cuts <- function(left, totals, info, leaf, score) {
  right <- Map(function(own, total) rep(total, each = 255) - own, left, totals)
  size <- Reduce(`+`, left)
  rest <- Reduce(`+`, right)
  scores <- score(list(left = left, right = right, size = size, rest = rest),
                  rep(info$weight[leaf], each = 255), rep(info$rows[leaf], each = 255))
  replace(scores, size == 0 | rest == 0, NA)
}

# By column: which row has the greatest score, and the score (-Inf: none has one).
first_best <- function(scores) {
  scores[is.na(scores)] <- -Inf
  row <- max.col(t(scores), ties.method = "first")
  list(bin = row, score = scores[cbind(row, seq_along(row))])
}

choose_answers <- function(best, n_features, n_leaves) {
  scores <- rbind(best[[1]]$score, best[[2]]$score)
  bins <- rbind(best[[1]]$bin, best[[2]]$bin)
  # a column a leaf; by feature, missing values on the right first
  scores <- matrix(scores, 2 * n_features, n_leaves)
  place <- max.col(t(scores), ties.method = "first")
  at <- cbind(place, seq_len(n_leaves))
  data.frame(feature = ifelse(is.finite(scores[at]), (place + 1L) %/% 2L, NA),
             bin = matrix(bins, 2 * n_features, n_leaves)[at], missing_left = place %% 2 == 0)
}

squares <- function(side) Reduce(`+`, lapply(side, function(counts) counts^2))

# As in scan.h: one rounding in nodes that are not heavy, to single precision in small ones (of two
# classes, scan.h has another form, which orders cuts alike).
gini_scores <- function(sides, weight, rows) {
  left <- squares(sides$left)
  right <- squares(sides$right)
  exact <- (sides$size * right + sides$rest * left) / (sides$size * sides$rest)
  heavy <- weight > 32767
  exact[heavy] <- (left / sides$size + right / sides$rest)[heavy]
  small <- rows <= 64 & weight <= 255
  exact[small] <- to_single(exact[small])
  exact
}

to_single <- function(numbers) {
  readBin(writeBin(as.vector(numbers), raw(), size = 4), "numeric", length(numbers), size = 4)
}

entropy_scores <- function(sides, weight, rows) {
  side <- function(counts, size) Reduce(`+`, lapply(counts, times_log)) - times_log(size)
  side(sides$left, sides$size) + side(sides$right, sides$rest) + weight * 6
}

times_log <- function(x) ifelse(x > 1, x * log(pmax(x, 1)), 0)

error_scores <- function(sides, weight, rows) {
  do.call(pmax, sides$left) + do.call(pmax, sides$right)
}
