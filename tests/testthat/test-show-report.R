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

test_that("a forest has a page of its errors, importance and partial dependence", {
  file <- tempfile(fileext = ".html")
  fit <- hist_forest(Species ~ ., iris, trees = 20, seed = 1)
  contree_report(fit, iris, file, variables = 2)
  page <- paste(readLines(file), collapse = "\n")
  for (word in c("random forest for Species", "Out-of-bag", "id=\"importance\"", "polyline",
                 "Accuracy", "</html>")) {
    expect_match(page, word, fixed = TRUE)
  }
  expect_length(gregexpr("<figcaption>", page)[[1]], 2)
  expect_false(grepl("<script", page))
  contree_report(hist_forest(mpg ~ ., transform(mtcars, gear = factor(gear)), trees = 9),
                 file = file)
  expect_match(paste(readLines(file), collapse = ""), "mean squared error")
  expect_contree_error(contree_report(fit), "input", "'file'")
})

# Each text of a chart inside it and apart from the others, by the widths of the device; the points
# of its lines are numbers.
expect_sound_charts <- function(page) {
  for (chart in xml2::xml_find_all(page, "//svg[@class='chart']")) {
    texts <- xml2::xml_find_all(chart, "./text[not(@transform)]")
    wide <- graphics::strwidth(xml2::xml_text(texts), units = "inches") * 72
    x <- as.numeric(xml2::xml_attr(texts, "x"))
    left <- x - wide * c(start = 0, middle = 0.5, end = 1)[xml2::xml_attr(texts, "text-anchor")]
    expect_true(all(left >= 18, left + wide <= 345)) # 18: beside the name of the axis
    for (row in split(seq_along(x), xml2::xml_attr(texts, "y"))) {
      row <- row[order(left[row])]
      expect_true(all(left[row][-1] > (left + wide)[row][-length(row)]))
    }
    up <- xml2::xml_text(xml2::xml_find_first(chart, "./text[@transform]"))
    expect_lt(graphics::strwidth(up, units = "inches") * 72, 280)
    points <- xml2::xml_attr(xml2::xml_find_all(chart, "./polyline"), "points")
    expect_true(all(is.finite(as.numeric(unlist(strsplit(points, "[ ,]"))))))
  }
}

test_that("charts hold large, small and equal numbers, long names and rows that are one", {
  set.seed(1)
  n <- 60
  data <- data.frame(x = stats::runif(n), same = 5, k = c(-2147483647L, 1000000L), gone = NA_real_)
  data$a_long_name_of_a_predictor_that_goes_on_and_on_and_does_not_end <- stats::rnorm(n) * 1e12
  for (y in list(data$x * 1e12, 123456.789 + data$x / 1000, data$x * -1e-12, rep(0, n))) {
    fit <- hist_forest(data, y, trees = 5, seed = 1)
    for (rows in list(data, data[1, ])) {
      expect_no_warning(page <- page_of(fit, rows))
      expect_length(xml2::xml_find_all(page, "//svg"), 4)
      expect_sound_charts(page)
    }
  }
  number <- contree(y ~ x, transform(data, y = x * 1e12), depth = 2)
  expect_sound_charts(page_of(number, transform(data, y = x * 1e12)))
})

test_that("a forest's training rows are called that", {
  of <- function(...) paste(texts(page_of(...), "//h2 | //p"), collapse = " ")
  fit <- hist_forest(Species ~ ., iris, trees = 5, seed = 1)
  expect_match(of(fit, iris), "Predictions of the training rows")
  expect_match(of(fit, iris), "seen these rows")
  expect_match(of(fit, iris[150:1, ]), "Predictions of the rows given")
  expect_no_match(of(fit, iris[1:4]), "Predictions of")
  fit <- hist_forest(mtcars[-1], mtcars$mpg, trees = 5, seed = 1)
  expect_match(of(fit, mtcars[-1], y = mtcars$mpg), "Predictions of the training rows")
  expect_match(of(fit, mtcars[-1], y = mtcars$mpg + 1), "Predictions of the rows given")
})

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

