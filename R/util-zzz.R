# What R does when the package is loaded and unloaded.
.onLoad <- function(libname, pkgname) {
  note_process()
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
