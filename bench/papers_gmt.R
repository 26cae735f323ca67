# The experiments of Jurczuk, Czajkowski and Kretowski (2022), evolution of model trees, by
# gmt(search = "paper") and beside the search of gmt() itself. Writes bench/results/paper-gmt.csv;
# `paper`: seconds on an RTX 2080 Ti and of their sequential program.
#
#   Rscript bench/papers_gmt.R [armchair|scaling|parts|sets] ...     nothing: all
#
# armchair: 10,000 rows, 10,000 generations. scaling: seconds of all generations of 64 trees,
# extrapolated from a few. parts: what a generation spends on selection, crossover and mutation, and
# what comes before and after. sets: sets that R ships, and generated ones, a third for testing, in
# place of the 15 of table 3, whose names and figures could not be had.
# Seconds are those of one core (user), since machines are shared.

library(contree)
for (file in c("armchair", "papers")) source(sprintf("bench/lib/%s.R", file))
asked <- commandArgs(TRUE)
wanted <- function(part) length(asked) == 0 || part %in% asked
row_of <- function(...) paper_row("gmt", ...)
user <- function(expression) unname(system.time(expression)[1])
evolve <- function(d, generations, ...) {
  gmt(d$x, d$y, search = "paper", effort = generations, patience = Inf, seed = 1, threads = 1,
      device = "cpu", ...)
}
quick <- nzchar(Sys.getenv("QUICK"))
generations <- if (quick) 100 else 1e4

if (wanted("armchair")) {
  paper_begin("gmt", "armchair")
  for (fitness in c("weighted", "bic")) for (seed in seq_len(if (quick) 1 else 3)) {
    d <- armchair(1e4, 0, seed)
    seconds <- user(fit <- evolve(d, generations, fitness = fitness))
    case <- sprintf("%s, seed %d", fitness, seed)
    row_of("armchair", case, "RMSE (noise: 0.05)", sqrt(mean(residuals(fit)^2)))
    row_of("armchair", case, "leaves", nrow(coef(fit)), 5)
    row_of("armchair", case, "last better generation", max(fit$gmt$history$kick), generations)
    row_of("armchair", case, "seconds", seconds, "267 GPU; 4221 CPU")
  }
}

two_d_planes <- function(n) {
  set.seed(1)
  x <- cbind(sample(c(-1, 1), n, TRUE), matrix(sample(-1:1, 9 * n, TRUE), n))
  colnames(x) <- paste0("x", 1:10)
  y <- ifelse(x[, 1] == 1, 3 + 3 * x[, 2] + 2 * x[, 3] + x[, 4],
              -3 + 3 * x[, 5] + 2 * x[, 6] + x[, 7])
  list(x = x, y = y + stats::rnorm(n))
}

if (wanted("scaling")) {
  paper_begin("gmt", "scaling")
  cases <- list(
    list("armchair 1e4 x 2", function() armchair(1e4, 0, 1), 250, "267 GPU; 4221 CPU"),
    list("armchair 1e5 x 2", function() armchair(1e5, 0, 1), 250, "654 GPU; 57109 CPU"),
    list("armchair 1e6 x 2", function() armchair(1e6, 0, 1), 150, "6404 GPU; 1303450 CPU"),
    list("armchair 1e7 x 2", function() armchair(1e7, 0, 1), 80, NA),
    list("2dplanes 40768 x 10", function() two_d_planes(40768), 250, "662 GPU; 74969 CPU"))
  if (quick) cases <- cases[1]
  for (case in cases) {
    d <- case[[2]]()
    last <- case[[3]]
    seconds <- (user(evolve(d, last)) - user(evolve(d, 50))) / (last - 50)
    row_of("scaling", case[[1]], "milliseconds a generation", 1e3 * seconds)
    row_of("scaling", case[[1]], "seconds of 640,000 trees, extrapolated", 1e4 * seconds,
           case[[4]])
  }
}

if (wanted("parts")) {
  paper_begin("gmt", "parts")
  n <- if (quick) 1e3 else 1e5
  d <- armchair(n, 0, 1)
  case <- sprintf("armchair %.0e x 2", n)
  start <- min(replicate(3, user(evolve(d, 0))))
  row_of("parts", case, "data, first trees, final models: s", start)
  last <- 0
  for (part in list(list("selection", 0, 0), list("+ crossover", 1, 0), list("+ mutation", 1, 1))) {
    of <- function(n) user(evolve(d, n, crossover = 0.2 * part[[2]], mutation = 0.8 * part[[3]]))
    seconds <- (of(500) - of(100)) / 400
    row_of("parts", case, paste(part[[1]], "and its fits: ms a generation"),
           1e3 * (seconds - last))
    last <- seconds
  }
}

if (wanted("sets")) {
  paper_begin("gmt", "sets")
  row_of("sets", "table 3: names and figures of its 15 sets could not be had", "RMSE of test rows",
         NA)
  friedman <- function(n) {
    set.seed(1)
    x <- matrix(stats::runif(n * 10), n, dimnames = list(NULL, paste0("x", 1:10)))
    data.frame(x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] +
                 5 * x[, 5] + stats::rnorm(n))
  }
  planes <- two_d_planes(5000)
  sets <- list(boston = transform(MASS::Boston, y = medv, medv = NULL),
               cpus = transform(MASS::cpus[-1], y = perf, perf = NULL, estperf = NULL),
               airquality = transform(stats::na.omit(datasets::airquality), y = Ozone,
                                      Ozone = NULL),
               friedman = friedman(5000), "2dplanes" = data.frame(planes$x, y = planes$y))
  if (quick) sets <- sets["cpus"]
  ways <- list("paper, weighted" = list(search = "paper", fitness = "weighted", alpha = 1e-3,
                                        effort = 3000),
               "paper, BIC" = list(search = "paper", effort = 3000), local = list())
  for (name in names(sets)) for (way in names(ways)) {
    found <- vapply(1:3, function(seed) {
      set.seed(seed)
      test <- sample(nrow(sets[[name]]), nrow(sets[[name]]) / 3)
      fit <- do.call(gmt, c(list(y ~ ., sets[[name]][-test, ], seed = seed, threads = 1),
                            ways[[way]]))
      new <- sets[[name]][test, ]
      c(sqrt(mean((new$y - predict(fit, new))^2)), nrow(coef(fit)), sum(!is.na(coef(fit))))
    }, numeric(3))
    row_of("sets", name, paste0(way, ": RMSE of test rows"), mean(found[1, ]))
    row_of("sets", name, paste0(way, ": leaves"), mean(found[2, ]))
    row_of("sets", name, paste0(way, ": coefficients"), mean(found[3, ]))
  }
}
