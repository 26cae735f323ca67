# Universal Binary JSON, as XGBoost writes it: values have a letter for their type, numbers have
# their highest byte first. Nothing is believed: lengths are held against what is left of the bytes.

parse_ubj <- function(bytes) {
  at <- new.env(parent = emptyenv())
  at$bytes <- bytes
  at$next_byte <- 1
  ubj_value(at, ubj_letter(at), 0L)
}

ubj_take <- function(at, n) {
  if (n < 0 || n > length(at$bytes) - at$next_byte + 1) {
    refuse_document(gettext("it ends too early"))
  }
  from <- at$next_byte
  at$next_byte <- from + n
  if (n == 0) raw() else at$bytes[from + seq_len(n) - 1]
}

ubj_letter <- function(at) letter_of(ubj_take(at, 1))

letter_of <- function(byte) if (byte > as.raw(0) && byte < as.raw(128)) rawToChar(byte) else ""

ubj_peek <- function(at) {
  if (at$next_byte > length(at$bytes)) "" else letter_of(at$bytes[at$next_byte])
}

ubj_sizes <- c(i = 1, U = 1, I = 2, l = 4, L = 8, d = 4, D = 8)

ubj_numbers <- function(at, type, n) {
  size <- ubj_sizes[type]
  if (is.na(size)) refuse_document(gettextf("it has numbers of the type %s", show_value(type)))
  bytes <- ubj_take(at, n * size)
  switch(type, i = readBin(bytes, "integer", n, 1L), U = as.integer(bytes),
         I = readBin(bytes, "integer", n, 2L, endian = "big"),
         l = readBin(bytes, "integer", n, 4L, endian = "big"), L = ubj_long(bytes, n),
         readBin(bytes, "double", n, size, endian = "big"))
}

# Integers of 64 bits as doubles, exact to 2^53.
ubj_long <- function(bytes, n) {
  halves <- matrix(readBin(bytes, "integer", 2 * n, 4L, endian = "big"), 2)
  low <- ifelse(is.na(halves[2, ]), 2^31, halves[2, ] %% 2^32)
  ifelse(is.na(halves[1, ]), -2^31, halves[1, ]) * 2^32 + low
}

ubj_length <- function(at) {
  n <- ubj_numbers(at, ubj_letter(at), 1)
  if (is.na(n) || n < 0) refuse_document(gettext("it has a length below 0"))
  n
}

ubj_string <- function(at) {
  text_of(ubj_take(at, ubj_length(at)))
}

ubj_value <- function(at, type, depth) {
  if (depth > deepest_document) refuse_document(gettext("its parts are nested too deeply"))
  if (type %in% names(ubj_sizes)) return(ubj_numbers(at, type, 1))
  switch(type, S = ubj_string(at), C = ubj_letter(at), "T" = TRUE, "F" = FALSE, Z = NULL,
         "[" = ubj_array(at, depth), "{" = ubj_object(at, depth),
         refuse_document(gettextf("it has a value of the type %s", show_value(type))))
}

# list(type, n) of what is in brackets; NULL where it is not said.
ubj_header <- function(at) {
  type <- n <- NULL
  if (ubj_peek(at) == "$") {
    ubj_take(at, 1)
    type <- ubj_letter(at)
  }
  if (ubj_peek(at) == "#") {
    ubj_take(at, 1)
    n <- ubj_length(at)
  }
  if (!is.null(type) && is.null(n)) refuse_document(gettext("it has a typed array of no length"))
  list(type = type, n = n)
}

ubj_array <- function(at, depth) {
  header <- ubj_header(at)
  if (!is.null(header$type) && header$type %in% names(ubj_sizes)) {
    return(ubj_numbers(at, header$type, header$n))
  }
  # each element has a byte at least
  if (!is.null(header$n) && header$n > length(at$bytes)) ubj_take(at, header$n)
  values <- list()
  repeat {
    if (is.null(header$n) && ubj_peek(at) == "]") break
    if (!is.null(header$n) && length(values) >= header$n) break
    type <- if (is.null(header$type)) ubj_letter(at) else header$type
    values[length(values) + 1L] <- list(ubj_value(at, type, depth + 1L))
  }
  if (is.null(header$n)) ubj_take(at, 1)
  plain <- vapply(values, function(value) is.numeric(value) && length(value) == 1, NA)
  if (length(values) && all(plain)) unlist(values) else values
}

ubj_object <- function(at, depth) {
  header <- ubj_header(at)
  values <- list()
  count <- 0
  repeat {
    if (is.null(header$n) && ubj_peek(at) == "}") break
    if (!is.null(header$n) && count >= header$n) break
    name <- ubj_string(at)
    if (!nzchar(name)) refuse_document(gettext("it has a part without a name"))
    type <- if (is.null(header$type)) ubj_letter(at) else header$type
    values[name] <- list(ubj_value(at, type, depth + 1L))
    count <- count + 1
  }
  if (is.null(header$n)) ubj_take(at, 1)
  values
}
