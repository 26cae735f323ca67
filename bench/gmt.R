# gmt() beside lmtree() of partykit, rpart and ranger, where they are installed: seconds of one
# core, leaves, and how well they predict.
#
#   Rscript bench/gmt.R [armchair|large|paper|threads|proofs|sets] ...     nothing: all
#
# armchair: five planes, 20 seeds of 10,000 rows, and lmtree on one of them. large: a million rows
# with no column and with 8 columns of noise besides, on one thread and on two. paper: what 10,000
# generations of 64 trees would take, extrapolated from generations 51 to 250 on a million rows.
# threads: processor time of each of two threads (Linux), which are as fast as their sum where both
# have a core; `score` is the time of one thread by that of the busier of two.
# proofs: what `certify` adds to a search of that depth; the score is the gap that is left.
# sets: public and generated sets, split 70:30 at random, R squared of the test part. Seconds are
# the processor's (user), since machines are shared. Writes bench/results/gmt.csv.

library(contree)
source("bench/lib/armchair.R")
asked <- commandArgs(TRUE)
wanted <- function(part) length(asked) == 0 || part %in% asked
has <- function(package) requireNamespace(package, quietly = TRUE)
rows <- list()

note <- function(set, method, seconds, leaves = NA, score = NA, elapsed = NA) {
  rows[[length(rows) + 1]] <<- data.frame(set, method, seconds, elapsed, leaves, score)
  cat(sprintf("%-22s %-10s %8.2f s (%6.2f elapsed) %4.0f leaves %8.4f\n", set, method, seconds,
              elapsed, leaves, score))
}

timed <- function(expression) {
  time <- system.time(value <- expression)
  list(value = value, seconds = time[[1]], elapsed = time[[3]])
}

rmse <- function(fit) sqrt(stats::deviance(fit) / stats::nobs(fit))

if (wanted("armchair")) {
  fits <- lapply(1:20, function(seed) {
    d <- armchair(1e4, 0, seed)
    timed(gmt(d$x, d$y, seed = seed, threads = 1))
  })
  leaves <- vapply(fits, function(f) nrow(coef(f$value)), 0L)
  note(sprintf("armchair 1e4 (%d of 20)", sum(leaves == 5)), "gmt",
       mean(vapply(fits, `[[`, 0, "seconds")), mean(leaves),
       mean(vapply(fits, function(f) rmse(f$value), 0)),
       mean(vapply(fits, `[[`, 0, "elapsed")))
  if (has("partykit")) {
    d <- armchair(1e4, 0, 1)
    data <- data.frame(d$x, y = d$y)
    tree <- timed(partykit::lmtree(y ~ x1 + x2 | x1 + x2, data))
    note("armchair 1e4", "lmtree", tree$seconds, partykit::width(tree$value),
         sqrt(mean((data$y - stats::predict(tree$value, data))^2)), tree$elapsed)
  }
}

if (wanted("large")) {
  for (noise in c(0, 8)) {
    d <- armchair(1e6, noise, 1)
    for (threads in 1:2) {
      f <- timed(gmt(d$x, d$y, seed = 1, threads = threads))
      note(sprintf("armchair 1e6 + %d", noise), paste0("gmt ", threads), f$seconds,
           nrow(coef(f$value)), rmse(f$value), f$elapsed)
    }
  }
}

if (wanted("paper")) {
  d <- armchair(1e6, 0, 1)
  f <- lapply(c(50, 250), function(generations) {
    timed(gmt(d$x, d$y, seed = 1, threads = 1, search = "paper", effort = generations))
  })
  per_generation <- vapply(c("seconds", "elapsed"), function(name) {
    (f[[2]][[name]] - f[[1]][[name]]) / 200
  }, 0)
  note("armchair 1e6, 640,000 trees", "gmt paper", 1e4 * per_generation[["seconds"]],
       elapsed = 1e4 * per_generation[["elapsed"]])
}

# Seconds of the processor that each thread of this process has had.
seconds_of_threads <- function() {
  threads <- list.files("/proc/self/task", full.names = TRUE)
  vapply(threads, function(thread) {
    as.numeric(strsplit(readLines(file.path(thread, "schedstat")), " ")[[1]][1]) / 1e9
  }, 0)
}

busiest_thread <- function(expression) {
  before <- seconds_of_threads()
  force(expression)
  after <- seconds_of_threads()
  known <- match(names(after), names(before))
  max(after - ifelse(is.na(known), 0, before[known]))
}

friedman1 <- function(n) {
  set.seed(1)
  x <- matrix(stats::runif(n * 10), n)
  list(x = x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] +
         5 * x[, 5] + stats::rnorm(n))
}

if (wanted("threads") && file.exists("/proc/self/task")) {
  data <- list("friedman1 1000" = friedman1(1e3), "friedman1 40000" = friedman1(4e4),
               "armchair 1e6" = armchair(1e6, 0, 1))
  for (name in names(data)) {
    d <- data[[name]]
    least <- vapply(1:2, function(threads) {
      min(replicate(2, busiest_thread(gmt(d$x, d$y, seed = 1, threads = threads))))
    }, 0)
    note(name, "gmt, 2 threads", least[2], score = least[1] / least[2])
  }
}

