# Random forests grown from histograms: hist_forest(), from the data to the fit. The growing is in C
# (src/forest); here are arguments, columns, and what is kept.

#' Random forests grown from integer histograms
#'
#' Grows a random forest of classification or regression trees: predictors are converted to integer
#' codes once, and splits are found from histograms of these codes, level by level, as in Sharp
#' (2008). On large data this is many times as fast as other packages; see the sections on speed and
#' accuracy.
#'
#' @section Algorithm:
#' Every tree is grown from a sample of the rows. At each node `mtry` predictors are drawn, all cuts
#' of each are evaluated, and the best is taken; nodes are split until they are pure or until
#' `depth` or `min_n` stops it. A numeric response gives regression trees, split by variance; any
#' other gives classification trees. As in the package `ranger` with `probability = TRUE`, the
#' predicted probability of a class is the mean of its proportions in the leaves.
#'
#' A forest depends only on the data, the arguments and the seed: it is the same, bit for bit, for
#' any number of threads, any set of vector instructions and on any device. Counts are integers, and
#' the random numbers of a node are a function of the seed, the number of the tree and the path to
#' the node.
#'
#' @section Codes:
#' For a predictor with at most 65,534 distinct values the codes lose no information: the code of a
#' value is its rank. A predictor with more values gets 65,534 codes of about equally many rows;
#' `bins` limits their number. Nodes with at most 64 distinct rows (and 255 rows counting
#' repetitions) evaluate all cuts between these codes. Larger nodes evaluate the borders of bins: up
#' to 512 rows of 38 to 62 bins over the node's own range of codes; above that of at most 255 bins
#' of the data. Bins are narrow at both ends of a predictor and wide between: the best cut of a
#' predictor that says little is most often near an end (Ishwaran 2015).
#'
#' @section Numeric responses:
#' Splits are found from the response rounded to integers of 24 to 31 bits, which costs no value
#' more than a millionth of what responses typically deviate: the median distance from their median
#' (of those not equal to it). Where some are about a thousand times as far, each node rounds to the
#' range of its own rows, so that such outliers take nothing from the other rows; the forest then
#' takes up to 1.2 times as long, and grows on the CPU. Leaves predict means of the responses as
#' they are, or of amounts over exposures.
#'
#' @section Survival:
#' With a response of `survival::Surv(time, status)`, censored on the right, nodes are split by
#' log-rank scores: the event of a row (1 or 0) less the Nelson-Aalen estimate of the node's
#' cumulative hazard at its time. Their sum on one side of a cut is the numerator of the log-rank
#' test between the sides, and the best cut is that with the largest statistic with the variance of
#' permutations (Hothorn, Lausen 2003), where `ranger` uses the hypergeometric variance; both choose
#' about the same cuts. Leaves keep their rows, see [predict.hist_forest()] for curves, quantiles
#' and mortality. `oob$predictions` are mortalities, and `oob$error` is one minus Harrell's
#' concordance, as in `ranger`; [forest_brier()] computes the Brier score. `min_n` is 30 by default:
#' on four data sets of 168 to 2,982 rows concordance and integrated Brier score were then within
#' 0.005 of the better of those of `ranger` with nodes of 3 and 15. Other kinds of censoring,
#' permutation importance, [forest_curve()], models of single trees and [import_forest()] are
#' refused.
#'
#' @section Rates:
#' With `exposure`, or `family = "poisson"`, the response is an amount, such as a number of events,
#' over an exposure, such as the time in which they were counted, and the forest predicts rates: the
#' sum of amounts by that of exposures in a leaf. Cuts are best by squared errors of rates, each
#' weighted by its exposure. Without it a row of a week would say as much as one of a year: on
#' simulated insurance policies this weighting was all of the gain, and a deviance in place of
#' squared errors changed nothing. With `family = "poisson"` leaves have one event more, over the
#' exposure for it at the rate of all rows, as in `rpart` (`shrink = 1`), so that no rate is 0; and
#' `oob$deviance` is the mean Poisson deviance. `oob$predictions` are rates, `oob$error` is their
#' squared error weighted by exposure. Multiply a prediction by an exposure for an expected amount.
#' `min_n` is 100 by default: rates of rare events need many rows; with fewer rows than that there
#' is a warning of class `contree_unsplit`, since no tree has a split. Permutation importance,
#' quantiles, conformal intervals, [forest_curve()], [contree_accuracy()] and [contree_cv()] are
#' refused; exposures may not differ by more than a factor of 1e8.
#'
#' @section Predictors:
#' Numbers, logicals, dates, times and ordered factors are split by a threshold; values *less than*
#' it go left. Other factors, and character vectors, of at most six levels are split by subsets: a
#' node tries all ways to send its levels left and right (one at random with `splitrule =
#' "random"`), and levels without rows in the node go to the larger child. With more than six
#' levels, with `factors = "order"` and with a learner, the levels are first ordered, once for the
#' whole forest: by the mean of a numeric response; by the proportion of the second of two classes;
#' else by the first principal component of the class proportions, as `ranger` does with
#' `respect.unordered.factors = "order"`. Rows count as much as they are likely to be sampled.
#' Missing values are allowed: each split tries them on either side; if a node had none, new ones go
#' to the larger child. New levels of a factor count as missing.
#'
#' @section Names known from ranger:
#' `num.trees`, `min.node.size`, `max.depth`, `sample.fraction`, `case.weights`, `num.threads`,
#' `quantreg`, `local.importance`, `always.split.variables`, `split.select.weights`, `min.bucket`
#' and `respect.unordered.factors` (`"order"` or `"partition"`) are accepted for `trees`, `min_n`,
#' `depth`, `sample_fraction`, `weights`, `threads`, `quantiles`, `local_importance`, `always`,
#' `select_weights`, `minbucket` and `factors`; `holdout` and `inbag` are named alike, as is
#' `honesty` in `grf`, whose `honesty.fraction` is accepted as well. Meanings and defaults are those
#' of `ranger`, except that nodes are split down to `min_n` for probabilities too, and that missing
#' values are accepted. `ranger` does not split nodes of `min.node.size` rows, so `min.node.size =
#' 5` is `min_n = 6`; its `max.depth = 0` is no limit, `depth = 0` here trees of a single leaf.
#'
#' @section Stopping early:
#' After Ctrl-C, or at the `time_limit` or `memory_limit`, the trees completed so far are returned
#' with a warning of class `contree_interrupted`, `contree_timeout` or `contree_memory`, and
#' `contree_stopped` in all three cases. With `on_interrupt = "error"` Ctrl-C is an error of class
#' `contree_interrupted_error`. If no tree is complete, Ctrl-C always is that error, and the limits
#' are an error of class `contree_input_error`.
#'
#' @section Speed:
#' On one core with AVX-512 fitting 100 trees was 87 times as fast as `ranger` with 100,000 rows
#' and 28 predictors, and 9 to 37 times on public data sets of 5,000 to 20,000; predicting was 5 to
#' 22 times as fast. On smaller tables whole calls with a formula took less processor time than
#' those of `ranger` with one thread: with two classes by a factor of 24 with 7,000 rows, 8 with
#' 1,000 and 4 with 300; for a numeric response of 9, 5 and 3. On 30 to 150 rows most of a call is
#' what R itself does: 1 to 2 times as fast. The codes take 3 bytes for each value of the data (5.5
#' with more than 1,024 rows), and each thread about 40 bytes per row.
#'
#' @section Accuracy:
#' On public data sets of 600 to 15,000 rows and on simulated ones of 10,000 to 100,000 rows the
#' area under the ROC curve (R squared for a numeric response) of 100 trees differed from that of
#' `ranger` by no more than the variation between seeds: by less than 0.001 in the mean of ten to
#' 100 splits of each set. With 100,000 rows and only 10 trees it was 0.002 lower.
#'
#' @param formula,data,subset,na.action As in [contree()].
#' @param x Predictors: a data frame, or a numeric or logical matrix, with a row for each
#'   observation.
#' @param y Response, one value for each row of `x`: a factor, character or logical vector for
#'   classification, a numeric vector for regression, a `Surv` object for survival.
#' @param trees Number of trees, a whole number of at least 1; 500 by default.
#' @param mtry Number of predictors tried at each node, from 1 to all of them; by default (`NULL`)
#'   the square root of their number, rounded down.
#' @param depth Maximum number of splits between the root and a leaf; `Inf` (the default) for no
#'   limit.
#' @param min_n Least number of sampled rows, counting repetitions, of a node that is split; by
#'   default (`NULL`) 2 for classes, 6 for a numeric response, 10 with `quantiles`, 30 for
#'   survival, and 100 for rates.
#' @param sample_fraction Number of rows sampled for each tree, as a proportion of all rows: above
#'   0, and at most 1 without replacement. The default (`NULL`) is 1 with and 0.632 without
#'   replacement.
#' @param replace Sample with replacement? `TRUE` by default.
#' @param weights Sampling weights of the rows (`case.weights` in `ranger`), a numeric vector of
#'   values of at least 0, which needs `replace = TRUE`. In the formula method, an expression in the
#'   columns of `data`. By default all rows are equally likely to be sampled.
#' @param class_weights Sampling weights of the rows of each class: a numeric vector in the order of
#'   the levels or with their names, or `"balanced"` for equally many of each class; `NULL`, the
#'   default, for none.
#' @param splitrule For classes: `"gini"` (the default), `"entropy"` (1.5 to 2 times the time; its
#'   probabilities are often a little better, on one data set with a log-loss of 0.086, where that
#'   of `"gini"` was 0.140), `"error"` (misclassification
#'   error), or `"random"`: one cut of each predictor, drawn at random among the codes of the node's
#'   rows, like `"extratrees"` in `ranger`. For a numeric response only the default, variance, and
#'   `"random"` are available; for survival the default, `"logrank"`, and `"random"`.
#' @param pool When candidate predictors are drawn: at each `"node"` (the default), or once for all
#'   nodes of one depth of a tree (`"level"`), as in Sharp (2008).
#' @param learner A function that chooses the splits instead of `splitrule`, see [hist_learner()];
#'   for classes only. `NULL`, the default, for none. It implies `pool = "level"` and one thread.
#' @param factors How unordered factors, and character vectors, are split: by `"subsets"` (or
#'   `"partition"`) of their levels if there are at most six (the default), or by the `"order"` of
#'   the levels.
#' @param bins Maximum number of codes of a predictor, a whole number from 2 to 65,534 (the
#'   default).
#' @param importance `"impurity"` (the default): the decrease of the Gini impurity (or variance) by
#'   the splits on a predictor, summed over the forest. `"permutation"`: also how much worse the
#'   trees predict their out-of-bag rows after the predictor is permuted among these rows.
#'   `"corrected"` (`"impurity_corrected"` in `ranger`): also the decrease by the predictor less
#'   that by its twin, the same values with the rows shuffled, in a second forest, which tries both
#'   and is then dropped. It is about 0 for a predictor that says nothing, however many values it
#'   has, and takes another 0.7 to 1 times the time. `"none"`: none of these. See
#'   [forest_p_values()].
#' @param local_importance With `importance = "permutation"`, keep how much worse each row is
#'   predicted (wrong or not, or the squared error) after each predictor is permuted, in the mean of
#'   the trees that it is out of bag for: `fit$local_importance`, a matrix with a row a row and a
#'   column a predictor? `FALSE` by default. (`ranger` divides by all trees.) It takes 16 bytes for
#'   each value; numeric responses with outliers, see below, are refused, and the forest is grown on
#'   the CPU.
#' @param oob Compute out-of-bag predictions, of each row by the trees that were not grown from it?
#'   `TRUE` by default. For classes they take up to 40 bytes for each row and class; where that is
#'   more than 8.6 GB, or than a finite `memory_limit` of at least 1.1 GB, they are an error, before
#'   anything is allocated. The same holds for permutation importance.
#' @param keep_inbag Keep a matrix of how often each row (rows) was sampled for each tree (columns)?
#'   `FALSE` by default.
#' @param always Names of predictors that each node tries besides the `mtry` that are drawn among
#'   the others, a character vector; `NULL`, the default, for none.
#' @param select_weights How likely each predictor is drawn, a numeric vector in the order of the
#'   predictors or with their names, of values of at least 0; those of 0 are never drawn. `NULL`,
#'   the default: all alike. One vector for all trees.
#' @param monotone Predictors that predictions must rise or fall with, if they change at all: 1 or
#'   -1 with the names of predictors, as in `c(age = 1, price = -1)`, or 1, -1 or 0 for each
#'   predictor (`monotone_constraints` in `xgboost`); `NULL`, the default, for none. It holds for
#'   numeric responses, and the probability of the second of two classes: of any two rows that
#'   differ in such a predictor alone and do not lack it (as with a new level), in every tree and in
#'   the forest. Splits that part the wrong way, and such as would let a child cross what lies on
#'   the other side of a split above, are not made, so that forests are rougher, and often less
#'   exact, even where the truth is monotone. Unordered factors are refused, and so are survival,
#'   rates, quantiles, honest trees, learners, corrected importance and responses with outliers, see
#'   below. Such forests are grown on the CPU and take longer.
#' @param minbucket Least number of sampled rows in a leaf, counting repetitions: cuts that leave
#'   fewer on a side are not made. 1 by default.
#' @param holdout Are only rows with a sampling weight of 0 out of bag: those that no tree is grown
#'   from? They alone have out-of-bag predictions then, and error and permutation importance are
#'   theirs. `FALSE` by default.
#' @param inbag How often each row is in each tree, instead of samples that are drawn: a list of
#'   integer vectors, one a tree, or a matrix with a column a tree. `fit$inbag` then has it. `NULL`,
#'   the default, for none.
#' @param honesty Honest trees, as in the package `grf`: one part of the rows in a tree's sample
#'   chooses its splits, and what its leaves say is of the others, so that no row tells a leaf what
#'   it also chose the leaf for? `FALSE` by default. A split that has none of the others on a side
#'   is taken out, and its other side takes its place, so that every leaf has rows. `min_n` and
#'   `minbucket` are about the rows that choose, and so is impurity importance. Honest trees are
#'   smaller, and most often predict somewhat worse; they are for standard errors (`se`), weights
#'   and quantiles.
#' @param honesty_fraction With `honesty`, the proportion of a tree's different rows that choose its
#'   splits, a number above 0 and below 1; 0.5 by default. At least one row is in each part.
#' @param exposure What each response was counted over, finite numbers above 0, see Rates; in the
#'   formula method, an expression in the columns of `data`. `NULL`, the default, for none. With
#'   `family = "poisson"` a formula may have it as an `offset(log(exposure))` instead. Predictions
#'   are rates all the same, and need no exposure.
#' @param family `"gaussian"` (the default), or `"poisson"` for counts, see Rates.
#' @param quantiles Keep the training rows of each leaf, so that [predict()][predict.hist_forest]
#'   can give quantiles and weights (`quantreg` in `ranger`)? `FALSE` by default. For a numeric
#'   response and at most 16,777,216 rows. It takes 4 bytes for each row of each tree's sample, and
#'   grows on the CPU.
#' @param seed Seed of the random numbers, a whole number from 0 to 2^53. By default it is drawn
#'   from R's generator, so that [set.seed()] makes the result reproducible.
#' @param first Number of the first tree, 1 by default. Forests from the same data with the same
#'   seed and consecutive tree numbers can be combined by [c()][c.hist_forest]; the result is the
#'   forest grown at once.
#' @param threads As in [contree_control()]; by default (`NULL`) one thread where the forest takes
#'   less than about 30 milliseconds.
#' @param workers `TRUE` grows parts of the forest on the workers of the package `future`, as set by
#'   its [plan()][future::plan], on one thread each unless `threads` says more. The forest is the
#'   one that a single process grows, bit for bit. What a lost worker was growing is grown by
#'   others; the data are sent as for [contree()], see `workers` in [contree_control()]. `FALSE`,
#'   the default, grows in this process. After Ctrl-C the parts that are done are returned; workers
#'   that see the folder of the data end within a second.
#' @param time_limit Seconds after which growing stops; `Inf` (the default) for no limit.
#' @param memory_limit Bytes that growing may take besides the data in R, as in
#'   [contree_control()]; `Inf` (the default) for no limit. With `workers`, of each worker. Under a
#'   limit of less than twice what the coded data take, they are kept by column alone, not by row as
#'   well, and trees take a little longer.
#' @param on_interrupt,verbose,progress As in [contree_control()].
#' @param device Where the trees grow: `"auto"` (the default) uses the first GPU if there is one and
#'   the forest is large enough to benefit, else the CPU; `"cpu"` only the CPU; `"cuda"` the first
#'   GPU and `"cuda:1"` the second (see [contree_gpu()] for their numbers), which is an error if it
#'   cannot be used. The forest is the same, bit for bit. With a `learner`, `workers` or
#'   `quantiles`, for survival, with more than 256 classes, 1,024 candidates at a node or 67 million
#'   sampled rows, with outliers in a numeric response, and with `always`, `select_weights`,
#'   `monotone`, `minbucket`, `holdout`, `inbag`, `honesty` or `exposure`, forests are grown on the
#'   CPU. Permutation importance is computed on the CPU. If a GPU fails, or its memory is too small,
#'   `"auto"` grows the forest on the CPU and says so. `fit$device` names the device that was used.
#' @param control Settings that are needed less often, as made by `hist_forest_control()`, or a
#'   named list of them; by default made from `...`. Those that `ranger` users set most are
#'   arguments of `hist_forest()` itself.
#' @param ... For `hist_forest()`: arguments of `hist_forest_control()`, each of which takes
#'   precedence over the same setting in `control`, and arguments under the names of `ranger` listed
#'   above. `min_bucket`, the former name of `minbucket`, is taken with a message by both functions.
#'   Any other name is an error.
#'
#' @return An object of class `hist_forest` and `contree_ensemble` (the class of all ensembles of
#'   this package), a list with
#'   * `type`, `"classification"`, `"regression"` or `"survival"`, and `classes`, the levels of the
#'     response;
#'   * `forest`, the trees in compact form; [forest_tree()] returns a readable one;
#'   * `oob`, a list (`NULL` without `oob`): `predictions` (a matrix of probabilities, or numbers;
#'     `NaN` for rows that were sampled for all trees), `class` (a factor, for classes), `error`
#'     (proportion of misclassified rows, or mean squared error), `brier` (for classes: mean sum of
#'     squared differences from the probabilities) or `r_squared` (for a numeric response), `trees`
#'     (number of trees for which each row is out of bag);
#'   * `importance`, a data frame with a row for each predictor, or `NULL`;
#'   * `status` (`"complete"`, or why growing stopped), `elapsed` (seconds), `device` (`"cpu"` or
#'     `"cuda:0"`), `hash` (a string that tells the training data apart), `seed`, `n` (number of
#'     training rows), `call`, `terms`, `na.action` and what prediction needs.
#'
#'   `hist_forest_control()` returns a list of class `hist_forest_control`, with an element for each
#'   setting.
#' @section Errors:
#' As for [contree()]. More than 65,535 classes (256 with a `learner`) or 65,534 predictors, and
#' numeric responses beyond 1e100 or that differ by less than 1e-100, are an error of class
#' `contree_input_error`.
#' @references T. Sharp (2008). Implementing decision trees and forests on a GPU. *ECCV 2008*, LNCS
#'   5305, 595-608. \doi{10.1007/978-3-540-88693-8_44}.
#'
#' L. Breiman (2001). Random forests. *Machine Learning* 45(1), 5-32. \doi{10.1023/A:1010933404324}.
#'
#' M. Wright, A. Ziegler (2017). ranger: a fast implementation of random forests for high
#' dimensional data in C++ and R. *Journal of Statistical Software* 77(1).
#' \doi{10.18637/jss.v077.i01}.
#'
#' H. Ishwaran (2015). The effect of splitting on random forests. *Machine Learning* 99, 75-118.
#' \doi{10.1007/s10994-014-5451-2}.
#'
#' T. Hothorn, B. Lausen (2003). On the exact distribution of maximally selected rank statistics.
#' *Computational Statistics & Data Analysis* 43, 121-137.
#'
#' S. Wager, S. Athey (2018). Estimation and inference of heterogeneous treatment effects using
#' random forests. *Journal of the American Statistical Association* 113, 1228-1242.
#' \doi{10.1080/01621459.2017.1319839}, for `honesty`.
#'
#' S. Nembrini, I. Koenig, M. Wright (2018). The revival of the Gini importance? *Bioinformatics*
#' 34, 3711-3718. \doi{10.1093/bioinformatics/bty373}, for `importance = "corrected"`.
#'
#' P. Geurts, D. Ernst, L. Wehenkel (2006). Extremely randomized trees. *Machine Learning* 63, 3-42.
#' \doi{10.1007/s10994-006-6226-1}, for `splitrule = "random"`.
#' @seealso [predict.hist_forest()], [forest_tree()], [forest_p_values()].
#' @examples
#' set.seed(1)
#' fit <- hist_forest(Species ~ ., iris, trees = 100, importance = "permutation")
#' fit
#' fit$importance
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#'
#' # numeric response
#' hist_forest(mpg ~ ., mtcars, trees = 50)
#'
#' # rates: claims by holders
#' if (requireNamespace("MASS", quietly = TRUE)) {
#'   hist_forest(Claims ~ District + Group + Age, MASS::Insurance, exposure = Holders,
#'               family = "poisson", trees = 50, min_n = 5)
#' }
#'
#' # grown in two parts
#' half <- hist_forest(Species ~ ., iris, trees = 50, seed = 7)
#' rest <- hist_forest(Species ~ ., iris, trees = 50, seed = 7, first = 51)
#' c(half, rest)
#'
#' # settings, directly and for several forests
#' hist_forest(mpg ~ ., mtcars, trees = 50, minbucket = 5, seed = 1)
#' careful <- hist_forest_control(minbucket = 5)
#' hist_forest(mpg ~ ., mtcars, trees = 50, control = careful, seed = 1)
#' @export
hist_forest <- function(x, ...) UseMethod("hist_forest")

