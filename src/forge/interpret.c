#include "forge/interpret.h"

#include <math.h>

int ct_forge_interpret_left(const ct_forge_ensemble *e, uint32_t node, double value)
{
    CT_ASSERT(node < e->n_nodes);
    double x = e->number == CT_FORGE_F32 ? (float) value : value;
    int in_sets = e->set_size[node] > 0;
    if (isnan(x)) {
        if (e->missing[node] != CT_FORGE_MISSING_NONE) return e->default_left[node];
        if (in_sets) return e->set_else[node];
        x = 0;
    }
    if (in_sets) return ct_forge_ensemble_in_set(e, node, x);
    int zero_is_missing = e->missing[node] == CT_FORGE_MISSING_ZERO;
    if (zero_is_missing && fabs(x) <= CT_FORGE_ZERO) return e->default_left[node];
    return e->less == CT_FORGE_LESS ? x < e->threshold[node] : x <= e->threshold[node];
}

uint32_t ct_forge_interpret_leaf(const ct_forge_ensemble *e, uint32_t tree, const double *x)
{
    CT_ASSERT(tree < e->n_trees && x);
    uint32_t node = e->roots[tree];
    while (e->feature[node] >= 0) {
        const int left = ct_forge_interpret_left(e, node, x[e->feature[node]]);
        node = left ? e->left[node] : e->right[node];
    }
    return node;
}

void ct_forge_interpret_row(const ct_forge_ensemble *e, const double *x, double *out)
{
    CT_ASSERT(e->n_trees > 0 && e->n_outputs > 0);
    for (uint32_t k = 0; k < e->n_outputs; k++) out[k] = e->base[k];
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t leaf = ct_forge_interpret_leaf(e, t, x);
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
