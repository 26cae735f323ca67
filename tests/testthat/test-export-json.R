test_that("a tree comes back from JSON with the same predictions, print and document", {
  skip_if_not_installed("jsonlite")
  for_each_tree(function(fit, rows, expected, name) {
    text <- as_json(fit)
    again <- contree_from_json(text)
    expect_identical(expected_of(again, rows), expected, info = name)
    expect_identical(as_json(again), text, info = name)
    expect_identical(capture.output(print(again))[-1], capture.output(print(fit))[-1], info = name)
    expect_identical(as_sql(again), as_sql(fit), info = name)
    expect_identical(contree_from_json(strsplit(text, "\n")[[1]]), again, info = name)
    same <- setdiff(names(again), c("where", "y", "call", "elapsed"))
    environment(fit$terms) <- environment(again$terms)
    expect_equal(again[same], fit[same], info = name)
  })
})

test_that("thresholds have all their digits", {
  skip_if_not_installed("jsonlite")
  x <- c(0.1, 0.1 + 2^-50, 1 / 3, 1 / 3 + 2^-54, exp(1))
  fit <- contree(data.frame(x), factor(c("a", "b", "a", "b", "a")), depth = 3)
  read <- jsonlite::fromJSON(as_json(fit), simplifyVector = FALSE)
  thresholds <- unlist(lapply(read$nodes, function(node) node$split$threshold))
  expect_identical(thresholds, unname(fit$splits[, "index"]))
})

test_that("formulas become names, and x and y have none", {
  skip_if_not_installed("jsonlite")
  fit <- contree(Species ~ log(Petal.Length), iris, depth = 1)
  again <- contree_from_json(as_json(fit))
  expect_contree_error(predict(again, iris), "input", "log(Petal.Length)")
  new <- data.frame("log(Petal.Length)" = log(iris$Petal.Length), check.names = FALSE)
  expect_identical(predict(again, new), predict(fit, iris))
  expect_identical(as.character(formula(again))[2], "Species")
  again <- contree_from_json(as_json(contree(iris[1:4], iris$Species, depth = 1)))
  expect_contree_error(formula(again), "input")
  expect_identical(nrow(summary(again)$confusion), 3L)
})

test_that("a fit without training rows says so", {
  skip_if_not_installed("jsonlite")
  again <- contree_from_json(as_json(iris2))
  expect_contree_error(predict(again), "input", "newdata")
  expect_identical(contree_rules(again), contree_rules(iris2))
  expect_silent(plot(again))
})

test_that("code in a document is never run", {
  skip_if_not_installed("jsonlite")
  fit <- contree(Species ~ ., setNames(iris, c("stop('run')", names(iris)[-1])), depth = 1)
  text <- gsub("Petal.Length|Petal.Width", "stop('never')", as_json(fit))
  text <- sub("\"name\":\"stop('never')\"", "\"name\":\"q()\"", text, fixed = TRUE)
  again <- contree_from_json(text)
  data <- setNames(iris[1:4], c("stop('run')", "Sepal.Width", "q()", "stop('never')"))
  expect_length(predict(again, data), 150)
  expect_output(print(again), "never")
})