#' @rdname hist_forest
#' @export
hist_forest.formula <- function(formula, data, weights, subset, na.action, trees = 500, mtry = NULL,
                                depth = Inf, min_n = NULL, sample_fraction = NULL, replace = TRUE,
                                class_weights = NULL,
                                splitrule = c("gini", "entropy", "error", "random"),
                                importance = c("impurity", "permutation", "corrected", "none"),
                                exposure = NULL, family = c("gaussian", "poisson"),
                                quantiles = FALSE, seed = NULL, ...,
                                control = hist_forest_control(...)) {
  call <- plain_call(match.call(), sys.call(-1), "hist_forest", formula)
  given <- ranger_names(list(...), names(match.call())[-1])
  settings <- forest_settings(environment(), given, if (!missing(control)) control)
  env <- environment(formula)
  if (missing(data)) data <- NULL
  offset <- offset_of(formula, settings, !missing(exposure))
  if (!is.null(offset)) formula <- without_exposure(formula)
  weights <- if (!missing(weights) && is_table(data)) {
    substitute(weights)
  } else if (!missing(weights)) {
    evaluate_argument("weights", substitute(weights), data, env)
  } else {
    given$weights
  }
  if (is_table(data)) {
    refuse_subset(!missing(subset))
    if (!missing(exposure) || !is.null(offset)) {
      stop_unsupported("exposure", gettext("'exposure' is not for tables of databases"))
    }
    frame <- table_frame(formula, data, weights,
                         missing_of_action(if (!missing(na.action)) na.action, "learn"))
    return(grow_hist_forest(frame, settings, call))
  }
  rows <- if (!missing(subset)) evaluate_argument("subset", substitute(subset), data, env)
  exposure <- if (!missing(exposure)) {
    evaluate_argument("exposure", substitute(exposure), data, env)
  } else if (!is.null(offset)) {
    evaluate_argument("exposure", offset, data, env)
  }
  frame <- read_data(formula, data, rows, if (!missing(na.action)) na.action, env, "learn", weights,
                     read_forest_response, exposure = exposure)
  grow_hist_forest(frame, settings, call)
}

