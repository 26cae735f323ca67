# What the leaves of a tree predict. Every node has it, so that a tree may be cut anywhere. The kinds,
# and where the fit has them (`yval` and `yval2` are columns of the frame):
#   classes  class counts: a class, as a code into `ylevels`, in yval; the code, what the rows of each
#            class weigh, and their proportions in yval2
#   number   one number, in yval
#   numbers  k numbers, named, in yval2; the first is in yval as well
#   linear   a linear model: the intercept, and the coefficients by predictor (0 where a node does not
#            use it), in yval2; the intercept is in yval as well

leaf_kinds <- c("classes", "number", "numbers", "linear")
intercept_name <- "(Intercept)"

# ---- making --------------------------------------------------------------------------------------

# `impurity`: of each node, where that is not its errors.
class_leaves <- function(classes, label, counts, loss) {
  weight <- rowSums(counts)
  yval2 <- cbind(label, counts, counts / ifelse(weight > 0, weight, 1), weight / weight[1])
  dimnames(yval2) <- list(NULL, c(rep("", 1 + 2 * ncol(counts)), "nodeprob"))
  list(kind = "classes", classes = classes, yval = as.numeric(label), yval2 = yval2,
       impurity = gini_impurity(counts, loss))
}

number_leaves <- function(values) list(kind = "number", yval = values)

# A row a node, a column a number, named.
numbers_leaves <- function(values) list(kind = "numbers", yval = unname(values[, 1]), yval2 = values)

# `coefficients`: a row a node, a column a predictor, named by it.
linear_leaves <- function(intercept, coefficients) {
  table <- cbind(intercept, coefficients)
  dimnames(table) <- list(NULL, c(intercept_name, colnames(coefficients)))
  list(kind = "linear", yval = intercept, yval2 = table)
}

# ---- reading -------------------------------------------------------------------------------------

# Formats 1 and 2 knew classes only.
tree_leaf <- function(fit) if (is.null(fit[["leaf"]])) "classes" else fit[["leaf"]]
predicts_classes <- function(fit) tree_leaf(fit) == "classes"
