# Data that are not those of the fit are refused wherever they are given, or found, again.

# Of each kind a predictor, with and without missing values.
kinds <- function(n = 60) {
  set.seed(8)
  data <- data.frame(x = round(rnorm(n), 2), k = sample(9L, n, TRUE), l = runif(n) < 0.5,
                     f = factor(sample(letters[1:3], n, TRUE)), g = sample(LETTERS[1:3], n, TRUE),
                     o = ordered(sample(4, n, TRUE)), day = as.Date("2024-02-27") + seq_len(n),
                     at = as.POSIXct("2024-02-27 12:00:00", tz = "UTC") + sample(n),
                     long = as.difftime(runif(n), units = "hours"))
  data$z <- replace(data$x + rnorm(n), sample(n, 9), NA)
  data$f[sample(n, 5)] <- NA
  data$y <- factor(ifelse(data$x + (data$f %in% "a") + rnorm(n) > 0, "yes", "no"))
  data
}

# What was changed, and a word that the error has of it.
changes_of <- function(data) {
  one <- function(name, row, value) {
    data[[name]][row] <- value
    data
  }
  row <- which(!is.na(data$z))[1]
  list(
    "'x' has other" = one("x", 7, data$x[7] + 1e-9), "'k' has other" = one("k", 60, 10L),
    "'l' has other" = one("l", 1, !data$l[1]),
    "'f' has other" = one("f", 8, setdiff(letters[1:3], data$f[8])[1]),
    "'f' has other values" = one("f", which(is.na(data$f))[1], "a"),
    "'g' has other" = one("g", 8, setdiff(LETTERS[1:3], data$g[8])[1]),
    "'o' has other" = one("o", 8, if (data$o[8] == 1) 2 else 1),
    "'day' has other" = one("day", 30, data$day[30] + 1),
    "'at' has other" = one("at", 30, data$at[30] + 1), "'z' has other" = one("z", row, NA),
    "unit of time" = transform(data, long = structure(long, units = "mins")),
    "'k' has the type numeric" = transform(data, k = as.numeric(k)),
    "'f' has other levels" = transform(data, f = factor(f, levels = c("c", "b", "a"))),
    "'f' has other levels, or" = transform(data, f = factor(f, levels = letters[1:4])),
    "the predictors are in another order" = data[c(2, 1, 3:11)],
    "'more'" = transform(data, more = 1), "'long'" = data[names(data) != "long"],
    "59 rows" = data[-1, ], "in another order" = data[c(2, 1, 3:60), ],
    "the response has other values" = one("y", 3, setdiff(c("yes", "no"), data$y[3])),
    "classes are 'yes'" = transform(data, y = factor(y, levels = c("yes", "no"))))
}

test_that("the very data are taken, however they are given", {
  data <- kinds()
  fits <- list(contree(y ~ ., data, depth = 2), contree(data[-11], data$y, depth = 2),
               contree(x ~ ., data[-11], depth = 2),
               contree(y ~ log(x + 9) + poly(k, 2) + z, data, depth = 2, missing = "omit"),
               contree(y ~ . - x, data, depth = 2, weights = k, subset = k > 2))
  for (fit in fits) {
    again <- if (is.null(fit$terms)) list(x = data[-11], y = data$y) else eval(fit$call$data)
    expect_length(fit$hash, length(fit$shape$names))
    expect_silent(contree_alternatives(fit, data = again))
    expect_silent(contree_alternatives(fit))
    expect_silent(contree_stability(fit, samples = 2, data = again))
    if (!is.null(fit$terms)) expect_identical(nrow(model.frame(fit)), nobs(fit))
    kept <- unserialize(serialize(fit, NULL))
    expect_silent(contree_alternatives(kept, data = again))
  }
  numbers <- as.matrix(iris[1:4])
  numbers[2, 2] <- 0
  fit <- contree(numbers, iris$Species, depth = 1)
  again <- numbers
  again[2, 2] <- -0
  expect_silent(contree_alternatives(fit, data = list(x = as.data.frame(again), y = iris$Species)))
})

test_that("other data are refused, and what is other is named", {
  data <- kinds()
  fit <- contree(y ~ ., data, depth = 2, certificate = TRUE)
  changes <- changes_of(data)
  for (what in names(changes)) {
    other <- changes[[what]]
    for (again in list(function() contree_alternatives(fit, data = other),
                       function() contree_stability(fit, samples = 2, data = other))) {
      expect_contree_error(again(), "input", c("not those of the fit", what, "same rows"))
    }
    check <- contree_certify(fit, other)
    expect_false(check$valid, info = what)
    if (!grepl("other", what)) expect_match(check$reason, what, fixed = TRUE)
  }
  # found by the call
  data$x[1] <- data$x[1] + 1
  expect_contree_error(contree_alternatives(fit), "input", "'x' has other values")
  expect_contree_error(contree_stability(fit, samples = 2), "input", "'x' has other values")
  expect_contree_error(model.frame(fit), "input", c("'x' has other values", "model = TRUE"))
  expect_match(contree_certify(fit)$reason, "'x' has other values|does not reach the leaf")
})

