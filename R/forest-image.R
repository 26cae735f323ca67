# Forests that label the pixels of images by differences of rectangle sums (Sharp 2008), grown in C
# level by level over all pixels.

#' Random forests for labelling the pixels of images
#'
#' Grows a random forest that predicts the class of a pixel from its surroundings, as in Sharp
#' (2008): level by level over all pixels, from a histogram of leaves, classes, features and bins. A
#' feature is the sum of one channel over a rectangle near the pixel, or the difference of such sums
#' over two rectangles; each sum takes four look-ups in an integral image (Viola, Jones 2001). Its
#' settings are few, so that all of them are arguments and there is no `control`.
#'
#' @order 1
#' @section Growing:
#' For each level of each tree `features` candidate features are drawn, common to all leaves of the
#' level. With `policy = "best"` (A in the paper) each candidate has `bins` bins of equal width over
#' its values at 256 pixels of the tree, excluding 4 at either end, and each leaf takes the
#' candidate and bin border with the largest gain. With `policy = "random"` (B) each candidate has
#' two thresholds, its values at two of these pixels, and each leaf takes the best of the tests
#' `threshold1 <= value < threshold2`, `threshold1 <= value` and `threshold2 <= value`. The gain is
#' the decrease of the measure that `splitrule` names. A node is a leaf if all of its pixels have
#' one class, or if no candidate has a positive gain.
#'
#' With a `learner` the splits are chosen by an R function, as in [hist_forest()], from bins of even
#' width: see [hist_learner()]. `info$features` are then the numbers of the candidates of the level,
#' `rows` and `weight` are both pixels, no value is missing, and a test sends the bins after that of
#' the answer right.
#'
#' The forest depends only on the images, the arguments and the seed, not on the number of threads
#' or the processor: counts are integers, and features are drawn as a function of seed, tree, level
#' and number.
#'
#' @section Rectangles:
#' The sides of a rectangle are at most `radius` pixels from the pixel, in each direction; values
#' outside the image count as 0. Half of the features have a second rectangle, in a channel drawn
#' separately. Channels are stored in fixed point, as fine as sums below 2^30 allow: whole numbers
#' are exact up to 2^30 / (2 radius + 1)^2 (1.7 million for a radius of 12). The unit is that of the
#' largest value of all channels, which must be at least 1e-290 unless all are 0; a channel, or a
#' computed feature, that this would leave fewer than 1,024 steps has, without `interval`, a unit of
#' its own. Values in images to be labelled are clipped to the range of those before. Growing takes
#' 4 bytes per pixel and channel, 10 bytes per pixel, and 16 MB of histograms per thread.
#'
#' @section More images than memory:
#' If `images` and `labels` are functions, `images(i)` returns the image of number `i` and
#' `labels(i)` its labels, for instance by reading a file. One image at a time is in memory, and of
#' each labelled pixel that a tree is grown from 14 bytes; `pixels` limits these. Histograms take up
#' to 64 MB per thread. An image is asked for once before growing and at least twice for each level
#' of each tree, its labels twice and once for each tree. The answers must be the same each time.
#' The forest is the one that lists of the same images give. The GPU is not used.
#'
#' @param images A list of images, or a single one: numeric matrices \[height, width\] or arrays
#'   \[height, width, channel\], all with the same number of channels, without missing values. Their
#'   sizes may differ. Or a function that returns the image of a number, see the section on more
#'   images than memory.
#' @param labels A matrix for each image with the class of each pixel: names or numbers, at most 256
#'   different ones; `NA` where it is unknown. A function of the number of an image if `images` is
#'   one.
#' @param features Number of candidates drawn for each level of a tree, a whole number from 1 to
#'   100,000; 100 by default. Or a function of one image that computes other features: it returns a
#'   numeric matrix \[height, width\] or array \[height, width, feature\] without missing values.
#'   Then 100 candidates are drawn from these features for each level, with repetition, and stored
#'   in 31-bit fixed point.
#' @param radius Maximum distance of a rectangle's sides from the pixel, in pixels, a whole number
#'   from 1 to 1,000; 12 by default.
#' @param pixels Maximum number of labelled pixels drawn from each image for a tree; `Inf` (the
#'   default) uses all.
#' @param seed Seed from which features and pixels are drawn, a whole number from 0 to 2^31 - 1. By
#'   default it is drawn from R's generator.
#' @param trees Number of trees, a whole number of at least 1; 10 by default.
#' @param depth Maximum number of splits between the root and a leaf, 12 by default; `Inf` for no
#'   limit.
#' @param policy How thresholds are chosen: `"best"` (or `"A"`, the default) or `"random"` (or
#'   `"B"`), see the section on growing.
#' @param bins Number of bins of policy `"best"`, a whole number from 2 to 256; 32 by default.
#' @param splitrule What the best split is: `"gini"` (the default), `"entropy"` (the information
#'   gain of the paper) or `"error"` (misclassified pixels), as in [hist_forest()].
#' @param interval Two increasing numbers between which policy `"best"` has its bins, for features
#'   whose values are known to lie there, in the units of the images or of the computed features
#'   (sums over rectangles are in units of the images); `NULL` (the default) takes, for each
#'   candidate, nearly all of the values of a sample.
#' @param learner A function that chooses the splits instead of `splitrule`, see [hist_learner()];
#'   `NULL` (the default) for none. It needs `policy = "best"`, and at most 255 `bins`.
#' @param n_images Number of images, a whole number, if `images` is a function; else `NULL` (the
#'   default).
#' @param min_n Least number of pixels of a node that is split; 2 by default.
#' @param threads As in [contree_control()].
#' @param time_limit Seconds after which growing stops; `Inf` (the default) for no limit. Trees
#'   completed by then are returned with a warning of class `contree_stopped`, as after an
#'   interrupt.
#' @param verbose,progress As in [contree_control()].
#' @param object,x A fit of `image_forest()`.
#' @param newdata An image, or a list of images.
#' @param type What to return for each pixel, with the name in the paper in parentheses:
#'   * `"class"` (the default): the most probable class (ArgMax);
#'   * `"prob"`: the probability of each class, the mean over the trees (Distribution);
#'   * `"votes"`: for each class the number of trees in whose leaf it is the most frequent;
#'   * `"leaf"`: the leaf of the pixel in each tree (ForestLeaves, or TreeLeaf with one tree in
#'     `which`), as the number of its node in breadth-first order.
#' @param which Numbers of the trees to use, a vector of whole numbers; all by default.
#' @param device Where features are counted and pixels walk down the trees, as in [hist_forest()]
#'   and [predict.hist_forest()]. Forests and answers are the same on every device.
#' @param ... Not used.
#'
#' @return `image_forest()`: an object of class `image_forest`, a list of `forest` (the trees in
#'   compact form), `classes`, `features` (a data frame with a row for each feature that a tree
#'   uses: `tree`, `channel1`, `top1`, `bottom1`, `left1`, `right1`, offsets from the pixel, both
#'   ends included, and the same with 2, `NA` where there is no second rectangle; or `tree` and
#'   `feature`), `compute` (the function given as `features`, or `NULL`), `channels`, `radius`,
#'   `scale` (from values to fixed point; a number, or one for each channel or computed feature),
#'   `policy`, `splitrule`, `seed`, `n` (pixels with a label), `status` (`"complete"`, or why it
#'   stopped), `elapsed` (seconds), `device` (who counted: `"cpu"` or `"cuda:0"`) and `call`.
#'
#'   `predict()`: for an image, a character matrix of its height and width for `"class"`, else an
#'   array \[height, width, class or tree\]; for a list of images, a list of these.
#' @section Errors:
#' Images, labels or arguments that are not as described above are errors of class
#' `contree_input_error`; so is a stop before the first tree is complete.
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
#'   cbind(stripes, noise) + sample(0:30, 3200, TRUE)
#' }
#' labels <- cbind(matrix("stripes", 40, 40), matrix("noise", 40, 40))
#' fit <- image_forest(list(texture(), texture()), list(labels, labels), features = 50, radius = 4,
#'                     trees = 5, depth = 6, seed = 1)
#' fit
#' mean(predict(fit, texture()) == labels)
#'
#' # features computed by a function
#' gradient <- function(image) {
#'   array(c(image[c(2:40, 40), ] - image, image[, c(2:80, 80)] - image), c(dim(image), 2))
#' }
#' image_forest(texture(), labels, features = gradient, trees = 5, depth = 6, seed = 1)
#' @export
image_forest <- function(images, labels, features = 100, radius = 12, pixels = Inf, seed = NULL,
                         trees = 10, depth = 12, policy = c("best", "random"), bins = 32, min_n = 2,
                         threads = NULL, time_limit = Inf, verbose = NULL, progress = NULL,
                         device = c("auto", "cpu", "cuda"),
                         splitrule = c("gini", "entropy", "error"), interval = NULL, learner = NULL,
                         n_images = NULL, ...) {
  check_no_dots(...)
  call <- match.call()
  settings <- image_settings(environment())
  given <- if (is.function(images)) {
    images_one_at_a_time(images, labels, n_images, settings)
  } else {
    images_at_once(images, labels, n_images, settings)
  }
  classes <- given$classes
  settings$scale <- fixed_point(given$ranges, settings)
  grown <- grow_image_forest(given, settings)
  tell_without_gpu(gettext("the forest was grown without the GPU"), grown$device_note)
  if (length(grown$forest$number) == 0) refuse_empty_forest(grown, settings)
  fit <- structure(
    list(forest = grown$forest, classes = classes, features = feature_table(grown$forest, settings),
         compute = settings$compute, channels = given$channels, radius = settings$radius,
         scale = settings$scale, policy = settings$policy, splitrule = settings$splitrule,
         seed = settings$seed,
         n = as.double(given$n), status = grown$status,
         elapsed = grown$elapsed, device = grown$device, trees = settings$trees, call = call),
    class = "image_forest")
  warn_if_image_stopped(fit)
  fit
}

