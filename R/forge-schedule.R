# schedule() and its verbs. What a schedule is, and whether it is legal, C knows
# (src/forge/schedule); here statements are put together, and the nest that they make is shown.

#' Schedules of predictions
#'
#' Predicting with a forest consists of two loops, over rows (`batch`) and over trees (`tree`),
#' around the walk of a row down a tree. A schedule defines in which order, in which tiles, on which
#' threads and with which representation of the trees they are executed, but not what is computed:
#' predictions are the same, bit for bit, under every legal schedule. A schedule is given to
#' [forge()].
#'
#' A schedule starts as `batch > tree`. Each of the functions below adds a statement, which is
#' checked at once.
#'
#' @order 1
#' @section Statements:
#' * `schedule_tile()`: divides a loop into tiles of `size` iterations: `outer` is the loop over the
#'   tiles, `inner` the loop within a tile. The last tile may be shorter.
#' * `schedule_split()`: divides a loop in two, `first` with the iterations before `at` and `second`
#'   with the others. Inner loops are copied; the names of the copies end with those of the two.
#' * `schedule_reorder()`: changes the order of loops that are directly nested.
#' * `schedule_parallel()`: runs iterations on the threads of the CPU.
#' * `schedule_gpu()`: maps iterations to a dimension of a GPU, `"grid.x"` to `"block.z"`.
#' * `schedule_cache()`: copies the rows of an iteration, or on a GPU the trees, to nearby memory.
#' * `schedule_interleave()`: `k` walks at once, to hide the latency of memory.
#' * `schedule_simdize()`: rows as vector lanes: 4, 8 or 16 for walks, 64 or 512 for bit planes.
#' * `schedule_unroll()`: walks of exactly `depth` steps without tests for leaves; no tree may be
#'   deeper.
#' * `schedule_peel()`: the first `depth` steps of a walk have no tests for leaves; no leaf may be
#'   nearer to the root.
#' * `schedule_atomic()`, `schedule_shared()`, `schedule_vector()`: how the sums of concurrent
#'   iterations of a loop over trees are combined: by atomic additions, in the shared memory of a
#'   GPU block, or by vectors of `width` rows. By default each iteration has its own sums, which are
#'   added after the loop.
#' * `schedule_represent()`: the representation of the trees: `"sparse"`, existing nodes only;
#'   `"array"`, perfect trees; `"reorg"`, perfect trees with the nodes of all trees side by side;
#'   `"planes"`, bit planes of tests, as described in [forge()].
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
#' @param text The text of a schedule, a string or a vector of lines: `schedule 1`, then one
#'   statement on each line as shown by `print()`; `#` starts a comment. `NULL`, the default: no
#'   statements.
#' @param schedule A schedule.
#' @param loop,outer,inner,first,second Names of loops, strings. New names consist of letters,
#'   digits and `_`.
#' @param ... Names of two or more loops, outermost first. For `print()` and `plot()`: not used, or
#'   passed on to [graphics::plot.default()].
#' @param size,at Number of iterations of a tile, counted in steps of the loop; the iteration at
#'   which to split.
#' @param dimension `"grid.x"`, `"grid.y"`, `"grid.z"`, `"block.x"`, `"block.y"` or `"block.z"`.
#' @param k,depth,width Whole numbers: number of walks, 1 to 16; depth, 1 to 64; number of lanes, as
#'   in Statements.
#' @param form `"sparse"`, `"array"`, `"reorg"` or `"planes"`.
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
#' by_tiles <- schedule() |>
#'   schedule_tile("batch", "b0", "b1", 64) |>
#'   schedule_reorder("b0", "tree", "b1") |>
#'   schedule_parallel("b0")
#' by_tiles
#' plot(by_tiles)
#' identical(schedule(format(by_tiles)), by_tiles)
#'
#' fit <- hist_forest(mpg ~ ., mtcars, trees = 20, seed = 1)
#' fast <- forge(fit, schedule = by_tiles, show = "mid")
#' identical(predict(fast, mtcars), predict(fit, mtcars))
#' @export
schedule <- function(text = NULL) {
  if (is.null(text)) text <- "schedule 1"
  if (!is.character(text) || anyNA(text)) {
    stop_input("text", gettextf("'text' must be a string or lines, not %s", show_value(text)))
  }
  read <- call_schedule(.Call(ffi_schedule_read, paste(text, collapse = "\n")))
  read$loops <- as.data.frame(read$loops)
  read$text <- strsplit(read$text, "\n", fixed = TRUE)[[1]]
  structure(read, class = "contree_schedule")
}