#' @rdname hist_forest
#' @export
hist_forest.default <- function(x, y, weights = NULL, trees = 500, mtry = NULL, depth = Inf,
                                min_n = NULL, sample_fraction = NULL, replace = TRUE,
                                class_weights = NULL,
                                splitrule = c("gini", "entropy", "error", "random"),
                                importance = c("impurity", "permutation", "corrected", "none"),
                                exposure = NULL, family = c("gaussian", "poisson"),
                                quantiles = FALSE, seed = NULL, ...,
                                control = hist_forest_control(...)) {
  if ((!missing(y) && inherits(y, "formula")) || "formula" %in% ...names()) {
    return(eval(formula_call(sys.call(), hist_forest.formula), parent.frame()))
  }
  call <- plain_call(match.call(), sys.call(-1), "hist_forest")
  given <- ranger_names(list(...), names(match.call())[-1])
  settings <- forest_settings(environment(), given, if (!missing(control)) control)
  check_both_given(x, y)
  if (is.null(weights)) weights <- given$weights
  frame <- read_xy(x, y, "learn", weights, read_forest_response, exposure)
  grow_hist_forest(frame, settings, call)
}

# ---- from the frame to the fit -------------------------------------------------------------------

grow_hist_forest <- function(frame, settings, call) {
  if (is.numeric(frame$response) && !is_survival(frame) && is.null(frame$exposure) &&
        settings$family == "gaussian") tell_zero_one(frame)
  frame <- with_exposure(frame, settings)
  settings <- settle_forest(settings, frame)
  orders <- level_orders(scored_frame(frame, settings$sampling))
  grown <- run_growth(frame, orders, settings)
  if (length(grown$forest$number) == 0) refuse_empty_forest(grown, settings)
  fit <- new_hist_forest(grown, frame, orders, settings, call)
  warn_if_forest_stopped(fit)
  fit
}

