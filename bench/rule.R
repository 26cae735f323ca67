# Which rule splits best where probabilities are asked for: Gini with so many trees against entropy
# with as many as grow in the same processor time. Log-loss (probabilities of at least 0.0001) and
# the area under the ROC curve, each class against the others, of the folds that were left out.
#   Rscript bench/rule.R folder [trees] [set ...]
suppressPackageStartupMessages(library(contree))
given <- commandArgs(TRUE)
folder <- given[1]
trees <- if (length(given) > 1) as.numeric(given[2]) else 200
folds <- 3

files <- list.files(folder, "[.]csv[.]gz$", full.names = TRUE)
sets <- stats::setNames(lapply(files, function(file) {
  function() {
    d <- utils::read.csv(file)
    d[sort(sample(nrow(d), min(nrow(d), 12000))), ]
  }
}), sub("[.]csv[.]gz$", "", basename(files)))
sets <- c(sets, list(
  iris = function() data.frame(class = iris$Species, iris[-5]),
  pima = function() with(rbind(MASS::Pima.tr, MASS::Pima.te), data.frame(class = type, npreg, glu,
                                                                     bp, skin, bmi, ped, age)),
  glass = function() data.frame(class = MASS::fgl$type, MASS::fgl[1:9]),
  biopsy = function() data.frame(class = MASS::biopsy$class, MASS::biopsy[2:10])))
if (length(given) > 2) sets <- sets[given[-(1:2)]]

seconds <- function(call) sum(system.time(call)[1:2])

area <- function(p, truth) {
  ranks <- rank(p)
  n <- sum(truth)
  (sum(ranks[truth]) - n * (n + 1) / 2) / (n * (length(truth) - n))
}

scores <- function(fit, new, truth) {
  p <- predict(fit, new, type = "prob", threads = 1)
  q <- pmax(p, 1e-4) / rowSums(pmax(p, 1e-4))
  c(loss = -mean(log(q[cbind(seq_along(truth), as.integer(truth))])),
    auc = mean(vapply(which(tabulate(truth, nlevels(truth)) > 0),
                      function(k) area(p[, k], as.integer(truth) == k), 0)),
    error = mean(max.col(p, "first") != as.integer(truth)))
}

rows <- NULL
for (name in names(sets)) {
  set.seed(1)
  d <- stats::na.omit(sets[[name]]())
  d$class <- factor(d$class)
  for (seed in 1:2) {
    fold <- sample(rep_len(seq_len(folds), nrow(d)))
    for (k in seq_len(folds)) {
      train <- d[fold != k, ]
      grow <- function(rule, n) {
        hist_forest(class ~ ., train, trees = n, splitrule = rule, threads = 1, seed = seed,
                    oob = FALSE, device = "cpu")
      }
      each <- c(gini = Inf, entropy = Inf)
      for (i in 1:3) for (rule in names(each)) {
        each[rule] <- min(each[rule], seconds(grow(rule, trees)))
      }
      n <- max(1, round(trees * each[["gini"]] / max(each[["entropy"]], 1e-3)))
      told <- list(gini = grow("gini", trees), entropy = grow("entropy", n),
                   more = grow("entropy", trees))
      rows <- rbind(rows, data.frame(
        set = name, seed = seed, fold = k, rule = names(told), trees = c(trees, n, trees),
        ratio = each[["entropy"]] / each[["gini"]],
        t(vapply(told, scores, numeric(3), d[fold == k, ], d$class[fold == k]))))
    }
  }
  means <- stats::aggregate(cbind(trees, ratio, loss, auc, error) ~ rule,
                            rows[rows$set == name, ], mean)
  means$rule[means$rule == "more"] <- "entropy as many"
  out <- cbind(set = name, n = nrow(d), classes = nlevels(d$class), means)
  out[-(1:4)] <- signif(out[-(1:4)], 4)
  utils::write.table(out, sep = ",", quote = FALSE, row.names = FALSE,
                     col.names = name == names(sets)[1])
}
