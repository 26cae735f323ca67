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
  printed <- function(x) {
    before <- options(width = 1000) # the page scrolls
    on.exit(options(before))
    tag("pre", html_text(paste(utils::capture.output(print(x, digits)), collapse = "\n")))
  }
  sections <- c(
    report_section("forest", gettext("The forest"), printed(fit)),
    if (!is.null(fit$oob$class)) {
      report_section("oob", gettext("Predictions out of bag"),
                     printed(table(truth = fit$y, predicted = fit$oob$class)))
    },
    if (!is.null(newdata) && fit$type != "survival") report_judged(fit, newdata, y, printed),
    if (!is.null(fit$importance)) {
      report_section("importance", gettext("Importance"), tag("div", class = "wide", html_table(
        lapply(grown_importance(fit), rounded, digits))))
    },
    if (!is.null(newdata)) report_dependence(fit, newdata, variables))
  page <- html_page(title, oob_or_size(fit, digits), fit$call, sections)
  write_content(page, file)
}

# Nothing where the rows have no response. Rows with the responses of the training rows are taken
# for these.
report_judged <- function(fit, newdata, y, printed) {
  judged <- tryCatch(contree_accuracy(fit, newdata, y = y),
                     contree_input_error = function(problem) NULL)
  if (is.null(judged)) return(NULL)
  if (!same_values(any_truth(any_model(fit), newdata, y), fit$y)) {
    return(report_section("errors", gettext("Predictions of the rows given"), printed(judged)))
  }
  note <- gettext(paste("The trees have seen these rows, so their error is optimistic; expect that",
                        "out of bag on other rows."))
  report_section("errors", gettext("Predictions of the training rows"),
                 tag("p", class = "note", html_text(note)), printed(judged))
}

rounded <- function(column, digits) {
  if (is.numeric(column)) signif(column, digits) else as.character(column)
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
  known <- names(newdata)[!vapply(newdata, function(column) all(is.na(column)), NA)]
  shown <- utils::head(intersect(order, intersect(known, fit$shape$inputs)), n)
  charts <- vapply(shown, function(name) {
    table <- as.data.frame(unclass(partial_dependence(fit, newdata, name)))
    if (!is.numeric(newdata[[name]])) {
      return(tag("div", class = "wide", html_table(lapply(table, rounded, 4))))
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
