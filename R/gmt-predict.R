# predict() of model trees: new rows walk down the tree in C; the models are computed leaf by leaf.

#' Predict with a model tree
#'
#' Predicts new rows, or the training rows: numbers with or without intervals, the terms of the
#' models, or the leaf of each row and the path to it.
#'
#' @details
#' A linear model can predict any value far from the rows that it was fitted to. If the fit has
#' limits, each value is therefore first limited to the range that the predictor had in the training
#' rows of the leaf, and the prediction to the range of the response there, extended by a twentieth
#' of it on either side. On many data sets this is decisive for the accuracy of a model tree: a
#' single new row outside the range may otherwise have a larger error than all others together. If
#' the response is nearly linear, limits do harm. A tree with splits has them by default; where
#' there is none, and with `limits = "loo"` of [gmt_control()], leave-one-out errors decide
#' (`gmt$settings$limits` says it). `extrapolate = TRUE` evaluates the models without limits, as
#' `lm()` and the exports of the tree ([as_sql()], [as_c()], [write_pmml()]) do.
#'
#' @param object A fit of [gmt()].
#' @param newdata Data frame, or a numeric matrix if all predictors are numeric, with the columns
#'   that the tree uses, and with those of an offset, if any. Without it the training rows are
#'   predicted, without limits; intervals and terms find them again by the call of the fit.
#' @param type What to return for each row: `"response"` (the default), numbers; `"node"`, the
#'   number of the leaf; `"path"`, the conditions that lead to it; `"terms"`, a matrix with the
#'   contributions of the intercept and each regressor, whose sum over a row is the prediction
#'   before it is limited to the range of the response (and without an offset).
#' @param interval `"none"` (the default); `"confidence"` for the mean response or `"prediction"`
#'   for a new one, by the t distribution of the leaf's own model, which ignores that the tree was
#'   searched for; `"conformal"` for a new one, from the errors of trees on rows that they were not
#'   fitted to, see Conformal intervals.
#' @param level Level of the intervals, a number between 0 and 1; 0.95 by default.
#' @param extrapolate `TRUE` evaluates the models without limits; `FALSE` (the default) limits
#'   values and predictions as described in Details, if the fit has limits.
#' @param na.action,new_levels As in [predict.contree()].
#' @param ... Not used; anything given here is an error.
#' @section Conformal intervals:
#' They need a fit with `conformal = k`, see [gmt_control()], which holds k trees fitted to all rows
#' except those of a fold, and their errors on the fold. The intervals are the CV+ intervals of
#' Barber et al. (2021): for exchangeable rows they contain a new response with a probability of at
#' least `1 - 2 (1 - level)`, whatever the distribution and however the tree was found, and in
#' practice of about `level`. They are infinite if there are fewer than `1 / (1 - level) - 1`
#' training rows. Weights are ignored, but rows of weight 0 do not count. A row that the tree of the
#' others cannot predict, since none of these lacks the same values, counts as infinitely far.
#' @references R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani (2021). Predictive inference
#'   with the jackknife+. *Annals of Statistics* 49, 486-507. \doi{10.1214/20-AOS1965}.
#' @return A numeric vector named by row; with an interval a matrix with the columns `fit`, `lwr`
#'   and `upr`; for other types an integer or character vector, or a matrix. A leaf with as many
#'   coefficients as rows has no interval: its limits are `NaN`.
#' @section Errors:
#' As for [predict.contree()].
#' @examples
#' fit <- gmt(uptake ~ conc + Type | conc + Treatment, CO2, seed = 1)
#' plants <- transform(CO2[c(1, 48, 84), ], conc = c(95, 500, 5000))
#' predict(fit, plants)
#' # 1000 is the largest concentration of the training rows
#' predict(fit, plants, extrapolate = TRUE)
#' predict(fit, plants[1, ], interval = "prediction", level = 0.9)
#' @export
predict.gmt <- function(object, newdata, type = c("response", "node", "terms", "path"),
                        interval = c("none", "confidence", "prediction", "conformal"), level = 0.95,
                        extrapolate = FALSE, na.action = stats::na.pass, new_levels = NULL, ...) {
  check_no_dots(...)
  check_fit(object, "object", rows = missing(newdata) || is.null(newdata))
  refuse_contributions(type)
  type <- check_choice("type", type, alias = c(leaf = "node"))
  interval <- check_choice("interval", interval)
  extrapolate <- check_flag("extrapolate", extrapolate)
  check_level(level)
  on_training <- missing(newdata) || is.null(newdata)
  if (on_training) {
    if (type == "response" && interval == "none") return(fitted(object))
    if (type %in% c("node", "path")) {
      where <- all_rows(object, unname(tree_where(object)), function(zero) zero$where)
      answer <- tell(object, function(values) values[where], names(where), type)
      return(stats::napredict(tree_na_action(object), answer))
    }
  }
  if (is.null(new_levels)) new_levels <- "majority"
  policy <- check_choice("new_levels", new_levels, c("majority", "error"))
  if (type %in% c("node", "path")) {
    class(object) <- setdiff(class(object), "gmt")
    return(stats::predict(object, newdata, type = type, na.action = na.action,
                          new_levels = new_levels))
  }
  if (on_training) {
    new <- training_rows(object, parent.frame())
    if (interval != "conformal") extrapolate <- TRUE # as fitted() has them
  } else {
    new <- new_columns(object, newdata, na.action)
    new$offset <- new_offset(object, newdata, new$na.action)
    tell_new_levels(object, new$columns, policy, unknown_in_products(object, newdata))
  }
  node <- route(object, new$columns)
  x <- if (is.matrix(new$columns)) as.list(as.data.frame(new$columns)) else new$columns
  answer <- if (type == "terms") gmt_terms(object, x, node, extrapolate) else {
    values <- if (interval == "conformal") {
      conformal_limits(object, gmt_values(object, x, node, extrapolate), function(of_fold) {
        gmt_values(of_fold, x, route(of_fold, x), extrapolate)
      }, level)
    } else {
      gmt_values(object, x, node, extrapolate, interval, level)
    }
    values + new$offset
  }
  if (is.matrix(answer)) rownames(answer) <- new$row_names else names(answer) <- new$row_names
  stats::napredict(new$na.action, answer)
}

