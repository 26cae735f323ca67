# Cross-validation by a loop that shares nothing with contree_cv() but contree() itself: the first
# columns of the table.
by_hand <- function(formula, data, folds, depths, complexities = 0, ...) {
  truth <- model.response(model.frame(formula, data))
  rows <- list()
  for (depth in depths) for (complexity in complexities) {
    fit <- function(rows) {
      contree(formula, data[rows, ], depth = depth, complexity = complexity, ...)
    }
    wrong <- matrix(NA, nrow(data), ncol(folds))
    for (turn in seq_len(ncol(folds))) for (fold in unique(folds[, turn])) {
      test <- which(folds[, turn] == fold)
      wrong[test, turn] <- as.character(predict(fit(-test),
                                                data[test, ])) != as.character(truth[test])
    }
    all <- fit(seq_len(nrow(data)))
    rows[[length(rows) + 1]] <- data.frame(
      depth = depth, complexity = complexity, leaves = sum(as.data.frame(all)$leaf),
      training = all$objective / nrow(data), error = mean(wrong),
      se = sqrt(sum((rowMeans(wrong) - mean(wrong))^2)) / nrow(data))
  }
  do.call(rbind, rows)
}

noisy <- local({
  set.seed(4)
  data <- data.frame(a = runif(90), b = round(rnorm(90), 1), c = runif(90))
  data$class <- factor(ifelse(data$a + 0.4 * rnorm(90) > 0.5, "high", "low"))
  data
})

test_that("the table is that of a loop written by hand", {
  set.seed(1)
  cv <- contree_cv(Species ~ ., iris, depth = 0:2)
  expect_s3_class(cv, "contree_cv")
  expect_equal(cv$table[1:6], by_hand(Species ~ ., iris, cv$folds, 0:2))
  # with one repeat the standard error is the one of a proportion
  expect_equal(cv$table$se, sqrt(cv$table$error * (1 - cv$table$error) / 150))
  set.seed(2)
  cv <- contree_cv(class ~ ., noisy, depth = 2:1, complexity = c(0, 0.05), folds = 5, repeats = 3,
                   minbucket = 4)
  expect_identical(dim(cv$folds), c(90L, 3L))
  expect_equal(cv$table[1:6], by_hand(class ~ ., noisy, cv$folds, 1:2, c(0.05, 0), minbucket = 4))
})

test_that("formula and x, y, in any form, give the same", {
  set.seed(1)
  cv <- contree_cv(Species ~ ., iris, depth = 1:2)
  same <- list(contree_cv(iris[1:4], iris$Species, depth = 1:2, folds = cv$folds),
               contree_cv(as.matrix(iris[1:4]), iris$Species, depth = 1:2, folds = c(cv$folds)),
               contree_cv(unname(as.matrix(iris[1:4])), as.character(iris$Species), depth = 1:2,
                          folds = cv$folds),
               contree_cv(data = iris, formula = Species ~ ., depth = 1:2,
                          folds = factor(cv$folds)),
               contree_cv(Species ~ ., iris, depth = 1:2, folds = cv$folds,
                          control = list(threads = 1)))
  for (other in same) expect_equal(other[c("table", "folds")], cv[c("table", "folds")])
  set.seed(1)
  expect_equal(contree_cv(Species ~ ., iris, depth = 1:2)$folds, cv$folds)
})

test_that("subset, na.action and functions in the formula count", {
  data <- noisy
  data$a[5] <- NA
  set.seed(3)
  cv <- contree_cv(class ~ log(a) + poly(c, 2), data, subset = b < 1, na.action = na.omit,
                   depth = 1:2, folds = 3)
  kept <- which(data$b < 1 & !is.na(data$a))
  expect_identical(nrow(cv$folds), length(kept))
  expect_identical(cv$fit$where, contree(class ~ log(a) + poly(c, 2), data[kept, ],
                                         depth = cv$fit$control$depth)$where)
  flat <- data.frame(log(data$a), poly(data$c[kept], 2)[match(seq_len(90), kept), ],
                     class = data$class)[kept, ]
  expect_equal(cv$table[1:6], by_hand(class ~ ., flat, cv$folds, 1:2))
})

