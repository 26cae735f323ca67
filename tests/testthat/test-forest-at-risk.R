skip_if_not_installed("survival")
Surv <- survival::Surv

lung_forest <- function(...) {
  hist_forest(Surv(time, status) ~ ., survival::lung[-1], trees = 40, seed = 1, ...)
}

# As plot(), on a page that nobody sees.
drawn <- function(...) {
  plot(..., what = "survival")
}

test_that("groups have the means of curves out of bag, and survfit()'s numbers at risk", {
  fit <- lung_forest()
  sex <- factor(survival::lung$sex, 1:2, c("male", "female"))
  picture <- drawn(fit, groups = sex)
  each <- predict(fit, type = "survival")
  expect_identical(levels(picture$curves$group), c("male", "female"))
  for (group in levels(sex)) {
    own <- picture$curves[picture$curves$group == group, ]
    expect_identical(own$time, attr(each, "times"))
    expect_equal(own$survival, unname(colMeans(each[sex == group, ])))
  }
  at <- unique(picture$at_risk$time)
  known <- summary(survival::survfit(Surv(time, status) ~ sex, survival::lung), times = at)
  own <- picture$at_risk$n[order(match(picture$at_risk$group, c("male", "female")))]
  expect_equal(own, known$n.risk)
  expect_equal(drawn(fit, groups = sex, risk_table = FALSE), picture)
})

test_that("groups by risk are of equal size, and their curves in order", {
  fit <- lung_forest()
  picture <- drawn(fit)
  first <- picture$at_risk[picture$at_risk$time == 0, ]
  expect_identical(as.character(first$group), c("low risk", "medium risk", "high risk"))
  expect_equal(first$n, c(76, 76, 76))
  late <- subset(picture$curves, time == 363)
  expect_true(all(diff(late$survival) < 0))
  risk <- fit$oob$predictions
  expect_equal(late$survival[3],
               mean(predict(fit, type = "survival", times = 363)[rank(risk) > 152, ]))
  expect_identical(levels(drawn(fit, groups = 5)$curves$group), paste("risk", 1:5))
  expect_identical(levels(drawn(fit, groups = 1)$curves$group), "all rows")
  expect_identical(levels(drawn(fit, groups = 2)$curves$group), c("low risk", "high risk"))
  # equal mortalities are not torn apart
  expect_identical(as.character(contree:::groups_of_risk(c(1, 1, 1, 5), 2)),
                   c(rep("low risk", 3), "high risk"))
  expect_identical(as.integer(contree:::groups_of_risk(c(3, NA, 2, 1), 3)), c(3L, NA, 2L, 1L))
})

test_that("new rows have a curve each, beside the training rows at risk", {
  fit <- lung_forest()
  new <- survival::lung[4:6, ]
  picture <- drawn(fit, newdata = new, times = c(100, 300))
  expect_equal(matrix(picture$curves$survival, 2),
               unname(t(predict(fit, new, type = "survival", times = c(100, 300)))[, ]))
  expect_identical(levels(picture$curves$group), rownames(new))
  expect_identical(levels(picture$at_risk$group), "training rows")
  expect_equal(picture$at_risk$n, vapply(picture$at_risk$time,
                                         function(t) sum(survival::lung$time >= t), 0))
  pairs <- drawn(fit, newdata = new, groups = c("a", "b", "a"), times = 100)
  expect_equal(pairs$curves$survival[1], mean(picture$curves$survival[c(1, 5)]))
})

test_that("rows that no tree has left out, or that were dropped, are in no group", {
  few <- hist_forest(Surv(time, status) ~ ., survival::lung[-1], trees = 2, seed = 1)
  seen <- few$oob$trees > 0
  expect_lt(sum(seen), 228)
  picture <- drawn(few, groups = 1)
  expect_equal(picture$at_risk$n[1], sum(seen))
  expect_false(anyNA(picture$curves$survival))
  fit <- lung_forest(na.action = na.omit)
  sex <- survival::lung$sex
  expect_equal(drawn(fit, groups = sex), drawn(fit, groups = sex[-fit$na.action]))
})

test_that("many times are thinned to what a picture shows, the first and the last kept", {
  thinned <- contree:::thinned
  expect_identical(thinned(c(1, 5, 9)), c(1, 5, 9))
  expect_length(thinned(seq_len(1000)), 200)
  expect_identical(range(thinned(seq_len(1000))), c(1L, 1000L))
})

test_that("the page is left as it was, and odd arguments are refused", {
  fit <- lung_forest()
  grDevices::pdf(NULL)
  before <- graphics::par("mar")
  plot(fit, what = "survival", main = "Lung", xlab = "days", col = 2:4)
  expect_identical(graphics::par("mar"), before)
  grDevices::dev.off()
  expect_contree_error(drawn(fit, groups = 1:3), "input", "228 rows")
  expect_contree_error(drawn(fit, groups = 13), "input", "13 curves")
  expect_contree_error(drawn(fit, newdata = survival::lung), "input", "228 curves")
  expect_contree_error(drawn(fit, groups = rep(NA, 228)), "input", "0 curves")
  expect_contree_error(drawn(fit, groups = "sex"), "input", "'groups'")
  expect_contree_error(drawn(fit, col = 1), "input", "'col'")
  expect_contree_error(drawn(fit, risk_table = 3), "input", "'risk_table'")
  expect_contree_error(drawn(fit, xlim = 1:2), "input", "'xlim'")
  expect_contree_error(drawn(fit, times = 2:1), "input", "'times'")
  expect_contree_error(drawn(lung_forest(oob = FALSE)), "input", "oob = FALSE")
  expect_contree_error(drawn(hist_forest(mpg ~ ., mtcars, trees = 2)), "input", "Surv")
})
