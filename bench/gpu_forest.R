# Forests on a GPU beside one core and all of them: grown, rows predicted, pixels labelled. The
# answers must be the same, bit for bit.
#
#   Rscript bench/gpu_forest.R FILE.csv    in under two minutes; QUICK=1: small, on the host
#                                          twin, whose times say nothing
#
# Seconds are the median of three turns of the clock, after one that is not counted, which sets the
# device up. Ends with status 77 where there is no GPU.
source("bench/lib/timing.R")

path <- commandArgs(TRUE)[1]
quick <- nzchar(Sys.getenv("QUICK"))
gpu <- contree::contree_gpu()
if (!gpu$available[1] && !quick) {
  cat("not run: ", gpu$reason[1], "\n", sep = "")
  quit(status = 77)
}
if (quick) options(contree.twin = TRUE)

most <- contree::contree_info()$processors
ways <- expand.grid(threads = unique(c(1, most)), device = c("cpu", if (quick) "twin" else "cuda"),
                    stringsAsFactors = FALSE)

# Classes, or numbers, that sums and products of columns make, and noise.
generate <- function(n, p, numbers) {
  set.seed(n + p)
  x <- matrix(stats::rnorm(n * p), n)
  y <- x[, 1] + x[, 2] * x[, 3] + x[, 4]^2 + stats::rnorm(n)
  list(x = x, y = if (numbers) y else factor(findInterval(y, c(0, 1.5))))
}

# A way's seconds for `do(threads, device)`, and whether `kept` of the answer is that of the first.
measure <- function(what, size, do, kept = identity) {
  first <- NULL
  rows <- lapply(seq_len(nrow(ways)), function(i) {
    runs <- lapply(1:4, function(turn) timed(do(ways$threads[i], ways$device[i])))
    answer <- kept(runs[[1]]$value)
    if (is.null(first)) first <<- answer
    if (!identical(answer, first)) stop("the answers differ: ", what)
    seconds <- stats::median(vapply(runs[-1], function(run) run$seconds, 0))
    data.frame(what, size, ways[i, ], seconds, row.names = NULL)
  })
  found <- do.call(rbind, rows)
  print(found)
  found
}

n <- if (quick) 500 else 100000
trees <- if (quick) 5 else 50
tables <- list(classes = generate(n, 20, FALSE), numbers = generate(n, 20, TRUE))
found <- lapply(names(tables), function(kind) {
  table <- tables[[kind]]
  size <- sprintf("%d x 20, %d trees", n, trees)
  grow <- function(threads, device) {
    contree::hist_forest(table$x, table$y, trees = trees, min_n = 6, importance = "none", seed = 1,
                         threads = threads, device = device)
  }
  fit <- grow(most, "cpu")
  type <- if (kind == "classes") "prob" else "response"
  rbind(measure(paste("grow,", kind), size, grow, function(fit) fit[c("forest", "oob")]),
        measure(paste("predict,", kind), size, function(threads, device) {
          stats::predict(fit, table$x, type = type, threads = threads, device = device)
        }))
})

side <- if (quick) 40 else 1000
set.seed(1)
image <- array(sample(0:255, side * side * 3, TRUE), c(side, side, 3))
labels <- matrix((image[, , 1] > 100) + (row(image[, , 1]) > side / 2), side)
fit <- contree::image_forest(image, labels, features = 50, radius = 10, trees = if (quick) 2 else 8,
                             depth = if (quick) 4 else 12, seed = 1)
found <- c(found, lapply(c("class", "prob"), function(type) {
  measure(paste("pixels,", type), sprintf("%d x %d", side, side), function(threads, device) {
    stats::predict(fit, image, type = type, threads = threads, device = device)
  })
}))

part <- if (quick) 1:40 else 1:500
found <- c(found, lapply(c("best", "random"), function(policy) {
  size <- sprintf("%d x %d, 500 features, 2 trees", length(part), length(part))
  measure(paste("pixels, grow,", policy), size, function(threads, device) {
    contree::image_forest(image[part, part, ], labels[part, part], policy = policy, radius = 10,
                          features = if (quick) 20 else 500, trees = 2, depth = 10, seed = 1,
                          threads = threads, device = device)
  }, function(fit) fit$forest)
}))
utils::write.csv(do.call(rbind, found), path, row.names = FALSE)
