within_list <- function(fit, ...) {
  structure(utils::modifyList(unclass(fit), list(...)), class = class(fit))
}

test_that("the object has rpart's layout", {
  expect_identical(rownames(contree(Species ~ ., iris, depth = 1)$frame), c("1", "2", "3"))
  expect_true(all(c("var", "n", "wt", "dev", "yval", "yval2") %in% names(iris2$frame)))
  expect_equal(unname(iris2$frame$yval2[1, ]), c(1, 50, 50, 50, 1 / 3, 1 / 3, 1 / 3, 1))
  expect_identical(colnames(iris2$splits), c("count", "ncat", "improve", "index", "adj"))
  expect_identical(rownames(iris2$splits), iris2$frame$var[iris2$frame$var != "<leaf>"])
  expect_true(all(iris2$splits[, "ncat"] == -1))
  expect_type(iris2$where, "integer")
  expect_identical(iris2$format_version, 3L)
  expect_identical(iris2$ylevels, levels(iris$Species))
  expect_identical(iris2$ordered, setNames(logical(4), names(iris)[1:4]))
})

test_that("rpart reads it", {
  skip_if_not_installed("rpart")
  expect_equal(unname(predict(as_rpart(iris2), type = "prob")),
               unname(predict(iris2, type = "prob")))
  expect_identical(unname(rpart::path.rpart(as_rpart(iris2), 2, print.it = FALSE)[[1]][2]),
                   contree:::split_text(iris2, 7)[2])
})

test_that("counts, classes and errors of the nodes are those of the data", {
  data <- many_classes()
  fit <- contree(class ~ ., data, depth = 3)
  nodes <- as.data.frame(fit)
  leaf <- walk(fit, data)
  expect_identical(unname(predict(fit, type = "node")), leaf)
  for (node in nodes$node) {
    inside <- leaf
    while (any(inside > node)) inside[inside > node] <- inside[inside > node] %/% 2L
    counts <- table(data$class[inside == node])
    row <- match(node, nodes$node)
    expect_equal(unname(contree:::node_counts(fit)[row, ]), as.vector(counts))
    expect_equal(nodes$errors[row], sum(counts) - max(counts))
    expect_equal(unname(counts[as.character(nodes$class[row])]), max(counts), ignore_attr = TRUE)
  }
  expect_equal(fit$objective, sum(nodes$errors[nodes$leaf]))
})

test_that("nothing in the object drags along an environment or the data", {
  environments <- function(x) {
    found <-
      if (is.environment(x)) list(x) else if (is.function(x)) list(environment(x)) else list()
    if (is.list(x)) found <- c(found, unlist(lapply(unclass(x), environments), FALSE))
    c(found, unlist(lapply(attributes(x), environments), FALSE))
  }
  local({
    ballast <- rnorm(1e5)
    for (fit in list(contree(Species ~ ., iris, depth = 2),
                     contree(iris[1:4], iris$Species, depth = 2), contree(
                       Species ~ poly(Petal.Width, 2), iris, depth = 2, na.action = na.omit))) {
      expect_true(all(vapply(environments(fit),
                             function(e) identical(e, globalenv()) || isNamespace(e), NA)))
      expect_lt(length(serialize(fit, NULL)), 12000)
      expect_false(any(vapply(rapply(unclass(fit), typeof, how = "unlist"), identical, NA,
                              "externalptr")))
    }
  })
  data <- iris[rep(1:150, 100), ]
  fit <- contree(Species ~ ., data, depth = 1)
  expect_lt(length(serialize(fit[c("frame", "splits", "terms", "call", "control")], NULL)), 10000)
})

test_that("the training data is kept on request only", {
  expect_null(iris2$model)
  expect_equal(contree(Species ~ ., iris, depth = 1, model = TRUE)$model,
               model.frame(Species ~ ., iris), ignore_attr = TRUE)
})

