#include "evolve/leave_one_out.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evolve/triangle.h"

/* Below it a row has a coefficient of its own, and no error. */
static const double LEAST_FREE = 1e-10;

/* Of a column in a leaf. */
typedef struct {
    double low, next_low, high, next_high;
} ends;

typedef struct {
    const ct_loo_data *data;
    uint32_t columns;   /* p + 1 */
    uint32_t *rows;     /* leaf after leaf */
    uint32_t *begin;    /* [n_nodes + 1] of each node in `rows` */
    ends *ranges;       /* [n_nodes][columns] of the regressors and, last, of the response */
    double *penalty;    /* [columns][columns] */
    double *shrunk;     /* [n_nodes][columns][columns] */
    double *counts;     /* [n_nodes] c */
    double *block;      /* [2 * columns][columns] */
    double *b;          /* [p] by column */
    double *solved;     /* [p] A^-1 x_i, by place */
    double *half;       /* [p] R'^-1 x_i, by place */
    ct_qr q;
} errors_of;

static double value_of(const ct_loo_data *data, uint32_t column, uint32_t row)
{
    return column < data->p ? data->x[(size_t) column * data->n_rows + row] : data->y[row];
}

/* ---- rows by leaf ---- */

static void deal_rows(errors_of *all)
{
    const ct_loo_data *data = all->data;
    memset(all->begin, 0, (data->n_nodes + 1) * sizeof *all->begin);
    for (uint32_t row = 0; row < data->n_rows; row++) all->begin[data->where[row] + 1]++;
    for (uint32_t node = 0; node < data->n_nodes; node++) all->begin[node + 1] += all->begin[node];
    for (uint32_t row = data->n_rows; row-- > 0;) {
        /* from the end of the leaf to its beginning, counting down in the place behind */
        uint32_t leaf = (uint32_t) data->where[row];
        all->rows[--all->begin[leaf + 1]] = row;
    }
    /* what was the end of a node is now its beginning */
    memmove(all->begin, all->begin + 1, data->n_nodes * sizeof *all->begin);
    all->begin[data->n_nodes] = data->n_rows;
}

static void note(ends *range, double x)
{
    if (x < range->low) range->next_low = range->low, range->low = x;
    else if (x < range->next_low) range->next_low = x;
    if (x > range->high) range->next_high = range->high, range->high = x;
    else if (x > range->next_high) range->next_high = x;
}

static void find_ranges(errors_of *all)
{
    const ends none = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t node = 0; node < all->data->n_nodes; node++)
        for (uint32_t k = 0; k < all->columns; k++) {
            ends *range = &all->ranges[(size_t) node * all->columns + k];
            *range = none;
            for (uint32_t i = all->begin[node]; i < all->begin[node + 1]; i++)
                note(range, value_of(all->data, k, all->rows[i]));
        }
}

/* x within the range of the other rows, given that of all, `x0` one of them; extended by a share of
 * it. */
static double within_others(const ends *range, double x0, double x, double share)
{
    double low = x0 > range->low ? range->low : range->next_low,
           high = x0 < range->high ? range->high : range->next_high, more = share * (high - low);
    return fmin(fmax(x, low - more), high + more);
}

/* ---- models ---- */

/* The triangle of the rows of F and `factor` times those of `below`. */
static void stack(errors_of *all, const double *above, const double *below, double factor,
                  double *to)
{
    const uint32_t columns = all->columns, m = 2 * columns;
    for (uint32_t j = 0; j < columns; j++)
        for (uint32_t i = 0; i < columns; i++) {
            all->block[(size_t) j * m + i] = above[j * columns + i];
            all->block[(size_t) j * m + columns + i] = factor * below[j * columns + i];
        }
    ct_triangle_fold(all->block, m, columns, to);
}

static void shrink_root(errors_of *all, double ridge)
{
    stack(all, all->data->factors, all->penalty, sqrt(ridge), all->shrunk);
    all->counts[0] = 1;
}

static void shrink_others(errors_of *all, double smoothing)
{
    const ct_loo_data *data = all->data;
    const size_t size = (size_t) all->columns * all->columns;
    for (uint32_t node = 1; node < data->n_nodes; node++) {
        size_t above = (size_t) data->parent[node];
        double share = smoothing / (data->n[above] + (above ? smoothing : 0));
        stack(all, data->factors + node * size, all->shrunk + above * size, sqrt(share),
              all->shrunk + node * size);
        all->counts[node] = 1 + share * all->counts[above];
    }
}

static uint32_t solve_leaf(errors_of *all, uint32_t leaf)
{
    const size_t columns = all->columns, p = all->data->p;
    CT_ASSERT(all->q.x);
    memcpy(all->q.x, all->shrunk + leaf * columns * columns,
           columns * columns * sizeof *all->q.x);
    for (size_t k = 0; k < p; k++)
        if (all->data->dropped[leaf * p + k]) memset(all->q.x + k * columns, 0,
                                                     columns * sizeof *all->q.x);
    uint32_t rank = ct_qr_decompose(&all->q);
    ct_qr_solve(&all->q, rank, all->b);
    ct_qr_invert(&all->q, rank);
    return rank;
}

