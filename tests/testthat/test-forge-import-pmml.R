skip_if_not_installed("xml2")

# A document from parts of it; ' stands for ".
pmml_text <- function(fields, model) {
  charToRaw(gsub("'", "\"", paste0(
    "<?xml version='1.0'?><PMML xmlns='http://www.dmg.org/PMML-4_4' version='4.4'><Header/>",
    "<DataDictionary>", fields, "</DataDictionary>", model, "</PMML>")))
}

number_field <- function(name, type = "double") {
  sprintf("<DataField name='%s' optype='continuous' dataType='%s'/>", name, type)
}

text_field <- function(name, values) {
  sprintf("<DataField name='%s' optype='categorical' dataType='string'>%s</DataField>", name,
          paste0("<Value value='", values, "'/>", collapse = ""))
}

schema <- function(...) {
  paste0("<MiningSchema><MiningField name='y' usageType='target'/>",
         paste0("<MiningField name='", c(...), "'/>", collapse = ""), "</MiningSchema>")
}

simple <- function(field, operator, value) {
  sprintf("<SimplePredicate field='%s' operator='%s' value='%s'/>", field, operator, value)
}

node <- function(score, test, ..., id = "") {
  paste0("<Node id='", id, "' score='", score, "'>", test, ..., "</Node>")
}

tree <- function(..., of = "regression", more = "") {
  paste0("<TreeModel functionName='", of, "' ", more, ">", schema("x", "z"),
         node(0.5, "<True/>", ...), "</TreeModel>")
}

# x below 1 or not; below that, z.
halves <- function(below = "lessThan", above = "greaterOrEqual", value = 1, more = "") {
  tree(node(1, simple("x", below, value), node(3, simple("z", "lessThan", 0)), id = "a"),
       node(2, simple("x", above, value), id = "b"), more = more)
}

fields <- paste0(number_field("x"), number_field("z"), number_field("y"))
rows <- data.frame(x = c(1 - 2^-53, 1, 1 + 2^-52, NA, 0, 0, -Inf, Inf),
                   z = c(1, 1, 1, 1, -1, NA, 1, 1))
said <- function(model, of = fields, new = rows) {
  unname(predict(import_forest(pmml_text(of, model)), new))
}

test_that("rows go to the first child whose test is true, missing values as the strategy says", {
  last <- "noTrueChildStrategy='returnLastPrediction'"
  expect_identical(said(halves(more = last)), c(1, 2, 2, 0.5, 3, 1, 1, 2))
  expect_identical(said(halves("lessOrEqual", "greaterThan", more = last)),
                   c(1, 1, 2, 0.5, 3, 1, 1, 2))
  default <- "missingValueStrategy='defaultChild' noTrueChildStrategy='returnLastPrediction'"
  model <- sub("<Node id='' score='0.5'>", "<Node score='0.5' defaultChild='b'>",
               halves(more = default), fixed = TRUE)
  known <- rows[!is.na(rows$z), ]
  expect_identical(said(model, new = known), c(1, 2, 2, 2, 3, 1, 2))
  expect_contree_error(said(model), "input", "z") # its node names no default
  expect_identical(said(halves(more = paste(last, "missingValueStrategy='lastPrediction'"))),
                   c(1, 2, 2, 0.5, 3, 1, 1, 2))
  null <- import_forest(pmml_text(fields, halves(more = paste(
    last, "missingValueStrategy='nullPrediction'"))))
  expect_contree_error(predict(null, rows), "input", "missing")
  expect_identical(unname(predict(null, rows[c(1:3, 5), ])), c(1, 2, 2, 3))
})

