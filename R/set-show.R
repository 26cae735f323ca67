# A set of trees in words, numbers and a plot.

# Digits in groups of three.
big_text <- function(digits) gsub("(?<=\\d)(?=(\\d{3})+$)", ",", digits, perl = TRUE)

# Answers of larger sets take their time, and are given where they are asked for.
most_numbers_at_once <- 2e6

#' @export
print.contree_set <- function(x, ...) {
  check_no_dots(...)
  about <- set_about(x)
  parts <- set_parts(x)
  cost <- tree_proof(parts$fit)$cost
  trees <- if (about$total == "1") {
    gettext("1 tree")
  } else {
    gettextf("%s trees", big_text(about$total))
  }
  if (about$length == 0) {
    cat(if (about$complete) {
      gettext("No tree is within the budget")
    } else {
      gettext("No trees: the search was stopped before it had found any")
    }, "\n", sep = "")
    return(invisible(x))
  }
  range <- unique(cost_text(range(about$cost, finite = TRUE)))
  cat(gettextf("%s of cost %s, the fit's %s and up to %s more; %s", trees,
               paste(range, collapse = gettext(" to ")), cost_text(cost),
               cost_text(signif(parts$slack, 6)),
               if (about$complete) gettext("complete") else gettext("not complete")),
      "\n", sep = "")
  if (!about$complete) cat(complete_text(x, about), "\n", sep = "")
  if (about$size[["counts"]] <= most_numbers_at_once) {
    print_predictors(summary(x)$predictors)
    cat(ranges_text(predict(x, type = "range")), "\n", sep = "")
  }
  invisible(x)
}

ranges_text <- function(ranges) {
  if (is.null(ranges$ambiguous)) {
    apart <- ranges$greatest - ranges$least
    return(gettextf("Trees predict numbers up to %s apart for a row, in the mean of the rows %s",
                    format(signif(max(apart), 3)), format(signif(mean(apart), 3))))
  }
  n <- sum(ranges$ambiguous)
  gettextf("%s of %s rows are ambiguous (%s%%): some of the trees predict other classes",
           n, nrow(ranges), format(signif(100 * n / nrow(ranges), 3)))
}

print_predictors <- function(table) {
  named <- function(which) {
    if (any(which)) show_names(table$predictor[which], 20) else gettext("none")
  }
  cat(gettextf("In every tree: %s", named(table$share == 1)), "\n",
      gettextf("In some trees: %s", named(table$share > 0 & table$share < 1)), "\n",
      gettextf("In none: %s", named(table$share == 0)), "\n", sep = "")
}

#' What the trees of a set have in common
#'
#' Exact answers about all trees of a [contree_set()] at once.
#'
#' `plot()` draws, by `what`, the share of the trees that split on each predictor, and how much more
#' the best tree without it costs (`"predictors"`); the least and the greatest reliance on each
#' predictor (`"importance"`); for which share of the rows the prediction is a matter of choice, by
#' what may be paid for another one (`"rows"`; of numbers the ranges of the predictions, in order);
#' or the cheapest trees side by side (`"trees"`). `autoplot()` draws the first three with ggplot2.
#'
#' `contree_importance()` says how much the trees need each predictor. Its gain is what the splits
#' on it save of the errors (with losses, the loss; of a numeric response the squared errors) of
#' training rows, as in [contree_importance()]. Reliance, for classes only, is the mean number of
#' errors (with losses, the loss) when the value of each row is exchanged for that of each other row
#' (Fisher, Rudin, Dominici 2019); the table has the least and the greatest of all trees of the set.
#' A tree that does without the predictor has its own errors.
#'
#' @order 1
#' @param object,x,fit A value of [contree_set()].
#' @param ... For `plot()` of `"predictors"`, arguments of [barplot()][graphics::barplot]; else not
#'   used.
#' @return `plot()` returns `x`, invisibly; `contree_importance()` a data frame as `predictors`
#'   below, with the columns `least_gain` and `greatest_gain`, and of classes `least` and `greatest`
#'   reliance, `NA` for factors and predictors with missing values, whose values cannot be exchanged
#'   one by one; `autoplot()` a `ggplot`; `summary()` a list of class
#'   `summary.contree_set`:
#'   \describe{
#'     \item{trees}{how many there are, with all digits, a string}
#'     \item{costs}{data frame: each `cost` that trees have and how many have it, `trees` (a double)
#'       and `digits` (the same in full)}
#'     \item{predictors}{data frame with one row for each predictor: `share` of the trees that split
#'       on it, 1 only if all do and 0 only if none does; `without`, the number of trees that do
#'       without it; `price`, how much more than the best tree the best one without it costs, `NA`
#'       if that is more than the set holds}
#'     \item{complete}{whether all trees within the budget were found}
#'     \item{complete_cost}{no tree that costs so much or less is missing; `-Inf` if any may be}
#'     \item{status, elapsed, size}{how the search ended, seconds, and the size of the graph}
#'   }
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2, complexity = 0.01)
#' set <- contree_set(fit, errors = 3)
#' summary(set)
#' plot(set)
#' contree_importance(set)
#' @references A. Fisher, C. Rudin, F. Dominici (2019). All Models are Wrong, but Many are Useful:
#'   Learning a Variable's Importance by Studying an Entire Class of Prediction Models
#'   Simultaneously. *Journal of Machine Learning Research* 20(177).
#' @export
summary.contree_set <- function(object, ...) {
  check_no_dots(...)
  check_set(object, "object")
  about <- set_about(object)
  if (about$length == 0) stop_input("object", gettext("the set has no trees"))
  without <- set_answer(object, "without", function(pointer) .Call(ffi_set_without, pointer))
  share <- 1 - without$n / about$length
  # the nearest double may be 0 or 1 where a tree is left
  share[without$count == "0"] <- 1
  share[without$count == about$total] <- 0
  price <- without$least - min(about$cost)
  predictors <- data.frame(predictor = set_parts(object)$problem$frame$shape$names, share = share,
                           without = without$n,
                           price = ifelse(is.finite(price), price, NA_real_))
  structure(list(trees = about$total,
                 costs = data.frame(cost = about$cost, trees = about$n, digits = about$count),
                 predictors = predictors, complete = about$complete,
                 complete_cost = about$complete_cost, status = about$status,
                 elapsed = about$elapsed, size = about$size),
            class = "summary.contree_set")
}

