# Sets of near-optimal trees from R, against all trees written out in R from the definition of the
# splits: rows, labels and costs. The C core has a larger comparison of its own (test_set.c).

# ---- all trees -----------------------------------------------------------------------------------

# The ways to part rows by a predictor, as logical vectors of which of them go left; each partition
# once. Numbers by thresholds, with missing values on either side or apart; factors of few levels by
# all sets of levels, missing counting as one.
partitions <- function(x) {
  n <- length(x)
  if (is.factor(x)) {
    codes <- ifelse(is.na(x), nlevels(x) + 1L, as.integer(x))
    there <- unique(codes)
    subsets <- lapply(seq_len(2^length(there) - 2), function(k) {
      codes %in% there[bitwAnd(k, 2^(seq_along(there) - 1)) > 0]
    })
  } else {
    cuts <- sort(unique(x))[-1]
    hole <- is.na(x)
    subsets <- c(lapply(cuts, function(cut) !hole & x < cut),
                 if (any(hole)) lapply(cuts, function(cut) hole | x < cut),
                 if (any(hole) && !all(hole)) list(hole))
  }
  first <- lapply(subsets, function(left) if (left[1]) left else !left)
  first <- unique(first)
  first[vapply(first, function(left) any(left) && !all(left), NA)]
}

all_trees <- function(data, y, rows, depth, price, loss, minbucket = 1) {
  costs <- vapply(seq_len(ncol(loss)), function(label) sum(loss[cbind(as.integer(y[rows]), label)]),
                  0)
  label <- which.min(costs)
  labels <- replace(integer(length(y)), rows, label)
  trees <- list(list(cost = min(costs), splits = 0L, labels = labels, leaf = label,
                     text = as.character(label), used = character()))
  for (name in if (depth > 0) names(data)) {
    for (left in partitions(data[[name]][rows])) {
      if (min(sum(left), sum(!left)) < minbucket) next
      sides <- lapply(list(rows[left], rows[!left]), function(side) {
        all_trees(data, y, side, depth - 1, price, loss, minbucket)
      })
      for (a in sides[[1]]) for (b in sides[[2]]) {
        if (a$splits + b$splits == 0 && a$leaf == b$leaf) next
        text <- paste0("[", name, ":", paste(rows[left], collapse = ","), " ", a$text, b$text, "]")
        trees[[length(trees) + 1]] <- list(cost = a$cost + b$cost + price,
                                           splits = a$splits + b$splits + 1L,
                                           labels = a$labels + b$labels, leaf = 0L, text = text,
                                           used = union(name, union(a$used, b$used)))
      }
    }
  }
  trees
}

# The same text of a fit: from the rows that reach its nodes.
text_of <- function(fit, data, id = 1, rows = seq_len(nrow(data))) {
  frame <- as.data.frame(fit)
  at <- match(id, frame$node)
  if (frame$leaf[at]) return(as.character(match(frame$class[at], fit$ylevels)))
  leaves <- predict(fit, data[rows, , drop = FALSE], type = "node")
  is_left <- vapply(leaves, function(leaf) {
    while (leaf > 2 * id + 1) leaf <- leaf %/% 2
    leaf == 2 * id
  }, NA)
  sides <- list(rows[is_left], rows[!is_left])
  ids <- c(2, 2) * id + 0:1
  if (!is_left[1]) sides <- rev(sides)
  if (!is_left[1]) ids <- rev(ids)
  paste0("[", frame$var[at], ":", paste(sides[[1]], collapse = ","), " ",
         text_of(fit, data, ids[1], sides[[1]]), text_of(fit, data, ids[2], sides[[2]]), "]")
}

expect_same_set <- function(set, trees, budget, data, classes) {
  cost <- vapply(trees, function(tree) tree$cost, 0)
  trees <- trees[cost <= budget + 1e-9]
  cost <- cost[cost <= budget + 1e-9]
  expect_equal(length(set), length(trees))
  fits <- as.list(set)
  expect_equal(vapply(fits, function(fit) fit$cost, 0), sort(cost))
  splits <- vapply(trees, function(tree) tree$splits, 0L)
  expect_identical(vapply(fits, function(fit) sum(fit$frame$var != "<leaf>"), 0L),
                   splits[order(round(cost, 6), splits)])
  expect_setequal(vapply(fits, text_of, "", data), vapply(trees, function(tree) tree$text, ""))
  ranges <- predict(set, type = "range")
  labels <- matrix(vapply(trees, function(tree) tree$labels, integer(nrow(data))), nrow(data))
  for (class in seq_along(classes)) {
    least <- apply(labels == class, 1, function(says) if (any(says)) min(cost[says]) else NA)
    expect_equal(ranges[[classes[class]]], least - min(cost))
  }
  expect_identical(ranges$ambiguous, apply(labels, 1, function(row) length(unique(row)) > 1))
  expect_equal(predict(set, data, type = "range"), ranges, ignore_attr = TRUE)
  predictors <- summary(set)$predictors
  for (name in names(data)) {
    uses <- vapply(trees, function(tree) name %in% tree$used, NA)
    at <- match(name, predictors$predictor)
    expect_equal(predictors$share[at], mean(uses))
    price <- if (all(uses)) NA_real_ else min(cost[!uses]) - min(cost)
    expect_equal(predictors$price[at], price)
  }
}

