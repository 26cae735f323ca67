# Forests of more than 256 classes, which have lists in leaves and look at rows in order.

many_data <- function(n, n_classes, values) {
  column <- function(values) sample(values, n, TRUE) / 4
  x <- data.frame(a = column(values), b = column(3), f = factor(sample(letters[1:4], n, TRUE)))
  x$m <- replace(column(3), sample(n, n / 10), NA)
  drawn <- ((x$a * 40 + x$b * 12 + as.integer(x$f)) * 7 + sample(n_classes, n, TRUE)) %% n_classes
  list(x = x, y = factor(floor(drawn) + 1, seq_len(n_classes)))
}

# What the sides of a test are worth, by the definition of the rule.
worth_of <- function(y, left, rule) {
  side <- function(y) {
    n <- as.numeric(tabulate(y))
    n <- n[n > 0]
    switch(rule, gini = sum(n^2) / sum(n), entropy = sum(n * log(n)) - sum(n) * log(sum(n)),
           error = max(n))
  }
  if (all(left) || !any(left)) -Inf else side(y[left]) + side(y[!left])
}

best_worth <- function(x, y, rule) {
  best <- -Inf
  try_one <- function(left) best <<- max(best, worth_of(y, left, rule))
  for (column in x) {
    hole <- is.na(column)
    tests <- if (is.factor(column)) {
      there <- unique(as.integer(column))
      lapply(seq_len(2^length(there) - 2), function(bits) {
        as.integer(column) %in% there[bitwAnd(bits, 2^(seq_along(there) - 1)) > 0]
      })
    } else {
      lapply(c(sort(unique(column)), Inf), function(cut) column < cut)
    }
    for (test in tests) for (side in unique(c(FALSE, any(hole)))) try_one(replace(test, hole, side))
  }
  best
}

goes_left <- function(node, column) {
  if (is.factor(column)) return(column %in% strsplit(node$levels_left, ", ?| ")[[1]])
  ifelse(is.na(column), node$missing_left, column < node$threshold)
}

# Every node of a tree that was grown from all rows, from its rows. `lossless`: whether nodes of
# that many rows try all cuts.
recount_many <- function(fit, x, y, rule, lossless) {
  tree <- forest_tree(fit, 1)
  rows <- vector("list", nrow(tree))
  rows[[1]] <- seq_along(y)
  columns <- paste0("n_", levels(y))
  checked <- 0
  for (i in seq_len(nrow(tree))) {
    own <- rows[[i]]
    expect_identical(as.integer(unlist(tree[i, columns])), tabulate(y[own], nlevels(y)))
    if (is.na(tree$left[i])) next
    left <- goes_left(tree[i, ], x[own, tree$variable[i]])
    rows[[tree$left[i]]] <- own[left]
    rows[[tree$right[i]]] <- own[!left]
    expect_true(any(left) && !all(left))
    if (!lossless(length(own))) next
    checked <- checked + (length(unique(y[own])) > 256)
    expect_equal(worth_of(y[own], left, rule), best_worth(x[own, ], y[own], rule),
                 tolerance = 1e-9)
  }
  checked
}

test_that("splits and leaves of 300 and 3,000 classes are those of a recount", {
  set.seed(1)
  cases <- list(list(n = 500, k = 450, values = 3, all = TRUE),
                list(n = 1500, k = 300, values = 20, all = FALSE),
                list(n = 4000, k = 3000, values = 20, all = FALSE))
  for (case in cases) for (rule in c("gini", "entropy", "error")) {
    data <- many_data(case$n, case$k, case$values)
    fit <- hist_forest(data$x, data$y, trees = 1, replace = FALSE, sample_fraction = 1, mtry = 4,
                       depth = 4, splitrule = rule, seed = 1, oob = FALSE, importance = "none")
    lossless <- function(n) case$all || n > 512 || n <= 64
    expect_gte(recount_many(fit, data$x, data$y, rule, lossless), 1)
  }
})

