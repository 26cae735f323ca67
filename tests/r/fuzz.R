# Hostile inputs: Rscript tests/r/fuzz.R LIBRARY [CASES] [SEED]
#
# Documents of as_json(), fits, settings and the arguments of the .Call entries, each spoiled at
# random: a part is dropped, doubled, given another type or length, or replaced by something
# hostile; bytes of documents are cut, doubled and spliced. Every case must end in an error of the
# package or in something that can be used throughout. A case is the same every time, and searches
# end by counts; the one under way is in build/test/fuzz_r.case, should R itself come to an end or
# to none, and `Rscript tests/r/fuzz.R LIBRARY 1 CASE` runs that one alone. Ends with `fuzz_r: N
# passed, N failed`.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
cases <- as.numeric(c(arguments, "1000")[2])
first <- as.numeric(c(arguments[-(1:2)], "1")[1])
suppressPackageStartupMessages(library(contree))
grDevices::pdf(NULL)
options(warn = -1)
Sys.unsetenv("R_TESTS")

pick <- function(x) x[[sample.int(length(x), 1)]]

# ---- what is spoiled -----------------------------------------------------------------------------

table_of_all <- local({
  set.seed(1)
  n <- 60
  data <- data.frame(
    x = round(rnorm(n), 1), i = sample(5L, n, TRUE), l = runif(n) < 0.5,
    f = factor(sample(letters[1:4], n, TRUE)), o = factor(sample(1:3, n, TRUE), ordered = TRUE),
    d = as.Date("2020-01-01") + sample(50, n, TRUE), t = .POSIXct(
      1.5e9 + round(1e5 * runif(n), 2), "UTC"), h = as.difftime(runif(n), units = "hours"),
    c = sample(c("p", "q"), n, TRUE))
  for (name in names(data)) data[[name]][sample(n, 5)] <- NA
  data$y <- factor(sample(c("u", "v", "w"), n, TRUE))
  data
})

fits <- c(
  lapply(list(c("x", "f"), c("o", "d"), c("t", "h"), c("l", "c", "i")), function(names) {
    contree(stats::reformulate(names, "y"), table_of_all, depth = 2)
  }),
  list(contree(table_of_all[1:4], table_of_all$y, depth = 2, weights = runif(60),
               loss = 1 - diag(3)),
       contree(y ~ log(abs(x) + 1), table_of_all, depth = 2, na.action = na.exclude, model = TRUE),
       contree(y ~ x, table_of_all, depth = 0)))
documents <- vapply(fits, function(fit) unclass(as_json(fit)), "")

hostile_values <- list(
  NULL, NA, NA_integer_, NaN, Inf, -Inf, -1, 0, 0.5, -1L, 2L^30L, 2^31, 2^53 + 1, 1e300, 5e-324, "",
  "<leaf>", "NA", "x",
  "y", "'); DROP TABLE x; --", "\xff\xfe", strrep("a", 1e4), TRUE, list(), list(1, "a"),
  character(), integer(),
  quote(stop("run")), quote(y), function(...) stop("run"), globalenv(), as.raw(0:3), 1i,
  factor("a"), Sys.Date(), data.frame(), matrix(0, 2, 2),
  expression(stop("run")), 1:100, c(a = 1))
json_values <- Filter(function(value) {
  is.null(value) || (is.vector(value) &&
                     (is.list(value) || (is.atomic(value) && !is.raw(value) && !is.complex(value))))
}, hostile_values)

# ---- how -----------------------------------------------------------------------------------------

# One change to a value as a whole.
spoil <- function(x, values) {
  n <- length(x)
  switch(sample(9, 1),
    pick(values),
    if (n) x[-sample.int(n, 1)] else x,
    if (n) x[c(seq_len(n), sample.int(n, 1))] else list(x),
    x[sample.int(n)],
    as.list(x),
    as.vector(x, sample(c("character", "double", "integer", "logical"), 1)),
    if (n) `[<-`(x, sample.int(n, 1), list(pick(values))) else x,
    `names<-`(x, if (n) sample(c(names(x), "", "extra"), n, TRUE)),
    if (is.atomic(x) && n) {
      single <- Filter(function(v) is.atomic(v) && length(v) == 1, values)
      `[<-`(x, sample.int(n, 1), pick(single))
    } else x)
}

