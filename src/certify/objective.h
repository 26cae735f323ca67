/* From integers back to the objective.
 *
 * A tree whose rows cost e units and that has s splits is counted as e 2^shift + s split, where
 * split / 2^shift is near what a split costs in units. What is known is that no tree counts less
 * than some number. Which pairs (e, s) count as much is plain arithmetic, and so is what the
 * cheapest of them costs: that is proven, whatever shift and split are, and nothing of how they
 * were chosen (exact/cost/penalty.h) is believed. */
#ifndef CT_CERTIFY_OBJECTIVE_H
#define CT_CERTIFY_OBJECTIVE_H

#include "certify/problem.h"

/* What follows of the costs of trees if none counts less than `least`: sets result->bound,
 * ->rounding and, for a tree that may be NULL, ->attained and ->smallest. */
void ct_certify_objective_prove(const ct_problem *problem, int64_t least, const ct_outcome *tree,
                                ct_certify_result *result);

#endif
