# Coded columns: two bytes a row in place of eight, for tables that would not fit otherwise.
#
# A coded column is a list of class contree_coded of
#   codes   raw vector, for each row the number of its level from 0, in two bytes as C has them
#   levels  the values, in any order; NA is missing. At most `most_codes`.
# The search and the forest take columns so (see plain_codes()). Whatever is done to the values of a
# column is done to its levels; the codes are never copied.

most_codes <- 65536L

new_coded <- function(codes, levels) {
  structure(list(codes = codes, levels = levels), class = "contree_coded")
}

is_coded <- function(x) inherits(x, "contree_coded")

as_codes <- function(numbers) writeBin(numbers - 1L, raw(), size = 2L)

# The number of the level of each row, from 1.
code_numbers <- function(codes) {
  readBin(codes, "integer", length(codes) / 2, size = 2L, signed = FALSE) + 1L
}

# Row by row, also of a column that is not coded; or the values without their rows, if it is.
column_values <- function(x) if (is_coded(x)) x$levels[code_numbers(x$codes)] else x
column_levels <- function(x) if (is_coded(x)) x$levels else x

column_length <- function(x) if (is_coded(x)) length(x$codes) / 2 else length(x)

has_missing <- function(x) anyNA(column_levels(x))

# `derive` makes a list of columns of the values of one.
by_levels <- function(x, derive) {
  if (!is_coded(x)) return(derive(x))
  lapply(derive(x$levels), function(levels) new_coded(x$codes, levels))
}

# Columns as C takes them, see r_training_columns_of().
plain_codes <- function(columns) {
  if (is.matrix(columns)) return(columns)
  coded <- vapply(columns, is_coded, NA)
  columns[coded] <- lapply(columns[coded], function(x) list(x$codes, as.double(unclass(x$levels))))
  columns
}

# Some rows of a column.
keep_rows <- function(x, rows) {
  if (!is_coded(x)) return(x[rows])
  dim(x$codes) <- c(2L, length(x$codes) %/% 2L)
  x$codes <- as.vector(x$codes[, rows])
  x
}

# As rows_of_split(): `ends` are the node, the last node of its left child, and of its right one.
coded_rows_of_split <- function(x, where, ends, repeats) {
  n <- .Call(ffi_coded_sides, x$codes, length(x$levels), where, as.integer(ends), repeats)
  left <- rep(c(TRUE, FALSE), each = nrow(n))
  there <- which(n > 0)
  list(x = rep(unclass(x$levels), 2)[there], left = left[there], n = n[there])
}

# How often each of 1 .. n is among `places`; each stands for `repeats` rows, NULL for 1.
count_places <- function(places, n, repeats) {
  if (is.null(repeats)) return(tabulate(places, n))
  sums <- rowsum(as.double(repeats), places)
  replace(numeric(n), as.integer(rownames(sums)), sums)
}

# ---- made chunk by chunk -------------------------------------------------------------------------

# A column that is read: give it chunks, then ask for the column. A column of more than `most`
# levels is not coded.
new_column_reader <- function(label, most = most_codes) {
  pieces <- list()
  known <- NULL
  coded <- TRUE
  push <- function(values) {
    values <- check_same_kind(known, read_chunk(values, label), label)
    if (!coded) {
      pieces[[length(pieces) + 1]] <<- values
      return(invisible())
    }
    numbers <- match(values, known)
    if (is.null(known) || anyNA(numbers)) {
      known <<- join_levels(known, values, numbers)
      numbers <- match(values, known)
    }
    if (length(known) > most) {
      pieces <<- c(lapply(pieces, function(codes) known[code_numbers(codes)]), list(values))
      coded <<- FALSE
    } else {
      pieces[[length(pieces) + 1]] <<- as_codes(numbers)
    }
    invisible()
  }
  column <- function() {
    all <- do.call(c, pieces)
    pieces <<- list() # not twice in memory
    if (coded) new_coded(all, known) else all
  }
  list(push = push, column = column)
}

# A factor has all of its levels, whichever rows there are.
join_levels <- function(known, values, numbers) {
  if (is.null(known) && is.factor(values)) {
    known <- factor(levels(values), levels(values), ordered = is.ordered(values))
    numbers <- match(values, known)
  }
  new <- unique(values[is.na(numbers)])
  if (is.null(known)) new else c(known, new)
}

# Values as a database driver gives them. Large whole numbers become doubles if these have them all.
read_chunk <- function(values, label) {
  if (inherits(values, "integer64")) {
    need_package("bit64", gettext("a column of 64-bit integers"))
    numbers <- suppressWarnings(as.double(bit64::as.double.integer64(values))) # of lost digits
    if (any(abs(numbers) >= 2^53, na.rm = TRUE)) {
      stop_input(label, gettextf("column '%s' has whole numbers of 2^53 or more", label),
                 gettext("cast it to a floating-point type or to text in a view"))
    }
    return(numbers)
  }
  if (is.na(column_type(values))) refuse_table_column(values, label)
  if (is.factor(values)) check_factor(values, label)
  values
}

refuse_table_column <- function(values, label) {
  stop_input(label, gettextf("column '%s' is read as %s, but must be numbers, text, dates or times",
                             label, describe_type(values)),
             gettext("cast it in a view, or leave it out of the formula"))
}

kind_of_values <- function(values) {
  type <- column_type(values)
  if (type %in% number_types) "numbers" else if (type == "character") "text" else type
}

# A chunk without values fits any kind.
check_same_kind <- function(known, values, label) {
  if (is.null(known) || all(is.na(known)) || all(is.na(values)) ||
      kind_of_values(known) == kind_of_values(values)) return(values)
  stop_input(label, gettextf("column '%s' has %s as well as %s", label, kind_of_values(known),
                             kind_of_values(values)),
             gettext("cast it to one type in a view"))
}

# ---- memory --------------------------------------------------------------------------------------

# Rows from which on what R has not collected yet takes tens of megabytes, and collecting it no time
# beside the work.
many_rows <- 1e6

# Before work that takes memory of its own, of which R's collector does not know.
make_room <- function(frame) {
  if (length(frame$response) <= many_rows) return(invisible())
  gc(full = !is.null(frame$table))
  .Call(ffi_trim)
}
