.onLoad <- function(libname, pkgname) note_process()

.onUnload <- function(libpath) library.dynam.unload("contree", libpath)
