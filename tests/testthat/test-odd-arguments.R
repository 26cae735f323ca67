# Every argument of the exact search, and of what is done with its fits, is given odd values. What
# is refused is refused by an error of the package that names the argument; nothing ends in an error
# of R from within, or in one that speaks of a bug.

odd_values <- list(
  NULL, NA, NaN, Inf, -1, 0, 1e308, "a", list(), character(), TRUE,
  structure(c(1L, 5L, rep(1L, 28)), levels = c("a", "b"), class = "factor"), # without a level
  iris[0, ], matrix(0, 0, 0), matrix(0, 30, 0), function(...) stop("called"))

odd_data <- function() {
  data <- iris[c(1:10, 51:60, 101:110), ]
  row.names(data) <- NULL
  data$k <- factor(rep(letters[1:3], 10))
  data
}

# What must be said of an error of a call with an odd argument, in words; NULL if all is well.
fault_of_error <- function(problem, argument) {
  inside <- "subscript out|TRUE/FALSE|non-numeric|must have a positive|argument is of length"
  message <- conditionMessage(problem)
  if (!inherits(problem, "contree_error")) return("no error of the package")
  if (inherits(problem, "contree_internal_error")) return("an internal error")
  if (grepl(inside, message)) return("an error from within")
  if (!grepl(argument, message, fixed = TRUE) && !identical(problem$argument, argument)) {
    return("does not name the argument")
  }
}

# Calls `f` with `...`, where each of `odd` in turn is an odd value.
expect_no_odd_error <- function(f, odd, ...) {
  name <- deparse1(substitute(f))
  values <- if (nzchar(Sys.getenv("CONTREE_QUICK"))) seq(1, length(odd_values), by = 3)
            else seq_along(odd_values)
  for (argument in odd) {
    for (i in values) {
      arguments <- list(...)
      arguments[argument] <- odd_values[i]
      problem <- tryCatch({
        utils::capture.output(suppressWarnings(suppressMessages(do.call(f, arguments,
                                                                        quote = TRUE))))
        NULL
      }, error = identity)
      fault <- if (!is.null(problem)) fault_of_error(problem, argument)
      expect_null(fault, info = paste0(name, ", ", argument, " = ", deparse1(odd_values[[i]]), ": ",
                                       if (!is.null(problem)) conditionMessage(problem)))
    }
  }
}

test_that("arguments of fits are refused by name", {
  d <- odd_data()
  f <- Species ~ Petal.Width + k
  common <- c("weights", "depth", "loss")
  expect_no_odd_error(contree, c("formula", "data", "subset", "na.action", "class_weights", common,
                                 "control"), formula = f, data = d, depth = 1)
  expect_no_odd_error(contree, c("x", "y", common), x = d[c(3, 6)], y = d$Species, depth = 1)
  expect_no_odd_error(contree, c("y", common), x = d[c(3, 6)], y = d$Sepal.Length, depth = 1)
  settings <- setdiff(names(formals(contree_control)), c("checkpoint", "conformal", "..."))
  expect_no_odd_error(contree, settings, formula = f, data = d, depth = 1)
  expect_no_odd_error(contree_control, setdiff(names(formals(contree_control)), "..."))
  expect_no_odd_error(contree_path, c("formula", "data", "subset", "na.action", "by", "complexity",
                                      common), formula = f, data = d, depth = 1)
  expect_no_odd_error(contree_path, c("x", "y", "start", "max_gap", common), x = d[c(3, 6)],
                      y = d$Sepal.Length, depth = 1)
  expect_no_odd_error(contree_path, c("y", "max_leaves", common), x = d[c(3, 6)], y = d$Species,
                      depth = 1, by = "leaves")
  expect_no_odd_error(contree_cv, c("formula", "data", "subset", "na.action", "folds", "repeats",
                                    "complexity", common), formula = f, data = d, depth = 1,
                      folds = 2)
  expect_no_odd_error(contree_estimate, c("formula", "data", "subset", "na.action", common),
                      formula = f, data = d, depth = 1)
})

