# Fitted objects of R against their own predict(), to the last bit.

mixed <- function(n, seed = 1) {
  set.seed(seed)
  data <- data.frame(a = round(rnorm(n), 2), b = sample(5, n, TRUE), c = runif(n),
                     f = factor(sample(letters[1:6], n, TRUE)), l = runif(n) > 0.5)
  data$y <- data$a * data$b + (data$f %in% c("a", "d")) + rnorm(n, sd = 0.3)
  data$k <- factor(c("x", "y", "z")[1 + (data$y > 0) + (data$y > 2)])
  data
}

data <- mixed(400)
new <- mixed(300, 2)

expect_same <- function(forged, expected, columns = new, type = "response") {
  quiet <- function(x) suppressWarnings(x, classes = "contree_new_levels")
  got <- quiet(predict(forged, columns, type = type))
  if (is.matrix(got)) expect_identical(unname(got), unname(expected)) else
    expect_identical(unname(got), as.vector(unname(expected)))
  # and each way of running it
  sums <- sums_by_ways(forged, quiet(forest_columns_of(forged$forest, columns))$columns)
  for (other in sums) expect_identical(other, sums[[1]])
}

test_that("hist_forest", {
  for (depth in c(3, Inf)) {
    classes <- hist_forest(k ~ a + b + c + f + l, data, trees = 20, depth = depth, seed = 1)
    forged <- forge(classes)
    missing <- new
    missing$a[1:30] <- NA
    missing$f[20:60] <- NA
    expect_same(forged, predict(classes, missing, type = "prob"), missing, "prob")
    expect_same(forged, predict(classes, missing, type = "leaf"), missing, "leaf")
    expect_identical(unname(predict(forged, missing, type = "class")),
                     unname(predict(classes, missing, type = "class")))
    numbers <- hist_forest(y ~ a + b + c + f + l, data, trees = 20, depth = depth, seed = 1)
    expect_same(forge(numbers), predict(numbers, missing), missing)
    expect_same(forge(numbers), predict(numbers, missing, type = "leaf"), missing, "leaf")
  }
})

test_that("a forest of one class", {
  fit <- hist_forest(iris[1:4], factor(rep("a", 150)), trees = 2, seed = 1)
  forged <- forge(fit)
  expect_identical(unname(predict(forged, iris[1:3, 1:4], type = "prob")),
                   unname(predict(fit, iris[1:3, 1:4], type = "prob")))
  expect_identical(predict(forged, iris[1:3, 1:4], type = "class"), predict(fit, iris[1:3, 1:4]))
  expect_identical(unname(predict(forged, iris[1:3, 1:4], type = "margin")), c(1, 1, 1))
  expect_identical(contree_predictor(forged, "margin")(iris[1, 1:4])[[1]], 1)
})

test_that("contree", {
  data$a[1:40] <- NA
  data$f[30:80] <- NA
  fit <- contree(k ~ a + b + c + f + l, data, depth = 2)
  new$f <- factor(new$f, levels = c(letters[1:6], "new"))
  new$f[1:20] <- "new"
  new$f[21:40] <- NA
  new$a[30:60] <- NA
  forged <- forge(fit)
  expect_same(forged, suppressWarnings(predict(fit, new, type = "prob")), new, "prob")
  expect_same(forged, matrix(suppressWarnings(predict(fit, new, type = "node"))), new, "leaf")
  expect_identical(as.character(predict(forged, new, type = "class")),
                   as.character(suppressWarnings(predict(fit, new, type = "class"))))
  expect_contree_error(import_forest(contree(k ~ log(c) + b, data, depth = 1)), "unsupported",
                       "computes")
})

