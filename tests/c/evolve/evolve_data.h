/* Small data for the tests of model trees, and second opinions: models by QR of the rows, tests
 * tried one by one. */
#ifndef CT_TEST_EVOLVE_DATA_H
#define CT_TEST_EVOLVE_DATA_H

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "evolve/gmt.h"

enum { MOST_ROWS = 6000, MOST_COLUMNS = 6 };

/* ---- data ---- */

typedef struct {
    double x[MOST_COLUMNS][MOST_ROWS], y[MOST_ROWS], weights[MOST_ROWS];
    int32_t codes[MOST_ROWS];
    ct_column columns[MOST_COLUMNS + 1];
    uint32_t regressors[MOST_COLUMNS], splitters[MOST_COLUMNS + 1], n_levels[MOST_COLUMNS + 1];
    ct_gmt_model_data data;
} evolve_data;

static inline double uniform(ct_rng *rng) { return (ct_rng_next(rng) + 0.5) / 4294967296.0; }

/* `values`: how many different ones a column has, so that there are ties; 0: all differ. `levels`:
 * of a factor as the last splitter. `holes`: in how many of 8 rows a splitter has no value. */
static inline evolve_data *new_data(uint32_t seed, uint32_t n, uint32_t q, uint32_t values,
                             uint32_t levels, uint32_t holes)
{
    evolve_data *d = (evolve_data *) keep_new(1, sizeof *d);
    ct_rng rng = ct_rng_of(seed, 99, 0);
    for (uint32_t row = 0; row < n; row++) {
        d->codes[row] = levels ? 1 + (int32_t) ct_rng_below(&rng, levels) : 1;
        for (uint32_t k = 0; k < q; k++)
            d->x[k][row] = values ? ct_rng_below(&rng, values) : 5 * uniform(&rng);
        double a = d->x[0][row], b = q > 1 ? d->x[1][row] : 0;
        d->y[row] = (a < 2 ? a + b : 3 - 2 * a) + 0.5 * (d->codes[row] % 3) + 0.3 * uniform(&rng);
        d->weights[row] = 0.5 + uniform(&rng);
        /* the last column has holes as a splitter and is no regressor then */
        if (holes && ct_rng_below(&rng, 8) < holes) d->x[q - 1][row] = NAN;
    }
    for (uint32_t k = 0; k < q; k++) {
        d->columns[k].values = d->x[k];
        d->columns[k].type = CT_DOUBLE;
        d->regressors[k] = d->splitters[k] = k;
    }
    d->columns[q].values = d->codes;
    d->columns[q].type = CT_INT32;
    d->splitters[q] = q;
    d->n_levels[q] = levels;
    d->data = (ct_gmt_model_data){n,
                                  q + 1,
                                  d->columns,
                                  holes ? q - 1 : q,
                                  d->regressors,
                                  levels ? q + 1 : q,
                                  d->splitters,
                                  d->n_levels,
                                  d->y,
                                  NULL, 0, NULL};
    return d;
}

static inline ct_gmt_options default_options(void)
{
    ct_gmt_options o;
    memset(&o, 0, sizeof o);
    o.limits = (ct_tree_limits){16, 6, 6, 1, 0};
    o.bins = 16;
    o.effort = 12;
    o.patience = 12;
    o.max_rows = INFINITY;
    o.paper.crossover = 0.2;
    o.paper.mutation = 0.8;
    o.paper.pressure = 1.7;
    o.paper.elite = 1;
    o.sample = 20000;
    o.open_max = 2;
    o.seed = 1;
    o.threads = 1;
    o.simd = CT_SIMD_SCALAR;
    o.time_limit = INFINITY;
    return o;
}

/* So many rows that they are summed in pieces: five planes with the edges 1 and 4 of the first
 * column and 2 and 4 of the second, noise of 0.05 at most. */
