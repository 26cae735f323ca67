# Factors and predictors with missing values as ordered columns without any, which are what the
# search splits. Each threshold of a derived column is one of the splits the predictor may have:
#
#   numbers (dates, ordered factors) with missing values: two columns, with the missing ones below
#     and above all values
#   factors of few levels, missing counting as one: a 0/1 column for each way to part them
#   other factors: a 0/1 column for each level against the rest, and for each class the levels by
#     the proportion of the class among their training rows (of numbers: by their mean response);
#     each of these with the missing rows on either side, and a column for missing alone
#
# So the search needs no special case, and its proof is one for these families of splits. Orders by
# class are made once, of all training rows: made anew in each node they would depend on the rows
# there, and no bound of the search would hold.

# From this many levels on a factor has orders by class only: as many columns as levels would be too
# many.
most_single_levels <- 1000

# What the search takes, NULL if that is the predictors as they are. A list of
#   columns     list of numeric or logical vectors
#   predictor   for each of them, the predictor it comes from
#   codes       for each of them NULL or, for a factor, what stands for each level, and last for
#               missing
#   restricted  names of the factors that may not be split by any set of levels
derive_columns <- function(frame, classes, n_classes, subset_levels) {
  derive_by(frame, subset_levels, function(codes, n_levels) {
    counts <- level_counts(codes, n_levels, classes, n_classes, frame$repeats)
    list(n = rowSums(counts), scores = class_proportions(counts))
  })
}

# derive_columns() for a numeric response: the levels by their mean, of rows that weigh
# something. A level without any comes where the mean of all rows is: what is done with it costs
# nothing.
derive_numbers <- function(frame, subset_levels) {
  weights <- row_weights(frame)
  y <- centred_response(frame)
  derive_by(frame, subset_levels, function(codes, n_levels) {
    codes[is.na(codes)] <- n_levels + 1L
    sums <- function(values) {
      each <- rowsum(values, codes)
      replace(numeric(n_levels + 1L), as.integer(rownames(each)), each)
    }
    n <- sums(rep(1, length(codes)))
    weight <- sums(weights)
    list(n = n, scores = cbind(ifelse(weight > 0, sums(weights * y) / weight,
                                      stats::weighted.mean(y, weights))))
  })
}

# `count_levels`: a function of the codes of a factor and how many levels it has; it gives, one a
# level and last for missing, list(n, scores): rows, and columns of numbers that order the levels.
derive_by <- function(frame, subset_levels, count_levels) {
  columns <- frame$columns
  holes <- if (is.matrix(columns)) {
    rep(anyNA(columns), ncol(columns))
  } else {
    vapply(columns, has_missing, NA)
  }
  by_level <- frame$types %in% c("factor", "character")
  if (!any(holes, by_level)) return(NULL)
  if (is.matrix(columns)) columns <- as.list(as.data.frame(columns, optional = TRUE))
  codes <- vector("list", length(columns))
  for (j in which(by_level)) {
    levels <- count_levels(column_values(columns[[j]]),
                           length(frame$xlevels[[names(columns)[j]]]))
    codes[[j]] <- if (sum(levels$n > 0) <= subset_levels) {
      subset_codes(levels$n)
    } else {
      ordered_codes(levels$n, levels$scores)
    }
  }
  values <- Map(function(x, hole, codes, label) {
    if (!is.null(codes)) return(by_levels(x, function(x) coded_columns(x, codes)))
    if (hole) by_levels(x, function(x) two_columns(unclass(x), label)) else list(x)
  }, columns, holes, codes, names(columns))
  codes[!by_level] <- lapply(lengths(values[!by_level]), vector, mode = "list")
  restricted <- vapply(codes, function(family) isTRUE(attr(family, "restricted")), NA)
  list(columns = unname(do.call(c, values)), predictor = rep(seq_along(values), lengths(values)),
       codes = do.call(c, codes),
       restricted = names(columns)[restricted])
}

# ---- numbers -------------------------------------------------------------------------------------

# With the missing values below and above all others, as far as the largest is from zero: thresholds
# between values stay as they are. Whole numbers stay whole, since they are sorted faster.
two_columns <- function(x, label) {
  hole <- is.na(x)
  if (all(hole)) return(list(integer(length(x))))
  span <- range(x[!hole])
  largest <- if (is.double(x)) .Machine$double.xmax else .Machine$integer.max
  if (is.logical(x)) storage.mode(x) <- "integer"
  if (is.integer(x) && any(abs(span) >= largest - 1)) {
    storage.mode(x) <- "double"
    largest <- .Machine$double.xmax
  }
  if (any(abs(span) >= largest)) {
    stop_input(label, gettextf(
      "predictor '%s' has missing values and the value %s, which is too large beside them",
      label, format(span[abs(span) >= largest][1])))
  }
  step <- if (is.integer(x)) 1L else pmax(1, abs(span))
  outside <- pmin(pmax(span + c(-1L, 1L) * step, -largest), largest)
  lapply(outside, function(place) replace(x, hole, place))
}

# ---- factors -------------------------------------------------------------------------------------

