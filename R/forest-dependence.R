# What a model predicts as one or two predictors change: partial dependence (Friedman 2001) and
# individual conditional expectation (Goldstein et al. 2015).

#' Partial dependence
#'
#' The mean prediction of a model over the rows of `data` when one or two predictors are set to
#' each value of a grid in all rows (partial dependence); and, with `ice`, the predictions for the
#' individual rows (individual conditional expectation).
#'
#' @param fit A fit of [hist_forest()], [contree()] or [gmt()], or a result of [import_forest()] or
#'   [forge()] with names of features. Of survival forests the mortality is shown.
#' @param data Data frame with the columns that the model was fitted to, usually the training rows
#'   or a sample of them.
#' @param variables Names of one or two predictors, columns of `data`, a character vector.
#' @param at Values of the grid: a list with a vector of values, of the type of the column and not
#'   missing, or of levels, for one or both of the columns, by name. By default all
#'   levels of factors and all distinct values of other columns, or quantiles if there are more than
#'   `grid` of them.
#' @param grid Maximum number of values of a column in the default grid, a whole number of at least
#'   2; 20 by default.
#' @param ice Return the predictions of each row instead of their mean? `FALSE` by default; for one
#'   column only.
#' @param classes Names of the classes to return; by default all, or the second of two classes. Not
#'   used for a numeric response.
#' @param threads As in [contree_control()].
#' @param x A value of `partial_dependence()`.
#' @param centre With `ice`, subtract from the line of each row its first value, so that all lines
#'   start at 0? `FALSE` by default.
#' @param main,xlab,ylab Title and axis labels, strings; `NULL` for the default labels, and no
#'   title.
#' @param col Colours of the classes, or of the heat map, a vector; `NULL` for the default colours.
#' @param ... Not used.
#' @return A data frame of class `partial_dependence` with a column for each of `variables`, `class`
#'   (a factor; for classes only), `prediction` (a probability, or a number in the unit of the
#'   response) and, with `ice`, `row` (the number of the row in `data`). The first variable varies
#'   slowest.
#'
#'   `plot()` returns its argument invisibly. It draws a line (for a factor, a point for each level)
#'   for each class. Levels whose names do not fit side by side are drawn one below the other, with
#'   the axes exchanged. With `ice`, grey lines of the individual rows and their mean, for the first
#'   class; for two numeric variables a heat map for the first class, else a line for each value of
#'   the second variable.
#' @section Errors:
#' `contree_input_error` if a column, a level or a class does not exist, if `data` has no rows, or
#' if a column has missing values only and no values in `at`.
#' @references J. Friedman (2001). Greedy function approximation: a gradient boosting machine.
#' *Annals of Statistics* 29(5), 1189-1232. \doi{10.1214/aos/1013203451}.
#'
#' A. Goldstein, A. Kapelner, J. Bleich, E. Pitkin (2015). Peeking inside the black box: visualizing
#' statistical learning with plots of individual conditional expectation. *Journal of Computational
#' and Graphical Statistics* 24(1), 44-65. \doi{10.1080/10618600.2014.907095}.
#' @examples
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 100, seed = 1)
#' weight <- partial_dependence(fit, mtcars, "wt")
#' head(weight, 3)
#' plot(weight)
#' plot(partial_dependence(fit, mtcars, "wt", ice = TRUE))
#' plot(partial_dependence(fit, mtcars, c("wt", "hp"), grid = 10))
#' @export
partial_dependence <- function(fit, data, variables, at = NULL, grid = 20, ice = FALSE,
                               classes = NULL, threads = NULL) {
  model <- any_model(fit)
  check_one_number(model)
  data <- check_dependence_data(model, data)
  check_dependence(model, data, variables, grid, check_flag("ice", ice))
  check_at(model, data, variables, at)
  classes <- check_shown_classes(model, classes)
  values <- lapply(stats::setNames(variables, variables), function(name) {
    known <- if (is.null(at[[name]])) grid_of(data[[name]], grid) else at[[name]]
    if (length(known)) return(known)
    stop_input("data", gettextf("'%s' has missing values only", name),
               gettext("give values for it as 'at'"))
  })
  steps <- rev(expand.grid(rev(lapply(values, seq_along))))
  parts <- lapply(seq_len(nrow(steps)), function(step) {
    setting <- Map(function(value, i) value[i], values, steps[step, ])
    told <- told_with(model, data, setting, classes, threads)
    if (!ice) told <- matrix(colMeans(told), 1)
    data.frame(lapply(setting, repeated, length(told)), dependence_columns(told, classes, ice),
               check.names = FALSE)
  })
  structure(do.call(rbind, parts), class = c("partial_dependence", "data.frame"),
            variables = variables)
}

