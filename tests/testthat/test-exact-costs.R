# Weights and losses against the definition.

# The least cost of a tree of depth one or two on numeric columns, from the definition.
least_cost <- function(x, y, weights, loss, depth, penalty = 0) {
  leaf <- min(colSums(weights * loss[y, , drop = FALSE]))
  best <- leaf
  if (depth == 0 || length(y) < 2) return(best)
  for (column in x) for (cut in sort(unique(column))[-1]) {
    left <- column < cut
    sides <- lapply(list(left, !left), function(rows) {
      least_cost(lapply(x, `[`, rows), y[rows], weights[rows], loss, depth - 1, penalty)
    })
    best <- min(best, penalty + sides[[1]] + sides[[2]])
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
    penalty <- sample(c(0, 0.02), 1)
    fit <- contree(table$x, table$y, weights = weights, loss = loss, depth = depth,
                   complexity = penalty)
    expect_identical(fit$status, "optimal")
    expect_equal(fit$cost, least_cost(table$x, as.integer(table$y), weights, loss, depth,
                                      penalty * sum(weights)))
    predicted <- as.integer(predict(fit, table$x))
    expect_equal(fit$objective, sum(weights * loss[cbind(as.integer(table$y), predicted)]))
  }
})

# A problem with classes that no row has and that are cheap answers.
problem_with_refusals <- function(seed) {
  set.seed(seed)
  k <- sample(3:6, 1)
  used <- sort(sample(k, max(2, k - sample(1:3, 1))))
  table <- random_table(sample(2:14, 1), k)
  y <- factor(letters[sample(used, nrow(table$x), TRUE)], levels = letters[1:k])
  loss <- matrix(switch(sample(3, 1), sample(0:5, k^2, TRUE), round(rexp(k^2), 3),
                        sample(c(1, 3), k^2, TRUE)), k)
  loss[, -used] <- loss[, -used] / 2
  diag(loss) <- 0
  there <- sort(unique(as.integer(y)))
  if (length(there) > 1) loss[there[1], there[2]] <- 1
  weights <- switch(sample(3, 1), rep(1, nrow(table$x)), sample(4, nrow(table$x), TRUE),
                    round(rexp(nrow(table$x)), 3) + 0.001)
  list(x = table$x, y = y, loss = loss, weights = weights,
       depth = sample(1:3, 1, prob = c(3, 6, 1)), penalty = sample(c(0, 0.02), 1))
}

test_that("classes without rows are answers where the losses make them so", {
  refused <- 0
  for (seed in seeds(200, 20)) {
    p <- problem_with_refusals(seed)
    again <- function(...) {
      contree(p$x, p$y, weights = p$weights, loss = p$loss, depth = p$depth, complexity = p$penalty,
              ...)
    }
    fit <- again(certificate = TRUE)
    best <- least_cost(p$x, as.integer(p$y), p$weights, p$loss, p$depth, p$penalty * sum(p$weights))
    expect_identical(fit$status, "optimal")
    expect_equal(fit$cost, best, info = seed)
    predicted <- predict(fit, p$x)
    expect_equal(fit$objective,
                 sum(p$weights * p$loss[cbind(as.integer(p$y), as.integer(predicted))]))
    check <- contree_certify(fit, p)
    expect_true(check$valid && check$optimal, info = seed)
    expect_identical(again(start = fit)$cost, fit$cost)
    refused <- refused + any(!predicted %in% p$y)
  }
  expect_gt(refused, seed / 20)
})

test_that("paths and alternatives know classes without rows", {
  for (seed in seeds(60, 6)) {
    p <- problem_with_refusals(seed)
    x <- as.matrix(p$x)
    costs <- error_costs(p$y, p$weights, p$loss)
    least <- best_sizes(least_errors(x, p$y, p$depth, costs = costs))
    path <- as.data.frame(contree_path(p$x, p$y, weights = p$weights, loss = p$loss,
                                       depth = p$depth))
    expect_equal(path[c("nsplit", "errors")], data.frame(least[c("nsplit", "errors")]), info = seed)
    fit <- contree(p$x, p$y, weights = p$weights, loss = p$loss, depth = p$depth)
    if (fit$frame$var[1] == "<leaf>") next
    other <- setdiff(names(p$x), fit$frame$var[1])
    errors <- least_errors(x, p$y, p$depth, costs = costs, roots = match(other, names(p$x)))
    within <- min(errors[-1]) - fit$cost
    if (min(errors[-1]) > errors[1] - 1e-6) next
    found <- contree_alternatives(fit, within = within + 0.01, data = p)
    expect_equal(found[[other]]$cost, min(errors[-1]), info = seed)
  }
})

