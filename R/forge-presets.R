# Schedules of the literature and of this package by name.

#' @rdname schedule
#' @description
#' `schedule_preset()` returns predefined schedules.
#' @param name Name of a predefined schedule, `"xgboost"` by default:
#'   * `"one-row"`: row by row, eight trees at once, for few rows;
#'   * `"one-tree"`: tree by tree over all rows, eight rows at once;
#'   * `"xgboost"`: the order of XGBoost: tiles of rows on threads, and tree by tree in each tile;
#'   * `"planes"`, `"reach"`: bit planes of tests, for 512 rows at a time on threads. Perfect and
#'     nearly perfect trees are evaluated as networks; others by reach, sets of rows divided from
#'     the root downwards. The two names stand for the same schedule; [forge()] decides which method
#'     each tree uses;
#'   * `"tahoe-direct"`, `"tahoe-data"`, `"tahoe-forest"`, `"tahoe-partial"`: the four strategies of
#'     Tahoe for GPUs: one thread for each row; one block for each row, held in shared memory, with
#'     one thread for each tree; parts of the forest in shared memory; the same for blocks that hold
#'     parts of the rows and of the forest. The second and the last add trees concurrently and need
#'     `forge(sums = "reproducible")`;
#'   * `"fil"`: the strategy of the Forest Inference Library of RAPIDS: a block for a few rows (4 by
#'     default), held in shared memory, which its threads (256 by default) share with each other's
#'     sums; each takes trees in turn and walks down one with all of the rows at once; nodes of all
#'     trees side by side. It needs `forge(sums = "reproducible")`;
#'   * `"gpu"`: the loop nest of SilvanForge for GPUs: blocks of rows, threads for rows and for
#'     parts of the trees.
#' @param rows,trees Of a predefined schedule: the number of rows of a tile or a block, a whole
#'   number, 64 by default; and the number of trees that are cached, or of threads for trees, 8 by
#'   default.
#' @references
#' Xie et al. (2021), Tahoe: Tree
#' Structure-Aware High Performance Inference Engine for Decision Tree Ensemble on GPU, EuroSys.
#' @examples
#'
#' schedule_preset("xgboost")
#' schedule_preset("tahoe-forest", rows = 128, trees = 4)
#' @export
schedule_preset <- function(name = c("xgboost", "one-row", "one-tree", "planes", "reach",
                                     "tahoe-direct", "tahoe-data", "tahoe-forest",
                                     "tahoe-partial", "fil", "gpu"),
                            rows = if (name == "fil") 4 else 64,
                            trees = if (name == "fil") 256 else 8) {
  name <- check_choice("name", name)
  for (size in c("rows", "trees")) {
    check_number(size, get(size), gettext("a whole number of at least 1"), is_count)
  }
  text <- switch(name,
    xgboost = c(row_tiles(rows), "reorder(b0, tree, b1)", "parallel(b0)", "interleave(b1, 8)"),
    "one-row" = "interleave(tree, 8)",
    "one-tree" = c("reorder(tree, batch)", "interleave(batch, 8)"),
    planes = , reach = c(row_tiles(512), "reorder(b0, tree, b1)", "parallel(b0)",
                         "simdize(b1, 512)", "represent(planes)"),
    "tahoe-direct" = c(row_tiles(rows), on_gpu("b0", "grid.x"), on_gpu("b1", "block.x")),
    "tahoe-data" = c(on_gpu("batch", "grid.x"), on_gpu("tree", "block.x"), "cache(batch)"),
    "tahoe-forest" = c(row_tiles(rows), sprintf("tile(tree, t0, t1, %.0f)", trees),
                       "reorder(b0, b1, t0, t1)", "cache(t0)", on_gpu("b0", "grid.x"),
                       on_gpu("b1", "block.x")),
    "tahoe-partial" = c(row_tiles(rows), sprintf("tile(tree, t0, u, %.0f)", 4 * trees),
                        sprintf("tile(u, t1, t2, %.0f)", trees), "reorder(b0, t0, b1, t1, t2)",
                        "cache(t1)", on_gpu("b0", "grid.x"), on_gpu("t0", "grid.y"),
                        on_gpu("b1", "block.x")),
    fil = c(row_tiles(rows), sprintf("tile(tree, t0, t1, %.0f)", trees),
            "reorder(b0, t1, t0, b1)", on_gpu("b0", "grid.x"), on_gpu("t1", "block.x"), "cache(b0)",
            sprintf("interleave(b1, %.0f)", min(rows, 16)), "sharedReduce(t1)",
            "represent(reorg)"),
    gpu = c(row_tiles(rows), sprintf("tile(tree, t0, t1, %.0f)", trees),
            "reorder(b0, b1, t1, t0)", on_gpu("b0", "grid.x"), on_gpu("b1", "block.x"),
            on_gpu("t1", "block.y"), "cache(b0)", "sharedReduce(t1)"))
  schedule(text)
}

