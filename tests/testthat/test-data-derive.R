# The whole way from predictors of all kinds to a tree on them, against the definition of the splits
# (helper-mixed.R).

# Whether all that must hold of a fit on its training rows does; the names of what does not.
unsound <- function(fit, data) {
  leaf <- walk(fit, data)
  rules <- contree_rules(fit, digits = 17)
  chosen <- do.call(cbind, lapply(rules$rule, function(rule) rep_len(eval(str2lang(rule), data),
                                                                     nrow(data)) %in% TRUE))
  holds <- c(proof = fit$status == "optimal" && fit$bound == fit$cost,
             nodes = identical(unname(predict(fit, data, type = "node")), leaf),
             classes = identical(predict(fit, data), predict(fit)),
             shares = identical(predict(fit, data, type = "prob"), predict(fit, type = "prob")),
             errors = sum(predict(fit, data) != data$y) == fit$objective,
             rules = identical(rules$node[max.col(chosen)], leaf) && all(rowSums(chosen) == 1))
  names(holds)[!holds]
}

test_that("trees on mixed predictors cost what brute force says", {
  set.seed(21)
  for (case in seeds(300, 30)) {
    depth <- sample(c(1, 1, 2, 2, 2, 2, 3), 1)
    data <- mixed_table(sample(2:c(40, 16, 9)[depth], 1), sample(2:3, 1))
    complexity <- sample(c(0, 0.07), 1)
    minbucket <- sample(c(1, 1, 2), 1)
    fit <- contree(y ~ ., data, depth = depth, complexity = complexity, minbucket = minbucket)
    best <- brute_force_mixed(data, depth, complexity * nrow(data), minbucket)
    wrong <- c(unsound(fit, data),
               if (abs(fit$cost - best) > 1e-6) paste("cost", fit$cost, "not", best))
    expect_identical(wrong, character(), info = paste("case", case))
  }
})

# The family of a factor with many levels, written out: one level against the rest, and for each
# class the levels in order of its share in the whole table. Missing on either side, or apart.
restricted_splits <- function(data, name) {
  x <- as.character(data[[name]])
  levels <- levels(factor(x))
  sets <- as.list(levels)
  # the order of the one of two classes is that of the other, reversed
  for (class in if (nlevels(data$y) == 2) levels(data$y)[1] else levels(data$y)) {
    share <- vapply(levels, function(level) mean(data$y[x %in% level] == class), 0)
    sets <- c(sets, lapply(seq_along(levels), function(i) levels[order(share)][seq_len(i)]))
  }
  left <- lapply(sets, function(set) x %in% set)
  c(left, lapply(left, `|`, is.na(x)), list(is.na(x)))
}

test_that("factors of many levels are optimal in the stated family", {
  set.seed(22)
  for (case in seeds(100, 10)) {
    n <- sample(20:30, 1)
    data <- data.frame(many = factor(sample(letters[1:9], n, TRUE)), a = sample(4, n, TRUE))
    if (case %% 2) data$many[sample(n, 8)] <- NA
    data$y <- factor(sample(LETTERS[1:(2 + case %% 3 %/% 2)], n, TRUE))
    depth <- 1 + case %% 2
    expect_message(fit <- contree(y ~ ., data, depth = depth, subset_levels = 3),
                   "'many'.*subset_levels", class = "contree_message")
    frozen <- restricted_splits(data, "many")
    best <- brute_force_mixed(data, depth, splits = function(name, rows) {
      if (name == "many") frozen else all_splits(data[[name]], rows)
    })
    expect_equal(fit$cost, best, info = paste("case", case))
    expect_identical(unsound(fit, data), character(), info = paste("case", case))
    expect_identical(fit$restricted, "many")
  }
  expect_output(print(fit),
                "proven optimal among trees that split 'many' by one level or in order of a class",
                fixed = TRUE)
})

test_that("a level of many may be split together with the missing rows", {
  # an exclusive or: both classes have the same share in all levels, so that no order parts them
  data <- expand.grid(f = c(letters[1:10], NA), other = 1:2)
  data$y <- factor((is.na(data$f) | data$f == "e") == (data$other == 1))
  fit <- suppressMessages(contree(y ~ f + other, data, depth = 2))
  expect_equal(fit$objective, 0)
})

test_that("the family is chosen by the levels that training rows have, missing counted", {
  data <- data.frame(f = factor(rep(letters[1:5], 8), levels = letters), y = rep(c("u", "v"), 20))
  expect_silent(contree(y ~ f, data, depth = 1, subset_levels = 5))
  expect_message(contree(y ~ f, data, depth = 1, subset_levels = 4), class = "contree_message")
  data$f[1] <- NA
  expect_message(contree(y ~ f, data, depth = 1, subset_levels = 5), class = "contree_message")
  expect_silent(suppressMessages(contree(y ~ f, data, depth = 1, subset_levels = 5)))
  expect_null(contree(y ~ f, data, depth = 1)$restricted)
})

