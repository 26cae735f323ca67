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

# What the exports of a tree say of its training rows, whose first 70 may miss values.
expect_exports_agree <- function(fit, d) {
  plain <- unname(predict(fit, d, extrapolate = TRUE))
  read <- contree_from_json(as_json(fit))
  expect_identical(unname(predict(read, d)), unname(predict(fit, d)))
  expect_identical(as_json(read), as_json(fit))
  expect_equal(contree_predictor(read)(d), unname(predict(fit, d)))
  expect_match(as_dot(fit), "f == ", all = FALSE)
  rules <- contree_rules(fit)
  leaf <- match(predict(fit, d[71:90, ], type = "node"), rules$node)
  said <- vapply(1:20, function(i) eval(str2lang(rules$model[leaf[i]]), d[70 + i, ]), 0)
  expect_equal(said, plain[71:90], tolerance = 1e-5)
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    expect_equal(in_sqlite(d, as_sql(fit))[[1]], plain, tolerance = 1e-12)
  }
  if (requireNamespace("xml2", quietly = TRUE)) {
    document <- read_pmml(fit)
    root <- pmml_node(xml2::xml_find_first(document, "//TreeModel/Node"))
    some <- c(1:8, 38:45, 58:75)
    said <- vapply(some, function(i) {
      row <- as_pmml_row(d[i, ])
      pmml_number(pmml_leaf(root, row), row, document)
    }, 0)
    expect_equal(said, plain[some], tolerance = 1e-12)
  }
  skip_on_cran()
  skip_if(!nzchar(Sys.which("make")) || !nzchar(Sys.which("cc")), "no C compiler")
  expect_equal(run_c_of(fit, d), plain)
}

# Each leaf beside lm() of its rows and of the regressors that the search has kept.
expect_leaves_of_kept <- function(fit, data) {
  node <- predict(fit, type = "node")
  parts <- fit$gmt$regressors
  for (leaf in as.integer(rownames(coef(fit)))) {
    b <- coef(fit, leaf)
    kept <- names(b)[!is.na(b)]
    used <- parts[vapply(parts, function(part) {
      part %in% kept || any(paste0(part, levels(data[[part]])) %in% kept)
    }, NA)]
    model <- lm(reformulate(c("1", used), "y"), data[node == leaf, ])
    expect_equal(b[kept], coef(model), tolerance = 1e-8)
    expect_equal(unname(vcov(fit, leaf)[kept, kept, drop = FALSE]), unname(vcov(model)),
                 tolerance = 1e-7)
    expect_true(all(is.na(vcov(fit, leaf)[setdiff(names(b), kept), ])))
    expect_equal(summary(fit, node = leaf)$sigma, summary(model)$sigma, tolerance = 1e-7)
  }
}
