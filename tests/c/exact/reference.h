/* A second opinion on tables of some thousand rows: the least cost of a tree of depth two, from the
 * definition, with weights, losses, leaf sizes and a choice of roots, in O(rows features^2
 * thresholds), with losses times the classes. Shares nothing with the library but the types of the
 * data. brute.h has the deeper trees of a few rows. */
#ifndef CT_TEST_REFERENCE_H
#define CT_TEST_REFERENCE_H

#include "random.h"

/* Whether a node may be split into sides of these sizes. */
static inline int may_split(const ct_exact_options *options, uint32_t n_left, uint32_t n_right)
{
    uint32_t least = options->min_bucket > 1 ? options->min_bucket : 1;
    return n_left >= least && n_right >= least && n_left + n_right >= options->min_split;
}

/* What a growing set of rows costs as a leaf. Without losses `by` is the weight of each class, with
 * them the cost of each label. */
typedef struct {
    double *by, all, most;
} reference_leaf;

typedef struct {
    const ct_data *data;
    const ct_exact_options *options;
    double split_cost; /* with `leaf_cost` */
    uint32_t **order; /* [col][row] rows by increasing value */
    uint32_t *side;   /* rows of a side in the order of a column */
    double *before;   /* [i] cost of the first i of them as a leaf */
    reference_leaf leaf;
} reference;

static const double *reference_sort_by;

static inline int reference_compare(const void *a, const void *b)
{
    double x = reference_sort_by[*(const uint32_t *) a],
           y = reference_sort_by[*(const uint32_t *) b];
    return (x > y) - (x < y);
}

static inline const double *reference_values(const reference *r, uint32_t col)
{
    return (const double *) r->data->columns[col].values;
}

static inline void leaf_empty(reference *r)
{
    for (uint32_t k = 0; k < r->data->n_classes; k++) r->leaf.by[k] = 0;
    r->leaf.all = r->leaf.most = 0;
}

/* Adds a row; returns the cost of the leaf. */
static inline double leaf_add(reference *r, uint32_t row)
{
    const ct_data *data = r->data;
    double *by = r->leaf.by, least = HUGE_VAL;
    for (uint32_t k = 0; data->loss && k < data->n_classes; k++) {
        by[k] += cost_of_row(data, row, k);
        if (by[k] < least) least = by[k];
    }
    if (data->loss) return least;
    double weight = data->weights ? data->weights[row] : 1, *own = &by[data->classes[row]];
    r->leaf.all += weight;
    if ((*own += weight) > r->leaf.most) r->leaf.most = *own;
    return r->leaf.all - r->leaf.most;
}

/* The least cost of at most one split on `col` for the first n rows of r->side, which lie in the
 * order of col. */
static inline double reference_stump(reference *r, uint32_t col, uint32_t n)
{
    const double *x = reference_values(r, col);
    leaf_empty(r);
    r->before[0] = 0;
    for (uint32_t i = 0; i < n; i++) r->before[i + 1] = leaf_add(r, r->side[i]);
    double best = r->before[n];
    leaf_empty(r);
    for (uint32_t i = n; i-- > 1;) {
        double after = leaf_add(r, r->side[i]);
        if (!(x[r->side[i - 1]] < x[r->side[i]]) || !may_split(r->options, i, n - i)) continue;
        double cost = r->split_cost + r->before[i] + after;
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

/* The least cost of a tree whose root is split on `root`. */
static inline double reference_root(reference *r, uint32_t root)
{
    double best = HUGE_VAL;
    const double *x = reference_values(r, root);
    for (uint32_t i = 1, n = r->data->n_rows; i < n; i++) {
        double cut = x[r->order[root][i]];
        if (!(x[r->order[root][i - 1]] < cut) || !may_split(r->options, i, n - i)) continue;
        double cost = r->split_cost + reference_side(r, root, cut, 0) +
                      reference_side(r, root, cut, 1);
        if (cost < best) best = cost;
    }
    return best;
}

static inline void reference_sort(reference *r, uint32_t col)
{
    uint32_t n = r->data->n_rows;
    r->order[col] = (uint32_t *) malloc(n * sizeof *r->order[col]);
    for (uint32_t i = 0; i < n; i++) r->order[col][i] = i;
    reference_sort_by = reference_values(r, col);
    qsort(r->order[col], n, sizeof *r->order[col], reference_compare);
}

/* Columns must be doubles; max_thresholds is the caller's matter, see table_capped. rooted[n_cols],
 * which may be NULL, receives the least cost with each root; infinite where there is no such tree.
 * Each leaf but one costs `leaf_cost` besides. */
static inline double depth2_optimum(const ct_data *data, const ct_exact_options *options,
                                    double leaf_cost, double *rooted)
{
    uint32_t n = data->n_rows;
    double split_cost = options->complexity * sum_of_weights(data) + leaf_cost;
    reference r = {data, options, split_cost, NULL, NULL, NULL, {NULL, 0, 0}};
    r.order = (uint32_t **) malloc(data->n_cols * sizeof *r.order);
    r.side = (uint32_t *) malloc(n * sizeof *r.side);
    r.before = (double *) malloc(((size_t) n + 1) * sizeof *r.before);
    r.leaf.by = (double *) malloc(data->n_classes * sizeof *r.leaf.by);
    for (uint32_t col = 0; col < data->n_cols; col++) reference_sort(&r, col);
    leaf_empty(&r);
    double best = HUGE_VAL;
    for (uint32_t i = 0; i < n; i++) best = leaf_add(&r, i);
    for (uint32_t col = 0; col < data->n_cols; col++) {
        int may = !options->roots || options->roots[col];
        double cost = may || rooted ? reference_root(&r, col) : HUGE_VAL;
        if (rooted) rooted[col] = cost;
        if (may && cost < best) best = cost;
    }
    for (uint32_t col = 0; col < data->n_cols; col++) free(r.order[col]);
    free(r.order);
    free(r.side);
    free(r.before);
    free(r.leaf.by);
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

/* The table with so few distinct values that all its thresholds are those that max_thresholds
 * keeps: the i-th of k lies below the round(i * distinct values / (k + 1))-th value. */
static inline random_table table_capped(const random_table *from, uint32_t max_thresholds)
{
    random_table t = table_new(from->data.n_rows, from->data.n_cols, from->data.n_classes);
    uint32_t n = from->data.n_rows;
    double *values = (double *) malloc(n * sizeof *values);
    memcpy(t.classes, from->classes, n * sizeof *t.classes);
    table_take_costs(&t, from);
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