# The lines in the boxes of a report, a text a node.
box_texts <- function(page) {
  vapply(xml2::xml_find_all(page, "//*[@role='treeitem']"), function(node) {
    paste(texts(node, ".//*[name()='text']"), collapse = "|")
  }, "")
}

test_that("boxes have numbers and times whole, however many digits they take", {
  set.seed(2)
  d <- data.frame(p = as.POSIXct("2020-01-01", tz = "UTC") + 1e8 * runif(80), x = rnorm(80) / 3e9)
  d$y <- 12345.6 * rank(d$x) * ifelse(d$p > d$p[1], -1, 1)
  fit <- contree(y ~ p + x, d, depth = 2)
  said <- box_texts(page_of(fit, d, digits = 6))
  number <- function(x) contree:::significant(6)(x)
  for (node in seq_along(said)) {
    expect_match(said[node], number(fit$frame$yval[node]), fixed = TRUE)
    expect_false(grepl("..", said[node], fixed = TRUE))
  }
  expect_true(any(grepl("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ UTC", said)))
  reward <- cbind("treat" = 1e-8 * d$y, "no treatment at all" = -d$y / 3)
  policy <- policy_tree(d, reward[, 1:2], depth = 2)
  said <- box_texts(page_of(policy, digits = 6))
  leaf <- policy$frame$var == "<leaf>"
  expect_identical(grepl("..", said[leaf], fixed = TRUE), rep(FALSE, sum(leaf)))
  for (node in which(leaf)) {
    expect_match(said[node], number(policy$policy$reward[node]), fixed = TRUE)
  }
})