test_that("complete numbers reach the search as they are", {
  frame <- contree:::read_data(Species ~ ., iris, NULL, NULL, globalenv())
  expect_null(contree:::derive_columns(frame, as.integer(iris$Species), 3, 6))
  expect_identical(frame$columns, as.list(iris[1:4]))
  expect_equal(contree(Species ~ ., iris, depth = 2)$splits[, "count"],
               iris2$frame$n[iris2$frame$var != "<leaf>"], ignore_attr = TRUE)
})

test_that("nothing is lost next to the largest numbers", {
  largest <- .Machine$integer.max
  data <- data.frame(i = c(-largest, largest, NA, 0L), y = c("u", "u", "v", "u"))
  fit <- contree(y ~ i, data, depth = 1)
  expect_equal(fit$objective, 0)
  expect_equal(abs(fit$splits[[1, "index"]]), Inf)
  data$i <- c(-1, 1, NA, 0) * .Machine$double.xmax / 2
  expect_equal(contree(y ~ i, data, depth = 1)$objective, 0)
  expect_equal(contree(y ~ i, transform(data, y = c("u", "v", "v", "u")), depth = 1)$objective, 0)
})

test_that("predictors without two values do no harm", {
  data <- data.frame(none = NA, number = NA_real_, text = NA_character_, one = factor("a"),
                     y = rep(c("u", "v"), 3))
  expect_equal(nrow(contree(y ~ ., data)$frame), 1)
  data$one[c(1, 3, 5)] <- NA
  fit <- contree(y ~ ., data, depth = 1)
  expect_equal(fit$objective, 0)
  expect_output(print(fit), "one missing 3 0 u")
  expect_output(print(fit), "one not missing 3 0 v")
  expect_identical(contree_rules(fit)$rule, c("!(one %in% NA)", "one %in% NA"))
  expect_identical(as.character(predict(fit, data)), data$y)
})

test_that("100 levels, 100,000 rows and 20,000 levels are searched", {
  skip_on_cran()
  set.seed(23)
  n <- 1e5
  data <- data.frame(f = factor(sample(100, n, TRUE)), b = round(rnorm(n), 1))
  data$y <- factor(runif(n) < plogis(sin(as.integer(data$f)) - data$b))
  data$f[sample(n, n / 10)] <- NA
  data$b[sample(n, n / 10)] <- NA
  fit <- suppressMessages(contree(y ~ ., data, depth = 2))
  expect_identical(fit$status, "optimal")
  ids <- data.frame(id = as.character(seq_len(2e4)), y = rep(c("u", "v"), 1e4))
  expect_equal(suppressMessages(contree(y ~ id, ids, depth = 1))$objective, 0)
})

# At most the errors of a greedy tree of the same depth on the same predictors.
expect_beats_rpart <- function(formula, data, depth) {
  response <- all.vars(formula)[1]
  greedy <- rpart::rpart(formula, data, method = "class", cp = 0, minsplit = 2, minbucket = 1,
                         maxdepth = depth, xval = 0)
  fit <- contree(formula, data, depth = depth)
  used <- data[!is.na(data[[response]]), ]
  if (depth <= 2) expect_identical(fit$status, "optimal")
  expect_lte(fit$objective, sum(predict(greedy, used, type = "class") != used[[response]]))
  expect_equal(sum(predict(fit, used) != used[[response]]), fit$objective)
}

test_that("real data with all their gaps: never more errors than rpart", {
  skip_if_not_installed("rpart")
  stagec <- transform(rpart::stagec, pgstat = factor(pgstat), grade = ordered(grade),
                      eet = factor(eet), pgtime = NULL)
  for (depth in 1:3) expect_beats_rpart(pgstat ~ ., stagec, depth)
  # for more than two classes rpart tries all sets of levels, however many
  few_levels <- vapply(rpart::car90, function(x) is.numeric(x) || is.ordered(x) || nlevels(x) <= 6,
                       NA)
  for (depth in 1:2) expect_beats_rpart(Type ~ ., rpart::car90[few_levels], depth)
  skip_on_cran()
  if (requireNamespace("MASS", quietly = TRUE)) {
    for (depth in 1:3) expect_beats_rpart(type ~ ., MASS::Pima.tr2, depth)
  }
  if (requireNamespace("survival", quietly = TRUE)) {
    colon <- subset(survival::colon, etype == 2,
                    c(status, rx, sex, age, obstruct, nodes, differ, extent, node4))
    for (name in setdiff(names(colon), c("age", "nodes"))) colon[[name]] <- factor(colon[[name]])
    for (depth in 1:3) expect_beats_rpart(status ~ ., colon, depth)
  }
})
