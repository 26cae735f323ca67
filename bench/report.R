# The tables and pictures of the results at hand: summary.md, ratios.png, scaling.png, anytime.png.
# Parts that did not run are left out.
for (file in list.files("bench/lib", "[.]R$", full.names = TRUE)) source(file)
source("tools/png.R")

settings <- bench_settings()

picture <- function(name, width, height, draw, ...) {
  file <- open_picture(file.path(settings$out, name), width, height, res = 150)
  draw(...)
  grDevices::dev.off()
  c(sprintf("![](%s)", basename(file)), "")
}

# ---- sections, each a function that gives lines ----

machine_text <- function(rows) {
  if (nzchar(given <- Sys.getenv("MACHINE"))) return(given)
  vectors <- c(avx512 = "AVX-512, ", avx2 = "AVX2, ")
  simd <- if (!is.null(rows) && rows$contree_simd[1] %in% names(vectors)) {
    vectors[[rows$contree_simd[1]]]
  } else {
    ""
  }
  sprintf("%s, %s%d processors", sub("_", "-", R.version$arch), simd,
          contree::contree_info()$processors)
}

head_lines <- function(rows) {
  c("# Results", "",
    sprintf("contree %s, R %s.%s, pycontree 1.0.8. Machine: %s.%s",
            utils::packageVersion("contree"), R.version$major, R.version$minor, machine_text(rows),
            if (settings$quick) " Quick mode: few repeats, long runs left out." else ""),
    "Made by `make bench`; ../NOTES.md says what is measured and how to read it.", "")
}

# Errors, and what is odd about them: no proof, or another number found by the peer.
show_errors <- function(cases) {
  unproven <- cases$contree_status != "optimal"
  differ <- !is.na(cases$peer_errors) & cases$peer_errors != cases$contree_errors
  paste0(ifelse(is.na(cases$contree_errors), "", cases$contree_errors),
         ifelse(unproven, sprintf(" (at least %g)", cases$contree_bound), ""),
         ifelse(differ, sprintf(" (peer: %g)", cases$peer_errors), ""))
}

pair_lines <- function(cases) {
  if (is.null(cases)) return(NULL)
  table <- data.frame(
    data = cases$data, depth = cases$depth, errors = show_errors(cases),
    contree = show_time(cases$contree_solver, cases$contree_status),
    pycontree = show_time(cases$peer_solver, cases$peer_status),
    ratio = show_ratio(cases$solver_ratio, cases$peer_status),
    `of least times` = show_ratio(cases$least_ratio, cases$peer_status),
    `of processor time` = show_ratio(cases$cpu_ratio, cases$peer_status),
    `contree()` = show_time(cases$contree_call, cases$contree_status),
    `fit()` = show_time(cases$peer_call, cases$peer_status),
    ratio = show_ratio(cases$call_ratio, cases$peer_status),
    runs = paste(cases$runs, cases$peer_runs, sep = ", "), check.names = FALSE)
  c("## Public data sets", "",
    "Medians. First solver against solver, with the ratio of the medians, that of the shortest",
    "runs and, from 50 ms on and where measured, that of the processor time; then the whole call",
    "in R against the whole call in Python; last, how often either ran.", "",
    markdown_table(table), paired_lines(cases[!is.na(cases$solver_ratio), ]))
}

paired_lines <- function(paired) {
  if (!nrow(paired)) return(NULL)
  c(mean_lines(paired), floor_lines(paired), difference_lines(paired),
    picture("ratios.png", 1350, 1200, plot_ratios, paired))
}

mean_lines <- function(paired) {
  means <- lapply(split(paired, paired$depth), function(x) data.frame(
    depth = x$depth[1], `data sets` = nrow(x),
    `solver / solver` = show_ratio(geometric_mean(x$solver_ratio)),
    least = show_ratio(min(x$solver_ratio)), `of least times` = show_ratio(
      geometric_mean(x$least_ratio)), least = show_ratio(min(x$least_ratio)),
    `call / call` = show_ratio(geometric_mean(x$call_ratio)), least = show_ratio(min(x$call_ratio)),
    check.names = FALSE))
  c("Geometric means of the ratios, and the least:", "", markdown_table(do.call(rbind, means)))
}

# The line to hold: never below 20 times where the reference takes over 50 ms.
floor_lines <- function(cases) {
  long <- cases[cases$peer_solver > 0.05, ]
  if (!nrow(long)) return(NULL)
  least <- function(ratio) {
    worst <- long[which.min(long[[ratio]]), ]
    sprintf("%s times as fast (%s, depth %d)", show_ratio(worst[[ratio]]), worst$data, worst$depth)
  }
  c(sprintf("Where the reference's solver takes over 50 ms (%d cases), contree's is at least %s,",
            nrow(long), least("solver_ratio")),
    sprintf("by the shortest runs at least %s. The line to hold is 20: %s.", least("least_ratio"),
            held(min(long$solver_ratio) >= 20)), "")
}

