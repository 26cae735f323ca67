/* From the search's heap of split codes to a finished tree: the lowest level's thresholds, the real
 * thresholds, labels and counts. */
#ifndef CT_EXACT_FINISH_COMPLETE_H
#define CT_EXACT_FINISH_COMPLETE_H

#include "tree/forest.h"
#include "exact/bound/interval.h"

/* Initialises and fills *forest, which the caller frees. `codes` is a heap of the search's depth.
 * Splits of its lowest level, and those with threshold 0, have two leaves of at least min_bucket
 * rows each; their thresholds are found here. Memory comes from `arena` and is given back, but for
 * *leaf_cost (unless that is NULL): what each node would cost as a leaf. Less is taken where the
 * caller has scratch[n_rows] to spare (else NULL). */
ct_status ct_complete(const ct_exact_search *search, const ct_split_code *codes, ct_arena *arena,
                      uint32_t *scratch, ct_forest *forest, int64_t **leaf_cost, ct_error *error);

/* The feature of the best single split of all rows, which cost `most costly` at most, and the cost
 * of its leaves; -1 if no split leaves min_bucket rows on both sides. Features that may not be the
 * root (options->roots) are left out. */
ct_status ct_best_stump(const ct_exact_search *search, int64_t max_cost, ct_arena *arena,
                        int32_t *feature, int64_t *cost, ct_error *error);

#endif
