# Settings of the search: contree_control(), and the way from what the user typed (depth, `...`,
# control, rpart's names) to one checked list. What a setting means to the search is said in C; here
# live only names, ranges and defaults.

# One line a setting (or an argument of prune() and contree_alternatives()): lowest value, highest
# value, whole number?
setting_table <- list(
  depth          = list(low = 0, high = 16,  whole = TRUE),
  # the data say what is too much: settle_complexity()
  complexity     = list(low = 0, high = 1e100, whole = FALSE),
  minbucket      = list(low = 1, high = Inf, whole = TRUE),
  min_n          = list(low = 1, high = Inf, whole = TRUE),
  max_leaves     = list(low = 1, high = Inf, whole = TRUE),
  max_gap        = list(low = 0, high = Inf, whole = FALSE),
  max_thresholds = list(low = 1, high = Inf, whole = TRUE),
  time_limit     = list(low = 0, high = Inf, whole = FALSE),
  memory_limit   = list(low = 0, high = Inf, whole = FALSE),
  threads        = list(low = 0, high = Inf, whole = TRUE),
  subset_levels  = list(low = 2, high = 12,  whole = TRUE),
  certificate    = list(low = 0, high = Inf, whole = FALSE),
  conformal      = list(low = 0, high = 1e6, whole = TRUE),
  cp             = list(low = 0, high = Inf, whole = FALSE),
  nsplit         = list(low = 0, high = Inf, whole = TRUE),
  n              = list(low = 1, high = Inf, whole = TRUE),
  within         = list(low = 0, high = Inf, whole = FALSE)
)

# Names of rpart for settings that are called otherwise here.
setting_alias <- c(maxdepth = "depth", cp = "complexity", minsplit = "min_n")

