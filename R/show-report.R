# contree_report(): one HTML file about a tree. The page is written here, section by section, and is
# complete without JavaScript; inst/report has its style and the script that makes it interactive.

#' Interactive HTML report of a tree
#'
#' Writes a self-contained HTML file with the tree, which can be zoomed, folded and navigated; the
#' class counts and rows of each node; correct and wrong predictions; what was proven about the
#' tree, and the progress of the search; and its rules, with a button to copy them. The file loads
#' nothing from elsewhere, so it can be mailed or put on a server.
#'
#' Clicking on a node, or pressing Enter, shows its details; clicking on a row of the table
#' highlights its path through the tree. In the tree the arrow keys move between nodes, `+`, `-` and
#' `0` zoom, and the space bar folds a subtree. Without JavaScript, and in print, the same content
#' is shown as text and tables, except that the table of rows ends after 25.
#'
#' @order 1
#' @param fit A fit of [contree()], or another tree of this package, such as one of [gmt()]; or a
#'   forest of [hist_forest()], whose page has its errors, importance and, with `newdata`, partial
#'   dependence in place of a tree; or a [contree_set()], whose page says what the trees have in
#'   common and lists the cheapest of them to pick from, by leaves and predictors.
#' @param newdata Rows to show and to assess the tree on: a data frame or matrix as for
#'   [predict.contree()]. If it contains the response, errors, curves and the confusion matrix are
#'   computed from these rows. By default they are the training rows, whose values are shown if the
#'   tree was fitted with `model = TRUE`. Figures of training rows, also if these are given, are
#'   called that.
#' @param file Path of the file to write, a string usually ending in `.html`, or a connection.
#' @param y The response of the rows of `newdata`, if that has no column for it; `NULL` by default.
#' @param alternatives A value of [contree_alternatives()], whose trees are listed too; `NULL` by
#'   default.
#' @param title Title of the page, a string; by default it names the response.
#' @param rows Number of rows, counted from the first, in the table: a whole number of at least 0,
#'   by default 10,000. Figures are computed from all rows. 10,000 rows of five predictors take
#'   about a megabyte.
#' @param digits Number of significant digits of thresholds, a whole number; 4 by default.
#' @param laplace A number of at least 0 that is added to the count of each class in a leaf before
#'   proportions are computed, as in [predict.contree()]; 0 by default.
#' @param ... Not used; anything given here is an error.
#' @return `file`, invisibly.
#' @section Errors:
#' `contree_input_error` if `newdata` does not fit the tree or the file cannot be written.
#' @seealso [plot.contree()], [contree_rules()], [contree_accuracy()], [contree_alternatives()]
#' @examples
#' fit <- contree(Species ~ ., iris, depth = 2)
#' file <- file.path(tempdir(), "tree.html")
#' contree_report(fit, iris, file)
#' if (interactive()) utils::browseURL(file)
#' @export
contree_report <- function(fit, newdata = NULL, file, ...) UseMethod("contree_report")

#' @rdname contree_report
#' @export
contree_report.contree_model <- function(fit, newdata = NULL, file, y = NULL, alternatives = NULL,
                                         title = NULL, rows = 10000, digits = 4, laplace = 0,
                                         ...) {
  check_no_dots(...)
  check_fit(fit)
  if (missing(file)) stop_input("file", gettext("give the path of the file to write as 'file'"))
  if (!is.null(alternatives) && !inherits(alternatives, "contree_alternatives")) {
    stop_input("alternatives", gettextf(
      "'alternatives' must be a value of contree_alternatives(), not %s", show_value(alternatives)))
  }
  laplace <- check_laplace(laplace)
  check_digits(digits)
  check_page_title(title)
  rows <- check_row_limit(rows)
  shown <- report_rows(fit, newdata, y, parent.frame())
  if (is.null(title)) title <- report_title(fit)
  write_content(report_page(fit, shown, alternatives, title, rows, digits, laplace), file)
}

#' @export
contree_report.default <- function(fit, newdata = NULL, file, ...) {
  stop_input("fit", gettextf(
    "'fit' must be a fit of contree(), policy_tree(), gmt() or hist_forest(), or a set, not %s",
    show_value(fit)))
}

check_page_title <- function(title) {
  if (is.null(title) || (is.character(title) && length(title) == 1)) return(invisible())
  stop_input("title", gettextf("'title' must be a string or NULL, not %s", show_value(title)))
}