# Training rows by level (rows; the last is for missing) and class. `repeats`: how many rows each
# stands for; NULL for 1 each.
level_counts <- function(codes, n_levels, classes, n_classes, repeats) {
  codes[is.na(codes)] <- n_levels + 1L
  matrix(count_places(codes + (n_levels + 1L) * (classes - 1L), (n_levels + 1L) * n_classes,
                      repeats), n_levels + 1L)
}

# The proportions of the classes, of two those of the first alone: the orders by them are the
# reverse of each other.
class_proportions <- function(counts) {
  kept <- seq_len(if (ncol(counts) == 2) 1 else ncol(counts))
  counts[, kept, drop = FALSE] / rowSums(counts)
}

# Every way to part the levels that there are, the first of them on the left: what stands for a
# level is 0 or 1.
subset_codes <- function(n) {
  there <- which(n > 0)
  others <- length(there) - 1
  lapply(seq_len(max(1, 2^others - 1)) - 1, function(number) {
    code <- integer(length(n))
    code[there[-1]] <- 1L - number %/% 2L^(seq_len(others) - 1) %% 2
    code
  })
}

# Single levels, each against the rest, and orders; with the missing rows on either side of each,
# and apart.
ordered_codes <- function(n, scores) {
  missing <- length(n)
  levels <- which(n[-missing] > 0)
  # missing is between the level and the rest, so that it may go with either
  single <- replace(rep(2L, missing), missing, 1L)
  singles <- if (length(levels) <= most_single_levels) lapply(levels, function(level)
                                                                        replace(single, level, 0L))
  orders <- unique(lapply(seq_len(ncol(scores)), function(column) {
    replace(integer(missing), levels, order(order(scores[levels, column], levels)))
  }))
  if (n[missing] > 0) {
    singles <- c(singles, list(replace(rep(0L, missing), missing, 1L)))
    orders <- c(orders, lapply(orders, replace, missing, length(levels) + 1L))
  }
  structure(c(singles, orders), restricted = TRUE)
}

coded_columns <- function(x, codes) {
  x[is.na(x)] <- length(codes[[1]])
  lapply(codes, function(code) as.integer(code)[x])
}

# ---- and back ------------------------------------------------------------------------------------

# The answer of the search as a tree on the predictors. To what ffi_exact_solve gave come, one a
# node,
#   sides    at a factor split, for each level 1 (left), 3 (right) or 2 (no training row of the node
#            has it), else NULL
#   missing  training rows of the node whose value of its predictor is missing
# A default is learned where there are such rows; elsewhere it stays with the larger child.
return_tree <- function(solved, derived, frame) {
  n <- length(solved$feature)
  solved$sides <- vector("list", n)
  solved$missing <- integer(n)
  column <- solved$feature
  split <- column > 0
  if (!is.null(derived)) solved$feature[split] <- derived$predictor[column[split]]
  kind <- rep("", n)
  kind[split] <- frame$types[solved$feature[split]]
  rounded <- kind %in% c("ordered", "Date", "POSIXct")
  if (is.null(derived) && !any(rounded)) return(solved)
  last <- last_below(solved)
  for (node in which(split)) {
    x <- column_at(frame$columns, solved$feature[node])
    rows <- rows_of_split(x, solved, node, last, frame$repeats)
    x <- rows$x
    left <- rows$left
    codes <- derived$codes[[column[node]]]
    if (!is.null(codes)) {
      solved$sides[[node]] <- sides_of(x, left, length(codes) - 1)
      solved$threshold[node] <- NA
    } else {
      solved$threshold[node] <- plain_threshold(solved$threshold[node], x, left, kind[node])
    }
    hole <- is.na(x)
    solved$missing[node] <- if (is.null(rows$n)) sum(hole) else sum(rows$n[hole])
    if (any(hole)) solved$default_left[node] <- left[hole][1]
  }
  solved
}

# The values at a split, whether they go left, and how many rows have them (NULL: 1 each): of a
# coded column those that there are, of others those of all rows.
rows_of_split <- function(x, solved, node, last, repeats = NULL) {
  ends <- c(node, last[solved$left[node]], last[node])
  if (is_coded(x)) return(coded_rows_of_split(x, solved$where, ends, repeats))
  inside <- solved$where >= ends[1] & solved$where <= ends[3]
  list(x = unclass(x)[inside], left = solved$where[inside] <= ends[2],
       n = repeats[inside])
}

# The last node of each subtree; nodes are in preorder.
last_below <- function(solved) {
  last <- seq_along(solved$feature)
  for (node in rev(which(solved$feature > 0))) last[node] <- last[solved$right[node]]
  last
}

sides_of <- function(x, left, n_levels) {
  sides <- rep(2L, n_levels)
  sides[unique(x[left & !is.na(x)])] <- 1L
  sides[unique(x[!left & !is.na(x)])] <- 3L
  sides
}

# A threshold of values alone. -Inf and Inf part all of them from the missing ones. Where the values
# of the node allow it, that of a date or a time is a whole day or second; that of an ordered factor
# is half way between neighbouring levels.
plain_threshold <- function(threshold, x, left, kind) {
  values <- !is.na(x)
  if (!any(left & values)) return(-Inf)
  if (!any(!left & values)) return(Inf)
  whole <- ceiling(threshold)
  if (kind == "ordered") return(whole - 0.5)
  if (kind %in% c("Date", "POSIXct") && whole <= min(x[!left & values])) return(whole)
  threshold
}