check_dependence_data <- function(model, data) {
  if (is.matrix(data)) data <- as.data.frame(data)
  if (!is.data.frame(data) || nrow(data) == 0) {
    stop_input("data", gettextf("'data' must be a data frame with rows, not %s",
                                if (is.data.frame(data)) gettext("one without") else
                                  show_value(data)))
  }
  # new levels are told once, not for each value of the grid
  any_prediction(model, data, if (is.null(model$classes)) "response" else "class")
  data
}

check_dependence <- function(model, data, variables, grid, ice) {
  known <- intersect(names(data), model$inputs)
  if (!is.character(variables) || !(length(variables) %in% (if (ice) 1 else 1:2)) ||
        anyDuplicated(variables) || !all(variables %in% known)) {
    many <- if (ice) gettext("one column") else gettext("one or two columns")
    given <- is.character(variables) && length(variables)
    stop_input("variables", gettextf(
      "'variables' must name %s that the model was fitted to (%s), not %s", many,
      show_names(known), if (given) show_names(variables) else show_value(variables)))
  }
  check_number("grid", grid, gettext("a whole number of at least 2"),
               function(value) is_count(value) && value >= 2)
}

# `at`: for some of the variables, values that the column may have.
check_at <- function(model, data, variables, at) {
  named <- is.list(at) && !is.null(names(at)) && !anyDuplicated(names(at)) &&
    all(names(at) %in% variables)
  if (!is.null(at) && !named) {
    given <- names(at)
    stop_input("at", gettextf(
      "'at' must be a list of values with names out of %s, not %s", show_names(variables),
      if (length(given)) gettextf("one with %s", show_names(given)) else show_value(at)))
  }
  for (name in names(at)) check_values_at(at[[name]], name, data[[name]], model$levels[[name]])
}

check_values_at <- function(values, name, column, levels) {
  has_levels <- is.factor(column) || is.character(column)
  if (is.null(levels) && has_levels) levels <- levels(factor(column))
  fine <- if (has_levels) {
    all(as.character(values) %in% levels)
  } else if (is.numeric(column) || is.logical(column)) {
    (is.numeric(values) || is.logical(values)) && !anyNA(values)
  } else {
    identical(class(values), class(column)) && !anyNA(values)
  }
  if (fine && is.atomic(values) && is.null(dim(values)) && length(values)) return(invisible())
  stop_input("at", gettextf("'at' must have %s for '%s', not %s", if (has_levels) {
    gettextf("levels (%s)", show_names(levels))
  } else {
    gettextf("values like those of the column, which is %s", describe_type(column))
  }, name, if (is.atomic(values) && length(values)) show_values(values) else show_value(values)))
}

check_shown_classes <- function(model, classes) {
  if (is.null(model$classes)) return(NULL)
  if (is.null(classes)) return(if (length(model$classes) == 2) model$classes[2] else model$classes)
  if (is.character(classes) && length(classes) && all(classes %in% model$classes)) return(classes)
  stop_input("classes", gettextf("'classes' must be names of classes, such as %s",
                                 show_names(model$classes)))
}

# Values of the column that is varied, in order; missing ones are left out.
grid_of <- function(column, most) {
  if (is.factor(column)) {
    return(factor(levels(column), levels(column), ordered = is.ordered(column)))
  }
  values <- column[!duplicated(column) & !is.na(column)]
  values <- values[order(values)]
  if (length(values) <= most || is.character(values)) return(values)
  values[unique(round(seq(1, length(values), length.out = most)))]
}

# One value several times; unique() and rep() would not keep the class of a difftime.
repeated <- function(value, times) value[rep_len(1L, times)]

# What the model says of the rows once the columns have these values: a column a class.
told_with <- function(model, data, setting, classes, threads) {
  for (name in names(setting)) data[[name]] <- repeated(setting[[name]], nrow(data))
  type <- if (is.null(classes)) "response" else "prob"
  told <- suppressWarnings(any_prediction(model, data, type, threads),
                           classes = "contree_new_levels")
  if (is.null(classes)) matrix(told) else unname(told[, classes, drop = FALSE])
}

dependence_columns <- function(told, classes, ice) {
  columns <- list()
  if (!is.null(classes)) columns$class <- factor(rep(classes, each = nrow(told)), classes)
  columns$prediction <- as.vector(told)
  if (ice) columns$row <- rep(seq_len(nrow(told)), ncol(told))
  as.data.frame(columns)
}

# ---- plots ---------------------------------------------------------------------------------------

