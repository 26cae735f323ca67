# Model trees beside M5P (Weka), lmtree of partykit, rpart and ranger, on public data that come with
# R and its packages, by repeated cross-validation.
#
#   Rscript bench/models.R [REPEATS [SETS [METHODS]]]
#
# 5 folds each; SETS ("all" if they are) and METHODS separated by commas; what there is of other
# sets and methods in bench/results/models.csv stays there.
#
# M5P wants java and weka.jar (Debian: weka); WEKA_JAR says where it is. Its trees are fitted with
# the settings it has, one process a fold; its seconds are those that it says itself, of a fit to
# all rows, the mean of five processes, since it has two digits. Seconds of the others are the
# processor's, on one thread, the mean of the folds. `gmt`
# has its own settings, `gmt.shrunk` has `shrink = TRUE`, `gmt.split` and `gmt.both` have other
# `factors`, `gmt.select` regressors left out of leaves, `gmt_cv` the complexity and smoothing of
# the least error in a cross-validation of 5 folds within the training rows. Writes
# bench/results/models.csv.

library(contree)
asked <- commandArgs(TRUE)
repeats <- if (length(asked)) as.integer(asked[1]) else 6L
jar <- Sys.getenv("WEKA_JAR", "/usr/share/java/weka.jar")
has <- function(package) requireNamespace(package, quietly = TRUE)
from <- function(package, name) {
  if (!has(package)) return(NULL)
  space <- new.env()
  utils::data(list = name, package = package, envir = space)
  space[[name]]
}
with_y <- function(data, y, without = NULL) {
  if (is.null(data)) return(NULL)
  data <- as.data.frame(data)
  data <- data[setdiff(names(data), without)]
  names(data)[names(data) == y] <- "y"
  factors <- vapply(data, function(x) is.factor(x) || is.character(x), NA)
  data[factors] <- lapply(data[factors], function(x) factor(as.character(x)))
  data[!factors] <- lapply(data[!factors], as.numeric)
  data <- stats::na.omit(data)
  names(data) <- make.names(names(data))
  row.names(data) <- NULL
  data
}
friedman <- function(kind, n = 500) {
  set.seed(kind)
  if (kind == 1) {
    x <- matrix(stats::runif(n * 10), n)
    y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5]
    return(data.frame(x, y = y + stats::rnorm(n)))
  }
  x <- cbind(stats::runif(n, 0, 100), stats::runif(n, 40 * pi, 560 * pi), stats::runif(n),
             stats::runif(n, 1, 11))
  inner <- x[, 2] * x[, 3] - 1 / (x[, 2] * x[, 4])
  if (kind == 2) return(data.frame(x, y = sqrt(x[, 1]^2 + inner^2) + stats::rnorm(n, 0, 125)))
  data.frame(x, y = atan(inner / x[, 1]) + stats::rnorm(n, 0, 0.1))
}

sets <- list(
  airquality = with_y(from("datasets", "airquality"), "Ozone"),
  attitude = with_y(from("datasets", "attitude"), "rating"),
  chickweight = with_y(from("datasets", "ChickWeight"), "weight", "Chick"),
  co2 = with_y(from("datasets", "CO2"), "uptake", "Plant"),
  iris = with_y(from("datasets", "iris"), "Sepal.Length"),
  mtcars = with_y(from("datasets", "mtcars"), "mpg"),
  quakes = with_y(from("datasets", "quakes"), "mag"),
  savings = with_y(from("datasets", "LifeCycleSavings"), "sr"),
  swiss = with_y(from("datasets", "swiss"), "Fertility"),
  toothgrowth = with_y(from("datasets", "ToothGrowth"), "len"),
  trees = with_y(from("datasets", "trees"), "Volume"),
  boston = with_y(from("MASS", "Boston"), "medv"),
  birthwt = with_y(from("MASS", "birthwt"), "bwt", "low"),
  cars93 = with_y(from("MASS", "Cars93"), "Price", c("Min.Price", "Max.Price", "Manufacturer",
                                                     "Model", "Make", "Luggage.room",
                                                     "Rear.seat.room")),
  cpus = with_y(from("MASS", "cpus"), "perf", c("name", "estperf")),
  crabs = with_y(from("MASS", "crabs"), "CW", "index"),
  gagurine = with_y(from("MASS", "GAGurine"), "GAG"),
  hills = with_y(from("MASS", "hills"), "time"),
  mcycle = with_y(from("MASS", "mcycle"), "accel"),
  rubber = with_y(from("MASS", "Rubber"), "loss"),
  uscrime = with_y(from("MASS", "UScrime"), "y"),
  whiteside = with_y(from("MASS", "whiteside"), "Gas"),
  car.test = with_y(from("rpart", "car.test.frame"), "Mileage"),
  cu.summary = with_y(from("rpart", "cu.summary"), "Price"),
  ethanol = with_y(from("lattice", "ethanol"), "NOx"),
  environmental = with_y(from("lattice", "environmental"), "ozone"),
  ozone = with_y(from("mlbench", "Ozone"), "V4", c("V1", "V2", "V3", "V9")),
  servo = with_y(from("mlbench", "Servo"), "Class"),
  friedman1 = friedman(1), friedman2 = friedman(2), friedman3 = friedman(3))
