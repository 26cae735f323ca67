# as_c(): a tree as C functions that need nothing but a compiler.

#' Convert a model, or its schedule, to C code
#'
#' `as_c()` converts a model to self-contained C code (C99) that can be compiled into a program or a
#' library without R. For every row it returns the same result as [predict.contree()].
#'
#' @order 1
#' @details
#' With the default `name` the code of a tree defines
#'
#' * `int contree_predict(const double *x)`: the class of a row, as an index into
#'   `contree_predict_classes`, starting at 0;
#' * `const double *contree_predict_prob(const double *x)`: the class proportions in the leaf of the
#'   row;
#' * if leaves predict a number or hold a linear model, `double contree_predict(const double *x)`
#'   instead of these two: the prediction; if they predict several numbers, `const double
#'   *contree_predict(const double *x)`, with the names of the numbers in `contree_predict_outputs`;
#' * of a policy tree, whose numbers are the mean rewards of the actions, also
#'   `int contree_predict_action(const double *x)`: the best action, as an index into
#'   `contree_predict_outputs`, starting at 0;
#' * `int contree_predict_node(const double *x)`: the number of the leaf, as shown by `print()`;
#' * `contree_predict_classes`, `contree_predict_inputs`: the names of the classes and of the
#'   predictors in `x`, which are those that the tree uses, in the order of the fit; each list ends
#'   with a null pointer;
#' * `contree_predict_levels`: for each of these predictors its levels, ending with a null pointer,
#'   or a null pointer if it has none.
#'
#' Missing values are `NAN`. Logical values are 0 and 1, dates are days and times are seconds since
#' 1970. A factor or ordered factor is given by the index of its level, starting at 1; any other
#' number stands for a level that did not occur in training. Do not compile the code with options
#' that disable `NAN` (`-ffast-math`).
#'
#' Names and levels appear only in string literals, in UTF-8.
#'
#' @section Imported forests:
#' For results of [import_forest()] and [forge()] the code defines `void contree_predict(const
#' double *x, double *margin)`, a loop over a table of the nodes, which compiles quickly. `x` holds
#' all features in order, factors as the codes of the model; `margin` receives the result of
#' `predict(type = "margin")`, bit for bit.
#'
#' @param fit A fit of [contree()], [gmt()] or [policy_tree()], or a result of [import_forest()] or
#'   [forge()].
#' @param name Name of the function and prefix of the other names: a string, a valid C identifier;
#'   `"contree_predict"` by default, and `"forest_margins"` for `schedule_code()`.
#' @param ... Not used; anything given here is an error.
#' @return `as_c()`: a string of class `contree_code`, which prints as the contents of a file; write
#'   it with [writeLines()].
#' @seealso [as_sql()], [as_json()], [write_pmml()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' as_c(fit, name = "iris_species")
#' writeLines(as_c(fit), file.path(tempdir(), "tree.c"))
#' @export
as_c <- function(fit, ...) UseMethod("as_c")

#' @rdname as_c
#' @export
as_c.contree_model <- function(fit, name = "contree_predict", ...) {
  check_no_dots(...)
  check_fit(fit)
  check_c_name(name)
  inputs <- used_predictors(fit)
  levels <- tree_xlevels(fit)[inputs]
  new_code(paste(collapse = "\n", c(
    sprintf("/* A %s tree made by the R package contree. */",
            if (is_policy(fit)) "policy" else if (predicts_classes(fit)) "classification"
            else "regression"),
    "#include <math.h>", "#include <stddef.h>", "", c_names(fit, name),
    "/* What x holds. */", c_strings(paste0(name, "_inputs"), inputs),
    "",
    "/* Of inputs that are texts, the levels: x holds the place of the level, the first is 1. */",
    c_levels(paste0(name, "_levels"), levels),
    "", "/* Leaves from left to right. A missing value is a NAN. */",
    sprintf("static int %s_leaf(const double *x)", name),
    "{", indent(c(if (length(inputs) == 0) "(void) x;", c_nest(fit, inputs))), "}", "",
    c_answers(fit, name, inputs))))
}

#' @export
as_c.default <- function(fit, ...) check_fit(fit)

# Names of the classes, or of several numbers.
c_names <- function(fit, name) {
  switch(tree_leaf(fit), classes = c(c_strings(paste0(name, "_classes"), tree_classes(fit)), ""),
         numbers = c(c_strings(paste0(name, "_outputs"), colnames(node_values(fit))), ""))
}

# A leaf gives its place among the leaves.
c_nest <- function(fit, inputs) {
  conditions <- lapply(node_questions(fit), c_condition, inputs, tree_xlevels(fit))
  place <- cumsum(node_is_leaf(fit)) - 1
  fold_tree(fit, function(node) sprintf("return %d;", place[node]), function(node, left, right) {
    nested <- length(right) > 1
    c(strwrap(sprintf("if (%s) {", conditions[[node]]), 110, exdent = 4), indent(left),
      if (nested) c(paste("} else", right[1]), right[-1]) else c("} else {", indent(right), "}"))
  })
}

