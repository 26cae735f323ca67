# A fit with something in it changed, as a file of saveRDS() may have it. `[[<-` and the like see a
# list, not a fit.
changed <- function(fit, change) {
  change <- substitute(change)
  list <- eval(call("{", change, quote(fit)), list(fit = unclass(fit)), parent.frame())
  structure(list, class = class(fit))
}

leveled <- contree_tree_with_levels()
leveled_rows <- data.frame(f = c("a", "b"), x = 1:2)

# What reads a fit, from the outside.
readers <- list(
  predict = function(fit, rows) predict(fit, rows),
  path = function(fit, rows) predict(fit, rows, type = "path"),
  predictor = function(fit, rows) contree_predictor(fit)(rows),
  print = function(fit, rows) capture.output(print(fit)),
  summary = function(fit, rows) summary(fit), rules = function(fit, rows) contree_rules(fit),
  sql = function(fit, rows) as_sql(fit), c = function(fit, rows) as_c(fit),
  dot = function(fit, rows) as_dot(fit),
  table = function(fit, rows) as.data.frame(fit),
  start = function(fit, rows) contree_control(start = fit),
  nobs = function(fit, rows) nobs(fit))

test_that("fits pass the check as they are, and after all that changes or reads them", {
  for_each_tree(function(fit, rows, expected, name) {
    expect_identical(contree:::check_fit(fit), fit, info = name)
    expect_s3_class(prune(fit, complexity = 0.05), "contree")
    if (requireNamespace("jsonlite", quietly = TRUE)) {
      expect_silent(contree:::check_fit(contree_from_json(as_json(fit))))
    }
  })
  heavy <- contree(Species ~ ., iris, depth = 2, weights = rep(1:3, 50), loss = 1 - diag(3),
                   model = TRUE)
  expect_identical(contree:::check_fit(heavy), heavy)
})

test_that("what the nodes cannot be is an error that names it, whoever reads them", {
  damaged <- list(
    names = changed(leveled, names(fit)[1] <- names(fit)[2]),
    frame = changed(leveled, fit$frame <- NULL),
    frame = changed(leveled, attr(fit$frame, "row.names") <- 1:4),
    frame = changed(leveled, fit$frame <- as.list(fit$frame)),
    "frame$var" = changed(leveled, fit$frame$var[1] <- "g"),
    "frame$var" = changed(leveled, fit$frame$var <- factor(fit$frame$var)),
    "row.names(frame)" = changed(leveled, fit$frame$var[1] <- "<leaf>"),
    "row.names(frame)" = changed(leveled, fit$frame <- fit$frame[-1, ]),
    "row.names(frame)" = changed(leveled, fit$frame <- fit$frame[5:1, ]),
    "row.names(frame)" = changed(leveled, attr(fit$frame, "row.names")[2] <- 1048576L),
    "row.names(frame)" = changed(leveled, attr(fit$frame, "row.names")[2] <- NA),
    "frame$n" = changed(leveled, fit$frame$n <- fit$frame$n + 0.5),
    "frame$n" = changed(leveled, fit$frame$n[2] <- NA),
    "frame$yval" = changed(leveled, fit$frame$yval[5] <- 4),
    "frame$yval" = changed(leveled, fit$frame$yval[5] <- 1.5),
    frame = changed(leveled, fit$frame$yval <- as.list(fit$frame$yval)),
    "frame$default_left" = changed(leveled, fit$frame$default_left[1] <- NA),
    "frame$yval2" = changed(leveled, fit$frame$yval2[3] <- NaN),
    "frame$yval2" = changed(leveled, fit$frame$yval2 <- fit$frame$yval2[, -1]),
    splits = changed(leveled, fit$splits <- fit$splits[-1, , drop = FALSE]),
    splits = changed(leveled, fit$splits[2, "index"] <- NaN),
    splits = changed(leveled, fit$splits[1, "ncat"] <- -1),
    splits = changed(leveled, fit$splits[2, "ncat"] <- 2),
    splits = changed(leveled, storage.mode(fit$splits) <- "character"),
    csplit = changed(leveled, fit$splits[1, "index"] <- 2),
    csplit = changed(leveled, fit$csplit[1] <- 9L),
    csplit = changed(leveled, fit$csplit <- fit$csplit[, 1, drop = FALSE]),
    csplit = changed(leveled, fit$csplit <- NULL),
    ylevels = changed(leveled, fit$ylevels[2] <- fit$ylevels[1]),
    ylevels = changed(leveled, fit$ylevels <- 1:3),
    xlevels = changed(leveled, fit$xlevels <- list()),
    xlevels = changed(leveled, fit$xlevels$f[1] <- NA),
    types = changed(leveled, fit$types[["f"]] <- "complex"),
    types = changed(leveled, fit$types <- fit$types[1]),
    shape = changed(leveled, fit$shape$names[2] <- "<leaf>"),
    shape = changed(leveled, fit$shape <- environment()),
    terms = changed(leveled, attr(fit$terms, "predvars") <- quote(stop("run"))),
    terms = changed(leveled, attr(fit$terms, "dataClasses") <- diag(2)),
    leaf = changed(leveled, fit$leaf <- list("classes")),
    leaf = changed(leveled, fit$leaf <- "class"),
    format_version = changed(leveled, fit$format_version <- 4L))
  for (i in seq_along(damaged)) for (reader in names(readers)) {
    expect_contree_error(readers[[reader]](damaged[[i]], leveled_rows), "input", names(damaged)[i])
  }
})

