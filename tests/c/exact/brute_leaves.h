/* The best tree with a limited number of leaves by trying all, in integers, for at most FEW_ROWS
 * rows and what their sets cost as leaves: shares nothing with the search. Least cost; of these the
 * fewest leaves; of these the first column and the lowest threshold at the root, of these the
 * fewest leaves on the left, and so on down. */
#ifndef CT_TEST_BRUTE_LEAVES_H
#define CT_TEST_BRUTE_LEAVES_H

#include "brute_response.h"
#include "brute_sets.h"

enum { FEW_ROWS = 9, FEW_DEPTH = 5, FEW_SETS = 1 << FEW_ROWS };

typedef struct {
    int64_t cost;
    uint32_t leaves; /* 0: not known yet */
} few_value;

typedef struct {
    const ct_data *data;
    uint32_t min_bucket, min_split;
    const uint8_t *roots;    /* NULL: any */
    int64_t split;
    int64_t leaf[FEW_SETS];  /* [set of rows] */
    few_value known[FEW_DEPTH + 1][FEW_ROWS + 1][FEW_SETS]; /* by depth and leaves */
} few_brute;

/* A tree's root and how many leaves its left side may have; column -1: a leaf. */
typedef struct {
    few_value value;
    int32_t column;
    uint32_t left, left_leaves;
} few_choice;

static inline int few_less(few_value x, few_value y)
{
    return x.cost < y.cost || (x.cost == y.cost && x.leaves < y.leaves);
}

static inline few_choice few_choose(few_brute *b, uint32_t rows, unsigned depth, uint32_t leaves,
                                    const uint8_t *roots);

static inline few_value few_best(few_brute *b, uint32_t rows, unsigned depth, uint32_t leaves)
{
    if (leaves > FEW_ROWS) leaves = FEW_ROWS; /* no tree has more */
    few_value *known = &b->known[depth][leaves][rows];
    if (!known->leaves) *known = few_choose(b, rows, depth, leaves, NULL).value;
    return *known;
}

/* Tries one split with all that its sides may have. */
static inline void few_try(few_brute *b, uint32_t rows, uint32_t col, uint32_t left, unsigned depth,
                           uint32_t leaves, few_choice *best)
{
    uint32_t n = brute_count(rows), n_left = brute_count(left);
    if (!left || n_left < b->min_bucket || n - n_left < b->min_bucket) return;
    for (uint32_t k = 1; k < leaves; k++) {
        few_value l = few_best(b, left, depth - 1, k),
                  r = few_best(b, rows & ~left, depth - 1, leaves - k),
                  both = {b->split + l.cost + r.cost, l.leaves + r.leaves};
        int lower = best->column == (int32_t) col && n_left < brute_count(best->left);
        if (few_less(best->value, both) || (!few_less(both, best->value) && !lower)) continue;
        *best = (few_choice){both, (int32_t) col, left, k};
    }
}

static inline few_choice few_choose(few_brute *b, uint32_t rows, unsigned depth, uint32_t leaves,
                                    const uint8_t *roots)
{
    few_choice best = {{b->leaf[rows], 1}, -1, 0, 0};
    if (!depth || leaves < 2 || brute_count(rows) < b->min_split) return best;
    for (uint32_t col = 0; col < b->data->n_cols; col++) {
        if (roots && !roots[col]) continue;
        for (uint32_t at = 0; at < b->data->n_rows; at++)
            if (rows >> at & 1)
                few_try(b, rows, col, brute_below(b->data, rows, col, at), depth, leaves, &best);
    }
    return best;
}

/* As many leaves as there are rows where the options have no limit. */
static inline uint32_t few_most(const ct_exact_options *options)
{
    return options->max_leaves ? options->max_leaves : FEW_ROWS;
}

/* The options' limits; `split` and `leaf` are set by the caller before. Returns the optimum. */
static inline few_value few_optimum(few_brute *b, const ct_data *data,
                                    const ct_exact_options *options)
{
    b->data = data;
    b->min_bucket = options->min_bucket;
    b->min_split = options->min_split;
    b->roots = options->roots;
    memset(b->known, 0, sizeof b->known);
    return few_choose(b, (UINT32_C(1) << data->n_rows) - 1, options->depth, few_most(options),
                      b->roots)
        .value;
}

/* Whether the tree below `node` is the one that the rule wants. */
static inline int few_is_tree(few_brute *b, const ct_forest *tree, uint32_t node, uint32_t rows,
                              unsigned depth, uint32_t leaves, const uint8_t *roots)
{
    few_choice best = few_choose(b, rows, depth, leaves, roots);
    if (tree->feature[node] != best.column) return 0;
    if (best.column < 0) return 1;
    uint32_t left = 0;
    for (uint32_t i = 0; i < b->data->n_rows; i++) {
        double x = ct_column_value(&b->data->columns[best.column], i);
        if ((rows >> i & 1) && x < tree->threshold[node]) left |= UINT32_C(1) << i;
    }
    return left == best.left &&
           few_is_tree(b, tree, tree->left[node], left, depth - 1, best.left_leaves, NULL) &&
           few_is_tree(b, tree, tree->right[node], rows & ~left, depth - 1,
                       leaves - best.left_leaves, NULL);
}

#endif
