/* .Call entries of trees. */
#include "tree/route.h"
#include "r_glue.h"

/* `values`: one integer a node; the answer has that of each row's leaf. */
SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left, SEXP levels_left, SEXP values,
                    SEXP columns, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    ct_forest tree = r_tree_of(feature, threshold, left, right, default_left, levels_left);
    ct_error error;
    r_check(ct_forest_check(&tree, x.n_cols, &error), &error);
    if (TYPEOF(values) != INTSXP || Rf_xlength(values) != tree.n_nodes)
        Rf_error("'values' must be an integer vector with one value a node");
    int n_threads = Rf_asInteger(threads);
    if (n_threads < 1 || n_threads > R_MOST_THREADS) Rf_error("'threads' must be a number from 1 to %d", R_MOST_THREADS);
    SEXP value_of_row = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    r_check(ct_route(&tree, x.columns, x.n_cols, x.n_rows, INTEGER_RO(values), (uint32_t) n_threads,
                     INTEGER(value_of_row), &error), &error);
    UNPROTECT(1);
    return value_of_row;
}
