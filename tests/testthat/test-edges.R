# Numbers at the edges: every training row must come to the leaf that the search gave it, in R and
# in what is written for other programs, whatever the numbers are.

edge_tables <- function() {
  up <- function(x, steps) x + steps * 2^(floor(log2(abs(x))) - 52)
  list(
    adjacent = data.frame(x = up(1 / 3, 0:11)), adjacent_large = data.frame(x = up(1e300, 0:11)),
    adjacent_below_one = data.frame(x = 1 - (11:0) * 2^-53),
    denormals = data.frame(x = 0:11 * 5e-324),
    zeros = data.frame(x = rep(c(-0, 0, 5e-324, -5e-324), 3)),
    signs = data.frame(x = c(-1e300, -1, -5e-324, 0, 5e-324, 1)),
    largest = data.frame(x = c(-1, 1, 0.5, -0.5, 0, 1 - 2^-53) * .Machine$double.xmax),
    above_2_53 = data.frame(x = 2^53 + 2 * (0:11)),
    around_2_63 = data.frame(x = 2^63 + 2048 * (-6:5)),
    integers = data.frame(x = c(-.Machine$integer.max, -1L, 0L, 1L, .Machine$integer.max, NA)),
    seconds = data.frame(x = .POSIXct(1.7e9 + 0:11 * 2^-22, "Europe/Berlin")),
    # the hour that is there twice, and the one that is not
    summer = data.frame(x = .POSIXct(1698537600 + 900 * (0:11), "Europe/Berlin")),
    lt = data.frame(x = I(as.POSIXct(as.POSIXlt(.POSIXct(-1e9 + 0.125 * (0:11), "UTC"))))),
    days = data.frame(x = as.Date("2024-02-28") + 0:5),
    whole_days = data.frame(x = structure(c(-719162L, -1:4), class = "Date")),
    part_days = data.frame(x = .Date(19000 + 0:11 / 16)),
    far_days = data.frame(x = .Date(c(-1e12, -1e6, 0, 1e6, 1e12, 1e300))),
    far_times = data.frame(x = .POSIXct(c(-1e300, -1e18, 0, 1e15, 1e18, 1e300), "UTC")),
    minutes = data.frame(x = as.difftime(0:11 / 3, units = "mins")),
    weeks = data.frame(x = as.difftime(0:5, units = "weeks")),
    missing = data.frame(x = c(NA, NaN, 1, up(1, 1), up(1, 2), NA)))
}

# The classes alternate, so that the tree needs its thresholds where the values are closest; each
# value is there twice.
edge_fits <- function(test) {
  tables <- edge_tables()
  for (name in names(tables)) {
    x <- tables[[name]]
    if (inherits(x$x, "AsIs")) class(x$x) <- setdiff(class(x$x), "AsIs")
    x <- x[rep(seq_len(nrow(x)), each = 2), , drop = FALSE]
    row.names(x) <- NULL
    y <- factor(c("a", "b")[1 + (seq_len(nrow(x)) %/% 2.001) %% 2])
    test(contree(x, y, depth = 3), x, name)
  }
}

leaves <- function(fit) contree:::node_ids(fit)[fit$where]

test_that("the tables have the thresholds that they are made for", {
  edge_fits(function(fit, x, name) expect_gte(sum(fit$frame$var != "<leaf>"), 1, label = name))
  x <- edge_tables()
  expect_identical(length(unique(x$adjacent$x)), 12L)
  expect_identical(length(unique(x$adjacent_large$x)), 12L)
  expect_identical(length(unique(x$denormals$x)), 12L)
  expect_identical(1 / unique(x$zeros$x[1]), -Inf)
})

test_that("training rows are predicted where the search put them, and where R compares them to", {
  edge_fits(function(fit, x, name) {
    expect_identical(unname(predict(fit, x, type = "node")), leaves(fit), info = name)
    expect_identical(contree_predictor(fit, type = "node")(x), leaves(fit), info = name)
    expect_identical(walk(fit, x), leaves(fit), info = name)
    again <- unserialize(serialize(fit, NULL))
    expect_identical(unname(predict(again, x, type = "node")), leaves(fit), info = name)
    expect_no_match(paste(capture.output(print(fit)), collapse = " "), "< NA", info = name)
  })
})

test_that("-0 is 0", {
  fit <- contree(data.frame(x = c(-0, 0, 1, -1)), factor(c("a", "b", "b", "a")), depth = 2)
  zeros <- predict(fit, data.frame(x = c(-0, 0)), type = "node")
  expect_identical(zeros[[1]], zeros[[2]])
})

test_that("rules with 17 digits select the rows of their leaf", {
  edge_fits(function(fit, x, name) {
    rules <- contree_rules(fit, digits = 17)
    inside <- vapply(rules$rule, function(rule) rep_len(eval(str2lang(rule), x), nrow(x)) %in% TRUE,
                     logical(nrow(x)))
    known <- !is.na(x$x)
    expect_identical(rules$node[max.col(inside[known, ])], leaves(fit)[known], info = name)
    expect_true(all(rowSums(inside[known, ]) == 1), info = name)
  })
})

test_that("JSON and SQL have all digits", {
  skip_if_not_installed("jsonlite")
  con <- sqlite()
  edge_fits(function(fit, x, name) {
    again <- contree_from_json(as_json(fit))
    expect_identical(unname(predict(again, x, type = "node")), leaves(fit), info = name)
    data <- data.frame(id = seq_len(nrow(x)), x = as.numeric(x$x))
    DBI::dbWriteTable(con, "x", data, overwrite = TRUE)
    text <- paste("SELECT", as_sql(fit, "node", dates = "number"), "AS node FROM x ORDER BY id")
    expect_identical(as.integer(DBI::dbGetQuery(con, text)$node), leaves(fit), info = name)
  })
})

test_that("so has C", {
  skip_on_cran()
  compiler <- Sys.which("cc")
  skip_if(!nzchar(compiler), "no C compiler")
  code <- rows <- wanted <- list()
  edge_fits(function(fit, x, name) {
    code[[name]] <<- unclass(as_c(fit, name))
    # hexadecimal, so that nothing is lost on the way
    values <- ifelse(is.na(x$x), "NAN", sprintf("%a", as.numeric(x$x)))
    rows[[name]] <<- sprintf("  { double x[] = {%s}; printf(\"%%d\\n\", %s_node(x)); }", values,
                             name)
    wanted[[name]] <<- leaves(fit)
  })
  file <- tempfile("edges", fileext = ".c")
  program <- sub("c$", "out", file)
  on.exit(unlink(c(file, program)))
  writeLines(c(unlist(code), "#include <stdio.h>", "int main(void) {", unlist(rows), "  return 0;",
               "}"), file)
  expect_identical(system2(compiler, c("-std=c99", "-O1", file, "-o", program, "-lm")), 0L)
  expect_identical(as.integer(system2(program, stdout = TRUE)), unlist(wanted, use.names = FALSE))
})

test_that("standard SQL has no dates beyond the year 9999", {
  edge_fits(function(fit, x, name) {
    if (!name %in% c("far_days", "far_times")) return(expect_match(as_sql(fit), "CASE"))
    expect_contree_error(as_sql(fit), "input", c("'dates'", "number"))
  })
})
