test_that("Graphviz reads the graph and draws the names as they are", {
  skip_if(!nzchar(Sys.which("dot")), "Graphviz is not installed")
  skip_if_not_installed("xml2")
  for_each_tree(function(fit, rows, expected, name) {
    file <- tempfile(fileext = ".dot")
    on.exit(unlink(file))
    writeLines(as_dot(fit), file, useBytes = TRUE)
    picture <- paste(suppressWarnings(system2("dot", c("-Tsvg", file), stdout = TRUE,
                                              stderr = TRUE)), collapse = "\n")
    expect_null(attr(picture, "status"), info = name)
    picture <- xml2::xml_ns_strip(xml2::read_xml(picture))
    expect_length(xml2::xml_find_all(picture, "//g[@class='node']"), nrow(fit$frame))
    expect_length(xml2::xml_find_all(picture, "//g[@class='edge']"), nrow(fit$frame) - 1)
    # a label's lines are texts of their own
    drawn <- vapply(xml2::xml_find_all(picture, "//g[@class='node']"), function(node) {
      paste(xml2::xml_text(xml2::xml_find_all(node, "./text")), collapse = "\n")
    }, "")
    plain <- function(text) gsub("[[:space:]\u00a0]+", " ", text)
    expect_setequal(plain(drawn), plain(dot_labels(fit, 4)))
  })
})

test_that("the graph shows conditions, classes and colours", {
  dot <- as_dot(iris2, digits = 2)
  expect_s3_class(dot, "contree_code")
  expect_match(dot, "n1 [label=\"Petal.Length < 2.5\"", fixed = TRUE)
  expect_match(dot, "n2 [label=\"setosa\\n100.0%\\nn = 50\"", fixed = TRUE)
  expect_match(dot, "n3 -> n7 [label=\"no\"];", fixed = TRUE)
  expect_match(as_dot(contree(Species ~ ., iris, depth = 0)), "digraph tree")
  red <- as_dot(contree(factor(a) ~ b, data.frame(a = c("x", "y"), b = 1:2), depth = 1),
                col = c("#FF0000", "#0000FF"))
  expect_match(red, "#FF6060", fixed = TRUE)
  expect_contree_error(as_dot(iris), "input", "'fit'")
  expect_contree_error(as_dot(iris2, col = "red"), "input", "'col'")
})