# ---- arguments -----------------------------------------------------------------------------------

# A list of arrays [height, width, channel].
check_images <- function(images) {
  if (!is.list(images)) images <- list(images)
  if (length(images) == 0) stop_input("images", gettext("'images' has no image"))
  images <- lapply(seq_along(images), function(i) check_image(images[[i]], i))
  channels <- vapply(images, function(image) dim(image)[3], 0L)
  if (length(unique(channels)) > 1) {
    refuse_channels(channels)
  }
  images
}

refuse_channels <- function(channels) {
  stop_input("images", gettextf("images must have the same number of channels, not %s",
                                paste(unique(channels), collapse = ", ")))
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
    stop_input("labels", gettextf("there are labels for %d images, but %d images", length(labels),
                                  length(images)))
  }
  for (i in seq_along(labels)) check_label(labels[[i]], dim(images[[i]]), i)
  labels
}

check_label <- function(label, size, i) {
  if (is.atomic(label) && identical(dim(label), size[1:2])) return(label)
  stop_input("labels", gettextf("labels of image %d must be a matrix of its height and width", i))
}

# `arguments`: the environment of image_forest().
image_settings <- function(arguments) {
  range <- function(name, low, high = Inf, whole = TRUE) {
    check_forest_number(name, arguments[[name]], list(low = low, high = high, whole = whole), FALSE)
  }
  by_function <- is.function(arguments$features)
  policy <- check_choice("policy", arguments$policy, c("best", "random"),
                         c(A = "best", B = "random"))
  learner <- check_learner(arguments$learner)
  list(features = if (by_function) 100 else range("features", 1, 1e5),
       compute = if (by_function) arguments$features, radius = range("radius", 1, 1000),
       pixels = range("pixels", 1), seed = check_image_seed(arguments$seed),
       trees = range("trees", 1, 1e6), depth = range("depth", 0),
       policy = policy_beside(policy, learner), learner = learner,
       splitrule = check_choice("splitrule", arguments$splitrule, image_rules),
       interval = check_interval(arguments$interval),
       bins = range("bins", 2, if (is.null(learner)) 256 else 255),
       min_n = range("min_n", 1),
       threads = check_threads("threads", arguments$threads),
       time_limit = range("time_limit", 0, whole = FALSE), verbose = arguments$verbose,
       progress = check_progress(arguments$progress), device = check_device(arguments$device))
}

