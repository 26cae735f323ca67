# Planted faults in R code: Rscript tests/r/mutants.R LIBRARY [NAME...]
#
# Each mutant of mutants.txt is put into the namespace of the installed package, in a process of its own, and the test files
# that are likely to find it are run: one must fail. A mutant that none finds is a failure, and so is one whose lines are
# not in its file exactly once. The last line is `R mutants: N passed, N failed`.
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
    word <- function(word) sub(paste0("^", word, " +"), "", grep(paste0("^", word, " "), record, value = TRUE))
    side <- function(sign) paste(substring(record[startsWith(record, sign)], 2), collapse = "\n")
    list(name = word("mutant"), file = word("file"), killers = strsplit(word("killers"), ", *")[[1]],
         from = side("-"), to = side("+"))
  })
}

# The text of the file with the fault; NULL if its lines are not there exactly once.
mutated <- function(mutant) {
  text <- paste(c("", readLines(file.path("R", mutant$file)), ""), collapse = "\n")
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
    try(registerS3method(methods[i, 1], methods[i, 2], namespace[[methods[i, 3]]], namespace), silent = TRUE)
  }
}

fails <- function(killer) {
  path <- file.path("tests/testthat", paste0("test-", killer, ".R"))
  results <- as.data.frame(test_file(path, reporter = "silent", package = "contree", load_package = "none",
                                     env = new.env(parent = asNamespace("contree")), stop_on_failure = FALSE))
  sum(results$failed) + sum(results$error) > 0
}

# The test file that finds it, or what is wrong.
verdict <- function(mutant) {
  text <- mutated(mutant)
  if (is.null(text)) return("STALE: its lines are not in the file exactly once")
  job <- parallel::mcparallel({
    plant(text)
    Find(fails, mutant$killers)
  })
  killer <- parallel::mccollect(job)[[1]]
  if (is.character(killer)) paste0("test-", killer) else "SURVIVED"
}

mutants <- read_mutants("tests/r/mutants.txt")
if (length(arguments) > 1) mutants <- Filter(function(mutant) mutant$name %in% arguments[-1], mutants)
found <- vapply(mutants, function(mutant) {
  text <- verdict(mutant)
  cat(sprintf("%-30s | %s\n", mutant$name, text))
  startsWith(text, "test-")
}, NA)
cat(sprintf("R mutants: %d passed, %d failed\n", sum(found), sum(!found)))
quit(status = as.integer(!all(found) || length(found) == 0))