test_that("a model whose terms have no room is marked on the line of its intercept", {
  d <- data.frame(a_predictor_with_quite_a_long_name = c(1:20, 1:20), z = rep(0:1, each = 20))
  d$y <- d[[1]] * ifelse(d$z > 0, 3, -2) + sin(1:40)
  said <- box_texts(page_of(gmt(y ~ . - z | z, d, seed = 1), d))
  expect_match(said[-1], "^-?[0-9.]+ [.][.][|]n=20$")
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

# ---- whose rows ----------------------------------------------------------------------------------

errors_of <- function(...) paste(texts(page_of(...), "//section[@id='errors']//*"), collapse = " ")

test_that("measures on the training rows are named as such, whether these are given or not", {
  data <- iris
  fits <- list(contree(Species ~ ., data, depth = 2), contree(Species ~ ., data, depth = 1),
               contree(Sepal.Length ~ Species, data, depth = 1),
               contree(data[1:4], data$Species, depth = 2),
               gmt(Sepal.Length ~ Sepal.Width | Petal.Length, data, seed = 1))
  for (fit in fits) {
    y <- if (is.null(fit$terms)) data$Species
    about <- if (contree:::predicts_classes(fit)) "Right and wrong" else "Errors"
    for (said in list(errors_of(fit), errors_of(fit, data, y = y))) {
      expect_match(said, paste0(about, ": 150 training rows"))
      expect_match(said, "[Oo]n the training rows.* [0-9]")
      expect_match(said, "optimistic")
      # it would hold for rows that the tree has not seen
      expect_no_match(said, "interval")
    }
    said <- errors_of(fit, data[150:1, ], y = rev(y))
    expect_match(said, paste0(about, ": 150 given rows"))
    expect_no_match(said, "training")
    expect_match(errors_of(fit, data[-1, ], y = y[-1]), "149 given rows")
  }
  expect_match(errors_of(fits[[1]], data), "curves, each class against all others (training rows)",
               fixed = TRUE)
  expect_match(errors_of(fits[[1]], data[-1, ]), "interval")
  # factors as characters, and columns that the tree does not use
  as_text <- transform(data, Species = as.character(Species), Sepal.Width = 0)
  expect_match(errors_of(fits[[1]], as_text), "150 training rows")
  predicted <- texts(page_of(fits[[5]]), "//table[@id='row-table']/tbody/tr[1]/td[3]")
  expect_equal(as.numeric(predicted), fitted(fits[[5]])[[1]], tolerance = 1e-4)
})

test_that("other rows with the same leaves and classes are not called training rows", {
  data <- data.frame(x = 1:40, class = rep(c("a", "b"), each = 20))
  fit <- contree(class ~ x, data, depth = 1)
  others <- transform(data, x = x - 0.25)
  expect_match(errors_of(fit, others), "40 given rows")
  expect_match(errors_of(fit, data), "40 training rows")
  expect_match(errors_of(contree(data["x"], data$class, depth = 1), others, y = data$class),
               "40 given rows")
  # nor if they have the name that the training rows had
  fit_of <- function(data) contree(class ~ x, data, depth = 1)
  fit <- fit_of(data)
  data <- others[40:1, ]
  expect_match(errors_of(fit, data), "40 given rows")
})

# ---- size and colours ----------------------------------------------------------------------------

style_of <- function(page) texts(page, "//style")

# Trees of long and short names whose boxes are all next to each other.
wide_trees <- function() {
  set.seed(1)
  n <- 300
  data <- data.frame(a_predictor_with_a_name = rnorm(n), b = runif(n), c = rpois(n, 4),
                     region = sample(c("Northern Ireland", "Isle of Man", "Wales"), n, TRUE))
  data$y <- rowSums(data[1:3]) + match(data$region, "Wales", 0) + rnorm(n) / 4
  data$class <- c("never", "probably not, but possible", "WWWWWWWWWWWWWWWWWWWWWWWW")[
    findInterval(data$y, c(4, 5.5)) + 1]
  tree <- function(y, depth) {
    forest <- hist_forest(stats::reformulate(names(data)[1:4], y), data, trees = 1, depth = depth,
                          seed = 1)
    forest_tree(forest, 1, as = "model")
  }
  c(lapply(2:6, function(depth) tree("class", depth)), lapply(c(2, 6), function(d) tree("y", d)),
    list(gmt(y ~ b + a_predictor_with_a_name | c + region, data, seed = 1, complexity = 0,
             depth = 3)))
}

test_that("the tree has text of at least 11 pixels, in boxes that hold it and do not touch", {
  for (fit in wide_trees()) {
    page <- page_of(fit)
    svg <- xml2::xml_find_first(page, "//svg[@id='tree-picture']")
    # a unit of the picture is a pixel, in any window
    box <- as.numeric(strsplit(xml2::xml_attr(svg, "viewbox"), " ")[[1]])
    expect_identical(box, c(0, 0, as.numeric(xml2::xml_attr(svg, "width")),
                            as.numeric(xml2::xml_attr(svg, "height"))))
    nodes <- xml2::xml_find_all(svg, ".//*[@role='treeitem']")
    at <- gsub("translate\\(|\\)", "", xml2::xml_attr(nodes, "transform"))
    at <- matrix(as.numeric(unlist(strsplit(at, " "))), 2)
    rects <- xml2::xml_find_first(nodes, "./rect")
    width <- as.numeric(xml2::xml_attr(rects, "width"))
    for (row in split(seq_along(width), at[2, ])) {
      row <- row[order(at[1, row])]
      ends <- at[1, row] + width[row] / 2
      expect_true(all((at[1, row] - width[row] / 2)[-1] > ends[-length(ends)]))
      expect_true(all(ends <= box[3]) && all(at[1, row] - width[row] / 2 >= 0))
    }
    for (i in seq_along(width)) {
      lines <- xml2::xml_text(xml2::xml_find_all(nodes[[i]], "./text"))
      needs <- graphics::strwidth(lines, units = "inches", font = 2) * 72 / 12
      expect_lt(max(needs * c(13, 12, 12)[seq_along(lines)]), width[i] - 8)
    }
  }
  sizes <- regmatches(style_of(page), gregexpr("[0-9.]+px system-ui|font-size: [0-9.]+px",
                                               style_of(page)))[[1]]
  sizes <- as.numeric(gsub("[^0-9]", "", sizes))
  expect_gt(length(sizes), 1)
  expect_true(all(sizes >= 11))
})

test_that("the model of a leaf is shown up to a whole term", {
  set.seed(1)
  x <- as.data.frame(matrix(rnorm(600), 100, dimnames = list(NULL, paste0("name_", 1:6))))
  fit <- gmt(x, rowSums(x) + 3 * (x[[1]] > 0) * x[[2]], seed = 1, complexity = 0, depth = 2)
  boxes <- xml2::xml_find_all(page_of(fit), "//*[@role='treeitem'][contains(@class, 'leaf')]")
  said <- contree:::leaf_words(fit, 4)[contree:::node_is_leaf(fit)]
  for (i in seq_along(boxes)) {
    lines <- xml2::xml_text(xml2::xml_find_all(boxes[[i]], "./text"))
    shown <- sub(" ..", "", paste(lines[-length(lines)], collapse = " "), fixed = TRUE)
    expect_identical(substr(said[i], 1, nchar(shown)), shown)
    expect_match(substring(said[i], nchar(shown) + 1), "^( [-+] |$)")
  }
})

expect_only_in_frames <- function(page) {
  in_frame <- "[ancestor::*[@class='wide' or @class='canvas'] or ancestor::figure]"
  for (wide in c("//table", "//svg")) {
    expect_identical(xml2::xml_path(xml2::xml_find_all(page, wide)),
                     xml2::xml_path(xml2::xml_find_all(page, paste0(wide, in_frame))))
  }
}

test_that("nothing is wider than a small window but in frames that scroll", {
  fit <- contree(type ~ ., MASS::Pima.tr, depth = 3)
  page <- page_of(fit, MASS::Pima.te, alternatives = contree_alternatives(fit, within = 2))
  style <- style_of(page)
  for (part in c(".canvas", ".wide, figure", "pre")) {
    rule <- sub(paste0(".*\n", part, " [{]([^}]*)[}].*"), "\\1", style)
    expect_match(rule, "overflow(-x)?: auto")
  }
  # that of a table is as wide as the window, and is broken into lines
  expect_match(style, "\ncaption [{][^}]*max-width: calc[(]100vw - 2.4rem[)]")
  expect_match(style, "\nbody [{][^}]*padding: 0 1.2rem")
  # the page of a forest has tables of factors among its charts
  grown <- hist_forest(mpg ~ wt + cyl, transform(mtcars, cyl = factor(cyl)), trees = 5, seed = 1)
  for (page in list(page, page_of(grown, transform(mtcars, cyl = factor(cyl))))) {
    expect_gt(length(xml2::xml_find_all(page, "//table")), 0)
    expect_only_in_frames(page)
  }
  # widths in pixels are upper ones
  expect_no_match(style, "[^-]width: [0-9.]+px")
  expect_no_match(style, "min-width: [1-9]")
})

# The ratio of contrast of WCAG.
contrast <- function(one, other) {
  light <- function(colour) {
    part <- grDevices::col2rgb(colour)[, 1] / 255
    part <- ifelse(part <= 0.03928, part / 12.92, ((part + 0.055) / 1.055)^2.4)
    sum(c(0.2126, 0.7152, 0.0722) * part) + 0.05
  }
  max(light(one), light(other)) / min(light(one), light(other))
}

test_that("text is told from its ground by light and in the dark", {
  page <- page_of(contree(type ~ ., MASS::Pima.tr, depth = 3), MASS::Pima.te)
  style <- style_of(page)
  blocks <- regmatches(style, gregexpr(":root [{][^}]*[}]", style))[[1]]
  expect_length(blocks, 2)
  expect_match(style, "@media screen and (prefers-color-scheme: dark) {\n  :root", fixed = TRUE)
  colours <- lapply(blocks, function(block) {
    found <- regmatches(block, gregexpr("--[a-z]+: #[0-9a-f]+", block))[[1]]
    stats::setNames(sub(".*: #(.)(.)(.)$", "#\\1\\1\\2\\2\\3\\3", sub(".*: ", ": ", found)),
                    sub(": .*", "", found))
  })
  colours <- lapply(colours, function(all) sub("^: ", "", all))
  expect_setequal(names(colours[[1]]), names(colours[[2]]))
  for (scheme in colours) {
    for (text in c("--ink", "--soft")) {
      for (ground in c("--paper", "--panel", "--press", "--chosen")) {
        expect_gte(contrast(scheme[[text]], scheme[[ground]]), 4.5)
      }
    }
    for (line in c("--edge", "--mark", "--lit")) {
      expect_gte(contrast(scheme[[line]], scheme[["--paper"]]), 3)
    }
    # cells of the table of classes, on the ground of the page
    cells <- regmatches(page_text <- as.character(page),
                        gregexpr("rgba\\([^)]*\\)", page_text))[[1]]
    for (cell in strsplit(gsub("rgba\\(|\\)", "", cells), ", ")) {
      part <- as.numeric(cell)
      ground <- grDevices::col2rgb(scheme[["--paper"]])[, 1]
      mixed <- part[4] * part[1:3] + (1 - part[4]) * ground
      expect_gte(contrast(scheme[["--ink"]], grDevices::rgb(t(mixed), maxColorValue = 255)), 4.5)
    }
  }
  # no colour is for one of them alone but that of text in boxes, and of what these have
  outside <- gsub(":root [{][^}]*[}]", "", style)
  expect_setequal(regmatches(outside, gregexpr("#[0-9a-f]{3,6}\\b", outside))[[1]],
                  c("#1b1b1b", "#666", "#f4f4f4"))
  for (fit in wide_trees()[c(1, 6, 8)]) {
    fills <- xml2::xml_attr(xml2::xml_find_all(page_of(fit), "//*[@role='treeitem']/rect[1]"),
                            "fill")
    for (fill in fills) expect_gte(contrast("#1b1b1b", fill), 4.5)
  }
})

test_that("rules that are copied select the rows of their leaves, those shown are short", {
  set.seed(6)
  data <- data.frame(price = 10000 + stats::runif(400), "a \"b\"" = stats::rexp(400),
                     check.names = FALSE)
  data$y <- factor((data$price > 10000.5) != (data[[2]] > 0.7), labels = c("no", "yes"))
  fit <- contree(y ~ ., data, depth = 2)
  page <- page_of(fit)
  copied <- xml2::xml_attr(xml2::xml_find_all(page, "//*[@class='rule']"), "data-exact")
  leaves <- contree:::node_ids(fit)[contree:::node_is_leaf(fit)]
  expect_length(copied, length(leaves))
  for (i in seq_along(leaves)) {
    expect_identical(with(data, eval(parse(text = copied[i]))),
                     unname(predict(fit, type = "node") == leaves[i]))
  }
  expect_true(any(contree_rules(fit, 4)$rule != copied))
  expect_false(any(grepl("e+", texts(page, "//*[@class='rule']"), fixed = TRUE)))
})

# ---- in a browser --------------------------------------------------------------------------------

browser <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
  found[nzchar(found)][1]
}

# Loads the page with `script` at its end, which writes what it saw, as JSON, into an element.
# list(seen, console)
in_browser <- function(file, script, ...) {
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
                              ..., "--dump-dom", paste0("file://", page)),
                 stdout = TRUE, stderr = log, timeout = 600)
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
    const width = () => Number(document.getElementById('tree-picture').getAttribute('width'));
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
    seen.zoom = width() / before;
    press('0');
    seen.fit = width() === before;
    document.querySelectorAll('#row-table tbody tr')[2].click();
    seen.lit = [...document.querySelectorAll('.node.lit')].map(node => Number(node.id.slice(5)));
    document.getElementById('node-2').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    seen.panel = document.getElementById('node').textContent;
    seen.status = document.querySelector('#row-tools [role=status]').textContent;
    document.querySelector('#row-tools input').click();
    seen.wrong = document.querySelector('#row-tools [role=status]').textContent;
    const rule = document.querySelector('.rules .rule');
    document.execCommand = () => {
      seen.copied = document.querySelector('body > textarea').value === rule.dataset.exact;
      return true;
    };
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
    rule.previousElementSibling.click();
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
  expect_true(seen$copied)
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

