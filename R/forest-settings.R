# Arguments of hist_forest(): checked, with the names of ranger, and settled once the data are
# known.

ranger_alias <- c(num.trees = "trees", min.node.size = "min_n", max.depth = "depth",
                  sample.fraction = "sample_fraction", case.weights = "weights",
                  num.threads = "threads", respect.unordered.factors = "factors",
                  quantreg = "quantiles", local.importance = "local_importance",
                  always.split.variables = "always", split.select.weights = "select_weights",
                  min.bucket = "minbucket", honesty.fraction = "honesty_fraction",
                  monotone_constraints = "monotone")

# Settings of hist_forest(): lowest value, highest, whether it is whole.
forest_ranges <- list(
  trees = list(low = 1, high = 1e6, whole = TRUE),
  mtry = list(low = 1, high = Inf, whole = TRUE),
  depth = list(low = 0, high = Inf, whole = TRUE),
  min_n = list(low = 1, high = Inf, whole = TRUE),
  minbucket = list(low = 1, high = 2^30, whole = TRUE),
  sample_fraction = list(low = 1e-9, high = 1000, whole = FALSE),
  bins = list(low = 2, high = 65534, whole = TRUE),
  first = list(low = 1, high = 2^31, whole = TRUE),
  seed = list(low = 0, high = 2^53, whole = TRUE),
  time_limit = list(low = 0, high = Inf, whole = FALSE),
  memory_limit = list(low = 0, high = Inf, whole = FALSE))

# `dots` under the names that arguments have here. `typed` are the names in the call.
ranger_names <- function(dots, typed) {
  if (length(dots) == 0) return(list())
  ours <- c(names(formals(hist_forest.formula)), names(formals(hist_forest_control)))
  ours <- setdiff(ours, c("...", "control"))
  dots <- names_now(dots, ours)
  names <- names_of_dots(dots)
  check_names(names, c(ours, names(ranger_alias)), forest_help())
  alias <- ranger_alias[intersect(names, names(ranger_alias))]
  if (length(twice <- intersect(alias, c(typed, names)))) {
    stop_input(twice[1], gettextf(
      "'%s' and '%s' are two names of the same argument; give only one of them",
      twice[1], names(alias)[match(twice[1], alias)]))
  }
  dots <- from_ranger(dots)
  dots[names(dots) != "formula"]
}

forest_help <- function() gettext("?hist_forest for all arguments")

# Settings under the names of ranger, which does not split nodes of `min.node.size` rows.
from_ranger <- function(settings) {
  size <- settings[["min.node.size"]]
  if (is.numeric(size)) settings[["min.node.size"]] <- size + 1
  theirs <- names(settings) %in% names(ranger_alias)
  names(settings)[theirs] <- ranger_alias[names(settings)[theirs]]
  settings
}

# `arguments`: the environment of the method; `given`: what came in its dots; `control`: NULL where
# there is none.
forest_settings <- function(arguments, given, control) {
  value <- function(name) if (name %in% names(given)) given[[name]] else arguments[[name]]
  number <- function(name, none = FALSE) {
    check_forest_number(name, value(name), forest_ranges[[name]], none)
  }
  own <- list(
    trees = number("trees"), mtry = number("mtry", none = TRUE), depth = number("depth"),
    min_n = number("min_n", none = TRUE),
    sample_fraction = number("sample_fraction", none = TRUE),
    replace = check_flag("replace", arguments$replace), class_weights = arguments$class_weights,
    splitrule = check_choice("splitrule", arguments$splitrule,
                             .Call(ffi_hist_criteria, TRUE),
                             c(variance = "gini", logrank = "gini", extratrees = "random")),
    importance = check_choice("importance", arguments$importance,
                              c("impurity", "permutation", "corrected", "none"),
                              c(impurity_corrected = "corrected")),
    family = check_choice("family", arguments$family, c("gaussian", "poisson")),
    quantiles = check_flag("quantiles", value("quantiles")),
    seed = number("seed", none = TRUE))
  rest <- given_over_control(given[names(given) %in% names(formals(hist_forest_control))], control,
                             hist_forest_control)
  c(own, unclass(do.call(hist_forest_control, rest, quote = TRUE)))
}

# Settings given directly win over those of `control`, which is what `make` made, or a named list.
given_over_control <- function(given, control, make) {
  if (is.null(control)) return(given)
  maker <- paste0(deparse(substitute(make)), "()")
  if (!is.list(control) || (length(control) && is.null(names(control)))) {
    stop_input("control", gettextf("'control' must be the value of %s or a named list, not %s",
                                   maker, show_value(control)))
  }
  check_names(names_of_dots(control), setdiff(names(formals(make)), "..."),
              paste0("?", sub("()", "", maker, fixed = TRUE)))
  c(unclass(control)[setdiff(names(control), names(given))], given)
}

