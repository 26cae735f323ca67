test_that("rpart predicts what predict() predicts", {
  skip_if_not_installed("rpart")
  for_each_tree(function(fit, rows, expected, name) {
    if (name == "hostile") return() # rpart cannot fit such names either
    # rpart knows no new levels, and has nothing to go by where all is missing
    used <- used_predictors(fit)
    known <- !has_new_level(rows) & (length(used) == 0 | rowSums(!is.na(rows[used])) > 0)
    tree <- suppressWarnings(as.rpart(fit), classes = "contree_conversion_warning")
    expect_s3_class(tree, "rpart", exact = TRUE)
    expect_identical(as.character(predict(tree, rows[known, ], type = "class")),
                     expected$class[known], info = name)
    expect_equal(unname(predict(tree, rows[known, ])), expected$prob[known, ], info = name)
    expect_identical(predict(tree, type = "class"), predict(fit)[names(tree_where(fit))],
                     info = name)
  })
})

test_that("a row without any value goes where the tree sends it, or there is a warning", {
  skip_if_not_installed("rpart")
  set.seed(2)
  data <- data.frame(x = c(1:30, rep(NA, 9)), z = runif(39),
                     y = factor(c(rep(c("a", "b"), c(20, 10)), rep("a", 9))))
  fit <- contree(y ~ ., data, depth = 1)
  expect_silent(tree <- as.rpart(fit))
  expect_identical(unname(predict(tree, data, type = "class")), unname(predict(fit, data)))
  data$y[31:39] <- "b"
  data <- data[c(1:30, 31:36), ]
  fit <- contree(y ~ ., data, depth = 1)
  problem <- tryCatch(as.rpart(fit), warning = identity)
  expect_s3_class(problem, "contree_conversion_warning")
  expect_match(conditionMessage(problem), "'x'")
  tree <- suppressWarnings(as.rpart(fit))
  differ <- predict(tree, data, type = "class") != predict(fit, data)
  expect_identical(unname(differ), is.na(data$x))
})

test_that("levels that a node has not seen go to its larger child", {
  skip_if_not_installed("rpart")
  set.seed(4)
  for (i in 1:30) {
    data <- mixed_table(25)
    fit <- contree(y ~ ., data, depth = 3)
    tree <- suppressWarnings(as.rpart(fit), classes = "contree_conversion_warning")
    used <- used_predictors(fit)
    rows <- as.data.frame(lapply(data[names(data) != "y"], function(x) {
      if (is.factor(x)) {
        factor(sample(c(NA, levels(x)), 60, TRUE), levels(x), ordered = is.ordered(x))
      } else {
        sample(x, 60, TRUE)
      }
    }))
    rows <- rows[length(used) == 0 | rowSums(!is.na(rows[used])) > 0, ]
    expect_identical(unname(predict(tree, rows, type = "class")),
                     unname(suppressWarnings(predict(fit, rows), classes = "contree_new_levels")),
                     info = i)
  }
})

test_that("rpart's methods work on it", {
  skip_if_not_installed("rpart")
  tree <- as.rpart(iris2)
  expect_identical(capture.output(print(tree))[-(1:2)], capture.output(print(iris2))[-(1:4)])
  expect_output(summary(tree), "Primary splits")
  expect_output(rpart::printcp(tree), "rel error")
  expect_silent({
    plot(tree)
    text(tree, use.n = TRUE)
  })
  expect_identical(nrow(rpart::prune(tree, cp = 0)$frame), 5L)
  expect_identical(nrow(rpart::prune(tree, cp = 0.99)$frame), 1L)
  expect_identical(sum(residuals(as.rpart(iris2, data = iris), type = "usual")), iris2$objective)
  expect_identical(dim(model.frame(as.rpart(iris2, data = iris))), c(150L, 3L))
  leaf <- as.rpart(contree(Species ~ ., iris, depth = 0))
  expect_identical(nlevels(predict(leaf, iris, type = "class")), 3L)
  expect_output(print(leaf))
})

test_that("partykit takes it as it takes others of rpart", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("partykit")
  trees <- shared_trees()
  for (tree in trees[c("numeric", "factors", "codes")]) {
    data <- tree$data
    data[vapply(data, is.character, NA)] <- lapply(data[vapply(data, is.character, NA)], factor)
    complete <- data[stats::complete.cases(data), ]
    fit <- contree(class ~ ., complete, depth = 2)
    party <- partykit::as.party(as.rpart(fit, data = complete))
    expect_identical(unname(predict(party, complete)), unname(predict(fit, complete)))
  }
})

