# A fit from a document of as_json() that export-json-read.R has read: all of it but the training
# rows and how the search went.

model_of_document <- function(document, predictors, nodes) {
  names <- names(predictors)
  pick <- function(member) Filter(Negate(is.null), lapply(predictors, `[[`, member))
  types <- vapply(predictors, `[[`, "", "type")
  ids <- vapply(nodes, `[[`, 0, "id")
  split <- lapply(nodes, `[[`, "split")
  of_split <- function(member, other) vapply(split, function(split) c(split[[member]], other)[1],
                                             other)
  leaf <- leaves_of_document(document, nodes, predictors)
  weights <- lapply(nodes, function(node) c(node$counts, node$weight))
  tree <- list(
    feature = match(of_split("variable", ""), names, 0L),
    left = match(2 * ids, ids, 0L), right = match(2 * ids + 1, ids, 0L),
    threshold = of_split("threshold", NA_real_), default_left = of_split("missing", "") == "left",
    sides = lapply(split, `[[`, "sides"), missing = of_split("missing_rows", 0),
    n = vapply(nodes, `[[`, 0, "n"), weight = vapply(weights, sum, 0),
    errors = vapply(nodes, `[[`, 0, "errors"))
  saved <- of_split("saved", NA_real_)[lengths(split) > 0]
  if (!is.null(document$status) && document$leaf == "number" && !anyNA(saved)) {
    tree$saved <- replace(numeric(length(nodes)), lengths(split) > 0, saved)
  }
  data <- list(types = types, xlevels = pick("levels"), units = unlist(pick("unit")),
               shape = list(names = names, inputs = names),
               terms = terms_of_names(document$response, types, document$leaf))
  call <- quote(contree_from_json())
  if (!is.null(document$policy)) {
    return(policy_of_document(document$policy, tree, leaf, data, call, nodes))
  }
  if (is.null(document$status)) {
    return(new_model(tree, leaf, data, call, where = integer(),
                     limits = if (document$leaf == "linear") limits_of_document(nodes)))
  }
  new_model(
    tree, leaf, data, call, class = "contree", where = integer(), y = no_responses(document),
    loss = document$loss, weighted = document$weighted,
    control = settings_of_document(document$settings, document$leaf == "classes"),
    objective = document$objective, cost = document$cost, bound = document$bound,
    gap = document$cost - document$bound, status = document$status, capped = document$capped,
    counted = document$counted,
    elapsed = NA_real_, restricted = if (length(document$restricted)) document$restricted)
}

settings_of_document <- function(said, classes) {
  settings <- settle_sizes(contree_control(), classes)
  settings[names(said)] <- said
  kept_settings(settings)
}

# The fit of a policy tree, as of new_policy(), without what is of its rows.
policy_of_document <- function(said, tree, leaf, data, call, nodes) {
  actions <- colnames(leaf$yval2)
  action <- match(vapply(nodes, `[[`, "", "action"), actions)
  policy <- c(list(
    actions = actions, action = action, reward = leaf$yval2[cbind(seq_along(action), action)],
    std.error = vapply(nodes, `[[`, 0, "std_error"), elapsed = NA_real_),
    said[c(policy_amounts, "status")])
  new_model(tree, leaf, data, call, class = "contree_policy", where = integer(), policy = policy,
            residuals = numeric(), control = settings_of_document(said$settings, TRUE),
            restricted = if (length(said$restricted)) said$restricted)
}

no_responses <- function(document) if (document$leaf == "classes") integer() else numeric()

leaves_of_document <- function(document, nodes, predictors) {
  each <- function(member) do.call(rbind, lapply(nodes, `[[`, member))
  switch(
    document$leaf,
    classes = class_leaves(document$classes, match(each("class"), document$classes), each("counts"),
                           document$loss),
    number = number_leaves(c(each("value"))),
    numbers = numbers_leaves(structure(each("values"), dimnames = list(NULL, document$outputs))),
    linear = linear_of_document(c(each("intercept")), lapply(nodes, `[[`, "coefficients"),
                                predictors))
}

# What leaves compute, see linear_tree(); of other nodes nothing.
limits_of_document <- function(nodes) {
  end <- function(name, open) vapply(nodes, function(node) c(node[[name]], open)[1], 0)
  list(terms = lapply(nodes, `[[`, "terms"), low = end("lowest", -Inf), high = end("highest", Inf))
}

# `models`: of each node the coefficients by predictor, see coefficients_of_json().
linear_of_document <- function(intercept, models, predictors) {
  used <- intersect(names(predictors), unlist(lapply(models, names)))
  terms <- join_terms(lapply(used, function(name) {
    known <- predictors[[name]]
    if (known$type %in% level_types) return(level_terms(name, known$levels))
    missing <- any(vapply(models, function(model) "other" %in% names(model[[name]]), NA))
    if (missing) missing_terms(name) else number_terms(name)
  }))
  key <- ifelse(terms$kind == "level", paste0("level.", terms$level), terms$kind)
  rows <- lapply(models, function(model) {
    vapply(seq_along(key), function(k) {
      found <- model[[terms$predictor[k]]]
      if (is.null(found)) return(0)
      unname(c(unlist(found)[key[k]], if (terms$kind[k] == "level") NA else 0)[1])
    }, 0)
  })
  linear_leaves(intercept, do.call(rbind, rows), terms)
}
