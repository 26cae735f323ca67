#include "exact/offload/placing.h"

/* Measured on one core with AVX-512 (bench/notes/exact-gpu.md): seconds of a threshold, however few
 * rows there are, and besides for each of its cells (a row, column and class; skipped columns and
 * all); and thresholds looked at, a column. The latter two differ six times between tables; these
 * are in the middle. */
static const double CPU_THRESHOLD = 0.7e-6;
static const double CPU_CELL = 1.5e-11;
static const double CPU_THRESHOLDS = 16;

/* Measured on the host twin, whose searches take the same course: thresholds, up to twice those of
 * the CPU, since batches know fewer bounds; what a thread does for each of them besides; and
 * batches, one after the other. */
static const double DEVICE_THRESHOLDS = 32;
static const double DEVICE_THRESHOLD = 1.4e-6;
static const double DEVICE_BATCHES = 4;

/* Measured on an H200 (bench/notes/exact-gpu.md). */
static const double DEVICE_OPEN = 0.15;     /* to set the device up and send the table */
static const double DEVICE_BATCH = 1.5e-4;  /* to start a batch and have it back, however small */
static const double DEVICE_LAY = 2e-11;     /* a row of the table and column: a row set laid out */
static const double DEVICE_CELL = 4.7e-13;  /* as CPU_CELL; of parts of a row set as well */
static const double DEVICE_SHARE = 5e-5;    /* of a problem in its batches, however small */

/* Seconds of a problem's thresholds, each of `cells` cells. */
static double on_cpu(uint32_t n_cols, double cells)
{
    return n_cols * CPU_THRESHOLDS * (CPU_THRESHOLD + cells * CPU_CELL);
}

static double on_device(uint32_t n_cols, double cells, double of_a_cell)
{
    return n_cols * DEVICE_THRESHOLDS * (DEVICE_THRESHOLD + cells * of_a_cell);
}

ct_placing ct_placing_of(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes,
                         uint32_t n_table_rows)
{
    double cells = (double) n_rows * n_cols * n_classes;
    CT_ASSERT(n_rows <= n_table_rows);
    ct_placing p;
    p.cpu = on_cpu(n_cols, cells);
    p.device = on_device(n_cols, cells, DEVICE_CELL) + DEVICE_BATCH * DEVICE_BATCHES +
               (double) n_table_rows * n_cols * DEVICE_LAY;
    return p;
}

/* Which shows that it can do all of it. */
static int wants_all(const ct_worker *worker)
{
    return worker->search->options->device >= CT_EXACT_DEVICE_TWIN;
}

int ct_pays_on_device(const ct_worker *worker, const ct_node *node)
{
    const ct_layout *layout = node->layout;
    if (wants_all(worker)) return 1;
    ct_placing p = ct_placing_of(node->n_rows, layout->n_cols, layout->n_classes,
                                 worker->search->table->n_rows);
    return p.device < p.cpu;
}

/* What a part of a row set takes in a batch with others: the device looks at all rows of the set,
 * and works for as many threads at a time. */
static ct_placing place_part(uint32_t n_rows, uint32_t n_set_rows, uint32_t n_cols,
                             uint32_t n_classes, unsigned threads)
{
    double cells = (double) n_cols * n_classes;
    ct_placing p = {on_cpu(n_cols, n_rows * cells),
                    on_device(n_cols, n_set_rows * cells, DEVICE_CELL * threads) + DEVICE_SHARE};
    return p;
}

int ct_pays_in_pool(const ct_worker *worker, const ct_node *node, uint32_t n_rows)
{
    const ct_layout *layout = node->layout;
    if (wants_all(worker)) return 1;
    const unsigned threads = worker->search->options->threads;
    ct_placing p = place_part(n_rows, node->n_rows, layout->n_cols, layout->n_classes,
                              threads ? threads : 1);
    return p.device < p.cpu;
}

int ct_pays_to_open(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes, unsigned depth)
{
    ct_placing p = ct_placing_of(n_rows, n_cols, n_classes, n_rows);
    double problems =
        depth > 2 ? 2.0 * n_cols
                  : 1; /* both sides of a first candidate of every column, of half the rows */
    if (depth > 2) p = place_part(n_rows / 2, n_rows, n_cols, n_classes, 1);
    return depth >= 2 && (p.cpu - p.device) * problems > DEVICE_OPEN;
}
