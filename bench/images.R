# The training round of Sharp (2008): one level of one tree, 100 candidates, 23 classes, all pixels
# of 100 images of 320 x 213, on one core.
#
#   Rscript bench/images.R [ROUNDS]
#
# Images are made here: patches of 23 textures. A level takes what a tree of its depth takes more
# than one without it; the least of ROUNDS (3) counts, processor's seconds (user). Writes
# bench/results/images.csv: the policy, the leaves that are split, seconds; and what an image takes
# to label by four trees.

arguments <- commandArgs(TRUE)
rounds <- if (length(arguments)) as.integer(arguments[1]) else 3
library(contree)

source("bench/lib/scenes.R")
made <- scenes(100, 1)
images <- made$images
labels <- made$labels

user_time <- function(expression) unname(system.time(expression)[1])
grow <- function(depth, policy, trees = 1) {
  image_forest(images, labels, trees = trees, depth = depth, policy = policy, seed = 1, threads = 1,
               verbose = FALSE)
}
level <- function(depth, policy) {
  min(replicate(rounds, user_time(grow(depth + 1, policy)) - user_time(grow(depth, policy))))
}
cases <- expand.grid(policy = c("best", "random"), depth = c(0, 7), stringsAsFactors = FALSE)
cases$leaves <- 2^cases$depth
cases$seconds <- mapply(level, cases$depth, cases$policy)
print(cases)
forest <- grow(8, "best", trees = 4)
label <- function() user_time(predict(forest, images[1:10], threads = 1))
cases$labelling <- min(replicate(rounds, label())) / 10
print(cases$labelling[1])
utils::write.csv(cases, "bench/results/images.csv", row.names = FALSE)
