# tidy() and autoplot() of what the verbs return.

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_importance <- function(x, ...) {
  data.frame(unclass(x)[names(x)], check.names = FALSE)
}

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.partial_dependence <- tidy.contree_importance

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_rules <- tidy.contree_importance

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_cv <- function(x, ...) x$table

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_path <- function(x, ...) as.data.frame(x)

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_contributions <- function(x, ...) as.data.frame(x)

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_accuracy <- function(x, ...) {
  auc <- mean(x$auc[is.finite(x$auc)])
  figures <- c(n = x$n, accuracy = x$accuracy, lower = x$interval[["lower"]],
               upper = x$interval[["upper"]], brier = x$brier, auc = auc)
  data.frame(metric = names(figures), estimate = unname(figures))
}

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_number_accuracy <- function(x, ...) {
  data.frame(metric = names(x), estimate = unlist(x, use.names = FALSE))
}

# ---- ggplot2 -------------------------------------------------------------------------------------

#' @rdname tidy.contree
#' @exportS3Method ggplot2::autoplot
autoplot.hist_forest <- function(object, what = c("error", "importance", "survival"), main = NULL,
                                 newdata = NULL, data = NULL, times = NULL, groups = NULL, ...) {
  check_no_dots(...)
  if (missing(what) && object$type == "survival") what <- "importance"
  what <- check_choice("what", what)
  if (what == "survival") {
    check_survival_type(object, what)
    rows <- survival_rows(object, newdata, data, times, parent.frame())
    return(draw_survival_curves(survival_picture(object, rows, groups)$curves, main))
  }
  if (what == "importance") {
    return(autoplot.contree_importance(grown_importance(object), main))
  }
  curve <- eval(call("forest_curve", object), list(forest_curve = forest_curve), parent.frame())
  .data <- ggplot2::.data
  ggplot2::ggplot(as.data.frame(unclass(curve)), ggplot2::aes(.data$trees, .data$error)) +
    ggplot2::geom_line() + ggplot2::theme_minimal() +
    ggplot2::labs(x = gettext("trees"), y = gettext("error (out of bag)"), title = main)
}

# From 1 at the beginning.
draw_survival_curves <- function(curves, main) {
  first <- curves[!duplicated(curves$group), ]
  first$time <- min(0, curves$time)
  first$survival <- 1
  .data <- ggplot2::.data
  ggplot2::ggplot(rbind(first, curves), ggplot2::aes(.data$time, .data$survival,
                                                     colour = .data$group)) +
    ggplot2::geom_step() + ggplot2::ylim(0, 1) + ggplot2::theme_minimal() +
    ggplot2::labs(x = gettext("time"), y = gettext("probability of no event"), colour = NULL,
                  title = main)
}

#' @rdname tidy.contree
#' @exportS3Method ggplot2::autoplot
autoplot.contree_accuracy <- function(object, main = NULL, ...) {
  check_no_dots(...)
  .data <- ggplot2::.data
  shown <- object$curves[object$curves$class %in% curves_to_draw(object, NULL), ]
  ggplot2::ggplot(shown, ggplot2::aes(.data$false_positive_rate, .data$true_positive_rate,
                                      colour = .data$class)) +
    ggplot2::geom_path() + ggplot2::geom_abline(linetype = 3) + ggplot2::theme_minimal() +
    ggplot2::labs(x = gettext("false positive rate"), y = gettext("true positive rate"),
                  title = main)
}

#' @rdname tidy.contree
#' @exportS3Method ggplot2::autoplot
autoplot.partial_dependence <- function(object, main = NULL, ...) {
  check_no_dots(...)
  variables <- attr(object, "variables")
  numbers <- as_numbers_of_time(tidy.contree_importance(object), variables)
  shown <- numbers$table
  shown$group <- if (!is.null(shown$row)) shown$row else if (length(variables) == 2) {
    factor(shown[[2]])
  } else if (is.null(shown$class)) "" else shown$class
  .data <- ggplot2::.data
  by_group <- length(unique(shown$group)) > 1 && is.null(shown$row)
  lines <- (is.numeric(shown[[1]]) || inherits(shown[[1]], c("Date", "POSIXct"))) &&
    length(unique(shown[[1]])) > 1
  aes <- ggplot2::aes(.data[[variables[1]]], .data$prediction, group = .data$group)
  if (by_group) aes$colour <- ggplot2::aes(colour = .data$group)$colour
  levels <- if (!lines) unique(as.character(shown[[1]]))
  ggplot2::ggplot(shown, aes) +
    (if (lines) ggplot2::geom_line(alpha = if (is.null(shown$row)) 1 else 0.4) else
      ggplot2::geom_point()) +
    (if (!is.null(shown$class) && (length(variables) == 2 || !is.null(shown$row))) {
      ggplot2::facet_wrap(ggplot2::vars(.data$class))
    }) + ggplot2::theme_minimal() + below_each_other(levels) +
    ggplot2::labs(title = main, x = numbers$label[1], y = if (is.null(shown$class)) {
      gettext("prediction")
    } else {
      gettext("probability")
    }, colour = if (length(variables) == 2) numbers$label[2])
}

# Levels whose names are long stand one below the other, the first uppermost.
below_each_other <- function(levels) {
  if (sum(nchar(levels)) < 50) return(NULL)
  list(ggplot2::coord_flip(), ggplot2::scale_x_discrete(limits = rev(levels)),
       ggplot2::theme(axis.text.y = ggplot2::element_text(size = min(9, 260 / length(levels)))))
}

#' @rdname tidy.contree
#' @exportS3Method ggplot2::autoplot
autoplot.contree_cv <- function(object, main = NULL, ...) {
  check_no_dots(...)
  table <- object$table
  settings <- setdiff(names(table), c("leaves", "training", "error", "se", "stopped", "chosen",
                                      "oob"))
  varied <- Filter(function(name) length(unique(table[[name]])) > 1, settings)
  if (length(varied) == 0) varied <- settings[1]
  table$group <- if (length(varied) > 1) {
    do.call(paste, c(lapply(varied[-1], function(name) paste(name, table[[name]])), sep = ", "))
  } else ""
  .data <- ggplot2::.data
  aes <- ggplot2::aes(.data[[varied[1]]], .data$error, ymin = .data$error - .data$se,
                      ymax = .data$error + .data$se, group = .data$group)
  if (length(varied) > 1) aes$colour <- ggplot2::aes(colour = .data$group)$colour
  ggplot2::ggplot(table, aes) + ggplot2::geom_line() + ggplot2::geom_pointrange() +
    ggplot2::geom_point(data = table[table$chosen, ], size = 5, shape = 1) +
    ggplot2::theme_minimal() +
    ggplot2::labs(title = main, colour = NULL, y = gettext("error of held-out rows"))
}
