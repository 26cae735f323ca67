# gmt() by its defaults beside lm(), on noisy sets of 200 to 1,000 rows: root mean squared errors of
# held-out rows, medians of repeated cross-validations of 5 folds.
#
#   Rscript bench/guard.R [REPEATS]

library(contree)
asked <- commandArgs(TRUE)
repeats <- if (length(asked)) as.integer(asked[1]) else 5L
set.seed(42)
made <- function(n, p, f, sd, shared = 0) {
  x <- sqrt(1 - shared) * matrix(rnorm(n * p), n) + sqrt(shared) * rnorm(n)
  d <- as.data.frame(x)
  d$y <- f(d) + rnorm(n) * sd
  d
}
with_y <- function(d, y) {
  names(d)[names(d) == y] <- "y"
  d
}
line <- function(d) d$V1 + d$V2
kink <- function(d) ifelse(d$V1 > 0, 2 * d$V2, -d$V2)
sets <- list(
  linear200 = made(200, 5, line, 1), linear1000 = made(1000, 8, line, 1),
  noise200 = made(200, 8, line, 9), noise300 = made(300, 5, line, 9),
  noise600 = made(600, 6, line, 5), nothing = made(250, 4, function(d) 0, 1),
  correlated300 = made(300, 8, rowSums, 6, 0.9), correlated500 = made(500, 5, line, 2, 0.8),
  small400 = made(400, 10, function(d) 0.1 * line(d), 1),
  heavy300 = within(made(300, 4, line, 0), y <- y + rt(300, 3) * 3),
  heavy250 = within(made(250, 6, line, 0), y <- y + rt(250, 2) * 4),
  uneven300 = within(made(300, 3, line, 0), y <- y + rnorm(300) * exp(V2) * 4),
  factors400 = within(made(400, 3, line, 1.5), {
    f <- factor(sample(letters[1:6], 400, TRUE))
    y <- y + 0.3 * as.integer(f)
  }),
  kink500 = made(500, 4, kink, 1), kink300 = made(300, 4, kink, 5),
  curve300 = made(300, 4, function(d) 0.3 * d$V1^2 + d$V2, 2),
  Boston = with_y(MASS::Boston, "medv"), quakes = with_y(quakes, "stations"),
  Pima = with_y(MASS::Pima.tr[c("npreg", "glu", "bp", "skin", "bmi", "age")], "bp"),
  friedman = {
    d <- as.data.frame(matrix(runif(3000), 300))
    d$y <- with(d, 10 * sin(pi * V1 * V2) + 20 * (V3 - 0.5)^2 + 10 * V4 + 5 * V5 + rnorm(300))
    d
  })

errors <- function(d, turn) {
  set.seed(turn)
  fold <- sample(rep_len(1:5, nrow(d)))
  of <- function(fit) {
    value <- numeric(nrow(d))
    for (k in 1:5) value[fold == k] <- predict(fit(d[fold != k, ]), d[fold == k, ])
    sqrt(mean((value - d$y)^2))
  }
  c(gmt = of(function(d) gmt(y ~ ., d, seed = 1)), lm = of(function(d) lm(y ~ ., d)))
}
table <- t(vapply(sets, function(d) {
  apply(vapply(seq_len(repeats), function(turn) errors(d, turn), c(gmt = 0, lm = 0)), 1, median)
}, c(gmt = 0, lm = 0)))
print(round(cbind(table, ratio = table[, "gmt"] / table[, "lm"]), 3))
