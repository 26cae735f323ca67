# The listings of ARCHITECTURE.md: a line a file, the first sentence of its head. Rscript
# tools/map.R, from the package's folder; tools/lint.R says when they are out of date.
#
# A listing follows each heading `### folder/` and `### R/prefix-*`. A header stands for the C file
# of its name, but in the glue the C file for its header. Files without a head are builds of a
# header for one instruction set, or the choice among them, and are listed with it.

# The first sentence of the comment that a file begins with, or "".
first_sentence <- function(path) {
  lines <- readLines(path, encoding = "UTF-8", warn = FALSE)
  comment <- if (grepl("[.]R$", path)) {
    sub("^#'? ?", "", lines[cumall(startsWith(lines, "#"))])
  } else {
    start <- grep("^/\\*", lines)[1]
    before <- lines[seq_len(max(start - 1, 0, na.rm = TRUE))]
    flags <- "^$|^#include .base/(optimised|unguarded).h"
    if (is.na(start) || !all(grepl(flags, before))) return("")
    block <- lines[start:(start - 1 + grep("\\*/", lines[start:length(lines)])[1])]
    trimws(sub("^/?\\*", "", trimws(sub("\\*/.*", "", block))))
  }
  text <- paste(comment[cumall(nzchar(comment))], collapse = " ")
  sub("^(.*?[^l][.])( +[A-Z`].*)?$", "\\1", text, perl = TRUE)
}
cumall <- function(is) cumsum(!is) == 0

of_room <- function(room) {
  if (startsWith(room, "R/")) return(Sys.glob(paste0(sub("[*]$", "", room), "*.R")))
  list.files(sub("/$", "", room), "[.](c|h|cu|cuh)$", full.names = TRUE)
}

# "scan_avx2.c" is listed with "scan.h".
family <- function(path) sub("_[^_]*$", "", sub("[.][a-z]+$", "", path))

listing <- function(room) {
  files <- of_room(room)
  stems <- sub("[.][a-z]+$", "", files)
  later <- if (room == "src/r/") "[.]h$" else "[.]c$"
  files <- files[order(stems, grepl(later, files))]
  sentences <- vapply(files, first_sentence, "")
  stems <- sub("[.][a-z]+$", "", files)
  said <- nzchar(sentences) & !duplicated(paste(stems, nzchar(sentences)))
  with <- vapply(files[said], function(file) {
    stem <- sub("[.][a-z]+$", "", file)
    paste(sort(unique(sub(".*_", "", setdiff(stems[family(files) == stem], stems[said])))),
          collapse = " ")
  }, "")
  silent <- files[!stems %in% stems[said] & !family(files) %in% stems[said]]
  if (length(silent)) stop(silent[1], " begins with no sentence, and belongs to no header")
  names <- sub(sub("/$", "/", sub("[^/]*$", "", room)), "", stems[said], fixed = TRUE)
  texts <- paste0(sentences[said], ifelse(nzchar(with), paste0(" (", with, ")"), ""))
  width <- max(nchar(names)) + 2
  unlist(Map(function(name, text) {
    lines <- strwrap(text, 95 - width)
    paste0("    ", formatC(c(name, rep("", length(lines) - 1)), width = -width), lines)
  }, names, texts), use.names = FALSE)
}

# All lines of ARCHITECTURE.md, with listings as the files have them.
map <- function() {
  lines <- readLines("ARCHITECTURE.md", encoding = "UTF-8")
  rooms <- grep("^### `(src|R)/", lines)
  for (at in rev(rooms)) {
    room <- sub("^### `([^`]*)`.*", "\\1", lines[at])
    rest <- lines[-seq_len(at)]
    old <- cumsum(!grepl("^(    .*)?$", rest)) == 0
    lines <- c(lines[seq_len(at)], "", listing(room), "", rest[!old])
  }
  listed <- unlist(lapply(sub("^### `([^`]*)`.*", "\\1", lines[grep("^### `(src|R)/", lines)]),
                          of_room))
  there <- c(list.files("R", full.names = TRUE),
             list.files("src", "[.](c|h|cu|cuh)$", full.names = TRUE, recursive = TRUE))
  if (length(missing <- setdiff(there, listed))) {
    stop("ARCHITECTURE.md has no room for ", missing[1])
  }
  lines
}

if (sys.nframe() == 0) writeLines(map(), "ARCHITECTURE.md", useBytes = TRUE)
