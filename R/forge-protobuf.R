# Messages of Protocol Buffers, which C takes apart (src/forge/protobuf.h): what ONNX is written in.

pb_message <- function(bytes) {
  fields <- pb_call(.Call(ffi_protobuf, bytes))
  fields$bytes <- bytes
  fields
}

pb_call <- function(expression) {
  tryCatch(expression, error = function(problem) {
    refuse_document(gettextf("it is no ONNX: %s", conditionMessage(problem)))
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