test_that("gmt", {
  data$a[1:40] <- NA
  data$f[30:80] <- NA
  new$a <- 2 * new$a # beyond the ranges of the leaves
  new$f <- factor(new$f, levels = c(letters[1:6], "new"))
  new$f[1:20] <- "new"
  new$b[3:9] <- NA # nothing stands in for it
  expect_same_model <- function(fit, expected, ...) {
    forged <- forge(fit, ...)
    columns <- suppressWarnings(forest_columns_of(forged$forest, new))$columns
    got <- unname(suppressWarnings(predict(forged, new)))
    expect_identical(is.na(got), is.na(unname(expected)))
    expect_identical(got[!is.na(got)], unname(expected)[!is.na(got)])
    expect_identical(sums_by_ways(forged, columns)[[1]][, 1], got)
  }
  for (factors in c("both", "split")) {
    fit <- gmt(y ~ a + b + c + f + l, data, seed = 1,
               control = gmt_control(factors = factors, limits = "range"))
    for (extrapolate in c(FALSE, TRUE)) {
      expected <- suppressWarnings(predict(fit, new, extrapolate = extrapolate))
      expect_same_model(fit, expected, extrapolate = extrapolate)
    }
    nodes <- suppressWarnings(predict(fit, new, type = "node"))
    leaves <- suppressWarnings(predict(forge(fit), new, type = "leaf"))
    expect_identical(leaves[, 1], nodes)
    read <- contree_from_json(as_json(fit))
    expect_same_model(read, suppressWarnings(predict(read, new)))
  }
  constants <- gmt(y ~ 1 | a + c, data, seed = 1)
  expect_same_model(constants, predict(constants, new))
  expect_contree_error(forge(gmt(y ~ c, data, offset = c, seed = 1)), "unsupported", "offset")
  expect_match(all.equal(import_forest(fit), import_forest(fit, extrapolate = TRUE)), "model")
})

test_that("ranger", {
  skip_if_not_installed("ranger")
  formula <- function(y) stats::reformulate(c("a", "b", "c", "f", "l"), y)
  for (order in c("ignore", "order")) {
    fit <- ranger::ranger(formula("y"), data, num.trees = 20, seed = 1, num.threads = 1,
                          respect.unordered.factors = order)
    expect_same(forge(fit), stats::predict(fit, new, num.threads = 1)$predictions)
    nodes <- stats::predict(fit, new, type = "terminalNodes", num.threads = 1)$predictions
    storage.mode(nodes) <- "integer"
    expect_same(forge(fit), nodes, new, "leaf")
    fit <- ranger::ranger(formula("k"), data, num.trees = 20, seed = 1, probability = TRUE,
                          respect.unordered.factors = order, num.threads = 1)
    expect_same(forge(fit), stats::predict(fit, new, num.threads = 1)$predictions, new, "prob")
    fit <- ranger::ranger(formula("k"), data, num.trees = 21, seed = 1, num.threads = 1,
                          respect.unordered.factors = order)
    each <- stats::predict(fit, new, predict.all = TRUE, num.threads = 1)$predictions
    votes <- t(apply(each, 1, function(row) tabulate(row, 3)))
    expect_same(forge(fit), votes / 21, new, "prob")
  }
})

test_that("ranger with factors as sets", {
  skip_if_not_installed("ranger")
  fit <- ranger::ranger(y ~ a + f, data, num.trees = 5, seed = 1, num.threads = 1,
                        respect.unordered.factors = "partition")
  expect_same(forge(fit), stats::predict(fit, new, num.threads = 1)$predictions)
})

test_that("ranger with dates, characters, extremely random splits and new levels", {
  skip_if_not_installed("ranger")
  rows <- data.frame(y = sin(1:90), d = as.Date("2024-01-01") + 1:90, a = cos(1:90),
                     s = c("u", "v", "w")[1:90 %% 3 + 1])
  rows$f <- factor(rows$s)
  other <- rows
  levels(other$f) <- c("u", "new", "w")
  for (mode in c("ignore", "order", "partition")) {
    for (rule in c("variance", "extratrees")) {
      fit <- ranger::ranger(y ~ d + a + s + f, rows, num.trees = 5, seed = 1, num.threads = 1,
                            respect.unordered.factors = mode, splitrule = rule)
      expect_same(forge(fit), stats::predict(fit, rows, num.threads = 1)$predictions, rows)
      said <- stats::predict(fit, other, num.threads = 1)$predictions
      found <- withCallingHandlers(predict(forge(fit), other), contree_new_levels = function(w) {
        expect_match(conditionMessage(w), "ranger puts them behind")
        invokeRestart("muffleWarning")
      })
      expect_identical(unname(found), said)
    }
  }
})

test_that("ranger's survival forests", {
  skip_if_not_installed("ranger")
  skip_if_not_installed("survival")
  set.seed(4)
  data$time <- round(stats::rexp(nrow(data)), 2)
  data$dead <- data$c > 0
  for (rule in c("logrank", "extratrees")) {
    fit <- ranger::ranger(survival::Surv(time, dead) ~ a + b + f, data, num.trees = 7, seed = 1,
                          splitrule = rule, num.threads = 1)
    said <- stats::predict(fit, new, num.threads = 1)
    expect_same(forge(fit), said$chf, new, "margin")
    survival <- predict(forge(fit), new)
    expect_identical(unname(survival), said$survival)
    expect_identical(as.numeric(colnames(survival)), said$unique.death.times)
  }
  few <- ranger::ranger(survival::Surv(round(time), dead) ~ a + b, data, num.trees = 2,
                        max.depth = 1)
  expect_match(as_sql(import_forest(few), type = "response")[1], "EXP(-1", fixed = TRUE)
  expect_contree_error(write_onnx(few, tempfile()), "unsupported", "link")
})

