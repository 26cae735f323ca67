# What is drawn is looked at in the data of the layers; where it goes is tested in test-show-plot.R.
skip_if_not_installed("ggplot2", "3.4.0")

layers_of <- function(plot) ggplot2::ggplot_build(plot)$data

# Data of the layers that have a column.
layers_with <- function(plot, column) {
  Filter(function(layer) column %in% names(layer), layers_of(plot))
}

test_that("each node has one label and one box, each leaf a bar of its shares", {
  fit <- contree(Species ~ ., iris, depth = 3)
  plot <- ggplot2::autoplot(fit, main = "Iris", digits = 3)
  expect_s3_class(plot, "ggplot")
  expect_identical(plot$labels$title, "Iris")
  nodes <- as.data.frame(fit)
  labels <- layers_with(plot, "label")[[1]]
  expect_identical(nrow(labels), nrow(nodes))
  expect_true(all(mapply(grepl, paste0("n=", nodes$n), labels$label,
                         MoreArgs = list(fixed = TRUE))))
  expect_match(labels$label[1], nodes$variable[1], fixed = TRUE)
  boxes <- layers_with(plot, "xmin")
  expect_identical(nrow(boxes[[1]]), nrow(nodes))
  # the bars of a leaf are as wide as its box, the parts as its shares
  bars <- boxes[[3]]
  shares <- predict(fit, iris, type = "prob")[!duplicated(predict(fit, iris, type = "node")), ]
  expect_identical(nrow(bars), sum(shares > 0))
  leaves <- boxes[[1]][nodes$leaf, ]
  expect_equal(sum(bars$xmax - bars$xmin), sum(leaves$xmax - leaves$xmin))
  expect_equal(as.vector(table(bars$fill)[contree:::class_colours(levels(iris$Species), NULL)]),
               colSums(shares > 0), ignore_attr = TRUE)
})

test_that("trees of one leaf, of many classes, and larger than the page are drawn", {
  root <- ggplot2::autoplot(contree(Species ~ ., iris, depth = 0))
  expect_identical(nrow(layers_with(root, "label")[[1]]), 1L)
  many <- contree(class ~ ., many_classes(), depth = 4)
  expect_silent(layers_of(ggplot2::autoplot(many, width = 5, height = 4)))
  large <- contree(class ~ a, data.frame(a = 1:64 / 7, class = rep(letters, each = 2,
                                                                   length.out = 64)), depth = 5)
  texts <- layers_with(ggplot2::autoplot(large, width = 4, height = 3), "label")
  expect_match(texts[[3]]$label, "of 5")
  expect_lt(nrow(texts[[1]]), nrow(large$frame))
})

test_that("the history is drawn", {
  fit <- contree(Species ~ ., iris, depth = 3)
  lines <- layers_of(ggplot2::autoplot(fit, what = "progress", col = c("red", "blue")))[[1]]
  expect_setequal(lines$colour, c("red", "blue"))
  expect_equal(sort(unique(lines$y)), sort(unique(c(fit$history$cost, fit$history$bound))))
  fit$history <- NULL
  expect_contree_error(ggplot2::autoplot(fit, what = "progress"), "input",
                       c("no history", "fit the tree again"))
})

test_that("arguments are checked, and devices left as they were", {
  before <- grDevices::dev.list()
  ggplot2::autoplot(iris2)
  expect_identical(grDevices::dev.list(), before)
  expect_contree_error(ggplot2::autoplot(iris2, what = "path"), "input", c("'what'", "path"))
  expect_contree_error(ggplot2::autoplot(iris2, col = "red"), "input", c("'col'", "1 colours"))
  expect_contree_error(ggplot2::autoplot(iris2, width = -1), "input", c("'width'", "-1"))
  expect_contree_error(ggplot2::autoplot(iris2, colour = "red"), "input", "colour")
})

test_that("long titles and names of classes are broken; an answer without rows has its colour", {
  fit <- contree(y ~ ., long_names(), depth = 2)
  plot <- ggplot2::autoplot(fit, main = strrep("a long title ", 10), width = 4)
  expect_gt(length(strsplit(plot$labels$title, "\n")[[1]]), 2)
  expect_lte(max(nchar(strsplit(plot$labels$title, "\n")[[1]])), 28)
  legend <- ggplot2::ggplot_build(plot)$plot$scales$get_scales("fill")
  expect_match(legend$labels, "\n", fixed = TRUE)
  expect_identical(gsub("\n", " ", legend$labels), fit$ylevels)
  # text is at most as wide as its box, even in a wide font, whose letters are 0.55 of its size wide
  plot <- ggplot2::autoplot(fit)
  text <- layers_with(plot, "label")[[1]]
  box <- layers_with(plot, "xmin")[[1]]
  widest <- vapply(strsplit(text$label, "\n"), function(lines) max(nchar(lines)), 0L)
  upright <- text$angle == 0
  expect_gt(sum(upright), 3)
  expect_true(all((widest * 0.55 * text$size * ggplot2::.pt / 72 <= box$xmax - box$xmin)[upright]))
  loss <- matrix(c(0, 5, 1, 5, 0, 1, 1, 1, 0), 3, byrow = TRUE)
  refusing <- contree(data.frame(x = rep(1:2, 4)),
                      factor(rep(c("a", "b"), each = 4), c("a", "b", "refuse")), loss = loss,
                      depth = 1)
  scale <- ggplot2::ggplot_build(ggplot2::autoplot(refusing))$plot$scales$get_scales("fill")
  expect_true("refuse" %in% scale$limits)
})

test_that("a legend of very many classes names those that leaves answer, and counts the others", {
  set.seed(1)
  data <- data.frame(x = runif(900))
  data$y <- factor(sprintf("class %d", 1 + floor(data$x * 300)))
  fit <- contree(y ~ x, data, depth = 2)
  plot <- ggplot2::autoplot(fit)
  shown <- ggplot2::ggplot_build(plot)$plot$scales$get_scales("fill")$get_breaks()
  expect_lt(length(shown), 40)
  expect_true(all(as.character(predict(fit)) %in% shown))
  expect_identical(plot$labels$caption, sprintf("and %d more", nlevels(data$y) - length(shown)))
  page <- contree:::new_page()
  colours <- contree:::class_colours(fit$ylevels, NULL)
  key <- contree:::lay_out(fit, page, NULL, NULL, 4, TRUE, colours)$key
  expect_true(all(as.character(predict(fit)) %in% key$label))
})

test_that("autoplot() draws survival curves as plot() does", {
  skip_if_not_installed("survival")
  fit <- hist_forest(survival::Surv(time, status) ~ ., survival::lung[-1], trees = 30, seed = 1)
  shown <- layers_of(ggplot2::autoplot(fit, what = "survival"))[[1]]
  drawn <- plot(fit, what = "survival")$curves
  own <- shown[shown$x > 0, ]
  expect_equal(sort(own$y), sort(drawn$survival))
  expect_identical(shown$y[shown$x == 0], rep(1, 3))
  new <- layers_of(ggplot2::autoplot(fit, what = "survival", newdata = survival::lung[1:2, ]))[[1]]
  expect_length(unique(new$group), 2)
  iris3 <- hist_forest(Species ~ ., iris, trees = 2)
  expect_error(ggplot2::autoplot(iris3, what = "survival"), class = "contree_error")
})
