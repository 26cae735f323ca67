library(testthat)
library(contree)

test_check("contree")
