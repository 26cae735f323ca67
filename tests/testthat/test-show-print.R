# What rpart prints for the same nodes, without the lines above them.
nodes_printed <- function(x, ...) {
  lines <- capture.output(print(x, ...))
  lines[-seq_len(match("node), split, n, loss, yval, (yprob)", lines) - 1)]
}

test_that("below the header every byte is rpart's", {
  skip_if_not_installed("rpart")
  five <- subset(many_classes(), class %in% paste("class", 1:5)) |> transform(class = factor(class))
  four <- subset(five, class != "class 5") |> transform(class = factor(class))
  fits <- list(contree(class ~ ., five, depth = 2), contree(class ~ ., four, depth = 2), iris2,
               contree(Species ~ ., iris, depth = 0), contree(Species ~ ., iris, depth = 3),
               contree(class ~ ., many_classes(), depth = 4),
              contree(am == 1 ~ gear, transform(mtcars, gear = factor(gear))),
              contree(Species ~ s, transform(iris, s = substr(Sepal.Length, 1, 1)), depth = 2),
              contree(Species == "setosa" ~ ., iris, depth = 1),
               contree(Species ~ ., transform(iris, Petal.Width = Petal.Width * 1e7), depth = 2))
  for (fit in fits) {
    expect_identical(nodes_printed(fit), nodes_printed(as_rpart(fit)))
    expect_identical(nodes_printed(fit, digits = 3), nodes_printed(as_rpart(fit), digits = 3))
  }
})

test_that("the first line is rpart's too", {
  skip_if_not_installed("rpart")
  expect_identical(capture.output(print(iris2))[1], capture.output(print(as_rpart(iris2)))[1])
  holes <- transform(iris, Petal.Width = replace(Petal.Width, 5, NA))
  fit <- contree(Species ~ ., holes, depth = 1, na.action = na.omit)
  expect_identical(capture.output(print(fit))[1], capture.output(print(as_rpart(fit)))[1])
})

test_that("the proof is told, the time only when asked", {
  line <- capture.output(print(iris2))[3]
  expect_match(
    line, paste0("^Smallest of the optimal trees of depth <= 2, [34] leaves, ",
                 "\\d+ errors \\(\\d+(\\.\\d+)?%\\); proven optimal$"))
  expect_match(capture.output(print(iris2, time = TRUE))[3], "proven optimal in [0-9.e-]+ s$")
  expect_match(capture.output(print(contree(Species ~ ., iris, complexity = 0.1)))[3],
               "of any depth at complexity 0.1, ", fixed = TRUE)
  expect_identical(capture.output(print(iris2)), capture.output(print(iris2)))
  expect_invisible(print(iris2)) |> capture.output() |> invisible()
})

test_that("a search that stopped says how far it can be from the optimum", {
  stopped <- iris2
  stopped[c("objective", "cost", "bound", "gap", "status")] <- list(6, 6, 2, 4, "time limit")
  stopped$control$time_limit <- 60
  expect_match(contree:::proof_line(stopped),
               paste0("^Tree of .* 6 errors \\(4%\\); best found; ",
                      "gap 4 errors \\(bound 2 <= optimum <= 6\\), time limit 60 s$"))
  for (status in c("gap reached", "memory limit", "interrupted")) {
    stopped$status <- status
    expect_match(contree:::proof_line(stopped), "best found; gap 4 errors")
  }
  stopped$objective <- 1
  stopped$gap <- 1
  expect_match(contree:::proof_line(stopped), "1 error \\(0.67%\\); best found; gap 1 error \\(")
})

test_that("the smallest of the optimal trees is spoken of only where that is proven", {
  stopped <- iris2
  stopped$status <- "time limit"
  stopped$control$time_limit <- 60
  expect_identical(stopped$gap, 0)
  expect_match(contree:::proof_line(stopped), paste0(
    "^Tree of .*; best found; no tree costs less, but a smaller one may cost as much, ",
    "time limit 60 s$"))
  free <- contree(Species ~ ., iris, depth = 4) # of errors, so the bound is 0 too
  expect_identical(free$cost, 0)
  free$status <- "interrupted"
  expect_match(contree:::proof_line(free), "no tree costs less, but a smaller one may cost as much")
})

test_that("where nothing is proven, no gap is named", {
  stopped <- iris2
  stopped[c("objective", "cost", "bound", "gap", "status")] <- list(6, 6, 0, 6, "time limit")
  stopped$control$time_limit <- 60
  expect_match(contree:::proof_line(stopped),
               "best found; no useful bound is known yet \\(0 <= optimum <= 6\\), time limit 60 s$")
  said <- tryCatch(contree(y ~ ., hard_table(500), depth = 4, time_limit = 0),
                   contree_timeout = conditionMessage)
  expect_match(said, "no useful bound is known yet$")
})