#' @rdname partial_dependence
#' @export
plot.partial_dependence <- function(x, centre = FALSE, main = NULL, xlab = NULL, ylab = NULL,
                                    col = NULL, ...) {
  check_no_dots(...)
  check_flag("centre", centre)
  variables <- attr(x, "variables")
  numbers <- as_numbers_of_time(as.data.frame(x), variables)
  shown <- numbers$table
  if (is.null(xlab)) xlab <- numbers$label[1]
  if (is.null(ylab)) ylab <- if (is.null(x$class)) gettext("prediction") else gettext("probability")
  if (!is.null(x$row) || length(variables) == 2) {
    shown <- if (is.null(x$class)) shown else shown[x$class == levels(x$class)[1], ]
  }
  labels <- list(main = main, xlab = xlab, ylab = ylab)
  if (!is.null(x$row)) {
    plot_ice(shown, variables, centre, labels)
  } else if (is_map(shown, variables)) {
    labels$ylab <- numbers$label[2]
    plot_map(shown, col, labels)
  } else {
    by <- if (length(variables) == 2) shown[[2]] else shown$class
    plot_lines(shown[[1]], shown$prediction, by, col, labels)
  }
  invisible(x)
}

# Lengths of time as numbers, whose unit the axis has.
as_numbers_of_time <- function(shown, variables) {
  label <- variables
  for (k in which(vapply(shown[variables], inherits, NA, "difftime"))) {
    label[k] <- sprintf("%s (%s)", variables[k], units(shown[[k]]))
    shown[[k]] <- as.numeric(shown[[k]])
  }
  list(table = shown, label = label)
}

# Are there two predictors of several numbers each?
is_map <- function(shown, variables) {
  length(variables) == 2 && all(vapply(shown[variables], function(values) {
    is.numeric(values) && length(unique(values)) > 1
  }, NA))
}

# A line, or for levels points, for each value of `by`; NULL: one.
plot_lines <- function(at, prediction, by, col, labels) {
  values <- if (is.null(by)) "" else unique(by)
  groups <- if (is.null(by)) rep(1, length(at)) else match(by, values)
  names <- if (is.numeric(values)) distinct_numbers(values, 4) else as.character(values)
  if (is.null(col)) {
    col <- if (length(names) > 1) grDevices::hcl.colors(length(names), "Dark 3") else 1
  }
  col <- rep(col, length.out = length(names))
  places <- places_of(at)
  key <- if (length(names) > 1) list(names = names, col = col)
  before <- graphics::par(c("mai", "mgp"))
  on.exit(graphics::par(before))
  turned <- open_dependence(places, prediction, labels, key)
  for (i in seq_along(names)) {
    one <- groups == i
    xy <- list(places$at[one], prediction[one])
    graphics::points(xy[[1 + turned]], xy[[2 - turned]], col = col[i], pch = 19,
                     type = if (is.null(places$names) && sum(one) > 1) "l" else "p")
  }
}

# Where values are on an axis, and, of levels, their names.
places_of <- function(at) {
  if (is.numeric(at) || inherits(at, c("Date", "POSIXct"))) return(list(at = at))
  names <- unique(as.character(at))
  list(at = match(as.character(at), names), names = names)
}

# Margins, axes and `key`, a list of names and colours that stands above the plot. Levels whose
# names have no room side by side stand one below the other. Returns whether they do.
open_dependence <- function(places, prediction, labels, key = NULL) {
  graphics::plot.new()
  shape <- shape_of_key(key)
  margins <- graphics::par("mai") + c(0, 0, shape$height, 0)
  names <- places$names
  room <- figure_size()
  wide <- text_width(names, 1)
  turned <- length(names) > 0 &&
    max(wide) > 0.9 * (room[1] - sum(margins[c(2, 4)])) / length(names)
  if (turned) {
    line <- inches_of_line()
    if (is.null(labels$main)) margins[3] <- min(margins[3], line + shape$height)
    margins[1] <- min(margins[1], 4.2 * line)
    left <- columns_of_names(names, 0.5 * room[1], margins)
    before_label <- left$width / line + 1.2
    margins[2] <- (before_label + 1.5) * line
  }
  graphics::par(mai = margins, new = TRUE)
  ends <- if (length(names)) c(0.5, length(names) + 0.5) else range(places$at)
  axes <- list(ends, range(prediction))
  titles <- list(labels$xlab, labels$ylab)
  # the first level is the uppermost
  if (turned) axes[[1]] <- rev(axes[[1]])
  graphics::plot(axes[[1 + turned]], axes[[2 - turned]], type = "n", ann = FALSE,
                 xaxt = if (length(names) && !turned) "n" else "s",
                 yaxt = if (turned) "n" else "s", xlim = axes[[1 + turned]],
                 ylim = axes[[2 - turned]])
  if (turned) graphics::abline(h = seq_along(names), col = "grey85")
  if (turned) {
    draw_columns(left)
  } else if (length(names)) {
    graphics::axis(1, seq_along(names), names, las = 1, gap.axis = -1)
  }
  graphics::title(main = labels$main, line = 1.7 + shape$height / inches_of_line())
  graphics::title(xlab = titles[[1 + turned]])
  graphics::title(ylab = titles[[2 - turned]], line = if (turned) before_label else NA)
  draw_key(key, shape, lines = is.null(places$names))
  turned
}

