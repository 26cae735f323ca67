/* Random ensembles of every kind there is, and tables of values that make trouble for them. */
#ifndef CT_TEST_ENSEMBLE_RANDOM_H
#define CT_TEST_ENSEMBLE_RANDOM_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/data.h"
#include "forge/ensemble.h"

enum {
    ANY_NODES = 150000,
    ANY_TREES = 64,
    ANY_OUTPUTS = 4,
    ANY_FEATURES = 40,
    ANY_SETS = 1 << 18
};

/* Owns what its ensemble borrows. */
typedef struct {
    ct_forge_ensemble ensemble;
    uint32_t roots[ANY_TREES], output[ANY_TREES];
    double weight[ANY_TREES], base[ANY_OUTPUTS];
    int32_t feature[ANY_NODES], leaf_id[ANY_NODES];
    double threshold[ANY_NODES], value[ANY_NODES * ANY_OUTPUTS], cover[ANY_NODES];
    uint32_t left[ANY_NODES], right[ANY_NODES], set_first[ANY_NODES], set_size[ANY_NODES];
    uint8_t default_left[ANY_NODES], missing[ANY_NODES], set_else[ANY_NODES], sets[ANY_SETS / 8];
    uint32_t first_term[ANY_NODES + 1], term_feature[2 * ANY_NODES];
    double intercept[ANY_NODES], slope[2 * ANY_NODES];
    double low[2 * ANY_NODES], high[2 * ANY_NODES], other[2 * ANY_NODES];
    uint32_t first_code[2 * ANY_NODES + 1];
    double of_code[6 * ANY_NODES], lowest[ANY_NODES], highest[ANY_NODES];
} any_ensemble;

/* How one is drawn. */
typedef struct {
    uint32_t n_trees, most_depth, leaf_chance; /* of 16: below the root */
    uint32_t most_leaves;
    uint32_t levels;                           /* distinct thresholds a feature; 0: any number */
    uint32_t n_features, n_outputs, wide;      /* wide: vector leaves */
    uint32_t sets, rules;                      /* of 16 nodes; one rule of missing values, or all */
    ct_forge_less less;
    ct_forge_number number, sum;
    uint32_t linear;                           /* leaves are linear models; doubles, not wide */
} any_shape;

static inline double any_unit(ct_rng *r) { return ct_rng_next(r) / 4294967296.0; }

static inline double any_cast(double x, ct_forge_number number)
{
    return number == CT_FORGE_F32 ? (double) (float) x : x;
}

static inline double any_threshold(ct_rng *r, const any_shape *s)
{
    if (s->levels) return ((double) ct_rng_below(r, s->levels) - s->levels / 2) * 0.25;
    switch (ct_rng_below(r, 24)) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return INFINITY;
    case 3: return -INFINITY;
    case 4: return any_cast(s->number == CT_FORGE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN, s->number);
    case 5: return any_cast(1e-35, s->number);
    case 6: return s->number == CT_FORGE_F32 ? FLT_MAX : 1e300;
    case 7: return any_cast(1 + ct_rng_below(r, 3) * DBL_EPSILON, s->number);
    default: return any_cast(any_unit(r) - 0.5, s->number);
    }
}

static inline void any_split(ct_rng *r, const any_shape *s, any_ensemble *a, uint32_t i)
{
    ct_forge_ensemble *e = &a->ensemble;
    a->feature[i] = (int32_t) ct_rng_below(r, s->n_features);
    a->threshold[i] = any_threshold(r, s);
    a->default_left[i] = (uint8_t) ct_rng_below(r, 2);
    a->missing[i] = (uint8_t) (s->rules ? ct_rng_below(r,
                                                       CT_FORGE_N_MISSING) : CT_FORGE_MISSING_NAN);
    if (ct_rng_below(r, 16) >= s->sets || e->n_set_bits + 80 > ANY_SETS) return;
    a->set_first[i] = e->n_set_bits;
    a->set_size[i] = 1 + ct_rng_below(r, 70);
    a->set_else[i] = (uint8_t) ct_rng_below(r, 2);
    e->n_set_bits += a->set_size[i];
    if (a->missing[i] == CT_FORGE_MISSING_ZERO) a->missing[i] = CT_FORGE_MISSING_NAN;
}

/* A tree, nodes as they come from a queue, or each behind the last: both are orders of makers. */
static inline void any_tree(ct_rng *r, const any_shape *s, any_ensemble *a, uint32_t tree)
{
    ct_forge_ensemble *e = &a->ensemble;
    static uint32_t depth[ANY_NODES];
    uint32_t root = e->n_nodes, end = root + 1, n_leaves = 1;
    uint32_t deepest = ct_rng_below(r, s->most_depth + 1);
    CT_ASSERT(root < ANY_NODES);
    a->roots[tree] = root;
    depth[root] = 0;
    for (uint32_t i = root; i < end; i++) {
        int leaf = depth[i] >= deepest || n_leaves >= s->most_leaves || end + 2 > ANY_NODES ||
                   (i > root && ct_rng_below(r, 16) < s->leaf_chance);
        a->leaf_id[i] = (int32_t) (i - root);
        a->set_size[i] = a->set_first[i] = 0;
        a->cover[i] = 1 + ct_rng_below(r, 100);
        for (uint32_t k = 0; k < e->leaf_width; k++)
            a->value[(size_t) i * e->leaf_width + k] = any_cast(any_unit(r) - 0.5, s->sum);
        a->feature[i] = -1;
        if (leaf) continue;
        any_split(r, s, a, i);
        uint32_t swapped = ct_rng_below(r, 2);
        a->left[i] = end + swapped;
        a->right[i] = end + !swapped;
        depth[end] = depth[end + 1] = depth[i] + 1;
        end += 2;
        n_leaves++;
    }
    e->n_nodes = end;
    a->output[tree] = s->wide ? 0 : ct_rng_below(r, s->n_outputs);
    a->weight[tree] = ct_rng_below(r, 2) ? 1 : any_cast(any_unit(r) * 2, s->sum);
}