held <- function(yes) if (yes) "held" else "NOT held"

difference_lines <- function(cases) {
  differ <- cases[which(cases$contree_errors != cases$peer_errors), ]
  if (!nrow(differ)) return(c("Both report the same errors in every pair.", ""))
  reasons <- vapply(seq_len(nrow(differ)), function(i) difference_line(differ[i, ]), "")
  c("Pairs with different errors:", "", reasons, "")
}

difference_line <- function(case) {
  stopped <- case$peer_status != "optimal"
  reason <- if (stopped) {
    "the peer was stopped"
  } else {
    explain_difference(case$data, case$depth, case$peer_errors)
  }
  sprintf("- %s, depth %d: contree %g, pycontree %g: %s", case$data, case$depth,
          case$contree_errors, case$peer_errors, reason)
}

greedy_lines <- function(cases, rpart, streed) {
  if (is.null(cases) || is.null(rpart)) return(NULL)
  cases <- merge(cases, rpart, by = c("data", "depth"), sort = FALSE)
  if (!nrow(cases)) return(NULL)
  table <- data.frame(data = cases$data, depth = cases$depth, contree = cases$contree_errors,
                      rpart = cases$errors, `errors saved` = sprintf(
                        "%.0f%%", 100 * (1 - cases$contree_errors / cases$errors)),
                      `contree()` = show_time(cases$contree_call),
                      `rpart()` = show_time(cases$seconds), check.names = FALSE)
  if (!is.null(streed)) {
    at <- match(paste(cases$data, cases$depth), paste(streed$data, streed$depth))
    table$pystreed <- ifelse(is.na(at), "", paste0(
      streed$errors[at], ifelse(streed$status[at] == "optimal", "", " (stopped)")))
    table$`binary features` <- ifelse(is.na(at), "", streed$binary_features[at])
    table$`its fit()` <- ifelse(is.na(at), "", format_seconds(streed$seconds[at]))
  }
  c("## Training errors beside greedy and binarised trees", "",
    "rpart at the same depth, grown to the end, in processor time; pystreed over at most 20",
    "quantiles of each column as binary features.", "",
    markdown_table(table))
}

held_out_lines <- function(cases) {
  if (is.null(cases)) return(NULL)
  share <- function(errors) sprintf("%.1f%%", 100 * errors / cases$rows)
  table <- data.frame(data = cases$data, rows = cases$rows, depth = cases$depth,
                      contree = share(cases$contree), rpart = share(cases$rpart),
                      `rpart, any depth` = share(cases$rpart_cp), check.names = FALSE)
  c("## Held-out errors", "",
    "Misclassified rows of ten folds, each held out. Five folds of the other rows choose the",
    "size with the lowest error: the depth, up to the given one, of trees of contree and of",
    "rpart; last, the complexity of trees of rpart without a limit on the depth.", "",
    markdown_table(table))
}

small_lines <- function(cases, call) {
  lines <- c(small_pair_lines(cases), call_lines(call))
  if (length(lines)) c("## Small tables", "", lines)
}

small_pair_lines <- function(cases) {
  if (is.null(cases) || all(cases$peer_runs == 0)) return(NULL)
  later <- 1000 * (cases$contree_call - cases$peer_call)
  c(sprintf("On iris and %d random tables of its size (depth 3) `contree()` takes %s at most,",
            nrow(cases) - 1, format_seconds(max(cases$contree_call))),
    sprintf("pycontree's `fit()` %s.", format_seconds(max(cases$peer_call))),
    sprintf("contree is slower on %d of them, by %.1f ms at most; the line to hold is 10 ms: %s.",
            sum(later > 0), max(later, 0), held(max(later) <= 10)),
    sprintf(paste("Geometric mean of the ratios: %s for the calls, %s for the solvers.",
                  "Different errors on %d tables."),
            show_ratio(geometric_mean(cases$call_ratio)),
            show_ratio(geometric_mean(cases$solver_ratio)),
            sum(cases$contree_errors != cases$peer_errors)), "")
}

call_lines <- function(call) {
  if (is.null(call)) return(NULL)
  c("Where the time of `contree(Species ~ ., iris, depth = 3)` goes:", "",
    markdown_table(data.frame(part = call$part, milliseconds = sprintf("%.2f", call$milliseconds))))
}

# Below some size the call finds its memory among what R has freed but not given back, and seems to
# add none.
show_added_memory <- function(cases) {
  large <- 8 * cases$rows * cases$features > 30 * 2^20
  ifelse(large & !is.na(cases$mb_peak), paste(signif(cases$mb_peak - cases$mb_before, 3), "MB"), "")
}

