curve_by_hand <- function(fit, data) {
  leaf <- predict(fit, data, type = "leaf")
  sums <- 0
  times <- 0
  out <- t(vapply(seq_along(fit$forest$number), function(i) {
    tree <- forest_tree(fit, i)
    left_out <- fit$inbag[, i] == 0
    said <- if (fit$type == "regression") cbind(tree$prediction) else {
      as.matrix(tree[paste0("n_", fit$classes)]) / tree$n
    }
    sums <<- sums + said[leaf[, i], , drop = FALSE] * left_out
    times <<- times + left_out
    mean_said <- (sums / times)[times > 0, , drop = FALSE]
    y <- fit$y[times > 0]
    if (fit$type == "regression") return(c(mean((mean_said - y)^2), sum(times > 0)))
    truth <- outer(as.integer(y), seq_along(fit$classes), "==")
    wrong <- max.col(mean_said, "first") != as.integer(y)
    c(mean(wrong), mean(rowSums((mean_said - truth)^2)), sum(times > 0))
  }, numeric(if (fit$type == "regression") 2 else 3)))
  unname(out)
}

test_that("the curve is the error of the first trees on rows left out", {
  fit <- hist_forest(Species ~ ., iris, trees = 25, seed = 3, min_n = 5, keep_inbag = TRUE)
  curve <- forest_curve(fit)
  expect_s3_class(curve, "forest_curve")
  expect_equal(unname(as.matrix(as.data.frame(curve)[c("error", "brier", "rows")])),
               curve_by_hand(fit, iris))
  expect_equal(curve$error[25], fit$oob$error)
  expect_equal(curve$brier[25], fit$oob$brier)
  expect_identical(forest_curve(fit, iris, threads = 1), curve)
  cars <- hist_forest(mtcars[-1], mtcars$mpg, trees = 25, seed = 3, keep_inbag = TRUE)
  curve <- forest_curve(cars)
  expect_equal(unname(as.matrix(as.data.frame(curve)[c("error", "rows")])),
               curve_by_hand(cars, mtcars))
  expect_equal(curve$error[25], cars$oob$error)
})

test_that("rows that were left out of the growing are left out again", {
  holes <- transform(iris, Species = replace(Species, c(3, 70), NA))
  fit <- hist_forest(Species ~ ., holes, trees = 9, seed = 3)
  expect_equal(forest_curve(fit)$error[9], fit$oob$error)
  expect_identical(forest_curve(fit, holes[-c(3, 70), ]), forest_curve(fit))
  expect_contree_error(forest_curve(fit, iris[1:10, ]), "input", "data")
  expect_contree_error(forest_curve(1), "input", "fit")
  inside <- (function(hidden) hist_forest(Species ~ ., hidden, trees = 2, seed = 3))(iris)
  expect_contree_error(forest_curve(inside), "input", "data")
})

test_that("plots draw the curve or the importance, and give what they drew", {
  fit <- hist_forest(Species ~ ., iris, trees = 9, seed = 3)
  expect_identical(plot(fit), forest_curve(fit))
  shown <- plot(fit, type = "importance", n = 3)
  expect_identical(shown$variable, fit$importance$variable[order(-fit$importance$impurity)][1:3])
  expect_lte(graphics::par("usr")[1], 0) # the scale of importance begins at 0
  expect_contree_error(plot(fit, type = "importance", measure = "permutation"), "input", "measure")
  expect_contree_error(plot(fit, type = "importance", n = 0), "input", "n")
  none <- hist_forest(Species ~ ., iris, trees = 2, importance = "none")
  expect_contree_error(plot(none, type = "importance"), "input", "importance = ")
})

test_that("what to plot may be said as of a tree", {
  fit <- hist_forest(Species ~ ., iris, trees = 9, seed = 3)
  expect_silent(shown <- plot(fit, what = "importance", n = 2))
  expect_identical(shown, plot(fit, type = "importance", n = 2))
  expect_identical(plot(fit, what = "error"), forest_curve(fit))
  expect_contree_error(plot(fit, what = "trees"), "input", "'what'")
  expect_contree_error(plot(fit, what = "tree"), "input", "forest_tree(fit, 1")
  expect_contree_error(plot(fit, "tree"), "input", "forest_tree(fit, 1")
  expect_contree_error(plot(fit, type = "tree"), "input", "'type'")
})
