# Sums over trees on a GPU: forge(device = ) and predict(device = ).

# The sums of rows, a column an output, on the device that is wanted or on the CPU.
sums_of_rows <- function(object, columns, threads, device) {
  if (is.null(device)) device <- device_wanted(object)
  number <- device_number(object, columns, threads, device)
  if (!is.null(number)) {
    sums <- call_forest(.Call(ffi_forged_device_predict, forged_code(object), text_to_run(object),
                              isTRUE(object$forest$exact_sums), columns, threads_to_use(threads),
                              number))
    if (is.matrix(sums)) return(sums)
    without_device(sums, device)
  }
  if (!is.null(object$schedule)) return(run_schedule(object, columns, threads))
  run_forged(forged_code(object), columns, FALSE, threads)
}

# The number of the device, -1 for the twin; NULL for the CPU. With "auto" a schedule says where it
# is to run, and few rows are never worth the question.
device_number <- function(object, columns, threads, device) {
  if (device == "cpu") return(NULL)
  if (device == "twin") return(-1L)
  if (device != "auto") return(as.integer(sub("cuda:", "", device, fixed = TRUE)))
  if (!is.null(object$schedule)) return(if (object$schedule$gpu) 0L)
  n_rows <- row_count(columns)
  if (n_rows > 512L && .Call(ffi_forged_device_pays, forged_code(object), as.double(n_rows),
                             threads_to_use(threads))) 0L
}

text_to_run <- function(object) {
  if (is.null(object$schedule)) "" else paste(object$schedule$text, collapse = "\n")
}

# What is asked for, and cannot be had, is an error when the forest is forged, not when it predicts.
open_device <- function(forged, device) {
  none <- matrix(0, 0L, forged$forest$ensemble$n_features)
  sums_of_rows(forged, none, 1L, device)
  invisible()
}

# `told`: what kept a device from it, c(kind, why). Returns if the CPU is to do it.
without_device <- function(told, device) {
  kind <- told[1L]
  if (kind == "lost") {
    warn_contree("without_gpu", gettextf("predictions were made without the GPU: %s", told[2L]))
  } else if (device != "auto") {
    if (kind == "open") stop_device(told[2L])
    stop_unsupported("device", gettextf(
      "'device' is \"%s\", but a GPU does not predict so: %s; use device = \"auto\" or \"cpu\"",
      device, told[2L]))
  }
  invisible()
}

# For `device` of predict(), which was given.
refuse_on_device <- function(type, device) {
  if (device %in% c("auto", "cpu") || !type %in% c("leaf", "contributions")) return(invisible())
  stop_unsupported("device", gettextf(
    "'device' is \"%s\", but type \"%s\" is computed on the CPU; use device = \"auto\" or \"cpu\"",
    device, type))
}

# Seconds that a forged forest with a schedule takes for rows that are on the GPU; NA if its text
# cannot be launched there.
device_seconds <- function(forged, columns, threads, device, seconds = 0.004) {
  number <- device_number(forged, columns, threads, device)
  told <- call_forest(.Call(ffi_forged_device_time, forged_code(forged), text_to_run(forged),
                            isTRUE(forged$forest$exact_sums), columns, threads_to_use(threads),
                            number, seconds))
  if (is.double(told)) return(told)
  if (told[1L] == "open") stop_device(told[2L])
  NA_real_
}
