# The picture itself is judged by eye; here: nothing fails, and no box leaves the page or meets
# another.
layout_of <- function(fit, width, height, ...) {
  on_page(width, height, {
    plot(fit, ...)
    contree:::plotted$last$layout
  })
}

boxes_apart <- function(layout) {
  left <- layout$x - layout$half_width
  right <- layout$x + layout$half_width
  overlap <- outer(left, right, `<`) & t(outer(left, right, `<`)) & outer(layout$bottom, layout$top,
                                                                          `<`) &
    t(outer(layout$bottom, layout$top, `<`))
  !any(overlap & !diag(TRUE, length(left)))
}

test_that("boxes stay on the page and apart", {
  fits <- list(iris = contree(Species ~ ., iris, depth = 3),
               root = contree(Species ~ ., iris, depth = 0),
               many = contree(class ~ ., many_classes(), depth = 4),
               long = contree(y ~ ., long_names(), depth = 4))
  for (name in names(fits)) {
    for (size in list(c(7, 5), c(5, 4), c(9, 3))) {
      layout <- layout_of(fits[[name]], size[1], size[2])
      expect_true(boxes_apart(layout), info = paste(name, size[1]))
      expect_true(all(layout$x - layout$half_width >= 0, layout$x + layout$half_width <= size[1],
                      layout$bottom > 0, layout$top <= size[2]), info = paste(name, size[1]))
    }
  }
})

test_that("of a tree too large for its page the deepest splits are left out, with a note", {
  fit <- contree(class ~ a, data.frame(a = 1:64 / 7,
                                       class = rep(letters, each = 2, length.out = 64)), depth = 5)
  layout <- layout_of(fit, 4, 3)
  expect_true(boxes_apart(layout))
  expect_false(is.unsorted(layout$x[layout$leaf]))
  expect_match(layout$note, "of 5")
  expect_gte(layout$cex, 0.5)
  depth <- contree:::node_depth(fit)
  at <- on_page(4, 3, plot(fit))
  drawn <- max(layout$depth)
  expect_lt(drawn, 5)
  expect_identical(is.na(at$x), depth > drawn)
  expect_identical(sum(layout$cut), sum(depth == drawn & !contree:::node_is_leaf(fit)))
  # on a large page there is room for all of it
  large <- layout_of(fit, 12, 8)
  expect_null(large$note)
  expect_false(any(large$cut))
  expect_length(large$x, length(depth))
})

test_that("conditions too wide for their place are turned, and a tree of depth 5 is drawn whole", {
  fit <- contree(class ~ a, data.frame(a = 1:32 / 7, class = rep(letters, length.out = 32)),
                 depth = 5)
  layout <- layout_of(fit, 7, 5)
  expect_null(layout$note)
  expect_true(boxes_apart(layout))
  inner <- which(!layout$leaf)
  expect_true(any(layout$turned[inner]))
  expect_true(all(lengths(layout$question[inner]) > 0))
})

test_that("every device takes a tree", {
  devices <- list(pdf = function(file) grDevices::pdf(file, 7, 5),
                  svg = function(file) grDevices::svg(file, 7, 5),
                  png = function(file) grDevices::png(file, 700, 500, type = "cairo"))
  for (name in names(devices)) {
    if (name != "pdf" && !capabilities("cairo")) next
    file <- tempfile(fileext = paste0(".", name))
    devices[[name]](file)
    expect_silent(plot(iris2, main = "Iris"))
    grDevices::dev.off()
    expect_gt(file.size(file), 1000)
    unlink(file)
  }
})

test_that("text fits into its box", {
  fit <- contree(y ~ ., long_names(), depth = 4)
  layout <- on_page(5, 4, {
    plot(fit)
    layout <- contree:::plotted$last$layout
    layout$widest <- vapply(layout$question,
                            function(lines) max(0, contree:::text_width(lines, layout$cex, 2)), 0)
    layout
  })
  inner <- !layout$leaf
  expect_true(all(layout$widest[inner] <= 2 * layout$half_width[inner]))
  expect_true(any(grepl("..", unlist(layout$question), fixed = TRUE)))
})

