test_that("levels are put in the order of the response", {
  data <- data.frame(g = factor(c("c", "c", "a", "a", "b", "b", NA),
                                levels = c("a", "b", "c", "none")), y = c(1, 2, 9, 9, 5, 5, 4))
  frame <- list(columns = list(g = as.integer(data$g)), types = c(g = "factor"),
                xlevels = list(g = levels(data$g)), response = data$y)
  expect_equal(level_orders(frame)$g, c(3L, 2L, 1L, NA))
  frame$response <- factor(c("n", "n", "y", "y", "n", "y", "y"))
  expect_equal(level_orders(frame)$g, c(3L, 2L, 1L, NA))
})

test_that("with more classes levels lie along the main direction of their shares", {
  table <- rbind(c(8, 1, 1), c(1, 8, 1), c(5, 4, 1), c(0, 0, 0))
  score <- class_score(as.table(table))
  expect_true(is.na(score[4]))
  expect_true((score[1] < score[3] && score[3] < score[2]) ||
              (score[1] > score[3] && score[3] > score[2]))
})

test_that("the direction is that of rows, not of levels", {
  set.seed(8)
  for (n_classes in c(rep(4, 20), 257, 300)) { # beyond 256 it is found from the rows
    counts <- matrix(rpois(6 * n_classes, 20), 6) * c(50, 1, 1, 20, 5, 1)
    rows <- rowSums(counts) # which all have the shares of their level, for principal components
    shares <- counts / rows
    centre <- colSums(counts) / sum(rows)
    parts <- eigen(crossprod(sqrt(rows) * sweep(shares, 2, centre)), symmetric = TRUE)$vectors[, 1]
    score <- drop(sweep(shares, 2, centre) %*% parts) * sign(parts[n_classes])
    expect_equal(unname(class_score(as.table(counts))), score, tolerance = 1e-6)
  }
})

test_that("factors, characters and missing values are learned from", {
  set.seed(1)
  n <- 600
  data <- data.frame(g = sample(letters, n, TRUE), o = factor(sample(1:4, n, TRUE), ordered = TRUE),
                     z = rnorm(n), d = as.Date("2020-01-01") + sample(100, n, TRUE))
  data$y <- factor(data$g %in% c("b", "k", "q", "z", "e"))
  data$z[sample(n, 100)] <- NA
  data$g[sample(n, 30)] <- NA
  fit <- hist_forest(y ~ ., data, trees = 50, mtry = 4, seed = 1)
  expect_lt(fit$oob$error, 0.1)
  expect_equal(fit$importance$variable[which.max(fit$importance$impurity)], "g")
  tree <- forest_tree(fit, 1)
  expect_setequal(strsplit(sub("^$", "", tree$levels_left[1]), ", ")[[1]],
                  setdiff(letters, c("b", "k", "q", "z", "e")))
  new <- data[1:5, ]
  new$g <- "new"
  expect_warning(said <- predict(fit, new, type = "prob"), class = "contree_new_levels")
  expect_equal(said, predict(fit, transform(new, g = NA_character_), type = "prob"))
  expect_equal(predict(fit, transform(data, g = factor(g)), type = "prob"),
               predict(fit, data, type = "prob"))
})

test_that("a response must be finite, or classes", {
  expect_contree_error(hist_forest(mpg ~ ., transform(mtcars, mpg = replace(mpg, 3, Inf))), "input",
                       "row 3")
  expect_contree_error(hist_forest(d ~ Sepal.Length, transform(iris, d = Sys.Date())), "input")
  logical <- hist_forest(I(Species == "setosa") ~ Sepal.Length, iris, trees = 3, seed = 1)
  expect_equal(logical$classes, c("FALSE", "TRUE"))
})

