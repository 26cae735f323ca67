# Shapley values of a small tree by their definition: over all orders of two features.
shapley_of_tree <- function(fit, row) {
  value <- shapley_value_of_tree(fit, row)
  both <- value(c("wt", "hp"))
  c(wt = value("wt") - value(NULL) + both - value("hp"),
    hp = value("hp") - value(NULL) + both - value("wt")) / 2
}

# What the tree says of a row of which only some features are known.
shapley_value_of_tree <- function(fit, row) {
  nodes <- fit$frame
  ids <- as.numeric(rownames(nodes))
  value <- function(known, id = 1) {
    at <- match(id, ids)
    if (nodes$var[at] == "<leaf>") return(nodes$yval[at])
    below <- c(value(known, 2 * id), value(known, 2 * id + 1))
    name <- nodes$var[at]
    threshold <- fit$splits[sum(nodes$var[seq_len(at)] != "<leaf>"), "index"]
    if (name %in% known) return(below[if (row[[name]] < threshold) 1 else 2])
    sum(below * nodes$n[match(c(2 * id, 2 * id + 1), ids)]) / nodes$n[at]
  }
  value
}

# The same of the table of a tree of a forest: the shares of the classes. `known`: columns of `row`.
shapley_value_of_table <- function(table, row, classes) {
  counts <- as.matrix(table[paste0("n_", classes)])
  value <- function(known, node = 1) {
    if (is.na(table$left[node])) return(counts[node, ] / sum(counts[node, ]))
    below <- c(table$left[node], table$right[node])
    name <- table$variable[node]
    if (name %in% names(row)[known]) {
      return(value(known, below[if (row[[name]] < table$threshold[node]) 1 else 2]))
    }
    n <- table$n[below]
    (n[1] * value(known, below[1]) + n[2] * value(known, below[2])) / sum(n)
  }
  value
}

test_that("contributions are Shapley values, and add up to predictions", {
  fit <- contree(mpg ~ wt + hp, mtcars, depth = 2, minbucket = 2)
  shap <- contributions(fit, mtcars)
  expected <- t(vapply(seq_len(nrow(mtcars)), function(i) shapley_of_tree(fit, mtcars[i, ]),
                       numeric(2)))
  expect_equal(unname(shap$values), unname(expected))
  expect_equal(shap$base, mean(mtcars$mpg))
  expect_equal(shap$prediction[, 1], predict(fit, mtcars))
  forest <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  expect_equal(contributions(forest, iris)$prediction, predict(forest, iris, type = "prob"))
  expect_identical(contributions(import_forest(forest), iris)$values,
                   contributions(forest, iris)$values)
  long <- as.data.frame(contributions(forest, iris[1:2, ]))
  expect_identical(dim(long), c(24L, 5L))
  expect_identical(long$value[1:2], c("5.1", "4.9"))
  expect_contree_error(contributions(gmt(dist ~ speed, cars, seed = 1), cars), "unsupported",
                       "type = \"terms\"")
  expect_contree_error(contributions(fit, mtcars, scale = "prob"), "unsupported", "classes")
  expect_contree_error(predict(forest, iris, type = "contributions"), "unsupported",
                       "contributions(fit, data)")
})

