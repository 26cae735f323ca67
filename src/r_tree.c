/* .Call entries of trees. */
#include "tree/predict.h"
#include "tree/route.h"
#include "r_glue.h"

static uint32_t threads_of(SEXP x)
{
    int n = Rf_asInteger(x);
    if (n < 1 || n > R_MOST_THREADS)
        Rf_error("'threads' must be a number from 1 to %d", R_MOST_THREADS);
    return (uint32_t) n;
}

/* `values`: one integer a node; the answer has that of each row's leaf. */
SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left,
                    SEXP levels_left, SEXP values, SEXP columns, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    ct_forest tree = r_tree_of(feature, threshold, left, right, default_left, levels_left);
    ct_error error;
    r_check(ct_forest_check(&tree, x.n_cols, &error), &error);
    if (TYPEOF(values) != INTSXP || Rf_xlength(values) != tree.n_nodes)
        Rf_error("'values' must be an integer vector with one value a node");
    uint32_t n_threads = threads_of(threads);
    SEXP value_of_row = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    r_check(ct_route(&tree, 0, x.columns, x.n_cols, x.n_rows, INTEGER_RO(values), n_threads,
                     INTEGER(value_of_row), &error), &error);
    UNPROTECT(1);
    return value_of_row;
}

/* See r_forest_of for `nodes` and `leaf`; the answer is a matrix, a row a row and a column a number
 * that the forest says. */
SEXP ffi_forest_predict(SEXP nodes, SEXP leaf, SEXP columns, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    ct_forest forest = r_forest_of(nodes, leaf);
    ct_error error;
    r_check(ct_forest_check(&forest, x.n_cols, &error), &error);
    uint32_t n_threads = threads_of(threads);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int) x.n_rows, (int) ct_forest_outputs(&forest)));
    r_check(ct_predict(&forest, x.columns, x.n_cols, x.n_rows, n_threads, REAL(out), &error),
            &error);
    UNPROTECT(1);
    return out;
}

/* Positions, from 1, of the columns of a data frame that are other than vectors of numbers or
 * logicals without a class. */
SEXP ffi_other_than_numbers(SEXP frame)
{
    R_xlen_t n = TYPEOF(frame) == VECSXP ? Rf_xlength(frame) : 0, n_others = 0;
    SEXP others = PROTECT(Rf_allocVector(INTSXP, n));
    for (R_xlen_t j = 0; j < n; j++) {
        SEXP column = VECTOR_ELT(frame, j);
        int type = TYPEOF(column), is_number = type == REALSXP || type == INTSXP || type == LGLSXP;
        if (!is_number || Rf_isObject(column) || !Rf_isNull(Rf_getAttrib(column, R_DimSymbol)))
            INTEGER(others)[n_others++] = (int) j + 1;
    }
    others = Rf_lengthgets(others, n_others);
    UNPROTECT(1);
    return others;
}
