# Known optima of public data sets, proven by another solver. The data are not part of the package:
# CONTREE_DATA names a folder with reference.csv and NAME.csv.gz (column `class` first).

folder <- Sys.getenv("CONTREE_DATA")

solve_reference <- function(name, depth) {
  data <- utils::read.csv(file.path(folder, paste0(name, ".csv.gz")))
  data$class <- factor(data$class)
  contree(class ~ ., data, depth = depth)
}

test_that("known optima are found and proven", {
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "reference.csv")),
              "CONTREE_DATA does not name the data sets")
  reference <- utils::read.csv(file.path(folder, "reference.csv"))
  quick <- c("bank", "bidding", "room", "raisin", "segment")
  reference <-
    reference[reference$depth == 2 | (reference$depth == 3 & reference$data %in% quick), ]
  for (i in seq_len(nrow(reference))) {
    case <- reference[i, ]
    fit <- solve_reference(case$data, case$depth)
    expect_identical(fit$status, "optimal")
    expect_identical(fit$bound, fit$cost)
    expect_identical(fit$objective, as.numeric(case$misclassified),
                     info = paste(case$data, case$depth))
  }
})

# That solver takes neighbouring values closer than 1e-7 for equal. The features of bean are not
# scaled, and some are so small that this merges values which differ.
merge_close <- function(x) {
  values <- sort(unique(x))
  group <- cumsum(c(TRUE, diff(values) >= 1e-7))
  values[match(group, group)][match(x, values)]
}

test_that("one error less on bean at depth three is due to values that differ by less than 1e-7", {
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "bean.csv.gz")),
              "CONTREE_DATA does not name the data sets")
  fit <- solve_reference("bean", 3)
  expect_identical(c(fit$objective, fit$bound), c(1748, 1748))
  data <- utils::read.csv(file.path(folder, "bean.csv.gz"))
  data[-1] <- lapply(data[-1], merge_close)
  data$class <- factor(data$class)
  expect_identical(contree(class ~ ., data, depth = 3)$objective, 1749)
})