test_that("interactions are those of the definition, and add up to contributions", {
  fit <- contree(mpg ~ wt + hp, mtcars, depth = 2, minbucket = 2)
  shap <- contributions(fit, mtcars, interactions = TRUE)
  pairs <- shap$interactions
  expect_identical(dimnames(pairs)[2:3], list(c("wt", "hp"), c("wt", "hp")))
  for (i in 1:32) {
    # v(both) - v(wt) - v(hp) + v(none), from the shares of the two
    row <- mtcars[i, ]
    value <- shapley_value_of_tree(fit, row)
    together <- value(c("wt", "hp")) - value("wt") - value("hp") + value(NULL)
    expect_equal(pairs[i, "wt", "hp"], together / 2)
  }
  # of the shares of classes in a forest: the mean over its trees
  fit <- hist_forest(Species ~ Petal.Width + Sepal.Width, iris, trees = 7, seed = 1)
  rows <- iris[c(1, 60, 78, 107, 120), c(4, 2)]
  background <- iris[c(3, 71, 84, 130), c(4, 2)]
  pairs <- contributions(fit, rows, interactions = TRUE)$interactions
  against <- contributions(fit, rows, background = background, interactions = TRUE)$interactions
  share <- function(known, row) {
    mixed <- background
    mixed[known] <- rows[rep(row, 4), known]
    colMeans(predict(fit, mixed, type = "prob"))
  }
  for (i in 1:5) {
    trees <- vapply(1:7, function(k) {
      value <- shapley_value_of_table(forest_tree(fit, k), rows[i, ], fit$classes)
      value(1:2) - value(1) - value(2) + value(NULL)
    }, numeric(3))
    expect_equal(pairs[i, 1, 2, ], rowMeans(trees) / 2, ignore_attr = TRUE, tolerance = 1e-6)
    together <- share(1:2, i) - share(1, i) - share(2, i) + share(integer(), i)
    expect_equal(against[i, 1, 2, ], together / 2, tolerance = 1e-6)
  }
  expect_gt(max(abs(pairs[, 1, 2, ])), 0.01)
  for (fit in list(hist_forest(mpg ~ ., mtcars, trees = 10, seed = 1),
                   hist_forest(Species ~ ., iris, trees = 10, seed = 1))) {
    data <- if (fit$type == "regression") mtcars else iris
    shap <- contributions(fit, data, interactions = TRUE)
    pairs <- shap$interactions
    outputs <- seq_along(dim(pairs))[-3]
    expect_equal(apply(pairs, outputs, sum), shap$values, ignore_attr = TRUE)
    expect_equal(aperm(pairs, c(1, 3, 2, 4)[seq_along(dim(pairs))]), pairs)
    expect_identical(contributions(fit, data, interactions = TRUE, threads = 2)$interactions, pairs)
  }
  expect_contree_error(contributions(fit, iris, interactions = TRUE, scale = "prob"),
                       "unsupported", "margins")
})

test_that("interactions against a background are those of mixed rows, and add up", {
  fit <- hist_forest(mpg ~ wt + hp + qsec, mtcars, trees = 10, seed = 1)
  background <- mtcars[c(3, 9, 20, 31), ]
  shap <- contributions(fit, mtcars, background = background, interactions = TRUE)
  pairs <- shap$interactions
  names <- c("wt", "hp", "qsec")
  value <- function(known, i) {
    mixed <- background[names]
    for (name in known) mixed[[name]] <- mtcars[[name]][i]
    mean(predict(fit, mixed))
  }
  both <- function(i, third) value(c("wt", "hp", third), i) - value(c("wt", third), i) -
    value(c("hp", third), i) + value(third, i)
  for (i in c(1, 15)) {
    expect_equal(pairs[i, "wt", "hp"], (both(i, NULL) + both(i, "qsec")) / 2 / 2)
  }
  expect_equal(apply(pairs, 1:2, sum), shap$values, ignore_attr = TRUE)
  expect_equal(aperm(pairs, c(1, 3, 2)), pairs)
  flowers <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  shap <- contributions(flowers, iris, background = iris[1:50, ], interactions = TRUE)
  expect_equal(apply(shap$interactions, c(1, 2, 4), sum), shap$values, ignore_attr = TRUE)
  expect_identical(contributions(flowers, iris, background = iris[1:50, ], interactions = TRUE,
                                 threads = 2)$interactions, shap$interactions)
})

test_that("interactions are drawn", {
  fit <- hist_forest(Species ~ ., iris, trees = 10, seed = 1)
  shap <- contributions(fit, iris, background = iris[c(1, 51, 101), ], interactions = TRUE)
  shown <- plot(shap, what = "interactions", output = "setosa", n = 3)
  expect_identical(nrow(shown), 6L)
  size <- colMeans(abs(shap$interactions[, , , "setosa"]))
  expect_equal(shown$interaction,
               size[cbind(shown$variable, shown$other)] * (1 + (shown$variable != shown$other)))
  expect_identical(plot(shap, what = "interactions", output = 1, n = 3), shown)
  expect_contree_error(plot(contributions(fit, iris), what = "interactions"), "input",
                       "interactions = TRUE")
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(shap, what = "interactions"))
  expect_identical(nrow(built$data[[1]]), 10L)
})

