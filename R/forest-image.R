# Forests that label the pixels of images by differences of rectangle sums (Sharp 2008): features
# are drawn, computed at pixels from integral images, and given to hist_forest() as columns.

#' Forests that label the pixels of images
#'
#' Grows a forest of [hist_forest()] that tells the class of a pixel from what is around it. A
#' feature is the sum of one channel over a rectangle beside the pixel, less that over a second
#' rectangle, or not; rectangles are drawn at random, and summed in four look-ups each in integral
#' images (Viola, Jones 2001). The forest chooses among them as among any columns.
#'
#' @section Rectangles:
#' A rectangle begins and ends at most `radius` pixels from the pixel, in each direction; what is
#' outside the image counts as 0. Half of the features have a second rectangle, of a channel of its
#' own. All are drawn once, from `seed`. Sums of images of whole numbers are exact up to 2^53.
#'
#' Training holds a table of the sampled pixels by the features, 8 bytes each, and forests of
#' `hist_forest()` grow from its codes; so `pixels` bounds memory and time. Labelling an image takes
#' 8 bytes for each of its pixels and features that is computed at a time.
#'
#' @param images A list of images, or one: numeric matrices \[height, width\] or arrays
#'   \[height, width, channel\], all with the same number of channels, without missing values. They
#'   may differ in size.
#' @param labels A matrix for each image with the class of each pixel: names or numbers; `NA` where
#'   it is not known.
#' @param features Number of features, from 1 to 65,534.
#' @param radius Greatest distance of a rectangle's sides from the pixel, in pixels, at least 1.
#' @param pixels Greatest number of pixels drawn from each image to grow from, among those with a
#'   label.
#' @param seed Whole number from 0 to 2^31 - 1 that features, pixels and forest are drawn from.
#'   Without it one is drawn from R's generator.
#' @param ... Further arguments of [hist_forest()], such as `trees`, `depth`, `mtry`, `splitrule`,
#'   `pool`, `learner` or `threads`.
#' @param object,x A fit of `image_forest()`.
#' @param newdata An image, or a list of images.
#' @param type What to return for each pixel:
#'   * `"class"`: the most probable class;
#'   * `"prob"`: the probability of each class;
#'   * `"votes"`: how many trees have each class as the largest of their leaf;
#'   * `"leaf"`: the pixel's leaf in each tree.
#' @param threads As in [contree_control()].
#'
#' @return `image_forest()`: an object of class `image_forest`, a list of `forest` (the fit of
#'   `hist_forest()`, whose `oob` is of the sampled pixels), `features` (a data frame with a row a
#'   feature: `channel1`, `top1`, `bottom1`, `left1`, `right1`, offsets from the pixel, both ends
#'   included, and the same with 2, `NA` where there is no second rectangle), `channels`, `radius`,
#'   `seed` and `call`.
#'
#'   `predict()`: for an image, a character matrix of its height and width for `"class"`, else an
#'   array \[height, width, class or tree\]; for a list of images, a list of these.
#' @section Errors:
#' Images or labels that are not as above, and what [hist_forest()] does not take, are errors of
#' class `contree_input_error`.
#' @references T. Sharp (2008). Implementing decision trees and forests on a GPU. *ECCV 2008*, LNCS
#'   5305, 595-608. \doi{10.1007/978-3-540-88693-8_44}.
#'
#' P. Viola, M. Jones (2001). Rapid object detection using a boosted cascade of simple features.
#' *CVPR 2001* 1, 511-518. \doi{10.1109/CVPR.2001.990517}.
#' @examples
#' # stripes on the left, noise on the right
#' set.seed(1)
#' texture <- function() {
#'   stripes <- outer(1:40, 1:40, function(row, col) 100 * (row %% 4 < 2))
#'   noise <- matrix(sample(0:100, 1600, TRUE), 40)
#'   round((cbind(stripes, noise) + sample(0:30, 3200, TRUE)))
#' }
#' labels <- cbind(matrix("stripes", 40, 40), matrix("noise", 40, 40))
#' fit <- image_forest(list(texture(), texture()), list(labels, labels), features = 50, radius = 4,
#'                     pixels = 300, trees = 20, seed = 1)
#' fit
#' mean(predict(fit, texture()) == labels)
#' @export
image_forest <- function(images, labels, features = 200, radius = 12, pixels = 1000, seed = NULL,
                         ...) {
  call <- match.call()
  images <- check_images(images)
  labels <- check_labels(labels, images)
  check_image_numbers(features, radius, pixels)
  seed <- check_image_seed(seed)
  channels <- dim(images[[1]])[3]
  drawn <- with_seed(seed, list(
    features = draw_rectangles(features, radius, channels),
    pixels = lapply(labels, draw_pixels, most = pixels)))
  x <- do.call(rbind, Map(function(image, at) {
    responses(integrals(image), at, drawn$features)
  }, images, drawn$pixels))
  y <- unlist(Map(function(label, at) as.character(label)[at], labels, drawn$pixels))
  forest <- hist_forest.default(x, factor(y), seed = seed, ...)
  structure(list(forest = forest, features = drawn$features, channels = channels, radius = radius,
                 seed = seed, call = call), class = "image_forest")
}

