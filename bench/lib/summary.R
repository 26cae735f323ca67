# From runs to medians, from medians to ratios and Markdown.

# One row a case: medians of the four times, errors, statuses, numbers of runs. `by` names the
# columns that make a case.
median_runs <- function(rows, by) {
  cases <- lapply(split(rows, do.call(paste, c(rows[by], sep = "\r"))), function(runs) {
    case <- runs[1, c(by, "runs", "peer_runs", "contree_errors", "contree_bound", "contree_status",
                      "contree_simd",
                      "peer_errors", "peer_status")]
    for (time in c("contree_solver", "contree_call", "peer_solver", "peer_call")) {
      case[[time]] <- if (!all(is.na(runs[[time]]))) stats::median(runs[[time]],
                                                                   na.rm = TRUE) else NA_real_
    }
    # the least times: on a machine shared with others, what the programs take when nobody disturbs
    # them
    case$least_ratio <- min(c(runs$peer_solver, Inf), na.rm = TRUE) / min(runs$contree_solver)
    if (is.na(case$peer_solver)) case$least_ratio <- NA_real_
    for (time in c("contree_cpu", "peer_cpu")) {
      # older results do not have them
      case[[time]] <- stats::median(c(runs[[time]], NA_real_), na.rm = TRUE)
    }
    case$mb_before <- runs$contree_mb_before[1]
    case$mb_peak <- max(runs$contree_mb_peak)
    case
  })
  cases <- do.call(rbind, unname(cases))
  cases$solver_ratio <- cases$peer_solver / cases$contree_solver
  # of the whole call of contree, whose clock of processor time is coarse
  cases$cpu_ratio <- ifelse(cases$contree_cpu >= 0.05, cases$peer_cpu / cases$contree_cpu, NA)
  cases$call_ratio <- cases$peer_call / cases$contree_call
  # in the order of the file
  cases[order(match(do.call(paste, cases[by]), unique(do.call(paste, rows[by])))), ]
}

geometric_mean <- function(x) exp(mean(log(x[!is.na(x)])))

# A peer that was stopped would have taken longer: `>`.
show_ratio <- function(ratio, peer_status = "optimal") {
  ifelse(is.na(ratio), "", paste0(ifelse(peer_status == "time limit", "> ", ""), signif(ratio, 3)))
}

show_time <- function(seconds, status = "optimal") {
  ifelse(is.na(seconds), "-",
         paste0(ifelse(status == "time limit", "> ", ""), format_seconds(seconds)))
}

# A data frame of text as Markdown; numbers to the right.
markdown_table <- function(table) {
  numeric <- vapply(table, function(x) all(grepl("^(> )?[0-9.e+-]*( (ms|s|MB))?$", x)), NA)
  rows <- do.call(paste, c(unname(lapply(table, as.character)), sep = " | "))
  c(paste0("| ", paste(names(table), collapse = " | "), " |"),
    paste0("|", paste(ifelse(numeric, " ---: ", " --- "), collapse = "|"), "|"),
    paste0("| ", rows, " |"), "")
}

# ---- threads ----

# One row a case and number of threads: median and least seconds of the solver, and how many times
# one thread takes of either.
thread_speedups <- function(rows) {
  cases <- lapply(split(rows, paste(rows$data, rows$depth, rows$threads)), function(runs) {
    data.frame(data = runs$data[1], depth = runs$depth[1], threads = runs$threads[1],
               seconds = stats::median(runs$solver), least = min(runs$solver), runs = nrow(runs))
  })
  cases <- do.call(rbind, unname(cases))
  cases <- cases[order(match(paste(cases$data, cases$depth), paste(rows$data, rows$depth)),
                       cases$threads), ]
  one <- cases[cases$threads == 1, ]
  at <- match(paste(cases$data, cases$depth), paste(one$data, one$depth))
  transform(cases, speedup = one$seconds[at] / seconds, least_speedup = one$least[at] / least)
}

# ---- anytime ----

# Area from 0 to `end` under (errors - best) / best, a step function of time that begins with the
# errors of no tree at all.
primal_integral <- function(time, errors, start, best, end) {
  inside <- time < end
  time <- c(0, time[inside], end)
  level <- cummin(c(start, errors[inside]))
  sum(diff(time) * (level - best) / best)
}

# The least that the integral of solver runs with time limits can be: each tree found as soon as the
# limit before had passed.
least_integral <- function(time, errors, start, best, end) {
  primal_integral(c(0, time[-length(time)]), errors, start, best, end)
}
