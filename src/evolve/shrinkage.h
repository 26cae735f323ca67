/* Models of the nodes of a tree that are shrunk: those of nodes towards those of their parents,
 * that of the root towards a constant. With G = X'WX (the response a column of X), from the root
 * down,
 *   G~(root) = G(root) + ridge D,   G~(node) = G(node) + smoothing G~(parent) / n~(parent),
 * n~(node) = n(node) + smoothing, of the root n. In place of G there are factors F with F'F = G,
 * which keep the digits that G loses. */
#ifndef CT_EVOLVE_SHRINKAGE_H
#define CT_EVOLVE_SHRINKAGE_H

#include <stdint.h>

#include "base/status.h"
#include "evolve/triangle.h"

/* Nothing is owned. */
typedef struct {
    uint32_t n_nodes, p;    /* p coefficients, the intercept first */
    const int32_t *parent;  /* [n_nodes] -1 of the root, which is node 0; others come behind it */
    const double *n;        /* [n_nodes] rows */
    const double *factors;  /* [n_nodes][p + 1][p + 1] F, column by column */
    const double *penalty;  /* [p] roots of D, which is diagonal; none of the response */
    const uint8_t *dropped; /* [n_nodes][p] regressors that the model of the node does without */
} ct_gmt_shrink_nodes;

/* Owned, but for the nodes; freed by ct_gmt_shrinkage_free, also after a failure. */
typedef struct {
    const ct_gmt_shrink_nodes *nodes;
    double *penalty; /* [p + 1][p + 1] */
    double *factors; /* [n_nodes][p + 1][p + 1] of G~ */
    double *counts;  /* [n_nodes] how often a row of the node counts in its model */
    double *block;   /* [p + 1][2 (p + 1)] */
    ct_qr q;
} ct_shrinkage;

/* CT_NO_MEMORY. */
ct_status ct_gmt_shrinkage_init(ct_shrinkage *s, const ct_gmt_shrink_nodes *nodes, ct_error *error);
void ct_gmt_shrinkage_free(ct_shrinkage *s);

/* Factors and counts of the root; of the others, once those of the root are there. */
void ct_gmt_shrink_root(ct_shrinkage *s, double ridge);
void ct_gmt_shrink_others(ct_shrinkage *s, double smoothing);

/* Decomposes the node's factor of the regressors that are not dropped: s->q then has the model of
 * as many columns as are returned, the first in s->q.column. b: [p] coefficients, 0 where aliased.
 */
uint32_t ct_gmt_shrink_solve(ct_shrinkage *s, uint32_t node, double *b);

/* The mean of the models of some choices, whose weights sum to 1; those of equal ridge side by
 * side. */
typedef struct {
    const double *ridge, *smoothing, *weight; /* [n] weights above 0 */
    uint32_t n;
} ct_gmt_shrink_mean;

/* coefficients, aliased: [n_nodes][p]; what is aliased with one choice counts as 0 there, and is
 * aliased if it is with all. deviance: [n_nodes] weighted sums of squared residuals of the nodes'
 * own rows. */
ct_status ct_gmt_shrink_models(const ct_gmt_shrink_nodes *nodes, const ct_gmt_shrink_mean *mean,
                               double *coefficients, uint8_t *aliased, double *deviance,
                               ct_error *error);

#endif