test_that("coordinates come back invisibly, in the order of the nodes", {
  on_page(7, 5, {
    expect_invisible(at <- plot(iris2))
    expect_named(at, c("x", "y"))
    expect_length(at$x, nrow(iris2$frame))
    nodes <- as.data.frame(iris2)
    inner <- which(!nodes$leaf)
    expect_true(all(at$x[match(nodes$left[inner], nodes$node)] < at$x[inner]))
    expect_true(all(at$y[match(nodes$left[inner], nodes$node)] < at$y[inner]))
  })
})

test_that("text() completes a bare plot, once, and needs a plot", {
  on_page(7, 5, {
    plot(iris2, type = "bare")
    expect_false(contree:::plotted$last$labelled)
    expect_named(text(iris2, use.n = TRUE), c("x", "y"))
    expect_true(contree:::plotted$last$labelled)
    plot(iris2)
    expect_silent(text(iris2))
    plot(1:3)
    expect_contree_error(text(iris2), "input", c("just plotted", "plot(x"))
  })
})

test_that("arguments are checked and used", {
  on_page(7, 5, {
    expect_contree_error(plot(iris2, type = "fancy"), "input", c("'type'", "fancy"))
    expect_contree_error(plot(iris2, col = "red"), "input", c("'col'", "1 colours", "3 classes"))
    expect_silent(plot(iris2, main = "Two\nlines", cex = 0.7, digits = 2, type = "split",
                       legend = FALSE, uniform = TRUE))
    expect_equal(contree:::plotted$last$layout$cex, 0.7)
    plot(iris2, col = c(virginica = "red", setosa = "blue", versicolor = "green"))
    expect_identical(unname(contree:::plotted$last$layout$col), c("blue", "green", "red"))
  })
  on_page(7, 5, {
    old <- par(mfrow = c(1, 2))
    before <- par("mar", "mfrow", "cex")
    plot(iris2)
    plot(iris2)
    expect_identical(par("mar", "mfrow", "cex"), before)
  })
})

test_that("colours are told apart, whatever the number of classes", {
  expect_equal(length(unique(contree:::class_colours(letters[1:8], NULL))), 8)
  expect_equal(length(unique(contree:::class_colours(as.character(1:40), NULL))), 40)
})

test_that("shares are never rounded into a lie", {
  expect_identical(contree:::percent(c(1, 0.999, 0.5, 0.001, 0)),
                   c("100%", ">99%", "50%", "<1%", "0%"))
})

test_that("names are broken at words, and shortened in the middle", {
  on_page(7, 5, {
    plot.new()
    wide <- contree:::text_width("median_household_", 1, 2)
    expect_identical(contree:::wrap("median_household_income", wide, 1, FALSE),
                     c("median_household_", "income"))
    expect_null(contree:::wrap("median_household_income_before", wide * 0.6, 1, FALSE))
    short <- contree:::wrap("median_household_income_before_tax", wide * 0.7, 1, TRUE)
    expect_length(short, 2)
    expect_match(short[1], "\\.\\.$")
    expect_true(all(contree:::text_width(short, 1, 2) <= wide * 0.7))
  })
  expect_identical(contree:::without_common_ends(c("plan was good", "plan was bad")),
                   c("good", "bad"))
  expect_identical(contree:::without_common_ends(c("a low b", "a very high b")),
                   c("low", "very high"))
  expect_identical(contree:::without_common_ends(c("a", "b")), c("a", "b"))
  expect_identical(contree:::without_common_ends("only"), "only")
})