#' Settings of the search for an optimal tree
#'
#' Sets the options of [contree()] that most analyses do not need. All of them can also be given to
#' `contree()` directly.
#'
#' @section Settings by purpose:
#' \itemize{
#'   \item The set of trees that are searched, and their cost: `complexity`, `minbucket`,
#'     `min_n`, `max_leaves`, `max_thresholds`, `subset_levels`.
#'   \item Missing values and new levels: `missing`, `new_levels`.
#'   \item When the search ends: `max_gap`, `time_limit`, `memory_limit`, `on_interrupt`.
#'   \item How it is computed: `threads`, `device`, `workers`, `checkpoint`, `deterministic`,
#'     `smallest`, `start`.
#'   \item What is reported, and what the fit keeps: `progress`, `verbose`, `certificate`,
#'     `conformal`, `model`.
#' }
#'
#' @section Memory:
#' For n rows, F predictors with about U distinct values each and K classes, the search takes,
#' beyond the data, about
#'
#' *F n (4 + 0.1 K + depth (0.3 K + 0.1)) + P* bytes.
#'
#' The first term is for sorted orders and sets of rows. *P = F^2 n log2(U) / 8* is for bit tables
#' from which the sides of a split are read, kept while P is at most 1 GiB. Beyond that they are
#' made anew for each threshold, which takes F n bytes for each thread (with more than 1,024 rows
#' for each predictor F n log2(U) / 8), and from depth 3 on, or with that many rows, the search uses
#' one thread; subsets of the rows keep theirs, so that P counts as at most depth - 1 GiB.
#'
#' F counts columns of the search: a predictor with missing values counts as two, a factor of L
#' levels as 2^(L-1) - 1 or, if L is more than `subset_levels`, as L and one for each class. From
#' depth 4 on all of this can be up to 1.5 times as much; case weights take F n (10 + 0.2 K depth)
#' bytes more. Bounds of row sets are cached as well; with a `memory_limit`, an eighth of it is set
#' aside for them. At depth 3, 200,000 rows with 20 predictors and 2 classes take 200 MB, and 20,000
#' rows with 200 predictors and 3 classes 930 MB.
#'
#' With a `memory_limit` below this the search stops early. If it is too low for the search to
#' begin, the tree is a single leaf; if not even the data can be sorted, there is an error.
#'
#' @param complexity Complexity penalty: the cost of one split as a proportion of the training rows,
#'   from 0 to 1 (for a numeric response, of the squared errors of a single leaf, as `cp` in
#'   `rpart`). The tree minimises *misclassified rows + complexity * n * number of splits*: with
#'   `complexity = 0.01` a split must save at least one row in a hundred. With weights, n is their
#'   sum; with losses, it may be as large as the largest loss. The default 0 minimises the
#'   misclassified rows alone. For `cp` see the section on the names of `rpart` in [contree()].
#' @param minbucket Minimum number of training rows in a leaf, a whole number of at least 1. The
#'   default, `NULL`, is 1 for classes and 7, as in `rpart`, for a numeric response. The tree is
#'   optimal among those that satisfy it; the more it raises the cost, the longer the proof takes:
#'   at one row in twenty 4 to 5 times as long on three public sets at depth 3, and 150 times on one
#'   that is nearly without errors otherwise.
#' @param min_n Minimum number of training rows in a node that is split (`minsplit`, as in `rpart`,
#'   is accepted as well), a whole number of at least 1. It is never less than twice `minbucket`,
#'   which is the default (`NULL`).
#' @param max_leaves Greatest number of leaves, a whole number of at least 1. The tree is optimal
#'   among those with at most that many leaves, which no `complexity` may be able to single out; see
#'   [contree_path()] with `by = "leaves"`. The default `Inf` allows as many as the depth does, 2 to
#'   the power of `depth`. With very few leaves the search is much shorter than without a limit,
#'   with nearly as many as the depth allows it took 1.2 to 4 times as long. There are no
#'   certificates of such trees, and they are searched on the CPU alone.
#' @param max_thresholds Maximum number of thresholds tried for a predictor (at quantiles of its
#'   distinct values), a whole number of at least 1. The default `Inf` tries all; otherwise the tree
#'   is optimal among those that use the thresholds tried, and `print()` says so.
#' @param subset_levels Unordered factors and character predictors of up to this many levels
#'   (missing counts as one more) may be split into any two sets of levels: a whole number from 2 to
#'   12, by default 6. Each further level doubles time and memory. For factors with more levels see
#'   the section on predictors in [contree()].
#' @param missing What happens to training rows with missing predictors, unless `contree()` is given
#'   a `na.action`: `"learn"` (the default) keeps them, and each split learns to which side its
#'   missing values go; `"omit"` leaves them out; `"fail"` raises an error that names the variable.
#'   Rows with a missing response are left out, except with `"fail"`.
#' @param new_levels What [predict()][predict.contree] does with a level of a factor that did not
#'   occur in training: `"majority"` (the default) follows the child with more training rows and
#'   gives a warning, `"error"` raises an error.
#' @param max_gap The search may stop as soon as its tree is proven to cost at most this much more
#'   than the optimum: a number of at least 0, in misclassified rows or, for a numeric response, in
#'   sums of squares. The default 0 asks for a full proof.
#' @param time_limit Seconds after which the search stops and returns the best tree so far with its
#'   gap and a warning. The default `Inf` sets no limit.
#' @param memory_limit Bytes that the search may take, as a number or a string such as `"500MB"` or
#'   `"2GB"`; the default `Inf` sets no limit. When they are used up the search stops as at the time
#'   limit. The section on memory says what it needs.
#' @param on_interrupt What Ctrl-C does: `"return"` (the default) returns the best tree so far with
#'   a warning, `"error"` raises an error.
#' @param threads Number of threads, a whole number; 0 means all processors. The default `NULL` uses
#'   the number set by [contree_threads()], which is 2 by default. Small searches use one thread.
#' @param device Where the search may compute: `"auto"` (the default) uses the first GPU if there is
#'   one and the table is large enough to benefit, else the CPU; `"cpu"` only the CPU; `"cuda"` the
#'   first GPU and `"cuda:1"` the second (see [contree_gpu()] for their numbers), which is an error
#'   if it cannot be used. The tree is the same. Only depth-two searches of sufficiently large row
#'   sets run on the GPU; everything else runs on the CPU, as do all searches with more than 96
#'   classes or with `weights`, `loss` or `class_weights` that are not the same for all rows.
#'   Searches for regression trees use the CPU only, and `"cuda"` is an error there. If a GPU fails
#'   during a search, `"auto"` continues without it and says so. `fit$device` names the device that
#'   was available, and two counters in [summary()][summary.contree] show how much it was used.
#' @param deterministic `TRUE` (the default) returns the same one of several equally good trees on
#'   every run; `FALSE` whichever is found first. See the section on threads and ties in
#'   [contree()].
#' @param smallest `TRUE` (the default) returns the smallest of the optimal trees, and the proof
#'   includes that none of the same cost has fewer leaves. `FALSE` returns an optimal tree that may
#'   have more leaves than it needs, with the same cost; by the rule in the section on threads and
#'   ties, but for the leaves. It saves time where trees make no errors or nearly none on columns of
#'   few values (1.5 to 14 times at depth 5), and next to none where many errors are left. With a
#'   `complexity` above 0, where each split costs something, for trees of rewards or costs and in
#'   [contree_path()] the smallest is returned anyway.
#' @param start A tree to start from, which gives an upper bound of the optimal cost: a fit of
#'   [contree()] or `rpart`; `NULL` for none. Predictors are matched by name; parts of the tree that
#'   violate the depth, the leaf sizes or the predictors are dropped. A good tree saves time, a poor
#'   one does no harm, and the optimum is the same.
#' @param workers `TRUE` searches on the workers of the package `future`, as set by its
#'   [plan()][future::plan]: other processes, other machines, or the jobs of a scheduler such as
#'   Slurm. Searches of up to a second, and of depth up to 2, are done before any worker is asked.
#'   The tree, its proof and the choice among equal trees are those of one process, for any number
#'   of workers; each uses one thread unless `threads` says more, and the CPU alone. What a lost
#'   worker was doing is done by others. The data are sent through a file in the folder that
#'   `options(contree.folder = )` names, which all machines should see, or else in [tempdir()];
#'   workers that do not see it get them with each task. The default `FALSE` searches in this
#'   process. For [contree()] alone; others that take settings search in one process for each tree.
#'   Set `options(socketOptions = "no-delay")` before the plan (R 4.2 or later): without, each task
#'   waits about 0.1 seconds for the sockets of the workers.
#' @param checkpoint Name of a file that keeps what is proven while a search of [contree()] runs
#'   (with or without `workers`) and when it is stopped; `NULL`, the default, for none. A call with
#'   the same data and settings goes on from there; a file of other data or settings is an error.
#'   Searches of depth up to 2 write none.
#' @param progress A function called with the state of the search at most about five times a second:
#'   a list of `elapsed` (seconds), `cost` of the best tree, `bound`, `gap` and `closed` (the
#'   proportion of the thresholds of the root that need no further search, from 0 to 1). If it
#'   fails, the search is stopped and the error passed on. `"progressr"` uses the progress bars of
#'   the package `progressr`; by default (`NULL`) they are used if its handlers are active: within
#'   `progressr::with_progress()` or after `progressr::handlers(global = TRUE)`.
#' @param verbose `TRUE` shows a progress line on the standard error stream once a search has taken
#'   a second; `FALSE` does not. The default `NULL` uses the option `contree.verbose`; if that is
#'   not set, the line is shown in interactive sessions outside `knitr`, unless `progress` reports
#'   it elsewhere.
#' @param certificate `TRUE` keeps a certificate in the fit, with which [contree_certify()] can
#'   prove the bound again; the default `FALSE` does not. It is written by a second search, which
#'   takes about as long as the first one on one thread; `time_limit` and `memory_limit` apply to it
#'   as well. It takes three to five bytes for each threshold that the search examines, less than 1
#'   MB for most trees of depth 3, and at most 100 MB; a number of bytes or a string such as
#'   `"10MB"` sets another limit. If it cannot be kept, there is a warning of class
#'   `contree_no_certificate`. Only [contree()] keeps certificates, and
#'   not with `max_leaves`.
#' @param conformal Number of folds for the intervals of [predict()][predict.contree] with `interval
#'   = "conformal"`, for a numeric response: a whole number of at least 2, or 0 (the default) for
#'   none. For each fold one more tree is fitted, to all rows outside it, and kept with the fit;
#'   rows of weight 0 are in no fold. The folds are drawn with R's random numbers ([set.seed()] or
#'   `seed`); with a [plan][future::plan] of the package `future` they are distributed over its
#'   workers.
#' @param model `TRUE` keeps the model frame (the training data) in the fit, for [model.frame()].
#'   The default `FALSE` keeps no training data.
#' @param seed Seed of what is drawn: the folds of `conformal` and [contree_cv()], the samples of
#'   [contree_stability()]. A whole number from 0 to 2^53; by default (`NULL`) R's generator is used
#'   as it is.
#' @param ... `minsplit`, as `min_n`. Any other name is an error.
#'
#' @return A list of class `contree_control` with one element for each setting.
#' @section Errors:
#' `contree_input_error` if a setting has the wrong type or is out of range.
#' @seealso [contree()]
#' @examples
#' contree_control(complexity = 0.01)
#' contree(Species ~ ., iris, depth = 2, control = contree_control(complexity = 0.01))
#' # the same, given directly
#' contree(Species ~ ., iris, depth = 2, complexity = 0.01)
#' @export
contree_control <- function(
    # the set of trees that are searched, and their cost
    complexity = 0, minbucket = NULL, min_n = NULL, max_thresholds = Inf,
    subset_levels = 6, max_leaves = Inf,
    # values that are missing, and levels that are new
    missing = c("learn", "omit", "fail"), new_levels = c("majority", "error"),
    # when the search ends
    max_gap = 0, time_limit = Inf, memory_limit = Inf, on_interrupt = c("return", "error"),
    # how it computes
    threads = NULL, device = c("auto", "cpu", "cuda"), deterministic = TRUE, smallest = TRUE,
    start = NULL, workers = FALSE, checkpoint = NULL,
    # what it tells, and what the fit keeps
    progress = NULL, verbose = NULL, certificate = FALSE, conformal = 0, model = FALSE,
    seed = NULL, ...) {
  if (...length()) {
    check_names(names_of_dots(list(...)), c("minsplit", setdiff(names(formals()), "...")),
                "?contree_control")
    min_n <- list(...)$minsplit
  }
  control <- check_settings(list(
    complexity = complexity, minbucket = minbucket, min_n = min_n, max_thresholds = max_thresholds,
    subset_levels = subset_levels, max_leaves = max_leaves, missing = missing,
    new_levels = new_levels, max_gap = max_gap, time_limit = time_limit,
    memory_limit = memory_limit, on_interrupt = on_interrupt, threads = threads, device = device,
    deterministic = deterministic, smallest = smallest, start = start, workers = workers,
    checkpoint = checkpoint,
    progress = progress, verbose = verbose, certificate = certificate, conformal = conformal,
    model = model, seed = seed))
  structure(control, class = "contree_control")
}

