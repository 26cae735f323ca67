test_that("a reader of the standard gives every row what predict() gives", {
  skip_if_not_installed("xml2")
  for_each_tree(function(fit, rows, expected, name) {
    root <- pmml_node(xml2::xml_find_first(read_pmml(fit), "//TreeModel/Node"))
    leaves <- lapply(seq_len(nrow(rows)),
                     function(row) pmml_leaf(root, as_pmml_row(rows[row, , drop = FALSE])))
    expect_identical(vapply(leaves, `[[`, "", "id"), as.character(expected$node), info = name)
    expect_identical(vapply(leaves, `[[`, "", "score"), expected$class, info = name)
    expect_equal(do.call(rbind, lapply(leaves, `[[`, "prob")), expected$prob, info = name)
  })
})

test_that("elements stand in the order of the schema and refer to what is there", {
  skip_if_not_installed("xml2")
  for_each_tree(function(fit, rows, expected, name) {
    document <- read_pmml(fit)
    names_of <- function(path) {
      xml2::xml_name(xml2::xml_children(xml2::xml_find_first(document, path)))
    }
    expect_identical(names_of("/PMML"), c("Header", "DataDictionary", "TreeModel"))
    expect_identical(names_of("//TreeModel"), c("MiningSchema", "Output", "Node"))
    for (node in xml2::xml_find_all(document, "//Node")) {
      kinds <- xml2::xml_name(xml2::xml_children(node))
      expect_match(paste(kinds, collapse = " "),
                   "^(True|SimplePredicate|CompoundPredicate)( ScoreDistribution)+( Node Node)?$")
      if (tail(kinds, 1) == "Node") {
        expect_true(xml2::xml_attr(node, "defaultChild") %in% xml2::xml_attr(
          xml2::xml_find_all(node, "./Node"), "id"))
      }
    }
    fields <- xml2::xml_attr(xml2::xml_find_all(document, "//DataField"), "name")
    expect_identical(sort(xml2::xml_attr(xml2::xml_find_all(document, "//MiningField"), "name")),
                     sort(fields))
    expect_true(all(xml2::xml_attr(xml2::xml_find_all(document, "//SimplePredicate"),
                                   "field") %in% fields))
    dictionary <- xml2::xml_find_first(document, "//DataDictionary")
    expect_identical(xml2::xml_attr(dictionary, "numberOfFields"), as.character(length(fields)))
    expect_true(all(lengths(lapply(xml2::xml_find_all(document, "//CompoundPredicate"),
                                   xml2::xml_children)) >= 2))
    expect_identical(anyDuplicated(
      c(fields, xml2::xml_attr(xml2::xml_find_all(document, "//OutputField"), "name"))), 0L)
  })
})

test_that("names that XML cannot hold are errors, and a file is not begun", {
  data <- data.frame(1:10, rep(c("a", "b"), each = 5))
  names(data) <- c("bell\a", "y")
  file <- tempfile()
  expect_contree_error(write_pmml(contree(y ~ ., data, depth = 1), file), "input", "bell")
  expect_false(file.exists(file))
  expect_contree_error(write_pmml(iris, file), "input", "'fit'")
  expect_contree_error(write_pmml(iris2, 3), "input", "'file'")
})

test_that("a connection is written to", {
  to <- textConnection("lines", "w", local = TRUE)
  write_pmml(iris2, to)
  close(to)
  expect_match(lines[2], "<PMML xmlns=")
})

test_that("a file that cannot be written is an error, and half of one is not left", {
  expect_contree_error(write_pmml(iris2, file.path(tempfile(), "tree.pmml")), "input",
                       c("'file'", "tree.pmml"))
  expect_contree_error(write_pmml(iris2, tempdir()), "input", "'file'")
  expect_true(dir.exists(tempdir()))
  skip_on_cran()
  skip_on_os("windows")
  if (file.exists("/dev/full")) {
    # what fits into a buffer is not seen to be lost there
    wide <- contree(iris[1:4], factor(paste(strrep("class", 5000), iris$Species)), depth = 2)
    expect_contree_error(write_pmml(wide, "/dev/full"), "input", "'file'")
    expect_true(file.exists("/dev/full"))
  }
  expect_identical(write_pmml(iris2, "/dev/null"), "/dev/null")
  # as a full disk does, a limit on sizes takes the beginning of a file
  script <- session_script(c("fit <- contree(Species ~ ., iris, depth = 3)", "file <- tempfile()",
                             "problem <- tryCatch(write_pmml(fit, file), error = identity)",
                             "say(class(problem)[1])",
                             "say('left:', file.exists(file))"))
  on.exit(unlink(script))
  run <- sprintf("trap '' XFSZ; ulimit -f 1; %s --vanilla %s",
                 shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script))
  said <- trimws(system2("sh", c("-c", shQuote(run)), stdout = TRUE, stderr = TRUE))
  expect_true(all(c("contree_input_error", "left: FALSE") %in% said),
              info = paste(said, collapse = "\n"))
})
