# Blocks of three colours with noise, in two channels, some pixels without a label.
blocks <- function(seed, height = 18, width = 22) {
  set.seed(seed)
  label <- matrix((outer(seq_len(height) %/% 5, seq_len(width) %/% 6, `+`) + seed) %% 3, height)
  image <- array(c(20 * label + sample(0:30, length(label), TRUE),
                   sample(0:9, length(label), TRUE)), c(height, width, 2))
  label[seed + 2, 3:9] <- NA
  list(image = image, label = matrix(c("a", "b", "c")[label + 1], height))
}

scenes <- lapply(1:4, function(seed) blocks(seed, 14 + 3 * seed, 25 - 2 * seed))
images <- lapply(scenes, `[[`, "image")
labels <- lapply(scenes, `[[`, "label")
grow <- function(images, labels, ...) {
  image_forest(images, labels, radius = 3, trees = 2, depth = 4, seed = 3, ...)
}

# ---- images one at a time ------------------------------------------------------------------------

test_that("images that come one at a time give the forest of all at once", {
  asked <- numeric()
  image <- function(i) {
    asked <<- c(asked, i)
    images[[i]]
  }
  label <- function(i) labels[[i]]
  slopes <- function(image) image[, , 1] - image[, c(2:ncol(image), 1), 2]
  ways <- list(list(), list(policy = "random"), list(pixels = 50, threads = 2),
               list(interval = c(0, 400)), list(features = slopes), list(splitrule = "entropy"))
  for (way in ways) {
    asked <- numeric()
    one <- do.call(grow, c(list(image, label, n_images = 4), way))
    all <- do.call(grow, c(list(images, labels), way))
    expect_identical(one$forest, all$forest)
    for (name in c("classes", "features", "channels", "scale", "n", "seed", "status")) {
      expect_identical(one[[name]], all[[name]])
    }
    # once for the ranges, and at least twice a level
    expect_gte(length(asked), 4 * (1 + 2 * sum(all$forest$depth)) - 8)
    expect_identical(predict(one, images), predict(all, images))
  }
})

test_that("an image without a label is not asked for again", {
  empty <- replace(labels, 2, list(array(NA_character_, dim(labels[[2]]))))
  asked <- numeric()
  image <- function(i) {
    asked <<- c(asked, i)
    images[[i]]
  }
  one <- grow(image, function(i) empty[[i]], n_images = 4)
  expect_identical(one$forest, grow(images, empty)$forest)
  expect_identical(sum(asked == 2), 1L)
})

test_that("functions that do not give the same each time are refused", {
  label <- function(i) labels[[i]]
  times <- integer(4)
  now <- function(i) {
    times[i] <<- times[i] + 1L
    times[i]
  }
  restless <- function(i) images[[i]] + (now(i) > 2)
  expect_contree_error(grow(restless, label, n_images = 4), "input", "each time")
  times <- integer(4)
  cut <- function(i) if (now(i) > 1) images[[i]][-1, , ] else images[[i]]
  expect_contree_error(grow(cut, label, n_images = 4), "input", "size")
  image <- function(i) images[[i]]
  times <- integer(4)
  turned <- function(i) if (now(i) > 2) labels[[i]][, rev(seq_len(ncol(labels[[i]])))] else label(i)
  expect_contree_error(grow(image, turned, n_images = 4), "input", "each time")
  times <- integer(4)
  renamed <- function(i) if (now(i) > 1) sub("a", "z", label(i)) else label(i)
  expect_contree_error(grow(image, renamed, n_images = 4), "input", "each time")
})

test_that("errors of the functions end growing, and arguments are looked over", {
  image <- function(i) images[[i]]
  label <- function(i) labels[[i]]
  times <- 0
  tired <- function(i) {
    times <<- times + 1
    if (times > 9) stop("no more images")
    images[[i]]
  }
  expect_error(grow(tired, label, n_images = 4), "no more images")
  expect_contree_error(grow(image, labels, n_images = 4), "input", c("'labels'", "function"))
  expect_contree_error(grow(image, label), "input", "'n_images'")
  expect_contree_error(grow(images, labels, n_images = 4), "input", "'n_images'")
  expect_contree_error(grow(image, function(i) labels[[1]], n_images = 4), "input", "image 2")
  expect_contree_error(grow(function(i) if (i == 3) images[[i]][, , 1] else images[[i]], label,
                            n_images = 4), "input", "channels")
  expect_contree_error(grow(image, function(i) NA + array(0, dim(labels[[i]])), n_images = 4),
                       "input", "no pixel")
  expect_contree_error(grow(image, label, n_images = 4, time_limit = 0), "input", "time limit")
})