# The training rows as new_columns() has new ones, with their offset; found from `env`.
training_rows <- function(fit, env) {
  frame <- if (is.null(tree_terms(fit))) xy_again(fit, env) else {
    model <- eval(quote(stats::model.frame(fit)), list(fit = fit), env)
    structure(predictors_of(model), row.names = attr(model, "row.names"), class = "data.frame")
  }
  rows <- read_columns(spread_columns(as.list(frame)), fit, frame)
  rows["na.action"] <- list(tree_na_action(fit))
  rows$offset <- if (is.null(fit$offset)) 0 else {
    unname(all_rows(fit, fit$offset, function(zero) zero$offset))
  }
  check_training_rows(fit, rows)
  rows
}

# The columns of `x` and `z` of the call, in the rows that were used.
xy_again <- function(fit, env) {
  call <- tree_call(fit)
  both <- tryCatch({
    x <- eval(call[["x"]], env)
    z <- eval(call[["z"]], env)
    as.data.frame(if (is.null(z)) named_columns(x) else join_columns(x, z))
  }, error = function(problem) no_training_rows(conditionMessage(problem)))
  left_out <- tree_na_action(fit)
  if (is.null(left_out)) both else both[-left_out, , drop = FALSE]
}

# Of other rows the models say something else.
check_training_rows <- function(fit, rows) {
  told <- unname(all_rows(fit, fit$fitted.values, function(zero) zero$fitted.values))
  if (length(rows$row_names) != length(told)) {
    no_training_rows(gettextf("there are %d rows now, and there were %d", length(rows$row_names),
                              length(told)))
  }
  again <- gmt_values(fit, rows$columns, route(fit, rows$columns), TRUE) + rows$offset
  other <- is.na(again) != is.na(told) | abs(again - told) > 1e-8 * max(abs(told), na.rm = TRUE)
  if (any(bad <- other %in% TRUE)) {
    no_training_rows(gettextf("row %d has other values now", which(bad)[1]))
  }
}

