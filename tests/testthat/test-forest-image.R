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

# ---- by brute force ------------------------------------------------------------------------------

# Sum of a rectangle (five words: channel from 0, top, bottom, left, right) at a pixel.
rectangle_by_hand <- function(image, words, row, col) {
  rows <- row + seq_len(max(0, words[3] - words[2] + 1)) - 1 + words[2]
  cols <- col + words[4]:words[5]
  sum(image[rows[rows >= 1 & rows <= nrow(image)], cols[cols >= 1 & cols <= ncol(image)],
            words[1] + 1])
}

value_by_hand <- function(images, at, words) {
  vapply(seq_len(nrow(at)), function(i) {
    image <- images[[at$image[i]]]
    rectangle_by_hand(image, words[1:5], at$row[i], at$col[i]) -
      rectangle_by_hand(image, words[6:10], at$row[i], at$col[i])
  }, 0)
}

labelled_pixels <- function(labels) {
  do.call(rbind, lapply(seq_along(labels), function(i) {
    known <- which(!is.na(labels[[i]]), arr.ind = TRUE)
    data.frame(image = i, row = known[, 1], col = known[, 2], class = labels[[i]][known])
  }))
}

# Tests of a candidate, best policy: borders of even bins as the help and src/pixels/forest.h
# have them. Rows are low and (exclusive) high.
tests_by_hand <- function(values, places, policy, bins) {
  sample <- values[floor((seq_len(min(256, length(values))) - 1) * length(values) /
                           min(256, length(values))) + 1]
  if (policy == "random") {
    two <- sort(sample[places])
    return(rbind(two, c(two[1], Inf), c(two[2], Inf)))
  }
  inner <- sort(sample)[c(length(sample) %/% 64 + 1, length(sample) - length(sample) %/% 64)]
  span <- inner[2] - inner[1]
  step <- 2^max(0, floor(log2(max(1, span))) + 1 - 15)
  times <- (bins * 65536) %/% (span %/% step + 1)
  cbind(inner[1] + ceiling(seq_len(bins - 1) * 65536 / times) * step, Inf)
}

score_by_hand <- function(class, right) {
  if (all(right) || !any(right)) return(-Inf)
  sum(table(class[!right])^2) / sum(!right) + sum(table(class[right])^2) / sum(right)
}

best_by_hand <- function(values, class, tests) {
  best <- list(score = sum(table(class)^2) / length(class))
  for (i in seq_along(tests)) {
    for (k in seq_len(nrow(tests[[i]]))) {
      right <- values[[i]] >= tests[[i]][k, 1] & values[[i]] < tests[[i]][k, 2]
      score <- score_by_hand(class, right)
      if (score > best$score) best <- list(score = score, i = i, test = tests[[i]][k, ])
    }
  }
  best
}

# The nodes of a tree, breadth first: candidate feature, test, left child.
tree_by_hand <- function(images, labels, tree, n, radius, depth, policy, bins, seed) {
  at <- labelled_pixels(labels)
  node <- rep(1, nrow(at))
  nodes <- list(list(left = 1))
  open <- 1
  for (level in seq_len(depth) - 1) {
    drawn <- .Call(contree:::ffi_image_draw, list(
      seed = seed, tree = tree - 1, level = level, features = n, radius = radius,
      channels = dim(images[[1]])[3], sample = min(256, nrow(at))))
    values <- lapply(seq_len(n), function(i) value_by_hand(images, at, drawn[, i]))
    tests <- lapply(seq_len(n), function(i) {
      tests_by_hand(values[[i]], drawn[11:12, i], policy, bins)
    })
    children <- numeric()
    for (leaf in open) {
      own <- node == leaf
      if (length(unique(at$class[own])) < 2) next
      best <- best_by_hand(lapply(values, `[`, own), at$class[own], tests)
      if (is.null(best$i)) next
      left <- length(nodes) + 1
      nodes[[leaf]] <- list(left = left, test = best$test, feature = drawn[1:10, best$i])
      nodes <- c(nodes, list(list(left = left), list(left = left + 1)))
      right <- values[[best$i]] >= best$test[1] & values[[best$i]] < best$test[2]
      node[own] <- left + right[own]
      children <- c(children, left, left + 1)
    }
    open <- children
  }
  list(nodes = nodes, node = node, at = at)
}

