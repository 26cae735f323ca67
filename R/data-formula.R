# The variables that a formula names. A tree needs no more of it, so it is read here directly: `+`,
# `-`, `.` and parentheses are understood, everything else is a variable to be evaluated in the
# data. stats::terms() and model.frame() are avoided because the former keeps a square matrix of the
# variables, which at 20,000 columns is 1.6 GB.

# Up to this many predictors the terms of a fit carry the expanded formula and the matrix of
# factors, as those of stats do.
full_terms_limit <- 200

interaction_operators <- c(":", "*", "^", "%in%", "/")

# The response and the predictors of `formula`: list(response = expression, predictors = list of
# expressions named by their text). `columns` are the names that `.` stands for, NULL when there is
# no data.
read_formula <- function(formula, columns) {
  if (!is.call(formula) || !identical(formula[[1]], quote(`~`))) {
    stop_input("formula", gettextf(
      "'formula' must be a formula, as in Species ~ ., not %s", show_value(formula)))
  }
  if (length(formula) != 3) {
    stop_input("formula", gettextf(
      "'formula' has no response: %s; write it as response ~ predictors, as in Species ~ .",
      show_formula(formula)))
  }
  response <- formula[[2]]
  labels <- right_hand_labels(formula[[3]], formula_names(response, columns))
  if (length(labels) == 0) {
    stop_input("formula", gettextf(
      "'formula' names no predictor: %s; name at least one column, or use . for all",
      show_formula(formula)))
  }
  if (variable_label(response) %in% names(labels)) {
    stop_input("formula", gettextf(
      "'%s' is both the response and a predictor in 'formula'; remove it from the right-hand side",
      variable_label(response)))
  }
  list(response = response, predictors = labels)
}

# What the names of a right-hand side may stand for: list(dot: the columns behind `.`; left: the
# variables of the response; has_data).
formula_names <- function(response, columns) {
  left <- all.vars(response)
  list(dot = setdiff(columns, left), left = left, has_data = !is.null(columns))
}

# The additive terms of a right-hand side as expressions named by their text. A long sum leans to
# the left, so the spine is walked in a loop: 20,000 terms would otherwise be 20,000 nested calls.
right_hand_labels <- function(rhs, given) {
  pieces <- list()
  signs <- logical()
  while (is.call(rhs) && as.character(rhs[[1]])[1] %in% c("+", "-")) {
    pieces[[length(pieces) + 1]] <- rhs[[length(rhs)]]
    signs[length(pieces)] <- identical(rhs[[1]], quote(`+`))
    rhs <- if (length(rhs) == 3) rhs[[2]] else 0
  }
  pieces <- rev(c(pieces, rhs))
  signs <- rev(c(signs, TRUE))
  terms <- lapply(pieces, piece_labels, given = given)
  if (all(signs)) {
    terms <- do.call(c, terms)
    return(terms[!duplicated(names(terms))])
  }
  take_away <- function(sum, i) {
    if (signs[i]) return(c(sum, terms[[i]][setdiff(names(terms[[i]]), names(sum))]))
    refuse_unknown_removal(names(terms[[i]]), names(sum), given)
    sum[setdiff(names(sum), names(terms[[i]]))]
  }
  Reduce(take_away, seq_along(terms), list())
}

# One term: the columns behind `.`, the terms inside parentheses, nothing for an intercept, else the
# variable itself.
piece_labels <- function(piece, given) {
  refuse_constant(piece)
  if (is.numeric(piece)) return(list())
  if (identical(piece, quote(.))) {
    if (given$has_data) return(stats::setNames(lapply(given$dot, as.name), given$dot))
    stop_input("formula", gettext(
      "'.' in 'formula' stands for the columns of 'data', but 'data' is missing; give 'data'"))
  }
  if (is.call(piece)) {
    head <- call_name(piece)
    if (head == "(") return(right_hand_labels(piece[[2]], given))
    if (head == "+" || head == "-" && length(piece) == 3) {
      return(right_hand_labels(piece, given))
    }
    if (head %in% interaction_operators) {
      stop_input("formula", gettextf("'formula' has the interaction '%s'", variable_label(piece)),
                 gettextf("a tree finds interactions itself: list the variables with +; %s",
                          in_brackets(piece)))
    }
    if (head == "offset") {
      stop_input("formula", gettextf(
        "'formula' has the offset '%s', which a tree cannot use; remove it",
        variable_label(piece)))
    }
    refuse_term(piece)
  }
  stats::setNames(list(piece), variable_label(piece))
}

# Of `survival::strata(x)` it is "strata"; "" of a function without a name.
call_name <- function(call) {
  head <- call[[1]]
  if (is.call(head) && as.character(head[[1]])[1] %in% c("::", ":::")) head <- head[[3]]
  if (is.name(head)) as.character(head) else ""
}

# How to have the value of an expression whose operators a formula reads as its own.
in_brackets <- function(expression) {
  gettextf("its value as one predictor is I(%s)", variable_label(expression))
}