setting_names <- c("depth", setdiff(names(formals(contree_control)), "..."), names(setting_alias))

# `settings`, with those that are given.
check_settings <- function(given, settings = list()) {
  for (name in names(given)) {
    value <- given[[name]]
    if (!is.null(value) && identical(value, settings[[name]])) next
    check <- setting_checks[[name]]
    settings[name] <- list(if (is.null(check)) check_setting(name, value) else check(value))
  }
  if (is.null(given$minbucket)) settings else settle_sizes(settings)
}

# Checks of settings that are not always one number in a range.
setting_checks <- list(
  minbucket = function(value) if (!is.null(value)) check_setting("minbucket", value),
  min_n = function(value) if (!is.null(value)) check_setting("min_n", value),
  missing = function(value) check_choice("missing", value, c("learn", "omit", "fail")),
  new_levels = function(value) check_choice("new_levels", value, c("majority", "error")),
  memory_limit = function(value) check_setting("memory_limit", parse_bytes(value)),
  on_interrupt = function(value) check_choice("on_interrupt", value, c("return", "error")),
  threads = function(value) check_threads("threads", value),
  device = function(value) check_device(value),
  deterministic = function(value) check_flag("deterministic", value),
  smallest = function(value) check_flag("smallest", value),
  start = function(value) check_start(value),
  workers = function(value) check_workers(value),
  checkpoint = function(value) check_checkpoint(value),
  progress = function(value) check_progress(value),
  verbose = function(value) if (!is.null(value)) check_flag("verbose", value),
  certificate = function(value) check_certificate(value),
  conformal = function(value) check_conformal(check_setting("conformal", value)),
  model = function(value) check_flag("model", value),
  seed = function(value) check_seed(value))