image_rules <- c("gini", "entropy", "error")

policy_beside <- function(policy, learner) {
  if (policy == "best" || is.null(learner)) return(policy)
  stop_unsupported("learner", gettext(paste(
    "a learner is shown bins of even width, which policy \"random\" does not have;",
    "use policy = \"best\"")))
}

check_interval <- function(interval) {
  if (is.null(interval)) return(NULL)
  if (!is.numeric(interval) || length(interval) != 2 || !all(is.finite(interval)) ||
      interval[1] >= interval[2]) {
    stop_input("interval", gettextf("'interval' must be two increasing numbers, not %s",
                                    show_value(interval)))
  }
  as.double(interval)
}

check_image_seed <- function(seed) {
  if (is.null(seed)) return(sample.int(.Machine$integer.max, 1))
  as.integer(check_number("seed", seed, gettext("a whole number from 0 to 2^31 - 1"),
                          function(value) is_count(value + 1) && value <= .Machine$integer.max))
}

# `seen`: by image, the classes of its pixels.
class_names <- function(seen) {
  classes <- sort(unique(unlist(seen)))
  if (length(classes) == 0) stop_input("labels", gettext("no pixel has a label"))
  if (length(classes) > 256) {
    stop_input("labels", gettextf("there can be at most 256 classes, not %d", length(classes)))
  }
  classes
}

