# Which columns a tree needs: by what its splits save, and by what it loses without them.

#' Variable importance
#'
#' `contree_importance()` is, without `data`, the decrease of impurity and of errors by the splits
#' on each predictor, on the training rows; with `data`, permutation importance: the accuracy that
#' the tree loses on these rows when the values of a column are permuted.
#'
#' @order 1
#' @section Without data:
#' `gini` is the decrease of the Gini impurity, as in `rpart`: for each split, the weight of its
#' node times its impurity (1 less the sum of the squared class proportions), less the same of both
#' children, summed over the splits on the predictor. With a `loss`, classes are weighted by the
#' total cost of errors in them, scaled so that the sum over all rows does not change. `rpart` adds
#' the decrease by surrogate splits; optimal trees have none, so its numbers are these with
#' `maxsurrogate = 0`.
#'
#' `errors` is the decrease of the number of misclassified rows (weight times loss). It is what the
#' search minimises, but a split that only prepares the next one has no decrease of its own: with
#' two classes the root often has 0.
#'
#' The decrease of the Gini impurity is also `variable.importance` in the fit, which
#' [summary()][summary.contree] prints and which caret, mlr3 and vip show.
#'
#' @section Forests:
#' Without `data`, the measures that [hist_forest()] has taken while it grew, see its argument
#' `importance`; they are `fit$importance`, ordered.
#' @section With data:
#' Permuting a column that matters costs much accuracy; a column that the tree does not use costs
#' none. On rows that were not used to fit the tree this measures what the column contributes to
#' predictions; on the training rows it includes fitted noise.
#'
#' Columns are those of `data`: if the formula has several functions of a column, all of them are
#' affected. If two columns carry the same information, the importance goes to the one that the tree
#' uses.
#'
#' Packages that explain any model by its predictions, such as `DALEX`, need a function that returns
#' the probability of a class, as in the example.
#'
#' `measure = "shap"` is the mean over the rows of the absolute [contributions()] to the prediction,
#' summed over the classes if there are several; it needs no response.
#'
#' @section Imported forests:
#' Results of [import_forest()] and [forge()] have `gain`, the sum of the gains of the splits on a
#' feature as stated by the software that grew the model (XGBoost: `loss_changes`, LightGBM:
#' `split_gain`, rpart: `improve`), and `splits`, their number. It is a `contree_unsupported_error`
#' if the model does not state gains. With `data` and `y`, the classes or numbers of its rows, they
#' have the loss of accuracy or, for numbers, of R squared. Classes may be given as logicals,
#' numbers, characters or a factor, as long as they name those of the model (`TRUE` is 1).
#'
#' @param fit,y As in [contree_accuracy()]; for `forest_p_values()` a fit of [hist_forest()] with
#'   `importance = "corrected"` or `"permutation"`, for `"altmann"` also `"impurity"`.
#' @param data Rows whose response is known: data frame or matrix with the predictors of the fit
#'   and, for trees fitted with a formula, the response. `NULL`, the default, uses the decreases on
#'   the training rows. For `forest_p_values()` with `"altmann"`, the training data, if the call of
#'   the fit no longer finds them.
#' @param repeats How often to permute each column, a whole number of at least 1; 10 by default.
#' @param measure With `data`: `"permutation"` (the default) or `"shap"`.
#' @param seed Seed of the permutations, a whole number from 0 to 2^53; by default (`NULL`) R's
#'   generator is used as it is.
#' @param x A value of `contree_importance()`.
#' @param digits Number of significant digits, a whole number; by default the option `digits` less
#'   3, at least 3.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param ... Not used; any other name is an error.
#' @return `contree_importance()`: a data frame of class `contree_importance`. Without `data`, one
#'   row for each predictor that the tree splits on, the most important first: `variable`, `gini`
#'   and `errors`; for a tree that predicts numbers `variable` and `deviance`, the decrease of the
#'   residual sum of squares.
#'
#'   With `data`, one row for each column that the tree may use, the most important first:
#'   `variable`, `drop` (mean loss of accuracy, a proportion of the rows; it can be below 0 by
#'   chance) and `se` (standard error of the mean over the repeats, `NA` for one; it measures the
#'   error of the permutation, not of the sample). The attribute `accuracy` is the accuracy without
#'   permutation. For a regression tree, R squared takes the place of the accuracy.
#'
#'   `plot()` draws `gini`, `deviance` or `drop` and returns the data frame invisibly.
#' @references L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). *Classification and Regression
#' Trees*, for the decrease of impurity.
#'
#' L. Breiman (2001). Random forests. *Machine Learning* 45(1), 5-32. \doi{10.1023/A:1010933404324}.
#'
#' A. Fisher, C. Rudin, F. Dominici (2019). All models are wrong, but many are useful: learning a
#' variable's importance by studying an entire class of prediction models simultaneously. *Journal
#' of Machine Learning Research* 20(177), 1-81.
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- contree(Species ~ ., iris[train, ], depth = 2)
#' contree_importance(fit)
#'
#' set.seed(1)
#' importance <- contree_importance(fit, iris[-train, ])
#' importance
#' plot(importance)
#'
#' # for DALEX::explain(fit, data = iris[-train, 1:4], y = iris$Species[-train] == "virginica",
#' #                   predict_function = virginica)
#' virginica <- function(model, newdata) predict(model, newdata, type = "prob")[, "virginica"]
#' virginica(fit, iris[c(2, 78, 102), ])
#'
#' contree_importance(gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1))
#' @export
contree_importance <- function(fit, ...) UseMethod("contree_importance")

