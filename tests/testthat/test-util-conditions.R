# The table of bad input: each an error of a class of its own that names the argument, the value and
# what to do.

data <- iris
bad_input <- list(
  list("empty data",            quote(contree(Species ~ ., iris[0, ])), "input",
       c("'data'", "0 rows")),
  list("no columns",            quote(contree(Species ~ ., iris[, 0])), "input",
       c("'data'", "0 columns", "response")),
  list("empty x",               quote(contree(iris[0, 1:4], iris$Species[0])), "input",
       c("'x'", "0 rows")),
  list("zero columns in x",     quote(contree(iris[, 0], iris$Species)), "input",
       c("'x'", "0 columns", "at least one")),
  list("no row left",           quote(contree(Species ~ ., iris, subset = Species == "none")),
       "input", c("no rows", "'subset'")),
  list("rows in and out",       quote(contree(Species ~ ., iris, subset = c(-1, 2))), "input",
       c("'subset'", "row 2", "leaves out row 1", "or those to leave out")),
  list("matrix of one column",  quote(contree(scale(mpg) ~ wt, mtcars)), "input",
       c("'scale(mpg)'", "class \"matrix\"", "as.vector(scale(mpg))")),
  list("no predictor",          quote(contree(Species ~ 1, iris)), "input",
       c("'formula'", "Species ~ 1", "at least one column")),
  list("no response",           quote(contree(~ ., iris)), "input",
       c("'formula'", "no response", "response ~ predictors")),
  list("NA in x",
       quote(contree(Species ~ ., within(iris, Petal.Width[4:5] <- NA), missing = "fail")), "input",
       c("'Petal.Width'", "2 of 150", "\"omit\"")),
  list("NA in a matrix",
       quote(contree(cbind(a = c(1, NA), b = 1), c("p", "q"), missing = "fail")), "input",
       c("'a'", "1 of 2", "leave")),
  list("na.fail",               quote(contree(Species ~ ., within(iris, Petal.Width[4] <- NA),
                                              na.action = na.fail)), "input",
       c("'Petal.Width'", "1 of 150", "\"omit\"")),
  list("NA in y, na.fail",
       quote(contree(Species ~ ., within(iris, Species[1:3] <- NA), na.action = na.fail)), "input",
       c("'Species'", "3 of 150")),
  list("Inf in x",
       quote(contree(as.matrix(within(iris[1:4], Sepal.Width[9] <- Inf)), iris$Species)), "input",
       c("'Sepal.Width'", "Inf", "row 9", "replace")),
  list("NA everywhere in y",    quote(contree(Species ~ ., within(iris, Species[] <- NA))), "input",
       c("no rows", "missing values")),
  list("missing of no kind",    quote(contree(Species ~ ., iris, missing = "impute")), "input",
       c("'missing'", "\"impute\"", "\"learn\"")),
  list("too many subsets",      quote(contree(Species ~ ., iris, subset_levels = 40)), "input",
       c("'subset_levels'", "40", "12")),
  list("beside NA no place",    quote(
    contree(Species ~ a, transform(iris, a = c(NA, -1, 1) * .Machine$double.xmax))), "input",
       c("'a'", "missing values", "1.797")),
  list("infinite response",     quote(contree(1 / vs ~ ., mtcars)), "input",
       c("'1/vs'", "Inf", "row 1", "finite")),
  list("time as y",             quote(contree(mtcars[-9], as.difftime(mtcars$am, units = "hours"))),
       "input", c("'y'", "factor(y)", "as.numeric(y)")),
  list("list response",         quote(contree(iris[1:4], as.list(iris$Species))), "input",
       c("'y'", "class \"list\"", "vector of classes")),
  list("matrix response",       quote(contree(iris[1:4], as.matrix(iris$Species))), "input",
       c("'y'", "matrix", "vector of classes")),
  list("Date response",         quote(contree(iris[1:4], Sys.Date() + 1:150)), "input",
       c("'y'", "factor(y)")),
  list("level NA",              quote(contree(iris[1:4], addNA(iris$Species))), "input",
       c("'y'", "level NA", "name")),
  list("depth negative",        quote(contree(Species ~ ., iris, depth = -1)), "input",
       c("'depth'", "-1", "between 0 and 16")),
  list("depth of 40",           quote(contree(Species ~ ., iris, depth = 40)), "input",
       c("'depth'", "40", "depths of 2 to 4")),
  list("depth Inf",             quote(contree(Species ~ ., iris, depth = Inf)), "input",
       c("'depth'", "Inf", "whole number")),
  list("depth NA",              quote(contree(Species ~ ., iris, depth = NA)), "input",
       c("'depth'", "NA", "whole number")),
  list("depth broken",          quote(contree(Species ~ ., iris, depth = 2.5)), "input",
       c("'depth'", "2.5", "whole number")),
  list("depth text",            quote(contree(Species ~ ., iris, depth = "3")), "input",
       c("'depth'", "\"3\"", "whole number")),
  list("two depths",            quote(contree(Species ~ ., iris, depth = 1:2)), "input",
       c("'depth'", "length 2", "whole number")),
  list("mismatched lengths",    quote(contree(iris[1:4], iris$Species[1:10])), "input",
       c("'y'", "150 rows", "length 10", "one class for each row")),
  list("mismatched variable",   quote(contree(Species ~ c(1, 2), iris)), "input",
       c("'c(1, 2)'", "length 2", "150 rows", "one value per row")),
  list("character matrix",      quote(contree(as.matrix(iris), iris$Species)), "input",
       c("'x'", "character", "storage.mode")),
  list("list column",           quote(contree(Species ~ ., cbind(iris, l = I(as.list(1:150))))),
       "input", c("'l'", "list", "convert")),
  list("data frame column",
       quote(contree(iris["Sepal.Width"] |> transform(d = I(iris[1:2])), iris$Species)), "input",
       c("'d'", "data frame")),
  list("complex column",        quote(contree(Species ~ z, cbind(iris, z = 1i))), "input",
       c("'z'", "numeric", "convert")),
  list("x is a vector",         quote(contree(1:10, letters[1:10])), "input",
       c("'x'", "length 10", "as.matrix()")),
  list("data is a matrix",      quote(contree(Species ~ ., as.matrix(iris))), "input",
       c("'data'", "matrix", "as.data.frame()")),
  list("y is missing",          quote(contree(iris)), "input", c("'y' is missing", "formula")),
  list("x is missing",          quote(contree(y = 1)), "input", c("'x' is missing", "formula")),
  list("formula as text",       quote(contree("Species ~ .", iris)), "input",
       c("'x'", "data frame")),
  list("duplicated names",      quote(
    contree(Species ~ ., stats::setNames(iris, c("a", "b", "a", "d", "Species")))), "input",
       c("'data'", "'a'", "make.unique()")),
  list("duplicated names in x", quote(contree(cbind(a = 1:2, a = 3:4), c("p", "q"))), "input",
       c("'x'", "'a'", "make.unique()")),
  list("a column without name",
       quote(contree(stats::setNames(iris[1:4], c("a", "", "c", "d")), iris$Species)), "input",
       c("column 2", "'x'", "name")),
  list("named like a leaf",     quote(
    contree(stats::setNames(iris[1:4], c("a", "<leaf>", "c", "d")), iris$Species)), "input",
       c("'<leaf>'", "rename")),
  list("unknown argument",      quote(contree(Species ~ ., iris, complexty = 0.1)), "input",
       c("'complexty'", "did you mean 'complexity'?")),
  list("unknown, no guess",     quote(contree(Species ~ ., iris, zzzzzzzz = 1)), "input",
       c("'zzzzzzzz'", "?contree")),
  list("argument without name", quote(contree(iris[1:4], iris$Species, NULL, 2, NULL, NULL, 0.1)),
       "input", c("without a name", "complexity")),
  list("misspelt control",      quote(contree(Species ~ ., iris, contol = list())), "input",
       c("'contol'", "?contree")),
  list("two names",             quote(contree(Species ~ ., iris, depth = 2, maxdepth = 2)), "input",
       c("'maxdepth'", "'depth'", "only one")),
  list("two costs",             quote(contree(Species ~ ., iris, cp = 0, complexity = 0)), "input",
       c("'cp'", "'complexity'", "only one")),
  list("control is text",       quote(contree(Species ~ ., iris, control = "fast")), "input",
       c("'control'", "\"fast\"", "contree_control()")),
  list("rpart's xval",          quote(contree(Species ~ ., iris, control = list(xval = 10))),
       "input", c("'xval'", "?contree")),
  list("interaction",           quote(contree(Species ~ Petal.Width:Sepal.Width, iris)), "input",
       c("Petal.Width:Sepal.Width", "with +")),
  list("crossing",              quote(contree(Species ~ Petal.Width * Sepal.Width, iris)), "input",
       c("Petal.Width * Sepal.Width", "with +")),
  list("power",                 quote(contree(Species ~ (Petal.Width + Sepal.Width)^2, iris)),
       "input", c("^2", "with +")),
  list("offset",                quote(contree(Species ~ Petal.Width + offset(Sepal.Width), iris)),
       "input", c("offset(Sepal.Width)", "remove")),
  list("response on both sides", quote(contree(Species ~ Species + Petal.Width, iris)), "input",
       c("'Species'", "right-hand side")),
  list("dot without data",      quote(contree(Species ~ .)), "input",
       c("'.'", "'data' is missing")),
  list("takes away a typo",     quote(contree(Species ~ . - Petal.Wdth, iris)), "input",
       c("'Petal.Wdth'", "spelling")),
  list("no such variable",      quote(contree(Species ~ nowhere_to_be_found, iris)), "input",
       c("'nowhere_to_be_found'", "spelling")),
  list("a function by mistake", quote(contree(Species ~ mean, iris)), "input",
       c("'mean'", "function", "spelling")),
  list("subset of wrong length", quote(contree(Species ~ ., iris, subset = c(TRUE, FALSE, TRUE))),
       "input", c("'subset'", "length 3", "150 rows")),
  list("subset asks for too much", quote(contree(Species ~ ., iris, subset = 140:151)), "input",
       c("'subset'", "151", "150 rows")),
  list("subset asks for a name", quote(contree(Species ~ ., iris, subset = c("1", "x"))), "input",
       c("'subset'", "\"x\"", "150 rows")),
  list("subset is a list",      quote(contree(Species ~ ., iris, subset = list(1))), "input",
       c("'subset'", "list", "row numbers")),
  list("subset of nothing known", quote(contree(Species ~ ., iris, subset = Nowhere > 1)), "input",
       c("'subset'", "Nowhere > 1", "spelling")),
  list("na.action unknown",     quote(contree(Species ~ ., iris, na.action = "na.gone")), "input",
       c("'na.action'", "na.gone", "na.omit")),
  list("weights",               quote(contree(Species ~ ., iris, weights = -Petal.Width)), "input",
       c("'weights'", "-0.2", "row 1")),
  list("weights, x and y",      quote(contree(iris[1:4], iris$Species, weights = 1:3)), "input",
       c("'weights'", "length 3", "150")),
  list("loss",                  quote(contree(Species ~ ., iris, loss = diag(3))), "input",
       c("'loss'", "must be 0", "same"))
)