test_that("factors, missing values and levels of one fold alone are taken as they are", {
  set.seed(4)
  data <- mixed_table(60, 2)
  data$many <- sample(c(letters[1:12]), 60, TRUE)
  data$many[7] <- "only here"
  data$y[3:4] <- NA
  expect_message(cv <- contree_cv(y ~ ., data, depth = 1:2, folds = 4), "'many'",
                 class = "contree_message")
  expect_identical(nrow(cv$folds), 58L)
  kept <- data[!is.na(data$y), ]
  wrong <- vapply(1:2, function(depth) {
    missed <- logical(58)
    for (fold in 1:4) {
      test <- cv$folds[, 1] == fold
      fit <- suppressMessages(contree(y ~ ., kept[!test, ], depth = depth))
      missed[test] <- suppressWarnings(predict(fit, kept[test, ])) != kept$y[test]
    }
    mean(missed)
  }, 0)
  expect_equal(cv$table$error, wrong)
  by_xy <- suppressMessages(contree_cv(data[names(data) != "y"], data$y, depth = 1:2,
                                       folds = cv$folds))
  expect_equal(by_xy$table, cv$table)
  complete <- sum(complete.cases(data))
  expect_identical(nrow(suppressMessages(contree_cv(y ~ ., data, depth = 1, folds = 4,
                                                    missing = "omit"))$folds), complete)
})

test_that("the chosen tree is the one of its own call", {
  set.seed(1)
  cv <- contree_cv(Species ~ ., data = iris, depth = 1:2, repeats = 2, rule = "min", minbucket = 2)
  expect_equal(cv$fit$call,
               quote(contree(formula = Species ~ ., data = iris, depth = 2, minbucket = 2)))
  again <- eval(cv$fit$call)
  same <- c("frame", "splits", "where", "objective", "terms", "call")
  expect_identical(cv$fit[same], again[same])
  expect_identical(predict(cv, iris), predict(again, iris))
  expect_identical(predict(cv, iris, type = "prob"), predict(again, iris, type = "prob"))
  expect_equal(summary(cv)$confusion, summary(again)$confusion)
  qualified <- contree::contree_cv(Species ~ ., iris, depth = 1, complexity = 0.01)
  expect_equal(qualified$fit$call, quote(contree::contree(formula = Species ~ ., data = iris,
                                                          depth = 1, complexity = 0.01)))
  expect_equal(qualified$call, quote(contree::contree_cv(formula = Species ~ ., data = iris,
                                                         depth = 1, complexity = 0.01)))
  typed <- contree_cv(iris[1:4], iris$Species, 1, NULL)
  expect_equal(typed$fit$call, quote(contree(x = iris[1:4], y = iris$Species, depth = 1)))
  expect_identical(update(cv, depth = 1, folds = 3)$table$depth, 1)
})

test_that("the confusion is that of the rows held out", {
  set.seed(5)
  cv <- contree_cv(class ~ ., noisy, depth = 2, folds = 4, repeats = 2)
  predicted <- truth <- character()
  for (turn in 1:2) for (fold in 1:4) {
    test <- cv$folds[, turn] == fold
    predicted <- c(predicted, as.character(predict(contree(class ~ ., noisy[!test, ], depth = 2),
                                                   noisy[test, ])))
    truth <- c(truth, as.character(noisy$class[test]))
  }
  expect_identical(unclass(cv$confusion), unclass(table(truth, predicted)))
  expect_equal(1 - sum(diag(cv$confusion)) / sum(cv$confusion), cv$table$error)
})

