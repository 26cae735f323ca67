#include "exact/offload/placing.h"

/* Measured on one core with AVX2 (bench/NOTES.md): seconds a row, column and class of one
 * threshold, skipped columns and all; and thresholds looked at, a column. Both differ tenfold
 * between tables; these are in the middle. */
static const double CPU_CELL = 1.5e-10;
static const double CPU_THRESHOLDS = 16;

/* Measured on the host twin, whose searches take the same course: thresholds, up to twice those of
 * the CPU, since batches know fewer bounds; and batches, one after the other. */
static const double DEVICE_THRESHOLDS = 32;
static const double DEVICE_BATCHES = 4;

/* NOT YET MEASURED on any device: from the arithmetic in bench/NOTES.md, on the side of the CPU. */
static const double DEVICE_OPEN = 0.5;     /* to set the device up and send the table */
static const double DEVICE_BATCH = 60e-6;  /* to start a batch and have it back, however small */
static const double DEVICE_LAY = 2e-11;    /* a row of the table and column: to lay a row set out */
static const double DEVICE_CELL = 4.5e-13; /* as CPU_CELL */
static const double DEVICE_PART =
    6e-13; /* the same where the candidates are of parts of the row set */
static const double DEVICE_SHARE =
    50e-6; /* of a problem in the batches that it is in, however small */

ct_placing ct_place(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes, uint32_t n_table_rows)
{
    double candidate = (double) n_rows * n_cols * n_classes;
    CT_ASSERT(n_rows <= n_table_rows);
    ct_placing p;
    p.cpu = candidate * n_cols * CPU_THRESHOLDS * CPU_CELL;
    p.device = candidate * n_cols * DEVICE_THRESHOLDS * DEVICE_CELL +
               DEVICE_BATCH * DEVICE_BATCHES + (double) n_table_rows * n_cols * DEVICE_LAY;
    return p;
}

/* Which shows that it can do all of it. */
static int wants_all(const ct_worker *worker)
{
    return worker->search->options->device >= CT_DEVICE_TWIN;
}

int ct_pays_on_device(const ct_worker *worker, const ct_node *node)
{
    const ct_layout *layout = node->layout;
    if (wants_all(worker)) return 1;
    ct_placing p = ct_place(node->n_rows, layout->n_cols, layout->n_classes,
                            worker->search->table->n_rows);
    return p.device < p.cpu;
}

/* The same for a part of a row set in a batch with others: the device looks at all rows of the set.
 */
static ct_placing place_part(uint32_t n_rows, uint32_t n_set_rows, uint32_t n_cols,
                             uint32_t n_classes)
{
    double cells = (double) n_cols * n_cols * n_classes;
    ct_placing p = {n_rows * cells * CPU_THRESHOLDS * CPU_CELL,
                    n_set_rows * cells * DEVICE_THRESHOLDS * DEVICE_PART + DEVICE_SHARE};
    return p;
}

int ct_pays_in_pool(const ct_worker *worker, const ct_node *node, uint32_t n_rows)
{
    const ct_layout *layout = node->layout;
    if (wants_all(worker)) return 1;
    ct_placing p = place_part(n_rows, node->n_rows, layout->n_cols, layout->n_classes);
    return p.device < p.cpu;
}

int ct_pays_to_open(uint32_t n_rows, uint32_t n_cols, uint32_t n_classes, unsigned depth)
{
    ct_placing p = ct_place(n_rows, n_cols, n_classes, n_rows);
    double problems =
        depth > 2 ? 2.0 * n_cols
                  : 1; /* both sides of a first candidate of every column, of half the rows */
    if (depth > 2) p = place_part(n_rows / 2, n_rows, n_cols, n_classes);
    return depth >= 2 && (p.cpu - p.device) * problems > DEVICE_OPEN;
}
