# Certificates. The bounds themselves are checked against brute force in
# tests/c/certify/test_certify.c; here that data, tree and settings are the ones that the
# certificate is about, and that faults are found.

# A fit with a certificate, whose call is as if it had been typed.
certified <- function(...) {
  call <- sys.call()
  call[[1]] <- quote(contree)
  call$certificate <- TRUE
  suppressMessages(eval(call, parent.frame()))
}

# Numbers with and without missing values, factors of few and of many levels, with and without, a
# date, weights.
many_kinds <- function(n = 150) {
  set.seed(3)
  data <- data.frame(x = round(rnorm(n), 1), f = factor(sample(letters[1:4], n, TRUE)),
                     g = sample(LETTERS[1:9], n, TRUE), day = as.Date("2024-02-27") +
                       sample(40, n, TRUE), o = ordered(sample(5, n, TRUE)), w = runif(n, 0, 3))
  data$z <- replace(data$x + rnorm(n), sample(n, 20), NA)
  data$f[sample(n, 15)] <- NA
  data$g[sample(n, 15)] <- NA
  data$class <- factor(ifelse(data$f %in% c("a", "c"), data$x > 0,
                              data$g %in% c("B", "C", "F")) != (runif(n) < 0.15))
  data
}

test_that("what is proven is proven again, for all kinds of problems", {
  data <- many_kinds()
  fits <- list(
    certified(class ~ ., data, depth = 2),
    certified(class ~ ., data, depth = 3, complexity = 0.01, minbucket = 4, subset_levels = 2),
    certified(class ~ ., data, depth = 2, weights = w, minsplit = 20, subset = w > 0.5),
    certified(class ~ . - w, data, depth = 2, class_weights = "balanced", max_thresholds = 9),
    certified(class ~ ., data, depth = 2, missing = "omit"),
    certified(class ~ x + f, data, depth = 4), certified(class ~ x, data, depth = 0),
    certified(class ~ f, data, depth = 1),
    certified(Species ~ ., iris, depth = 3, loss = rbind(c(0, 1, 2), c(3, 0, 0.1), c(1, 1, 0))),
    certified(as.matrix(iris[1:4]), iris$Species, depth = 3),
    certified(iris[1:2], iris$Species == "virginica", depth = 2))
  for (fit in fits) {
    check <- contree_certify(fit)
    expect_true(check$valid, info = deparse1(fit$call))
    expect_true(check$optimal)
    expect_true(check$smallest || check$rounding > 0)
    expect_null(check$reason)
    expect_equal(check$bound, fit$cost)
    expect_identical(check$bytes, length(fit$certificate$log))
  }
})

# Fits of numbers with certificates.
certified_numbers <- function(data) {
  list(certified(z ~ ., data, depth = 2), certified(x ~ . - z, data, depth = 2, subset_levels = 2),
       certified(round(10 * x) ~ f + w + day, data, depth = 3, minbucket = 1, complexity = 0.01),
       certified(w ~ x + f, data, depth = 2, weights = o_weight, minsplit = 20),
       certified(x ~ z, data, depth = 1), certified(x ~ z, data, depth = 0),
       certified(w ~ x + day, data, depth = 2, missing = "omit", max_thresholds = 9),
       certified(as.matrix(iris[2:4]), iris$Sepal.Length, depth = 2),
       certified(rep(3, 150) ~ x, data, depth = 2),
       certified(1e9 + w ~ x, data, depth = 2))
}

