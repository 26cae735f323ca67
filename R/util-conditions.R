# Errors, warnings and messages: their classes, and the functions that signal them.
#
# Every error that a user can cause or meet has the class contree_error and one class that says
# whose fault it is:
#   contree_input_error        an argument or the data cannot be used as given
#   contree_unsupported_error  the request makes sense, but this version cannot do it yet
#   contree_internal_error     the package contradicts itself; a bug
#   contree_interrupted_error  Ctrl-C, where the user asked for an error (on_interrupt)
# A search that stopped early gives a warning, see exact-limits.R.
# The message names the argument and the value; `advice`, which follows it, says what to do;
# `argument` holds the name for programs.
# The call shown is the one the user typed, not that of the helper that noticed.

stop_input <- function(argument, message, advice = NULL) {
  stop_contree("input", paste(c(message, advice), collapse = "; "), argument)
}

stop_unsupported <- function(argument, message) stop_contree("unsupported", message, argument)

stop_internal <- function(message) {
  stop_contree("internal", paste(message, gettext("This is a bug in contree; please report it.")),
               NULL)
}

# A call of C. What it could not do has a status (src/r/glue.c): what is about the call, `refuse`
# says, a function of the message and the status.
call_core <- function(call, refuse, no_device = stop_device) {
  tryCatch(call, contree_core_error = function(problem) stop_core(problem, refuse, no_device))
}

stop_core <- function(problem, refuse, no_device = stop_device) {
  message <- conditionMessage(problem)
  switch(problem$status,
    "internal" = stop_internal(paste("internal error, please report:", message)),
    "interrupted" = stop_contree("interrupted", gettext("interrupted"), NULL),
    "no device" = no_device(message))
  refuse(message, problem$status)
}

stop_contree <- function(kind, message, argument) {
  classes <- c(paste0("contree_", kind, "_error"), "contree_error", "error", "condition")
  stop(structure(list(message = message, call = user_call(), argument = argument), class = classes))
}

# A warning of class `contree_<kind>`; `facts` are elements of it besides its message.
warn_contree <- function(kind, message, facts = list()) {
  warning(structure(c(list(message = message, call = user_call()), facts),
                    class = c(paste0("contree_", kind), "warning", "condition")))
}

tell_contree <- function(text) {
  message(structure(list(message = paste0(text, "\n"), call = user_call()),
                    class = c("contree_message", "message", "condition")))
}

# The outermost call to a function of this package that is under way.
user_call <- function() {
  namespace <- topenv()
  for (frame in seq_len(sys.nframe())) {
    if (identical(environment(sys.function(frame)), namespace)) return(small_call(sys.call(frame)))
  }
  NULL
}

# A call without the values that do.call() or the like put into it: a data frame or a function among
# the arguments would be printed with every error and saved with every fit. Its argument's name
# takes its place, or what is known of it: `expressions` has a value and its expression in each
# element. A short vector is written out.
small_call <- function(call, expressions = list()) {
  if (is.function(call[[1]])) call[[1]] <- function_name(call[[1]])
  for (i in seq_along(call)[-1]) {
    value <- call[[i]]
    if (missing(value) || is.null(value)) next
    # so do tidymodels give arguments: an expression with its environment
    if (inherits(value, "quosure")) call[[i]] <- value <- unclass(value)[[2]]
    name <- if (is.null(names(call)) || !nzchar(names(call)[i])) "..." else names(call)[i]
    small <- is.language(value) || (is.atomic(value) && !is.object(value) && length(value) == 1)
    if (inherits(value, "formula")) call[[i]] <- plain_formula(value)
    if (small || is.language(value)) next
    known <- Find(function(pair) identical(pair$value, value), expressions)
    call[[i]] <- if (!is.null(known)) {
      known$expression
    } else if (is_short(value)) {
      written_out(value)
    } else {
      as.name(name)
    }
  }
  call
}

# `..1` and the like, as a call has what came through the dots of a function.
is_of_dots <- function(expression) {
  is.name(expression) && grepl("^[.]{2}[0-9]+$", as.character(expression))
}

