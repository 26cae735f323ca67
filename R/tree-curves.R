# How well the proportions of the leaves tell classes apart: ROC and precision-recall curves, each
# class against all others, the areas below them, and the Brier score.

# One row a class and a distinct probability, with the row of "nothing is called positive" first.
# `proportions`: a row a row of data, a column a class, named; `truth`: the names of their classes.
class_curves <- function(proportions, truth) {
  curves <- lapply(colnames(proportions), function(class) {
    curve <- curve_of_scores(proportions[, class], truth == class)
    data.frame(class = rep(class, nrow(curve)), curve)
  })
  curves <- do.call(rbind, curves)
  curves$class <- factor(curves$class, colnames(proportions))
  curves
}

# All rows of at least a probability are called positive.
curve_of_scores <- function(score, positive) {
  threshold <- sort(unique(score), decreasing = TRUE)
  at <- factor(score, threshold)
  hits <- cumsum(tabulate(at[positive], length(threshold)))
  called <- cumsum(tabulate(at, length(threshold)))
  false <- called - hits
  data.frame(threshold = c(Inf, threshold),
             true_positive_rate = c(0, hits / sum(positive)),
             false_positive_rate = c(0, false / sum(!positive)),
             precision = c(NaN, hits / called))
}

# The area below each ROC curve: the chance that a row of the class has a higher probability than
# one of another class, ties counted half. NaN where either is never there.
curve_areas <- function(curves) {
  areas <- vapply(split(curves, curves$class), function(curve) {
    width <- diff(curve$false_positive_rate)
    height <- curve$true_positive_rate
    sum(width * (height[-1] + height[-length(height)]) / 2)
  }, 0)
  areas
}

# The mean over the rows of the squared distance between the probabilities of the classes and the
# truth; a class without a column is one that the tree does not know.
brier_score <- function(proportions, truth) {
  known <- match(truth, colnames(proportions))
  of_truth <- proportions[cbind(seq_along(known), known)]
  distance <- rowSums(proportions^2) + 1 - ifelse(is.na(known), 0, 2 * of_truth)
  mean(distance)
}

# ---- drawing -------------------------------------------------------------------------------------

#' @param what `"roc"` (the default): true positive rate against false positive rate; `"precision"`:
#'   precision against recall.
#' @param classes Names of the classes to draw, each against all others. By default the last of two
#'   classes; of more, those that occur among the rows, at most eight.
#' @param col Colours of the classes, a vector as in [plot.contree()].
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @rdname contree_accuracy
#' @export
plot.contree_accuracy <- function(x, what = c("roc", "precision"), classes = NULL, col = NULL,
                                  main = NULL, ...) {
  check_no_dots(...)
  check_title(main)
  what <- check_choice("what", what)
  classes <- curves_to_draw(x, classes)
  col <- class_colours(levels(x$curves$class), col)[classes]
  roc <- what == "roc"
  before <- graphics::par(pty = "s")
  on.exit(graphics::par(before))
  graphics::plot(0:1, 0:1, type = "n", xaxs = "i", yaxs = "i", las = 1, main = main,
                 xlab = if (roc) gettext("false positive rate") else gettext("recall"),
                 ylab = if (roc) gettext("true positive rate") else gettext("precision"))
  if (roc) graphics::abline(0, 1, col = "grey70", lty = 2)
  for (class in classes) {
    curve <- x$curves[x$curves$class == class, ]
    across <- if (roc) curve$false_positive_rate else curve$true_positive_rate
    up <- if (roc) curve$true_positive_rate else curve$precision
    graphics::lines(across, up, type = "o", pch = 19, cex = 0.6, lwd = 2, col = col[[class]],
                    xpd = NA)
  }
  figures <- sprintf(" (AUC %.3f)", x$auc[classes])
  fitted <- fit_legend(if (roc) "bottomright" else "bottomleft", classes, figures)
  graphics::legend(if (roc) "bottomright" else "bottomleft", bty = "n", lwd = 2, col = col,
                   legend = fitted$labels, cex = fitted$cex)
  invisible(x$curves[x$curves$class %in% classes, ])
}

most_curves <- 8

curves_to_draw <- function(accuracy, classes) {
  known <- levels(accuracy$curves$class)
  if (is.null(classes)) {
    there <- known[is.finite(accuracy$auc)]
    if (length(known) == 2) there <- utils::tail(there, 1)
    if (length(there) == 0) {
      stop_input("x", gettext("all rows are of one class, so there is no curve to draw"))
    }
    return(utils::head(there, most_curves))
  }
  if (!is.atomic(classes) || length(classes) == 0) {
    stop_input("classes", gettextf("'classes' must be names of classes or NULL, not %s",
                                   show_value(classes)))
  }
  unknown <- setdiff(classes, known)
  if (length(unknown)) {
    stop_input("classes", gettextf("the tree has no class %s; its classes are %s",
                                   show_names(unknown), show_names(known)))
  }
  as.character(classes)
}

# A legend that fits into its plot: smaller text, and of names that are still too long the middle
# left out, of figures nothing. list(labels, cex)
fit_legend <- function(place, names, figures) {
  wide <- function(cex) {
    graphics::legend(place, paste0(names, figures), lwd = 2, cex = cex, plot = FALSE)$rect
  }
  whole <- graphics::par("usr")
  needed <- wide(0.9)
  share <- min(diff(whole[1:2]) / needed$w, diff(whole[3:4]) / needed$h)
  cex <- max(0.5, 0.9 * min(1, 0.97 * share))
  beside <- graphics::grconvertX(whole[1] + wide(cex)$w, "user", "inches") -
    graphics::grconvertX(whole[1], "user", "inches") - max(text_width(paste0(names, figures), cex))
  room <- graphics::par("pin")[1] - beside - max(text_width(figures, cex))
  list(labels = paste0(shorten_to_width(names, room, cex), figures), cex = cex)
}
