# The tests in tests/testthat against an installed contree: Rscript tools/test_r.R LIBRARY [FILTER]
#
# Here, unlike under R CMD check, also what CRAN is spared (NOT_CRAN). Ends with testthat's summary,
# the slowest files and `R tests: N passed, N failed, N skipped`; a test that stops with an error
# counts as one failure.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
filter <- if (length(arguments) > 1) arguments[2]
Sys.setenv(NOT_CRAN = "true")

suppressPackageStartupMessages({
  library(testthat)
  library(contree)
})
results <- as.data.frame(
  test_dir("tests/testthat", filter = filter, package = "contree", load_package = "installed",
           reporter = "check", stop_on_failure = FALSE)
)
slowest <- utils::head(sort(tapply(results$user, results$file, sum), decreasing = TRUE), 10)
cat(sprintf("  %.0f s of processor time: %s\n", slowest, names(slowest)), sep = "")
failed <- sum(results$failed) + sum(results$error)
cat(sprintf("R tests: %d passed, %d failed, %d skipped\n", sum(results$passed), failed,
            sum(results$skipped)))
quit(status = as.integer(failed > 0 || sum(results$passed) == 0))