test_that("what is proven of regression trees is proven again, for all kinds of problems", {
  data <- transform(many_kinds(), class = NULL, o_weight = as.integer(o))
  for (fit in certified_numbers(data)) {
    check <- contree_certify(fit)
    expect_true(check$valid, info = deparse1(fit$call))
    # a gap of no more than the last digits of sums may be certified
    expect_true(check$optimal || fit$gap > 0, info = deparse1(fit$call))
    expect_true(!check$optimal || fit$gap <= 2e-12 * fit$cost, info = deparse1(fit$call))
    expect_null(check$reason)
    expect_lte(check$bound, fit$cost * (1 + 1e-15))
    expect_lte(fit$cost - check$bound, 2 * check$rounding + 1e-12 * fit$cost)
  }
  whole <- certified(hp ~ wt + qsec, mtcars, depth = 2)
  expect_true(contree_certify(whole)$smallest)
  expect_output(print(contree_certify(whole)), "none of equal cost has fewer leaves")
  few <- suppressWarnings(certified(mpg ~ ., mtcars, depth = 3, max_gap = 100))
  check <- contree_certify(few)
  expect_true(check$valid && !check$optimal)
  expect_gte(check$bound, few$bound * (1 - 1e-9))
})

test_that("faults in regression trees, data and certificates are found", {
  fit <- certified(mpg ~ wt + hp + qsec, mtcars, depth = 2)
  expect_fault <- function(fit, reason, ...) { # some are seen before anything is proven
    check <- tryCatch(contree_certify(fit, ...), contree_input_error = function(problem) {
      list(valid = FALSE, reason = conditionMessage(problem))
    })
    expect_false(check$valid)
    expect_match(check$reason, reason)
  }
  expect_fault(fit, "the response has other values", transform(mtcars, mpg = rev(mpg)))
  expect_fault(fit, "does not reach the leaf", transform(mtcars, wt = rev(wt)))
  expect_fault(replace(fit, "objective", fit$objective * (1 - 1e-6)), "errors")
  cheaper <- fit
  cheaper$cost <- cheaper$cost - 1e-4
  expect_fault(cheaper, "cost")
  other_means <- fit
  leaves <- fit$frame$var == "<leaf>"
  other_means$frame$yval[leaves] <- fit$frame$yval[leaves] + 1e-3
  expect_fault(other_means, "has errors of")
  worse <- certified(mpg ~ wt + hp + qsec, mtcars, depth = 2, max_gap = 200)
  worse$status <- "optimal"
  worse$certificate <- fit$certificate
  if (worse$cost > fit$cost) expect_fault(worse, "optimal|proves only|costs|other")
  empty <- fit
  empty$certificate$log <- c(fit$certificate$log[1:18], as.raw(0))
  expect_fault(empty, "proves only|cannot be read|optimal")
  other <- certified(mpg ~ wt + hp + qsec, mtcars, depth = 2, minbucket = 3)
  expect_fault(fit, "other data or other settings", certificate = other$certificate)
})

