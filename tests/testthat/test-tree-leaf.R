by_leaf <- function(values) unname(values[match(payload_leaf, c(2, 6, 7))])

test_that("every kind of leaf predicts what it holds", {
  trees <- payload_trees()
  for (fit in trees) {
    expect_s3_class(check_fit(fit), "contree_model", exact = TRUE)
    expect_identical(unname(predict(fit, payload_rows, type = "node")), payload_leaf)
  }
  expect_identical(as.character(predict(trees$classes, payload_rows)),
                   by_leaf(c("no", "no", "yes")))
  expect_equal(unname(predict(trees$classes, payload_rows, type = "prob")[, "yes"]),
               by_leaf(c(0, 0.5, 1)))
  expect_identical(unname(predict(trees$number, payload_rows)), by_leaf(c(-1.5, 1 / 3, 7)))
  expect_identical(names(predict(trees$number, payload_rows)), row.names(payload_rows))
  several <- predict(trees$numbers, payload_rows)
  expect_identical(unname(several[, "u"]), by_leaf(c(-1.5, 1 / 3, 7)))
  expect_identical(unname(several[, "v"]), by_leaf(c(1, 30, 0.1)))
  expect_equal(unname(predict(trees$linear, payload_rows)), payload_linear, tolerance = 1e-14)
  # a model that does not use a predictor does not ask for its value
  expect_identical(unname(predict(trees$linear, transform(payload_rows, l = NA)))[c(1, 2, 4)],
                   payload_linear[c(1, 2, 4)])
})

test_that("a matrix and a prepared predictor give the same", {
  for (fit in payload_trees()) {
    expect_identical(contree_predictor(fit)(payload_rows), drop_names(predict(fit, payload_rows)))
    one <- contree_predictor(fit)(payload_rows[3, ])
    expect_identical(one, drop_names(predict(fit, payload_rows[3, ])))
  }
})

test_that("splits save deviance where leaves are numbers", {
  for (kind in c("number", "numbers", "linear")) {
    expect_identical(as.list(contree_importance(payload_trees()[[kind]])),
                     list(variable = c("x", "f"), deviance = c(7, 5)))
  }
  expect_output(print(summary(payload_trees()$number)), "Decrease of the deviance")
  expect_no_error(plot(contree_importance(payload_trees()$linear)))
  expect_output(print(summary(gmt(mpg ~ wt | hp, mtcars, seed = 1))),
                "Decrease of squared residuals")
})

test_that("what a kind of leaf cannot tell is an error", {
  trees <- payload_trees()
  for (kind in c("number", "numbers", "linear")) {
    fit <- trees[[kind]]
    expect_contree_error(predict(fit, payload_rows, type = "class"), "input",
                         c("'type'", "response"))
    expect_contree_error(predict(fit, payload_rows, type = "prob"), "input", "'type'")
    expect_contree_error(as_sql(fit, "class"), "input", "'type'")
    expect_contree_error(predict(fit), "input", "'newdata'")
  }
  for (measure in list(contree_accuracy, contree_importance)) {
    expect_contree_error(measure(trees$numbers, payload_rows, y = 1:8), "unsupported", "numbers")
  }
  expect_contree_error(write_pmml(trees$numbers, tempfile()), "unsupported", "several")
  skip_if_not_installed("rpart")
  skip_if_not_installed("partykit")
  for (fit in trees[c("numbers", "linear")]) {
    expect_contree_error(as.rpart(fit), "unsupported", "rpart")
    expect_contree_error(partykit::as.party(fit), "unsupported", "partykit")
  }
})

