# Model trees: gmt(), from the data to the fit. The search is in C (src/evolve); here are arguments,
# columns, and what is kept.

#' Model trees by global search
#'
#' Fits a regression tree with a linear model in every leaf. Each split uses one predictor. The
#' search is global: every threshold is evaluated by the least-squares models that all leaves below
#' it would have, and the search continues from the first local optimum to better ones. It finds
#' small trees where a tree grown split by split needs many leaves.
#'
#' @section Formula:
#' As in `partykit::lmtree()`: `y ~ x1 + x2 | z1 + z2` has `x1` and `x2` as regressors of the models
#' and splits on `z1` and `z2`. `y ~ .` uses all columns for both, and `y ~ 1 | .` has constants in
#' the leaves, which is an ordinary regression tree. Numbers, logicals and factors may be
#' regressors. Without an intercept (`- 1` or `+ 0`) the models have none, and a first factor, or
#' logical, has a coefficient for each level, as in `lm()`; such a logical `l` is the regressor
#' `factor(l)`, also in exports. Products among the regressors (`x * z`, `x:z`) are columns of the
#' models, as in `lm()`, computed again in new data; splits are on single variables. An `offset()`
#' among the regressors adds to the argument `offset`. More than two parts are an error. If the
#' formula has no `|`, or `x` is given without `z`, factors of more than eight levels are used for
#' splitting only, unless `factors = "both"` (see [gmt_control()]) or the fit has no splits (see
#' below).
#'
#' @section Search:
#' The criterion is BIC, `n log(SSE / n) + complexity * log(n) * size`, where the size of a tree is
#' the number of its coefficients and splits. In a local search every node in turn gets the best of
#' all splits, with the models of all leaves below it refitted for every threshold, or it becomes a
#' leaf or one of its subtrees. Then the tree is changed at random in one or two places (another
#' split between two rows, a leaf split, parent and child exchanged, a subtree removed) and searched
#' again, as often as `effort` and `patience` allow. With more than `sample` rows this is done on a
#' sample of that many rows, evenly spaced in the data, and the tree found is then improved on all
#' rows. Populations of trees are an alternative, see [gmt_control()].
#'
#' The last local search is complete: if it finishes (`certified`), no change of a single node
#' lowers the deviance plus a fixed penalty for each coefficient and split. This does not prove that
#' no other tree is better; the setting `certify` gives such a proof for shallow trees, see
#' [gmt_control()]. The tree is a function of the data, the arguments and the `seed`: it is the same
#' for any number of threads and any set of vector instructions, and it depends on timing only if
#' `time_limit` or Ctrl-C ends the search.
#'
#' @section Guard against noise:
#' With few rows and much noise a search finds splits that predict worse than a linear model of all
#' rows. By default, with up to 2,000 rows, a tree with splits is therefore compared with that model
#' by cross-validation of 5 folds, up to twice, with folds drawn from `seed`, until the squared
#' errors of the held-out rows differ by three standard errors; at the end the tree must be better
#' by one, or the fit has no splits. Factors of more than eight levels are regressors of the linear
#' model if that lowers the errors of held-out rows: a tree makes little of many small effects. They
#' are not tried with more than 250 levels in all, or more than half as many as rows. On 52 made and
#' real sets of 168 to 1,000 rows the root mean squared error of held-out rows was at most 1.01
#' times that of `lm()`; without the guard it was more than that on 14, up to 1.6 times. The
#' comparison takes the time of up to ten more fits, and of twenty linear models if there are such
#' factors. There is none if `complexity`, a finite `time_limit`, `certify`, `shrink = TRUE` or
#' another `search` is given. Where the tree has no splits it is up to leave-one-out errors whether
#' predictions are limited to the ranges of the training rows, which harms if the response is nearly
#' linear, see `limits` of [gmt_control()].
#'
#' @section Models:
#' At the end the coefficients are computed by the QR decomposition of the rows of each node, as in
#' `lm()`, and aliased coefficients are dropped in the same way. With `select`, backward selection
#' removes regressors from the model of a leaf as well, and with `shrink = TRUE` coefficients are
#' pulled towards those of the node above, see [gmt_control()]. The covariances of
#' [vcov()][vcov.gmt] and all intervals treat the tree as given: the search for it is not accounted
#' for, so they are too small, the more so the more extensive the search.
#'
#' @section Missing values:
#' At each split, rows with a missing value go to the side where they fit better. In the models of
#' the leaves a missing value of a regressor is replaced by the (weighted) mean of the training
#' rows, and an additional coefficient, named `is.na(x)`, is the difference of the rows with missing
#' values from that (not with `missing = "mean"`, see [gmt_control()]). If a numeric regressor had
#' no missing values in training, the prediction for a new row in which it is missing is `NA`. A
#' product of regressors is such a number, and missing for a level that did not occur in training.
#'
#' @section Factors:
#' A split divides the levels of a factor in any way if a node has up to eight of them, else in the
#' order of the mean response. At most 254 levels are possible. In the models of the leaves a factor
#' has its own contrasts, as [C()] gives them, else those of `options("contrasts")`, for the levels
#' that occur in training, as in `lm()`. A matrix of contrasts counts only if all levels occur. In a
#' leaf without rows of some of these levels, coefficients are aliased; a factor with such a level
#' then counts as the mean over the rows of the leaf.
#'
#' @param formula,data,subset,na.action As in [contree()], with a numeric response. By default rows
#'   with a missing response are left out.
#' @param x Predictors: a data frame, or a numeric matrix.
#' @param y Response, one finite number for each row of `x`.
#' @param z Predictors that may be split on, if they are not those of `x`: a data frame or matrix
#'   with as many rows. Columns whose names occur in `x` are taken from `x`. The default is `x`.
#' @param weights Case weights, a numeric vector of values of at least 0, as in `lm()`: rows of
#'   weight 0 have fitted values and residuals but do not enter the fit. In the formula method, an
#'   expression in the columns of `data`. The default gives each row the weight 1.
#' @param offset Known part of the response, a numeric vector with one value for each row, as in
#'   `lm()`. In the formula method, an expression in the columns of `data`, which
#'   [predict()][predict.gmt] evaluates in new data. With `x` and `y`, predictions for new rows do
#'   not include it.
#' @param ... Settings, as in [gmt_control()]. Any other name is an error.
#' @param control Settings as made by [gmt_control()], or a named list of them; by default made from
#'   `...`. A setting given in `...` takes precedence over the same setting in `control`. `seed` and
#'   `model`, which do not say how to search, are not among them.
#' @param seed Seed of the random numbers, a whole number from 0 to 2^53. By default it is drawn
#'   from R's generator, so that [set.seed()] makes the result reproducible.
#' @param model Keep the model frame in the fit? `FALSE` by default.
#' @return An object of class `gmt` and `contree_model`. Its tree is stored as in [contree.object],
#'   with `leaf` `"linear"` (`"number"` if the leaves are constants). It also has `device`, `y`,
#'   `fitted.values`, `weights`, `offset`, `weightless` (rows of weight 0, which the other elements
#'   leave out), `conformal` (trees fitted to all rows except those of a fold, and their errors on
#'   these), and `gmt`, a list of `intercept` (do the models have one?), `regressors`,
#'   `splitters`, `design` and `nodes` (how regressors
#'   become columns of the models, and what replaces missing values), `coefficients`, `rank`,
#'   `aliased` (or removed), `dropped` (removed), `unscaled` (covariances by node without the factor
#'   sigma^2), `low` and `high` (limits by node), `bic`, `lambda` (the penalty of a coefficient or
#'   split in the last local search), `certified`, `status`, `history`, `kicks` (random changes),
#'   `touched` (rows examined by searches of single splits), `elapsed` (seconds), `optimum` (with
#'   `certify`, see [gmt_control()]), `device_answers` and `device_note` (what a GPU was asked, and
#'   why it was not used or not to the end), `seed` and `settings`. Access it through the methods.
#' @section Errors:
#' `contree_input_error` for data or arguments that cannot be used, `contree_unsupported_error` for
#' a GPU with a search that does not use it. After Ctrl-C or at the `time_limit` the best tree so
#' far is returned with a warning of class `contree_stopped`.
#' @references K. Jurczuk, M. Czajkowski, M. Kretowski (2022). GPU-based acceleration of
#'   evolutionary
#'   induction of model trees. *Applied Soft Computing* 119, 108503.
#'   \doi{10.1016/j.asoc.2022.108503}.
#' @seealso [gmt_control()], [predict.gmt()], [coef.gmt()].
#' @examples
#' fit <- gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1)
#' fit
#' predict(fit, CO2[c(1, 40, 84), ], interval = "confidence")
#' coef(fit)
#'
#' # a kink, found exactly
#' x <- seq(0, 5, length.out = 200)
#' gmt(data.frame(x), ifelse(x < 2, 3 * x, 10 - 2 * x), seed = 1)
#' @export
gmt <- function(x, ...) UseMethod("gmt")

