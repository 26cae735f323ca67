/* Least-squares models of all nodes of a tree, from the rows and by Householder's QR, whatever the
 * search has computed: aliased columns are those that lm() of R leaves out, found in the order of
 * the columns with the same tolerance of 1e-7 (LINPACK's dqrdc2 as R has it).
 *
 * The triangle R of a leaf is made from its rows block by block, that of a split from those of its
 * children. The rows of large leaves are shared out in pieces of fixed size, so that the result
 * does not depend on the number of threads. */
#ifndef CT_EVOLVE_NODE_MODELS_H
#define CT_EVOLVE_NODE_MODELS_H

#include "evolve/model_table.h"

/* One a node; p = n_regressors + 1 coefficients, the intercept first. Owned; freed by
 * ct_gmt_node_models_free, also after a failure. */
typedef struct {
    uint32_t n_nodes, p;
    uint32_t *n;          /* rows */
    uint32_t *rank;       /* coefficients that are not aliased */
    double *weight;       /* what the rows weigh */
    double *deviance;     /* weighted sum of squared residuals */
    double *coefficients; /* [n_nodes][p] 0 where aliased */
    uint8_t *aliased;     /* [n_nodes][p] */
    double *unscaled;     /* [n_nodes][p][p] inverse of X'WX, 0 where aliased */
    double *triangles;    /* [n_nodes][p + 1][p + 1] R with R'R = X'WX, the response last */
    /* [n_nodes][p] least and largest of each regressor and, last, of the response */
    double *low, *high;
} ct_gmt_node_models;

/* `where`: the leaf of each row; left, right: the children of nodes in preorder, 0 in leaves;
 * dropped: [n_nodes][p] coefficients that are not to be there; NULL: none. */
ct_status ct_gmt_node_models_fit(ct_gmt_node_models *models, const ct_gmt_model_data *data,
                                 uint32_t n_nodes,
                                 const uint32_t *left, const uint32_t *right, const int32_t *where,
                                 const uint8_t *dropped, unsigned threads, ct_error *error);
void ct_gmt_node_models_free(ct_gmt_node_models *models);

#endif
