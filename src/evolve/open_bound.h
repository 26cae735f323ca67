/* A lower bound, computed from Gram matrices alone, of what the rows of a bin add to the costs of
 * the rows on either side of it, however a threshold divides them. It excludes bins from being
 * searched row by row. */
#ifndef CT_EVOLVE_OPEN_BOUND_H
#define CT_EVOLVE_OPEN_BOUND_H

#include "evolve/gram.h"

/* Numbers of scratch memory for p columns. */
size_t ct_gmt_open_bound_scratch(uint32_t p);

/* At most SSE(left, M1) + SSE(right, M2) - SSE(left) - SSE(right), whatever the sets M1 and M2 are
 * that the rows of `middle` fall apart into. Three matrices of p columns.
 *
 * Models bL and bR of any two sides cost SSE(left) + |bL - l|^2 in the metric of `left`, l its own
 * model, one on the right, and in the middle the lesser of two squares in each row, together
 * at least (|e| - |bL - bR| / 2)^2 in its metric, where |e|^2 is no less than SSE(middle). With
 * h the largest eigenvalues of the middle in the metrics of both sides, added up, that is least at
 * u^2 / (1 + h / 4) for u = sqrt(SSE(middle)) - |l - r| / 2. The answer is 0 where one of the three
 * does not determine its model. */
double ct_gmt_open_bound(const double *left, const double *right, const double *middle, uint32_t p,
                         double *scratch);

#endif
