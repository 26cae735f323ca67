# Schedules: statements and text, what they refuse, and predictions under them.

fit <- hist_forest(mpg ~ ., mtcars, trees = 21, seed = 1)
rows <- mtcars[rep(1:32, 5), ]
expected <- predict(forge(fit), rows, type = "margin")

test_that("statements are added to schedules and texts", {
  tiles <- c("tile(batch, b0, b1, 64)", "reorder(b0, tree, b1)", "parallel(b0)")
  added <- schedule(schedule(tiles), "interleave(b1, 4)", "represent(array)")
  expect_identical(schedule(format(added)), added)
  expect_identical(schedule(paste(c("schedule 1  # first", tiles), collapse = "\n"),
                            "interleave(b1, 4)\nrepresent(array)"), added)
  expect_identical(as.character(added), c("schedule 1", tiles, "interleave(b1, 4)",
                                          "represent(array)"))
  expect_identical(added$loops$loop, c("b0", "tree", "b1"))
  expect_identical(added$loops$depth, 0:2)
  expect_identical(added$loops$stop, c(NA, NA, 64))
  expect_identical(added$loops$marks, c("parallel", "", "interleave 4"))
  expect_false(added$gpu)
  expect_output(print(added), "b0 over rows 0 .. N by 64: parallel\n  tree over trees 0 .. T")
  on_gpu <- schedule("tile(tree, t0, t1, 4)", "tile(batch, b0, b1, 8)", "reorder(b0, b1, t1, t0)",
                     "gpuDimension(b0, grid.x)", "gpuDimension(b1, block.x)",
                     "gpuDimension(t1, block.y)", "cache(b0)", "sharedReduce(t1)",
                     "unrollWalk(t0, 7)")
  expect_true(on_gpu$gpu)
})

test_that("errors name statement, loop and rule", {
  expect_contree_error(schedule("tile(batch, b0, b1, 0)"), "input",
                       c("statement 1, tile", "loop 'batch'", "rule tile-size"))
  expect_contree_error(schedule("cache(rows)"), "input", "rule loop")
  expect_contree_error(schedule("schedule 1\ntile(batch"), "input", c("line 2", "rule syntax"))
  expect_contree_error(schedule("schedule 2"), "input", "rule version")
  expect_contree_error(schedule(1), "input", "consists of strings")
  expect_contree_error(schedule("cache(batch)", NA_character_), "input", "NA")
  expect_contree_error(forge(fit, schedule = 1), "input", "consists of strings")
  expect_contree_error(forge(fit, schedule = mean), "input", "consists of strings")
  expect_contree_error(forge(fit, schedule = "parallel(tree)"), "input",
                       c("loop 'tree'", "rule order", "reproducible"))
  expect_contree_error(forge(fit, schedule = "schedule 1\nunrollWalk(tree, 1)"), "input",
                       c("tree 1 is", "rule unroll-depth"))
  rules <- schedule_rules()
  expect_true(all(nzchar(rules)))
  expect_identical(anyDuplicated(names(rules)), 0L)
})

test_that("predictions have the same bits under all presets", {
  presets <- eval(formals(schedule_preset)$name)
  exact <- forge(fit, sums = "reproducible")
  exactly <- predict(exact, rows, type = "margin")
  for (name in presets) {
    under <- schedule_preset(name, rows = 16, trees = 3)
    expect_identical(schedule(format(under)), under)
    by <- forge(fit, sums = "reproducible", schedule = under)
    expect_identical(predict(by, rows, type = "margin"), exactly, info = name)
    if (name %in% c("tahoe-data", "tahoe-partial", "fil", "gpu")) next
    expect_identical(predict(forge(fit, schedule = under), rows, type = "margin"), expected,
                     info = name)
  }
  expect_identical(predict(forge(fit, schedule = schedule_preset("xgboost")), rows[0, ]),
                   predict(forge(fit), rows[0, ]))
  under <- forge(fit, schedule = schedule_preset("one-tree"))
  expect_identical(predict(under, rows, type = "leaf"), predict(forge(fit), rows, type = "leaf"))
})