#' @rdname contree_importance
#' @export
contree_importance.contree_model <- function(fit, data = NULL, repeats = 10, y = NULL,
                                             measure = c("permutation", "shap"), seed = NULL, ...) {
  importance_of(fit, data, repeats, y, measure, seed, ..., without = split_importance)
}

#' @rdname contree_importance
#' @export
contree_importance.hist_forest <- function(fit, data = NULL, repeats = 10, y = NULL,
                                           measure = c("permutation", "shap"), seed = NULL, ...) {
  importance_of(fit, data, repeats, y, measure, seed, ..., without = grown_importance)
}

#' @rdname contree_importance
#' @export
contree_importance.forest_ir <- function(fit, data = NULL, repeats = 10, y = NULL,
                                         measure = c("permutation", "shap"), seed = NULL, ...) {
  importance_of(fit, data, repeats, y, measure, seed, ..., without = gained_importance)
}

#' @rdname contree_importance
#' @export
contree_importance.forged_forest <- function(fit, data = NULL, repeats = 10, y = NULL,
                                             measure = c("permutation", "shap"), seed = NULL, ...) {
  importance_of(fit, data, repeats, y, measure, seed, ...,
                without = function(fit) gained_importance(fit$forest))
}

#' @export
contree_importance.contree_cv <- function(fit, ...) contree_importance(fit$fit, ...)

#' @export
contree_importance.default <- function(fit, ...) any_model(fit)

# Importance on training rows is what `without` says; on others by permutation, or from
# contributions.
importance_of <- function(fit, data, repeats, y, measure, seed, ..., without) {
  check_no_dots(...)
  measure <- check_choice("measure", measure, c("permutation", "shap"))
  if (measure == "shap") {
    if (is.null(data)) stop_input("data", gettext("measure = \"shap\" is of rows; give 'data'"))
    return(shap_importance(contributions(fit, data)))
  }
  if (is.null(data) && is.null(y)) {
    if (is_model(fit)) check_fit(fit)
    return(without(fit))
  }
  model <- any_model(fit)
  with_seed(check_seed(seed), shuffling_importance(model, data, repeats, y))
}

split_importance <- function(fit) {
  saved <- tree_importance(fit)
  table <- data.frame(variable = as.character(names(saved)), gini = unname(saved),
                      errors = unname(tree_importance(fit, "errors")[names(saved)]))
  # of numbers, the errors are squared residuals
  if (!predicts_classes(fit)) table <- data.frame(variable = table$variable,
                                                  deviance = table$errors)
  structure(table, class = c("contree_importance", "data.frame"))
}

