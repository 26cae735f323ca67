/* From the search's heap of split codes to a finished tree: the lowest level's thresholds, the real thresholds, labels
 * and counts. */
#ifndef CT_SEARCH_COMPLETE_H
#define CT_SEARCH_COMPLETE_H

#include "core/forest.h"
#include "search/interval.h"

/* Initialises and fills *forest, which the caller frees. `codes` is a heap of depth `depth`. Splits of its
 * lowest level, and those with threshold 0, have two leaves of at least min_bucket rows each; their thresholds are found
 * here. Scratch memory comes from `arena` and is given back. */
ct_status ct_complete(const ct_table *table, const ct_split_code *codes, unsigned depth, uint32_t min_bucket,
                      ct_arena *arena, ct_forest *forest, ct_error *error);

/* The feature of the best single split of all rows and its errors; -1 if no split leaves min_bucket rows on both sides.
 * allowed[n_cols], which may be NULL: 0 for features that are left out. */
ct_status ct_best_stump(const ct_table *table, uint32_t min_bucket, const uint8_t *allowed, ct_arena *arena,
                        int32_t *feature, uint32_t *errors, ct_error *error);

#endif
