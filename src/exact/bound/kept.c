#include "exact/bound/kept.h"

#include <string.h>

void ct_kept_begin(ct_exact_kept *kept, size_t limit, size_t for_cache)
{
    kept->budget.limit = limit;
    if (kept->begun) return;
    kept->begun = 1;
    ct_arena_init(&kept->arena, &kept->budget);
    if (for_cache) kept->cache = ct_bound_cache_new(for_cache);
}

ct_status ct_kept_table(ct_exact_kept *kept, const ct_data *data, ct_table **table, ct_error *error)
{
    *table = &kept->table;
    CT_ASSERT(kept->begun);
    if (!kept->table.n_cols) {
        ct_status status = ct_table_init(&kept->table, data, &kept->arena, error);
        if (status != CT_OK) kept->table.n_cols = 0;
        return status;
    }
    CT_TRY(ct_data_check(data, error));
    if (kept->table.n_cols != data->n_cols || kept->table.n_rows != data->n_rows ||
        kept->table.n_classes != ct_data_classes(data))
        return ct_fail(error, CT_BAD_INPUT, "what was kept is of a search in other data");
    kept->table.data = data;
    return CT_OK;
}

void ct_kept_end(ct_exact_kept *kept) { kept->table.data = NULL; }

void ct_exact_kept_free(ct_exact_kept *kept)
{
    if (kept->begun) ct_arena_free(&kept->arena);
    ct_bound_cache_free(kept->cache);
    memset(kept, 0, sizeof *kept);
}
