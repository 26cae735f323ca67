# Trees of all kinds and rows to try them on, for the tests of what is written in other languages.

hostile_names <- c("'); DROP TABLE x; --", "*/ system(\"x\"); /*", "line\nbreak",
                   "Gr\u00f6\u00dfe \u4e2d",
                   "??/ \\ \" ]]> <b> &amp; %s \\n")

mixed_data <- function(n = 200) {
  set.seed(1)
  data <- data.frame(
    x = round(rnorm(n), 1), f = factor(sample(letters[1:4], n, TRUE)), i = sample(10L, n, TRUE),
    l = runif(n) < 0.5, o = factor(sample(c("low", "mid", "high"), n, TRUE),
                                   levels = c("low", "mid", "high"), ordered = TRUE),
    d = as.Date("2020-01-01") + sample(100, n, TRUE),
    t = .POSIXct(1577836800 + round(runif(n, 0, 1e5), 3), "UTC"),
    ch = sample(c("p", "q", "r", "s s"), n, TRUE))
  for (name in names(data)) data[[name]][sample(n, 20)] <- NA
  data
}

# An ordered factor, an unordered one and a number that matter by being there, which they mostly are
# not.
mostly_missing <- function() {
  data <- expand.grid(o = c(NA, NA, NA, "low", "high"), f = c(NA, NA, NA, "a", "b"),
                      x = c(NA, NA, NA, 1, 2))
  data$o <- factor(data$o, c("low", "high"), ordered = TRUE)
  data$class <- factor(ifelse(is.na(data$o), ifelse(is.na(data$f), "x", "y"),
                              ifelse(is.na(data$x), "x", "z")))
  data
}

# Each with the data it was fitted to. Together the trees ask for every type of predictor.
shared_trees <- function() {
  mixed <- mixed_data()
  answer <- function(...) factor(ifelse(ifelse(...), "it's", "the \"other\""))
  with_class <- function(class) list(data = cbind(mixed, class = class))
  set.seed(5)
  grid <- as.data.frame(matrix(runif(64 * 5) / 3, 64) +
                        as.matrix(expand.grid(rep(list(0:1), 5))[1 + 0:63 %% 32, ]))
  hostile <- as.data.frame(matrix(round(runif(150 * 3), 2), 150))
  hostile[4:5] <- lapply(1:2, function(j) factor(sample(hostile_names, 150, TRUE)))
  names(hostile) <- hostile_names
  on_level <- hostile[[4]] %in% hostile_names[c(1, 3, 5)]
  trees <- list(
    numeric = list(data = data.frame(iris[1:4], class = iris$Species), depth = 2),
    leaf = list(data = data.frame(iris[1:4], class = iris$Species), depth = 0),
    deep = list(data = cbind(grid, class = factor(rowSums(grid > 0.5) %% 2)), depth = 5),
    factors = c(depth = 3,
                with_class(answer(mixed$f %in% c("a", "c"), !is.na(mixed$x) & mixed$x < 0.3,
                                  mixed$ch %in% c("p", "s s")))),
    dates = c(depth = 3, with_class(answer(mixed$d < as.Date("2020-02-01"),
                                           mixed$t > .POSIXct(1577886800, "UTC"), is.na(mixed$i)))),
    codes = c(depth = 3,
              with_class(answer(mixed$o < "high", mixed$l, mixed$o == "high" & mixed$i > 4))),
    # values are parted from missing ones, of which some nodes have more
    gaps = c(depth = 3, with_class(answer(is.na(mixed$x), is.na(mixed$f), is.na(mixed$o)))),
    holes = list(depth = 2, data = mostly_missing()),
    hostile = list(data = cbind(
      hostile, class = factor(hostile_names[1 + 2 * (hostile[[1]] < 0.5) + on_level])), depth = 3))
  random <- lapply(1:8, function(i) {
    data <- mixed_table(30, classes = 3)
    list(data = data.frame(data[names(data) != "y"], class = data$y), depth = 3)
  })
  lapply(c(trees, stats::setNames(random, paste0("random", seq_along(random)))), function(tree) {
    tree$data <- tree$data[!is.na(tree$data$class), ]
    tree$fit <- contree(class ~ ., tree$data, depth = tree$depth)
    tree
  })
}

# The training rows; some of them with each predictor of the tree in turn missing, at its thresholds
# and next to them, infinite, and with a level that is new.
trial_rows <- function(fit, data) {
  rows <- data[setdiff(names(data), "class")]
  some <- rows[rep_len(seq_len(nrow(rows)), 40), ]
  changed <- function(name, value) {
    some[[name]][] <- value
    some
  }
  nodes <- as.data.frame(fit)
  for (node in which(!nodes$leaf)) {
    name <- nodes$variable[node]
    threshold <- nodes$threshold[node]
    rows <- rbind(rows, changed(name, NA))
    if (is.double(rows[[name]]) && is.finite(threshold)) {
      value <- threshold + c(0, -1, 1, 0) * c(0, 2^-51, 2^-51, 0) * abs(threshold)
      if (inherits(rows[[name]], "Date")) value <- round(threshold) + c(0, -1, 1, 0)
      if (inherits(rows[[name]], "POSIXct")) value <- threshold + c(0, -1, 1, 0) * 1e-3
      value <- rep_len(value, 40)
      attributes(value) <- attributes(some[[name]])
      rows <- rbind(rows, changed(name, value))
    }
    if (is.character(rows[[name]])) rows <- rbind(rows, changed(name, "never 'seen'"))
    if (is.double(rows[[name]]) && !is.object(rows[[name]])) {
      rows <- rbind(rows, changed(name, Inf)[1:3, ], changed(name, -Inf)[1:3, ])
    }
    if (is.factor(rows[[name]])) {
      levels(some[[name]]) <- c(levels(some[[name]]), "never 'seen'")
      rows <- rbind(rows, changed(name, "never 'seen'"))
      levels(some[[name]]) <- levels(rows[[name]])
    }
  }
  row.names(rows) <- NULL
  rows
}

# Rows with that level.
has_new_level <- function(rows) {
  Reduce(`|`, lapply(rows, function(x) as.character(x) %in% "never 'seen'"))
}

# What predict() says of rows, the standard all others are held to.
expected_of <- function(fit, rows) {
  suppressWarnings(list(class = as.character(predict(fit, rows)),
                        node = unname(predict(fit, rows, type = "node")), prob = unname(
                          predict(fit, rows, type = "prob"))), classes = "contree_new_levels")
}

the_trees <- NULL

# Made once, when the first test wants them.
for_each_tree <- function(test) {
  if (is.null(the_trees)) the_trees <<- shared_trees()
  for (name in names(the_trees)) {
    tree <- the_trees[[name]]
    rows <- trial_rows(tree$fit, tree$data)
    test(tree$fit, rows, expected_of(tree$fit, rows), name)
  }
}

# By a factor first, then by a number.
contree_tree_with_levels <- function() {
  data <- expand.grid(f = factor(c("a", "b", "c")), x = 1:4)
  data$y <- factor(ifelse(data$f == "a", ifelse(data$x < 3, "u", "v"), "w"))
  contree(y ~ f + x, rbind(data, data), depth = 2)
}
