/* A second opinion on what a search remembers: the least cost of the trees that a lower bound is
 * about, for tables of at most BOUND_ROWS rows. Costs are the search's own integers of rows and
 * splits; everything else is done anew from the values, row set by row set. */
#ifndef CT_TEST_BRUTE_BOUNDS_H
#define CT_TEST_BRUTE_BOUNDS_H

#include "base/bits.h"
#include "exact/search/observed.h"
#include "brute_squares.h"
#include "random.h"

enum { BOUND_ROWS = 12, BOUND_DEPTH = 4, BOUND_CLASSES = 8, BOUND_COLS = 8 };

typedef struct {
    const ct_data *data; /* with the values that a cap on thresholds leaves */
    uint32_t n_rows, n_cols, n_classes, min_bucket, min_split;
    uint32_t rank[BOUND_COLS][BOUND_ROWS]; /* among the distinct values */
    int costed;                            /* the two below are set */
    int64_t costs[BOUND_ROWS][BOUND_CLASSES], split;
    int64_t z[BOUND_ROWS], w[BOUND_ROWS]; /* with a response: on its grid, and weights; */
    int down;                             /* see there */
    int64_t known[2][BOUND_DEPTH + 1][1 << BOUND_ROWS]; /* [allowed]; -1: not yet */
} bound_brute;

/* 0 if the table is too large. */
static inline int bounds_begin(bound_brute *b, const ct_data *data, const ct_exact_options *options)
{
    if (data->n_rows > BOUND_ROWS || data->n_cols > BOUND_COLS ||
        data->n_classes > BOUND_CLASSES || options->depth > BOUND_DEPTH)
        return 0;
    b->data = data;
    b->n_rows = data->n_rows;
    b->n_cols = data->n_cols;
    b->n_classes = data->n_classes;
    b->min_bucket = options->min_bucket > 1 ? options->min_bucket : 1;
    b->min_split = options->min_split;
    for (uint32_t col = 0; col < b->n_cols; col++)
        for (uint32_t i = 0; i < b->n_rows; i++) {
            double x = ct_column_value(&data->columns[col], i), below[BOUND_ROWS];
            uint32_t n = 0;
            for (uint32_t j = 0; j < b->n_rows; j++) {
                double y = ct_column_value(&data->columns[col], j);
                uint32_t k = 0;
                while (k < n && below[k] != y) k++;
                if (y < x && k == n) below[n++] = y;
            }
            b->rank[col][i] = n;
        }
    b->costed = 0;
    memset(b->known, 0xff, sizeof b->known);
    return 1;
}

/* The problem that the search has made of it. */
static inline void bounds_take_costs(bound_brute *b, const ct_exact_search *search)
{
    const ct_exact_costs *costs = search->costs;
    size_t n = b->n_classes;
    b->down = b->data->response ? costs->response->full.down : 0;
    for (uint32_t i = 0; b->data->response && i < b->n_rows; i++) {
        b->z[i] = costs->response->full.z[i];
        b->w[i] = ct_full_weight(&costs->response->full, i);
    }
    for (uint32_t i = 0; !b->data->response && i < b->n_rows; i++)
        for (size_t k = 0; k < n; k++) {
            size_t c = (size_t) b->data->classes[i];
            int64_t units = ct_loss_units(costs, c, k);
            if (costs->weights) units *= costs->weights[i];
            b->costs[i][k] = units * ((int64_t) 1 << costs->shift);
        }
    b->split = costs->split;
    b->costed = 1;
}

static inline int64_t bounds_response(const bound_brute *b, uint32_t rows)
{
    uint32_t listed[BOUND_ROWS], n = 0;
    for (uint32_t i = 0; i < b->n_rows; i++)
        if (rows >> i & 1) listed[n++] = i;
    return brute_cost(b->down, b->z, b->w, listed, n);
}

static inline int64_t bounds_leaf(const bound_brute *b, uint32_t rows)
{
    int64_t best = INT64_MAX;
    if (b->data->response) return bounds_response(b, rows);
    for (uint32_t k = 0; k < b->n_classes; k++) {
        int64_t cost = 0;
        for (uint32_t i = 0; i < b->n_rows; i++)
            if (rows >> i & 1) cost += b->costs[i][k];
        if (cost < best) best = cost;
    }
    return best;
}

