# contree_set(): every tree that is nearly as good as the best one, as a graph that C keeps.
#
# The object holds what the set was made of and an external pointer to it. In another session, or
# after saveRDS(), the pointer is empty, and the set is made again when it is first asked.

#' All trees that are nearly as good
#'
#' One optimal tree is often one of many: other trees cost as little or hardly more, and use other
#' predictors or predict other classes for some rows. `contree_set()` finds *all* trees whose cost
#' is within a budget, counts them without listing them, and proves that none is missing. Questions
#' about the whole set are then answered exactly: which predictors are in every tree, what it costs
#' to do without one, and which rows get different predictions from different trees.
#'
#' Two trees count as one if they split each node's training rows by the same predictor in the same
#' way: thresholds between which no row of the node lies count once. The same partition by two
#' predictors is two trees. Leaves have the class that costs least, the first of equals, or the mean
#' of a numeric response, and splits into two leaves that predict the same are left out. Different
#' trees may therefore predict the same for all rows.
#'
#' Sums of squared errors are counted in whole numbers of a fine grid, and hardly any two trees of a
#' numeric response cost the same: such sets take memory for each cost, and are for up to some
#' millions of trees. The grid is that in one word (see [contree()], section Regression trees), also
#' where fits are counted in two: where responses or weights have more digits, the budget is raised
#' by as much as rounding may hide, so that no tree within it is missing.
#'
#' The search is that of [contree()] with a limit that stays where it is, so that the same bounds
#' prove that no tree within the budget is missing. It takes about as long as the search for the
#' best tree when the budget is small. What makes sets large is the budget, not the number of rows
#' or predictors: at depth 3 a few per cent can be billions of trees. A price for each split
#' (`complexity` of the fit) keeps sets small and their trees readable: without it trees grow to the
#' full depth where a split costs nothing.
#'
#' @section Large sets:
#' Without `max_nodes`, `time_limit` and `memory_limit` a set is refused, with an error, once it has
#' more row sets than are searched in some seconds: 5 10^9 divided by rows times predictors
#' (columns that are searched), but at least 2,000 and at most 1,000,000. The error says how many
#' trees there are at least and, where one was found in as long again, a smaller budget whose set is
#' whole: a set of part of the trees would answer questions about all of them wrongly. `max_nodes =
#' Inf` searches until all are found.
#'
#' @param fit A fit of [contree()], of depth 4 at most.
#' @param within How much more than `fit` a tree may cost, as a share of the cost of `fit`: a number
#'   of at least 0, by default 0.01. With 0 the set has all trees that cost no more.
#' @param errors The same in units of the cost (misclassified rows, or with weights and losses their
#'   sum; squared errors of a numeric response), in place of `within`: a number of at least 0.
#' @param data The training data, as in [contree_alternatives()]: by default they are taken from
#'   the fit or its call.
#' @param max_nodes Row sets that are looked at, a number of at least 1: the set has the trees that
#'   were found until then. The default `NULL` refuses sets that take more than seconds; see the
#'   section on large sets. For `contree_set_estimate()` 20,000.
#' @param ... How to search: `time_limit`, `memory_limit` and `on_interrupt` of [contree_control()].
#'   By default they are those of the fit, which says what is searched, so that there is no
#'   `control`.
#' @return `contree_set()`: an object of class `contree_set`. `length()` is the number of trees, as
#'   a double; `summary()` has it with all digits. `set[[k]]` is the k-th tree in the order of cost,
#'   a fit of class `contree` with all its methods; of trees that cost the same, those with fewer
#'   splits come first, then those whose root is of the first predictor with its lowest threshold,
#'   and so on. It has the status `"optimal"` if no tree costs less, else `"near-optimal"`, and its
#'   `bound` is the cost of the best tree. `set[i]` is a list of fits. Large numbers may be given as
#'   digits in text. `sample(set, n)` draws n different trees, each as likely as any other; use
#'   `contree_sample()` if there are more than 4e15 trees.
#'
#'   If the search was stopped by `time_limit`, `memory_limit`, `max_nodes` or the user, there is a
#'   warning of class `contree_stopped`, the set has the trees that were found, and `summary()` says
#'   up to which cost it is complete all the same.
#' @section Errors:
#' `contree_unsupported_error` for trees of other models, of more than depth 4, with `max_leaves`,
#' or fitted to a [contree_table()]. `contree_input_error` if an argument is not as
#' above, the training data cannot be found or are not those of the fit, a setting in `...` would
#' change the problem, or the set is too large (see there).
#' @seealso [predict.contree_set()], [summary.contree_set()], [contree_alternatives()];
#'   `vignette("sure")`
#' @references R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin (2022). Exploring the
#'   Whole Rashomon Set of Sparse Decision Trees. *NeurIPS* 35.
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2, complexity = 0.01)
#' set <- contree_set(fit, errors = 2)
#' set
#' length(set)
#' set[[2]]
#' set.seed(1)
#' sample(set, 2)
#' predict(set, type = "range")[c(1, 71, 78), ]
#' @export
contree_set <- function(fit, within = 0.01, errors = NULL, data = NULL, max_nodes = NULL, ...) {
  check_fit(fit)
  refuse_set(fit)
  slack <- slack_of(fit, within, if (missing(within)) NULL else within, errors)
  if (!is.null(max_nodes)) max_nodes <- check_nodes(max_nodes)
  settings <- search_settings(fit, list(...))
  problem <- problem_of_set(fit, data, settings, parent.frame())
  limited <- !is.null(max_nodes) || is.finite(settings$time_limit) ||
    is.finite(settings$memory_limit)
  settings$max_nodes <- if (limited) min(max_nodes, Inf) else usual_nodes(problem)
  set <- new_set(fit, problem, settings, slack)
  if (!limited && at_most_nodes(set)) {
    refuse_large(set, if (is.null(errors)) "within" else "errors")
  }
  warn_if_set_stopped(set)
  set
}

