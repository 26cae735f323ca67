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
                   contree_rules(fit)$rule[match(predict(fit, type = "node"),
                                                 contree_rules(fit)$node)])
})

test_that("columns are found by name", {
  expect_identical(predict(iris2, iris[5:1]), predict(iris2))
  expect_identical(predict(iris2, cbind(extra = "x", iris[c(4, 3, 2, 1)])), predict(iris2))
  by_matrix <- contree(as.matrix(iris[1:4]), iris$Species, depth = 2)
  expect_identical(unname(predict(by_matrix, as.matrix(iris[4:1]))), unname(predict(by_matrix)))
  expect_identical(unname(predict(by_matrix, iris)), unname(predict(by_matrix)))
  expect_identical(unname(predict(by_matrix, unname(as.matrix(iris[1:4])))),
                   unname(predict(by_matrix)))
  expect_identical(unname(predict(iris2, as.matrix(iris[1:4]))), unname(predict(iris2)))
  integers <- contree(matrix(1:20, 10), rep(c("u", "v"), each = 5), depth = 1)
  expect_identical(as.character(predict(integers, matrix(c(TRUE, FALSE), 1))), "u")
})

test_that("bad new data is named", {
  expect_contree_error(predict(iris2, iris[-3]), "input",
                       c("'newdata'", "'Petal.Length'", "must be a column"))
  expect_contree_error(predict(iris2, iris[-(1:4)]), "input", c("'Petal.Length'", "'Petal.Width'"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = as.character(Petal.Length))),
                       "input", c("'Petal.Length'", "character", "convert"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = factor(Petal.Length))),
                       "input", c("'Petal.Length'", "factor"))
  expect_contree_error(predict(iris2, transform(iris, Petal.Length = Sys.Date())), "input",
                       c("'Petal.Length'", "Date"))
  expect_contree_error(predict(iris2, 1:4), "input", c("'newdata'", "data frame", "length 4"))
  expect_contree_error(predict(iris2, as.list(iris)), "input", c("'newdata'", "list"))
  expect_contree_error(predict(contree(as.matrix(iris[1:4]), iris$Species), matrix(0, 2, 3)),
                       "input", c("'newdata'", "3 columns", "4 predictors"))
  expect_contree_error(predict(contree(as.matrix(iris[1:4]), iris$Species), matrix("a", 2, 4)),
                       "input", c("'newdata'", "character"))
  expect_contree_error(predict(iris2, iris, type = "prop"), "input",
                       c("'type'", "\"prop\"", "\"prob\""))
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
  expect_identical(is.na(predict(iris2, half, na.action = na.exclude)),
                   c(`1` = FALSE, `2` = TRUE, `3` = FALSE, `4` = FALSE))
  expect_contree_error(predict(iris2, half, na.action = na.fail), "input",
                       c("'na.action'", "na.omit"))
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
  class <- predict(iris2, new)
  expect_identical(as.character(class[1:150]), as.character(predict(iris2)))
})

# Predictors of several kinds, with a missing value in one leaf alone of the first.
kinds <- function() {
  set.seed(31)
  data <- data.frame(f = factor(rep(c("a", "b", "c", "d"), 30),
                                levels = c("a", "b", "c", "d", "unused")),
                     s = rep(c("red", "green", "blue"), 40), n = rep(1:10, 12),
                     o = factor(rep(c("low", "mid", "high"), each = 40), c("low", "mid", "high"),
                                ordered = TRUE),
                     d = as.Date("2024-02-20") + rep(1:20, 6),
                     t = as.POSIXct("2024-10-27", tz = "Europe/Berlin") + 3600 * 0:119,
                     w = as.difftime(rep(1:12, 10), units = "hours"), l = rep(c(TRUE, FALSE), 60))
  data$f[c(2, 50)] <- NA
  data$y <- factor(ifelse(is.na(data$f) | data$f %in% c("a", "c"), "yes", "no"))
  data
}

test_that("rows with missing values and new levels walk as documented", {
  set.seed(32)
  for (case in 1:30) {
    data <- mixed_table(40, 3)
    fit <- contree(y ~ ., data, depth = 3)
    new <- data[sample(40, 200, TRUE), ]
    for (name in setdiff(names(data), "y")) new[[name]][sample(200, 40)] <- NA
    for (name in intersect(names(fit$xlevels), names(
      data)[vapply(data, is.factor, NA) | vapply(data, is.character, NA)])) {
      if (is.ordered(data[[name]])) next
      new[[name]] <- as.character(new[[name]])
      new[[name]][sample(200, 20)] <- "never seen"
    }
    expect_identical(unname(suppressWarnings(predict(fit, new, type = "node"))), walk(fit, new),
                     info = paste("case", case))
  }
})