test_that("against a background they are Shapley values of mixed rows", {
  fit <- hist_forest(mpg ~ wt + hp + qsec, mtcars, trees = 10, seed = 1)
  background <- mtcars[c(3, 9, 20, 31), ]
  shap <- contributions(fit, mtcars, background = background)
  names <- c("wt", "hp", "qsec")
  value <- function(known, i) {
    mixed <- background[names]
    for (name in known) mixed[[name]] <- mtcars[[name]][i]
    mean(predict(fit, mixed))
  }
  for (i in c(1, 15)) {
    none <- value(NULL, i)
    one <- vapply(names, value, 0, i)
    two <- vapply(names, function(name) value(setdiff(names, name), i), 0) # without it
    all <- value(names, i)
    of_wt <- (one[["wt"]] - none) / 3 + (two[["qsec"]] - one[["hp"]]) / 6 +
      (two[["hp"]] - one[["qsec"]]) / 6 + (all - two[["wt"]]) / 3
    expect_equal(shap$values[i, "wt"], of_wt)
  }
  expect_equal(shap$base, mean(predict(fit, background)))
  expect_equal(shap$prediction[, 1], predict(fit, mtcars))
  expect_output(print(shap), "Background of 4 rows")
  threads <- contributions(fit, mtcars, background = background, threads = 2)
  expect_identical(threads$values, shap$values)
  forest <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  flowers <- contributions(forest, iris, background = iris[1:50, ])
  expect_equal(flowers$prediction, predict(forest, iris, type = "prob"))
  expect_equal(unname(flowers$base), unname(colMeans(predict(forest, iris[1:50, ], type = "prob"))))
  expect_contree_error(contributions(fit, mtcars, background = mtcars[0, ]), "input", "background")
  expect_contree_error(contributions(fit, mtcars, background = 3), "input", "background")
  expect_contree_error(contributions(fit, mtcars, background = mtcars["wt"]), "input", "hp")
})

test_that("on the scale of probabilities they are integrals along the way of the margins", {
  fit <- forge(import_forest(system.file("extdata", "pima-lightgbm.txt.gz", package = "contree")))
  rows <- MASS::Pima.te[1:20, ]
  margin <- contributions(fit, rows)
  prob <- contributions(fit, rows, scale = "prob")
  expect_equal(prob$prediction[, 1], unname(predict(fit, rows)), ignore_attr = TRUE)
  expect_equal(prob$base, stats::plogis(margin$base))
  of_row <- function(i, j) {
    slope <- function(t) stats::dlogis(margin$base + t * sum(margin$values[i, ]))
    margin$values[i, j] * stats::integrate(slope, 0, 1, rel.tol = 1e-9)$value
  }
  expect_equal(prob$values[3, 2], of_row(3, 2), ignore_attr = TRUE)
  several <- forge(import_forest(forge_fixture("lgb-multiclass.txt")))
  names <- several$forest$features
  x <- matrix(sin(1:40) * 3, ncol = length(names), dimnames = list(NULL, names))
  margin <- contributions(several, x)
  prob <- contributions(several, x, scale = "prob")
  expect_equal(unname(prob$prediction), unname(predict(several, x, type = "prob")))
  way <- apply(margin$values[1, , ], 2, sum)
  rate <- function(t) vapply(t, function(t) {
    q <- exp(margin$base + t * way)
    q <- q / sum(q)
    q[1] * (margin$values[1, 1, 1] - sum(q * margin$values[1, 1, ]))
  }, 0)
  expect_equal(prob$values[1, 1, 1], stats::integrate(rate, 0, 1, rel.tol = 1e-10)$value,
               ignore_attr = TRUE)
})

