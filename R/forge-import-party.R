# Trees of partykit.

#' @rdname import_forest
#' @export
import_forest.party <- function(x, ...) {
  check_no_dots(...)
  need_package("partykit", "import_forest()")
  if (!inherits(x, "constparty")) {
    refuse_feature(gettextf("leaves that are not constant (class %s)", show_value(class(x)[1])))
  }
  response <- x$fitted[["(response)"]]
  if (!(is.numeric(response) && is.null(dim(response))) && !is.factor(response)) {
    refuse_feature(gettextf("a response of class %s", show_value(class(response)[1])))
  }
  nodes <- as.list(x$node)
  splits <- lapply(nodes, `[[`, "split")
  used <- sort(unique(unlist(lapply(splits, `[[`, "varid"))))
  features <- names(x$data)[used]
  check_party_features(x, features)
  sets <- new_sets()
  tree <- read_party(x, nodes, used, sets)
  levels <- stats::setNames(lapply(x$data[used], levels), features)
  forest <- new_forest_ir(
    list(tree$nodes), length(features), features = features, levels = Filter(length, levels),
    sets = sets$all, set_else = logical(length(sets$all)),
    base = rep(0, ncol(tree$nodes$values)), less = tree$less, classes = levels(response),
    complete = TRUE, source = "partykit")
  # intervals that are open on the left do not have it, and partykit draws a child
  forest$above_lowest <- tree$less == "<="
  forest
}

check_party_features <- function(x, features) {
  if (length(setdiff(features, all.vars(stats::delete.response(x$terms))))) {
    refuse_feature(gettext("predictors that the formula computes"))
  }
  for (name in features) {
    column <- x$data[[name]]
    if (is.factor(column) || is.numeric(column) && !is.object(column)) next
    refuse_feature(gettextf("the predictor '%s' of class %s", name, class(column)[1]))
  }
}

# list(nodes, less). A node with k kids becomes a chain of k - 1 tests: is a row for the first kid,
# is it for the second, and so on.
read_party <- function(x, nodes, used, sets) {
  made <- new.env(parent = emptyenv())
  made$rows <- list()
  closed <- unique(unlist(lapply(nodes, function(node) {
    if (!is.null(node$split$breaks)) node$split$right
  })))
  if (length(closed) > 1) refuse_feature(gettext("both tests '<' and '<='"))
  add_party_node(1L, nodes, x$data, used, sets, made, lapply(x$data, levels))
  part <- function(name) vapply(made$rows, `[[`, 0, name)
  id <- as.integer(part("id"))
  n <- length(id)
  list(less = if (identical(closed, FALSE)) "<" else "<=",
       nodes = list(feature = as.integer(part("feature")), threshold = part("threshold"),
                    left = as.integer(part("left")), right = as.integer(part("right")),
                    default_left = logical(n), missing = rep(missing_rules[["nan"]], n),
                    set = as.integer(part("set")), leaf_id = id,
                    values = party_values(x, id, part("feature") == 0)))
}

# What partykit itself says of the leaves.
party_values <- function(x, id, leaf) {
  by_class <- is.factor(x$fitted[["(response)"]])
  said <- as.matrix(partykit::predict_party(x, id = id[leaf], type = if (by_class) "prob" else
    "response"))
  values <- matrix(0, length(id), ncol(said))
  values[leaf, ] <- said
  values
}

# The node's place in `made`. `arriving`: by column the levels that rows of this node can have.
add_party_node <- function(at, nodes, data, used, sets, made, arriving) {
  node <- nodes[[at]]
  split <- node$split
  add <- function(feature, threshold, set) {
    made$rows[[length(made$rows) + 1L]] <- c(id = node$id, feature = feature,
                                             threshold = threshold, set = set, left = 0, right = 0)
    length(made$rows)
  }
  if (is.null(split)) return(add(0, 0, 0))
  tests <- party_tests(split, data[[split$varid]], arriving[[split$varid]], length(node$kids), sets)
  places <- vapply(seq_along(tests$kid), function(i) {
    add(match(split$varid, used), tests$threshold[i], tests$set[i])
  }, 0L)
  kids <- vapply(c(tests$kid, tests$last), function(kid) {
    if (is.null(split$breaks)) {
      arriving[[split$varid]] <- levels(data[[split$varid]])[tests$index %in% kid]
    }
    add_party_node(node$kids[[kid]], nodes, data, used, sets, made, arriving)
  }, 0L)
  for (i in seq_along(places)) {
    made$rows[[places[i]]][["left"]] <- kids[i]
    made$rows[[places[i]]][["right"]] <- c(places, kids[length(kids)])[i + 1L]
  }
  places[1]
}

# list(threshold, set, kid, last, index): the tests of the chain, the kids that they lead to, and of
# levels the kid of each.
party_tests <- function(split, column, arriving, n_kids, sets) {
  if (!is.null(split$breaks)) {
    index <- if (is.null(split$index)) seq_len(length(split$breaks) + 1L) else split$index
    if (anyNA(index) || anyDuplicated(index)) {
      refuse_feature(gettext("a child for several intervals of a split"))
    }
    n <- length(split$breaks)
    return(list(threshold = as.numeric(split$breaks), set = integer(n), kid = index[seq_len(n)],
                last = index[n + 1L]))
  }
  index <- if (is.null(split$index)) seq_len(nlevels(column)) else split$index
  if (any(levels(column)[is.na(index)] %in% arriving)) {
    refuse_feature(gettext("a split by levels of which the node had no training row"),
                   gettext("partykit sends them at random"))
  }
  kid <- seq_len(n_kids - 1L)
  list(threshold = numeric(n_kids - 1L), kid = kid, last = n_kids, index = index,
       set = vapply(kid, function(k) add_set(sets, c(FALSE, index %in% k)), 0L))
}
