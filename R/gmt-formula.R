# Formulas of model trees, y ~ regressors | splitters: their parts, as lm() and lmtree() read them.
# Products of regressors become columns here; a tree splits on variables alone.

# list(response, predictors: named expressions; regressors, splitters: labels of these, NULL without
# a bar and products; by_rule: are factors of many levels for splitting alone? intercept; offsets:
# expressions). `value`: a function of an expression, its value in the data.
read_gmt_parts <- function(formula, columns, value) {
  sides <- formula_sides(formula)
  response <- formula[[2]]
  given <- formula_names(response, columns)
  left <- read_regressors(sides$regressors, given, value)
  splitters <- if (!is.null(sides$splitters)) {
    right_hand_labels(sides$splitters, given)
  } else {
    left$variables
  }
  both <- is.null(sides$splitters)
  predictors <- c(left$terms, splitters)
  predictors <- predictors[!duplicated(names(predictors))]
  check_predictors(predictors, response, formula)
  plain <- both && identical(names(left$terms), names(splitters))
  list(response = response, predictors = predictors,
       regressors = if (!plain) as.character(names(left$terms)),
       splitters = if (!plain) as.character(names(splitters)), by_rule = both,
       intercept = left$intercept, offsets = left$offsets)
}

# The two sides of the bar; `splitters` NULL without one.
formula_sides <- function(formula) {
  if (length(formula) != 3) read_formula(formula, NULL) # which says so
  right <- formula[[3]]
  is_bar <- function(side) is.call(side) && identical(side[[1]], as.name("|"))
  if (!is_bar(right)) right <- call("|", right, NULL)
  if (any(vapply(as.list(right)[-1], has_bar, NA))) {
    stop_input("formula", gettextf(
      "'formula' has more than one bar or one inside a part: %s; write y ~ regressors | splitters",
      show_formula(formula)), gettext("a logical or is I(a | b)"))
  }
  list(regressors = right[[2]], splitters = right[[3]])
}

# Is there a bar that no function call encloses?
has_bar <- function(side) {
  if (!is.call(side)) return(FALSE)
  head <- as.character(side[[1]])[1]
  if (head == "|") return(TRUE)
  head %in% c("+", "-", "(", interaction_operators) && any(vapply(as.list(side)[-1], has_bar, NA))
}

check_predictors <- function(predictors, response, formula) {
  if (length(predictors) == 0) read_formula(call("~", response, 1), NULL)
  if (variable_label(response) %in% names(predictors)) {
    read_formula(call("~", response, response), NULL)
  }
}

# list(terms, variables: named expressions; intercept, offsets). Long sums of names are read without
# stats::terms(), see data-formula.R.
read_regressors <- function(side, given, value) {
  if (is_sum_of_names(side)) {
    labels <- right_hand_labels(side, given)
    return(list(terms = labels, variables = labels, intercept = TRUE, offsets = list()))
  }
  if ("." %in% all.vars(side) && !given$has_data) piece_labels(quote(.), given) # which says so
  refuse_operands(side)
  like <- if (given$has_data) {
    list2DF(stats::setNames(rep(list(0), length(given$dot)), given$dot))
  }
  # it warns where what is taken away is not there, which is said below
  known <- tryCatch(suppressWarnings(stats::terms(stats::as.formula(call("~", side)), data = like)),
                    error = function(problem) {
                      stop_input("formula", gettextf("'formula' cannot be read: %s",
                                                     conditionMessage(problem)))
                    })
  variables <- as.list(attr(known, "variables"))[-1]
  names(variables) <- vapply(variables, variable_label, "")
  is_offset <- seq_along(variables) %in% attr(known, "offset")
  factors <- attr(known, "factors")
  is_used <- if (length(factors)) rowSums(factors > 0) > 0 else FALSE # not those taken away
  away <- variables[!is_used & !is_offset]
  known_names <- vapply(away, function(variable) all(all.vars(variable) %in% given$dot), NA)
  if (given$has_data) {
    refuse_unknown_removal(names(away)[!known_names], names(variables)[is_used], given)
  }
  terms <- lapply(seq_along(attr(known, "term.labels")), function(k) {
    inside <- which(factors[, k] > 0)
    if (length(inside) == 1) return(variables[[inside]])
    product_of(variables[inside], factors[inside, k], value)
  })
  if (attr(known, "intercept") == 0) terms <- with_all_levels(terms, value)
  names(terms) <- vapply(terms, function(term) variable_label(plain_expression(term)), "")
  list(terms = terms, variables = variables[is_used], intercept = attr(known, "intercept") == 1,
       offsets = lapply(unname(variables[is_offset]), `[[`, 2))
}

