# A tree as questions: what each node asks of a row, for everything that writes a tree down in
# another language. Here end the ways in which splits are kept; the writers know three kinds of
# question and put them in their own words.

# One question a node, NULL in leaves. Each is a list of
#   variable      the predictor
#   type          what kind of predictor it is, see tree_types()
#   kind          "less"   is the value less than `threshold`?
#                 "among"  is it one of `levels`? (never none; a level that nobody has seen is not
#                 among them) "known"  is there a value at all?
#   yes_left      whether rows go left where the answer is yes; where it is no they go to the other
#                 child
#   missing_left  whether rows without a value go left
node_questions <- function(fit) {
  inner <- which(!node_is_leaf(fit))
  variable <- node_variable(fit)[inner]
  types <- tree_types(fit)[variable]
  questions <- vector("list", length(node_ids(fit)))
  questions[inner] <- Map(c, Map(list, variable = variable, type = types), ask(fit)[inner],
                          lapply(node_default_left(fit)[inner],
                                 function(left) list(missing_left = left)))
  questions
}

ask <- function(fit) {
  xlevels <- tree_xlevels(fit)
  Map(function(variable, type, threshold, levels, larger_left, default_left) {
    if (!is.null(levels)) return(ask_levels(levels$left, levels$right, larger_left))
    if (is.na(threshold)) return(NULL)
    if (type == "ordered") {
      low <- seq_along(xlevels[[variable]]) < threshold
      return(ask_levels(xlevels[[variable]][low], xlevels[[variable]][!low], default_left))
    }
    if (is.infinite(threshold)) return(list(kind = "known", yes_left = threshold > 0))
    list(kind = "less", threshold = threshold, yes_left = TRUE)
  }, node_variable(fit), tree_types(fit)[node_variable(fit)], node_threshold(fit), node_levels(fit),
  node_larger_left(fit),
  node_default_left(fit))
}

# Named are the levels of one child; the other one takes all others, also those that no training row
# had: the larger child or, of an ordered factor, the one that takes missing values.
ask_levels <- function(left, right, others_left) {
  named <- if (others_left) right else left
  if (length(named) == 0) return(list(kind = "known", yes_left = others_left))
  list(kind = "among", levels = named, yes_left = !others_left)
}

# What leaf(node) and split(node, left, right) make of a tree, from the leaves up to the root:
# `node` is its row, `left` and `right` what was made of its children.
fold_tree <- function(fit, leaf, split) {
  children <- node_children(fit)
  is_leaf <- node_is_leaf(fit)
  made <- vector("list", length(is_leaf))
  # in preorder children come after their parent
  for (node in rev(seq_along(made))) {
    made[[node]] <- if (is_leaf[node]) {
      leaf(node)
    } else {
      split(node, made[[children$left[node]]], made[[children$right[node]]])
    }
  }
  made[[1]]
}

# ---- text ----------------------------------------------------------------------------------------

# Numbers as the shortest decimals that every correct reader turns into the same double again, else
# with 17 digits. The quotient of two whole numbers below 2^53 and 10^22 is rounded once, as a
# correct reader rounds.
exact_number <- function(x) {
  text <- sprintf("%.17g", x)
  for (places in 15:0) {
    short <- abs(x) < 2^53 / 10^places & round(x * 10^places) / 10^places == x
    text[short] <- sprintf("%.*f", places, x[short])
  }
  text
}

# Lines, each one element, moved to the right. Text inside a line may itself have line breaks, which
# must stay as they are.
indent <- function(lines) paste0("  ", lines)

# A program or a part of one. It is a character vector like any other, but prints as it would stand
# in a file.
new_code <- function(text) structure(text, class = c("contree_code", "character"))

#' @export
print.contree_code <- function(x, ...) {
  cat(unclass(x), sep = "\n\n")
  cat("\n")
  invisible(x)
}