test_that("in a narrow window text is legible, and the page does not scroll sideways", {
  for (fit in wide_trees()[c(1, 5, 8)]) {
    told <- in_browser(report_of(fit), "
      document.querySelectorAll('details').forEach(part => { part.open = true; });
      seen.window = innerWidth;
      seen.page = document.documentElement.scrollWidth;
      seen.smallest = Math.min(...[...document.querySelectorAll('svg text')].map(text =>
        parseFloat(getComputedStyle(text).fontSize) * text.closest('svg').getScreenCTM().a));
      seen.outside = [...document.querySelectorAll('.node text')].filter(text => {
        const box = text.parentNode.querySelector('rect').getBoundingClientRect();
        const at = text.getBoundingClientRect();
        return at.left < box.left || at.right > box.right || at.bottom > box.bottom;
      }).length;", "--window-size=500,900")
    expect_length(told$console, 0)
    expect_null(told$seen$error)
    expect_lte(told$seen$page, told$seen$window)
    expect_gte(told$seen$smallest, 11)
    expect_identical(told$seen$outside, 0L)
  }
})

test_that("in a browser a tree is picked among those of a set", {
  fit <- contree(type ~ ., MASS::Pima.tr, depth = 3, complexity = 1 / 200, model = TRUE)
  set <- contree_set(fit, errors = 1)
  trees <- set[1:30]
  file <- tempfile(fileext = ".html")
  on.exit(unlink(file))
  contree_report(set, file = file, trees = 30)
  told <- in_browser(file, "
    const tools = document.getElementById('set-tools');
    const shown = () => [...document.querySelectorAll('details.set-tree')].map(
      tree => !tree.hidden);
    const labels = [...tools.querySelectorAll('label')];
    const named = (text) => labels.find(label => label.textContent.trim() === text);
    seen.all = shown();
    const canvas = document.querySelectorAll('details.set-tree .canvas')[0];
    seen.left = canvas.scrollLeft;
    named('without bp').querySelector('input').click();
    seen.without = shown();
    const most = named('Leaves at most').querySelector('input');
    most.value = 6;
    most.dispatchEvent(new Event('input'));
    seen.few = shown();
    seen.said = tools.querySelector('p').textContent;
    seen.apart = labels.filter(label => label.offsetHeight > 30).length;
    most.value = most.max;
    most.dispatchEvent(new Event('input'));
    named('without bp').querySelector('input').click();
    seen.again = canvas.scrollLeft;
    seen.window = innerWidth;
    seen.page = document.documentElement.scrollWidth;", "--window-size=500,900")
  seen <- told$seen
  expect_length(told$console, 0)
  expect_null(seen$error)
  without <- vapply(trees, function(tree) !"bp" %in% tree$frame$var, NA)
  few <- without & vapply(trees, function(tree) sum(tree$frame$var == "<leaf>") <= 6, NA)
  expect_gt(sum(without), sum(few))
  expect_gt(sum(few), 0)
  expect_identical(seen$all, rep(TRUE, 30))
  expect_identical(seen$without, without)
  expect_identical(seen$few, few)
  expect_identical(seen$said, sprintf("%d of 30 trees", sum(few)))
  expect_identical(seen$apart, 0L)
  expect_gt(seen$left, 0)
  expect_identical(seen$again, seen$left)
  expect_lte(seen$page, seen$window)
})