test_that("arguments that are misspelt are named, those of rpart are not", {
  expect_contree_error(plot(iris2, lengend = FALSE), "input", "'lengend'")
  expect_contree_error(plot(iris2, what = "progress", colour = 1:2), "input", "'colour'")
  expect_contree_error(plot(iris2, NULL, 1, 4, "full", NULL, TRUE, "tree", 3), "input",
                       "without a name")
  expect_silent(plot(iris2, uniform = TRUE, branch = 0.4, compress = TRUE, margin = 0.1,
                     minbranch = 0.2))
  expect_silent(text(iris2, use.n = TRUE, all = TRUE, cex = 0.8, pretty = 0, fancy = TRUE))
  expect_contree_error(text(iris2, use_n = TRUE), "input", "'use_n'")
})

test_that("inner nodes of deep trees have their class", {
  deep <- contree(class ~ a, data.frame(a = 1:64, class = rep(c("low", "middle", "high"),
                                                              length.out = 64)), depth = 5)
  for (size in list(c(7, 5), c(14, 9))) {
    grDevices::pdf(NULL, size[1], size[2])
    graphics::par(mar = rep(0, 4))
    page <- contree:::new_page()
    layout <- contree:::lay_out(deep, page, NULL, NULL, 4, TRUE,
                                contree:::class_colours(deep$ylevels, NULL))
    facts <- vapply(layout$facts[!layout$leaf], paste, "", collapse = " ")
    grDevices::dev.off()
    expect_identical(sum(!layout$leaf), sum(deep$frame$var != "<leaf>"))
    expect_match(facts, "^(low|middle|high) ")
  }
})

test_that("the title of the axis of a search's progress is beyond its numbers", {
  fit <- iris2
  before <- graphics::par("mar")
  for (cost in c(7, 999, 123456, 5e7, 1e12, 1.5e-4)) {
    fit$history <- data.frame(time = c(0, 1), cost = c(cost, cost / 3), bound = c(0, cost / 3))
    expect_identical(plot(fit, what = "progress"), fit$history)
    labels <- format(graphics::axTicks(2))
    wide <- max(graphics::strwidth(labels, units = "inches")) / graphics::par("csi")
    expect_gt(max(3, contree:::line_beyond_labels(c(0, cost))), 1 + wide)
    expect_identical(graphics::par("mar"), before)
  }
})

# ---- what may be asked for besides ---------------------------------------------------------------

test_that("a row's path is lit, and only that", {
  fit <- contree(type ~ ., MASS::Pima.tr, depth = 3)
  for (i in seq_len(12)) {
    layout <- layout_of(fit, 7, 5, row = MASS::Pima.te[i, ], numbers = TRUE)
    ids <- predict(fit, MASS::Pima.te[i, ], type = "node")[[1]]
    while (ids[1] > 1) ids <- c(ids[1] %/% 2, ids)
    expect_setequal(layout$ids[layout$lit], ids)
  }
  expect_false(any(layout_of(fit, 7, 5)$lit))
  expect_contree_error(plot(fit, row = MASS::Pima.te[1:2, ]), "input", "row")
  expect_contree_error(plot(fit, row = 3), "input", "row")
  expect_contree_error(plot(fit, numbers = 3), "input", "numbers")
})

