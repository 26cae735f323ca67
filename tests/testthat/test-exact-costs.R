# Weights and losses against the definition.

# The least cost of a tree of depth one or two on numeric columns, from the definition.
least_cost <- function(x, y, weights, loss, depth, price = 0) {
  leaf <- min(colSums(weights * loss[y, , drop = FALSE]))
  best <- leaf
  if (depth == 0 || length(y) < 2) return(best)
  for (column in x) for (cut in sort(unique(column))[-1]) {
    left <- column < cut
    sides <- lapply(list(left, !left), function(rows) {
      least_cost(lapply(x, `[`, rows), y[rows], weights[rows], loss, depth - 1, price)
    })
    best <- min(best, price + sides[[1]] + sides[[2]])
  }
  best
}

random_table <- function(n, k) {
  x <- data.frame(a = sample(6, n, TRUE), b = round(rnorm(n), 1))
  list(x = x, y = factor(sample(letters[1:k], n, TRUE), levels = letters[1:k]))
}

test_that("trees are optimal under weights and losses", {
  set.seed(3)
  for (i in seq_len(if (identical(Sys.getenv("NOT_CRAN"), "true")) 250 else 25)) {
    k <- sample(2:4, 1)
    table <- random_table(sample(4:14, 1), k)
    n <- nrow(table$x)
    weights <- switch(sample(3, 1), rep(1, n), sample(0:4, n, TRUE), round(rexp(n), 3))
    weights[1] <- weights[1] + 1
    loss <- matrix(if (i %% 2) sample(0:5, k^2, TRUE) else 1, k, k)
    loss[1, 2] <- 1
    diag(loss) <- 0
    depth <- sample(1:2, 1)
    price <- sample(c(0, 0.02), 1)
    fit <- contree(table$x, table$y, weights = weights, loss = loss, depth = depth, complexity = price)
    expect_identical(fit$status, "optimal")
    expect_equal(fit$cost, least_cost(table$x, as.integer(table$y), weights, loss, depth, price * sum(weights)))
    predicted <- as.integer(predict(fit, table$x))
    expect_equal(fit$objective, sum(weights * loss[cbind(as.integer(table$y), predicted)]))
  }
})

test_that("a weight of two is the row twice, and weights of one are none", {
  weights <- rep(1:3, length.out = nrow(iris))
  twice <- iris[rep(seq_len(nrow(iris)), weights), ]
  weighted <- contree(Species ~ ., iris, weights = weights, depth = 2)
  repeated <- contree(Species ~ ., twice, depth = 2)
  expect_equal(weighted$objective, repeated$objective)
  expect_equal(unname(weighted$frame$wt), repeated$frame$n)
  expect_equal(weighted$frame$yval2, repeated$frame$yval2)
  expect_identical(sum(weighted$frame$n[weighted$frame$var == "<leaf>"]), nrow(iris))
  ones <- contree(Species ~ ., iris, weights = rep(1, 150), loss = 1 - diag(3), depth = 2)
  plain <- contree(Species ~ ., iris, depth = 2)
  same <- c("frame", "splits", "where", "objective", "bound", "search")
  expect_equal(ones[same], plain[same])
})

test_that("class weights are losses, and balanced ones make classes equal", {
  data <- iris[c(1:10, 51:90, 101:130), ]
  loss <- matrix(c(0, 2, 5, 1, 0, 5, 1, 2, 0), 3)
  by_class <- contree(Species ~ ., data, class_weights = c(versicolor = 2, virginica = 5, setosa = 1), depth = 2)
  expect_equal(by_class$objective, contree(Species ~ ., data, loss = loss, depth = 2)$objective)
  expect_identical(dimnames(by_class$loss), list(truth = levels(iris$Species), predicted = levels(iris$Species)))
  balanced <- contree(Species ~ ., data, class_weights = "balanced", depth = 0)
  expect_equal(balanced$objective, nrow(data) * 2 / 3)
  weighted <- contree(Species ~ ., data, weights = 1 + (Species == "setosa"), class_weights = "balanced", depth = 0)
  expect_equal(weighted$objective, (nrow(data) + 10) * 2 / 3)
})

test_that("weights that are the same within each class are class weights, and the tree shows them", {
  data <- transform(mtcars[c("mpg", "wt", "hp")], am = factor(mtcars$am))
  w <- ifelse(data$am == 1, 0.75, 2.5)
  fit <- contree(am ~ ., data, weights = w, depth = 2)
  expect_equal(fit$objective, contree(am ~ ., data, class_weights = c("0" = 2.5, "1" = 0.75), depth = 2)$objective)
  expect_equal(fit$frame$wt[1], sum(w))
  same <- contree(am ~ ., data, weights = rep(0.3, nrow(data)), depth = 1)
  plain <- contree(am ~ ., data, depth = 1)
  expect_equal(same$objective, 0.3 * plain$objective)
  expect_identical(predict(same, type = "class"), predict(plain, type = "class"))
})

