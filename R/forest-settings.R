# Arguments of hist_forest(): checked, with the names of ranger, and settled once the data are
# known.

ranger_alias <- c(num.trees = "trees", min.node.size = "min_n", max.depth = "depth",
                  sample.fraction = "sample_fraction", case.weights = "weights",
                  num.threads = "threads", respect.unordered.factors = "factors",
                  quantreg = "quantiles", local.importance = "local_importance",
                  always.split.variables = "always", split.select.weights = "select_weights",
                  min.bucket = "min_bucket", honesty.fraction = "honesty_fraction")

# Those of `dots`, under the names they have here. `typed` are the names in the call.
ranger_names <- function(dots, typed) {
  if (length(dots) == 0) return(list())
  names <- if (is.null(names(dots))) rep("", length(dots)) else names(dots)
  unknown <- setdiff(names, c(names(ranger_alias), "formula"))
  known <- setdiff(names(formals(hist_forest.formula)), "...")
  check_names(unknown, c(known, names(ranger_alias)), gettext("?hist_forest for all arguments"))
  ours <- ranger_alias[intersect(names, names(ranger_alias))]
  if (length(twice <- intersect(ours, typed))) {
    stop_input(twice[1], gettextf(
      "'%s' and '%s' are two names of the same argument; give only one of them",
      twice[1], names(ours)[match(twice[1], ours)]))
  }
  stats::setNames(dots[names(ours)], ours)
}

# `arguments`: the environment of the method.
forest_settings <- function(arguments, given) {
  value <- function(name) if (name %in% names(given)) given[[name]] else arguments[[name]]
  range <- function(name, low, high = Inf, whole = TRUE, none = FALSE) {
    check_forest_number(name, value(name), list(low = low, high = high, whole = whole), none)
  }
  c(draw_settings(value, range), list(
       trees = range("trees", 1, 1e6), mtry = range("mtry", 1, none = TRUE),
       depth = range("depth", 0), min_n = range("min_n", 1, none = TRUE),
       sample_fraction = range("sample_fraction", 1e-9, 1000, FALSE, none = TRUE),
       replace = check_flag("replace", arguments$replace), class_weights = arguments$class_weights,
       splitrule = check_choice("splitrule", arguments$splitrule,
                                .Call(ffi_hist_criteria, TRUE),
                                c(variance = "gini", logrank = "gini", extratrees = "random")),
       pool = pool_of(arguments), learner = check_learner(arguments$learner),
       factors = check_choice("factors", value("factors"), c("subsets", "order"),
                              c(partition = "subsets")),
       bins = range("bins", 2, 65534),
       importance = check_choice("importance", arguments$importance,
                                 c("impurity", "permutation", "corrected", "none"),
                                 c(impurity_corrected = "corrected")),
       local_importance = check_flag("local_importance", value("local_importance")),
       oob = check_flag("oob", arguments$oob),
       keep_inbag = check_flag("keep_inbag", arguments$keep_inbag),
       family = check_choice("family", arguments$family, c("gaussian", "poisson")),
       quantiles = check_flag("quantiles", value("quantiles")),
       seed = range("seed", 0, 2^53, none = TRUE), first = range("first", 1, 2^31),
       threads = check_threads("threads", value("threads")),
       workers = check_workers(arguments$workers),
       time_limit = range("time_limit", 0, whole = FALSE),
       memory_limit = range("memory_limit", 0, whole = FALSE),
       on_interrupt = check_choice("on_interrupt", arguments$on_interrupt, c("return", "error")),
       verbose = arguments$verbose, progress = check_progress(arguments$progress),
       device = check_device(arguments$device)))
}

# A learner is told of nodes of one depth together, which must have candidates in common.
pool_of <- function(arguments) {
  pool <- check_choice("pool", arguments$pool, c("node", "level"))
  if (is.null(arguments$learner)) pool else "level"
}

check_learner <- function(learner) {
  if (is.null(learner) || is.function(learner)) return(learner)
  stop_input("learner", gettextf("'learner' must be a function of two arguments, not %s",
                                 show_value(learner)))
}

check_forest_number <- function(name, value, range, none) {
  if (is.null(value) && none) return(NULL)
  if (!is_in_range(value, range)) stop_input(name, setting_message(name, value, range))
  as.double(value)
}