# One change somewhere within, in an element or (`attributes`) in an attribute.
spoil_within <- function(x, values, attributes = TRUE) {
  if (!is.list(x) && !(attributes && length(attributes(x)) && runif(1) < 0.3)) {
    return(spoil(x, values))
  }
  if (runif(1) < 0.15 || length(x) == 0) return(spoil(x, values))
  class <- attr(x, "class")
  if (attributes && length(attributes(x)) && runif(1) < 0.15) {
    name <- pick(names(attributes(x)))
    attr(x, name) <- spoil_within(attr(x, name), values)
    return(x)
  }
  if (!is.list(x)) return(spoil(x, values))
  x <- unclass(x)
  at <- sample.int(length(x), 1)
  x[at] <- list(spoil_within(x[[at]], values, attributes))
  attr(x, "class") <- class
  x
}

tokens <- c("{", "}", "[", "]", ",", ":", "\"", "null", "true", "-1", "1e999", "1e-999",
            "\"\\u0000\"", "\\", "\u202e",
            "NaN", "\"<leaf>\"", "\"Infinity\"", "0.1", "99999999999999999999", "\"id\":1,",
            strrep("[", 2000))

spoil_bytes <- function(text) {
  bytes <- charToRaw(text)
  at <- sort(sample.int(length(bytes), 2))
  part <- bytes[at[1]:min(at[2], at[1] + 200)]
  other <- charToRaw(pick(documents))
  from <- sample.int(length(other), 1)
  head <- bytes[seq_len(at[1])]
  tail <- bytes[-seq_len(at[1])]
  bytes <- switch(sample(6, 1), c(head, tail[-seq_along(part)]), c(head, part, tail),
    c(head, charToRaw(pick(tokens)), tail),
    replace(bytes, at[1], as.raw(sample(255, 1))),
                  c(head, other[from:min(length(other), from + 300)], tail),
    c(head, charToRaw(pick(tokens)), tail[-1]))
  rawToChar(bytes)
}

# ---- what must hold ------------------------------------------------------------------------------

# "value", or "refused" by an error of the package; anything else is said as it is.
outcome <- function(code) {
  tryCatch({
    force(code)
    "value"
  }, contree_error = function(problem) "refused", error = function(problem) paste(
    "error:", conditionMessage(problem)))
}

readers <- list(
  predict = function(fit) {
    class <- predict(fit, table_of_all)
    stopifnot(is.factor(class), length(class) == 60,
              as.integer(class) %in% seq_along(levels(class)))
    leaf <- predict(fit, table_of_all, type = "node")
    stopifnot(leaf %in% as.data.frame(fit)$node, predict(fit, table_of_all, type = "prob") >= 0)
  },
  path = function(fit) predict(fit, table_of_all, type = "path"),
  fitted = function(fit) fitted(fit),
  predictor = function(fit) contree_predictor(fit)(table_of_all),
  print = function(fit) utils::capture.output(print(fit)),
  summary = function(fit) utils::capture.output(print(summary(fit))),
  rules = function(fit) utils::capture.output(
    print(contree_rules(fit))), sql = function(fit) as_sql(fit, "prob"),
  c = function(fit) as_c(fit),
  dot = function(fit) as_dot(fit), pmml = function(fit) write_pmml(fit, tempfile()),
  json = function(fit) as_json(fit),
  prune = function(fit) prune(fit, complexity = 0.1), plot = function(fit) plot(fit),
  residuals = function(fit) residuals(fit), rpart = function(fit) as.rpart(fit),
  frame = function(fit) model.frame(fit), table = function(fit) as.data.frame(fit),
  start = function(fit) contree(y ~ x + f, table_of_all, depth = 1, start = fit))

# Documents that are taken must be of use: what they were read into is written and read again, and
# gives the same.
try_document <- function(text) {
  fit <- NULL
  said <- outcome(fit <- contree_from_json(text))
  if (said != "value") return(said)
  for (name in setdiff(names(readers), c("fitted", "frame", "residuals"))) {
    said <- outcome(readers[[name]](fit))
    if (!said %in% c("value", "refused")) return(paste0(name, ": ", said))
  }
  again <- contree_from_json(as_json(fit))
  if (!identical(as_json(again), as_json(fit))) return("another document")
  "value"
}

try_fit <- function(fit) {
  # what cannot be made a fit is none
  fit <- tryCatch(structure(fit, class = c("contree", "contree_model")), error = identity,
                  warning = identity)
  if (!inherits(fit, "contree")) return("refused")
  said <- vapply(readers, function(reader) outcome(reader(fit)), "")
  bad <- !said %in% c("value", "refused")
  if (any(bad)) return(paste0(names(said)[bad][1], ": ", said[bad][1]))
  if (all(said == "refused")) "refused" else "value"
}

