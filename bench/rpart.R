# The greedy trees of rpart at the same depth: how many errors the optimum saves, and what it costs.
#
# rpart grows as far as the depth lets it (cp = 0, minsplit = 2), without the parts of its work that
# contree has no use for: cross-validation, surrogate and competing splits.
#
# Then what either misclassifies of rows that were held out, by nested cross-validation: ten folds
# are held out in turn, and five folds of the other rows, the same for all, choose the size with the
# lowest error, the smallest of equal ones. Sizes are depths up to that of the case, for contree and
# for rpart, and for `rpart_cp` the sequence of complexities of trees as deep as rpart has them.
library(contree)
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

grow_rpart <- function(data, depth, folds = 0) {
  control <- rpart::rpart.control(maxdepth = depth, cp = 0, minsplit = 2, xval = folds,
                                  maxsurrogate = 0, maxcompete = 0)
  rpart::rpart(class ~ ., data, method = "class", control = control)
}

missed <- function(fit, data) sum(predict(fit, data, type = "class") != data$class)

# Seconds of processor time. Its clock goes by milliseconds, so a tree is grown as often as takes
# 20.
time_rpart <- function(data, depth) {
  start <- processor_seconds()
  trees <- 0
  while (trees == 0 || processor_seconds() - start < 0.02) {
    fit <- grow_rpart(data, depth)
    trees <- trees + 1
  }
  list(seconds = (processor_seconds() - start) / trees, errors = missed(fit, data))
}

held_out <- list(
  contree = function(data, depth, folds) {
    contree_cv(class ~ ., data, depth = seq_len(depth), folds = folds, rule = "min",
               threads = 1)$fit
  },
  rpart = function(data, depth, folds) {
    errors <- vapply(seq_len(depth), function(d) {
      sum(vapply(unique(folds), function(fold) {
        missed(grow_rpart(data[folds != fold, ], d), data[folds == fold, ])
      }, 0))
    }, 0)
    grow_rpart(data, which.min(errors))
  },
  rpart_cp = function(data, depth, folds) {
    fit <- grow_rpart(data, 30, folds)
    rpart::prune(fit, cp = fit$cptable[which.min(fit$cptable[, "xerror"]), "CP"])
  })

# Folds of the rows, as many of each class in each as can be.
draw_folds <- function(class, n) {
  folds <- integer(length(class))
  folds[order(class, stats::runif(length(class)))] <- rep_len(seq_len(n), length(class))
  folds
}

# How many rows of a case each method misclassifies while they are held out.
held_out_errors <- function(data, depth, n_folds) {
  set.seed(1)
  outer <- draw_folds(data$class, n_folds)
  errors <- lapply(seq_len(n_folds), function(fold) {
    train <- data[outer != fold, ]
    inner <- draw_folds(train$class, 5)
    vapply(held_out, function(fit) missed(fit(train, depth, inner), data[outer == fold, ]), 0)
  })
  Reduce(`+`, errors)
}

settings <- bench_settings()
cases <- data_cases(settings)
held_out_cases <- chosen_cases(c("bank:4", "raisin:3", "segment:3", "bidding:4", "rice:3", "room:3",
                                 "bean:3", "magic:3"), settings)
path <- record_start(settings, "rpart")
held_out_path <- record_start(settings, "held_out")
if (!requireNamespace("rpart", quietly = TRUE)) {
  message("bench: rpart is not there; its runs are left out")
  cases <- held_out_cases <- NULL
}
for (i in seq_len(NROW(cases))) {
  case <- cases[i, ]
  key <- list(data = case$data, depth = case$depth)
  if (recorded_runs(path, key)$n) next
  data <- read_data_set(case$data)
  runs <- replicate(if (settings$quick) 3 else 7, time_rpart(data, case$depth), simplify = FALSE)
  record(path, c(key, list(errors = runs[[1]]$errors,
                           seconds = stats::median(vapply(runs, `[[`, 0, "seconds")))))
}
for (i in seq_len(NROW(held_out_cases))) {
  key <- as.list(held_out_cases[i, ])
  if (recorded_runs(held_out_path, key)$n) next
  data <- read_data_set(key$data)
  errors <- held_out_errors(data, key$depth, if (settings$quick) 2 else 10)
  record(held_out_path, c(key, rows = nrow(data), as.list(errors)))
}