sets <- sets[lengths(sets) > 0]
if (length(asked) > 1 && asked[2] != "all") sets <- sets[strsplit(asked[2], ",")[[1]]]

# ---- M5P -----------------------------------------------------------------------------------------

write_arff <- function(data, file, levels) {
  quote <- function(x) paste0("'", gsub("'", "\\\\'", x), "'")
  kind <- vapply(names(data), function(name) {
    if (is.null(levels[[name]])) "numeric"
    else paste0("{", paste(quote(levels[[name]]), collapse = ","), "}")
  }, "")
  body <- lapply(data, function(x) if (is.factor(x)) quote(as.character(x)) else
    format(x, digits = 15, trim = TRUE))
  writeLines(c("@relation data", paste("@attribute", quote(names(data)), kind), "@data",
               do.call(paste, c(unname(body), sep = ","))), file)
}

m5p <- function(train, test = NULL) {
  order <- c(setdiff(names(train), "y"), "y")
  levels <- lapply(train[order], levels)
  files <- file.path(tempdir(), c("train.arff", "test.arff"))
  write_arff(train[order], files[1], levels)
  head <- c("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", jar, "weka.classifiers.trees.M5P")
  if (is.null(test)) {
    said <- system2("java", c(head, "-t", files[1], "-no-cv"), stdout = TRUE, stderr = FALSE)
    number <- function(line) as.numeric(gsub("[^0-9.]", "", grep(line, said, value = TRUE)[1]))
    return(c(seconds = number("Time taken to build model"),
             rules = number("^ *Number of Rules")))
  }
  write_arff(test[order], files[2], levels)
  said <- system2("java", c(head, "-t", files[1], "-T", files[2], "-p", "0"), stdout = TRUE,
                  stderr = FALSE)
  lines <- strsplit(trimws(grep("^ *[0-9]+ +-?[0-9.]+ +-?[0-9.E]+ +", said, value = TRUE)), " +")
  value <- as.numeric(vapply(lines, `[`, "", 3))
  stopifnot(length(value) == nrow(test))
  value
}

# ---- the others ----------------------------------------------------------------------------------

timed <- function(expression) {
  time <- system.time(value <- expression, gcFirst = FALSE) # what it leaves behind is its own
  list(value = value, seconds = time[[1]] + time[[2]])
}
right_of <- function(train) paste(setdiff(names(train), "y"), collapse = " + ")
methods <- list(
  lm = function(train) stats::lm(y ~ ., train),
  gmt = function(train) gmt(y ~ ., train, seed = 1, threads = 1),
  gmt.shrunk = function(train) gmt(y ~ ., train, seed = 1, threads = 1, shrink = TRUE),
  gmt.split = function(train) gmt(y ~ ., train, seed = 1, threads = 1, factors = "split"),
  gmt.both = function(train) gmt(y ~ ., train, seed = 1, threads = 1, factors = "both"),
  gmt.select = function(train) gmt(y ~ ., train, seed = 1, threads = 1, select = 2),
  gmt_cv = function(train) {
    set.seed(1)
    gmt_cv(y ~ ., train, seed = 1, threads = 1, folds = 5, rule = "min")$fit
  },
  lmtree = if (has("partykit")) function(train) {
    partykit::lmtree(stats::as.formula(paste("y ~", right_of(train), "|", right_of(train))), train)
  },
  rpart = if (has("rpart")) function(train) rpart::rpart(y ~ ., train),
  ranger = if (has("ranger")) function(train) {
    ranger::ranger(y ~ ., train, num.threads = 1, seed = 1)
  })