classes_seen <- function(label) as.character(unique(c(label)))

class_codes <- function(label, classes) {
  seen <- unique(c(label))
  match(as.character(seen), classes)[match(label, seen)]
}

# ---- features ------------------------------------------------------------------------------------

# A function's answers: arrays [height, width, feature].
computed_features <- function(images, compute) {
  if (is.null(compute)) return(images)
  computed <- lapply(images, function(image) {
    if (dim(image)[3] == 1) dim(image) <- dim(image)[1:2]
    values <- compute(image)
    if (!is.numeric(values) || !identical(dim(values)[1:2], dim(image)[1:2]) ||
        !(length(dim(values)) %in% 2:3) || !length(values) || !all(is.finite(values))) {
      stop_input("features", gettextf(
        "'features' must return an array of finite numbers [height, width, feature], not %s",
        show_value(values)))
    }
    array(as.double(values), c(dim(values), 1)[1:3])
  })
  if (length(unique(vapply(computed, function(values) dim(values)[3], 0L))) > 1) {
    refuse_feature_counts()
  }
  computed
}

refuse_feature_counts <- function() {
  stop_input("features", gettext(
    "'features' must return the same number of features for each image"))
}

# The largest absolute value of each channel, and whether all of its values are whole.
range_of_values <- function(value) {
  list(largest = apply(value, 3, function(x) max(abs(x))),
       whole = apply(value, 3, function(x) all(x == round(x))))
}

# Powers of two that values are multiplied by before they are rounded: as large as keeps what is
# added up below 2^30, but no larger than whole numbers need. One for all channels, so that these
# are compared in their own units; one for each if that left one of them fewer than 1,024 steps.
fixed_point <- function(ranges, settings) {
  most <- 2^30 / largest_area(settings)
  largest <- do.call(pmax, lapply(ranges, `[[`, "largest"))
  whole <- Reduce(`&`, lapply(ranges, `[[`, "whole"))
  if (all(largest == 0)) return(1)
  if (max(largest) < 1e-290) {
    stop_input(if (is.null(settings$compute)) "images" else "features", gettextf(
      "no value is beyond %s, so that whole numbers cannot be made of them", format(max(largest))),
      gettext("multiply them by a number"))
  }
  shared <- power_for(max(largest), all(whole), most)
  own <- ifelse(largest == 0, shared, mapply(power_for, pmax(largest, 1e-290), whole, most))
  fine <- largest == 0 | largest * shared >= least_steps | own <= shared
  if (all(fine) || !is.null(settings$interval)) shared else own
}