# What a forest has measured while it grew.
grown_importance <- function(fit) {
  table <- fit$importance
  if (is.null(table)) {
    stop_input("fit", gettext("the forest was grown with importance = \"none\""),
               gettext("give 'data' for permutation importance"))
  }
  table <- table[order(-table[[ncol(table)]]), ]
  row.names(table) <- NULL
  structure(table, class = c("contree_importance", "data.frame"))
}

shuffling_importance <- function(model, data, repeats, y) {
  check_repeats(repeats)
  if (model$kind == "tree" && !predicts_one_number(model$fit)) {
    need_classes(model$fit, "contree_importance(data = )")
  }
  truth <- any_truth(model, data, y, "data")
  check_one_number(model)
  numbers <- is.null(model$classes)
  measure <- function(rows) {
    said <- any_prediction(model, rows, if (numbers) "response" else "class")
    if (numbers) judge_numbers(truth, said)$r.squared else proportion_correct(truth, said)
  }
  before <- measure(data)
  columns <- if (model$kind == "forged") model$used else model$inputs
  if (is.null(colnames(data)) && is.matrix(data)) {
    if (model$kind == "forged") model$used <- columns <- model$fit$forest$asked
    else colnames(data) <- columns
  }
  drops <- matrix(0, repeats, length(columns), dimnames = list(NULL, columns))
  for (column in model$used) {
    for (i in seq_len(repeats)) {
      # of levels that no training row had was warned above
      after <- suppressWarnings(measure(shuffle(data, column)), classes = "contree_new_levels")
      drops[i, as.character(column)] <- before - after
    }
  }
  importance <- new_importance(drops, before)
  if (numbers) structure(importance, measure = "R squared") else importance
}

new_importance <- function(drops, accuracy) {
  table <- data.frame(variable = colnames(drops), drop = colMeans(drops),
                      se = apply(drops, 2, stats::sd) / sqrt(nrow(drops)))
  table <- table[order(-table$drop), ]
  row.names(table) <- NULL
  structure(table, accuracy = accuracy, class = c("contree_importance", "data.frame"))
}

proportion_correct <- function(truth, predicted) {
  mean(as.character(truth) == as.character(predicted))
}

shuffle <- function(data, column) {
  rows <- sample.int(nrow(data))
  if (is.matrix(data)) {
    data[, column] <- data[rows, column]
  } else {
    values <- data[[column]]
    data[[column]] <- if (is.matrix(values)) values[rows, , drop = FALSE] else values[rows]
  }
  data
}

#' @rdname contree_importance
#' @export
print.contree_importance <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  check_digits(digits)
  cat(if (is_shuffled(x)) {
    gettextf("Loss of %s by permuting a column (%s %s)", shuffled_measure(x), shuffled_measure(x),
             format(attr(x, "accuracy"), digits = digits))
  } else if (!is.null(x[["contribution"]])) {
    gettext("Mean of the absolute contributions (SHAP)")
  } else if (!is.null(x[["impurity"]])) {
    gettext("Importance of the predictors of a forest")
  } else if (!is.null(x[["gain"]])) {
    gettext("Gain of the splits on a feature, as stated by the model, and number of splits")
  } else if (!is.null(x[["models"]])) {
    gettext("Decrease of squared residuals by splits on a predictor, and by its terms in models")
  } else if (!is.null(x[["deviance"]])) {
    gettext("Decrease of the deviance by the splits on a predictor")
  } else {
    gettext("Decrease of the Gini impurity, and of the errors, by the splits on a predictor")
  }, "\n\n", sep = "")
  print(format(structure(x, class = "data.frame"), digits = digits), row.names = FALSE)
  invisible(x)
}

# What shuffling costs.
shuffled_measure <- function(importance) {
  measure <- attr(importance, "measure")
  if (is.null(measure)) gettext("accuracy") else measure
}

is_shuffled <- function(importance) !is.null(importance[["drop"]])

