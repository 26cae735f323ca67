set.seed(41)
clothes <- data.frame(
  size = factor(rep(c("S", "M", "L", "XL"), 25), c("S", "M", "L", "XL"), ordered = TRUE),
  day = as.Date("2024-02-20") + rep(c(0, 9, 11, 30), each = 25),
  time = as.POSIXct("2024-10-27 01:30", tz = "Europe/Berlin") + 1800 * rep(0:9, 10),
  wait = as.difftime(rep(c(1.5, 2, 4, 8, 9), 20), units = "mins"),
  colour = rep(c("red", "green", "blue", "dark \"blue\"", "green"), 20))

# The split of a tree of depth one that tells `apart` from the other rows.
first_split <- function(name, apart, data = clothes) {
  contree(reformulate(name, "apart"), cbind(data[name], apart), depth = 1)
}
printed <- function(fit) paste0(2:3, ") ", contree:::split_text(fit, 7)[2:3])

test_that("thresholds are said in the terms of the data", {
  small <- first_split("size", clothes$size <= "M")
  expect_identical(printed(small), c("2) size< L", "3) size>=L"))
  expect_identical(contree_rules(small)$rule, c("size < \"L\"", "size >= \"L\""))
  expect_equal(small$splits[[1, "index"]], 2.5)
  # half way between the levels S and L would be M itself
  gap <- first_split("size", clothes$size[clothes$size %in% c("S", "L")] == "L",
                     clothes[clothes$size %in% c("S", "L"), ])
  expect_equal(gap$splits[[1, "index"]], 1.5)
  early <- first_split("day", clothes$day < "2024-03-01")
  expect_identical(printed(early), c("2) day< 2024-03-01", "3) day>=2024-03-01"))
  expect_identical(contree_rules(early)$rule[1], "day < as.Date(\"2024-03-01\")")
  short <- first_split("wait", clothes$wait < 3)
  expect_identical(printed(short), c("2) wait< 3 mins", "3) wait>=3 mins"))
  expect_identical(contree_rules(short)$rule[1], "wait < as.difftime(3, units = \"mins\")")
  blue <- first_split("colour", grepl("blue", clothes$colour))
  expect_identical(printed(blue), c("2) colour=blue,dark \"blue\"", "3) colour=green,red"))
  expect_identical(contree_rules(blue)$rule,
                   c("colour %in% c(\"blue\", \"dark \\\"blue\\\"\")",
                     "colour %in% c(\"green\", \"red\")"))
})

test_that("the hour that is there twice when summer ends is told apart", {
  for (row in 1:9) {
    apart <- clothes$time > clothes$time[row]
    fit <- first_split("time", apart)
    expect_equal(fit$objective, 0)
    expect_silent(rule <- eval(str2lang(contree_rules(fit)$rule[2]), clothes))
    expect_identical(rule, apart, info = row)
    expect_match(printed(fit)[1], "time< 2024-10-27 0[1-5]:[0-9]{2}:[0-9]{2} CES?T")
  }
})

test_that("parts of days and seconds are kept", {
  data <- data.frame(day = as.Date("2024-01-01") + c(0.25, 0.5),
                     time = .POSIXct(1e9 + c(0.25, 0.5), "UTC"))[rep(1:2, 5), ]
  for (name in names(data)) {
    fit <- first_split(name, rep(c(FALSE, TRUE), 5), data)
    expect_equal(fit$objective, 0)
    expect_identical(eval(str2lang(contree_rules(fit)$rule[2]), data), rep(c(FALSE, TRUE), 5))
  }
  expect_match(printed(fit)[1], "time< 2001-09-09 01:46:40.375000 UTC", fixed = TRUE)
})

test_that("missing values are said where training rows had them", {
  data <- data.frame(a = c(1:6, NA, NA), y = rep(c("u", "v"), c(3, 5)))
  fit <- contree(y ~ a, data, depth = 1)
  expect_identical(printed(fit), c("2) a< 3.5", "3) a>=3.5 or missing"))
  expect_identical(contree_rules(fit)$rule, c("a < 3.5", "(a >= 3.5 | is.na(a))"))
  data$y[1:6] <- "u"
  fit <- contree(y ~ a, data, depth = 1)
  expect_identical(printed(fit), c("2) a missing", "3) a not missing"))
  expect_identical(contree_rules(fit)$rule, c("is.na(a)", "!is.na(a)"))
  # first by being missing, then by value
  data <- data.frame(a = c(rep(1:3, each = 10), rep(NA, 10)),
                     y = rep(c("u", "v", "u", "w"), each = 10))
  rules <- contree_rules(contree(y ~ a, data, depth = 3, complexity = 0.01))$rule
  expect_true(all(vapply(rules, function(rule) sum(eval(str2lang(rule), data) %in% TRUE),
                         0L) == 10))
})

test_that("missing rows are said of wherever they can be in a rule", {
  # a node without missing rows may lie below one that has them: new ones walk on to the larger
  # child
  above <- list(low = -Inf, high = 5, high_text = "5", levels = NULL, missing = TRUE)
  split <- list(threshold = 2, text = "2", levels = NULL, missing = 0, left = FALSE)
  said <- function(left) {
    contree:::condition_text("a", contree:::learn(above, split, left), "numeric")
  }
  expect_identical(said(TRUE), "a < 2")
  expect_identical(said(FALSE), "(a >= 2 & a < 5 | is.na(a))")
})

test_that("conditions on one factor are merged", {
  data <- data.frame(f = rep(c("a", "b", "c", "d"), each = 10), g = rep(1:2, 20),
                     y = rep(c("u", "v", "w", "v"), each = 10))
  data$f[c(1, 11)] <- NA
  rules <- contree_rules(contree(y ~ f, data, depth = 2))$rule
  expect_false(any(grepl("f.*f.*f", gsub("is.na(f)", "", rules, fixed = TRUE))))
  inside <- vapply(rules, function(rule) eval(str2lang(rule), data) %in% TRUE, logical(40))
  expect_true(all(rowSums(inside) == 1))
})

test_that("a plot says levels as far as they fit, and counts the others", {
  grDevices::pdf(NULL, 7, 5)
  on.exit(grDevices::dev.off())
  set.seed(42)
  data <- data.frame(f = factor(sample(paste("level number", 1:90), 900, TRUE)), a = runif(900),
                     d = Sys.Date() + 1:900)
  data$y <- factor(as.integer(data$f) %% 2 == 0)
  data$a[1:50] <- NA
  fit <- suppressMessages(contree(y ~ ., data, depth = 3))
  for (size in c(1, 0.5)) {
    plot(fit, cex = size)
    layout <- contree:::plotted$last$layout
    words <- unlist(layout$question)
    expect_true(any(grepl("+", words, fixed = TRUE)))
    widest <- vapply(layout$question,
                     function(lines) max(0, contree:::text_width(lines, layout$cex, 2)), 0)
    expect_true(all(widest <= 2 * layout$half_width))
  }
  few <- contree(y ~ f, data.frame(f = c("a", "b", NA), y = c("u", "v", "u"))[rep(1:3, 5), ],
                 depth = 1)
  plot(few)
  expect_identical(paste(contree:::plotted$last$layout$question[[1]], collapse = " "),
                   "f = a or missing")
})