test_that("rules take the simplest of what they allow", {
  choose <- contree:::choose_tree
  table <- data.frame(error = c(0.5, 0.25, 0.2, 0.2, 0.21), se = c(0.1, 0.05, 0.05, 0.01, 0.3))
  expect_identical(choose(table, "min"), 3L)
  expect_identical(choose(table, "1se"), 2L) # at the limit: 0.2 + 0.05
  table$se[3] <- 0.049
  expect_identical(choose(table, "1se"), 3L)
  set.seed(1)
  cv <- contree_cv(class ~ ., noisy, depth = 3:1, complexity = c(0, 0.1, 0.02), folds = 3)
  expect_identical(cv$table$depth, rep(c(1, 2, 3), each = 3))
  expect_identical(cv$table$complexity, rep(c(0.1, 0.02, 0), 3))
  expect_identical(which(cv$table$chosen), choose(cv$table, "1se"))
})

test_that("settings hold, and complexity may stand in control", {
  set.seed(1)
  cv <- contree_cv(class ~ ., noisy, depth = 2, folds = 3,
                   control = contree_control(complexity = 0.03, minbucket = 5))
  expect_identical(cv$table$complexity, 0.03)
  expect_identical(cv$fit$control[c("complexity", "minbucket")],
                   list(complexity = 0.03, minbucket = 5))
  expect_equal(cv$table[1:6], by_hand(class ~ ., noisy, cv$folds, 2, 0.03, minbucket = 5))
})

test_that("a class may be missing from a training set, or from the data", {
  data <- data.frame(x = 1:9, class = factor(rep(c("a", "b", "c"), c(5, 3, 1)),
                                             levels = c("none", "a", "b", "c")))
  cv <- contree_cv(class ~ x, data, depth = 2, folds = 3)
  expect_gte(cv$table$error, 1 / 9) # the one of class c
  expect_identical(rownames(cv$confusion), levels(data$class))
  loo <- contree_cv(class ~ x, data, depth = 1:2, folds = 9)
  expect_equal(loo$table[1:6], by_hand(class ~ x, data, loo$folds, 1:2))
})

test_that("nothing is drawn after the folds, and nothing else of the session changes", {
  set.seed(8)
  contree:::read_folds(10, 2, iris$Species)
  after_folds <- .Random.seed
  set.seed(8)
  contree_cv(Species ~ ., iris, depth = 1, repeats = 2)
  expect_identical(.Random.seed, after_folds)
  contree_cv(Species ~ ., iris, depth = 1, folds = rep(1:2, 75))
  expect_identical(.Random.seed, after_folds)
})

test_that("any plan of future gives the same", {
  skip_on_cran()
  skip_if_not_installed("future")
  cv <- function(...) {
    set.seed(6)
    contree_cv(class ~ ., noisy, depth = 1:3, folds = 4, repeats = 2, ...)
  }
  here <- cv()
  same <- c("call", "table", "rule", "folds", "confusion")
  old <- future::plan("sequential")
  on.exit(future::plan(old))
  expect_identical(cv()[same], here[same])
  expect_false(contree:::has_workers())
  future::plan("multisession", workers = 2)
  expect_true(contree:::has_workers())
  there <- cv()
  expect_identical(there[same], here[same])
  expect_identical(there$fit[c("frame", "splits", "where")],
                   here$fit[c("frame", "splits", "where")])
  states <- list()
  cv(progress = function(state) states[[length(states) + 1]] <<- state)
  done <- vapply(states, function(state) state$done, 0)
  expect_false(is.unsorted(done))
  expect_identical(done[length(done)], 27)
  # an error on the other side is the error of the call
  expect_contree_error(cv(memory_limit = 100), "input", "memory")
})

