# What the package was built with, what the machine offers, and which device a search is to use.

#' @rdname contree_info
#' @export
contree_gpu <- function() {
  found <- tryCatch(.Call(ffi_gpu_info), error = function(problem) {
    list(compiled = FALSE, available = FALSE, reason = conditionMessage(problem))
  })
  or_na <- function(value, none) if (length(value)) value else none
  data.frame(built = found$compiled, available = found$available, reason = found$reason,
             device = or_na(found$device, NA_integer_), name = or_na(found$name, NA_character_),
             memory = or_na(found$memory, NA_real_),
             capability = or_na(found$capability, NA_character_))
}

#' Threads, vector instructions and GPUs
#'
#' `contree_info()` reports how the package was built and which vector instructions the search uses;
#' `contree_gpu()` whether the package was built with CUDA and whether a GPU can be used, and if
#' not, why. Neither raises an error.
#'
#' @section Vector instructions:
#' The search uses the best instructions that the machine supports; `options(contree.simd = )` or,
#' if that is not set, the environment variable `CONTREE_SIMD` selects others: `"avx512"` and
#' `"avx2"` on x86-64, `"neon"` on 64-bit ARM, `"scalar"` (plain C) everywhere, or `"auto"`, the
#' default. The trees are the same with all of them; only the time differs. [contree()] raises an
#' error for instructions that are not available.
#'
#' @order 1
#' @return `contree_info()`: a list of class `contree_info`: `version` of the package, `simd`
#'   (vector instructions in use; `NA` if those requested are not available), `simd_available` (the
#'   best first), `openmp` and `cuda` (logical: was the package built with them?), `threads`
#'   (default number of threads of a search; one without OpenMP) and `processors` (maximum number of
#'   threads). It has a `print()` method.
#'
#'   `contree_gpu()`: a data frame with one row for each GPU, or one row with `NA` in the last four
#'   columns if there is none: `built` (logical, was the package built with CUDA?), `available`
#'   (logical, can a GPU be used?), `reason` (why not; empty if it can), `device` (integer, number
#'   of the GPU), `name`, `memory` (bytes), `capability` (compute capability, as in `"9.0"`).
#' @seealso `threads` and `device` in [contree_control()], `fit$threads` in [contree.object]
#' @examples
#' contree_info()
#' contree_gpu()
#' @export
contree_info <- function() {
  info <- .Call(ffi_info)
  structure(list(version = as.character(getNamespaceVersion("contree")),
                 simd = simd_in_use(info$simd_available),
                 simd_available = info$simd_available, openmp = info$openmp,
                 cuda = info$cuda_compiled,
                 threads = contree_threads(), processors = most_threads()),
            class = "contree_info")
}

# The vector instructions asked for, by option or variable.
simd_wanted <- function() {
  level <- Sys.getenv("CONTREE_SIMD")
  getOption("contree.simd", if (nzchar(level)) level else "auto")
}

simd_in_use <- function(available) {
  wanted <- simd_wanted()
  if (identical(wanted, "auto")) available[1] else available[match(wanted[1], available)]
}

#' @export
print.contree_info <- function(x, ...) {
  yes_no <- function(flag) if (flag) gettext("yes") else gettext("no")
  cat("contree ", x$version, "\n",
      gettextf("vector instructions: %s (of %s)", x$simd, paste(x$simd_available, collapse = ", ")),
      "\n",
      gettextf("OpenMP: %s",
               if (x$openmp) yes_no(TRUE) else gettext("no, so searches use one thread")), "\n",
      gettextf("threads: %d (of at most %d)", x$threads, x$processors), "\n",
      gettextf("CUDA: %s", yes_no(x$cuda)), "\n", sep = "")
  invisible(x)
}

# ---- the device of a search ----------------------------------------------------------------------

# "auto", "cpu" or "cuda:<number>". The twin runs the GPU's part of the search on the CPU, slowly,
# for tests alone (option contree.twin).
check_device <- function(value) {
  if (identical(value, c("auto", "cpu", "cuda"))) return("auto")
  if (is.character(value) && length(value) == 1 && !is.na(value)) {
    if (value %in% c("auto", "cpu") || grepl("^cuda:[0-9]{1,4}$", value)) return(value)
    if (value == "cuda") return("cuda:0")
    if (value == "twin" && isTRUE(getOption("contree.twin"))) return(value)
  }
  stop_input("device", gettextf(
    "'device' must be \"auto\", \"cpu\", \"cuda\" or the number of a GPU as in \"cuda:1\", not %s",
    show_value(value)))
}

# Forged forests have one only if it was asked for.
device_wanted <- function(settings) if (is.null(settings$device)) "auto" else settings$device

stop_device <- function(why) {
  stop_input("device", gettextf("the GPU given as 'device' cannot be used: %s", why),
             gettext("use device = \"auto\" or \"cpu\"; contree_gpu() lists the GPUs"))
}

# Said once a fit: why a device was not used, or not to the end.
tell_device <- function(solved) {
  tell_without_gpu(gettext("the search ran on without the GPU"), solved$device_note)
}

tell_without_gpu <- function(what, why) {
  if (nzchar(why)) tell_contree(paste0(what, ": ", why))
}
