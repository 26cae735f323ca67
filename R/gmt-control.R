# Settings of gmt(): lowest value, highest, whether it is whole.

gmt_ranges <- list(
  leaves_max = list(low = 1, high = 250, whole = TRUE),
  depth_max = list(low = 0, high = 16, whole = TRUE),
  minbucket = list(low = 1, high = 2^31 - 1, whole = TRUE),
  complexity = list(low = 0, high = 1e100, whole = FALSE),
  bins = list(low = 2, high = 254, whole = TRUE),
  population = list(low = 2, high = 10000, whole = TRUE),
  alpha = list(low = 0, high = Inf, whole = FALSE),
  effort = list(low = 0, high = 1e6, whole = TRUE),
  patience = list(low = 0, high = Inf, whole = TRUE),
  max_rows = list(low = 0, high = Inf, whole = FALSE),
  sample = list(low = 100, high = 2^31 - 1, whole = TRUE),
  open_max = list(low = 1, high = Inf, whole = TRUE),
  smoothing = list(low = 0, high = 1e9, whole = FALSE),
  select = list(low = 0, high = 1e9, whole = FALSE),
  conformal = list(low = 0, high = 1e6, whole = TRUE),
  time_limit = list(low = 0, high = Inf, whole = FALSE),
  certify = list(low = 0, high = 3, whole = TRUE))

# How trees are searched, and what each way has for defaults.
gmt_modes <- list(local = list(population = 2, effort = 200, patience = 30),
                  memetic = list(population = 12, effort = 400, patience = 60),
                  paper = list(population = 64, effort = 10000, patience = 1000))

