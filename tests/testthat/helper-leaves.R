# Trees made by hand, one for each kind of leaf: x < 2.5 goes to leaf 2, of the others levels a and
# b of f to leaf 6 and all else to leaf 7; missing x to the right, missing f to the left.
payload_tree <- function(leaf) {
  new_model(
    list(feature = c(1L, 0L, 3L, 0L, 0L), threshold = c(2.5, NA, NA, NA, NA),
         left = c(2L, 0L, 4L, 0L, 0L), right = c(3L, 0L, 5L, 0L, 0L),
         default_left = c(FALSE, NA, TRUE, NA, NA),
         sides = list(NULL, NULL, c(1L, 1L, 3L), NULL, NULL), missing = integer(5),
         n = c(10, 4, 6, 2, 4), weight = c(10, 4, 6, 2, 4), errors = c(20, 4, 9, 1, 3)),
    leaf,
    list(types = c(x = "numeric", i = "integer", f = "factor", l = "logical"),
         xlevels = list(f = c("a", "b", "c")),
         shape = list(names = c("x", "i", "f", "l"), inputs = c("x", "i", "f", "l"))),
    quote(made_by_hand()), where = integer())
}

payload_trees <- function() {
  counts <- rbind(c(5, 5), c(4, 0), c(1, 5), c(1, 1), c(0, 4))
  coefficients <- cbind(x = c(0, 2, 0, -0.5, 0), i = c(1, 0, 0, 0.25, 0), l = c(0, 0, 0, 3, 0))
  list(classes = payload_tree(class_leaves(c("no", "yes"), c(1L, 1L, 2L, 1L, 2L), counts, NULL)),
       number = payload_tree(number_leaves(c(3, -1.5, 5, 1 / 3, 7))),
       numbers = payload_tree(numbers_leaves(cbind(u = c(3, -1.5, 5, 1 / 3, 7),
                                                   v = c(0, 1, 2, 30, 0.1)))),
       linear = payload_tree(linear_leaves(c(3, -1.5, 5, 1 / 3, 7), coefficients)))
}

payload_rows <- data.frame(
  x = c(-1, 2, 2.5, 4, 6, NA, 3, 3), i = c(4L, 1L, 8L, NA, 2L, 4L, 0L, -12L),
  f = factor(c("a", "c", "b", "c", "a", "b", NA, "b"), levels = c("a", "b", "c")),
  l = c(TRUE, FALSE, TRUE, FALSE, FALSE, TRUE, TRUE, FALSE))
payload_leaf <- c(2L, 2L, 6L, 7L, 6L, 6L, 6L, 6L)
# -1.5 + 2 x in leaf 2, 1/3 - 0.5 x + 0.25 i + 3 l in leaf 6, 7 in leaf 7
payload_linear <- c(-3.5, 2.5, 1 / 3 - 1.25 + 2 + 3, 7, 1 / 3 - 3 + 0.5, NaN, 1 / 3 - 1.5 + 3,
                    1 / 3 - 1.5 - 3)

drop_names <- function(x) {
  if (is.matrix(x)) rownames(x) <- NULL else names(x) <- NULL
  x
}

# What the C code of a tree of numbers says of rows: a matrix, a column a number. `value` is the
# expression of a number, with the name of the function.
run_c <- function(fit, rows, n_numbers, value = if (n_numbers > 1) "%s(x)[k]" else "%s(x)") {
  name <- paste0("leaf_", tree_leaf(fit))
  value <- sprintf(value, name)
  compiled(c(
    as_c(fit, name),
    sprintf("void %s_rows(const double *x, const int *n, const int *p, double *out)", name),
    "{", "  for (int i = 0; i < *n; i++, x += *p)",
    sprintf("    for (int k = 0; k < %d; k++) out[i + k * *n] = %s;", n_numbers, value), "}"), name,
    "-std=c99 -Wall -Wextra -Wno-unused-variable -Werror -ffp-contract=off")
  x <- t(vapply(used_predictors(fit), function(column) as.numeric(rows[[column]]),
                numeric(nrow(rows))))
  matrix(.C(paste0(name, "_rows"), as.double(x), nrow(rows), nrow(x),
            out = double(nrow(rows) * n_numbers), NAOK = TRUE, PACKAGE = name)$out, nrow(rows))
}
