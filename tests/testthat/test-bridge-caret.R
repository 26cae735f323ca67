quick <- function(...) caret::trainControl(method = "cv", number = 3, ...)

test_that("caret tunes a tree and predicts with it", {
  skip_if_not_installed("caret")
  set.seed(1)
  tuned <- caret::train(iris[1:4], iris$Species, method = contree_caret(),
                        trControl = quick(classProbs = TRUE), tuneLength = 2)
  expect_identical(nrow(tuned$results), 4L)
  fit <- tuned$finalModel
  expect_s3_class(fit, "contree")
  expect_identical(fit$threads, 1L)
  expect_identical(predict(tuned, iris), unname(predict(fit, iris)))
  expect_equal(predict(tuned, iris, type = "prob"),
               as.data.frame(predict(fit, iris, type = "prob")), ignore_attr = TRUE)
  expect_true(all(c("Petal.Length", "Petal.Width") %in% rownames(caret::varImp(tuned)$importance)))
  expect_setequal(caret::predictors(tuned), unique(na.omit(as.data.frame(fit)$variable)))
})

test_that("what caret fitted converts like any other fit", {
  skip_if_not_installed("caret")
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  data <- cbind(mixed_data(), class = factor(ifelse(mixed_data()$f %in% c("a", "b"), "yes", "no")))
  data <- data[!is.na(data$f), ]
  set.seed(1)
  fit <- caret::train(data[c("f", "i", "x")], data$class, method = contree_caret(),
                      trControl = quick(), tuneGrid = data.frame(depth = 1:2, complexity = 0.001),
                      minbucket = 3)$finalModel
  expect_identical(fit$control$minbucket, 3)
  expect_identical(unname(predict(as.rpart(fit), data, type = "class")), data$class)
  expect_identical(unname(predict(partykit::as.party(fit), data)), data$class)
  expect_silent(plot(fit))
  set.seed(1)
  formula <- caret::train(Species ~ ., iris, method = contree_caret(), trControl = quick(),
                          tuneLength = 1)
  expect_length(predict(formula, iris), 150)
  expect_identical(unname(predict(as.rpart(formula$finalModel), iris, type = "class")),
                   predict(formula, iris))
})

test_that("a random grid stays within its bounds", {
  set.seed(1)
  grid <- contree_caret()$grid(NULL, NULL, len = 20, search = "random")
  expect_true(all(grid$depth %in% 1:4) && all(grid$complexity > 0 & grid$complexity < 0.2))
  expect_identical(contree_caret()$sort(grid)$depth, sort(grid$depth))
})

test_that("caret tunes a forest, for classes and numbers", {
  skip_if_not_installed("caret")
  set.seed(1)
  tuned <- caret::train(iris[1:4], iris$Species, method = hist_forest_caret(),
                        trControl = quick(classProbs = TRUE),
                        tuneGrid = data.frame(mtry = 1:3, min_n = 4), trees = 9, seed = 3)
  own <- hist_forest(iris[1:4], iris$Species, mtry = tuned$bestTune$mtry, min_n = 4, trees = 9,
                     seed = 3)
  expect_identical(tuned$finalModel$forest, own$forest)
  expect_identical(predict(tuned, iris), unname(predict(own, iris)))
  expect_equal(predict(tuned, iris, type = "prob"),
               as.data.frame(predict(own, iris, type = "prob")), ignore_attr = TRUE)
  set.seed(1)
  numbers <- caret::train(mtcars[-1], mtcars$mpg, method = hist_forest_caret(), trControl = quick(),
                          tuneLength = 2, trees = 9)
  expect_identical(predict(numbers, mtcars), unname(predict(numbers$finalModel, mtcars)))
  expect_identical(rownames(caret::varImp(numbers, scale = FALSE)$importance), names(mtcars)[-1])
  expect_true(all(hist_forest_caret()$grid(iris, iris$Species, 5, "random")$mtry %in% 1:5))
})

test_that("caret tunes a model tree", {
  skip_if_not_installed("caret")
  set.seed(1)
  tuned <- caret::train(mtcars[c("wt", "hp", "cyl")], mtcars$mpg, method = gmt_caret(),
                        trControl = quick(), tuneLength = 2, seed = 3, effort = 5)
  expect_identical(nrow(tuned$results), 4L)
  own <- gmt(mtcars[c("wt", "hp", "cyl")], mtcars$mpg, seed = 3, effort = 5,
             complexity = tuned$bestTune$complexity, smoothing = tuned$bestTune$smoothing)
  expect_equal(coef(tuned$finalModel), coef(own))
  expect_equal(predict(tuned, mtcars), unname(predict(own, mtcars)))
  expect_true("wt" %in% rownames(caret::varImp(tuned, scale = FALSE)$importance))
  expect_true(all(gmt_caret()$grid(NULL, NULL, 5, "random")$complexity > 0))
})
