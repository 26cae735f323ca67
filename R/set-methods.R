# What can be done with a set of trees: its size, its trees one by one, and what is said of it.

#' @export
length.contree_set <- function(x) set_about(x)$length

#' @export
`[[.contree_set` <- function(x, i, ...) {
  check_no_dots(...)
  parts <- set_parts(x)
  number <- tree_number(x, i)
  pointer <- set_pointer(x)
  solved <- call_core(.Call(ffi_set_tree, pointer, number), refuse_question)
  solved <- return_tree(count_repeats(solved, parts$problem$frame), parts$problem$derived,
                        parts$problem$frame)
  new_fit(solved, parts$problem, parts$settings, tree_call(parts$fit))
}

# The number of a tree as digits.
tree_number <- function(set, i) {
  fine <- length(i) == 1 && !is.na(i)
  digits <- if (fine && is.character(i)) {
    sub("^0+", "", i)
  } else if (fine && is.numeric(i) && i < 2^53) {
    sprintf("%.0f", i)
  }
  total <- set_about(set)$total
  beyond <- function(a, b) nchar(a) > nchar(b) || (nchar(a) == nchar(b) && a > b)
  whole <- fine && (is.character(i) || i == floor(i))
  if (!isTRUE(whole && grepl("^[1-9][0-9]*$", digits) && !beyond(digits, total))) {
    stop_input("i", gettextf("a tree of the set has a whole number from 1 to %s, not %s", total,
                             show_value(i)))
  }
  digits
}

#' @export
`[.contree_set` <- function(x, i, ...) {
  check_no_dots(...)
  if (missing(i)) return(as.list(x))
  if (is.logical(i) || (is.numeric(i) && any(i < 0, na.rm = TRUE))) i <- all_numbers(x)[i]
  lapply(i, function(k) x[[k]])
}

#' @export
as.list.contree_set <- function(x, ...) lapply(all_numbers(x), function(k) x[[k]])

most_listed <- 1e5

all_numbers <- function(set) {
  n <- length(set)
  if (n > most_listed) {
    stop_input("x",
               gettextf("the set has %s trees, and up to %s can be listed",
                        big_text(set_about(set)$total), big_text(sprintf("%.0f", most_listed))),
               gettext("give the numbers of those wanted, or draw some by contree_sample()"))
  }
  seq_len(n)
}

#' @export
`[[<-.contree_set` <- function(x, i, value) refuse_change()
#' @export
`[<-.contree_set` <- function(x, i, value) refuse_change()
refuse_change <- function() {
  stop_input("x", gettext("the trees of a set cannot be replaced; make a list by as.list()"))
}

#' Draw trees from a set
#'
#' Draws different trees of a set, each as likely as any other, by R's random numbers.
#'
#' @param set A value of [contree_set()].
#' @param n How many trees: a whole number from 1 to `length(set)`, by default 1.
#' @return A list of fits (see [contree.object]).
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2, complexity = 0.01)
#' set.seed(1)
#' contree_sample(contree_set(fit, errors = 2), 3)
#' @export
contree_sample <- function(set, n = 1) {
  check_set(set)
  if (!is_count(n) || n > length(set)) {
    stop_input("n", gettextf("'n' must be a whole number from 1 to the %s trees of the set, not %s",
                             set_about(set)$total, show_value(n)))
  }
  if (length(set) <= 4e15) return(set[sample.int(length(set), n)])
  numbers <- character()
  while (length(numbers) < n) {
    more <- .Call(ffi_set_draw, set_pointer(set), as.integer(n - length(numbers)))
    numbers <- unique(c(numbers, more))
  }
  set[numbers]
}

# ---- in words ------------------------------------------------------------------------------------

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
    cat(gettext("No trees: the search was stopped before it had found any"), "\n", sep = "")
    return(invisible(x))
  }
  range <- unique(cost_text(range(about$cost, finite = TRUE)))
  cat(gettextf("%s within %s of the cost of the fit, %s (cost %s), %s", trees,
               cost_text(signif(parts$slack, 6)), cost_text(cost),
               paste(range, collapse = gettext(" to ")),
               if (about$complete) gettext("complete") else gettext("not complete")),
      "\n", sep = "")
  if (!about$complete) cat(complete_text(x, about), "\n", sep = "")
  if (about$size[["counts"]] <= most_numbers_at_once) {
    print_predictors(summary(x)$predictors)
    ranges <- predict(x, type = "range")
    n <- sum(ranges$ambiguous)
    cat(gettextf("%s of %s rows are ambiguous (%s%%): some of the trees predict other classes",
                 n, nrow(ranges), format(signif(100 * n / nrow(ranges), 3))), "\n", sep = "")
  }
  invisible(x)
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
#' @param object A value of [contree_set()].
#' @param ... Not used.
#' @return A list of class `summary.contree_set`:
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
#' summary(contree_set(fit, errors = 3))
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
