# The training data of a policy tree again, as training_frame() finds those of others.

policy_frame_again <- function(fit, data, env) {
  settings <- unclass(tree_settings(fit))
  call <- tree_call(fit)
  value <- function(name) eval(call[[name]], env)
  if (!is.null(tree_terms(fit))) {
    if (is.null(data)) data <- value("data")
    return(policy_formula_frame(formula_again(fit, call[["formula"]], env), data,
                                subset_again(fit, call[["subset"]], data), value("na.action"),
                                settings, value("objective")))
  }
  names <- if (!is.null(call[["Gamma"]])) c("X", "Gamma")
           else c("x", if (is.null(call[["costs"]])) "rewards" else "costs")
  if (is.null(data)) data <- stats::setNames(lapply(names, value), names)
  if (is.data.frame(data) || !all(names %in% names(data))) {
    stop(gettextf("'data' must be a list of '%s' and '%s', as the fit has them", names[1],
                  names[2]))
  }
  rewards <- data[[names[2]]]
  if (names[2] == "costs") rewards <- -read_rewards(rewards, NULL, "costs")
  policy_frame(data[[names[1]]], rewards, settings, names[2], names[1])
}

# What of the data is not as it was, in words; NULL if nothing is.
policy_training_fault <- function(fit, frame) {
  for (look in c(rows_fault, predictor_fault, values_fault, rewards_fault)) {
    fault <- look(fit, frame)
    if (!is.null(fault)) return(fault)
  }
}

rewards_fault <- function(fit, frame) {
  if (!identical(colnames(frame$rewards), fit$policy$actions)) {
    gettextf("the actions are %s, and were %s", show_names(colnames(frame$rewards)),
             show_names(fit$policy$actions))
  } else if (!identical(hash_columns(frame$rewards), fit$policy$hash)) {
    gettext("the rewards have other values, or their rows are in another order")
  }
}

policy_training_frame <- function(fit, data, env) {
  frame <- tryCatch(policy_frame_again(fit, data, env),
                    error = function(problem) no_training_data(problem, data))
  refuse_other_data(policy_training_fault(fit, frame))
  frame
}
