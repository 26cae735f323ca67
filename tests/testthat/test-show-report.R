# The page as a tree of elements, by a parser that is not ours; what it shows, against the fit; and
# the page in a browser, where there is one.
report_of <- function(...) {
  file <- tempfile(fileext = ".html")
  expect_identical(contree_report(..., file = file), file)
  file
}

page_of <- function(...) {
  skip_if_not_installed("xml2")
  xml2::read_html(report_of(...))
}

texts <- function(page, path) xml2::xml_text(xml2::xml_find_all(page, path))

data_of <- function(page) {
  skip_if_not_installed("jsonlite")
  jsonlite::fromJSON(texts(page, "//script[@id='contree-data']"), simplifyVector = FALSE)
}

test_that("the page has each node, rule, error and row as the fit has it", {
  fit <- contree(type ~ ., MASS::Pima.tr, depth = 3)
  page <- page_of(fit, MASS::Pima.te)
  labels <- xml2::xml_attr(xml2::xml_find_all(page, "//*[@role='treeitem']"), "aria-label")
  nodes <- as.data.frame(fit)
  expect_length(labels, nrow(nodes))
  for (i in seq_len(nrow(nodes))) {
    expect_match(labels[i], sprintf("^node %d: .*n=%d$", nodes$node[i], nodes$n[i]))
  }
  expect_identical(texts(page, "//*[@class='rule']"), contree_rules(fit, 4)$rule)
  judged <- contree_accuracy(fit, MASS::Pima.te)
  cells <- texts(page, "//table[@class='confusion']/tbody/tr/td[not(@class)]")
  expect_identical(as.integer(cells), as.integer(t(judged$confusion)))
  expect_match(paste(texts(page, "//p"), collapse = " "), format(judged$accuracy, digits = 4))
  expect_match(paste(texts(page, "//svg"), collapse = " "), sprintf("AUC %.3f", judged$auc[[2]]))
  data <- data_of(page)
  expect_identical(unlist(data$leaves),
                   unname(predict(fit, MASS::Pima.te, type = "node")))
  expect_identical(sum(unlist(data$wrong)), as.integer(judged$n - judged$correct))
  expect_identical(unlist(data$nodes$id), nodes$node)
  expect_equal(matrix(unlist(data$classes$counts), ncol = 2, byrow = TRUE),
               unname(contree:::node_counts(fit)))
  # without the script the first rows are there
  expect_length(xml2::xml_find_all(page, "//table[@id='row-table']/tbody/tr"), 25)
})

test_that("nothing of the page is elsewhere, and names cannot leave their place", {
  odd <- c("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'&<>", "\u2028",
           "</title>", "]]>", "\001")
  data <- data.frame(x = rep(seq_along(odd), each = 4) + 0.1, class = rep(odd, each = 4))
  names(data)[1] <- odd[1]
  fit <- contree(data[1], data$class, depth = 3)
  page <- page_of(fit, data, y = data$class, title = odd[5])
  links <- texts(page, "//@src | //@href")
  expect_identical(links, "data:,")
  expect_false(any(grepl("url(", texts(page, "//style"), fixed = TRUE)))
  expect_length(xml2::xml_find_all(page, "//script"), 2)
  expect_length(xml2::xml_find_all(page, "//img"), 0)
  expect_identical(texts(page, "/html/head/title"), odd[5])
  shown <- unlist(data_of(page)$classes$names)
  expect_identical(shown, sub("\001", "\ufffd", levels(factor(data$class))))
})

test_that("training rows, rows cut, weights, many classes and trees of one leaf", {
  with_rows <- contree(Species ~ ., iris, depth = 2, model = TRUE)
  columns <- unlist(data_of(page_of(with_rows))$columns)
  expect_setequal(columns, c("row", "leaf", "predicted", "truth",
                             contree:::used_predictors(with_rows)))
  expect_length(data_of(page_of(iris2, rows = 7))$leaves, 7)
  expect_length(data_of(page_of(iris2, rows = 0))$leaves, 0)
  expect_match(paste(texts(page_of(iris2, rows = 7), "//p"), collapse = " "),
               "The first 7 of 150 rows")
  weighted <- contree(Species ~ ., iris, depth = 2, weights = rep(c(0.5, 2), 75))
  expect_equal(sum(unlist(data_of(page_of(weighted))$classes$counts[[1]])), 187.5)
  leaf <- contree(Species ~ ., iris, depth = 0)
  expect_length(xml2::xml_find_all(page_of(leaf, iris), "//*[@role='treeitem']"), 1)
  many <- contree(class ~ ., many_classes(), depth = 3)
  expect_length(texts(page_of(many), "//ul[@class='legend']/li"), 7)
  # without the response there are no errors to show
  expect_length(xml2::xml_find_all(page_of(iris2, iris[1:4]), "//section[@id='errors']"), 0)
  others <- contree_alternatives(iris2, within = 6)
  expect_length(texts(page_of(iris2, alternatives = others), "//section[@id='alternatives']//pre"),
                length(others))
})

test_that("trees of numbers and of linear models are shown too", {
  trees <- payload_trees()
  for (kind in names(trees)) {
    page <- page_of(trees[[kind]], payload_rows)
    data <- data_of(page)
    expect_identical(unlist(data$leaves), c(2L, 6L, 7L)[match(payload_leaf, c(2L, 6L, 7L))])
    expect_length(xml2::xml_find_all(page, "//*[@role='treeitem']"), 5)
  }
  model <- gmt(mpg ~ wt | cyl, mtcars, seed = 1)
  said <- paste(texts(page_of(model, mtcars), "//section[@id='errors']//p"), collapse = " ")
  expect_match(said, format(sqrt(mean((mtcars$mpg - predict(model, mtcars))^2)), digits = 4),
               fixed = TRUE)
})

