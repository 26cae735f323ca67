# How splits are put into words: thresholds as numbers, dates, times or levels, and what is said of
# missing values. print() and plot() show them to people, rules are R.

# ---- values --------------------------------------------------------------------------------------

# The threshold of each node, for people; `number` says numbers. NA in leaves and at splits by
# level.
threshold_text <- function(fit, number) each_threshold(fit, show_threshold, number)

# A threshold as R code that stands for the value.
threshold_code <- function(fit, number) each_threshold(fit, code_threshold, number)

each_threshold <- function(fit, say, number) {
  threshold <- node_threshold(fit)
  variable <- node_variable(fit)
  types <- tree_types(fit)
  text <- rep(NA_character_, length(threshold))
  for (node in which(is.finite(threshold))) {
    name <- variable[node]
    text[node] <- say(threshold[node], types[[name]], tree_units(fit)[name],
                      tree_xlevels(fit)[[name]], number)
  }
  text
}

show_threshold <- function(value, type, unit, levels, number) {
  text <- switch(type,
    ordered = levels[ceiling(value)],
    Date = format(structure(value, class = "Date")),
    POSIXct = format(.POSIXct(value, unit),
                     format = if (value != floor(value)) "%Y-%m-%d %H:%M:%OS6" else "",
                     usetz = TRUE),
    difftime = paste(number(value), unit),
    number(value))
  if (is.na(text)) number(value) else text # R cannot write every year
}

code_threshold <- function(value, type, unit, levels, number) {
  switch(type,
    ordered = quoted(levels[ceiling(value)]),
    Date = date_code(value),
    POSIXct = time_code(value, unit),
    difftime = sprintf("as.difftime(%s, units = %s)", number(value), quoted(unit)),
    number(value))
}

significant <- function(digits) function(value) sprintf(paste0("%.", digits, "g"), value)

# For people: no powers of ten where the digits before the decimal point are few, as of prices.
readable <- function(digits) function(value) {
  text <- significant(digits)(value)
  whole <- sprintf("%.0f", value)
  ifelse(grepl("e+", text, fixed = TRUE) & nchar(whole) < 10, whole, text)
}

quoted <- function(text) encodeString(text, quote = "\"")

# A part of a day has no other name than its number, and so a part of a second, the hour that is
# there twice when summer ends, and years that are not of four digits.
date_code <- function(value) {
  in_years <- value >= -719162 && value <= 2932896 # 1 to 9999
  if (!in_years || value != floor(value)) return(sprintf("structure(%s, class = \"Date\")",
                                                         significant(17)(value)))
  sprintf("as.Date(\"%s\")", show_threshold(value, "Date"))
}

time_code <- function(value, zone) {
  text <- format(.POSIXct(value, zone), "%Y-%m-%d %H:%M:%S")
  # other years are not read back
  same <- tryCatch(as.numeric(as.POSIXct(text, tz = zone)) == value,
                   error = function(problem) FALSE)
  if (isTRUE(same)) return(sprintf("as.POSIXct(\"%s\", tz = %s)", text, quoted(zone)))
  sprintf(".POSIXct(%s, %s)", significant(17)(value), quoted(zone))
}

# ---- splits --------------------------------------------------------------------------------------

# For each node the conditions of its sides, list(left, right), as rpart words them: "age< 50",
# "age>=50", "grade=1,2". NA in leaves.
side_texts <- function(fit, digits) {
  variable <- node_variable(fit)
  levels <- node_levels(fit)
  threshold <- threshold_text(fit, significant(digits))
  list(left = side_text("left", "< ", variable, threshold, levels, missing_side(fit)),
       right = side_text("right", ">=", variable, threshold, levels, missing_side(fit)))
}

side_text <- function(side, comparison, variable, threshold, levels, missing) {
  named <- vapply(levels, function(known) paste(known[[side]], collapse = ","), "")
  text <- paste0(variable, ifelse(lengths(levels) > 0, paste0("=", named),
                                  paste0(comparison, threshold)))
  here <- missing$side %in% side
  text[here] <- paste(text[here], gettext("or missing"))
  text[missing$alone] <- paste(variable, ifelse(here, gettext("missing"),
                                                gettext("not missing")))[missing$alone]
  ifelse(is.na(variable), NA, text)
}