#' Settings of model trees
#'
#' @param leaves_max,depth_max Greatest number of leaves, from 1 to 250, and of splits above a leaf,
#'   from 0 to 16: 6, or what `certify` says.
#' @param minbucket Training rows of a leaf, at least. The default is twice the coefficients of a
#'   model, and at least 5.
#' @param complexity What log(n) is multiplied by in BIC, at least 0: larger ones give smaller
#'   trees.
#' @param bins Bins of each predictor in which thresholds are first looked for, from 2 to 254. Those
#'   that could hold the best threshold are searched to the row.
#' @param search `"local"`: the best tree is changed at random and searched again. `"memetic"`: a
#'   population of local optima, which are changed at random or take a split or a subtree over from
#'   each other. `"paper"`: evolution without local searches, see below.
#' @param population Trees that are kept, from 2 to 10,000: 12 for `"memetic"`, 64 for `"paper"`.
#' @param fitness,alpha For `search = "paper"`: trees are ranked by `"bic"`, or by `"weighted"`,
#'   `1 / (1 + SSE / n) - alpha * size` of the standardised response, the larger the better.
#' @param effort,patience The search ends after `effort` random changes, or `patience` of them in a
#'   row without success; 0 is a local search alone. The defaults are 200 and 30, in a population
#'   400 and 60. For `search = "paper"` they are generations, 10,000 and 1,000.
#' @param max_rows The random changes end once so many rows have been looked at, those of a node for
#'   each search of its split or change of it: a limit like time, but the same on every machine.
#' @param sample With more rows the random changes are made on so many, at least 100. The default is
#'   20,000 for few predictors and down to 4,000 for many: 4 million by splitters and by pairs of
#'   regressors.
#' @param open_max Bins of a predictor (and parts of these) that are searched to the row at a node,
#'   before the last local search, which has no such limit.
#' @param smoothing Rows that each node's model borrows from its parent's, which itself borrows from
#'   its own, at least 0 (see Smoothing).
#' @param select Penalty of a coefficient for which regressors are left out of the models of single
#'   nodes, at least 0; 0 leaves none out, 2 is AIC (see Choice of regressors).
#' @param conformal Folds for `predict(interval = "conformal")`, at least 2, or 0 for none: so many
#'   more trees are fitted, each to the rows outside of a fold, and kept.
#' @param factors Of a formula without `|`, or of `x` without `z`, which factors are in the models
#'   of the leaves and not splitters alone: `"few"`, those of at most eight levels; `"both"`, all;
#'   or `"split"`, none.
#' @param missing What a missing value of a regressor is in the models of the leaves: the mean, and
#'   a coefficient of its own (`"indicator"`), or the `"mean"` alone.
#' @param certify 2 or 3: the best tree of that depth is looked for among all there are over bins,
#'   with a proof; 0: no proof. See Proofs.
#' @param time_limit Seconds.
#' @param threads,on_interrupt,verbose,progress As in [contree_control()].
#' @return A list of class `gmt_control`.
#' @section The search of the paper:
#' Jurczuk, Czajkowski and Kretowski (2022) evolve trees. Here the first ones are grown from up to
#' 500 rows each (a tenth of the data, if that is less), to random depths. In every generation
#' `population` trees are selected by linear ranking with pressure 1.7, and the best of all so far
#' takes the place of the worst if it was lost. Of two trees, with probability 0.2, (X1) a subtree
#' is exchanged, (X2) a test, (X3) a branch below a split, or (X4) the better one gives a subtree
#' to the other. Then each tree, with probability 0.8, has a split or a leaf changed: (M1) a split
#' gets a new test, (M2) another threshold, nearer ones first (a factor: one level on the other
#' side), (M3) the test of its parent, which gets its own, (M4) it becomes a leaf or one of its
#' branches, (M5) a leaf is split. Splits far down and leaves with large errors come first, by the
#' same ranking. New tests part a dipole: a random row of the node and another, drawn by the rank
#' of its distance in the response among up to 64 rows of the node.
#'
#' Mended: with the signs of its formula as printed the weighted fitness would be a loss; here the
#' larger is the better. Coefficients are always least squares of all regressors, and nothing is
#' `certified`.
#' @section Proofs:
#' With `certify = 2` or `3`, which is the `depth_max` then, all trees of up to that depth are gone
#' through whose thresholds are edges of `bins`: at most so many bins of each predictor, with about
#' equally many training rows each. Factors are split into all sets of levels (at most 8 levels),
#' and at each split the rows without a value go to either side. Leaves have at least `minbucket`
#' rows. What is minimised is that of the last local search, deviance + `lambda` * size, at the
#' `lambda` of the fit (coefficients that are not aliased and splits are the size); nothing is
#' proven of BIC, which is not a sum over leaves. If a tree is better than that of the search, it
#' takes its place, is searched to the row as any other, and the proof is done again at the new
#' `lambda`.
#'
#' The fit then has `gmt$optimum`, a list of `status` (`"optimal"`: no tree over bins is better than
#' the fit, whose own thresholds lie anywhere; `"stopped"`: `time_limit` or Ctrl-C came before;
#' `"bound"`: the fit was changed again and again, and what is proven is no longer of it),
#' `depth`, `bins`, `cost` (deviance + `lambda` * size of the fit), `bound` (no tree over bins costs
#' less), `gap` (the part of the cost that a better tree could save at most; 0: none but rounding, 1
#' in 10^9), `lambda`, `solved` (problems of depth two), `touched` (their rows) and `elapsed`
#' (seconds).
#'
#' At depth two this takes, for each pair of predictors, a pass over the rows and the models of four
#' parts for each pair of thresholds: about a second for a million rows of 10 predictors. At depth
#' three it does that for both sides of the thresholds of the root, of which most are ruled out by
#' those beside them: the least squares of some rows are no larger than those of more. It is
#' computed in double precision, from sums of squares and products; coefficients that are nearly
#' aliased make it less certain. The trees for `conformal` are searched only.
#' @section Smoothing:
#' With `smoothing` tau a node's sums of squares and products are its own and, as much as tau rows
#' weigh, those of its parent (smoothed as well); its model is that of these sums. M5 averages the
#' predictions of the models on the way to a leaf for the same purpose, but then a leaf has no model
#' of its own. It helps where leaves are small and the response is noisy, and harms where it is
#' hardly so. It does not change the splits. [gmt_cv()] tells what is best. The summary of a node,
#' its covariances and intervals have the coefficients and errors of the smoothed model, and the
#' standard errors of one that is not.
#' @section Choice of regressors:
#' With `select` k a node's model is what `step(lm(...), direction = "backward", k = k)` makes of
#' the model of its rows: as long as that lowers `n log(RSS / n) + k * rank`, the regressor without
#' which it is least is left out, a factor with all its contrasts, and a predictor with missing
#' values with the column that says so. [coef()][coef.gmt] and [vcov()][coef.gmt] have `NA` for what
#' is left out; the summary of a node does not have it, as that of `step()`. The splits are those of
#' models with all regressors. Equations get shorter; on 31 public data sets the predictions were
#' neither better nor worse on average.
#' @section Errors:
#' A value out of its range is a `contree_input_error` that names the setting.
#' @examples
#' gmt(mpg ~ wt | hp + cyl, mtcars, control = gmt_control(leaves_max = 3, minbucket = 5), seed = 1)
#' @export
gmt_control <- function(leaves_max = 16, depth_max = if (certify > 0) certify else 6,
                        minbucket = NULL, complexity = 1, bins = 64,
                        search = c("local", "memetic", "paper"), population = NULL,
                        fitness = c("bic", "weighted"), alpha = 1e-4, effort = NULL,
                        patience = NULL, max_rows = Inf, sample = NULL, open_max = 2,
                        smoothing = 0, select = 0, conformal = 0,
                        factors = c("few", "both", "split"), missing = c("indicator", "mean"),
                        certify = 0,
                        time_limit = Inf, threads = NULL, on_interrupt = c("return", "error"),
                        verbose = NULL, progress = NULL) {
  mode <- check_choice("search", search, names(gmt_modes))
  certify <- check_forest_number("certify", certify, gmt_ranges$certify, FALSE)
  fitness <- check_choice("fitness", fitness, c("bic", "weighted"))
  given <- mget(names(gmt_ranges), environment())
  for (name in names(gmt_modes[[mode]])) {
    if (is.null(given[[name]])) given[[name]] <- gmt_modes[[mode]][[name]]
  }
  search <- Map(function(name, value, range) check_forest_number(name, value, range,
      name %in% c("minbucket", "sample")),
                names(gmt_ranges), given, gmt_ranges)
  own <- search[c("time_limit", "smoothing", "select", "conformal")]
  check_conformal(own$conformal)
  check_certify(search, mode)
  search$mode <- match(mode, names(gmt_modes)) - 1
  search$fitness <- match(fitness, c("bic", "weighted")) - 1
  structure(c(own, list(search = search[setdiff(names(search), names(own))],
                 factors = check_choice("factors", factors, c("few", "both", "split")),
                 missing = check_choice("missing", missing, c("indicator", "mean")),
                 threads = check_threads("threads", threads),
                 on_interrupt = check_choice("on_interrupt", on_interrupt, c("return", "error")),
                 verbose = if (!is.null(verbose)) check_flag("verbose", verbose),
                 progress = check_progress(progress), effort = search$effort)),
            class = "gmt_control")
}