test_that("missing values are an error where ranger has no rule for them", {
  skip_if_not_installed("ranger")
  fit <- ranger::ranger(y ~ a + b, data, num.trees = 5, seed = 1, num.threads = 1)
  rows <- data[1:3, c("a", "b")]
  rows$a[2] <- NA
  if (length(fit$forest$child.nodeIDs[[1]]) == 2L) {
    expect_error(stats::predict(fit, rows), "[Mm]issing")
    expect_contree_error(predict(forge(fit), rows), "input", "missing")
    # as since 0.16.4: the third child, or the left one
    fit$forest$child.nodeIDs <- lapply(fit$forest$child.nodeIDs, function(children) {
      c(children, list(children[[2]] * (seq_along(children[[2]]) %% 2)))
    })
  }
  forest <- fit$forest
  said <- vapply(seq_len(5), function(tree) {
    node <- 1
    children <- forest$child.nodeIDs[[tree]]
    while (children[[1]][node] > 0) {
      x <- rows[2, forest$split.varIDs[[tree]][node] + 1]
      side <- if (!is.na(x)) 1 + (x > forest$split.values[[tree]][node]) else
        if (children[[3]][node] > 0) 3 else 1
      node <- children[[side]][node] + 1
    }
    forest$split.values[[tree]][node]
  }, 0)
  expect_identical(unname(predict(forge(fit), rows)[2]), Reduce(`+`, said) / 5)
})

test_that("randomForest", {
  skip_if_not_installed("randomForest")
  for (y in c("y", "k")) {
    set.seed(1)
    formula <- stats::reformulate(c("a", "b", "c", "f"), y)
    fit <- randomForest::randomForest(formula, data, ntree = 21)
    if (y == "y") expect_same(forge(fit), stats::predict(fit, new)) else
      expect_same(forge(fit), unclass(stats::predict(fit, new, type = "prob")), new, "prob")
    nodes <- attr(stats::predict(fit, new, nodes = TRUE), "nodes")
    expect_same(forge(fit), nodes, new, "leaf")
  }
  new$a[1] <- NA
  expect_contree_error(predict(forge(fit), new), "input", "missing")
})

test_that("randomForest joined, with cutoffs, ordered factors and dates", {
  skip_if_not_installed("randomForest")
  rows <- transform(data, o = factor(b, ordered = TRUE), d = as.Date("2024-01-01") + b)
  other <- transform(new, o = factor(b, levels = 1:5, ordered = TRUE),
                     d = as.Date("2024-01-01") + b)
  set.seed(1)
  grow <- function(y, ...) {
    randomForest::randomForest(stats::reformulate(c("a", "o", "d", "f"), y), rows, ntree = 7, ...)
  }
  fit <- randomForest::combine(grow("y"), grow("y"))
  expect_same(forge(fit), stats::predict(fit, other), other)
  expect_contree_error(predict(forge(fit), transform(other, f = "new")), "input",
                       "new level \"new\"")
  fit <- randomForest::combine(grow("k"), grow("k"))
  expect_same(forge(fit), unclass(stats::predict(fit, other, type = "prob")), other, "prob")
  fit <- grow("k", cutoff = c(0.55, 0.3, 0.15), proximity = TRUE)
  prob <- stats::predict(fit, other, type = "prob")
  expect_same(forge(fit), unclass(prob), other, "prob")
  share <- sweep(prob, 2, c(0.55, 0.3, 0.15), "/")
  clear <- apply(share, 1, function(x) sum(x == max(x)) == 1)
  expect_gt(sum(clear), 200)
  expect_identical(predict(forge(fit), other, type = "class")[clear],
                   stats::predict(fit, other)[clear])
})

test_that("gbm with ordered factors, and its first rounds", {
  skip_if_not_installed("gbm")
  rows <- transform(data, o = factor(b, labels = letters[5:1], ordered = TRUE))
  for (y in c("y", "k")) {
    fit <- suppressWarnings(gbm::gbm(
      stats::reformulate(c("a", "o", "f"), y), if (y == "y") "gaussian" else "multinomial", rows,
      n.trees = 6, interaction.depth = 2, keep.data = FALSE))
    for (n in c(2, 6)) {
      said <- stats::predict(fit, rows, n.trees = n)
      if (y == "k") said <- said[, , 1]
      expect_same(forge(fit, iterations = n), said, rows, "margin")
    }
    expect_contree_error(forge(fit, iterations = 7), "input", "6 iterations")
  }
})