check_row_limit <- function(rows) {
  floor(check_number("rows", rows, gettext("a number, at least 0"), function(value) value >= 0))
}

report_title <- function(fit) {
  terms <- tree_terms(fit)
  if (is.null(terms)) return(gettext("A decision tree"))
  gettextf("A decision tree for %s", variable_label(attr(terms, "variables")[[2]]))
}

# ---- rows ----------------------------------------------------------------------------------------

# What the page says of rows: list(names, leaf, truth, predicted, values, training); `leaf` are rows
# of the table of nodes, `truth` the response (NULL if not known), `predicted` words where these are
# not the leaf's, `values` a data frame of the predictors that the tree asks for. The call of the
# fit finds its data from `env`.
report_rows <- function(fit, newdata, y, env) {
  if (is.null(newdata)) return(report_training_rows(fit))
  leaf <- unname(match(stats::predict(fit, newdata, type = "node"), node_ids(fit)))
  frame <- as.data.frame(newdata)
  shown <- list(names = row.names(frame), leaf = leaf, truth = report_truth(fit, newdata, y),
                predicted = if (tree_leaf(fit) == "linear") unname(stats::predict(fit, newdata)),
                values = frame[used_inputs(fit)])
  c(shown, list(training = are_training_rows(fit, shown, newdata, env)))
}

report_training_rows <- function(fit) {
  leaf <- unname(tree_where(fit))
  model <- tree_model(fit)
  values <- if (!is.null(model)) {
    columns <- intersect(names(model)[-1], used_predictors(fit))
    structure(as.list(model)[columns], class = "data.frame", row.names = attr(model, "row.names"))
  }
  list(names = names(tree_where(fit)), leaf = leaf, truth = training_truth(fit),
       predicted = if (tree_leaf(fit) == "linear") unname(fit$fitted.values),
       values = values, training = TRUE)
}

# The response of the training rows; NULL where the fit does not have it.
training_truth <- function(fit) {
  truth <- tree_y(fit)
  if (length(truth) == 0) return(NULL)
  if (predicts_classes(fit)) class_factor(truth, tree_classes(fit)) else truth
}

# Were these the rows of the fit? Each must have the leaf and the response that the fit has of it,
# and the values of the training rows if these are found again. If not, their names are left, and
# what the tree has learned of the values.
are_training_rows <- function(fit, shown, newdata, env) {
  truth <- training_truth(fit)
  if (is.null(truth) || is.null(shown$truth)) return(FALSE)
  if (!identical(shown$leaf, unname(tree_where(fit)))) return(FALSE)
  if (!same_values(shown$truth, truth)) return(FALSE)
  frame <- rows_of_fit(fit, env)
  if (is.null(frame)) {
    learned <- if (is.null(shown$predicted)) are_split_halfway(fit, newdata, shown$leaf) else
      isTRUE(all.equal(shown$predicted, unname(fit$fitted.values)))
    return(learned && identical(shown$names, names(tree_where(fit))))
  }
  given <- tryCatch(stats::model.frame(stats::delete.response(used_terms(fit)),
                                       as.data.frame(newdata), na.action = stats::na.pass),
                    error = function(problem) NULL)
  columns <- intersect(names(given), names(frame))
  length(columns) > 0 && all(unlist(Map(same_values, given[columns], frame[columns])))
}

# Is each threshold half way between the values of its node next to it, as in the training rows?
are_split_halfway <- function(fit, newdata, leaf) {
  columns <- new_columns(fit, newdata, stats::na.pass)$columns
  if (is.matrix(columns)) columns <- as.data.frame(columns)
  numbers <- which(is.finite(node_threshold(fit)) &
                     types_of(fit, node_variable(fit)) %in% number_types)
  halfway <- vapply(numbers, function(node) {
    inside <- node_ids(fit)[leaf]
    while (any(inside > node_ids(fit)[node])) {
      inside <- ifelse(inside > node_ids(fit)[node], inside %/% 2L, inside)
    }
    values <- columns[[node_variable(fit)[node]]][inside == node_ids(fit)[node]]
    threshold <- node_threshold(fit)[node]
    next_to <- c(max(-Inf, values[which(values < threshold)]),
                 min(Inf, values[which(values >= threshold)]))
    abs(threshold - mean(next_to)) <= 1e-6 * diff(next_to)
  }, NA)
  all(halfway %in% TRUE)
}