least_steps <- 1024

power_for <- function(largest, whole, most) {
  if (whole && largest <= most) 1 else 2^min(1000, max(-900, floor(log2(most / largest))))
}

largest_area <- function(settings) if (is.null(settings$compute)) (2 * settings$radius + 1)^2 else 1

# Computed features as whole numbers; rectangles are summed in C, which multiplies by one number.
in_fixed_point <- function(values, settings) {
  rectangles <- is.null(settings$compute)
  if (rectangles && length(settings$scale) == 1) return(values)
  lapply(values, function(value) {
    size <- dim(value)
    value <- pmax(-2^30, pmin(2^30, value * rep(settings$scale, each = size[1] * size[2])))
    array(if (rectangles) value else as.integer(round(value)), size)
  })
}

rectangle_names <- c("channel", "top", "bottom", "left", "right")

# The features of a forest, spelled out.
feature_table <- function(forest, settings) {
  words <- matrix(forest$features, 10)
  tree <- rep(forest$number + 1L, forest$n_features)
  if (!is.null(settings$compute)) return(data.frame(tree = tree, feature = words[1, ] + 1L))
  words[6:10, words[8, ] < words[7, ]] <- NA
  words[c(1, 6), ] <- words[c(1, 6), ] + 1L
  data.frame(tree = tree, stats::setNames(
    as.data.frame(t(words)), paste0(rectangle_names, rep(1:2, each = 5))))
}

# ---- growing -------------------------------------------------------------------------------------

image_control <- function(settings) {
  list(radius = settings$radius, scale = if (length(settings$scale) == 1) settings$scale else 1,
       columns = as.integer(!is.null(settings$compute)),
       threads = threads_to_use(settings$threads), simd = simd_wanted())
}

# The interval of interest as whole numbers, low below high; not so: each candidate has its own.
fixed_interval <- function(settings) {
  if (is.null(settings$interval)) return(c(0, 0))
  ends <- pmax(-2^30, pmin(2^30, round(settings$interval * settings$scale)))
  if (ends[1] >= ends[2]) {
    stop_input("interval", gettextf("no value of the features is within 'interval', %s",
                                    show_value(settings$interval)))
  }
  ends
}

# `given`: from images_at_once() or images_one_at_a_time().
grow_image_forest <- function(given, settings) {
  audience <- new_audience(settings, function(state) {
    growth_text("image_forest", state, settings$trees)
  })
  on.exit(audience$end())
  report <- function(elapsed, trees) {
    audience$show(list(elapsed = elapsed, trees = trees, closed = trees / settings$trees))
  }
  most <- function(number) min(number, 2^31 - 1)
  control <- c(image_control(settings), list(
    trees = settings$trees, features = settings$features, bins = settings$bins,
    random = as.integer(settings$policy == "random"), stream = as.integer(given$streams),
    learner = learner_of_images(settings, given$classes),
    rule = match(settings$splitrule, image_rules) - 1,
    interval = fixed_interval(settings),
    depth = most(settings$depth), min_n = max(most(settings$min_n) - 1, 1),
    pixels = if (is.finite(settings$pixels)) most(settings$pixels) else 0,
    seed = settings$seed, time_limit = settings$time_limit, device = settings$device,
    report = if (audience$listens) report))
  call_forest(.Call(ffi_image_grow, given$images(settings), given$codes, length(given$classes),
                    control))
}

learner_of_images <- function(settings, classes) {
  if (is.null(settings$learner)) return(NULL)
  checked_learner(settings$learner, classes, as.character(seq_len(settings$features)))
}

warn_if_image_stopped <- function(fit) {
  if (fit$status == "complete") return(invisible())
  n <- length(fit$forest$number)
  warn_stopped(gettextf("%s: %d of %.0f trees are complete",
                        stopped_after(fit$status, fit$elapsed), n, fit$trees),
               list(status = fit$status, trees = n, elapsed = fit$elapsed))
}

