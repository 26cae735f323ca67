# Which features an imported forest needs, by what its splits gained.

gained_importance <- function(fit) {
  e <- fit$ensemble
  if (!length(e$gain)) {
    stop_unsupported("fit", gettextf(paste(
      "the model of %s does not have the gains of its splits;",
      "give 'data' and 'y' for permutation importance"), fit$source))
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
#' permutation importance. `what = "importance"` is all that there is to plot.
#' @export
plot.forest_ir <- function(x, ...) plot(forge(x), ...)

#' @rdname forge
#' @export
plot.forged_forest <- function(x, main = NULL, what = "importance", ...) {
  check_choice("what", what, "importance")
  plot(contree_importance(x, ...), main = main)
}

#' @rdname forge
#' @param object A result of `forge()`; `predict()` forges one of [import_forest()] for each call.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @param what What to plot: `"importance"`.
#' @exportS3Method ggplot2::autoplot
autoplot.forged_forest <- function(object, main = NULL, ...) {
  autoplot.contree_importance(contree_importance(object, ...), main)
}