static inline int64_t bounds_least(bound_brute *b, uint32_t rows, unsigned depth, int allowed);

/* Of the trees with that root, INT64_MAX if there is none. */
static inline int64_t bounds_rooted(bound_brute *b, uint32_t rows, unsigned depth, int allowed,
                                    uint32_t col, uint32_t more, uint32_t fewer)
{
    int64_t best = INT64_MAX;
    uint32_t n = ct_popcount(rows), least = allowed ? b->min_bucket : 1;
    if (allowed && n < b->min_split) return best;
    for (uint32_t at = 0; at < b->n_rows; at++) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < b->n_rows; i++)
            if ((rows >> i & 1) && b->rank[col][i] < b->rank[col][at]) left |= UINT32_C(1) << i;
        uint32_t n_left = ct_popcount(left);
        if (n_left < least || n - n_left < least || n_left <= more || n_left >= fewer) continue;
        int64_t cost = b->split + bounds_least(b, left, depth - 1, allowed) +
                       bounds_least(b, rows & ~left, depth - 1, allowed);
        if (cost < best) best = cost;
    }
    return best;
}

static inline int64_t bounds_least(bound_brute *b, uint32_t rows, unsigned depth, int allowed)
{
    int64_t *known = &b->known[allowed][depth][rows];
    if (*known >= 0) return *known;
    int64_t best = bounds_leaf(b, rows);
    for (uint32_t col = 0; depth && col < b->n_cols; col++) {
        int64_t cost = bounds_rooted(b, rows, depth, allowed, col, 0, UINT32_MAX);
        if (cost < best) best = cost;
    }
    return *known = best;
}

/* Splits of `within` on that column, with two different labels, counted on `rows` alone; each of
 * them has at least so many rows of these. */
static inline int64_t bounds_stump(const bound_brute *b, uint32_t rows, uint32_t within,
                                   uint32_t col, uint32_t least)
{
    int64_t best = INT64_MAX;
    for (uint32_t at = 0; at < b->n_rows; at++) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < b->n_rows; i++)
            if (b->rank[col][i] < b->rank[col][at]) left |= UINT32_C(1) << i;
        if (!(within & left) || !(within & ~left)) continue;
        if (ct_popcount(rows & left) < least || ct_popcount(rows & ~left) < least) continue;
        if (b->data->response) {
            int64_t cost = b->split + bounds_leaf(b, rows & left) + bounds_leaf(b, rows & ~left);
            if (cost < best) best = cost;
            continue;
        }
        for (uint32_t k = 0; k < b->n_classes * b->n_classes; k++) {
            uint32_t labels[2] = {k / b->n_classes, k % b->n_classes};
            int64_t cost = b->split;
            for (uint32_t i = 0; i < b->n_rows; i++)
                if (rows >> i & 1) cost += b->costs[i][labels[left >> i & 1]];
            if (labels[0] != labels[1] && cost < best) best = cost;
        }
    }
    return best;
}

/* The rows that a path leads to. */
static inline uint32_t bounds_rows(const bound_brute *b, const ct_path *path)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < b->n_rows; i++) {
        int here = 1;
        for (uint32_t k = 0; k < path->n; k++)
            here &= (b->rank[path->line[k] / 2][i] >= path->threshold[k]) ==
                    (int) (path->line[k] & 1);
        if (here) rows |= UINT32_C(1) << i;
    }
    return rows;
}

/* What the bound must not be above. */
static inline int64_t bounds_truth(bound_brute *b, const ct_observed *seen)
{
    if (!b->costed) bounds_take_costs(b, seen->search);
    uint32_t rows = bounds_rows(b, &seen->path);
    if (seen->within)
        return bounds_stump(b, rows, bounds_rows(b, seen->within), (uint32_t) seen->feature,
                            seen->allowed ? b->min_bucket : 0);
    if (seen->feature < 0) return bounds_least(b, rows, seen->depth, seen->allowed);
    int64_t least = bounds_rooted(b, rows, seen->depth, seen->allowed, (uint32_t) seen->feature,
                                  seen->more, seen->fewer);
    if (!seen->empty_sides) return least;
    int64_t empty = b->split + bounds_least(b, rows, seen->depth - 1, seen->allowed);
    return empty < least ? empty : least;
}

#endif