# By whose response and weights levels are ordered.
scored_frame <- function(frame, sampling = NULL) {
  frame["weights"] <- list(sampling)
  if (is_survival(frame)) return(with_scores(frame))
  if (is.null(exposure_of(frame$response))) frame else with_rates(frame)
}

run_growth <- function(frame, orders, settings) {
  audience <- new_audience(settings, function(state) {
    growth_text("hist_forest", state, settings$trees)
  })
  on.exit(audience$end())
  report <- function(elapsed, trees) {
    audience$show(list(elapsed = elapsed, trees = trees, closed = trees / settings$trees))
  }
  if (!is.null(settings$learner)) {
    settings$learner <- checked_learner(settings$learner, levels(frame$response), frame$shape$names)
  }
  control <- growth_control(settings, if (audience$listens) report)
  control$sets <- columns_by_subsets(names(frame$types), orders, settings)
  draws <- draw_control(settings, frame$shape$names)
  control[names(draws)] <- draws
  control$mtry <- control$mtry + length(draws$always)
  y <- if (is_classes(frame)) as.integer(frame$response) else frame$response
  n_classes <- if (is_classes(frame)) nlevels(frame$response) else 0L
  data <- list(codes = forest_columns(frame$columns, orders), y = y, n_classes = n_classes)
  if (is_survival(frame)) {
    control <- control_of_survival(control, y)
    data$codes <- rows_of_columns(data$codes, survival_order(y))
    data$y <- sort(y)
  } else if (!is.null(exposure_of(y))) {
    control <- control_of_rates(control, y)
  } else if (settings$quantiles) {
    control$ranks <- places_in_order(y)
  }
  codes <- data$codes
  data$codes <- plain_codes(codes)
  make_room(frame)
  grow <- if (isTRUE(settings$workers)) grow_over_workers else grow_trees
  grown <- grow(data, control)
  if (settings$importance == "corrected") {
    grown <- grow_with_twins(grown, replace(data, "codes", list(codes)), control, grow)
  }
  if (is_survival(frame)) grown <- in_order_of_rows(grown, y)
  tell_without_gpu(gettext("the forest was grown without the GPU"), grown$device_note)
  if (grown$status == "interrupted" && settings$on_interrupt == "error") {
    stop_contree("interrupted", gettextf(
      "interrupted after %s s; with on_interrupt = \"return\" the trees so far are returned",
      format(signif(grown$elapsed, 2))), NULL)
  }
  grown
}

