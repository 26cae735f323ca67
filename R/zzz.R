.onUnload <- function(libpath) library.dynam.unload("contree", libpath)
