test_that("proximity is how often rows share a leaf", {
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 3)
  rows <- iris[c(1, 2, 60, 71, 120, 134), ]
  leaf <- predict(fit, rows, type = "leaf")
  near <- forest_proximity(fit, rows)
  for (i in 1:6) for (k in 1:6) expect_equal(near[i, k], mean(leaf[i, ] == leaf[k, ]))
  expect_identical(rownames(near), rownames(rows))
  expect_identical(forest_proximity(fit, rows[1:2, ], rows), near[1:2, ])
  expect_lt(max(near[1:2, 3:6]), 0.2)
  expect_contree_error(forest_proximity(fit, rows[1:3]), "input", "newdata")
})