grow_trees <- function(data, control) {
  call_forest(.Call(ffi_hist_grow, data$codes, data$y, data$n_classes, control))
}

# What C could not do.
call_forest <- function(call) call_core(call, refuse_forest)

refuse_forest <- function(message, status) {
  stop_input("data", gettextf("the forest cannot be grown or used: %s", message))
}

growth_control <- function(settings, report) {
  list(ranks = NULL, survival = NULL, n_times = 0, # of those that know more of their rows
       always = integer(), select_weights = NULL, monotone = NULL, min_bucket = 1, holdout = 0L,
       inbag = NULL, honesty = 0, exposure = NULL, prior = 0,
       trees = settings$trees, first_tree = settings$first - 1, mtry = settings$mtry,
       depth = settings$depth, min_n = max(settings$min_n - 1, 1), sample = settings$sample,
       replace = as.integer(settings$replace), rule = settings$splitrule,
       pool_by_level = as.integer(settings$pool == "level"), learner = settings$learner,
       seed = settings$seed, threads = growth_threads(settings), simd = simd_wanted(),
       oob = as.integer(settings$oob || settings$importance == "permutation"),
       gains = as.integer(settings$importance != "none"),
       permutation = as.integer(settings$importance == "permutation"),
       local = as.integer(isTRUE(settings$local_importance)), bins = settings$bins,
       sampling = settings$sampling, time_limit = settings$time_limit,
       memory_limit = settings$memory_limit, device = settings$device, report = report)
}

