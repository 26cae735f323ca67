# Ensembles of trees of any maker, as forge() takes them: what a prediction is, to the last bit.
# Importers make them of what they read, tree by tree; C checks them before anything else looks.
#
# A tree on its way is a list with one element a node: feature (from 1, 0 in leaves), threshold,
# left and right (from 1, 0 in leaves), default_left, missing (missing_rules), set (which of the
# ensemble's sets of codes, 0: none), leaf_id, and values, a matrix with a row a node; where the
# maker says so also cover, how much of the training data came to the node, and gain, what its split
# was worth. Trees whose leaves are linear models have intercept, and terms (forge-linear.R). The
# root is node 1; other nodes may come in any order, and those that nothing leads to are left out.

missing_rules <- c(none = 0L, nan = 1L, zero = 2L)

# A forest's `link`: what margins, divided by `average`, become as a response.
#   identity   nothing
#   logistic   1 / (1 + exp(-slope * x)), the probability of the second class
#   second     nothing: it is the probability of the second of two classes
#   first      1 - x: it is that of the first
#   softmax    exp(slope * x) / sum(exp(slope * x))
#   exp        exp(slope * x)
#   log1pexp   log(1 + exp(x))
#   square     x^2 with the sign of x
#   step       1 above 0, else 0
#   isolation  -2^-x
#   shares     x / sum(x) of sums of proportions, or votes; these are the margins, too

# `features`: names, or NULL where the maker knows numbers alone; `levels`: by feature, those of
# factors, whose codes begin at `first_code`; `new_level`: by feature, the code of others, which are
# missing elsewhere; `own_codes`: the maker knows no levels, and takes factors of new data by their
# codes; "ordered": only ordered factors; "matrix": with `levels`, a matrix of numbers has codes;
# "values": numbers of new data are levels; "texts": whole numbers are, as texts. `even_second`: of
# two equally probable classes the second is predicted. `cutoff`: what shares of classes are divided
# by before the largest is the predicted class. `complete`: the maker refuses missing values;
# `closed`: levels that it does not know; `dates`: it takes dates and times as numbers. A forest may
# get more: `own_trees`, how many of its trees are the maker's; `last`, what is added behind all, as
# doubles; `unit`: the sums are proportions, which rounding may have made larger than 1, and which
# are cut there; `second_from`: from that probability on the second of two classes is predicted;
# `complete_for`: features of which the maker refuses missing values.
new_forest_ir <- function(trees, n_features, features = NULL, levels = list(), first_code = 1L,
                          sets = list(), set_else = logical(), output = rep(1L, length(trees)),
                          weight = rep(1, length(trees)), base = 0, divisor = 1, less = "<",
                          number = "double", sum = "double", minus_fraction = FALSE,
                          link = "identity", average = 1, classes = NULL, outputs = NULL,
                          slope = 1, even_second = FALSE, cutoff = NULL, complete = FALSE,
                          closed = complete, new_level = integer(), own_codes = FALSE,
                          dates = FALSE, source = "", version = "", objective = "") {
  trees <- lapply(trees, in_order)
  nodes <- vapply(trees, function(tree) length(tree$feature), 0L)
  offset <- c(0L, cumsum(nodes))[seq_along(nodes)]
  all <- function(name) unlist(lapply(trees, `[[`, name), use.names = FALSE)
  known <- function(name) {
    if (any(vapply(trees, function(tree) is.null(tree[[name]]), NA))) numeric() else
      as.numeric(all(name))
  }
  child <- function(name) {
    unlist(Map(function(tree, before) ifelse(tree[[name]] > 0L, tree[[name]] + before, 0L), trees,
               offset), use.names = FALSE)
  }
  ensemble <- list(
    roots = offset + 1L, feature = all("feature"), threshold = as.numeric(all("threshold")),
    left = child("left"), right = child("right"), default_left = as.logical(all("default_left")),
    missing = all("missing"), set = all("set"), leaf_id = all("leaf_id"),
    values = do.call(rbind, lapply(trees, `[[`, "values")), cover = known("cover"),
    gain = known("gain"), sets = sets, set_else = set_else,
    output = as.integer(output), weight = as.numeric(weight), n_features = as.integer(n_features),
    base = as.numeric(base), divisor = as.numeric(divisor), less = less, number = number,
    sum = sum, minus_fraction = minus_fraction)
  ensemble <- c(ensemble, linear_models(trees))
  forest <- structure(
    list(ensemble = ensemble, asked = asked_of(c(ensemble$feature, ensemble$term_feature)),
         features = features, levels = levels, first_code = first_code, link = link, slope = slope,
         even_second = even_second, cutoff = cutoff, average = average, classes = classes,
         outputs = outputs, complete = complete, closed = closed, new_level = new_level,
         own_codes = own_codes, dates = dates, source = source, version = version,
         objective = objective),
    class = "forest_ir")
  check_ensemble(forest)
}