test_that("loops are shown at each level", {
  under <- schedule_preset("xgboost")
  expect_output(forge(fit, schedule = under, show = "high"), "predictEnsemble")
  expect_output(forge(fit, schedule = under, show = "mid"),
                "parallel for b0 = 0 .. N step 64.*walkDecisionTree.*8 at once of b1")
  expect_output(forge(fit, schedule = under, show = "low"), "min\\(64, N - b0\\)")
  expect_output(forge(fit, show = "mid"), "for batch = 0 .. N")
  expect_output(print(forge(fit, schedule = under)), "Under the schedule\n  schedule 1")
})

test_that("a nest is drawn", {
  drawn <- schedule_preset("tahoe-partial")
  expect_identical(plot(drawn), drawn)
})

test_that("a schedule is written as C and as CUDA", {
  fast <- forge(fit, schedule = schedule_preset("xgboost"))
  code <- schedule_code(fast, name = "mpg")
  expect_match(code, "int mpg(const struct ct_model *m", fixed = TRUE)
  expect_match(code, "#pragma omp parallel for", fixed = TRUE)
  expect_contree_error(schedule_code(fast, target = "cuda"), "input", "no loop is on")
  expect_contree_error(schedule_code(fit), "input", "'forged'")
  cuda <- schedule_code(fast, schedule_preset("tahoe-direct"), "cuda", "mpg")
  expect_match(cuda, "__global__ void mpg_nest(", fixed = TRUE)
  expect_match(cuda, "threadIdx.x", fixed = TRUE)
  ptx <- tryCatch(schedule_code(fast, schedule_preset("tahoe-direct"), "ptx", "mpg"),
                  contree_unsupported_error = function(problem) "NVRTC is not there: mpg_nest")
  expect_match(ptx, "mpg_nest", fixed = TRUE)
})

test_that("C text that is compiled predicts the same bits", {
  skip_if_not(nzchar(Sys.which("cc")), "a C compiler")
  fast <- forge(fit, schedule = schedule_preset("one-tree"))
  library <- compiled(c(schedule_code(fast, name = "mpg"),
                        "void run(double *x, int *n, int *columns, double *out)",
                        "{ mpg(&mpg_model, x, *n, 1, *n, out); (void) columns; }"), "mpg", "")
  x <- as.matrix(rows[fast$forest$features])
  storage.mode(x) <- "double"
  got <- .C(getNativeSymbolInfo("run", library), x, nrow(x), ncol(x), double(nrow(x)))[[4]]
  expect_identical(got, unname(expected))
})

test_that("tuning keeps the fastest, and what it saw", {
  fast <- forge(fit)
  tuned <- autotune(fast, rows, time_limit = 0.05)
  times <- tuned$tuned$times
  expect_identical(times$schedule[1:2], c("none", "rule"))
  # none of the others stands unless it took less than the way without a schedule, then and when
  # both were timed once more
  least <- min(times$seconds, na.rm = TRUE)
  expect_true(is.null(tuned$schedule) || least < 0.97 * times$seconds[1])
  two <- autotune(forge(fit, sums = "reproducible"), rows, threads = 2, time_limit = 0.01)
  expect_true("trees in parallel" %in% two$tuned$times$schedule)
  expect_true(all(times$seconds[1:2] > 0) && all(times$seconds > 0, na.rm = TRUE))
  expect_identical(predict(tuned, rows, type = "margin"), expected)
  expect_identical(autotune(tuned, rows), tuned)
  elsewhere <- tuned
  elsewhere$tuned$machine[["nodename"]] <- "another"
  elsewhere$tuned$times <- NULL
  again <- autotune(elsewhere, rows, time_limit = 0.05)
  expect_identical(again$tuned$machine, tuned$tuned$machine)
  expect_identical(nrow(again$tuned$times), nrow(times))
  expect_identical(autotune(tuned, rows[1:3, ], time_limit = 0.05)$tuned$rows, 4)
  expect_contree_error(autotune(fast), "input", "'newdata'")
  expect_contree_error(autotune(fast, rows, time_limit = 0), "input", "'time_limit'")
})

