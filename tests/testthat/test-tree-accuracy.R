train <- seq(1, 150, by = 2)
half <- contree(Species ~ ., iris[train, ], depth = 2)
rest <- iris[-train, ]

test_that("the interval is Wilson's, as in prop.test() without its correction", {
  wilson <- contree:::wilson_interval
  for (n in c(1, 7, 30, 1000)) {
    for (correct in unique(round(n * c(0, 0.03, 0.5, 0.9, 1)))) for (level in c(0.5, 0.9, 0.99)) {
expected <- suppressWarnings(prop.test(correct, n, conf.level = level, correct = FALSE))$conf.int
expect_equal(unname(wilson(correct, n, level)), c(expected), info = paste(correct, n, level))
}
  }
  expect_equal(wilson(0, 5, 0.95)[["lower"]], 0)
  expect_equal(wilson(5, 5, 0.95)[["upper"]], 1)
})

test_that("counts are those of table()", {
  a <- contree_accuracy(half, rest)
  predicted <- predict(half, rest)
  expect_identical(unclass(a$confusion),
                   unclass(table(truth = rest$Species, predicted = predicted)))
  expect_identical(a$n, nrow(rest))
  expect_identical(a$correct, sum(predicted == rest$Species))
  expect_equal(a$accuracy, mean(predicted == rest$Species))
  expect_equal(a$interval, contree:::wilson_interval(a$correct, a$n, 0.95))
  expect_equal(a$classes["virginica", "recall"],
               mean(predicted[rest$Species == "virginica"] == "virginica"))
  expect_equal(a$classes["virginica", "precision"],
               mean(rest$Species[predicted == "virginica"] == "virginica"))
  expect_identical(contree_accuracy(half, rest, level = 0.8)$level, 0.8)
  printed <- capture.output(print(a))
  expect_match(printed[1], sprintf("^Accuracy: .*%d of 75 rows.*95%% interval", a$correct))
  expect_true(any(grepl("recall", printed)))
})

test_that("on the training rows it agrees with summary()", {
  s <- summary(iris2)
  a <- contree_accuracy(iris2, iris)
  expect_equal(a$accuracy, s$accuracy)
  expect_equal(a$classes, s$classes)
  expect_equal(unclass(a$confusion), unclass(s$confusion))
  expect_output(print(s), "contree_accuracy")
})

test_that("the truth may be given, be a character vector, or stand in a formula", {
  expected <- contree_accuracy(half, rest)
  xy <- contree(iris[train, 1:4], iris$Species[train], depth = 2)
  expect_identical(contree_accuracy(xy, rest, y = rest$Species), expected)
  expect_identical(contree_accuracy(xy, as.matrix(rest[1:4]), y = as.character(rest$Species)),
                   expected)
  expect_identical(contree_accuracy(half, transform(rest, Species = as.character(Species))),
                   expected)
  cars <- contree(factor(cyl > 4) ~ mpg + wt, mtcars, depth = 1)
  expect_equal(contree_accuracy(cars, mtcars)$accuracy, 1 - cars$objective / 32)
  set.seed(1)
  cv <- contree_cv(Species ~ ., iris[train, ], depth = 2)
  expect_identical(contree_accuracy(cv, rest), contree_accuracy(cv$fit, rest))
})

test_that("classes that the tree does not know are errors", {
  new <- transform(rest, Species = as.character(Species))
  new$Species[1:5] <- "unheard of"
  a <- contree_accuracy(half, new)
  expect_identical(a$correct, contree_accuracy(half, rest)$correct - 5L)
  expect_identical(a$classes["unheard of", c("n", "recall")],
                   data.frame(n = 5, recall = 0, row.names = "unheard of"))
})

test_that("bad input is named", {
  expect_contree_error(contree_accuracy(half, rest[1:4]), "input", c("'newdata'", "'Species'"))
  expect_contree_error(contree_accuracy(half, rest[-(3:4)]), "input", c("'newdata'", "'Petal."))
  expect_contree_error(contree_accuracy(half, rest, y = 1:3), "input", c("75 rows", "length 3"))
  expect_contree_error(contree_accuracy(half, rest, y = rep(1, 75)), "input", c("'y'", "factor"))
  expect_contree_error(contree_accuracy(half, rest, y = rep(NA_character_, 75)), "input",
                       c("'y'", "NA", "75"))
  expect_contree_error(contree_accuracy(half, rest[0, ]), "input", "no rows")
  expect_contree_error(contree_accuracy(half, 1:3), "input", "'newdata'")
  expect_contree_error(contree_accuracy(lm(mpg ~ wt, mtcars), rest), "input", c("'fit'", "lm"))
  xy <- contree(iris[1:4], iris$Species, depth = 1)
  expect_contree_error(contree_accuracy(xy, rest), "input", "'y'")
  for (level in list(95, 0, 1, NA, "high", c(0.9, 0.95))) {
    expect_contree_error(contree_accuracy(half, rest, level = level), "input", "'level'")
  }
})

# ---- probabilities -------------------------------------------------------------------------------