test_that("numbers are compared as the type of their fields", {
  floats <- paste0(number_field("x", "float"), number_field("z", "float"), number_field("y"))
  last <- "noTrueChildStrategy='returnLastPrediction'"
  expect_identical(said(halves(more = last), floats)[1:3], c(2, 2, 2))
  expect_identical(said(halves("lessOrEqual", "greaterThan", more = last), floats)[1:3], c(1, 1, 1))
  mixed <- paste0(number_field("x", "float"), number_field("z"), number_field("y"))
  expect_contree_error(said(halves(more = last), mixed), "unsupported", "'float' and 'double'")
  for (x in c(1, -1, 2, -2, 0, 0.1, -0.1, 2^-1074, -2^-1022, 2^52, 65535)) {
    after <- contree:::next_double(x)
    expect_true(after > x && (x + (after - x) / 2) %in% c(x, after), info = format(x))
  }
  expect_identical(contree:::next_double(-2^-1074), 0)
  expect_identical(contree:::next_double(.Machine$double.xmax), Inf)
})

ensemble <- function(method, ..., more = "", of = "regression", context = "double") {
  paste0("<MiningModel functionName='", of, "' x-mathContext='", context, "'>", schema("x", "z"),
         more, "<Segmentation multipleModelMethod='", method, "'>",
         paste0("<Segment><True/>", c(...), "</Segment>", collapse = ""),
         "</Segmentation></MiningModel>")
}

test_that("trees are summed and averaged, and the constant is added last", {
  first <- tree(node(1e16, simple("x", "lessThan", 1)), node(0.1, "<True/>"))
  second <- tree(node(1, simple("x", "lessThan", 1)), node(0.2, "<True/>"))
  new <- data.frame(x = 0:1, z = 0)
  constant <- "<Targets><Target rescaleConstant='-1e16'/></Targets>"
  expect_identical(said(ensemble("sum", first, second, more = constant), new = new),
                   c((1e16 + 1) - 1e16, (0.1 + 0.2) - 1e16))
  expect_identical(said(ensemble("average", first, second), new = new),
                   c((1e16 + 1) / 2, (0.1 + 0.2) / 2))
  single <- said(ensemble("sum", second, second, context = "float"), new = new)
  expect_identical(single, c(2, contree:::floats(0.2) * 2))
  expect_contree_error(said(ensemble("max", first)), "unsupported", "'max'")
  scale <- "<Targets><Target rescaleFactor='2'/></Targets>"
  expect_contree_error(said(ensemble("sum", first, more = scale)), "unsupported", "rescaleFactor")
})

test_that("classes are voted for, averaged, or made of sums", {
  of <- paste0(number_field("x"), number_field("z"), text_field("y", c("no", "yes")))
  leaf <- function(class, yes, test) {
    node(class, test, "<ScoreDistribution value='no' recordCount='", 1 - yes, "'/>",
         "<ScoreDistribution value='yes' recordCount='", yes, "'/>")
  }
  one <- function(value) {
    sub("score='0.5'", "score='no'", fixed = TRUE,
        tree(leaf("no", 0.25, simple("x", "lessThan", value)), leaf("yes", 1, "<True/>"),
             of = "classification"))
  }
  new <- data.frame(x = 0:2, z = 0)
  read <- function(model) import_forest(pmml_text(of, model))
  mean_of <- read(ensemble("average", one(1), one(2), of = "classification"))
  expect_identical(unname(predict(mean_of, new, type = "prob")[, "yes"]), c(0.25, 0.625, 1))
  votes <- read(ensemble("majorityVote", one(1), one(2), of = "classification"))
  expect_identical(unname(predict(votes, new, type = "prob")[, "yes"]), c(0, 0.5, 1))
  expect_identical(as.character(predict(votes, new, type = "class")), c("no", "no", "yes"))
  sums <- ensemble("sum", tree(node(-1, simple("x", "lessThan", 1)), node(2, "<True/>")),
                   more = "<Output><OutputField name='sum'/></Output>")
  link <- paste0(
    "<RegressionModel functionName='classification' normalizationMethod='logit'>",
    schema("sum"), "<RegressionTable intercept='0' targetCategory='yes'>",
    "<NumericPredictor name='sum' coefficient='1'/></RegressionTable>",
    "<RegressionTable intercept='0' targetCategory='no'/></RegressionModel>")
  chain <- ensemble("modelChain", sums, link, of = "classification")
  expect_equal(unname(predict(read(chain), new, type = "prob")[, "yes"]), plogis(c(-1, 2, 2)))
  odd <- sub("coefficient='1'", "coefficient='2'", chain)
  expect_contree_error(read(odd), "unsupported", "link")
})