test_that("an answer that no row has: one row, many answers, and what is said of it", {
  loss <- matrix(c(0, 5, 1, 5, 0, 1, 1, 1, 0), 3, byrow = TRUE)
  answers <- c("a", "b", "refuse")
  fit <- contree(data.frame(x = c(1, 1, 1, 1)), factor(c("a", "b", "a", "b"), answers), loss = loss,
                 depth = 1)
  expect_identical(fit[c("cost", "status")], list(cost = 4, status = "optimal"))
  expect_output(print(fit), "refuse (0.5000000 0.5000000 0.0000000)", fixed = TRUE)
  new <- data.frame(x = 1)
  expect_identical(as.character(predict(fit, new)), "refuse")
  expect_equal(predict(fit, new, type = "prob")[1, ], c(a = 0.5, b = 0.5, refuse = 0))
  expect_match(as_sql(fit), "refuse")
  expect_identical(prune(contree(data.frame(x = 1:4), factor(c("a", "b", "a", "b"), answers),
                                 loss = loss, depth = 2),
                         complexity = 1)$cost, 4)
  # more answers than rows
  many <- matrix(3, 5, 5)
  many[, 4] <- 1
  diag(many) <- 0
  y <- factor(c("a", "b"), letters[1:5])
  expect_identical(contree(data.frame(x = c(1, 1)), y, loss = many, depth = 1)$cost, 2)
  # what errors in a class without rows would cost does not decide how the others are counted
  odd <- loss
  odd[3, 1:2] <- c(pi, 1e-3 * exp(1))
  table <- data.frame(x = rep(1:6, 5), y = factor(rep(c("a", "b"), 15), answers))
  same <- c("frame", "splits", "cost", "bound", "search")
  expect_equal(contree(y ~ x, table, loss = odd, depth = 2)[same],
               contree(y ~ x, table, loss = loss, depth = 2)[same])
})

test_that("a class without rows stays an answer in other languages and in folds", {
  set.seed(1)
  data <- data.frame(x = round(rnorm(60), 1), f = factor(sample(letters[1:9], 60, TRUE)))
  data$y <- factor(ifelse(data$x + rnorm(60) > 0, "a", "b"), levels = c("a", "refuse", "b"))
  loss <- matrix(c(0, 1, 5, 9, 0, 9, 5, 1, 0), 3, byrow = TRUE)
  fit <- suppressMessages(contree(y ~ ., data, loss = loss, depth = 2, certificate = TRUE,
                                  model = TRUE))
  expect_true("refuse" %in% predict(fit))
  expect_true(contree_certify(fit)$optimal)
  expect_identical(levels(contree_predictor(fit)(data)), levels(data$y))
  expect_identical(contree_predictor(fit)(data), unname(predict(fit, data)))
  cv <- suppressMessages(contree_cv(y ~ ., data, loss = loss, depth = 2, folds = 5))
  expect_gt(sum(cv$confusion[, "refuse"]), 0)
  if (requireNamespace("jsonlite", quietly = TRUE)) {
    expect_identical(predict(contree_from_json(as_json(fit)), data), predict(fit, data))
  }
  if (requireNamespace("rpart", quietly = TRUE)) {
    expect_identical(predict(as.rpart(fit), data, type = "class"), predict(fit, data))
  }
  skip_if_not_installed("partykit")
  expect_warning(partykit::as.party(fit), "not its most frequent one",
                 class = "contree_conversion_warning")
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
  by_class <- contree(Species ~ ., data,
                      class_weights = c(versicolor = 2, virginica = 5, setosa = 1), depth = 2)
  expect_equal(by_class$objective, contree(Species ~ ., data, loss = loss, depth = 2)$objective)
  expect_identical(dimnames(by_class$loss),
                   list(truth = levels(iris$Species), predicted = levels(iris$Species)))
  balanced <- contree(Species ~ ., data, class_weights = "balanced", depth = 0)
  expect_equal(balanced$objective, nrow(data) * 2 / 3)
  weighted <- contree(Species ~ ., data, weights = 1 + (Species == "setosa"),
                      class_weights = "balanced", depth = 0)
  expect_equal(weighted$objective, (nrow(data) + 10) * 2 / 3)
})