test_that("bad arguments are errors", {
  skip_if_not_installed("rpart")
  expect_contree_error(as.rpart(iris2, data = 1), "input", "'data'")
  frame <- model.frame(Species ~ Petal.Width, iris)
  expect_contree_error(as.rpart(iris2, data = frame), "input", "without the variable")
  expect_contree_error(as.rpart(iris2, dta = iris), "input", "dta")
})

test_that("residuals are those of the fit", {
  class <- contree(Species ~ ., iris, depth = 2)
  tree <- as.rpart(class)
  expect_equal(unname(residuals(tree)), as.numeric(predict(class) != iris$Species))
  expect_equal(unname(residuals(tree, "pearson")), {
    p <- predict(class, type = "prob")[cbind(1:150, as.integer(iris$Species))]
    unname((1 - p) / p)
  })
  number <- contree(dist ~ speed, cars, depth = 2)
  expect_equal(unname(residuals(as.rpart(number))), cars$dist - unname(predict(number)))
  with_missing <- transform(cars, dist = replace(dist, 3, NA))
  expect_length(residuals(as.rpart(contree(dist ~ speed, with_missing, depth = 1))), 49)
})

test_that("the call is one that rpart's methods come to an end with", {
  given <- as.rpart(contree(Species ~ ., iris, depth = 2), data = iris)
  expect_identical(nrow(model.frame(given)), 150L)
  # rpart would fit a tree of its own where the training data are not in the object
  for (fit in list(contree(Species ~ ., iris), contree(dist ~ speed, cars, depth = 2),
                   contree(Species ~ ., iris, depth = 1, subset = Sepal.Width > 3),
                   contree(Species ~ ., iris, depth = 1, weights = rep(0:2, 50)))) {
    frame <- model.frame(as.rpart(fit))
    expect_s3_class(frame, "data.frame", exact = TRUE)
    expect_identical(nrow(frame), length(fit$where))
    expect_identical(frame[[1]], model.frame(fit)[[1]])
  }
  expect_identical(as.rpart(contree(Species ~ ., iris, depth = 2))$call[[1]], quote(rpart::rpart))
  expect_error(residuals(as.rpart(contree(iris[1:2], iris$Species, depth = 1)), "none"))
})

test_that("each function of rpart gives what the tree has, or an error that says why not", {
  skip_if_not_installed("rpart")
  fits <- list(contree(Species ~ ., iris, depth = 2), contree(dist ~ speed, cars, depth = 2))
  for (fit in fits) {
    data <- if (predicts_classes(fit)) iris else cars
    tree <- as.rpart(fit, data = data)
    rules <- rpart::path.rpart(tree, node_ids(fit), print.it = FALSE)
    expect_identical(unname(lengths(rules)), node_depth(fit) + 1L)
    expect_output(print(tree), paste0("n= ", nrow(data)))
    expect_output(summary(tree), "Node number 1")
    expect_identical(length(labels(tree)), length(node_ids(fit)))
    if (predicts_classes(fit)) {
      prob <- unname(predict(fit, data, type = "prob"))
      expect_equal(unname(predict(tree, data, type = "prob")), prob)
      expect_identical(predict(tree, data, type = "class"), predict(fit, data))
      expect_equal(unname(predict(tree, data, type = "vector")), as.numeric(predict(fit, data)))
      expect_equal(unname(predict(tree, data, type = "matrix")[, 5:7]), prob)
      expect_error(rpart::meanvar(tree), "classification")
    } else {
      expect_equal(predict(tree, data), predict(fit, data))
      expect_equal(rpart::meanvar(tree)$y, fit$frame$dev[node_is_leaf(fit)] /
                     node_n(fit)[node_is_leaf(fit)])
      expect_error(predict(tree, data, type = "class"), "Invalid prediction")
    }
    expect_identical(nrow(model.frame(tree)), nrow(data))
    file <- tempfile(fileext = ".ps")
    rpart::post(tree, filename = file)
    expect_gt(file.size(file), 1000)
    for (node in node_ids(fit)[!node_is_leaf(fit)]) {
      below <- node_ids(fit)
      while (any(below > node)) below <- ifelse(below > node, below %/% 2L, below)
      cut <- rpart::snip.rpart(tree, toss = node)
      expect_identical(nrow(cut$frame), sum(below != node) + 1L)
    }
    expect_output(table <- rpart::printcp(tree), "rel error")
    expect_equal(table[2, "rel error"], fit$objective / fit$frame$dev[1], ignore_attr = TRUE)
    expect_error(rpart::plotcp(tree), "cross-validation")
    expect_error(capture.output(rpart::rsq.rpart(tree)))
  }
})