static inline evolve_data *new_planes(uint32_t n)
{
    evolve_data *d = (evolve_data *) keep_new(1, sizeof *d);
    double *x = (double *) keep_new(3 * (size_t) n, sizeof *x);
    double *y = x + 2 * (size_t) n;
    ct_rng rng = ct_rng_of(5, 98, 0);
    for (size_t row = 0; row < n; row++) {
        double a = x[row] = 5 * uniform(&rng), b = x[n + row] = 5 * uniform(&rng);
        y[row] = (a < 1    ? 16 * a - 2 * b - 8
                  : a >= 4 ? 72 - 16 * a - 2 * b
                  : b < 2  ? a - 4 * b + 2
                  : b < 4  ? a + b - 8
                           : a + 16 * b - 56) + 0.1 * (uniform(&rng) - 0.5);
    }
    for (uint32_t k = 0; k < 2; k++) {
        d->columns[k] = (ct_column){x + k * (size_t) n, CT_DOUBLE};
        d->regressors[k] = d->splitters[k] = k;
    }
    d->data = (ct_gmt_model_data){n, 2, d->columns, 2, d->regressors, 2, d->splitters, d->n_levels,
                                  y, NULL, 0, NULL};
    return d;
}

static inline void release_table(void *of) { ct_gmt_model_table_free((ct_model_table *) of); }

static inline int open_table(const evolve_data *d, uint32_t bins, ct_model_table *table)
{
    int fine = CHECK_OK(ct_gmt_model_table_init(table, &d->data, bins, 1, &reason));
    if (fine) keep_parts(table, sizeof *table, release_table);
    return fine;
}

static inline void release_gmt(void *of) { ct_gmt_free((ct_gmt *) of); }

/* What it makes is kept. */
static inline int fit(const evolve_data *d, const ct_gmt_options *o, ct_gmt *gmt)
{
    int fine = CHECK_OK(ct_gmt_fit(&d->data, o, gmt, &reason));
    keep_parts(gmt, sizeof *gmt, release_gmt);
    return fine;
}

static inline int same_fit(const ct_gmt *a, const ct_gmt *b, uint32_t n_rows)
{
    size_t n = a->forest.n_nodes;
    return n == b->forest.n_nodes && a->touched == b->touched && a->kicks == b->kicks &&
           !memcmp(a->forest.feature, b->forest.feature, n * sizeof *a->forest.feature) &&
           !memcmp(a->models.coefficients, b->models.coefficients,
                   n * a->models.p * sizeof(double)) &&
           !memcmp(a->where, b->where, n_rows * sizeof *a->where);
}

/* ---- second opinions ---- */

/* SSE of the rows with `in`, by Householder on the rows themselves, as one node's model. */
static inline double plain_sse(const ct_gmt_model_data *data, const uint8_t *in, double *terms)
{
    ct_gmt_model_data subset = *data;
    static double x[MOST_COLUMNS][MOST_ROWS], y[MOST_ROWS], weights[MOST_ROWS];
    ct_column columns[MOST_COLUMNS];
    uint32_t regressors[MOST_COLUMNS], zero = 0, n = 0;
    int32_t where[MOST_ROWS] = {0};
    for (uint32_t row = 0; row < data->n_rows; row++) {
        if (!in[row]) continue;
        for (uint32_t k = 0; k < data->n_regressors; k++)
            x[k][n] = ct_column_value(&data->columns[data->regressors[k]], row);
        if (data->weights) weights[n] = data->weights[row];
        y[n++] = data->response[row];
    }
    for (uint32_t k = 0; k < data->n_regressors; k++) {
        columns[k].values = x[k];
        columns[k].type = CT_DOUBLE;
        regressors[k] = k;
    }
    subset.n_rows = n;
    subset.columns = columns;
    subset.regressors = regressors;
    subset.response = y;
    subset.weights = data->weights ? weights : NULL;
    ct_gmt_node_models models;
    *terms = 0;
    if (!n) return 0;
    CHECK_OK(ct_gmt_node_models_fit(&models, &subset, 1, &zero, &zero, where, NULL, 1, &reason));
    double sse = models.deviance[0];
    *terms = models.rank[0];
    ct_gmt_node_models_free(&models);
    return sse;
}

/* As ct_gmt_model_tree_refresh with no other limits. */
static inline void refresh(ct_model_tree *tree, int32_t node, uint32_t minbucket,
                           uint32_t depth_max)
{
    const ct_tree_limits limits = {CT_TREE_LEAVES, depth_max, minbucket, 1, 0};
    ct_gmt_model_tree_refresh(tree, node, &limits);
}

