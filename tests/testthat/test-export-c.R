# A function of all rows of what a tree's functions say of one.
rows_code <- function(name) {
  sprintf(c(
    "void %1$s_rows(const double *x, const int *n, const int *p, const int *n_classes,",
    "               int *class, int *node, double *prob)", "{",
    "  for (int i = 0; i < *n; i++, x += *p) {", "    class[i] = %1$s(x);",
    "    node[i] = %1$s_node(x);",
    "    for (int k = 0; k < *n_classes; k++) prob[i + k * *n] = %1$s_prob(x)[k];", "  }", "}"),
    name)
}

# Rows as the code takes them, one a column.
encoded <- function(fit, rows) {
  t(vapply(used_predictors(fit), function(name) {
    levels <- tree_xlevels(fit)[[name]]
    x <- rows[[name]]
    if (is.null(levels)) return(as.numeric(x))
    code <- match(as.character(x), levels, 0)
    ifelse(is.na(x), NaN, code)
  }, numeric(nrow(rows))))
}

test_that("compiled C gives every row what predict() gives, NaN and new levels included", {
  skip_on_cran() # a compiler need not be there
  skip_if(!nzchar(Sys.which("make")) || !nzchar(Sys.which("cc")), "no C compiler")
  for_each_tree(function(fit, rows, expected, name) {
    symbol <- paste0("tree_", name)
    compiled(c(as_c(fit, symbol), rows_code(symbol)), symbol,
             "-std=c99 -Wall -Wextra -Wno-unused-variable -Werror")
    classes <- tree_classes(fit)
    n <- nrow(rows)
    x <- if (length(used_predictors(fit))) encoded(fit, rows) else matrix(0, 1, n)
    answer <- .C(paste0(symbol, "_rows"), as.double(x), n, nrow(x), length(classes),
                 class = integer(n), node = integer(n), prob = double(n * length(classes)),
                 NAOK = TRUE, PACKAGE = symbol)
    expect_identical(classes[answer$class + 1], expected$class, info = name)
    expect_identical(answer$node, expected$node, info = name)
    expect_identical(matrix(answer$prob, n), expected$prob, info = name)
  })
})

test_that("names are literals in ASCII and nothing else", {
  fit <- shared_trees()$hostile$fit
  code <- as_c(fit)
  expect_false(grepl("[^ -~\n]", code))
  # outside of literals nothing of the names is left
  plain <- gsub("\"(\\\\.|[^\"\\\\])*\"", "", code)
  expect_no_match(plain, "system|DROP|\\?\\?")
  expect_identical(c_string("a\"b\\c??/\n\u00e9"), "\"a\\042b\\134c\\077\\077/\\012\\303\\251\"")
})

test_that("a name that C does not take is an error", {
  for (name in list("", "1a", "a-b", "while", "a b", "x(){}", "\u00e9", NA, c("a", "b"), 3, NULL)) {
    expect_contree_error(as_c(iris2, name), "input", "'name'")
  }
  expect_match(as_c(iris2, "iris_tree"), "int iris_tree(const double *x)", fixed = TRUE)
  expect_contree_error(as_c(iris), "input", "'fit'")
})
