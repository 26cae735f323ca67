# The training data of image_forest(): lists of images and labels, or functions that give one image
# at a time. Either way: `classes`, `channels`, `n` (pixels with a label), `ranges` of the values of
# each image, `streams`, and what C is given, `images` (once the unit is known) and `codes`.

images_at_once <- function(images, labels, n_images, settings) {
  if (!is.null(n_images)) {
    stop_input("n_images", gettext("'n_images' is for 'images' that are a function"))
  }
  images <- check_images(images)
  labels <- check_labels(labels, images)
  classes <- class_names(lapply(labels, classes_seen))
  values <- computed_features(images, settings$compute)
  list(classes = classes, channels = dim(images[[1]])[3], streams = FALSE,
       n = sum(vapply(labels, function(label) sum(!is.na(label)), 0)),
       ranges = lapply(values, range_of_values),
       images = function(settings) in_fixed_point(values, settings),
       codes = lapply(labels, class_codes, classes = classes))
}

images_one_at_a_time <- function(images, labels, n_images, settings) {
  if (!is.function(labels)) {
    stop_input("labels", gettext("'labels' must be a function of an image's number, as 'images'"))
  }
  n <- check_number("n_images", n_images, gettext("a whole number from 1 to 2^31 - 1"),
                    function(value) is_count(value) && value <= .Machine$integer.max)
  values_of <- function(i) {
    image <- check_image(images(i), i)
    list(channels = dim(image)[3], value = computed_features(list(image), settings$compute)[[1]])
  }
  seen <- lapply(seq_len(n), function(i) {
    own <- values_of(i)
    label <- check_label(labels(i), dim(own$value), i)
    list(size = dim(own$value), channels = own$channels, range = range_of_values(own$value),
         classes = classes_seen(label), n = sum(!is.na(label)))
  })
  part <- function(name) lapply(seen, `[[`, name)
  check_sizes(seen)
  classes <- class_names(part("classes"))
  list(classes = classes, channels = seen[[1]]$channels, streams = TRUE,
       n = sum(unlist(part("n"))), ranges = part("range"), codes = NULL,
       images = function(settings) {
         list(sizes = vapply(part("size"), as.integer, integer(3)),
              image = function(i) in_fixed_point(list(values_of(i)$value), settings)[[1]],
              labels = function(i) codes_again(labels(i), seen[[i]], classes, i))
       })
}

check_sizes <- function(seen) {
  channels <- vapply(seen, function(own) own$channels, 0L)
  if (length(unique(channels)) > 1) refuse_channels(channels)
  if (length(unique(vapply(seen, function(own) own$size[3], 0L))) > 1) refuse_feature_counts()
}

# Of labels that are as they were before.
codes_again <- function(label, seen, classes, i) {
  codes <- class_codes(check_label(label, seen$size, i), classes)
  if (sum(!is.na(codes)) == seen$n) return(codes)
  stop_input("labels", gettextf(
    "the function 'labels' does not give the same for image %d each time", i))
}
