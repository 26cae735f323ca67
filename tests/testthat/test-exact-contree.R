test_that("formula, data frame and matrix give the same tree", {
  by_frame <- contree(iris[1:4], iris$Species, depth = 2)
  by_matrix <- contree(as.matrix(iris[1:4]), iris$Species, depth = 2)
  expect_s3_class(iris2, "contree")
  for (fit in list(by_frame, by_matrix)) {
    expect_equal(fit$frame, iris2$frame)
    expect_equal(fit$splits, iris2$splits)
    expect_equal(fit$where, iris2$where, ignore_attr = TRUE)
    expect_null(fit$terms)
  }
  expect_identical(iris2$status, "optimal")
  expect_identical(iris2$gap, 0)
})

test_that("the tree is as good as brute force says", {
  set.seed(1)
  for (case in 1:60) {
    n <- sample(2:10, 1)
    x <- matrix(sample(4, n * 2, TRUE), n, 2)
    y <- factor(sample(letters[1:3], n, TRUE))
    depth <- sample(0:3, 1)
    complexity <- sample(c(0, 0.07, 0.15), 1)
    fit <- contree(x, y, depth = depth, complexity = complexity)
    expect_equal(fit$cost, brute_force(x, as.integer(y), depth, complexity * n),
                 info = paste("case", case))
    expect_equal(fit$bound, fit$cost, info = paste("case", case))
  }
})

test_that("errors fall with depth and never exceed rpart's", {
  skip_if_not_installed("rpart")
  errors <- vapply(0:3, function(depth) contree(Species ~ ., iris, depth = depth)$objective, 0)
  expect_false(is.unsorted(rev(errors)))
  expect_equal(errors[1], 100)
  greedy <- rpart::rpart(Species ~ ., iris, cp = 0, minsplit = 2, minbucket = 1, maxdepth = 2)
  expect_lte(errors[3], sum(predict(greedy, type = "class") != iris$Species))
})

test_that("responses of all kinds become classes in order", {
  letters3 <- factor(iris$Species, levels = c("virginica", "unused", "setosa", "versicolor"))
  fit <- contree(iris[1:4], letters3, depth = 1)
  expect_identical(levels(predict(fit)), levels(letters3))
  expect_identical(colnames(predict(fit, type = "prob")), levels(letters3))
  expect_true(all(predict(fit, type = "prob")[, "unused"] == 0))
  expect_identical(levels(predict(contree(iris[1:4], as.character(iris$Species), depth = 1))),
                   levels(iris$Species))
  logical <- contree(iris[1:4], iris$Species == "setosa", depth = 1)
  expect_identical(levels(predict(logical)), c("FALSE", "TRUE"))
  expect_equal(logical$objective, 0)
  expect_equal(contree(iris[1:4], rep(TRUE, 150), depth = 1)$ylevels, c("FALSE", "TRUE"))
})

test_that("one row, one class and constant predictors give a root", {
  one_row <- contree(Species ~ ., iris[51, ])
  one_class <- contree(Species ~ ., iris[1:50, ])
  constant <- contree(Species ~ a, data.frame(a = 1, Species = iris$Species))
  expect_equal(c(nrow(one_row$frame), nrow(one_class$frame), nrow(constant$frame)), c(1, 1, 1))
  expect_identical(as.character(predict(one_row, iris[1, ])), "versicolor")
  expect_identical(levels(predict(one_class)), levels(iris$Species))
  expect_equal(c(one_row$objective, one_class$objective, constant$objective), c(0, 0, 100))
  expect_output(print(constant), "1) root 150 100 setosa", fixed = TRUE)
})

test_that("integers, logicals and doubles are predictors", {
  data <- data.frame(i = rep(1:4, 5), l = rep(c(TRUE, FALSE), 10), d = seq(0, 1, length.out = 20))
  expect_equal(contree(data, factor(data$i > 2), depth = 1)$splits[[1, "index"]], 2.5)
  expect_equal(contree(data, factor(data$l), depth = 1)$splits[[1, "index"]], 0.5)
  expect_equal(contree(as.matrix(data["l"]), factor(data$l), depth = 1)$objective, 0)
})

test_that("arguments can come in any order and from rpart", {
  expect_equal(contree(data = iris, formula = Species ~ ., maxdepth = 2)$frame, iris2$frame)
  expect_equal(contree(y = iris$Species, x = iris[1:4], depth = 2)$frame, iris2$frame)
  # rpart's cp is a share of the errors of the root, here 100 of 150 rows
  expect_equal(contree(Species ~ ., iris, cp = 0.3)$control$complexity, 0.2)
  expect_equal(contree(Species ~ ., iris, cp = 0.3)$frame,
               contree(Species ~ ., iris, complexity = 0.2)$frame)
  expect_equal(contree(Species ~ ., iris, control = list(maxdepth = 1))$control$depth, 1)
  expect_equal(contree(Species ~ ., iris, complexity = 0.5,
                       control = contree_control(complexity = 0))$control$complexity,
               0.5)
})