test_that("gbm", {
  skip_if_not_installed("gbm")
  data$a[1:40] <- NA
  new$a[1:50] <- NA
  new$f[40:70] <- NA
  fits <- list(gaussian = y ~ a + b + c + f, poisson = round(abs(y)) ~ a + b + c + f,
               bernoulli = (y > 0) + 0 ~ a + b + c + f)
  for (distribution in names(fits)) {
    set.seed(1)
    fit <- gbm::gbm(fits[[distribution]], distribution, data, n.trees = 20, interaction.depth = 4,
                    keep.data = FALSE)
    expected <- stats::predict(fit, new, n.trees = 20)
    expect_same(forge(fit), expected, new, "margin")
    expect_equal(unname(predict(forge(fit), new)), stats::predict(fit, new, 20, type = "response"))
  }
  fit$distribution$name <- "gamma"
  expect_contree_error(forge(fit), "unsupported", "gamma")
})

test_that("responses of gbm's other distributions", {
  skip_if_not_installed("gbm")
  data <- data[order(data$f), ]
  settings <- list(adaboost = (y > 0) + 0 ~ a + b, huberized = (y > 0) + 0 ~ a + b,
                   pairwise = b ~ a + c)
  for (name in names(settings)) {
    distribution <- if (name == "pairwise") list(name = name, group = "f", metric = "ndcg") else
      name
    fit <- suppressWarnings(gbm::gbm(settings[[name]], distribution,
                                     transform(data, b = abs(b)), n.trees = 6, keep.data = FALSE))
    expect_same(forge(fit), stats::predict(fit, data, n.trees = 6), data, "margin")
    response <- stats::predict(fit, data, n.trees = 6, type = "response")
    expect_equal(unname(predict(forge(fit), data)), response, tolerance = 1e-14)
    expect_identical(forge(fit)$forest$classes, if (name == "adaboost") c("0", "1"))
  }
})

test_that("rpart", {
  skip_if_not_installed("rpart")
  fit <- rpart::rpart(y ~ a + b + c + l, data, cp = 0)
  expect_same(forge(fit), stats::predict(fit, new))
  fit <- rpart::rpart(k ~ a + f, data, maxdepth = 2)
  expect_same(forge(fit), stats::predict(fit, new), new, "prob")
  loss <- matrix(c(0, 1, 2, 1, 0, 9, 1, 1, 0), 3)
  fit <- rpart::rpart(k ~ a, data, parms = list(loss = loss))
  expect_same(forge(fit), stats::predict(fit, new), new, "prob")
  expect_identical(predict(forge(fit), new, type = "class"),
                   stats::predict(fit, new, type = "class"))
})

test_that("rpart with counts and times", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("survival")
  counts <- transform(data, n = round(abs(y)), t = survival::Surv(abs(y) + 0.1, l))
  for (fit in list(rpart::rpart(n ~ a + b + c, counts, method = "poisson"),
                   rpart::rpart(t ~ a + b + c, counts, method = "exp"))) {
    expect_same(forge(fit), stats::predict(fit, new))
  }
})

test_that("rpart's rows that primary splits do not send to a side", {
  skip_if_not_installed("rpart")
  rows <- datasets::warpbreaks[rep(1:54, 2), ]
  rows$f <- factor(paste0(rows$wool, rows$tension))
  rows$g <- factor(rep(letters[1:9], 12))
  rows$breaks <- rows$breaks + 20 * (rows$f %in% c("AL", "BM")) * (rows$g %in% c("a", "d"))
  rows <- rows[!(rows$f == "AL" & rows$g == "c"), ]
  every <- expand.grid(f = levels(rows$f), g = levels(rows$g), stringsAsFactors = TRUE)
  fit <- rpart::rpart(breaks ~ f + g, rows, cp = 0, minsplit = 4)
  forged <- forge(fit)
  expect_true(open_leaf %in% forged$forest$ensemble$leaf_id)
  expect_identical(predict(forged, every), stats::predict(fit, every))
  expect_contree_error(predict(forged, every, type = "contributions"), "unsupported", "surrogate")
  expect_contree_error(write_onnx(forged, tempfile()), "unsupported", "surrogate")
})

