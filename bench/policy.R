# Policy trees: CPU seconds of one thread, on scores as doubly robust ones are (means of size 1 or
# 1/4, one action seen in each row), and those of fastpolicytree and policytree on the same matrices
# where these are installed.
#
#   Rscript bench/policy.R [quick]
library(contree)

scores <- function(n, p, k, strength, values = Inf) {
  x <- matrix(rnorm(n * p), n)
  if (values == 2) x[] <- x > 0
  if (values == 10) x <- round(x, 1)
  means <- strength * vapply(seq_len(k), function(a) {
    (a %% 3 == 2) * (x[, 1] > 0.3) * x[, 2] + (a %% 3 == 0) * (x[, 1] < -0.2)
  }, numeric(n))
  seen <- cbind(seq_len(n), sample(k, n, TRUE))
  gamma <- means
  gamma[seen] <- gamma[seen] + k * rnorm(n)
  list(x = x, gamma = gamma)
}

# Seconds of a call; of short ones the mean of 20, as clocks of processors say too little of one.
cpu <- function(ask) {
  seconds <- function(n) {
    sum(system.time(for (i in seq_len(n)) ask())[c("user.self", "sys.self")]) / n
  }
  once <- seconds(1)
  if (once < 0.05) seconds(20) else once
}

# The action of each row, from a peer's list of nodes: fastpolicytree alone has no predict().
peer_actions <- function(fit, x) {
  action <- integer(nrow(x))
  down <- function(at, rows) {
    node <- fit$nodes[[at]]
    if (node$is_leaf) {
      action[rows] <<- node$action
      return(invisible())
    }
    left <- x[rows, node$split_variable] <= node$split_value
    down(node$left_child, rows[left])
    down(node$right_child, rows[!left])
  }
  down(1, seq_len(nrow(x)))
  action
}

# Another package's time on the same matrices, and its mean reward.
peer <- function(package, case, depth) {
  if (!requireNamespace(package, quietly = TRUE)) return(c(NA, NA))
  fit <- NULL
  fit_peer <- if (package == "policytree") {
    function() policytree::policy_tree(case$x, case$gamma, depth, verbose = FALSE)
  } else {
    function() getExportedValue(package, "fastpolicytree")(case$x, case$gamma, depth)
  }
  seconds <- cpu(function() fit <<- fit_peer())
  action <- peer_actions(fit, case$x)
  c(seconds, mean(case$gamma[cbind(seq_len(nrow(case$x)), action)]))
}

problems <- data.frame(
  depth = c(2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3),
  n = c(1e3, 1e3, 1e4, 1e4, 1e5, 1e5, 1e3, 1e3, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4),
  p = c(10, 30, 30, 30, 30, 30, 10, 10, 10, 10, 30, 60, 10, 10, 30),
  k = c(3, 20, 3, 20, 3, 20, 3, 3, 3, 3, 3, 3, 3, 2, 2),
  strength = c(0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1, 0.25, 1, 1, 1, 1, 0.25, 1, 1),
  values = c(rep(Inf, 9), 2, 2, 2, Inf, 2, 2),
  slow = c(0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0))
if ("quick" %in% commandArgs(TRUE)) problems <- problems[problems$slow == 0, ]

for (i in seq_len(nrow(problems))) {
  problem <- problems[i, ]
  set.seed(i)
  case <- with(problem, scores(n, p, k, strength, values))
  fit <- NULL
  seconds <- cpu(function() {
    fit <<- policy_tree(case$x, case$gamma, problem$depth, threads = 1)
  })
  small <- with(problem, values == 2 | n * p * k^2 * 100^(depth - 2) < 1e7)
  fast <- if (small) peer("fastpolicytree", case, problem$depth) else c(NA, NA)
  plain <- if (small) peer("policytree", case, problem$depth) else c(NA, NA)
  same <- all(abs(c(fast[2], plain[2]) - fit$policy$value) < 1e-8, na.rm = TRUE)
  cat(sprintf("d%d %6d x %d x %2d, strength %.2f, %3s values: %8.3f s, %s; %s s, %s s%s\n",
              problem$depth, problem$n, problem$p, problem$k, problem$strength,
              format(problem$values), seconds, fit$policy$status, format(fast[1]),
              format(plain[1]), if (same) "" else ": ANOTHER VALUE"))
}
