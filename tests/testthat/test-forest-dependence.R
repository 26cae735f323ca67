test_that("partial dependence is the mean prediction with a column set", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
  curve <- partial_dependence(fit, mtcars, "wt", grid = 7)
  expect_named(curve, c("wt", "prediction"))
  expect_identical(range(curve$wt), range(mtcars$wt))
  expect_true(all(curve$wt %in% mtcars$wt) && nrow(curve) == 7)
  for (i in 1:7) expect_equal(curve$prediction[i],
                              mean(predict(fit, transform(mtcars, wt = curve$wt[i]))))
  both <- partial_dependence(fit, mtcars, c("wt", "hp"),
                             at = list(wt = c(2, 4), hp = c(100, 150, 200)))
  expect_identical(both$wt, rep(c(2, 4), each = 3))
  expect_identical(both$hp, rep(c(100, 150, 200), 2))
  expect_equal(both$prediction[5], mean(predict(fit, transform(mtcars, wt = 4, hp = 150))))
})

test_that("ICE has the prediction of each row", {
  fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
  ice <- partial_dependence(fit, mtcars[3:8, ], "wt", at = list(wt = c(2, 3)), ice = TRUE)
  expect_identical(ice$row, rep(1:6, 2))
  expect_equal(ice$prediction[7:12], unname(predict(fit, transform(mtcars[3:8, ], wt = 3))))
  mean <- partial_dependence(fit, mtcars[3:8, ], "wt", at = list(wt = c(2, 3)))
  expect_equal(mean$prediction, c(tapply(ice$prediction, ice$wt, mean)), ignore_attr = TRUE)
})

test_that("classes have a probability each, factors a point for each level", {
  data <- transform(iris, wide = cut(Petal.Width, c(0, 0.8, 1.7, 3),
                                     labels = c("low", "mid", "high")), Petal.Width = NULL)
  fit <- hist_forest(Species ~ ., data, trees = 20, seed = 1)
  shown <- partial_dependence(fit, data, "wide")
  expect_identical(levels(shown$wide), levels(data$wide))
  expect_identical(levels(shown$class), levels(iris$Species))
  told <- predict(fit, transform(data, wide = factor("mid", levels(wide))), type = "prob")
  expect_equal(shown$prediction[shown$wide == "mid"], unname(colMeans(told)))
  two <- hist_forest(I(Species == "setosa") ~ wide, data, trees = 5, seed = 1)
  expect_identical(unique(as.character(partial_dependence(two, data, "wide")$class)), "TRUE")
  one <- partial_dependence(fit, data, "wide", classes = "virginica")
  expect_equal(one$prediction, shown$prediction[shown$class == "virginica"])
})

test_that("dependences are drawn", {
  data <- transform(iris, long = factor(Petal.Length > 4))
  fit <- hist_forest(Species ~ ., data, trees = 9, seed = 1)
  for (variables in list("Petal.Width", "long", c("long", "Petal.Width"), c("Petal.Width", "long"),
                         c("Petal.Width", "Sepal.Width"))) {
    shown <- partial_dependence(fit, data, variables, grid = 4)
    expect_identical(plot(shown), shown)
  }
  for (variable in c("Petal.Width", "long")) {
    expect_silent(plot(partial_dependence(fit, data, variable, grid = 4, ice = TRUE),
                       centre = TRUE))
  }
})

test_that("what cannot be shown is named", {
  fit <- hist_forest(Species ~ ., iris, trees = 2, seed = 1)
  expect_contree_error(partial_dependence(fit, iris, "width"), "input", "variables")
  expect_contree_error(partial_dependence(fit, iris, names(iris)[1:3]), "input", "variables")
  expect_contree_error(partial_dependence(fit, iris, names(iris)[1:2], ice = TRUE), "input",
                       "variables")
  expect_contree_error(partial_dependence(fit, iris, "Petal.Width", grid = 1), "input", "grid")
  expect_contree_error(partial_dependence(fit, iris, "Petal.Width", classes = "rose"), "input",
                       "classes")
  expect_contree_error(partial_dependence(1, iris, "Petal.Width"), "input", "fit")
})

