# What R does when the package is loaded, unloaded, and built: this file comes last.
.onLoad <- function(libname, pkgname) {
  note_process()
  register_no_answers()
  when_loaded("parsnip", register_parsnip)
  when_loaded("mlr3", register_mlr3)
}

.onUnload <- function(libpath) library.dynam.unload("contree", libpath)

# Now, or as soon as the package is loaded. Should it have changed so that it takes no registration
# any more, its users are told, and both packages load all the same.
when_loaded <- function(package, register) {
  if (isNamespaceLoaded(package)) try(register())
  setHook(packageEvent(package, "onLoad"), function(...) try(register()))
}

# ---- compilation ---------------------------------------------------------------------------------

# Compiled functions take twice the space of others, so only those are compiled that the fits, and
# what everybody does with them, call; R compiles any other when it is called for the second time.
# Value: the names, those of all functions that the bodies of these name, and so on.
reached_from <- function(names, env) {
  is_function <- function(name) is.function(env[[name]])
  functions <- Filter(is_function, ls(env, all.names = TRUE))
  reached <- NULL
  while (length(names)) {
    reached <- c(reached, names)
    named <- unlist(lapply(names, function(name) all.names(body(env[[name]]))))
    names <- setdiff(intersect(named, functions), reached)
  }
  reached
}

compile_reached <- function(names, env) {
  for (name in reached_from(names, env)) assign(name, compiler::cmpfun(get(name, env)), env)
}

local({
  env <- environment(reached_from)
  fits <- "^(contree|contree_set|forge|gmt|hist_forest|policy_tree)([.]|$)"
  methods <- "^(plot|predict|print|summary)[.]"
  seldom <- "[.](.*_(accuracy|certificate.*|contributions|cv|dependence|schedule|stability|value))$"
  names <- grep(paste(c(fits, methods), collapse = "|"), ls(env), value = TRUE)
  compile_reached(grep(seldom, names, value = TRUE, invert = TRUE), env)
})
