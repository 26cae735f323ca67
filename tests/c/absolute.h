/* What the best tree costs in absolute units, and how few leaves a tree of that cost may have: from
 * the definition, for at most ABSOLUTE_ROWS rows. Sums are in long double, which holds whole
 * numbers up to 2^64, so no weight of 1e11 hides a 1 beside it. Shares nothing with the library but
 * the types of the data. */
#ifndef CT_TEST_ABSOLUTE_H
#define CT_TEST_ABSOLUTE_H

#include "exact/brute_sets.h"
#include "random.h"

enum { ABSOLUTE_ROWS = 12, ABSOLUTE_DEPTH = 4 };

typedef struct {
    long double cost;
    uint32_t leaves; /* 0: not yet known */
} absolute_cost;

typedef struct {
    const ct_data *data;
    long double split_cost,
        tie; /* costs that differ by no more are the same: where splits cost a decimal fraction */
    uint32_t min_bucket, min_split;
    absolute_cost known[ABSOLUTE_DEPTH + 1][1 << ABSOLUTE_ROWS];
} absolute;

static inline long double absolute_cost_of_row(const ct_data *data, uint32_t row, uint32_t label)
{
    size_t own = (size_t) data->classes[row];
    long double loss = data->loss ? data->loss[own * data->n_classes + label] : own != label;
    return loss * (data->weights ? data->weights[row] : 1);
}

static inline long double absolute_weight(const ct_data *data)
{
    long double sum = data->weights ? 0 : data->n_rows;
    for (uint32_t row = 0; data->weights && row < data->n_rows; row++) sum += data->weights[row];
    return sum;
}

/* What the rows cost if each gets these labels and the tree has so many splits. */
static inline long double absolute_cost_of(const ct_data *data, const ct_outcome *tree,
                                           double complexity)
{
    long double cost = complexity * absolute_weight(data) * tree->n_splits;
    for (uint32_t row = 0; row < data->n_rows; row++)
        cost += absolute_cost_of_row(data, row, (uint32_t) tree->labels[row]);
    return cost;
}

static inline int absolute_is_less(absolute_cost a, absolute_cost b, long double tie)
{
    return a.cost < b.cost - tie || (a.cost <= b.cost + tie && a.leaves < b.leaves);
}

static inline absolute_cost absolute_leaf(const absolute *a, uint32_t rows)
{
    absolute_cost best = {HUGE_VALL, 1};
    for (uint32_t label = 0; label < a->data->n_classes; label++) {
        long double cost = 0;
        for (uint32_t i = 0; i < a->data->n_rows; i++)
            if (rows >> i & 1) cost += absolute_cost_of_row(a->data, i, label);
        if (cost < best.cost) best.cost = cost;
    }
    return best;
}

static inline absolute_cost absolute_best(absolute *a, uint32_t rows, unsigned depth)
{
    absolute_cost *known = &a->known[depth][rows], best = absolute_leaf(a, rows);
    if (known->leaves) return *known;
    uint32_t n = brute_count(rows);
    for (uint32_t col = 0; depth && n >= a->min_split && col < a->data->n_cols; col++)
        for (uint32_t at = 0; at < a->data->n_rows; at++) { /* split below the value of row `at` */
            uint32_t left = brute_below(a->data, rows, col, at), n_left = brute_count(left);
            if (!(rows >> at & 1) || !left || n_left < a->min_bucket || n - n_left < a->min_bucket)
                continue;
            absolute_cost l = absolute_best(a, left, depth - 1),
                          r = absolute_best(a, rows & ~left, depth - 1);
            absolute_cost split = {a->split_cost + l.cost + r.cost, l.leaves + r.leaves};
            if (absolute_is_less(split, best, a->tie)) best = split;
        }
    return *known = best;
}

/* Of all trees under the options' depth, complexity, min_bucket and min_split. */
static inline absolute_cost absolute_optimum(absolute *a, const ct_data *data,
                                             const ct_exact_options *options)
{
    a->data = data;
    a->split_cost = options->complexity * absolute_weight(data);
    a->tie = options->complexity > 0 ? 1e-12L * absolute_weight(data) : 0;
    a->min_bucket = options->min_bucket;
    a->min_split = options->min_split;
    memset(a->known, 0, sizeof a->known);
    return absolute_best(a, (UINT32_C(1) << data->n_rows) - 1, options->depth);
}

#endif
