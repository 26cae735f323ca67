# What the user is told when a search was stopped before its proof was complete.

stopped_class <- c("time limit" = "contree_timeout", "memory limit" = "contree_memory",
                   "interrupted" = "contree_interrupted")

# A warning that names the gap, with a class for each reason. A gap that was asked for (max_gap) is none.
warn_if_stopped <- function(fit) {
  proof <- tree_proof(fit)
  if (!proof$status %in% names(stopped_class)) return(invisible())
  warn_stopped(stopped_message(proof, tree_settings(fit)), proof[c("status", "objective", "cost", "bound", "gap", "elapsed")])
}

# `facts` are elements of the warning besides its message; `status` is one of them.
warn_stopped <- function(message, facts) {
  warning(structure(c(list(message = message, call = user_call()), facts),
                    class = c(stopped_class[[facts$status]], "contree_stopped", "warning", "condition")))
}

# "stopped at the time limit after 0.2 s: 33 errors, at least 25 proven (gap 8)"
stopped_message <- function(proof, settings) {
  known <- if (settings$complexity > 0) gettextf("cost %s", format(proof$cost)) else errors_text(proof$objective)
  gettextf("%s: %s, at least %s proven (gap %s)", stopped_after(proof$status, proof$elapsed), known, format(proof$bound),
           format(proof$gap))
}

stopped_after <- function(status, seconds) {
  how <- switch(status,
    "time limit" = gettext("stopped at the time limit"),
    "memory limit" = gettext("stopped at the memory limit"),
    "interrupted" = gettext("interrupted"))
  gettextf("%s after %s s", how, format(signif(seconds, 2)))
}

stop_interrupted <- function(seconds) {
  stop_contree("interrupted", gettextf(
    "interrupted after %s s; with on_interrupt = \"return\" the best tree so far is returned",
    format(signif(seconds, 2))), NULL)
}
