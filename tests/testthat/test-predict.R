test_that("all types have their shape, also for one row and none", {
  for (rows in list(c(1, 60, 150), 77, integer())) {
    new <- iris[rows, ]
    class <- predict(iris2, new)
    expect_s3_class(class, "factor")
    expect_identical(levels(class), levels(iris$Species))
    expect_identical(names(class), rownames(new))
    prob <- predict(iris2, new, type = "prob")
    expect_identical(colnames(prob), levels(iris$Species))
    expect_identical(rownames(prob), if (length(rows)) rownames(new))
    expect_equal(unname(rowSums(prob)), rep(1, length(rows)))
    expect_type(predict(iris2, new, type = "node"), "integer")
    expect_length(predict(iris2, new, type = "path"), length(rows))
    expect_identical(predict(iris2, new, type = "response"), class)
  }
})

test_that("prediction of the training rows is the fit", {
  data <- many_classes()
  fit <- contree(class ~ ., data, depth = 3)
  for (type in c("class", "prob", "node", "path")) {
    expect_identical(predict(fit, data, type = type), predict(fit, type = type))
  }
  expect_identical(unname(predict(fit, data, type = "node")), walk(fit, data))
  expect_equal(sum(predict(fit, data) != data$class), fit$objective)
  expect_identical(unname(predict(fit, data, type = "path")),
                   contree_rules(fit)$rule[match(predict(fit, type = "node"), contree_rules(fit)$node)])
})

test_that("columns are found by name", {
  expect_identical(predict(iris2, iris[5:1]), predict(iris2))
  expect_identical(predict(iris2, cbind(extra = "x", iris[c(4, 3, 2, 1)])), predict(iris2))
  by_matrix <- contree(as.matrix(iris[1:4]), iris$Species, depth = 2)
  expect_identical(unname(predict(by_matrix, as.matrix(iris[4:1]))), unname(predict(by_matrix)))
  expect_identical(unname(predict(by_matrix, iris)), unname(predict(by_matrix)))
  expect_identical(unname(predict(by_matrix, unname(as.matrix(iris[1:4])))), unname(predict(by_matrix)))
  expect_identical(unname(predict(iris2, as.matrix(iris[1:4]))), unname(predict(iris2)))
  integers <- contree(matrix(1:20, 10), rep(c("u", "v"), each = 5), depth = 1)
  expect_identical(as.character(predict(integers, matrix(c(TRUE, FALSE), 1))), "u")
})

test_that("bad new data is named", {
  expect_contree_error(predict(iris2, iris[-3]), "input", c("'newdata'", "'Petal.Length'", "add it"))
  expect_contree_error(predict(iris2, iris[-(1:4)]), "input", c("'Sepal.Length'", "'Petal.Width'"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = as.character(Petal.Length))), "input",
                       c("'Petal.Length'", "character", "convert"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = factor(Petal.Length))), "input",
                       c("'Petal.Length'", "factor"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = Sys.Date())), "input", c("'Petal.Length'", "Date"))
  expect_contree_error(predict(iris2, 1:4), "input", c("'newdata'", "data frame", "length 4"))
  expect_contree_error(predict(iris2, as.list(iris)), "input", c("'newdata'", "list"))
  expect_contree_error(predict(contree(as.matrix(iris[1:4]), iris$Species), matrix(0, 2, 3)), "input",
                       c("'newdata'", "3 columns", "4 predictors"))
  expect_contree_error(predict(contree(as.matrix(iris[1:4]), iris$Species), matrix("a", 2, 4)), "input",
                       c("'newdata'", "character"))
  expect_contree_error(predict(iris2, iris, type = "prop"), "input", c("'type'", "\"prop\"", "\"prob\""))
  expect_contree_error(predict(iris2, iris, tpye = "prob"), "input", c("'tpye'", "help page"))
})

test_that("a missing value goes with the larger child", {
  new <- iris[c(1, 150), ]
  new[1:4] <- NA
  node <- as.data.frame(iris2)
  expected <- 1L
  while (!node$leaf[match(expected, node$node)]) {
    children <- node[match(2L * expected + 0:1, node$node), ]
    expected <- children$node[which.max(children$n)]
  }
  expect_identical(unname(predict(iris2, new, type = "node")), rep(expected, 2))
  expect_identical(dim(predict(iris2, new, type = "prob")), 2:3)
  half <- iris[1:4, ]
  half$Petal.Length[2] <- NA
  half$Petal.Width[2] <- NA
  expect_length(predict(iris2, half), 4)
  expect_length(predict(iris2, half, na.action = na.omit), 3)
  expect_identical(is.na(predict(iris2, half, na.action = na.exclude)), c(`1` = FALSE, `2` = TRUE, `3` = FALSE, `4` = FALSE))
  expect_contree_error(predict(iris2, half, na.action = na.fail), "input", c("'na.action'", "na.omit"))
})

test_that("infinite values are smaller or larger than any threshold", {
  root <- iris2$frame$var[1]
  new <- iris[1:2, ]
  new[[root]] <- c(-Inf, Inf)
  node <- predict(iris2, new, type = "node")
  side <- function(id) {
    while (id > 3L) id <- id %/% 2L
    id
  }
  expect_identical(vapply(unname(node), side, 0L), 2:3)
})

test_that("rows equal to a threshold go right", {
  data <- data.frame(a = c(1, 2, 3, 4), y = c("u", "u", "v", "v"))
  fit <- contree(y ~ a, data, depth = 1)
  threshold <- fit$splits[[1, "index"]]
  expect_true(threshold > 2 && threshold <= 3)
  expect_identical(as.character(predict(fit, data.frame(a = threshold))), "v")
})

test_that("a million rows are predicted at once", {
  skip_on_cran()
  new <- iris[rep(1:150, length.out = 1e6), ]
  attr(new, "row.names") <- .set_row_names(1e6)
  took <- system.time(class <- predict(iris2, new))[["elapsed"]]
  expect_identical(as.character(class[1:150]), as.character(predict(iris2)))
  expect_lt(took, 20)
})