test_that("rpart's surrogate splits are followed as there", {
  skip_if_not_installed("rpart")
  set.seed(6)
  holes <- function(data) {
    for (name in c("a", "b", "c", "f", "l")) data[[name]][stats::runif(nrow(data)) < 0.3] <- NA
    data
  }
  data$o <- factor(data$b, ordered = TRUE)
  data$c <- data$a + data$c
  grown <- holes(data)
  new <- transform(holes(new), o = factor(b, levels = 1:5, ordered = TRUE))
  for (use in 0:2) {
    for (y in c("y", "k")) {
      control <- rpart::rpart.control(usesurrogate = use, cp = 0.001, minsplit = 10)
      fit <- rpart::rpart(stats::reformulate(c("a", "b", "c", "f", "l", "o"), y), grown,
                          control = control)
      forged <- forge(fit)
      said <- stats::predict(fit, new)
      expect_identical(unname(predict(forged, new, type = if (y == "k") "prob" else "margin")),
                       unname(said))
      if (y == "k") {
        expect_identical(unname(predict(forged, new, type = "class")),
                         unname(stats::predict(fit, new, type = "class")))
      }
      by_one <- contree_predictor(forged)
      expect_identical(unname(by_one(new[3, ])), unname(predict(forged, new[3, ])))
      leaf <- match(predict(forged, new, type = "leaf")[, 1], as.numeric(row.names(fit$frame)))
      here <- if (y == "k") fit$frame$yval2[leaf, 5:7] else fit$frame$yval[leaf]
      expect_identical(unname(here), unname(said))
    }
  }
  fit <- rpart::rpart(y ~ a + b + c, grown)
  expect_contree_error(predict(forge(fit), new[c("a", "b")]), "input", "lacks")
  expect_contree_error(predict(forge(fit), new[1:40, ], type = "contributions"), "unsupported",
                       "surrogate")
  few <- data.frame(y = c(1, 1, 5, 5, 5, 5), a = c(1, 1, 2, 2, 2, 2), b = c(3, 3, 4, 4, 4, 3))
  fit <- rpart::rpart(y ~ a + b, few, control = rpart::rpart.control(minsplit = 2, maxdepth = 1))
  forged <- forge(fit)
  expect_identical(unname(predict(forged, data.frame(a = 2))), 5)
  expect_contree_error(predict(forged, data.frame(a = NA_real_)), "input", "lacks 'b'")
  root <- rpart::rpart(y ~ a, data.frame(y = 1:5, a = 0))
  expect_identical(unname(predict(forge(root), data.frame(a = c(1, NA)))), c(3, 3))
})

test_that("partykit", {
  skip_if_not_installed("partykit")
  for (y in c("y", "k")) {
    fit <- partykit::ctree(stats::reformulate(c("a", "b", "c", "f"), y), data,
                           control = partykit::ctree_control(maxdepth = 3))
    type <- if (y == "y") "response" else "prob"
    expect_same(forge(fit), stats::predict(fit, new, type = type), new, type)
    nodes <- stats::predict(fit, new, type = "node")
    expect_same(forge(fit), matrix(unname(nodes)), new, "leaf")
  }
  # three children, of intervals and of levels, closed on the left
  leaf <- function(id) partykit::partynode(id)
  by_f <- partykit::partysplit(4L, index = c(3L, 1L, 2L, 2L, 1L, 3L))
  by_a <- partykit::partysplit(1L, breaks = c(-0.5, 0.5), index = c(2L, 1L, 3L), right = FALSE)
  node <- partykit::partynode(1L, by_a, list(
    leaf(2L), partykit::partynode(3L, by_f, list(leaf(4L), leaf(5L), leaf(6L))), leaf(7L)))
  fitted <- data.frame("(fitted)" = partykit::fitted_node(node, data), "(response)" = data$y,
                       check.names = FALSE)
  tree <- partykit::party(node, data, fitted = fitted, terms = stats::terms(y ~ a + f, data = data))
  tree <- partykit::as.constparty(tree)
  new$a[1:3] <- c(-0.5, 0.5, 0.25)
  expect_same(forge(tree), stats::predict(tree, new), new)
  expect_contree_error(predict(forge(tree), transform(new, a = NA)), "input", "missing")
  expect_contree_error(predict(forge(fit), transform(new, a = -Inf)), "input", "-Inf in 'a'")
  missing <- by_f
  missing$index[6] <- NA
  node <- partykit::partynode(1L, missing, list(leaf(2L), leaf(3L), leaf(4L)))
  tree$node <- node
  expect_contree_error(forge(tree), "unsupported", "at random")
  expect_error(forge(partykit::lmtree(y ~ a | b, data)), "modelparty|lmtree",
               class = "contree_unsupported_error")
})
