# Opens a graphics device on `file`: PNG through cairo, which needs no display, else PNG as R has
# it, else PDF. Returns the path that is written to.
open_picture <- function(file, width, height, res) {
  if (capabilities("cairo")) {
    png(file, width, height, res = res, type = "cairo")
  } else if (!inherits(try(png(file, width, height, res = res), silent = TRUE), "try-error")) {
    # X11 or quartz
  } else {
    file <- sub("png$", "pdf", file)
    pdf(file, width / res, height / res)
  }
  file
}