no_training_rows <- function(reason) {
  stop_input("newdata", gettextf("the training data cannot be found again (%s)", reason),
             gettext("give them as 'newdata'"))
}

new_offset <- function(fit, newdata, left_out) {
  if (is.null(fit$offset_call)) return(0)
  offset <- evaluate_argument("offset", fit$offset_call, as.data.frame(newdata),
                              environment(fit$formula))
  # a vector of the training rows is none of new ones
  if (!is.numeric(offset) || length(offset) != nrow(newdata)) {
    stop_input("newdata", gettextf("the offset is %s, but 'newdata' has %d rows",
                                   show_value(offset), nrow(newdata)),
               gettext("fit the tree with an offset that is a column of 'data'"))
  }
  if (is.null(left_out)) offset else offset[-left_out]
}

# For each leaf that rows come to, what `say(rows, x, node)` makes of them: `width` numbers a row.
by_leaf <- function(fit, x, node, extrapolate, width, say) {
  out <- matrix(NA_real_, length(node), width)
  rows_of <- split(seq_along(node), node)
  for (leaf in names(rows_of)) {
    rows <- rows_of[[leaf]]
    out[rows, ] <- say(model_rows(fit, x, rows, as.integer(leaf), extrapolate), as.integer(leaf))
  }
  out
}

# Predictions of rows that come to the nodes `node`, without the offset.
gmt_values <- function(fit, x, node, extrapolate, interval = "none", level = 0.95) {
  b <- fit$gmt$coefficients
  p <- ncol(b)
  say <- function(x, leaf) {
    value <- model_sums(x, b[leaf, ])
    half <- if (interval != "none") half_width(fit, x, leaf, interval, level)
    if (!extrapolate) {
      value <- within_response(value, fit$gmt$low[leaf, p], fit$gmt$high[leaf, p])
    }
    if (interval == "none") value else cbind(value, value - half, value + half)
  }
  out <- by_leaf(fit, x, node, extrapolate, if (interval == "none") 1 else 3, say)
  if (interval == "none") return(out[, 1])
  colnames(out) <- c("fit", "lwr", "upr")
  out
}

# Limited to the range of the response, extended by a twentieth of it on either side.
within_response <- function(value, low, high) {
  pmin(pmax(value, low - (high - low) / 20), high + (high - low) / 20)
}

# Term after term, so that the bits depend on no library: forge() has the same. What has no slope is
# not asked for.
model_sums <- function(x, b) {
  value <- rep(b[[1]], nrow(x))
  for (k in setdiff(which(b != 0), 1L)) value <- value + b[[k]] * x[, k]
  value
}

half_width <- function(fit, x, leaf, interval, level) {
  df <- node_n(fit)[leaf] - fit$gmt$rank[leaf]
  if (df < 1) return(rep(NaN, nrow(x)))
  unscaled <- matrix(fit$gmt$unscaled[, , leaf], ncol(x))
  variance <- rowSums((x %*% unscaled) * x) + (interval == "prediction")
  stats::qt((1 + level) / 2, df) * sqrt(variance * node_errors(fit)[leaf] / df)
}

gmt_terms <- function(fit, x, node, extrapolate) {
  b <- fit$gmt$coefficients
  part <- c(0, design_parts(fit$gmt$design))
  regressors <- fit$gmt$regressors
  out <- by_leaf(fit, x, node, extrapolate, length(regressors) + 1, function(x, leaf) {
    each <- x * rep(b[leaf, ], each = nrow(x))
    vapply(c(0, seq_along(regressors)), function(k) rowSums(each[, part == k, drop = FALSE]),
           numeric(nrow(x)))
  })
  colnames(out) <- c(intercept_name, regressors)
  if (isFALSE(fit$gmt$intercept)) out[, -1, drop = FALSE] else out
}