# The side to which the missing training rows of each node go, NA where there are none; and whether
# the split is between them and all others.
missing_side <- function(fit) {
  threshold <- node_threshold(fit)
  levels <- node_levels(fit)
  empty <- vapply(levels, function(known) !is.null(known) &&
                  (length(known$left) == 0 || length(known$right) == 0), NA)
  list(side = ifelse(node_missing(fit) > 0, ifelse(node_default_left(fit), "left", "right"), NA),
       alone = empty | is.infinite(threshold))
}

# The condition of each inner node, without its variable, in pieces that a plot may break:
# list(items, short, ending), the items to be joined by commas; of levels also `short`, without the
# words that all levels of the variable share.
left_words <- function(fit, digits) {
  threshold <- distinct_thresholds(fit, digits)
  levels <- node_levels(fit)
  missing <- missing_side(fit)
  by_level <- unique(node_variable(fit)[lengths(levels) > 0])
  shorter <- lapply(tree_xlevels(fit)[by_level], without_common_ends)
  lapply(seq_along(threshold), function(node) {
    left <- missing$side[node] %in% "left"
    if (missing$alone[node]) return(list(items = if (left) gettext("is missing")
                                                 else gettext("is not missing")))
    items <- if (is.null(levels[[node]])) paste("<", threshold[node]) else levels[[node]]$left
    short <- NULL
    if (!is.null(levels[[node]])) {
      variable <- node_variable(fit)[node]
      short <- shorter[[variable]][match(items, tree_xlevels(fit)[[variable]])]
      items[1] <- paste("=", items[1])
      short[1] <- paste("=", short[1])
    }
    list(items = items, short = short, ending = if (left) gettext("or missing"))
  })
}

# Thresholds of one variable that would look alike have more digits.
distinct_thresholds <- function(fit, digits) {
  distinct_texts(function(digits) {
    threshold_text(fit, readable(digits))
  }, digits, 15, node_variable(fit), node_threshold(fit))
}

# Numbers that would look alike have more digits, unless they differ by what rounding leaves.
distinct_numbers <- function(values, digits) {
  distinct_texts(function(digits) readable(digits)(values), digits, 10, "",
                 signif(values, 10))
}

# `say(digits)`, the texts of values, with so many digits that those of a group that differ read
# differently, `most` at most.
distinct_texts <- function(say, digits, most, group, values) {
  text <- say(digits)
  for (more in digits + seq_len(max(0, most - digits))) {
    alike <- are_alike(paste(group, text), values)
    if (!any(alike)) break
    text[alike] <- say(more)[alike]
  }
  text
}

# Which texts stand for different things?
are_alike <- function(text, thing) {
  differ <- tapply(thing, text, function(same) length(unique(same)) > 1)
  as.vector(differ[match(text, names(differ))])
}

# Of splits by level whose shortened texts are the same, `text`, the levels come first that the
# fewest of them have. `words`: as of left_words().
lead_with_own <- function(words, variable, text) {
  by_level <- vapply(words, function(own) !is.null(own$short), NA)
  text <- paste(variable, text)
  alike <- by_level & are_alike(text, vapply(words, whole_comparison, ""))
  for (group in split(which(alike), text[alike])) {
    levels <- lapply(words[group], function(own) c(substring(own$items[1], 3), own$items[-1]))
    all <- unlist(levels)
    for (i in seq_along(group)) {
      order <- order(vapply(levels[[i]], function(level) sum(all == level), 0))
      words[[group[i]]][c("items", "short")] <- lapply(
        words[[group[i]]][c("items", "short")],
        function(items) {
          items <- c(substring(items[1], 3), items[-1])[order]
          replace(items, 1, paste("=", items[1]))
        })
    }
  }
  words
}

whole_comparison <- function(words) paste(c(words$items, words$ending), collapse = "\r")
