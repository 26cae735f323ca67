# contree_report() of forests: a page of their errors, importance and partial dependence.

#' @rdname contree_report
#' @param variables For a forest: number of predictors, the most important ones, whose partial
#'   dependence is drawn over at most 200 of the rows of `newdata`, a whole number; 6 by default.
#' @export
contree_report.hist_forest <- function(fit, newdata = NULL, file, y = NULL, title = NULL,
                                       variables = 6, digits = 4, ...) {
  check_no_dots(...)
  if (missing(file)) stop_input("file", gettext("give the path of the file to write as 'file'"))
  check_digits(digits)
  check_number("variables", variables, gettext("a whole number of at least 1"), is_count)
  check_page_title(title)
  if (is.null(title)) title <- gsub("decision tree", "random forest", report_title(fit))
  judged <- if (!is.null(newdata) && fit$type != "survival") {
    tryCatch(contree_accuracy(fit, newdata, y = y), contree_input_error = function(problem) NULL)
  }
  printed <- function(x) tag("pre", html_text(paste(utils::capture.output(print(x, digits)),
                                                    collapse = "\n")))
  sections <- c(
    report_section("forest", gettext("The forest"), printed(fit)),
    if (!is.null(fit$oob$class)) {
      report_section("oob", gettext("Predictions out of bag"),
                     printed(table(truth = fit$y, predicted = fit$oob$class)))
    },
    if (!is.null(judged)) report_section("errors", gettext("Predictions of the rows given"),
                                         printed(judged)),
    if (!is.null(fit$importance)) {
      report_section("importance", gettext("Importance"), printed(grown_importance(fit)))
    },
    if (!is.null(newdata)) report_dependence(fit, newdata, variables))
  page <- html_page(title, oob_or_size(fit, digits), fit$call, sections)
  write_content(page, file)
}

oob_or_size <- function(fit, digits) {
  if (is.null(fit$oob)) gettextf("%d trees", tree_count(fit)) else oob_text(fit, digits)
}

# Lines for each class of the most important predictors that are numbers; of others a table.
report_dependence <- function(fit, newdata, n) {
  newdata <- as.data.frame(newdata)
  newdata <- newdata[unique(round(seq(1, nrow(newdata), length.out = min(200, nrow(newdata))))), ,
                     drop = FALSE]
  order <- if (is.null(fit$importance)) fit$shape$inputs else grown_importance(fit)$variable
  shown <- utils::head(intersect(order, intersect(names(newdata), fit$shape$inputs)), n)
  charts <- vapply(shown, function(name) {
    table <- as.data.frame(unclass(partial_dependence(fit, newdata, name)))
    if (!is.numeric(newdata[[name]])) {
      return(tag("div", class = "wide", html_table(lapply(table, function(column) {
        if (is.numeric(column)) signif(column, 4) else as.character(column)
      }))))
    }
    by <- if (is.null(table$class)) factor(rep(name, nrow(table))) else table$class
    curves <- lapply(split(table, by), function(rows) list(x = rows[[1]], y = rows$prediction))
    line_chart(name, curves, unname(class_colours(levels(by), NULL)), name,
               if (is.null(table$class)) gettext("prediction") else gettext("probability"),
               range(table[[1]]), range(table$prediction))
  }, "")
  if (length(charts) == 0) return(NULL)
  report_section("dependence", gettext("Partial dependence"), charts)
}