# The condition under which a row goes left. Comparisons with a NAN are false.
c_condition <- function(question, inputs, xlevels) {
  if (is.null(question)) return(NULL)
  x <- sprintf("x[%d]", match(question$variable, inputs) - 1L)
  yes <- question$yes_left
  missing_left <- question$missing_left
  if (question$kind == "known") return(sprintf(if (yes) "!isnan(%s)" else "isnan(%s)", x))
  if (question$kind == "less") {
    return(sprintf(if (missing_left) "!(%s >= %s)" else "%s < %s", x, c_number(question$threshold)))
  }
  among <- paste(x, "==", match(question$levels, xlevels[[question$variable]]), collapse = " || ")
  if (yes == missing_left) among <- paste(among, "||", sprintf("isnan(%s)", x))
  if (yes) among else sprintf("!(%s)", among)
}

c_answers <- function(fit, name, inputs) {
  leaf <- node_is_leaf(fit)
  rows <- function(values) {
    sprintf("{%s}", apply(values[leaf, , drop = FALSE], 1,
                          function(row) paste(c_number(row), collapse = ", ")))
  }
  answer <- switch(
    tree_leaf(fit),
    classes = c(
      c_entry(name, "int %s(const double *x)", "int table[]",
              as.integer(node_class(fit))[leaf] - 1L), "",
      c_entry(name, "const double *%s_prob(const double *x)",
              sprintf("double table[][%d]", length(tree_classes(fit))),
              rows(node_proportions(fit)))),
    number = c_entry(name, "double %s(const double *x)", "double table[]",
                     c_number(fit$frame$yval[leaf])),
    numbers = c_entry(name, "const double *%s(const double *x)",
                      sprintf("double table[][%d]", ncol(node_values(fit))),
                      rows(node_values(fit))),
    linear = c_models(fit, name, inputs))
  if (is_policy(fit)) {
    answer <- c(answer, "", c_entry(name, "int %s_action(const double *x)", "int table[]",
                                    fit$policy$action[leaf] - 1L))
  }
  c(answer, "", c_entry(name, "int %s_node(const double *x)", "int table[]", node_ids(fit)[leaf]))
}

# A function that looks its answer up by leaf.
c_entry <- function(name, head, type, values) {
  c(sprintf(head, name), "{", sprintf("  static const %s = {", type),
    strwrap(paste(values, collapse = ", "), 110, indent = 4, exdent = 4), "  };",
    sprintf("  return table[%s_leaf(x)];", name), "}")
}

# The model of each leaf; the last one for want of a default.
c_models <- function(fit, name, inputs) {
  models <- model_code(fit, c_language(inputs, tree_xlevels(fit)))[node_is_leaf(fit)]
  last <- length(models)
  c(sprintf("double %s(const double *x)", name), "{", sprintf("  switch (%s_leaf(x)) {", name),
    sprintf("  case %d: return %s;", seq_len(last - 1) - 1L, models[-last]),
    sprintf("  default: return %s;", models[last]), "  }", "}")
}

c_language <- function(inputs, xlevels) {
  value <- function(name) sprintf("x[%d]", match(name, inputs) - 1L)
  list(number = c_number, value = value,
       missing = function(name, sum, x) {
         sprintf("(isnan(%s) ? %s : %s)", value(name), c_number(x), sum)
       },
       levels = function(name, values, x) {
         values <- values[!is.na(values)]
         cases <- paste(value(name), "==", match(names(values), xlevels[[name]]), "?",
                        c_number(values), ":", collapse = " ")
         sprintf(" + (%s %s)", cases, c_number(x))
       })
}

c_number <- function(x) {
  text <- exact_number(x)
  ifelse(grepl("[.e]", text), text, paste0(text, ".0"))
}

c_strings <- function(name, values, storage = "") {
  sprintf("%sconst char *const %s[] = {%s};", storage, name,
          paste(c(c_string(values), "NULL"), collapse = ", "))
}

c_levels <- function(name, levels) {
  has <- which(lengths(levels) > 0)
  each <- rep("NULL", length(levels))
  each[has] <- paste0(name, "_", has)
  c(unlist(lapply(has, function(i) c_strings(each[i], levels[[i]], "static "))),
    sprintf("const char *const *const %s[] = {%s};", name, paste(c(each, "NULL"), collapse = ", ")))
}

# Literals in plain ASCII: whatever could end them, a line or a trigraph (??/) becomes an escape.
c_string <- function(texts) {
  code <- sprintf("\\%03o", 0:255)
  plain <- setdiff(32:126, utf8ToInt("\"\\?"))
  code[plain + 1] <- strsplit(intToUtf8(plain), "")[[1]]
  vapply(texts,
         function(text) paste0("\"", paste(code[as.integer(charToRaw(enc2utf8(text))) + 1],
                                           collapse = ""), "\""), "",
         USE.NAMES = FALSE)
}

check_c_name <- function(name) {
  fine <- is.character(name) && length(name) == 1 &&
    grepl("^[A-Za-z_][A-Za-z0-9_]*$", name, perl = TRUE) &&
    !name %in% c_keywords
  if (!fine) {
    stop_input("name", gettextf(
      "'name' must be a name that C takes (letters, digits and _, no keyword), not %s",
      show_value(name)))
  }
}

c_keywords <- c(
  "auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "delete", "do",
  "double", "else", "enum",
  "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "main", "namespace",
  "new", "register",
  "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template",
  "this", "throw", "true", "try", "typedef",
  "union", "unsigned", "void", "volatile", "while")
