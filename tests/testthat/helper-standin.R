# Small stand-ins for packages that cannot be had everywhere: only what contree calls, with the
# arguments as documented. They prove that contree registers by itself and calls what it should as
# it should, not more.

# Installs a stand-in with this code, everything in it exported, in a new library, whose path it
# returns.
stand_in <- function(name, code, imports = character()) {
  new_package(name, code, imports, "exportPattern('.')")
}

new_package <- function(name, code, imports, namespace) {
  folder <- file.path(tempfile("standin"), name)
  library <- file.path(dirname(folder), "library")
  dir.create(file.path(folder, "R"), recursive = TRUE)
  dir.create(library)
  writeLines(c(paste("Package:", name), "Version: 99.0", "Title: For Tests",
               "Description: For tests.", "License: none",
               "Author: none", "Maintainer: none <none@none>",
               if (length(imports)) paste("Imports:", toString(imports))),
             file.path(folder, "DESCRIPTION"))
  writeLines(namespace, file.path(folder, "NAMESPACE"))
  writeLines(code, file.path(folder, "R", "code.R"))
  said <- system2(file.path(R.home("bin"), "R"),
                  c("CMD", "INSTALL", "--no-test-load", paste0("--library=", shQuote(library)),
                    shQuote(folder)), stdout = TRUE, stderr = TRUE,
                  env = paste0("R_LIBS=",
                               shQuote(paste(.libPaths(), collapse = .Platform$path.sep))))
  if (!is.null(attr(said, "status"))) stop(paste(said, collapse = "\n"))
  library
}

# In another session, with the library first: what `code` says. contree is loaded before the other
# package and after it.
run_beside <- function(library, package, code) {
  with_library <- sprintf(".libPaths(c(%s, .libPaths()))", deparse1(library))
  load <- sprintf("loadNamespace(%s)", deparse1(package))
  list(after = run_session(c(with_library, load, code)),
       before = run_session(c("unloadNamespace('contree')", with_library, load, "library(contree)",
                              code)))
}

# What run_beside() heard last, both times.
expect_said <- function(said, expected) {
  for (when in names(said)) {
    expect_identical(tail(said[[when]], length(expected)), expected, info = when)
  }
}
