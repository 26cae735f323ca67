/* Contributions against a background, tree by tree for each row and each row of the background, for
 * trees whose paths have too many features for tables (Lundberg et al. 2020, supplement). */
#ifndef CT_FORGE_SHAP_PAIRS_H
#define CT_FORGE_SHAP_PAIRS_H

#include "base/parallel.h"
#include "data/data.h"
#include "forge/forged.h"

typedef struct {
    const ct_forged *forged;
    const ct_column *rows, *background;
    uint32_t n_rows, n_background;
    const double *weights; /* of ct_forge_pair_weights() */
    unsigned threads;
    int interactions;
    ct_halt *stop;
} ct_forge_shap_pairs;

/* (a - 1)! b! / (a + b)! of a and b up to most, by a (most + 1) + b; NULL: no memory. */
double *ct_forge_pair_weights(uint32_t most, ct_arena *arena);

/* Where the interaction of two used features is in [n_features][n_features]: the first feature is
 * below the second. */
static inline size_t ct_forge_interaction_at(const ct_forged *f, uint32_t i, uint32_t j)
{
    size_t p = f->ensemble->n_features, a = f->used[i], b = f->used[j];
    return a < b ? a * p + b : b * p + a;
}

/* Adds to out[n_features][n_rows], or out[n_features][n_features][n_rows] of interactions, what a
 * tree says of output k (0: of its own), and to *expected its mean over the background. `arena` is
 * left as it was. */
ct_status ct_forge_shap_pairs_add(const ct_forge_shap_pairs *pairs, uint32_t tree, uint32_t k,
                                  double *out, double *expected, ct_arena *arena);

#endif