test_that("extra says what it says in rpart.plot", {
  counts <- contree:::node_counts(iris2)
  root <- function(...) paste(layout_of(iris2, 7, 5, ...)$facts[[1]], collapse = " ")
  expect_identical(root(extra = 0), "setosa")
  expect_identical(root(extra = 1), "setosa 50 50 50")
  expect_identical(root(extra = 2), "setosa 50 / 150")
  expect_identical(root(extra = 103), "setosa 100 / 150 100%")
  expect_identical(root(extra = 4), "setosa .33 .33 .33")
  expect_identical(root(extra = 6), "setosa .33")
  leaf <- which(contree:::node_is_leaf(iris2))[2]
  said <- function(...) layout_of(iris2, 7, 5, ...)$facts[[leaf]]
  expect_identical(said(extra = 1)[2], paste(counts[leaf, ], collapse = " "))
  expect_identical(said(extra = 108)[2:3],
                   c(sub("^0", "", sprintf("%.2f", max(counts[leaf, ]) / sum(counts[leaf, ]))),
                     paste0(round(100 * sum(counts[leaf, ]) / 150), "%")))
  expect_identical(said(extra = 9)[2],
                   paste(sub("^0", "", sprintf("%.2f", counts[leaf, ] / 150)), collapse = " "))
  smooth <- (counts[leaf, ] + 10) / (sum(counts[leaf, ]) + 30)
  expect_identical(said(extra = 4, laplace = 10)[2],
                   paste(sub("^0", "", sprintf("%.2f", smooth)), collapse = " "))
  expect_identical(said(laplace = 10)[2], paste0(round(100 * max(smooth)), "%"))
  for (extra in list(5, "a", 1:2, 200)) {
    expect_contree_error(plot(iris2, extra = extra), "input", "extra")
  }
  number <- payload_trees()$number
  expect_identical(layout_of(number, 7, 5, extra = 101)$facts[[2]][-1], c("n=4", "40%"))
  expect_contree_error(plot(number, extra = 4), "input", "extra")
})

test_that("palettes are found by name", {
  expect_identical(unname(layout_of(iris2, 7, 5, palette = "set2")$col),
                   unname(grDevices::palette.colors(3, "Set 2")))
  expect_identical(unname(layout_of(iris2, 7, 5, palette = "viridis")$col),
                   grDevices::hcl.colors(3, "viridis"))
  expect_identical(unname(layout_of(iris2, 7, 5, palette = "viridis", col = 1:3)$col), 1:3)
  expect_contree_error(plot(iris2, palette = "sunset of the year"), "input", "palette")
  many <- contree(class ~ a, data.frame(a = 1:40, class = rep(letters[1:20], 2)), depth = 1)
  expect_length(unique(layout_of(many, 7, 5, palette = "Set 1")$col), 20)
})

# ---- each number that is drawn -------------------------------------------------------------------

# What plot() writes: a data frame of text and where its middle is, in inches.
drawn_texts <- function(fit, width, height, ...) {
  on_page(width, height, {
    grDevices::dev.control("enable")
    plot(fit, ...)
    arguments <- lapply(grDevices::recordPlot()[[1]], `[[`, 2)
    texts <- Filter(function(a) identical(a[[1]]$name, "C_text"), arguments)
    do.call(rbind, lapply(texts, function(a) {
      data.frame(x = a[[2]]$x, y = a[[2]]$y, text = as.character(a[[3]]))
    }))
  })
}

numbers_in <- function(text) {
  as.numeric(unlist(regmatches(text, gregexpr("-?[0-9]+[.]?[0-9]*(e[-+]?[0-9]+)?", text))))
}

# Trees of all kinds of leaves, grown to a depth without a search for the best.
deep_tree <- function(depth, leaf) {
  set.seed(depth)
  n <- 30 * 2^depth
  d <- data.frame(alpha = stats::runif(n), b = stats::runif(n), chmin = stats::rnorm(n))
  d$y <- sin(9 * d$alpha) * 300 + d$b * 70 - (0.7703 + d$b) * d$chmin
  if (leaf == "linear") {
    return(gmt(y ~ chmin | alpha + b, d, depth = depth, minbucket = 3, seed = 1, effort = 1))
  }
  if (leaf == "classes") d$y <- factor(letters[1 + (rank(d$y) * 5) %/% (n + 1)])
  forest_tree(hist_forest(y ~ ., d, trees = 1, depth = depth, seed = 1), 1, as = "model")
}

# The texts in the box of each drawn node have no number that is not the node's.
foreign_numbers <- function(fit, width, height) {
  texts <- drawn_texts(fit, width, height)
  layout <- contree:::plotted$last$layout
  words <- contree:::node_words(layout$drawn, 4, NULL, 0)
  n <- contree:::node_n(layout$drawn)
  unlist(lapply(seq_along(layout$x), function(node) {
    inside <- abs(texts$x - layout$x[node]) <= layout$half_width[node] &
      texts$y >= layout$bottom[node] & texts$y <= layout$top[node]
    own <- numbers_in(c(unlist(words$comparison[[node]]), words$class[node], words$figures[[node]],
                        words$variable[node], n[node]))
    setdiff(numbers_in(texts$text[inside]), own)
  }))
}

