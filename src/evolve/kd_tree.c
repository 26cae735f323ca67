#include "evolve/kd_tree.h"

#include <string.h>

#include "base/memory.h"

enum { CELL_ROWS = 16, BLOCK = 256 };

/* ---- cells from rows ---- */

typedef struct {
    ct_kd_tree *kd;
    const ct_model_table *table;
    uint32_t *rows, *spare;
    int failed;
} halving;

/* The splitter along which a box is widest, relative to the data; -1 if it is a point along all. */
static int32_t widest(const halving *h, const ct_rank_range *box)
{
    double most = 0;
    int32_t chosen = -1;
    for (uint32_t s = 0; s < h->table->n_splitters; s++) {
        double width = (double) (box[s].high - box[s].low) / (h->table->splitters[s].n_ranks + 1.0);
        if (h->kd->along[s] && width > most) most = width, chosen = (int32_t) s;
    }
    return chosen;
}

/* Moves rows of lower rank to the front, each side in its order. Returns where the others begin. */
static uint32_t partition_rows(halving *h, uint32_t begin, uint32_t end, uint32_t s,
                               uint32_t middle)
{
    const uint32_t *rank = h->table->splitters[s].rank;
    uint32_t left = begin, n_right = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t row = h->rows[i];
        int goes_left = rank[row] < middle;
        h->rows[left] = row;
        h->spare[n_right] = row;
        left += goes_left != 0;
        n_right += goes_left == 0;
    }
    if (n_right) memcpy(h->rows + left, h->spare, n_right * sizeof *h->rows);
    return left;
}

static uint32_t add_cell(halving *h, uint32_t begin, uint32_t end)
{
    ct_kd_tree *all = h->kd;
    if (all->n == all->room) {
        const uint32_t more = all->n + 64;
        if (!ct_enlarge(&all->cells, all->n * sizeof *all->cells, more * sizeof *all->cells)) {
            h->failed = 1;
            return 0;
        }
        all->room += more;
    }
    all->cells[all->n] = (ct_cell){begin, end, 0, 0};
    return all->n++;
}

static void halve(halving *h, uint32_t cell, uint32_t begin, uint32_t end, ct_rank_range *box);

/* Halves a cell in the middle of its box along a splitter. */
static void halve_along(halving *h, uint32_t cell, uint32_t begin, uint32_t end, ct_rank_range *box,
                        uint32_t s)
{
    const ct_rank_range parent = box[s];
    uint32_t middle = parent.low + (parent.high - parent.low + 1) / 2,
             right = partition_rows(h, begin, end, s, middle);
    if (right > begin) {
        uint32_t below = right < end ? add_cell(h, begin, right) : cell;
        box[s].high = middle - 1;
        halve(h, below, begin, right, box);
        box[s] = parent;
    }
    if (right < end) {
        uint32_t above = right > begin ? add_cell(h, right, end) : cell;
        if (above != cell && !h->failed) h->kd->cells[cell].half = above;
        box[s].low = middle;
        halve(h, above, right, end, box);
        box[s] = parent;
    }
}

/* Halves the rows of a cell that is a point along all splitters but has more rows than a tile. */
static void halve_rows(halving *h, uint32_t cell, uint32_t begin, uint32_t end, ct_rank_range *box)
{
    const uint32_t middle = begin + (end - begin) / 2;
    halve(h, add_cell(h, begin, middle), begin, middle, box);
    uint32_t above = add_cell(h, middle, end);
    if (!h->failed) h->kd->cells[cell].half = above;
    halve(h, above, middle, end, box);
}

/* Halves the cell, which has this box, recursively. The box is changed meanwhile. */
static void halve(halving *h, uint32_t cell, uint32_t begin, uint32_t end, ct_rank_range *box)
{
    if (h->failed || end - begin <= CELL_ROWS) return;
    const int32_t s = widest(h, box);
    if (s >= 0) halve_along(h, cell, begin, end, box, (uint32_t) s);
    else if (end - begin > CT_TILE_ROWS) halve_rows(h, cell, begin, end, box);
}

/* Finds the first cell behind those within each. */
static void find_ends(ct_kd_tree *all)
{
    for (uint32_t i = all->n; i-- > 0;) {
        ct_cell *cell = &all->cells[i];
        cell->after = cell->half ? all->cells[cell->half].after : i + 1;
    }
}

