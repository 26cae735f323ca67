# Searches on a GPU beside one core and all of them: generated tables, depths two to four. Where
# both are proven optimal the costs must be equal.
#
#   Rscript bench/gpu.R FILE.csv       in under four minutes; QUICK=1: small tables, on the
#                                      host twin, whose times say nothing
#
# Ends with status 77 where there is no GPU.
source("bench/lib/timing.R")
source("bench/lib/memory.R")

path <- commandArgs(TRUE)[1]
quick <- nzchar(Sys.getenv("QUICK"))
gpu <- contree::contree_gpu()
if (!gpu$available && !quick) {
  cat("not run: ", gpu$reason, "\n", sep = "")
  quit(status = 77)
}
if (quick) options(contree.twin = TRUE)

# Two classes that a tree of some depth and noise make.
generate <- function(n, p) {
  set.seed(n + p)
  x <- matrix(stats::runif(n * p), n)
  inside <- (x[, 1] > 0.4) + (x[, 2] > 0.6) + (x[, 3] + x[, 4] > 1)
  noise <- stats::runif(n) < 0.1
  data.frame(x, class = factor(ifelse(noise, 1 - inside %% 2, inside %% 2)))
}

cases <- data.frame(rows = c(20000, 250000, 1e6, 2000, 20000, 100000, 1000),
                    columns = c(20, 20, 20, 10, 10, 20, 8), depth = c(2, 2, 2, 3, 3, 3, 4))
if (quick) cases <- data.frame(rows = 500, columns = 5, depth = 2:3)
most <- contree::contree_info()$processors
ways <- expand.grid(threads = unique(c(1, most)), device = c("cpu", if (quick) "twin" else "cuda"),
                    stringsAsFactors = FALSE)

run <- function(case, way, data) {
  call <- timed(suppressWarnings(contree::contree(class ~ ., data, depth = case$depth,
                                                  time_limit = 10, threads = way$threads,
                                                  device = way$device),
                                 classes = "contree_stopped"))
  fit <- call$value
  data.frame(case, way, seconds = fit$elapsed, call = call$seconds, cost = fit$objective,
             bound = fit$bound, status = fit$status, batches = fit$search[["device batches"]],
             row.names = NULL)
}

found <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) {
  data <- generate(cases$rows[i], cases$columns[i])
  runs <- do.call(rbind, lapply(seq_len(nrow(ways)), function(j) run(cases[i, ], ways[j, ], data)))
  proven <- runs$cost[runs$status == "optimal"]
  if (length(unique(proven)) > 1) stop("the costs of proven trees differ")
  print(runs)
  runs
}))
utils::write.csv(found, path, row.names = FALSE)