test_that("subset selects rows as subset() does", {
  expect_equal(contree(Species ~ ., iris, subset = Species != "setosa", depth = 1)$frame$n[1], 100)
  expect_equal(names(contree(Species ~ ., iris, subset = 148:150, depth = 1)$where),
               c("148", "149", "150"))
  with_na <- iris
  with_na$Sepal.Length[1:10] <- NA
  expect_equal(nobs(contree(Species ~ Petal.Width, with_na, subset = Sepal.Length > 0)), 140)
  expect_equal(nobs(contree(Species ~ ., iris, subset = c(0, -1, NA, -2), depth = 1)), 148)
  expect_contree_error(contree(Species ~ ., iris, subset = c(-3, 2)), "input",
                       c("'subset'", "row 2", "row 3"))
  expect_contree_error(contree(Species ~ ., iris, subset = structure(1:9, class = "integer64")),
                       "input", c("'subset'", "integer64"))
})

test_that("a formula under another name, and what is none, are named", {
  for (fit in list(contree, contree_cv, contree_path)) {
    expect_contree_error(fit(x = Species ~ Petal.Width, data = iris), "input",
                         c("'x'", "Species ~ Petal.Width", "'formula'"))
  }
  expect_contree_error(contree(formula = iris), "input", c("'formula'", "data.frame"))
})

test_that("rows without a response are left out, with a count", {
  holes <- within(iris, Species[c(3, 60)] <- NA)
  holes$Petal.Length[1:20] <- NA
  fit <- contree(Species ~ ., holes, depth = 1)
  expect_equal(nobs(fit), 148)
  expect_output(print(fit), "n=148 (2 observations deleted due to missingness)", fixed = TRUE)
  expect_identical(names(fit$na.action), c("3", "60"))
  expect_false("3" %in% names(fit$where))
  expect_equal(nobs(contree(Species ~ ., holes, depth = 1, na.action = na.pass)), 148)
  by_xy <- contree(holes[1:4], holes$Species, depth = 1)
  expect_equal(by_xy[c("frame", "na.action")], fit[c("frame", "na.action")])
  expect_equal(contree(as.matrix(holes[1:4]), holes$Species, depth = 1)$frame, fit$frame)
  expect_equal(nrow(model.frame(fit)), 148)
  expect_equal(dim(contree(Species ~ ., holes, depth = 1, model = TRUE)$model), c(148, 5))
})

test_that("NaN is missing, whatever the type of the data", {
  holes <- transform(iris, Petal.Length = replace(Petal.Length, 1:9, NA))
  fit <- contree(Species ~ ., holes, depth = 2)
  with_nan <- transform(iris, Petal.Length = replace(Petal.Length, 1:9, NaN))
  expect_identical(contree(Species ~ ., with_nan, depth = 2)$frame, fit$frame)
  expect_identical(contree(as.matrix(with_nan[1:4]), iris$Species, depth = 2)$frame, fit$frame)
  expect_equal(fit$objective, brute_force_mixed(data.frame(holes[3:4], y = iris$Species), 2))
})

test_that("missing = 'omit' is na.omit, and a na.action wins", {
  holes <- iris
  holes$Petal.Length[c(3, 60)] <- NA
  holes$Species[100] <- NA
  expected <- contree(Species ~ ., holes, depth = 2, na.action = na.omit)
  expect_equal(contree(Species ~ ., holes, depth = 2,
                       missing = "omit")[c("frame", "splits", "na.action")],
               expected[c("frame", "splits", "na.action")])
  expect_equal(contree(holes[1:4], holes$Species, depth = 2, missing = "omit")$frame,
               expected$frame)
  expect_equal(contree(as.matrix(holes[1:4]), holes$Species, depth = 2, missing = "omit")$frame,
               expected$frame)
  expect_equal(nobs(contree(Species ~ ., holes, depth = 1, missing = "fail", na.action = na.pass)),
               149)
  expect_equal(nobs(contree(Species ~ ., holes, depth = 1, missing = "learn", na.action = na.omit)),
               147)
  some <- contree(Species ~ ., holes, depth = 1, subset = 50:150, missing = "omit")
  expect_identical(names(some$na.action), c("60", "100"))
})

test_that("na.action is honoured and kept", {
  holes <- iris
  holes$Petal.Length[c(3, 60)] <- NA
  holes$Species[100] <- NA
  fit <- contree(Species ~ ., holes, depth = 1, na.action = na.omit)
  expect_equal(nobs(fit), 147)
  expect_length(fitted(fit), 147)
  expect_output(print(fit), "n=147 (3 observations deleted due to missingness)", fixed = TRUE)
  padded <- contree(Species ~ ., holes, depth = 1, na.action = "na.exclude")
  expect_length(fitted(padded), 150)
  expect_true(all(is.na(fitted(padded)[c(3, 60, 100)])))
  expect_equal(dim(predict(padded, type = "prob")), c(150, 3))
  expect_equal(sum(is.na(residuals(padded))), 3)
  expect_null(contree(Species ~ ., iris, depth = 1, na.action = na.omit)$na.action)
})