#' @export
print.summary.contree_set <- function(x, ...) {
  cat(gettextf("%s trees of cost %s", big_text(x$trees),
               paste(unique(cost_text(range(x$costs$cost))), collapse = gettext(" to "))),
      if (x$complete) gettext(", complete") else gettext(", not complete"), "\n\n", sep = "")
  print(x$predictors, row.names = FALSE, ...)
  invisible(x)
}

#' @rdname tidy.contree
#' @exportS3Method generics::tidy
tidy.contree_set <- function(x, ...) {
  check_no_dots(...)
  summary(x)$predictors
}

#' @param what What to draw, a string, by default `"predictors"`; see Details.
#' @param trees For `"trees"`: how many, a whole number, by default 4.
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @rdname summary.contree_set
#' @export
plot.contree_set <- function(x, what = "predictors", main = NULL, trees = 4, ...) {
  check_title(main)
  check_set(x, "x")
  check_choice("what", what, c("predictors", "importance", "rows", "trees"))
  switch(what, predictors = plot_shares(x, main, ...), importance = plot_reliance(x, main),
         rows = plot_rows(x, main), trees = plot_trees(x, main, trees))
  invisible(x)
}

# Names of predictors need room on the left.
beside_names <- function(names, code) {
  wide <- max(graphics::strwidth(names, units = "inches")) + 0.3
  before <- graphics::par(mai = replace(graphics::par("mai"), 2,
                                        min(wide, graphics::par("fin")[1] / 2)))
  on.exit(graphics::par(before))
  code
}

plot_shares <- function(x, main, ...) {
  said <- summary(x)$predictors
  said <- said[order(said$share), ]
  price <- ifelse(is.na(said$price), gettext("in every tree"),
                  gettextf("+%s without it", cost_text(said$price)))
  beside_names(said$predictor, {
    places <- graphics::barplot(said$share, names.arg = said$predictor, horiz = TRUE, las = 1,
                                xlim = c(0, 1), col = "#56B4E9", border = NA, main = main,
                                xlab = gettext("proportion of the trees that split on it"), ...)
    graphics::text(said$share, places, price, pos = ifelse(said$share > 0.5, 2, 4), cex = 0.8)
  })
}

# Predictors on which trees may rely the most come last.
reliance_table <- function(x) {
  said <- contree_importance(x)
  said <- said[!is.na(said$greatest), ]
  if (nrow(said) == 0) stop_input("x", gettext("no predictor of the set can be exchanged"))
  said[order(said$greatest), ]
}