test_that("weights follow the rows that are used", {
  data <- transform(iris, w = seq_len(150), Petal.Width = replace(Petal.Width, 7, NA))
  data$Species[3] <- NA
  fit <- contree(Species ~ . - w, data, weights = w, subset = w %% 2 == 1, depth = 2)
  rows <- setdiff(seq(1, 149, 2), 3)
  expect_equal(fit$frame$wt[1], sum(rows))
  omitted <- contree(Species ~ . - w, data, weights = w, na.action = na.omit, depth = 1)
  expect_equal(omitted$frame$wt[1], sum(setdiff(1:150, c(3, 7))))
  expect_equal(contree(data[1:4], data$Species, weights = data$w, depth = 1)$frame$wt[1], sum(setdiff(1:150, 3)))
})

test_that("weights and losses that are wrong are named", {
  refused <- function(pattern, argument, ...) {
    problem <- expect_error(contree(Species ~ ., iris, depth = 1, ...), pattern, class = "contree_input_error")
    expect_identical(problem$argument, argument)
  }
  refused("length 3", "weights", weights = 1:3)
  refused("numeric vector", "weights", weights = letters)
  refused("value -1 in row 2", "weights", weights = c(1, -1, rep(1, 148)))
  refused("value NA in row 1", "weights", weights = c(NA, rep(1, 149)))
  refused("all 'weights' are 0", "weights", weights = rep(0, 150))
  refused("3 rows", "loss", loss = matrix(1, 2, 2))
  refused("must be 0 where", "loss", loss = matrix(1, 3, 3))
  refused("at least 0", "loss", loss = diag(3) - 1)
  refused("all losses", "loss", loss = matrix(0, 3, 3))
  refused("names", "loss", loss = structure(1 - diag(3), dimnames = list(c("a", "b", "c"), NULL)))
  refused("balanced", "class_weights", class_weights = "equal")
  refused("give one of them", "class_weights", class_weights = "balanced", loss = 1 - diag(3))
})

test_that("what is printed says what a loss is", {
  fit <- contree(Species ~ ., iris, class_weights = c(1, 2, 3), depth = 1)
  expect_output(print(fit), "loss 65 \\(43.33% of a single leaf's\\); proven optimal")
  expect_s3_class(summary(fit), "summary.contree")
  expect_silent({
    pdf(NULL)
    plot(fit)
    dev.off()
  })
})

test_that("cross-validation counts weights and losses", {
  set.seed(5)
  weights <- rep(c(1, 3), 75)
  loss <- matrix(c(0, 1, 1, 4, 0, 1, 4, 1, 0), 3)
  cv <- contree_cv(Species ~ ., iris, weights = weights, loss = loss, depth = 1:2, folds = 5)
  lost <- numeric(150)
  for (fold in 1:5) {
    test <- cv$folds[, 1] == fold
    fit <- contree(Species ~ ., iris[!test, ], weights = weights[!test], loss = loss, depth = 2)
    lost[test] <- loss[cbind(as.integer(iris$Species[test]), as.integer(predict(fit, iris[test, ])))]
  }
  error <- sum(weights * lost) / sum(weights)
  expect_equal(cv$table$error[2], error)
  expect_equal(cv$table$se[2], sqrt(sum((weights * (lost - error))^2)) / sum(weights))
  expect_equal(cv$table$training[2], contree(Species ~ ., iris, weights = weights, loss = loss, depth = 2)$objective / 300)
})

test_that("weights and losses survive as JSON and as a tree of rpart", {
  loss <- matrix(c(0, 1, 2.5, 4, 0, 1, 1, 1, 0), 3)
  fit <- contree(Species ~ ., iris, weights = rep(c(1, 0.5), 75), loss = loss, depth = 2)
  skip_if_not_installed("jsonlite")
  again <- contree_from_json(as_json(fit))
  expect_identical(again$loss, fit$loss)
  expect_identical(capture.output(print(again)), capture.output(print(fit)))
  expect_identical(predict(again, iris), predict(fit, iris))
  expect_error(contree_from_json(sub('"loss": [', '"loss": [[1],', as_json(fit), fixed = TRUE)), class = "contree_input_error")
  skip_if_not_installed("rpart")
  expect_equal(as.rpart(fit)$parms$loss, loss)
})
