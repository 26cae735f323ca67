# What the user is told of the limits of a proof: that a search was stopped before it was complete,
# and among which splits of factors it searched.

stopped_kind <- c("time limit" = "timeout", "memory limit" = "memory",
                  "interrupted" = "interrupted")

# A warning that names the gap, with a class for each reason. A gap that was asked for (max_gap) is
# none.
warn_if_stopped <- function(fit) {
  proof <- tree_proof(fit)
  if (!proof$status %in% names(stopped_kind)) return(invisible())
  warn_stopped(stopped_message(fit),
               proof[c("status", "objective", "cost", "bound", "gap", "elapsed")])
}

# `facts` are elements of the warning besides its message; `status` is one of them.
warn_stopped <- function(message, facts) {
  warn_contree(c(stopped_kind[[facts$status]], "stopped"), message, facts)
}

# "stopped at the time limit after 0.2 s: 33 errors, at least 25 proven (gap 8)", or where nothing
# is proven "... 33 errors; no useful bound is known yet", or where only the size is open "... 33
# errors, proven optimal; a smaller tree may cost as much"
stopped_message <- function(fit) {
  proof <- tree_proof(fit)
  shown <- proof_text(proof)
  known <- if (tree_settings(fit)$complexity > 0) {
    gettextf("cost %s", shown$cost)
  } else if (predicts_classes(fit)) {
    errors_text(proof$objective, shown$objective)
  } else {
    gettextf("SSE %s", shown$objective)
  }
  after <- stopped_after(proof$status, proof$elapsed)
  if (proof$gap == 0) {
    return(gettextf("%s: %s, proven optimal; a smaller tree may cost as much", after, known))
  }
  if (proof$bound <= 0) return(gettextf("%s: %s; no useful bound is known yet", after, known))
  gettextf("%s: %s, at least %s proven (gap %s)", after, known, shown$bound,
           cost_text(proof$gap))
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

# Said once a fit, of all its factors that may not be split by any set of levels.
tell_restricted <- function(fit) {
  restricted <- tree_restricted(fit)
  if (length(restricted) == 0) return(invisible())
  tell_contree(gettextf(paste(
    "%s: more levels than 'subset_levels' (%s), hence split by one level against the rest,",
    "or in order of %s; the tree is optimal among such trees"),
    show_names(restricted), format(tree_settings(fit)$subset_levels),
    if (predicts_classes(fit)) gettext("the proportion of a class") else order_of_levels(fit)))
}