growth_threads <- function(settings) {
  if (isTRUE(settings$workers) && is.null(settings$threads)) return(1L)
  threads_worth(settings$threads, settings$trees * settings$sample * settings$mtry)
}

# Where nobody asked for threads: a second one takes about 10 ms of processor time to begin and end,
# as long as one thread takes for half a million cells.
threads_worth <- function(threads, cells) {
  if (is.null(threads) && cells < 1e6) 1L else threads_to_use(threads)
}

# "hist_forest: 12 s, 37 of 500 trees, 150 s to go"
growth_text <- function(name, state, trees) {
  rest <- if (state$trees > 0) state$elapsed * (trees - state$trees) / state$trees else NA
  gettextf("%s: %.0f s, %.0f of %.0f trees, %s s left", name, state$elapsed, state$trees, trees,
           if (is.na(rest)) "?" else format(signif(rest, 2)))
}

new_hist_forest <- function(grown, frame, orders, settings, call) {
  kept <- c("trees", "mtry", "depth", "min_n", "replace", "sample", "splitrule", "pool", "learner",
            "factors", "bins", "first", "importance", "quantiles", "local_importance", "always",
            "select_weights", "monotone", "minbucket", "holdout", "honesty", "honesty_fraction",
            "family")
  # each tree has its own, since forests of several seeds may be put together
  grown$forest$seed <- rep(settings$seed, length(grown$forest$number))
  n <- length(frame$response)
  fit <- new_ensemble(
    levels(frame$response), c(frame, n = n), call, class = "hist_forest", forest = grown$forest,
    oob = if (settings$oob) new_oob(grown$oob_sums, grown$oob_trees, grown$centre, frame$response),
    importance = new_forest_importance(grown, frame$shape$names, settings$importance),
    # sums, from which forests put together have theirs
    left_out = sum(grown$oob_trees), harm = grown$harm, corrected = grown$corrected,
    local_sums = grown$local, local_trees = if (!is.null(grown$local)) grown$oob_trees,
    local_importance = local_means(grown$local, grown$oob_trees, frame$shape$names),
    gains = if (is.matrix(grown$gains)) grown$gains, status = grown$status,
    elapsed = grown$elapsed, device = grown$device, hash = grown$hash, seed = settings$seed,
    control = c(settings[kept], own_samples = !is.null(settings$inbag)),
    sampling = settings$sampling, y = frame$response, orders = orders)
  if (is_survival(frame)) fit$type <- "survival"
  if (!is.null(settings$inbag)) {
    fit$inbag <- do.call(cbind, settings$inbag)[, grown$forest$number - settings$first + 2]
  } else if (settings$keep_inbag) fit$inbag <- inbag_of(fit)
  fit$row_names <- told_row_names(frame$row_names)
  fit
}

