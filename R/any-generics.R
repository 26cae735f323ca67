# Generics of stats and base that models of this package have no answer to: an error that says where
# the answer is, in place of NULL or of a failure inside the generic's default. And what forests
# that were not grown here have in their place.

# ---- no answer -----------------------------------------------------------------------------------

# By generic: for which classes, and what is said. Methods of a class itself come before these.
fits_of_rows <- c("contree_model", "contree_ensemble")
forests_without_rows <- c("forged_forest", "forest_ir", "image_forest")
all_fits <- c(fits_of_rows, forests_without_rows)

one_tree_text <- function() {
  gettext(paste(
    "a forest has no single tree to show; forest_tree(fit, 1) is one as a table, and",
    "plot(forest_tree(fit, 1, as = \"model\")) draws it"))
}

pixels_text <- function() {
  gettext("forests for pixels have print(), summary() and predict() alone")
}

number_curves_text <- function() {
  gettext(paste("the curves are of classes; for numbers draw the predictions, as by",
                "plot(predict(fit, newdata), y)"))
}

no_answers <- function() {
  no_likelihood <- gettext(paste(
    "trees and forests have no likelihood; compare errors of held-out rows, by contree_cv() or",
    "contree_accuracy(fit, newdata)"))
  no_coefficients <- gettext(paste(
    "trees and forests have no coefficients; see contree_importance(), partial_dependence() and",
    "contributions()"))
  no_rows <- gettext(paste(
    "the forest does not keep the rows it was grown from; use predict(fit, newdata), or the fit",
    "it was made of"))
  of <- function(generics, classes, text) {
    lapply(generics, function(name) list(generic = name, classes = classes, text = text))
  }
  c(of(c("logLik", "anova", "simulate", "family", "extractAIC"), all_fits, no_likelihood),
    of(c("coef", "vcov", "df.residual"), all_fits, no_coefficients),
    of("sigma", c("contree", "contree_policy", setdiff(all_fits, "contree_model")),
       no_coefficients), # model trees have it
    of("deviance", all_fits, gettext(
      "there is no deviance of this kind of fit; glance() and summary() have its errors")),
    of(c("residuals", "fitted", "formula", "model.frame", "terms", "nobs", "update", "weights",
         "model.matrix"), forests_without_rows, no_rows),
    of("model.matrix", "contree_ensemble", gettext(
      "forests have no model matrix; model.frame(fit) has the predictors as they are")),
    of(c("text", "as.data.frame"), "contree_ensemble", one_tree_text()),
    of(c("text", "as.data.frame"), forests_without_rows, gettext(
      "there is no single tree to show, as forest_tree() has of a fit of hist_forest()")),
    of("plot", "image_forest", pixels_text()),
    of("plot", "contree_number_accuracy", number_curves_text()))
}

register_no_answers <- function() {
  own <- topenv()
  generics <- new.env(parent = asNamespace("stats")) # which sees those of base and graphics
  for (answer in no_answers()) {
    for (class in answer$classes) {
      if (is.null(own[[paste(answer$generic, class, sep = ".")]])) {
        registerS3method(answer$generic, class, answering_nothing(answer$text), generics)
      }
    }
  }
}

answering_nothing <- function(text) {
  force(text)
  function(...) stop_unsupported("object", text)
}

# The same of generics of other packages.
#' @exportS3Method generics::tidy
tidy.image_forest <- function(x, ...) stop_unsupported("x", pixels_text())

#' @exportS3Method generics::glance
glance.image_forest <- tidy.image_forest

#' @exportS3Method generics::augment
augment.image_forest <- tidy.image_forest

#' @exportS3Method ggplot2::autoplot
autoplot.image_forest <- function(object, ...) stop_unsupported("object", pixels_text())

#' @exportS3Method ggplot2::autoplot
autoplot.contree_number_accuracy <- function(object, ...) {
  stop_unsupported("object", number_curves_text())
}

# ---- forests of elsewhere ------------------------------------------------------------------------

#' @rdname forge
#' @param object A value of `forge()` or [import_forest()].
#' @export
summary.forest_ir <- function(object, ...) {
  check_no_dots(...)
  starts <- sort(object$ensemble$roots)
  nodes <- diff(c(starts, length(object$ensemble$feature) + 1))
  structure(list(forest = object, leaves = stats::quantile((nodes + 1) / 2)),
            class = "summary.forest_ir")
}

#' @rdname forge
#' @export
summary.forged_forest <- function(object, ...) {
  summary <- summary.forest_ir(object$forest, ...)
  summary$forest <- object
  summary
}

#' @rdname image_forest
#' @param object,x A fit.
#' @export
summary.image_forest <- function(object, ...) {
  check_no_dots(...)
  structure(list(forest = object, leaves = stats::quantile(object$forest$n_leaves),
                 depth = stats::quantile(object$forest$depth)), class = "summary.forest_ir")
}

#' @export
print.summary.forest_ir <- function(x, ...) {
  check_no_dots(...)
  print(x$forest)
  cat("\n")
  print(round(do.call(rbind, x[intersect(c("leaves", "depth"), names(x))])))
  invisible(x)
}

# What is known of the trees; what errors they have is not.
#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.forest_ir <- function(x, ...) {
  leaves <- summary.forest_ir(x, ...)$leaves
  data.frame(source = x$source, trees = n_forest_trees(x), outputs = n_forest_outputs(x),
             features = x$ensemble$n_features, used = length(x$asked),
             leaves = leaves[["50%"]])
}

#' @rdname tidy.contree
#' @exportS3Method generics::glance
glance.forged_forest <- function(x, ...) glance.forest_ir(x$forest, ...)

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.forged_forest <- function(x, ...) tidy.contree_importance(contree_importance(x, ...))

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.forest_ir <- tidy.forged_forest

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.forged_forest <- function(x, newdata = NULL, ...) {
  check_no_dots(...)
  if (is.null(newdata)) stop_input("newdata", gettext("'newdata' must be given"))
  to <- as.data.frame(newdata)
  if (is.null(x$forest$classes)) {
    answer <- as.matrix(stats::predict(x, newdata))
    names <- if (ncol(answer) == 1) ".pred" else paste0(".pred_", colnames(answer))
    to[names] <- as.data.frame(unname(answer))
    return(to)
  }
  to$.pred_class <- unname(stats::predict(x, newdata, type = "class"))
  to[paste0(".pred_", x$forest$classes)] <- as.data.frame(unname(
    stats::predict(x, newdata, type = "prob")))
  to
}

#' @rdname tidy.contree
#' @exportS3Method generics::augment
augment.forest_ir <- function(x, newdata = NULL, ...) augment.forged_forest(forge(x), newdata, ...)

#' @rdname tidy.contree
#' @exportS3Method ggplot2::autoplot
autoplot.forest_ir <- function(object, main = NULL, ...) {
  autoplot.contree_importance(contree_importance(object, ...), main)
}