# Whatever their type: factors may be given as characters, integers as doubles.
same_values <- function(a, b) {
  plain <- function(x) if (is.numeric(x) || is.logical(x)) as.numeric(x) else as.character(x)
  identical(plain(a), plain(b))
}

# The response of the rows given, NULL if it is not among them.
report_truth <- function(fit, newdata, y) {
  if (is.null(y)) {
    terms <- tree_terms(fit)
    if (is.null(terms)) return(NULL)
    if (!all(all.vars(attr(terms, "variables")[[2]]) %in% colnames(newdata))) return(NULL)
  }
  if (predicts_classes(fit)) return(true_classes(fit, newdata, y))
  if (!is.null(y)) return(y)
  eval(response_expression(fit), as.data.frame(newdata), environment(tree_terms(fit)))
}

# ---- the page ------------------------------------------------------------------------------------

report_page <- function(fit, shown, alternatives, title, rows, digits, laplace) {
  layout <- report_layout(fit, digits, laplace)
  sections <- c(report_tree(fit, layout), report_nodes(fit, digits),
                report_errors(fit, shown, laplace), report_row_table(fit, shown, rows),
                report_rules(fit, digits), report_proof(fit),
                if (!is.null(alternatives)) report_alternatives(alternatives, digits))
  script <- c(tag("script", type = "application/json", id = "contree-data",
                  report_data(fit, shown, layout, rows, digits)),
              tag("script", report_file("report.js")))
  html_page(title, proof_line(fit), tree_call(fit), sections, script)
}

report_file <- function(name) {
  path <- system.file("report", name, package = "contree")
  paste(readLines(path, encoding = "UTF-8"), collapse = "\n")
}

html_page <- function(title, line, call, sections, script = NULL) {
  # nothing is loaded, whatever a name or a level holds
  policy <- paste("default-src 'none'; img-src data:; style-src 'unsafe-inline';",
                  "script-src 'unsafe-inline'")
  enc2utf8(c(
    "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
    tag("meta", `http-equiv` = "Content-Security-Policy", content = policy, close = FALSE),
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    "<meta name=\"color-scheme\" content=\"light dark\">",
    "<meta name=\"generator\" content=\"contree\">",
    "<link rel=\"icon\" href=\"data:,\">",
    tag("title", html_text(title)), tag("style", report_file("report.css")), "</head>", "<body>",
    tag("header", tag("h1", html_text(title)),
        tag("p", class = "proof", html_text(line)),
        tag("p", class = "call",
            tag("code", html_text(paste(deparse(call), collapse = " "))))),
    tag("main", paste(sections, collapse = "\n")), script, "</body>", "</html>"))
}

report_section <- function(id, heading, ...) {
  tag("section", id = id, `aria-labelledby` = paste0(id, "-heading"),
      tag("h2", id = paste0(id, "-heading"), html_text(heading)), ...)
}

report_nodes <- function(fit, digits) {
  table <- list(node = node_ids(fit), rule = leaf_rules(fit, digits), rows = node_n(fit))
  if (predicts_classes(fit)) {
    table[["predicts"]] <- as.character(node_class(fit))
    table[["errors"]] <- signif(node_errors(fit), 6)
    table[["classes"]] <- apply(node_counts(fit), 1, counts_text)
  } else {
    table[["predicts"]] <- leaf_words(fit, digits)
    table[[if (is_policy(fit)) "regret" else "deviance"]] <- signif(node_errors(fit), digits)
  }
  table[["leaf"]] <- ifelse(node_is_leaf(fit), gettext("yes"), "")
  report_section("nodes", gettext("Nodes"),
                 tag("details", tag("summary", sprintf(ngettext(nrow(fit$frame), "The %d node",
                                                                 "All %d nodes"),
                                                        nrow(fit$frame))),
                     tag("div", class = "wide", html_table(table, code = "rule"))))
}

# "setosa 50, virginica 2, +3 more"
counts_text <- function(counts) {
  order <- order(counts, decreasing = TRUE)
  order <- order[counts[order] > 0]
  shown <- utils::head(order, most_proportions)
  text <- paste(names(counts)[shown], format(signif(counts[shown], 6), trim = TRUE),
                collapse = ", ")
  if (length(order) > length(shown)) {
    gettextf("%s, +%d more", text, length(order) - length(shown))
  } else {
    text
  }
}

# ---- right and wrong -----------------------------------------------------------------------------