scaling_lines <- function(cases) {
  if (is.null(cases)) return(NULL)
  table <- data.frame(
    rows = format(cases$rows, big.mark = ",", trim = TRUE), features = cases$features,
    `values a feature` = ifelse(is.finite(cases$distinct), cases$distinct, "all differ"),
    depth = cases$depth, errors = show_errors(cases),
    contree = show_time(cases$contree_solver, cases$contree_status),
    `contree()` = show_time(cases$contree_call, cases$contree_status),
    pycontree = show_time(cases$peer_solver, cases$peer_status),
    ratio = show_ratio(cases$solver_ratio, cases$peer_status),
    `table` = paste(signif(8 * cases$rows * (cases$features + 0.5) / 2^20, 3), "MB"),
    `added by the call` = show_added_memory(cases), `peak of R` = paste(round(cases$mb_peak), "MB"),
    check.names = FALSE)
  c("## Growing tables", "",
    "Tables made up by rule (../lib/tables.R). Memory is the resident set of the R process: what",
    "the call added to it at most (large tables only), and its peak.", "",
    markdown_table(table),
    floor_lines(transform(cases[!is.na(cases$peer_solver), ], data = paste(rows, "x", features))),
    if (all(c("rows", "features") %in% cases$curve)) picture("scaling.png", 1650, 900, plot_scaling,
                                                             cases))
}

thread_lines <- function(rows, builds) {
  lines <- c(speedup_lines(rows), build_lines(builds))
  if (length(lines)) c("## Threads", "", lines)
}

speedup_lines <- function(rows) {
  if (is.null(rows)) return(NULL)
  cases <- thread_speedups(rows)
  one <- cases[cases$threads == 1, ]
  more <- cases[cases$threads > 1, ]
  at <- match(paste(more$data, more$depth), paste(one$data, one$depth))
  table <- data.frame(data = more$data, depth = more$depth, threads = more$threads,
                      `one thread` = show_time(one$seconds[at]), `these threads` = show_time(
                        more$seconds), speedup = sprintf("%.2f", more$speedup),
                      `of least times` = sprintf("%.2f", more$least_speedup), runs = more$runs,
                      check.names = FALSE)
  means <- lapply(split(more, more$threads), function(x) sprintf(
    "%d threads: geometric mean %.2f (of the shortest runs %.2f), least %.2f (%.2f).", x$threads[1],
    geometric_mean(x$speedup), geometric_mean(x$least_speedup), min(x$speedup),
    min(x$least_speedup)))
  differ <- tapply(rows$errors, paste(rows$data, rows$depth), function(x) length(unique(x)) > 1)
  c("Medians of the solver's seconds, runs in turns.", "", markdown_table(table),
    unlist(means, use.names = FALSE), if (any(differ)) "The errors DIFFER between runs."
                                      else "All runs of a case found the same errors.", "")
}

build_lines <- function(rows) {
  if (is.null(rows)) return(NULL)
  least <- tapply(rows$seconds, list(paste(rows$data, rows$depth), rows$build), min)
  middle <- tapply(rows$seconds, list(paste(rows$data, rows$depth), rows$build), stats::median)
  percent <- function(x) sprintf("%+.1f%%", 100 * (x[, "OpenMP"] / x[, "plain"] - 1))
  table <- data.frame(case = sub(" ", ", depth ", rownames(least)),
                      `with OpenMP` = show_time(least[, "OpenMP"]),
                      without = show_time(least[, "plain"]), `of least times` = percent(least),
                      `of medians` = percent(middle), check.names = FALSE)
  c("One thread in a build with OpenMP and in one without (an R process each, in turns):", "",
    markdown_table(table),
    sprintf("Geometric mean of the least times: %+.1f%%.",
            100 * (geometric_mean(least[, "OpenMP"] / least[, "plain"]) - 1)), "")
}

# What is known to be the least number of errors, from all parts.
best_known <- function(data, depth, ...) {
  found <- unlist(lapply(list(...),
                         function(rows) rows$errors[rows$data == data & rows$depth == depth]))
  min(found, na.rm = TRUE)
}