# Names one below the other at the left: list(names, size, columns, width). Where lines are low they
# stand in turn in up to three columns, without the words that all of them share.
columns_of_names <- function(names, most, margins) {
  short <- without_common_ends(names)
  for (columns in 1:3) {
    size <- min(1, columns * size_of_lines(length(names), margins, least = 0.1))
    shown <- if (columns == 1) names else short
    if (size >= 0.6) break
  }
  shown <- shorten_to_width(shown, most / columns - 0.1 * (columns > 1), size)
  list(names = shown, size = size, columns = columns,
       width = columns * max(text_width(shown, size)) + 0.1 * (columns - 1))
}

draw_columns <- function(left) {
  at <- seq_along(left$names)
  apart <- left$width / left$columns / inches_of_line()
  for (column in seq_len(left$columns)) {
    here <- at[(at - 1) %% left$columns == column - 1]
    graphics::axis(2, here, left$names[here], las = 1, gap.axis = -1, cex.axis = left$size,
                   tick = column == 1, mgp = c(3, 1 + (column - 1) * apart, 0))
  }
}

# Inches of a line, in which margins are counted.
inches_of_line <- function() {
  graphics::par("cin")[2] * graphics::par("cex") * graphics::par("mex")
}

# Width and height, in inches.
figure_size <- function() {
  fig <- graphics::par("fig")
  graphics::par("din") * c(fig[2] - fig[1], fig[4] - fig[3])
}

# In columns of equal width, as many as there is room for: list(columns, cex, height), in inches.
shape_of_key <- function(key) {
  if (is.null(key)) return(list(height = 0))
  size <- figure_size()
  for (cex in c(0.9, 0.8, 0.7, 0.6)) {
    wide <- max(text_width(key$names, cex)) + 4 * line_height(cex)
    columns <- min(length(key$names), max(1, floor(0.9 * size[1] / wide)))
    height <- ceiling(length(key$names) / columns) * line_height(cex)
    if (height < 0.3 * size[2]) break
  }
  list(columns = columns, cex = cex, height = height)
}

draw_key <- function(key, shape, lines) {
  if (is.null(key)) return(invisible())
  usr <- graphics::par("usr")
  graphics::legend(mean(usr[1:2]), usr[4], key$names, col = key$col, lty = if (lines) 1,
                   pch = if (!lines) 19, bty = "n", xjust = 0.5, yjust = 0, ncol = shape$columns,
                   cex = shape$cex, xpd = NA)
}

plot_ice <- function(shown, variable, centre, labels) {
  lines <- unname(do.call(rbind, split(shown$prediction, shown$row)))
  if (centre) lines <- lines - lines[, 1]
  places <- places_of(unique(shown[[variable]]))
  before <- graphics::par(c("mai", "mgp"))
  on.exit(graphics::par(before))
  turned <- open_dependence(places, lines, labels)
  draw <- function(values, ...) {
    xy <- list(rep(c(places$at, NA), length.out = length(values)), values)
    graphics::lines(xy[[1 + turned]], xy[[2 - turned]], ...)
  }
  draw(t(cbind(lines, NA)), col = grDevices::grey(0.7))
  draw(colMeans(lines), lwd = 3, type = if (is.null(places$names)) "l" else "o", pch = 19)
}

plot_map <- function(shown, col, labels) {
  # integers would overflow
  across <- as.numeric(sort(unique(shown[[1]])))
  up <- as.numeric(sort(unique(shown[[2]])))
  heights <- matrix(NA_real_, length(across), length(up))
  heights[cbind(match(shown[[1]], across), match(shown[[2]], up))] <- shown$prediction
  if (is.null(col)) col <- grDevices::hcl.colors(24, "YlOrRd", rev = TRUE)
  graphics::image(across, up, heights, col = col, main = labels$main, xlab = labels$xlab,
                  ylab = labels$ylab)
  if (diff(range(heights)) > 0) graphics::contour(across, up, heights, add = TRUE)
}
