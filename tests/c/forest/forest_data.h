/* Tables for the tests of forests: columns of few and of many values, with values missing; and what
 * the tests ask of a forest, in plain loops over raw values. */
#ifndef CT_TEST_FOREST_DATA_H
#define CT_TEST_FOREST_DATA_H

#include <math.h>

#include "base/memory.h"
#include "forest/hist_forest.h"
#include "forest/sample/sample.h"
#include "forest_hash.h"
#include "random.h"

/* The code of a value that need not have been there. */
static inline uint16_t code_of(const double *edges, uint32_t n_codes, double value)
{
    uint32_t code = 0, n = n_codes;
    while (n > 1) {
        uint32_t half = n / 2;
        code += value >= edges[code + half] ? half : 0;
        n -= half;
    }
    return (uint16_t) code;
}

typedef struct {
    uint32_t n_rows, n_cols, n_classes;
    double *values; /* [col][row] */
    ct_column *columns;
    int32_t *classes;
    double *numbers;
    ct_hist_codes *codes;
    ct_hist_data data;
} forest_table;

/* Columns of up to `levels` values (0: as many as there are rows), a share of them missing. */
static inline forest_table forest_table_new(uint64_t seed, uint32_t n_rows, uint32_t n_cols,
                                            uint32_t n_classes, uint32_t levels, double missing,
                                            uint32_t most)
{
    rng r = {seed};
    ct_error error;
    forest_table t;
    memset(&t, 0, sizeof t);
    t.n_rows = n_rows, t.n_cols = n_cols, t.n_classes = n_classes;
    t.values = (double *) malloc((size_t) n_rows * n_cols * sizeof *t.values);
    t.columns = (ct_column *) malloc(n_cols * sizeof *t.columns);
    t.classes = (int32_t *) malloc(n_rows * sizeof *t.classes);
    t.numbers = (double *) malloc(n_rows * sizeof *t.numbers);
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = t.values + (size_t) col * n_rows;
        for (uint32_t i = 0; i < n_rows; i++) {
            x[i] = levels ? (double) rng_below(&r, levels) / 8 - 3 : rng_unit(&r) * rng_unit(&r);
            if (col % 2 == 0 && rng_unit(&r) < missing) x[i] = NAN;
        }
        t.columns[col] = (ct_column){x, CT_DOUBLE};
    }
    for (uint32_t i = 0; i < n_rows; i++) {
        double a = t.values[i], b = t.values[(size_t) (n_cols > 1) * n_rows + i];
        double s = (a == a ? a : 0.3) + (b == b ? b * b : 0.1) + 0.3 * rng_unit(&r);
        t.numbers[i] = s;
        t.classes[i] = n_classes ? (int32_t) fmin(n_classes - 1, floor(fabs(s) * n_classes / 2))
                                 : 0;
        if (n_classes && rng_below(&r, 10) == 0) t.classes[i] = (int32_t) rng_below(&r, n_classes);
    }
    t.codes = (ct_hist_codes *) malloc(sizeof *t.codes);
    if (ct_hist_codes_init(t.codes, t.columns, n_cols, n_rows, most, 1, 1, NULL, &error) != CT_OK)
        abort();
    t.data.codes = t.codes;
    t.data.n_classes = n_classes;
    t.data.classes = n_classes ? t.classes : NULL;
    t.data.numbers = n_classes ? NULL : t.numbers;
    return t;
}

static inline void forest_table_free(forest_table *t)
{
    ct_hist_codes_free(t->codes);
    free(t->codes);
    free(t->values);
    free(t->columns);
    free(t->classes);
    free(t->numbers);
}

static inline ct_hist_options forest_options(const forest_table *t, uint32_t trees)
{
    ct_hist_options o;
    memset(&o, 0, sizeof o);
    o.n_trees = trees;
    o.mtry = t->n_cols;
    o.depth = 1000;
    o.min_n = 1;
    o.sample = t->n_rows;
    o.replace = 1;
    o.gains = 1;
    o.seed = 77;
    o.threads = 1;
    o.simd = ct_cpu_find("auto");
    o.time_limit = INFINITY;
    o.memory_limit = SIZE_MAX / 4;
    return o;
}

enum { FOREST_CLASSES = 1200 }; /* at most that are recounted */

/* Rows of a node on both sides of a test. */
typedef struct {
    long double sum[2][FOREST_CLASSES], size[2];
} forest_sides;

static inline void forest_sides_add(forest_sides *s, const forest_table *t, uint32_t row,
                                    uint32_t count, uint32_t side)
{
    s->size[side] += count;
    if (t->n_classes) s->sum[side][t->classes[row]] += count;
    else s->sum[side][0] += count * (long double) t->numbers[row];
}

/* How good the test is; below 0 if a side is empty. */
static inline long double forest_sides_score(const forest_sides *s, const forest_table *t)
{
    long double score = 0;
    if (s->size[0] == 0 || s->size[1] == 0) return -1;
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < (t->n_classes ? t->n_classes : 1); k++)
            score += s->sum[side][k] * s->sum[side][k] / s->size[side];
    return score;
}

/* The threshold of a node in raw values: less than it goes left; infinite where all values do. */
static inline double raw_threshold(const ct_hist_codes *codes, const ct_hist_node *node)
{
    const ct_hist_code_column *column = &codes->columns[node->feature];
    return node->cut < column->n_codes ? column->edges[node->cut] : INFINITY;
}

/* The leaf of a row by its raw values. */
static inline uint32_t raw_leaf(const forest_table *t, const ct_hist_tree *tree, uint32_t row)
{
    uint32_t at = 0;
    while (tree->nodes[at].feature != CT_HIST_LEAF) {
        const ct_hist_node *node = &tree->nodes[at];
        double x = t->values[(size_t) node->feature * t->n_rows + row];
        const ct_hist_code_column *column = &t->codes->columns[node->feature];
        int left;
        if (x != x) left = (node->next & CT_HIST_FLAG) != 0;
        else if (node->next & CT_HIST_SET)
            left = node->cut >> code_of(column->edges, column->n_codes, x) & 1;
        else left = x < raw_threshold(t->codes, node);
        at = (node->next & CT_HIST_CHILD) + (uint32_t) !left;
    }
    return at;
}

static inline uint32_t *forest_sample(const ct_hist_data *data, const ct_hist_options *o,
                                      uint32_t tree)
{
    ct_hist_sampler sampler;
    uint32_t n = data->codes->n_rows, *counts = (uint32_t *) malloc(n * sizeof *counts);
    if (!counts || ct_hist_sampler_init(&sampler, n, data->sampling) != CT_OK) abort();
    ct_hist_sample(&sampler, o->seed, tree, o->sample, o->replace, NULL, counts);
    ct_hist_sampler_free(&sampler);
    return counts;
}

#endif