plot_reliance <- function(x, main) {
  said <- reliance_table(x)
  at <- seq_len(nrow(said))
  beside_names(said$predictor, {
    graphics::plot(range(0, said$greatest), range(at), type = "n", yaxt = "n", ylab = "",
                   xlab = reliance_label(), main = main)
    graphics::axis(2, at, said$predictor, las = 1)
    graphics::segments(said$least, at, said$greatest, at, col = "#0072B2", lwd = 4)
    graphics::points(c(said$least, said$greatest), c(at, at), pch = 19)
  })
}

reliance_label <- function() gettext("errors with its values exchanged, least and greatest")

# What rows are drawn by: of classes the share that another tree tells otherwise, by its price; of
# numbers their ranges in order.
row_curve <- function(x) {
  ranges <- predict(x, type = "range")
  if (is.null(ranges$ambiguous)) return(ranges[order(ranges$least + ranges$greatest), ])
  price <- sort(unique(c(0, ranges$price)))
  share <- vapply(price, function(most) mean(!is.na(ranges$price) & ranges$price <= most), 0)
  data.frame(price = price, share = share)
}

row_labels <- function(x) {
  if (is_of_numbers(x)) return(c(gettext("rows, in order"), gettext("predictions")))
  c(gettext("cost beyond the best tree"), gettext("proportion of the rows that are ambiguous"))
}

plot_rows <- function(x, main) {
  curve <- row_curve(x)
  said <- row_labels(x)
  if (is_of_numbers(x)) {
    at <- seq_len(nrow(curve))
    graphics::plot(range(at), range(curve$least, curve$greatest), type = "n", xlab = said[1],
                   ylab = said[2], main = main)
    graphics::segments(at, curve$least, at, curve$greatest, col = "#0072B2")
  } else {
    graphics::plot(curve$price, curve$share, type = "s", ylim = c(0, max(curve$share, 0.01)),
                   xlab = said[1], ylab = said[2], main = main, col = "#0072B2", lwd = 2)
  }
}

plot_trees <- function(x, main, trees) {
  if (!is_count(trees)) {
    stop_input("trees", gettextf("'trees' must be a whole number of at least 1, not %s",
                                 show_value(trees)))
  }
  fits <- fit_list(x, trees)
  before <- graphics::par(mfrow = grDevices::n2mfrow(length(fits)))
  on.exit(graphics::par(before))
  for (k in seq_along(fits)) {
    plot(fits[[k]], main = c(if (k == 1) main, gettextf("%d: cost %s", k,
                                                        cost_text(tree_proof(fits[[k]])$cost))))
  }
}

#' @rdname summary.contree_set
#' @exportS3Method ggplot2::autoplot
autoplot.contree_set <- function(object, what = "predictors", main = NULL, ...) {
  check_no_dots(...)
  check_set(object, "object")
  check_title(main)
  check_choice("what", what, c("predictors", "importance", "rows"))
  if (what == "rows") return(rows_ggplot(object, main))
  .data <- ggplot2::.data
  said <- if (what == "importance") reliance_table(object) else summary(object)$predictors
  if (what == "predictors") said <- said[order(said$share), ]
  said$predictor <- factor(said$predictor, said$predictor)
  if (what == "predictors") {
    return(ggplot2::ggplot(said, ggplot2::aes(.data$share, .data$predictor)) +
             ggplot2::geom_col(fill = "#56B4E9") +
             ggplot2::labs(x = gettext("proportion of the trees that split on it"), y = NULL,
                           title = main))
  }
  ends <- ggplot2::aes(x = .data$least, xend = .data$greatest, y = .data$predictor,
                       yend = .data$predictor)
  ggplot2::ggplot(said, ends) + ggplot2::geom_segment(linewidth = 2, colour = "#0072B2") +
    ggplot2::labs(x = reliance_label(), y = NULL, title = main)
}

rows_ggplot <- function(x, main) {
  .data <- ggplot2::.data
  curve <- row_curve(x)
  said <- row_labels(x)
  drawn <- if (is_of_numbers(x)) {
    curve$row <- seq_len(nrow(curve))
    ggplot2::ggplot(curve, ggplot2::aes(x = .data$row, ymin = .data$least,
                                        ymax = .data$greatest)) +
      ggplot2::geom_linerange(colour = "#0072B2")
  } else {
    ggplot2::ggplot(curve, ggplot2::aes(.data$price, .data$share)) +
      ggplot2::geom_step(colour = "#0072B2", linewidth = 0.8)
  }
  drawn + ggplot2::labs(x = said[1], y = said[2], title = main)
}