/* The ranges and the matrix of a cell without halves, from its rows. */
static void measure_rows(ct_kd_tree *all, const ct_cell *cell, ct_rank_range *ranges, double *gram)
{
    const ct_model_table *table = &all->table;
    uint32_t rows[BLOCK];
    for (uint32_t s = 0; s < table->n_splitters; s++) {
        ct_rank_range range = {UINT32_MAX, 0, 0};
        for (uint32_t row = cell->begin; row < cell->end; row++) {
            uint32_t rank = table->splitters[s].rank[row];
            if (rank == CT_RANK_MISSING) {
                range.any_missing = 1;
                continue;
            }
            if (rank < range.low) range.low = rank;
            if (rank > range.high) range.high = rank;
        }
        ranges[s] = range;
    }
    memset(gram, 0, table->size * sizeof *gram);
    for (uint32_t begin = cell->begin; begin < cell->end; begin += BLOCK) {
        uint32_t n = cell->end - begin < BLOCK ? cell->end - begin : BLOCK;
        for (uint32_t i = 0; i < n; i++) rows[i] = begin + i;
        all->kernels->sum(gram, table->z, rows, n, table->p);
    }
}

static void join_halves(ct_kd_tree *all, uint32_t cell)
{
    const size_t size = all->table.size, n = all->table.n_splitters;
    const uint32_t half[2] = {cell + 1, all->cells[cell].half};
    const double *a = all->grams + half[0] * size, *b = all->grams + half[1] * size;
    for (size_t i = 0; i < size; i++) all->grams[cell * size + i] = a[i] + b[i];
    for (size_t s = 0; s < n; s++) {
        const ct_rank_range *x = &all->ranges[half[0] * n + s], *y = &all->ranges[half[1] * n + s];
        ct_rank_range *to = &all->ranges[cell * n + s];
        to->low = x->low < y->low ? x->low : y->low;
        to->high = x->high > y->high ? x->high : y->high;
        to->any_missing = x->any_missing || y->any_missing;
    }
}

static ct_status measure(ct_kd_tree *all, ct_error *error)
{
    const size_t size = all->table.size, n_splitters = all->table.n_splitters;
    all->grams = (double *) ct_alloc(all->n * size * sizeof *all->grams);
    all->ranges = (ct_rank_range *) ct_alloc((all->n * n_splitters + 1) * sizeof *all->ranges);
    if (!all->grams || !all->ranges) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    for (uint32_t i = all->n; i-- > 0;) {
        if (all->cells[i].half) join_halves(all, i);
        else
            measure_rows(all, &all->cells[i], all->ranges + i * n_splitters,
                         all->grams + i * size);
    }
    return CT_OK;
}

static ct_status cut_cells(halving *h, ct_error *error)
{
    const ct_model_table *table = h->table;
    const uint32_t n_rows = table->n_rows, n_splitters = table->n_splitters;
    ct_rank_range *box = (ct_rank_range *) ct_alloc((n_splitters + 1) * sizeof *box);
    h->rows = (uint32_t *) ct_alloc(n_rows * sizeof *h->rows);
    h->spare = (uint32_t *) ct_alloc(n_rows * sizeof *h->spare);
    h->failed = !box || !h->rows || !h->spare;
    for (uint32_t row = 0; row < n_rows && !h->failed; row++) h->rows[row] = row;
    for (uint32_t s = 0; s < n_splitters && !h->failed; s++) {
        /* rows without a value come after the others */
        box[s].low = 0;
        box[s].high = table->splitters[s].n_ranks;
    }
    if (!h->failed) halve(h, add_cell(h, 0, n_rows), 0, n_rows, box);
    if (!h->failed) find_ends(h->kd);
    ct_free(box), ct_free(h->spare);
    return h->failed ? ct_fail(error, CT_NO_MEMORY, "not enough memory") : CT_OK;
}

ct_status ct_gmt_kd_init(ct_kd_tree *kd, const ct_model_table *table,
                         const ct_gram_kernels *kernels, const uint8_t *along, ct_error *error)
{
    halving h = {kd, table, NULL, NULL, 0};
    memset(kd, 0, sizeof *kd);
    kd->kernels = kernels;
    kd->along = (uint8_t *) ct_alloc(table->n_splitters + 1);
    if (!kd->along) return ct_fail(error, CT_NO_MEMORY, "not enough memory");
    memcpy(kd->along, along, table->n_splitters);
    ct_status status = cut_cells(&h, error);
    if (status == CT_OK)
        status = ct_gmt_model_table_take(&kd->table, table, h.rows, table->n_rows, CT_MODEL_BINS,
                                         error);
    ct_free(h.rows);
    return status == CT_OK ? measure(kd, error) : status;
}

void ct_gmt_kd_free(ct_kd_tree *kd)
{
    ct_gmt_model_table_free(&kd->table);
    ct_free(kd->cells), ct_free(kd->ranges), ct_free(kd->grams), ct_free(kd->along);
    memset(kd, 0, sizeof *kd);
}