#' @rdname gmt
#' @export
gmt.formula <- function(formula, data, weights, subset, na.action, offset, ...,
                        control = gmt_control(...), seed = NULL, model = FALSE) {
  call <- plain_call(match.call(), sys.call(-1), "gmt", formula)
  settings <- gmt_settings(control, list(...), !missing(control), seed, model)
  read <- read_gmt_formula(formula, if (!missing(data)) data,
                           if (!missing(weights)) substitute(weights),
                           if (!missing(subset)) substitute(subset),
                           if (!missing(na.action)) na.action,
                           if (!missing(offset)) substitute(offset))
  fit_gmt(read$frame, read$regressors, read$splitters, settings, call)
}

# The data of a formula: list(frame, regressors, splitters). `weights`, `subset` and `offset` are
# expressions in the columns of `data`.
read_gmt_formula <- function(formula, data, weights, subset, na.action, offset) {
  env <- environment(formula)
  value <- function(name, expression) evaluate_argument(name, expression, data, env)
  parts <- read_gmt_parts(formula, check_data(data),
                          function(expression) evaluate_variable(expression, data, env))
  # in a list, for the expression may be a vector of numbers
  offsets <- c(parts$offsets, if (!is.null(offset)) list(offset))
  offset_call <- if (length(offsets)) Reduce(function(a, b) call("+", a, b), offsets)
  frame <- read_data(formula, data, value("subset", subset), na.action, env, "learn",
                     value("weights", weights), read_number_response, parts,
                     offset = value("offset", offset_call))
  check_sum_of_weights(frame$weights)
  if (!is.null(frame$offset)) frame$offset_call <- offset_call
  frame$formula <- formula
  frame$intercept <- parts$intercept
  attr(frame$terms, "intercept") <- as.integer(parts$intercept)
  if (is.matrix(frame$columns)) frame$columns <- as.list(as.data.frame(frame$columns))
  frame$by_rule <- parts$by_rule
  list(frame = frame, regressors = parts$regressors, splitters = parts$splitters)
}