# ---- arguments -----------------------------------------------------------------------------------

# A list of arrays [height, width, channel].
check_images <- function(images) {
  if (!is.list(images)) images <- list(images)
  if (length(images) == 0) stop_input("images", gettext("there is no image"))
  images <- lapply(seq_along(images), function(i) check_image(images[[i]], i))
  channels <- vapply(images, function(image) dim(image)[3], 0L)
  if (length(unique(channels)) > 1) {
    stop_input("images", gettextf("images must have the same number of channels, not %s",
                                  paste(unique(channels), collapse = ", ")))
  }
  images
}

check_image <- function(image, i) {
  if (!is.numeric(image) || !(length(dim(image)) %in% 2:3) || any(dim(image) == 0)) {
    stop_input("images", gettextf(
      "image %d must be a numeric matrix, or an array of three dimensions, not %s", i,
      show_value(image)))
  }
  if (!all(is.finite(image))) {
    stop_input("images", gettextf("image %d has values that are missing or not finite", i))
  }
  array(as.double(image), c(dim(image), 1)[1:3])
}

check_labels <- function(labels, images) {
  if (!is.list(labels)) labels <- list(labels)
  if (length(labels) != length(images)) {
    stop_input("labels", gettextf("there are labels of %d images, but %d images", length(labels),
                                  length(images)))
  }
  for (i in seq_along(labels)) {
    if (!is.atomic(labels[[i]]) || !identical(dim(labels[[i]]), dim(images[[i]])[1:2])) {
      stop_input("labels", gettextf("labels of image %d must be a matrix of its height and width",
                                    i))
    }
  }
  if (all(vapply(labels, function(label) all(is.na(label)), NA))) {
    stop_input("labels", gettext("no pixel has a label"))
  }
  labels
}

check_image_numbers <- function(features, radius, pixels) {
  numbers <- list(features = features, radius = radius, pixels = pixels)
  for (name in names(numbers)) {
    if (!is_count(numbers[[name]])) {
      stop_input(name, gettextf("'%s' must be a whole number of at least 1, not %s", name,
                                show_value(numbers[[name]])))
    }
  }
}

check_image_seed <- function(seed) {
  if (is.null(seed)) return(sample.int(.Machine$integer.max, 1))
  if (is_count(seed + 1) && seed <= .Machine$integer.max) return(as.integer(seed))
  stop_input("seed", gettextf("'seed' must be a whole number from 0 to 2^31 - 1, not %s",
                              show_value(seed)))
}

# ---- features ------------------------------------------------------------------------------------

# The value of `code` with R's generator begun at `seed`, whose state then is what it was.
with_seed <- function(seed, code) {
  global <- globalenv()
  before <- global[[".Random.seed"]]
  on.exit(if (is.null(before)) rm(".Random.seed",
                                  envir = global) else global$.Random.seed <- before)
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  code
}