# One sum a class, each with its constant, and behind them all a regression.
sums_of <- function(name, value, constant) {
  ensemble("sum", tree(node(value, simple("x", "lessThan", 1)), node(-value, "<True/>")),
           tree(node(0.125, simple("z", "lessThan", 0)), node(2 * value, "<True/>")),
           more = paste0("<Output><OutputField name='", name, "'/></Output><Targets>",
                         "<Target rescaleConstant='", constant, "'/></Targets>"))
}

regression <- function(names, classes, link, of = "classification", coefficient = 1) {
  paste0("<RegressionModel functionName='", of, "' normalizationMethod='", link, "'>",
         schema(names), paste0("<RegressionTable intercept='0'",
                               if (length(classes)) paste0(" targetCategory='", classes, "'"),
                               "><NumericPredictor name='", names, "' coefficient='", coefficient,
                               "'/></RegressionTable>", collapse = ""), "</RegressionModel>")
}

test_that("sums of several classes are joined by softmax", {
  classes <- c("a", "b", "c")
  of <- paste0(number_field("x"), number_field("z"), text_field("y", classes))
  values <- c(0.5, -1.5, 0.75)
  constants <- c(0.25, 0, -1)
  names <- paste0("sum", 1:3)
  parts <- Map(sums_of, names, values, constants)
  model <- function(...) {
    do.call(ensemble, c("modelChain", unname(parts), regression(names, classes, ...),
                        of = "classification"))
  }
  read <- function(model) import_forest(pmml_text(of, model))
  new <- data.frame(x = c(0, 1, 0, 2), z = c(0, 0, -1, -1))
  sums <- sapply(1:3, function(k) {
    ifelse(new$x < 1, values[k], -values[k]) + ifelse(new$z < 0, 0.125, 2 * values[k]) +
      constants[k]
  })
  forest <- read(model("softmax"))
  expect_identical(unname(predict(forest, new, type = "margin")), sums)
  shares <- exp(sums) / rowSums(exp(sums))
  expect_equal(unname(predict(forest, new, type = "prob")), shares, tolerance = 1e-15)
  expect_identical(as.character(predict(forest, new, type = "class")), classes[max.col(sums)])
  for (odd in list(model("simplemax"), model("softmax", coefficient = 2),
                   sub("name='sum1' coefficient", "name='sum2' coefficient", model("softmax")))) {
    expect_contree_error(read(odd), "unsupported", "link")
  }
})

test_that("a sum may become a number by exp", {
  model <- function(...) {
    ensemble("modelChain", sums_of("sum", 0.5, 0.25), regression("sum", NULL, ...))
  }
  new <- data.frame(x = c(0, 1), z = 0)
  expect_equal(said(model("exp", of = "regression"), new = new), exp(c(1.75, 0.75)),
               tolerance = 1e-15)
  expect_contree_error(said(model("logit", of = "regression"), new = new), "unsupported", "logit")
})

