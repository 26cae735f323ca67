/* The ensemble: trees of any software, with its rules of prediction. It defines what a prediction
 * is, bit for bit; how it is computed is the concern of others (pack.h, run.h).
 *
 * Nodes lie in flat arrays, tree after tree; tree t has those from roots[t] to roots[t + 1] - 1,
 * and children come after their parents. A leaf has feature -1. At any other node a row goes left
 * by
 *
 *   1. the input: the value as `number` has it (cast to float, or as it is);
 *   2. a missing value, as the node's rule says: to the side default_left;
 *   3. x < threshold, or x <= threshold, as `less` says; at a node with a set of codes: whether the
 *      code, the value without its fraction, is in the set.
 *
 * Of the leaf that is reached each tree adds value * weight to the sum of its output, or a vector
 * of values to all of them: tree after tree, rounded to `sum` at each step, beginning with the
 * base.
 *
 * All arrays are borrowed. Nobody reads an ensemble that ct_forge_ensemble_check has not passed. */
#ifndef CT_FORGE_ENSEMBLE_H
#define CT_FORGE_ENSEMBLE_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"
#include "base/simd/rounded.h"
#include "base/status.h"

typedef enum { CT_FORGE_F32, CT_FORGE_F64 } ct_forge_number;
typedef enum { CT_FORGE_LESS, CT_FORGE_LESS_EQUAL } ct_forge_less;

/* Which values count as missing at a node. */
typedef enum {
    CT_FORGE_MISSING_NONE, /* nothing: NaN is read as 0 (in a set: it is in none) */
    CT_FORGE_MISSING_NAN,
    CT_FORGE_MISSING_ZERO, /* NaN, and numbers up to CT_FORGE_ZERO in size */
    CT_FORGE_N_MISSING
} ct_forge_missing;

#define CT_FORGE_ZERO ((double) 1e-35f) /* LightGBM's */

enum {
    CT_FORGE_MOST_TREES = 1 << 20,
    CT_FORGE_MOST_NODES = 1 << 28,
    CT_FORGE_MOST_FEATURES = 1 << 24,
    CT_FORGE_MOST_OUTPUTS = 1 << 16,
    CT_FORGE_MOST_CODES = 1 << 24
};

typedef struct {
    uint32_t n_trees, n_nodes, n_features, n_outputs;
    const uint32_t *roots;        /* [n_trees] ascending, the first is 0 */
    const int32_t *feature;       /* [n_nodes] -1: leaf */
    const double *threshold;      /* [n_nodes] not NaN; a float if `number` is */
    const uint32_t *left, *right; /* [n_nodes] */
    const uint8_t *default_left;  /* [n_nodes] 0 or 1 */
    const uint8_t *missing;       /* [n_nodes] ct_forge_missing */
    /* Sets of codes: node i has the bits from set_first[i] on, set_size[i] of them; 0: it has none.
     * A bit that is 1 goes left. Codes beyond, negative ones too, go where set_else says. */
    const uint32_t *set_first, *set_size; /* [n_nodes] */
    const uint8_t *set_else;              /* [n_nodes] 1: left */
    const uint8_t *sets;                  /* [n_set_bits / 8, rounded up] lowest bit first */
    uint32_t n_set_bits;
    int minus_fraction; /* codes between -1 and 0 are 0 (LightGBM), else negative (XGBoost) */
    /* Leaves. */
    uint32_t leaf_width;            /* 1, or n_outputs */
    const double *value;            /* [n_nodes][leaf_width] finite in leaves */
    const int32_t *leaf_id;         /* [n_nodes] the maker's own number of the leaf */
    const uint32_t *output_of_tree; /* [n_trees] 0 where leaf_width is not 1 */
    const double *weight;           /* [n_trees] */
    /* [n_nodes] how much of the training data came to it; NULL: not known */
    const double *cover;
    /* The contract. */
    ct_forge_less less;
    ct_forge_number number, sum;
    const double *base; /* [n_outputs] */
    double divisor;     /* what the sums are divided by at the end; 1: they are not */
    /* Linear models of leaves, in doubles; first_term NULL: there are none. In place of its value
     * leaf i adds intercept[i] and slope * x of its terms, those from first_term[i] to
     * first_term[i + 1] - 1, one after the other; where one of these x is NaN, its value. */
    const uint32_t *first_term;   /* [n_nodes + 1] */
    uint32_t n_terms;
    const uint32_t *term_feature; /* [n_terms] */
    const double *slope;          /* [n_terms] */
    const double *intercept;      /* [n_nodes] */
    /* Models that say more (this package's); `other` NULL: they do not. A term is slope times x
     * taken to low .. high, or, where it has numbers by code, the one of x; for NaN, and for codes
     * that have none, times `other`. The sum is taken to lowest .. highest. */
    const double *low, *high, *other; /* [n_terms] */
    const uint32_t *first_code;       /* [n_terms + 1] */
    uint32_t n_codes;
    const double *of_code;            /* [n_codes] */
    const double *lowest, *highest;   /* [n_nodes] */
} ct_forge_ensemble;