test_that("fits inside functions and lapply work and keep no frame of theirs", {
  fit_one <- function(data, d) {
    ballast <- rnorm(1e5)
    contree(Species ~ log(Petal.Length) + ., data = data, depth = d)
  }
  fits <- lapply(0:2, function(d) fit_one(iris, d))
  expect_equal(vapply(fits, function(f) f$control$depth, 0), 0:2)
  expect_lt(length(serialize(fits[[3]], NULL)), 20000)
  expect_identical(predict(fits[[3]], iris[1:3, ]), predict(fits[[3]])[1:3])
  by_do_call <- do.call(contree, list(Species ~ ., data = iris, depth = 2))
  expect_lt(length(serialize(by_do_call, NULL)), 20000)
  expect_identical(by_do_call$call, quote(contree(formula = Species ~ ., data = iris, depth = 2)))
})

test_that("the call is kept as typed", {
  expect_identical(contree::contree(Species ~ ., iris, depth = 1)$call,
                   quote(contree::contree(formula = Species ~ ., data = iris, depth = 1)))
  expect_identical(contree(iris[1:4], iris$Species, depth = 1)$call,
                   quote(contree(x = iris[1:4], y = iris$Species, depth = 1)))
})

test_that("the random numbers of the session are left alone", {
  set.seed(3)
  before <- .Random.seed
  contree(Species ~ ., iris, depth = 2)
  expect_identical(.Random.seed, before)
})

test_that("20,000 columns are read, by formula and by x and y", {
  set.seed(5)
  wide <- as.data.frame(matrix(rnorm(20000 * 20), 20))
  wide$y <- factor(wide$V777 > 0)
  by_formula <- contree(y ~ ., wide, depth = 1)
  by_x <- contree(wide[setdiff(names(wide), "y")], wide$y, depth = 1)
  less_one <- contree(y ~ . - V777, wide, depth = 1)
  again <- predict(by_formula, wide)
  expect_equal(by_formula$objective, 0)
  expect_equal(by_x$frame, by_formula$frame)
  expect_false("V777" %in% less_one$shape$names)
  expect_identical(as.character(again), as.character(wide$y))
  expect_lt(as.numeric(object.size(by_formula$terms)), 8e6)
})

test_that("more rows than 65,536 and more classes than 256 do not wrap", {
  n <- 70000
  y <- factor(seq_len(n) %% 300)
  fit <- contree(data.frame(x = as.numeric(seq_len(n) %% 300)), y, depth = 1)
  expect_equal(sum(fit$frame$n[fit$frame$var == "<leaf>"]), n)
  expect_equal(fit$objective, n - sum(sort(tabulate(y), TRUE)[1:2]))
})

test_that("a gap says what rounding of weights and losses may hide", {
  data <- data.frame(y = factor(c("a", "b", "c", "a", "b", "c", "a", "b")),
                     x = c(1, 1, 2, 2, 3, 3, 4, 4))
  weights <- c(3, 50021, 7, 11, 900001, 13, 17, 19)
  loss <- matrix(c(0, 1, 1, 1e11, 0, 2, 3, 1, 0), 3, byrow = TRUE)
  whole <- contree(y ~ x, data, weights = weights, loss = loss, depth = 1)
  expect_identical(c(whole$status, whole$gap), c("optimal", "0"))
  expect_gt(whole$bound, 0)
  loss[2:3] <- loss[2:3] * pi
  real <- contree(y ~ x, data, weights = weights * sqrt(2:9), loss = loss, depth = 1)
  expect_gt(real$gap, 0)
  expect_equal(real$gap, real$cost - real$bound)
  expect_match(capture.output(print(real))[3],
               "^Tree of .*proven optimal but for rounding of weights and losses: gap")
})

test_that("a price may take the place of a depth, and the fit says for which depths it proves", {
  depth <- function(...) contree(Species ~ ., iris, ...)$control$depth
  expect_identical(depth(complexity = 0.01), 4)
  expect_identical(depth(cp = 0.01), 4)
  expect_identical(depth(complexity = 0.009), 3)
  expect_identical(depth(cp = 0.01, depth = 2), 2)
  expect_identical(depth(control = contree_control(complexity = 0.1)), 4)
  line <- function(fit) capture.output(print(fit))[3]
  said <- 0
  for (price in c(0.004, 0.01, 0.02, 0.05, 0.2)) {
    fits <- lapply(1:6, function(d) contree(Species ~ ., iris, depth = d, complexity = price))
    costs <- vapply(fits, `[[`, 0, "cost")
    any_depth <- grepl("of any depth", vapply(fits, line, ""), fixed = TRUE)
    expect_false(any(costs[any_depth] > min(costs)))
    # the price of one more level than there are is the cost of a tree that deep, at least
    expect_identical(any_depth, costs < (2:7) * price * 150)
    said <- said + sum(any_depth)
  }
  expect_gt(said, 0)
  expect_match(line(contree(mpg ~ ., mtcars, complexity = 0.3)), "of any depth", fixed = TRUE)
})