test_that("a new level follows the larger child, with one warning that names it", {
  data <- kinds()
  fit <- contree(y ~ f + s, data, depth = 1)
  new <- data.frame(f = c("a", "zz", "zz", NA, "unused", "yy"), s = "red")
  problem <- expect_warning(class <- predict(fit, new), class = "contree_new_levels")
  expect_match(conditionMessage(problem), "'f' has 'zz', 'yy', which did not occur in training",
               fixed = TRUE)
  expect_identical(problem$new_levels, list(f = c("zz", "yy")))
  expect_identical(unname(class),
                   unname(predict(fit, data.frame(f = c("a", NA, NA, NA, NA, NA), s = "red"))))
  expect_contree_error(predict(fit, new, new_levels = "error"), "input",
                       c("'f'", "'zz'", "majority"))
  strict <- contree(y ~ f, data, depth = 1, new_levels = "error")
  expect_contree_error(predict(strict, new), "input", "'zz'")
  expect_warning(predict(strict, new, new_levels = "majority"), class = "contree_new_levels")
  expect_contree_error(predict(fit, new, new_levels = "guess"), "input", c("'new_levels'", "guess"))
  # a factor that the tree does not ask for, and levels that no row has, are nobody's concern
  expect_silent(predict(fit, data.frame(f = factor("a", c("a", "zz")), s = "mauve")))
})

test_that("new data may come in other clothes", {
  data <- kinds()
  fit <- function(formula) contree(formula, data, depth = 3)
  node <- function(formula, ...) predict(fit(formula), ..., type = "node")
  same <- function(formula, new) expect_identical(node(formula, new), node(formula))
  same(y ~ f, transform(data, f = as.character(f)))
  same(y ~ f, transform(data, f = factor(f, rev(levels(f)))))
  same(y ~ f, transform(data, f = addNA(f)))
  same(y ~ s, transform(data, s = factor(s)))
  same(y ~ o + n, transform(data, o = as.character(o)))
  same(y ~ o + n, transform(data, o = factor(o, c("mid", "high", "low"))))
  same(y ~ t, transform(data, t = as.POSIXlt(t)))
  same(y ~ t, transform(data, t = structure(t, tzone = "UTC")))
  same(y ~ w, transform(data, w = `units<-`(w, "mins")))
  same(y ~ l + n, transform(data, l = as.numeric(l)))
  for (name in setdiff(names(data), "y")) {
    empty <- data
    empty[[name]] <- NA
    expect_length(predict(fit(reformulate(name, "y")), empty), 120)
    wrong <- transform(data, z = 1i)
    wrong[[name]] <- if (name %in% c("f", "s", "o")) 1 else "a"
    expect_contree_error(predict(fit(reformulate(name, "y")), wrong), "input",
                         c(paste0("'", name, "'"), "convert"))
  }
  expect_contree_error(predict(fit(y ~ d), transform(data, d = as.POSIXct(d))), "input",
                       c("'d'", "the type Date"))
})

test_that("a matrix of new data cannot stand for levels", {
  by_xy <- contree(kinds()[c("f", "n")], kinds()$y, depth = 1)
  expect_contree_error(predict(by_xy, cbind(f = 1, n = 2)), "input", c("'f'", "factor"))
  expect_identical(predict(by_xy, kinds()), predict(by_xy))
})

test_that("missing values go where training rows sent them, level or not", {
  data <- kinds()
  fit <- contree(y ~ f, data, depth = 1)
  expect_equal(fit$objective, 0)
  expect_identical(as.character(predict(fit, data.frame(f = NA))), "yes")
  data$n[data$n > 8] <- NA
  data$y <- factor(is.na(data$n) | data$n < 3)
  apart <- contree(y ~ n, data, depth = 1)
  expect_equal(apart$objective, 0)
  expect_identical(apart$splits[[1, "count"]], 96)
  expect_identical(as.character(predict(apart, data.frame(n = c(1, 9, NA, NaN, Inf)))),
                   c("TRUE", "FALSE", "TRUE", "TRUE", "FALSE"))
})