test_that("on pages of all sizes each box has the numbers of its node, whole", {
  for (leaf in c("classes", "number", "linear")) for (depth in 1:6) {
    fit <- deep_tree(depth, leaf)
    pages <- expand.grid(width = c(3, 4, 5.5, 7, 9, 12), height = c(3, 4.5, 6, 8))
    for (i in sample(nrow(pages), length(seeds(12, 3)))) {
      expect_identical(foreign_numbers(fit, pages$width[i], pages$height[i]), numeric(),
                       label = paste(c(leaf, depth, pages[i, ]), collapse = " "))
    }
  }
})

test_that("models are broken and cut between terms", {
  model <- "21.33 - 0.7703 * chmin + 0.25 * b"
  expect_identical(contree:::number_pieces(model), c("21.33", " - 0.7703 * chmin", " + 0.25 * b"))
  on_page(7, 5, {
    graphics::plot.new()
    wide <- contree:::text_width(model, 1, 2)
    for (share in seq(0.05, 1, by = 0.05)) {
      cut <- contree:::cut_numbers(model, share * wide, 1)
      expect_true(is.null(cut) || cut == model ||
                    cut %in% c("21.33 ..", "21.33 - 0.7703 * chmin .."))
    }
  })
})

test_that("levels and names in models stay together, whatever is in them", {
  model <- "1 + 2 * (age == \"10 - 20, or so\") - 3 * `a + b, c` - ifelse(is.na(d), 4, 5 * d)"
  expect_identical(contree:::number_pieces(model),
                   c("1", " + 2 * (age == \"10 - 20, or so\")", " - 3 * `a + b, c`",
                     " - ifelse(is.na(d),", " 4,", " 5 * d)"))
  expect_identical(contree:::number_pieces("(age == \"a \\\" - b\") + \u00fc * 2"),
                   c("(age == \"a \\\" - b\")", " + \u00fc * 2"))
})

test_that("the models of few leaves are shown whole, in lines, and of more as much as has room", {
  set.seed(12)
  x <- as.data.frame(matrix(stats::rnorm(2400), 200, dimnames = list(NULL, letters[1:12])))
  at <- stats::runif(200)
  fit <- gmt(y ~ . - at | at, cbind(x, at = at, y = rowSums(x) * (1 + (at > 0.5))), seed = 1,
             effort = 1, minbucket = 60)
  words <- contree:::leaf_words(fit, 4)
  leaf <- which(contree:::node_is_leaf(fit))
  expect_gt(length(leaf), 1)
  expect_true(all(lengths(gregexpr("*", words[leaf], fixed = TRUE)) == 12))
  for (size in list(c(7, 5), c(12, 8), c(5, 5))) {
    layout <- layout_of(fit, size[1], size[2])
    for (node in leaf) {
      said <- utils::head(layout$facts[[node]], -1)
      expect_identical(paste(said, collapse = " "), words[node])
      expect_true(all(grepl("^([-+] )?-?[0-9.]+(e[-+][0-9]+)?( |$)", said)))
    }
  }
  # one term after the other where lines are short, the number above what it is multiplied with
  on_page(7, 5, {
    graphics::plot.new()
    model <- "21.33 - 0.7703 * chmin + 0.25 * b"
    wide <- contree:::text_width("- 0.7703 * c", 1, 2)
    expect_identical(contree:::cut_numbers(model, wide, 1, 2, 9),
                     c("21.33", "- 0.7703", "* chmin", "+ 0.25 * b"))
    expect_identical(contree:::cut_numbers(model, wide, 1, 2, 3),
                     c("21.33", "- 0.7703", "* chmin .."))
    expect_identical(contree:::cut_numbers(model, wide, 1, 2, 2), "21.33 ..")
  })
})

