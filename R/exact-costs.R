# What an error costs: case weights, losses, class weights.

# Weights of the rows as given: checked before rows are left out, since some of those may be
# missing.
check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || !is.null(dim(weights))) {
    stop_input("weights",
               gettextf("'weights' must be a numeric vector with one weight for each row, not %s",
                        show_value(weights)))
  }
  if (length(weights) != n) {
    stop_input("weights", gettextf(
      "'weights' has length %d, but there are %d rows; give one weight for each row",
      length(weights), n))
  }
  as.double(weights)
}

# The weights of the rows that are used. Weights of 1 are none.
settle_weights <- function(weights) {
  if (is.null(weights)) return(NULL)
  if (any(bad <- !is.finite(weights) | weights < 0)) {
    row <- which(bad)[1]
    stop_input("weights", gettextf(
      "'weights' has the value %s in row %d, but weights must be finite and at least 0",
      format(weights[row]), row))
  }
  if (all(weights == 0)) stop_input("weights",
                                    gettext("all 'weights' are 0; give some row a weight above 0"))
  if (all(weights == 1)) NULL else weights
}

# Weights and losses above 0 are at least that: so the product of two has all its digits.
least_cost <- 1e-150

# Where sums and squares of what is weighted neither overflow nor vanish; the search has the same
# limits.
check_sum_of_weights <- function(weights) {
  if (is.null(weights)) return(invisible())
  if (any(tiny <- weights > 0 & weights < least_cost)) stop_input("weights", gettextf(
    "'weights' has the value %s in row %d, but weights that are not 0 must be at least 1e-150",
    format(weights[tiny][1]), which(tiny)[1]))
  if (sum(weights) >= 1e-100 && sum(weights) <= 1e100) return(invisible())
  stop_input("weights", gettextf(
    "the sum of 'weights' is %s, but must be between 1e-100 and 1e+100; multiply them by a number",
    format(sum(weights))))
}

# The loss as a matrix, true classes in rows and predicted ones in columns; NULL: every error costs
# 1.
read_loss <- function(loss, class_weights, frame) {
  check_sum_of_weights(frame$weights)
  if (!is_classes(frame)) {
    check_range_of_response(frame$response, frame$weights)
    return(refuse_losses(loss, class_weights))
  }
  classes <- levels(frame$response)
  if (!is.null(loss) && !is.null(class_weights)) {
    stop_input("class_weights",
               gettext("'loss' and 'class_weights' both say what errors cost; give one of them"))
  }
  if (!is.null(class_weights)) {
    weights <- read_class_weights(class_weights, classes, frame)
    used <- used_levels(frame$response)
    if (length(used) > 1 && all(weights[used] == 0)) stop_input("class_weights", gettext(
      "all 'class_weights' of classes with rows are 0; give one of them a weight above 0"))
    loss <- matrix(weights, length(classes), length(classes))
    diag(loss) <- 0
  }
  if (is.null(loss)) return(NULL)
  loss <- check_loss(loss, classes, used_levels(frame$response))
  if (all(loss[row(loss) != col(loss)] == 1)) NULL else loss
}

read_class_weights <- function(weights, classes, frame) {
  if (identical(weights, "balanced")) {
    total <- class_weight(frame)
    return(ifelse(total > 0, sum(total) / (sum(total > 0) * total), 0))
  }
  if (!is.numeric(weights) || length(weights) != length(classes) || !all(is.finite(weights)) ||
      any(weights < 0)) {
    stop_input("class_weights", gettextf(
      "'class_weights' must be \"balanced\" or %d numbers >= 0, one per class (%s), not %s",
      length(classes),
      show_names(classes), show_value(weights)))
  }
  if (is.null(names(weights))) return(weights)
  if (!setequal(names(weights), classes)) {
    stop_input("class_weights",
               gettextf("the names of 'class_weights' are %s, but the classes are %s",
                                         show_names(names(weights)), show_names(classes)))
  }
  weights[classes]
}

# Classes that rows have must differ in what they cost: else there is nothing to learn.
check_loss <- function(loss, classes, used) {
  n <- length(classes)
  if (!is.matrix(loss) || !is.numeric(loss) || !identical(dim(loss), c(n, n))) {
    shape <- gettextf("%d rows (true classes) and %d columns (predicted classes)", n, n)
    given <- if (is.matrix(loss) && is.numeric(loss)) {
      gettextf("one of %d rows and %d columns", nrow(loss), ncol(loss))
    } else {
      show_value(loss)
    }
    stop_input("loss", gettextf("'loss' must be a numeric matrix of %s, not %s", shape, given))
  }
  for (names in dimnames(loss)) {
    if (!is.null(names) && !setequal(names, classes)) {
      stop_input("loss", gettextf("'loss' has the names %s, but the classes are %s",
                                  show_names(names), show_names(classes)))
    }
  }
  if (!is.null(rownames(loss))) loss <- loss[classes, , drop = FALSE]
  if (!is.null(colnames(loss))) loss <- loss[, classes, drop = FALSE]
  if (!all(is.finite(loss)) || any(loss < 0)) {
    stop_input("loss", gettext("'loss' must have finite numbers of at least 0"))
  }
  if (any(loss > 0 & loss < least_cost)) stop_input("loss", gettextf(
    "'loss' has the value %s, but losses that are not 0 must be at least 1e-150",
    format(min(loss[loss > 0]))))
  if (any(diag(loss) != 0)) {
    stop_input("loss",
               gettextf("'loss' must be 0 where true and predicted class are the same, not %s",
                                show_values(diag(loss)[diag(loss) != 0])))
  }
  if (length(used) > 1 && all(loss[used, used] == 0)) {
    stop_input("loss", gettext(
      "all losses in 'loss' between classes with rows are 0; give some error a loss above 0"))
  }
  structure(loss + 0, dimnames = list(truth = classes, predicted = classes))
}