test_that("each kind of bad input is an error that says what to do", {
  for (case in bad_input) {
    problem <- tryCatch({
      eval(case[[2]])
      NULL
    }, error = identity)
    expect_true(inherits(problem, paste0("contree_", case[[3]], "_error")),
                info = paste(case[[1]], class(problem)[1]))
    for (word in case[[4]]) {
      expect_true(grepl(word, conditionMessage(problem), fixed = TRUE),
                  info = paste0(case[[1]], ": ", conditionMessage(problem)))
    }
    expect_identical(conditionCall(problem)[[1]], quote(contree), info = case[[1]])
    expect_true(is.character(problem$argument), info = case[[1]])
  }
})

test_that("the session is intact afterwards", {
  options <- options()
  for (case in bad_input) try(eval(case[[2]]), silent = TRUE)
  expect_identical(options(), options)
  expect_equal(contree(Species ~ ., iris, depth = 2)$frame, iris2$frame)
})

test_that("a call made by do.call() is shown without its data", {
  problem <- expect_contree_error(do.call(contree, list(Species ~ ., data = iris, depth = -1)),
                                  "input", "-1")
  expect_identical(deparse1(conditionCall(problem)),
                   "contree(Species ~ ., data = data, depth = -1)")
  problem <- expect_contree_error(do.call(contree_control, list(complexity = -1)), "input", "-1")
  expect_identical(deparse1(conditionCall(problem)), "contree_control(complexity = -1)")
})

test_that("messages stay short whatever the value", {
  expect_lt(nchar(contree:::show_value(1:1e6)), 40)
  expect_identical(contree:::show_value(NULL), "NULL")
  expect_identical(contree:::show_names(letters), "'a', 'b', 'c', 'd', 'e' and 21 more")
})

test_that("what C cannot do is an error of a class too", {
  old <- options(contree.simd = "abacus", contree.switches = NULL)
  on.exit(options(old))
  expect_contree_error(contree(Species ~ ., iris), "input", c("abacus", "contree_control"))
  options(contree.simd = NULL, contree.switches = "no such thing")
  expect_contree_error(contree(Species ~ ., iris), "input", "no such thing")
})

test_that("an internal error asks for a report", {
  broken <- iris2
  broken$objective <- 1e6
  expect_contree_error(contree:::validate_model(broken), "internal", c("objective", "report"))
})