test_that("predictions that differ read differently, and those that rounding made differ do not", {
  expect_identical(contree:::distinct_numbers(c(123456.79, 123456.8, 7, 0.3, 0.1 + 0.2), 4),
                   c("123456.79", "123456.8", "7", "0.3", "0.3"))
  data <- data.frame(x = 1:40, y = 123456 + rep(c(0.125, 0.25, 0.5, 0.75), each = 10))
  fit <- contree(y ~ x, data, depth = 2)
  leaf <- contree:::node_is_leaf(fit)
  expect_identical(vapply(layout_of(fit, 7, 5)$facts[leaf], `[`, "", 1),
                   c("123456.1", "123456.25", "123456.5", "123456.8"))
  expect_length(unique(contree:::report_words(fit, 4, 0)$lines[leaf]), 4)
})

test_that("numbers of up to nine digits are written without a power of ten", {
  values <- c(10080.4, -23240, 147300, 99999.6, 1e5, 123456789, 1234567890, 0.00012, -1e-9, 5, NaN)
  expect_identical(contree:::readable(4)(values),
                   c("10080", "-23240", "147300", "100000", "100000", "123456789", "1.235e+09",
                     "0.00012", "-1e-09", "5", "NaN"))
  data <- data.frame(x = 1:40, y = rep(c(10080, 23240, 147300, 8000), each = 10))
  fit <- contree(y ~ x, data, depth = 2)
  leaf <- contree:::node_is_leaf(fit)
  expect_identical(vapply(layout_of(fit, 7, 5)$facts[leaf], `[`, "", 1),
                   c("10080", "23240", "147300", "8000"))
  money <- contree(rep(c("a", "b"), each = 20) ~ I(rep(c(99999, 100001), each = 20)), depth = 1)
  expect_identical(contree:::distinct_thresholds(money, 4)[1], "100000")
  line <- transform(data, z = rep(1:10, 4), y = 12345 + 54321 * rep(1:10, 4))
  expect_match(contree:::leaf_words(gmt(y ~ z | x, line, seed = 1), 4)[1], "12345 + 54321 * z",
               fixed = TRUE)
})

test_that("leaves of numbers have no bar", {
  expect_identical(ncol(contree:::node_bars(deep_tree(2, "number"))), 0L)
  expect_identical(ncol(contree:::node_bars(deep_tree(2, "linear"))), 0L)
  expect_identical(ncol(contree:::node_bars(deep_tree(2, "classes"))), 5L)
})

test_that("the numbers of nodes are on the page and clear of the text in the boxes", {
  for (leaf in c("classes", "number")) for (depth in c(2, 4)) {
    fit <- deep_tree(depth, leaf)
    for (size in list(c(3, 3), c(7, 5), c(12, 8))) {
      texts <- drawn_texts(fit, size[1], size[2], numbers = TRUE)
      layout <- contree:::plotted$last$layout
      at <- match(as.character(layout$ids), texts$text)
      high <- 0.4 * layout$line
      expect_false(anyNA(at))
      expect_true(all(texts$y[at] + high <= size[2]))
      # text keeps half a pad from the edge
      expect_true(all(texts$y[at] - high > layout$top - layout$pad / 2))
      expect_true(all(texts$x[at] > 0.03))
    }
  }
})

# ---- splits that differ read differently ---------------------------------------------------------

# Of the inner nodes of a layout, whether another one asks something else in the same words.
look_alike <- function(layout) {
  inner <- which(!layout$leaf)
  said <- vapply(layout$question[inner], paste, "", collapse = " ")
  fit <- layout$drawn
  asked <- paste(contree:::node_variable(fit), contree:::node_threshold(fit),
                 vapply(contree:::node_levels(fit), function(k) paste(k$left, collapse = "\r"), ""))
  alike <- outer(said, said, `==`) & outer(asked[inner], asked[inner], `!=`)
  rowSums(alike) > 0
}