# What stands among the terms and names nothing.
refuse_constant <- function(piece) {
  if (is.character(piece)) {
    stop_input("formula", gettextf("'formula' has the text %s among its terms", deparse1(piece)),
               gettext("name columns without quotes, with backticks where a name needs them"))
  }
  if (is.numeric(piece) && !piece %in% 0:1) {
    stop_input("formula", gettextf("'formula' has the number %s among its terms",
                                   deparse1(piece)), gettext("remove it, or write I() around sums"))
  }
}

# Terms that mean something in other models; evaluated they would be predictors without a word.
refuse_term <- function(piece) {
  head <- call_name(piece)
  if (head %in% c("|", "||")) {
    stop_input("formula", gettextf("'formula' has the bar '%s'", variable_label(piece)), gettext(
      "only gmt() has parts with a bar, y ~ regressors | splitters; a logical or is I(a | b)"))
  }
  if (head == "-") {
    stop_input("formula", gettextf("'formula' adds '%s'", variable_label(piece)), gettextf(
      "leave out a variable with -, not + -; %s", in_brackets(piece)))
  }
  if (head == "offset" && is.call(piece[[1]])) {
    stop_input("formula", gettextf(
      "'formula' has '%s', which is a regressor to stats::terms(); write offset() alone",
      variable_label(piece)))
  }
  if (head %in% c("strata", "cluster", "frailty", "tt", "Error")) {
    stop_input("formula", gettextf(
      "'formula' has '%s', which a tree cannot use; remove it, or name the column itself",
      variable_label(piece)))
  }
}

# Variables of the response may be taken away, as in log(y) ~ . - y, where stats needs it.
refuse_unknown_removal <- function(removed, present, given) {
  unknown <- setdiff(removed, c(present, given$dot, given$left))
  if (length(unknown)) {
    stop_input("formula", gettextf(
      "'formula' removes %s, which is not among the predictors; check the spelling",
      show_names(unknown)))
  }
}

# The name that a variable has in the model frame, as stats gives it.
variable_label <- function(expression) {
  if (is.name(expression)) as.character(expression) else deparse1(expression, backtick = TRUE)
}

show_formula <- function(formula) {
  text <- deparse1(formula)
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}

# `formula` with `.` on either side standing for the same side of `old`, as stats::update.formula()
# has it, which for very many terms is slow and does not take a `.` that stays.
replace_dots <- function(formula, old) {
  side <- function(expression, known) {
    if (identical(expression, quote(.))) return(known)
    if (is.call(expression)) expression[-1] <- lapply(expression[-1], side, known)
    expression
  }
  left <- if (length(formula) == 3) side(formula[[2]], old[[2]]) else old[[2]]
  sum <- old[[3]]
  # the dot of `old` stood for all columns but its response
  if ("." %in% all.vars(sum)) {
    for (name in setdiff(all.vars(old[[2]]), all.vars(left))) sum <- call("-", sum, as.name(name))
  }
  right <- formula[[length(formula)]]
  right <- if (identical(right, quote(.))) sum else side(right,
                                                         if (is.call(sum)) call("(", sum) else sum)
  stats::as.formula(call("~", left, right), environment(old))
}

# The terms object of a fit: what stats::terms() would say of the expanded formula, plus `predvars`
# (how to evaluate each variable in new data; poly() and scale() need the constants of the training
# data) and `dataClasses`. `frame` is the list of the variables' values, response first; `data` are
# the names that new data will have.
new_terms <- function(formula, parts, frame, data = character()) {
  expressions <- c(list(parts$response), parts$predictors)
  small <- length(expressions) <= full_terms_limit
  predvars <- expressions
  products <- vapply(expressions, is_product, NA)
  predvars[products] <- lapply(expressions[products], product_call)
  expressions <- lapply(expressions, plain_expression)
  labels <- term_labels(expressions)
  calls <- which(!vapply(expressions, is.name, NA) & !products)
  predvars[calls] <- Map(stats::makepredictcall, frame[calls], expressions[calls])
  structure(
    plain_formula(if (small) expanded_formula(expressions) else formula),
    variables = as.call(c(quote(list), unname(expressions))),
    factors = if (small) diagonal_factors(labels) else integer(),
    term.labels = labels[-1],
    order = rep(1L, length(parts$predictors)),
    intercept = 1L, response = 1L,
    class = c("terms", "formula"),
    .Environment = lasting_environment(environment(formula), expressions, data),
    predvars = as.call(c(quote(list), unname(predvars))),
    dataClasses = vapply(frame, stats::.MFclass, ""))
}

# Expressions as deparse() writes them; names, which need no deparsing, are many.
term_labels <- function(expressions) {
  labels <- as.character(expressions)
  plain <- vapply(expressions, is.name, NA) & labels == make.names(labels)
  labels[!plain] <- vapply(expressions[!plain], deparse1, "", backtick = TRUE)
  labels
}

plain_formula <- function(formula) {
  attributes(formula) <- NULL
  formula
}

expanded_formula <- function(expressions) {
  sum <- Reduce(function(left, right) call("+", left, right), expressions[-1])
  call("~", expressions[[1]], sum)
}

# The response and the predictors (their labels) of a sum without interactions: one predictor a
# term.
diagonal_factors <- function(labels) {
  predictors <- length(labels) - 1
  structure(rbind(0L, diag(1L, predictors)), dimnames = list(labels, labels[-1]))
}
