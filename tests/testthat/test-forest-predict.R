test_that("predictions are what the trees say", {
  fit <- hist_forest(Species ~ ., iris, trees = 9, min_n = 5, seed = 4)
  rows <- iris[seq(1, 150, 7), ]
  leaf <- predict(fit, rows, type = "leaf")
  prob <- matrix(0, nrow(rows), 3)
  votes <- matrix(0L, nrow(rows), 3)
  for (tree in 1:9) {
    table <- forest_tree(fit, tree)
    counts <- as.matrix(table[grep("^n_", names(table))])[leaf[, tree], ]
    prob <- prob + counts / rowSums(counts) / 9
    said <- as.integer(table$prediction)[leaf[, tree]]
    votes[cbind(seq_len(nrow(rows)), said)] <- votes[cbind(seq_len(nrow(rows)), said)] + 1L
    expect_equal(unname(predict(fit, rows, type = "trees")[, tree]), said)
  }
  expect_equal(unname(predict(fit, rows, type = "prob")), unname(prob), tolerance = 1e-8)
  expect_equal(unname(predict(fit, rows, type = "votes")), votes)
  expect_equal(colnames(predict(fit, rows, type = "prob")), levels(iris$Species))
  expect_equal(rownames(predict(fit, rows, type = "prob")), rownames(rows))
  expect_equal(as.integer(predict(fit, rows, type = "class")), max.col(prob, "first"))
  expect_identical(predict(fit, rows), predict(fit, rows, type = "class"))
})

test_that("rows walk as the table of a tree says", {
  fit <- hist_forest(mpg ~ ., transform(mtcars, wt = replace(wt, 1:6, NA)), trees = 3, seed = 4)
  data <- transform(mtcars, wt = replace(wt, 20:25, NA))
  for (tree in 1:3) {
    table <- forest_tree(fit, tree)
    leaves <- vapply(seq_len(nrow(data)), function(row) {
      node <- 1
      while (!is.na(table$left[node])) {
        value <- data[[table$variable[node]]][row]
        left <- if (is.na(value)) table$missing_left[node] else value < table$threshold[node]
        node <- if (left) table$left[node] else table$right[node]
      }
      node
    }, 0)
    expect_equal(unname(predict(fit, data, type = "leaf")[, tree]), leaves)
    expect_equal(unname(predict(fit, data, type = "trees")[, tree]), table$prediction[leaves])
  }
  expect_equal(unname(predict(fit, data)), rowMeans(unname(predict(fit, data, type = "trees"))))
})

test_that("threads change nothing, and columns may come in any order", {
  fit <- hist_forest(as.matrix(iris[1:4]), iris$Species, trees = 20, seed = 4)
  expected <- predict(fit, as.matrix(iris[1:4]), type = "prob")
  expect_identical(predict(fit, as.matrix(iris[1:4]), type = "prob", threads = 2), expected)
  expect_equal(predict(fit, as.matrix(iris[4:1]), type = "prob"), expected)
  expect_equal(unname(predict(fit, iris, type = "prob")), unname(expected))
  expect_contree_error(predict(fit, iris[1:3]), "input", "Petal.Width")
})

test_that("without new data rows left out are predicted", {
  data <- transform(iris, Species = replace(Species, 4, NA))
  fit <- hist_forest(Species ~ ., data, trees = 20, seed = 4, na.action = na.exclude)
  expect_length(predict(fit), 150)
  expect_true(is.na(predict(fit)[4]))
  expect_equal(dim(predict(fit, type = "prob")), c(150, 3))
  expect_contree_error(predict(fit, type = "leaf"), "input")
  expect_contree_error(predict(hist_forest(Species ~ ., iris, trees = 2, oob = FALSE)), "input")
  expect_contree_error(predict(hist_forest(mpg ~ ., mtcars, trees = 2), mtcars, type = "prob"),
                       "input")
})

test_that("a forest that was saved and read again, or spoiled, is looked over", {
  fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 4)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), iris, type = "prob"), predict(fit, iris, type = "prob"))
  for (value in c(-1L, 0L, 1000000L)) {
    spoiled <- fit
    spoiled$forest$nodes[1] <- value
    expect_error(predict(spoiled, iris), "not valid")
  }
  spoiled <- fit
  spoiled$forest$nodes <- spoiled$forest$nodes[-1]
  expect_error(predict(spoiled, iris), "not valid")
})

