test_that("summary returns what it prints", {
  s <- summary(iris2)
  expect_s3_class(s, "summary.contree")
  expect_equal(unclass(s$confusion),
               unclass(table(truth = iris$Species, predicted = predict(iris2))), ignore_attr = TRUE)
  expect_equal(s$accuracy, mean(predict(iris2) == iris$Species))
  expect_equal(s$classes$recall, unname(diag(s$confusion) / rowSums(s$confusion)))
  expect_equal(s$classes["setosa", "precision"], 1)
  expect_identical(s[c("objective", "cost", "bound", "gap", "status", "search")],
                   iris2[c("objective", "cost", "bound", "gap", "status", "search")])
  expect_true(is.numeric(s$search) && !is.null(names(s$search)))
  expect_silent(summary(iris2))
  printed <- capture.output(print(s))
  for (words in c("proven optimal", "predicted", "recall", "Accuracy")) {
    expect_true(any(grepl(words, printed)), info = words)
  }
})

test_that("classes that are never predicted have no precision", {
  s <- summary(contree(Species ~ ., iris, depth = 0))
  expect_equal(s$classes$precision, c(1 / 3, NaN, NaN))
  expect_output(print(s), "NaN")
})

test_that("the help page of summary() names every counter", {
  page <- tryCatch(tools::Rd_db("contree")[["summary.contree.Rd"]], error = function(e) NULL)
  skip_if(is.null(page), "the package was installed without its help pages")
  text <- paste(capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE))),
                collapse = " ")
  text <- gsub("[[:space:]]+", " ", gsub("[\u2018\u2019'\"]", "", text))
  for (name in names(summary(iris2)$search)) {
    expect_true(grepl(name, text, fixed = TRUE), info = name)
  }
})