# The classes that a search knows, as codes of levels: those that rows have and, after them, those
# without rows that a leaf may predict all the same, since `loss` makes them the cheapest answer to
# some mixture of classes (to refuse an answer, say).
searched_classes <- function(frame) {
  used <- used_levels(frame$response)
  if (is.null(frame$loss)) return(used)
  labels <- used
  for (label in setdiff(seq_len(nlevels(frame$response)), used)) {
    dearer <- frame$loss[used, label] >= frame$loss[used, labels, drop = FALSE]
    if (!any(colSums(dearer) == length(used))) labels <- c(labels, label)
  }
  labels
}

# The losses between these classes. What an error in a class without rows costs must not decide how
# the others are rounded.
searched_loss <- function(frame) {
  labels <- searched_classes(frame)
  loss <- frame$loss[labels, labels, drop = FALSE]
  loss[-seq_along(used_levels(frame$response)), ] <- 0
  loss
}

# One weight a row of the frame.
row_weights <- function(frame) {
  if (is.null(frame$weights)) rep(1, length(frame$response)) else frame$weights
}

# Squares of responses must have sums, and means. Rows without weight do not count.
check_range_of_response <- function(y, weights) {
  if (!is.null(weights)) y <- y[weights > 0]
  spread <- diff(range(y))
  if (max(abs(y)) <= 1e100 && (spread == 0 || spread >= 1e-100)) return(invisible())
  stop_input("y", gettextf(
    "the response has values from %s to %s, but must be within 1e+100 and differ by 1e-100 or more",
    format(min(y)), format(max(y))), gettext("multiply it by a number"))
}

# Of numbers an error costs its square, and there are no classes that could cost more.
refuse_losses <- function(loss, class_weights) {
  given <- c("loss", "class_weights")[!c(is.null(loss), is.null(class_weights))]
  if (length(given) == 0) return(NULL)
  stop_input(given[1], gettextf(
    "'%s' says what errors of classes cost, but the response is numeric and errors are squared",
    given[1]), gettext("use 'weights' to make rows count more, or factor() for classes"))
}

# What the rows of each class weigh.
class_weight <- function(frame) {
  weight <- numeric(nlevels(frame$response))
  each <- rowsum(row_weights(frame), as.integer(frame$response))
  weight[as.integer(rownames(each))] <- each
  weight
}

# What each row costs under a label of its own. There may be very many classes: nothing here is as
# large as their square, or as rows times classes, unless there is a loss.
row_costs <- function(response, weights, loss, labels) {
  own <- as.integer(response)
  costs <- if (is.null(loss)) as.numeric(own != labels) else loss[cbind(own, as.integer(labels))]
  if (is.null(weights)) costs else weights * costs
}

# A numeric response, 0 in rows without weight, whose squares may be more than a double holds.
counted_response <- function(frame) {
  if (is.null(frame$weights) || all(frame$weights > 0)) return(frame$response)
  replace(frame$response, frame$weights == 0, 0)
}

# The squared errors of rows, times their weights.
squared_errors <- function(frame, values) {
  row_weights(frame) * (counted_response(frame) - values)^2
}

# A numeric response less the middle of its range: exact where it is large beside the range, so that
# sums of it lose nothing. Rows without weight do not count, and are 0.
centred_response <- function(frame) {
  counts <- row_weights(frame) > 0
  span <- range(frame$response[counts])
  ifelse(counts, frame$response - (span[1] / 2 + span[2] / 2), 0)
}

# Deviations have all their digits near the mean, whose own rounding comes off again.
squares_about_mean <- function(frame) {
  counts <- row_weights(frame) > 0
  weights <- row_weights(frame)[counts]
  y <- frame$response[counts]
  off <- y - (y[1] + sum(weights * (y - y[1])) / sum(weights))
  max(0, sum(weights * off^2) - sum(weights * off)^2 / sum(weights))
}

# What each row costs under each label: rows by labels; without losses under any but its own.
possible_costs <- function(frame) {
  costs <- if (is.null(frame$loss)) 1 else frame$loss[as.integer(frame$response), , drop = FALSE]
  costs * row_weights(frame)
}

# The cost of one leaf for all rows.
root_cost <- function(frame) {
  if (!is_classes(frame)) {
    return(squares_about_mean(frame))
  }
  if (!is.null(frame$loss)) return(min(colSums(possible_costs(frame))))
  weight <- class_weight(frame)
  sum(weight) - max(weight)
}

# What `complexity` is a proportion of: what the rows weigh or, of numbers, their sum of squares
# about the mean.
complexity_unit <- function(frame) {
  if (is_classes(frame)) sum(row_weights(frame)) else root_cost(frame)
}
