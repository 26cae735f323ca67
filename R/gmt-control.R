# Settings of gmt(): lowest value, highest, whether it is whole.

gmt_ranges <- list(
  max_leaves = list(low = 1, high = 250, whole = TRUE),
  depth = list(low = 0, high = 16, whole = TRUE),
  minbucket = list(low = 1, high = 2^31 - 1, whole = TRUE),
  min_n = list(low = 1, high = 2^31 - 1, whole = TRUE),
  complexity = list(low = 0, high = 1e100, whole = FALSE),
  bins = list(low = 2, high = 254, whole = TRUE),
  population = list(low = 2, high = 10000, whole = TRUE),
  alpha = list(low = 0, high = Inf, whole = FALSE),
  crossover = list(low = 0, high = 1, whole = FALSE),
  mutation = list(low = 0, high = 1, whole = FALSE),
  pressure = list(low = 1, high = 2, whole = FALSE),
  elite = list(low = 0, high = 10000, whole = TRUE),
  effort = list(low = 0, high = 1e6, whole = TRUE),
  patience = list(low = 0, high = Inf, whole = TRUE),
  max_rows = list(low = 0, high = Inf, whole = FALSE),
  sample = list(low = 100, high = 2^31 - 1, whole = TRUE),
  open_max = list(low = 1, high = Inf, whole = TRUE),
  smoothing = list(low = 0, high = 1e9, whole = FALSE),
  ridge = list(low = 0, high = 1e9, whole = FALSE),
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
#' @param max_leaves,depth Maximum number of leaves, from 1 to 250 (16 by default), and of
#'   splits between the root and a leaf, from 0 to 16 (6 by default, or the value of `certify`).
#' @param minbucket Minimum number of training rows in a leaf, at least 1. The default (`NULL`) is
#'   twice the number of coefficients of a model, and at least 5.
#' @param min_n Minimum number of training rows in a node that is split, at least 1; the default
#'   (`NULL`) and anything less is `2 * minbucket`.
#' @param complexity Factor of the penalty log(n) in BIC, at least 0; larger values give smaller
#'   trees. The default (`NULL`) is 1 with a guard against noise (see [gmt()]), or 0.7 with
#'   `shrink = TRUE` and up to 10,000 rows.
#' @param bins Number of bins of each predictor in which thresholds are first searched, from 2 to
#'   254; 64 by default. Bins that could contain the best threshold are then searched row by row.
#' @param search `"local"` (the default): the best tree is changed at random and searched again.
#'   `"memetic"`: a population of local optima, which are changed at random or take over a split or
#'   a subtree from each other. `"paper"`: evolution without local searches, see below.
#' @param population Number of trees that are kept, from 2 to 10,000; by default (`NULL`) 12 for
#'   `"memetic"` and 64 for `"paper"`.
#' @param fitness,alpha For `search = "paper"`: trees are ranked by `"bic"` (the default), or by
#'   `"weighted"`, `1 / (1 + SSE / n) - alpha * size` of the standardised response, larger being
#'   better.
#' @param crossover,mutation For `search = "paper"`: the probabilities that two trees are crossed,
#'   and that a tree is changed, in a generation, from 0 to 1; 0.2 and 0.8 by default.
#' @param pressure For `search = "paper"`: how often the best tree is expected to be selected, from
#'   1 (all trees equally likely) to 2; 1.7 by default. See below.
#' @param elite For `search = "paper"`: the number of trees that are never lost, at most
#'   `population`; 1 by default.
#' @param effort,patience The search ends after `effort` random changes, or after `patience`
#'   consecutive changes without improvement; `effort = 0` is a local search alone. The defaults
#'   (`NULL`) are 200 and 30, or 400 and 60 for `"memetic"`. For `search = "paper"` they count
#'   generations, 10,000 and 1,000.
#' @param max_rows The random changes end once this many rows have been examined, counting the rows
#'   of a node for each search of its split or change of it: a limit like `time_limit`, but the same
#'   on every machine. `Inf` by default.
#' @param sample If there are more rows than this, the random changes are evaluated on a sample of
#'   this size, at least 100. The default (`NULL`) is 20,000 for few predictors and down to 4,000
#'   for many: 4 million divided by the number of splitters times that of pairs of regressors.
#' @param open_max Maximum number of bins of a predictor (and parts of these) that are searched row
#'   by row at a node, 2 by default; the last local search has no such limit.
#' @param shrink `FALSE` (the default): those of `complexity`, `smoothing` and `ridge` that are not
#'   given are 1, 0 and 0, and the models of leaves are those of `lm()`. `TRUE`: trees are larger
#'   (`complexity`), and `smoothing`, `ridge` and `limits` are `"loo"`, so that coefficients are
#'   shrunk, and predictions limited, as far as leave-one-out errors say, see Shrinkage.
#' @param smoothing Number of rows that the model of each node borrows from that of its parent,
#'   which itself borrows from its own parent: a number of at least 0, or `"loo"`, a mean of models.
#'   The default (`NULL`) is up to `shrink`.
#' @param ridge Ridge penalty of the slopes at the root, in rows: a number of at least 0, or
#'   `"loo"`, a mean of models. The default (`NULL`) is up to `shrink`.
#' @param limits Are predictions for new rows limited to the ranges of the leaf? `"range"`, as
#'   [predict()][predict.gmt] describes; `"none"`, as with its `extrapolate = TRUE`; or `"loo"`,
#'   whichever has the lower leave-one-out error, see Shrinkage. The default (`NULL`) is `"loo"` for
#'   a tree without splits and with `shrink`, else `"range"`.
#' @param select Penalty for each coefficient in the backward selection of regressors in the models
#'   of single nodes, a number of at least 0; 0 (the default) does no selection, 2 is AIC (see
#'   Choice of regressors).
#' @param conformal Number of folds for `predict(interval = "conformal")`, at least 2, or 0 (the
#'   default) for none: for each fold one more tree is fitted, to the rows outside the fold, and
#'   kept.
#' @param factors Which factors are used in the models of the leaves, not only for splitting, if the
#'   formula has no `|` or `x` is given without `z`: `"few"` (the default), those of at most eight
#'   levels; `"both"`, all; or `"split"`, none. ([hist_forest()] has the name for how they are
#'   split, which has one way here.)
#' @param missing How the models of the leaves treat a missing value of a regressor: as the mean,
#'   with a coefficient for being missing (`"indicator"`, the default), or as the `"mean"` alone.
#'   (In [contree_control()] the name is of rows that are kept or not; here they always are.)
#' @param certify 2 or 3: a tree of that depth is proven optimal among all trees whose thresholds
#'   are bin edges; 0 (the default): no proof. See Proofs.
#' @param time_limit Seconds after which the search stops; `Inf` (the default) for no limit.
#' @param device Where `search = "paper"` computes: `"auto"` (the default) uses the first GPU if
#'   there is one and the search is long enough to benefit, else the CPU; `"cpu"` only the CPU;
#'   `"cuda"` the first GPU and `"cuda:1"` the second (see [contree_gpu()] for their numbers), which
#'   is an error if it cannot be used. The tree is the same. The other searches use the CPU only,
#'   and `"cuda"` is an error there. See GPUs.
#' @param threads,on_interrupt,verbose,progress As in [contree_control()].
#' @param ... `leaves_max` and `depth_max`, former names of `max_leaves` and `depth`, are taken with
#'   a message. Any other name is an error.
#' @return A list of class `gmt_control` with one element for each setting.
#' @section The search of the paper:
#' Jurczuk, Czajkowski and Kretowski (2022) evolve trees. Here the initial trees are grown from up
#' to 500 rows each (or a tenth of the data, if that is less), to random depths. In every generation
#' `population` trees are selected by linear ranking: the best one is expected `pressure` times, the
#' worst one `2 - pressure` times, the others evenly in between. The `elite` best trees so far
#' replace the worst ones if they were lost. For pairs of trees, with probability `crossover`, (X1)
#' a subtree is exchanged, (X2) a test, (X3) a branch below a split, or (X4, asymmetric) one gives a
#' subtree to the other: subtrees whose rows have a small mean squared error are preferred, and in
#' the other tree those with a large one are replaced. Then each tree, with probability `mutation`,
#' is mutated in a split or a leaf: (M1) a split gets a new test, (M2) another threshold, by a
#' number of ranks whose order of magnitude is random (for a factor, one level changes sides), (M3)
#' the test of its parent, which gets its own, (M4) it becomes a leaf or one of its branches, (M5) a
#' leaf is split, (M6) one or two regressors enter or leave the model of a leaf. Deep splits and
#' leaves with large errors are preferred, by linear ranking with pressure 1.7. New tests separate a
#' dipole: a random row of the node and another, drawn by the rank of its distance in the response
#' among up to 64 rows of the node.
#'
#' Leaves begin with all regressors, and the halves of a leaf with those it had. The size of a tree,
#' in both criteria, counts the coefficients that are used. [coef()][coef.gmt] and
#' [vcov()][coef.gmt] have `NA` for the others, as with `select`.
#'
#' There are two differences. With the signs of the formula as printed in the paper the weighted
#' fitness would be a loss; here a larger value is better. Thresholds move by all orders of
#' magnitude alike: drawn from the rows of the node, they would rarely come near the best one.
#' Nothing is `certified`.
#' @section GPUs:
#' In a generation of `search = "paper"` the rows of changed nodes are counted and the models of
#' their leaves fitted for all trees at a time, and rows are drawn from nodes. A GPU adds rows and
#' solves models in the order of the CPU, in double precision, so that fitness, tree and the course
#' of the search are the same to the last bit; selection and the changes themselves stay on the CPU.
#' If a GPU fails during a search, or its memory is too small for the data, `"auto"` continues
#' without it and says so. `fit$device` names the device that was used, and
#' `fit$gmt$device_answers` is the number of nodes it was asked about.
#' @section Proofs:
#' With `certify = 2` or `3`, which then is `depth`, the search covers all trees of up to that
#' depth whose thresholds are bin edges: at most `bins` bins of each predictor, with about equally
#' many training rows each. Factors are split into all sets of levels (at most 8 levels), and at
#' each split the rows with a missing value may go to either side. Leaves have at least `minbucket`
#' rows, and splits at least `min_n`. The objective is that of the last local search, deviance +
#' `lambda` * size, at the `lambda` of the fit (the size is the number of splits and of coefficients
#' that are not aliased); BIC itself is not covered by the proof, since it is not a sum over leaves.
#' If a better tree is found, it replaces the fit, its thresholds are searched row by row like any
#' other's, and the proof is repeated at the new `lambda`.
#'
#' The fit then has `gmt$optimum`, a list of `status` (`"optimal"`: no tree over bins is better than
#' the fit, whose own thresholds need not be bin edges; `"stopped"`: `time_limit` or Ctrl-C came
#' first; `"bound"`: the fit was replaced repeatedly, and the proof does not refer to the final
#' one), `depth`, `bins`, `cost` (deviance + `lambda` * size of the fit), `bound` (no tree over bins
#' costs less), `gap` (the relative optimality gap: the largest proportion of the cost that a better
#' tree could save; 0 means none except for rounding, 1 in 10^9), `lambda`, `solved` (number of
#' problems of depth two), `touched` (their rows) and `elapsed` (seconds).
#'
#' At depth two the proof takes, for each pair of predictors, one pass over the rows and, for each
#' pair of thresholds, the models of the four parts: about a second for a million rows and 10
#' predictors. At depth three this is repeated for both sides of the thresholds of the root, most of
#' which are excluded by bounds from neighbouring thresholds: the residual sum of squares of a set
#' of rows is no larger than that of a larger set. The computations are in double precision, from
#' sums of squares and products, and are less reliable if coefficients are nearly aliased. The trees
#' for `conformal` are not proven.
#' @section Shrinkage:
#' With `smoothing` tau the model of a node is computed from its own sums of squares and products
#' plus those of its parent (smoothed as well), scaled to the weight of tau rows: its coefficients
#' are pulled towards those of the parent, for which M5 averages the predictions along the path to a
#' leaf. Smoothing does not change the splits. With `ridge` the model of the root minimises the
#' residual sum of squares plus `ridge` (times the mean weight) times the sum of the squared
#' coefficients, each multiplied by the variance of its column, without the intercept; what other
#' nodes borrow by `smoothing` includes the penalty.
#'
#' With `"loo"` the leave-one-out errors of all combinations of `smoothing` (0, 3, 10, 30, 100),
#' `ridge` (0, 0.3, 1, 3, 10, 30) and `limits` are computed; those of the three that are given stay.
#' An error is the (weighted) mean squared error of the training rows by the models, and the ranges,
#' of all other rows, for the splits of the tree, and counts twice where `smoothing` or `ridge` is
#' 0, since the splits were searched with the row. The coefficients are the means of those of the
#' combinations, with weights proportional to `error^(-n / 10)`; there are limits unless the least
#' error without them is lower by 2 %, or lower at all where the tree has no splits and nothing but
#' the limits is chosen. `gmt$settings` of the fit has the limits and the means of
#' `smoothing` and `ridge`, and as `loo` a data frame of the errors and weights; weights below a
#' thousandth of the largest are 0. Of more than 2,000 rows the errors of 2,000 are used, evenly
#' spaced in the data; with more than 10,000 rows `"loo"` stands for 0, 0 and `"range"`. [gmt_cv()]
#' chooses `smoothing` with the complexity, by trees that have not seen the rows.
#'
#' Shrinkage helps most if rows are few for their columns or leaves are small: on 31 public data
#' sets `shrink = TRUE` lowered the root mean squared error of held-out rows by 5 % (geometric
#' mean). [coef()][coef.gmt] and the exports have the shrunk models, which predict. The summary of a
#' node, its covariances and intervals use the coefficients and errors of these models, but the
#' standard errors of least squares on the rows of the node: for inference on a leaf do not shrink.
#' @section Choice of regressors:
#' With `select` k the model of a node is the result of `step(lm(...), direction = "backward", k =
#' k)` on its rows: as long as this lowers `n log(RSS / n) + k * rank`, the regressor whose removal
#' lowers it most is removed, a factor with all its contrasts, and a predictor with missing values
#' with its indicator. [coef()][coef.gmt] and [vcov()][coef.gmt] have `NA` for what was removed; the
#' summary of a node omits it, as that of `step()` does. The splits are those of models with all
#' regressors. Equations become shorter; on 31 public data sets the predictions were neither better
#' nor worse on average.
#' @section Errors:
#' `contree_input_error` for a value out of its range; the message names the setting.
#' @examples
#' # three leaves without the limit
#' gmt(uptake ~ conc + Type | conc + Treatment, CO2, control = gmt_control(max_leaves = 2),
#'     seed = 1)
#' @export
gmt_control <- function(max_leaves = 16, depth = if (certify > 0) certify else 6,
                        minbucket = NULL, min_n = NULL, complexity = NULL, bins = 64,
                        search = c("local", "memetic", "paper"), population = NULL,
                        fitness = c("bic", "weighted"), alpha = 1e-4, crossover = 0.2,
                        mutation = 0.8, pressure = 1.7, elite = 1, effort = NULL,
                        patience = NULL, max_rows = Inf, sample = NULL, open_max = 2,
                        shrink = FALSE, smoothing = NULL, ridge = NULL, limits = NULL,
                        select = 0, conformal = 0,
                        factors = c("few", "both", "split"), missing = c("indicator", "mean"),
                        certify = 0, time_limit = Inf, device = c("auto", "cpu", "cuda"),
                        threads = NULL, on_interrupt = c("return", "error"), verbose = NULL,
                        progress = NULL, ...) {
  if (...length()) {
    return(made_by_names_now(gmt_control, match.call(), parent.frame(), gmt_help()))
  }
  typed <- mget(as.character(names(match.call())[-1]), environment())
  mode <- check_choice("search", search, names(gmt_modes))
  certify <- check_forest_number("certify", certify, gmt_ranges$certify, FALSE)
  fitness <- check_choice("fitness", fitness)
  device <- check_gmt_device(check_device(device), mode)
  given <- mget(names(gmt_ranges), environment())
  unasked <- if (check_flag("shrink", shrink)) shrink_settings else plain_settings
  for (name in c("smoothing", "ridge")) {
    if (is.null(given[[name]])) given[[name]] <- unasked[[name]]
  }
  for (name in names(gmt_modes[[mode]])) {
    if (is.null(given[[name]])) given[[name]] <- gmt_modes[[mode]][[name]]
  }
  search <- Map(function(name, value, range) {
    if (name %in% names(loo_grid) && identical(value, "loo")) return(value)
    check_forest_number(name, value, range,
                        name %in% c("minbucket", "min_n", "sample", "complexity"))
  }, names(gmt_ranges), given, gmt_ranges)
  own <- search[c("time_limit", "smoothing", "ridge", "select", "conformal")]
  check_conformal(own$conformal)
  check_certify(search, mode)
  if (mode == "paper") check_elite(search)
  search$mode <- match(mode, names(gmt_modes)) - 1
  search$fitness <- match(fitness, c("bic", "weighted")) - 1
  structure(c(own, list(search = search[setdiff(names(search), names(own))],
                 limits = if (is.null(limits)) unasked$limits
                          else check_choice("limits", limits, c("range", "loo", "none")),
                 shrink = shrink,
                 factors = check_choice("factors", factors),
                 missing = check_choice("missing", missing),
                 device = device,
                 threads = check_threads("threads", threads),
                 on_interrupt = check_choice("on_interrupt", on_interrupt),
                 verbose = if (!is.null(verbose)) check_flag("verbose", verbose),
                 progress = check_progress(progress), effort = search$effort)),
            class = "gmt_control", typed = typed)
}

check_elite <- function(search) {
  if (search$elite <= search$population) return(invisible())
  stop_input("elite", gettextf(paste(
    "'elite' is %.0f, but there are %.0f trees in all; use an 'elite' of at most %.0f, or a larger",
    "'population'"), search$elite, search$population, search$population))
}

# A GPU that is asked for must be of use. Local searches are over before one is set up: of a million
# rows they take a second, most of it on one thread.
check_gmt_device <- function(device, mode) {
  if (mode == "paper" || device %in% c("auto", "cpu")) return(device)
  stop_unsupported("device", gettextf(paste(
    "'device' is \"%s\", but search = \"%s\" runs on the CPU only;",
    "use device = \"auto\" or \"cpu\", or search = \"paper\""), device, mode))
}

gmt_help <- function() gettext("?gmt and ?gmt_control for all arguments")

# `control` is forced here, so that a wrong name in `...` is said to be one. `both`: it was given,
# and settings in `...` win over it.
gmt_settings <- function(control, dots, both, seed, model) {
  if (both) { # else gmt_control() reads them
    known <- setdiff(names(formals(gmt_control)), "...")
    dots <- names_now(dots, known)
    check_names(names_of_dots(dots), known, gmt_help())
    typed <- if (inherits(control, "gmt_control")) attr(control, "typed") else control
    if (length(dots) || !inherits(control, "gmt_control")) {
      control <- do.call(gmt_control, given_over_control(dots, typed, gmt_control), quote = TRUE)
    }
  }
  control["seed"] <- list(check_seed(seed))
  control$model <- check_flag("model", model)
  control
}

# Defaults that depend on the data.
settle_gmt <- function(settings, design, roles, n_rows) {
  n_columns <- length(design_names(design))
  if (is.null(settings$search$complexity)) {
    shrunk <- settings$shrink && n_rows <= loo_rows_max
    settings$search$complexity <- (if (shrunk) shrink_settings else plain_settings)$complexity
  }
  if (is.null(settings$search$minbucket)) {
    settings$search$minbucket <- max(5, 2 * (n_columns + 1))
  }
  settings$search$min_n <- min(max(settings$search$min_n, 2 * settings$search$minbucket),
                               gmt_ranges$min_n$high)
  if (is.null(settings$search$sample)) {
    p <- n_columns + 2
    work <- max(1, length(roles$splitters)) * p * (p + 1) / 2
    settings$search$sample <- max(4000, min(20000, floor(4e6 / work)))
  }
  settings
}