#' @rdname gmt
#' @export
gmt.default <- function(x, y, z = x, weights = NULL, offset = NULL, ...,
                        control = gmt_control(...), seed = NULL, model = FALSE) {
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), gmt.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1), "gmt")
  settings <- gmt_settings(control, list(...), !missing(control), seed, model)
  check_both_given(x, y)
  read <- read_gmt_xy(x, y, if (!missing(z)) z, weights, offset)
  fit_gmt(read$frame, read$regressors, read$splitters, settings, call)
}

# The data of `x` and `y`, as read_gmt_formula() has them; `z` NULL: `x` has the splitters.
read_gmt_xy <- function(x, y, z, weights, offset) {
  check_x(x)
  both <- if (is.null(z)) x else join_columns(x, z)
  frame <- read_xy(both, y, "learn", weights, read_number_response, offset = offset)
  check_sum_of_weights(frame$weights)
  if (is.matrix(frame$columns)) frame$columns <- as.list(as.data.frame(frame$columns))
  named <- function(columns) {
    if (is.null(colnames(columns))) paste0("x", seq_len(ncol(columns))) else colnames(columns)
  }
  list(frame = frame, regressors = if (!is.null(z)) named(x), splitters = if (!is.null(z)) named(z))
}

# The columns of `z` that `x` does not have come behind those of `x`.
join_columns <- function(x, z) {
  check_x(z)
  if (nrow(z) != nrow(x)) {
    stop_input("z", gettextf("'x' has %d rows, but 'z' has %d", nrow(x), nrow(z)))
  }
  if (is.null(colnames(z)) || is.null(colnames(x))) {
    stop_input("z", gettext("'x' and 'z' need column names; name their columns"))
  }
  data.frame(as.data.frame(x), as.data.frame(z)[setdiff(colnames(z), colnames(x))],
             check.names = FALSE)
}

