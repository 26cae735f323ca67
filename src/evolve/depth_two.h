/* The best tree of depth two for a set of rows, of all trees whose thresholds are edges of bins
 * (for a factor, sets of levels), with missing values on either side. The search is complete, since
 * all pairs of tests are evaluated. The objective is
 *
 *     SSE + lambda * (coefficients + splits),
 *
 * the least squares of Gram matrices, the coefficients those that are not aliased (gram.h). A leaf
 * has at least minbucket rows, and a split at least min_n. `bound` is the least cost without that:
 * of a subset of the rows it is not larger, since any tree costs no more for fewer rows. */
#ifndef CT_EVOLVE_DEPTH_TWO_H
#define CT_EVOLVE_DEPTH_TWO_H

#include "base/parallel.h"
#include "evolve/pairs.h"

typedef struct {
    double cost; /* INFINITY: there are too few rows */
    double bound;
    ct_gmt_test tests[3]; /* the root, on its left, on its right; splitter -1: a leaf */
} ct_depth_two;

/* In `pairs`, whose threads share the work. *done: 0 if it was stopped and there is no answer;
 * `halt`: NULL for none. The same bits for any number of threads. */
void ct_gmt_depth_two_solve(ct_pairs *pairs, const uint32_t *rows, uint32_t n, double lambda,
                            uint32_t minbucket, uint32_t min_n, ct_halt *halt, ct_depth_two *answer,
                            int *done);

#endif
