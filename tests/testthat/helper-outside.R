# What tests take from outside of R until they end: a database in memory, compiled C; and the twin
# of a GPU, for tests alone.

at_end_of <- function(frame, call) do.call(on.exit, list(call, add = TRUE), envir = frame)

sqlite <- function(..., frame = parent.frame()) {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:", ...)
  at_end_of(frame, bquote(if (DBI::dbIsValid(.(con))) DBI::dbDisconnect(.(con))))
  con
}

with_tables <- function(tables, code, ...) {
  con <- sqlite(...)
  for (name in names(tables)) DBI::dbWriteTable(con, name, tables[[name]])
  code(con)
}

# Rows as the table "x", with their numbers.
numbered <- function(rows) data.frame(id = seq_len(nrow(rows)), rows, check.names = FALSE)

# A column for each expression, computed by SQLite, which is left as it was.
in_sqlite <- function(rows, expressions) {
  with_tables(list(x = numbered(rows)), function(con) {
    columns <- paste(expressions, "AS", paste0("c", seq_along(expressions)), collapse = ", ")
    answer <- DBI::dbGetQuery(con, paste("SELECT", columns, "FROM x ORDER BY id"))
    expect_identical(DBI::dbListTables(con), "x")
    answer
  })
}

# C code as a shared library of that name, compiled without a warning.
compiled <- function(code, name, flags = "-std=c99 -Wall -Wextra -Werror", frame = parent.frame()) {
  folder <- tempfile("c")
  dir.create(folder)
  file <- file.path(folder, paste0(name, ".c"))
  writeLines(code, file, useBytes = TRUE)
  said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", shQuote(file)),
                                   stdout = TRUE, stderr = TRUE,
                                   env = sprintf("PKG_CFLAGS='%s'", flags)))
  library <- file.path(folder, paste0(name, .Platform$dynlib.ext))
  expect_true(file.exists(library), info = paste(said, collapse = "\n"))
  loaded <- dyn.load(library)
  at_end_of(frame, bquote(dyn.unload(.(library))))
  loaded
}

with_twin <- function(code) {
  old <- options(contree.twin = TRUE)
  on.exit(options(old))
  code
}

no_gpu <- function() !contree_gpu()$available[1]