read_number_response <- function(response, label) {
  if (inherits(response, "AsIs")) class(response) <- setdiff(class(response), "AsIs")
  if (!is.numeric(response) || is.object(response) || !is.null(dim(response))) {
    stop_input(label,
               gettextf("the response '%s' must be numbers, not %s", label,
                        if (is.numeric(response)) show_value(response)
                        else describe_type(response)),
               if (is.numeric(response)) gettextf("use as.vector(%s)", label)
               else gettext("for classes see contree()"))
  }
  read_any_response(response, label)
}

# One number a row of the data; NULL without an offset.
check_offset <- function(offset, n) {
  if (is.null(offset)) return(NULL)
  if (!is.numeric(offset) || !is.null(dim(offset)) || length(offset) != n) {
    stop_input("offset", gettextf("'offset' must be one number for each of the %d rows, not %s", n,
                                  show_value(offset)))
  }
  as.double(offset)
}

# Offsets of the rows that are left.
settle_offset <- function(offset) {
  if (any(bad <- !is.finite(offset))) {
    row <- which(bad)[1]
    stop_input("offset", gettextf("'offset' is %s in row %d", offset[row], row),
               gettext("give finite numbers, or leave out such rows"))
  }
  offset
}

# ---- from the frame to the fit -------------------------------------------------------------------

fit_gmt <- function(frame, regressors, splitters, settings, call) {
  roles <- predictor_roles(frame, regressors, splitters, settings$factors)
  if (is.null(settings$seed)) settings$seed <- as.double(sample.int(.Machine$integer.max, 1))
  fit <- fit_roles(frame, roles, settings, call)
  if (settings$conformal > 0) fit$conformal <- learn_gmt_conformal(frame, roles, settings)
  tell_device(fit$gmt)
  warn_if_gmt_stopped(fit)
  fit
}

fit_roles <- function(frame, roles, settings, call) {
  new_gmt(refit_gmt(search_guarded(frame, roles, settings)), frame, call)
}

# What the search found, and all that it takes to make a fit of it.
search_gmt <- function(frame, roles, settings) {
  frame <- with_weight(frame)
  design <- learn_design(frame, roles$regressors, settings$missing == "indicator")
  if (!has_intercept(frame) && length(design) == 0) {
    stop_input("formula", gettext("the models have neither an intercept nor a regressor"),
               gettext("leave out '- 1' or '+ 0', or give a regressor"))
  }
  check_squares(frame, roles$regressors)
  settings <- settle_gmt(settings, design, roles, length(frame$response))
  list(solved = run_gmt(frame, roles, design, settings), frame = frame, roles = roles,
       design = design, settings = settings)
}

