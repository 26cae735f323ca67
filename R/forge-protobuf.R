# Messages of Protocol Buffers, which C takes apart (src/forge/protobuf.h): what ONNX is written in.

pb_message <- function(bytes) {
  fields <- pb_call(.Call(ffi_protobuf, bytes))
  fields$bytes <- bytes
  fields
}

pb_call <- function(expression) {
  tryCatch(expression, error = function(problem) {
    refuse_document(gettextf("it is not an ONNX model: %s", conditionMessage(problem)))
  })
}

# What the fields of that number hold: raw vectors.
pb_parts <- function(message, number) {
  lapply(which(message$number == number & message$wire == 2L), function(i) {
    if (message$size[i] == 0) raw() else
      message$bytes[message$start[i] + seq_len(message$size[i])]
  })
}

# Messages in messages, by the numbers of the fields that lead there; the first of each.
pb_inside <- function(message, ...) {
  for (number in c(...)) {
    parts <- pb_parts(message, number)
    if (!length(parts)) return(NULL)
    message <- pb_message(parts[[1]])
  }
  message
}

# Many messages at a time, since each call takes its time: those that lie one after the other and
# end behind these bytes are read as one, whose fields know their `owner`, the number of theirs.
pb_messages <- function(bytes, ends) {
  all <- pb_message(bytes)
  all$owner <- findInterval(all$start, c(0, ends), left.open = TRUE)
  if (any(all$start + all$size > ends[all$owner])) {
    refuse_document(gettext("its messages are longer than they say"))
  }
  all
}

# The messages in these fields of such, with the owners of the fields.
pb_within <- function(messages, number) {
  at <- which(messages$number == number & messages$wire == 2L)
  size <- messages$size[at]
  inner <- pb_messages(messages$bytes[sequence(size, messages$start[at] + 1)], cumsum(size))
  inner$owner <- messages$owner[at][inner$owner]
  inner
}

# By owner of 1 to n, the number in its field.
pb_of_owners <- function(messages, number, n, otherwise = NA) {
  at <- which(messages$number == number & messages$wire != 2L)
  replace(rep(otherwise, n), messages$owner[at], messages$value[at])
}

# By owner, the bytes in its field, a list.
pb_bytes_of_owners <- function(messages, number, n) {
  at <- which(messages$number == number & messages$wire == 2L)
  all <- vector("list", n)
  all[messages$owner[at]] <- lapply(at, function(i) {
    messages$bytes[messages$start[i] + seq_len(messages$size[i])]
  })
  all
}

# Numbers of that wire, one a field or packed.
pb_numbers <- function(message, number, wire) {
  packed <- pb_parts(message, number)
  if (length(packed)) {
    return(unlist(lapply(packed, function(part) pb_call(.Call(ffi_protobuf_packed, part, wire)))))
  }
  message$value[message$number == number & message$wire == wire]
}

pb_strings <- function(message, number) vapply(pb_parts(message, number), text_of, "")

# The last one counts; "" where there is none.
pb_string <- function(message, number) {
  said <- pb_strings(message, number)
  if (length(said)) said[length(said)] else ""
}

# ---- writing -------------------------------------------------------------------------------------

# Whole numbers from 0 to 2^35 - 1, seven bits a byte, the lowest first.
pb_varints <- function(x) {
  places <- 128^(0:4)
  there <- outer(places, x, function(place, x) place == 1 | x >= place)
  more <- rbind(there[-1, , drop = FALSE], FALSE)
  as.raw((outer(places, x, function(place, x) x %/% place %% 128) + 128 * more)[there])
}

# Fields of that number: messages are such, one after the other.
pb_whole <- function(number, x) c(pb_varints(8 * number), pb_varints(x))

pb_bytes <- function(number, bytes) {
  c(pb_varints(8 * number + 2), pb_varints(length(bytes)), bytes)
}

pb_texts <- function(number, texts) {
  each <- unique(texts)
  fields <- lapply(each, function(text) pb_bytes(number, charToRaw(enc2utf8(text))))
  unlist(fields[match(texts, each)])
}

# Packed.
pb_wholes <- function(number, x) pb_bytes(number, pb_varints(x))

pb_reals <- function(number, x, size) {
  pb_bytes(number, writeBin(as.numeric(x), raw(), size, endian = "little"))
}
