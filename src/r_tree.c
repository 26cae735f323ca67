/* .Call entries of trees. */
#include "core/route.h"
#include "r_glue.h"

SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left, SEXP levels_left,
                    SEXP columns)
{
    r_columns x = r_columns_of(columns);
    ct_forest tree = r_tree_of(feature, threshold, left, right, default_left, levels_left);
    ct_error error;
    r_check(ct_forest_check(&tree, x.n_cols, &error), &error);
    SEXP where = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    ct_route(&tree, x.columns, x.n_rows, (uint32_t *) INTEGER(where));
    for (uint32_t row = 0; row < x.n_rows; row++) INTEGER(where)[row]++;
    UNPROTECT(1);
    return where;
}
