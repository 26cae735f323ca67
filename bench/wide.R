# Tables with more columns than rows, depth two: R_LIBS=build/lib Rscript bench/wide.R. One thread
# and two take turns, so that other work on the machine hits both alike; QUICK=1 for one turn.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)

settings <- bench_settings()

# Normal noise, a class that follows three of its columns but for `noise` of the rows, whose class
# is drawn.
noisy_matrix <- function(rows, columns, noise = 0.3) {
  seed_tables(1)
  x <- matrix(stats::rnorm(rows * columns), rows)
  colnames(x) <- paste0("x", seq_len(columns))
  class <- x[, 3] <= 0.4 & x[, 1] > 0
  drawn <- which(stats::runif(rows) < noise)
  class[drawn] <- stats::runif(length(drawn)) < 0.5
  list(x = x, class = factor(class))
}

time_wide <- function(data, threads) {
  cpu <- processor_seconds()
  fit <- contree::contree(data$x, data$class, depth = 2, threads = threads)
  list(solver = fit$elapsed, cpu = processor_seconds() - cpu, errors = fit$objective,
       status = fit$status)
}

sizes <- data.frame(rows = c(500, 500, 2000, 100000), columns = c(1500, 5000, 1000, 120))
path <- record_start(settings, "wide")
for (i in seq_len(nrow(sizes))) {
  data <- noisy_matrix(sizes$rows[i], sizes$columns[i])
  for (run in seq_len(if (settings$quick) 1 else 3)) {
    for (threads in 1:2) {
      record(path, c(as.list(sizes[i, ]), list(run = run, threads = threads),
                     time_wide(data, threads)))
    }
  }
}
seconds <- stats::aggregate(cbind(solver, cpu) ~ threads + rows + columns, utils::read.csv(path),
                            stats::median)
print(seconds)
