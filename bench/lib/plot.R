# Pictures of the results, with base R.

depth_colours <- c("2" = "#1b9e77", "3" = "#d95f02", "4" = "#7570b3")

log_labels <- function(limits) 10^(floor(log10(limits[1])):ceiling(log10(limits[2])))

# How many times as long pycontree takes: a line a data set, a colour a depth; filled points for the
# solvers, rings for the whole calls.
plot_ratios <- function(cases) {
  sets <- rev(unique(cases$data))
  line <- match(cases$data, sets) + (3 - cases$depth) * 0.22
  colour <- depth_colours[as.character(cases$depth)]
  limits <- range(1, cases$solver_ratio, cases$call_ratio)
  graphics::par(mar = c(4.2, 6, 2.5, 1), las = 1, mgp = c(2.6, 0.6, 0), tcl = -0.3)
  plot(NA, xlim = limits, ylim = c(0.5, length(sets) + 0.5), log = "x", yaxt = "n", xaxt = "n",
       ylab = "", xlab = "time of pycontree / time of contree")
  graphics::abline(h = seq_along(sets), col = "grey92")
  graphics::abline(v = c(1, 20), col = "grey50", lty = c(1, 3))
  graphics::axis(2, seq_along(sets), sets, tick = FALSE)
  graphics::axis(1, ticks <- log_labels(limits),
                 format(ticks, scientific = FALSE, trim = TRUE, big.mark = ","))
  graphics::points(cases$call_ratio, line, col = colour, pch = 1, cex = 1.2)
  graphics::points(cases$solver_ratio, line, col = colour, pch = 19, cex = 1.2)
  graphics::mtext("Optimal trees: how many times faster", adj = 0, line = 0.8, font = 2)
  graphics::legend("bottomleft", c(paste("depth", names(depth_colours)), "solver", "whole call"),
                   bg = "white", col = c(depth_colours, "black", "black"),
                   pch = c(15, 15, 15, 19, 1), inset = 0.01)
}

# Seconds of the solver along each curve of scaling.csv: lines for contree, dashed ones for
# pycontree.
plot_scaling <- function(cases) {
  panels <- list(rows = c("rows", "rows, 256 values"), features = "features")
  graphics::par(mfrow = c(1, 2), mar = c(4.2, 4.5, 2.5, 1), las = 1, mgp = c(3, 0.6, 0), tcl = -0.3)
  for (size in names(panels)) plot_curves(cases[cases$curve %in% panels[[size]], ], size)
}

plot_curves <- function(cases, size) {
  times <- c(cases$contree_solver, cases$peer_solver)
  limits <- range(times, na.rm = TRUE)
  above <- limits * c(1, 30) # room for the legend
  plot(NA, xlim = range(cases[[size]]), ylim = above, log = "xy", xlab = size, ylab = "",
       xaxt = "n", yaxt = "n")
  graphics::axis(1, ticks <- sort(unique(cases[[size]])),
                 format(ticks, scientific = FALSE, trim = TRUE, big.mark = ","))
  graphics::axis(2, ticks <- log_labels(limits), format_seconds(ticks))
  rows <- paste(format(cases$rows, big.mark = ",", trim = TRUE), "rows")
  other <- if (size == "features") rows else paste(cases$features, "features")
  values <- ifelse(is.finite(cases$distinct), ", 256 values each", "")
  curves <- split(cases, paste0("depth ", cases$depth, ", ", other, values))
  point <- seq_along(curves)
  for (i in point) {
    curve <- curves[[i]]
    colour <- depth_colours[as.character(curve$depth[1])]
    graphics::lines(curve[[size]], curve$contree_solver, type = "o", col = colour, pch = i)
    graphics::lines(curve[[size]], curve$peer_solver, type = "o", col = colour, pch = i, lty = 2)
  }
  graphics::mtext(paste("Seconds by", size), adj = 0, line = 0.8, font = 2)
  colours <- depth_colours[vapply(curves, function(curve) as.character(curve$depth[1]), "")]
  graphics::legend("topleft", c(names(curves), "pycontree"), col = c(colours, "black"),
                   pch = c(point, NA), lty = c(rep(1, length(curves)), 2), bty = "n", cex = 0.9)
}

# Errors of the best tree as the seconds pass: a panel a case, the best known as a grey line.
plot_anytime <- function(rows, cases) {
  graphics::par(mfrow = c(ceiling(nrow(cases) / 2), 2), mar = c(4, 4.5, 2.2, 1), las = 1,
                mgp = c(2.6, 0.6, 0), tcl = -0.3)
  colour <- c(contree = "#1b9e77", pycontree = "#d95f02")
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    all <- rows[rows$data == case$data & rows$depth == case$depth & rows$solver != "none", ]
    seen <- c(1e-3, case$end)
    # a log axis has no 0
    height <- function(errors) pmax(errors, 0.5)
    plot(NA, xlim = seen, ylim = range(height(c(all$errors, case$best))), log = "xy", xaxt = "n",
         xlab = "seconds", ylab = "errors")
    graphics::axis(1, ticks <- log_labels(seen), format_seconds(ticks))
    graphics::abline(h = height(case$best), col = "grey70")
    for (solver in names(colour)) {
      moments <- all[all$solver == solver, ]
      if (!nrow(moments)) next
      moments <- moments[order(moments$time), ]
      found <- height(cummin(moments$errors))
      graphics::lines(c(pmax(moments$time, seen[1]), case$end), c(found, found[length(found)]),
                      type = "s", lwd = 2, col = colour[[solver]])
      if (solver == "pycontree") {
        graphics::points(moments$time, found, pch = 19, col = colour[[solver]])
      }
    }
    graphics::mtext(paste0(case$data, ", depth ", case$depth), adj = 0, line = 0.5, font = 2)
    if (i == 1) graphics::legend("topright", names(colour), col = colour, lwd = 2, bty = "n")
  }
}
