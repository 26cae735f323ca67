/* Leave-one-out errors of a model tree whose models are shrunk (shrinkage.h), for given splits. Row
 * i counts w_i c_i in the model of its leaf, c_i the same for all rows of a leaf. With A the part
 * of G~ of the regressors and e_i the residual, the model without the row is
 *   b(-i) = b - A^-1 x_i w_i c_i e_i / (1 - w_i c_i x_i' A^-1 x_i);
 * n~ and D stay as they are. */
#ifndef CT_EVOLVE_LEAVE_ONE_OUT_H
#define CT_EVOLVE_LEAVE_ONE_OUT_H

#include "evolve/shrinkage.h"

/* Nothing is owned. */
typedef struct {
    ct_gmt_shrink_nodes nodes;
    uint32_t n_rows;
    const double *x; /* [p][n_rows] */
    const double *y;
    const double *weights;  /* NULL: 1 */
    const int32_t *where;   /* the leaf of each row */
    const uint8_t *counted; /* [n_rows] does the row's error count? */
} ct_gmt_loo_data;

/* Predictions within the ranges that columns and response have in the other rows of the leaf, the
 * latter extended by a twentieth on either side; and without limits. */
enum { CT_LOO_WITHIN, CT_LOO_FREE, CT_LOO_LIMITS };

/* errors: [n_ridge][n_smoothing][CT_LOO_LIMITS] weighted sums of squared errors. */
ct_status ct_gmt_loo_errors(const ct_gmt_loo_data *data, const double *ridge, uint32_t n_ridge,
                            const double *smoothing, uint32_t n_smoothing, double *errors,
                            ct_error *error);

#endif