random_table <- function(n, kinds) {
  data.frame(lapply(stats::setNames(kinds, paste0("v", seq_along(kinds))), function(kind) {
    x <- sample(0:4, n, TRUE)
    if (grepl("factor", kind)) x <- factor(letters[1:3][x %% 3 + 1], levels = letters[1:3])
    if (grepl("hole", kind)) x[sample(n, 2)] <- NA
    x
  }))
}

test_that("columns of two values, their copies and complements are columns of their own", {
  set.seed(51)
  for (round in seeds(6, 2)) {
    n <- 40
    data <- data.frame(a = sample(0:1, n, TRUE), b = sample(c(FALSE, TRUE), n, TRUE),
                       c = factor(sample(c("no", "yes"), n, TRUE)))
    if (round %% 2) data$d <- 1 - data$a else data$d <- !data$b
    classes <- c("x", "y", "z")[seq_len(2 + round %% 2)]
    y <- factor(sample(classes, n, TRUE), classes)
    y[data$a == 1 & data$c == "yes"] <- "y"
    depth <- 2 + round %% 2
    fit <- contree(data, y, depth = depth, complexity = 1 / n)
    trees <- all_trees(data, y, seq_len(n), depth, 1, 1 - diag(length(classes)))
    set <- contree_set(fit, errors = 2, data = list(x = data, y = y))
    expect_same_set(set, trees, fit$cost + 2, data, classes)
  }
})

test_that("the trees of a set are those within the budget, of random tables", {
  set.seed(50)
  kinds <- list(c("number", "number"), c("number", "factor"), c("number hole", "number"),
                "factor hole", c("factor", "number hole"))
  for (round in seeds(40, 3)) {
    of <- kinds[[(round - 1) %% length(kinds) + 1]]
    data <- random_table(6, of)
    classes <- c("no", "maybe", "yes")[seq_len(2 + round %% 2)]
    y <- factor(classes[c(seq_along(classes), sample(length(classes), 6 - length(classes), TRUE))],
                classes)
    loss <- 1 - diag(length(classes))
    if (round %% 3 == 0) loss[1, ] <- loss[1, ] * 2
    dimnames(loss) <- list(classes, classes)
    price <- c(0, 0.5, 1)[round %% 3 + 1]
    depth <- 1 + round %% 2
    fit <- contree(data, y, depth = depth, complexity = price / 6, loss = loss,
                   minbucket = 1 + round %% 2)
    trees <- all_trees(data, y, 1:6, depth, price, loss, 1 + round %% 2)
    slack <- round %% 4 / 2
    set <- contree_set(fit, errors = slack, data = list(x = data, y = y))
    expect_same_set(set, trees, fit$cost + slack, data, classes)
    expect_true(contree_certify(set, list(x = data, y = y))$complete)
  }
})

# ---- one set, in many ways -----------------------------------------------------------------------

iris_set <- function(...) {
  contree_set(contree(Species ~ ., iris, depth = 2, complexity = 0.01, model = TRUE), ...)
}

test_that("a tree of a set is a fit with all its methods", {
  set <- iris_set(errors = 2)
  first <- set[[1]]
  last <- set[[length(set)]]
  expect_s3_class(last, "contree")
  expect_identical(first$status, "optimal")
  expect_identical(last$status, "near-optimal")
  expect_equal(last$bound, first$cost)
  expect_equal(last$cost, first$cost + 2)
  expect_equal(sum(predict(last, iris) != iris$Species), last$objective)
  expect_output(print(last), "n= 150")
  expect_match(contree:::proof_line(last), "; near-optimal; gap 2 ")
  expect_true(nrow(contree_rules(last)) >= 2)
  expect_identical(set[["2"]]$frame, set[[2]]$frame)
  expect_length(set[1:3], 3)
  expect_length(set[-(1:3)], length(set) - 3)
})

test_that("samples are of different trees, and those of a seed", {
  set <- iris_set(errors = 2)
  set.seed(3)
  drawn <- contree_sample(set, 10)
  set.seed(3)
  expect_identical(lapply(sample(set, 10), function(fit) fit$frame),
                   lapply(drawn, function(fit) fit$frame))
  expect_length(unique(lapply(drawn, function(fit) fit$splits)), 10)
  expect_contree_error(contree_sample(set, length(set) + 1), "input")
})

