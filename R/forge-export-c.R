# as_c() of imported and forged forests: their nodes as a table, and a walk through it.

#' @rdname as_c
#' @export
as_c.forged_forest <- function(fit, name = "contree_predict", ...) as_c(fit$forest, name, ...)

#' @rdname as_c
#' @export
as_c.forest_ir <- function(fit, name = "contree_predict", ...) {
  check_no_dots(...)
  check_c_name(name)
  refuse_models("as_c()", fit)
  if (length(fit$complete_for)) {
    refuse_format("as_c()", gettext("categories that may not be missing"))
  }
  e <- fit$ensemble
  text <- c(
    sprintf("/* %d trees, made by the R package contree. */", n_forest_trees(fit)),
    "#include <math.h>", "#include <stdint.h>", "#include <string.h>", "",
    forest_c_tables(e, name), forest_c_walk(needs_values(fit)),
    if (fit$link == "shares") forest_c_shares, "}", "")
  words <- c(NAME = name, N_TREES = n_forest_trees(fit), N_OUTPUTS = n_forest_outputs(fit),
             WIDTH = ncol(e$values), NUMBER = e$number, SUM = e$sum, LESS = e$less,
             LOWEST = if (e$minus_fraction) "x <= -1" else "x < 0",
             DIVISOR = sprintf("%a", e$divisor))
  for (word in names(words)) text <- gsub(paste0("@", word, "@"), words[[word]], text, fixed = TRUE)
  new_code(paste(text, collapse = "\n"))
}

# Three words of 64 bits a node. 1: the bits of the threshold, of the value of a leaf, or the number
# of a leaf's row of values; or the first bit of a set and how many it has. 2: the children. 3: the
# feature, and flags.
forest_c_tables <- function(e, name) {
  leaf <- e$feature == 0L
  in_set <- !leaf & e$set > 0L
  terms <- forest_terms(e)
  wide <- ncol(terms) > 1L
  first <- hex_of_doubles(ifelse(leaf, if (wide) 0 else terms[, 1], e$threshold))
  if (wide) first[leaf] <- sprintf("%016x", seq_len(sum(leaf)) - 1L)
  size <- lengths(e$sets)
  start <- cumsum(c(0, size))[seq_along(size)]
  first[in_set] <- sprintf("%08x%08x", as.integer(start[e$set[in_set]]), size[e$set[in_set]])
  none <- function(child) replace(child - 1L, leaf, 0L)
  beyond <- logical(length(leaf))
  beyond[in_set] <- e$set_else[e$set[in_set]]
  flags <- e$default_left + 2L * e$missing + 8L * in_set + 16L * beyond + 32L * leaf
  table <- rbind(first, sprintf("%08x%08x", none(e$left), none(e$right)),
                 sprintf("%08x%08x", flags, pmax(e$feature - 1L, 0L)))
  c(c_words("uint64_t", "@NAME@_nodes", paste0("0x", table, "u")),
    c_words("uint32_t", "@NAME@_roots", e$roots - 1L),
    c_words("uint32_t", "@NAME@_output", e$output - 1L),
    c_words("uint64_t", "@NAME@_values",
            paste0("0x", hex_of_doubles(if (wide) t(terms[leaf, , drop = FALSE]) else 0), "u")),
    c_words("double", "@NAME@_base", sprintf("%a", e$base)),
    c_words("uint8_t", "@NAME@_sets", set_bytes(unlist(e$sets))))
}

c_words <- function(type, name, words) {
  rows <- split(words, (seq_along(words) - 1L) %/% 4L)
  c(sprintf("static const %s %s[] = {", type, name),
    vapply(rows, function(row) paste0("    ", paste(row, collapse = ", "), ","), "",
           USE.NAMES = FALSE), "};", "")
}

hex_of_doubles <- function(x) {
  bytes <- matrix(as.character(writeBin(as.numeric(x), raw(), endian = "big")), 8)
  do.call(paste0, lapply(1:8, function(i) bytes[i, ]))
}

# Lowest bit first; at least one byte.
set_bytes <- function(bits) {
  bits <- c(as.logical(bits), logical(8L - length(bits) %% 8L))
  as.integer(packBits(bits))
}

# The definition in src/forge/interpret.c, in C99. `complete`: where a node asks for a missing value
# there is no answer.
forest_c_walk <- function(complete) c(
  "static double @NAME@_number(uint64_t bits)", "{", "    double x;",
  "    memcpy(&x, &bits, sizeof x);", "    return x;", "}", "",
  "static int @NAME@_left(const uint64_t *node, double value)", "{",
  "    uint32_t flags = (uint32_t) (node[2] >> 32);", "    double x = (@NUMBER@) value;",
  "    if (isnan(x)) {", "        if (flags & 6) return flags & 1;",
  "        if (flags & 8) return flags >> 4 & 1;", "        x = 0;", "    }",
  "    if (flags & 8) {",
  "        uint32_t first = (uint32_t) (node[0] >> 32), size = (uint32_t) node[0];",
  "        if (@LOWEST@ || x >= size) return flags >> 4 & 1;",
  "        first += x > 0 ? (uint32_t) x : 0;",
  "        return @NAME@_sets[first / 8] >> (first % 8) & 1;", "    }",
  "    if ((flags & 6) == 4 && fabs(x) <= (double) 1e-35f) return flags & 1;",
  "    return x @LESS@ @NAME@_number(node[0]);", "}", "",
  "/* x holds all features in order, a missing one as NAN; margin gets @N_OUTPUTS@ numbers,",
  if (complete) {
    " * NAN where the model has no answer, since a value is missing that its trees ask for. */"
  } else {
    " * of a row without missing values or with them. */"
  },
  "void @NAME@(const double *x, double *margin)", "{", "    @SUM@ sum[@N_OUTPUTS@];",
  "    for (int k = 0; k < @N_OUTPUTS@; k++) sum[k] = (@SUM@) @NAME@_base[k];",
  "    for (int t = 0; t < @N_TREES@; t++) {",
  "        const uint64_t *node = @NAME@_nodes + 3 * (uint64_t) @NAME@_roots[t];",
  "        while (!(node[2] >> 37 & 1)) {",
  "            double value = x[(uint32_t) node[2]];",
  if (complete) c("            if (isnan(value)) {",
                  "                for (int k = 0; k < @N_OUTPUTS@; k++) margin[k] = NAN;",
                  "                return;", "            }"),
  "            int left = @NAME@_left(node, value);",
  "            uint64_t child = left ? node[1] >> 32 : node[1] & 0xffffffffu;",
  "            node = @NAME@_nodes + 3 * child;", "        }",
  "        for (int k = 0; k < @WIDTH@; k++) {",
  "            uint64_t at = node[0] * @WIDTH@ + (unsigned) k;",
  "            uint64_t bits = @WIDTH@ == 1 ? node[0] : @NAME@_values[at];",
  "            sum[@NAME@_output[t] + (unsigned) k] += (@SUM@) @NAME@_number(bits);", "        }",
  "    }",
  "    for (int k = 0; k < @N_OUTPUTS@; k++) margin[k] = (@SUM@) (sum[k] / (@SUM@) @DIVISOR@);")

# Sums of proportions become proportions.
forest_c_shares <- c(
  "    double total = 0;", "    for (int k = 0; k < @N_OUTPUTS@; k++) total += margin[k];",
  "    for (int k = 0; k < @N_OUTPUTS@; k++) margin[k] /= total;")
