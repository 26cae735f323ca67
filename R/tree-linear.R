# Linear models in leaves: the terms that they add up. A term is
#   number  the value of a predictor; 0 where it is missing and the predictor has a term "other"
#   level   1 where the predictor has that level
#   other   1 where the predictor is missing or, if it is a factor, has a level that is unknown
# `linear_terms` of a fit says for each column of the coefficients what it stands for; without it
# all are numbers. The coefficient of a level that no row of a node has is NA, and "other" stands
# in.

model_terms <- function(fit) {
  if (!is.null(fit[["linear_terms"]])) return(fit[["linear_terms"]])
  number_terms(colnames(node_coefficients(fit)))
}

number_terms <- function(predictors) {
  list(predictor = as.character(predictors), kind = rep("number", length(predictors)),
       level = rep(NA_character_, length(predictors)))
}

# The terms of a factor, or of a number that may be missing.
level_terms <- function(predictor, levels) {
  list(predictor = rep(predictor, length(levels) + 1),
       kind = c(rep("level", length(levels)), "other"), level = c(levels, NA))
}

missing_terms <- function(predictor) {
  list(predictor = rep(predictor, 2), kind = c("number", "other"), level = c(NA_character_, NA))
}

join_terms <- function(each) {
  part <- function(name) as.character(unlist(lapply(each, `[[`, name)))
  list(predictor = part("predictor"), kind = part("kind"), level = part("level"))
}

# Names for the columns of the coefficients.
term_names <- function(terms) {
  said <- ifelse(terms$kind == "level", paste0(terms$predictor, "=", terms$level),
                 ifelse(terms$kind == "other", paste0(terms$predictor, "=?"), terms$predictor))
  make.unique(c(intercept_name, said))[-1]
}

# The coefficients of linear models, a row a node, a column a term.
node_coefficients <- function(fit) fit$frame$yval2[, -1, drop = FALSE]

# For each term the place of the term "other" of its predictor, NA where it has none.
other_terms <- function(terms) {
  other <- which(terms$kind == "other")
  other[match(terms$predictor, terms$predictor[other])]
}

# The coefficients with those of levels that a node does not have.
full_coefficients <- function(fit) {
  b <- node_coefficients(fit)
  absent <- is.na(b)
  if (any(absent)) b[absent] <- b[, other_terms(model_terms(fit)), drop = FALSE][absent]
  b
}

# The predictors in the models of the leaves, in the order of the fit.
tree_regressors <- function(fit) {
  if (tree_leaf(fit) != "linear") return(character())
  used <- colSums(full_coefficients(fit)[node_is_leaf(fit), , drop = FALSE] != 0) > 0
  intersect(tree_shape(fit)$names, model_terms(fit)$predictor[used])
}

# ---- as C takes them -----------------------------------------------------------------------------

# Linear leaves for ffi_forest_predict, and the columns that they take besides those of the
# predictors: list(leaves, columns). `columns`: of new data, a list or a matrix.
linear_payload <- function(fit, columns) {
  terms <- model_terms(fit)
  b <- full_coefficients(fit) * node_is_leaf(fit)
  place <- match(terms$predictor, column_names(columns))
  needed <- colSums(b != 0) > 0
  if (any(lost <- needed & is.na(place))) {
    stop_input("newdata", gettextf("'newdata' gives no %s, which the leaves use",
                                   show_names(unique(terms$predictor[lost]))))
  }
  made <- which(needed & !is.na(other_terms(terms)))
  if (length(made)) {
    if (is.matrix(columns)) columns <- as.list(as.data.frame(columns))
    values <- lapply(made, function(k) term_values(columns[[place[k]]], terms$kind[k],
                                                   tree_xlevels(fit)[[terms$predictor[k]]],
                                                   terms$level[k]))
    place[made] <- length(columns) + seq_along(made)
    columns <- c(columns, values)
  }
  used <- which(t(b != 0), arr.ind = TRUE) # node by node
  list(columns = columns,
       leaves = list(values = node_values(fit),
                     first_term = c(0L, cumsum(tabulate(used[, 2], nrow(b)))),
                     column = place[used[, 1]], coefficient = b[used[, 2:1, drop = FALSE]]))
}

# What a term of a predictor with a term "other" is in each row; `levels` of a factor, whose values
# are codes of these, 0 for any other.
term_values <- function(x, kind, levels, level) {
  known <- if (is.null(levels)) !is.na(x) else x %in% seq_along(levels)
  switch(kind, number = ifelse(known, as.double(x), 0),
         level = as.double(x %in% match(level, levels)), other = as.double(!known))
}

# ---- in words ------------------------------------------------------------------------------------

# The linear model of each node as an expression. `say` writes parts in a language:
#   number(x)                      numbers
#   value(predictor)               a predictor that is a number
#   missing(predictor, sum, x)     the number x where the predictor is missing, else the sum
#   levels(predictor, values, x)   the value of the predictor's level, by name, else x: texts that
#                                  begin with " + " or " - "
model_code <- function(fit, say) {
  b <- node_coefficients(fit)
  terms <- model_terms(fit)
  columns <- split(seq_along(terms$predictor), factor(terms$predictor, unique(terms$predictor)))
  vapply(seq_len(nrow(b)), function(node) {
    parts <- lapply(names(columns), function(name) {
      k <- columns[[name]]
      predictor_code(b[node, k], lapply(terms, `[`, k), name, say)
    })
    paste(c(say$number(fit$frame$yval[node]), unlist(parts)), collapse = "")
  }, "")
}

# What a predictor contributes. `b`, `terms`: of its terms.
predictor_code <- function(b, terms, name, say) {
  if (all(b %in% c(0, NA))) return(NULL)
  other <- b[terms$kind == "other"]
  if (any(terms$kind == "level")) {
    of_levels <- terms$kind == "level"
    return(say$levels(name, stats::setNames(b[of_levels], terms$level[of_levels]), other))
  }
  slope <- b[terms$kind == "number"]
  product <- function(x) paste0(say$number(x), " * ", say$value(name))
  if (length(other)) return(paste0(" + ", say$missing(name, product(slope), other)))
  paste0(sign_code(slope), product(abs(slope)))
}

sign_code <- function(x) ifelse(x < 0, " - ", " + ")

# How linear models are written as R code: `number` writes numbers. Levels are those that rows of
# the node have.
r_language <- function(number) {
  list(number = number, value = code_name,
       missing = function(name, sum, x) {
         sprintf("ifelse(is.na(%s), %s, %s)", code_name(name), number(x), sum)
       },
       levels = function(name, values, x) {
         values <- values[!values %in% c(0, NA)]
         paste0(sign_code(values), number(abs(values)), " * (", code_name(name), " == ",
                encodeString(names(values), quote = "\""), ")", recycle0 = TRUE)
       })
}

# A predictor as R code.
code_name <- function(name) deparse1(as.name(name), backtick = TRUE)
