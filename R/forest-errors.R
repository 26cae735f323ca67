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
  parts <- lapply(pieces(n_rows_of(columns), piece_cells / length(values)), function(rows) {
    leaves <- leaves_of_rows(object$forest, rows_of_columns(columns, rows), threads)
    errors_of_rows(leaves, values, inbag, object$control)
  })
  errors <- do.call(rbind, parts)
  if (object$type == "regression") return(errors[, 1])
  structure(errors, dimnames = list(NULL, object$classes))
}

# A row a row, a column a class.
errors_of_rows <- function(leaves, values, inbag, control) {
  n <- nrow(leaves)
  errors <- vapply(seq_len(ncol(values[[1]])), function(k) {
    said <- vapply(seq_along(values), function(i) values[[i]][leaves[, i], k], numeric(n))
    sqrt(pmax(0, jackknife_variance(matrix(said, n), inbag, control)))
  }, numeric(n))
  matrix(errors, n)
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
