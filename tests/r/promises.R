# What a fit promises, against brute force: Rscript tests/r/promises.R LIBRARY [COUNT] [SEED]
#
# COUNT random small problems of each kind: wide weights, losses with classes that no row has, trees
# to begin with, caps on thresholds, other roots, limits of time and memory, the host twin of a
# device. Whatever is said of cost, bound, optimality, size and certificate is compared with what
# trying every tree gives. All numbers are multiples of powers of two that doubles add up exactly,
# so nothing is allowed for. A problem is the same every time. The default is all of it; the test
# suite takes a part. Ends with `promises: N passed, N failed`.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
count <- as.integer(c(arguments[-1], "2000")[1])
first <- as.integer(c(arguments[-(1:2)], "1")[1])
library(contree)
options(warn = -1, contree.twin = TRUE)
for (name in c("mixed", "sizes")) source(file.path("tests/testthat", paste0("helper-", name, ".R")))

# ---- problems ------------------------------------------------------------------------------------

# Whole numbers, quarters, or numbers so far apart that those of a class are nothing beside one row.
wide <- function(n) {
  switch(sample(4, 1), sample(9, n, TRUE), sample(0:40, n, TRUE) / 4, 2^sample(0:38, n, TRUE),
         replace(rep(1, n), sample(n, 1), 3 * 2^sample(36, 1)))
}

# Predictors with many ties; at most four classes, of which `unused` have no rows.
problem <- function(seed, unused = 0) {
  set.seed(seed)
  n <- sample(3:11, 1)
  columns <- sample(3, 1)
  x <- matrix(sample(sample(2:5, 1), n * columns, TRUE), n,
              dimnames = list(NULL, letters[seq_len(columns)]))
  if (runif(1) < 0.3) x[, 1] <- round(rnorm(n), 1)
  if (columns > 1 && runif(1) < 0.3) x[, 2] <- x[, 1]
  classes <- sample(2:3, 1)
  y <- factor(sample(LETTERS[seq_len(classes)], n, TRUE), LETTERS[seq_len(classes + unused)])
  list(x = as.data.frame(x), y = y, depth = sample(2, 1, prob = c(1, 4)), weights = NULL,
       loss = NULL,
       complexity = if (runif(1) < 0.5) sample(8, 1) / 64 else 0,
       minbucket = sample(c(1, 1, 2), 1), minsplit = sample(c(2, 2, 4), 1))
}

with_weights <- function(p) {
  p$weights <- wide(length(p$y))
  if (sum(p$weights) == 0) p$weights[1] <- 1
  p
}

with_loss <- function(p) {
  k <- nlevels(p$y)
  p$loss <- matrix(switch(sample(3, 1), sample(0:9, k^2, TRUE), sample(40, k^2, TRUE) / 4,
                          sample(c(0, 1, 2^12), k^2, TRUE)), k)
  diag(p$loss) <- 0
  there <- as.integer(unique(p$y))
  if (all(p$loss[there, there] == 0)) p$loss[there, there[1]] <- 1 # some error must cost something
  diag(p$loss) <- 0
  p
}

# The thresholds that a cap leaves, as the help page of contree_control() has it.
capped <- function(x, keep) {
  rank <- match(x, sort(unique(x))) - 1
  n <- max(rank) + 1
  if (n - 1 <= keep) return(x)
  findInterval(rank, floor((seq_len(keep) * n + (keep + 1) %/% 2) / (keep + 1)))
}

# ---- what must hold ------------------------------------------------------------------------------

# The least costs by number of splits, with a root among `roots`.
truth_of <- function(p, roots = seq_along(p$x), cap = Inf) {
  x <- as.matrix(if (is.finite(cap)) as.data.frame(lapply(p$x, capped, cap)) else p$x)
  weights <- if (is.null(p$weights)) rep(1, length(p$y)) else p$weights
  loss <- if (is.null(p$loss)) 1 - diag(nlevels(p$y)) else p$loss
  costs <- error_costs(p$y, weights, loss)
  errors <- least_errors(x, p$y, p$depth, p$minbucket, p$minsplit, roots, costs)
  penalty <- p$complexity * sum(weights)
  cost <- errors + penalty * (seq_along(errors) - 1)
  list(errors = errors, cost = min(cost), splits = which.min(cost) - 1, penalty = penalty,
       costs = costs)
}

fit_of <- function(p, ...) {
  contree(p$x, p$y, depth = p$depth, weights = p$weights, loss = p$loss, complexity = p$complexity,
          minbucket = p$minbucket, minsplit = p$minsplit, ...)
}

# What a fit says and is not so; character() if all is well.
lies_of <- function(fit, p, truth) {
  label <- as.integer(predict(fit, p$x))
  errors <- sum(truth$costs[cbind(seq_along(label), label)])
  splits <- sum(fit$frame$var != "<leaf>")
  optimal <- fit$status == "optimal"
  c(if (fit$objective != errors) "objective",
    if (fit$cost != errors + splits * truth$penalty) "cost",
    if (fit$cost < truth$cost) "a tree that is not allowed",
    if (fit$bound > truth$cost) "bound",
    if (fit$bound > fit$cost || fit$gap < 0 || fit$gap < fit$cost - fit$bound) "gap",
    if (optimal && fit$cost != truth$cost) "optimal",
    if (optimal && fit$gap > 0) "optimal with a gap",
    if (optimal && splits != truth$splits) "smallest",
    if (!is.null(fit$certificate)) {
      lies_of_check(contree_certify(fit, list(x = p$x, y = p$y)), fit, truth, optimal)
    })
}