anytime_lines <- function(rows, deep) {
  if (is.null(rows)) return(NULL)
  cases <- unique(rows[c("data", "depth")])
  cases$end <- if (settings$quick) 10 else 30
  cases$best <- mapply(best_known, cases$data, cases$depth, MoreArgs = list(rows, deep))
  integral <- function(case, solver, how) {
    moments <- rows[rows$data == case$data & rows$depth == case$depth, ]
    start <- moments$errors[moments$solver == "none"]
    moments <- moments[moments$solver == solver, ]
    moments <- moments[order(moments$time), ]
    if (nrow(moments)) how(moments$time, moments$errors, start, case$best, case$end) else NA_real_
  }
  each <- function(solver, how) {
    vapply(seq_len(nrow(cases)), function(i) integral(cases[i, ], solver, how), 0)
  }
  cases$contree <- each("contree", primal_integral)
  cases$peer <- each("pycontree", primal_integral)
  cases$peer_least <- each("pycontree", least_integral)
  at_end <- function(solver) vapply(seq_len(nrow(cases)), function(i) {
    x <- rows[rows$data == cases$data[i] & rows$depth == cases$depth[i] & rows$solver == solver, ]
    if (nrow(x)) paste0(min(x$errors), if (any(x$status == "optimal")) " (proven)" else "") else ""
  }, "")
  table <- data.frame(
    data = cases$data, depth = cases$depth, `best known` = cases$best,
    contree = at_end("contree"), pycontree = at_end("pycontree"),
    `integral of contree` = paste(signif(cases$contree, 3), "s"),
    `of pycontree` = ifelse(is.na(cases$peer), "", paste(signif(cases$peer, 3), "s")),
    ratio = show_ratio(cases$peer / cases$contree),
    `at least` = show_ratio(cases$peer_least / cases$contree), check.names = FALSE)
  c("## Good trees early", "",
    sprintf("Errors after %g s, and the area under (errors - best known) / best known from 0 to",
            cases$end[1]),
    sprintf("%g s; contree's from its history, pycontree's from runs with time limits, each tree",
            cases$end[1]),
    "counted from its limit on (`at least`: from the limit before on, the best that can be).", "",
    markdown_table(table),
    if (any(!is.na(cases$peer))) sprintf("Geometric mean of the ratios: %s, at least %s.",
                                         show_ratio(geometric_mean(cases$peer / cases$contree)),
                                         show_ratio(
                                           geometric_mean(cases$peer_least / cases$contree))), "",
    picture("anytime.png", 1650, 450 * ceiling(nrow(cases) / 2) + 100, plot_anytime, rows, cases))
}

deep_lines <- function(rows) {
  if (is.null(rows)) return(NULL)
  cases <- unique(rows[c("data", "depth", "rows", "features", "classes")])
  cases <- cases[order(cases$depth, cases$rows * cases$features), ]
  result <- function(solver, threads) vapply(seq_len(nrow(cases)), function(i) {
    x <- rows[rows$data == cases$data[i] & rows$depth == cases$depth[i] & rows$solver ==
              solver & rows$threads == threads, ]
    if (!nrow(x)) return("")
    x <- x[1, ]
    if (x$status == "optimal") return(format_seconds(x$seconds))
    bound <- if (is.na(x$bound)) "" else sprintf(", at least %g proven", x$bound)
    sprintf("stopped after %s: %g%s", format_seconds(x$seconds), x$errors, bound)
  }, "")
  proven <- vapply(seq_len(nrow(cases)), function(i) any(
    rows$status[rows$data == cases$data[i] & rows$depth == cases$depth[i] & rows$solver ==
                "contree"] == "optimal"), NA)
  best <- mapply(best_known, cases$data, cases$depth,
                 MoreArgs = list(rows[rows$solver == "contree", ]))
  table <- data.frame(data = cases$data, depth = cases$depth, rows = cases$rows,
                      features = cases$features, classes = cases$classes, errors = best,
                      proven = ifelse(proven, "yes", "no"), check.names = FALSE)
  for (threads in sort(unique(rows$threads[rows$solver == "contree"]))) {
    table[[if (threads == 1) "one thread" else paste(threads, "threads")]] <- result("contree",
                                                                                     threads)
  }
  if (any(rows$solver == "pycontree")) table$pycontree <- result("pycontree", 1)
  c("## Deep trees", "",
    "What is proven, and in what time; where a run was stopped, what it had found and proven.", "",
    markdown_table(table))
}

# ---- all ----

medians <- function(part, by) {
  rows <- read_record(settings, part)
  if (!is.null(rows)) median_runs(rows, by)
}
pairs <- medians("pairs", c("data", "depth"))
lines <- c(
  head_lines(pairs), pair_lines(pairs),
  greedy_lines(pairs, read_record(settings, "rpart"), read_record(settings, "streed")),
  held_out_lines(read_record(settings, "held_out")),
  small_lines(medians("small", "data"), read_record(settings, "call")),
  thread_lines(read_record(settings, "threads"), read_record(settings, "openmp")),
  anytime_lines(read_record(settings, "anytime"), read_record(settings, "deep")),
  deep_lines(read_record(settings, "deep")),
  scaling_lines(medians("scaling", c("curve", "rows", "features", "distinct", "depth"))))
file <- file.path(settings$out, "summary.md")
writeLines(lines, file)
cat(file, "\n", sep = "")
