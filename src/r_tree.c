/* .Call entries of trees. */
#include <string.h>

#include "core/route.h"
#include "r_glue.h"

static const int *node_integers(SEXP x, R_xlen_t n, const char *name)
{
    if (TYPEOF(x) != INTSXP || Rf_xlength(x) != n) Rf_error("'%s' must be an integer vector with one value a node", name);
    return INTEGER_RO(x);
}

/* A forest of one from the vectors of a fit, indices from 1; memory of the call. */
static ct_forest tree_of(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left)
{
    R_xlen_t n = Rf_xlength(feature);
    ct_forest tree;
    memset(&tree, 0, sizeof tree);
    const int *features = node_integers(feature, n, "feature"), *lefts = node_integers(left, n, "left");
    const int *rights = node_integers(right, n, "right");
    if (TYPEOF(threshold) != REALSXP || Rf_xlength(threshold) != n || TYPEOF(default_left) != LGLSXP ||
        Rf_xlength(default_left) != n || n < 1)
        Rf_error("'threshold' must be a double and 'default_left' a logical vector with one value a node");
    tree.n_trees = 1;
    tree.n_nodes = (uint32_t) n;
    tree.roots = (uint32_t *) R_alloc(1, sizeof *tree.roots);
    tree.feature = (int32_t *) R_alloc((size_t) n, sizeof *tree.feature);
    tree.left = (uint32_t *) R_alloc((size_t) n, sizeof *tree.left);
    tree.right = (uint32_t *) R_alloc((size_t) n, sizeof *tree.right);
    tree.default_left = (uint8_t *) R_alloc((size_t) n, sizeof *tree.default_left);
    tree.threshold = (double *) R_alloc((size_t) n, sizeof *tree.threshold);
    tree.roots[0] = 0;
    for (R_xlen_t i = 0; i < n; i++) {
        tree.feature[i] = features[i] > 0 ? features[i] - 1 : -1;
        tree.left[i] = lefts[i] > 0 ? (uint32_t) lefts[i] - 1 : 0;
        tree.right[i] = rights[i] > 0 ? (uint32_t) rights[i] - 1 : 0;
        tree.default_left[i] = LOGICAL_RO(default_left)[i] == TRUE;
        tree.threshold[i] = REAL_RO(threshold)[i];
    }
    return tree;
}

SEXP ffi_tree_route(SEXP feature, SEXP threshold, SEXP left, SEXP right, SEXP default_left, SEXP columns)
{
    r_columns x = r_columns_of(columns);
    ct_forest tree = tree_of(feature, threshold, left, right, default_left);
    ct_error error;
    r_check(ct_forest_check(&tree, x.n_cols, &error), &error);
    SEXP where = PROTECT(Rf_allocVector(INTSXP, x.n_rows));
    ct_route(&tree, x.columns, x.n_rows, (uint32_t *) INTEGER(where));
    for (uint32_t row = 0; row < x.n_rows; row++) INTEGER(where)[row]++;
    UNPROTECT(1);
    return where;
}
