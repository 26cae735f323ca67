# Smoothing, ridge penalty and limits of a model tree by leave-one-out errors, see
# src/evolve/leave_one_out.h: those of the models without the row, for the splits of the tree.

# What is tried. The splits were searched with the row, so that errors without shrinkage are too
# low: they count twice.
loo_grid <- list(ridge = c(0, 0.3, 1, 3, 10, 30), smoothing = c(0, 3, 10, 30, 100),
                 limits = c("range", "none"))
loo_zero_costs <- 2
loo_free_costs <- 1.02 # few rows show what models without limits may say
loo_alone_costs <- 1 # but the model of all rows is to predict no worse than that of lm()
loo_rows_max <- 10000 # with more rows leaves have nothing to borrow
loo_rows_used <- 2000
loo_weight_min <- 1e-3

# What `shrink` stands for, and what there is without. "split": limits where the tree has splits,
# and else where they lower the leave-one-out error, for a linear model of all rows is no worse than
# that of lm().
shrink_settings <- list(ridge = "loo", smoothing = "loo", limits = "loo", complexity = 0.7)
plain_settings <- list(ridge = 0, smoothing = 0, limits = "split", complexity = 1)

settle_limits <- function(settings, n_nodes) {
  if (settings$limits == "split") settings$limits <- if (n_nodes > 1) "range" else "loo"
  settings
}

is_loo <- function(settings) {
  vapply(settings[names(loo_grid)], identical, NA, "loo")
}

# The settings with values in place of "loo", and `loo`, a data frame with the error and the weight
# of each combination; as they are where nothing was to be chosen.
settle_loo <- function(settings, nodes, frame, design, where) {
  asked <- is_loo(settings)
  if (!any(asked)) return(settings)
  if (length(where) > loo_rows_max) {
    many <- list(ridge = 0, smoothing = 0, limits = "range")
    settings[names(loo_grid)[asked]] <- many[asked]
    return(settings)
  }
  tried <- settings[names(loo_grid)]
  tried[asked] <- loo_grid[asked]
  # a tree without splits has nothing to smooth
  if (asked[["smoothing"]] && length(nodes$n) == 1) tried$smoothing <- 0
  table <- loo_table(tried, nodes, frame, design, where)
  alone <- length(nodes$n) == 1 && !asked[["ridge"]] && !asked[["smoothing"]]
  table$weight <- loo_weights(table, length(where), if (alone) loo_alone_costs else loo_free_costs)
  for (name in c("ridge", "smoothing")) {
    if (asked[[name]]) settings[[name]] <- sum(table$weight * table[[name]])
  }
  settings$limits <- table$limits[which.max(table$weight)]
  settings$loo <- table
  settings
}

# Weights of the models in their mean: error^(-n / 2) would be a likelihood, but one that takes the
# splits for known. Limits have no mean: those of the least error are used.
loo_weights <- function(table, n, free_costs = loo_free_costs) {
  error <- errors_to_compare(table)
  within <- table$limits == "range"
  is_free <- free_costs * min(error[!within], Inf) < min(error[within], Inf)
  kept <- if (is_free) !within else within
  least <- min(error[kept])
  weight <- ifelse(error == least, 1, (least / error)^(n / 10)) * kept
  weight[weight < loo_weight_min] <- 0
  weight / sum(weight)
}

errors_to_compare <- function(table) {
  is_zero <- function(values) values == 0 & any(values != 0)
  zero <- is_zero(table$ridge) | is_zero(table$smoothing)
  table$error * ifelse(zero, loo_zero_costs, 1)
}

# `tried`: a list of values of the three. The errors are means over rows, of many rows some.
loo_table <- function(tried, nodes, frame, design, where) {
  columns <- lapply(design, function(part) filled_values(part, frame$columns[[part$predictor]]))
  n <- length(where)
  x <- do.call(cbind, c(list(rep(as.double(has_intercept(frame)), n)), unname(columns)))
  counted <- seq_len(n) %in% round(seq(1, n, length.out = min(n, loo_rows_used)))
  sums <- .Call(ffi_gmt_loo, x, without_offset(frame), frame$weights, where, counted, nodes,
                as.double(tried$ridge), as.double(tried$smoothing))
  error <- sums / if (is.null(frame$weights)) sum(counted) else sum(frame$weights[counted])
  limits <- rep(loo_grid$limits, length(sums) / 2)
  kept <- limits %in% tried$limits
  each <- list(ridge = rep(tried$ridge, each = 2 * length(tried$smoothing)),
               smoothing = rep(rep(tried$smoothing, each = 2), length(tried$ridge)),
               limits = limits, error = error)
  list2DF(lapply(each, `[`, kept))
}
