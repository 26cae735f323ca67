#include "evolve/node_models.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "evolve/triangle.h"

enum { PIECE = 1 << 15, BLOCK = 128 };

static void solve_node(ct_gmt_node_models *models, uint32_t node, const uint8_t *dropped, ct_qr *q)
{
    CT_ASSERT(node < models->n_nodes && q->p == models->p);
    const uint32_t p = q->p, m = q->m;
    double *b = models->coefficients + (size_t) node * p,
           *unscaled = models->unscaled + (size_t) node * p * p;
    memcpy(q->x, models->triangles + (size_t) node * m * m, (size_t) m * m * sizeof *q->x);
    for (uint32_t k = 0; k < p; k++)
        if (dropped && dropped[(size_t) node * p + k])
            memset(q->x + (size_t) k * m, 0, m * sizeof *q->x);
    uint32_t rank = ct_gmt_qr_decompose(q);
    const double *y = q->x + (size_t) p * m;
    double left = ct_gmt_norm(y + rank, m - rank);
    models->rank[node] = rank;
    models->deviance[node] = left * left;
    memset(unscaled, 0, (size_t) p * p * sizeof *unscaled);
    for (uint32_t j = 0; j < p; j++) models->aliased[(size_t) node * p + q->column[j]] = j >= rank;
    ct_gmt_qr_solve(q, rank, b);
    ct_gmt_qr_invert(q, rank);
    for (uint32_t i = 0; i < rank; i++)
        for (uint32_t j = 0; j < rank; j++) {
            double sum = 0;
            for (uint32_t k = i > j ? i : j; k < rank; k++)
                sum += q->inverse[i * p + k] * q->inverse[j * p + k];
            unscaled[q->column[i] * p + q->column[j]] = sum;
        }
}

/* ---- all rows ---- */

typedef struct {
    uint32_t leaf, begin, end; /* positions in `rows` */
} piece;

typedef struct {
    ct_gmt_node_models *models;
    const ct_gmt_model_data *data;
    uint32_t columns; /* p + 1 */
    uint32_t *rows;   /* leaf after leaf, rising */
    piece *pieces;
    uint32_t n_pieces;
    double *triangles; /* [n_pieces][columns][columns] */
    double *ranges;    /* [n_pieces][2][p] */
    int64_t failed;    /* atomic */
} fitting;

static double number_of(const ct_gmt_model_data *data, uint32_t k, uint32_t row)
{
    CT_ASSERT(row < data->n_rows && k <= data->n_regressors + 1);
    if (k == 0) return !data->no_intercept;
    if (k > data->n_regressors) return data->response[row];
    return ct_column_value(&data->columns[data->regressors[k - 1]], row);
}

static void note_range(double *low, double *high, double x)
{
    if (x < *low) *low = x;
    if (x > *high) *high = x;
}

static void fit_piece(fitting *all, uint32_t number, double *block)
{
    CT_ASSERT(block && all->columns > 1);
    const piece *at = &all->pieces[number];
    const uint32_t columns = all->columns, p = columns - 1;
    double *triangle = all->triangles + (size_t) number * columns * columns,
           *low = all->ranges + (size_t) number * 2 * p, *high = low + p;
    memset(triangle, 0, (size_t) columns * columns * sizeof *triangle);
    for (uint32_t k = 0; k < p; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t begin = at->begin; begin < at->end; begin += BLOCK) {
        uint32_t n = at->end - begin < BLOCK ? at->end - begin : BLOCK, m = columns + n;
        ct_gmt_triangle_start(block, m, columns, triangle);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row = all->rows[begin + i];
            double root = all->data->weights ? sqrt(all->data->weights[row]) : 1;
            for (uint32_t k = 0; k < columns; k++) {
                double x = number_of(all->data, k, row);
                block[(size_t) k * m + columns + i] = root * x;
                if (k) note_range(&low[k - 1], &high[k - 1], x);
            }
        }
        ct_gmt_triangle_fold(block, m, columns, triangle);
    }
}

