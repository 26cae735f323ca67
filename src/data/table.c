#include "data/table.h"

#include <string.h>

#include "base/bits.h"
#include "data/sort.h"

/* Of the n_values - 1 thresholds keeps `keep`, the i-th (from 1) at rank round(i * n_values / (keep
 * + 1)). */
static uint32_t cap_thresholds(uint64_t *ties, uint32_t n_rows, uint32_t n_values, uint32_t keep)
{
    uint32_t threshold = 0, kept = 0;
    CT_ASSERT(keep > 0 && keep < n_values - 1);
    for (size_t w = 0; w < ((size_t) n_rows + 63) / 64; w++)
        for (uint64_t rest = ties[w]; rest; rest &= rest - 1) {
            threshold++;
            uint64_t wanted = ((uint64_t) (kept + 1) * n_values + (keep + 1) / 2) /
                              ((uint64_t) keep + 1);
            if (kept < keep && threshold == wanted) kept++;
            else ties[w] &= ~(rest & (~rest + 1));
        }
    CT_ASSERT(threshold == n_values - 1 && kept == keep);
    return kept + 1;
}

ct_status ct_table_init(ct_table *table, const ct_data *data, ct_arena *arena, ct_error *error)
{
    CT_ASSERT(table && data && arena);
    CT_TRY(ct_data_check(data, error));
    memset(table, 0, sizeof *table);
    table->data = data;
    table->n_rows = data->n_rows;
    table->n_cols = data->n_cols;
    table->n_classes = ct_data_classes(data);
    table->words = CT_WORDS(data->n_rows);
    uint32_t n_cols = data->n_cols, n_rows = data->n_rows;
    table->order = CT_ARENA_NEW(arena, uint32_t *, n_cols);
    table->ties = CT_ARENA_NEW(arena, uint64_t *, n_cols);
    table->n_values = CT_ARENA_ZEROED(arena, uint32_t, n_cols);
    uint32_t *order = CT_ARENA_NEW(arena, uint32_t, (size_t) n_cols * n_rows + CT_ORDER_PAD);
    uint64_t *ties = CT_ARENA_ZEROED(arena, uint64_t, n_cols * table->words);
    if (!table->order || !table->ties || !table->n_values || !order || !ties)
        return ct_fail(error, CT_NO_MEMORY, "not enough memory to rank %lu columns of %lu rows",
                       (unsigned long) n_cols, (unsigned long) n_rows);
    for (uint32_t col = 0; col < n_cols; col++) {
        table->order[col] = order + (size_t) col * n_rows;
        table->ties[col] = ties + (size_t) col * table->words;
    }
    return CT_OK;
}

ct_status ct_table_rank(ct_table *table, uint32_t col, uint32_t max_thresholds, ct_arena *arena,
                        int *capped)
{
    CT_ASSERT(col < table->n_cols && table->n_values[col] == 0 /* once */);
    ct_arena_mark mark = ct_arena_here(arena);
    void *scratch = ct_arena_alloc(arena, 1, ct_sort_scratch_of(&table->data->columns[col],
                                                           table->n_rows));
    if (!scratch) return CT_NO_MEMORY;
    uint32_t n_values = ct_sort_column(&table->data->columns[col], table->n_rows, scratch,
                                       table->order[col], table->ties[col], NULL, 0);
    CT_ASSERT(n_values > 0 && n_values <= table->n_rows);
    CT_ASSERT(!ct_bit(table->ties[col], table->n_rows - 1) /* nothing comes after the last row */);
    int more = max_thresholds && n_values - 1 > max_thresholds;
    if (more)
        n_values = cap_thresholds(table->ties[col], table->n_rows, n_values, max_thresholds);
    CT_ASSERT(!max_thresholds || n_values <= max_thresholds + 1 || !more);
    table->n_values[col] = n_values;
    if (more) *capped = 1;
    ct_arena_release(arena, mark);
    return CT_OK;
}

int ct_table_is_ranked(const ct_table *table)
{
    uint32_t col = 0;
    while (col < table->n_cols && table->n_values[col]) col++;
    return col == table->n_cols;
}