/* Whether it may be read: CT_BAD_INPUT with the first fault, CT_NO_MEMORY. */
ct_status ct_forge_ensemble_check(const ct_forge_ensemble *ensemble, ct_error *error);

/* One past the last node of a tree. */
static inline uint32_t ct_forge_ensemble_end(const ct_forge_ensemble *e, uint32_t tree)
{
    CT_ASSERT(tree < e->n_trees);
    return tree + 1 < e->n_trees ? e->roots[tree + 1] : e->n_nodes;
}

/* What a tree adds to the sum of an output in a leaf, rounded as it is added, and before. */
static inline double ct_forge_ensemble_term(const ct_forge_ensemble *e, uint32_t tree,
                                            uint32_t leaf, uint32_t k)
{
    CT_ASSERT(e->feature[leaf] < 0 && k < e->leaf_width);
    double term = e->value[(uint64_t) leaf * e->leaf_width + k] * e->weight[tree];
    ROUNDED(term);
    return e->sum == CT_FORGE_F32 ? (float) term : term;
}

/* What a term of a linear model multiplies by its slope. */
static inline double ct_forge_ensemble_factor(const ct_forge_ensemble *e, uint32_t term, double x)
{
    CT_ASSERT(term < e->n_terms && e->other);
    if (x != x) return e->other[term];
    uint32_t first = e->first_code[term], n = e->first_code[term + 1] - first;
    if (n) return x >= 0 && x < n ? e->of_code[first + (uint32_t) x] : e->other[term];
    return x < e->low[term] ? e->low[term] : x > e->high[term] ? e->high[term] : x;
}

/* What a tree adds in a leaf that is a linear model; term i takes x[column[i]]. Products are
 * rounded before they are added, on machines that could do both at once, too. */
static inline double ct_forge_ensemble_model(const ct_forge_ensemble *e, uint32_t tree,
                                             uint32_t leaf, const double *x, const uint32_t *column)
{
    CT_ASSERT(e->first_term && e->feature[leaf] < 0);
    double sum = e->intercept[leaf];
    for (uint32_t i = e->first_term[leaf]; i < e->first_term[leaf + 1]; i++) {
        double value = x[column[i]];
        if (e->other) value = ct_forge_ensemble_factor(e, i, value);
        else if (value != value) return ct_forge_ensemble_term(e, tree, leaf, 0);
        double product = e->slope[i] * value;
        ROUNDED(product);
        sum += product;
    }
    if (e->other && sum < e->lowest[leaf]) sum = e->lowest[leaf];
    if (e->other && sum > e->highest[leaf]) sum = e->highest[leaf];
    sum *= e->weight[tree];
    ROUNDED(sum);
    return sum;
}

/* Whether a code is one that goes left: x as `number` has it, not NaN. */
CT_HD int ct_forge_ensemble_in_set(const ct_forge_ensemble *e, uint32_t node, double x)
{
    CT_ASSERT(e->set_size[node] > 0 && x == x);
    uint32_t size = e->set_size[node];
    double lowest = e->minus_fraction ? -1 : 0;
    int before = e->minus_fraction ? x <= lowest : x < lowest;
    if (before || x >= size) return e->set_else[node];
    uint32_t code = x > 0 ? (uint32_t) x : 0, bit = e->set_first[node] + code;
    return e->sets[bit / 8] >> (bit % 8) & 1;
}

/* Whether a row with this value goes left at a node that splits. */
static inline int ct_forge_ensemble_left(const ct_forge_ensemble *e, uint32_t node, double value)
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

#endif