report_errors <- function(fit, shown, laplace) {
  if (is.null(shown$truth)) return(NULL)
  n <- length(shown$leaf)
  about <- if (predicts_classes(fit)) gettext("Right and wrong") else gettext("Errors")
  rows <- if (shown$training) gettext("training rows") else gettext("given rows")
  heading <- sprintf("%s: %d %s", about, n, rows)
  parts <- if (predicts_classes(fit)) {
    judged <- judge_leaves(fit, shown$leaf, shown$truth, 0.95, laplace)
    list(tag("p", html_text(accuracy_text(judged, shown$training))),
         tag("div", class = "side", report_confusion(judged, shown$training),
             report_roc(fit, judged, shown$training)))
  } else {
    list(report_residuals(fit, shown))
  }
  report_section("errors", heading, if (shown$training) report_optimism(fit), unlist(parts))
}

report_optimism <- function(fit) {
  tag("p", class = "note", html_text(if (has_proof(fit)) {
    gettext("The training error of an optimal tree is optimistic; expect more on other rows.")
  } else {
    gettext("The error of a tree on its training rows is optimistic; expect more on other rows.")
  }))
}

# An interval would be one for new rows.
accuracy_text <- function(judged, training) {
  shown <- function(number, digits = 4) format(number, digits = digits)
  if (training) {
    return(gettextf("Accuracy on the training rows %s (%d of %d), Brier score on them %s.",
                    shown(judged$accuracy), judged$correct, judged$n, shown(judged$brier)))
  }
  gettextf("Accuracy %s (%d of %d rows, 95%% interval %s to %s), Brier score %s.",
           shown(judged$accuracy), judged$correct, judged$n, shown(judged$interval[["lower"]], 3),
           shown(judged$interval[["upper"]], 3), shown(judged$brier))
}

report_residuals <- function(fit, shown) {
  predicted <- if (is.null(shown$predicted)) node_values(fit)[shown$leaf, 1] else shown$predicted
  if (!is.numeric(shown$truth) || is.matrix(shown$truth)) {
    return(tag("p", html_text(gettext("Give 'newdata' with the response for errors."))))
  }
  judged <- judge_numbers(shown$truth, predicted)
  text <- if (shown$training) {
    gettext("On the training rows: root mean squared error %s, mean absolute error %s, %s.")
  } else {
    gettext("Root mean squared error %s, mean absolute error %s, %s.")
  }
  figures <- vapply(judged[c("rmse", "mae", "r.squared")], format, "", digits = 4)
  tag("p", html_text(sprintf(text, figures[1], figures[2],
                             gettextf("R squared %s", figures[3]))))
}

of_rows <- function(text, training) {
  if (training) gettextf("%s (training rows)", text) else text
}

# True classes in rows; the fuller the colour, the larger the proportion of its row.
report_confusion <- function(judged, training) {
  confusion <- judged$confusion
  classes <- rownames(confusion)
  strength <- confusion / pmax(1, rowSums(confusion))
  cells <- function(i) {
    colour <- ifelse(seq_along(classes) == i, "46, 125, 90", "192, 72, 40")
    paste(sprintf("<td style=\"background: rgba(%s, %.2f)\">%s</td>", colour, 0.65 * strength[i, ],
                  format(confusion[i, ], trim = TRUE)), collapse = "")
  }
  head <- paste0("<th scope=\"col\">", html_text(classes), "</th>", collapse = "")
  figures <- judged$classes
  body <- vapply(seq_along(classes), function(i) {
    paste0("<tr><th scope=\"row\">", html_text(classes[i]), "</th>", cells(i),
           sprintf("<td class=\"figure\">%s</td><td class=\"figure\">%s</td></tr>",
                   share_text(figures$recall[i]), share_text(figures$precision[i])))
  }, "")
  caption <- of_rows(gettext("True classes in rows, predicted classes in columns"), training)
  table <- tag("table", class = "confusion", tag("caption", html_text(caption)),
               "<thead><tr><td></td>", head, "<th scope=\"col\">", gettext("recall"),
               "</th><th scope=\"col\">", gettext("precision"), "</th></tr></thead><tbody>",
               paste(body, collapse = "\n"), "</tbody>")
  tag("div", class = "wide", table)
}

share_text <- function(value) ifelse(is.finite(value), sprintf("%.1f%%", 100 * value), "-")