test_that("a tree that knows one class is printed", {
  skip_if_not_installed("rpart")
  fit <- contree(y ~ x, data.frame(x = 1:9, y = factor(rep("only", 9))), depth = 1)
  expect_output(print(as.rpart(fit)), "1) root 9 0 only (1) *", fixed = TRUE)
  expect_output(summary(as.rpart(fit)), "predicted class=only")
})

test_that("columns of matrices are found again, in both bridges", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("partykit")
  set.seed(1)
  d <- data.frame(x = rnorm(80), f = factor(sample(letters[1:3], 80, TRUE)))
  d$m <- matrix(rnorm(160), 80, dimnames = list(NULL, c("u", "v")))
  d$k <- matrix(rnorm(80), 80)
  d$y <- factor(ifelse(d$m[, 1] > 0, "p", ifelse(d$f == "a", "q", "r")))
  d$z <- (d$k[, 1] > 0) + 5 * (d$m[, 2] > 0.3) + (d$x > 0)
  for (formula in list(y ~ ., y ~ poly(x, 2) + m, z ~ x + m + k, z ~ k)) {
    for (model in c(FALSE, TRUE)) {
      fit <- contree(formula, d, depth = 2, model = model)
      tree <- as.rpart(fit)
      party <- partykit::as.party(fit)
      known <- unname(predict(fit, d))
      expect_equal(unname(predict(tree, d, type = if (is.factor(known)) "class" else "vector")),
                   known)
      expect_equal(unname(predict(party, d)), known)
      by_name <- contree:::spread_columns(as.list(stats::model.frame(fit)))
      expect_equal(unname(predict(party, list2DF(by_name))), known)
    }
  }
})

test_that("the training rows of x and y are found by the call", {
  rows <- iris[c(1:40, 60:80, 120:150), ]
  rows$Sepal.Length[4] <- NA
  classes <- replace(rows$Species, 7, NA)
  fits <- list(contree(rows[1:4], classes, depth = 2),
               contree(rows[1:4], classes, depth = 2, missing = "omit"),
               contree(as.matrix(rows[1:3]), rows$Petal.Width, depth = 2))
  for (fit in fits) {
    tree <- as.rpart(fit)
    frame <- stats::model.frame(tree)
    expect_identical(row.names(frame), names(fit$where))
    expect_equal(as.numeric(frame[[1]]), as.numeric(fit$y))
    expect_equal(frame[-1], rows[row.names(frame), names(frame)[-1], drop = FALSE],
                 ignore_attr = TRUE)
  }
  there <- fits[[1]]
  rows$Petal.Length[2] <- 99 # other rows than those of the fit
  expect_null(as.rpart(there)$model)
})

test_that("characters stay what they are to rpart, whether the tree asks for them or not", {
  data <- data.frame(y = factor(rep(c("a", "b"), 20)), ch = rep(c("u", "v"), each = 20))
  fit <- contree(y ~ ch, data, depth = 1)
  expect_identical(nrow(fit$frame), 1L)
  expect_identical(predict(as.rpart(fit), data, type = "class"), unname(predict(fit, data)))
})

test_that("predictors named as arguments are errors of the conversion", {
  for (name in c("...", "..1", "..12")) {
    data <- stats::setNames(iris[3:5], c(name, "b", "Species"))
    fit <- contree(data[1:2], data$Species, depth = 1)
    expect_contree_error(as.rpart(fit), "unsupported", c(name, "rename"))
    skip_if_not_installed("partykit")
    expect_contree_error(partykit::as.party(fit), "unsupported", c(name, "rename"))
  }
  fit <- contree(stats::setNames(iris[3:4], c("....", "..x")), iris$Species, depth = 1)
  expect_s3_class(as.rpart(fit), "rpart")
})
