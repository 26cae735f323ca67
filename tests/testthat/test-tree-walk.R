test_that("numbers are short where that is exact, and always come back", {
  set.seed(3)
  x <- c(0, 1, -1.5, 2.45, 0.1 + 0.2, 1 / 3, 1e-300, 1e300, 2^53, 123456789.125, pi * 10^(-20:20),
         round(runif(200), 2), rnorm(200))
  text <- exact_number(x)
  expect_identical(text[c(1:5, 9)],
                   c("0", "1", "-1.5", "2.45", "0.30000000000000004", "9007199254740992"))
  skip_if_not_installed("jsonlite") # R's own reader may be wrong in the last bit
  expect_identical(vapply(text, function(t) as.numeric(jsonlite::fromJSON(paste0("[", t, "]"))), 0,
                          USE.NAMES = FALSE), x)
})

test_that("folding visits children before parents", {
  fit <- contree(Species ~ ., iris, depth = 3)
  told <- fold_tree(fit, function(node) node, function(node, left, right) c(node, left, right))
  expect_identical(told, seq_len(nrow(fit$frame)))
})

test_that("questions send training rows where the tree does", {
  for_each_tree(function(fit, rows, expected, name) {
    questions <- node_questions(fit)
    children <- node_children(fit)
    for (row in sample(nrow(rows), 50)) {
      node <- 1L
      while (!is.null(question <- questions[[node]])) {
        value <- rows[[question$variable]][row]
        if (question$kind == "less") value <- as.numeric(value)
        yes <- switch(question$kind, less = value < question$threshold, known = !is.na(value),
                      among = as.character(value) %in% question$levels)
        left <- if (is.na(value)) question$missing_left else yes == question$yes_left
        node <- if (left) children$left[node] else children$right[node]
      }
      expect_identical(node_ids(fit)[node], expected$node[row], info = name)
    }
  })
})