test_that("large numbers are drawn and read in full", {
  set.seed(1)
  x <- data.frame(a = rnorm(60), b = rnorm(60), c = rnorm(60), d = rnorm(60))
  y <- factor(rbinom(60, 1, 0.5))
  fit <- contree(x, y, depth = 4)
  set <- contree_set(fit, errors = 12, data = list(x = x, y = y), memory_limit = "4GB")
  total <- summary(set)$trees
  skip_if(nchar(total) < 16)
  expect_identical(set[[total]]$cost, fit$cost + 12)
  drawn <- contree_sample(set, 3)
  expect_true(all(vapply(drawn, function(tree) tree$cost <= fit$cost + 12, NA)))
})

test_that("what a set says of itself", {
  set <- iris_set(errors = 2)
  expect_output(print(set), "128 trees of cost 9 to 11, the fit's 9 and up to 2 more; complete")
  expect_output(print(set), "23 of 150 rows are ambiguous")
  facts <- summary(set)
  expect_identical(facts$trees, "128")
  expect_true(facts$complete)
  expect_equal(facts$complete_cost, 11)
  expect_equal(sum(facts$costs$trees), 128)
  expect_output(print(facts), "128 trees of cost 9 to 11, complete")
  expect_equal(length(iris_set(within = 2 / 9)), 128)
  expect_identical(length(iris_set(within = 0)), length(iris_set(errors = 0)))
})

test_that("the predictors of a set are drawn, with what it costs to do without them", {
  set <- iris_set(errors = 0)
  predictors <- summary(set)$predictors
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file, compress = FALSE, useKerning = FALSE)
  plot(set, main = "Which")
  grDevices::dev.off()
  drawn <- regmatches(said <- readLines(file, warn = FALSE), regexpr("\\(.*\\) Tj", said))
  drawn <- sub("^\\((.*)\\) Tj$", "\\1", drawn)
  expect_true(all(c("Which", predictors$predictor) %in% drawn))
  prices <- predictors$price
  expect_true(anyNA(prices) && !all(is.na(prices)))
  expect_identical(sum(drawn == "in every tree"), sum(is.na(prices)))
  expect_true(all(sprintf("+%g without it", prices[!is.na(prices)]) %in% drawn))
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(set), predictors)
})

test_that("a set that was saved is made again", {
  set <- iris_set(errors = 1)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(set, file)
  again <- readRDS(file)
  expect_identical(length(again), length(set))
  expect_identical(again[[3]]$frame, set[[3]]$frame)
})

test_that("a search that is stopped says up to where its set is complete", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01, model = TRUE)
  all <- contree_set(fit, errors = 3)
  stopped <- NULL
  expect_warning(stopped <- contree_set(fit, errors = 3, max_nodes = 200),
                 "as many as .max_nodes. allows", class = "contree_stopped")
  facts <- summary(stopped)
  expect_false(facts$complete)
  expect_lt(length(stopped), length(all))
  expect_lt(facts$complete_cost, fit$cost + 3)
  whole <- summary(all)$costs
  surely <- whole[whole$cost <= facts$complete_cost, ]
  expect_identical(facts$costs$digits[seq_len(nrow(surely))], surely$digits)
  for (k in c(1, length(stopped))) expect_lte(stopped[[k]]$cost, fit$cost + 3 + 1e-9)
})

test_that("a set whose memory ended has all trees up to the cost that it says", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01, model = TRUE)
  all <- contree_set(fit, errors = 3)
  whole <- summary(all)$costs
  surely <- NULL
  for (limit in 2^seq(16, 19, by = 0.25)) { # bytes
    warned <- NULL
    set <- tryCatch(withCallingHandlers(contree_set(fit, errors = 3, memory_limit = limit),
                                        contree_stopped = function(w) {
                                          warned <<- w
                                          tryInvokeRestart("muffleWarning")
                                        }), contree_input_error = identity)
    if (inherits(set, "error")) {
      expect_match(conditionMessage(set), "raise 'memory_limit'")
      next
    }
    about <- contree:::set_about(set)
    expect_identical(about$complete, is.null(warned))
    if (about$complete) next
    expect_s3_class(warned, "contree_memory")
    expect_match(conditionMessage(warned), "stopped at the memory limit")
    expect_lt(length(set), length(all))
    expect_lt(about$complete_cost, fit$cost + 3)
    surely <- c(surely, about$complete_cost)
    # a question needs memory of its own
    facts <- tryCatch(summary(set), contree_input_error = identity)
    if (inherits(facts, "error")) {
      expect_match(conditionMessage(facts), "make it with a larger 'memory_limit'")
      next
    }
    expect_lte(set[[length(set)]]$cost, fit$cost + 3 + 1e-9)
    expect_false(facts$complete)
    known <- whole[whole$cost <= about$complete_cost, ]
    expect_identical(facts$costs$digits[seq_len(nrow(known))], known$digits)
  }
  expect_gt(length(unique(surely)), 1) # limits that end it at different moments
})