test_that("anything else than a document of as_json() is an error that says where", {
  skip_if_not_installed("jsonlite")
  fit <- contree_tree_with_levels()
  text <- as_json(fit)
  refused <- function(from, to, words) {
    changed <- sub(from, to, text, fixed = TRUE)
    expect_false(identical(changed, text), info = from)
    expect_contree_error(contree_from_json(changed), "input", words)
  }
  expect_contree_error(contree_from_json(1), "input", "'x'")
  expect_contree_error(contree_from_json(character()), "input", "'x'")
  expect_contree_error(contree_from_json("{\"format\":"), "input", "not JSON")
  expect_contree_error(contree_from_json("[1, 2]"), "input", "format")
  expect_contree_error(contree_from_json("{}"), "input", "format")
  expect_contree_error(contree_from_json("3"), "input", "format")
  expect_contree_error(contree_from_json("\"format\""), "input", "format")
  refused("\"format\": \"contree\"", "\"format\": \"other\"", "format")
  refused("\"format_version\": 3", "\"format_version\": 99", c("99", "update"))
  refused("\"response\": \"y\"", "\"response\": \"\"", "response")
  refused("\"objective\": 0", "\"objective\": -1", "objective")
  refused("\"max_gap\":0", "\"max_gap\":-1", "settings")
  refused("\"capped\": false", "\"capped\": \"no\"", "capped")
  refused("\"status\": \"optimal\"", "\"status\": null", "status")
  refused("\"status\": \"optimal\"", "\"status\": \"optimal\", \"extra\": 1", "extra")
  refused("\"status\": \"optimal\"", "\"status\": \"optimal\", \"status\": \"optimal\"", "status")
  refused("\"status\": \"optimal\",", "", "status")
  refused("\"depth\":2", "\"depth\":2.5", "settings.depth")
  refused("\"type\":\"factor\"", "\"type\":\"fctr\"", "predictors[1].type")
  refused("\"type\":\"factor\"", "\"type\":\"numeric\"", "predictors[1].levels")
  refused("\"name\":\"f\"", "\"name\":\"x\"", "predictors")
  refused("\"classes\": [\"u\"", "\"classes\": [\"v\"", "classes")
  refused("\"variable\":\"f\"", "\"variable\":\"g\"", "nodes[1].split.variable")
  refused("\"variable\":\"f\"", "\"variable\":\"x\"", "nodes[1].split")
  refused("\"left\":[\"a\"", "\"left\":[\"z\"", "nodes[1].split")
  refused("\"missing\":\"", "\"missing\":\"up", "nodes[1].split.missing")
  refused("\"threshold\":", "\"threshold\":\"1\", \"was\":", "nodes[2].split")
  refused("\"id\":2", "\"id\":9", "nodes")
  refused("\"id\":1,", "\"id\":true,", "nodes[1].id")
  refused("\"n\":24,", "\"n\":23,", "nodes[1]")
  refused("\"counts\":[4, 4, 16]", "\"counts\":[4, 5, 15]", "nodes[1]")
  refused("\"errors\":8", "\"errors\":-8", "nodes[1].errors")
  refused("\"counts\":[", "\"counts\":[1, ", "nodes[1].counts")
  refused("{\"id\":1,\"n\":24,\"class\":\"", "{\"id\":1,\"n\":24,\"class\":\"w", "nodes[1].class")
  leaf <- gsub("\"nodes\": \\[.*\\]\n", "\"nodes\": []\n", text)
  expect_contree_error(contree_from_json(leaf), "input", "nodes")
})

test_that("documents of another version, of none or of several are refused", {
  document <- as_json(contree(Species ~ ., iris, depth = 1))
  version <- "\"format_version\": [0-9]+,"
  for (other in c("", "\"format_version\": 2,", "\"format_version\": [],",
                  "\"format_version\": [3, 3],", "\"format_version\": null,")) {
    expect_match(document, version)
    expect_contree_error(contree_from_json(sub(version, other, document)), "input",
                         c("'x'", "format_version", "reads 3"))
  }
})

test_that("every kind of tree reads back", {
  skip_if_not_installed("jsonlite")
  d <- transform(mtcars, cyl = factor(cyl), gear = factor(gear, ordered = TRUE))
  d$hp[3] <- NA
  models <- list(gmt(dist ~ speed, cars, seed = 1), gmt(mpg ~ 1 | wt, d, max_leaves = 1),
                 gmt(mpg ~ 1 | wt + cyl, d, complexity = 0.5), gmt(mpg ~ wt - 1 | hp, d),
                 gmt(mpg ~ cyl + hp | gear, d, max_leaves = 1),
                 gmt(mpg ~ cyl + hp | gear, d, complexity = 0.1, minbucket = 3))
  for (fit in models) {
    rows <- if ("speed" %in% fit$gmt$regressors) cars else d
    read <- contree_from_json(as_json(fit))
    expect_identical(predict(read, rows), predict(fit, rows))
    expect_identical(as_json(read), as_json(fit))
  }
  d$am <- factor(d$am)
  trees <- list(contree(am ~ wt + cyl, d, depth = 0), contree(am ~ wt + cyl, d, depth = 2),
                contree(am ~ wt, d, depth = 1, weights = d$qsec), contree(mpg ~ wt + cyl, d),
                contree(mpg ~ wt, d, depth = 0))
  for (depth in c(1, 3)) {
    for (formula in list(am ~ wt + cyl + gear, mpg ~ wt + cyl + gear)) {
      forest <- hist_forest(formula, d, trees = 2, seed = 1, depth = depth)
      trees <- c(trees, list(forest_tree(forest, 2, as = "model")))
    }
  }
  for (fit in trees) {
    read <- contree_from_json(as_json(fit))
    expect_equal(predict(read, d), predict(fit, d))
    expect_identical(as_json(read), as_json(fit))
  }
})