# ---- proofs --------------------------------------------------------------------------------------

wavy <- function(n) {
  set.seed(1)
  x <- matrix(stats::runif(n * 5, 0, 5), n)
  list(x = x, y = sin(2 * x[, 1]) * x[, 2] + 0.3 * x[, 3]^2 + stats::rnorm(n, 0, 0.3))
}

proofs <- list(
  list(name = "armchair 1e6 + 8, B 64", data = function() armchair(1e6, 8, 1), depth = 2,
       bins = 64),
  list(name = "armchair 1e4, B 64", data = function() armchair(1e4, 0, 1), depth = 3, bins = 64),
  list(name = "armchair 1e5, B 64", data = function() armchair(1e5, 0, 1), depth = 3, bins = 64),
  list(name = "wavy 1200 x 5, B 64", data = function() wavy(1200), depth = 3, bins = 64),
  list(name = "friedman1 1e3, B 32", data = function() friedman1(1e3), depth = 3, bins = 32))

if (wanted("proofs")) {
  for (case in proofs) {
    d <- case$data()
    fit <- function(certify) timed(gmt(d$x, d$y, seed = 1, threads = 1, certify = certify,
                                       depth = case$depth, bins = case$bins))
    searched <- fit(0)
    proven <- fit(case$depth)
    note(case$name, paste("certify", case$depth), proven$seconds - searched$seconds,
         nrow(coef(proven$value)), proven$value$gmt$optimum$gap,
         proven$value$gmt$optimum$elapsed)
  }
}

# ---- other sets ----------------------------------------------------------------------------------

sets <- list(
  boston = function() if (has("MASS")) stats::setNames(MASS::Boston,
                                                       c(names(MASS::Boston)[-14], "y")),
  cpus = function() if (has("MASS")) with(MASS::cpus,
      data.frame(syct, mmin, mmax, cach, chmin, chmax, y = perf)),
  diamonds = function() if (has("ggplot2")) {
    set.seed(1)
    d <- as.data.frame(ggplot2::diamonds)[sample(53940, 8000), ]
    data.frame(lapply(d[setdiff(names(d), "price")], as.numeric), y = d$price)
  },
  friedman1 = function() {
    set.seed(1)
    x <- matrix(stats::runif(2000 * 10), 2000)
    data.frame(x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] +
                 5 * x[, 5] + stats::rnorm(2000))
  },
  friedman2 = function() {
    set.seed(2)
    x <- cbind(stats::runif(2000, 0, 100), stats::runif(2000, 40 * pi, 560 * pi),
               stats::runif(2000),
               stats::runif(2000, 1, 11))
    data.frame(x, y = sqrt(x[, 1]^2 + (x[, 2] * x[,
        3] - 1 / (x[, 2] * x[, 4]))^2) + stats::rnorm(2000, 0, 125))
  })

methods <- list(
  gmt = function(train) gmt(y ~ ., train, seed = 1, threads = 1),
  lmtree = function(train) {
    if (!has("partykit")) return(NULL)
    right <- paste(setdiff(names(train), "y"), collapse = " + ")
    partykit::lmtree(stats::as.formula(paste("y ~", right, "|", right)), train)
  },
  rpart = function(train) if (has("rpart")) rpart::rpart(y ~ ., train),
  ranger = function(train) if (has("ranger")) ranger::ranger(y ~ ., train, num.threads = 1,
                                                             seed = 1))

leaves_of <- function(fit) {
  if (inherits(fit, "gmt")) return(nrow(coef(fit)))
  if (inherits(fit, "party")) return(partykit::width(fit))
  if (inherits(fit, "rpart")) sum(fit$frame$var == "<leaf>") else NA
}

predicted <- function(fit, test) {
  out <- stats::predict(fit, test)
  if (is.list(out)) out$predictions else out
}

if (wanted("sets")) {
  for (set in names(sets)) {
    data <- sets[[set]]()
    if (is.null(data)) next
    for (method in names(methods)) {
      scores <- lapply(1:3, function(seed) {
        set.seed(seed)
        train <- sample(nrow(data), round(0.7 * nrow(data)))
        f <- timed(methods[[method]](data[train, ]))
        if (is.null(f$value)) return(NULL)
        test <- data[-train, ]
        r2 <- 1 - mean((test$y - predicted(f$value, test))^2) / mean((test$y - mean(test$y))^2)
        c(f$seconds, f$elapsed, leaves_of(f$value), r2)
      })
      scores <- do.call(rbind, scores)
      if (!is.null(scores)) note(set, method, mean(scores[, 1]), mean(scores[, 3]),
                                 mean(scores[, 4]), mean(scores[, 2]))
    }
  }
}

dir.create("bench/results", showWarnings = FALSE)
file <- "bench/results/gmt.csv"
results <- do.call(rbind, rows)
if (length(rows)) {
  if (file.exists(file)) { # what was not asked for stays
    before <- utils::read.csv(file)
    again <- paste(before$set, before$method) %in% paste(results$set, results$method)
    results <- rbind(before[!again, ], results)
  }
  numbers <- vapply(results, is.numeric, NA)
  results[numbers] <- lapply(results[numbers], signif, 4)
  utils::write.csv(results, file, row.names = FALSE)
}