test_that("what takes too long is refused, unless a limit is given", {
  set.seed(7)
  x <- as.data.frame(matrix(runif(6e4 * 45) < 0.5, 6e4))
  y <- factor(runif(6e4) < ifelse(x[[1]], 0.4, 0.6))
  fit <- contree(x, y, depth = 3)
  refusal <- expect_error(contree_set(fit, errors = 1000, data = list(x = x, y = y)),
                          class = "contree_input_error")
  expect_identical(refusal$argument, "errors")
  expect_match(conditionMessage(refusal),
               "cost up to 1000 more than 'fit' are too many: there are [0-9,]+ in 2,000 row sets")
  expect_match(conditionMessage(refusal), "a price for each split, 'complexity'")
  expect_error(contree_set(fit, within = 0.1, data = list(x = x, y = y)), "max_nodes = Inf")
  for (limit in list(list(max_nodes = 2000), list(time_limit = 1e5), list(memory_limit = "1GB"))) {
    set <- suppressWarnings(do.call(contree_set, c(list(fit, errors = 1000,
                                                        data = list(x = x, y = y)), limit)))
    expect_gt(length(set), 0)
  }
})

test_that("a refusal names a smaller budget whose set is whole", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01, model = TRUE)
  large <- suppressWarnings(contree_set(fit, errors = 8, max_nodes = 4000))
  said <- tryCatch(contree:::refuse_large(large, "errors"), error = conditionMessage)
  expect_no_match(said, "complexity")
  parts <- regmatches(said, regexec("errors = ([0-9.]+) has ([0-9,]+) trees", said))[[1]]
  expect_identical(parts[2], "2") # 4 takes more than half of the row sets
  smaller <- contree_set(fit, errors = 2)
  expect_true(summary(smaller)$complete)
  expect_equal(signif(length(smaller), 3), as.numeric(gsub(",", "", parts[3])))
  # where smaller sets are not looked for, what is surely complete
  large <- suppressWarnings(contree_set(fit, errors = 8, max_nodes = 2000))
  surely <- summary(large)$complete_cost - fit$cost
  said <- tryCatch(contree:::refuse_large(large, "errors"), error = conditionMessage)
  expect_match(said, sprintf("errors = %s can be found", format(contree:::floor_digits(surely, 3))))
})

test_that("row sets that are looked at by default are fewer where each takes longer", {
  nodes <- function(rows, columns) {
    contree:::usual_nodes(list(codes = seq_len(rows),
                               frame = list(shape = list(names = seq_len(columns)))))
  }
  expect_identical(nodes(150, 4), 1e6)
  expect_identical(nodes(2e4, 10), 25000)
  expect_identical(nodes(1e6, 20), 2000)
  expect_equal(contree:::floor_digits(c(0, 5.371, 21.48, 0.0499, 3, 0.3, 9.999), 2),
               c(0, 5.3, 21, 0.049, 3, 0.3, 9.9))
})

test_that("rows are told one by one, and of no rows nothing", {
  set.seed(12)
  data <- data.frame(a = sample(4, 60, TRUE), b = rnorm(60), f = sample(letters[1:3], 60, TRUE))
  data$y <- round(data$a + rnorm(60), 1)
  for (formula in list(y > 2 ~ a + b, y > 2 ~ a + f, y ~ a + b, y ~ a + f)) {
    set <- contree_set(contree(formula, data, depth = 1), within = 9)
    told <- predict(set, data)
    expect_identical(predict(set, data[3, ]), told[3, ])
    expect_identical(predict(set, data[0, ]), told[0, ])
  }
})

test_that("what cannot be is refused with the argument's name", {
  fit <- contree(Species ~ ., iris, depth = 2, model = TRUE)
  expect_contree_error(contree_set(fit, within = -1), "input", "'within'")
  expect_contree_error(contree_set(fit, errors = NA), "input", "'errors'")
  expect_contree_error(contree_set(fit, within = 0.1, errors = 1), "input")
  expect_contree_error(contree_set(fit, depth = 3), "input", "change the problem")
  expect_contree_error(contree_set(fit, max_nodes = 0), "input", "'max_nodes'")
  expect_contree_error(contree_set_estimate(fit, max_nodes = NA), "input", "'max_nodes'")
  expect_contree_error(contree_set(fit, errors = 9, max_nodes = 2), "input",
                       "no tree was found in 'max_nodes' = 2")
  policy <- policy_tree(iris[1:4], matrix(seq_len(450), 150), depth = 1)
  expect_contree_error(contree_set(policy), "unsupported", "policy_value")
  expect_contree_error(contree_set(gmt(dist ~ speed, cars)), "unsupported")
  set <- contree_set(fit, errors = 1)
  for (i in list(0, length(set) + 1, 1.5, NA, "x", 1:2)) {
    expect_contree_error(set[[i]], "input")
  }
  expect_contree_error(predict(set, iris[1:2]), "input")
  expect_contree_error(predict(set, type = "class"), "input", "'type'")
  expect_contree_error(set[[1]] <- fit, "input")
})

