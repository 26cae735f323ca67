#include "base/optimised.h"

#include "forest/grow/copy.h"

#include <string.h>

/* Rows at a time, so that rows are read, and columns written, by lines of memory. */
enum { TILE = 32 };

/* Where a tile's rows begin, and how far apart their columns are. */
typedef struct {
    const uint16_t *rows[TILE];
    uint32_t n;
    size_t step;
} tile;

static tile tile_of(const ct_hist_codes *codes, const uint32_t *rows, uint32_t n)
{
    tile t;
    t.n = n < TILE ? n : TILE;
    t.step = codes->by_row ? 1 : codes->n_rows;
    for (uint32_t i = 0; i < t.n; i++)
        t.rows[i] = codes->by_row ? codes->by_row + rows[i] * codes->stride
                                  : codes->codes + rows[i];
    return t;
}

static void copy_bins(ct_hist_scratch *scratch, uint32_t n)
{
    const ct_hist_codes *codes = scratch->grower->codes;
    size_t stride = scratch->copies.views[CT_IN_BLOCK].bin_stride;
    for (uint32_t from = 0; from < n; from += TILE) {
        tile t = tile_of(codes, scratch->copies.block_rows + from, n - from);
        for (uint32_t col = 0; col < codes->n_cols; col++) {
            const uint8_t *bin_of = codes->columns[col].bin_of;
            const unsigned shift = codes->columns[col].shift;
            uint8_t *to = scratch->copies.block_bins + col * stride + from;
            const size_t at = col * t.step;
            if (bin_of)
                for (uint32_t i = 0; i < t.n; i++) to[i] = bin_of[t.rows[i][at] >> shift];
            else
                for (uint32_t i = 0; i < t.n; i++) to[i] = (uint8_t) t.rows[i][at];
        }
    }
}

static void copy_columns(ct_hist_scratch *scratch, uint32_t n, size_t stride)
{
    const ct_hist_codes *codes = scratch->grower->codes;
    for (uint32_t col = 0; col < codes->n_cols; col++) {
        const uint16_t *from = codes->codes + (size_t) col * codes->n_rows;
        uint16_t *to = scratch->copies.patch_codes + col * stride;
        for (uint32_t i = 0; i < n; i++) to[i] = from[scratch->copies.patch_rows[i]];
    }
}

/* Columns lie as close together as the rows let them, at an odd number of lines of memory: lines at
 * multiples of a power of two would displace each other from the cache. */
static void copy_codes(ct_hist_scratch *scratch, uint32_t n)
{
    const ct_hist_codes *codes = scratch->grower->codes;
    size_t stride = scratch->copies.views[CT_IN_PATCH].code_stride = ((n + 31) / 32 * 32) | 32;
    if (!codes->by_row) {
        copy_columns(scratch, n, stride);
        return;
    }
    for (uint32_t from = 0; from < n; from += CT_TRANSPOSED_ROWS) {
        const uint16_t *rows[CT_TRANSPOSED_ROWS]; /* the last ones again where there are fewer */
        for (uint32_t i = 0; i < CT_TRANSPOSED_ROWS; i++) {
            uint32_t place = from + i < n ? from + i : n - 1;
            rows[i] = codes->by_row + scratch->copies.patch_rows[place] * codes->stride;
        }
        scratch->grower->scan->transpose(rows, codes->n_cols, scratch->copies.patch_codes + from,
                                         stride);
    }
}

/* Copies the quantised numbers of the items, which will be rows from 0 on. */
static void copy_quantised(const ct_hist_scratch *scratch, const ct_hist_task *task,
                           const int32_t *from, int32_t *to)
{
    const ct_item *items = scratch->rows.items + task->begin;
    for (uint32_t i = 0; to && i < task->n; i++) to[i] = from[items[i].row];
}

/* Numbers the rows of a task anew; rows[number] is each one's row in the table. */
static uint32_t renumber(ct_hist_scratch *scratch, const ct_hist_task *task, uint32_t *rows)
{
    const uint32_t *old = scratch->copies.views[task->place].rows;
    uint32_t n = 0;
    for (uint32_t i = task->begin; i < task->begin + task->n; i++) {
        rows[n] = old ? old[scratch->rows.items[i].row] : scratch->rows.items[i].row;
        scratch->rows.items[i].row = n++;
    }
    for (uint32_t i = task->out; i < task->out + task->n_out; i++) {
        rows[n] = old ? old[scratch->rows.out[i]] : scratch->rows.out[i];
        scratch->rows.out[i] = n++;
    }
    return n;
}

void ct_forest_enter_copy(ct_hist_scratch *scratch, ct_hist_task *task)
{
    CT_ASSERT(task->n > 0 && task->place < CT_VIEWS);
    const ct_grower *g = scratch->grower;
    uint32_t n, all = task->n + task->n_out;
    const ct_view *view = ct_view_of(scratch, task);
    if (task->place != CT_IN_PATCH && scratch->copies.patch_rows && task->n <= CT_MEDIUM_ROWS &&
        all <= CT_PATCH_ROWS) {
        copy_quantised(scratch, task, view->quantised, scratch->copies.patch_quantised);
        copy_quantised(scratch, task, view->exposure, scratch->copies.patch_exposure);
        n = renumber(scratch, task, scratch->copies.patch_rows);
        copy_codes(scratch, n);
        task->place = CT_IN_PATCH;
    } else if (task->place == CT_IN_TABLE && scratch->copies.block_rows && task->n <= g->block &&
               all <= ct_block_rows(g)) {
        copy_quantised(scratch, task, view->quantised, scratch->copies.block_quantised);
        copy_quantised(scratch, task, view->exposure, scratch->copies.block_exposure);
        n = renumber(scratch, task, scratch->copies.block_rows);
        copy_bins(scratch, n);
        task->place = CT_IN_BLOCK;
    }
}
