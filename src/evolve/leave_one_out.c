#include "evolve/leave_one_out.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* A row with less than this share of freedom has a coefficient of its own, and no error. */
static const double LEAST_FREE = 1e-10;

/* The two lowest and the two highest values of a column in a leaf. */
typedef struct {
    double low, next_low, high, next_high;
} ends;

typedef struct {
    const ct_gmt_loo_data *data;
    uint32_t columns; /* p + 1 */
    uint32_t *rows;   /* leaf after leaf */
    uint32_t *begin;  /* [n_nodes + 1] of each node in `rows` */
    double *values;   /* [n_rows][columns] of `rows`: the regressors and, last, the response */
    double *limited;  /* [n_rows][p] the regressors within the ranges of the leaf's other rows */
    ends *ranges;     /* [n_nodes][columns] of the regressors and, last, of the response */
    double *b;        /* [p] by column */
    double *solved;   /* [p] A^-1 x_i, by position */
    double *half;     /* [p] R'^-1 x_i, by position */
    ct_shrinkage shrunk;
} errors_of;

/* ---- rows by leaf ---- */

static void deal_rows(errors_of *all)
{
    const ct_gmt_loo_data *data = all->data;
    const uint32_t n_nodes = data->nodes.n_nodes;
    memset(all->begin, 0, (n_nodes + 1) * sizeof *all->begin);
    for (uint32_t row = 0; row < data->n_rows; row++) all->begin[data->where[row] + 1]++;
    for (uint32_t node = 0; node < n_nodes; node++) all->begin[node + 1] += all->begin[node];
    for (uint32_t row = data->n_rows; row-- > 0;) {
        /* from the end of the leaf to its beginning, counting down in the entry behind */
        uint32_t leaf = (uint32_t) data->where[row];
        all->rows[--all->begin[leaf + 1]] = row;
    }
    /* what was the end of a node is now its beginning */
    memmove(all->begin, all->begin + 1, n_nodes * sizeof *all->begin);
    all->begin[n_nodes] = data->n_rows;
}

static void read_rows(errors_of *all)
{
    const ct_gmt_loo_data *data = all->data;
    const size_t columns = all->columns, p = columns - 1;
    for (size_t i = 0; i < data->n_rows; i++) {
        uint32_t row = all->rows[i];
        for (size_t k = 0; k < p; k++)
            all->values[i * columns + k] = data->x[k * data->n_rows + row];
        all->values[i * columns + p] = data->y[row];
    }
}

static void note(ends *range, double x)
{
    if (x < range->low) range->next_low = range->low, range->low = x;
    else if (x < range->next_low) range->next_low = x;
    if (x > range->high) range->next_high = range->high, range->high = x;
    else if (x > range->next_high) range->next_high = x;
}

static void find_ranges(errors_of *all, uint32_t leaf)
{
    CT_ASSERT(leaf < all->data->nodes.n_nodes);
    const ends none = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    ends *ranges = all->ranges + (size_t) leaf * all->columns;
    for (uint32_t k = 0; k < all->columns; k++) {
        ranges[k] = none;
        for (uint32_t i = all->begin[leaf]; i < all->begin[leaf + 1]; i++)
            note(&ranges[k], all->values[(size_t) i * all->columns + k]);
    }
}

/* x limited to the range of the other rows, which is extended by a share of it, given the range of
 * all rows, one of which has `x0`. */
static double within_others(const ends *range, double x0, double x, double share)
{
    CT_ASSERT(share >= 0);
    double low = x0 > range->low ? range->low : range->next_low,
           high = x0 < range->high ? range->high : range->next_high, more = share * (high - low);
    return fmin(fmax(x, low - more), high + more);
}

static void limit_rows(errors_of *all, uint32_t leaf)
{
    const size_t p = all->columns - 1;
    const ends *ranges = all->ranges + leaf * (p + 1);
    for (size_t i = all->begin[leaf]; i < all->begin[leaf + 1]; i++)
        for (size_t k = 0; k < p; k++) {
            double x = all->values[i * (p + 1) + k];
            all->limited[i * p + k] = within_others(&ranges[k], x, x, 0);
        }
}

/* ---- errors ---- */

/* Fills `solved`; returns x' A^-1 x. */
static double leverage_of(errors_of *all, uint32_t rank, const double *x)
{
    const ct_qr *q = &all->shrunk.q;
    const size_t p = q->p;
    double leverage = 0;
    for (uint32_t j = 0; j < rank; j++) {
        double sum = 0;
        for (uint32_t i = 0; i <= j; i++) sum += q->inverse[i * p + j] * x[q->column[i]];
        all->half[j] = sum;
        leverage += sum * sum;
    }
    for (uint32_t i = 0; i < rank; i++) {
        all->solved[i] = 0;
        for (uint32_t j = i; j < rank; j++) all->solved[i] += q->inverse[i * p + j] * all->half[j];
    }
    return leverage;
}

