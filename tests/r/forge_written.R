# Forests that write_onnx() and write_xgboost() wrote, served by ONNX Runtime and XGBoost:
#
#   Rscript tests/r/forge_written.R PYTHON     an environment with numpy, onnxruntime and xgboost
#
# Says of each model whether the scores of rows with missing values and thresholds are equal, and
# how far apart they are at most. ONNX Runtime hands floats out, so its scores of sums of doubles
# are compared as floats; its links are its own, and within 1e-6.

library(contree)
path <- function(name) file.path("tests/testthat/fixtures/forge", name)
models <- utils::read.csv(path("models.csv"), stringsAsFactors = FALSE)
folder <- tempfile("written")
dir.create(folder)

rows_of <- function(name, columns) {
  file <- gzfile(path(paste0(name, ".rows.gz")), "rb")
  on.exit(close(file))
  matrix(readBin(file, "double", 1e5), ncol = columns, byrow = TRUE)
}

write_all <- function(forest, name, rows) {
  writeBin(as.vector(t(rows)), file.path(folder, paste0(name, ".rows")))
  try_to <- function(write, kind) {
    tryCatch(write(forest, file.path(folder, paste0(name, kind))),
             contree_unsupported_error = function(problem) {
               cat(name, kind, " ", conditionMessage(problem), "\n", sep = "")
             })
  }
  try_to(write_onnx, ".onnx")
  try_to(write_xgboost, ".json")
}

forests <- list()
for (i in seq_len(nrow(models))) {
  name <- models$name[i]
  forests[[name]] <- list(forest = import_forest(path(models$file[i])),
                          rows = rows_of(name, models$columns[i]))
}
x <- as.matrix(iris[1:4])
x[1:20, 3] <- NA
forests$classes <- list(forest = import_forest(hist_forest(Species ~ ., iris, trees = 9, seed = 1)),
                        rows = x)
forests$numbers <- list(forest = import_forest(hist_forest(Sepal.Length ~ ., iris[1:4], trees = 9,
                                                           seed = 1)), rows = x[, -1])
# links of numbers, and several classes with sets of codes
changed <- function(name, ...) {
  forest <- forests[[name]]$forest
  for (what in ...names()) forest[what] <- list(list(...)[[what]])
  if (is.character(forest$classes)) {
    forest$ensemble$base <- rep(forest$ensemble$base, length(forest$classes))
    forest$ensemble$output <- rep_len(seq_along(forest$classes), length(forest$ensemble$output))
  }
  list(forest = forest, rows = forests[[name]]$rows)
}
forests[["logistic-number"]] <- changed("xgb-logistic", classes = NULL)
forests[["sets-logistic"]] <- changed("xgb-codes", link = "logistic")
forests[["sets-softmax"]] <- changed("xgb-codes", link = "softmax", classes = c("a", "b", "c"))
forests[["softmax-numbers"]] <- changed("xgb-softprob", classes = NULL)
for (name in names(forests)) write_all(forests[[name]]$forest, name, forests[[name]]$rows)
stopifnot(system2(commandArgs(TRUE)[1], c("tests/r/forge_written.py", folder)) == 0)

to_float <- function(x) {
  readBin(writeBin(as.vector(x), raw(), 4), "double", length(x), 4)
}

for (file in list.files(folder, "said$")) {
  name <- sub("[.].*", "", file)
  onnx <- grepl("onnx", file)
  forest <- forests[[name]]$forest
  said <- readBin(file.path(folder, file), "double", 1e6)
  type <- if (!onnx) "margin" else if (is.null(forest$classes)) "response" else "prob"
  ours <- as.vector(t(predict(forge(forest), forests[[name]]$rows, type = type)))
  if (onnx) ours <- to_float(ours)
  cat(sprintf("%-24s %-9s equal %-5s apart %.3g\n", file, forest$link, identical(ours, said),
              max(abs(ours - said))))
  stopifnot(length(ours) == length(said), max(abs(ours - said)) < 1e-6 * max(1, abs(ours)))
}