test_that("trees are those that brute force grows from the same candidates", {
  images <- list(striped(1, 10, 16), striped(2, 14, 8))
  labels <- list(halves(10, 16), halves(14, 8))
  labels[[1]][3, 4:9] <- NA
  for (policy in c("best", "random")) {
    fit <- image_forest(images, labels, features = 6, radius = 3, depth = 3, trees = 2, seed = 4,
                        policy = policy, bins = 7)
    leaves <- predict(fit, images, type = "leaf")
    for (tree in 1:2) {
      hand <- tree_by_hand(images, labels, tree, 6, 3, 3, policy, 7, 4)
      forest <- contree:::some_trees(fit$forest, tree)
      got <- matrix(forest$nodes, 4)
      features <- matrix(forest$features, 10)
      expect_identical(ncol(got), length(hand$nodes))
      for (i in seq_along(hand$nodes)) {
        own <- hand$nodes[[i]]
        expect_equal(got[1, i] + 1, own$left)
        if (is.null(own$test)) next
        expect_equal(features[, got[4, i] + 1], own$feature)
        expect_equal(got[2, i], own$test[[1]])
        # lengths are whole numbers of 32 bits without sign
        length <- min(own$test[[2]], 2^31) - own$test[[1]]
        expect_equal(got[3, i] %% 2^32, length %% 2^32)
      }
      told <- mapply(function(image, row, col) leaves[[image]][row, col, tree], hand$at$image,
                     hand$at$row, hand$at$col)
      expect_equal(told, hand$node)
    }
  }
})

# ---- labelling -----------------------------------------------------------------------------------

test_that("pixels are labelled as the leaves they come to say", {
  image <- striped(1)
  fit <- image_forest(list(image, striped(2)), list(halves(), halves()), features = 40, radius = 4,
                      trees = 5, depth = 5, seed = 2)
  new <- striped(3, 20, 26)
  class <- predict(fit, new)
  expect_identical(dim(class), c(20L, 26L))
  expect_gt(mean(class == halves(20, 26)), 0.85)
  leaf <- predict(fit, new, type = "leaf")
  prob <- votes <- 0
  for (tree in 1:5) {
    own <- contree:::some_trees(fit$forest, tree)
    counts <- matrix(own$counts, 2)[, matrix(own$nodes, 4)[2, leaf[, , tree]] + 1]
    prob <- prob + t(counts) / colSums(counts) / 5
    votes <- votes + t(counts == rep(apply(counts, 2, max), each = 2) &
                         !(row(counts) == 2 & rep(counts[1, ] == counts[2, ], each = 2)))
  }
  expect_equal(c(predict(fit, new, type = "prob")), c(prob), tolerance = 1e-8)
  expect_equal(c(predict(fit, new, type = "votes")), c(votes))
  expect_identical(dimnames(predict(fit, new, type = "prob"))[[3]], c("noise", "stripes"))
  expect_identical(predict(fit, new, type = "leaf", which = c(4, 2)), leaf[, , c(4, 2)])
  expect_identical(predict(fit, list(new, image))[[1]], class)
  expect_identical(predict(fit, new, threads = 1), class)
  expect_output(print(fit), "5 trees, 2 classes")
})

test_that("features used are told, within the radius", {
  fit <- image_forest(striped(1), halves(), features = 30, radius = 5, trees = 6, depth = 4,
                      seed = 2)
  expect_identical(nrow(fit$features), sum(fit$forest$n_features))
  expect_true(any(is.na(fit$features$channel2)) && !all(is.na(fit$features$channel2)))
  offsets <- as.matrix(fit$features[c("top1", "bottom1", "left1", "right1")])
  expect_identical(range(offsets), c(-5L, 5L))
  expect_true(all(fit$features$top1 <= fit$features$bottom1))
  expect_setequal(fit$features$channel1, 1:2)
})

test_that("images of fractions are held as finely as sums allow", {
  image <- striped(1)
  grow <- function(image) {
    image_forest(image, halves(), features = 20, radius = 3, trees = 2, depth = 5, seed = 2,
                 policy = "random")
  }
  fit <- grow(image)
  expect_identical(fit$scale, 1)
  small <- grow(image / 1024)
  expect_gt(small$scale, 1024)
  expect_identical(predict(small, image / 1024), predict(fit, image))
  for (power in c(-60, -300, -900, 500)) {
    other <- grow(image / 1024 * 2^power)
    expect_identical(other$scale, small$scale / 2^power)
    expect_identical(predict(other, image / 1024 * 2^power), predict(fit, image))
  }
  expect_contree_error(grow(image * 1e-300), "input", "multiply")
})

