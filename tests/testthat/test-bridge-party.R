# partykit knows factors by their levels alone, and takes no new ones.
for_partykit <- function(rows, fit) {
  for (name in names(tree_xlevels(fit))) {
    levels <- tree_xlevels(fit)[[name]]
    rows[[name]] <- factor(as.character(rows[[name]]), levels = levels,
                           ordered = is.ordered(rows[[name]]))
  }
  rows
}

test_that("partykit predicts what predict() predicts, missing values included", {
  skip_if_not_installed("partykit")
  for_each_tree(function(fit, rows, expected, name) {
    # for partykit infinite values are missing
    infinite <-
      Reduce(`|`, lapply(rows, function(x) is.infinite(as.numeric(if (is.numeric(x)) x else 0))))
    known <- !has_new_level(rows) & !infinite
    rows <- for_partykit(rows[known, ], fit)
    party <- partykit::as.party(fit)
    expect_s3_class(party, c("contree_party", "constparty", "party"), exact = TRUE)
    expect_identical(as.character(predict(party, rows)), expected$class[known], info = name)
    expect_equal(unname(predict(party, rows, type = "prob")), expected$prob[known, ], info = name)
    # nodes may have other numbers, but have the same rows
    pairs <- unique(data.frame(predict(party, rows, type = "node"), expected$node[known]))
    expect_identical(anyDuplicated(pairs[[1]]) + anyDuplicated(pairs[[2]]), 0L, info = name)
    expect_identical(unname(predict(party)), unname(predict(fit)), info = name)
    expect_identical(length(party), nrow(fit$frame))
    expect_output(print(party))
    leaf <- unlist(partykit::nodeapply(party, partykit::nodeids(party), partykit::is.terminal))
    expect_identical(sum(leaf), sum(node_is_leaf(fit)))
    # the device of the tests has no letters beyond Latin ones
    if (name != "hostile") expect_silent(plot(party))
  })
})

test_that("responses of training rows are right by row for two classes, as counts for more", {
  skip_if_not_installed("partykit")
  two <- transform(iris, Species = factor(Species == "versicolor"))
  for (data in list(two, iris)) {
    fit <- contree(Species ~ Sepal.Length + Sepal.Width, data, depth = 2)
    response <- partykit::as.party(fit)$fitted[["(response)"]]
    if (nlevels(data$Species) == 2) expect_identical(response, data$Species)
    expect_equal(table(response, fit$where), table(response = data$Species, fit$where),
                 ignore_attr = TRUE)
    with_data <- partykit::as.party(fit, data = data)
    expect_identical(with_data$fitted[["(response)"]], data$Species)
    expect_identical(nrow(with_data$data), 150L)
    kept <- partykit::as.party(contree(Species ~ Sepal.Length + Sepal.Width, data, depth = 2,
                                       model = TRUE))
    expect_identical(kept$fitted[["(response)"]], data$Species)
  }
  expect_contree_error(partykit::as.party(fit, data = iris[1:10, ]), "input",
                       c("'data'", "150", "10"))
  expect_contree_error(partykit::as.party(fit, simplify = TRUE), "input", "simplify")
})

test_that("fits convert wherever they were made", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  make <- function() {
    df <- data.frame(u = c(1, 2, 3, 4), kind = factor(c("a", "a", "b", "b")))
    list(formula = contree(kind ~ u, df, depth = 1), xy = contree(df["u"], df$kind, depth = 1),
         matrix = contree(as.matrix(df["u"]), df$kind, depth = 1))
  }
  fits <- c(make(), lapply(1:2, function(depth) contree(Species ~ ., iris[1:120, ], depth = depth)))
  for (fit in fits) {
    new <- if (nobs(fit) == 4) data.frame(u = c(1.5, 3.5)) else iris
    expect_identical(as.character(predict(partykit::as.party(fit), new)),
                     as.character(predict(fit, new)))
    expect_identical(as.character(predict(as.rpart(fit), new, type = "class")),
                     as.character(predict(fit, new)))
  }
})

test_that("missing values may be parted from all others, whichever are more", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  for (few in c(TRUE, FALSE)) {
    for (type in list(factor, ordered, function(x) match(x, c("p", "q")))) {
      data <- data.frame(f = type(if (few) c("p", "q", rep(NA, 9)) else c(NA, rep(c("p", "q"), 5))))
      data$class <- factor(ifelse(is.na(data$f), "none", "some"))
      fit <- contree(class ~ f, data, depth = 1)
      expect_identical(fit$objective, 0)
      party <- partykit::as.party(fit)
      expect_identical(as.character(predict(party, data)), as.character(data$class))
      expect_output(print(party))
    }
  }
})

test_that("a leaf that does not predict its most frequent class is warned of", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("jsonlite")
  fit <- contree_from_json(sub("\"class\":\"virginica\"", "\"class\":\"setosa\"", as_json(iris2),
                               fixed = TRUE))
  problem <- tryCatch(partykit::as.party(fit), warning = identity)
  expect_s3_class(problem, "contree_conversion_warning")
  expect_match(conditionMessage(problem), "leaf 7 ")
})

