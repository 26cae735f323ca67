# Evolution of model trees on a GPU beside one core and all of them: Armchair, milliseconds a
# generation of 64 trees (640,000 trees are 10,000 of them), and seconds besides, which are those of
# ranks, cells, first trees and opening a device. The trees must be the same.
#
#   Rscript bench/gpu_gmt.R FILE.csv   in under two minutes; QUICK=1: small tables, and in place of
#                                      a GPU its host twin, whose times say nothing
#
# Ends with status 77 where there is no GPU.
library(contree)
source("bench/lib/armchair.R")
source("bench/lib/timing.R")

path <- commandArgs(TRUE)[1]
quick <- nzchar(Sys.getenv("QUICK"))
if (!quick && !contree_gpu()$available[1]) {
  cat("not run: ", contree_gpu()$reason[1], "\n", sep = "")
  quit(status = 77)
}
if (quick) options(contree.twin = TRUE)

cases <- data.frame(rows = c(1e4, 1e5, 1e6, 1e5, 1e7), noise_columns = c(0, 0, 0, 8, 0))
if (quick) cases <- data.frame(rows = 2000, noise_columns = c(0, 2))
generations_of <- function(rows) if (quick) c(2, 6) else if (rows > 1e6) c(4, 64) else c(50, 250)
most <- contree_info()$processors
ways <- data.frame(device = c("cpu", "cpu", if (quick) "twin" else "cuda"),
                   threads = c(1, most, most))

# What must be the same on every device.
found <- function(fit) {
  list(fit$frame, fit$splits, fit$csplit, coef(fit), deviance(fit), fit$gmt$touched,
       fit$gmt$history[c("kick", "bic", "deviance")])
}

measure <- function(way, d, generations) {
  runs <- lapply(generations, function(effort) {
    timed(gmt(d$x, d$y, search = "paper", effort = effort, patience = effort, seed = 1,
              threads = way$threads, device = way$device))
  })
  seconds <- vapply(runs, `[[`, 0, "seconds")
  each <- diff(seconds) / diff(generations)
  fit <- runs[[2]]$value
  list(found = found(fit),
       line = data.frame(way, generation_ms = 1000 * each,
                         besides = seconds[1] - each * generations[1],
                         questions = fit$gmt$device_answers, row.names = NULL))
}

table <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) {
  d <- armchair(cases$rows[i], cases$noise_columns[i], 1)
  measured <- lapply(seq_len(nrow(ways)), function(j) {
    measure(ways[j, ], d, generations_of(cases$rows[i]))
  })
  trees <- lapply(measured, `[[`, "found")
  if (length(unique(trees)) > 1) stop("the trees differ")
  lines <- do.call(rbind, lapply(measured, `[[`, "line"))
  lines$ratio <- lines$generation_ms[1] / lines$generation_ms
  lines <- cbind(cases[i, ], lines, row.names = NULL)
  print(lines, digits = 3)
  lines
}))
utils::write.csv(table, path, row.names = FALSE)