# The values that contree_control() has by default.
usual_settings <- function() {
  if (is.null(process$settings)) process$settings <- unclass(contree_control())
  process$settings
}

#' @export
print.contree_control <- function(x, ...) {
  print_settings(gettext("Settings of contree"), x)
}

print_settings <- function(title, x) {
  cat(title, "\n", sep = "")
  cat(paste0("  ", format(names(x)), "  ", vapply(x, show_value, "")), sep = "\n")
  invisible(x)
}

check_setting <- function(name, value) {
  range <- setting_table[[name]]
  if (!is_in_range(value, range)) stop_input(name, setting_message(name, value, range))
  as.numeric(value)
}

is_scalar <- function(value) {
  is.numeric(value) && !is.object(value) && length(value) == 1 && !is.na(value)
}

is_in_range <- function(value, range) {
  is_scalar(value) && value >= range$low && value <= range$high &&
    (!range$whole || is.infinite(value) || value == round(value))
}

# A number of which `is_fine` holds; `must` says in words what it must be.
check_number <- function(name, value, must, is_fine) {
  if (is_scalar(value) && is_fine(value)) return(as.numeric(value))
  stop_input(name, gettextf("'%s' must be %s, not %s", name, must, show_value(value)))
}

check_seconds <- function(name, value) {
  check_number(name, value, gettext("a number above 0"), function(value) value > 0)
}

