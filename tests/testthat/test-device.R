test_that("contree_gpu never fails and tells why there is none", {
  gpu <- contree_gpu()
  expect_s3_class(gpu, "data.frame")
  expect_identical(names(gpu), c("built", "available", "reason", "device", "name", "memory", "capability"))
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
