#include "evolve/offload/cost.h"

#include <math.h>

/* Measured (bench/notes/gmt.md): queries of a tree in a generation, and how many rows the CPU looks
 * at for one: those in the cells of ROWS_OF_BOX rows that the planes of its tests cut, or SHARE of
 * all rows if it is about a splitter that cells are not cut along. */
static const double QUERIES = 1.3;
static const double PLANES = 2.5;
static const double ROWS_OF_BOX = 11;
static const double SHARE = 0.2;

/* Measured on one core with AVX-512 (bench/notes/gmt.md): seconds for each such row, with all the
 * rest of evolution; and what the host does for a query that a device answers, which grows with the
 * tiles. */
static const double CPU_ROW = 1.2e-8;
static const double HOST_QUERY = 6e-6;
static const double HOST_TILE = 2e-8;

/* Seconds to set a device up, on an H200 (bench/notes/gmt.md). */
static const double DEVICE_OPEN = 0.15;
/* ESTIMATED, in favour of the CPU: bytes a second to send the rows; rounds of queries in a
 * generation, and the least that one takes; seconds for each row that is looked at. */
static const double DEVICE_COPY = 5e9;
static const double ROUNDS = 5;
static const double DEVICE_ROUND = 5e-5;
static const double DEVICE_ROW = 1e-10;

ct_gpu_cost ct_evolve_cost_of(const ct_kd_tree *kd, uint32_t population, double generations,
                                 unsigned threads)
{
    const ct_model_table *table = &kd->table;
    const double n = table->n_rows, n_threads = threads ? threads : 1;
    double n_along = 0;
    for (uint32_t s = 0; s < table->n_splitters; s++) n_along += kd->along[s];
    const double along = table->n_splitters ? n_along / table->n_splitters : 1,
                 planes = PLANES * n * pow(ROWS_OF_BOX / (n + ROWS_OF_BOX), 1 / fmax(1, n_along)),
                 rows = along * fmin(planes, n) + (1 - along) * SHARE * n,
                 tiles = rows / CT_TILE_ROWS * (along < 1 ? 1 : CT_TILE_ROWS / ROWS_OF_BOX / 9),
                 queries = QUERIES * population * generations,
                 bytes = n * (8.0 * (double) table->width + 4.0 * table->n_splitters) +
                         kd->n * (8.0 * (double) table->size + 12.0 * table->n_splitters);
    ct_gpu_cost cost;
    cost.cpu = queries * rows * CPU_ROW / n_threads;
    cost.device = DEVICE_OPEN + bytes / DEVICE_COPY + generations * ROUNDS * DEVICE_ROUND +
                  queries * rows * DEVICE_ROW +
                  queries * (HOST_QUERY + tiles * HOST_TILE) / n_threads;
    return cost;
}
