# Models of other libraries with what these predict, as tests/r/forge_models.py wrote them down.

forge_fixture <- function(name) testthat::test_path("fixtures", "forge", name)

forge_models <- function() {
  utils::read.csv(forge_fixture("models.csv"), stringsAsFactors = FALSE)
}

# A matrix that was written row after row.
forge_matrix <- function(name, columns, type = "double") {
  file <- gzfile(forge_fixture(paste0(name, ".gz")), "rb")
  on.exit(close(file))
  size <- c(double = 8L, float = 4L, integer = 4L)[[type]]
  values <- readBin(file, if (type == "float") "double" else type, 1e5, size, endian = "little")
  matrix(values, ncol = columns, byrow = TRUE)
}

forge_rows <- function(model) forge_matrix(paste0(model$name, ".rows"), model$columns)
forge_margin <- function(model) forge_matrix(paste0(model$name, ".margin"), model$outputs)
forge_leaf <- function(model) forge_matrix(paste0(model$name, ".leaf"), model$trees, "integer")

import_model <- function(model) {
  if (grepl("json$", model$file)) skip_if_not_installed("jsonlite")
  import_forest(forge_fixture(model$file), iterations = if (model$name == "xgb-first") 3)
}

# Sums by each way and instruction set that there is here.
sums_by_ways <- function(forged, columns) {
  ways <- list(list(2L, "scalar"))
  sets <- Filter(function(set) has_simd(forged, set), c("scalar", "avx2", "avx512", "neon"))
  if (forged$info$planes) ways <- c(ways, lapply(sets, function(set) list(1L, set)))
  lapply(ways, function(way) {
    run_forged(forged_code(forged), columns, FALSE, 2, way[[1]], way[[2]])
  })
}

has_simd <- function(forged, set) {
  columns <- matrix(0, 0, forged$forest$ensemble$n_features)
  !inherits(try(run_forged(forged_code(forged), columns, FALSE, 1, 0L, set), TRUE), "try-error")
}

# The models of a file of tests/r/zoo.py, each with what its maker says of its rows.
zoo_models <- function(file) {
  bytes <- gzfile(forge_fixture(file), "rb")
  on.exit(close(bytes))
  models <- list()
  while (length(head <- readLines(bytes, 1L))) {
    head <- strsplit(head, " ", fixed = TRUE)[[1]]
    n <- stats::setNames(as.integer(head[-(1:2)]), c("bytes", "rows", "columns", "margins",
                                                     "responses", "leaves", "rounds"))
    numbers <- function(columns, type = "double", size = 8L) {
      matrix(readBin(bytes, type, n[["rows"]] * n[[columns]], size, endian = "little"),
             n[["rows"]], byrow = TRUE)
    }
    models[[length(models) + 1L]] <- list(
      name = head[1], kind = head[2], document = readBin(bytes, "raw", n[["bytes"]]),
      rows = numbers("columns"), margin = numbers("margins"), response = numbers("responses"),
      leaf = numbers("leaves", "integer", 4L), rounds = if (n[["rounds"]]) n[["rounds"]])
  }
  models
}
