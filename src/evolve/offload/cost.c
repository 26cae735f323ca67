#include "evolve/offload/cost.h"

#include <math.h>

/* Measured (bench/notes/gmt.md): questions of a tree in a generation, and how many rows the CPU
 * looks at for one: of the planes that its tests are through boxes of this many rows, or this share
 * of all rows if it is about a splitter that boxes are not cut along. */
static const double QUESTIONS = 1.3;
static const double PLANES = 2.5;
static const double ROWS_OF_BOX = 11;
static const double SHARE = 0.2;

/* Measured on one core with AVX-512 (bench/notes/gmt.md): seconds of such a row, all of the
 * evolution in them; and, of a question, of what the host does for a device, which grows with the
 * tiles. */
static const double CPU_ROW = 1.2e-8;
static const double HOST_QUESTION = 6e-6;
static const double HOST_TILE = 2e-8;

/* To set a device up: seconds on an H200 (bench/notes/gmt.md). */
static const double DEVICE_OPEN = 0.15;
/* ESTIMATED, on the side of the CPU: bytes a second to send it the rows; rounds of questions in a
 * generation, and what one takes, however small; a row that is looked at. */
static const double DEVICE_COPY = 5e9;
static const double ROUNDS = 5;
static const double DEVICE_ROUND = 5e-5;
static const double DEVICE_ROW = 1e-10;

ct_evolve_cost ct_evolve_cost_of(const ct_row_cells *cells, uint32_t population,
                                 double generations, unsigned threads)
{
    const ct_model_table *table = &cells->table;
    const double n = table->n_rows, n_threads = threads ? threads : 1;
    double n_along = 0;
    for (uint32_t s = 0; s < table->n_splitters; s++) n_along += cells->along[s];
    const double along = table->n_splitters ? n_along / table->n_splitters : 1,
                 planes = PLANES * n * pow(ROWS_OF_BOX / (n + ROWS_OF_BOX), 1 / fmax(1, n_along)),
                 rows = along * fmin(planes, n) + (1 - along) * SHARE * n,
                 tiles = rows / CT_TILE_ROWS * (along < 1 ? 1 : CT_TILE_ROWS / ROWS_OF_BOX / 9),
                 questions = QUESTIONS * population * generations,
                 bytes = n * (8.0 * (double) table->width + 4.0 * table->n_splitters) +
                         cells->n * (8.0 * (double) table->size + 12.0 * table->n_splitters);
    ct_evolve_cost cost;
    cost.cpu = questions * rows * CPU_ROW / n_threads;
    cost.device = DEVICE_OPEN + bytes / DEVICE_COPY +
                  generations * ROUNDS * DEVICE_ROUND + questions * rows * DEVICE_ROW +
                  questions * (HOST_QUESTION + tiles * HOST_TILE) / n_threads;
    return cost;
}
