/* A second opinion on tables of some thousand rows: the least cost of a tree of depth two, from the definition, in
 * O(rows features^2 thresholds). Shares nothing with the library but the types of the data. brute.h has the deeper trees of
 * a few rows. */
#ifndef CT_TEST_REFERENCE_H
#define CT_TEST_REFERENCE_H

#include "random.h"

/* Whether a node may be split into sides of these sizes. */
static inline int may_split(const ct_options *options, uint32_t n_left, uint32_t n_right)
{
    uint32_t least = options->min_bucket > 1 ? options->min_bucket : 1;
    return n_left >= least && n_right >= least && n_left + n_right >= options->min_split;
}

typedef struct {
    const ct_data *data;
    const ct_options *options;
    double split_cost;
    uint32_t **order;         /* [col][row] rows by increasing value */
    uint32_t *side, *counts;  /* rows of a side in the order of a column; rows of each class */
    uint32_t *largest_before; /* [i] rows of the largest class among the first i */
} reference;

static const double *reference_sort_by;

static inline int reference_compare(const void *a, const void *b)
{
    double x = reference_sort_by[*(const uint32_t *) a], y = reference_sort_by[*(const uint32_t *) b];
    return (x > y) - (x < y);
}

static inline const double *reference_values(const reference *r, uint32_t col)
{
    return (const double *) r->data->columns[col].values;
}

/* Adds a row to the counts; returns the rows of the largest class. */
static inline uint32_t reference_count(const reference *r, uint32_t row, uint32_t largest)
{
    uint32_t count = ++r->counts[r->data->classes[row]];
    return count > largest ? count : largest;
}

/* The least cost of at most one split on `col` for the first n rows of r->side, which lie in the order of col. */
static inline double reference_stump(reference *r, uint32_t col, uint32_t n)
{
    const double *x = reference_values(r, col);
    size_t bytes = r->data->n_classes * sizeof *r->counts;
    uint32_t largest = 0;
    memset(r->counts, 0, bytes);
    for (uint32_t i = 0; i < n; i++) {
        r->largest_before[i] = largest;
        largest = reference_count(r, r->side[i], largest);
    }
    double best = n - largest;
    memset(r->counts, 0, bytes);
    largest = 0;
    for (uint32_t i = n; i-- > 1;) {
        largest = reference_count(r, r->side[i], largest);
        if (!(x[r->side[i - 1]] < x[r->side[i]]) || !may_split(r->options, i, n - i)) continue;
        double cost = r->split_cost + (n - r->largest_before[i] - largest);
        if (cost < best) best = cost;
    }
    return best;
}

/* The least cost of a tree of depth one on one side of a threshold of the root feature. */
static inline double reference_side(reference *r, uint32_t root, double cut, int right)
{
    const double *x = reference_values(r, root);
    double best = HUGE_VAL;
    for (uint32_t col = 0; col < r->data->n_cols; col++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < r->data->n_rows; i++) {
            uint32_t row = r->order[col][i];
            if ((x[row] >= cut) == right) r->side[n++] = row;
        }
        double cost = reference_stump(r, col, n);
        if (cost < best) best = cost;
    }
    return best;
}

static inline double reference_root(reference *r)
{
    uint32_t n = r->data->n_rows;
    memcpy(r->side, r->order[0], n * sizeof *r->side);
    double best = reference_stump(r, 0, n); /* covers the leaf */
    for (uint32_t root = 0; root < r->data->n_cols; root++) {
        const double *x = reference_values(r, root);
        for (uint32_t i = 1; i < n; i++) {
            double cut = x[r->order[root][i]];
            if (!(x[r->order[root][i - 1]] < cut) || !may_split(r->options, i, n - i)) continue;
            double cost = r->split_cost + reference_side(r, root, cut, 0) + reference_side(r, root, cut, 1);
            if (cost < best) best = cost;
        }
    }
    return best;
}

/* Columns must be doubles; max_thresholds is the caller's matter, see table_capped. */
static inline double depth2_optimum(const ct_data *data, const ct_options *options)
{
    uint32_t n = data->n_rows;
    reference r = {data, options, options->complexity * n, NULL, NULL, NULL, NULL};
    uint32_t *rooms = (uint32_t *) malloc(((size_t) n * (data->n_cols + 2) + data->n_classes) * sizeof *rooms);
    r.order = (uint32_t **) malloc(data->n_cols * sizeof *r.order);
    for (uint32_t col = 0; col < data->n_cols; col++) {
        r.order[col] = rooms + (size_t) col * n;
        for (uint32_t i = 0; i < n; i++) r.order[col][i] = i;
        reference_sort_by = reference_values(&r, col);
        qsort(r.order[col], n, sizeof *r.order[col], reference_compare);
    }
    r.side = rooms + (size_t) data->n_cols * n;
    r.largest_before = r.side + n;
    r.counts = r.largest_before + n;
    double best = reference_root(&r);
    free(r.order);
    free(rooms);
    return best;
}

/* ---- max_thresholds ---- */

static inline int reference_double_compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

/* The distinct values of x[n] in increasing order into values; returns how many. */
static inline uint32_t distinct_values(const double *x, uint32_t n, double *values)
{
    uint32_t count = 0;
    memcpy(values, x, n * sizeof *x);
    qsort(values, n, sizeof *values, reference_double_compare);
    for (uint32_t i = 0; i < n; i++)
        if (!i || values[count - 1] < values[i]) values[count++] = values[i];
    return count;
}

/* The table with so few distinct values that all its thresholds are those that max_thresholds keeps: the i-th of k lies
 * below the round(i * distinct values / (k + 1))-th value. */
static inline random_table table_capped(const random_table *from, uint32_t max_thresholds)
{
    random_table t = table_new(from->data.n_rows, from->data.n_cols, from->data.n_classes);
    uint32_t n = from->data.n_rows;
    double *values = (double *) malloc(n * sizeof *values);
    memcpy(t.classes, from->classes, n * sizeof *t.classes);
    for (uint32_t col = 0; col < t.data.n_cols; col++) {
        const double *x = (const double *) from->data.columns[col].values;
        uint32_t n_values = distinct_values(x, n, values), keep = n_values - 1;
        if (max_thresholds && keep > max_thresholds) keep = max_thresholds;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 1; k <= keep; k++) {
                uint64_t rank = ((uint64_t) k * n_values + (keep + 1) / 2) / ((uint64_t) keep + 1);
                table_column(&t, col)[i] += x[i] >= values[rank];
            }
    }
    free(values);
    return t;
}

#endif