# CT_FORGE_MOST_OUTPUTS of C.
most_outputs <- 65536L

# The features that some node or linear model asks for.
asked_of <- function(feature) sort(unique(feature[feature > 0L]))

# The nodes of a tree level by level, each behind its parent; an error if it is none.
in_order <- function(tree) {
  n <- length(tree$feature)
  order <- vector("list", n)
  level <- 1L
  found <- depth <- 0L
  while (length(level)) {
    found <- found + length(level)
    if (found > n) refuse_document(gettext("a tree contains a cycle"))
    order[[depth <- depth + 1L]] <- level
    level <- as.vector(rbind(tree$left[level], tree$right[level]))
    inner <- !is.na(level) & level != 0L
    if (anyNA(level) || any(level[inner] < 1L | level[inner] > n)) {
      refuse_document(gettext("a node has a child that does not exist"))
    }
    level <- level[inner]
  }
  order <- unlist(order)
  if (anyDuplicated(order)) refuse_document(gettext("a tree contains a cycle"))
  place <- integer(n)
  place[order] <- seq_along(order)
  kept <- lapply(tree[setdiff(names(tree), "values")], `[`, order)
  kept$left <- c(0L, place)[kept$left + 1L]
  kept$right <- c(0L, place)[kept$right + 1L]
  kept$values <- tree$values[order, , drop = FALSE]
  kept
}

# Numbers that name something, each as it is.
number_labels <- function(x) {
  vapply(x, format, "", digits = 15L, scientific = FALSE, USE.NAMES = FALSE)
}

# Documents and objects of others: what is wrong with them is the caller's to know.
refuse_document <- function(reason) {
  stop_input("x", gettextf("'x' cannot be read: %s", reason))
}

refuse_feature <- function(what, remedy = NULL) {
  stop_unsupported("x", paste0(gettextf("'x' has %s, which import_forest() does not support", what),
                               if (!is.null(remedy)) paste0("; ", remedy)))
}

check_ensemble <- function(forest) {
  tryCatch(.Call(ffi_ensemble_check, forest$ensemble),
           error = function(problem) refuse_document(conditionMessage(problem)))
  forest
}

# ---- reading -------------------------------------------------------------------------------------

n_forest_trees <- function(forest) length(forest$ensemble$roots)
n_forest_outputs <- function(forest) length(forest$ensemble$base)
is_forest_classifier <- function(forest) !is.null(forest$classes)

#' @rdname import_forest
#' @export
print.forest_ir <- function(x, ...) {
  check_no_dots(...)
  leaves <- sum(x$ensemble$feature == 0L)
  cat(gettextf("Forest of %d trees with %d leaves on %d features, from %s\n", n_forest_trees(x),
               leaves, x$ensemble$n_features, describe_source(x)))
  cat(describe_outputs(x), "\n", sep = "")
  cat(describe_contract(x), "\n", sep = "")
  if (has_linear_models(x)) cat(gettext("Leaves are linear models"), "\n", sep = "")
  invisible(x)
}

describe_source <- function(x) {
  said <- trimws(paste(x$source, x$version))
  if (nzchar(x$objective)) paste0(said, " (", x$objective, ")") else said
}

describe_outputs <- function(x) {
  if (!is_forest_classifier(x)) {
    return(gettextf("Predicts %d numbers for each row, link %s", n_forest_outputs(x), x$link))
  }
  gettextf("Predicts the classes %s, link %s", show_names(x$classes), x$link)
}

describe_contract <- function(x) {
  e <- x$ensemble
  order <- if (isTRUE(x$exact_sums)) gettext("exact in any order") else gettext("in tree order")
  gettextf("Goes left if x %s threshold, as %s; sums are %ss, %s%s", e$less, e$number, e$sum, order,
           if (e$divisor == 1) "" else gettextf(", divided by %s", format(e$divisor)))
}