test_that("weights that are equal within each class are class weights, and the tree shows them", {
  data <- transform(mtcars[c("mpg", "wt", "hp")], am = factor(mtcars$am))
  w <- ifelse(data$am == 1, 0.75, 2.5)
  fit <- contree(am ~ ., data, weights = w, depth = 2)
  expect_equal(fit$objective,
               contree(am ~ ., data, class_weights = c("0" = 2.5, "1" = 0.75), depth = 2)$objective)
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
  expect_equal(contree(data[1:4], data$Species, weights = data$w, depth = 1)$frame$wt[1],
               sum(setdiff(1:150, 3)))
})

test_that("weights and losses that are wrong are named", {
  refused <- function(pattern, argument, ...) {
    problem <- expect_error(contree(Species ~ ., iris, depth = 1, ...), pattern,
                            class = "contree_input_error")
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
  refused("all 'class_weights'", "class_weights", class_weights = c(0, 0, 0))
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
    lost[test] <- loss[cbind(as.integer(iris$Species[test]),
                             as.integer(predict(fit, iris[test, ])))]
  }
  error <- sum(weights * lost) / sum(weights)
  expect_equal(cv$table$error[2], error)
  expect_equal(cv$table$se[2], sqrt(sum((weights * (lost - error))^2)) / sum(weights))
  expect_equal(cv$table$training[2], contree(Species ~ ., iris, weights = weights, loss = loss,
                                             depth = 2)$objective / 300)
})

test_that("weights and losses survive as JSON and as a tree of rpart", {
  loss <- matrix(c(0, 1, 2.5, 4, 0, 1, 1, 1, 0), 3)
  fit <- contree(Species ~ ., iris, weights = rep(c(1, 0.5), 75), loss = loss, depth = 2)
  skip_if_not_installed("jsonlite")
  again <- contree_from_json(as_json(fit))
  expect_identical(again$loss, fit$loss)
  expect_identical(capture.output(print(again)), capture.output(print(fit)))
  expect_identical(predict(again, iris), predict(fit, iris))
  expect_error(contree_from_json(sub('"loss": [', '"loss": [[1],', as_json(fit), fixed = TRUE)),
               class = "contree_input_error")
  skip_if_not_installed("rpart")
  expect_equal(as.rpart(fit)$parms$loss, loss)
})

test_that("balanced weights do not count classes without rows", {
  used <- iris[51:150, ]
  expect_equal(contree(Species ~ ., used, class_weights = "balanced", depth = 0)$objective, 50)
})

test_that("leaves have their least size on columns of few values", {
  for (seed in seeds(40, 4)) {
    set.seed(seed)
    n <- sample(10:24, 1)
    x <- matrix(sample(0:(if (seed %% 3) 1 else 2), 4 * n, TRUE), n,
                dimnames = list(NULL, letters[1:4]))
    y <- factor(ifelse(stats::runif(n) < .7, x[, 1] + x[, 2] > 1, x[, 3] > 0))
    if (nlevels(y) < 2) next
    least <- sample(2:4, 1)
    fit <- contree(x, y, depth = 3, minbucket = least)
    expect_equal(fit$cost, min(least_errors(x, y, 3, least, 2 * least)), info = seed)
    leaves <- fit$frame$var == "<leaf>"
    if (sum(leaves) > 1) expect_gte(min(fit$frame$n[leaves]), least)
  }
})

test_that("weights and losses whose products would lose digits are refused", {
  x <- data.frame(a = 0:3)
  y <- factor(c("p", "q", "q", "p"))
  for (small in c(5e-324, 1e-310, 1e-151)) {
    expect_contree_error(contree(x, y, weights = c(small, 1, 1, 1), depth = 1), "input",
                         "'weights' has the value")
    expect_contree_error(contree(x, y, loss = matrix(c(0, small, 1, 0), 2), depth = 1), "input",
                         "'loss' has the value")
  }
  fit <- contree(x, y, weights = c(1e-150, 1, 1, 3e-150), class_weights = c(1e-100, 1), depth = 1)
  expect_lte(fit$objective - fit$gap, 1e-250)
  expect_gt(fit$objective, 0.99e-250)
})