check_digits <- function(digits) {
  check_number("digits", digits, gettext("a whole number between 1 and 22"),
               function(value) is_count(value) && value <= 22)
}

setting_message <- function(name, value, range) {
  kind <- if (range$whole) gettext("a whole number") else gettext("a number")
  limits <- if (range$high < 1e100) {
    gettextf("%s between %s and %s", kind, range$low, range$high)
  } else {
    gettextf("%s of at least %s", kind, range$low)
  }
  message <- gettextf("'%s' must be %s, not %s", name, limits, show_value(value))
  if (name != "depth") return(message)
  paste0(message,
         gettext(
           "; depths of 2 to 4 are the usual choice, since a tree of depth d may have 2^d leaves"))
}

check_seed <- function(seed) {
  check_forest_number("seed", seed, forest_ranges$seed, TRUE)
}

check_flag <- function(name, value) {
  if (isTRUE(value) || isFALSE(value)) return(value)
  stop_input(name, gettextf("'%s' must be TRUE or FALSE, not %s", name, show_value(value)))
}

check_workers <- function(value) {
  check_flag("workers", value)
  if (value && !requireNamespace("future", quietly = TRUE)) {
    stop_input("workers", gettext("workers = TRUE needs the package 'future'; install it"))
  }
  value
}

# NULL, a number of bytes, or a string such as "500MB" (powers of 1024, as memory is counted).
parse_bytes <- function(value, name = "memory_limit") {
  if (is.null(value)) return(Inf)
  if (!is.character(value) || length(value) != 1) return(value)
  text <- toupper(value)
  parts <- regmatches(text, regexec("^\\s*([0-9.]+)\\s*([KMGT]?)B?\\s*$", text))[[1]]
  number <- if (length(parts)) suppressWarnings(as.numeric(parts[2])) else NA
  if (is.na(number)) {
    stop_input(name, gettextf("'%s' must be a number of bytes or a string such as \"2GB\", not %s",
                              name, show_value(value)))
  }
  number * 1024^(match(parts[3], c("", "K", "M", "G", "T")) - 1)
}

# The most bytes of a certificate; 0 for none.
check_certificate <- function(value) {
  if (isTRUE(value)) return(100 * 1024^2)
  if (isFALSE(value)) return(0)
  check_setting("certificate", parse_bytes(value, "certificate"))
}

