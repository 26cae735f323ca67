# Predictions on a GPU beside one core and all of them: forests of the shapes that SilvanForge
# measured, by the functions that the package was built with, and by schedules, those of Tahoe, of
# RAPIDS FIL and what Algorithm 1 finds among them.
#
#   Rscript bench/gpu_forge.R FILE.csv   in under three minutes; QUICK=1: small forests
#   STAND_INS=DIR ...                    CUDA's driver and NVRTC as tests/c/cuda_on_cpu/stand_ins.sh
#                                        has built them there: the same, on the CPU
#
# `launches` are seconds of the launches alone, with the rows on the GPU; `call` those of predict(),
# the least of some. All must have the same bits. Ends with status 77 where there is no GPU.
source("bench/lib/timing.R")
library(contree)

path <- commandArgs(TRUE)[1]
quick <- nzchar(Sys.getenv("QUICK"))
stand_ins <- Sys.getenv("STAND_INS")
if (nzchar(stand_ins)) {
  for (name in c("libcuda.so.1", "libnvrtc.so")) dyn.load(file.path(stand_ins, name))
} else if (!contree_gpu()$available[1]) {
  cat("not run: ", contree_gpu()$reason[1], "\n", sep = "")
  quit(status = 77)
}

models <- data.frame(name = c("airline", "higgs", "year", "abalone", "deep"),
                     features = c(13, 28, 90, 8, 20), trees = c(100, 100, 100, 1000, 200),
                     depth = c(8, 8, 8, 8, 20))
batches <- c(512, 4096, 16384)
if (quick) {
  models <- transform(models[c(1, 5), ], trees = 4, depth = c(4, 12))
  batches <- 40
}

grow <- function(model) {
  set.seed(model$features)
  x <- as.data.frame(matrix(stats::runif(3000 * model$features), 3000))
  x$y <- rowSums(x[, seq_len(min(model$features, 8))]^2) + stats::rnorm(3000, 0, 0.1)
  hist_forest(y ~ ., x, trees = model$trees, depth = model$depth, seed = 1)
}

# Schedules that are legal for the forest; what needs another shape of trees is left out.
schedules_of <- function(forged) {
  named <- list("tahoe-direct" = schedule_preset("tahoe-direct", rows = 128),
                "tahoe-data" = schedule_preset("tahoe-data"),
                "tahoe-forest" = schedule_preset("tahoe-forest", rows = 128, trees = 4),
                "tahoe-partial" = schedule_preset("tahoe-partial", rows = 128, trees = 4),
                fil = schedule_preset("fil"), gpu = schedule_preset("gpu", trees = 8))
  under <- lapply(named, function(one) {
    tryCatch(contree:::with_schedule(forged, one), contree_input_error = function(problem) NULL)
  })
  Filter(Negate(is.null), under)
}

least_call <- function(forged, rows, device, threads) {
  calls <- vapply(1:3, function(i) {
    timed(predict(forged, rows, type = "margin", device = device, threads = threads))$seconds
  }, 0)
  min(calls)
}

# A line; NA where the GPU does not do it.
measure <- function(way, forged, rows, expected, device = "cuda", threads = NULL) {
  columns <- contree:::forest_columns_of(forged$forest, rows)$columns
  call <- launches <- NA_real_
  why <- tryCatch({
    sums <- predict(forged, rows, type = "margin", device = device, threads = threads)
    if (!identical(sums, expected)) stop("other bits than the CPU's")
    call <- least_call(forged, rows, device, threads)
    if (device != "cpu") launches <- contree:::device_seconds(forged, columns, threads, "cuda:0")
    ""
  }, contree_error = conditionMessage)
  data.frame(way = way, launches = signif(launches, 4), call = signif(call, 4), why = why)
}

tuned_for <- function(forged, rows) {
  tryCatch(autotune(forged, rows, device = "cuda"), contree_error = function(problem) NULL)
}

compare <- function(model, forged, n) {
  rows <- matrix(stats::runif(n * model$features), n,
                 dimnames = list(NULL, paste0("V", seq_len(model$features))))
  expected <- predict(forged, rows, type = "margin", device = "cpu")
  most <- contree_info()$processors
  lines <- list(measure("one core", forged, rows, expected, "cpu", 1),
                measure("all cores", forged, rows, expected, "cpu", most),
                measure("functions", forged, rows, expected))
  under <- schedules_of(forged)
  if (!quick && n == 4096 && model$name %in% c("airline", "abalone")) {
    under <- c(under, list("Algorithm 1" = tuned_for(forged, rows)))
  }
  for (way in names(Filter(Negate(is.null), under))) {
    lines <- c(lines, list(measure(way, under[[way]], rows, expected)))
  }
  data.frame(model = model$name, features = model$features, trees = model$trees,
             depth = forged$info$depth, rows = n, do.call(rbind, lines), row.names = NULL)
}

all <- NULL
for (i in seq_len(nrow(models))) {
  # any order of the trees, which most of the schedules need
  forged <- forge(grow(models[i, ]), sums = "reproducible")
  for (n in batches) {
    lines <- compare(models[i, ], forged, n)
    print(lines, digits = 4)
    all <- rbind(all, lines)
    utils::write.csv(all, path, row.names = FALSE)
  }
}
