skip_if_not_installed("survival")
Surv <- survival::Surv

some_patients <- function(n) {
  d <- data.frame(a = rnorm(n), b = sample(letters[1:4], n, TRUE), c = rnorm(n), d = rnorm(n))
  d$time <- ceiling(10 * rexp(n, exp(d$a - (d$b == "b"))))
  d$status <- rbinom(n, 1, 0.7)
  d$a[sample(n, n / 10)] <- NA
  d
}

grow <- function(d, ...) hist_forest(Surv(time, status) ~ ., d, seed = 1, ...)

test_that("curves are those of survfit() in the leaves", {
  set.seed(1)
  d <- some_patients(200)
  for (extra in list(list(), list(replace = FALSE), list(splitrule = "random", min_n = 5),
                     list(weights = rep(1:2, 100)), list(sample_fraction = 60, trees = 3))) {
    fit <- do.call(grow, utils::modifyList(list(d, trees = 25, keep_inbag = TRUE), extra))
    chf <- predict(fit, d, type = "chf")
    times <- attr(chf, "times")
    expect_identical(times, sort(unique(as.double(d$time[d$status == 1]))))
    leaf <- predict(fit, d, type = "leaf")
    all <- array(0, c(dim(chf), ncol(leaf)))
    for (t in seq_len(ncol(leaf))) {
      for (l in unique(leaf[, t])) {
        own <- fit$inbag[, t] * (leaf[, t] == l)
        known <- survival::survfit(Surv(time, status) ~ 1, d, weights = own, subset = own > 0,
                                   ctype = 1)
        hazard <- c(0, known$cumhaz)[findInterval(times, known$time) + 1]
        all[leaf[, t] == l, , t] <- rep(hazard, each = sum(leaf[, t] == l))
      }
    }
    expect_equal(c(chf), c(apply(all, 1:2, mean)), tolerance = 1e-8)
    expect_equal(unname(predict(fit, d)), unname(rowSums(chf)), tolerance = 1e-7)
    expect_identical(predict(fit, d, type = "mortality"), predict(fit, d))
    expect_equal(c(predict(fit, d, type = "survival")), exp(-c(chf)))
    some <- c(-1, 3.5, 4, 1000)
    expect_equal(unname(predict(fit, d, type = "chf", times = some)[, ]),
                 cbind(0, chf)[, findInterval(some, times) + 1], ignore_attr = TRUE)
    mixed <- rev(c(some, some[1])) # in any order, with repetitions
    expect_equal(unname(predict(fit, d, type = "chf", times = mixed)[, ]),
                 cbind(0, chf)[, findInterval(mixed, times) + 1], ignore_attr = TRUE)
    if (any(fit$oob$trees == 0)) next
    out <- fit$inbag == 0
    by_hand <- t(vapply(1:200, function(i) {
      rowMeans(matrix(all[i, , out[i, ]], length(times)))
    }, times))
    expect_equal(c(predict(fit, type = "chf")), c(by_hand), tolerance = 1e-8)
    expect_equal(fit$oob$predictions, rowSums(by_hand), tolerance = 1e-7)
    c_of <- survival::concordance(Surv(time, status) ~ fit$oob$predictions, d, reverse = TRUE)
    expect_equal(fit$oob$error, 1 - unname(c_of$concordance))
  }
})

test_that("the best cut has the largest log-rank score", {
  set.seed(2)
  for (n in c(40, 300, 900)) {
    d <- some_patients(n)
    d$b <- NULL
    # few values, so that each cut is the border of two bins
    d[c("a", "c", "d")] <- lapply(d[c("a", "c", "d")], function(x) {
      round(4 * pmax(pmin(replace(x, is.na(x), 0.5), 3), -3)) / 4
    })
    fit <- grow(d, trees = 1, replace = FALSE, sample_fraction = 1, mtry = 3, depth = 1)
    score <- d$status - with(d, {
      known <- survival::survfit(Surv(time, status) ~ 1, ctype = 1)
      known$cumhaz[match(time, known$time)]
    })
    expect_equal(sum(score), 0)
    best <- function(left) sum(score[left])^2 / sum(left) + sum(score[!left])^2 / sum(!left)
    cuts <- unlist(lapply(d[c("a", "c", "d")], function(x) {
      vapply(sort(unique(x))[-1], function(cut) best(x < cut), 0)
    }))
    root <- forest_tree(fit)[1, ]
    left <- d[[root$variable]] < root$threshold
    expect_gt(best(left) / max(cuts), 1 - 1e-4)
    expect_equal(fit$importance$impurity[match(root$variable, fit$importance$variable)],
                 best(left), tolerance = 1e-3)
    test <- survival::survdiff(Surv(time, status) ~ left, d)
    expect_equal(abs(sum(score[left])), abs(unname(test$obs - test$exp)[2]))
  }
})