test_that("trees of every kind are printed, summarised and written as rules and tables", {
  trees <- payload_trees()
  expect_output(print(trees$number),
                "node\\), split, n, deviance, yval\n.*2\\) x< 2.5 4  4 -1.50* \\*")
  expect_output(print(trees$numbers), "\\(yval\\)\n.*7\\) f=c 4  3 \\(u=7, v=0.1\\) \\*")
  expect_output(print(trees$linear, digits = 3),
                "6) f=a,b 2  1 (0.333 - 0.5 * x + 0.25 * i + 3 * l) *", fixed = TRUE)
  for (fit in trees) expect_output(print(fit), "Tree of depth 2, 3 leaves\n", fixed = TRUE)
  expect_equal(summary(trees$number)$r.squared, 1 - 8 / 20)
  expect_output(print(summary(trees$linear)),
                "Deviance on the training rows: 8, 60% of it explained")
  rules <- lapply(trees, contree_rules)
  expect_identical(names(rules$number), c("node", "rule", "n", "value"))
  expect_identical(rules$number$value, c(-1.5, 1 / 3, 7))
  expect_identical(names(rules$numbers), c("node", "rule", "n", "u", "v"))
  expect_identical(rules$linear$model[1], "-1.5 + 2 * x")
  for (i in seq_along(trees)) for (style in c("wide", "tall")) {
    expect_output(print(rules[[i]], style = style), "x < 2.5", info = names(trees)[i])
  }
  expect_equal(eval(str2lang(rules$linear$model[2]), payload_rows[3, ]), payload_linear[3],
               tolerance = 1e-6)
  table <- as.data.frame(trees$linear)
  expect_identical(table[["coefficient.l"]], c(0, 0, 0, 3, 0))
  expect_identical(as.data.frame(trees$numbers)$v, c(0, 1, 2, 30, 0.1))
})

test_that("trees of every kind are drawn, with text that fits, by both systems of graphics", {
  for (fit in payload_trees()) {
    expect_silent(plot(fit))
    expect_silent(plot(fit, type = "bare"))
    expect_silent(text(fit))
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_silent(print(ggplot2::autoplot(fit)))
    expect_match(as_dot(fit), "fillcolor")
  }
  # the larger the number, the fuller the colour
  fit <- payload_trees()$number
  expect_identical(order(node_strength(fit)), order(fit$frame$yval))
  expect_match(as_dot(fit), "label=\"-1.5\\nn = 4\"", fixed = TRUE)
})

test_that("SQLite and compiled C compute what predict() gives", {
  trees <- payload_trees()
  # neither has a NaN that is told from a missing value
  expected <- lapply(trees, function(fit) {
    value <- as.matrix(predict(fit, payload_rows,
                               type = if (predicts_classes(fit)) "prob" else "response"))
    unname(replace(value, is.na(value), NA))
  })
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    for (kind in names(trees)) {
      sql <- if (kind == "classes") as_sql(trees[[kind]], "prob") else as_sql(trees[[kind]])
      expect_identical(unname(as.matrix(in_sqlite(payload_rows, sql))), expected[[kind]],
                       info = kind)
    }
  }
  skip_on_cran()
  skip_if(!nzchar(Sys.which("make")) || !nzchar(Sys.which("cc")), "no C compiler")
  for (kind in setdiff(names(trees), "classes")) {
    answer <- run_c(trees[[kind]], payload_rows, ncol(expected[[kind]]))
    expect_identical(replace(answer, is.na(answer), NA), expected[[kind]], info = kind)
  }
})

test_that("documents of every kind are read again", {
  skip_if_not_installed("jsonlite")
  for (fit in payload_trees()[-1]) {
    again <- contree_from_json(as_json(fit))
    expect_identical(predict(again, payload_rows), predict(fit, payload_rows))
    expect_identical(capture.output(print(again)), capture.output(print(fit)))
    expect_identical(as_json(again), as_json(fit))
  }
  text <- as_json(payload_trees()$linear)
  spoiled <- list("\"leaf\": \"linear\"" = "\"leaf\": \"other\"", "\"x\":2" = "\"f\":2",
                  "\"intercept\":7" = "\"intercept\":\"7\"",
                  "\"weight\":6" = "\"weight\":5", "\"x\":2" = "\"nowhere\":2")
  for (i in seq_along(spoiled)) {
    damaged <- sub(names(spoiled)[i], spoiled[[i]], text, fixed = TRUE)
    expect_false(identical(damaged, text), info = names(spoiled)[i])
    expect_contree_error(contree_from_json(damaged), "input", "'x'")
  }
})