test_that("a channel of large values leaves the others their steps", {
  image <- striped(1) / 1024
  grow <- function(image, ...) {
    image_forest(image, halves(), radius = 3, trees = 3, depth = 6, seed = 3, ...)
  }
  loud <- quiet <- array(c(image, matrix(0, 24, 30)), c(24, 30, 3))
  loud[, , 3] <- 1e8 * ((seq_len(24 * 30) * 7) %% 11) # says nothing
  fit <- grow(loud)
  expect_length(fit$scale, 3)
  expect_true(all(fit$scale[1:2] > 2^25 & fit$scale[3] < 1))
  expect_gt(mean(predict(fit, loud) == halves()), 0.85)
  # a unit of its own is that of the channel alone
  alone <- grow(image, features = function(image) image)
  copies <- function(image) array(c(image, 1e12 * image[, , 1]), c(24, 30, 3))
  beside <- grow(image, features = copies)
  expect_length(beside$scale, 3)
  expect_gt(mean(predict(beside, image) == predict(alone, image)), 0.9)
  # and where all are fine, or bins lie in one interval, units are shared
  quiet[, , 3] <- 50
  expect_length(grow(quiet)$scale, 1)
  expect_length(grow(loud, interval = c(0, 1e9))$scale, 1)
})

test_that("features may be computed by a function", {
  image <- striped(1)
  shifts <- function(image) {
    array(c(image[, , 1] - image[c(3:24, 1:2), , 1], image[, , 1] / 3, image[, , 2]), c(24, 30, 3))
  }
  fit <- image_forest(image, halves(), features = shifts, trees = 4, depth = 5, seed = 1)
  expect_true(all(fit$features$feature %in% 1:3))
  expect_gt(mean(predict(fit, image) == halves()), 0.85)
  # what a tree does with its whole numbers
  words <- matrix(contree:::some_trees(fit$forest, 1)$nodes, 4)
  feature <- fit$features$feature[words[4, 1] + 1]
  right <- round(shifts(image)[, , feature] * fit$scale) >= words[2, 1]
  leaf <- predict(fit, image, type = "leaf", which = 1)[, , 1]
  below <- rep(NA, ncol(words))
  for (i in rev(seq_along(below))) {
    own <- words[1, ] + 1
    parent <- which(own != seq_along(below) & (own == i | own + 1 == i))
    below[i] <- if (length(parent) == 1) parent else NA
  }
  side <- function(node) {
    while (below[node] != 1) node <- below[node]
    node == words[1, 1] + 2
  }
  expect_identical(vapply(c(leaf), side, NA), c(right))
  expect_contree_error(image_forest(image, halves(), features = function(image) 1), "input",
                       "features")
})

test_that("the seed decides, threads do not, and R's generator is left alone", {
  image <- striped(1)
  grow <- function(...) {
    image_forest(image, halves(), features = 9, pixels = 60, trees = 2, depth = 4, ...)
  }
  set.seed(5)
  state <- .Random.seed
  one <- grow(seed = 3)
  expect_identical(.Random.seed, state)
  two <- grow(seed = 3, threads = 1)
  expect_identical(two$forest, one$forest)
  set.seed(5)
  three <- grow()
  set.seed(5)
  expect_identical(grow()$forest, three$forest)
  expect_false(identical(three$forest, one$forest))
  expect_identical(grow(seed = 3, policy = "A")$forest, one$forest)
  expect_identical(grow(seed = 3, policy = "B")$policy, "random")
})

test_that("pixels without a label are not learned from", {
  labels <- halves()
  labels[, 11:20] <- NA
  fit <- image_forest(striped(1)[, , 1], labels, features = 9, radius = 2, trees = 2, seed = 1)
  expect_identical(fit$n, 480)
  expect_identical(sum(contree:::some_trees(fit$forest, 1)$counts), 480L)
  expect_identical(fit$channels, 1L)
  few <- image_forest(striped(1)[, , 1], labels, features = 9, radius = 2, pixels = 100, trees = 1,
                      seed = 1)
  expect_identical(sum(few$forest$counts), 100L)
})

test_that("a stop before the first tree is an error", {
  expect_contree_error(image_forest(striped(1), halves(), trees = 2, time_limit = 0), "input",
                       "time limit")
})

test_that("a forest that was tampered with is refused", {
  image <- striped(1)
  fit <- image_forest(image, halves(), features = 9, trees = 2, depth = 3, seed = 1)
  spoil <- function(name, at, value) {
    fit$forest[[name]][at] <- value
    expect_error(predict(fit, image))
  }
  spoil("nodes", 1, 2^20)
  spoil("nodes", 4, 99L)
  spoil("depth", 1, 1L)
  spoil("n_nodes", 1, 3L)
  spoil("features", 2, -100L)
  spoil("features", 1, 7L)
  spoil("n_classes", 1, 300L)
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
  expect_contree_error(grow(image, halves(), radius = 1001), "input", "radius")
  expect_contree_error(grow(image, halves(), seed = -1), "input", "seed")
  expect_contree_error(grow(image, halves(), policy = "C"), "input", "policy")
  expect_contree_error(grow(image, halves(), bins = 257), "input", "bins")
  expect_contree_error(grow(image, matrix(1:720, 24)), "input", "256 classes")
  fit <- grow(image, halves(), seed = 1)
  expect_contree_error(predict(fit, image[, , 1]), "input", "channels")
  expect_contree_error(predict(fit, image, type = "label"), "input", "type")
  expect_contree_error(predict(fit, image, which = 3), "input", "which")
})