# What stats::terms() refuses without naming it, or takes for the name of a column: operands that
# name none, as in f %in% "u".
refuse_operands <- function(side) {
  while (is.call(side)) {
    head <- call_name(side)
    if (!head %in% c("+", "-", "(", interaction_operators)) return(refuse_term(side))
    operands <- as.list(side)[-1]
    if (head == "^") operands <- operands[1]
    if (head %in% interaction_operators && !all(vapply(operands, names_column, NA))) {
      stop_input("formula", gettextf("'formula' has '%s', which is no product of columns",
                                     variable_label(side)), in_brackets(side))
    }
    # a long sum leans to the left
    for (operand in operands[-1]) {
      if (head == "+" && is.call(operand) && call_name(operand) == "-") refuse_term(operand)
      refuse_operands(operand)
    }
    side <- operands[[1]]
  }
  refuse_constant(side)
}

names_column <- function(expression) length(all.vars(expression)) > 0

# Without an intercept lm() has a column for each level of the first factor, and so of a logical.
with_all_levels <- function(terms, value) {
  for (k in seq_along(terms)) {
    if (is_product(terms[[k]])) break # these come last
    x <- value(terms[[k]])
    if (is.logical(x)) terms[[k]] <- call("factor", terms[[k]])
    if (is.logical(x) || is.factor(x) || is.character(x)) break
  }
  terms
}

is_sum_of_names <- function(side) {
  while (is.call(side) && identical(side[[1]], quote(`+`)) && length(side) == 3) {
    if (!is.name(side[[3]])) return(FALSE)
    side <- side[[2]]
  }
  is.name(side) || identical(side, 1)
}

# ---- products ------------------------------------------------------------------------------------

# The product of variables as an expression that is labelled as lm() does, `x:z`. `coding`: of each
# variable 1, contrasts, or 2, all levels.
product_of <- function(variables, coding, value) {
  codings <- Map(function(variable, kind) {
    x <- value(variable)
    if (is.character(x) || (is.logical(x) && kind == 2)) x <- factor(x)
    if (!is.factor(x)) return(NULL)
    if (length(used_levels(x)) < nlevels(x)) x <- droplevels(x) # and with them its own contrasts
    coding <- stats::contrasts(x, contrasts = kind == 1)
    rownames(coding) <- levels(x) # contr.poly() gives none
    coding
  }, variables, coding)
  expression <- Reduce(function(a, b) call(":", a, b), unname(variables))
  variables <- Map(function(variable) {
    if (is.name(variable)) variable else stats::makepredictcall(value(variable), variable)
  }, variables)
  structure(expression, product = list(variables = unname(variables), codings = unname(codings)))
}

plain_expression <- function(expression) {
  if (is_product(expression)) attr(expression, "product") <- NULL
  expression
}

is_product <- function(expression) !is.null(attr(expression, "product"))

# The call that computes a product in new data, wherever that is evaluated.
product_call <- function(expression) {
  known <- attr(expression, "product")
  as.call(list(product_function, as.call(c(quote(list), known$variables)), known$codings))
}

product_function <- call(":::", quote(contree), quote(product_columns))

# Levels in new data that the factors in the products of the models do not have, by factor.
unknown_in_products <- function(fit, newdata) {
  terms <- tree_terms(fit)
  labels <- vapply(as.list(attr(terms, "variables"))[-(1:2)], variable_label, "")
  asked <- as.list(attr(terms, "predvars"))[-(1:2)][is_asked(labels, asked_predictors(fit))]
  unknown <- list()
  for (made in asked) {
    if (!is.call(made) || !identical(made[[1]], product_function)) next
    variables <- as.list(made[[2]])[-1]
    codings <- made[[3]]
    for (k in which(lengths(codings) > 0)) {
      value <- as.character(eval(variables[[k]], as.data.frame(newdata), environment(terms)))
      new <- setdiff(value, c(rownames(codings[[k]]), NA))
      if (length(new)) unknown[[variable_label(variables[[k]])]] <- new
    }
  }
  unknown
}

