# What a formula needs of the place where it was written.
#
# Variables of a formula may call functions and use constants of the function that called contree(),
# as in y ~ I(x > cutoff). A fit must find them again when it predicts, but must not carry that
# function's other variables, data among them, into the file it is saved in. So what is needed is
# copied, if it is small, into environments of its own, one for each that it was found in; the
# workspace, namespaces and attached packages are saved by name and stay as they are.

# Bytes of a value, with all it holds on to, beyond which it is not kept.
most_kept_bytes <- 1e6

# An environment in which `expressions` can be evaluated as in `environment`, but for names among
# `data` (columns, whatever has one value a row), which new data will have.
lasting_environment <- function(environment, expressions = list(), data = character()) {
  top <- if (is.null(environment)) globalenv() else topenv(environment, NULL)
  if (!isNamespace(top)) top <- globalenv()
  if (is.null(environment) || is_lasting(environment)) return(top)
  keeper <- new_keeper()
  # a variable of the formula that is a name is data, wherever it is
  calls <- Filter(is.call, expressions)
  variables <- unique(unlist(lapply(calls, all.vars)))
  functions <- unique(unlist(lapply(calls,
                                    function(call) setdiff(all.names(call), all.vars(call)))))
  for (name in setdiff(variables, data)) keeper$keep(name, environment, "any")
  for (name in functions) keeper$keep(name, environment, "function")
  if (keeper$is_empty()) top else keeper$copy_of(environment)
}

# Is it saved by name?
is_lasting <- function(environment) {
  identical(environment, globalenv()) || identical(environment, baseenv()) ||
    identical(environment, emptyenv()) ||
    isNamespace(environment) || startsWith(c(attr(environment, "name"), "")[1], "package:")
}

# list(keep, copy_of, is_empty): `keep` copies what a name stands for in an environment, and what
# that needs; `copy_of` is what stands for an environment.
new_keeper <- function() {
  originals <- copies <- list()
  copy_of <- function(environment) {
    if (is_lasting(environment)) return(environment)
    for (i in seq_along(originals)) if (identical(originals[[i]], environment)) return(copies[[i]])
    copy <- new.env(parent = copy_of(parent.env(environment)))
    originals[[length(originals) + 1]] <<- environment
    copies[[length(copies) + 1]] <<- copy
    copy
  }
  keep <- function(name, environment, mode) {
    home <- home_of(name, environment, mode)
    if (is_lasting(home)) return(invisible())
    copy <- copy_of(home)
    value <- tryCatch(get(name, home, mode = mode, inherits = FALSE),
                      error = function(problem) NULL)
    if (is.null(value) || exists(name, copy, inherits = FALSE)) return(invisible())
    if (typeof(value) != "closure") {
      if (is_small(value)) assign(name, value, copy)
      return(invisible())
    }
    short <- without_source(value)
    environment(short) <- copy_of(environment(value))
    assign(name, short, copy)
    needed <- setdiff(unlist(lapply(c(list(body(value)), formals(value)), all.names)),
                      c(names(formals(value)), ""))
    for (inner in needed) keep(inner, environment(value), "any")
  }
  is_empty <- function() {
    all(vapply(copies, function(copy) length(ls(copy, all.names = TRUE)), 0L) == 0)
  }
  list(keep = keep, copy_of = copy_of, is_empty = is_empty)
}

# The first environment from `environment` on that has the name, or that is saved by name.
home_of <- function(name, environment, mode) {
  has <- function(environment) {
    tryCatch(exists(name, environment, mode = mode, inherits = FALSE),
             error = function(problem) FALSE)
  }
  while (!is_lasting(environment) && !has(environment)) environment <- parent.env(environment)
  environment
}

is_small <- function(value) {
  bytes <- as.numeric(utils::object.size(value)) # which does not see what environments hold
  bytes <= most_kept_bytes && (is.atomic(value) ||
                               length(serialize(value, NULL)) <= most_kept_bytes)
}

# Where R keeps the source of functions, a copy would bring the whole file with it: in the function,
# and in calls among its attributes.
without_source <- function(f) {
  kept <- attributes(f)
  f <- utils::removeSource(f)
  attributes(f) <- lapply(kept[names(kept) != "srcref"], function(value) {
    if (is.call(value)) attr(value, "srcref") <- NULL
    value
  })
  f
}