# What was searched, with the models that the settings ask for.
refit_gmt <- function(searched) {
  searched$settings <- settle_limits(searched$settings, length(searched$solved$feature))
  if (!is_refitted(searched$settings)) return(searched)
  searched[c("solved", "settings")] <- refit_solved(searched$solved, searched$frame,
                                                    searched$design, searched$settings)
  searched
}

factor_levels_few <- 8

# Which predictors are in the models, and which may split: their names; `many_levels`: factors that
# would be in the models had they fewer levels.
predictor_roles <- function(frame, regressors, splitters, factors) {
  names <- frame$shape$names
  # the columns of a matrix among the variables go by its name
  of <- function(labels) {
    names[vapply(names, function(name) any(name == labels,
        startsWith(name, paste0(labels, ".", recycle0 = TRUE))), NA)]
  }
  most <- c(split = 0, few = factor_levels_few, both = Inf)[[factors]]
  leveled <- frame$types %in% level_types & lengths(frame$xlevels[names]) <= most
  by_rule <- names[frame$types %in% number_types | leveled]
  many_levels <- if (factors == "few") setdiff(names[frame$types %in% level_types], by_rule)
  if (is.null(regressors)) {
    return(list(regressors = by_rule, splitters = names, many_levels = many_levels))
  }
  roles <- list(regressors = of(regressors), splitters = of(splitters))
  if (isTRUE(frame$by_rule)) {
    roles$many_levels <- intersect(roles$regressors, many_levels)
    roles$regressors <- intersect(roles$regressors, by_rule)
  }
  may <- names[frame$types %in% c(number_types, level_types)]
  if (length(bad <- setdiff(roles$regressors, may))) {
    stop_input(bad[1], gettextf(
      "'%s' is a regressor but is neither a number nor a factor; convert it to numbers",
      bad[1]))
  }
  roles
}

# The rows that have a weight: the others are of no use to the fit, as in lm().
with_weight <- function(frame) {
  zero <- frame$weights %in% 0
  if (any(zero)) rows_of_frame(frame, !zero) else frame
}

has_intercept <- function(frame) !isFALSE(frame$intercept)

# The models are computed from squares, which must be numbers, with all their digits.
check_squares <- function(frame, regressors) {
  weights <- if (is.null(frame$weights)) 1 else frame$weights
  response <- without_offset(frame)
  numbers <- regressors[frame$types[regressors] %in% number_types]
  columns <- c(list(response), lapply(frame$columns[numbers], as.double))
  names(columns)[1] <- if (is.null(frame$terms)) "y" else response_text(frame$terms)
  if (is.finite(sum(weights)) && !is.finite(sum(weights)^2)) {
    stop_input("weights", gettextf("the square of the sum of the 'weights', %s, is not finite",
                                   show_value(sum(weights))), gettext("divide them by a number"))
  }
  for (name in names(columns)) check_squares_of(name, columns[[name]], weights)
}

check_squares_of <- function(name, x, weights) {
  squares <- weights * x^2
  sum <- sum(squares, na.rm = TRUE)
  if (!is.finite(sum)) {
    row <- which.max(squares)
    stop_input(name, gettextf("the square of '%s' in row %d, %s, is too large for a number", name,
                              row, show_value(x[row])), gettext("divide it by a number"))
  }
  if (sum < least_squares && any(x != 0, na.rm = TRUE)) {
    stop_input(name, gettextf("the squares of '%s', of at most %s, are too small for numbers", name,
                              show_value(max(abs(x), na.rm = TRUE))),
               gettext("multiply it by a number"))
  }
}

# A sum of squares whose last digits are normal numbers.
least_squares <- 1e-280

response_text <- function(terms) variable_label(attr(terms, "variables")[[2]])

# What the models explain.
without_offset <- function(frame) {
  frame$response - if (is.null(frame$offset)) 0 else frame$offset
}