# NULL where rows are numbered.
told_row_names <- function(names) {
  n <- length(names)
  # the last tells most of them apart at once
  numbered <- n == 0 || (names[n] == n && all(names == seq_len(n)))
  if (!numbered) as.character(names)
}

# The sums stay in it, so that forests can be put together.
new_oob <- function(sums, trees, centre, response) {
  oob <- list(sums = sums, trees = trees, centre = centre)
  if (is.factor(response)) {
    # integers, not factors, and no matrix of what is true: on small data these would take a tenth
    # of the time
    truth <- as.integer(response)
    oob$predictions <- sums / rowSums(sums)
    colnames(oob$predictions) <- levels(response)
    best <- max.col(sums, ties.method = "first")
    best[trees == 0] <- NA
    oob$class <- structure(best, levels = levels(response), class = "factor")
    oob$error <- mean(best != truth, na.rm = TRUE)
    hit <- oob$predictions[cbind(seq_along(truth), truth)]
    oob$brier <- mean(rowSums(oob$predictions^2) - 2 * hit + 1, na.rm = TRUE)
  } else if (!is.null(attr(response, "status"))) {
    oob$predictions <- whole_sums(sums) / trees * length(event_times(response))
    oob$error <- 1 - concordance_of(response, oob$predictions)
  } else {
    oob$predictions <- centre + whole_sums(sums) / trees
    if (!is.null(exposure_of(response))) return(errors_of_rates(oob, response))
    oob$error <- mean((oob$predictions - response)^2, na.rm = TRUE)
    oob$r_squared <- 1 - oob$error / mean((response - mean(response))^2)
  }
  oob
}

# Where responses are far from each other, sums have several parts, a column each, from the finest
# to the coarsest: as they are exact, so are those of forests put together.
whole_sums <- function(sums) if (is.matrix(sums)) rowSums(sums) else sums

refuse_empty_forest <- function(grown, settings) {
  if (grown$status == "interrupted") {
    stop_contree("interrupted", gettextf("interrupted after %s s, before a tree was complete",
                                         format(signif(grown$elapsed, 2))), NULL)
  }
  stop_input(if (grown$status == "time limit") "time_limit" else "memory_limit", gettextf(
    "%s before a tree was complete; give the forest more time or memory",
    stopped_after(grown$status, grown$elapsed)))
}

warn_if_forest_stopped <- function(fit) {
  if (fit$status == "complete") return(invisible())
  n <- tree_count(fit)
  warn_stopped(gettextf(
    "%s: %d of %.0f trees are complete",
    stopped_after(fit$status, fit$elapsed), n, fit$control$trees),
               list(status = fit$status, trees = n, elapsed = fit$elapsed))
}
