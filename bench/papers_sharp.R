# The experiments of Sharp (2008) on images made here, one thread, seconds of the processor (user).
# Writes bench/results/paper-sharp.csv; of the paper's figures 8, 10 and 11 no numbers are known.
#
#   Rscript bench/papers_sharp.R [pool|photos|round|trees|depth|learner|stream] ...     nothing: all
#
# pool (figure 8): pixels of other images labelled rightly, by the number of candidates of a level.
# photos: the same for mosaics of photographs of brick, grass and gravel, which PyPI's scikit-image
# has in skimage/data, if PHOTOS names the folder; the upper halves for growing, the lower ones for
# labelling; by rectangles, and by the filters of filter_bank().
# round (figure 9): one level of one tree, 100 candidates, 100 images of 320 x 213 (measured on some
# of them and scaled), with its images, which come one at a time, opened twice; its beginning is
# when the first image is asked for. trees, depth (figures 10, 11): labelling an image of 320 x 213.
# learner, stream: what a rule written in R, and images that come one at a time, cost beside the
# built-in way.

library(contree)
for (file in c("papers", "scenes")) source(sprintf("bench/lib/%s.R", file))
asked <- commandArgs(TRUE)
quick <- nzchar(Sys.getenv("QUICK"))
wanted <- function(part) length(asked) == 0 || part %in% asked
row_of <- function(...) paper_row("sharp", ...)
user <- function(expression) unname(system.time(expression)[1])
rounds <- if (quick) 2 else 6
grow <- function(s, ...) {
  image_forest(s$images, s$labels, seed = 1, threads = 1, verbose = FALSE, ...)
}
small <- function(n, seed) scenes(n, seed, 120, 160, 8)

if (wanted("pool")) {
  paper_begin("sharp", "pool")
  train <- small(if (quick) 4 else 16, 1)
  test <- small(4, 2)
  for (policy in c("best", "random")) for (features in c(2, 5, 10, 25, 50, 100)) {
    fit <- grow(train, trees = 4, depth = 9, policy = policy, features = features)
    right <- unlist(predict(fit, test$images, threads = 1)) == unlist(test$labels)
    row_of("pool", sprintf("policy %s, %d candidates", policy, features),
           "share of pixels labelled rightly", mean(right))
  }
}

if (wanted("photos") && nzchar(Sys.getenv("PHOTOS"))) {
  paper_begin("sharp", "photos")
  photos <- lapply(c("brick", "grass", "gravel"), function(name) {
    255 * png::readPNG(file.path(Sys.getenv("PHOTOS"), paste0(name, ".png")))
  })
  train <- mosaics(photos, 1:256, if (quick) 2 else 12, 1)
  test <- mosaics(photos, 257:512, 4, 2)
  right <- function(fit) {
    mean(unlist(predict(fit, test$images, threads = 1)) == unlist(test$labels))
  }
  for (policy in c("best", "random")) for (features in c(2, 5, 10, 25, 50, 100)) {
    fit <- grow(train, trees = 4, depth = 9, policy = policy, features = features)
    row_of("photos", sprintf("rectangles, policy %s, %d candidates", policy, features),
           "share of pixels labelled rightly", right(fit))
  }
  row_of("photos", "filter_bank(), policy best, 100 candidates", "share of pixels labelled rightly",
         right(grow(train, trees = 4, depth = 9, features = filter_bank)))
}

# Seconds of each level of a tree. All images are asked for once before, then twice a level: for the
# splits of the level above and the sample, and for the histograms.
level_seconds <- function(train, depth, policy) {
  begins <- NULL
  image <- function(i) {
    if (i == 1) begins <<- c(begins, .Call(asNamespace("contree")$ffi_processor_seconds))
    train$images[[i]]
  }
  image_forest(image, function(i) train$labels[[i]], n_images = length(train$images), trees = 1,
               depth = depth, policy = policy, seed = 1, threads = 1, verbose = FALSE)
  begins <- c(begins, .Call(asNamespace("contree")$ffi_processor_seconds))
  stopifnot(length(begins) == 2 * depth + 2)
  colSums(matrix(diff(begins)[-1], 2))
}

if (wanted("round")) {
  paper_begin("sharp", "round")
  n <- if (quick) 2 else 50
  train <- scenes(n, 1)
  for (policy in c("best", "random")) {
    seconds <- replicate(rounds, level_seconds(train, 8, policy)) * 100 / n
    for (depth in c(0, 7)) {
      case <- sprintf("policy %s, %d leaves", policy, 2^depth)
      row_of("round", case, "seconds", mean(seconds[depth + 1, ]), "97.6 CPU; 12.2 GPU")
      row_of("round", case, "standard error", stats::sd(seconds[depth + 1, ]) / sqrt(rounds))
    }
  }
}

label_times <- function(fit, image, which) {
  min(replicate(rounds, user(for (i in 1:5) predict(fit, image, threads = 1, which = which)))) / 5
}

if (wanted("trees")) {
  paper_begin("sharp", "trees")
  fit <- grow(scenes(if (quick) 1 else 4, 1), trees = 16, depth = 8)
  image <- scenes(1, 2)$images[[1]]
  for (n in c(1, 2, 4, 8, 16)) {
    row_of("trees", sprintf("%d trees, depth 8", n), "milliseconds an image",
           1e3 * label_times(fit, image, seq_len(n)))
  }
}

if (wanted("depth")) {
  paper_begin("sharp", "depth")
  train <- scenes(if (quick) 1 else 4, 1)
  image <- scenes(1, 2)$images[[1]]
  for (depth in c(2, 4, 8, 12, 16)) {
    fit <- grow(train, trees = 8, depth = depth, features = 20)
    row_of("depth", sprintf("8 trees, depth %d", depth), "milliseconds an image",
           1e3 * label_times(fit, image, 1:8))
  }
}

if (wanted("learner")) {
  paper_begin("sharp", "learner")
  train <- small(2, 1)
  ways <- list("built-in Gini" = NULL, "hist_learner(\"gini\") of R" = hist_learner("gini"))
  for (way in names(ways)) {
    seconds <- user(grow(train, trees = 1, depth = 6, features = 50, learner = ways[[way]]))
    row_of("learner", "2 images of 160 x 120, depth 6", paste(way, "seconds"), seconds)
  }
}

if (wanted("stream")) {
  paper_begin("sharp", "stream")
  train <- scenes(if (quick) 2 else 10, 1)
  image <- function(i) train$images[[i]]
  label <- function(i) train$labels[[i]]
  at_once <- min(replicate(2, user(grow(train, trees = 1, depth = 6))))
  one <- min(replicate(2, user(image_forest(image, label, n_images = length(train$images),
                                            seed = 1, threads = 1, trees = 1, depth = 6))))
  case <- sprintf("%d images of 320 x 213, depth 6", length(train$images))
  row_of("stream", case, "all at once: seconds", at_once)
  row_of("stream", case, "one at a time: seconds", one)
}