/* i: the position of the row. */
static void add_errors(errors_of *all, uint32_t leaf, uint32_t rank, uint32_t i, double *sums)
{
    CT_ASSERT(i < all->data->n_rows && rank <= all->data->nodes.p);
    const ct_gmt_loo_data *data = all->data;
    const uint32_t p = data->nodes.p, *columns = all->shrunk.q.column;
    const double *x = all->values + (size_t) i * all->columns,
                 *limited = all->limited + (size_t) i * p;
    double w = data->weights ? data->weights[all->rows[i]] : 1,
           count = w * all->shrunk.counts[leaf], y = x[p], e = y,
           leverage = leverage_of(all, rank, x);
    for (uint32_t j = 0; j < rank; j++) e -= all->b[columns[j]] * x[columns[j]];
    double less = count * e / fmax(1 - count * leverage, LEAST_FREE), free = 0, within = 0;
    for (uint32_t j = 0; j < rank; j++) {
        double b = all->b[columns[j]] - all->solved[j] * less;
        free += b * x[columns[j]];
        within += b * limited[columns[j]];
    }
    /* without other rows there are no limits */
    within = all->begin[leaf + 1] - all->begin[leaf] == 1
                 ? free
                 : within_others(&all->ranges[(size_t) leaf * all->columns + p], y, within, 0.05);
    sums[CT_LOO_WITHIN] += w * (y - within) * (y - within);
    sums[CT_LOO_FREE] += w * (y - free) * (y - free);
}

static void sum_errors(errors_of *all, double *sums)
{
    for (int limit = 0; limit < CT_LOO_LIMITS; limit++) sums[limit] = 0;
    for (uint32_t leaf = 0; leaf < all->data->nodes.n_nodes; leaf++) {
        if (all->begin[leaf] == all->begin[leaf + 1]) continue;
        uint32_t rank = ct_gmt_shrink_solve(&all->shrunk, leaf, all->b);
        ct_gmt_qr_invert(&all->shrunk.q, rank);
        for (uint32_t i = all->begin[leaf]; i < all->begin[leaf + 1]; i++)
            if (all->data->counted[all->rows[i]])
                add_errors(all, leaf, rank, i, sums);
    }
}

static ct_status take_memory(errors_of *all, ct_error *error)
{
    const size_t n = all->data->nodes.n_nodes, p = all->data->nodes.p;
    all->rows = (uint32_t *) ct_alloc(all->data->n_rows * sizeof *all->rows);
    all->begin = (uint32_t *) ct_alloc((n + 1) * sizeof *all->begin);
    all->values = (double *) ct_alloc(all->data->n_rows * (p + 1) * sizeof(double));
    all->limited = (double *) ct_alloc(all->data->n_rows * p * sizeof(double));
    all->ranges = (ends *) ct_alloc(n * (p + 1) * sizeof *all->ranges);
    all->b = (double *) ct_alloc(p * sizeof(double));
    all->solved = (double *) ct_alloc(p * sizeof(double));
    all->half = (double *) ct_alloc(p * sizeof(double));
    if (all->rows && all->begin && all->values && all->limited && all->ranges && all->b &&
        all->solved && all->half)
        return ct_gmt_shrinkage_init(&all->shrunk, &all->data->nodes, error);
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for leave-one-out errors");
}

static void free_memory(errors_of *all)
{
    ct_free(all->rows), ct_free(all->begin), ct_free(all->values), ct_free(all->limited);
    ct_free(all->ranges);
    ct_free(all->b), ct_free(all->solved), ct_free(all->half);
    ct_gmt_shrinkage_free(&all->shrunk);
}

ct_status ct_gmt_loo_errors(const ct_gmt_loo_data *data, const double *ridge, uint32_t n_ridge,
                            const double *smoothing, uint32_t n_smoothing, double *errors,
                            ct_error *error)
{
    CT_ASSERT(data->n_rows > 0 && ridge && smoothing && errors);
    errors_of all = {.data = data, .columns = data->nodes.p + 1};
    ct_status status = take_memory(&all, error);
    if (status == CT_OK) {
        deal_rows(&all);
        read_rows(&all);
        for (uint32_t leaf = 0; leaf < data->nodes.n_nodes; leaf++) {
            find_ranges(&all, leaf);
            limit_rows(&all, leaf);
        }
        for (uint32_t i = 0; i < n_ridge; i++) {
            ct_gmt_shrink_root(&all.shrunk, ridge[i]);
            for (uint32_t j = 0; j < n_smoothing; j++) {
                ct_gmt_shrink_others(&all.shrunk, smoothing[j]);
                sum_errors(&all, errors + ((size_t) i * n_smoothing + j) * CT_LOO_LIMITS);
            }
        }
    }
    free_memory(&all);
    return status;
}
