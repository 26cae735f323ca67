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

#' What a set of trees has in common
#'
#' Exact answers about all trees of a set at once.
#'
#' `plot()` draws the share of the trees that split on each predictor, and says how much more the
#' best tree without it costs.
#'
#' `contree_importance()` says how much the trees rely on each predictor: the errors (with losses,
#' the loss) of rows whose value of it is exchanged for that of each other row, in the mean (Fisher,
#' Rudin, Dominici 2019), the least and the greatest of all trees of the set. A tree that does
#' without the predictor has its own errors.
#'
#' @param object A value of [contree_set()].
#' @param ... Not used by `summary()`; for `plot()`, arguments of [barplot()][graphics::barplot].
#' @return `plot()` returns `x`, invisibly; `contree_importance()` a data frame as `predictors`
#'   below, with the columns `least` and `greatest`, `NA` for factors and predictors with missing
#'   values, whose values cannot be exchanged one by one; `summary()` a list of class
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

#' @param x A value of [contree_set()].
#' @param main Title of the plot, a string; `NULL`, the default, for none.
#' @rdname summary.contree_set
#' @export
plot.contree_set <- function(x, main = NULL, ...) {
  check_title(main)
  check_set(x, "x")
  said <- summary(x)$predictors
  said <- said[order(said$share), ]
  price <- ifelse(is.na(said$price), gettext("in every tree"),
                  gettextf("+%s without it", cost_text(said$price)))
  wide <- max(graphics::strwidth(said$predictor, units = "inches")) + 0.3
  before <- graphics::par(mai = replace(graphics::par("mai"), 2,
                                        min(wide, graphics::par("fin")[1] / 2)))
  on.exit(graphics::par(before))
  places <- graphics::barplot(said$share, names.arg = said$predictor, horiz = TRUE, las = 1,
                              xlim = c(0, 1), col = "#56B4E9", border = NA, main = main,
                              xlab = gettext("proportion of the trees that split on it"), ...)
  inside <- said$share > 0.5
  graphics::text(said$share, places, price, pos = ifelse(inside, 2, 4), cex = 0.8)
  invisible(x)
}
