/* .Call entries of trees, and of what the check of a fit has to look through once a predictor. */
#include "base/compact.h"

#include "tree/predict.h"
#include "tree/route.h"
#include "r/glue.h"

/* `values`: one integer a node; the answer has that of each row's leaf. */
SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left,
                    SEXP levels_left, SEXP values, SEXP columns, SEXP threads)
{
    r_columns x = r_columns_of(columns);
    ct_forest tree = r_tree_of(feature, threshold, left, right, default_left, levels_left);
    ct_error error;
    r_check(ct_forest_check(&tree, x.n_cols, &error), &error);
    const int *value_of_node = r_integers(values, tree.n_nodes, "values");
    uint32_t n_threads = r_threads_of(threads);
    SEXP value_of_row = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    r_check(ct_route(&tree, 0, x.columns, x.n_cols, x.n_rows, value_of_node, n_threads,
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
    CT_ASSERT(ct_forest_outputs(&forest) > 0);
    uint32_t n_threads = r_threads_of(threads);
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

/* Equal ASCII strings are one object in R, so that the pointers decide. */
static int is_ascii(SEXP text)
{
    const unsigned char *byte = (const unsigned char *) CHAR(text);
    while (*byte > 0 && *byte < 128)
        byte++;
    return *byte == 0;
}

/* match(names, table, 0L) for few `names` and a long `table`, of which no hash table is made; NULL
 * if the pointers cannot tell. */
SEXP ffi_places(SEXP names, SEXP table)
{
    if (TYPEOF(names) != STRSXP || TYPEOF(table) != STRSXP || Rf_xlength(table) > INT_MAX)
        return R_NilValue;
    R_xlen_t n = Rf_xlength(names), n_table = Rf_xlength(table);
    for (R_xlen_t i = 0; i < n; i++)
        if (!is_ascii(STRING_ELT(names, i)))
            return R_NilValue;
    SEXP places = PROTECT(Rf_allocVector(INTSXP, n));
    const SEXP *entry = STRING_PTR_RO(table);
    for (R_xlen_t i = 0; i < n; i++) {
        SEXP name = STRING_ELT(names, i);
        R_xlen_t at = 0;
        while (at < n_table && entry[at] != name)
            at++;
        INTEGER(places)[i] = at < n_table ? (int) at + 1 : 0;
    }
    UNPROTECT(1);
    return places;
}

/* unique(texts) where there are few different ones; NULL if there are more than 32, or if `texts`
 * is not of type character. A text in two encodings counts twice. */
SEXP ffi_distinct(SEXP texts)
{
    enum { MOST = 32 };
    if (TYPEOF(texts) != STRSXP)
        return R_NilValue;
    const SEXP *entry = STRING_PTR_RO(texts);
    SEXP found[MOST];
    int n_found = 0;
    for (R_xlen_t i = 0, n = Rf_xlength(texts); i < n; i++) {
        int at = 0;
        while (at < n_found && found[at] != entry[i])
            at++;
        if (at == MOST)
            return R_NilValue;
        if (at == n_found)
            found[n_found++] = entry[i];
    }
    SEXP distinct = PROTECT(Rf_allocVector(STRSXP, n_found));
    for (int at = 0; at < n_found; at++)
        SET_STRING_ELT(distinct, at, found[at]);
    UNPROTECT(1);
    return distinct;
}

/* A vector of that type without class and dim, of n values unless n is NULL. */
static int is_plain(SEXP x, SEXPTYPE type, SEXP n)
{
    return TYPEOF(x) == type && !Rf_isObject(x) &&
           (Rf_isNull(n) || (double) Rf_xlength(x) == Rf_asReal(n)) &&
           Rf_isNull(Rf_getAttrib(x, R_DimSymbol));
}

SEXP ffi_is_plain(SEXP x, SEXP type, SEXP n)
{
    return Rf_ScalarLogical(is_plain(x, Rf_str2type(CHAR(Rf_asChar(type))), n));
}

/* Finite numbers from `low` to `high`, in a plain vector of n, or of any length if that is NULL. */
SEXP ffi_is_amounts(SEXP x, SEXP n, SEXP low, SEXP high)
{
    double least = Rf_asReal(low), most = Rf_asReal(high);
    R_xlen_t length = Rf_xlength(x);
    int fine = is_plain(x, INTSXP, n) || is_plain(x, REALSXP, n);
    if (fine && TYPEOF(x) == INTSXP) {
        const int *value = INTEGER_RO(x);
        for (R_xlen_t i = 0; i < length; i++)
            fine &= value[i] != NA_INTEGER && value[i] >= least && value[i] <= most;
    } else if (fine) {
        const double *value = REAL_RO(x);
        for (R_xlen_t i = 0; i < length; i++)
            fine &= R_FINITE(value[i]) && value[i] >= least && value[i] <= most;
    }
    return Rf_ScalarLogical(fine);
}

/* The number of arguments of a call of `list`, -1 for anything else. In R each look at a call of
 * thousands of arguments walks through all of them. */
SEXP ffi_list_arguments(SEXP call)
{
    if (TYPEOF(call) != LANGSXP || CAR(call) != Rf_install("list"))
        return Rf_ScalarInteger(-1);
    return Rf_ScalarInteger((int) Rf_xlength(CDR(call)));
}
