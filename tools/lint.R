# The text of the package: style (.lintr), spelling (inst/WORDLIST), help pages. Rscript
# tools/lint.R, from the package's folder.
#
# What R CMD check looks at as well, undefined names above all, is left to it. Ends with `lint: N
# passed, N failed`.

# Each check returns what it found, one line each.
checks <- list(
  style = function() {
    as_text <- function(lint) sprintf("%s:%d: %s", lint$filename, lint$line_number, lint$message)
    vapply(lintr::lint_package(), as_text, "")
  },
  spelling = function() {
    words <- spelling::spell_check_package()
    if (nrow(words)) sprintf("%s: %s", vapply(words$found, paste, "", collapse = ", "), words$word)
  },
  help = function() unlist(lapply(pages, function(page) as.character(tools::checkRd(page)))),
  examples = function() {
    with_example <- vapply(pages, function(page) "\\examples" %in% tags(page), NA)
    exported <- sub("^export\\((.*)\\)$", "\\1",
                    grep("^export\\(", readLines("NAMESPACE"), value = TRUE))
    lacking <- setdiff(exported, unlist(lapply(pages[with_example], aliases)))
    if (length(lacking)) paste0(lacking, "() has no example")
  },
  # The last of two functions of one name is the one that all call.
  twice = function() {
    defined <- lapply(list.files("R", full.names = TRUE), function(file) {
      grep("^[A-Za-z.][A-Za-z0-9._]* <- ", readLines(file), value = TRUE)
    })
    names <- sub(" <- .*", "", unlist(defined))
    sprintf("%s is defined twice in R/", unique(names[duplicated(names)]))
  },
  # Lines of at most 100 columns, but for tables, the options of chunks, and what is made or quoted.
  width = function() {
    files <- system2("git", c("ls-files", "-co", "--exclude-standard"), stdout = TRUE)
    apart <- paste0("^(man|bench/results|tests/(c/fuzz/corpus|instances))/|",
                    "^(tests/testthat/(_snaps|fixtures)|inst/extdata)/|shared.sed$|[.]png$|",
                    "^(tests/c/mutants.txt|tests/may_skip.txt)$")
    too_long <- function(file) {
      lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
      at <- which(nchar(lines) > 100 & !grepl("^([|]|```)", lines))
      if (length(at)) sprintf("%s:%d: more than 100 columns", file, at)
    }
    unlist(lapply(Filter(file.exists, grep(apart, files, value = TRUE, invert = TRUE)), too_long))
  },
  # In C a comment behind code ends on its line, else it stands above; declarations are not broken
  # behind their type.
  comments = function() {
    look <- function(lines) {
      behind <- sub("^.*/[*]", "", lines)
      open <- grepl("^ *[^ */\"].*/[*]", lines) & !grepl("[*]/", behind) &
        !grepl("[\\\\]$", lines)
      type <- "((u?int[0-9]+|size|ct_[a-z0-9_]+)(_t)?|unsigned|double|float|char|int|void)"
      which(open | grepl(paste0("^ +((static|const|unsigned) )*(struct )?", type, "$"), lines))
    }
    planted <- c("    int a; /* runs", "              over */", "    const uint8_t", "        *b;",
                 "    int c; /* ends */", "    /* above", "     * it */", "    int d;",
                 "    ct_cut", "        e;")
    if (!identical(look(planted), c(1L, 3L, 9L))) return("the check itself is broken")
    files <- system2("git", c("ls-files", "src/*.[ch]", "src/*.cu*", "tests/c/*.[ch]"),
                     stdout = TRUE)
    unlist(lapply(Filter(file.exists, files), function(file) {
      at <- look(readLines(file, encoding = "UTF-8", warn = FALSE))
      if (length(at)) sprintf("%s:%d: a comment or a declaration that is broken", file, at)
    }))
  },
  # No name of a type, a function or a constant in headers of C means two things in two rooms.
  shared = function() {
    look <- function(text) {
      text <- gsub("(?s)/[*].*?[*]/", "", text, perl = TRUE)
      all <- function(pattern, text) unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE)))
      unique(c(all("(?m)^\\} \\Kct_\\w+(?=;)", text), all("(?m)^typedef .*[(][*]\\Kct_\\w+", text),
               all("(?m)^[A-Za-z][\\w *]*?\\b\\Kct_\\w+(?=[(])", text),
               all("[{,]\\s*\\KCT_\\w+", all("(?s)enum[^;{(]*[{].*?[}]", text))))
    }
    planted <- paste("enum { CT_A, CT_B = CT_C };", "typedef struct {", "    int ct_d;", "} ct_e;",
                     "static inline int ct_f(void) { return ct_g(); }", "/*", "int ct_h(void); */",
                     "typedef int (*ct_i)(void);", sep = "\n")
    if (!setequal(look(planted), c("ct_e", "ct_i", "ct_f", "CT_A", "CT_B"))) {
      return("the check itself is broken")
    }
    files <- list.files("src", "[.]h$", recursive = TRUE, full.names = TRUE)
    names <- lapply(files, function(file) look(paste(readLines(file), collapse = "\n")))
    room <- rep(dirname(files), lengths(names))
    found <- unique(data.frame(room, name = unlist(names)))
    rooms <- tapply(found$room, found$name, paste, collapse = " and ")
    twice <- rooms[table(found$name)[names(rooms)] > 1]
    sprintf("%s is in %s", names(twice), twice)
  },
  # The listings of ARCHITECTURE.md are first sentences of files, and what it names is there.
  architecture = function() {
    tool <- new.env()
    sys.source("tools/map.R", tool)
    lines <- readLines("ARCHITECTURE.md", encoding = "UTF-8")
    named <- unlist(regmatches(lines, gregexpr("`[a-z_/]*[a-z_]+[-a-z_]*[.](c|h|cu|R|sh)`", lines)))
    named <- unique(basename(gsub("`", "", named)))
    files <- basename(list.files(c("R", "src", "tools", "tests"), recursive = TRUE))
    c(if (!identical(tool$map(), lines)) "ARCHITECTURE.md: Rscript tools/map.R writes it anew",
      sprintf("ARCHITECTURE.md names %s, which is not there", setdiff(named, files)))
  },
  site = function() {
    site <- yaml::read_yaml("_pkgdown.yml")
    listed <- unlist(c(lapply(site$reference, `[[`, "contents"),
                       lapply(site$articles, `[[`, "contents")))
    there <- c(tools::file_path_sans_ext(basename(pages)),
               tools::file_path_sans_ext(list.files("vignettes", "[.]Rmd$")))
    c(sprintf("%s is not in _pkgdown.yml", setdiff(there, listed)),
      sprintf("%s of _pkgdown.yml is not there", setdiff(listed, there)))
  })

pages <- list.files("man", "[.]Rd$", full.names = TRUE)
tags <- function(page) {
  vapply(tools::parse_Rd(page), function(part) as.character(attr(part, "Rd_tag")), "")
}
aliases <- function(page) unlist(tools::parse_Rd(page)[tags(page) == "\\alias"])

found <- lapply(checks, function(check) check())
for (name in names(found)) {
  if (length(found[[name]])) cat(paste0(name, ": ", found[[name]]), sep = "\n")
}
failed <- sum(lengths(found) > 0)
cat(sprintf("lint: %d passed, %d failed\n", length(found) - failed, failed))
quit(status = as.integer(failed > 0))