test_that("a new level of an ordered factor goes where a missing value goes, with a warning", {
  data <- data.frame(size = factor(rep(c("s", "m", "l"), c(30, 20, 10)), levels = c("s", "m", "l"),
                                   ordered = TRUE),
                     y = "a")
  data$y <- factor(ifelse(data$size == "l", "b", "a"))
  fit <- contree(y ~ size, data, depth = 1)
  new <- data.frame(size = factor(c("xl", "s", NA), levels = c("s", "m", "l", "xl"),
                                  ordered = TRUE))
  expect_warning(predicted <- predict(fit, new), "'xl'", class = "contree_new_levels")
  expect_identical(as.character(predicted), c("a", "a", "a"))
  expect_contree_error(predict(fit, new, new_levels = "error"), "input", "'xl'")
  expect_silent(predict(fit, data))
})

test_that("infinite values are values; new levels of ordered factors go where missing ones do", {
  data <- data.frame(x = c(1:10, rep(NA, 8)), y = rep(c("a", "b"), c(10, 8)))
  data$o <- factor(ifelse(is.na(data$x), NA, "low"), c("low", "high"), ordered = TRUE)
  new <- data.frame(x = c(-Inf, Inf, 0, NA, NaN), o = c("low", "new", "high", NA, NA))
  # the missing ones may stand on the left, as fits have them here, or on the right
  expect_parted <- function(fit, expected) {
    told <- function(code) as.character(suppressWarnings(code, classes = "contree_new_levels"))
    expect_identical(told(predict(fit, new)), expected)
    expect_identical(told(contree_predictor(fit)(new)), expected)
    skip_if_not_installed("rpart")
    # rpart takes no new levels, and needs other predictors for missing values
    if (name == "o") return()
    tree <- suppressWarnings(as.rpart(fit), classes = "contree_conversion_warning")
    expect_identical(as.character(predict(tree, new[1:3, ], type = "class")), expected[1:3])
  }
  skip_if_not_installed("jsonlite")
  for (name in c("x", "o")) {
    fit <- contree(data[name], data$y, depth = 1)
    expected <- if (name == "x") c("a", "a", "a", "b", "b") else c("a", "b", "a", "b", "b")
    expect_identical(fit$splits[1, "index"], -Inf)
    expect_parted(fit, expected)
    text <- strsplit(as_json(fit), "\n")[[1]]
    leaves <- grep("\"id\":[23]", text)
    # the leaves exchange their numbers and places
    text[leaves] <- paste0(rev(sub(",$", "", chartr("23", "32", text[leaves]))), c(",", ""))
    text <- sub("\"-Infinity\",\"missing\":\"left\"", "\"Infinity\",\"missing\":\"right\"", text)
    turned <- contree_from_json(paste(text, collapse = "\n"))
    expect_identical(turned$splits[1, "index"], Inf)
    expect_parted(turned, expected)
  }
})

test_that("columns that no split asks for may be missing, and are looked at where they are there", {
  data <- transform(iris, kind = factor(rep(c("a", "b"), 75)),
                    day = as.Date("2024-01-01") + rep(c(1, 7, 3), 50))
  fit <- contree(Species ~ log(Petal.Length) + Petal.Width + Sepal.Width + kind + day, data,
                 depth = 2)
  used <- c("Petal.Length", "Petal.Width")
  expect_setequal(na.omit(fit$frame$var), c("<leaf>", "log(Petal.Length)", "Petal.Width"))
  for (type in c("class", "prob", "node", "path")) {
    expect_identical(predict(fit, data[used], type = type), predict(fit, data, type = type))
  }
  expect_identical(contree_predictor(fit)(data[used]), contree_predictor(fit)(data))
  expect_identical(contree_accuracy(fit, data[c(used, "Species")]), contree_accuracy(fit, data))
  expect_contree_error(predict(fit, data["Petal.Width"]), "input", "lacks 'Petal.Length'")
  expect_contree_error(predict(fit, transform(data[c(used, "kind")], kind = 1)), "input",
                       c("'kind'", "numeric"))
  expect_contree_error(predict(fit, transform(data[c(used, "day")], day = "x")), "input",
                       c("'day'", "character"))
  xy <- contree(iris[1:4], iris$Species, depth = 2)
  expect_identical(predict(xy, iris[used]), predict(xy, iris))
  expect_identical(predict(xy, as.matrix(iris[used])), predict(xy, as.matrix(iris[1:4])))
  expect_identical(unname(contree_predictor(xy)(c(Petal.Width = 1, Petal.Length = 4))),
                   unname(predict(xy, iris[61, ])))
  leaf <- contree(Species ~ ., iris, depth = 0)
  expect_length(predict(leaf, data.frame(other = 1:3)), 3)
  expect_identical(dim(predict(leaf, data.frame(other = 1:3), type = "prob")), c(3L, 3L))
})