test_that("parts, threads, order and numbers of rows are no matter", {
  set.seed(3)
  d <- some_patients(800)
  fit <- grow(d, trees = 20, threads = 2)
  expect_identical(grow(d, trees = 20, threads = 1)$forest, fit$forest)
  joined <- c(grow(d, trees = 5, first = 16), grow(d, trees = 15))
  expect_identical(joined$forest, fit$forest)
  expect_identical(joined$oob, fit$oob)
  curves <- predict(fit, d, type = "survival")
  expect_identical(predict(joined, d, type = "survival", threads = 1), curves)
  expect_identical(c(predict(fit, d[800:1, ], type = "survival")[800:1, ]), c(curves))
  expect_true(all(apply(curves, 1, diff) <= 0))
  # rows of the data in another order, with times all different, grow the same forest
  d$time <- d$time + seq_len(800) / 1000
  o <- sample(800)
  expect_identical(grow(d[o, ], trees = 3)$forest, grow(d, trees = 3)$forest)
  expect_equal(grow(d[o, ], trees = 3, keep_inbag = TRUE)$inbag,
               grow(d, trees = 3, keep_inbag = TRUE)$inbag[o, ])
  expect_identical(hist_forest(d[1:4], Surv(d$time, d$status), trees = 3, seed = 1)$forest,
                   grow(d, trees = 3)$forest)
  expect_identical(fit$control$min_n, 30)
  expect_output(print(fit), "survival trees.*concordance")
  q <- predict(fit, d[1:5, ], type = "quantiles", quantiles = c(0.5, 0.9))
  times <- attr(curves, "times")
  expect_identical(unname(q[, 1]), unname(apply(curves[1:5, ], 1, function(s) {
    times[which(s <= 0.5)[1]]
  })))
  # of one row too, whose curve may not fall so far
  for (row in 1:5) {
    expect_identical(predict(fit, d[row, ], type = "quantiles", quantiles = c(0.5, 0.9)),
                     q[row, , drop = FALSE])
    expect_identical(predict(fit, d[row, ], type = "quantiles", quantiles = 1)[[1]], NA_real_)
  }
})

test_that("concordance is that of the package survival", {
  set.seed(4)
  for (n in c(2, 5, 30, 200)) {
    y <- Surv(sample(n / 2 + 1, n, TRUE), c(1, rbinom(n - 1, 1, 0.5)))
    said <- sample(n, n, TRUE)
    known <- survival::concordance(y ~ said, reverse = TRUE)$concordance
    own <- concordance_of(read_forest_response(y, "y"), said)
    if (is.nan(own)) next
    expect_equal(own, unname(known))
  }
})

test_that("the Brier score weighs rows that are not censored", {
  set.seed(5)
  d <- some_patients(150)
  fit <- grow(d, trees = 30)
  new <- some_patients(80)
  y <- Surv(new$time, new$status)
  times <- c(2, 5, 9)
  curves <- predict(fit, new, type = "survival", times = times)
  # events come before censorings of the same time
  later <- survival::survfit(Surv(new$time + (1 - new$status) / 4, 1 - new$status) ~ 1)
  left <- function(t) c(1, later$surv)[findInterval(t, later$time) + 1]
  by_hand <- vapply(1:3, function(k) {
    alive <- new$time > times[k]
    mean(ifelse(alive, (1 - curves[, k])^2 / left(times[k] + 0.25),
                new$status * curves[, k]^2 / left(new$time - 0.5)))
  }, 0)
  told <- forest_brier(fit, new, y, times)
  expect_equal(told$curve, data.frame(time = times, brier = by_hand))
  expect_equal(told$integrated, sum(by_hand[1:2] * c(3, 4)) / 9)
  out <- forest_brier(fit)
  expect_identical(out$curve$time, sort(unique(as.double(d$time[d$status == 1]))))
  expect_lt(out$integrated, 0.25)
})

test_that("what survival forests do not know is an error", {
  set.seed(6)
  d <- some_patients(60)
  fit <- grow(d, trees = 3)
  refused <- function(call, why) expect_error(call, why, class = "contree_unsupported_error")
  fails <- function(call, why) expect_error(call, why, class = "contree_input_error")
  refused(grow(d, importance = "permutation"), "permutation")
  refused(grow(d, learner = function(h, i) NULL), "learner")
  refused(hist_forest(d[1:4], Surv(d$time, d$time + 1, d$status)), "censored in another way")
  refused(forest_curve(fit), "survival")
  refused(import_forest(fit), "survival")
  refused(forge(fit), "survival")
  refused(forest_tree(fit, as = "model"), "survival")
  refused(predict(fit, d, type = "quantiles", what = mean), "'what'")
  fails(grow(transform(d, status = 0)), "has an event")
  fails(predict(fit, d, type = "prob"), "for classes")
  fails(predict(fit, d, type = "chf", times = c(2, NA)), "'times'")
  fails(predict(fit, d, interval = "conformal"), "regression")
  fails(predict(fit, d, se.fit = TRUE), "standard errors")
  fails(predict(hist_forest(mpg ~ ., mtcars, trees = 2), mtcars, type = "survival"), "Surv")
  fails(forest_brier(hist_forest(mpg ~ ., mtcars, trees = 2)), "survival forest")
  fails(forest_brier(fit, d), "'y'")
  fails(forest_brier(fit, d, d$time), "Surv")
  fails(grow(d, class_weights = 1), "numeric")
  expect_contree_error(grow(d, trees = 2, device = "cuda:7"), "input")
  d$a <- rev(d$a)
  fails(predict(fit, type = "chf"), "not the rows the forest was grown from")
})
