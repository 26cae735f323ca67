/* A second opinion: the cost of an optimal tree from the definition, for at most 20 rows. Shares nothing with the
 * library. Remembers the answer for each set of rows and depth, since it depends on nothing else. */
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
        for (uint32_t i = 0; i < b->data->n_rows; i++) {
            uint32_t own = (uint32_t) b->data->classes[i];
            double loss = b->data->loss ? b->data->loss[own * b->data->n_classes + label] : own != label;
            if (rows >> i & 1) cost += loss * (b->data->weights ? b->data->weights[i] : 1);
        }
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
        for (uint32_t at = 0; at < b->data->n_rows; at++) { /* split below the value of row `at` */
            if (!(rows >> at & 1)) continue;
            double cut = ct_column_value(&b->data->columns[col], at);
            uint32_t left = 0;
            for (uint32_t i = 0; i < b->data->n_rows; i++)
                if ((rows >> i & 1) && ct_column_value(&b->data->columns[col], i) < cut) left |= UINT32_C(1) << i;
            uint32_t n_left = ct_popcount(left), n = ct_popcount(rows);
            if (!left || n < b->min_split || n_left < b->min_bucket || n - n_left < b->min_bucket) continue;
            double cost = b->split_cost + brute_cost(b, left, depth - 1) + brute_cost(b, rows & ~left, depth - 1);
            if (cost < best) best = cost;
        }
    }
    return *known = best;
}

/* The least cost under the options' depth, complexity, min_bucket and min_split. */
static inline double brute_optimum(brute *b, const ct_data *data, const ct_options *options)
{
    b->data = data;
    double weight = data->weights ? 0 : data->n_rows;
    for (uint32_t i = 0; data->weights && i < data->n_rows; i++) weight += data->weights[i];
    b->split_cost = options->complexity * weight;
    b->min_bucket = options->min_bucket;
    b->min_split = options->min_split;
    for (unsigned d = 0; d <= options->depth; d++)
        for (uint32_t rows = 0; rows < UINT32_C(1) << data->n_rows; rows++) b->known[d][rows] = -1;
    return brute_cost(b, (UINT32_C(1) << data->n_rows) - 1, options->depth);
}

#endif