typedef struct {
    double cost;
    uint32_t n_tried;
} plain_best;

/* A split below the root: the leaves of its side that are below it. */
typedef struct {
    int side;
    uint32_t begin, end;
} plain_split;

typedef struct {
    uint32_t n;
    plain_split splits[CT_TREE_LEAVES];
} plain_splits;

/* Where a row goes by a test that is given in values. */
static inline int plain_left(const evolve_data *d, uint32_t s, double threshold, uint32_t set,
                      int missing_left, uint32_t row)
{
    const ct_column *column = &d->data.columns[d->data.splitters[s]];
    if (ct_column_missing(column, row)) return missing_left;
    double x = ct_column_value(column, row);
    return d->data.n_levels[s] ? (int) (set >> ((uint32_t) x - 1) & 1) : x < threshold;
}

/* The cost of a test at the root, above the leaves of both its subtrees, whose rows `leaf` tells:
 * [side][row]. INFINITY if a leaf or a split has too few rows. */
static inline double cost_of_test(const evolve_data *d, const uint8_t *left, uint8_t *const *leaf,
                                  const uint32_t *n_leaves, const plain_splits *splits,
                                  const ct_gmt_split_options *o)
{
    uint8_t in[MOST_ROWS];
    double cost = o->lambda * (n_leaves[0] + n_leaves[1] - 1);
    for (uint32_t i = 0; splits && i < splits->n; i++) {
        const plain_split *split = &splits->splits[i];
        uint32_t n = 0;
        for (uint32_t row = 0; row < d->data.n_rows; row++) {
            uint32_t k = leaf[split->side][row];
            n += (left[row] != 0) == (split->side == 0) && k >= split->begin && k < split->end;
        }
        if (n < o->min_n) return INFINITY;
    }
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < n_leaves[side]; k++) {
            uint32_t n = 0;
            double terms;
            for (uint32_t row = 0; row < d->data.n_rows; row++)
                n += in[row] = (left[row] != 0) == (side == 0) && leaf[side][row] == k;
            if (n < o->minbucket) return INFINITY;
            cost += plain_sse(&d->data, in, &terms);
            cost += o->lambda * terms;
        }
    return cost;
}

static inline void try_test(const evolve_data *d, uint32_t s, double threshold, uint32_t set,
                            uint8_t *const *leaf, const uint32_t *n_leaves,
                            const plain_splits *splits, const ct_gmt_split_options *o,
                            plain_best *best)
{
    uint8_t left[MOST_ROWS];
    for (int missing_left = 0; missing_left < 2; missing_left++) {
        for (uint32_t row = 0; row < d->data.n_rows; row++)
            left[row] = (uint8_t) plain_left(d, s, threshold, set, missing_left, row);
        double cost = cost_of_test(d, left, leaf, n_leaves, splits, o);
        best->n_tried++;
        if (cost < best->cost) best->cost = cost;
    }
}

/* All thresholds and sets of all splitters, at the root of a tree. `splits`: NULL for none. */
static inline double brute_split(const evolve_data *d, uint8_t *const *leaf,
                                 const uint32_t *n_leaves, const plain_splits *splits,
                                 const ct_gmt_split_options *o)
{
    plain_best best = {INFINITY, 0};
    for (uint32_t s = 0; s < d->data.n_splitters; s++) {
        uint32_t n_levels = d->data.n_levels[s];
        for (uint32_t set = 1; n_levels && set + 1 < 1u << n_levels; set++)
            try_test(d, s, 0, set, leaf, n_leaves, splits, o, &best);
        const ct_column *column = &d->data.columns[d->data.splitters[s]];
        for (uint32_t row = 0; !n_levels && row < d->data.n_rows; row++)
            if (!ct_column_missing(column, row))
                try_test(d, s, ct_column_value(column, row), 0, leaf, n_leaves, splits, o,
                         &best);
        if (!n_levels) try_test(d, s, INFINITY, 0, leaf, n_leaves, splits, o, &best);
    }
    return best.cost;
}

#endif