# What the process has held at most, in MB; NA where the system does not say.
peak_memory <- function() {
  if (!file.exists("/proc/self/status")) return(NA)
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

test_that("bounds of searches that did not end are proven", {
  data <- hard_table(300, 5)
  gap <- certified(y ~ ., data, depth = 3, max_gap = 15)
  expect_gt(gap$gap, 0)
  check <- contree_certify(gap)
  expect_true(check$valid)
  expect_false(check$optimal)
  expect_gte(check$bound, gap$bound)
  expect_lte(check$bound, contree(y ~ ., data, depth = 3)$cost)
  expect_output(print(check), "at least")
})

test_that("training data are found again as elsewhere", {
  kept <- local({
    hidden <- iris
    certified(Species ~ ., hidden, depth = 2, model = TRUE)
  })
  expect_true(contree_certify(kept)$valid)
  expect_true(contree_certify(kept, iris)$valid)
  plain <- local({
    hidden <- iris
    certified(Species ~ ., hidden, depth = 2)
  })
  expect_contree_error(contree_certify(plain), "input", "data")
  expect_true(contree_certify(plain, iris)$valid)
  xy <- local({
    x <- iris[1:4]
    certified(x, iris$Species, depth = 2)
  })
  expect_true(contree_certify(xy, list(x = iris[1:4], y = iris$Species))$valid)
  for (other in list(iris, iris[1:4], list(x = iris[1:4]), data.frame(x = 1:150))) {
    expect_contree_error(contree_certify(xy, other), "input", "must be a list of these two")
  }
  # `subset_levels` is no `subset`
  data <- many_kinds()
  expect_true(contree_certify(certified(class ~ ., data, depth = 2, subset_levels = 3))$valid)
})

expect_invalid <- function(check, reason) {
  expect_false(check$valid)
  expect_false(check$optimal)
  expect_match(check$reason, reason)
  expect_output(print(check), paste("Not certified:", check$reason), fixed = TRUE)
}

# The least cost of a tree of a depth whose rows cost `costs[, k]` under class k: in doubles, which
# have whole numbers exactly.
least_cost <- function(x, costs, depth) {
  best <- min(colSums(costs))
  if (depth == 0) return(best)
  for (j in seq_len(ncol(x))) {
    for (threshold in sort(unique(x[, j]))[-1]) {
      left <- x[, j] < threshold
      best <- min(best,
                  least_cost(x[left, , drop = FALSE], costs[left, , drop = FALSE], depth - 1) +
                    least_cost(x[!left, , drop = FALSE], costs[!left, , drop = FALSE], depth - 1))
    }
  }
  best
}

# A small problem beside whose dearest errors the others are small; `whole`: in whole numbers.
wide_problem <- function(whole) {
  n <- sample(4:8, 1)
  data <- data.frame(a = sample(4, n, TRUE), b = round(rnorm(n), 1),
                     y = factor(c("u", "v", "w", sample(c("u", "v"), n - 3, TRUE))))
  data$weight <- switch(sample(4, 1), rep(1, n), sample(c(1, 1, 2, 1e11), n, TRUE),
                        sample(c(1:3, 1.5e8 + 1:3), n, TRUE),
                        if (whole) as.double(sample(1e6, n))
                        else rexp(n) * sample(c(1, 1e11), n, TRUE))
  dear <- if (whole && any(data$weight != 1)) 3 else 1e11 # integers must have room for both
  loss <- if (sample(2, 1) == 1) matrix(sample(c(1, 1, 2, dear), 9, TRUE), 3) * (1 - diag(3))
  list(data = data, loss = loss, depth = sample(0:2, 1))
}

test_that("nothing that is false is certified, whatever errors cost", {
  set.seed(17)
  proven <- stopped <- refused <- 0
  cases <- seeds(150, 60)
  for (i in cases) {
    whole <- i %% 3 > 0
    problem <- wide_problem(whole)
    data <- problem$data
    ask <- function(...) {
      suppressWarnings(contree(y ~ a + b, data, weights = weight, loss = problem$loss,
                               depth = problem$depth, certificate = TRUE, model = TRUE, ...))
    }
    loss <- if (is.null(problem$loss)) 1 - diag(3) else problem$loss
    least <- least_cost(as.matrix(data[c("a", "b")]),
                        data$weight * loss[as.integer(data$y), , drop = FALSE], problem$depth)
    gap <- ask(max_gap = sample(c(1, 28, 1e10), 1))
    fits <- list(ask(), gap, ask(time_limit = 0))
    # the tree of a search that was stopped, in the clothes of one that was not
    best <- fits[[1]]
    posing <- gap
    posing[c("status", "bound", "gap", "control", "certificate")] <-
      list("optimal", gap$cost, 0, best$control, best$certificate)
    bold <- replace(gap, c("bound", "gap"), list(gap$cost, 0))
    for (fit in c(fits, list(posing, bold))) {
      check <- contree_certify(fit)
      if (!is.na(check$bound)) expect_lte(check$bound, if (whole) least else least * (1 + 1e-15))
      off <- if (whole) 0 else 1.1e-6 * fit$cost
      if (check$optimal) expect_lte(fit$cost, least + off)
      if (check$valid) expect_lte(fit$bound, least + off)
      if (check$valid && check$optimal) proven <- proven + 1
      if (check$valid && !check$optimal) stopped <- stopped + 1
      if (!check$valid) refused <- refused + 1
    }
    # a bound that holds, and a gap that is told, of a tree that is called optimal all the same
    posing[c("bound", "gap")] <- list(best$bound, gap$cost - best$bound)
    if (gap$cost > best$cost * (1 + 1e-5)) expect_false(contree_certify(posing)$valid, info = i)
    # what is proven optimal is not called so where the fit does not
    expect_false(contree_certify(replace(best, "status", "gap reached"))$optimal, info = i)
    check <- contree_certify(best)
    if (whole) {
      expect_true(check$valid && check$optimal && check$rounding == 0 && check$bound == least,
                  info = i)
    }
  }
  expect_gt(min(proven, stopped, refused), length(cases) / 6)
})

test_that("real weights beside real losses are certified with the gap that they leave", {
  set.seed(5)
  share <- optimal <- numeric(60)
  for (i in 1:60) {
    n <- sample(6:14, 1)
    data <- data.frame(a = sample(4, n, TRUE), b = rnorm(n), y = factor(sample(3, n, TRUE), 1:3))
    data$w <- exp(rnorm(n))
    loss <- matrix(exp(rnorm(9)), 3) * (1 - diag(3))
    depth <- sample(2, 1)
    fit <- certified(y ~ a + b, data, weights = w, loss = loss, depth = depth,
                     complexity = if (i %% 2) 0 else runif(1, 0, 0.05))
    check <- contree_certify(fit)
    expect_true(check$valid && (check$optimal || fit$gap > 0), info = i)
    if (fit$control$complexity == 0) {
      least <- least_cost(as.matrix(data[c("a", "b")]),
                          data$w * loss[as.integer(data$y), , drop = FALSE], depth)
      expect_lte(check$bound, least * (1 + 1e-14))
      expect_lte(fit$cost - fit$gap, least * (1 + 1e-14))
      if (check$optimal) expect_lte(fit$cost, least * (1 + 1e-13))
    }
    share[i] <- check$rounding / (sum(data$w) * max(loss))
    optimal[i] <- check$optimal
  }
  expect_lt(median(share), 2^-27)
  expect_gt(sum(!optimal), 20) # rounding may hide a tree that costs less, by however little
})

test_that("a search with a gap is not optimal beside a dear row", {
  set.seed(1)
  n <- 60
  data <- data.frame(x = rnorm(n), z = rnorm(n), w = c(1e11, rep(1, n - 1)))
  data$y <- factor(ifelse(data$x * data$z > 0, "a", "b"))
  fit <- certified(y ~ x + z, data, weights = w, depth = 2, max_gap = 28)
  expect_identical(c(fit$status, fit$cost), c("gap reached", "14"))
  check <- contree_certify(fit)
  expect_true(check$valid)
  expect_false(check$optimal)
  expect_identical(check$bound, 0)
  expect_output(print(check), "every tree of depth <= 2 at least 0")
})

test_that("rounding is named where integers are not the costs", {
  set.seed(2)
  data <- data.frame(x = rnorm(40), y = factor(sample(2, 40, TRUE)), w = rexp(40))
  check <- contree_certify(certified(y ~ x, data, weights = w, depth = 1))
  expect_true(check$optimal)
  expect_true(check$rounding > 0 && check$rounding < 1e-12)
  expect_output(print(check), "costs less (costs were counted as integers, which differ by at most",
                fixed = TRUE)
  # last bits are told apart from rounding: tenths are whole numbers of them
  tenths <- contree_certify(certified(y ~ x, data, weights = round(w, 1) + 0.1, depth = 1))
  expect_true(tenths$optimal && tenths$rounding > 0)
  data$w[1] <- 1e13
  check <- contree_certify(certified(y ~ x, data, weights = w, depth = 1))
  expect_true(check$valid && !check$optimal && !check$smallest)
  expect_gt(check$rounding, 1e-7)
  expect_output(print(check), "every tree of depth <= 1 at least")
  data$w <- sample(5, 40, TRUE)
  expect_identical(contree_certify(certified(y ~ x, data, weights = w, depth = 1))$rounding, 0)
})

test_that("claims name the trees that they are about", {
  data <- many_kinds()
  expect_about <- function(fit, text) {
    check <- contree_certify(fit)
    expect_output(print(check), paste0("; no tree of depth <= 1", text,
                                       " costs less, and none of equal cost has fewer leaves"),
                  fixed = TRUE)
    expect_output(print(fit$certificate), paste0("no tree of depth <= 1", text, " costs less"),
                  fixed = TRUE)
  }
  expect_about(certified(class ~ x, data, depth = 1), "")
  expect_about(certified(class ~ x, data, depth = 1, minbucket = 5),
               " with at least 5 rows in a leaf")
  expect_about(certified(class ~ x, data, depth = 1, minsplit = 30),
               " that splits no node of fewer than 30 rows")
  expect_about(certified(class ~ x, data, depth = 1, max_thresholds = 3),
               " on at most 3 thresholds per predictor")
  expect_about(certified(class ~ x, data, depth = 1, minbucket = 5, max_thresholds = 3),
               " with at least 5 rows in a leaf and on at most 3 thresholds per predictor")
  expect_about(certified(class ~ g, data, depth = 1, subset_levels = 3),
               " that splits 'g' by one level or in order of a class")
  fit <- certified(class ~ x, data, depth = 1)
  fit$control$root <- "x"
  expect_identical(contree:::restrictions(fit), "with the root split on 'x'")
})

test_that("a datum that was changed is found", {
  fit <- certified(Species ~ ., iris, depth = 2)
  changed <- iris
  changed$Species[7] <- "virginica"
  expect_invalid(contree_certify(fit, changed), "the response has other values")
  changed <- iris
  changed$Petal.Length[7] <- 6
  expect_invalid(contree_certify(fit, changed), "row 7")
  changed <- iris
  changed$Sepal.Width[7] <- 3.45 # the tree does not ask for it
  expect_invalid(contree_certify(fit, changed), "'Sepal.Width' has other values")
  expect_invalid(contree_certify(fit, iris[-7, ]), "149 rows")
  expect_invalid(contree_certify(fit, iris[c(2, 1, 3:150), ]), "in another order")
  data <- many_kinds()
  weighted <- certified(class ~ . - w, data, depth = 2, weights = w)
  wrong <- which(residuals(weighted) == 1)[1]
  data$w[wrong] <- data$w[wrong] + 0.5
  expect_invalid(contree_certify(weighted, data), "errors")
})

test_that("a tree that was changed is found", {
  fit <- certified(Species ~ ., iris, depth = 2)
  # some changes make the fit contradict itself, which is an error everywhere
  with_change <- function(name, value) {
    fit[[name]] <- value
    tryCatch(contree_certify(fit, iris),
             contree_input_error = function(problem) list(valid = FALSE))
  }
  expect_false(with_change("objective", fit$objective - 1)$valid)
  expect_false(with_change("cost", fit$cost - 1)$valid)
  expect_false(with_change("bound", fit$bound + 1)$valid)
  splits <- fit$splits
  splits[1, "index"] <- splits[1, "index"] + 1
  expect_invalid(with_change("splits", splits), "does not reach the leaf")
  frame <- fit$frame
  frame$yval[nrow(frame)] <- 1
  expect_false(with_change("frame", frame)$valid)
  # the same where nothing contradicts anything
  part <- fit
  part[c("objective", "cost", "bound")] <- fit$cost - 1
  frame <- contree:::certified_frame(fit, iris, globalenv())
  expect_match(contree:::cost_fault(part, frame, unname(fit$where)), "errors of 6, not 5")
  checked <- list(verdict = "certified", bound = 5, rounding = 0, attained = FALSE,
                  last_bits = 0)
  expect_match(contree:::proof_fault(fit, frame, checked), "only that no tree costs less than 5")
  checked$bound <- 6
  expect_match(contree:::proof_fault(fit, frame, checked), "called optimal")
  expect_null(contree:::proof_fault(fit, frame, replace(checked, "attained", TRUE)))
  part <- fit
  part$cost <- fit$cost + 1e-9
  expect_match(contree:::proof_fault(part, frame, checked), "the tree costs 6, not 6")
  # other settings are another problem
  for (other in list(list(depth = 3), list(complexity = 0.01), list(minbucket = 2),
                     list(max_thresholds = 5))) {
    control <- fit$control
    control[names(other)] <- other
    expect_false(with_change("control", control)$valid, info = names(other))
  }
  # a tree that is not the best one, under a name that it does not deserve
  worse <- certified(Species ~ Sepal.Length + Petal.Length, iris, depth = 2)
  expect_invalid(contree_certify(worse, iris, fit$certificate), "other data")
})

test_that("a certificate that was changed proves nothing that is untrue", {
  fit <- certified(Species ~ ., iris[c(1, 2, 5)], depth = 3, complexity = 0.005)
  log <- fit$certificate$log
  set.seed(5)
  refused <- 0
  for (i in 1:200) {
    changed <- log
    at <- sample(length(log), 1)
    changed[at] <- xor(changed[at], as.raw(2^sample(0:7, 1)))
    check <- contree_certify(fit, certificate = changed)
    if (!check$valid) refused <- refused + 1
    if (!is.na(check$bound)) expect_lte(check$bound, fit$cost + 1e-6)
  }
  expect_gt(refused, 100)
  expect_invalid(contree_certify(fit, certificate = log[-length(log)]), "cannot be read")
  expect_invalid(contree_certify(fit, certificate = c(log, as.raw(0))), "cannot be read")
  expect_invalid(contree_certify(fit, certificate = raw(0)), "cannot be read")
  expect_invalid(contree_certify(fit, certificate = serialize("anything else", NULL)),
                 "cannot be read")
  # the beginning is kept, and nothing is named
  begin <- length(certified(Species ~ ., iris, depth = 0)$certificate$log) - 1
  short <- c(log[seq_len(begin)], as.raw(0))
  check <- contree_certify(fit, certificate = short)
  expect_false(check$valid)
})

test_that("columns that do not stand for the predictors are found", {
  data <- many_kinds()
  fit <- certified(class ~ x + f + g, data, depth = 2, subset_levels = 3)
  frame <- contree:::certified_frame(fit, data, environment())
  problem <- contree:::new_problem(frame, fit$control)
  fault <- function(problem) contree:::column_fault(problem, fit$control$subset_levels)
  expect_null(fault(problem))
  for (column in seq_along(problem$derived$columns)) {
    changed <- problem
    changed$derived$columns[[column]][5] <- changed$derived$columns[[column]][5] + 3
    expect_match(fault(changed), frame$shape$names[problem$derived$predictor[column]], fixed = TRUE)
    # the orders part missing rows from the others, too
    if (setequal(problem$derived$codes[[column]], 0:1)) next
    fewer <- problem
    fewer$derived[c("columns", "predictor")] <- lapply(problem$derived[c("columns", "predictor")],
                                                       `[`, -column)
    expect_match(fault(fewer), "do not stand", info = column)
  }
})

test_that("a tree that is deeper than its fit may be, or has too few rows, is found", {
  fit <- certified(Species ~ ., iris, depth = 3)
  frame <- contree:::certified_frame(fit, iris, globalenv())
  fault <- function(...) {
    fit$control[...names()] <- list(...)
    contree:::cost_fault(fit, frame, unname(fit$where))
  }
  least <- tapply(rep(1, 150), fit$where, sum)
  inner <- fit$frame$n[fit$frame$var != "<leaf>"]
  expect_null(fault(depth = 3, minbucket = min(least), min_n = min(inner)))
  expect_match(fault(depth = 2), "deeper than 2")
  expect_match(fault(minbucket = min(least) + 1), "too few rows")
  expect_match(fault(min_n = min(inner) + 1), "too few rows")
})

test_that("missing values must be searched on both sides", {
  x <- c(2, NA, 1, 3, NA)
  below <- c(2, 0, 1, 3, 0)
  above <- c(2, 4, 1, 3, 4)
  fine <- contree:::stand_for_numbers
  expect_true(fine(x, list(below, above)))
  for (columns in list(list(below), list(above), list(below, below), list(above, above),
                       list(below, c(2, 2, 1, 3, 2)), list(above, c(2, 3, 1, 3, 3)),
                       list(below, c(2, 4, 1, 3, 5)), list(below, replace(above, 1, 1.5)))) {
    expect_false(fine(x, columns))
  }
  # the same of levels in an order: missing is the last of them
  codes <- cbind(c(1, 2, 3, 0), c(1, 2, 3, 4))
  ordered <- function(codes) {
    contree:::has_order(codes, c(0.1, 0.5, 0.9, NA), c(FALSE, FALSE, FALSE, TRUE))
  }
  expect_true(ordered(codes))
  expect_true(ordered(cbind(codes[, 1], c(3, 2, 1, 0)))) # downwards: the other side
  for (columns in list(codes[, 1], codes[, 2], codes[, c(1, 1)], codes[, c(2, 2)],
                       cbind(codes[, 1], c(3, 2, 1, 4)), cbind(codes[, 1], c(1, 2, 3, 2.5)),
                       cbind(codes[, 2], c(1, 2, 3, 1.5)))) {
    expect_false(ordered(as.matrix(columns)))
  }
})

test_that("settings and arguments are checked", {
  expect_null(contree(Species ~ ., iris, depth = 1)$certificate)
  expect_contree_error(contree_certify(contree(Species ~ ., iris, depth = 1)), "input",
                       "certificate = TRUE")
  expect_contree_error(contree_certify(iris), "input", "fit")
  expect_contree_error(contree_certify(certified(Species ~ ., iris, depth = 1), certificate = 3),
                       "input", "certificate")
  expect_contree_error(contree(Species ~ ., iris, certificate = "much"), "input", "certificate")
  expect_contree_error(contree(Species ~ ., iris, certificate = NA), "input", "certificate")
  warned <- expect_warning(contree(Species ~ ., iris, depth = 3, certificate = 30),
                           class = "contree_no_certificate")
  expect_match(conditionMessage(warned), "30 B")
  expect_output(print(certified(Species ~ ., iris, depth = 2)$certificate),
                "no tree of depth <= 2 costs less than 6")
})

test_that("certificates go where their fit goes, and no further", {
  fit <- certified(Species ~ ., iris, depth = 3)
  expect_true(contree_certify(unserialize(serialize(fit, NULL)))$valid)
  expect_null(prune(fit, complexity = 0.1)$certificate)
  cv <- contree_cv(Species ~ ., iris, depth = 1:2, folds = 3, certificate = TRUE)
  expect_null(cv$fit$certificate)
})

test_that("the data sets with known optima are proven again", {
  folder <- Sys.getenv("CONTREE_DATA")
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "bank.csv.gz")),
              "CONTREE_DATA does not name the data sets")
  for (name in c("bank", "bidding", "raisin", "room", "segment")) {
    data <- utils::read.csv(file.path(folder, paste0(name, ".csv.gz")))
    data$class <- factor(data$class)
    for (depth in 2:3) {
      fit <- certified(class ~ ., data, depth = depth)
      check <- contree_certify(fit)
      expect_true(check$valid && check$optimal, info = paste(name, depth))
      expect_lt(check$bytes, 1e6)
    }
  }
})

