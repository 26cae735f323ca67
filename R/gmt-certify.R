# Proofs that no tree over bins is better: what may be asked for, what is said of them.

# What is proven holds for trees of one depth, with all the leaves that they can have.
check_certify <- function(search, mode) {
  depth <- search$certify
  if (depth == 0) return(invisible())
  if (depth == 1) stop_input("certify", gettext("'certify' must be 0, 2 or 3, not 1"))
  if (mode == "paper") {
    stop_input("certify", gettext("'certify' is not possible with search = \"paper\""))
  }
  if (search$depth != depth) {
    stop_input("depth", gettextf("'depth' must be %d with certify = %d, not %s", depth,
                                     depth, show_value(search$depth)))
  }
  if (search$max_leaves < 2^depth) {
    stop_input("max_leaves", gettextf("'max_leaves' must be at least %d with certify = %d, not %s",
                                      2^depth, depth, show_value(search$max_leaves)))
  }
}

# A proof covers all sets of levels.
check_levels_to_certify <- function(frame, factors) {
  for (name in factors[lengths(frame$xlevels[factors]) > 8]) {
    stop_input("certify",
               gettextf("'certify' tries all sets of at most 8 levels, but '%s' has %d levels",
                        name, length(frame$xlevels[[name]])))
  }
}

# What is proven of a fit, see gmt_control(); NULL if that was not asked for.
optimum_of <- function(proof) {
  if (is.null(proof)) return(NULL)
  status <- if (!proof$complete) "stopped" else if (proof$gap > 0) "bound" else "optimal"
  c(list(status = status), proof[c("depth", "bins", "cost", "bound", "gap", "lambda", "solved",
                                   "touched", "elapsed")])
}

optimum_text <- function(found) {
  optimum <- found$optimum
  if (optimum$gap == 0) {
    return(gettextf("proven optimal over %d bins at depth %d", optimum$bins, optimum$depth))
  }
  if (optimum$bound == 0) return(gettextf("%s before anything was proven", status_text(found)))
  gettextf("%s, at most %s %% from the optimum over %d bins at depth %d", status_text(found),
           format(100 * optimum$gap, digits = 2), optimum$bins, optimum$depth)
}