test_that("areas, curves and the Brier score are those of their definitions", {
  for (seed in seq_len(30)) {
    set.seed(seed)
    classes <- letters[seq_len(2 + seed %% 3)]
    data <- data.frame(x = sample(6, 60, TRUE), z = rnorm(60),
                       y = factor(sample(classes, 60, TRUE), classes))
    fit <- contree(y ~ ., data[1:30, ], depth = 2)
    judged <- contree_accuracy(fit, data[31:60, ], laplace = seed %% 2)
    truth <- data$y[31:60]
    prob <- predict(fit, data[31:60, ], type = "prob", laplace = seed %% 2)
    for (class in classes) {
      score <- prob[, class]
      pairs <- outer(score[truth == class], score[truth != class], function(a, b) {
        (a > b) + (a == b) / 2
      })
      expect_equal(judged$auc[[class]], mean(pairs), info = paste(seed, class))
      curve <- judged$curves[judged$curves$class == class, ]
      for (i in seq_len(nrow(curve))) {
        called <- score >= curve$threshold[i]
        expect_equal(curve$true_positive_rate[i], mean(called[truth == class]))
        expect_equal(curve$false_positive_rate[i], mean(called[truth != class]))
        expect_equal(curve$precision[i], mean((truth == class)[called]))
      }
    }
    expect_equal(judged$brier, mean(rowSums((prob - outer(truth, classes, `==`))^2)))
  }
})

test_that("a class that the tree does not know, or that is alone, has its place in the figures", {
  strange <- transform(rest, Species = factor(ifelse(seq_len(75) <= 3, "new",
                                                     as.character(Species))))
  judged <- contree_accuracy(half, strange)
  prob <- predict(half, rest, type = "prob")
  truth <- outer(as.character(strange$Species), levels(iris$Species), `==`)
  expect_equal(judged$brier, mean(rowSums((prob - truth)^2) + (seq_len(75) <= 3)))
  alone <- contree_accuracy(half, rest[rest$Species == "setosa", ])
  expect_true(all(is.nan(alone$auc)))
  expect_output(print(alone), "not defined")
  expect_contree_error(plot(alone), "input", "one class")
})

test_that("curves are drawn of the classes that are asked for", {
  judged <- contree_accuracy(half, rest)
  expect_setequal(plot(judged)$class, levels(iris$Species))
  expect_setequal(plot(judged, "precision", classes = "setosa", main = "x")$class, "setosa")
  expect_contree_error(plot(judged, classes = "rose"), "input", "rose")
  two <- contree(am == 1 ~ wt, mtcars, depth = 1)
  expect_setequal(plot(contree_accuracy(two, mtcars))$class, "TRUE")
})

test_that("axes of curves go from 0 to 1 in a square, on a device of any shape", {
  judged <- contree_accuracy(half, rest)
  for (size in list(c(9, 5), c(4, 8))) {
    for (what in c("roc", "precision")) {
      grDevices::pdf(NULL, width = size[1], height = size[2])
      before <- graphics::par("pty")
      plot(judged, what)
      expect_identical(graphics::par("usr"), c(0, 1, 0, 1))
      expect_identical(graphics::par("pty"), before)
      plotted <- graphics::par("pin")
      grDevices::dev.off()
      expect_equal(plotted[1], plotted[2])
    }
  }
})

test_that("model trees, and trees of forests of numbers, have squared errors", {
  train <- seq(1, 32, by = 2)
  test <- mtcars[-train, ]
  formula <- log(mpg) ~ wt + hp
  fits <- list(gmt(log(mpg) ~ wt | hp, mtcars[train, ], seed = 1),
               forest_tree(hist_forest(formula, mtcars[train, ], trees = 1, seed = 1), 1, "model"))
  for (fit in fits) {
    found <- contree_accuracy(fit, test)
    off <- log(test$mpg) - predict(fit, test)
    expect_equal(found$mse, mean(off^2))
    expect_equal(found$mae, mean(abs(off)))
    expect_equal(found$r.squared,
                 1 - sum(off^2) / sum((log(test$mpg) - mean(log(test$mpg)))^2))
    expect_output(print(found), "Root mean squared error")
    expect_equal(contree_accuracy(fit, test, y = log(test$mpg)), found)
    expect_contree_error(contree_accuracy(fit, test[-1]), "input", "mpg")
    expect_contree_error(contree_accuracy(fit, test, y = rep("a", 16)), "input", "numbers")
    importance <- contree_importance(fit, test, repeats = 1)
    expect_equal(attr(importance, "accuracy"), found$r.squared)
  }
})

test_that("the legend of ROC curves is whole on small pages, with all figures", {
  classes <- c("a class with quite a long name", "another class with a long name", "short")
  data <- transform(iris, Species = factor(Species, labels = classes))
  judged <- contree_accuracy(contree(Species ~ ., data, depth = 2), data)
  for (size in list(c(3, 3), c(4, 3), c(7, 7))) {
    written <- drawn({
      plot(judged)
      usr <- graphics::par("usr")
      pin <- graphics::par("pin")
    }, size)$C_text
    labels <- written[[2]]
    width <- max(widths_in_inches(labels, written[[7]])) / pin[1] * diff(usr[1:2])
    expect_match(labels, "[a-z].*[(]AUC [01][.][0-9]{3}[)]$")
    expect_false(anyDuplicated(labels) > 0)
    expect_gte(min(written[[1]]$x), usr[1])
    expect_lte(max(written[[1]]$x) + width, usr[2] + 0.001)
  }
  expect_match(labels[1], classes[1], fixed = TRUE)
})
