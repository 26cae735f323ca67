# Which row is held out when: a matrix of fold numbers from 1, one row a row of the data, one column
# a repeat.

# `folds` as the user gave it: how many, or the fold of each row.
read_folds <- function(folds, repeats, response) {
  check_repeats(repeats)
  n <- length(response)
  if (n < 2) {
    stop_input("data", gettextf("cross-validation needs at least two rows; the data have %d", n))
  }
  if (length(folds) == 1) {
    if (!is_count(folds) || folds < 2 || folds > n) {
      stop_input("folds", gettextf(
        "'folds' must be a whole number between 2 and the %d rows, or the fold of each row, not %s",
        n, show_value(folds)))
    }
    return(matrix(vapply(seq_len(repeats), function(i) stratified_folds(response, folds),
                         integer(n)), n))
  }
  given_folds(folds, repeats, n)
}

# The rows of each class are shuffled and dealt out one by one, the next class where the last one
# ended: of each class, and of all rows, the folds differ by one row at most.
stratified_folds <- function(response, folds) {
  if (is.double(response)) response <- rep(1, length(response)) # numbers have no classes
  shuffled <- lapply(split(seq_along(response), response),
                     function(rows) rows[sample.int(length(rows))])
  fold <- integer(length(response))
  fold[unlist(shuffled)] <- rep_len(seq_len(folds), length(response))
  fold
}

given_folds <- function(folds, repeats, n) {
  if (!is.atomic(folds) || NROW(folds) != n || length(folds) == 0) {
    stop_input("folds", gettextf(
      "'folds' is %s, but must be a whole number or the fold of each of the %d rows that are used",
      show_value(folds), n))
  }
  if (anyNA(folds)) {
    stop_input("folds", gettextf("'folds' is missing (NA) for %d rows; give each row a fold",
                                 sum(is.na(folds))))
  }
  folds <- as.matrix(if (is.factor(folds)) as.integer(folds) else folds)
  if (repeats != 1 && repeats != ncol(folds)) {
    stop_input("repeats",
               gettextf("'repeats' is %s, but 'folds' gives %d of them",
                        format(repeats), ncol(folds)),
               gettext("leave 'repeats' out, or give a matrix with a column for each"))
  }
  numbers <- apply(folds, 2, function(ids) match(ids, sort(unique(ids))))
  if (any(apply(numbers, 2, max) < 2)) {
    stop_input("folds", gettext(
      "'folds' has only one fold, which leaves no rows to fit a tree to; use two or more"))
  }
  matrix(numbers, n)
}

# A tree is fitted to the rows outside of each fold, some of which must count.
refuse_fold_of_all_weight <- function(folds, weights) {
  if (is.null(weights)) return(invisible())
  heavy <- folds[weights > 0, , drop = FALSE]
  alone <- apply(heavy, 2, function(ids) all(ids == ids[1]))
  if (!any(alone)) return(invisible())
  stop_input("folds", gettextf(
    "'folds' has all rows with a weight above 0 in fold %d, which leaves none to fit a tree to",
    heavy[1, alone][1]), gettext("give other folds, or leave out the rows of weight 0"))
}

check_repeats <- function(repeats) {
  check_number("repeats", repeats, gettext("a whole number between 1 and 10000"),
               function(value) is_count(value) && value <= 1e4)
}