/* Ranges of all terms and models, some of them without ends, and numbers by code. */
static inline void any_ranges(ct_rng *r, any_ensemble *a)
{
    ct_forge_ensemble *e = &a->ensemble;
    e->n_codes = 0;
    for (uint32_t k = 0; k < e->n_terms; k++) {
        a->first_code[k] = e->n_codes;
        a->low[k] = ct_rng_below(r, 2) ? -0.2 : -INFINITY;
        a->high[k] = ct_rng_below(r, 2) ? 0.3 : INFINITY;
        a->other[k] = ct_rng_below(r, 4) ? any_unit(r) : (double) NAN;
        for (uint32_t n = ct_rng_below(r, 4); n; n--) a->of_code[e->n_codes++] = any_unit(r);
    }
    a->first_code[e->n_terms] = e->n_codes;
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        a->lowest[i] = ct_rng_below(r, 2) ? 0.4 : -INFINITY;
        a->highest[i] = ct_rng_below(r, 2) ? 0.6 : INFINITY;
    }
    e->low = a->low, e->high = a->high, e->other = a->other;
    e->first_code = a->first_code, e->of_code = a->of_code;
    e->lowest = a->lowest, e->highest = a->highest;
}

/* Models of up to two terms in leaves. */
static inline void any_models(ct_rng *r, any_ensemble *a)
{
    ct_forge_ensemble *e = &a->ensemble;
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        a->first_term[i] = e->n_terms;
        a->intercept[i] = any_unit(r);
        for (uint32_t k = a->feature[i] < 0 ? ct_rng_below(r, 3) : 0; k; k--) {
            a->term_feature[e->n_terms] = ct_rng_below(r, e->n_features);
            a->slope[e->n_terms++] = any_unit(r) - 0.5;
        }
    }
    a->first_term[e->n_nodes] = e->n_terms;
    e->first_term = a->first_term;
    e->term_feature = a->term_feature;
    e->slope = a->slope;
    e->intercept = a->intercept;
}

static inline void any_draw(ct_rng *r, const any_shape *s, any_ensemble *a)
{
    ct_forge_ensemble *e = &a->ensemble;
    memset(e, 0, sizeof *e);
    *e = (ct_forge_ensemble){s->n_trees, 0, s->n_features, s->n_outputs, a->roots, a->feature,
                             a->threshold, a->left, a->right, a->default_left, a->missing,
                                 a->set_first,
                             a->set_size, a->set_else, a->sets, 0, (int) ct_rng_below(r, 2),
                             s->wide ? s->n_outputs : 1, a->value, a->leaf_id, a->output, a->weight,
                             a->cover, s->less, s->number, s->sum, a->base, 1, NULL, 0, NULL, NULL,
                             NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL};
    for (size_t i = 0; i < sizeof a->sets; i++) a->sets[i] = (uint8_t) ct_rng_below(r, 256);
    for (uint32_t k = 0; k < s->n_outputs; k++) a->base[k] = any_cast(any_unit(r), s->sum);
    if (ct_rng_below(r, 3) == 0) e->divisor = s->n_trees;
    for (uint32_t t = 0; t < s->n_trees; t++) any_tree(r, s, a, t);
    if (s->linear) any_models(r, a);
    if (s->linear && ct_rng_below(r, 2)) any_ranges(r, a);
}

/* A value at, beside, or far from a threshold of the ensemble. */
static inline double any_value(ct_rng *r, const any_ensemble *a)
{
    double x = a->threshold[ct_rng_below(r, a->ensemble.n_nodes)];
    switch (ct_rng_below(r, 24)) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return 0.0;
    case 4: return -0.0;
    case 5: return DBL_TRUE_MIN;
    case 6: return -FLT_TRUE_MIN;
    case 7: return CT_FORGE_ZERO;
    case 8: return nextafter(CT_FORGE_ZERO, 1);
    case 9: return nextafter(x, INFINITY);
    case 10: return nextafter(x, -INFINITY);
    case 11: return nextafterf((float) x, INFINITY);
    case 12: return nextafterf((float) x, -INFINITY);
    case 13: return 1e308;
    case 14: return -0.5;
    case 15: return (double) ct_rng_below(r, 80) - 2 + (ct_rng_below(r, 4) ? 0 : 0.75);
    case 16: return x;
    default: return any_unit(r) - 0.5;
    }
}

#endif