# ---- certificates --------------------------------------------------------------------------------

test_that("a set is certified to be complete, and others are not", {
  set <- iris_set(errors = 2)
  check <- contree_certify(set)
  expect_true(check$valid && check$complete)
  expect_identical(check$trees, "128")
  expect_output(print(check), "no tree of depth <= 2 that costs 11 or less is missing")
  other <- iris
  other$Species[1] <- "virginica"
  expect_false(contree_certify(set, other)$valid)
  larger <- set
  attr(larger, "parts")$slack <- 3
  expect_match(contree_certify(larger)$reason, "not all trees were counted that cost up to 3 more")
  expect_error(contree_certify(set, certificate = raw(2)), "'certificate'|without a certificate",
               class = "contree_input_error")
})

test_that("what a stopped set says it has is certified", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01, model = TRUE)
  stopped <- suppressWarnings(contree_set(fit, errors = 3, max_nodes = 200))
  check <- contree_certify(stopped)
  expect_true(check$valid)
  expect_false(check$complete)
  expect_output(print(check), "may be missing")
})

# ---- questions -----------------------------------------------------------------------------------

test_that("the best trees by other things are those of the trees one by one", {
  set <- iris_set(errors = 1)
  trees <- as.list(set)
  cost <- vapply(trees, function(tree) tree$cost, 0)
  expect_best <- function(best, values, value = min(values)) {
    expect_equal(best$value, value)
    expect_equal(best$tree$cost, cost[which.min(values)])
    expect_identical(c(best$searched, best$trees), rep(as.character(length(set)), 2))
  }
  inner <- function(tree) setdiff(tree$frame$var, "<leaf>")
  expect_best(contree_best(set), vapply(trees, function(tree) sum(tree$frame$var == "<leaf>"), 0L))
  expect_best(contree_best(set, "predictors"),
              vapply(trees, function(tree) length(inner(tree)), 0L))
  held <- iris[seq(2, 150, 3), ]
  wrong <- function(tree) sum(predict(tree, held) != held$Species)
  expect_best(contree_best(set, "errors", held), vapply(trees, wrong, 0L))
  own <- function(tree) sum(predict(tree, iris) != iris$Species)
  expect_best(contree_best(set, "errors"), vapply(trees, own, 0L))
  fit <- predict(attr(set, "parts")$fit, iris)
  others <- vapply(trees, function(tree) sum(predict(tree, iris) != fit), 0L)
  expect_best(contree_best(set, "discrepancy"), -others, max(others))
  group <- rep(c("a", "b", NA), 50)
  gap <- vapply(trees, function(tree) {
    told <- predict(tree, iris) == "virginica"
    mean(told[which(group == "a")]) - mean(told[which(group == "b")])
  }, 0)
  best <- contree_best(set, "difference", group = group, class = "virginica")
  expect_equal(abs(best$value), min(abs(gap)))
  expect_equal(best$tree$cost, cost[which.min(round(abs(gap), 9))])
  expect_output(print(best), "nearest to 0")
})

test_that("reliance on a predictor is that of exchanging its values pair by pair", {
  data <- iris[seq(3, 150, 6), ]
  set <- contree_set(contree(Species ~ ., data, depth = 2, complexity = 0.05, model = TRUE),
                     errors = 1)
  expect_lt(length(set), 100)
  table <- contree_importance(set)
  for (j in 1:4) {
    new <- data[rep(seq_len(25), 25), ]
    new[[j]] <- rep(data[[j]], each = 25)
    range <- range(vapply(as.list(set), function(tree) {
      sum(predict(tree, new) != new$Species) / 25
    }, 0))
    expect_equal(c(table$least[j], table$greatest[j]), range)
  }
})

test_that("monotone trees are told from others by the predictions of a grid", {
  set.seed(4)
  data <- data.frame(a = rnorm(40), b = rnorm(40))
  data$y <- factor(ifelse(data$a + rnorm(40) > 0, "yes", "no"), c("no", "yes"))
  set <- contree_set(contree(y ~ ., data, depth = 2, model = TRUE), errors = 1)
  grid <- expand.grid(a = c(-9, sort(data$a), 9), b = c(-9, sort(data$b), 9))
  rises <- vapply(as.list(set), function(tree) {
    told <- matrix(as.integer(predict(tree, grid)), 42)
    all(apply(told, 2, diff) >= 0)
  }, NA)
  expect_true(any(rises) && !all(rises))
  expect_identical(vapply(as.list(set), is_monotone, NA, c(a = 1)), rises)
  best <- contree_best(set, "monotone", monotone = c(a = 1))
  expect_identical(best$searched, as.character(which(rises)[1]))
  expect_identical(best$tree$frame, set[[which(rises)[1]]]$frame)
  none <- contree_best(set, "monotone", monotone = c(a = -1), searched = 2)
  expect_null(none$tree)
  expect_output(print(none), "None of the first 2 of")
})

