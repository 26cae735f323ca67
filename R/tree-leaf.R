# What the leaves of a tree predict, and how it is said. Every node has it, so that a tree may be
# cut anywhere. The kinds, and where a fit has them (`yval` and `yval2` are columns of the frame):
#   classes  class counts: a class, as a code into `ylevels`, in yval; the code, what the rows of
#            each class weigh, and their proportions in yval2
#   number   one number, in yval
#   numbers  k numbers, named, in yval2; the first is in yval as well
#   linear   a linear model: the intercept, and the coefficients by term (0 where a node does not
#            use it), in yval2, see tree-linear.R; the intercept is in yval as well

leaf_kinds <- c("classes", "number", "numbers", "linear")
intercept_name <- "(Intercept)"

# ---- making --------------------------------------------------------------------------------------

# `shares`: what the classes count for in the Gini impurity of nodes.
class_leaves <- function(classes, label, counts, loss) {
  weight <- rowSums(counts)
  yval2 <- cbind(label, counts, counts / ifelse(weight > 0, weight, 1), weight / weight[1])
  dimnames(yval2) <- list(NULL, c(rep("", 1 + 2 * ncol(counts)), "nodeprob"))
  list(kind = "classes", classes = classes, yval = as.numeric(label), yval2 = yval2,
       shares = class_shares(counts, loss))
}

number_leaves <- function(values) list(kind = "number", yval = values)

# A row a node, a column a number, named.
numbers_leaves <- function(values) list(kind = "numbers", yval = unname(values[, 1]),
                                        yval2 = values)

# `coefficients`: a row a node, a column a term, see tree-linear.R; without `terms` predictors,
# named by them.
linear_leaves <- function(intercept, coefficients, terms = NULL) {
  if (!is.null(terms) && all(terms$kind == "number")) {
    colnames(coefficients) <- terms$predictor
    terms <- NULL
  }
  if (!is.null(terms)) colnames(coefficients) <- term_names(terms)
  table <- cbind(intercept, coefficients)
  dimnames(table) <- list(NULL, c(intercept_name, colnames(coefficients)))
  list(kind = "linear", yval = unname(intercept), yval2 = table, terms = terms)
}

# ---- reading -------------------------------------------------------------------------------------

# Forests and settings of a fit say nothing, and are asked as classes are.
tree_leaf <- function(fit) if (is.null(fit[["leaf"]])) "classes" else fit[["leaf"]]
predicts_classes <- function(fit) tree_leaf(fit) == "classes"

# The numbers that nodes predict, a row a node; of linear models the intercepts.
node_values <- function(fit) {
  if (tree_leaf(fit) == "numbers") return(fit$frame$yval2)
  matrix(fit$frame$yval, dimnames = list(NULL, "value"))
}

# The predictors that the tree asks for, or that its leaves compute with; and in the order of the
# fit, which takes time where predictors are many.
asked_predictors <- function(fit) {
  variable <- node_variable(fit)
  unique(c(variable[!is.na(variable)], tree_regressors(fit)))
}
used_predictors <- function(fit) intersect(tree_shape(fit)$names, asked_predictors(fit))

# The leaves as C takes them, see ffi_forest_predict, with the columns that they need.
leaf_payload <- function(fit, columns) {
  if (tree_leaf(fit) == "linear") return(linear_payload(fit, columns))
  list(leaves = list(values = node_values(fit)), columns = columns)
}

# ---- in words ------------------------------------------------------------------------------------

# What each node predicts, for people, in one line.
leaf_words <- function(fit, digits) {
  number <- readable(digits)
  if (is_policy(fit)) {
    return(paste0(node_action(fit), " (", distinct_numbers(fit$policy$reward, digits), ")"))
  }
  switch(
    tree_leaf(fit),
    classes = as.character(node_class(fit)), number = distinct_numbers(fit$frame$yval, digits),
    numbers = apply(node_values(fit), 1,
                    function(row) paste0(names(row), "=", number(row), collapse = ", ")),
    linear = model_code(fit, r_language(number)))
}

# What each node predicts, as columns of a data frame: for `full` in all its numbers.
leaf_columns <- function(fit, full) {
  if (predicts_classes(fit)) {
    class <- node_class(fit)
    proportions <- node_proportions(fit)
    columns <- data.frame(class = class,
                          probability = proportions[cbind(seq_along(class), as.integer(class))])
    if (full) columns[paste0("prob.", tree_classes(fit))] <- as.data.frame(proportions)
    return(columns)
  }
  if (is_policy(fit)) {
    columns <- data.frame(action = class_factor(fit$policy$action, fit$policy$actions),
                          reward = fit$policy$reward)
    if (full) columns[paste0("reward.", fit$policy$actions)] <- as.data.frame(node_values(fit))
    return(columns)
  }
  if (tree_leaf(fit) != "linear") return(as.data.frame(node_values(fit), optional = TRUE))
  if (!full) return(data.frame(model = leaf_words(fit, getOption("digits"))))
  columns <- as.data.frame(fit$frame$yval2)
  stats::setNames(columns, paste0("coefficient.", names(columns)))
}

# `type` of a prediction, one of `offered` where leaves are classes; elsewhere "response" stands for
# what they say.
check_prediction <- function(fit, type, offered) {
  alias <- c(leaf = "node") # ranger's word
  refuse_contributions(type)
  if (predicts_classes(fit)) {
    return(check_choice("type", type, offered, c(alias, response = "class")))
  }
  if (identical(type, offered)) type <- "response"
  others <- setdiff(offered, c("class", "prob"))
  # "vector" is rpart's word
  check_choice("type", type, c("response", others), c(alias, vector = "response"))
}

# Contributions have a verb of their own, which trees and forests need not be forged for.
refuse_contributions <- function(type) {
  if (!identical(type, "contributions")) return(invisible())
  stop_unsupported("type", gettext("use contributions(fit, data)"))
}

# Stops where only trees of classes will do.
need_classes <- function(fit, what) {
  if (predicts_classes(fit)) return(invisible())
  stop_unsupported(what, gettextf(
    "%s is for trees that predict classes; this one predicts %s", what,
    if (is_policy(fit)) gettext("actions") else gettext("numbers")))
}
