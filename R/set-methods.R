# What can be done with a set of trees: its size, and its trees one by one.

#' @export
length.contree_set <- function(x) set_about(x)$length

#' @export
`[[.contree_set` <- function(x, i, ...) {
  check_no_dots(...)
  number <- tree_number(x, i)
  pointer <- set_pointer(x)
  tree_of_set(x, call_core(.Call(ffi_set_tree, pointer, number), refuse_question))
}

# A fit, from what C gives of a tree.
tree_of_set <- function(set, solved) {
  parts <- set_parts(set)
  solved <- return_tree(count_repeats(solved, parts$problem$frame), parts$problem$derived,
                        parts$problem$frame)
  if (solved$status == "gap reached") solved$status <- "near-optimal" # no search has ended here
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
  if (total == "0") stop_input("i", gettext("the set has no trees"))
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
  if (is.numeric(i)) i <- i[!i %in% 0] # as of other lists
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

#' @rdname contree_set
#' @description
#' `contree_sample()` draws different trees of a set, each as likely as any other, with R's random
#' numbers.
#' @param set A value of `contree_set()`.
#' @param n How many trees: a whole number from 1 to `length(set)`, by default 1.
#' @return `contree_sample()`: a list of fits (see [contree.object]).
#' @examples
#' contree_sample(set, 3)
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
