# The same as predict() without names, for each type.
expect_same_answers <- function(fit, new, given = new, ...) {
  for (type in c("class", "prob", "node")) {
    expected <- predict(fit, new, type = type, ...)
    if (type == "prob") rownames(expected) <- NULL else names(expected) <- NULL
    expect_identical(contree_predictor(fit, type, ...)(given), expected)
  }
}

test_that("rows come as data frame, matrix, list or vector", {
  x <- as.matrix(iris[1:4])
  for (fit in list(iris2, contree(x, iris$Species, depth = 2),
                   contree(Species ~ Petal.Width, iris, depth = 0))) {
    inputs <- fit$shape$inputs
    for (rows in list(1:150, 71, integer())) {
      expect_same_answers(fit, iris[rows, ])
      expect_same_answers(fit, iris[rows, ], iris[rows, 5:1])
      expect_same_answers(fit, iris[rows, ], x[rows, 4:1, drop = FALSE])
      expect_same_answers(fit, iris[rows, ], unname(x[rows, inputs, drop = FALSE]))
      expect_same_answers(fit, iris[rows, ], as.list(iris[rows, ]))
      expect_same_answers(fit, iris[rows, ], unname(as.list(iris[rows, inputs, drop = FALSE])))
    }
    expect_same_answers(fit, iris[71, ], x[71, 4:1])
    expect_same_answers(fit, iris[71, ], unname(x[71, inputs]))
    expect_same_answers(fit, data.frame(as.list(c(x[1, -3], Petal.Length = NA))),
                        c(x[1, -3], Petal.Length = NA))
  }
  expect_identical(contree_predictor(iris2, "response")(iris), unname(predict(iris2)))
})

test_that("all types of predictors, missing values and new levels are answered as by predict()", {
  set.seed(41)
  for (case in 1:15) {
    data <- mixed_table(40, 3)
    fit <- contree(y ~ ., data, depth = 3)
    new <- data[sample(40, 60, TRUE), ]
    expect_same_answers(fit, new)
    for (name in setdiff(names(data), "y")) new[[name]][sample(60, 12)] <- NA
    expect_same_answers(fit, new)
    expect_same_answers(fit, new, as.list(new))
    expect_same_answers(fit, new[1, ])
    for (name in names(new)[vapply(new, is.factor, NA)]) new[[name]] <- as.character(new[[name]])
    expect_same_answers(fit, new)
    for (name in names(new)[vapply(new, is.character, NA)]) {
      new[[name]] <- factor(new[[name]], rev(unique(new[[name]])))
    }
    expect_same_answers(fit, new)
  }
})

test_that("dates, times, differences and calls in the formula are answered as by predict()", {
  set.seed(42)
  data <- data.frame(d = as.Date("2024-02-20") + 1:40,
                     t = as.POSIXct("2024-10-27", tz = "UTC") + 3600 * sample(40), w = as.difftime(
                       sample(40), units = "hours"), a = runif(40), y = rep(c("u", "v"), 20))
  for (formula in list(y ~ d, y ~ t, y ~ w, y ~ log(a), y ~ poly(a, 2), y ~ d + t + a)) {
    fit <- contree(formula, data, depth = 3)
    expect_same_answers(fit, data)
    expect_same_answers(fit, data[3, ], as.list(data[3, ]))
    expect_same_answers(fit, transform(data, w = `units<-`(w, "mins"),
                                       t = structure(t, tzone = "Europe/Berlin")))
  }
})

test_that("new levels are told as predict() tells them", {
  data <- data.frame(f = rep(c("a", "b", "c"), 10), y = rep(c("u", "v", "u"), 10))
  fit <- contree(y ~ f, data, depth = 1)
  expect_warning(contree_predictor(fit)(list(f = c("a", "z"))), class = "contree_new_levels")
  expect_identical(suppressWarnings(contree_predictor(fit)(list(f = "z"))),
                   suppressWarnings(unname(predict(fit, data.frame(f = "z")))))
  expect_contree_error(contree_predictor(fit, new_levels = "error")(list(f = "z")), "input", "'z'")
})

test_that("what cannot be predicted is named", {
  species <- contree_predictor(iris2)
  expect_contree_error(contree_predictor(iris), "input", c("'fit'", "\"data.frame\""))
  expect_contree_error(contree_predictor(iris2, "path"), "input", c("'type'", "\"path\""))
  expect_contree_error(contree_predictor(iris2, new_levels = "guess"), "input",
                       c("'new_levels'", "guess"))
  expect_contree_error(species(1:3), "input", c("'newdata'", "3 values", "4 predictors"))
  expect_contree_error(species(letters[1:4]), "input", c("'newdata'", "vector of numbers"))
  expect_contree_error(species(c(Petal.Width = 1)), "input", c("'newdata'", "'Petal.Length'"))
  expect_contree_error(species(list(1, 2, 3:4, 1)), "input",
                       c("'newdata'", "same length", "'Petal.Length' has 2"))
  expect_contree_error(species(iris[-3]), "input", c("'newdata'", "'Petal.Length'"))
  expect_contree_error(species(transform(iris, Petal.Length = "a", Petal.Width = "b")), "input",
                       "character")
})

test_that("a predictor can be saved, and reads nothing but the fit", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(contree_predictor(iris2), file)
  expect_identical(readRDS(file)(iris), unname(predict(iris2)))
})

test_that("any number of threads answers the same", {
  new <- iris[rep(1:150, length.out = 60000), ]
  old <- contree_threads(1)
  on.exit(contree_threads(old))
  one <- predict(iris2, new, type = "node")
  contree_threads(2)
  expect_identical(predict(iris2, new, type = "node"), one)
  expect_identical(contree_predictor(iris2, "node")(new), unname(one))
  expect_identical(unname(one[1:150]), unname(predict(iris2, type = "node")))
})