test_that("progress is told tree by tree, and the search under way too", {
  states <- list()
  tell <- function(state) states[[length(states) + 1]] <<- state
  cv <- contree_cv(Species ~ ., iris, depth = 1:2, folds = 3, progress = tell)
  between <- Filter(function(state) is.null(state$search), states)
  expect_identical(vapply(between, function(state) state$done, 0), as.numeric(1:8))
  expect_identical(names(states[[1]]), c("elapsed", "done", "total", "closed", "search"))
  expect_identical(between[[8]][c("total", "closed")], list(total = 8, closed = 1))
  text <- function(state) contree:::cv_text(state, "contree_cv")
  expect_identical(text(list(elapsed = 75, done = 31, total = 44, search = NULL)),
                   "contree_cv: 75 s, 31 of 44 trees")
  states <- list()
  suppressWarnings(by_counts(contree_cv(y ~ ., hard_table(), depth = 4, folds = 2,
                                        time_limit = 0.5, threads = 1, progress = tell)))
  searching <- Filter(function(state) !is.null(state$search), states)
  expect_gt(length(searching), 0)
  expect_match(text(searching[[1]]),
               "^contree_cv: [0-9]+ s, 0 of 3 trees; contree: [0-9]+ s, best [0-9]+, bound ")
})

test_that("progressr has one bar for all", {
  skip_if_not_installed("progressr")
  types <- character()
  old <- options(progressr.enable = TRUE)
  on.exit(options(old))
  withCallingHandlers(contree_cv(Species ~ ., iris, depth = 1:2, folds = 3, progress = "progressr"),
                      progression = function(p) types <<- c(types, p$type))
  expect_identical(sum(types == "initiate"), 1L)
  expect_true("update" %in% types)
  expect_identical(types[length(types)], "finish")
})

test_that("searches that were stopped are counted, with one warning", {
  warned <- list()
  note <- function(w) {
    warned[[length(warned) + 1]] <<- w
    invokeRestart("muffleWarning")
  }
  cv <- withCallingHandlers(
    by_counts(contree_cv(y ~ ., hard_table(600), depth = c(1, 4), folds = 3, time_limit = 0.1,
                         threads = 1), rows = 1e6),
    warning = note)
  expect_length(warned, 1)
  expect_s3_class(warned[[1]], "contree_cv_stopped")
  expect_match(conditionMessage(warned[[1]]), "^4 of 8 searches were stopped")
  expect_identical(conditionCall(warned[[1]])[[1]], quote(contree_cv))
  expect_identical(cv$table$stopped, c(0L, 4L))
  expect_output(print(cv), "stopped")
})

test_that("a tree to begin with, which may know the rows held out, is used on all rows only", {
  data <- hard_table(300)
  known <- suppressWarnings(by_counts(contree(y ~ ., data, depth = 4, time_limit = 0.3,
                                              threads = 1)))
  cv <- function(...) {
    suppressWarnings(contree_cv(y ~ ., data, depth = 4, folds = rep(1:30, 10), time_limit = 0,
                                threads = 1, ...))$table
  }
  without <- cv()
  with <- cv(start = known)
  expect_lt(with$training, without$training)
  expect_identical(with$error, without$error)
})

test_that("Ctrl-C ends all of it with an error", {
  skip_on_cran()
  skip_on_os("windows")
  session <- interrupt_session(c(
    long_data,
    "problem <- tryCatch(contree_cv(y ~ ., data, depth = 4, progress = say_deep),",
    "                    error = identity)",
    "say(class(problem)[1], conditionMessage(problem))"))
  expect_true(session$still_running)
  expect_match(session$said[3], "^contree_interrupted_error interrupted")
})

