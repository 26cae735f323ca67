# The instances of the C tests (tests/c/exact/instance.h says how they are written), as tables.

instance_files <- function(folder = "tests/instances") {
  list.files(folder, "[.]txt$", full.names = TRUE)
}

# A list of `data` and `depth`. What else an instance asks for (shortcuts, limits) is left out.
read_instance <- function(path) {
  lines <- grep("^\\s*(#|$)", readLines(path), value = TRUE, invert = TRUE)
  start <- match("data", lines)
  words <- strsplit(lines[seq_len(start - 1)], " ")
  setting <- function(name, default) {
    hit <- Find(function(line) line[1] == name, words)
    if (is.null(hit)) default else as.numeric(hit[2])
  }
  rows <- utils::read.table(text = lines[-seq_len(start)], colClasses = "numeric")
  rows <- rows[rep(seq_len(nrow(rows)), each = setting("copies", 1)), ]
  columns <- unname(as.list(rows[-1]))
  names(columns) <- paste0("x", seq_along(columns))
  list(data = as_table(as.integer(rows[[1]]), columns, max(rows[[1]]) + 1),
       depth = setting("depth", 3))
}