# A tree made by hand: on both sides of `x` ten of forty levels go left, alike but for one.
forty_levels <- function(levels) {
  left <- function(those) replace(rep(3L, 40), those, 1L)
  n <- c(80, 40, 10, 30, 40, 10, 30)
  contree:::new_model(
    list(feature = c(2L, 1L, 0L, 0L, 1L, 0L, 0L), threshold = c(1.5, rep(NA, 6)),
         left = c(2L, 3L, 0L, 0L, 6L, 0L, 0L), right = c(5L, 4L, 0L, 0L, 7L, 0L, 0L),
         default_left = c(FALSE, FALSE, NA, NA, FALSE, NA, NA),
         sides = list(NULL, left(c(1:9, 20)), NULL, NULL, left(c(1:9, 30)), NULL, NULL),
         missing = integer(7), n = n, weight = n, errors = numeric(7)),
    contree:::number_leaves(c(4.5, 1, 0, 2, 3.5, 3, 4)),
    list(types = c(region = "factor", x = "numeric"), xlevels = list(region = levels),
         shape = list(names = c("region", "x"), inputs = c("region", "x"))),
    quote(made_by_hand()), where = integer())
}

test_that("splits that differ read differently, on narrow pages too, or have their number", {
  common <- sprintf("the category %02d of the long classification", 1:40)
  within <- paste0(strrep("W", 20), 1:40, strrep("W", 20))
  for (levels in list(sprintf("l%02d", 1:40), common, paste0(strrep("W", 20), 1:40), within)) {
    fit <- forty_levels(levels)
    for (size in list(c(3, 3), c(4, 3), c(7, 5), c(12, 8))) {
      layout <- layout_of(fit, size[1], size[2])
      alike <- look_alike(layout)
      expect_true(all(layout$numbered[!layout$leaf][alike]))
      if (!identical(levels, within)) expect_false(any(alike))
      expect_true(boxes_apart(layout))
    }
    boxes <- contree:::report_layout(fit, 4, 0)$lines[c(2, 5)]
    expect_false(identical(boxes[[1]][1:2], boxes[[2]][1:2]))
  }
  # the last have no room but on large pages
  narrow <- layout_of(fit, 3, 3)
  expect_identical(which(narrow$numbered), which(contree:::node_variable(fit) %in% "region"))
  expect_setequal(drawn_texts(fit, 3, 3)$text[drawn_texts(fit, 3, 3)$text %in% c("2", "3")],
                  c("2", "3"))
  skip_if_not_installed("ggplot2")
  layers <- ggplot2::autoplot(fit, width = 3, height = 3)$layers
  labelled <- Filter(function(layer) inherits(layer$geom, "GeomLabel"), layers)
  expect_length(labelled, 1)
  expect_identical(labelled[[1]]$data$label, c(2L, 3L))
})

test_that("thresholds that differ have digits enough to tell them apart", {
  data <- data.frame(x = 5000 + 1:64 / 1000)
  data$y <- rep(c("a", "b", "c", "d"), each = 4, length.out = 64)
  fit <- contree(y ~ x, data, depth = 4)
  thresholds <- contree:::node_threshold(fit)
  for (size in list(c(4, 3), c(7, 5), c(12, 8))) {
    layout <- layout_of(fit, size[1], size[2])
    expect_false(any(look_alike(layout)))
    expect_gt(sum(!layout$leaf), 1)
  }
  said <- contree:::distinct_thresholds(fit, 4)
  expect_false(anyDuplicated(said[!is.na(thresholds)]) > 0)
  # the others keep the digits asked for
  expect_identical(contree:::distinct_thresholds(iris2, 2),
                   contree:::threshold_text(iris2, function(value) format(value, digits = 2)))
})