# From what was typed to one list: the settings of contree_control(), `depth`, and `cp` where it was
# given (it becomes `complexity` once the data is known). `depth` is NULL when the user did not give
# it. A setting in `...` wins over the same setting in `control`. `priced`: a price may take the
# place of a depth.
collect_settings <- function(dots, control, depth, priced = FALSE) {
  check_setting_names(dots, "...")
  if (!is.null(depth)) dots <- c(list(depth = depth), dots)
  check_aliases(dots)
  given <- merge_settings(control, dots)
  aliased <- names(given) %in% c("maxdepth", "minsplit")
  if (any(aliased)) names(given)[aliased] <- setting_alias[names(given)[aliased]]
  settings <- check_settings(given[!names(given) %in% c("depth", "cp")], usual_settings())
  settings$cp <- if (!is.null(given$cp)) check_setting("cp", given$cp)
  priced <- priced && max(settings$complexity, settings$cp) >= least_price
  usual <- if (priced) priced_depth else 3
  settings$depth <- check_setting("depth", if (is.null(given$depth)) usual else given$depth)
  settings
}

# From this price on, a share of the rows or of the errors of the root, trees may have so many
# levels where no depth is given: what fewer splits pay for is searched in moments to seconds.
least_price <- 0.01
priced_depth <- 4

merge_settings <- function(control, dots) {
  if (is.null(control)) return(dots)
  if (!is.list(control)) {
    stop_input("control",
               gettextf("'control' must be the value of contree_control() or a named list, not %s",
                                   show_value(control)))
  }
  control <- unclass(control)
  check_setting_names(control, "control")
  check_aliases(control)
  if (length(dots) == 0) return(control)
  c(control[!same_setting(names(control), names(dots))], dots)
}

# Which of these names stand for what one of the others stands for.
same_setting <- function(names, others) {
  meaning <- function(names) ifelse(names %in% names(setting_alias), setting_alias[names], names)
  meaning(names) %in% meaning(others)
}

check_setting_names <- function(given, argument) {
  names <- names(given)
  if (length(given) && (is.null(names) || any(!nzchar(names)))) {
    stop_input(argument, gettextf("an argument without a name was given in '%s'", argument),
               gettext("name it, as in contree(..., complexity = 0.01)"))
  }
  known <- setting_names
  if (all(names %in% known) && !anyDuplicated(names)) return(invisible())
  unknown <- setdiff(names, known)
  rewards <- intersect(unknown, c("rewards", "costs"))
  if (length(rewards)) {
    stop_unsupported(rewards[1], gettextf(paste(
      "'%s' goes with the predictors 'x' of contree(), contree_cv() and contree_path(), as in",
      "contree(x, %s = ); in a formula it is the left side, as in",
      "contree(cbind(a, b) ~ x, data, objective = \"%s\")"), rewards[1], rewards[1], rewards[1]))
  }
  refuse_formula_as_x(given)
  if (length(unknown)) {
    stop_input(unknown[1], gettextf(
      "unknown argument '%s'%s; see ?contree and ?contree_control for all arguments",
      unknown[1], did_you_mean(unknown[1], known)))
  }
  if (anyDuplicated(names)) {
    stop_input(argument, gettextf("argument '%s' was given twice", names[anyDuplicated(names)]))
  }
}

# R dispatches on a formula of any name.
refuse_formula_as_x <- function(given) {
  if (!inherits(given[["x"]], "formula")) return(invisible())
  stop_input("x", gettextf("'x' is the formula %s, but must be predictors",
                           show_formula(given[["x"]])), gettext("name it 'formula'"))
}

check_aliases <- function(given) {
  if (!any(names(setting_alias) %in% names(given))) return(invisible())
  both <- setting_alias[names(setting_alias) %in% names(given) & setting_alias %in% names(given)]
  if (length(both)) {
    stop_input(names(both)[1],
               gettextf("'%s' and '%s' are two names for one setting; give only one of them",
                                        names(both)[1], both[1]))
  }
}

# rpart counts the cost of a split as proportions of the errors of the root, contree as proportions
# of the rows or, of numbers, of the errors of the root as well. A cost of all errors or more allows
# no split at all, whatever its size.
complexity_from_cp <- function(cp, root_errors, unit) {
  if (unit == 0) min(cp, 1) else min(cp, 1) * root_errors / unit
}

# The least sizes of leaves and of nodes that are split: two leaves of minbucket rows need twice as
# many, whatever min_n says. Means of few numbers are noise, as rpart has it.
settle_sizes <- function(settings, classes = TRUE) {
  if (is.null(settings$minbucket)) settings$minbucket <- if (classes) 1 else 7
  settings$min_n <- max(settings$min_n, 2 * settings$minbucket)
  settings
}