test_that("print shows the table and the rule", {
  set.seed(1)
  cv <- contree_cv(Species ~ ., iris, depth = 0:3)
  printed <- capture.output(shown <- withVisible(print(cv)))
  expect_false(shown$visible)
  expect_identical(shown$value, cv)
  row <- grep(sprintf("^ +3 +%d ", cv$table$leaves[4]), printed, value = TRUE)
  shown <- function(column) format(cv$table[[column]], digits = 4)[4]
  expect_match(row, sprintf("%s +%s [*]$", shown("error"), shown("se")))
  expect_length(grep("[*]$", printed), 1)
  for (words in c("10 folds", "one standard error", "held-out")) {
    expect_match(paste(printed, collapse = " "), words, fixed = TRUE) # lines may end in between
  }
  expect_false(any(grepl("complexity|stopped", printed)))
  expect_output(print(contree_cv(Species ~ ., iris, depth = 1, complexity = c(0, 0.1), repeats = 2,
                                 rule = "min")),
                "2 times.*complexity.*lowest error")
})

test_that("print and plot name what the table holds", {
  measure <- function(...) {
    printed <- capture.output(print(contree_cv(Species ~ ., iris, depth = 1, folds = 2, ...)))
    sub(":.*", "", grep("'training'", printed, value = TRUE))
  }
  expect_identical(measure(), "Proportion of misclassified rows")
  expect_identical(measure(weights = 1:150), "Weighted proportion of misclassified rows")
  expect_identical(measure(class_weights = c(1, 1, 2)), "Mean loss")
  expect_identical(measure(loss = 3 - diag(3, 3), weights = 1:150), "Weighted mean loss")
})

test_that("plot draws one and several lines, and returns the table", {
  set.seed(1)
  for (cv in list(contree_cv(Species ~ ., iris, depth = 0:2, folds = 3),
                  contree_cv(Species ~ ., iris, depth = 1, folds = 3),
                  contree_cv(Species ~ ., iris, depth = 1:2, complexity = c(0, 0.1), folds = 3),
                  contree_cv(Species ~ ., iris, depth = 2, complexity = c(0, 0.1), folds = 3))) {
    expect_identical(plot(cv, main = "cv"), cv$table)
    expect_identical(as.data.frame(cv), cv$table)
  }
  two_lines <- contree_cv(Species ~ ., iris, depth = 1:2, complexity = c(0, 0.1), folds = 3)
  expect_contree_error(plot(two_lines, col = "red"), "input", c("'col'", "2 lines"))
})

test_that("bad input is named", {
  cv <- function(...) contree_cv(Species ~ ., iris, ...)
  expect_contree_error(cv(depth = c(1, 17)), "input", c("'depth'", "17"))
  expect_contree_error(cv(depth = numeric()), "input", "'depth'")
  expect_contree_error(cv(depth = "two"), "input", c("'depth'", "two"))
  expect_contree_error(cv(complexity = c(0, -1)), "input", c("'complexity'", "-1"))
  expect_contree_error(cv(rule = "2se"), "input", c("'rule'", "2se"))
  expect_contree_error(cv(maxdepth = 3), "input", c("'maxdepth'", "depth = c("))
  expect_contree_error(cv(cp = 0.01), "input", c("'cp'", "complexity = c("))
  expect_contree_error(cv(control = list(cp = 0.01)), "input", "'cp'")
  expect_contree_error(cv(minbuket = 5), "input", c("'minbuket'", "'minbucket'"))
  expect_contree_error(contree_cv(Species ~ nothing, iris), "input", "'nothing'")
  expect_contree_error(contree_cv(iris[1:4]), "input", "'y'")
  expect_contree_error(contree_cv(y = iris$Species), "input", "'x'")
  expect_contree_error(contree_cv(iris[1:4], iris$Species[-1]), "input", c("150", "149"))
})

test_that("a fit with rpart's names of settings is cross-validated as it is, and at others", {
  fit <- contree(Species ~ ., iris, maxdepth = 1, cp = 0.1)
  folds <- rep(1:5, 30)
  same <- contree_cv(Species ~ ., iris, depth = 1, complexity = 0.1 * 100 / 150, folds = folds)
  expect_equal(contree_cv(fit, folds = folds)$table, same$table)
  expect_equal(contree_cv(fit, folds = folds, depth = 0:2)$table$depth, 0:2)
  expect_equal(contree_cv(fit, folds = folds, complexity = 0)$table$complexity, 0)
})