test_that("computed predictors are computed again", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  fit <- contree(Species ~ log(Petal.Length) + I(Petal.Width^2) + Sepal.Width, iris, depth = 3)
  expect_identical(unname(predict(partykit::as.party(fit), iris)), unname(predict(fit, iris)))
  expect_identical(predict(as.rpart(fit), iris, type = "class"), predict(fit, iris))
})

test_that("a tree from JSON converts too", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("jsonlite")
  party <- partykit::as.party(contree_from_json(as_json(iris2)))
  expect_identical(unname(predict(party, iris)), unname(predict(iris2, iris)))
  expect_equal(unname(predict(party, iris, type = "prob")),
               unname(predict(iris2, iris, type = "prob")))
})

test_that("partykit gets all rows, of characters and calls too", {
  skip_if_not_installed("partykit")
  set.seed(2)
  data <- data.frame(ch = sample(c("p", "q", NA, "r"), 80, TRUE), x = sample(c(NA, 1:9), 80, TRUE),
                     z = rexp(80))
  data$y <- factor(ifelse(data$ch %in% c("p", NA), data$x %in% c(NA, 6:9), log(data$z) > 0))
  data$z[1:5] <- NA
  fit <- contree(y ~ ch + x + log(z), data, depth = 3)
  expect_true(all(c("ch", "log(z)") %in% fit$frame$var))
  for (party in list(partykit::as.party(fit), partykit::as.party(fit, data))) {
    for (new in list(data, transform(data, ch = factor(ch)), transform(data, x = as.numeric(x)),
                     data[1:3, ])) {
      expect_identical(as.character(predict(party, new)), as.character(predict(fit, new)))
      expect_identical(nrow(predict(party, new, type = "prob")), nrow(new))
    }
  }
  expect_contree_error(predict(partykit::as.party(fit), transform(data, ch = "new")), "input",
                       c("'ch'", "'new'"))
})

# Rows of every type of predictor, of which any value may be missing.
rows_with_missing <- function(n) {
  data <- data.frame(ch = sample(c("u", "v", "w"), n, TRUE), x = rnorm(n), k = rpois(n, 3),
                     f = factor(sample(letters[1:4], n, TRUE)), l = sample(c(TRUE, FALSE), n, TRUE),
                     o = factor(sample(c("lo", "mid", "hi"), n, TRUE), c("lo", "mid", "hi"), TRUE))
  data$z <- match(data$ch, c("u", "v", "w")) + as.integer(data$f) * data$x + data$k / 3 +
    2 * data$l + as.integer(data$o)
  data$y <- cut(data$z, c(-Inf, 4, 7, Inf), c("few", "some", "many"))
  for (name in names(data)[1:6]) data[[name]][sample(n, n / 8)] <- NA
  data
}

test_that("no row is dropped for a missing value, whatever leaves predict", {
  skip_if_not_installed("partykit")
  set.seed(5)
  data <- rows_with_missing(200)
  predictors <- names(data)[1:6]
  lacking <- data[1:3, ]
  lacking[] <- lapply(lacking, function(x) replace(x, TRUE, NA))
  for (response in c("z", "y")) {
    formula <- stats::reformulate(predictors, response)
    fits <- lapply(1:4, function(depth) {
      forest <- hist_forest(formula, data, trees = 1, depth = depth, seed = depth)
      forest_tree(forest, 1, as = "model")
    })
    fits <- c(fits, lapply(1:2, function(depth) {
      contree(formula, data, depth = depth, max_thresholds = 5)
    }), list(contree(data[predictors], data[[response]], depth = 2, max_thresholds = 5)))
    expect_true(any(vapply(fits, function(fit) "ch" %in% used_predictors(fit), NA)))
    for (fit in fits) {
      party <- partykit::as.party(fit)
      for (new in list(data, data[7, ], transform(data, ch = factor(ch)), lacking)) {
        expect_equal(predict(party, new), predict(fit, new), ignore_attr = TRUE)
        pairs <- unique(data.frame(predict(party, new, type = "node"),
                                   predict(fit, new, type = "node")))
        expect_false(anyDuplicated(pairs[[1]]) > 0 || anyDuplicated(pairs[[2]]) > 0)
      }
      if (!length(fit$where)) next
      expect_equal(predict(party), predict(fit), ignore_attr = TRUE)
      expect_identical(length(unique(party$fitted[["(fitted)"]])), sum(node_is_leaf(fit)))
    }
  }
})

