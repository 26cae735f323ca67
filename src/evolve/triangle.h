/* Least squares from triangles: for rows X, the response their last column, the upper triangle R of
 * Householder's QR has R'R = X'X, and keeps the digits that X'X loses. Triangles are square and
 * column-major. Aliased columns are those that lm() of R leaves out (LINPACK's dqrdc2 as R has it).
 */
#ifndef CT_EVOLVE_TRIANGLE_H
#define CT_EVOLVE_TRIANGLE_H

#include <stdint.h>

#include "base/status.h"

/* The Euclidean norm, without overflow. */
double ct_gmt_norm(const double *x, uint32_t n);

/* A block is a matrix of m rows, column-major; it has a triangle of `columns` rows on top, and
 * zeros below, which the caller replaces by rows. */
void ct_gmt_triangle_start(double *block, uint32_t m, uint32_t columns, const double *triangle);

/* `to` gets the triangle of all rows of the block, which is overwritten; m >= columns. */
void ct_gmt_triangle_fold(double *block, uint32_t m, uint32_t columns, double *to);

/* A triangle of p regressors and the response, m = p + 1, and the model computed from it. Owned;
 * freed by ct_gmt_qr_free. */
typedef struct {
    uint32_t p, m;
    double *x;           /* [m][m] the triangle, set by the caller; then R, by position */
    double *diagonal;    /* [p] of R */
    double *now, *first; /* [p] norms: of what is left of a column, of all of it */
    uint32_t *column;    /* [p] the column at each position */
    double *inverse;     /* [p][p] of R, by position */
} ct_qr;

ct_status ct_gmt_qr_make(ct_qr *q, uint32_t p, ct_error *error);
void ct_gmt_qr_free(ct_qr *q);

/* Takes columns in order; one of which less than the tolerance is left is moved to the end. Returns
 * the rank. */
uint32_t ct_gmt_qr_decompose(ct_qr *q);

/* After the decomposition: the coefficients by column, 0 where aliased; the inverse of R's first
 * `rank` rows and columns. */
void ct_gmt_qr_solve(const ct_qr *q, uint32_t rank, double *b);
void ct_gmt_qr_invert(ct_qr *q, uint32_t rank);

#endif
