# Imported forests as C, beside each other, and what they gained.

models <- forge_models()

# Margins by a program that the C compiler makes of the code.
compiled_margins <- function(forest, rows) {
  folder <- tempfile("c")
  dir.create(folder)
  outputs <- length(forest$ensemble$base)
  file <- file.path(folder, "forest.c")
  writeLines(c(as_c(forest, "f"), sprintf(
    "void rows(const double *x, const int *n, const int *p, double *out)
{
  for (int i = 0; i < *n; i++) f(x + (size_t) i * (size_t) *p, out + (size_t) i * %d);
}", outputs)), file)
  flags <- "PKG_CFLAGS='-std=c99 -Wall -Wextra -Werror'"
  said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", shQuote(file)),
                                   stdout = TRUE, stderr = TRUE, env = flags))
  library <- file.path(folder, paste0("forest", .Platform$dynlib.ext))
  expect_true(file.exists(library), info = paste(said, collapse = "\n"))
  loaded <- dyn.load(library)
  on.exit(dyn.unload(library))
  out <- .C(getNativeSymbolInfo("rows", loaded), as.double(t(rows)), nrow(rows), ncol(rows),
            out = double(nrow(rows) * outputs), NAOK = TRUE)$out
  matrix(out, ncol = outputs, byrow = TRUE)
}

test_that("C code gives the makers' margins", {
  skip_on_cran()
  skip_if(!nzchar(Sys.which("make")) || !nzchar(Sys.which("cc")), "no C compiler")
  for (name in c("xgb-vectors-ubj", "xgb-onehot", "lgb-binary", "lgb-codes", "lgb-none",
                 "xgb-softprob")) {
    model <- models[models$name == name, ]
    expect_identical(compiled_margins(import_model(model), forge_rows(model)), forge_margin(model),
                     info = name)
  }
  fit <- import_forest(hist_forest(Species ~ ., iris, trees = 5, seed = 1))
  x <- as.matrix(iris[1:4])
  expect_identical(compiled_margins(fit, x), unname(predict(forge(fit), x, type = "margin")))
  expect_error(as_c(fit, "1"), class = "contree_input_error")
})

test_that("all.equal() says where forests differ", {
  text <- readLines(forge_fixture("lgb-regression.txt"))
  with <- function(pattern, by) {
    import_forest(charToRaw(paste(sub(pattern, by, text), collapse = "\n")))
  }
  one <- with("a^", "")
  expect_true(all.equal(one, forge(one)))
  expect_true(all.equal(forge(one), one))
  first <- sub("leaf_value=([^ ]*) .*", "\\1", grep("^leaf_value=", text, value = TRUE)[1])
  other <- with(paste0("^leaf_value=", first), "leaf_value=0.5")
  expect_match(all.equal(one, other), "tree 1, node [0-9]+: value .*, 0.5$")
  expect_true(all.equal(one, other, tolerance = 100))
  expect_match(all.equal(one, with("^threshold=[^ ]*", "threshold=0.125")), "threshold .*, 0.125")
  expect_match(all.equal(one, import_forest(forge_fixture("lgb-regression.txt"), iterations = 2)),
               "^trees: 4, 2$")
  expect_match(all.equal(one, import_forest(forge_fixture("lgb-binary.txt")))[1], "link")
  expect_match(all.equal(one, 1), "not a forest")
  expect_error(all.equal(one, one, tolerance = -1), class = "contree_input_error")
})

test_that("gains are the makers'", {
  forest <- import_forest(forge_fixture("lgb-regression.txt"))
  lines <- readLines(forge_fixture("lgb-regression.txt"))
  numbers <- function(name) {
    as.numeric(unlist(strsplit(sub(".*=", "", grep(paste0("^", name, "="), lines, value = TRUE)),
                               " ")))
  }
  sums <- tapply(numbers("split_gain"), numbers("split_feature"), sum)
  importance <- contree_importance(forge(forest))
  expect_equal(importance$gain, unname(sort(as.vector(sums), decreasing = TRUE)))
  expect_identical(sum(importance$splits), length(numbers("split_gain")))
  expect_output(print(importance), "Gain of the splits")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(importance))
  tree <- list(feature = 0L, threshold = 0, left = 0L, right = 0L, default_left = FALSE,
               missing = 1L, set = 0L, leaf_id = 0L, values = matrix(1))
  expect_error(contree_importance(new_forest_ir(list(tree), 1)),
               class = "contree_unsupported_error")
})