test_that("pictures show what they should, and odd arguments are refused", {
  shap <- contributions(hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1), mtcars)
  bars <- plot(shap, what = "importance", n = 3)
  expect_equal(bars$contribution, unname(sort(colMeans(abs(shap$values)), TRUE)[1:3]))
  steps <- plot(shap, what = "waterfall", row = 2, n = 4)
  expect_equal(steps$to[4], shap$prediction[[2]])
  expect_equal(steps$from[1], shap$base)
  expect_match(steps$label[4], "7 others")
  swarm <- plot(shap)
  expect_identical(nrow(swarm), 320L)
  expect_true(all(abs(swarm$height) <= 0.4, swarm$shade >= 0, swarm$shade <= 1))
  expect_identical(plot(shap, what = "dependence", variable = "hp")$value, mtcars$hp)
  expect_contree_error(plot(shap, what = "waterfall", row = 33), "input", "32")
  for (output in list(list(1), TRUE, mean, 2)) {
    expect_contree_error(plot(shap, output = output), "input", "'output'")
  }
  expect_contree_error(plot(shap, what = "dependence", variable = "mpg"), "input", "'variable'")
  expect_contree_error(plot(shap, output = 2), "input", "'output'")
  expect_output(print(shap), "32 rows")
  skip_if_not_installed("ggplot2")
  for (what in setdiff(contree:::shap_pictures, "interactions")) {
    expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(shap, what = what))$plot, "ggplot")
  }
})

test_that("importance from contributions is the mean of their sizes", {
  fit <- contree(Species ~ ., iris, depth = 2)
  importance <- contree_importance(fit, iris, measure = "shap")
  size <- abs(contributions(fit, iris)$values)
  expect_equal(importance$contribution[1], max(rowSums(apply(size, 2:3, mean))))
  expect_contree_error(contree_importance(fit, measure = "shap"), "input", "'data'")
})

# The documented signatures: a matrix, a frame of the same columns, and an array of rows, features
# and features with their names.
test_that("shapviz gets matrices, rows, base values and interactions", {
  library <- stand_in("shapviz", paste(
    "shapviz <- function(object, ...) UseMethod('shapviz')",
    "shapviz.matrix <- function(object, X, baseline = 0, collapse = NULL, S_inter = NULL, ...) {",
    "  stopifnot(identical(colnames(object), colnames(X)), nrow(object) == nrow(X),",
    "            is.null(collapse), ...length() == 0, length(baseline) == 1)",
    "  if (!is.null(S_inter)) stopifnot(",
    "    is.array(S_inter), length(dim(S_inter)) == 3,",
    "    identical(dim(S_inter), dim(object)[c(1, 2, 2)]),",
    "    identical(dimnames(S_inter)[[2]], colnames(object)),",
    "    identical(dimnames(S_inter)[[3]], colnames(object)))",
    "  structure(list(S = object, X = X, baseline = baseline, S_inter = S_inter),",
    "            class = 'shapviz') }",
    "mshapviz <- function(object, ...) {",
    "  stopifnot(all(vapply(object, inherits, NA, 'shapviz')))",
    "  structure(object, class = 'mshapviz') }", sep = "\n"))
  said <- run_beside(library, "shapviz", c(
    "registerS3method('shapviz', 'matrix', shapviz::shapviz.matrix, asNamespace('shapviz'))",
    "fit <- hist_forest(mpg ~ ., mtcars, trees = 5, seed = 1)",
    "one <- shapviz::shapviz(fit, mtcars[1:4, ])",
    "own <- predict(fit, mtcars[1:4, ])",
    "say(class(one), isTRUE(all.equal(rowSums(one$S) + one$baseline, own)), is.null(one$S_inter))",
    "adds_up <- function(x) isTRUE(all.equal(unname(rowSums(x$S_inter, dims = 2)), unname(x$S)))",
    "pairs <- contributions(fit, mtcars[1:4, ], background = mtcars, interactions = TRUE)",
    "say(adds_up(shapviz::shapviz(pairs, mtcars[1:4, -1])))",
    "both <- shapviz::shapviz(fit, mtcars[1:4, ], interactions = TRUE)",
    "say(adds_up(both), ncol(both$X))",
    "flower <- contree(Species ~ ., iris, depth = 2)",
    "all <- shapviz::shapviz(flower, iris)",
    "say(class(all), names(all))",
    "all <- shapviz::shapviz(flower, iris, interactions = TRUE)",
    "say(class(all), vapply(all, adds_up, NA))"))
  expected <- c("shapviz TRUE TRUE", "TRUE", "TRUE 10", "mshapviz setosa versicolor virginica",
                "mshapviz TRUE TRUE TRUE", "end")
  expect_said(said, expected)
})
