# forge(): an ensemble made ready to predict. The work is in C (src/forge); here is what is asked.

#' Compile a tree ensemble for fast prediction
#'
#' Compiles an ensemble from [import_forest()], or a fitted object that it can read, into a form for
#' fast prediction with [predict()][predict.forged_forest]. Leaves and margins are the same as those
#' of the original software, bit for bit; responses that XGBoost computes from them in single
#' precision can differ in the last bit of that.
#'
#' @section Method:
#' In blocks of 512 rows, each distinct test of the whole forest (is this feature above that
#' threshold?) is computed once, as one bit for each row. A tree is then a fixed network of bit
#' operations that computes the leaf numbers of hundreds of rows at once, and each row adds the
#' values of its leaves in the order of the original software. Of a tree of more than 256 leaves,
#' the 255 tests that most rows come to are such a network, from which the rows walk on by numbers
#' of thresholds in 16 bits. Few rows (fewer than 8 to 64, as printed: the more distinct tests a
#' tree has on average, the more) walk from node to node, eight at a time; so do all rows where
#' leaves are linear models.
#'
#' Rows are distributed over threads; the sum of a row does not depend on how.
#'
#' @section Reproducible sums:
#' With `sums = "source"` trees are added in their order, and margins are those of the original
#' software, bit for bit. With `"reproducible"` the contribution of each tree is rounded to a
#' multiple of a power of two that is coarse enough for all sums to be exact in doubles: 2^(e - 51),
#' where e is the whole part of log2(S), and S the largest possible sum, of the base and of the
#' largest leaf, in absolute value, of each tree of the output. So each tree is changed by up to
#' half of that step, and a leaf below half of it counts as 0: in a tree with a leaf of 1e12, those
#' below 0.00012. A margin then depends only on the set of trees: they may come in another order, or
#' be divided among machines whose sums are added, without changing a single bit (with a divisor,
#' before the sums are divided). Trees that add single-precision floats (XGBoost) mostly need no
#' rounding at all.
#'
#' @param x A result of [import_forest()], or anything that it can read. For the methods, a result
#'   of `forge()`.
#' @param threads Number of threads of predictions, as in [contree_control()]; for `predict()` by
#'   default that of `forge()`.
#' @param sums `"source"` (the default) or `"reproducible"`, see the section on reproducible sums.
#' @param schedule How predictions are computed: a [schedule()], or its text; `NULL` (the default)
#'   lets the package choose. It must be legal for the forest. It does not affect the values of the
#'   predictions.
#' @param show `"high"`, `"mid"` or `"low"`: print the loops of the schedule for this forest at that
#'   level of detail; `NULL` (the default): print nothing.
#' @param device Where the sums over trees of [predict()][predict.forged_forest] are computed:
#'   `"cpu"`; `"cuda"` or the number of a GPU, as in `"cuda:1"`; or `"auto"` (the default), the
#'   first GPU if there is one and it should be faster, see the section on GPUs. Predictions are the
#'   same, bit for bit. The default of `predict()` is the device of `forge()`; leaves and
#'   contributions are computed on the CPU.
#' @param ... For `forge()`, passed on to [import_forest()]; else not used.
#' @return `forge()`: an object of class `forged_forest`: a list with `forest`, the ensemble;
#'   `info`, a description of the compiled form; `threads`; `device`; and a pointer to the compiled
#'   form in memory. The object can be saved; the compiled form is then rebuilt when it is needed.
#' @section GPUs:
#' Each distinct test of the forest is computed once for 32 rows, which are the bits of a word, and
#' a tree of up to eight splits above each leaf is a fixed network of bit operations; in forests
#' with deeper trees each row walks down each tree. The package must be built with CUDA for this,
#' see [contree_gpu()]. A schedule with loops on dimensions of a GPU is compiled by NVRTC when it is
#' first used, in builds without CUDA too.
#'
#' With `device = "auto"` such a schedule runs on the first GPU if there is one. Without a schedule
#' a GPU is used if a model of both times says that it takes less; its numbers for GPUs are
#' estimates, chosen in favour of the CPU. Linear models of leaves are computed on the CPU; if a GPU
#' is asked for, they are an error. If a GPU fails, or its memory is too small, the CPU predicts,
#' with a warning of class `contree_without_gpu`.
#'
#' @seealso [schedule()], [contree_predictor()].
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 50, seed = 1)
#' fast <- forge(fit)
#' fast
#' predict(fast, iris[c(1, 71, 101), ], type = "prob")
#' @export
forge <- function(x, threads = NULL, sums = c("source", "reproducible"), schedule = NULL,
                  show = NULL, device = c("auto", "cpu", "cuda"), ...) {
  if (inherits(x, "forest_ir")) check_no_dots(...) else x <- import_forest(x, ...)
  threads <- check_threads("threads", threads)
  sums <- check_choice("sums", sums)
  device <- check_device(device)
  if (sums == "reproducible") x <- reproducible_sums(x)
  pointer <- forge_ensemble(x)
  forged <- structure(list(forest = x, info = .Call(ffi_forged_info, pointer), threads = threads,
                           device = device, code = pointer),
                      class = "forged_forest")
  forged <- with_schedule(forged, schedule, show)
  if (!device %in% c("auto", "cpu")) open_device(forged, device)
  forged
}

forge_ensemble <- function(forest) {
  tryCatch(.Call(ffi_forge, forest$ensemble), error = function(problem) {
    stop_input("x", gettextf("'x' cannot be compiled: %s", conditionMessage(problem)))
  })
}

# What is in memory; made again in another session.
forged_code <- function(object) {
  if (.Call(ffi_forged_alive, object$code)) object$code else forge_ensemble(object$forest)
}

#' @rdname forge
#' @export
print.forged_forest <- function(x, ...) {
  check_no_dots(...)
  info <- x$info
  print(x$forest)
  cat(gettextf("Trees have a depth of at most %d, %s on average; %d features are used\n",
               info$depth, format(signif(info$mean_depth, 3)), info$used))
  cat(describe_way(x), "\n", sep = "")
  if (!device_wanted(x) %in% c("auto", "cpu")) {
    cat(gettextf("Sums over trees are computed on %s", x$device), "\n", sep = "")
  }
  if (!is.null(x$schedule)) {
    cat(gettext("Under the schedule"), paste0("  ", x$schedule$text), sep = "\n")
  }
  invisible(x)
}

describe_way <- function(x) {
  info <- x$info
  if (!info$planes) {
    reason <- if (has_linear_models(x$forest)) gettext("leaves are linear models") else
      gettext("deep trees test too many columns")
    return(gettextf("Runs as walks of eight rows at once: %s (%s MB)", reason,
                    format(signif(info$bytes / 1e6, 2))))
  }
  trees <- n_forest_trees(x$forest)
  gettextf(paste("Runs as bit planes of %d tests on %s: %d trees as networks, %d by reach, %d of",
                 "them with walks below (%s MB); below %d rows as walks"),
           info$tests, info$simd, info$networks, trees - info$networks, info$deep,
           format(signif(info$bytes / 1e6, 2)), info$planes_from)
}