methods <- methods[lengths(methods) > 0]
every <- c(names(methods), if (file.exists(jar)) "M5P")
if (length(asked) > 2) every <- intersect(strsplit(asked[3], ",")[[1]], every)

predicted <- function(fit, test) {
  out <- suppressWarnings(stats::predict(fit, test))
  if (is.list(out)) out$predictions else out
}
leaves_of <- function(fit) {
  if (inherits(fit, "gmt")) return(nrow(coef(fit)))
  if (inherits(fit, "party")) return(partykit::width(fit))
  if (inherits(fit, "rpart")) sum(fit$frame$var == "<leaf>") else NA
}

# A row a method: RMSE and R squared of the rows held out, all folds together.
compare <- function(set) {
  data <- sets[[set]]
  n <- nrow(data)
  set.seed(17)
  folds <- vapply(seq_len(repeats), function(i) sample(rep_len(1:5, n)), integer(n))
  runs <- expand.grid(fold = 1:5, turn = seq_len(repeats))
  rows <- lapply(every, function(method) {
    value <- matrix(NA_real_, n, repeats)
    seconds <- leaves <- numeric()
    for (i in seq_len(nrow(runs))) {
      test <- folds[, runs$turn[i]] == runs$fold[i]
      said <- tryCatch({
        if (method == "M5P") m5p(data[!test, ], data[test, ]) else {
          f <- timed(suppressWarnings(methods[[method]](data[!test, ])))
          seconds[i] <- f$seconds
          leaves[i] <- leaves_of(f$value)
          as.numeric(predicted(f$value, data[test, ]))
        }
      }, error = function(problem) {
        # a level that the training rows do not have
        cat(set, method, conditionMessage(problem), "\n")
        rep(mean(data$y[!test]), sum(test))
      })
      value[test, runs$turn[i]] <- said
    }
    whole <- if (method == "M5P") rowMeans(replicate(5, m5p(data)))
    square <- mean((data$y - value)^2, na.rm = TRUE)
    data.frame(set, n, p = ncol(data) - 1, method, rmse = sqrt(square),
               r2 = 1 - square / mean((data$y - mean(data$y))^2),
               leaves = if (method == "M5P") whole[["rules"]] else mean(leaves),
               seconds = if (method == "M5P") whole[["seconds"]] else mean(seconds))
  })
  rows <- do.call(rbind, rows)
  print(rows, digits = 3, row.names = FALSE)
  rows
}

results <- do.call(rbind, lapply(names(sets), compare))
results[c("rmse", "r2", "leaves", "seconds")] <-
  lapply(results[c("rmse", "r2", "leaves", "seconds")], signif, 4)
file <- "bench/results/models.csv"
dir.create("bench/results", showWarnings = FALSE)
if (file.exists(file)) {
  before <- utils::read.csv(file)
  again <- paste(before$set, before$method) %in% paste(results$set, results$method)
  results <- rbind(results, before[!again, ])
  results <- results[order(results$set, match(results$method, c(names(methods), "M5P"))), ]
}
utils::write.csv(results, file, row.names = FALSE, quote = FALSE)

ours <- c("gmt", "gmt.shrunk", "gmt.split", "gmt.both", "gmt.select", "gmt_cv")
if ("M5P" %in% results$method) {
  for (method in intersect(ours, results$method)) {
    mine <- results[results$method == method, ]
    theirs <- results[results$method == "M5P", ]
    theirs <- theirs[match(mine$set, theirs$set), ]
    cat(sprintf("%s: RMSE not above that of M5P on %d of %d sets, %.3f of it (geometric mean)\n",
                method, sum(mine$rmse <= theirs$rmse), nrow(mine),
                exp(mean(log(mine$rmse / theirs$rmse)))))
    cat(sprintf("%s: M5P takes %.1f times as long (median of sets)\n", method,
                stats::median(theirs$seconds / mine$seconds)))
  }
}
print(round(tapply(results$r2, results$method, mean), 3))
