test_that("contree_gpu never fails and tells why there is none", {
  gpu <- contree_gpu()
  expect_s3_class(gpu, "data.frame")
  expect_identical(names(gpu),
                   c("built", "available", "reason", "device", "name", "memory", "capability"))
  expect_gte(nrow(gpu), 1)
  expect_type(gpu$built, "logical")
  expect_type(gpu$memory, "double")
  if (!gpu$available[1]) expect_true(nzchar(gpu$reason[1]))
  if (!gpu$built[1]) expect_false(gpu$available[1])
})

test_that("contree_info knows the build", {
  info <- contree_info()
  expect_s3_class(info, "contree_info")
  expect_true("scalar" %in% info$simd_available)
  expect_identical(info$cuda, contree_gpu()$built[1])
  expect_output(print(info), "OpenMP: (yes|no)")
})

test_that("contree_info tells the vector instructions that a fit will use", {
  old <- options(contree.simd = NULL)
  variable <- Sys.getenv("CONTREE_SIMD", NA)
  on.exit({
    options(old)
    if (is.na(variable)) Sys.unsetenv("CONTREE_SIMD") else Sys.setenv(CONTREE_SIMD = variable)
  })
  used <- function() contree(Species ~ ., iris, depth = 1)$simd
  Sys.unsetenv("CONTREE_SIMD")
  available <- contree_info()$simd_available
  expect_identical(contree_info()$simd, available[1])
  expect_identical(used(), available[1])
  Sys.setenv(CONTREE_SIMD = "scalar")
  expect_identical(contree_info()$simd, "scalar")
  expect_identical(used(), "scalar")
  for (level in available) {
    # the option wins over the variable
    options(contree.simd = level)
    expect_identical(contree_info()$simd, level)
    expect_identical(contree_info()$simd_available, available)
    expect_identical(used(), level)
  }
  options(contree.simd = "auto")
  expect_identical(contree_info()$simd, available[1])
  options(contree.simd = "abacus")
  expect_identical(contree_info()$simd, NA_character_)
})

twin <- function(...) with_twin(contree(..., device = "twin"))

# All that does not depend on the course of the search.
same_fit <- function(a, b) {
  parts <- c("frame", "splits", "csplit", "where", "objective", "cost", "bound", "gap", "status",
             "capped")
  expect_identical(unclass(a)[parts], unclass(b)[parts])
}

test_that("device takes the names of devices and nothing else", {
  expect_identical(contree_control()$device, "auto")
  expect_identical(contree_control(device = "cpu")$device, "cpu")
  expect_identical(contree_control(device = "cuda")$device, "cuda:0")
  expect_identical(contree_control(device = "cuda:3")$device, "cuda:3")
  for (bad in list("gpu", "cuda:", "cuda:x", "twin", NA_character_, 1, NULL, c("cpu", "cuda"),
                   character())) {
    expect_contree_error(contree_control(device = bad), "input", c("'device'", "\"cuda:1\""))
  }
})

test_that("without a GPU cuda is a clear error and auto the CPU", {
  skip_if_not(no_gpu(), "there is a GPU")
  problem <- expect_contree_error(contree(Species ~ ., iris, depth = 2, device = "cuda"), "input",
                                  c("'device'", contree_gpu()$reason[1], "\"cpu\"",
                                    "contree_gpu()"))
  expect_identical(problem$argument, "device")
  expect_contree_error(contree(Species ~ ., iris, device = "cuda:7"), "input", "'device'")
  expect_silent(fit <- contree(Species ~ ., iris, depth = 2))
  expect_identical(fit$device, "cpu")
  expect_identical(fit$control$device, "auto")
  expect_identical(fit$search[["device batches"]], 0)
})

test_that("with a GPU the tree is that of the CPU", {
  skip_if(no_gpu(), "no GPU")
  set.seed(1)
  x <- matrix(runif(60000 * 12), ncol = 12)
  y <- factor((x[, 1] > 0.4) + (x[, 2] * x[, 3] > 0.3))
  cpu <- contree(x, y, depth = 2, device = "cpu")
  gpu <- contree(x, y, depth = 2, device = "cuda")
  expect_identical(gpu$device, "cuda:0")
  same_fit(gpu, cpu)
})

test_that("the twin of the GPU finds the trees of the CPU", {
  data <- transform(mtcars, gear = factor(gear), cyl = replace(cyl, c(3, 8, 20), NA))
  fits <- function(fit) {
    list(fit(Species ~ ., iris, depth = 2), fit(Species ~ ., iris, depth = 3, minbucket = 7),
         fit(Species ~ ., iris, depth = 3, complexity = 0.02, threads = 1),
         fit(factor(carb) ~ ., data, depth = 2),
         fit(Species ~ ., iris, depth = 2, max_thresholds = 3))
  }
  on_cpu <- fits(function(...) contree(..., device = "cpu"))
  on_twin <- fits(twin)
  for (i in seq_along(on_cpu)) {
    same_fit(on_twin[[i]], on_cpu[[i]])
    expect_identical(on_twin[[i]]$device, "twin")
    expect_gt(summary(on_twin[[i]])$search[["device thresholds"]], 0)
    expect_identical(summary(on_cpu[[i]])$search[["device thresholds"]], 0)
  }
  expect_true(on_twin[[5]]$capped)
})

test_that("the twin finds the known trees of the data sets", {
  skip_on_cran()
  folder <- Sys.getenv("CONTREE_DATA")
  skip_if_not(nzchar(folder) && file.exists(file.path(folder, "rice.csv.gz")),
              "CONTREE_DATA does not name the data sets")
  for (name in c("raisin", "rice", "segment", "room")) {
    data <- utils::read.csv(file.path(folder, paste0(name, ".csv.gz")))
    data$class <- factor(data$class)
    same_fit(twin(class ~ ., data, depth = 2), contree(class ~ ., data, depth = 2, device = "cpu"))
  }
})

test_that("what a GPU cannot do is said once", {
  expect_message(fit <- twin(Species ~ ., iris, depth = 2, weights = rep(1:3, 50)),
                 "without the GPU: .*cost the same", class = "contree_message")
  expect_identical(fit$device, "cpu")
})

test_that("a fit keeps its device for update(), and contree_alternatives() takes another", {
  fit <- contree(Species ~ ., iris, depth = 2, device = "cpu")
  expect_identical(update(fit, depth = 1)$control$device, "cpu")
  expect_s3_class(contree_alternatives(fit, n = 1, within = 1, device = "auto"),
                  "contree_alternatives")
})

test_that("a forked process does not touch the GPU and says so", {
  skip_if_not(contree_gpu()$built[1], "built without CUDA")
  child <- parallel::mccollect(parallel::mcparallel(contree_gpu()$reason))[[1]]
  expect_match(child, "forked")
})