try_settings <- function(given) {
  if (!is.list(given)) given <- list(control = given)
  # a proof of depth 16 may take years
  given <- given[setdiff(names(given), c("time_limit", "start", "progress", "verbose", "model"))]
  outcome({
    fit <- do.call(contree, c(list(y ~ x + f, table_of_all, time_limit = 0.2), given), quote = TRUE)
    readers$predict(fit)
  })
}

# Here any error will do, as long as R goes on.
try_call <- function(call) {
  tryCatch(do.call(.Call, call), error = identity)
  "value"
}

# ---- cases ---------------------------------------------------------------------------------------

settings <- list(depth = 2, complexity = 0.01, minbucket = 2, minsplit = 3, max_gap = 0,
                 max_thresholds = 5, memory_limit = "1GB", threads = 1, device = "cpu",
                 deterministic = TRUE, smallest = TRUE, missing = "learn", subset_levels = 4,
                 new_levels = "error", on_interrupt = "return")

entry <- asNamespace("contree")
route_arguments <- function(fit) {
  table <- contree:::routing_table(fit)
  list(entry$ffi_tree_route, contree:::node_label(fit) * 0L + (!contree:::node_is_leaf(fit)),
       table$threshold, table$left, table$right, table$default_left, table$levels_left,
       seq_along(table$left), list(runif(9), 1:9, rep(NA, 9)), 1L)
}
solve_arguments <- list(entry$ffi_exact_solve, list(runif(12), 1:12), rep(1:2, 6), 2L, list(
  depth = 2, complexity = 0, minbucket = 1, minsplit = 2, max_gap = 0, max_cost = Inf,
  beside = NULL, beside_splits = 0L, within = 0,
  max_thresholds = Inf, time_limit = 0.2, memory_limit = Inf, threads = 1, device = "twin",
  any_of_ties = 0, any_size = 0, simd = "", switches = character(), weights = NULL, loss = NULL,
  start = NULL, roots = NULL, report = NULL, part = NULL))

times <- function() sample(c(1, 1, 1, 2, 4), 1)
# A change that R itself does not make is left out.
repeated <- function(x, change) {
  for (i in seq_len(times())) x <- tryCatch(change(x), error = function(problem) x)
  x
}
kinds <- list(
  bytes = function() try_document(repeated(pick(documents), spoil_bytes)),
  document = function() {
    tree <- repeated(jsonlite::parse_json(pick(documents)),
                     function(x) spoil_within(x, json_values, attributes = FALSE))
    text <- tryCatch(unclass(jsonlite::toJSON(tree, auto_unbox = TRUE, digits = NA, null = "null",
                                              na = "null")),
                     error = function(problem) "{}")
    try_document(text)
  },
  fit = function()
    try_fit(repeated(unclass(pick(fits)), function(x) spoil_within(x, hostile_values))),
  settings = function() try_settings(
    repeated(settings, function(x) spoil_within(x, hostile_values, attributes = FALSE))),
  route = function() {
    call <- route_arguments(pick(fits))
    try_call(c(call[1], repeated(call[-1], function(x) spoil_within(x, hostile_values))))
  },
  solve = function() {
    call <- solve_arguments
    if (runif(1) < 0.5) { # as contree_alternatives() asks
      call[[5]][c("beside", "beside_splits", "within")] <-
        list(sample(2L, 12, TRUE), sample(0:3, 1), sample(c(0, 0.5, 3), 1))
    }
    try_call(c(call[1], repeated(call[-1], function(x) spoil_within(x, hostile_values))))
  })

run_case <- function(case) {
  set.seed(case)
  .Call(entry$ffi_count_time, 0.001, 0)
  kind <- names(kinds)[sample.int(length(kinds), 1, prob = c(3, 3, 4, 1, 1, 1))]
  said <- tryCatch(suppressMessages(kinds[[kind]]()),
                   error = function(problem) paste("error:", conditionMessage(problem)))
  list(kind = kind, said = said)
}

dir.create("build/test", showWarnings = FALSE, recursive = TRUE)
file <- "build/test/fuzz_r.case"
counts <- matrix(0L, length(kinds), 3,
                 dimnames = list(names(kinds), c("used", "refused", "failed")))
for (case in first + seq_len(cases) - 1) {
  cat(case, "\n", file = file)
  result <- run_case(case)
  column <- match(result$said, c("value", "refused"), 3L)
  counts[result$kind, column] <- counts[result$kind, column] + 1L
  if (column == 3) cat(sprintf("  FAILED: case %.0f (%s): %s\n", case, result$kind, result$said))
}
print(counts)
failed <- sum(counts[, "failed"])
cat(sprintf("fuzz_r: %d passed, %d failed\n", sum(counts) - failed, failed))
quit(status = as.integer(failed > 0))