test_that("of very many classes the largest shares are named, and tables are short", {
  set.seed(4)
  data <- data.frame(x = runif(2000), class = factor(sprintf("class %d", sample(500, 2000, TRUE))))
  fit <- contree(class ~ x, data, depth = 1)
  printed <- capture.output(print(fit))
  expect_lt(max(nchar(printed)), 150)
  largest <- sort(contree:::node_proportions(fit)[1, ], decreasing = TRUE)
  expect_match(printed, sprintf("1\\) root 2000 .* \\(%s %.2g, %s %.2g, .*, \\+%d\\)",
                                names(largest)[1], largest[1], names(largest)[2], largest[2],
                                sum(largest > 0) - 3), all = FALSE)
  for (lines in list(capture.output(summary(fit)), capture.output(contree_accuracy(fit, data)))) {
    expect_lt(length(lines), 60)
    expect_match(lines, sprintf("10 classes with the most errors of %d", nlevels(data$class)),
                 all = FALSE)
  }
  # ten classes have their ten shares
  ten <- contree(factor(class) ~ x, data[data$class %in% levels(data$class)[1:10], ], depth = 1)
  expect_match(capture.output(print(ten)), "root [^(]*\\(([0-9.]+ ){9}[0-9.]+\\)", all = FALSE)
})

test_that("unequal costs are told apart wherever both are shown, and whole ones are in full", {
  text <- contree:::cost_text
  expect_identical(text(c(1e8 + 1, 1e8 + 2)), c("100000001", "100000002"))
  expect_identical(text(c(1 / 3, 1 / 3, 1 / 3 + 1e-9)),
                   c("0.333333333", "0.333333333", "0.333333334"))
  expect_identical(text(c(2 / 3, 1e5, 1e300, -Inf, NA)),
                   c("0.6666667", "100000", "1e+300", "-Inf", "NA"))
  numbers <- c(0.3, 0.1 + 0.2)
  expect_identical(as.numeric(text(numbers)), numbers)
  stopped <- unclass(iris2)
  stopped[c("objective", "cost", "bound", "gap", "status")] <-
    list(1e8 + 2, 1e8 + 2, 1e8 + 1, 1, "time limit")
  class(stopped) <- "contree"
  expect_match(contree:::stopped_message(stopped),
               "100000002 errors, at least 100000001 proven (gap 1)", fixed = TRUE)
  expect_match(contree:::gap_text(stopped), "(bound 100000001 <= optimum <= 100000002)",
               fixed = TRUE)
  expect_match(contree:::objective_text(stopped), "^100000002 errors")
  # of trees side by side
  data <- data.frame(a = c(1, 1, 2, 2, 2), b = c(1, 2, 1, 2, 2), y = c(0, 0, 1, 1, 0) == 1)
  expect_output(print(contree_path(data[1:2], data$y, weights = c(1e8, 1, 1e8, 2, 1), depth = 1)),
                "100000002")
})

test_that("a fit with conformal folds tells the error of rows that were held out", {
  weight <- rep(0:3, 8)
  for (fit in list(contree(mpg ~ ., mtcars, depth = 1, conformal = 4, seed = 1),
                   gmt(mpg ~ wt | hp, mtcars, conformal = 4, seed = 1),
                   contree(mpg ~ ., mtcars, weights = weight, depth = 1, conformal = 4, seed = 1),
                   gmt(mpg ~ wt | hp, mtcars, weights = weight, conformal = 4, seed = 1))) {
    w <- fit[["weights"]]
    if (is.null(w)) w <- rep(1, 32)
    w <- w[w > 0] # the others are in no fold
    rmse <- sqrt(sum(w * fit$conformal$error^2) / sum(w))
    lines <- capture.output(print(fit))
    expect_identical(lines[4], paste("Held out, in 4 folds: RMSE", format(signif(rmse, 4))))
    expect_identical(lines[5], "")
    fit$conformal <- NULL
    expect_identical(capture.output(print(fit)), lines[-4])
  }
  # without its weights nothing is known of their mean
  fit <- contree(mpg ~ ., mtcars, weights = weight, depth = 1, conformal = 4, seed = 1)
  fit[["weights"]] <- NULL
  expect_false(any(grepl("Held out", capture.output(print(fit)))))
})