# A vector, or a matrix of several columns, the first variable's fastest.
product_columns <- function(values, codings) {
  each <- Map(function(x, coding) {
    if (is.null(coding)) {
      x <- if (is.matrix(x)) x else matrix(as.double(x))
      return(structure(x, dimnames = list(NULL, colnames(x))))
    }
    coding <- unclass(coding)
    if (is.null(colnames(coding))) colnames(coding) <- seq_len(ncol(coding))
    structure(coding[match(as.character(x), rownames(coding)), , drop = FALSE],
              dimnames = list(NULL, colnames(coding)))
  }, values, codings)
  product <- Reduce(function(a, b) {
    left <- rep(seq_len(ncol(a)), ncol(b))
    right <- rep(seq_len(ncol(b)), each = ncol(a))
    names <- if (is.null(colnames(a))) colnames(b)[right] else
      if (is.null(colnames(b))) colnames(a)[left] else
        paste(colnames(a)[left], colnames(b)[right], sep = ":")
    structure(a[, left, drop = FALSE] * b[, right, drop = FALSE], dimnames = list(NULL, names))
  }, each)
  if (ncol(product) == 1 && is.null(colnames(product))) drop(product) else product
}

# ---- update() ------------------------------------------------------------------------------------

#' @rdname coef.gmt
#' @param formula. Changes to the formula, as in [stats::update.formula()], in each part by itself:
#'   `. ~ . - z` changes the regressors of `y ~ x + z | u`, `. ~ . | . + v` its splitters.
#' @param evaluate Evaluate the new call, or return it? `TRUE` by default.
#' @export
update.gmt <- function(object, formula., ..., evaluate = TRUE) {
  check_fit(object, "object")
  changes <- match.call(expand.dots = FALSE)$...
  if (!missing(formula.)) {
    if (is.null(object$formula)) {
      stop_input("formula.", gettext("the fit has no formula; give 'x', 'y' and 'z' anew"))
    }
    changes <- c(list(formula = update_gmt_formula(object$formula,
                                                   stats::as.formula(formula.))), changes)
  }
  call <- tree_call(object)
  call[names(changes)] <- changes
  if (missing(formula.)) call <- with_own_formula(call, object, parent.frame())
  if (evaluate) eval(call, parent.frame()) else call
}

# What a tree splits on where regressors are all that a formula has: a sum. With a dot it is they.
variables_of <- function(side) {
  if ("." %in% all.vars(side) || is_sum_of_names(side)) return(side)
  known <- stats::terms(stats::as.formula(call("~", side)))
  used <- which(rowSums(attr(known, "factors") > 0) > 0)
  Reduce(function(a, b) call("+", a, b), as.list(attr(known, "variables"))[-1][used])
}

update_gmt_formula <- function(old, new) {
  if (length(new) == 2) new <- call("~", quote(.), new[[2]])
  before <- formula_sides(old)
  after <- formula_sides(new)
  change <- function(known, asked) {
    if (is.null(asked) || identical(asked, quote(.))) return(known)
    changed <- call("~", asked)
    if ("." %in% all.vars(known)) {
      changed <- replace_dots(call("~", quote(.), asked), call("~", old[[2]], known))
      return(changed[[3]])
    }
    stats::update.formula(stats::as.formula(call("~", known)), stats::as.formula(changed))[[2]]
  }
  right <- change(before$regressors, after$regressors)
  known <- if (is.null(before$splitters)) variables_of(before$regressors) else before$splitters
  splitters <- if (is.null(after$splitters)) before$splitters else change(known, after$splitters)
  if (!is.null(splitters)) right <- call("|", right, splitters)
  left <- do.call(substitute, list(new[[2]], list(. = old[[2]])))
  stats::as.formula(call("~", left, right), environment(old))
}
