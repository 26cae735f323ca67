# Stripes on the left, noise on the right, in two channels of which the second is noise.
striped <- function(seed, height = 24, width = 30) {
  set.seed(seed)
  half <- width / 2
  stripes <- outer(seq_len(height), seq_len(half), function(row, col) 100 * (row %% 4 < 2))
  noise <- matrix(sample(0:100, height * half, TRUE), height)
  array(c(cbind(stripes, noise), sample(0:255, height * width, TRUE)), c(height, width, 2))
}

halves <- function(height = 24, width = 30) {
  matrix(rep(c("stripes", "noise"), each = height * width / 2), height)
}

test_that("features are differences of rectangle sums, added up pixel by pixel", {
  image <- striped(1)
  fit <- image_forest(image, halves(), features = 30, radius = 5, pixels = 100, trees = 3, seed = 2)
  by_hand <- function(feature, row, col, which) {
    side <- function(name) feature[[paste0(name, which)]]
    if (is.na(side("channel"))) return(0)
    sum <- 0
    for (r in row + side("top"):side("bottom")) {
      for (c in col + side("left"):side("right")) {
        if (r >= 1 && r <= 24 && c >= 1 && c <= 30) sum <- sum + image[r, c, side("channel")]
      }
    }
    sum
  }
  pixels <- c(1, 24, 25, 333, 371, 719, 720)
  told <- contree:::responses(contree:::integrals(image), pixels, fit$features)
  for (i in seq_along(pixels)) {
    row <- (pixels[i] - 1) %% 24 + 1
    col <- (pixels[i] - 1) %/% 24 + 1
    expected <- vapply(seq_len(30), function(f) {
      by_hand(fit$features[f, ], row, col, 1) - by_hand(fit$features[f, ], row, col, 2)
    }, 0)
    expect_identical(unname(told[i, ]), expected)
  }
  expect_true(any(is.na(fit$features$channel2)) && !all(is.na(fit$features$channel2)))
  offsets <- as.matrix(fit$features[c("top1", "bottom1", "left1", "right1")])
  expect_identical(range(offsets), c(-5L, 5L))
  expect_true(all(fit$features$top1 <= fit$features$bottom1))
})

test_that("pixels are labelled as the forest says of their features", {
  image <- striped(1)
  fit <- image_forest(list(image, striped(2)), list(halves(), halves()), features = 40, radius = 4,
                      pixels = 250, trees = 15, seed = 2)
  new <- striped(3, 20, 26)
  class <- predict(fit, new)
  expect_identical(dim(class), c(20L, 26L))
  expect_gt(mean(class == halves(20, 26)), 0.85)
  table <- contree:::responses(contree:::integrals(new), seq_len(520), fit$features)
  expect_identical(c(class), as.character(predict(fit$forest, table)))
  prob <- predict(fit, new, type = "prob")
  expect_identical(dim(prob), c(20L, 26L, 2L))
  expect_equal(c(prob[, , "stripes"]), unname(predict(fit$forest, table,
                                                      type = "prob")[, "stripes"]))
  expect_equal(c(predict(fit, new, type = "leaf")), c(predict(fit$forest, table, type = "leaf")))
  expect_identical(range(apply(predict(fit, new, type = "votes"), 1:2, sum)), c(15L, 15L))
  expect_identical(predict(fit, list(new, image))[[1]], class)
  expect_output(print(fit), "40 rectangle features within 4 pixels, 2 channels")
})

test_that("the seed decides, and leaves R's generator alone", {
  image <- striped(1)
  grow <- function(...) image_forest(image, halves(), features = 9, pixels = 60, trees = 2, ...)
  set.seed(5)
  state <- .Random.seed
  one <- grow(seed = 3)
  expect_identical(.Random.seed, state)
  two <- grow(seed = 3, threads = 1)
  expect_identical(two[c("features", "seed")], one[c("features", "seed")])
  expect_identical(two$forest$forest, one$forest$forest)
  set.seed(5)
  three <- grow()
  set.seed(5)
  expect_identical(grow()$features, three$features)
  expect_false(identical(three$features, one$features))
})

test_that("pixels without a label are not learned from", {
  labels <- halves()
  labels[, 11:20] <- NA
  fit <- image_forest(striped(1)[, , 1], labels, features = 9, radius = 2, pixels = 1e6, trees = 2,
                      seed = 1)
  expect_identical(fit$forest$n, 480L)
  expect_identical(fit$channels, 1L)
})

test_that("images and labels are looked over", {
  grow <- function(images, labels, ...) image_forest(images, labels, features = 5, trees = 2, ...)
  image <- striped(1)
  expect_contree_error(grow(list(), list()), "input", "image")
  expect_contree_error(grow(letters, halves()), "input", "image 1")
  expect_contree_error(grow(replace(image, 5, NA), halves()), "input", "missing")
  expect_contree_error(grow(list(image, image[, , 1]), list(halves(), halves())), "input",
                       "channels")
  expect_contree_error(grow(image, halves()[, -1]), "input", "labels")
  expect_contree_error(grow(image, list(halves(), halves())), "input", "labels")
  expect_contree_error(grow(image, matrix(NA, 24, 30)), "input", "label")
  expect_contree_error(grow(image, halves(), radius = 0), "input", "radius")
  expect_contree_error(grow(image, halves(), seed = -1), "input", "seed")
  fit <- grow(image, halves(), seed = 1)
  expect_contree_error(predict(fit, image[, , 1]), "input", "channels")
  expect_contree_error(predict(fit, image, type = "label"), "input", "type")
})