test_that("a loss that was changed so that the label is none of the search's makes a fit invalid", {
  x <- data.frame(a = 0:1)
  y <- factor(c("A", "B"), levels = c("A", "B", "C"))
  loss <- matrix(c(0, 4, 1, 4, 0, 1, 0.1, 0.1, 0), 3) # C, without rows, is the cheapest answer
  fit <- contree(x, y, loss = loss, depth = 0, certificate = TRUE)
  data <- list(x = x, y = y)
  expect_true(contree_certify(fit, data)$valid)
  for (value in c(0.05, 0.01, 0)) {
    changed <- fit
    changed$loss["B", "A"] <- value
    expect_false(contree_certify(changed, data)$valid)
  }
})

test_that("a response of another kind is named", {
  of_classes <- contree(iris[1:4], iris$Species, depth = 1, certificate = TRUE)
  check <- contree_certify(of_classes, list(x = iris[1:4], y = as.integer(iris$Species)))
  expect_false(check$valid)
  expect_match(check$reason, "numbers (1, 1, 1, ...)", fixed = TRUE)
  expect_match(check$reason, "'setosa', 'versicolor', 'virginica'", fixed = TRUE)
  expect_match(check$reason, "give factor(y)", fixed = TRUE)
  expect_contree_error(contree_alternatives(of_classes, data = list(x = iris[1:4], y = 1:150)),
                       "input", c("numbers (1, 2, 3, ...)", "factor(y)"))
  of_numbers <- contree(iris[2:4], iris$Sepal.Length, depth = 1, certificate = TRUE)
  check <- contree_certify(of_numbers, list(x = iris[2:4], y = iris$Species))
  expect_match(check$reason, "classes ('setosa'", fixed = TRUE)
  expect_match(check$reason, "give 'y' as numbers", fixed = TRUE)
})