report_roc <- function(fit, judged, training) {
  classes <- tryCatch(curves_to_draw(judged, NULL), contree_input_error = function(problem) NULL)
  if (is.null(classes)) return(NULL)
  col <- leaf_colours(fit, NULL)[classes]
  curves <- lapply(classes, function(class) {
    curve <- judged$curves[judged$curves$class == class, ]
    list(x = curve$false_positive_rate, y = curve$true_positive_rate)
  })
  names(curves) <- sprintf("%s (AUC %.3f)", classes, judged$auc[classes])
  line_chart(of_rows(gettext("ROC curves, each class against all others"), training), curves, col,
             gettext("false positive rate"), gettext("true positive rate"), c(0, 1), c(0, 1))
}

# ---- rules, proof, alternatives ------------------------------------------------------------------

report_rules <- function(fit, digits) {
  rules <- contree_rules(fit, digits)
  exact <- contree_rules(fit, 17)$rule
  said <- leaf_words(fit, digits)[node_is_leaf(fit)]
  items <- vapply(seq_len(nrow(rules)), function(i) {
    tag("li", tag("span", class = "answer", html_text(said[i])), " ",
        html_text(gettextf("(%d rows, node %d) when", rules$n[i], rules$node[i])), " ",
        tag("code", class = "rule", `data-exact` = exact[i], html_text(rules$rule[i])))
  }, "")
  report_section("rules", gettext("Rules"), tag("p", html_text(gettext(
    paste("One rule for each leaf, as R code. Thresholds are rounded here, and whole in what Copy",
          "copies: subset(data, rule) gives the rows of the leaf.")))),
    tag("ul", class = "rules", paste(items, collapse = "\n")))
}

report_proof <- function(fit) {
  if (!has_proof(fit)) return(NULL)
  proof <- tree_proof(fit)
  settings <- tree_settings(fit)
  number <- function(value) format(value, digits = 7)
  facts <- c(
    stats::setNames(proof$status, gettext("Status")),
    stats::setNames(objective_text(fit), gettext("Errors on the training rows")),
    if (settings$complexity > 0) stats::setNames(number(proof$cost),
                                                 gettext("Cost with the complexity penalty")),
    stats::setNames(number(proof$bound), gettext("Proven lower bound")),
    stats::setNames(number(proof$gap), gettext("Optimality gap")),
    stats::setNames(number(settings$depth), gettext("Greatest depth")),
    if (!is.na(proof$elapsed)) stats::setNames(format(signif(proof$elapsed, 3)),
                                               gettext("Seconds of search")))
  list_of_facts <- paste0("<dt>", html_text(names(facts)), "</dt><dd>", html_text(facts), "</dd>",
                          collapse = "")
  report_section("proof", gettext("Proof"), tag("p", html_text(proof_line(fit))),
                 tag("div", class = "side", tag("dl", list_of_facts), report_history(fit)))
}

report_history <- function(fit) {
  history <- tree_history(fit)
  if (NROW(history) == 0) return(NULL)
  col <- history_colours(NULL)
  steps <- function(value) {
    n <- nrow(history)
    list(x = history$time[c(1, rep(seq_len(n)[-1], each = 2))],
         y = value[c(rep(seq_len(n - 1), each = 2), n)])
  }
  curves <- stats::setNames(list(steps(history$cost), steps(history$bound)),
                            c(gettext("best tree"), gettext("proven bound")))
  values <- range(0, history$cost, history$bound, finite = TRUE)
  line_chart(gettext("Best tree and proven bound during the search"), curves, col,
             gettext("seconds"), cost_label(fit), c(0, max(history$time, 1e-6)), values)
}

report_alternatives <- function(alternatives, digits) {
  heading <- gettext("Trees with another predictor at the root")
  if (length(alternatives) == 0) {
    return(report_section("alternatives", heading,
                          tag("p", html_text(gettext("There are none within the limit.")))))
  }
  table <- attr(alternatives, "table")
  trees <- Map(function(predictor, row) {
    tag("details",
        tag("summary", html_text(gettextf("%s: cost %s (%s more), %s", predictor,
                                          format(table$cost[row]), format(table$within[row]),
                                          table$status[row]))),
        tag("pre", html_text(paste(utils::capture.output(print(alternatives[[row]],
                                                               digits = digits)),
                                   collapse = "\n"))))
  }, table$predictor, seq_len(nrow(table)))
  report_section("alternatives", heading, paste(unlist(trees), collapse = "\n"))
}
