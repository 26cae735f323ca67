# schedule(): statements are put together, and the nest that they make is shown. What a schedule is,
# and whether it is legal, C knows (src/forge/schedule).

#' Schedules of predictions
#'
#' Predicting with a forest consists of two loops, over rows (`batch`) and over trees (`tree`),
#' around the walk of a row down a tree. A schedule defines in which order, in which tiles, on which
#' threads and with which representation of the trees they are executed, but not what is computed:
#' predictions are the same, bit for bit, under every legal schedule. A schedule is given to
#' [forge()].
#'
#' A schedule starts as `batch > tree`; each statement changes it. `schedule(by_tiles, statement)`
#' adds a statement to another schedule.
#'
#' @order 1
#' @section Statements:
#' * `tile(loop, outer, inner, size)`: divides a loop into tiles of `size` iterations: `outer` is
#'   the loop over the tiles, `inner` the loop within a tile. The last tile may be shorter.
#' * `split(loop, first, second, at)`: divides a loop in two, `first` with the iterations before
#'   `at` and `second` with the others. Inner loops are copied; the names of the copies end with
#'   those of the two.
#' * `reorder(loop, loop, ...)`: the new order of loops that are directly nested, outermost first.
#' * `parallel(loop)`: runs iterations on the threads of the CPU.
#' * `gpuDimension(loop, dimension)`: maps iterations to a dimension of a GPU, `grid.x` to
#'   `block.z`.
#' * `cache(loop)`: copies the rows of an iteration, or on a GPU the trees, to nearby memory.
#' * `interleave(loop, k)`: `k` walks at once, 1 to 16, to hide the latency of memory.
#' * `simdize(loop, width)`: rows as vector lanes: 4, 8 or 16 for walks, 64 or 512 for bit planes.
#' * `unrollWalk(loop, depth)`: walks of exactly `depth` steps, 1 to 64, without tests for leaves;
#'   no tree may be deeper.
#' * `peelWalk(loop, depth)`: the first `depth` steps of a walk have no tests for leaves; no leaf
#'   may be nearer to the root.
#' * `atomicReduce(loop)`, `sharedReduce(loop)`, `vectorReduce(loop, width)`: how the sums of
#'   concurrent iterations of a loop over trees are combined: by atomic additions, in the shared
#'   memory of a GPU block, or by vectors of `width` rows. By default each iteration has its own
#'   sums, which are added after the loop.
#' * `represent(form)`: the representation of the trees: `sparse`, existing nodes only; `array`,
#'   perfect trees; `reorg`, perfect trees with the nodes of all trees side by side; `planes`, bit
#'   planes of tests, as described in [forge()].
#'
#' Names of new loops consist of letters, digits and `_`. Sizes are whole numbers, counted in steps
#' of the loop.
#'
#' @section Rules:
#' An error names the statement, the loop, the reason, and the rule that is broken.
#' `schedule_rules()` lists the rules. Rules about depths, sizes and the order of sums need a forest
#' and are checked by [forge()]. Trees can be processed in parallel only if sums do not depend on
#' their order, that is with `forge(sums = "reproducible")`.
#'
#' @section Directives of the papers that are missing:
#' `unroll` of a loop and `specialize`: on the CPU loops call functions that were compiled with the
#' package, for which trees are data, and compilers for GPUs unroll short loops by themselves. Trees
#' are not sorted by depth before a split, since a row adds them in their order; of trees of mixed
#' depths those that are next to each other can be split off and unrolled. Where the order does not
#' matter there is little to gain: on 100 trees of depth 6 unrolled walks took 0.84 of the time of
#' others, and bit planes, which need no depths, 0.08. Trees have two children at every step. Tiles
#' of several nodes are not a representation: tiles of seven nodes, compared by one AVX2
#' instruction, took 1.1 (depth 6) to 1.6 times (depth 8) as long as walks of eight rows at once.
#'
#' @param ... For `schedule()`: statements, as strings; a schedule, or a text of several lines,
#'   stands for all of its statements. A text may begin with the line `schedule 1`, as it does when
#'   shown by `print()`; `#` starts a comment. For `print()` and `plot()`: not used, or passed on to
#'   [graphics::plot.default()].
#' @param x A schedule.
#' @return A schedule: a list of class `contree_schedule` with the `text`, the `loops` as a data
#'   frame (outermost first; `stop` is `NA` for the number of rows or trees), the `representation`,
#'   and `gpu` (logical: is it for a GPU?). `schedule_rules()`: a character vector, named by rule.
#'   `format()` and `as.character()`: the text, one line in each element.
#' @section Errors:
#' `contree_input_error` if a rule is broken, and for an unknown name.
#' @references
#' Prasad et al. (2024), SilvanForge: A Schedule-Guided Retargetable Compiler for Decision Tree
#' Inference, SOSP, whose Tables 1 to 3 have the directives, and section 3 the schedule `"gpu"`.
#' Prasad et al. (2022), Treebeard: An Optimizing Compiler for Decision Tree Based ML Inference,
#' MICRO.
#' @seealso [autotune()], [schedule_code()], [forge()],
#'   `vignette("schedules")`.
#' @examples
#' # the order of XGBoost: tiles of rows on threads, and each tree for a whole tile
#' by_tiles <- schedule("tile(batch, b0, b1, 64)", "reorder(b0, tree, b1)", "parallel(b0)")
#' by_tiles
#' plot(by_tiles)
#' identical(schedule(format(by_tiles)), by_tiles)
#'
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
#' fast <- forge(fit, schedule = by_tiles, show = "mid")
#' identical(predict(fast, mtcars), predict(fit, mtcars))
#' @export
schedule <- function(...) {
  text <- unlist(lapply(list(...), statements_of))
  if (!any(grepl("^\\s*schedule\\b", text))) text <- c("schedule 1", text)
  read <- call_schedule(.Call(ffi_schedule_read, paste(text, collapse = "\n")))
  read$loops <- as.data.frame(read$loops)
  read$text <- strsplit(read$text, "\n", fixed = TRUE)[[1]]
  structure(read, class = "contree_schedule")
}