problem_of_set <- function(fit, data, settings, env) {
  frame <- training_frame(fit, data, settings, env)
  if (!is.null(frame$table)) {
    stop_unsupported("fit", gettext("sets of trees need the rows, not a table of a database"))
  }
  new_problem(frame, settings)
}

check_nodes <- function(max_nodes) {
  check_number("max_nodes", max_nodes, gettext("a number of at least 1"), function(n) n >= 1)
}

refuse_set <- function(fit) {
  settings <- tree_settings(fit)
  refuse_policy(fit, "contree_set()", gettext("policy_value() compares policies on other rows"))
  if (!has_proof(fit) || !tree_leaf(fit) %in% c("classes", "number")) {
    stop_unsupported("fit", gettext("there are sets of trees for fits of contree() alone"))
  }
  if (settings$depth > 4) {
    stop_unsupported("fit", gettextf("sets are of trees of depth 4 at most, and 'fit' has depth %d",
                                     as.integer(settings$depth)))
  }
  if (!is.null(settings$max_leaves) && settings$max_leaves < 2^settings$depth) {
    stop_unsupported("fit", gettext("there are no sets of trees with a limit on leaves"))
  }
}

# How much more trees may cost, in units of the cost.
slack_of <- function(fit, within, given, errors) {
  if (!is.null(given) && !is.null(errors)) {
    stop_input("errors", gettext("'within' and 'errors' both say what trees may cost; give one"))
  }
  name <- if (is.null(errors)) "within" else "errors"
  value <- if (is.null(errors)) within else errors
  if (!is_scalar(value) || !is.finite(value) || value < 0) {
    stop_input(name, gettextf("'%s' must be a number of at least 0, not %s", name,
                              show_value(value)))
  }
  if (is.null(errors)) value * tree_proof(fit)$cost else value
}

# ---- the object ----------------------------------------------------------------------------------

# Its parts are in an attribute, so that length() and [[ are those of the trees.
new_set <- function(fit, problem, settings, slack) {
  parts <- list(fit = fit, problem = problem, slack = slack,
                engine = new.env(parent = emptyenv()))
  parts$settings <- limit_costs(settings, fit, parts$problem, slack)
  set <- structure(list(), parts = parts, class = "contree_set")
  make_set(set)
  set
}

set_parts <- function(set) attr(set, "parts", exact = TRUE)

check_set <- function(set, argument = "set") {
  if (!inherits(set, "contree_set") || !is.environment(set_parts(set)$engine)) {
    stop_input(argument, gettextf("'%s' must be a value of contree_set(), not %s", argument,
                                  show_value(set)))
  }
}

make_set <- function(set) {
  parts <- set_parts(set)
  settings <- parts$settings
  control <- add_costs(search_control(settings, NULL, NULL, NULL), parts$problem$frame)
  control$max_nodes <- settings$max_nodes
  groups <- match(column_predictors(parts$problem), parts$problem$frame$shape$names)
  engine <- parts$engine
  engine$pointer <- call_core(.Call(ffi_set_new, searched_columns(parts$problem),
                                    parts$problem$codes, parts$problem$n_classes, control, groups),
                              function(message, status) {
                                refuse_few_nodes(settings$max_nodes, status)
                                refuse_search(message, status)
                              })
  engine$about <- .Call(ffi_set_about, engine$pointer)
  if (engine$about$status == "interrupted" && settings$on_interrupt == "error") {
    stop_interrupted(engine$about$elapsed)
  }
  engine$asked <- list()
}

refuse_few_nodes <- function(max_nodes, status) {
  if (status == "no memory" && is.finite(max_nodes)) {
    stop_input("max_nodes", gettextf("no tree was found in 'max_nodes' = %s row sets; raise it",
                                     format(max_nodes)))
  }
}