test_that("what cannot be written is refused", {
  expect_contree_error(contree_report(iris2), "input", "file")
  expect_contree_error(contree_report(iris2, file = 1), "input", "file")
  expect_contree_error(contree_report(iris2, alternatives = 1, file = tempfile()), "input",
                       "contree_alternatives()")
  expect_contree_error(contree_report(iris2, rows = -1, file = tempfile()), "input", "rows")
  expect_contree_error(contree_report(1, file = tempfile()), "input")
  expect_contree_error(contree_report(iris2, iris[1:2], file = tempfile()), "input", "Petal")
})

# ---- in a browser --------------------------------------------------------------------------------

browser <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
  found[nzchar(found)][1]
}

# Loads the page with `script` at its end, which writes what it saw, as JSON, into an element.
# list(seen, console)
in_browser <- function(file, script) {
  skip_on_cran()
  skip_if(is.na(browser()), "no chromium")
  skip_if_not_installed("jsonlite")
  page <- tempfile(fileext = ".html")
  tail <- c("<script>", "const seen = {};", "try {", script,
            "} catch (problem) { seen.error = String(problem); }",
            "const out = document.createElement('pre'); out.id = 'seen';",
            "out.textContent = JSON.stringify(seen); document.body.append(out);", "</script>")
  lines <- readLines(file, encoding = "UTF-8")
  end <- which(startsWith(lines, "</body>"))
  writeLines(append(lines, tail, end[length(end)] - 1), page, useBytes = TRUE)
  log <- tempfile()
  home <- tempfile("browser")
  on.exit(unlink(c(page, log, home), recursive = TRUE))
  dom <- system2(browser(), c("--headless", "--no-sandbox", "--disable-gpu",
                              paste0("--user-data-dir=", home), "--enable-logging=stderr",
                              "--dump-dom", paste0("file://", page)),
                 stdout = TRUE, stderr = log, timeout = 60)
  seen <- xml2::xml_text(xml2::xml_find_all(xml2::read_html(paste(dom, collapse = "\n")),
                                            "//pre[@id='seen']"))
  list(seen = jsonlite::fromJSON(seen), console = grep("CONSOLE", readLines(log), value = TRUE))
}

test_that("in a browser the tree folds and zooms, rows light their paths, and nothing complains", {
  fit <- contree(type ~ ., MASS::Pima.tr, depth = 3)
  file <- report_of(fit, MASS::Pima.te, alternatives = contree_alternatives(fit, within = 2))
  told <- in_browser(file, "
    const press = (key) => document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: key, bubbles: true }));
    const shown = () => document.querySelectorAll('.node:not(.gone)').length;
    const width = () => Number(document.getElementById('tree-picture').getAttribute('viewBox')
      .split(' ')[2]);
    seen.nodes = shown();
    document.getElementById('node-1').focus();
    press('ArrowRight');
    seen.focus = document.activeElement.id;
    press(' ');
    seen.folded = shown();
    seen.expanded = document.getElementById('node-2').getAttribute('aria-expanded');
    press(' ');
    seen.unfolded = shown();
    const before = width();
    press('+');
    seen.zoom = before / width();
    press('0');
    seen.fit = width() === before;
    document.querySelectorAll('#row-table tbody tr')[2].click();
    seen.lit = [...document.querySelectorAll('.node.lit')].map(node => Number(node.id.slice(5)));
    document.getElementById('node-2').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    seen.panel = document.getElementById('node').textContent;
    seen.status = document.querySelector('#row-tools [role=status]').textContent;
    document.querySelector('#row-tools input').click();
    seen.wrong = document.querySelector('#row-tools [role=status]').textContent;
    seen.buttons = document.querySelectorAll('.rules button').length;")
  seen <- told$seen
  expect_length(told$console, 0)
  expect_null(seen$error)
  node <- predict(fit, MASS::Pima.te, type = "node")
  below <- function(id) {
    while (any(id > 3)) id <- ifelse(id > 3, id %/% 2, id)
    id == 2
  }
  nodes <- as.data.frame(fit)
  expect_identical(seen$nodes, nrow(nodes))
  expect_identical(seen$focus, "node-2")
  expect_identical(seen$folded, sum(!below(nodes$node) | nodes$node <= 3))
  expect_identical(seen$expanded, "false")
  expect_identical(seen$unfolded, nrow(nodes))
  expect_equal(seen$zoom, 1.3, tolerance = 0.01)
  expect_true(seen$fit)
  expect_setequal(seen$lit, node[[3]] %/% 2^(0:floor(log2(node[[3]]))))
  expect_match(seen$panel, sprintf("%d of the 332 rows", sum(below(node))))
  expect_match(seen$status, sprintf("of %d rows of node 2", sum(below(node))))
  wrong <- below(node) & predict(fit, MASS::Pima.te) != MASS::Pima.te$type
  expect_match(seen$wrong, sprintf("of %d rows", sum(wrong)))
  expect_identical(seen$buttons, nrow(contree_rules(fit)))
})

test_that("of 10,000 rows those that are shown are elements of the page", {
  set.seed(1)
  n <- 10000
  data <- data.frame(a = runif(n), b = rnorm(n), c = rpois(n, 3))
  data$y <- factor(ifelse(data$a + rnorm(n) / 4 > 0.5, "high", "low"))
  file <- report_of(contree(y ~ ., data, depth = 2), data)
  told <- in_browser(file, "seen.elements = document.querySelectorAll('*').length;
    seen.rows = document.querySelector('#row-tools [role=status]').textContent;")
  expect_length(told$console, 0)
  expect_match(told$seen$rows, "of 10000 rows")
  expect_lt(told$seen$elements, 2000)
})
