# Which features an imported forest needs: by what its splits gained, and by what predictions lose
# without them.

#' @rdname contree_importance
#' @export
contree_importance.forest_ir <- function(fit, data = NULL, repeats = 10, y = NULL, ...) {
  check_no_dots(...)
  if (!is.null(data) || !is.null(y)) return(contree_importance(forge(fit), data, repeats, y))
  gained_importance(fit)
}

#' @rdname contree_importance
#' @export
contree_importance.forged_forest <- function(fit, data = NULL, repeats = 10, y = NULL, ...) {
  check_no_dots(...)
  if (is.null(data) && is.null(y)) return(gained_importance(fit$forest))
  check_repeats(repeats)
  measure <- forest_measure(fit, data, y)
  before <- measure(data)
  asked <- fit$forest$asked
  by_name <- !is.null(fit$forest$features) && !is.null(colnames(data))
  columns <- if (by_name) fit$forest$features[asked] else asked
  drops <- vapply(columns, function(column) {
    vapply(seq_len(repeats), function(i) {
      # new levels were told above
      before - suppressWarnings(measure(shuffle(data, column)), classes = "contree_new_levels")
    }, 0)
  }, numeric(repeats))
  drops <- matrix(drops, repeats, dimnames = list(NULL, as.character(columns)))
  importance <- new_importance(drops, before)
  if (is_forest_classifier(fit$forest)) importance else
    structure(importance, measure = "R squared")
}

# A function of rows: how much of `y` is predicted.
forest_measure <- function(fit, data, y) {
  if (!is.data.frame(data) && !is.matrix(data)) {
    stop_input("data", gettextf("'data' must be a data frame or a matrix, not %s",
                                show_value(data)))
  }
  by_class <- is_forest_classifier(fit$forest)
  if (is.factor(y)) check_factor(y, "y")
  fitting <- length(y) == nrow(data) && !anyNA(y) && (by_class || is.numeric(y))
  if (!fitting || nrow(data) == 0) {
    stop_input("y", gettextf("'y' must be the %s of all %d rows of 'data', not %s",
                             if (by_class) gettext("classes") else gettext("numbers"),
                             nrow(data), show_value(y)))
  }
  if (by_class) {
    y <- labels_as_classes(y, fit$forest$classes)
    return(function(rows) proportion_correct(y, stats::predict(fit, rows, type = "class")))
  }
  if (n_forest_outputs(fit$forest) > 1) {
    stop_unsupported("fit", gettext("the model predicts several numbers, but 'y' is one"))
  }
  total <- sum((y - mean(y))^2)
  function(rows) 1 - sum((y - stats::predict(fit, rows))^2) / total
}

# `y` in the words of the model: its labels, or the same numbers or logicals written otherwise, as
# TRUE for "1". What is none of its classes is an error, for it would count as predicted wrongly.
labels_as_classes <- function(y, classes) {
  text <- as.character(y)
  if (all(text %in% classes)) return(text)
  number <- function(labels) {
    labels <- as.character(labels)
    if (all(labels %in% c("FALSE", "TRUE"))) return(as.numeric(as.logical(labels)))
    suppressWarnings(as.numeric(labels))
  }
  at <- match(number(y), number(classes), incomparables = NA)
  if (!anyNA(at) && !anyDuplicated(number(classes))) return(classes[at])
  stop_input("y", gettextf("'y' has the labels %s, but the classes of the model are %s",
                           show_names(unique(text)), show_names(classes)),
             gettextf("give 'y' in these, as c(%s)[match(y, labels)], your labels in that order",
                      paste(dQuote(classes, FALSE), collapse = ", ")))
}

gained_importance <- function(fit) {
  e <- fit$ensemble
  if (!length(e$gain)) {
    stop_unsupported("fit", gettextf("the model of %s does not have the gains of its splits",
                                     fit$source))
  }
  inner <- e$feature > 0L
  asked <- fit$asked
  by <- factor(e$feature[inner], asked)
  table <- data.frame(
    variable = if (is.null(fit$features)) as.character(asked) else fit$features[asked],
    gain = as.vector(tapply(e$gain[inner], by, sum, default = 0)), splits = as.vector(table(by)))
  table <- table[order(-table$gain), ]
  row.names(table) <- NULL
  structure(table, class = c("contree_importance", "data.frame"))
}

# ---- plots ---------------------------------------------------------------------------------------

#' @rdname forge
#' @details
#' `plot()`, and `autoplot()` of ggplot2, draw the result of [contree_importance()]: without `data`
#' the gains of the splits on each feature, if the model states them; with `data` and `y` the
#' permutation importance.
#' @export
plot.forged_forest <- function(x, main = NULL, ...) {
  plot(contree_importance(x, ...), main = main)
}

#' @rdname forge
#' @param object A result of `forge()`.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @exportS3Method ggplot2::autoplot
autoplot.forged_forest <- function(object, main = NULL, ...) {
  autoplot.contree_importance(contree_importance(object, ...), main)
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
