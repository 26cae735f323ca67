/* A second opinion: the optimal tree from the definition, for at most BRUTE_ROWS rows, with
 * weights, losses, leaf sizes and a choice of roots: least cost; of these the fewest leaves; of
 * these the first column and the lowest threshold at the root, and so on down. Shares nothing with
 * the library but the types of the data. Remembers the answer for each set of rows and depth, since
 * it depends on nothing else. */
#ifndef CT_TEST_BRUTE_H
#define CT_TEST_BRUTE_H

#include "brute_sets.h"
#include "random.h"

enum { BRUTE_ROWS = 16, BRUTE_DEPTH = 4 };

/* What counts of a tree, its first column apart. */
typedef struct {
    double cost; /* infinite: there is none */
    uint32_t leaves;
} brute_value;

typedef struct {
    const ct_data *data;
    double split_cost; /* in rows */
    double tie, share; /* costs that differ by no more than tie + share * cost are equal */
    uint32_t min_bucket, min_split;
    int any_size; /* leaves do not count: of equal trees the first, and a leaf before any other */
    brute_value known[BRUTE_DEPTH + 1][1 << BRUTE_ROWS]; /* no leaves: not yet */
} brute;

static inline int brute_less(const brute *b, brute_value x, brute_value y)
{
    double tie = b->tie + b->share * fmin(x.cost, y.cost);
    if (x.cost < y.cost - tie || y.cost < x.cost - tie) return x.cost < y.cost;
    return !b->any_size && x.leaves < y.leaves;
}

static inline double brute_leaf(const brute *b, uint32_t rows)
{
    double best = HUGE_VAL;
    for (uint32_t label = 0; label < b->data->n_classes; label++) {
        double cost = 0;
        for (uint32_t i = 0; i < b->data->n_rows; i++)
            if (rows >> i & 1) cost += cost_of_row(b->data, i, label);
        if (cost < best) best = cost;
    }
    return best;
}

static inline brute_value brute_best(brute *b, uint32_t rows, unsigned depth);

/* The best tree with a split on `col` at the root. *lowest (may be NULL): the rows that its lowest
 * threshold sends left. */
static inline brute_value brute_split(brute *b, uint32_t rows, uint32_t col, unsigned depth,
                                      uint32_t *lowest)
{
    brute_value best = {HUGE_VAL, UINT32_MAX};
    uint32_t n = brute_count(rows), fewest = 0;
    for (uint32_t at = 0; at < b->data->n_rows && n >= b->min_split; at++) {
        uint32_t left = rows >> at & 1 ? brute_below(b->data, rows, col, at) : 0,
                 n_left = brute_count(left);
        if (!left || n_left < b->min_bucket || n - n_left < b->min_bucket) continue;
        brute_value l = brute_best(b, left, depth - 1), r = brute_best(b, rows & ~left, depth - 1);
        brute_value both = {b->split_cost + l.cost + r.cost, l.leaves + r.leaves};
        if (!brute_less(b, both, best) && (brute_less(b, best, both) || n_left >= fewest)) continue;
        best = both;
        fewest = n_left;
        if (lowest) *lowest = left;
    }
    return best;
}

/* The first column whose split begins a best tree, and what it sends left; -1: the leaf is best.
 * roots may be NULL. */
static inline int32_t brute_choice(brute *b, uint32_t rows, unsigned depth, const uint8_t *roots,
                                   brute_value *best, uint32_t *left)
{
    int32_t first = -1;
    *best = (brute_value){brute_leaf(b, rows), 1};
    for (uint32_t col = 0; depth && col < b->data->n_cols; col++) {
        uint32_t lowest = 0;
        if (roots && !roots[col]) continue;
        brute_value split = brute_split(b, rows, col, depth, &lowest);
        if (!brute_less(b, split, *best)) continue;
        *best = split;
        *left = lowest;
        first = (int32_t) col;
    }
    return first;
}

static inline brute_value brute_best(brute *b, uint32_t rows, unsigned depth)
{
    brute_value *known = &b->known[depth][rows];
    uint32_t left;
    if (!known->leaves) brute_choice(b, rows, depth, NULL, known, &left);
    return *known;
}

static inline uint32_t brute_all(const brute *b) { return (UINT32_C(1) << b->data->n_rows) - 1; }

/* The least cost of a tree whose root is split on `col`; brute_optimum() must have been asked
 * before. */
static inline double brute_rooted(brute *b, uint32_t col, unsigned depth)
{
    return depth ? brute_split(b, brute_all(b), col, depth, NULL).cost : HUGE_VAL;
}

/* Which costs are equal: those that the library may take for equal, as it rounds them to parts of
 * what all rows cost, and takes numbers within 2^-50 of whole ones for these; or those that sums of
 * doubles cannot tell apart. */
typedef enum { BRUTE_ROUNDED, BRUTE_EXACT } brute_equality;

/* The least cost under the options' depth, complexity, min_bucket, min_split and roots. */
static inline double brute_optimum_by(brute *b, const ct_data *data,
                                      const ct_exact_options *options, brute_equality equality)
{
    int whole = !data->weights && !data->loss && !(options->complexity > 0);
    double off = whole ? 0 : ldexp(data->n_rows + 16, -52);
    brute_value best;
    uint32_t left;
    b->data = data;
    b->split_cost = options->complexity * sum_of_weights(data);
    b->tie = equality == BRUTE_ROUNDED ? off * (dearest_of(data) + b->split_cost) : 0;
    b->share = equality == BRUTE_ROUNDED ? 0 : off;
    b->min_bucket = options->min_bucket;
    b->min_split = options->min_split;
    b->any_size = options->any_size;
    for (unsigned d = 0; d <= options->depth; d++)
        for (uint32_t rows = 0; rows < UINT32_C(1) << data->n_rows; rows++)
            b->known[d][rows].leaves = 0;
    brute_choice(b, brute_all(b), options->depth, options->roots, &best, &left);
    return best.cost;
}

static inline double brute_optimum(brute *b, const ct_data *data, const ct_exact_options *options)
{
    return brute_optimum_by(b, data, options, BRUTE_ROUNDED);
}

/* Whether the tree below `node` is the one that the rule wants for these rows. */
static inline int brute_is_tree(brute *b, const ct_forest *tree, uint32_t node, uint32_t rows,
                                unsigned depth, const uint8_t *roots)
{
    brute_value best;
    uint32_t left = 0;
    int32_t col = brute_choice(b, rows, depth, roots, &best, &left);
    if (tree->feature[node] != col) return 0;
    if (col < 0) return 1;
    for (uint32_t i = 0; i < b->data->n_rows; i++) {
        int below = ct_column_value(&b->data->columns[col], i) < tree->threshold[node];
        if ((rows >> i & 1) && below != (int) (left >> i & 1)) return 0;
    }
    return brute_is_tree(b, tree, tree->left[node], left, depth - 1, NULL) &&
           brute_is_tree(b, tree, tree->right[node], rows & ~left, depth - 1, NULL);
}

#endif