test_that("what is read of a model tree predicts within the same limits, bit for bit", {
  skip_if_not_installed("jsonlite")
  set.seed(3)
  n <- 300
  d <- data.frame(a = rnorm(n), i = sample(10L, n, TRUE), l = rnorm(n) > 0, z = rnorm(n),
                  f = factor(sample(letters[1:6], n, TRUE)),
                  g = factor(sample(1:4, n, TRUE), ordered = TRUE))
  d$y <- ifelse(d$z > 0, 3 * d$a, -d$a) + as.integer(d$f) + as.integer(d$g) + rnorm(n)
  holes <- d
  for (name in c("a", "f", "g")) holes[sample(n, 30), name] <- NA
  far <- transform(holes, a = 1e6 * a, i = 1000L * i, z = 1000 * z)
  levels(far$f)[1] <- "new"
  log_a <- setNames(list(log(abs(far$a) + 1), far$z), c("log(abs(a) + 1)", "z"))
  one <- gmt(y ~ log(abs(a) + 1) | z, d, seed = 1)
  expect_identical(unname(predict(contree_from_json(as_json(one)), list2DF(log_a))),
                   unname(predict(one, far)))
  for (data in list(d, holes)) {
    for (formula in list(y ~ a + f + i | z + f, y ~ a + g + f + l | z, y ~ a + f - 1 | z)) {
      for (limits in c("range", "none")) {
        fit <- gmt(formula, data, limits = limits, seed = 1)
        read <- contree_from_json(as_json(fit))
        for (new in list(d, holes, far)) {
          said <- suppressWarnings(predict(read, new))
          expect_identical(said, suppressWarnings(predict(fit, new)))
          expect_identical(unname(suppressWarnings(predict(forge(read), new))), unname(said))
        }
        expect_identical(as_json(read), as_json(fit))
      }
    }
  }
  expect_contree_error(predict(read, far["z"]), "input", c("newdata", "a"))
})

test_that("limits that are not such are refused", {
  skip_if_not_installed("jsonlite")
  text <- as_json(gmt(Sepal.Length ~ Species + Petal.Width, iris, max_leaves = 1, seed = 1))
  refused <- function(from, to, words) {
    changed <- sub(from, to, text, perl = TRUE)
    expect_false(identical(changed, text), info = from)
    expect_contree_error(contree_from_json(changed), "input", words)
  }
  refused("\"lowest\":", "\"lowest\":\"a\",\"low\":", "nodes[1]")
  refused("\"highest\":[0-9.]+,", "", "nodes[1].highest")
  refused("\"terms\":\\[.*\\],", "", "nodes[1].terms")
  refused("\"terms\":\\[", "\"terms\":[1, ", "nodes[1].terms[1]")
  refused("(\"terms\".*?)\"levels\":\\[", "\\1\"levels\":[0, ", "nodes[1].terms[1].levels")
  refused("(\"terms\".*)\"low\":", "\\1\"levels\":[1], \"low\":", "nodes[1].terms[3]")
  refused("(\"terms\":\\[\\{\"predictor\":)\"Species\"", "\\1\"Petal.Width\"",
          "nodes[1].terms[1]")
})

test_that("texts with formats or null characters in them are refused, and do not end the process", {
  skip_if_not_installed("jsonlite")
  for (text in c('{"a": "%s%n%n%s" x', '{"format": "contree", "%n%n%n%n": ')) {
    expect_contree_error(contree_from_json(text), "input", "'x' is not JSON")
  }
  expect_contree_error(contree_from_json(paste0('{"a":', strrep("[", 1e5), strrep("]", 1e5), "}")),
                       "input", "nested")
  text <- as_json(contree(Species ~ ., iris, depth = 1))
  expect_contree_error(contree_from_json(sub("setosa", "set\\u0000osa", text, fixed = TRUE)),
                       "input", "null character")
  odd <- gsub("setosa", "set%n\\\\u0000", text, fixed = TRUE)
  expect_true("set%n\\u0000" %in% tree_classes(contree_from_json(odd)))
})

test_that("a tree that was read cannot be fitted again, and says so", {
  skip_if_not_installed("jsonlite")
  for (fit in list(contree(Species ~ ., iris, depth = 1), gmt(dist ~ speed, cars, seed = 1))) {
    read <- contree_from_json(as_json(fit))
    expect_contree_error(update(read), "input", "cannot be fitted again")
    expect_contree_error(update(read, . ~ 1), "input", "cannot be fitted again")
  }
})