static void fit_pieces(void *data, unsigned worker, uint64_t begin, uint64_t end)
{
    fitting *all = (fitting *) data;
    double *block = (double *) ct_alloc((size_t) (all->columns + BLOCK) * all->columns *
                                        sizeof *block);
    (void) worker;
    if (!block) ct_atomic_write(&all->failed, 1);
    for (uint64_t i = begin; block && i < end; i++) fit_piece(all, (uint32_t) i, block);
    ct_free(block);
}

/* Joins two triangles to one, which may be the first. */
static void join(const fitting *all, const double *a, const double *b, double *to, double *block)
{
    const uint32_t columns = all->columns, m = 2 * columns;
    ct_gmt_triangle_start(block, m, columns, a);
    for (uint32_t j = 0; j < columns; j++)
        memcpy(block + (size_t) j * m + columns, b + j * columns, (j + 1) * sizeof *block);
    ct_gmt_triangle_fold(block, m, columns, to);
}

static void join_ranges(ct_gmt_node_models *models, uint32_t node, const double *low,
                        const double *high)
{
    for (uint32_t k = 0; k < models->p; k++) {
        note_range(&models->low[(size_t) node * models->p + k],
                   &models->high[(size_t) node * models->p + k], low[k]);
        note_range(&models->low[(size_t) node * models->p + k],
                   &models->high[(size_t) node * models->p + k], high[k]);
    }
}

/* Joins pieces to leaves, then children to parents, which have smaller numbers. */
static void join_all(fitting *all, const uint32_t *left, const uint32_t *right, double *block)
{
    ct_gmt_node_models *models = all->models;
    const size_t size = (size_t) all->columns * all->columns, p = models->p;
    memset(models->triangles, 0, models->n_nodes * size * sizeof *models->triangles);
    for (size_t i = 0; i < models->n_nodes * p; i++)
        models->low[i] = INFINITY, models->high[i] = -INFINITY;
    for (uint32_t i = 0; i < all->n_pieces; i++) {
        uint32_t leaf = all->pieces[i].leaf;
        const double *low = all->ranges + 2 * p * i;
        double *to = models->triangles + leaf * size;
        join(all, to, all->triangles + i * size, to, block);
        join_ranges(models, leaf, low, low + p);
    }
    for (uint32_t node = models->n_nodes; node-- > 0;) {
        const uint32_t children[2] = {left[node], right[node]};
        if (!left[node]) continue;
        join(all, models->triangles + left[node] * size, models->triangles + right[node] * size,
             models->triangles + node * size, block);
        for (int side = 0; side < 2; side++) {
            uint32_t child = children[side];
            join_ranges(models, node, models->low + child * p, models->high + child * p);
            models->n[node] += models->n[child];
            models->weight[node] += models->weight[child];
        }
    }
}

/* Sorts the rows by leaf, and divides them into pieces. */
static void deal_rows(fitting *all, const int32_t *where, uint32_t *next)
{
    ct_gmt_node_models *models = all->models;
    const uint32_t n_rows = all->data->n_rows;
    memset(models->n, 0, models->n_nodes * sizeof *models->n);
    for (uint32_t i = 0; i < models->n_nodes; i++) models->weight[i] = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        models->n[where[row]]++;
        models->weight[where[row]] += all->data->weights ? all->data->weights[row] : 1;
    }
    for (uint32_t node = 0, begin = 0; node < models->n_nodes; node++) {
        uint32_t end = begin + models->n[node];
        next[node] = begin;
        for (; begin < end; begin += PIECE) {
            piece p = {node, begin, end - begin < PIECE ? end : begin + PIECE};
            all->pieces[all->n_pieces++] = p;
            if (end - begin < PIECE) break;
        }
        begin = end;
    }
    for (uint32_t row = 0; row < n_rows; row++) all->rows[next[where[row]]++] = row;
}

static ct_status solve_all(fitting *all, const uint8_t *dropped, ct_error *error)
{
    ct_qr q;
    CT_TRY(ct_gmt_qr_make(&q, all->models->p, error));
    for (uint32_t node = 0; node < all->models->n_nodes; node++)
        solve_node(all->models, node, dropped, &q);
    ct_gmt_qr_free(&q);
    return CT_OK;
}