test_that("arguments that make no sense are named", {
  fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  refused <- function(argument, ...) {
    error <- expect_error(partial_dependence(...), class = "contree_input_error")
    expect_identical(error$argument, argument)
  }
  for (data in list(y ~ x, list(), list(1), iris[0, ], NULL, 3, quote(x), iris["Species"])) {
    refused(if (identical(data, iris["Species"])) "newdata" else "data", fit, data, "Sepal.Length")
  }
  for (variables in list(NULL, "Species", "x", NA, list("Sepal.Length"), character(), 1,
                         names(iris)[1:3])) {
    refused("variables", fit, iris, variables)
  }
  for (at in list(list(1), list(x = 1), c(Sepal.Length = 5), 1, list(Sepal.Length = "a"), "a",
                  list(Sepal.Length = NULL, Petal.Width = 1), list(Sepal.Length = NA),
                  list(Sepal.Length = list(5)), list(Sepal.Length = numeric()),
                  list(Sepal.Length = 5, Sepal.Length = 6), list(Sepal.Length = matrix(5)))) {
    refused("at", fit, iris, "Sepal.Length", at = at)
  }
  refused("at", fit, iris, c("Sepal.Length", "Petal.Width"), at = list(Petal.Length = 1))
  by_level <- hist_forest(Sepal.Length ~ Species, iris, trees = 3, seed = 1)
  for (at in list("zzz", NA, 1, factor("setosa2"), c("setosa", "zzz"))) {
    refused("at", by_level, iris, "Species", at = list(Species = at))
  }
  two <- c("setosa", "virginica")
  some <- partial_dependence(by_level, iris, "Species", at = list(Species = two))
  all <- partial_dependence(by_level, iris, "Species")
  expect_equal(some$prediction, all$prediction[c(1, 3)])
})

test_that("a level that training had not is told once", {
  fit <- hist_forest(breaks ~ ., warpbreaks, trees = 5, seed = 1)
  data <- transform(warpbreaks, tension = factor(replace(as.character(tension), 1, "new")))
  told <- 0
  withCallingHandlers(partial_dependence(fit, data, "wool"), contree_new_levels = function(w) {
    told <<- told + 1
    invokeRestart("muffleWarning")
  })
  expect_equal(told, 1)
})

# What a plot drew, by the names of the functions of graphics: a list of their arguments.
test_that("levels are points, each with its name in sight", {
  set.seed(1)
  names <- paste(c("Northern", "Southern", "Eastern", "Western"), "rural communities of the",
                 rep(c("coast", "plain", "hills"), each = 4))
  data <- data.frame(long = factor(rep(names, 10)), short = factor(rep(c("a", "b"), 60)),
                     x = rnorm(120))
  data$y <- as.integer(data$long) + data$x
  fit <- hist_forest(y ~ ., data, trees = 5, seed = 1)
  for (variable in c("long", "short")) {
    shown <- partial_dependence(fit, data, variable)
    margins <- NULL
    parts <- drawn({
      before <- graphics::par("mai")
      plot(shown)
      margins <- graphics::par("mai") - before
    })
    expect_identical(margins, numeric(4))
    marks <- Filter(function(part) part[[2]] != "n", parts[names(parts) == "C_plotXY"])
    expect_identical(unname(vapply(marks, `[[`, "", 2)), "p")
    values <- c(marks[[1]][[1]]$x, marks[[1]][[1]]$y)
    expect_setequal(values, c(shown$prediction, seq_len(nlevels(data[[variable]]))))
    said <- lapply(parts[names(parts) == "C_axis"], function(axis) axis[[3]])
    expect_true(list(levels(data[[variable]])) %in% said)
  }
})

test_that("with room for no more the middle of names is left out, not names", {
  data <- data.frame(f = factor(rep(strrep(letters[1:12], 60), 10)))
  data$y <- as.integer(data$f)
  shown <- partial_dependence(hist_forest(y ~ f, data, trees = 5, seed = 1), data, "f")
  said <- lapply(drawn(plot(shown)), function(call) if (length(call) > 2) call[[3]])
  names <- Filter(is.character, said[names(said) == "C_axis"])[[1]]
  expect_identical(substr(names, 1, 1), letters[1:12])
  expect_true(any(grepl("..", names, fixed = TRUE)))
})