test_that("columns that are predictors as they are give what a look at all columns gives", {
  data <- kinds()
  data$x <- seq_len(nrow(data)) %% 7
  fits <- list(contree(y ~ f + n + x + o, data, depth = 2), contree(y ~ x, data, depth = 1),
               contree(data[c("x", "f", "d")], data$y, depth = 2), contree(y ~ ., data, depth = 0))
  # any other function has every column looked at
  all_columns <- function(newdata) newdata
  for (fit in fits) {
    for (rows in list(1, 1:120, integer())) {
      new <- data[rows, ]
      expect_identical(predict(fit, new), predict(fit, new, na.action = all_columns))
    }
    new <- data[rev(names(data))]
    new$f <- as.character(new$f)
    new$x[3:9] <- NA
    expect_identical(predict(fit, new), predict(fit, new, na.action = all_columns))
  }
})

test_that("names with and without dots are found beside each other", {
  set.seed(1)
  data <- data.frame(size = runif(40), a.b = runif(40), other = runif(40))
  data$y <- factor(data$size > 0.5 & data$a.b > 0.5)
  fit <- contree(y ~ ., data, depth = 2)
  expect_setequal(as.character(unique(fit$frame$var)), c("size", "a.b", "<leaf>"))
  expect_equal(predict(fit, data[c("size", "a.b")], type = "class"), data$y,
               ignore_attr = TRUE)
  expect_contree_error(predict(fit, data["size"]), "input", "lacks 'a.b'")
})

test_that("columns of other kinds are named as what they are", {
  fit <- contree(Species ~ ., transform(iris, kind = factor(rep(c("one", "two"), 75))), depth = 1)
  expect_contree_error(predict(fit, transform(iris, kind = 1:150)), "input",
                       c("'kind' of 'newdata' is integer", "the type factor",
                         "convert it to the names of the levels ('one', 'two')"))
  expect_contree_error(contree(Species ~ ., transform(iris, z = complex(real = 1:150))), "input",
                       "predictor 'z' is complex")
  expect_contree_error(contree(Species ~ ., transform(iris, z = as.raw(1:150))), "input",
                       "predictor 'z' is raw")
  expect_contree_error(contree(iris[1:4], complex(real = 1:150)), "input", "not complex")
})

test_that("laplace adds to the count of each class", {
  counts <- as.matrix(as.data.frame(table(node = predict(iris2, iris, type = "node"), iris$Species),
                                    responseName = "n")["n"])
  counts <- matrix(counts, ncol = 3)
  nodes <- match(predict(iris2, iris, type = "node"),
                 sort(unique(predict(iris2, iris, type = "node"))))
  for (laplace in c(0, 0.5, 1, 10)) {
    expected <- (counts + laplace) / (rowSums(counts) + 3 * laplace)
    found <- predict(iris2, iris, type = "prob", laplace = laplace)
    expect_equal(unname(found), expected[nodes, ])
    expect_equal(unname(predict(iris2, type = "prob", laplace = laplace)), expected[nodes, ])
  }
  expect_identical(predict(iris2, iris, laplace = 5), predict(iris2, iris))
  for (laplace in list(-1, "a", NA, 1:2)) {
    expect_contree_error(predict(iris2, iris, type = "prob", laplace = laplace), "input", "laplace")
  }
})

test_that("predictors are found by their names in any encoding", {
  x <- data.frame(a = rep(1:2, 30), b = 1:60)
  y <- factor(x$b > 25)
  names(x)[2] <- "gr\u00f6\u00dfe"
  fit <- contree(x, y, depth = 1)
  new <- x[c(1, 60), ]
  names(new)[2] <- iconv(names(x)[2], "UTF-8", "latin1")
  expect_identical(Encoding(names(new)[2]), "latin1")
  expect_identical(predict(fit, new), predict(fit, x[c(1, 60), ]))
})
