/* What a process keeps between the parts of a search (run/part.h): the ranked table, and the bounds
 * that are remembered. Bounds say nothing of a tree that was known, so they hold in all parts; but
 * only for the same data, depth, costs and leaf sizes. */
#ifndef CT_EXACT_BOUND_KEPT_H
#define CT_EXACT_BOUND_KEPT_H

#include "exact/bound/cache.h"

typedef struct ct_exact_kept {
    ct_budget budget;      /* of all memory of the search but the cache */
    ct_arena arena;        /* of the table */
    ct_table table;        /* n_cols == 0: none yet; its data are those of the call */
    ct_bound_cache *cache; /* owned; NULL: not in use */
    int begun;
    int capped;            /* a column had more thresholds than it may have */
} ct_exact_kept;

/* Before a part. `kept` is zero before the first one; ct_exact_kept_free undoes all. */
void ct_kept_begin(ct_exact_kept *kept, size_t limit, size_t for_cache);
/* The table for `data`, perhaps ranked; until ct_kept_end it borrows them. Errors: those of
 * ct_table_init, and CT_BAD_INPUT where the table is one of other data. */
ct_status ct_kept_table(ct_exact_kept *kept, const ct_data *data, ct_table **table,
                        ct_error *error);
void ct_kept_end(ct_exact_kept *kept);
void ct_exact_kept_free(ct_exact_kept *kept);

#endif
