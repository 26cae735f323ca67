# Five planes; the last columns are noise. `noise` of the response.
armchair <- function(n, columns = 2, noise = 0.05, seed = 1) {
  set.seed(seed)
  x <- matrix(runif(n * columns, 0, 5), n, dimnames = list(NULL, paste0("x", seq_len(columns))))
  d <- data.frame(x)
  d$y <- with(d, ifelse(x1 < 1, 16 * x1 - 2 * x2 - 8, ifelse(x1 >= 4, -16 * x1 - 2 * x2 + 72,
    ifelse(x2 < 2, x1 - 4 * x2 + 2, ifelse(x2 < 4, x1 + x2 - 8, x1 + 16 * x2 - 56))))) + rnorm(n, 0,
        noise)
  d
}

# Each leaf beside lm() of its rows.
expect_leaves_of_lm <- function(fit, formula, data, tolerance = 1e-8) {
  node <- predict(fit, type = "node")
  environment(formula) <- environment()
  for (leaf in rownames(coef(fit))) {
    rows <- data[node == as.integer(leaf), ]
    model <- lm(formula, rows, weights = rows$w)
    expect_equal(coef(fit, as.integer(leaf)), coef(model), tolerance = tolerance)
    expect_equal(vcov(fit, as.integer(leaf)), vcov(model), tolerance = 10 * tolerance)
    ours <- summary(fit, node = as.integer(leaf))
    theirs <- summary(model)
    for (part in c("sigma", "df", "r.squared", "fstatistic")) {
      expect_equal(ours[[part]], theirs[[part]], tolerance = 10 * tolerance)
    }
    expect_equal(unname(residuals(ours)), unname(residuals(theirs)), tolerance = 10 * tolerance)
  }
}

# What the C code of a tree says of rows.
run_c_of <- function(fit, rows) run_c(fit, rows, 1)[, 1]
