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

# Two lines by z, with a factor, an ordered factor and a number in the models; `holes`: values are
# missing.
mixed_lines <- function(n = 400, holes = TRUE, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n, 0, 5), z = runif(n), m = rnorm(n), l = runif(n) < 0.4,
                  f = factor(sample(c("a", "b\"1", "c'2", "d"), n, TRUE)),
                  o = factor(sample(1:3, n, TRUE), ordered = TRUE))
  code <- as.integer(d$f)
  d$y <- ifelse(d$z < 0.5, 3 * d$x + code, c(5, 1, 0, 2)[code] - 2 * d$x) + d$m + 0.5 * d$l +
    as.integer(d$o)^2 / 5 + rnorm(n, 0, 0.1)
  if (holes) d[c("m", "f")] <- list(replace(d$m, 1:60, NA), replace(d$f, 40:70, NA))
  d
}

# Each leaf beside lm() of the columns of model.matrix(), from the rows of the leaf.
expect_leaves_of_matrix <- function(fit, x, y, weights = rep(1, length(y)), tolerance = 1e-8) {
  node <- predict(fit, type = "node")
  for (leaf in rownames(coef(fit))) {
    rows <- node == as.integer(leaf)
    model <- stats::lm.wfit(x[rows, , drop = FALSE], y[rows], weights[rows])
    expect_identical(names(coef(fit, as.integer(leaf))), colnames(x))
    expect_equal(unname(coef(fit, as.integer(leaf))), unname(model$coefficients),
                 tolerance = tolerance)
    expect_equal(unname(fitted(fit)[rows]), unname(model$fitted.values), tolerance = tolerance)
  }
}