# ---- learners ------------------------------------------------------------------------------------

# The rule of src/pixels/forest.h, cut by cut.
plain_gini <- function(histogram, info) {
  worth <- function(counts) sum(counts^2) / sum(counts)
  answers <- lapply(seq_len(dim(histogram)[4]), function(leaf) {
    best <- list(score = worth(colSums(histogram[, , 1, leaf])), feature = NA, bin = NA)
    for (feature in seq_len(dim(histogram)[3])) {
      counts <- histogram[, , feature, leaf]
      for (bin in seq_len(info$bins[feature] - 1)) {
        left <- colSums(counts[seq_len(bin), , drop = FALSE])
        right <- colSums(counts) - left
        if (sum(left) == 0 || sum(right) == 0) next
        score <- worth(left) + worth(right)
        if (score > best$score) best <- list(score = score, feature = feature, bin = bin)
      }
    }
    best
  })
  list(feature = vapply(answers, function(own) as.integer(own$feature), 0L),
       bin = vapply(answers, function(own) as.integer(own$bin), 0L))
}

test_that("a rule written in R grows the built-in forest", {
  inside <- grow(images, labels, features = 12, bins = 9)
  asked <- grow(images, labels, features = 12, bins = 9, learner = plain_gini)
  expect_identical(asked$forest, inside$forest)
  one <- grow(function(i) images[[i]], function(i) labels[[i]], n_images = 4, features = 12,
              bins = 9, learner = plain_gini)
  expect_identical(one$forest, inside$forest)
  expect_gt(sum(inside$forest$n_leaves), 20)
  for (rule in c("gini", "entropy", "error")) {
    fit <- grow(images, labels, features = 30, learner = hist_learner(rule))
    right <- mean(unlist(predict(fit, images)) == unlist(labels), na.rm = TRUE)
    expect_gt(right, 0.75)
  }
})

test_that("a learner is shown the pixels of the leaves, and may end a leaf", {
  calls <- list()
  known <- unlist(lapply(labels, function(label) label[!is.na(label)]))
  watch <- function(histogram, info) {
    calls[[length(calls) + 1]] <<- list(histogram = histogram, info = info)
    answers <- plain_gini(histogram, info)
    if (info$depth == 1) answers$feature[1] <- NA
    answers
  }
  fit <- image_forest(images, labels, features = 7, radius = 2, trees = 1, depth = 3, seed = 1,
                      bins = 6, learner = watch)
  root <- calls[[1]]
  expect_identical(dim(root$histogram), c(256L, 3L, 7L, 1L))
  expect_identical(dimnames(root$histogram)[[2]], c("a", "b", "c"))
  expect_identical(root$info, list(tree = 1L, depth = 0L, features = 1:7, bins = rep(6L, 7),
                                   rows = length(known), weight = length(known)))
  for (feature in 1:7) {
    expect_identical(colSums(root$histogram[, , feature, 1]), c(table(known)) + 0)
  }
  expect_identical(sum(root$histogram[-(1:6), , , ]), 0L)
  expect_identical(sum(calls[[2]]$info$rows), length(known))
  nodes <- matrix(fit$forest$nodes, 4)
  expect_identical(nodes[1, 2], 1L) # the first child stayed a leaf
})

test_that("answers that cannot be used are refused, and so are policies without bins", {
  answering <- function(...) function(histogram, info) list(...)
  expect_contree_error(grow(images, labels, learner = answering(feature = 1, bin = 255)), "input",
                       "side without")
  expect_contree_error(grow(images, labels, learner = answering(feature = 101, bin = 2)), "input",
                       "'feature'")
  expect_error(grow(images, labels, learner = function(histogram, info) stop("no idea")), "no idea")
  expect_contree_error(grow(images, labels, learner = 3), "input", "'learner'")
  expect_contree_error(grow(images, labels, learner = plain_gini, policy = "B"), "unsupported",
                       "policy = ")
  expect_contree_error(grow(images, labels, learner = plain_gini, bins = 256), "input", "'bins'")
  fit <- grow(images, labels, learner = answering(feature = NA, bin = NA))
  expect_identical(fit$forest$depth, c(0L, 0L))
})