test_that("probabilities of many classes are those of leaves, out of bag, too", {
  set.seed(2)
  data <- many_data(700, 300, 20)
  fit <- hist_forest(data$x, data$y, trees = 6, min_n = 20, seed = 5, keep_inbag = TRUE)
  leaf <- predict(fit, data$x, type = "leaf")
  all <- out <- matrix(0, 700, 300)
  for (tree in 1:6) {
    table <- forest_tree(fit, tree)
    shares <- (as.matrix(table[paste0("n_", 1:300)]) / table$n)[leaf[, tree], ]
    all <- all + shares
    out <- out + shares * (fit$inbag[, tree] == 0)
  }
  expect_equal(unname(fit$oob$predictions), unname(out / rowSums(out)), tolerance = 1e-8)
  prob <- predict(fit, data$x, type = "prob")
  expect_equal(unname(prob), unname(all / 6), tolerance = 1e-8)
  expect_identical(as.integer(predict(fit, data$x)), max.col(prob, ties.method = "first"))
  parts <- c(hist_forest(data$x, data$y, trees = 4, min_n = 20, seed = 5, keep_inbag = TRUE),
             hist_forest(data$x, data$y, trees = 2, first = 5, min_n = 20, seed = 5,
                         keep_inbag = TRUE))
  expect_identical(parts$forest, fit$forest)
  expect_identical(parts$oob, fit$oob)
})

test_that("many classes do not depend on threads or instruction sets", {
  set.seed(3)
  data <- many_data(3000, 400, 200)
  grow <- function(...) {
    hist_forest(data$x, data$y, trees = 3, seed = 1, ..., importance = "permutation")
  }
  one <- grow(threads = 1)
  expect_identical(grow(threads = 2)$forest, one$forest)
  for (set in contree_info()$simd_available) {
    old <- options(contree.simd = set)
    expect_identical(grow(threads = 1)[c("forest", "importance")], one[c("forest", "importance")])
    options(old)
  }
})

test_that("compiled predictors and JSON know many classes", {
  set.seed(4)
  data <- many_data(600, 300, 20)
  data$x$f <- NULL
  fit <- hist_forest(data$x, data$y, trees = 3, min_n = 10, seed = 1)
  expect_equal(predict(import_forest(fit), data$x, type = "prob"),
               predict(fit, data$x, type = "prob"), tolerance = 1e-6)
})

test_that("votes that memory could not hold are refused before anything is allocated", {
  y <- factor(rep(1:65535, length.out = 4000), levels = 1:65535)
  grow <- function(...) hist_forest(data.frame(a = 1:4000), y, trees = 1, seed = 1, ...)
  expect_contree_error(grow(), "input", c("oob = FALSE", "4000 rows", "65535 classes", "10 GB",
                                          "memory_limit = 1.1e+10"))
  expect_contree_error(grow(oob = FALSE, importance = "permutation"), "input", "oob")
  expect_contree_error(grow(memory_limit = 9e9), "input", "oob")
  expect_null(grow(oob = FALSE)$oob)
})

test_that("what is not for many classes says so", {
  y <- factor(rep(1:300, 2))
  x <- data.frame(a = 1:600)
  expect_contree_error(hist_forest(x, y, learner = hist_learner("gini")), "input", "256")
  expect_contree_error(hist_forest(data.frame(a = 1:65536), factor(1:65536), oob = FALSE,
                                   trees = 1), "input", c("65535", "65536"))
  fit <- hist_forest(data.frame(a = 1:65535), factor(1:65535), oob = FALSE, trees = 1, seed = 1,
                     replace = FALSE, sample_fraction = 1)
  rows <- c(1, 300, 65535)
  expect_identical(as.integer(predict(fit, data.frame(a = rows))), as.integer(rows))
  broken <- fit
  broken$forest$nodes[1] <- 65535L # the root becomes a leaf of no class
  broken$forest$nodes[2] <- 65535L
  expect_error(predict(broken, data.frame(a = rows)), "not valid")
})
