# Searches on a GPU beside one core and all of them: the public data sets of CONTREE_DATA, or
# ../shared/data, depths two and three, some at depth four; where they are not, or with `made`,
# generated tables. Where both are proven optimal the costs must be equal.
#
#   Rscript bench/gpu.R FILE.csv [made]     in under two minutes, four if made; QUICK=1: two
#                                           searches on the host twin, whose times say nothing
#
# Ends with status 77 where there is no GPU.
for (file in c("timing", "memory", "data")) source(sprintf("bench/lib/%s.R", file))

asked <- commandArgs(TRUE)
path <- asked[1]
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

made_cases <- function() {
  cases <- data.frame(data = "made", depth = c(2, 2, 2, 3, 3, 3, 4),
                      rows = c(20000, 250000, 1e6, 2000, 20000, 100000, 1000),
                      columns = c(20, 20, 20, 10, 10, 20, 8))
  if (quick) data.frame(data = "made", depth = 2:3, rows = 500, columns = 5) else cases
}

# Depth four only where one core is done with it in seconds.
set_cases <- function(sets) {
  if (quick) return(data.frame(data = sets[which.min(file.size(data_path(sets)))], depth = 2:3))
  four <- intersect(c("bidding", "occupancy", "page", "raisin", "room", "segment", "skin"), sets)
  rbind(expand.grid(data = sets, depth = 2:3, stringsAsFactors = FALSE),
        if (length(four)) data.frame(data = four, depth = 4))
}

if (!nzchar(data_folder()) && dir.exists("../shared/data")) {
  Sys.setenv(CONTREE_DATA = "../shared/data")
}
sets <- sub("[.]csv[.]gz$", "", list.files(data_folder(), "[.]csv[.]gz$"))
cases <- if (length(sets) && !"made" %in% asked) set_cases(sets) else made_cases()
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
  data <- if (cases$data[i] == "made") generate(cases$rows[i], cases$columns[i]) else {
    read_data_set(cases$data[i])
  }
  cases[i, c("rows", "columns")] <- c(nrow(data), ncol(data) - 1)
  runs <- do.call(rbind, lapply(seq_len(nrow(ways)), function(j) run(cases[i, ], ways[j, ], data)))
  proven <- runs$cost[runs$status == "optimal"]
  if (length(unique(proven)) > 1) stop("the costs of proven trees differ")
  print(runs)
  runs
}))
utils::write.csv(found, path, row.names = FALSE)