/* Fills `solved`; returns x' A^-1 x. */
static double leverage_of(errors_of *all, uint32_t rank, uint32_t row)
{
    const ct_qr *q = &all->q;
    const size_t p = q->p;
    double leverage = 0;
    for (uint32_t j = 0; j < rank; j++) {
        double sum = 0;
        for (uint32_t i = 0; i <= j; i++)
            sum += q->inverse[i * p + j] * value_of(all->data, q->column[i], row);
        all->half[j] = sum;
        leverage += sum * sum;
    }
    for (uint32_t i = 0; i < rank; i++) {
        all->solved[i] = 0;
        for (uint32_t j = i; j < rank; j++) all->solved[i] += q->inverse[i * p + j] * all->half[j];
    }
    return leverage;
}

/* ---- errors ---- */

static void add_errors(errors_of *all, uint32_t leaf, uint32_t rank, uint32_t row, double *sums)
{
    const ct_loo_data *data = all->data;
    const ends *ranges = all->ranges + (size_t) leaf * all->columns;
    double w = data->weights ? data->weights[row] : 1, count = w * all->counts[leaf],
           y = data->y[row], e = y, leverage = leverage_of(all, rank, row);
    for (uint32_t j = 0; j < rank; j++)
        e -= all->b[all->q.column[j]] * value_of(data, all->q.column[j], row);
    double less = count * e / fmax(1 - count * leverage, LEAST_FREE), free = 0, within = 0;
    for (uint32_t j = 0; j < rank; j++) {
        uint32_t column = all->q.column[j];
        double b = all->b[column] - all->solved[j] * less, x = value_of(data, column, row);
        free += b * x;
        within += b * within_others(&ranges[column], x, x, 0);
    }
    /* where there are no others there are no limits */
    within = all->begin[leaf + 1] - all->begin[leaf] == 1
                 ? free
                 : within_others(&ranges[data->p], y, within, 0.05);
    sums[CT_LOO_WITHIN] += w * (y - within) * (y - within);
    sums[CT_LOO_FREE] += w * (y - free) * (y - free);
}

static void sum_errors(errors_of *all, double *sums)
{
    for (int limit = 0; limit < CT_LOO_LIMITS; limit++) sums[limit] = 0;
    for (uint32_t leaf = 0; leaf < all->data->n_nodes; leaf++) {
        if (all->begin[leaf] == all->begin[leaf + 1]) continue;
        uint32_t rank = solve_leaf(all, leaf);
        for (uint32_t i = all->begin[leaf]; i < all->begin[leaf + 1]; i++)
            if (all->data->counted[all->rows[i]])
                add_errors(all, leaf, rank, all->rows[i], sums);
    }
}

static ct_status take_memory(errors_of *all, ct_error *error)
{
    const size_t n = all->data->n_nodes, p = all->data->p, columns = p + 1;
    all->rows = (uint32_t *) ct_alloc(all->data->n_rows * sizeof *all->rows);
    all->begin = (uint32_t *) ct_alloc((n + 1) * sizeof *all->begin);
    all->ranges = (ends *) ct_alloc(n * columns * sizeof *all->ranges);
    all->penalty = (double *) ct_alloc(columns * columns * sizeof(double));
    all->shrunk = (double *) ct_alloc(n * columns * columns * sizeof(double));
    all->counts = (double *) ct_alloc(n * sizeof(double));
    all->block = (double *) ct_alloc(2 * columns * columns * sizeof(double));
    all->b = (double *) ct_alloc(p * sizeof(double));
    all->solved = (double *) ct_alloc(p * sizeof(double));
    all->half = (double *) ct_alloc(p * sizeof(double));
    if (all->rows && all->begin && all->ranges && all->penalty && all->shrunk && all->counts &&
        all->block && all->b && all->solved && all->half)
        return ct_qr_make(&all->q, all->data->p, error);
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for leave-one-out errors");
}

static void free_memory(errors_of *all)
{
    ct_free(all->rows), ct_free(all->begin), ct_free(all->ranges), ct_free(all->penalty);
    ct_free(all->shrunk), ct_free(all->counts), ct_free(all->block);
    ct_free(all->b), ct_free(all->solved), ct_free(all->half);
    ct_qr_free(&all->q);
}

static void prepare(errors_of *all)
{
    const size_t columns = all->columns;
    deal_rows(all);
    find_ranges(all);
    memset(all->penalty, 0, columns * columns * sizeof *all->penalty);
    for (size_t k = 0; k + 1 < columns; k++)
        all->penalty[k * columns + k] = all->data->penalty[k];
}

ct_status ct_loo_errors(const ct_loo_data *data, const double *ridge, uint32_t n_ridge,
                        const double *smoothing, uint32_t n_smoothing, double *errors,
                        ct_error *error)
{
    errors_of all;
    CT_ASSERT(data->n_nodes > 0 && data->p > 0 && data->parent[0] < 0);
    for (uint32_t node = 1; node < data->n_nodes; node++)
        CT_ASSERT(data->parent[node] >= 0 && (uint32_t) data->parent[node] < node);
    memset(&all, 0, sizeof all);
    all.data = data;
    all.columns = data->p + 1;
    ct_status status = take_memory(&all, error);
    if (status == CT_OK) {
        prepare(&all);
        for (uint32_t i = 0; i < n_ridge; i++) {
            shrink_root(&all, ridge[i]);
            for (uint32_t j = 0; j < n_smoothing; j++) {
                shrink_others(&all, smoothing[j]);
                sum_errors(&all, errors + ((size_t) i * n_smoothing + j) * CT_LOO_LIMITS);
            }
        }
    }
    free_memory(&all);
    return status;
}