test_that("weights that are decimals are certified beside a number that is far", {
  for (w in list(rep(0.3, 3), c(0.3, 0.1, 0.7), c(0.75, 7, 8.75))) {
    fit <- contree(y ~ x, data.frame(x = 1:3, y = c(0, 1, 1e7)), weights = w, depth = 1,
                   minbucket = 1, certificate = TRUE, model = TRUE)
    expect_true(contree_certify(fit)$valid)
  }
  # the penalty is a share of squares about a mean that is far from the middle
  data <- data.frame(x = 1:4, y = c(1e7, 1e12, 0, 2e5 + 0.01))
  fit <- contree(y ~ x, data, weights = c(1e14, pi, 1e6, 1e14), depth = 1, complexity = 0.01,
                 minbucket = 1, certificate = TRUE, model = TRUE)
  expect_true(contree_certify(fit)$valid)
})

test_that("what the last bits of weights, losses and responses make is no reason to refuse", {
  for (seed in seeds(60, 12)) {
    set.seed(seed)
    n <- sample(2:6, 1)
    data <- data.frame(x = sample(4, n, TRUE), z = sample(3, n, TRUE),
                       y = factor(c(1, sample(2:3, n - 1, TRUE)), levels = 1:3))
    weights <- sample(c(1, 2.1, 3.3, pi, 1 / 3, pi * 1e14, 1e9 * runif(1)), n, TRUE)
    loss <- matrix(sample(c(pi, 1 / 3, 1e10, 1, 2.5, 7), 9, TRUE), 3) * (1 - diag(3))
    values <- sample(c(0, 1, 1e7, 0.1, 1e12, pi, 2e5 + 0.01, 1e9 + 1 / 3), n, TRUE)
    heavy <- sample(c(1, 1e6, 1e14, pi), n, TRUE)
    for (complexity in c(0, 0.01)) {
      kept <- list(complexity = complexity, depth = 2, minbucket = 1, certificate = TRUE,
                   model = TRUE)
      one <- do.call(contree, c(list(y ~ x + z, data, weights = weights, loss = loss), kept))
      expect_true(contree_certify(one)$valid, info = paste("seed", seed))
      data$number <- values
      other <- do.call(contree, c(list(number ~ x + z, data, weights = heavy), kept))
      expect_true(contree_certify(other)$valid, info = paste("seed", seed, "of numbers"))
    }
  }
})

# last, since it takes longest
test_that("memory does not grow with the square of the classes", {
  n <- 12000
  fit <- contree(data.frame(x = 1:n), factor(1:n), depth = 1, certificate = TRUE)
  before <- peak_memory()
  check <- contree_certify(fit, list(x = data.frame(x = 1:n), y = factor(1:n)))
  expect_true(check$valid && check$smallest)
  expect_identical(c(check$bound, check$rounding), c(n - 2, 0))
  skip_if(is.na(before), "the system does not say what memory was used")
  expect_lt(peak_memory() - before, 300) # the square of the classes is 576 MB in 4 bytes
})