static ct_status take_memory(fitting *all, ct_error *error)
{
    ct_gmt_node_models *models = all->models;
    const size_t n = models->n_nodes, p = models->p, square = (p + 1) * (p + 1);
    const size_t pieces = all->data->n_rows / PIECE + n + 1;
    models->n = (uint32_t *) ct_alloc(n * sizeof *models->n);
    models->rank = (uint32_t *) ct_alloc(n * sizeof *models->rank);
    models->weight = (double *) ct_alloc(n * sizeof(double));
    models->deviance = (double *) ct_alloc(n * sizeof(double));
    models->coefficients = (double *) ct_alloc(n * p * sizeof(double));
    models->aliased = (uint8_t *) ct_alloc(n * p);
    models->unscaled = (double *) ct_alloc(n * p * p * sizeof(double));
    models->triangles = (double *) ct_alloc(n * square * sizeof(double));
    models->low = (double *) ct_alloc(n * p * sizeof(double));
    models->high = (double *) ct_alloc(n * p * sizeof(double));
    all->rows = (uint32_t *) ct_alloc(all->data->n_rows * sizeof *all->rows);
    all->pieces = (piece *) ct_alloc(pieces * sizeof *all->pieces);
    all->triangles = (double *) ct_alloc(pieces * square * sizeof(double));
    all->ranges = (double *) ct_alloc(pieces * 2 * p * sizeof(double));
    if (models->n && models->rank && models->weight && models->deviance && models->coefficients &&
        models->aliased && models->unscaled && models->triangles && models->low && models->high &&
        all->rows && all->pieces && all->triangles && all->ranges)
        return CT_OK;
    return ct_fail(error, CT_NO_MEMORY, "not enough memory for the models of the nodes");
}

static ct_status fit_all(fitting *all, const uint32_t *left, const uint32_t *right,
                         const int32_t *where, const uint8_t *dropped, unsigned threads,
                         ct_error *error)
{
    CT_TRY(take_memory(all, error));
    uint32_t *next = (uint32_t *) ct_alloc(all->models->n_nodes * sizeof *next);
    double *block = (double *) ct_alloc(2 * (size_t) all->columns * all->columns * sizeof *block);
    ct_status status = next && block ? CT_OK : ct_fail(error, CT_NO_MEMORY, "not enough memory");
    if (status == CT_OK) {
        deal_rows(all, where, next);
        ct_loop loop = {all->n_pieces, 1, CT_DYNAMIC, threads, fit_pieces, all, NULL};
        ct_parallel_for(&loop);
        if (all->failed) status = ct_fail(error, CT_NO_MEMORY, "not enough memory");
    }
    if (status == CT_OK) {
        join_all(all, left, right, block);
        status = solve_all(all, dropped, error);
    }
    ct_free(next), ct_free(block);
    return status;
}

ct_status ct_gmt_node_models_fit(ct_gmt_node_models *models, const ct_gmt_model_data *data,
                                 uint32_t n_nodes,
                                 const uint32_t *left, const uint32_t *right, const int32_t *where,
                                 const uint8_t *dropped, unsigned threads, ct_error *error)
{
    *models = (ct_gmt_node_models){.n_nodes = n_nodes, .p = data->n_regressors + 1};
    fitting all = {.models = models, .data = data, .columns = models->p + 1};
    ct_status status = fit_all(&all, left, right, where, dropped, threads, error);
    ct_free(all.rows), ct_free(all.pieces), ct_free(all.triangles), ct_free(all.ranges);
    return status;
}

void ct_gmt_node_models_free(ct_gmt_node_models *models)
{
    ct_free(models->n), ct_free(models->rank), ct_free(models->weight), ct_free(models->deviance);
    ct_free(models->coefficients), ct_free(models->aliased), ct_free(models->unscaled);
    ct_free(models->triangles), ct_free(models->low), ct_free(models->high);
    memset(models, 0, sizeof *models);
}