test_that("levels are matched, and those without a prediction refused", {
  of <- function(values) paste0("<DataField name='x' optype='categorical' dataType='string'>",
                                values, "</DataField>", number_field("z"), number_field("y"))
  among <- function(operator, text) {
    paste0("<SimpleSetPredicate field='x' booleanOperator='", operator, "'><Array type='string'>",
           gsub("'", "&quot;", text), "</Array></SimpleSetPredicate>")
  }
  new <- data.frame(x = c("a", "b c", "d"), z = 0)
  model <- tree(node(1, among("isIn", "a 'b c'")), node(2, among("isIn", "d")))
  expect_identical(said(model, of(""), new), c(1, 1, 2))
  expect_contree_error(said(model, of(""), data.frame(x = "e", z = 0)), "input", "e")
  model <- tree(node(1, among("isIn", "a 'b c'")), node(2, among("isNotIn", "a 'b c'")))
  expect_identical(suppressWarnings(said(model, of(""), data.frame(x = c("a", "e"), z = 0))),
                   c(1, 2))
  listed <- of("<Value value='a'/><Value value='b c'/><Value value='d'/>")
  expect_contree_error(said(model, listed, data.frame(x = "e", z = 0)), "input", "e")
  expect_contree_error(said(tree(node(1, among("isIn", "a")), node(2, among("isIn", "d"))),
                            listed, new), "unsupported", "no test may be true")
})

test_that("trees that write_pmml() has written come back", {
  set.seed(2)
  data <- data.frame(a = rnorm(200), f = factor(sample(letters[1:5], 200, TRUE)),
                     l = rnorm(200) > 0)
  data$y <- data$a + (data$f %in% c("a", "c", "e")) * 2 + data$l
  data$a[sample(200, 30)] <- NA
  data$f[sample(200, 20)] <- NA
  file <- tempfile(fileext = ".pmml")
  on.exit(unlink(file))
  for (depth in 1:3) {
    fit <- contree(y ~ ., data, depth = depth)
    write_pmml(fit, file)
    expect_identical(suppressWarnings(unname(predict(import_forest(file), data))),
                     unname(predict(fit, data)))
  }
  fit <- contree(Species ~ ., iris, depth = 2)
  write_pmml(fit, file)
  expect_identical(as.character(predict(import_forest(file), iris, type = "class")),
                   as.character(predict(fit, iris, type = "class")))
})

test_that("what cannot be read exactly is refused by name", {
  refused <- function(model, word, of = fields, kind = "unsupported") {
    expect_contree_error(import_forest(pmml_text(of, model)), kind, word)
  }
  plain <- halves(more = "noTrueChildStrategy='returnLastPrediction'")
  surrogate <- "<CompoundPredicate booleanOperator='surrogate'>"
  refused(tree(node(1, surrogate, simple("x", "lessThan", 1), simple("z", "lessThan", 1),
                    "</CompoundPredicate>")), "'surrogate'")
  refused(sub("field='z'", "field='float(z)'", plain), "float(z)")
  refused(sub("name='z'/>", "name='z' missingValueReplacement='3'/>", plain), "replacements")
  refused(sub("lessThan", "equal", plain), "'equal'")
  refused(halves(more = "missingValueStrategy='weightedConfidence'"), "weightedConfidence")
  refused(halves(more = "missingValueStrategy='none'"), "no test may be true")
  refused("<NeuralNetwork/>", "NeuralNetwork")
  refused(plain, "intervals",
          of = sub("/>", "><Interval closure='closedOpen'/></DataField>", fields))
  refused(sub("value='1'", "value='many'", plain), "many", kind = "input")
  refused(sub("score='3'", "score='1e999'", plain), "1e999", kind = "input")
  text <- rawToChar(pmml_text(fields, plain))
  expect_contree_error(import_forest(charToRaw(sub("<PMML", "<!DOCTYPE x []><PMML", text))),
                       "unsupported", "document types")
})

test_that("documents that end too early are errors at each length", {
  bytes <- pmml_text(fields, halves(more = "noTrueChildStrategy='returnLastPrediction'"))
  for (n in seq_len(length(bytes) - 1L)) {
    problem <- tryCatch(import_forest(bytes[seq_len(n)]), error = identity)
    expect_s3_class(problem, "contree_error")
  }
})
