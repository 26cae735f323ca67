# forge(): an ensemble made ready to predict. The work is in C (src/forge); here is what is asked.

#' Make a tree ensemble predict fast
#'
#' Compiles an ensemble from [import_forest()], or a fitted object that it reads, into a form that
#' [predict()][predict.forged_forest] runs through fast, with the same numbers as its maker, to the
#' last bit.
#'
#' @section How it predicts:
#' In blocks of 512 rows each distinct test of the whole forest (is this feature above that
#' threshold?) is computed once, as a bit for each row. A tree is then a fixed network of bit
#' operations that gives the number of the leaf for hundreds of rows at once, and each row adds its
#' leaves in the order that the maker has. This needs trees of at most 256 leaves. Rows of larger
#' trees, and fewer than 24 rows, walk from node to node, eight at a time.
#'
#' Rows are shared among threads, and what a row adds up does not depend on how.
#'
#' @section Sums in any order:
#' With `sums = "source"` margins have the maker's bits, which are those of adding trees up in their
#' order. With `"reproducible"` what each tree adds is rounded to a multiple of a power of two that
#' is coarse enough for all sums to be exact in doubles: it is less than 2^-51 of the largest sum
#' that there can be. A margin then depends on which trees there are and on nothing else: trees may
#' come in another order, and be split among machines whose sums are added up, and not a bit of it
#' changes (with a divisor, before the sums are divided). Trees that add single-precision floats
#' (XGBoost) mostly need no rounding at all; their margins are the exact sums. For others the
#' difference to the maker's is that of rounding.
#'
#' @param x What [import_forest()] returns, or anything that it reads.
#' @param threads As in [contree_control()]; used for predictions.
#' @param sums `"source"` or `"reproducible"`, see below.
#' @param schedule How predictions run: a [schedule()], or its text; `NULL` lets the package choose.
#'   It must be legal for the forest. Whatever it is, predictions have the same bits.
#' @param show `"high"`, `"mid"` or `"low"`: print the loops that the schedule becomes for this
#'   forest, at that level; `NULL`: do not.
#' @param ... Passed on to [import_forest()].
#' @return An object of class `forged_forest`: a list with `forest`, the ensemble; `info`, what has
#'   been made of it; `threads`; and a pointer to it in memory. It can be saved: what is lost then
#'   is made again when it is needed.
#' @section Errors:
#' Those of [import_forest()]; `contree_input_error` for settings that are none, and for a schedule
#' that is not legal for the forest: the message names the statement, the loop and the rule.
#' @seealso [predict.forged_forest()], [schedule()].
#' @examples
#' fit <- hist_forest(Species ~ ., iris, trees = 50, seed = 1)
#' fast <- forge(fit)
#' fast
#' predict(fast, iris[c(1, 71, 101), ], type = "prob")
#' @export
forge <- function(x, threads = NULL, sums = c("source", "reproducible"), schedule = NULL,
                  show = NULL, ...) {
  if (inherits(x, "forest_ir")) check_no_dots(...) else x <- import_forest(x, ...)
  threads <- check_threads("threads", threads)
  sums <- check_choice("sums", sums, c("source", "reproducible"))
  if (sums == "reproducible") x <- reproducible_sums(x)
  pointer <- forge_ensemble(x)
  forged <- structure(list(forest = x, info = .Call(ffi_forged_info, pointer), threads = threads,
                           code = pointer),
                      class = "forged_forest")
  with_schedule(forged, schedule, show)
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
  cat(gettextf("Trees are %d splits deep at most, %s on average; %d features are asked for\n",
               info$depth, format(signif(info$mean_depth, 3)), info$used))
  cat(describe_way(x), "\n", sep = "")
  if (!is.null(x$schedule)) {
    cat(gettext("Under the schedule"), paste0("  ", x$schedule$text), sep = "\n")
  }
  invisible(x)
}

describe_way <- function(x) {
  info <- x$info
  if (!info$planes) {
    reason <- if (has_linear_models(x$forest)) gettext("leaves are linear models") else
      gettext("a tree has more than 256 leaves")
    return(gettextf("Runs as walks of eight rows at once: %s (%s MB)", reason,
                    format(signif(info$bytes / 1e6, 2))))
  }
  trees <- n_forest_trees(x$forest)
  gettextf(paste("Runs as bit planes of %d tests on %s: %d trees as networks, %d by reach (%s MB);",
                 "below 24 rows as walks"),
           info$tests, info$simd, info$networks, trees - info$networks,
           format(signif(info$bytes / 1e6, 2)))
}
