/* Predictions from the definition (forge/ensemble.h): one row and one tree at a time, without
 * optimisation. All methods are held against it. */
#ifndef CT_TEST_INTERPRET_ROWS_H
#define CT_TEST_INTERPRET_ROWS_H

#include "forge/ensemble.h"

/* The leaf of a row, x[n_features]. */
static inline uint32_t interpret_leaf(const ct_forge_ensemble *e, uint32_t tree, const double *x)
{
    CT_ASSERT(tree < e->n_trees && x);
    uint32_t node = e->roots[tree];
    while (e->feature[node] >= 0) {
        const int left = ct_forge_ensemble_left(e, node, x[e->feature[node]]);
        node = left ? e->left[node] : e->right[node];
    }
    return node;
}

/* Predicts a row: its sums, out[n_outputs]. */
static inline void interpret_row(const ct_forge_ensemble *e, const double *x, double *out)
{
    CT_ASSERT(e->n_trees > 0 && e->n_outputs > 0);
    for (uint32_t k = 0; k < e->n_outputs; k++) out[k] = e->base[k];
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t leaf = interpret_leaf(e, t, x);
        for (uint32_t k = 0; k < e->leaf_width; k++) {
            double *sum = &out[e->output_of_tree[t] + k];
            double term = e->first_term ? ct_forge_ensemble_model(e, t, leaf, x, e->term_feature)
                                        : ct_forge_ensemble_term(e, t, leaf, k);
            double next = *sum + term;
            *sum = e->sum == CT_FORGE_F32 ? (float) next : next;
        }
    }
    if (e->divisor == 1) return;
    for (uint32_t k = 0; k < e->n_outputs; k++)
        out[k] = e->sum == CT_FORGE_F32 ? (float) (out[k] / e->divisor) : out[k] / e->divisor;
}

#endif