test_that("a saved fit works in a new process", {
  skip_on_cran()
  file <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  saveRDS(list(contree(Species ~ log(Petal.Width) + ., iris, depth = 2),
               contree(iris[1:4], iris$Species, depth = 2)), file)
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(contree)",
               sprintf("fits <- readRDS(%s)", deparse1(file)),
               "say <- function(fit) cat(as.character(predict(fit, iris[c(1, 60, 150), ])), '\\n')",
               "for (fit in fits) { print(fit); say(fit) }",
               "pdf(NULL); plot(fits[[1]]); print(nobs(fits[[2]])); print(formula(fits[[1]]))"),
             script)
  output <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
                    stdout = TRUE, stderr = TRUE)
  expect_null(attr(output, "status"), info = paste(output, collapse = "\n"))
  expect_equal(sum(grepl("^setosa versicolor virginica", output)), 2)
  unlink(c(file, script))
})

test_that("a tree that contradicts itself is noticed", {
  for (spoil in list(function(f) within_list(f, where = replace(f$where, 1, 1L)),
                     function(f) within_list(f, objective = f$objective + 1),
                     function(f) within_list(f, y = rev(f$y)),
                     function(f) within_list(f, control = replace(f$control, "depth", 0)),
                     function(f) within_list(f, gap = -1))) {
    expect_contree_error(contree:::validate_model(spoil(iris2)), "internal")
  }
  expect_identical(contree:::validate_model(iris2), iris2)
})

test_that("splits by level have rpart's layout", {
  data <- data.frame(f = factor(rep(c("a", "b", "c"), 10), levels = c("a", "b", "unused", "c")),
                     n = rep(1:5, 6))
  data$f[1] <- NA
  fit <- contree(y ~ f + n, transform(data, y = f %in% c("a", "c")), depth = 1)
  expect_equal(fit$splits[1, ],
               c(count = 29, ncat = 4, improve = 2 * 19 * 11 / 30, index = 1, adj = 0))
  expect_identical(fit$csplit, matrix(c(1L, 3L, 2L, 1L), 1))
  expect_identical(fit$xlevels, list(f = levels(data$f)))
  expect_identical(fit$types, c(f = "factor", n = "integer"))
  expect_identical(contree:::node_levels(fit)[[1]],
                   list(left = c("a", "c"), right = "b", absent = "unused"))
  expect_identical(contree:::node_threshold(fit), rep(NA_real_, 3))
  # the missing row learned to go with "b", the smaller child
  expect_identical(contree:::node_default_left(fit), c(FALSE, NA, NA))
  expect_identical(contree:::node_larger_left(fit), c(TRUE, NA, NA))
  expect_equal(contree:::node_missing(fit), c(1, 0, 0))
  skip_if_not_installed("rpart")
  printed <- function(x) trimws(tail(capture.output(print(x)), 3))
  expect_identical(printed(as_rpart(fit)), sub(" or missing", "", printed(fit)))
})

test_that("a fit with levels survives saving", {
  set.seed(33)
  data <- mixed_table(60, 3)
  fit <- contree(y ~ ., data, depth = 3)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  again <- readRDS(file)
  unlink(file)
  expect_identical(predict(again, data, type = "path"), predict(fit, data, type = "path"))
  expect_identical(capture.output(print(again)), capture.output(print(fit)))
})

test_that("what a split takes off an impurity has the classes of little weight", {
  for (weight in 10^(2:20)) {
    fit <- contree(data.frame(a = c(0, 0, 1)), factor(c("p", "q", "q")),
                   weights = c(weight, 1, 1), depth = 1)
    # (w 1 - 1 0)^2 of either class, over the weights of both sides and their sum
    improve <- 2 * (weight / (weight + 1)) * (weight / (weight + 2))
    if (nrow(fit$splits)) expect_equal(fit$splits[[1, "improve"]], improve, tolerance = 1e-14)
    # nearly the same shares on both sides: (w 2 - 1 w)^2
    expect_equal(contree:::gini_saved(cbind(weight * c(2, 1, 1), c(3, 1, 2)),
                                      list(left = c(2, 0, 0), right = c(3, 0, 0)))[1],
                 2 * weight / (weight + 1) * (weight / (weight + 2)) / (2 * weight + 3),
                 tolerance = 1e-14)
  }
})