# The trees with these places in the forest.
some_trees <- function(forest, which) {
  all <- length(forest$number)
  if (!is.numeric(which) || !length(which) || anyNA(which) || !all(which %in% seq_len(all))) {
    stop_input("which", gettextf("'which' must be numbers of trees, from 1 to %d", all))
  }
  widths <- list(nodes = list("n_nodes", 4), features = list("n_features", 10),
                 counts = list("n_leaves", forest$n_classes))
  for (name in names(widths)) {
    sizes <- forest[[widths[[name]][[1]]]] * widths[[name]][[2]]
    tree <- factor(rep(seq_len(all), sizes), seq_len(all))
    values <- unlist(split(forest[[name]], tree)[which], use.names = FALSE)
    forest[[name]] <- if (is.null(values)) integer() else values
  }
  for (name in c("number", "n_nodes", "n_leaves", "depth", "n_features")) {
    forest[[name]] <- forest[[name]][which]
  }
  forest
}

# ---- labelling -----------------------------------------------------------------------------------

#' @rdname image_forest
#' @export
predict.image_forest <- function(object, newdata, type = c("class", "prob", "votes", "leaf"),
                                 threads = NULL, which = NULL, device = c("auto", "cpu", "cuda"),
                                 ...) {
  check_no_dots(...)
  if (missing(newdata)) stop_input("newdata", gettext("'newdata' must be given"))
  device <- check_device(device)
  type <- check_choice("type", type, alias = c(node = "leaf"))
  images <- check_images(newdata)
  if (dim(images[[1]])[3] != object$channels) {
    stop_input("newdata", gettextf("'newdata' has %d channels, but the forest was grown from %d",
                                   dim(images[[1]])[3], object$channels))
  }
  if (!is.null(which)) object$forest <- some_trees(object$forest, which)
  object["threads"] <- list(check_threads("threads", threads))
  labelled <- lapply(images, label_image, object = object, type = type, device = device)
  notes <- unique(vapply(labelled, function(told) told$note, ""))
  tell_without_gpu(gettext("images were labelled without the GPU"),
                   paste(notes[nzchar(notes)], collapse = "; "))
  labelled <- lapply(labelled, function(told) told$answer)
  if (is.list(newdata)) labelled else labelled[[1]]
}

# The answer for an image, and why a GPU did not give it, if it should have.
label_image <- function(image, object, type, device) {
  size <- dim(image)[1:2]
  values <- list(image)
  if (!is.null(object$compute)) values <- computed_features(values, object$compute)
  what <- c(leaf = 0L, votes = 1L, prob = 2L, class = 3L)[[type]]
  told <- call_forest(.Call(ffi_image_predict, object$forest, in_fixed_point(values, object), what,
                            c(image_control(object), device = device)))
  answer <- told$answer
  names <- if (type %in% c("prob", "votes")) list(NULL, NULL, object$classes)
  list(note = told$device_note,
       answer = if (type == "class") matrix(object$classes[answer], size[1]) else {
         array(answer, c(size, length(answer) / prod(size)), names)
       })
}

#' @rdname image_forest
#' @export
print.image_forest <- function(x, ...) {
  check_no_dots(...)
  n <- length(x$forest$number)
  what <- if (is.null(x$compute)) {
    gettextf("rectangles within %.0f pixels, channels: %d", x$radius, x$channels)
  } else {
    gettextf("features computed by a function, channels: %d", x$channels)
  }
  cat(gettextf("Forest for labelling pixels: %d trees, %d classes\n", n, length(x$classes)),
      gettextf("  %s\n", what),
      gettextf("  policy \"%s\", grown from %.0f labelled pixels\n", x$policy, x$n),
      gettextf("  %.0f leaves, depth up to %d\n", sum(x$forest$n_leaves), max(x$forest$depth)),
      sep = "")
  invisible(x)
}