test_that("arguments of what is done with fits are refused by name", {
  d <- odd_data()
  formula <- Species ~ Petal.Width + Petal.Length + k
  fit <- contree(formula, d, depth = 2, certificate = TRUE, model = TRUE)
  number <- contree(Sepal.Length ~ Petal.Width + k, d, depth = 2, minbucket = 3, conformal = 2)
  expect_no_odd_error(contree_alternatives, c("fit", "n", "within", "data", "time_limit", "max_gap",
                                              "threads"), fit = fit)
  expect_no_odd_error(contree_certify, c("fit", "data", "certificate"), fit = fit)
  expect_no_odd_error(contree_stability, c("fit", "samples", "within", "data"), fit = fit,
                      samples = 2)
  for (of in list(fit, number)) {
    expect_no_odd_error(contree_accuracy, c("newdata", "level", "y"), fit = of, newdata = d)
    expect_no_odd_error(contree_importance, c("data", "repeats", "y"), fit = of, data = d)
    expect_no_odd_error(predict, c("newdata", "type", "na.action", "new_levels", "laplace"),
                        object = of, newdata = d)
  }
  expect_no_odd_error(predict, c("interval", "level"), object = number, newdata = d)
  expect_no_odd_error(contree_predictor, c("fit", "type", "na.action", "new_levels"), fit = fit)
  expect_no_odd_error(contree_rules, c("fit", "digits"), fit = fit)
  expect_no_odd_error(contree_report, c("fit", "newdata", "y", "alternatives", "title", "rows",
                                        "digits", "laplace"), fit = fit, file = tempfile())
  expect_no_odd_error(prune, "complexity", tree = fit)
  expect_no_odd_error(prune, "cp", tree = fit)
  expect_no_odd_error(update, c("formula.", "depth", "evaluate"), object = iris2)
  expect_no_odd_error(as_dot, c("fit", "digits", "col"), fit = fit)
  expect_no_odd_error(as.data.frame, "row.names", x = fit)
  skip_if_not_installed("rpart")
  expect_no_odd_error(as.rpart, c("x", "data"), x = fit)
  skip_if_not_installed("partykit")
  expect_no_odd_error(partykit::as.party, "data", obj = fit)
})

test_that("arguments of methods of results are refused by name", {
  d <- odd_data()
  fit <- contree(Species ~ Petal.Width + Petal.Length, d, depth = 2, certificate = TRUE)
  path <- contree_path(Species ~ Petal.Width + Sepal.Length, d, depth = 2)
  set.seed(1)
  cv <- contree_cv(Species ~ Petal.Width, d, depth = 1:2, folds = 3)
  others <- contree_alternatives(fit, within = 10, data = d)
  results <- list(fit, path, cv, others, contree_stability(fit, samples = 2, data = d),
                  contree_accuracy(fit, d), contree_importance(fit), summary(fit),
                  contree_certify(fit, d))
  for (result in results) expect_no_odd_error(print, "digits", x = result)
  for (table in list(path, cv, others)) expect_no_odd_error(as.data.frame, "row.names", x = table)
  expect_no_odd_error(prune, "nsplit", tree = path)
  expect_no_odd_error(prune, "complexity", tree = path)
  expect_no_odd_error(predict, c("newdata", "type"), object = cv, newdata = d)
})

test_that("arguments of plots are refused by name", {
  d <- odd_data()
  fit <- contree(Species ~ Petal.Width + Petal.Length + k, d, depth = 2)
  number <- contree(Sepal.Length ~ Petal.Width + k, d, depth = 2, minbucket = 3)
  tree <- setdiff(names(formals(contree:::plot.contree_model)), c("x", "..."))
  for (of in list(fit, number)) expect_no_odd_error(plot, tree, x = of)
  expect_no_odd_error(plot, c("main", "col"), x = number, what = "boxes")
  plot(fit, type = "bare")
  expect_no_odd_error(text, text_arguments_of_rpart, x = fit)
  path <- contree_path(Species ~ Petal.Width + Sepal.Length, d, depth = 2)
  expect_no_odd_error(plot, "main", x = path)
  set.seed(1)
  cv <- contree_cv(Species ~ Petal.Width, d, depth = 1:2, folds = 3)
  expect_no_odd_error(plot, c("main", "col"), x = cv)
  expect_no_odd_error(plot, c("what", "classes", "col", "main"), x = contree_accuracy(fit, d))
  expect_no_odd_error(plot, "main", x = contree_importance(fit))
  expect_no_odd_error(plot, "main", x = contree_stability(fit, samples = 2, data = d))
  forest <- hist_forest(Species ~ ., d, trees = 3, seed = 1)
  expect_no_odd_error(plot, c("what", "data", "main"), x = forest, data = d)
  expect_no_odd_error(plot, c("measure", "n", "main"), x = forest, type = "importance")
  model <- gmt(Sepal.Length ~ Petal.Width, d, seed = 1)
  expect_no_odd_error(plot, c("what", "regressors", "leaves", "data", "main"), x = model,
                      data = d)
})

test_that("arguments of tables of databases are refused by name", {
  con <- sqlite()
  DBI::dbWriteTable(con, "t", odd_data())
  expect_no_odd_error(contree_table, c("con", "table", "order", "group", "chunk"), con = con,
                      table = "t")
})