row_tiles <- function(rows) sprintf("tile(batch, b0, b1, %.0f)", rows)

on_gpu <- function(loop, dimension) sprintf("gpuDimension(%s, %s)", loop, dimension)

# ---- as code -------------------------------------------------------------------------------------

#' @rdname as_c
#' @description
#' `schedule_code()` generates source code, in C or for a GPU, for the loops of a [schedule()] with
#' a given forest. The results are those of [predict()][predict.forged_forest] with `type =
#' "margin"`, bit for bit; for a forest of classes without a link they are the sums over the trees,
#' which divided by their total are the margins.
#' @param forged A result of [forge()].
#' @param schedule A [schedule()], or its text; by default that of `forged`.
#' @param target `"c"` (the default): C99 with the trees as tables; parallel loops use OpenMP.
#'   `"cuda"`: kernels for a schedule with loops on dimensions of a GPU; the trees are passed by
#'   pointer. `"ptx"`: these kernels compiled by NVRTC, if it is installed, for devices of compute
#'   capability 7.5 and higher.
#' @section Schedules:
#' In C the result of `schedule_code()` defines `int NAME(const struct ct_model *m, const double *x,
#' long long n_rows, long long row_step, long long column_step, double *out)`, where `m` is
#' `&NAME_model`, row r has feature f at `x[r * row_step + f * column_step]`, and `out` receives a
#' column for each output; it returns 1 if memory cannot be allocated. Missing values are NaN. In
#' CUDA it defines the kernels `NAME_begin`, `NAME_nest` and `NAME_end`, to be launched one after
#' another. Bit planes are replaced by walks of 16 rows there.
#' @return `schedule_code()`: a string.
#' @section Errors:
#' `contree_input_error` for a `name` that is not a valid C identifier, if the schedule is not legal
#' for the forest, or if it has no loop on a GPU and CUDA or PTX is requested;
#' `contree_unsupported_error` for PTX without NVRTC.
#' @examples
#' fast <- forge(hist_forest(mpg ~ ., mtcars, trees = 2, depth = 2, seed = 1))
#' code <- schedule_code(fast, schedule_preset("xgboost"))
#' cat(tail(strsplit(code, "\n")[[1]], 40), sep = "\n")
#' @export
schedule_code <- function(forged, schedule = forged$schedule, target = c("c", "cuda", "ptx"),
                          name = "forest_margins") {
  check_forged(forged)
  target <- check_choice("target", target)
  check_c_name(name)
  schedule <- if (is.null(schedule)) schedule() else schedule(schedule)
  text_of_schedule(forged, schedule, c(c = 3L, cuda = 4L, ptx = 5L)[[target]], name)
}

check_forged <- function(forged) {
  if (inherits(forged, "forged_forest")) return(invisible())
  stop_input("forged", gettextf("'forged' must be a result of forge(), not %s",
                                show_value(forged)))
}