# Deep trees of few leaves, and trees of actions.
priced_trees <- function() {
  set.seed(3)
  n <- 300
  data <- data.frame(a = stats::runif(n), b = stats::rnorm(n), c = stats::rpois(n, 6))
  class <- c(1, 2, 1, 2, 1, 3)[findInterval(data$a, c(0, 0.1, 0.2, 0.35, 0.5, 0.8))]
  data$y <- factor(c("low", "middle", "high")[class])
  chain <- data.frame(x = 1:200)
  chain$y <- factor(letters[findInterval(chain$x, c(1, 20, 30, 50, 90, 120, 125))])
  gamma <- cbind(none = 0, "a long name of an action" = data$b, grant = data$c / 9 - 0.5,
                 third = 0.4 - data$a)
  list(contree(y ~ a + b + c, data, complexity = 0.002, depth = 6),
       contree(y ~ x, chain, complexity = 0.001, depth = 6),
       policy_tree(data["a"], gamma, depth = 3), policy_tree(data["b"], gamma, depth = 2))
}

test_that("trees of few leaves and trees of actions have the numbers of their nodes, whole", {
  fits <- priced_trees()
  expect_gte(max(contree:::node_depth(fits[[2]])), 5)
  expect_lte(sum(contree:::node_is_leaf(fits[[2]])), 7)
  pages <- expand.grid(width = c(3, 4.5, 7, 12), height = c(3, 4.5, 8))
  for (fit in fits) for (i in sample(nrow(pages), length(seeds(12, 4)))) {
    expect_identical(foreign_numbers(fit, pages$width[i], pages$height[i]), numeric())
    layout <- layout_of(fit, pages$width[i], pages$height[i])
    expect_true(boxes_apart(layout))
    expect_false(any(look_alike(layout)))
  }
})

test_that("leaves name their action on any page, with its reward or without", {
  set.seed(6)
  x <- data.frame(a = stats::runif(400), b = stats::runif(400), c = stats::runif(400))
  long <- "give the large grant to all of them"
  gamma <- cbind(none = 0, x$a - 0.4 + sin(20 * x$b), `-3.5` = x$c / 9)
  colnames(gamma)[2] <- long
  fit <- policy_tree(x, gamma, depth = 3)
  for (size in list(c(3, 3), c(3, 5), c(4, 3), c(7, 5), c(12, 8))) {
    layout <- layout_of(fit, size[1], size[2])
    of_long <- layout$leaf & contree:::node_action(layout$drawn) == long
    expect_gt(sum(of_long), 0)
    for (node in which(layout$leaf)) {
      said <- layout$facts[[node]]
      expect_match(said[1], if (of_long[node]) "^(give|gi.*[.][.])" else "^-3[.]5|^none")
    }
    expect_identical(foreign_numbers(fit, size[1], size[2]), numeric())
    expect_true(boxes_apart(layout))
  }
})

test_that("titles and notes are on the page, broken into lines where they are long", {
  wide <- function(text, cex, font) {
    max(graphics::strwidth(text, units = "inches", cex = cex, font = font))
  }
  for (size in c(3, 3.7, 4, 5, 7)) for (words in c(1, 3, 16, 40)) {
    on_page(size, 8, {
      plot(deep_tree(5, "number"), main = strrep("rather long words ", words))
      layout <- contree:::plotted$last$layout
      expect_lte(wide(layout$title, layout$title_cex, 2), size)
      expect_gte(layout$title_cex, 0.7)
      if (!is.null(layout$note)) expect_lte(wide(layout$note, layout$note_cex, 3), size)
    })
  }
})

test_that("no leaf is an empty box, whatever size of text is asked for", {
  fit <- deep_tree(4, "number")
  fit$frame$yval <- fit$frame$yval * -1e-91
  for (cex in c(0.6, 1, 1.5, 2)) for (size in list(c(3, 3), c(5, 4), c(7, 5))) {
    layout <- layout_of(fit, size[1], size[2], cex = cex)
    expect_true(all(nzchar(vapply(layout$facts[layout$leaf], `[`, "", 1))))
  }
})
