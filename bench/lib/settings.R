# What run.sh was asked for, as a list.

bench_settings <- function() {
  quick <- nzchar(Sys.getenv("QUICK"))
  text <- function(name, default) if (nzchar(value <- Sys.getenv(name))) value else default
  list(
    quick = quick,
    out = text("OUT", if (quick) "build/bench" else "bench/results"),
    resume = nzchar(Sys.getenv("RESUME")),
    cases = strsplit(Sys.getenv("CASES"), "[ ,]+")[[1]],
    limit = as.numeric(text("LIMIT", if (quick) 60 else 900)),
    budget = as.numeric(text("BUDGET", if (quick) 20 else 900)),
    deep_limit = as.numeric(text("DEEP", if (quick) 5 else 60)),
    deep_threads = as.numeric(strsplit(text("THREADS", "1 2"), "[ ,]+")[[1]]),
    # A case is repeated for about so many seconds, but no more often than that.
    repeat_seconds = as.numeric(text("REPEAT", if (quick) 4 else 60)),
    most_repeats = if (quick) 7 else 21)
}

# Of a table of cases, those that CASES names, as name:depth; all where it names none.
asked_cases <- function(cases, name, settings) {
  if (!length(settings$cases)) return(cases)
  cases[paste(cases[[name]], cases$depth, sep = ":") %in% settings$cases, ]
}
