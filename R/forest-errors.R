# Standard errors of predictions by the infinitesimal jackknife (Wager, Hastie, Efron 2014).

check_has_errors <- function(object, type, is_left_out) {
  if (type != "prob" && !(type == "response" && object$type == "regression")) {
    stop_input("se.fit", gettext(
      "standard errors are available for \"prob\" and for a numeric \"response\""))
  }
  if (is_left_out) stop_input("newdata", gettext("standard errors need 'newdata'"))
  if (tree_count(object) < 2) {
    stop_input("se.fit", gettext("standard errors need at least 2 trees"))
  }
  if (!object$control$replace && object$control$sample >= object$n) {
    stop_input("se.fit", gettext("there are no standard errors: each tree was grown from all rows"))
  }
}

# Numbers that a piece of the work holds.
piece_cells <- 4e6

# In the shape of the predictions.
standard_errors <- function(object, columns, threads) {
  inbag <- inbag_of(object)
  values <- lapply(seq_along(object$forest$number), function(i) values_of_nodes(object$forest, i))
  parts <- lapply(pieces(row_count(columns), piece_cells / length(values)), function(rows) {
    leaves <- leaves_of_rows(object$forest, rows_of_columns(columns, rows), threads)
    errors_of_rows(leaves, values, inbag, object$control)
  })
  errors <- do.call(rbind, c(list(matrix(0, 0, max(1, length(object$classes)))), parts))
  warn_if_without_errors(errors, object)
  if (object$type == "regression") return(errors[, 1])
  structure(errors, dimnames = list(NULL, object$classes))
}

# A row a row, a column a class.
errors_of_rows <- function(leaves, values, inbag, control) {
  n <- nrow(leaves)
  errors <- vapply(seq_len(ncol(values[[1]])), function(k) {
    said <- vapply(seq_along(values), function(i) values[[i]][leaves[, i], k], numeric(n))
    jackknife_errors(matrix(said, n), inbag, control)
  }, numeric(n))
  matrix(errors, n)
}

# NA where the variance is not above what is due to the trees alone: with so few of them it cannot
# be told from 0. Where all trees say the same it is 0, if they are as many as the rows.
jackknife_errors <- function(said, inbag, control) {
  variance <- jackknife_variance(said, inbag, control)
  alike <- rowSums(said != said[, 1]) == 0
  none <- if (ncol(inbag) >= nrow(inbag)) 0 else NA
  sqrt(ifelse(alike, none, ifelse(variance > 0, variance, NA)))
}

# With that many trees for each row few errors are unknown.
trees_for_errors <- 5

warn_if_without_errors <- function(errors, object) {
  unknown <- sum(is.na(errors))
  if (unknown == 0) return(invisible())
  trees <- tree_count(object)
  warn_contree("few_trees", gettextf(
    paste("%d of %d standard errors are NA, because the forest of %d trees is too small to",
          "estimate them; grow about %.0f trees"),
    unknown, length(errors), trees, max(trees_for_errors * object$n, 2 * trees)))
}

# `said`: a row a new row, `inbag`: a row a training row; both with a column a tree.
jackknife_variance <- function(said, inbag, control) {
  n <- nrow(inbag)
  trees <- ncol(inbag)
  said <- said - rowMeans(said)
  variance <- numeric(nrow(said))
  spread <- 0
  for (rows in pieces(n, piece_cells / trees)) {
    counts <- inbag[rows, , drop = FALSE]
    counts <- counts - rowMeans(counts)
    spread <- spread + sum(counts^2) / trees
    variance <- variance + rowSums((tcrossprod(said, counts) / trees)^2)
  }
  variance <- variance - spread * rowSums(said^2) / trees^2
  if (control$replace) variance else variance * n * (n - 1) / (n - control$sample)^2
}