#' @rdname contree_importance
#' @export
plot.contree_importance <- function(x, main = NULL, ...) {
  check_title(main)
  said <- importance_to_show(x)
  upwards <- rev(seq_along(said$shown))
  ends <- cbind(said$shown - said$unsure, said$shown + said$unsure)
  names <- names_at_left(x$variable)$names
  graphics::dotchart(said$shown[upwards], labels = names[upwards], main = main, pch = 19,
                     xlab = said$label, xlim = range(0, ends),
                     cex.lab = label_size(said$label, names))
  graphics::segments(ends[upwards, 1], seq_along(upwards), ends[upwards, 2], seq_along(upwards))
  invisible(x)
}

# list(shown, unsure, label): numbers, how far they may be off, and what they are.
importance_to_show <- function(x) {
  if (nrow(x) == 0) {
    stop_input("x", gettext("the tree has no split, so no column has an importance to plot"))
  }
  if (is_shuffled(x) && !any(is.finite(x$drop))) {
    stop_input("x", gettextf("%s is not defined, since all responses are the same",
                             shuffled_measure(x)))
  }
  say <- function(shown, label, unsure = 0) list(shown = shown, unsure = unsure, label = label)
  if (is_shuffled(x)) return(say(x$drop, gettextf("loss of %s", shuffled_measure(x)),
                               replace(x$se, is.na(x$se), 0)))
  if (!is.null(x[["contribution"]])) {
    return(say(x$contribution, gettext("mean of |contribution|")))
  }
  if (!is.null(x[["impurity"]])) {
    last <- names(x)[ncol(x)]
    return(say(x[[last]], importance_label(last)))
  }
  if (!is.null(x[["gain"]])) return(say(x$gain, gettext("gain")))
  if (!is.null(x[["gini"]])) return(say(x$gini, gettext("decrease of Gini impurity")))
  if (!is.null(x[["deviance"]])) return(say(x$deviance, gettext("decrease of the deviance")))
  say(x$splits + x$models, gettext("decrease of squared residuals"))
}

#' @rdname contree_importance
#' @param object A value of `contree_importance()`.
#' @exportS3Method ggplot2::autoplot
autoplot.contree_importance <- function(object, main = NULL, ...) {
  need_package("ggplot2", "autoplot()")
  said <- importance_to_show(object)
  table <- data.frame(variable = factor(object$variable, rev(object$variable)), shown = said$shown,
                      low = said$shown - said$unsure, high = said$shown + said$unsure)
  .data <- ggplot2::.data
  ggplot2::ggplot(table, ggplot2::aes(.data$shown, .data$variable)) +
    ggplot2::geom_segment(ggplot2::aes(.data$low, xend = .data$high, yend = .data$variable)) +
    ggplot2::geom_point() + ggplot2::expand_limits(x = 0) +
    ggplot2::labs(x = said$label, y = NULL, title = main) + ggplot2::theme_minimal()
}

# What vip takes of a model.
#' @exportS3Method vip::vi_model
vi_model.contree_model <- function(object, ...) {
  importance <- tree_importance(object)
  structure(data.frame(Variable = as.character(names(importance)),
                       Importance = as.numeric(importance)),
            type = "impurity", class = c("vi", "data.frame"))
}

# ---- of forests ----------------------------------------------------------------------------------

#' @exportS3Method vip::vi_model
vi_model.hist_forest <- function(object, ...) importance_for_vip(grown_importance(object))

#' @exportS3Method vip::vi_model
vi_model.forged_forest <- function(object, ...) importance_for_vip(gained_importance(object$forest))

#' @exportS3Method vip::vi_model
vi_model.gmt <- function(object, ...) importance_for_vip(saved_importance(object))

importance_for_vip <- function(importance) {
  said <- importance_to_show(importance)
  structure(data.frame(Variable = importance$variable, Importance = said$shown),
            type = said$label, class = c("vi", "data.frame"))
}

# The size at which the title of the axis of a dot chart is on the page, at most 1. The labels at
# its left move the axis to the right. Widths are about those of letters: there is no plot yet.
label_size <- function(title, labels) {
  letter <- 0.55 * graphics::par("cin")[1]
  right <- graphics::par("mai")[4]
  axis <- graphics::par("fin")[1] - graphics::par("mai")[2] - right - letter * max(nchar(labels))
  max(0.5, min(1, (max(axis, 0) + 2 * right) / (letter * nchar(title))))
}
