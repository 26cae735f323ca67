# Names of predictors, levels and classes that would mean something in another language stay names
# there, one tree for each.
odd_names <- c(
  hostile_names, "`", "\"", "'", "\\", "\\\\", "\\\"", "''", "$(touch x)", "`touch x`", "%s%n%d",
  "'; --", "/*", "*/", "//",
  "??/", "?>", "<!--", "-->", "]]>", "<b>", "&lt;", "<![CDATA[", "{}", "\r\n", "\t", " ", " a ",
  "NA", "NULL", "TRUE",
  "null", "1", "1e5", "..1", "...", "a.b", "x[1]", "\\u0041", "\\n", "\\N", "\u202edroop", "\u00a0",
  "\U1F332", "#define x",
  ";", "--")

# A row goes by the number or by the level.
odd_tree <- function(name) {
  levels <- c(name, "other")
  data <- expand.grid(x = c(0.1, 0.2, 0.4, NA), f = factor(levels, levels))
  names(data) <- c(name, paste0(name, "2"))
  class <- factor(ifelse(data[[2]] == name & !(data[[1]] %in% 0.1), name, "else"), c("else", name))
  fit <- contree(data, class, depth = 2)
  list(fit = fit, data = data, node = unname(predict(fit, data, type = "node")),
       class = as.character(class))
}

odd_trees <- lapply(odd_names, odd_tree)

# Every program starts in a folder of its own, where nothing must appear but `expected`.
in_empty_folder <- function(code, expected = character()) {
  folder <- tempfile("odd")
  dir.create(folder)
  home <- setwd(folder)
  on.exit({
    setwd(home)
    unlink(folder, recursive = TRUE)
  })
  force(code)
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), expected)
}

test_that("R itself predicts, prints and plots with such names", {
  for (tree in odd_trees) {
    expect_identical(as.character(predict(tree$fit, tree$data)), tree$class)
    expect_output(print(tree$fit))
    rules <- contree_rules(tree$fit)
    # R finds, or parses, no variables of these names
    if (names(tree$data)[1] %in% c("...", "..1", "\u202edroop")) next
    inside <- vapply(rules$rule, function(rule) eval(str2lang(rule), tree$data),
                     logical(nrow(tree$data)))
    known <- !is.na(tree$data[[1]])
    expect_identical(rules$node[max.col(inside[known, ])], tree$node[known],
                     info = names(tree$data)[1])
  }
})

test_that("SQL leaves the database as it was", {
  con <- sqlite()
  for (tree in odd_trees) {
    columns <- stats::setNames(tree$data, names(tree$data))
    DBI::dbWriteTable(con, "x", data.frame(id = seq_along(tree$node), columns, check.names = FALSE),
                      overwrite = TRUE)
    for (to in list(NULL, con)) {
      text <- paste("SELECT", as_sql(tree$fit, "node", con = to), "AS node,",
                    as_sql(tree$fit, con = to), "AS class FROM x")
      answer <- DBI::dbGetQuery(con, paste(text, "ORDER BY id"))
      expect_identical(as.integer(answer$node), tree$node, info = names(tree$data)[1])
      expect_identical(answer$class, tree$class, info = names(tree$data)[1])
    }
    expect_identical(DBI::dbListTables(con), "x")
  }
})

test_that("C holds them as strings", {
  skip_on_cran()
  compiler <- Sys.which("cc")
  skip_if(!nzchar(compiler), "no C compiler")
  names <- sprintf("tree%d", seq_along(odd_trees))
  # the names come back as they went in, byte by byte
  print_one <- sprintf(
    "  for (int i = 0; %1$s_inputs[i]; i++) print(%1$s_inputs[i]);\n  print(%1$s_classes[1]);",
    names)
  code <- c(vapply(seq_along(names), function(i) unclass(as_c(odd_trees[[i]]$fit, names[i])), ""),
            "#include <stdio.h>",
            "static void print(const char *s) {",
            "  while (*s) printf(\"%02x\", *s++ & 255);", "  puts(\"\");", "}",
            "int main(void) {", print_one, "  return 0;", "}")
  in_empty_folder(expected = c("odd.c", "odd"), {
    writeLines(code, "odd.c", useBytes = TRUE)
    expect_identical(system2(compiler,
                             c("-std=c99", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror",
                               "-trigraphs", "odd.c", "-o", "odd", "-lm")), 0L)
    said <- system2("./odd", stdout = TRUE)
  })
  hex <- function(text) {
    vapply(text, function(t) paste(charToRaw(enc2utf8(t)), collapse = ""), "", USE.NAMES = FALSE)
  }
  expect_identical(said, unlist(lapply(odd_trees, function(tree) {
    hex(c(contree:::used_predictors(tree$fit), contree:::tree_classes(tree$fit)[2]))
  })))
})

test_that("JSON and XML are read back with the same names", {
  skip_if_not_installed("jsonlite")
  skip_if_not_installed("xml2")
  for (tree in odd_trees) {
    again <- contree_from_json(as_json(tree$fit))
    expect_identical(predict(again, tree$data), predict(tree$fit, tree$data),
                     info = names(tree$data)[1])
    file <- tempfile()
    write_pmml(tree$fit, file)
    document <- xml2::xml_ns_strip(xml2::read_xml(file))
    unlink(file)
    expect_identical(xml2::xml_attr(xml2::xml_find_all(document, "//MiningField"), "name")[-1],
                     contree:::used_predictors(tree$fit))
    expect_true(all(xml2::xml_attr(xml2::xml_find_all(document, "//Node"),
                                   "score") %in% c("else", names(tree$data)[1])))
    expect_length(xml2::xml_find_all(document, "//Node"), length(contree:::node_ids(tree$fit)))
  }
})

test_that("Graphviz draws the same nodes, whatever they are called", {
  skip_if(!nzchar(Sys.which("dot")), "Graphviz is not installed")
  in_empty_folder(expected = "odd.dot", {
    writeLines(vapply(odd_trees, function(tree) unclass(as_dot(tree$fit)), ""), "odd.dot",
               useBytes = TRUE)
    drawn <- system2("dot", c("-Tplain", "odd.dot"), stdout = TRUE, stderr = FALSE)
  })
  expect_null(attr(drawn, "status"))
  nodes <- vapply(odd_trees, function(tree) length(contree:::node_ids(tree$fit)), 0L)
  expect_identical(sum(grepl("^node n[0-9]+ ", drawn)), sum(nodes))
  expect_identical(sum(grepl("^edge n[0-9]+ n[0-9]+ ", drawn)), sum(nodes - 1L))
})