test_that("few levels are split by subsets, many by their order", {
  set.seed(2)
  n <- 500
  data <- data.frame(g = factor(sample(letters[1:5], n, TRUE), letters[1:6]),
                     h = sample(LETTERS[1:9], n, TRUE), z = rnorm(n))
  data$g[1:20] <- NA
  data$y <- factor(xor(data$g %in% c("a", "d"), data$z > 0))
  fit <- hist_forest(y ~ ., data, trees = 20, mtry = 3, seed = 1)
  nodes <- .Call(ffi_hist_tree, fit$forest, 1L)
  expect_equal(unique(nodes$feature[!is.na(nodes$levels)]), 1L)
  expect_true(all(is.na(nodes$threshold) == (nodes$feature == 0 | !is.na(nodes$levels))))
  by_order <- hist_forest(y ~ ., data, trees = 20, mtry = 3, seed = 1, factors = "order")
  expect_true(all(is.na(.Call(ffi_hist_tree, by_order$forest, 1L)$levels)))
  expect_equal(hist_forest(y ~ ., data, trees = 20, mtry = 3, seed = 1,
                           respect.unordered.factors = "order")$forest, by_order$forest)
  # the tree, read as a table and as a model, sends rows where the forest sends them
  tree <- forest_tree(fit, 1)
  leaf <- predict(fit, data, type = "leaf")[, 1]
  for (row in c(1:5, 400:420)) {
    at <- 1
    while (!is.na(tree$variable[at])) {
      value <- data[[tree$variable[at]]][row]
      left <- if (is.na(value)) {
        tree$missing_left[at]
      } else if (is.numeric(value)) {
        value < tree$threshold[at]
      } else {
        value %in% strsplit(tree$levels_left[at], ", ")[[1]]
      }
      at <- if (left) tree$left[at] else tree$right[at]
    }
    expect_equal(leaf[[row]], at)
  }
  model <- forest_tree(hist_forest(y ~ ., data, trees = 1, depth = 6, seed = 1), 1, as = "model")
  expect_equal(predict(model, data, type = "class"),
               predict(hist_forest(y ~ ., data, trees = 1, depth = 6, seed = 1), data,
                       type = "class"), ignore_attr = TRUE)
})

test_that("levels are in the order of what trees are grown from: rows count by their weights", {
  set.seed(9)
  n <- 300
  g <- factor(sample(letters[1:9], n, TRUE), letters)
  w <- sample(0:4, n, TRUE) * (g != "c") # whose rows have no weight
  weighted <- function(y) {
    order_of <- function(rows, weights) {
      level_orders(list(columns = list(g = as.integer(g)[rows]), types = c(g = "factor"),
                        xlevels = list(g = letters), response = y[rows], weights = weights))$g
    }
    places <- order_of(1:n, w * 1e307)
    repeated <- order_of(rep(1:n, w), NULL) # each row as often as it weighs
    expect_identical(places[-3], repeated[-3])
    expect_identical(places[3], 9L) # comes last
    expect_identical(which(is.na(places)), 10:26)
  }
  weighted(rnorm(n) + as.integer(g) %% 3)
  for (k in 2:5) weighted(factor((sample(k, n, TRUE) + as.integer(g) * (runif(n) < 0.4)) %% k))
  # a row that is never drawn says nothing, however far out it is
  x <- data.frame(g, z = rnorm(n))
  y <- x$z + as.integer(g) %% 3
  grow <- function(y) predict(hist_forest(x, y, weights = w, trees = 10, seed = 1), x)
  expect_equal(grow(y), grow(replace(y, w == 0, 1e6)), tolerance = 1e-6)
})

test_that("levels are in the order of their rates, whatever single rows have", {
  set.seed(9)
  exposure <- 10^runif(400, -4, 0)
  g <- factor(sample(letters[1:9], 400, TRUE))
  count <- rpois(400, exposure * as.integer(g))
  weights <- sample(0:3, 400, TRUE)
  order_of <- function(weights) {
    fit <- hist_forest(data.frame(g), count, exposure = exposure, family = "poisson", trees = 2,
                       weights = weights, min_n = 5, seed = 1)
    unname(fit$orders$g)
  }
  rate <- function(w) unname(rowsum(count * w, g) / rowsum(exposure * w, g))[, 1]
  expect_identical(order_of(NULL), rank(rate(1), ties.method = "first"))
  expect_identical(order_of(weights), rank(rate(weights), ties.method = "first"))
})
