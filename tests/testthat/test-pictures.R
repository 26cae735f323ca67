# Plots as pictures, held beside those in _snaps/pictures, which were looked at. vdiffr brings its
# own device and metrics of fonts, so that they are the same on every machine. After a wanted change
# look at the new ones with testthat::snapshot_review("pictures/").
pictured <- function(title, draw) {
  skip_if_not_installed("vdiffr")
  vdiffr::expect_doppelganger(title, draw)
}

test_that("plot() draws what it drew", {
  iris3 <- contree(Species ~ ., iris, depth = 3)
  pictured("iris", function() plot(iris3, main = "Iris"))
  pictured("iris, conditions only",
           function() plot(iris2, type = "split", legend = FALSE, digits = 2))
  pictured("iris, bare", function() plot(iris2, type = "bare"))
  pictured("iris, text() added", function() {
    plot(iris2, type = "bare", col = c("grey20", "grey50", "grey80"))
    text(iris2)
  })
  pictured("root alone", function() plot(contree(Species ~ ., iris, depth = 0)))
  pictured("seven classes", function() plot(contree(class ~ ., many_classes(), depth = 4)))
  pictured("long names", function() plot(contree(y ~ ., long_names(), depth = 3)))
  pictured("levels and missing values", function() {
    data <- mixed_data()
    data$class <- factor(ifelse(data$f %in% c("a", "c"), "yes",
                                ifelse(is.na(data$x), "perhaps", "no")))
    plot(contree(class ~ f + x, data, depth = 3))
  })
})

test_that("a deep tree on a small page is drawn in part", {
  deep <- contree(class ~ a, data.frame(a = 1:64 / 7, class = rep(letters[1:4], each = 2,
                                                                  length.out = 64)), depth = 5)
  pictured("deep, collapsed", function() {
    par(mfrow = c(3, 3))
    plot(deep)
  })
})

test_that("the ways of a search and of a cross-validation are drawn as they were", {
  fit <- contree(Species ~ ., iris, depth = 2)
  # times differ from run to run
  fit$history <- data.frame(time = c(0, 0.1, 0.3, 0.7), cost = c(100, 12, 6, 4),
                            bound = c(0, 0, 2, 4))
  pictured("progress", function() plot(fit, what = "progress"))
  set.seed(1)
  pictured("cross-validation", function() plot(contree_cv(Species ~ ., iris, depth = 0:3)))
  pictured("importance", function() plot(contree_importance(fit, iris)))
})
