# Tables with predictors of all kinds and missing values, and what the best tree on them costs, from
# the definition of the splits: rows are parted by values, levels and missingness as they are, never
# through the columns that the search sees.

mixed_table <- function(n, classes = 2) {
  holes <- function(x) replace(x, runif(n) < sample(c(0, 0, 0.2, 0.4), 1), NA)
  number <- function() sample(0:sample(2:5, 1), n, TRUE) / 2
  level <- function(most) letters[sample(sample(2:most, 1), n, TRUE)]
  kinds <- list(
    function() holes(number()), function() holes(as.integer(2 * number())),
    function() holes(number() > 1),
    function() holes(factor(level(5), levels = letters)), function() holes(level(4)),
    function() holes(ordered(level(4), levels = letters[4:1])),
    function() holes(as.Date("2024-02-27") + 3 * number()),
    function() holes(.POSIXct(1e9 + 1000 * number(), "UTC")),
    function() holes(as.difftime(number(), units = "hours")))
  data <- as.data.frame(lapply(kinds[sample(length(kinds), sample(2:3, 1))], function(kind) kind()))
  names(data) <- paste0("v", seq_along(data))
  data$y <- factor(sample(LETTERS[seq_len(classes)], n, TRUE))
  data
}

# All ways to part the rows of `rows` by a predictor, each a logical vector over all rows of the
# table. `x`: the predictor in all rows. Missing rows may go to either side of each split, or be
# parted from all others.
all_splits <- function(x, rows) {
  hole <- is.na(x)
  parts <- if (is.character(x) || (is.factor(x) && !is.ordered(x))) {
    level_sets(x, rows)
  } else {
    thresholds(x, rows)
  }
  splits <- list()
  for (left in parts) {
    left[hole] <- FALSE
    splits <- c(splits, list(left), list(left | hole))
  }
  c(splits, list(hole))
}

thresholds <- function(x, rows) {
  x <- as.numeric(x)
  lapply(unique(x[rows & !is.na(x)]), function(value) x < value)
}

level_sets <- function(x, rows) {
  x <- as.character(x)
  levels <- unique(x[rows & !is.na(x)])
  lapply(seq_len(2^length(levels)) - 1,
         function(number) x %in% levels[number %/% 2^(seq_along(levels) - 1) %% 2 == 1])
}

# The least cost of a tree on `rows` of the table; `splits(x, rows)` are those that a predictor may
# have.
brute_force_mixed <- function(data, depth, penalty = 0, minbucket = 1,
                              splits = function(name, rows) all_splits(data[[name]], rows),
                              rows = rep(TRUE, nrow(data))) {
  best <- sum(rows) - max(tabulate(data$y[rows], nlevels(data$y)))
  if (depth == 0 || best <= penalty) return(best)
  for (name in setdiff(names(data), "y")) {
    for (left in unique(lapply(splits(name, rows), `&`, rows))) {
      right <- rows & !left
      if (sum(left) < minbucket || sum(right) < minbucket) next
      cost <- penalty + brute_force_mixed(data, depth - 1, penalty, minbucket, splits, left)
      if (cost < best) {
        cost <- cost + brute_force_mixed(data, depth - 1, penalty, minbucket, splits, right)
      }
      best <- min(best, cost)
    }
  }
  best
}
