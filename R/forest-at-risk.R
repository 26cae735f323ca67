# Survival curves of groups of rows, and below them how many of each group are still at risk.

survival_times_most <- 200 # a picture has no room for more
survival_curves_most <- 12

# list(curves, seen): what to draw; `seen` has the times of the rows of each group, or, where rows
# are new, those of the training rows.
survival_picture <- function(fit, rows, groups) {
  group <- survival_groups(rows, groups)
  members <- split(seq_along(group), group)
  means <- vapply(members, function(of) colMeans(rows$curves[of, , drop = FALSE], na.rm = TRUE),
                  numeric(ncol(rows$curves)))
  times <- attr(rows$curves, "times")
  curves <- data.frame(group = factor(rep(names(members), each = length(times)), names(members)),
                       time = times, survival = c(means))
  seen <- if (is.null(rows$time)) list("training rows" = as.double(fit$y))
          else lapply(members, function(of) rows$time[of])
  list(curves = curves, seen = seen)
}

# list(curves, risk, time, omitted): of each row its curve and its mortality, out of bag or of new
# ones; of training rows when they were last seen.
survival_rows <- function(fit, newdata, data, times, frame) {
  times <- if (is.null(times)) thinned(event_times(fit$y)) else check_times(fit, times, TRUE)
  if (!is.null(newdata)) {
    return(list(curves = stats::predict(fit, newdata, type = "survival", times = times),
                risk = stats::predict(fit, newdata)))
  }
  if (is.null(fit$oob)) {
    stop_input("x", gettext("the forest was grown with oob = FALSE; give 'newdata'"))
  }
  curves <- curves_of_rows(fit, training_columns(fit, data, frame), "survival", times,
                           places_of_rows(fit$y), threads_to_use(NULL))
  list(curves = structure(only_held_out(fit, curves), times = times),
       risk = fit$oob$predictions, time = as.double(fit$y), omitted = fit$na.action)
}

thinned <- function(times) {
  if (length(times) <= survival_times_most) return(times)
  times[unique(round(seq(1, length(times), length.out = survival_times_most)))]
}

# A factor with the group of each row, NA where it is in none: given, by thirds of the mortality (or
# as many parts as asked), or each row for itself.
survival_groups <- function(rows, groups) {
  n <- nrow(rows$curves)
  if (is.null(groups) && is.null(rows$time)) {
    names <- rownames(rows$curves)
    groups <- factor(seq_len(n), labels = if (is.null(names)) seq_len(n) else make.unique(names))
  } else if (is.null(groups) || (is_count(groups) && n > 1)) {
    groups <- groups_of_risk(rows$risk, if (is.null(groups)) 3 else groups)
  }
  if (is.atomic(groups) && length(groups) == n + length(rows$omitted) && length(rows$omitted)) {
    groups <- groups[-rows$omitted]
  }
  if (!is.atomic(groups) || length(groups) != n) {
    stop_input("groups", gettextf(
      "'groups' must be a number of groups, or the group of each of the %d rows, not %s", n,
      show_value(groups)))
  }
  groups <- factor(groups)
  groups[rowSums(is.na(rows$curves)) > 0] <- NA
  groups <- droplevels(groups)
  if (nlevels(groups) > 0 && nlevels(groups) <= survival_curves_most) return(groups)
  stop_input("groups", gettextf("there are %d curves to draw, and room for 1 to %d; give 'groups'",
                                nlevels(groups), survival_curves_most))
}

# Rows with equal mortalities are in one group.
groups_of_risk <- function(risk, n) {
  part <- ceiling(n * rank(risk, na.last = "keep", ties.method = "average") / sum(!is.na(risk)))
  names <- switch(min(n, 4), gettext("all rows"), c(gettext("low risk"), gettext("high risk")),
                  c(gettext("low risk"), gettext("medium risk"), gettext("high risk")),
                  gettextf("risk %d", seq_len(n)))
  droplevels(factor(part, seq_len(n), names))
}

# At risk at a time are those with neither an event nor the end of their observation before it.
count_at_risk <- function(seen, at) {
  counts <- vapply(seen, function(times) rowSums(outer(at, times, `<=`)), numeric(length(at)))
  data.frame(group = rep(factor(names(seen), names(seen)), each = length(at)), time = at,
             n = c(counts))
}

plot_survival <- function(picture, risk_table, main, xlab = gettext("time"),
                          ylab = gettext("probability of no event"), col = NULL, ...) {
  check_no_dots(...)
  check_flag("risk_table", risk_table)
  check_colours(col)
  curves <- picture$curves
  levels <- levels(curves$group)
  col <- series_colours(col, length(levels))
  from <- min(0, curves$time)
  before <- if (risk_table) room_for_risk_table(names(picture$seen))
  on.exit(graphics::par(before))
  graphics::plot(c(from, max(curves$time)), 0:1, type = "n", las = 1, main = main,
                 xlab = xlab, ylab = ylab)
  for (i in seq_along(levels)) {
    own <- curves[curves$group == levels[i], ]
    graphics::lines(c(from, own$time), c(1, own$survival), type = "s", lwd = 2, col = col[i])
  }
  # a table of the same groups has their names, in their colours
  named <- risk_table && identical(names(picture$seen), levels)
  if (length(levels) > 1 && !named) {
    graphics::legend(emptier_corner(curves), levels, col = col[seq_along(levels)], lwd = 2,
                     bty = "n")
  }
  at <- graphics::axTicks(1)
  at_risk <- count_at_risk(picture$seen, at[at <= max(curves$time)])
  if (risk_table) draw_risk_table(at_risk, if (named) col else "black")
  invisible(list(curves = curves, at_risk = at_risk))
}

# Curves fall from the top on the left to the bottom on the right.
emptier_corner <- function(curves) {
  late <- curves$time > 0.6 * max(curves$time)
  early <- curves$time < 0.4 * max(curves$time)
  above <- 1 - max(curves$survival[late])
  below <- min(1, curves$survival[early])
  if (above > below) "topright" else "bottomleft"
}

# Below the axis a line for the title and one for each group, to the left room for their names.
# Value: the settings before.
room_for_risk_table <- function(names) {
  before <- graphics::par("mar")
  line <- graphics::par("mai")[1] / before[1]
  left <- max(graphics::strwidth(names, "inches", cex = risk_table_cex)) / line + 2
  list(mar = graphics::par(mar = c(6 + length(names), max(left, before[2]), before[3:4]))$mar)
}

risk_table_cex <- 0.9

draw_risk_table <- function(at_risk, col) {
  names <- levels(at_risk$group)
  edge <- graphics::par("usr")[1]
  say <- function(text, at, line, ...) {
    graphics::mtext(text, 1, line, at = at, cex = risk_table_cex * graphics::par("cex"), ...)
  }
  say(gettext("Number at risk"), edge, 4, adj = 0, font = 2)
  for (i in seq_along(names)) {
    own <- at_risk[at_risk$group == names[i], ]
    name_col <- rep_len(col, length(names))[i]
    say(paste0(names[i], "  "), edge, 4 + i, adj = 1, col = name_col)
    say(own$n, own$time, 4 + i)
  }
}
