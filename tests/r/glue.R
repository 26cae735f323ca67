# The .Call entries from R, in ways that show faults of memory: Rscript tests/r/glue.R LIBRARY
# [torture]
#
# With `torture` R collects garbage at every allocation of an entry (gctorture2), so that whatever
# is not protected is gone when it is used; the answers must be those of quiet times. Without, it
# goes through the entries once, for valgrind. The calls are those that R code makes of its own
# accord, recorded on their way, and each spoiled so that the entry refuses it. Ends with `glue: N
# passed, N failed`.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
torture <- "torture" %in% arguments
library(contree)
options(warn = -1)

# ---- calls ---------------------------------------------------------------------------------------

calls <- list()
record <- function(entry, ...) {
  if (length(calls) < 200) calls[[length(calls) + 1]] <<- list(entry, ...)
  base::.Call(entry, ...)
}

# Functions that call an entry see record() by the name of .Call.
namespace <- asNamespace("contree")
for (name in c("search_at_once", "solve_part", "hash_of_data", "grain_of_costs", "contree_gpu",
               "contree_info", "route_nodes", "forest_outputs", "processors", "sums_of_rows",
               "device_number")) {
  original <- get(name, namespace)
  surroundings <- list2env(list(.Call = record), parent = namespace)
  assignInNamespace(name, as.function(c(formals(original), body(original)), surroundings),
                    "contree")
}

set.seed(1)
n <- 40
data <- data.frame(x = round(rnorm(n), 1), i = sample(5L, n, TRUE), l = runif(n) < 0.5,
                   f = factor(sample(letters[1:4], n, TRUE)), c = sample(c("p", "q"), n, TRUE),
                   y = sample(c("u", "v", "w"), n, TRUE))
for (name in c("x", "f", "l")) data[[name]][sample(n, 5)] <- NA
fit <- contree(y ~ ., data, depth = 2)
weighted <- contree(y ~ x + i, data, depth = 2, weights = runif(n), loss = 1 - diag(3), start = fit,
                    complexity = 0.01)
options(contree.part_lengths = list(first_most = 2, most_thresholds = 5))
in_parts <- contree(y ~ x + i, data, depth = 3, checkpoint = tempfile())
matrix <- as.matrix(iris[c(1:20, 51:70), 1:4])
numbers <- contree(matrix, iris$Species[c(1:20, 51:70)], depth = 3, max_thresholds = 5, threads = 2)
regression <- contree:::new_model(
  list(feature = c(1L, 0L, 0L), threshold = c(3.5, NA, NA), left = c(2L, 0L, 0L),
       right = c(3L, 0L, 0L), default_left = c(TRUE, NA, NA), sides = vector("list", 3),
       missing = integer(3), n = c(4, 2, 2), weight = c(4, 2, 2), errors = c(3, 1, 1)),
  contree:::linear_leaves(c(0, 1, 2), cbind(x = c(0, 0.5, 0), i = c(1, 0, -1))),
  list(types = c(i = "integer", x = "numeric"),
       shape = list(names = c("i", "x"), inputs = c("i", "x"))),
  quote(made()), where = integer())
invisible(list(
  predict(regression, data), predict(fit, data),
  predict(numbers, matrix), predict(weighted, data, type = "prob"), contree_predictor(fit)(data),
  contree_path(y ~ x + i, data, depth = 2), contree_alternatives(numbers, n = 2), contree_info(),
  contree_gpu(), contree(y ~ x, data, depth = 0), contree_threads()))
options(contree.twin = TRUE)
forged <- forge(hist_forest(mpg ~ ., mtcars, trees = 5, depth = 3, seed = 1))
invisible(list(predict(forged, mtcars, device = "twin"),
               predict(forged, mtcars[rep(1:32, 20), ], device = "auto"),
               predict(forged, mtcars, device = "cuda:9999") |> try(silent = TRUE)))

entry_name <- function(call) call[[1]]$name

# Far from a proof when the time is up, which goes by counts: with a function that is told of the
# progress, and one that leaves by an error.
is_solve <- function(call) entry_name(call) == "ffi_exact_solve"
solve <- Find(is_solve, calls)
hard <- local({
  x <- as.data.frame(base::matrix(runif(20000), 2000))
  list(solve[[1]], as.list(x), sample(1:2, 2000, TRUE), 2L, replace(solve[[5]], "depth", list(4)))
})
with_report <- function(report, seconds) {
  hard[[5]][c("report", "time_limit")] <- list(report, seconds)
  hard
}
told <- 0
reports <- list(with_report(function(...) told <<- told + 1, 0.5),
                with_report(function(...) stop("leave"), Inf))

# Each argument in turn, and each setting, is not what it should be.
spoiled <- function(call) {
  bad <- lapply(seq_along(call)[-1],
                function(i) lapply(list(NULL, "a", -1L, list(1, "a")), function(value) {
    call[i] <- list(value)
    call
  }))
  if (is_solve(call)) {
    bad <- c(bad, list(lapply(names(call[[5]]), function(name) {
      call[[5]][name] <- list(quote(a))
      call
    })))
  }
  unlist(bad, recursive = FALSE)
}
refused <- unlist(lapply(calls[!duplicated(vapply(calls, entry_name, ""))], spoiled),
                  recursive = FALSE)

# What times differs from run to run, unless it is refused.
rows <- base::matrix(runif(20), 2)
on_twin <- function(rows, seconds) {
  list(namespace$ffi_forged_device_time, contree:::forged_code(forged), "", FALSE, rows, 1L, -1L,
       seconds)
}
refused <- c(refused, list(on_twin(rows, -1), on_twin(rows, NULL), on_twin(rows[0, ], 0.001),
                           on_twin(rows, 61)))
check_time <- function() is.double(do.call(.Call, on_twin(rows, 0.001), quote = TRUE))

# ---- runs ----------------------------------------------------------------------------------------

# What does not depend on the clock.
settled <- function(answer) {
  if (is.list(answer)) {
    answer[setdiff(names(answer), c("elapsed", "history", "search", "threads"))]
  } else {
    answer
  }
}

run <- function(call) {
  tryCatch(settled(do.call(.Call, call, quote = TRUE)), error = conditionMessage)
}

tortured <- function(call) {
  if (!torture) return(run(call))
  gctorture2(1)
  on.exit(gctorture2(0))
  run(call)
}

passed <- failed <- 0
check <- function(fine, what) {
  if (isTRUE(fine)) passed <<- passed + 1 else {
    failed <<- failed + 1
    cat("  FAILED:", what, "\n")
  }
}

for (i in seq_along(calls)) {
  check(identical(tortured(calls[[i]]), run(calls[[i]])), sprintf("call %d", i))
}
for (i in seq_along(refused)) {
  check(identical(tortured(refused[[i]]), run(refused[[i]])), sprintf("refused call %d", i))
}
check(check_time(), "a time")
.Call(contree:::ffi_count_time, 0.001, 1e5)
tortured(reports[[1]])
check(told > 0, "progress")
check(identical(tortured(reports[[2]]), "leave"), "an error of the function that is told")
.Call(contree:::ffi_count_time, 0, 0)
if (torture) {
  # all of R on the way, at some allocations
  gctorture2(211)
  again <- contree(y ~ ., data, depth = 2)
  class <- predict(again, data)
  gctorture2(0)
  check(identical(again$frame, fit$frame) && identical(class, predict(fit, data)),
        "a fit as users make it")
}
cat(sprintf("%d calls, %d spoiled\n", length(calls), length(refused)))
cat(sprintf("glue: %d passed, %d failed\n", passed, failed))
quit(status = as.integer(failed > 0))