# Rows of weight 0 have a leaf, a fitted value and a residual all the same.
add_weightless <- function(fit, whole) {
  rows <- which(whole$weights %in% 0)
  if (length(rows) == 0) return(fit)
  columns <- lapply(whole$columns, `[`, rows)
  where <- route(fit, columns)
  offset <- if (is.null(whole$offset)) 0 else whole$offset[rows]
  value <- gmt_values(fit, columns, where, extrapolate = TRUE) + offset
  fit$weightless <- list(rows = rows, names = whole$row_names[rows], where = where,
                         y = whole$response[rows], fitted.values = value,
                         offset = whole$offset[rows])
  fit
}

run_gmt <- function(frame, roles, design, settings) {
  audience <- new_audience(settings, function(state) gmt_text(state, settings$effort))
  on.exit(audience$end())
  report <- function(elapsed, kicks, bic) {
    audience$show(list(elapsed = elapsed, kicks = kicks, closed = kicks / max(1, settings$effort)))
  }
  names <- frame$shape$names
  plain <- vapply(design, is_identity, NA)
  made <- lapply(design[!plain], function(part) {
    filled_values(part, frame$columns[[part$predictor]])
  })
  one_each <- function(table) lapply(seq_len(ncol(table)), function(k) table[, k])
  made <- unlist(lapply(made, one_each), FALSE, FALSE)
  columns <- c(lapply(unname(frame$columns), unclass), made)
  is_made <- !plain[design_parts(design)]
  regressors <- match(roles$regressors, names)[design_parts(design)]
  regressors[is_made] <- length(names) + seq_along(made)
  leveled <- frame$types[roles$splitters] %in% c("factor", "character")
  if (settings$search$certify > 0) check_levels_to_certify(frame, roles$splitters[leveled])
  control <- c(settings$search, list(
    regressors = as.integer(regressors), parts = as.integer(design_parts(design)),
    splitters = match(roles$splitters, names),
    n_levels = 1L + as.integer(ifelse(leveled, lengths(frame$xlevels[roles$splitters]), 0L)),
    no_intercept = as.integer(!has_intercept(frame)),
    seed = settings$seed, threads = threads_to_use(settings$threads), simd = simd_wanted(),
    device = device_wanted(settings),
    time_limit = settings$time_limit, report = if (audience$listens) report))
  y <- without_offset(frame)
  solved <- call_gmt(.Call(ffi_gmt_fit, columns, y, frame$weights, control))
  if (solved$status == "interrupted" && settings$on_interrupt == "error") {
    stop_interrupted(solved$elapsed)
  }
  solved
}

# What C could not do.
call_gmt <- function(call) {
  call_core(call, function(message, status) {
    stop_input("data", gettextf("the model tree cannot be fitted: %s", message))
  })
}

# "gmt: 12 s, 37 of 200 kicks, 50 s to go"
gmt_text <- function(state, effort) {
  rest <- if (state$kicks > 0) state$elapsed * (effort - state$kicks) / state$kicks else NA
  gettextf("gmt: %.0f s, %.0f of at most %.0f random changes, at most %s s left", state$elapsed,
           state$kicks,
           effort, if (is.na(rest)) "?" else format(signif(rest, 2)))
}

