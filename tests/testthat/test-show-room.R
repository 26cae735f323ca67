long <- c("a", "a_rather_long_name_of_a_predictor", "a rather long name of another predictor")

test_that("names at the left have half of the figure at most, and keep their ends", {
  for (width in c(3, 4, 7, 12)) on_page(width, 4, {
    graphics::plot.new()
    left <- contree:::names_at_left(long)
    expect_lte(max(contree:::text_width(left$names, 1)), width / 2 - 0.3)
    expect_lte(left$margin, width / 2)
    expect_identical(left$names[1], "a")
    if (width > 7) expect_identical(left$names, long)
    expect_length(unique(left$names), 3)
  })
})

test_that("legends and titles of axes are within the plot and the page", {
  for (width in c(3, 4, 7)) on_page(width, 4, {
    graphics::plot(1:2, 1:2)
    for (names in list("one", long, c("held-out rows", "training rows"))) {
      box <- contree:::legend_at_top(names, lty = 1, lwd = 2)$rect
      expect_gte(box$left, graphics::par("usr")[1])
      expect_lte(box$left + box$w, graphics::par("usr")[2])
    }
    title <- "proportion of the samples in which the split returns"
    size <- contree:::title_size(title)
    middle <- graphics::par("mai")[2] + graphics::par("pin")[1] / 2
    half <- contree:::text_width(title, size) / 2
    expect_true(size == 1 || (middle - half > 0 && middle + half < width))
  })
})

test_that("all levels are named, one below the other, without running into each other", {
  many <- sprintf("region %02d of the country", 1:40)
  for (size in list(c(3, 3), c(4, 4), c(7, 5), c(5, 8))) on_page(size[1], size[2], {
    graphics::plot.new()
    margins <- c(0.84, 0.82, 0.2, 0.42)
    left <- contree:::columns_of_names(many, size[1] / 2, margins)
    expect_length(unique(left$names), 40)
    expect_lte(left$width, size[1] / 2)
    # a name has the lines of as many levels as there are columns
    apart <- left$columns * (size[2] - sum(margins[c(1, 3)])) / 40
    expect_lte(contree:::line_height(left$size), apart * 1.001)
    expect_gte(left$size, 0.6)
  })
  data <- data.frame(region = factor(rep(many, 5)), y = rep(1:40, 5))
  fit <- contree(y ~ region, data, depth = 2, subset_levels = 2)
  for (size in list(c(3, 3), c(7, 5))) {
    calls <- drawn(plot(partial_dependence(fit, data, "region")), size)
    at <- unlist(lapply(calls[names(calls) == "C_axis"], function(call) call[[2]]))
    expect_true(all(1:40 %in% at))
  }
})

test_that("keys of numbers have few digits, which tell them apart", {
  data <- data.frame(g = factor(rep(c("a", "b"), 20)), x = 1:40 + 0.1234567, y = 1:40)
  fit <- contree(y ~ g + x, data, depth = 2)
  shown <- partial_dependence(fit, data, c("g", "x"), at = list(x = c(1 / 3, 9.12341, 9.12342)))
  calls <- drawn(plot(shown))
  said <- unlist(lapply(unname(calls[names(calls) == "C_text"]), `[[`, 2))
  expect_identical(said, c("0.3333", "9.12341", "9.12342"))
})

test_that("each leaf has its label, also on small pages", {
  rows <- contree(mpg ~ wt + hp + qsec, mtcars, depth = 3, minbucket = 3)
  labels <- function(calls) unlist(lapply(unname(calls[names(calls) == "C_axis"]), `[[`, 3))
  for (size in list(c(3, 3), c(7, 5))) {
    leaves <- contree:::node_ids(rows)[contree:::node_is_leaf(rows)]
    said <- labels(drawn(plot(rows, what = "boxes"), size))
    expect_identical(sub("\n.*", "", said), as.character(leaves))
  }
  on_page(3, 3, {
    graphics::plot(1:8, 1:8)
    contree:::axis_of_all(1:8, paste0("label ", 1:8))
    expect_error(contree:::axis_of_all(1, "one"), NA)
  })
})
