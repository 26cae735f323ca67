# Five planes over the first two columns, and columns of noise.
armchair <- function(n, noise_columns, seed) {
  set.seed(seed)
  q <- 2 + noise_columns
  x <- matrix(stats::runif(n * q, 0, 5), n, dimnames = list(NULL, paste0("x", seq_len(q))))
  a <- x[, 1]
  b <- x[, 2]
  y <- ifelse(a < 1, 16 * a - 2 * b - 8, ifelse(a >= 4, -16 * a - 2 * b + 72,
    ifelse(b < 2, a - 4 * b + 2, ifelse(b < 4, a + b - 8, a + 16 * b - 56))))
  list(x = x, y = y + stats::rnorm(n, 0, 0.05))
}