draw_rectangles <- function(n, radius, channels) {
  sides <- function() {
    matrix(sample(-radius:radius, 2 * n, replace = TRUE), n)
  }
  rectangle <- function() {
    vertical <- sides()
    horizontal <- sides()
    list(channel = sample.int(channels, n, replace = TRUE),
         top = pmin(vertical[, 1], vertical[, 2]),
         bottom = pmax(vertical[, 1], vertical[, 2]),
         left = pmin(horizontal[, 1], horizontal[, 2]),
         right = pmax(horizontal[, 1], horizontal[, 2]))
  }
  one <- rectangle()
  two <- rectangle()
  single <- stats::runif(n) < 0.5
  two$channel[single] <- NA
  data.frame(stats::setNames(one, paste0(names(one), 1)),
             stats::setNames(two, paste0(names(two), 2)))
}

# Places of pixels in a matrix of labels.
draw_pixels <- function(label, most) {
  known <- which(!is.na(label))
  if (length(known) <= most) known else sort(known[sample.int(length(known), most)])
}

# By channel, sums over all pixels above and to the left: matrices with a row and a column more.
integrals <- function(image) {
  size <- dim(image)[1:2]
  sums <- lapply(seq_len(dim(image)[3]), function(channel) {
    plane <- matrix(image[, , channel], size[1])
    down <- matrix(apply(plane, 2, cumsum), size[1])
    across <- matrix(apply(down, 1, cumsum), size[2])
    rbind(0, cbind(0, t(across)))
  })
  list(sums = sums, size = size)
}

# The features at the pixels: a row a pixel, a column a feature.
responses <- function(integral, pixels, features) {
  row <- (pixels - 1L) %% integral$size[1] + 1L
  column <- (pixels - 1L) %/% integral$size[1] + 1L
  told <- vapply(seq_len(nrow(features)), function(i) {
    one <- features[i, ]
    first <- rectangle_sums(integral, row, column, one$channel1, one$top1, one$bottom1, one$left1,
                            one$right1)
    if (is.na(one$channel2)) return(first)
    first - rectangle_sums(integral, row, column, one$channel2, one$top2, one$bottom2, one$left2,
                           one$right2)
  }, numeric(length(pixels)))
  matrix(told, length(pixels), dimnames = list(NULL, paste0("f", seq_len(nrow(features)))))
}

rectangle_sums <- function(integral, row, column, channel, top, bottom, left, right) {
  within <- function(place, most) pmin(pmax(place, 0L), most)
  sums <- integral$sums[[channel]]
  above <- within(row + top - 1L, integral$size[1])
  below <- within(row + bottom, integral$size[1])
  before <- within(column + left - 1L, integral$size[2]) * nrow(sums)
  behind <- within(column + right, integral$size[2]) * nrow(sums)
  sums[below + behind + 1L] - sums[above + behind + 1L] - sums[below + before + 1L] +
    sums[above + before + 1L]
}

# ---- labelling -----------------------------------------------------------------------------------

#' @rdname image_forest
#' @export
predict.image_forest <- function(object, newdata, type = c("class", "prob", "votes", "leaf"),
                                 threads = NULL, ...) {
  check_no_dots(...)
  type <- check_choice("type", type, c("class", "prob", "votes", "leaf"))
  images <- check_images(newdata)
  if (dim(images[[1]])[3] != object$channels) {
    stop_input("newdata", gettextf("'newdata' has %d channels, but the forest was grown from %d",
                                   dim(images[[1]])[3], object$channels))
  }
  labelled <- lapply(images, label_image, object = object, type = type, threads = threads)
  if (is.list(newdata)) labelled else labelled[[1]]
}

label_image <- function(image, object, type, threads) {
  size <- dim(image)[1:2]
  integral <- integrals(image)
  parts <- lapply(pieces(prod(size), piece_cells / nrow(object$features)), function(pixels) {
    told <- stats::predict(object$forest, responses(integral, pixels, object$features), type,
                           threads = threads)
    if (type == "class") matrix(as.character(told)) else unname(told)
  })
  told <- do.call(rbind, parts)
  if (type == "class") return(matrix(told, size[1]))
  names <- if (type %in% c("prob", "votes")) list(NULL, NULL, object$forest$classes)
  array(told, c(size, ncol(told)), names)
}

#' @rdname image_forest
#' @export
print.image_forest <- function(x, ...) {
  check_no_dots(...)
  cat(gettextf("Forest for pixels by %d rectangle features within %.0f pixels, %d channels\n",
               nrow(x$features), x$radius, x$channels))
  print(x$forest)
  invisible(x)
}
