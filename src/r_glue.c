#include "r_glue.h"

#include <string.h>

static ct_column column_of(SEXP x, R_xlen_t offset)
{
    ct_column column;
    if (TYPEOF(x) == REALSXP) {
        column.values = REAL_RO(x) + offset;
        column.type = CT_DOUBLE;
    } else if (TYPEOF(x) == INTSXP) {
        column.values = INTEGER_RO(x) + offset;
        column.type = CT_INT32;
    } else if (TYPEOF(x) == LGLSXP) {
        column.values = LOGICAL_RO(x) + offset;
        column.type = CT_INT32;
    } else {
        Rf_error("a column must be a double, integer or logical vector");
    }
    return column;
}

r_columns r_columns_of(SEXP x)
{
    r_columns all;
    int is_matrix = Rf_isMatrix(x);
    if (!is_matrix && TYPEOF(x) != VECSXP) Rf_error("the columns must be a matrix or a list of vectors");
    R_xlen_t n_cols = is_matrix ? Rf_ncols(x) : Rf_xlength(x);
    R_xlen_t n_rows = is_matrix ? Rf_nrows(x) : n_cols ? Rf_xlength(VECTOR_ELT(x, 0)) : 0;
    if (n_rows > INT_MAX || n_cols > INT_MAX) Rf_error("more than 2^31 - 1 rows or columns are not supported");
    all.n_rows = (uint32_t) n_rows;
    all.n_cols = (uint32_t) n_cols;
    all.columns = (ct_column *) R_alloc((size_t) (n_cols ? n_cols : 1), sizeof(ct_column));
    for (R_xlen_t col = 0; col < n_cols; col++) {
        if (!is_matrix && Rf_xlength(VECTOR_ELT(x, col)) != n_rows) Rf_error("the columns differ in length");
        all.columns[col] = is_matrix ? column_of(x, col * n_rows) : column_of(VECTOR_ELT(x, col), 0);
    }
    return all;
}

void r_check(ct_status status, const ct_error *error)
{
    if (status == CT_OK) return;
    Rf_error("%s%s", status == CT_INTERNAL ? "internal error, please report: " : "", error->message);
}

SEXP r_element(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (!strcmp(CHAR(STRING_ELT(names, i)), name)) return VECTOR_ELT(list, i);
    Rf_error("the control list has no element '%s'", name);
    return R_NilValue;
}

SEXP r_named_list(const char *const *names, int n)
{
    SEXP list = PROTECT(Rf_allocVector(VECSXP, n)), labels = PROTECT(Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
    Rf_setAttrib(list, R_NamesSymbol, labels);
    UNPROTECT(2);
    return list;
}
