# contree_cv() of fits: of trees and model trees by their calls, of forests here.

#' @param seed Seed of the folds of a forest, a whole number from 0 to 2^53; by default (`NULL`) R's
#'   generator is used as it is.
#' @return For forests an object of class `forest_cv` and `contree_cv`, a list of `call`; `table`, a
#'   data frame with a row for each combination of settings, `error` and `se` of the held-out rows
#'   (proportion of misclassified rows, or mean squared error; of survival forests 1 - Harrell's
#'   concordance, the mean over folds) and `chosen`, the lowest error; `fit`, the forest with the
#'   chosen settings; and `folds`, the fold of each row in each repeat.
#' @examples
#'
#' # settings of a forest, and other depths than that of a fit
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 50, seed = 1)
#' cv <- contree_cv(fit, mtry = c(2, 5), min_n = c(3, 10), folds = 5, seed = 1)
#' cv
#' plot(cv)
#' contree_cv(contree(Species ~ ., iris, depth = 1), depth = 1:2, seed = 1)
#' @rdname contree_cv
#' @name contree_cv_fit
NULL

#' @rdname contree_cv
#' @export
contree_cv.contree_model <- function(x, ...) {
  check_fit(x, "x")
  refuse_policy(x, "contree_cv()", gettext("use contree_cv(x, rewards = )"))
  if (!inherits(x, c("contree", "gmt"))) {
    stop_input("x", gettext("the tree has no call that could be repeated without some rows"))
  }
  call <- tree_call(x)
  call[[1]] <- if (inherits(x, "gmt")) quote(contree::gmt_cv) else quote(contree::contree_cv)
  # of the fit alone
  call[c("model", "certificate", "conformal", "checkpoint")] <- NULL
  # rpart's names of what may be compared
  names(call)[names(call) == "maxdepth"] <- "depth"
  if (!is.null(call$cp)) call$complexity <- tree_settings(x)$complexity
  call$cp <- NULL
  given <- list(...)
  call[names_of_dots(given)] <- given
  eval(call, parent.frame())
}

#' @rdname contree_cv
#' @export
contree_cv.hist_forest <- function(x, data = NULL, folds = 10, repeats = 1, seed = NULL, ...) {
  call <- sys.call()
  grid <- grid_to_try(list(...))
  if (is.null(data)) data <- evaluated_data(x, parent.frame())
  data <- rows_grown_from(x, as.data.frame(check_table("data", data)))
  refuse_rates(x, gettext("cross-validations"))
  check_grown_from(x, data)
  response <- if (x$type == "survival") rep(1, x$n) else x$y
  folds <- with_seed(check_seed(seed), read_folds(folds, repeats, response))
  errors <- lapply(seq_len(nrow(grid)), function(i) {
    errors_of_forest(x, data, folds, as.list(grid[i, , drop = FALSE]))
  })
  table <- data.frame(grid, do.call(rbind, errors))
  table$chosen <- seq_len(nrow(table)) == which.min(table$error)
  fit <- grown_again(x, data, NULL, as.list(grid[table$chosen, , drop = FALSE]))
  structure(list(call = call, table = table, fit = fit, folds = folds),
            class = c("forest_cv", "contree_cv"))
}

# One row a forest to grow.
grid_to_try <- function(given) {
  known <- setdiff(c(names(formals(hist_forest.default)), names(formals(hist_forest_control))),
                   c("x", "y", "weights", "control", "..."))
  check_names(names_of_dots(given), known, "?contree_cv")
  for (name in names(given)) {
    if (is.atomic(given[[name]]) && length(given[[name]]) && is.null(dim(given[[name]]))) next
    stop_input(name, gettextf("'%s' must be a vector of values to try, not %s", name,
                              show_value(given[[name]])))
  }
  if (length(given) == 0) return(data.frame(trees = NA_real_))
  expand.grid(given, stringsAsFactors = FALSE)
}

# The rows of `data` that the forest was grown from.
rows_grown_from <- function(fit, data) {
  left_out <- fit$na.action
  if (nrow(data) == fit$n + length(left_out)) {
    return(if (length(left_out)) data[-left_out, , drop = FALSE] else data)
  }
  stop_input("data", gettextf("'data' has %d rows, but the forest was grown from %d", nrow(data),
                              fit$n))
}

# One tree more has the hash of the data that it is grown from.
check_grown_from <- function(fit, data) {
  tree <- tryCatch(suppressWarnings(grown_again(fit, data, NULL, list(
    trees = 1, oob = FALSE, importance = "none"))), contree_input_error = function(e) NULL)
  same <- is.null(fit$hash) || identical(tree$hash, fit$hash) # early ones have none
  if (!is.null(tree) && same && same_grown_response(tree$y, fit$y)) return(invisible())
  stop_input("data", gettext(paste(
    "'data' are not those of the forest: their values or their order differ; give the rows that",
    "it was grown from")))
}

