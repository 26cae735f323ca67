/* Random tables for the tests. */
#ifndef CT_TEST_RANDOM_H
#define CT_TEST_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "exact/exact.h"

/* A small generator with a seed, so that a failure can be made again from its number. */
typedef check_rng rng;

static inline uint32_t rng_next(rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = r->state;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((x ^ (x >> 31)) >> 32);
}

static inline uint32_t rng_below(rng *r, uint32_t n)
{
    return (uint32_t) ((uint64_t) rng_next(r) * n >> 32);
}
static inline double rng_unit(rng *r) { return rng_next(r) / 4294967296.0; }

/* What it has is kept, see check.h; table_free() frees it at once. */
typedef struct {
    ct_data data;
    ct_column *columns;
    double *values; /* column after column */
    int32_t *classes;
    double *weights, *loss; /* NULL unless asked for */
    uint8_t *roots;         /* [n_cols] where the root may be split; NULL unless asked for */
} random_table;

static inline random_table table_new(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes)
{
    random_table t;
    t.columns = (ct_column *) keep_new(n_cols, sizeof *t.columns);
    t.values = (double *) keep_new((size_t) n_rows * n_cols, sizeof *t.values);
    t.classes = (int32_t *) keep_new(n_rows, sizeof *t.classes);
    for (uint32_t col = 0; col < n_cols; col++)
        t.columns[col] = (ct_column){t.values + (size_t) col * n_rows, CT_DOUBLE};
    t.weights = t.loss = NULL;
    t.roots = NULL;
    t.data = (ct_data){n_rows, n_cols, n_classes, t.columns, t.classes, NULL, NULL, NULL};
    return t;
}

static inline void table_free(random_table *t)
{
    drop(t->roots);
    drop(t->loss);
    drop(t->weights);
    drop(t->classes);
    drop(t->values);
    drop(t->columns);
}

static inline double *table_column(random_table *t, uint32_t col)
{
    return t->values + (size_t) col * t->data.n_rows;
}

/* The kinds of column that make trouble: ties, constants, near-equal, huge and tiny values. */
static inline void fill_column(rng *r, double *x, uint32_t n)
{
    uint32_t kind = rng_below(r, 8), levels = 1 + rng_below(r, 6);
    for (uint32_t i = 0; i < n; i++) {
        double u = rng_unit(r);
        switch (kind) {
        case 0: x[i] = 3.5; break;
        case 1:
            x[i] = nextafter(1.0, 2.0) + (double) rng_below(r, levels) * 2.220446049250313e-16;
            break;
        case 2: x[i] = (u - 0.5) * 1e300 * 3; break;
        case 3: x[i] = (u - 0.5) * 1e-310; break;
        case 4: x[i] = rng_below(r, 2) ? 0.0 : -0.0; break;
        case 5: case 6: x[i] = (double) rng_below(r, 1 + levels); break;
        default: x[i] = u; break;
        }
    }
}

/* A column that goes up with another one, in steps or with some noise: row sets split on one are
 * then nearly sorted by the other, and leave parts of it empty. */
static inline void follow_column(rng *r, const double *x, double *y, uint32_t n)
{
    double steps = 2 + rng_below(r, 6), noise = rng_below(r, 2) * 0.1;
    for (uint32_t i = 0; i < n; i++)
        y[i] = (noise > 0 ? x[i] : floor(x[i] * steps)) + noise * rng_unit(r);
}

/* Four columns: the row number; one that is constant up to some row and binary beyond; two binary
 * ones. Left of a flip the second says which of the others is the class, right of it the class is
 * another function of them. A row set left of a threshold of the first column then has a feature
 * that separates nothing until the set grows, when it becomes the only good root. */
static inline random_table table_patchy(rng *r, uint32_t n_rows)
{
    random_table t = table_new(n_rows, 4, 2);
    uint32_t patch = rng_below(r, n_rows), flip = patch + rng_below(r, n_rows - patch);
    uint32_t inverted = rng_below(r, 2), noise = rng_below(r, 12);
    for (uint32_t i = 0; i < n_rows; i++) {
        uint32_t bit[4];
        for (uint32_t col = 1; col < 4; col++)
            bit[col] = col == 1 && i < patch ? 0 : rng_below(r, 2);
        table_column(&t, 0)[i] = i;
        for (uint32_t col = 1; col < 4; col++) table_column(&t, col)[i] = bit[col];
        uint32_t clean = bit[1] ? bit[2] : bit[3];
        if (i >= flip) clean = inverted ? !clean : bit[2];
        t.classes[i] = (int32_t) (rng_below(r, 100) < noise ? rng_below(r, 2) : clean);
    }
    return t;
}

/* Random columns; classes at random or, for most tables, from a random tree of depth two with some
 * noise. */