# A call in which `..1` and the like, of a function `caller` that passed its `...` on, are what that
# was given: nobody else could evaluate them.
without_dots <- function(call, caller) {
  for (i in seq_along(call)[-1]) {
    value <- call[[i]]
    if (missing(value) || !is_of_dots(value)) next
    given <- as.list(eval(quote(substitute(list(...))), caller))[-1]
    place <- as.integer(substring(as.character(value), 3))
    if (place <= length(given)) call[i] <- given[place]
  }
  call
}

# A vector that a call shows as it is.
is_short <- function(value) {
  is.atomic(value) && all(names(attributes(value)) %in% "names") && length(value) %in% 1:10
}

# The expression of a vector, with as many digits as it takes to read back the same.
written_out <- function(value) {
  expression <- str2lang(deparse1(value))
  if (identical(eval(expression, baseenv()), value)) return(expression)
  str2lang(deparse1(value, control = c("keepNA", "keepInteger", "niceNames", "digits17")))
}

# For a call that do.call() made of one of our generics, what its arguments were made of:
# list(value, expression) each, as `iris` in do.call(contree, list(Species ~ ., data = iris)) or
# `arguments[["data"]]`.
do_call_expressions <- function() {
  ours <- Find(function(frame) identical(environment(sys.function(frame)), topenv()),
               seq_len(sys.nframe()))
  if (ours == 1 || !identical(sys.function(ours - 1), do.call)) return(list())
  arguments <- match.call(do.call, sys.call(ours - 1))$args
  if (!is.language(arguments) || "..." %in% all.names(arguments)) return(list())
  values <- as.list(sys.call(ours))[-1]
  place <- function(i) if (isTRUE(nzchar(names(values)[i]))) names(values)[i] else i
  expressions <- if (is.call(arguments) && identical(arguments[[1]], quote(list))) {
    as.list(arguments)[-1]
  } else {
    lapply(seq_along(values), function(i) call("[[", arguments, place(i)))
  }
  if (length(expressions) != length(values)) return(list())
  Map(function(value, expression) list(value = value, expression = expression), values, expressions)
}

# The name of a function of this package, that of the generic for a method of contree().
function_name <- function(f) {
  namespace <- topenv()
  name <- Find(function(name) identical(namespace[[name]], f), ls(namespace))
  if (is.null(name)) quote(contree) else as.name(sub("^contree[.](formula|default)$", "contree",
                                                     name))
}

# A value as it may stand in a message: short, on one line.
show_value <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.atomic(value) && length(value) == 1 && !is.object(value)) return(deparse1(value))
  if (is.atomic(value) && !is.object(value) && is.null(dim(value))) {
    return(gettextf("a vector of length %d", length(value)))
  }
  gettextf("an object of class %s", paste0("\"", class(value)[1], "\""))
}

# The first values of a vector, for a message.
show_values <- function(values, most = 3) {
  shown <- paste(format(values[seq_len(min(most, length(values)))], trim = TRUE), collapse = ", ")
  if (length(values) > most) paste0(shown, ", ...") else shown
}

# The first few of many names, quoted, for a message.
show_names <- function(names, most = 5) {
  shown <- paste0("'", names[seq_len(min(most, length(names)))], "'", collapse = ", ")
  if (length(names) > most) gettextf("%s and %d more", shown, length(names) - most) else shown
}

# As match.arg(): the first of `choices` if the argument was left at its default, else the one that
# was given. Without `choices` they are those that the calling function has as its default.
check_choice <- function(argument, value, choices, alias = character()) {
  if (missing(choices)) choices <- eval(formals(sys.function(sys.parent()))[[argument]])
  if (identical(value, choices)) return(choices[1])
  if (is.character(value) && length(value) == 1) {
    if (value %in% names(alias)) return(alias[[value]])
    if (value %in% choices) return(value)
  }
  stop_input(argument, gettextf("'%s' must be one of %s, not %s", argument,
                                paste0("\"", choices, "\"", collapse = ", "),
                                show_value(value)))
}

# Stops unless a package that is only suggested is there. `what` needs it.
need_package <- function(package, what) {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  stop_unsupported(what, gettextf(
    "%s needs the package '%s', which is not installed; use install.packages(\"%s\")",
    what, package, package))
}