test_that("times, dates and lengths of time keep their class", {
  set.seed(4)
  d <- data.frame(day = as.Date("2022-01-01") + sample(99),
                  long = as.difftime(runif(99), units = "hours"),
                  time = as.POSIXct("2022-01-01", tz = "UTC") + runif(99) * 1e6)
  d$y <- factor(ifelse(d$long > 0.4 & d$time > d$time[5], "a", "b"))
  for (fit in list(contree(y ~ ., d, depth = 2), hist_forest(y ~ ., d, trees = 5, seed = 1))) {
    for (name in c("day", "long", "time")) {
      shown <- partial_dependence(fit, d, name, grid = 5)
      expect_identical(class(shown[[name]]), class(d[[name]]))
      at <- d
      at[[name]] <- d[[name]][rep(which.min(d[[name]]), 99)]
      expect_equal(shown$prediction[1], mean(predict(fit, at, type = "prob")[, "b"]))
      expect_silent(drawn(plot(shown)))
    }
    both <- partial_dependence(fit, d, c("long", "day"), grid = 3)
    expect_identical(class(both$long), "difftime")
  }
})

test_that("a column of missing values needs values to be set to", {
  data <- transform(mtcars, gone = NA_real_)
  fit <- hist_forest(mpg ~ wt + gone, data, trees = 5, seed = 1)
  expect_contree_error(partial_dependence(fit, data, "gone"), "input", c("'gone'", "'at'"))
  expect_identical(partial_dependence(fit, data, "gone", at = list(gone = 1:2))$gone, 1:2)
})

# The first layer of a plot, as the values that are drawn.
drawn_by_ggplot <- function(x) {
  plot <- ggplot2::autoplot(x)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_message(print(plot))
  list(geom = class(plot$layers[[1]]$geom)[1], data = ggplot2::layer_data(plot), plot = plot)
}

test_that("any predictors are drawn: far integers, lengths of time, single values, equal heights", {
  set.seed(2)
  data <- data.frame(far = rep(c(-2147483647L, 0L, 1000000L), 20), x = stats::runif(60),
                     last = as.difftime(1:60, units = "mins"))
  data$y <- data$x + (data$far > 0) + as.numeric(data$last) / 30
  fit <- hist_forest(y ~ ., data, trees = 5, seed = 1)
  flat <- hist_forest(data[1:3], rep(3, 60), trees = 2, seed = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (grown in list(fit, flat)) for (rows in list(data, data[1, ])) {
    for (names in list("far", "x", "last", c("far", "x"), c("last", "x"), c("x", "last"))) {
      x <- partial_dependence(grown, rows, names, grid = 5)
      expect_no_warning(plot(x))
      if (requireNamespace("ggplot2", quietly = TRUE)) {
        drawn <- drawn_by_ggplot(x)
        expect_identical(drawn$geom, if (nrow(rows) > 1) "GeomLine" else "GeomPoint")
      }
    }
  }
  skip_if_not_installed("ggplot2")
  drawn <- drawn_by_ggplot(partial_dependence(fit, data, "last", grid = 5))
  expect_equal(range(drawn$data$x), c(1, 60))
  expect_identical(drawn$plot$labels$x, "last (mins)")
  expect_contree_error(plot(contree_importance(flat, transform(data, y = 3), y = rep(3, 60))),
                       "input", "not defined")
})

test_that("lines of the rows do not run through several classes", {
  skip_if_not_installed("ggplot2")
  fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  drawn <- drawn_by_ggplot(partial_dependence(fit, iris[1:4, ], "Petal.Width", ice = TRUE))
  expect_identical(nlevels(drawn$data$PANEL), 3L)
  expect_false(anyDuplicated(drawn$data[c("x", "group", "PANEL")]) > 0)
})
