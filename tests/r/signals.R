# Ctrl-C at random moments: Rscript tests/r/signals.R LIBRARY [SIGNALS] [SEED]
#
# Another session fits, predicts, follows paths and cross-validates, over and over, while this one
# sends it SIGINT after random times. Each call must end in what it promises or in a condition,
# every result must pass its check, memory must not grow, and a fit after the last signal must be
# the optimum. Another session is told to end (SIGTERM) in the middle of a search, and must. Ends
# with `signals: N passed, N failed`.
arguments <- commandArgs(TRUE)
library_path <- normalizePath(arguments[1])
signals <- as.integer(c(arguments[-1], "100")[1])
set.seed(as.numeric(c(arguments[-(1:2)], "1")[1]))

# ---- the other session ---------------------------------------------------------------------------

child <- '
.libPaths(c("%s", .libPaths()))
library(contree)
options(warn = -1)
say <- function(...) { cat(..., "\\n"); flush(stdout()) }
say(Sys.getpid())
set.seed(11)
hard <- as.data.frame(matrix(runif(20000), 2000))
hard$y <- factor(sample(c("a", "b"), 2000, TRUE))
small <- hard[1:150, c(1:3, 11)]
large <- hard[sample(2000, 3e5, TRUE), ]
fit <- contree(y ~ ., small, depth = 2)
work <- list(
  function() contree(y ~ ., hard, depth = 4, time_limit = 0.4, threads = 2),
  function() contree(y ~ ., hard, depth = 4, time_limit = 0.4, threads = 2, on_interrupt = "error"),
  function()
    contree(y ~ ., hard, depth = 4, time_limit = 0.4, progress = function(state) state$cost),
  function() for (i in 1:30) contree(y ~ ., small, depth = 2),
  function() contree_path(y ~ ., small, depth = 2, threads = 2),
  function() contree_cv(y ~ ., small, depth = 1:2, folds = 3),
  function() gmt(V1 ~ ., hard[1:1000, 1:5], effort = 1e6, patience = Inf, time_limit = 0.4),
  function() predict(fit, large))
held <- function() {
  gc()
  as.numeric(gsub("[^0-9]", "",
                  grep("^VmRSS", readLines("/proc/self/status"), value = TRUE))) / 1024
}
sound <- function(result) {
  if (inherits(result, c("contree", "gmt"))) contree:::check_fit(result)
  TRUE
}
said <- c()
suspendInterrupts({
  round <- 0
  while (!file.exists("%s")) {
    round <- round + 1
    result <- tryCatch(allowInterrupts(work[[1 + round %%%% length(work)]]()),
                       interrupt = function(condition) "interrupt",
                       contree_interrupted_error = function(condition) "interrupted",
                       error = conditionMessage)
    kind <- if (is.character(result)) result else if (sound(result)) "value"
    said <- c(said, kind)
    if (round == 50) before <- held()
    if (round == 1) say("begin")
  }
})
if (round <= 50) before <- held()
say("rounds", round, "interrupts", sum(said != "value"), "other",
    sum(!said %%in%% c("value", "interrupt", "interrupted")))
say(unique(said))
say("growth", held() - before)
say("optimum", contree(y ~ ., small, depth = 2)$objective == fit$objective)
say("end")
'

start_session <- function(stop_file) {
  script <- tempfile("child", fileext = ".R")
  out <- tempfile("out")
  writeLines(sprintf(child, library_path, stop_file), script)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = out, stderr = out,
          wait = FALSE)
  said <- function() if (file.exists(out)) trimws(readLines(out, warn = FALSE)) else character()
  wait_for(function() "begin" %in% said(), 60)
  list(pid = as.integer(said()[1]), said = said)
}

wait_for <- function(done, seconds) {
  end <- Sys.time() + seconds
  while (!done() && Sys.time() < end) Sys.sleep(0.02)
  done()
}

passed <- failed <- 0
check <- function(fine, what) {
  if (isTRUE(fine)) passed <<- passed + 1 else {
    failed <<- failed + 1
    cat("  FAILED:", what, "\n")
  }
}

# ---- SIGINT --------------------------------------------------------------------------------------

stop_file <- tempfile("stop")
session <- start_session(stop_file)
for (i in seq_len(signals)) {
  Sys.sleep(runif(1, 0, 0.3))
  tools::pskill(session$pid, tools::SIGINT)
}
invisible(file.create(stop_file))
ended <- wait_for(function() "end" %in% session$said(), 60)
said <- session$said()
cat(paste0("  ", grep("^(rounds|growth)", said, value = TRUE)), sep = "\n")
check(ended, paste(c("the session ends:", said), collapse = "\n  "))
number <- function(name) {
  as.numeric(sub(paste0(".*", name, " ([-0-9.e]+).*"), "\\1", grep(name, said, value = TRUE)[1]))
}
check(number("interrupts") > signals / 10, "signals arrive")
check(number("other") == 0, paste(said, collapse = " | "))
check(number("growth") < 20, "memory grows")
check("optimum TRUE" %in% said, "an optimum after all")

# ---- SIGTERM -------------------------------------------------------------------------------------

for (i in 1:3) {
  session <- start_session(tempfile())
  Sys.sleep(runif(1, 0, 1))
  tools::pskill(session$pid, tools::SIGTERM)
  gone <- function() !file.exists(file.path("/proc", session$pid)) ||
    any(grepl("^State:\tZ", readLines(file.path("/proc", session$pid, "status"))))
  check(wait_for(gone, 10), "SIGTERM ends a session")
}
cat(sprintf("signals: %d passed, %d failed\n", passed, failed))
quit(status = as.integer(failed > 0))