call_schedule <- function(call) {
  call_core(call, function(message, status) {
    stop_input("schedule", gettextf("the schedule is not legal: %s", message))
  }, function(message) stop_unsupported("target", message))
}

# A schedule with one more statement.
directed <- function(schedule, directive, ...) {
  if (!inherits(schedule, "contree_schedule")) {
    stop_input("schedule", gettextf("'schedule' must be a schedule, not %s",
                                    show_value(schedule)))
  }
  words <- vapply(list(...), function(word) {
    if (is.numeric(word) && length(word) == 1 && !is.na(word)) {
      return(format(word, scientific = FALSE, digits = 15))
    }
    if (is.character(word) && length(word) == 1 && !is.na(word)) return(word)
    stop_input("...", gettextf("loops and forms are strings, factors are numbers, not %s",
                               show_value(word)))
  }, "")
  statement <- sprintf("%s(%s)", directive, paste(words, collapse = ", "))
  schedule(c(schedule$text, statement))
}

#' @rdname schedule
#' @export
schedule_tile <- function(schedule, loop, outer, inner, size) {
  directed(schedule, "tile", loop, outer, inner, size)
}

#' @rdname schedule
#' @export
schedule_split <- function(schedule, loop, first, second, at) {
  directed(schedule, "split", loop, first, second, at)
}

#' @rdname schedule
#' @export
schedule_reorder <- function(schedule, ...) directed(schedule, "reorder", ...)

#' @rdname schedule
#' @export
schedule_parallel <- function(schedule, loop) directed(schedule, "parallel", loop)

#' @rdname schedule
#' @export
schedule_gpu <- function(schedule, loop, dimension) {
  directed(schedule, "gpuDimension", loop, dimension)
}

#' @rdname schedule
#' @export
schedule_cache <- function(schedule, loop) directed(schedule, "cache", loop)

#' @rdname schedule
#' @export
schedule_interleave <- function(schedule, loop, k) directed(schedule, "interleave", loop, k)

#' @rdname schedule
#' @export
schedule_simdize <- function(schedule, loop, width) directed(schedule, "simdize", loop, width)

#' @rdname schedule
#' @export
schedule_unroll <- function(schedule, loop, depth) directed(schedule, "unrollWalk", loop, depth)

#' @rdname schedule
#' @export
schedule_peel <- function(schedule, loop, depth) directed(schedule, "peelWalk", loop, depth)

#' @rdname schedule
#' @export
schedule_atomic <- function(schedule, loop) directed(schedule, "atomicReduce", loop)

#' @rdname schedule
#' @export
schedule_shared <- function(schedule, loop) directed(schedule, "sharedReduce", loop)

#' @rdname schedule
#' @export
schedule_vector <- function(schedule, loop, width) directed(schedule, "vectorReduce", loop, width)

#' @rdname schedule
#' @export
schedule_represent <- function(schedule, form) directed(schedule, "represent", form)

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
with_schedule <- function(forged, schedule, show = NULL) {
  if (!is.null(show)) show <- check_choice("show", show, c("high", "mid", "low"))
  if (is.null(schedule) && !is.null(show)) schedule <- schedule()
  if (is.null(schedule)) return(forged)
  schedule <- as_schedule(schedule)
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