# A certificate may fail to prove what is so only of a fit that is not optimal.
lies_of_check <- function(check, fit, truth, optimal) {
  splits <- sum(fit$frame$var != "<leaf>")
  c(if (optimal && !check$valid) "certificate refused",
    if (check$valid && check$bound > truth$cost) "certified bound",
    if (check$valid && check$optimal && fit$cost != truth$cost) "certified as optimal",
    if (check$valid && check$smallest &&
        (fit$cost != truth$cost || splits != truth$splits)) "certified as smallest",
    if (check$optimal && !check$valid) "optimal though invalid")
}

lies_of_alternatives <- function(others, fit, p, within) {
  table <- as.data.frame(others)
  cost <- vapply(seq_along(p$x), function(j) {
    errors <- truth_of(p, j)
    min((errors$errors + errors$penalty * (seq_along(errors$errors) - 1))[-1])
  }, 0)
  names(cost) <- names(p$x)
  cost <- cost[setdiff(names(p$x), fit$frame$var[1])]
  leaf <- truth_of(p)$errors[1] # what costs no less than a leaf is not listed
  wanted <- cost[cost <= fit$cost + within & cost < leaf & fit$frame$var[1] != "<leaf>"]
  listed <- stats::setNames(table$cost, table$predictor)
  c(if (!setequal(names(listed), names(wanted))) "other roots",
    if (any(listed != cost[names(listed)])) "cost of another root",
    if (any(table$status == "optimal" & table$gap > 0)) "gap of another root")
}

# ---- kinds ---------------------------------------------------------------------------------------

kinds <- list(
  weights = function(seed) {
    p <- with_weights(problem(seed))
    lies_of(fit_of(p, certificate = TRUE), p, truth_of(p))
  },
  losses = function(seed) {
    p <- with_loss(problem(seed, unused = seed %% 2 + (seed %% 3 == 0)))
    if (seed %% 4 == 0) p <- with_weights(p)
    lies_of(fit_of(p, certificate = TRUE), p, truth_of(p))
  },
  starts = function(seed) {
    p <- problem(seed)
    if (seed %% 2) p <- with_weights(p)
    if (seed %% 3 == 0) p <- with_loss(p)
    other <- replace(p, c("depth", "minbucket", "minsplit"), list(sample(0:3, 1), 1, 2))
    start <- fit_of(if (seed %% 5) other else replace(other, "y", list(sample(p$y))))
    cap <- sample(c(1, 2, Inf), 1)
    lies_of(fit_of(p, start = start, max_thresholds = cap, threads = 1 + seed %% 2), p,
            truth_of(p, cap = cap))
  },
  caps = function(seed) {
    p <- problem(seed)
    if (seed %% 2) p <- with_weights(p)
    cap <- sample(3, 1)
    lies_of(fit_of(p, max_thresholds = cap, certificate = TRUE), p, truth_of(p, cap = cap))
  },
  alternatives = function(seed) {
    p <- problem(seed)
    if (seed %% 2) p <- with_weights(p)
    if (seed %% 3 == 0) p <- with_loss(p)
    fit <- fit_of(p)
    within <- if (seed %% 2) 0 else sample(8, 1) / 4
    c(lies_of(fit, p, truth_of(p)),
      lies_of_alternatives(contree_alternatives(fit, within = within,
                                                data = list(x = p$x, y = p$y)), fit, p, within))
  },
  limits = function(seed) {
    p <- problem(seed)
    if (seed %% 2) p <- with_weights(p)
    if (seed %% 3 == 0) p <- with_loss(p)
    # the clock goes by counts, so that a case is the same every time
    .Call(contree:::ffi_count_time, 1e-5, 10^sample(3:6, 1))
    on.exit(.Call(contree:::ffi_count_time, 0, 0))
    fit <- tryCatch(fit_of(p, time_limit = sample(c(0, 1e-5, 1e-4, 1e-3, Inf), 1),
                           memory_limit = sample(c(2^(12:18), Inf), 1),
                           max_gap = sample(c(0, 0, 0.5, 2), 1),
                           threads = sample(2, 1), certificate = seed %% 4 == 0),
                    contree_input_error = function(problem) {
                      if (!grepl("not enough memory", conditionMessage(problem))) stop(problem)
                    })
    if (!is.null(fit)) lies_of(fit, p, truth_of(p))
  },
  device = function(seed) {
    p <- problem(seed)
    if (seed %% 2) p <- with_weights(p)
    if (seed %% 3 == 0) p <- with_loss(p)
    cap <- sample(c(2, Inf), 1)
    lies_of(fit_of(p, device = "twin", max_thresholds = cap, max_gap = sample(c(0, 0, 1), 1)), p,
            truth_of(p, cap = cap))
  })

run <- function(kind) {
  failed <- 0L
  for (seed in first - 1L + seq_len(count)) {
    lies <- tryCatch(suppressMessages(kinds[[kind]](seed)),
                     error = function(problem) paste("error:", conditionMessage(problem)))
    if (length(lies) == 0) next
    failed <- failed + 1L
    if (failed <= 10) cat(sprintf("  FAILED: %s %d: %s\n", kind, seed, toString(lies)))
  }
  cat(sprintf("%-13s| %d of %d as promised\n", kind, count - failed, count))
  failed
}

failed <- vapply(names(kinds), run, 0L)
cat(sprintf("promises: %d passed, %d failed\n", count * length(kinds) - sum(failed), sum(failed)))
quit(status = as.integer(sum(failed) > 0))