same_grown_response <- function(x, y) {
  if (is.factor(x)) return(is.factor(y) && identical(as.character(x), as.character(y)))
  identical(as.vector(x), as.vector(y)) && identical(attr(x, "status"), attr(y, "status"))
}

# The forest grown from some of its rows (NULL: all), with other settings.
grown_again <- function(fit, data, rows, settings) {
  call <- as.list(fit$call)[-1]
  call[c("formula", "data", "x", "y", "weights", "subset", "na.action", "case.weights")] <- NULL
  call <- from_ranger(lapply(call, eval, environment(fit$terms)))
  call[names(settings)] <- settings
  if (is.null(call$trees) || is.na(call$trees)) call$trees <- fit$control$trees
  call$seed <- fit$seed
  call$weights <- fit$sampling
  call$class_weights <- NULL # they are in the weights
  if (is.null(rows)) rows <- seq_len(fit$n)
  if (!is.null(call$weights)) call$weights <- call$weights[rows]
  data <- data[rows, , drop = FALSE]
  if (is.null(fit$terms)) {
    return(do.call(hist_forest, c(list(x = data[fit$shape$inputs], y = response_rows(fit, rows)),
                                  call)))
  }
  do.call(hist_forest, c(list(stats::formula(fit), data = data), call))
}

response_rows <- function(fit, rows) {
  if (fit$type != "survival") return(fit$y[rows])
  survival::Surv(as.double(fit$y), attr(fit$y, "status"))[rows]
}

# The error of rows held out: c(error, se).
errors_of_forest <- function(fit, data, folds, settings) {
  settings <- settings[!is.na(settings)]
  settings[c("oob", "importance")] <- list(FALSE, "none")
  lost <- matrix(NA_real_, nrow(folds), ncol(folds))
  concordance <- numeric()
  runs <- unique(data.frame(fold = c(folds), turn = c(col(folds))))
  for (run in seq_len(nrow(runs))) {
    turn <- runs$turn[run]
    held <- folds[, turn] == runs$fold[run]
    grown <- grown_again(fit, data, which(!held), settings)
    said <- unname(suppressWarnings(stats::predict(grown, data[held, , drop = FALSE]),
                                    classes = "contree_new_levels"))
    if (fit$type == "survival") {
      status <- attr(fit$y, "status")[held]
      truth <- structure(as.double(fit$y)[held], status = status)
      concordance <- c(concordance, concordance_of(truth, said))
    } else {
      lost[held, turn] <- if (fit$type == "classification") said != fit$y[held] else
        (said - fit$y[held])^2
    }
  }
  if (fit$type == "survival") {
    return(c(error = 1 - mean(concordance),
             se = stats::sd(concordance) / sqrt(length(concordance))))
  }
  each <- rowMeans(lost)
  c(error = mean(each), se = stats::sd(each) / sqrt(length(each)))
}

#' @rdname contree_cv
#' @export
print.forest_cv <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  cat(gettextf("n= %d, %s", nrow(x$folds), folds_text(x$folds)), "\n\n", sep = "")
  table <- x$table[vapply(x$table, function(column) !all(is.na(column)), NA)]
  table[c("error", "se")] <- lapply(table[c("error", "se")], format, digits = digits)
  table$chosen <- if (nrow(table) > 1) ifelse(table$chosen, "*", "")
  names(table)[names(table) == "chosen"] <- ""
  print(table, row.names = FALSE, right = TRUE)
  cat("\n")
  lowest <- if (nrow(x$table) > 1) gettext("; * the lowest") else ""
  say(gettextf("'error' on held-out rows (%s), with its standard error 'se'%s.",
               switch(x$fit$type, classification = gettext("proportion of misclassified rows"),
                      survival = gettext("1 - Harrell's concordance"),
                      gettext("mean squared error")), lowest))
  invisible(x)
}

#' @rdname contree_cv
#' @export
plot.forest_cv <- function(x, main = NULL, ...) {
  check_title(main)
  table <- x$table
  settings <- setdiff(names(table), c("error", "se", "chosen"))
  label <- do.call(paste, c(lapply(settings, function(name) paste(name, table[[name]])),
                            sep = ", "))
  upwards <- rev(seq_along(label))
  ends <- cbind(table$error - table$se, table$error + table$se)
  graphics::dotchart(table$error[upwards], label[upwards], main = main, xlim = range(ends),
                     xlab = gettext("error of held-out rows"),
                     pch = ifelse(table$chosen[upwards], 19, 1))
  graphics::segments(ends[upwards, 1], seq_along(upwards), ends[upwards, 2])
  invisible(table)
}
