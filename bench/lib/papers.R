# Tables beside those of the papers: a row a measurement, with the paper's figure where it is known,
# ours, the machine in general words, and the date. Rows are written as they come; a part that is
# measured again replaces its own. NOTE, if set, is added to the machine, as "with other work".

machine_in_words <- function() {
  info <- contree::contree_info()
  simd <- c(avx512 = "AVX-512", avx2 = "AVX2", neon = "NEON", scalar = "plain C")[[info$simd]]
  note <- Sys.getenv("NOTE")
  paste0(sprintf("%d core%s with %s", info$processors, if (info$processors > 1) "s" else "", simd),
         if (nzchar(note)) ", ", note)
}

paper_path <- function(paper) {
  file.path(Sys.getenv("OUT", "bench/results"), paste0("paper-", paper, ".csv"))
}

paper_begin <- function(paper, experiment) {
  path <- paper_path(paper)
  if (!file.exists(path)) return(invisible(path))
  rows <- utils::read.csv(path)
  utils::write.csv(rows[rows$experiment != experiment, ], path, row.names = FALSE)
}

paper_row <- function(paper, experiment, case, measure, ours, theirs = NA) {
  path <- paper_path(paper)
  row <- data.frame(experiment, case, measure, paper = theirs, ours = signif(ours, 4),
                    machine = machine_in_words(), date = format(Sys.Date()))
  exists <- file.exists(path)
  utils::write.table(row, path, append = exists, sep = ",", row.names = FALSE, col.names = !exists,
                     qmethod = "double")
  cat(sprintf("%-12s %-28s %-34s paper %8s  ours %g\n", experiment, case, measure, theirs, ours))
}