test_that("schedules are timed in turns", {
  order <- NULL
  taking <- function(run) run()
  taken <- list(c(3, 5), c(4, 2), c(10, 10))
  timed <- contree:::time_in_turns(1:3, 100, function(i) {
    order <<- c(order, i)
    taken[[i]][1 + length(order) %/% 4 %% 2]
  }, taking)
  expect_identical(timed, c(3, 2, 10))
  expect_identical(order, rep(1:3, 20))
  expect_identical(contree:::time_in_turns(1:2, 0, function(i) i, taking), c(1, 2))
  expect_identical(contree:::is_faster(c(1, 0.98)), FALSE)
  expect_identical(contree:::is_faster(c(1, 0.96)), TRUE)
})

test_that("a schedule stands if it wins three of four turns", {
  wins <- function(n, by = 0.9) {
    turn <- 0
    contree:::wins_turns(list("first", "second"), function(one) {
      if (one == "first") return(1)
      turn <<- turn + 1
      if (turn <= n) by else 1
    }, function(run) run())
  }
  expect_identical(c(wins(11), wins(12), wins(16), wins(16, 0.98)), c(FALSE, TRUE, TRUE, FALSE))
})

test_that("one thread's time is a mean, that of more threads the shortest", {
  time <- 0
  runs <- c(0.0015, 0.001, 0.0025, 0.001)
  made <- 0
  run <- function() {
    made <<- made + 1
    time <<- time + runs[made]
  }
  clock <- function() time
  expect_equal(contree:::time_of_processor(run, clock), 0.005 / 3)
  expect_identical(made, 3)
  made <- 0
  expect_equal(contree:::time_by_clock(run, clock), 0.001)
  expect_identical(made, 3)
  once <- function() sum(runif(1e4))
  expect_true(contree:::time_of_processor(once) > 0 && contree:::time_by_clock(once) > 0)
})

test_that("the rule has tiles for all threads where smaller tiles pay", {
  rows_of_tile <- function(forest, rows, threads) {
    tile <- grep("^tile", schedule_by_rule(forest, rows, threads)$text, value = TRUE)
    as.numeric(sub(".* ([0-9]+)\\)$", "\\1", tile))
  }
  planes <- forge(fit)
  expect_identical(rows_of_tile(planes, 512, 2), 512)
  expect_identical(rows_of_tile(planes, 512, 3), 64)
  expect_identical(rows_of_tile(planes, 1024, 5), 512)
  walks <- planes
  walks$info$planes <- FALSE
  expect_identical(rows_of_tile(walks, 512, 1), 512)
  expect_identical(rows_of_tile(walks, 1024, 2), 512)
  expect_identical(rows_of_tile(walks, 1023, 2), 256)
  expect_identical(rows_of_tile(walks, 400, 16), 64)
})

test_that("Algorithm 1 times 39 schedules", {
  points <- contree:::gpu_points
  expect_identical(nrow(points(4096, 20)), 36L)
  expect_setequal(points(512, 20)$tree_threads, c(20, 50))
  expect_setequal(points(4096, 129)$rows_block, c(8, 32))
  expect_setequal(points(4096, 20)$rows_block, c(32, 64))
  exact <- forge(fit, sums = "reproducible")
  calls <- 0
  # a clock that likes threads for rows, interleaving, and shared memory
  clock <- function(one) {
    calls <<- calls + 1
    text <- paste(one$schedule$text, collapse = "\n")
    10 - 2 * grepl("b0, u, 64", text) - grepl("interleave\\(t0, 4", text) -
      3 * grepl("sharedReduce", text)
  }
  tuned <- contree:::tune_by_launches(exact, 4096, clock)
  expect_identical(nrow(tuned$tuned$times), 39L)
  expect_identical(sum(!is.na(tuned$tuned$times$seconds)), as.integer(calls))
  expect_true(any(grepl("sharedReduce", tuned$schedule$text)))
  expect_true("interleave(t0, 4)" %in% tuned$schedule$text)
  expect_identical(predict(tuned, rows, type = "margin"), predict(exact, rows, type = "margin"))
  expect_contree_error(contree:::tune_by_launches(forge(fit), 4096, clock), "unsupported",
                       "reproducible")
})

test_that("sizes of presets are numbers", {
  for (size in list("a", NA, 0, 1.5, NULL, list(1), quote(x))) {
    expect_contree_error(schedule_preset("fil", rows = size), "input", "'rows'")
    expect_contree_error(schedule_preset("fil", trees = size), "input", "'trees'")
  }
})