test_that("so is what the result and the training rows cannot be, for those that read them", {
  damaged <- list(
    objective = changed(iris2, fit$objective <- "6"), cost = changed(iris2, fit$cost <- NaN),
    gap = changed(iris2, fit$gap <- c(0, 0)), status = changed(iris2, fit$status <- "perfect"),
    capped = changed(iris2, fit$capped <- NA), loss = changed(iris2, fit$loss <- matrix(0, 2, 2)),
    control = changed(iris2, fit$control$depth <- NA_real_),
    history = changed(iris2, fit$history$time <- NULL), search = changed(
      iris2, fit$search <- unname(fit$search)), where = changed(iris2, fit$where[1] <- 99L),
    where = changed(iris2, fit$where <- fit$where[-1]), y = changed(iris2, fit$y[1] <- 0L),
    y = changed(iris2, fit$y <- NULL),
    na.action = changed(iris2, fit$na.action <- structure(152:153, class = "omit")),
    "each row is in a leaf" = changed(iris2, fit$where[1] <- 1L),
    "errors of the leaves" = changed(iris2, fit$objective <- fit$cost <- fit$bound <- 7),
    "children share the rows" = changed(iris2, fit$frame$n[2] <- 51L),
    "deeper than asked" = changed(iris2, fit$control$depth <- 1))
  for (i in seq_along(damaged)) {
    for (reader in c("print", "summary", "rules", "sql", "start", "predictor")) {
expect_contree_error(readers[[reader]](damaged[[i]], iris), "input", names(damaged)[i])
}
  }
})

test_that("nothing that a document holds is run, read or fetched", {
  skip_if_not_installed("jsonlite")
  data <- data.frame(t = .POSIXct(1:4, "UTC"), h = as.difftime(1:4, units = "hours"),
                     y = c("a", "a", "b", "b"))
  unit <- "\\\", format = stop(\\\"run\\\"), x = \\\""
  times <- sub("\"unit\":\"UTC\"",
               sprintf("\"unit\":\"%s\"", gsub("\\", "\\\\", unit, fixed = TRUE)),
               as_json(contree(y ~ t, data, depth = 1)))
  fit <- contree_from_json(times)
  rules <- contree_rules(fit)$rule
  expect_identical(as.list(str2lang(rules[1]))[[3]]$tz, "\", format = stop(\"run\"), x = \"")
  expect_output(print(fit))
  expect_match(predict(fit, data, type = "path")[1], "t < ")
  hours <- sub("\"unit\":\"hours\"", "\"unit\":\"\\\\\") + stop(\\\\\"\"",
               as_json(contree(y ~ h, data, depth = 1)))
  expect_contree_error(contree_from_json(hours), "input", c("predictors[1].unit", "hours"))
  # neither a path nor an address is followed
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  writeLines(as_json(iris2), file)
  expect_contree_error(contree_from_json(file), "input", "not JSON")
  expect_contree_error(contree_from_json(paste0("file://", file)), "input", "not JSON")
})

