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
  expect_true(info$simd %in% info$simd_available)
  expect_identical(info$cuda, contree_gpu()$built[1])
  expect_output(print(info), "OpenMP: (yes|no)")
})