test_that("levels that training had not are told where a tree splits on the factor", {
  fit <- hist_forest(breaks ~ ., warpbreaks, trees = 9, seed = 1)
  for (type in c("factor", "character")) {
    new <- warpbreaks[c(1, 20, 40), ]
    new$tension <- as.character(new$tension)
    new$tension[2] <- "tight"
    new$wool <- factor(c("A", "B", "C"), c("C", "B", "A", "never"))
    if (type == "factor") new$tension <- factor(new$tension)
    missing <- transform(new, tension = replace(as.character(tension), 2, NA),
                         wool = replace(wool, 3, NA))
    for (model in list(fit, forge(fit))) {
      told <- tryCatch(predict(model, new), contree_new_levels = identity)
      expect_identical(told$new_levels[c("wool", "tension")], list(wool = "C", tension = "tight"))
      expect_match(conditionMessage(told), "'wool' has 'C', which did not occur in training")
      said <- suppressWarnings(predict(model, new), classes = "contree_new_levels")
      expect_warning(expect_identical(said, predict(model, missing)), NA)
    }
  }
  # no tree splits on it
  other <- hist_forest(breaks ~ ., transform(warpbreaks, wool = "A"), trees = 9, seed = 1)
  expect_warning(predict(other, transform(warpbreaks, wool = "Z")), NA)
})

test_that("of no rows all types say as much: nothing", {
  none <- mtcars[0, ]
  fit <- hist_forest(mpg ~ ., mtcars, trees = 5, quantiles = TRUE, seed = 1)
  expect_identical(dim(predict(fit, none, type = "quantiles")), c(0L, 3L))
  expect_identical(colnames(predict(fit, none, type = "quantiles", quantiles = 0.2)),
                   "quantile= 0.2")
  expect_identical(nrow(predict(fit, none, type = "quantiles", what = range)), 0L)
  expect_identical(dim(predict(fit, none, type = "weights")), c(0L, 32L))
  expect_identical(lengths(predict(fit, none, se.fit = TRUE)), c(fit = 0L, se.fit = 0L))
  cut <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  expect_identical(lapply(predict(cut, iris[0, ], type = "prob", se.fit = TRUE), dim),
                   list(fit = c(0L, 3L), se.fit = c(0L, 3L)))
  skip_if_not_installed("survival")
  alive <- hist_forest(survival::Surv(time, status) ~ age + sex, survival::lung, trees = 5)
  for (type in c("quantiles", "survival", "chf")) {
    expect_identical(nrow(predict(alive, survival::lung[0, ], type = type)), 0L)
  }
})

test_that("the rows of a subset are found again", {
  fit <- hist_forest(Species ~ ., iris, subset = Sepal.Length < 7, trees = 5, seed = 1)
  expect_identical(nrow(generics::augment(fit)), sum(iris$Sepal.Length < 7))
  expect_contree_error(generics::augment(fit, 1), "input", "'data' must be")
  expect_contree_error(generics::augment(fit, newdata = mean), "input", "'newdata' must be")
  expect_identical(nrow(contree_cv(fit, folds = 3, seed = 1)$folds), fit$n)
  expect_no_error(plot(fit))
})

test_that("rows of new data that a na.action leaves out are padded in answers of all types", {
  new <- within(mtcars, wt[c(2, 5)] <- NA)
  fit <- hist_forest(mpg ~ wt + hp, mtcars, trees = 20, quantiles = TRUE, seed = 1)
  answer <- function(data, action, ...) predict(fit, data, na.action = action, ...)
  asked <- list(list(), list(interval = "conformal"), list(type = "leaf"), list(type = "quantiles"),
                list(type = "weights"), list(type = "trees"))
  for (type in asked) {
    known <- as.matrix(do.call(answer, c(list(new[-c(2, 5), ], na.pass), type)))
    padded <- as.matrix(do.call(answer, c(list(new, na.exclude), type)))
    expect_identical(padded[-c(2, 5), , drop = FALSE], known)
    expect_true(all(is.na(padded[c(2, 5), ])))
    expect_identical(rownames(padded), rownames(new))
    expect_identical(as.matrix(do.call(answer, c(list(new, na.omit), type))), known)
  }
  plain <- hist_forest(mpg ~ wt + hp, mtcars, trees = 20, seed = 1)
  padded <- predict(plain, new, interval = "conformal", na.action = na.exclude)
  expect_identical(padded[-c(2, 5), ], predict(plain, new[-c(2, 5), ], interval = "conformal"))
  expect_identical(rownames(padded), rownames(new))
})