# The fit of what refit_gmt() has; `whole`: the frame with its rows of weight 0.
new_gmt <- function(refitted, whole, call) {
  frame <- refitted$frame
  roles <- refitted$roles
  design <- refitted$design
  settings <- refitted$settings
  solved <- on_predictors(refitted$solved, frame)
  solved$errors <- solved$deviance
  names <- c(intercept_name, design_names(design))
  p <- length(names)
  n_nodes <- length(solved$feature)
  by_node <- function(x) matrix(x, n_nodes, byrow = TRUE)
  b <- structure(by_node(solved$coefficients), dimnames = list(NULL, names))
  nodes <- learn_nodes(design, frame, solved$where, parents_of(solved))
  leaf <- if (p == 1) number_leaves(unname(b[, 1])) else {
    said <- design_terms(design, nodes, b[, -1, drop = FALSE], frame$xlevels)
    linear_leaves(b[, 1], said$b, said$terms)
  }
  moments <- c("kick", "leaves", "bic", "deviance", "touched", "time")
  history <- list2DF(lapply(stats::setNames(seq_along(moments), moments),
                            function(k) solved$moments[, k]))
  found <- list(
    intercept = has_intercept(frame), regressors = roles$regressors,
    splitters = roles$splitters, design = design, nodes = nodes,
    coefficients = b, rank = solved$rank, aliased = by_node(solved$aliased),
    dropped = by_node(solved$dropped),
    unscaled = array(solved$unscaled, c(p, p, n_nodes)), low = by_node(solved$low),
    high = by_node(solved$high), bic = solved$bic, lambda = solved$lambda,
    certified = solved$certified, status = solved$status, history = history, kicks = solved$kicks,
    touched = solved$touched, elapsed = solved$elapsed,
    optimum = optimum_of(solved$optimum), device_answers = solved$device_answers,
    device_note = solved$device_note, seed = settings$seed, settings = settings)
  fit <- new_model(
    solved, leaf, frame, call, class = "gmt", where = stats::setNames(solved$where,
                                                                      frame$row_names),
    y = frame$response, weights = frame$weights, offset = frame$offset,
    offset_call = frame$offset_call, formula = frame$formula,
    fitted.values = NULL, device = solved$device, gmt = found,
    model = if (settings$model) frame$model)
  fit$fitted.values <- training_values(fit, frame$columns, settings$threads) +
    if (is.null(frame$offset)) 0 else frame$offset
  add_weightless(validate_model(fit), whole)
}

# Fitted values without the offset; the same by both ways, C's takes a tenth of the time.
training_values <- function(fit, columns, threads) {
  if (all(vapply(fit$gmt$design, is_identity, NA))) {
    return(unname(forest_outputs(fit, columns, threads_to_use(threads))[, 1]))
  }
  unname(gmt_values(fit, columns, unname(fit$where), extrapolate = TRUE))
}

# The node that each node is a child of, 0 for the root.
parents_of <- function(solved) {
  parent <- integer(length(solved$feature))
  for (side in solved[c("left", "right")]) parent[side[side > 0]] <- which(side > 0)
  parent
}

# The answer of the search as a tree on the predictors, see return_tree(): dates and ordered factors
# have thresholds of their own, levels that the node does not have are on neither side.
on_predictors <- function(solved, frame) {
  n <- length(solved$feature)
  solved$sides <- vector("list", n)
  solved$missing <- integer(n)
  last <- last_below(solved)
  solved$left[solved$feature == 0] <- solved$right[solved$feature == 0] <- 0L
  for (node in which(solved$feature > 0)) {
    kind <- frame$types[[solved$feature[node]]]
    x <- unclass(frame$columns[[solved$feature[node]]])
    by_level <- length(solved$levels[[node]]) > 0
    if (!by_level && !solved$learned[node] && kind %in% number_types) next
    inside <- solved$where >= node & solved$where <= last[node]
    left <- (solved$where <= last[solved$left[node]])[inside]
    x <- x[inside]
    if (by_level) solved$sides[[node]] <- sides_of(x, left, length(solved$levels[[node]]))
    else solved$threshold[node] <- plain_threshold(solved$threshold[node], x, left, kind)
    solved$missing[node] <- sum(is.na(x))
  }
  solved
}

warn_if_gmt_stopped <- function(fit) {
  found <- fit$gmt
  if (!found$status %in% c("time limit", "interrupted")) return(invisible())
  leaves <- sum(node_is_leaf(fit))
  warn_stopped(gettextf("%s: the best tree so far has %d leaves",
                        stopped_after(found$status, found$elapsed), leaves),
               list(status = found$status, leaves = leaves, elapsed = found$elapsed))
}
