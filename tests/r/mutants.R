# Planted faults in R code: Rscript tests/r/mutants.R LIBRARY [NAME...], and a sample of faults made
# by rule (tests/sample_mutants.awk): Rscript tests/r/mutants.R LIBRARY --sample N SEED
#
# Each mutant of mutants.txt is put into the namespace of the installed package, and the test files
# that are likely to find it are run, each in a process of its own: one must fail, or crash the
# process. A mutant that none finds is a failure, and so is one that cannot be planted, as when its
# lines are not in its file exactly once. A fault in C, of a file below src/, is compiled in a copy
# of that folder, with the objects that lie there, and its entries take the place of the package's.
# The last line is `R mutants: N passed, N failed`.
arguments <- commandArgs(TRUE)
.libPaths(c(normalizePath(arguments[1]), .libPaths()))
Sys.setenv(NOT_CRAN = "true")
grDevices::pdf(NULL)
suppressPackageStartupMessages({
  library(testthat)
  library(contree)
})

# One list a mutant: name, file, killers, and the lines `from` and `to`.
read_mutants <- function(path) {
  lines <- readLines(path)
  starts <- grep("^mutant ", lines)
  lapply(Map(seq, starts, c(starts[-1] - 1, length(lines))), function(at) {
    record <- lines[at]
    word <- function(word) {
      sub(paste0("^", word, " +"), "", grep(paste0("^", word, " "), record, value = TRUE))
    }
    side <- function(sign) paste(substring(record[startsWith(record, sign)], 2), collapse = "\n")
    list(name = word("mutant"), file = word("file"),
         killers = strsplit(word("killers"), ", *")[[1]], from = side("-"), to = side("+"))
  })
}

is_c <- function(mutant) startsWith(mutant$file, "src/")

# The text of the file with the fault; NULL if its lines are not there exactly once.
mutated <- function(mutant) {
  path <- if (is_c(mutant)) mutant$file else file.path("R", mutant$file)
  text <- paste(c("", readLines(path), ""), collapse = "\n")
  parts <- strsplit(text, paste0("\n", mutant$from, "\n"), fixed = TRUE)[[1]]
  if (length(parts) == 2) paste0(parts[1], "\n", mutant$to, "\n", parts[2])
}

# Defines all of the file anew, in the namespace, among the exports and among the methods.
plant <- function(text) {
  namespace <- asNamespace("contree")
  defined <- new.env(parent = namespace)
  eval(parse(text = text), defined)
  for (place in list(namespace, as.environment("package:contree"))) {
    for (name in intersect(ls(defined), ls(place, all.names = TRUE))) {
      value <- defined[[name]]
      if (is.function(value)) environment(value) <- namespace
      unlockBinding(name, place)
      assign(name, value, place)
    }
  }
  methods <- getNamespaceInfo(namespace, "S3methods")
  for (i in which(methods[, 3] %in% ls(defined))) {
    try(registerS3method(methods[i, 1], methods[i, 2], namespace[[methods[i, 3]]], namespace),
        silent = TRUE)
  }
}

workshop <- "build/mutants_r"

# Compiles in the workshop what is newer than its object.
compile <- function() {
  home <- setwd(file.path(workshop, "src"))
  on.exit(setwd(home))
  arguments <- c("CMD", "SHLIB", "-o", "contree.so", "init.c")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), arguments, TRUE, TRUE))
  if (!is.null(attr(said, "status"))) stop(paste(tail(said, 5), collapse = "\n"))
}

# A copy of src/ with all objects.
open_workshop <- function() {
  if (!file.exists("src/Makevars"))
    system2("sh", "configure", env = "CONTREE_CUDA=no", stdout = FALSE)
  unlink(workshop, recursive = TRUE)
  dir.create(workshop, recursive = TRUE)
  file.copy("src", workshop, recursive = TRUE, copy.date = TRUE)
  unlink(file.path(workshop, "src/contree.so"))
  compile()
}