test_that("questions that cannot be answered are refused by name", {
  set <- iris_set(errors = 0)
  expect_contree_error(contree_best(set, "cost"), "input", "'by'")
  expect_contree_error(contree_best(set, "difference", group = 1:3), "input", "'group'")
  expect_contree_error(contree_best(set, "errors", iris[1:4]), "input", "'Species'")
  expect_contree_error(contree_best(set, "monotone", monotone = c(x = 1)), "input", "'monotone'")
})

test_that("parts of a set are its trees that are as asked", {
  set <- iris_set(errors = 2)
  trees <- as.list(set)
  uses <- function(name) vapply(trees, function(tree) name %in% tree$frame$var, NA)
  part <- subset(set, without = "Petal.Length")
  splits <- function(list) lapply(list, function(tree) tree$splits)
  expect_identical(splits(as.list(part)), splits(trees[!uses("Petal.Length")]))
  expect_true(contree_certify(part)$complete)
  few <- vapply(trees, function(tree) sum(tree$frame$var == "<leaf>") <= 3, NA)
  some <- subset(set, uses = "Petal.Length", leaves = 3)
  expect_identical(splits(some), splits(trees[uses("Petal.Length") & few]))
  expect_true(attr(some, "complete"))
  expect_false(attr(subset(set, leaves = 3, searched = 5), "complete"))
  # conditions, beside the same of the list of all trees
  n_leaves <- vapply(trees, function(tree) sum(tree$frame$var == "<leaf>"), 0L)
  costs <- vapply(trees, `[[`, 0, "cost")
  errors <- vapply(trees, `[[`, 0, "objective")
  most <- 3
  least <- min(costs)
  expect_identical(splits(subset(set, leaves <= most)), splits(trees[n_leaves <= 3]))
  expect_identical(splits(subset(set, leaves > most)), splits(trees[n_leaves > 3]))
  expect_identical(splits(subset(set, more > 0 & cost < least + most)),
                   splits(trees[costs > min(costs) & costs < min(costs) + 3]))
  first <- errors[1]
  expect_identical(splits(subset(set, errors == first)), splits(trees[errors == errors[1]]))
  expect_identical(splits(subset(set, "Petal.Width" %in% predictors, uses = "Petal.Length")),
                   splits(trees[uses("Petal.Width") & uses("Petal.Length")]))
  expect_identical(splits(subset(set, depth == 1)), splits(trees[n_leaves == 2]))
  expect_identical(splits(subset(set, number %in% c(2, 4))), splits(trees[c(2, 4)]))
  expect_length(subset(set, NA), 0)
  expect_identical(splits(subset(set, depth == 2, without = "Petal.Length")),
                   splits(trees[!uses("Petal.Length") & n_leaves > 2]))
  expect_contree_error(subset(set, "Petal.Length"), "input", "'without' or 'uses'")
  expect_contree_error(subset(set, c(TRUE, FALSE)), "input", c("'subset'", "vector of length 2"))
  expect_contree_error(subset(set, unknown_name > 1), "input", c("'subset'", "leaves"))
  none <- subset(set, without = c("Petal.Length", "Petal.Width"))
  expect_length(none, 0)
  expect_length(subset(none, leaves <= 3), 0)
  expect_contree_error(none[[1]], "input", "no trees")
  expect_identical(set[0], list())
  expect_identical(splits(set[c(0, 2)]), splits(trees[2]))
  expect_output(print(none), "No tree is within the budget")
  expect_contree_error(subset(set, without = "x"), "input", "'without'")
  expect_contree_error(subset(set, leaves = 0), "input", "'leaves'")
})

test_that("an estimate has what was found, and more where it was not", {
  fit <- contree(Species ~ ., iris, depth = 3, complexity = 0.01, model = TRUE)
  found <- contree_set_estimate(fit, errors = 2)
  expect_true(all(found$found))
  expect_equal(found$trees[5], length(contree_set(fit, errors = 2)))
  guess <- contree_set_estimate(fit, errors = 4, max_nodes = 500)
  expect_identical(guess$found, guess$row_sets <= 500)
  expect_false(guess$found[5])
  expect_false(is.unsorted(guess$trees))
})

test_that("budgets that hold the same trees are one step of an estimate", {
  known <- data.frame(budget = c(0, 0.5, 1), trees = c(2, 2, 20), row_sets = c(5, 5, 10),
                      seconds = 1, found = TRUE)
  expect_equal(extrapolated(known, unknown_size(3))[1, 2:3], data.frame(trees = 2000,
                                                                        row_sets = 40))
})

