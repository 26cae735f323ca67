/* Between R and the C library: types are checked, memory is borrowed, results are copied into lists. No algorithm here,
 * and the only place that raises R errors. Whatever the library allocates is owned by an external pointer before
 * anything of R's can fail. */
#ifndef CT_R_GLUE_H
#define CT_R_GLUE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "core/data.h"
#include "core/status.h"

/* The columns of a matrix, or of a list of vectors of the same length; memory of the call. */
typedef struct {
    ct_column *columns;
    uint32_t n_rows, n_cols;
} r_columns;

r_columns r_columns_of(SEXP x);

/* Raises the error, if any, as an R error of class contree_internal_error or contree_input_error. */
void r_check(ct_status status, const ct_error *error);

/* An element of a named list, which must be there. */
SEXP r_element(SEXP list, const char *name);

/* A list of `n` elements with these names; protect it. */
SEXP r_named_list(const char *const *names, int n);

#endif