# The shared library with the fault, in a folder of the mutant's own.
build_faulty <- function(mutant, text) {
  path <- file.path(workshop, mutant$file)
  on.exit({
    file.copy(mutant$file, path, overwrite = TRUE, copy.date = TRUE)
    unlink(sub("c$", "o", path))
  })
  writeLines(text, path)
  unlink(sub("c$", "o", path))
  compile()
  folder <- file.path(tempdir(), mutant$name)
  dir.create(folder)
  file.copy(file.path(workshop, "src/contree.so"), folder)
  file.path(folder, "contree.so")
}

# Its entries in the place of the package's.
plant_entries <- function(library) {
  namespace <- asNamespace("contree")
  entries <- getDLLRegisteredRoutines(dyn.load(library))$.Call
  for (name in names(entries)) {
    unlockBinding(name, namespace)
    assign(name, entries[[name]], namespace)
  }
}

# Leaves by the restart `found` at the first failure.
first_failure <- R6::R6Class("first_failure", inherit = SilentReporter, public = list(
  add_result = function(context, test, result) {
    if (inherits(result, c("expectation_failure", "expectation_error"))) invokeRestart("found")
  }))

fails <- function(killer) {
  path <- file.path("tests/testthat", paste0("test-", killer, ".R"))
  withRestarts({
    test_file(path, reporter = first_failure$new(), package = "contree", load_package = "none",
              env = new.env(parent = asNamespace("contree")), stop_on_failure = FALSE)
    FALSE
  }, found = function() TRUE)
}

# The test file that finds it, or what is wrong.
verdict <- function(mutant) {
  text <- mutated(mutant)
  if (is.null(text)) return("STALE: its lines are not in the file exactly once")
  library <- if (is_c(mutant)) tryCatch(build_faulty(mutant, text), error = identity)
  if (inherits(library, "error")) return(paste("DOES NOT COMPILE:", conditionMessage(library)))
  for (killer in mutant$killers) {
    job <- parallel::mcparallel({
      if (is_c(mutant)) plant_entries(library) else plant(text)
      fails(killer)
    })
    failed <- suppressWarnings(parallel::mccollect(job))[[1]] # nothing from a process that crashed
    if (inherits(failed, "try-error")) return(paste("NOT TRIED:", failed))
    if (is.null(failed)) return(paste0("test-", killer, ", which crashed"))
    if (failed) return(paste0("test-", killer))
  }
  "SURVIVED"
}

# Records of N faults by rule in R/, with the tests of the file, or else of its room.
sample_mutants <- function(n, seed) {
  tests <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-"))
  killers_of <- function(file) {
    own <- sub("[.]R$", "", file)
    room <- tests[startsWith(tests, sub("-.*", "-", file))]
    paste(c(intersect(own, tests), setdiff(room, own)), collapse = ",")
  }
  files <- list.files("R", "[.]R$")
  killers <- paste0(files, "=", vapply(files, killers_of, ""), collapse = ";")
  path <- tempfile()
  system2("awk", shQuote(c("-v", "root=R/", "-v", paste0("n=", n), "-v", paste0("seed=", seed),
                           "-v", paste0("killers=", killers), "-f", "tests/sample_mutants.awk",
                           file.path("R", files))), stdout = path)
  path
}

# Of faults by rule the survivors are listed, which is no failure.
sampled <- length(arguments) > 3 && arguments[2] == "--sample"
records <- if (sampled) sample_mutants(arguments[3], arguments[4]) else "tests/r/mutants.txt"
mutants <- read_mutants(records)
if (length(arguments) > 1 && !sampled) {
  mutants <- Filter(function(mutant) mutant$name %in% arguments[-1], mutants)
}
if (any(vapply(mutants, is_c, NA))) open_workshop()
found <- vapply(mutants, function(mutant) {
  text <- verdict(mutant)
  cat(sprintf("%-30s | %s\n", mutant$name, text))
  startsWith(text, "test-")
}, NA)
if (sampled) {
  for (mutant in mutants[!found])
    cat("\n", mutant$name, "\n", mutant$from, "\n  =>\n", mutant$to, "\n", sep = "")
  cat(sprintf("R mutants by rule: %d found, %d survived\n", sum(found), sum(!found)))
  quit()
}
cat(sprintf("R mutants: %d passed, %d failed\n", sum(found), sum(!found)))
quit(status = as.integer(!all(found) || length(found) == 0))