test_that("each value of a column, and its place, is part of its hash", {
  hash <- function(x) contree:::hash_columns(list(x))
  for (n in c(1:13, 255:261, 515)) {
    x <- rep_len(c(0, 1, 1, 2, NA), n)
    expect_identical(hash(x), contree:::hash_columns(cbind(x)))
    expect_identical(hash(x), hash(replace(replace(x, is.na(x), NaN), x %in% 0, -0)))
    changed <- vapply(seq_len(n), function(row) hash(replace(x, row, 3)), 0)
    swapped <- vapply(seq_len(n)[-1], function(row) hash(replace(x, c(1, row), x[c(row, 1)])), 0)
    integers <- vapply(seq_len(n), function(row) hash(replace(as.integer(x), row, 3L)), 0)
    expect_false(hash(x) %in% changed || hash(as.integer(x)) %in% integers)
    expect_identical(anyDuplicated(c(changed, hash(c(x, 0)))), 0L)
    expect_identical(swapped == hash(x), x[-1] %in% x[1])
  }
})

test_that("other weights are refused", {
  data <- transform(iris, w = rep(c(1, 2, 2), 50))
  fit <- contree(Species ~ . - w, data, weights = w, depth = 1)
  expect_named(contree_alternatives(fit, data = data))
  other <- transform(data, w = rep(c(2, 1, 2), 50)) # of the same sums by class
  expect_contree_error(contree_alternatives(fit, data = other), "input", "weights are others")
})

test_that("objects of other packages are given the rows of the fit alone", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  data <- kinds()
  used <- setdiff(names(data), c("at", "long"))
  fit <- contree(y ~ ., data[used], depth = 3)
  expect_identical(nrow(as.rpart(fit, data = data)$model), 60L)
  changes <- changes_of(data)
  asked <- paste0("'", contree:::used_predictors(fit), "' has other values")
  for (what in names(changes)) {
    named <- any(startsWith(asked, what)) || what %in% c("in another order", "59 rows",
                                                         "the response has other values")
    if (!named) next
    for (convert in list(as.rpart, partykit::as.party)) {
      expect_contree_error(convert(fit, data = changes[[what]]), "input", "data")
    }
  }
  expect_true(any(vapply(names(changes), function(what) any(startsWith(asked, what)), NA)))
})

test_that("a fit without training rows takes what its root allows", {
  fit <- contree(Species ~ ., iris, depth = 2)
  fit$hash <- NULL
  expect_length(contree_alternatives(fit, within = 5), 2)
  for (other in list(iris[-1, ], iris[-1], transform(iris, Species = Species[c(51, 2:150)]))) {
    expect_contree_error(contree_alternatives(fit, data = other), "input", "not those of the fit")
  }
})

test_that("functions and constants of the function that made the fit are found again", {
  power <- "another" # must not be taken for that of the fit
  made <- function(fit, ...) {
    power <- 2
    raised <- function(x) x^power
    fit(Species ~ raised(Petal.Length) + I(Sepal.Width > power), iris, depth = 2, ...)
  }
  fit <- made(contree, certificate = TRUE)
  expect_true(contree_certify(fit, iris)$valid)
  expect_s3_class(contree_alternatives(fit, within = 9, data = iris), "contree_alternatives")
  expect_s3_class(contree_stability(fit, samples = 2, data = iris), "contree_stability")
  expect_true(contree_certify(contree_set(fit, data = iris), iris)$valid)
  other <- transform(iris, Petal.Length = Petal.Length + 1)
  expect_false(contree_certify(fit, other)$valid)
  policy <- (function() {
    power <- 2
    contree(cbind(Sepal.Length, Sepal.Width) ~ I(Petal.Length^power), iris, depth = 1,
                objective = "rewards", certificate = TRUE)
  })()
  expect_true(contree_certify(policy, iris)$valid)
})

test_that("a formula in a variable of the function that made the fit is found again", {
  fit <- (function() {
    of_flowers <- Species ~ Petal.Length + log(Sepal.Width)
    contree(of_flowers, iris, depth = 2, certificate = TRUE)
  })()
  expect_true(contree_certify(fit, iris)$valid)
  expect_s3_class(contree_alternatives(fit, within = 9, data = iris), "contree_alternatives")
  expect_false(contree_certify(fit, transform(iris, Sepal.Width = Sepal.Width * 2))$valid)
})

test_that("of data that are given it is said what they lack", {
  least <- "none"
  fit <- (function(least) {
    contree(Species ~ Petal.Length, iris, subset = Sepal.Width > least - 1, depth = 1)
  })(3)
  others <- `rownames<-`(iris, paste0("r", seq_len(150)))
  expect_contree_error(contree_alternatives(fit, data = others), "input",
                       c("cannot be read as the call of the fit says", "Sepal.Width > least - 1"))
})