# The set in C; made again if it is of another session.
set_pointer <- function(set) {
  engine <- set_parts(set)$engine
  if (!.Call(ffi_set_alive, engine$pointer)) make_set(set)
  engine$pointer
}

set_about <- function(set) {
  set_pointer(set)
  set_parts(set)$engine$about
}

# An answer that is kept.
set_answer <- function(set, what, ask) {
  engine <- set_parts(set)$engine
  pointer <- set_pointer(set)
  if (is.null(engine$asked[[what]])) {
    engine$asked[[what]] <- call_core(ask(pointer), refuse_question)
  }
  engine$asked[[what]]
}

refuse_question <- function(message, status) {
  stop_input("set", gettextf("the set cannot answer: %s", message),
             if (status == "no memory") gettext("make it with a larger 'memory_limit'"))
}

warn_if_set_stopped <- function(set) {
  about <- set_about(set)
  if (about$complete) return(invisible())
  after <- if (at_most_nodes(set)) {
    gettextf("stopped after %s row sets, as many as 'max_nodes' allows",
             big_text(sprintf("%.0f", about$size[["nodes"]])))
  } else {
    stopped_after(set_status(about), about$elapsed)
  }
  warn_stopped(gettextf("%s: %s", after, complete_text(set, about)),
               list(status = set_status(about), elapsed = about$elapsed,
                    complete_cost = about$complete_cost))
}

# A limit on row sets ends as memory does.
set_status <- function(about) {
  if (about$status %in% names(stopped_kind)) about$status else "memory limit"
}

complete_text <- function(set, about) {
  if (!is.finite(about$complete_cost)) return(gettext("trees of any cost may be missing"))
  gettextf("the set is complete up to a cost of %s", surely_text(about$complete_cost))
}

# Not more than it is, as rounding might say.
surely_text <- function(cost) cost_text(if (cost == round(cost)) cost else floor_digits(cost, 7))

# ---- too large -----------------------------------------------------------------------------------

# What is looked at in some seconds: rows and columns of row sets, and row sets whatever their size.
most_work <- 5e9
fewest_usual_nodes <- 2000
most_usual_nodes <- 1e6

usual_nodes <- function(problem) {
  nodes <- most_work %/% (length(problem$codes) * length(column_predictors(problem)))
  min(max(nodes, fewest_usual_nodes), most_usual_nodes)
}

# Whether that many row sets were looked at and there are more.
at_most_nodes <- function(set) {
  about <- set_about(set)
  !about$complete && about$size[["nodes"]] >= floor(set_parts(set)$settings$max_nodes)
}

refuse_large <- function(set, argument) {
  about <- set_about(set)
  parts <- set_parts(set)
  stop_input(argument, gettextf(
    "the trees that cost up to %s more than 'fit' are too many: there are %s in %s row sets alone",
    cost_text(signif(parts$slack, 6)), big_text(about$total),
    big_text(sprintf("%.0f", about$size[["nodes"]]))),
    c(smaller_set_text(set),
      if (parts$settings$complexity == 0) {
        gettext("a price for each split, 'complexity' of the fit, keeps sets small")
      },
      gettext("max_nodes = Inf searches for all trees whatever that takes")))
}

# The budget of a smaller set that is whole.
smaller_set_text <- function(set) {
  size <- smaller_set(set)
  if (!is.null(size)) {
    return(gettextf("errors = %s has %s trees, all of which can be found", format(size$budget),
                    format(signif(size$trees, 3), big.mark = ",")))
  }
  surely <- set_about(set)$complete_cost - tree_proof(set_parts(set)$fit)$cost
  if (is.finite(surely) && surely >= 0) {
    return(gettextf("all of those with errors = %s can be found", format(floor_digits(surely, 3))))
  }
  gettext("contree_set_estimate() says how large smaller sets are")
}

# A row of size_of_set(). Row sets grow with the budget, so that those of smaller budgets are few;
# where the search of the splits alone may take long none is looked for.
smaller_set <- function(set) {
  parts <- set_parts(set)
  settings <- parts$settings
  if (settings$max_nodes <= fewest_usual_nodes || settings$depth > 3) return(NULL)
  settings$max_nodes <- ceiling(settings$max_nodes / 2)
  found <- NULL
  for (budget in floor_digits(parts$slack / c(8, 4, 2), 2)) {
    size <- size_of_set(parts$fit, parts$problem, settings, budget)
    if (!size$found) break
    found <- size
  }
  found
}

# x to `digits` significant digits, rounded down.
floor_digits <- function(x, digits) {
  near <- signif(x, digits)
  ifelse(near > x, signif(near - 10^(floor(log10(x)) - digits + 1), digits), near)
}