statements_of <- function(x) {
  if (inherits(x, "contree_schedule")) return(x$text[-1])
  if (!is.character(x) || anyNA(x)) {
    stop_input("schedule", gettextf("a schedule consists of strings, not %s", show_value(x)))
  }
  x
}

call_schedule <- function(call) {
  call_core(call, function(message, status) {
    stop_input("schedule", gettextf("the schedule is not legal: %s", message))
  }, function(message) stop_unsupported("target", message))
}

#' @rdname schedule
#' @export
schedule_rules <- function() .Call(ffi_schedule_rules)

# ---- shown ---------------------------------------------------------------------------------------

#' @rdname schedule
#' @export
as.character.contree_schedule <- function(x, ...) x$text

#' @rdname schedule
#' @export
format.contree_schedule <- function(x, ...) {
  check_no_dots(...)
  x$text
}

#' @rdname schedule
#' @export
print.contree_schedule <- function(x, ...) {
  check_no_dots(...)
  loops <- describe_loops(x)
  cat(x$text, "", paste0(strrep("  ", x$loops$depth), loops), sep = "\n")
  invisible(x)
}

describe_loops <- function(x) {
  loops <- x$loops
  stop <- ifelse(is.na(loops$stop), ifelse(loops$over == "rows", "N", "T"),
                 format(loops$stop, trim = TRUE, scientific = FALSE))
  step <- ifelse(loops$step == 1, "", sprintf(" by %.0f", loops$step))
  marks <- ifelse(loops$marks == "", "", paste0(": ", loops$marks))
  sprintf("%s over %s %.0f .. %s%s%s", loops$loop, loops$over, loops$start, stop, step, marks)
}

#' @rdname schedule
#' @export
plot.contree_schedule <- function(x, ...) {
  loops <- x$loops
  n <- nrow(loops)
  # a loop's box ends with the last of the loops within it
  last <- vapply(seq_len(n), function(i) {
    after <- which(loops$depth <= loops$depth[i] & seq_len(n) > i)
    if (length(after)) after[1] - 1L else n
  }, 0L)
  graphics::plot(NA, xlim = c(0, 1), ylim = c(n + 0.6, 0.4), axes = FALSE, xlab = "", ylab = "",
                 ...)
  inset <- 0.03 * loops$depth
  # rows blue, trees orange: two colours that colour-blind readers tell apart
  fill <- ifelse(loops$over == "rows", "#d6e6f4", "#fbe0c8")
  graphics::rect(inset, seq_len(n) - 0.45, 1 - inset, last + 0.5 - 0.04 * loops$depth, col = fill,
                 border = ifelse(loops$marks == "", "grey60", "black"))
  graphics::text(inset + 0.015, seq_len(n) - 0.1, describe_loops(x), adj = 0)
  invisible(x)
}

# ---- with a forest -------------------------------------------------------------------------------

# The forged forest that predicts so, or as it would anyhow (NULL).
with_schedule <- function(forged, given, show = NULL) {
  if (!is.null(show)) show <- check_choice("show", show, c("high", "mid", "low"))
  if (is.null(given) && !is.null(show)) given <- schedule()
  if (is.null(given)) return(forged)
  schedule <- schedule(given)
  level <- match(if (is.null(show)) "low" else show, c("high", "mid", "low")) - 1L
  text <- text_of_schedule(forged, schedule, level)
  if (!is.null(show)) cat(text)
  forged$schedule <- schedule
  forged
}

# `what`: a level of the loops, from 0, or 3 for C, 4 for CUDA, 5 for PTX.
text_of_schedule <- function(forged, schedule, what, name = "") {
  call_schedule(.Call(ffi_schedule_show, forged_code(forged),
                      paste(schedule$text, collapse = "\n"),
                      isTRUE(forged$forest$exact_sums), what, name))
}

run_schedule <- function(object, columns, threads, simd = "auto") {
  call_forest(.Call(ffi_schedule_predict, forged_code(object),
                    paste(object$schedule$text, collapse = "\n"),
                    isTRUE(object$forest$exact_sums), columns, threads_to_use(threads), simd))
}
