/* .Call entries of shrunk model trees. `nodes` is a list of a value for each node: parent (from 1,
 * 0 of the root), n, factors ([p + 1][p + 1] a node) and dropped (p a node); and of `penalty` (p).
 */
#include "base/compact.h"

#include <string.h>

#include "evolve/leave_one_out.h"
#include "r/glue.h"

/* ---- arguments ---- */

/* Flags as bytes; memory of the call. */
static uint8_t *flags_of(SEXP value, uint64_t n, const char *name)
{
    if (TYPEOF(value) != LGLSXP || (uint64_t) Rf_xlength(value) != n)
        Rf_error("'%s' must be %.0f logicals", name, (double) n);
    uint8_t *out = (uint8_t *) R_alloc(n ? n : 1, 1);
    for (uint64_t i = 0; i < n; i++) out[i] = LOGICAL_RO(value)[i] != 0;
    return out;
}

/* Numbers from 1 as indices from 0, -1 for 0, less than `limit`; memory of the call. */
static int32_t *indices_of(SEXP value, uint64_t n, uint32_t limit, const char *name)
{
    CT_ASSERT(limit <= INT32_MAX);
    const int *x = r_integers(value, (R_xlen_t) n, name);
    int32_t *out = (int32_t *) R_alloc(n ? n : 1, sizeof *out);
    for (uint64_t i = 0; i < n; i++) {
        if (x[i] < 0 || (uint32_t) x[i] > limit) Rf_error("'%s' is out of range", name);
        out[i] = x[i] - 1;
    }
    return out;
}

static ct_gmt_shrink_nodes nodes_of(SEXP list)
{
    ct_gmt_shrink_nodes nodes;
    SEXP parent = r_element(list, "parent"), penalty = r_element(list, "penalty");
    const uint64_t n = (uint64_t) Rf_xlength(parent), p = (uint64_t) Rf_xlength(penalty);
    if (n < 1 || n > 65535 || p < 1 || p > 65535) Rf_error("'nodes' must be those of a tree");
    nodes.n_nodes = (uint32_t) n;
    nodes.p = (uint32_t) p;
    nodes.parent = indices_of(parent, n, nodes.n_nodes, "parent");
    for (uint32_t i = 0; i < nodes.n_nodes; i++)
        if (i ? nodes.parent[i] < 0 || (uint32_t) nodes.parent[i] >= i : nodes.parent[i] != -1)
            Rf_error("'parent' must come before its children");
    nodes.n = r_doubles(r_element(list, "n"), (R_xlen_t) n, "n");
    nodes.factors = r_doubles(r_element(list, "factors"), (R_xlen_t) (n * (p + 1) * (p + 1)),
                              "factors");
    nodes.penalty = r_doubles(penalty, (R_xlen_t) p, "penalty");
    nodes.dropped = flags_of(r_element(list, "dropped"), n * p, "dropped");
    return nodes;
}

/* ---- entries ---- */

/* x: a matrix, the intercept first; where: the leaf of each row, from 1. Returns sums of squared
 * errors, [ridge][smoothing][within limits, without]. */
SEXP ffi_gmt_loo(SEXP x, SEXP y, SEXP weights, SEXP where, SEXP counted, SEXP nodes, SEXP ridge,
                 SEXP smoothing)
{
    ct_gmt_loo_data data;
    ct_error error;
    if (!Rf_isMatrix(x) || Rf_ncols(x) < 1) Rf_error("'x' must be a matrix");
    data.nodes = nodes_of(nodes);
    if ((uint32_t) Rf_ncols(x) != data.nodes.p) Rf_error("'x' must have the columns of 'nodes'");
    data.n_rows = (uint32_t) Rf_nrows(x);
    data.x = r_doubles(x, (R_xlen_t) data.n_rows * data.nodes.p, "x");
    data.y = r_doubles(y, data.n_rows, "y");
    data.weights = r_doubles_if(weights, data.n_rows, "weights");
    data.where = indices_of(where, data.n_rows, data.nodes.n_nodes, "where");
    for (uint32_t i = 0; i < data.n_rows; i++)
        if (data.where[i] < 0) Rf_error("'where' is out of range");
    data.counted = flags_of(counted, data.n_rows, "counted");
    uint32_t n_ridge = (uint32_t) Rf_xlength(ridge), n_smoothing = (uint32_t) Rf_xlength(smoothing);
    const double *ridges = r_doubles(ridge, n_ridge, "ridge"),
                 *smoothings = r_doubles(smoothing, n_smoothing, "smoothing");
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n_ridge * n_smoothing * CT_LOO_LIMITS));
    r_check(ct_gmt_loo_errors(&data, ridges, n_ridge, smoothings, n_smoothing, REAL(out), &error),
            &error);
    UNPROTECT(1);
    return out;
}

/* The mean of the models of all nodes by these weights. */
SEXP ffi_gmt_shrink(SEXP nodes, SEXP ridge, SEXP smoothing, SEXP weight)
{
    static const char *const names[] = {"coefficients", "aliased", "deviance"};
    ct_gmt_shrink_nodes all = nodes_of(nodes);
    ct_gmt_shrink_mean mean;
    ct_error error;
    mean.n = (uint32_t) Rf_xlength(weight);
    mean.ridge = r_doubles(ridge, mean.n, "ridge");
    mean.smoothing = r_doubles(smoothing, mean.n, "smoothing");
    mean.weight = r_doubles(weight, mean.n, "weight");
    const R_xlen_t n = (R_xlen_t) all.n_nodes * all.p;
    SEXP list = PROTECT(r_named_list(names, 3));
    SEXP b = Rf_allocVector(REALSXP, n);
    SET_VECTOR_ELT(list, 0, b);
    SEXP aliased = Rf_allocVector(LGLSXP, n);
    SET_VECTOR_ELT(list, 1, aliased);
    SEXP deviance = Rf_allocVector(REALSXP, all.n_nodes);
    SET_VECTOR_ELT(list, 2, deviance);
    uint8_t *flags = (uint8_t *) R_alloc((size_t) n, 1);
    r_check(ct_gmt_shrink_models(&all, &mean, REAL(b), flags, REAL(deviance), &error), &error);
    for (R_xlen_t i = 0; i < n; i++) LOGICAL(aliased)[i] = flags[i];
    UNPROTECT(1);
    return list;
}