# `control` is forced here, so that a wrong name in `...` is said to be one.
gmt_settings <- function(control, dots, both, seed, model) {
  unknown <- setdiff(names(dots), names(formals(gmt_control)))
  if (length(unknown) || length(names(dots)) < length(dots) || any(!nzchar(names(dots)))) {
    named <- unknown[nzchar(unknown)]
    what <- if (length(named)) show_names(named) else gettext("an argument without a name")
    stop_input("...",
        gettextf("unknown argument %s; see ?gmt and ?gmt_control for the arguments there are",
                 what))
  }
  if (both && length(dots)) {
    stop_input("control",
               gettextf("'control' is given, and %s besides; give all settings in one place",
                                   show_names(names(dots))))
  }
  if (!inherits(control, "gmt_control")) {
    stop_input("control", gettextf("'control' must be made by gmt_control(), not %s",
                                   show_value(control)))
  }
  control["seed"] <- list(check_forest_number("seed", seed,
                                              list(low = 0, high = 2^53, whole = TRUE), TRUE))
  control$model <- check_flag("model", model)
  control
}

# Defaults that depend on the data.
settle_gmt <- function(settings, design, roles) {
  n_columns <- length(design_names(design))
  if (is.null(settings$search$minbucket)) {
    settings$search$minbucket <- max(5, 2 * (n_columns + 1))
  }
  if (is.null(settings$search$sample)) {
    p <- n_columns + 2
    work <- max(1, length(roles$splitters)) * p * (p + 1) / 2
    settings$search$sample <- max(4000, min(20000, floor(4e6 / work)))
  }
  settings
}