test_that("rules and an interval of one's own change the forest, and are checked", {
  set.seed(4)
  image <- matrix(sample(0:50, 1200, TRUE), 40) + rep(c(0, 20), each = 600)
  labels <- matrix(rep(c("a", "b", "c", "b"), each = 300), 40)
  grow <- function(...) {
    image_forest(image, labels, features = 30, radius = 3, trees = 2, depth = 6, seed = 1, ...)
  }
  forests <- lapply(c("gini", "entropy", "error"), function(rule) grow(splitrule = rule)$forest)
  expect_identical(anyDuplicated(forests), 0L)
  expect_identical(grow(splitrule = "gini")$forest, grow()$forest)
  for (rule in c("gini", "entropy", "error")) {
    expect_gt(mean(predict(grow(splitrule = rule), image) == labels), 0.7)
  }
  # bins between 0 and 100 alone: no test asks for more
  tests_within <- function(...) {
    nodes <- matrix(grow(interval = c(...))$forest$nodes, 4)
    nodes[2, nodes[3, ] != 0]
  }
  tests <- tests_within(0, 100)
  expect_true(all(tests > 0 & tests <= 100))
  # differences of sums are below 0 as well
  tests <- tests_within(-60, 60)
  expect_true(all(tests > -60 & tests <= 60) && any(tests < 0))
  expect_contree_error(grow(interval = c(2, 1)), "input", c("'interval'", "increasing"))
  expect_contree_error(grow(interval = "a"), "input", "'interval'")
  expect_contree_error(grow(splitrule = "x"), "input", "'splitrule'")
})

test_that("the filter bank is what sums over all pixels near give", {
  set.seed(5)
  image <- matrix(runif(30 * 20), 30)
  bank <- filter_bank(image, scale = 0.7)
  expect_identical(dim(bank), c(30L, 20L, 11L))
  # by hand: the density at each offset, and its derivatives
  by_hand <- function(size, weight) {
    offsets <- -ceiling(3 * size):ceiling(3 * size)
    weights <- outer(offsets, offsets, weight)
    nearest <- function(place, most) pmin(pmax(place, 1), most)
    sums <- image
    for (row in 1:30) for (col in 1:20) {
      sums[row, col] <- sum(weights * image[nearest(row + offsets, 30), nearest(col + offsets, 20)])
    }
    sums
  }
  gauss <- function(size) {
    offsets <- -ceiling(3 * size):ceiling(3 * size)
    total <- sum(exp(-offsets^2 / (2 * size^2)))
    function(x) exp(-x^2 / (2 * size^2)) / total
  }
  one <- function(size) function(r, c) gauss(size)(r) * gauss(size)(c)
  expect_equal(bank[, , 1], by_hand(0.7, one(0.7)), tolerance = 1e-12)
  expect_equal(bank[, , 3], by_hand(2.8, one(2.8)), tolerance = 1e-12)
  # a ramp: its slope along columns and rows, no curvature away from the border
  ramp <- outer(1:80, 1:60, function(row, col) 3 * row - 2 * col)
  steep <- filter_bank(ramp)[40, 30, ]
  expect_equal(unname(steep[c("along columns 2", "along rows 2")] / c(-2, 3)), c(1, 1),
               tolerance = 0.03)
  expect_lt(max(abs(steep[c("laplacian 1", "laplacian 2", "laplacian 4")])), 1e-10)
  expect_identical(filter_bank(image, threads = 2), filter_bank(image, threads = 1))
  colours <- array(sample(0:255, 30 * 20 * 3, TRUE), c(30, 20, 3))
  expect_identical(dim(filter_bank(colours)), c(30L, 20L, 17L))
  labels <- matrix(colours[, , 1] > 128, 30)
  fit <- image_forest(colours, labels, features = filter_bank, trees = 3, depth = 6, seed = 1)
  expect_gt(mean(predict(fit, colours) == labels), 0.8)
  expect_contree_error(filter_bank(image, scale = 0), "input", c("'scale'", "positive"))
  expect_contree_error(filter_bank(colours, white = "a"), "input", "'white'")
})