test_that("each function of partykit gives what the tree has", {
  skip_if_not_installed("partykit")
  fits <- list(contree(Species ~ ., iris, depth = 2), contree(dist ~ speed, cars, depth = 2))
  for (fit in fits) {
    data <- if (predicts_classes(fit)) iris else cars
    party <- partykit::as.party(fit, data = data)
    leaf <- node_is_leaf(fit)
    expect_identical(partykit::nodeids(party), seq_along(leaf))
    expect_identical(partykit::nodeids(party, terminal = TRUE), which(leaf))
    expect_equal(partykit::width(party), sum(leaf))
    expect_equal(grid::depth(party), max(node_depth(fit)))
    expect_equal(unlist(partykit::nodeapply(party, which(leaf), function(node) node$id)),
                 which(leaf), ignore_attr = TRUE)
    expect_silent(plot(party))
    expect_output(print(party), "terminal nodes")
    for (node in seq_along(leaf)) {
      expect_identical(nrow(partykit::data_party(party, node)), node_n(fit)[node])
      expect_equal(partykit::width(party[[node]]), sum(nearest_cut(fit, node)[which(leaf)] == node))
    }
    where <- predict(party, data, type = "node")
    expect_identical(unname(where), unname(tree_where(fit)))
    expect_equal(partykit::predict_party(party, id = where), predict(fit, data),
                 ignore_attr = TRUE)
    simple <- partykit::as.simpleparty(party)
    expect_equal(predict(simple, data), predict(fit, data), ignore_attr = TRUE)
    if (predicts_classes(fit)) {
      expect_equal(predict(party, data, type = "prob"), predict(fit, data, type = "prob"),
                   ignore_attr = TRUE)
      expect_error(predict(party, data, type = "quantile"), "numeric responses")
    }
  }
})

test_that("of a forest one tree is converted, and which has to be said", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  for (formula in list(Species ~ ., Sepal.Length ~ .)) {
    forest <- hist_forest(formula, iris, trees = 4, seed = 1)
    for (convert in list(as.rpart, partykit::as.party)) {
      expect_contree_error(convert(forest), "input", c("has 4 trees", "forest_tree("))
      expect_contree_error(convert(forest, tree = 5), "input", "'tree'")
    }
    for (tree in 1:4) {
      told <- unname(predict(forest_tree(forest, tree, as = "model"), iris))
      expect_equal(unname(predict(partykit::as.party(forest, tree = tree), iris)), told)
      type <- if (is.factor(told)) "class" else "vector"
      expect_equal(unname(predict(as.rpart(forest, tree = tree), iris, type = type)), told)
    }
  }
})

test_that("new data may have the level NA, and a predictor any name", {
  skip_if_not_installed("partykit")
  skip_if_not_installed("rpart")
  f <- rep(c("a", "b", NA), each = 6)
  data <- data.frame(f = addNA(factor(f)), . = rep(1:3, 6),
                     y = factor(rep(c("p", "q", "p"), each = 6)))
  fit <- contree(y ~ ., data, depth = 2)
  expect_identical(unname(predict(partykit::as.party(fit), data)), data$y)
  dot <- contree(data["."], factor(data$. > 2), depth = 1)
  for (tree in list(as.rpart(dot), partykit::as.party(dot))) {
    expect_identical(as.character(predict(tree, data, type = if (inherits(tree, "rpart")) "class"
                                          else "response")), as.character(data$. > 2))
  }
})

test_that("a level that did not occur in training is an error that names it", {
  skip_if_not_installed("partykit")
  data <- data.frame(y = factor(c("a", "a", "b", "b")), f = factor(c("u", "u", "v", NA)))
  party <- partykit::as.party(contree(y ~ f, data, depth = 1, minbucket = 1))
  new <- data.frame(f = factor(c("u", "w", NA)))
  expect_contree_error(predict(party, new), "input", c("'w'", "'f'", "leave these rows out"))
  expect_identical(as.character(predict(party, new[-2, , drop = FALSE])), c("a", "b"))
})

test_that("model.frame() has the training rows, or says that there are none", {
  skip_if_not_installed("partykit")
  for (fit in list(iris2, contree(mpg ~ ., mtcars, depth = 2))) {
    bare <- partykit::as.party(fit)
    expect_contree_error(model.frame(bare), "input", c("no training rows", "'data'"))
  }
  held <- partykit::as.party(contree(Species ~ ., iris, depth = 2, model = TRUE))
  for (party in list(held, partykit::as.party(iris2, data = iris))) {
    expect_identical(model.frame(party)$Petal.Length, iris$Petal.Length)
  }
  models <- partykit::as.party(gmt(mpg ~ wt | hp, mtcars, seed = 1))
  expect_identical(model.frame(models)$wt, mtcars$wt)
})

test_that("a tree of one constant value is plotted", {
  skip_if_not_installed("partykit")
  pdf(NULL)
  on.exit(dev.off())
  for (value in c(0, 1.5, -3e15, 1e-90)) {
    party <- partykit::as.party(contree(y ~ a, data.frame(y = value, a = 1:20), depth = 1))
    expect_silent(plot(party))
    expect_silent(plot(party, "title", type = "s"))
    expect_silent(plot(party, tp_args = list(fill = "red")))
    expect_silent(plot(party, terminal_panel = partykit::node_terminal,
                       tp_args = list(FUN = function(info) "leaf")))
  }
})
