# Contributions beside those of XGBoost and LightGBM, recorded by tests/r/forge_contributions.py,
# and beside their definition.

contributions_recorded <- function(name, outputs, features) {
  path <- forge_fixture(paste0(name, ".contributions.gz"))
  all <- array(scan_doubles(path), c(features + 1, outputs, length(scan_doubles(path)) /
                                       ((features + 1) * outputs)))
  aperm(all, c(3, 1, 2))
}

scan_doubles <- function(path) {
  file <- gzfile(path, "rb")
  on.exit(close(file))
  readBin(file, "double", 1e5, endian = "little")
}

models <- forge_models()
recorded <- sub(".contributions.gz", "", fixed = TRUE,
                list.files(testthat::test_path("fixtures", "forge"), "contributions"))

test_that("contributions are XGBoost's and LightGBM's", {
  expect_length(recorded, 8)
  for (i in match(recorded, models$name)) {
    model <- models[i, ]
    theirs <- contributions_recorded(model$name, model$outputs, model$columns)
    forged <- forge(import_model(model))
    rows <- forge_rows(model)[seq_len(nrow(theirs)), ]
    ours <- predict(forged, rows, type = "contributions")
    # XGBoost adds up floats, LightGBM doubles
    expect_equal(array(ours, dim(theirs)), theirs, info = model$name,
                 tolerance = if (startsWith(model$name, "xgb")) 2e-6 else 1e-12)
    margin <- as.matrix(predict(forged, rows, type = "margin"))
    sums <- apply(array(ours, dim(theirs)), c(1, 3), sum)
    expect_equal(unname(sums), unname(margin), info = model$name, tolerance = 1e-6)
  }
})

test_that("fits of R have theirs, which add up to the margin", {
  fits <- list(hist_forest(Species ~ ., iris, trees = 10, seed = 1),
               hist_forest(Sepal.Length ~ ., iris, trees = 10, seed = 1),
               contree(Species ~ ., iris, depth = 2))
  if (requireNamespace("rpart", quietly = TRUE)) {
    fits <- c(fits, list(rpart::rpart(Sepal.Length ~ ., iris)))
  }
  for (fit in fits) {
    forged <- forge(fit)
    ours <- predict(forged, iris, type = "contributions")
    margin <- predict(forged, iris, type = "margin")
    expect_identical(dimnames(ours)[[2]], c(forged$forest$features, "(base)"))
    sums <- if (is.matrix(ours)) rowSums(ours) else apply(ours, c(1, 3), sum)
    expect_equal(unname(sums), unname(margin), tolerance = 1e-12)
    base <- if (is.matrix(ours)) ours[, "(base)"] else ours[, "(base)", ]
    expect_equal(unname(colMeans(as.matrix(base))), unname(colMeans(unique(as.matrix(base)))))
  }
})

# The path-dependent game by its definition: what a tree says when some columns are known.
said_knowing <- function(tree, outcome, row, known, node = 1) {
  if (is.na(tree$left[node])) return(outcome[node, ])
  children <- c(tree$left[node], tree$right[node])
  variable <- tree$variable[node]
  if (variable %in% known) {
    return(said_knowing(tree, outcome, row, known,
                        children[if (row[[variable]] < tree$threshold[node]) 1 else 2]))
  }
  parts <- vapply(children, function(child) said_knowing(tree, outcome, row, known, child),
                  outcome[1, ])
  drop(matrix(parts, ncol(outcome)) %*% (tree$n[children] / tree$n[node]))
}

# A row a column, then what is said with nothing known; a column a class.
shapley_by_hand <- function(fit, row) {
  columns <- fit$shape$names
  p <- length(columns)
  sets <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), p)))
  said <- lapply(seq_len(tree_count(fit)), function(i) {
    tree <- forest_tree(fit, i)
    outcome <- as.matrix(tree[grep("^n_", names(tree))]) / tree$n
    t(apply(sets, 1, function(set) said_knowing(tree, outcome, row, columns[set])))
  })
  said <- Reduce(`+`, said) / length(said)
  each <- t(vapply(seq_len(p), function(j) {
    without <- which(!sets[, j])
    with <- without + 2^(j - 1)
    size <- rowSums(sets[without, , drop = FALSE])
    colSums((said[with, ] - said[without, ]) / (p * choose(p - 1, size)))
  }, numeric(ncol(said))))
  rbind(each, said[1, ])
}

test_that("of a forest of classes they are Shapley values of the probabilities", {
  two <- transform(iris[51:150, ], Species = droplevels(Species))
  for (data in list(iris, two)) {
    fit <- hist_forest(Species ~ ., data, trees = 3, depth = 3, seed = 1)
    rows <- data[c(1, 30, 77), ]
    fast <- forge(fit)
    ours <- predict(fast, rows, type = "contributions")
    for (i in 1:3) {
      expect_equal(unname(ours[i, , ]), unname(shapley_by_hand(fit, rows[i, ])), tolerance = 1e-8)
    }
    for (forged in list(fast, forge(fit, sums = "reproducible"))) {
      margin <- predict(forged, data, type = "margin")
      expect_identical(margin, predict(fit, data, type = "prob"))
      all <- predict(forged, data, type = "contributions")
      expect_equal(apply(all, c(1, 3), sum), margin, tolerance = 1e-14)
    }
    one <- contree_predictor(fast, "margin")(rows[1, ])
    expect_identical(as.vector(one), as.vector(predict(fast, rows[1, ], type = "margin")))
  }
})

test_that("threads do not matter, and one row is enough", {
  fit <- forge(hist_forest(Sepal.Length ~ ., iris, trees = 5, seed = 1))
  many <- iris[rep(1:150, 8), ]
  one <- predict(fit, many, type = "contributions", threads = 1)
  expect_identical(predict(fit, many, type = "contributions", threads = 2), one)
  expect_identical(predict(fit, many[7, ], type = "contributions"), one[7, , drop = FALSE])
  expect_identical(dim(predict(fit, iris[0, ], type = "contributions")), c(0L, 5L))
})

test_that("models that do not know their covers are refused", {
  tree <- list(feature = c(1L, 0L, 0L), threshold = c(0, 0, 0), left = c(2L, 0L, 0L),
               right = c(3L, 0L, 0L), default_left = logical(3), missing = rep(1L, 3),
               set = integer(3), leaf_id = 0:2, values = matrix(c(0, 1, 2)))
  unknown <- forge(new_forest_ir(list(tree), 1, source = "somebody"))
  expect_contree_error(predict(unknown, matrix(1), type = "contributions"), "unsupported",
                       "somebody")
  tree$cover <- c(0, 0, 0)
  expect_error(predict(forge(new_forest_ir(list(tree), 1)), matrix(1), type = "contributions"),
               "none", class = "contree_unsupported_error")
  tree$cover <- c(1, -1, 0)
  expect_contree_error(new_forest_ir(list(tree), 1), "input", "cover")
})
