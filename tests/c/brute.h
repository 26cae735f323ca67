/* A second opinion: the cost of an optimal tree from the definition, for at most BRUTE_ROWS rows, with weights, losses, leaf
 * sizes and a choice of roots. Shares nothing with the library but the types of the data. Remembers the answer for each
 * set of rows and depth, since it depends on nothing else. */
#ifndef CT_TEST_BRUTE_H
#define CT_TEST_BRUTE_H

#include "random.h"

enum { BRUTE_ROWS = 16, BRUTE_DEPTH = 4 };

typedef struct {
    const ct_data *data;
    double split_cost; /* in rows */
    uint32_t min_bucket, min_split;
    double known[BRUTE_DEPTH + 1][1 << BRUTE_ROWS]; /* -1: not yet */
} brute;

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

static inline uint32_t brute_count(uint32_t rows)
{
    uint32_t n = 0;
    for (; rows; rows &= rows - 1) n++;
    return n;
}

static inline double brute_cost(brute *b, uint32_t rows, unsigned depth);

/* The least cost with a split on `col` at the root; infinite if there is none that may be. *fewest_left (may be
 * NULL): the fewest rows that a split of that cost sends left. */
static inline double brute_split(brute *b, uint32_t rows, uint32_t col, unsigned depth, uint32_t *fewest_left)
{
    double best = HUGE_VAL;
    uint32_t n = brute_count(rows);
    for (uint32_t at = 0; at < b->data->n_rows && n >= b->min_split; at++) { /* split below the value of row `at` */
        if (!(rows >> at & 1)) continue;
        double cut = ct_column_value(&b->data->columns[col], at);
        uint32_t left = 0;
        for (uint32_t i = 0; i < b->data->n_rows; i++)
            if ((rows >> i & 1) && ct_column_value(&b->data->columns[col], i) < cut) left |= UINT32_C(1) << i;
        uint32_t n_left = brute_count(left);
        if (!left || n_left < b->min_bucket || n - n_left < b->min_bucket) continue;
        double cost = b->split_cost + brute_cost(b, left, depth - 1) + brute_cost(b, rows & ~left, depth - 1);
        if (fewest_left && (cost < best || (cost == best && n_left < brute_count(*fewest_left)))) *fewest_left = left;
        if (cost < best) best = cost;
    }
    return best;
}

static inline double brute_cost(brute *b, uint32_t rows, unsigned depth)
{
    double *known = &b->known[depth][rows];
    if (*known >= 0) return *known;
    double best = brute_leaf(b, rows);
    for (uint32_t col = 0; depth && col < b->data->n_cols; col++) {
        double cost = brute_split(b, rows, col, depth, NULL);
        if (cost < best) best = cost;
    }
    return *known = best;
}

static inline uint32_t brute_all(const brute *b) { return (UINT32_C(1) << b->data->n_rows) - 1; }

/* The least cost of a tree whose root is split on `col`; brute_optimum() must have been asked before. */
static inline double brute_rooted(brute *b, uint32_t col, unsigned depth)
{
    return depth ? brute_split(b, brute_all(b), col, depth, NULL) : HUGE_VAL;
}

/* The least cost under the options' depth, complexity, min_bucket, min_split and roots. */
static inline double brute_optimum(brute *b, const ct_data *data, const ct_options *options)
{
    b->data = data;
    b->split_cost = options->complexity * sum_of_weights(data);
    b->min_bucket = options->min_bucket;
    b->min_split = options->min_split;
    for (unsigned d = 0; d <= options->depth; d++)
        for (uint32_t rows = 0; rows < UINT32_C(1) << data->n_rows; rows++) b->known[d][rows] = -1;
    double best = brute_leaf(b, brute_all(b));
    for (uint32_t col = 0; col < data->n_cols; col++) {
        double cost = options->roots && !options->roots[col] ? HUGE_VAL : brute_rooted(b, col, options->depth);
        if (cost < best) best = cost;
    }
    return best;
}

#endif