# Of squares of responses there must be sums, and means.
check_range_of_response <- function(y) {
  spread <- diff(range(y))
  if (max(abs(y)) <= 1e100 && (spread == 0 || spread >= 1e-100)) return(invisible())
  stop_input("y", gettextf(
    "the response has values from %s to %s, but must be within 1e+100 and differ by 1e-100 or more",
    format(min(y)), format(max(y))), gettext("multiply it by a number"))
}

# Defaults that depend on the data.
settle_forest <- function(settings, frame) {
  n <- length(frame$response)
  settings <- settle_draws(settings, frame)
  if (!is_classes(frame)) check_range_of_response(frame$response)
  check_corrected(frame, settings)
  check_local(settings)
  if (is_survival(frame)) check_survival_settings(frame, settings)
  if (settings$quantiles || is_survival(frame)) check_keeps_rows(frame)
  if (is.null(settings$min_n)) {
    settings$min_n <- if (is_classes(frame)) 1 else if (is_survival(frame)) 30
                      else if (!is.null(exposure_of(frame$response))) 100
                      else if (settings$quantiles) 10 else 5
  }
  if (!settings$splitrule %in% .Call(ffi_hist_criteria, is_classes(frame))) {
    stop_input("splitrule", gettextf(
      "'splitrule' is \"%s\", which is for classes, but the response is numeric",
      settings$splitrule))
  }
  if (!is_classes(frame) && !is.null(settings$learner)) {
    stop_unsupported("learner", gettext("learners are for classes, but the response is numeric"))
  }
  if (is.null(settings$sample_fraction)) {
    settings$sample_fraction <- if (settings$replace) 1 else 0.632
  }
  if (!settings$replace && settings$sample_fraction > 1) {
    stop_input("sample_fraction",
               gettext("'sample_fraction' must be at most 1 without replacement"))
  }
  settings$sample <- max(1, floor(settings$sample_fraction * n))
  if (!is.null(settings$inbag)) settings$sample <- max(vapply(settings$inbag, sum, 0))
  settings["sampling"] <- list(sampling_weights(frame, settings))
  check_holdout(settings)
  if (is.null(settings$seed)) settings$seed <- as.double(sample.int(.Machine$integer.max, 1))
  settings
}

# How likely rows are to be sampled; NULL: all alike.
sampling_weights <- function(frame, settings) {
  weights <- frame$weights
  by_class <- settings$class_weights
  if (!is.null(by_class)) {
    if (!is_classes(frame)) {
      stop_input("class_weights", gettext("'class_weights' are given, but the response is numeric"))
    }
    by_class <- check_forest_class_weights(by_class, frame$response)
    by_class <- by_class[as.integer(frame$response)]
    weights <- if (is.null(weights)) by_class else product_of_weights(weights, by_class)
  }
  if (is.null(weights)) return(NULL)
  if (!settings$replace) {
    stop_unsupported("replace", gettext(
      "weighted sampling is only possible with replacement; use replace = TRUE"))
  }
  if (all(weights == 0)) {
    stop_input("class_weights", gettext("no row can be sampled: all their weights are 0"))
  }
  as.double(weights)
}

# Up to a power of two, on which sampling does not depend: the largest product is between 1 and 4,
# so that none overflows.
product_of_weights <- function(a, b) {
  power <- function(x) ifelse(x > 0, pmin(floor(log2(x)), 1023), -Inf)
  i <- power(a)
  j <- power(b)
  if (all(i + j == -Inf)) return(numeric(length(a)))
  ifelse(i + j == -Inf, 0, a / 2^i * (b / 2^j) * 2^(i + j - max(i + j)))
}

check_forest_class_weights <- function(weights, response) {
  classes <- levels(response)
  if (identical(weights, "balanced")) return(1 / pmax(1, tabulate(response, length(classes))))
  if (!is.numeric(weights) || length(weights) != length(classes) || anyNA(weights) ||
      any(weights < 0 | is.infinite(weights)) ||
        (!is.null(names(weights)) && !setequal(names(weights), classes))) {
    stop_input("class_weights", gettextf(
      "'class_weights' must be \"balanced\" or %d numbers of at least 0, one per class, not %s",
      length(classes), show_value(weights)))
  }
  unname(if (is.null(names(weights))) weights else weights[classes])
}