static inline random_table table_random(rng *r, uint32_t n_rows, uint32_t n_cols,
                                        uint32_t n_classes, int awkward)
{
    random_table t = table_new(n_rows, n_cols, n_classes);
    for (uint32_t col = 0; col < n_cols; col++) {
        double *x = table_column(&t, col);
        if (awkward && col && rng_below(r, 3) == 0)
            follow_column(r, table_column(&t, 0), x, n_rows);
        else if (awkward) fill_column(r, x, n_rows);
        else for (uint32_t i = 0; i < n_rows; i++) x[i] = rng_unit(r);
    }
    uint32_t root = rng_below(r, n_cols), child[2] = {rng_below(r, n_cols), rng_below(r, n_cols)};
    uint32_t noise = rng_below(r, 5), label[4];
    double cut = table_column(&t, root)[rng_below(r, n_rows)], cuts[2];
    for (int i = 0; i < 2; i++) cuts[i] = table_column(&t, child[i])[rng_below(r, n_rows)];
    for (int i = 0; i < 4; i++) label[i] = rng_below(r, n_classes);
    for (uint32_t i = 0; i < n_rows; i++) {
        int side = table_column(&t, root)[i] >= cut,
            leaf = 2 * side + (table_column(&t, child[side])[i] >= cuts[side]);
        t.classes[i] = (int32_t) (rng_below(r, 10) < 2 * noise ? rng_below(r, n_classes)
                                                               : label[leaf]);
    }
    return t;
}

/* Weights and losses of several kinds: whole numbers, quarters, any numbers; zeros among them;
 * nearly equal. */
static inline double random_cost(rng *r, uint32_t kind)
{
    if (rng_below(r, 12) == 0) return 0;
    switch (kind) {
    case 0: return rng_below(r, 10);
    case 1: return rng_below(r, 40) / 4.0;
    case 2: return 1 + rng_unit(r) * 1e-9;
    default: return rng_unit(r) * 1000;
    }
}

/* Of zeros. */
static inline double *table_new_weights(random_table *t)
{
    t->weights = (double *) keep_new(t->data.n_rows, sizeof *t->weights);
    t->data.weights = t->weights;
    return t->weights;
}

static inline double *table_new_loss(random_table *t)
{
    size_t n = t->data.n_classes;
    t->loss = (double *) keep_new(n * n, sizeof *t->loss);
    t->data.loss = t->loss;
    return t->loss;
}

/* Most rows weigh 10^9 times what the others do: light ones that cost much take more than a word of
 * weights. */
static inline void table_add_far_weights(random_table *t, rng *r)
{
    table_new_weights(t);
    for (uint32_t i = 0; i < t->data.n_rows; i++)
        t->weights[i] = (i && rng_below(r, 5) ? 1e9 : 1) * (1 + rng_unit(r));
}

static inline void table_add_weights(random_table *t, rng *r)
{
    uint32_t kind = rng_below(r, 4);
    table_new_weights(t);
    for (uint32_t i = 0; i < t->data.n_rows; i++) t->weights[i] = random_cost(r, kind);
    t->weights[rng_below(r, t->data.n_rows)] += 1;
}

static inline void table_add_loss(random_table *t, rng *r)
{
    uint32_t n = t->data.n_classes, kind = rng_below(r, 4), by_class = rng_below(r, 4) == 0;
    table_new_loss(t);
    for (uint32_t c = 0; c < n; c++) {
        double of_class = random_cost(r, kind);
        for (uint32_t k = 0; k < n; k++)
            if (c != k) t->loss[c * n + k] = by_class ? of_class : random_cost(r, kind);
    }
    t->loss[1] += 1;
}

static inline void table_add_roots(random_table *t, rng *r)
{
    t->roots = (uint8_t *) keep_new(t->data.n_cols, 1);
    for (uint32_t col = 0; col < t->data.n_cols; col++) t->roots[col] = (uint8_t) rng_below(r, 2);
}

/* Gives a table of the same rows, columns and classes the weights, losses and roots of another. */
static inline void table_take_costs(random_table *t, const random_table *from)
{
    size_t n = from->data.n_classes;
    if (from->weights)
        t->weights = (double *) keep_copy(from->weights, from->data.n_rows * sizeof *t->weights);
    if (from->loss) t->loss = (double *) keep_copy(from->loss, n * n * sizeof *t->loss);
    if (from->roots) t->roots = (uint8_t *) keep_copy(from->roots, from->data.n_cols);
    t->data.weights = t->weights;
    t->data.loss = t->loss;
}

/* ---- what costs are, from the definition ---- */

static inline double cost_of_row(const ct_data *data, uint32_t row, uint32_t label)
{
    uint32_t own = (uint32_t) data->classes[row];
    double loss = data->loss ? data->loss[(size_t) own * data->n_classes + label] : own != label;
    return loss * (data->weights ? data->weights[row] : 1);
}

static inline double sum_of_weights(const ct_data *data)
{
    double sum = data->weights ? 0 : data->n_rows;
    for (uint32_t i = 0; data->weights && i < data->n_rows; i++) sum += data->weights[i];
    return sum;
}

/* What all rows cost at most. */
static inline double dearest_of(const ct_data *data)
{
    double most = data->loss ? 0 : 1;
    for (size_t i = 0; data->loss && i < (size_t) data->n_classes * data->n_classes; i++)
        if (data->loss[i] > most) most = data->loss[i];
    return sum_of_weights(data) * most;
}

#endif
