#include "base/optimised.h"

/* .Call entries of columns: coded ones, see r_training_columns_of() in r/glue.h, and values. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "r/glue.h"

/* What a split makes of the levels: a matrix of doubles, a row a level, with the rows of the level
 * that go left and right. where: the leaf of each row, from 1. nodes: in preorder, from 1, the
 * first node below the split, the last one of its left child and the last one of its right child.
 * repeats: how many rows each stands for, integers; NULL for 1 each. */
SEXP ffi_coded_sides(SEXP codes, SEXP n_levels, SEXP where, SEXP nodes, SEXP repeats)
{
    R_xlen_t n = Rf_xlength(where);
    int levels = Rf_asInteger(n_levels);
    if (TYPEOF(codes) != RAWSXP || Rf_xlength(codes) != 2 * n || TYPEOF(where) != INTSXP ||
        TYPEOF(nodes) != INTSXP || Rf_xlength(nodes) != 3 || levels < 1 ||
        levels > UINT16_MAX + 1)
        Rf_error("a split must have codes and leaves of its rows, and three nodes");
    if (repeats != R_NilValue && (TYPEOF(repeats) != INTSXP || Rf_xlength(repeats) != n))
        Rf_error("'repeats' must be NULL or an integer for each row");
    const int *times = repeats == R_NilValue ? NULL : INTEGER_RO(repeats);
    const uint16_t *code = (const uint16_t *) (const void *) RAW_RO(codes);
    const int *leaf = INTEGER_RO(where), *node = INTEGER_RO(nodes);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, levels, 2));
    double *rows = REAL(out);
    for (int i = 0; i < 2 * levels; i++) rows[i] = 0;
    for (R_xlen_t row = 0; row < n; row++) {
        if (leaf[row] < node[0] || leaf[row] > node[2]) continue;
        if (code[row] >= levels) Rf_error("a code has no level");
        rows[code[row] + (leaf[row] > node[1] ? levels : 0)] += times ? times[row] : 1;
    }
    UNPROTECT(1);
    return out;
}

/* Whether any of the doubles is infinite. No way out of the loop: it would cost all others more. */
SEXP ffi_any_infinite(SEXP values)
{
    if (TYPEOF(values) != REALSXP) Rf_error("values must be doubles");
    const double *x = REAL_RO(values);
    R_xlen_t n = Rf_xlength(values);
    int any = 0;
    for (R_xlen_t i = 0; i < n; i++) any |= fabs(x[i]) > DBL_MAX;
    return Rf_ScalarLogical(any);
}

/* Called after R's garbage collector: the memory that it freed goes back to the system. */
SEXP ffi_trim(void)
{
    ct_trim();
    return R_NilValue;
}