test_that("PMML has the numbers and the models", {
  file <- tempfile(fileext = ".pmml")
  on.exit(unlink(file))
  trees <- payload_trees()
  write_pmml(trees$number, file)
  text <- readLines(file)
  expect_true(any(grepl("<TreeModel functionName=\"regression\"", text)))
  expect_length(grep("<Node id=\"2\" score=\"-1.5\"", text), 1)
  expect_length(grep("ScoreDistribution", text), 0)
  write_pmml(trees$linear, file)
  text <- readLines(file)
  expect_length(grep("<RegressionTable intercept=", text), 3)
  expect_length(grep("<NumericPredictor name=\"i\" coefficient=\"0.25\"/>", text), 1)
})

test_that("rpart and partykit predict the numbers", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("partykit")
  fit <- payload_trees()$number
  known <- payload_rows[!is.na(payload_rows$x) & !is.na(payload_rows$f), ]
  expect_equal(unname(predict(as.rpart(fit), known)), unname(predict(fit, known)))
  expect_equal(unname(predict(partykit::as.party(fit), known)), unname(predict(fit, known)))
  expect_output(print(as.rpart(fit)), "x< 2.5 4 *4 *-1.5")
})

test_that("tidiers tell what there is", {
  skip_if_not_installed("generics")
  trees <- payload_trees()
  expect_identical(generics::glance(trees$number)$r.squared, 1 - 8 / 20)
  expect_identical(generics::augment(trees$linear, newdata = payload_rows)$.pred,
                   unname(predict(trees$linear, payload_rows)))
  expect_identical(generics::augment(trees$numbers, newdata = payload_rows)$.pred_v,
                   by_leaf(c(1, 30, 0.1)))
  expect_identical(generics::tidy(trees$number)$value, trees$number$frame$yval)
})

test_that("a damaged leaf is an error that names it, and saving keeps a tree", {
  trees <- payload_trees()
  damage <- function(kind, ...) {
    structure(utils::modifyList(unclass(trees[[kind]]), list(...)), class = "contree_model")
  }
  with_frame <- function(kind, column, value) {
    fit <- trees[[kind]]
    fit$frame[[column]] <- value
    fit
  }
  table <- trees$linear$frame$yval2
  damaged <- list(
    leaf = damage("number", leaf = "other"), leaf = damage("number", leaf = 3),
    "frame$yval" = with_frame("number", "yval", c(1, 2, 3, 4, Inf)),
    "frame$yval" = with_frame("number", "yval", letters[1:5]),
    "frame$yval2" = with_frame("number", "yval2", table),
    frame = with_frame("linear", "yval2", NULL),
    "frame$yval2" = with_frame("linear", "yval2", replace(table, 3, NaN)),
    "frame$yval2" = with_frame("linear", "yval2", table + 1),
    "frame$yval2" = with_frame("linear", "yval2",
                               `colnames<-`(table, c("(Intercept)", "x", "i", "f"))),
    "frame$yval2" = with_frame("linear", "yval2",
                               `colnames<-`(table, c("(Intercept)", "x", "i", "x"))),
    "frame$yval2" = with_frame("numbers", "yval2", unname(trees$numbers$frame$yval2)),
    ylevels = damage("number", ylevels = c("a", "b")))
  for (i in seq_along(damaged)) {
    expect_contree_error(predict(damaged[[i]], payload_rows), "input", names(damaged)[i])
  }
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(trees, file)
  expect_identical(readRDS(file), trees)
})