test_that("documents that are deep, long or odd end in an error", {
  skip_if_not_installed("jsonlite")
  text <- as_json(leveled)
  refused <- function(from, to, words) {
    expect_contree_error(contree_from_json(sub(from, to, text, fixed = TRUE)), "input", words)
  }
  expect_contree_error(contree_from_json(paste0(strrep("[", 1e5), strrep("]", 1e5))), "input", "x")
  refused("\"name\":\"f\"", "\"name\":\"<leaf>\"", "predictors[1].name")
  refused("\"name\":\"x\"", "\"name\":\"\"", "predictors[2].name")
  refused("\"depth\":2", "\"depth\":30", "settings.depth")
  refused("\"depth\":2", "\"depth\":1", "deeper")
  refused("\"threshold\":", "\"threshold\":1e999, \"was\":", "nodes")
  refused("\"n\":24,", "\"n\":1e300,", "nodes[1].n")
  refused("\"id\":2", "\"id\":2147483650", "nodes")
  refused("\"objective\": 0", "\"objective\": 5", "objective")
  refused("\"bound\": 0", "\"bound\": 50", "bound")
  refused("\"status\": \"optimal\"", "\"status\": \"perfect\"", "status")
})

test_that("a column that is not there is not taken for a leaf", {
  fit <- changed(contree(y ~ f + x, data.frame(f = 1:4, x = 4:1, y = c("a", "a", "b", "b")),
                         depth = 1),
                 attr(fit$terms, "predvars") <- quote(list(y)))
  fit <- changed(fit, attr(fit$terms, "variables") <- quote(list(y)))
  expect_contree_error(predict(fit, data.frame(f = 1, x = 2)), "input", "newdata")
})

test_that("sums of weights that are rounded are no damage", {
  for (seed in seeds(60, 20)) {
    set.seed(seed)
    data <- mixed_table(sample(10:50, 1), 3)
    fit <- suppressMessages(contree(y ~ ., data, depth = 2, weights = runif(nrow(data))^3,
                                    complexity = seed %% 2 / 100))
    expect_identical(contree:::check_fit(fit), fit)
    if (requireNamespace("jsonlite", quietly = TRUE)) {
      expect_s3_class(contree_from_json(as_json(fit)), "contree")
    }
  }
})

test_that("amounts and codes are finite, within their limits, and whole", {
  for (x in list(numeric(), integer(), 3L, c(1, 2.5), c(0L, 7L))) {
    expect_true(contree:::is_amounts(x))
  }
  for (x in list(NA_integer_, c(1, NA), c(1, NaN), c(Inf, 1), -1, c(3L, -1L), "1", TRUE, factor(1),
                 matrix(1))) {
    expect_false(contree:::is_amounts(x))
  }
  expect_false(contree:::is_amounts(c(2, -Inf), low = -Inf))
  expect_false(contree:::is_amounts(1:3, 2))
  for (x in list(numeric(), c(1, 3), 3:1)) expect_true(contree:::is_codes(x, 3))
  for (x in list(c(1, 4), 0:2, c(1, 1.5), c(1L, NA), c(2, NaN))) {
    expect_false(contree:::is_codes(x, 3))
  }
})

test_that("an argument that cannot be evaluated is no damage of the fit", {
  fit <- contree(Species ~ ., iris, depth = 1)
  expect_error(predict(fit, newdata = not_there), "not_there")
  problem <- tryCatch(predict(fit, newdata = not_there), error = identity)
  expect_false(inherits(problem, "contree_error"))
})