# ---- numbers -------------------------------------------------------------------------------------

# All trees of squared errors, as all_trees() has those of classes.
number_trees <- function(data, y, rows, depth, price) {
  leaf <- mean(y[rows])
  trees <- list(list(cost = sum((y[rows] - leaf)^2), splits = 0L, leaf = leaf, used = character(),
                     told = replace(numeric(length(y)), rows, leaf)))
  for (name in if (depth > 0) names(data)) {
    for (left in partitions(data[[name]][rows])) {
      sides <- lapply(list(rows[left], rows[!left]), function(side) {
        number_trees(data, y, side, depth - 1, price)
      })
      for (a in sides[[1]]) for (b in sides[[2]]) {
        if (a$splits + b$splits == 0 && isTRUE(all.equal(a$leaf, b$leaf))) next
        trees[[length(trees) + 1]] <- list(cost = a$cost + b$cost + price, told = a$told + b$told,
                                           splits = a$splits + b$splits + 1L, leaf = NA,
                                           used = union(name, union(a$used, b$used)))
      }
    }
  }
  trees
}

test_that("sets of trees that predict numbers have all trees within the budget", {
  set.seed(52)
  kinds <- list(c("number", "number"), c("number", "factor"), c("number hole", "number"))
  for (round in seeds(9, 3)) {
    data <- random_table(7, kinds[[(round - 1) %% 3 + 1]])
    y <- round(rnorm(7, 3), 1)
    sse <- sum((y - mean(y))^2)
    depth <- 1 + round %% 2
    price <- c(0, 0.05)[round %% 2 + 1]
    fit <- contree(data, y, depth = depth, complexity = price, minbucket = 1)
    trees <- number_trees(data, y, 1:7, depth, price * sse)
    cost <- vapply(trees, function(tree) tree$cost, 0)
    expect_equal(min(cost), fit$cost)
    slack <- sse / 5
    set <- contree_set(fit, errors = slack, data = list(x = data, y = y))
    inside <- trees[cost <= fit$cost + slack]
    expect_equal(length(set), length(inside))
    fits <- as.list(set)
    expect_equal(vapply(fits, function(tree) tree$cost, 0), sort(cost[cost <= fit$cost + slack]))
    told <- vapply(inside, function(tree) tree$told, y)
    ranges <- predict(set, type = "range")
    expect_equal(ranges$least, apply(told, 1, min))
    expect_equal(ranges$greatest, apply(told, 1, max))
    expect_equal(predict(set, data, type = "range"), ranges, ignore_attr = TRUE)
    uses <- function(name) mean(vapply(inside, function(tree) name %in% tree$used, NA))
    expect_equal(summary(set)$predictors$share, unname(vapply(names(data), uses, 0)))
  }
})

test_that("questions to sets of trees that predict numbers", {
  fit <- contree(mpg ~ wt + hp + qsec, mtcars, depth = 2, model = TRUE)
  set <- contree_set(fit, within = 0.05)
  trees <- as.list(set)
  leaves <- vapply(trees, function(tree) sum(tree$frame$var == "<leaf>"), 0L)
  expect_identical(contree_best(set, "leaves")$value + 0, min(leaves) + 0)
  grid <- expand.grid(wt = seq(1, 6, 0.1), hp = c(50, 100, 200, 300), qsec = 14:23)
  falls <- vapply(trees, function(tree) {
    all(apply(array(predict(tree, grid), c(51, 4, 10)), 2:3, diff) <= 0)
  }, NA)
  expect_identical(vapply(trees, is_monotone, NA, c(wt = -1)), falls)
  expect_output(print(set), "Trees predict numbers up to")
  expect_contree_error(contree_best(set, "errors"), "unsupported")
  expect_equal(length(subset(set, without = "qsec")),
               sum(!vapply(trees, function(tree) "qsec" %in% tree$frame$var, NA)))
})

test_that("sets of trees that predict numbers are certified, up to what rounding leaves", {
  set.seed(53)
  data <- data.frame(a = rnorm(60), b = rnorm(60), f = factor(sample(letters[1:3], 60, TRUE)))
  data$y <- round(rnorm(60), 1)
  for (weights in list(NULL, runif(60))) {
    fit <- contree(y ~ ., data, depth = 2, complexity = 0.01, weights = weights, minbucket = 2,
                   model = TRUE)
    set <- contree_set(fit, within = 0.02)
    check <- contree_certify(set)
    expect_true(check$valid && check$complete)
    expect_gte(check$complete_cost, fit$cost * 1.02)
    # real weights are rounded: the budget in integers is larger than what it stands for
    surely <- summary(set)$complete_cost
    expect_equal(check$complete_cost, surely, tolerance = 1e-12)
    expect_output(print(check), "Certified: no tree")
    other <- transform(data, y = replace(y, 1, y[1] + 0.1))
    expect_false(contree_certify(set, other)$valid)
  }
})

