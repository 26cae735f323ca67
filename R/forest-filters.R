# The filter bank of textons (Winn, Criminisi, Minka 2005), from which Sharp (2008) has features.

#' @rdname image_forest
#' @param image For `filter_bank()`, an image as in `images`. One of three channels is taken as red,
#'   green and blue.
#' @param scale For `filter_bank()`, the standard deviation of the smallest Gaussian in pixels, a
#'   positive number; 1 by default.
#' @param white For `filter_bank()`, the value of white in images of three channels, 255 by default;
#'   they are converted to the colour space CIELAB. `NULL` leaves the channels as they are.
#' @return `filter_bank()`: an array \[height, width, filter\], with names: Gaussians of 1, 2 and 4
#'   times `scale` of each channel; of the first channel, Laplacians of Gaussians of 1, 2, 4 and 8
#'   times `scale`, and derivatives of Gaussians of 2 and 4 times `scale` along columns and rows. So
#'   there are 17 filters for three channels, as in Winn et al. (2005), and 11 for one. Beyond the
#'   border the nearest pixel counts. Give it as `features` to grow from it.
#' @references J. Winn, A. Criminisi, T. Minka (2005). Object categorization by learned universal
#'   visual dictionary. *ICCV 2005* 2, 1800-1807. \doi{10.1109/ICCV.2005.171}.
#' @export
filter_bank <- function(image, scale = 1, white = 255, threads = NULL) {
  image <- check_images(image)[[1]]
  scale <- check_number("scale", scale, gettext("a positive number"),
                        function(value) is.finite(value) && value > 0 && value <= 1000)
  if (dim(image)[3] == 3 && !is.null(white)) image <- lab_of(image, check_white(white))
  threads <- threads_to_use(check_threads("threads", threads))
  filtered <- function(channel, along_rows, along_columns) {
    .Call(ffi_image_filter, as.matrix(image[, , channel]), along_rows, along_columns, threads)
  }
  gaussian <- function(channel, size) filtered(channel, bell(size), bell(size))
  laplacian <- function(size) {
    filtered(1, bell(size, 2), bell(size)) + filtered(1, bell(size), bell(size, 2))
  }
  sizes <- expand.grid(size = c(1, 2, 4), channel = seq_len(dim(image)[3]))
  found <- c(Map(function(size, channel) gaussian(channel, size * scale), sizes$size,
                 sizes$channel),
             lapply(c(1, 2, 4, 8) * scale, laplacian),
             lapply(c(2, 4) * scale, function(size) filtered(1, bell(size), bell(size, 1))),
             lapply(c(2, 4) * scale, function(size) filtered(1, bell(size, 1), bell(size))))
  names <- c(sprintf("gaussian %d, channel %d", as.integer(sizes$size), sizes$channel),
             paste("laplacian", c(1, 2, 4, 8)), paste("along columns", c(2, 4)),
             paste("along rows", c(2, 4)))
  array(unlist(found, use.names = FALSE), c(dim(image)[1:2], length(found)),
        list(NULL, NULL, names))
}

check_white <- function(white) {
  check_number("white", white, gettext("a positive number"),
               function(value) is.finite(value) && value > 0)
}

# Weights of a Gaussian or of its derivative of this order, up to three standard deviations; those
# of the Gaussian add up to 1, those of derivatives to 0.
bell <- function(size, order = 0) {
  x <- seq(-ceiling(3 * size), ceiling(3 * size))
  density <- exp(-x^2 / (2 * size^2))
  density <- density / sum(density)
  if (order == 0) return(density)
  weights <- if (order == 1) x / size^2 * density else (x^2 / size^4 - 1 / size^2) * density
  weights - mean(weights)
}

lab_of <- function(image, white) {
  rgb <- matrix(pmin(1, pmax(0, image / white)), ncol = 3)
  array(grDevices::convertColor(rgb, "sRGB", "Lab"), dim(image))
}