#' @rdname hist_forest
#' @export
hist_forest_control <- function(
    # how trees are grown
    minbucket = 1, always = NULL, select_weights = NULL, monotone = NULL,
    pool = c("node", "level"), learner = NULL, factors = c("subsets", "order"), bins = 65534,
    # which rows each has, and what is computed from those left out
    holdout = FALSE, inbag = NULL, honesty = FALSE, honesty_fraction = 0.5, first = 1, oob = TRUE,
    keep_inbag = FALSE, local_importance = FALSE,
    # how it computes, and when it ends
    threads = NULL, workers = FALSE, device = c("auto", "cpu", "cuda"), time_limit = Inf,
    memory_limit = Inf, on_interrupt = c("return", "error"), verbose = NULL, progress = NULL, ...) {
  if (...length()) {
    return(made_by_names_now(hist_forest_control, match.call(), parent.frame(), forest_help()))
  }
  values <- environment()
  number <- function(name) check_forest_number(name, values[[name]], forest_ranges[[name]], FALSE)
  structure(list(
    minbucket = number("minbucket"), always = always, select_weights = select_weights,
    monotone = monotone, pool = pool_of(pool, learner), learner = check_learner(learner),
    factors = check_choice("factors", factors, alias = c(partition = "subsets")),
    bins = number("bins"), holdout = check_flag("holdout", holdout), inbag = inbag,
    honesty = check_flag("honesty", honesty), honesty_fraction = check_fraction(honesty_fraction),
    first = number("first"), oob = check_flag("oob", oob),
    keep_inbag = check_flag("keep_inbag", keep_inbag),
    local_importance = check_flag("local_importance", local_importance),
    threads = check_threads("threads", threads), workers = check_workers(workers),
    device = check_device(device), time_limit = number("time_limit"),
    memory_limit = check_forest_number("memory_limit", parse_bytes(memory_limit),
                                       forest_ranges$memory_limit, FALSE),
    on_interrupt = check_choice("on_interrupt", on_interrupt),
    verbose = verbose, progress = check_progress(progress)), class = "hist_forest_control")
}

#' @export
print.hist_forest_control <- function(x, ...) {
  print_settings(gettext("Settings of hist_forest"), x)
}

# A learner is told of nodes of one depth together, which must have candidates in common.
pool_of <- function(pool, learner) {
  pool <- check_choice("pool", pool, c("node", "level"))
  if (is.null(learner)) pool else "level"
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

# Rates have a default that is meant for many rows.
warn_if_unsplit <- function(min_n, frame) {
  n <- length(frame$response)
  if (is.null(exposure_of(frame$response)) || n >= min_n) return(invisible())
  warn_contree("unsplit", gettextf(
    "no tree has a split: 'min_n' is %d by default for rates, and there are %d rows; set 'min_n'",
    as.integer(min_n), n))
}

# Defaults that depend on the data.
settle_forest <- function(settings, frame) {
  n <- length(frame$response)
  settings <- settle_draws(settings, frame)
  settings["monotone"] <- list(check_forest_monotone(settings$monotone, frame, settings))
  if (!is_classes(frame)) check_range_of_response(frame$response, NULL)
  check_room_for_votes(frame, settings)
  check_corrected(frame, settings)
  check_local(settings)
  if (is_survival(frame)) check_survival_settings(frame, settings)
  if (settings$quantiles || is_survival(frame)) check_keeps_rows(frame)
  if (is.null(settings$min_n)) {
    settings$min_n <- if (is_classes(frame)) 2 else if (is_survival(frame)) 30
                      else if (!is.null(exposure_of(frame$response))) 100
                      else if (settings$quantiles) 10 else 6
    warn_if_unsplit(settings$min_n, frame)
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

# Out-of-bag votes are a number for each row and class, five times at the most.
check_room_for_votes <- function(frame, settings) {
  if (!is_classes(frame) || !(settings$oob || settings$importance == "permutation")) {
    return(invisible())
  }
  n <- length(frame$response)
  n_classes <- nlevels(frame$response)
  bytes <- 40 * n * n_classes
  allowed <- if (is.finite(settings$memory_limit)) settings$memory_limit else 2^33
  if (bytes <= max(allowed, 2^30)) return(invisible())
  stop_input("oob", gettextf(
    "out-of-bag votes of %d rows for %d classes take up to %.0f GB of memory", n, n_classes,
    bytes / 1e9), gettextf(paste(
      "use oob = FALSE, without permutation importance, or allow them with memory_limit = %s"),
      format(signif(bytes * 1.05, 2))))
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