# ---- gains, pictures, pages ----------------------------------------------------------------------

test_that("the gains of a set are the least and the greatest of the trees one by one", {
  numbers <- contree(mpg ~ wt + hp + qsec, mtcars, depth = 2, model = TRUE)
  for (set in list(iris_set(errors = 1), contree_set(numbers, within = 0.1))) {
    column <- if (predicts_classes(set[[1]])) "errors" else "deviance"
    table <- contree_importance(set)
    trees <- as.list(set)
    for (j in seq_len(nrow(table))) {
      gain <- vapply(trees, function(tree) {
        said <- contree_importance(tree)
        sum(said[[column]][said$variable == table$predictor[j]])
      }, 0)
      expect_equal(c(table$least_gain[j], table$greatest_gain[j]), range(gain))
    }
  }
})

test_that("a set is drawn in other ways", {
  set <- iris_set(errors = 1)
  numbers <- contree_set(contree(mpg ~ wt + hp, mtcars, depth = 1, model = TRUE), within = 0.1)
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file, compress = FALSE, useKerning = FALSE)
  plot(set, "importance")
  plot(set, "rows", main = "Rows")
  plot(set, "trees", trees = 2)
  plot(numbers, "rows")
  grDevices::dev.off()
  said <- readLines(file, warn = FALSE)
  drawn <- regmatches(said, regexpr("[(].*[)] Tj", said, useBytes = TRUE))
  for (text in c("Petal.Width", "Rows", sprintf("2: cost %g", set[[2]]$cost), "predictions")) {
    expect_true(sprintf("(%s) Tj", text) %in% drawn)
  }
  curve <- row_curve(set)
  expect_equal(curve$share[nrow(curve)], mean(predict(set, type = "range")$ambiguous))
  expect_contree_error(plot(set, "tree"), "input", "'what'")
  skip_if_not_installed("ggplot2")
  for (what in c("predictors", "importance", "rows")) {
    expect_gt(nrow(ggplot2::ggplot_build(ggplot2::autoplot(set, what))$data[[1]]), 1)
  }
  expect_identical(ggplot2::autoplot(numbers, "rows")$labels$y, "predictions")
})

test_that("what the best tree has is a row", {
  skip_if_not_installed("generics")
  best <- contree_best(iris_set(errors = 1), "discrepancy")
  expect_identical(generics::tidy(best),
                   data.frame(by = "discrepancy", value = as.numeric(best$value), more = best$more,
                              searched = best$searched, trees = best$trees))
})

test_that("a set has a page of trees to pick from", {
  set <- iris_set(errors = 2)
  file <- tempfile(fileext = ".html")
  on.exit(unlink(file))
  expect_identical(contree_report(set, file = file, trees = 5), file)
  text <- paste(readLines(file), collapse = "\n")
  for (word in c("128 trees that are nearly as good", "23 of 150 rows are ambiguous",
                 "The cheapest 5 of 128 trees", "no tree within the budget is missing")) {
    expect_match(text, word, fixed = TRUE)
  }
  expect_error(contree_report(set, iris, file), "'newdata'|predict", class = "contree_input_error")
  expect_contree_error(contree_report(set, file = file, trees = 0), "input", "'trees'")
  skip_if_not_installed("xml2")
  page <- xml2::read_html(file)
  trees <- xml2::xml_find_all(page, "//details[@class='set-tree']")
  expect_length(trees, 5)
  leaves <- vapply(set[1:5], function(tree) sum(tree$frame$var == "<leaf>"), 0L)
  expect_identical(as.integer(xml2::xml_attr(trees, "data-leaves")), leaves)
  ids <- xml2::xml_text(xml2::xml_find_all(page, "//@id"))
  expect_false(anyDuplicated(ids) > 0)
  uses <- vapply(trees, function(tree) xml2::xml_attr(tree, "data-uses"), "")
  expect_identical(uses[1], script_json(unique(setdiff(set[[1]]$frame$var, "<leaf>"))))
  numbers <- contree_set(contree(mpg ~ wt + hp, mtcars, depth = 1, model = TRUE), within = 0.1)
  contree_report(numbers, file = file)
  expect_match(paste(readLines(file), collapse = "\n"), "Trees predict numbers up to", fixed = TRUE)
})

test_that("a list of trees is no set to choose from, and the error says what to do", {
  set <- contree_set(contree(Species ~ ., iris, depth = 2), within = 0.02)
  for (list in list(subset(set, leaves <= 3), set[1:3], as.list(set))) {
    expect_contree_error(contree_best(list), "input", c("list of trees", "without"))
  }
  expect_contree_error(contree_best(list()), "input", "contree_set()")
})