test_that("a fold with all that rows weigh is named, and one without weight is none", {
  weights <- rep(c(0, 1, 0), c(50, 1, 99))
  folds <- rep(1:3, each = 50)
  expect_contree_error(contree_cv(Species ~ ., iris, weights = weights, folds = folds), "input",
                       c("'folds'", "fold 2"))
  expect_contree_error(contree_cv(iris[1:4], iris$Species, weights = weights,
                                  folds = cbind(rep(1:2, 75), folds)), "input",
                       c("'folds'", "fold 1"))
  weights[1:50] <- 1
  cv <- contree_cv(Species ~ ., iris, weights = weights, folds = folds, depth = 0)
  expect_equal(cv$table$error, 1) # each tree knows one class, that of the other fold
})

test_that("trees of the folds are fitted with the weights of their own rows", {
  set.seed(12)
  w <- sample(c(0, 1, 2, 9), 90, TRUE)
  cv <- contree_cv(noisy[1:3], noisy$class, weights = w, depth = 0:2, folds = rep(1:5, 18))
  numbers <- contree_cv(noisy[2:3], noisy$a, weights = w, depth = 0:2, folds = rep(1:5, 18))
  for (depth in 0:2) {
    lost <- squares <- numeric(90)
    for (fold in 1:5) {
      test <- rep(1:5, 18) == fold
      fit <- contree(noisy[!test, 1:3], noisy$class[!test], weights = w[!test], depth = depth)
      lost[test] <- predict(fit, noisy[test, ]) != noisy$class[test]
      fit <- contree(noisy[!test, 2:3], noisy$a[!test], weights = w[!test], depth = depth)
      squares[test] <- (predict(fit, noisy[test, ]) - noisy$a[test])^2
    }
    expect_equal(cv$table$error[cv$table$depth == depth], sum(w * lost) / sum(w))
    expect_equal(numbers$table$error[numbers$table$depth == depth], sum(w * squares) / sum(w))
  }
})

test_that("standard errors of weighted rows are proportions of their weight", {
  data <- data.frame(x = c(1, 2, 3, 4, 5, 6, 7, 8), y = factor(c(1, 1, 2, 1, 2, 2, 1, 2)),
                     w = c(1, 5, 2, 4, 1, 3, 2, 6))
  cv <- contree_cv(y ~ x, data, weights = w, depth = 0, folds = rep(1:4, 2))
  # without a split each fold's rows get the class that weighs more among the others
  wrong <- vapply(1:8, function(row) {
    others <- rep(1:4, 2) != rep(1:4, 2)[row]
    sums <- tapply(data$w[others], data$y[others], sum)
    names(sums)[which.max(sums)] != data$y[row]
  }, NA)
  error <- sum(data$w * wrong) / sum(data$w)
  expect_equal(cv$table$error, error)
  expect_equal(cv$table$se, sqrt(sum((data$w * (wrong - error))^2)) / sum(data$w))
})

test_that("the call of a cross-validated fit has the settings that were tried", {
  fit <- contree(Species ~ ., iris, depth = 1)
  cv <- contree_cv(fit, depth = 0:1, complexity = c(0, 0.1, 1 / 3), folds = 3, seed = 1)
  expect_identical(cv$call$depth, quote(0:1))
  expect_identical(eval(cv$call$complexity), c(0, 0.1, 1 / 3))
  again <- eval(cv$call)
  expect_identical(again$table, cv$table)
  cv <- contree_cv(gmt(dist ~ speed, cars, seed = 1), complexity = c(1, 2), folds = 3, seed = 1)
  expect_identical(cv$call$complexity, quote(c(1, 2)))
  cv <- do.call(contree_cv, list(Species ~ ., quote(iris), depth = 0:1, folds = 3, seed = 1))
  expect_identical(eval(cv$call$depth), 0:1)
})
